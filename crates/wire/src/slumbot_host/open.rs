//! Starting a host: reads what is on disk, and completes what a killed server had begun.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, RwLock};

use game::Turn;
use matches::games::load_game;
use protocol::acpc::gamedef::Reading;
use tokio::sync::Semaphore;

use super::agents::OfferedAgent;
use super::files::{self, Files, agent_names};
use super::hands::record;
use super::ledger_store::{self, AgentLedger, LedgerStore, OpenLedgerError};
use super::queue::Finished;
use super::seeds::Secret;
use super::session::{Session, replay};
use super::slots::{FoundSlots, InLedger, Kind, Slot, Slots, Stage};
use super::{Counts, GAME, HostPlan, Inner, LeftOpenHand, OpenError, Shared, SlumbotHost};
use crate::permissions::{self, FILE, FOLDER, take_from_others};

impl SlumbotHost {
    /// Opens the host's folder, or makes it. Blocks: not for a runtime's own threads.
    ///
    /// # Errors
    /// When a file or ledger cannot be used, or an agent that is named is not offered.
    pub fn open(plan: HostPlan) -> Result<SlumbotHost, OpenError> {
        let at = |name: &str| plan.folder.join(name);
        let io = |name: &str| {
            let path = at(name);
            move |reason| OpenError::Io { path, reason }
        };
        permissions::make_folder(&plan.folder).map_err(io(""))?;
        take_from_others(&plan.folder, FOLDER).map_err(io(""))?;
        let lock = files::lock(&at("lock")).map_err(io("lock"))?;
        let lock = lock.ok_or_else(|| OpenError::InUse(plan.folder.clone()))?;
        for name in files::SECRET {
            take_from_others(&at(name), FILE).map_err(io(name))?;
        }
        let def = load_game(GAME, Reading::Strict).expect("a built-in game");
        let secret = Secret::open(&at("secret"), plan.process).map_err(io("secret"))?;
        let names: Vec<&str> = plan.agents.iter().map(|(name, _)| name.as_str()).collect();
        let known = agent_names(&at("agents"), &names).map_err(io("agents"))?;
        let (slots, found) = Slots::open(&at("sessions")).map_err(io("sessions"))?;
        let sessions = found.slots.iter().map(|(_, slot)| slot.number + 1).max().unwrap_or(0);
        let files = Files::open(&plan.folder, sessions).map_err(io("tokens.csv"))?;
        let ledger_store = LedgerStore::start().map_err(OpenError::Thread)?;
        let permits = Arc::new(Semaphore::new(plan.workers));
        let offer = |name: &String| {
            let (_, choice) = plan.agents.iter().find(|(offered, _)| offered == name)?;
            let (name, choice, permits) = (name.clone(), choice.clone(), Arc::clone(&permits));
            Some(Arc::new(OfferedAgent::new(name, choice, &def, plan.decision_time, permits)))
        };
        let offered_agents: Vec<Option<Arc<OfferedAgent>>> = known.iter().map(offer).collect();
        let offered = |name: &String| {
            let position = known
                .iter()
                .zip(&offered_agents)
                .position(|(known, offered)| offered.is_some() && known == name);
            position.ok_or_else(|| OpenError::NoAgent(name.clone()))
        };
        let default = offered(&plan.agent)? as u16;
        plan.users.values().try_for_each(|name| offered(name).map(drop))?;
        let ledgers = offered_agents.iter().map(|_| Mutex::default()).collect();
        let inner = Inner {
            def,
            default,
            secret,
            slots,
            files,
            sessions: RwLock::default(),
            left_open: Mutex::default(),
            ledger_store: Mutex::new(ledger_store),
            ledgers,
            counts: Counts::default(),
            users: Arc::default(),
            lock,
            plan,
            offered_agents,
        };
        ledger_store::recover(&inner.plan.matches)?;
        inner.restore(found)?;
        Ok(SlumbotHost(Arc::new(inner)))
    }
}

/// The ledger of an agent, and the ranges of hands in it.
type Opened = (Arc<AgentLedger>, Vec<RangeInclusive<u64>>);

