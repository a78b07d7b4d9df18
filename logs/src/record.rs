//! The records: one finished hand, one decision.

use std::time::Duration;

use cards::HoleCards;
use game::{Action, BySeat, Payoff, PublicState, Seat, Strategy, Turn};

/// One finished hand with all cards.
#[derive(Debug, Clone, PartialEq)]
pub struct HandRecord {
    /// The hand's number in its match, from 0.
    pub hand: u64,
    /// The deal it was played with; hands of one duplicate group share it.
    pub deal: u64,
    /// The final public state: betting, board as far as dealt.
    pub public: PublicState,
    /// Everybody's hole cards.
    pub hole: BySeat<HoleCards>,
    /// What each seat won or lost; sums to zero.
    pub payoffs: BySeat<Payoff>,
    /// Who sat in each seat, as an index into the match's entrants.
    pub entrants: BySeat<u8>,
}

impl HandRecord {
    /// Calls `see` with the state before each action of the hand, in order, and with who acts.
    pub fn each_decision(&self, mut see: impl FnMut(&PublicState, Seat)) {
        let mut public = PublicState::new(self.public.def());
        let board = self.public.board();
        for played in self.public.history() {
            // The record's board goes on as far as the hand did.
            if matches!(public.turn(), Turn::Deal(_)) && public.deal_from(&board).is_err() {
                return;
            }
            see(&public, played.seat);
            if public.apply(played.action).is_err() {
                return;
            }
        }
    }
}

/// One decision of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionRecord {
    /// The hand's number in its match.
    pub hand: u64,
    /// The decision's number in its hand: how many actions of any seat came before it.
    pub index: u32,
    /// Who decided, as an index into the match's entrants.
    pub entrant: u8,
    /// From which seat.
    pub seat: Seat,
    /// What was played.
    pub action: Action,
    /// What the agent had asked for, when that was not legal and had to be corrected.
    pub corrected_from: Option<Action>,
    /// Why the agent's answer was not used at all, when it was not.
    pub fallback: Option<Fallback>,
    /// The distribution the action was drawn from, if the agent gave one.
    pub strategy: Option<Strategy>,
    /// The agent's own explanation.
    pub note: Option<String>,
    /// How long the agent thought.
    pub elapsed: Duration,
}

/// Why a check or fold stands where the agent's answer should.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Fallback {
    /// The agent panicked.
    Panic,
    /// The agent did not answer in time.
    Timeout,
    /// The agent's process or connection was gone.
    Gone,
    /// The agent answered something that is no action.
    BadAnswer,
}
