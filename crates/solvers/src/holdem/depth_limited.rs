//! Depth-limited solving: the betting of one street, with estimated values where it ends.
//!
//! What hands are worth at a leaf depends on both players' ranges there. One part of it is exact:
//! what they win if nobody bets any more is a sum over the opponent's hands, and is computed anew
//! for the strategies of each iteration. The rest is an estimate. It is asked for at the ranges of
//! the average strategies, as in CFR-AVG (Brown, Bakhtin, Lerer, Gong, "Combining deep
//! reinforcement learning and search for imperfect-information games", NeurIPS 2020), which change
//! less and less, and not at those of each iteration as in DeepStack (Moravčík and others, Science
//! 2017), which often are like no range that was learned from. So it need not be asked for in each
//! iteration either.

use cards::{CardWeights, Combo, Range};
use game::{Action, PublicState, Seat, Turn};

use super::subgame::betting::{Betting, Decision, Line};
use super::subgame::rows::Discount;
use super::subgame::{ByAction, Subgame, check, empty_range, no_deal};
use crate::regret::{Matching, Weight};
use crate::{Error, Player, Variant};

/// Leaves that are asked about together, by one thread.
const BATCH_SIZE: usize = 8;
/// The estimates at the leaves are asked for anew when the iterations have grown by one part of so
/// many.
const STEADY: u32 = 30;
/// The algorithm: DCFR+, with averages weighted by t². A slower average than the usual one damps
/// the estimates' answers to it.
const VARIANT: Variant = Variant::constant(1.5, f64::NEG_INFINITY, 2.0);

/// A leaf: the betting of the street is over, or both players are all-in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leaf {
    /// The number; leaves where chips are left come first.
    pub number: usize,
    /// The chips in the pot.
    pub pot: f64,
    /// The chips that each player has left; 0 when no betting can follow.
    pub behind: f64,
}

/// The values of hands at leaves.
pub trait LeafValues: Send + Sync {
    /// The hands that can be held.
    fn hands(&self) -> &[Combo];

    /// The sum over the opponent's hands of their reach times what the hand wins from each if
    /// nobody bets any more, as a share of the pot: from −1/2 to 1/2. `reach` has a number for each
    /// leaf and each of the opponent's hands, and the result one for each leaf and hand.
    fn checked_down(&self, reach: &[f32]) -> Vec<f32>;

    /// Called once, before other questions, with all leaves where chips are left and the states
    /// there.
    fn prepare(&mut self, _leaves: &[(Leaf, &PublicState)]) {}

    /// An estimate of what both players' hands win beyond that at leaves where chips are left
    /// behind, times the probability of the opponent's hands that they can meet. `ranges` have for
    /// each leaf the probability of each hand; they sum to 1.
    fn beyond(&self, leaves: &[Leaf], ranges: [&[f32]; 2]) -> [Vec<f32>; 2];
}

/// The betting of one street being solved.
///
/// Deterministic for any number of threads.
pub struct DepthLimited<L> {
    root: PublicState,
    betting: Betting,
    /// The nodes that are leaves, and what is at stake there.
    leaves: Vec<(usize, Leaf)>,
    leaf_values: L,
    /// The probability of each hand at the root.
    ranges: [Vec<f32>; 2],
    learnt: Learnt,
    /// What was learnt where a check has found the least exploitability, which is in chips.
    best: Option<(f64, Learnt)>,
}

/// What iterations change.
#[derive(Clone)]
struct Learnt {
    /// For each leaf where chips are left, which come first, what is won there beyond checking
    /// down, in chips, at the average strategies' ranges when last asked for.
    beyond: [Vec<f32>; 2],
    /// The iteration in which that is asked for next.
    ask: u32,
    /// For each row of a player's decisions and each hand.
    regrets: [Vec<f32>; 2],
    averages: [Vec<f32>; 2],
    iterations: u32,
    /// The weight of the last iteration in the averages.
    weight: f64,
}

/// The response of a player at its own decisions.
#[derive(Clone, Copy)]
enum Answer {
    /// The player's own strategy.
    Strategy,
    /// The best action of each hand.
    Best,
}

