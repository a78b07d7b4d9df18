//! The rate of requests of all sessions together, their common pauses, and the limits on failures.
//!
//! All sessions share one rate limiter and one circuit breaker: after several consecutive failures
//! in any sessions, all sessions pause. Then a single request is sent, and the others resume when
//! it is answered. The pauses grow, with jitter, up to a maximum.
//!
//! If the server has changed its format, an unattended run must stop sending requests. So three
//! things are counted, each over the whole run: unusable answers since a hand was last finished,
//! all unusable answers, and hands given up since one was finished. An answer is unusable when a
//! server of the API would not send it. The counts are saved with the sessions, so that a resumed
//! run continues them. A connection that loses, cuts or repeats answers now and then stays far
//! below the limits.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use parallel::lock;
use tokio::time::sleep;

use super::Pace;
use super::http::Address;

/// Failures in a row that make an outage.
const OUTAGE_FAILURES: u32 = 6;
/// The interval at which a waiting task checks whether it should end.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Waits longer than this are shown.
const LONG_WAIT: Duration = Duration::from_secs(2);

/// A time without answers from the server, for displays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outage {
    /// The server's address.
    pub url: String,
    /// The time since the last answer, or since the start.
    pub lasted: Duration,
    /// The latest failure; empty when there is only no answer yet.
    pub reason: String,
    /// Whether all sessions pause together.
    pub paused: bool,
    /// The number of the attempt in progress or next.
    pub attempt: u32,
    /// The time until the next attempt; `None` while one is in progress.
    pub next: Option<Duration>,
    /// The time limit of an answer.
    pub timeout: Duration,
    /// The time without an answer after which the run ends.
    pub give_up_after: Duration,
    /// Whether the server has answered in this run.
    pub answered: bool,
}

/// The rate limiter and circuit breaker of all sessions.
pub(crate) struct Pacer {
    pace: Pace,
    budget: Option<DefaultDirectRateLimiter>,
    state: Mutex<State>,
}

struct State {
    failures: u32,
    /// The time of the server's last answer, or of the start.
    last_answer: Instant,
    ever_answered: bool,
    /// The end of the common pause.
    pause: Option<Instant>,
    /// Whether one session's request is out to try whether the server answers again.
    trying: bool,
    pauses: ExponentialBackoff,
    reason: String,
    /// The requests in flight: a number and when each was sent, oldest first.
    in_flight: VecDeque<(u64, Instant)>,
    sent: u64,
    /// The time of the next attempt, if known.
    next: Option<Instant>,
}

/// A request in flight, for as long as the value lives.
pub(crate) struct RequestInFlight<'a> {
    pacer: &'a Pacer,
    number: u64,
}

impl Drop for RequestInFlight<'_> {
    fn drop(&mut self) {
        self.pacer.state().in_flight.retain(|(number, _)| *number != self.number);
    }
}

