//! What hands are worth in the middle of a subgame.

use cards::{Combo, Range};
use game::PublicState;

use super::ends::View;
use super::judge::Answer;
use super::pass::Pass;
use super::spot::Place;
use super::{HandValue, OffTree, Solver, Spot};
use crate::Player;

impl Solver {
    /// What each player's hands win from a place on, with their average strategies and with best
    /// responses, from the ranges with which both get there. Hands that do not get there are worth
    /// what they would win there. None where nobody acts. Chips are winnings of the whole hand, as
    /// in [`Evaluation`](super::Evaluation).
    ///
    /// The street is looked at from its beginning, and all that may follow.
    ///
    /// # Errors
    /// As [`Spot::at`].
    pub fn values_at(&mut self, state: &PublicState) -> Result<[Vec<HandValue>; 2], OffTree> {
        let spot = Spot::at(self, state)?;
        if spot.player().is_none() {
            return Ok(Default::default());
        }
        let ranges = Player::BOTH.map(|player| spot.range(player).clone());
        let place = spot.place();
        Ok(Player::BOTH
            .map(|player| self.values_of(player, &place, &ranges[player.other().index()])))
    }

    fn values_of(&mut self, player: Player, place: &Place, others: &Range) -> Vec<HandValue> {
        let [means, bests] =
            [Answer::Average, Answer::Best].map(|answer| self.sums(player, place, answer));
        let back = place.renaming.back();
        let [hands, held] = [player, player.other()]
            .map(|player| self.boards.all[place.board].hands[player.index()].all());
        let others = held.map(|combo| back.combo(combo)).map(|combo| (combo, others.weight(combo)));
        let others: Vec<(Combo, f64)> = others.filter(|&(_, weight)| weight > 0.0).collect();
        let each = hands.zip(means.into_iter().zip(bests)).map(|(combo, (mean, best))| {
            let combo = back.combo(combo);
            let apart = others.iter().filter(|(other, _)| !other.set().intersects(combo.set()));
            let met: f64 = apart.map(|(_, weight)| weight).sum();
            let each = |sum: f64| if met > 0.0 { sum / met } else { 0.0 };
            HandValue { combo, met, value: each(mean), best: each(best) }
        });
        each.collect()
    }

    /// Chips times weights of the opponent's hands, for each of the player's hands.
    fn sums(&mut self, player: Player, place: &Place, work: Answer) -> Vec<f64> {
        let Solver { subgame, boards, judging: workspaces, part, .. } = self;
        let back = place.renaming.back();
        let begun = &place.begun[player.other().index()];
        let hands = boards.all[place.board].hands[player.other().index()].all();
        let weights: Vec<f64> = hands.map(|combo| begun.weight(back.combo(combo))).collect();
        let part = place.path.iter().fold(part, |part, &below| &mut part.below[below]);
        let pass = Pass { betting: &subgame.betting, view: View { boards, player }, work };
        pass.run_at(
            [place.line, place.board, place.node],
            part,
            &weights,
            workspaces,
            <[f64]>::to_vec,
        )
    }
}
