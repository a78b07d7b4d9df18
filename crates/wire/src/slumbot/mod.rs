//! Playing at a Slumbot server: many sessions side by side, for days, without losing a hand.
//!
//! `protocol::slumbot::Client` decides what a session sends and what the answers mean; it never
//! repeats an action blindly. Here are the run with its settings and its result; the connection
//! (`http`), the pace of all sessions together and the limits on failures (`pace`), the ledger
//! (`store`) and one session (`session`).
//!
//! Unusable answers and hands without an end are counted, over resumed runs as well, and end the
//! run when there are too many. A contradiction ends it, too.
//!
//! Every hand is in the ledger before its session's next request, and every action, with the
//! session's token, before it is sent: a killed run resumes as if an answer had been lost.

mod http;
mod pace;
mod session;
mod store;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agents::AgentChoice;
use game::{GameDef, Payoff};
use logs::ledger::{Known, SlumbotCounts, SlumbotHand};
use logs::stats::{DecisionTally, Sums};
use logs::{MatchInfo, Provenance, Rate};
use matches::bot::Bot;
use matches::runner::Stop;
use protocol::slumbot::accounts::STACK;
use protocol::slumbot::client::Login;
use serde::Serialize;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::{Error, lock};
use http::{Http, HttpError};
use pace::{FailureLimits, Pacer};
use session::Session;
use store::Store;

pub use pace::Outage;

/// The address of the public server.
pub const LIVE: &str = "https://slumbot.com";
/// The other player's name in the records.
pub const OPPONENT: &str = "slumbot";

/// The settings of a run: the agent, the server, the pace and the folder.
#[derive(Debug, Clone)]
pub struct SlumbotRunSettings {
    /// The agent that plays.
    pub agent: AgentChoice,
    /// Hands to play.
    pub hands: u64,
    /// The server to play at.
    pub server: Server,
    /// The number of concurrent sessions.
    pub sessions: usize,
    /// The rate of requests and the pauses after failures.
    pub pace: Pace,
    /// Seed of the agent's random source; `None` draws one for a new run, and keeps that of a
    /// resumed one.
    pub seed: Option<u64>,
    /// The time limit for a decision; `None` for no limit.
    pub deadline: Option<Duration>,
    /// The account that the hands are counted for, if any.
    pub login: Option<Login>,
    /// The agent to play against, which only servers of this project let clients choose.
    pub opponent: Option<String>,
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
    /// The prefix of the API's paths; `None` to find it out.
    pub prefix: Option<String>,
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

/// The error that a server is not a Slumbot server.
fn not_slumbot(url: &str, reason: &str, remedy: &str) -> Error {
    Error::here(format!("{url} is not a Slumbot server: {reason}; {remedy}"))
}

/// The error that a server refuses such requests.
fn barred(url: &str, reason: &str, remedy: &str) -> Error {
    Error::here(format!("{url} does not let us play: {reason}; {remedy}"))
}

/// The error that a server refuses a request that should be valid.
fn rejected(url: &str, reason: &str) -> Error {
    Error::here(format!("{url} refuses to continue: {reason}"))
}

/// The error that a server has not answered for too long.
fn gone(url: &str, waited: Duration, reason: &str) -> Error {
    Error::gone(format!("{url} has not answered for {waited:.0?}: {reason}"))
}

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
struct Shared {
    plan: SlumbotRunSettings,
    def: Arc<GameDef>,
    http: Http,
    pacer: Pacer,
    store: Store,
    stop: Stop,
    /// The counts of unusable answers and of hands given up.
    failure_limits: FailureLimits,
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
    fn note_failure(&self, reason: &str, answered: bool) {
        let mut failure = lock(&self.last_failure);
        *failure = (reason.to_owned(), answered);
    }

    /// Sets the failure that an earlier run met last, unless there is one of this run.
    fn recall(&self, earlier: (String, bool)) {
        let mut failure = lock(&self.last_failure);
        if failure.0.is_empty() {
            *failure = earlier;
        }
    }

    /// The latest failure, and whether the server had answered.
    fn last_failure(&self) -> (String, bool) {
        lock(&self.last_failure).clone()
    }

