//! The best ranges that a small tree of questions about the two cards can say, with proof.
//!
//! What a range of one blind loses to the best answer does not depend on the other blind's range,
//! and is convex in it ([`Loss`]): the other blind answers with each of its hands on its own. For a
//! fixed answer it is a sum over the hands that are played, of which the best tree is found by
//! dynamic programming over all sets of hands that questions can cut out. Such sums are lower
//! bounds, and a mixed answer that makes them high is found by subgradient steps. All trees whose
//! sum is below the best loss known are then looked at; where they are not too many, the best is
//! proven.

mod listing;
mod questions;
mod search;
mod sets;

use cards::StartingHand;
use models::linear::Blind;
use solvers::shove_fold::{Equilibrium, Payoffs, Range, Ranges, equilibrium};

pub use self::questions::Question;
pub use self::search::{Limits, Optimum, optima};

const KINDS: usize = StartingHand::COUNT;

/// A tree of questions; hands of its `true` leaves are played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RangeTree {
    /// Every hand is played, or none.
    Leaf(bool),
    /// One tree for hands for which the answer is yes, another for the rest.
    Ask(Question, Box<[RangeTree; 2]>),
}

impl RangeTree {
    /// Whether a hand is played.
    pub fn plays(&self, hand: StartingHand) -> bool {
        match self {
            RangeTree::Leaf(played) => *played,
            RangeTree::Ask(question, answers) => {
                answers[usize::from(!question.holds(hand))].plays(hand)
            }
        }
    }

    /// 1 for hands that are played, 0 for the others.
    pub fn range(&self) -> Range {
        let mut range = [0.0; KINDS];
        for hand in StartingHand::all() {
            range[hand.index()] = f64::from(u8::from(self.plays(hand)));
        }
        range
    }

    /// In words, where hands that are played do this: "a pair: all-in; else suited: all-in; else
    /// fold". What is behind a question stands in brackets where it is longer than a word.
    pub fn words(&self, action: &str) -> String {
        match self {
            RangeTree::Leaf(true) => action.to_owned(),
            RangeTree::Leaf(false) => "fold".to_owned(),
            RangeTree::Ask(question, answers) => {
                let [yes, no] = [&answers[0], &answers[1]].map(|answer| answer.words(action));
                match &answers[0] {
                    RangeTree::Leaf(_) => format!("{question}: {yes}; else {no}"),
                    RangeTree::Ask(..) => format!("{question}: ({yes}); else {no}"),
                }
            }
        }
    }

    /// How many questions there are.
    pub fn questions(&self) -> usize {
        match self {
            RangeTree::Leaf(_) => 0,
            RangeTree::Ask(_, answers) => {
                1 + answers.iter().map(RangeTree::questions).sum::<usize>()
            }
        }
    }

    /// How many questions are asked of a hand at most.
    pub fn depth(&self) -> usize {
        match self {
            RangeTree::Leaf(_) => 0,
            RangeTree::Ask(_, answers) => 1 + answers[0].depth().max(answers[1].depth()),
        }
    }
}

/// What ranges of one blind lose to best answers, in big blinds a hand.
#[derive(Debug, Clone)]
pub struct Loss {
    payoffs: Payoffs,
    /// Of the game, to the small blind.
    value: f64,
    blind: Blind,
    /// How the other blind answers in equilibrium.
    equilibrium: Range,
}

impl Loss {
    /// Of all-ins of the small blind, or of calls of the big blind.
    pub fn new(payoffs: Payoffs, blind: Blind) -> Loss {
        let Equilibrium { value, ranges, .. } = equilibrium(&payoffs);
        let equilibrium = match blind {
            Blind::Small => ranges.call,
            Blind::Big => ranges.jam,
        };
        Loss { payoffs, value, blind, equilibrium }
    }

    /// What a range loses to the best answer.
    pub fn of(&self, range: &Range) -> f64 {
        match self.blind {
            Blind::Small => self.value - self.payoffs.at_least(range),
            Blind::Big => self.payoffs.at_most(range) - self.value,
        }
    }

    /// What each hand of the other blind gains by playing against a range.
    fn answers(&self, range: &Range) -> Range {
        match self.blind {
            Blind::Small => self.payoffs.call_gains(range),
            Blind::Big => self.payoffs.jam_gains(range),
        }
    }

    /// What ranges lose to one answer, which no range loses less than to the best: what playing
    /// nothing loses, and how much more each hand does that is played.
    fn to(&self, answer: &Range) -> (f64, Range) {
        let nothing = [0.0; KINDS];
        let (folded, gains) = match self.blind {
            Blind::Small => {
                let ranges = Ranges { jam: nothing, call: *answer };
                (self.value - self.payoffs.value(&ranges), self.payoffs.jam_gains(answer))
            }
            Blind::Big => {
                let ranges = Ranges { jam: *answer, call: nothing };
                (self.payoffs.value(&ranges) - self.value, self.payoffs.call_gains(answer))
            }
        };
        (folded, gains.map(|gain| -gain))
    }
}
