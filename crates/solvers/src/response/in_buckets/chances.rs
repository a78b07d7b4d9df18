//! The counts as probabilities, for paths up to each street.

use std::ops::Range;

use game::Street;

use super::pair_counts::{Cell, PairCounts, Path};

/// For every street, the probability that each two paths meet, and the margin by which one wins
/// more often than the other.
///
/// The paths of a street are those up to its bucket, sorted by their buckets: continuations of one
/// path are consecutive.
#[derive(Debug, Clone)]
pub struct Chances {
    paths: Vec<Path>,
    pub(super) streets: [OnStreet; 4],
}

/// The paths up to a street.
#[derive(Debug, Clone, Default)]
pub(super) struct OnStreet {
    /// The last bucket of each path.
    pub(super) buckets: Vec<u32>,
    /// The range of river paths that continue each path.
    ends: Vec<Range<usize>>,
    /// The range of next-street paths that continue each path; empty on the river.
    pub(super) next: Vec<Range<usize>>,
    /// The probability that both are dealt, for each path and each of the other player, row by row.
    pub(super) pair_probabilities: Vec<f64>,
    /// The probability that the first path has the better hand at showdown, minus that of the
    /// other, in the same layout.
    pub(super) margin: Vec<f64>,
}

impl Chances {
    /// Computes the probabilities, with all counted deals equally likely.
    pub fn new(pair_counts: &PairCounts) -> Chances {
        let mut order: Vec<usize> = (0..pair_counts.paths().len()).collect();
        order.sort_unstable_by_key(|&path| pair_counts.paths()[path]);
        let paths: Vec<Path> = order.iter().map(|&path| pair_counts.paths()[path]).collect();
        let deals = pair_counts.deals() as f64;
        let count = paths.len();
        let (mut pair_probabilities, mut margin) = (Vec::new(), Vec::new());
        for &path in &order {
            for &other in &order {
                let Cell { wins, ties } = pair_counts.cell(path, other);
                let losses = pair_counts.cell(other, path).wins;
                pair_probabilities.push((wins + ties + losses) as f64 / deals);
                margin.push((wins as f64 - losses as f64) / deals);
            }
        }
        let mut streets = [0, 1, 2, 3].map(|street| OnStreet::new(&paths, street));
        let ends: Vec<Vec<Range<usize>>> =
            streets.iter().map(|street| street.ends.clone()).collect();
        for (street, later) in streets.iter_mut().zip(&ends[1..]) {
            street.follow(later);
        }
        for street in &mut streets {
            street.pair_probabilities = street.sums(&pair_probabilities, count);
            street.margin = street.sums(&margin, count);
        }
        Chances { paths, streets }
    }

    /// The paths up to the river, sorted.
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// Number of paths up to a street.
    pub fn count(&self, street: Street) -> usize {
        self.streets[street.index()].buckets.len()
    }

    /// The number of the path with these buckets, from preflop on, among those of its street;
    /// `None` if no hand has it.
    pub fn number(&self, buckets: &[u16]) -> Option<usize> {
        let street = self.streets.get(buckets.len().checked_sub(1)?)?;
        let start =
            |ends: &Range<usize>| self.paths.get(ends.start).map(|path| &path[..buckets.len()]);
        street.ends.binary_search_by(|ends| start(ends).cmp(&Some(buckets))).ok()
    }

    /// The probability that two paths of a street, given by number, meet.
    ///
    /// # Panics
    /// When there are no such paths.
    pub fn pair_probability(&self, street: Street, path: usize, other: usize) -> f64 {
        let street = &self.streets[street.index()];
        street.pair_probabilities[path * street.buckets.len() + other]
    }
}

impl OnStreet {
    /// Groups the sorted river paths by their buckets up to this street.
    fn new(paths: &[Path], street: usize) -> OnStreet {
        let mut found = OnStreet::default();
        let mut start = 0;
        for same in paths.chunk_by(|a, b| a[..=street] == b[..=street]) {
            found.buckets.push(same[0][street].into());
            found.ends.push(start..start + same.len());
            start += same.len();
        }
        found
    }

    /// Sets the ranges of next-street paths.
    fn follow(&mut self, later: &[Range<usize>]) {
        let mut at = 0;
        for ends in &self.ends {
            let first = at;
            at += later[at..].iter().take_while(|next| next.end <= ends.end).count();
            self.next.push(first..at);
        }
    }

    /// Sums a matrix over pairs of the `count` river paths into one over pairs of this street's
    /// paths.
    fn sums(&self, of_ends: &[f64], count: usize) -> Vec<f64> {
        let mut sums = Vec::with_capacity(self.ends.len() * self.ends.len());
        for rows in &self.ends {
            for columns in &self.ends {
                let row = |row: usize| of_ends[row * count..][columns.clone()].iter().sum::<f64>();
                sums.push(rows.clone().map(row).sum());
            }
        }
        sums
    }
}
