//! The host of the API of the GTO Wizard Benchmark, over the sessions of the Slumbot host.
//!
//! Every open hand is the hand in play of a session of its own, so cards, agents, records, the
//! ledgers and what happens to hands that are left are those of
//! [`slumbot_host`](crate::slumbot_host), and so is what a kill costs: nothing. A hand's number is
//! that of its deal in the ledgers. Here is what this API adds: clients by name with at most
//! [`MAX_OPEN`] open hands, scores without luck, results, and a leaderboard.
//!
//! The score of a hand, `aivat_score`, is its result without the luck of the cards and of our
//! agent's draws among its actions, whose distributions are recorded as they are drawn (AIVAT;
//! `logs::estimate`). Both kinds of luck are taken out with the weights that would have left the
//! least variance of the client's earlier hands. These are known before the hand, so its score has
//! the mean of its result, whatever the client does.
//!
//! Folder: `clients.jsonl`, one line for each session of a client and for each score, in order.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use game::GameDef;
use logs::estimate::Estimates;
use parallel::lock;
use protocol::gtowizard::MAX_OPEN;
use protocol::gtowizard::host::object;
use protocol::gtowizard::message::{HandObject, NewHandRequest, ResultsObject};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::Error;
use crate::slumbot_host::files::{FILE, make_folder, take_from_others};
use crate::slumbot_host::{DealtHand, HostError, InjectedFault, SlumbotHost};

/// The host; cheap to clone.
#[derive(Clone)]
pub struct GtoWizardHost(Arc<Inner>);

struct Inner {
    host: SlumbotHost,
    estimates: Estimates,
    clients: Mutex<HashMap<String, Client>>,
    /// The open hands, by their numbers.
    hands: Mutex<BTreeMap<u64, Shared>>,
    file: File,
}

/// A client.
#[derive(Debug, Default)]
struct Client {
    /// Sessions without an open hand, with the names of their agents.
    free: Vec<(String, Option<String>)>,
    /// Open hands, those that are just being dealt included.
    open: usize,
    sums: Sums,
}

/// An open hand.
#[derive(Debug, Clone)]
struct OpenHand {
    client: String,
    token: String,
    agent: Option<String>,
    /// Whether it has been scored.
    closed: bool,
}

type Shared = Arc<tokio::sync::Mutex<OpenHand>>;

/// Sums over finished hands, in big blinds.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    hands: u64,
    won: f64,
    score: f64,
    score_squares: f64,
    /// The luck that is taken out, of the cards and of our agent's draws.
    taken: [f64; 2],
    /// Each kind of luck times the result, and squared.
    with_result: [f64; 2],
    squares: [f64; 2],
    /// Those with a seed of the client's included.
    all_hands: u64,
    all_won: f64,
}

/// The name of the client with this key, which is shown to others: what stands before a colon in
/// it, and a mark that tells nothing of the key.
pub fn client_name(key: Option<&str>) -> String {
    let Some(key) = key.filter(|key| !key.is_empty()) else { return "anonymous".to_owned() };
    let hash: [u8; 32] = Sha256::digest(key.as_bytes()).into();
    let mark: String = hash[..4].iter().map(|byte| format!("{byte:02x}")).collect();
    let name = key.split_once(':').map_or("bot", |(name, _)| name);
    let plain = name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c));
    format!("{}-{mark}", plain.take(40).collect::<String>())
}

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Line {
    /// A session of a client, for hands against an agent.
    Session { client: String, token: String, agent: Option<String> },
    /// A finished hand.
    Hand {
        client: String,
        hand: u64,
        #[serde(flatten)]
        score: Score,
    },
}

/// What the score of a hand is made of, in big blinds.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Score {
    /// Whether the client has asked for the deal.
    asked: bool,
    won: f64,
    /// What it gained by the luck of the cards, and by our agent's draws.
    luck: [f64; 2],
    /// The weights of both.
    weights: [f64; 2],
}

impl Score {
    fn taken(&self) -> [f64; 2] {
        [0, 1].map(|kind| self.weights[kind] * self.luck[kind])
    }

    fn value(&self) -> f64 {
        let [chance, draws] = self.taken();
        self.won - chance - draws
    }
}

/// Hands of a client before any luck is taken out.
const FIRST_HANDS: u64 = 20;

/// Why a request fails; nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum GtoWizardError {
    /// The client has as many open hands as it may.
    #[error("{MAX_OPEN} hands are open: finish one first")]
    Full,
    /// The hand is over.
    #[error("the hand is over")]
    Over,
    /// There is no such hand of this client's.
    #[error("there is no such hand")]
    NoHand,
    /// The Slumbot host's reason.
    #[error(transparent)]
    Host(HostError),
}

