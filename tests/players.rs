//! `cardroom play`, `package` and `agents` as processes: results, exit codes, one clear line each.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::program::{cardroom, send, text, wait_for, wait_until, wait_until_it_listens};

const NOLIMIT: &str = "holdem.nolimit.2p.reverse_blinds";

/// Ends as expected, with exactly one line on the error stream, which holds this text.
fn check_failure(output: &Output, code: i32, expected: &str) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.starts_with("error: ") && said.contains(expected), "{said}");
}

/// A dealer that reads the version and says this, then closes.
fn dealer(says: &'static str) -> (String, JoinHandle<String>) {
    let door = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = door.local_addr().expect("an address").port().to_string();
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = door.accept().expect("a player");
        let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
        let mut heard = String::new();
        reader.read_line(&mut heard).expect("the version");
        stream.write_all(says.as_bytes()).expect("the player listens");
        stream.shutdown(std::net::Shutdown::Write).expect("it is open");
        reader.read_to_string(&mut heard).expect("the rest");
        heard
    });
    (port, thread)
}

#[test]
fn play_ends_with_the_exit_code_of_what_happened() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let cases: &[(&str, i32, &str)] = &[
        ("", 4, "closed the connection before the first hand"),
        ("MATCHSTATE:1:0::|AsAd\r\n", 4, "closed the connection in the middle of hand 0"),
        ("MATCHSTATE:7:0::|AsAd\r\n", 4, "position `7` is not from 0 to 1"),
        ("MATCHSTATE:1:0:r1:|AsAd\r\n", 4, "a raise to 1 is outside"),
        ("\u{1}\u{2}\u{3}\r\n", 4, "it does not begin with `MATCHSTATE:`"),
    ];
    for &(says, code, expected) in cases {
        let (port, thread) = dealer(says);
        let output = cardroom(at, &["play", "acpc", "127.0.0.1", &port, "--agent", "call"]);
        thread.join().expect("the dealer does not fail");
        check_failure(&output, code, expected);
    }
    let play = |more: &[&str]| cardroom(at, &[&["play", "acpc", "127.0.0.1", "1"], more].concat());
    let refused = play(&["--agent", "call", "--connect-timeout", "100ms"]);
    check_failure(&refused, 4, "cannot connect to 127.0.0.1:1 within 100ms: 127.0.0.1: Connection");
    check_failure(&play(&["--agent", "cal"]), 3, "did you mean `call`?");
    check_failure(
        &play(&["--agent", "call", "--game", "holdem"]),
        3,
        "neither a file nor a built-in",
    );
    fs::write(at.join("bad.game"), "GAMEDEF\nnolimit\nnumPlayers = x\n").expect("a file");
    check_failure(&play(&["--agent", "call", "--game", "bad.game"]), 3, "bad.game");
    assert_eq!(play(&["--agent", "call", "--deadline", "soon"]).status.code(), Some(2));
    assert_eq!(play(&[]).status.code(), Some(2));
}

#[test]
fn play_tells_what_it_did_and_keeps_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (port, thread) = dealer(
        "MATCHSTATE:0:0::KsKd|\r\nMATCHSTATE:0:0:f:KsKd|\r\nMATCHSTATE:1:1::|AsAd\r\n\
         MATCHSTATE:1:1:f:|AsAd\r\n",
    );
    let arguments =
        ["play", "acpc", "127.0.0.1", &port, "--agent", "fold", "--seed", "9", "--json"];
    let output = cardroom(folder.path(), &[&arguments[..], &["--record", "kept"]].concat());
    let heard = thread.join().expect("the dealer does not fail");
    assert_eq!(heard, "VERSION:2.0.0\r\nMATCHSTATE:1:1::|AsAd:f\r\n");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let summary: Value = serde_json::from_slice(&output.stdout).expect("one JSON document");
    assert_eq!(summary["schema"], "cardroom-play-acpc/1");
    assert_eq!(summary["end"], "match-over");
    assert_eq!(summary["seed"], 9);
    assert_eq!(summary["hands"], 2);
    assert_eq!(summary["chips"], 0.0);
    assert_eq!(summary["rate"]["mbb"], 0.0);
    assert!(summary["rate"]["interval"]["high"].as_f64().expect("an interval") > 0.0);
    assert_eq!(summary["decisions"]["total"], 1);
    let kept = fs::read_to_string(folder.path().join("kept/states.txt")).expect("kept");
    assert_eq!(kept.lines().count(), 2);
}

