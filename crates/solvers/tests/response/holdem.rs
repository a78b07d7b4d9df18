//! Whole games: strategies against which the best response is known or bounded, and strategies that
//! are refused.

use std::sync::Arc;

use cards::{Combo, StartingHand};
use game::{Action, GameDef, InfoSet, Strategy, Street};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use solvers::Player;
use solvers::holdem::best_response::{FlopValues, PreflopPlay, Responder, flop_kinds};
use solvers::lbr::{LocalBestResponse, Moves};
use solvers::strategy::TreeStrategy;

use super::{asked, limit, menu, mixes, nolimit};
use crate::{By, board, calls, folds, mean_and_error, near};

/// The winnings of the responder in each seat, when it plays before the flop as the agent and when
/// it plays its best, taking one flop for all.
fn winnings(responder: &Responder<'_>, values: &FlopValues) -> [[f64; 2]; 2] {
    let preflop = responder.preflop();
    let after = values.0.each_ref().map(|v| v.iter().map(|&v| f64::from(v)).collect::<Vec<_>>());
    [
        Player::BOTH.map(|p| preflop.winnings(p, PreflopPlay::AsAgent, &after[p.index()])),
        Player::BOTH.map(|p| preflop.best(p, &after[p.index()]).1),
    ]
}

/// A flop with many symmetries, which takes little time: three of one suit.
fn monotone() -> cards::CardSet {
    let kinds = flop_kinds().iter().rev();
    kinds.filter(|kind| kind.flops == 4).nth(20).expect("299 of them").cards
}

#[test]
fn always_folding_loses_exactly_the_blinds() {
    let sizes = menu("preflop 1: pot\nturn 1: pot");
    let strategy = asked(&nolimit(), &sizes, folds);
    let responder = Responder::new(&strategy).expect("hold'em");
    let nothing = vec![0.0; responder.preflop().leaves().len() * StartingHand::COUNT];
    // In seat 0, the big blind, it wins the small blind of 50; in seat 1, by a raise, the big one
    // of 100.
    for (player, won) in Player::BOTH.into_iter().zip([50.0, 100.0]) {
        let best = responder.preflop().best(player, &nothing).1;
        near(best, won, 1e-9, "an agent that folds");
    }
}

#[test]
fn checked_down_nobody_wins_and_all_in_the_equities_are_those_of_the_cards() {
    let sizes = menu("preflop 1: allin");
    let strategy = asked(&limit(), &menu("every 1+: none"), calls);
    let responder = Responder::new(&strategy).expect("hold'em");
    let values = responder.flop(monotone()).expect("a strategy");
    let [as_agent, best] = winnings(&responder, &values);
    for (one, other) in as_agent.into_iter().zip(best) {
        near(one, 0.0, 1e-6, "both hold the same hands");
        // It may fold its worst hands in the small blind.
        assert!(other >= one);
    }
    // All-in before the flop against any two cards: 20,000 chips times how much more often it wins
    // than it loses.
    let strategy = asked(&nolimit(), &sizes, calls);
    let responder = Responder::new(&strategy).expect("hold'em");
    let nothing = vec![0.0; responder.preflop().leaves().len() * StartingHand::COUNT];
    let won = responder.preflop().best(Player::Second, &nothing).1;
    let table = cards::PreflopTable::embedded().matrix();
    let mut expected = 0.0;
    for hero in StartingHand::all() {
        let (mut margin, mut pairs) = (0.0, 0);
        for villain in StartingHand::all() {
            let counts = table.get(hero, villain);
            margin += (2 * counts.wins + counts.ties) as f64 - counts.total as f64;
            pairs += table.pairs(hero, villain);
        }
        let rate = margin / 1_712_304.0 / pairs as f64;
        expected += (20_000.0 * rate).max(0.0) * hero.combos().count() as f64 / Combo::COUNT as f64;
    }
    near(won, expected, 1e-6 * expected, "all-in with the better half of hands");
}

