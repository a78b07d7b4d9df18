//! The betting of a hand as a list of texts, such as `["b225", "c", "_", "k", "b35"]`.
//!
//! Each text is one action in the notation of [`Incr`], with amounts as totals on the street; `_`
//! ends a round that another one follows. After a called all-in, `_` is written for every street up
//! to the river. The reader also accepts a list without any or some of the `_` at its end.

use std::sync::Arc;

use cards::Card;
use game::{DealError, GameDef, PublicState, Street, Turn, escape};

use crate::slumbot::action::{Incr, Refusal, incrs};

/// The text that ends a round.
pub const END: &str = "_";

/// Error for a list that is not the betting of a hand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("action_history {list}, entry {at}: {reason}")]
pub struct HistoryError {
    /// The list, for display.
    pub list: String,
    /// Index of the entry, from 0.
    pub at: usize,
    /// The problem.
    pub reason: HistoryReason,
}

/// The problem with a list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum HistoryReason {
    #[error("it is none of `f`, `k`, `c`, `b` with a number, and `_`")]
    NotAnAction,
    #[error(transparent)]
    Illegal(#[from] Refusal),
    #[error("no round ends here")]
    EarlyEnd,
    #[error("the round is over, so `_` must come first")]
    MissingEnd,
    #[error(transparent)]
    Deal(#[from] DealError),
    #[error("{found} cards on the table, but the betting calls for {needed}")]
    Board { found: usize, needed: usize },
}

impl HistoryReason {
    /// Whether the entries are those of the notation, so that the betting itself is impossible.
    pub(super) fn is_contradiction(&self) -> bool {
        !matches!(self, HistoryReason::NotAnAction)
    }
}

/// The betting of a heads-up hand as a list.
pub fn write(state: &PublicState) -> Vec<String> {
    let mut list = Vec::with_capacity(state.history().len() + 3);
    let mut street = Street::Preflop;
    let mut end_rounds = |until: Street, list: &mut Vec<String>| {
        list.extend((street.index()..until.index()).map(|_| END.to_owned()));
        street = until;
    };
    for (played, incr) in state.history().iter().zip(incrs(state)) {
        end_rounds(played.street, &mut list);
        list.push(incr.to_string());
    }
    let last = match state.turn() {
        Turn::Deal(next) if state.able().len() > 1 => next,
        Turn::Deal(_) => state.def().last_street(),
        Turn::Act(_) | Turn::Over => state.street(),
    };
    end_rounds(last, &mut list);
    list
}

/// Replays a list on a fresh hand, dealing from `board`, which must hold exactly the cards of the
/// streets that have begun.
///
/// # Errors
/// When the list is not the betting of a hand, or the cards do not fit it; the error says where.
pub fn replay(
    def: &Arc<GameDef>,
    list: &[impl AsRef<str>],
    board: &[Card],
) -> Result<PublicState, HistoryError> {
    let fail = |at: usize, reason: HistoryReason| {
        let texts: Vec<&str> = list.iter().map(AsRef::as_ref).collect();
        HistoryError { list: escape::excerpt(&texts.join(" ")), at, reason }
    };
    let mut state = PublicState::new(def);
    for (at, text) in list.iter().map(AsRef::as_ref).enumerate() {
        if text == END {
            // Once all cards are dealt nothing but further ends can follow.
            let run_out = state.is_showdown() && !state.history().is_empty();
            match state.turn() {
                Turn::Deal(_) => {
                    state.deal_from(board).map_err(|error| fail(at, error.into()))?;
                }
                Turn::Over if run_out => {}
                _ => return Err(fail(at, HistoryReason::EarlyEnd)),
            }
            continue;
        }
        if matches!(state.turn(), Turn::Deal(_)) {
            return Err(fail(at, HistoryReason::MissingEnd));
        }
        let incr = read(text).ok_or_else(|| fail(at, HistoryReason::NotAnAction))?;
        let action = incr.action(&state).map_err(|refusal| fail(at, refusal.into()))?;
        state.apply_unchecked(action);
    }
    let at = list.len();
    state.deal_from(board).map_err(|error| fail(at, error.into()))?;
    let (found, needed) = (board.len(), state.board().len());
    if found > needed {
        return Err(fail(at, HistoryReason::Board { found, needed }));
    }
    Ok(state)
}

/// One action; numbers without leading zeros, which nobody writes.
fn read(text: &str) -> Option<Incr> {
    text.parse::<Incr>().ok().filter(|incr| incr.to_string() == text)
}
