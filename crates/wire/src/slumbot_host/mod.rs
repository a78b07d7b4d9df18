//! The host of the Slumbot API: sessions that play heads-up hands against our agents.
//!
//! `protocol::slumbot::host` decides what a request means; here are the sessions, the cards and the
//! records. A request is atomic: it works on a copy of its session's slot, which is written to disk
//! before the answer is sent, and by then a finished hand is in the journal of the agent's ledger.
//! A host that is killed and started again reads what is on disk, completes what it had begun, and
//! continues every session, with the open hands.
//!
//! - [`session`]: sessions and their hands, and what happens to those that are left. [`slots`]:
//!   sessions on disk. [`files`]: the small files, with the secret behind cards and tokens.
//! - [`ledgers`]: the records. [`view`]: what a client may see of its session.
//!
//! Folder: `secret`, `sessions.sqlite` (slots), `agents` (their names, one a line, in the order of
//! their numbers), `tokens.csv` (every session that ever was, so that a ledger's deal numbers can
//! be traced: deal number = session × 2³² + deal of the session), `forfeits.jsonl`.

pub(crate) mod files;
mod ledgers;
mod session;
pub(crate) mod slots;
mod view;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agents::{AgentChoice, AgentError};
use game::{GameDef, Turn};
use logs::Provenance;
use matches::games::load_game;
use parallel::lock;
use protocol::acpc::gamedef::Reading;
use protocol::slumbot::IncrError;
use protocol::slumbot::host::{self, BAD_TOKEN, Hand, Request, refusal};
use protocol::slumbot::message::{ErrorObject, HandObject, TokenObject, json};
use runs::Lock;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::Semaphore;

use crate::Error;
use files::{FILE, FOLDER, Files, agent_names, make_folder, take_from_others, token_text};
use ledgers::{AgentLedger, Finished, Writer};
use session::{Session, User, Users, not_recorded, record, recorded, replay};
use slots::{AskedDeal, InLedger, Kind, Slot, Slots, Stage, pack};

pub use crate::bots::{OfferedAgent, Question};
pub use files::Secret;
pub(crate) use view::DealtHand;
pub use view::{Choice, Moment, Review, ReviewedDecision, SeenEnd, SeenHand, SessionView};

/// The name of the game that is played.
pub const GAME: &str = "holdem.nolimit.2p.reverse_blinds";

/// The strongest agent that answers within the time that a person waits: from the turn on by
/// solutions.
pub const STRONGEST: &str = "resolve:deadline=2s";

/// The entrant numbers of the client and the bot.
const CLIENT_ENTRANT: u8 = 0;
pub(crate) const SERVER_ENTRANT: u8 = 1;

/// The settings of a host.
#[derive(Debug, Clone)]
pub struct HostPlan {
    /// The folder with the sessions' files.
    pub folder: PathBuf,
    /// The folder in which match folders are made.
    pub matches: PathBuf,
    /// The agents that clients can play against, by name.
    pub agents: Vec<(String, AgentChoice)>,
    /// The name of the default agent.
    pub agent: String,
    /// The agents of users who log in, by user name.
    pub users: BTreeMap<String, String>,
    /// Whether the agent also plays the cards of every hand against itself, for
    /// `baseline_winnings`.
    pub baseline: bool,
    /// The number of this process among those behind one address, with which its tokens begin; 0
    /// for a single process.
    pub process: u8,
    /// Most sessions at once.
    pub most_sessions: usize,
    /// Most sessions of one user; 0 for no limit. A user is a login name, or else an address.
    pub most_sessions_of_user: usize,
    /// The idle time after which a session expires.
    pub session_life: Duration,
    /// The idle time after which a hand is forfeited.
    pub forfeit_after: Duration,
    /// The time limit for a decision.
    pub decision_time: Duration,
    /// Most concurrent decisions of agents that are not inline.
    pub workers: usize,
    /// The program and its version, for the records.
    pub provenance: Provenance,
}

