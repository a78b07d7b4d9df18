//! One session: ask the agent, send, take the answer, write it down.

use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::{Agent, Cost};
use backon::ExponentialBackoff;
use game::{BySeat, InfoSet, PublicState, Turn};
use logs::{DecisionRecord, Fallback};
use protocol::slumbot::client::{Client, ClientError, Lost, News, Next};
use tokio::time::sleep;

use super::http::Trouble;
use super::play::Shared;
use super::{Claim, RunError};
use crate::decide::{Decided, Request, decide};
use crate::threaded::seat;
pub(super) use saved::number_in_play;
use saved::restore;

mod rows;
mod saved;

/// How often in a row a server may refuse, or sessions may end without a hand, before the run does.
const PATIENCE: u32 = 25;

/// This side's number among the entrants, and the server's.
const AGENT: u8 = 0;
const SERVER: u8 = 1;

/// One session with the server.
pub(super) struct Desk {
    shared: Arc<Shared>,
    session: u64,
    client: Client,
    /// Gone while it thinks.
    agent: Option<Box<dyn Agent>>,
    open: Open,
    /// A hand of the run's number is this session's to play.
    claimed: bool,
    pauses: ExponentialBackoff,
    /// Refusals and lost sessions since the last hand.
    refusals: u32,
}

/// The hand in play.
#[derive(Debug, Default)]
struct Open {
    number: u64,
    began_ms: i64,
    requests: u32,
    waited: Duration,
    thought: Duration,
    blind: u32,
    decisions: Vec<DecisionRecord>,
}

impl Desk {
    /// A session of an earlier run, if one waits, or a new one.
    pub(super) async fn new(shared: Arc<Shared>) -> Result<Desk, RunError> {
        let (choice, def) = (shared.plan.agent.clone(), Arc::clone(&shared.def));
        // Building may take long: programs are started, models read.
        let building = tokio::task::spawn_blocking(move || seat(&choice, &def));
        let building = building.await.map_err(|panic| RunError::System(panic.to_string()))?;
        let mut agent = building?;
        agent.meet(&[super::OPPONENT.to_owned()]);
        let (session, client, open) = match shared.store.session() {
            Ok(earlier) => {
                let session = earlier.session;
                match restore(&shared, earlier) {
                    Ok((client, open)) => (session, client, open),
                    Err(error) => {
                        let reason = format!("session {session} of the ledger is damaged: {error}");
                        return Err(RunError::System(reason));
                    }
                }
            }
            Err(new) => (new, fresh(&shared), Open::default()),
        };
        let claimed = client.in_hand();
        if claimed {
            shared.claim_always();
        }
        let pauses = shared.pacer.pauses();
        Ok(Desk { shared, session, client, agent: Some(agent), open, claimed, pauses, refusals: 0 })
    }

    /// Plays until the run's hands are played, or it is asked to stop.
    pub(super) async fn run(&mut self) -> Result<(), RunError> {
        loop {
            if self.shared.ended() {
                return if self.client.in_hand() { self.save(None) } else { Ok(()) };
            }
            match self.client.next() {
                Next::NewHand => {
                    if !self.claim() {
                        return Ok(());
                    }
                    self.exchange().await?;
                }
                Next::Send => {
                    self.save(None)?;
                    self.exchange().await?;
                }
                Next::Decide(infoset) => self.decide(*infoset).await?,
                Next::DecideBlind(state) => self.decide_blind(&state),
                Next::Gone => self.renew()?,
            }
        }
    }

    /// Ends the agent; it may take a moment.
    pub(super) async fn leave(&mut self) {
        if let Some(agent) = self.agent.take() {
            let _ = tokio::task::spawn_blocking(move || drop(agent)).await;
        }
    }

    /// Whether a hand is to be begun: one of the run's, or one more to settle an earlier one.
    fn claim(&mut self) -> bool {
        if self.shared.stop.asked() {
            return false;
        }
        self.claimed = self.claimed || self.shared.claim();
        self.claimed || self.client.books().waiting
    }

    async fn decide(&mut self, infoset: InfoSet) -> Result<(), RunError> {
        let plan = &self.shared.plan;
        let hand = self.open.number;
        let request = Request { seed: self.shared.store.seed(), hand, time_left: plan.deadline };
        let Some(mut agent) = self.agent.take() else { return Ok(()) };
        let before = Instant::now();
        let (agent, decided, infoset) = match plan.agent.cost() {
            Cost::Inline => {
                let decided = decide(&mut *agent, &infoset, request);
                (agent, decided, infoset)
            }
            Cost::Worker => {
                // The thought may take long, and what has been seen must not be lost meanwhile.
                self.save(None)?;
                let thought = tokio::task::spawn_blocking(move || {
                    let decided = decide(&mut *agent, &infoset, request);
                    (agent, decided, infoset)
                });
                thought.await.expect("decide catches panics")
            }
        };
        let elapsed = before.elapsed();
        self.agent = Some(agent);
        self.open.thought += elapsed;
        self.client.act(decided.action).expect("decide returns legal actions for the turn");
        self.open.decisions.push(decided.record(&infoset, hand, AGENT, elapsed));
        Ok(())
    }

