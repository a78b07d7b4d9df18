//! Records of a finished hand and of a decision.

use std::time::Duration;

use cards::HoleCards;
use game::{Action, BySeat, Payoff, PublicState, Seat, Strategy, Turn};

/// One finished hand with all cards.
#[derive(Debug, Clone, PartialEq)]
pub struct HandRecord {
    /// The hand's number in its match, from 0.
    pub hand: u64,
    /// The deal's number; hands of one duplicate group share it.
    pub deal: u64,
    /// The final public state: betting, board as far as dealt.
    pub public: PublicState,
    /// All hole cards by seat.
    pub hole: BySeat<HoleCards>,
    /// The payoff of each seat; they sum to zero.
    pub payoffs: BySeat<Payoff>,
    /// The entrant in each seat, as an index into the match's entrants.
    pub entrants: BySeat<u8>,
}

impl HandRecord {
    /// Calls `see` with the state before each action of the hand, in order, and the acting seat.
    pub fn each_decision(&self, mut see: impl FnMut(&PublicState, Seat)) {
        let mut public = PublicState::new(self.public.def());
        let board = self.public.board();
        for played in self.public.history() {
            // The record's board has the cards of every street reached.
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
    /// The decision's index in its hand: the number of earlier actions of any seat.
    pub index: u32,
    /// The deciding entrant, as an index into the match's entrants.
    pub entrant: u8,
    /// The deciding seat.
    pub seat: Seat,
    /// The action played.
    pub action: Action,
    /// The agent's choice, when it was illegal and had to be corrected.
    pub corrected_from: Option<Action>,
    /// The reason for a fallback, when the agent's answer was not used.
    pub fallback: Option<Fallback>,
    /// The distribution that the action was drawn from, if the agent gave one.
    pub strategy: Option<Strategy>,
    /// The value of actions in chips over the whole hand, as the agent estimated them; empty if it
    /// gave none.
    pub values: Vec<(Action, f64)>,
    /// The agent's own explanation.
    pub note: Option<String>,
    /// Whether the situation is outside of what the agent's model is for: its fallback decided, or
    /// it used the nearest that it has.
    pub beyond_model: bool,
    /// The agent's thinking time.
    pub elapsed: Duration,
}

/// The reason why a check or fold was played in place of the agent's answer.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Fallback {
    /// The agent panicked.
    Panic,
    /// The agent did not answer in time.
    Timeout,
    /// The agent's process or connection was lost.
    Gone,
    /// The agent's answer was not an action.
    BadAnswer,
}

impl Fallback {
    /// The reason in words.
    pub const fn words(self) -> &'static str {
        match self {
            Fallback::Panic => "it panicked",
            Fallback::Timeout => "it did not answer in time",
            Fallback::Gone => "its program or connection is gone",
            Fallback::BadAnswer => "its answer is not an action",
        }
    }
}
