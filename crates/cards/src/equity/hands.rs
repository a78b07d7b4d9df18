//! The equities, now and later, of all hands on a board, computed together from sums of table rows.
//!
//! Three things save work over one hand at a time. Hands that are equal up to suits which the board
//! treats alike share a `HandEquity`. Sums over the rivers are taken over whole table rows as if no
//! hand removed a card, and each hand then subtracts the two rows of its own cards. The few
//! equities after a flop or turn are sorted for many hands at once.

use std::sync::OnceLock;

use super::board_of;
use super::distribution::{Counter, Distribution, FLOP, HandEquity, RIVER, TURN};
use super::river::{COLUMNS, FLUSH_HANDS, RiverBoard, RiverTable, RunOuts, Unfinished};
use crate::counting::ranks;
use crate::{Card, CardSet, Combo, Error, SuitPermutation};

const DECK: usize = Card::COUNT as usize;

/// Number of hands sorted at once.
const LANES: usize = 32;

impl RiverTable {
    /// Calls `visit` with the equity of every hand that can be held on a board of 3, 4 or 5 cards:
    /// 1,176 hands of a flop in about 1 ms. The order of the hands is not specified.
    ///
    /// # Errors
    /// When the board has not 3, 4 or 5 cards.
    pub fn each_hand(
        &self,
        board: CardSet,
        mut visit: impl FnMut(Combo, &HandEquity),
    ) -> Result<(), Error> {
        board_of(board, &[3, 4, 5])?;
        let orbits = Orbits::new(board);
        let mut visit_orbit = |first: Combo, hand_equity: &HandEquity| {
            orbits.for_each_hand(first, |combo| visit(combo, hand_equity));
        };
        match board.len() {
            3 => self.each_on_flop(board, &orbits, &mut visit_orbit),
            4 => self.each_on_turn(board, &orbits, &mut visit_orbit),
            _ => self.each_on_river(board, &orbits, &mut visit_orbit),
        }
        Ok(())
    }

    fn each_on_river(
        &self,
        board: CardSet,
        orbits: &Orbits,
        visit: &mut impl FnMut(Combo, &HandEquity),
    ) {
        let river = RiverBoard::from_set(board);
        let mut hand_equity = HandEquity { denominator: u64::from(RIVER), ..HandEquity::default() };
        for &combo in orbits.firsts() {
            hand_equity.numerator = u64::from(self.value_of_state(river.state(combo)));
            visit(combo, &hand_equity);
        }
    }

    fn each_on_turn(
        &self,
        board: CardSet,
        orbits: &Orbits,
        visit: &mut impl FnMut(Combo, &HandEquity),
    ) {
        let rivers = Unfinished::new(board).rivers();
        let coming: Vec<Card> = (CardSet::FULL - board).iter().collect();
        let position = positions(&coming);
        let mut hand_equity = HandEquity { denominator: u64::from(TURN), ..HandEquity::default() };
        hand_equity.later.push(Distribution::default());

        for hands in orbits.firsts().chunks(LANES) {
            let mut values = [[i16::MAX; LANES]; 48];
            for (row, card) in values.iter_mut().zip(&coming) {
                let river = rivers[card.index() as usize];
                let (columns, from) = (river.columns(), self.row(river));
                for (value, combo) in row.iter_mut().zip(hands) {
                    *value = from[columns[combo.index()] as usize] as i16;
                }
            }
            for (lane, combo) in hands.iter().enumerate() {
                for card in combo.cards() {
                    values[position[card.index() as usize]][lane] = i16::MAX;
                }
            }
            sort_columns(&mut values);
            for (lane, &combo) in hands.iter().enumerate() {
                let sorted: [u32; 46] = std::array::from_fn(|at| values[at][lane] as u32);
                hand_equity.numerator = sorted.iter().copied().map(u64::from).sum();
                hand_equity.later[0].fill(RIVER, sorted.into_iter());
                visit(combo, &hand_equity);
            }
        }
    }

