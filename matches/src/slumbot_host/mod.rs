//! The host of the Slumbot API: sessions that play heads-up hands against our agents.
//!
//! What a request means is `protocol::slumbot::host`'s business; here are the sessions, the cards, the
//! agents and the records. A request changes nothing or all: it works on a copy of its session, which is
//! written to disk before the answer leaves, and a finished hand is in the agent's ledger by then.
//! Killed and started again, the host goes on with every session, the open hands included.
//!
//! - [`session`], [`slots`]: sessions in memory and on disk. - [`seeds`]: cards and tokens.
//! - [`agents`]: who plays. - [`keeper`]: the ledgers. - [`report`]: their statistics, now and then.
//! - [`sweep`]: hands left open, sessions that expire. - [`review`]: what the agent thought.
//!
//! Folder: `secret`, `sessions` (slots), `agents` (their names, one a line, in the order of their
//! numbers), `tokens.csv` (every session that ever was, so that a ledger's deal numbers can be traced:
//! deal number = session × 2³² + deal of the session), `forfeits.jsonl`.

mod agents;
mod error;
mod files;
mod keeper;
mod open;
mod report;
mod review;
mod seeds;
mod session;
mod slots;
mod sweep;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ::agents::AgentChoice;
use game::GameDef;
use logs::{HandRecord, Provenance};
use protocol::slumbot::host::{Hand, Next, Request};
use protocol::slumbot::message::{HandEnd, HandObject, TokenObject, json};
use serde::Serialize;
use tokio::sync::oneshot;

use crate::decide::mix;
use agents::{Bot, Question, SelfPlay};
use files::Files;
use keeper::{Book, Finished, Keeper};
use seeds::{Secret, parse_token, token_text};
use session::{Session, cards, client_seat, deal_number, replay, set_totals, totals};
use slots::{Kept, Kind, Slot, Slots, Stage, pack};

pub use error::{HostError, OpenError};
pub use keeper::OpenLedgerError;
pub use review::{Choice, Review, ReviewedDecision};

/// The game that is played.
pub const GAME: &str = "holdem.nolimit.2p.reverse_blinds";

/// Who is who in the ledgers.
const CLIENT: u8 = 0;
const BOT: u8 = 1;

/// How a host is set up.
#[derive(Debug, Clone)]
pub struct HostPlan {
    /// The folder of the sessions.
    pub folder: PathBuf,
    /// The folder in which match folders are made.
    pub matches: PathBuf,
    /// The agents that clients can play against, by name.
    pub agents: Vec<(String, AgentChoice)>,
    /// The one they play against when nothing else is said.
    pub agent: String,
    /// The agent of those who log in under a name.
    pub users: BTreeMap<String, String>,
    /// Whether the agent plays itself with the cards of every hand, for `baseline_winnings`.
    pub baseline: bool,
    /// Most sessions at once.
    pub most_sessions: usize,
    /// How long a session may be idle before its token is forgotten.
    pub session_life: Duration,
    /// How long a hand may be idle before it is forfeited.
    pub forfeit_after: Duration,
    /// Longest time for a decision.
    pub decision_time: Duration,
    /// Most decisions at a time of agents that take long.
    pub workers: usize,
    /// The program, for the records.
    pub provenance: Provenance,
}

/// What fault injection wants of a request beyond what it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Twist {
    /// `new_hand` deals the same cards again.
    pub repeat: bool,
    /// The answer carries a new token; the old one stays good.
    pub rotate: bool,
}

/// What is answered to a request.
#[derive(Debug)]
pub enum Answer {
    /// A hand.
    Hand(Box<HandObject>),
    /// A session.
    Token(TokenObject),
}

impl Answer {
    /// The body.
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
    /// By the number under which slots know them; those not offered any more are `None`.
    bots: Vec<Option<Arc<Bot>>>,
    default: u16,
    secret: Secret,
    slots: Slots,
    files: Files,
    sessions: RwLock<HashMap<u128, Shared>>,
    /// The place of each hand left open, and the moment from which on it is forfeited.
    left_open: Mutex<Vec<(u64, u32)>>,
    keeper: Mutex<Keeper>,
    books: Vec<Mutex<Option<Arc<Book>>>>,
    counts: Counts,
}

