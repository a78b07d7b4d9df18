//! The bot's side of the protocol: the engine's bytes in, events out; actions in, bytes out.
//!
//! Every clause is checked against the rules: whose turn it is, which cards are due, what a round
//! pays. Lines that ask for nothing but a check (the result of a round, the streets after an
//! all-in) are answered here.

use std::sync::Arc;
use std::time::Duration;

use cards::{Board, Card, HoleCards};
use game::{Action, BySeat, GameDef, InfoSet, Payoff, PublicState, Seat, Street, Turn};

use super::{Clause, Dialect, Move, index_of};
use crate::ActError;
use crate::acpc::{Lines, shorten};

/// Maximum length of a line from an engine, in bytes with its end.
pub const MAX_ENGINE_LINE: usize = 65_536;

/// An event of the game, parsed from the engine's bytes.
#[derive(Debug, Clone)]
pub enum Event {
    /// It is this player's turn: answer with [`Player::act`].
    Turn {
        /// The round's number, from 0.
        hand: u32,
        /// The player's information set.
        infoset: InfoSet,
        /// The time left for all answers of the game.
        left: Duration,
    },
    /// This player is to put a card of its hand on the board: answer with [`Player::discard`].
    Discard {
        /// The round's number, from 0.
        hand: u32,
        /// The player's information set.
        infoset: InfoSet,
        /// The time left for all answers of the game.
        left: Duration,
    },
    /// A round is over.
    HandOver(Finished),
    /// The game is over, as the engine says.
    GameOver,
}

/// A round that is over.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The round's number, from 0.
    pub hand: u32,
    /// The final public state.
    pub public: PublicState,
    /// This player's seat.
    pub seat: Seat,
    /// The cards this player has seen: its own, and the other's at a showdown.
    pub hole: BySeat<HoleCards>,
    /// The payoff of each seat.
    pub payoffs: BySeat<Payoff>,
}

/// Error in the engine's bytes. Every error is final for the state machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the engine {0}")]
pub struct PlayerError(String);

/// The bot's state machine: bytes in, events out; actions in, bytes out. It is driven as
/// [`acpc::Player`](crate::acpc::Player) is, and sends nothing before it is asked.
#[derive(Debug)]
pub struct Player {
    def: Arc<GameDef>,
    dialect: Dialect,
    lines: Lines,
    out: Vec<u8>,
    round: Option<Round>,
    /// The number of rounds begun.
    rounds: u32,
    /// Whether a decision is asked for.
    asked: bool,
    game_over: bool,
    failed: Option<PlayerError>,
}

/// The round in play, as far as the player knows it.
#[derive(Debug)]
struct Round {
    public: PublicState,
    seat: Seat,
    hole: BySeat<HoleCards>,
    /// The checks on the street since nobody can act any more.
    checks: u8,
    shown: bool,
    /// Whether what stands after the hand is to come.
    mark_due: bool,
    /// The place in the hand of a card that is put on the board, and whether that was acknowledged.
    put: Option<(u8, bool)>,
}

/// What a line asks for at its end.
enum Asked {
    Decision,
    Discard,
    Check,
    Over(Payoff),
}

impl Player {
    /// A player of this game, for two, before the first line.
    pub fn new(def: Arc<GameDef>, dialect: Dialect) -> Player {
        Player {
            def,
            dialect,
            lines: Lines::new(MAX_ENGINE_LINE),
            out: Vec::new(),
            round: None,
            rounds: 0,
            asked: false,
            game_over: false,
            failed: None,
        }
    }

    /// Feeds bytes received from the engine.
    pub fn receive(&mut self, bytes: &[u8]) {
        if self.failed.is_none() {
            self.lines.push(bytes);
        }
    }

    /// Marks the end of the engine's stream.
    pub fn end(&mut self) {
        self.lines.end();
    }

