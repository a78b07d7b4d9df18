//! The betting rules a second time: slow, plain, and written without looking at the crate's way.
//!
//! A hand is nothing but the list of its actions; every question replays the list from the start,
//! keeping a queue of the players who still have to speak on the street. Money is counted chip by
//! chip.

use std::collections::VecDeque;

use cards::{CardSet, HoleCards, evaluate};
use game::{Action, Betting, GameSpec};

/// A hand as the slow reading sees it.
pub(crate) struct Table {
    /// Chips each player has put in.
    pub(crate) spent: Vec<u32>,
    /// Who gave up.
    pub(crate) folded: Vec<bool>,
    /// The street being played, from 0.
    pub(crate) street: usize,
    /// Who must speak, the next one first. Empty when the hand is over.
    waiting: VecDeque<usize>,
    raises: u32,
    /// The smallest total of the next no-limit raise.
    least_raise: u32,
}

/// The options of the player to act: fold or not, and the totals open to a raise.
pub(crate) struct Options {
    pub(crate) fold: bool,
    pub(crate) raise: Option<(u32, u32)>,
}

/// Replays a whole hand.
pub(crate) fn replay(spec: &GameSpec, actions: &[Action]) -> Table {
    let largest_blind = *spec.blinds.iter().max().expect("two players at least");
    let mut table = Table {
        spent: spec.blinds.clone(),
        folded: vec![false; spec.players],
        street: 0,
        waiting: VecDeque::new(),
        raises: 0,
        least_raise: if largest_blind == 0 { 1 } else { 2 * largest_blind },
    };
    table.waiting = table.able_from(spec, spec.first_to_act[0]);
    table.skip_streets_without_betting(spec, largest_blind);
    for &action in actions {
        table.act(spec, action);
        table.skip_streets_without_betting(spec, largest_blind);
    }
    table
}

impl Table {
    /// Who must act, if anybody.
    pub(crate) fn to_act(&self) -> Option<usize> {
        self.waiting.front().copied()
    }

    fn highest(&self) -> u32 {
        *self.spent.iter().max().expect("two players at least")
    }

    fn is_able(&self, spec: &GameSpec, player: usize) -> bool {
        !self.folded[player] && self.spent[player] < spec.stacks[player]
    }

    fn standing(&self) -> usize {
        self.folded.iter().filter(|folded| !**folded).count()
    }

    /// Whether only one player has not folded.
    pub(crate) fn all_but_one_folded(&self) -> bool {
        self.standing() == 1
    }

    /// The players who can act, going round the table from `first`.
    fn able_from(&self, spec: &GameSpec, first: usize) -> VecDeque<usize> {
        let round = (0..spec.players).map(|i| (first + i) % spec.players);
        round.filter(|&player| self.is_able(spec, player)).collect()
    }

    /// The options of the player to act.
    pub(crate) fn options(&self, spec: &GameSpec) -> Options {
        let player = self.to_act().expect("asked only while somebody must act");
        let (stack, highest) = (spec.stacks[player], self.highest());
        let someone_else_can_answer = self.able_from(spec, 0).len() > 1;
        let capped = self.raises >= spec.max_raises[self.street];
        let raise = if capped || !someone_else_can_answer || stack <= highest {
            None
        } else if spec.betting == Betting::Limit {
            let total = (highest + spec.raise_sizes[self.street]).min(stack);
            Some((total, total))
        } else {
            Some((self.least_raise.min(stack), stack))
        };
        Options { fold: self.spent[player] < highest, raise }
    }

    fn act(&mut self, spec: &GameSpec, action: Action) {
        let player = self.waiting.pop_front().expect("somebody must act");
        let highest = self.highest();
        match action {
            Action::Fold => {
                self.folded[player] = true;
                if self.all_but_one_folded() {
                    self.waiting.clear();
                }
            }
            Action::Call => self.spent[player] = highest.min(spec.stacks[player]),
            Action::RaiseTo(total) => {
                self.spent[player] = total;
                self.raises += 1;
                self.least_raise = self.least_raise.max(total + (total - highest));
                self.waiting = self.able_from(spec, player + 1);
                self.waiting.retain(|&other| other != player);
            }
        }
    }

    /// When nobody has to speak any more: on to the next street on which two or more can.
    fn skip_streets_without_betting(&mut self, spec: &GameSpec, largest_blind: u32) {
        while self.waiting.is_empty()
            && !self.all_but_one_folded()
            && self.street + 1 < spec.streets
        {
            self.street += 1;
            self.raises = 0;
            self.least_raise = self.highest() + largest_blind.max(1);
            let able = self.able_from(spec, spec.first_to_act[self.street]);
            if able.len() > 1 {
                self.waiting = able;
            }
        }
    }

    /// The winnings and losses of each player in 2,520ths of a chip, taking the pot apart one chip
    /// of height at a time.
    pub(crate) fn payoffs(&self, hole: &[HoleCards], board: CardSet) -> Vec<i64> {
        let players = self.spent.len();
        let mut won: Vec<i64> = self.spent.iter().map(|&spent| -2520 * i64::from(spent)).collect();
        for height in 1..=self.highest() {
            let here = |player: &usize| self.spent[*player] >= height;
            let chips = (0..players).filter(here).count() as i64;
            let in_play: Vec<usize> =
                (0..players).filter(here).filter(|&player| !self.folded[player]).collect();
            let rank = |player: usize| evaluate(hole[player].set() | board);
            let winners: Vec<usize> = if in_play.len() < 2 {
                in_play // nobody to compare with
            } else {
                let best = in_play.iter().map(|&player| rank(player)).max();
                in_play.into_iter().filter(|&player| Some(rank(player)) == best).collect()
            };
            for &player in &winners {
                won[player] += 2520 * chips / winners.len() as i64;
            }
        }
        won
    }
}
