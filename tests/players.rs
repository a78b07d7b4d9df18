//! `cardroom play`, `package` and `agents` as processes: results, exit codes, one clear line each.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use show::number::signed_grouped;

use crate::program::{
    Folder, Words, end, list, number, open_port, run, runs, send, string, wait_for, wait_until,
    wait_until_it_listens,
};
use crate::sources::root;

const NOLIMIT: &str = "holdem.nolimit.2p.reverse_blinds";

/// A dealer that reads the version and says this, then closes.
fn dealer(says: &'static str) -> (u16, JoinHandle<String>) {
    let (door, port) = open_port();
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
    let at = &Folder::new();
    let cases: &[(&str, i32, &str)] = &[
        ("", 4, "closed the connection before the first hand"),
        ("MATCHSTATE:1:0::|AsAd\r\n", 4, "closed the connection in the middle of hand 0"),
        ("MATCHSTATE:7:0::|AsAd\r\n", 4, "position `7` is not from 0 to 1"),
        ("MATCHSTATE:1:0:r1:|AsAd\r\n", 4, "a raise to 1 is outside"),
        ("\u{1}\u{2}\u{3}\r\n", 4, "it does not begin with `MATCHSTATE:`"),
    ];
    for &(says, code, expected) in cases {
        let (port, thread) = dealer(says);
        let output = at.run(format!("play acpc 127.0.0.1 {port} --agent call"));
        thread.join().expect("the dealer does not fail");
        output.says_only(code, &[expected]);
    }
    let play = |more: &str| at.run(("play acpc 127.0.0.1 1", more));
    let refused = play("--agent call --connect-timeout 100ms");
    refused.says_only(4, &["cannot connect to 127.0.0.1:1 within 100ms: 127.0.0.1: Connection"]);
    play("--agent cal").says_only(3, &["did you mean `call`?"]);
    play("--agent call --game holdem").says_only(3, &["neither a file nor a built-in"]);
    at.write("bad.game", "GAMEDEF\nnolimit\nnumPlayers = x\n");
    play("--agent call --game bad.game").says_only(3, &["bad.game"]);
    play("--agent call --deadline soon").code(2);
    play("").code(2);
}

#[test]
fn play_tells_what_it_did_and_keeps_it() {
    let folder = Folder::new();
    let (port, thread) = dealer(
        "MATCHSTATE:0:0::KsKd|\r\nMATCHSTATE:0:0:f:KsKd|\r\nMATCHSTATE:1:1::|AsAd\r\n\
         MATCHSTATE:1:1:f:|AsAd\r\n",
    );
    let options = "--agent fold --seed 9 --json --record kept";
    let output = folder.run(format!("play acpc 127.0.0.1 {port} {options}"));
    let heard = thread.join().expect("the dealer does not fail");
    assert_eq!(heard, "VERSION:2.0.0\r\nMATCHSTATE:1:1::|AsAd:f\r\n");
    let summary = output.code(0).json();
    assert_eq!(summary["schema"], "cardroom-play-acpc/1");
    assert_eq!(summary["end"], "match-over");
    assert_eq!(summary["seed"], 9);
    assert_eq!(summary["hands"], 2);
    assert_eq!(summary["chips"], 0.0);
    assert_eq!(summary["rate"]["mbb"], 0.0);
    assert!(number(&summary["rate"]["interval"]["high"]) > 0.0);
    assert_eq!(summary["decisions"]["total"], 1);
    let kept = folder.read("kept/states.txt");
    assert_eq!(kept.lines().count(), 2);
}

#[test]
fn ctrl_c_leaves_the_table_after_the_hand() {
    let (door, port) = open_port();
    let folder = Folder::new();
    let child = folder.start(format!("play acpc 127.0.0.1 {port} --agent call"));
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
    let said = end(child).code(130).stderr;
    assert!(said.ends_with("error: left the table; hands played: 1\n"), "{said}");
}

