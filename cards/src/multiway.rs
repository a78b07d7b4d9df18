//! All-in equity of several known hands: all boards that may still come, counted.

use crate::{Card, CardSet, Combo, HandRank, PartialHand};

/// Parts of a pot: any number of winners up to ten shares it without a rest.
const PARTS: u64 = 2_520;

/// What one of several hands gets over all boards: exact counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// Boards on which the hand wins the whole pot.
    pub wins: u64,
    /// Boards on which it shares the pot with others.
    pub ties: u64,
    /// All boards.
    pub total: u64,
    /// What it won, in 2,520ths of a pot, over all boards.
    pub parts: u64,
}

impl Share {
    /// The share of the pot it wins on average, from 0 to 1.
    pub fn equity(self) -> f64 {
        self.parts as f64 / (PARTS * self.total.max(1)) as f64
    }
}

/// Why there are no shares of these hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MultiwayError {
    /// Not two to ten hands.
    #[error("{0} hands: give two to ten")]
    Hands(usize),
    /// The board has a number of cards that no street has.
    #[error("{0} cards on the board: give none, three, four or five")]
    Board(u32),
    /// A card stands in two of the hands and the board.
    #[error("{0} is given twice: give each card once")]
    Shared(Card),
}

/// What each of two to ten hands gets when all of them see the board to its end. Every board that
/// may still come counts once: 1,370,754 for three hands before the flop, some 50 ms.
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
    /// Every way of adding `missing` cards of the deck to the board.
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
