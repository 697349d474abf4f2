//! Fuzz target `spec`: see `lozenge_harnesses::fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(init: lozenge_fuzz::seed("spec"), |bytes: &[u8]| lozenge_harnesses::fuzz::spec(bytes));
