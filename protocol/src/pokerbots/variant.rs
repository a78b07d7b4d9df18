//! Variants of single years: what they add to the base game, in one place, and the rules and the
//! conversation around it.
//!
//! A year's [`Variant`] says how many cards are dealt, what happens on each [`Stage`] of a round,
//! and what its own actions do: put a card away, bid, exchange. Betting is the same in all years
//! and is in [`Betting`]. [`Engine`] is a round with all cards and what each bot is told of it; a
//! bot's side is [`Observer`], which checks every clause by the same rules.
//!
//! `game` is not used: matches play the game of 2026 by its rules, and are compared with these.

use std::fmt;
use std::time::Duration;

use cards::{Board, Card, HandRank, HoleCards};
use game::Payoff;

use super::clause::write_clock;
use super::host::{Answer, Kind};
use super::{Clause, ClauseError, Dialect, Move};

/// The chips of each player at the beginning of a round.
const STACK: u32 = 400;

/// The blinds of the players by their index.
const BLINDS: [u32; 2] = [1, 2];

/// A part of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// So many cards are dealt to the board, and both may bet.
    Bet(usize),
    /// So many cards are dealt to the board, and the player of this index acts as only this year
    /// has it; the other acknowledges it with a check.
    Own(u8, usize),
}

/// What a year adds to the base game.
pub trait Variant {
    /// The letters of the clauses.
    const DIALECT: Dialect;
    /// The number of cards dealt to each player.
    const HAND: usize;
    /// The parts of a round in order. The first one is betting on the blinds.
    const STAGES: &'static [Stage];
    /// What stands after the hand.
    const AFTER_HAND: Option<Clause>;
    /// The name of its own action in the words of the original engine's log.
    const OWN: &'static str;

    /// Reads its own action from a bot's answer, as the original engine reads it: `None` when the
    /// answer does not begin as one, an error when it does and cannot be read.
    fn read(answer: &str) -> Option<Result<u8, ()>>;
    /// The clause of its own action.
    fn clause(action: u8) -> Clause;
    /// Its own action in a clause.
    fn from_clause(clause: &Clause) -> Option<u8>;
    /// Whether its own action can be carried out with this hand.
    fn can(action: u8, hand: &HoleCards) -> bool;
    /// Carries it out.
    fn carry_out(action: u8, hand: &mut HoleCards, board: &mut Board);
    /// The strength of a hand at a showdown.
    fn strength(hand: &HoleCards, board: &Board) -> HandRank;
}

/// An answer of a bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Act {
    /// An action of betting; a check also acknowledges.
    Bet(Move),
    /// The year's own action.
    Own(u8),
}

/// What the player whose turn it is may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Bet.
    Bets {
        /// Chips owed.
        owed: u32,
        /// The least and the most that may be raised to on this street.
        raise: Option<(u32, u32)>,
    },
    /// Act as only this year has it.
    Own,
    /// Acknowledge with a check.
    Check,
}

/// Why an answer is not played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the variants are")]
pub enum NotPlayed {
    #[error("the round is over")]
    Over,
    #[error("it is not an action")]
    Misformed,
    #[error("it is not legal now")]
    Illegal,
}

/// The betting of a round, and where it is: what both players know but the cards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Betting {
    stages: &'static [Stage],
    stage: usize,
    /// The number of actions on this stage, as the original engine counts its button.
    acted: u32,
    /// Chips put in on this street, and those behind, by index.
    street: [u32; 2],
    behind: [u32; 2],
    /// Who has folded.
    folded: Option<u8>,
    over: bool,
}

impl Betting {
    /// A round before its first action.
    fn new(stages: &'static [Stage]) -> Betting {
        let behind = BLINDS.map(|blind| STACK - blind);
        let over = stages.is_empty();
        Betting { stages, stage: 0, acted: 0, street: BLINDS, behind, folded: None, over }
    }

    /// The stage; the last one when the round is over.
    pub fn stage(&self) -> Stage {
        self.stages.get(self.stage).copied().unwrap_or(Stage::Bet(0))
    }

