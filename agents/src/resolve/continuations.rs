//! Values of hands where the flop's betting ends by the blueprint's continuation strategies: the
//! tables of [`values where the flop's betting ends`](super::flops).
//!
//! Each player chooses, by the strength of its hand and without knowing the other's
//! choice, how it plays the turn and the river: as the blueprint does, or with more folds, calls or
//! raises (Brown, Sandholm, Amos, "Depth-limited solving for imperfect-information games", NeurIPS
//! 2018; both players choose, as in Brown and Sandholm, "Superhuman AI for multiplayer poker",
//! Science 2019). A hand is worth what it wins in the equilibrium of these choices.
//!
//! What each pair of strategies wins is the mean of sampled deals of a turn, a river and both
//! hands, in which all betting that can follow is weighted by its probability. It is kept for each
//! pair of classes of hands that are alike in strength on the flop.

use std::cmp::Ordering;
use std::sync::{Arc, Mutex};

use abstraction::betting::{BettingTree, NodeKind};
use abstraction::translate::reached;
use cards::{Card, CardSet, OnBoard};
use game::{Action, PublicState, Street};
use models::values::flop::{Flop, zero_sum};
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use solvers::strategy::{AbstractStrategy, InBuckets, TreeStrategy};
use solvers::subgame::Leaf;

/// Number of continuation strategies: the blueprint, and more folds, calls and raises.
const STRATEGIES: usize = 4;
/// The factor by which a kind of action is made more probable.
const MORE: f32 = 10.0;
/// Number of classes of hands, equal in size, by strength on the flop.
const CLASSES: usize = 24;
/// Number of rivers that are sampled after each turn.
const RIVERS: usize = 4;
/// Number of pairs of hands that are sampled on each river.
const PAIRS: usize = 1_000;
/// Deals that one thread adds up.
const BATCH_SIZE: usize = 4_096;
/// Number of iterations in which the choices are solved.
const ITERATIONS: usize = 100;
/// The bytes of a flop: its deals, and a table for each of some ten leaves.
pub(super) const BYTES: u64 =
    (49 * RIVERS * PAIRS * size_of::<Deal>() + 10 * TABLE * size_of::<f32>()) as u64;
/// The numbers of a [`Table`].
const TABLE: usize = STRATEGIES * STRATEGIES * CLASSES * CLASSES;

/// The continuation strategies of a blueprint.
pub(super) struct Continuations {
    blueprint: Arc<dyn TreeStrategy>,
    /// The blueprint's first decisions of the turn, with the stacks in pots.
    turns: Vec<(f64, u32)>,
}

/// The winnings of continuation strategies on a flop.
pub(super) struct OnFlop {
    of: Arc<Continuations>,
    /// The class of each hand.
    classes: Vec<u8>,
    deals: Vec<Deal>,
    /// Entries by the blueprint's first decision of the turn.
    tables: Mutex<Vec<(u32, Arc<Table>)>>,
}

/// The winnings of continuation strategies at a leaf.
#[derive(Clone)]
pub(super) struct AtLeaf {
    table: Arc<Table>,
    /// The stacks in pots, where they are fewer than in the blueprint as a share of its.
    shallower: f32,
}

/// A sampled deal, with what a blueprint sees of it.
struct Deal {
    /// For each player: the buckets of the turn and the river.
    buckets: [[u16; 2]; 2],
    classes: [u8; 2],
    /// 1 if seat 0 wins the showdown, −1 if it loses.
    showdown: i8,
}

/// The winnings of seat 0 beyond checking down, as a share of the pot, for each strategy of seat 0,
/// strategy of seat 1, class of seat 0 and class of seat 1.
type Table = Vec<f32>;

/// A number for each strategy of each class.
type Choices = [[f32; STRATEGIES]; CLASSES];

