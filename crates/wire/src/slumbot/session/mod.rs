//! A session: asks the agent, sends requests, and records the answers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use backon::ExponentialBackoff;
use game::{BySeat, InfoSet, PublicState, Turn};
use logs::{DecisionRecord, Fallback};
use matches::bot::Bot;
use matches::decide::{Decided, Request};
use protocol::slumbot::answer::{AnswerError, Fault};
use protocol::slumbot::client::{Client, ClientError, Lost, News, Next};
use tokio::time::sleep;

use super::failure_limits::MAX_CONSECUTIVE_UNUSABLE;
use super::http::HttpError;
use super::run::Shared;
use super::{Contradiction, RunError};
use crate::bots;
use saved::restore;
pub(super) use saved::{ResumeState, resume_state};

mod rows;
mod saved;

/// The number of refusals in a row, or of sessions that end without a hand, after which the run
/// ends.
const MAX_REFUSALS: u32 = 25;

/// The entrant numbers of this side and of the server.
const AGENT: u8 = 0;
const SERVER: u8 = 1;

/// The client side of a session, with its agent.
pub(super) struct Session {
    shared: Arc<Shared>,
    session: u64,
    client: Client,
    /// `None` while it decides on another thread.
    agent: Option<Bot>,
    open: HandInPlay,
    /// Whether the session holds a claim to one of the run's hands.
    claimed: bool,
    pauses: ExponentialBackoff,
    /// Refusals and lost sessions since the last hand.
    refusals: u32,
    /// Repeated answers in a row.
    again: u64,
    /// Unusable answers of the session: since its last finished hand, and all.
    unusable: [u64; 2],
}

/// The hand in play: its costs so far, and the agent's decisions.
#[derive(Debug, Default)]
struct HandInPlay {
    number: u64,
    began_ms: i64,
    requests: u32,
    waited: Duration,
    thought: Duration,
    blind: u32,
    decisions: Vec<DecisionRecord>,
}

impl Session {
    /// Builds the agent and resumes a session of an earlier run, or begins a new one.
    pub(super) async fn new(shared: Arc<Shared>) -> Result<Session, RunError> {
        let opponents = [super::OPPONENT.to_owned()];
        let building = bots::build(&shared.plan.agent, &shared.def, &opponents).await;
        let agent = building.map_err(|error| RunError::System(error.to_string()))??;
        let pauses = shared.pacer.pauses();
        let mut session = Session {
            client: fresh(&shared),
            session: 0,
            shared,
            agent: Some(agent),
            open: HandInPlay::default(),
            claimed: false,
            pauses,
            refusals: 0,
            again: 0,
            unusable: [0; 2],
        };
        session.resume_or_begin()?;
        session.claimed = session.client.in_hand() && session.shared.claim_reserved();
        Ok(session)
    }

    /// Resumes a session of an earlier run, if there is one, or begins a new one.
    fn resume_or_begin(&mut self) -> Result<(), RunError> {
        let earlier = match self.shared.store.session() {
            Ok(earlier) => earlier,
            Err(new) => {
                (self.session, self.client, self.open) =
                    (new, fresh(&self.shared), HandInPlay::default());
                self.unusable = [0; 2];
                return Ok(());
            }
        };
        self.session = earlier.session;
        if earlier.token.is_some() {
            self.shared.mark_verified();
        }
        (self.client, self.open, self.unusable) = restore(&self.shared, &earlier)?;
        Ok(())
    }