impl GtoWizardError {
    /// The HTTP status of the answer.
    pub fn status(&self) -> u16 {
        match self {
            GtoWizardError::Full | GtoWizardError::Over => 409,
            GtoWizardError::NoHand => 404,
            GtoWizardError::Host(HostError::Refused { .. }) => 422,
            GtoWizardError::Host(HostError::BadToken | HostError::NoHand { .. }) => 409,
            GtoWizardError::Host(error) => error.status(),
        }
    }
}

impl From<HostError> for GtoWizardError {
    fn from(error: HostError) -> GtoWizardError {
        GtoWizardError::Host(error)
    }
}

impl GtoWizardHost {
    /// Opens the host's folder, or makes it, over these sessions.
    ///
    /// # Errors
    /// When the file of clients cannot be used.
    pub async fn open(folder: &Path, def: &Arc<GameDef>, host: SlumbotHost) -> Result<Self, Error> {
        let path = folder.join("clients.jsonl");
        let io = |reason| Error::file(&path, &reason);
        make_folder(folder).map_err(io)?;
        take_from_others(&path, FILE).map_err(io)?;
        let mut options = OpenOptions::new();
        let file = options.append(true).create(true).mode(FILE).open(&path).map_err(io)?;
        let text = std::fs::read_to_string(&path).map_err(io)?;
        let estimates = Estimates::of_game(def, 1, 0);
        let estimates = estimates.ok_or_else(|| Error::here("the game is not heads-up hold'em"))?;
        let (clients, hands) = (Mutex::default(), Mutex::default());
        let inner = Inner { host, estimates: estimates.unfitted(), clients, hands, file };
        let (mut sessions, mut scored) = (Vec::new(), HashSet::new());
        for (number, line) in (1..).zip(text.lines()) {
            match serde_json::from_str(line) {
                Ok(Line::Session { client, token, agent }) => sessions.push((client, token, agent)),
                Ok(Line::Hand { client, hand, score }) => {
                    scored.insert(hand);
                    lock(&inner.clients).entry(client).or_default().sums.add(score);
                }
                // A kill may have cut the last line, after which others may have come.
                Err(error) => {
                    tracing::warn!(line = number, %error, path = %path.display(), "a bad line");
                }
            }
        }
        if !text.is_empty() && !text.ends_with('\n') {
            (&inner.file).write_all(b"\n").map_err(io)?;
        }
        let host = GtoWizardHost(Arc::new(inner));
        for (client, token, agent) in sessions {
            host.restore(client, token, agent, &scored).await;
        }
        Ok(host)
    }

    /// Takes up a session of an earlier process.
    async fn restore(
        &self,
        client: String,
        token: String,
        agent: Option<String>,
        scored: &HashSet<u64>,
    ) {
        let inner = &*self.0;
        // Sessions expire.
        let Ok(dealt) = inner.host.dealt(&token).await else { return };
        match dealt {
            Some(dealt) if dealt.open => {
                let hand = OpenHand { client: client.clone(), token, agent, closed: false };
                lock(&inner.clients).entry(client).or_default().open += 1;
                let hand = Arc::new(tokio::sync::Mutex::new(hand));
                lock(&inner.hands).insert(dealt.deal, hand);
            }
            dealt => {
                // Killed between the end of the hand and its score.
                if let Some(dealt) = dealt.filter(|dealt| !scored.contains(&dealt.deal))
                    && let Err(error) = self.score(&client, &token, &dealt).await
                {
                    tracing::warn!(%error, hand = dealt.deal, "a hand has no score");
                }
                lock(&inner.clients).entry(client).or_default().free.push((token, agent));
            }
        }
    }

    /// The sessions behind it.
    pub fn sessions(&self) -> &SlumbotHost {
        &self.0.host
    }

    /// Deals a hand for this client and plays the agent's first actions.
    ///
    /// # Errors
    /// When the client has too many open hands, the agent is unknown or fails.
    pub async fn new_hand(
        &self,
        client: &str,
        request: &NewHandRequest,
    ) -> Result<HandObject, GtoWizardError> {
        let inner = &*self.0;
        let free = {
            let mut clients = lock(&inner.clients);
            let known = clients.entry(client.to_owned()).or_default();
            if known.open >= MAX_OPEN {
                return Err(GtoWizardError::Full);
            }
            known.open += 1;
            let at = known.free.iter().position(|(_, agent)| *agent == request.agent);
            at.map(|at| known.free.swap_remove(at).0)
        };
        let dealt = self.deal(client, free.clone(), request).await;
        if dealt.is_err() {
            let mut clients = lock(&inner.clients);
            let known = clients.entry(client.to_owned()).or_default();
            known.open = known.open.saturating_sub(1);
            known.free.extend(free.map(|token| (token, request.agent.clone())));
        }
        dealt
    }

