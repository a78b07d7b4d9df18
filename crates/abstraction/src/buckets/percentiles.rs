//! Percentile buckets: groups of hands of nearly equal weight, in the order of a score; nested
//! ones, which are percentiles within classes of boards; and the boards up to suits, by which
//! tables of all hands are laid out.

use std::sync::LazyLock;

use cards::{
    CanonicalIndex, CardSet, Category, Combo, HandEquity, PartialHand, RiverTable, SuitPermutation,
    choose,
};
use game::Street;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

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

/// The score of a hand: `E[HS²]` as a whole number; on the river the equity, which has the same
/// order.
pub(super) fn score(hand_equity: &HandEquity) -> u32 {
    let Some(rivers) = hand_equity.later().last() else { return hand_equity.ratio().0 as u32 };
    let square = |(value, count): (u32, u32)| u64::from(value).pow(2) * u64::from(count);
    let sum: u64 = rivers.counts().map(square).sum();
    let shift = if hand_equity.later().len() == 2 { FLOP_SHIFT } else { TURN_SHIFT };
    (sum >> shift) as u32
}

/// The scores of all hands on all boards of a flop or turn, indexed by
/// [`BoardPosition`].
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
pub(super) fn weights_by_score(
    table: &RiverTable,
    street: Street,
    classes: usize,
    class: impl Fn(CardSet) -> u32 + Sync,
) -> Vec<Vec<u64>> {
    if street == Street::River {
        return weights_on_rivers(table, classes, class);
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

fn weights_on_rivers(
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
        // River scores are equities, whose squares are divided evenly.
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

// Nested buckets: classes of boards, and percentiles of `E[HS²]` within each class.
//
// After the *public nested* abstraction of "Deep counterfactual value networks" studies: boards
// are clustered by two features. The *draw value* is the number of possible straights and flushes:
// pairs of hole cards that make one, summed over all next cards (on the river, with the board as
// it is). The *high-card value* is the sum of the board's ranks, from 0 for a deuce to 12 for an
// ace. Both are scaled to unit variance over all boards before k-means.

/// Number of k-means steps: with some thousand points in the plane it converges long before.
const ROUNDS: usize = 60;

/// The classes of the boards of a street.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Classes {
    /// The scale factors of draw value and high-card value.
    pub(super) scale: [f64; 2],
    /// The centre of each class, scaled, in the order of their draw values.
    pub(super) centres: Vec<[f64; 2]>,
}

/// The draw value and the high-card value of a board of three to five cards.
fn features(board: CardSet) -> [u32; 2] {
    let high = board.iter().map(|card| u32::from(card.rank().index())).sum();
    let draws = if board.len() == 5 {
        made(board)
    } else {
        (CardSet::FULL - board).iter().map(|card| made(board.with(card))).sum()
    };
    [draws, high]
}

/// Number of pairs of hole cards that make a straight or a flush.
fn made(board: CardSet) -> u32 {
    let on_board = PartialHand::from(board);
    let makes = |hole: &Combo| {
        !hole.set().intersects(board)
            && matches!(
                on_board.and(hole.set().into()).rank().category(),
                Category::Straight | Category::Flush | Category::StraightFlush
            )
    };
    Combo::all().filter(makes).count() as u32
}

impl Classes {
    /// Clusters the boards of `cards` cards. `None` when there are fewer different ones than
    /// classes.
    pub(super) fn make(cards: usize, count: u32, seed: u64) -> Option<Classes> {
        let index = CanonicalIndex::new([cards]).expect("three to five cards have an index");
        let boards: Vec<([u32; 2], f64)> = parallel::map(0..index.size(), |number| {
            let board = index.representative(number).zip(index.orbit(number));
            let ([board], orbit) = board.expect("numbers below the size have both");
            (features(board), f64::from(orbit))
        });
        let scale = [0, 1].map(|at| 1.0 / deviation(&boards, at).max(1e-9));
        let points: Vec<([f64; 2], f64)> =
            boards.iter().map(|(features, weight)| (scaled(*features, scale), *weight)).collect();
        let mut centres = first_centres(&points, count as usize, seed)?;
        for _ in 0..ROUNDS {
            let new = means(&points, &centres);
            if new == centres {
                break;
            }
            centres = new;
        }
        centres.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        Some(Classes { scale, centres })
    }

    /// The class of a board.
    pub(super) fn class(&self, board: CardSet) -> u32 {
        nearest(&self.centres, scaled(features(board), self.scale)).0 as u32
    }
}

fn scaled(features: [u32; 2], scale: [f64; 2]) -> [f64; 2] {
    [f64::from(features[0]) * scale[0], f64::from(features[1]) * scale[1]]
}

fn deviation(boards: &[([u32; 2], f64)], at: usize) -> f64 {
    let weight: f64 = boards.iter().map(|(_, weight)| weight).sum();
    let mean = boards.iter().map(|(own, weight)| f64::from(own[at]) * weight).sum::<f64>() / weight;
    let square = |(own, weight): &([u32; 2], f64)| (f64::from(own[at]) - mean).powi(2) * weight;
    (boards.iter().map(square).sum::<f64>() / weight).sqrt()
}

/// The nearest of some centres, the first among equally near ones, and its squared distance.
fn nearest(centres: &[[f64; 2]], point: [f64; 2]) -> (usize, f64) {
    let apart = |centre: &[f64; 2]| (centre[0] - point[0]).powi(2) + (centre[1] - point[1]).powi(2);
    let mut best = (0, f64::INFINITY);
    for (at, centre) in centres.iter().enumerate() {
        let apart = apart(centre);
        if apart < best.1 {
            best = (at, apart);
        }
    }
    best
}

/// Initial centres by k-means++.
fn first_centres(points: &[([f64; 2], f64)], count: usize, seed: u64) -> Option<Vec<[f64; 2]>> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut centres: Vec<[f64; 2]> = Vec::with_capacity(count);
    for _ in 0..count {
        let share = |(point, weight): &([f64; 2], f64)| match centres.as_slice() {
            [] => *weight,
            centres => nearest(centres, *point).1 * weight,
        };
        let total: f64 = points.iter().map(share).sum();
        if total <= 0.0 {
            return None;
        }
        let mut at = rng.random::<f64>() * total;
        let reached = |point: &&([f64; 2], f64)| {
            at -= share(point);
            at < 0.0
        };
        let drawn = points.iter().find(reached).or_else(|| points.iter().rfind(|p| share(p) > 0.0));
        let drawn = drawn?.0;
        centres.push(drawn);
    }
    Some(centres)
}

/// The mean of the points nearest to each centre; a centre without points is unchanged.
fn means(points: &[([f64; 2], f64)], centres: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut sums = vec![[0.0; 3]; centres.len()];
    for ([x, y], weight) in points {
        let sum = &mut sums[nearest(centres, [*x, *y]).0];
        *sum = [sum[0] + x * weight, sum[1] + y * weight, sum[2] + weight];
    }
    let mean = |([x, y, weight], old): (&[f64; 3], &[f64; 2])| {
        if *weight > 0.0 { [x / weight, y / weight] } else { *old }
    };
    sums.iter().zip(centres).map(mean).collect()
}

// Flops and turns up to suit isomorphism, and the layout of tables with an entry for every hand on
// each of them.
//
// A table has a row of 1,326 entries for every canonical board. A look-up by the number of the
// board's card set gives its row and the suit permutation that maps it to the row's board; the
// hand's suits are permuted alike. Where a board is symmetric in suits, several permutations lead
// to the same row, and hands that differ by them have equal entries, so any of them will do.

/// The canonical boards of three or of four cards.
pub(super) struct Boards {
    cards: u32,
    /// Entries by the number of a card set: row × 32 + index of the suit permutation.
    positions: Box<[u32]>,
    /// The canonical board of each row, and the number of boards that the row stands for.
    rows: Vec<(CardSet, u32)>,
}

/// The position of a board in every table of its street.
#[derive(Clone, Copy)]
pub(super) struct BoardPosition {
    row: usize,
    suits: usize,
}

impl BoardPosition {
    /// The table index of a hand on this board; arbitrary for a hand that shares a card with it.
    #[inline]
    pub(super) fn index(self, hole: Combo) -> usize {
        self.row * Combo::COUNT + usize::from(COMBOS[self.suits][hole.index()])
    }
}

impl Boards {
    /// The 1,755 flops.
    pub(super) fn flops() -> &'static Boards {
        static FLOPS: LazyLock<Boards> = LazyLock::new(|| Boards::new(3));
        &FLOPS
    }

    /// The 16,432 sets of four cards, which do not record the turn card.
    pub(super) fn turns() -> &'static Boards {
        static TURNS: LazyLock<Boards> = LazyLock::new(|| Boards::new(4));
        &TURNS
    }

    fn new(cards: usize) -> Boards {
        let index = CanonicalIndex::new([cards]).expect("three and four cards have an index");
        let mut positions = vec![u32::MAX; CHOOSE[52][cards] as usize].into_boxed_slice();
        let mut rows = Vec::with_capacity(index.size() as usize);
        for row in 0..index.size() {
            let board = index.representative(row).zip(index.orbit(row));
            let ([board], orbit) = board.expect("rows are below the size");
            rows.push((board, orbit));
            for (number, suits) in SuitPermutation::all().enumerate() {
                // The board that this permutation maps to the row's own.
                let from = suits.inverse().set(board);
                positions[number_of(from)] = (row as u32) << 5 | number as u32;
            }
        }
        Boards { cards: cards as u32, positions, rows }
    }

    /// The position of a board, which must have this street's number of cards.
    #[inline]
    pub(super) fn position(&self, board: CardSet) -> BoardPosition {
        debug_assert_eq!(board.len(), self.cards);
        let position = self.positions[number_of(board)];
        BoardPosition { row: (position >> 5) as usize, suits: (position & 31) as usize }
    }

    /// The canonical board of each row, and the number of boards that the row stands for.
    pub(super) fn rows(&self) -> &[(CardSet, u32)] {
        &self.rows
    }
}

