//! Duels against what can be worked out, and against hands that are played.

use std::sync::Arc;

use agents::Registry;
use evaluation::duel::{Duel, Opponent, Valued, duel};
use evaluation::{Error, Sampled};
use game::{GameDef, Policy, Street, games};
use matches::folder::NullRecorder;
use matches::plan::MatchPlan;
use matches::runner::{self, Level, Stop};
use solvers::lbr::Moves;

fn policy(def: &Arc<GameDef>, name: &str) -> Arc<dyn Policy> {
    let choice = Registry::standard().resolve(name).expect("an agent");
    choice.policy(def).expect("it plays the game").expect("it has a policy")
}

fn valued(names: [&str; 3], street: Street, hands: u64, threads: usize) -> Valued {
    sampled(names, street, hands, threads, 0.0, 1)
}

fn sampled(
    names: [&str; 3],
    street: Street,
    hands: u64,
    threads: usize,
    sample_below: f64,
    cards: u32,
) -> Valued {
    let def = Arc::new(games::nolimit_holdem());
    let [one, other, before] = names.map(|name| policy(&def, name));
    let policies = [one, other];
    let sampled = Sampled { cards, below: sample_below };
    let plan = Duel { def, policies, before, opponent: None, street, sampled, hands, seed: 5 };
    duel(&plan, threads, &Stop::new(), |_| ()).expect("valued")
}

#[test]
fn whoever_folds_to_every_bet_loses_what_is_in_the_pot() {
    // Both call and check up to the river. There `raise` bets the least, and `fold` gives up its
    // blind, from either seat.
    let found = valued(["raise", "fold", "call"], Street::River, 16, 1);
    assert_eq!((found.hands, found.spots), (16, 16));
    assert!((found.at_spots - 1.0).abs() < 1e-9, "{found:?}");
    let back = valued(["fold", "raise", "call"], Street::River, 16, 1);
    assert!((back.at_spots + 1.0).abs() < 1e-9, "{back:?}");
}

#[test]
fn an_agent_wins_nothing_from_itself() {
    for street in [Street::Turn, Street::River] {
        let found = valued(["cfr", "cfr", "cfr"], street, 12, 1);
        let rate = found.rate.expect("several hands");
        assert!(found.spots > 0 && rate.mbb.abs() < 1e-6, "{found:?}");
    }
}

#[test]
fn threads_change_nothing() {
    let [one, two] =
        [1, 2].map(|threads| valued(["equity", "call", "call"], Street::River, 40, threads));
    assert_eq!(one, two);
}

#[test]
fn bets_that_are_called_by_everything_win_nothing_on_average_over_both_seats() {
    // Every hand is held alike by both, and none folds: what a bet wins with one hand it loses with
    // another.
    let found = valued(["raise", "call", "call"], Street::River, 8, 1);
    assert!(found.at_spots.abs() < 1e-9, "{found:?}");
}

#[test]
fn lines_that_are_drawn_count_for_those_that_are_not() {
    let names = ["equity:mix=1", "cfr", "call"];
    let all = valued(names, Street::River, 400, 1).rate.expect("several hands");
    let some = sampled(names, Street::River, 400, 1, 0.3, 1).rate.expect("several hands");
    let error = (all.standard_error.powi(2) + some.standard_error.powi(2)).sqrt();
    assert!((all.mbb - some.mbb).abs() < 3.5 * error, "{all:?} {some:?}");
    assert!(some.standard_error > all.standard_error, "{all:?} {some:?}");
    let itself = sampled(["cfr"; 3], Street::Turn, 12, 1, 0.2, 1).rate.expect("several hands");
    assert!(itself.mbb.abs() < 1e-6, "{itself:?}");
}

#[test]
fn more_cards_of_each_deal_change_the_noise_and_not_the_mean() {
    let names = ["equity:mix=1", "call", "call"];
    let [one, six] = [1, 6].map(|cards| {
        let found = sampled(names, Street::Turn, 120, 1, 0.0, cards);
        found.rate.expect("several hands")
    });
    let error = (one.standard_error.powi(2) + six.standard_error.powi(2)).sqrt();
    assert!((one.mbb - six.mbb).abs() < 3.5 * error, "{one:?} {six:?}");
    assert!(six.standard_error < one.standard_error, "{one:?} {six:?}");
    // With all of them nothing but the spot is drawn: who folds to the least bet of somebody who
    // always makes it loses the pot.
    let all = sampled(["raise", "fold", "call"], Street::Turn, 3, 1, 0.0, 48);
    assert!((all.at_spots - 1.0).abs() < 1e-9, "{all:?}");
}