impl Pacer {
    pub(crate) fn new(pace: Pace) -> Pacer {
        let budget = pace.rate.filter(|rate| *rate > 0.0).and_then(|rate| {
            // Sessions that wake together may send together; the rate holds in the long run.
            let burst = NonZeroU32::new(rate.ceil().clamp(1.0, 1e6) as u32)?;
            let quota = Quota::with_period(Duration::from_secs_f64(1.0 / rate))?;
            Some(RateLimiter::direct(quota.allow_burst(burst)))
        });
        let state = State {
            failures: 0,
            last_answer: Instant::now(),
            ever_answered: false,
            pause: None,
            trying: false,
            pauses: pauses(&pace),
            reason: String::new(),
            in_flight: VecDeque::new(),
            sent: 0,
            next: None,
        };
        Pacer { pace, budget, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// The pauses of one session, growing with each of its failures.
    pub(crate) fn pauses(&self) -> ExponentialBackoff {
        pauses(&self.pace)
    }

    /// Waits until a request may be sent; `false` when `leave` returns true during a pause.
    pub(crate) async fn permit(&self, leave: impl Fn() -> bool) -> bool {
        loop {
            let wait = {
                let mut state = self.state();
                match state.pause {
                    None => break,
                    Some(until) => match until.checked_duration_since(Instant::now()) {
                        None if !state.trying => {
                            state.trying = true;
                            break;
                        }
                        left => left.unwrap_or(POLL_INTERVAL),
                    },
                }
            };
            if leave() {
                return false;
            }
            sleep(wait.min(POLL_INTERVAL)).await;
        }
        if let Some(budget) = &self.budget {
            budget.until_ready().await;
        }
        true
    }

    /// Starts the time without an answer now.
    pub(crate) fn start(&self) {
        self.state().last_answer = Instant::now();
    }

    /// Registers a request that is sent now.
    pub(crate) fn begin(&self) -> RequestInFlight<'_> {
        let mut state = self.state();
        state.sent += 1;
        let number = state.sent;
        state.in_flight.push_back((number, Instant::now()));
        state.next = None;
        RequestInFlight { pacer: self, number }
    }

    /// Announces that the next request comes after this pause.
    pub(crate) fn next(&self, pause: Duration) {
        self.state().next = Some(Instant::now() + pause);
    }

    /// Notes an answer of the server, which ends an outage.
    pub(crate) fn note_answer(&self) {
        let mut state = self.state();
        (state.failures, state.last_answer, state.ever_answered) = (0, Instant::now(), true);
        state.reason.clear();
        if state.pause.take().is_some() {
            state.trying = false;
            state.pauses = pauses(&self.pace);
            tracing::info!("the server answers again");
        }
    }

    /// Notes a failed request. The error is the time without an answer, once that is too long.
    pub(crate) fn note_failure(&self, reason: &str) -> Result<(), Duration> {
        let mut state = self.state();
        state.failures += 1;
        state.reason = reason.to_owned();
        let lasted = state.last_answer.elapsed();
        let most = if state.ever_answered { self.pace.give_up } else { self.pace.connect_timeout };
        if state.failures > 1 && lasted >= most {
            return Err(lasted);
        }
        if state.trying || state.failures == OUTAGE_FAILURES {
            let pause = state.pauses.next().unwrap_or(self.pace.longest_pause);
            if !state.trying {
                tracing::warn!(reason, "the server does not answer; all sessions pause");
            }
            state.trying = false;
            state.pause = Some(Instant::now() + pause);
            state.next = state.pause;
        }
        Ok(())
    }

    /// The present outage, if any: a common pause, or a long wait.
    pub(crate) fn outage(&self, at: &Address) -> Option<Outage> {
        let state = self.state();
        let (lasted, paused) = (state.last_answer.elapsed(), state.pause.is_some());
        let silent = state.in_flight.front().is_some_and(|(_, sent)| sent.elapsed() >= LONG_WAIT);
        let starting = !state.ever_answered && state.failures > 0;
        if !(paused && state.ever_answered || lasted >= LONG_WAIT && (silent || starting)) {
            return None;
        }
        let next = state.next.filter(|_| state.in_flight.is_empty());
        Some(Outage {
            url: at.url.clone(),
            lasted,
            reason: state.reason.clone(),
            paused,
            attempt: state.failures + 1,
            next: next.map(|next| next.saturating_duration_since(Instant::now())),
            timeout: at.timeout,
            give_up_after: if state.ever_answered {
                self.pace.give_up
            } else {
                self.pace.connect_timeout
            },
            answered: state.ever_answered,
        })
    }
}

fn pauses(pace: &Pace) -> ExponentialBackoff {
    ExponentialBuilder::new()
        .with_jitter()
        .with_min_delay(pace.first_pause)
        .with_max_delay(pace.longest_pause)
        .with_factor(2.0)
        .without_max_times()
        .build()
}

/// The number of unusable answers, without a finished hand between them, that ends the run.
pub(crate) const MAX_CONSECUTIVE_UNUSABLE: u64 = 3;
/// Up to this many unusable answers in all are tolerated, whatever the number of hands.
const MIN_UNUSABLE_LIMIT: u64 = 10;
/// Beyond that, one for this many hands is tolerated.
const HANDS_PER_UNUSABLE: u64 = 100;

/// The counts of failures, and their limits.
#[derive(Debug)]
pub(crate) struct FailureLimits {
    /// Unusable answers since a hand was finished.
    row: AtomicU64,
    /// All unusable answers.
    unusable: AtomicU64,
    /// Hands given up since one was finished.
    given_up: AtomicU64,
    /// The number of hands given up in a row that ends the run.
    most_given_up: u64,
}

impl FailureLimits {
    /// Continues the counts of earlier runs.
    pub(crate) fn new(row: u64, unusable: u64, given_up: u64, sessions: usize) -> FailureLimits {
        let count = AtomicU64::new;
        // A restart of the server may cost every session its hand.
        let most_given_up = 8 + 2 * sessions as u64;
        FailureLimits {
            row: count(row),
            unusable: count(unusable),
            given_up: count(given_up),
            most_given_up,
        }
    }

    /// Resets the counts in a row: a hand was finished.
    pub(crate) fn seen(&self) {
        self.row.store(0, Relaxed);
        self.given_up.store(0, Relaxed);
    }

    /// Counts an unusable answer, with `hands` hands finished; an error says how often, when a
    /// limit is reached.
    pub(crate) fn unusable(&self, hands: u64) -> Result<(), String> {
        let row = 1 + self.row.fetch_add(1, Relaxed);
        let all = 1 + self.unusable.fetch_add(1, Relaxed);
        if row >= MAX_CONSECUTIVE_UNUSABLE {
            return Err(format!("{row} of them since the last hand that was seen to its end"));
        }
        if all > MIN_UNUSABLE_LIMIT.max(hands / HANDS_PER_UNUSABLE) {
            Err(format!("{all} of them in {hands} hands"))
        } else {
            Ok(())
        }
    }

    /// Counts a hand that is given up; an error is the number in a row, when the limit is reached.
    pub(crate) fn given_up(&self) -> Result<(), u64> {
        let hands = 1 + self.given_up.fetch_add(1, Relaxed);
        if hands >= self.most_given_up { Err(hands) } else { Ok(()) }
    }
}
