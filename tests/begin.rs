//! The first commands of a newcomer: a folder, sample bots, a check of the machine, a
//! demonstration, help, completions and manual pages.

use std::fs;
use std::process::Command;

use super::sources::root;
use crate::program::{Folder, list, run, shows, string};

/// Plays a bot, and has every reply held to the rules.
fn play(folder: &Folder, bot: &str) {
    let agent = format!("external:{bot}");
    let played = folder.json(("match", [&agent], "call --hands 60 --record nothing"));
    assert_eq!(played["hands"], 60);
    folder.ok(("agents verify", [&agent], "--game holdem.nolimit.2p.reverse_blinds"));
}

#[test]
fn a_folder_to_begin_with_has_a_configuration_without_mistakes_and_is_not_written_over() {
    let folder = Folder::new();
    let made = folder.ok("init room");
    assert!(made.contains("\ncd room\n"), "{made}");
    run(folder.command("config check").current_dir(folder.join("room"))).code(0);
    folder.write("room/bot.py", "mine");
    assert!(folder.ok("init room").contains("bot.py: already exists, left as it is"));
    assert_eq!(folder.read("room/bot.py"), "mine");
}

#[test]
fn a_sample_bot_plays_legally_and_all_are_short() {
    let folder = Folder::new();
    let source = |name: &str| root().join("examples/bots").join(name);
    for name in ["bot.py", "bot.cpp", "bot.rs"] {
        let lines = fs::read_to_string(source(name)).expect("a bot").lines().count();
        assert!(lines < 80, "{name}: {lines} lines");
    }
    let mut compiler = Command::new("rustc");
    run(compiler.arg("-O").arg(source("bot.rs")).args(["-o", "bot"]).current_dir(&folder)).code(0);
    play(&folder, "./bot");
}

#[test]
fn a_look_at_the_machine_names_what_fails_with_its_remedy() {
    let folder = Folder::new();
    let found = folder.json("doctor");
    assert_eq!(found["schema"], "cardroom-doctor/1");
    let names: Vec<_> = list(&found["checks"]).iter().map(|check| string(&check["name"])).collect();
    for name in ["configuration", "folder for records", "sockets on 127.0.0.1", "clock"] {
        assert!(names.contains(&name), "{names:?}");
    }
    folder.write("cardroom.toml", "[server]\nbnd = 1\n");
    let failing = folder.run("doctor").failed(5, "checks fail");
    assert!(failing.stdout.contains("config check"), "{}", failing.stdout);
}

#[test]
fn a_demonstration_plays_measures_and_explains() {
    let folder = Folder::new();
    let said = folder.ok("demo --hands 200 --no-page");
    shows(&said, &["$ cardroom match oct cfr", "$ cardroom stats", "$ cardroom explain decision"]);
}

#[test]
fn help_has_every_command_and_shells_and_man_know_them() {
    let folder = Folder::new();
    let help = folder.ok("--help");
    for command in ["serve", "match", "evaluate", "train", "explain", "doctor"] {
        assert!(help.contains(&format!("\n  {command} ")), "{command}: {help}");
    }
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    // Options of every command are described once.
    let of_one = folder.ok("stats --help");
    for option in ["--config <FILE>", "--json   ", "--quiet   "] {
        assert!(help.contains(option) && !of_one.contains(option), "{option}: {of_one}");
    }
    assert!(of_one.contains("`cardroom --help` describes --config, --json and --quiet"));
    assert!(folder.ok("--json show games").contains("cardroom-games/1"));
    let refused = "--json: `cardroom init` prints no document: leave it out";
    folder.fails(2, "init new --json", refused);
    assert!(!folder.join("new").exists());
    for shell in ["bash", "zsh", "fish"] {
        let script = folder.ok(("completions", [shell]));
        assert!(script.contains("tournament") && script.contains("--hands"), "{shell}");
    }
    folder.ok("man");
    let page = folder.read("man1/cardroom-match.1");
    assert!(page.contains("SYNOPSIS") && page.contains("hands"), "{page}");
}