    async fn deal(
        &self,
        client: &str,
        free: Option<String>,
        request: &NewHandRequest,
    ) -> Result<HandObject, GtoWizardError> {
        let inner = &*self.0;
        // A session that was free may have expired.
        let usable = match &free {
            Some(token) => inner.host.dealt(token).await.is_ok(),
            None => false,
        };
        let token = match free.filter(|_| usable) {
            Some(token) => token,
            None => {
                let token = inner.host.login(client, request.agent.as_deref())?;
                let (client, agent) = (client.to_owned(), request.agent.clone());
                self.note(&Line::Session { client, token: token.clone(), agent })?;
                token
            }
        };
        let asked = request.seed.map(|seed| {
            let deal = request.deal.unwrap_or_default();
            (seed, deal, request.button.unwrap_or(deal % 2 == 1))
        });
        inner.host.deal_asked(&token, asked).await?;
        let dealt = inner.host.dealt(&token).await?.ok_or(GtoWizardError::NoHand)?;
        let (client, agent) = (client.to_owned(), request.agent.clone());
        let hand = OpenHand { client, token, agent, closed: false };
        let shared = Arc::new(tokio::sync::Mutex::new(hand));
        lock(&inner.hands).insert(dealt.deal, Arc::clone(&shared));
        let mut hand = shared.lock().await;
        Ok(self.show(&mut hand, &dealt).await?)
    }

    /// Plays an action, in the notation of the Slumbot API, of a hand of this client's.
    ///
    /// # Errors
    /// When there is no such hand, it is over, the action is refused, or the agent fails.
    pub async fn act(
        &self,
        client: &str,
        id: u64,
        incr: &str,
    ) -> Result<HandObject, GtoWizardError> {
        let inner = &*self.0;
        let shared = lock(&inner.hands).get(&id).cloned();
        let Some(shared) = shared else {
            // Finished hands are not kept here; their numbers are below those of later deals.
            return Err(GtoWizardError::Over);
        };
        let mut hand = shared.lock().await;
        if hand.client != client {
            return Err(GtoWizardError::NoHand);
        }
        if hand.closed {
            return Err(GtoWizardError::Over);
        }
        let played = inner.host.act(&hand.token, incr, InjectedFault::default()).await;
        let dealt = match inner.host.dealt(&hand.token).await {
            Ok(Some(dealt)) if dealt.deal == id => dealt,
            // Its session has expired, or dealt another one.
            _ => {
                self.close(&mut hand, id);
                return Err(GtoWizardError::Over);
            }
        };
        if let Err(error) = played {
            if !dealt.open {
                self.finish(&mut hand, &dealt).await?;
            }
            return Err(error.into());
        }
        Ok(self.show(&mut hand, &dealt).await?)
    }

    /// The open hands of this client.
    ///
    /// # Errors
    /// When a hand that was forfeited cannot be scored.
    pub async fn in_progress(&self, client: &str) -> Result<Vec<HandObject>, GtoWizardError> {
        let inner = &*self.0;
        let hands: Vec<(u64, Shared)> =
            lock(&inner.hands).iter().map(|(id, hand)| (*id, Arc::clone(hand))).collect();
        let mut open = Vec::new();
        for (id, shared) in hands {
            let mut hand = shared.lock().await;
            if hand.client != client || hand.closed {
                continue;
            }
            match inner.host.dealt(&hand.token).await {
                Ok(Some(dealt)) if dealt.deal == id && dealt.open => {
                    open.push(object(id, &dealt.hand, client, None));
                }
                Ok(Some(dealt)) if dealt.deal == id => _ = self.finish(&mut hand, &dealt).await?,
                _ => self.close(&mut hand, id),
            }
        }
        Ok(open)
    }

    /// The results of this client.
    pub fn results(&self, client: &str) -> ResultsObject {
        let clients = lock(&self.0.clients);
        let sums = clients.get(client).map(|client| client.sums).unwrap_or_default();
        sums.results(client)
    }

    /// The results of all clients with so many hands, the best first.
    pub fn leaderboard(&self, limit: usize, min_hands: u64) -> Vec<ResultsObject> {
        let clients = lock(&self.0.clients);
        let enough = clients.iter().filter(|(_, client)| client.sums.hands >= min_hands.max(1));
        let mut lines: Vec<ResultsObject> =
            enough.map(|(name, client)| client.sums.results(name)).collect();
        lines.sort_by(|a, b| b.aivat_score_bb_per_100.total_cmp(&a.aivat_score_bb_per_100));
        lines.truncate(limit);
        lines
    }

