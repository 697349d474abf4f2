//! The table of constraints.

use super::read;
use lozenge::program::generate;

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
}

#[test]
fn the_constraints_of_slices_and_specifications() {
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
        table("input a\ninput b\ninput c\n{ r } =: a * b ~logic:\"...|ij; j...k->l => ...|i->l\""),
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
