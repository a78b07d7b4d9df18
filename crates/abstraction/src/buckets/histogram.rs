//! Histograms of a hand's win-rates on the next street, and the distance between two.
//!
//! A histogram is stored as its running sums: for each of 31 win-rates, 1/32 apart, the number of
//! next-street boards (47 from a flop, 46 from a turn) on which the hand's win-rate is below it.
//! The earth mover's distance between two histograms on a line is the sum of the absolute
//! differences of their running sums, so it is a whole number, and the histogram with the least
//! total distance to many has the median of theirs in each place.

use cards::Outlook;

/// Number of bins of the win-rate.
pub(super) const BINS: usize = 32;

/// A histogram as running sums; the last place is unused and zero.
pub(super) type Histogram = [u8; BINS];

/// The greatest running sum: the number of boards of the next street.
pub(super) const BOARDS: usize = 47;

/// The histogram of a hand on a flop or turn.
pub(super) fn of(outlook: &Outlook) -> Histogram {
    let mut sums = [0; BINS];
    let Some(next) = outlook.later().first() else { return sums };
    // The reciprocal of the denominator, rounded up: exact for numerators below 2^17.
    let scale = ((BINS as u64) << 40) / u64::from(next.denominator().max(1)) + 1;
    for (numerator, count) in next.counts() {
        let bin = (u64::from(numerator) * scale) >> 40;
        sums[(bin as usize).min(BINS - 1)] += count as u8;
    }
    for bin in 1..BINS {
        sums[bin] += sums[bin - 1];
    }
    sums[BINS - 1] = 0;
    sums
}

/// The earth mover's distance, in boards times bins: at most 31 × 47.
#[inline]
pub(super) fn distance(a: &Histogram, b: &Histogram) -> u16 {
    a.iter().zip(b).map(|(a, b)| u16::from(a.abs_diff(*b))).sum()
}

/// The sum of the running sums. The difference of two masses is a lower bound of the distance. The
/// mass falls as the mean win-rate rises.
#[inline]
pub(super) fn mass(histogram: &Histogram) -> u16 {
    histogram.iter().copied().map(u16::from).sum()
}

/// Cluster centres in order of mass, the greatest (the weakest hands) first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Centres {
    centres: Vec<Histogram>,
    masses: Vec<u16>,
}

/// The result of a search: the nearest centre, its distance, and the distance of the second
/// nearest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Nearest {
    pub(super) centre: u16,
    pub(super) distance: u16,
    pub(super) second: u16,
}

impl Centres {
    /// Sorts the centres by mass.
    pub(super) fn new(mut centres: Vec<Histogram>) -> Centres {
        centres.sort_by_key(|centre| (std::cmp::Reverse(mass(centre)), *centre));
        let masses = centres.iter().map(mass).collect();
        Centres { centres, masses }
    }

    pub(super) fn as_slice(&self) -> &[Histogram] {
        &self.centres
    }

    /// The nearest centre; among equally near ones the first.
    ///
    /// Centres are tried outwards from the one of the same mass, until the difference in mass alone
    /// exceeds the second-best distance.
    pub(super) fn nearest(&self, histogram: &Histogram) -> Nearest {
        let own = mass(histogram);
        let (mut best, mut second) = ((u16::MAX, u16::MAX), u16::MAX);
        let mut up = self.masses.partition_point(|&mass| mass > own);
        let mut down = up;
        loop {
            let below = down.checked_sub(1).map(|at| self.masses[at] - own);
            let above = self.masses.get(up).map(|mass| own - mass);
            let at = match (below, above) {
                (None, None) => break,
                (Some(apart), other) if other.is_none_or(|other| apart <= other) => {
                    if apart > second {
                        break;
                    }
                    down -= 1;
                    down
                }
                (_, apart) => {
                    if apart.is_some_and(|apart| apart > second) {
                        break;
                    }
                    up += 1;
                    up - 1
                }
            };
            let found = (distance(histogram, &self.centres[at]), at as u16);
            if found < best {
                second = best.0;
                best = found;
            } else {
                second = second.min(found.0);
            }
        }
        Nearest { centre: best.1, distance: best.0, second }
    }
}

#[cfg(test)]
mod tests {
    use cards::{Combo, RiverTable, Ties};
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    #[test]
    fn running_sums_are_those_of_the_histogram() {
        let table = RiverTable::shared(Ties::Half);
        for (hole, board) in [(17, "2c7dKh"), (800, "2c7dKhKs"), (1325, "2c3c4c5c")] {
            let hole = Combo::from_index(hole).expect("a combo");
            let board: cards::Board = board.parse().expect("a board");
            let outlook = table.outlook(hole, board.set()).expect("a hand");
            let counts = outlook.later()[0].histogram(BINS);
            let sums = of(&outlook);
            let mut sum = 0;
            for bin in 0..BINS - 1 {
                sum += counts[bin];
                assert_eq!(u32::from(sums[bin]), sum, "bin {bin}");
            }
            assert_eq!(sums[BINS - 1], 0);
        }
    }

    #[test]
    fn the_nearest_centre_is_that_of_a_search_through_all() {
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        let mut random = || {
            let mut sums: Histogram = std::array::from_fn(|_| rng.random_range(0..=BOARDS as u8));
            sums.sort_unstable();
            sums[BINS - 1] = 0;
            sums
        };
        for count in [1, 2, 3, 50] {
            let centres = Centres::new((0..count).map(|_| random()).collect());
            for _ in 0..200 {
                let own = random();
                let apart = |centre: &Histogram| distance(&own, centre);
                let mut all: Vec<u16> = centres.as_slice().iter().map(apart).collect();
                let found = centres.nearest(&own);
                assert_eq!(apart(&centres.as_slice()[usize::from(found.centre)]), found.distance);
                all.sort_unstable();
                assert_eq!(found.distance, all[0]);
                assert_eq!(found.second, all.get(1).copied().unwrap_or(u16::MAX));
            }
        }
    }
}
