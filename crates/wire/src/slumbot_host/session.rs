//! Sessions and their hands: beginning, dealing, playing, finishing; the number of sessions of each
//! user; and timeouts.
//!
//! Hands without an action are forfeited, sessions without one expire. A forfeited hand costs the
//! client what it had put in. If a fold is legal the hand ends with a fold and is in the ledger.
//! Otherwise the rules know no such end: it counts only in the session's sums and in
//! `forfeits.jsonl`.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cards::{Board, HoleCards};
use game::{Action, BySeat, GameDef, Seat};
use logs::{DecisionRecord, HandRecord};
use matches::bot::mix;
use matches::table::{Deal, Dealer};
use parallel::lock;
use protocol::slumbot::host::{Hand, Next, Totals};
use protocol::slumbot::message::{HandEnd, HandObject};
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::files::{Forfeit, Seeds, parse_token, token_text};
use super::ledgers::{AgentLedger, Commit, Reporter};
use super::slots::{AskedDeal, InLedger, Kind, Slot, Stage, pack, unpack};
use super::{
    CLIENT_ENTRANT, HostError, InjectedFault, Inner, LeftOpenHand, SERVER_ENTRANT, Shared,
    SlumbotHost, now,
};
use crate::bots::{OfferedAgent, Question, SelfPlay};

/// A session in memory.
#[derive(Debug)]
pub(super) struct Session {
    /// The contents of its slot on disk.
    pub(super) slot: Slot,
    /// The slot's number on disk.
    pub(super) index: i64,
    pub(super) seeds: Seeds,
    /// The agent's decisions in the hand in play, those since the server's start.
    pub(super) decisions: Vec<DecisionRecord>,
    /// Additional tokens, with the indices of their slots.
    pub(super) aliases: Vec<(u128, i64)>,
    /// The self-play that is in progress, for agents that are not inline.
    pub(super) baseline: Option<Baseline>,
    /// The session's count among its user's; `None` if it began before the server's start.
    of_user: Option<CountedSession>,
    /// Whether it has expired.
    pub(super) expired: bool,
}

/// A self-play in progress.
#[derive(Debug)]
pub(super) struct Baseline {
    /// The deal of the session that is played.
    pub(super) deal: u32,
    /// The agent's number.
    pub(super) agent: u16,
    /// The task that returns the result in chips; `None` when the agent failed.
    pub(super) result: JoinHandle<Option<i64>>,
}

impl Session {
    pub(super) fn new(slot: Slot, index: i64, seeds: Seeds) -> Session {
        let (decisions, aliases) = (Vec::new(), Vec::new());
        let (baseline, of_user) = (None, None);
        Session { slot, index, seeds, decisions, aliases, baseline, of_user, expired: false }
    }
}

/// The sums of a session.
pub(super) fn totals(slot: &Slot) -> Totals {
    Totals { hands: slot.finished.into(), total: slot.total, baseline_total: slot.baseline_total }
}

/// Stores the sums of a session.
fn set_totals(slot: &mut Slot, totals: Totals) {
    slot.finished = totals.hands as u32;
    slot.total = totals.total;
    slot.baseline_total = totals.baseline_total;
}

/// The number of a deal among those of all sessions, as ledgers use it.
pub(super) fn deal_number(slot: &Slot) -> u64 {
    u64::from(slot.number) << 32 | u64::from(slot.deal)
}

/// The client's seat in a deal: the one asked for, or the big blind first, then alternating.
fn client_seat(slot: &Slot) -> Seat {
    let seat = slot.asked.map_or(slot.deal as usize % 2, |asked| usize::from(asked.button));
    Seat::new(seat).expect("two seats")
}

/// The cards of the hand in a slot of the session with these seeds.
pub(super) fn cards(def: &GameDef, seeds: Seeds, slot: &Slot) -> (BySeat<HoleCards>, Board) {
    let (seed, deal) =
        slot.asked.map_or((seeds.deals, slot.deal), |asked| (asked.seed, asked.deal));
    let Deal { hole, board } = Dealer::new(def, seed).deal(deal.into());
    (hole, board)
}

