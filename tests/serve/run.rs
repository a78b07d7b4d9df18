//! The page that starts matches, tournaments and evaluations, and its API: what is started there
//! has the figures of its command; runs wait, are stopped and taken up again, also by another
//! server after the first was killed; and nobody starts what the server does not allow.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::api::{Description, ask};
use super::server::Server;
use super::slumbot::{Answer, raw};
use crate::program::{Folder, list, shows, string, wait_until};

const QUIET: &str = "tables = []\n[slumbot]\nenabled = false\n";

const RUNS: &str = "/api/v1/run";

/// A match that takes long enough to be stopped, with less than a second in each block of deals.
const LONG: &str = "match equity random --hands 200000 --seed 3";

fn post(server: &Server, path: &str, command: &str) -> Answer {
    ask(server, "POST", path, "application/json", &json!({ "command": command }).to_string())
}

/// Has a command started; returns the run's number.
fn start(server: &Server, command: &str) -> String {
    let answer = post(server, RUNS, command);
    assert_eq!(answer.code, 200, "{}", answer.body);
    string(&answer.json()["id"]).to_owned()
}

fn put(server: &Server, id: &str, action: &str) -> Answer {
    ask(server, "PUT", &format!("{RUNS}/{id}/{action}"), "text/plain", "")
}

fn change(server: &Server, id: &str, action: &str) -> Value {
    let answer = put(server, id, action);
    assert_eq!(answer.code, 200, "{action}: {}", answer.body);
    answer.json()
}

fn found(server: &Server, id: &str) -> Value {
    server.json(&format!("{RUNS}/{id}"))
}

fn wait_for_state(server: &Server, id: &str, state: &str) -> Value {
    let mut run = Value::Null;
    wait_until(state, || {
        run = found(server, id);
        let ended = ["stopped", "finished", "failed"].contains(&string(&run["state"]));
        assert!(!ended || run["state"] == state, "{run}");
        run["state"] == state
    });
    run
}

/// Waits until a run has recorded some hands.
fn wait_for_hands(server: &Server, id: &str) {
    let mut run = Value::Null;
    wait_until("it has recorded hands", || {
        run = found(server, id);
        assert_ne!(run["state"], "failed", "{run}");
        run["progress"]["done"].as_u64() > Some(0)
    });
}

/// The words of a run's command behind the program's name.
fn words(run: &Value) -> Vec<String> {
    let words = shlex::split(string(&run["command"])).expect("quotes are closed");
    assert_eq!(words[0], "cardroom");
    words[1..].to_vec()
}

/// The folder that a run keeps its results in.
fn place(server: &Server, run: &Value) -> PathBuf {
    let words = words(run);
    let out = words.iter().position(|word| word == "--out").expect("a folder");
    server.folder.join(&words[out + 1])
}

/// The entrants of a match's report, without how long they took.
fn figures(folder: &Folder, place: &Path) -> Value {
    let mut report = folder.read_json(place.join("report.json"));
    for entrant in report["entrants"].as_array_mut().expect("entrants") {
        entrant["decisions"] = Value::Null;
    }
    json!([report["hands"], report["entrants"]])
}

