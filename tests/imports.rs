//! `cardroom import` as a process, of hands as other programs publish them: who sat where, what the
//! chips are, which hands cannot be kept, and which results cannot have happened.

use std::fs;

use crate::program::{Folder, Run, list, shows};

/// A PHH table of a hand in which p2 raises and wins what p1 has in.
fn table(number: u32, more: &str) -> String {
    format!(
        "[{number}]\nvariant = 'NT'\nantes = [0, 0]\nblinds_or_straddles = [50, 100]\n\
         min_bet = 100\nstarting_stacks = [20000, 20000]\n\
         actions = ['d dh p1 AhKh', 'd dh p2 7c2d', 'p2 cbr 300', 'p1 f']\n{more}\n"
    )
}

/// The tables of several hands with the same fields besides.
fn tables(numbers: &[u64], more: &str) -> String {
    let hands = (1..).zip(numbers);
    hands.map(|(number, hand)| table(number, &format!("hand = {hand}\n{more}"))).collect()
}

fn import(folder: &Folder, files: &[(&str, &str)], more: &str) -> Run {
    for (name, content) in files {
        folder.write(name, content);
    }
    // A folder of an earlier import is no match of this one.
    let _ = fs::remove_dir_all(folder.join("m"));
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    folder.run(("import --out m", names, more))
}

/// Imports, and gives what was said and each player's name and chips.
fn imported(folder: &Folder, files: &[(&str, &str)], more: &str) -> (String, Vec<(String, f64)>) {
    let output = import(folder, files, more).code(0);
    let stats = folder.json("stats m --estimates off --allin off");
    let entrants = list(&stats["entrants"]).iter();
    let mut chips: Vec<(String, f64)> = entrants
        .map(|one| (one["name"].as_str().unwrap_or_default().to_owned(), one["chips"].as_f64()))
        .map(|(name, chips)| (name, chips.expect("chips")))
        .collect();
    chips.sort_by(|a, b| a.0.cmp(&b.0));
    (output.stderr, chips)
}

#[test]
fn players_without_names_are_those_of_their_seats_and_never_seated_by_guess() {
    let at = &Folder::new();
    let named = |more: &str| tables(&[1, 2, 3, 4], more);
    let same = |names: [&str; 2]| names.map(str::to_owned).into_iter().zip([-400.0, 400.0]);
    for (more, names) in [
        ("seats = [2, 5]", ["seat-2", "seat-5"]),
        ("players = ['', '']\nseats = [2, 5]", ["seat-2", "seat-5"]),
        ("players = ['A', 'A']\nseats = [2, 5]", ["seat-2", "seat-5"]),
        ("players = ['A', 'B']", ["A", "B"]),
    ] {
        let (_, chips) = imported(at, &[("h.phhs", &named(more))], "");
        assert!(same(names).eq(chips), "{more}");
    }
    // Equal once blanks are written as `_`, in any file and order.
    let (one, other) = (named("players = ['A b', 'A_b']"), named("players = ['A_b', 'A b']"));
    let (told, chips) = imported(at, &[("h.phhs", &one), ("i.phhs", &other)], "");
    assert!(told.contains("`A_b` is written A_b#2") && told.contains("renumbered"), "{told}");
    assert!(chips.iter().all(|(name, chips)| name.starts_with("A_b") && *chips == 0.0));
    let (log, moved) = ("STATE:0:f:|:50|-50:a b|a_b\n", "STATE:1:f:|:50|-50:a b|a_b\n");
    let game = "--game holdem.nolimit.2p.reverse_blinds";
    let (_, chips) = imported(at, &[("h.log", log), ("i.log", moved)], game);
    assert_eq!(chips, [("a_b".to_owned(), 100.0), ("a_b#2".to_owned(), -100.0)]);
    let rows = |entrant: &str, names: [&str; 2]| {
        let header = format!("hand,seat,{entrant}name,hole,board,betting,chips\n");
        let entrants = if entrant.is_empty() { ["", ""] } else { ["0,", "1,"] };
        let row = |seat: usize, chips: i32| {
            format!("7,{seat},{}{},,,f,{chips}\n", entrants[seat], names[seat])
        };
        header + &row(0, 50) + &row(1, -50)
    };
    for (names, expected) in [(["a", "a"], ["a", "a#2"]), (["", ""], ["player-1", "player-2"])] {
        let (_, chips) = imported(at, &[("h.csv", &rows("entrant,", names))], game);
        let expected = expected.map(str::to_owned).into_iter().zip([50.0, -50.0]);
        assert!(expected.eq(chips), "{names:?}");
    }
    let place = "h.phhs, line 1, hand 1: not all its players have a name of their own";
    for (file, content, expected) in [
        ("h.phhs", named(""), place),
        ("h.phhs", named("players = ['A', 'A']"), place),
        ("h.phhs", named("players = ['A', '']\nseats = [3, 3]"), place),
        (
            "h.csv",
            rows("", ["a", "a"]),
            "line 3: hand 7: the player in seat 1 has another seat too",
        ),
        ("h.csv", rows("", ["", ""]), "line 2: there is neither a name nor an entrant's number"),
        ("h.log", "STATE:0:f:|:50|-50:a|a\n".into(), "line 1: `a` is not a name of one player"),
    ] {
        import(at, &[(file, &content)], game).failed(3, expected);
        assert!(!at.join("m").exists(), "{file}: a refused import leaves a folder");
    }
}

