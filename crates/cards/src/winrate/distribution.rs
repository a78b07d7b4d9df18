//! The distribution of a hand's win-rate over the boards of a later street, in exact counts.

/// Win-rates of one hand on each board that a later street may bring, all equally likely.
///
/// A win-rate is a whole numerator over one common denominator, so that quantiles are exact; they
/// become floating-point numbers last.
#[derive(Debug, Clone, Default)]
pub struct Distribution {
    denominator: u32,
    /// The win-rates in increasing order, each with the cumulative number of boards. Equal ones may
    /// take several steps; where every board has its own step, quantiles need no search.
    steps: Vec<Step>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Step {
    numerator: u32,
    up_to: u32,
}

impl Distribution {
    /// Clears the distribution and sets the denominator.
    pub(crate) fn reset(&mut self, denominator: u32) {
        self.denominator = denominator;
        self.steps.clear();
    }

    /// Adds `count` boards with a win-rate not below those already here.
    #[inline]
    pub(crate) fn push(&mut self, numerator: u32, count: u32) {
        let up_to = self.boards() + count;
        match self.steps.last_mut() {
            Some(last) if last.numerator == numerator => last.up_to = up_to,
            _ => self.steps.push(Step { numerator, up_to }),
        }
    }

    /// Divides the numbers of boards by `times`, of which all must be multiples.
    pub(crate) fn divide(&mut self, times: u32) {
        self.steps.iter_mut().for_each(|step| step.up_to /= times);
    }

    /// The sum of the numerators over all boards.
    pub(crate) fn sum(&self) -> u64 {
        self.counts().map(|(numerator, count)| u64::from(numerator) * u64::from(count)).sum()
    }

    /// Replaces the contents with these sorted numerators.
    pub(crate) fn fill(&mut self, denominator: u32, sorted: impl ExactSizeIterator<Item = u32>) {
        self.reset(denominator);
        self.steps.extend(sorted.zip(1..).map(|(numerator, up_to)| Step { numerator, up_to }));
    }

    /// Number of boards.
    #[inline]
    pub fn boards(&self) -> u32 {
        self.steps.last().map_or(0, |step| step.up_to)
    }

    /// The common denominator: the numerator of a hand that always wins.
    pub fn denominator(&self) -> u32 {
        self.denominator
    }

    /// Each distinct numerator, the lowest first, with its number of boards.
    pub fn counts(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let equal = self.steps.chunk_by(|a, b| a.numerator == b.numerator);
        equal.scan(0, |below, steps| {
            let last = steps[steps.len() - 1];
            let count = last.up_to - *below;
            *below = last.up_to;
            Some((last.numerator, count))
        })
    }

    /// The mean win-rate, which is the hand's win-rate now.
    pub fn mean(&self) -> f64 {
        let sum: u64 =
            self.counts().map(|(value, count)| u64::from(value) * u64::from(count)).sum();
        self.ratio(sum as f64) / f64::from(self.boards().max(1))
    }

    /// The lowest win-rate that at least the share `p` (0 to 1) of the boards do not exceed: the
    /// quantile by nearest rank. 0 where there are no boards.
    ///
    /// A share within a billionth above a whole number of boards counts as that number, so that
    /// `0.1 + 0.2` asks for what `0.3` asks for.
    pub fn quantile(&self, p: f64) -> f64 {
        let rank = (p.clamp(0.0, 1.0) * f64::from(self.boards()) - 1e-9).ceil();
        self.ratio(f64::from(self.ranked(rank as u32)))
    }

    /// The quantile by linear interpolation between the two nearest boards, which are spread evenly
    /// from 0 (the worst board) to 1 (the best).
    pub fn quantile_linear(&self, p: f64) -> f64 {
        let at = p.clamp(0.0, 1.0) * f64::from(self.boards().saturating_sub(1));
        let below = f64::from(self.ranked(at as u32 + 1));
        let above = f64::from(self.ranked((at as u32 + 2).min(self.boards())));
        self.ratio(below + (above - below) * at.fract())
    }

    /// The quantiles at 10 %, 20 % … 100 % by nearest rank.
    pub fn deciles(&self) -> [f64; 10] {
        self.decile_numerators().map(|numerator| self.ratio(f64::from(numerator)))
    }

    /// The numerators of [`Distribution::deciles`].
    pub fn decile_numerators(&self) -> [u32; 10] {
        let boards = u64::from(self.boards());
        std::array::from_fn(|i| self.ranked((boards * (i as u64 + 1)).div_ceil(10) as u32))
    }

    /// The ten quantiles at 10 %, 20 % … 100 % by linear interpolation.
    pub fn deciles_linear(&self) -> [f64; 10] {
        std::array::from_fn(|i| self.quantile_linear((i + 1) as f64 / 10.0))
    }

    /// Number of boards in each of `bins` equal intervals from 0 to 1; a win-rate on an edge
    /// belongs to the interval above it, and 1 to the last. Empty when `bins` is 0.
    pub fn histogram(&self, bins: usize) -> Vec<u32> {
        let mut histogram = vec![0; bins];
        for (numerator, count) in self.counts() {
            let bin = u64::from(numerator) * bins as u64 / u64::from(self.denominator);
            if let Some(last) = bins.checked_sub(1) {
                histogram[last.min(bin as usize)] += count;
            }
        }
        histogram
    }

    /// The numerator of the board with this rank, counted from 1 for the worst; 0 without boards.
    fn ranked(&self, rank: u32) -> u32 {
        let rank = rank.max(1);
        let at = if self.steps.len() == self.boards() as usize {
            rank as usize - 1
        } else {
            self.steps.partition_point(|step| step.up_to < rank)
        };
        self.steps.get(at).map_or(0, |step| step.numerator)
    }

    fn ratio(&self, numerator: f64) -> f64 {
        numerator / f64::from(self.denominator.max(1))
    }
}

impl PartialEq for Distribution {
    fn eq(&self, other: &Distribution) -> bool {
        self.denominator == other.denominator && self.counts().eq(other.counts())
    }
}

impl Eq for Distribution {}
