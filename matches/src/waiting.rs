//! Messages about long waits, the first after two seconds, then every half minute, and about
//! programs that fail.
//!
//! They go to the listener, if there is one, otherwise to the log. The same message about a wait
//! from several threads is shown once, and so is the failure of an agent.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The time before the first message about a wait.
pub const FIRST_NOTICE: Duration = Duration::from_secs(2);

/// The time between two messages about a wait.
pub const NOTICE_INTERVAL: Duration = Duration::from_secs(30);

/// The same message within this time comes from another thread with the same wait.
const DEDUP_WINDOW: Duration = Duration::from_secs(5);

struct Listening {
    listener: Option<fn(&str)>,
    /// Whether the listener is told about failures only.
    only_failures: bool,
    last: Option<(Instant, String)>,
    /// What the listener has been told has failed.
    failed: BTreeSet<String>,
}

static LISTENING: Mutex<Listening> = Mutex::new(Listening {
    listener: None,
    only_failures: false,
    last: None,
    failed: BTreeSet::new(),
});

/// Sets the listener for messages.
pub fn listen(listener: fn(&str)) {
    listening().listener = Some(listener);
}

/// Messages about waits go to the log from now on.
pub fn only_failures() {
    listening().only_failures = true;
}

/// Shows the listener the first failure of what `key` names; others, and all without a listener, go
/// to the log.
pub fn say_failed(key: &str, message: &str) {
    let mut listening = listening();
    match listening.listener.filter(|_| listening.failed.insert(key.to_owned())) {
        Some(listener) => listener(message),
        None => tracing::warn!("{message}"),
    }
}

fn listening() -> MutexGuard<'static, Listening> {
    parallel::lock(&LISTENING)
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
            match listening.listener.filter(|_| !listening.only_failures) {
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
