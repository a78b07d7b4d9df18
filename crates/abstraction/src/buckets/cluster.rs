//! Clusters of hands with similar potential, by k-means with the earth mover's distance over
//! histograms of next-street equities.
//!
//! Gilpin, Sandholm, Sørensen, "Potential-aware automated abstraction", AAAI 2007; Ganzfried and
//! Sandholm, "Potential-aware imperfect-recall abstraction with earth mover's distance", AAAI 2014.
//! The centre of a cluster minimises the sum of distances to its hands, so it has medians where
//! that paper takes means, and no step increases the sum of distances. Initial centres are drawn as
//! in k-means++ (Arthur and Vassilvitskii, 2007), and distances that the triangle inequality makes
//! superfluous are skipped (Hamerly, 2010). All hands take part, weighted by how often they are
//! dealt; all arithmetic is in integers, so that the result is the same on any number of threads.

use cards::{Combo, HandEquity, RiverTable};
use game::Street;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::percentiles::Boards;

/// Maximum number of k-means rounds.
const ROUNDS: usize = 40;

/// Relative improvement of the sum of distances below which a round is the last.
const ENOUGH: f64 = 2e-4;

/// A progress callback: the stage, the share of it done, and during rounds the sum of distances.
pub(super) type Report<'a> = &'a mut dyn FnMut(&'static str, f64, Option<u64>);

/// The distinct histograms of the hands on one canonical board.
#[derive(Default)]
struct Hands {
    histograms: Vec<Histogram>,
    /// Number of deals that each histogram stands for.
    weights: Vec<u32>,
    /// The cluster of each histogram; `upper` bounds the distance from its centre from above,
    /// `lower` that from any other centre from below.
    clusters: Vec<u16>,
    upper: Vec<u16>,
    lower: Vec<u16>,
}

/// Histogram statistics by cluster: how many deals have each running sum in each bin.
struct Counts(Vec<i64>);

/// The state of k-means: hands, centres, and the counts from which medians are taken.
struct Clustering {
    hands: Vec<Hands>,
    centres: Vec<Histogram>,
    counts: Counts,
}

/// The centres of `count` clusters of the hands of a flop or turn. `None` when there are fewer
/// distinct histograms.
pub(super) fn centres(
    table: &RiverTable,
    street: Street,
    count: u32,
    seed: u64,
    report: Report<'_>,
) -> Option<Centres> {
    report("histograms", 0.0, None);
    let mut hands = all_hands(table, street);
    report("histograms", 1.0, None);
    let first = first_centres(&mut hands, count as usize, seed, report)?;
    let mut clustering = Clustering { hands, counts: Counts::new(first.len()), centres: first };
    clustering.count_all();
    let mut last = clustering.total();
    for round in 0..ROUNDS {
        report("rounds", round as f64 / ROUNDS as f64, Some(last));
        clustering.step();
        let total = clustering.total();
        debug_assert!(total <= last, "no step makes the sum of distances greater");
        let little = (last - total) as f64 <= ENOUGH * last as f64;
        last = total;
        if little && clustering.empty().is_empty() {
            break;
        }
    }
    report("rounds", 1.0, Some(last));
    Some(Centres::new(clustering.centres))
}

/// The histograms of all hands on all canonical boards. Suit-isomorphic hands of a board are
/// merged.
fn all_hands(table: &RiverTable, street: Street) -> Vec<Hands> {
    let boards = if street == Street::Flop { Boards::flops() } else { Boards::turns() };
    let of_board = |(board, times): &(cards::CardSet, u32)| {
        let mut hands = Hands::default();
        let visit = |_: Combo, hand_equity: &cards::HandEquity| {
            let histogram = histogram_of(hand_equity);
            match hands.weights.last_mut() {
                Some(last) if hands.histograms.last() == Some(&histogram) => *last += times,
                _ => {
                    hands.histograms.push(histogram);
                    hands.weights.push(*times);
                }
            }
        };
        table.each_hand(*board, visit).expect("boards of three or four cards");
        hands.clusters = vec![0; hands.weights.len()];
        hands.upper = vec![u16::MAX; hands.weights.len()];
        hands.lower = vec![0; hands.weights.len()];
        hands
    };
    parallel::map(boards.rows(), of_board)
}

/// Draws initial centres one by one: each hand with a probability proportional to its weight times
/// its squared distance from the nearest earlier centre. Leaves every hand assigned to its nearest
/// centre.
fn first_centres(
    hands: &mut [Hands],
    count: usize,
    seed: u64,
    report: Report<'_>,
) -> Option<Vec<Histogram>> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut centres: Vec<Histogram> = Vec::with_capacity(count);
    let mut shares: Vec<u64> = hands.iter().map(|hands| sum(&hands.weights)).collect();
    for number in 0..count {
        let total: u64 = shares.iter().sum();
        if total == 0 {
            return None;
        }
        let centre = drawn(hands, &shares, number == 0, rng.random_range(0..total));
        let apart: Vec<u16> = centres.iter().map(|other| distance(other, &centre)).collect();
        shares = parallel::map(hands.iter_mut(), |hands| {
            hands.add_centre(number as u16, &centre, &apart)
        });
        centres.push(centre);
        if number % 16 == 0 {
            report("first centres", number as f64 / count as f64, None);
        }
    }
    Some(centres)
}

