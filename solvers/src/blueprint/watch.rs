//! A few thousand information sets that are watched, to say how much of a game has been reached and how much
//! strategies still change.

use super::layout::Layout;
use super::store::Store;

/// About so many are watched, evenly over the game.
const WATCHED: u64 = 10_000;

#[derive(Debug)]
pub(super) struct Watch {
    /// The places of the information sets, and how many actions they have.
    places: Vec<(usize, usize)>,
    /// Their average strategies when last looked at, one after the other.
    last: Option<Vec<f32>>,
}

impl Watch {
    pub(super) fn new(layout: &Layout) -> Watch {
        // Not a multiple of any usual number of buckets.
        let step = (layout.infosets / WATCHED).max(1) as usize | 1;
        Watch { places: layout.each_infoset().step_by(step).collect(), last: None }
    }

    /// The share of them that have been reached, and the mean change of those since the last look.
    pub(super) fn look<S: Store>(&mut self, store: &S) -> (f64, Option<f64>) {
        let mut now = Vec::new();
        let (mut touched, mut change) = (0u32, 0.0);
        for &(place, actions) in &self.places {
            let from = now.len();
            now.resize(from + actions, 0.0);
            let shares = &mut now[from..];
            store.sums_into(place, shares);
            if shares.iter().all(|&sum| sum == 0.0) {
                continue;
            }
            touched += 1;
            super::normalise(shares);
            if let Some(last) = &self.last {
                let differences = shares.iter().zip(&last[from..]);
                let moved: f32 = differences.map(|(new, old)| (new - old).max(0.0)).sum();
                change += f64::from(moved);
            }
        }
        let share = f64::from(touched) / self.places.len().max(1) as f64;
        let known = self.last.is_some();
        self.last = Some(now);
        (share, known.then(|| change / f64::from(touched.max(1))))
    }
}
