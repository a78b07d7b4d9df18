//! Distributions over actions: scaling, looking up, drawing.

use game::{Action, Strategy};
use proptest::prelude::*;

fn actions(weights: &[f64]) -> impl Iterator<Item = (Action, f64)> + '_ {
    weights.iter().enumerate().map(|(i, &weight)| (Action::RaiseTo(i as u32), weight))
}

proptest! {
    #[test]
    fn weights_become_a_distribution_with_their_ratios(
        weights in prop::collection::vec(0.0..1e9f64, 1..8),
    ) {
        let total: f64 = weights.iter().sum();
        let Some(strategy) = Strategy::from_weights(actions(&weights)) else {
            prop_assert!(total == 0.0);
            return Ok(());
        };
        let sum: f64 = strategy.actions.iter().map(|&(_, p)| p).sum();
        prop_assert!((sum - 1.0).abs() < 1e-6);
        for (action, weight) in actions(&weights) {
            prop_assert!((strategy.probability(action) - weight / total).abs() < 1e-9);
        }
        // Drawing at evenly spread points gives every action its share.
        let points = 1_000;
        for (action, weight) in actions(&weights) {
            let drawn = (0..points)
                .filter(|&i| strategy.sample((f64::from(i) + 0.5) / f64::from(points)) == action)
                .count();
            prop_assert!((drawn as f64 / f64::from(points) - weight / total).abs() < 2e-3);
        }
    }
}

#[test]
fn weights_that_are_no_distribution_are_refused() {
    for weights in [&[][..], &[0.0, 0.0], &[1.0, -0.5], &[f64::NAN], &[f64::INFINITY, 1.0]] {
        assert_eq!(Strategy::from_weights(actions(weights)), None, "{weights:?}");
    }
}

#[test]
fn drawing_at_the_very_end_gives_an_action_that_can_happen() {
    let strategy = Strategy::from_weights(actions(&[0.5, 0.5, 0.0])).expect("valid");
    assert_eq!(strategy.sample(1.0), Action::RaiseTo(1));
    assert_eq!(Strategy::pure(Action::Fold).sample(0.999), Action::Fold);
    assert_eq!(Strategy::pure(Action::Fold).probability(Action::Call), 0.0);
}
