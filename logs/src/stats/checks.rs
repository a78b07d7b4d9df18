//! Plausibility checks of the data: whether records look like those of an honest match.
//!
//! Rates and intervals assume independent deals, balanced seats and unchanging players. Evidence
//! against that is a [`Finding`]; the thresholds are such that a sound match has one in ten
//! thousand. (What the rules forbid, such as a card that is dealt twice in a hand or payoffs that
//! contradict the cards, is a file error instead.)
//!
//! - [`of_tally`]: checks of sums, at any time, also while a match is played.
//! - [`Checks`]: checks of the hands themselves.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use cards::{Board, Card, CardSet, HoleCards};
use game::{BySeat, Payoff};
use serde::Serialize;
use show::number::{counted, whole};

use super::{Batches, Sums, Tally};
use crate::HandRecord;

/// Maximum number of deals compared with each other: their hashes take some 30 MB.
const MAX_DEALS: usize = 1 << 20;

/// Smallest number of possible deals that is checked: with fewer, deals must repeat.
const MIN_POSSIBLE_DEALS: f64 = 1e4;

/// Significance level of a drift.
const DRIFT_SIGNIFICANCE: f64 = 1e-4;

/// Threshold, in standard errors, of a seat's share of the hands.
const SEAT_SHARE_THRESHOLD: f64 = 4.5;

/// A property of the data that a sound match does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The kind.
    pub kind: FindingKind,
    /// The evidence, as a sentence without its full stop.
    pub evidence: String,
}

/// The kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// All deals had the same result for an entrant.
    NoSpread,
    /// An entrant has had one seat more often than another.
    SeatsUnbalanced,
    /// A rate changes between the start and the end.
    Drift,
    /// Deals repeat the cards of earlier ones.
    RepeatedDeals,
    /// Hands that should share a deal have different cards.
    DealsDiffer,
    /// The hands do not add up to the recorded score.
    ScoreDiffers,
    /// The baseline changes between the start and the end.
    BaselineDrift,
    /// The baseline's mean differs from zero.
    BaselineOffZero,
}

/// The findings from the sums of a match. `names` are those of the entrants.
pub fn of_tally(names: &[String], tally: &Tally) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Heads-up, the other entrant's results are the negatives of the first one's.
    let different = if tally.entrants().len() == 2 { 1 } else { tally.entrants().len() };
    for (name, sums) in names.iter().zip(tally.entrants()).take(different) {
        findings.extend(no_spread(name, &sums.all, tally));
        let big_blind = tally.big_blind();
        findings.extend(drift(&sums.all, &sums.batches, big_blind).map(|words| Finding {
            kind: FindingKind::Drift,
            evidence: format!("{name} does not win at a constant rate: {words}"),
        }));
    }
    for (name, sums) in names.iter().zip(tally.entrants()) {
        findings.extend(unbalanced(name, &sums.seats));
    }
    findings
}

fn no_spread(name: &str, all: &Sums, tally: &Tally) -> Option<Finding> {
    let none = all.deviation()? == 0.0;
    let mbb = 1000.0 / f64::from(tally.big_blind()) * all.mean()?;
    let deals = counted(all.groups, "deal");
    none.then(|| Finding {
        kind: FindingKind::NoSpread,
        evidence: format!(
            "all {deals} ended the same for {name}, at {mbb:+.1} mbb/hand: without any spread the \
             width of an interval says nothing"
        ),
    })
}

fn unbalanced(name: &str, seats: &[Sums]) -> Option<Finding> {
    let hands: u64 = seats.iter().map(|seat| seat.hands).sum();
    let share = 1.0 / seats.len() as f64;
    let (mean, error) = (hands as f64 * share, (hands as f64 * share * (1.0 - share)).sqrt());
    let off = |seat: &Sums| (seat.hands as f64 - mean).abs() > SEAT_SHARE_THRESHOLD * error;
    let counts = || seats.iter().map(|seat| whole(seat.hands)).collect::<Vec<_>>().join(", ");
    (hands > 20 && seats.iter().any(off)).then(|| Finding {
        kind: FindingKind::SeatsUnbalanced,
        evidence: format!(
            "{name} has not had all seats equally often: {} hands by seat; its rate holds for \
             these shares only",
            counts()
        ),
    })
}

