//! The decisions at which a match was lost: some that are known by heart, sums that must agree with
//! the match's own report.

use serde_json::Value;

use super::{check_failure, document, explain};
use crate::program::{Folder, Words, list, number, shows};

fn play(folder: &Folder, agents: [&str; 2], arguments: impl Words) {
    folder.ok(("match", agents, "--seed 5 --quiet --record hands", arguments));
}

fn rows<'a>(found: &'a Value, which: &str) -> &'a [Value] {
    list(&found[which])
}

fn row<'a>(found: &'a Value, which: &str, name: &str) -> &'a Value {
    let found = rows(found, which).iter().find(|row| row["name"] == name);
    found.unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn who_folds_every_button_loses_the_small_blind_there() {
    let at = &Folder::new();
    // `fold` folds as the button before the flop and checks everywhere else; `call` calls and
    // checks.
    play(at, ["fold", "call"], "--hands 400 --out m");
    let found = document(at, "results m");
    assert_eq!(found["schema"], "cardroom-explain-results/1");
    assert_eq!((&found["hands"], &found["deals"]), (&400.into(), &200.into()));
    let places = rows(&found, "places");
    let worst = &places[0];
    assert_eq!(worst["name"], "preflop, button: folds to the blind");
    assert_eq!((&worst["hands"], &worst["hands_of_others"]), (&200.into(), &0.into()));
    // Half a big blind in half of the hands, without any spread.
    assert_eq!(number(&worst["won"]["mbb"]), -250.0);
    assert_eq!(number(&worst["difference"]["mbb"]), -250.0);
    assert_eq!(worst["verdict"], "separated");
    // Where `fold` folds, `call` has nothing to decide and wins as much.
    let other = row(&found, "places", "preflop, big blind: nothing to decide");
    assert_eq!(number(&other["difference"]["mbb"]), -250.0);
    // All other hands are checked down: the river is checked, once from each seat.
    let river = row(&found, "streets", "river");
    assert_eq!((&river["hands"], &river["hands_of_others"]), (&200.into(), &200.into()));
    assert!(rows(&found, "actions").iter().all(|row| row["name"] != "calls"), "{found}");
    let text = explain(at, "results m");
    shows(&text, &["fold in 400 hands", "folds to the blind", "separated", "By position"]);
    // No more places than asked for, of those that differ significantly, too.
    let text = explain(at, "results m --most 1");
    shows(&text, &["2 places differ significantly", "1 significant: --most shows them"]);
    let ranked = |rank: &str| text.lines().any(|line| line.trim_start().starts_with(rank));
    assert!(ranked("1  ") && !ranked("2  "), "{text}");
    // `call` sees the same from the other side.
    let other = document(at, "results m --who call");
    let same = row(&other, "places", "preflop, button: folds to the blind");
    assert_eq!(number(&same["difference"]["mbb"]), 250.0);
}

#[test]
fn places_add_up_to_the_equity() {
    let at = &Folder::new();
    for (arguments, deals) in [("--hands 600", 300), ("--hands 600 --no-duplicate", 600)] {
        let name = format!("m{deals}");
        play(at, ["equity", "random"], (arguments, "--out", [&name]));
        let found = document(at, ("results", [&name]));
        assert_eq!(found["deals"], deals, "{found}");
        let stats = at.json(("stats", [&name], "--quiet --estimates off"));
        let all_in = &stats["entrants"][0]["all_in_adjusted"];
        let all = &found["all"];
        let near = |a: f64, b: f64| (a - b).abs() < 1e-6 * (1.0 + a.abs());
        assert!(near(number(&all["won"]["mbb"]), number(&all_in["mbb"])), "{all} {all_in}");
        for end in ["low", "high"] {
            let [ours, theirs] = [&all["won"], all_in].map(|rate| number(&rate["interval"][end]));
            assert!(near(ours, theirs), "{end}: {ours} {theirs}");
        }
        for which in ["places", "streets", "positions", "actions"] {
            let sum = |of: &dyn Fn(&Value) -> f64| rows(&found, which).iter().map(of).sum::<f64>();
            assert_eq!(sum(&|row| number(&row["hands"])), 600.0, "{which}");
            assert_eq!(sum(&|row| number(&row["hands_of_others"])), 600.0, "{which}");
            assert!(near(sum(&|row| number(&row["won"]["mbb"])), number(&all["won"]["mbb"])));
            let difference = sum(&|row| number(&row["difference"]["mbb"]));
            assert!(near(difference, 2.0 * number(&all["won"]["mbb"])), "{which}: {difference}");
        }
    }
}

#[test]
fn equal_players_are_not_told_apart() {
    let at = &Folder::new();
    play(at, ["random", "random"], "--hands 3000 --out m");
    let found = document(at, "results m");
    for which in ["places", "streets", "positions", "actions"] {
        let all = rows(&found, which).iter();
        assert_eq!(all.filter(|row| row["verdict"] == "separated").count(), 0, "{which}: {found}");
    }
    // Some single interval is off zero all the same: that is what the verdict is for.
    let off = rows(&found, "places").iter().filter(|row| {
        let ends = &row["difference"]["interval"];
        number(&ends["low"]) > 0.0 || number(&ends["high"]) < 0.0
    });
    assert!(off.count() > 0, "{found}");
    let text = explain(at, "results m");
    assert!(text.contains("No place where random loses more"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 130), "{text}");
}

#[test]
fn results_of_nobody_are_refused() {
    let at = &Folder::new();
    play(at, ["call", "fold"], "--hands 2 --out m");
    check_failure(at, "results m --who cfr", 2, "the entrants are call, fold");
    check_failure(at, "results m", 3, "fewer than two whole deals");
    check_failure(at, "results nowhere", 3, "nowhere");
}
