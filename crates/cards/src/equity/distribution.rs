//! A hand's equity now, and its distribution over the boards of every later street.

use super::river::{Classes, RiverBoard, RiverTable, RunOuts, Unfinished};
use super::{Ties, check, each_river};
use crate::counting::ranks;
use crate::{Card, CardSet, Combo, Error};

/// Denominators of the equity on one board of each street: twice the number of endings.
pub(crate) const RIVER: u32 = RiverTable::DENOMINATOR as u32;
pub(crate) const TURN: u32 = 46 * RIVER;
pub(crate) const FLOP: u32 = 1081 * RIVER;

/// A hand's equity against a uniform opponent now, and its distribution on every later street.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HandEquity {
    pub(crate) numerator: u64,
    pub(crate) denominator: u64,
    pub(crate) later: Vec<Distribution>,
}

impl HandEquity {
    /// The equity of a hand on a flop, turn or river without a table: about 1 ms from a flop. For
    /// many hands, and before the flop, take [`RiverTable::hand_equity`], which is a hundred times
    /// faster.
    ///
    /// # Errors
    /// When the board has not 3, 4 or 5 cards, or shares one with the hand.
    pub fn new(hole: Combo, board: CardSet, ties: Ties) -> Result<HandEquity, Error> {
        check(hole, board, &[3, 4, 5])?;
        let (mut rivers, mut turns) = (Vec::new(), [0u32; Card::COUNT as usize]);
        each_river(board, hole.set(), &mut |river| {
            let value = u32::from(Classes::one(river, hole.set()).value(ties));
            rivers.push(value);
            (river - board).iter().for_each(|card| turns[card.index() as usize] += value);
        });
        let mut hand_equity = HandEquity {
            numerator: rivers.iter().copied().map(u64::from).sum(),
            denominator: u64::from(RIVER) * rivers.len() as u64,
            later: Vec::new(),
        };
        if board.len() == 3 {
            let next = CardSet::FULL - board - hole.set();
            let turns = next.iter().map(|card| turns[card.index() as usize]).collect();
            hand_equity.later.push(sorted(TURN, turns));
        }
        if board.len() < 5 {
            hand_equity.later.push(sorted(RIVER, rivers));
        }
        Ok(hand_equity)
    }

    /// The equity of a hand on a river, given its equity in 1,980ths.
    pub fn on_river(value: u16) -> HandEquity {
        HandEquity { numerator: value.into(), denominator: RIVER.into(), later: Vec::new() }
    }

    /// The equity now, from 0 to 1.
    pub fn equity(&self) -> f64 {
        self.numerator as f64 / self.denominator.max(1) as f64
    }

    /// The equity now as numerator and denominator; the denominator is twice the number of
    /// equally likely endings.
    pub fn ratio(&self) -> (u64, u64) {
        (self.numerator, self.denominator)
    }

    /// The distribution on each later street, the next street first: 47 boards and 1,081 boards
    /// from a flop; 46 from a turn; none from a river; 19,600, 230,300 and 2,118,760 before the
    /// flop.
    pub fn later(&self) -> &[Distribution] {
        &self.later
    }
}

fn sorted(denominator: u32, mut numerators: Vec<u32>) -> Distribution {
    numerators.sort_unstable();
    let mut distribution = Distribution::default();
    distribution.fill(denominator, numerators.into_iter());
    distribution
}

// The equity of one hand: one table look-up for each class of run-outs, not for each run-out.
//
// Run-outs whose cards have the same ranks, and the same part in a flush, lead to the same row of
// the table. From a flop there are some 300 such classes among 1,081 run-outs.

impl RiverTable {
    /// The equity of a hand on any street: about 1 µs from a turn, 8 µs from a flop, 0.2 s before
    /// it.
    ///
    /// # Errors
    /// When the board has not 0, 3, 4 or 5 cards, or shares one with the hand.
    pub fn hand_equity(&self, hole: Combo, board: CardSet) -> Result<HandEquity, Error> {
        let mut hand_equity = HandEquity::default();
        self.hand_equity_into(hole, board, &mut hand_equity)?;
        Ok(hand_equity)
    }

    /// The same as [`RiverTable::hand_equity`], written into an existing one. Allocates nothing
    /// from a flop on when that was of the same street.
    ///
    /// # Errors
    /// As [`RiverTable::hand_equity`]; `hand_equity` is then unchanged.
    pub fn hand_equity_into(
        &self,
        hole: Combo,
        board: CardSet,
        hand_equity: &mut HandEquity,
    ) -> Result<(), Error> {
        check(hole, board, &[0, 3, 4, 5])?;
        match board.len() {
            0 => *hand_equity = self.starting_hands(&[hole.starting_hand()]).remove(0),
            3 => self.after_flop(hole, board, hand_equity),
            4 => self.after_turn(hole, board, hand_equity),
            _ => {
                let value = self.value_of_state(RiverBoard::from_set(board).state(hole));
                (hand_equity.numerator, hand_equity.denominator) =
                    (u64::from(value), u64::from(RIVER));
                hand_equity.later.clear();
            }
        }
        Ok(())
    }

