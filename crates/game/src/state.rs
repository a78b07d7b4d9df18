//! The public state of a hand: the one implementation of the betting rules.
//!
//! Specification: the ACPC game definitions and the reference server's rules. In short: a street
//! ends when everybody able to act has matched the highest bet; when at most one seat can still
//! act, the remaining board is dealt and the hands are shown; a no-limit raise must be at least as
//! large as the one before it, except that a player may always go all-in, and any raise reopens
//! the betting.

use std::fmt;
use std::sync::Arc;

use cards::{Board, Card, CardSet, HoleCards};
use smallvec::SmallVec;

use crate::{
    Action, Betting, BySeat, Chips, GameDef, LegalActions, Played, Raises, Seat, SeatSet, Street,
};

/// The next step of a hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// This seat must act.
    Act(Seat),
    /// The board cards of this street must be dealt.
    Deal(Street),
    /// The hand is over.
    Over,
}

/// The public state of a hand.
///
/// Cheap to clone; play it forward in place with [`apply`](Self::apply), or by value with
/// [`play`](Self::play).
#[derive(Clone)]
pub struct PublicState {
    def: Arc<GameDef>,
    turn: Turn,
    street: Street,
    /// Seats that folded.
    folded: SeatSet,
    /// Seats that can still act: neither folded nor all-in.
    able: SeatSet,
    /// Able seats that have raised to or called the current bet on this street; the others still
    /// act.
    called: SeatSet,
    /// Raises and actions on this street.
    raises: u32,
    actions: u32,
    /// The highest total any seat has in.
    highest: Chips,
    /// The smallest total of the next no-limit raise, ignoring stacks.
    min_raise_to: Chips,
    board: Board,
    /// In games with discards: where in the hands the cards were that are on the board, in the
    /// order in which they were put there, as far as it is known.
    discarded: [Option<u8>; 2],
    /// Chips each seat has put in over the whole hand.
    committed: BySeat<Chips>,
    /// `committed` when this street began.
    before_street: BySeat<Chips>,
    history: SmallVec<[Played; 20]>,
}

/// Error for an action that cannot be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum IllegalReason {
    #[error("the hand is over")]
    HandOver,
    #[error("the {0} must be dealt first")]
    NotDealt(Street),
    #[error("there is nothing to call, so a fold is not allowed")]
    NothingToFold,
    #[error("no raise is allowed here: {0}")]
    NoRaise(&'static str),
    #[error("a raise to {total} is outside {min} to {max}")]
    RaiseSize { total: Chips, min: Chips, max: Chips },
}

/// Error for a refused action, with the unchanged state.
#[derive(Debug, Clone)]
pub struct IllegalAction {
    /// The unchanged state.
    pub state: PublicState,
    /// The refused action.
    pub action: Action,
    /// The rule that the action breaks.
    pub reason: IllegalReason,
}

impl fmt::Display for IllegalAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not allowed: {}", self.action, self.reason)
    }
}

impl std::error::Error for IllegalAction {}

/// Error for board cards that cannot be dealt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum DealError {
    #[error("no board cards are due now")]
    NotDue,
    #[error("{found} cards dealt for the {street}, which takes {needed}")]
    WrongCount { street: Street, found: usize, needed: usize },
    #[error("{0} is not in this game's deck")]
    NotInDeck(Card),
    #[error("{0} is dealt twice")]
    Repeated(Card),
    #[error("{0} was put on the board, but is not in the hand it came from")]
    NotHeld(Card),
}

impl PublicState {
    /// The initial state of a hand: blinds posted, nobody has acted.
    pub fn new(def: &Arc<GameDef>) -> PublicState {
        let players = def.players;
        let committed = def.blind;
        let mut able = SeatSet::EMPTY;
        let mut highest = 0;
        for seat in Seat::all(players) {
            highest = highest.max(committed[seat]);
            if committed[seat] < def.stack[seat] {
                able.insert(seat);
            }
        }
        let mut state = PublicState {
            turn: Turn::Over,
            street: Street::Preflop,
            folded: SeatSet::EMPTY,
            able,
            called: SeatSet::EMPTY,
            raises: 0,
            actions: 0,
            highest,
            min_raise_to: if def.big_blind > 0 { def.big_blind.saturating_mul(2) } else { 1 },
            board: Board::EMPTY,
            discarded: [None; 2],
            committed,
            before_street: BySeat::new(players),
            history: SmallVec::new(),
            def: Arc::clone(def),
        };
        state.turn =
            if def.board[0] > 0 { Turn::Deal(Street::Preflop) } else { state.open_street() };
        state
    }