    fn each_on_flop(
        &self,
        board: CardSet,
        orbits: &Orbits,
        visit: &mut impl FnMut(Combo, &HandEquity),
    ) {
        let run_outs = FlopRows::new(board);
        let sums = TurnSums::after_flop(self, board, u32::from);
        let position = positions(&sums.iter().map(|(card, _)| *card).collect::<Vec<_>>());
        let mut rivers = Box::new(Counter::new());
        let mut hand_equity = HandEquity { denominator: u64::from(FLOP), ..HandEquity::default() };
        hand_equity.later.resize_with(2, Distribution::default);

        for hands in orbits.firsts().chunks(LANES) {
            // Sums stay below 2^24, where single precision is exact, and its minimum is one
            // instruction.
            let mut turns = [[f32::MAX; LANES]; 49];
            for (row, (_, sums)) in turns.iter_mut().zip(&sums) {
                for (turn, &combo) in row.iter_mut().zip(hands) {
                    *turn = sums.sum(self, combo) as f32;
                }
            }
            for (lane, combo) in hands.iter().enumerate() {
                for card in combo.cards() {
                    turns[position[card.index() as usize]][lane] = f32::MAX;
                }
            }
            sort_columns(&mut turns);
            for (lane, &combo) in hands.iter().enumerate() {
                let sorted: [u32; 47] = std::array::from_fn(|at| turns[at][lane] as u32);
                // Each run-out was counted for both of its cards.
                hand_equity.numerator = sorted.iter().copied().map(u64::from).sum::<u64>() / 2;
                hand_equity.later[0].fill(TURN, sorted.into_iter());
                run_outs.count(self, combo, &mut rivers);
                rivers.drain(&mut hand_equity.later[1]);
                visit(combo, &hand_equity);
            }
        }
    }
}

/// The position of each card in a list.
fn positions(cards: &[Card]) -> [usize; DECK] {
    let mut positions = [0; DECK];
    cards.iter().enumerate().for_each(|(at, card)| positions[card.index() as usize] = at);
    positions
}

/// For every hand on a turn board, the sum of a function of its equity over the rivers.
pub(crate) struct TurnSums<F> {
    rivers: [RiverBoard; DECK],
    /// The function that is summed, of an equity in 1,980ths.
    term: F,
    /// Sums of the table's rows for each view, without card removal.
    rows: [[u32; FLUSH_HANDS]; 5],
    /// The views that have a row.
    views: Vec<usize>,
}

impl<F: Copy + Fn(u16) -> u32> TurnSums<F> {
    /// The sums for each turn card that may follow a flop.
    pub(crate) fn after_flop(
        table: &RiverTable,
        flop: CardSet,
        term: F,
    ) -> Vec<(Card, TurnSums<F>)> {
        let turn = |card| (card, TurnSums::new(table, flop.with(card), term));
        (CardSet::FULL - flop).iter().map(turn).collect()
    }

    pub(crate) fn new(table: &RiverTable, turn: CardSet, term: F) -> TurnSums<F> {
        let rivers = Unfinished::new(turn).rivers();
        let mut sums =
            TurnSums { rivers, term, rows: [[0; FLUSH_HANDS]; 5], views: Vec::with_capacity(5) };
        for card in (CardSet::FULL - turn).iter() {
            let river = rivers[card.index() as usize];
            let row = table.row(river);
            if !sums.views.contains(&river.view()) {
                sums.views.push(river.view());
            }
            for (sum, &value) in sums.rows[river.view()][..row.len()].iter_mut().zip(row) {
                *sum += term(value);
            }
        }
        sums
    }

    /// The sum over the 46 rivers for a hand. Meaningless if the hand shares a card with the turn
    /// board.
    #[inline]
    pub(crate) fn sum(&self, table: &RiverTable, hole: Combo) -> u32 {
        let column = |view: usize| COLUMNS[view][hole.index()] as usize;
        let all: u32 = self.views.iter().map(|&view| self.rows[view][column(view)]).sum();
        let own = |card: Card| {
            let river = self.rivers[card.index() as usize];
            (self.term)(table.value_of_state(river.first() + column(river.view())))
        };
        let [a, b] = hole.cards();
        all.wrapping_sub(own(a)).wrapping_sub(own(b))
    }
}

