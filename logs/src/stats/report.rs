//! The statistics of a match as one document: `report.json`, schema `cardroom-report/1`.
//!
//! Every field is described in `docs/statistics.md`. Rates and deviations are in mbb/hand. A rate
//! that cannot be given is `null`, with the reason beside it.

use std::collections::BTreeMap;
use std::time::Duration;

use game::{GameDef, Payoff, Street};
use serde::Serialize;

use super::checks::{self, Checks, Finding};
use super::estimates::{EstimatesSection, SampleSection};
use super::planning::PlanSection;
use super::single_hands::HandLists;
use super::{
    Bootstrap, DecisionCounts, DecisionTally, EntrantTally, FirstFailure, Interval, NoRate, Rate,
    RuleStanding, StopRule, Sums, Tally,
};
use crate::estimate::{NoEstimates, Rows};
use crate::ledger::Integrity;
use crate::{MatchInfo, Shard};

/// Difference between the ends of the two intervals, as a share of the half-width, above which a
/// report warns.
pub const DISAGREEMENT: f64 = 0.10;

/// The half-widths, in mbb/hand, for which a report always gives the hands needed.
const HALF_WIDTHS: [f64; 4] = [100.0, 50.0, 20.0, 10.0];

/// The statistics of a match.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// `cardroom-report/1`.
    pub schema: &'static str,
    /// The match.
    #[serde(rename = "match")]
    pub of: MatchSection,
    /// Number of hands counted.
    pub hands: u64,
    /// Number of independent groups of hands.
    pub groups: u64,
    /// Number of hands in a group.
    pub group_size: usize,
    /// Number of hands not counted because their group is incomplete.
    pub left_out: u64,
    /// Hands in which all betting ended before the last street.
    pub run_outs: RunOutSection,
    /// Hands of which only the result is known; `null` when there are none.
    pub settled: Option<SettledSection>,
    /// The entrants in order.
    pub entrants: Vec<EntrantSection>,
    /// Differences between entrants, in games for three and more.
    pub differences: Vec<DifferenceSection>,
    /// Hands needed for intervals of certain half-widths.
    pub hands_needed: Vec<NeededSection>,
    /// The state of the stopping rule; `null` without one.
    pub stop: Option<RuleStanding>,
    /// Variance-reduced estimates; `null` unless they were computed.
    pub estimates: Option<EstimatesSection>,
    /// Lists of single hands; `null` unless requested.
    pub single_hands: Option<HandLists>,
    /// Planned hands; empty unless requested.
    pub plan: Vec<PlanSection>,
    /// The integrity of the record, by its hashes; `null` where it was not checked.
    pub record: Option<Integrity>,
    /// Findings of the plausibility checks.
    pub findings: Vec<Finding>,
    /// Warnings for the reader, in words.
    pub warnings: Vec<String>,
}

/// The match of a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatchSection {
    /// The match's name.
    pub name: String,
    /// The game as specified.
    pub game: String,
    /// Number of players.
    pub players: usize,
    /// The unit of rates, in chips.
    pub big_blind: u32,
    /// Number of hands planned.
    pub hands_planned: u64,
    /// The seed of the match.
    pub seed: u64,
    /// Whether deals are played once with every rotation of the entrants.
    pub duplicate: bool,
    /// The part of the match, if it is one.
    pub shard: Option<Shard>,
}

/// Hands whose cards were run out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RunOutSection {
    /// Number of such hands.
    pub hands: u64,
    /// Number of hands whose exact expectation is in the adjusted rates.
    pub adjusted: u64,
    /// Number of hands that count as played, because the expectation was not computed.
    pub not_computed: u64,
}

/// Hands whose end was not seen, but whose result follows from the server's sums. They are in all
/// rates except the splits by street and showdown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SettledSection {
    /// Number of such hands.
    pub hands: u64,
    /// Their effect on each entrant's rate, in mbb/hand: the rate minus that without them.
    pub effect: Vec<f64>,
}

