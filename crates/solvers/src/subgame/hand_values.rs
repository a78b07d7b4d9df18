//! Values of hands in the middle of a subgame.

use cards::{Combo, Range};
use game::PublicState;

use super::ends::View;
use super::evaluator::{Answer, unblocked_weights};
use super::pass::Pass;
use super::spot::SpotIndex;
use super::{HandValue, OffTree, Solver, Spot};
use crate::Player;

impl Solver {
    /// Returns the values of both players' hands from a state on, with their average strategies and
    /// with best responses, given the ranges with which both reach it. A hand that does not reach
    /// the state gets the value it would have there. Empty if no player is to act. Values are chips
    /// won in the whole hand, as in [`Evaluation`](super::Evaluation).
    ///
    /// Traverses the state's street from its first node, and everything that can follow.
    ///
    /// # Errors
    /// As [`Spot::at`].
    pub fn values_at(&mut self, state: &PublicState) -> Result<[Vec<HandValue>; 2], OffTree> {
        let spot = Spot::at(self, state)?;
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
    /// As [`Spot::at`].
    pub fn action_values(
        &mut self,
        state: &PublicState,
    ) -> Result<Vec<(Combo, Vec<f64>)>, OffTree> {
        let spot = Spot::at(self, state)?;
        let (Some(player), Some(decision)) = (spot.player(), spot.decision()) else {
            return Ok(Vec::new());
        };
        let (child, count) = (decision.child, decision.count);
        let others = spot.range(player.other()).clone();
        let index = SpotIndex { node: child, ..spot.index() };
        let sums = self.sums(player, &index, count, Answer::Average);
        let row = sums.len() / count;
        let unblocked = self.unblocked_weights(player, &index, &others);
        let back = index.renaming.back();
        let hands = self.boards.all[index.board].hands[player.index()].all();
        let each = hands.zip(unblocked).enumerate().map(|(hand, (combo, unblocked))| {
            let each = |sum: f64| if unblocked > 0.0 { sum / unblocked } else { 0.0 };
            let values = (0..count).map(|action| each(sums[action * row + hand]));
            (back.combo(combo), values.collect())
        });
        Ok(each.collect())
    }

    fn values_of(&mut self, player: Player, index: &SpotIndex, others: &Range) -> Vec<HandValue> {
        let [means, bests] =
            [Answer::Average, Answer::Best].map(|answer| self.sums(player, index, 1, answer));
        let unblocked = self.unblocked_weights(player, index, others);
        let back = index.renaming.back();
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
        let back = index.renaming.back();
        let held = board.hands[player.other().index()].all();
        let weights: Vec<f64> = held.map(|combo| others.weight(back.combo(combo))).collect();
        unblocked_weights(board, player, &weights)
    }

    /// Chips times weights of the opponent's hands, for each of the player's hands: one row for
    /// each of `count` nodes, starting with the spot's.
    fn sums(&mut self, player: Player, index: &SpotIndex, count: usize, work: Answer) -> Vec<f64> {
        let Solver { subgame, boards, evaluation_workspaces: workspaces, storage, .. } = self;
        let back = index.renaming.back();
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