fn sum(weights: &[u32]) -> u64 {
    weights.iter().copied().map(u64::from).sum()
}

/// The histogram at `point`, from 0 up to the sum of all shares.
fn drawn(hands: &[Hands], shares: &[u64], first: bool, mut point: u64) -> Histogram {
    let board = shares.iter().position(|share| {
        let here = point < *share;
        point -= if here { 0 } else { *share };
        here
    });
    let hands = &hands[board.expect("the point is below the sum")];
    let index = (0..hands.weights.len()).find(|&at| {
        let share = hands.share(at, first);
        let here = point < share;
        point -= if here { 0 } else { share };
        here
    });
    hands.histograms[index.expect("the point is below the sum")]
}

impl Hands {
    /// The sampling weight of a hand when a centre is drawn.
    fn share(&self, at: usize, first: bool) -> u64 {
        let apart = if first { 1 } else { u64::from(self.upper[at]).pow(2) };
        u64::from(self.weights[at]) * apart
    }

    /// Reassigns hands to a new centre where it is nearer; returns the sum of their shares. `apart`
    /// are the new centre's distances from the earlier ones.
    fn add_centre(&mut self, number: u16, centre: &Histogram, apart: &[u16]) -> u64 {
        let mut shares = 0;
        for at in 0..self.weights.len() {
            let now = self.upper[at];
            // Triangle inequality: a centre at least twice as far from the hand's own one is not
            // nearer.
            let far =
                apart.get(usize::from(self.clusters[at])).is_some_and(|apart| apart / 2 >= now);
            if !far {
                let new = distance(&self.histograms[at], centre);
                if new < now {
                    (self.upper[at], self.clusters[at]) = (new, number);
                }
            }
            shares += self.share(at, false);
        }
        shares
    }

    /// Reassigns hands to their nearest centres; calls `moved` with histogram, weight, old and new
    /// cluster.
    fn assign(&mut self, moves: &Moves<'_>, mut moved: impl FnMut(&Histogram, u32, u16, u16)) {
        for at in 0..self.weights.len() {
            let cluster = usize::from(self.clusters[at]);
            let upper = self.upper[at].saturating_add(moves.by[cluster]);
            let lower = self.lower[at].saturating_sub(moves.most);
            let enough = lower.max(moves.half_apart[cluster]);
            (self.upper[at], self.lower[at]) = (upper, lower);
            if upper < enough {
                continue;
            }
            self.upper[at] = distance(&self.histograms[at], &moves.centres[cluster]);
            if self.upper[at] < enough {
                continue;
            }
            let Nearest { centre, distance, second } = moves.sorted.nearest(&self.histograms[at]);
            let new = moves.numbers[usize::from(centre)];
            (self.lower[at], self.upper[at]) = (second, distance);
            if usize::from(new) != cluster {
                moved(&self.histograms[at], self.weights[at], self.clusters[at], new);
                self.clusters[at] = new;
            }
        }
    }
}