    /// The index of the player whose turn it is, and what it is asked.
    pub fn turn(&self) -> Option<(u8, Asked)> {
        if self.over {
            return None;
        }
        let index = match self.stage() {
            // The big blind is first on all streets but the first one.
            Stage::Bet(_) if self.stage == 0 => (self.acted % 2) as u8,
            Stage::Bet(_) => 1 - (self.acted % 2) as u8,
            Stage::Own(index, _) if self.acted == 0 => return Some((index, Asked::Own)),
            Stage::Own(index, _) => return Some((1 - index, Asked::Check)),
        };
        let (own, other) = (usize::from(index), 1 - usize::from(index));
        let owed = self.street[other].saturating_sub(self.street[own]);
        let closed = self.behind[other] == 0 || owed >= self.behind[own];
        let most = self.behind[own].min(self.behind[other].saturating_add(owed));
        let least = most.min(owed + owed.max(BLINDS[1]));
        let raise = (!closed).then(|| (self.street[own] + least, self.street[own] + most));
        Some((index, Asked::Bets { owed, raise }))
    }

    /// Chips that a player has put in.
    pub fn paid(&self, index: u8) -> u32 {
        STACK - self.behind[usize::from(index)]
    }

    /// Whether the round is over.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Whether cards decide.
    pub fn is_showdown(&self) -> bool {
        self.over && self.folded.is_none()
    }

    /// Plays an answer; returns whether a new stage has begun with it. Whether the year's own
    /// action can be carried out, the cards say.
    ///
    /// # Errors
    /// When it is not legal; nothing changes then.
    pub fn play(&mut self, act: Act) -> Result<bool, NotPlayed> {
        let (index, asked) = self.turn().ok_or(NotPlayed::Over)?;
        let (own, other) = (usize::from(index), 1 - usize::from(index));
        match (asked, act) {
            (Asked::Own, Act::Own(_)) => {
                self.acted += 1;
                return Ok(false);
            }
            (Asked::Check, Act::Bet(Move::Check)) => return Ok(self.next_stage()),
            // Also where nothing is owed.
            (Asked::Bets { .. }, Act::Bet(Move::Fold)) => {
                self.folded = Some(index);
                self.over = true;
                return Ok(false);
            }
            (Asked::Bets { owed: 0, .. }, Act::Bet(Move::Check)) => {}
            (Asked::Bets { owed, .. }, Act::Bet(Move::Call)) if owed > 0 => {
                self.pay(own, owed);
                // The small blind's first call lets the big blind act.
                if self.stage > 0 || self.acted > 0 {
                    return Ok(self.next_stage());
                }
            }
            (Asked::Bets { raise: Some((least, most)), .. }, Act::Bet(Move::Raise(to)))
                if (least..=most).contains(&to) =>
            {
                self.pay(own, to - self.street[own]);
            }
            _ => return Err(NotPlayed::Illegal),
        }
        let even = self.street[own] == self.street[other];
        self.acted += 1;
        if even && self.acted > 1 {
            return Ok(self.next_stage());
        }
        Ok(false)
    }

    fn pay(&mut self, own: usize, chips: u32) {
        let chips = chips.min(self.behind[own]);
        self.behind[own] -= chips;
        self.street[own] += chips;
    }

    fn next_stage(&mut self) -> bool {
        (self.acted, self.street) = (0, [0, 0]);
        self.stage += 1;
        self.over = self.stage >= self.stages.len();
        !self.over
    }

    /// What the players win, if the one with this index wins the showdown; `None` for a tie.
    fn result(&self, winner: Option<u8>) -> [i64; 2] {
        let winner = self.folded.map(|index| 1 - index).or(winner);
        match winner {
            None => [0, 0],
            Some(0) => [i64::from(self.paid(1)), -i64::from(self.paid(1))],
            Some(_) => [-i64::from(self.paid(0)), i64::from(self.paid(0))],
        }
    }
}

/// A round with all cards, and what each bot has not been told of it: the engine's side.
#[derive(Debug)]
pub struct Engine<V: Variant> {
    betting: Betting,
    hands: [HoleCards; 2],
    board: Board,
    /// Cards to come.
    deck: Vec<Card>,
    unsent: [String; 2],
    variant: std::marker::PhantomData<V>,
}

