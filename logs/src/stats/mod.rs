//! Statistics of a match, computed hand by hand in constant memory.
//!
//! - [`Tally`]: sums over hands and groups of hands that share a deal. They are exact integers, so
//!   the order of merging has no effect.
//! - [`Rate`]: a win rate with its 95 % interval, or the reason why there is none, and with an
//!   interval that stays valid at any number of looks.
//! - [`AllIn`]: exact expected results of all-in hands.
//! - [`DecisionTally`]: answer times, fallbacks and corrections of each entrant.
//! - [`Report`]: everything as one document, as text ([`text`]) and as a curve
//!   ([`winnings_curve`]).
//! - [`StopRule`]: sequential stopping of a match.
//! - [`Checks`]: whether records look like those of an honest match.
//! - [`Remarkable`]: the numbers of the hands that decided a match, and [`HandLists`] of them.
//! - [`CrossTable`]: the rates of a tournament's matches side by side.
//!
//! Formulas and their sources are in `docs/statistics.md`. Invariants: no rate without an interval,
//! never a NaN.

mod allin;
mod anytime;
mod batches;
pub mod checks;
mod crosstable;
mod curve;
mod decisions;
pub mod estimates;
mod latency;
pub mod planning;
mod rate;
pub mod report;
mod single_hands;
mod stop;
mod student;
mod sums;
mod tally;
pub mod text;

pub use allin::{AllIn, Expected};
pub use anytime::{FIRST_CHECK, any_time_reach};
pub use batches::{Batches, Bootstrap};
pub use checks::{Checks, Finding, FindingKind};
pub use crosstable::{CrossTable, Standing};
pub use curve::winnings_curve;
pub use decisions::{DecisionCounts, DecisionTally, FirstFailure};
pub use latency::Latencies;
pub use rate::{Interval, NoRate, Rate};
pub use report::Report;
pub use single_hands::{HandLists, Remarkable, SingleHand};
pub use stop::{RuleError, RuleStanding, Sprt, StopRule};
pub use student::{t_probability, t_quantile};
pub use sums::Sums;
pub use tally::{EntrantTally, RunOuts, Tally, TallyError, is_run_out};
