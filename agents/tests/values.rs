//! The value function of the shipped blueprint: exact where values can be computed otherwise, and a
//! mean over cards to come.

use std::sync::Arc;

use agents::{StrategyQuery, shipped_values, values_between, values_of_file};
use cards::{Card, CardSet, HoleCards, Ties, all_in};
use game::{
    Action, BySeat, GameDef, InfoSet, Policy, PublicState, Turn, ValueFunction, games, notation,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::table::{self, policy};

fn state(def: &Arc<GameDef>, betting: &str, board: &str) -> PublicState {
    notation::replay(def, betting, &table::board(board)).expect("a hand")
}

fn holes(text: [&str; 2]) -> [HoleCards; 2] {
    text.map(table::hole)
}

fn value(values: &dyn ValueFunction, dealt: [HoleCards; 2], public: &PublicState) -> f64 {
    values.of_deal(dealt, [0, 1], 5).value(public)
}

fn near(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found} and not {expected}");
}

#[test]
fn folds_showdowns_and_all_ins_are_worth_what_the_rules_say() {
    let def = Arc::new(games::nolimit_holdem());
    let values = shipped_values(&def).expect("one ships");
    let dealt = holes(["AsAh", "KdKc"]);
    let at = |betting: &str, board: &str| value(&*values, dealt, &state(&def, betting, board));
    near(at("f", ""), 50.0, 0.0);
    near(at("r300c/r600f", "2c7d9h"), 300.0, 0.0);
    near(at("cc/cc/cc/cc", "2c7d9hJs3d"), 100.0, 0.0);
    let combos = dealt.map(|hole| cards::Combo::new(hole[0], hole[1]).expect("two cards"));
    for (betting, board) in
        [("r20000c", ""), ("cc/r20000c", "2c7dKh"), ("cc/cc/r20000c", "2c7dKhJs")]
    {
        let seen: CardSet = table::board(board).set();
        let share = all_in(combos[0], combos[1], seen).expect("cards").value(Ties::Half);
        near(at(betting, board), (2.0 * share - 1.0) * 20_000.0, 1e-6);
    }
}

/// The expected winnings of seat 0 when the seats play these policies to the end of the hand.
fn played_out(policies: [&dyn Policy; 2], public: &PublicState, dealt: [HoleCards; 2]) -> f64 {
    let Turn::Act(seat) = public.turn() else {
        let payoffs = public.payoffs(&BySeat::from_slice(&dealt).expect("two seats"));
        return payoffs.as_slice()[0].chips();
    };
    let infoset = InfoSet { public: public.clone(), seat, hole: dealt[seat.index()] };
    let strategy = policies[seat.index()].strategy(&infoset);
    let after = |&(action, p): &(Action, f64)| match p > 0.0 {
        true => p * played_out(policies, &public.clone().play(action).expect("legal"), dealt),
        false => 0.0,
    };
    strategy.actions.iter().map(after).sum()
}

#[test]
fn on_the_river_values_are_what_the_blueprint_wins_when_it_is_played_out() {
    let def = Arc::new(games::nolimit_holdem());
    let values = shipped_values(&def).expect("one ships");
    let policy = policy("cfr", &def);
    for hands in [["AsAh", "KdKc"], ["9s9d", "Ah4h"], ["QcTc", "Ad3c"], ["5s4s", "JhTh"]] {
        for betting in ["r250c/cc/cc/", "r250c/cc/cc/c", "r250c/cc/cr500c/cr1000", "cc/cc/cc/"] {
            let public = state(&def, betting, "2c7d9hJs3d");
            let found = value(&*values, holes(hands), &public);
            let expected = played_out([&*policy; 2], &public, holes(hands));
            near(found, expected, 0.02 * public.pot() as f64);
        }
    }
}

#[test]
fn a_value_before_the_river_is_the_mean_over_all_rivers() {
    let def = Arc::new(games::nolimit_holdem());
    let values = shipped_values(&def).expect("one ships");
    let dealt = holes(["9s9d", "Ah4h"]);
    let board = "2c7d9hJs";
    let before = state(&def, "r250c/cc/r500c", board);
    let dead: CardSet = table::board(board).set() | dealt[0].set() | dealt[1].set();
    let rivers: Vec<Card> = (CardSet::FULL - dead).iter().collect();
    let after = |card: &Card| {
        let mut public = before.clone();
        public.deal(&[*card]).expect("a river");
        value(&*values, dealt, &public)
    };
    let mean = rivers.iter().map(after).sum::<f64>() / rivers.len() as f64;
    near(value(&*values, dealt, &before), mean, 1e-3);
}

#[test]
fn over_seeds_a_value_before_cards_is_the_mean_over_those_cards() {
    let def = Arc::new(games::nolimit_holdem());
    let values = shipped_values(&def).expect("one ships");
    let dealt = holes(["Qs9s", "Ah4d"]);
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    for (betting, board, next) in [("r250c", "", 3), ("r250c/cc", "2s7d9h", 1)] {
        let before = state(&def, betting, board);
        let dead = before.board().set() | dealt[0].set() | dealt[1].set();
        let mut rest: Vec<Card> = (CardSet::FULL - dead).iter().collect();
        let (mut sum, mut squares, count) = (0.0, 0.0, 300);
        for seed in 0..count {
            for at in 0..next {
                let other = rng.random_range(at as u32..rest.len() as u32) as usize;
                rest.swap(at, other);
            }
            let mut after = before.clone();
            after.deal(&rest[..next]).expect("cards");
            let mut of = values.of_deal(dealt, [0, 1], seed);
            let apart = of.value(&after) - of.value(&before);
            sum += apart;
            squares += apart * apart;
        }
        let count = count as f64;
        let mean = sum / count;
        let error = ((squares / count - mean * mean) / count).sqrt();
        assert!(mean.abs() < 3.5 * error, "{betting}: {mean:.1} ± {error:.1} chips");
    }
}

