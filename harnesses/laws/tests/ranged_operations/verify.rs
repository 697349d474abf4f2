//! D9: verification.

use super::shape;
use lozenge::ranged::verify::{Verifier, verify};
use lozenge::ranged::{Position, Shape, ShapeProblem};
use lozenge_harnesses::for_all;
use lozenge_harnesses::ranged::{ARanged, Axis, LARGEST, means, variable};

/// D9: verification is the meaning of D2, axis by axis; sizes of 0 are refused.
#[test]
fn d9_verification_is_the_meaning() {
    for_all!(d9_verification_is_the_meaning, ARanged(d) in ARanged => {
        for n in 0..=LARGEST + 1 {
            let meant = n > 0 && ["a", "b"].iter().any(|label| {
                let axis = Axis { size: n, label: Some(label) };
                means(d, &[axis, axis], axis)
            });
            let checked = verify(&[n], &Shape(vec![d.clone()]));
            assert_eq!(checked.is_ok(), meant, "{n} against {d}");
            if let Err(error) = checked {
                assert_eq!(error.at, [Position::new(0, 0), Position::new(1, 0)]);
                assert!(matches!(error.problem, ShapeProblem::Actual { actual, .. } if actual == n));
            }
        }
    });
}

#[test]
fn d9_a_variable_has_one_size() {
    let square = Shape(vec![variable(0), variable(0)]);
    assert!(verify(&[3, 3], &square).is_ok() && verify(&[3, 5], &square).is_err());
    let mut run = Verifier::new();
    assert!(run.verify(&[3], &Shape(vec![variable(0)])).is_ok());
    assert!(run.verify(&[5], &Shape(vec![variable(0)])).is_err());
    assert!(matches!(verify(&[1, 2], &shape("[3]")).expect_err("two axes").problem, ShapeProblem::RankMismatch(2, 1)));
}
