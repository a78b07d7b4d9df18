//! Playing at a dealer over real sockets, good dealers and bad.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use logs::Fallback;
use matches::external::registry;
use matches::games::load_game;
use matches::runner::Stop;
use protocol::acpc::gamedef::Reading;
use wire::Error;
use wire::play_acpc::{AcpcSettings, End, Protocol, Record, Summary, play_blocking};

const GAME: &str = "holdem.nolimit.2p.reverse_blinds";

fn plan(agent: &str, port: u16) -> AcpcSettings {
    AcpcSettings {
        host: "127.0.0.1".into(),
        protocol: Protocol::Acpc,
        port,
        def: load_game(GAME, Reading::Strict).expect("a built-in game"),
        agent: registry().resolve(agent).expect("an agent"),
        seed: 1,
        connect_timeout: Duration::from_secs(10),
        silence: Some(Duration::from_secs(60)),
        deadline: None,
        opponents: Vec::new(),
    }
}

fn play(plan: &AcpcSettings) -> (Summary, Result<End, Error>) {
    play_blocking(plan, None, &Stop::new()).expect("sockets can be waited for")
}

/// A dealer that does as it is told once the player has said its version, on a thread of its own.
fn dealer(script: impl FnOnce(Conversation) + Send + 'static) -> (u16, JoinHandle<()>) {
    let door = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = door.local_addr().expect("a bound socket has an address").port();
    let thread = std::thread::spawn(move || {
        let (stream, _) = door.accept().expect("a player");
        let reader = BufReader::new(stream.try_clone().expect("a socket"));
        let mut talk = Conversation { reader, stream };
        assert_eq!(talk.hear(), "VERSION:2.0.0");
        script(talk);
    });
    (port, thread)
}

struct Conversation {
    reader: BufReader<TcpStream>,
    stream: TcpStream,
}

impl Conversation {
    fn hear(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).expect("the player's line");
        line.trim_end().to_owned()
    }

    fn say(&mut self, text: &str) {
        // The player may have gone already.
        let _ = self.stream.write_all(text.as_bytes());
    }
}

/// The first line of a match: the player is the button and has aces.
const FIRST: &str = "MATCHSTATE:1:0::|AsAd\r\n";

#[test]
fn a_match_is_played_to_its_end() {
    let (port, dealer) = dealer(|mut talk| {
        // Comments are skipped, lines may come in pieces.
        talk.say("# welcome\r\n; still\r\nMATCHSTATE:1:7::|As");
        talk.say("Ad\r\n");
        assert_eq!(talk.hear(), "MATCHSTATE:1:7::|AsAd:c");
        talk.say("MATCHSTATE:1:7:c:|AsAd\r\nMATCHSTATE:1:7:cr300:|AsAd\r\n");
        assert_eq!(talk.hear(), "MATCHSTATE:1:7:cr300:|AsAd:c");
        talk.say("MATCHSTATE:1:7:cr300c/:|AsAd/2c3c4c\r\n");
        talk.say("MATCHSTATE:1:7:cr300c/r20000:|AsAd/2c3c4c\r\n");
        assert_eq!(talk.hear(), "MATCHSTATE:1:7:cr300c/r20000:|AsAd/2c3c4c:c");
        talk.say("MATCHSTATE:1:7:cr300c/r20000c//:KsKd|AsAd/2c3c4c/7h/8h\r\n");
        // The next hand follows at once; the other side folds.
        talk.say("MATCHSTATE:0:8::KsKd|\r\nMATCHSTATE:0:8:f:KsKd|\r\n");
    });
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut record = Record::open(folder.path()).expect("a record");
    let plan = plan("call", port);
    let played = play_blocking(&plan, Some(&mut record), &Stop::new());
    let (summary, end) = played.expect("sockets can be waited for");
    dealer.join().expect("the dealer heard what it expected");
    assert_eq!(end.expect("a good match"), End::MatchOver);
    assert_eq!((summary.hands, summary.chips), (2, 20_050.0));
    assert_eq!(summary.decisions.total, 3);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("kept");
    let decisions = read("decisions.jsonl");
    let lines = (1..).zip(decisions.lines());
    let hands =
        lines.map(|(i, line)| logs::formats::jsonl::read_decision(line, i).expect("our line").hand);
    assert_eq!(hands.collect::<Vec<_>>(), [7, 7, 7]);
    assert_eq!(
        read("states.txt"),
        "MATCHSTATE:1:7:cr300c/r20000c//:KsKd|AsAd/2c3c4c/7h/8h\nMATCHSTATE:0:8:f:KsKd|\n"
    );
}