impl<L: LeafValues> DepthLimited<L> {
    /// The game that starts in this state and ends with its street, with the first range that of
    /// the player in seat 0. The initial strategies are uniform; the leaves' values are asked for
    /// at them. The menu is that of [`Subgame::new`].
    ///
    /// # Errors
    /// As [`Subgame::new`].
    pub fn new(
        root: &PublicState,
        ranges: [&Range; 2],
        menu: &dyn Fn(&PublicState) -> Vec<Action>,
        mut leaf_values: L,
    ) -> Result<DepthLimited<L>, Error> {
        check(root)?;
        let hands = leaf_values.hands();
        let probabilities = |player: Player| -> Result<Vec<f32>, Error> {
            let weights = hands.iter().map(|&hand| ranges[player.index()].weight(hand));
            let weights: Vec<f64> = weights.collect();
            let total: f64 = weights.iter().sum();
            if total > 0.0 {
                Ok(weights.iter().map(|weight| (weight / total) as f32).collect())
            } else {
                Err(empty_range(player, root.board().set()))
            }
        };
        let ranges = [probabilities(Player::First)?, probabilities(Player::Second)?];
        if total(&ranges[0], &unblocked_weights(hands, &ranges[1])) <= 0.0 {
            return Err(no_deal());
        }
        let betting = Betting::of_street(root, menu, Subgame::NODES)?;
        let line = &betting.lines[0];
        // First those about which more is asked than checking down.
        let states = line.deals.iter().map(|leaf| (leaf.node, betting.state(line, leaf.node)));
        let states: Vec<(usize, PublicState)> = states.collect();
        let open = states.iter().enumerate().map(|(number, (at, state))| {
            let stacks = [0, 1].map(|seat| Seat::new(seat).expect("two seats"));
            let stacks = stacks.map(|seat| f64::from(state.stack(seat)));
            let behind = stacks[0].min(stacks[1]);
            (*at, Leaf { number, pot: state.pot() as f64, behind })
        });
        let mut leaves: Vec<(usize, Leaf)> = open.collect();
        let told = leaves.iter().zip(&states).map(|(&(_, leaf), (_, state))| (leaf, state));
        leaf_values.prepare(&told.collect::<Vec<_>>());
        let shown = line.ends[0].iter().filter_map(|end| end.showdown);
        let mut shown: Vec<(usize, f64)> = shown.collect();
        shown.sort_by_key(|&(at, _)| at);
        leaves.extend(
            (states.len()..)
                .zip(shown)
                .map(|(number, (at, chips))| (at, Leaf { number, pot: 2.0 * chips, behind: 0.0 })),
        );
        let count = ranges[0].len();
        let rows = line.rows.map(|rows| vec![0.0; rows * count]);
        let mut game = DepthLimited {
            root: root.clone(),
            betting,
            leaves,
            leaf_values,
            ranges,
            learnt: Learnt {
                beyond: Default::default(),
                ask: 2,
                regrets: rows.clone(),
                averages: rows,
                iterations: 0,
                weight: 1.0,
            },
            best: None,
        };
        game.estimate();
        Ok(game)
    }

    /// The state in which it starts.
    pub fn root(&self) -> &PublicState {
        &self.root
    }

    /// Number of iterations done.
    pub fn iterations(&self) -> u32 {
        self.learnt.iterations
    }

    /// The bytes that it takes, without its leaf values.
    pub fn bytes(&self) -> u64 {
        let line = self.line();
        let rows = line.rows[0] + line.rows[1] + line.deals.len();
        (rows * self.hands() * 2 * size_of::<f32>()) as u64
    }

    fn line(&self) -> &Line {
        &self.betting.lines[0]
    }

    /// Number of hands.
    fn hands(&self) -> usize {
        self.ranges[0].len()
    }

    /// Runs one iteration, in which both players learn once, the second first.
    pub fn step(&mut self) {
        self.learnt.iterations += 1;
        if self.learnt.iterations == self.learnt.ask {
            self.learnt.ask += self.learnt.ask / STEADY + 1;
            self.estimate();
        }
        let average = VARIANT.schedule.factors(self.learnt.iterations, 1).average;
        let average = Weight::next(&mut self.learnt.weight, average);
        let discount = VARIANT.discount(self.learnt.iterations, 1).into();
        self.learn(Player::Second, discount, average);
        self.learn(Player::First, discount, average);
    }

    /// Asks what is won at the leaves at the average strategies' ranges.
    fn estimate(&mut self) {
        let reach = self.reach(&self.strategies(&self.learnt.averages));
        self.learnt.beyond = self.beyond(&reach);
    }

