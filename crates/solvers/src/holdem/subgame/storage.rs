//! Storage of regrets and average strategies, in 32 or 16 bits.
//!
//! A [`BoardStorage`] holds one line of betting on one board. The rows of the first player come
//! before those of the second, and the rows of a decision are adjacent. In 16 bits each decision
//! has one scale for all its regrets and one for its averages. Strategies are computed from the
//! regrets, or from predictions stored next to them.

use std::io::{self, Read, Write};
use std::ops::Range;

use super::betting::{Decision, Line};
use super::boards::Board;
use super::locks::Lock;
use super::vector;
use super::vector::PrefetchQueue;
use crate::{Error, Player};
use runs::container::{Reader, Writer};

/// Number of bits of each stored regret and average.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// 32-bit floating point.
    #[default]
    Full,
    /// 16-bit integers with one scale per decision: half the memory, somewhat slower.
    Half,
}

/// A range of hands that is processed at all nodes of a line before the next one, so that
/// intermediate results stay in the nearest cache.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tile {
    /// The first hand and the number of hands: multiples of [`WIDTH`](super::rows::WIDTH).
    pub(crate) start: usize,
    pub(crate) len: usize,
    /// Length of a row of all hands.
    pub(crate) row: usize,
}

impl Tile {
    /// The tile of all hands of a row of this length.
    pub(crate) fn all(row: usize) -> Tile {
        Tile { start: 0, len: row, row }
    }
}

/// Number of hands in a tile.
const TILE: usize = 8 * super::rows::WIDTH;

/// The stored numbers of a line on a board, and of everything that can follow.
#[derive(Debug)]
pub(crate) struct BoardStorage {
    cells: Cells,
    /// The length of each player's rows; `rows` is their number.
    row: [usize; 2],
    rows: [usize; 2],
    /// The decisions whose strategy was set; few or none.
    pub(crate) locks: Vec<Lock>,
    /// One storage for each leaf of the line and each class of next cards.
    pub(crate) below: Vec<BoardStorage>,
}

#[derive(Debug)]
enum Cells {
    Full { regrets: Box<[f32]>, averages: Box<[f32]>, predicted: Option<Box<[f32]>> },
    Half { regrets: Box<[i16]>, averages: Box<[u16]>, scales: Box<[Scales]> },
}

/// The value of one unit of a decision's 16-bit numbers.
#[derive(Debug, Clone, Copy, Default)]
struct Scales {
    regrets: f32,
    averages: f32,
}

/// Buffers for a decision's numbers in 32 bits when they are stored in 16.
#[derive(Debug, Default)]
pub(crate) struct Unpacked {
    regrets: Vec<f32>,
    averages: Vec<f32>,
}

impl Unpacked {
    /// Buffers for decisions of up to this many numbers.
    pub(crate) fn new(most: usize) -> Unpacked {
        Unpacked { regrets: vec![0.0; most], averages: vec![0.0; most] }
    }
}

impl BoardStorage {
    /// Zeros for a line on a board. Predictions are only available in 32 bits. `below` is filled by
    /// the caller.
    pub(crate) fn new(
        line: &Line,
        board: &Board,
        precision: Precision,
        predictive: bool,
    ) -> BoardStorage {
        let row = [0, 1].map(|player| board.hands[player].row());
        let cells = line.rows[0] * row[0] + line.rows[1] * row[1];
        let cells = match precision {
            Precision::Full => Cells::Full {
                regrets: vec![0.0; cells].into(),
                averages: vec![0.0; cells].into(),
                predicted: predictive.then(|| vec![0.0; cells].into()),
            },
            Precision::Half => Cells::Half {
                regrets: vec![0; cells].into(),
                averages: vec![0; cells].into(),
                scales: vec![Scales::default(); line.decisions.len()].into(),
            },
        };
        BoardStorage { cells, row, rows: line.rows, locks: Vec::new(), below: Vec::new() }
    }

    /// Sets all numbers to zero again, but those of locked hands.
    pub(crate) fn clear(&mut self) {
        match &mut self.cells {
            Cells::Full { regrets, averages, predicted } => {
                regrets.fill(0.0);
                averages.fill(0.0);
                predicted.iter_mut().for_each(|predicted| predicted.fill(0.0));
            }
            Cells::Half { regrets, averages, scales } => {
                regrets.fill(0);
                averages.fill(0);
                scales.fill(Scales::default());
            }
        }
        for lock in std::mem::take(&mut self.locks) {
            for tile in self.tiles(self.rows_of(lock.decision().player)) {
                let range = self.range(lock.decision(), tile);
                if let Cells::Full { regrets, averages, predicted } = &mut self.cells {
                    lock.restore(tile, &mut regrets[range.clone()]);
                    lock.restore(tile, &mut averages[range.clone()]);
                    if let Some(predicted) = predicted {
                        lock.restore(tile, &mut predicted[range]);
                    }
                }
            }
            self.locks.push(lock);
        }
        self.below.iter_mut().for_each(BoardStorage::clear);
    }