/// A rate with its interval, or the reason why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// The rate in mbb/hand.
    pub mbb: Option<f64>,
    /// The same in big blinds per 100 hands.
    pub bb_per_100: Option<f64>,
    /// The 95 % interval by normal theory, valid for one look.
    pub interval: Option<Interval>,
    /// The 95 % interval that is valid at any number of looks.
    pub any_time: Option<Interval>,
    /// The standard error.
    pub standard_error: Option<f64>,
    /// Number of hands.
    pub hands: u64,
    /// Number of groups.
    pub groups: u64,
    /// The reason why there is no rate.
    pub reason: Option<String>,
}

/// The statistics of one entrant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntrantSection {
    /// Index of the entrant.
    pub entrant: usize,
    /// The entrant's name.
    pub name: String,
    /// Total winnings in chips.
    pub chips: f64,
    /// The win rate.
    pub rate: Estimate,
    /// The 95 % interval by bootstrap.
    pub bootstrap: Option<Interval>,
    /// The probability that the true rate is above zero.
    pub superiority: Option<f64>,
    /// The win rate with expected results where an all-in was run out.
    pub all_in_adjusted: Estimate,
    /// The standard deviation of single hands.
    pub deviation_per_hand: Option<f64>,
    /// The standard deviation, over groups, of the mean result per hand.
    pub deviation_per_group: Option<f64>,
    /// The reduction of the deviation compared with as many independent hands: 0.3 is 30 % less.
    pub duplicate_reduction: Option<f64>,
    /// Rates by seat.
    pub seats: Vec<Split>,
    /// Rates by the last street dealt.
    pub streets: Vec<Split>,
    /// Rates without and with a showdown.
    pub showdown: Vec<Split>,
    /// The decision counts, if available.
    pub decisions: Option<DecisionSection>,
}

/// The rate over a selection of hands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Split {
    /// The selection, in words.
    pub hands: String,
    /// The rate per hand of the selection.
    pub rate: Estimate,
}

/// The decision counts of an entrant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DecisionSection {
    /// Number of decisions.
    pub count: u64,
    /// Number of actions corrected to the nearest legal one.
    pub corrected: u64,
    /// Number of decisions with a check or fold in place of an answer, by reason.
    pub fallbacks: BTreeMap<crate::Fallback, u64>,
    /// The first of these; `null` without one.
    pub first_failure: Option<FirstFailure>,
    /// Number of decisions outside of what the agent's model is for.
    pub beyond_model: u64,
    /// Fallbacks and corrections in words; `null` without any.
    pub fault: Option<String>,
    /// Whether there were decisions, and an answer to none of them.
    pub never_answered: bool,
    /// Thinking times in nanoseconds; `null` without decisions.
    pub nanoseconds: Option<TimeSection>,
}

/// Quantiles of thinking times, in nanoseconds, with a relative error of at most 1/16.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TimeSection {
    /// The mean.
    pub mean: u64,
    /// The median.
    pub p50: u64,
    /// The 90 % quantile.
    pub p90: u64,
    /// The 99 % quantile.
    pub p99: u64,
    /// The longest.
    pub max: u64,
}

/// The difference between two entrants' rates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DifferenceSection {
    /// Index of the first entrant.
    pub one: usize,
    /// Index of the second entrant.
    pub other: usize,
    /// The first one's rate minus the second one's.
    pub rate: Estimate,
    /// Whether they differ significantly; `null` without a rate.
    pub separated: Option<bool>,
}

/// Number of hands needed for an interval of this half-width for every entrant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NeededSection {
    /// The half-width in mbb/hand.
    pub half_width: f64,
    /// Total number of hands; `null` when the deviation is not known yet.
    pub hands: Option<u64>,
}

impl Report {
    /// The name of the document's schema.
    pub const SCHEMA: &str = "cardroom-report/1";