/// Error for cards that are no deal of the variant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a deal has {expected} different cards: those of the first hand, of the second, the board's"
)]
pub struct DealError {
    expected: usize,
}

impl<V: Variant> Engine<V> {
    /// The number of cards of a deal: both hands', and those dealt to the board.
    pub fn cards() -> usize {
        let dealt = |stage: &Stage| match stage {
            Stage::Bet(cards) | Stage::Own(_, cards) => *cards,
        };
        2 * V::HAND + V::STAGES.iter().map(dealt).sum::<usize>()
    }

    /// A round with these cards: the first hand, which is the small blind's, the second, and the
    /// board in order.
    ///
    /// # Errors
    /// When they are too few, too many, or not different.
    pub fn new(cards: &[Card]) -> Result<Engine<V>, DealError> {
        let error = DealError { expected: Self::cards() };
        let twice = |(place, card): (usize, &Card)| cards[..place].contains(card);
        if cards.len() != error.expected || cards.iter().enumerate().any(twice) {
            return Err(error);
        }
        let (first, rest) = cards.split_at(V::HAND);
        let (second, deck) = rest.split_at(V::HAND);
        let hand = |cards| HoleCards::new(cards).ok_or_else(|| error.clone());
        let hands = [hand(first)?, hand(second)?];
        let betting = Betting::new(V::STAGES);
        let (deck, board) = (deck.to_vec(), Board::default());
        let unsent = [String::new(), String::new()];
        let variant = std::marker::PhantomData;
        let mut engine = Engine { betting, hands, board, deck, unsent, variant };
        for index in [0, 1] {
            let hand = engine.hands[usize::from(index)];
            let begin = [Some(Clause::Index(index)), Some(Clause::Hand(hand)), V::AFTER_HAND];
            begin.into_iter().flatten().for_each(|clause| engine.tell(index, &clause));
        }
        Ok(engine)
    }