#[test]
fn ctrl_c_leaves_the_table_after_the_hand() {
    let door = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = door.local_addr().expect("an address").port().to_string();
    let child = crate::program::program()
        .args(["play", "acpc", "127.0.0.1", &port, "--agent", "call"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let (mut stream, _): (TcpStream, _) = door.accept().expect("the player");
    stream.write_all(b"MATCHSTATE:1:0::|AsAd\r\n").expect("the player listens");
    let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
    let mut line = String::new();
    while !line.starts_with("MATCHSTATE") {
        line.clear();
        reader.read_line(&mut line).expect("the player answers");
    }
    wait_until_it_listens(child.id());
    send("INT", child.id());
    stream.write_all(b"MATCHSTATE:1:0:cr300:|AsAd\r\n").expect("the player is still there");
    line.clear();
    reader.read_line(&mut line).expect("the player answers");
    assert_eq!(line, "MATCHSTATE:1:0:cr300:|AsAd:c\r\n");
    stream.write_all(b"MATCHSTATE:1:0:cr300c/r600f:|AsAd/2c3c4c\r\n").expect("it is still there");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let said = text(&output.stderr);
    assert!(said.ends_with("error: left the table; hands played: 1\n"), "{said}");
}

#[test]
fn an_entry_plays_from_any_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    fs::create_dir(at.join("rules")).expect("a folder");
    fs::write(at.join("cardroom.toml"), "[agents.mine]\nkind = 'router'\nrules = 'rules/a.toml'\n")
        .expect("a file");
    let rules =
        "default = 'equity:samples=100'\n[[rule]]\nagent = 'router:b.toml'\nstreets = ['river']\n";
    fs::write(at.join("rules/a.toml"), rules).expect("a file");
    fs::write(at.join("rules/b.toml"), "default = 'call'\n").expect("a file");

    // Ends with 0 only if the entry has played, started by an absolute and by a relative path.
    let package = |more: &[&str]| cardroom(at, &[&["agents", "package", "acpc"], more].concat());
    let output = package(&["made here/entry", "--agent", "mine", "--check", "20"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let entry = at.join("made here/entry");
    for file in ["startme.sh", "README", "cardroom", "play.game", "files/cardroom.toml"] {
        assert!(entry.join(file).is_file(), "{file} is missing");
    }
    assert!(entry.join("files/rules/b.toml").is_file());
    let unfinished = fs::read_dir(at.join("made here")).expect("a folder").count();
    assert_eq!(unfinished, 1, "nothing but the entry is left");

    let usage = Command::new(entry.join("startme.sh")).output().expect("it starts");
    assert_eq!(usage.status.code(), Some(2));

    let again = package(&["made here/entry", "--agent", "mine"]);
    check_failure(&again, 3, "made here/entry is not empty");
    let outside = format!("router:{}", at.join("rules/b.toml").display());
    check_failure(&package(&["other", "--agent", &outside]), 3, "rules/b.toml, which is not below");
    assert!(!at.join("other").exists());
}

#[test]
fn an_entry_whose_agent_gives_no_answers_is_found_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    // A program that connects, but plays another game than the dealer deals.
    let script = format!(
        "#!/bin/sh\nexec '{}' play acpc --agent call --game kuhn.limit.2p \"$@\"\n",
        env!("CARGO_BIN_EXE_cardroom")
    );
    fs::write(at.join("bot.sh"), script).expect("a file");
    fs::set_permissions(at.join("bot.sh"), fs::Permissions::from_mode(0o755)).expect("a mode");
    // Given up soon: the pauses between restarts are not to use up the match's time.
    let config = "[agents.bot]\nkind = 'external'\ncommand = './bot.sh'\nrestarts = 1\n";
    fs::write(at.join("cardroom.toml"), config).expect("a file");
    let agent = "bot";
    let output =
        cardroom(at, &["agents", "package", "acpc", "entry", "--agent", agent, "--check", "5"]);
    check_failure(&output, 5, "without the agent's answer");
    let output = cardroom(at, &["agents", "verify", agent, "--game", NOLIMIT, "--hands", "2"]);
    assert_eq!(output.status.code(), Some(5), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    let expected =
        "not true that it answers every time: hand 0, seat 1 (button) as the first to act: ";
    assert!(said.contains(expected), "{said}");
    let readme = fs::read_to_string(at.join("entry/README")).expect("a file");
    assert!(readme.contains("2 players, no-limit;") && readme.contains("interpreter"), "{readme}");
    let none = cardroom(at, &["agents", "verify", "call", "--hands", "0"]);
    assert_eq!(none.status.code(), Some(2), "{}", text(&none.stderr));
}

#[test]
fn results_that_cannot_be_written_are_a_failure_but_a_closed_pipe_is_not() {
    let describe = || {
        let mut command = crate::program::program();
        command.args(["agents", "describe", "call"]).stdin(Stdio::null());
        command
    };
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
    let output = describe().stdout(full).stderr(Stdio::piped()).output().expect("it runs");
    check_failure(&output, 3, "cannot write the result");
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = describe().stdout(writer).stderr(Stdio::piped()).output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn agents_are_listed_described_verified_and_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    fs::write(at.join("cardroom.toml"), "[agents.bold]\nkind = 'equity'\nbet = 1.5\n")
        .expect("a file");
    let json = |arguments: &[&str]| -> Value {
        let output = cardroom(at, arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("one JSON document")
    };
    for (arguments, schema) in [
        (&["agents", "list", "--json"][..], "cardroom-agents/1"),
        (&["agents", "describe", "bold", "--json"], "cardroom-agent/1"),
        (&["agents", "describe", "oct", "--json"], "cardroom-agent/1"),
        (&["agents", "verify", "call", "--hands", "2", "--json"], "cardroom-agents-verify/1"),
        (&["agents", "bench", "call", "--time", "10ms", "--json"], "cardroom-agents-bench/1"),
        (&["show", "games", "--json"], "cardroom-games/1"),
        (&["config", "show", "--json"], "cardroom-config/1"),
    ] {
        assert_eq!(json(arguments)["schema"], schema, "{arguments:?}");
    }
    let list = json(&["agents", "list", "--json"]);
    let kinds: Vec<_> = list["kinds"].as_array().into_iter().flatten().collect();
    let names: Vec<_> = kinds.iter().filter_map(|kind| kind["kind"].as_str()).collect();
    for kind in ["call", "fold", "random", "raise", "equity", "router", "shadow", "external"] {
        assert!(names.contains(&kind), "{kind} is missing in {names:?}");
    }
    assert_eq!(list["configured"][0]["name"], "bold");
    assert_eq!(json(&["agents", "describe", "bold", "--json"])["configured"]["bet"], 1.5);

    let verify = ["agents", "verify", "bold", "shadow:call,random", "--hands", "20", "--json"];
    let reports = json(&verify);
    let reports = reports["reports"].as_array().expect("a list");
    assert_eq!(reports.len(), 12, "two agents at six games");
    assert!(reports.iter().all(|report| report["holds"] == true), "{reports:?}");

    let bench = json(&["agents", "bench", "call", "bold", "--time", "50ms", "--json"]);
    for (index, name) in ["call", "bold"].into_iter().enumerate() {
        assert_eq!(bench["agents"][index]["agent"], name);
        assert!(bench["agents"][index]["measured"]["decisions"].as_u64() > Some(0));
    }
    check_failure(&cardroom(at, &["agents", "describe", "bolt"]), 3, "did you mean `bold`?");
}

/// A program that connects, says its version and nothing more; what it starts notes its number in
/// `children`.
fn write_hanging_bot(folder: &Path) {
    let script = "exec 3<>/dev/tcp/$1/$2; printf 'VERSION:2.0.0\\r\\n' >&3\n\
                  sleep 1000 & echo $! >> children; wait\n";
    fs::write(folder.join("hang.sh"), script).expect("a file");
}

#[test]
fn verify_says_what_it_waits_for_and_asks_a_program_that_hangs_only_once() {
    let folder = tempfile::tempdir().expect("a folder");
    write_hanging_bot(folder.path());
    let verify = ["agents", "verify", "external:bash hang.sh", "--game", NOLIMIT, "--json"];
    let output = cardroom(folder.path(), &[&verify[..], &["--deadline", "3s"]].concat());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    let line = "waiting for `external:bash hang.sh` to act in hand 0, at most 3s (2 s so far)\n";
    assert!(said.contains(line), "{said}");
    let reports: Value = serde_json::from_slice(&output.stdout).expect("one JSON document");
    assert_eq!(reports["reports"][0]["decisions"], 1, "{reports}");
    let how = reports["reports"][0]["breaches"][0]["how"].as_str().expect("words");
    assert!(how.contains("no answer in time"), "{how}");
}

#[test]
fn a_program_that_was_changed_does_not_go_on_with_the_match_of_the_old_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let bot = |letter: &str| {
        let script = format!(
            "exec 3<>/dev/tcp/$1/$2; printf 'VERSION:2.0.0\\r\\n' >&3\n\
             while read -r line <&3; do printf '%s:{letter}\\r\\n' \"${{line%$'\\r'}}\" >&3; done\n"
        );
        fs::write(folder.path().join("bot.sh"), script).expect("a file");
    };
    let play = || {
        let played = ["match", "external:bash bot.sh", "call", "--hands", "4", "--out", "m"];
        cardroom(folder.path(), &played)
    };
    bot("c");
    assert_eq!(play().status.code(), Some(0), "{}", text(&play().stderr));
    assert_eq!(play().status.code(), Some(0), "the same program goes on");
    bot("f");
    check_failure(&play(), 3, "holds another match");
}

#[test]
fn verify_shows_what_a_failing_program_wrote_last_without_its_control_characters() {
    let folder = tempfile::tempdir().expect("a folder");
    let hello = "exec 3<>/dev/tcp/$1/$2; printf 'VERSION:2.0.0\\r\\n' >&3; read line <&3\n\
                 printf 'no \\033[31mmodel' >&2; sleep 0.2\n";
    for (does, says) in [
        ("sleep 1000", "no answer in time"),
        ("echo hello >&3; sleep 1000", "it sent `hello`, which is not a reply"),
        ("exit 3", "it closed its connection (exit status: 3)"),
    ] {
        fs::write(folder.path().join("fail.sh"), format!("{hello}{does}\n")).expect("a file");
        let verify = ["agents", "verify", "external:bash fail.sh", "--game", NOLIMIT];
        let more = ["--hands", "2", "--deadline", "1s"];
        let output = cardroom(folder.path(), &[&verify[..], &more[..]].concat());
        let (told, said) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(5), "{told}{said}");
        assert!(told.contains(says), "{told}");
        assert!(told.contains("its last words: `no ") && told.contains("[31mmodel`"), "{told}");
        assert!(!told.contains('\u{1b}') && !said.contains('\u{1b}'), "{told}{said}");
    }
}

/// Whether a process is gone: killed, but perhaps not yet collected by its new parent.
fn is_gone(process: &str) -> bool {
    let status = fs::read_to_string(Path::new("/proc").join(process).join("stat"));
    status.map_or(true, |text| text.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')))
}

#[test]
#[cfg(target_os = "linux")]
fn programs_end_with_the_command_that_started_them() {
    let bot = "external:bash hang.sh";
    for arguments in [
        &["agents", "verify", bot, "--game", NOLIMIT][..],
        &["agents", "bench", bot],
        &["match", bot, "call", "--hands", "100"],
        &["tournament", bot, "call", "--hands", "100"],
        &["evaluate", "match", bot, "--against", "call", "--hands", "100"],
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        write_hanging_bot(folder.path());
        let mut child = crate::program::program()
            .args(arguments)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs");
        let children = || fs::read_to_string(folder.path().join("children")).unwrap_or_default();
        wait_for(&mut child, "the bot was started", || children().ends_with('\n'));
        let (mut status, mut sent) = (None, None);
        wait_until(&format!("{arguments:?} ends"), || {
            // Where there are hands to finish, the second one aborts.
            if sent.is_none_or(|sent: Instant| sent.elapsed() > Duration::from_millis(200)) {
                send("TERM", child.id());
                sent = Some(Instant::now());
            }
            status = child.try_wait().expect("a child");
            status.is_some()
        });
        assert_eq!(status.and_then(|status| status.code()), Some(130), "{arguments:?}");
        for process in children().lines() {
            wait_until(&format!("{arguments:?}: process {process} ends"), || is_gone(process));
        }
    }
}

#[test]
fn a_match_that_waits_for_its_agents_ends_with_the_first_signal() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("absent.sh"), "echo > begun; sleep 1000\n").expect("a file");
    let mut child = crate::program::program()
        .args(["match", "external:bash absent.sh", "call", "--hands", "10"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    wait_for(&mut child, "the agent was started", || folder.path().join("begun").exists());
    send("TERM", child.id());
    let sent = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert!(sent.elapsed() < Duration::from_secs(30), "a connection is waited for for a minute");
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("before the first hand"), "{}", text(&output.stderr));
}

#[test]
fn a_program_is_not_given_the_password_of_an_account() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("look.sh"), "env > seen\n").expect("a file");
    let output = crate::program::program()
        .args(["match", "external:bash look.sh", "call", "--hands", "2"])
        .env("CARDROOM_SLUMBOT_PASSWORD", "hush")
        .env("OTHER", "there")
        .current_dir(folder.path())
        .output();
    output.expect("the program runs");
    let seen = fs::read_to_string(folder.path().join("seen")).expect("its environment");
    assert!(seen.contains("OTHER=there") && !seen.contains("hush"), "{seen}");
}

