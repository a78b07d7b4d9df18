//! Equally likely groups of hands in the order of a score.

use cards::{CanonicalIndex, CardSet, Combo, Outlook, RiverTable, WinRateError};
use game::Street;
use rayon::prelude::*;

use super::boards::Boards;

/// The score of places where no hand can be.
pub(super) const NONE: u32 = u32::MAX;

/// Bits by which sums of squares are made smaller: some million scores are left, so that hands can be
/// counted by score.
const FLOP_SHIFT: u32 = 12;
const TURN_SHIFT: u32 = 8;

/// Scores that there can be on a street.
fn scores(street: Street) -> usize {
    let most = u64::from(RiverTable::DENOMINATOR).pow(2);
    match street {
        Street::Flop => ((1081 * most) >> FLOP_SHIFT) as usize + 1,
        Street::Turn => ((46 * most) >> TURN_SHIFT) as usize + 1,
        _ => usize::from(RiverTable::DENOMINATOR) + 1,
    }
}

/// E[HS²] of a hand as a whole number. On the river the win-rate itself, which has the same order.
pub(super) fn score(outlook: &Outlook) -> u32 {
    let Some(rivers) = outlook.later().last() else { return outlook.ratio().0 as u32 };
    let square = |(value, count): (u32, u32)| u64::from(value).pow(2) * u64::from(count);
    let sum: u64 = rivers.counts().map(square).sum();
    let shift = if outlook.later().len() == 2 { FLOP_SHIFT } else { TURN_SHIFT };
    (sum >> shift) as u32
}

/// The scores of all hands on all boards of a flop or turn, by [`super::boards::Place`].
pub(super) fn all_scores(table: &RiverTable, street: Street) -> Vec<u32> {
    let (boards, shift) = match street {
        Street::Flop => (Boards::flops(), FLOP_SHIFT),
        _ => (Boards::turns(), TURN_SHIFT),
    };
    let mut scores = vec![NONE; boards.rows().len() * Combo::COUNT];
    scores.par_chunks_mut(Combo::COUNT).zip(boards.rows()).for_each(|(row, (board, _))| {
        let visit = |hole: Combo, sum| row[hole.index()] = (sum >> shift) as u32;
        table.each_sum_of_squares(*board, visit).expect("boards of three or four cards");
    });
    scores
}

/// How many deals of hand and board have each score.
pub(super) fn weigh(table: &RiverTable, street: Street, all: &[u32]) -> Vec<u64> {
    let mut weights = vec![0; scores(street)];
    if street == Street::River {
        each_river(|board, boards| {
            let mut values = [0; Combo::COUNT];
            table.all(board, &mut values)?;
            for combo in Combo::all().filter(|combo| !combo.set().intersects(board)) {
                weights[usize::from(values[combo.index()])] += u64::from(boards);
            }
            Ok(())
        });
        return weights;
    }
    let boards = if street == Street::Flop { Boards::flops() } else { Boards::turns() };
    for (row, (_, boards)) in all.chunks(Combo::COUNT).zip(boards.rows()) {
        for &score in row.iter().filter(|&&score| score != NONE) {
            weights[score as usize] += u64::from(*boards);
        }
    }
    weights
}

/// Visits one of every kind of river board, with the number of boards of that kind.
fn each_river(mut visit: impl FnMut(CardSet, u32) -> Result<(), WinRateError>) {
    let index = CanonicalIndex::new([5]).expect("five cards have an index");
    for number in 0..index.size() {
        let board = index.representative(number).zip(index.orbit(number));
        let ([board], orbit) = board.expect("numbers below the size have both");
        visit(board, orbit).expect("five cards");
    }
}

/// The least scores of all groups but the first, for so many groups as equal in weight as they can be
/// without dividing hands of one score; none is empty. `None` when there are fewer scores than groups.
pub(super) fn cuts(weights: &[u64], groups: u32) -> Option<Vec<u32>> {
    let scores = || (0..).zip(weights).filter(|(_, weight)| **weight > 0);
    let (mut scores_left, mut groups_left) = (scores().count() as u64, u64::from(groups));
    if scores_left < groups_left {
        return None;
    }
    let mut cuts = Vec::with_capacity(groups as usize);
    let mut weight_left: u64 = weights.iter().sum();
    let mut filled = 0;
    for (score, &weight) in scores() {
        // As much in this group as each of those left would get. Cut where that is missed by less.
        let full = (2 * filled + weight) * groups_left > 2 * (weight_left + filled);
        if filled > 0 && groups_left > 1 && (full || scores_left < groups_left) {
            cuts.push(score);
            groups_left -= 1;
            filled = 0;
        }
        filled += weight;
        weight_left -= weight;
        scores_left -= 1;
    }
    debug_assert_eq!(cuts.len() + 1, groups as usize);
    Some(cuts)
}
