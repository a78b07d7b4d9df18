//! The engine's conversation with one bot: information sets and ends of hands in, lines out; the
//! bot's lines in, actions out. Who plays on the other side, and the rules, are the caller's.
//!
//! ```text
//! for each decision of the bot {
//!     line = host.question(hand, infoset, time left);
//!     match host.answer(answer line, infoset.public) { action, or why it is refused }
//! }
//! host.end(hand, ...);
//! while let Some(line) = host.closing(time left) { host.acknowledge(answer line) }
//! ```
//!
//! Answers are read as the original engine reads them: blanks around a line are dropped, and of
//! `F`, `C` and `K` only the first letter counts.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use cards::HoleCards;
use game::{Action, BySeat, InfoSet, Payoff, PublicState, Seat};

use super::clause::write_clock;
use super::{Clause, Dialect, Move, board_on, index_of, run_out};

/// The engine's side of a conversation with one bot.
#[derive(Debug)]
pub struct Host {
    dialect: Dialect,
    /// The clauses that the bot has not been sent, each after a blank.
    unsent: String,
    round: Option<Round>,
    /// What each question still to be asked in the finished round adds.
    closing: VecDeque<String>,
}

/// What the bot knows of the round in play.
#[derive(Debug)]
struct Round {
    hand: u64,
    seat: Seat,
    /// The number of actions and of board cards told.
    actions: usize,
    board: usize,
}

impl Host {
    /// The conversation before its first line.
    pub fn new(dialect: Dialect) -> Host {
        Host { dialect, unsent: String::new(), round: None, closing: VecDeque::new() }
    }

    /// The line that asks for a decision. Everything that has happened in the hand and has not been
    /// told is in it, also when other decisions of this seat were made by somebody else.
    pub fn question(&mut self, hand: u64, infoset: &InfoSet, left: Duration) -> String {
        let InfoSet { public, seat, hole } = infoset;
        self.tell(hand, public, *seat, *hole);
        self.tell_board(public, public.board().len());
        self.line(left)
    }

    /// Reads the answer to a question that was asked in this state.
    ///
    /// # Errors
    /// When it is not an action, or not a legal one. The original engine then checks, or folds if
    /// a check is not legal.
    pub fn answer(&self, line: &[u8], public: &PublicState) -> Result<Action, Refused> {
        let refuse = |refusal| Refused::new(line, refusal, allowed(public));
        let answer = Answer::read(line).ok_or_else(|| refuse(Refusal::Misformed))?;
        let played = match answer.kind {
            Kind::Fold => Move::Fold.action(public).ok(),
            Kind::Call => Move::Call.action(public).ok(),
            Kind::Check => Move::Check.action(public).ok(),
            Kind::Raise if public.legal().raise.is_none() => None,
            Kind::Raise => {
                let to = answer.amount().ok_or_else(|| refuse(Refusal::Misformed))?;
                let to = u32::try_from(to).ok().map(Move::Raise);
                to.and_then(|raise| raise.action(public).ok())
            }
        };
        played.ok_or_else(|| refuse(Refusal::Illegal(answer.kind.name())))
    }

    /// Takes the end of a hand: its last state, the cards that this seat may see, and its result.
    /// The questions that are still to be asked come from [`closing`](Self::closing).
    pub fn end(
        &mut self,
        hand: u64,
        public: &PublicState,
        seat: Seat,
        shown: &BySeat<HoleCards>,
        won: Payoff,
    ) {
        self.tell(hand, public, seat, shown[seat]);
        let first = index_of(public.def(), seat) == 1;
        let mut added = String::new();
        for street in run_out(public) {
            self.add(&mut added, &Clause::Board(board_on(public, street)));
            let check = Clause::Move(Move::Check);
            if first {
                self.closing.push_back(std::mem::take(&mut added));
                self.add(&mut added, &check);
                self.add(&mut added, &check);
            } else {
                self.add(&mut added, &check);
                self.closing.push_back(std::mem::take(&mut added));
                self.add(&mut added, &check);
            }
        }
        if public.is_showdown() {
            let others = shown.iter().filter(|&(other, _)| other != seat);
            for (_, &cards) in others {
                self.add(&mut added, &Clause::Shown(cards));
            }
        }
        self.add(&mut added, &Clause::Result(won));
        self.closing.push_back(added);
        self.round = None;
    }

    /// The next line of a finished round, until all have been asked. Its answer is a check.
    pub fn closing(&mut self, left: Duration) -> Option<String> {
        let added = self.closing.pop_front()?;
        self.unsent.push_str(&added);
        Some(self.line(left))
    }

    /// Reads the answer to a line of [`closing`](Self::closing), where only a check is legal.
    ///
    /// # Errors
    /// When it is not a check; nothing depends on it.
    pub fn acknowledge(&self, line: &[u8]) -> Result<(), Refused> {
        let refuse = |refusal| Err(Refused::new(line, refusal, "K".to_owned()));
        match Answer::read(line) {
            Some(Answer { kind: Kind::Check, .. }) => Ok(()),
            Some(answer) => refuse(Refusal::Illegal(answer.kind.name())),
            None => refuse(Refusal::Misformed),
        }
    }

