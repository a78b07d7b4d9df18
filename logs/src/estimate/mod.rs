//! Variance-reduced estimates of a heads-up hold'em win rate.
//!
//! Every estimate is the result of each hand minus corrections whose mean is zero for any players:
//! for the deal of the hole cards and of each street (both hands being known), for the draws of
//! agents with known strategies (AIVAT: Burch, Schmid, Moravčík, Morrill and Bowling, *AIVAT: a new
//! variance reduction technique for agent evaluation in imperfect information games*, 2018), and
//! with a baseline as control variate. So each is unbiased, and each has its own interval. How to
//! read them: `docs/statistics.md`.
//!
//! - [`Estimates`] accumulates hands in constant memory, on one thread or on many; the result
//!   depends only on the records, the strategies and the value functions: the one in
//!   [code](VALUE_FUNCTION), and one [given](Estimates::valued_by).
//! - With [`Sampling`] only a random sample of the deals is corrected. Corrected hands and those
//!   that count as played are two independent estimates of the rate, combined by their variances.
//! - [`Rows`] are the results; [`Report`](crate::stats::Report) includes and prints them.
//!
//! Invariants: no coefficient is fitted on the hands it is applied to, and none on fewer than
//! [`FEWEST_TO_FIT`]; a value function is fixed before the hands are played, or chosen by hands
//! that are in no estimate by it; all seats' estimates together are that of all hands.

mod equity;
mod moments;
mod next;
mod parallel;
mod rows;
mod sample;
mod terms;
mod value;

use std::sync::Arc;

use game::{GameDef, Payoff, Seat, ValueFunction};

pub use parallel::Observed;
pub use rows::{FEWEST_TO_FIT, NoEstimates, Row, RowKind, Rows};
pub use sample::{Part, Sampling};
pub use value::VERSION as VALUE_FUNCTION;

use crate::stats::Sums;
use crate::{DecisionRecord, HandRecord, MatchInfo};
use sample::Sample;
use terms::{BASELINE, COUNT, Line, RESULT, Terms};

/// An accumulator of the terms of a match's hands, in constant memory, from which all estimates
/// follow.
pub struct Estimates {
    of: u8,
    group: usize,
    /// The big blind in chips.
    big_blind: f64,
    /// Samples of single hands, by the entrant's seat.
    seats: [Sample; 2],
    /// A sample of groups of hands that share a deal; unused when each hand has its own.
    groups: Sample,
    /// Hands of which only the sum of several results is known.
    together: Sums,
    open: Vec<Entry>,
    open_deal: u64,
    values: Option<Arc<dyn ValueFunction>>,
    facts: Facts,
    sampling: Sampling,
    /// Whether weights may be fitted.
    fitting: bool,
    /// Number of hands with corrections.
    corrected: u64,
    /// The hands that gained most by the luck of the cards: the gain in big blinds, and the hand's
    /// number; the most first, and no more than `keep`.
    luckiest: Vec<(f64, u64)>,
    keep: usize,
}

/// The contribution of a hand: its terms, and what it adds to the [`Facts`].
struct Share {
    hand: u64,
    deal: u64,
    facts: Facts,
    /// None when a hole card is unknown.
    entry: Option<Entry>,
}

/// A hand of an incomplete group.
struct Entry {
    seat: usize,
    part: Part,
    actual: Terms,
}

/// Counts of the data behind the estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Facts {
    /// Number of hands with unknown hole cards.
    pub(crate) unknown_cards: u64,
    /// Number of hands of which only the result is known; below, those known only together.
    pub(crate) settled: u64,
    pub(crate) together: u64,
    /// Decisions of the entrant and of the other one; below, those with a known strategy.
    pub(crate) decisions: [u64; 2],
    pub(crate) strategies: [u64; 2],
    /// Number of hands with a baseline; below, of all hands.
    pub(crate) baselines: u64,
    pub(crate) hands: u64,
}

impl Facts {
    fn add(&mut self, other: &Facts) {
        self.unknown_cards += other.unknown_cards;
        self.settled += other.settled;
        self.together += other.together;
        for side in 0..2 {
            self.decisions[side] += other.decisions[side];
            self.strategies[side] += other.strategies[side];
        }
        self.baselines += other.baselines;
        self.hands += other.hands;
    }
}

impl Estimates {
    /// An empty accumulator for this entrant's rate; `None` in games other than heads-up hold'em.
    pub fn new(info: &MatchInfo, of: usize) -> Option<Estimates> {
        Estimates::of_game(&info.game, info.group(), of)
    }