/// The largest change of a mean over a series of hands.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Change {
    /// The hands before it, and their rate in mbb/hand.
    pub before: (u64, f64),
    /// The hands after it, and their rate.
    pub after: (u64, f64),
    /// The probability of a change as large by chance, when nothing changes.
    pub chance: f64,
}

impl Change {
    /// Finds the largest change; `None` with too few hands to tell.
    ///
    /// The largest distance of the running sum from its straight line, in standard deviations, has
    /// Kolmogorov's distribution when nothing changes (the CUSUM test; Page 1954, Brown, Durbin and
    /// Evans 1975).
    pub fn find(all: &Sums, batches: &Batches, big_blind: game::Chips) -> Option<Change> {
        let unit = 1000.0 / f64::from(big_blind.max(1));
        let groups = all.groups as f64;
        let per_group = all.deviation()? * all.hands as f64 / groups;
        let scale = per_group * groups.sqrt();
        if scale == 0.0 || batches.len() < 20 {
            return None;
        }
        let total = all.chips();
        let distance = |&(_, so_far, chips): &(u64, u64, f64)| {
            (chips - total * so_far as f64 / groups).abs() / scale
        };
        let at = batches.running_totals().max_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let chance = kolmogorov(distance(&at));
        let (hands, _, chips) = at;
        let (rest, after) = (all.hands - hands, total - chips);
        (rest > 0).then(|| Change {
            before: (hands, unit * chips / hands as f64),
            after: (rest, unit * after / rest as f64),
            chance,
        })
    }

    /// Whether so large a change hardly happens by chance.
    pub fn is_drift(&self) -> bool {
        self.chance < DRIFT_SIGNIFICANCE
    }

    /// The change in words.
    pub fn words(&self) -> String {
        let Change { before: (hands, before), after: (rest, after), chance } = self;
        format!(
            "{before:+.0} mbb/hand in the first {} hands and {after:+.0} in the {} after, as \
             happens by chance in one match of {}",
            whole(*hands),
            whole(*rest),
            whole((1.0 / chance.max(1e-12)).round() as u64)
        )
    }
}

/// The largest change of the mean in words, when it is significant.
fn drift(all: &Sums, batches: &Batches, big_blind: game::Chips) -> Option<String> {
    let change = Change::find(all, batches, big_blind);
    change.filter(Change::is_drift).map(|change| change.words())
}

/// The probability that a Brownian bridge exceeds `d` in absolute value.
fn kolmogorov(d: f64) -> f64 {
    let term = |j: f64| (-2.0 * (j * d).powi(2)).exp();
    let sum: f64 =
        (1..=20).map(|j| if j % 2 == 1 { term(j.into()) } else { -term(j.into()) }).sum();
    (2.0 * sum).clamp(0.0, 1.0)
}

/// Factors by which chance repetitions may exceed those of uniform deals: for hands that reached a
/// board, and for others, which have the few hole cards that are folded to a raise.
const REPETITION_FACTORS: [f64; 2] = [10.0, 100.0];

/// Statistics of repeated deals of one kind.
#[derive(Debug, Default)]
struct Repeats {
    /// The number of deals and of possible deals, by the known part of a deal.
    spaces: HashMap<(u16, u8), (u64, f64)>,
    repeated: u64,
    /// A hand with a repeated deal, and the earlier hand with it.
    example: Option<[u64; 2]>,
}

impl Repeats {
    /// The finding, if repetitions exceed chance, which is `chosen` times that of uniform deals.
    fn finding(&self, chosen: f64) -> Option<Finding> {
        // Expected number of pairs of equal deals.
        let expected: f64 =
            self.spaces.values().map(|&(n, of)| 0.5 * (n * n.saturating_sub(1)) as f64 / of).sum();
        let [hand, before] = self.example?;
        let deals: u64 = self.spaces.values().map(|&(n, _)| n).sum();
        (self.repeated as f64 > 3.0 + chosen * expected).then(|| Finding {
            kind: FindingKind::RepeatedDeals,
            evidence: format!(
                "{} of {} have the cards of an earlier one, where {expected:.1} are expected by \
                 chance: hand {hand} has those of hand {before}; they are not independent, and \
                 intervals are \
                 too narrow",
                whole(self.repeated),
                counted(deals, "deal"),
            ),
        })
    }
}

