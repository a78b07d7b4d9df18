//! The engine's conversation with one bot: information sets and ends of hands in, lines out; the
//! bot's lines in, actions out. Who plays on the other side, and the rules, are the caller's.
//!
//! ```text
//! for each decision of the bot {
//!     while let Some(line) = host.before_question(...) { host.acknowledge(answer line) }
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

use cards::{Board, HoleCards};
use game::{Action, BySeat, InfoSet, Payoff, PublicState, Seat, Street};

use super::clause::write_clock;
use super::{Clause, Dialect, Move, board_on, index_of, kept, run_out};

/// The name of a discard in the words of the engine of 2026.
const DISCARD: &str = "DiscardAction";

/// The engine's side of a conversation with one bot.
#[derive(Debug)]
pub struct Host {
    dialect: Dialect,
    /// The clauses that the bot has not been sent, each after a blank.
    unsent: String,
    /// The hand and seat of the round in play.
    round: Option<(u64, Seat)>,
    /// The number of the round's pieces that are over.
    past: usize,
    /// The pieces of the round so far that are to come.
    to_come: VecDeque<Piece>,
}

/// A piece of a round as one bot sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    /// It is told this.
    Told(Clause),
    /// It is asked for a check here, which decides nothing.
    Check,
}

impl Host {
    /// The conversation before its first line.
    pub fn new(dialect: Dialect) -> Host {
        let (unsent, to_come) = (String::new(), VecDeque::new());
        Host { dialect, unsent, round: None, past: 0, to_come }
    }

    /// The line that asks for a decision, or for a card to put on the board. Everything that has
    /// happened in the hand and has not been told is in it, also when other decisions of this seat
    /// were made by somebody else.
    pub fn question(&mut self, hand: u64, infoset: &InfoSet, left: Duration) -> String {
        let InfoSet { public, seat, hole } = infoset;
        self.take(hand, public, *seat, *hole, None);
        while self.tell() {}
        self.line(left)
    }

    /// The next line that asks for a check before the question can be asked, until there is none:
    /// that the other has put a card on the board is acknowledged. To be called before
    /// [`question`](Self::question); its answer is one for [`acknowledge`](Self::acknowledge).
    pub fn before_question(
        &mut self,
        hand: u64,
        infoset: &InfoSet,
        left: Duration,
    ) -> Option<String> {
        let InfoSet { public, seat, hole } = infoset;
        self.take(hand, public, *seat, *hole, None);
        self.tell().then(|| self.line(left))
    }

