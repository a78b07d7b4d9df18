//! Programs as agents of the commands: bots that fail, bots that are measured, and bots whose
//! parent is killed.

use std::fs;
use std::time::{Duration, Instant};

use crate::program::{Folder, kill, list, runs, shows, wait_for};

/// Writes a script that runs this program as a bot, with these lines before and after.
fn bot(folder: &Folder, name: &str, before: &str, arguments: &str, after: &str) {
    let program = env!("CARGO_BIN_EXE_cardroom");
    let script = format!(
        "#!/bin/sh\n{before}\n'{program}' play acpc --agent call {arguments} \"$@\"\n{after}\n"
    );
    folder.write(name, script);
}

/// A bot that knows another game than is played, and says much about it.
fn silent_bot(folder: &Folder) {
    let after = "i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo line $i >&2; done; exit 3";
    bot(folder, "silent.sh", "", "--game kuhn.limit.2p", after);
    let config = "[agents.mine]\nkind = 'external'\ncommand = './silent.sh'\nrestarts = 1\n";
    folder.write("cardroom.toml", config);
}

#[test]
fn a_bot_that_never_answers_is_the_first_line_of_the_report_with_its_last_words() {
    let at = &Folder::new();
    silent_bot(at);
    let arguments = "match mine call --hands 20 --out first --threads 1";
    let output = at.run(arguments).code(0);
    let (shown, said) = (output.stdout, output.stderr);
    let first = shown.lines().next().unwrap_or_default();
    assert!(first.starts_with("mine never answered: all its "), "{shown}");
    assert!(first.contains("the first in hand 0: it closed its connection (exit status: 3)"));
    for text in [&shown, &said] {
        assert!(text.contains("line 11\n") && text.contains("line 30\n"), "{text}");
        assert!(!text.contains("line 10\n"), "{text}");
    }
    assert!(said.contains("`mine` failed in hand 0: "), "{said}");
    // The record has it, too.
    let again = at.run("stats first --estimates off").stdout;
    assert_eq!(again.lines().next(), Some(first));

    at.fails(5, (arguments, "--strict"), "--strict: mine never answered");
    let output = at
        .run("tournament mine call --hands 20 --out t --strict")
        .failed(5, "--strict: mine never answered");
    assert!(output.stdout.starts_with("mine never answered"), "{}", output.stdout);
    let by_match = "evaluate match mine --against call --hands 20";
    at.fails(5, (by_match, "--strict"), "--strict: mine");
    let output = at.run("evaluate panel mine --hands 20").failed(5, "`mine` never answered");
    assert!(output.stdout.starts_with("mine never answered"), "{}", output.stdout);
    // Well-behaved agents pass.
    at.run("match call fold --hands 20 --record nothing --strict").code(0);
}

#[test]
fn one_command_judges_a_bot_by_its_path() {
    let at = &Folder::new();
    bot(at, "good.sh", "", "", "");
    let arguments = "evaluate panel ./good.sh --hands 100 --threads 1";
    let found = at.json(arguments);
    assert_eq!(found["schema"], "cardroom-evaluate-panel/1");
    let rows = list(&found["panel"]);
    let words: Vec<&str> = rows.iter().filter_map(|row| row["words"].as_str()).collect();
    assert_eq!((words.len(), &words[..3]), (39, &["fold", "call", "equity"][..]));
    assert_eq!((words[3], words[38]), ("hides its hand until the river", "cfr"));
    for row in rows {
        assert_eq!(row["decisions"]["fallbacks"], 0, "{row}");
    }
    // It calls, as its opponent does: with both seats of each deal nobody wins.
    assert_eq!(rows[1]["rate"]["mbb"], 0.0, "{}", rows[1]);
    let shown = at.run(arguments).stdout;
    shows(
        &shown,
        &["against", "95 % interval", "fallbacks", "separated", "./good.sh wins against "],
    );
    assert!(shown.lines().all(|line| line.chars().count() <= 110), "{shown}");
    for by in ["lbr", "best-response"] {
        let panel = "`cardroom evaluate panel` (against many simple players and cfr)";
        at.fails(3, ("evaluate", by, "./good.sh"), panel);
    }
    // A bot that was changed is named by its file.
    let play = "match ./good.sh call --hands 2 --out first";
    at.run(play).code(0);
    bot(at, "good.sh", "# changed", "", "");
    at.fails(3, play, "first holds another match: good.sh changed; choose");
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_outlives_a_match_that_is_killed_with_kill_9() {
    let at = &Folder::new();
    // The program, one that it starts, and the bot behind it.
    let before = "echo $$ >> processes; sleep 1000 & echo $! >> processes";
    bot(at, "bot.sh", before, "--record played", "");
    let arguments = "match ./bot.sh call --hands 1000000 --record nothing --threads 1";
    let mut child = at.start_unheard(arguments);
    wait_for(&mut child, "hands are played", || {
        fs::metadata(at.join("played/states.txt")).is_ok_and(|file| file.len() > 1000)
    });
    let processes = at.read("processes");
    let processes: Vec<&str> = processes.lines().collect();
    assert!(processes.len() == 2 && processes.iter().all(|process| runs(process)));
    kill(child);
    let killed = Instant::now();
    while let Some(process) = processes.iter().find(|process| runs(process)) {
        assert!(killed.elapsed() < Duration::from_secs(2), "process {process} still runs");
        std::thread::sleep(Duration::from_millis(5));
    }
}
