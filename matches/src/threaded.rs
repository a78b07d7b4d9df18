//! An agent on a thread of its own, raced against the deadline.
//!
//! Agents whose decisions take long ([`agents::Cost::Worker`]) are wrapped in this one: when the time
//! is over the match goes on with a fallback, while the agent finishes its thought for nobody. A
//! request that has been overtaken by a later one is dropped unanswered.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use agents::{Agent, AgentChoice, AgentError, Context, Cost, Decision, Failed, HandOutcome};
use cards::HoleCards;
use game::{BySeat, GameDef, InfoSet, Payoff, PublicState, Seat};

/// Agents that keep their own time are given this much more than their deadline.
const GRACE: Duration = Duration::from_millis(50);

/// How long a dropped agent is waited for.
const FAREWELL: Duration = Duration::from_millis(700);

/// An agent that lives on its own thread.
pub struct Threaded {
    /// Gone once this value is being dropped.
    requests: Option<Sender<Request>>,
    answers: Receiver<(u64, Decision)>,
    /// The number of the latest request; the thread drops older ones.
    latest: Arc<AtomicU64>,
}

/// A new agent for this game, on a thread of its own if its decisions take long.
///
/// # Errors
/// When the agent cannot be built, or there is no thread for it.
pub fn seat(choice: &AgentChoice, def: &Arc<GameDef>) -> Result<Box<dyn Agent>, AgentError> {
    let agent = choice.build(def)?;
    match choice.cost() {
        Cost::Inline => Ok(agent),
        Cost::Worker => match Threaded::new(agent) {
            Ok(threaded) => Ok(Box::new(threaded)),
            Err(error) => Err(AgentError::Start {
                agent: choice.name().to_owned(),
                reason: format!("there is no thread for it: {error}"),
            }),
        },
    }
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
    /// Moves the agent to a thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn new(agent: Box<dyn Agent>) -> std::io::Result<Threaded> {
        let (requests, incoming) = mpsc::channel();
        let (outgoing, answers) = mpsc::channel();
        let latest = Arc::new(AtomicU64::new(0));
        let current = Arc::clone(&latest);
        std::thread::Builder::new()
            .name("agent".into())
            .spawn(move || serve(agent, &incoming, &outgoing, &current))?;
        Ok(Threaded { requests: Some(requests), answers, latest })
    }

    /// Whether the thread was there to take it.
    fn send(&self, request: Request) -> bool {
        self.requests.as_ref().is_some_and(|requests| requests.send(request).is_ok())
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
            // Anything else is a late answer to an earlier request.
            if answer.0 == number {
                return Ok(answer.1);
            }
        }
    }
}

impl Agent for Threaded {
    fn act(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision {
        let number = self.latest.fetch_add(1, Ordering::Relaxed) + 1;
        let request = Request::Act(number, Box::new(infoset.clone()), cx.clone());
        if !self.send(request) {
            return Decision::failed(Failed::Gone);
        }
        self.wait(number, cx.time_left).unwrap_or_else(Decision::failed)
    }

    fn hand_over(&mut self, outcome: &HandOutcome<'_>) {
        // An agent whose thread is gone says so at the next decision.
        self.send(Request::HandOver(Box::new(OwnedOutcome {
            hand: outcome.hand,
            public: outcome.public.clone(),
            seat: outcome.seat,
            shown: *outcome.shown,
            payoffs: *outcome.payoffs,
        })));
    }

    fn meet(&mut self, opponents: &[String]) {
        self.send(Request::Meet(opponents.to_vec()));
    }

    fn restart(&mut self) {
        self.send(Request::Restart);
    }
}

impl Drop for Threaded {
    /// Gives the agent a moment to end what it has started. One that is deep in thought is left to it.
    fn drop(&mut self) {
        self.requests = None;
        self.latest.fetch_add(1, Ordering::Relaxed);
        let deadline = Instant::now() + FAREWELL;
        // The thread's end of this channel goes when the agent has gone.
        while self.answers.recv_timeout(deadline.saturating_duration_since(Instant::now())).is_ok()
        {
        }
    }
}

fn serve(
    mut agent: Box<dyn Agent>,
    requests: &Receiver<Request>,
    answers: &Sender<(u64, Decision)>,
    latest: &AtomicU64,
) {
    while let Ok(request) = requests.recv() {
        match request {
            Request::Act(number, ..) if number < latest.load(Ordering::Relaxed) => {}
            Request::Act(number, infoset, mut cx) => {
                let answer = crate::decide::ask(&mut *agent, &infoset, &mut cx);
                if answers.send((number, answer)).is_err() {
                    return;
                }
            }
            Request::HandOver(outcome) => {
                let outcome = HandOutcome {
                    hand: outcome.hand,
                    public: &outcome.public,
                    seat: outcome.seat,
                    shown: &outcome.shown,
                    payoffs: &outcome.payoffs,
                };
                // A panic here must not end the agent; the next decision shows what it is worth.
                let _ = catch_unwind(AssertUnwindSafe(|| agent.hand_over(&outcome)));
            }
            Request::Meet(opponents) => {
                let _ = catch_unwind(AssertUnwindSafe(|| agent.meet(&opponents)));
            }
            Request::Restart => {
                let _ = catch_unwind(AssertUnwindSafe(|| agent.restart()));
            }
        }
    }
}
