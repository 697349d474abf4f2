//! Fuzz target `request`: see `lozenge_harnesses::fuzz`.
#![no_main]

use lozenge_oracle::readers;
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lozenge_harnesses::fuzz::request(bytes, readers::answer));
