//! The words of the protocol: clauses of the engine's lines, and actions as both sides write them.
//! Reading is strict; what is read prints as the same clause. (The engine's lenient reading of a
//! bot's answers is in [`Host`](super::Host).)

use std::fmt::{self, Write};
use std::time::Duration;

use cards::{Board, Card, CardList, HoleCards};
use game::{Action, GameDef, IllegalReason, Payoff, PublicState, Turn};

/// The year whose letters are spoken. The same letter means different things in different years,
/// so the dialect must be told; it cannot be read from the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Dialect {
    /// The base engine, and that of 2023: `D` is the result of a round.
    #[default]
    Base,
    /// 2026: `A` is the result, `D` a card put away, and a bare `G` stands after the hand.
    Discard,
}

impl Dialect {
    /// The dialect of the engine whose game this is.
    pub fn of_game(def: &GameDef) -> Dialect {
        if def.discards { Dialect::Discard } else { Dialect::Base }
    }

    /// The time that a bot has for all answers of a game at the engine of that year.
    pub const fn clock(self) -> Duration {
        match self {
            Dialect::Base => super::CLOCK,
            Dialect::Discard => Duration::from_secs(60),
        }
    }

    /// The letter before a round's result.
    const fn result(self) -> char {
        match self {
            Dialect::Base => 'D',
            Dialect::Discard => 'A',
        }
    }

    /// The number of cards in a hand.
    const fn hand(self) -> usize {
        match self {
            Dialect::Base => 2,
            Dialect::Discard => 3,
        }
    }
}

/// One clause of an engine's line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clause {
    /// `T29.998`: the time that the bot has left.
    Clock(Duration),
    /// `P0`: the bot's index; a round begins.
    Index(u8),
    /// `HAs,Kd`: the bot's cards.
    Hand(HoleCards),
    /// An action of either player, the bot's own included.
    Move(Move),
    /// `B2c,8d,Th`: the whole board so far.
    Board(Board),
    /// `O7c,7d`: the other's cards, at a showdown.
    Shown(HoleCards),
    /// `D-6`: what the bot won; the round is over.
    Result(Payoff),
    /// `Q`: the game is over.
    GameOver,
    /// `D1` in [`Dialect::Discard`]: the number of a card of the hand that was put on the board.
    Discarded(u8),
    /// `G` in [`Dialect::Discard`], without a meaning of its own.
    AfterHand,
}

/// Error for text that is not a clause of the dialect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a clause of this engine{}", game::escape::excerpt(.text), .hint)]
pub struct ClauseError {
    text: String,
    hint: &'static str,
}

impl Clause {
    /// Parses a clause.
    ///
    /// # Errors
    /// When it is none of the dialect, or not as the engine writes it.
    pub fn parse(text: &str, dialect: Dialect) -> Result<Clause, ClauseError> {
        let mut letters = text.chars();
        let letter = letters.next();
        let rest = letters.as_str();
        let clause = match letter {
            Some('T') => read_clock(rest).map(Clause::Clock),
            Some('P') => match rest {
                "0" => Some(Clause::Index(0)),
                "1" => Some(Clause::Index(1)),
                _ => None,
            },
            Some('H') => cards(rest, 1..=dialect.hand()).map(Clause::Hand),
            Some('B') => cards(rest, 1..=7).map(Clause::Board),
            Some('O') => cards(rest, 1..=dialect.hand()).map(Clause::Shown),
            Some('Q') => rest.is_empty().then_some(Clause::GameOver),
            Some(letter) if letter == dialect.result() => result(rest).map(Clause::Result),
            Some('D') if dialect == Dialect::Discard => match rest {
                "0" => Some(Clause::Discarded(0)),
                "1" => Some(Clause::Discarded(1)),
                "2" => Some(Clause::Discarded(2)),
                _ => None,
            },
            Some('G') if dialect == Dialect::Discard && rest.is_empty() => Some(Clause::AfterHand),
            _ => Move::parse(text).map(Clause::Move),
        };
        clause.ok_or_else(|| {
            let hint = match (dialect, letter) {
                (Dialect::Base, Some('A' | 'N' | 'G' | 'Y' | 'Z')) => {
                    ": other years have it; only the base game is played here"
                }
                _ => "",
            };
            ClauseError { text: text.to_owned(), hint }
        })
    }

    /// Appends the clause as the engine writes it.
    pub fn write(&self, dialect: Dialect, out: &mut String) {
        match self {
            Clause::Clock(left) => write_clock(*left, out),
            Clause::Index(index) => push(out, format_args!("P{index}")),
            Clause::Hand(hand) => write_cards('H', hand, out),
            Clause::Move(action) => push(out, format_args!("{action}")),
            Clause::Board(board) => write_cards('B', board, out),
            Clause::Shown(hand) => write_cards('O', hand, out),
            Clause::Result(won) => push(out, format_args!("{}{won}", dialect.result())),
            Clause::GameOver => out.push('Q'),
            Clause::Discarded(card) => push(out, format_args!("D{card}")),
            Clause::AfterHand => out.push('G'),
        }
    }
}

