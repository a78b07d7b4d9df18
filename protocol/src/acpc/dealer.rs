//! The dealer's side of the protocol as a sans-I/O state machine: bytes and time in, bytes and
//! events out.
//!
//! - Input: [`receive`](Dealer::receive), [`closed`](Dealer::closed), [`lost`](Dealer::lost),
//!   [`write_timed_out`](Dealer::write_timed_out), [`handle_timeout`](Dealer::handle_timeout).
//!   Each takes the time since an arbitrary start, on a clock that never runs backwards.
//! - Output: [`output`](Dealer::output) and [`consume_output`](Dealer::consume_output) for bytes,
//!   [`poll_event`](Dealer::poll_event), [`poll_timeout`](Dealer::poll_timeout). After each input
//!   drain the events first, then write the bytes: an event is then recorded before a player can
//!   act on it.
//!
//! The match begins once every entrant has sent its version. It ends with [`Event::Finished`] after
//! the last hand, or with [`Event::Failed`] at the first condition that prevents it from going on.
//! Replies are read as the original server reads them (see [`super::reply`]), unless
//! [`Replies::Strict`] is set.
//!
//! Unlike in the original, a player that keeps sending without answering also ends the match: the
//! limits are [`MAX_JUNK_LINES`] and [`MAX_JUNK_BYTES`].
//!
//! Times: a reply's time runs from the moment its state went into the output to the moment its line
//! is complete, and counts once, however many lines are ignored in between.

use std::collections::VecDeque;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use cards::Board;
use game::{Action, BySeat, GameDef, IllegalReason, Payoff, PublicState, Seat, State, Turn};

use super::deal::{Deal, Deals};
use super::matchstate;
use super::player::Lines;
use super::reply::{self, Correction, Ignored, Question, Reply};
use super::scan;
use super::transaction::{Transaction, TransactionError};

/// Longest line read at once; longer ones are read as several, as in the original.
pub const MAX_PLAYER_LINE: usize = 4095;

/// Number of unread bytes of one entrant at which [`Dealer::wants_input`] turns false.
const MAX_UNREAD_INPUT: usize = 65_536;

/// Maximum number of lines without an action that an entrant may send between two of its actions.
pub const MAX_JUNK_LINES: u32 = 10_000;

/// Maximum number of bytes in such lines.
pub const MAX_JUNK_BYTES: usize = 16 << 20;

/// The dealer's state machine for one match.
#[derive(Debug)]
pub struct Dealer {
    config: Config,
    deals: Deals,
    entrants: Vec<Entrant>,
    phase: Phase,
    hand: Hand,
    /// The line sent to the acting seat, without its end.
    asked: Vec<u8>,
    asked_at: Duration,
    /// Sum of each entrant's payoffs so far.
    totals: Vec<Payoff>,
    events: VecDeque<Event>,
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Waiting for versions; the time limit starts once everybody is connected.
    Versions {
        since: Option<Duration>,
    },
    Playing,
    Over,
}

#[derive(Debug)]
struct Entrant {
    lines: Lines,
    out: Vec<u8>,
    /// Number of bytes of `out` already written.
    written: usize,
    version: bool,
    closed_at: Option<Duration>,
    used_hand: Duration,
    used_match: Duration,
    corrected: u32,
    /// Number of lines and bytes without an action since the entrant's last action.
    junk: (u32, usize),
}

impl Dealer {
    /// A dealer before its first hand, whose cards are already drawn.
    pub fn new(config: Config) -> Dealer {
        let mut deals = Deals::new(&config.def, config.seed);
        let hand = Hand::new(&config.def, 0, deals.deal());
        let players = config.def.players;
        let entrant = || Entrant {
            lines: Lines::new(MAX_PLAYER_LINE),
            out: Vec::new(),
            written: 0,
            version: false,
            closed_at: None,
            used_hand: Duration::ZERO,
            used_match: Duration::ZERO,
            corrected: 0,
            junk: (0, 0),
        };
        Dealer {
            deals,
            entrants: (0..players).map(|_| entrant()).collect(),
            phase: Phase::Versions { since: None },
            hand,
            asked: Vec::new(),
            asked_at: Duration::ZERO,
            totals: vec![Payoff::ZERO; players],
            events: VecDeque::new(),
            text: String::new(),
            config,
        }
    }