#[test]
fn what_a_bad_dealer_sends_ends_the_match_with_one_clear_line() {
    let flood = "x".repeat(10_000_000);
    let cases: Vec<(&str, String, &str)> = vec![
        ("closes at once", String::new(), "closed the connection before the first hand"),
        ("closes mid-hand", FIRST.into(), "closed the connection in the middle of hand 0"),
        (
            "closes mid-line",
            "MATCHSTATE:1:0".into(),
            "in the middle of a line, after `MATCHSTATE:1:0`",
        ),
        (
            "position out of range",
            "MATCHSTATE:2:0::|AsAd\r\n".into(),
            "sent `MATCHSTATE:2:0::|AsAd`: position `2` is not from 0 to 1",
        ),
        (
            "illegal history",
            "MATCHSTATE:1:0:r100:|AsAd\r\n".into(),
            "sent `MATCHSTATE:1:0:r100:|AsAd`: betting `r100`, character 0: a raise to 100 is \
             outside",
        ),
        ("no cards", "MATCHSTATE:1:0::|\r\n".into(), "the cards of position 1 are missing"),
        ("not the protocol", "HTTP/1.1 200 OK\r\n".into(), "it does not begin with `MATCHSTATE:`"),
        (
            "no end of line",
            flood,
            "more than 65536 bytes without an end of line, beginning with `xxx",
        ),
    ];
    for (name, sent, expected) in cases {
        let (port, dealer) = dealer(move |mut talk| {
            talk.say(&sent);
            // Everything the player still says, lest the system reset the connection.
            let _ = talk.stream.shutdown(Shutdown::Write);
            let _ = talk.reader.read_to_end(&mut Vec::new());
        });
        let (summary, end) = play(&plan("call", port));
        dealer.join().expect("the dealer does not fail");
        let error = end.expect_err(name);
        assert!(error.is_gone(), "{name}: {error}");
        let text = error.to_string();
        assert!(text.contains(expected), "{name}: {text}");
        assert!(text.starts_with(&format!("dealer at 127.0.0.1:{port}: ")), "{name}: {text}");
        assert!(text.len() < 400 && !text.contains('\n'), "{name}: {text}");
        assert_eq!(summary.error, Some(text));
        assert_eq!(summary.hands, 0);
    }
}

#[test]
fn binary_noise_ends_the_match() {
    let (port, dealer) = dealer(|mut talk| {
        let noise: Vec<u8> =
            (0..100_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let _ = talk.stream.write_all(&noise);
        let _ = talk.stream.shutdown(Shutdown::Write);
        let _ = talk.reader.read_to_end(&mut Vec::new());
    });
    let error = play(&plan("call", port)).1.expect_err("noise").to_string();
    dealer.join().expect("the dealer does not fail");
    assert!(error.contains("it holds bytes that are not text"), "{error}");
    assert!(error.chars().all(|c| !c.is_control()) && error.len() < 800, "{error}");
}

#[test]
fn a_dealer_that_never_speaks_is_left() {
    let (port, dealer) = dealer(|mut talk| {
        let _ = talk.reader.read_to_end(&mut Vec::new());
    });
    let silent = AcpcSettings { silence: Some(Duration::from_millis(300)), ..plan("call", port) };
    let error = play(&silent).1.expect_err("silence");
    dealer.join().expect("the player has left");
    assert_eq!(
        error.to_string(),
        format!("dealer at 127.0.0.1:{port}: nothing was heard for 300ms")
    );
}

#[test]
fn a_connection_reset_mid_hand_is_an_end_mid_hand() {
    let (port, dealer) = dealer(|mut talk| {
        talk.say(FIRST);
        talk.hear();
        // Closing with bytes unread resets the connection.
        std::thread::sleep(Duration::from_millis(100));
    });
    let error = play(&plan("call", port)).1.expect_err("a reset");
    dealer.join().expect("the dealer does not fail");
    assert!(error.to_string().contains("in the middle of hand 0"), "{error}");
}

fn free_port() -> u16 {
    let door = TcpListener::bind("127.0.0.1:0").expect("a free port");
    door.local_addr().expect("a bound socket has an address").port()
}

#[test]
fn a_dealer_that_cannot_be_reached_is_named_with_every_address() {
    let port = free_port();
    let short = Duration::from_millis(200);
    let absent = AcpcSettings { connect_timeout: short, ..plan("call", port) };
    let error = play(&absent).1.expect_err("nobody listens");
    assert!(error.is_gone());
    let expected =
        format!("cannot connect to 127.0.0.1:{port} within 200ms: 127.0.0.1: Connection refused");
    assert!(error.to_string().starts_with(&expected), "{error}");

    let nameless = AcpcSettings { host: "no-such-host.invalid".into(), ..absent.clone() };
    let error = play(&nameless).1.expect_err("no such host").to_string();
    assert!(error.contains("the name `no-such-host.invalid` cannot be resolved"), "{error}");

    let six = AcpcSettings { host: "[::1]".into(), ..absent };
    let error = play(&six).1.expect_err("nobody listens").to_string();
    assert!(error.starts_with(&format!("cannot connect to [::1]:{port} within")), "{error}");
}

#[test]
fn a_dealer_that_comes_later_is_waited_for_under_any_of_its_names() {
    for host in ["127.0.0.1", "localhost", "::1"] {
        let port = free_port();
        let address = if host == "::1" { "[::1]" } else { "127.0.0.1" };
        // Machines without IPv6 cannot try it.
        if TcpListener::bind(format!("{address}:0")).is_err() {
            continue;
        }
        let dealer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            let door = TcpListener::bind(format!("{address}:{port}")).expect("the port is free");
            let (mut stream, _) = door.accept().expect("the player");
            let _ = stream.write_all(b"MATCHSTATE:0:0::KsKd|\r\nMATCHSTATE:0:0:f:KsKd|\r\n");
            let _ = stream.shutdown(Shutdown::Write);
            let _ = stream.read_to_end(&mut Vec::new());
        });
        let (summary, end) = play(&AcpcSettings { host: host.into(), ..plan("fold", port) });
        dealer.join().expect("the dealer does not fail");
        assert_eq!(end.expect(host), End::MatchOver);
        assert_eq!(summary.chips, 50.0);
    }
}

