//! Hold'em states after the flop, from board, pot and stacks.

use std::sync::Arc;

use cards::Board;
use game::{Action, Betting, Chips, GameDef, GameDefError, GameSpec, PublicState};

/// The reason no hand can start there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// The board does not have 3, 4 or 5 cards.
    #[error("the board has {0} cards: give 3, 4 or 5")]
    Board(usize),
    /// The pot cannot result from equal contributions of both players.
    #[error("a pot of {pot} is not possible: {}", pot_rule(*.pot, *.smallest))]
    Pot {
        /// The pot, in chips.
        pot: Chips,
        /// The smallest bet, in chips.
        smallest: Chips,
    },
    /// A player has no chips behind.
    #[error("a stack behind is 0: both players need chips to bet")]
    Stack,
    /// The numbers do not define a valid game.
    #[error(transparent)]
    Game(#[from] GameDefError),
}

/// The rule that a pot breaks.
fn pot_rule(pot: Chips, smallest: Chips) -> String {
    if smallest == 0 {
        "the smallest bet is 0, but must be at least 1".to_owned()
    } else if !pot.is_multiple_of(2) {
        "each player has paid half of it, so it must be even".to_owned()
    } else {
        let (two, four) = (2 * u64::from(smallest), 4 * u64::from(smallest));
        format!("with a smallest bet of {smallest} it must be {two}, or {four} or more")
    }
}

/// Returns the state at the start of a street in heads-up no-limit hold'em, in which each player
/// has paid half the pot and has `stacks` behind. Seat 0 acts first; `smallest` is the smallest bet
/// in chips.
///
/// The pot comes from a raise before the flop that is called; on later streets before this one both
/// players check.
///
/// # Errors
/// When no hand can reach such a state.
pub fn start(
    board: &Board,
    pot: Chips,
    stacks: [Chips; 2],
    smallest: Chips,
) -> Result<PublicState, StartError> {
    if !matches!(board.len(), 3..=5) {
        return Err(StartError::Board(board.len()));
    }
    let half = pot / 2;
    let fits = smallest > 0 && (half == smallest || half / 2 >= smallest);
    if !pot.is_multiple_of(2) || !fits {
        return Err(StartError::Pot { pot, smallest });
    }
    if stacks.contains(&0) {
        return Err(StartError::Stack);
    }
    let def = GameDef::new(GameSpec {
        betting: Betting::NoLimit,
        players: 2,
        streets: 4,
        stacks: stacks.map(|stack| stack.saturating_add(half)).to_vec(),
        blinds: vec![smallest, smallest / 2],
        raise_sizes: Vec::new(),
        first_to_act: vec![1, 0, 0, 0],
        max_raises: vec![GameSpec::NO_CAP; 4],
        suits: 4,
        ranks: 13,
        hole_cards: 2,
        board_cards: vec![0, 3, 1, 1],
        quirks: game::Quirks::default(),
    })?;
    let mut state = PublicState::new(&Arc::new(def));
    state.apply_unchecked(if half == smallest { Action::Call } else { Action::RaiseTo(half) });
    state.apply_unchecked(Action::Call);
    for (street, cards) in
        [&board[..3], &board[3..4.min(board.len())], &board[4.min(board.len())..]]
            .into_iter()
            .enumerate()
            .filter(|(_, cards)| !cards.is_empty())
    {
        if street > 0 {
            state.apply_unchecked(Action::Call);
            state.apply_unchecked(Action::Call);
        }
        state.deal(cards).expect("different cards of a full deck, as many as are due");
    }
    Ok(state)
}
