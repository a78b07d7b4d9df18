//! What an agent's panics cost on a wire: one decision, which is counted, at ACPC dealers, hosted
//! tables, Slumbot servers, and in the host of the Slumbot API.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agents::{AgentChoice, Cost};
use logs::stats::DecisionTally;
use logs::{DecisionRecord, Entrant, Fallback, LedgerReader, Provenance};
use matches::games::load_game;
use matches::runner::Stop;
use protocol::acpc::dealer::{Limits, Replies};
use protocol::acpc::gamedef::Reading;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use wire::host::{HostedTable, SeatPlan, Stops, TablePlan};
use wire::play_acpc;
use wire::slumbot;
use wire::slumbot_host::{HostPlan, InjectedFault, SlumbotHost};
use wire::web_run::{End, Pace, RunSettings, Server};

use crate::panicking::{METHODS, panicking};

const GAME: &str = "holdem.nolimit.2p.reverse_blinds";
const HANDS: u32 = 6;

/// Plays with an agent that panics in each of its methods, both in the thread that asks and on its
/// own. `heard` are the methods that this driver calls.
fn check(heard: &[&str], play: impl Fn(AgentChoice) -> BTreeMap<Fallback, u64>) {
    for cost in [Cost::Inline, Cost::Worker] {
        for method in METHODS {
            let lost = if heard.contains(&method) { 1 } else { 0 };
            let expected: BTreeMap<_, _> = (0..lost).map(|_| (Fallback::Panic, 1)).collect();
            assert_eq!(play(panicking(method, cost)), expected, "{method}, {cost:?}");
        }
    }
}

fn fallbacks<'a>(
    decisions: impl IntoIterator<Item = &'a DecisionRecord>,
) -> BTreeMap<Fallback, u64> {
    let mut counts = BTreeMap::new();
    for reason in decisions.into_iter().filter_map(|decision| decision.fallback) {
        *counts.entry(reason).or_default() += 1;
    }
    counts
}

/// The fallbacks of the agents in a ledger.
fn in_ledger(folder: &Path) -> BTreeMap<Fallback, u64> {
    let reader = LedgerReader::open(folder).expect("a ledger");
    let hands: Vec<u64> = reader.hands().map(|hand| hand.expect("a hand").hand).collect();
    let decisions = hands.iter().flat_map(|&hand| reader.decisions(hand).expect("decisions"));
    fallbacks(&decisions.collect::<Vec<_>>())
}

/// The one folder in this one.
fn only_folder(folder: &Path) -> PathBuf {
    let mut entries = std::fs::read_dir(folder).expect("a folder");
    entries.next().expect("a match").expect("a match").path()
}

#[test]
fn at_an_acpc_dealer() {
    check(&["act", "meet", "hand_over"], |agent| {
        let door = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = door.local_addr().expect("an address").port();
        let dealer = std::thread::spawn(move || {
            let (mut stream, _) = door.accept().expect("a player");
            let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
            let mut hear = move || {
                let mut line = String::new();
                reader.read_line(&mut line).expect("a line");
                line
            };
            hear();
            for hand in 0..HANDS {
                write!(stream, "MATCHSTATE:1:{hand}::|AsAd\r\n").expect("sent");
                assert!(hear().ends_with(":f\r\n"));
                write!(stream, "MATCHSTATE:1:{hand}:f:|AsAd\r\n").expect("sent");
            }
        });
        let plan = play_acpc::AcpcSettings {
            host: "127.0.0.1".into(),
            protocol: play_acpc::Protocol::Acpc,
            port,
            def: load_game(GAME, Reading::Strict).expect("a built-in game"),
            agent,
            seed: 1,
            connect_timeout: Duration::from_secs(10),
            silence: Some(Duration::from_secs(60)),
            deadline: None,
            opponents: vec!["dealer".into()],
        };
        let (summary, end) = play_acpc::play_blocking(&plan, None, &Stop::new()).expect("sockets");
        dealer.join().expect("every hand was answered");
        assert_eq!((end.expect("a good match"), summary.hands), (play_acpc::End::MatchOver, 6));
        summary.decisions.fallbacks
    });
}

#[test]
fn at_a_hosted_table() {
    check(&["act", "meet", "hand_over"], |choice| {
        let folder = TempDir::new().expect("a folder");
        let seats = vec![
            SeatPlan::Agent { name: "panics".into(), choice },
            SeatPlan::Open {
                name: "guest".into(),
                address: "127.0.0.1:0".parse().expect("an address"),
            },
        ];
        let plan = TablePlan {
            name: "table".into(),
            game_name: GAME.into(),
            def: load_game(GAME, Reading::Strict).expect("a built-in game"),
            hands: HANDS,
            seed: Some(1),
            seats,
            queue: 1,
            version_timeout: Duration::from_secs(10),
            limits: Limits::new(HANDS),
            replies: Replies::default(),
            matches: folder.path().to_owned(),
            provenance: Provenance::default(),
        };
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let table = HostedTable::open(plan).await.expect("a port");
            let view = table.view();
            let port = view.addresses()[1].expect("an open seat");
            let stops = Stops { drain: CancellationToken::new(), abort: CancellationToken::new() };
            let running = tokio::spawn(table.run(stops.clone()));
            tokio::task::spawn_blocking(move || guest(port)).await.expect("the guest plays");
            while view.status().matches < 1 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            stops.drain.cancel();
            running.await.expect("the table ends");
        });
        let kept = only_folder(folder.path());
        let reader = LedgerReader::open(&kept).expect("a ledger");
        assert_eq!(reader.count().expect("hands"), u64::from(HANDS));
        in_ledger(&kept)
    });
}

