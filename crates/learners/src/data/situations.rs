//! Random situations of hold'em with the values of all hands: the training data of counterfactual
//! value networks.
//!
//! The numbers of a situation in a [`Database`](crate::database::Database): the cards of the board,
//! the pot in big blinds, the exploitability of the solution as a share of the pot, the
//! probabilities of the first player's 1,326 hands and of the second's, and the values of the first
//! player's hands and of the second's, as shares of the pot ([`Values`]).

use std::str::FromStr;

use abstraction::menu::BetMenu;
use cards::{Card, CardSet, Combo};
use game::Street;
use models::values::Situation;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};
use solvers::situation::{self, BIG_BLIND, Draw, Values};

use super::database::{self, Content};
use crate::Error;
use crate::trees::mixed;

/// A database of situations.
pub type Database = database::Database<Situations>;

/// The number of floats before the ranges: board cards, pot, exploitability.
const HEAD: usize = 5 + 2;

/// The number that stands for no card.
const NO_CARD: f32 = -1.0;

/// The distribution of the situations, and the settings of their solutions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Situations {
    /// `turn` or `river`, which begins, or `flop`, which ends.
    pub street: String,
    /// Each player's stack at the beginning of the hand, in big blinds.
    pub stack: f64,
    /// The smallest and the largest pot, in big blinds.
    pub pots: [f64; 2],
    /// The text of the bet menu.
    pub menu: String,
    /// The number of iterations of DCFR+.
    pub iterations: u32,
}

impl Situations {
    /// The distribution that situations are drawn from.
    ///
    /// # Errors
    /// When the definition is not valid.
    pub fn draw(&self) -> Result<Draw, Error> {
        let street = Street::ALL.into_iter().skip(1).find(|of| of.name() == self.street);
        let street = street.ok_or_else(|| {
            let text = "is not a street of situations: take flop, turn or river";
            Error::new(format!("`{}` {text}", self.street))
        })?;
        let draw = Draw { street, stack: self.stack, pots: self.pots };
        draw.check()?;
        Ok(draw)
    }

    /// The situation of a seed with a number.
    ///
    /// # Errors
    /// When the definition is not valid.
    pub fn situation(&self, seed: u64, number: u64) -> Result<situation::Situation, Error> {
        Ok(self.draw()?.draw(&mut Pcg64Mcg::seed_from_u64(mixed(seed, number))))
    }
}

impl Content for Situations {
    const MAGIC: &'static [u8; 8] = b"cardsits";
    const COMMAND: &'static str = "cardroom train situations";
    const CHUNK: u64 = 8;
    const GAMES: &'static str = "situations";
    type Solved<'a> = Solved<'a>;
    type Error = Error;

    fn check(&self) -> Result<(), Error> {
        self.draw()?;
        BetMenu::from_str(&self.menu)?;
        if self.iterations == 0 {
            return Err(Error::new("0 iterations: take at least 1"));
        }
        Ok(())
    }

    fn numbers(&self) -> usize {
        HEAD + 4 * Combo::COUNT
    }

    fn solve(&self, seed: u64, number: u64) -> Result<Vec<f32>, Error> {
        let situation = self.situation(seed, number)?;
        let solved = situation.solve(&self.menu.parse()?, self.iterations)?;
        let mut row = vec![NO_CARD; 5];
        for (index, card) in row.iter_mut().zip(situation.board.iter()) {
            *index = card.index().into();
        }
        row.push((situation.pot as f64 / BIG_BLIND as f64) as f32);
        row.push(solved.exploitability as f32);
        let Values { values, .. } = solved;
        for shares in situation.ranges.iter().chain(&values) {
            row.extend(shares.iter());
        }
        Ok(row)
    }

    fn solved<'a>(&self, numbers: &'a [f32]) -> Solved<'a> {
        let (head, rest) = numbers.split_at(HEAD);
        let cards = head[..5].iter().filter(|&&number| number >= 0.0);
        let cards = cards.filter_map(|&number| Card::from_index(number as u8));
        let board: Vec<Card> = cards.collect();
        let hands: [&[f32]; 4] =
            std::array::from_fn(|part| &rest[part * Combo::COUNT..][..Combo::COUNT]);
        let [first, second, values_of_first, values_of_second] = hands;
        Solved {
            board: board.iter().copied().collect(),
            flop: board.iter().copied().take(3).collect(),
            pot: head[5],
            exploitability: head[6],
            ranges: [first, second],
            values: [values_of_first, values_of_second],
        }
    }
}

/// A situation of a database, with the values of its hands.
#[derive(Debug, Clone, Copy)]
pub struct Solved<'a> {
    /// All dealt board cards.
    pub board: CardSet,
    /// The first three cards.
    pub flop: CardSet,
    /// The pot in big blinds.
    pub pot: f32,
    /// The exploitability of the solution, as a share of the pot.
    pub exploitability: f32,
    /// Both players' ranges: the probability of each hand, by combo index.
    pub ranges: [&'a [f32]; 2],
    /// Both players' values, as shares of the pot, by combo index; see [`Values`].
    pub values: [&'a [f32]; 2],
}

impl<'a> Solved<'a> {
    /// What a value network sees of it.
    pub fn seen(&self) -> Situation<'a> {
        let Solved { board, pot, ranges, .. } = *self;
        Situation { board, pot, ranges }
    }
}