/// The rows of all run-outs from a flop.
struct FlopRows {
    /// Each distinct row with its number of run-outs, without card removal.
    rows: Vec<(RiverBoard, u16)>,
    /// The row of each pair of turn and river cards.
    by_cards: Box<[[RiverBoard; DECK]; DECK]>,
    coming: CardSet,
}

impl FlopRows {
    fn new(flop: CardSet) -> FlopRows {
        let coming = CardSet::FULL - flop;
        let unfinished = Unfinished::new(flop);
        let run_outs = RunOuts::new(&unfinished, coming.by_suit(), |river| river);
        let mut by_cards = Box::new([[RiverBoard::default(); DECK]; DECK]);
        let mut all = Vec::with_capacity(1176);
        run_outs.for_each(|rivers, [suit, rank], second, others| {
            for other in ranks(others) {
                let (a, b) = (4 * rank + suit, 4 * other + second);
                by_cards[a][b] = rivers[other];
                by_cards[b][a] = rivers[other];
                all.push(rivers[other]);
            }
        });
        all.sort_unstable();
        let rows = all.chunk_by(PartialEq::eq).map(|same| (same[0], same.len() as u16)).collect();
        FlopRows { rows, by_cards, coming }
    }

    /// Counts the equities of a hand on all rivers.
    fn count(&self, table: &RiverTable, hole: Combo, rivers: &mut Counter) {
        let columns = COLUMNS.each_ref().map(|columns| columns[hole.index()] as usize);
        for &(river, boards) in &self.rows {
            let value = table.value_of_state(river.first() + columns[river.view()]);
            rivers.expect(value);
            rivers.add(value, boards);
        }
        // The run-outs with one of the hand's own cards; that of both only once.
        let [a, b] = hole.cards();
        let others = self.coming - CardSet::single(a);
        for (own, others) in [(a, others), (b, others - CardSet::single(b))] {
            for other in others.iter() {
                let river = self.by_cards[own.index() as usize][other.index() as usize];
                rivers.add(
                    table.value_of_state(river.first() + columns[river.view()]),
                    1u16.wrapping_neg(),
                );
            }
        }
    }
}

impl RiverTable {
    /// For `E[HS²]`: calls `visit` with every hand that can be held on a board of 3, 4 or 5 cards,
    /// and with the sum of its squared equities, each in 1,980ths, over the 1,081, 46 or 1 rivers
    /// that may come.
    ///
    /// Rows of the table are added up for all hands together: 0.5 ms for a flop, 20 µs for a turn.
    /// The order of the hands is not specified.
    ///
    /// # Errors
    /// When the board has not 3, 4 or 5 cards.
    pub fn each_sum_of_squares(
        &self,
        board: CardSet,
        mut visit: impl FnMut(Combo, u64),
    ) -> Result<(), Error> {
        board_of(board, &[3, 4, 5])?;
        let free = Combo::all().filter(|combo| !combo.set().intersects(board));
        match board.len() {
            3 => {
                let turns = TurnSums::after_flop(self, board, square);
                for combo in free {
                    let next = turns.iter().filter(|(card, _)| !combo.set().contains(*card));
                    let sum: u64 = next.map(|(_, sums)| u64::from(sums.sum(self, combo))).sum();
                    // Each run-out was counted for both of its cards.
                    visit(combo, sum / 2);
                }
            }
            4 => {
                let sums = TurnSums::new(self, board, square);
                free.for_each(|combo| visit(combo, sums.sum(self, combo).into()));
            }
            _ => {
                let river = RiverBoard::from_set(board);
                free.for_each(|combo| {
                    visit(combo, square(self.value_of_state(river.state(combo))).into());
                });
            }
        }
        Ok(())
    }
}

/// The square of an equity, at most 3,920,400, so that the sum over 48 rivers fits.
fn square(value: u16) -> u32 {
    u32::from(value) * u32::from(value)
}

