//! `cardroom stats`, `export` and `import` as processes: whose files they read, and what they do
//! not overwrite.

use std::fs;

use crate::program::{Folder, Words, shows};

const LOG: &str = "# name/game/hands/seed 2017.a.b.0 /home/x/holdem.nolimit.2p.reverse_blinds.game \
                   2 7\n\
    #--t_response \
    600000\nSTATE:0:f:5d5c|9hQd:50|-50:a|b\nSTATE:1:f:6sKs|5dJd:50|-50:b|a\nSCORE:0|0:a|b\n";

#[test]
fn published_logs_are_read_with_blanks_a_mark_or_an_empty_line_before_them() {
    let at = &Folder::new();
    let export = |name: &str| at.ok(("export", [name], "--format acpc"));
    at.write("plain.log", LOG);
    let expected = export("plain.log");
    assert!(expected.contains("STATE:1:f:6sKs|5dJd:50|-50:b|a\n"), "{expected}");
    for (name, start, end) in [
        ("blanks.log", "    ", "\n"),
        ("mark.log", "\u{feff}", "\r\n"),
        ("empty.log", "\n", "\n"),
        ("all.log", "\u{feff}\r\n    ", "\r\n"),
    ] {
        at.write(name, format!("{start}{}", LOG.replace('\n', end)));
        assert_eq!(export(name), expected, "{name}");
        assert_eq!(at.json(("stats", [name]))["hands"], 2, "{name}");
    }
}

#[test]
fn a_file_that_is_neither_ledger_nor_log_is_told_so_with_its_first_line() {
    let at = &Folder::new();
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
        at.write("file", content);
        for command in ["stats file", "export file --format csv"] {
            let neither = format!("file is neither a cardroom ledger nor an ACPC log: {expected}");
            let said = at.run(command).failed(3, &neither).stderr;
            assert!(said.len() < 2000, "{said}");
        }
    }
    at.fails(3, "stats nothing", "cannot read nothing: No such file");
}

#[test]
fn an_export_overwrites_nothing_unless_it_is_forced_to() {
    let at = &Folder::new();
    at.write("a.log", LOG);
    at.write("mine.csv", "mine\n");
    let export = |more: &dyn Words| at.run(("export a.log", more));
    let read = |name: &str| at.read(name);
    let csv = "--format csv --out mine.csv";
    export(&csv).failed(3, "mine.csv already exists: add --force to overwrite it");
    assert_eq!(read("mine.csv"), "mine\n");
    export(&(csv, "--force")).code(0);
    assert!(read("mine.csv").starts_with("hand,"), "{}", read("mine.csv"));
    // Nor the second of several files, the first of which is then not written either.
    at.write("h-2.phhs", "mine\n");
    let phh = "--format phhs --out h.phhs --hands-per-file 1";
    export(&phh).failed(3, "h-2.phhs already exists");
    assert!(!at.join("h.phhs").exists());
    export(&(phh, "--force")).code(0);
    assert!(read("h-2.phhs").starts_with("[1]"), "{}", read("h-2.phhs"));
    // Not what is exported, with --force either.
    for out in ["a.log", "./a.log"] {
        export(&("--format csv --force --out", [out]))
            .failed(3, "a.log is a file of the match itself");
    }
    assert_eq!(read("a.log"), LOG);
    at.ok("match random call --hands 20 --out m");
    for name in ["ledger.sqlite", "decisions.jsonl"] {
        let before = fs::read(at.join("m").join(name)).expect("a file");
        let own = format!("m/{name}");
        at.fails(
            3,
            ("export m --format csv --force --out", [&own]),
            "is a file of the match itself",
        );
        assert!(fs::read(at.join("m").join(name)).expect("a file") == before, "{name}");
    }
    // What holds nothing is no loss.
    export(&"--format csv --out /dev/null").code(0);
}