/// A player that calls.
fn guest(address: std::net::SocketAddr) {
    let mut stream = TcpStream::connect(address).expect("the table listens");
    stream.write_all(b"VERSION:2.0.0\r\n").expect("sent");
    let reader = BufReader::new(stream.try_clone().expect("a socket"));
    let def = load_game(GAME, Reading::Strict).expect("a built-in game");
    let mut player = protocol::acpc::Player::new(def);
    player.poll_transmit();
    for line in reader.lines().map_while(Result::ok) {
        player.receive(format!("{line}\r\n").as_bytes());
        while let Ok(Some(event)) = player.poll_event() {
            match event {
                protocol::acpc::Event::Turn { .. } => {
                    player.act(game::Action::Call).expect("a call is legal");
                    stream.write_all(&player.poll_transmit()).expect("sent");
                }
                protocol::acpc::Event::MatchOver => return,
                _ => {}
            }
        }
    }
}

const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_the_host_of_the_slumbot_api() {
    const NO: InjectedFault = InjectedFault { repeat: false, rotate: false };
    for cost in [Cost::Inline, Cost::Worker] {
        for method in METHODS {
            let folder = TempDir::new().expect("a folder");
            let host = SlumbotHost::open(HostPlan {
                folder: folder.path().join("slumbot"),
                matches: folder.path().join("matches"),
                agents: vec![("panics".into(), panicking(method, cost))],
                agent: "panics".into(),
                users: BTreeMap::new(),
                baseline: false,
                process: 0,
                most_sessions: 10,
                most_sessions_of_user: 0,
                session_life: 24 * HOUR,
                forfeit_after: HOUR,
                decision_time: Duration::from_secs(10),
                workers: 1,
                provenance: Provenance::default(),
            })
            .expect("a host");
            let mut token = None;
            for _ in 0..HANDS {
                let mut answer = host.new_hand(token.as_deref(), None, NO).await.expect("a hand");
                token = answer.token.clone().or(token);
                let named = token.clone().expect("a token");
                while answer.end.is_none() {
                    // The agent never bets, so that only the small blind has something to call.
                    let called = match host.act(&named, "k", NO).await {
                        Ok(answer) => answer,
                        Err(_) => host.act(&named, "c", NO).await.expect("a call"),
                    };
                    answer = called;
                }
            }
            host.close();
            let lost = u64::from(["act", "restart"].contains(&method));
            let counted = in_ledger(&only_folder(&folder.path().join("matches")));
            let counted = counted.get(&Fallback::Panic).copied().unwrap_or_default();
            assert_eq!(counted, lost, "{method}, {cost:?}");
        }
    }
}

/// A Slumbot server in which every client folds, in either seat.
fn server() -> String {
    let door = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", door.local_addr().expect("an address"));
    std::thread::spawn(move || {
        let session = Arc::new(Mutex::new((0, 0, 0)));
        while let Ok((stream, _)) = door.accept() {
            let session = Arc::clone(&session);
            std::thread::spawn(move || serve(stream, &session));
        }
    });
    url
}

/// Serves a connection; the session has numbers of hands that are over and dealt, and a total.
fn serve(mut stream: TcpStream, session: &Mutex<(i64, i64, i64)>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            if line.trim().is_empty() {
                break;
            }
            head += &line;
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let (hands, dealt, total) = &mut *session.lock().ok()?;
        let rank = char::from(b'2' + *hands as u8);
        // The seats alternate: it folds the small blind, or the big blind to a raise.
        if head.contains("new_hand") {
            *dealt += 1;
        }
        let (seat, opened, lost, pot) =
            if *dealt % 2 == 0 { (1, "", 50, 150) } else { (0, "b200", 100, 300) };
        let common = format!(r#""client_pos":{seat},"hole_cards":["{rank}c","9d"],"board":[]"#);
        let answer = if head.contains("new_hand") {
            format!(r#"{{"old_action":"","action":"{opened}",{common},"token":"t"}}"#)
        } else if String::from_utf8_lossy(&body).contains(r#""incr":"f""#) {
            *hands += 1;
            *total -= lost;
            // This hand's cards still.
            format!(
                r#"{{"old_action":"{opened}","action":"{opened}f",{common},"bot_hole_cards":["Ks","Kd"],"winnings":-{lost},"won_pot":-{pot},"session_num_hands":{hands},"session_total":{total}}}"#
            )
        } else {
            r#"{"error_msg":"Missing token"}"#.to_owned()
        };
        let length = answer.len();
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{answer}").ok()?;
    }
}

#[test]
fn at_a_slumbot_server() {
    check(&["act", "meet", "hand_over"], |agent| {
        let folder = TempDir::new().expect("a folder");
        let second = Duration::from_secs(1);
        let run = RunSettings {
            agent,
            hands: HANDS.into(),
            server: Server { url: server(), timeout: 10 * second, certificates: None },
            sessions: 1,
            pace: Pace {
                rate: None,
                first_pause: second / 100,
                longest_pause: second,
                connect_timeout: 10 * second,
                give_up: 10 * second,
            },
            seed: Some(1),
            deadline: None,
            opponent: Entrant::named("slumbot"),
            folder: folder.path().join("run"),
            name: "run".into(),
            provenance: Provenance::default(),
        };
        let prefix = Some("/slumbot/api".into());
        let plan = slumbot::SlumbotRunSettings { run, prefix, login: None, opponent: None };
        let played = slumbot::play_blocking(plan, 1, &Stop::new(), &mut |_| {}).expect("a run");
        assert_eq!(played.end.expect("a whole run"), End::Complete);
        let DecisionTally { entrants } = played.summary.decisions;
        entrants.into_iter().next().expect("the agent").fallbacks
    });
}