/// The hands that can be held on a board, grouped by suit isomorphism, as linked lists.
struct Orbits {
    firsts: Vec<Combo>,
    /// The next combo of the same group; the last combo has its own number.
    next: Box<[u16; Combo::COUNT]>,
}

impl Orbits {
    fn new(board: CardSet) -> Orbits {
        let renamings = SuitPermutation::fixing(board);
        let mut orbits =
            Orbits { firsts: Vec::with_capacity(1176), next: Box::new([0; Combo::COUNT]) };
        for combo in Combo::all().filter(|combo| !combo.set().intersects(board)) {
            let index = combo.index();
            let equal = renamings.iter().map(|suits| suits.combo(combo).index());
            let first = equal.min().unwrap_or(index);
            orbits.next[index] = index as u16;
            if first == index {
                orbits.firsts.push(combo);
            } else {
                // The first has the lowest number, so it is in place: insert behind it.
                let behind = if orbits.next[first] == first as u16 {
                    index as u16
                } else {
                    orbits.next[first]
                };
                orbits.next[index] = behind;
                orbits.next[first] = index as u16;
            }
        }
        orbits
    }

    /// The first hand of each group, which has the lowest number.
    fn firsts(&self) -> &[Combo] {
        &self.firsts
    }

    /// Calls `visit` with all hands of the group that starts with `first`.
    #[inline]
    fn for_each_hand(&self, first: Combo, mut visit: impl FnMut(Combo)) {
        let mut combo = first;
        loop {
            visit(combo);
            let next = self.next[combo.index()] as usize;
            if next == combo.index() {
                return;
            }
            combo = Combo::from_index(next).expect("made from combos");
        }
    }
}

/// Sorts every column of `rows`, the least entry to the first row, with a sorting network applied
/// to whole rows.
///
/// There may be at most 64 rows. The caller sets unused entries to a greatest value.
#[inline]
fn sort_columns<T: Copy + PartialOrd, const LANES: usize>(rows: &mut [[T; LANES]]) {
    for &(low, high) in network(rows.len()) {
        let (left, right) = rows.split_at_mut(high as usize);
        let (a, b) = (&mut left[low as usize], &mut right[0]);
        for (a, b) in a.iter_mut().zip(b) {
            let (x, y) = (*a, *b);
            *a = if y < x { y } else { x };
            *b = if y < x { x } else { y };
        }
    }
}

/// The comparisons of Batcher's odd-even merge sort for `size` entries.
fn network(size: usize) -> &'static [(u8, u8)] {
    static NETWORKS: [OnceLock<Vec<(u8, u8)>>; 65] = [const { OnceLock::new() }; 65];
    NETWORKS[size].get_or_init(|| {
        let mut network = Vec::new();
        odd_even_sort(0, size.next_power_of_two(), &mut network);
        // Entries beyond the size would all be greatest and at the end: comparing them changes
        // nothing.
        network.retain(|&(_, high)| (high as usize) < size);
        network
    })
}

fn odd_even_sort(from: usize, size: usize, network: &mut Vec<(u8, u8)>) {
    if size > 1 {
        odd_even_sort(from, size / 2, network);
        odd_even_sort(from + size / 2, size / 2, network);
        odd_even_merge(from, size, 1, network);
    }
}

/// Merges the two sorted halves of every `step`-th entry.
fn odd_even_merge(from: usize, size: usize, step: usize, network: &mut Vec<(u8, u8)>) {
    let double = 2 * step;
    if double < size {
        odd_even_merge(from, size, double, network);
        odd_even_merge(from + step, size, double, network);
        for at in (from + step..from + size - step).step_by(double) {
            network.push((at as u8, (at + step) as u8));
        }
    } else {
        network.push((from as u8, (from + step) as u8));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A network that sorts all columns of zeros and ones sorts everything.
    #[test]
    fn networks_sort_all_columns_of_zeros_and_ones() {
        for size in 1..=16 {
            for bits in 0u32..1 << size {
                let mut rows: Vec<[u32; 1]> = (0..size).map(|at| [bits >> at & 1]).collect();
                sort_columns(&mut rows);
                assert!(rows.is_sorted(), "{bits:b}");
            }
        }
    }
}
