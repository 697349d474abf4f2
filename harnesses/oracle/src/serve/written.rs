//! The page for a static host: the same files, and WebAssembly that answers in the browser.

use super::{examples, site};
use crate::output::{Answer, Exit, Failure, Output, visible_path};
use crate::system::read_bytes;
use crate::whole::{make_folder, write_all};
use serde::Serialize;
use std::path::Path;

/// What a file of WebAssembly begins with.
const MAGIC: &[u8] = b"\0asm";

#[derive(Serialize)]
struct WrittenJson {
    folder: String,
    files: Vec<&'static str>,
}

/// Writes the files; each is whole or as it was.
pub fn write(folder: &Path, wasm: &Path, out: &mut Output) -> Answer {
    let shown = visible_path(folder);
    let code = read_bytes(wasm)?;
    if !code.starts_with(MAGIC) {
        let message = format!(
            "{} is no WebAssembly: build harnesses/playground with --target wasm32-unknown-unknown",
            visible_path(wasm)
        );
        return Err(Failure::input("parse", message));
    }
    make_folder(folder)?;
    let (style, examples) = (site::style(), examples::script()?);
    let files: [(&'static str, &[u8]); 7] = [
        ("index.html", site::INDEX.as_bytes()),
        ("page.css", style.as_bytes()),
        ("page.js", site::PAGE.as_bytes()),
        ("ask.js", site::ASK_WASM.as_bytes()),
        ("worker.js", site::WORKER.as_bytes()),
        ("examples.js", examples.as_bytes()),
        ("lozenge.wasm", &code),
    ];
    write_all(files.iter().map(|(name, bytes)| (folder.join(name), *bytes)))?;
    if out.json {
        out.json(&WrittenJson { folder: shown, files: files.map(|(name, _)| name).to_vec() })?;
    } else {
        out.line(&format!("{} files in {shown}: put them on a web server", files.len()))?;
    }
    Ok(Exit::Yes)
}
