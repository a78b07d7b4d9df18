//! A river subgame as a game of one street.

use cards::{Board, Combo};
use game::{Action, PublicState};

use super::{End, Mixed, ShowdownGame};
use crate::holdem::subgame::boards::Boards;
use crate::subgame::{Solver, Spot, Subgame};
use crate::{Choice, Error, Player};

/// A river subgame as a game of one street, with its hands and the places of its decisions.
#[derive(Debug, Clone)]
pub struct River {
    /// The game.
    pub game: ShowdownGame,
    /// The hands of both players, the weakest first.
    pub hands: [Vec<Combo>; 2],
    /// Their weights in the ranges.
    pub weights: [Vec<f64>; 2],
    /// The places of each player's decisions.
    pub places: [Vec<Place>; 2],
    /// The board.
    pub board: Board,
}

/// The place of a decision.
#[derive(Debug, Clone)]
pub struct Place {
    /// The actions that lead there, in the words of the menu; empty for the beginning.
    pub path: String,
    /// The state there.
    pub state: PublicState,
    /// The actions, in the order of the sequences.
    pub actions: Vec<Action>,
    node: usize,
}

impl Place {
    /// The words of the actions.
    pub fn words(&self) -> Vec<String> {
        self.actions.iter().map(|&action| self.state.action_word(action)).collect()
    }

    /// Whether nothing has been bet there.
    pub fn is_free(&self) -> bool {
        !self.actions.contains(&Action::Fold)
    }
}

impl River {
    /// The game of a river subgame.
    ///
    /// # Errors
    /// When the subgame begins before the river, or no two hands can be dealt together.
    pub fn new(subgame: &Subgame) -> Result<River, Error> {
        let cards = subgame.root().board().len();
        if cards != 5 {
            return Err(Error::new(format!(
                "the board has {cards} cards: all equilibria are known on rivers only, so give 5"
            )));
        }
        let boards = Boards::new(&subgame.table());
        let (board, line) = (&boards.all[0], &subgame.betting.lines[0]);
        let mut last = vec![[0; 2]; line.nodes.len()];
        let mut paths = vec![String::new(); line.nodes.len()];
        let (mut decisions, mut places) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        for decision in &line.decisions {
            let p = decision.player.index();
            let first = decision.row + 1;
            let choice = Choice {
                parent: last[decision.node][p] as u32,
                first: first as u32,
                count: decision.count as u32,
            };
            decisions[p].push((choice, last[decision.node][1 - p]));
            let state = subgame.betting.state(line, decision.node);
            let actions = subgame.betting.actions(line, decision).to_vec();
            for action in 0..decision.count {
                let mut after = last[decision.node];
                after[p] = first + action;
                last[decision.child + action] = after;
                let path =
                    format!("{} {}", paths[decision.node], state.action_word(actions[action]));
                paths[decision.child + action] = path.trim_start().to_owned();
            }
            let path = paths[decision.node].clone();
            places[p].push(Place { path, state, actions, node: decision.node });
        }
        let mut ends = Vec::new();
        for end in line.ends[Player::First.index()].iter() {
            if let Some((node, chips)) = end.fold {
                ends.push(End { sequences: last[node], fold: chips, showdown: 0.0 });
            }
            if let Some((node, chips)) = end.showdown {
                ends.push(End { sequences: last[node], fold: 0.0, showdown: chips });
            }
        }
        let hands = board.hands.each_ref().map(|hands| hands.all().collect::<Vec<Combo>>());
        let group = |player: usize, hand: usize| {
            board.groups.partition_point(|ends| usize::from(ends[player]) <= hand)
        };
        let strengths = [0, 1].map(|player: usize| {
            (0..hands[player].len()).map(|hand| group(player, hand)).collect::<Vec<_>>()
        });
        let weights = [0, 1].map(|player: usize| {
            let range = &subgame.ranges[player];
            hands[player].iter().map(|&combo| range.weight(combo)).collect::<Vec<f64>>()
        });
        let pair = |i: usize, j: usize| {
            if hands[0][i].set().intersects(hands[1][j].set()) {
                return (0.0, 0.0);
            }
            let margin = match strengths[0][i].cmp(&strengths[1][j]) {
                std::cmp::Ordering::Less => -1.0,
                std::cmp::Ordering::Equal => 0.0,
                std::cmp::Ordering::Greater => 1.0,
            };
            (weights[0][i] * weights[1][j], margin)
        };
        let counts = [hands[0].len(), hands[1].len()];
        let pot = subgame.root().pot() as f64;
        let game = ShowdownGame::new(decisions, ends, counts, pair, pot)?;
        Ok(River { game, hands, weights, places, board: subgame.root().board() })
    }

    /// The average strategies of a solver of this subgame.
    ///
    /// # Errors
    /// When strategies are locked.
    pub fn averages(&self, solver: &Solver) -> Result<[Mixed; 2], Error> {
        let line = &solver.subgame.betting.lines[0];
        if line.decisions.iter().any(|decision| solver.storage.lock(decision).is_some()) {
            return Err(Error::new(
                "decisions are locked: what all equilibria have in common is known of games \
                 without locks only",
            ));
        }
        let mut averages = Player::BOTH.map(|player| Mixed::uniform(&self.game, player));
        for decision in &line.decisions {
            let p = decision.player.index();
            let strategies = solver.storage.strategies(decision, self.hands[p].len());
            for (hand, strategy) in strategies.iter().enumerate() {
                for (action, &share) in strategy.iter().enumerate() {
                    averages[p].set(decision.row + 1 + action, hand, share);
                }
            }
        }
        Ok(averages)
    }

    /// The player who acts at a spot, and the number of the decision among the player's.
    pub fn decision(&self, spot: &Spot<'_>) -> Option<(Player, usize)> {
        let decision = spot.decision()?;
        let places = &self.places[decision.player.index()];
        Some((decision.player, places.iter().position(|place| place.node == decision.node)?))
    }
}