/// The hand in a slot, with its actions played; `None` when there is none or an action is illegal.
pub(super) fn replay(def: &Arc<GameDef>, seeds: Seeds, slot: &Slot) -> Option<Hand> {
    if slot.stage == Stage::None {
        return None;
    }
    let (hole, board) = cards(def, seeds, slot);
    let mut hand = Hand::new(def, hole, board, client_seat(slot));
    for &action in &slot.actions {
        hand.play(unpack(action)).ok()?;
    }
    Some(hand)
}

impl Inner {
    pub(super) fn sessions(&self) -> std::sync::RwLockReadGuard<'_, HashMap<u128, Shared>> {
        self.sessions.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn sessions_mut(&self) -> std::sync::RwLockWriteGuard<'_, HashMap<u128, Shared>> {
        self.sessions.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn find(&self, token: &str) -> Result<Shared, HostError> {
        let token = parse_token(token).ok_or(HostError::BadToken)?;
        self.sessions().get(&token).cloned().ok_or(HostError::BadToken)
    }

    pub(super) fn alive(&self, session: &Session) -> Result<(), HostError> {
        if session.expired { Err(HostError::BadToken) } else { Ok(()) }
    }

    /// The agent with this number.
    pub(super) fn offered_agent(&self, number: u16) -> &Arc<OfferedAgent> {
        let offered = self.offered_agents.get(usize::from(number)).and_then(Option::as_ref);
        offered.expect("sessions have agents that are offered")
    }

    pub(super) fn named(&self, name: &str) -> Option<u16> {
        let named = |offered: &Option<Arc<OfferedAgent>>| {
            offered.as_ref().is_some_and(|offered| offered.name == name)
        };
        self.offered_agents.iter().position(named).map(|index| index as u16)
    }

    pub(super) fn find_agent(&self, name: &str) -> Result<u16, HostError> {
        self.named(name).ok_or_else(|| HostError::UnknownAgent {
            name: name.chars().take(100).collect(),
            known: self
                .offered_agents
                .iter()
                .flatten()
                .map(|offered| offered.name.clone())
                .collect(),
        })
    }

    /// The number of the agent configured for this user, or of the default agent.
    pub(super) fn agent_of(&self, username: &str) -> u16 {
        let name = self.plan.users.get(username);
        name.and_then(|name| self.named(name)).unwrap_or(self.default)
    }

