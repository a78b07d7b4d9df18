//! What is recorded of hands and decisions, its readers and writers, and statistics.
//!
//! How a driver records a match: once, it makes the folder and `LedgerWriter::create(&path, &info)`; for each block of
//! hands, in order, `writer.append(&record)` and `tally.add(&record)` for each hand, then
//! `writer.commit()`. To resume: `LedgerWriter::open_for_resume(&path)`, then
//! `writer.reader()?.present()` says which hands are there and `reader.hands()` gives them back
//! for the tally. `tally.rate(entrant)` is the win rate with its interval.

pub mod decisions;
pub mod export;
pub mod folder;
mod info;
pub mod ledger;
mod record;
mod replay;
pub mod stats;

pub use info::{Difference, Entrant, InfoError, MatchInfo, ParseShardError, Provenance, Shard};
pub use ledger::{LedgerError, LedgerReader, LedgerWriter};
pub use record::{DecisionRecord, Fallback, HandRecord};
pub use stats::{DecisionTally, Rate, Tally};
