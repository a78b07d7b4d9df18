//! The results of Bertsimas and Paskov, "World-class interpretable poker" (2022).

/// Table 1: the winner's average in dollars a game with a big blind of 100 dollars over 150,000
/// games, and its standard deviation. One dollar a game is 10 mbb/hand.
pub(super) const TABLE_1: [(&str, &str, f64, f64); 10] = [
    ("mlp", SLUMBOT, 4.9, 0.8),
    ("xgboost", SLUMBOT, 4.3, 0.7),
    ("oct", SLUMBOT, 2.6, 0.8),
    ("cart", SLUMBOT, -2.1, 0.9),
    ("mlp", "xgboost", 0.6, 0.3),
    ("mlp", "oct", 1.7, 0.4),
    ("mlp", "cart", 5.6, 0.7),
    ("xgboost", "oct", 1.2, 0.5),
    ("xgboost", "cart", 4.9, 0.6),
    ("oct", "cart", 3.6, 0.8),
];

pub(super) const SLUMBOT: &str = "slumbot";

/// One dollar a game in mbb/hand.
const DOLLAR: f64 = 10.0;

/// A published mean in mbb/hand with its standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Published {
    pub(super) won: f64,
    pub(super) deviation: f64,
}

impl Published {
    /// The ends of the 95 % interval.
    pub(super) fn ends(self) -> [f64; 2] {
        let half = 1.96 * self.deviation;
        [self.won - half, self.won + half]
    }
}

/// The published winnings of one kind from the other; `None` for matches that were not published.
pub(super) fn pair(one: &str, other: &str) -> Option<Published> {
    let row = TABLE_1.iter().find(|row| (row.0, row.1) == (one, other));
    row.map(|&(_, _, won, deviation)| Published {
        won: DOLLAR * won,
        deviation: DOLLAR * deviation,
    })
}

/// Hands of each match of Table 1.
pub(super) const HANDS: u64 = 150_000;

/// Parameters, "one for each of its nodes and one for each of its connections": of a whole tree of
/// depth 15 (65,535 nodes and 65,534 branches), and of the network. The latter is the sum of 7
/// layers of 512 units between the 25 numbers of the flop and 4 moves, inputs and outputs not
/// counted as nodes.
pub(super) const TREE: u64 = 131_069;
pub(super) const NETWORK: u64 = 1_591_296;
