//! `cardroom play slumbot` as a process: against `cardroom serve` with faults, killed and gone on
//! with, and against servers that are no Slumbot.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use cards::CardSet;
use logs::ledger::{FILE_NAME, Known, WebHand, in_journal};
use logs::{HandRecord, LedgerReader};
use serde_json::Value;

use crate::program::{Folder, Run, Words, interrupt, kill, open_port, wait_for, wait_until};
use crate::serve::server::Server;

mod certificates;
mod estimates;
mod hostile;
mod outage;
mod stub;

/// Plays until the end.
fn play(folder: &Folder, url: &str, more: impl Words) -> Run {
    folder.run(("play slumbot --host", [url], more))
}

const HOST: &str = "tables = []\n[slumbot]\nagent = \"random\"\nbaseline = true\n";

/// A server that hosts the API, with these faults.
fn host(faults: &str) -> Server {
    let folder = Folder::with_config(HOST);
    folder.write("faults.toml", faults);
    let options = if faults.is_empty() { "" } else { "--faults faults.toml" };
    Server::start_with(folder, &format!("--log warn {options}"))
}

/// How many hands the run in this folder has kept.
fn played(run: &Path) -> u64 {
    LedgerReader::open(run).ok().and_then(|reader| reader.count().ok()).unwrap_or_default()
}

/// The host's finished hands of each session, by token, in the order in which they ended.
fn hosts_hands(folder: &Path) -> BTreeMap<String, Vec<HandRecord>> {
    let slumbot = folder.join("data/slumbot");
    let list = fs::read_to_string(slumbot.join("tokens.csv")).expect("the sessions");
    let rows = list.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    let tokens: BTreeMap<u64, String> =
        rows.map(|row| (row[0].parse().expect("a number"), row[1].to_owned())).collect();
    let mut hands: BTreeMap<String, Vec<HandRecord>> = BTreeMap::new();
    for entry in fs::read_dir(folder.join("data/matches")).expect("the ledgers") {
        let path = entry.expect("a folder").path();
        // The host writes within a tenth of a second what it has told of.
        wait_until("no hand is in the journal", || !in_journal(&path.join(FILE_NAME)));
        let reader = LedgerReader::open(&path).expect("a ledger");
        for hand in reader.hands() {
            let hand = hand.expect("a hand");
            let token = tokens[&(hand.deal >> 32)].clone();
            hands.entry(token).or_default().push(hand);
        }
    }
    hands
}

fn set(cards: &[cards::Card]) -> CardSet {
    cards.iter().copied().collect()
}

/// Whether both sides tell of the same hand.
fn same(ours: &HandRecord, hosts: &HandRecord) -> bool {
    let seats = || ours.public.def().seats();
    ours.public.history() == hosts.public.history()
        && set(&ours.public.board()) == set(&hosts.public.board())
        && seats().all(|seat| set(&ours.hole[seat]) == set(&hosts.hole[seat]))
        && seats().all(|seat| ours.entrants[seat] == hosts.entrants[seat])
        && ours.payoffs == hosts.payoffs
}

/// Whether this is the host's record of a settled hand, with this result.
fn is_result(hosts: &HandRecord, row: &WebHand, winnings: i64) -> bool {
    let client = hosts.public.def().seats().nth(row.seat.into()).expect("0 or 1");
    let hole: cards::HoleCards = row.hole.parse().expect("cards");
    hosts.entrants[client] == 0
        && set(&hosts.hole[client]) == set(&hole)
        && hosts.payoffs[client].parts() / 2520 == winnings
}

