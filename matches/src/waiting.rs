//! Saying what is waited for: what takes longer than two seconds is said, and said again every half
//! minute.
//!
//! Lines go to the listener, if there is one, else to the log at level `debug`. The same line from
//! several threads is said once.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long something is waited for in silence.
pub const SOON: Duration = Duration::from_secs(2);

/// The time between two lines about the same wait.
pub const AGAIN: Duration = Duration::from_secs(30);

/// The same line so soon comes from another thread that waits for the same.
const ECHO: Duration = Duration::from_secs(5);

struct Listening {
    listener: Option<fn(&str)>,
    last: Option<(Instant, String)>,
}

static LISTENING: Mutex<Listening> = Mutex::new(Listening { listener: None, last: None });

/// From now on lines go there; with `None` nowhere but into the log.
pub fn listen(listener: Option<fn(&str)>) {
    listening().listener = listener;
}

fn listening() -> MutexGuard<'static, Listening> {
    LISTENING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A wait that has begun.
#[derive(Debug)]
pub struct Wait {
    begun: Instant,
    next: Instant,
}

impl Wait {
    /// Begins one, of which nothing is said before `silent` has passed.
    pub fn begin(silent: Duration) -> Wait {
        let begun = Instant::now();
        Wait { begun, next: begun + silent }
    }

    /// When something is to be said next.
    pub fn next(&self) -> Instant {
        self.next
    }

    /// How long it has lasted, when that is to be said now.
    pub fn due(&mut self) -> Option<Duration> {
        let now = Instant::now();
        if now < self.next {
            return None;
        }
        self.next = now + AGAIN;
        Some(now - self.begun)
    }

    /// Says `waiting for WHAT` if it is time for it; whether it was.
    pub fn say(&mut self, what: impl FnOnce() -> String) -> bool {
        let Some(lasted) = self.due() else { return false };
        let line = line(&what(), lasted);
        let mut listening = listening();
        let now = Instant::now();
        let echo = |(at, last): &(Instant, String)| now - *at < ECHO && *last == line;
        if !listening.last.as_ref().is_some_and(echo) {
            match listening.listener {
                Some(listener) => listener(&line),
                None => tracing::debug!("{line}"),
            }
            listening.last = Some((now, line));
        }
        true
    }
}

/// The line about a wait that has lasted so long.
pub fn line(what: &str, lasted: Duration) -> String {
    format!("waiting for {what} ({} s so far)", lasted.as_secs())
}
