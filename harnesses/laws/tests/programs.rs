//! Tensor programs: the language, the examples, and what holds of all programs.
#![allow(missing_docs)]

use lozenge::program::einsum::{Affine, Axis, Factor, Kernel, Spec, SpecRow, SpecSlot};
use lozenge::program::generate::Logic;
use lozenge::program::shape::{DeclaredAxis, Kind, Shape};
use lozenge::program::{InferError, Inference, Program, generate, infer, parse, parse_shape, partial};
use lozenge::semantics::{Ground, holds};
use lozenge::solver::Policy;
use lozenge_harnesses::cases::sampled;
use lozenge_harnesses::systems::match_row;
use quickcheck::{Arbitrary, Gen};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name)
}

/// The programs of a folder of tests/, each with its name.
fn files(name: &str) -> Vec<(String, String)> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder(name)).expect("the folder").map(|e| e.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "loz"));
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a program");
        (path.file_stem().expect("a name").to_string_lossy().into_owned(), text)
    };
    paths.into_iter().map(read).collect()
}

fn read(text: &str) -> Program {
    parse(text).unwrap_or_else(|e| panic!("{}", e.render(text)))
}

fn inferred(text: &str) -> Inference {
    infer(&read(text)).unwrap_or_else(|e| panic!("{}", e.render(text)))
}

fn refused(text: &str) -> String {
    match parse(text) {
        Err(e) => e.render(text),
        Ok(program) => infer(&program).map(|_| ()).expect_err(text).render(text),
    }
}

/// Does a shape have the axes that a declared one writes? Markers are not compared.
fn is_shape(inference: &Inference, shape: &Shape, expected: &str) -> bool {
    let declared = parse_shape(expected).unwrap_or_else(|e| panic!("{}", e.render(expected)));
    Kind::ALL.into_iter().all(|kind| {
        let axes: Vec<String> = declared.rows.get(kind).trail.iter().map(DeclaredAxis::to_string).collect();
        let found: Vec<String> = shape.get(kind).flat().map(|d| inference.names.show(&d).ascii().to_string()).collect();
        axes == found
    })
}

/// `# expect: name: shape` and `# expect size: name: number`.
fn check_expectations(name: &str, text: &str) -> usize {
    let inference = inferred(text);
    let mut checked = 0;
    for line in text.lines() {
        if let Some((tensor, shape)) = line.strip_prefix("# expect: ").and_then(|rest| rest.split_once(": ")) {
            let found = inference.shape(tensor).unwrap_or_else(|| panic!("{name}: there is no tensor {tensor}"));
            assert!(is_shape(&inference, found, shape), "{name}: {tensor} is {:?}", inference.show(tensor));
            checked += 1;
        }
        if let Some((size, number)) = line.strip_prefix("# expect size: ").and_then(|rest| rest.split_once(": ")) {
            assert_eq!(inference.size(size).map(|n| n.to_string()).as_deref(), Some(number), "{name}: {size}");
            checked += 1;
        }
    }
    checked
}

#[test]
fn examples_have_the_shapes_they_expect() {
    let programs = files("programs").into_iter().chain(files("sources")).collect::<Vec<_>>();
    assert!(programs.len() >= 13);
    for (name, text) in programs {
        assert!(check_expectations(&name, &text) > 0, "{name} expects nothing");
    }
}

/// Every constraint holds of the closed shapes.
fn is_solution(inference: &Inference) -> bool {
    let values = inference.values();
    inference.generated.constraints.iter().all(|phi| holds(&values, phi))
}

/// What inference says was known before closing is what is known without closing, and the closed shapes are instances
/// of it: one run, and closing goes on from it.
fn goes_on(program: &Program, inference: &Inference) -> bool {
    let mut gamma = Ground::default();
    let before = inference.partial();
    let shapes = before.iter().zip(&inference.shapes);
    partial(program, Policy::default()).is_ok_and(|known| known.shapes == before)
        && shapes
            .flat_map(|it| Kind::ALL.map(|kind| (it, kind)))
            .all(|((known, closed), kind)| match_row(&mut gamma, known.get(kind), closed.get(kind)))
}

#[test]
fn examples_are_solutions_and_read_back() {
    for (name, text) in files("programs") {
        let program = read(&text);
        let (printed, again) = program.placed().unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(program, again, "{name}:\n{printed}");
        let json = serde_json::to_value(&program).expect("JSON");
        assert_eq!(serde_json::from_value::<Program>(json).expect("JSON"), program, "{name}");
        let inference = inferred(&text);
        assert!(is_solution(&inference) && goes_on(&program, &inference), "{name}");
    }
}

/// A decoder like GPT-2, as tests/programs/decoder writes it.
fn decoder(options: &[&str]) -> String {
    let written = std::process::Command::new("sh").arg(folder("programs").join("decoder")).args(options).output();
    let written = written.expect("a shell");
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    String::from_utf8(written.stdout).expect("a program")
}

