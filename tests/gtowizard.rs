//! `cardroom play gtowizard` as a process: against `cardroom serve` with faults, killed and gone on
//! with, and what it says of keys, versions and other games.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use cards::CardSet;
use logs::ledger::{FILE_NAME, Known, in_journal};
use logs::{HandRecord, LedgerReader};
use serde_json::{Value, json};

use crate::program::{Folder, Run, Words, kill, number, open_port, wait_for, wait_until};
use crate::serve::server::Server;
use crate::serve::slumbot::raw;

const HOST: &str = "tables = []\n[slumbot]\nagent = \"random\"\nbaseline = false\n";

fn host(faults: &str) -> Server {
    let folder = Folder::with_config(HOST);
    folder.write("faults.toml", faults);
    let options = if faults.is_empty() { "" } else { "--faults faults.toml" };
    Server::start_with(folder, &format!("--log warn {options}"))
}

fn play(folder: &Folder, url: &str, more: impl Words) -> Run {
    folder.run(("play gtowizard --host", [url], more))
}

fn set(cards: &[cards::Card]) -> CardSet {
    cards.iter().copied().collect()
}

/// The host's finished hands by their numbers, which are those of the deals.
fn hosts_hands(folder: &Path) -> BTreeMap<u64, HandRecord> {
    let mut hands = BTreeMap::new();
    for entry in fs::read_dir(folder.join("data/matches")).expect("the ledgers") {
        let path = entry.expect("a folder").path();
        // The host writes within a tenth of a second what it has told of.
        wait_until("no hand is in the journal", || !in_journal(&path.join(FILE_NAME)));
        let reader = LedgerReader::open(&path).expect("a ledger");
        for hand in reader.hands() {
            let hand = hand.expect("a hand");
            assert!(hands.insert(hand.deal, hand).is_none(), "one hand twice");
        }
    }
    hands
}

/// The scores that the host has noted, in chips.
fn hosts_scores(folder: &Path) -> BTreeMap<u64, f64> {
    let text = fs::read_to_string(folder.join("data/gtowizard/clients.jsonl")).expect("a file");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let hands = lines.filter_map(|line| {
        let hand = line.get("hand")?;
        let part =
            |kind: usize| Some(hand["weights"][kind].as_f64()? * hand["luck"][kind].as_f64()?);
        let score = hand["won"].as_f64()? - part(0)? - part(1)?;
        Some((hand["hand"].as_u64()?, 100.0 * score))
    });
    hands.collect()
}