    /// The betting.
    pub fn betting(&self) -> &Betting {
        &self.betting
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The hand of a player as it is now.
    pub fn hand(&self, index: u8) -> &HoleCards {
        &self.hands[usize::from(index)]
    }

    /// The line for a player: the clock, and all that it has not been told. At the end of a round
    /// it is acknowledged with a check.
    pub fn line(&mut self, index: u8, left: Duration) -> String {
        let mut line = String::new();
        write_clock(left, &mut line);
        line.push_str(&std::mem::take(&mut self.unsent[usize::from(index)]));
        line.push('\n');
        line
    }

    /// Plays the answer of the player whose turn it is. One that is not legal is replaced, as the
    /// original engine does: by a check where that is legal, otherwise by a fold; then the error is
    /// why.
    ///
    /// # Errors
    /// When another action was played in its place, or the round is over.
    pub fn answer(&mut self, line: &[u8]) -> Result<(), NotPlayed> {
        let (index, asked) = self.betting.turn().ok_or(NotPlayed::Over)?;
        let played = self.read(line, index).and_then(|act| self.play(act));
        let Err(error) = played else { return Ok(()) };
        let checks = matches!(asked, Asked::Check | Asked::Bets { owed: 0, .. });
        let replaced = if checks { Move::Check } else { Move::Fold };
        if asked == Asked::Own {
            // The original engine folds for a bot that does not act, which no rule else allows.
            self.betting.folded = Some(index);
            self.betting.over = true;
            self.tell_both(&Clause::Move(Move::Fold));
            self.finish();
        } else {
            self.play(Act::Bet(replaced))?;
        }
        Err(error)
    }

    fn read(&self, line: &[u8], index: u8) -> Result<Act, NotPlayed> {
        let text = str::from_utf8(line).map_err(|_| NotPlayed::Misformed)?.trim();
        if let Some(own) = V::read(text) {
            let own = own.map_err(|()| NotPlayed::Misformed)?;
            return match V::can(own, self.hand(index)) {
                true => Ok(Act::Own(own)),
                false => Err(NotPlayed::Illegal),
            };
        }
        let answer = Answer::read(line).ok_or(NotPlayed::Misformed)?;
        Ok(Act::Bet(match answer.kind {
            Kind::Fold => Move::Fold,
            Kind::Call => Move::Call,
            Kind::Check => Move::Check,
            Kind::Raise => {
                let to = answer.amount().ok_or(NotPlayed::Misformed)?;
                Move::Raise(u32::try_from(to).map_err(|_| NotPlayed::Illegal)?)
            }
        }))
    }

    fn play(&mut self, act: Act) -> Result<(), NotPlayed> {
        let (index, _) = self.betting.turn().ok_or(NotPlayed::Over)?;
        let begun = self.betting.play(act)?;
        match act {
            Act::Bet(action) => self.tell_both(&Clause::Move(action)),
            Act::Own(own) => {
                V::carry_out(own, &mut self.hands[usize::from(index)], &mut self.board);
                self.tell_both(&V::clause(own));
            }
        }
        if begun {
            let (Stage::Bet(count) | Stage::Own(_, count)) = self.betting.stage();
            for card in self.deck.drain(..count.min(self.deck.len())).collect::<Vec<_>>() {
                self.board.push(card);
            }
            self.tell_both(&Clause::Board(self.board));
        }
        self.finish();
        Ok(())
    }

    /// Tells the end of a round that is over.
    fn finish(&mut self) {
        let Some(result) = self.result() else { return };
        for index in [0, 1] {
            if self.betting.is_showdown() {
                let other = *self.hand(1 - index);
                self.tell(index, &Clause::Shown(other));
            }
            let chips = result[usize::from(index)];
            self.tell(index, &Clause::Result(Payoff::from_chips(chips)));
        }
    }

    /// What the players have won, when the round is over.
    pub fn result(&self) -> Option<[i64; 2]> {
        self.betting.is_over().then(|| {
            let strength = |index: usize| V::strength(&self.hands[index], &self.board);
            let winner = match strength(0).cmp(&strength(1)) {
                std::cmp::Ordering::Greater => Some(0),
                std::cmp::Ordering::Less => Some(1),
                std::cmp::Ordering::Equal => None,
            };
            self.betting.result(winner)
        })
    }

    fn tell(&mut self, index: u8, clause: &Clause) {
        let text = &mut self.unsent[usize::from(index)];
        text.push(' ');
        clause.write(V::DIALECT, text);
    }

    fn tell_both(&mut self, clause: &Clause) {
        [0, 1].into_iter().for_each(|index| self.tell(index, clause));
    }
}

/// A round as a bot sees it: the engine's lines in, what is asked out. Every clause is checked.
#[derive(Debug)]
pub struct Observer<V: Variant> {
    round: Option<Seen>,
    variant: std::marker::PhantomData<V>,
}

/// What a bot knows of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Its index.
    pub index: u8,
    /// Its hand.
    pub hand: HoleCards,
    /// The board.
    pub board: Board,
    /// The betting.
    pub betting: Betting,
    /// The other's hand, after a showdown.
    pub shown: Option<HoleCards>,
    /// What it has won, when the round is over.
    pub won: Option<Payoff>,
    /// Whether the board is to be told next.
    board_due: bool,
}

/// Error in a line of the engine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum ObserverError {
    #[error(transparent)]
    Clause(#[from] ClauseError),
    #[error("`{clause}` came out of turn")]
    OutOfTurn { clause: String },
    #[error("`{clause}`: {reason}")]
    Rules { clause: String, reason: NotPlayed },
    #[error("it asks another player, or for nothing")]
    NotAsked,
}

/// What a line asks of a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// To act; the answer is one that [`Betting::turn`] allows.
    Act(Asked),
    /// To acknowledge the end of the round with a check.
    Acknowledge,
    /// Nothing: the game is over.
    GameOver,
}

impl<V: Variant> Default for Observer<V> {
    fn default() -> Observer<V> {
        Observer { round: None, variant: std::marker::PhantomData }
    }
}

impl<V: Variant> Observer<V> {
    /// The round in play, or the one that is over, from its first line on.
    pub fn round(&self) -> Option<&Seen> {
        self.round.as_ref()
    }

