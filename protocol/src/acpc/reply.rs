//! The original server's lenient reading of players' replies.
//!
//! A reply is the match state that was sent, `:`, and an action. The state is read and compared,
//! not matched byte by byte: numbers go through [`super::scan`], separators may be missing, cards
//! may be in any case, other players' cards may be filled in. After the action's letter (and, in
//! no-limit games, its size) nothing more is read. Lines that do not answer the state are ignored;
//! actions that are not legal become calls, and raises move into the legal range.
//!
//! One deviation: where a reply leaves out the player's own cards, the original compares with
//! uninitialised memory; here such a reply never matches.

use std::sync::Arc;

use cards::{Card, HoleCards, Rank, Suit};
use game::{Action, BySeat, GameDef, LegalActions, PublicState, Seat, Turn};

use super::player::shorten;
use super::scan;

/// The request that a reply must answer.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The hand's number.
    pub hand: u32,
    /// The seat to act.
    pub seat: Seat,
    /// The public state that the reply must repeat.
    pub public: &'a PublicState,
    /// The acting seat's cards.
    pub hole: HoleCards,
    /// The line that was sent, without its end.
    pub line: &'a [u8],
}

/// The meaning of a player's line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// A comment.
    Comment,
    /// Not an answer to the question; the player is still to act.
    Ignored(Ignored),
    /// An answer.
    Act {
        /// The legal action to play.
        action: Action,
        /// The correction that made it legal, if any.
        correction: Option<Correction>,
    },
}

/// The reason for ignoring a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ignored {
    /// It is not a match state of this game.
    BadState,
    /// It is a match state, but not that of the question.
    Unrequested,
}

/// A correction of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Correction {
    /// No action could be read: a call.
    BadFormat,
    /// The action is unknown or not legal: a call.
    Invalid {
        /// Whether a raise was refused only because of the original's limit on the actions of a
        /// street.
        too_many_actions: bool,
    },
    /// The raise was too small.
    Increased {
        /// The requested total.
        from: i32,
        /// The total played.
        to: u32,
    },
    /// The raise was too large.
    Decreased {
        /// The requested total.
        from: i32,
        /// The total played.
        to: u32,
    },
}

/// An action as written, not yet checked for legality.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Fold,
    Call,
    /// A raise with its total in no-limit games, 0 in limit games.
    Raise(i32),
    Unknown,
}

/// Parses a line as the original server does.
pub fn read(line: &[u8], question: &Question<'_>) -> Reply {
    if matches!(line.first(), Some(b'#' | b';')) {
        return Reply::Comment;
    }
    let line = scan::c_string(line);
    // Fast path: nearly always the state comes back as it was sent.
    let exact = line.strip_prefix(question.line).filter(|rest| rest.first() == Some(&b':'));
    let rest = match exact {
        Some(rest) => rest,
        None => match read_state(line, question) {
            Ok(rest) => rest,
            Err(ignored) => return Reply::Ignored(ignored),
        },
    };
    let written = rest.strip_prefix(b":").and_then(|text| read_action(text, question.public.def()));
    let (action, correction) = match written {
        Some((written, _)) => correct(written, question.public),
        None => (Action::Call, Some(Correction::BadFormat)),
    };
    Reply::Act { action, correction }
}

/// The action that a line asks for, legal or not, or `None` without one. The line must be an answer
/// to the question. A negative total is read as 0; a raise in limit games has the street's raise
/// size.
pub fn asked_for(line: &[u8], question: &Question<'_>) -> Option<Action> {
    let line = scan::c_string(line);
    let rest = line.strip_prefix(question.line).filter(|rest| rest.first() == Some(&b':'));
    let rest = rest.or_else(|| read_state(line, question).ok())?;
    let public = question.public;
    let (written, _) = read_action(rest.strip_prefix(b":")?, public.def())?;
    match written {
        Written::Fold => Some(Action::Fold),
        Written::Call => Some(Action::Call),
        Written::Raise(_) if public.def().betting == game::Betting::Limit => {
            let size = public.def().spec().raise_sizes.get(public.street().index())?;
            Some(Action::RaiseTo(public.highest().saturating_add(*size)))
        }
        Written::Raise(size) => Some(Action::RaiseTo(u32::try_from(size).unwrap_or(0))),
        Written::Unknown => None,
    }
}