#[test]
fn an_entry_plays_from_any_folder() {
    let at = &Folder::new();
    fs::create_dir(at.join("rules")).expect("a folder");
    at.write("cardroom.toml", "[agents.mine]\nkind = 'router'\nrules = 'rules/a.toml'\n");
    let rules =
        "default = 'equity:samples=100'\n[[rule]]\nagent = 'router:b.toml'\nstreets = ['river']\n";
    at.write("rules/a.toml", rules);
    at.write("rules/b.toml", "default = 'call'\n");

    // Ends with 0 only if the entry has played, started by an absolute and by a relative path.
    let package = |more: &dyn Words| at.run(("agents package acpc", more));
    package(&"'made here/entry' --agent mine --check 20").code(0);
    let entry = at.join("made here/entry");
    for file in ["startme.sh", "README", "cardroom", "play.game", "files/cardroom.toml"] {
        assert!(entry.join(file).is_file(), "{file} is missing");
    }
    assert!(entry.join("files/rules/b.toml").is_file());
    let unfinished = fs::read_dir(at.join("made here")).expect("a folder").count();
    assert_eq!(unfinished, 1, "nothing but the entry is left");

    run(&mut Command::new(entry.join("startme.sh"))).code(2);

    let again = package(&"'made here/entry' --agent mine");
    again.says_only(3, &["made here/entry is not empty"]);
    let outside = format!("router:{}", at.join("rules/b.toml").display());
    package(&("other --agent", [&outside])).says_only(3, &["rules/b.toml, which is not below"]);
    assert!(!at.join("other").exists());
}

#[test]
fn an_entry_whose_agent_gives_no_answers_is_found_out() {
    let at = &Folder::new();
    // A program that connects, but plays another game than the dealer deals.
    let script = format!(
        "#!/bin/sh\nexec '{}' play acpc --agent call --game kuhn.limit.2p \"$@\"\n",
        env!("CARGO_BIN_EXE_cardroom")
    );
    at.write_with_mode("bot.sh", &script, 0o755);
    // Given up soon: the pauses between restarts are not to use up the match's time.
    let config = "[agents.bot]\nkind = 'external'\ncommand = './bot.sh'\nrestarts = 1\n";
    at.write("cardroom.toml", config);
    let output = at.run("agents package acpc entry --agent bot --check 5");
    output.says_only(5, &["without the agent's answer"]);
    let said = at.run(("agents verify bot --hands 2 --game", [NOLIMIT])).code(5).stdout;
    let expected =
        "not true that it answers every time: hand 0, seat 1 (button) as the first to act: ";
    assert!(said.contains(expected), "{said}");
    let readme = at.read("entry/README");
    assert!(readme.contains("2 players, no-limit;") && readme.contains("interpreter"), "{readme}");
    at.run("agents verify call --hands 0").code(2);
}

#[test]
fn results_that_cannot_be_written_are_a_failure_but_a_closed_pipe_is_not() {
    let folder = Folder::new();
    let describe = || folder.command("agents describe call");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
    run(describe().stdout(full)).says_only(3, &["cannot write the result"]);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    run(describe().stdout(writer)).code(0);
}

