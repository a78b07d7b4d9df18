//! Match logs: the lines of `NAME.log`.

use std::fmt::Write;

use game::{BySeat, Payoff, State, notation};

/// Appends `STATE:<hand>:<betting>:<cards>:<values>:<names>` and an end of line: everybody's cards,
/// the board as far as it was dealt, values and names in the order of the seats. `entrants` says who
/// sat where, as an index into `names`.
pub fn write_state(
    out: &mut String,
    hand: u32,
    state: &State,
    payoffs: &BySeat<Payoff>,
    entrants: &BySeat<u8>,
    names: &[String],
) {
    write!(out, "STATE:{hand}:").expect("writing to a string cannot fail");
    notation::write_betting(&state.public, out);
    out.push(':');
    notation::write_cards(&state.public, &state.hole, out);
    write_values(out, payoffs.as_slice());
    write_names(out, entrants.as_slice().iter().map(|&e| names[e as usize].as_str()));
    out.push('\n');
}

/// Appends `SCORE:<totals>:<names>`, in the order of the entrants, and an end of line.
pub fn write_score(out: &mut String, totals: &[Payoff], names: &[String]) {
    out.push_str("SCORE");
    write_values(out, totals);
    write_names(out, names.iter().map(String::as_str));
    out.push('\n');
}

fn write_values(out: &mut String, values: &[Payoff]) {
    for (i, value) in values.iter().enumerate() {
        out.push(if i == 0 { ':' } else { '|' });
        write!(out, "{value}").expect("writing to a string cannot fail");
    }
}

fn write_names<'a>(out: &mut String, names: impl Iterator<Item = &'a str>) {
    for (i, name) in names.enumerate() {
        out.push(if i == 0 { ':' } else { '|' });
        out.push_str(name);
    }
}