impl Continuations {
    /// Those of a blueprint; `None` if it does not see cards in buckets, or has no turn.
    pub(super) fn new(blueprint: Arc<dyn TreeStrategy>) -> Option<Continuations> {
        blueprint.in_buckets()?;
        let tree = blueprint.tree();
        let stack = *tree.def().stacks.iter().min()?;
        let first = |&node: &u32| {
            tree.parent(node).is_some_and(|before| tree.street(before) == Street::Flop)
        };
        let depth = |node: u32| {
            let [paid, _] = tree.committed(node);
            f64::from(stack - paid) / f64::from(2 * paid)
        };
        let turns = tree.decision_nodes(Street::Turn).into_iter().filter(first);
        let turns: Vec<(f64, u32)> = turns.map(|node| (depth(node), node)).collect();
        let turns = Some(turns).filter(|turns| !turns.is_empty())?;
        Some(Continuations { blueprint, turns })
    }

    fn in_buckets(&self) -> InBuckets<'_> {
        self.blueprint.in_buckets().expect("it was asked before")
    }

    /// Those on a flop.
    pub(super) fn on_flop(self: &Arc<Self>, board: CardSet, flop: &Flop) -> OnFlop {
        let (hands, strengths) = (flop.hands(), flop.alone());
        let mut order: Vec<usize> = (0..hands.len()).collect();
        order.sort_by(|&a, &b| strengths[a][0].total_cmp(&strengths[b][0]));
        let mut classes = vec![0; hands.len()];
        for (index, hand) in order.into_iter().enumerate() {
            classes[hand] = (index * CLASSES / hands.len()) as u8;
        }
        let buckets = self.in_buckets().buckets;
        let on_turn = |&turn: &Card| {
            let cards = board.iter().chain([turn]);
            let seed = cards.fold(0, |seed, card| 52 * seed + u64::from(card.index()));
            let mut rng = Pcg64Mcg::seed_from_u64(seed);
            let with_turn = board.with(turn);
            let of_turn = buckets.on_board(with_turn).expect("a board of four cards");
            let left = Card::all().filter(|&card| !with_turn.contains(card));
            let mut deals = Vec::with_capacity(RIVERS * PAIRS);
            for river in left.sample(&mut rng, RIVERS) {
                let with_river = with_turn.with(river);
                let of_river = buckets.on_board(with_river).expect("a board of five cards");
                let ranks = OnBoard::new(with_river);
                let held = |hand: &usize| !hands[*hand].set().intersects(with_river);
                let held: Vec<usize> = (0..hands.len()).filter(held).collect();
                let until = deals.len() + PAIRS;
                while deals.len() < until {
                    let both = [0; 2].map(|_| held[rng.random_range(0..held.len())]);
                    let pair = both.map(|hand| hands[hand]);
                    if pair[0].set().intersects(pair[1].set()) {
                        continue;
                    }
                    let [first, second] = pair.map(|hand| {
                        let [a, b] = hand.cards();
                        ranks.rank(a, b)
                    });
                    deals.push(Deal {
                        buckets: pair.map(|hand| [of_turn[hand.index()], of_river[hand.index()]]),
                        classes: both.map(|hand| classes[hand]),
                        showdown: match first.cmp(&second) {
                            Ordering::Less => -1,
                            Ordering::Equal => 0,
                            Ordering::Greater => 1,
                        },
                    });
                }
            }
            deals
        };
        let turns: Vec<Card> = Card::all().filter(|&card| !board.contains(card)).collect();
        let deals = parallel::map(&turns, on_turn).into_iter().flatten().collect();
        OnFlop { of: Arc::clone(self), classes, deals, tables: Mutex::default() }
    }
}

impl OnFlop {
    /// The winnings of strategies at a leaf with this state: from the turn to which the blueprint
    /// comes by the same betting, or if its betting was over before, from the one whose stacks, in
    /// pots, are most alike.
    pub(super) fn at_leaf(&self, leaf: &Leaf, state: &PublicState) -> AtLeaf {
        let Continuations { blueprint, turns } = &*self.of;
        let depth = leaf.behind / leaf.pot;
        let away = |turn: &(f64, u32)| (turn.0 / depth).ln().abs();
        let node = reached(blueprint.tree(), state);
        let same = turns.iter().find(|(_, turn)| *turn == node);
        let near = || turns.iter().min_by(|a, b| away(a).total_cmp(&away(b)));
        let &(found, turn) = same.or_else(near).expect("some turn");
        let known = || parallel::lock(&self.tables);
        let table = known().iter().find(|(of, _)| *of == turn).map(|(_, table)| Arc::clone(table));
        let table = table.unwrap_or_else(|| {
            let table = Arc::new(self.sampled(turn));
            known().push((turn, Arc::clone(&table)));
            table
        });
        AtLeaf { table, shallower: (depth / found).min(1.0) as f32 }
    }

