//! The ten-card endgame: one bet of many sizes, then a call or a fold.
//!
//! Ganzfried & Yusuf, "Computing human-understandable strategies: deducing fundamental rules of
//! poker strategy", Games 2017, section 1.

use crate::{Game, Node, Player};

/// The ten-card game: both players have put in an ante of 0.5 and hold one of ten different cards,
/// the first player bets 0, 0.1, … 3.0, the second calls or folds. Winnings are net of the ante, so
/// that they sum to zero; the value in shares of the pot of 1 is 0.5 more.
#[derive(Debug, Clone)]
pub struct TenCards {
    /// Probability of each deal: the first player's card, then the second's, from 0 (worst) to 9.
    deals: [[f64; 10]; 10],
}

/// Error for card weights without a distribution over deals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the weights of the cards leave no deal possible: each player needs a card with a weight above \
     0 that the other need not hold, and none below 0"
)]
pub struct NoDistribution;

impl TenCards {
    /// Number of bet sizes.
    pub const BETS: usize = 31;

    /// A game with these card weights, which are independent except that both cannot hold the same
    /// card: deal (i, j) has a probability proportional to `first[i] * second[j]`, zero where i =
    /// j.
    pub fn new(first: [f64; 10], second: [f64; 10]) -> Result<TenCards, NoDistribution> {
        let usable = |weight: &f64| weight.is_finite() && *weight >= 0.0;
        if !first.iter().chain(&second).all(usable) {
            return Err(NoDistribution);
        }
        let mut deals = [[0.0; 10]; 10];
        let mut sum = 0.0;
        for (i, row) in deals.iter_mut().enumerate() {
            for (j, deal) in row.iter_mut().enumerate().filter(|(j, _)| *j != i) {
                *deal = first[i] * second[j];
                sum += *deal;
            }
        }
        if sum <= 0.0 {
            return Err(NoDistribution);
        }
        deals.iter_mut().flatten().for_each(|deal| *deal /= sum);
        Ok(TenCards { deals })
    }

    /// The game with all 90 deals equally likely.
    pub fn uniform() -> TenCards {
        TenCards::new([1.0; 10], [1.0; 10]).expect("all weights are positive")
    }

    /// The bet size with this index, 0 to 30.
    pub fn bet(number: usize) -> f64 {
        number as f64 / 10.0
    }
}

/// A state of the game.
#[derive(Debug, Clone, Copy)]
pub enum Point {
    /// Before the deal.
    Start,
    /// Both cards have been dealt.
    Dealt(usize, usize),
    /// The first player has bet.
    Bet(usize, usize, usize),
    /// The second player has called (`true`) or folded.
    Answered(usize, usize, usize, bool),
}

impl Game for TenCards {
    type State = Point;

    fn root(&self) -> Point {
        Point::Start
    }

    fn node(&self, point: &Point) -> Node<Point> {
        match *point {
            Point::Start => {
                let deals = (0..10).flat_map(|i| (0..10).map(move |j| (i, j)));
                let outcomes = deals
                    .map(|(i, j)| (self.deals[i][j], Point::Dealt(i, j)))
                    .filter(|(probability, _)| *probability > 0.0);
                Node::Chance(outcomes.collect())
            }
            Point::Dealt(i, j) => Node::Decision {
                player: Player::First,
                infoset: (i + 1).to_string(),
                actions: (0..TenCards::BETS)
                    .map(|bet| (format!("{:.1}", TenCards::bet(bet)), Point::Bet(i, j, bet)))
                    .collect(),
            },
            Point::Bet(i, j, bet) => Node::Decision {
                player: Player::Second,
                infoset: format!("{} {:.1}", j + 1, TenCards::bet(bet)),
                actions: vec![
                    ("call".to_owned(), Point::Answered(i, j, bet, true)),
                    ("fold".to_owned(), Point::Answered(i, j, bet, false)),
                ],
            },
            Point::Answered(_, _, _, false) => Node::End(0.5),
            Point::Answered(i, j, bet, true) => {
                let stake = 0.5 + TenCards::bet(bet);
                Node::End(if i > j { stake } else { -stake })
            }
        }
    }
}
