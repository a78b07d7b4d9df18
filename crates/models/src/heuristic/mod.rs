//! Fast-and-frugal trees: chains of `if … then …; else …` for one street, simple enough for a
//! novice.
//!
//! The language is that of F. de Mesentier Silva, J. Togelius, F. Lantz and A. Nealen, *Generating
//! Novice Heuristics for Post-Flop Poker*, IEEE Conference on Computational Intelligence and Games
//! 2018, sections IV and VII, for limit hold'em; extensions for no-limit games are sized bets, win
//! rates and declared shares of times.
//!
//! - [`Heuristic`]: the statements of one street; its `Display` and [`Heuristic::parse`] are the
//!   text, specified in `text.rs`. `{}` is one line, `{:#}` has a line for each statement.
//! - [`Clause`], [`Act`]: the tests and actions of statements.
//! - [`Decider`]: a list compiled for fast evaluation of a [`Situation`].
//! - [`Heuristic::unreached`]: statements that can never apply.
//! - [`Heuristic::sentence`]: statements in plain words.
//! - [`Rulebook`]: the lists of a game's streets, as a file.

mod clause;
mod decide;
mod error;
mod list;
mod reach;
mod rulebook;
mod text;
mod words;

pub use clause::{Act, Bound, Clause, RuleScope, Times};
pub use decide::{Decider, Pot, Situation};
pub use error::HeuristicError;
pub use list::{Heuristic, MAX_CLAUSES, MAX_STATEMENTS, Statement};
pub use reach::Unreached;
pub use rulebook::{Rulebook, Warning};
pub use text::facts_in_words;
pub use words::Term;
