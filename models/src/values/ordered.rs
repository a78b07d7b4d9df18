//! A range sorted by the win rates of its hands.

/// The number of win rate intervals in the summary of a range.
const INTERVALS: usize = 8;

/// A range sorted by its hands' win rates against the other player's range.
#[derive(Debug, Clone, Default)]
pub struct Ordered {
    hands: Vec<(f32, f32)>,
    /// Cumulative probabilities: before each hand, and the total.
    sums: Vec<f32>,
    /// The probability of each win rate interval.
    pub shares: [f32; INTERVALS],
    /// The mean win rate.
    pub mean: f32,
}

impl Ordered {
    /// The number of win rate intervals in the summary of a range.
    pub const INTERVALS: usize = INTERVALS;

    /// The order of these hands, each with its win rate from 0 to 1 and its probability; those of
    /// probability 0 are left out.
    pub fn new(hands: impl Iterator<Item = (f32, f32)>) -> Ordered {
        let mut hands: Vec<(f32, f32)> = hands.filter(|&(_, share)| share > 0.0).collect();
        hands.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        let mut ordered = Ordered { sums: vec![0.0], ..Ordered::default() };
        let mut sum = 0.0_f64;
        for &(rate, share) in &hands {
            sum += f64::from(share);
            ordered.sums.push(sum as f32);
            let interval = ((rate * INTERVALS as f32) as usize).min(INTERVALS - 1);
            ordered.shares[interval] += share;
            ordered.mean += rate * share;
        }
        Ordered { hands, ..ordered }
    }

    /// The probability of the hands with a lower win rate.
    pub fn below(&self, rate: f32) -> f32 {
        self.sums[self.hands.partition_point(|&(other, _)| other < rate)]
    }
}
