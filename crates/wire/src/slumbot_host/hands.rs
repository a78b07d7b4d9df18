//! Sessions and hands: beginning, dealing, playing, finishing.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use logs::{DecisionRecord, HandRecord};
use matches::decide::mix;
use protocol::slumbot::host::{Hand, Next};
use protocol::slumbot::message::{HandEnd, HandObject};

use super::agents::{OfferedAgent, Question, SelfPlay};
use super::ledger_store::AgentLedger;
use super::queue::Commit;
use super::seeds::{parse_token, token_text};
use super::session::{Baseline, Session, cards, client_seat, deal_number, set_totals, totals};
use super::slots::{InLedger, Kind, Slot, Stage, pack};
use super::users::{CountedSession, User};
use super::{CLIENT_ENTRANT, HostError, InjectedFault, Inner, SERVER_ENTRANT, Shared, lock, now};

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
    pub(super) fn free(&self, index: u32) {
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
        fault: InjectedFault,
    ) -> Result<(HandObject, Option<Commit>), HostError> {
        let mut slot = session.slot.clone();
        slot.agent = agent.unwrap_or(slot.agent);
        slot.hand_agent = slot.agent;
        if !fault.repeat || slot.dealt == 0 {
            slot.deal = slot.dealt;
            slot.dealt += 1;
        }
        slot.stage = Stage::Open;
        slot.actions.clear();
        let (hole, board) = cards(&self.def, session.seeds, slot.deal);
        let hand = Hand::new(&self.def, hole, board, client_seat(slot.deal));
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
        index: u32,
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

    pub(super) fn self_play(&self, session: &Session, slot: &Slot) -> SelfPlay {
        let (hole, board) = cards(&self.def, session.seeds, slot.deal);
        // Differs from the number of the client's hand, so that the two are not confused.
        let hand = mix(deal_number(slot));
        let seat = client_seat(slot.deal);
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
