//! The features of a linear rule, from a starting hand, the blind that holds it, and whether it is
//! played.

use cards::StartingHand;

/// The names of the features, in the order of the weights.
pub const FEATURES: [&str; 9] = [
    "constant",
    "high",
    "low",
    "gap",
    "suited",
    "small-blind",
    "small-blind-all-in",
    "big-blind-call",
    "pair",
];

/// Number of published features; the others may be missing in a file.
pub const PUBLISHED_FEATURES: usize = 7;

/// The version of the features; files with another one are refused.
pub const VERSION: &str = "shove-fold 1";

/// A blind, which identifies a player in this game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blind {
    /// The small blind, which moves all-in or folds.
    Small,
    /// The big blind, which calls or folds.
    Big,
}

impl Blind {
    /// Both, in the order of acting.
    pub const BOTH: [Blind; 2] = [Blind::Small, Blind::Big];
}

/// The features of a hand that is played or folded. Ranks count from 0 (the deuce) to 12 (the ace)
/// and are divided by thirteen, the gap is the fourth root of their difference, all others are 0 or
/// 1. Card features are 0 in a fold.
pub fn features(hand: StartingHand, blind: Blind, plays: bool) -> [f64; FEATURES.len()] {
    let [high, low] = hand.ranks().map(|rank| f64::from(rank.index()));
    let small = blind == Blind::Small;
    let one = |holds: bool| f64::from(u8::from(holds));
    if !plays {
        return [1.0, 0.0, 0.0, 0.0, 0.0, one(small), 0.0, 0.0, 0.0];
    }
    [
        1.0,
        high / 13.0,
        low / 13.0,
        (high - low).powf(0.25),
        one(hand.is_suited()),
        one(small),
        one(small),
        one(!small),
        one(hand.is_pair()),
    ]
}