    /// A new session, which is not yet in the table of sessions.
    pub(super) fn begin_session(
        &self,
        agent: u16,
        user: Option<User>,
    ) -> Result<NewSession<'_>, HostError> {
        let most = self.plan.most_sessions_of_user;
        let of_user = |user| CountedSession::new(&self.users, user, most);
        let of_user = user.map(|user| of_user(user).ok_or(HostError::TooManyOfUser(most)));
        let of_user = of_user.transpose()?;
        let full = self.sessions().len() >= self.plan.most_sessions;
        if full && !self.make_room() {
            return Err(HostError::Full);
        }
        let mut slot = Slot::new(Kind::Session, self.secret.token());
        slot.number = self.files.next_session();
        slot.agent = agent;
        slot.used = now();
        let seeds = self.secret.seeds(slot.number);
        let mut session = Session::new(slot, self.slots.take(), seeds);
        session.of_user = of_user;
        Ok(NewSession { inner: self, session: Some(session) })
    }

    /// Frees a slot.
    pub(super) fn free(&self, index: i64) {
        if let Err(error) = self.slots.clear(index) {
            tracing::warn!(%error, "a slot cannot be cleared");
        }
    }

    /// Appends a session to `tokens.csv`, before anything else of it is written.
    pub(super) fn note(&self, slot: &Slot, username: &str) -> Result<(), HostError> {
        let agent = &self.offered_agent(slot.agent).name;
        let noted = self.files.note_session(slot.number, &token_text(slot.token), username, agent);
        noted.map_err(not_recorded)
    }

    /// Adds a session to the table of sessions, once it is written.
    pub(super) fn admit(&self, begun: NewSession<'_>) {
        let session = begun.admit();
        let token = session.slot.token;
        self.sessions_mut().insert(token, Arc::new(tokio::sync::Mutex::new(session)));
    }

    /// Deals the next hand, and plays until the client is to act.
    pub(super) async fn deal(
        &self,
        session: &mut Session,
        agent: Option<u16>,
        asked: Option<AskedDeal>,
        fault: InjectedFault,
    ) -> Result<(HandObject, Option<Commit>), HostError> {
        let mut slot = session.slot.clone();
        slot.agent = agent.unwrap_or(slot.agent);
        slot.hand_agent = slot.agent;
        if !fault.repeat || slot.dealt == 0 {
            slot.deal = slot.dealt;
            slot.asked = asked;
            slot.dealt += 1;
        }
        slot.stage = Stage::Open;
        slot.actions.clear();
        let (hole, board) = cards(&self.def, session.seeds, &slot);
        let hand = Hand::new(&self.def, hole, board, client_seat(&slot));
        let dealt = self.advance(session, slot, hand, None).await?;
        self.counts.begun.fetch_add(1, Ordering::Relaxed);
        Ok(dealt)
    }

    /// Plays the server's actions until the client is to act or the hand is over, writes the
    /// session, and returns the answer. `slot` is the session's new slot, with the actions of
    /// `hand`. `before` is the betting before the client's last action; `None` for a new hand, for
    /// which an open one is left open.
    ///
    /// The session is changed last: if this is cancelled or fails, everything stays as it was.
    pub(super) async fn advance(
        &self,
        session: &mut Session,
        mut slot: Slot,
        mut hand: Hand,
        before: Option<String>,
    ) -> Result<(HandObject, Option<Commit>), HostError> {
        let offered = self.offered_agent(slot.hand_agent);
        let mut made = Vec::new();
        while hand.next() == Next::Server {
            let (seed, number) = (session.seeds.decisions, deal_number(&slot));
            let question = Question { infoset: hand.infoset(), seed, hand: number };
            let record = if offered.inline() {
                offered.decide(&question)?
            } else {
                offered.decide_elsewhere(question).await?
            };
            hand.play(record.action).expect("decide returns legal actions");
            slot.actions.push(pack(record.action));
            made.push(record);
        }
        slot.used = now();
        let over = hand.next() == Next::Over;
        let own = if over { self.baseline(offered, session, &slot).await? } else { None };
        // No await from here on.
        let (old_action, mut decisions, left) = match before {
            Some(action) => (action, std::mem::take(&mut session.decisions), None),
            None if session.slot.stage == Stage::Open => {
                (String::new(), Vec::new(), Some(self.leave_open(&session.slot)?))
            }
            None => (String::new(), Vec::new(), None),
        };
        let earlier = decisions.len();
        decisions.append(&mut made);
        let written = if over {
            let finished = self.finish(session.index, &mut slot, &hand, &mut decisions, own);
            finished.map(|(end, commit)| (Some(end), commit))
        } else {
            let written = self.slots.write(session.index, &slot).map_err(not_recorded);
            written.map(|()| (None, None))
        };
        let (end, commit) = match written {
            Ok(written) => written,
            Err(error) => {
                if let Some(left) = left {
                    self.free(left.index);
                } else {
                    decisions.truncate(earlier);
                    session.decisions = decisions;
                }
                return Err(error);
            }
        };
        if let Some(left) = left {
            self.is_left_open(left);
        }
        if !over && !offered.inline() && slot.actions.len() <= 1 {
            session.baseline = self.begin_baseline(offered, session, &slot);
        }
        (session.slot, session.decisions) = (slot, decisions);
        Ok((hand.object(old_action, end, None), commit))
    }

    /// Adds a finished hand to the sums in its slot, writes the slot at `index`, and records the
    /// hand with `decisions`, which are moved out. `baseline` is the agent's result when it played
    /// itself in the client's seat.
    ///
    /// # Errors
    /// When the hand or the slot cannot be written; then nothing has changed.
    pub(super) fn finish(
        &self,
        index: i64,
        slot: &mut Slot,
        hand: &Hand,
        decisions: &mut Vec<DecisionRecord>,
        baseline: Option<i64>,
    ) -> Result<(HandEnd, Option<Commit>), HostError> {
        let winnings = hand.winnings();
        let baseline = baseline.map_or(0, |own| winnings - own);
        let mut sums = totals(slot);
        sums.add(winnings, baseline);
        let end = hand.end(baseline, sums);
        let mut finished = slot.clone();
        set_totals(&mut finished, sums);
        finished.stage = Stage::Finished;
        let ledger = self.ledger(slot.hand_agent)?;
        let commit = ledger.keep(record(slot, hand), decisions, |number| {
            let (agent, ledger) = (finished.hand_agent, ledger.number);
            finished.last = Some(InLedger { agent, ledger, hand: number });
            self.slots.write(index, &finished).map_err(not_recorded)
        })?;
        *slot = finished;
        self.counts.hands.fetch_add(1, Ordering::Relaxed);
        Ok((end, commit))
    }

    /// The ledger of an agent, opened when first needed.
    pub(super) fn ledger(&self, agent: u16) -> Result<Arc<AgentLedger>, HostError> {
        let mut ledger = lock(&self.ledgers[usize::from(agent)]);
        if let Some(ledger) = &*ledger {
            return Ok(Arc::clone(ledger));
        }
        let opened = self.open_ledger(agent).map_err(|error| {
            tracing::error!(%error, "the ledger of an agent cannot be opened");
            HostError::NotRecorded(None)
        })?;
        *ledger = Some(Arc::clone(&opened.0));
        Ok(opened.0)
    }

    fn self_play(&self, session: &Session, slot: &Slot) -> SelfPlay {
        let (hole, board) = cards(&self.def, session.seeds, slot);
        // Differs from the number of the client's hand, so that the two are not confused.
        let hand = mix(deal_number(slot));
        let seat = client_seat(slot);
        SelfPlay { hole, board, seat, seed: session.seeds.baseline, hand }
    }

    /// Starts the self-play of an agent that is not inline, while the client thinks.
    fn begin_baseline(
        &self,
        offered: &Arc<OfferedAgent>,
        session: &Session,
        slot: &Slot,
    ) -> Option<Baseline> {
        if !self.plan.baseline {
            return None;
        }
        let (offered, deal) = (Arc::clone(offered), self.self_play(session, slot));
        let result = tokio::spawn(async move { offered.play_itself_elsewhere(deal).await.ok() });
        Some(Baseline { deal: slot.deal, agent: slot.hand_agent, result })
    }

    /// The agent's result when it plays itself in the client's seat of the hand in `slot`; `None`
    /// if baselines are off.
    pub(super) async fn baseline(
        &self,
        offered: &Arc<OfferedAgent>,
        session: &mut Session,
        slot: &Slot,
    ) -> Result<Option<i64>, HostError> {
        if !self.plan.baseline {
            return Ok(None);
        }
        if let Some(begun) = &mut session.baseline
            && (begun.deal, begun.agent) == (slot.deal, slot.hand_agent)
        {
            let played = (&mut begun.result).await;
            session.baseline = None;
            if let Ok(Some(own)) = played {
                return Ok(Some(own));
            }
        }
        let deal = self.self_play(session, slot);
        let own = if offered.inline() {
            offered.play_itself(&deal)?
        } else {
            offered.play_itself_elsewhere(deal).await?
        };
        Ok(Some(own))
    }

    /// Gives the session an additional token, if `fault` asks for it and it can be written.
    pub(super) fn rotated(
        &self,
        mut object: HandObject,
        shared: &Shared,
        session: &mut Session,
        fault: InjectedFault,
    ) -> HandObject {
        if fault.rotate {
            let mut alias = Slot::new(Kind::Alias, self.secret.token());
            (alias.stands_for, alias.used) = (session.slot.token, now());
            let index = self.slots.take();
            if let Err(error) = self.slots.write(index, &alias) {
                tracing::error!(%error, "a further token cannot be written");
                self.free(index);
                return object;
            }
            session.aliases.push((alias.token, index));
            self.sessions_mut().insert(alias.token, Arc::clone(shared));
            object.token = Some(token_text(alias.token));
        }
        object
    }
}