#[test]
fn an_exported_match_is_imported_as_it_was() {
    let at = &Folder::new();
    at.ok("match random call --hands 500 --out m");
    let game = "holdem.nolimit.2p.reverse_blinds";
    let sha256 = |name: &str| {
        let stats = at.json(("stats", [name], "--allin off --estimates off"));
        (stats["record"]["sha256"].clone(), stats["entrants"][0]["rate"].clone())
    };
    for (format, file) in [("phhs", "h.phhs"), ("csv", "h.csv"), ("acpc", "h.log")] {
        at.ok(("export m --format", [format], "--out", [file]));
        let out = format!("from-{format}");
        let shown = at.ok(("import", [file], "--game", [game], "--out", [&out]));
        assert!(shown.contains("500 of 500 hands"), "{shown}");
        let manifest = at.read(format!("{out}/manifest.toml"));
        assert!(manifest.contains(&format!("game_name = \"{game}\"")), "{manifest}");
        // An ACPC log does not say which hands share a deal.
        if format != "acpc" {
            assert_eq!(sha256(&out), sha256("m"), "{format}");
        }
        at.fails(3, ("replay", [&out]), "played elsewhere and imported");
        at.fails(3, ("import", [file], "--game", [game], "--out", [&out]), "already holds a match");
    }
    let output = at.run("import h.phhs --out told");
    assert!(output.stderr.contains("not kept: event"), "{}", output.stderr);
    at.fails(3, "import h.csv --out n", "say which with --game");
    at.fails(3, "import none.phh --out n", "none.phh");
    at.write("bad.phh", "variant = 'NT'\nactions = 3\n");
    at.fails(3, "import bad.phh --out n", "bad.phh: PHH, line 1");
    let hidden = at.ok("export m --format pokerstars --anonymise");
    assert!(hidden.contains("player-1") && !hidden.contains("random"), "{hidden}");
}

#[test]
fn hands_of_another_programs_table_are_imported_by_a_map_of_its_columns() {
    let at = &Folder::new();
    let map = "betting = 'Betting'\nboard = 'Board'\n\
               [[player]]\nname = 'bot'\nhole = 'Bot'\n\
               [[player]]\nname = 'guest'\nhole = 'Guest'\nposition = 'Position'\nchips = 'Won'\n";
    at.write("map.toml", map);
    let rows = "Position,Bot,Guest,Board,Betting,Won,Seconds\n\
                bb,AhKd,,,f,50,3\n\
                sb,7c2d,Qs Qh,2c 3c 4c 5d 9h,r300c/cc/cr600c/cc,600,21\n";
    at.write("hands.csv", rows);
    let game = "--game holdem.nolimit.2p.reverse_blinds";
    let import =
        |map: &str, more: &str| at.run(("import hands.csv --out m --columns", [map], game, more));
    import("none.toml", "").failed(3, "none.toml");
    import("map.toml", "--agent who=oct").failed(2, "the players are guest, bot");
    import("map.toml", "--agent bot=ct").failed(2, "--agent bot=ct");
    import("map.toml", "--agent bot").code(2);
    let output = import("map.toml", "--agent bot=oct").code(0);
    assert!(output.stderr.contains("not kept: Seconds"), "{}", output.stderr);
    let stats = at.json("stats m --estimates off");
    assert_eq!(stats["entrants"][0]["chips"], 650.0, "{stats}");
    // The one who played is known, so that its trees can be asked.
    let decision = at.ok("explain decision m 1 1");
    assert!(decision.contains("7c2d") || decision.contains("7♣"), "{decision}");
    let leaks = at.ok("explain results m --who bot");
    assert!(!leaks.is_empty());
}

/// Hands of sites, as they are written elsewhere.
const ZOOM: &str = "\
PokerStars Zoom Hand #100000000001:  Hold'em No Limit ($0.02/$0.05) - 2024/01/02 03:04:05 ET
Table 'Tee' 6-max Seat #1 is the button
Seat 1: One ($5 in chips)
Seat 2: Two ($5 in chips)
Two: posts big blind $0.05
One: posts small blind $0.02
*** HOLE CARDS ***
Dealt to One [Ah Kd]
One: raises $0.10 to $0.15
Two: folds
Uncalled bet ($0.10) returned to One
One collected $0.10 from pot
*** SUMMARY ***
Total pot $0.10 | Rake $0
Seat 1: One (button) (small blind) collected ($0.10)
Seat 2: Two (big blind) folded before Flop

";

