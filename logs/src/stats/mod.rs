//! Statistics of a match, computed hand by hand in constant memory.
//!
//! - [`Tally`]: sums over hands and groups of hands that share a deal. Exact integers, so that the
//!   order of merging does not matter to them.
//! - [`Rate`]: a win rate with its 95 % interval, or the reason why there is none, and with the
//!   interval that stays true however often it is looked at.
//! - [`AllIn`]: exact expectations of hands whose last cards were run out.
//! - [`DecisionTally`]: answer times, fallbacks and corrections of each entrant.
//! - [`Report`]: all of it as one document, as text ([`text`]) and as a curve ([`winnings_curve`]).
//! - [`StopRule`]: when a match has been played for long enough.
//! - [`Checks`]: whether records are such as an honest match leaves.
//! - [`CrossTable`]: the rates of a tournament's matches side by side.
//!
//! Formulas and their sources are in `docs/statistics.md`. Invariants: no rate without an interval,
//! never a value that is not a number.

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
mod stop;
mod student;
mod sums;
mod tally;
pub mod text;

pub use allin::{AllIn, Expected};
pub use anytime::{FIRST_LOOK, any_time_reach};
pub use batches::{Batches, Bootstrap};
pub use checks::{Checks, Finding, FindingKind};
pub use crosstable::{CrossTable, Standing};
pub use curve::winnings_curve;
pub use decisions::{DecisionCounts, DecisionTally};
pub use latency::Latencies;
pub use rate::{Interval, NoRate, Rate};
pub use report::Report;
pub use stop::{RuleError, RuleStanding, Sprt, StopRule};
pub use student::{t_probability, t_quantile};
pub use sums::Sums;
pub use tally::{EntrantTally, RunOuts, Tally, TallyError, is_run_out};