#[test]
fn the_decoder_is_written_by_its_script() {
    let stored = std::fs::read_to_string(folder("programs").join("decoder.loz")).expect("decoder.loz");
    assert_eq!(decoder(&[]), stored, "write it again: tests/programs/decoder > tests/programs/decoder.loz");
    let large = decoder(&["--layers", "96", "--heads", "96", "--width", "12288", "--context", "2048"]);
    let generated = generate(&read(&large)).expect("well formed");
    assert!(generated.tensor("block#96.attention#1.w_q").is_some() && generated.tensor("x96").is_some());
    assert!(check_expectations("small", &decoder(&["--layers", "1", "--heads", "2", "--width", "8"])) >= 10);
}

#[test]
fn a_decoder_of_twelve_layers() {
    let text = decoder(&[]);
    let started = std::time::Instant::now();
    let inference = inferred(&text);
    let (operations, constraints) = (inference.generated.operations.len(), inference.generated.constraints.len());
    println!("a_decoder_of_twelve_layers: {:?}, {operations} operations, {constraints} constraints", started.elapsed());
    let show = |name: &str| inference.show(name).unwrap_or_else(|| panic!("{name}"));
    assert_eq!(show("x12"), "8, 1024 | 768");
    assert_eq!(show("logits"), "8, 1024 | 50257");
    assert_eq!(show("embedding"), "50257 -> 768");
    for block in 1..=12 {
        assert_eq!(show(&format!("block#{block}.attention#1.w_q")), "768 -> 12, 64");
        assert_eq!(show(&format!("block#{block}.attention#1.b_q")), "12, 64");
        assert_eq!(show(&format!("block#{block}.attention#1.w_o")), "12, 64 -> 768");
        assert_eq!(show(&format!("block#{block}.perceptron#1.w_2")), "3072 -> 768");
        assert_eq!(show(&format!("block#{block}.layer_norm#2.gamma")), "768");
    }
    assert!(is_solution(&inference));
}

#[test]
fn broken_programs_explain_themselves() {
    // LOZENGE_BLESS=1 writes the messages; then read them.
    let bless = std::env::var_os("LOZENGE_BLESS").is_some();
    let programs = files("broken");
    assert!(programs.len() >= 40);
    for (name, text) in programs {
        let message = refused(&text);
        let path = folder("broken").join(format!("{name}.txt"));
        let stored = std::fs::read_to_string(&path).unwrap_or_default();
        if bless && stored != message {
            std::fs::write(&path, &message).expect("as expected");
        } else {
            assert_eq!(message.trim_end(), stored.trim_end(), "{name}");
        }
    }
}

#[test]
fn built_typed_and_read_from_json_are_one_program() {
    use lozenge::program::ast::{Accumulate, AssignOp, BinaryOp, DimValue, EinsumOp, Expr, Index, PermuteOp, SpecUse};
    use lozenge::program::ast::{Target, TernaryOp};
    let (x, y) = (|| Expr::name("x"), || Expr::name("y"));
    let built = Program::builder()
        .input("x", parse_shape("3, n | 20").ok())
        .param("w", None)
        .constant("c", parse_shape("... | ..r.. -> 3:rgb, ?").ok())
        .dim("n", DimValue::Size(16))
        .function("f", &["a"], (Expr::name("w").compose(Expr::name("a")) + 1.0).relu())
        .bind("y", Expr::call("f", vec![x().slice(Index::Name("t".to_owned()))]))
        .bind("z", y().einsum(EinsumOp::Product, SpecUse::from("...|i; ...|i => ...|0").capture(&["i"]), y()))
        .bind("m", x().permute(PermuteOp::Max, "...|... => ...|0").times(Expr::size("i")))
        .bind("k", Expr::ternary(TernaryOp::Where, [x().binary(BinaryOp::Lt, -1.5), x(), 0.0.into()]))
        .assign(
            Target::New("d".into()),
            AssignOp { erase: true, accumulate: Accumulate::Add },
            x().compose(x()),
            Some("."),
        )
        .build();
    let text = r#"
input x: 3, n | 20
param w
const c: ... | ..r.. -> 3:rgb, ?
n = 16
fn f(a) = relu (w * a + 1)
let y = f(x @| t)
let z = y +* "...|i; ...|i => ...|0" ["i"] y
let m = (x @^^ "...|... => ...|0") *. dim i
let k = where (x < -1.5) x 0
{ d } =:+ x * x ~logic:"."
"#;
    let json = r#"{"statements": [
        {"input": {"name": "x", "shape": "3, n | 20"}},
        {"param": {"name": "w"}},
        {"const": {"name": "c", "shape": "... | ..r.. -> 3:rgb, ?"}},
        {"dim": {"name": "n", "value": {"size": 16}}},
        {"fn": {"name": "f", "params": ["a"], "body": {"unary": {"op": "relu", "arg": {"binary": {"op": "+",
            "lhs": {"binary": {"op": "*", "lhs": {"name": "w"}, "rhs": {"name": "a"}}}, "rhs": {"number": 1}}}}}}},
        {"let": {"name": "y", "value": {"call": {"function": "f", "args": [{"slice": {"arg": {"name": "x"}, "index": "t"}}]}}}},
        {"let": {"name": "z", "value": {"einsum": {"op": "+*", "spec": {"text": "...|i; ...|i => ...|0", "captures": ["i"]},
            "lhs": {"name": "y"}, "rhs": {"name": "y"}}}}},
        {"let": {"name": "m", "value": {"binary": {"op": "*.", "lhs": {"permute": {"op": "@^^",
            "spec": {"text": "...|... => ...|0"}, "arg": {"name": "x"}}}, "rhs": {"size": "i"}}}}},
        {"let": {"name": "k", "value": {"ternary": {"op": "where", "args": [
            {"binary": {"op": "<", "lhs": {"name": "x"}, "rhs": {"number": -1.5}}}, {"name": "x"}, {"number": 0}]}}}},
        {"assign": {"target": {"new": "d"}, "op": {"erase": true, "accumulate": "+"},
            "value": {"binary": {"op": "*", "lhs": {"name": "x"}, "rhs": {"name": "x"}}}, "logic": "."}}
    ]}"#;
    assert_eq!(read(text), built);
    assert_eq!(serde_json::from_str::<Program>(json).expect("JSON"), built);
    // `z` needs one output axis of `y`, and nothing says how large.
    assert!(matches!(infer(&built), Err(InferError::Hole(hole)) if hole.tensor == "w"));
}

