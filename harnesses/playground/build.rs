//! The readers' limits on nesting count on the stack that systems give a process (spec/protocol.md); WebAssembly gives
//! an eighth of it unless asked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo:rustc-link-arg-cdylib=-zstack-size=8388608");
    }
}