    /// The game.
    #[inline]
    pub fn def(&self) -> &Arc<GameDef> {
        &self.def
    }

    /// The next step: an action, a deal, or none.
    #[inline]
    pub fn turn(&self) -> Turn {
        self.turn
    }

    /// The street whose cards were dealt last; after an all-in run-out the last one.
    #[inline]
    pub fn street(&self) -> Street {
        self.street
    }

    /// The cards on the table.
    #[inline]
    pub fn board(&self) -> Board {
        self.board
    }

    /// All actions so far.
    #[inline]
    pub fn history(&self) -> &[Played] {
        &self.history
    }

    /// The actions on this street.
    pub fn street_history(&self) -> &[Played] {
        &self.history[self.history.len() - self.actions as usize..]
    }

    /// Chips each seat has put in over the whole hand.
    #[inline]
    pub fn committed(&self) -> &BySeat<Chips> {
        &self.committed
    }

    /// Chips the seat has put in on this street, blinds included.
    pub fn committed_street(&self, seat: Seat) -> Chips {
        self.committed[seat].saturating_sub(self.before_street[seat])
    }

    /// The chips that the player who acts had put in before this street; 0 where nobody acts.
    pub fn before_street(&self) -> Chips {
        let Turn::Act(seat) = self.turn() else { return 0 };
        self.committed[seat] - self.committed_street(seat)
    }

    /// The short name of an action: `f` folds, `x` checks, `c` calls, `bN` and `rN` bet and raise
    /// to N chips on this street.
    pub fn action_word(&self, action: Action) -> String {
        let Turn::Act(seat) = self.turn() else { return String::new() };
        match action {
            Action::Fold => "f".to_owned(),
            Action::Call if self.committed[seat] == self.highest() => "x".to_owned(),
            Action::Call => "c".to_owned(),
            Action::RaiseTo(total) => {
                let before = self.before_street();
                let letter = if self.highest() > before { 'r' } else { 'b' };
                format!("{letter}{}", total - before)
            }
        }
    }

    /// The action that a word of [`action_word`](Self::action_word) means; `k` checks, too, and `a`
    /// is all-in. `None` if it means none here; whether the action is legal is not looked at.
    pub fn action_of_word(&self, word: &str) -> Option<Action> {
        let Turn::Act(seat) = self.turn() else { return None };
        let free = self.committed[seat] == self.highest();
        match word.to_ascii_lowercase().as_str() {
            "f" => Some(Action::Fold),
            "c" => Some(Action::Call),
            "x" | "k" if free => Some(Action::Call),
            "a" => self.legal().raise.map(|raise| Action::RaiseTo(raise.max)),
            word => {
                let chips = word.strip_prefix(['b', 'r'])?;
                let digits = chips.bytes().all(|byte| byte.is_ascii_digit());
                let chips: Chips = chips.parse().ok().filter(|_| digits)?;
                Some(Action::RaiseTo(self.before_street().checked_add(chips)?))
            }
        }
    }

    /// All chips in the middle, those of this street included.
    pub fn pot(&self) -> u64 {
        self.committed.as_slice().iter().map(|&c| u64::from(c)).sum()
    }

    /// The highest total any seat has put in.
    #[inline]
    pub fn highest(&self) -> Chips {
        self.highest
    }

    /// Chips the seat has left.
    #[inline]
    pub fn stack(&self, seat: Seat) -> Chips {
        self.def.stack[seat] - self.committed[seat]
    }

    /// The most the seat can still win or lose against any one opponent that has not folded: the
    /// smaller of its remaining stack and the largest remaining stack among them.
    pub fn effective_stack(&self, seat: Seat) -> Chips {
        let others = self.remaining().iter().filter(|&s| s != seat);
        let deepest = others.map(|s| self.stack(s)).max().unwrap_or_default();
        self.stack(seat).min(deepest)
    }

    /// Seats that folded.
    #[inline]
    pub fn folded(&self) -> SeatSet {
        self.folded
    }

    /// Seats that have not folded.
    #[inline]
    pub fn remaining(&self) -> SeatSet {
        SeatSet::first(self.committed.len()).without(self.folded)
    }

