//! The values of hands by given policies, against every pair of hands played out by the rules, and
//! in the unit of the hand that is played.

use std::sync::Arc;

use abstraction::menu::BetMenu;
use cards::{Card, Combo, HoleCards, Range, unblocked};
use game::{
    Action, Betting, BySeat, Chips, GameDef, GameSpec, InfoSet, Policy, PublicState, Seat, State,
    Strategy, Turn,
};
use solvers::holdem::ByCombo;
use solvers::holdem::by_policy::{Own, hand_values};
use solvers::subgame::{Options, Solver, Subgame};

use crate::{By, board, calls, combo, near};

/// A hand of no-limit hold'em that came to a board by bets of no round size, in chips of so many
/// units.
fn reached(cards: &str, unit: Chips) -> PublicState {
    let def = GameDef::new(GameSpec {
        betting: Betting::NoLimit,
        players: 2,
        streets: 4,
        stacks: vec![1_000 * unit; 2],
        blinds: vec![10 * unit, 5 * unit],
        raise_sizes: Vec::new(),
        first_to_act: vec![1, 0, 0, 0],
        max_raises: vec![GameSpec::NO_CAP; 4],
        suits: 4,
        ranks: 13,
        hole_cards: 2,
        board_cards: vec![0, 3, 1, 1],
        discards: false,
        quirks: game::Quirks::default(),
    });
    let mut state = PublicState::new(&Arc::new(def.expect("a game")));
    let board = board(cards);
    let bets = [Action::RaiseTo(37 * unit), Action::Call];
    for actions in [bets, [Action::RaiseTo(101 * unit), Action::Call], [Action::Call; 2]] {
        if state.street() != game::Street::Preflop || state.history().len() == 2 {
            state.deal_from(&board).expect("a card");
        }
        if !matches!(state.turn(), Turn::Act(_)) || state.board() == board {
            return state;
        }
        actions.iter().for_each(|&action| state.apply(action).expect("legal"));
    }
    state.deal_from(&board).expect("a card");
    state
}

fn menu() -> BetMenu {
    "every 1: 50% allin\nevery 2+: allin".parse().expect("a menu")
}

/// Any strategy that takes the menu's actions, by the cards and the number of actions.
fn mixes(infoset: &InfoSet) -> Strategy {
    let public = &infoset.public;
    let cards = infoset
        .hole
        .iter()
        .chain(public.board().iter().copied().collect::<Vec<_>>().iter())
        .map(|card| u64::from(card.index()))
        .fold(7, |sum, card| sum * 31 % 1009 + card);
    let seed = cards + 101 * public.history().len() as u64;
    let weigh = |(number, &action): (usize, &Action)| {
        (action, ((seed + 13 * number as u64) * 7919 % 5) as f64)
    };
    let menu = menu().actions(public);
    Strategy::from_weights(menu.iter().enumerate().map(weigh))
        .unwrap_or_else(|| Strategy::pure(Action::Call))
}

fn weights(hands: &str) -> ByCombo {
    let mut weights = Box::new([0.0; Combo::COUNT]);
    for (number, hand) in hands.split(' ').enumerate() {
        weights[combo(hand).index()] = 1.0 / (number + 1) as f64;
    }
    weights
}

/// What a hand wins against these hands, state by state, times their weights. A best response is
/// one to all of them.
fn slowly(public: &PublicState, seat: Seat, hand: Combo, best: bool, met: &[(Combo, f64)]) -> f64 {
    let hole = |combo: Combo| HoleCards::new(&combo.cards()).expect("two cards");
    let after = |action: Action, met: &[(Combo, f64)]| {
        let mut next = public.clone();
        next.apply(action).expect("legal");
        slowly(&next, seat, hand, best, met)
    };
    match public.turn() {
        Turn::Over => {
            let won = |&(other, weight): &(Combo, f64)| {
                let mut holes = BySeat::new(2);
                for at in Seat::all(2) {
                    holes[at] = hole(if at == seat { hand } else { other });
                }
                weight * State { public: public.clone(), hole: holes }.payoffs()[seat].chips()
            };
            met.iter().map(won).sum()
        }
        Turn::Deal(_) => {
            let seen = public.board().set();
            let cards = Card::all().filter(|&card| !seen.contains(card));
            let of = |card: Card| {
                let left: Vec<(Combo, f64)> =
                    met.iter().copied().filter(|(other, _)| !other.set().contains(card)).collect();
                let mut next = public.clone();
                next.deal(&[card]).expect("a card");
                slowly(&next, seat, hand, best, &left) / 44.0
            };
            cards.filter(|&card| !hand.set().contains(card)).map(of).sum()
        }
        Turn::Act(acts) if acts != seat => {
            let mut sum = 0.0;
            for &action in &menu().actions(public) {
                let taken = met.iter().map(|&(other, weight)| {
                    let infoset = InfoSet { public: public.clone(), seat: acts, hole: hole(other) };
                    (other, weight * mixes(&infoset).probability(action))
                });
                let taken: Vec<(Combo, f64)> = taken.filter(|(_, weight)| *weight > 0.0).collect();
                if !taken.is_empty() {
                    sum += after(action, &taken);
                }
            }
            sum
        }
        Turn::Act(_) if best => {
            let menu = menu().actions(public);
            menu.iter().map(|&action| after(action, met)).fold(f64::MIN, f64::max)
        }
        Turn::Act(_) => {
            let strategy = mixes(&InfoSet { public: public.clone(), seat, hole: hole(hand) });
            let actions = strategy.actions.iter().filter(|(_, probability)| *probability > 0.0);
            actions.map(|&(action, probability)| probability * after(action, met)).sum()
        }
    }
}