#[test]
fn what_cannot_be_kept_is_an_error_with_its_place_or_left_out_by_kind() {
    let at = &Folder::new();
    let named = "players = ['A', 'B']";
    let antes = table(2, named).replace("antes = [0, 0]", "antes = [10, 10]");
    let rake = table(3, &format!("{named}\nwinnings = [0, 190]"));
    let deep = table(5, named).replace("[20000, 20000]", "[30000, 20000]");
    let limit = table(6, named).replace("'NT'", "'FO/8'");
    let hands = [
        table(1, named),
        antes.clone(),
        rake,
        table(4, "players = ['B', 'A']"),
        deep.clone(),
        limit,
        table(7, "players = ['A', 'Who']"),
    ];
    let all = hands.concat();
    let expected = "h.phhs: PHH, line 9: hand 2: antes are not supported: leave such hands out";
    import(at, &[("h.phhs", &all)], "").failed(3, expected);
    let two = table(1, named) + &deep;
    let expected = "h.phhs, line 9, hand 5: its game differs from that of the first hand, \
                    h.phhs, line 1, hand 1: the game's stacks are 20000 20000 in one and 30000 \
                    20000 in the other";
    import(at, &[("h.phhs", &two)], "").failed(3, expected);
    let (told, chips) = imported(at, &[("h.phhs", &all)], "--leave-out");
    assert_eq!(chips, [("A".to_owned(), 0.0), ("B".to_owned(), 0.0)]);
    for kind in
        ["of other variants", "with antes", "with rake", "with other stacks", "with other players"]
    {
        assert!(told.contains(&format!("left out: 1 hand {kind}\n")), "{told}");
    }
    import(at, &[("h.phhs", &antes)], "--leave-out")
        .failed(3, "there are no hands but 1 hand with antes");
}

#[test]
fn results_that_no_hidden_cards_give_are_refused_with_their_line() {
    let at = &Folder::new();
    let game = "--game holdem.nolimit.2p.reverse_blinds";
    let line = |chips: [&str; 2]| {
        format!("STATE:5:r240c/cc/cc/cc:|JsTh/2d8c9s/Kh/3c:{}|{}:A|B\n", chips[0], chips[1])
    };
    let possible = line(["-240", "240"]);
    for chips in [["-300", "300"], ["20000", "-20000"], ["57", "-57"], ["-120", "120"]] {
        let log = possible.clone() + &line(chips).replace(":5:", ":6:");
        let expected =
            format!("h.log: ACPC log, line 2: hand 6: payoffs [{}, {}]", chips[0], chips[1]);
        import(at, &[("h.log", &log)], game).failed(3, &expected);
        at.run(("stats h.log", game)).failed(3, "are impossible: the seats put in [240, 240]");
    }
    imported(at, &[("h.log", &possible)], game);
}

#[test]
fn cents_are_chips_and_numbers_of_sites_are_kept() {
    let at = &Folder::new();
    let named = "players = ['A', 'B']";
    let coins = |text: String| {
        text.replace("[50, 100]", "[0.25, 0.50]")
            .replace("min_bet = 100", "min_bet = 0.5")
            .replace("20000, 20000", "50, 50.0")
            .replace("cbr 300", "cbr 1.25 # a raise")
    };
    let cents = coins(tables(&[3_017_237_436, 3_017_235_188], named));
    // Whole in itself, and of the same game.
    let whole = cents.replace("3017237436", "'abc-12'").replace("3017235188", "9007199254740993");
    let (told, chips) = imported(at, &[("c.phhs", &cents), ("w.phhs", &whole)], "");
    shows(&told, &["amounts are scaled: 100 chips are 1, a chip is 0.01", "not kept: hand"]);
    assert_eq!(chips, [("A".to_owned(), -200.0), ("B".to_owned(), 200.0)]);
    let stats = at.run("stats m").stdout;
    assert!(stats.contains("\n4 of 4 hands\n"), "{stats}");
    let log = at.run("export m --format acpc").stdout;
    shows(
        &log,
        &["STATE:3017237436:r125f:AhKh|7c2d:-50|50:A|B\n", "STATE:9007199254740993:", "SCORE:"],
    );
}
