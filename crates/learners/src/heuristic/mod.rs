//! Rules for one street of limit hold'em that win most from a blueprint.
//!
//! After de Mesentier Silva, Togelius, Lantz and Nealen, "Generating Novice Heuristics for
//! Post-Flop Poker" (2018): their language ([`Language`], over [`models::heuristic`]); their
//! fitness, exact ([`RuleEvaluator`]) or by matches ([`sampled`]); their three searches, and
//! simulated annealing and, for few clauses, exhaustive search ([`Method`]). A [`Search`] goes in
//! steps, and can be saved and resumed. A [`RulebookSearch`] is for the lists of all streets of a
//! game together.

mod exhaustive;
mod language;
mod measure;
mod published;
mod record;
mod rulebook_search;
mod search;

pub use language::Language;
pub use measure::{MeanWinnings, RuleEvaluator, cross_results, made, sampled};
pub use record::{Improvement, Record, Records};
pub use rulebook_search::{
    CLAUSE_COST, Rates, RulebookImprovement, RulebookOptions, RulebookSearch, statements,
};
pub use search::{Measure, Method, Options, Progress, ResumeError, Search};