    /// The report of these sums. `decisions` are counted separately; `half_width` is added to the
    /// list of half-widths for which the needed hands are given.
    pub fn new(
        info: &MatchInfo,
        tally: &Tally,
        decisions: Option<&DecisionTally>,
        half_width: Option<f64>,
    ) -> Report {
        let entrants: Vec<EntrantSection> = (0..info.players().min(tally.entrants().len()))
            .map(|k| EntrantSection::new(info, tally, k, decisions.and_then(|d| d.entrants.get(k))))
            .collect();
        let run_outs = tally.run_outs();
        let mut report = Report {
            schema: Report::SCHEMA,
            of: MatchSection {
                name: info.name.clone(),
                game: info.game_name.clone(),
                players: info.game.players,
                big_blind: tally.big_blind(),
                hands_planned: info.hands,
                seed: info.seed,
                duplicate: info.duplicate,
                shard: info.shard,
            },
            hands: tally.hands(),
            groups: tally.groups(),
            group_size: tally.group_size(),
            left_out: tally.left_out(),
            run_outs: RunOutSection {
                hands: run_outs.hands,
                adjusted: run_outs.adjusted,
                not_computed: run_outs.hands - run_outs.adjusted,
            },
            settled: SettledSection::new(tally),
            entrants,
            differences: differences(tally),
            hands_needed: wanted(half_width).into_iter().map(|w| needed(tally, w)).collect(),
            stop: None,
            estimates: None,
            single_hands: None,
            plan: Vec::new(),
            record: None,
            findings: checks::of_tally(&info.names(), tally),
            warnings: Vec::new(),
        };
        report.warnings = report.find_warnings();
        if info.game.spec().blinds.iter().all(|&blind| blind == 0) {
            let unit = "the game has no blinds: rates take 1 chip for the big blind";
            report.warnings.push(unit.to_owned());
        }
        report
    }

    /// Adds the findings of the hands, and their score if the record has one.
    #[must_use]
    pub fn with_checks(mut self, checks: &Checks, score: Option<&[Payoff]>) -> Report {
        self.findings.extend(checks.findings(score, self.of.big_blind));
        self
    }

    /// Adds planned hands, for the usual rates and this one in mbb/hand. Nothing is planned from
    /// fewer than 50 deals, or without variance.
    #[must_use]
    pub fn with_plan(mut self, further: Option<f64>) -> Report {
        self.plan = PlanSection::all(&self, further);
        self
    }

    /// Adds the result of the ledger's integrity check.
    #[must_use]
    pub fn with_record(mut self, record: Option<Integrity>) -> Report {
        self.record = record;
        self
    }

    /// Adds the state of the stopping rule.
    #[must_use]
    pub fn with_stop_rule(mut self, rule: Option<&StopRule>, tally: &Tally) -> Report {
        self.stop = rule.map(|rule| rule.standing(tally));
        self
    }

    /// Adds these estimates of one entrant's rate, or the reason why there are none; `sample` says
    /// which deals are corrected, if not all.
    #[must_use]
    pub fn with_estimates(
        mut self,
        rows: &Result<Rows, NoEstimates>,
        sample: Option<SampleSection>,
        tally: &Tally,
    ) -> Report {
        match rows {
            Ok(rows) => {
                self.estimates = Some(EstimatesSection::new(rows, sample, &self, tally));
            }
            Err(reason) => self.warnings.push(format!("no luck-adjusted estimates: {reason}")),
        }
        self
    }

    /// What is wrong with the entrants that never answered, in words.
    pub fn never_answered(&self) -> impl Iterator<Item = &str> {
        let decisions = self.entrants.iter().filter_map(|entrant| entrant.decisions.as_ref());
        decisions.filter(|part| part.never_answered).filter_map(|part| part.fault.as_deref())
    }

    /// Adds lists of single hands.
    #[must_use]
    pub fn with_hands(mut self, hands: Option<HandLists>) -> Report {
        self.single_hands = hands;
        self
    }