/// A session not yet in the table of sessions. Its slot is freed on drop unless it is admitted.
pub(super) struct NewSession<'a> {
    inner: &'a Inner,
    session: Option<Session>,
}

impl NewSession<'_> {
    /// The session.
    pub(super) fn session(&mut self) -> &mut Session {
        self.session.as_mut().expect("it is taken by `admit` only")
    }

    fn admit(mut self) -> Session {
        self.session.take().expect("it is taken here only")
    }
}

impl Drop for NewSession<'_> {
    fn drop(&mut self) {
        if let Some(session) = &self.session {
            self.inner.free(session.index);
        }
    }
}

/// Waits until a finished hand is recorded.
pub(super) async fn recorded(commit: Option<Commit>) -> Result<(), HostError> {
    let Some(commit) = commit else { return Ok(()) };
    // A closed channel means that the writer thread has ended.
    if commit.await.unwrap_or(false) { Ok(()) } else { Err(HostError::NotRecorded(None)) }
}

pub(super) fn not_recorded(error: std::io::Error) -> HostError {
    tracing::error!(%error, "a session cannot be written");
    HostError::NotRecorded(Some(error))
}

/// The record of a finished hand, without its number.
pub(super) fn record(slot: &Slot, hand: &Hand) -> HandRecord {
    let mut entrants = game::BySeat::new(2);
    (entrants[hand.client()], entrants[hand.server()]) = (CLIENT_ENTRANT, SERVER_ENTRANT);
    HandRecord {
        hand: 0,
        deal: deal_number(slot),
        public: hand.public().clone(),
        hole: *hand.hole(),
        payoffs: hand.payoffs(),
        entrants,
    }
}