#[test]
fn a_match_that_is_started_has_the_figures_of_its_command_and_is_known_to_it() {
    let server = Server::start(QUIET);
    let description = Description::fetch(&server);
    let command = "match call random --hands 2000 --seed 5";
    let checked = post(&server, "/api/v1/run/check", command);
    description.check("POST", "/api/v1/run/check", &checked);
    assert_eq!(checked.json()["hands"], 2000);
    assert!(list(&server.json(RUNS)["runs"]).is_empty(), "checking starts nothing");
    let answer = post(&server, RUNS, &format!("cardroom {command}"));
    description.check("POST", RUNS, &answer);
    let run = answer.json();
    assert_eq!(run["command"], checked.json()["command"]);
    let id = string(&run["id"]);
    let run = wait_for_state(&server, id, "finished");
    let other = Folder::new();
    other.ok((command, "--out m"));
    let place = place(&server, &run);
    assert_eq!(place.parent(), Some(server.folder.join("data/matches").as_path()));
    assert_eq!(figures(&server.folder, &place), figures(&other, &other.join("m")));
    // A terminal shows what the page shows, and does not play it again.
    let again = server.folder.ok(words(&run));
    assert_eq!(run["output"], again);
    shows(&again, &["call", "random", "2,000"]);
    // Its page is that of any match.
    let page = string(&run["page"]);
    assert!(server.get(page).0.starts_with("http/1.1 200"), "{page}");
    for path in [RUNS.to_owned(), format!("{RUNS}/{id}")] {
        description.check("GET", &path, &ask(&server, "GET", &path, "text/plain", ""));
    }
    for path in ["/run", &format!("/run/{id}")] {
        let (head, body) = server.get(path);
        assert!(head.starts_with("http/1.1 200") && body.len() < 150_000, "{path}: {head}");
        shows(&body, &["call, random", "finished"]);
    }
    // The same command is the same run.
    assert_eq!(start(&server, command), id);
    wait_for_state(&server, id, "finished");
    description.check("PUT", &format!("{RUNS}/{id}/forget"), &put(&server, id, "forget"));
    assert_eq!(ask(&server, "GET", &format!("{RUNS}/{id}"), "text/plain", "").code, 404);
}

#[test]
fn an_evaluation_and_a_tournament_have_the_figures_of_their_commands() {
    let server = Server::start(QUIET);
    let description = Description::fetch(&server);
    let command = "evaluate best-response equity --game kuhn.limit.2p";
    let id = start(&server, command);
    let run = wait_for_state(&server, &id, "finished");
    assert_eq!(run["output"], server.folder.ok(command));
    assert!(run["page"].is_null(), "it is not kept: {run}");
    let id = start(&server, "evaluate exploiters call --hands 200");
    let run = wait_for_state(&server, &id, "finished");
    assert_eq!(run["output"], server.folder.ok(words(&run)));
    let id = start(&server, "tournament call random fold --hands 400 --seed 2");
    let run = wait_for_state(&server, &id, "finished");
    let name = string(&run["page"]).strip_prefix("/tournaments/").expect("a page").to_owned();
    let path = format!("/api/v1/tournaments/{name}");
    let answer = ask(&server, "GET", &path, "text/plain", "");
    description.check("GET", &path, &answer);
    let view = answer.json();
    let report = server.folder.json(words(&run));
    assert_eq!(view["crosstable"], report["crosstable"]);
    assert_eq!((&view["hands"], &view["planned_hands"]), (&json!(1200), &json!(1200)));
    assert_eq!((&view["finished"], &view["running"]), (&json!(3), &json!(false)));
    for (shown, standing) in list(&view["standings"]).iter().zip(list(&report["standings"])) {
        assert_eq!(shown["letters"], standing["letters"]);
        assert_eq!(shown["rate"], standing["rate"]);
    }
    let (_, page) = server.get(&format!("/tournaments/{name}"));
    for meeting in list(&view["matches"]) {
        assert_eq!(meeting["finished"], true);
        let id = string(&meeting["id"]).replace('/', "%2F");
        assert!(page.contains(&format!("/matches/{id}")), "no link to {id}");
        assert!(server.get(&format!("/matches/{id}")).0.starts_with("http/1.1 200"), "{id}");
    }
    let listed = ask(&server, "GET", "/api/v1/tournaments", "text/plain", "");
    description.check("GET", "/api/v1/tournaments", &listed);
    assert_eq!(listed.json()[0]["name"], name.as_str());
    let none = ask(&server, "GET", "/api/v1/tournaments/none", "text/plain", "");
    description.check("GET", "/api/v1/tournaments/none", &none);
    assert_eq!(none.code, 404);
}