#[test]
fn on_every_flop_the_best_is_at_least_what_the_agent_wins_from_itself() {
    // What the agent wins from itself in one seat it loses in the other.
    let sizes = menu("preflop 1: pot\nriver 1: pot");
    let strategy = asked(&nolimit(), &sizes, mixes(&sizes));
    let responder = Responder::new(&strategy).expect("hold'em");
    let values = responder.flop(monotone()).expect("a strategy");
    let [as_agent, best] = winnings(&responder, &values);
    assert!(as_agent[0] + as_agent[1] > 0.0, "{as_agent:?}");
    for (one, other) in as_agent.into_iter().zip(best) {
        assert!(other >= one, "{other} {one}");
    }
}

#[test]
fn flops_renamed_are_worth_the_same() {
    let sizes = menu("preflop 1: none\nturn 1: none");
    let strategy = asked(&limit(), &sizes, calls);
    let responder = Responder::new(&strategy).expect("hold'em");
    let [one, other] =
        ["Kc7c2c", "Kh7h2h"].map(|text| responder.flop(board(text).set()).expect("a strategy"));
    for (one, other) in one.0.iter().flatten().zip(other.0.iter().flatten()) {
        near(f64::from(*one), f64::from(*other), 1e-6, "by suits");
    }
}

/// The mean over deals of what local best response wins from an agent in one seat.
fn local(def: &Arc<GameDef>, agent: &By<fn(&InfoSet) -> Strategy>, deals: u64) -> [(f64, f64); 2] {
    let response =
        LocalBestResponse::new(def, agent, Moves::FoldCallRaise, Street::Preflop).expect("hold'em");
    [0, 1].map(|seat| {
        let seat = game::Seat::new(seat).expect("two seats");
        let won: Vec<f64> = (0..deals)
            .map(|number| {
                let mut rng = Pcg64Mcg::seed_from_u64(number);
                let deal = crate::lbr::deal(&mut rng);
                response.play(&deal, seat, &mut rng).expect("a distribution").expected.chips()
            })
            .collect();
        mean_and_error(&won)
    })
}

#[test]
fn against_a_caller_it_wins_more_than_local_best_response() {
    let def = limit();
    let sizes = menu("preflop 1+: min\nflop 1: min\nturn 1: min\nriver 1: min");
    let strategy = asked(&def, &sizes, calls);
    let responder = Responder::new(&strategy).expect("hold'em");
    // Two flops of the same ranks but for suits cannot stand for all; the margin is wide enough for
    // them.
    let values = responder.flop(monotone()).expect("a strategy");
    let [_, best] = winnings(&responder, &values);
    let local = local(&def, &By(calls), 100);
    for (best, (mean, error)) in best.into_iter().zip(local) {
        assert!(best > mean - 3.0 * error, "{best} against {mean} ± {error}");
    }
}

#[test]
fn strategies_that_are_none_in_the_tree_are_refused() {
    let sizes = menu("preflop 1: pot");
    let small = |infoset: &InfoSet| match infoset.legal().raise {
        Some(raise) => Strategy::pure(Action::RaiseTo(raise.min)),
        None => Strategy::pure(Action::Call),
    };
    let by_suit = |infoset: &InfoSet| {
        let spades = infoset.hole.iter().all(|card| card.suit().index() == 3);
        let bet = if infoset.legal().fold && spades { Action::Fold } else { Action::Call };
        Strategy::pure(bet)
    };
    let half = |_: &InfoSet| Strategy { actions: vec![(Action::Call, 0.5)] };
    let check = |strategy: fn(&InfoSet) -> Strategy, expected: &str| {
        let strategy = asked(&nolimit(), &sizes, strategy);
        assert!(strategy.tree().nodes().len() > 1);
        let error = Responder::new(&strategy).err().expect("an error").to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(small, "raises to 200, which the bet menu does not have");
    check(by_suit, "other suits of the same ranks");
    check(half, "sum to 0.5, not to 1");
}