/// An injected fault of a request that changes what is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InjectedFault {
    /// `new_hand` deals the same cards again.
    pub repeat: bool,
    /// The answer carries a new token; the old one stays valid.
    pub rotate: bool,
}

/// The answer to a request.
#[derive(Debug)]
pub enum Answer {
    /// A hand in play or finished.
    Hand(Box<HandObject>),
    /// The token of a new session.
    Token(TokenObject),
}

impl Answer {
    /// The answer's body.
    pub fn json(&self) -> String {
        match self {
            Answer::Hand(hand) => json(hand),
            Answer::Token(token) => json(token),
        }
    }
}

/// The host; cheap to clone.
#[derive(Clone)]
pub struct SlumbotHost(Arc<Inner>);

struct Inner {
    plan: HostPlan,
    def: Arc<GameDef>,
    /// The agents, by the numbers used in slots; `None` for those no longer offered.
    offered_agents: Vec<Option<Arc<OfferedAgent>>>,
    default: u16,
    secret: Secret,
    slots: Slots,
    files: Files,
    sessions: RwLock<HashMap<u128, Shared>>,
    /// The hands left open, in the order in which they will be forfeited.
    left_open: Mutex<VecDeque<LeftOpenHand>>,
    writer: Mutex<Writer>,
    ledgers: Vec<Mutex<Option<Arc<AgentLedger>>>>,
    counts: Counts,
    users: Users,
    #[expect(dead_code, reason = "the folder is locked while it is open")]
    lock: Lock,
}

type Shared = Arc<tokio::sync::Mutex<Session>>;

/// A hand that its client has left open by beginning another.
#[derive(Debug, Clone, Copy)]
struct LeftOpenHand {
    /// The time at which it is forfeited, in milliseconds since 1970.
    at: u64,
    /// The index of the slot it is in.
    index: i64,
}

/// Counts since the start.
#[derive(Debug, Default)]
struct Counts {
    hands: AtomicU64,
    begun: AtomicU64,
    refused: AtomicU64,
    forfeited: AtomicU64,
    expired: AtomicU64,
}

/// The status of the host at one moment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "SlumbotHost")]
pub struct HostStatus {
    /// Sessions with a valid token.
    pub sessions: usize,
    /// The limit of sessions.
    pub most_sessions: usize,
    /// Hands dealt since the start.
    pub hands_begun: u64,
    /// Hands finished since the start, forfeited ones included.
    pub hands: u64,
    /// Hands that were forfeited since the start.
    pub forfeited: u64,
    /// Sessions that expired since the start.
    pub expired: u64,
    /// Actions that were refused since the start.
    pub refused: u64,
    /// The name of the default agent.
    pub agent: String,
    /// All agents on offer.
    pub agents: Vec<OfferedAgentStatus>,
}

/// An agent on offer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "OfferedAgent")]
pub struct OfferedAgentStatus {
    /// The agent's name.
    pub name: String,
    /// The match in which its hands are recorded; `null` before the first one.
    #[serde(rename = "match")]
    pub of: Option<String>,
}

impl SlumbotHost {
    /// Carries out a request that came from the address `from`.
    ///
    /// # Errors
    /// Then nothing has changed, except for [`HostError::NotRecorded`] after a hand's end: the hand
    /// counts, and is recorded as soon as possible.
    pub async fn answer(
        &self,
        request: &Request,
        from: Option<IpAddr>,
        fault: InjectedFault,
    ) -> Result<Answer, HostError> {
        let hand = match request {
            Request::Login(login) => {
                let name = login.username.as_deref().unwrap_or_default();
                let user = User::new(name, from);
                let token = self.begin(name, login.agent.as_deref(), user)?;
                return Ok(Answer::Token(TokenObject { token }));
            }
            Request::NewHand(new) => {
                let (token, agent) = (new.token.as_deref(), new.agent.as_deref());
                self.next_hand(token, agent, User::new("", from), fault).await?
            }
            Request::Act(act) => {
                let token = act.token.as_deref().unwrap_or_default();
                self.act(token, act.incr.as_deref().unwrap_or_default(), fault).await?
            }
        };
        Ok(Answer::Hand(Box::new(hand)))
    }