    /// Claims so many of the run's hands, or none: `false` when fewer are left.
    fn claim(&self, hands: u64) -> bool {
        let more = |claimed| Some(claimed + hands).filter(|claimed| *claimed <= self.plan.hands);
        self.claimed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Takes up the claim of a hand in play that an earlier run left.
    fn claim_reserved(&self) -> bool {
        let one = |left: u64| left.checked_sub(1);
        self.reserved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one).is_ok()
    }

    /// Counts an unusable answer, and keeps its description for displays.
    fn note_unusable(&self, what: String) {
        let mut unusable = lock(&self.unusable);
        let count = unusable.take().map_or(0, |(count, _)| count);
        *unusable = Some((count + 1, what));
    }

    /// Notes that the server answers as a Slumbot server does.
    fn mark_verified(&self) {
        self.verified.store(true, Ordering::Relaxed);
    }

    fn verified(&self) -> bool {
        self.verified.load(Ordering::Relaxed)
    }

    fn ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Makes all sessions leave, even with hands in play.
    fn suspend_all(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    fn failed(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    fn url(&self) -> String {
        self.http.url()
    }

    /// The number of requests without a usable answer.
    fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    fn progress(&self) -> Progress {
        let counts = self.store.counts();
        let SlumbotCounts { played, settled, .. } = counts;
        let (rate, outage) = (self.store.rate(), self.pacer.outage(&self.http.address()));
        let unusable = lock(&self.unusable).clone();
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
) -> Result<Played, Error> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers.min(plan.sessions).max(1))
        .enable_all()
        .build()
        .map_err(|error| Error::here(format!("no threads for the sessions: {error}")))?;
    let played = runtime.block_on(play(plan, fresh_seed, stop, seen));
    runtime.shutdown_background();
    played
}

async fn play(
    plan: SlumbotRunSettings,
    fresh_seed: u64,
    stop: &Stop,
    seen: &mut dyn FnMut(&Progress),
) -> Result<Played, Error> {
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
) -> Result<(), Error> {
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
                return Err(not_slumbot(&http.url(), &reason, remedy));
            }
            Err(HttpError::Barred(reason, remedy)) => {
                return Err(barred(&http.url(), &reason, remedy));
            }
            Err(error) => error.reason().to_owned(),
        };
        if let Err(waited) = pacer.note_failure(&reason) {
            return Err(gone(&http.url(), waited, &reason));
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
async fn sessions(shared: &Arc<Shared>, seen: &mut dyn FnMut(&Progress)) -> Result<End, Error> {
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
    fn new(shared: &Shared, took: Duration, end: &Result<End, Error>) -> Result<Summary, Error> {
        let reader = shared.store.reader()?;
        let mut all = Sums::default();
        let mut seats = [Sums::default(); 2];
        let (mut requests, mut waited) = (0, Duration::ZERO);
        let mut add = |hand: &SlumbotHand| {
            let Some(winnings) = hand.winnings.map(Payoff::from_chips) else { return };
            all.add(winnings, hand.together);
            // The results by seat of hands settled together are not known.
            if hand.together == 1 {
                seats[usize::from(hand.seat & 1)].add(winnings, 1);
            }
        };
        for hand in reader.slumbot_hands()? {
            requests += u64::from(hand.requests);
            waited += hand.waited;
            if hand.known == Known::Played {
                add(&hand);
            }
        }
        reader.slumbot_settled()?.iter().for_each(&mut add);
        let rate = |sums: &Sums| Rate::of(sums, BIG_BLIND).ok();
        let chips = |sums: &Sums| sums.won().parts() / Payoff::PER_CHIP;
        let seat =
            |sums: &Sums| PerSeat { hands: sums.hands, chips: chips(sums), rate: rate(sums) };
        let counts = reader.slumbot_counts()?;
        let SlumbotCounts { played, settled, unknown_seen, unseen, .. } = counts;
        let rate_of_all = rate(&all);
        let bound = |hands: u64| {
            // From the rate of the others to the most extreme result of a hand.
            let most = 1000.0 * STACK as f64 / f64::from(BIG_BLIND)
                + rate_of_all.map_or(0.0, |rate| rate.mbb.abs());
            most * hands as f64 / (played + settled + counts.unknown()).max(1) as f64
        };
        let sessions = reader.slumbot_sessions()?;
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