/// What the first agent wins from the opponent beyond the second, from a street on.
fn compared(
    [one, other, opponent]: [&str; 3],
    street: Street,
    hands: u64,
) -> Result<Valued, Error> {
    let def = Arc::new(games::nolimit_holdem());
    let before = policy(&def, other);
    let opponent = match opponent {
        "lbr" => Opponent::Response(Moves::usual(def.betting), policy(&def, "call")),
        name => Opponent::Strategy(policy(&def, name)),
    };
    let plan = Duel {
        policies: [policy(&def, one), Arc::clone(&before)],
        def,
        before,
        opponent: Some(opponent),
        street,
        sampled: Sampled { cards: 1, below: 0.0 },
        hands,
        seed: 5,
    };
    duel(&plan, 1, &Stop::new(), |_| ())
}

#[test]
fn an_agent_wins_no_more_than_itself_from_anybody() {
    for opponent in ["fft:model=polar", "equity", "lbr"] {
        let found = compared(["cfr", "cfr", opponent], Street::River, 12).expect("valued");
        let rate = found.rate.expect("several hands");
        assert!(found.spots > 0 && rate.mbb == 0.0 && rate.half_width() == 0.0, "{found:?}");
    }
}

/// A list for `fft` that calls up to the river, where it does this; the file must outlive it.
fn on_the_river(folder: &tempfile::TempDir, name: &str, river: &str) -> String {
    let file = folder.path().join(name);
    let calls = "[preflop]\ncall\n[flop]\ncall\n[turn]\ncall\n[river]\n";
    std::fs::write(&file, format!("{calls}{river}\n")).expect("written");
    format!("fft:model={}", file.display())
}

#[test]
fn whoever_bets_wins_the_pot_that_others_check_from_those_who_fold() {
    // Both come to the river with every hand, where the pot is two blinds. Checked down, it is
    // shared; a bet that everything folds to wins the other's blind.
    let folder = tempfile::tempdir().expect("a folder");
    let folds = on_the_river(&folder, "folds", "fold");
    let bets = on_the_river(&folder, "bets", "bet pot");
    let found = compared([&bets, "call", &folds], Street::River, 16).expect("valued");
    assert_eq!((found.hands, found.spots), (16, 16));
    assert!((found.at_spots - 1.0).abs() < 1e-9, "{found:?}");
    // The other way round it loses as much.
    let back = compared(["call", &bets, &folds], Street::River, 16).expect("valued");
    assert!((back.at_spots + 1.0).abs() < 1e-9, "{back:?}");
}

#[test]
fn what_is_compared_is_the_difference_of_matches_with_the_same_opponent() {
    let folder = tempfile::tempdir().expect("a folder");
    let bets = on_the_river(&folder, "bets", "if win rate >= 80 % then bet pot\nelse call");
    let opponent = "fft:model=caller";
    let found = compared([&bets, "call", opponent], Street::River, 400).expect("valued");
    let by_duel = found.rate.expect("several hands");
    let def = Arc::new(games::nolimit_holdem());
    let registry = Registry::standard();
    let [one, other] = [&bets, "call"].map(|name| {
        let entrants = [name, opponent].map(|name| registry.resolve(name).expect("an agent"));
        let plan = MatchPlan {
            def: Arc::clone(&def),
            game_name: "holdem.nolimit.2p.reverse_blinds".to_owned(),
            entrants: entrants.into(),
            given_names: Vec::new(),
            hands: 40_000,
            seed: 9,
            duplicate: true,
            shard: None,
            deadline: None,
            rule: None,
        };
        let (archive, sink, stop) = (&NullRecorder, &mut NullRecorder, Stop::new());
        let outcome = runner::run(&plan, Level::Nothing, 2, archive, sink, &stop, &mut |_| ());
        outcome.expect("a match").tally.rate(0).expect("a rate")
    });
    let by_matches = one.mbb - other.mbb;
    // The two matches have the same cards, so this is more than the difference's own error.
    let error = (one.standard_error.powi(2) + other.standard_error.powi(2)).sqrt();
    assert!((by_duel.mbb - by_matches).abs() < 3.0 * error, "{by_duel:?} {by_matches} ± {error}");
    assert!(by_duel.mbb > 4.0 * by_duel.standard_error, "{by_duel:?}");
}

#[test]
fn agents_that_differ_before_the_street_are_not_compared_after_it() {
    let error = compared(["cfr", "fft", "call"], Street::River, 40).expect_err("they differ");
    let text = error.to_string();
    assert!(error.is_usage() && text.contains("differently before the river"), "{text}");
}
