//! The 169 starting hands as 13 rows of 13, in the order of [`cards::StartingHand::all`]: aces
//! first, pairs on the diagonal, suited hands above it, offsuit hands below.

use cards::Rank;

const SIDE: usize = 13;

/// The width and height of a grid with cells of this size.
pub(crate) fn size([wide, tall]: [f64; 2]) -> [f64; 2] {
    [SIDE as f64 * wide, SIDE as f64 * tall]
}

/// The upper left corners of the cells of a grid that begins at this point.
pub(crate) fn corners([x, y]: [f64; 2], [wide, tall]: [f64; 2]) -> impl Iterator<Item = [f64; 2]> {
    let at = move |number| [x + wide * (number % SIDE) as f64, y + tall * (number / SIDE) as f64];
    (0..SIDE * SIDE).map(at)
}

/// A grid as text: a line with the ranks, then a row for each rank. Lines have no trailing blanks.
pub(crate) fn text(head: impl Fn(Rank) -> String, cell: impl Fn(usize) -> String) -> String {
    let mut lines = vec![format!(" {}", Rank::all().rev().map(head).collect::<String>())];
    for (row, rank) in Rank::all().rev().enumerate() {
        let cells: String = (row * SIDE..(row + 1) * SIDE).map(&cell).collect();
        lines.push(format!("{rank}{cells}"));
    }
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}