    /// The last line of a game.
    pub const fn quit() -> &'static str {
        "Q\n"
    }

    /// Notes what the bot has not been told of the hand's beginning and actions.
    fn tell(&mut self, hand: u64, public: &PublicState, seat: Seat, hole: HoleCards) {
        let same = |round: &Round| {
            round.hand == hand && round.seat == seat && round.actions <= public.history().len()
        };
        let mut round = match self.round.take().filter(same) {
            Some(round) => round,
            None => {
                self.unsent.clear();
                self.closing.clear();
                let mut begin = String::new();
                self.add(&mut begin, &Clause::Index(index_of(public.def(), seat)));
                self.add(&mut begin, &Clause::Hand(hole));
                self.unsent = begin;
                Round { hand, seat, actions: 0, board: 0 }
            }
        };
        let from = round.actions;
        round.actions = public.history().len();
        self.round = Some(round);
        for (played, action) in public.history().iter().zip(Move::all(public)).skip(from) {
            self.tell_board(public, board_on(public, played.street).len());
            let mut text = std::mem::take(&mut self.unsent);
            self.add(&mut text, &Clause::Move(action));
            self.unsent = text;
        }
    }

    /// Notes the board up to this many cards, if the bot has not seen them.
    fn tell_board(&mut self, public: &PublicState, cards: usize) {
        let Some(round) = self.round.as_mut().filter(|round| round.board < cards) else { return };
        round.board = cards;
        let board = cards::Board::new(&public.board()[..cards]).unwrap_or_default();
        let mut text = std::mem::take(&mut self.unsent);
        self.add(&mut text, &Clause::Board(board));
        self.unsent = text;
    }

    fn add(&self, text: &mut String, clause: &Clause) {
        text.push(' ');
        clause.write(self.dialect, text);
    }

    fn line(&mut self, left: Duration) -> String {
        let mut line = String::with_capacity(self.unsent.len() + 12);
        write_clock(left, &mut line);
        line.push_str(&self.unsent);
        line.push('\n');
        self.unsent.clear();
        line
    }
}

/// The legal answers in words: `F, C, R8 to R400`.
fn allowed(public: &PublicState) -> String {
    let legal = public.legal();
    let mut words = Vec::with_capacity(3);
    if legal.fold {
        words.push("F".to_owned());
    }
    words.push(if legal.to_call == 0 { "K" } else { "C" }.to_owned());
    if let Some(raise) = legal.raise {
        let before = public.before_street();
        words.push(format!("R{} to R{}", raise.min - before, raise.max - before));
    }
    words.join(", ")
}

/// The kind of an action that an answer names by its letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Fold,
    Call,
    Check,
    Raise,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Kind::Fold => "FoldAction",
            Kind::Call => "CallAction",
            Kind::Check => "CheckAction",
            Kind::Raise => "RaiseAction",
        }
    }
}

/// An answer as the original engine reads it.
pub(super) struct Answer<'a> {
    pub(super) kind: Kind,
    rest: &'a str,
}

impl Answer<'_> {
    pub(super) fn read(line: &[u8]) -> Option<Answer<'_>> {
        let text = str::from_utf8(line).ok()?.trim();
        let (kind, rest) = [
            (Kind::Fold, text.strip_prefix('F')),
            (Kind::Call, text.strip_prefix('C')),
            (Kind::Check, text.strip_prefix('K')),
            (Kind::Raise, text.strip_prefix('R')),
        ]
        .into_iter()
        .find_map(|(kind, rest)| rest.map(|rest| (kind, rest)))?;
        Some(Answer { kind, rest })
    }

    /// The amount, as the original reads whole numbers: blanks around, a sign, and single `_`
    /// between digits are allowed. One that is too large for any raise is `i64::MAX`.
    pub(super) fn amount(&self) -> Option<i64> {
        let text = self.rest.trim();
        let (negative, digits) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let groups = digits.split('_');
        let whole = |group: &str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
        if !groups.clone().all(whole) {
            return None;
        }
        let amount = groups.collect::<String>().parse().unwrap_or(i64::MAX);
        Some(if negative { -amount } else { amount })
    }
}

/// An answer that cannot be played: what was said, and what would have been legal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it answered `{said}`, which is {refusal} here; legal: {allowed}")]
pub struct Refused {
    said: String,
    refusal: Refusal,
    allowed: String,
}

/// The kind of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// An action that is not legal, by the original engine's name for it.
    Illegal(&'static str),
    /// Not an action.
    Misformed,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::Illegal(_) => "not legal",
            Refusal::Misformed => "not an action",
        })
    }
}

impl Refused {
    fn new(line: &[u8], refusal: Refusal, allowed: String) -> Refused {
        let said = game::escape::excerpt_of(line.trim_ascii(), 80);
        Refused { said, refusal, allowed }
    }

    /// The refusal in the words of the original engine's log, after the bot's name.
    pub fn log_words(&self) -> String {
        match self.refusal {
            Refusal::Illegal(kind) => format!("attempted illegal {kind}"),
            Refusal::Misformed => format!("response misformatted: {}", self.said),
        }
    }
}
