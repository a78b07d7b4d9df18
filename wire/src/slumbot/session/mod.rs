//! One session: ask the agent, send, take the answer, write it down.

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

use super::failure_limits::IN_A_ROW;
use super::http::Trouble;
use super::run::Shared;
use super::{Claim, RunError};
use crate::bots;
use saved::restore;
pub(super) use saved::{Standing, standing};

mod rows;
mod saved;

/// How often in a row a server may refuse, or sessions may end without a hand, before the run does.
const PATIENCE: u32 = 25;

/// This side's number among the entrants, and the server's.
const AGENT: u8 = 0;
const SERVER: u8 = 1;

/// One session with the server.
pub(super) struct Session {
    shared: Arc<Shared>,
    session: u64,
    client: Client,
    /// Gone while it thinks.
    agent: Option<Bot>,
    open: Open,
    /// A hand of the run's number is this session's to play.
    claimed: bool,
    pauses: ExponentialBackoff,
    /// Refusals and lost sessions since the last hand.
    refusals: u32,
    /// Answers in a row that were given before.
    again: u64,
    /// Answers of the session that are not Slumbot's: since its last hand that was seen to its end,
    /// and all.
    unusable: [u64; 2],
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

impl Session {
    /// A session of an earlier run, if one waits, or a new one.
    pub(super) async fn new(shared: Arc<Shared>) -> Result<Session, RunError> {
        let opponents = [super::OPPONENT.to_owned()];
        let building = bots::build(&shared.plan.agent, &shared.def, &opponents).await;
        let agent = building.map_err(|error| RunError::System(error.to_string()))??;
        let pauses = shared.pacer.pauses();
        let mut desk = Session {
            client: fresh(&shared),
            session: 0,
            shared,
            agent: Some(agent),
            open: Open::default(),
            claimed: false,
            pauses,
            refusals: 0,
            again: 0,
            unusable: [0; 2],
        };
        desk.sit_down()?;
        desk.claimed = desk.client.in_hand() && desk.shared.claim_reserved();
        Ok(desk)
    }

    /// Takes up a session of an earlier run, if one waits, or a new one.
    fn sit_down(&mut self) -> Result<(), RunError> {
        let earlier = match self.shared.store.session() {
            Ok(earlier) => earlier,
            Err(new) => {
                (self.session, self.client, self.open) =
                    (new, fresh(&self.shared), Open::default());
                self.unusable = [0; 2];
                return Ok(());
            }
        };
        self.session = earlier.session;
        if earlier.token.is_some() {
            self.shared.prove();
        }
        (self.client, self.open, self.unusable) =
            restore(&self.shared, earlier).map_err(|error| {
                let session = self.session;
                RunError::System(format!("session {session} of the ledger is damaged: {error}"))
            })?;
        Ok(())
    }

    /// Plays until the run's hands are played, or it is asked to stop.
    pub(super) async fn run(&mut self) -> Result<(), RunError> {
        if self.client.in_hand() && !self.claimed {
            // The run has its hands without this one.
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

    /// Ends the agent; it may take a moment.
    pub(super) async fn leave(&mut self) {
        bots::dismiss(self.agent.take()).await;
    }

    /// Whether a hand is to be begun.
    fn claim(&mut self) -> bool {
        self.claimed = self.claimed || (!self.shared.stop.asked() && self.shared.claim());
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
            // The thought may take long, and what has been seen must not be lost meanwhile.
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
        let flight = shared.pacer.begin();
        let answer = shared.http.post(request.endpoint, request.body).await;
        drop(flight);
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
                self.again = 0;
                let refused = news.iter().find_map(|news| match news {
                    News::Refused(text) | News::Gone(text) => Some(text.clone()),
                    _ => None,
                });
                if let Some(text) = &refused {
                    shared.met(text, true);
                }
                let gone = matches!(self.client.next(), Next::Gone);
                self.take(news)?;
                match refused.filter(|_| !gone) {
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
                    return Err(self.not_slumbot(&error));
                }
                self.unusable(&error, body)?;
                shared.met(&error.to_string(), true);
                self.pause(&error.to_string(), None).await
            }
            Err(ClientError::Contradiction { reason, .. }) if !shared.proven() => {
                Err(self.not_slumbot(&reason))
            }
            Err(error) => {
                let hand = self.open.number;
                self.close(&error.to_string())?;
                let (url, session) = (shared.url(), self.session);
                Err(RunError::Claim { url, session, hand, reason: Claim::Hand(error) })
            }
        }
    }

    fn not_slumbot(&self, error: &AnswerError) -> RunError {
        let (url, reason) = (self.shared.url(), error.to_string());
        RunError::NotSlumbot { url, reason, remedy: "check --host and --prefix" }
    }

    /// Counts an answer that is no good; an error when there have been too many.
    fn unusable(&mut self, error: &AnswerError, body: &[u8]) -> Result<(), RunError> {
        let often = match error.fault() {
            Fault::Line | Fault::Contradiction => return Ok(()),
            Fault::Again => {
                self.again += 1;
                let often = format!("{} that were given before", self.again);
                if self.again >= IN_A_ROW { Err(often) } else { Ok(()) }
            }
            Fault::Unusable => {
                self.unusable = self.unusable.map(|count| count + 1);
                let counts = self.shared.store.counts();
                self.shared.failure_limits.unusable(counts.played + counts.settled)
            }
        };
        let (reason, text) = (error.to_string(), self.client.shown(body));
        self.shared.doubt(format!("{reason}: `{text}`"));
        let Err(often) = often else { return Ok(()) };
        self.keep()?;
        Err(RunError::Unusable { url: self.shared.url(), often, reason, text })
    }

    /// Writes where the session stands, if there is one yet.
    fn keep(&self) -> Result<(), RunError> {
        if self.client.token().is_some() { self.save(None) } else { Ok(()) }
    }

    /// No answer, or none that can be read.
    async fn trouble(&mut self, trouble: Trouble) -> Result<(), RunError> {
        let reason = trouble.reason().to_owned();
        let answered = !matches!(trouble, Trouble::Unsent(_) | Trouble::Maybe(..));
        self.shared.met(&reason, answered);
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
            Trouble::Barred(_, remedy) if !self.shared.proven() => {
                return Err(RunError::Barred { url: self.shared.url(), reason, remedy });
            }
            Trouble::NotSlumbot(..) | Trouble::Barred(..) => self.client.lost(Lost::Maybe),
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
        self.keep()?;
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
        let ended = self.session;
        self.sit_down()?;
        tracing::warn!(ended, begun = self.session, "the server has ended a session");
        Ok(())
    }
}

fn fresh(shared: &Shared) -> Client {
    let mut client = Client::new(Arc::clone(&shared.def), shared.plan.login.clone());
    client.against(shared.plan.opponent.clone());
    client
}
