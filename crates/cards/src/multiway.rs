//! Exact multiway all-in equity: several known hands over all boards that may still come.

use crate::{Card, CardSet, Combo, HandRank, PartialHand};

/// Parts of a pot. Divisible by every number of winners from one to ten.
const PARTS: u64 = 2_520;

/// The result of one of several hands over all boards, in exact counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// Boards on which the hand wins the whole pot.
    pub wins: u64,
    /// Boards on which it shares the pot with others.
    pub ties: u64,
    /// All boards.
    pub total: u64,
    /// Winnings over all boards, in 2,520ths of a pot.
    pub parts: u64,
}

impl Share {
    /// The average share of the pot won, from 0 to 1.
    pub fn equity(self) -> f64 {
        self.parts as f64 / (PARTS * self.total.max(1)) as f64
    }
}

/// Error for hands and boards without multiway equity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MultiwayError {
    /// The number of hands is not two to ten.
    #[error("{0} hands: give two to ten")]
    Hands(usize),
    /// The board's number of cards is not 0, 3, 4 or 5.
    #[error("{0} cards on the board: give none, three, four or five")]
    Board(u32),
    /// A card is given twice, in the hands or the board.
    #[error("{0} is given twice: give each card once")]
    Shared(Card),
}

/// The shares of two to ten hands that all go to showdown. Every board that may still come counts
/// once: 1,370,754 for three hands before the flop, some 50 ms.
///
/// # Errors
/// When there are fewer hands or more, the board has not 0, 3, 4 or 5 cards, or a card is given
/// twice.
pub fn all_in_multiway(hands: &[Combo], board: CardSet) -> Result<Vec<Share>, MultiwayError> {
    if !(2..=10).contains(&hands.len()) {
        return Err(MultiwayError::Hands(hands.len()));
    }
    if !matches!(board.len(), 0 | 3 | 4 | 5) {
        return Err(MultiwayError::Board(board.len()));
    }
    let mut seen = board;
    for card in hands.iter().flat_map(|hand| hand.cards()) {
        if !seen.insert(card) {
            return Err(MultiwayError::Shared(card));
        }
    }
    let deck: Vec<Card> = (CardSet::FULL - seen).iter().collect();
    let hands: Vec<PartialHand> = hands.iter().map(|hand| PartialHand::from(hand.set())).collect();
    let mut count =
        Count { hands, ranks: [HandRank::default(); 10], shares: [Share::default(); 10] };
    count.boards(PartialHand::from(board), &deck, 5 - board.len());
    Ok(count.shares[..count.hands.len()].to_vec())
}

struct Count {
    hands: Vec<PartialHand>,
    ranks: [HandRank; 10],
    shares: [Share; 10],
}

impl Count {
    /// Enumerates every completion of the board with `missing` cards of the deck.
    fn boards(&mut self, board: PartialHand, deck: &[Card], missing: u32) {
        if missing == 0 {
            return self.showdown(board);
        }
        for (at, &card) in deck.iter().enumerate() {
            self.boards(board.with(card), &deck[at + 1..], missing - 1);
        }
    }

    fn showdown(&mut self, board: PartialHand) {
        let (mut best, mut winners) = (HandRank::default(), 0);
        for (hand, rank) in self.hands.iter().zip(&mut self.ranks) {
            *rank = hand.and(board).rank();
            if *rank > best {
                (best, winners) = (*rank, 0);
            }
            winners += u64::from(*rank == best);
        }
        let ranks = self.ranks.iter().take(self.hands.len());
        for (share, &rank) in self.shares.iter_mut().zip(ranks) {
            share.total += 1;
            if rank == best {
                share.wins += u64::from(winners == 1);
                share.ties += u64::from(winners > 1);
                share.parts += PARTS / winners;
            }
        }
    }
}
