//! Locality: what is said of a program does not depend on another one beside it, with which it shares no name.

use super::{PROGRAMS, Said, finish, held, said, scale};
use lozenge_harnesses::cases::Cases;
use lozenge_harnesses::programs::Numbers;
use lozenge_harnesses::programs::files;
use lozenge_harnesses::sized::{Program, program, smaller};

/// What a program says, by itself.
type Alone = Result<Said, String>;

/// What both say together, if each says the same as alone; of two errors one is said.
fn together(text: &str, first: &Alone, second: &Alone) -> Result<(), String> {
    let both = said(text);
    let same = match (&both, first, second) {
        (Ok(both), Ok(first), Ok(second)) => {
            let mut expected = first.clone();
            expected.shapes.extend(second.shapes.clone());
            expected.assumed.extend(second.assumed.clone());
            expected.assumed.sort();
            *both == expected
        }
        (Err(both), Err(first), Err(second)) => both == first || both == second,
        (Err(both), Err(one), Ok(_)) | (Err(both), Ok(_), Err(one)) => both == one,
        _ => false,
    };
    if same { Ok(()) } else { Err(format!("together {both:?}\nfirst {first:?}\nsecond {second:?}")) }
}

/// Two programs: one after the other, or their statements in turn.
fn merged(first: &str, second: &str, how: u64) -> String {
    match how % 3 {
        0 => format!("{first}{second}"),
        1 => format!("{second}{first}"),
        _ => {
            let mut numbers = Numbers::of(5, how);
            let mut text = String::new();
            let (mut first, mut second) = (first.lines().peekable(), second.lines().peekable());
            while first.peek().is_some() || second.peek().is_some() {
                let next = if numbers.percent(50) { first.next() } else { second.next() };
                text.extend(next.into_iter().flat_map(|line| [line, "\n"]));
            }
            text
        }
    }
}

fn pair(first: &Program, second: &Program, how: u64) -> Result<(), String> {
    let (a, b) = (first.text("a"), second.text("b"));
    let text = merged(&a, &b, how);
    held(|| together(&text, &said(&a), &said(&b))).map_err(|why| format!("{text}{why}"))
}

/// The smallest pair found that still fails.
fn least(mut first: Program, mut second: Program, how: u64) -> String {
    loop {
        let firsts = smaller(&first).into_iter().map(|p| (p, second.clone()));
        let pairs: Vec<_> = firsts.chain(smaller(&second).into_iter().map(|p| (first.clone(), p))).collect();
        match pairs.into_iter().find(|(a, b)| pair(a, b, how).is_err()) {
            Some(next) => (first, second) = next,
            None => return pair(&first, &second, how).err().unwrap_or_default(),
        }
    }
}

/// Programs of every kind of statement, whose names begin with `zz`.
const NEIGHBOURS: [&str; 14] = [
    "input zz: 3, ?\n",
    "const zz_c: ?\nlet zz_y = zz_c + zz_c\n",
    "param zz_w: 3 -> 4\ninput zz_x: 3\nlet zz_y = zz_w * zz_x\n",
    "param zz_w: 2, 3 = range\n",
    "fn zz_f(zz_a) = relu ({ zz_w: ... -> 5 } * zz_a + { zz_b })\ninput zz_x: 3\nlet zz_y = zz_f(zz_x)\nlet zz_z = zz_f(zz_y)\n",
    "input zz_x: zz_n | 4\nzz_n = 8\nlet zz_s = zz_x *. dim zz_n\n",
    "input zz_x: zz_h -> zz_d\nzz_h = 3\nzz_d = 2 * zz_h\n",
    "const zz_x: ...\nelements zz_x = 12\n",
    "convolution valid\ninput zz_x: 9\ninput zz_k: 3\nlet zz_y = zz_x +* \"o+k; k => o\" zz_k\n",
    "input zz_x: 8\n{ zz_y } =:+ zz_x ~logic:\"2*i => i\"\nzz_y =+ zz_x ~logic:\"i^j => i\"\n",
    "input zz_x: 6:px, ?\nlet zz_y = zz_x ++ \"i^j, 2 => i, 2*j\"\n",
    "input zz_x: ?\nlet zz_y = zz_x ++ \"2*i => i\"\nlet zz_z = (zz_x, zz_y) ++^ \"i; j => i^j\"\n",
    "input zz_x: 5, 3 | 4\nlet zz_y = zz_x @| 2\nlet zz_z = ([[1, 2], [3, 4]]: 2 -> 2)\nlet zz_g = zz_x.grad\n",
    "input zz_x: 2\nlet zz_y = let zz_a = sin zz_x in where zz_a zz_x 1.5\n",
];

#[test]
fn neighbours_do_not_matter() {
    let cases = Cases::of("neighbours_do_not_matter");
    let beside: Vec<Alone> = NEIGHBOURS.iter().map(|text| said(text)).collect();
    for (text, alone) in NEIGHBOURS.iter().zip(&beside) {
        assert!(alone.is_ok(), "{text}{alone:?}");
    }
    for (name, text) in files("programs") {
        let alone = said(&text);
        assert!(alone.is_ok(), "{name}: {alone:?}");
        for (neighbour, of) in NEIGHBOURS.iter().zip(&beside) {
            for both in [format!("{neighbour}{text}"), format!("{text}\n{neighbour}")] {
                together(&both, &alone, of).unwrap_or_else(|why| panic!("{name}, {neighbour}{why}"));
                cases.one();
            }
        }
    }
    // Each program is beside the one before it and the one after it.
    let named = |case: u64| if case.is_multiple_of(2) { "a" } else { "b" };
    let alone = |program: &Program, case: u64| {
        let text = program.text(named(case));
        let alone = held(|| said(&text));
        (text, alone)
    };
    let mut before = program(2, 0);
    let (mut text, mut of) = alone(&before, 0);
    let (mut tally, mut failed) = ([0_u64; 3], Vec::new());
    for case in 1..=PROGRAMS * scale() {
        let next = program(2, case);
        let (next_text, of_next) = alone(&next, case);
        let both = held(|| together(&merged(&text, &next_text, case), &of, &of_next));
        if both.is_err() {
            failed.push((before.clone(), next.clone(), case));
        }
        tally[usize::from(of.is_err()) + usize::from(of_next.is_err())] += 1;
        (before, text, of) = (next, next_text, of_next);
        cases.one();
    }
    eprintln!("neighbours: both have shapes, one, none: {tally:?}");
    let shown: Vec<String> = failed.iter().take(6).map(|(a, b, how)| least(a.clone(), b.clone(), *how)).collect();
    assert!(failed.is_empty(), "{} fail, for example\n{}", failed.len(), shown.join("\n\n"));
    assert!(tally.iter().all(|n| *n > PROGRAMS / 100), "{tally:?}");
    finish(cases);
}