#[test]
fn runs_wait_in_their_order_and_a_stopped_one_ends_as_if_it_had_never_been() {
    let server = Server::start(&format!("{QUIET}[run]\nqueue = 2\n"));
    let description = Description::fetch(&server);
    let long = start(&server, LONG);
    let [second, third] = ["match call fold --hands 200", "match random fold --hands 200"]
        .map(|it| start(&server, it));
    wait_for_state(&server, &long, "running");
    let before = |id: &str| found(&server, id)["before"].clone();
    assert_eq!([before(&second), before(&third)], [json!(0), json!(1)]);
    let full = post(&server, RUNS, "match fold fold --hands 200");
    description.check("POST", RUNS, &full);
    assert_eq!(full.code, 503);
    shows(&full.body, &["2 runs wait already", "run.queue"]);
    change(&server, &third, "first");
    assert_eq!([before(&second), before(&third)], [json!(1), json!(0)]);
    // The same folder is not for two runs at the same time.
    let same = post(&server, RUNS, &format!("{LONG} --record hands"));
    assert_eq!(same.code, 409, "{}", same.body);
    let cancelled = change(&server, &second, "stop");
    assert_eq!((&cancelled["state"], &cancelled["before"]), (&json!("stopped"), &Value::Null));
    wait_for_hands(&server, &long);
    assert_eq!(change(&server, &long, "stop")["stopping"], true);
    let stopped = wait_for_state(&server, &long, "stopped");
    let place = place(&server, &stopped);
    let hands = logs::LedgerReader::open(&place).expect("a ledger").count().expect("readable");
    assert!(hands > 0 && hands < 200_000, "{hands}");
    wait_for_state(&server, &third, "finished");
    for (id, action) in [(&third, "first"), (&third, "stop"), (&long, "first")] {
        let refused = put(&server, id, action);
        description.check("PUT", &format!("{RUNS}/{id}/{action}"), &refused);
        assert_eq!(refused.code, 409, "{}", refused.body);
    }
    change(&server, &long, "resume");
    wait_for_state(&server, &long, "finished");
    let other = Folder::new();
    other.ok((LONG, "--out m"));
    assert_eq!(figures(&server.folder, &place), figures(&other, &other.join("m")));
}

#[test]
fn a_killed_server_leaves_no_run_behind_and_the_next_one_takes_it_up_again() {
    let server = Server::start(QUIET);
    let long = start(&server, LONG);
    let waiting = start(&server, "match call fold --hands 200");
    wait_for_hands(&server, &long);
    let place = place(&server, &found(&server, &long));
    let lock = place.join("ledger.lock");
    let process = std::fs::read_to_string(&lock).expect("a lock").trim().to_owned();
    assert!(crate::program::runs(&process));
    let folder = server.kill();
    wait_until("the run has ended with its server", || !crate::program::runs(&process));
    let server = Server::start_in(folder);
    let stopped = found(&server, &long);
    assert_eq!(stopped["state"], "stopped");
    shows(string(&stopped["reason"]), &["the server ended"]);
    // What waited is started.
    wait_for_state(&server, &waiting, "finished");
    change(&server, &long, "resume");
    wait_for_state(&server, &long, "finished");
    let other = Folder::new();
    other.ok((LONG, "--out m"));
    assert_eq!(figures(&server.folder, &place), figures(&other, &other.join("m")));
}

#[test]
fn a_server_that_stops_lets_runs_finish_their_hands() {
    let mut server = Server::start(QUIET);
    let long = start(&server, LONG);
    wait_for_hands(&server, &long);
    let place = place(&server, &found(&server, &long));
    // Another server with this folder starts nothing, and says why.
    let folder = server.folder.join("data").display().to_string();
    let second = Server::start_with(Folder::with_config(QUIET), &format!("--data '{folder}'"));
    let refused = post(&second, RUNS, "match call fold --hands 2");
    assert_eq!(refused.code, 403, "{}", refused.body);
    shows(&refused.body, &["another server", "starts runs in this data folder"]);
    drop(second);
    server.signal("TERM");
    assert_eq!(server.end().code(), Some(0), "{}", server.log());
    let kept = server.folder.read_json("data/run/list.json");
    assert_eq!(kept["runs"][0]["state"], "stopped", "{kept}");
    let ledger = logs::LedgerReader::open(&place).expect("a ledger");
    assert!(ledger.count().expect("readable") > 0);
}