    /// Takes in a line.
    ///
    /// # Errors
    /// When it breaks the protocol or the rules.
    pub fn line(&mut self, line: &str) -> Result<Question, ObserverError> {
        let mut index = None;
        for (place, word) in line.trim_end().split(' ').enumerate() {
            let clause = Clause::parse(word, V::DIALECT)?;
            let out_of_turn = || ObserverError::OutOfTurn { clause: word.to_owned() };
            match (&clause, place) {
                (Clause::GameOver, 0) => return Ok(Question::GameOver),
                (Clause::Clock(_), 0) => continue,
                (_, 0) | (Clause::Clock(_) | Clause::GameOver, _) => return Err(out_of_turn()),
                (Clause::Index(new), _) => {
                    if self.round.as_ref().is_some_and(|round| round.won.is_none()) {
                        return Err(out_of_turn());
                    }
                    index = Some(*new);
                    continue;
                }
                (Clause::Hand(hand), _) => {
                    let index = index.take().ok_or_else(out_of_turn)?;
                    if hand.len() != V::HAND {
                        return Err(out_of_turn());
                    }
                    self.round = Some(Seen::new::<V>(index, *hand));
                    continue;
                }
                _ => {}
            }
            let round = self.round.as_mut().filter(|round| round.won.is_none() && index.is_none());
            let round = round.ok_or_else(out_of_turn)?;
            round.take::<V>(&clause, word)?;
        }
        let round = self.round.as_ref().ok_or(ObserverError::NotAsked)?;
        match round.betting.turn() {
            _ if round.won.is_some() => Ok(Question::Acknowledge),
            Some((turn, asked)) if turn == round.index && !round.board_due => {
                Ok(Question::Act(asked))
            }
            _ => Err(ObserverError::NotAsked),
        }
    }
}

impl Seen {
    fn new<V: Variant>(index: u8, hand: HoleCards) -> Seen {
        let (board, betting) = (Board::default(), Betting::new(V::STAGES));
        Seen { index, hand, board, betting, shown: None, won: None, board_due: false }
    }

    fn take<V: Variant>(&mut self, clause: &Clause, word: &str) -> Result<(), ObserverError> {
        let out_of_turn = || ObserverError::OutOfTurn { clause: word.to_owned() };
        let rules = |reason| ObserverError::Rules { clause: word.to_owned(), reason };
        match clause {
            Clause::Board(board) if self.board_due => {
                if !board.starts_with(&self.board) {
                    return Err(out_of_turn());
                }
                (self.board, self.board_due) = (*board, false);
            }
            _ if self.board_due => return Err(out_of_turn()),
            Clause::Shown(hand) if self.betting.is_showdown() && self.shown.is_none() => {
                self.shown = Some(*hand);
            }
            Clause::Result(won) if self.betting.is_over() => {
                if self.shown.is_some() != self.betting.is_showdown() {
                    return Err(out_of_turn());
                }
                self.won = Some(*won);
            }
            clause if Some(clause) == V::AFTER_HAND.as_ref() => {}
            Clause::Move(action) => {
                let folds_for =
                    *action == Move::Fold && matches!(self.betting.turn(), Some((_, Asked::Own)));
                if folds_for {
                    // As the engine does for a bot that has not acted.
                    self.betting.folded = self.betting.turn().map(|(index, _)| index);
                    self.betting.over = true;
                    return Ok(());
                }
                self.board_due = self.betting.play(Act::Bet(*action)).map_err(rules)?;
            }
            clause => {
                let own = V::from_clause(clause).ok_or_else(out_of_turn)?;
                let index = self.betting.turn().map(|(index, _)| index);
                self.betting.play(Act::Own(own)).map_err(rules)?;
                if index == Some(self.index) {
                    if !V::can(own, &self.hand) {
                        return Err(rules(NotPlayed::Illegal));
                    }
                    V::carry_out(own, &mut self.hand, &mut self.board);
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Act::Bet(action) => write!(f, "{action}"),
            Act::Own(number) => write!(f, "{number}"),
        }
    }
}
