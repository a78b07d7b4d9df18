//! Shove or fold as an extensive game, for the solvers of small games.

use cards::{StartingHand, WinRate};

use crate::{Game, Node, Player};

/// The game at one stack: blinds 0.5 and 1, winnings in big blinds. The first player is the small
/// blind. Only kinds of starting hands matter, so chance deals kinds, with the probabilities of the
/// 1,326 × 1,225 deals of combos.
#[derive(Debug, Clone)]
pub struct ShoveFold {
    stack: f64,
    /// The probability and the small blind's all-in equity of each pair of kinds.
    deals: Vec<(f64, f64)>,
}

impl ShoveFold {
    /// The game with `stack` big blinds each (at least 1), given the all-in results of every kind
    /// of starting hand against every other, row by row, counted over all deals and boards.
    ///
    /// `None` when the stack is too small or not a number, or when there are not 169 × 169 results.
    pub fn new(stack: f64, all_in: &[WinRate]) -> Option<ShoveFold> {
        let complete = all_in.len() == StartingHand::COUNT * StartingHand::COUNT;
        if !(stack.is_finite() && stack >= 1.0 && complete) {
            return None;
        }
        let sum: u64 = all_in.iter().map(|pair| pair.total).sum();
        let deals = all_in
            .iter()
            .map(|pair| (pair.total as f64 / sum as f64, pair.value(cards::Ties::Half)))
            .collect();
        Some(ShoveFold { stack, deals })
    }
}

/// A state of the game, with hands by number.
#[derive(Debug, Clone, Copy)]
pub enum Point {
    /// Before the deal.
    Start,
    /// Both hands have been dealt.
    Dealt(usize, usize),
    /// The small blind has moved all-in.
    Shoved(usize, usize),
    /// The small blind has folded.
    Folded,
    /// The big blind has folded.
    Taken,
    /// The big blind has called.
    Called(usize, usize),
}

fn name(hand: usize) -> String {
    StartingHand::from_index(hand).expect("169 kinds").to_string()
}

impl Game for ShoveFold {
    type State = Point;

    fn root(&self) -> Point {
        Point::Start
    }

    fn node(&self, point: &Point) -> Node<Point> {
        let kinds = StartingHand::COUNT;
        match *point {
            Point::Start => {
                let deal = |(at, &(probability, _)): (usize, &(f64, f64))| {
                    (probability, Point::Dealt(at / kinds, at % kinds))
                };
                let outcomes = self.deals.iter().enumerate().map(deal);
                Node::Chance(outcomes.filter(|(probability, _)| *probability > 0.0).collect())
            }
            Point::Dealt(small, big) => Node::Decision {
                player: Player::First,
                infoset: name(small),
                actions: vec![
                    ("fold".to_owned(), Point::Folded),
                    ("all-in".to_owned(), Point::Shoved(small, big)),
                ],
            },
            Point::Shoved(small, big) => Node::Decision {
                player: Player::Second,
                infoset: name(big),
                actions: vec![
                    ("fold".to_owned(), Point::Taken),
                    ("call".to_owned(), Point::Called(small, big)),
                ],
            },
            Point::Folded => Node::End(-0.5),
            Point::Taken => Node::End(1.0),
            Point::Called(small, big) => {
                let (_, equity) = self.deals[small * kinds + big];
                Node::End(self.stack * (2.0 * equity - 1.0))
            }
        }
    }
}
