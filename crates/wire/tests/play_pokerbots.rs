//! Playing at an engine of MIT Pokerbots over a real socket, good engines and bad.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::time::Duration;

use matches::external::registry;
use matches::games::load_game;
use matches::runner::Stop;
use protocol::acpc::gamedef::Reading;
use protocol::pokerbots::{Dialect, GAME};
use wire::Error;
use wire::play_acpc::{AcpcSettings, End, Protocol, Summary, play_blocking};

/// Sits down at an engine that says these lines, each after the answer to the one before; the
/// answers, and how it ended.
fn sit(agent: &str, lines: &[&str]) -> (Vec<String>, Summary, Result<End, Error>) {
    let door = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = door.local_addr().expect("an address").port();
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    let engine = std::thread::spawn(move || {
        let (mut stream, _) = door.accept().expect("a bot");
        let mut answers = BufReader::new(stream.try_clone().expect("a socket")).lines();
        let mut heard = Vec::new();
        for line in lines {
            stream.write_all(line.as_bytes()).expect("it reads");
            if line != "Q\n" {
                heard.extend(answers.next().and_then(Result::ok));
            }
        }
        heard
    });
    let plan = AcpcSettings {
        host: "localhost".into(),
        port,
        protocol: Protocol::Pokerbots(Dialect::Base),
        def: load_game(GAME, Reading::Strict).expect("a built-in game"),
        agent: registry().resolve(agent).expect("an agent"),
        seed: 1,
        connect_timeout: Duration::from_secs(10),
        silence: Some(Duration::from_secs(60)),
        deadline: None,
        opponents: Vec::new(),
    };
    let (summary, end) = play_blocking(&plan, None, &Stop::new()).expect("sockets can be used");
    (engine.join().expect("an engine"), summary, end)
}

#[test]
fn a_game_is_played_to_its_end_with_all_checks_that_the_engine_asks_for() {
    let game = [
        "T30.000 P0 HAs,Kd",
        "T29.900 C K B2c,8d,Th K",
        "T29.800 K B2c,8d,Th,3s R398",
        "T29.600 C B2c,8d,Th,3s,Jc K",
        "T29.500 K O7c,7d D-400",
        "T29.400 P1 H2c,2d F D1",
        "Q",
    ];
    let (heard, summary, end) = sit("call", &game);
    assert_eq!(end.expect("a good game"), End::MatchOver);
    assert_eq!(heard, ["C", "K", "C", "K", "K", "K"]);
    assert_eq!((summary.hands, summary.chips, summary.decisions.total), (2, -399.0, 3));
}

#[test]
fn a_blueprint_for_larger_chips_plays_and_never_answers_what_is_not_legal() {
    let rounds: Vec<String> =
        (0..40).map(|round| format!("T30.000 P0 H{}s,Ad", ["K", "7", "2"][round % 3])).collect();
    for line in rounds {
        let (heard, summary, end) = sit("cfr", &[&line]);
        assert!(end.is_err_and(|error| error.is_gone()));
        let [answer] = &heard[..] else { panic!("{heard:?}") };
        let raise = answer.strip_prefix('R').map(|to| to.parse::<u32>().expect("chips"));
        assert!(raise.map_or(answer == "C" || answer == "F", |to| (4..=400).contains(&to)));
        assert_eq!((summary.decisions.total, summary.decisions.corrected), (1, 0));
        assert_eq!(summary.decisions.fallback_total(), 0);
    }
}

#[test]
fn an_engine_that_breaks_the_rules_is_told_with_its_line() {
    for (lines, reason) in [
        (
            &["T30.000 P0 HAs,Kd", "T29.000 C F D2"][..],
            "the engine sent `T29.000 C F D2`: `F`: there is nothing to call",
        ),
        (&["T30.000 P0 HAs,Kd"], "the engine closed the connection in the middle of round 1"),
        (&["T30.000 P0 HAs,Kd,2c"], "`HAs,Kd,2c` is not a clause of this engine"),
        (&["hello"], "`hello` is not a clause of this engine"),
    ] {
        let (_, _, end) = sit("call", lines);
        let error = end.expect_err("an error");
        assert!(error.is_gone() && error.to_string().contains(reason), "{error}");
    }
}