#[test]
fn agents_are_listed_described_verified_and_measured() {
    let at = &Folder::new();
    at.write("cardroom.toml", "[agents.bold]\nkind = 'equity'\nbet = 1.5\n");
    for (arguments, schema) in [
        ("agents list", "cardroom-agents/1"),
        ("agents describe bold", "cardroom-agent/1"),
        ("agents describe oct", "cardroom-agent/1"),
        ("agents verify call --hands 2", "cardroom-agents-verify/1"),
        ("agents bench call --time 10ms", "cardroom-agents-bench/1"),
        ("show games", "cardroom-games/1"),
        ("config show", "cardroom-config/1"),
    ] {
        assert_eq!(at.json(arguments)["schema"], schema, "{arguments:?}");
    }
    let agents = at.json("agents list");
    let kinds: Vec<_> = agents["kinds"].as_array().into_iter().flatten().collect();
    let names: Vec<_> = kinds.iter().filter_map(|kind| kind["kind"].as_str()).collect();
    for kind in ["call", "fold", "random", "raise", "equity", "router", "shadow", "external"] {
        assert!(names.contains(&kind), "{kind} is missing in {names:?}");
    }
    assert_eq!(agents["configured"][0]["name"], "bold");
    // The strongest first; kinds that play what their options say have no figure and come last.
    let wins: Vec<_> = kinds.iter().map(|kind| kind["against_cfr"]["mbb"].as_f64()).collect();
    assert!(wins.is_sorted_by(|one, other| one >= other), "{wins:?}");
    assert_eq!((wins[0], wins.last()), (Some(41.5), Some(&None)), "{wins:?}");
    // The figures are those of the table in the documentation.
    let document = fs::read_to_string(root().join("docs/strength.md")).expect("docs/strength.md");
    let measured = document.split("## All agents").nth(1).expect("the table");
    for kind in kinds.iter().filter(|kind| kind["kind"] != "cfr") {
        let Some(mbb) = kind["against_cfr"]["mbb"].as_f64() else { continue };
        let (name, figure) = (format!("`{}`", string(&kind["kind"])), signed_grouped(mbb, 0));
        let row = |line: &str| line.contains(&name) && line.contains(&figure);
        assert!(measured.lines().any(row), "{kind} is not in docs/strength.md");
    }
    assert_eq!(at.json("agents describe bold")["configured"]["bet"], 1.5);

    let reports = at.json("agents verify bold shadow:call,random --hands 20");
    let reports = list(&reports["reports"]);
    assert_eq!(reports.len(), 12, "two agents at six games");
    assert!(reports.iter().all(|report| report["holds"] == true), "{reports:?}");

    let bench = at.json("agents bench call bold --time 50ms");
    for (index, name) in ["call", "bold"].into_iter().enumerate() {
        assert_eq!(bench["agents"][index]["agent"], name);
        assert!(bench["agents"][index]["measured"]["decisions"].as_u64() > Some(0));
    }
    at.run("agents describe bolt").says_only(3, &["did you mean `bold`?"]);
}

/// A program that connects, says its version and nothing more; what it starts notes its number in
/// `children`.
fn write_hanging_bot(folder: &Folder) {
    let script = "exec 3<>/dev/tcp/$1/$2; printf 'VERSION:2.0.0\\r\\n' >&3\n\
                  sleep 1000 & echo $! >> children; wait\n";
    folder.write("hang.sh", script);
}

#[test]
fn verify_says_what_it_waits_for_and_asks_a_program_that_hangs_only_once() {
    let folder = Folder::new();
    write_hanging_bot(&folder);
    let verify = "agents verify 'external:bash hang.sh' --json --deadline 3s --game";
    let output = folder.run((verify, [NOLIMIT])).code(5);
    let said = &output.stderr;
    let line = "waiting for `external:bash hang.sh` to act in hand 0, at most 3s (2 s so far)\n";
    assert!(said.contains(line), "{said}");
    let reports = output.json();
    assert_eq!(reports["reports"][0]["decisions"], 1, "{reports}");
    let how = string(&reports["reports"][0]["breaches"][0]["how"]);
    assert!(how.contains("no answer in time"), "{how}");
}

#[test]
fn a_program_that_was_changed_does_not_go_on_with_the_match_of_the_old_one() {
    let folder = Folder::new();
    let bot = |letter: &str| {
        let script = format!(
            "exec 3<>/dev/tcp/$1/$2; printf 'VERSION:2.0.0\\r\\n' >&3\n\
             while read -r line <&3; do printf '%s:{letter}\\r\\n' \"${{line%$'\\r'}}\" >&3; done\n"
        );
        folder.write("bot.sh", script);
    };
    let play = || folder.run("match 'external:bash bot.sh' call --hands 4 --out m");
    bot("c");
    play().code(0);
    play().code(0);
    bot("f");
    play().says_only(3, &["holds another match"]);
}