    /// Reads the answer to a question that was asked in this state.
    ///
    /// # Errors
    /// When it is not an action, or not a legal one. The original engine then checks, or folds if
    /// a check is not legal.
    pub fn answer(&self, line: &[u8], public: &PublicState) -> Result<Action, Refused> {
        let refuse = |refusal| Refused::new(line, refusal, allowed(public));
        if self.dialect == Dialect::Discard && matches!(discard_in(line), Some(Ok(_))) {
            return Err(refuse(Refusal::Illegal(DISCARD)));
        }
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

    /// Reads the answer of a bot that is to put a card on the board: the card's place in its hand.
    ///
    /// # Errors
    /// When it names none. The original engine then folds.
    pub fn discard(&self, line: &[u8], hole: &HoleCards) -> Result<u8, Refused> {
        let most = hole.len().saturating_sub(1);
        let refuse = |refusal| Err(Refused::new(line, refusal, format!("D0 to D{most}")));
        match (discard_in(line), Answer::read(line)) {
            (Some(Ok(place)), _) if usize::from(place) <= most => Ok(place),
            (Some(Ok(_)), _) => refuse(Refusal::Illegal(DISCARD)),
            (None, Some(answer)) => refuse(Refusal::Illegal(answer.kind.name())),
            (Some(Err(())) | None, _) => refuse(Refusal::Misformed),
        }
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
        self.take(hand, public, seat, shown[seat], Some((shown, won)));
        self.round = None;
    }

    /// The next line of a finished round, until all have been asked. Its answer is a check.
    pub fn closing(&mut self, left: Duration) -> Option<String> {
        self.tell().then(|| self.line(left))
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

    /// Takes in a state of a round: what comes after the pieces that are over.
    fn take(
        &mut self,
        hand: u64,
        public: &PublicState,
        seat: Seat,
        hole: HoleCards,
        end: Option<(&BySeat<HoleCards>, Payoff)>,
    ) {
        let pieces = pieces(self.dialect, public, seat, hole, end);
        if self.round != Some((hand, seat)) || self.past > pieces.len() {
            self.round = Some((hand, seat));
            self.unsent.clear();
            self.past = 0;
        }
        self.to_come = pieces.into_iter().skip(self.past).collect();
    }

    /// Adds what is to be told up to the next check that is asked for; `false` without one.
    fn tell(&mut self) -> bool {
        while let Some(piece) = self.to_come.pop_front() {
            self.past += 1;
            match piece {
                Piece::Told(clause) => {
                    self.unsent.push(' ');
                    clause.write(self.dialect, &mut self.unsent);
                }
                Piece::Check => return true,
            }
        }
        false
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

/// The round so far, or with its end, as the bot in this seat sees it.
fn pieces(
    dialect: Dialect,
    public: &PublicState,
    seat: Seat,
    hole: HoleCards,
    end: Option<(&BySeat<HoleCards>, Payoff)>,
) -> Vec<Piece> {
    let index = index_of(public.def(), seat);
    let told = Piece::Told;
    let check = || told(Clause::Move(Move::Check));
    let mut pieces = vec![told(Clause::Index(index)), told(Clause::Hand(hole))];
    if dialect == Dialect::Discard {
        pieces.push(told(Clause::AfterHand));
    }
    let runs_out: Vec<Street> = if end.is_some() { run_out(public).collect() } else { Vec::new() };
    let mut moves = public.history().iter().zip(Move::all(public)).peekable();
    for street in Street::ALL.into_iter().filter(|&street| street <= public.street()) {
        let board = board_on(public, street);
        if street == Street::Flop && public.def().discards {
            let dealt = public.def().board_len(street) - 2;
            let part = |cards: usize| board.get(..cards).and_then(Board::new);
            pieces.extend(part(dealt).map(|board| told(Clause::Board(board))));
            // The big blind puts a card there first; the other one acknowledges it with a check.
            for (put, place) in [(1, 0), (0, 1)] {
                let Some(whole) = part(dealt + place + 1) else { break };
                let card = public.discarded()[place].unwrap_or_default();
                pieces.push(told(Clause::Discarded(card)));
                pieces.extend((index != put).then_some(Piece::Check));
                pieces.extend([check(), told(Clause::Board(whole))]);
            }
        } else if street > Street::Preflop {
            pieces.push(told(Clause::Board(board)));
        }
        while let Some((_, played)) = moves.next_if(|(played, _)| played.street == street) {
            pieces.push(told(Clause::Move(played)));
        }
        if runs_out.contains(&street) {
            // The big blind is asked first.
            for asked in [1, 0] {
                pieces.extend((index == asked).then_some(Piece::Check));
                pieces.push(check());
            }
        }
    }
    let Some((shown, won)) = end else { return pieces };
    if public.is_showdown() {
        for (_, cards) in shown.iter().filter(|&(other, _)| other != seat) {
            pieces.push(told(Clause::Shown(kept(cards, public))));
        }
    }
    pieces.extend([told(Clause::Result(won)), Piece::Check]);
    pieces
}

/// The place of a card that an answer puts on the board: `None` when it does not begin as one that
/// does, an error when it does and cannot be read.
fn discard_in(line: &[u8]) -> Option<Result<u8, ()>> {
    let place = str::from_utf8(line).ok()?.trim().strip_prefix('D')?;
    Some(place.trim().parse().map_err(|_| ()))
}

/// The legal answers in words: `F, C, R8 to R400`.
fn allowed(public: &PublicState) -> String {
    let legal = public.legal();
    let mut words = Vec::with_capacity(3);
    if legal.fold || public.def().discards {
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
enum Kind {
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
struct Answer<'a> {
    kind: Kind,
    rest: &'a str,
}

impl Answer<'_> {
    fn read(line: &[u8]) -> Option<Answer<'_>> {
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
    fn amount(&self) -> Option<i64> {
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
