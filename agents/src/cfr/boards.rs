//! A cache of the buckets of all hands on the boards used most recently.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use abstraction::buckets::Buckets;
use cards::CardSet;

/// Maximum number of boards kept, 2.7 kB each.
const KEPT: usize = 64;

/// Boards with the buckets of all hands on them, most recently used first.
#[derive(Debug, Default)]
pub(super) struct RecentBoards(Mutex<VecDeque<(CardSet, Arc<[u16]>)>>);

impl RecentBoards {
    /// Returns the bucket of each combo on a board, by combo index; `None` if the cards are not a
    /// valid board.
    pub(super) fn get(&self, buckets: &Buckets, board: CardSet) -> Option<Arc<[u16]>> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = {
            let mut boards = lock();
            let at = boards.iter().position(|&(known, _)| known == board);
            let found = at.and_then(|at| boards.remove(at));
            found.inspect(|found| boards.push_front(found.clone()))
        };
        if let Some((_, found)) = known {
            return Some(found);
        }
        let made: Arc<[u16]> = buckets.on_board(board).ok()?.into();
        let mut boards = lock();
        boards.truncate(KEPT - 1);
        boards.push_front((board, Arc::clone(&made)));
        Some(made)
    }
}
