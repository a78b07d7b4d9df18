//! An agent on a thread of its own, with deadlines.
//!
//! When a decision's time is over the match continues with a fallback, and the agent's late answer
//! is discarded. A request overtaken by a later one is dropped unanswered. Requests wait in a
//! bounded queue. While the queue is full the driver waits for space, except where the agent
//! already owes an answer: then messages are dropped, since its decisions are late anyway.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError};
use std::time::{Duration, Instant};

use agents::{Context, Decision, Failed, HandOutcome};
use cards::HoleCards;
use game::{BySeat, InfoSet, Payoff, PublicState, Seat};

use crate::bot::Guarded;

/// Extra time beyond the deadline, for agents that keep their own time.
const GRACE: Duration = Duration::from_millis(50);

/// The time limit for a dropped agent to end.
const EXIT_TIMEOUT: Duration = Duration::from_millis(700);

/// The capacity of the request queue.
const QUEUE_CAPACITY: usize = 256;

/// The time limit for space in the queue, after which a message is dropped.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(10);

/// The interval between checks of a full queue.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// An agent on a thread of its own.
pub(crate) struct Threaded {
    /// `None` during drop.
    requests: Option<SyncSender<Request>>,
    answers: Receiver<(u64, Decision)>,
    /// The number of the latest request; the thread drops older ones.
    latest: Arc<AtomicU64>,
    /// Whether the last answer came too late.
    late: bool,
}

enum Request {
    Act(u64, Box<InfoSet>, Context),
    HandOver(Box<OwnedOutcome>),
    Meet(Vec<String>),
    Restart,
}

struct OwnedOutcome {
    hand: u64,
    public: PublicState,
    seat: Seat,
    shown: BySeat<HoleCards>,
    payoffs: BySeat<Payoff>,
}

impl Threaded {
    /// Moves the agent to a new thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn new(agent: Guarded) -> std::io::Result<Threaded> {
        let (requests, incoming) = mpsc::sync_channel(QUEUE_CAPACITY);
        let (outgoing, answers) = mpsc::channel();
        let latest = Arc::new(AtomicU64::new(0));
        let current = Arc::clone(&latest);
        std::thread::Builder::new()
            .name("agent".into())
            .spawn(move || serve(agent, &incoming, &outgoing, &current))?;
        Ok(Threaded { requests: Some(requests), answers, latest, late: false })
    }

    /// Queues a request as soon as there is room, within `timeout`.
    fn send(&self, mut request: Request, timeout: Option<Duration>) -> Result<(), Failed> {
        let requests = self.requests.as_ref().ok_or(Failed::Gone)?;
        let begun = Instant::now();
        loop {
            request = match requests.try_send(request) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(_)) => return Err(Failed::Gone),
                Err(TrySendError::Full(request)) => request,
            };
            if timeout.is_some_and(|timeout| begun.elapsed() >= timeout) {
                return Err(Failed::Timeout);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Queues a message without an answer. If the thread is gone, the next decision fails.
    fn tell(&mut self, request: Request) {
        let timeout = if self.late { Duration::ZERO } else { QUEUE_TIMEOUT };
        if self.send(request, Some(timeout)) == Err(Failed::Timeout) && !self.late {
            tracing::warn!(
                "an agent is {QUEUE_CAPACITY} requests behind and does not see every event"
            );
            self.late = true;
        }
    }

    fn wait(&self, number: u64, time_left: Option<Duration>) -> Result<Decision, Failed> {
        let deadline = time_left.map(|time| Instant::now() + time + GRACE);
        loop {
            let answer = match deadline {
                None => self.answers.recv().map_err(|_| Failed::Gone)?,
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    self.answers.recv_timeout(left).map_err(|error| match error {
                        RecvTimeoutError::Timeout => Failed::Timeout,
                        RecvTimeoutError::Disconnected => Failed::Gone,
                    })?
                }
            };
            // Other answers are late ones, to earlier requests.
            if answer.0 == number {
                return Ok(answer.1);
            }
        }
    }
}

impl Threaded {
    pub(crate) fn ask(&mut self, infoset: &InfoSet, cx: &Context) -> Decision {
        let number = self.latest.fetch_add(1, Ordering::Relaxed) + 1;
        let request = Request::Act(number, Box::new(infoset.clone()), cx.clone());
        let begun = Instant::now();
        let answer = self.send(request, cx.time_left).and_then(|()| {
            let left = cx.time_left.map(|time| time.saturating_sub(begun.elapsed()));
            self.wait(number, left)
        });
        self.late = answer == Err(Failed::Timeout);
        answer.unwrap_or_else(Decision::failed)
    }

    pub(crate) fn hand_over(&mut self, outcome: &HandOutcome<'_>) {
        self.tell(Request::HandOver(Box::new(OwnedOutcome {
            hand: outcome.hand,
            public: outcome.public.clone(),
            seat: outcome.seat,
            shown: *outcome.shown,
            payoffs: *outcome.payoffs,
        })));
    }

    pub(crate) fn meet(&mut self, opponents: &[String]) {
        self.tell(Request::Meet(opponents.to_vec()));
    }

    pub(crate) fn restart(&mut self) {
        self.tell(Request::Restart);
    }
}

impl Drop for Threaded {
    /// Waits a short time for the agent to end what it has started. One that still computes is left
    /// behind.
    fn drop(&mut self) {
        self.requests = None;
        self.latest.fetch_add(1, Ordering::Relaxed);
        let deadline = Instant::now() + EXIT_TIMEOUT;
        // The channel closes when the thread has dropped the agent.
        while self.answers.recv_timeout(deadline.saturating_duration_since(Instant::now())).is_ok()
        {
        }
    }
}

fn serve(
    mut agent: Guarded,
    requests: &Receiver<Request>,
    answers: &Sender<(u64, Decision)>,
    latest: &AtomicU64,
) {
    while let Ok(request) = requests.recv() {
        match request {
            Request::Act(number, ..) if number < latest.load(Ordering::Relaxed) => {}
            Request::Act(number, infoset, mut cx) => {
                if answers.send((number, agent.ask(&infoset, &mut cx))).is_err() {
                    return;
                }
            }
            Request::HandOver(outcome) => agent.hand_over(&HandOutcome {
                hand: outcome.hand,
                public: &outcome.public,
                seat: outcome.seat,
                shown: &outcome.shown,
                payoffs: &outcome.payoffs,
            }),
            Request::Meet(opponents) => agent.meet(&opponents),
            Request::Restart => agent.restart(),
        }
    }
}