/// A checker of hands, one after the other, in bounded memory.
#[derive(Debug)]
pub struct Checks {
    /// Known deals by hash, with the first hand of each.
    seen: HashMap<u64, u64>,
    marks: RandomState,
    /// Repeated deals: of hands that reached a board, and of others.
    repeats: [Repeats; 2],
    /// The known part of the last hand's deal.
    last: Option<Deal>,
    differ: u64,
    differs_at: Option<u64>,
    /// Total winnings of each entrant.
    won: Vec<Payoff>,
    baseline: Sums,
    baseline_course: Batches,
}

impl Default for Checks {
    fn default() -> Checks {
        Checks {
            seen: HashMap::new(),
            marks: RandomState::new(),
            repeats: Default::default(),
            last: None,
            differ: 0,
            differs_at: None,
            won: Vec::new(),
            baseline: Sums::default(),
            baseline_course: Batches::default(),
        }
    }
}

impl Checks {
    /// Checks the next hand.
    pub fn add(&mut self, record: &HandRecord) {
        self.won.resize(self.won.len().max(record.entrants.len()), Payoff::ZERO);
        for (seat, &entrant) in record.entrants.iter() {
            if let Some(won) = self.won.get_mut(usize::from(entrant)) {
                *won += record.payoffs[seat];
            }
        }
        let (def, whole) = (record.public.def(), record.public.board());
        let mut board = Board::EMPTY;
        for (place, &card) in whole.iter().enumerate() {
            // What the players have put there is not of the deal.
            if def.discarder(place).is_none() {
                board.push(card);
            }
        }
        let deal = Deal { number: record.deal, hole: record.hole, board };
        match &self.last {
            Some(last) if last.number == deal.number => {
                if last.differs(&deal) {
                    self.differ += 1;
                    self.differs_at.get_or_insert(record.hand);
                }
                // The hand that went further shows more of the deal.
                if deal.board.len() <= last.board.len() {
                    return;
                }
            }
            _ => self.look_up(record),
        }
        self.last = Some(deal);
    }

    /// Checks the first hand of a deal for repetition.
    fn look_up(&mut self, record: &HandRecord) {
        let (space, of) = space(record);
        if of < MIN_POSSIBLE_DEALS || self.seen.len() >= MAX_DEALS {
            return;
        }
        let repeats = &mut self.repeats[usize::from(record.public.board().is_empty())];
        repeats.spaces.entry(space).or_insert((0, of)).0 += 1;
        let hole: Vec<u64> =
            record.hole.as_slice().iter().map(|cards| cards.set().bits()).collect();
        let board = record.public.board();
        let def = record.public.def();
        let streets: Vec<u64> = game::Street::ALL[..def.streets]
            .iter()
            .map(|&street| def.board_len(street))
            .filter(|&cards| cards <= board.len())
            .map(|cards| set(&board[..cards]).bits())
            .collect();
        let mark = self.marks.hash_one((hole, streets));
        match self.seen.get(&mark) {
            Some(&before) => {
                repeats.repeated += 1;
                repeats.example.get_or_insert([record.hand, before]);
            }
            None => drop(self.seen.insert(mark, record.hand)),
        }
    }

    /// Adds a baseline: the result of its owner against itself with the cards of a hand.
    pub fn add_baseline(&mut self, won: Payoff) {
        self.baseline.add(won, 1);
        self.baseline_course.add(won, 1);
    }

    /// The findings. `score` is each entrant's total according to the record, if it has one;
    /// `big_blind` is the unit of rates, in chips.
    pub fn findings(&self, score: Option<&[Payoff]>, big_blind: game::Chips) -> Vec<Finding> {
        let found = [
            self.repeats
                .iter()
                .zip(REPETITION_FACTORS)
                .find_map(|(repeats, chosen)| repeats.finding(chosen)),
            self.differing_deals(),
            score.and_then(|score| self.other_score(score)),
            self.drifting_baseline(big_blind),
            self.baseline_off_zero(big_blind),
        ];
        found.into_iter().flatten().collect()
    }

