//! The statistics of a match as one value: as a document (`report.json`, schema
//! `cardroom-report/1`) and as text for a terminal.
//!
//! Every field is described in `docs/report.md`. Rates and deviations are in mbb/hand. A rate
//! that cannot be given is `null`, with the reason beside it.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::time::Duration;

use game::{GameDef, Payoff, Street};
use serde::{Deserialize, Serialize};
use show::number::{counted, duration, signed_grouped, time_span, whole};
use show::{Table, number};

use crate::estimate::{NoEstimates, Row, RowKind, Rows};
use crate::ledger::Integrity;
use crate::stats::checks::{Checks, Finding};
use crate::stats::stop::PlanSection;
use crate::stats::{
    Bootstrap, DecisionCounts, DecisionTally, EntrantTally, FirstFailure, Interval, NoRate, Rate,
    RuleStanding, StopRule, Sums, Tally, checks,
};
use crate::{HandRecord, MatchInfo};
use runs::Shard;

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
        self.plan = PlanSection::plans(&self, further);
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
    fn from_sums(sums: &Sums, big_blind: u32) -> Estimate {
        Estimate::from_rate(Rate::from_sums(sums, big_blind), sums.hands, sums.groups)
    }

    fn from_rate(rate: Result<Rate, NoRate>, hands: u64, groups: u64) -> Estimate {
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
            rate: Estimate::from_sums(&sums.all, big_blind),
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
    let estimate = Estimate::from_sums(sums, tally.big_blind());
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
        hands: if alone(seat) {
            name(seat)
        } else {
            format!("{} (seat {})", name(seat), seat.index() + 1)
        },
        rate: Estimate::from_sums(sums, big_blind),
    };
    def.seats().zip(&sums.seats).map(split).collect()
}

fn street_splits(def: &GameDef, sums: &EntrantTally, big_blind: u32) -> Vec<Split> {
    let streets = Street::ALL.iter().take(def.streets).zip(&sums.streets);
    let split = |(street, sums): (&Street, _)| Split {
        hands: street.to_string(),
        rate: Estimate::from_sums(sums, big_blind),
    };
    streets.map(split).collect()
}

fn showdown_splits(sums: &EntrantTally, big_blind: u32) -> Vec<Split> {
    let split = |(hands, sums): (&str, _)| Split {
        hands: hands.to_owned(),
        rate: Estimate::from_sums(sums, big_blind),
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

/// All estimates of one entrant's rate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EstimatesSection {
    /// Index of the entrant.
    pub of: usize,
    /// The entrant's name.
    pub name: String,
    /// The name of the value function behind the corrections.
    pub value_function: String,
    /// The estimates, the raw one first.
    pub rows: Vec<EstimateRow>,
    /// Whether the combined estimate is corrected by the baseline.
    #[serde(skip)]
    pub baseline: bool,
    /// The deals that were corrected, if not all of them.
    pub sample: Option<SampleSection>,
    /// Notes for the reader, in words.
    pub notes: Vec<String>,
}

/// The random sample of deals behind estimates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampleSection {
    /// Number of deals with corrections.
    pub corrected: u64,
    /// Number of deals that only served to choose the values, and are in no estimate but raw.
    pub set_aside: u64,
    /// Number of all deals.
    pub of: u64,
    /// The values that were chosen, as one of those tried is called.
    pub values: String,
    /// The value functions that were tried on the deals set aside.
    pub tried: Vec<Tried>,
}

/// A value function that was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// What it is called: `equity`, `blueprint`, `agents`, `cards`, or a file.
    pub values: String,
    /// The time for corrections of all deals, in seconds.
    pub seconds: f64,
    /// The expected deviation with corrections of all deals, as a share of the raw one.
    pub of_raw: f64,
}

/// One estimate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EstimateRow {
    /// The kind.
    pub kind: RowKind,
    /// The corrections applied, in words.
    pub what: String,
    /// The rate.
    pub rate: Estimate,
    /// The standard deviation of single hands that corresponds to the interval.
    pub deviation_per_hand: f64,
    /// The deviation as a share of the raw one.
    pub of_raw: Option<f64>,
    /// The rate from each seat, by the seat's role.
    pub seats: Vec<SeatRow>,
}