#[test]
fn hands_of_poker_sites_are_imported_and_what_is_left_out_is_said() {
    let at = &Folder::new();
    at.write("z.txt", format!("\u{feff}{ZOOM}").replace('\n', "\r\n"));
    let output = at.run("import z.txt --out z").code(0);
    let said = &output.stderr;
    assert!(said.contains("100 are $1") && said.contains("not kept: table, time"), "{said}");
    let stats = at.json("stats z");
    let chips = |number: usize| {
        let entrant = &stats["entrants"][number];
        (entrant["name"].clone(), entrant["chips"].clone())
    };
    assert_eq!([chips(0), chips(1)], [("One".into(), 5.0.into()), ("Two".into(), (-5.0).into())]);
    // Other commands say what to do.
    for command in ["stats z.txt", "explain results z.txt"] {
        at.fails(3, command, "z.txt is PokerStars text: `cardroom import z.txt");
    }
    at.write("notes.txt", "some notes\n");
    at.run("import notes.txt --out n").failed(
        3,
        "also reads PokerStars text, Open Hand History, Pokerbots game logs, Kaggle replays",
    );
    // A rake is an error, or left out.
    let raked = ZOOM.replace("#1000", "#1001").replace("Rake $0", "Rake $0.01");
    at.write("r.txt", ZOOM.to_owned() + &raked + ZOOM);
    let import = |more: &str| at.run(("import r.txt --out r", more));
    import("").failed(3, "a rake is not supported");
    assert!(!at.join("r").exists() && !at.join("n").exists());
    let said = import("--leave-out").stderr;
    shows(
        &said,
        &[
            "left out: 1 hand with a rake",
            "1 hand with the number of an earlier one, the first on line 35",
        ],
    );
    // A file that is cut off in its last hand.
    at.write("c.txt", ZOOM.to_owned() + &raked[..300]);
    let said = at.run("import c.txt --out c").stderr;
    shows(&said, &["warning: c.txt ends in the middle of a hand", "1 hand of 1 file"]);
    let euros = ZOOM.replace('$', "€");
    at.write("e.txt", euros);
    at.run("import z.txt e.txt --out m").failed(3, "100 chips cannot be $1 and €1 at once");
}

#[test]
fn a_log_that_is_cut_short_or_has_a_hand_twice_is_read_with_a_warning() {
    let at = &Folder::new();
    let lines: Vec<&str> = LOG.lines().filter(|line| line.starts_with("STATE")).collect();
    let cut = format!("{}\n{}", lines[0], &lines[1][..20]);
    let twice = format!("{}\n{}\n{}\n", lines[0], lines[1], lines[0]);
    for (content, hands, warning) in [
        (cut, 1, "x.log ends in the middle of a hand, which is left out: ACPC log, line 2"),
        (twice, 3, "1 hand with the number of an earlier one, the first on line 3"),
    ] {
        let header = LOG.lines().next().filter(|line| line.starts_with('#')).unwrap_or_default();
        let content = if header.is_empty() { content } else { format!("{header}\n{content}") };
        let warning = match header.is_empty() {
            true => warning.to_owned(),
            false => warning.replace("line 3", "line 4").replace("line 2", "line 3"),
        };
        at.write("x.log", content);
        for command in
            ["stats x.log --json", "export x.log --format csv", "import x.log --out m --json"]
        {
            let said = at.run(command).code(0).stderr;
            assert_eq!(said.matches(&warning).count(), 1, "{command:?}: {said}");
        }
        let stats = at.json("stats m");
        assert_eq!(stats["hands"], hands, "{stats}");
        fs::remove_dir_all(at.join("m")).expect("removed");
    }
}

