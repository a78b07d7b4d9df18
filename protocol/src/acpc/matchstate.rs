//! Match states: the lines a dealer sends, `MATCHSTATE:<position>:<hand>:<betting>:<cards>`.
//!
//! The position is the viewer's [`Seat`], the hand a 32-bit number, betting and cards are in
//! [`game::notation`]. A viewer sees its own cards; when the hand ends with a showdown, also those
//! of every seat that did not fold; nothing else. The parser is strict: it accepts exactly what
//! [`write()`] prints. The lenient reading of what players send back is in [`reply`](super::reply).

use std::fmt::{self, Write};
use std::sync::Arc;

use cards::HoleCards;
use game::{BySeat, GameDef, InfoSet, Payoff, PublicState, Seat, SeatSet, State, Turn, notation};

/// A hand as one seat sees it: a match state.
#[derive(Debug, Clone)]
pub struct MatchState {
    /// The hand's number.
    pub hand: u32,
    /// The viewing seat.
    pub seat: Seat,
    /// The public state.
    pub public: PublicState,
    /// The cards visible to the seat: its own, and at a showdown those shown. Empty for other
    /// seats.
    pub hole: BySeat<HoleCards>,
}

/// Error for a line that is not a match state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum MatchStateError {
    #[error("it does not begin with `MATCHSTATE:`")]
    Keyword,
    #[error("it holds bytes that are not text")]
    NotText,
    #[error("it has {0} fields, not MATCHSTATE:<position>:<hand>:<betting>:<cards>")]
    Fields(usize),
    #[error("position `{text}` is not from 0 to {}", .players - 1)]
    Position { text: String, players: usize },
    #[error("hand `{0}` is not a number from 0 to 4294967295")]
    Hand(String),
    #[error(transparent)]
    Notation(#[from] notation::NotationError),
    #[error("cards `{0}` are not written as in `Ah`, rank in upper case and suit in lower case")]
    Case(String),
    #[error("the betting has reached the {betting}, but the board shows the {board}")]
    Street { betting: game::Street, board: game::Street },
    #[error("the cards of position {0} are missing")]
    Missing(Seat),
    #[error("the cards of position {0} are shown, which the viewer cannot know")]
    Exposed(Seat),
}

/// The seats whose cards the viewer may see.
pub fn visible(public: &PublicState, viewer: Seat) -> SeatSet {
    let mut seats = if public.is_showdown() { public.remaining() } else { SeatSet::EMPTY };
    seats.insert(viewer);
    seats
}

/// Appends the line a viewer gets, without its end. `hole` may hold everybody's cards: only what
/// the viewer may see is printed.
pub fn write(
    out: &mut String,
    hand: u32,
    viewer: Seat,
    public: &PublicState,
    hole: &BySeat<HoleCards>,
) {
    let seen = visible(public, viewer);
    let shown = BySeat::from_fn(hole.len(), |seat| {
        if seen.contains(seat) { hole[seat] } else { HoleCards::EMPTY }
    });
    write!(out, "MATCHSTATE:{viewer}:{hand}:").expect("writing to a string cannot fail");
    notation::write_betting(public, out);
    out.push(':');
    notation::write_cards(public, &shown, out);
}

/// Parses a number without sign or leading zeros.
fn number(text: &str) -> Option<u32> {
    let canonical = text == "0" || text.starts_with(|c: char| matches!(c, '1'..='9'));
    text.parse().ok().filter(|_| canonical)
}

fn cut(text: &str) -> String {
    game::escape::excerpt_of(text.as_bytes(), 40)
}

impl MatchState {
    /// Parses a line without its end.
    pub fn parse(def: &Arc<GameDef>, line: &str) -> Result<MatchState, MatchStateError> {
        let rest = line.strip_prefix("MATCHSTATE:").ok_or(MatchStateError::Keyword)?;
        let mut fields = rest.split(':');
        let (Some(position), Some(hand), Some(betting), Some(cards), None) =
            (fields.next(), fields.next(), fields.next(), fields.next(), fields.next())
        else {
            return Err(MatchStateError::Fields(1 + rest.split(':').count()));
        };
        let players = def.players;
        let seat = number(position).filter(|&p| (p as usize) < players);
        let seat = seat
            .and_then(|p| Seat::new(p as usize))
            .ok_or_else(|| MatchStateError::Position { text: cut(position), players })?;
        let hand = number(hand).ok_or_else(|| MatchStateError::Hand(cut(hand)))?;
        if cards.bytes().any(|b| b"tjqkaCDHS".contains(&b)) {
            return Err(MatchStateError::Case(cut(cards)));
        }
        let cards = notation::parse_cards(def, cards)?;
        let public = notation::replay(def, betting, &cards.board)?;
        if public.street() != cards.street {
            let (betting, board) = (public.street(), cards.street);
            return Err(MatchStateError::Street { betting, board });
        }
        let seen = visible(&public, seat);
        for (seat, hole) in cards.hole.iter() {
            match (seen.contains(seat), hole.is_empty()) {
                (true, true) => return Err(MatchStateError::Missing(seat)),
                (false, false) => return Err(MatchStateError::Exposed(seat)),
                _ => {}
            }
        }
        Ok(MatchState { hand, seat, public, hole: cards.hole })
    }

    /// The viewer's information set.
    pub fn infoset(&self) -> InfoSet {
        InfoSet { public: self.public.clone(), seat: self.seat, hole: self.hole[self.seat] }
    }

    /// Whether it is the viewer's turn.
    pub fn to_act(&self) -> bool {
        self.public.turn() == Turn::Act(self.seat)
    }

    /// The payoff of each seat, once the hand is over.
    pub fn payoffs(&self) -> Option<BySeat<Payoff>> {
        (self.public.turn() == Turn::Over).then(|| self.public.payoffs(&self.hole))
    }

    /// The match state of a seat in a hand.
    pub fn for_seat(hand: u32, seat: Seat, state: &State) -> MatchState {
        let seen = visible(&state.public, seat);
        let hole = BySeat::from_fn(state.hole.len(), |other| {
            if seen.contains(other) { state.hole[other] } else { HoleCards::EMPTY }
        });
        MatchState { hand, seat, public: state.public.clone(), hole }
    }
}

/// The line, without its end.
impl fmt::Display for MatchState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = String::with_capacity(96);
        write(&mut line, self.hand, self.seat, &self.public, &self.hole);
        f.write_str(&line)
    }
}