/// Parses a line strictly: the line that was sent, `:`, a legal action in the protocol's own
/// notation, LF or CR LF; or a comment. Otherwise the shortened line is the error.
pub fn read_strict(line: &[u8], question: &Question<'_>) -> Result<Reply, String> {
    if matches!(line.first(), Some(b'#' | b';')) {
        return Ok(Reply::Comment);
    }
    let public = question.public;
    let action = (|| {
        let body = line.strip_suffix(b"\n")?;
        let body = body.strip_suffix(b"\r").unwrap_or(body);
        let text = body.strip_prefix(question.line)?.strip_prefix(b":")?;
        let (action, _) = read_legal_action(text, public)?;
        let mut exact = String::new();
        let limit = public.def().betting == game::Betting::Limit;
        game::notation::write_action(action, limit, &mut exact);
        (exact.as_bytes() == text).then_some(action)
    })();
    match action {
        Some(action) => Ok(Reply::Act { action, correction: None }),
        None => Err(shorten(line)),
    }
}

/// Parses an action at the start of `text` and checks it without correction; gives it with the
/// number of bytes used. Transaction files are read this way.
pub(crate) fn read_legal_action(text: &[u8], public: &PublicState) -> Option<(Action, usize)> {
    let (written, used) = read_action(scan::c_string(text), public.def())?;
    let (action, correction) = correct(written, public);
    correction.is_none().then_some((action, used))
}

/// Parses the action at the start of a text; gives it with the number of bytes used, or `None` for
/// a raise without a size.
fn read_action(text: &[u8], def: &GameDef) -> Option<(Written, usize)> {
    match text.first() {
        Some(b'f' | b'F') => Some((Written::Fold, 1)),
        Some(b'c' | b'C' | b'k' | b'K') => Some((Written::Call, 1)),
        Some(b'r' | b'R' | b'b' | b'B') if def.betting == game::Betting::NoLimit => {
            let (size, used) = scan::scan_i32(&text[1..])?;
            Some((Written::Raise(size), 1 + used))
        }
        Some(b'r' | b'R' | b'b' | b'B') => Some((Written::Raise(0), 1)),
        _ => Some((Written::Unknown, 1)),
    }
}

fn correct(written: Written, public: &PublicState) -> (Action, Option<Correction>) {
    let legal: LegalActions = public.legal();
    let invalid = Correction::Invalid { too_many_actions: false };
    match (written, legal.raise) {
        _ if !matches!(public.turn(), Turn::Act(_)) => (Action::Call, Some(invalid)),
        (Written::Call, _) => (Action::Call, None),
        (Written::Fold, _) if legal.fold => (Action::Fold, None),
        (Written::Raise(size), Some(raise)) => {
            if public.def().betting == game::Betting::Limit {
                return (Action::RaiseTo(raise.min), None);
            }
            let total = i64::from(size).clamp(raise.min.into(), raise.max.into()) as u32;
            let correction = if i64::from(size) < i64::from(raise.min) {
                Some(Correction::Increased { from: size, to: total })
            } else if i64::from(size) > i64::from(raise.max) {
                Some(Correction::Decreased { from: size, to: total })
            } else {
                None
            };
            (Action::RaiseTo(total), correction)
        }
        (Written::Raise(_), None) => {
            let too_many_actions = too_many_actions(public);
            (Action::Call, Some(Correction::Invalid { too_many_actions }))
        }
        (Written::Fold | Written::Unknown, _) => (Action::Call, Some(invalid)),
    }
}

/// Whether only the original's limit on a street's actions forbids a raise.
fn too_many_actions(public: &PublicState) -> bool {
    let def = public.def();
    let capped = public.raises() >= def.max_raises[public.street().index()];
    let actions = public.street_history().len() + def.players;
    !capped && def.quirks.max_actions.is_some_and(|most| actions > most as usize)
}

