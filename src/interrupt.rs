//! Ctrl-C, SIGTERM and SIGHUP in two stages: the first signal finishes the hands in play, the
//! second aborts. Commands with nothing to finish abort at the first. Child processes end too.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use matches::bot::is_building;
use matches::runner::Stop;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::{Code, Failure};
use crate::shell;

/// The command line as typed, quoted for a shell; running it again resumes a run. Accounts in
/// addresses are left out.
pub(crate) fn command_line() -> String {
    let words: Vec<String> = std::env::args().map(|word| shell::without_accounts(&word)).collect();
    shell::line(words.iter().map(String::as_str))
}

/// The failure of a run that was stopped, which says how to go on.
pub(crate) fn stopped(what: &str) -> Failure {
    Failure::interrupted(format!("{what}; resume with: {}", command_line()))
}

/// The failure of a run that was stopped and keeps nothing, which says how to start it again.
pub(crate) fn repeatable(what: &str) -> Failure {
    Failure::interrupted(format!("{what}; start again with: {}", command_line()))
}

/// A second signal within this time counts as the first: some senders signal a process and its
/// group.
const ECHO: Duration = Duration::from_millis(100);

/// The message at the first signal in commands that play hands.
pub(crate) const FINISHING: &str = "finishing the hands in play; press Ctrl-C again to abort";

/// The run to stop when a signal comes, with the message to show.
static ASKED: Mutex<Option<(Stop, &str)>> = Mutex::new(None);
/// Whether a signal has been received.
static SIGNALLED: AtomicBool = AtomicBool::new(false);
/// Whether the match has no hand yet.
static WAITING: AtomicBool = AtomicBool::new(false);

/// Sets whether the match has no hand yet: then the first signal ends the process while agents are
/// being built.
pub(crate) fn set_waiting(waiting: bool) {
    WAITING.store(waiting, Ordering::SeqCst);
}

/// A guard during which Ctrl-C, SIGTERM or SIGHUP ends the process and its child processes at once:
/// for commands that may start programs and have nothing to finish.
pub(crate) struct Aborting(Option<Arc<AtomicBool>>);

impl Aborting {
    /// Begins to listen, unless there is a listener already.
    ///
    /// # Errors
    /// When the system does not allow it.
    pub(crate) fn begin() -> Result<Aborting, Failure> {
        if asked().is_some() {
            return Ok(Aborting(None));
        }
        let on = Arc::new(AtomicBool::new(true));
        let still = Arc::clone(&on);
        spawn(async move |mut signals: Signals| {
            loop {
                signals.next().await;
                if still.load(Ordering::SeqCst) {
                    leave("interrupted");
                }
            }
        })?;
        Ok(Aborting(Some(on)))
    }
}

impl Drop for Aborting {
    fn drop(&mut self) {
        if let Some(on) = &self.0 {
            on.store(false, Ordering::SeqCst);
        }
    }
}

/// Begins to listen for Ctrl-C, SIGTERM and SIGHUP. The first signal asks the returned stop and
/// shows this message; the second ends the process at once, printing how to resume. Recorded data
/// is safe in both cases.
///
/// If a command runs others, the last listener is asked; one that begins after the first signal is
/// asked at once.
///
/// # Errors
/// When the system does not allow it.
pub(crate) fn listen(message: &'static str) -> Result<Stop, Failure> {
    let stop = Stop::new();
    listen_again(&stop, message)?;
    Ok(stop)
}

/// As [`listen`], for a stop that was listened for before another command was.
///
/// # Errors
/// When the system does not allow it.
pub(crate) fn listen_again(stop: &Stop, message: &'static str) -> Result<(), Failure> {
    let before = asked().replace((stop.clone(), message));
    if SIGNALLED.load(Ordering::SeqCst) {
        stop.ask();
    }
    if before.is_some() {
        return Ok(());
    }
    spawn(async |mut signals: Signals| {
        signals.next().await;
        if WAITING.load(Ordering::SeqCst) && is_building() {
            leave(&format!("aborted before the first hand; resume with: {}", command_line()));
        }
        SIGNALLED.store(true, Ordering::SeqCst);
        if let Some((stop, message)) = &*asked() {
            stop.ask();
            say(message);
        }
        let first = tokio::time::Instant::now();
        loop {
            signals.next().await;
            if first.elapsed() >= ECHO {
                break;
            }
        }
        leave(&format!("aborted; resume with: {}", command_line()));
    })
}

/// Replaces the message of the present listener.
pub(crate) fn set_message(message: &'static str) {
    if let Some((_, present)) = &mut *asked() {
        *present = message;
    }
}

/// Asks the present listener to stop, as the first signal does.
pub(crate) fn ask() {
    if let Some((stop, _)) = &*asked() {
        stop.ask();
    }
}

/// Waits for signals on a new thread. After the return no signal ends the process by itself.
fn spawn(waiting: impl AsyncFnOnce(Signals) + Send + 'static) -> Result<(), Failure> {
    let begun = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let signals = runtime.block_on(async { Signals::new() })?;
        let wait = move || runtime.block_on(waiting(signals));
        std::thread::Builder::new().name("signals".into()).spawn(wait)
    };
    begun().map(drop).map_err(|error| Failure::input(anyhow::Error::from(error)))
}

/// Ends the process and its child processes.
fn leave(message: &str) -> ! {
    matches::program::end_all();
    say(message);
    std::process::exit(Code::Interrupted as i32)
}

fn asked() -> MutexGuard<'static, Option<(Stop, &'static str)>> {
    parallel::lock(&ASKED)
}

/// The signals that ask a process to end.
struct Signals([Signal; 3]);

impl Signals {
    fn new() -> std::io::Result<Signals> {
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [interrupt, terminate, hangup] = kinds.map(signal);
        Ok(Signals([interrupt?, terminate?, hangup?]))
    }

    async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

fn say(message: &str) {
    // Nothing can be done when stderr is closed.
    let _ = writeln!(std::io::stderr(), "\n{message}");
}