    /// Seats that can still act: neither folded nor all-in.
    #[inline]
    pub fn able(&self) -> SeatSet {
        self.able
    }

    /// Raises on this street so far; blinds do not count.
    pub fn raises(&self) -> u32 {
        self.raises
    }

    /// Whether the hand is over and at least two seats show their cards.
    pub fn is_showdown(&self) -> bool {
        self.turn == Turn::Over && self.remaining().len() > 1
    }

    /// The acting seat's legal actions. When nobody is to act: a call of 0, which no seat can play.
    #[inline]
    pub fn legal(&self) -> LegalActions {
        let Turn::Act(seat) = self.turn else {
            return LegalActions { fold: false, to_call: 0, raise: None };
        };
        let stack = self.def.stack[seat];
        let committed = self.committed[seat];
        LegalActions {
            fold: self.owes(seat),
            to_call: self.highest.min(stack).saturating_sub(committed),
            raise: self.legal_raise(seat).ok(),
        }
    }

    /// Whether the seat has not matched the bet, so that it may fold. Having put in more than the
    /// bet is not a match either: [`Quirks::short_limit_raise`](crate::Quirks) can lower the bet
    /// below it.
    #[inline]
    fn owes(&self, seat: Seat) -> bool {
        self.committed[seat] != self.highest
    }

