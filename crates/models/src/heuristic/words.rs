//! Statements in plain words, for players.

use std::collections::BTreeSet;

use cards::Category;
use game::Street;

use super::text::card;
use super::{Act, Bound, Clause, Heuristic};

/// The hand categories within a sentence, such as `a pair`.
const HANDS: [&str; 9] = [
    "nothing",
    "a pair",
    "two pair",
    "three of a kind",
    "a straight",
    "a flush",
    "a full house",
    "four of a kind",
    "a straight flush",
];

impl Heuristic {
    /// A statement, or the default (the index after the last), as a sentence for this street: `If
    /// you have a pair or better, bet or raise.`
    pub fn sentence(&self, at: usize, street: Street) -> String {
        let [when, what] = self.when_and_what(at, street);
        match (at, self.statements().len()) {
            (0, 0) => format!("Always {what}."),
            (0, _) => format!("If {when}, {what}."),
            (_, last) if at >= last => format!("Otherwise {what}."),
            _ => format!("Otherwise, if {when}, {what}."),
        }
    }

    /// The sentence in two parts: the condition, `you have a pair or better`, for the default
    /// `else` or `always`; and the action, `bet or raise`.
    pub fn when_and_what(&self, at: usize, street: Street) -> [String; 2] {
        let Some(statement) = self.statements().get(at) else {
            let when = if at == 0 { "always" } else { "else" };
            return [when.to_owned(), act(self.default())];
        };
        let mut clauses = statement.clauses.clone();
        let hands = between(&mut clauses);
        let said: Vec<String> =
            hands.into_iter().chain(clauses.iter().map(|&clause| words(clause, street))).collect();
        let mut when = String::new();
        for (at, clause) in said.iter().enumerate() {
            let before = at.checked_sub(1).map_or("", |before| &said[before]);
            let short = clause.strip_prefix(HAVE).filter(|_| before.starts_with(HAVE));
            let and = if at > 0 { " and " } else { "" };
            when = when + and + short.unwrap_or(clause);
        }
        [when, act(statement.act)]
    }

    /// The terms used in this list that a beginner may not know, without duplicates.
    pub fn terms(&self) -> BTreeSet<Term> {
        let clauses = self.statements().iter().flat_map(|statement| &statement.clauses);
        clauses
            .filter_map(|clause| match clause {
                Clause::Outs(..) => Some(Term::Outs),
                Clause::Dry(_) => Some(Term::Dry),
                Clause::High(..) => Some(Term::High),
                Clause::Pot(..) => Some(Term::Pot),
                Clause::WinRate(..) => Some(Term::WinRate),
                Clause::Times(_) => Some(Term::Times),
                Clause::Aggressive(_) => Some(Term::Aggressive),
                Clause::Hand(..) => None,
            })
            .collect()
    }
}

/// A term with an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// The rank that names a hand.
    High,
    /// An opponent that has just bet or raised.
    Aggressive,
    /// The size of the pot in big blinds.
    Pot,
    /// Unseen cards that improve the hand.
    Outs,
    /// Dry and wet boards; their definition is a setting.
    Dry,
    /// The share of pots won against a random hand.
    WinRate,
    /// A share of times, such as one time in three.
    Times,
}

impl Term {
    /// The explanation; empty for dry boards, which a [`Texture`](abstraction::facts::Texture)
    /// explains.
    pub const fn meaning(self) -> &'static str {
        match self {
            Term::High => {
                "The best card of a hand is the highest of those that make it: a pair of nines has \
                 a nine."
            }
            Term::Pot => {
                "The pot is all chips in the middle, counted in big blinds; bets of this round are \
                 in it."
            }
            Term::Aggressive => {
                "Your opponent has just bet or raised when that was its last move, in this round \
                 or an earlier one."
            }
            Term::Outs => {
                "Outs are cards still to come that complete your hand: a third to your pair (2), a \
                 full house to your two pair (4), the missing card of a straight (4 or 8) or of a \
                 flush (9)."
            }
            Term::Dry => "",
            Term::WinRate => {
                "Your chance is how often you would win against two cards you know nothing of; a \
                 tie is half."
            }
            Term::Times => {
                "One time in 3: look at a watch, and do it in the first third of a minute; so with \
                 other shares."
            }
        }
    }
}

