//! SAGE: a rule for shove or fold to memorise.
//!
//! James Kittock and Lee Jones, the "Sit And Go Endgame" system (SAGE), 2005: twice the higher rank
//! plus the lower one, an ace as 15, plus 22 for a pair and 2 for one suit; the sum is compared
//! with a threshold for the shorter stack, counted in big blinds once the blinds are posted. Rule,
//! table and two examples are those of
//! <http://archives1.twoplustwo.com/showthreaded.php?Number=3948416>. The table ends at 7; beyond
//! it the thresholds that lose least are used.

use cards::{Rank, StartingHand};

use super::ranges::{Payoffs, Range, Ranges};

/// The thresholds for an all-in and for a call, by the stack behind the big blind: 1 to 7.
const TABLE: [[u32; 2]; 7] = [[17, 0], [21, 17], [22, 24], [23, 26], [24, 28], [25, 29], [26, 30]];

/// The power index of a hand.
pub fn power_index(hand: StartingHand) -> u32 {
    let [high, low] = hand.ranks().map(|rank| match rank {
        Rank::ACE => 15,
        rank => 2 + u32::from(rank.index()),
    });
    let bonus = match (hand.is_pair(), hand.is_suited()) {
        (true, _) => 22,
        (false, true) => 2,
        (false, false) => 0,
    };
    2 * high + low + bonus
}

/// The published thresholds for an all-in and for a call at this stack, including the blinds;
/// `None` beyond the table.
pub fn sage(stack: f64) -> Option<[u32; 2]> {
    let behind = (stack - 1.0).round().max(1.0) as usize;
    TABLE.get(behind - 1).copied()
}

/// The thresholds that lose least against best responses.
pub fn best_sage(payoffs: &Payoffs) -> [u32; 2] {
    let sums: Vec<u32> = StartingHand::all().map(power_index).collect();
    let mut order: Vec<usize> = (0..StartingHand::COUNT).collect();
    order.sort_by_key(|&hand| std::cmp::Reverse(sums[hand]));
    // Hands with the same index are played together.
    let last =
        |played: usize| played == order.len() || sums[order[played]] < sums[order[played - 1]];
    let mut best = [(f64::NEG_INFINITY, 0), (f64::INFINITY, 0)];
    payoffs.at_least_by_prefix(&order, |played, value| {
        if last(played) && value > best[0].0 {
            best[0] = (value, sums[order[played - 1]]);
        }
    });
    payoffs.at_most_by_prefix(&order, |played, value| {
        if last(played) && value < best[1].0 {
            best[1] = (value, sums[order[played - 1]]);
        }
    });
    best.map(|(_, threshold)| threshold)
}

/// The ranges of these thresholds.
pub fn sage_ranges([jam, call]: [u32; 2]) -> Ranges {
    let range = |threshold: u32| -> Range {
        let mut range = [0.0; StartingHand::COUNT];
        for hand in StartingHand::all() {
            range[hand.index()] = f64::from(u8::from(power_index(hand) >= threshold));
        }
        range
    };
    Ranges { jam: range(jam), call: range(call) }
}