/// An estimate restricted to the hands from one seat.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SeatRow {
    /// The seat, in words.
    pub hands: String,
    /// The rate.
    pub rate: Estimate,
}

impl EstimatesSection {
    pub(super) fn new(
        rows: &Rows,
        sample: Option<SampleSection>,
        report: &Report,
        tally: &Tally,
    ) -> EstimatesSection {
        let entrant = &report.entrants[rows.of];
        let other = &report.entrants[1 - rows.of];
        let names = [entrant.name.as_str(), other.name.as_str()];
        let seats: Vec<String> = entrant.seats.iter().map(|seat| seat.hands.clone()).collect();
        let mut all: Vec<EstimateRow> =
            rows.rows.iter().map(|row| EstimateRow::new(row, names, &seats)).collect();
        let run_outs = tally.run_outs();
        if run_outs.adjusted > 0
            && let Ok(rate) =
                Rate::from_sums(&tally.entrants()[rows.of].adjusted, tally.big_blind())
        {
            let deviation = rate.standard_error * (rate.hands as f64).sqrt();
            let raw = all.first().map_or(deviation, |raw| raw.deviation_per_hand);
            let row = Row {
                kind: RowKind::AllIn,
                rate,
                deviation,
                of_raw: (raw > 0.0).then(|| deviation / raw),
                seats: [None; 2],
            };
            let mut row = EstimateRow::new(&row, names, &seats);
            // The description depends on how many of these hands were adjusted.
            row.what = match run_outs.hands - run_outs.adjusted {
                0 => format!("all-in equity, {}", counted(run_outs.adjusted, "run-out")),
                _ => format!("all-in equity, {} of {} run-outs", run_outs.adjusted, run_outs.hands),
            };
            all.insert(1, row);
        }
        EstimatesSection {
            of: rows.of,
            name: entrant.name.clone(),
            value_function: rows.value_function.clone(),
            rows: all,
            baseline: rows.baseline,
            sample,
            notes: rows.notes.clone(),
        }
    }
}

impl EstimatesSection {
    /// The estimate to quote, in words, with its corrections.
    pub fn best(&self) -> Option<String> {
        let row = self.rows.iter().rfind(|row| row.kind == RowKind::Combined)?;
        let (mbb, interval) = (row.rate.mbb?, row.rate.interval?);
        let choices = |kind| self.rows.iter().find(|row| row.kind == kind);
        let mut taken = vec!["the luck of the cards".to_owned()];
        let both = choices(RowKind::BothChoices);
        let either = choices(RowKind::OwnChoices).or_else(|| choices(RowKind::OtherChoices));
        taken.extend(both.or(either).map(|row| {
            let what = row.what.trim_start_matches("and ");
            what.split(" (").next().unwrap_or(what).to_owned()
        }));
        taken.extend(self.baseline.then(|| "the baseline".to_owned()));
        let last = taken.pop().unwrap_or_default();
        let listed =
            if taken.is_empty() { last } else { format!("{} and {last}", taken.join(", ")) };
        Some(format!(
            "best estimate: {} ± {:.1} mbb/hand, the result without {listed}, by the value \
             function {}{}",
            number::signed(mbb, 1),
            interval.half_width(),
            self.value_function,
            self.sample.as_ref().map(SampleSection::of_how_many).unwrap_or_default()
        ))
    }

    /// What the estimates are based on, and what more time would give, in words; `None` if that is
    /// all deals.
    pub fn about_sample(&self) -> Option<String> {
        let sample = self.sample.as_ref()?;
        let SampleSection { corrected, set_aside, of, tried, .. } = sample;
        let rows = |kind| self.rows.iter().find(|row| row.kind == kind);
        let raw = rows(RowKind::Raw).and_then(|row| row.rate.interval).map(Interval::half_width);
        let now = rows(RowKind::Combined).and_then(|row| row.rate.interval);
        let now = now.map(Interval::half_width).or(raw);
        let better = tried.iter().filter_map(|tried| {
            let reach = raw? * tried.of_raw;
            let time = time_span(tried.seconds.max(1.0));
            (reach < 0.95 * now?).then(|| {
                format!("--values {} about ±{reach:.0} in at most about {time}", tried.values)
            })
        });
        let better: Vec<String> = better.collect();
        let chosen = match set_aside {
            0 => String::new(),
            _ => format!("; {} others served to choose the values", whole(*set_aside)),
        };
        let more = if better.is_empty() {
            String::new()
        } else {
            format!("; on all, with --estimates all: {}", better.join(", "))
        };
        Some(format!(
            "the estimates correct {} of {}, drawn at random{chosen}{more}",
            whole(*corrected),
            counted(*of, "deal")
        ))
    }
}