/// The start of clauses about the own cards, written once where they follow each other.
const HAVE: &str = "you have ";

/// Merges the two clauses that keep the hand between two categories.
fn between(clauses: &mut Vec<Clause>) -> Option<String> {
    let bounds = [Bound::AtLeast, Bound::AtMost].map(|wanted| {
        clauses.iter().find_map(|clause| match clause {
            Clause::Hand(bound, category) if *bound == wanted => Some(*category),
            _ => None,
        })
    });
    let hands = clauses.iter().filter(|clause| matches!(clause, Clause::Hand(..))).count();
    let ([Some(least), Some(most)], 2) = (bounds, hands) else { return None };
    clauses.retain(|clause| !matches!(clause, Clause::Hand(..)));
    let [least, most] = [least, most].map(|category| HANDS[category as usize]);
    Some(match least == most {
        true => format!("{HAVE}{least}"),
        false => format!("{HAVE}anything from {least} to {most}"),
    })
}

/// A clause within a sentence.
fn words(clause: Clause, street: Street) -> String {
    match clause {
        Clause::Hand(Bound::AtLeast, Category::StraightFlush) => "you have a straight flush".into(),
        Clause::Hand(Bound::AtLeast, Category::HighCard) => "you have any hand".into(),
        Clause::Hand(Bound::AtLeast, Category::Pair) if street == Street::Preflop => {
            "you have a pair".into()
        }
        Clause::Hand(Bound::AtLeast, category) => {
            format!("you have {} or better", HANDS[category as usize])
        }
        Clause::Hand(Bound::AtMost, Category::HighCard) => "you have not even a pair".into(),
        Clause::Hand(Bound::AtMost, category) => {
            format!("you have {} or worse", HANDS[category as usize])
        }
        Clause::High(Bound::AtLeast, rank) if rank == cards::Rank::ACE => {
            "your best card is an ace".into()
        }
        Clause::High(bound, rank) => {
            let side = if bound == Bound::AtLeast { "higher" } else { "lower" };
            let article = if rank.index() == 6 { "an" } else { "a" };
            format!("your best card is {article} {} or {side}", card(rank))
        }
        Clause::Pot(bound, blinds) => {
            let blinds =
                if blinds == 1 { "1 big blind".into() } else { format!("{blinds} big blinds") };
            format!("the pot is {blinds} {}", side(bound))
        }
        Clause::Outs(bound, outs) => {
            let outs = if outs == 1 { "1 out".into() } else { format!("{outs} outs") };
            format!("you have {outs} {}", side(bound))
        }
        Clause::Aggressive(true) => "your opponent has just bet or raised".into(),
        Clause::Aggressive(false) => "your opponent has not just bet or raised".into(),
        Clause::Dry(true) => "the board is dry".into(),
        Clause::Dry(false) => "the board is wet".into(),
        Clause::WinRate(bound, tenths) => {
            let percent = f64::from(tenths) / 10.0;
            match street {
                Street::River => format!("you beat {percent} % of hands {}", side(bound)),
                _ => format!("your chance is {percent} % {}", side(bound)),
            }
        }
        Clause::Times(times) => {
            let [n, m] = times.parts();
            match n {
                1 => format!("it is one time in {m}"),
                _ => format!("it is {n} times in {m}"),
            }
        }
    }
}

fn side(bound: Bound) -> &'static str {
    match bound {
        Bound::AtLeast => "or more",
        Bound::AtMost => "or less",
    }
}

/// An act within a sentence.
fn act(act: Act) -> String {
    match act {
        Act::Fold => "check or fold".into(),
        Act::Call => "check or call".into(),
        Act::Raise => "bet or raise".into(),
        Act::Bet(50) => "bet half the pot".into(),
        Act::Bet(100) => "bet the pot".into(),
        Act::Bet(hundredths) => format!("bet {} of the pot", f64::from(hundredths) / 100.0),
        Act::AllIn => "go all-in".into(),
    }
}
