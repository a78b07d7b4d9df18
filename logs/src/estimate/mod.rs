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
//! Hands are read in order, a block at a time, on the calling thread; meanwhile other threads
//! compute the contributions of the previous block. These are then added in order, so every sum is
//! bit-identical at any number of threads.
//!
//! Invariants: no coefficient is fitted on the hands it is applied to, and none on fewer than
//! [`FEWEST_TO_FIT`]; a value function is fixed before the hands are played, or chosen by hands
//! that are in no estimate by it; all seats' estimates together are that of all hands.

mod rows;
mod terms;

use std::ops::ControlFlow;
use std::sync::Arc;

use game::{GameDef, Payoff, Seat, ValueFunction};

use crate::estimate::rows::Moments;
use crate::estimate::terms::{BASELINE, COUNT, Line, RESULT, Terms};
use crate::stats::Sums;
use crate::{DecisionRecord, HandRecord, MatchInfo};

pub use rows::{FEWEST_TO_FIT, NoEstimates, Row, RowKind, Rows};
pub use terms::VALUE_FUNCTION;

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

/// One hand's result without luck, in big blinds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WithoutLuck {
    /// The result less both corrections.
    pub score: f64,
    /// What the entrant gained by the luck of the cards.
    pub chance: f64,
    /// What it gained by draws of known strategies.
    pub draws: f64,
}

/// One hand's result taken apart, in big blinds: the parts add up to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HandLedger {
    /// What the entrant gained by the hole cards and by the cards of each street.
    pub cards: [f64; 4],
    /// What it gained by its own draws, where its strategy is known.
    pub own_draws: f64,
    /// What it gained by the draws of the other one, where that strategy is known.
    pub other_draws: f64,
    /// The rest: what both did on each street.
    pub play: [f64; 4],
}

impl HandLedger {
    /// What both did on all streets.
    pub fn both_did(&self) -> f64 {
        self.play.iter().sum()
    }