    /// The winnings of both players' hands beyond checking down at a leaf, as shares of the pot,
    /// times the probability of the hands that they can meet. The ranges have the probability of
    /// each hand.
    pub(super) fn beyond(&self, flop: &Flop, at: &AtLeaf, ranges: [&[f32]; 2]) -> [Vec<f32>; 2] {
        let AtLeaf { table, shallower } = at;
        let shares = ranges.map(|range| {
            let mut shares = [0.0; CLASSES];
            for (&class, share) in self.classes.iter().zip(range) {
                shares[usize::from(class)] += share;
            }
            shares
        });
        let choices = equilibrium(table, &shares);
        let values = [0, 1].map(|player| values(table, &shares, &choices, player));
        let unblocked = [flop.unblocked_weights(ranges[1]), flop.unblocked_weights(ranges[0])];
        let won = [0, 1].map(|player: usize| -> Vec<f32> {
            let of = |class: usize| total(&choices[player][class], &values[player][class]);
            let each = self.classes.iter().zip(&unblocked[player]);
            each.map(|(&class, unblocked)| shallower * of(class.into()) * unblocked).collect()
        });
        zero_sum([&won[0], &won[1]], [&unblocked[0], &unblocked[1]], ranges)
    }

    /// The winnings of strategies from a decision of the blueprint on.
    fn sampled(&self, turn: u32) -> Table {
        const PAIRS_OF_CLASSES: usize = CLASSES * CLASSES;
        let tree = self.of.blueprint.tree();
        let strategy = self.of.in_buckets().strategy;
        let pot = 2.0 * tree.committed(turn)[0] as f32;
        let sum = |deals: &[Deal]| {
            let mut sums = vec![0.0_f32; TABLE];
            let mut counts = vec![0_u32; PAIRS_OF_CLASSES];
            for deal in deals {
                let mut won = [[0.0; STRATEGIES]; STRATEGIES];
                let playout = Playout { tree, strategy, deal };
                playout.add(turn, [[1.0; STRATEGIES]; 2], &mut won);
                let classes = deal.classes.map(usize::from);
                let index = classes[0] * CLASSES + classes[1];
                let sums = sums[index..].iter_mut().step_by(PAIRS_OF_CLASSES);
                let checked_down = 0.5 * f32::from(deal.showdown);
                sums.zip(won.as_flattened())
                    .for_each(|(sum, won)| *sum += won / pot - checked_down);
                counts[index] += 1;
            }
            (sums, counts)
        };
        let parts = parallel::map(self.deals.chunks(BATCH_SIZE), sum);
        let (mut sums, mut counts) = parts[0].clone();
        for (of_part, in_part) in &parts[1..] {
            sums.iter_mut().zip(of_part).for_each(|(sum, part)| *sum += part);
            counts.iter_mut().zip(in_part).for_each(|(count, part)| *count += part);
        }
        let sums = sums.iter().zip(counts.iter().cycle());
        sums.map(|(sum, &count)| sum / count.max(1) as f32).collect()
    }
}

/// A deal played out on the turn and the river, by all pairs of continuation strategies at once.
struct Playout<'a> {
    tree: &'a BettingTree,
    strategy: &'a dyn AbstractStrategy,
    deal: &'a Deal,
}

