//! What a client may see: its session at the moment, for a page that shows the table, and the
//! agent's decisions in the last finished hand. Neither has anything that the client may not know
//! yet: no cards of the agent before the end of the hand, no cards to come, no decisions in a hand
//! in play.

use std::fmt;
use std::sync::Arc;

use agents::AgentError;
use cards::HoleCards;
use game::{Action, InfoSet, PublicState, Seat};
use logs::{DecisionRecord, HandRecord, LedgerError, LedgerReader};
use parallel::lock;
use protocol::slumbot::Incr;
use protocol::slumbot::action::{board_order, high_to_low, write};
use protocol::slumbot::host::{Hand, Next, Totals};
use serde::Serialize;

use super::ledgers::match_name;
use super::session::{Session, deal_number, replay, totals};
use super::slots::{Slot, Stage};
use super::{CLIENT_ENTRANT, HostError, Inner, SERVER_ENTRANT, SlumbotHost};
use crate::bots::{OfferedAgent, Question};

/// The client's view of a session at one moment.
#[derive(Debug, Clone)]
pub struct SessionView {
    /// The agent of the last hand.
    pub agent: String,
    /// The session's number: the upper half of its deal numbers.
    pub session: u32,
    /// The session's sums, over all agents.
    pub totals: Totals,
    /// The last hand, if there is one.
    pub hand: Option<SeenHand>,
    /// The matches in which its finished hands with this agent are recorded, the earliest first.
    pub matches: Vec<String>,
    /// A version that changes whenever anything above does.
    pub moment: Moment,
}

/// The version of a view of a session: later ones are greater. Below 2^53, so that scripts can
/// compare them too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Moment(u64);

