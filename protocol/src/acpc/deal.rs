//! The original server's deals, bit for bit: MT19937 and the order of draws.

use cards::{Board, Card, HoleCards};
use game::{BySeat, GameDef};

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