type Shared = Arc<tokio::sync::Mutex<Session>>;

/// What happened since the start.
#[derive(Debug, Default)]
struct Counts {
    hands: AtomicU64,
    begun: AtomicU64,
    refused: AtomicU64,
    forfeited: AtomicU64,
    expired: AtomicU64,
}

/// The host at one moment.
#[derive(Debug, Clone, Serialize)]
pub struct HostStatus {
    /// Sessions whose tokens are good.
    pub sessions: usize,
    /// Most of them at once.
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
    /// The agent that clients play against when nothing else is said.
    pub agent: String,
    /// All agents on offer.
    pub agents: Vec<OfferedAgent>,
}

/// An agent on offer.
#[derive(Debug, Clone, Serialize)]
pub struct OfferedAgent {
    /// Its name.
    pub name: String,
    /// The match in which its hands are recorded; `null` before the first one.
    #[serde(rename = "match")]
    pub of: Option<String>,
}

impl SlumbotHost {
    /// Does what a request asks for.
    ///
    /// # Errors
    /// Then nothing has changed, but for [`HostError::NotRecorded`] after a hand's end: the hand counts,
    /// and is recorded as soon as that is possible.
    pub async fn answer(&self, request: &Request, twist: Twist) -> Result<Answer, HostError> {
        let hand = match request {
            Request::Login(login) => {
                let name = login.username.as_deref().unwrap_or_default();
                let token = self.login(name, login.agent.as_deref())?;
                return Ok(Answer::Token(TokenObject { token }));
            }
            Request::NewHand(new) => {
                self.new_hand(new.token.as_deref(), new.agent.as_deref(), twist).await?
            }
            Request::Act(act) => {
                let token = act.token.as_deref().unwrap_or_default();
                self.act(token, act.incr.as_deref().unwrap_or_default(), twist).await?
            }
        };
        Ok(Answer::Hand(Box::new(hand)))
    }

    /// Begins a session; its token.
    ///
    /// # Errors
    /// When the agent is not offered, or there are too many sessions.
    pub fn login(&self, username: &str, agent: Option<&str>) -> Result<String, HostError> {
        let inner = &*self.0;
        let agent = match agent {
            Some(name) => inner.find_agent(name)?,
            None => inner.agent_of(username),
        };
        let session = inner.begin_session(agent)?;
        let token = session.slot.token;
        inner.slots.write(session.place, &session.slot).map_err(not_recorded)?;
        inner.admit(session, username)?;
        Ok(token_text(token))
    }

    /// Deals the next hand of a session, or of a new one (without a token, or with an empty one), and
    /// plays the bot's first actions. An open hand is left open.
    ///
    /// # Errors
    /// When the token or the agent is unknown, there are too many sessions, or the agent fails.
    pub async fn new_hand(
        &self,
        token: Option<&str>,
        agent: Option<&str>,
        twist: Twist,
    ) -> Result<HandObject, HostError> {
        let inner = &*self.0;
        let agent = agent.map(|name| inner.find_agent(name)).transpose()?;
        match token.filter(|token| !token.is_empty()) {
            Some(token) => {
                let shared = inner.find(token)?;
                let mut session = shared.lock().await;
                inner.alive(&session)?;
                let (object, kept) = inner.deal(&mut session, agent, twist).await?;
                let object = inner.rotated(object, &shared, &mut session, twist)?;
                recorded(kept).await?;
                Ok(object)
            }
            None => {
                let mut session = inner.begin_session(agent.unwrap_or(inner.default))?;
                let (mut object, kept) = match inner.deal(&mut session, None, twist).await {
                    Ok(dealt) => dealt,
                    Err(error) => {
                        inner.give_up(&session);
                        return Err(error);
                    }
                };
                object.token = Some(token_text(session.slot.token));
                inner.admit(session, "")?;
                recorded(kept).await?;
                Ok(object)
            }
        }
    }