fn push(out: &mut String, text: fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string cannot fail");
}

/// Appends a clock as `T`, seconds and three decimals.
pub(super) fn write_clock(left: Duration, out: &mut String) {
    let millis = left.as_millis();
    push(out, format_args!("T{}.{:03}", millis / 1000, millis % 1000));
}

fn read_clock(text: &str) -> Option<Duration> {
    let (seconds, millis) = text.split_once('.')?;
    if millis.len() != 3 {
        return None;
    }
    let (seconds, millis) = (number(seconds)?, millis_of(millis)?);
    Some(Duration::from_millis(u64::from(seconds) * 1000 + millis))
}

fn millis_of(text: &str) -> Option<u64> {
    text.bytes().all(|digit| digit.is_ascii_digit()).then(|| text.parse().ok())?
}

/// A number as the engine writes it: digits without a sign or zeros before.
fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    let plain = digits && (text == "0" || !text.starts_with('0'));
    plain.then(|| text.parse().ok())?
}

fn result(text: &str) -> Option<Payoff> {
    match text.strip_prefix('-') {
        Some(lost) => {
            let lost = number(lost).filter(|&chips| chips > 0)?;
            Some(-Payoff::from_chips(lost.into()))
        }
        None => Some(Payoff::from_chips(number(text)?.into())),
    }
}

fn cards<const N: usize>(
    text: &str,
    count: std::ops::RangeInclusive<usize>,
) -> Option<CardList<N>> {
    let mut list = CardList::EMPTY;
    for word in text.split(',') {
        let card: Card = word.parse().ok()?;
        // Ranks and suits are read in either case; the engine writes one.
        if card.to_string() != word || list.contains(&card) || !list.push(card) {
            return None;
        }
    }
    count.contains(&list.len()).then_some(list)
}

fn write_cards(letter: char, cards: &[Card], out: &mut String) {
    for (place, card) in cards.iter().enumerate() {
        out.push(if place == 0 { letter } else { ',' });
        push(out, format_args!("{card}"));
    }
}

/// An action as both sides write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// `F`
    Fold,
    /// `C`
    Call,
    /// `K`
    Check,
    /// `R6`: a raise or a bet to this total of the street.
    Raise(u32),
}

impl Move {
    /// Parses an action.
    pub fn parse(text: &str) -> Option<Move> {
        match text {
            "F" => Some(Move::Fold),
            "C" => Some(Move::Call),
            "K" => Some(Move::Check),
            _ => text.strip_prefix('R').and_then(number).map(Move::Raise),
        }
    }

    /// An action of the seat whose turn it is in this state.
    pub fn from_action(action: Action, public: &PublicState) -> Move {
        match action {
            Action::Fold => Move::Fold,
            Action::Call if public.legal().to_call == 0 => Move::Check,
            Action::Call => Move::Call,
            Action::RaiseTo(total) => Move::Raise(total.saturating_sub(public.before_street())),
        }
    }

    /// The actions of a hand in order.
    pub fn all(public: &PublicState) -> Vec<Move> {
        let mut state = PublicState::new(public.def());
        let board = public.board();
        let mut next = |action| {
            // What has been played was dealt for.
            let _ = state.deal_from(&board);
            let written = Move::from_action(action, &state);
            state.apply_unchecked(action);
            written
        };
        public.history().iter().map(|played| next(played.action)).collect()
    }

    /// The action that this is in a state.
    ///
    /// # Errors
    /// When it is not legal there, by the engine's rules: a check is legal only when nothing is
    /// owed, a call only when something is.
    pub fn action(self, public: &PublicState) -> Result<Action, MoveError> {
        let Turn::Act(_) = public.turn() else { return Err(MoveError::NobodyActs) };
        let owed = public.legal().to_call;
        let action = match self {
            Move::Fold => Action::Fold,
            Move::Check if owed > 0 => return Err(MoveError::Check { owed }),
            Move::Call if owed == 0 => return Err(MoveError::Call),
            Move::Check | Move::Call => Action::Call,
            Move::Raise(to) => Action::RaiseTo(public.before_street().saturating_add(to)),
        };
        public.clone().apply(action)?;
        Ok(action)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Fold => f.write_str("F"),
            Move::Call => f.write_str("C"),
            Move::Check => f.write_str("K"),
            Move::Raise(to) => write!(f, "R{to}"),
        }
    }
}

/// Why an action is not legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum MoveError {
    #[error("nobody is to act")]
    NobodyActs,
    #[error("{owed} chips are owed, so a check is not allowed")]
    Check { owed: u32 },
    #[error("nothing is owed, so there is nothing to call")]
    Call,
    #[error(transparent)]
    Illegal(#[from] IllegalReason),
}
