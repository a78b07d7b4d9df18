//! Counts of whole betting trees: the engine's *perft*.

use std::sync::Arc;

use crate::{GameDef, PublicState, Turn};

/// Node counts of a betting tree, without cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TreeCounts {
    /// Decision nodes on each street.
    pub decisions: [u64; 4],
    /// Terminal nodes at which all but one have folded.
    pub folds: u64,
    /// Terminal nodes with a showdown, run-outs included.
    pub showdowns: u64,
}

/// Counts the betting tree of a game, with a branch for every raise size.
///
/// Takes time in proportion to the tree: meant for limit games and small stacks.
pub fn count(def: &Arc<GameDef>) -> TreeCounts {
    // The betting does not depend on the board, so any cards will do.
    let deck = def.deck();
    let board = &deck[..def.full_board_len()];
    let mut counts = TreeCounts::default();
    walk(PublicState::new(def), board, &mut counts);
    counts
}

fn walk(mut state: PublicState, board: &[cards::Card], counts: &mut TreeCounts) {
    state.deal_from(board).expect("the board is as long as the game's");
    match state.turn() {
        Turn::Over if state.is_showdown() => counts.showdowns += 1,
        Turn::Over => counts.folds += 1,
        Turn::Deal(_) => unreachable!("everything due has been dealt"),
        Turn::Act(_) => {
            counts.decisions[state.street().index()] += 1;
            for action in state.legal().all() {
                let mut next = state.clone();
                next.apply_unchecked(action);
                walk(next, board, counts);
            }
        }
    }
}