#[test]
fn operators_bind_as_in_ocaml() {
    let same = |short: &str, full: &str| {
        assert_eq!(read(&format!("let y = {short}")), read(&format!("let y = {full}")), "{short}");
    };
    same("a + b * c", "a + (b * c)");
    same("a - b - c", "(a - b) - c");
    same("a **. b **. c", "a **. (b **. c)");
    same("a *. b **. c", "a *. (b **. c)");
    same("a + b ++ \"i => 0\"", "(a + b) ++ \"i => 0\"");
    same("a *. b ++ \"i => 0\"", "(a *. b) ++ \"i => 0\"");
    same("a * b @^^ \"i => 0\"", "(a * b) @^^ \"i => 0\"");
    same("a + b @| t", "(a + b) @| t");
    same("relu a + b", "(relu a) + b");
    same("relu a ++ \"i => 0\"", "(relu a) ++ \"i => 0\"");
    same("a +* \"i; i => i\" b /. c", "(a +* \"i; i => i\" b) /. c");
    same("a < b + c", "a < (b + c)");
    same("-a + b", "(-a) + b");
    same("relu -1", "relu (-1)");
    same("where a b c + d", "(where a b c) + d");
    same("where(a, b, c)", "where a b c");
    same("a + let b = c in b + d", "a + (let b = c in (b + d))");
}

/// Which constraints an operation makes, as (operand, kind) pairs and signs.
fn table(text: &str) -> Vec<String> {
    let generated = generate(&read(text)).expect("as expected");
    let operation = generated.operations.last().expect("as expected");
    let rows = |i: usize| {
        let (phi, origin) = (&generated.constraints[i], &generated.origins[i]);
        assert_eq!(origin.operation, Some(generated.operations.len() - 1));
        format!("{:?} {} {}", origin.operand, origin.kind, generated.names.show(phi))
    };
    operation.constraints.clone().map(rows).collect()
}

