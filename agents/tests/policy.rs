//! Agents asked for their strategy without playing.

use std::sync::Arc;

use game::{Action, games};

use crate::table::{check_together, choice, hands, infoset, policy};

#[test]
fn pure_agents_have_policies_and_learning_or_foreign_ones_have_none() {
    let def = Arc::new(games::nolimit_holdem());
    for name in ["call", "fold", "raise:pot", "random", "equity", "router:pure.toml"] {
        assert!(choice(name).policy(&def).unwrap().is_some(), "{name}");
    }
    assert!(choice("shadow:equity,call").has_policy());
    // A rule of this one asks who plays, which no information set tells.
    assert!(!choice("router:rules.toml").has_policy());
}

#[test]
fn a_policy_answers_for_any_hole_cards() {
    let def = Arc::new(games::nolimit_holdem());
    let policy = policy("equity", &def);
    let facing_a_bet = |hole| infoset(&def, "cc/cc/cc/r200", hole, "2c7d9hJsKd");
    assert_eq!(policy.strategy(&facing_a_bet("KhKs")).probability(Action::RaiseTo(500)), 1.0);
    assert_eq!(policy.strategy(&facing_a_bet("3s4s")).probability(Action::Fold), 1.0);
}

#[test]
fn random_gives_each_kind_of_action_and_every_size_its_chance() {
    let def = Arc::new(games::nolimit_holdem());
    let policy = policy("random", &def);
    let strategy = policy.strategy(&infoset(&def, "", "2s3h", ""));
    // 200 to 20,000.
    assert_eq!(strategy.actions.len(), 2 + 19_801);
    for (action, chance) in [
        (Action::Fold, 1.0 / 3.0),
        (Action::Call, 1.0 / 3.0),
        (Action::RaiseTo(777), 1.0 / 59_403.0),
    ] {
        assert!((strategy.probability(action) - chance).abs() < 1e-12, "{action:?}");
    }
}

#[test]
fn soft_thresholds_and_several_sizes_mix() {
    let def = Arc::new(games::nolimit_holdem());
    let quiet = |hole| infoset(&def, "cc/cc/cc/", hole, "2c7d9hJsKd");
    let strategy = |name: &str, hole| policy(name, &def).strategy(&quiet(hole));
    // Sizes of 0.5, 0.75 and 1.125 times a pot of 200 on top of the 100 put in.
    let sizes = strategy("equity:spread=0.5", "KhKs");
    let third = [200, 250, 325].map(|total| (Action::RaiseTo(total), 1.0 / 3.0));
    assert_eq!(sizes.actions, third);
    // A pair of nines with a high kicker has an advantage near the 2 from which it bets.
    let soft = strategy("equity:mix=2", "9cTc");
    let bets = soft.probability(Action::RaiseTo(250));
    assert!(bets > 0.1 && bets < 0.9, "{soft:?}");
    assert!((bets + soft.probability(Action::Call) - 1.0).abs() < 1e-12);
}

#[test]
fn many_hands_at_once_are_answered_as_one_by_one() {
    let def = Arc::new(games::nolimit_holdem());
    for name in ["call", "fold", "random", "equity", "equity:mix=1,spread=1"] {
        let policy = policy(name, &def);
        for (betting, board) in [
            ("", ""),
            ("cr300c/cr500", "2c7d9h"),
            ("cc/cc/", "2c7d9hJs"),
            ("cc/cc/cc/r200", "2c7d9hJsKd"),
        ] {
            let public = infoset(&def, betting, "AsAd", board).public;
            check_together(&*policy, &public, &hands(&public, 7));
        }
    }
}
