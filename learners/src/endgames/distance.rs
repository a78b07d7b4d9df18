//! Distances between games and between strategies: earth mover's distances, Algorithms 1 and 2 of
//! Ganzfried & Yusuf, "Computing human-understandable strategies", Games 2017.

/// The distance of two games, 0 to 1: the mean over both players of the earth mover's distance
/// between their card distributions, divided by the largest possible (Algorithm 1).
///
/// Each game is given by the distributions of the first and the second player's cards.
pub fn games(a: [&[f32]; 2], b: [&[f32]; 2]) -> f64 {
    let of = |player: usize| moved(a[player], b[player]) / (a[player].len() - 1) as f64;
    (of(0) + of(1)) / 2.0
}

/// The distance of two strategies, 0 to 1: the mean over the cards of the earth mover's distance
/// between the probabilities of `sizes` bet sizes, divided by the largest possible (Algorithm 2).
pub fn strategies(a: &[f32], b: &[f32], sizes: usize) -> f64 {
    let rows = a.chunks_exact(sizes).zip(b.chunks_exact(sizes));
    let cards = (a.len() / sizes) as f64;
    rows.map(|(a, b)| moved(a, b)).sum::<f64>() / (sizes - 1).max(1) as f64 / cards
}

/// The earth mover's distance of two histograms: mass times the number of columns it moves.
fn moved(a: &[f32], b: &[f32]) -> f64 {
    let mut carried = 0.0;
    let columns = a.iter().zip(b).map(|(a, b)| {
        carried += f64::from(*a) - f64::from(*b);
        carried.abs()
    });
    columns.sum()
}