    /// Plays the client's action, and the bot's answers to it.
    ///
    /// # Errors
    /// When the token is unknown, the action is refused, or the agent fails; the hand stays as it is.
    pub async fn act(
        &self,
        token: &str,
        incr: &str,
        twist: Twist,
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
        let (object, kept) = inner.go_on(&mut session, slot, hand, old_action).await?;
        let object = inner.rotated(object, &shared, &mut session, twist)?;
        recorded(kept).await?;
        Ok(object)
    }

    /// The host now.
    pub fn status(&self) -> HostStatus {
        let inner = &*self.0;
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let offered = |(bot, book): (&Option<Arc<Bot>>, &Mutex<Option<Arc<Book>>>)| {
            let of = lock(book).as_ref().map(|book| book.id.clone());
            Some(OfferedAgent { name: bot.as_ref()?.name.clone(), of })
        };
        HostStatus {
            sessions: inner.sessions().len(),
            most_sessions: inner.plan.most_sessions,
            hands_begun: count(&inner.counts.begun),
            hands: count(&inner.counts.hands),
            forfeited: count(&inner.counts.forfeited),
            expired: count(&inner.counts.expired),
            refused: count(&inner.counts.refused),
            agent: inner.bot(inner.default).name.clone(),
            agents: inner.bots.iter().zip(&inner.books).filter_map(offered).collect(),
        }
    }
}