#[test]
fn verify_shows_what_a_failing_program_wrote_last_without_its_control_characters() {
    let folder = Folder::new();
    let hello = "exec 3<>/dev/tcp/$1/$2; printf 'VERSION:2.0.0\\r\\n' >&3; read line <&3\n\
                 printf 'no \\033[31mmodel' >&2; sleep 0.2\n";
    for (does, says) in [
        ("sleep 1000", "no answer in time"),
        ("echo hello >&3; sleep 1000", "it sent `hello`, which is not a reply"),
        ("exit 3", "it closed its connection (exit status: 3)"),
    ] {
        folder.write("fail.sh", format!("{hello}{does}\n"));
        let options = "--hands 2 --deadline 1s --game";
        let run = folder.run(("agents verify 'external:bash fail.sh'", options, [NOLIMIT])).code(5);
        let (told, said) = (run.stdout, run.stderr);
        assert!(told.contains(says), "{told}");
        assert!(told.contains("its last words: `no ") && told.contains("[31mmodel`"), "{told}");
        assert!(!told.contains('\u{1b}') && !said.contains('\u{1b}'), "{told}{said}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn programs_end_with_the_command_that_started_them() {
    for arguments in [
        "agents verify BOT --game holdem.nolimit.2p.reverse_blinds",
        "agents bench BOT",
        "match BOT call --hands 100",
        "tournament BOT call --hands 100",
        "evaluate match BOT --against call --hands 100",
    ] {
        let folder = Folder::new();
        write_hanging_bot(&folder);
        let arguments = arguments.replace("BOT", "'external:bash hang.sh'");
        let mut child = folder.start_unheard(&arguments);
        let children = || fs::read_to_string(folder.join("children")).unwrap_or_default();
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
            wait_until(&format!("{arguments:?}: process {process} ends"), || !runs(process));
        }
    }
}

#[test]
fn a_match_that_waits_for_its_agents_ends_with_the_first_signal() {
    let folder = Folder::new();
    folder.write("absent.sh", "echo > begun; sleep 1000\n");
    let mut child = folder.start("match 'external:bash absent.sh' call --hands 10");
    wait_for(&mut child, "the agent was started", || folder.join("begun").exists());
    send("TERM", child.id());
    let sent = Instant::now();
    let output = end(child);
    assert!(sent.elapsed() < Duration::from_secs(30), "a connection is waited for for a minute");
    output.code(130).says(&["before the first hand"]);
}

#[test]
fn a_program_is_not_given_the_password_of_an_account() {
    let folder = Folder::new();
    folder.write("look.sh", "env > seen\n");
    let mut command = folder.command("match 'external:bash look.sh' call --hands 2");
    run(command.env("CARDROOM_SLUMBOT_PASSWORD", "hush").env("OTHER", "there"));
    let seen = folder.read("seen");
    assert!(seen.contains("OTHER=there") && !seen.contains("hush"), "{seen}");
}

#[test]
fn a_program_that_ends_before_it_connects_is_not_waited_for() {
    let folder = Folder::new();
    let begun = Instant::now();
    for (bot, expected) in [
        ("external:true", "it ended before it connected (exit status: 0)"),
        (
            "external:sh -c 'echo one >&2; echo no module named torch >&2; exit 3'",
            "it ended before it connected (exit status: 3); its last words: `one / no module named \
             torch`",
        ),
    ] {
        folder.run(("match", [bot], "call --hands 10 --quiet")).says_only(3, &[expected]);
        folder.run(("agents verify", [bot], "--game", [NOLIMIT])).says_only(3, &[expected]);
    }
    assert!(begun.elapsed() < Duration::from_secs(50), "it was waited for");
}

#[test]
fn play_says_whom_it_waits_for() {
    let folder = Folder::new();
    let (_door, open) = open_port();
    let play = |port: u16, option: &str| {
        folder.start(format!("play acpc 127.0.0.1 {port} --agent call {option}"))
    };
    let absent = play(1, "--connect-timeout 6s");
    let silent = play(open, "--silence-timeout 3s");
    for (child, expected) in [
        (absent, "waiting for a dealer at 127.0.0.1:1, at most 6s: 127.0.0.1: Connection refused"),
        (
            silent,
            &format!("waiting for the dealer at 127.0.0.1:{open} to begin: players may be missing"),
        ),
    ] {
        let said = end(child).code(4).stderr;
        assert!(said.starts_with(expected) && said.contains(" (2 s so far)\n"), "{said}");
    }
}