    /// Begins a session; returns its token.
    ///
    /// # Errors
    /// When the agent is not offered, or there are too many sessions.
    pub fn login(&self, username: &str, agent: Option<&str>) -> Result<String, HostError> {
        self.begin(username, agent, User::new(username, None))
    }

    fn begin(
        &self,
        username: &str,
        agent: Option<&str>,
        user: Option<User>,
    ) -> Result<String, HostError> {
        let inner = &*self.0;
        let agent = match agent {
            Some(name) => inner.find_agent(name)?,
            None => inner.agent_of(username),
        };
        let mut begun = inner.begin_session(agent, user)?;
        let session = begun.session();
        inner.note(&session.slot, username)?;
        let token = session.slot.token;
        inner.slots.write(session.index, &session.slot).map_err(not_recorded)?;
        inner.admit(begun);
        Ok(token_text(token))
    }

    /// Deals the next hand of a session, or of a new one if the token is missing or empty, and
    /// plays the bot's first actions. A hand in play is left open.
    ///
    /// # Errors
    /// When the token or the agent is unknown, there are too many sessions, or the agent fails.
    pub async fn new_hand(
        &self,
        token: Option<&str>,
        agent: Option<&str>,
        fault: InjectedFault,
    ) -> Result<HandObject, HostError> {
        self.next_hand(token, agent, None, fault).await
    }

    async fn next_hand(
        &self,
        token: Option<&str>,
        agent: Option<&str>,
        user: Option<User>,
        fault: InjectedFault,
    ) -> Result<HandObject, HostError> {
        let inner = &*self.0;
        let agent = agent.map(|name| inner.find_agent(name)).transpose()?;
        match token.filter(|token| !token.is_empty()) {
            Some(token) => {
                let shared = inner.find(token)?;
                let mut session = shared.lock().await;
                inner.alive(&session)?;
                let (object, commit) = inner.deal(&mut session, agent, None, fault).await?;
                let object = inner.rotated(object, &shared, &mut session, fault);
                recorded(commit).await?;
                Ok(object)
            }
            None => {
                let agent = agent.unwrap_or(inner.default);
                let mut begun = inner.begin_session(agent, user)?;
                let session = begun.session();
                inner.note(&session.slot, "")?;
                let (mut object, commit) = inner.deal(session, None, None, fault).await?;
                object.token = Some(token_text(session.slot.token));
                inner.admit(begun);
                recorded(commit).await?;
                Ok(object)
            }
        }
    }

    /// Deals the next hand of a session, with the cards of a deal that the client has asked for
    /// (seed, deal, whether it has the button), if it has.
    ///
    /// # Errors
    /// As [`new_hand`](Self::new_hand).
    pub(crate) async fn deal_asked(
        &self,
        token: &str,
        asked: Option<(u32, u32, bool)>,
    ) -> Result<(), HostError> {
        let inner = &*self.0;
        let asked = asked.map(|(seed, deal, button)| AskedDeal {
            seed: inner.secret.asked(seed),
            deal,
            button,
        });
        let shared = inner.find(token)?;
        let mut session = shared.lock().await;
        inner.alive(&session)?;
        let fault = InjectedFault::default();
        let (_, commit) = inner.deal(&mut session, None, asked, fault).await?;
        recorded(commit).await
    }

