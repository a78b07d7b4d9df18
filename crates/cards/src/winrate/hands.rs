//! The outlooks of all hands on a board, computed together from sums of table rows.
//!
//! Three things save work over one hand at a time. Hands that are equal up to suits which the board
//! treats alike share an outlook. Sums over the rivers are taken over whole table rows as if no
//! hand removed a card, and each hand then subtracts the two rows of its own cards. The few
//! win-rates after a flop or turn are sorted for many hands at once.

use super::columns::sort_columns;
use super::counter::Counter;
use super::orbits::Orbits;
use super::outlook::{FLOP, RIVER, TURN};
use super::{Distribution, Outlook, board_of};
use crate::river::{COLUMNS, FLUSH_HANDS, RunOuts, Unfinished, ranks};
use crate::{Card, CardSet, Combo, RiverBoard, RiverTable, WinRateError};

const DECK: usize = Card::COUNT as usize;

/// Number of hands sorted at once.
const LANES: usize = 32;

impl RiverTable {
    /// Calls `visit` with the outlook of every hand that can be held on a board of 3, 4 or 5 cards:
    /// 1,176 hands of a flop in about 1 ms. The order of the hands is not specified.
    ///
    /// # Errors
    /// When the board has not 3, 4 or 5 cards.
    pub fn each_hand(
        &self,
        board: CardSet,
        mut visit: impl FnMut(Combo, &Outlook),
    ) -> Result<(), WinRateError> {
        board_of(board, &[3, 4, 5])?;
        let orbits = Orbits::new(board);
        let mut visit_orbit = |first: Combo, outlook: &Outlook| {
            orbits.each(first, |combo| visit(combo, outlook));
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
        visit: &mut impl FnMut(Combo, &Outlook),
    ) {
        let river = RiverBoard::of(board);
        let mut outlook = Outlook { denominator: u64::from(RIVER), ..Outlook::default() };
        for &combo in orbits.firsts() {
            outlook.numerator = u64::from(self.at(river.state(combo)));
            visit(combo, &outlook);
        }
    }

    fn each_on_turn(
        &self,
        board: CardSet,
        orbits: &Orbits,
        visit: &mut impl FnMut(Combo, &Outlook),
    ) {
        let rivers = Unfinished::new(board).rivers();
        let coming: Vec<Card> = (CardSet::FULL - board).iter().collect();
        let position = positions(&coming);
        let mut outlook = Outlook { denominator: u64::from(TURN), ..Outlook::default() };
        outlook.later.push(Distribution::default());

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
                outlook.numerator = sorted.iter().copied().map(u64::from).sum();
                outlook.later[0].fill(RIVER, sorted.into_iter());
                visit(combo, &outlook);
            }
        }
    }

    fn each_on_flop(
        &self,
        board: CardSet,
        orbits: &Orbits,
        visit: &mut impl FnMut(Combo, &Outlook),
    ) {
        let run_outs = FlopRows::new(board);
        let sums = TurnSums::all(self, board, u32::from);
        let position = positions(&sums.iter().map(|(card, _)| *card).collect::<Vec<_>>());
        let mut rivers = Box::new(Counter::new());
        let mut outlook = Outlook { denominator: u64::from(FLOP), ..Outlook::default() };
        outlook.later.resize_with(2, Distribution::default);

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
                outlook.numerator = sorted.iter().copied().map(u64::from).sum::<u64>() / 2;
                outlook.later[0].fill(TURN, sorted.into_iter());
                run_outs.count(self, combo, &mut rivers);
                rivers.drain(&mut outlook.later[1]);
                visit(combo, &outlook);
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

/// For every hand on a turn board, the sum of a function of its win-rate over the rivers.
pub(crate) struct TurnSums<F> {
    rivers: [RiverBoard; DECK],
    /// The function that is summed, of a win-rate in 1,980ths.
    term: F,
    /// Sums of the table's rows for each view, without card removal.
    rows: [[u32; FLUSH_HANDS]; 5],
    /// The views that have a row.
    views: Vec<usize>,
}

impl<F: Copy + Fn(u16) -> u32> TurnSums<F> {
    /// The sums for each turn card that may follow a flop.
    pub(crate) fn all(table: &RiverTable, flop: CardSet, term: F) -> Vec<(Card, TurnSums<F>)> {
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
            (self.term)(table.at(river.first() + column(river.view())))
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
        run_outs.each(|rivers, [suit, rank], second, others| {
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

    /// Counts the win-rates of a hand on all rivers.
    fn count(&self, table: &RiverTable, hole: Combo, rivers: &mut Counter) {
        let columns = COLUMNS.each_ref().map(|columns| columns[hole.index()] as usize);
        for &(river, boards) in &self.rows {
            let value = table.at(river.first() + columns[river.view()]);
            rivers.expect(value);
            rivers.add(value, boards);
        }
        // The run-outs with one of the hand's own cards; that of both only once.
        let [a, b] = hole.cards();
        let others = self.coming - CardSet::of(a);
        for (own, others) in [(a, others), (b, others - CardSet::of(b))] {
            for other in others.iter() {
                let river = self.by_cards[own.index() as usize][other.index() as usize];
                rivers.add(table.at(river.first() + columns[river.view()]), 1u16.wrapping_neg());
            }
        }
    }
}
