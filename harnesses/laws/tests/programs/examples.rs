//! The examples, the broken programs, and those of the specification.

use super::{files, folder, goes_on, inferred, is_solution, read, told};
use lozenge::program::shape::{DeclaredAxis, Kind, Shape};
use lozenge::program::{Inference, Program, generate, infer, parse_shape};

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
        let message = told(&name, &text);
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