/// New centres, with the distance that each has moved (`by`) and the largest of these (`most`).
struct Moves<'a> {
    centres: &'a [Histogram],
    /// The same centres sorted; `numbers` has the index of each among `centres`.
    sorted: Centres,
    numbers: Vec<u16>,
    by: Vec<u16>,
    most: u16,
    /// Half the distance of each centre to the nearest other one.
    half_apart: Vec<u16>,
}

impl<'a> Moves<'a> {
    fn new(old: &[Histogram], centres: &'a [Histogram]) -> Moves<'a> {
        let by: Vec<u16> = old.iter().zip(centres).map(|(old, new)| distance(old, new)).collect();
        let sorted = Centres::new(centres.to_vec());
        let mut order: Vec<u16> = (0..centres.len() as u16).collect();
        order.sort_by_key(|&at| {
            let centre = &centres[usize::from(at)];
            (std::cmp::Reverse(mass(centre)), *centre)
        });
        let half_apart = parallel::map(centres.iter().enumerate(), |(at, centre)| {
            let others = centres.iter().enumerate().filter(|(other, _)| *other != at);
            others.map(|(_, other)| distance(centre, other)).min().unwrap_or(u16::MAX) / 2
        });
        let most = by.iter().copied().max().unwrap_or(0);
        Moves { centres, sorted, numbers: order, by, most, half_apart }
    }
}

impl Clustering {
    /// Recomputes the counts of all clusters.
    fn count_all(&mut self) {
        let clusters = self.centres.len();
        self.counts = summed(&mut self.hands, clusters, |hands, counts| {
            for at in 0..hands.weights.len() {
                let weight = i64::from(hands.weights[at]);
                counts.add(hands.clusters[at], &hands.histograms[at], weight);
            }
        });
    }

    /// One k-means round: moves the centres to their medians, then reassigns the hands.
    fn step(&mut self) {
        let mut new: Vec<Histogram> = (0..self.centres.len())
            .map(|cluster| self.counts.medians(cluster).unwrap_or(self.centres[cluster]))
            .collect();
        for (cluster, far) in self.empty().into_iter().zip(self.farthest()) {
            new[cluster] = far;
        }
        let moves = Moves::new(&self.centres, &new);
        let changes = summed(&mut self.hands, new.len(), |hands, counts| {
            hands.assign(&moves, |histogram, weight, from, to| {
                counts.add(from, histogram, -i64::from(weight));
                counts.add(to, histogram, weight.into());
            });
        });
        self.counts.merge(changes);
        self.centres = new;
    }

    /// The sum of all hands' distances from their centres.
    fn total(&self) -> u64 {
        let of_hands = |hands: &Hands| -> u64 {
            let all = hands.histograms.iter().zip(&hands.clusters).zip(&hands.weights);
            all.map(|((histogram, &cluster), &weight)| {
                let apart = distance(histogram, &self.centres[usize::from(cluster)]);
                u64::from(apart) * u64::from(weight)
            })
            .sum()
        };
        parallel::map(&self.hands, of_hands).iter().sum()
    }

    fn empty(&self) -> Vec<usize> {
        (0..self.centres.len()).filter(|&cluster| self.counts.size(cluster) == 0).collect()
    }

