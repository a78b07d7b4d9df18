//! The agent `linear`: what it plays at tables of several stacks, and what it leaves to others.

use std::sync::Arc;

use agents::Registry;
use cards::{Combo, HoleCards, StartingHand};
use game::{Action, GameDef, InfoSet, Policy, PublicState, Seat, games};
use readable::linear::LinearModel;
use readable::shove_fold::{Payoffs, equilibrium};

const SHIPPED: &str = include_str!("../models/shove-fold.toml");

fn policy(def: &Arc<GameDef>, name: &str) -> Arc<dyn Policy> {
    let choice = Registry::standard().resolve(name).expect("an agent");
    choice.policy(def).expect("it plays the game").expect("it has a policy")
}

/// The action played with a hand after these actions.
fn played(name: &str, stack: u32, actions: &[Action], hand: &str) -> Action {
    let def = Arc::new(games::nolimit_holdem_with(vec![stack, stack]));
    let mut public = PublicState::new(&def);
    for &action in actions {
        public.apply(action).expect("legal");
    }
    let game::Turn::Act(seat) = public.turn() else { panic!("somebody acts") };
    let hand: StartingHand = hand.parse().expect("a hand");
    let combo: Combo = hand.combos().next().expect("combos");
    let hole = HoleCards::new(&combo.cards()).expect("two cards");
    let infoset = InfoSet { public, seat, hole };
    let strategy = policy(&def, name).strategy(&infoset);
    assert_eq!(strategy.actions.len(), 1);
    strategy.actions[0].0
}

#[test]
fn the_shipped_rule_loses_little_at_and_between_its_stacks() {
    let model: LinearModel = SHIPPED.parse().expect("it ships");
    let whole: Vec<f64> = model.stacks().iter().map(|&(stack, _)| stack).collect();
    assert_eq!(whole, (1..=20).map(f64::from).collect::<Vec<_>>());
    for half in 2..=40 {
        let stack = f64::from(half) / 2.0;
        let payoffs = Payoffs::new(stack, 0.0).expect("a stack");
        let weights = model.at(stack);
        let ranges = weights.ranges();
        let lost = equilibrium(&payoffs).losses(&payoffs, &ranges).map(|lost| 1000.0 * lost);
        let most = if half % 2 == 0 { 2.5 } else { 12.0 };
        assert!(lost.iter().all(|&lost| lost < most), "{stack}: {lost:?}");
    }
}

#[test]
fn it_moves_all_in_calls_or_folds_by_its_weights() {
    let all_in = Action::RaiseTo(1000);
    assert_eq!(played("linear", 1000, &[], "AA"), all_in);
    assert_eq!(played("linear", 1000, &[], "32o"), Action::Fold);
    assert_eq!(played("linear", 1000, &[all_in], "AA"), Action::Call);
    assert_eq!(played("linear", 1000, &[all_in], "32o"), Action::Fold);
    // With little behind, calls are wide.
    let short = Action::RaiseTo(150);
    assert_eq!(played("linear", 150, &[short], "72o"), Action::Call);
}

#[test]
fn a_large_raise_stands_for_all_in_and_a_small_one_or_a_limp_is_for_the_fallback() {
    let name = "linear:fallback=fold";
    assert_eq!(played(name, 1000, &[Action::RaiseTo(334)], "AA"), Action::RaiseTo(1000));
    assert_eq!(played(name, 1000, &[Action::RaiseTo(334)], "32o"), Action::Fold);
    assert_eq!(played(name, 1000, &[Action::RaiseTo(333)], "AA"), Action::Fold);
    assert_eq!(played("linear:fallback=call", 1000, &[Action::RaiseTo(250)], "32o"), Action::Call);
    assert_eq!(played("linear:fallback=call", 1000, &[Action::Call], "AA"), Action::Call);
}

#[test]
fn decisions_beyond_its_stacks_or_of_the_fallback_are_counted() {
    let decision = |stack: u32, actions: &[Action]| {
        let def = Arc::new(games::nolimit_holdem_with(vec![stack, stack]));
        let mut public = PublicState::new(&def);
        actions.iter().for_each(|&action| public.apply(action).expect("legal"));
        let game::Turn::Act(seat) = public.turn() else { panic!("somebody acts") };
        let hole = HoleCards::new(&Combo::from_index(0).expect("a combo").cards()).expect("two");
        crate::table::ask("linear", &InfoSet { public, seat, hole })
    };
    // A big blind is 100 chips; the weights are for 1 to 20 of them.
    for (stack, beyond) in [(1_050, false), (2_000, false), (2_001, true), (20_000, true)] {
        let decided = decision(stack, &[]);
        let note = decided.note.expect("a note");
        assert_eq!(decided.beyond_model, beyond, "{stack}: {note}");
        assert_eq!(note.contains("the weights for 20 big blinds, the nearest"), beyond, "{note}");
    }
    let limped = decision(1_000, &[Action::Call]);
    assert!(limped.beyond_model);
    assert!(limped.note.expect("a note").starts_with("left to equity: "));
    // The blueprint of `resolve` and the agent behind an exploiter are parts of them.
    let def = Arc::new(games::nolimit_holdem());
    for name in ["exploiter", "resolve"] {
        let infoset = crate::table::infoset(&def, "", "7s2h", "");
        assert!(!crate::table::ask(name, &infoset).beyond_model, "{name}");
    }
}

#[test]
fn other_games_are_for_the_fallback_and_bad_models_are_refused() {
    let three = Arc::new(games::nolimit_holdem_with(vec![1000; 3]));
    let infoset = InfoSet {
        public: PublicState::new(&three),
        seat: Seat::new(0).expect("a seat"),
        hole: HoleCards::new(&Combo::from_index(0).expect("a combo").cards()).expect("two"),
    };
    let strategy = policy(&three, "linear:fallback=call").strategy(&infoset);
    assert_eq!(strategy.actions, [(Action::Call, 1.0)]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.toml");
    let registry = Registry::standard();
    let resolve = || registry.resolve_in("linear:model=rule.toml", folder.path()).map(drop);
    assert!(resolve().expect_err("no file").to_string().contains("cannot read "));
    for text in [SHIPPED.replace("gap = ", "gab = "), SHIPPED.replace("format = 1", "format = 9")] {
        std::fs::write(&path, text).expect("written");
        assert!(resolve().expect_err("no rule").to_string().contains("rule.toml: "));
    }
    std::fs::write(&path, SHIPPED).expect("written");
    assert!(resolve().is_ok());
}
