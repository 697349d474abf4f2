//! The command `lozenge`. What it does is in the library beside it.
#![forbid(unsafe_code)]

#[cfg(not(target_family = "wasm"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    lozenge_oracle::main()
}