/// Names that would steer a terminal, turn the writing round or begin a line, in every format that
/// others write.
#[test]
fn names_of_others_are_shown_escaped_wherever_they_come_from() {
    let at = &Folder::new();
    let (steers, turns) = ("a\u{1b}[2Jb", "c\u{202e}d");
    let game = "holdem.nolimit.2p.reverse_blinds";
    let log = format!("STATE:0:f:7h3c|9d4s:50|-50:{steers}|{turns}\n");
    let phh = "variant = 'NT'\nantes = [0, 0]\nblinds_or_straddles = [50, 100]\nmin_bet = 100\n\
               starting_stacks = [20000, 20000]\n\
               actions = ['d dh p1 AhKh', 'd dh p2 7c2d', 'p2 f']\n\
               players = [\"a\\u001b[2Jb\", \"c\\u202e\\nd\"]\n";
    let columns = format!("Bot,Guest,Seat,Betting,Board,Won\n{steers},{turns},sb,f,,-50\n");
    let map = "betting = 'Betting'\nboard = 'Board'\n[[player]]\nname_column = 'Bot'\n[[player]]\n\
               name_column = 'Guest'\nposition = 'Seat'\nchips = 'Won'\n";
    let zoom = ZOOM.replace("One", steers).replace("Two", turns);
    let ohh = r#"{"ohh":{"game_number":"7","game_type":"Holdem","bet_limit":{"bet_type":"NL"},
        "currency":"XXX","dealer_seat":2,"small_blind_amount":50,"big_blind_amount":100,
        "players":[{"id":0,"seat":1,"name":"a\u001b[2Jb","starting_stack":20000},
                   {"id":1,"seat":2,"name":"c\u202e\nd","starting_stack":20000}],
        "rounds":[{"id":0,"street":"Preflop","actions":[
            {"action_number":1,"player_id":1,"action":"Post SB","amount":50},
            {"action_number":2,"player_id":0,"action":"Post BB","amount":100},
            {"action_number":3,"player_id":1,"action":"Fold"}]}],
        "pots":[{"number":0,"amount":100,"player_wins":[{"player_id":0,"win_amount":100}]}]}}"#;
    at.write("log.log", &log);
    let csv = at
        .ok(("export log.log --format csv --game", [game]))
        .replace("a\\u{1b}[2Jb", steers)
        .replace("c\\u{202e}d", turns);
    assert!(csv.contains(steers) && csv.contains(turns), "{csv}");
    for (file, content) in [
        ("log.log", log.as_str()),
        ("h.phh", phh),
        ("h.csv", &csv),
        ("c.csv", &columns),
        ("z.txt", &zoom),
        ("h.ohh", ohh),
    ] {
        at.write(file, content);
        at.write("map.toml", map);
        let columns = if file == "c.csv" { "--columns map.toml" } else { "" };
        let import = format!("import {file} --game {game} --out m {columns}");
        let mut commands = vec![import, "stats m".into(), "stats m --json".into()];
        commands.push("explain results m --who nobody".into());
        for format in ["acpc", "csv", "jsonl", "phhs", "pokerstars", "ohh"] {
            commands.push(format!("export m --format {format}"));
        }
        if file == "log.log" {
            commands.push(format!("stats log.log --game {game}"));
            commands.push(format!("export log.log --game {game} --format csv"));
        }
        for command in commands {
            let run = at.run(&command);
            let shown = run.stdout + &run.stderr;
            assert!(run.status == Some(0) || command.contains("results"), "{command}: {shown}");
            let bad = |c: char| c == '\u{202e}' || c.is_control() && c != '\n';
            assert!(!shown.contains(bad), "{file}, {command:?}: {shown:?}");
            let begins = shown.lines().any(|line| line.starts_with("d|") || line == "d");
            assert!(!begins, "{file}, {command:?}: {shown}");
        }
        fs::remove_dir_all(at.join("m")).expect("removed");
    }
}

#[test]
fn an_import_that_fails_leaves_nothing_behind_and_overwrites_nothing() {
    let at = &Folder::new();
    at.write("z.txt", ZOOM);
    let import = |more: &str| at.run(("import z.txt", more));
    assert_ne!(import("--name '' --out new/in/new").status, Some(0));
    assert!(!at.join("new").exists());
    fs::create_dir(at.join("old")).expect("a folder");
    at.write("old/mine.txt", "mine");
    assert_ne!(import("--name '' --out old").status, Some(0));
    let left: Vec<_> = fs::read_dir(at.join("old")).expect("a folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
    // A log in the folder would be overwritten by that of the match.
    at.write("old/acpc.log", LOG);
    import("--out old").failed(3, "old already holds acpc.log");
    assert_eq!(at.read("old/acpc.log"), LOG);
}