/// The bounds of the interval between searches for idle hands and sessions, which is a quarter of
/// the shortest limit.
const TICK_BOUNDS: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(60));

/// The interval at which the statistics of ledgers are written.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);

/// The idle time after which a session without a finished hand is dropped for a new one when the
/// limit of sessions is reached.
const UNUSED_LIFETIME: Duration = Duration::from_secs(600);

impl SlumbotHost {
    /// Runs the periodic work until `stop`. [`close`](Self::close) comes after it.
    pub async fn run(self, stop: CancellationToken) {
        let plan = &self.0.plan;
        let shortest = plan.forfeit_after.min(plan.session_life);
        let mut checks = tokio::time::interval((shortest / 4).clamp(TICK_BOUNDS.0, TICK_BOUNDS.1));
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut reports = tokio::time::interval(REPORT_INTERVAL);
        let mut reporter = Reporter::default();
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                _ = checks.tick() => self.end_idle().await,
                _ = reports.tick() => reporter = self.report(reporter).await,
            }
        }
        self.report(reporter).await;
    }

    /// Forfeits hands and drops sessions that have been idle for too long.
    pub async fn end_idle(&self) {
        let inner = &*self.0;
        let now = now();
        let all: Vec<Shared> = inner.sessions().values().cloned().collect();
        for shared in all {
            // A locked session is being served, and so not idle.
            let Ok(mut session) = shared.try_lock() else { continue };
            if session.slot.stage == Stage::Open && inner.forfeit_at(&session.slot) <= now {
                let slot = session.slot.clone();
                if let Err(error) = inner.forfeit(&mut session, slot, None).await {
                    tracing::warn!(%error, "a hand cannot be forfeited");
                }
            }
            let life = inner.plan.session_life.as_millis() as u64;
            if session.slot.used.saturating_add(life) <= now {
                inner.expire(&mut session);
            }
        }
        for left in inner.due(now) {
            if let Err(error) = inner.forfeit_left(left.index).await {
                tracing::warn!(%error, "a hand left open cannot be forfeited; trying again later");
                inner.is_left_open(left);
            }
        }
    }

    /// Writes everything to disk; hands that end later are not recorded. Blocks: not for a
    /// runtime's own threads.
    pub fn close(&self) {
        lock(&self.0.writer).close();
        if let Err(error) = self.0.slots.sync() {
            tracing::warn!(%error, "sessions cannot be flushed to disk");
        }
    }
}

