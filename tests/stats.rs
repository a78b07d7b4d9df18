//! `cardroom stats` as a process: estimates in a second, kept beside the ledger, and lists of
//! single hands.

use std::fs;

use serde_json::Value;

use crate::program::{Folder, Words, list, shows, string};

fn play(at: &Folder, agents: [&str; 2], hands: &str, name: &str) {
    at.ok(("match", agents, "--hands", [hands], "--seed 1 -q --out", [name]));
}

fn estimates(at: &Folder, arguments: impl Words) -> Value {
    at.json(("stats m", arguments))["estimates"].clone()
}

/// The mean of the seats' rates of each estimate, weighted by their hands, is its rate.
fn check_seats(estimates: &Value) {
    let mut checked = 0;
    for row in list(&estimates["rows"]) {
        let seats = list(&row["seats"]);
        let sum =
            |of: &dyn Fn(&Value) -> f64| seats.iter().map(|seat| of(&seat["rate"])).sum::<f64>();
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        let hands = sum(&|rate| number(&rate["hands"]));
        let won = sum(&|rate| number(&rate["hands"]) * number(&rate["mbb"]));
        if seats.len() == 2 {
            let together = won / hands;
            let all = number(&row["rate"]["mbb"]);
            assert!((together - all).abs() < 1e-6, "{}: {together} and {all}", row["what"]);
            checked += 1;
        }
    }
    assert!(checked >= 3, "{estimates}");
}

#[test]
fn estimates_say_what_they_are_computed_from_and_are_kept_beside_the_ledger() {
    let at = &Folder::new();
    play(at, ["cfr", "equity"], "600", "m");
    let file = at.join("m/estimates.json");
    let by_equity = estimates(at, "--values equity");
    check_seats(&by_equity);
    let sample = &by_equity["sample"];
    assert_eq!((&sample["of"], &sample["values"]), (&Value::from(300), &Value::from("equity")));
    let corrected = sample["corrected"].as_u64().expect("a number");
    let aside = sample["set_aside"].as_u64().expect("a number");
    assert!(corrected > 0 && aside > 0 && corrected + aside <= 300, "{sample}");
    // Raw is of all hands; what was set aside is in no other estimate.
    assert_eq!(by_equity["rows"][0]["rate"]["hands"], 600);
    let combined = by_equity["rows"].as_array().and_then(|rows| rows.last()).expect("a row");
    assert_eq!(combined["kind"], "combined");
    assert_eq!(combined["rate"]["hands"], 2 * (300 - aside));
    assert_eq!(combined["rate"]["groups"], corrected);
    // How many deals others can correct depends on the machine.
    let first = estimates(at, "");
    let tried = list(&first["sample"]["tried"]);
    let names: Vec<&str> = tried.iter().filter_map(|tried| tried["values"].as_str()).collect();
    assert_eq!(names, ["equity", "agents", "cards"]);

    // The very same again, from the file: figures that depend on time would differ otherwise.
    let kept = fs::read_to_string(&file).expect("kept");
    assert_eq!(estimates(at, ""), first);
    assert_eq!(fs::read_to_string(&file).expect("kept"), kept);
    // A file that is not one, or of other records, is as none.
    for bad in ["", "{", "{\"schema\":\"cardroom-estimates/2\",\"about\":\"\",\"entries\":[]}"] {
        fs::write(&file, bad).expect("a file");
        check_seats(&estimates(at, "--estimates 40 --values equity"));
    }
    // All deals, by a fixed rule, are then preferred to a second's worth.
    let all = estimates(at, "--estimates all");
    assert_eq!(all["sample"], Value::Null);
    assert!(all["value_function"].as_str().is_some_and(|name| name.starts_with("agents cfr and")));
    check_seats(&all);
    assert_eq!(estimates(at, ""), all);
    // More hands make other records.
    play(at, ["cfr", "equity"], "640", "m");
    let later = estimates(at, "");
    assert_eq!(later["rows"][0]["rate"]["hands"], 640);
    assert_ne!(later, all);
    assert!(!at.join("m/estimates.json.tmp").exists());
}

#[test]
fn a_number_of_deals_gives_the_same_figures_whenever_and_wherever() {
    let at = &Folder::new();
    play(at, ["equity", "call"], "400", "m");
    let some = "--estimates 60 --values equity";
    let first = estimates(at, some);
    assert_eq!(first["sample"]["set_aside"], 0);
    let corrected = first["sample"]["corrected"].as_u64().expect("a number");
    assert!((40..80).contains(&corrected), "{corrected}");
    fs::remove_file(at.join("m/estimates.json")).expect("it may be deleted");
    assert_eq!(estimates(at, some), first);
    let shown = at.ok("stats m --estimates 60 --values equity");
    assert!(shown.contains(&format!("the estimates correct {corrected} of 200 deals")), "{shown}");
    for bad in ["0", "-1", "on", "some"] {
        let output = at.run(("stats m", [&format!("--estimates={bad}")])).code(2);
        let error = &output.stderr;
        assert!(error.contains("auto, all, off or a number of deals"), "{error}");
    }
    // Without a folder nothing is kept.
    fs::copy(at.join("m/ledger.sqlite"), at.join("one.sqlite")).expect("a copy");
    at.ok("stats one.sqlite");
    assert!(!at.join("estimates.json").exists());
}

