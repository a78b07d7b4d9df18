//! Writer of a tournament's table as CSV: a row for each mean and for each pair.
//!
//! | column | value |
//! |---|---|
//! | `agent` | the agent rated, by name |
//! | `against` | the opponent; empty for the mean against all others |
//! | `mbb`, `low`, `high` | the rate in mbb/hand, with its 95 % interval |
//! | `for_all_low`, `for_all_high` | the simultaneous interval of all means, or of all pairs |
//! | `hands` | number of hands |
//! | `group` | of a mean: its groups' letters; places that share one do not differ significantly |
//!
//! Quoting as in RFC 4180; lines end with a line feed. Means come first, in descending order.

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
