//! Timeouts: hands without an action are forfeited, sessions without one expire.
//!
//! A forfeited hand costs the client what it had put in. If a fold is legal the hand ends with a
//! fold and is in the ledger. Otherwise the rules know no such end: it counts only in the session's
//! sums and in `forfeits.jsonl`.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use game::Action;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::files::Forfeit;
use super::hands::{not_recorded, recorded};
use super::seeds::token_text;
use super::session::{Session, deal_number, replay, set_totals, totals};
use super::slots::{Kind, Slot, Stage, pack};
use super::{HostError, Inner, LeftOpenHand, Shared, SlumbotHost, lock, now};

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
        let mut reporter = super::report::Reporter::default();
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
        lock(&self.0.ledger_store).close();
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
    pub(super) fn leave_open(&self, slot: &Slot) -> Result<LeftOpenHand, HostError> {
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

    async fn forfeit_left(&self, index: u32) -> Result<(), HostError> {
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
        left_at: Option<u32>,
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
    pub(super) fn make_room(&self) -> bool {
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
