//! The cards of a match: a function of its seed and the number of the deal.
//!
//! Each deal has a ChaCha8 stream of its own, so that any deal can be had without those before it:
//! threads and shards need no coordination. (Matches over the ACPC dealer use that server's own
//! generator, which the protocol crate reproduces.)

use cards::{Board, Card, HoleCards};
use game::{BySeat, GameDef};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// All cards of one deal: everybody's hole cards and the whole board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deal {
    /// Each seat's cards.
    pub hole: BySeat<HoleCards>,
    /// The board of all streets.
    pub board: Board,
}

/// Deals the cards of one game from one seed.
#[derive(Debug, Clone)]
pub struct Dealer {
    rng: ChaCha8Rng,
    deck: [Card; Card::COUNT as usize],
    deck_len: usize,
    players: usize,
    hole_cards: usize,
    board_cards: usize,
}

impl Dealer {
    /// A dealer for this game and seed.
    pub fn new(def: &GameDef, seed: u64) -> Dealer {
        let cards = def.deck();
        let mut deck = [cards[0]; Card::COUNT as usize];
        deck[..cards.len()].copy_from_slice(&cards);
        Dealer {
            rng: ChaCha8Rng::seed_from_u64(seed),
            deck,
            deck_len: cards.len(),
            players: def.players,
            hole_cards: def.hole_cards as usize,
            board_cards: def.full_board_len(),
        }
    }

    /// The cards of deal number `deal`: the same whenever it is asked for.
    pub fn deal(&mut self, deal: u64) -> Deal {
        self.rng.set_stream(deal);
        self.rng.set_word_pos(0);
        let mut deck = self.deck;
        let mut left = self.deck_len;
        let mut draw = || {
            let i = below(&mut self.rng, left as u32) as usize;
            left -= 1;
            deck.swap(i, left);
            deck[left]
        };
        let mut hole = BySeat::new(self.players);
        for seat in game::Seat::all(self.players) {
            let mut cards = HoleCards::EMPTY;
            (0..self.hole_cards).for_each(|_| _ = cards.push(draw()));
            hole[seat] = cards;
        }
        let mut board = Board::EMPTY;
        (0..self.board_cards).for_each(|_| _ = board.push(draw()));
        Deal { hole, board }
    }
}

/// A uniform number below `bound`, exactly (Lemire 2019: multiply, reject the uneven rest).
fn below(rng: &mut ChaCha8Rng, bound: u32) -> u32 {
    loop {
        let product = u64::from(rng.next_u32()) * u64::from(bound);
        if product as u32 >= bound.wrapping_neg() % bound {
            return (product >> 32) as u32;
        }
    }
}
