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

/// The rows of a table in a text: one a line, their cells parted by `=>`.
///
/// A line that is indented further goes on with the row before; `\n` in a cell is a new line, and
/// empty lines are nothing.
pub fn rows<const CELLS: usize>(text: &str) -> Vec<[String; CELLS]> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let least = lines.clone().map(indent).min().unwrap_or(0);
    let mut rows: Vec<String> = Vec::new();
    for line in lines {
        match rows.last_mut().filter(|_| indent(line) > least) {
            Some(row) => *row += &format!(" {}", line.trim()),
            None => rows.push(line.trim().to_owned()),
        }
    }
    let cells = |row: &String| {
        let cells = row.split("=>").map(|cell| cell.trim().replace("\\n", "\n"));
        let cells: Vec<String> = cells.collect();
        cells.try_into().unwrap_or_else(|_| panic!("`{row}` has not {CELLS} cells"))
    };
    rows.iter().map(cells).collect()
}

/// Numbers between -1 and 1 that look random.
pub fn numbers(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    let number = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    std::iter::repeat_with(number).take(count).collect()
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