    fn differing_deals(&self) -> Option<Finding> {
        let hand = self.differs_at?;
        Some(Finding {
            kind: FindingKind::DealsDiffer,
            evidence: format!(
                "{} not the cards of the deal they should share, the first is hand {hand}: this \
                 is not a duplicate match",
                if self.differ == 1 {
                    "one hand has".to_owned()
                } else {
                    format!("{} hands have", whole(self.differ))
                }
            ),
        })
    }

    fn other_score(&self, score: &[Payoff]) -> Option<Finding> {
        let list = |values: &[Payoff]| {
            values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        };
        // Records round amounts to six decimals.
        let apart = |(a, b): (&Payoff, &Payoff)| {
            (a.chips() - b.chips()).abs() > 1e-4 * a.chips().abs().max(1.0)
        };
        let differs = score.len() != self.won.len() || score.iter().zip(&self.won).any(apart);
        differs.then(|| Finding {
            kind: FindingKind::ScoreDiffers,
            evidence: format!(
                "the hands add up to {} chips, the score of the record is {}: hands are missing, \
                 or not of this match",
                list(&self.won),
                list(score)
            ),
        })
    }

    fn drifting_baseline(&self, big_blind: game::Chips) -> Option<Finding> {
        let words = drift(&self.baseline, &self.baseline_course, big_blind)?;
        Some(Finding {
            kind: FindingKind::BaselineDrift,
            evidence: format!(
                "the baseline drifts, so the server's program may have changed: against itself it \
                 won {words}"
            ),
        })
    }

    fn baseline_off_zero(&self, big_blind: game::Chips) -> Option<Finding> {
        let rate = super::Rate::from_sums(&self.baseline, big_blind).ok()?;
        let far =
            rate.groups >= 1000 && rate.mbb.abs() > SEAT_SHARE_THRESHOLD * rate.standard_error;
        far.then(|| Finding {
            kind: FindingKind::BaselineOffZero,
            evidence: format!(
                "the baseline's mean over both seats should be zero and is {:+.0} ± {:.0} mbb/hand",
                rate.mbb,
                rate.half_width()
            ),
        })
    }
}

/// The part of a deal that a hand revealed.
#[derive(Debug, Clone, Copy)]
struct Deal {
    number: u64,
    hole: BySeat<HoleCards>,
    board: Board,
}

impl Deal {
    /// Whether the two contradict each other: a seat holds other cards, or the boards differ in
    /// their common part.
    fn differs(&self, other: &Deal) -> bool {
        let mut holes = self.hole.as_slice().iter().zip(other.hole.as_slice());
        let common = self.board.len().min(other.board.len());
        holes.any(|(a, b)| !a.is_empty() && !b.is_empty() && a.set() != b.set())
            || set(&self.board[..common]) != set(&other.board[..common])
    }
}

fn set(cards: &[Card]) -> CardSet {
    cards.iter().copied().collect()
}

/// The known part of a hand's deal (which seats' hole cards are known, and the length of the
/// board), and the number of possible such deals.
fn space(record: &HandRecord) -> ((u16, u8), f64) {
    let def = record.public.def();
    let mut left = (def.suits as usize * def.ranks as usize) as f64;
    let mut of = 1.0;
    let mut deal = |cards: usize| {
        for drawn in 0..cards {
            of *= (left - drawn as f64) / (drawn + 1) as f64;
        }
        left -= cards as f64;
    };
    let mut known = 0;
    for (number, cards) in record.hole.as_slice().iter().enumerate() {
        if !cards.is_empty() {
            known |= 1_u16 << number;
            deal(cards.len());
        }
    }
    let board = record.public.board().len();
    let ends = game::Street::ALL[..def.streets].iter().map(|&street| def.board_len(street));
    let mut dealt = 0;
    for end in ends.filter(|&end| end <= board) {
        deal(end - dealt);
        dealt = end;
    }
    ((known, board as u8), of)
}
