//! Gradients against central differences.

use lozenge::interp::Inputs;
use lozenge_harnesses::programs::Numbers;
use lozenge_tests::world::{data, differentiable, operands, prepared, ran};

const STEP: f64 = 1e-5;

/// The inputs with one cell moved.
fn shifted(inputs: &Inputs<f64>, id: usize, cell: usize, by: f64) -> Inputs<f64> {
    let mut inputs = inputs.clone();
    if let Some(value) = inputs.values.get_mut(&id) {
        value.data[cell] += by;
    }
    inputs
}

#[test]
fn gradients_agree_with_central_differences() {
    let (mut cells, mut kinks) = (0, 0);
    for i in 0..200 {
        let mut numbers = Numbers::of(23, i);
        let (program, _) = differentiable(&mut numbers);
        let (inferred, nests) = prepared(&program);
        let ids = operands(&inferred, 4);
        #[allow(clippy::cast_precision_loss)]
        let inputs = data(&inferred, &ids, &mut numbers, |n| (n as f64 - 500.3) / 300.0);
        let loss = inferred.generated.tensor("loss").expect("a loss");
        let at = |inputs: Inputs<f64>| {
            ran(&inferred, &nests, inputs, None).values[loss].as_ref().map(|v| v.data[0]).expect("a value")
        };
        let gradients = ran(&inferred, &nests, inputs.clone(), Some("loss")).gradients;
        let here = at(inputs.clone());
        for id in &ids {
            for cell in 0..inputs.values[id].data.len() {
                let moved = |by: f64| at(shifted(&inputs, *id, cell, by));
                let (up, down) = (moved(STEP), moved(-STEP));
                let difference = (up - down) / (2.0 * STEP);
                let found = gradients[id].data[cell];
                let close = (found - difference).abs() <= 1e-5 * (1.0 + found.abs() + here.abs());
                // At a kink of relu, max or where the two sides differ, and there is no derivative to agree with.
                let kink = ((up - here) - (here - down)).abs() / STEP > 1e-2 * (1.0 + found.abs());
                assert!(close || kink, "{program}x, cell {cell}: {found}, by differences {difference}");
                kinks += u64::from(!close);
                cells += 1;
            }
        }
    }
    assert!(cells >= 200 * 31 && kinks * 1000 < cells, "{kinks} kinks in {cells} cells");
}

/// What the random programs do not have: slices, compositions with batch axes, fma, sharing.
#[test]
fn gradients_of_other_operations() {
    let texts = [
        "param x0: 3 | 4\nparam x1: 4 -> 2\nlet y = x1 * x0\nlet loss = (y *. y) ++ \"...|... => 0\"",
        "param x0: 3 | 4\nparam x1: 4\nlet y = (x0 @| 1) *. x1 *. x1\nlet loss = y ++ \"... => 0\"",
        "param x0: 4 -> 3\nparam x1: 4\nparam x2: 3\nlet y = fma x0 x1 x2\nlet loss = (y *. y) ++ \"... => 0\"",
        "param x0: 3, 3\nlet d = x0 ++ \"ii => i\"\nlet e = (d *. d) ++ \"i => ii\"\nlet loss = (e *. x0) ++ \"... => 0\"",
        "param x0: 2, 3\nparam x1: 3, 2\nlet s = x0 +++ \"ij; jk => ik\" x1\nlet loss = (s *. s) ++ \"... => 0\"",
        "param x0: 4\nlet y = tanh x0\nlet z = y *. y + y *. x0\nlet loss = z ++ \"... => 0\"",
    ];
    for text in texts {
        let (inferred, nests) = prepared(text);
        let count = (0..4).filter(|i| inferred.generated.tensor(&format!("x{i}")).is_some()).count();
        let ids = operands(&inferred, count);
        let mut numbers = Numbers::of(29, 1);
        #[allow(clippy::cast_precision_loss)]
        let inputs = data(&inferred, &ids, &mut numbers, |n| (n as f64 - 500.3) / 300.0);
        let loss = inferred.generated.tensor("loss").expect("a loss");
        let gradients = ran(&inferred, &nests, inputs.clone(), Some("loss")).gradients;
        for id in &ids {
            for cell in 0..inputs.values[id].data.len() {
                let at = |by: f64| ran(&inferred, &nests, shifted(&inputs, *id, cell, by), None);
                let moved = |by: f64| at(by).values[loss].as_ref().map(|v| v.data[0]).expect("a value");
                let difference = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
                let found = gradients[id].data[cell];
                assert!((found - difference).abs() <= 1e-6 * (1.0 + found.abs()), "{text}: {found} {difference}");
            }
        }
    }
}
