//! A run at a server with a web API: what the clients of such APIs share. Many hands are played
//! side by side, for days, without losing one.
//!
//! What a session sends and what the answers mean is decided by a machine of `protocol`. Here are
//! the settings and the result of a run, the connection (`http`), the pace of all sessions together
//! and the limits on failures (`pace`), the ledger (`store`), and what a session keeps of its hand
//! in play (`hand`).
//!
//! Unusable answers and hands without an end are counted, over resumed runs as well, and end the
//! run when there are too many. A contradiction ends it, too.
//!
//! Every hand is in the ledger before its session's next request, and every action, with the
//! session's state, before it is sent: a killed run resumes as if an answer had been lost.

pub(crate) mod hand;
pub(crate) mod http;
pub(crate) mod pace;
pub(crate) mod store;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agents::AgentChoice;
use game::{GameDef, Payoff};
use logs::ledger::{Known, WebCounts, WebHand};
use logs::stats::{DecisionTally, Sums};
use logs::{Entrant, MatchInfo, Provenance, Rate};
use matches::runner::Stop;
use parallel::lock;
use protocol::slumbot::accounts::STACK;
use serde::Serialize;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::Error;
use http::{Address, Http, HttpError};
use pace::{FailureLimits, Pacer};
use store::Store;

pub use pace::Outage;

/// The settings of a run: the agent, the server, the pace and the folder.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// The agent that plays.
    pub agent: AgentChoice,
    /// Hands to play.
    pub hands: u64,
    /// The server to play at.
    pub server: Server,
    /// The number of hands in play at once.
    pub sessions: usize,
    /// The rate of requests and the pauses after failures.
    pub pace: Pace,
    /// Seed of the agent's random source; `None` draws one for a new run, and keeps that of a
    /// resumed one.
    pub seed: Option<u64>,
    /// The time limit for a decision; `None` for no limit.
    pub deadline: Option<Duration>,
    /// The other player, as recorded; a run against another one is another run.
    pub opponent: Entrant,
    /// The run's folder.
    pub folder: PathBuf,
    /// The run's name: one word.
    pub name: String,
    /// The program and its version, for the records.
    pub provenance: Provenance,
}

/// A server's address and how to connect to it.
#[derive(Debug, Clone)]
pub struct Server {
    /// Scheme, host and port: `https://slumbot.com`.
    pub url: String,
    /// The time limit for an answer.
    pub timeout: Duration,
    /// A PEM file of further certificates to trust.
    pub certificates: Option<PathBuf>,
}

/// The rate of requests, the pauses after failures, and the time limits of an outage.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Requests a second, of all sessions together; `None` for no limit.
    pub rate: Option<f64>,
    /// The first pause after a failure; it doubles up to `longest_pause`.
    pub first_pause: Duration,
    /// The longest pause after a failure.
    pub longest_pause: Duration,
    /// The time limit for the server's first answer.
    pub connect_timeout: Duration,
    /// The duration of an outage after which the run ends, to be resumed later.
    pub give_up: Duration,
}

/// Words about an API, for messages.
#[derive(Debug)]
pub(crate) struct Service {
    /// The API's name.
    pub(crate) name: &'static str,
    /// The address of the public server.
    pub(crate) live: &'static str,
    /// A hint after the words that an address must end after name and port.
    pub(crate) about_paths: &'static str,
    /// The option by which an account or a key is given.
    pub(crate) account_option: &'static str,
    /// The remedy when the account or the key is refused.
    pub(crate) check_account: &'static str,
    /// The remedy when something else answers.
    pub(crate) check_host: &'static str,
    /// Whether a status 403 refuses all requests, rather than one now and then.
    pub(crate) forbidden_bars: bool,
}

impl Service {
    /// The error that a server is none of this API.
    pub(crate) fn is_not(&self, url: &str, reason: &str, remedy: &str) -> Error {
        Error::here(format!("{url} is not a {} server: {reason}; {remedy}", self.name))
    }
}

/// The error that a server refuses such requests.
pub(crate) fn barred(url: &str, reason: &str, remedy: &str) -> Error {
    Error::here(format!("{url} does not let us play: {reason}; {remedy}"))
}