    /// Distinct histograms far from their centres, at most one of each board, the farthest first.
    fn farthest(&self) -> Vec<Histogram> {
        let far = parallel::map(&self.hands, |hands| {
            let apart =
                hands.histograms.iter().zip(&hands.clusters).map(|(own, &cluster)| {
                    (distance(own, &self.centres[usize::from(cluster)]), *own)
                });
            apart.max()
        });
        let mut far: Vec<(u16, Histogram)> = far.into_iter().flatten().collect();
        far.sort_unstable();
        far.dedup();
        far.into_iter().rev().map(|(_, histogram)| histogram).collect()
    }
}

/// Runs `work` over all hands on all threads, and adds up what it counts.
fn summed(
    hands: &mut [Hands],
    clusters: usize,
    work: impl Fn(&mut Hands, &mut Counts) + Sync,
) -> Counts {
    let init = || Counts::new(clusters);
    let sums = parallel::fold(hands, init, |counts, hands| work(hands, counts));
    let mut all = sums.into_iter();
    let mut sum = all.next().unwrap_or_else(|| Counts::new(clusters));
    all.for_each(|counts| sum.merge(counts));
    sum
}

impl Counts {
    const VALUES: usize = BOARDS + 1;

    fn new(clusters: usize) -> Counts {
        Counts(vec![0; clusters * BINS * Counts::VALUES])
    }

    #[inline]
    fn add(&mut self, cluster: u16, histogram: &Histogram, weight: i64) {
        let from = usize::from(cluster) * BINS * Counts::VALUES;
        let counts = &mut self.0[from..][..BINS * Counts::VALUES];
        for (values, &value) in counts.chunks_exact_mut(Counts::VALUES).zip(histogram) {
            values[usize::from(value)] += weight;
        }
    }

    fn merge(&mut self, other: Counts) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, count)| *sum += count);
    }

    fn values(&self, cluster: usize, bin: usize) -> &[i64] {
        &self.0[(cluster * BINS + bin) * Counts::VALUES..][..Counts::VALUES]
    }

    /// Number of deals in a cluster.
    fn size(&self, cluster: usize) -> i64 {
        self.values(cluster, 0).iter().sum()
    }

    /// The medians of a cluster's running sums; `None` when it is empty.
    fn medians(&self, cluster: usize) -> Option<Histogram> {
        let size = self.size(cluster);
        (size > 0).then(|| {
            std::array::from_fn(|bin| {
                let mut below = 0;
                let values = self.values(cluster, bin);
                let middle = values.iter().position(|count| {
                    below += count;
                    2 * below >= size
                });
                middle.expect("the counts of a place add up to the size") as u8
            })
        })
    }
}

// Histograms of a hand's equities on the next street, and the distance between two.
//
// A histogram is stored as its running sums: for each of 31 equities, 1/32 apart, the number of
// next-street boards (47 from a flop, 46 from a turn) on which the hand's equity is below it.
// The earth mover's distance between two histograms on a line is the sum of the absolute
// differences of their running sums, so it is a whole number, and the histogram with the least
// total distance to many has the median of theirs in each place.

/// Number of bins of the equity.
pub(super) const BINS: usize = 32;

/// A histogram as running sums; the last place is unused and zero.
pub(super) type Histogram = [u8; BINS];

/// The greatest running sum: the number of boards of the next street.
const BOARDS: usize = 47;

/// The histogram of a hand on a flop or turn.
pub(super) fn histogram_of(hand_equity: &HandEquity) -> Histogram {
    let mut sums = [0; BINS];
    let Some(next) = hand_equity.later().first() else { return sums };
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
fn distance(a: &Histogram, b: &Histogram) -> u16 {
    a.iter().zip(b).map(|(a, b)| u16::from(a.abs_diff(*b))).sum()
}

/// The sum of the running sums. The difference of two masses is a lower bound of the distance. The
/// mass falls as the mean equity rises.
#[inline]
fn mass(histogram: &Histogram) -> u16 {
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
    distance: u16,
    second: u16,
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
    use cards::Ties;

    use super::*;

    #[test]
    fn running_sums_are_those_of_the_histogram() {
        let table = RiverTable::shared(Ties::Half);
        for (hole, board) in [(17, "2c7dKh"), (800, "2c7dKhKs"), (1325, "2c3c4c5c")] {
            let hole = Combo::from_index(hole).expect("a combo");
            let board: cards::Board = board.parse().expect("a board");
            let hand_equity = table.hand_equity(hole, board.set()).expect("a hand");
            let counts = hand_equity.later()[0].histogram(BINS);
            let sums = histogram_of(&hand_equity);
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
