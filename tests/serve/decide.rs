//! `POST /api/v1/decide`: what agents do there is what they do in matches; what cannot be is
//! refused with its place; agents that fail are errors.

use std::collections::BTreeMap;

use game::{InfoSet, notation};
use logs::LedgerReader;
use logs::formats::jsonl;
use serde_json::{Value, json};

use super::api::{Description, ask};
use super::server::Server;
use super::slumbot::Answer;
use crate::program::{Folder, list, number, string};

const PATH: &str = "/api/v1/decide";

fn post(server: &Server, body: &Value) -> Answer {
    ask(server, "POST", PATH, "application/json", &body.to_string())
}

/// A situation as a body.
fn body(agent: &str, infoset: &InfoSet, hand: u64) -> Value {
    let mut hole = game::BySeat::new(infoset.public.def().players);
    hole[infoset.seat] = infoset.hole;
    json!({
        "agent": agent,
        "hand": hand,
        "seat": infoset.seat.index(),
        "betting": notation::betting(&infoset.public),
        "cards": notation::cards(&infoset.public, &hole),
    })
}

#[test]
fn agents_do_over_http_what_they_do_in_matches() {
    let server = Server::start("tables = []\n");
    let description = Description::fetch(&server);
    let folder = &server.folder;
    folder.run("match cfr oct --hands 12 --out m").code(0);
    let ledger = LedgerReader::open(&folder.join("m").join(logs::ledger::FILE_NAME));
    let ledger = ledger.expect("a ledger");
    let lines = folder.read("m/decisions.jsonl");
    let recorded: BTreeMap<(u64, u32), logs::DecisionRecord> = (1..)
        .zip(lines.lines())
        .map(|(number, line)| jsonl::read_decision(line, number).expect("a decision"))
        .map(|decision| ((decision.hand, decision.index), decision))
        .collect();
    let mut compared = 0;
    for record in ledger.hands() {
        let record = record.expect("a hand");
        record.public.each_decision(|public, played| {
            let seat = played.seat;
            let infoset = InfoSet { public: public.clone(), seat, hole: record.hole[seat] };
            let before = &recorded[&(record.hand, public.history().len() as u32)];
            let agent = ["cfr", "oct"][usize::from(before.entrant)];
            let body = body(agent, &infoset, record.hand);
            let answer = post(&server, &body);
            assert_eq!(answer.code, 200, "{body}: {}", answer.body);
            description.check("POST", PATH, &answer);
            let answer = answer.json();
            let strategy = before.strategy.as_ref().expect("both give one");
            let pairs = list(&answer["strategy"]);
            assert_eq!(pairs.len(), strategy.actions.len(), "{body}: {answer}");
            let mut sum = 0.0;
            for (pair, (action, p)) in pairs.iter().zip(&strategy.actions) {
                let mut text = String::new();
                notation::write_action(*action, false, &mut text);
                assert_eq!(pair[0], text, "{body}: {answer}");
                assert!((number(&pair[1]) - p).abs() < 1e-12, "{body}");
                sum += p;
            }
            assert!((sum - 1.0f64).abs() < 1e-6);
            assert_eq!(answer["note"].as_str(), before.note.as_deref());
            let legal = infoset.legal();
            assert_eq!(answer["legal"]["fold"], legal.fold);
            assert_eq!(answer["legal"]["to_call"], legal.to_call);
            assert_eq!(answer["legal"]["raise"]["min"].as_u64(), legal.raise.map(|r| r.min.into()));
            compared += 1;
        });
    }
    assert!(compared > 30, "{compared}");
}