    /// Plays until the run has all its hands or is asked to stop.
    pub(super) async fn run(&mut self) -> Result<(), RunError> {
        if self.client.in_hand() && !self.claimed {
            // The run has enough hands without this one.
            return Ok(());
        }
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

    /// Drops the agent, which may take a moment.
    pub(super) async fn leave(&mut self) {
        bots::dismiss(self.agent.take()).await;
    }

    /// Claims a hand if none is claimed; whether one is to be begun.
    fn claim(&mut self) -> bool {
        self.claimed = self.claimed || (!self.shared.stop.asked() && self.shared.claim(1));
        self.claimed && !self.shared.stop.asked()
    }

    async fn decide(&mut self, infoset: InfoSet) -> Result<(), RunError> {
        let plan = &self.shared.plan;
        let hand = self.open.number;
        let request = Request { seed: self.shared.store.seed(), hand, time_left: plan.deadline };
        let Some(mut agent) = self.agent.take() else { return Ok(()) };
        let before = Instant::now();
        let (agent, infoset, decided) = if agent.is_inline() {
            let decided = agent.decide(&infoset, request);
            (agent, infoset, decided)
        } else {
            // The decision may take long; what has been received must not be lost meanwhile.
            self.save(None)?;
            bots::think(agent, infoset, request).await.expect("a bot's panics are its own")
        };
        let elapsed = before.elapsed();
        self.agent = Some(agent);
        self.open.thought += elapsed;
        self.client.act(decided.action).expect("decide returns legal actions for the turn");
        self.open.decisions.push(decided.record(&infoset, hand, AGENT, elapsed));
        Ok(())
    }

    /// Checks or folds: the answer that showed the board was lost, so the agent cannot be asked.
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
            values: Vec::new(),
            note: Some("the answer that showed the board was lost".into()),
            beyond_model: false,
        };
        let hole = BySeat::<cards::HoleCards>::new(2)[seat];
        let infoset = InfoSet { public: state.clone(), seat, hole };
        self.open.decisions.push(decided.record(&infoset, self.open.number, AGENT, Duration::ZERO));
    }

    /// Sends the next request and processes the answer.
    async fn exchange(&mut self) -> Result<(), RunError> {
        let shared = Arc::clone(&self.shared);
        // When asked to stop during an outage, the hand in play stays in the ledger to be resumed.
        if !shared.pacer.permit(|| shared.ended() || shared.stop.asked()).await {
            return if shared.ended() || self.shared.stop.asked() {
                self.suspend()
            } else {
                Ok(())
            };
        }
        let Some(request) = self.client.request() else { return Ok(()) };
        let before = Instant::now();
        let flight = shared.pacer.begin();
        let answer = shared.http.post(request.endpoint, request.body).await;
        drop(flight);
        self.open.requests += 1;
        self.open.waited += before.elapsed();
        match answer {
            Ok(body) => self.receive(&body).await,
            Err(error) => self.handle_failure(error).await,
        }
    }

    async fn receive(&mut self, body: &[u8]) -> Result<(), RunError> {
        let shared = Arc::clone(&self.shared);
        match self.client.receive(body, || shared.store.number()) {
            Ok(news) => {
                self.again = 0;
                let refused = news.iter().find_map(|news| match news {
                    News::Refused(text) | News::Gone(text) => Some(text.clone()),
                    _ => None,
                });
                if let Some(text) = &refused {
                    shared.note_failure(text, true);
                }
                let gone = matches!(self.client.next(), Next::Gone);
                self.take(news)?;
                match refused.filter(|_| !gone) {
                    Some(text) => self.refused(&text).await,
                    None => {
                        shared.pacer.note_answer();
                        self.pauses = shared.pacer.pauses();
                        Ok(())
                    }
                }
            }
            Err(ClientError::Answer(error)) => {
                if !shared.verified() && !error.is_cut() {
                    return Err(self.not_slumbot(&error));
                }
                self.unusable(&error, body)?;
                shared.note_failure(&error.to_string(), true);
                self.pause(&error.to_string(), None).await
            }
            Err(ClientError::Contradiction { reason, .. }) if !shared.verified() => {
                Err(self.not_slumbot(&reason))
            }
            Err(error) => {
                let hand = self.open.number;
                self.close(&error.to_string())?;
                let (url, session) = (shared.url(), self.session);
                Err(RunError::Contradiction {
                    url,
                    session,
                    hand,
                    reason: Contradiction::Hand(error),
                })
            }
        }
    }

    fn not_slumbot(&self, error: &AnswerError) -> RunError {
        let (url, reason) = (self.shared.url(), error.to_string());
        RunError::NotSlumbot { url, reason, remedy: "check --host and --prefix" }
    }

    /// Counts an unusable answer; an error when a limit is reached.
    fn unusable(&mut self, error: &AnswerError, body: &[u8]) -> Result<(), RunError> {
        let often = match error.fault() {
            Fault::Line | Fault::Contradiction => return Ok(()),
            Fault::Again => {
                self.again += 1;
                let often = format!("{} that were given before", self.again);
                if self.again >= MAX_CONSECUTIVE_UNUSABLE { Err(often) } else { Ok(()) }
            }
            Fault::Unusable => {
                self.unusable = self.unusable.map(|count| count + 1);
                let counts = self.shared.store.counts();
                self.shared.failure_limits.unusable(counts.played + counts.settled)
            }
        };
        let (reason, text) = (error.to_string(), self.client.shown(body));
        self.shared.note_unusable(format!("{reason}: `{text}`"));
        let Err(often) = often else { return Ok(()) };
        self.keep()?;
        Err(RunError::Unusable { url: self.shared.url(), often, reason, text })
    }

    /// Saves the session's state, if there is a session yet.
    fn keep(&self) -> Result<(), RunError> {
        if self.client.token().is_some() { self.save(None) } else { Ok(()) }
    }

    /// Handles a request without a readable answer.
    async fn handle_failure(&mut self, error: HttpError) -> Result<(), RunError> {
        let reason = error.reason().to_owned();
        let answered = !matches!(error, HttpError::Unsent(_) | HttpError::Maybe(..));
        self.shared.note_failure(&reason, answered);
        let mut wait = None;
        match error {
            HttpError::Unsent(_) => self.client.lost(Lost::Unsent),
            HttpError::Maybe(_, longer) => {
                self.client.lost(Lost::Maybe);
                wait = longer;
            }
            HttpError::NotSlumbot(_, remedy) if !self.shared.verified() => {
                return Err(RunError::NotSlumbot { url: self.shared.url(), reason, remedy });
            }
            HttpError::Barred(_, remedy) if !self.shared.verified() => {
                return Err(RunError::Barred { url: self.shared.url(), reason, remedy });
            }
            HttpError::NotSlumbot(..) | HttpError::Barred(..) => self.client.lost(Lost::Maybe),
            HttpError::Rejected(_) => {
                self.client.lost(Lost::Maybe);
                self.refusals += 1;
                if self.refusals >= MAX_REFUSALS {
                    return Err(RunError::Rejected { url: self.shared.url(), reason });
                }
            }
        }
        self.pause(&reason, wait).await
    }

    /// Handles a refusal by the server; an error after too many.
    async fn refused(&mut self, text: &str) -> Result<(), RunError> {
        self.refusals += 1;
        let asked = self.client.request().map(|request| request.endpoint);
        if self.refusals >= MAX_REFUSALS || asked == Some(protocol::slumbot::Endpoint::Login) {
            let what = asked.map_or("a request", |endpoint| endpoint.name());
            let reason = format!("to {what} it says `{text}`");
            return Err(RunError::Rejected { url: self.shared.url(), reason });
        }
        self.pause(text, None).await
    }

    /// Pauses this session after a failure, and tells the pacer, which may pause all.
    async fn pause(&mut self, reason: &str, wait: Option<Duration>) -> Result<(), RunError> {
        tracing::debug!(session = self.session, reason, "no usable answer");
        self.shared.failed();
        self.keep()?;
        let pause = self.pauses.next().unwrap_or(self.shared.plan.pace.longest_pause);
        let pause = wait.map_or(pause, |wait| pause.max(wait.min(Duration::from_secs(600))));
        if let Err(waited) = self.shared.pacer.note_failure(reason) {
            let (url, reason) = (self.shared.url(), reason.to_owned());
            return Err(RunError::Gone { url, waited, reason });
        }
        sleep(pause).await;
        Ok(())
    }

    /// Begins another session: the server has ended this one.
    fn renew(&mut self) -> Result<(), RunError> {
        let ended = self.session;
        self.resume_or_begin()?;
        tracing::warn!(ended, begun = self.session, "the server has ended a session");
        Ok(())
    }
}

fn fresh(shared: &Shared) -> Client {
    let mut client = Client::new(Arc::clone(&shared.def), shared.plan.login.clone());
    client.against(shared.plan.opponent.clone());
    client
}