    /// The cards on the table are not known: the answer that showed them was lost. Check, or fold.
    fn decide_blind(&mut self, state: &PublicState) {
        let Turn::Act(seat) = state.turn() else { return };
        let legal = state.legal();
        let action = if legal.fold { game::Action::Fold } else { game::Action::Call };
        self.client.act(action).expect("a check, or a fold where there is a bet, is legal");
        self.open.blind += 1;
        let decided = Decided {
            action,
            corrected_from: None,
            fallback: Some(Fallback::Gone),
            strategy: None,
            note: Some("the answer that showed the board was lost".into()),
        };
        let hole = BySeat::<cards::HoleCards>::new(2)[seat];
        let infoset = InfoSet { public: state.clone(), seat, hole };
        self.open.decisions.push(decided.record(&infoset, self.open.number, AGENT, Duration::ZERO));
    }

    /// Sends the request that is due, and takes the answer.
    async fn exchange(&mut self) -> Result<(), RunError> {
        let shared = Arc::clone(&self.shared);
        // Asked to stop during an outage: the hand is in the ledger and can be gone on with.
        if !shared.pacer.permit(|| shared.ended() || shared.stop.asked()).await {
            return if shared.ended() || self.shared.stop.asked() {
                self.adjourn()
            } else {
                Ok(())
            };
        }
        let Some(request) = self.client.request() else { return Ok(()) };
        let before = Instant::now();
        let answer = shared.http.post(request.endpoint, request.body).await;
        self.open.requests += 1;
        self.open.waited += before.elapsed();
        match answer {
            Ok(body) => self.receive(&body).await,
            Err(trouble) => self.trouble(trouble).await,
        }
    }

    async fn receive(&mut self, body: &[u8]) -> Result<(), RunError> {
        let shared = Arc::clone(&self.shared);
        match self.client.receive(body, || shared.store.number()) {
            Ok(news) => {
                let refused = news.iter().find_map(|news| match news {
                    News::Refused(text) => Some(text.clone()),
                    _ => None,
                });
                self.take(news)?;
                match refused {
                    Some(text) => self.refused(&text).await,
                    None => {
                        shared.pacer.good();
                        self.pauses = shared.pacer.pauses();
                        Ok(())
                    }
                }
            }
            Err(ClientError::Answer(error)) => {
                if !shared.proven() && !error.is_cut() {
                    let reason = error.to_string();
                    let remedy = "check --host and --prefix";
                    return Err(RunError::NotSlumbot { url: shared.url(), reason, remedy });
                }
                self.pause(&error.to_string(), None).await
            }
            Err(error) => {
                let hand = self.open.number;
                self.close(&error.to_string())?;
                let (url, session) = (shared.url(), self.session);
                Err(RunError::Claim { url, session, hand, reason: Claim::Hand(error) })
            }
        }
    }

    /// No answer, or none that can be read.
    async fn trouble(&mut self, trouble: Trouble) -> Result<(), RunError> {
        let reason = trouble.reason().to_owned();
        let mut wait = None;
        match trouble {
            Trouble::Unsent(_) => self.client.lost(Lost::Unsent),
            Trouble::Maybe(_, longer) => {
                self.client.lost(Lost::Maybe);
                wait = longer;
            }
            Trouble::NotSlumbot(_, remedy) if !self.shared.proven() => {
                return Err(RunError::NotSlumbot { url: self.shared.url(), reason, remedy });
            }
            Trouble::NotSlumbot(..) => self.client.lost(Lost::Maybe),
            Trouble::Rejected(_) => {
                self.client.lost(Lost::Maybe);
                self.refusals += 1;
                if self.refusals >= PATIENCE {
                    return Err(RunError::Rejected { url: self.shared.url(), reason });
                }
            }
        }
        self.pause(&reason, wait).await
    }

    /// The server refuses a request, not for the first time perhaps.
    async fn refused(&mut self, text: &str) -> Result<(), RunError> {
        self.refusals += 1;
        let asked = self.client.request().map(|request| request.endpoint);
        if self.refusals >= PATIENCE || asked == Some(protocol::slumbot::Endpoint::Login) {
            let what = asked.map_or("a request", |endpoint| endpoint.name());
            let reason = format!("to {what} it says `{text}`");
            return Err(RunError::Rejected { url: self.shared.url(), reason });
        }
        self.pause(text, None).await
    }

    /// After a failure: a pause of this session, and perhaps of all.
    async fn pause(&mut self, reason: &str, wait: Option<Duration>) -> Result<(), RunError> {
        tracing::debug!(session = self.session, reason, "no usable answer");
        self.shared.failed();
        if self.client.token().is_some() {
            self.save(None)?;
        }
        let pause = self.pauses.next().unwrap_or(self.shared.plan.pace.longest_pause);
        let pause = wait.map_or(pause, |wait| pause.max(wait.min(Duration::from_secs(600))));
        if let Err(waited) = self.shared.pacer.bad(reason) {
            let (url, reason) = (self.shared.url(), reason.to_owned());
            return Err(RunError::Gone { url, waited, reason });
        }
        sleep(pause).await;
        Ok(())
    }

    /// The server does not know the session any more: begin another.
    fn renew(&mut self) -> Result<(), RunError> {
        let number = match self.shared.store.session() {
            Ok(earlier) => {
                let session = earlier.session;
                (self.client, self.open) = restore(&self.shared, earlier)
                    .map_err(|error| RunError::System(format!("session {session}: {error}")))?;
                session
            }
            Err(new) => {
                (self.client, self.open) = (fresh(&self.shared), Open::default());
                new
            }
        };
        tracing::warn!(ended = self.session, begun = number, "the server has ended a session");
        self.session = number;
        Ok(())
    }
}

fn fresh(shared: &Shared) -> Client {
    let mut client = Client::new(Arc::clone(&shared.def), shared.plan.login.clone());
    client.against(shared.plan.opponent.clone());
    client
}