    /// Updates a player's regrets against the other's current strategy, which is added to the
    /// other's average times its reach.
    fn learn(&mut self, player: Player, discount: Discount, average: Weight) {
        let strategies = self.strategies(&self.learnt.regrets);
        let reach = self.reach(&strategies);
        let values =
            self.values(&self.learnt.beyond, &reach, &strategies, player, Answer::Strategy);
        let count = self.hands();
        for decision in &self.betting.lines[0].decisions {
            let acts = decision.player.index();
            let rows = decision.row * count..(decision.row + decision.count) * count;
            let here = decision.node * count..(decision.node + 1) * count;
            if decision.player == player {
                let below = decision.child * count..(decision.child + decision.count) * count;
                let regrets = self.learnt.regrets[acts][rows].chunks_exact_mut(count);
                for (regrets, children) in regrets.zip(values[below].chunks_exact(count)) {
                    let gained = children.iter().zip(&values[here.clone()]);
                    for (regret, (child, value)) in regrets.iter_mut().zip(gained) {
                        *regret = discount.add(*regret, child - value);
                    }
                }
            } else {
                let averages = self.learnt.averages[acts][rows.clone()].chunks_exact_mut(count);
                let strategy = strategies[acts][rows].chunks_exact(count);
                for (averages, strategy) in averages.zip(strategy) {
                    let played = strategy.iter().zip(&reach[acts][here.clone()]);
                    for (sum, (share, reach)) in averages.iter_mut().zip(played) {
                        *sum = *sum * average.factor + share * reach * average.weight;
                    }
                }
            }
        }
    }

    /// Both players' strategies, see [`probabilities`](Self::probabilities).
    fn strategies(&self, numbers: &[Vec<f32>; 2]) -> [Vec<f32>; 2] {
        Player::BOTH.map(|player| self.probabilities(player, numbers))
    }

    /// The strategy of a player, in proportion to the positive numbers of its rows.
    fn probabilities(&self, player: Player, numbers: &[Vec<f32>; 2]) -> Vec<f32> {
        let count = self.hands();
        let mut shares = numbers[player.index()].clone();
        let decisions = self.line().decisions.iter();
        for decision in decisions.filter(|decision| decision.player == player) {
            let rows = decision.row * count..(decision.row + decision.count) * count;
            let shares = &mut shares[rows];
            for hand in 0..count {
                let all = || (0..decision.count).map(|action| action * count + hand);
                let matching = Matching::new(all().map(|at| shares[at]));
                for at in all() {
                    shares[at] = matching.probability(shares[at]);
                }
            }
        }
        shares
    }

    /// For each player, the probability of reaching each node with each hand.
    fn reach(&self, strategies: &[Vec<f32>; 2]) -> [Vec<f32>; 2] {
        let count = self.hands();
        let mut reach = self.ranges.clone();
        reach.iter_mut().for_each(|reach| reach.resize(self.line().nodes.len() * count, 0.0));
        for decision in &self.line().decisions {
            for player in Player::BOTH {
                let (before, below) = reach[player.index()].split_at_mut(decision.child * count);
                let before = &before[decision.node * count..][..count];
                let below = below.chunks_exact_mut(count).take(decision.count);
                if player == decision.player {
                    let strategy = strategies[player.index()][decision.row * count..].chunks(count);
                    for (below, strategy) in below.zip(strategy) {
                        let played = before.iter().zip(strategy);
                        below.iter_mut().zip(played).for_each(|(reach, (a, b))| *reach = a * b);
                    }
                } else {
                    below.for_each(|below| below.copy_from_slice(before));
                }
            }
        }
        reach
    }

    /// The value of each node for each of a player's hands: chips times the probability of the
    /// opponent's hands.
    fn values(
        &self,
        beyond: &[Vec<f32>; 2],
        reach: &[Vec<f32>; 2],
        strategies: &[Vec<f32>; 2],
        player: Player,
        answer: Answer,
    ) -> Vec<f32> {
        let count = self.hands();
        let (own, other) = (player.index(), player.other().index());
        let mut values = vec![0.0; self.line().nodes.len() * count];
        let mut beyond = beyond[own].chunks_exact(count);
        let at_leaves = self.checked_down(&reach[other]);
        for ((at, leaf), found) in self.leaves.iter().zip(at_leaves.chunks_exact(count)) {
            let here = at * count..(at + 1) * count;
            let pot = leaf.pot as f32;
            let value = values[here.clone()].iter_mut();
            value.zip(found).for_each(|(value, share)| *value = pot * share);
            if let Some(beyond) = beyond.next() {
                let mass: f32 = reach[other][here.clone()].iter().sum();
                let value = values[here].iter_mut();
                value.zip(beyond).for_each(|(value, beyond)| *value += mass * beyond);
            }
        }
        for (at, won) in self.line().ends[own].iter().filter_map(|end| end.fold) {
            let here = at * count..(at + 1) * count;
            let unblocked =
                unblocked_weights(self.leaf_values.hands(), &reach[other][here.clone()]);
            let value = values[here].iter_mut();
            value.zip(unblocked).for_each(|(value, unblocked)| *value = won as f32 * unblocked);
        }
        for decision in self.line().decisions.iter().rev() {
            let (before, below) = values.split_at_mut(decision.child * count);
            let value = &mut before[decision.node * count..][..count];
            let below = below.chunks_exact(count).take(decision.count);
            if decision.player != player {
                below.for_each(|below| {
                    value.iter_mut().zip(below).for_each(|(value, below)| *value += below);
                });
                continue;
            }
            let strategy = strategies[own][decision.row * count..].chunks_exact(count);
            if matches!(answer, Answer::Best) {
                value.fill(f32::NEG_INFINITY);
            }
            for (below, strategy) in below.zip(strategy) {
                let each = value.iter_mut().zip(below.iter().zip(strategy));
                match answer {
                    Answer::Strategy => each.for_each(|(value, (a, b))| *value += a * b),
                    Answer::Best => each.for_each(|(value, (a, _))| *value = value.max(*a)),
                }
            }
        }
        values
    }