impl SampleSection {
    fn of_how_many(&self) -> String {
        format!(" in {} of {}", whole(self.corrected), counted(self.of, "deal"))
    }
}

impl EstimateRow {
    fn new(row: &Row, names: [&str; 2], seats: &[String]) -> EstimateRow {
        let estimate = |rate: Rate| Estimate::from_rate(Ok(rate), rate.hands, rate.groups);
        let seat = |(name, rate): (&String, Option<Rate>)| SeatRow {
            hands: name.clone(),
            rate: rate.map_or_else(|| Estimate::from_rate(Err(NoRate::OneGroup), 0, 0), estimate),
        };
        let by_seat = row.seats.iter().any(Option::is_some);
        EstimateRow {
            kind: row.kind,
            what: words(row.kind, names),
            rate: estimate(row.rate),
            deviation_per_hand: row.deviation,
            of_raw: row.of_raw,
            seats: if by_seat {
                seats.iter().zip(row.seats).map(seat).collect()
            } else {
                Vec::new()
            },
        }
    }
}

fn words(kind: RowKind, [own, other]: [&str; 2]) -> String {
    match kind {
        RowKind::Raw => "raw".to_owned(),
        RowKind::AllIn => "all-in equity".to_owned(),
        RowKind::Luck => "luck of the cards".to_owned(),
        RowKind::OwnChoices => format!("and draws of {own} (AIVAT, one side)"),
        RowKind::OtherChoices => format!("and draws of {other} (AIVAT, one side)"),
        RowKind::BothChoices => "and draws of both (AIVAT)".to_owned(),
        RowKind::Combined => "combined".to_owned(),
    }
}

/// The numbers of an entrant's worst hands and of those with the biggest pots, no more of each than
/// wanted. Of equal ones the first count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remarkable {
    of: u8,
    wanted: [usize; 2],
    /// The result in parts of a chip, and the hand; the lowest first.
    worst: Vec<(i64, u64)>,
    /// The negative of the pot in chips, and the hand.
    biggest: Vec<(i64, u64)>,
}

impl Remarkable {
    /// None yet, of this entrant.
    pub fn new(entrant: u8, worst: usize, biggest: usize) -> Remarkable {
        let wanted = [worst, biggest];
        Remarkable { of: entrant, wanted, worst: Vec::new(), biggest: Vec::new() }
    }

    /// Counts a hand.
    pub fn add(&mut self, record: &HandRecord) {
        let seat = record.entrants.iter().find(|&(_, &entrant)| entrant == self.of);
        let Some((seat, _)) = seat else { return };
        let pot = i64::try_from(record.public.pot()).unwrap_or(i64::MAX);
        let [worst, biggest] = self.wanted;
        keep(&mut self.worst, worst, (record.payoffs[seat].parts(), record.hand));
        keep(&mut self.biggest, biggest, (-pot, record.hand));
    }

    /// The worst hands, the largest loss first.
    pub fn worst(&self) -> impl Iterator<Item = u64> + '_ {
        self.worst.iter().map(|&(_, hand)| hand)
    }

    /// The hands with the biggest pots, the biggest first.
    pub fn biggest(&self) -> impl Iterator<Item = u64> + '_ {
        self.biggest.iter().map(|&(_, hand)| hand)
    }
}

/// Keeps the lowest of these, in order.
fn keep(kept: &mut Vec<(i64, u64)>, wanted: usize, new: (i64, u64)) {
    if kept.len() < wanted || kept.last().is_some_and(|last| new < *last) {
        kept.insert(kept.partition_point(|old| *old < new), new);
        kept.truncate(wanted);
    }
}

/// Lists of an entrant's hands, each in order.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct HandLists {
    /// The entrant's name.
    pub name: String,
    /// The largest losses.
    pub worst: Vec<SingleHand>,
    /// The biggest pots.
    pub biggest: Vec<SingleHand>,
    /// The largest gains by the luck of the cards, among the hands with corrections.
    pub luckiest: Vec<SingleHand>,
}