    /// Plays the client's action and the bot's next actions.
    ///
    /// # Errors
    /// When the token is unknown, the action is refused, or the agent fails; the hand stays as it
    /// is.
    pub async fn act(
        &self,
        token: &str,
        incr: &str,
        fault: InjectedFault,
    ) -> Result<HandObject, HostError> {
        let inner = &*self.0;
        let shared = inner.find(token)?;
        let mut session = shared.lock().await;
        inner.alive(&session)?;
        let hand = replay(&inner.def, session.seeds, &session.slot);
        let old_action = hand.as_ref().map(Hand::action).unwrap_or_default();
        let Some(mut hand) = hand.filter(|_| session.slot.stage == Stage::Open) else {
            return Err(HostError::NoHand { action: old_action });
        };
        let played = hand.read(incr).map_err(|refused| {
            inner.counts.refused.fetch_add(1, Ordering::Relaxed);
            HostError::Refused { refused, action: old_action.clone() }
        })?;
        let mut slot = session.slot.clone();
        slot.actions.push(pack(played));
        hand.play(played).expect("what was read is legal");
        let (object, commit) = inner.advance(&mut session, slot, hand, Some(old_action)).await?;
        let object = inner.rotated(object, &shared, &mut session, fault);
        recorded(commit).await?;
        Ok(object)
    }

