//! Percentile buckets: groups of hands of nearly equal weight, in the order of a score.

use cards::{CanonicalIndex, CardSet, Combo, Outlook, RiverTable};
use game::Street;

use super::boards::Boards;

/// The score of table entries without a possible hand.
pub(super) const NONE: u32 = u32::MAX;

/// Bits by which sums of squares are shifted right: some million scores are left, so that hands can
/// be counted by score.
const FLOP_SHIFT: u32 = 12;
const TURN_SHIFT: u32 = 8;

/// Number of possible scores on a street.
fn scores(street: Street) -> usize {
    let most = u64::from(RiverTable::DENOMINATOR).pow(2);
    match street {
        Street::Flop => ((1081 * most) >> FLOP_SHIFT) as usize + 1,
        Street::Turn => ((46 * most) >> TURN_SHIFT) as usize + 1,
        _ => usize::from(RiverTable::DENOMINATOR) + 1,
    }
}

/// The score of a hand: `E[HS²]` as a whole number; on the river the win-rate, which has the same
/// order.
pub(super) fn score(outlook: &Outlook) -> u32 {
    let Some(rivers) = outlook.later().last() else { return outlook.ratio().0 as u32 };
    let square = |(value, count): (u32, u32)| u64::from(value).pow(2) * u64::from(count);
    let sum: u64 = rivers.counts().map(square).sum();
    let shift = if outlook.later().len() == 2 { FLOP_SHIFT } else { TURN_SHIFT };
    (sum >> shift) as u32
}

/// The scores of all hands on all boards of a flop or turn, indexed by
/// [`super::boards::BoardPosition`].
pub(super) fn all_scores(table: &RiverTable, street: Street) -> Vec<u32> {
    let (boards, shift) = match street {
        Street::Flop => (Boards::flops(), FLOP_SHIFT),
        _ => (Boards::turns(), TURN_SHIFT),
    };
    let mut scores = vec![NONE; boards.rows().len() * Combo::COUNT];
    let rows = scores.chunks_mut(Combo::COUNT).zip(boards.rows());
    parallel::for_each(rows, |(row, (board, _))| {
        let visit = |hole: Combo, sum| row[hole.index()] = (sum >> shift) as u32;
        table.each_sum_of_squares(*board, visit).expect("boards of three or four cards");
    });
    scores
}

/// The number of deals of hand and board with each score, for each class of boards.
pub(super) fn weigh(
    table: &RiverTable,
    street: Street,
    classes: usize,
    class: impl Fn(CardSet) -> u32 + Sync,
) -> Vec<Vec<u64>> {
    if street == Street::River {
        return weigh_rivers(table, classes, class);
    }
    let boards = if street == Street::Flop { Boards::flops() } else { Boards::turns() };
    let of_rows: Vec<u32> = parallel::map(boards.rows(), |(board, _)| class(*board));
    let all = all_scores(table, street);
    let mut weights = vec![vec![0; scores(street)]; classes];
    let rows = all.chunks(Combo::COUNT).zip(boards.rows()).zip(of_rows);
    for ((row, (_, boards)), class) in rows {
        let weights = &mut weights[class as usize];
        for &score in row.iter().filter(|&&score| score != NONE) {
            weights[score as usize] += u64::from(*boards);
        }
    }
    weights
}

fn weigh_rivers(
    table: &RiverTable,
    classes: usize,
    class: impl Fn(CardSet) -> u32 + Sync,
) -> Vec<Vec<u64>> {
    let index = CanonicalIndex::new([5]).expect("five cards have an index");
    let empty = || vec![vec![0; scores(Street::River)]; classes];
    let add = |weights: &mut Vec<Vec<u64>>, number: u64| {
        let board = index.representative(number).zip(index.orbit(number));
        let ([board], boards) = board.expect("numbers below the size have both");
        let mut values = [0; Combo::COUNT];
        table.all(board, &mut values).expect("five cards");
        let own = &mut weights[class(board) as usize];
        for combo in Combo::all().filter(|combo| !combo.set().intersects(board)) {
            own[usize::from(values[combo.index()])] += u64::from(boards);
        }
    };
    let mut all = empty();
    for more in parallel::fold(0..index.size(), empty, add) {
        all.iter_mut().flatten().zip(more.iter().flatten()).for_each(|(sum, more)| *sum += more);
    }
    all
}

/// The lowest scores of all groups but the first, for groups that are equal steps of `E[HS²]`.
///
/// # Errors
/// The number of distinct groups, when it is less than `groups`.
pub(super) fn steps(street: Street, groups: u32) -> Result<Vec<u32>, u32> {
    let most = scores(street) as f64 - 1.0;
    let least = |step: u32| {
        let square = f64::from(step) / f64::from(groups);
        // River scores are win-rates, whose squares are divided evenly.
        (most * if street == Street::River { square.sqrt() } else { square }).ceil() as u32
    };
    let mut cuts: Vec<u32> = (1..groups).map(least).collect();
    cuts.dedup();
    let possible = cuts.len() as u32 + 1;
    if possible == groups { Ok(cuts) } else { Err(possible) }
}

/// The lowest scores of all groups but the first, for groups as equal in weight as is possible
/// without dividing hands of one score; none is empty.
///
/// # Errors
/// The number of distinct scores, when it is less than `groups`.
pub(super) fn cuts(weights: &[u64], groups: u32) -> Result<Vec<u32>, u32> {
    let scores = || (0..).zip(weights).filter(|(_, weight)| **weight > 0);
    let (mut scores_left, mut groups_left) = (scores().count() as u64, u64::from(groups));
    if scores_left < groups_left {
        return Err(scores_left as u32);
    }
    let mut cuts = Vec::with_capacity(groups as usize);
    let mut weight_left: u64 = weights.iter().sum();
    let mut filled = 0;
    for (score, &weight) in scores() {
        // The target is an equal share of what is left; cut on the side where it is missed by less.
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
    Ok(cuts)
}