    /// All parts together: the result.
    pub fn total(&self) -> f64 {
        self.cards.iter().sum::<f64>() + self.own_draws + self.other_draws + self.both_did()
    }
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
        (def.differs_from_holdem().is_none() && of < 2).then(|| Estimates {
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

    /// A hand's result without the luck of the cards and of the draws of known strategies, in big
    /// blinds: every correction with the weight of the value function, nothing fitted, so that the
    /// mean over hands is that of the results. `None` when hole cards are unknown.
    pub fn without_luck(
        &self,
        record: &HandRecord,
        decisions: &[DecisionRecord],
    ) -> Option<WithoutLuck> {
        let terms = Line::new(record, self.of, decisions, None)?.terms(self.values.as_deref());
        let valued = self.values.is_some();
        let weights = terms::fixed(valued);
        let sum = |first| -> f64 {
            terms::chosen(first, valued).map(|term| weights[term] * terms[term]).sum()
        };
        let (chance, draws) = (self.luck_of(&terms), sum(terms::OWN) + sum(terms::OTHER));
        Some(WithoutLuck { score: terms[RESULT] - chance - draws, chance, draws })
    }

    /// A hand's result taken apart: [`without_luck`](Self::without_luck) street by street. `None`
    /// when hole cards are unknown.
    pub fn ledger(&self, record: &HandRecord, decisions: &[DecisionRecord]) -> Option<HandLedger> {
        let line = Line::new(record, self.of, decisions, None)?;
        let (terms, streets) = line.terms_and_streets(self.values.as_deref());
        let valued = self.values.is_some();
        let weights = terms::fixed(valued);
        let weighted = |term: usize| weights[term] * terms[term];
        let cards = [0, 1, 2, 3].map(|street| terms::street(street, valued).map(weighted).sum());
        let draws = |first| -> f64 { terms::chosen(first, valued).map(weighted).sum() };
        let (own_draws, other_draws) = (draws(terms::OWN), draws(terms::OTHER));
        // From the value after a street's cards to that before the next ones, or to the result,
        // less what the draws gave.
        let mut play = [0.0; 4];
        let mut worth = cards[0];
        for (street, play) in play.iter_mut().enumerate().take(streets.dealt) {
            let after = match street + 1 {
                next if next < streets.dealt => streets.worth[next] - cards[next],
                _ => terms[RESULT],
            };
            *play = after - worth - streets.own[street] - streets.other[street];
            worth = streets.worth.get(street + 1).copied().unwrap_or_default();
        }
        Some(HandLedger { cards, own_draws, other_draws, play })
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
            actual.iter_mut().zip(entry.actual).for_each(|(sum, term)| *sum += term);
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

/// Number of folds, to which units are assigned in turn.
pub(super) const FOLDS: usize = 10;

/// A random choice of deals, by their numbers: which get corrections, and which are set aside, to
/// choose the value function by. It does not depend on what happened in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    /// Hashes below the first are set aside, those from there to below the second corrected.
    ends: [u64; 2],
}

/// The use of a deal in the estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Its corrections are computed.
    Corrected,
    /// It counts as it was played.
    Plain,
    /// It was used to choose the value function, and so is in no corrected estimate.
    Aside,
}

impl Sampling {
    /// Every deal is corrected.
    pub const ALL: Sampling = Sampling { ends: [0, u64::MAX] };

    /// Sets this share of the deals aside, and corrects this share of the others.
    pub fn new(aside: f64, corrected: f64) -> Sampling {
        let first = (aside.clamp(0.0, 1.0) * u64::MAX as f64) as u64;
        let others = (corrected.clamp(0.0, 1.0) * (u64::MAX - first) as f64) as u64;
        Sampling { ends: [first, first.saturating_add(others)] }
    }

    /// The use of the deal with this number.
    pub fn part(self, deal: u64) -> Part {
        let hash = mix(deal);
        match self.ends {
            [aside, _] if hash < aside => Part::Aside,
            // The largest hash belongs to a choice of all.
            [_, end] if hash < end || end == u64::MAX => Part::Corrected,
            _ => Part::Plain,
        }
    }
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number
/// generators*, 2014): every input bit affects every output bit.
pub fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Moments by fold: of corrected units, of those that count as played, and of those set aside.
#[derive(Debug, Clone, Default)]
struct Sample {
    units: [usize; 3],
    corrected: [Moments; FOLDS],
    plain: [Moments; FOLDS],
    aside: [Moments; FOLDS],
}

/// The units of one fold, with corrections and without.
pub(super) struct Cell {
    corrected: Moments,
    plain: Moments,
}

impl Sample {
    /// The fold of the next unit of this part.
    fn next_fold(&self, part: Part) -> usize {
        self.units[part as usize] % FOLDS
    }

    /// Number of units of this part.
    fn units_of(&self, part: Part) -> u64 {
        self.units[part as usize] as u64
    }

    /// Adds a unit to a fold.
    pub(super) fn add(&mut self, part: Part, fold: usize, terms: &Terms) {
        self.units[part as usize] += 1;
        let folds = match part {
            Part::Corrected => &mut self.corrected,
            Part::Plain => &mut self.plain,
            Part::Aside => &mut self.aside,
        };
        folds[fold].add(terms);
    }

    /// The corrected units.
    pub(super) fn corrected(&self) -> &[Moments; FOLDS] {
        &self.corrected
    }

    /// The units by fold. With `whole` none has a correction, so all are of one kind.
    pub(super) fn cells(&self, whole: bool) -> [Cell; FOLDS] {
        std::array::from_fn(|fold| {
            let (corrected, plain) = (self.corrected[fold].clone(), self.plain[fold].clone());
            let mut cell = Cell { corrected, plain };
            if whole {
                cell.corrected.merge(&cell.plain);
                cell.corrected.merge(&self.aside[fold]);
                cell.plain = Moments::default();
            }
            cell
        })
    }
}

/// Number of hands in a block, those that count as played not counted: enough for many threads, few
/// enough to report progress and stop soon.
const BLOCK_HANDS: usize = 256;

/// Number of all hands in a block.
const MOST_HANDS: usize = 4096;

/// An observed hand.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "nearly all are hands, and few are kept at a time")]
pub enum Observed {
    /// A hand with its record, as for [`Estimates::add`].
    Hand {
        /// The hand.
        record: HandRecord,
        /// The recorded decisions.
        decisions: Vec<DecisionRecord>,
        /// The result of the baseline's owner with the same cards.
        baseline: Option<Payoff>,
    },
    /// Only the sum of several hands, as for [`Estimates::add_together`].
    Together {
        /// The entrant's winnings in all of them.
        won: Payoff,
        /// Their number.
        hands: u32,
    },
    /// Only the result, as for [`Estimates::add_settled`].
    Settled {
        /// The entrant's seat.
        seat: Seat,
        /// The entrant's winnings.
        won: Payoff,
        /// The result of the baseline's owner with the same cards.
        baseline: Option<Payoff>,
    },
}

impl Estimates {
    /// Adds all these hands, in order, on all threads. `seen` is called
    /// after each block with the number of hands added, and may stop there.
    ///
    /// # Errors
    /// The first error of `hands`; the blocks before have been added.
    pub fn add_all<E>(
        &mut self,
        hands: impl IntoIterator<Item = Result<Observed, E>>,
        seen: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, E> {
        let mut hands = hands.into_iter();
        let mut block = self.read(&mut hands)?;
        let mut done = 0;
        while !block.is_empty() {
            let share = |hand| self.share(hand);
            let (shares, next) =
                parallel::join_here(|| parallel::map(&block, share), || self.read(&mut hands));
            for (share, hand) in shares.into_iter().zip(&block) {
                match (share, hand) {
                    (Some(share), _) => self.count(share),
                    (None, &Observed::Settled { seat, won, baseline }) => {
                        self.add_settled(seat, won, baseline);
                    }
                    (None, &Observed::Together { won, hands }) => self.add_together(won, hands),
                    (None, Observed::Hand { .. }) => {}
                }
            }
            done += block.len() as u64;
            if seen(done).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            block = next?;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The contribution of a hand with a record.
    fn share(&self, hand: &Observed) -> Option<Share> {
        match hand {
            Observed::Hand { record, decisions, baseline } if record.entrants.len() == 2 => {
                Some(self.take_apart(record, decisions, *baseline))
            }
            Observed::Hand { .. } | Observed::Settled { .. } | Observed::Together { .. } => None,
        }
    }

    /// Reads the next block.
    fn read<E>(
        &self,
        hands: &mut impl Iterator<Item = Result<Observed, E>>,
    ) -> Result<Vec<Observed>, E> {
        let (mut block, mut corrected) = (Vec::new(), 0);
        while corrected < BLOCK_HANDS && block.len() < MOST_HANDS {
            let Some(hand) = hands.next().transpose()? else { break };
            corrected += usize::from(match &hand {
                Observed::Hand { record, .. } => self.sampling.part(record.deal) == Part::Corrected,
                Observed::Settled { .. } | Observed::Together { .. } => false,
            });
            block.push(hand);
        }
        Ok(block)
    }
}
