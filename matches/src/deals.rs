//! The cards of a match: a function of its seed and the number of the deal.
//!
//! Each deal has its own section of one ChaCha8 stream, so that any deal can be computed without
//! those before it: threads and shards need no coordination. (Matches over the ACPC dealer use that
//! server's own generator, which the protocol crate reproduces.)

use cards::{Board, Card, HoleCards};
use game::{BySeat, GameDef};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// All cards of one deal: everybody's hole cards and the whole board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deal {
    /// The hole cards, by seat.
    pub hole: BySeat<HoleCards>,
    /// The board of all streets together.
    pub board: Board,
}

/// The generator of the deals of one game and seed.
#[derive(Debug, Clone)]
pub struct Dealer {
    rng: ChaCha8Rng,
    /// Words of the stream for each deal.
    words: u64,
    /// The number of the deal at which the stream stands.
    next: u64,
    deck: [Card; Card::COUNT as usize],
    deck_len: usize,
    players: usize,
    hole_cards: usize,
    board_cards: usize,
}

impl Dealer {
    /// The generator for this game and seed.
    pub fn new(def: &GameDef, seed: u64) -> Dealer {
        let cards = def.deck();
        let mut deck = [cards[0]; Card::COUNT as usize];
        deck[..cards.len()].copy_from_slice(&cards);
        let board_cards = def.full_board_len();
        let draws = def.players * def.hole_cards as usize + board_cards;
        Dealer {
            rng: ChaCha8Rng::seed_from_u64(seed),
            words: draws.next_power_of_two() as u64,
            next: 0,
            deck,
            deck_len: cards.len(),
            players: def.players,
            hole_cards: def.hole_cards as usize,
            board_cards,
        }
    }

    /// The cards of deal number `deal`, the same whenever it is asked for. Deals in order are
    /// cheapest.
    pub fn deal(&mut self, deal: u64) -> Deal {
        if deal != self.next {
            self.rng.set_word_pos(u128::from(deal) * u128::from(self.words));
        }
        self.next = deal.wrapping_add(1);
        let mut deck = self.deck;
        let mut left = self.deck_len;
        let mut unused = self.words;
        let mut draw = || {
            unused -= 1;
            // One word per draw: the bias is below one part in 2^26.
            let i = ((u64::from(self.rng.next_u32()) * left as u64) >> 32) as usize;
            left -= 1;
            deck.swap(i, left);
            deck[left]
        };
        let hole = BySeat::from_fn(self.players, |_| {
            let mut cards = HoleCards::EMPTY;
            (0..self.hole_cards).for_each(|_| _ = cards.push(draw()));
            cards
        });
        let mut board = Board::EMPTY;
        (0..self.board_cards).for_each(|_| _ = board.push(draw()));
        (0..unused).for_each(|_| _ = self.rng.next_u32());
        Deal { hole, board }
    }
}
