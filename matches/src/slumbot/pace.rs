//! How fast all sessions together send, and when they pause together.
//!
//! One budget of requests for all. A circuit breaker: after some failures in a row, whichever session met
//! them, nobody sends for a while; then one request goes first, and only when it is answered the others
//! follow. The pauses grow, with some chance in them, up to a longest one.

use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::time::sleep;

use super::Pace;

/// Failures in a row that make an outage.
const OUTAGE: u32 = 6;
/// How often a wait looks whether it should end.
const LOOK: Duration = Duration::from_millis(50);

/// The server has not answered for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outage {
    /// Since the last answer, or since the start.
    pub lasted: Duration,
    /// The latest failure.
    pub reason: String,
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

    /// The server has answered.
    pub(super) fn good(&self) {
        let mut state = self.state();
        (state.failures, state.good, state.ever) = (0, Instant::now(), true);
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
        }
        Ok(())
    }

    /// The outage there is, if there is one.
    pub(super) fn outage(&self) -> Option<Outage> {
        let state = self.state();
        let outage = Outage { lasted: state.good.elapsed(), reason: state.reason.clone() };
        state.pause.is_some().then_some(outage)
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
