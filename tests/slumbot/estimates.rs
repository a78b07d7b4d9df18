//! The estimates at the end of `cardroom play slumbot`, left before they are made.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use logs::LedgerReader;

use super::{Host, cardroom, text};

#[test]
fn ctrl_c_leaves_the_estimates_and_loses_nothing() {
    let (at_host, at_run) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let host = Host::start(at_host.path(), None);
    let mut command = cardroom(at_run.path());
    command.args(["play", "slumbot", "--agent", "random", "--host", &host.url]);
    command.args(["--hands", "1500", "--out", "run"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    // The result comes before the estimates, which take seconds.
    let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut line = String::new();
    out.read_line(&mut line).expect("text");
    assert!(line.contains("1500 hands"), "{line}");
    let pressed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(pressed.expect("kill runs").success());
    out.read_to_string(&mut line).expect("text");
    let output = child.wait_with_output().expect("it ends");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("leaving the estimates"), "{said}");
    assert!(said.contains("all 1500 hands are played and kept"), "{said}");
    assert!(said.contains("for the estimates: cardroom stats run"), "{said}");
    assert!(line.contains("raw") && !line.contains("combined"), "{line}");
    let reader = LedgerReader::open(&at_run.path().join("run")).expect("a ledger");
    assert_eq!(reader.count().expect("it reads"), 1500);
}
