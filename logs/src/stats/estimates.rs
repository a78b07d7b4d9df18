//! Estimates with less variance, as a part of a report.

use serde::Serialize;

use super::report::{Estimate, Report};
use super::{NoRate, Rate, Tally};
use crate::estimate::{Row, RowKind, Rows, VALUE_FUNCTION};

/// All estimates of one entrant's rate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EstimatesPart {
    /// Whose rate.
    pub of: usize,
    /// Its name.
    pub name: String,
    /// The version of the value function behind the corrections.
    pub value_function: &'static str,
    /// The estimates, the plain one first.
    pub rows: Vec<EstimateRow>,
    /// What the reader should know, in words.
    pub notes: Vec<String>,
}

/// One estimate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EstimateRow {
    /// Which.
    pub kind: RowKind,
    /// What is taken out of it, in words.
    pub what: String,
    /// The rate.
    pub rate: Estimate,
    /// The standard deviation of single hands that would give its interval.
    pub deviation_per_hand: f64,
    /// That as a share of the plain one.
    pub of_raw: Option<f64>,
    /// The fitted coefficient, if there is one.
    pub coefficient: Option<f64>,
    /// The rate from each seat, by the seat's role.
    pub seats: Vec<SeatRow>,
}

/// An estimate over the hands from one seat.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SeatRow {
    /// Which seat.
    pub hands: String,
    /// The rate.
    pub rate: Estimate,
}

impl EstimatesPart {
    pub(super) fn new(rows: &Rows, report: &Report, tally: &Tally) -> EstimatesPart {
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
            all.insert(1, EstimateRow::new(&row, names, &seats));
        }
        EstimatesPart {
            of: rows.of,
            name: entrant.name.clone(),
            value_function: VALUE_FUNCTION,
            rows: all,
            notes: rows.notes.clone(),
        }
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