/// The run's ledger against the host's, hand for hand. Gives the numbers of hands played, settled
/// and unknown.
fn check_ledgers(run: &Path, host: &Path) -> (usize, usize, usize) {
    let hosts = hosts_hands(host);
    let reader = LedgerReader::open(run).expect("the run's ledger");
    let mut counts = (0, 0, 0);
    let mut played: BTreeMap<u64, BTreeMap<u64, HandRecord>> = BTreeMap::new();
    let mut settled: BTreeMap<u64, (usize, i64)> = BTreeMap::new();
    for row in reader.web_hands().expect("hands") {
        match row.known {
            Known::Unknown => counts.2 += 1,
            Known::Settled | Known::Beyond => {
                counts.1 += usize::from(row.known == Known::Settled);
                if row.together == 1 && row.seen() {
                    let winnings = row.winnings.expect("it is known");
                    let one = hosts.values().flatten().any(|hand| is_result(hand, &row, winnings));
                    assert!(one, "hand {} is not settled as the host has it", row.hand);
                }
                let sum = settled.entry(row.session).or_default();
                *sum = (sum.0 + 1, sum.1 + row.winnings.expect("it is known"));
            }
            Known::Played => {
                counts.0 += 1;
                let number = row.number.expect("a hand seen to its end has one");
                let hand = reader.hand(row.hand).expect("it reads").expect("it is there");
                let twice = played.entry(row.session).or_default().insert(number, hand);
                assert!(twice.is_none(), "hand {number} of session {} appears twice", row.session);
                assert!(row.baseline.is_some());
            }
        }
    }
    assert_eq!(reader.count().expect("a number"), counts.0 as u64);
    for (session, hands) in &played {
        // Tokens change on the way; the hands tell which session it is.
        let is_this = |theirs: &&Vec<HandRecord>| {
            let (number, first) = hands.iter().next().expect("a hand");
            theirs.get(*number as usize - 1).is_some_and(|hand| same(first, hand))
        };
        let theirs = hosts.values().find(is_this).expect("the host knows the session");
        for (number, hand) in hands {
            assert!(
                same(hand, &theirs[*number as usize - 1]),
                "hand {number} of session {session}"
            );
        }
        // What the host finished and the run did not see is what was settled, in number and in
        // chips.
        let mut missing = (0, 0);
        for (number, hand) in (1..).zip(theirs).filter(|(number, _)| !hands.contains_key(number)) {
            let _: u64 = number;
            let client =
                hand.entrants.iter().find(|(_, entrant)| **entrant == 0).expect("it sat").0;
            missing = (missing.0 + 1, missing.1 + hand.payoffs[client].parts() / 2520);
        }
        assert_eq!(settled.get(session).copied().unwrap_or_default(), missing, "session {session}");
    }
    counts
}

const FAULTS: &str = "seed = 5\ndrop = 0.008\ndrop_after = 0.008\ntruncate = 0.008\nreset = 0.008\n\
    duplicate = 0.006\nstatus = 0.006\nstatus_after = 0.006\nrotate = 0.004\nrepeat_answer = \
    0.004\n\
    repeat_hand = 0.004\n";

#[test]
fn killed_twice_among_faults_a_run_loses_nothing_and_counts_nothing_twice() {
    let at_run = Folder::new();
    let host = host(FAULTS);
    let arguments =
        "--agent random --hands 600 --sessions 3 --out run --json --pause 2ms --timeout 5s --quiet";
    for kill_at in [150, 350] {
        // Slow enough to be caught in the middle.
        let options = (arguments, "--rate 300");
        let mut child = at_run.start_unheard(("play slumbot --host", [host.url()], options));
        wait_for(&mut child, "hands are played", || played(&at_run.join("run")) >= kill_at);
        kill(child);
    }
    let summary = play(&at_run, &host.url(), arguments).code(0).json();
    let (played, settled, unknown) = check_ledgers(&at_run.join("run"), &host.folder);
    assert_eq!(summary["schema"], "cardroom-play-slumbot/1");
    let number = |key: &str| summary[key].as_u64().expect("a number") as usize;
    assert_eq!(number("played") + number("settled"), 600, "{summary:#}");
    assert_eq!(number("played"), played);
    assert_eq!(number("settled") + number("unseen_settled"), settled);
    assert_eq!(number("unknown") - number("unseen_settled"), unknown);
    assert_eq!(number("unknown"), number("unknown_seen") + number("unseen"));
    let bound = |key: &str| summary[key].as_f64().expect("a number");
    let parts = bound("unknown_seen_bound") + bound("unseen_bound");
    assert!((bound("unknown_bound") - parts).abs() < 1e-6, "{summary:#}");
    assert_eq!(number("unknown") > 0, parts > 0.0, "{summary:#}");
    assert!(summary["failures"].as_u64() > Some(0), "{summary:#}");
    // Only what was never seen cannot be settled.
    assert_eq!(number("unknown_seen"), 0, "{summary:#}");
    assert!(number("unseen") <= 60, "{summary:#}");

    // Asked once more, the run is complete, and the server is not needed for saying so.
    drop(host);
    play(&at_run, "http://127.0.0.1:9", arguments).code(0);
    let stats = at_run.json("stats run");
    assert_eq!(stats["hands"], number("played") + number("settled"));
    assert_eq!(stats["settled"]["hands"].as_u64().unwrap_or_default() as usize, number("settled"));
    // Both count the same hands, so both have the same rate.
    let close = |one: &Value, other: &Value| {
        let [one, other] = [one, other].map(|value| value.as_f64().expect("a number"));
        (one - other).abs() < 1e-6
    };
    for stats in [&stats["estimates"], &summary["estimates"]] {
        let raw = &stats["rows"][0]["rate"];
        assert!(close(&raw["mbb"], &summary["rate"]["mbb"]), "{raw:#} {summary:#}");
    }
    assert!(close(&stats["entrants"][0]["rate"]["mbb"], &summary["rate"]["mbb"]), "{stats:#}");
}