#[test]
fn the_table_of_constraints() {
    let declared = "input a\ninput b\ninput c\n";
    let of = |text: &str| table(&format!("{declared}{{ r }} =: {text}"));
    assert_eq!(
        of("a + b"),
        [
            "Argument(0) batch ⟨r'batch⟩ ⊑ ⟨a'batch⟩",
            "Argument(0) input ⟨r'input⟩ ⊑ ⟨a'input⟩",
            "Argument(0) output ⟨r'output⟩ ⊑ ⟨a'output⟩",
            "Argument(1) batch ⟨r'batch⟩ ⊑ ⟨b'batch⟩",
            "Argument(1) input ⟨r'input⟩ ⊑ ⟨b'input⟩",
            "Argument(1) output ⟨r'output⟩ ⊑ ⟨b'output⟩",
        ]
    );
    assert_eq!(
        of("a ~logic:\"T\""),
        [
            "Argument(0) batch ⟨r'batch⟩ ⊑ ⟨a'batch⟩",
            "Argument(0) output ⟨r'input⟩ ⊑ ⟨a'output⟩",
            "Argument(0) input ⟨r'output⟩ ⊑ ⟨a'input⟩",
        ]
    );
    let compose = [
        "Argument(0) batch ⟨r'batch⟩ ⊑ ⟨a'batch⟩",
        "Argument(1) batch ⟨r'batch⟩ ⊑ ⟨b'batch⟩",
        "Argument(1) input ⟨r'input⟩ ⊑ ⟨b'input⟩",
        "Argument(0) output ⟨r'output⟩ ⊑ ⟨a'output⟩",
        "Between(0, 1) output ⟨a'input⟩ ⊑ ⟨b'output⟩",
    ];
    assert_eq!(of("a * b ~logic:\"@\""), compose);
    let accumulate = [
        "Argument(2) batch ⟨r'batch⟩ ⊑ ⟨c'batch⟩",
        "Argument(2) input ⟨r'input⟩ ⊑ ⟨c'input⟩",
        "Argument(2) output ⟨r'output⟩ ⊑ ⟨c'output⟩",
    ];
    assert_eq!(of("fma a b c ~logic:\"@\""), [&compose[..], &accumulate[..]].concat());
    assert_eq!(of("where a b c").len(), 9);
    let slice = table("input a\nlet r = a @| t");
    assert_eq!(
        slice,
        [
            "Argument(0) batch ⟨a'batch⟩ ≈ [?6]·⟨?3⟩",
            "Argument(0) input ⟨?4⟩ ≈ ⟨a'input⟩",
            "Argument(0) output ⟨?5⟩ ≈ ⟨a'output⟩",
        ]
    );
    assert_eq!(
        of("a * b ~logic:\"...|ij; j...k->l => ...|i->l\""),
        [
            "Argument(0) batch ⟨?12⟩ ≈ ⟨a'batch⟩",
            "Argument(0) input []·⋄·[] ≈ ⟨a'input⟩",
            "Argument(0) output []·⋄·[?13,?14] ≈ ⟨a'output⟩",
            "Argument(1) batch []·⋄·[] ≈ ⟨b'batch⟩",
            "Argument(1) input [?14]·⟨?16⟩·[?15] ≈ ⟨b'input⟩",
            "Argument(1) output []·⋄·[?17] ≈ ⟨b'output⟩",
            "Result batch ⟨?12⟩ ≈ ⟨r'batch⟩",
            "Result input []·⋄·[?13] ≈ ⟨r'input⟩",
            "Result output []·⋄·[?17] ≈ ⟨r'output⟩",
        ]
    );
}

#[test]
fn applications_are_fresh_and_parameters_outside_are_shared() {
    let inference = inferred(
        "param shared: ... -> 4
fn f(x) = shared * x + { own: ... -> ... } * x
input a: 5
input b: 5
let y = f(a)
let z = f(b) + [1, 2, 3, 4]
",
    );
    assert_eq!(inference.show("shared").as_deref(), Some("5 -> 4"));
    assert_eq!(inference.show("f#1.own").as_deref(), Some("5 -> 4"));
    assert!(inference.shape("f#2.own").is_some());
    let shared = refused("param w: 5 -> 5\nfn f(x) = w * x\ninput a: 5\ninput b: 6\nlet y = f(a)\nlet z = f(b)\n");
    assert!(shared.contains("in the application `f(b)`, line 6"), "{shared}");
    // Inside one application nothing is shared with another.
    inferred("fn f(x) = { w: ... -> 3 } * x\ninput a: 5\ninput b: 6\nlet y = f(a)\nlet z = f(b)\n");
}

#[test]
fn what_is_known_before_closing() {
    let text = "input x: n | 784\nlet y = { w: ... -> 64 } * x + { b }\n";
    let known = partial(&read(text), Policy::default()).expect("as expected");
    assert_eq!(known.show("y").as_deref(), Some("..., ? | ... -> ..., 64"));
    assert_eq!(known.show("b").as_deref(), Some("... -> ..."));
    let inference = inferred(text);
    assert_eq!(inference.show("y").as_deref(), Some("1∅ | 64"));
    let said: Vec<String> = inference.assumptions().into_iter().map(|a| a.text).collect();
    assert!(said.iter().any(|text| text.starts_with("output row of `b`: []·⋄·[64] (CL-leaf")), "{said:#?}");
    assert!(said.iter().any(|text| text.starts_with("batch axis 1 of `x`: 1∅ (CL-bare")), "{said:#?}");
}

#[test]
fn logics_of_operators() {
    let logic = |expr: &str| {
        let text = format!("input a\ninput b\ninput c\nlet r = {expr}");
        generate(&read(&text)).expect("as expected").operations.last().expect("as expected").logic
    };
    for op in ["+", "-", "*.", "/.", "**.", "<", "=", "<>"] {
        assert_eq!(logic(&format!("a {op} b")), Logic::Pointwise, "{op}");
    }
    for op in ["relu", "exp", "log", "sin", "cos", "sqrt", "tanh", "recip", "neg", "not"] {
        assert_eq!(logic(&format!("{op} a")), Logic::Pointwise, "{op}");
        assert_eq!(logic(&format!("{op} \"ij => ji\" a")), Logic::Permute, "{op}");
    }
    assert_eq!(logic("a * b"), Logic::Compose);
    assert_eq!(logic("fma a b c"), Logic::ComposeAccumulate);
    assert_eq!(logic("where a b c"), Logic::Pointwise);
    for op in ["+*", "+++", "@^+"] {
        assert_eq!(logic(&format!("a {op} \"i; i => i\" b")), Logic::Einsum, "{op}");
    }
    assert_eq!(logic("a ++ \"i => 0\""), Logic::Permute);
    assert_eq!(logic("a @^^ \"i => 0\""), Logic::Permute);
    assert_eq!(logic("(a, b) ++^ \"i; i => i\""), Logic::Block);
    assert_eq!(logic("a @| t"), Logic::Slice);
}

