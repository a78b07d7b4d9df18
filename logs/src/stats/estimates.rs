//! The part of a report with variance-reduced estimates.

use serde::{Deserialize, Serialize};
use show::number::{self, counted, time_span, whole};

use super::report::{Estimate, Report};
use super::{Interval, NoRate, Rate, Tally};
use crate::estimate::{Row, RowKind, Rows};

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
            && let Ok(rate) = Rate::of(&tally.entrants()[rows.of].adjusted, tally.big_blind())
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
        let listed = match taken.is_empty() {
            true => last,
            false => format!("{} and {last}", taken.join(", ")),
        };
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
            (reach < 0.95 * now?)
                .then(|| format!("--values {} about ±{reach:.0} in {time}", tried.values))
        });
        let better: Vec<String> = better.collect();
        let chosen = match set_aside {
            0 => String::new(),
            _ => format!("; {} others served to choose the values", whole(*set_aside)),
        };
        let more = match better.is_empty() {
            true => String::new(),
            false => format!("; on all, with --estimates all: {}", better.join(", ")),
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
            seats: match by_seat {
                true => seats.iter().zip(row.seats).map(seat).collect(),
                false => Vec::new(),
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