impl Inner {
    /// The time at which the hand in a slot is forfeited, in milliseconds since 1970.
    pub(super) fn forfeit_at(&self, slot: &Slot) -> u64 {
        slot.used.saturating_add(self.plan.forfeit_after.as_millis() as u64)
    }

    /// Writes a hand that its client leaves open to a slot of its own.
    fn leave_open(&self, slot: &Slot) -> Result<LeftOpenHand, HostError> {
        let slot = Slot { kind: Kind::LeftOpen, ..slot.clone() };
        let left = LeftOpenHand { at: self.forfeit_at(&slot), index: self.slots.take() };
        let written = self.slots.write(left.index, &slot);
        written.map(|()| left).map_err(|error| {
            self.free(left.index);
            not_recorded(error)
        })
    }

    /// Adds a hand to those left open.
    pub(super) fn is_left_open(&self, hand: LeftOpenHand) {
        let mut left = lock(&self.left_open);
        // Nearly always the end of the queue.
        let index = left.partition_point(|other| other.at <= hand.at);
        left.insert(index, hand);
    }

    /// Removes and returns the hands left open that are due.
    fn due(&self, now: u64) -> Vec<LeftOpenHand> {
        let mut left = lock(&self.left_open);
        let due = left.partition_point(|hand| hand.at <= now);
        left.drain(..due).collect()
    }

    async fn forfeit_left(&self, index: i64) -> Result<(), HostError> {
        let slot = self.slots.read(index).map_err(not_recorded)?;
        let slot = slot.filter(|slot| slot.kind == Kind::LeftOpen && slot.stage == Stage::Open);
        let shared = slot.as_ref().and_then(|slot| self.sessions().get(&slot.token).cloned());
        if let (Some(slot), Some(shared)) = (slot, shared) {
            let mut session = shared.lock().await;
            self.forfeit(&mut session, slot, Some(index)).await?;
        }
        self.free(index);
        Ok(())
    }

    /// Ends the hand in `slot` as lost by the client. It is the session's hand in play, or, with a
    /// index in `left_at`, one left open.
    ///
    /// # Errors
    /// Then nothing has changed, except for [`HostError::NotRecorded`] after the hand's end, which
    /// counts.
    async fn forfeit(
        &self,
        session: &mut Session,
        mut slot: Slot,
        left_at: Option<i64>,
    ) -> Result<(), HostError> {
        let Some(mut hand) = replay(&self.def, session.seeds, &slot) else {
            tracing::warn!(session = slot.number, "a hand left open cannot be rebuilt");
            return Ok(());
        };
        let action = hand.action();
        let lost = i64::from(hand.public().committed()[hand.client()]);
        let offered = self.offered_agent(slot.hand_agent);
        let own = self.baseline(offered, session, &slot).await?;
        set_totals(&mut slot, totals(&session.slot));
        // No await from here on.
        let mut commit = None;
        let folds = hand.public().legal().fold;
        if folds {
            hand.play(Action::Fold).expect("it is legal");
            slot.actions.push(pack(Action::Fold));
            let mut unknown = Vec::new();
            let (index, decisions) = match left_at {
                None => (session.index, &mut session.decisions),
                Some(index) => (index, &mut unknown),
            };
            (_, commit) = self.finish(index, &mut slot, &hand, decisions, own)?;
        } else {
            let mut sums = totals(&slot);
            sums.add(-lost, own.map_or(0, |own| -lost - own));
            set_totals(&mut slot, sums);
            slot.stage = Stage::None;
        }
        let ended = match left_at {
            None => slot.clone(),
            Some(_) => {
                let mut ended = session.slot.clone();
                set_totals(&mut ended, totals(&slot));
                ended
            }
        };
        match self.slots.write(session.index, &ended) {
            // The hand is in the ledger; the session is written with its next action.
            Err(error) if folds => {
                tracing::error!(%error, "a session cannot be written");
            }
            written => written.map_err(not_recorded)?,
        }
        session.slot = ended;
        if left_at.is_none() {
            session.decisions.clear();
        }
        if !folds {
            self.counts.hands.fetch_add(1, Ordering::Relaxed);
        }
        self.counts.forfeited.fetch_add(1, Ordering::Relaxed);
        let noted = self.files.note_forfeit(&Forfeit {
            at: jiff::Timestamp::now().to_string(),
            token: &token_text(slot.token),
            deal: deal_number(&slot),
            agent: &offered.name,
            action: &action,
            lost,
            hand: slot.last.filter(|_| folds).map(|last| last.hand),
        });
        if let Err(error) = noted {
            tracing::error!(%error, "a forfeited hand cannot be noted");
        }
        recorded(commit).await
    }

