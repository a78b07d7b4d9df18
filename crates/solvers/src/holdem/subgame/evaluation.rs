//! Evaluation of strategies: exact values and best responses, of the whole subgame and of hands in
//! the middle of it.

use cards::{Combo, Range};
use game::PublicState;

use super::betting::Decision;
use super::boards::{Board, Boards};
use super::gadget::GadgetState;
use super::solver::{Solver, weights};
use super::spot::{OffTree, Spot, SpotIndex};
use super::storage::{BoardStorage, Tile, Unpacked};
use super::terminal::{LANES, Sums};
use super::traversal::{Pass, View, Work, WorkspacePool};
use super::{Subgame, vector};
use crate::Player;

/// The values of a subgame's average strategies. Values are winnings of the whole hand, so that
/// both players' values sum to zero: a player who folds at once loses what it has already put in.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Chips that each player wins with its average strategy against the other's.
    pub values: [f64; 2],
    /// Chips that each player wins with a best response to the other's average strategy.
    pub best: [f64; 2],
    /// The values of each player's hands.
    pub hands: [Vec<HandValue>; 2],
    /// Chips that each player has put in before the subgame starts.
    pub committed: [f64; 2],
}

/// The value of one hand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HandValue {
    /// The hand.
    pub combo: Combo,
    /// The total weight of the opponent's hands that it can meet. `unblocked_weight` times `value`
    /// is the counterfactual value.
    pub unblocked_weight: f64,
    /// Chips won with the player's own average strategy; 0 for a hand that meets no hand.
    pub value: f64,
    /// Chips won with a best response.
    pub best: f64,
}

impl Evaluation {
    /// Chips that a player who knows the other's strategy wins beyond the value of the game,
    /// averaged over both players.
    pub fn exploitability(&self) -> f64 {
        (self.best[0] + self.best[1]) / 2.0
    }

    /// The pot at the start of the subgame, in chips.
    pub fn pot(&self) -> f64 {
        self.committed[0] + self.committed[1]
    }

    /// The exploitability as a fraction of the pot: 0.005 is half a percent.
    pub fn share_of_pot(&self) -> f64 {
        self.exploitability() / self.pot()
    }
}

/// The hands of a player, each with a number for each action.
pub type ByAction = Vec<(Combo, Vec<f64>)>;

/// Evaluates the average strategies of a subgame.
pub(crate) struct Evaluator<'a> {
    pub(crate) subgame: &'a Subgame,
    pub(crate) boards: &'a Boards,
    pub(crate) workspaces: &'a WorkspacePool<f64>,
    pub(crate) gadget: Option<&'a GadgetState>,
}

impl Evaluator<'_> {
    /// Computes all values.
    pub(crate) fn evaluate(&self, storage: &mut BoardStorage) -> Evaluation {
        let root = &self.boards.all[0];
        let committed = self.subgame.root.committed().as_slice();
        let mut evaluation = Evaluation {
            values: [0.0; 2],
            best: [0.0; 2],
            hands: Default::default(),
            committed: [0, 1].map(|seat: usize| committed[seat].into()),
        };
        for player in Player::BOTH {
            let p = player.index();
            let [means, bests] =
                [Answer::Average, Answer::Best].map(|answer| self.values(storage, player, answer));
            evaluation.values[p] = self.total(player, &means, false);
            evaluation.best[p] = self.total(player, &bests, true);
            let unblocked = unblocked_weights(root, player, &self.others(player));
            let hands = root.hands[p].all().enumerate().map(|(hand, combo)| {
                let unblocked = unblocked[hand];
                let each = |sum: f64| if unblocked > 0.0 { sum / unblocked } else { 0.0 };
                HandValue {
                    combo,
                    unblocked_weight: unblocked,
                    value: each(means[hand]),
                    best: each(bests[hand]),
                }
            });
            evaluation.hands[p] = hands.collect();
        }
        evaluation
    }

    /// The exploitability only, in half the time.
    pub(crate) fn exploitability(&self, storage: &mut BoardStorage) -> f64 {
        Player::BOTH.map(|player| self.worth(storage, player, true)).iter().sum::<f64>() / 2.0
    }

    /// What a player wins with its average strategy, or with a best response.
    pub(crate) fn worth(&self, storage: &mut BoardStorage, player: Player, best: bool) -> f64 {
        let answer = if best { Answer::Best } else { Answer::Average };
        let values = self.values(storage, player, answer);
        self.total(player, &values, best)
    }

    /// The weights with which the opponent's hands enter the subgame on average.
    fn others(&self, player: Player) -> Vec<f64> {
        let other = player.other();
        match self.gadget.filter(|gadget| gadget.player == other) {
            Some(gadget) => gadget.average_weights(),
            None => weights(self.subgame, &self.boards.all[0], other).collect(),
        }
    }

    /// For each of the player's hands, chips won times the opponent's weights, when it enters the
    /// subgame.
    fn values(&self, storage: &mut BoardStorage, player: Player, answer: Answer) -> Vec<f64> {
        let &Evaluator { subgame, boards, workspaces, .. } = self;
        let pass = Pass { betting: &subgame.betting, view: View { boards, player }, work: answer };
        pass.run(storage, &self.others(player), workspaces, <[f64]>::to_vec)
    }

    /// The mean over the player's hands, in chips, including hands of both players that take the
    /// gadget's offer.
    fn total(&self, player: Player, values: &[f64], best: bool) -> f64 {
        let board = &self.boards.all[0];
        let sum: f64 = match self.gadget {
            Some(gadget) if gadget.player == player => gadget.total(values, best),
            gadget => {
                let own = weights(self.subgame, board, player);
                let come: f64 = own.zip(values).map(|(own, value)| own * value).sum();
                come - gadget.map_or(0.0, GadgetState::beyond)
            }
        };
        sum / deals(self.subgame, board)
    }
}

