//! Looking up strategies with real cards.

use cards::Combo;
use game::{Action, PublicState, Turn};
use solvers::Player;
use solvers::subgame::{HandValue, OffTree, Spot};

use super::{cards, hand, range, short_hand, small_menu, solver, uneven};
use crate::{combo, near};

#[test]
fn strategies_are_found_where_a_hand_has_got_to() {
    let state = short_hand("TsJsQh", 100, 300);
    let menu = &small_menu();
    let all = range("random");
    let mut solver = solver(&state, [&all, &all], menu);
    solver.run(20);
    // Clubs and diamonds are alike on this board: exchanged everywhere, they change nothing.
    let swapped = |text: &str| text.replace('c', "x").replace('d', "c").replace('x', "d");
    let check = [Action::Call, Action::Call];
    for (turn, river, hold) in [("Ac", "Kd", "AhKc"), ("Kc", "Tc", "AcQc"), ("Qc", "Qd", "KcKd")] {
        let at_river = |turn: &str, river: &str, hold: &str| {
            let mut state = state.clone();
            for card in [turn, river] {
                check.iter().for_each(|&action| state.apply(action).expect("a check"));
                state.deal(&cards(card)).expect("a card");
            }
            let spot = Spot::at_state(&solver, &state).expect("in the tree");
            assert_eq!((spot.player(), spot.state()), (Some(Player::First), &state));
            let weight = spot.range(Player::Second).weight(combo(hold));
            (spot.strategy(combo(hold)).expect("in the range"), weight)
        };
        let (strategy, weight) = at_river(turn, river, hold);
        let (other, other_weight) = at_river(&swapped(turn), &swapped(river), &swapped(hold));
        assert_eq!(strategy, other, "{hold}: they are one hand in one place");
        near(strategy.iter().sum(), 1.0, 1e-12, hold);
        // On the flop both hands are solved, alike but for rounding.
        near(weight, other_weight, 1e-3, hold);
    }
}

#[test]
fn ranges_shrink_by_what_was_played() {
    let state = hand("Td9d6hQc2s");
    let menu = &small_menu();
    let (first, second) = (range("QQ+,AKs,T9s:0.5"), range("QQ+,AKs,76s"));
    let mut solver = solver(&state, [&first, &second], menu);
    solver.run(100);
    let root = solver.spot();
    let mut sums = 0.0;
    for &action in root.actions() {
        let next = root.clone().act(action).expect("offered");
        for (hand, weight) in next.range(Player::First).combos() {
            sums += weight;
            let number = root.actions().iter().position(|&a| a == action).expect("offered");
            let share = root.strategy(hand).expect("in the range")[number];
            near(weight, root.range(Player::First).weight(hand) * share, 1e-12, "weight");
        }
        assert_eq!(next.range(Player::Second), root.range(Player::Second));
    }
    near(sums, root.range(Player::First).total(), 1e-9, "all actions together");
    assert_eq!(root.strategy(combo("7s6s")), None, "not in the range");
    assert_eq!(root.strategy(combo("QcQd")), None, "on the board");
}

#[test]
fn places_outside_the_tree_are_refused() {
    let state = short_hand("TsJsQhAc", 100, 300);
    let menu = &small_menu();
    let all = range("random");
    let solver = solver(&state, [&all, &all], menu);
    let spot = solver.spot();
    let bet = Action::RaiseTo(90);
    assert!(matches!(spot.clone().act(bet), Err(OffTree::Action { action, .. }) if action == bet));
    let card = cards("Kd")[0];
    assert_eq!(spot.clone().deal(card).err(), Some(OffTree::Card(card)));
    let dealt = spot.act(Action::Call).and_then(|spot| spot.act(Action::Call)).expect("checks");
    assert_eq!(dealt.player(), None);
    assert_eq!(dealt.clone().deal(cards("Ac")[0]).err(), Some(OffTree::Card(cards("Ac")[0])));
    let river = dealt.deal(card).expect("a river");
    assert_eq!(river.range(Player::First).weight(combo("KdKc")), 0.0);
    assert!(matches!(Spot::at_state(&solver, &hand("Td9d6h")), Err(OffTree::Elsewhere)));
}