    /// The range of a decision's numbers for the hands of a tile.
    fn range(&self, decision: &Decision, tile: Tile) -> Range<usize> {
        let player = decision.player.index();
        let before = if player == 0 { 0 } else { self.rows[0] * self.row[0] };
        let start = before + self.rows[player] * tile.start + decision.row * tile.len;
        start..start + decision.count * tile.len
    }

    /// The number of hands of a player's rows, with those that fill them up.
    pub(crate) fn rows_of(&self, player: Player) -> usize {
        self.row[player.index()]
    }

    /// Sets the regrets, predictions and averages of a decision to the same numbers, in 32 bits;
    /// they are those of all hands, in the order of a tile of all.
    pub(crate) fn overwrite(&mut self, decision: &Decision, numbers: &[f32]) {
        for tile in self.tiles(self.rows_of(decision.player)) {
            let range = self.range(decision, tile);
            let numbers = &numbers[tile.start * decision.count..][..range.len()];
            if let Cells::Full { regrets, averages, predicted } = &mut self.cells {
                regrets[range.clone()].copy_from_slice(numbers);
                averages[range.clone()].copy_from_slice(numbers);
                if let Some(predicted) = predicted {
                    predicted[range].copy_from_slice(numbers);
                }
            }
        }
    }

    /// The regrets, averages and predictions of a decision, in 32 bits, for
    /// [`put_back`](Self::put_back).
    pub(crate) fn copied(&self, decision: &Decision) -> Vec<f32> {
        let mut numbers = Vec::new();
        for tile in self.tiles(self.rows_of(decision.player)) {
            let range = self.range(decision, tile);
            if let Cells::Full { regrets, averages, predicted } = &self.cells {
                for all in [Some(regrets), Some(averages), predicted.as_ref()].into_iter().flatten()
                {
                    numbers.extend_from_slice(&all[range.clone()]);
                }
            }
        }
        numbers
    }

    /// Sets the numbers of a decision to those that were [`copied`](Self::copied).
    pub(crate) fn put_back(&mut self, decision: &Decision, mut numbers: &[f32]) {
        for tile in self.tiles(self.rows_of(decision.player)) {
            let range = self.range(decision, tile);
            if let Cells::Full { regrets, averages, predicted } = &mut self.cells {
                for all in [Some(regrets), Some(averages), predicted.as_mut()].into_iter().flatten()
                {
                    let (of_tile, rest) = numbers.split_at(range.len());
                    all[range.clone()].copy_from_slice(of_tile);
                    numbers = rest;
                }
            }
        }
    }

    /// The address ranges of a player's regrets and averages.
    pub(crate) fn addresses(&self, player: Player) -> [Range<usize>; 2] {
        let [first, second] = [0, 1].map(|player| self.rows[player] * self.row[player]);
        let cells = if player == Player::First { 0..first } else { first..first + second };
        match &self.cells {
            Cells::Full { regrets, averages, .. } => {
                [&regrets[cells.clone()], &averages[cells]].map(PrefetchQueue::address_range)
            }
            Cells::Half { regrets, averages, .. } => [
                PrefetchQueue::address_range(&regrets[cells.clone()]),
                PrefetchQueue::address_range(&averages[cells]),
            ],
        }
    }

    /// Splits the hands of a row into tiles, which are processed one after another. In 16 bits
    /// there is only one tile, because the scale of a decision depends on all its numbers.
    pub(crate) fn tiles(&self, row: usize) -> impl DoubleEndedIterator<Item = Tile> + use<> {
        let most = match self.cells {
            Cells::Full { .. } => TILE,
            Cells::Half { .. } => row.max(1),
        };
        (0..row.div_ceil(most)).map(move |tile| {
            let start = tile * most;
            Tile { start, len: most.min(row - start), row }
        })
    }