/// Parses the state at the start of a line and compares it with the question; gives the rest.
fn read_state<'a>(line: &'a [u8], question: &Question<'_>) -> Result<&'a [u8], Ignored> {
    let bad = Ignored::BadState;
    let def = question.public.def();
    let rest = line.strip_prefix(b"MATCHSTATE:").ok_or(bad)?;
    let (position, used) = scan::scan_u8(rest).ok_or(bad)?;
    if position as usize >= def.players {
        return Err(bad);
    }
    let rest = rest[used..].strip_prefix(b":").ok_or(bad)?;
    let (hand, used) = scan::scan_u32(rest).ok_or(bad)?;
    let rest = rest[used..].strip_prefix(b":").ok_or(bad)?;
    let (public, rest) = read_betting(rest, def).ok_or(bad)?;
    let (hole, rest) = read_hole_cards(rest, def).ok_or(bad)?;
    let (board, rest) = read_board(rest, &public).ok_or(bad)?;
    let asked = question.public;
    let same = position as usize == question.seat.index()
        && hand == question.hand
        && public.street() == asked.street()
        && public.history() == asked.history()
        && board[..] == asked.board()[..]
        && hole[question.seat] == question.hole;
    if same { Ok(rest) } else { Err(Ignored::Unrequested) }
}

/// Parses betting up to and including its `:`, or to the end of the text. Slashes are ignored.
fn read_betting<'a>(mut text: &'a [u8], def: &Arc<GameDef>) -> Option<(PublicState, &'a [u8])> {
    let mut public = PublicState::new(def);
    run_on(&mut public);
    loop {
        match text.first() {
            None => return Some((public, text)),
            Some(b':') => return Some((public, &text[1..])),
            Some(b'/') => text = &text[1..],
            Some(_) => {
                let (action, used) = read_legal_action(text, &public)?;
                public.apply(action).ok()?;
                run_on(&mut public);
                text = &text[used..];
            }
        }
    }
}

/// Deals arbitrary cards where cards are due: the betting does not depend on them.
fn run_on(public: &mut PublicState) {
    while let Turn::Deal(street) = public.turn() {
        let count = public.def().board_cards[street.index()] as usize;
        let on_table = public.board().set();
        let deck = public.def().deck().into_iter();
        let cards: Vec<Card> = deck.filter(|&c| !on_table.contains(c)).take(count).collect();
        if public.deal(&cards).is_err() {
            return;
        }
    }
}

fn read_card(text: &[u8]) -> Option<Card> {
    let rank = Rank::from_char(char::from(*text.first()?))?;
    let suit = Suit::from_char(char::from(*text.get(1)?))?;
    Some(Card::new(rank, suit))
}

/// Parses up to `most` cards; gives them and the rest.
fn read_cards(text: &[u8], most: usize) -> (Vec<Card>, &[u8]) {
    let cards: Vec<Card> = text.chunks(2).map_while(read_card).take(most).collect();
    let rest = &text[2 * cards.len()..];
    (cards, rest)
}

fn read_hole_cards<'a>(mut text: &'a [u8], def: &GameDef) -> Option<(BySeat<HoleCards>, &'a [u8])> {
    let needed = def.hole_cards as usize;
    let mut hole = BySeat::new(def.players);
    for seat in def.seats() {
        if seat.index() > 0 {
            text = text.strip_prefix(b"|").unwrap_or(text);
        }
        let (cards, rest) = read_cards(text, needed);
        if cards.is_empty() {
            continue;
        }
        hole[seat] = HoleCards::new(&cards).filter(|hand| hand.len() == needed)?;
        text = rest;
    }
    Some((hole, text))
}

fn read_board<'a>(mut text: &'a [u8], public: &PublicState) -> Option<(Vec<Card>, &'a [u8])> {
    let mut board = Vec::new();
    let counts = &public.def().board_cards[..=public.street().index()];
    for (street, &count) in counts.iter().enumerate() {
        if street > 0 {
            text = text.strip_prefix(b"/").unwrap_or(text);
        }
        let (cards, rest) = read_cards(text, count.into());
        if cards.len() != count as usize {
            return None;
        }
        board.extend(cards);
        text = rest;
    }
    Some((board, text))
}