/// The value of each hand with its weight.
fn worth(hands: &[HandValue], hand: Combo) -> &HandValue {
    hands.iter().find(|value| value.combo == hand).expect("a hand of the range")
}

/// The winnings of a player at a spot on average, times the weight of all pairs of hands there.
fn winnings(spot: &Spot<'_>, player: Player, hands: &[HandValue]) -> f64 {
    let weight =
        |value: &HandValue| spot.range(player).weight(value.combo) * value.unblocked_weight;
    hands.iter().map(|value| weight(value) * value.value).sum()
}

#[test]
fn a_hand_is_worth_the_mean_of_what_its_actions_are_worth() {
    let root = short_hand("TsJsQhAc", 100, 300);
    let menu = &small_menu();
    let (first, second) = (uneven(&range("random")), range("random"));
    let mut solver = solver(&root, [&first, &second], menu);
    solver.run(20);
    let whole = solver.evaluate();
    for (here, whole) in solver.values_at(&root).expect("the root").iter().zip(&whole.hands) {
        for (here, whole) in here.iter().zip(whole) {
            assert_eq!(here.combo, whole.combo);
            near(here.unblocked_weight, whole.unblocked_weight, 1e-9, "met");
            near(here.value, whole.value, 1e-9, "value");
            near(here.best, whole.best, 1e-9, "best");
        }
    }
    // Check, check, a card that another one stands for, a bet: at each place where somebody acts.
    let river = |card: &str| {
        let mut state = root.clone();
        [Action::Call; 2].iter().for_each(|&action| state.apply(action).expect("a check"));
        state.deal(&cards(card)).expect("a river");
        state
    };
    let after = |state: &PublicState, action| {
        let mut state = state.clone();
        state.apply(action).expect("legal");
        state
    };
    for state in [root.clone(), after(&root, Action::Call), river("Kd"), river("Tc")] {
        let here = solver.values_at(&state).expect("in the tree");
        let spot = Spot::at_state(&solver, &state).expect("in the tree");
        let sums = Player::BOTH.map(|player| winnings(&spot, player, &here[player.index()]));
        near(sums[0] + sums[1], 0.0, 1e-6 * sums[0].abs(), "zero sum");
        let (player, actions) = (spot.player().expect("a decision"), spot.actions().to_vec());
        let strategies = spot.strategies();
        let children: Vec<_> = actions
            .iter()
            .map(|&action| after(&state, action))
            .map(|child| (child.clone(), solver.values_at(&child).expect("in the tree")))
            .collect();
        if children.iter().any(|(child, _)| !matches!(child.turn(), Turn::Act(_))) {
            continue;
        }
        for (hand, best) in solver.best_action_values(&state).expect("in the tree") {
            for ((_, values), chips) in children.iter().zip(&best) {
                near(worth(&values[player.index()], hand).best, *chips, 1e-6, "the best after it");
            }
            let most = best.into_iter().fold(f64::NEG_INFINITY, f64::max);
            near(worth(&here[player.index()], hand).best, most, 1e-6, &format!("{hand}, at best"));
        }
        let by_action = solver.action_values(&state).expect("in the tree");
        assert_eq!(by_action.len(), strategies.len());
        for ((hand, strategy), (same, chips)) in strategies.into_iter().zip(by_action) {
            assert_eq!(hand, same);
            for ((_, values), chips) in children.iter().zip(chips) {
                near(worth(&values[player.index()], hand).value, chips, 1e-6, "an action's value");
            }
            let values = children.iter().map(|(_, values)| worth(&values[player.index()], hand));
            let mean: f64 = values.zip(&strategy).map(|(value, share)| value.value * share).sum();
            near(worth(&here[player.index()], hand).value, mean, 1e-6, &format!("{hand}"));
        }
    }
    assert_eq!(
        solver.values_at(&after(&after(&root, Action::Call), Action::Call)),
        Ok(Default::default())
    );
    assert_eq!(solver.values_at(&hand("Td9d6h")), Err(OffTree::Elsewhere));
}