#[test]
fn agents_that_call_are_valued_by_the_showdown_that_comes() {
    let def = Arc::new(games::nolimit_holdem());
    let policies = [policy("call", &def), policy("call", &def)].map(Some);
    let values = values_between(&def, policies, ["call", "call"], StrategyQuery::Buckets);
    let values = values.expect("one ships");
    assert!(values.name().starts_with("agents call and call on blueprint"), "{}", values.name());
    let dealt = holes(["9s9d", "Ah4h"]);
    let combos = dealt.map(|hole| cards::Combo::new(hole[0], hole[1]).expect("two cards"));
    for (betting, board, pot) in [("", "", 100.0), ("cc", "", 100.0), ("r600c/", "2c7dKh", 600.0)] {
        let public = state(&def, betting, board);
        let share = all_in(combos[0], combos[1], public.board().set()).expect("cards");
        let expected = (2.0 * share.value(Ties::Half) - 1.0) * pot;
        // The root is corrected to the exact share of what is matched there, half a big blind.
        near(
            value(&*values, dealt, &public),
            expected,
            if betting.is_empty() { 15.0 } else { 1e-3 },
        );
    }
}

#[test]
fn agents_asked_for_the_very_cards_are_valued_by_what_they_then_play() {
    let def = Arc::new(games::nolimit_holdem());
    let names = ["oct", "mlp"];
    let agents = names.map(|name| policy(name, &def));
    let asked = agents.clone().map(Some);
    let values = values_between(&def, asked, names, StrategyQuery::Cards).expect("one ships");
    assert!(values.name().starts_with("agents oct and mlp by their cards on"), "{}", values.name());
    for (hands, board) in [
        (["QsJs", "Ah4d"], "2s7d9hTcJd"),
        (["9s9d", "Ah4h"], "2c7dKh7s4c"),
        (["AsKd", "7h6h"], "8h5hKc2d4s"),
        (["8c7c", "AdQd"], "Kd9c6h5dQs"),
    ] {
        let dealt = holes(hands);
        let public = state(&def, "r250c/cc/cc/", board);
        let expected = played_out([&*agents[0], &*agents[1]], &public, dealt);
        near(value(&*values, dealt, &public), expected, 1e-3);
    }
    // Before the river it is the mean over all rivers.
    let dealt = holes(["QsJs", "Ah4d"]);
    let before = state(&def, "r250c/cc/cc", "2s7d9hTc");
    let dead = before.board().set() | dealt[0].set() | dealt[1].set();
    let rivers: Vec<Card> = (CardSet::FULL - dead).iter().collect();
    let after = rivers.iter().map(|&river| {
        let mut after = before.clone();
        after.deal(&[river]).expect("a card");
        value(&*values, dealt, &after)
    });
    let mean = after.sum::<f64>() / rivers.len() as f64;
    near(value(&*values, dealt, &before), mean, 1e-2);
}

#[test]
fn an_agent_that_goes_by_the_buckets_is_asked_for_those() {
    let def = Arc::new(games::nolimit_holdem());
    let names = ["cfr", "cfr"];
    let [cards, buckets] = [StrategyQuery::Cards, StrategyQuery::Buckets].map(|query| {
        let asked = names.map(|name| Some(policy(name, &def)));
        values_between(&def, asked, names, query).expect("one ships")
    });
    let dealt = holes(["QsJs", "Ah4d"]);
    for (betting, board) in [("r250c/cc/", "2s7d9hTc"), ("r250c/r500", "2s7d9h")] {
        let public = state(&def, betting, board);
        let [one, other] = [&cards, &buckets].map(|values| value(&**values, dealt, &public));
        near(one, other, 1e-9);
    }
}

#[test]
fn another_game_is_refused_by_name_and_a_file_that_is_no_blueprint_too() {
    let def = games::nolimit_holdem();
    let values = shipped_values(&def).expect("one ships");
    assert!(values.name().starts_with("blueprint "), "{}", values.name());
    assert_eq!(values.check_game(&def), Ok(()));
    let other = games::nolimit_holdem_with(vec![15_000; 2]);
    let refused = values.check_game(&other).expect_err("another game");
    assert!(refused.contains("20000") && refused.contains("15000"), "{refused}");
    assert!(shipped_values(&other).is_none());
    // There is one for each stack that has a blueprint of its own.
    let shallow = games::nolimit_holdem_with(vec![2_000; 2]);
    let of_shallow = shipped_values(&shallow).expect("one ships");
    assert_eq!(of_shallow.check_game(&shallow), Ok(()));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let error = values_of_file(path.as_ref()).err().expect("no blueprint").to_string();
    assert!(error.contains("Cargo.toml"), "{error}");
}
