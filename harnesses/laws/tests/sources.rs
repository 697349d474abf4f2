//! Every shape, specification and statement that the source documents write (tests/sources).
#![allow(missing_docs)]

use lozenge::names::Names;
use lozenge::notation::parse_row;
use lozenge::program::einsum::Spec;
use lozenge::program::{infer, parse, parse_shape};
use lozenge_harnesses::programs::of_spec;

const SPECS: &str = include_str!("../../../tests/sources/specs.tsv");
const SHAPES: &str = include_str!("../../../tests/sources/shapes.tsv");
const ROWS: &str = include_str!("../../../tests/sources/rows.tsv");

/// The lines of a table, without its heading.
fn lines<const N: usize>(table: &'static str) -> Vec<[&'static str; N]> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let columns = |line: &'static str| -> [&'static str; N] {
        let all: Vec<&str> = line.split('\t').collect();
        all.try_into().unwrap_or_else(|all: Vec<&str>| panic!("{line}: {} columns", all.len()))
    };
    lines.map(columns).collect()
}

#[test]
fn shapes_are_read() {
    let shapes = lines::<3>(SHAPES);
    assert!(shapes.len() >= 24);
    for [place, shape, printed] in shapes {
        let read = parse_shape(shape).unwrap_or_else(|e| panic!("{place}: {}", e.render(shape)));
        assert_eq!(read.to_string(), printed, "{place}");
        assert_eq!(parse_shape(printed).as_ref(), Ok(&read), "{place}");
    }
}

#[test]
fn specifications_are_read() {
    let specs = lines::<5>(SPECS);
    assert!(specs.len() >= 25);
    for [place, spec, printed, ..] in specs {
        let read: Spec = spec.parse().unwrap_or_else(|e| panic!("{place}: {e:?}"));
        assert_eq!(read.to_string(), printed, "{place}");
        assert_eq!(printed.parse::<Spec>().as_ref(), Ok(&read), "{place}");
    }
}

#[test]
fn specifications_have_the_shapes_that_the_documents_say() {
    let specs = lines::<5>(SPECS);
    assert!(specs.len() >= 27);
    for [place, spec, _, operands, result] in specs {
        let text = of_spec(spec, operands);
        let program = parse(&text).unwrap_or_else(|e| panic!("{place}: {}", e.render(&text)));
        let inference = infer(&program).unwrap_or_else(|e| panic!("{place}: {}", e.render(&text)));
        assert_eq!(inference.show("r").as_deref(), Some(result), "{place}: {spec}");
    }
}

#[test]
fn rows_compare_as_the_documents_say() {
    let rows = lines::<4>(ROWS);
    assert!(rows.len() >= 10);
    for [place, result, operand, holds] in rows {
        let mut names = Names::new();
        let mut row = |text: &str| parse_row(text, &mut names).unwrap_or_else(|e| panic!("{place}: {text}: {e}"));
        let (result, operand) = (row(result), row(operand));
        assert_eq!(result.le(&operand), holds == "yes", "{place}");
    }
}
