//! Hands as text, in the notation of the ACPC protocol (protocol specification 2.0.0, section 3).
//!
//! Betting: each street's actions in a row, streets joined by `/`; `f` folds, `c` checks or calls,
//! `r` raises in limit games, `r<total>` in no-limit games, the total counted over the whole hand.
//! A `/` stands as soon as the next street has begun. Cards: the seats' hole cards joined by `|`
//! (empty when unknown), then for each later street that has begun a `/` and its cards.
//!
//! This reader is strict: it accepts exactly what the printer prints. The lenient reading that the
//! original server applies to replies is part of the protocol crate.

use std::fmt::Write;
use std::sync::Arc;

use cards::{Board, HoleCards};

use crate::{
    Action, Betting, BySeat, DealError, GameDef, IllegalReason, PublicState, Street, Turn,
    check_dealt,
};

/// Error for text that is not a hand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum NotationError {
    #[error("betting `{text}`, character {at}: {reason}")]
    Betting { text: String, at: usize, reason: BettingError },
    #[error("cards `{text}`: {reason}")]
    Cards { text: String, reason: CardsError },
}

/// The problem with a betting text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum BettingError {
    #[error("`{}` is not an action", crate::escape::visible(&.0.to_string()))]
    NotAnAction(char),
    #[error("a raise needs a total of at most 2147483647 chips")]
    NoSize,
    #[error(transparent)]
    Illegal(#[from] IllegalReason),
    #[error("no street ends here")]
    EarlySlash,
    #[error("a `/` is missing")]
    MissingSlash,
    #[error(transparent)]
    Deal(#[from] DealError),
}

/// The problem with a card text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum CardsError {
    #[error(transparent)]
    Parse(#[from] cards::Error),
    #[error("{found} hands for {needed} players")]
    Seats { found: usize, needed: usize },
    #[error("section `{section}` must hold {needed} cards")]
    Count { section: String, needed: usize },
    #[error("more streets than the game has")]
    Streets,
    #[error("a card appears twice")]
    Repeated,
    #[error("a card that was put on the board is not in the hand it came from")]
    NotHeld,
    #[error("a card is not in this game's deck")]
    NotInDeck,
    #[error("ranks are written in capitals and suits in small letters, as in `Ah`")]
    Case,
}

/// The betting of a hand as text.
pub fn betting(state: &PublicState) -> String {
    let mut text = String::with_capacity(24);
    write_betting(state, &mut text);
    text
}

/// Appends the betting of a hand.
pub fn write_betting(state: &PublicState, out: &mut String) {
    let limit = state.def().betting == Betting::Limit;
    let mut street = 0;
    for played in state.history() {
        while street < played.street.index() {
            out.push('/');
            street += 1;
        }
        write_action(played.action, limit, out);
    }
    while street < state.street().index() {
        out.push('/');
        street += 1;
    }
}

/// One action as text, in the notation of ledgers: a raise has its total, also in limit games.
pub fn action(action: Action) -> String {
    let mut text = String::new();
    write_action(action, false, &mut text);
    text
}

/// Appends one action; in limit games a raise has no size.
pub fn write_action(action: Action, limit: bool, out: &mut String) {
    match action {
        Action::Fold => out.push('f'),
        Action::Call => out.push('c'),
        Action::RaiseTo(_) if limit => out.push('r'),
        Action::RaiseTo(total) => write_number(total, out),
    }
}

fn write_number(total: u32, out: &mut String) {
    write!(out, "r{total}").expect("writing to a string cannot fail");
}

/// The cards of a hand as text: hole cards as given (empty ones stay empty), the board of every
/// street that has begun.
pub fn cards(state: &PublicState, hole: &BySeat<HoleCards>) -> String {
    let mut text = String::with_capacity(32);
    write_cards(state, hole, &mut text);
    text
}

/// Appends the cards of a hand.
pub fn write_cards(state: &PublicState, hole: &BySeat<HoleCards>, out: &mut String) {
    for (seat, cards) in hole.iter() {
        if seat.index() > 0 {
            out.push('|');
        }
        push_cards(cards, out);
    }
    let board = state.board();
    let mut rest = &board[..];
    for (street, &count) in state.def().board_cards[..=state.street().index()].iter().enumerate() {
        if street > 0 {
            out.push('/');
        }
        let (now, later) = rest.split_at(rest.len().min(count as usize));
        push_cards(now, out);
        rest = later;
    }
}

fn push_cards(cards: &[cards::Card], out: &mut String) {
    for card in cards {
        out.push(card.rank().to_char());
        out.push(card.suit().to_char());
    }
}

fn shorten(text: &str) -> String {
    crate::escape::excerpt(text)
}

/// Replays betting as text on a fresh hand, dealing from `board`.
///
/// The board must hold exactly the cards of the streets that have begun.
pub fn replay(def: &Arc<GameDef>, text: &str, board: &Board) -> Result<PublicState, NotationError> {
    let fail = |at: usize, reason: BettingError| {
        let at = text[..at].chars().count();
        NotationError::Betting { text: shorten(text), at, reason }
    };
    let mut state = PublicState::new(def);
    let due = |state: &mut PublicState| -> Result<(), DealError> {
        if let Turn::Deal(street) = state.turn() {
            let start = state.board().len();
            let end = def.board_len(street);
            state.deal(board.get(start..end.min(board.len())).unwrap_or_default())?;
        }
        Ok(())
    };
    if matches!(state.turn(), Turn::Deal(Street::Preflop)) {
        due(&mut state).map_err(|error| fail(0, error.into()))?;
    }
    // Index of the street up to which slashes have been read.
    let mut street = 0;
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let start = at;
        at += letter.len_utf8();
        if letter == '/' {
            if street == state.street().index() {
                if !matches!(state.turn(), Turn::Deal(_)) {
                    return Err(fail(start, BettingError::EarlySlash));
                }
                due(&mut state).map_err(|error| fail(start, error.into()))?;
            }
            street += 1;
            continue;
        }
        let action = match letter {
            'f' => Action::Fold,
            'c' => Action::Call,
            'r' if def.betting == Betting::Limit => {
                let raise = state.legal().raise;
                Action::RaiseTo(raise.map_or(0, |r| r.min))
            }
            'r' => {
                let digits = text[at..].bytes().take_while(u8::is_ascii_digit).count();
                let number = &text[at..at + digits];
                let canonical = !number.starts_with('0') || number == "0";
                let total = number.parse().ok().filter(|_| canonical);
                at += digits;
                Action::RaiseTo(total.ok_or_else(|| fail(start, BettingError::NoSize))?)
            }
            other => return Err(fail(start, BettingError::NotAnAction(other))),
        };
        if street < state.street().index() {
            return Err(fail(start, BettingError::MissingSlash));
        }
        state.apply(action).map_err(|reason| fail(start, reason.into()))?;
    }
    if street < state.street().index() {
        return Err(fail(text.len(), BettingError::MissingSlash));
    }
    if state.board().len() < board.len() {
        return Err(fail(text.len(), DealError::NotDue.into()));
    }
    Ok(state)
}

