//! The questions that trees ask about two cards.

use std::fmt;

use cards::StartingHand;

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
