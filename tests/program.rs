//! The program as a child process: started in a folder, what it prints, and how it says what is
//! wrong.

use std::io::{self, ErrorKind, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Longer than anything takes on a busy machine; only a hang reaches it.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(120);

/// The program, which does not outlive the tests.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cardroom"));
    command.process_group(testing::process_group());
    command
}

/// The program in this folder, with nothing to read.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = program();
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs it to its end.
pub(crate) fn cardroom(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("the program runs")
}

/// The document printed with `--json` by a command that succeeds.
pub(crate) fn document(folder: &Path, arguments: &[&str]) -> Value {
    let output = cardroom(folder, &[arguments, &["--json"]].concat());
    let said = text(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    serde_json::from_slice(&output.stdout).expect("a document")
}

/// Waits until something is so. Panics where it does not become so.
pub(crate) fn wait_until(what: &str, mut so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !so() {
        assert!(begun.elapsed() < TIMEOUT, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until something is so that a running process is to bring about.
pub(crate) fn wait_for(child: &mut Child, what: &str, mut so: impl FnMut() -> bool) {
    wait_until(what, || {
        let so = so();
        assert!(so || child.try_wait().expect("a child").is_none(), "it ended before {what}");
        so
    });
}

/// Reads some bytes. A read with a time limit may be interrupted, which is no failure.
pub(crate) fn read_some(stream: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    loop {
        match stream.read(bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// Sends a process a signal, such as `INT`.
pub(crate) fn send(signal: &str, process: u32) {
    let sent = Command::new("kill").args(["-s", signal, &process.to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

/// Waits until a process has begun to listen to Ctrl-C.
#[cfg(target_os = "linux")]
pub(crate) fn wait_until_it_listens(process: u32) {
    const INTERRUPT: u64 = 1 << (2 - 1);
    wait_until("it listens to Ctrl-C", || {
        let status = std::fs::read_to_string(format!("/proc/{process}/status"));
        let status = status.expect("a process that runs");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.expect("a line").trim(), 16).expect("digits");
        caught & INTERRUPT != 0
    });
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