    #[inline]
    fn legal_raise(&self, seat: Seat) -> Result<Raises, &'static str> {
        let def = &*self.def;
        let street = self.street.index();
        if self.raises >= def.cap[street] {
            return Err("the street's raises are used up");
        }
        if self.able.len() <= 1 {
            return Err("nobody else can call");
        }
        if let Some(max) = def.quirks.max_actions
            && self.actions as usize + def.players > max as usize
        {
            return Err("the street has too many actions");
        }
        let stack = def.stack[seat];
        match def.betting {
            Betting::Limit => {
                if stack <= self.highest && !def.quirks.short_limit_raise {
                    return Err("the stack does not reach beyond the bet");
                }
                let total = self.highest.saturating_add(def.raise_size[street]).min(stack);
                Ok(Raises { min: total, max: total })
            }
            Betting::NoLimit if stack <= self.highest => {
                Err("the stack does not reach beyond the bet")
            }
            Betting::NoLimit => Ok(Raises { min: self.min_raise_to.min(stack), max: stack }),
        }
    }

    /// Plays an action; an error hands the state back.
    #[expect(clippy::result_large_err, reason = "the error's purpose is to return the state")]
    pub fn play(mut self, action: Action) -> Result<PublicState, IllegalAction> {
        match self.apply(action) {
            Ok(()) => Ok(self),
            Err(reason) => Err(IllegalAction { state: self, action, reason }),
        }
    }

    /// Plays an action in place; on an error nothing has changed.
    pub fn apply(&mut self, action: Action) -> Result<(), IllegalReason> {
        let seat = match self.turn {
            Turn::Act(seat) => seat,
            Turn::Deal(street) => match self.discarding() {
                Some(seat) if action == Action::Fold => seat,
                _ => return Err(IllegalReason::NotDealt(street)),
            },
            Turn::Over => return Err(IllegalReason::HandOver),
        };
        match action {
            Action::Call => {}
            Action::Fold if self.owes(seat) || self.def.discards => {}
            Action::Fold => return Err(IllegalReason::NothingToFold),
            Action::RaiseTo(total) => {
                let Raises { min, max } = self.legal_raise(seat).map_err(IllegalReason::NoRaise)?;
                if total < min || total > max {
                    return Err(IllegalReason::RaiseSize { total, min, max });
                }
            }
        }
        self.apply_unchecked(action);
        Ok(())
    }

    /// Plays an action that [`legal`](Self::legal) allows. Any other gives a memory-safe but
    /// meaningless state.
    pub fn apply_unchecked(&mut self, action: Action) {
        let seat = match self.turn {
            Turn::Act(seat) => seat,
            Turn::Deal(_) => match self.discarding() {
                Some(seat) if action == Action::Fold => seat,
                _ => return,
            },
            Turn::Over => return,
        };
        self.history.push(Played { seat, street: self.street, action });
        self.actions += 1;
        match action {
            Action::Fold => {
                self.folded.insert(seat);
                self.able = self.able.without(self.folded);
                let remaining = self.committed.len() as u32 - self.folded.len();
                if remaining == 1 {
                    self.turn = Turn::Over;
                    return;
                }
            }
            Action::Call => self.put_in(seat, self.highest.min(self.def.stack[seat])),
            Action::RaiseTo(total) => {
                self.raises += 1;
                if self.def.betting == Betting::NoLimit {
                    let again = total.saturating_add(total.saturating_sub(self.highest));
                    self.min_raise_to = self.min_raise_to.max(again);
                }
                self.highest = total;
                self.called = SeatSet::EMPTY;
                self.put_in(seat, total);
            }
        }
        self.turn = self.turn_after(seat);
    }

    #[inline]
    fn put_in(&mut self, seat: Seat, total: Chips) {
        self.committed[seat] = total;
        if total < self.def.stack[seat] {
            self.called.insert(seat);
        } else {
            let mut all_in = SeatSet::EMPTY;
            all_in.insert(seat);
            self.able = self.able.without(all_in);
            self.called = self.called.without(all_in);
        }
    }

    fn turn_after(&mut self, seat: Seat) -> Turn {
        if self.called.len() >= self.able.len() {
            self.close_street()
        } else {
            self.next_able(seat.index() + 1)
        }
    }

    #[inline]
    fn next_able(&self, start: usize) -> Turn {
        match self.able.next_from(start, self.committed.len()) {
            Some(seat) => Turn::Act(seat),
            None => Turn::Over,
        }
    }

    /// The next step when the street's betting is complete.
    fn close_street(&mut self) -> Turn {
        if self.street == self.def.last_street() {
            return Turn::Over;
        }
        let next = self.street.next().expect("not the last street");
        if self.def.board[next.index()] > 0 {
            return Turn::Deal(next);
        }
        self.begin_street(next)
    }

    fn begin_street(&mut self, street: Street) -> Turn {
        self.street = street;
        self.before_street = self.committed;
        self.called = SeatSet::EMPTY;
        self.raises = 0;
        self.actions = 0;
        self.min_raise_to = self.highest.saturating_add(self.def.big_blind.max(1));
        self.open_street()
    }

    /// The first to act on the street just begun; the betting is closed when at most one seat could
    /// still bet.
    fn open_street(&mut self) -> Turn {
        let betting_over = match self.street {
            // Before anyone has acted, a lone seat that can act may still have to call.
            Street::Preflop => self.able.is_empty(),
            _ => self.able.len() <= 1,
        };
        if betting_over {
            return self.close_street();
        }
        self.next_able(self.def.first[self.street.index()] as usize)
    }

    /// Deals the next street's board cards, in order. In games with discards those of the flop may
    /// come in parts: those that are dealt, then each that is put there.
    pub fn deal(&mut self, cards: &[Card]) -> Result<(), DealError> {
        let Turn::Deal(street) = self.turn else { return Err(DealError::NotDue) };
        let needed = self.missing(street);
        let parts = self.def.discards && street == Street::Flop;
        let least = if parts { needed.saturating_sub(2).max(1) } else { needed };
        if cards.len() < least || cards.len() > needed {
            return Err(DealError::WrongCount { street, found: cards.len(), needed });
        }
        let mut board = self.board;
        let mut seen: CardSet = board.set();
        for &card in cards {
            if !self.def.has_card(card) {
                return Err(DealError::NotInDeck(card));
            }
            if !seen.insert(card) {
                return Err(DealError::Repeated(card));
            }
            board.push(card);
        }
        self.board = board;
        self.turn = if street == Street::Preflop || street == self.street {
            self.open_street()
        } else {
            self.begin_street(street)
        };
        if cards.len() < needed {
            self.turn = Turn::Deal(street);
        }
        Ok(())
    }

    /// Number of board cards that are still to be dealt for this street.
    fn missing(&self, street: Street) -> usize {
        self.def.board_len(street).saturating_sub(self.board.len())
    }

    /// Calls `see` with the state before each action that was played, in order, and the action.
    pub fn each_decision(&self, mut see: impl FnMut(&PublicState, Played)) {
        let mut public = PublicState::new(self.def());
        let board = self.board();
        for &played in self.history() {
            // The board has the cards of every street reached.
            if matches!(public.turn(), Turn::Deal(_)) && public.deal_from(&board).is_err() {
                return;
            }
            see(&public, played);
            if public.apply(played.action).is_err() {
                return;
            }
        }
    }

    /// Deals all streets that are due from the complete board of the hand.
    ///
    /// # Errors
    /// As [`deal`](Self::deal); a board that is too short is a wrong number of cards.
    pub fn deal_from(&mut self, full_board: &[Card]) -> Result<(), DealError> {
        while let Turn::Deal(street) = self.turn {
            let start = self.board.len();
            if self.discarding().is_some() && start == full_board.len() {
                // A hand that ends with a fold in the place of a discard.
                return Ok(());
            }
            let end = (start + self.missing(street)).min(full_board.len());
            self.deal(full_board.get(start..end).unwrap_or_default())?;
        }
        Ok(())
    }

    /// The seat that is to put a card of its hand on the board now, in games with discards; it may
    /// fold instead.
    pub fn discarding(&self) -> Option<Seat> {
        match self.turn {
            Turn::Deal(Street::Flop) => self.def.discarder(self.board.len()),
            _ => None,
        }
    }

    /// Puts a card on the board that was at this place in the hand of the seat that is to.
    ///
    /// # Errors
    /// When no discard is due, or the card cannot be there.
    pub fn discard(&mut self, place: u8, card: Card) -> Result<(), DealError> {
        let seat = self.discarding().ok_or(DealError::NotDue)?;
        let order = usize::from(self.def.first[Street::Flop.index()] as usize != seat.index());
        self.deal(&[card])?;
        self.discarded[order] = Some(place);
        Ok(())
    }

    /// This seat folds where nobody can bet any more, because of an all-in: the engine of games
    /// with discards asks for checks there and takes a fold. No hand of ours is played like that.
    ///
    /// # Errors
    /// When somebody is to act, or has folded; nothing changes then.
    pub fn concede(&mut self, seat: Seat) -> Result<(), IllegalReason> {
        let runs_out = self.folded.is_empty() && self.able.len() < 2;
        if !self.def.discards || !runs_out || matches!(self.turn, Turn::Act(_)) {
            return Err(IllegalReason::NothingToFold);
        }
        self.history.push(Played { seat, street: self.street, action: Action::Fold });
        self.folded.insert(seat);
        self.turn = Turn::Over;
        Ok(())
    }

    /// Where the cards that were put on the board were in the hands, in that order, as far as it is
    /// known.
    pub fn discarded(&self) -> [Option<u8>; 2] {
        self.discarded
    }

    /// Notes where the cards that were put on the board were in these hands, for a state whose
    /// board was dealt as a whole.
    pub fn note_discards(&mut self, hole: &BySeat<HoleCards>) {
        let mut order = 0;
        for (at, card) in self.board.iter().enumerate() {
            let Some(seat) = self.def.discarder(at) else { continue };
            let place = hole[seat].iter().position(|held| held == card);
            self.discarded[order] = place.map(|place| place as u8).or(self.discarded[order]);
            order += 1;
        }
    }
}

