//! The law between the layers on what people have: the corpus, the example programs, programs at random.
#![allow(missing_docs)]

use lozenge::closing::Tags;
use lozenge::constraint::Constraint;
use lozenge::policy::{Limits, Policy};
use lozenge::program::{Generated, Program, generate, infer};
use lozenge::projection::{Equation, project_all};
use lozenge::term::Vars;
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::layers::inputs::{listed, programs, requests, system};
use lozenge_harnesses::layers::{Differs, same_classes, same_closing, same_feed, same_run};
use lozenge_harnesses::programs::program;
use lozenge_harnesses::systems::STRATEGIES;

fn agree<T>(what: &str, compared: Result<T, Differs>) -> T {
    compared.unwrap_or_else(|differs| panic!("{what}\n{differs}"))
}

/// The paper's own policy, with limits: it may not end otherwise.
fn paper() -> Policy {
    Policy { limits: Limits { rank: 12, size: 600, ..Limits::default() }, ..Policy::paper() }
}

/// The default policy and the paper's, under every strategy.
fn policies() -> impl Iterator<Item = Policy> {
    [Policy::default(), paper()].into_iter().flat_map(|policy| STRATEGIES.map(|strategy| Policy { strategy, ..policy }))
}

/// Every system of the corpus, solved and closed, under the default policy and the paper's.
#[test]
fn layers_on_the_corpus() {
    let cases = Cases::of("layers_on_the_corpus");
    for request in requests() {
        let Some((names, phi)) = system(&request) else { continue };
        // Growth without a guard is looked at elsewhere; a few cases have rows of thousands of axes.
        if phi.iter().map(Constraint::axes).sum::<u64>() > 2_000 {
            continue;
        }
        let tags = Tags { leaves: listed(&request, "leaves", &names), params: listed(&request, "params", &names) };
        let all = Tags::leaves(phi.vars());
        for policy in policies() {
            let what = format!("{} under {policy:?}", request["id"]);
            agree(&what, same_run(&names, &phi, policy));
            for tags in [&tags, &all] {
                agree(&what, same_closing(&names, &phi, tags, policy, |_| ()));
            }
            cases.one();
        }
    }
    cases.finish();
}

/// A program's constraints, fed as inference feeds them: what one operation says at once. Then closed.
fn fed(what: &str, generated: &Generated, policy: Policy) {
    let Generated { names, constraints, origins, tags, .. } = generated;
    let (mut parts, mut start) = (Vec::new(), 0);
    for of_one in origins.chunk_by(|one, next| one.operation == next.operation) {
        parts.push(&constraints[start..start + of_one.len()]);
        start += of_one.len();
    }
    agree(what, same_feed(names, &parts, tags, policy));
}

/// The equations of every operation, solved in both layers.
fn projected(what: &str, program: &Program) -> u64 {
    let Ok(inferred) = infer(program) else { return 0 };
    let Ok(nests) = project_all(&inferred) else { return 0 };
    for nest in &nests {
        let sizes: Vec<u64> = nest.nest.axes.iter().map(|axis| axis.size).collect();
        let equations: Vec<Equation> = nest.nest.equations.iter().map(|e| e.equation.clone()).collect();
        agree(what, same_classes(&sizes, &equations));
    }
    nests.len() as u64
}

/// What the calculus is asked for of one program: what it does is at least quadratic.
const LONGEST: usize = 800;

/// Every program of the folders and of the corpus; of the long ones, the beginning.
#[test]
fn layers_on_the_programs() {
    let cases = Cases::of("layers_on_the_programs");
    let (mut cut, mut operations) = (0, 0);
    for (i, program) in programs().iter().enumerate() {
        let Ok(mut generated) = generate(program) else { continue };
        let what = format!("program {i}");
        operations += projected(&what, program);
        if generated.constraints.len() > LONGEST {
            cut += 1;
            generated.constraints.truncate(LONGEST);
            generated.origins.truncate(LONGEST);
        }
        for policy in [Policy::default(), paper()] {
            fed(&what, &generated, policy);
        }
        cases.one();
    }
    eprintln!("layers_on_the_programs: {operations} operations projected, {cut} programs up to constraint {LONGEST}");
    cases.finish();
}

/// Programs at random.
#[test]
fn layers_on_random_programs() {
    let cases = Cases::of("layers_on_random_programs");
    for case in 0..5_000 {
        let program = program(19, case);
        let Ok(generated) = generate(&program) else { continue };
        let what = format!("random program {case}");
        fed(&what, &generated, Policy { strategy: STRATEGIES[case as usize % 4], ..Policy::default() });
        projected(&what, &program);
        cases.one();
    }
    cases.finish();
}