    /// The same as [`Estimates::new`], for a game in which `group` consecutive hands share a deal.
    pub fn of_game(def: &GameDef, group: usize, of: usize) -> Option<Estimates> {
        let holdem = def.players == 2
            && def.hole_cards == 2
            && def.board_cards == [0, 3, 1, 1]
            && def.suits == 4
            && def.ranks == 13;
        (holdem && of < 2).then(|| Estimates {
            of: of as u8,
            group: group.max(1),
            big_blind: f64::from(def.big_blind()),
            seats: [Sample::default(), Sample::default()],
            groups: Sample::default(),
            together: Sums::default(),
            open: Vec::new(),
            open_deal: 0,
            values: None,
            facts: Facts::default(),
            sampling: Sampling::ALL,
            fitting: true,
            corrected: 0,
            luckiest: Vec::new(),
            keep: 0,
        })
    }

    /// Also corrects by this value function, which must have been fixed before the hands were
    /// played and support their game. Takes some milliseconds a hand.
    #[must_use]
    pub fn valued_by(mut self, values: Arc<dyn ValueFunction>) -> Estimates {
        self.values = Some(values);
        self
    }

    /// Corrects a random sample of the deals only.
    #[must_use]
    pub fn sampling(mut self, sampling: Sampling) -> Estimates {
        self.sampling = sampling;
        self
    }

    /// Leaves every correction the weight of its value function, whatever the number of hands: what
    /// was said of a hand stays when others follow.
    #[must_use]
    pub fn unfitted(mut self) -> Estimates {
        self.fitting = false;
        self
    }

    /// Keeps the numbers of the `hands` luckiest hands.
    #[must_use]
    pub fn keeping_luckiest(mut self, hands: usize) -> Estimates {
        self.keep = hands;
        self
    }

