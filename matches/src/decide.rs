//! Turning an agent's decision into one that can be played and recorded.
//!
//! The agent's random source is seeded by the match's seed, the hand and the decision's number. An
//! illegal action is corrected; a missing answer is replaced by a check, or a fold.

use std::time::Duration;

use agents::{AgentRng, Decision, Failed};
use game::{Action, InfoSet, Strategy};
use logs::{DecisionRecord, Fallback};

/// The parameters of a decision.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// The match's seed, from which the agent's random source is made.
    pub seed: u64,
    /// The hand's number in its match.
    pub hand: u64,
    /// The time limit; `None` for no limit.
    pub time_left: Option<Duration>,
}

/// A decision that can be played, with what the agent reported.
#[derive(Debug, Clone)]
pub struct Decided {
    /// The action to play, always legal.
    pub action: Action,
    /// The agent's action, if it was illegal and has been corrected.
    pub corrected_from: Option<Action>,
    /// The reason why the agent's answer was not used, if it was not.
    pub fallback: Option<Fallback>,
    /// The distribution the agent drew its action from, if it gave one.
    pub strategy: Option<Strategy>,
    /// The value of actions to the agent, in chips over the whole hand; empty if it gave none.
    pub values: Vec<(Action, f64)>,
    /// The agent's own explanation.
    pub note: Option<String>,
    /// Whether the situation is outside of what the agent's model is for.
    pub beyond_model: bool,
}

impl Decided {
    /// Makes an agent's decision legal in this information set.
    pub fn new(decision: Decision, infoset: &InfoSet) -> Decided {
        let legal = infoset.legal();
        if let Some(failed) = decision.failed {
            return Decided {
                action: if legal.fold { Action::Fold } else { Action::Call },
                corrected_from: None,
                fallback: Some(fallback(failed)),
                strategy: None,
                values: Vec::new(),
                note: decision.note,
                beyond_model: false,
            };
        }
        let legal_already = legal.allows(decision.action);
        Decided {
            action: if legal_already { decision.action } else { legal.nearest(decision.action) },
            corrected_from: (!legal_already).then_some(decision.action),
            fallback: None,
            strategy: decision.strategy,
            values: decision.values,
            note: decision.note,
            beyond_model: decision.beyond_model,
        }
    }

    /// The record of this decision.
    pub fn record(
        self,
        infoset: &InfoSet,
        hand: u64,
        entrant: u8,
        elapsed: Duration,
    ) -> DecisionRecord {
        DecisionRecord {
            hand,
            index: infoset.public.history().len() as u32,
            entrant,
            seat: infoset.seat,
            action: self.action,
            corrected_from: self.corrected_from,
            fallback: self.fallback,
            strategy: self.strategy,
            values: self.values,
            note: self.note,
            beyond_model: self.beyond_model,
            elapsed,
        }
    }
}

fn fallback(failed: Failed) -> Fallback {
    match failed {
        Failed::Timeout => Fallback::Timeout,
        Failed::Gone => Fallback::Gone,
        Failed::BadAnswer => Fallback::BadAnswer,
        Failed::Panicked => Fallback::Panic,
    }
}

/// The random source of one decision.
pub fn decision_rng(seed: u64, hand: u64, index: u64) -> AgentRng {
    let low = mix(seed ^ mix(hand ^ mix(index)));
    let high = mix(low ^ 0x9E37_79B9_7F4A_7C15);
    AgentRng::new(u128::from(high) << 64 | u128::from(low))
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood 2014): every input bit affects every output
/// bit.
pub fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