/// Checks that no card is in two places: hole cards, of those who are known, and board. Cards that
/// were put on the board are in the hand that they came from.
///
/// # Errors
/// The first card that is not in the deck, in two places, or not in its hand.
pub fn check_dealt(
    def: &GameDef,
    hole: &BySeat<HoleCards>,
    board: &[Card],
) -> Result<(), DealError> {
    let mut seen = CardSet::EMPTY;
    let mut see = |card: Card| match (def.has_card(card), seen.insert(card)) {
        (false, _) => Err(DealError::NotInDeck(card)),
        (true, false) => Err(DealError::Repeated(card)),
        (true, true) => Ok(()),
    };
    hole.as_slice().iter().flat_map(|cards| cards.iter()).try_for_each(|&card| see(card))?;
    for (place, &card) in board.iter().enumerate() {
        match def.discarder(place) {
            Some(seat) if hole[seat].contains(&card) => {}
            Some(seat) if !hole[seat].is_empty() => return Err(DealError::NotHeld(card)),
            _ => see(card)?,
        }
    }
    Ok(())
}

impl fmt::Debug for PublicState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublicState")
            .field("betting", &crate::notation::betting(self))
            .field("board", &self.board)
            .field("committed", &self.committed)
            .field("turn", &self.turn)
            .finish_non_exhaustive()
    }
}

impl PartialEq for PublicState {
    /// Two states are equal when game, board and history are equal.
    fn eq(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.def, &other.def) || self.def == other.def)
            && self.history == other.history
            && self.board == other.board
            && self.street == other.street
    }
}