/// Evaluates `value` once for each canonical five-card board, and gives it for every board by
/// number.
pub(super) fn of_five(value: impl Fn(CardSet) -> u16 + Sync) -> Box<[u16]> {
    let index = CanonicalIndex::new([5]).expect("five cards have an index");
    let found: Vec<(CardSet, u16)> = parallel::map(0..index.size(), |number| {
        let [board] = index.representative(number).expect("below the size");
        (board, value(board))
    });
    let mut all = vec![0; CHOOSE[52][5] as usize].into_boxed_slice();
    for (board, value) in found {
        for suits in SuitPermutation::all() {
            all[number_of(suits.set(board))] = value;
        }
    }
    all
}

/// The number of a set among those with as many cards (at most five): its combinatorial index.
#[inline]
pub(super) fn number_of(cards: CardSet) -> usize {
    let (mut bits, mut number, mut chosen) = (cards.bits(), 0, 1);
    while bits != 0 {
        let bit = bits.trailing_zeros() as usize;
        // Lanes of 16 bits hold 13 ranks.
        number += CHOOSE[bit - 3 * (bit / 16)][chosen & 7];
        bits &= bits - 1;
        chosen += 1;
    }
    number as usize
}

/// Binomial coefficients, for choosing at most five.
static CHOOSE: [[u32; 8]; 53] = {
    let mut table = [[0; 8]; 53];
    let mut n = 0;
    while n < 53 {
        let mut k = 0;
        while k < 6 {
            table[n][k] = choose(n as u64, k as u64) as u32;
            k += 1;
        }
        n += 1;
    }
    table
};

/// The image of each combo under each suit permutation; 32 rows so that five-bit indices need no
/// bounds check.
static COMBOS: LazyLock<Box<[[u16; Combo::COUNT]; 32]>> = LazyLock::new(|| {
    let mut combos = Box::new([[0; Combo::COUNT]; 32]);
    for (row, suits) in combos.iter_mut().zip(SuitPermutation::all()) {
        for combo in Combo::all() {
            row[combo.index()] = suits.combo(combo).index() as u16;
        }
    }
    combos
});
