//! `cardroom play slumbot` while its server is away: killed in the middle of a run, and started
//! again on the same port and folder, soon or too late.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStderr};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use super::{check_ledgers, host, play, played};
use crate::program::{Folder, Run, end, open_port, shows, wait_for};
use crate::serve::server::Server;

const HANDS: u64 = 400;
const SESSIONS: u64 = 3;
/// The arguments of all runs here, but for the longest outage, which follows.
const ARGUMENTS: &str = "--agent random --hands 400 --sessions 3 --rate 400 --pause 20ms \
                         --timeout 5s --out run --json --give-up";

/// A run in the middle, and what it says.
struct Waiting {
    child: Child,
    said: BufReader<ChildStderr>,
}

impl Waiting {
    /// Begins, and waits until a quarter of the hands are played.
    fn begin(folder: &Folder, url: &str, give_up: &str) -> Waiting {
        let options = (ARGUMENTS, give_up);
        let mut child = folder.start(("play slumbot --host", [url], options));
        let said = BufReader::new(child.stderr.take().expect("it is piped"));
        let run = folder.join("run");
        wait_for(&mut child, "a quarter is played", || played(&run) >= HANDS / 4);
        Waiting { child, said }
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
fn check_complete(run: &Run, folder: &Folder, host: &Server) -> Value {
    let summary = run.json();
    let (played, settled, unknown) = check_ledgers(&folder.join("run"), &host.folder);
    assert_eq!(number(&summary, "played") + number(&summary, "settled"), HANDS, "{summary:#}");
    assert_eq!(number(&summary, "played"), played as u64);
    let counted = number(&summary, "settled") + number(&summary, "unseen_settled");
    assert_eq!(counted, settled as u64, "{summary:#}");
    assert_eq!(number(&summary, "unknown_seen"), 0, "{summary:#}");
    assert!(unknown as u64 <= SESSIONS, "{summary:#}");
    assert_eq!(summary["end"], "complete");
    summary
}

/// A server where one was killed.
fn start_again(folder: Folder, address: SocketAddr) -> Server {
    let command = folder.command(format!("serve --bind {address} --log warn"));
    Server::run(folder, command)
}

#[test]
fn a_run_waits_for_a_server_that_is_away_and_goes_on_by_itself() {
    let at_run = Folder::new();
    let host = host("");
    let url = host.url();
    let mut run = Waiting::begin(&at_run, &url, "100s");
    let (address, at_host) = (host.web, host.kill());
    let said = run.line_that("the server does not answer, so all sessions pause");
    assert!(said.contains(&url) && said.contains("1m 40s without an answer"), "{said}");
    assert!(said.contains("attempt ") && said.contains("(--give-up)"), "{said}");
    // While it is away nothing more is said, and little is asked.
    sleep(Duration::from_secs(3));
    let host = start_again(at_host, address);
    run.line_that("the server answers again, after ");
    let rest = run.lines();
    assert!(!rest.iter().any(|line| line.contains("all sessions pause")), "once: {rest:?}");
    let summary = check_complete(&end(run.child).code(0), &at_run, &host);
    let failures = number(&summary, "failures");
    assert!((6..100).contains(&failures), "{failures} failed requests in some seconds");
}

#[test]
fn an_outage_that_lasts_too_long_ends_the_run_to_be_gone_on_with() {
    let at_run = Folder::new();
    let host = host("");
    let url = host.url();
    let mut run = Waiting::begin(&at_run, &url, "1s");
    let (address, at_host) = (host.web, host.kill());
    let lines = run.lines();
    assert_eq!(run.child.wait().expect("it ends").code(), Some(4), "{lines:?}");
    let last = lines.last().expect("it says why");
    let expected = format!("error: {url}/slumbot/api has not answered for ");
    assert!(last.starts_with(&expected) && last.contains("; resume with: "), "{last}");
    assert!(last.contains(ARGUMENTS), "{last}");

    let host = start_again(at_host, address);
    check_complete(&play(&at_run, &url, (ARGUMENTS, "1s")).code(0), &at_run, &host);
}

#[test]
fn whoever_waits_for_a_server_that_never_answers_is_told_what_for_and_until_when() {
    let folder = Folder::new();
    // One that takes connections and is silent, and one that refuses them.
    let (_silent, port) = open_port();
    let silent = format!("http://127.0.0.1:{port}");
    let cases = [
        (
            silent.as_str(),
            "2500ms",
            ["attempt 1 in progress, for up to 2s 500ms (--timeout)", "attempt 2 in "],
        ),
        ("http://127.0.0.1:9", "30s", ["attempt ", "Connection refused"]),
    ];
    for (url, timeout, expected) in cases {
        let wait = format!("--agent call --timeout {timeout} --connect-timeout 4s --pause 700ms");
        let said = play(&folder, url, &wait).code(4).stderr;
        let (before, last) = said.trim_end().rsplit_once('\n').expect("more than the error");
        for expected in expected {
            assert!(before.contains(expected), "no `{expected}` in {said}");
        }
        for line in before.lines() {
            assert!(line.starts_with(url) && line.contains("has not answered for "), "{said}");
            shows(line, &["4s without an answer is the last (--connect-timeout)"]);
        }
        assert!(before.lines().count() < 12, "{said}");
        assert!(last.starts_with(&format!("error: {url} has not answered for ")), "{said}");
        play(&folder, url, (&wait, "--quiet")).says_only(4, &[]);
    }
}
