//! A tournament's table as comma-separated values: a row for each mean and for each pair.
//!
//! | column | value |
//! |---|---|
//! | `agent` | whose rate, by name |
//! | `against` | the other one; empty for the mean against all others |
//! | `mbb`, `low`, `high` | the rate in mbb/hand, with its 95 % interval |
//! | `for_all_low`, `for_all_high` | the interval right for all means, or all pairs, together |
//! | `hands` | hands behind it |
//! | `group` | of a mean: the letters of its groups; places that share one are not told apart |
//!
//! Quoting as in RFC 4180; lines end with a line feed. Means come first, the best before others.

use std::fmt::Write;

use super::csv::write_text;
use crate::stats::{CrossTable, Interval, Rate};

const COLUMNS: &str = "agent,against,mbb,low,high,for_all_low,for_all_high,hands,group";

/// The table as CSV.
pub fn write(table: &CrossTable) -> String {
    let mut out = format!("{COLUMNS}\n");
    for standing in table.standings() {
        let name = &table.names[standing.entrant];
        row([name, ""], &standing.rate, standing.for_all, &standing.letters, &mut out);
    }
    for (one, results) in table.results.iter().enumerate() {
        for (other, rate) in results.iter().enumerate() {
            if let (Some(rate), Some(for_all)) = (rate, table.for_all(one, other)) {
                row([&table.names[one], &table.names[other]], rate, for_all, "", &mut out);
            }
        }
    }
    out
}

fn row(names: [&str; 2], rate: &Rate, for_all: Interval, letters: &str, out: &mut String) {
    for name in names {
        write_text(name, out);
        out.push(',');
    }
    let values = [rate.mbb, rate.interval.low, rate.interval.high, for_all.low, for_all.high];
    for value in values {
        write!(out, "{value:.3},").expect("writing to a string cannot fail");
    }
    writeln!(out, "{},{letters}", rate.hands).expect("writing to a string cannot fail");
}