/// The error that a server refuses a request that should be valid.
pub(crate) fn rejected(url: &str, reason: &str) -> Error {
    Error::here(format!("{url} refuses to continue: {reason}"))
}

/// The error that a server has not answered for too long.
pub(crate) fn gone(url: &str, waited: Duration, reason: &str) -> Error {
    Error::gone(format!("{url} has not answered for {waited:.0?}: {reason}"))
}

/// The number of refusals in a row, or of sessions that end without a hand, after which a run ends.
pub(crate) const MAX_REFUSALS: u32 = 25;

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
    pub end: Result<End, Error>,
}

/// The state that all sessions share.
pub(crate) struct Shared {
    pub(crate) plan: RunSettings,
    pub(crate) def: Arc<GameDef>,
    pub(crate) http: Http,
    pub(crate) pacer: Pacer,
    pub(crate) store: Store,
    pub(crate) stop: Stop,
    /// The counts of unusable answers and of hands given up.
    pub(crate) failure_limits: FailureLimits,
    /// Hands played, settled or in play, of the run's number of hands.
    claimed: AtomicU64,
    /// Those that earlier runs left in play and no session has taken up yet.
    reserved: AtomicU64,
    unusable: Mutex<Option<(u64, String)>>,
    /// The latest failure of any session, and whether the server had answered.
    last_failure: Mutex<(String, bool)>,
    /// Whether something has answered as a server of the API does.
    verified: AtomicBool,
    /// Whether all sessions are to end.
    ended: AtomicBool,
    failures: AtomicU64,
}

impl Shared {
    /// The state of a run that begins or goes on.
    pub(crate) fn new(
        plan: RunSettings,
        def: Arc<GameDef>,
        (http, pacer): (Http, Pacer),
        (store, failure_limits): (Store, FailureLimits),
        stop: &Stop,
    ) -> Shared {
        let counts = store.counts();
        let earlier = counts.played + counts.settled;
        let reserved = store.in_hand().min(plan.hands.saturating_sub(earlier));
        Shared {
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
        }
    }

    /// Notes a session's failure.
    pub(crate) fn note_failure(&self, reason: &str, answered: bool) {
        let mut failure = lock(&self.last_failure);
        *failure = (reason.to_owned(), answered);
    }

    /// Sets the failure that an earlier run met last, unless there is one of this run.
    pub(crate) fn recall(&self, earlier: (String, bool)) {
        let mut failure = lock(&self.last_failure);
        if failure.0.is_empty() {
            *failure = earlier;
        }
    }

    /// The latest failure, and whether the server had answered.
    pub(crate) fn last_failure(&self) -> (String, bool) {
        lock(&self.last_failure).clone()
    }

    /// Claims so many of the run's hands, or none: `false` when fewer are left.
    pub(crate) fn claim(&self, hands: u64) -> bool {
        let more = |claimed| Some(claimed + hands).filter(|claimed| *claimed <= self.plan.hands);
        self.claimed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Takes up the claim of a hand in play that an earlier run left.
    pub(crate) fn claim_reserved(&self) -> bool {
        let one = |left: u64| left.checked_sub(1);
        self.reserved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one).is_ok()
    }

    /// Counts an unusable answer, and keeps its description for displays.
    pub(crate) fn note_unusable(&self, what: String) {
        let mut unusable = lock(&self.unusable);
        let count = unusable.take().map_or(0, |(count, _)| count);
        *unusable = Some((count + 1, what));
    }

    /// Notes that the server answers as one of the API does.
    pub(crate) fn mark_verified(&self) {
        self.verified.store(true, Ordering::Relaxed);
    }

    pub(crate) fn verified(&self) -> bool {
        self.verified.load(Ordering::Relaxed)
    }

