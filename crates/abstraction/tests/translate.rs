//! Action translation: the published conditions, and hands followed in trees.

use std::sync::Arc;

use abstraction::betting::{BettingTree, NodeKind};
use abstraction::translate::{
    Followed, TreePosition, follow, pseudo_harmonic, readings, translate,
};
use game::{Action, PublicState, Turn, games};
use proptest::prelude::*;

use Action::{Call, Fold, RaiseTo};

use crate::{state, tree};

/// The position of the hand for the seat to act, with this point for every action.
fn follow_at(tree: &BettingTree, public: &PublicState, point: f64) -> Followed {
    let Turn::Act(seat) = public.turn() else { panic!("{public:?}: nobody is to act") };
    follow(tree, public, seat, &mut |_| point)
}

#[test]
fn the_probabilities_are_those_of_the_paper() {
    // Table 1 of the paper: A = 0.01, B = 1; the median x* = (A + B + 2AB) / (2 + A + B).
    for (smaller, larger) in [(0.01, 1.0), (0.0, 1.0), (0.5, 1.0), (1.0, 2.5), (0.3, 99.5)] {
        let median = (smaller + larger + 2.0 * smaller * larger) / (2.0 + smaller + larger);
        assert!((pseudo_harmonic(smaller, larger, median) - 0.5f64).abs() < 1e-12);
    }
    let median: f64 = (0.01 + 1.0 + 0.02) / 3.01;
    assert!((median - 0.342).abs() < 1e-3);
}

#[test]
fn a_bet_is_read_as_a_neighbour_and_beyond_the_ends_as_the_end() {
    let sizes = [0.5, 1.0, 4.0];
    for (bet, point, expected) in [
        (0.01, 0.0, 0),
        (0.01, 0.99, 0),
        (0.5, 0.999, 0),
        (1.0, 0.999, 1),
        (1.0, 0.0, 1),
        // f(0.7) = 0.3 * 1.5 / (0.5 * 1.7) = 0.529…
        (0.7, 0.52, 0),
        (0.7, 0.53, 1),
        (2.0, 0.0, 1),
        (2.0, 0.99, 2),
        (4.0, 0.0, 2),
        (70.0, 0.0, 2),
    ] {
        assert_eq!(translate(&sizes, bet, point), expected, "{bet} at {point}");
    }
    assert_eq!(translate(&[0.7], 5.0, 0.5), 0);
}

#[test]
fn a_hand_on_the_menu_stands_where_its_betting_says() {
    let def = Arc::new(games::nolimit_holdem());
    let tree = tree(&def, "fcpa");
    for betting in ["", "r300", "cr300", "r300c/r900r2700", "r300c/cc/cr900r20000"] {
        let public = state(&def, betting);
        let followed = follow_at(&tree, &public, 0.5);
        let TreePosition::At(node) = followed.position else { panic!("{betting}: {followed:?}") };
        assert_eq!(tree.betting(node), betting);
        assert_eq!(followed.off_tree, 0);
        for &action in tree.actions(node) {
            assert_eq!(followed.answer(&tree, &public, action), action);
        }
    }
}

#[test]
fn bets_off_the_menu_are_read_and_answered_in_proportion() {
    let def = Arc::new(games::nolimit_holdem());
    let tree = tree(&def, "every 1-2: 50% pot allin\nevery 3+: allin");
    // (the hand, the point, its place in the tree, an abstract action there, the answer in the
    // hand)
    for (betting, point, read, action, answer) in [
        // 240 is 70 % of the pot of 200: half below 0.529, the pot above.
        ("r240", 0.5, "r200", RaiseTo(400), RaiseTo(480)),
        ("r240", 0.6, "r300", RaiseTo(900), RaiseTo(720)),
        ("r240", 0.6, "r300", RaiseTo(20_000), RaiseTo(20_000)),
        ("r240", 0.6, "r300", Fold, Fold),
        // Nearly all-in is read as all-in, and all-in is.
        ("r19900", 0.5, "r20000", Call, Call),
        ("r20000", 0.0, "r20000", Call, Call),
        // A raise of its own is the nearest; chips differ from the tree's for the rest of the hand;
        // shares of the pot go on.
        ("r240c/", 0.6, "r300c/", RaiseTo(900), RaiseTo(720)),
        ("r240c/r480", 0.6, "r200c/r400", RaiseTo(1200), RaiseTo(1440)),
        // The answer from before is known again: 720 was the raise to 900.
        ("r240r720c/", 0.6, "r300r900c/", Call, Call),
    ] {
        let public = state(&def, betting);
        let followed = follow_at(&tree, &public, point);
        let TreePosition::At(node) = followed.position else { panic!("{betting}: {followed:?}") };
        assert_eq!(tree.betting(node), read, "{betting} at {point}");
        assert_eq!(followed.off_tree > 0, betting != read, "{betting}");
        assert_eq!(followed.answer(&tree, &public, action), answer, "{betting} at {point}");
    }
}

