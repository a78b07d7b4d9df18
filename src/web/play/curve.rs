//! The course of a session as a picture: what was won, and the same without luck.

use logs::chart::{Chart, Line, thinned};

/// A picture of what had been won after each hand, and of the same without luck, in big blinds;
/// nothing for fewer than two hands. Colours are the style sheet's.
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
        title: "PastHands of the session in big blinds",
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