impl Moment {
    fn new(slot: &Slot) -> Moment {
        let over = slot.stage != Stage::Open;
        // A hand has fewer than 32,768 actions.
        Moment((u64::from(slot.dealt) << 16) + 2 * slot.actions.len() as u64 + u64::from(over))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A hand as its client may see it.
#[derive(Debug, Clone)]
pub struct SeenHand {
    /// The public state.
    pub public: PublicState,
    /// The client's seat.
    pub client: Seat,
    /// The client's cards, high to low.
    pub hole: HoleCards,
    /// The result, once the hand is over.
    pub end: Option<SeenEnd>,
}

/// The end of a hand.
#[derive(Debug, Clone, Copy)]
pub struct SeenEnd {
    /// The agent's cards, high to low.
    pub bot_hole: HoleCards,
    /// The client's winnings in chips.
    pub winnings: i64,
}

impl SlumbotHost {
    /// Waits until the finished hands of this session's last agent are in the ledger, for a reader:
    /// without it they get there within a tenth of a second.
    pub async fn written(&self, token: &str) {
        let Ok(shared) = self.0.find(token) else { return };
        let agent = shared.lock().await.slot.hand_agent;
        self.0.written(agent).await;
    }

    /// The client's view of the session with this token.
    ///
    /// # Errors
    /// When the token is unknown.
    pub async fn view(&self, token: &str) -> Result<SessionView, HostError> {
        let inner = &*self.0;
        let shared = inner.find(token)?;
        let session = shared.lock().await;
        inner.alive(&session)?;
        let Session { slot, seeds, .. } = &*session;
        let offered = inner.offered_agent(slot.hand_agent);
        let ledgers = slot.last.filter(|last| last.agent == slot.hand_agent);
        let ledgers = ledgers.map_or(0, |last| last.ledger);
        Ok(SessionView {
            agent: offered.name.clone(),
            session: slot.number,
            totals: totals(slot),
            hand: replay(&inner.def, *seeds, slot).map(|hand| SeenHand::new(&hand)),
            matches: (1..=ledgers)
                .map(|ledger| match_name(offered.choice().name(), ledger))
                .collect(),
            moment: Moment::new(slot),
        })
    }
}

/// The last hand of a session, for hosts of other APIs.
#[derive(Debug, Clone)]
pub(crate) struct DealtHand {
    /// The hand.
    pub(crate) hand: Hand,
    /// The number of its deal among those of all sessions.
    pub(crate) deal: u64,
    /// Whether the client has asked for its cards.
    pub(crate) asked: bool,
    /// Whether it is in play.
    pub(crate) open: bool,
}

impl SlumbotHost {
    /// The last hand of the session with this token, if there is one that can be shown.
    ///
    /// # Errors
    /// When the token is unknown.
    pub(crate) async fn dealt(&self, token: &str) -> Result<Option<DealtHand>, HostError> {
        let inner = &*self.0;
        let shared = inner.find(token)?;
        let session = shared.lock().await;
        inner.alive(&session)?;
        let Session { slot, seeds, .. } = &*session;
        let dealt = |hand| DealtHand {
            hand,
            deal: deal_number(slot),
            asked: slot.asked.is_some(),
            open: slot.stage == Stage::Open,
        };
        Ok(replay(&inner.def, *seeds, slot).map(dealt))
    }

    /// The record of a session's last finished hand with the agent's decisions in it.
    ///
    /// # Errors
    /// When the token is unknown, or the ledger cannot be read.
    pub(crate) async fn last_record(
        &self,
        token: &str,
    ) -> Result<Option<(HandRecord, Vec<DecisionRecord>)>, HostError> {
        let inner = &*self.0;
        let shared = inner.find(token)?;
        let last = shared.lock().await.slot.last;
        let Some(last) = last else { return Ok(None) };
        inner.written(last.agent).await;
        let of = match_name(inner.offered_agent(last.agent).choice().name(), last.ledger);
        let folder = inner.plan.matches.join(of);
        let read = tokio::task::spawn_blocking(move || -> Result<_, LedgerError> {
            let reader = LedgerReader::open(&folder)?;
            let Some(record) = reader.hand(last.hand)? else { return Ok(None) };
            Ok(Some((record, reader.decisions(last.hand)?)))
        });
        match read.await {
            Ok(Ok(read)) => Ok(read),
            Ok(Err(error)) => {
                tracing::warn!(%error, "a hand cannot be read again");
                Err(HostError::NotRecorded(None))
            }
            Err(_) => Err(HostError::NotRecorded(None)),
        }
    }
}

impl Inner {
    /// Waits until the finished hands of this agent are in its ledger, for readers.
    pub(super) async fn written(&self, agent: u16) {
        let ledger = lock(&self.ledgers[usize::from(agent)]).clone();
        if let Some(ledger) = ledger {
            ledger.written().await;
        }
    }
}

impl SeenHand {
    fn new(hand: &Hand) -> SeenHand {
        let end = (hand.next() == Next::Over).then(|| SeenEnd {
            bot_hole: high_to_low(hand.hole()[hand.server()]),
            winnings: hand.winnings(),
        });
        let hole = high_to_low(hand.hole()[hand.client()]);
        SeenHand { public: hand.public().clone(), client: hand.client(), hole, end }
    }
}

/// A finished hand with the agent's decisions in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Review {
    /// The agent's name.
    pub agent: String,
    /// The match in whose ledger the hand is.
    #[serde(rename = "match")]
    pub of: String,
    /// The hand's number in that ledger.
    pub hand: u64,
    /// The number of its deal in that ledger.
    pub deal: u64,
    /// The client's seat: 0 the big blind, 1 the button.
    pub client_pos: u8,
    /// The client's cards, high to low.
    pub hole_cards: Vec<String>,
    /// The agent's cards.
    pub bot_hole_cards: Vec<String>,
    /// The board cards.
    pub board: Vec<String>,
    /// The betting, in Slumbot's notation.
    pub action: String,
    /// The client's winnings in chips.
    pub winnings: i64,
    /// The agent's decisions in order, without those made before a restart of the server.
    pub decisions: Vec<ReviewedDecision>,
    /// The hand as recorded.
    #[serde(skip)]
    record: HandRecord,
}

/// A decision of the agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReviewedDecision {
    /// The number of actions before it, of either seat.
    pub index: u32,
    /// The street, in lower case.
    pub street: &'static str,
    /// The betting before it.
    pub before: String,
    /// The board cards at that moment.
    pub board: Vec<String>,
    /// The action played, as in the betting: `k`, `c`, `f` or `b` and the total on the street.
    pub action: String,
    /// The distribution the action was drawn from; empty when the agent gave none.
    pub strategy: Vec<Choice>,
    /// The agent's explanation, if it gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The reason why a check or fold replaced its answer, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<logs::Fallback>,
    /// The decision time in microseconds.
    pub elapsed_us: u64,
}

/// An action with its probability and its value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// The action, as in [`ReviewedDecision::action`].
    pub action: String,
    /// The probability, from 0 to 1.
    pub probability: f64,
    /// The average winnings of the action with the agent's hand, in chips over the whole hand, as
    /// the agent estimated it; absent when it gave no values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

