//! Fast-and-frugal trees: chains of `if … then …; else …` for one street, that a novice can carry.
//!
//! The language is that of F. de Mesentier Silva, J. Togelius, F. Lantz and A. Nealen, *Generating
//! Novice Heuristics for Post-Flop Poker*, IEEE Conference on Computational Intelligence and Games
//! 2018, sections IV and VII, for limit hold'em; it has bets of a size, win rates and declared
//! shares of times beside, for no-limit games.
//!
//! - [`Heuristic`]: the statements of one street; its `Display` and [`Heuristic::parse`] are the
//!   text, specified in `text.rs`. `{}` is one line, `{:#}` has a line for each statement.
//! - [`Clause`], [`Act`]: what statements ask and do.
//! - [`Decider`]: a list made ready to be asked often, about a [`Situation`].
//! - [`Heuristic::unreached`]: statements that can never decide.
//! - [`Heuristic::sentence`]: statements in plain words.
//! - [`Rulebook`]: the lists of a game's streets, as a file.

mod book;
mod clause;
mod decide;
mod error;
mod list;
mod reach;
mod text;
mod words;

pub use book::{Rulebook, Warning};
pub use clause::{Act, Bound, Clause, Place, Times};
pub use decide::{Decider, Pot, Situation};
pub use error::HeuristicError;
pub use list::{Heuristic, MOST_CLAUSES, MOST_STATEMENTS, Statement};
pub use reach::Unreached;
pub use text::facts_in_words;
pub use words::Term;
