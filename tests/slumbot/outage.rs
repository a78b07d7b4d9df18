//! `cardroom play slumbot` while its server is away: killed in the middle of a run, and started
//! again on the same port and folder, soon or too late.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Stdio};
use std::thread::sleep;
use std::time::Duration;

use logs::LedgerReader;
use serde_json::Value;

use super::{Host, cardroom, check_ledgers, play};
use crate::program::{text, wait_for};

const HANDS: u64 = 400;
const SESSIONS: u64 = 3;
/// The arguments of all runs here, but for the longest outage, which follows.
const ARGUMENTS: [&str; 16] = [
    "--agent",
    "random",
    "--hands",
    "400",
    "--sessions",
    "3",
    "--rate",
    "400",
    "--pause",
    "20ms",
    "--timeout",
    "5s",
    "--out",
    "run",
    "--json",
    "--give-up",
];

/// A run in the middle, and what it says.
struct Run {
    child: Child,
    said: BufReader<ChildStderr>,
}

impl Run {
    /// Begins, and waits until a quarter of the hands are played.
    fn begin(folder: &Path, url: &str, give_up: &str) -> Run {
        let mut command = cardroom(folder);
        command.args(["play", "slumbot", "--host", url]).args(ARGUMENTS).arg(give_up);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it runs");
        let said = BufReader::new(child.stderr.take().expect("it is piped"));
        let played = || LedgerReader::open(&folder.join("run")).ok()?.count().ok();
        wait_for(&mut child, "a quarter is played", || played().unwrap_or_default() >= HANDS / 4);
        Run { child, said }
    }

    /// The next line it says.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).expect("text");
        line.trim_end().to_owned()
    }

    /// The next line that begins so; on a busy machine others may come before it, of answers that
    /// take long.
    fn line_that(&mut self, begins: &str) -> String {
        loop {
            let line = self.line();
            assert!(!line.is_empty(), "no line begins with `{begins}`");
            if line.starts_with(begins) {
                return line;
            }
        }
    }

    /// All lines to come.
    fn lines(&mut self) -> Vec<String> {
        std::iter::repeat_with(|| self.line()).take_while(|line| !line.is_empty()).collect()
    }
}

fn number(summary: &Value, key: &str) -> u64 {
    summary[key].as_u64().unwrap_or_else(|| panic!("no number `{key}` in {summary:#}"))
}

/// The run is complete; the server has all its hands, and what is unknown are only hands whose
/// first answer was lost when the server was killed: no more than there are sessions.
fn check_complete(stdout: &[u8], run: &Path, host: &Path) -> Value {
    let summary: Value = serde_json::from_slice(stdout).expect("one JSON document");
    let (played, settled, unknown) = check_ledgers(&run.join("run"), host);
    assert_eq!(number(&summary, "played") + number(&summary, "settled"), HANDS, "{summary:#}");
    assert_eq!(number(&summary, "played"), played as u64);
    let counted = number(&summary, "settled") + number(&summary, "unseen_settled");
    assert_eq!(counted, settled as u64, "{summary:#}");
    assert_eq!(number(&summary, "unknown_seen"), 0, "{summary:#}");
    assert!(unknown as u64 <= SESSIONS, "{summary:#}");
    assert_eq!(summary["end"], "complete");
    summary
}

#[test]
fn a_run_waits_for_a_server_that_is_away_and_goes_on_by_itself() {
    let (at_host, at_run) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let host = Host::start(at_host.path(), None);
    let address = host.url.strip_prefix("http://").expect("an address").to_owned();
    let host_url = host.url.clone();
    let mut run = Run::begin(at_run.path(), &host.url, "100s");
    drop(host);
    let said = run.line_that("the server does not answer, so all sessions pause");
    assert!(said.contains(&host_url) && said.contains("1m 40s without an answer"), "{said}");
    assert!(said.contains("attempt ") && said.contains("(--give-up)"), "{said}");
    // While it is away nothing more is said, and little is asked.
    sleep(Duration::from_secs(3));
    let host = Host::start_at(at_host.path(), &address, None);
    run.line_that("the server answers again, after ");
    let rest = run.lines();
    assert!(!rest.iter().any(|line| line.contains("all sessions pause")), "once: {rest:?}");
    let output = run.child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    let summary = check_complete(&output.stdout, at_run.path(), at_host.path());
    let failures = number(&summary, "failures");
    assert!((6..100).contains(&failures), "{failures} failed requests in some seconds");
    drop(host);
}

#[test]
fn an_outage_that_lasts_too_long_ends_the_run_to_be_gone_on_with() {
    let (at_host, at_run) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let host = Host::start(at_host.path(), None);
    let (url, address) = (host.url.clone(), host.url.trim_start_matches("http://").to_owned());
    let mut run = Run::begin(at_run.path(), &url, "1s");
    drop(host);
    let lines = run.lines();
    assert_eq!(run.child.wait().expect("it ends").code(), Some(4), "{lines:?}");
    let last = lines.last().expect("it says why");
    let expected = format!("error: {url}/slumbot/api has not answered for ");
    assert!(last.starts_with(&expected) && last.contains("; resume with: "), "{last}");
    assert!(last.contains(&ARGUMENTS.join(" ")), "{last}");

    let host = Host::start_at(at_host.path(), &address, None);
    let output = play(at_run.path(), &url, &[&ARGUMENTS[..], &["1s"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    check_complete(&output.stdout, at_run.path(), at_host.path());
    drop(host);
}

#[test]
fn whoever_waits_for_a_server_that_never_answers_is_told_what_for_and_until_when() {
    let folder = tempfile::tempdir().expect("a folder");
    // One that takes connections and is silent, and one that refuses them.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let silent = format!("http://{}", silent.local_addr().expect("an address"));
    let cases = [
        (
            silent.as_str(),
            "2500ms",
            ["attempt 1 in progress, for up to 2s 500ms (--timeout)", "attempt 2 in "],
        ),
        ("http://127.0.0.1:9", "30s", ["attempt ", "Connection refused"]),
    ];
    for (url, timeout, expected) in cases {
        let pace = ["--timeout", timeout, "--connect-timeout", "4s", "--pause", "700ms"];
        let wait = [&["--agent", "call"][..], &pace].concat();
        let output = play(folder.path(), url, &wait);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{said}");
        let (before, last) = said.trim_end().rsplit_once('\n').expect("more than the error");
        for expected in expected {
            assert!(before.contains(expected), "no `{expected}` in {said}");
        }
        for line in before.lines() {
            assert!(line.starts_with(url) && line.contains("has not answered for "), "{said}");
            assert!(
                line.contains("4s without an answer is the last (--connect-timeout)"),
                "{said}"
            );
        }
        assert!(before.lines().count() < 12, "{said}");
        assert!(
            last.starts_with(&format!("error: {url}/slumbot/api has not answered for ")),
            "{said}"
        );
        let quiet = play(folder.path(), url, &[&wait[..], &["--quiet"]].concat());
        assert_eq!(text(&quiet.stderr).lines().count(), 1, "{}", text(&quiet.stderr));
    }
}