    /// The settings of the match.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The number of the hand being played; the number of hands once all have been.
    pub fn hand(&self) -> u32 {
        self.hand.number
    }

    /// The full state of the current hand. For observers, never for players.
    pub fn state(&self) -> &State {
        &self.hand.state
    }

    /// The sum of each entrant's payoffs so far.
    pub fn totals(&self) -> &[Payoff] {
        &self.totals
    }

    /// Whether the match has ended, regularly or by a failure.
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// Whether every entrant has sent its version, so that the match has begun.
    pub fn has_begun(&self) -> bool {
        !matches!(self.phase, Phase::Versions { .. })
    }

    /// The entrants that have not sent their version.
    pub fn silent(&self) -> impl Iterator<Item = usize> {
        self.entrants.iter().enumerate().filter(|(_, one)| !one.version).map(|(number, _)| number)
    }

    /// The entrant whose answer is awaited.
    pub fn waiting_for(&self) -> Option<usize> {
        match (self.phase, self.hand.state.public.turn()) {
            (Phase::Playing, Turn::Act(seat)) => Some(self.entrant_at(seat)),
            _ => None,
        }
    }

    /// The entrant in this seat in the current hand.
    pub fn entrant_at(&self, seat: Seat) -> usize {
        (seat.index() + self.first_entrant()) % self.entrants.len()
    }

    /// The seat of this entrant in the current hand.
    pub fn seat_of(&self, entrant: usize) -> Seat {
        let players = self.entrants.len();
        let index = (entrant + players - self.first_entrant()) % players;
        Seat::new(index).expect("less than the number of players")
    }

    /// The entrant in seat 0.
    fn first_entrant(&self) -> usize {
        if self.config.fixed_seats { 0 } else { self.hand.number as usize % self.entrants.len() }
    }

    /// Replays one action of an interrupted match's transaction file. Must be called before any
    /// input.
    pub fn replay(&mut self, transaction: &Transaction) -> Result<(), TransactionError> {
        if self.hand.number >= self.config.hands {
            return Err(TransactionError::PastEnd);
        }
        let (expected, found) = (self.hand.number, transaction.hand);
        if expected != found {
            return Err(TransactionError::Hand { expected, found });
        }
        let Turn::Act(seat) = self.hand.state.public.turn() else {
            return Err(TransactionError::Action);
        };
        let entrant = self.entrant_at(seat);
        let limits = &self.config.limits;
        let elapsed = transaction.elapsed();
        let used = &mut self.entrants[entrant];
        used.used_hand += elapsed;
        used.used_match += elapsed;
        let (hand, whole) = (used.used_hand, used.used_match);
        if elapsed > limits.response || hand > limits.hand || whole > limits.whole_match {
            return Err(TransactionError::Time { entrant });
        }
        self.hand.play(transaction.action).map_err(|_| TransactionError::Action)?;
        while self.hand.is_over() && self.hand.number < self.config.hands {
            self.settle();
            self.next_hand();
        }
        Ok(())
    }

    /// Feeds bytes received from an entrant.
    pub fn receive(&mut self, entrant: usize, bytes: &[u8], now: Duration) {
        if self.is_over() {
            return;
        }
        self.entrants[entrant].lines.push(bytes);
        self.advance(now);
    }

    /// Marks an entrant's input as ended; what it sent before still counts. Unless its answer is
    /// due at once, the match goes on for [`Limits::absence`].
    pub fn closed(&mut self, entrant: usize, now: Duration) {
        if self.is_over() {
            return;
        }
        let gone = &mut self.entrants[entrant];
        gone.lines.end();
        gone.closed_at.get_or_insert(now);
        self.advance(now);
    }

    /// Marks an entrant's connection as lost in both directions.
    pub fn lost(&mut self, entrant: usize, now: Duration) {
        let gone = &mut self.entrants[entrant];
        gone.out.clear();
        gone.written = 0;
        self.closed(entrant, now);
    }

