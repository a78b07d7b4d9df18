//! The course of a session as a chart: the winnings, and the same without luck.

use logs::chart::{Chart, Line, thinned};

/// A chart of the cumulative winnings in big blinds after each hand, as played and without luck;
/// empty with fewer than two hands. Colours come from the style sheet.
pub fn draw(results: &[[f64; 2]]) -> String {
    let (Some(&[won, without]), 2..) = (results.last(), results.len()) else {
        return String::new();
    };
    let line = |class, which: usize| {
        let after = |at: usize| (at as f64 + 1.0, results[at][which]);
        let points = std::iter::once((0.0, 0.0)).chain(thinned(results.len()).map(after)).collect();
        Line { class, points }
    };
    let hands = results.len();
    Chart {
        name: "course",
        size: [360, 190],
        title: "Result of the session in big blinds",
        titled: false,
        description: &format!(
            "After {hands} hands {won:+.1} big blinds; {without:+.1} without luck."
        ),
        along: "hands",
        lines: vec![line("luck", 1), line("won", 0)],
        band: Vec::new(),
    }
    .svg()
}
