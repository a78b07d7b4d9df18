//! Programs as agents of the commands: bots that fail, bots that are measured, and bots whose
//! parent is killed.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::program::{cardroom, check_failure, command, document, text, wait_for};

/// Writes a script that runs this program as a bot, with these lines before and after.
fn bot(folder: &Path, name: &str, before: &str, arguments: &str, after: &str) {
    let program = env!("CARGO_BIN_EXE_cardroom");
    let script = format!(
        "#!/bin/sh\n{before}\n'{program}' play acpc --agent call {arguments} \"$@\"\n{after}\n"
    );
    fs::write(folder.join(name), script).expect("a file");
}

/// A bot that knows another game than is played, and says much about it.
fn silent_bot(folder: &Path) {
    let after = "i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo line $i >&2; done; exit 3";
    bot(folder, "silent.sh", "", "--game kuhn.limit.2p", after);
    let config = "[agents.mine]\nkind = 'external'\ncommand = './silent.sh'\nrestarts = 1\n";
    fs::write(folder.join("cardroom.toml"), config).expect("a file");
}

#[test]
fn a_bot_that_never_answers_is_the_first_line_of_the_report_with_its_last_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    silent_bot(at);
    let arguments = ["match", "mine", "call", "--hands", "20", "--out", "first", "--threads", "1"];
    let output = cardroom(at, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let [shown, said] = [text(&output.stdout), text(&output.stderr)];
    let first = shown.lines().next().unwrap_or_default();
    assert!(first.starts_with("mine never answered: all its "), "{shown}");
    assert!(first.contains("the first in hand 0: it closed its connection (exit status: 3)"));
    for text in [&shown, &said] {
        assert!(text.contains("line 11\n") && text.contains("line 30\n"), "{text}");
        assert!(!text.contains("line 10\n"), "{text}");
    }
    assert!(said.contains("`mine` failed in hand 0: "), "{said}");
    // The record has it, too.
    let again = text(&cardroom(at, &["stats", "first", "--estimates", "off"]).stdout);
    assert_eq!(again.lines().next(), Some(first));

    let strict = [&arguments[..], &["--strict"]].concat();
    check_failure(&cardroom(at, &strict), 5, "--strict: mine never answered");
    let tournament = ["tournament", "mine", "call", "--hands", "20", "--out", "t", "--strict"];
    let output = cardroom(at, &tournament);
    check_failure(&output, 5, "--strict: mine never answered");
    assert!(text(&output.stdout).starts_with("mine never answered"), "{}", text(&output.stdout));
    let by_match = ["evaluate", "match", "mine", "--against", "call", "--hands", "20"];
    check_failure(&cardroom(at, &[&by_match[..], &["--strict"]].concat()), 5, "--strict: mine");
    let output = cardroom(at, &["evaluate", "panel", "mine", "--hands", "20"]);
    check_failure(&output, 5, "`mine` never answered");
    assert!(text(&output.stdout).starts_with("mine never answered"), "{}", text(&output.stdout));
    // Well-behaved agents pass.
    let well = ["match", "call", "fold", "--hands", "20", "--record", "nothing", "--strict"];
    assert_eq!(cardroom(at, &well).status.code(), Some(0));
}

#[test]
fn one_command_judges_a_bot_by_its_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    bot(at, "good.sh", "", "", "");
    let arguments = ["evaluate", "panel", "./good.sh", "--hands", "100", "--threads", "1"];
    let found = document(at, &arguments);
    assert_eq!(found["schema"], "cardroom-evaluate-panel/1");
    let rows = found["panel"].as_array().expect("rows");
    let words: Vec<&str> = rows.iter().filter_map(|row| row["words"].as_str()).collect();
    assert_eq!((words.len(), words[..2].to_vec(), words[24]), (25, vec!["fold", "call"], "cfr"));
    for row in rows {
        assert_eq!(row["decisions"]["fallbacks"], 0, "{row}");
    }
    // It calls, as its opponent does: with both seats of each deal nobody wins.
    assert_eq!(rows[1]["rate"]["mbb"], 0.0, "{}", rows[1]);
    let shown = text(&cardroom(at, &arguments).stdout);
    for part in ["against", "95 % interval", "fallbacks", "separated", "./good.sh wins against "] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 110), "{shown}");
    for by in ["lbr", "best-response"] {
        let refused = cardroom(at, &["evaluate", by, "./good.sh"]);
        check_failure(
            &refused,
            3,
            "`cardroom evaluate panel` (against fold, call, exploiters and cfr)",
        );
    }
    // A bot that was changed is named by its file.
    let play = ["match", "./good.sh", "call", "--hands", "2", "--out", "first"];
    assert_eq!(cardroom(at, &play).status.code(), Some(0));
    bot(at, "good.sh", "# changed", "", "");
    check_failure(&cardroom(at, &play), 3, "first holds another match: good.sh changed; choose");
}

/// Whether a process runs; one that has ended may not be collected yet.
#[cfg(target_os = "linux")]
fn runs(process: &str) -> bool {
    fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| {
        stat.rsplit(')').next().is_some_and(|rest| !rest.trim_start().starts_with('Z'))
    })
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_outlives_a_match_that_is_killed_with_kill_9() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    // The program, one that it starts, and the bot behind it.
    let before = "echo $$ >> processes; sleep 1000 & echo $! >> processes";
    bot(at, "bot.sh", before, "--record played", "");
    let arguments = ["match", "./bot.sh", "call", "--hands", "1000000", "--record", "nothing"];
    let mut command = command(at, &[&arguments[..], &["--threads", "1"]].concat());
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = child.expect("the program runs");
    wait_for(&mut child, "hands are played", || {
        fs::metadata(at.join("played/states.txt")).is_ok_and(|file| file.len() > 1000)
    });
    let processes = fs::read_to_string(at.join("processes")).expect("the bot has run");
    let processes: Vec<&str> = processes.lines().collect();
    assert!(processes.len() == 2 && processes.iter().all(|process| runs(process)));
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let killed = Instant::now();
    while let Some(process) = processes.iter().find(|process| runs(process)) {
        assert!(killed.elapsed() < Duration::from_secs(2), "process {process} still runs");
        std::thread::sleep(Duration::from_millis(5));
    }
}
