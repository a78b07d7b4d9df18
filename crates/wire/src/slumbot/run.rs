//! A run: concurrent sessions until all hands are played.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use game::GameDef;
use logs::ledger::SlumbotCounts;
use logs::{MatchInfo, Rate};
use matches::bot::Bot;
use matches::stop::Stop;
use serde::Serialize;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::failure_limits::FailureLimits;
use super::http::{Http, HttpError};
use super::pace::{Outage, Pacer};
use super::session::Session;
use super::store::Store;
use super::summary::Summary;
use super::{RunError, SlumbotRunSettings};

/// The interval between reports of the progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// The end of a run without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// All hands are played.
    Complete,
    /// The run was asked to stop.
    Stopped,
}

/// The progress of a run.
#[derive(Debug)]
pub struct Progress {
    /// Hands with a known result, those of earlier runs included.
    pub hands: u64,
    /// Hands dealt without a known result, seen or not.
    pub unknown: u64,
    /// The agent's win rate over finished hands; `None` with too few.
    pub rate: Option<Rate>,
    /// The present outage, if the server is waited for.
    pub outage: Option<Outage>,
    /// The number of unusable or repeated answers in this run, and what was wrong with the last.
    pub unusable: Option<(u64, String)>,
}

/// The result of a run, complete or not.
#[derive(Debug)]
pub struct Played {
    /// The description of the run, as recorded.
    pub info: MatchInfo,
    /// The summary, over this run and those it resumed.
    pub summary: Summary,
    /// Hands with a known result from before this run.
    pub earlier: u64,
    /// The end of this run.
    pub end: Result<End, RunError>,
}

/// The state that all sessions share.
pub(super) struct Shared {
    pub(super) plan: SlumbotRunSettings,
    pub(super) def: Arc<GameDef>,
    pub(super) http: Http,
    pub(super) pacer: Pacer,
    pub(super) store: Store,
    pub(super) stop: Stop,
    /// The counts of unusable answers and of hands given up.
    pub(super) failure_limits: FailureLimits,
    /// Hands played, settled or in play, of the run's number of hands.
    claimed: AtomicU64,
    /// Those that earlier runs left in play and no session has taken up yet.
    reserved: AtomicU64,
    unusable: Mutex<Option<(u64, String)>>,
    /// The latest failure of any session, and whether the server had answered.
    last_failure: Mutex<(String, bool)>,
    /// Whether something has answered as a Slumbot server does.
    verified: AtomicBool,
    /// Whether all sessions are to end.
    ended: AtomicBool,
    failures: AtomicU64,
}

impl Shared {
    /// Notes a session's failure.
    pub(super) fn note_failure(&self, reason: &str, answered: bool) {
        let mut failure = self.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
        *failure = (reason.to_owned(), answered);
    }

    /// Sets the failure that an earlier run met last, unless there is one of this run.
    pub(super) fn recall(&self, earlier: (String, bool)) {
        let mut failure = self.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
        if failure.0.is_empty() {
            *failure = earlier;
        }
    }

