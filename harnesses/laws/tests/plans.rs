//! Plans against the definition on windows, padding, strides and loops that take turns (§8): values and gradients, bit by
//! bit, over numbers of every kind.
#![allow(missing_docs)]

use lozenge::interp::{Inputs, Options, Outcome, Value, dims, run};
use lozenge::program::{Inference, infer, parse};
use lozenge::projection::{Projected, project_all};
use lozenge_harnesses::programs::Numbers;
use std::collections::BTreeMap;

/// What cells hold: tenths, which are not exact, and rarely −0, infinities and what is not a number.
fn cell(numbers: &mut Numbers, special: usize) -> f64 {
    if special > 0 && numbers.below(special) == 0 {
        return [-0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MIN_POSITIVE, 1e308][numbers.below(7)];
    }
    #[allow(clippy::cast_precision_loss)]
    let tenths = numbers.below(81) as f64 - 40.0;
    tenths / 10.0
}

fn data(inferred: &Inference, numbers: &mut Numbers, special: usize) -> Inputs<f64> {
    let mut values = BTreeMap::new();
    for (id, tensor) in inferred.generated.tensors.iter().enumerate() {
        if tensor.role.is_leaf() && tensor.value.is_none() {
            let dims = dims(inferred, id);
            let count = usize::try_from(dims.iter().product::<u64>()).expect("small");
            let data = (0..count).map(|_| cell(numbers, special)).collect();
            values.insert(id, Value { dims, data });
        }
    }
    Inputs { values, ..Inputs::default() }
}

/// Bits, so that −0 is not 0. One pattern stands for all that is not a number: a machine chooses among them freely.
fn bits(outcome: &Outcome<f64>) -> Vec<Option<Vec<u64>>> {
    let of = |x: &f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
    let gradients = outcome.gradients.values().map(Some);
    let values = outcome.values.iter().map(Option::as_ref).chain(gradients);
    values.map(|value| value.map(|value| value.data.iter().map(of).collect())).collect()
}

fn prepared(text: &str, most: u128) -> Option<(Inference, Vec<Projected>)> {
    let program = parse(text).unwrap_or_else(|error| panic!("{}", error.render(text)));
    let inferred = infer(&program).ok()?;
    let nests = project_all(&inferred).expect("projections");
    nests.iter().all(|nest| nest.record.points() <= most).then_some((inferred, nests))
}

/// Compares a program's values, and the gradients of `loss` if it has one; false where it has no shapes, or an operation of
/// more points than these.
fn compared(text: &str, numbers: &mut Numbers, most: u128) -> bool {
    let Some((inferred, nests)) = prepared(text, most) else { return false };
    for special in [0, 4, 60] {
        let inputs = data(&inferred, numbers, special);
        let options = Options { grad: inferred.generated.tensor("loss"), ..Options::default() };
        let planned = run(&inferred, &nests, inputs.clone(), &options).expect("planned");
        let naive = run(&inferred, &nests, inputs, &Options { naive: true, ..options }).expect("naive");
        assert_eq!(bits(&planned), bits(&naive), "{text}");
    }
    true
}

const LOSS: &str = "let loss = (c *. c) ++ \"...|...->... => 0\"\n";

/// Compares so many random programs, of which so many at least have shapes.
fn all(seed: u64, cases: u64, least: u64, make: impl Fn(&mut Numbers) -> String) {
    let mut ran = 0;
    for case in 0..cases {
        let mut numbers = Numbers::of(seed, case);
        let text = make(&mut numbers);
        ran += u64::from(compared(&text, &mut numbers, 40_000));
    }
    assert!(ran >= least, "{ran} of {cases} programs have shapes");
}

/// A window over an axis: stride, mode, offset and dilation.
fn window(numbers: &mut Numbers, outer: &str, inner: &str) -> String {
    let (stride, dilation) = (1 + numbers.below(3), 1 + numbers.below(2));
    match numbers.below(3) {
        0 => format!("{stride}*{outer}<+{dilation}*{inner}"),
        1 => format!("{stride}*{outer}=+{}+{dilation}*{inner}", numbers.below(stride)),
        _ => format!("{stride}*{outer}=+{dilation}*{inner}"),
    }
}

