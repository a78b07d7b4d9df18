//! The tools for language models through the real binary: over standard input and output as a
//! stranger would write it, and under `cardroom serve`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};

use game::Payoff;
use logs::LedgerReader;
use serde_json::{Value, json};

use crate::program::{Folder, TIMEOUT, list, number, string};
use crate::serve::server::Server;
use crate::serve::slumbot::{Answer, raw};

/// A client of `cardroom mcp`.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
}

impl Client {
    /// Starts the program in this folder and begins as the protocol says.
    fn start(folder: &Folder) -> Client {
        let mut client = Client::start_silent(folder, "");
        let begun = client.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        assert_eq!(begun["result"]["serverInfo"]["name"], "cardroom", "{begun}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn start_silent(folder: &Folder, words: &str) -> Client {
        let mut command = folder.command(("mcp", words));
        let log = std::fs::File::create(folder.join("log")).expect("a file for the log");
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn();
        let mut child = child.expect("the program runs");
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("it is piped"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Client { child, input, lines, next: 0 }
    }

    fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    fn send_text(&mut self, line: &str) {
        let input = self.input.as_mut().expect("it is open");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("sent");
    }

    /// The next line, which must be a message.
    fn receive(&mut self) -> Value {
        let line = self.lines.recv_timeout(TIMEOUT).expect("an answer");
        let message: Value = serde_json::from_str(&line).expect("nothing else on stdout");
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    /// Sends a request and waits for its answer.
    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// The whole result of a tool.
    fn call(&mut self, name: &str, arguments: &Value) -> Value {
        let answer = self.request("tools/call", &json!({ "name": name, "arguments": arguments }));
        assert!(answer["result"].is_object(), "{name} {arguments}: {answer}");
        answer["result"].clone()
    }

    /// The document of a tool that does what it is asked.
    fn ok(&mut self, name: &str, arguments: &Value) -> Value {
        let result = self.call(name, arguments);
        assert_ne!(result["isError"], true, "{name} {arguments}: {result}");
        // Clients that know no documents read the same as text.
        let text: Value =
            serde_json::from_str(string(&result["content"][0]["text"])).expect("JSON");
        assert_eq!(text, result["structuredContent"]);
        text
    }

    /// Why a tool refuses.
    fn refused(&mut self, name: &str, arguments: &Value) -> (String, Value) {
        let result = self.call(name, arguments);
        assert_eq!(result["isError"], true, "{name} {arguments}: {result}");
        let why = string(&result["content"][0]["text"]).to_owned();
        (why, result["structuredContent"].clone())
    }

    /// Plays a table to its end, by what `choose` says for each state; all states with a hand.
    fn play(
        &mut self,
        first: Value,
        choose: &mut dyn FnMut(&Value) -> Value,
    ) -> (Value, Vec<Value>) {
        let mut state = first;
        let mut seen = Vec::new();
        while state["over"] == false {
            seen.push(state.clone());
            let mut action = choose(&state);
            action["table"] = state["table"].clone();
            action["turn"] = state["hand"]["turn"].clone();
            state = self.ok("act", &action);
        }
        (state, seen)
    }

    /// Ends the input; the program's exit code.
    fn end(mut self) -> Option<i32> {
        self.input = None;
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The last of the legal actions every third time, with its smallest amount, else the call.
fn varied() -> impl FnMut(&Value) -> Value {
    let mut turns = 0;
    move |state| {
        turns += 1;
        let legal = list(&state["hand"]["legal"]);
        let calls = |action: &&Value| action["action"] == "call" || action["action"] == "check";
        let chosen = if turns % 3 == 0 { legal.last() } else { legal.iter().find(calls) };
        let chosen = chosen.expect("an action");
        let mut action = json!({ "action": chosen["action"] });
        if chosen["min_amount"].is_number() {
            action["amount"] = chosen["min_amount"].clone();
        }
        action
    }
}

#[test]
fn a_client_is_told_the_tools_and_the_end_of_the_input_ends_the_program() {
    let folder = Folder::new();
    let mut client = Client::start(&folder);
    let tools = client.request("tools/list", &json!({}));
    let names: Vec<&str> =
        list(&tools["result"]["tools"]).iter().map(|tool| string(&tool["name"])).collect();
    for name in [
        "list",
        "new_table",
        "state",
        "act",
        "result",
        "close_table",
        "equity",
        "solve",
        "node",
        "explain",
        "decide",
        "match",
        "stats",
    ] {
        assert!(names.contains(&name), "{names:?}");
    }
    for tool in list(&tools["result"]["tools"]) {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(!string(&tool["description"]).is_empty());
    }
    let offer = client.ok("list", &json!({}));
    let agents: Vec<&str> = list(&offer["agents"]).iter().map(|one| string(&one["name"])).collect();
    assert!(agents.contains(&"cfr") && !agents.contains(&"external"), "{agents:?}");
    assert_eq!(client.end(), Some(0));
    // An input without a word, and one that ends after the first.
    assert_eq!(Client::start_silent(&folder, "").end(), Some(0));
    assert_eq!(Client::start_silent(&folder, "--data elsewhere").end(), Some(0));
    assert!(!folder.join("elsewhere").exists(), "nothing is written before there is a table");
}

#[test]
fn hands_played_by_tools_are_those_of_the_ledger_and_no_hidden_card_is_shown() {
    let folder = Folder::new();
    let mut client = Client::start(&folder);
    let hands = 24;
    let first = client.ok("new_table", &json!({ "agent": "cfr", "seed": 7, "hands": hands }));
    let (table, of) = (first["table"].clone(), string(&first["match"]).to_owned());
    let (last, seen) = client.play(first, &mut varied());
    assert_eq!(last["finished"], hands);
    let ledger = LedgerReader::open(&folder.join("data/matches").join(&of)).expect("a ledger");
    let mut sum = Payoff::ZERO;
    for number in 0..hands {
        let record = ledger.hand(number).expect("a ledger").expect("a hand");
        let seat = record.entrants.iter().find(|(_, entrant)| **entrant == 0).expect("a seat").0;
        let result = client.ok("result", &json!({ "table": table, "hand": number }));
        // By the engine's own rules, from the cards.
        let won = record.public.payoffs(&record.hole)[seat];
        assert_eq!(result["won"], won.chips(), "{result}");
        assert_eq!(result["cards"], record.hole[seat].to_string());
        sum += won;
        let other = record.hole.iter().find(|(other, _)| *other != seat).expect("two seats").1;
        assert_eq!(
            result["agent_cards"].as_str(),
            record.public.is_showdown().then(|| other.to_string()).as_deref(),
            "{result}"
        );
        let states = seen.iter().filter(|state| state["hand"]["number"] == number);
        for state in states {
            let hand = &state["hand"];
            let shown = format!("{} {}", string(&hand["cards"]), string(&hand["board"]));
            for card in other.iter().map(ToString::to_string) {
                assert!(!shown.contains(&card), "hand {number}: {card} in {state}");
            }
            let dealt = record.public.board().to_string();
            assert!(dealt.starts_with(string(&hand["board"])), "{state}");
        }
    }
    assert_eq!(last["won"], sum.chips());
    // So do the statistics; they are those of the command.
    let stats = client.ok("stats", &json!({ "match": of }));
    let path = format!("data/matches/{of}");
    let printed = folder.json(("stats", [&path], ""));
    assert_eq!(stats["entrants"], printed["entrants"]);
    assert_eq!(stats["hands"], hands);
    assert!(stats["estimates"].is_object(), "luck is taken out: {stats}");
    assert_eq!(stats["entrants"][0]["chips"], sum.chips());
    folder.fails(3, ("replay", [&path]), "its cards came from a secret");
    // What a decision of the guest cost.
    let (hand, own) = ledger
        .hands()
        .map(|record| record.expect("a hand"))
        .find_map(|record| {
            let mut history = record.public.history().iter();
            Some((record.hand, history.position(|played| record.entrants[played.seat] == 0)?))
        })
        .expect("an action");
    let asked = json!({ "match": of, "hand": hand, "decision": own, "each_hand": true });
    let explained = client.ok("explain", &asked);
    let words = [hand.to_string(), own.to_string()];
    let printed = folder.json(("explain decision", [&path], words));
    assert_eq!(explained, printed);
    assert!(explained["others"]["against"]["behind_best"].is_number(), "{explained}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_stale_turn_gets_the_fresh_state_and_an_illegal_action_the_legal_ones() {
    let folder = Folder::new();
    let mut client = Client::start(&folder);
    let mut state = client.ok("new_table", &json!({ "agent": "call", "seed": 1, "hands": 3 }));
    let table = state["table"].clone();
    // To the second hand, where the guest acts first.
    while state["hand"]["number"] == 0 {
        let turn = state["hand"]["turn"].clone();
        state = client.ok("act", &json!({ "table": table, "turn": turn, "action": "check" }));
    }
    let act = |turn: &Value, action: &str, amount: Value| {
        let table = &table;
        json!({ "table": table, "turn": turn, "action": action, "amount": amount })
    };
    for turn in ["", "1", "0.1", "1.1", "2.0", "1.0.0", "x", "01.0"] {
        let turn = json!(turn);
        let (why, now) = client.refused("act", &act(&turn, "call", Value::Null));
        assert!(why.contains("not the turn"), "{why}");
        assert_eq!(now, state, "the fresh state, with nothing played");
    }
    let turn = state["hand"]["turn"].clone();
    let raise = list(&state["hand"]["legal"]).last().expect("a raise").clone();
    let (min, max) = (number(&raise["min_amount"]) as u64, number(&raise["max_amount"]) as u64);
    for (action, amount) in [
        ("check", Value::Null),
        ("call", json!(50)),
        ("fold", json!(0)),
        ("raise", Value::Null),
        ("raise", json!(min - 1)),
        ("bet", json!(max + 1)),
        ("raise", json!(4_294_967_295u64)),
    ] {
        let (why, now) = client.refused("act", &act(&turn, action, amount.clone()));
        assert!(why.contains("not one of the legal"), "{action} {amount}: {why}");
        assert_eq!(now["hand"]["legal"], state["hand"]["legal"]);
        assert_eq!(now, state);
    }
    for (action, amount) in [("raise", json!(-1)), ("raise", json!(300.5)), ("shove", Value::Null)]
    {
        let (why, _) = client.refused("act", &act(&turn, action, amount));
        assert!(why.contains("cannot be read"), "{why}");
    }
    assert_eq!(client.ok("state", &json!({ "table": table })), state);
    state = client.ok("act", &act(&turn, "raise", json!(min)));
    assert_eq!(state["hand"]["put_in"], min);
    // The same again is for another turn.
    let (why, now) = client.refused("act", &act(&turn, "raise", json!(min)));
    assert!(why.contains("not the turn"), "{why}");
    assert_eq!(now, state);
    for hand in [1u64, 2, u64::MAX] {
        let (why, _) = client.refused("result", &json!({ "table": table, "hand": hand }));
        assert!(why.contains("is not finished"), "{why}");
    }
    let closed = client.ok("close_table", &json!({ "table": table }));
    assert!(closed["hand"].is_null() && closed["over"] == true, "{closed}");
    let (why, _) = client.refused("state", &json!({ "table": table }));
    assert!(why.contains("no table"), "{why}");
    // A table without a finished hand leaves nothing.
    let other = client.ok("new_table", &json!({ "agent": "call" }));
    client.ok("close_table", &json!({ "table": other["table"] }));
    let of = |state: &Value| folder.join("data/matches").join(string(&state["match"]));
    crate::program::wait_until("that it is gone", || !of(&other).exists());
    let ledger = LedgerReader::open(&of(&closed)).expect("a ledger");
    assert_eq!(ledger.count().expect("a count"), 1);
}

#[test]
fn tables_are_apart_and_the_same_seed_deals_the_same_cards_one_after_another() {
    let folder = Folder::with_config("[mcp]\nmax_tables = 2\n");
    let mut client = Client::start(&folder);
    let new = |seed: u64| json!({ "agent": "call", "seed": seed, "hands": 2 });
    let one = client.ok("new_table", &new(1));
    let (why, _) = client.refused("new_table", &new(1));
    assert!(why.contains("another open table has the cards of seed 1"), "{why}");
    let two = client.ok("new_table", &new(2));
    assert_ne!(one["hand"]["cards"], two["hand"]["cards"]);
    let (why, _) = client.refused("new_table", &new(3));
    assert!(why.contains("2 tables are open, the limit"), "{why}");
    // In turns.
    let (mut states, mut plays) = ([one.clone(), two], [0, 0]);
    let mut choose = varied();
    while states.iter().any(|state| state["over"] == false) {
        for (state, plays) in states.iter_mut().zip(&mut plays) {
            if state["over"] == false {
                let mut action = choose(state);
                (action["table"], action["turn"]) =
                    (state["table"].clone(), state["hand"]["turn"].clone());
                let next = client.ok("act", &action);
                assert_eq!(next["table"], state["table"]);
                (*state, *plays) = (next, *plays + 1);
            }
        }
    }
    assert!(plays.iter().all(|&plays| plays >= 2));
    // Tables that are over make room; another process deals the same.
    assert_eq!(client.ok("new_table", &new(3))["over"], false);
    assert_eq!(client.end(), Some(0));
    let mut other = Client::start(&folder);
    let again = other.ok("new_table", &new(1));
    assert_eq!(again["hand"]["cards"], one["hand"]["cards"]);
    // The cards are no function of the seed alone.
    let elsewhere = Folder::new();
    let mut stranger = Client::start(&elsewhere);
    let theirs: Vec<Value> =
        (1..4).map(|seed| stranger.ok("new_table", &new(seed))["hand"]["cards"].clone()).collect();
    let ours: Vec<Value> = [1].map(|_| again["hand"]["cards"].clone()).into();
    assert_ne!(theirs[..1], ours[..], "a chance of 1 in 1,326 that they are the same");
}

#[test]
fn games_other_than_no_limit_holdem_are_played_too() {
    let folder = Folder::new();
    let mut client = Client::start(&folder);
    for game in ["kuhn.limit.2p", "leduc.limit.2p", "holdem.limit.2p.reverse_blinds"] {
        let new = json!({ "agent": "random", "game": game, "seed": 5, "hands": 20 });
        let first = client.ok("new_table", &new);
        let of = string(&first["match"]).to_owned();
        let (last, _) = client.play(first, &mut varied());
        let printed = folder.json(("stats --estimates off", [format!("data/matches/{of}")]));
        assert_eq!(printed["hands"], 20);
        assert_eq!(printed["entrants"][0]["chips"], last["won"], "{game}");
    }
    let (why, _) =
        client.refused("new_table", &json!({ "agent": "call", "game": "holdem.nolimit.3p" }));
    assert!(why.contains("games for two"), "{why}");
}

#[test]
fn what_tools_compute_is_what_the_commands_print() {
    let folder = Folder::new();
    let mut client = Client::start(&folder);
    for (arguments, words) in [
        (json!({ "hands": ["AcKd", "7h7s"] }), "AcKd 7h7s"),
        (json!({ "hands": ["AcKd"], "board": "Ks3hJc" }), "AcKd --board Ks3hJc"),
        (
            json!({ "hands": ["AcKd"], "board": "Ks3hJc", "against": "QQ+,AKs" }),
            "AcKd --board Ks3hJc --against QQ+,AKs",
        ),
    ] {
        let printed = folder.json(format!("show equity {words}"));
        assert_eq!(client.ok("equity", &arguments), printed);
    }
    // A solved spot, its beginning and a node.
    let spot = json!({
        "board": "Td9d6hQc2s", "pot": 100, "stack": [200], "ranges": ["QQ+,AKs", "random"],
        "each_hand": true,
    });
    let words = "solve subgame --board Td9d6hQc2s --pot 100 --stack 200 --ranges QQ+,AKs random \
                 --no-keep --quiet";
    let without_time = |mut document: Value| {
        document["result"]["seconds"] = 0.into();
        document.as_object_mut().expect("a document").remove("solve");
        document
    };
    let solved = client.ok("solve", &spot);
    let name = solved["solve"].clone();
    assert_eq!(without_time(solved), without_time(folder.json(words)));
    for at in ["x", "x b50", "x b50 c"] {
        let node = json!({ "solve": name, "at": at, "each_hand": true });
        if at == "x b50 c" {
            // Nobody acts there.
            client.refused("node", &node);
            continue;
        }
        let node = client.ok("node", &node);
        let printed = folder.json((words, "--at", [at]));
        assert_eq!(without_time(node), without_time(printed));
    }
    let brief = client.ok("node", &json!({ "solve": name, "at": "" }));
    assert!(brief["spots"][0]["hands"].is_null() && brief["spots"][0]["actions"].is_array());
    // A match, which the command finds played.
    let document =
        client.ok("match", &json!({ "a": "equity", "b": "call", "hands": 200, "seed": 3 }));
    let printed = folder.json("match equity call --hands 200 --seed 3 --quiet");
    assert_eq!(document["entrants"], printed["entrants"]);
    assert_eq!(document["match"], printed["match"]);
    let of = string(&document["match"]["name"]).to_owned();
    assert!(
        client.ok("list", &json!({}))["matches"].as_array().expect("names").contains(&of.into())
    );
    let listed = client.ok("explain", &json!({ "match": document["match"]["name"], "hand": 4 }));
    let path = format!("data/matches/{}", string(&document["match"]["name"]));
    assert_eq!(listed, folder.json(("explain decision", [&path], "4")));
    // A decision, with its seed the same again.
    let asked = json!({
        "agent": "cfr", "seat": 0, "betting": "r300c/cr600", "cards": "AcKd|/Ks3hJc", "seed": 5,
    });
    let decided = client.ok("decide", &asked);
    assert_eq!(client.ok("decide", &asked)["action"], decided["action"]);
    assert_eq!(decided["legal"]["to_call"], 300);
}

#[test]
fn what_cannot_be_asked_is_refused_with_the_reason_and_the_limit() {
    let config = "[mcp]\nmax_hands = 50\nmax_memory = \"2MiB\"\n";
    let folder = Folder::with_config(config);
    folder.ok("match call fold --hands 10 --out outside --quiet");
    folder.ok("match call fold --hands 10 --quiet");
    std::os::unix::fs::symlink(folder.join("outside"), folder.join("data/matches/link"))
        .expect("a link");
    let mut client = Client::start(&folder);
    let long = "x".repeat(5000);
    let spot = |change: Value| {
        let mut all = json!({
            "board": "Td9d6hQc2s", "pot": 100, "stack": [200], "ranges": ["QQ+,AKs", "random"],
        });
        let keys = change.as_object().expect("keys");
        keys.iter().for_each(|(key, value)| all[key] = value.clone());
        all
    };
    for (tool, arguments, says) in [
        ("new_table", json!({}), "missing field `agent`"),
        ("new_table", json!({ "agent": "nobody" }), "no agent `nobody` is on offer here; one of: "),
        ("new_table", json!({ "agent": "external:true" }), "no agent"),
        ("new_table", json!({ "agent": "cfr:blueprint=/etc/passwd" }), "no agent"),
        ("new_table", json!({ "agent": "cfr", "game": "/etc/passwd" }), "no built-in game"),
        ("new_table", json!({ "agent": "cfr", "hands": 51 }), "from 1 to 50, the limit here"),
        ("new_table", json!({ "agent": "cfr", "hands": 0 }), "from 1 to 50"),
        ("new_table", json!({ "agent": "cfr", "hands": u64::MAX }), "from 1 to 50"),
        ("new_table", json!({ "agent": "cfr", "seed": -1 }), "`seed` cannot be read"),
        ("new_table", json!({ "agent": 7 }), "the argument `agent` cannot be read"),
        (
            "new_table",
            json!({ "agent": "call", "game": "pokerbots.discard.2p" }),
            "cards are put on the board",
        ),
        ("new_table", json!({ "agent": "cfr", "seeds": 1 }), "unknown field `seeds`"),
        ("new_table", json!({ "agent": long }), "agent has 5000 characters, and at most 4096"),
        ("state", json!({ "table": "../../etc" }), "no table"),
        ("match", json!({ "a": "cfr", "b": "call", "hands": 51 }), "from 1 to 50"),
        ("match", json!({ "a": "cfr", "b": "call", "hands": 7 }), "6 or 8"),
        ("match", json!({ "a": "cfr", "b": "./bot" }), "no agent `./bot`"),
        ("stats", json!({ "match": "none" }), "no match `none`"),
        ("stats", json!({ "match": "../outside" }), "no match"),
        ("stats", json!({ "match": "/etc" }), "no match"),
        ("stats", json!({ "match": "link" }), "no match"),
        ("stats", json!({ "match": "--json" }), "no match"),
        ("explain", json!({ "match": "link", "hand": 0 }), "no match"),
        ("equity", json!({ "hands": [] }), "empty"),
        ("equity", json!({ "hands": ["AcAc"] }), "Ac appears twice"),
        ("equity", json!({ "hands": ["--svg=x"] }), ""),
        ("equity", json!({ "hands": vec!["AcKd"; 17] }), "17 elements, and at most 16"),
        ("equity", json!({ "hands": ["AcKd"], "board": "--svg=x" }), "the board"),
        ("decide", json!({ "agent": "nobody", "seat": 0, "betting": "", "cards": "" }), "no agent"),
        (
            "decide",
            json!({
                "agent": "call", "seat": 0, "betting": "r300c/cr600",
                "cards": "AcKd|2c2d/Ks3hJc",
            }),
            "the cards of seat 1 are shown",
        ),
        ("solve", spot(json!({ "ranges": ["--strategy=x", "random"] })), "begins with a `-`"),
        ("solve", spot(json!({ "menu": "/etc/passwd" })), "there is no menu"),
        ("solve", spot(json!({ "menu": "cardroom.toml" })), "there is no menu"),
        ("solve", spot(json!({ "board": "Td9d6h" })), "allows 2MiB"),
        ("solve", spot(json!({ "board": "Td" })), "one card"),
        ("solve", spot(json!({ "pot": 0 })), ""),
        ("solve", spot(json!({ "iterations": 10_001 })), "from 1 to 10000"),
        ("solve", spot(json!({ "at": ["x b50 nonsense"] })), "nonsense"),
        ("node", json!({ "solve": "1", "at": "" }), "no solve `1` is kept"),
    ] {
        let (why, _) = client.refused(tool, &arguments);
        assert!(why.contains(says), "{tool} {arguments}: no `{says}` in {why}");
    }
    for written in ["x", "svg"] {
        assert!(!folder.join(written).exists(), "{written} was written");
    }
    let unknown = client.request("tools/call", &json!({ "name": "shell", "arguments": {} }));
    assert!(unknown["error"]["message"].to_string().contains("no tool `shell`"), "{unknown}");
    let unknown = client.request("resources/list", &json!({}));
    assert!(unknown.get("error").is_some() || unknown["result"].is_object(), "{unknown}");
    assert_eq!(client.end(), Some(0));
    assert!(!folder.read("log").contains("panic"), "{}", folder.read("log"));
}

#[test]
fn lines_that_are_no_messages_do_no_harm() {
    let folder = Folder::new();
    let mut client = Client::start(&folder);
    for line in ["", "{", "nonsense", "[]", "\"\"", "\u{0}", "{\"jsonrpc\":\"1.0\"}"] {
        client.send_text(line);
    }
    // More than is taken: dropped, with a line in the log.
    let huge = json!({
        "jsonrpc": "2.0", "id": 1000, "method": "tools/call",
        "params": { "name": "list", "arguments": { "x": "x".repeat(1 << 20) } },
    });
    client.send(&huge);
    // What has the form of a message but is none is answered as one without an id.
    client.next += 1;
    let id = client.next;
    let ping = json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    client.send(&ping);
    let mut answer = client.receive();
    while answer["id"].is_null() {
        assert!(answer["error"].is_object(), "{answer}");
        answer = client.receive();
    }
    assert_eq!(answer["id"], id, "{answer}");
    let first = client.ok("new_table", &json!({ "agent": "call", "hands": 1 }));
    let (last, _) = client.play(first, &mut varied());
    assert_eq!(last["finished"], 1);
    assert_eq!(client.end(), Some(0));
    let log = folder.read("log");
    assert!(log.contains("maximum line length") && !log.contains("panic"), "{log}");
}

#[test]
fn an_input_that_ends_in_the_middle_of_a_match_keeps_what_was_played() {
    let folder = Folder::new();
    let mut client = Client::start(&folder);
    let first = client.ok("new_table", &json!({ "agent": "call", "hands": 5, "seed": 1 }));
    let of = string(&first["match"]).to_owned();
    let mut state = first;
    while state["finished"].as_u64() < Some(2) {
        let calls = |action: &&Value| action["action"] == "call" || action["action"] == "check";
        let calls =
            list(&state["hand"]["legal"]).iter().find(calls).expect("one")["action"].clone();
        let turn = state["hand"]["turn"].clone();
        state =
            client.ok("act", &json!({ "table": state["table"], "turn": turn, "action": calls }));
    }
    // A long match, and no word about its end.
    let long = json!({ "a": "cfr", "b": "oct", "hands": 10_000 });
    let call = json!({ "name": "match", "arguments": long });
    client.send(&json!({ "jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": call }));
    let begun = folder.join("data/matches/cfr-vs-oct-holdem.nolimit.2p.reverse_blinds-s0-h10000");
    crate::program::wait_until("that it begins", || begun.join("ledger.sqlite").exists());
    assert_eq!(client.end(), Some(0));
    let table = LedgerReader::open(&folder.join("data/matches").join(of)).expect("a ledger");
    assert_eq!(table.count().expect("a count"), 2);
    LedgerReader::open(&begun).expect("a whole ledger").count().expect("a count");
}

/// The answer to a message over HTTP.
fn post(server: &Server, lines: &[&str], message: &Value) -> Answer {
    let body = message.to_string();
    let mut text = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                    Content-Type: application/json\r\n\
                    Accept: application/json, text/event-stream\r\n"
        .to_owned();
    lines.iter().for_each(|line| text += &format!("{line}\r\n"));
    text += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
    raw(server, text.as_bytes()).expect("an answer")
}

fn call(name: &str, arguments: &Value) -> Value {
    let params = json!({ "name": name, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
}

#[test]
fn under_serve_the_tools_are_off_unless_configured_and_behind_the_login() {
    let off = Server::start("tables = []\n");
    assert_eq!(post(&off, &[], &call("list", &json!({}))).code, 404);
    let mut server = Server::start("tables = []\n[mcp]\nenabled = true\n");
    let announced: Vec<String> = (0..3).map(|_| server.next_line()).collect();
    assert!(announced.iter().any(|line| line.ends_with("/mcp")), "{announced:?}");
    let begin = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        },
    });
    let begun = post(&server, &[], &begin);
    assert_eq!(begun.code, 200, "{}", begun.body);
    assert_eq!(begun.json()["result"]["serverInfo"]["name"], "cardroom");
    // Hands, each request by itself.
    let tool = |name: &str, arguments: Value| {
        let answer = post(&server, &[], &call(name, &arguments));
        assert_eq!(answer.code, 200, "{}", answer.body);
        answer.json()["result"]["structuredContent"].clone()
    };
    let mut state = tool("new_table", json!({ "agent": "call", "hands": 2, "seed": 4 }));
    let mut choose = varied();
    while state["over"] == false {
        let mut action = choose(&state);
        (action["table"], action["turn"]) = (state["table"].clone(), state["hand"]["turn"].clone());
        state = tool("act", action);
    }
    let stats = tool("stats", json!({ "match": state["match"] }));
    assert_eq!(stats["hands"], 2);
    // Pages from elsewhere are refused, and other hosts.
    for origin in ["Origin: http://localhost:3000", "Origin: https://127.0.0.1"] {
        assert_eq!(post(&server, &[origin], &begin).code, 200, "{origin}");
    }
    for origin in ["Origin: https://evil.example", "Origin: null", "Origin: file://localhost"] {
        let refused = post(&server, &[origin], &begin);
        assert_eq!(refused.code, 403, "{origin}");
        assert!(refused.body.contains("server.hosts"), "{}", refused.body);
    }
    let huge = call("list", &json!({ "x": "x".repeat(100_000) }));
    assert_eq!(post(&server, &[], &huge).code, 413);
    assert!(!server.log().contains("panic"), "{}", server.log());

    let folder = Folder::with_config(
        "tables = []\n[server.login]\ntoken_file = \"token\"\n[mcp]\nenabled = true\n",
    );
    folder.write_with_mode("token", "abc123\n", 0o600);
    let locked = Server::start_in(folder);
    for (lines, code) in [
        (&[][..], 401),
        (&["Authorization: Bearer abc124"], 401),
        (&["Authorization: Bearer abc123"], 200),
    ] {
        assert_eq!(post(&locked, lines, &begin).code, code, "{lines:?}");
    }
}