#[test]
fn every_agent_on_offer_decides_and_the_seed_gives_the_same_answer_again() {
    let server = Server::start("tables = []\n");
    let description = Description::fetch(&server);
    let agents = server.json("/api/v1/agents");
    let asked: Vec<&Value> =
        agents.as_array().expect("a list").iter().filter(|line| line["decides"] == true).collect();
    assert!(asked.len() > 10, "{agents}");
    let ask = |agent: &str, seed: Option<u64>| {
        let mut body = json!({
            "agent": agent, "seat": 0, "betting": "cr300c/cc/cc/cr900",
                "cards": "AcKd|/Ks3hJc/2d/7h",
        });
        if let Some(seed) = seed {
            body["seed"] = seed.into();
        }
        let answer = post(&server, &body);
        assert_eq!(answer.code, 200, "{agent}: {}", answer.body);
        description.check("POST", PATH, &answer);
        let mut answer = answer.json();
        assert_eq!(answer["agent"], agent);
        answer["elapsed_ns"] = 0.into();
        answer
    };
    for line in asked {
        let name = string(&line["name"]);
        // It solves the rest of the hand, which takes long here.
        if name == "resolve" {
            continue;
        }
        let first = ask(name, None);
        let again = ask(name, first["seed"].as_u64());
        assert_eq!(first, again);
    }
    // Without a seed the draws differ.
    let drawn = || ask("random", None)["seed"].clone();
    assert_ne!([drawn(), drawn()], [drawn(), drawn()]);
    // Other games, other numbers of players.
    for (game, seat, betting, cards) in [
        ("holdem.limit.3p", 2, "", "||AcKd"),
        ("kuhn.limit.2p", 1, "r", "|Ks"),
        ("holdem.nolimit.6p", 3, "f", "|||2c2d||"),
    ] {
        let body = json!({
            "agent": "call", "game": game, "seat": seat, "betting": betting, "cards": cards,
        });
        let answer = post(&server, &body);
        assert_eq!(answer.code, 200, "{}", answer.body);
        assert_eq!(answer.json()["action"], "c", "{}", answer.body);
    }
}

#[test]
fn what_cannot_be_is_refused_with_its_place_and_a_remedy() {
    let server = Server::start("tables = []\n");
    let description = Description::fetch(&server);
    let good = json!({
        "agent": "call", "seat": 0, "betting": "r300c/cr600", "cards": "AcKd|/Ks3hJc",
    });
    assert_eq!(post(&server, &good).code, 200);
    let with = |key: &str, value: Value| {
        let mut body = good.clone();
        body[key] = value;
        body
    };
    let situation = |seat: u64, betting: &str, cards: &str| {
        json!({
            "agent": "call", "seat": seat, "betting": betting, "cards": cards,
        })
    };
    for (body, place, says) in [
        (json!([1]), "", "not a JSON object"),
        (json!({}), "", "`agent` is missing"),
        (json!({ "agent": "call" }), "", "`seat` is missing"),
        (with("agents", json!("call")), "/agents", "no key `agents`"),
        (with("a/b~", json!(1)), "/a~1b~0", "no key `a/b~`"),
        (with("agent", json!(1)), "/agent", "not a text"),
        (with("agent", json!("nobody")), "/agent", "no agent `nobody`"),
        (with("agent", json!("external:true")), "/agent", "no agent `external:true`"),
        (with("agent", json!("cfr:blueprint=/etc/passwd")), "/agent", "may be asked here"),
        (with("game", json!("kun.limit.2p")), "/game", "no game `kun.limit.2p`"),
        (with("game", json!("/etc/passwd")), "/game", "no game"),
        (with("seat", json!(2)), "/seat", "not from 0 to 1"),
        (with("seat", json!(-1)), "/seat", "whole number"),
        (with("seat", json!(0.5)), "/seat", "whole number"),
        (with("hand", json!(4_294_967_296u64)), "/hand", "whole number"),
        (with("seed", json!("1")), "/seed", "whole number"),
        (with("betting", json!("r300c/cr600:AcKd|:")), "/betting", "`:`"),
        (with("cards", json!("AcKd|:")), "/cards", "`:`"),
        (with("betting", json!("r300c/cr600x")), "/betting", "character 11: `x` is not an action"),
        (with("betting", json!("r99")), "/betting", "character 0: a raise to 99 is outside"),
        (
            with("betting", json!("r300cr600")),
            "/betting",
            "character 5: the flop must be dealt first",
        ),
        (with("betting", json!("r300c/cr600c")), "/betting", "cards are due next: the turn"),
        (with("betting", json!("r300c/cr600f")), "/betting", "the hand is over"),
        (with("cards", json!("AcKd|2c2d/Ks3hJc")), "/cards", "the cards of seat 1 are shown"),
        (with("cards", json!("|/Ks3hJc")), "/cards", "the cards of seat 0 are missing"),
        (with("cards", json!("AcAc|/Ks3hJc")), "/cards", "Ac appears twice"),
        (with("cards", json!("AcKd|/Kd3hJc")), "/cards", "a card appears twice"),
        (with("cards", json!("ackd|/Ks3hJc")), "/cards", "`Ah`"),
        (with("cards", json!("AcKd|")), "/cards", "dealt for the flop"),
        (with("cards", json!("AcKd|/Ks3hJc/2c")), "/cards", ""),
        (situation(0, "", "AcKd|"), "/seat", "the turn of seat 1, not of seat 0"),
        (situation(1, "r300c/", "|AcKd"), "/cards", "0 cards dealt for the flop"),
    ] {
        let answer = post(&server, &body);
        assert_eq!(answer.code, 400, "{body}: {}", answer.body);
        description.check("POST", PATH, &answer);
        let problem = answer.json();
        let error = string(&problem["error"]);
        assert!(error.contains(says), "{body}: {error}");
        let found = string(&problem["place"]);
        assert_eq!(found, place, "{body}: {}", answer.body);
        assert!(!string(&problem["remedy"]).is_empty());
    }
}

