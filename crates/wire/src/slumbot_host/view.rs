//! The client's view of its session, for a page that shows the table. It has nothing that the
//! client may not know yet: no cards of the agent before the end of the hand, no cards to come.

use std::fmt;

use cards::HoleCards;
use game::{PublicState, Seat};
use protocol::slumbot::action::high_to_low;
use protocol::slumbot::host::{Hand, Next, Totals};

use super::ledger_store::match_name;
use super::session::{Session, replay, totals};
use super::slots::{Slot, Stage};
use super::{HostError, Inner, SlumbotHost, lock};

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
    fn of(slot: &Slot) -> Moment {
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
            hand: replay(&inner.def, *seeds, slot).map(|hand| SeenHand::of(&hand)),
            matches: (1..=ledgers)
                .map(|ledger| match_name(offered.choice().name(), ledger))
                .collect(),
            moment: Moment::of(slot),
        })
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
    fn of(hand: &Hand) -> SeenHand {
        let end = (hand.next() == Next::Over).then(|| SeenEnd {
            bot_hole: high_to_low(hand.hole()[hand.server()]),
            winnings: hand.winnings(),
        });
        let hole = high_to_low(hand.hole()[hand.client()]);
        SeenHand { public: hand.public().clone(), client: hand.client(), hole, end }
    }
}
