//! How fast all sessions together send, and when they pause together.
//!
//! One budget of requests for all. A circuit breaker: after some failures in a row, whichever
//! session met them, nobody sends for a while; then one request goes first, and only when it is
//! answered the others follow. The pauses grow, with some chance in them, up to a longest one.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::time::sleep;

use super::Pace;
use super::http::Address;

/// Failures in a row that make an outage.
const OUTAGE: u32 = 6;
/// How often a wait looks whether it should end.
const LOOK: Duration = Duration::from_millis(50);

/// What is waited for longer than two seconds is told.
const LONG: Duration = Duration::from_secs(2);

/// The server has not answered for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outage {
    /// Where.
    pub url: String,
    /// Since the last answer, or since the start.
    pub lasted: Duration,
    /// The latest failure; empty when there is none, but no answer either.
    pub reason: String,
    /// All sessions pause together.
    pub paused: bool,
    /// The number of the attempt that is under way, or comes next.
    pub attempt: u32,
    /// When the next attempt comes; `None` while one is under way.
    pub next: Option<Duration>,
    /// How long an answer may take.
    pub timeout: Duration,
    /// After how long without an answer the run ends.
    pub patience: Duration,
    /// The server has answered before, in this run.
    pub answered: bool,
}

/// The pace of all sessions.
pub(super) struct Pacer {
    pace: Pace,
    budget: Option<DefaultDirectRateLimiter>,
    state: Mutex<State>,
}

struct State {
    failures: u32,
    /// When the server last answered; the start, if never.
    good: Instant,
    ever: bool,
    /// Nobody sends before this.
    pause: Option<Instant>,
    /// One session has gone first.
    trying: bool,
    pauses: ExponentialBackoff,
    reason: String,
    /// When the requests under way were sent, oldest first, each with a number.
    flights: VecDeque<(u64, Instant)>,
    flown: u64,
    /// When the next attempt comes, as far as is known.
    next: Option<Instant>,
}

/// A request under way, as long as the value lives.
pub(super) struct Flight<'a> {
    pacer: &'a Pacer,
    number: u64,
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        self.pacer.state().flights.retain(|(number, _)| *number != self.number);
    }
}

impl Pacer {
    pub(super) fn new(pace: Pace) -> Pacer {
        let budget = pace.rate.filter(|rate| *rate > 0.0).and_then(|rate| {
            // Sessions that wake together may send together, but no faster in the long run.
            let burst = NonZeroU32::new(rate.ceil().clamp(1.0, 1e6) as u32)?;
            let quota = Quota::with_period(Duration::from_secs_f64(1.0 / rate))?;
            Some(RateLimiter::direct(quota.allow_burst(burst)))
        });
        let state = State {
            failures: 0,
            good: Instant::now(),
            ever: false,
            pause: None,
            trying: false,
            pauses: pauses(&pace),
            reason: String::new(),
            flights: VecDeque::new(),
            flown: 0,
            next: None,
        };
        Pacer { pace, budget, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pauses for one session, growing with each failure of its own.
    pub(super) fn pauses(&self) -> ExponentialBackoff {
        pauses(&self.pace)
    }

    /// Waits until a request may be sent. `false` when `leave` says so first.
    pub(super) async fn permit(&self, leave: impl Fn() -> bool) -> bool {
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
                        left => left.unwrap_or(LOOK),
                    },
                }
            };
            if leave() {
                return false;
            }
            sleep(wait.min(LOOK)).await;
        }
        if let Some(budget) = &self.budget {
            budget.until_ready().await;
        }
        true
    }

    /// The first request comes now: what came before was not waiting.
    pub(super) fn start(&self) {
        self.state().good = Instant::now();
    }

    /// A request is sent.
    pub(super) fn begin(&self) -> Flight<'_> {
        let mut state = self.state();
        state.flown += 1;
        let number = state.flown;
        state.flights.push_back((number, Instant::now()));
        state.next = None;
        Flight { pacer: self, number }
    }

    /// The next request comes after this pause.
    pub(super) fn next(&self, pause: Duration) {
        self.state().next = Some(Instant::now() + pause);
    }

    /// The server has answered.
    pub(super) fn good(&self) {
        let mut state = self.state();
        (state.failures, state.good, state.ever) = (0, Instant::now(), true);
        state.reason.clear();
        if state.pause.take().is_some() {
            state.trying = false;
            state.pauses = pauses(&self.pace);
            tracing::info!("the server answers again");
        }
    }

    /// It has not, or not sensibly. Gives the time without an answer once that is too long.
    pub(super) fn bad(&self, reason: &str) -> Result<(), Duration> {
        let mut state = self.state();
        state.failures += 1;
        state.reason = reason.to_owned();
        let lasted = state.good.elapsed();
        let most = if state.ever { self.pace.give_up } else { self.pace.connect_timeout };
        if state.failures > 1 && lasted >= most {
            return Err(lasted);
        }
        if state.trying || state.failures == OUTAGE {
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

    /// The outage there is, if there is one: a pause of all sessions, or waiting for long.
    pub(super) fn outage(&self, at: &Address) -> Option<Outage> {
        let state = self.state();
        let (lasted, paused) = (state.good.elapsed(), state.pause.is_some());
        let silent = state.flights.front().is_some_and(|(_, sent)| sent.elapsed() >= LONG);
        let starting = !state.ever && state.failures > 0;
        if !(paused && state.ever || lasted >= LONG && (silent || starting)) {
            return None;
        }
        let next = state.next.filter(|_| state.flights.is_empty());
        Some(Outage {
            url: at.url.clone(),
            lasted,
            reason: state.reason.clone(),
            paused,
            attempt: state.failures + 1,
            next: next.map(|next| next.saturating_duration_since(Instant::now())),
            timeout: at.timeout,
            patience: if state.ever { self.pace.give_up } else { self.pace.connect_timeout },
            answered: state.ever,
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
