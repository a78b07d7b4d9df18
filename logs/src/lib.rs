//! Records of hands and decisions, their readers and writers, and statistics.
//!
//! Recording a match:
//!
//! - Once: create the folder, `LedgerWriter::create(&path, &info)`, [`folder::write_manifest`], and
//!   write [`formats::acpc::write_header`] to `acpc.log`.
//! - For each block of hands, in order: `writer.append(&record)` (or `append_with_decisions`),
//!   `tally.add(&record)` and [`formats::acpc::write_hand`] for each hand, then `writer.commit()`,
//!   or `commit_with_note` to keep the counts of a [`DecisionTally`] in step.
//! - At the end: [`formats::acpc::write_score`], and `report.json` from
//!   [`Report::new`](stats::Report::new).
//! - To resume: `LedgerWriter::open_for_resume(&path)`; `writer.reader()?.present()` gives the
//!   numbers of the recorded hands, `hands()` the hands for tally and log, `note` the counts of
//!   decisions.
//!
//! Everything a driver holds is `Send`. Nothing here reads a clock or plays a hand; records read
//! back are replayed on the rules engine. File layouts: `docs/ledger.md`; formulas:
//! `docs/theory/statistics.md`.

pub mod estimate;
pub mod folder;
pub mod formats;
mod gather;
mod info;
pub mod ledger;
mod record;
pub mod stats;

pub use gather::{GatherError, Gathered, ImportedHand, gather};
pub use info::{Entrant, InfoError, MatchInfo, Provenance, distinct_names};
pub use ledger::{LedgerError, LedgerReader, LedgerWriter};
pub use record::{DecisionRecord, Fallback, HandRecord};
pub use stats::{DecisionTally, Rate, Tally};