    /// Marks an entrant as not reading its input, which ends the match.
    pub fn write_timed_out(&mut self, entrant: usize, now: Duration) {
        if !self.is_over() {
            self.fail(Some(entrant), Cause::Stalled, now);
        }
    }

    /// Whether more bytes of this entrant should be read now. False while it sends too much out of
    /// turn; its bytes should then be left unread.
    pub fn wants_input(&self, entrant: usize) -> bool {
        let entrant = &self.entrants[entrant];
        entrant.closed_at.is_none() && entrant.lines.buffered() < MAX_UNREAD_INPUT
    }

    /// Pending bytes for an entrant.
    pub fn output(&self, entrant: usize) -> &[u8] {
        &self.entrants[entrant].out[self.entrants[entrant].written..]
    }

    /// Marks the first `count` bytes of [`output`](Self::output) as written.
    pub fn consume_output(&mut self, entrant: usize, count: usize) {
        let entrant = &mut self.entrants[entrant];
        entrant.written += count;
        if entrant.written >= entrant.out.len() {
            entrant.out.clear();
            entrant.written = 0;
        }
    }

    /// Makes the current hand the last one: the match then finishes as if it had been set up with
    /// that many hands.
    pub fn finish_after_this_hand(&mut self) {
        self.config.hands = self.config.hands.min(self.hand.number.saturating_add(1));
    }

    /// The oldest event not yet taken.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// The latest time at which to call [`handle_timeout`](Self::handle_timeout), or `None` without
    /// a pending limit. Changes with every input.
    pub fn poll_timeout(&self) -> Option<Duration> {
        let absent = self.entrants.iter().enumerate().filter_map(|(entrant, gone)| {
            let closed = gone.closed_at.filter(|_| self.is_needed(entrant))?;
            Some(closed.saturating_add(self.config.limits.absence))
        });
        let due = match self.phase {
            Phase::Over => return None,
            Phase::Versions { since } => {
                since.and_then(|since| Some(since.saturating_add(self.config.limits.version?)))
            }
            Phase::Playing => self.waiting_for().map(|entrant| self.answer_due(entrant).0),
        };
        let absent = absent.min().filter(|_| self.phase == Phase::Playing);
        // A limit is exceeded only after it, hence one microsecond more.
        due.into_iter().chain(absent).min().map(|at| at.saturating_add(Duration::from_micros(1)))
    }

    /// Checks the time limits. The first call marks everybody as connected and starts the time
    /// limit of the versions.
    pub fn handle_timeout(&mut self, now: Duration) {
        match self.phase {
            Phase::Over => return,
            Phase::Versions { since: None } => {
                self.phase = Phase::Versions { since: Some(now) };
                return;
            }
            Phase::Versions { since: Some(since) } => {
                let limit = self.config.limits.version.unwrap_or(Duration::MAX);
                if now.saturating_sub(since) > limit {
                    let silent = self.entrants.iter().position(|entrant| !entrant.version);
                    self.fail(silent, Cause::NoVersion { after: Some(limit) }, now);
                }
                return;
            }
            Phase::Playing => {}
        }
        if let Some(entrant) = self.waiting_for() {
            let (due, cause) = self.answer_due(entrant);
            if now > due {
                self.fail(Some(entrant), cause, now);
                return;
            }
        }
        let absent = (0..self.entrants.len()).find(|&entrant| {
            let closed = self.entrants[entrant].closed_at;
            let limit = self.config.limits.absence;
            self.is_needed(entrant) && closed.is_some_and(|at| now > at.saturating_add(limit))
        });
        if let Some(entrant) = absent {
            self.fail(Some(entrant), Cause::Closed { waited: Duration::ZERO }, now);
        }
    }

    /// Whether the match cannot be finished without this entrant.
    fn is_needed(&self, entrant: usize) -> bool {
        let last = self.hand.number.saturating_add(1) >= self.config.hands;
        !last || self.hand.state.public.able().contains(self.seat_of(entrant))
    }

