//! The wire format, version 1: round trips, its schema, and errors with their place.
#![allow(missing_docs)]

use lozenge::names::Names;
use lozenge::wire::{self, WireErrorKind};
use lozenge_harnesses::cases::sampled;
use lozenge_harnesses::generators::System;
use serde_json::{Value, json};

#[test]
fn wire_round_trip() {
    sampled("wire_round_trip", 20_000, |System { mut names, constraints }: System| {
        constraints.iter().all(|phi| {
            let json = wire::constraint(phi, &names);
            let text: Value = serde_json::from_str(&json.to_string()).expect("JSON");
            wire::read_constraint(&text, &mut names).as_ref() == Ok(phi)
        })
    });
}

#[test]
fn written_constraints_are_valid_by_the_schema() {
    let schema = jsonschema::validator_for(&wire::schema()).expect("a schema");
    // The schema is large for a static: each random run builds on one validator a thread.
    thread_local!(static SCHEMA: std::cell::RefCell<Option<jsonschema::Validator>> = const { std::cell::RefCell::new(None) });
    SCHEMA.with(|slot| *slot.borrow_mut() = Some(schema));
    sampled("written_constraints_are_valid_by_the_schema", 2_000, |System { names, constraints }: System| {
        SCHEMA.with(|slot| {
            let slot = slot.borrow();
            let schema = slot.as_ref().expect("set above");
            constraints.iter().all(|phi| schema.is_valid(&wire::constraint(phi, &names)))
        })
    });
}

#[test]
fn the_format_is_the_frozen_one() {
    let mut names = Names::new();
    for json in [
        json!({"eq": [3, {"var": "a"}]}),
        json!({"le": ["unit", {"n": 3, "basis": "rgb"}]}),
        json!({"le": [{"lead": [3], "var": "r", "trail": []}, {"lead": [], "trail": ["unit", {"var": "a"}]}]}),
    ] {
        let phi = wire::read_constraint(&json, &mut names).expect("a constraint");
        assert_eq!(wire::constraint(&phi, &names), json, "read and written unchanged");
    }
    let null = json!({"eq": [{"lead": [], "var": null, "trail": []}, {"lead": [], "trail": []}]});
    assert!(wire::read_constraint(&null, &mut names).is_ok(), "a null variable means closed");
    assert_eq!(
        wire::read_constraint(&json!({"eq": [{"n": 3, "basis": "default"}, 3]}), &mut names).map(|c| c.to_string()),
        Ok("3 = 3".to_owned())
    );
}

#[test]
fn refused_messages_name_the_place_and_the_schema_refuses_them_too() {
    let schema = jsonschema::validator_for(&wire::schema()).expect("a schema");
    for (json, at) in [
        (json!(3), ""),
        (json!({"ge": [3, 3]}), ""),
        (json!({"eq": [3, 3], "le": [3, 3]}), ""),
        (json!({"eq": [3]}), "/eq"),
        (json!({"eq": [0, 3]}), "/eq/0"),
        (json!({"eq": [3, -1]}), "/eq/1"),
        (json!({"eq": [3, 2.5]}), "/eq/1"),
        (json!({"eq": [3, "top"]}), "/eq/1"),
        (json!({"eq": [3, {"var": "0"}]}), "/eq/1/var"),
        (json!({"eq": [3, {"var": "a", "n": 3}]}), "/eq/1"),
        (json!({"eq": [3, {"n": 3}]}), "/eq/1"),
        (json!({"eq": [3, {"n": 3, "basis": ""}]}), "/eq/1/basis"),
        (json!({"le": [{"lead": []}, {"lead": [], "trail": []}]}), "/le/0"),
        (json!({"le": [{"lead": [3, 0], "trail": []}, {"lead": [], "trail": []}]}), "/le/0/lead/1"),
        (json!({"le": [{"lead": [], "trail": []}, {"lead": [], "trail": [], "rank": 0}]}), "/le/1"),
    ] {
        let error = wire::read_constraint(&json, &mut Names::new()).expect_err("not in the format");
        assert_eq!((error.at.as_str(), error.kind), (at, WireErrorKind::Parse), "{json}: {error}");
        assert!(!schema.is_valid(&json), "the schema refuses {json}");
    }
}

#[test]
fn mixed_sorts_are_an_error_of_their_own() {
    let mixed = json!({"le": [3, {"lead": [], "trail": []}]});
    let error = wire::read_constraint(&mixed, &mut Names::new()).expect_err("mixed sorts");
    assert_eq!((error.kind, error.at.as_str()), (WireErrorKind::Sort, "/le"));
    let both = json!({"le": [{"lead": [{"var": "x"}], "var": "x", "trail": []}, {"lead": [], "trail": []}]});
    let error = wire::read_constraint(&both, &mut Names::new()).expect_err("one name, two sorts");
    assert_eq!((error.kind, error.at.as_str()), (WireErrorKind::Sort, "/le/0/var"));
}

#[test]
fn sizes_past_64_bits_are_refused() {
    let json: Value = serde_json::from_str(r#"{"eq":[18446744073709551616,3]}"#).expect("JSON");
    let error = wire::read_constraint(&json, &mut Names::new()).expect_err("too large");
    assert_eq!(error.at, "/eq/0");
    let largest: Value = serde_json::from_str(r#"{"eq":[18446744073709551615,3]}"#).expect("JSON");
    assert!(wire::read_constraint(&largest, &mut Names::new()).is_ok());
}
