//! The original server's deals, bit for bit: MT19937 and the order of draws.

use std::fmt::Write;
use std::time::Duration;

use cards::{Board, Card, HoleCards};
use crate::{acpc::reply, acpc::scan};
use game::{Action, Betting, BySeat, GameDef, PublicState, notation};

/// The Mersenne Twister MT19937 (Matsumoto and Nishimura 1998), seeded with one 32-bit number.
#[derive(Debug, Clone)]
pub struct Mt19937 {
    state: [u32; 624],
    next: usize,
}

impl Mt19937 {
    /// A generator initialised as `init_genrand(seed)` does.
    pub fn new(seed: u32) -> Mt19937 {
        let mut state = [seed; 624];
        for i in 1..624 {
            let last = state[i - 1];
            state[i] = 1_812_433_253u32.wrapping_mul(last ^ (last >> 30)).wrapping_add(i as u32);
        }
        Mt19937 { state, next: 624 }
    }

    /// The next 32-bit number, as from `genrand_int32()`.
    pub fn next_u32(&mut self) -> u32 {
        if self.next == 624 {
            self.refill();
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    fn refill(&mut self) {
        for i in 0..624 {
            let joined = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % 624] & 0x7fff_ffff);
            let twist = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + 397) % 624] ^ (joined >> 1) ^ twist;
        }
        self.next = 0;
    }
}

/// All cards of one hand, drawn before play begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deal {
    /// Each seat's hole cards.
    pub hole: BySeat<HoleCards>,
    /// The complete board in order, whether or not play reaches the river.
    pub board: Board,
}

/// A generator of the deals of a match, one after the other.
///
/// Cards belong to seats: the deals depend on the seed and the game alone.
#[derive(Debug, Clone)]
pub struct Deals {
    random: Mt19937,
    deck: Vec<Card>,
    players: usize,
    hole_cards: u8,
    board_cards: usize,
}

impl Deals {
    /// The deals of a game for a seed, from the first hand on.
    pub fn new(def: &GameDef, seed: u32) -> Deals {
        Deals {
            random: Mt19937::new(seed),
            deck: def.deck(),
            players: def.players,
            hole_cards: def.hole_cards,
            board_cards: def.full_board_len(),
        }
    }

    /// Deals the next hand.
    pub fn deal(&mut self) -> Deal {
        let random = &mut self.random;
        let mut left = self.deck.clone();
        let mut draw = || left.swap_remove(random.next_u32() as usize % left.len());
        let hole = BySeat::from_fn(self.players, |_| {
            let mut hand = HoleCards::EMPTY;
            (0..self.hole_cards).for_each(|_| _ = hand.push(draw()));
            hand
        });
        let mut board = Board::EMPTY;
        (0..self.board_cards).for_each(|_| _ = board.push(draw()));
        Deal { hole, board }
    }
}

// Transaction files: one line for each action, from which an interrupted match is continued.
//
// `<action> <hand> <sent> <received>`, the times as seconds and microseconds (`12.000345`). The
// action is the one that was played, after any correction.

/// One action with its send and receive times: a line of a transaction file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transaction {
    /// The action played.
    pub action: Action,
    /// The hand's number.
    pub hand: u32,
    /// Time at which the player was asked. Only differences matter.
    pub sent: Duration,
    /// Time at which the answer was complete.
    pub received: Duration,
}

impl Transaction {
    /// Appends the line, with its end.
    pub fn write(&self, def: &GameDef, out: &mut String) {
        notation::write_action(self.action, def.betting == Betting::Limit, out);
        write!(out, " {} ", self.hand).expect("writing to a string cannot fail");
        write_time(self.sent, out);
        out.push(' ');
        write_time(self.received, out);
        out.push('\n');
    }

    /// The time the player took.
    pub fn elapsed(&self) -> Duration {
        self.received.saturating_sub(self.sent)
    }

    /// Parses a line; the action must be legal in the match's current state.
    pub fn parse(line: &[u8], public: &PublicState) -> Result<Transaction, TransactionError> {
        let (action, used) =
            reply::read_legal_action(line, public).ok_or(TransactionError::Action)?;
        let mut rest = &line[used..];
        let mut number = || {
            let (number, used) = scan::scan_u64(rest)?;
            rest = &rest[used..];
            Some(number)
        };
        let hand = number().ok_or(TransactionError::Stamp)? as u32;
        let seconds = number().ok_or(TransactionError::Stamp)?;
        let (sent, rest) = read_micros(seconds, rest).ok_or(TransactionError::Stamp)?;
        let (seconds, used) = scan::scan_u64(rest).ok_or(TransactionError::Stamp)?;
        let (received, _) = read_micros(seconds, &rest[used..]).ok_or(TransactionError::Stamp)?;
        Ok(Transaction { action, hand, sent, received })
    }
}

/// Error of reading or replaying a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TransactionError {
    /// No action that is legal here.
    #[error("invalid action in transaction log")]
    Action,
    /// Hand number or times cannot be read.
    #[error("could not parse transaction stamp")]
    Stamp,
    /// The line belongs to another hand than the match's current one.
    #[error(
        "handId mismatch in transaction log: hand {found}, but the match is at hand {expected}"
    )]
    Hand {
        /// The current hand of the match.
        expected: u32,
        /// The hand in the line.
        found: u32,
    },
    /// There are more actions than the match has hands.
    #[error("the transaction log goes on after the last hand")]
    PastEnd,
    /// A player had used up its time.
    #[error("seat {} ran out of time in transaction file", .entrant + 1)]
    Time {
        /// The player's seat, from 0.
        entrant: usize,
    },
}

/// Appends a time as seconds and six decimals.
pub fn write_time(time: Duration, out: &mut String) {
    write!(out, "{}.{:06}", time.as_secs(), time.subsec_micros())
        .expect("writing to a string cannot fail");
}

fn read_micros(seconds: u64, text: &[u8]) -> Option<(Duration, &[u8])> {
    let text = text.strip_prefix(b".")?;
    let digits = text.iter().take(6).take_while(|b| b.is_ascii_digit()).count();
    let (micros, _) = scan::scan_u32(&text[..digits])?;
    Some((Duration::from_secs(seconds) + Duration::from_micros(micros.into()), &text[digits..]))
}
