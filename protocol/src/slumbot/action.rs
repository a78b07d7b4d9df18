//! Slumbot's betting notation.
//!
//! ```text
//! hand   := street ( "/" street )*          at most four streets
//! street := ( "k" | "c" | "f" | "b" digits )*
//! ```
//!
//! `k` checks, `c` calls, `f` folds, `bN` bets or raises so that the player's chips **on this
//! street**, blinds included, come to `N`. Only this module converts between that number and the
//! total over the whole hand, which the rest of the project uses.
//!
//! A `/` is written as soon as a street is closed and another one follows; after a called all-in,
//! all slashes up to the river are written. The printer writes exactly these; the reader also
//! accepts a text without any of the trailing slashes, but not with only some of them.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use cards::{Board, Card};
use game::{
    Action, BySeat, Chips, DealError, GameDef, LegalActions, PublicState, Street, Turn, escape,
};

/// One action as sent by a client (`incr`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Incr {
    /// `k`: check.
    Check,
    /// `c`: call.
    Call,
    /// `f`: fold.
    Fold,
    /// `bN`: bet or raise so that the player's chips on this street come to this many.
    BetTo(Chips),
}

/// The reason for refusing an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum Refusal {
    #[error("there is nothing to call: a check is written `k`")]
    Call,
    #[error("there is a bet to call: a call is written `c`")]
    Check,
    #[error("there is nothing to call, so a fold is not allowed")]
    Fold,
    #[error("no bet is allowed here: the hand can only be called or folded")]
    NoBet,
    #[error("a bet to {to} is too small: the minimum on this street is {least}")]
    TooSmall { to: Chips, least: Chips },
    #[error("a bet to {to} is too big: the maximum on this street is {most}")]
    TooBig { to: Chips, most: Chips },
    #[error("the hand is over")]
    HandOver,
}

impl Refusal {
    /// The live server's `error_msg` for this refusal.
    pub const fn error_msg(self) -> &'static str {
        match self {
            Refusal::Call => "Illegal call",
            Refusal::Check => "Illegal check",
            Refusal::Fold => "Illegal fold",
            Refusal::NoBet | Refusal::TooSmall { .. } => "Illegal bet",
            Refusal::TooBig { .. } => "Bet size too big",
            Refusal::HandOver => IncrError::ERROR_MSG,
        }
    }
}

/// Error for text that is not exactly one action.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}`, character {at}: an action is one of `k`, `c`, `f` or `b` with a number")]
pub struct IncrError {
    /// The text, sanitized for display.
    pub text: String,
    /// Offset of the error in characters, from 0.
    pub at: usize,
}

impl IncrError {
    /// The live server's `error_msg` for such a text.
    pub const ERROR_MSG: &'static str = "unexpected action";
}

impl FromStr for Incr {
    type Err = IncrError;

    /// Parses exactly one action. Leading zeros of a number are ignored; a number too large for any
    /// stack is read as the largest one.
    fn from_str(text: &str) -> Result<Incr, IncrError> {
        let fail = |at| IncrError { text: escape::excerpt(text), at };
        let mut letters = text.chars();
        let incr = match letters.next().ok_or_else(|| fail(0))? {
            'k' => Incr::Check,
            'c' => Incr::Call,
            'f' => Incr::Fold,
            'b' => {
                let digits = letters.as_str();
                let wrong = digits.chars().position(|letter| !letter.is_ascii_digit());
                if let Some(at) = wrong.or_else(|| digits.is_empty().then_some(0)) {
                    return Err(fail(1 + at));
                }
                return Ok(Incr::BetTo(digits.parse().unwrap_or(Chips::MAX)));
            }
            _ => return Err(fail(0)),
        };
        if letters.next().is_some() { Err(fail(1)) } else { Ok(incr) }
    }
}

impl fmt::Display for Incr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Incr::Check => f.write_str("k"),
            Incr::Call => f.write_str("c"),
            Incr::Fold => f.write_str("f"),
            Incr::BetTo(to) => write!(f, "b{to}"),
        }
    }
}

impl Incr {
    /// The notation of this action of the seat to act. An action that is not legal in this state is
    /// written as well, and refused by whoever reads it.
    pub fn from_action(action: Action, state: &PublicState) -> Incr {
        match action {
            Action::Fold => Incr::Fold,
            Action::Call if state.legal().fold => Incr::Call,
            Action::Call => Incr::Check,
            Action::RaiseTo(total) => Incr::BetTo(total.saturating_sub(before_street(state))),
        }
    }

