//! Subgames solved range against range: against exact equities, against the tabular solver, and
//! against published convergence.

mod checks;
mod convergence;
mod depth_limited;
mod exact;
mod gadget;
mod input;
mod locks;
mod lookup;
mod same;
mod snapshot;
mod tabular;

use std::sync::Arc;

use abstraction::menu::BetMenu;
use cards::{Board, Card, Range};
use game::{Action, Betting, Chips, GameDef, GameSpec, PublicState};
use solvers::subgame::{Options, Solver, Subgame, start};

/// Some hands, some of them blocking each other and the boards.
const FIRST: &str = "AA,KQs,T9o:0.5,76s,22:0.25,AhKh";
const SECOND: &str = "QQ-JJ:0.75,A5s,K9o,98s,65s:0.1";

/// A menu.
type Menu<'a> = &'a dyn Fn(&PublicState) -> Vec<Action>;

/// Half-pot bets and all-in, with one raise.
fn small_menu() -> impl Fn(&PublicState) -> Vec<Action> {
    bets("every 1-2: 50% allin")
}

/// The actions of a menu.
fn bets(text: &str) -> impl Fn(&PublicState) -> Vec<Action> + use<> {
    let menu: BetMenu = text.parse().expect(text);
    move |state| menu.actions(state).to_vec()
}

fn range(text: &str) -> Range {
    text.parse().expect(text)
}

/// The weights of a range changed by some fixed pattern in which no two suits are alike.
fn uneven(range: &Range) -> Range {
    let mut changed = range.clone();
    for (combo, weight) in range.combos() {
        let pattern = f64::from((combo.index() * 7919 % 13) as u32) / 16.0 + 0.125;
        changed.set(combo, weight * pattern).expect("at most 1");
    }
    changed
}

/// A hand of full-deck hold'em with a pot of 200 and 900 behind.
fn hand(board: &str) -> PublicState {
    start(&board.parse::<Board>().expect(board), 200, [900; 2], 10).expect("a hand")
}

/// The same with the 20 cards from the tens up.
fn short_hand(board: &str, pot: Chips, stack: Chips) -> PublicState {
    let def = GameDef::new(GameSpec {
        betting: Betting::NoLimit,
        players: 2,
        streets: 4,
        stacks: vec![stack + pot / 2; 2],
        blinds: vec![10, 5],
        raise_sizes: Vec::new(),
        first_to_act: vec![1, 0, 0, 0],
        max_raises: vec![GameSpec::NO_CAP; 4],
        suits: 4,
        ranks: 5,
        hole_cards: 2,
        board_cards: vec![0, 3, 1, 1],
        discards: false,
        quirks: game::Quirks::default(),
    });
    let mut state = PublicState::new(&Arc::new(def.expect("a game")));
    state.apply(Action::RaiseTo(pot / 2)).expect("a raise");
    state.apply(Action::Call).expect("a call");
    let board: Board = board.parse().expect(board);
    state.deal(&board[..3]).expect("a flop");
    for card in &board[3..] {
        state.apply(Action::Call).expect("a check");
        state.apply(Action::Call).expect("a check");
        state.deal(&[*card]).expect("a card");
    }
    state
}

fn solver(state: &PublicState, ranges: [&Range; 2], menu: Menu<'_>) -> Solver {
    let subgame = Subgame::new(state, ranges, menu).expect("a subgame");
    Solver::new(subgame, Options::default()).expect("small enough")
}

fn cards(text: &str) -> Vec<Card> {
    text.parse::<Board>().expect(text).to_vec()
}
