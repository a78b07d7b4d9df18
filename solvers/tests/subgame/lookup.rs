//! Looking up strategies with real cards.

use game::Action;
use solvers::Player;
use solvers::subgame::{OffTree, Spot};

use super::{Menu, cards, combo, hand, near, range, short_hand, small_menu, solver};

#[test]
fn strategies_are_found_where_a_hand_has_got_to() {
    let state = short_hand("TsJsQh", 100, 300);
    let menu = small_menu();
    let menu: Menu<'_> = &|state| menu.actions(state).to_vec();
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
            let spot = Spot::at(&solver, &state).expect("in the tree");
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
    let menu = small_menu();
    let menu: Menu<'_> = &|state| menu.actions(state).to_vec();
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
    let menu = small_menu();
    let menu: Menu<'_> = &|state| menu.actions(state).to_vec();
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
    assert!(matches!(Spot::at(&solver, &hand("Td9d6h")), Err(OffTree::Elsewhere)));
}
