//! Prop. 7.6 of blocks: what is said of their writes, against every point and operand.

use lozenge::program::{infer, parse};
use lozenge::projection::affine::address;
use lozenge::projection::{Address, Projections, Slot, Writes, project};
use lozenge_harnesses::cases::Cases;
use std::collections::BTreeMap;

const LABELS: [(&str, u64); 3] = [("i", 2), ("j", 1), ("k", 3)];
const SLOTS: [&str; 12] =
    ["i", "j", "k", "i^j", "j^k", "i^j^k", "i, j", "j, k", "i^j, k", "i, j^k", "i^j, i^j", "i^k, j^k"];

/// Two operands that are joined, each label with its size where the specification has it.
fn program(first: &str, second: &str, result: &str, times: u64) -> String {
    let used = |name: &str| [first, second, result].iter().any(|slot| slot.contains(name));
    let labels: Vec<(&str, u64)> = LABELS.into_iter().filter(|(name, _)| used(name)).collect();
    let names: Vec<String> = labels.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    let sizes: Vec<String> = labels.iter().map(|(name, n)| format!("{name} = {}\n", n * times)).collect();
    let spec = format!("\"{first}; {second} => {result}\" [{}]", names.join("; "));
    format!("input a\ninput b\nlet v = (a, b) ++^ {spec}\n{}", sizes.concat())
}

/// How often each cell is written: at a point, once for each operand that has a place there.
fn written(record: &Projections) -> Vec<u32> {
    let externals = BTreeMap::new();
    let size: u64 = record.lhs.iter().map(|axis| axis.size).product();
    let mut cells = vec![0; usize::try_from(size).expect("small")];
    let factors = record.factors();
    let mut point = record.first_point();
    while let Some(at) = &mut point {
        if let Address::Cell(cell) = address(record.map(Slot::Lhs), at, &externals) {
            let places = record.rhs.iter().filter(|map| address(map, at, &externals) != Address::Nowhere);
            cells[cell] += u32::try_from(places.count()).expect("two");
        }
        if !record.next_point(&factors, at) {
            break;
        }
    }
    cells
}

#[test]
fn prop_7_6_of_blocks() {
    let cases = Cases::of("prop_7_6_of_blocks");
    let (mut twice, mut gaps) = (0, 0);
    for (first, second) in SLOTS.iter().flat_map(|first| SLOTS.map(|second| (first, second))) {
        for result in SLOTS {
            let text = program(first, second, result, 1);
            let Ok(inferred) = infer(&parse(&text).unwrap_or_else(|e| panic!("{}", e.render(&text)))) else { continue };
            let logic = inferred.generated.operations[0].logic;
            let Ok(it) = project(&inferred, 0) else { continue };
            let cells = written(&it.record);
            let writes = Writes::of(&it.record, logic);
            assert_eq!(writes.injective, cells.iter().all(|n| *n <= 1), "{text}{cells:?}");
            assert_eq!(writes.surjective, cells.iter().all(|n| *n >= 1), "{text}{cells:?}");
            twice += u64::from(!writes.injective);
            gaps += u64::from(!writes.surjective);
            cases.one();
            // Too many cells to look at each: what is said then is as true, if not always as much.
            let large = program(first, second, result, 6_000);
            let inferred = infer(&parse(&large).expect("as before")).expect("as before");
            let large = Writes::of(&project(&inferred, 0).expect("as before").record, logic);
            assert!(writes.injective || !large.injective, "{text}");
            assert!(writes.surjective || !large.surjective, "{text}");
        }
    }
    assert!(twice > 50 && gaps > 50, "{twice} {gaps}");
    cases.finish();
}