    /// The deadline of the entrant's answer, and the cause of failure once it has passed.
    fn answer_due(&self, entrant: usize) -> (Duration, Cause) {
        let limits = &self.config.limits;
        let used = &self.entrants[entrant];
        let rest = [
            (limits.response, Cause::ResponseTime { limit: limits.response }),
            (limits.hand.saturating_sub(used.used_hand), Cause::HandTime { limit: limits.hand }),
            (
                limits.whole_match.saturating_sub(used.used_match),
                Cause::MatchTime { limit: limits.whole_match },
            ),
        ];
        let [first, second, third] = rest;
        let least = if second.0 < first.0 { second } else { first };
        let (rest, cause) = if third.0 < least.0 { third } else { least };
        (self.asked_at.saturating_add(rest), cause)
    }

    fn fail(&mut self, entrant: Option<usize>, cause: Cause, now: Duration) {
        let since = now.saturating_sub(self.asked_at);
        let cause = match cause {
            Cause::Closed { .. } if self.waiting_for() == entrant => {
                Cause::Closed { waited: since }
            }
            cause => cause,
        };
        self.phase = Phase::Over;
        let hand = self.hand.number;
        self.events.push_back(Event::Failed(Failure { entrant, hand, cause }));
    }

    /// Processes all input that can be processed now.
    fn advance(&mut self, now: Duration) {
        if let Phase::Versions { .. } = self.phase {
            self.read_versions(now);
        }
        while let Some(entrant) = self.waiting_for() {
            if !self.read_line(entrant, now) {
                break;
            }
        }
    }

    fn read_versions(&mut self, now: Duration) {
        for entrant in 0..self.entrants.len() {
            let player = &mut self.entrants[entrant];
            if player.version {
                continue;
            }
            let Some(line) = player.lines.next_line() else {
                if player.closed_at.is_some() {
                    self.fail(Some(entrant), Cause::NoVersion { after: None }, now);
                    return;
                }
                continue;
            };
            let line = scan::c_string(line);
            match read_version(line) {
                None => {
                    let line = String::from_utf8_lossy(line).into_owned();
                    self.fail(Some(entrant), Cause::BadVersion { line }, now);
                    return;
                }
                Some((major, minor)) if major != 2 || minor > 0 => {
                    self.events.push_back(Event::OtherVersion { entrant });
                }
                Some(_) => {}
            }
            self.entrants[entrant].version = true;
        }
        if self.entrants.iter().all(|entrant| entrant.version) {
            self.phase = Phase::Playing;
            self.events.push_back(Event::Started { at: now });
            if self.hand.number >= self.config.hands {
                self.finish();
            } else {
                self.send_states(now);
                self.finish_hands(now);
            }
        }
    }

    /// Processes one line of the entrant that is to act; `false` when there is none.
    fn read_line(&mut self, entrant: usize, now: Duration) -> bool {
        let seat = self.seat_of(entrant);
        let player = &mut self.entrants[entrant];
        let Some(line) = player.lines.next_line() else {
            if player.closed_at.is_some() {
                self.fail(Some(entrant), Cause::Closed { waited: Duration::ZERO }, now);
            }
            return false;
        };
        player.junk.0 += 1;
        player.junk.1 += line.len();
        if player.junk.0 > MAX_JUNK_LINES || player.junk.1 > MAX_JUNK_BYTES {
            self.fail(Some(entrant), Cause::Junk, now);
            return false;
        }
        if self.config.transcript {
            let line = scan::c_string(line).to_vec();
            self.events.push_back(Event::Received { entrant, at: now, line });
        }
        let question = Question {
            hand: self.hand.number,
            seat,
            public: &self.hand.state.public,
            hole: self.hand.state.hole[seat],
            line: &self.asked,
        };
        let reply = match self.config.replies {
            Replies::Strict => reply::read_strict(line, &question),
            _ => Ok(reply::read(line, &question)),
        };
        if matches!(reply, Ok(Reply::Comment)) {
            return true;
        }
        let (due, cause) = self.answer_due(entrant);
        if now > due {
            self.fail(Some(entrant), cause, now);
            return false;
        }
        match reply {
            Err(line) => self.fail(Some(entrant), Cause::BadReply { line }, now),
            Ok(Reply::Comment) => {}
            Ok(Reply::Ignored(reason)) => {
                self.events.push_back(Event::Ignored { entrant, reason });
            }
            Ok(Reply::Act { action, correction }) => {
                if let Some(correction) = correction
                    && !self.correct(entrant, correction, now)
                {
                    return false;
                }
                self.act(entrant, action, now);
            }
        }
        true
    }

