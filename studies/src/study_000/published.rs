//! What Bertsimas and Paskov, "World-class interpretable poker" (2022), report.

/// Table 1: the winner's average in dollars a game with a big blind of 100 dollars over 150,000 games, and its
/// deviation. One dollar a game is 10 mbb/hand.
pub(super) const TABLE_1: [(&str, &str, f64, f64); 10] = [
    ("mlp", "slumbot", 4.9, 0.8),
    ("xgboost", "slumbot", 4.3, 0.7),
    ("oct", "slumbot", 2.6, 0.8),
    ("cart", "slumbot", -2.1, 0.9),
    ("mlp", "xgboost", 0.6, 0.3),
    ("mlp", "oct", 1.7, 0.4),
    ("mlp", "cart", 5.6, 0.7),
    ("xgboost", "oct", 1.2, 0.5),
    ("xgboost", "cart", 4.9, 0.6),
    ("oct", "cart", 3.6, 0.8),
];

/// Dollars a game in mbb/hand.
pub(super) const DOLLAR: f64 = 10.0;

/// What one won from the other in mbb/hand, with the deviation.
pub(super) fn pair(one: &str, other: &str) -> Option<(f64, f64)> {
    let row = TABLE_1.iter().find(|row| (row.0, row.1) == (one, other));
    row.map(|&(_, _, won, deviation)| (DOLLAR * won, DOLLAR * deviation))
}

/// Hands of each match of Table 1.
pub(super) const HANDS: u64 = 150_000;
