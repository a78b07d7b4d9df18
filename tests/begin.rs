//! The first commands of a newcomer: a folder, sample bots, a check of the machine, a
//! demonstration, help, completions and manual pages.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::program::{cardroom, check_failure, document, text};
use super::sources::root;

/// Plays a bot, and has every reply held to the rules.
fn play(folder: &Path, bot: &str) {
    let agent = format!("external:{bot}");
    let played = ["match", &agent, "call", "--hands", "60", "--record", "nothing"];
    assert_eq!(document(folder, &played)["hands"], 60);
    let game = ["--game", "holdem.nolimit.2p.reverse_blinds"];
    let verified = cardroom(folder, &[&["agents", "verify", &agent], &game[..]].concat());
    assert!(verified.status.success(), "{bot}: {}", text(&verified.stdout));
}

#[test]
fn a_folder_to_begin_with_has_a_configuration_without_mistakes_and_is_not_written_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = cardroom(folder.path(), &["init", "room"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert!(text(&made.stdout).contains("\ncd room\n"), "{}", text(&made.stdout));
    let room = folder.path().join("room");
    let checked = cardroom(&room, &["config", "check"]);
    assert!(checked.status.success(), "{}", text(&checked.stderr));
    fs::write(room.join("bot.py"), "mine").expect("written");
    let again = cardroom(folder.path(), &["init", "room"]);
    assert!(text(&again.stdout).contains("bot.py: already exists, left as it is"));
    assert_eq!(fs::read_to_string(room.join("bot.py")).expect("read"), "mine");
}

#[test]
fn a_sample_bot_plays_legally_and_all_are_short() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = |name: &str| root().join("examples/bots").join(name);
    for name in ["bot.py", "bot.cpp", "bot.rs"] {
        let lines = fs::read_to_string(source(name)).expect("a bot").lines().count();
        assert!(lines < 80, "{name}: {lines} lines");
    }
    let mut compiler = Command::new("rustc");
    compiler.arg("-O").arg(source("bot.rs")).args(["-o", "bot"]).current_dir(folder.path());
    let output = compiler.output().expect("a compiler");
    assert!(output.status.success(), "{}", text(&output.stderr));
    play(folder.path(), "./bot");
}

#[test]
fn a_look_at_the_machine_names_what_fails_with_its_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let found = document(folder.path(), &["doctor"]);
    assert_eq!(found["schema"], "cardroom-doctor/1");
    let names: Vec<&str> = found["checks"]
        .as_array()
        .expect("checks")
        .iter()
        .map(|check| check["name"].as_str().expect("a name"))
        .collect();
    for name in ["configuration", "folder for records", "sockets on 127.0.0.1", "clock"] {
        assert!(names.contains(&name), "{names:?}");
    }
    fs::write(folder.path().join("cardroom.toml"), "[server]\nbnd = 1\n").expect("written");
    let failing = cardroom(folder.path(), &["doctor"]);
    check_failure(&failing, 5, "checks fail");
    assert!(text(&failing.stdout).contains("config check"), "{}", text(&failing.stdout));
}

#[test]
fn a_demonstration_plays_measures_and_explains() {
    let folder = tempfile::tempdir().expect("a folder");
    let shown = cardroom(folder.path(), &["demo", "--hands", "200", "--no-page"]);
    assert!(shown.status.success(), "{}", text(&shown.stderr));
    let said = text(&shown.stdout);
    for part in ["$ cardroom match oct cfr", "$ cardroom stats", "$ cardroom explain decision"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn help_has_every_command_and_shells_and_man_know_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let help = text(&cardroom(folder.path(), &["--help"]).stdout);
    for command in ["serve", "match", "evaluate", "train", "explain", "doctor"] {
        assert!(help.contains(&format!("\n  {command} ")), "{command}: {help}");
    }
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    // Options of every command are described once.
    let of_one = text(&cardroom(folder.path(), &["stats", "--help"]).stdout);
    for option in ["--config <FILE>", "--json\n", "--quiet\n"] {
        assert!(help.contains(option) && !of_one.contains(option), "{option}: {of_one}");
    }
    assert!(of_one.contains("`cardroom --help` describes --config, --json and --quiet"));
    let games = ["--json", "show", "games"];
    assert!(text(&cardroom(folder.path(), &games).stdout).contains("cardroom-games/1"));
    let init = cardroom(folder.path(), &["init", "new", "--json"]);
    check_failure(&init, 2, "--json: `cardroom init` prints no document: leave it out");
    assert!(!folder.path().join("new").exists());
    for shell in ["bash", "zsh", "fish"] {
        let script = text(&cardroom(folder.path(), &["completions", shell]).stdout);
        assert!(script.contains("tournament") && script.contains("--hands"), "{shell}");
    }
    let made = cardroom(folder.path(), &["man"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let page = fs::read_to_string(folder.path().join("man1/cardroom-match.1")).expect("a page");
    assert!(page.contains("SYNOPSIS") && page.contains("hands"), "{page}");
}