#[test]
fn no_bytes_make_it_fail() {
    let server = Server::start("tables = []\n");
    let description = Description::fetch(&server);
    let good =
        r#"{"agent":"call","seat":0,"betting":"r300c/cr600","cards":"AcKd|/Ks3hJc","seed":1}"#;
    let mut refused = 0;
    for at in 0..good.len() {
        let (before, after) = (&good[..at], &good[at + 1..]);
        for with in ["", "\u{0}", "9999999999", "{", "\"", "/", "\\u0000"] {
            let body = format!("{before}{with}{after}");
            let answer = ask(&server, "POST", PATH, "application/json", &body);
            assert!([200, 400].contains(&answer.code), "{body}: {} {}", answer.code, answer.body);
            description.check("POST", PATH, &answer);
            refused += usize::from(answer.code == 400);
        }
    }
    let deep = "[".repeat(60_000);
    assert_eq!(ask(&server, "POST", PATH, "application/json", &deep).code, 400);
    assert!(refused > 300, "{refused}");
    assert!(!server.log().contains("panic"), "{}", server.log());
}

#[test]
fn only_agents_of_the_configuration_are_asked_and_those_that_fail_are_errors() {
    let config = "tables = []\n\
         [agents.mine]\nkind = \"equity\"\n\
         [agents.hangs]\nkind = \"external\"\ncommand = \"bash hang.sh\"\n\
         [agents.ends]\nkind = \"external\"\ncommand = \"bash end.sh\"\nrestarts = 0\n\
         [agents.never]\nkind = \"external\"\ncommand = \"false\"\n\
         [slumbot]\nenabled = false\n\
         [decide]\nagents = [\"mine\", \"hangs\", \"ends\", \"never\"]\n\
         decision_timeout = \"700ms\"\nworkers = 2\n";
    let folder = Folder::with_config(config);
    let hello = "exec 3<>/dev/tcp/$1/$2; printf 'VERSION:2.0.0\\r\\n' >&3\n";
    folder.write("hang.sh", format!("{hello}sleep 1000\n"));
    let end = format!("{hello}read line <&3; echo it was enough >&2; exit 7\n");
    folder.write("end.sh", end);
    let server = Server::start_in(folder);
    let description = Description::fetch(&server);
    let ask = |agent: &str| {
        let body = json!({ "agent": agent, "seat": 1, "betting": "", "cards": "|AcKd" });
        let answer = post(&server, &body);
        description.check("POST", PATH, &answer);
        answer
    };
    assert_eq!(ask("mine").code, 200);
    for other in ["call", "equity", "hang", ""] {
        let answer = ask(other);
        assert_eq!(answer.code, 400, "{}", answer.body);
        assert!(answer.body.contains("ends, hangs, mine, never"), "{}", answer.body);
    }
    let agents = server.json("/api/v1/agents");
    let agents = agents.as_array().expect("a list").iter();
    let asked: Vec<&str> = agents
        .filter(|line| line["decides"] == true)
        .filter_map(|line| line["name"].as_str())
        .collect();
    assert_eq!(asked, ["ends", "hangs", "mine", "never"]);
    let late = ask("hangs");
    assert_eq!(late.code, 504, "{}", late.body);
    assert!(late.body.contains("did not answer in time"), "{}", late.body);
    let gone = ask("ends");
    assert_eq!(gone.code, 502, "{}", gone.body);
    assert!(gone.body.contains("it was enough"), "{}", gone.body);
    assert_eq!(ask("never").code, 503);
    // The server goes on.
    assert_eq!(ask("mine").code, 200);
    let off = Server::start("tables = []\n[decide]\nenabled = false\n");
    let answer = post(&off, &json!({}));
    assert_eq!(answer.code, 404, "{}", answer.body);
    assert!(answer.body.contains("decide.enabled"), "{}", answer.body);
}
