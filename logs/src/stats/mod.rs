//! Statistics of a match, computed hand by hand in constant memory.
//!
//! - [`Tally`]: sums over hands and groups of hands that share a deal. They are exact integers, so
//!   the order of merging has no effect.
//! - [`Rate`]: a win rate with its 95 % interval, or the reason why there is none, and with an
//!   interval that stays valid at any number of looks.
//! - [`AllIn`]: exact expected results of all-in hands.
//! - [`DecisionTally`]: answer times, fallbacks and corrections of each entrant.
//! - [`Report`]: everything as one document and as text; [`winnings_curve`]: the course of a match
//!   as a curve.
//! - [`StopRule`]: sequential stopping of a match.
//! - [`Checks`]: whether records look like those of an honest match.
//! - [`Remarkable`]: the numbers of the hands that decided a match, and [`HandLists`] of them.
//! - [`Results`]: where an entrant loses most, compared with the others in the same place.
//! - [`CrossTable`]: the rates of a tournament's matches side by side.
//!
//! Formulas and their sources are in `docs/theory/statistics.md`. Invariants: no rate without an
//! interval, never a NaN.

mod allin;
pub mod checks;
mod crosstable;
mod decisions;
mod places;
mod rate;
pub mod report;
mod stop;
mod tally;

pub use allin::{AllIn, Expected};
pub use checks::{Change, Checks, Finding, FindingKind};
pub use crosstable::{CrossTable, Standing};
pub use decisions::{DecisionCounts, DecisionTally, FirstFailure, Latencies};
pub use places::{PlaceSums, Results, place_words};
pub use rate::{
    Batches, Bootstrap, FIRST_CHECK, Interval, NoRate, Rate, Sums, any_time_reach, t_probability,
    t_quantile,
};
pub use report::{HandLists, Remarkable, Report, SingleHand};
pub use stop::{RuleError, RuleStanding, Sprt, StopRule};
pub use tally::{EntrantTally, RunOuts, Tally, TallyError, is_run_out, winnings_curve};