#[test]
fn every_reading_of_two_bets_has_the_product_of_their_probabilities() {
    let def = Arc::new(games::nolimit_holdem());
    let tree = tree(&def, "every 1-2: 50% pot allin\nevery 3+: allin");
    // 240 is 70 % of the pot of 200, and 360 more is 75 % of the pot on the flop.
    let public = state(&def, "r240c/cr600");
    let Turn::Act(seat) = public.turn() else { panic!("nobody is to act") };
    let found = readings(&tree, &public, seat, 16);
    let [first, second] = [pseudo_harmonic(0.5, 1.0, 0.7), pseudo_harmonic(0.5, 1.0, 0.75)];
    let expected = [
        ("r200c/cr400", first * second),
        ("r200c/cr600", first * (1.0 - second)),
        ("r300c/cr600", (1.0 - first) * second),
        ("r300c/cr900", (1.0 - first) * (1.0 - second)),
    ];
    assert_eq!(found.len(), expected.len());
    for (betting, probability) in expected {
        let at =
            |position| matches!(position, TreePosition::At(node) if tree.betting(node) == betting);
        let reading = found.iter().find(|reading| at(reading.followed.position)).expect(betting);
        assert!((reading.probability - probability).abs() < 1e-12, "{betting}: {reading:?}");
    }
    // The least probable are left out first.
    let likeliest = expected.map(|(_, probability)| probability);
    let likeliest = likeliest.into_iter().fold(0.0, f64::max);
    let one = readings(&tree, &public, seat, 1);
    assert_eq!((one.len(), one[0].probability), (1, 1.0));
    let kept = found
        .iter()
        .find(|reading| reading.followed == one[0].followed)
        .expect("it is one of them");
    assert_eq!(kept.probability, likeliest);
}

#[test]
fn a_bet_below_the_menu_is_read_as_none_too_and_not_only_as_its_smallest() {
    let def = Arc::new(games::nolimit_holdem());
    let tree = tree(&def, "every 1-2: 50% pot allin\nevery 3+: allin");
    let read = |betting: &str| -> Vec<(TreePosition, f64)> {
        let public = state(&def, betting);
        let Turn::Act(seat) = public.turn() else { panic!("nobody is to act") };
        let found = readings(&tree, &public, seat, 16);
        found.into_iter().map(|reading| (reading.followed.position, reading.probability)).collect()
    };
    let name = |position| match position {
        TreePosition::At(node) => tree.betting(node),
        TreePosition::Ahead(node) => format!("ahead at {}", tree.betting(node)),
    };
    for (betting, bet, smallest, none, some) in [
        // 100 into 600 where half of it is the least.
        ("r300c/r400", 1.0 / 6.0, 0.5, "r300c/c", "r300c/r600"),
        // The least reraise, 600 on top of 900 in a pot that a call makes 1,800: the street is over
        // in the tree.
        ("r300c/cr900r1500", 1.0 / 3.0, 0.5, "ahead at r300c/cr900c/", "r300c/cr900r1800"),
        // The third raise, where the menu has all-in alone: 900 or 18,200 on top of 1,800 in a pot
        // of 3,600.
        (
            "r300c/r900r1800r2700",
            900.0 / 3_600.0,
            18_200.0 / 3_600.0,
            "ahead at r300c/r900r1800c/",
            "r300c/r900r1800r20000",
        ),
    ] {
        let found = read(betting);
        let none_probability = pseudo_harmonic(0.0, smallest, bet);
        assert_eq!(found.len(), 2, "{betting}: {found:?}");
        for (expected, probability) in [(none, none_probability), (some, 1.0 - none_probability)] {
            let reading = found.iter().find(|&&(position, _)| name(position) == expected);
            let (_, read) = reading.unwrap_or_else(|| panic!("{betting}: {found:?}"));
            assert!(
                (read - probability).abs() < 1e-9,
                "{betting}: {expected} {read} {probability}"
            );
        }
    }
}