impl Inner {
    fn sessions(&self) -> std::sync::RwLockReadGuard<'_, HashMap<u128, Shared>> {
        self.sessions.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn sessions_mut(&self) -> std::sync::RwLockWriteGuard<'_, HashMap<u128, Shared>> {
        self.sessions.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, token: &str) -> Result<Shared, HostError> {
        let token = parse_token(token).ok_or(HostError::BadToken)?;
        self.sessions().get(&token).cloned().ok_or(HostError::BadToken)
    }

    fn alive(&self, session: &Session) -> Result<(), HostError> {
        if session.expired { Err(HostError::BadToken) } else { Ok(()) }
    }

    /// The agent of this number.
    fn bot(&self, number: u16) -> &Arc<Bot> {
        let bot = self.bots.get(usize::from(number)).and_then(Option::as_ref);
        bot.expect("sessions have agents that are offered")
    }

    fn named(&self, name: &str) -> Option<u16> {
        let named = |bot: &Option<Arc<Bot>>| bot.as_ref().is_some_and(|bot| bot.name == name);
        self.bots.iter().position(named).map(|index| index as u16)
    }

    fn find_agent(&self, name: &str) -> Result<u16, HostError> {
        self.named(name).ok_or_else(|| HostError::UnknownAgent {
            name: name.chars().take(100).collect(),
            known: self.bots.iter().flatten().map(|bot| bot.name.clone()).collect(),
        })
    }

    /// The agent of this user.
    fn agent_of(&self, username: &str) -> u16 {
        let name = self.plan.users.get(username);
        name.and_then(|name| self.named(name)).unwrap_or(self.default)
    }

    /// A session that nobody knows of yet.
    fn begin_session(&self, agent: u16) -> Result<Session, HostError> {
        let full = self.sessions().len() >= self.plan.most_sessions;
        if full && !self.make_room() {
            return Err(HostError::Full);
        }
        let mut slot = Slot::new(Kind::Session, self.secret.token());
        slot.number = self.files.next_session();
        slot.agent = agent;
        slot.used = now();
        let seeds = self.secret.seeds(slot.number);
        Ok(Session::new(slot, self.slots.take(), seeds))
    }

    /// Forgets a session that never was.
    fn give_up(&self, session: &Session) {
        if let Err(error) = self.slots.clear(session.place) {
            tracing::warn!(%error, "a slot cannot be cleared");
        }
    }

    /// Makes a session known, once it is on disk.
    fn admit(&self, session: Session, username: &str) -> Result<(), HostError> {
        let slot = &session.slot;
        let agent = &self.bot(slot.agent).name;
        let noted = self.files.note_session(slot.number, &token_text(slot.token), username, agent);
        noted.map_err(not_recorded)?;
        let token = slot.token;
        self.sessions_mut().insert(token, Arc::new(tokio::sync::Mutex::new(session)));
        Ok(())
    }

    /// Deals the next hand.
    async fn deal(
        &self,
        session: &mut Session,
        agent: Option<u16>,
        twist: Twist,
    ) -> Result<(HandObject, Option<Keeping>), HostError> {
        let mut slot = session.slot.clone();
        slot.agent = agent.unwrap_or(slot.agent);
        slot.hand_agent = slot.agent;
        if !twist.repeat || slot.dealt == 0 {
            slot.deal = slot.dealt;
            slot.dealt += 1;
        }
        slot.stage = Stage::Open;
        slot.actions.clear();
        let (hole, board) = cards(&self.def, session.seeds, slot.deal);
        let hand = Hand::new(&self.def, hole, board, client_seat(slot.deal));
        let left = (session.slot.stage == Stage::Open)
            .then(|| (session.slot.clone(), std::mem::take(&mut session.decisions)));
        self.counts.begun.fetch_add(1, Ordering::Relaxed);
        let dealt = self.go_on(session, slot, hand, String::new()).await;
        match (left, &dealt) {
            (Some((left, _)), Ok(_)) => self.leave_open(left).map_err(not_recorded)?,
            // Nothing has changed.
            (Some((_, decisions)), Err(_)) => session.decisions = decisions,
            (None, _) => {}
        }
        dealt
    }

    /// Plays the bot's actions until the client is to act or the hand is over, writes the session, and
    /// makes the answer. `slot` is what the session's is to become; its actions are the hand's.
    async fn go_on(
        &self,
        session: &mut Session,
        mut slot: Slot,
        mut hand: Hand,
        old_action: String,
    ) -> Result<(HandObject, Option<Keeping>), HostError> {
        let bot = self.bot(slot.hand_agent);
        let mut made = Vec::new();
        while hand.next() == Next::Bot {
            let (seed, number) = (session.seeds.decisions, deal_number(&slot));
            let question = Question { infoset: hand.infoset(), seed, hand: number };
            let record = if bot.inline() {
                bot.decide(&question)?
            } else {
                bot.decide_elsewhere(question).await?
            };
            hand.play(record.action).expect("decide returns legal actions");
            slot.actions.push(pack(record.action));
            made.push(record);
        }
        slot.used = now();
        if hand.next() == Next::Client {
            if !bot.inline() && slot.actions.len() <= 1 {
                session.baseline = self.begin_baseline(bot, session, &slot);
            }
            self.slots.write(session.place, &slot).map_err(not_recorded)?;
            session.slot = slot;
            session.decisions.append(&mut made);
            return Ok((hand.object(old_action, None, None), None));
        }
        let baseline = self.baseline(bot, session, &slot).await?;
        let mut decisions = std::mem::take(&mut session.decisions);
        decisions.append(&mut made);
        let (end, kept) = self.finish(session.place, &mut slot, &hand, decisions, baseline)?;
        session.slot = slot;
        Ok((hand.object(old_action, Some(end), None), Some(kept)))
    }

    /// Counts a finished hand in its slot, writes that at `place`, and hands the hand to the ledger.
    /// `baseline` is what the agent, playing itself, got in the client's seat.
    fn finish(
        &self,
        place: u32,
        slot: &mut Slot,
        hand: &Hand,
        decisions: Vec<logs::DecisionRecord>,
        baseline: Option<i64>,
    ) -> Result<(HandEnd, Keeping), HostError> {
        let winnings = hand.winnings();
        let baseline = baseline.map_or(0, |own| winnings - own);
        let mut sums = totals(slot);
        sums.add(winnings, baseline);
        let end = hand.end(baseline, sums);
        let mut finished = slot.clone();
        set_totals(&mut finished, sums);
        finished.stage = Stage::Finished;
        let book = self.book(slot.hand_agent)?;
        let hand = Finished { record: record(slot, hand), decisions };
        let keeping = book.keep(hand, |number| {
            let (agent, book) = (finished.hand_agent, book.number);
            finished.last = Some(Kept { agent, book, hand: number });
            self.slots.write(place, &finished).map_err(not_recorded)
        })?;
        *slot = finished;
        self.counts.hands.fetch_add(1, Ordering::Relaxed);
        Ok((end, keeping))
    }

    /// The ledger of an agent.
    fn book(&self, agent: u16) -> Result<Arc<Book>, HostError> {
        let mut book = lock(&self.books[usize::from(agent)]);
        if let Some(book) = &*book {
            return Ok(Arc::clone(book));
        }
        let opened = self.open_book(agent).map_err(|error| {
            tracing::error!(%error, "the ledger of an agent cannot be opened");
            HostError::NotRecorded(None)
        })?;
        *book = Some(Arc::clone(&opened.0));
        Ok(opened.0)
    }

    fn self_play(&self, session: &Session, slot: &Slot) -> SelfPlay {
        let (hole, board) = cards(&self.def, session.seeds, slot.deal);
        // Not the number of the hand that the client plays, so that nobody takes it for that one.
        let hand = mix(deal_number(slot));
        let seat = client_seat(slot.deal);
        SelfPlay { hole, board, seat, seed: session.seeds.baseline, hand }
    }

    /// Lets an agent that takes long play itself while the client thinks.
    fn begin_baseline(
        &self,
        bot: &Arc<Bot>,
        session: &Session,
        slot: &Slot,
    ) -> Option<tokio::task::JoinHandle<Option<i64>>> {
        if !self.plan.baseline {
            return None;
        }
        let (bot, deal) = (Arc::clone(bot), self.self_play(session, slot));
        Some(tokio::spawn(async move { bot.play_itself_elsewhere(deal).await.ok() }))
    }

    /// What the agent, playing itself, gets in the client's seat; `None` when that is not wanted.
    async fn baseline(
        &self,
        bot: &Arc<Bot>,
        session: &mut Session,
        slot: &Slot,
    ) -> Result<Option<i64>, HostError> {
        if !self.plan.baseline {
            return Ok(None);
        }
        if let Some(begun) = session.baseline.take()
            && let Ok(Some(own)) = begun.await
        {
            return Ok(Some(own));
        }
        let deal = self.self_play(session, slot);
        let own = if bot.inline() {
            bot.play_itself(&deal)?
        } else {
            bot.play_itself_elsewhere(deal).await?
        };
        Ok(Some(own))
    }

    /// Gives the session a new token beside those it has, when that is wanted.
    fn rotated(
        &self,
        mut object: HandObject,
        shared: &Shared,
        session: &mut Session,
        twist: Twist,
    ) -> Result<HandObject, HostError> {
        if twist.rotate {
            let mut alias = Slot::new(Kind::Alias, self.secret.token());
            (alias.stands_for, alias.used) = (session.slot.token, now());
            let place = self.slots.take();
            self.slots.write(place, &alias).map_err(not_recorded)?;
            session.aliases.push((alias.token, place));
            self.sessions_mut().insert(alias.token, Arc::clone(shared));
            object.token = Some(token_text(alias.token));
        }
        Ok(object)
    }
}

/// What tells whether a hand is in the ledger.
type Keeping = oneshot::Receiver<bool>;

/// Waits until a finished hand is in the ledger.
async fn recorded(keeping: Option<Keeping>) -> Result<(), HostError> {
    let Some(keeping) = keeping else { return Ok(()) };
    // Without an answer the thread that writes is gone.
    if keeping.await.unwrap_or(false) { Ok(()) } else { Err(HostError::NotRecorded(None)) }
}

fn not_recorded(error: std::io::Error) -> HostError {
    tracing::error!(%error, "a session cannot be written");
    HostError::NotRecorded(Some(error))
}

/// A finished hand; its number is given later.
fn record(slot: &Slot, hand: &Hand) -> HandRecord {
    let mut entrants = game::BySeat::new(2);
    (entrants[hand.client()], entrants[hand.bot()]) = (CLIENT, BOT);
    HandRecord {
        hand: 0,
        deal: deal_number(slot),
        public: hand.public().clone(),
        hole: *hand.hole(),
        payoffs: hand.payoffs(),
        entrants,
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
