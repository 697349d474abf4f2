//! Fuzz target `json_program`: see `lozenge_harnesses::fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lozenge_harnesses::fuzz::json_program(bytes));
