//! Statements of lists whose worth is known by heart.

use std::sync::Arc;

use evaluation::Settings;
use evaluation::statements::{Measured, measure};
use game::{GameDef, Policy, games};
use logs::Rate;
use matches::runner::Stop;
use readable::heuristic::Rulebook;

fn policy(def: &Arc<GameDef>, name: &str) -> Arc<dyn Policy> {
    let choice = matches::external::registry().resolve(name).expect("an agent");
    choice.policy(def).expect("it plays").expect("it is pure")
}

fn measured(def: &Arc<GameDef>, text: &str, against: &str, hands: u64, jobs: usize) -> Measured {
    let book = Rulebook::parse(text).expect(text);
    let settings = Settings { hands, seed: 3, jobs };
    let opponent = policy(def, against);
    measure(def, &book, &*opponent, None, settings, &Stop::new(), &mut |_| {})
        .expect("it is played")
}

const FOLDS: &str =
    "[preflop]\nif aggressive then fold\nelse if hand >= high card then call\nelse call\n";

#[test]
fn folding_to_every_raise_is_worth_what_it_loses() {
    // Whoever always raises raises first as the button, and after a call: each hand folds then. As
    // the button a big blind is lost, which a call had put in; as the big blind a big blind, too.
    let def = Arc::new(games::limit_holdem());
    let found = measured(&def, FOLDS, "raise", 1_000, 2);
    let [fold, call, default] = found.streets[0].as_slice() else { panic!("three lines") };
    assert_eq!(
        (found.deals, fold.decisions, call.decisions, default.decisions),
        (500, 1_000, 500, 0)
    );
    assert_eq!((fold.there.hands, fold.there.chips()), (1_000, -10_000.0));
    assert_eq!(found.won.chips(), -10_000.0);
    assert!(found.streets[1..].iter().all(Vec::is_empty));
    // Without it the hands are played to their end, and the two of a deal cancel.
    assert_eq!((fold.value.chips(), fold.value.hands), (-10_000.0, 1_000));
    // Struck out, the second statement leaves the same call to the default action.
    assert_eq!((call.value.chips(), call.value.hands), (0.0, 1_000));
    let rate = Rate::from_sums(&fold.value, def.big_blind()).expect("a rate");
    assert_eq!((rate.mbb, rate.half_width()), (-1_000.0, 0.0));
}

#[test]
fn a_list_that_plays_as_its_opponent_wins_nothing_and_streets_without_one_are_the_opponents() {
    let def = Arc::new(games::limit_holdem());
    let found = measured(&def, "[turn]\ncall\n", "call", 400, 1);
    assert_eq!(found.won.chips(), 0.0, "the two hands of a deal cancel");
    assert_eq!(found.streets[2][0].decisions, 400);
    assert_eq!(found.streets.each_ref().map(Vec::len), [0, 0, 1, 0]);
}

#[test]
fn threads_do_not_matter_and_draws_are_as_often_as_declared() {
    let def = Arc::new(games::limit_holdem());
    let text = "[flop]\nif one in four times then raise\nelse call\n";
    let found = measured(&def, text, "call", 4_000, 1);
    assert_eq!(found, measured(&def, text, "call", 4_000, 3));
    // A raise ends the list's street: one decision a hand, a quarter of 4,000 with a standard
    // deviation of 27.
    let raises = found.streets[1][0].decisions;
    assert_eq!(raises + found.streets[1][1].decisions, 4_000);
    assert!((890..1_110).contains(&raises), "{raises}");
}

#[test]
fn games_of_three_and_odd_hands_are_refused() {
    let book = Rulebook::parse("[flop]\ncall\n").expect("a list");
    let refused = |def: GameDef, hands| {
        let def = Arc::new(def);
        let opponent = policy(&def, "call");
        let settings = Settings { hands, seed: 0, jobs: 1 };
        measure(&def, &book, &*opponent, None, settings, &Stop::new(), &mut |_| {})
            .map(drop)
            .expect_err("refused")
    };
    let three = games::nolimit_holdem_with(vec![1_000; 3]);
    assert!(refused(three, 2).to_string().contains("the game has 3 players"));
    for hands in [3, 0] {
        let error = refused(games::limit_holdem(), hands);
        assert!(error.is_usage() && error.to_string().contains(&format!("{hands} hands are not")));
    }
}