impl SlumbotHost {
    /// The last finished hand of a session; `None` when there is none yet.
    ///
    /// # Errors
    /// When the token is unknown, or the ledger cannot be read.
    pub async fn review(&self, token: &str) -> Result<Option<Review>, HostError> {
        let inner = &*self.0;
        let shared = inner.find(token)?;
        let Some(last) = shared.lock().await.slot.last else { return Ok(None) };
        let offered = inner.offered_agent(last.agent);
        let (name, of) = (offered.name.clone(), match_name(offered.choice().name(), last.ledger));
        let read = self.last_record(token).await?;
        Ok(read.map(|(record, decisions)| review(name, of, record, &decisions)))
    }
}

/// The seat of an entrant, who sits in every hand.
fn seat(record: &HandRecord, entrant: u8) -> Seat {
    let found = record.entrants.iter().find(|(_, sits)| **sits == entrant);
    found.map(|(seat, _)| seat).expect("both sit in every hand")
}

fn review(agent: String, of: String, record: HandRecord, decisions: &[DecisionRecord]) -> Review {
    let (client, server) = (seat(&record, CLIENT_ENTRANT), seat(&record, SERVER_ENTRANT));
    let texts = |cards: &[cards::Card]| cards.iter().map(ToString::to_string).collect();
    let reviewed = decisions.iter().filter(|decision| decision.entrant == SERVER_ENTRANT);
    Review {
        agent,
        of,
        hand: record.hand,
        deal: record.deal,
        client_pos: client.index() as u8,
        hole_cards: texts(&high_to_low(record.hole[client])),
        bot_hole_cards: texts(&high_to_low(record.hole[server])),
        board: texts(&board_order(record.public.board())),
        action: write(&record.public),
        winnings: record.payoffs[client].parts() / game::Payoff::PER_CHIP,
        decisions: reviewed.filter_map(|decision| reviewed_decision(&record, decision)).collect(),
        record,
    }
}

impl Review {
    /// What another agent would have done with the client's cards, at each of its decisions. Their
    /// `action` is what the client did.
    ///
    /// # Errors
    /// When the agent cannot be built.
    pub async fn advice(
        &self,
        agent: &Arc<OfferedAgent>,
    ) -> Result<Vec<ReviewedDecision>, AgentError> {
        let record = &self.record;
        let client = seat(record, CLIENT_ENTRANT);
        let mut advice = Vec::new();
        for (index, played) in record.public.history().iter().enumerate() {
            if played.seat != client {
                continue;
            }
            let Some(public) = state_before(record, index) else { continue };
            let infoset = InfoSet { public, seat: client, hole: record.hole[client] };
            let question = Question { infoset, seed: record.deal, hand: record.hand };
            let mut decision = agent.decide_elsewhere(question).await?;
            decision.action = played.action;
            advice.extend(reviewed_decision(record, &decision));
        }
        Ok(advice)
    }
}

fn reviewed_decision(record: &HandRecord, decision: &DecisionRecord) -> Option<ReviewedDecision> {
    let state = state_before(record, decision.index as usize)?;
    let text = |action: Action| Incr::from_action(action, &state).to_string();
    let strategy = decision.strategy.iter().flat_map(|strategy| &strategy.actions);
    let value = |action: Action| {
        decision.values.iter().find(|(valued, _)| *valued == action).map(|&(_, value)| value)
    };
    let choice = |&(action, probability): &(Action, f64)| Choice {
        action: text(action),
        probability,
        value: value(action),
    };
    Some(ReviewedDecision {
        index: decision.index,
        street: state.street().name(),
        before: write(&state),
        board: board_order(state.board()).iter().map(ToString::to_string).collect(),
        action: text(decision.action),
        strategy: strategy.map(choice).collect(),
        note: decision.note.clone(),
        fallback: decision.fallback,
        elapsed_us: u64::try_from(decision.elapsed.as_micros()).unwrap_or(u64::MAX),
    })
}

/// The hand's state before its action of this index.
fn state_before(record: &HandRecord, index: usize) -> Option<PublicState> {
    let history = record.public.history();
    let mut state = PublicState::new(record.public.def());
    for played in history.get(..index)? {
        state.apply(played.action).ok()?;
        state.deal_from(&record.public.board()).ok()?;
    }
    Some(state)
}