    /// The winnings of a player's hands at the leaves if nobody bets any more, in shares of the
    /// pot, times the opponent's reach.
    fn checked_down(&self, others: &[f32]) -> Vec<f32> {
        let count = self.hands();
        let each = |leaves: &[(usize, Leaf)]| {
            let of = |(at, _): &(usize, Leaf)| &others[at * count..(at + 1) * count];
            let others: Vec<f32> = leaves.iter().flat_map(of).copied().collect();
            self.leaf_values.checked_down(&others)
        };
        parallel::map(self.leaves.chunks(2 * BATCH_SIZE), each).concat()
    }

    /// The winnings of both players' hands beyond that at the leaves where chips are left, in
    /// chips, when these are reached so. A player who never comes to a leaf is assumed to come with
    /// its range at the root.
    fn beyond(&self, reach: &[Vec<f32>; 2]) -> [Vec<f32>; 2] {
        let count = self.hands();
        let open = self.leaves.partition_point(|(_, leaf)| leaf.behind > 0.0);
        let each = |leaves: &[(usize, Leaf)]| {
            let ranges = [0, 1].map(|player: usize| {
                let mut ranges = Vec::with_capacity(leaves.len() * count);
                for (at, _) in leaves {
                    let reach = &reach[player][at * count..(at + 1) * count];
                    let mass: f32 = reach.iter().sum();
                    if mass > f32::MIN_POSITIVE {
                        ranges.extend(reach.iter().map(|reach| reach / mass));
                    } else {
                        ranges.extend(&self.ranges[player]);
                    }
                }
                ranges
            });
            let stakes: Vec<Leaf> = leaves.iter().map(|&(_, leaf)| leaf).collect();
            let mut beyond = self.leaf_values.beyond(&stakes, [&ranges[0], &ranges[1]]);
            for beyond in &mut beyond {
                for (beyond, leaf) in beyond.chunks_exact_mut(count).zip(&stakes) {
                    beyond.iter_mut().for_each(|value| *value *= leaf.pot as f32);
                }
            }
            beyond
        };
        let found = parallel::map(self.leaves[..open].chunks(BATCH_SIZE), each);
        [0, 1].map(|player: usize| found.iter().flat_map(|found| &found[player]).copied().collect())
    }

    /// The values of the average strategies to each player at the root, in chips, and what the best
    /// answers of one player to the other's are worth, if the estimates at the leaves stay those of
    /// the average strategies.
    pub fn evaluate(&self) -> [[f64; 2]; 2] {
        let strategies = self.strategies(&self.learnt.averages);
        let reach = self.reach(&strategies);
        let beyond = self.beyond(&reach);
        let pairs =
            total(&self.ranges[0], &unblocked_weights(self.leaf_values.hands(), &self.ranges[1]));
        [Answer::Strategy, Answer::Best].map(|answer| {
            Player::BOTH.map(|player| {
                let own = player.index();
                let values = self.values(&beyond, &reach, &strategies, player, answer);
                total(&self.ranges[own], &values[..self.hands()]) / pairs
            })
        })
    }

    /// The winnings of a player by its best answer beyond its average strategy, if the estimates at
    /// the leaves stay those of the average strategies: in chips, averaged over both players.
    pub fn exploitability(&self) -> f64 {
        let [own, best] = self.evaluate();
        (best[0] - own[0] + best[1] - own[1]) / 2.0
    }

