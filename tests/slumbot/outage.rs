//! `cardroom play slumbot` while its server is away: killed in the middle of a run, and started again on the same
//! port and folder, soon or too late.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use logs::LedgerReader;
use serde_json::Value;

use super::{Host, PATIENCE, cardroom, check_ledgers, play, text};

const HANDS: u64 = 400;
const SESSIONS: u64 = 3;
/// What all runs here have in common; how long an outage may last follows.
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
        let since = Instant::now();
        let played = || LedgerReader::open(&folder.join("run")).ok()?.count().ok();
        while played().unwrap_or_default() < HANDS / 4 {
            assert!(since.elapsed() < PATIENCE, "it does not get on");
            assert!(child.try_wait().expect("a child").is_none(), "it ended by itself");
            sleep(Duration::from_millis(10));
        }
        Run { child, said }
    }

    /// The next line it says.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).expect("text");
        line.trim_end().to_owned()
    }
}

fn number(summary: &Value, key: &str) -> u64 {
    summary[key].as_u64().unwrap_or_else(|| panic!("no number `{key}` in {summary:#}"))
}

/// The run is complete; the server has all its hands, and what is unknown are only hands whose first answer was lost
/// when the server was killed: no more than there are sessions.
fn check_complete(stdout: &[u8], run: &Path, host: &Path) -> Value {
    let summary: Value = serde_json::from_slice(stdout).expect("one JSON document");
    let (played, settled, unknown) = check_ledgers(&run.join("run"), host);
    assert!(number(&summary, "played") + number(&summary, "settled") >= HANDS, "{summary:#}");
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
    let mut run = Run::begin(at_run.path(), &host.url, "100s");
    drop(host);
    let said = run.line();
    assert!(said.starts_with("the server does not answer, so all sessions pause"), "{said}");
    // While it is away nothing more is said, and little is asked.
    sleep(Duration::from_secs(3));
    let host = Host::start_at(at_host.path(), &address, None);
    let said = run.line();
    assert!(said.starts_with("the server answers again, after "), "{said}");
    assert_eq!(run.line(), "", "each is said once");
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
    let lines: Vec<String> =
        std::iter::repeat_with(|| run.line()).take_while(|line| !line.is_empty()).collect();
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