    /// The hands that gained most by the luck of the cards, the most first.
    pub fn luckiest(&self) -> impl Iterator<Item = u64> + '_ {
        self.luckiest.iter().map(|&(_, hand)| hand)
    }

    /// The choice of the deals that are corrected: only these need their decisions.
    pub fn chosen(&self) -> Sampling {
        self.sampling
    }

    /// What the entrant gained in a hand by the luck of the cards, in big blinds: the corrections
    /// of the deal with the weights of the value function. `None` when hole cards are unknown.
    pub fn luck(&self, record: &HandRecord) -> Option<f64> {
        let line = Line::new(record, self.of, &[], None)?;
        Some(self.luck_of(&line.terms(self.values.as_deref())))
    }

    fn luck_of(&self, terms: &Terms) -> f64 {
        let weights = terms::fixed(self.values.is_some());
        terms::deal(self.values.is_some()).map(|term| weights[term] * terms[term]).sum()
    }

    /// The variance that the corrections leave, as a share of the raw one, if every correction has
    /// the weight of its value function times one fitted factor; as if `units` further deals had
    /// left the share `prior`.
    pub fn left(&self, prior: f64, units: f64) -> f64 {
        rows::left(self, prior, units)
    }

    /// Prepares the value function for so many hands with corrections.
    pub fn expect_hands(&self, hands: u64) {
        self.values.iter().for_each(|values| values.prepare(hands));
    }

    /// Number of units (deals in duplicate matches, else hands) set aside so far.
    pub fn set_aside(&self) -> u64 {
        match self.group {
            1 => self.seats.iter().map(|seat| seat.units_of(Part::Aside)).sum(),
            _ => self.groups.units_of(Part::Aside),
        }
    }

    /// The name of the value function.
    pub fn value_function(&self) -> &str {
        self.values.as_ref().map_or(VALUE_FUNCTION, |values| values.name())
    }

    /// Adds the next hand with the decisions recorded in it (all of them or none). Hands come in
    /// order.
    ///
    /// `baseline` is the result of the baseline's owner against itself with the same cards in this
    /// entrant's seat, determined before the hand was played.
    pub fn add(
        &mut self,
        record: &HandRecord,
        decisions: &[DecisionRecord],
        baseline: Option<Payoff>,
    ) {
        if record.entrants.len() == 2 {
            let share = self.take_apart(record, decisions, baseline);
            self.count(share);
        }
    }

    /// Adds a hand of which only the result is known, without corrections. Valid for hands whose
    /// other data were lost for unrelated reasons, and only in matches in which each hand has its
    /// own deal; in others it has no effect.
    pub fn add_settled(&mut self, seat: Seat, won: Payoff, baseline: Option<Payoff>) {
        if self.group > 1 {
            return;
        }
        let unit = 1.0 / self.big_blind;
        let mut actual = [0.0; COUNT];
        actual[RESULT] = won.chips() * unit;
        actual[BASELINE] = baseline.map_or(0.0, |baseline| baseline.chips() * unit);
        let facts = Facts { hands: 1, settled: 1, ..Facts::default() };
        // Their deals have no numbers of their own.
        let deal = !self.facts.settled;
        let part = self.sampling.part(deal);
        let entry = Some(Entry { seat: seat.index() & 1, part, actual });
        self.count(Share { hand: u64::MAX, deal, facts, entry });
    }

    /// Adds so many hands of which only the sum of the results is known, as
    /// [`add_settled`](Self::add_settled) does one; they are in no rate by seat.
    pub fn add_together(&mut self, won: Payoff, hands: u32) {
        if self.group > 1 {
            return;
        }
        let count = u64::from(hands);
        let facts = Facts { hands: count, settled: count, together: count, ..Facts::default() };
        self.facts.add(&facts);
        self.together.add(won, hands);
    }

    /// Computes a hand's contribution. All costly work is here, without side effects, so that hands
    /// can be processed in parallel.
    fn take_apart(
        &self,
        record: &HandRecord,
        decisions: &[DecisionRecord],
        baseline: Option<Payoff>,
    ) -> Share {
        let mut facts =
            Facts { hands: 1, baselines: u64::from(baseline.is_some()), ..Facts::default() };
        let (hand, deal, part) = (record.hand, record.deal, self.sampling.part(record.deal));
        if part != Part::Corrected {
            let entry = self.as_played(record, part, baseline);
            facts.unknown_cards = u64::from(entry.is_none());
            return Share { hand, deal, facts, entry };
        }
        let baseline = baseline.map(Payoff::chips);
        let Some(line) = Line::new(record, self.of, decisions, baseline) else {
            facts.unknown_cards = 1;
            return Share { hand, deal, facts, entry: None };
        };
        for act in line.acts() {
            let side = usize::from(!act.own);
            facts.decisions[side] += 1;
            facts.strategies[side] += u64::from(act.strategy.is_some());
        }
        let actual = line.terms(self.values.as_deref());
        let entry = Entry { seat: line.seat.index(), part, actual };
        Share { hand, deal, facts, entry: Some(entry) }
    }

    /// The entry of a hand that counts as played; `None` when hole cards are unknown.
    fn as_played(
        &self,
        record: &HandRecord,
        part: Part,
        baseline: Option<Payoff>,
    ) -> Option<Entry> {
        let (seat, _) = record.entrants.iter().find(|&(_, &entrant)| entrant == self.of)?;
        let known = record.hole.iter().all(|(_, cards)| cards.len() == 2);
        let mut actual = [0.0; COUNT];
        actual[RESULT] = record.payoffs[seat].chips() / self.big_blind;
        actual[BASELINE] = baseline.map_or(0.0, |baseline| baseline.chips() / self.big_blind);
        known.then_some(Entry { seat: seat.index(), part, actual })
    }

    /// Adds a hand's contribution. Must be called in order of hands: floating-point sums depend on
    /// it.
    fn count(&mut self, share: Share) {
        self.facts.add(&share.facts);
        if let Some(entry) = share.entry {
            self.corrected += u64::from(entry.part == Part::Corrected);
            if self.keep > 0 && entry.part == Part::Corrected && share.facts.settled == 0 {
                let luck = self.luck_of(&entry.actual);
                let at = self.luckiest.partition_point(|&(other, _)| other >= luck);
                self.luckiest.insert(at, (luck, share.hand));
                self.luckiest.truncate(self.keep);
            }
            self.push(share.deal, entry);
        }
    }

    fn push(&mut self, deal: u64, entry: Entry) {
        if self.open_deal != deal {
            self.open.clear();
        }
        self.open_deal = deal;
        self.open.push(entry);
        if self.open.len() < self.group {
            return;
        }
        let mut actual = [0.0; COUNT];
        // All hands of a deal are in one part, and in one fold.
        let part = self.open[0].part;
        let fold_of_group = (self.group > 1).then(|| self.groups.next_fold(part));
        for entry in self.open.drain(..) {
            let seat = &mut self.seats[entry.seat];
            let fold = fold_of_group.unwrap_or_else(|| seat.next_fold(part));
            seat.add(part, fold, &entry.actual);
            for i in 0..COUNT {
                actual[i] += entry.actual[i];
            }
        }
        if let Some(fold) = fold_of_group {
            self.groups.add(part, fold, &actual);
        }
    }

    /// The entrant's total winnings so far, in big blinds: as played, and corrected for the luck of
    /// the deal. These are the sums behind [`RowKind::Raw`] and [`RowKind::Luck`].
    pub fn won(&self) -> [f64; 2] {
        let values = terms::fixed(self.values.is_some());
        let mut played = [0.0; COUNT];
        played[RESULT] = 1.0;
        let mut corrected = played;
        terms::deal(self.values.is_some()).for_each(|term| corrected[term] = -values[term]);
        let folds = || self.seats.iter().flat_map(Sample::corrected);
        let together = self.together.chips() / self.big_blind;
        [played, corrected]
            .map(|weights| folds().map(|fold| fold.combined(&weights).0).sum::<f64>() + together)
    }

    /// The effect of each kind of correction, applied after those before it: its name, and the
    /// remaining standard deviation as a share of the raw one. Empty with fewer than two units, or
    /// without variance.
    pub fn narrowing(&self) -> Vec<(&'static str, f64)> {
        rows::narrowing(self)
    }

    /// The estimates of the hands so far.
    ///
    /// # Errors
    /// The reason why there are none.
    pub fn rows(&self) -> Result<Rows, NoEstimates> {
        rows::rows(self)
    }
}
