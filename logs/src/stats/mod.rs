//! Statistics of a match, computed hand by hand in constant memory.
//!
//! - [`Tally`]: sums over hands and groups of hands that share a deal. Exact integers, so that the
//!   order of merging does not matter to them.
//! - [`Rate`]: a win rate with its 95 % interval, or the reason why there is none.
//! - [`DecisionTally`]: answer times, fallbacks and corrections of each entrant.
//!
//! Formulas and their sources are in `docs/statistics.md`. Invariants: no rate without an interval,
//! never a value that is not a number.

mod batches;
mod decisions;
mod latency;
mod rate;
mod student;
mod sums;
mod tally;

pub use batches::{Batches, Bootstrap};
pub use decisions::{DecisionCounts, DecisionTally};
pub use latency::Latencies;
pub use rate::{Interval, NoRate, Rate};
pub use student::t_quantile;
pub use sums::Sums;
pub use tally::{EntrantTally, RunOuts, Tally, TallyError, is_run_out};