    /// The view of a hand; one that is over is scored first.
    async fn show(&self, hand: &mut OpenHand, dealt: &DealtHand) -> Result<HandObject, HostError> {
        let score = if dealt.open { None } else { Some(self.finish(hand, dealt).await?) };
        Ok(object(dealt.deal, &dealt.hand, &hand.client, score))
    }

    /// Scores a hand that is over and frees its session; returns its score in chips.
    async fn finish(&self, hand: &mut OpenHand, dealt: &DealtHand) -> Result<f64, HostError> {
        let score = self.score(&hand.client, &hand.token, dealt).await?;
        self.close(hand, dealt.deal);
        Ok(score)
    }

    /// Ends the hand's place among the open ones.
    fn close(&self, hand: &mut OpenHand, id: u64) {
        let inner = &*self.0;
        lock(&inner.hands).remove(&id);
        if !std::mem::replace(&mut hand.closed, true) {
            let mut clients = lock(&inner.clients);
            let client = clients.entry(hand.client.clone()).or_default();
            client.open = client.open.saturating_sub(1);
            client.free.push((hand.token.clone(), hand.agent.clone()));
        }
    }

    /// Computes and notes the score of a session's last hand, in chips.
    async fn score(&self, client: &str, token: &str, dealt: &DealtHand) -> Result<f64, HostError> {
        let inner = &*self.0;
        let read = inner.host.last_record(token).await?;
        let Some((record, decisions)) = read.filter(|(record, _)| record.deal == dealt.deal) else {
            // Forfeited where the rules know no end: the ledger does not have it.
            return Err(HostError::NotRecorded(None));
        };
        let unit = 1.0 / f64::from(record.public.def().big_blind());
        let won = dealt.hand.winnings() as f64 * unit;
        let without = inner.estimates.without_luck(&record, &decisions);
        let Some(without) = without else { return Err(HostError::NotRecorded(None)) };
        let luck = [without.chance, without.draws];
        let mut clients = lock(&inner.clients);
        let sums = &mut clients.entry(client.to_owned()).or_default().sums;
        let score = Score { asked: dealt.asked, won, luck, weights: sums.weights() };
        self.note(&Line::Hand { client: client.to_owned(), hand: dealt.deal, score })?;
        sums.add(score);
        // Hundredths of a chip, as the original writes them.
        Ok((score.value() / unit * 100.0).round() / 100.0)
    }

    fn note(&self, line: &Line) -> Result<(), HostError> {
        let mut text = serde_json::to_string(line).expect("plain data with text keys");
        text.push('\n');
        let written = (&self.0.file).write_all(text.as_bytes());
        written.map_err(|error| HostError::NotRecorded(Some(error)))
    }
}

impl Sums {
    fn add(&mut self, score: Score) {
        self.all_hands += 1;
        self.all_won += score.won;
        if score.asked {
            return;
        }
        self.hands += 1;
        self.won += score.won;
        self.score += score.value();
        self.score_squares += score.value().powi(2);
        for (kind, (luck, taken)) in score.luck.into_iter().zip(score.taken()).enumerate() {
            self.taken[kind] += taken;
            self.with_result[kind] += luck * score.won;
            self.squares[kind] += luck * luck;
        }
    }

    /// The weights of both kinds of luck, whose means are zero, that would have left the least
    /// variance so far.
    fn weights(&self) -> [f64; 2] {
        [0, 1].map(|kind| match self.squares[kind] > 0.0 && self.hands >= FIRST_HANDS {
            true => (self.with_result[kind] / self.squares[kind]).clamp(0.0, 1.0),
            false => 0.0,
        })
    }

    fn results(&self, name: &str) -> ResultsObject {
        let hands = self.hands.max(1) as f64;
        let mean = self.score / hands;
        let variance = (self.score_squares / hands - mean * mean).max(0.0);
        ResultsObject {
            bot_name: name.to_owned(),
            total_hands: self.hands,
            bb_per_100: 100.0 * self.won / hands,
            aivat_score_bb_per_100: 100.0 * mean,
            aivat_std_bb_per_100: 100.0 * (variance / hands).sqrt(),
            chance_correction_bb_per_100: 100.0 * self.taken[0] / hands,
            action_correction_bb_per_100: 100.0 * self.taken[1] / hands,
            all_hands_chips_bb_per_100: 100.0 * self.all_won / self.all_hands.max(1) as f64,
        }
    }
}