    /// Records a correction; `false` when it exceeds the limit.
    fn correct(&mut self, entrant: usize, correction: Correction, now: Duration) -> bool {
        let hand = self.hand.number;
        self.events.push_back(Event::Corrected { entrant, hand, correction });
        let corrected = &mut self.entrants[entrant].corrected;
        *corrected = corrected.saturating_add(1);
        match self.config.replies {
            Replies::Limit(limit) if *corrected > limit => {
                self.fail(Some(entrant), Cause::TooManyCorrections { limit }, now);
                false
            }
            _ => true,
        }
    }

    fn act(&mut self, entrant: usize, action: Action, now: Duration) {
        let (hand, sent) = (self.hand.number, self.asked_at);
        let elapsed = now.saturating_sub(sent);
        let actor = &mut self.entrants[entrant];
        actor.used_hand += elapsed;
        actor.used_match += elapsed;
        actor.junk = (0, 0);
        let transaction = Transaction { action, hand, sent, received: now };
        self.events.push_back(Event::Acted { entrant, transaction });
        self.hand.play(action).expect("replies are made legal before they are played");
        if !self.hand.is_over() {
            self.send_states(now);
        }
        self.finish_hands(now);
    }

    /// Ends the hand if it is over and begins the next, repeatedly in games that need no action.
    fn finish_hands(&mut self, now: Duration) {
        while self.phase == Phase::Playing && self.hand.is_over() {
            self.settle();
            self.send_states(now);
            if self.config.transcript && self.hand.number.is_multiple_of(100) {
                let used = self.entrants.iter().map(|entrant| entrant.used_match).collect();
                self.events.push_back(Event::TimeUsed { used });
            }
            self.next_hand();
            if self.hand.number >= self.config.hands {
                self.finish();
            } else {
                self.send_states(now);
            }
        }
    }

    /// Adds up and reports the finished hand.
    fn settle(&mut self) {
        let payoffs = self.hand.state.payoffs();
        let entrants = BySeat::from_fn(self.entrants.len(), |seat| self.entrant_at(seat) as u8);
        for (seat, &payoff) in payoffs.iter() {
            self.totals[entrants[seat] as usize] += payoff;
        }
        self.events.push_back(Event::HandOver(Box::new(HandOver {
            hand: self.hand.number,
            state: self.hand.state.clone(),
            payoffs,
            entrants,
            replayed: self.phase != Phase::Playing,
        })));
    }

    fn next_hand(&mut self) {
        let number = self.hand.number.saturating_add(1);
        self.hand = Hand::new(&self.config.def, number, self.deals.deal());
        for entrant in &mut self.entrants {
            entrant.used_hand = Duration::ZERO;
        }
    }

    fn finish(&mut self) {
        self.phase = Phase::Over;
        self.events.push_back(Event::Finished);
    }

    /// Appends the state of the hand to everybody's output.
    fn send_states(&mut self, now: Duration) {
        let actor = self.waiting_for();
        for entrant in 0..self.entrants.len() {
            let seat = self.seat_of(entrant);
            let state = &self.hand.state;
            self.text.clear();
            matchstate::write(&mut self.text, self.hand.number, seat, &state.public, &state.hole);
            if actor == Some(entrant) {
                self.asked.clear();
                self.asked.extend_from_slice(self.text.as_bytes());
                self.asked_at = now;
            }
            self.text.push_str("\r\n");
            self.entrants[entrant].out.extend_from_slice(self.text.as_bytes());
            if self.config.transcript {
                let line = self.text.as_bytes().to_vec();
                self.events.push_back(Event::Sent { entrant, at: now, line });
            }
        }
    }
}

