//! A session as its client may see it, for a page that shows the table. What the client may not
//! know yet is not in here: the agent's cards before the end of the hand, cards to come.

use std::fmt;

use cards::HoleCards;
use game::{PublicState, Seat};
use protocol::slumbot::action::high_to_low;
use protocol::slumbot::host::{Hand, Next, Totals};

use super::ledger_store::match_name;
use super::session::{Session, replay, totals};
use super::slots::{Slot, Stage};
use super::{HostError, Inner, SlumbotHost, lock};

/// A session at one moment.
#[derive(Debug, Clone)]
pub struct SessionView {
    /// The agent of its last hand.
    pub agent: String,
    /// The session's number: deals of its hands have it as their upper half.
    pub session: u32,
    /// What it has come to, all agents together.
    pub totals: Totals,
    /// Its last hand, if it has one.
    pub hand: Option<SeenHand>,
    /// The matches in which its finished hands with this agent are recorded, the earliest first.
    pub matches: Vec<String>,
    /// Changes whenever anything above does.
    pub moment: Moment,
}

/// When in a session something was seen: later moments are greater. Below 2^53, so that scripts can
/// compare them too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Moment(u64);

impl Moment {
    fn of(slot: &Slot) -> Moment {
        let over = slot.stage != Stage::Open;
        // No hand has 32,768 actions.
        Moment((u64::from(slot.dealt) << 16) + 2 * slot.actions.len() as u64 + u64::from(over))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A hand as its client sees it.
#[derive(Debug, Clone)]
pub struct SeenHand {
    /// What both see.
    pub public: PublicState,
    /// The client's seat.
    pub client: Seat,
    /// The client's cards, high to low.
    pub hole: HoleCards,
    /// The result, once it is over.
    pub end: Option<SeenEnd>,
}

/// How a hand ended.
#[derive(Debug, Clone, Copy)]
pub struct SeenEnd {
    /// The agent's cards, high to low.
    pub bot_hole: HoleCards,
    /// What the client won, in chips.
    pub winnings: i64,
}

impl SlumbotHost {
    /// Waits until the finished hands of this session's last agent are in the ledger, for whoever
    /// is to read it: they get there by themselves within a tenth of a second.
    pub async fn written(&self, token: &str) {
        let Ok(shared) = self.0.find(token) else { return };
        let agent = shared.lock().await.slot.hand_agent;
        self.0.written(agent).await;
    }

    /// The session of this token as its client may see it.
    ///
    /// # Errors
    /// When the token is unknown.
    pub async fn look(&self, token: &str) -> Result<SessionView, HostError> {
        let inner = &*self.0;
        let shared = inner.find(token)?;
        let session = shared.lock().await;
        inner.alive(&session)?;
        let Session { slot, seeds, .. } = &*session;
        let bot = inner.bot(slot.hand_agent);
        let books = slot.last.filter(|last| last.agent == slot.hand_agent);
        let books = books.map_or(0, |last| last.book);
        Ok(SessionView {
            agent: bot.name.clone(),
            session: slot.number,
            totals: totals(slot),
            hand: replay(&inner.def, *seeds, slot).map(|hand| SeenHand::of(&hand)),
            matches: (1..=books).map(|book| match_name(bot.choice().name(), book)).collect(),
            moment: Moment::of(slot),
        })
    }
}

impl Inner {
    /// Waits until the finished hands of this agent are in its ledger, for whoever reads it.
    pub(super) async fn written(&self, agent: u16) {
        let book = lock(&self.books[usize::from(agent)]).clone();
        if let Some(book) = book {
            book.written().await;
        }
    }
}

impl SeenHand {
    fn of(hand: &Hand) -> SeenHand {
        let end = (hand.next() == Next::Over).then(|| SeenEnd {
            bot_hole: high_to_low(hand.hole()[hand.bot()]),
            winnings: hand.winnings(),
        });
        let hole = high_to_low(hand.hole()[hand.client()]);
        SeenHand { public: hand.public().clone(), client: hand.client(), hole, end }
    }
}
