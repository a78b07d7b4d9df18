//! The outlooks of the 169 starting hands, over all boards up to suit isomorphism.

use super::hands::TurnSums;
use super::outlook::{FLOP, RIVER, TURN};
use super::{Distribution, Outlook};
use crate::{Card, CardSet, Combo, Rank, RiverBoard, RiverTable, StartingHand, Suit};

/// Number of starting hands processed together: their counters take 16 MB.
const BATCH_SIZE: usize = 43;

impl RiverTable {
    /// Calls `visit` with the outlook of each starting hand, over all its 19,600 flops, 230,300
    /// turns and 2,118,760 rivers: about 2 s for all 169.
    pub fn each_starting_hand(&self, mut visit: impl FnMut(StartingHand, &Outlook)) {
        let all: Vec<StartingHand> = StartingHand::all().collect();
        for hands in all.chunks(BATCH_SIZE) {
            for (&hand, outlook) in hands.iter().zip(self.starting_hands(hands)) {
                visit(hand, &outlook);
            }
        }
    }

    /// The outlooks of some starting hands.
    ///
    /// One board of each isomorphism class is combined with all combos of a hand, which covers
    /// every case up to suits; the counts are then divided by the number of combos.
    pub(crate) fn starting_hands(&self, hands: &[StartingHand]) -> Vec<Outlook> {
        let combos: Vec<(usize, Combo)> = (hands.iter().enumerate())
            .flat_map(|(slot, hand)| hand.combos().map(move |combo| (slot, combo)))
            .collect();
        let free = |board: CardSet| {
            combos.iter().copied().filter(move |(_, combo)| !combo.set().intersects(board))
        };

        let mut flops = vec![Vec::new(); hands.len()];
        each_board(3, |flop, boards| {
            let turns = TurnSums::all(self, flop, u32::from);
            for (slot, combo) in free(flop) {
                let next = turns.iter().filter(|(card, _)| !combo.set().contains(*card));
                let sum: u32 = next.map(|(_, sums)| sums.sum(self, combo)).sum();
                // Each run-out was counted for both of its cards.
                flops[slot].push((sum / 2, boards));
            }
        });
        let mut turns = vec![vec![0u32; TURN as usize + 1]; hands.len()];
        each_board(4, |turn, boards| {
            let sums = TurnSums::new(self, turn, u32::from);
            for (slot, combo) in free(turn) {
                turns[slot][sums.sum(self, combo) as usize] += boards;
            }
        });
        let mut rivers = vec![vec![0u32; RIVER as usize + 1]; hands.len()];
        each_board(5, |board, boards| {
            let river = RiverBoard::of(board);
            for (slot, combo) in free(board) {
                rivers[slot][self.at(river.state(combo)) as usize] += boards;
            }
        });

        let mut outlook = |slot: usize| {
            let size = hands[slot].combos().count() as u32;
            flops[slot].sort_unstable();
            let flop = merged(FLOP, flops[slot].iter().copied(), size);
            let turn = merged(TURN, (0..).zip(turns[slot].iter().copied()), size);
            let river = merged(RIVER, (0..).zip(rivers[slot].iter().copied()), size);
            Outlook {
                numerator: river.sum(),
                denominator: u64::from(river.boards()) * u64::from(RIVER),
                later: vec![flop, turn, river],
            }
        };
        (0..hands.len()).map(&mut outlook).collect()
    }
}

/// A distribution from increasing numerators, given the number of boards of each as counted for
/// `times` combos.
fn merged(denominator: u32, counts: impl Iterator<Item = (u32, u32)>, times: u32) -> Distribution {
    let mut distribution = Distribution::default();
    distribution.reset(denominator);
    for (numerator, count) in counts.filter(|(_, count)| *count > 0) {
        distribution.push(numerator, count);
    }
    distribution.divide(times);
    distribution
}

/// Calls `visit` with one board of each suit-isomorphism class of boards of `size` cards (at most
/// five) and the class's number of boards: 1,755 flop, 16,432 turn and 134,459 river classes.
fn each_board(size: u32, mut visit: impl FnMut(CardSet, u32)) {
    let masks: Vec<u16> = (0..1 << 13).filter(|mask: &u16| mask.count_ones() <= size).collect();
    extend(&masks, size, &mut [0; 4], 0, &mut visit);
}

/// Chooses rank masks recursively for the suits from `suit` on, none above the one before.
fn extend(
    masks: &[u16],
    missing: u32,
    suits: &mut [u16; 4],
    suit: usize,
    visit: &mut impl FnMut(CardSet, u32),
) {
    if missing == 0 {
        suits[suit..].fill(0);
        return visit(board_of(suits), arrangements(suits));
    }
    if suit == 4 {
        return;
    }
    for (at, &mask) in masks.iter().enumerate() {
        if mask > 0 && mask.count_ones() <= missing {
            suits[suit] = mask;
            extend(&masks[..=at], missing - mask.count_ones(), suits, suit + 1, visit);
        }
    }
}

fn board_of(suits: &[u16; 4]) -> CardSet {
    let cards = Suit::all().flat_map(|suit| {
        let mask = suits[suit.index() as usize];
        Rank::all()
            .filter(move |rank| mask >> rank.index() & 1 == 1)
            .map(move |rank| Card::new(rank, suit))
    });
    cards.collect()
}

/// Number of ways to assign these masks to the four suits.
fn arrangements(suits: &[u16; 4]) -> u32 {
    let same = |run: &[u16]| (1..=run.len() as u32).product::<u32>();
    24 / suits.chunk_by(PartialEq::eq).map(same).product::<u32>()
}