    fn after_turn(&self, hole: Combo, board: CardSet, hand_equity: &mut HandEquity) {
        let rivers = Unfinished::new(board).rivers();
        let mut values = [0u16; 46];
        for (value, card) in values.iter_mut().zip((CardSet::FULL - board - hole.set()).iter()) {
            *value = self.value_of_state(rivers[card.index() as usize].state(hole));
        }
        values.sort_unstable();
        let sum: u32 = values.iter().copied().map(u32::from).sum();
        (hand_equity.numerator, hand_equity.denominator) = (u64::from(sum), u64::from(TURN));
        hand_equity.later.resize_with(1, Distribution::default);
        hand_equity.later[0].fill(RIVER, values.into_iter().map(u32::from));
    }

    fn after_flop(&self, hole: Combo, board: CardSet, hand_equity: &mut HandEquity) {
        let free = (CardSet::FULL - board - hole.set()).by_suit();
        let mut sums = Sums { rivers: Counter::new(), turns: [[0; 16]; 4] };
        let run_outs = RunOuts::new(&Unfinished::new(board), free, |river| {
            let value = self.value_of_state(river.state(hole));
            sums.rivers.expect(value);
            value
        });
        run_outs.for_each(|values, first, second, others| sums.add(values, first, second, others));

        let mut turns = [0; 47];
        let cards = (0..4).flat_map(|suit| ranks(free[suit]).map(move |rank| [suit, rank]));
        for (turn, [suit, rank]) in turns.iter_mut().zip(cards) {
            *turn = sums.turns[suit][rank];
        }
        turns.sort_unstable();
        // Each run-out was counted for both of its cards.
        let sum: u64 = turns.iter().copied().map(u64::from).sum();
        (hand_equity.numerator, hand_equity.denominator) = (sum / 2, u64::from(FLOP));
        hand_equity.later.resize_with(2, Distribution::default);
        hand_equity.later[0].fill(TURN, turns.into_iter());
        sums.rivers.drain(&mut hand_equity.later[1]);
    }
}

/// The sums of one hand over the run-outs of a flop.
struct Sums {
    rivers: Counter,
    /// The sum over the rivers after each turn card, indexed by suit and rank.
    turns: [[u32; 16]; 4],
}

impl Sums {
    /// Adds the run-outs of one card with each card of these ranks of a suit.
    #[inline]
    fn add(&mut self, values: &[u16; 16], [first, x]: [usize; 2], second: usize, others: u16) {
        let mut sum = 0;
        for y in ranks(others) {
            let value = values[y];
            self.rivers.add(value, 1);
            self.turns[second][y] += u32::from(value);
            sum += u32::from(value);
        }
        self.turns[first][x] += sum;
    }
}

/// Equities of one hand on each board that a later street may bring, all equally likely.
///
/// An equity is a whole numerator over one common denominator, so that quantiles are exact; they
/// become floating-point numbers last.
#[derive(Debug, Clone, Default)]
pub struct Distribution {
    denominator: u32,
    /// The equities in increasing order, each with the cumulative number of boards. Equal ones may
    /// take several steps; where every board has its own step, quantiles need no search.
    steps: Vec<Step>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Step {
    numerator: u32,
    up_to: u32,
}

impl Distribution {
    /// Clears the distribution and sets the denominator.
    pub(crate) fn reset(&mut self, denominator: u32) {
        self.denominator = denominator;
        self.steps.clear();
    }

    /// Adds `count` boards with an equity not below those already here.
    #[inline]
    pub(crate) fn push(&mut self, numerator: u32, count: u32) {
        let up_to = self.boards() + count;
        match self.steps.last_mut() {
            Some(last) if last.numerator == numerator => last.up_to = up_to,
            _ => self.steps.push(Step { numerator, up_to }),
        }
    }

    /// Divides the numbers of boards by `times`, of which all must be multiples.
    pub(crate) fn divide(&mut self, times: u32) {
        self.steps.iter_mut().for_each(|step| step.up_to /= times);
    }

    /// The sum of the numerators over all boards.
    pub(crate) fn sum(&self) -> u64 {
        self.counts().map(|(numerator, count)| u64::from(numerator) * u64::from(count)).sum()
    }

    /// Replaces the contents with these sorted numerators.
    pub(crate) fn fill(&mut self, denominator: u32, sorted: impl ExactSizeIterator<Item = u32>) {
        self.reset(denominator);
        self.steps.extend(sorted.zip(1..).map(|(numerator, up_to)| Step { numerator, up_to }));
    }

    /// Number of boards.
    #[inline]
    pub fn boards(&self) -> u32 {
        self.steps.last().map_or(0, |step| step.up_to)
    }

    /// The common denominator: the numerator of a hand that always wins.
    pub fn denominator(&self) -> u32 {
        self.denominator
    }

    /// Each distinct numerator, the lowest first, with its number of boards.
    pub fn counts(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let equal = self.steps.chunk_by(|a, b| a.numerator == b.numerator);
        equal.scan(0, |below, steps| {
            let last = steps[steps.len() - 1];
            let count = last.up_to - *below;
            *below = last.up_to;
            Some((last.numerator, count))
        })
    }