#[test]
fn all_in_for_next_to_nothing_is_not_read_as_all_in_for_most_of_the_pot() {
    let def = Arc::new(games::nolimit_holdem());
    let tree = tree(&def, "overbet");
    // Raises that the tree does not have make a pot of which it knows half; at the end 2,000 chips
    // go into 36,000.
    let public = state(&def, "r250r500r1500r3000c/r6000c/r18000c/r20000");
    let Turn::Act(seat) = public.turn() else { panic!("nobody is to act") };
    let price = |position: TreePosition| match position {
        TreePosition::Ahead(_) => 0.0,
        TreePosition::At(node) => {
            let [one, other] = tree.committed(node).map(f64::from);
            (one - other).abs() / (2.0 * one.max(other))
        }
    };
    let readings = readings(&tree, &public, seat, 16);
    let paid =
        readings.iter().map(|reading| reading.probability * price(reading.followed.position));
    assert!(paid.sum::<f64>() < 0.1, "{readings:?}");
}

#[test]
fn where_the_menu_has_no_raise_the_tree_is_ahead_until_the_next_street() {
    let def = Arc::new(games::nolimit_holdem());
    let tree = tree(&def, "fc");
    let place = |betting: &str| match follow_at(&tree, &state(&def, betting), 0.5).position {
        TreePosition::Ahead(node) => format!("ahead at {}", tree.betting(node)),
        TreePosition::At(node) => tree.betting(node),
    };
    for (betting, expected) in [
        // A raise is read as a limp, after which the other seat is still to act.
        ("r300", "c"),
        // The second raise is read as the check that ends the street.
        ("r300r900", "ahead at cc/"),
        ("r300r900c/", "cc/"),
        ("r300r900c/c", "cc/c"),
        ("r300r900c/cr1800", "ahead at cc/cc/"),
        // In the tree the hand has been shown down.
        ("cc/cc/cc/cr300", "ahead at cc/cc/cc/cc"),
    ] {
        assert_eq!(place(betting), expected, "{betting}");
    }
}

#[test]
fn a_raise_over_what_was_read_as_all_in_finds_the_tree_at_its_end() {
    let def = Arc::new(games::nolimit_holdem());
    let tree = tree(&def, "fcpa");
    let public = state(&def, "r19000r20000");
    let followed = follow_at(&tree, &public, 0.5);
    let TreePosition::Ahead(node) = followed.position else { panic!("{followed:?}") };
    assert_eq!(tree.node(node).kind, NodeKind::Showdown);
    assert_eq!(tree.committed(node), [20_000; 2]);
}

#[test]
fn limit_hands_are_never_off_the_tree() {
    let def = Arc::new(games::limit_holdem());
    let tree = tree(&def, "limit");
    for betting in ["", "r", "crr", "rrrc/cr", "cc/rrrrc/rc/crr"] {
        let public = state(&def, betting);
        let followed = follow_at(&tree, &public, 0.5);
        let TreePosition::At(node) = followed.position else { panic!("{betting}: {followed:?}") };
        assert_eq!((tree.betting(node).as_str(), followed.off_tree), (betting, 0));
    }
}