impl Playout<'_> {
    /// Adds the chips that seat 0 wins, for each of its strategies and each of seat 1, from a node
    /// on, times the probabilities with which these come to it.
    fn add(
        &self,
        node: u32,
        reach: [[f32; STRATEGIES]; 2],
        won: &mut [[f32; STRATEGIES]; STRATEGIES],
    ) {
        let kind = self.tree.node(node).kind;
        let [first, second] = self.tree.committed(node);
        let stake = first.min(second) as f32;
        let chips = match kind {
            NodeKind::Fold { winner: 0 } => stake,
            NodeKind::Fold { .. } => -stake,
            NodeKind::Showdown => stake * f32::from(self.deal.showdown),
            NodeKind::Decision { seat, street, .. } => {
                return self.add_each(node, usize::from(seat), usize::from(street), reach, won);
            }
        };
        for (won, first) in won.iter_mut().zip(reach[0]) {
            won.iter_mut().zip(reach[1]).for_each(|(won, second)| *won += chips * first * second);
        }
    }

    /// The same after each action of a decision.
    fn add_each(
        &self,
        node: u32,
        seat: usize,
        street: usize,
        reach: [[f32; STRATEGIES]; 2],
        won: &mut [[f32; STRATEGIES]; STRATEGIES],
    ) {
        let actions = self.tree.actions(node);
        let mut shares = smallvec::SmallVec::<[f32; 16]>::from_elem(0.0, actions.len());
        let bucket = self.deal.buckets[seat][street - Street::Turn.index()];
        self.strategy.probabilities(node, bucket.into(), &mut shares);
        let weights = |action: &Action, share: f32| {
            let mut weights = [share; STRATEGIES];
            match action {
                Action::Fold => weights[1] *= MORE,
                Action::Call => weights[2] *= MORE,
                Action::RaiseTo(_) => weights[3] *= MORE,
            }
            weights
        };
        let mut sums = [0.0; STRATEGIES];
        for (action, &share) in actions.iter().zip(&shares) {
            sums.iter_mut().zip(weights(action, share)).for_each(|(sum, weight)| *sum += weight);
        }
        let children = self.tree.node(node).children();
        for (child, (action, &share)) in children.zip(actions.iter().zip(&shares)) {
            if share > 0.0 {
                let mut reach = reach;
                let played = weights(action, share).into_iter().zip(sums);
                reach[seat].iter_mut().zip(played).for_each(|(reach, (a, sum))| *reach *= a / sum);
                self.add(child, reach, won);
            }
        }
    }
}

/// The average choices of both players, where each class has this share of its player's range: by
/// regret matching+ of each player in turn, with linear averages.
fn equilibrium(table: &[f32], shares: &[[f32; CLASSES]; 2]) -> [Choices; 2] {
    let mut regrets = [[[0.0; STRATEGIES]; CLASSES]; 2];
    let mut sums = regrets;
    let mut choices = regrets.map(|regrets| regrets.map(normal));
    for iteration in 1..=ITERATIONS {
        for player in 0..2 {
            let values = values(table, shares, &choices, player);
            for class in 0..CLASSES {
                let (choice, values) = (&mut choices[player][class], &values[class]);
                let value = total(choice, values);
                let regrets = &mut regrets[player][class];
                for (regret, own) in regrets.iter_mut().zip(values) {
                    *regret = (*regret + own - value).max(0.0);
                }
                *choice = normal(*regrets);
                let weighted = sums[player][class].iter_mut().zip(choice);
                weighted.for_each(|(sum, share)| *sum += iteration as f32 * *share);
            }
        }
    }
    sums.map(|sums| sums.map(normal))
}

/// The winnings of each strategy of each of a player's classes against the other player's choices.
fn values(
    table: &[f32],
    shares: &[[f32; CLASSES]; 2],
    choices: &[Choices; 2],
    player: usize,
) -> Choices {
    let other = 1 - player;
    let mut values = [[0.0; STRATEGIES]; CLASSES];
    for (at, table) in table.chunks_exact(CLASSES * CLASSES).enumerate() {
        let plays = [at / STRATEGIES, at % STRATEGIES];
        let mut others = shares[other];
        others.iter_mut().zip(&choices[other]).for_each(|(share, by)| *share *= by[plays[other]]);
        for (first, row) in table.chunks_exact(CLASSES).enumerate() {
            if player == 0 {
                let won = row.iter().zip(&others);
                values[first][plays[0]] += won.map(|(won, share)| won * share).sum::<f32>();
            } else {
                let won = values.iter_mut().zip(row);
                won.for_each(|(value, won)| value[plays[1]] -= won * others[first]);
            }
        }
    }
    values
}

/// The shares of numbers from 0 in their sum; all the same if that is 0.
fn normal(numbers: [f32; STRATEGIES]) -> [f32; STRATEGIES] {
    let sum: f32 = numbers.iter().sum();
    numbers.map(|number| if sum > 0.0 { number / sum } else { 1.0 / STRATEGIES as f32 })
}