/// The total weight of all pairs of hands that can be dealt together.
pub(crate) fn deals(subgame: &Subgame, board: &Board) -> f64 {
    let others: Vec<f64> = weights(subgame, board, Player::Second).collect();
    let unblocked = unblocked_weights(board, Player::First, &others);
    weights(subgame, board, Player::First)
        .zip(unblocked)
        .map(|(own, unblocked)| own * unblocked)
        .sum()
}

/// For each of a player's hands, the weight of the opponent's hands that it can meet on a board.
pub(crate) fn unblocked_weights(board: &Board, player: Player, others: &[f64]) -> Vec<f64> {
    let mut others: Vec<_> = others.iter().map(|&weight| [weight; LANES]).collect();
    others.push([0.0; LANES]);
    let mut unblocked = vec![[0.0; LANES]; board.hands[player.index()].row()];
    let mut sums = Sums::default();
    vector::total(board, player, &others, &mut sums);
    vector::unblocked_weights(board, player, 0..unblocked.len(), &others, &sums, &mut unblocked);
    // Sums of fractions can differ from zero by rounding.
    let least = 1e-12 * others.iter().map(|weight| weight[0]).sum::<f64>();
    unblocked
        .into_iter()
        .map(|unblocked| if unblocked[0] > least { unblocked[0] } else { 0.0 })
        .collect()
}

/// The response of a player to the other's average strategy.
enum Answer {
    /// The player's own average strategy.
    Average,
    /// A best response.
    Best,
}

impl Work for Answer {
    type Real = f64;

    fn split(
        &self,
        storage: &mut BoardStorage,
        decision: &Decision,
        tile: Tile,
        unpacked: &mut Unpacked,
        reach: &[f64],
        children: &mut [f64],
    ) {
        storage.averages(decision, tile, unpacked, |averages| {
            vector::split_by(averages, reach, children, tile.row);
        });
    }

    fn join(
        &self,
        storage: &mut BoardStorage,
        decision: &Decision,
        tile: Tile,
        unpacked: &mut Unpacked,
        values: &[f64],
        value: &mut [f64],
    ) {
        match self {
            Answer::Best => {
                vector::best(values, value, decision.count, tile.row);
                if let Some(lock) = storage.lock(decision) {
                    lock.answer(tile, values, value);
                }
            }
            Answer::Average => storage.averages(decision, tile, unpacked, |averages| {
                vector::mean(averages, values, value, tile.row);
            }),
        }
    }
}

impl Solver {
    /// Returns the values of both players' hands from a state on, with their average strategies and
    /// with best responses, given the ranges with which both reach it. A hand that does not reach
    /// the state gets the value it would have there. Empty if no player is to act. Values are chips
    /// won in the whole hand, as in [`Evaluation`].
    ///
    /// Traverses the state's street from its first node, and everything that can follow.
    ///
    /// # Errors
    /// As [`Spot::at_state`].
    pub fn values_at(&mut self, state: &PublicState) -> Result<[Vec<HandValue>; 2], OffTree> {
        let spot = Spot::at_state(self, state)?;
        if spot.player().is_none() {
            return Ok(Default::default());
        }
        let ranges = Player::BOTH.map(|player| spot.range(player).clone());
        let index = spot.index();
        Ok(Player::BOTH
            .map(|player| self.values_of(player, &index, &ranges[player.other().index()])))
    }