/// One hand in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SingleHand {
    /// The hand's number.
    pub hand: u64,
    /// The entrant's seat, by its role.
    pub seat: String,
    /// The entrant's cards; empty when unknown.
    pub cards: String,
    /// The cards of the others, in the order of the seats.
    pub others: Vec<String>,
    /// The board as far as dealt.
    pub board: String,
    /// The pot at the end, in chips.
    pub pot: u64,
    /// The entrant's result in chips.
    pub won: f64,
    /// The result without the luck of the cards, in chips, by the value function with weight 1;
    /// `null` where it is not known.
    pub luck_adjusted: Option<f64>,
    /// The command that explains the hand's decisions; `null` for a log.
    pub explain: Option<String>,
}

impl SingleHand {
    /// A hand of this entrant; `luck` is what it gained by the cards, in big blinds.
    pub fn new(record: &HandRecord, entrant: u8, luck: Option<f64>) -> Option<SingleHand> {
        let (seat, _) = record.entrants.iter().find(|&(_, &other)| other == entrant)?;
        let def = record.public.def();
        let won = record.payoffs[seat].parts() as f64 / Payoff::PER_CHIP as f64;
        let others = record.hole.iter().filter(|&(other, _)| other != seat);
        Some(SingleHand {
            hand: record.hand,
            seat: def.position(seat).to_string(),
            cards: record.hole[seat].to_string(),
            others: others.map(|(_, cards)| cards.to_string()).collect(),
            board: record.public.board().to_string(),
            pot: record.public.pot(),
            won,
            luck_adjusted: luck.map(|luck| won - luck * f64::from(def.big_blind())),
            explain: None,
        })
    }
}

impl HandLists {
    /// The lists that have hands, as tables.
    pub fn lists(&self) -> Vec<String> {
        let lists = [
            (&self.worst, "worst hands"),
            (&self.biggest, "biggest pots"),
            (&self.luckiest, "luckiest hands"),
        ];
        let listed = lists.into_iter().filter(|(hands, _)| !hands.is_empty());
        listed
            .map(|(hands, what)| hands_table(&format!("{what} of {}", self.name), hands))
            .collect()
    }
}

fn hands_table(title: &str, hands: &[SingleHand]) -> String {
    let header = [title, "seat", "cards", "others", "board", "pot", "won", "luck-adjusted", ""];
    let mut table = Table::new(header).right(5..8).at_the_margin();
    let unknown = |cards: &str| if cards.is_empty() { "-".to_owned() } else { cards.to_owned() };
    for hand in hands {
        let others: Vec<String> = hand.others.iter().map(|cards| unknown(cards)).collect();
        table.row([
            format!("hand {}", hand.hand),
            hand.seat.clone(),
            unknown(&hand.cards),
            others.join(" "),
            unknown(&hand.board),
            whole(hand.pot),
            signed_grouped(hand.won, 0),
            hand.luck_adjusted.map_or_else(|| "-".to_owned(), |won| signed_grouped(won, 0)),
            hand.explain.clone().unwrap_or_default(),
        ]);
    }
    table.to_string()
}