    /// The document as indented JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data with text keys")
    }

    fn find_warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.left_out > 0 {
            warnings.push(format!(
                "{} {} not counted: not all {} hands of {} deal have been played",
                self.left_out,
                if self.left_out == 1 { "hand is" } else { "hands are" },
                self.group_size,
                if self.left_out == 1 { "its" } else { "their" },
            ));
        }
        let RunOutSection { hands, adjusted, not_computed } = self.run_outs;
        if hands > 0 && adjusted == 0 {
            warnings.push(format!(
                "no all-in adjusted rate: the expectation of {hands} all-in run-outs was not \
                 computed"
            ));
        } else if not_computed > 0 {
            warnings.push(format!(
                "in the all-in adjusted rate {not_computed} of {hands} run-outs count as dealt: \
                 their expectation was not computed"
            ));
        }
        if let Some(SettledSection { hands, effect }) = &self.settled {
            let effect = effect.first().copied().unwrap_or_default();
            warnings.push(format!(
                "{hands} of the hands were settled by the server's sums, without their cards: they \
                 are in all rates but those by street and showdown, and move the first one by \
                 {effect:+.1} mbb/hand"
            ));
        }
        for entrant in &self.entrants {
            let (Some(normal), Some(bootstrap)) = (entrant.rate.interval, entrant.bootstrap) else {
                continue;
            };
            let apart =
                (normal.low - bootstrap.low).abs().max((normal.high - bootstrap.high).abs());
            let share = apart / normal.half_width();
            if share > DISAGREEMENT {
                warnings.push(format!(
                    "the two intervals of {} differ by {:.0} % of their half-width: too few deals \
                     for normal theory",
                    entrant.name,
                    100.0 * share
                ));
            }
        }
        for entrant in &self.entrants {
            let Some(decisions) = &entrant.decisions else { continue };
            warnings.extend(decisions.fault.clone());
            if decisions.beyond_model > 0 {
                warnings.push(format!(
                    "{} of the {} decisions of {} are not its model's, which is for other \
                     situations: the notes of decisions say who made them",
                    decisions.beyond_model, decisions.count, entrant.name
                ));
            }
        }
        warnings
    }
}

impl SettledSection {
    fn new(tally: &Tally) -> Option<SettledSection> {
        let hands = tally.entrants().first()?.settled.hands;
        let unit = 1000.0 / f64::from(tally.big_blind());
        let effect = |sums: &EntrantTally| {
            let seen = sums.all.hands - sums.settled.hands;
            let without = (sums.all.chips() - sums.settled.chips()) / seen.max(1) as f64;
            unit * (sums.all.mean().unwrap_or_default() - without)
        };
        let effect = || tally.entrants().iter().map(effect).collect();
        (hands > 0).then(|| SettledSection { hands, effect: effect() })
    }
}

impl Estimate {
    fn of(sums: &Sums, big_blind: u32) -> Estimate {
        Estimate::from_rate(Rate::of(sums, big_blind), sums.hands, sums.groups)
    }

    pub(super) fn from_rate(rate: Result<Rate, NoRate>, hands: u64, groups: u64) -> Estimate {
        let known = rate.ok();
        Estimate {
            mbb: known.map(|rate| rate.mbb),
            bb_per_100: known.map(|rate| rate.bb_per_100()),
            interval: known.map(|rate| rate.interval),
            any_time: known.and_then(|rate| rate.any_time()),
            standard_error: known.map(|rate| rate.standard_error),
            hands,
            groups,
            reason: rate.err().map(|reason| reason.to_string()),
        }
    }
}

impl EntrantSection {
    fn new(
        info: &MatchInfo,
        tally: &Tally,
        entrant: usize,
        decisions: Option<&DecisionCounts>,
    ) -> EntrantSection {
        let sums = &tally.entrants()[entrant];
        let big_blind = tally.big_blind();
        let mbb = 1000.0 / f64::from(big_blind);
        let per_hand = sums.single.deviation().map(|chips| chips * mbb);
        let per_group = sums.all.deviation().map(|chips| chips * mbb);
        let group = tally.group_size() as f64;
        let reduction = per_hand.zip(per_group).filter(|&(hand, _)| hand > 0.0 && group > 1.0);
        EntrantSection {
            entrant,
            name: info.names()[entrant].clone(),
            chips: sums.all.chips(),
            rate: Estimate::of(&sums.all, big_blind),
            bootstrap: sums.batches.bootstrap(big_blind, Bootstrap::default()),
            superiority: tally.rate(entrant).ok().and_then(|rate| rate.superiority()),
            all_in_adjusted: adjusted(tally, &sums.adjusted),
            deviation_per_hand: per_hand,
            deviation_per_group: per_group,
            duplicate_reduction: reduction.map(|(hand, deal)| 1.0 - deal / (hand / group.sqrt())),
            seats: seat_splits(&info.game, sums, big_blind),
            streets: street_splits(&info.game, sums, big_blind),
            showdown: showdown_splits(sums, big_blind),
            decisions: decisions
                .map(|counts| DecisionSection::new(counts, &info.entrants[entrant].name)),
        }
    }
}