proptest! {
    #[test]
    fn pseudo_harmonic_meets_its_conditions(
        smaller in 0.0..20.0f64, gap in 0.01..20.0f64, at in 0.0..1.0f64, next in 0.0..1.0f64,
        wider in 0.01..5.0f64,
    ) {
        let larger = smaller + gap;
        let (low, high) = (at.min(next), at.max(next));
        let f = |share: f64| pseudo_harmonic(smaller, larger, smaller + gap * share);
        // Boundary conditions, range, and less for larger bets.
        prop_assert_eq!(f(0.0), 1.0);
        prop_assert_eq!(pseudo_harmonic(smaller, larger, larger), 0.0);
        prop_assert!((0.0..=1.0).contains(&f(at)));
        prop_assert!(f(high) <= f(low));
        if high - low > 1e-6 { prop_assert!(f(high) < f(low)); }
        // A larger upper size makes the smaller likelier, and so does a larger smaller one.
        let bet = smaller + gap * at;
        prop_assert!(pseudo_harmonic(smaller, larger + wider, bet) >= f(at) - 1e-12);
        if at > 0.0 {
            prop_assert!(pseudo_harmonic(smaller + gap * at / 2.0, larger, bet) >= f(at) - 1e-12);
        }
    }

    #[test]
    fn the_unit_of_chips_does_not_matter(
        sizes in prop::collection::btree_set(1u32..1000, 1..6), bet in 1u32..1200, pot in 1u32..500,
        unit in 1u32..1000, point in 0.0..1.0f64,
    ) {
        let shares = |unit: u32| -> Vec<f64> {
            let pot = f64::from(pot) * f64::from(unit);
            sizes.iter().map(|&size| f64::from(size) * f64::from(unit) / pot).collect()
        };
        let share = |unit: u32| f64::from(bet) * f64::from(unit) / (f64::from(pot) * f64::from(
            unit));
        let here = translate(&shares(1), share(1), point);
        let there = translate(&shares(unit), share(unit), point);
        // Rounding may tip the scale only where the point lies on it.
        let near = shares(1).windows(2).any(|pair| {
            (pseudo_harmonic(pair[0], pair[1], share(1)) - point).abs() < 1e-9
        });
        prop_assert!(here == there || near);
    }

    #[test]
    fn any_hand_can_be_followed_and_every_answer_is_legal(
        menu in prop::sample::select(vec!["fc", "fcpa", "small", "every 1: 33% pot\nevery 2+: \
            pot", "every 1+: pot allin\nallin-from: 40%"]),
        stacks in (1u32..300, 1u32..300, any::<bool>()),
        choices in prop::collection::vec((0u8..4, 0.0..1.0f64), 0..16),
        points in prop::collection::vec(0.0..1.0f64, 32),
    ) {
        let second = if stacks.2 { stacks.0 } else { stacks.1 };
        let def = Arc::new(games::nolimit_holdem_with(vec![100 + stacks.0 * 50,
            100 + second * 50]));
        let tree = tree(&def, menu);
        let deck = def.deck();
        let mut public = PublicState::new(&def);
        for (choice, size) in choices {
            public.deal_from(&deck[..5]).expect("five cards");
            let Turn::Act(seat) = public.turn() else { break };
            let followed = follow(&tree, &public, seat, &mut |index| points[index]);
            let all = readings(&tree, &public, seat, usize::MAX);
            prop_assert!(all.iter().any(|reading| reading.followed == followed));
            prop_assert!((all.iter().map(|reading| reading.probability).sum::<f64>() - 1.0)
                .abs() < 1e-9);
            let few = readings(&tree, &public, seat, 3);
            prop_assert!(few.len() <= 3
                && few.iter().all(|few| all.iter().any(|all| all.followed == few.followed)));
            let legal = public.legal();
            if let TreePosition::At(node) = followed.position {
                let NodeKind::Decision { seat: at, street,
                    .. } = tree.node(node).kind else { panic!() };
                prop_assert_eq!(usize::from(at), seat.index());
                prop_assert_eq!(usize::from(street), public.street().index());
                for &action in tree.actions(node) {
                    prop_assert!(legal.allows(followed.answer(&tree, &public, action)));
                }
            }
            let action = match (choice, legal.raise) {
                (0, _) if legal.fold => Fold,
                (2, Some(raise)) => RaiseTo(raise.min + (f64::from(
                    raise.max - raise.min) * size * size) as u32),
                (3, Some(raise)) => RaiseTo(raise.min),
                _ => Call,
            };
            public.apply(action).expect("a legal action");
        }
    }
}
