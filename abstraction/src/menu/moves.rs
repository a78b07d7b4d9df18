//! The moves of a street under names that stay the same from one situation to the next.

use std::fmt;
use std::str::FromStr;

use game::{Action, PublicState, Street, Turn};

use super::{BetMenu, BetSize};

/// What a player may do, without chips: a class that learners tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// Give the hand up.
    Fold,
    /// Check, or call.
    Call,
    /// Bet or raise by this size.
    Raise(BetSize),
}

/// The moves of one street of a menu: fold, call, and every size that any raise of the street has,
/// ascending by kind. Their places in this order are the numbers of a learner's classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moves {
    moves: Vec<Move>,
    /// As the menu's.
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

    /// What a move comes to for the seat to act, made legal: a fold where nothing is owed checks, a
    /// raise where none is allowed calls, and sizes stop at the smallest and the largest raise. A
    /// multiple of a bet where there is no bet is the smallest raise.
    ///
    /// Panics where nobody is to act, or there is no such move.
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

    /// How much of the moves' shares each action gets for the seat to act: moves that come to the
    /// same action count together, in the order of the first. Shares below zero count as zero.
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

    /// The number of the move that an action of the seat to act is: for a raise the one that comes
    /// to the same chips, or else the nearest; among equals all-in, or else the smallest kind.
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

    /// Reads a move as it is printed.
    fn from_str(text: &str) -> Result<Move, ()> {
        Ok(match text {
            "fold" => Move::Fold,
            "call" => Move::Call,
            size => Move::Raise(size.parse()?),
        })
    }
}