/// Parses `VERSION:major.minor.revision` with `scanf`'s rules, and gives major and minor number;
/// `None` when the dealer would end the match over this line.
pub fn read_version(line: &[u8]) -> Option<(u32, u32)> {
    let rest = line.strip_prefix(b"VERSION:")?;
    let (major, used) = scan::scan_u32(rest)?;
    let rest = rest[used..].strip_prefix(b".")?;
    let (minor, used) = scan::scan_u32(rest)?;
    let rest = rest[used..].strip_prefix(b".")?;
    scan::scan_u32(rest)?;
    Some((major, minor))
}

/// The settings of a match.
#[derive(Debug, Clone)]
pub struct Config {
    /// The game. To treat replies as the original does, use
    /// [`Quirks::ORIGINAL`](game::Quirks::ORIGINAL).
    pub def: Arc<GameDef>,
    /// Number of hands.
    pub hands: u32,
    /// Seed of the deals.
    pub seed: u32,
    /// Entrants keep their positions instead of moving by one after every hand.
    pub fixed_seats: bool,
    /// Handling of bad replies.
    pub replies: Replies,
    /// Time limits.
    pub limits: Limits,
    /// Whether to report every line sent and received, and the time used.
    pub transcript: bool,
}

impl Config {
    /// A match with the original's defaults and no transcript.
    pub fn new(def: Arc<GameDef>, hands: u32, seed: u32) -> Config {
        Config {
            def,
            hands,
            seed,
            fixed_seats: false,
            replies: Replies::Compatible,
            limits: Limits::new(hands),
            transcript: false,
        }
    }
}

/// Handling of replies that are not exactly right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Replies {
    /// The original's handling: lines that do not answer are ignored, illegal actions become calls,
    /// raises move into the legal range.
    #[default]
    Compatible,
    /// The first line that is not the state sent, `:` and a legal action, ends the match.
    Strict,
    /// The original's handling, but the match ends when a player has had more than this many
    /// replies corrected.
    Limit(u32),
}

impl FromStr for Replies {
    type Err = String;

    fn from_str(text: &str) -> Result<Replies, String> {
        match text.split_once('=') {
            None if text == "compatible" => Ok(Replies::Compatible),
            None if text == "strict" => Ok(Replies::Strict),
            Some(("limit", number)) if number.parse::<u32>().is_ok() => {
                Ok(Replies::Limit(number.parse().unwrap_or_default()))
            }
            _ => Err("write `compatible`, `strict` or `limit=N`".to_owned()),
        }
    }
}

/// Time limits. A limit is exceeded by what takes longer, not by what takes exactly as long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For the version lines, once everybody is connected; `None`: no limit.
    pub version: Option<Duration>,
    /// For one reply.
    pub response: Duration,
    /// For all replies of one player in one hand.
    pub hand: Duration,
    /// For all replies of one player in the match.
    pub whole_match: Duration,
    /// The time for which a match goes on after a player who is not to act has closed its
    /// connection.
    pub absence: Duration,
}

impl Limits {
    /// The original's defaults: ten minutes for a reply and for a hand, seven seconds a hand on
    /// average; besides, a minute for the version and two seconds of absence.
    pub fn new(hands: u32) -> Limits {
        Limits {
            version: Some(Duration::from_secs(60)),
            response: Duration::from_secs(600),
            hand: Duration::from_secs(600),
            whole_match: Duration::from_secs(7).saturating_mul(hands),
            absence: Duration::from_secs(2),
        }
    }
}

