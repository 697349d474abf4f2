//! Findings F25 to F28: statements that need a word more, or another word.

use lozenge::names::Names;
use lozenge::notation::{parse_row, parse_system};
use lozenge::rigid::{TwoSorted, le_rigid_rigid};
use lozenge::row::Row;
use lozenge::semantics::models;
use lozenge::solver::{GuardPolicy, Limits, Policy, Rule, Verdict, solve};
use lozenge::subst::Map;
use lozenge_harnesses::domains::rows;

fn row(text: &str) -> Row {
    parse_row(text, &mut Names::new()).expect("a row")
}

/// 5.6(3): the printed choice of u, and the one that works.
#[test]
fn finding_f25_a_model_says_nothing_of_fresh_variables() {
    let mut names = Names::new();
    let phi = parse_system("<p> <= [3] <> []", &mut names).expect("a constraint");
    let Verdict::Solved(solved) = solve(&phi, &mut names, Policy::default()) else { panic!("solved") };
    let p = names.row_var("p").expect("p");
    let star = solved.sigma();
    let sigma = Map::identity().with_row(p, (&row("[3] <> []")).into());
    assert!(models(&sigma, &phi), "σ is a model");
    assert_ne!(sigma.after(&star).row(p), sigma.row(p), "u = σ leaves the fresh variable where it was");
    let fresh = star.row(p).var.expect("an open row");
    let u = sigma.clone().with_row(fresh, (&Row::EMPTY).into());
    assert_eq!(u.after(&star).row(p), sigma.row(p), "σ with a value for the fresh variable works");
}

/// Every way to write a row with at most `axes` axes around this middle.
fn sides(middle: &str, axes: usize) -> Vec<(String, usize)> {
    let mut all = vec![(format!("[] {middle} []"), 0)];
    if axes > 0 {
        for axis in ["3", "a"] {
            all.push((format!("[{axis}] {middle} []"), 1));
            all.push((format!("[] {middle} [{axis}]"), 1));
        }
    }
    all
}

/// 4.5b: of the single row constraints with one axis at most, those that run for ever without a guard.
#[test]
fn finding_f26_the_smallest_divergence_has_one_variable() {
    let brief = Policy {
        guard: GuardPolicy::None,
        limits: Limits { fuel: 20_000, rank: 200, ..Limits::default() },
        ..Policy::default()
    };
    let middles = ["<p>", "<q>", "<>"];
    let (mut endless, mut cases) = (Vec::new(), 0);
    for (left, right) in middles.iter().flat_map(|l| middles.iter().map(move |r| (l, r))) {
        for (lower, spent) in sides(left, 1) {
            for (upper, _) in sides(right, 1 - spent) {
                for relation in ["<=", "~"] {
                    let text = format!("{lower} {relation} {upper}");
                    let mut names = Names::new();
                    let phi = parse_system(&text, &mut names).expect("a constraint");
                    cases += 1;
                    if matches!(solve(&phi, &mut names, brief), Verdict::Limit(_)) {
                        endless.push(text);
                    }
                }
            }
        }
    }
    let one_variable = |v: &str| {
        let grown = ["[3] V []", "[] V [3]", "[a] V []", "[] V [a]"];
        grown.map(|upper| format!("[] V [] <= {upper}").replace('V', v))
    };
    assert_eq!(endless, [one_variable("<p>"), one_variable("<q>")].concat());
    println!("finding_f26_the_smallest_divergence_has_one_variable: {cases} cases");
    assert_eq!(cases, 162);
}

/// 4.3(ii) and (iii) by total rank, as they are printed.
fn by_rank(result: &Row, operand: &Row) -> bool {
    let overlap = |a: &mut dyn Iterator<Item = _>, b: &mut dyn Iterator<Item = _>| a.zip(b).all(|(x, y)| x <= y);
    result.rank() >= operand.rank()
        && overlap(&mut result.lead.iter(), &mut operand.lead.iter())
        && overlap(&mut result.trail.iter().rev(), &mut operand.trail.iter().rev())
}

/// 4.3(ii), (iii): a surplus of one flank does not make up for a deficit of the other.
#[test]
fn finding_f27_closed_rows_are_compared_flank_by_flank() {
    let (result, operand) = (row("[3] <> []"), row("[] <> [3]"));
    assert!(by_rank(&result, &operand) && !result.le(&operand), "to the letter it is accepted, by 2.3 it is false");
    let mut names = Names::new();
    let phi = parse_system("[3] <> [] <= [] <> [3]", &mut names).expect("a constraint");
    let verdict = solve(&phi, &mut names, Policy::default());
    assert!(matches!(verdict, Verdict::Unsat(f) if f.rule == Rule::RiShortClosed));
    // The letter errs in this direction only, and only where a flank is too short.
    let (mut cases, mut differ) = (0, 0);
    for result in rows(2, 2) {
        for operand in rows(2, 2) {
            cases += 1;
            let short = result.lead.len() < operand.lead.len() || result.trail.len() < operand.trail.len();
            assert_eq!(result.le(&operand), by_rank(&result, &operand) && !short, "{result:?} {operand:?}");
            differ += usize::from(by_rank(&result, &operand) && short);
        }
    }
    println!("finding_f27_closed_rows_are_compared_flank_by_flank: {cases} cases, {differ} differ");
    assert!(differ > 0);
}

/// 2.14: 2.11's inequality, with the rigid value of its variable, fails by (d) before any rank is compared.
#[test]
fn finding_f28_a_marked_row_is_below_no_rigid_one() {
    let result = row("[3] <> [9,5]");
    let rho = row("[3] <> [5]").rigidify();
    assert!(!TwoSorted::from(result.clone()).le(&rho.clone().into()), "clause (d)");
    assert!(!le_rigid_rigid(&result.rigidify(), &rho), "flattened: clause (b), by rank");
    // (d) needs no rank: the same content is refused as well, and flattened it is accepted.
    let equal = row("[3] <> [5]");
    assert!(!TwoSorted::from(equal.clone()).le(&rho.clone().into()) && le_rigid_rigid(&equal.rigidify(), &rho));
}
