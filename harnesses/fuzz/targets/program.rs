//! Fuzz target `program`: see `lozenge_harnesses::fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(init: lozenge_fuzz::seed("program"), |bytes: &[u8]| lozenge_harnesses::fuzz::program(bytes));