#[test]
fn each_hand_wins_what_it_wins_when_all_pairs_are_played_out() {
    let others = weights("AhAd KsQs 9c8c 5h3h JdTd");
    for cards in ["KdQh7c2s", "KdQh7c2sTc"] {
        let root = reached(cards, 1);
        assert_eq!(root.board().len(), cards.len() / 2);
        assert!(matches!(root.turn(), Turn::Act(_)));
        let (policy, all) = (By(mixes), By(even));
        for seat in Seat::all(2) {
            for (best, own) in
                [(false, Own::Policy(&policy as &dyn Policy)), (true, Own::BestOf(&all))]
            {
                let values = hand_values(&root, seat, own, &others, &policy);
                for hand in ["AcAs", "QsJs", "9h8h", "4d4c", "KsKc"].map(combo) {
                    let met: Vec<(Combo, f64)> = Combo::all()
                        .filter(|other| !other.set().intersects(hand.set()))
                        .map(|other| (other, others[other.index()]))
                        .filter(|(_, weight)| *weight > 0.0)
                        .collect();
                    let sum: f64 = met.iter().map(|(_, weight)| weight).sum();
                    let found = values[hand.index()];
                    let slow = slowly(&root, seat, hand, best, &met) / sum;
                    near(found, slow, 1e-6, &format!("{cards} {hand} in seat {seat:?}, {best}"));
                }
            }
        }
    }
}

fn even(infoset: &InfoSet) -> Strategy {
    let actions = menu().actions(&infoset.public);
    Strategy::from_weights(actions.iter().map(|&action| (action, 1.0))).expect("some action")
}

#[test]
fn values_are_in_the_chips_of_the_hand_and_of_the_subgame_that_is_solved() {
    let all: ByCombo = Box::new([1.0; Combo::COUNT]);
    let policy = By(calls);
    let values = |unit: Chips| {
        let root = reached("KdQh7c2sTc", unit);
        let free = |mut weights: ByCombo| {
            let gone = Combo::all().filter(|combo| combo.set().intersects(root.board().set()));
            gone.for_each(|combo| weights[combo.index()] = 0.0);
            weights
        };
        let others = free(all.clone());
        let player = Seat::new(1).expect("a seat");
        (root.clone(), hand_values(&root, player, Own::Policy(&policy), &others, &policy))
    };
    let ((root, ones), (_, tens)) = (values(1), values(10));
    let checks = |_: &PublicState| vec![Action::Call];
    let range = Range::uniform();
    let subgame = Subgame::new(&root, [&range, &range], &checks).expect("a subgame");
    let mut solver = Solver::new(subgame, Options::default()).expect("fits");
    let found = solver.evaluate();
    for hand in &found.hands[1] {
        near(ones[hand.combo.index()], hand.value, 1e-6, "in the subgame");
        near(tens[hand.combo.index()], 10.0 * hand.value, 1e-5, "with ten times the chips");
    }
    let most = ones.iter().copied().fold(0.0, f64::max);
    near(most, 101.0, 1.0, "the best hand wins what the other player has put in");
}

#[test]
fn what_one_player_wins_the_other_loses() {
    let ranges = [weights("AhAd KsQs 9c8c 5h3h JdTd"), weights("AcAs QsJs 9h8h 4d4c KsKc AhKh")];
    let policy = By(mixes);
    for cards in ["KdQh7c2s", "KdQh7c2sTc"] {
        let root = reached(cards, 3);
        let won = Seat::all(2).map(|seat| {
            let (own, others) = (&ranges[seat.index()], &ranges[1 - seat.index()]);
            let values = hand_values(&root, seat, Own::Policy(&policy), others, &policy);
            let met = unblocked(others);
            own.iter()
                .zip(&*met)
                .zip(&*values)
                .map(|((own, met), won)| own * met * won)
                .sum::<f64>()
        });
        let won: Vec<f64> = won.collect();
        near(won[0] + won[1], 0.0, 1e-6, cards);
        assert!(won[0].abs() > 1.0, "{won:?}");
    }
}