    /// A snapshot of the host's status.
    pub fn status(&self) -> HostStatus {
        let inner = &*self.0;
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let offered =
            |(bot, ledger): (&Option<Arc<OfferedAgent>>, &Mutex<Option<Arc<AgentLedger>>>)| {
                let of = lock(ledger).as_ref().map(|ledger| ledger.id.clone());
                Some(OfferedAgentStatus { name: bot.as_ref()?.name.clone(), of })
            };
        HostStatus {
            sessions: inner.sessions().len(),
            most_sessions: inner.plan.most_sessions,
            hands_begun: count(&inner.counts.begun),
            hands: count(&inner.counts.hands),
            forfeited: count(&inner.counts.forfeited),
            expired: count(&inner.counts.expired),
            refused: count(&inner.counts.refused),
            agent: inner.offered_agent(inner.default).name.clone(),
            agents: inner.offered_agents.iter().zip(&inner.ledgers).filter_map(offered).collect(),
        }
    }
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The reason why a request fails. Nothing has changed then; `action` is the betting so far, or of
/// the last hand.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum HostError {
    #[error("the token belongs to no session, or to an expired one")]
    BadToken,
    #[error("{refused}")]
    Refused { refused: host::Refused, action: String },
    #[error("no hand is open in this session")]
    NoHand { action: String },
    #[error("there is no agent `{name}`; agents here: {}", .known.join(", "))]
    UnknownAgent { name: String, known: Vec<String> },
    #[error("there are too many sessions; try again later")]
    Full,
    #[error("this user has {0} sessions, the limit per user: continue one of them by its token")]
    TooManyOfUser(usize),
    #[error("the agent cannot play now: {0}")]
    Agent(#[from] AgentError),
    #[error("the server cannot record hands now; try again later")]
    NotRecorded(#[source] Option<io::Error>),
}

impl HostError {
    /// The HTTP status of the answer.
    pub fn status(&self) -> u16 {
        match self {
            HostError::BadToken | HostError::Refused { .. } | HostError::NoHand { .. } => 200,
            HostError::UnknownAgent { .. } => 400,
            HostError::TooManyOfUser(_) => 429,
            HostError::Full | HostError::Agent(_) | HostError::NotRecorded(_) => 503,
        }
    }

    /// The error object in the answer's body.
    pub fn object(&self) -> ErrorObject {
        match self {
            HostError::BadToken => refusal(BAD_TOKEN, None),
            HostError::Refused { refused, action } => {
                refusal(refused.error_msg(), Some(action.clone()))
            }
            HostError::NoHand { action } => refusal(IncrError::ERROR_MSG, Some(action.clone())),
            // The details are for the server's own log.
            HostError::Agent(_) => refusal("the agent cannot play now; try again later", None),
            other => refusal(&other.to_string(), None),
        }
    }
}

impl SlumbotHost {
    /// Opens the host's folder, or makes it. Blocks: not for a runtime's own threads.
    ///
    /// # Errors
    /// When a file or ledger cannot be used, or an agent that is named is not offered.
    pub fn open(plan: HostPlan) -> Result<SlumbotHost, Error> {
        let at = |name: &str| plan.folder.join(name);
        let io = |name: &str| {
            let path = at(name);
            move |reason| Error::file(&path, &reason)
        };
        make_folder(&plan.folder).map_err(io(""))?;
        take_from_others(&plan.folder, FOLDER).map_err(io(""))?;
        let lock = files::lock_folder(&at("lock")).map_err(io("lock"))?;
        let lock = lock.ok_or_else(|| {
            Error::here(format!(
                "{} is in use by another process: give each process a folder for its records of \
                 its own",
                plan.folder.display()
            ))
        })?;
        for name in files::SECRET {
            take_from_others(&at(name), FILE).map_err(io(name))?;
        }
        let def = load_game(GAME, Reading::Strict).expect("a built-in game");
        let secret = Secret::open(&at("secret"), plan.process).map_err(io("secret"))?;
        let names: Vec<&str> = plan.agents.iter().map(|(name, _)| name.as_str()).collect();
        let known = agent_names(&at("agents"), &names).map_err(io("agents"))?;
        let (slots, found) = Slots::open(&at(files::SESSIONS)).map_err(io(files::SESSIONS))?;
        let sessions = found.iter().map(|(_, slot)| slot.number + 1).max().unwrap_or(0);
        let files = Files::open(&plan.folder, sessions).map_err(io("tokens.csv"))?;
        let writer = Writer::start().map_err(|error| {
            Error::here(format!("there is no thread for the Slumbot ledgers: {error}"))
        })?;
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
            position.ok_or_else(|| {
                Error::here(format!(
                    "there is no agent `{name}` among those that clients of the Slumbot API can \
                     play against"
                ))
            })
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
            writer: Mutex::new(writer),
            ledgers,
            counts: Counts::default(),
            users: Arc::default(),
            lock,
            plan,
            offered_agents,
        };
        ledgers::recover(&inner.plan.matches)?;
        inner.restore(found)?;
        Ok(SlumbotHost(Arc::new(inner)))
    }
}

/// The ledger of an agent, and the ranges of hands in it.
type Opened = (Arc<AgentLedger>, Vec<RangeInclusive<u64>>);

impl Inner {
    /// Restores the sessions of an earlier process.
    fn restore(&self, found: Vec<(i64, Slot)>) -> Result<(), Error> {
        let offered =
            |number: u16| self.offered_agents.get(usize::from(number)).is_some_and(Option::is_some);
        let mut opened: Vec<Option<Opened>> = self.offered_agents.iter().map(|_| None).collect();
        let mut sessions = HashMap::with_capacity(found.len());
        let (mut aliases, mut left) = (Vec::new(), Vec::new());
        for (index, mut slot) in found {
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
    fn restore_alias(&self, sessions: &mut HashMap<u128, Shared>, index: i64, alias: &Slot) {
        let Some(session) = sessions.get(&alias.stands_for).cloned() else {
            return self.free(index);
        };
        if let Ok(mut session) = session.try_lock() {
            session.aliases.push((alias.token, index));
        }
        sessions.insert(alias.token, session);
    }

    /// Adds a finished hand to its ledger if it is missing there because the server was killed.
    fn complete(&self, slot: &Slot, opened: &mut [Option<Opened>]) -> Result<(), Error> {
        let Some(InLedger { agent, ledger: ledger_number, hand: number }) = slot.last else {
            return Ok(());
        };
        let entry = &mut opened[usize::from(agent)];
        let (ledger, present) = match entry {
            Some(opened) => opened,
            None => {
                let fresh = self.open_ledger(agent)?;
                *lock(&self.ledgers[usize::from(agent)]) = Some(Arc::clone(&fresh.0));
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
    fn open_ledger(&self, agent: u16) -> Result<Opened, Error> {
        let offered = self.offered_agent(agent);
        let (matches, provenance) = (&self.plan.matches, &self.plan.provenance);
        let writer = lock(&self.writer);
        writer.open_ledger(matches, offered.choice(), &self.def, provenance)
    }
}
