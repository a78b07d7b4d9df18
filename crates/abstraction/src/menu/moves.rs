//! Moves: the actions of a street's menu as classes that are the same in all situations.

use std::fmt;
use std::str::FromStr;

use game::{Action, PublicState, Street, Turn};

use super::{BetMenu, BetSize};

/// A move: an action without chips, as a class for learners.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// Fold.
    Fold,
    /// Check, or call.
    Call,
    /// Bet or raise by this size.
    Raise(BetSize),
}

/// The moves of one street of a menu: fold, call, and every size of any raise of the street,
/// ascending by kind. The index of a move is its class number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moves {
    moves: Vec<Move>,
    /// The threshold of the menu.
    all_in_from: u32,
}

impl BetMenu {
    /// The moves of a street.
    pub fn moves(&self, street: Street) -> Moves {
        let raises = &self.streets[street.index()];
        let sizes = raises.numbered.iter().chain([&raises.later]).flatten();
        let mut moves = vec![Move::Fold, Move::Call];
        moves.extend(sizes.map(|&size| Move::Raise(size)));
        moves.sort_unstable();
        moves.dedup();
        Moves { moves, all_in_from: self.all_in_from }
    }
}

impl Moves {
    /// The moves in order.
    pub fn as_slice(&self) -> &[Move] {
        &self.moves
    }

    /// Their names in order.
    pub fn names(&self) -> Vec<String> {
        self.moves.iter().map(ToString::to_string).collect()
    }

    /// The legal action of the seat to act that a move stands for: a fold with nothing owed checks,
    /// a raise where none is allowed calls, and sizes are clamped to the smallest and the largest
    /// raise. A multiple of a bet where there is no bet is the smallest raise.
    ///
    /// Panics where nobody is to act, or without a move of this number.
    pub fn action(&self, public: &PublicState, number: usize) -> Action {
        let Turn::Act(seat) = public.turn() else { panic!("a move needs somebody to act") };
        let legal = public.legal();
        match (self.moves[number], legal.raise) {
            (Move::Fold, _) if legal.fold => Action::Fold,
            (Move::Raise(size), Some(raise)) => {
                let total = size.total(public, seat, raise).unwrap_or(raise.min);
                let stack = u64::from(public.def().stacks[seat.index()]);
                let nearly = u64::from(total) * 1000 >= stack * u64::from(self.all_in_from);
                Action::RaiseTo(if nearly { raise.max } else { total })
            }
            _ => Action::Call,
        }
    }

    /// The weight of each action of the seat to act, given shares of the moves: moves with the same
    /// action are added up, in the order of the first. Negative shares count as zero.
    ///
    /// Panics where nobody is to act, or there are more shares than moves.
    pub fn actions(&self, public: &PublicState, shares: &[f32]) -> Vec<(Action, f64)> {
        let mut weights: Vec<(Action, f64)> = Vec::with_capacity(shares.len());
        for (number, &share) in shares.iter().enumerate() {
            let (action, share) = (self.action(public, number), f64::from(share.max(0.0)));
            match weights.iter_mut().find(|(known, _)| *known == action) {
                Some((_, sum)) => *sum += share,
                None => weights.push((action, share)),
            }
        }
        weights
    }

    /// The class number of an action of the seat to act: for a raise the move with the same chips,
    /// or else the nearest; among equals all-in, or else the smallest kind.
    ///
    /// Panics where nobody is to act.
    pub fn of(&self, public: &PublicState, action: Action) -> usize {
        let total = match action {
            Action::Fold => return 0,
            Action::Call => return 1,
            Action::RaiseTo(total) => total,
        };
        let apart = |&number: &usize| match self.action(public, number) {
            Action::RaiseTo(other) => {
                let all_in = self.moves[number] == Move::Raise(BetSize::AllIn);
                (other.abs_diff(total), !all_in)
            }
            _ => (u32::MAX, true),
        };
        (2..self.moves.len()).min_by_key(apart).unwrap_or(1)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Fold => f.write_str("fold"),
            Move::Call => f.write_str("call"),
            Move::Raise(size) => size.fmt(f),
        }
    }
}

impl FromStr for Move {
    type Err = ();

    /// Parses a move in its printed form.
    fn from_str(text: &str) -> Result<Move, ()> {
        Ok(match text {
            "fold" => Move::Fold,
            "call" => Move::Call,
            size => Move::Raise(size.parse()?),
        })
    }
}