    /// The action of the seat to act that this notation stands for.
    ///
    /// # Errors
    /// When it is not legal in this state; `k` and `c` are not interchangeable.
    pub fn action(self, state: &PublicState) -> Result<Action, Refusal> {
        if !matches!(state.turn(), Turn::Act(_)) {
            return Err(Refusal::HandOver);
        }
        // Folding is legal exactly where there is something to call.
        let LegalActions { fold: owes, raise, .. } = state.legal();
        match (self, raise) {
            (Incr::Check, _) if owes => Err(Refusal::Check),
            (Incr::Call, _) if !owes => Err(Refusal::Call),
            (Incr::Fold, _) if !owes => Err(Refusal::Fold),
            (Incr::Check | Incr::Call, _) => Ok(Action::Call),
            (Incr::Fold, _) => Ok(Action::Fold),
            (Incr::BetTo(_), None) => Err(Refusal::NoBet),
            (Incr::BetTo(to), Some(raise)) => {
                let before = before_street(state);
                let total = before.saturating_add(to);
                if total > raise.max {
                    return Err(Refusal::TooBig { to, most: raise.max - before });
                }
                if total < raise.min {
                    return Err(Refusal::TooSmall { to, least: raise.min - before });
                }
                Ok(Action::RaiseTo(total))
            }
        }
    }
}

/// Chips that the seat to act had put in before this street: the difference between a hand total
/// and a street total. Heads-up it is the same for both seats.
fn before_street(state: &PublicState) -> Chips {
    match state.turn() {
        Turn::Act(seat) => state.committed()[seat] - state.committed_street(seat),
        Turn::Deal(_) | Turn::Over => 0,
    }
}

/// Error for text that is not the betting of a hand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("action `{text}`, character {at}: {reason}")]
pub struct ActionError {
    /// The text, sanitized for display.
    pub text: String,
    /// Offset of the error in characters, from 0.
    pub at: usize,
    /// The problem.
    pub reason: ActionReason,
}

