//! Rules for one street of limit hold'em that win most from a blueprint.
//!
//! After de Mesentier Silva, Togelius, Lantz and Nealen, "Generating Novice Heuristics for
//! Post-Flop Poker" (2018): their language ([`Language`], over [`models::heuristic`]); their
//! fitness, exact ([`Judge`]) or by matches ([`sampled`]); their three searches, and simulated
//! annealing and, for few clauses, exhaustive search ([`Method`]). A [`Search`] goes in steps, and
//! can be saved and resumed. A [`BookSearch`] is for the lists of all streets of a game together.

mod books;
mod exhaustive;
mod language;
mod measure;
mod published;
mod record;
mod search;

pub use books::{BookOptions, BookSearch, Rates, Step, WORTH, statements};
pub use language::Language;
pub use measure::{Judge, Worth, made, meetings, sampled};
pub use record::{Improved, Record, Records};
pub use search::{Measure, Method, Options, Progress, ResumeError, Search};
