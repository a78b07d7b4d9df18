//! Messages about long waits: the first after two seconds, then every half minute.
//!
//! They go to the listener, if there is one, otherwise to the log at level `debug`. The same
//! message from several threads is shown once.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time before the first message about a wait.
pub const FIRST_NOTICE: Duration = Duration::from_secs(2);

/// The time between two messages about a wait.
pub const NOTICE_INTERVAL: Duration = Duration::from_secs(30);

/// The same message within this time comes from another thread with the same wait.
const DEDUP_WINDOW: Duration = Duration::from_secs(5);

struct Listening {
    listener: Option<fn(&str)>,
    last: Option<(Instant, String)>,
}

static LISTENING: Mutex<Listening> = Mutex::new(Listening { listener: None, last: None });

/// Sets the listener for messages; with `None` they go to the log only.
pub fn listen(listener: Option<fn(&str)>) {
    listening().listener = listener;
}

fn listening() -> MutexGuard<'static, Listening> {
    LISTENING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A wait in progress.
#[derive(Debug)]
pub struct Wait {
    begun: Instant,
    next: Instant,
}

impl Wait {
    /// Begins a wait whose first message is due after `silent`.
    pub fn begin(silent: Duration) -> Wait {
        let begun = Instant::now();
        Wait { begun, next: begun + silent }
    }

    /// The time at which the next message is due.
    pub fn next(&self) -> Instant {
        self.next
    }

    /// The duration of the wait so far, if a message is due now.
    pub fn due(&mut self) -> Option<Duration> {
        let now = Instant::now();
        if now < self.next {
            return None;
        }
        self.next = now + NOTICE_INTERVAL;
        Some(now - self.begun)
    }

    /// Shows `waiting for WHAT` if a message is due; returns whether it was.
    pub fn say(&mut self, what: impl FnOnce() -> String) -> bool {
        let Some(lasted) = self.due() else { return false };
        let line = line(&what(), lasted);
        let mut listening = listening();
        let now = Instant::now();
        let repeated = |(at, last): &(Instant, String)| now - *at < DEDUP_WINDOW && *last == line;
        if !listening.last.as_ref().is_some_and(repeated) {
            match listening.listener {
                Some(listener) => listener(&line),
                None => tracing::debug!("{line}"),
            }
            listening.last = Some((now, line));
        }
        true
    }
}

/// The message about a wait that has lasted this long.
pub fn line(what: &str, lasted: Duration) -> String {
    format!("waiting for {what} ({} s so far)", lasted.as_secs())
}
