//! What the tests of several crates share.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;

/// Whether the environment asks for exhaustive sizes: `CARDROOM_EXHAUSTIVE=1`.
///
/// Tests that could go through all cards, all hands or all rules look at a sample without it.
pub fn exhaustive() -> bool {
    std::env::var_os("CARDROOM_EXHAUSTIVE").is_some_and(|value| value == "1")
}

/// The size of a test: `all` where the environment asks for exhaustive sizes, otherwise `usual`.
pub fn size<T>(usual: T, all: T) -> T {
    if exhaustive() { all } else { usual }
}

/// The process group of the programs that tests start (`Command::process_group`): all of it ends
/// with the tests, however they end.
///
/// Its first process is a shell that waits for the end of its input, which comes when this process
/// ends, and then kills the group.
pub fn process_group() -> i32 {
    static FIRST: LazyLock<Child> = LazyLock::new(|| {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "read -r line; kill -s KILL 0"]).process_group(0);
        shell.stdin(Stdio::piped()).spawn().expect("a shell")
    });
    FIRST.id().cast_signed()
}