    /// Computes the [`exploitability`](Self::exploitability), for
    /// [`return_to_best`](Self::return_to_best).
    pub fn check(&mut self) -> f64 {
        let found = self.exploitability();
        if self.best.as_ref().is_none_or(|(least, _)| found < *least) {
            self.best = Some((found, self.learnt.clone()));
        }
        found
    }

    /// Goes back to where a [`check`](Self::check) has found the least exploitability, and returns
    /// it, in chips; `None` if there was no check since the last call. It rises and falls:
    /// estimates that answer to the strategies drive them in circles.
    pub fn return_to_best(&mut self) -> Option<f64> {
        let (least, learnt) = self.best.take()?;
        self.learnt = learnt;
        Some(least)
    }

    /// The decision at a state; `None` if the state is not in the tree or no player acts there.
    fn decision(&self, state: &PublicState) -> Option<&Decision> {
        let root = &self.root;
        let same = state.def() == root.def()
            && state.history().starts_with(root.history())
            && state.board() == root.board()
            && matches!(state.turn(), Turn::Act(_));
        let mut at = 0;
        for played in state.history().get(root.history().len()..).filter(|_| same)? {
            let decision = self.line().decision(at)?;
            let actions = self.actions_of(decision);
            at = decision.child + actions.iter().position(|&action| action == played.action)?;
        }
        self.line().decision(at)
    }

    fn actions_of(&self, decision: &Decision) -> &[Action] {
        self.betting.actions(self.line(), decision)
    }

    /// The player to act at a state and the menu's actions; `None` if the tree does not have it.
    pub fn actions(&self, state: &PublicState) -> Option<(Player, &[Action])> {
        self.decision(state).map(|decision| (decision.player, self.actions_of(decision)))
    }

    /// The average strategies of all hands of the acting player that are in its range at the root;
    /// `None` if the tree does not have the state.
    pub fn strategies_at(&self, state: &PublicState) -> Option<ByAction> {
        let decision = self.decision(state)?;
        let shares = self.probabilities(decision.player, &self.learnt.averages);
        let row = |action: usize| &shares[(decision.row + action) * self.hands()..];
        Some(self.held(decision.player, |hand| {
            (0..decision.count).map(|action| f64::from(row(action)[hand])).collect()
        }))
    }

    /// The value of each action for each hand of the acting player in its range at the root, when
    /// both players play their average strategies, in chips over the whole hand; `None` if the tree
    /// does not have the state.
    pub fn action_values(&self, state: &PublicState) -> Option<ByAction> {
        let decision = self.decision(state)?;
        let (count, player) = (self.hands(), decision.player);
        let strategies = self.strategies(&self.learnt.averages);
        let reach = self.reach(&strategies);
        let beyond = self.beyond(&reach);
        let values = self.values(&beyond, &reach, &strategies, player, Answer::Strategy);
        let others = &reach[player.other().index()][decision.node * count..][..count];
        let unblocked = unblocked_weights(self.leaf_values.hands(), others);
        Some(self.held(player, |hand| {
            let each = |sum: f32| {
                if unblocked[hand] > 0.0 { f64::from(sum / unblocked[hand]) } else { 0.0 }
            };
            let value = |action| each(values[(decision.child + action) * count + hand]);
            (0..decision.count).map(value).collect()
        }))
    }

    /// The result of `of` for each hand in a player's range.
    fn held(&self, player: Player, of: impl Fn(usize) -> Vec<f64>) -> ByAction {
        let range = &self.ranges[player.index()];
        let hands = self.leaf_values.hands().iter().enumerate();
        let held = hands.filter(|&(hand, _)| range[hand] > 0.0);
        held.map(|(hand, &combo)| (combo, of(hand))).collect()
    }
}

/// For each hand, the sum over the hands that it can meet.
fn unblocked_weights(hands: &[Combo], others: &[f32]) -> Vec<f32> {
    let mut all = CardWeights::default();
    hands.iter().zip(others).for_each(|(hand, &other)| all.add(hand.cards(), other.into()));
    let of = |(hand, &same): (&Combo, &f32)| {
        let unblocked = all.unblocked(hand.cards()) + f64::from(same);
        // Sums of fractions can differ from zero by rounding.
        if unblocked > 1e-12 * all.total() { unblocked as f32 } else { 0.0 }
    };
    hands.iter().zip(others).map(of).collect()
}

/// The sum over hands of probability times value.
fn total(range: &[f32], values: &[f32]) -> f64 {
    range.iter().zip(values).map(|(&range, &value)| f64::from(range) * f64::from(value)).sum()
}
