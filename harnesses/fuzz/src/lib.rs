//! What the fuzz targets share.
#![forbid(unsafe_code)]

use lozenge_harnesses::fuzz::seeds;
use std::path::Path;

/// Writes the seeds of a target to the folder that `LOZENGE_SEEDS` names; without it nothing is written.
///
/// # Panics
/// When the folder cannot be written.
pub fn seed(target: &str) {
    if let Some(folder) = std::env::var_os("LOZENGE_SEEDS") {
        seeds::write(target, Path::new(&folder)).expect("seeds are written");
    }
}