    /// Drops a session and all its tokens.
    fn expire(&self, session: &mut Session) {
        session.expired = true;
        session.of_user = None;
        let mut sessions = self.sessions_mut();
        sessions.remove(&session.slot.token);
        let indices = session.aliases.drain(..).map(|(token, index)| {
            sessions.remove(&token);
            index
        });
        indices.chain([session.index]).for_each(|index| self.free(index));
        self.counts.expired.fetch_add(1, Ordering::Relaxed);
    }

    /// Drops sessions that were begun but not used; returns whether there were any.
    fn make_room(&self) -> bool {
        let oldest = now().saturating_sub(UNUSED_LIFETIME.as_millis() as u64);
        let all: Vec<Shared> = self.sessions().values().cloned().collect();
        let mut unused: Vec<(u64, Shared)> = all
            .into_iter()
            .filter_map(|shared| {
                let session = shared.try_lock().ok()?;
                let slot = &session.slot;
                let unused = slot.finished == 0 && slot.used < oldest;
                unused.then(|| (slot.used, Arc::clone(&shared)))
            })
            .collect();
        unused.sort_unstable_by_key(|(used, _)| *used);
        // Several at once, so that not every new session has to search all of them.
        unused.truncate(1 + self.plan.most_sessions / 100);
        for (_, shared) in &unused {
            if let Ok(mut session) = shared.try_lock() {
                self.expire(&mut session);
            }
        }
        !unused.is_empty()
    }
}

/// A user: a login name, or else an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum User {
    /// A login name.
    Name(Box<str>),
    /// The address of a client without a name.
    Address(IpAddr),
}

impl User {
    /// The user with this login name, or else with this address; `None` if both are missing.
    pub(super) fn new(name: &str, from: Option<IpAddr>) -> Option<User> {
        match name {
            "" => from.map(User::Address),
            name => Some(User::Name(name.into())),
        }
    }
}

/// The number of sessions of every user that has any.
pub(super) type Users = Arc<Mutex<HashMap<User, usize>>>;

/// A counted session of a user; dropping it ends the count.
#[derive(Debug)]
struct CountedSession {
    users: Users,
    user: User,
}

impl CountedSession {
    /// Counts one more session of a user; `None` if it has `most` already (0 for no limit).
    pub(super) fn new(users: &Users, user: User, most: usize) -> Option<CountedSession> {
        let mut counts = lock(users);
        let count = counts.entry(user.clone()).or_default();
        if most > 0 && *count >= most {
            return None;
        }
        *count += 1;
        Some(CountedSession { users: Arc::clone(users), user })
    }
}

impl Drop for CountedSession {
    fn drop(&mut self) {
        let mut counts = lock(&self.users);
        if let Some(count) = counts.get_mut(&self.user) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.user);
            }
        }
    }
}
