//! Fuzz target `notation`: see `lozenge_harnesses::fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(init: lozenge_fuzz::seed("notation"), |bytes: &[u8]| lozenge_harnesses::fuzz::notation(bytes));
