//! The state of the web server, shared by all requests.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use wire::connect::ConnectionView;
use wire::host::TableView;

use super::records::Records;
use super::slumbot::Api;
use super::view::{AgentLine, Overview};
use super::{VERSION, pages};

/// The polling interval of the live sections.
const TICK: Duration = Duration::from_secs(1);

/// The shared state; cheap to clone.
#[derive(Clone)]
pub struct Site(Arc<Inner>);

struct Inner {
    started: Timestamp,
    clock: Instant,
    tables: Vec<TableView>,
    dealers: Vec<ConnectionView>,
    agents: Vec<AgentLine>,
    slumbot: Option<Api>,
    queue: Option<super::runs::QueueView>,
    data: PathBuf,
    records: Records,
    metrics: PrometheusHandle,
    draining: AtomicBool,
    live_sections: watch::Sender<Arc<LiveSections>>,
    stop: CancellationToken,
}

/// The live sections of the first page, rendered.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct LiveSections {
    /// Tables and outside dealers.
    pub tables: String,
    /// Matches that other processes play.
    pub playing: String,
    /// Finished matches.
    pub matches: String,
}

impl Site {
    /// A site with these tables and connections. `stop` ends the live streams.
    pub fn new(
        tables: Vec<TableView>,
        dealers: Vec<ConnectionView>,
        agents: Vec<AgentLine>,
        slumbot: Option<Api>,
        data: PathBuf,
        metrics: PrometheusHandle,
        stop: CancellationToken,
    ) -> Site {
        let records = Records::new(&data);
        Site(Arc::new(Inner {
            started: Timestamp::now(),
            clock: Instant::now(),
            tables,
            dealers,
            agents,
            slumbot,
            queue: None,
            data,
            records,
            metrics,
            draining: AtomicBool::new(false),
            live_sections: watch::Sender::new(Arc::new(LiveSections::default())),
            stop,
        }))
    }

    /// Adds a queue to show; call before the site is cloned.
    pub fn with_queue(mut self, queue: Option<super::runs::QueueView>) -> Site {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.queue = queue;
        }
        self
    }

    /// Marks that the server takes no new matches.
    pub fn drain(&self) {
        self.0.draining.store(true, Ordering::Relaxed);
    }

    /// Whether the server takes no new matches.
    pub fn draining(&self) -> bool {
        self.0.draining.load(Ordering::Relaxed)
    }

    /// The time since the start.
    pub fn uptime(&self) -> Duration {
        self.0.clock.elapsed()
    }

    /// The hosted tables.
    pub fn tables(&self) -> &[TableView] {
        &self.0.tables
    }

    /// The connections to outside dealers.
    pub fn dealers(&self) -> &[ConnectionView] {
        &self.0.dealers
    }

    /// All agents.
    pub fn agents(&self) -> &[AgentLine] {
        &self.0.agents
    }

    /// The Slumbot API, if enabled.
    pub fn slumbot(&self) -> Option<&Api> {
        self.0.slumbot.as_ref()
    }

    /// The queue to show, if there is one.
    pub fn queue(&self) -> Option<&super::runs::QueueView> {
        self.0.queue.as_ref()
    }

    /// Whether there is a page of a queue's runs.
    pub fn has_runs(&self) -> bool {
        self.0.queue.is_some()
    }

    /// The data folder.
    pub fn data(&self) -> &PathBuf {
        &self.0.data
    }

    /// The matches on disk.
    pub fn records(&self) -> &Records {
        &self.0.records
    }

    /// The metrics' recorder.
    pub fn metrics(&self) -> &PrometheusHandle {
        &self.0.metrics
    }

    /// The token that ends the live streams.
    pub fn stop(&self) -> &CancellationToken {
        &self.0.stop
    }

    /// The live sections, updated whenever they change.
    pub fn live_sections(&self) -> watch::Receiver<Arc<LiveSections>> {
        self.0.live_sections.subscribe()
    }

    /// The values of the first page. Reads files: not for the runtime's own threads.
    pub fn overview(&self) -> Overview {
        Overview {
            version: VERSION,
            started: self.0.started,
            uptime_seconds: self.uptime().as_secs(),
            draining: self.draining(),
            tables: self.tables().iter().map(TableView::status).collect(),
            dealers: self.dealers().iter().map(ConnectionView::status).collect(),
            slumbot: self.slumbot().map(Api::status),
            faults: self.slumbot().and_then(Api::faults),
            played_elsewhere: self.0.records.played_elsewhere(),
            matches: self.0.records.latest(50),
            agents: self.agents().to_vec(),
        }
    }

    /// Renders the live sections periodically while a client watches.
    pub(super) async fn keep_live(self) {
        let mut ticks = tokio::time::interval(TICK);
        loop {
            ticks.tick().await;
            // Histograms keep every value until upkeep is run.
            self.0.metrics.run_upkeep();
            if self.0.live_sections.receiver_count() == 0 {
                continue;
            }
            let site = self.clone();
            let rendered =
                tokio::task::spawn_blocking(move || pages::live_sections(&site.overview()));
            if let Ok(sections) = rendered.await {
                self.0.live_sections.send_if_modified(|shown| {
                    let new = **shown != sections;
                    if new {
                        *shown = Arc::new(sections);
                    }
                    new
                });
            }
        }
    }
}