/// The adjusted rate, unless it equals the plain one.
fn adjusted(tally: &Tally, sums: &Sums) -> Estimate {
    let estimate = Estimate::of(sums, tally.big_blind());
    let run_outs = tally.run_outs();
    if run_outs.hands == 0 || run_outs.adjusted > 0 || estimate.reason.is_some() {
        return estimate;
    }
    Estimate {
        mbb: None,
        bb_per_100: None,
        interval: None,
        any_time: None,
        standard_error: None,
        reason: Some("not computed".to_owned()),
        ..estimate
    }
}

fn seat_splits(def: &GameDef, sums: &EntrantTally, big_blind: u32) -> Vec<Split> {
    let name = |seat| def.position(seat).to_string();
    // With antes several seats have the same role.
    let alone = |seat| def.seats().filter(|&other| name(other) == name(seat)).count() == 1;
    let split = |(seat, sums): (game::Seat, _)| Split {
        hands: match alone(seat) {
            true => name(seat),
            false => format!("{} (seat {})", name(seat), seat.index() + 1),
        },
        rate: Estimate::of(sums, big_blind),
    };
    def.seats().zip(&sums.seats).map(split).collect()
}

fn street_splits(def: &GameDef, sums: &EntrantTally, big_blind: u32) -> Vec<Split> {
    let streets = Street::ALL.iter().take(def.streets).zip(&sums.streets);
    let split = |(street, sums): (&Street, _)| Split {
        hands: street.to_string(),
        rate: Estimate::of(sums, big_blind),
    };
    streets.map(split).collect()
}

fn showdown_splits(sums: &EntrantTally, big_blind: u32) -> Vec<Split> {
    let split = |(hands, sums): (&str, _)| Split {
        hands: hands.to_owned(),
        rate: Estimate::of(sums, big_blind),
    };
    ["no showdown", "showdown"].into_iter().zip(&sums.showdown).map(split).collect()
}

impl DecisionSection {
    fn new(counts: &DecisionCounts, name: &str) -> DecisionSection {
        let ns = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let times = &counts.latencies;
        let quantile = |p| times.quantile(p).map(ns);
        let nanoseconds = (|| {
            Some(TimeSection {
                mean: ns(times.mean()?),
                p50: quantile(0.50)?,
                p90: quantile(0.90)?,
                p99: quantile(0.99)?,
                max: ns(times.max()?),
            })
        })();
        DecisionSection {
            count: counts.decisions,
            corrected: counts.corrected,
            fallbacks: counts.fallbacks.clone(),
            beyond_model: counts.beyond_model,
            first_failure: counts.first_failure.clone(),
            fault: counts.fault(name),
            never_answered: counts.never_answered(),
            nanoseconds,
        }
    }
}

/// All pairs, in games for three or more; heads-up they would repeat the rates.
fn differences(tally: &Tally) -> Vec<DifferenceSection> {
    let players = tally.entrants().len();
    if players < 3 {
        return Vec::new();
    }
    let pairs = (0..players).flat_map(|one| (one + 1..players).map(move |other| (one, other)));
    let part = |(one, other)| {
        let rate = tally.difference(one, other);
        DifferenceSection {
            one,
            other,
            rate: Estimate::from_rate(rate, tally.hands(), tally.groups()),
            separated: rate.ok().map(|rate| !rate.holds_zero()),
        }
    };
    pairs.map(part).collect()
}

/// The half-widths to list, from the largest down, without duplicates.
fn wanted(further: Option<f64>) -> Vec<f64> {
    let mut wanted: Vec<f64> = HALF_WIDTHS.into_iter().chain(further).collect();
    wanted.sort_by(|a, b| b.total_cmp(a));
    wanted.dedup();
    wanted
}

fn needed(tally: &Tally, half_width: f64) -> NeededSection {
    let entrants = 0..tally.entrants().len();
    let hands: Option<Vec<u64>> =
        entrants.map(|k| tally.rate(k).ok()?.hands_needed(half_width)).collect();
    NeededSection { half_width, hands: hands.and_then(|hands| hands.into_iter().max()) }
}