/// The report as aligned tables, about 40 lines for two entrants.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        let mut line = |line: String| {
            text.push_str(&line);
            text.push('\n');
        };
        let silent: Vec<&str> = self.never_answered().collect();
        silent.iter().for_each(|fault| line(format!("{fault}\n")));
        let of = &self.of;
        let shard = of.shard.map_or(String::new(), |shard| format!(", part {shard}"));
        line(if of.game.is_empty() {
            // A log without its header line lacks the match's details.
            of.name.clone()
        } else {
            format!("{}: {}, seed {}{shard}", of.name, of.game, of.seed)
        });
        let deals = match self.group_size {
            1 => String::new(),
            n => format!(" ({}, each played {n} times)", counted(self.groups, "deal")),
        };
        let hands = match of.hands_planned {
            0 => counted(self.hands, "hand"),
            planned => format!("{} of {}", whole(self.hands), counted(planned, "hand")),
        };
        line(format!("{hands}{deals}"));
        if let Some(stop) = &self.stop {
            let state = if stop.met { "ended" } else { "not ended by its rule" };
            line(format!("{state}: {}", stop.words));
        }
        line(String::new());
        line(rates(self));
        if let Some(part) = &self.estimates {
            line(String::new());
            line(estimates(part));
            part.best().into_iter().for_each(&mut line);
            part.about_sample().into_iter().for_each(&mut line);
        }
        for entrant in &self.entrants {
            line(String::new());
            line(splits(entrant));
        }
        if !self.differences.is_empty() {
            line(String::new());
            line(differences_table(self));
        }
        if self.entrants.iter().any(|entrant| entrant.decisions.is_some()) {
            line(String::new());
            line(decisions(self));
        }
        for list in self.single_hands.iter().flat_map(HandLists::lists) {
            line(String::new());
            line(list);
        }
        line(String::new());
        line(spread(self));
        for part in &self.plan {
            line(String::new());
            line(plan(part));
        }
        // The reason why the entrants have no rate is the same for all.
        if let Some(reason) = self.entrants.first().and_then(|one| one.rate.reason.as_ref()) {
            line(format!("note: no rate: {reason}"));
        }
        if let Some(record) = &self.record {
            line(record.words());
        }
        for finding in &self.findings {
            line(format!("warning: {}", finding.evidence));
        }
        let notes = self.estimates.iter().flat_map(|part| &part.notes);
        let warnings = self.warnings.iter().filter(|warning| !silent.contains(&warning.as_str()));
        for warning in warnings.chain(notes) {
            line(format!("note: {warning}"));
        }
        f.write_str(&text)
    }
}

fn rates(report: &Report) -> String {
    let rows = report.entrants.iter().map(|entrant| {
        let rate = &entrant.rate;
        vec![
            entrant.name.clone(),
            rate.mbb.map_or_else(dash, signed),
            rate.interval.map_or_else(dash, range),
            rate.any_time.map_or_else(dash, range),
            entrant.superiority.map_or_else(dash, percent),
            rate.bb_per_100.map_or_else(dash, |v| format!("{v:+.2}")),
            entrant.all_in_adjusted.mbb.map_or_else(dash, signed),
            entrant.all_in_adjusted.interval.map_or_else(dash, range),
        ]
    });
    let header = [
        "",
        "mbb/hand",
        "95 % interval",
        "at any time",
        "LOS",
        "bb/100",
        "all-in adj.",
        "its range",
    ];
    table(&header, rows)
}

/// A table of the estimates of one entrant's rate.
fn estimates(part: &EstimatesSection) -> String {
    let row = |row: &EstimateRow| {
        vec![
            row.what.clone(),
            row.rate.mbb.map_or_else(dash, signed),
            row.rate.interval.map_or_else(dash, range),
            row.rate.interval.map_or_else(dash, reach),
            row.rate.any_time.map_or_else(dash, reach),
            plain(row.deviation_per_hand),
            row.of_raw.map_or_else(dash, |share| format!("{share:.2}")),
        ]
    };
    let seat = |split: &SeatRow| {
        vec![
            format!("  {}", split.hands),
            split.rate.mbb.map_or_else(dash, signed),
            split.rate.interval.map_or_else(dash, range),
            split.rate.interval.map_or_else(dash, reach),
            split.rate.any_time.map_or_else(dash, reach),
        ]
    };
    let rows = part.rows.iter().flat_map(|estimate| {
        let shown = matches!(estimate.kind, RowKind::Raw | RowKind::Combined);
        let seats = estimate.seats.iter().filter(|_| shown).map(seat);
        std::iter::once(row(estimate)).chain(seats).collect::<Vec<_>>()
    });
    let title = format!("{}, estimated", part.name);
    let header = [
        title.as_str(),
        "mbb/hand",
        "95 % interval",
        "",
        "at any time",
        "deviation per hand",
        "of raw",
    ];
    table(&header, rows)
}

fn splits(entrant: &EntrantSection) -> String {
    let row = |split: &Split| {
        let rate = &split.rate;
        vec![
            split.hands.clone(),
            whole(rate.hands),
            rate.mbb.map_or_else(dash, signed),
            rate.interval.map_or_else(dash, range),
        ]
    };
    let all = entrant.seats.iter().chain(&entrant.streets).chain(&entrant.showdown);
    table(&[&entrant.name, "hands", "mbb/hand", "95 % interval"], all.map(row))
}