/// The result of [`parse_cards`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cards {
    /// Each seat's hole cards, empty where unknown.
    pub hole: BySeat<HoleCards>,
    /// The board cards that the text gives.
    pub board: Board,
    /// The last street whose cards (perhaps none) the text gives.
    pub street: Street,
}

/// Parses the cards of a hand.
pub fn parse_cards(def: &GameDef, text: &str) -> Result<Cards, NotationError> {
    let fail = |reason: CardsError| NotationError::Cards { text: shorten(text), reason };
    let count = |section: &str, needed: usize| {
        let reason = CardsError::Count { section: shorten(section), needed };
        NotationError::Cards { text: shorten(text), reason }
    };
    let mut sections = text.split('/');
    let first = sections.next().unwrap_or_default();
    let mut hole = BySeat::new(def.players);
    let hands: Vec<&str> = first.split('|').collect();
    if hands.len() != def.players {
        return Err(fail(CardsError::Seats { found: hands.len(), needed: def.players }));
    }
    let mut board = Board::EMPTY;
    let on_table = def.board_cards[0] as usize;
    for (seat, &hand) in def.seats().zip(&hands) {
        // Board cards of the first street follow the last hole cards without a separator.
        let last = seat.index() + 1 == def.players;
        let split = hand.len().checked_sub(if last { 2 * on_table } else { 0 });
        let split = split.filter(|&i| hand.is_char_boundary(i));
        let split = split.ok_or_else(|| count(hand, on_table))?;
        let (own, table) = hand.split_at(split);
        let cards: HoleCards = own.parse().map_err(|e: cards::Error| fail(e.into()))?;
        if !cards.is_empty() && cards.len() != def.hole_cards as usize {
            return Err(count(hand, def.hole_cards as usize));
        }
        hole[seat] = cards;
        let dealt: Board = table.parse().map_err(|e: cards::Error| fail(e.into()))?;
        dealt.iter().for_each(|&card| _ = board.push(card));
    }
    let mut street = Street::Preflop;
    for section in sections {
        let next = street.next().filter(|&next| next <= def.last_street());
        street = next.ok_or_else(|| fail(CardsError::Streets))?;
        let needed = def.board_cards[street.index()];
        let dealt: Board = section.parse().map_err(|e: cards::Error| fail(e.into()))?;
        // A hand may end with a fold in the place of a discard.
        let partial = dealt.len() + 2 >= needed.into() && dealt.len() < needed.into();
        let partial = partial && def.discards && street == Street::Flop;
        if dealt.len() != needed as usize && !(partial && text.ends_with(section)) {
            return Err(count(section, needed.into()));
        }
        dealt.iter().for_each(|&card| _ = board.push(card));
    }
    check_dealt(def, &hole, &board).map_err(|error| {
        fail(match error {
            DealError::NotInDeck(_) => CardsError::NotInDeck,
            DealError::NotHeld(_) => CardsError::NotHeld,
            _ => CardsError::Repeated,
        })
    })?;
    let lists = hole.as_slice().iter().map(HoleCards::as_slice).chain([board.as_slice()]);
    let all: Vec<cards::Card> = lists.flatten().copied().collect();
    let written = text.chars().filter(|letter| !"|/".contains(*letter));
    if !written.eq(all.iter().flat_map(|card| [card.rank().to_char(), card.suit().to_char()])) {
        return Err(fail(CardsError::Case));
    }
    Ok(Cards { hole, board, street })
}