    pub(crate) fn ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Makes all sessions leave, even with hands in play.
    pub(crate) fn suspend_all(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    pub(crate) fn failed(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn url(&self) -> String {
        self.http.url()
    }

    /// The number of requests without a usable answer.
    pub(crate) fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    pub(crate) fn progress(&self) -> Progress {
        let counts = self.store.counts();
        let WebCounts { played, settled, .. } = counts;
        let (rate, outage) = (self.store.rate(), self.pacer.outage(&self.http.address()));
        let unusable = lock(&self.unusable).clone();
        Progress { hands: played + settled, unknown: counts.unknown(), rate, outage, unusable }
    }
}

/// Runs a run on threads of its own.
pub(crate) fn block_on<T>(
    sessions: usize,
    run: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(parallel::processors().min(sessions).max(1))
        .enable_all()
        .build()
        .map_err(|error| Error::here(format!("no threads for the sessions: {error}")))?;
    let played = runtime.block_on(run);
    runtime.shutdown_background();
    played
}

/// Waits until the server answers `ask` as one of the API does, and reports outages; `None` when
/// the run is asked to stop before.
pub(crate) async fn reach<T>(
    (service, plan): (&Service, &RunSettings),
    pacer: &Pacer,
    address: &Address,
    hands: u64,
    stop: &Stop,
    seen: &mut dyn FnMut(&Progress),
    mut ask: impl AsyncFnMut() -> Result<T, HttpError>,
) -> Result<Option<T>, Error> {
    pacer.start();
    let mut pauses = pacer.pauses();
    let mut tell = || {
        let outage = pacer.outage(address);
        seen(&Progress { hands, unknown: 0, rate: None, outage, unusable: None });
    };
    // Before the first request.
    tell();
    while !stop.asked() {
        let flight = pacer.begin();
        let found = telling(ask(), &mut tell).await;
        drop(flight);
        let reason = match found {
            Ok(found) => {
                pacer.note_answer();
                tell();
                return Ok(Some(found));
            }
            Err(HttpError::Foreign(reason, remedy)) => {
                return Err(service.is_not(&address.url, &reason, remedy));
            }
            Err(HttpError::Barred(reason, remedy)) => {
                return Err(barred(&address.url, &reason, remedy));
            }
            Err(error) => error.reason().to_owned(),
        };
        if let Err(waited) = pacer.note_failure(&reason) {
            return Err(gone(&address.url, waited, &reason));
        }
        let pause = pauses.next().unwrap_or(plan.pace.longest_pause);
        pacer.next(pause);
        telling(sleep(pause), &mut tell).await;
    }
    Ok(None)
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

/// Plays all sessions to their end; `session` plays one.
pub(crate) async fn sessions<F>(
    shared: &Arc<Shared>,
    session: impl Fn() -> F,
    seen: &mut dyn FnMut(&Progress),
) -> Result<End, Error>
where
    F: Future<Output = Result<(), Error>> + Send + 'static,
{
    let mut running = JoinSet::new();
    if !shared.stop.asked() {
        for _ in 0..shared.plan.sessions {
            running.spawn(session());
        }
    }
    let mut first = None;
    loop {
        tokio::select! {
            ended = running.join_next() => {
                let Some(ended) = ended else { break };
                let ended = ended.unwrap_or_else(|panic| Err(Error::here(panic.to_string())));
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

/// The big blind in chips.
const BIG_BLIND: u32 = 100;

/// The summary of a run. Amounts are in chips, rates in mbb/hand.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The agent as it was named.
    pub agent: String,
    /// The server's address.
    pub server: String,
    /// Hands planned.
    pub hands_planned: u64,
    /// Hands finished.
    pub played: u64,
    /// Hands whose end was not seen, settled by the sums of their session.
    pub settled: u64,
    /// Hands that were dealt but are in no rate: the sum of the next two.
    pub unknown: u64,
    /// Hands whose cards were seen and whose result is not known.
    pub unknown_seen: u64,
    /// Hands that were dealt but never seen: the answer was lost, whatever the cards, and this side
    /// decided nothing in them.
    pub unseen: u64,
    /// Those of `unseen` that the server has counted all the same.
    pub unseen_settled: u64,
    /// Hands settled after the run had all its hands: in no rate.
    pub beyond: u64,
    /// Chips won in the hands of the rate.
    pub chips: i64,
    /// Chips won in all hands that the server has counted, by its sums: unseen ones and those
    /// beyond the run included.
    pub server_chips: i64,
    /// The win rate over all hands with a known result.
    pub rate: Option<Rate>,
    /// The results in the big blind and on the button; without hands settled together.
    pub seats: [PerSeat; 2],
    /// The most, in mbb/hand, by which the unknown hands can move the rate either way: the result
    /// of each is at most 200 big blinds.
    pub unknown_bound: f64,
    /// The part of `unknown_bound` due to hands whose cards were seen.
    pub unknown_seen_bound: f64,
    /// The part due to hands never seen. If answers are lost independently of the cards, these are
    /// missing at random and do not bias the rate.
    pub unseen_bound: f64,
    /// Hands in which a request was carried out twice, so that an action was not the agent's.
    pub disturbed: u64,
    /// Decisions made without the agent, because the answer that showed the board was lost.
    pub blind: u64,
    /// The number of sessions begun.
    pub sessions: usize,
    /// Sessions that the server ended, or whose sums did not agree.
    pub sessions_closed: usize,
    /// Requests for the hands above.
    pub requests: u64,
    /// Requests of this run that brought no usable answer.
    pub failures: u64,
    /// Mean time from request to answer, in milliseconds.
    pub answer_ms: Option<f64>,
    /// The duration of this run in seconds.
    pub seconds: f64,
    /// The end of this run; `null` when an error ended it.
    pub end: Option<End>,
    /// Counts and times of the agent's decisions.
    #[serde(skip)]
    pub decisions: DecisionTally,
}

/// The results in one seat.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct PerSeat {
    /// Hands with a known result.
    pub hands: u64,
    /// Chips won.
    pub chips: i64,
    /// The win rate.
    pub rate: Option<Rate>,
}

impl Summary {
    pub(crate) fn new(
        shared: &Shared,
        took: Duration,
        end: &Result<End, Error>,
    ) -> Result<Summary, Error> {
        let reader = shared.store.reader()?;
        let mut all = Sums::default();
        let mut seats = [Sums::default(); 2];
        let (mut requests, mut waited) = (0, Duration::ZERO);
        let mut add = |hand: &WebHand| {
            let Some(winnings) = hand.winnings.map(Payoff::from_chips) else { return };
            all.add(winnings, hand.together);
            // The results by seat of hands settled together are not known.
            if hand.together == 1 {
                seats[usize::from(hand.seat & 1)].add(winnings, 1);
            }
        };
        for hand in reader.web_hands()? {
            requests += u64::from(hand.requests);
            waited += hand.waited;
            if hand.known == Known::Played {
                add(&hand);
            }
        }
        reader.web_settled()?.iter().for_each(&mut add);
        let rate = |sums: &Sums| Rate::from_sums(sums, BIG_BLIND).ok();
        let chips = |sums: &Sums| sums.won().parts() / Payoff::PER_CHIP;
        let seat =
            |sums: &Sums| PerSeat { hands: sums.hands, chips: chips(sums), rate: rate(sums) };
        let counts = reader.web_counts()?;
        let WebCounts { played, settled, unknown_seen, unseen, .. } = counts;
        let rate_of_all = rate(&all);
        let bound = |hands: u64| {
            // From the rate of the others to the most extreme result of a hand.
            let most = 1000.0 * STACK as f64 / f64::from(BIG_BLIND)
                + rate_of_all.map_or(0.0, |rate| rate.mbb.abs());
            most * hands as f64 / (played + settled + counts.unknown()).max(1) as f64
        };
        let sessions = reader.web_sessions()?;
        Ok(Summary {
            agent: shared.plan.agent.name().to_owned(),
            server: shared.url(),
            hands_planned: shared.plan.hands,
            played,
            settled,
            unknown: counts.unknown(),
            unknown_seen,
            unseen,
            unseen_settled: counts.unseen_settled,
            beyond: counts.beyond,
            chips: chips(&all),
            server_chips: counts.chips,
            rate: rate_of_all,
            seats: [seat(&seats[0]), seat(&seats[1])],
            unknown_bound: bound(counts.unknown()),
            unknown_seen_bound: bound(unknown_seen),
            unseen_bound: bound(unseen),
            disturbed: counts.disturbed,
            blind: counts.blind,
            sessions: sessions.len(),
            sessions_closed: sessions.iter().filter(|session| session.closed.is_some()).count(),
            requests,
            failures: shared.failures(),
            answer_ms: (requests > 0).then(|| waited.as_secs_f64() * 1e3 / requests as f64),
            seconds: took.as_secs_f64(),
            end: end.as_ref().ok().copied(),
            decisions: shared.store.decisions(),
        })
    }
}