// Specifications.

#[test]
fn both_lexical_modes() {
    let spec = |text: &str| text.parse::<Spec>().unwrap_or_else(|e| panic!("{}", e.render(text)));
    let canonical = |text: &str| spec(text).to_string();
    assert_eq!(canonical("i12 => i"), "i12 => i");
    assert_eq!(canonical("i 1 2 => i"), "i1 2 => i");
    assert_eq!(canonical("row, col => col, row"), "row,col => col,row");
    assert_eq!(canonical("row, => row"), "row, => row");
    assert_eq!(canonical("a, ..., b, | -> x => ...b"), spec("a...b|x, => ...,b").to_string());
    assert_eq!(canonical("ab => ba"), "ab => ba");
    assert_eq!(canonical("...|...->... => 0"), "...|...->... => 0");
    assert_eq!(canonical("..batch.., | i => i"), "...|i => i");
    assert_eq!(canonical("..b..|i => i ..b.."), "..b..|i => i ..b..");
    assert_eq!(canonical("2*o=+1+3*k => o"), "2*o=+1+3*k => o");
    assert_eq!(canonical("o<+k; k => o"), "o<+k; k => o");
    assert_eq!(canonical("a^b => a"), "a^b => a");
    // A kind that is not written is the closed empty row.
    assert_eq!(spec("i => i"), spec("|->i => |i"));
}

#[test]
fn specifications_are_refused_at_the_place() {
    let caret = |text: &str| {
        let error = text.parse::<Spec>().expect_err("refused");
        (error.span.start, error.problem.to_string())
    };
    assert_eq!(caret("ij").0, 2);
    assert_eq!(caret("i => j => k"), (7, "a second `=>`: one result stands on the right of one `=>`".to_owned()));
    assert_eq!(caret("i => j; k").0, 6);
    assert_eq!(caret("i -> j -> k => i").0, 7);
    assert_eq!(caret("i | j | k => i").0, 6);
    assert_eq!(caret("i -> j | k => i").0, 2);
    assert_eq!(caret("i, , j => i").0, 3);
    assert_eq!(caret(", i => i").0, 0);
    assert_eq!(caret("i..j => i").0, 5);
    assert_eq!(caret("..rs.. => i").0, 3);
    assert_eq!(caret("..i.. i => i").0, 6);
    assert_eq!(caret("99999999999999999999 => 0").0, 0);
    assert_eq!(caret("2* => i").0, 3);
    assert_eq!(caret("o<k => i").0, 2);
    assert_eq!(caret("a^ => a").0, 3);
}

#[derive(Clone, Debug)]
struct AnySpec(Spec);

fn pick<T: Clone>(g: &mut Gen, from: &[T]) -> T {
    g.choose(from).expect("as expected").clone()
}

fn below(g: &mut Gen, n: u64) -> u64 {
    u64::arbitrary(g) % n
}

fn any_axis(g: &mut Gen, long: bool) -> Axis {
    let labels: &[&str] = if long { &["i", "row", "c_2"] } else { &["i", "j", "k"] };
    let label = |g: &mut Gen| pick(g, labels).to_owned();
    let factor = |g: &mut Gen| match below(g, 3) {
        0 => None,
        1 => Some(Factor::Number(below(g, 5))),
        _ => Some(Factor::Name("s".to_owned())),
    };
    match below(g, if long { 8 } else { 4 }) {
        0 => Axis::Fixed(below(g, 12)),
        1 => Axis::Anonymous,
        4 => Axis::Concat((0..2 + below(g, 2)).map(|_| label(g)).collect()),
        5 => {
            let offset = if bool::arbitrary(g) { Some(below(g, 4)) } else { None };
            let stride = Some(factor(g).unwrap_or(Factor::Number(2)));
            Axis::Affine(Affine { stride, over: label(g), offset, kernel: None })
        }
        6 => {
            let offset = if bool::arbitrary(g) { Some(below(g, 4)) } else { None };
            let kernel = Kernel { padded: bool::arbitrary(g), dilation: factor(g), label: label(g) };
            Axis::Affine(Affine { stride: factor(g), over: label(g), offset, kernel: Some(kernel) })
        }
        _ => Axis::Label(label(g)),
    }
}

