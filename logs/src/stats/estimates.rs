//! The part of a report with variance-reduced estimates.

use serde::Serialize;
use show::number::{self, counted};

use super::report::{Estimate, Report};
use super::{NoRate, Rate, Tally};
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
    /// Notes for the reader, in words.
    pub notes: Vec<String>,
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
    /// The fitted coefficient, where the row has one.
    pub coefficient: Option<f64>,
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
    pub(super) fn new(rows: &Rows, report: &Report, tally: &Tally) -> EstimatesSection {
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
                coefficient: None,
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
            notes: rows.notes.clone(),
        }
    }
}

impl EstimatesSection {
    /// The estimate to quote, in words, with its corrections.
    pub fn best(&self) -> Option<String> {
        let row = self.rows.iter().rfind(|row| row.kind == RowKind::Combined)?;
        let (mbb, interval) = (row.rate.mbb?, row.rate.interval?);
        let has = |kind| self.rows.iter().any(|row| row.kind == kind);
        let choices = |kind| self.rows.iter().find(|row| row.kind == kind);
        let mut taken = vec!["the luck of the cards".to_owned()];
        let both = choices(RowKind::BothChoices);
        let either = choices(RowKind::OwnChoices).or_else(|| choices(RowKind::OtherChoices));
        taken.extend(both.or(either).map(|row| {
            let what = row.what.trim_start_matches("and ");
            what.split(" (").next().unwrap_or(what).to_owned()
        }));
        taken.extend(has(RowKind::Imagined).then(|| format!("which hand {} held", self.name)));
        taken.extend(has(RowKind::Baseline).then(|| "the baseline".to_owned()));
        let last = taken.pop().unwrap_or_default();
        let listed = match taken.is_empty() {
            true => last,
            false => format!("{} and {last}", taken.join(", ")),
        };
        Some(format!(
            "best estimate: {} ± {:.1} mbb/hand, the result without {listed}, by the value \
             function {}",
            number::signed(mbb, 1),
            interval.half_width(),
            self.value_function
        ))
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
            coefficient: row.coefficient,
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
        RowKind::Baseline => "baseline".to_owned(),
        RowKind::Luck => "luck of the cards".to_owned(),
        RowKind::OwnChoices => format!("and draws of {own} (AIVAT, one side)"),
        RowKind::OtherChoices => format!("and draws of {other} (AIVAT, one side)"),
        RowKind::BothChoices => "and draws of both (AIVAT)".to_owned(),
        RowKind::Imagined => format!("and other hands of {own}"),
        RowKind::Combined => "combined".to_owned(),
    }
}