#[test]
fn single_hands_are_listed_by_result_pot_and_luck_with_the_command_that_explains_them() {
    let at = &Folder::new();
    play(at, ["equity", "call"], "300", "m");
    // The hands, from the export.
    let lines = at.ok("export m --format jsonl");
    let hands: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("a hand")).collect();
    let of_first = |hand: &Value| {
        let entrants = list(&hand["entrants"]);
        entrants.iter().position(|entrant| entrant == 0).expect("it played")
    };
    let won = |hand: &Value| -> f64 {
        hand["chips"][of_first(hand)].as_str().and_then(|chips| chips.parse().ok()).expect("chips")
    };
    let mut worst: Vec<(f64, u64)> =
        hands.iter().map(|hand| (won(hand), hand["hand"].as_u64().expect("a number"))).collect();
    worst.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));

    let asked = "stats m --estimates all --values equity";
    let lists = "--worst 4 --biggest 3 --luckiest 2";
    let found = at.json((asked, lists))["single_hands"].clone();
    let rows = |of: &str| list(&found[of]).clone();
    assert_eq!([rows("worst").len(), rows("biggest").len(), rows("luckiest").len()], [4, 3, 2]);
    for (row, (won, hand)) in rows("worst").iter().zip(worst) {
        assert_eq!((&row["hand"], &row["won"]), (&Value::from(hand), &Value::from(won)));
        let cards = string(&hands[hand as usize]["cards"]);
        assert!(cards.contains(string(&row["cards"])), "{row} {cards}");
        assert!(row["luck_adjusted"].is_number(), "{row}");
    }
    let pots: Vec<u64> = rows("biggest").iter().filter_map(|row| row["pot"].as_u64()).collect();
    assert!(pots.is_sorted_by(|a, b| a >= b) && pots.len() == 3, "{pots:?}");
    let lucky: Vec<f64> = rows("luckiest")
        .iter()
        .map(|row| row["won"].as_f64().unwrap() - row["luck_adjusted"].as_f64().unwrap())
        .collect();
    assert!(lucky[0] >= lucky[1] && lucky[1] > 0.0, "{lucky:?}");
    // The same hands by kept estimates, and the command of one of them works.
    let again = at.json((asked, "--worst 4"));
    assert_eq!(again["single_hands"]["worst"], found["worst"]);
    let command = string(&found["worst"][0]["explain"]);
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    assert!(at.ok(words).starts_with(&format!("hand {}: ", found["worst"][0]["hand"])));
    let text = at.ok((asked, lists));
    shows(&text, &["worst hands of equity", "biggest pots of equity", "luckiest hands of equity"]);
    at.run("stats m --luckiest 2 --estimates off").failed(2, "--luckiest has no effect");
}

#[test]
fn a_decision_is_explained_by_what_the_other_held_and_would_have_held() {
    let at = &Folder::new();
    play(at, ["cfr", "equity"], "20", "m");
    let lines = at.ok("export m --format jsonl");
    let (mut ranges, mut hands) = (0, 0);
    for line in lines.lines().take(6) {
        let hand: Value = serde_json::from_str(line).expect("a hand");
        let number = hand["hand"].to_string();
        let listed = at.json(("explain decision m", [&number]));
        let count = list(&listed["decisions"]).len();
        let last = (count - 1).to_string();
        let found = at.json(("explain decision m", [&number, &last]));
        let others = &found["others"];
        let cards = string(&hand["cards"]);
        let held = string(&others["held"][0]["cards"]);
        assert!(cards.contains(held) && found["hole"] != others["held"][0]["cards"], "{found}");
        let against = &others["against"];
        match against["of"].as_str() {
            Some("range") => ranges += 1,
            _ => hands += 1,
        }
        let equity = against["equity"].as_f64().expect("a number");
        assert!((0.0..=1.0).contains(&equity), "{against}");
        let values = list(&against["values"]);
        assert!(values.iter().any(|value| value[0] == found["action"]), "{against}");
        // A fold costs what was put in, whatever the other holds.
        assert!(values.is_sorted_by(|a, b| a[1].as_f64() >= b[1].as_f64()), "{values:?}");
        let text = at.ok(("explain decision m", [&number, &last]));
        assert!(text.contains(&format!("held {held}")), "{text}");
    }
    assert!(ranges > 0, "{ranges} and {hands}");
}