impl Arbitrary for AnySpec {
    fn arbitrary(g: &mut Gen) -> Self {
        let long = bool::arbitrary(g);
        let row = |g: &mut Gen, kind: Kind| {
            let flank = |g: &mut Gen| (0..below(g, 3)).map(|_| any_axis(g, long)).collect::<Vec<_>>();
            let var = match below(g, 3) {
                0 => None,
                1 => Some(kind.name().to_owned()),
                _ => Some(if long { pick(g, &["rows", "r", "batch"]) } else { "r" }.to_owned()),
            };
            let lead = if var.is_some() { flank(g) } else { Vec::new() };
            SpecRow { lead, var, trail: flank(g) }
        };
        let slot = |g: &mut Gen| SpecSlot {
            batch: row(g, Kind::Batch),
            input: row(g, Kind::Input),
            output: row(g, Kind::Output),
        };
        let operands = (0..1 + below(g, 3)).map(|_| slot(g)).collect();
        AnySpec(Spec { operands, result: slot(g) })
    }
}

#[test]
fn specifications_are_read_back_as_printed() {
    sampled("specifications_are_read_back_as_printed", 20_000, |AnySpec(spec): AnySpec| {
        let text = spec.to_string();
        let again = text.parse::<Spec>().unwrap_or_else(|e| panic!("{}", e.render(&text)));
        again == spec && again.to_string() == text
    });
}

#[test]
fn no_text_makes_the_readers_panic() {
    sampled("no_text_makes_the_readers_panic", 20_000, |pieces: Vec<u8>| {
        const PIECES: [&str; 40] = [
            "input ", "param ", "let ", "fn ", "x", "y", "w", " = ", "\n", "\n", "(", ")", "+", "*", "*.", "++", "+*",
            "\"", "=>", "...", "..", "|", "->", ",", "[", "]", "{", "}", "relu ", "where ", "3", "0", "1e9", ":",
            "~logic:", "=:+", "in ", "@|", "∅", "#",
        ];
        let text: String = pieces.iter().map(|i| PIECES[usize::from(*i) % PIECES.len()]).collect();
        let _ = text.parse::<Spec>();
        match parse(&text) {
            Err(error) => !error.render(&text).is_empty(),
            Ok(program) => match infer(&program) {
                Ok(inference) => is_solution(&inference),
                Err(error) => !error.render(&text).is_empty(),
            },
        }
    });
}

// Random programs.

/// A program as statements with what each one uses, so that they can be put into another order.
#[derive(Clone, Debug)]
struct AnyProgram {
    /// Name, text, names used.
    statements: Vec<(String, String, Vec<String>)>,
    seed: u64,
}

const UNARY: [&str; 6] = ["relu", "exp", "tanh", "sqrt", "neg", "not"];
const BINARY: [&str; 6] = ["+", "-", "*.", "/.", "<", "*"];
/// Every row that a specification writes has `...`.
const PERMUTE: [&str; 8] = [
    "...|...->... => ...|...->0",
    "...|...->... => ...|...->...",
    "...|i...->... => ...|...->...",
    "...|...->...i => ...|...->i...",
    "...|...->i...j => ...|...->j...i",
    "...|...->... => ...|0->...",
    "...|..r..->... => ...|..r..->0",
    "...|...->ij... => ...|j->i...",
];
const EINSUM: [&str; 6] = [
    "...|...->i...; ...|...->i... => ...|...->...",
    "...|...->...i; ...|...->...j => ...|...->...ij",
    "...|...->...; ...|...->... => ...|...->0",
    "...|i->...; ...|...->i => ...|...->...",
    "...|...->..r..; ...|...->..r.. => ...|...->..r..",
    "...|...->i; ...|...->j => ...|i->j",
];

fn any_row(g: &mut Gen, open: u64) -> String {
    let axis = |g: &mut Gen| pick(g, &["2", "3", "3:rgb", "n", "m", "?", "unit"]).to_owned();
    let mut axes: Vec<String> = (0..below(g, 3)).map(|_| axis(g)).collect();
    if below(g, 10) < open {
        let at = usize::try_from(below(g, axes.len() as u64 + 1)).expect("as expected");
        axes.insert(at, "...".to_owned());
    }
    axes.join(", ")
}

