//! Fuzz target `data`: see `lozenge_harnesses::fuzz`.
#![no_main]

use lozenge_oracle::readers;
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lozenge_harnesses::fuzz::data(bytes, readers::npy, readers::write_npy, readers::answer));