#[test]
fn windows_compute_the_same_bits_as_the_definition() {
    all(21, 300, 150, |numbers| {
        let windows = [window(numbers, "oh", "kh"), window(numbers, "ow", "kw")].join(", ");
        let mut below = |least: usize, n: usize| least + numbers.below(n);
        let (batch, channels, results) = (below(1, 3), below(1, 18), below(1, 18));
        let (oh, ow, kh, kw) = (below(1, 4), below(1, 5), below(1, 3), below(1, 4));
        let names = "[\"oh\"; \"ow\"; \"kh\"; \"kw\"]";
        let sizes = format!("oh = {oh}\now = {ow}\nkh = {kh}\nkw = {kw}\n");
        let x = format!("param x: {batch} | ..., {channels}\n");
        let w = format!("param w: ..., {channels} -> {results}\n");
        match below(0, 6) {
            0 | 1 => format!(
                "{x}{w}let c = x +* \"...| {windows}, ic; kh, kw, ic -> oc => ...| oh, ow, oc\" {names} w\n{sizes}{LOSS}"
            ),
            2 => format!("{x}let c = x @^^ \"...| {windows}, ic => ...| oh, ow, ic\" {names}\n{sizes}{LOSS}"),
            3 => format!("{x}let c = x ++ \"...| {windows}, ic => ...| ic, ow, oh\" {names}\n{sizes}{LOSS}"),
            4 => format!(
                "{x}{w}let c = x @^+ \"...| {windows}, ic; kh, kw, ic -> oc => ...| oh, ow, oc\" {names} w\n{sizes}{LOSS}"
            ),
            _ => format!("{x}let c = min(x, \"...| {windows}, ic => ...| oh, ow, ic\")\n{sizes}"),
        }
    });
}

/// Large enough that gradients are computed by places with the same taps, and factors are read where they lie.
#[test]
fn large_convolutions_compute_the_same_bits_as_the_definition() {
    let mut ran = 0;
    for case in 0..30 {
        let mut numbers = Numbers::of(26, case);
        let windows = [window(&mut numbers, "oh", "kh"), window(&mut numbers, "ow", "kw")];
        let mut below = |least: usize, n: usize| least + numbers.below(n);
        // Many channels, one window or two; many places, so that the weights' gradients have many rounds.
        let text = match below(0, 4) {
            3 => {
                let (o, k, apart, c) = (below(48, 33), below(1, 3), below(1, 3), below(24, 25));
                let (d, size, how) = (below(24, 25), o + apart * (k - 1), ["=:+", "=+"][below(0, 2)]);
                format!(
                    "param g: {o}, {c}\nparam w: {k}, {c}, {d}\n\
                     {{ c: {size}, {d} }} {how} g * w ~logic:\"o, c; k, c, d => o<+{apart}*k, d\"\n"
                )
            }
            0 => format!(
                "param x: {} | ..., {channels}\nparam w: ..., {channels} -> {}\n\
                 let c = x +* \"...| {}, ic; kh, ic -> oc => ...| oh, oc\" [\"oh\"; \"kh\"] w\n\
                 oh = {}\nkh = {}\n{LOSS}",
                below(1, 4),
                below(32, 33),
                windows[0],
                below(16, 20),
                below(1, 3),
                channels = below(16, 25),
            ),
            which => format!(
                "param x: {} | ..., {channels}\nparam w: ..., {channels} -> {}\n\
                 let c = x +* \"...| {}, {}, ic; kh, kw, ic -> oc => ...| oh, ow, oc\" [\"oh\"; \"ow\"; \"kh\"; \"kw\"] w\n\
                 oh = {}\now = {}\nkh = {}\nkw = {}\n{LOSS}",
                below(1, 3) + which,
                if which == 1 { below(24, 17) } else { below(2, 15) },
                windows[0],
                windows[1],
                below(8, 4),
                below(8, 4),
                below(1, 2),
                below(1, 2),
                channels = [8, 16, 19][below(0, 3)],
            ),
        };
        ran += u64::from(compared(&text, &mut numbers, 600_000));
    }
    assert!(ran >= 20, "{ran} programs have shapes");
}

#[test]
fn results_through_windows_compute_the_same_bits_as_the_definition() {
    all(22, 500, 100, |numbers| {
        let into = window(numbers, "o", "k");
        let mut below = |least: usize, n: usize| least + numbers.below(n);
        let (o, k, d, size) = (below(1, 6), below(1, 4), below(1, 12), below(1, 20));
        let how = ["=:+", "=+", "=:@^", "=@-", "=:*", "=-", "=:-", "=:||"][below(0, 8)];
        let heads = format!("param g: {o}, {d}\nparam w: {k}, {d}\n");
        match below(0, 4) {
            0 => format!("{heads}{{ c: {size}, {d} }} {how} g * w ~logic:\"o, d; k, d => {into}, d\"\n"),
            1 => format!("{heads}{{ c: {size} }} {how} g * w ~logic:\"o, d; k, d => {into}\"\n"),
            2 => format!("param g: {o}, {d}\n{{ c: {size}, {d} }} {how} g ~logic:\"o, d => 3*o, d\"\n"),
            _ => format!("param g: {d}\n{{ c: {d}, {d} }} {how} g ~logic:\"i => ii\"\n"),
        }
    });
}