    /// Calls `work` with the weights of a decision's current strategy and its averages, and stores
    /// the averages, in 16 bits rounded with this [`dither`].
    #[inline]
    pub(crate) fn with_averages(
        &mut self,
        decision: &Decision,
        tile: Tile,
        unpacked: &mut Unpacked,
        dither: f32,
        work: impl FnOnce(&[f32], &mut [f32]),
    ) {
        let range = self.range(decision, tile);
        match &mut self.cells {
            Cells::Full { regrets, averages, predicted } => {
                let weights = predicted.as_ref().unwrap_or(regrets);
                let averages = &mut averages[range.clone()];
                work(&weights[range], averages);
                if let Some(lock) = self.locks.iter().find(|lock| lock.is_at(decision)) {
                    lock.restore(tile, averages);
                }
            }
            Cells::Half { regrets, averages, scales } => {
                let scale = &mut scales[decision.number];
                let old = &mut unpacked.regrets[..range.len()];
                vector::unpack(&regrets[range.clone()], scale.regrets, old);
                let new = &mut unpacked.averages[..range.len()];
                vector::unpack(&averages[range.clone()], scale.averages, new);
                work(old, new);
                vector::pack(new, &mut averages[range], &mut scale.averages, dither);
            }
        }
    }

    /// Calls `work` with a decision's regrets and its predictions, if any, and stores them, in 16
    /// bits rounded with this [`dither`].
    #[inline]
    pub(crate) fn with_regrets(
        &mut self,
        decision: &Decision,
        tile: Tile,
        unpacked: &mut Unpacked,
        dither: f32,
        work: impl FnOnce(&mut [f32], Option<&mut [f32]>),
    ) {
        let range = self.range(decision, tile);
        match &mut self.cells {
            Cells::Full { regrets, predicted, .. } => {
                let regrets = &mut regrets[range.clone()];
                let mut predicted = predicted.as_mut().map(|predicted| &mut predicted[range]);
                work(regrets, predicted.as_deref_mut());
                if let Some(lock) = self.locks.iter().find(|lock| lock.is_at(decision)) {
                    lock.restore(tile, regrets);
                    lock.restore(tile, predicted.unwrap_or_default());
                }
            }
            Cells::Half { regrets, scales, .. } => {
                let scale = &mut scales[decision.number];
                let numbers = &mut unpacked.regrets[..range.len()];
                vector::unpack(&regrets[range.clone()], scale.regrets, numbers);
                work(numbers, None);
                vector::pack(numbers, &mut regrets[range], &mut scale.regrets, dither);
            }
        }
    }

    /// Calls `work` with the weights of a decision's current strategy.
    #[inline]
    pub(crate) fn weights(
        &self,
        decision: &Decision,
        tile: Tile,
        unpacked: &mut Unpacked,
        work: impl FnOnce(&[f32]),
    ) {
        let range = self.range(decision, tile);
        match &self.cells {
            Cells::Full { regrets, predicted, .. } => {
                work(&predicted.as_ref().unwrap_or(regrets)[range]);
            }
            Cells::Half { regrets, scales, .. } => {
                let numbers = &mut unpacked.regrets[..range.len()];
                vector::unpack(&regrets[range], scales[decision.number].regrets, numbers);
                work(numbers);
            }
        }
    }

    /// Calls `work` with a decision's averages.
    #[inline]
    pub(crate) fn averages<T>(
        &self,
        decision: &Decision,
        tile: Tile,
        unpacked: &mut Unpacked,
        work: impl FnOnce(&[f32]) -> T,
    ) -> T {
        let range = self.range(decision, tile);
        match &self.cells {
            Cells::Full { averages, .. } => work(&averages[range]),
            Cells::Half { averages, scales, .. } => {
                let numbers = &mut unpacked.averages[..range.len()];
                vector::unpack(&averages[range], scales[decision.number].averages, numbers);
                work(numbers)
            }
        }
    }

    /// The average strategies of a player's first `hands` hands: for each hand the probability of
    /// each action.
    pub(crate) fn strategies(&self, decision: &Decision, hands: usize) -> Vec<Vec<f64>> {
        let row = self.row[decision.player.index()];
        let mut unpacked = Unpacked::new(decision.count * row);
        let mut strategies = Vec::with_capacity(hands);
        let lock = self.lock(decision);
        for tile in self.tiles(row).take_while(|tile| tile.start < hands) {
            self.averages(decision, tile, &mut unpacked, |averages| {
                strategies.extend((0..tile.len.min(hands - tile.start)).map(|hand| {
                    let exact = lock.and_then(|lock| lock.exact(tile.start + hand));
                    let share = super::rows::average_share(averages, hand, decision.count);
                    exact.map_or_else(
                        || (0..decision.count).map(share).collect::<Vec<f64>>(),
                        <[f64]>::to_vec,
                    )
                }));
            });
        }
        strategies
    }
}

