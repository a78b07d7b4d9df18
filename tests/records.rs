//! `cardroom stats`, `export` and `import` as processes: whose files they read, and what they do
//! not overwrite.

use std::fs;
use std::path::Path;

use super::program::{cardroom, check_failure, document, text};

fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = cardroom(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

const LOG: &str = "# name/game/hands/seed 2017.a.b.0 /home/x/holdem.nolimit.2p.reverse_blinds.game \
                   2 7\n\
    #--t_response \
    600000\nSTATE:0:f:5d5c|9hQd:50|-50:a|b\nSTATE:1:f:6sKs|5dJd:50|-50:b|a\nSCORE:0|0:a|b\n";

#[test]
fn published_logs_are_read_with_blanks_a_mark_or_an_empty_line_before_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let export = |name: &str| {
        let output = cardroom(at, &["export", name, "--format", "acpc"]);
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    fs::write(at.join("plain.log"), LOG).expect("a file");
    let expected = export("plain.log");
    assert!(expected.contains("STATE:1:f:6sKs|5dJd:50|-50:b|a\n"), "{expected}");
    for (name, start, end) in [
        ("blanks.log", "    ", "\n"),
        ("mark.log", "\u{feff}", "\r\n"),
        ("empty.log", "\n", "\n"),
        ("all.log", "\u{feff}\r\n    ", "\r\n"),
    ] {
        fs::write(at.join(name), format!("{start}{}", LOG.replace('\n', end))).expect("a file");
        assert_eq!(export(name), expected, "{name}");
        let stats = cardroom(at, &["stats", name, "--json"]);
        assert!(stats.status.success(), "{name}: {}", text(&stats.stderr));
        let report: serde_json::Value = serde_json::from_slice(&stats.stdout).expect("a report");
        assert_eq!(report["hands"], 2, "{name}");
    }
}

#[test]
fn a_file_that_is_neither_ledger_nor_log_is_told_so_with_its_first_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let long = "x".repeat(5000);
    let noise: Vec<u8> =
        (0..100_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
    for (content, expected) in [
        (b"Poker Hand #1\tNL\nabc\n".as_slice(), "it begins with `Poker Hand #1\\tNL`"),
        (long.as_bytes(), &format!("it begins with `{}…`", "x".repeat(60))),
        (b"", "it is empty"),
        (b"# notes\nof Tuesday\n", "it begins with `# notes`"),
        (&noise, "it begins with `"),
    ] {
        fs::write(at.join("file"), content).expect("a file");
        for command in [&["stats", "file"][..], &["export", "file", "--format", "csv"]] {
            let output = cardroom(at, command);
            let neither = format!("file is neither a cardroom ledger nor an ACPC log: {expected}");
            check_failure(&output, 3, &neither);
            assert!(output.stderr.len() < 2000, "{}", text(&output.stderr));
        }
    }
    check_failure(&cardroom(at, &["stats", "nothing"]), 3, "cannot read nothing: No such file");
}

#[test]
fn an_export_overwrites_nothing_unless_it_is_forced_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    fs::write(at.join("a.log"), LOG).expect("a file");
    fs::write(at.join("mine.csv"), "mine\n").expect("a file");
    let export = |more: &[&str]| cardroom(at, &[&["export", "a.log"], more].concat());
    let read = |name: &str| fs::read_to_string(at.join(name)).expect("a file");
    let csv = ["--format", "csv", "--out", "mine.csv"];
    check_failure(&export(&csv), 3, "mine.csv already exists: add --force to overwrite it");
    assert_eq!(read("mine.csv"), "mine\n");
    assert!(export(&[&csv[..], &["--force"]].concat()).status.success());
    assert!(read("mine.csv").starts_with("hand,"), "{}", read("mine.csv"));
    // Nor the second of several files, the first of which is then not written either.
    fs::write(at.join("h-2.phhs"), "mine\n").expect("a file");
    let phh = ["--format", "phhs", "--out", "h.phhs", "--hands-per-file", "1"];
    check_failure(&export(&phh), 3, "h-2.phhs already exists");
    assert!(!at.join("h.phhs").exists());
    assert!(export(&[&phh[..], &["--force"]].concat()).status.success());
    assert!(read("h-2.phhs").starts_with("[1]"), "{}", read("h-2.phhs"));
    // Not what is exported, with --force either.
    for out in ["a.log", "./a.log"] {
        let own = ["--format", "csv", "--force", "--out", out];
        check_failure(&export(&own), 3, "a.log is a file of the match itself");
    }
    assert_eq!(read("a.log"), LOG);
    succeed(at, &["match", "random", "call", "--hands", "20", "--out", "m"]);
    for name in ["ledger.sqlite", "decisions.jsonl"] {
        let before = fs::read(at.join("m").join(name)).expect("a file");
        let own = format!("m/{name}");
        let own = ["export", "m", "--format", "csv", "--force", "--out", &own];
        check_failure(&cardroom(at, &own), 3, "is a file of the match itself");
        assert!(fs::read(at.join("m").join(name)).expect("a file") == before, "{name}");
    }
    // What holds nothing is no loss.
    assert!(export(&["--format", "csv", "--out", "/dev/null"]).status.success());
}