#[test]
fn loops_that_take_turns_compute_the_same_bits_as_the_definition() {
    all(23, 300, 200, |numbers| {
        let mut size = |n: usize| 1 + numbers.below(n);
        let (i, j, k, l, d) = (size(5), size(4), size(9), size(3), size(10));
        let sizes = "[\"i\"; \"j\"]";
        let given = format!("i = {i}\nj = {j}\n");
        let whole = format!("param x: {}, {d}\nparam y: {}\n", i + j, i + j);
        match size(11) {
            1 => format!("param a: {i}, {d}\nparam b: {j}, {d}\nlet c = (a, b) ++^ \"i, d; j, d => i^j, d\"\n{LOSS}"),
            2 => format!(
                "param a: {d}, {i}, {l}\nparam b: {d}, {j}, {l}\nparam e: {d}, {k}, {l}\n\
                 let c = (a, b, e) ++^ \"d, i, l; d, j, l; d, k, l => d, i^j^k, l\"\n{LOSS}"
            ),
            3 => format!(
                "param a: {i}, {k}\nparam b: {i}, {l}\nparam e: {j}, {k}\nparam f: {j}, {l}\n\
                 let c = (a, b, e, f) ++^ \"i, k; i, l; j, k; j, l => i^j, k^l\"\n{LOSS}"
            ),
            4 => format!("{whole}let c = x ++ \"i^j, d => i, d\" {sizes}\n{given}{LOSS}"),
            5 => format!("{whole}let c = x ++ \"i^j, d => d\" {sizes}\n{given}{LOSS}"),
            6 => format!("param x: {d}, {}\nlet c = x ++ \"d, i^j => 0\" {sizes}\n{given}{LOSS}", i + j),
            7 => format!("param x: {d}, {}\nlet c = x @^^ \"d, i^j => d\" {sizes}\n{given}{LOSS}", i + j),
            8 => format!("{whole}let c = x +* \"i^j, d; i^j => d\" {sizes} y\n{given}{LOSS}"),
            9 => format!("{whole}let c = x +* \"i^j, d; i^j => j, d\" {sizes} y\n{given}{LOSS}"),
            10 => format!("param a: {d}, {i}\nparam b: {j}, {d}\nlet c = (a, b) ++^ \"d, i; j, d => i^j, d\"\n{LOSS}"),
            _ => format!("param a: {i}, {d}\n{{ c: {}, {d} }} =:+ a ~logic:\"i, d => i^j, d\" \nj = {j}\n", i + j),
        }
    });
}

#[test]
fn bodies_compute_the_same_bits_as_the_definition() {
    all(24, 200, 150, |numbers| {
        let mut below = |least: usize, n: usize| least + numbers.below(n);
        let (n, m) = (below(1, 20), below(1, 9));
        let heads = format!("param x: {n}, {m}\nparam y: {n}, {m}\nparam z: {m}\n");
        let bodies = [
            "relu x",
            "tanh x",
            "exp x",
            "log x",
            "sqrt x",
            "sin x + cos y",
            "recip x",
            "neg x",
            "not x",
            "x /. y",
            "x **. y",
            "x **. 2",
            "relu_gate x y",
            "where (x < y) x z",
            "where (x = y) y z",
            "fma x y z",
            "mul3 x y z",
            "x - z",
            "max(x, y)",
            "min(x, y)",
            "x *. x",
            "(x *. y) ++ \"ij => j\"",
            "x +* \"ij; ij => i\" y",
            "x @^+ \"ij; kj => ik\" y",
            "x +* \"ij; kj => ik\" y",
            "x +* \"ij; ij => ij\" x",
        ];
        format!("{heads}let c = {}\n{LOSS}", bodies[below(0, bodies.len())])
    });
}

/// Parts of size 0 and 1 are kept, and loops over nothing leave what is erased neutral.
#[test]
fn small_parts_compute_the_same_bits_as_the_definition() {
    let texts = [
        "param x: 3\nlet c = x ++ \"i^j => j\" [\"i\"; \"j\"]\ni = 3\n",
        "param x: 3\nlet c = x ++ \"i^j => i\" [\"i\"; \"j\"]\ni = 3\n",
        "param x: 3\nlet c = x ++ \"i^j => 0\" [\"i\"; \"j\"]\ni = 2\n",
        "param x: 4, 3\nlet c = x @^^ \"r, i^j => r\" [\"i\"; \"j\"]\nj = 1\n",
        "param a: 1\nparam b: 1\nlet c = (a, b) ++^ \"i; j => i^j\"\n",
    ];
    let mut numbers = Numbers::of(25, 0);
    let ran = texts.iter().filter(|text| compared(&format!("{text}{LOSS}"), &mut numbers, 40_000)).count();
    assert!(ran >= 3, "{ran} of them have shapes");
}