impl Inner {
    /// Restores the sessions of an earlier process.
    fn restore(&self, found: FoundSlots) -> Result<(), OpenError> {
        for index in &found.damaged {
            tracing::warn!(place = index, "a session was written in part and is lost");
        }
        let offered =
            |number: u16| self.offered_agents.get(usize::from(number)).is_some_and(Option::is_some);
        let mut opened: Vec<Option<Opened>> = self.offered_agents.iter().map(|_| None).collect();
        let mut sessions = HashMap::with_capacity(found.slots.len());
        let (mut aliases, mut left) = (Vec::new(), Vec::new());
        for (index, mut slot) in found.slots {
            if slot.kind == Kind::Alias {
                aliases.push((index, slot));
                continue;
            }
            if !offered(slot.agent) {
                slot.agent = self.default;
            }
            slot.last = slot.last.filter(|last| offered(last.agent));
            if !offered(slot.hand_agent) {
                // The agent of this hand is no longer offered.
                slot.stage = Stage::None;
            }
            if slot.stage == Stage::Finished {
                self.complete(&slot, &mut opened)?;
            }
            match slot.kind {
                Kind::LeftOpen if slot.stage == Stage::Open => left.push((index, slot)),
                Kind::LeftOpen => self.free(index),
                Kind::Session | Kind::Alias => {
                    let seeds = self.secret.seeds(slot.number);
                    let token = slot.token;
                    let session = Session::new(slot, index, seeds);
                    sessions.insert(token, Arc::new(tokio::sync::Mutex::new(session)));
                }
            }
        }
        for (index, alias) in aliases {
            self.restore_alias(&mut sessions, index, &alias);
        }
        left.sort_unstable_by_key(|(_, slot)| slot.used);
        for (index, slot) in left {
            let session = sessions.get(&slot.token).and_then(|session| session.try_lock().ok());
            // The server was killed just before the hand was left open: it is still in play.
            let goes_on = session.is_some_and(|session| {
                let Session { slot: open, .. } = &*session;
                open.stage == Stage::Open
                    && (open.deal, &open.actions) == (slot.deal, &slot.actions)
            });
            if goes_on {
                self.free(index);
            } else {
                self.is_left_open(LeftOpenHand { at: self.forfeit_at(&slot), index });
            }
        }
        if !sessions.is_empty() {
            tracing::info!(
                sessions = sessions.len(),
                "resumed the Slumbot sessions of an earlier run"
            );
        }
        *self.sessions_mut() = sessions;
        Ok(())
    }

    /// Restores an additional token of a session, or frees its slot if the session is gone.
    fn restore_alias(&self, sessions: &mut HashMap<u128, Shared>, index: u32, alias: &Slot) {
        let Some(session) = sessions.get(&alias.stands_for).cloned() else {
            return self.free(index);
        };
        if let Ok(mut session) = session.try_lock() {
            session.aliases.push((alias.token, index));
        }
        sessions.insert(alias.token, session);
    }

    /// Adds a finished hand to its ledger if it is missing there because the server was killed.
    fn complete(&self, slot: &Slot, opened: &mut [Option<Opened>]) -> Result<(), OpenError> {
        let Some(InLedger { agent, ledger: ledger_number, hand: number }) = slot.last else {
            return Ok(());
        };
        let entry = &mut opened[usize::from(agent)];
        let (ledger, present) = match entry {
            Some(opened) => opened,
            None => {
                let fresh = self.open_ledger(agent)?;
                *super::lock(&self.ledgers[usize::from(agent)]) = Some(Arc::clone(&fresh.0));
                entry.insert(fresh)
            }
        };
        // Ledgers before the open one are not checked.
        if ledger_number != ledger.number || present.iter().any(|range| range.contains(&number)) {
            return Ok(());
        }
        let seeds = self.secret.seeds(slot.number);
        let hand = replay(&self.def, seeds, slot).filter(|hand| hand.public().turn() == Turn::Over);
        let Some(hand) = hand else {
            tracing::warn!(session = slot.number, "a finished hand cannot be rebuilt");
            return Ok(());
        };
        let record = record(slot, &hand);
        ledger.restore(Finished { record, decisions: Vec::new() }, number);
        Ok(())
    }

    /// Opens the ledger of an agent.
    pub(super) fn open_ledger(&self, agent: u16) -> Result<Opened, OpenLedgerError> {
        let offered = self.offered_agent(agent);
        let (matches, provenance) = (&self.plan.matches, &self.plan.provenance);
        let ledger_store = super::lock(&self.ledger_store);
        ledger_store.open(matches, offered.choice(), &self.def, provenance)
    }
}
