//! Every finding's witness runs: constraints parse, values that are said to solve them do, and
//! every page names the tests that show it.
#![allow(missing_docs)]

use lozenge::names::Names;
use lozenge::notation::{parse_ground, parse_system};
use lozenge::semantics::{Universe, holds, sol};
use lozenge_tests::{blocks, markdown_files, read};

/// The constraint blocks of a page, in order.
fn witnesses(page: &str) -> Vec<String> {
    blocks(&read(page)).into_iter().filter(|b| b.tag == "constraints").map(|b| b.text).collect()
}

#[test]
fn values_solve_the_constraints_before_them() {
    let mut solved = 0;
    for page in markdown_files("spec/findings") {
        let mut names = Names::new();
        let mut phi = Vec::new();
        for block in blocks(&read(&page)) {
            match block.tag.as_str() {
                "constraints" => {
                    names = Names::new();
                    phi = parse_system(&block.text, &mut names)
                        .unwrap_or_else(|e| panic!("{page}: {}", e.render(&block.text)));
                }
                "values" => {
                    let gamma = parse_ground(&block.text, &mut names)
                        .unwrap_or_else(|e| panic!("{page}: {}", e.render(&block.text)));
                    for constraint in &phi {
                        assert!(holds(&gamma, constraint), "{page}: {} fails", names.show(constraint));
                    }
                    solved += 1;
                }
                _ => {}
            }
        }
    }
    assert!(solved >= 8, "the satisfiable witnesses are there");
}

#[test]
fn pages_name_their_evidence() {
    for page in markdown_files("spec/findings") {
        let text = read(&page);
        assert!(!text.contains("TODO"), "{page}");
        for line in text.lines().filter_map(|line| line.strip_prefix("Evidence:")) {
            for place in line.split('`').skip(1).step_by(2).filter(|p| p.contains(".rs#")) {
                let (path, symbol) = place.split_once('#').unwrap_or((place, ""));
                assert!(read(path).contains(&format!("fn {symbol}(")), "{page}: {place} is not there");
            }
        }
    }
}

/// Has a set of constraints no solution over these sizes up to this rank?
fn no_solution(text: &str, sizes: &[u64], max_rank: usize) -> bool {
    let phi = parse_system(text, &mut Names::new()).expect("constraints");
    let universe = Universe::of_sizes(sizes, max_rank).expect("small");
    sol(&phi, &universe).next().is_none()
}

#[test]
fn finding_f1_is_unsatisfiable_as_far_as_brute_force_sees() {
    assert!(no_solution(&witnesses("spec/findings/F1.md")[0], &[2, 3], 4));
}

#[test]
fn finding_f3_is_unsatisfiable_as_far_as_brute_force_sees() {
    assert!(no_solution(&witnesses("spec/findings/F3.md")[0], &[2, 3], 4));
}

#[test]
fn finding_w1_is_unsatisfiable_as_far_as_brute_force_sees() {
    assert!(no_solution(&witnesses("spec/findings/W.md")[0], &[2, 3], 3));
}

/// F4: every solution has α = β = 1∅, or γ fails: closing's 3 and 5 are in none.
#[test]
fn finding_f4_no_solution_has_the_closed_values() {
    let mut names = Names::new();
    let text = &witnesses("spec/findings/F4.md")[0];
    let phi = parse_system(text, &mut names).expect("constraints");
    let committed = parse_system("a = 3\nb = 5", &mut names).expect("commitments");
    let universe = Universe::of_sizes(&[3, 5, 7], 0).expect("small");
    assert!(sol(&phi, &universe).next().is_some());
    assert!(sol(&[phi, committed].concat(), &universe).next().is_none());
}