    /// The mean equity, which is the hand's equity now.
    pub fn mean(&self) -> f64 {
        self.ratio(self.sum() as f64) / f64::from(self.boards().max(1))
    }

    /// The lowest equity that at least the share `p` (0 to 1) of the boards do not exceed: the
    /// quantile by nearest rank. 0 where there are no boards.
    ///
    /// A share within a billionth above a whole number of boards counts as that number, so that
    /// `0.1 + 0.2` asks for what `0.3` asks for.
    pub fn quantile(&self, p: f64) -> f64 {
        let rank = (p.clamp(0.0, 1.0) * f64::from(self.boards()) - 1e-9).ceil();
        self.ratio(f64::from(self.ranked(rank as u32)))
    }

    /// The quantile by linear interpolation between the two nearest boards, which are spread evenly
    /// from 0 (the worst board) to 1 (the best).
    pub fn quantile_linear(&self, p: f64) -> f64 {
        let at = p.clamp(0.0, 1.0) * f64::from(self.boards().saturating_sub(1));
        let below = f64::from(self.ranked(at as u32 + 1));
        let above = f64::from(self.ranked((at as u32 + 2).min(self.boards())));
        self.ratio(below + (above - below) * at.fract())
    }

    /// The quantiles at 10 %, 20 % … 100 % by nearest rank.
    pub fn deciles(&self) -> [f64; 10] {
        self.decile_numerators().map(|numerator| self.ratio(f64::from(numerator)))
    }

    /// The numerators of [`Distribution::deciles`].
    pub fn decile_numerators(&self) -> [u32; 10] {
        let boards = u64::from(self.boards());
        std::array::from_fn(|i| self.ranked((boards * (i as u64 + 1)).div_ceil(10) as u32))
    }

    /// The ten quantiles at 10 %, 20 % … 100 % by linear interpolation.
    pub fn deciles_linear(&self) -> [f64; 10] {
        std::array::from_fn(|i| self.quantile_linear((i + 1) as f64 / 10.0))
    }

    /// Number of boards in each of `bins` equal intervals from 0 to 1; an equity on an edge
    /// belongs to the interval above it, and 1 to the last. Empty when `bins` is 0.
    pub fn histogram(&self, bins: usize) -> Vec<u32> {
        let mut histogram = vec![0; bins];
        for (numerator, count) in self.counts() {
            let bin = u64::from(numerator) * bins as u64 / u64::from(self.denominator);
            if let Some(last) = bins.checked_sub(1) {
                histogram[last.min(bin as usize)] += count;
            }
        }
        histogram
    }

    /// The numerator of the board with this rank, counted from 1 for the worst; 0 without boards.
    fn ranked(&self, rank: u32) -> u32 {
        let rank = rank.max(1);
        let at = if self.steps.len() == self.boards() as usize {
            rank as usize - 1
        } else {
            self.steps.partition_point(|step| step.up_to < rank)
        };
        self.steps.get(at).map_or(0, |step| step.numerator)
    }

    fn ratio(&self, numerator: f64) -> f64 {
        numerator / f64::from(self.denominator.max(1))
    }
}

impl PartialEq for Distribution {
    fn eq(&self, other: &Distribution) -> bool {
        self.denominator == other.denominator && self.counts().eq(other.counts())
    }
}

impl Eq for Distribution {}

/// Number of boards for each of the 1,981 equities that a river can have.
pub(crate) struct Counter {
    boards: [u16; 64 * WORDS],
    /// A bit for each numerator that may have boards.
    seen: [u64; WORDS],
}

/// Number of 64-bit words that have a bit for each numerator from 0 to 1,980.
const WORDS: usize = 31;

impl Counter {
    pub(crate) fn new() -> Counter {
        Counter { boards: [0; 64 * WORDS], seen: [0; WORDS] }
    }

    /// Marks a numerator as possible; must precede [`add`](Counter::add) for it.
    #[inline]
    pub(crate) fn expect(&mut self, numerator: u16) {
        self.seen[numerator as usize / 64] |= 1 << (numerator % 64);
    }

    /// Adds `boards` boards with this numerator.
    #[inline]
    pub(crate) fn add(&mut self, numerator: u16, boards: u16) {
        let entry = &mut self.boards[numerator as usize];
        *entry = entry.wrapping_add(boards);
    }

    /// Moves the counts to a distribution and resets them to zero.
    pub(crate) fn drain(&mut self, distribution: &mut Distribution) {
        distribution.reset(RIVER);
        for (word, seen) in self.seen.iter_mut().enumerate() {
            while *seen != 0 {
                let numerator = 64 * word + seen.trailing_zeros() as usize;
                *seen &= *seen - 1;
                if self.boards[numerator] > 0 {
                    distribution.push(numerator as u32, u32::from(self.boards[numerator]));
                    self.boards[numerator] = 0;
                }
            }
        }
    }
}