/// A loop of size 1 takes no step, so its factor may be larger than any tensor. Parts that are concatenated keep such loops.
#[test]
fn factors_of_single_steps_may_be_of_any_size() {
    let mut numbers = Numbers::of(29, 0);
    for factor in ["1", "9223372036854775807", "9223372036854775808", "18446744073709551615"] {
        let window = format!("{factor}*i<+k, d");
        for text in [
            format!("param a: 5, 3\nparam b: 2, 3\nlet c = (a, b) ++^ \"{window}; j, d => i^j, d\"\n"),
            format!("param a: 5, 3\nparam b: 2, 3\nlet c = (b, a) ++^ \"j, d; {window} => j^i, d\"\n"),
            format!("param a: 5, 3\nparam b: 3\nlet c = a +* \"{window}; d => i, k\" b\n"),
        ] {
            assert!(compared(&format!("{text}{LOSS}"), &mut numbers, 40_000), "{text}");
        }
    }
}

/// Every order of these letters.
fn orders(letters: &str) -> Vec<String> {
    if letters.is_empty() {
        return vec![String::new()];
    }
    let with = |first: char| {
        let rest: String = letters.chars().filter(|c| *c != first).collect();
        orders(&rest).into_iter().map(move |rest| format!("{first}{rest}"))
    };
    letters.chars().flat_map(with).collect()
}

/// Products with more rounds than a tile has, few rows, and columns of several labels: the factor with the columns may be
/// read where it lies in one order of its labels, and not in another.
#[test]
fn long_products_compute_the_same_bits_in_every_order_of_labels() {
    let (mut numbers, mut compared_all) = (Numbers::of(27, 0), 0);
    let sizes = |of: &str, a: u64, b: u64| -> String {
        let size = |label: char| match label {
            'a' => a.to_string(),
            'b' => b.to_string(),
            'n' => "3".to_owned(),
            _ => "300".to_owned(),
        };
        of.chars().map(size).collect::<Vec<_>>().join(", ")
    };
    for (a, b) in [(2, 4), (4, 2), (4, 4), (8, 3), (3, 8), (2, 12)] {
        for right in orders("kab") {
            for result in orders("nab") {
                let declared = format!("param v: 3, 300\nparam w: {}\n", sizes(&right, a, b));
                let text = format!("{declared}let c = v +* \"nk; {right} => {result}\" w\n{LOSS}");
                compared_all += u64::from(compared(&text, &mut numbers, 1 << 16));
            }
        }
    }
    assert_eq!(compared_all, 6 * 36);
}

/// The same at random, with two or three operands.
#[test]
fn long_products_compute_the_same_bits_as_the_definition() {
    all(28, 400, 200, |numbers| {
        let labels = ["a", "b", "c", "d", "k"];
        let sizes: Vec<usize> = (0..4).map(|_| [1, 2, 2, 3, 4, 4, 8, 9][numbers.below(8)]).chain([300]).collect();
        let mut some = |of: &[usize], least: usize| {
            let (mut left, mut taken) = (of.to_vec(), Vec::new());
            let count = (least + numbers.below(of.len() + 1 - least)).min(4);
            while taken.len() < count {
                taken.push(left.swap_remove(numbers.below(left.len())));
            }
            taken
        };
        let operands: Vec<Vec<usize>> =
            (0..2 + usize::from(some(&[0, 1], 0).len() == 2)).map(|_| some(&[0, 1, 2, 3, 4], 2)).collect();
        let mut used: Vec<usize> = operands.concat().into_iter().filter(|label| *label != 4).collect();
        used.sort_unstable();
        used.dedup();
        let result = some(&used, used.len().min(1));
        let spelled = |of: &[usize]| of.iter().map(|label| labels[*label]).collect::<String>();
        let spec = operands.iter().map(|of| spelled(of)).collect::<Vec<_>>().join("; ") + " => " + &spelled(&result);
        let shape = |of: &[usize]| of.iter().map(|label| sizes[*label].to_string()).collect::<Vec<_>>().join(", ");
        let params: String =
            operands.iter().zip(["x", "y", "z"]).map(|(of, x)| format!("param {x}: {}\n", shape(of))).collect();
        match operands.len() {
            2 => format!("{params}let c = x +* \"{spec}\" y\n{LOSS}"),
            _ => format!("{params}let c = (x, y, z) +* \"{spec}\"\n{LOSS}"),
        }
    });
}
