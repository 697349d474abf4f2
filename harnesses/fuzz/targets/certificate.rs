//! Fuzz target `certificate`: see `lozenge_harnesses::fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lozenge_harnesses::fuzz::certificate(bytes));
