//! A sample of information sets, to estimate how much of a game training has reached and how much
//! strategies still change.

use super::layout::Layout;
use super::store::Table;

/// Approximate size of the sample, which is spread evenly over the game.
const WATCHED: u64 = 10_000;

#[derive(Debug)]
pub(super) struct Watch {
    /// The position and number of actions of each sampled information set.
    places: Vec<(usize, usize)>,
    /// Their average strategies at the last look, concatenated.
    last: Option<Vec<f32>>,
}

impl Watch {
    pub(super) fn new(layout: &Layout) -> Watch {
        // Not a multiple of a usual number of buckets.
        let step = (layout.infosets / WATCHED).max(1) as usize | 1;
        Watch { places: layout.each_infoset().step_by(step).collect(), last: None }
    }

    /// The share of the sample that has been reached, and the mean change of those that had also
    /// been reached at the last look.
    pub(super) fn look(&mut self, table: &Table) -> (f64, Option<f64>) {
        let mut now = Vec::new();
        let (mut touched, mut known, mut change) = (0u32, 0u32, 0.0);
        for &(place, actions) in &self.places {
            let from = now.len();
            now.resize(from + actions, 0.0);
            let shares = &mut now[from..];
            table.sums_into(place, shares);
            if shares.iter().all(|&sum| sum == 0.0) {
                continue;
            }
            touched += 1;
            super::normalise(shares);
            let last = self.last.as_ref().map(|last| &last[from..][..actions]);
            if let Some(last) = last.filter(|last| last.iter().any(|&share| share > 0.0)) {
                let moved: f32 =
                    shares.iter().zip(last).map(|(new, old)| (new - old).max(0.0)).sum();
                known += 1;
                change += f64::from(moved);
            }
        }
        let share = f64::from(touched) / self.places.len().max(1) as f64;
        self.last = Some(now);
        (share, (known > 0).then(|| change / f64::from(known)))
    }
}
