//! The error of this crate.

use crate::Card;
use crate::range::RangeProblem;

/// Cards, hands, ranges or boards that cannot be read or used. It displays the place, the problem
/// and the remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<Problem>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Problem {
    #[error("`{text}` is not a card: write a rank of 23456789TJQKA and a suit of cdhs, as in `Ah`")]
    Card { text: String },
    #[error(
        "at character {at}: `{text}` is not a card: write a rank of 23456789TJQKA and a suit of \
         cdhs, as in `Ah`"
    )]
    CardAt { at: usize, text: String },
    #[error("{found} cards where at most {most} fit")]
    TooManyCards { found: usize, most: usize },
    #[error("{0} appears twice")]
    Repeated(Card),
    #[error(
        "'{text}' is not a starting hand: write a pair as TT, others as AKs (suited) or AKo \
         (offsuit)"
    )]
    StartingHand { text: String },
    #[error("at character {at}: `{text}` {problem}")]
    Range { at: usize, text: String, problem: RangeProblem },
    #[error("the weight {0} of a hand in a range must be from 0 to 1")]
    Weight(String),
    #[error("the number of cards on the board is {found}: give {wanted}")]
    BoardSize { found: u32, wanted: &'static str },
    #[error("{0} is both in the hand and on the board: give each card once")]
    HandAndBoard(Card),
    #[error("{0} hands: give two to ten")]
    Hands(usize),
    #[error("{0} cards on the board: give none, three, four or five")]
    AllInBoard(u32),
    #[error("{0} is given twice: give each card once")]
    GivenTwice(Card),
    #[error(
        "rounds of {0:?} cards cannot be numbered: give one to four rounds of one card or more, at \
         most seven cards together"
    )]
    RoundSizes(Vec<usize>),
    #[error("round {round} has {found} cards where this index takes {wanted}")]
    RoundCards { round: usize, found: u32, wanted: usize },
    #[error("{0} is dealt in two rounds: give each card once")]
    DealtTwice(Card),
}

impl Error {
    /// The card that a list of cards names twice, where that is the problem.
    pub fn repeated_card(&self) -> Option<Card> {
        if let Problem::Repeated(card) = *self.0 { Some(card) } else { None }
    }

    /// The error for a hand on a board that holds one of its cards.
    #[cold]
    pub fn hand_and_board(card: Card) -> Error {
        Problem::HandAndBoard(card).into()
    }

    /// The error for a board of `found` cards where `wanted`, in words, are allowed.
    #[cold]
    pub fn board_size(found: u32, wanted: &'static str) -> Error {
        Problem::BoardSize { found, wanted }.into()
    }
}

impl From<Problem> for Error {
    #[cold]
    fn from(problem: Problem) -> Error {
        Error(Box::new(problem))
    }
}
