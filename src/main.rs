//! The program `cardroom`.

use std::process::ExitCode;

/// musl's allocator makes matches take nearly twice as long.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cardroom::main()
}