/// The open hands of the key that is none, asked for until the request meets no fault.
fn open_hands(host: &Server) -> Value {
    let path = "/hands/in-progress?game_name=HUNL%20200BB";
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    for _ in 0..100 {
        let answer = raw(host, request.as_bytes()).filter(|answer| answer.code == 200);
        if let Some(list) = answer.and_then(|answer| serde_json::from_str(&answer.body).ok()) {
            return list;
        }
    }
    panic!("no list in a hundred answers");
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

/// The run's ledger against the host's, hand for hand; the numbers of hands played, unseen and in
/// no rate.
fn check_ledgers(run: &Path, host: &Path) -> [usize; 3] {
    let (hosts, theirs) = (hosts_hands(host), hosts_scores(host));
    let reader = LedgerReader::open(run).expect("the run's ledger");
    let scores = reader.hand_scores().expect("scores");
    let mut counts = [0; 3];
    let mut known = Vec::new();
    for row in reader.web_hands().expect("hands") {
        let id = row.number.expect("the server's number");
        known.push(id);
        let hosts = hosts.get(&id).unwrap_or_else(|| panic!("the host has no hand {id}"));
        match row.known {
            Known::Played => {
                counts[0] += 1;
                let hand = reader.hand(row.hand).expect("it reads").expect("it is there");
                assert!(same(&hand, hosts), "hand {} is not the host's {id}", row.hand);
                let score = scores.iter().find(|score| score.hand == row.hand).expect("a score");
                let aivat = score.aivat.expect("this host gives scores");
                assert!(score.id == id && (aivat - theirs[&id]).abs() < 0.006, "hand {id}");
            }
            Known::Unknown => counts[1] += 1,
            Known::Beyond => counts[2] += 1,
            Known::Settled => panic!("nothing settles hand {id}"),
        }
    }
    assert_eq!(reader.count().expect("a number"), counts[0] as u64);
    known.sort_unstable();
    let all = known.len();
    known.dedup();
    assert_eq!(known.len(), all, "a hand is there twice");
    // What the host has and the run does not know was over before anybody saw it.
    for (id, hand) in hosts.iter().filter(|(id, _)| known.binary_search(id).is_err()) {
        let client = hand.entrants.iter().find(|(_, entrant)| **entrant == 0).expect("it sat").0;
        let acted = hand.public.history().iter().any(|played| played.seat == client);
        assert!(!acted, "the run does not know of hand {id}");
    }
    counts
}

#[test]
fn with_eight_percent_of_all_answers_lost_both_ledgers_agree_hand_for_hand() {
    let at_run = Folder::new();
    let host = host("seed = 9\ndrop_after = 0.04\nstatus = 0.04\ncodes = [502, 503, 504]\n");
    let arguments = "--agent random --hands 400 --slots 4 --out run --json --quiet --pause 1ms";
    let summary = play(&at_run, &host.url(), arguments).code(0).json();
    assert_eq!(summary["schema"], "cardroom-play-gtowizard/1");
    let [played, unseen, beyond] = check_ledgers(&at_run.join("run"), &host.folder);
    assert_eq!((played, summary["played"].as_u64()), (400, Some(400)), "{summary:#}");
    assert!(unseen > 5, "{summary:#}");
    assert_eq!(summary["unknown"].as_u64(), Some(unseen as u64), "{summary:#}");
    assert_eq!(summary["beyond"].as_u64(), Some(beyond as u64), "{summary:#}");
    assert_eq!(summary["scored"], 400);
    assert!(summary["failures"].as_u64() > Some(50), "{summary:#}");
    // The score has the smaller deviation, and both are of the same hands.
    let error = |key: &str| number(&summary[key]["standard_error"]);
    assert!(error("aivat") < error("rate"), "{summary:#}");
    assert!(summary["change"]["chance"].as_f64().is_some_and(|chance| chance > 1e-4));
    // Nothing is left open with this key: the list is empty.
    assert_eq!(open_hands(&host), json!([]));

    // Asked once more, the run is complete, and the server is not needed for saying so.
    drop(host);
    play(&at_run, "http://127.0.0.1:9", arguments).code(0);
    let said = play(&at_run, "http://127.0.0.1:9", "--agent random --hands 400 --out run").code(0);
    for expected in ["score against version 2", "no change of the score is detectable"] {
        assert!(said.stdout.contains(expected), "no `{expected}` in {}", said.stdout);
    }
}

#[test]
fn killed_twice_among_faults_a_run_goes_on_with_the_hands_it_had_open() {
    let at_run = Folder::new();
    let faults = "seed = 5\ndrop = 0.01\ndrop_after = 0.01\ntruncate = 0.01\nreset = 0.01\n\
                  duplicate = 0.01\nstatus_after = 0.02\ncodes = [503]\n";
    let host = host(faults);
    let arguments =
        "--agent random --hands 500 --slots 5 --out run --json --pause 2ms --timeout 5s --quiet";
    for kill_at in [120, 300] {
        // Slow enough to be caught in the middle.
        let options = (arguments, "--rate 300");
        let mut child = at_run.start_unheard(("play gtowizard --host", [host.url()], options));
        let run = at_run.join("run");
        wait_for(&mut child, "hands are played", || {
            let reader = LedgerReader::open(&run).ok();
            reader.and_then(|reader| reader.count().ok()).unwrap_or_default() >= kill_at
        });
        kill(child);
    }
    let summary = play(&at_run, &host.url(), arguments).code(0).json();
    let [played, unseen, beyond] = check_ledgers(&at_run.join("run"), &host.folder);
    assert_eq!(played, 500, "{summary:#}");
    assert!(beyond <= 10 && unseen < 100, "{summary:#}");
    assert_eq!(open_hands(&host), json!([]));
    // Another version is another opponent, and so is another agent.
    play(&at_run, &host.url(), "--agent random --hands 600 --out run --opponent-version 1")
        .says_only(3, &["run holds another run", "gtowizard:1"]);
}

#[test]
fn at_the_cap_a_new_hand_waits_and_no_hand_is_lost() {
    let at_run = Folder::new();
    // The server says 409 to a third of the requests for a hand, and deals nothing.
    let faults = "seed = 3\nstatus = 0.33\ncodes = [409]\nonly = [\"new_hand\"]\n";
    let host = host(faults);
    let arguments = "--agent call --hands 200 --slots 3 --out run --json --quiet --pause 1ms";
    let summary = play(&at_run, &host.url(), arguments).code(0).json();
    assert_eq!(check_ledgers(&at_run.join("run"), &host.folder), [200, 0, 0], "{summary:#}");
    assert_eq!(summary["failures"], 0, "{summary:#}");
    // No hand was lost, so the server's own count of them is the run's.
    let theirs = &summary["server_results"];
    assert_eq!(theirs["total_hands"], 200, "{summary:#}");
    for (ours, key) in [("rate", "bb_per_100"), ("aivat", "aivat_score_bb_per_100")] {
        let apart = number(&summary[ours]["mbb"]) / 10.0 - number(&theirs[key]);
        assert!(apart.abs() < 0.02, "{ours}: {summary:#}");
    }
    // The first page has the clients, too.
    let client = &host.json("/api/v1/overview")["benchmark"][0];
    assert_eq!(client, theirs);
    let page = host.get("/").1;
    assert!(page.contains("GTO Wizard Benchmark API") && page.contains(r#"num">200<"#), "{page}");
}

#[test]
fn bursts_of_busy_answers_are_waited_out_and_lose_no_hand() {
    let at_run = Folder::new();
    // For 20 requests in a row, whoever asks, the server is busy.
    let host = host("seed = 4\nstatus = 0.02\ncodes = [502, 503, 504]\nburst = 20\n");
    let arguments = "--agent random --hands 200 --slots 5 --out run --quiet --pause 1ms";
    let run = play(&at_run, &host.url(), arguments).code(0);
    assert_eq!(check_ledgers(&at_run.join("run"), &host.folder), [200, 0, 0], "{}", run.stdout);
    let expected = "by the server's own count, the key has 200 hands";
    assert!(run.stdout.contains(expected), "no `{expected}` in {}", run.stdout);
    assert!(run.stdout.contains(": the same as here"), "{}", run.stdout);
    let summary = play(&at_run, &host.url(), (arguments, "--json")).code(0).json();
    assert_eq!(summary["unknown"], 0, "{summary:#}");
}

/// A server that answers every request with this text after its number, and keeps the requests.
fn stub(
    answer: impl Fn(u64, &str) -> (u16, String) + Send + 'static,
) -> (String, Arc<Mutex<Vec<String>>>) {
    let (door, port) = open_port();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    std::thread::spawn(move || {
        let mut number = 0;
        while let Ok((stream, _)) = door.accept() {
            let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
            let mut stream = stream;
            loop {
                let (mut head, mut line) = (String::new(), String::new());
                while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                    head += &line.to_lowercase();
                    line.clear();
                }
                if head.is_empty() {
                    break;
                }
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
                let mut body = vec![0; length.map_or(0, |n| n.trim().parse().expect("a number"))];
                reader.read_exact(&mut body).expect("a body");
                let (code, text) = answer(number, &head);
                number += 1;
                kept.lock().expect("nobody panics").push(head);
                let length = text.len();
                let sent = write!(
                    stream,
                    "HTTP/1.1 {code} X\r\nContent-Type: application/json\r\nContent-Length: \
                     {length}\r\n\r\n{text}"
                );
                if sent.is_err() {
                    break;
                }
            }
        }
    });
    (format!("http://127.0.0.1:{port}"), seen)
}

/// A hand in which the agent, on the button, is to act first.
fn opening(id: u64) -> Value {
    json!({
        "hand_id": id,
        "game": {
            "game_id": 1, "game_name": "HUNL 200BB", "game_format": "HU",
            "starting_stack": 20000.0, "blinds": [50.0, 100.0], "stack_reset_per_hand": true,
        },
        "game_state": {
            "street": "preflop", "common_pot": 0.0, "total_pot": 150.0, "board_cards": "",
            "is_hand_over": false,
            "players": [
                { "name": "GTO Wizard", "stack": 19900.0, "position": "BB", "hole_cards": "7c2d" },
                { "name": "me", "stack": 19950.0, "position": "SB", "hole_cards": "AsAh" },
            ],
            "legal_actions": ["f", "c", "b"], "raise_range": { "min": 200.0, "max": 20000.0 },
            "action_history": [], "has_gto_wizard_folded": false,
            "winnings": null, "aivat_score": null, "thinking_ms": 5,
        },
    })
}

/// The same after the agent's fold.
fn folded(id: u64, winnings: f64) -> Value {
    let mut view = opening(id);
    let state = &mut view["game_state"];
    state["is_hand_over"] = true.into();
    state["legal_actions"] = json!([]);
    state["raise_range"] = Value::Null;
    state["action_history"] = json!(["f"]);
    state["winnings"] = winnings.into();
    state["aivat_score"] = json!(-64.5);
    view
}

#[test]
fn the_agents_name_and_the_key_go_with_every_request_and_the_key_is_shown_nowhere() {
    let folder = Folder::new();
    folder.write_with_mode("key", "sk-very-secret\n", 0o600);
    let results = json!({
        "bot_name": "me", "total_hands": 8, "bb_per_100": -50.0, "aivat_score_bb_per_100": -64.5,
        "aivat_std_bb_per_100": 1.5, "chance_correction_bb_per_100": 0.0,
        "action_correction_bb_per_100": 0.0, "all_hands_chips_bb_per_100": -50.0, "rank": 3,
    });
    let (url, seen) = stub(move |_, head| {
        let text = match head {
            head if head.starts_with("get /hands/in-progress") => "[]".to_owned(),
            head if head.starts_with("get /results") => results.to_string(),
            head if head.starts_with("post /hands ") => opening(7).to_string(),
            _ => folded(7, -50.0).to_string(),
        };
        (200, text)
    });
    let options = "--agent fold --hands 1 --slots 1 --out run --key-file key";
    let run = play(&folder, &url, options).code(0);
    assert!(!run.stdout.contains("very-secret") && !run.stderr.contains("very-secret"));
    assert!(run.stdout.contains("1 hand with an AIVAT score"), "{}", run.stdout);
    let seen = seen.lock().expect("nobody panics").clone();
    assert!(run.stdout.contains("the key has 8 hands, -50.00 bb/100"), "{}", run.stdout);
    assert!(run.stdout.contains("7 hands more than here"), "{}", run.stdout);
    assert_eq!(seen.len(), 4, "{seen:#?}");
    for head in &seen {
        assert!(head.contains("x-api-key: sk-very-secret"), "{head}");
        assert!(head.contains("user-agent: cardroom/"), "{head}");
    }
    let kept = walk(&folder.join("run"));
    assert!(kept.iter().all(|bytes| !bytes.windows(11).any(|part| part == b"very-secret")));
    // A file that others can read is refused.
    folder.write_with_mode("key", "sk-very-secret\n", 0o644);
    play(&folder, &url, options).says_only(3, &["key", "chmod 600"]);
}

/// The contents of all files of a folder.
fn walk(folder: &Path) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    entries.filter_map(|entry| fs::read(entry.path()).ok()).collect()
}

#[test]
fn without_a_key_the_public_server_is_not_asked() {
    let folder = Folder::new();
    folder.fails(2, "play gtowizard --agent call --hands 1", "needs a key");
    // Nor is one at another address, or with a key that is empty.
    let elsewhere = "play gtowizard --agent call --hands 1 --host https://poker.invalid";
    folder.fails(2, elsewhere, "https://poker.invalid needs a key");
    let empty = folder.command(elsewhere).env("CARDROOM_GTOWIZARD_KEY", " ").output();
    let empty = empty.expect("it runs");
    assert_eq!(empty.status.code(), Some(2), "{}", String::from_utf8_lossy(&empty.stderr));
}

#[test]
fn another_game_a_wrong_result_and_a_refused_key_end_the_run_with_words() {
    let folder = Folder::new();
    let with = |deal: Value, act: Value| {
        stub(move |_, head| {
            let text = match head {
                head if head.starts_with("get /hands/in-progress") => "[]".to_owned(),
                head if head.starts_with("post /hands ") => deal.to_string(),
                _ => act.to_string(),
            };
            (200, text)
        })
        .0
    };
    let run = |url: &str, out: &str| {
        play(&folder, url, ("--agent fold --hands 1 --slots 1 --pause 1ms --out", [out]))
    };
    let mut ante = opening(7);
    ante["game"]["ante"] = json!(25);
    run(&with(ante, json!({})), "ante").says_only(5, &["game.ante", "is 25", "another game"]);
    let url = with(opening(7), folded(7, -100.0));
    run(&url, "won").says_only(5, &["winnings are -100", "give -50", "before: hand 7"]);
    let mut other = folded(7, -50.0);
    other["hand_id"] = json!(8);
    run(&with(opening(7), other), "other").says_only(5, &["`hand_id` is 8, but was 7"]);
    let (url, _) = stub(|_, _| (401, r#"{"detail":"bad key"}"#.to_owned()));
    run(&url, "key").says_only(3, &["status 401", "--key-file"]);
    let (url, _) = stub(|_, _| (403, "error code: 1010".to_owned()));
    run(&url, "barred").says_only(3, &["status 403", "--key-file"]);
    assert!(!folder.join("key").exists(), "a run that cannot begin leaves nothing behind");
}
