//! The winnings of each hand from a range when all cards are dealt.

use crate::{Card, CardSet, Combo, Showdown, WinRateError};

/// A number for each combo.
type ByCombo = Box<[f64; Combo::COUNT]>;

/// For each combo the weight of a range's hands that share no card with it.
pub fn unblocked(range: &[f64; Combo::COUNT]) -> ByCombo {
    let mut all = 0.0;
    let mut holding = [0.0; Card::COUNT as usize];
    for combo in Combo::all() {
        let weight = range[combo.index()];
        all += weight;
        combo.cards().iter().for_each(|card| holding[usize::from(card.index())] += weight);
    }
    let mut left = Box::new([0.0; Combo::COUNT]);
    for combo in Combo::all() {
        let [a, b] = combo.cards().map(|card| holding[usize::from(card.index())]);
        left[combo.index()] = all - a - b + range[combo.index()];
    }
    left
}

/// For each of the ranges and each combo: the weight that the combo beats less the weight that
/// beats it, as a mean over the complete boards that both hands leave. 0 for combos on the board.
///
/// Each complete board is one [`Showdown`]: 48 after the turn, 1,176 after the flop, 2,598,960
/// before it.
///
/// # Errors
/// When the board has more than five cards.
pub fn range_margins(
    board: CardSet,
    ranges: &[&[f64; Combo::COUNT]],
) -> Result<Vec<ByCombo>, WinRateError> {
    let boards = complete(board);
    let mut showdown = Showdown::new(boards[0])?;
    let mut sums: Vec<ByCombo> = ranges.iter().map(|_| Box::new([0.0; Combo::COUNT])).collect();
    let mut of_board = Box::new([0.0; Combo::COUNT]);
    for &board in &boards {
        showdown.deal(board)?;
        for (range, sums) in ranges.iter().zip(&mut sums) {
            showdown.margins(range, &mut of_board);
            sums.iter_mut().zip(&*of_board).for_each(|(sum, margin)| *sum += margin);
        }
    }
    // The ways to draw the cards to come from those that the board and two hands leave.
    let free = f64::from(Card::COUNT) - f64::from(board.len()) - 4.0;
    let to_come = (0..5_u32.saturating_sub(board.len())).map(f64::from);
    let ways: f64 = to_come.map(|drawn| (free - drawn) / (drawn + 1.0)).product();
    sums.iter_mut().flat_map(|sums| sums.iter_mut()).for_each(|sum| *sum /= ways);
    Ok(sums)
}

/// All complete boards that begin with these cards.
pub(crate) fn complete(board: CardSet) -> Vec<CardSet> {
    let mut boards = vec![(board, 0)];
    for _ in board.len()..5 {
        let longer = boards.iter().flat_map(|&(board, from)| {
            let free =
                Card::all().filter(move |card| card.index() >= from && !board.contains(*card));
            free.map(move |card| (board.with(card), card.index() + 1))
        });
        boards = longer.collect();
    }
    boards.into_iter().map(|(board, _)| board).collect()
}
