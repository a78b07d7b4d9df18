//! Stopping: patiently, within a grace period, at once, and by being killed.

use std::fs;
use std::os::unix::net::UnixDatagram;
use std::process::Stdio;

use logs::LedgerReader;

use super::server::{Bot, Server, game, match_folders};
use crate::program::{Folder, TIMEOUT, send, shows, wait_until};

const KUHN: &str = "kuhn.limit.2p";

const TABLE: &str = "[server]\nlog = \"debug\"\n[[tables]]\nname = \"kuhn\"\n\
                     game = \"kuhn.limit.2p\"\nhands = 1000000\n\
                     seats = [{ agent = \"call\" }, { port = 0 }]\n";

#[test]
fn both_signals_finish_the_hand_in_play() {
    for (signal, expected) in [("TERM", Some(0)), ("INT", Some(0))] {
        let mut server = Server::start(TABLE);
        let mut bot = Bot::sit(server.ports[0], &game(KUHN));
        bot.play(20);
        server.signal(signal);
        let rest = bot.play(u32::MAX);
        assert!(rest.clean, "the connection is closed between two hands");
        assert_eq!(server.end().code(), expected, "{}", server.log());
        let folder = &server.match_folders()[0];
        let result = server.folder.read_json(folder.join("result.json"));
        assert_eq!(result["ending"], "stopped");
        let ledger = LedgerReader::open(&folder.join(logs::ledger::FILE_NAME)).expect("a ledger");
        assert_eq!(ledger.count().expect("readable"), u64::from(20 + rest.hands));
        assert_eq!(result["hands"], 20 + rest.hands);
    }
}

#[test]
fn sigterm_does_not_wait_longer_than_the_grace_period_for_a_silent_bot() {
    let mut server = Server::start(&TABLE.replace("[server]", "[server]\ngrace = \"200ms\""));
    let mut bot = Bot::sit(server.ports[0], &game(KUHN));
    bot.play(3);
    // It is this bot's turn sooner or later, and it says nothing.
    server.signal("TERM");
    assert_eq!(server.end().code(), Some(0), "{}", server.log());
    let folder = &server.match_folders()[0];
    assert_eq!(server.folder.read_json(folder.join("result.json"))["ending"], "stopped");
    assert!(server.folder.read_json(folder.join("report.json"))["hands"].as_u64() >= Some(3));
}

#[test]
fn a_second_interrupt_aborts_with_exit_code_130() {
    let mut server = Server::start(TABLE);
    let mut bot = Bot::sit(server.ports[0], &game(KUHN));
    bot.play(3);
    server.signal("INT");
    wait_until("it stops", || server.json("/api/v1/overview")["draining"] == true);
    server.signal("INT");
    assert_eq!(server.end().code(), Some(130), "{}", server.log());
    let last = server.log().lines().last().unwrap_or_default().to_owned();
    assert!(last.contains("every") || last.contains("on record"), "{last}");
}

#[test]
fn kill_loses_no_hand_that_a_bot_saw_end() {
    let server = Server::start(TABLE);
    let def = game(KUHN);
    let mut bot = Bot::sit(server.ports[0], &def);
    let seen = bot.play(50).hands;
    let folder = server.kill();
    let path = match_folders(&folder)[0].clone();
    assert!(!path.join("result.json").exists());

    let server = Server::start_in(folder);
    let result = server.folder.read_json(path.join("result.json"));
    assert_eq!(result["ending"], "interrupted");
    assert!(result["hands"].as_u64() >= Some(seen.into()), "{result}");
    let ledger = LedgerReader::open(&path.join(logs::ledger::FILE_NAME)).expect("a ledger");
    assert_eq!(Some(ledger.count().expect("readable")), result["hands"].as_u64());
    let log = fs::read_to_string(path.join("acpc.log")).expect("a log");
    let states = log.lines().filter(|line| line.starts_with("STATE:")).count();
    assert_eq!(Some(states as u64), result["hands"].as_u64());
    let line = server.json("/api/v1/matches")[0].clone();
    assert_eq!(line["ended"]["ending"], "interrupted");
    // The table is open again.
    let mut bot = Bot::sit(server.ports[0], &def);
    assert_eq!(bot.play(3).hands, 3);
}

#[test]
fn the_log_is_json_with_the_match_and_the_hand() {
    let server = Server::start(TABLE);
    let mut bot = Bot::sit(server.ports[0], &game(KUHN));
    bot.play(3);
    let log = server.log();
    let lines: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let kept = lines.iter().find(|line| line["message"] == "hand kept").expect("a kept hand");
    assert!(kept["match_id"].as_str().is_some_and(|id| id.starts_with("kuhn-")), "{kept}");
    assert_eq!(kept["hand"], 0);
}

#[test]
fn systemd_hears_when_the_server_is_ready_alive_and_stopping() {
    let folder = Folder::with_config("");
    let socket = UnixDatagram::bind(folder.join("notify")).expect("a socket");
    socket.set_read_timeout(Some(TIMEOUT)).expect("a socket");
    let mut child = folder
        .command("serve --bind 127.0.0.1:0")
        .env("NOTIFY_SOCKET", folder.join("notify"))
        .env("WATCHDOG_USEC", "100000")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts");
    let next = || {
        let mut bytes = [0; 64];
        let n = socket.recv(&mut bytes).expect("a message");
        String::from_utf8_lossy(&bytes[..n]).into_owned()
    };
    assert_eq!(next(), "READY=1");
    assert_eq!(next(), "WATCHDOG=1");
    assert_eq!(next(), "WATCHDOG=1");
    send("TERM", child.id());
    while next() != "STOPPING=1" {}
    assert_eq!(child.wait().expect("a child").code(), Some(0));
}

#[test]
fn the_unit_is_hardened_and_names_this_program() {
    let folder = Folder::with_config("");
    let unit = folder.ok("systemd");
    shows(&unit, &[&format!("ExecStart={} serve", env!("CARGO_BIN_EXE_cardroom"))]);
    for line in ["DynamicUser=yes", "ProtectSystem=strict", "NoNewPrivileges=yes", "Type=notify"] {
        assert!(unit.lines().any(|l| l == line), "no {line}");
    }
    assert!(!unit.contains('@') || unit.contains("@system-service"), "{unit}");
    folder.run("systemd --config relative.toml").code(2);
    let named = folder.ok("systemd --user cardroom");
    assert!(named.contains("\nUser=cardroom\nGroup=cardroom\n"), "{named}");
    assert!(!named.contains("DynamicUser"), "{named}");
    folder.run(("systemd --user", ["a\nExecStart=b"])).code(2);
}

#[test]
fn a_container_can_ask_whether_the_server_is_alive() {
    let mut server = Server::start("");
    let ask = |address: &str| Folder::new().run(("doctor --server", [address])).status;
    let address = server.web.to_string();
    assert_eq!(ask(&address), Some(0));
    assert_eq!(ask("127.0.0.1"), Some(5), "no port");
    server.signal("TERM");
    server.end();
    assert_eq!(ask(&address), Some(5));
}