#[test]
fn what_may_not_be_started_is_refused_in_words_and_nothing_outside_is_read() {
    let config = format!("{QUIET}[run]\nmax_hands = 5000\n[agents.mine]\nkind = \"call\"\n");
    let folder = Folder::with_config(&config);
    folder.write("outside.fft", "secret");
    folder.write_with_mode("bot.sh", "#!/bin/sh\ntouch started\n", 0o755);
    std::fs::create_dir_all(folder.join("data")).expect("a folder");
    folder.write("data/inside.fft", "no list");
    std::os::unix::fs::symlink("../outside.fft", folder.join("data/link.fft")).expect("a link");
    let server = Server::start_in(folder);
    let description = Description::fetch(&server);
    let absolute = server.folder.join("outside.fft").display().to_string();
    let long = "x".repeat(301);
    for (command, expected) in [
        // Those that start programs.
        ("match call external:./bot.sh", "starts a program"),
        ("match call ./bot.sh", "there is no agent"),
        ("match call pokerbots:data", "starts a program"),
        ("match call 'shadow:asked=external,playing=call'", ""),
        ("evaluate panel external:./bot.sh", "starts a program"),
        // Files elsewhere.
        ("match call fft:model=outside.fft", "is not below"),
        (&format!("match call fft:model={absolute}"), "is not below"),
        ("match call fft:model=data/../outside.fft", "is not below"),
        ("match call fft:model=data/link.fft", "is not below"),
        ("match call fft:model=none.fft", "is not below"),
        (r#"match call 'fft:model="\u006futside.fft"'"#, "is not below"),
        ("match call fft:model=data/inside.fft", "data/inside.fft"),
        ("match call call --game outside.fft", "is not below"),
        ("match call call --game lenient:/etc/passwd", "is not below"),
        ("evaluate best-response cfr --menu outside.fft", "is not below"),
        // The server's own options, however they are written.
        ("match call call --out x", "--out is the server's"),
        ("match call call --out=x", "--out is the server's"),
        ("match call call --config x", "--config is the server's"),
        ("match call call --threads 99", "--threads is the server's"),
        ("match call call --json", "--json is the server's"),
        ("tournament call call --csv x", "--csv is the server's"),
        ("match call call --shard 1/2", "--shard is the server's"),
        ("match -- call call", "`--`"),
        // Other commands, and too much.
        ("serve", "`serve` is not started from here"),
        ("train cfr", "`train` is not started from here"),
        ("confine sh", "`confine` is not started from here"),
        ("", "is not started from here"),
        ("match call 'call", "a quote that is not closed"),
        (&format!("match call {long}"), "is no word of a command"),
        (&"match call ".repeat(500), "too long"),
        ("match call fold --hands 6000", "6,000 hands"),
        ("tournament call fold random --hands 2000", "6,000 hands"),
        // What the command itself says.
        ("match call", "2 players, but 1 agent"),
        ("match call fold --hands 3", "duplicate groups"),
        ("match call fold --hand 4", "unexpected argument"),
        ("match call nobody", "there is no agent `nobody`"),
        ("match cfr call --game kuhn.limit.2p --hands 10", "cannot play this game"),
        ("evaluate lbr call --from nowhere", "invalid value"),
        ("evaluate duel cfr --against call --hands 1", "at least 2"),
    ] {
        for path in ["/api/v1/run/check", RUNS] {
            let answer = post(&server, path, command);
            description.check("POST", path, &answer);
            assert_eq!(answer.code, 400, "{command}: {}", answer.body);
            let answer = answer.json();
            shows(string(&answer["error"]), &[expected]);
            assert!(!answer.to_string().contains("secret"), "{command}: {answer}");
        }
    }
    assert!(list(&server.json(RUNS)["runs"]).is_empty());
    assert!(!server.folder.join("started").exists());
    // An agent of the configuration, and one of a file in the data folder.
    let id = start(&server, "match mine call --hands 200");
    wait_for_state(&server, &id, "finished");
    for (body, kind, code) in [
        ("{}", "application/json", 400),
        ("{\"command\": 7}", "application/json", 400),
        ("{\"command\": \"match call call\", \"out\": \"x\"}", "application/json", 400),
        ("command=match+call+call", "application/x-www-form-urlencoded", 415),
        ("{\"command\": \"match call call\"}", "text/plain", 415),
    ] {
        let answer = ask(&server, "POST", RUNS, kind, body);
        description.check("POST", RUNS, &answer);
        assert_eq!(answer.code, code, "{body}: {}", answer.body);
    }
    let method = ask(&server, "PUT", RUNS, "text/plain", "").json();
    assert_eq!(method["remedy"], "use GET or POST");
}

#[test]
fn programs_are_started_only_where_the_configuration_names_them() {
    let config =
        format!("{QUIET}[run]\nagents = [\"call\", \"mine\"]\n[agents.mine]\nkind = \"call\"\n");
    let server = Server::start(&config);
    assert_eq!(post(&server, "/api/v1/run/check", "match call mine --hands 20").code, 200);
    let refused = post(&server, "/api/v1/run/check", "match call random --hands 20");
    assert_eq!(refused.code, 400);
    shows(&refused.body, &["`random` may not be started", "call, mine", "run.agents"]);
}

#[test]
fn nothing_is_started_for_others_without_a_login_nor_for_pages_from_elsewhere() {
    let body = json!({ "command": "match call fold --hands 200" }).to_string();
    let send = |server: &Server, lines: &str| {
        let length = body.len();
        let request = format!(
            "POST {RUNS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: \
             application/json\r\nContent-Length: {length}\r\n{lines}\r\n{body}"
        );
        raw(server, request.as_bytes()).expect("an answer")
    };
    // A page of another host, and a request that a proxy on this machine has passed on.
    let server = Server::start(QUIET);
    for (lines, expected) in [
        ("Origin: http://evil.example\r\n", "of another host"),
        ("Origin: null\r\n", "of another host"),
        ("X-Forwarded-For: 192.0.2.1\r\n", "only this machine"),
    ] {
        let answer = send(&server, lines);
        assert_eq!(answer.code, 403, "{lines}: {}", answer.body);
        shows(&answer.body, &[expected]);
    }
    assert_eq!(send(&server, "Origin: http://localhost:5252\r\n").code, 200);
    // Where others can reach the server, it needs a login.
    let here = "127.0.0.1:0";
    for (config, bind, expected) in [
        ("[server]\nhosts = [\"cards.example.org\"]\n", here, "there is no login"),
        ("", "0.0.0.0:0", "there is no login"),
        ("[run]\nenabled = false\n", here, "this server starts nothing"),
    ] {
        let config = format!("tables = []\n{config}[slumbot]\nenabled = false\n");
        let folder = Folder::with_config(&config);
        let command = folder.command(("serve --bind", bind));
        let server = Server::run(folder, command);
        let answer = send(&server, "");
        assert_eq!(answer.code, 403, "{config}: {}", answer.body);
        shows(&answer.body, &[expected]);
        assert_eq!(server.json(RUNS), Value::Null);
        shows(&server.get("/run").1, &["Nothing can be started", expected]);
    }
    let folder = Folder::with_config(
        "tables = []\n[server]\nhosts = [\"cards.example.org\"]\n[server.login]\n\
         token_file = \"token\"\n[slumbot]\nenabled = false\n",
    );
    folder.write_with_mode("token", "secret-token\n", 0o600);
    let server = Server::start_in(folder);
    assert_eq!(send(&server, "").code, 401);
    let answer = send(&server, "Authorization: Bearer secret-token\r\n");
    assert_eq!(answer.code, 200, "{}", answer.body);
}