#[test]
fn with_eight_percent_of_all_answers_lost_both_ledgers_agree_and_the_chips_are_those_of_the_rate() {
    let at_run = Folder::new();
    let host = host("seed = 9\ndrop_after = 0.08\n");
    let arguments = "--agent random --hands 2500 --sessions 3 --out run";
    let more = "--json --quiet --pause 1ms";
    let summary = play(&at_run, &host.url(), (arguments, more)).code(0).json();
    let run = at_run.join("run");
    let (played, settled, _) = check_ledgers(&run, &host.folder);
    let number = |key: &str| summary[key].as_i64().expect("a number");
    assert_eq!(number("played") + number("settled"), 2500, "{summary:#}");
    assert_eq!(number("played"), played as i64);
    assert!(number("settled") > 100 && settled as i64 >= number("settled"), "{summary:#}");
    let rate = summary["rate"]["mbb"].as_f64().expect("a rate");
    let of_chips = number("chips") as f64 / 2500.0 * 1000.0 / 100.0;
    assert!((rate - of_chips).abs() < 1e-6, "{rate} and {of_chips}");
    // The server's sums are those of all its hands.
    let theirs: i64 = hosts_hands(&host.folder)
        .values()
        .flatten()
        .map(|hand| {
            let seat = hand.entrants.iter().find(|(_, entrant)| **entrant == 0).expect("it sat").0;
            hand.payoffs[seat].parts() / 2520
        })
        .sum();
    assert_eq!(number("server_chips"), theirs);
    let raw = &summary["estimates"]["rows"][0]["rate"]["mbb"];
    assert!((raw.as_f64().expect("a rate") - rate).abs() < 1e-6, "{raw} and {rate}");
}