fn total(shares: &[f32; STRATEGIES], values: &[f32; STRATEGIES]) -> f32 {
    shares.iter().zip(values).map(|(share, value)| share * value).sum()
}

#[cfg(test)]
mod tests {
    use abstraction::buckets::Buckets;
    use cards::{Board, Combo};
    use game::games;
    use solvers::strategy::BoardStrategy;

    use super::*;

    /// Goes all-in with a probability on one street where nothing was bet, and answers with a call
    /// with another.
    struct Fixed {
        tree: BettingTree,
        buckets: Buckets,
        street: Street,
        bets: f32,
        calls: f32,
    }

    impl TreeStrategy for Fixed {
        fn tree(&self) -> &BettingTree {
            &self.tree
        }

        fn on_board<'a>(&'a self, _: &Board, _: &[Combo]) -> Box<dyn BoardStrategy + 'a> {
            unreachable!("it is asked for buckets")
        }

        fn in_buckets(&self) -> Option<InBuckets<'_>> {
            Some(InBuckets { buckets: &self.buckets, strategy: self, guessed: 0 })
        }
    }

    impl AbstractStrategy for Fixed {
        fn probabilities(&self, node: u32, _: u32, shares: &mut [f32]) {
            let facing = self.tree.actions(node).contains(&Action::Fold);
            let bets = if self.tree.street(node) == self.street { self.bets } else { 0.0 };
            for (share, action) in shares.iter_mut().zip(self.tree.actions(node)) {
                *share = match action {
                    Action::Fold => 1.0 - self.calls,
                    Action::Call if facing => self.calls,
                    Action::Call => 1.0 - bets,
                    Action::RaiseTo(_) if facing => 0.0,
                    Action::RaiseTo(_) => bets,
                };
            }
        }
    }

    /// The values beyond checking down at a pot of 200 with 200 behind.
    struct Found {
        values: [Vec<f32>; 2],
        /// The winnings of all hands of seat 1 together, for each of [`STACKS`].
        sizes: Vec<f32>,
        /// The class of each hand.
        classes: Vec<u8>,
        /// The mean margin of each class against all hands.
        margins: Vec<f32>,
    }

    /// Stacks behind at the same pot, the first of which is the blueprint's.
    const STACKS: [f64; 4] = [200.0, 400.0, 100.0, 20.0];

    /// The probability of the hands that a hand meets, of all hands on a flop.
    const UNBLOCKED: f32 = 1_081.0 / 1_176.0;

    impl Found {
        fn new(street: Street, bets: f32, calls: f32) -> Found {
            let def = Arc::new(games::nolimit_holdem_with(vec![300, 300]));
            let menu = "preflop flop turn river 1+: allin\n".parse().expect("a menu");
            let tree = BettingTree::new(&def, &menu, 10_000).expect("a tree");
            let recipe = "preflop=169 flop=category turn=category river=category";
            let recipe = recipe.parse().expect("a recipe");
            let buckets = Buckets::make(&recipe, |_| ()).expect("buckets");
            let all = Continuations::new(Arc::new(Fixed { tree, buckets, street, bets, calls }));
            let cards: Vec<Card> =
                ["Ks", "9d", "4c", "2h"].iter().map(|card| card.parse().expect("a card")).collect();
            let mut state = PublicState::new(&def);
            for _ in 0..4 {
                state.apply(Action::Call).expect("legal");
                state.deal_from(&Board::new(&cards).expect("a board")).expect("cards are left");
            }
            let board = cards[..3].iter().copied().collect();
            let flop = Flop::new(board).expect("three cards");
            let on_flop = Arc::new(all.expect("in buckets")).on_flop(board, &flop);
            let hands = flop.hands().len();
            let even = vec![1.0 / hands as f32; hands];
            let values = |behind: f64| {
                let at = on_flop.at_leaf(&Leaf { number: 0, pot: 200.0, behind }, &state);
                on_flop.beyond(&flop, &at, [&even, &even])
            };
            let size = |behind: f64| values(behind)[1].iter().sum::<f32>();
            let sizes = STACKS.map(size).to_vec();
            let values = values(200.0);
            let margin = |class: usize| {
                let of_class = (0..hands).filter(|&hand| on_flop.classes[hand] as usize == class);
                let margins: Vec<f32> = of_class.map(|hand| flop.alone()[hand][0]).collect();
                margins.iter().sum::<f32>() / margins.len() as f32
            };
            let margins = (0..CLASSES).map(margin).collect();
            Found { values, sizes, classes: on_flop.classes, margins }
        }

        /// Checks a value of each hand, given its class.
        fn check(&self, player: usize, wanted: impl Fn(usize) -> f32) {
            for (&class, value) in self.classes.iter().zip(&self.values[player]) {
                let (found, wanted) = (value / UNBLOCKED, wanted(class.into()));
                assert!((found - wanted).abs() < 0.06, "{player} {class}: {found}, not {wanted}");
            }
        }
    }

    #[test]
    fn hands_of_a_blueprint_that_never_bets_win_what_checking_down_wins() {
        let found = Found::new(Street::Turn, 0.0, 0.5);
        assert!(found.values.iter().flatten().all(|value| value.abs() < 1e-6));
    }

    #[test]
    fn each_class_answers_an_all_in_with_more_folds_or_more_calls_whichever_wins_more() {
        for street in [Street::Turn, Street::River] {
            let found = Found::new(street, 1.0, 0.5);
            found.check(1, |class| {
                let margin = found.margins[class];
                // A pot and a half each is in the middle when it is called.
                let wins = |folds: f32| (1.0 - folds) * 1.5 * margin - folds * 0.5;
                wins(10.0 / 11.0).max(wins(1.0 / 11.0)) - 0.5 * margin
            });
        }
    }

    #[test]
    fn with_fewer_chips_behind_than_the_blueprint_as_much_less_is_won_beyond_checking_down() {
        let found = Found::new(Street::Turn, 1.0, 0.5);
        let whole = found.sizes[0];
        assert!(whole.abs() > 1.0, "{whole}");
        for (size, share) in found.sizes.iter().zip([1.0, 1.0, 0.5, 0.1]) {
            assert!((size / whole - share).abs() < 1e-4, "{size} of {whole}, not {share}");
        }
    }

    #[test]
    fn strong_classes_bet_more_and_the_weakest_checks_more_in_either_seat() {
        // Whoever bets is called, so betting is alike for both.
        let found = Found::new(Street::River, 0.5, 1.0);
        let mean = |player: usize, class: usize| {
            let values = found.classes.iter().zip(&found.values[player]);
            let values = values.filter(|(of, _)| usize::from(**of) == class);
            let values: Vec<f32> = values.map(|(_, value)| value / UNBLOCKED).collect();
            values.iter().sum::<f32>() / values.len() as f32
        };
        found.check(1, |class| mean(0, class));
        let best = found.margins[CLASSES - 1];
        let bets = mean(0, CLASSES - 1) / best;
        assert!((0.88..1.03).contains(&bets), "the best class has {bets} of its margin");
        let worst = mean(0, 0) / found.margins[0];
        assert!((0.1..0.95).contains(&worst), "the worst class loses {worst} of its margin");
    }

    #[test]
    fn choices_are_an_equilibrium_of_a_matrix_game() {
        // The first two strategies are to be mixed: the value is 1/5. The others win less.
        let won = |first: usize, second: usize| match (first, second) {
            (0, 0) => 2.0,
            (0, 1) | (1, 0) => -1.0,
            (1, 1) => 1.0,
            (0 | 1, _) => 5.0,
            _ => -5.0,
        };
        let each = (0..STRATEGIES * STRATEGIES).flat_map(|both| {
            std::iter::repeat_n(won(both / STRATEGIES, both % STRATEGIES), CLASSES * CLASSES)
        });
        let table: Table = each.collect();
        let shares = [[1.0 / CLASSES as f32; CLASSES]; 2];
        let choices = equilibrium(&table, &shares);
        let values = [0, 1].map(|player| values(&table, &shares, &choices, player));
        for (player, value) in [(0, 0.2), (1, -0.2)] {
            let best = values[player][0].into_iter().fold(f32::MIN, f32::max);
            let own = total(&choices[player][0], &values[player][0]);
            assert!((own - value).abs() < 0.02 && best - own < 0.03, "{player}: {own}, {best}");
        }
    }
}