#[test]
fn an_exported_match_is_imported_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    succeed(at, &["match", "random", "call", "--hands", "500", "--out", "m"]);
    let game = "holdem.nolimit.2p.reverse_blinds";
    let sha256 = |name: &str| {
        let stats = document(at, &["stats", name, "--allin", "off", "--estimates", "off"]);
        (stats["record"]["sha256"].clone(), stats["entrants"][0]["rate"].clone())
    };
    for (format, file) in [("phhs", "h.phhs"), ("csv", "h.csv"), ("acpc", "h.log")] {
        succeed(at, &["export", "m", "--format", format, "--out", file]);
        let out = format!("from-{format}");
        let shown = succeed(at, &["import", file, "--game", game, "--out", &out]);
        assert!(shown.contains("500 of 500 hands"), "{shown}");
        let manifest = fs::read_to_string(at.join(&out).join("manifest.toml")).expect("a manifest");
        assert!(manifest.contains(&format!("game_name = \"{game}\"")), "{manifest}");
        // An ACPC log does not say which hands share a deal.
        if format != "acpc" {
            assert_eq!(sha256(&out), sha256("m"), "{format}");
        }
        check_failure(&cardroom(at, &["replay", &out]), 3, "played elsewhere and imported");
        let again = ["import", file, "--game", game, "--out", &out];
        check_failure(&cardroom(at, &again), 3, "already holds a match");
    }
    let output = cardroom(at, &["import", "h.phhs", "--out", "told"]);
    assert!(text(&output.stderr).contains("not kept: event"), "{}", text(&output.stderr));
    check_failure(&cardroom(at, &["import", "h.csv", "--out", "n"]), 3, "say which with --game");
    check_failure(&cardroom(at, &["import", "none.phh", "--out", "n"]), 3, "none.phh");
    fs::write(at.join("bad.phh"), "variant = 'NT'\nactions = 3\n").expect("a file");
    check_failure(&cardroom(at, &["import", "bad.phh", "--out", "n"]), 3, "bad.phh: PHH, line 1");
    let hidden = succeed(at, &["export", "m", "--format", "pokerstars", "--anonymise"]);
    assert!(hidden.contains("player-1") && !hidden.contains("random"), "{hidden}");
}

#[test]
fn hands_of_another_programs_table_are_imported_by_a_map_of_its_columns() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let map = "betting = 'Betting'\nboard = 'Board'\n\
               [[player]]\nname = 'bot'\nhole = 'Bot'\n\
               [[player]]\nname = 'guest'\nhole = 'Guest'\nposition = 'Position'\nchips = 'Won'\n";
    fs::write(at.join("map.toml"), map).expect("a file");
    let rows = "Position,Bot,Guest,Board,Betting,Won,Seconds\n\
                bb,AhKd,,,f,50,3\n\
                sb,7c2d,Qs Qh,2c 3c 4c 5d 9h,r300c/cc/cr600c/cc,600,21\n";
    fs::write(at.join("hands.csv"), rows).expect("a file");
    let game = ["--game", "holdem.nolimit.2p.reverse_blinds"];
    let import = |map: &str, more: &[&str]| {
        let args = ["import", "hands.csv", "--columns", map, "--out", "m"];
        cardroom(at, &[&args, &game[..], more].concat())
    };
    check_failure(&import("none.toml", &[]), 3, "none.toml");
    check_failure(&import("map.toml", &["--agent", "who=oct"]), 2, "the players are guest, bot");
    check_failure(&import("map.toml", &["--agent", "bot=ct"]), 2, "--agent bot=ct");
    let output = import("map.toml", &["--agent", "bot"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    let output = import("map.toml", &["--agent", "bot=oct"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("not kept: Seconds"), "{}", text(&output.stderr));
    let stats = document(at, &["stats", "m", "--estimates", "off"]);
    assert_eq!(stats["entrants"][0]["chips"], 650.0, "{stats}");
    // The one who played is known, so that its trees can be asked.
    let decision = succeed(at, &["explain", "decision", "m", "1", "1"]);
    assert!(decision.contains("7c2d") || decision.contains("7♣"), "{decision}");
    let leaks = succeed(at, &["explain", "results", "m", "--who", "bot"]);
    assert!(!leaks.is_empty());
}
