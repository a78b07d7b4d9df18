//! The lists inside the program.

use std::sync::OnceLock;

use game::Betting;
use models::heuristic::Rulebook;

/// What stands for them in place of a file.
pub(super) const NAME: &str = "shipped";

const LIMIT: &str = include_str!("../../models/heuristics/paper.fft");
const NO_LIMIT: &str = include_str!("../../models/heuristics/no-limit.fft");

/// The lists inside the program for heads-up hold'em: for limit those that the paper prints.
pub fn shipped_heuristics(betting: Betting) -> &'static Rulebook {
    static BOOKS: OnceLock<[Rulebook; 2]> = OnceLock::new();
    let books = BOOKS.get_or_init(|| {
        [LIMIT, NO_LIMIT].map(|text| Rulebook::parse(text).expect("a test reads them"))
    });
    match betting {
        Betting::Limit => &books[0],
        Betting::NoLimit => &books[1],
    }
}

/// Both in words.
pub(super) fn about() -> String {
    let [limit, nolimit] = [Betting::Limit, Betting::NoLimit].map(shipped_heuristics);
    let limit = super::about("In limit hold'em, as published", limit);
    format!("{limit}\n\n{}", super::about("In no-limit hold'em", nolimit))
}
