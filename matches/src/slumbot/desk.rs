//! One session: ask the agent, send, take the answer, write it down.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use agents::{Agent, Cost, HandOutcome};
use backon::ExponentialBackoff;
use game::{BySeat, InfoSet, PublicState, Seat, Turn};
use logs::ledger::{Known, SlumbotHand, SlumbotSession};
use logs::{DecisionRecord, Fallback, HandRecord, decisions};
use protocol::slumbot::client::{Client, ClientError, Finished, Lost, News, Next};
use protocol::slumbot::{Settled, Unsettled};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use super::http::Trouble;
use super::play::Shared;
use super::store::Entry;
use super::{Claim, RunError};
use crate::decide::{Decided, Request, decide};
use crate::threaded::seat;

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

/// Where a session stands, as the ledger keeps it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    client: String,
    number: u64,
    began_ms: i64,
    requests: u32,
    waited_us: u64,
    thought_us: u64,
    blind: u32,
    /// Lines of JSON.
    decisions: String,
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

    /// Writes down what an answer brought.
    fn take(&mut self, news: Vec<News>) -> Result<(), RunError> {
        let mut entry = self.entry();
        let mut drift = None;
        let mut settled = Vec::new();
        let known = !news.is_empty();
        let mut begun = false;
        for news in news {
            match news {
                News::Began(number) => {
                    begun = true;
                    self.open = Open {
                        number,
                        began_ms: now_ms(),
                        requests: self.open.requests,
                        waited: self.open.waited,
                        ..Open::default()
                    };
                }
                News::Finished(hand) => entry.hands.push(self.finished(*hand, &mut entry.record)),
                News::Unsettled(hand) => entry.hands.push(self.unsettled(&hand)),
                News::Settled(hand) => settled.push(hand),
                News::Drift(error) => {
                    entry.session.closed = Some(error.to_string());
                    drift = Some(error);
                }
                News::Gone(text) => {
                    self.refusals += 1;
                    entry.session.closed = Some(text);
                }
                News::Refused(_) => {}
            }
        }
        for hand in settled {
            let row = self.settled(hand, &entry.hands)?;
            entry.hands.retain(|other| other.hand != row.hand);
            entry.hands.push(row);
        }
        if begun || entry.record.is_some() {
            self.refusals = 0;
            self.shared.prove();
        }
        if known {
            self.fill(&mut entry);
            self.shared.store.commit(&entry)?;
        }
        match drift {
            Some(drift) => {
                let hand = entry.record.map_or(self.open.number, |(record, _)| record.hand);
                let (url, session) = (self.shared.url(), self.session);
                Err(RunError::Claim { url, session, hand, reason: Claim::Drift(drift) })
            }
            None if self.refusals >= PATIENCE => {
                let reason = "it forgets every session".to_owned();
                Err(RunError::Rejected { url: self.shared.url(), reason })
            }
            None => Ok(()),
        }
    }

    /// A hand was seen to its end.
    fn finished(
        &mut self,
        hand: Finished,
        record: &mut Option<(HandRecord, Vec<DecisionRecord>)>,
    ) -> SlumbotHand {
        let open = std::mem::take(&mut self.open);
        let Finished { number, seat, public, hole, payoffs, end, disturbed } = hand;
        if let Some(agent) = &mut self.agent {
            let (public, shown) = (&public, &hole);
            agent.hand_over(&HandOutcome { hand: number, public, seat, shown, payoffs: &payoffs });
        }
        self.claimed = false;
        self.shared.store.count(|counts| {
            counts.played += 1;
            counts.chips += end.winnings;
            counts.disturbed += u64::from(disturbed);
            counts.blind += u64::from(open.blind);
        });
        let row = SlumbotHand {
            number: Some(end.session_num_hands),
            known: Known::Played,
            winnings: Some(end.winnings),
            baseline: end.baseline_winnings,
            action: protocol::slumbot::action::write(&public),
            hole: hole[seat].to_string(),
            board: public.board().to_string(),
            disturbed,
            ended_ms: Some(now_ms()),
            ..self.row(&open, number, seat)
        };
        let entrants = BySeat::from_fn(2, |other| if other == seat { AGENT } else { SERVER });
        let hand = HandRecord { hand: number, deal: number, public, hole, payoffs, entrants };
        *record = Some((hand, open.decisions));
        row
    }

    /// What became of a hand is not known.
    fn unsettled(&mut self, hand: &Unsettled) -> SlumbotHand {
        let never_seen = hand.hole.is_empty();
        let open = if !never_seen && hand.number == self.open.number {
            // Another hand is to be played in its place.
            if std::mem::take(&mut self.claimed) {
                self.shared.unclaim();
            }
            std::mem::take(&mut self.open)
        } else {
            Open { began_ms: now_ms(), ..Open::default() }
        };
        self.shared.store.count(|counts| {
            counts.unknown += u64::from(!never_seen);
            counts.unseen += u64::from(never_seen);
            counts.blind += u64::from(open.blind);
        });
        let seat = Seat::new(hand.seat.into()).expect("0 or 1");
        SlumbotHand {
            action: hand.action.clone(),
            hole: hand.hole.clone(),
            board: hand.board.clone(),
            incr: hand.incr.clone(),
            ..self.row(&open, hand.number, seat)
        }
    }

    /// It is known now. Its row may be among those not yet written.
    fn settled(
        &mut self,
        hand: Settled,
        unwritten: &[SlumbotHand],
    ) -> Result<SlumbotHand, RunError> {
        let store = &self.shared.store;
        let row = match &hand.hand {
            Some(known) => {
                let here = unwritten.iter().find(|row| row.hand == known.number).cloned();
                let there = || store.reader()?.slumbot_hand(known.number).map_err(RunError::from);
                let row = match here {
                    Some(row) => Some(row),
                    None => there()?,
                };
                row
            }
            None => None,
        };
        let seen = hand.hand.as_ref().is_some_and(|known| !known.hole.is_empty());
        if seen {
            self.shared.claim_always();
        }
        store.count(|counts| {
            counts.chips += hand.winnings;
            if seen {
                counts.unknown -= 1;
                counts.settled += 1;
            } else {
                counts.unseen += u64::from(hand.hand.is_none());
                counts.unseen_settled += 1;
            }
        });
        let row = row.unwrap_or_else(|| {
            // A hand that nobody saw and that left no trace but its count.
            let open = Open { began_ms: now_ms(), ..Open::default() };
            self.row(&open, store.number(), Seat::new(0).expect("0"))
        });
        Ok(SlumbotHand {
            known: Known::Settled,
            winnings: Some(hand.winnings),
            baseline: hand.baseline,
            together: hand.together as u32,
            forfeited: hand.forfeited,
            ended_ms: Some(now_ms()),
            ..row
        })
    }

    /// A hand of which nothing is known but how it was played.
    fn row(&self, open: &Open, hand: u64, seat: Seat) -> SlumbotHand {
        SlumbotHand {
            hand,
            session: self.session,
            number: None,
            known: Known::Unknown,
            seat: seat.index() as u8,
            winnings: None,
            baseline: None,
            action: String::new(),
            hole: String::new(),
            board: String::new(),
            incr: None,
            together: 1,
            forfeited: false,
            disturbed: false,
            blind: open.blind,
            began_ms: open.began_ms,
            ended_ms: None,
            requests: open.requests,
            waited: open.waited,
            thought: open.thought,
        }
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

    /// Writes where the session stands.
    fn save(&self, closed: Option<String>) -> Result<(), RunError> {
        let mut entry = self.entry();
        entry.session.closed = closed;
        self.fill(&mut entry);
        self.shared.store.commit(&entry)
    }

    fn close(&self, reason: &str) -> Result<(), RunError> {
        self.save(Some(reason.to_owned()))
    }

    /// Leaves with a hand in play, to be gone on with later.
    fn adjourn(&self) -> Result<(), RunError> {
        self.shared.adjourn();
        if self.client.in_hand() { self.save(None) } else { Ok(()) }
    }

    fn entry(&self) -> Entry {
        let session = SlumbotSession {
            session: self.session,
            token: None,
            closed: None,
            state: String::new(),
        };
        Entry { record: None, hands: Vec::new(), session }
    }

    fn fill(&self, entry: &mut Entry) {
        entry.session.token = self.client.token().map(str::to_owned);
        let mut lines = String::new();
        self.open.decisions.iter().for_each(|decision| decisions::write_line(decision, &mut lines));
        let saved = Saved {
            client: self.client.save(),
            number: self.open.number,
            began_ms: self.open.began_ms,
            requests: self.open.requests,
            waited_us: self.open.waited.as_micros() as u64,
            thought_us: self.open.thought.as_micros() as u64,
            blind: self.open.blind,
            decisions: lines,
        };
        entry.session.state = serde_json::to_string(&saved).expect("plain data with text keys");
    }
}

fn fresh(shared: &Shared) -> Client {
    let mut client = Client::new(Arc::clone(&shared.def), shared.plan.login.clone());
    client.against(shared.plan.opponent.clone());
    client
}

fn restore(shared: &Shared, session: SlumbotSession) -> Result<(Client, Open), String> {
    let saved: Saved = serde_json::from_str(&session.state).map_err(|error| error.to_string())?;
    let (def, login) = (Arc::clone(&shared.def), shared.plan.login.clone());
    let mut client = Client::restore(def, session.token, login, &saved.client)
        .map_err(|error| error.to_string())?;
    client.against(shared.plan.opponent.clone());
    let lines = (1..).zip(saved.decisions.lines());
    let decisions = lines.map(|(number, line)| decisions::read_line(line, number));
    let open = Open {
        number: saved.number,
        began_ms: saved.began_ms,
        requests: saved.requests,
        waited: Duration::from_micros(saved.waited_us),
        thought: Duration::from_micros(saved.thought_us),
        blind: saved.blind,
        decisions: decisions.collect::<Result<_, _>>().map_err(|error| error.to_string())?,
    };
    Ok((client, open))
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