/// An example of `matches`; cargo builds it with the tests of the workspace.
pub(crate) fn program() -> PathBuf {
    let tests = std::env::current_exe().expect("a running program has a path");
    let target = tests.parent().and_then(Path::parent).expect("target/PROFILE/deps");
    let program = target.join("examples/ill_mannered");
    assert!(program.is_file(), "{} is missing: run `cargo test --workspace`", program.display());
    program
}

#[test]
fn the_end_is_noticed_while_the_agent_thinks() {
    let program = program();
    let bot = format!("external:{} hang {GAME}", program.display());
    let (port, dealer) = dealer(|mut talk| {
        talk.say(FIRST);
        talk.hear();
        talk.say("MATCHSTATE:1:0:cr300:|AsAd\r\n");
        talk.hear();
        talk.say("MATCHSTATE:1:0:cr300c/r600:|AsAd/2c3c4c\r\n");
        // The bot hangs at its third turn.
        std::thread::sleep(Duration::from_millis(200));
    });
    let hanging = plan(&bot, port);
    let begun = Instant::now();
    let error = play(&hanging).1.expect_err("closed mid-hand");
    assert!(begun.elapsed() < Duration::from_secs(8), "the bot's own limit is ten seconds");
    dealer.join().expect("the dealer does not fail");
    assert!(error.to_string().contains("in the middle of hand 0"), "{error}");
}

#[test]
fn a_decision_that_takes_too_long_is_made_without_the_agent() {
    let program = program();
    let bot = format!("external:{} late {GAME}", program.display());
    let (port, dealer) = dealer(|mut talk| {
        talk.say(FIRST);
        assert!(talk.hear().ends_with(":c"));
        talk.say("MATCHSTATE:1:0:cr300:|AsAd\r\n");
        assert!(talk.hear().ends_with(":c"));
        talk.say("MATCHSTATE:1:0:cr300c/r600:|AsAd/2c3c4c\r\n");
        assert!(talk.hear().ends_with(":f"));
        talk.say("MATCHSTATE:1:0:cr300c/r600f:|AsAd/2c3c4c\r\n");
    });
    let hasty = AcpcSettings { deadline: Some(Duration::from_millis(300)), ..plan(&bot, port) };
    let (summary, end) = play(&hasty);
    dealer.join().expect("the dealer got the replies it expected");
    assert_eq!(end.expect("a good match"), End::MatchOver);
    assert_eq!(summary.decisions.fallbacks.get(&Fallback::Timeout), Some(&1));
}

#[test]
fn asked_to_stop_it_leaves_between_hands() {
    let stop = Stop::new();
    let (port, dealer) = dealer({
        let stop = stop.clone();
        move |mut talk| {
            talk.say(FIRST);
            talk.hear();
            stop.ask();
            talk.say("MATCHSTATE:1:0:f:|AsAd\r\nMATCHSTATE:0:1::KsKd|\r\n");
            let mut rest = String::new();
            let _ = talk.reader.read_to_string(&mut rest);
            assert_eq!(rest, "", "nothing is played after the hand");
        }
    });
    let played = play_blocking(&plan("fold", port), None, &stop);
    let (summary, end) = played.expect("sockets can be waited for");
    dealer.join().expect("the player has left");
    assert_eq!(end.expect("no error"), End::Stopped);
    assert_eq!(summary.hands, 1);
}
