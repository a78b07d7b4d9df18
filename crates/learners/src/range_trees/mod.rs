//! The best ranges that a small tree of questions about the two cards can express, with proof.
//!
//! The loss of one blind's range to the best answer does not depend on the other blind's range, and
//! is convex in it ([`Loss`]): the other blind answers with each of its hands independently. For a
//! fixed answer it is a sum over the hands that are played, for which dynamic programming over all
//! sets of hands that questions can separate finds the best tree. Such sums are lower bounds, and
//! subgradient steps find a mixed answer that makes them large. All trees whose sum is below the
//! best loss known are then examined; if they are not too many, the best is proven.

mod listing;
mod search;
mod sets;

use std::fmt;

use cards::StartingHand;
use models::linear::Blind;
use solvers::shove_fold::{Equilibrium, Payoffs, Range, Ranges, equilibrium};

pub use self::search::{Limits, Optimum, optima};

const KINDS: usize = StartingHand::COUNT;

/// A tree of questions; the hands at `true` leaves are played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RangeTree {
    /// All hands are played, or none.
    Leaf(bool),
    /// A tree for the hands with the answer yes, and one for the others.
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

    /// The range: 1 for hands that are played, 0 for the others.
    pub fn range(&self) -> Range {
        let mut range = [0.0; KINDS];
        for hand in StartingHand::all() {
            range[hand.index()] = f64::from(u8::from(self.plays(hand)));
        }
        range
    }

    /// The tree in words, with `action` for hands that are played: "a pair: all-in; else suited:
    /// all-in; else fold". Subtrees longer than a word are in brackets.
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

    /// The number of questions.
    pub fn questions(&self) -> usize {
        match self {
            RangeTree::Leaf(_) => 0,
            RangeTree::Ask(_, answers) => {
                1 + answers.iter().map(RangeTree::questions).sum::<usize>()
            }
        }
    }

    /// The most questions asked of a hand.
    pub fn depth(&self) -> usize {
        match self {
            RangeTree::Leaf(_) => 0,
            RangeTree::Ask(_, answers) => 1 + answers[0].depth().max(answers[1].depth()),
        }
    }
}

/// The losses of one blind's ranges to best answers, in big blinds a hand.
#[derive(Debug, Clone)]
pub struct Loss {
    payoffs: Payoffs,
    /// The value of the game to the small blind.
    value: f64,
    blind: Blind,
    /// The other blind's equilibrium range.
    equilibrium: Range,
}

impl Loss {
    /// The losses of all-ins of the small blind, or of calls of the big blind.
    pub fn new(payoffs: Payoffs, blind: Blind) -> Loss {
        let Equilibrium { value, ranges, .. } = equilibrium(&payoffs);
        let equilibrium = match blind {
            Blind::Small => ranges.call,
            Blind::Big => ranges.jam,
        };
        Loss { payoffs, value, blind, equilibrium }
    }

    /// The loss of a range to the best answer.
    pub fn of(&self, range: &Range) -> f64 {
        match self.blind {
            Blind::Small => self.value - self.payoffs.at_least(range),
            Blind::Big => self.payoffs.at_most(range) - self.value,
        }
    }

    /// The gain of each hand of the other blind by playing against a range.
    fn answers(&self, range: &Range) -> Range {
        match self.blind {
            Blind::Small => self.payoffs.call_gains(range),
            Blind::Big => self.payoffs.jam_gains(range),
        }
    }

    /// The loss to one answer, at most that to the best answer: the loss of playing nothing, and
    /// the additional loss of each hand that is played.
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

/// A question about a starting hand. Ranks are 2 to 14.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Question {
    /// Whether the higher card has at least this rank.
    High(u8),
    /// Whether the lower card has at least this rank.
    Low(u8),
    /// Whether the ranks differ by at most this much; 0 is a pair.
    Gap(u8),
    /// Whether the cards are suited.
    Suited,
}

impl Question {
    /// All questions that some hands answer with yes and others with no.
    pub fn all() -> Vec<Question> {
        let ranks = 3..=14;
        let high = ranks.clone().map(Question::High);
        let all = high.chain(ranks.map(Question::Low)).chain((0..12).map(Question::Gap));
        all.chain([Question::Suited]).collect()
    }

    /// Whether the answer for a hand is yes.
    pub fn holds(self, hand: StartingHand) -> bool {
        let [high, low] = hand.ranks().map(|rank| rank.index() + 2);
        match self {
            Question::High(least) => high >= least,
            Question::Low(least) => low >= least,
            Question::Gap(most) => high - low <= most,
            Question::Suited => hand.is_suited(),
        }
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let card = |rank: u8| char::from(b"23456789TJQKA"[usize::from(rank - 2)]);
        match *self {
            Question::High(least) => write!(f, "high card {} or better", card(least)),
            Question::Low(least) => write!(f, "low card {} or better", card(least)),
            Question::Gap(0) => write!(f, "a pair"),
            Question::Gap(most) => write!(f, "at most {most} apart"),
            Question::Suited => write!(f, "suited"),
        }
    }
}
