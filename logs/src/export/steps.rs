//! A hand as a list of steps, with amounts as other formats count them.

use cards::Board;
use game::{Action, Chips, PublicState, Seat, Street, Turn};

use crate::HandRecord;

/// A step of a hand after the blinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A deal of a street's cards.
    Street {
        /// The street.
        street: Street,
        /// The board with the new cards.
        board: Board,
        /// Number of board cards before.
        before: usize,
    },
    /// An action.
    Act {
        /// The acting seat.
        seat: Seat,
        /// The kind of action.
        did: ActionTaken,
        /// Chips put in.
        added: Chips,
        /// Whether the seat is all-in with it.
        all_in: bool,
    },
}

/// The kind of an action, by its usual name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ActionTaken {
    Fold,
    Check,
    Call,
    Bet,
    Raise {
        /// Chips above the amount to call.
        by: Chips,
        /// The total on this street.
        to: Chips,
    },
}

/// An action with its amounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Act {
    pub(crate) did: ActionTaken,
    /// Chips put in.
    pub(crate) added: Chips,
    /// Whether the seat is all-in with it.
    pub(crate) all_in: bool,
}

/// Plays a legal action of the seat whose turn it is.
pub(crate) fn act(state: &mut PublicState, seat: Seat, action: Action) -> Act {
    let (before, mine) = (state.committed()[seat], state.committed_street(seat));
    let seats = state.def().seats();
    let highest = seats.map(|seat| state.committed_street(seat)).max().unwrap_or_default();
    state.apply_unchecked(action);
    let added = state.committed()[seat] - before;
    let did = match action {
        Action::Fold => ActionTaken::Fold,
        Action::Call if added == 0 => ActionTaken::Check,
        Action::Call => ActionTaken::Call,
        Action::RaiseTo(_) if highest == 0 => ActionTaken::Bet,
        Action::RaiseTo(_) => {
            let to = mine + added;
            ActionTaken::Raise { by: to.saturating_sub(highest), to }
        }
    };
    Act { did, added, all_in: did != ActionTaken::Fold && state.stack(seat) == 0 }
}

/// The steps of a hand in order.
pub(super) fn steps(record: &HandRecord) -> Vec<Step> {
    let mut steps = Vec::with_capacity(16);
    let mut state = PublicState::new(record.public.def());
    let whole = record.public.board();
    let mut history = record.public.history().iter();
    loop {
        match state.turn() {
            Turn::Act(seat) => {
                let Some(played) = history.next() else { return steps };
                let Act { did, added, all_in } = act(&mut state, seat, played.action);
                steps.push(Step::Act { seat, did, added, all_in });
            }
            Turn::Deal(street) => {
                let before = state.board().len();
                let end = record.public.def().board_len(street).min(whole.len());
                if state.deal(&whole[before..end]).is_err() {
                    return steps;
                }
                steps.push(Step::Street { street, board: state.board(), before });
            }
            Turn::Over => return steps,
        }
    }
}

/// The seat that put in more than all others, and by how much: the uncalled chips.
pub(crate) fn uncalled(public: &PublicState) -> Option<(Seat, Chips)> {
    let mut committed: Vec<(Chips, Seat)> =
        public.committed().iter().map(|(seat, &chips)| (chips, seat)).collect();
    committed.sort_unstable_by_key(|&(chips, _)| std::cmp::Reverse(chips));
    let [(most, seat), (next, _), ..] = committed[..] else { return None };
    (most > next).then(|| (seat, most - next))
}