/// An event in a match. Entrants are counted from 0.
#[derive(Debug, Clone)]
pub enum Event {
    /// An entrant speaks another version of the protocol; the match goes on.
    OtherVersion {
        /// The entrant.
        entrant: usize,
    },
    /// All versions have come and the first state has been sent.
    Started {
        /// Time of the event.
        at: Duration,
    },
    /// A line went into an entrant's output (only with [`Config::transcript`]).
    Sent {
        /// The receiver.
        entrant: usize,
        /// Time of the event.
        at: Duration,
        /// The line with its end.
        line: Vec<u8>,
    },
    /// A line came from the entrant that is to act (only with
    /// [`Config::transcript`]).
    Received {
        /// The sender.
        entrant: usize,
        /// Time of the event.
        at: Duration,
        /// The line as it came, with its end if it had one, up to its first zero byte.
        line: Vec<u8>,
    },
    /// A line was ignored.
    Ignored {
        /// The sender.
        entrant: usize,
        /// The reason.
        reason: Ignored,
    },
    /// A reply was changed into a legal action.
    Corrected {
        /// The entrant.
        entrant: usize,
        /// The hand's number.
        hand: u32,
        /// The change.
        correction: Correction,
    },
    /// An action was played.
    Acted {
        /// The acting entrant.
        entrant: usize,
        /// The action and its times.
        transaction: Transaction,
    },
    /// A hand is over.
    HandOver(Box<HandOver>),
    /// The time each entrant has used in the match, after every hundredth hand (only with
    /// [`Config::transcript`]).
    TimeUsed {
        /// The times by entrant.
        used: Vec<Duration>,
    },
    /// All hands have been played. Nothing follows.
    Finished,
    /// The match cannot go on. Nothing follows.
    Failed(Failure),
}

/// The result of a finished hand.
#[derive(Debug, Clone)]
pub struct HandOver {
    /// The hand's number, from 0.
    pub hand: u32,
    /// The final state, with all hole cards.
    pub state: State,
    /// The payoff of each seat.
    pub payoffs: BySeat<Payoff>,
    /// The entrant in each seat.
    pub entrants: BySeat<u8>,
    /// Whether the hand was replayed from a transaction file instead of played.
    pub replayed: bool,
}

/// The failure that ended a match before its last hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The entrant at fault, if there is one.
    pub entrant: Option<usize>,
    /// The number of the hand in which it happened.
    pub hand: u32,
    /// The cause.
    pub cause: Cause,
}

/// The cause of a match's early end. Displayed as the end of a sentence about the player.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum Cause {
    #[error("sent no version line{}", .after.map(|t| format!(" within {t:?}")).unwrap_or_default())]
    NoVersion { after: Option<Duration> },
    #[error("sent `{}` instead of a version line such as \
             VERSION:2.0.0", game::escape::excerpt(.line.trim_end()))]
    BadVersion { line: String },
    #[error("closed its connection")]
    Closed { waited: Duration },
    #[error("does not read what is sent to it")]
    Stalled,
    #[error("did not answer within {limit:?}")]
    ResponseTime { limit: Duration },
    #[error("used more than {limit:?} in one hand")]
    HandTime { limit: Duration },
    #[error("used more than its {limit:?} for the match")]
    MatchTime { limit: Duration },
    #[error("sent a bad reply, `{line}`")]
    BadReply { line: String },
    #[error(
        "sent more than {MAX_JUNK_LINES} lines or {} MiB without an answer among them",
        MAX_JUNK_BYTES >> 20
    )]
    Junk,
    #[error("had more than {limit} replies corrected")]
    TooManyCorrections { limit: u32 },
}

/// The hand being played: its full state and the board cards not yet dealt.
#[derive(Debug)]
struct Hand {
    number: u32,
    state: State,
    board: Board,
}

impl Hand {
    fn new(def: &Arc<GameDef>, number: u32, deal: Deal) -> Hand {
        let state = State { public: PublicState::new(def), hole: deal.hole };
        let mut hand = Hand { number, state, board: deal.board };
        hand.deal();
        hand
    }

    fn play(&mut self, action: Action) -> Result<(), IllegalReason> {
        self.state.public.apply(action)?;
        self.deal();
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.state.public.turn() == Turn::Over
    }

    fn deal(&mut self) {
        let dealt = self.state.public.deal_from(&self.board);
        dealt.expect("the whole board was dealt from the game's own deck");
    }
}