/// The problem with a betting text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum ActionReason {
    #[error("`{}` is not an action", escape::visible(&.0.to_string()))]
    NotAnAction(char),
    #[error("a bet needs a size without leading zeros")]
    NoSize,
    #[error(transparent)]
    Illegal(#[from] Refusal),
    #[error("no street ends here")]
    EarlySlash,
    #[error("a `/` is missing")]
    MissingSlash,
    #[error("after a called all-in there are all slashes up to the river, or none")]
    SomeSlashes,
    #[error(transparent)]
    Deal(#[from] DealError),
    #[error("{found} cards on the table, but the betting calls for {needed}")]
    Board { found: usize, needed: usize },
}

/// The betting of a heads-up hand as text.
pub fn write(state: &PublicState) -> String {
    let mut text = String::with_capacity(32);
    write_to(state, &mut text);
    text
}

/// Appends the betting of a heads-up hand.
pub fn write_to(state: &PublicState, out: &mut String) {
    use fmt::Write;
    let mut street = Street::Preflop;
    for (played, incr) in state.history().iter().zip(incrs(state)) {
        slashes(&mut street, played.street, out);
        write!(out, "{incr}").expect("writing to a string cannot fail");
    }
    let last = match state.turn() {
        Turn::Deal(next) if state.able().len() > 1 => next,
        Turn::Deal(_) => state.def().last_street(),
        Turn::Act(_) | Turn::Over => state.street(),
    };
    slashes(&mut street, last, out);
}

/// The notation of each action of a heads-up hand.
pub(crate) fn incrs(state: &PublicState) -> impl Iterator<Item = Incr> {
    let blinds = &state.def().blinds;
    let mut committed = BySeat::from_fn(blinds.len(), |seat| blinds[seat.index()]);
    let mut highest = blinds.iter().copied().max().unwrap_or_default();
    let mut before = 0;
    let mut street = Street::Preflop;
    state.history().iter().map(move |played| {
        if street < played.street {
            (street, before) = (played.street, highest);
        }
        match played.action {
            Action::Fold => Incr::Fold,
            Action::Call if committed[played.seat] == highest => Incr::Check,
            Action::Call => {
                committed[played.seat] = highest;
                Incr::Call
            }
            Action::RaiseTo(total) => {
                (committed[played.seat], highest) = (total, total);
                Incr::BetTo(total - before)
            }
        }
    })
}

fn slashes(street: &mut Street, until: Street, out: &mut String) {
    (street.index()..until.index()).for_each(|_| out.push('/'));
    *street = until;
}

/// Replays betting as text on a fresh hand, dealing from `board`, which must hold exactly the cards
/// of the streets that have begun.
///
/// # Errors
/// When the text is not the betting of a hand, or the cards do not fit it; the error says where.
pub fn replay(def: &Arc<GameDef>, text: &str, board: &[Card]) -> Result<PublicState, ActionError> {
    let state = play(def, text, board)?;
    let (found, needed) = (board.len(), state.board().len());
    if found > needed {
        return Err(fail(text, text.len(), ActionReason::Board { found, needed }));
    }
    Ok(state)
}

/// Parses a betting text alone, where the board cards are not known.
///
/// # Errors
/// Those of [`replay`], except for those about cards.
pub fn read(def: &Arc<GameDef>, text: &str) -> Result<Vec<Action>, ActionError> {
    let state = replay_any(def, text)?;
    Ok(state.history().iter().map(|played| played.action).collect())
}

/// The state after a betting text, on an arbitrary board: the betting does not depend on the cards.
pub(super) fn replay_any(def: &Arc<GameDef>, text: &str) -> Result<PublicState, ActionError> {
    play(def, text, &any_board(def))
}

/// An arbitrary whole board.
pub(super) fn any_board(def: &GameDef) -> Vec<Card> {
    def.deck().into_iter().take(def.full_board_len()).collect()
}

fn play(def: &Arc<GameDef>, text: &str, board: &[Card]) -> Result<PublicState, ActionError> {
    let mut state = PublicState::new(def);
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let start = at;
        at += letter.len_utf8();
        let incr = match letter {
            '/' => {
                if !matches!(state.turn(), Turn::Deal(_)) {
                    return Err(fail(text, start, ActionReason::EarlySlash));
                }
                deal(&mut state, board).map_err(|error| fail(text, start, error.into()))?;
                continue;
            }
            'k' => Incr::Check,
            'c' => Incr::Call,
            'f' => Incr::Fold,
            'b' => {
                let digits = text[at..].bytes().take_while(u8::is_ascii_digit).count();
                let number = &text[at..at + digits];
                if number.is_empty() || number.starts_with('0') {
                    return Err(fail(text, start, ActionReason::NoSize));
                }
                at += digits;
                Incr::BetTo(number.parse().unwrap_or(Chips::MAX))
            }
            other => return Err(fail(text, start, ActionReason::NotAnAction(other))),
        };
        if matches!(state.turn(), Turn::Deal(_)) {
            return Err(fail(text, start, ActionReason::MissingSlash));
        }
        let action = incr.action(&state).map_err(|error| fail(text, start, error.into()))?;
        state.apply_unchecked(action);
    }
    if matches!(state.turn(), Turn::Deal(_)) && text.ends_with('/') {
        return Err(fail(text, text.len(), ActionReason::SomeSlashes));
    }
    while matches!(state.turn(), Turn::Deal(_)) {
        deal(&mut state, board).map_err(|error| fail(text, text.len(), error.into()))?;
    }
    Ok(state)
}

/// Deals the next street from the hand's board.
fn deal(state: &mut PublicState, board: &[Card]) -> Result<(), DealError> {
    let Turn::Deal(street) = state.turn() else { return Err(DealError::NotDue) };
    let start = state.board().len();
    let end = start + usize::from(state.def().board_cards[street.index()]);
    state.deal(board.get(start..end.min(board.len())).unwrap_or_default())
}

/// The error at this byte of the text.
fn fail(text: &str, at: usize, reason: ActionReason) -> ActionError {
    ActionError { text: escape::excerpt(text), at: text[..at].chars().count(), reason }
}

/// A player's cards in display order: high to low, spades before hearts before diamonds before
/// clubs.
pub fn high_to_low<const N: usize>(cards: cards::CardList<N>) -> cards::CardList<N> {
    let mut sorted = cards.to_vec();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    cards::CardList::new(&sorted).expect("as many cards as before")
}

/// The board cards in display order: the flop high to low, then turn and river.
pub fn board_order(board: Board) -> Board {
    let mut sorted = board.to_vec();
    let flop = sorted.len().min(3);
    sorted[..flop].sort_unstable_by(|a, b| b.cmp(a));
    Board::new(&sorted).expect("as many cards as before")
}
