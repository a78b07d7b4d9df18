//! The host of the Slumbot API: sessions that play heads-up hands against our agents.
//!
//! `protocol::slumbot::host` decides what a request means; here are the sessions, the cards, the
//! agents and the records. A request is atomic: it works on a copy of its session's slot, which is
//! written to disk before the answer is sent, and by then a finished hand is in the journal of the
//! agent's ledger. A host that is killed and started again continues every session, with the open
//! hands.
//!
//! - [`open`]: starting. [`hands`]: hands. [`timeouts`]: open hands and sessions that expire.
//! - [`session`], [`slots`]: sessions in memory and on disk. [`seeds`]: cards and tokens.
//! - [`agents`]: the agents. [`ledger_store`]: the ledgers. [`queue`], [`writer`]: writing to them.
//! - [`report`]: statistics of the ledgers, written periodically.
//! - [`review`]: the agent's decisions in a finished hand.
//! - [`users`]: the number of sessions of a user. [`view`]: what a client may see of its session.
//!
//! Folder: `secret`, `sessions` (slots), `agents` (their names, one a line, in the order of their
//! numbers), `tokens.csv` (every session that ever was, so that a ledger's deal numbers can be
//! traced: deal number = session × 2³² + deal of the session), `forfeits.jsonl`.

mod agents;
mod error;
mod files;
mod hands;
mod ledger_store;
mod open;
mod queue;
mod report;
mod review;
mod seeds;
mod session;
mod slots;
mod timeouts;
mod users;
mod view;
mod writer;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ::agents::AgentChoice;
use game::GameDef;
use logs::Provenance;
use logs::folder::Lock;
use protocol::slumbot::host::{Hand, Request};
use protocol::slumbot::message::{HandObject, TokenObject, json};
use serde::Serialize;

use files::Files;
use hands::{not_recorded, recorded};
use ledger_store::{AgentLedger, LedgerStore};
use seeds::{Secret, token_text};
use session::{Session, replay};
use slots::{Slots, Stage, pack};
use users::{User, Users};

pub use agents::{OfferedAgent, Question};
pub use error::{HostError, OpenError};
pub use ledger_store::OpenLedgerError;
pub use review::{Choice, Review, ReviewedDecision};
pub use view::{Moment, SeenEnd, SeenHand, SessionView};

/// The name of the game that is played.
pub const GAME: &str = "holdem.nolimit.2p.reverse_blinds";

/// The entrant numbers of the client and the bot.
const CLIENT_ENTRANT: u8 = 0;
const SERVER_ENTRANT: u8 = 1;

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
    ledger_store: Mutex<LedgerStore>,
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
    index: u32,
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
#[derive(Debug, Clone, Serialize)]
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
#[derive(Debug, Clone, Serialize)]
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
                let user = User::of(name, from);
                let token = self.begin(name, login.agent.as_deref(), user)?;
                return Ok(Answer::Token(TokenObject { token }));
            }
            Request::NewHand(new) => {
                let (token, agent) = (new.token.as_deref(), new.agent.as_deref());
                self.next_hand(token, agent, User::of("", from), fault).await?
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
        self.begin(username, agent, User::of(username, None))
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
                let (object, commit) = inner.deal(&mut session, agent, fault).await?;
                let object = inner.rotated(object, &shared, &mut session, fault);
                recorded(commit).await?;
                Ok(object)
            }
            None => {
                let agent = agent.unwrap_or(inner.default);
                let mut begun = inner.begin_session(agent, user)?;
                let session = begun.session();
                inner.note(&session.slot, "")?;
                let (mut object, commit) = inner.deal(session, None, fault).await?;
                object.token = Some(token_text(session.slot.token));
                inner.admit(begun);
                recorded(commit).await?;
                Ok(object)
            }
        }
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
