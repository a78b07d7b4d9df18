//! The agent `linear`: what it plays at tables of several stacks, and what it leaves to others.

use std::sync::Arc;

use agents::Registry;
use cards::StartingHand;
use game::{Action, games};
use readable::linear::LinearModel;
use readable::shove_fold::{Payoffs, equilibrium};

use crate::table::{ask, infoset, policy};

const SHIPPED: &str = include_str!("../models/shove-fold.toml");

/// The action played with a hand after this betting.
fn played(name: &str, stack: u32, betting: &str, hand: &str) -> Action {
    let def = Arc::new(games::nolimit_holdem_with(vec![stack, stack]));
    let hand: StartingHand = hand.parse().expect("a hand");
    let combo = hand.combos().next().expect("combos").to_string();
    let strategy = policy(name, &def).strategy(&infoset(&def, betting, &combo, ""));
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
        let weights = model.at_stack(stack);
        let ranges = weights.ranges();
        let lost = equilibrium(&payoffs).losses(&payoffs, &ranges).map(|lost| 1000.0 * lost);
        let most = if half % 2 == 0 { 2.5 } else { 12.0 };
        assert!(lost.iter().all(|&lost| lost < most), "{stack}: {lost:?}");
    }
}

#[test]
fn it_moves_all_in_calls_or_folds_by_its_weights() {
    let all_in = Action::RaiseTo(1000);
    assert_eq!(played("linear", 1000, "", "AA"), all_in);
    assert_eq!(played("linear", 1000, "", "32o"), Action::Fold);
    assert_eq!(played("linear", 1000, "r1000", "AA"), Action::Call);
    assert_eq!(played("linear", 1000, "r1000", "32o"), Action::Fold);
    // With little behind, calls are wide.
    assert_eq!(played("linear", 150, "r150", "72o"), Action::Call);
}

#[test]
fn a_large_raise_stands_for_all_in_and_a_small_one_or_a_limp_is_for_the_fallback() {
    let name = "linear:fallback=fold";
    assert_eq!(played(name, 1000, "r334", "AA"), Action::RaiseTo(1000));
    assert_eq!(played(name, 1000, "r334", "32o"), Action::Fold);
    assert_eq!(played(name, 1000, "r333", "AA"), Action::Fold);
    assert_eq!(played("linear:fallback=call", 1000, "r250", "32o"), Action::Call);
    assert_eq!(played("linear:fallback=call", 1000, "c", "AA"), Action::Call);
}

#[test]
fn decisions_beyond_its_stacks_or_of_the_fallback_are_counted() {
    let decision = |stack: u32, betting: &str| {
        let def = Arc::new(games::nolimit_holdem_with(vec![stack, stack]));
        ask("linear", &infoset(&def, betting, "2d2c", ""))
    };
    // A big blind is 100 chips; the weights are for 1 to 20 of them.
    for (stack, beyond) in [(1_050, false), (2_000, false), (2_001, true), (20_000, true)] {
        let decided = decision(stack, "");
        let note = decided.note.expect("a note");
        assert_eq!(decided.beyond_model, beyond, "{stack}: {note}");
        assert_eq!(note.starts_with("left to equity: "), beyond, "{note}");
    }
    let limped = decision(1_000, "c");
    assert!(limped.beyond_model);
    assert!(limped.note.expect("a note").starts_with("left to equity: "));
    // The blueprint of `resolve` and the agent behind an exploiter are parts of them.
    let def = Arc::new(games::nolimit_holdem());
    for name in ["exploiter", "resolve"] {
        assert!(!ask(name, &infoset(&def, "", "7s2h", "")).beyond_model, "{name}");
    }
}

#[test]
fn other_games_are_for_the_fallback_and_bad_models_are_refused() {
    let three = Arc::new(games::nolimit_holdem_with(vec![1000; 3]));
    let infoset = infoset(&three, "", "2d2c", "");
    let strategy = policy("linear:fallback=call", &three).strategy(&infoset);
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