fn differences_table(report: &Report) -> String {
    let name = |k: usize| report.entrants.get(k).map_or("?", |entrant| entrant.name.as_str());
    let rows = report.differences.iter().map(|part| {
        let verdict = match part.separated {
            Some(true) => "separated",
            Some(false) => "not separated",
            None => "",
        };
        vec![
            format!("{} - {}", name(part.one), name(part.other)),
            part.rate.mbb.map_or_else(dash, signed),
            part.rate.interval.map_or_else(dash, range),
            verdict.to_owned(),
        ]
    });
    table(&["difference", "mbb/hand", "95 % interval", ""], rows)
}

fn decisions(report: &Report) -> String {
    let rows = report.entrants.iter().filter_map(|entrant| {
        let part = entrant.decisions.as_ref()?;
        let time = |pick: fn(&TimeSection) -> u64| {
            part.nanoseconds.as_ref().map_or_else(dash, |times| duration(pick(times)))
        };
        Some(vec![
            entrant.name.clone(),
            whole(part.count),
            whole(part.corrected),
            whole(part.fallbacks.values().sum()),
            time(|t| t.p50),
            time(|t| t.p90),
            time(|t| t.p99),
            time(|t| t.max),
        ])
    });
    table(&["", "decisions", "corrected", "fallbacks", "p50", "p90", "p99", "longest"], rows)
}

fn spread(report: &Report) -> String {
    let rows = report.entrants.iter().map(|entrant| {
        vec![
            entrant.name.clone(),
            entrant.bootstrap.map_or_else(dash, range),
            entrant.deviation_per_hand.map_or_else(dash, plain),
            entrant.deviation_per_group.map_or_else(dash, plain),
            entrant.duplicate_reduction.map_or_else(dash, reduction),
        ]
    });
    let header = ["", "bootstrap interval", "deviation per hand", "per deal", "by duplication"];
    let mut text = table(&header, rows);
    let needed = report
        .hands_needed
        .iter()
        .filter_map(|part| Some(format!("±{} mbb/hand: {}", part.half_width, whole(part.hands?))));
    let needed: Vec<String> = needed.collect();
    if !needed.is_empty() {
        write!(text, "\nhands needed for {}", needed.join(", ")).expect("a string takes all");
    }
    text
}

fn plan(part: &PlanSection) -> String {
    let rows = part.rows.iter().map(|row| {
        let hands = [row.once, row.any_time, row.found, row.sprt, row.sprt_halfway];
        let wanted = format!("{} mbb/hand", row.wanted);
        std::iter::once(wanted).chain(hands.map(whole)).collect()
    });
    let title = format!("hands for X, {}", part.what);
    let header = [
        title.as_str(),
        "±X once",
        "±X at any time",
        "X found in 80 %",
        "SPRT 0,X",
        "at most, halfway",
    ];
    table(&header, rows)
}

pub(super) fn table(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut table = Table::new(header.iter().copied()).right(1..).at_the_margin();
    rows.for_each(|row| table.row(row));
    table.to_string()
}

/// A reduction of the deviation: 0.3 is `30.0 % less`.
fn reduction(share: f64) -> String {
    let word = if share < 0.0 { "more" } else { "less" };
    format!("{:.1} % {word}", 100.0 * share.abs())
}

/// A probability: 0.9731 is `97.3 %`. Above 99.9 % and below 0.1 % it is shown as a bound.
fn percent(share: f64) -> String {
    match 100.0 * share {
        p if p > 99.9 => "> 99.9 %".to_owned(),
        p if p < 0.1 => "< 0.1 %".to_owned(),
        p => format!("{p:.1} %"),
    }
}

pub(super) fn dash() -> String {
    "-".to_owned()
}

pub(super) fn signed(value: f64) -> String {
    number::signed(value, 1)
}

pub(super) fn plain(value: f64) -> String {
    format!("{value:.1}")
}

fn reach(interval: Interval) -> String {
    format!("±{}", plain(interval.half_width()))
}

pub(super) fn range(interval: Interval) -> String {
    format!("{} to {}", signed(interval.low), signed(interval.high))
}