/// The snapshot format of a storage: see [`runs::container`].
impl BoardStorage {
    /// Size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let own = match &self.cells {
            Cells::Full { regrets, predicted, .. } => {
                regrets.len() * if predicted.is_some() { 12 } else { 8 }
            }
            Cells::Half { regrets, scales, .. } => 4 * regrets.len() + 8 * scales.len(),
        };
        own as u64 + self.below.iter().map(BoardStorage::bytes).sum::<u64>()
    }

    pub(crate) fn write<W: Write>(&self, to: &mut Writer<W>) -> io::Result<()> {
        match &self.cells {
            Cells::Full { regrets, averages, predicted } => {
                to.numbers(regrets)?;
                to.numbers(averages)?;
                predicted.iter().try_for_each(|predicted| to.numbers(predicted))?;
            }
            Cells::Half { regrets, averages, scales } => {
                to.numbers(regrets)?;
                to.numbers(averages)?;
                let scales = scales.iter().flat_map(|scales| [scales.regrets, scales.averages]);
                to.numbers(&scales.collect::<Vec<_>>())?;
            }
        }
        self.below.iter().try_for_each(|storage| storage.write(to))
    }

    pub(crate) fn read<R: Read>(&mut self, from: &mut Reader<R>) -> Result<(), Error> {
        match &mut self.cells {
            Cells::Full { regrets, averages, predicted } => {
                for numbers in [Some(regrets), Some(averages), predicted.as_mut()] {
                    from.numbers(numbers.map_or(&mut [], |numbers| &mut numbers[..]), put)?;
                }
            }
            Cells::Half { regrets, averages, scales } => {
                from.numbers(regrets, put)?;
                from.numbers(averages, put)?;
                for scales in scales {
                    *scales = Scales { regrets: from.number()?, averages: from.number()? };
                }
            }
        }
        self.below.iter_mut().try_for_each(|storage| storage.read(from))
    }
}

fn put<N>(slot: &mut N, number: N) {
    *slot = number;
}

/// A 16-bit number.
pub(crate) trait Packed: Copy + Into<f32> {
    /// The largest value.
    const MAX_CODE: f32;
    /// The number with these lowest 16 bits.
    fn of_bits(bits: u32) -> Self;
}

impl Packed for i16 {
    const MAX_CODE: f32 = i16::MAX as f32;
    #[inline(always)]
    fn of_bits(bits: u32) -> i16 {
        bits as i16
    }
}

impl Packed for u16 {
    const MAX_CODE: f32 = u16::MAX as f32;
    #[inline(always)]
    fn of_bits(bits: u32) -> u16 {
        bits as u16
    }
}

/// Converts multiples of a scale to `f32`.
#[inline(always)]
pub(crate) fn unpack<P: Packed>(packed: &[P], scale: f32, numbers: &mut [f32]) {
    for (number, &packed) in numbers.iter_mut().zip(packed) {
        *number = packed.into() * scale;
    }
}

/// What is added to numbers in 16 bits before they are rounded in an iteration: between -0.48 and
/// 0.48, evenly spread over the iterations, so that small changes are not lost again and again. It
/// leaves zero and the largest number as they are.
pub(crate) fn dither(iteration: u32) -> f32 {
    // Multiples of the golden ratio are spread evenly.
    ((f64::from(iteration) * 0.618_033_988_749_894_9).fract() * 0.96 - 0.48) as f32
}

/// Rounds numbers, after adding `dither`, to the nearest multiples of a scale, which is chosen so
/// that the largest absolute value becomes [`Packed::MAX_CODE`].
#[inline(always)]
pub(crate) fn pack<P: Packed>(numbers: &[f32], packed: &mut [P], scale: &mut f32, dither: f32) {
    // 1.5 * 2^23: adding it to a number rounds the number to an integer, which is then in the
    // lowest bits.
    const ROUND: f32 = 12_582_912.0;
    let mut most = [0.0f32; 16];
    let (chunks, rest) = numbers.as_chunks::<16>();
    for chunk in chunks {
        for (most, number) in most.iter_mut().zip(chunk) {
            *most = if number.abs() > *most { number.abs() } else { *most };
        }
    }
    let most = most.iter().chain(rest).fold(0.0, |most: f32, number| most.max(number.abs()));
    if most < f32::MIN_POSITIVE * P::MAX_CODE {
        packed.fill(P::of_bits(0));
        *scale = 0.0;
        return;
    }
    let inverse = P::MAX_CODE / most;
    for (packed, &number) in packed.iter_mut().zip(numbers) {
        *packed = P::of_bits((number * inverse + dither + ROUND).to_bits());
    }
    *scale = most / P::MAX_CODE;
}
