//! Fuzz target `json_program`: see `lozenge_harnesses::fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(init: lozenge_fuzz::seed("json_program"), |bytes: &[u8]| lozenge_harnesses::fuzz::json_program(bytes));