impl Arbitrary for AnyProgram {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut statements: Vec<(String, String, Vec<String>)> = Vec::new();
        for i in 0..1 + below(g, 3) {
            let (role, name) = (pick(g, &["input", "input", "const", "param"]), format!("x{i}"));
            let shape = match below(g, 4) {
                0 => String::new(),
                _ => format!(": {} | {} -> {}", any_row(g, 2), pick(g, &["", "2", "..."]), any_row(g, 3)),
            };
            statements.push((name.clone(), format!("{role} {name}{shape}"), Vec::new()));
        }
        for i in 0..1 + below(g, 5) {
            let known: Vec<String> = statements.iter().map(|s| s.0.clone()).collect();
            let (a, b, name) = (pick(g, &known), pick(g, &known), format!("y{i}"));
            let (value, uses) = match below(g, 10) {
                0 | 1 => (format!("{} {a}", pick(g, &UNARY)), vec![a]),
                2..=4 => (format!("{a} {} {b}", pick(g, &BINARY)), vec![a, b]),
                5 => (format!("{a} ++ \"{}\"", pick(g, &PERMUTE)), vec![a]),
                6 => (format!("{a} +* \"{}\" {b}", pick(g, &EINSUM)), vec![a, b]),
                7 => (format!("{a} @| {}", pick(g, &["t", "0"])), vec![a]),
                8 => (format!("{{ w{i}{} }} * {a}", pick(g, &["", ": ... -> 5", ": ... -> 2, 3"])), vec![a]),
                _ => (format!("where {a} {b} 0"), vec![a, b]),
            };
            statements.push((name.clone(), format!("let {name} = {value}"), uses));
        }
        AnyProgram { statements, seed: u64::arbitrary(g) }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let it = self.clone();
        let without = (0..it.statements.len()).rev().filter_map(move |i| {
            let name = &it.statements[i].0;
            let used = it.statements.iter().any(|s| s.2.contains(name));
            let mut statements = it.statements.clone();
            statements.remove(i);
            (!used && !statements.is_empty()).then_some(AnyProgram { statements, seed: it.seed })
        });
        Box::new(without)
    }
}

impl AnyProgram {
    fn text(&self) -> String {
        self.statements.iter().map(|s| s.1.clone() + "\n").collect()
    }

    /// Another order in which everything is defined before it is used.
    fn reordered(&self) -> String {
        let (mut rest, mut random, mut text) = (self.statements.clone(), self.seed, String::new());
        let mut defined: Vec<String> = Vec::new();
        while !rest.is_empty() {
            let ready: Vec<usize> =
                (0..rest.len()).filter(|i| rest[*i].2.iter().all(|used| defined.contains(used))).collect();
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let next = ready[usize::try_from((random >> 33) % ready.len() as u64).expect("as expected")];
            let (name, statement, _) = rest.remove(next);
            defined.push(name);
            text += &(statement + "\n");
        }
        text
    }
}

/// The shapes of a program by name, without markers; none if it has none.
fn flat_shapes(inference: &Inference) -> BTreeMap<String, String> {
    inference
        .named()
        .into_iter()
        .map(|(name, _)| (name.to_owned(), inference.show(name).expect("as expected")))
        .collect()
}

fn outcome(text: &str) -> Result<BTreeMap<String, String>, InferError> {
    infer(&read(text)).map(|inference| flat_shapes(&inference))
}

static INFERRED: AtomicU64 = AtomicU64::new(0);

#[test]
fn closed_shapes_satisfy_every_constraint() {
    sampled("closed_shapes_satisfy_every_constraint", 30_000, |program: AnyProgram| {
        let text = program.text();
        let program = read(&text);
        match infer(&program) {
            Err(error) => !error.render(&text).is_empty(),
            Ok(inference) => {
                INFERRED.fetch_add(1, Ordering::Relaxed);
                is_solution(&inference) && goes_on(&program, &inference)
            }
        }
    });
    let inferred = INFERRED.load(Ordering::Relaxed);
    println!("closed_shapes_satisfy_every_constraint: {inferred} of 30,000 programs have shapes");
    assert!(inferred >= 10_000, "{inferred} of 30,000 programs have shapes: too few to say anything");
}

#[test]
fn programs_are_read_back_as_printed() {
    sampled("programs_are_read_back_as_printed", 10_000, |program: AnyProgram| {
        let parsed = read(&program.text());
        let (text, again) = parsed.placed().expect("as expected");
        let json = serde_json::to_string(&parsed).expect("JSON");
        again == parsed && again.to_string() == text && serde_json::from_str::<Program>(&json).expect("JSON") == parsed
    });
}

#[test]
fn names_do_not_matter() {
    sampled("names_do_not_matter", 10_000, |program: AnyProgram| {
        let text = program.text();
        // Tensors are x0, y0, w0 …: other letters, in another order of the alphabet.
        let mut renamed = String::new();
        let mut quoted = false;
        for (i, c) in text.char_indices() {
            quoted ^= c == '"';
            let next = text[i + 1..].chars().next().unwrap_or(' ');
            renamed.push(match c {
                'x' | 'y' | 'w' if !quoted && next.is_ascii_digit() => match c {
                    'x' => 'v',
                    'y' => 'b',
                    _ => 'a',
                },
                c => c,
            });
        }
        let shapes = |text: &str| outcome(text).ok().map(|shapes| shapes.into_values().collect::<Vec<_>>());
        let sorted = |text: &str| {
            let mut shapes = shapes(text);
            shapes.iter_mut().for_each(|s| s.sort());
            shapes
        };
        sorted(&text) == sorted(&renamed)
    });
}