#[test]
fn a_saved_session_that_was_edited_is_named_and_nothing_is_sent() {
    let folder = Folder::new();
    let stub = stub::Stub::start(|moment| match moment.all {
        0..5 => stub::StubReply::Body(moment.body.clone()),
        _ => stub::StubReply::HangUp,
    });
    let more = "--agent call --out run --pause 1ms --give-up 50ms";
    let go_on = || play(&folder, &stub.url, (more, "--sessions 1"));
    go_on().code(4);
    let path = folder.join("run").join(FILE_NAME);
    let edit = |old: &str, new: &str| {
        let ledger = rusqlite::Connection::open(&path).expect("a ledger");
        let edited = ledger
            .execute("UPDATE slumbot_sessions SET state = replace(state, ?1, ?2)", (old, new));
        assert_eq!(edited.expect("it can be edited"), 1);
    };
    for (old, new, reason) in [
        (r#"\"next_seat\":"#, r#"\"next_seat\":7"#, "there is no seat 7"),
        (r#""unusable":["#, r#""unusable":[999999999999"#, "its counts are too large"),
        (r#""client":"#, r#""client":5,"was":"#, "invalid type"),
    ] {
        edit(old, new);
        stub.requests();
        let said = go_on().stderr;
        assert!(said.contains("run/ledger.sqlite: the saved state of session 0 cannot"), "{said}");
        assert!(said.contains(reason) && said.contains("--out"), "no `{reason}` in {said}");
        assert_eq!(stub.requests(), 0);
        edit(new, old);
    }
}

#[test]
fn over_a_good_line_all_hands_are_seen_and_strategies_are_kept() {
    let at_run = Folder::new();
    let host = host("");
    let arguments =
        "--agent equity:samples=50 --hands 120 --sessions 2 --out run --seed 4 --prefix /api";
    let said = play(&at_run, &host.url(), arguments).code(0).stdout;
    let words = ["raw", "big blind", "button", "at any time", "unknown: 0", "mbb/hand"];
    assert_eq!(said.matches(" and the baseline, by the value function ").count(), 1, "{said}");
    let estimates = ["all-in equity", "luck of the cards", "(AIVAT, one side)", "combined"];
    for expected in words.into_iter().chain(estimates) {
        assert!(said.contains(expected), "no `{expected}` in {said}");
    }
    assert_eq!(check_ledgers(&at_run.join("run"), &host.folder), (120, 0, 0));
    let reader = LedgerReader::open(&at_run.join("run")).expect("a ledger");
    let mut decisions = 0;
    for hand in reader.hands() {
        for decision in reader.decisions(hand.expect("a hand").hand).expect("decisions") {
            assert!(decision.strategy.is_some(), "{decision:?}");
            assert_eq!(decision.entrant, 0);
            decisions += 1;
        }
    }
    assert!(decisions > 120);
    play(&at_run, &host.url(), "--agent call --hands 120 --out run")
        .says_only(3, &["run holds another run", "the entrants are"]);
}

#[test]
fn ctrl_c_finishes_the_hands_in_play_and_says_how_to_go_on() {
    let at_run = Folder::new();
    let host = host("");
    let options = "--agent random --rate 100 --out run --quiet";
    let mut child = at_run.start(("play slumbot --host", [host.url()], options));
    wait_for(&mut child, "ten hands are played", || played(&at_run.join("run")) >= 10);
    interrupt(child).code(130).says(&["of 150000 hands; resume with: ", "--out run"]);
    assert_eq!(check_ledgers(&at_run.join("run"), &host.folder).2, 0);
}

/// A server that gives every request this answer.
fn always(answer: &'static str) -> String {
    let (door, port) = open_port();
    let url = format!("http://127.0.0.1:{port}");
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = door.accept() {
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
                while skip_request(&mut reader).is_some() {
                    if stream.write_all(answer.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    url
}

fn skip_request(reader: &mut BufReader<TcpStream>) -> Option<()> {
    let (mut line, mut length) = (String::new(), 0);
    loop {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            let mut body = vec![0; length];
            return reader.read_exact(&mut body).ok();
        }
    }
}

#[test]
fn what_is_no_slumbot_is_said_in_one_line_with_the_address_and_a_remedy() {
    let at = &Folder::new();
    let json = |body: &str| -> &'static str {
        let length = body.len();
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
        format!("{head}Content-Length: {length}\r\n\r\n{body}").leak()
    };
    let cases: Vec<(&'static str, &[&str])> = vec![
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n<html>Hi</html>",
            &["is not a Slumbot server", "web page", "--host"],
        ),
        (
            "HTTP/1.1 301 Moved\r\nLocation: https://slumbot.com/\r\nContent-Length: 0\r\n\r\n",
            &["is redirected to https://slumbot.com/", "with --host"],
        ),
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", &["status 404", "--prefix"]),
        (
            "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n",
            &["does not let us play", "status 401", "--login"],
        ),
        (
            "HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\n\r\n",
            &["does not let us play", "status 421", "its hosts"],
        ),
        (json("[1]"), &["not a JSON object"]),
        (json("{}"), &["no field `action`"]),
        (json(r#"{"token":5}"#), &["`token` is something else, not a text"]),
        (json(r#"{"token":""}"#), &["token is empty"]),
        (json(r#"{"action":7,"token":null}"#), &["`action` is 7, not a text"]),
        (
            json(
                r#"{"old_action":"","action":"b200","client_pos":0,"hole_cards":["Ac","Ac"],"board":[]}"#,
            ),
            &["the card Ac appears twice"],
        ),
        (
            json(
                r#"{"old_action":"","action":"b200","client_pos":0,"hole_cards":["Ac","Ad"],"board":[]}"#,
            ),
            &["the first answer has no token"],
        ),
    ];
    for (answer, expected) in cases {
        let url = always(answer);
        let output = play(at, &url, "--agent call --out run --sessions 1");
        output.says_only(3, &[&[url.as_str()], expected].concat());
        let _ = fs::remove_dir_all(at.join("run"));
    }
    // A busy machine may make more of it than two seconds, and then it says so.
    let arguments = "--agent call --connect-timeout 300ms --quiet";
    let refused = play(at, "http://127.0.0.1:9", arguments);
    refused.says_only(4, &["http://127.0.0.1:9", "has not answered for", "refused"]);
    let (_silent, port) = open_port();
    let url = format!("http://127.0.0.1:{port}");
    let arguments = (arguments, "--timeout 100ms");
    play(at, &url, arguments).says_only(4, &[&url, "has not answered for", "timed out"]);
    for (url, code, expected) in [
        ("slumbot.com", 3, "is not the address of a server"),
        ("ftp://slumbot.com", 3, "must begin with http:// or https://"),
        ("https://slumbot.com/api", 3, "must end after the name and the port"),
        ("https://me:secret@slumbot.com", 3, "--login"),
    ] {
        let output = play(at, url, "--agent call").says_only(code, &[expected]);
        assert!(!output.stderr.contains("secret"), "{}", output.stderr);
    }
    play(at, "http://127.0.0.1:9", "--agent cal").says_only(3, &["did you mean `call`?"]);
    for usage in ["--agent call --rate fast", "--agent call --hands 0", ""] {
        play(at, "http://127.0.0.1:9", usage).code(2);
    }
}

#[test]
fn a_refusal_of_every_token_ends_the_run() {
    let folder = Folder::new();
    let body = r#"{"error_msg":"Bad token"}"#;
    let length = body.len();
    let url = always(format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}").leak());
    let output = play(&folder, &url, "--agent call --out run");
    output.says_only(3, &["refuses to continue", "forgets every session"]);
}

#[test]
fn an_account_is_used_and_never_shown() {
    let at_run = Folder::new();
    let at = &at_run;
    let host = host("");
    let arguments = "--agent call --hands 10 --sessions 1 --out run";
    // Others may read it, or change it.
    for mode in [0o644, 0o640, 0o602] {
        at.write_with_mode("account", "somebody\nhunter2-secret\n", mode);
        let output = play(at, &host.url(), (arguments, "--login account"));
        let said = format!("(mode {mode:o}): `chmod 600` it");
        output.says_only(3, &["account: users other than its owner can read", &said]);
        assert!(!at.join("run").exists(), "nothing is begun");
    }
    at.write_with_mode("account", "somebody\nhunter2-secret\n", 0o600);
    let output = play(at, &host.url(), (arguments, "--login account --quiet"));
    assert_eq!((output.status, output.stderr.as_str()), (Some(0), ""));
    let list = host.folder.read("data/slumbot/tokens.csv");
    assert!(list.contains("somebody"), "{list}");
    let mut kept = output.stdout + &output.stderr;
    for file in fs::read_dir(at.join("run")).expect("the run's folder") {
        let bytes = fs::read(file.expect("a file").path()).expect("it reads");
        kept += &String::from_utf8_lossy(&bytes);
    }
    assert!(!kept.contains("hunter2-secret") && !kept.contains("somebody"));
    at.write_with_mode("half", "somebody\n", 0o600);
    let output = play(at, &host.url(), (arguments, "--login half"));
    output.says_only(3, &["half", "the password on the second"]);
    let mut command = at.command(("play slumbot --agent call --host", [host.url()]));
    crate::program::run(command.env("CARDROOM_SLUMBOT_USERNAME", "somebody"))
        .says_only(2, &["CARDROOM_SLUMBOT_PASSWORD"]);
}

#[test]
fn session_tokens_are_kept_where_only_their_owner_can_read_them() {
    let at_run = Folder::new();
    let run = at_run.join("run");
    let host = host("");
    let play_some = |hands: &str| {
        play(&at_run, &host.url(), ("--agent call --out run --quiet --hands", hands)).code(0);
    };
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    let check = || {
        assert_eq!(mode(&run), 0o700);
        assert_eq!(mode(&run.join(FILE_NAME)), 0o600);
    };
    play_some("4");
    check();
    // Of an earlier version, or copied: put right before the run goes on.
    fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).expect("a folder");
    fs::set_permissions(run.join(FILE_NAME), fs::Permissions::from_mode(0o644)).expect("a file");
    play_some("8");
    check();
    // While it runs, the write-ahead log holds tokens too.
    let options = "--agent random --rate 50 --out slow --quiet";
    let mut child = at_run.start_unheard(("play slumbot --host", [host.url()], options));
    let slow = at_run.join("slow");
    wait_for(&mut child, "a hand is played", || played(&slow) > 0);
    let ledgers = fs::read_dir(&slow).expect("a folder").filter_map(|file| {
        let path = file.expect("a file").path();
        path.to_string_lossy().contains("sqlite").then_some(path)
    });
    let modes: Vec<u32> = ledgers.map(|path| mode(&path)).collect();
    kill(child);
    assert!(modes.len() >= 2 && modes.iter().all(|mode| *mode == 0o600), "{modes:?}");
    // A folder of somebody's is not closed to others; what is in it is.
    let own = at_run.join("own");
    fs::create_dir(&own).expect("a folder");
    fs::set_permissions(&own, fs::Permissions::from_mode(0o755)).expect("a folder");
    let more = "--agent call --out own --quiet --hands 4";
    play(&at_run, &host.url(), more).code(0);
    assert_eq!((mode(&own), mode(&own.join(FILE_NAME))), (0o755, 0o600));
}
