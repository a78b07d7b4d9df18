//! Places in the middle of a street solved anew, with and without an offer to one player.

use cards::{Combo, Range};
use game::{Action, PublicState};
use solvers::Player;
use solvers::subgame::{Gadget, HandValue, Options, Solver, Spot, Subgame};

use super::{range, short_hand, small_menu, solver, uneven};
use crate::near;

/// A river solved from its beginning, and the state in which the second player answers a bet.
fn river() -> (Solver, PublicState) {
    let root = short_hand("TsTcQhAcJd", 100, 300);
    let menu = &small_menu();
    let mut solver = solver(&root, [&uneven(&range("random")), &range("random")], menu);
    solver.run(3000);
    let mut bet = root.clone();
    bet.apply(solver.spot().actions()[1]).expect("a bet");
    (solver, bet)
}

fn anew(state: &PublicState, ranges: [&Range; 2]) -> Subgame {
    Subgame::new(state, ranges, &small_menu()).expect("a subgame")
}

/// Chips of each combo, by its number.
fn by_number(hands: &[HandValue], value: impl Fn(&HandValue) -> f64) -> Vec<f64> {
    let mut all = vec![0.0; Combo::COUNT];
    hands.iter().for_each(|hand| all[hand.combo.index()] = value(hand));
    all
}

fn wins(hands: &[HandValue], range: &Range) -> f64 {
    let weighed = |value: &dyn Fn(&HandValue) -> f64| -> f64 {
        hands.iter().map(|hand| range.weight(hand.combo) * value(hand)).sum()
    };
    weighed(&|hand| hand.unblocked_weight * hand.value) / weighed(&|hand| hand.unblocked_weight)
}

#[test]
fn a_player_who_faces_a_bet_wins_alone_what_it_wins_in_the_whole_street() {
    let (mut whole, bet) = river();
    let spot = Spot::at_state(&whole, &bet).expect("in the tree");
    let [first, second] = Player::BOTH.map(|player| spot.range(player).clone());
    assert_eq!(spot.player(), Some(Player::Second));
    let there = whole.values_at(&bet).expect("in the tree");
    let mut alone = Solver::new(anew(&bet, [&first, &second]), Options::default()).expect("fits");
    alone.run(2000);
    let found = alone.evaluate();
    near(found.values[1], wins(&there[1], &second), 0.1, "value");
    near(found.values[0] + found.values[1], 0.0, 1e-9, "zero sum");
    assert!(found.share_of_pot() < 1e-3, "{}", found.share_of_pot());
}

#[test]
fn a_gadget_that_leaves_no_choice_changes_nothing() {
    let (whole, bet) = river();
    let spot = Spot::at_state(&whole, &bet).expect("in the tree");
    let ranges = Player::BOTH.map(|player| spot.range(player).clone());
    let gadget = Gadget { player: Player::First, offers: vec![50.0; Combo::COUNT], forced: 1.0 };
    let subgame = || anew(&bet, ranges.each_ref());
    let mut plain = Solver::new(subgame(), Options::default()).expect("fits");
    let mut forced = Solver::with_gadget(subgame(), Options::default(), &gadget).expect("fits");
    plain.run(50);
    forced.run(50);
    assert_eq!(plain.spot().strategies(), forced.spot().strategies());
    assert_eq!(plain.evaluate(), forced.evaluate());
}

#[test]
fn whoever_is_offered_more_than_it_can_win_leaves_and_else_comes() {
    let (_, bet) = river();
    let random = range("random");
    for (offer, comes) in [(1000.0, false), (-1000.0, true)] {
        let offers = vec![offer; Combo::COUNT];
        let gadget = Gadget { player: Player::First, offers, forced: 0.0 };
        let subgame = anew(&bet, [&random, &random]);
        let mut solver = Solver::with_gadget(subgame, Options::default(), &gadget).expect("fits");
        solver.run(200);
        let found = solver.evaluate();
        let here = solver.spot();
        let hands = found.hands[0].iter().map(|hand| here.range(Player::First).weight(hand.combo));
        let (least, most) = hands.fold((1.0f64, 0.0f64), |(l, m), w| (l.min(w), m.max(w)));
        assert!(if comes { least > 0.99 } else { most < 0.01 }, "{offer}: {least} to {most}");
        near(found.values[0] + found.values[1], 0.0, 1e-3, "zero sum");
        if !comes {
            near(found.values[0], offer, 10.0, "the offer");
        }
        assert!(found.exploitability() >= -1e-9, "{}", found.exploitability());
    }
}

/// The most that a hand of the first player wins beyond what it was worth before, against the
/// second player's answers to a bet, which are found anew for a range that is wrong: every second
/// hand bets, and no other.
fn given_away(forced: f64) -> f64 {
    let (mut whole, bet) = river();
    let spot = Spot::at_state(&whole, &bet).expect("in the tree");
    let [mut wrong, own] = Player::BOTH.map(|player| spot.range(player).clone());
    let before = whole.values_at(&bet).expect("in the tree");
    for (number, combo) in wrong.clone().combos().map(|(combo, _)| combo).enumerate() {
        wrong.set(combo, if number % 2 == 0 { 1.0 } else { 0.02 }).expect("a weight");
    }
    let offers = by_number(&before[0], |hand| hand.best);
    let gadget = Gadget { player: Player::First, offers: offers.clone(), forced };
    let options = Options::default();
    let mut solver =
        Solver::with_gadget(anew(&bet, [&wrong, &own]), options, &gadget).expect("fits");
    solver.run(3000);
    let after = solver.evaluate();
    let worse = after.hands[0].iter().map(|hand| hand.best - offers[hand.combo.index()]);
    worse.fold(f64::MIN, f64::max)
}

#[test]
fn an_offer_of_what_hands_were_worth_keeps_all_of_them_from_winning_more() {
    let pot = 150.0;
    let (safe, half, unsafe_) = (given_away(0.0), given_away(0.5), given_away(1.0));
    assert!(safe < 0.01 * pot, "{safe}");
    assert!(unsafe_ > 0.05 * pot && half <= unsafe_ + 0.01 * pot, "{safe} {half} {unsafe_}");
}

#[test]
fn a_solver_with_a_gadget_is_not_written_without_it() {
    let (_, bet) = river();
    let random = range("random");
    let offers = vec![0.0; Combo::COUNT];
    let gadget = Gadget { player: Player::First, offers, forced: 0.0 };
    let subgame = anew(&bet, [&random, &random]);
    let solver = Solver::with_gadget(subgame, Options::default(), &gadget).expect("fits");
    let refused = solver.write(&[], 0.0, Vec::new()).expect_err("not written");
    assert_eq!(refused.kind(), std::io::ErrorKind::Unsupported);
    assert_eq!(solver.spot().actions()[0], Action::Fold);
}