#[test]
fn a_program_that_ends_before_it_connects_is_not_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let begun = Instant::now();
    for (bot, expected) in [
        ("external:true", "it ended before it connected (exit status: 0)"),
        (
            "external:sh -c 'echo one >&2; echo no module named torch >&2; exit 3'",
            "it ended before it connected (exit status: 3); its last words: `one / no module named \
             torch`",
        ),
    ] {
        for arguments in [
            &["match", bot, "call", "--hands", "10", "--quiet"][..],
            &["agents", "verify", bot, "--game", NOLIMIT],
        ] {
            check_failure(&cardroom(folder.path(), arguments), 3, expected);
        }
    }
    assert!(begun.elapsed() < Duration::from_secs(50), "it was waited for");
}

#[test]
fn play_says_whom_it_waits_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let door = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let open = door.local_addr().expect("an address").port().to_string();
    let play = |port: &str, option: &str, time: &str| {
        let mut command = crate::program::program();
        command.args(["play", "acpc", "127.0.0.1", port, "--agent", "call", option, time]);
        command.current_dir(folder.path()).stdin(Stdio::null()).stderr(Stdio::piped());
        command.stdout(Stdio::null()).spawn().expect("the program runs")
    };
    let absent = play("1", "--connect-timeout", "6s");
    let silent = play(&open, "--silence-timeout", "3s");
    for (child, expected) in [
        (absent, "waiting for a dealer at 127.0.0.1:1, at most 6s: 127.0.0.1: Connection refused"),
        (
            silent,
            &format!("waiting for the dealer at 127.0.0.1:{open} to begin: players may be missing"),
        ),
    ] {
        let output = child.wait_with_output().expect("it ends");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.starts_with(expected) && said.contains(" (2 s so far)\n"), "{said}");
    }
}