    /// Returns, for each hand of the acting player, the chips it wins in the whole hand by each
    /// action of the tree, in order, when both play their average strategies before and after it.
    /// Empty if no player is to act.
    ///
    /// # Errors
    /// As [`Spot::at_state`].
    pub fn action_values(&mut self, state: &PublicState) -> Result<ByAction, OffTree> {
        self.by_action(state, Answer::Average)
    }

    /// The same when the acting player goes on with a best response to the other's average
    /// strategy.
    ///
    /// # Errors
    /// As [`Spot::at_state`].
    pub fn best_action_values(&mut self, state: &PublicState) -> Result<ByAction, OffTree> {
        self.by_action(state, Answer::Best)
    }

    fn by_action(&mut self, state: &PublicState, answer: Answer) -> Result<ByAction, OffTree> {
        let spot = Spot::at_state(self, state)?;
        let (Some(player), Some(decision)) = (spot.player(), spot.decision()) else {
            return Ok(Vec::new());
        };
        let (child, count) = (decision.child, decision.count);
        let others = spot.range(player.other()).clone();
        let index = SpotIndex { node: child, ..spot.index() };
        let sums = self.sums(player, &index, count, answer);
        let row = sums.len() / count;
        let unblocked = self.unblocked_weights(player, &index, &others);
        let back = index.renaming.inverse();
        let hands = self.boards.all[index.board].hands[player.index()].all();
        let each = hands.zip(unblocked).enumerate().map(|(hand, (combo, unblocked))| {
            let each = |sum: f64| if unblocked > 0.0 { sum / unblocked } else { 0.0 };
            let values = (0..count).map(|action| each(sums[action * row + hand]));
            (back.combo(combo), values.collect())
        });
        Ok(each.collect())
    }

    /// The values of a player's hands at a state as in [`Solver::values_at`], also where a card is
    /// due or the hand is over.
    ///
    /// # Errors
    /// As [`Spot::at_state`].
    pub fn hand_values(
        &mut self,
        player: Player,
        state: &PublicState,
    ) -> Result<Vec<HandValue>, OffTree> {
        let spot = Spot::at_state(self, state)?;
        let others = spot.range(player.other()).clone();
        let index = spot.index();
        Ok(self.values_of(player, &index, &others))
    }

    fn values_of(&mut self, player: Player, index: &SpotIndex, others: &Range) -> Vec<HandValue> {
        let [means, bests] =
            [Answer::Average, Answer::Best].map(|answer| self.sums(player, index, 1, answer));
        let unblocked = self.unblocked_weights(player, index, others);
        let back = index.renaming.inverse();
        let hands = self.boards.all[index.board].hands[player.index()].all();
        let each = hands.zip(unblocked).zip(means.into_iter().zip(bests));
        let each = each.map(|((combo, unblocked), (mean, best))| {
            let each = |sum: f64| if unblocked > 0.0 { sum / unblocked } else { 0.0 };
            HandValue {
                combo: back.combo(combo),
                unblocked_weight: unblocked,
                value: each(mean),
                best: each(best),
            }
        });
        each.collect()
    }

    /// For each of a player's hands, the weight of the opponent's hands that it does not block at a
    /// spot.
    fn unblocked_weights(&self, player: Player, index: &SpotIndex, others: &Range) -> Vec<f64> {
        let board = &self.boards.all[index.board];
        let back = index.renaming.inverse();
        let held = board.hands[player.other().index()].all();
        let weights: Vec<f64> = held.map(|combo| others.weight(back.combo(combo))).collect();
        unblocked_weights(board, player, &weights)
    }

    /// Chips times weights of the opponent's hands, for each of the player's hands: one row for
    /// each of `count` nodes, starting with the spot's.
    fn sums(&mut self, player: Player, index: &SpotIndex, count: usize, work: Answer) -> Vec<f64> {
        let Solver { subgame, boards, evaluation_workspaces: workspaces, storage, .. } = self;
        let back = index.renaming.inverse();
        let begun = &index.begun[player.other().index()];
        let hands = boards.all[index.board].hands[player.other().index()].all();
        let weights: Vec<f64> = hands.map(|combo| begun.weight(back.combo(combo))).collect();
        let storage = index.path.iter().fold(storage, |storage, &below| &mut storage.below[below]);
        let pass = Pass { betting: &subgame.betting, view: View { boards, player }, work };
        pass.run_at(
            [index.line, index.board, index.node, count],
            storage,
            &weights,
            workspaces,
            <[f64]>::to_vec,
        )
    }
}