/// Statements in another order: the same shapes, but for the few programs of spec/findings/F16.md.
#[test]
fn the_order_of_statements() {
    static SAME: AtomicU64 = AtomicU64::new(0);
    static OTHER: AtomicU64 = AtomicU64::new(0);
    static ONE: AtomicU64 = AtomicU64::new(0);
    sampled("the_order_of_statements", 100_000, |program: AnyProgram| {
        let (first, second) = (program.text(), program.reordered());
        match (outcome(&first), outcome(&second)) {
            (Ok(a), Ok(b)) => {
                let counter = if a == b { &SAME } else { &OTHER };
                counter.fetch_add(1, Ordering::Relaxed);
                // Where markers stand matters only to slices and to axes before an ellipsis.
                a == b
                    || first.contains("@|")
                    || first.contains("->i")
                    || first.contains("|i")
                    || first.contains("->...i")
            }
            (Err(_), Err(_)) => true,
            (Ok(_), Err(_)) | (Err(_), Ok(_)) => {
                ONE.fetch_add(1, Ordering::Relaxed);
                true
            }
        }
    });
    let [same, other, one] = [&SAME, &OTHER, &ONE].map(|n| n.load(Ordering::Relaxed));
    println!("the_order_of_statements: the same shapes {same}, other shapes {other}, shapes in one order only {one}");
    assert!(same >= 40_000, "too few programs have shapes");
    assert!(other + one <= 100, "the order matters more often than spec/findings/F16.md says");
}

#[test]
fn finding_a_slice_makes_the_order_of_statements_matter() {
    let shapes = |middle: &str| {
        let text = format!("input x: 3 | 2\ninput y\n{middle}let z = x + y\n");
        inferred(&text).show("z").expect("as expected")
    };
    let (slice, einsum) = ("let s = y @| t\n", "let e = x +* \"...|...; ...|... => ...|...\" y\n");
    assert_eq!(shapes(&format!("{einsum}{slice}")), "3 | 2");
    assert_eq!(shapes(&format!("{slice}{einsum}")), "3, 3 | 2");
}

/// A program whose inputs all have one batch axis, or one more in front of it.
fn with_batch(program: &AnyProgram, batch: &str) -> String {
    let line = |(name, text, uses): &(String, String, Vec<String>)| {
        let declared = uses.is_empty();
        match text.split_once(": ").filter(|_| declared) {
            Some((head, shape)) if !head.starts_with("param") => {
                let rest = shape.split_once(" | ").map_or(shape, |(_, rest)| rest);
                format!("{head}: {batch} | {rest}\n")
            }
            _ if declared => format!("param {name}: ... -> ...\n"),
            _ => text.clone() + "\n",
        }
    };
    program.statements.iter().map(line).collect()
}

#[test]
fn a_batch_axis_in_front_changes_only_batch_rows() {
    static COMPARED: AtomicU64 = AtomicU64::new(0);
    sampled("a_batch_axis_in_front_changes_only_batch_rows", 30_000, |mut program: AnyProgram| {
        // A slice takes the axis in front: that is the one thing that is not written with `...`.
        program.statements.retain(|s| !s.1.contains("@|"));
        let names: Vec<String> = program.statements.iter().map(|s| s.0.clone()).collect();
        while let Some(i) = program.statements.iter().position(|s| s.2.iter().any(|used| !names.contains(used))) {
            program.statements.remove(i);
        }
        let known: Vec<String> = program.statements.iter().map(|s| s.0.clone()).collect();
        if program.statements.iter().any(|s| s.2.iter().any(|used| !known.contains(used))) {
            return true;
        }
        let (plain, batched) = (with_batch(&program, "5"), with_batch(&program, "7, 5"));
        let (Ok(plain), Ok(batched)) = (infer(&read(&plain)), infer(&read(&batched))) else {
            return infer(&read(&plain)).is_err() == infer(&read(&batched)).is_err();
        };
        COMPARED.fetch_add(1, Ordering::Relaxed);
        plain.named().into_iter().all(|(name, before)| {
            let after = batched.shape(name).expect("as expected");
            let in_front =
                before.batch.rank() + 1 == after.batch.rank() && after.batch.flat().skip(1).eq(before.batch.flat());
            before.input.flat_eq(&after.input)
                && before.output.flat_eq(&after.output)
                && (before.batch.flat_eq(&after.batch) || in_front)
        })
    });
    let compared = COMPARED.load(Ordering::Relaxed);
    println!("a_batch_axis_in_front_changes_only_batch_rows: {compared} programs have shapes");
    assert!(compared >= 5_000, "{compared}: too few to say anything");
}

#[test]
fn programs_of_the_specification_have_the_shapes_they_expect() {
    let page = std::fs::read_to_string(folder("../spec/program.md")).expect("as expected");
    let programs: Vec<&str> = page.split("```loz\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!programs.is_empty());
    for text in programs {
        assert!(check_expectations("spec/program.md", text) > 0);
    }
    let json = page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).expect("as expected");
    let program: Program = serde_json::from_str(json).expect("JSON");
    assert_eq!(infer(&program).expect("as expected").size("i"), Some(3));
}