    /// The latest failure, and whether the server had answered.
    pub(super) fn last_failure(&self) -> (String, bool) {
        self.last_failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Claims so many of the run's hands, or none: `false` when fewer are left.
    pub(super) fn claim(&self, hands: u64) -> bool {
        let more = |claimed| Some(claimed + hands).filter(|claimed| *claimed <= self.plan.hands);
        self.claimed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Takes up the claim of a hand in play that an earlier run left.
    pub(super) fn claim_reserved(&self) -> bool {
        let one = |left: u64| left.checked_sub(1);
        self.reserved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one).is_ok()
    }

    /// Counts an unusable answer, and keeps its description for displays.
    pub(super) fn note_unusable(&self, what: String) {
        let mut unusable = self.unusable.lock().unwrap_or_else(PoisonError::into_inner);
        let count = unusable.take().map_or(0, |(count, _)| count);
        *unusable = Some((count + 1, what));
    }

    /// Notes that the server answers as a Slumbot server does.
    pub(super) fn mark_verified(&self) {
        self.verified.store(true, Ordering::Relaxed);
    }

    pub(super) fn verified(&self) -> bool {
        self.verified.load(Ordering::Relaxed)
    }

    pub(super) fn ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Makes all sessions leave, even with hands in play.
    pub(super) fn suspend_all(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    pub(super) fn failed(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn url(&self) -> String {
        self.http.url()
    }

    /// The number of requests without a usable answer.
    pub(super) fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    fn progress(&self) -> Progress {
        let counts = self.store.counts();
        let SlumbotCounts { played, settled, .. } = counts;
        let (rate, outage) = (self.store.rate(), self.pacer.outage(&self.http.address()));
        let unusable = self.unusable.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Progress { hands: played + settled, unknown: counts.unknown(), rate, outage, unusable }
    }
}

/// Plays a run, or resumes the one in its folder. `seen` is called with the progress several times
/// a second, for the first time before the first request. `fresh_seed` is the seed of a new run if
/// the plan has none.
///
/// Asked to stop, it finishes the hands in play; during an outage it leaves at once. In any case
/// everything played is in the folder.
///
/// # Errors
/// When the run cannot begin; an error that ends it later is in [`Played::end`].
pub fn play_blocking(
    plan: SlumbotRunSettings,
    fresh_seed: u64,
    stop: &Stop,
    seen: &mut dyn FnMut(&Progress),
) -> Result<Played, RunError> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers.min(plan.sessions).max(1))
        .enable_all()
        .build()
        .map_err(|error| RunError::System(format!("no threads for the sessions: {error}")))?;
    let played = runtime.block_on(play(plan, fresh_seed, stop, seen));
    runtime.shutdown_background();
    played
}

async fn play(
    plan: SlumbotRunSettings,
    fresh_seed: u64,
    stop: &Stop,
    seen: &mut dyn FnMut(&Progress),
) -> Result<Played, RunError> {
    let def = Arc::new(game::games::nolimit_holdem());
    // The address and the agent are checked before anything is written.
    let mut http = Http::new(&plan.server)?;
    drop(Bot::new(&plan.agent, &def)?);
    let pacer = Pacer::new(plan.pace);
    // A run that cannot begin leaves nothing behind.
    let begun = plan.folder.join(logs::ledger::FILE_NAME).exists();
    if !begun {
        find(&mut http, &plan, 0, &pacer, stop, seen).await?;
    }
    let (store, failure_limits) = Store::open(&plan, &def, fresh_seed & (u64::MAX >> 1))?;
    let counts = store.counts();
    let earlier = counts.played + counts.settled;
    if begun && earlier < plan.hands {
        find(&mut http, &plan, earlier, &pacer, stop, seen).await?;
    }
    let reserved = store.in_hand().min(plan.hands.saturating_sub(earlier));
    let shared = Arc::new(Shared {
        def,
        http,
        pacer,
        store,
        stop: stop.clone(),
        failure_limits,
        claimed: AtomicU64::new(earlier + reserved),
        reserved: AtomicU64::new(reserved),
        unusable: Mutex::default(),
        last_failure: Mutex::default(),
        verified: AtomicBool::new(false),
        ended: AtomicBool::new(false),
        failures: AtomicU64::new(0),
        plan,
    });
    let since = Instant::now();
    let end = sessions(&shared, seen).await;
    let summary = Summary::new(&shared, since.elapsed(), &end)?;
    let info = shared.store.info().clone();
    if let Ok(shared) = Arc::try_unwrap(shared) {
        shared.store.close();
    }
    Ok(Played { info, summary, earlier, end })
}

/// Finds the API, waiting for the server if necessary, and reports outages.
async fn find(
    http: &mut Http,
    plan: &SlumbotRunSettings,
    hands: u64,
    pacer: &Pacer,
    stop: &Stop,
    seen: &mut dyn FnMut(&Progress),
) -> Result<(), RunError> {
    pacer.start();
    let mut pauses = pacer.pauses();
    let address = http.address();
    let mut tell = || {
        let outage = pacer.outage(&address);
        seen(&Progress { hands, unknown: 0, rate: None, outage, unusable: None });
    };
    // Before the first request.
    tell();
    while !stop.asked() {
        let flight = pacer.begin();
        let found = telling(http.find(plan.server.prefix.is_some()), &mut tell).await;
        drop(flight);
        let reason = match found {
            Ok(()) => {
                pacer.note_answer();
                tell();
                return Ok(());
            }
            Err(HttpError::NotSlumbot(reason, remedy)) => {
                return Err(RunError::NotSlumbot { url: http.url(), reason, remedy });
            }
            Err(HttpError::Barred(reason, remedy)) => {
                return Err(RunError::Barred { url: http.url(), reason, remedy });
            }
            Err(error) => error.reason().to_owned(),
        };
        if let Err(waited) = pacer.note_failure(&reason) {
            return Err(RunError::Gone { url: http.url(), waited, reason });
        }
        let pause = pauses.next().unwrap_or(plan.pace.longest_pause);
        pacer.next(pause);
        telling(sleep(pause), &mut tell).await;
    }
    Ok(())
}

/// Waits for a future, and calls `tell` several times a second meanwhile.
async fn telling<T>(waited: impl Future<Output = T>, tell: &mut dyn FnMut()) -> T {
    let mut waited = std::pin::pin!(waited);
    loop {
        tokio::select! {
            done = &mut waited => return done,
            () = sleep(PROGRESS_INTERVAL) => tell(),
        }
    }
}

/// Plays all sessions to their end.
async fn sessions(shared: &Arc<Shared>, seen: &mut dyn FnMut(&Progress)) -> Result<End, RunError> {
    let mut running = JoinSet::new();
    if !shared.stop.asked() {
        for _ in 0..shared.plan.sessions {
            let shared = Arc::clone(shared);
            running.spawn(async move {
                let mut session = Session::new(shared).await?;
                let end = session.run().await;
                session.leave().await;
                end
            });
        }
    }
    let mut first = None;
    loop {
        tokio::select! {
            ended = running.join_next() => {
                let Some(ended) = ended else { break };
                let ended = ended.unwrap_or_else(|panic| Err(RunError::System(panic.to_string())));
                if let Err(error) = ended {
                    shared.suspend_all();
                    first.get_or_insert(error);
                }
            }
            () = sleep(PROGRESS_INTERVAL) => seen(&shared.progress()),
        }
    }
    let progress = shared.progress();
    seen(&progress);
    match first {
        Some(error) => Err(error),
        None if progress.hands >= shared.plan.hands => Ok(End::Complete),
        None => Ok(End::Stopped),
    }
}