    /// The next event, `None` until more bytes come. After an error every later call returns it
    /// again.
    ///
    /// # Errors
    /// When the engine breaks the protocol or the rules, or closes before it says that the game is
    /// over.
    pub fn poll_event(&mut self) -> Result<Option<Event>, PlayerError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let event = self.next_event();
        if let Err(error) = &event {
            self.failed = Some(error.clone());
        }
        event
    }

    fn next_event(&mut self) -> Result<Option<Event>, PlayerError> {
        while !self.game_over {
            let Some(line) = self.lines.next_line() else {
                if !self.lines.has_ended() {
                    return Ok(None);
                }
                let place = match (&self.round, self.rounds) {
                    (Some(_), rounds) => format!("in the middle of round {rounds}"),
                    (None, 0) => "before the first round".to_owned(),
                    (None, rounds) => format!("after round {rounds} without a `Q`"),
                };
                return Err(PlayerError(format!("closed the connection {place}")));
            };
            let start = shorten(line);
            let said = |reason: String| PlayerError(format!("sent `{start}`: {reason}"));
            if line.last() != Some(&b'\n') {
                return Err(PlayerError(if line.len() == MAX_ENGINE_LINE {
                    format!(
                        "sent more than {MAX_ENGINE_LINE} bytes without an end of line, beginning \
                         with `{start}`"
                    )
                } else {
                    format!("closed the connection in the middle of a line, after `{start}`")
                }));
            }
            if self.asked {
                return Err(said("the question before has not been answered".to_owned()));
            }
            let text = str::from_utf8(line.trim_ascii_end());
            let text = text.map_err(|_| said("it is not text".to_owned()))?.to_owned();
            if let Some(event) = self.line(&text).map_err(said)? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// Takes in a line, and answers it if it asks for a check.
    fn line(&mut self, text: &str) -> Result<Option<Event>, String> {
        let mut left = None;
        let mut over = None;
        for (place, word) in text.split(' ').enumerate() {
            let clause = Clause::parse(word, self.dialect).map_err(|error| error.to_string())?;
            let expected = |what: &str| Err(format!("`{word}` came instead of {what}"));
            if over.is_some() {
                return expected("the end of the line");
            }
            match (&clause, &mut self.round) {
                (Clause::GameOver, None) if place == 0 => {
                    self.game_over = true;
                    // Whatever follows in the line is an error.
                    left = Some(Duration::ZERO);
                }
                (_, _) if self.game_over => return expected("the end of the line"),
                (Clause::Clock(time), _) if place == 0 => left = Some(*time),
                _ if place == 0 => return expected("the clock, `T`"),
                (Clause::Index(index), None) => {
                    self.round = Some(Round::new(&self.def, *index)?);
                    self.rounds = self.rounds.saturating_add(1);
                }
                (_, None) => return expected("an index, which begins a round"),
                (_, Some(round)) => over = round.take(&clause, word)?,
            }
        }
        if self.game_over {
            return Ok(Some(Event::GameOver));
        }
        let left = left.ok_or("it is empty")?;
        let hand = self.rounds.saturating_sub(1);
        let asked = match &self.round {
            None => return Err("it asks for nothing".to_owned()),
            Some(round) => match over {
                Some(won) => Asked::Over(won),
                None => round.asked()?,
            },
        };
        match asked {
            Asked::Check => {
                self.out.extend_from_slice(b"K\n");
                Ok(None)
            }
            Asked::Over(won) => {
                self.out.extend_from_slice(b"K\n");
                let Some(round) = self.round.take() else { return Ok(None) };
                round.finish(hand, won).map(|finished| Some(Event::HandOver(finished)))
            }
            Asked::Decision | Asked::Discard => {
                self.asked = true;
                let Some(round) = &self.round else { return Ok(None) };
                let (public, seat, hole) = (round.public.clone(), round.seat, round.hole);
                let infoset = InfoSet { public, seat, hole: hole[seat] };
                Ok(Some(match asked {
                    Asked::Discard => Event::Discard { hand, infoset, left },
                    _ => Event::Turn { hand, infoset, left },
                }))
            }
        }
    }

    /// Answers the turn reported last.
    ///
    /// # Errors
    /// When no decision is asked for, or the action is not legal; nothing changes then.
    pub fn act(&mut self, action: Action) -> Result<(), ActError> {
        let acts = |round: &&Round| self.asked && round.public.discarding().is_none();
        let Some(round) = self.round.as_ref().filter(acts) else {
            return Err(ActError::NotOurTurn);
        };
        round.public.clone().apply(action)?;
        let text = Move::from_action(action, &round.public).to_string() + "\n";
        self.out.extend_from_slice(text.as_bytes());
        self.asked = false;
        Ok(())
    }

    /// Answers the discard reported last with the place of a card in the hand.
    ///
    /// # Errors
    /// When no discard is asked for, or there is no such card; nothing changes then.
    pub fn discard(&mut self, place: u8) -> Result<(), ActError> {
        let due = |round: &&Round| {
            let held = usize::from(place) < round.hole[round.seat].len();
            held && round.public.discarding() == Some(round.seat)
        };
        if !self.asked || self.round.as_ref().filter(due).is_none() {
            return Err(ActError::NotOurTurn);
        }
        self.out.extend_from_slice(format!("D{place}\n").as_bytes());
        self.asked = false;
        Ok(())
    }

    /// Bytes to send to the engine now; empty when there are none.
    pub fn poll_transmit(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }
}

impl Round {
    fn new(def: &Arc<GameDef>, index: u8) -> Result<Round, String> {
        let seat = def.seats().find(|&seat| index_of(def, seat) == index);
        Ok(Round {
            public: PublicState::new(def),
            seat: seat.ok_or("the game has no such index")?,
            hole: BySeat::new(def.players),
            checks: 0,
            shown: false,
            mark_due: false,
            put: None,
        })
    }

    /// The other player's seat.
    fn other(&self) -> Option<Seat> {
        self.public.def().seats().find(|&seat| seat != self.seat)
    }

    /// Whether nobody can act any more, because of an all-in.
    fn runs_out(&self) -> bool {
        let folded = !self.public.folded().is_empty();
        !folded && self.public.able().len() < 2 && !matches!(self.public.turn(), Turn::Act(_))
    }

    /// Takes in a clause; returns the player's result if the round is over with it.
    fn take(&mut self, clause: &Clause, word: &str) -> Result<Option<Payoff>, String> {
        let expected = |what: &str| Err(format!("`{word}` came instead of {what}"));
        if let Clause::Hand(cards) = clause {
            if !self.hole[self.seat].is_empty() {
                return expected("an action: the hand is known");
            }
            self.hold(self.seat, *cards)?;
            self.mark_due = self.public.def().discards;
            return Ok(None);
        }
        if self.hole[self.seat].is_empty() {
            return expected("the hand, `H`");
        }
        if std::mem::take(&mut self.mark_due) {
            return match clause {
                Clause::AfterHand => Ok(None),
                _ => expected("`G`"),
            };
        }
        if let Some(seat) = self.public.discarding() {
            return self.take_discard(seat, clause, word).map(|()| None);
        }
        let over = self.public.turn() == Turn::Over;
        let checks_due = self.runs_out() && self.runs_on_board() && self.checks < 2;
        match clause {
            Clause::Move(Move::Check) if checks_due => self.checks += 1,
            Clause::Move(Move::Fold) if checks_due && self.public.def().discards => {
                // The big blind is asked first.
                let index = u8::from(self.checks == 0);
                let def = Arc::clone(self.public.def());
                let seat = def.seats().find(|&seat| index_of(&def, seat) == index);
                let seat = seat.ok_or("nobody has this index")?;
                self.public.concede(seat).map_err(|error| error.to_string())?;
            }
            _ if checks_due => return expected("a check: nobody can bet any more"),
            Clause::Move(action) => {
                let action = action.action(&self.public).map_err(|e| format!("`{word}`: {e}"))?;
                self.public.apply(action).map_err(|error| error.to_string())?;
            }
            Clause::Board(board) => self.deal(board, word)?,
            Clause::Shown(cards) if over && self.public.is_showdown() && !self.shown => {
                let other = self.other().ok_or("nobody else plays")?;
                self.hold(other, *cards)?;
                self.shown = true;
            }
            Clause::Result(won) if over && self.shown == self.public.is_showdown() => {
                return Ok(Some(*won));
            }
            Clause::Shown(_) | Clause::Result(_) => return expected("what is due before it"),
            _ => return expected("an action or the board"),
        }
        Ok(None)
    }

    /// Takes in a clause while this seat is to put a card on the board: which one, the check by
    /// which the other acknowledges it, and the board with it.
    fn take_discard(&mut self, seat: Seat, clause: &Clause, word: &str) -> Result<(), String> {
        let expected = |what: &str| Err(format!("`{word}` came instead of {what}"));
        match (clause, self.put) {
            (Clause::Discarded(place), None) => {
                if usize::from(*place) >= usize::from(self.public.def().hole_cards) {
                    return expected("the place of a card of the hand");
                }
                self.put = Some((*place, false));
            }
            // As the engine does for a bot that puts none there.
            (Clause::Move(Move::Fold), None) => {
                self.public.apply(Action::Fold).map_err(|error| error.to_string())?;
            }
            (_, None) => return expected("a discard, `D`"),
            (Clause::Move(Move::Check), Some((place, false))) => self.put = Some((place, true)),
            (_, Some((_, false))) => return expected("a check"),
            (Clause::Board(board), Some((place, true))) => {
                let new = self.new_cards(board, word)?;
                let [card] = *new else { return expected("the board with the card put there") };
                let own = seat == self.seat;
                if own && self.hole[seat].get(usize::from(place)) != Some(&card) {
                    return expected("the board with the card that we have put there");
                }
                if !own {
                    self.not_held(&[card], word)?;
                }
                self.public.discard(place, card).map_err(|e| format!("`{word}`: {e}"))?;
                (self.put, self.checks) = (None, 0);
            }
            (_, Some((_, true))) => return expected("the board"),
        }
        Ok(())
    }

    /// The cards of a board that are new.
    fn new_cards<'a>(&self, board: &'a Board, word: &str) -> Result<&'a [Card], String> {
        let known = self.public.board();
        let new = board.strip_prefix(&known[..]);
        new.ok_or_else(|| format!("`{word}` does not begin with the board `{known}`"))
    }

    fn not_held(&self, new: &[Card], word: &str) -> Result<(), String> {
        match new.iter().find(|card| self.hole[self.seat].contains(card)) {
            Some(card) => Err(format!("`{word}` has {card}, which is in the hand")),
            None => Ok(()),
        }
    }

    /// Whether board cards have been dealt since nobody can act any more.
    fn runs_on_board(&self) -> bool {
        let street = self.public.history().last().map(|played| played.street);
        street.is_some_and(|street| street < self.public.street())
    }

    fn deal(&mut self, board: &Board, word: &str) -> Result<(), String> {
        let new = self.new_cards(board, word)?;
        self.not_held(new, word)?;
        let def = self.public.def();
        if def.discards && self.public.turn() == Turn::Deal(Street::Flop) {
            let due = def.board_len(Street::Flop) - 2;
            if new.len() != due {
                return Err(format!("`{word}` has {} cards, but {due} are dealt", new.len()));
            }
        }
        self.public.deal(new).map_err(|error| format!("`{word}`: {error}"))?;
        self.checks = 0;
        Ok(())
    }

    fn hold(&mut self, seat: Seat, mut cards: HoleCards) -> Result<(), String> {
        let def = self.public.def();
        let mut used = self.public.board().set();
        self.hole.as_slice().iter().for_each(|cards| used |= cards.set());
        if let Some(card) = cards.iter().find(|&&card| used.contains(card)) {
            return Err(format!("{card} is dealt twice"));
        }
        let count = usize::from(def.hole_cards);
        if def.discards && seat != self.seat && cards.len() + 1 == count {
            cards = self.with_discard(seat, cards);
        }
        if cards.len() != count {
            let shown = count - usize::from(def.discards && seat != self.seat);
            return Err(format!("a hand has {shown} cards"));
        }
        self.hole[seat] = cards;
        Ok(())
    }

    /// A hand as it was dealt: with the card that was put on the board.
    fn with_discard(&self, seat: Seat, kept: HoleCards) -> HoleCards {
        let board = self.public.board();
        let (mut all, mut put) = (HoleCards::EMPTY, None);
        let mut order = 0;
        for (at, &card) in board.iter().enumerate() {
            let Some(from) = self.public.def().discarder(at) else { continue };
            if from == seat {
                put = self.public.discarded()[order].map(|place| (usize::from(place), card));
            }
            order += 1;
        }
        let mut rest = kept.iter().copied();
        for place in 0..=kept.len() {
            let card = put.filter(|&(at, _)| at == place).map(|(_, card)| card);
            card.or_else(|| rest.next()).into_iter().for_each(|card| _ = all.push(card));
        }
        all
    }

    /// What a line asks for that does not end the round.
    fn asked(&self) -> Result<Asked, String> {
        if self.hole[self.seat].is_empty() {
            return Err("it has no hand".to_owned());
        }
        let index = index_of(self.public.def(), self.seat);
        // The big blind is asked first.
        let ours = |checks: u8| (checks == 0) == (index == 1) && checks < 2;
        if self.mark_due {
            return Err("the mark after the hand, `G`, is missing".to_owned());
        }
        if let Some(seat) = self.public.discarding() {
            return match self.put {
                None if seat == self.seat => Ok(Asked::Discard),
                Some((_, false)) if seat != self.seat => Ok(Asked::Check),
                _ => Err("it asks us when the other is to answer".to_owned()),
            };
        }
        match self.public.turn() {
            Turn::Act(seat) if seat == self.seat => Ok(Asked::Decision),
            Turn::Act(_) => Err("it asks for an action when the other is to act".to_owned()),
            _ if self.runs_out() && self.runs_on_board() && ours(self.checks) => Ok(Asked::Check),
            Turn::Deal(street) => Err(format!("the {street} is missing")),
            Turn::Over => Err("the result is missing".to_owned()),
        }
    }

    /// The finished round, if it pays what the engine says.
    fn finish(self, hand: u32, won: Payoff) -> Result<Finished, String> {
        let Round { public, seat, hole, .. } = self;
        let payoffs = public.payoffs(&hole);
        if payoffs[seat] != won {
            let due = payoffs[seat];
            return Err(format!("the result is {won}, but by the rules it is {due}"));
        }
        Ok(Finished { hand, public, seat, hole, payoffs })
    }
}
