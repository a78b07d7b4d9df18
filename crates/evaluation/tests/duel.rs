//! Duels against what can be worked out, and against hands that are played.

use std::sync::Arc;

use agents::Registry;
use evaluation::Sampled;
use evaluation::duel::{Duel, Valued, duel};
use game::{GameDef, Policy, Street, games};
use matches::runner::Stop;

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
    let plan = Duel { def, policies, before, street, sampled, hands, seed: 5 };
    duel(&plan, threads, &Stop::new(), |_| ())
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
