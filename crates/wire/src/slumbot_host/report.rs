//! `report.json` of the host's ledgers, rewritten while hands come in, for lists of matches.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use logs::stats::{DecisionTally, Report, Tally};
use logs::{LedgerError, LedgerReader};

use super::ledger_store::AgentLedger;
use super::{SlumbotHost, lock};

/// The time for which hands are read before the ledger is released.
const READ_TIME: Duration = Duration::from_millis(500);

/// The counts of each ledger so far.
#[derive(Debug, Default)]
pub(super) struct Reporter {
    counted: HashMap<String, LedgerCounts>,
}

#[derive(Debug)]
struct LedgerCounts {
    reader: LedgerReader,
    tally: Tally,
    /// The number of the next hand to count.
    next: u64,
}

impl SlumbotHost {
    /// Counts the new hands and rewrites the reports that have changed.
    pub(super) async fn report(&self, mut reporter: Reporter) -> Reporter {
        let ledgers: Vec<Arc<AgentLedger>> =
            self.0.ledgers.iter().filter_map(|ledger| lock(ledger).clone()).collect();
        let work = tokio::task::spawn_blocking(move || {
            for ledger in ledgers {
                if let Err(error) = reporter.update(&ledger) {
                    tracing::warn!(%error, match_id = ledger.id, "no report can be written");
                }
            }
            reporter
        });
        work.await.unwrap_or_default()
    }
}

impl Reporter {
    fn update(&mut self, ledger: &AgentLedger) -> Result<(), ReportError> {
        let counted = match self.counted.get_mut(&ledger.id) {
            Some(counted) => counted,
            None => {
                let reader = LedgerReader::open(&ledger.folder)?;
                let counted = LedgerCounts { reader, tally: Tally::new(&ledger.info), next: 0 };
                self.counted.entry(ledger.id.clone()).or_insert(counted)
            }
        };
        let before = counted.next;
        let until = Instant::now() + READ_TIME;
        for record in counted.reader.hands_from(before) {
            let record = record?;
            counted.tally.add(&record);
            // Requests have priority.
            std::thread::yield_now();
            counted.next = record.hand + 1;
            if Instant::now() > until {
                break;
            }
        }
        if counted.next == before {
            return Ok(());
        }
        let note = counted.reader.note(DecisionTally::NOTE)?;
        let decisions = note.and_then(|note| DecisionTally::from_note(&note));
        let report = Report::new(&ledger.info, &counted.tally, decisions.as_ref(), None);
        let text = serde_json::to_vec_pretty(&report).map_err(std::io::Error::other)?;
        let path = ledger.folder.join(logs::folder::REPORT);
        Ok(logs::folder::write_whole(&path, |out| out.write_all(&text))?)
    }
}

/// The reason why a report cannot be written.
#[derive(Debug, thiserror::Error)]
enum ReportError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
