//! The lists inside the program.

use std::sync::OnceLock;

use game::Betting;
use models::heuristic::Rulebook;

/// The value of `model` for the default list of the game.
pub(super) const SHIPPED: &str = "shipped";

/// All lists by name, starting with the default of limit games and that of no-limit games.
static FILES: [(&str, &str); 7] = [
    ("paper", include_str!("../../models/heuristics/paper.fft")),
    ("no-limit", include_str!("../../models/heuristics/no-limit.fft")),
    ("limit", include_str!("../../models/heuristics/limit.fft")),
    ("no-limit-3", include_str!("../../models/heuristics/no-limit-3.fft")),
    ("no-limit-5", include_str!("../../models/heuristics/no-limit-5.fft")),
    ("no-limit-8", include_str!("../../models/heuristics/no-limit-8.fft")),
    ("no-limit-12", include_str!("../../models/heuristics/no-limit-12.fft")),
];

fn rulebooks() -> &'static [(&'static str, Rulebook)] {
    static BOOKS: OnceLock<Vec<(&str, Rulebook)>> = OnceLock::new();
    BOOKS.get_or_init(|| {
        let read = |&(name, text)| (name, Rulebook::parse(text).expect("a test reads them"));
        FILES.iter().map(read).collect()
    })
}

/// Returns the default lists for heads-up hold'em; for limit games, those printed in the paper.
pub fn shipped_heuristics(betting: Betting) -> &'static Rulebook {
    match betting {
        Betting::Limit => &rulebooks()[0].1,
        Betting::NoLimit => &rulebooks()[1].1,
    }
}

/// Returns all lists inside the program with their names.
pub fn named_heuristics() -> impl Iterator<Item = (&'static str, &'static Rulebook)> {
    rulebooks().iter().map(|(name, book)| (*name, book))
}

/// A description of all lists.
pub(super) fn about() -> String {
    let about = |(name, book)| super::about(&format!("model={name}"), book);
    named_heuristics().map(about).collect::<Vec<_>>().join("\n\n")
}
