//! Solved stacks as text: values, judged rules, and charts of hands.

use show::Table;
use show::number::{percent, signed};
use solvers::shove_fold::{Range, share};

use super::{Judged, Solved};
use crate::chart::grid;

/// The text for one stack, with its charts.
pub(super) fn one(solved: &Solved) -> String {
    let found = &solved.found;
    let ante = match solved.payoffs.ante {
        0.0 => String::new(),
        ante => format!(", antes of {ante}"),
    };
    let mut text = format!(
        "{} big blinds{ante}: the small blind wins {} big blinds a hand, exploitability {:.1e}\n",
        solved.payoffs.stack,
        signed(found.value, 8),
        found.exploitability
    );
    if !(solved.judged.is_empty() && solved.without.is_empty()) {
        text += &format!("\n{}\n", rules(std::slice::from_ref(solved)));
    }
    for (what, range) in [("all-in", &found.ranges.jam), ("call", &found.ranges.call)] {
        text += &format!("\n{what}: {} of hands\n{}", percent(share(range), 2), chart(range));
    }
    text + "  percent of the time; suited above the diagonal, offsuit below\n"
}

/// The text for several stacks, one line each.
pub(super) fn several(all: &[Solved]) -> String {
    let mut table = Table::new(["stack", "small blind wins", "all-in", "call"]).right(0..);
    for Solved { payoffs, found, .. } in all {
        table.row([
            payoffs.stack.to_string(),
            signed(found.value, 8),
            percent(share(&found.ranges.jam), 2),
            percent(share(&found.ranges.call), 2),
        ]);
    }
    let mut text = format!("{table}\n");
    if all.iter().any(|solved| !(solved.judged.is_empty() && solved.without.is_empty())) {
        text += &format!("\n{}\n", rules(all));
    }
    text
}

/// The table of what the rules lose.
fn rules(all: &[Solved]) -> String {
    let head = ["stack", "rule", "small blind loses", "big blind", "mean, mbb", "all-in", "call"];
    let mut table = Table::new(head).right(2..);
    for solved in all {
        for Judged { name, ranges, losses, .. } in &solved.judged {
            table.row([
                solved.payoffs.stack.to_string(),
                name.clone(),
                format!("{:.1}", losses[0]),
                format!("{:.1}", losses[1]),
                format!("{:.1}", 0.5 * (losses[0] + losses[1])),
                percent(share(&ranges.jam), 1),
                percent(share(&ranges.call), 1),
            ]);
        }
        for name in &solved.without {
            let mut row = vec![solved.payoffs.stack.to_string(), name.clone()];
            row.resize(head.len(), "–".to_owned());
            table.row(row);
        }
    }
    table.to_string()
}

/// A range as a chart of the 169 hands in percent.
fn chart(range: &Range) -> String {
    let cell = |number: usize| match range[number] {
        0.0 => format!("{:>5}", '·'),
        1.0 => format!("{:>5}", "100"),
        share => format!("{:>5.1}", 100.0 * share),
    };
    grid::text(|rank| format!("{:>5}", rank.to_char()), cell) + "\n"
}
