//! The program as a child process: started in a folder, what it prints, and how it says what is wrong.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The program in this folder, with nothing to read.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cardroom"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs it to its end.
pub(crate) fn cardroom(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("the program runs")
}

/// What it prints with `--json`, when it succeeds.
pub(crate) fn document(folder: &Path, arguments: &[&str]) -> Value {
    let output = cardroom(folder, &[arguments, &["--json"]].concat());
    let said = text(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    serde_json::from_slice(&output.stdout).expect("a document")
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Ends as expected, the last line on the error stream with this text.
pub(crate) fn check_failure(output: &Output, code: i32, expected: &str) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}");
    let last = said.lines().last().unwrap_or_default();
    assert!(last.starts_with("error: ") && last.contains(expected), "{said}");
    assert!(!said.contains("panicked"), "{said}");
}
