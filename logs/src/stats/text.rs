//! Text rendering of reports for a terminal.

use std::fmt::Write;

use show::Table;
use show::number::{self, counted, duration, whole};

use super::estimates::{EstimateRow, EstimatesSection, SeatRow};
use super::planning::PlanSection;
use super::report::{EntrantSection, Report, Split};
use super::single_hands::HandLists;
use super::{CrossTable, Interval};
use crate::estimate::RowKind;

/// A report as aligned tables, about 40 lines for two entrants.
pub fn render(report: &Report) -> String {
    let mut text = String::new();
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    let silent: Vec<&str> = report.never_answered().collect();
    silent.iter().for_each(|fault| line(format!("{fault}\n")));
    let of = &report.of;
    let shard = of.shard.map_or(String::new(), |shard| format!(", part {shard}"));
    line(match of.game.is_empty() {
        // A log without its header line lacks the match's details.
        true => of.name.clone(),
        false => format!("{}: {}, seed {}{shard}", of.name, of.game, of.seed),
    });
    let deals = match report.group_size {
        1 => String::new(),
        n => format!(" ({}, each played {n} times)", counted(report.groups, "deal")),
    };
    let hands = match of.hands_planned {
        0 => counted(report.hands, "hand"),
        planned => format!("{} of {}", whole(report.hands), counted(planned, "hand")),
    };
    line(format!("{hands}{deals}"));
    if let Some(stop) = &report.stop {
        let state = if stop.met { "ended" } else { "not ended by its rule" };
        line(format!("{state}: {}", stop.words));
    }
    line(String::new());
    line(rates(report));
    if let Some(part) = &report.estimates {
        line(String::new());
        line(estimates(part));
        part.best().into_iter().for_each(&mut line);
        part.about_sample().into_iter().for_each(&mut line);
    }
    for entrant in &report.entrants {
        line(String::new());
        line(splits(entrant));
    }
    if !report.differences.is_empty() {
        line(String::new());
        line(differences(report));
    }
    if report.entrants.iter().any(|entrant| entrant.decisions.is_some()) {
        line(String::new());
        line(decisions(report));
    }
    for list in report.single_hands.iter().flat_map(HandLists::lists) {
        line(String::new());
        line(list);
    }
    line(String::new());
    line(spread(report));
    for part in &report.plan {
        line(String::new());
        line(plan(part));
    }
    // The reason why the entrants have no rate is the same for all.
    if let Some(reason) = report.entrants.first().and_then(|one| one.rate.reason.as_ref()) {
        line(format!("note: no rate: {reason}"));
    }
    if let Some(record) = &report.record {
        line(record.words());
    }
    for finding in &report.findings {
        line(format!("warning: {}", finding.evidence));
    }
    let notes = report.estimates.iter().flat_map(|part| &part.notes);
    let warnings = report.warnings.iter().filter(|warning| !silent.contains(&warning.as_str()));
    for warning in warnings.chain(notes) {
        line(format!("note: {warning}"));
    }
    text
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
pub fn estimates(part: &EstimatesSection) -> String {
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

fn differences(report: &Report) -> String {
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
        let time = |pick: fn(&super::report::TimeSection) -> u64| {
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

/// A cross table as text: rates of the row's entrant, best first. `~` marks those not significantly
/// different from zero, and ranks not significantly different from the next.
pub fn crosstable(table_: &CrossTable) -> String {
    let standings = table_.standings();
    let mut order: Vec<usize> = standings.iter().map(|standing| standing.entrant).collect();
    order.extend((0..table_.names.len()).filter(|k| !standings.iter().any(|s| s.entrant == *k)));
    let fixed = ["mbb/hand", "mean", "95 % interval", "for all", "group", "hands"];
    let mut header = fixed.map(str::to_owned).to_vec();
    header.extend(order.iter().map(|&k| table_.names[k].clone()));
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let rows = order.iter().map(|&k| {
        let standing = standings.iter().find(|standing| standing.entrant == k);
        let mark = |separated: bool| if separated { "" } else { " ~" };
        let mut row = vec![
            table_.names[k].clone(),
            standing.map_or_else(dash, |s| {
                format!("{}{}", signed(s.rate.mbb), mark(s.separated_from_next.unwrap_or(true)))
            }),
            standing.map_or_else(dash, |s| range(s.rate.interval)),
            standing.map_or_else(dash, |s| range(s.for_all)),
            standing.map_or_else(dash, |s| s.letters.clone()),
            standing.map_or_else(dash, |s| number::whole(s.rate.hands)),
        ];
        row.extend(order.iter().map(|&other| match &table_.results[k][other] {
            Some(rate) => {
                let sign = mark(!rate.holds_zero());
                format!("{} ±{}{sign}", signed(rate.mbb), plain(rate.half_width()))
            }
            None => String::new(),
        }));
        row
    });
    let text = table(&header, rows);
    format!(
        "{text}\na cell: the row's agent against the column's, ± half of the 95 % interval\n\
         ~ not separated: the 95 % interval holds zero; a mean, from the next one's\n\
         for all: the interval that is right for all means together; players who share a \
         letter do not differ significantly by those"
    )
}

fn table(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
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

fn dash() -> String {
    "-".to_owned()
}

fn signed(value: f64) -> String {
    number::signed(value, 1)
}

fn plain(value: f64) -> String {
    format!("{value:.1}")
}

fn reach(interval: Interval) -> String {
    format!("±{}", plain(interval.half_width()))
}

fn range(interval: Interval) -> String {
    format!("{} to {}", signed(interval.low), signed(interval.high))
}
