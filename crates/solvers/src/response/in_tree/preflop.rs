//! The betting before the flop: the probability that the agent reaches each leaf, and how a
//! responder plays there when it knows, or has estimated, what it wins after each leaf.
//!
//! Suits do not matter yet, so hands are grouped into their 169 kinds. Values of a kind are sums
//! over its hands.

use abstraction::betting::{BettingTree, NodeKind};
use cards::{Board, Combo, PreflopTable, StartingHand};

use super::{ResponseError, TreeStrategy};
use crate::Player;

/// A number for each kind of starting hand.
type ByHand = [f64; StartingHand::COUNT];

/// Number of boards possible with two hands dealt.
const BOARDS: f64 = 1_712_304.0;

/// Number of ordered pairs of hands that can be dealt together.
const PAIRS: f64 = 1_326.0 * 1_225.0;

/// The betting tree before the flop.
#[derive(Debug)]
pub struct Preflop {
    nodes: Vec<Node>,
    /// The nodes at which a flop is dealt.
    leaves: Vec<u32>,
    /// For each leaf, the probability that each player makes the actions leading to it, by kind of
    /// hand.
    reach: Vec<[ByHand; 2]>,
}

/// A node. Children come after their parent.
#[derive(Debug)]
enum Node {
    Decision {
        player: Player,
        children: Vec<usize>,
        shares: Vec<ByHand>,
    },
    /// The winnings of each player as the responder, times the probability that the agent gets
    /// here.
    End(Box<[ByHand; 2]>),
    Leaf(usize),
}

/// A responder's choices before the flop: the index of the action, for each of its decisions and
/// kinds of hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choices(Vec<[u8; StartingHand::COUNT]>);

/// Computes the values of a responder's decision from its index, the agent's shares there and the
/// values of its actions.
type Own<'a> = dyn FnMut(usize, &[ByHand], &[ByHand]) -> ByHand + 'a;

/// The strategy of a responder before the flop.
#[derive(Debug, Clone, Copy)]
pub enum PreflopPlay<'a> {
    /// The agent's own strategy.
    AsAgent,
    /// The responder's own choices.
    Chosen(&'a Choices),
}

impl Preflop {
    /// Evaluates the agent's whole strategy before the flop.
    pub(super) fn new(strategy: &dyn TreeStrategy) -> Result<Preflop, ResponseError> {
        let tree = strategy.tree();
        let all: Vec<Combo> = Combo::all().collect();
        let agent = strategy.on_board(&Board::EMPTY, &all);
        let mut preflop = Preflop { nodes: Vec::new(), leaves: Vec::new(), reach: Vec::new() };
        let mut waiting = vec![(BettingTree::ROOT, [[1.0; StartingHand::COUNT]; 2], None)];
        let ends = Ends::new();
        while let Some((number, reach, parent)) = waiting.pop() {
            let at = preflop.nodes.len();
            if let Some((parent, index)) = parent
                && let Node::Decision { children, .. } = &mut preflop.nodes[parent]
            {
                children[index] = at;
            }
            let chips: f64 = tree.committed(number).into_iter().min().unwrap_or_default().into();
            let node = match tree.node(number).kind {
                NodeKind::Fold { winner } => {
                    let won = [0, 1].map(|seat| if seat == winner { chips } else { -chips });
                    Node::End(Box::new(ends.folded(&reach, won)))
                }
                NodeKind::Showdown => Node::End(Box::new(ends.shown(&reach, chips))),
                NodeKind::Decision { street: 0, seat, .. } => {
                    let children = tree.node(number).children();
                    let mut shares = vec![0.0; children.len() * Combo::COUNT];
                    agent.shares(number, Combo::COUNT, &mut shares)?;
                    let shares = by_hand(tree, number, &shares)?;
                    for (index, child) in children.clone().enumerate() {
                        let mut reach = reach;
                        let own = &mut reach[usize::from(seat)];
                        own.iter_mut()
                            .zip(&shares[index])
                            .for_each(|(reach, share)| *reach *= share);
                        waiting.push((child, reach, Some((at, index))));
                    }
                    let player = Player::BOTH[usize::from(seat)];
                    Node::Decision { player, children: vec![0; children.len()], shares }
                }
                NodeKind::Decision { .. } => {
                    preflop.leaves.push(number);
                    preflop.reach.push(reach);
                    Node::Leaf(preflop.leaves.len() - 1)
                }
            };
            preflop.nodes.push(node);
        }
        Ok(preflop)
    }

    /// The nodes of the tree at which a flop is dealt.
    pub fn leaves(&self) -> &[u32] {
        &self.leaves
    }

    /// The probability, by kind of hand, that a player who plays as the agent does makes its own
    /// actions on the way to a leaf.
    pub fn reach(&self, leaf: usize, player: Player) -> &[f64; StartingHand::COUNT] {
        &self.reach[leaf][player.index()]
    }

    /// Total winnings of a responder in chips per hand when it plays by `before` before the flop.
    /// `after` has its values after each leaf: for each leaf in order a number for each kind of
    /// hand, see [`FlopValues`](super::FlopValues).
    pub fn winnings(&self, player: Player, before: PreflopPlay<'_>, after: &[f64]) -> f64 {
        self.fold(player, after, &mut |at, shares, values| match before {
            PreflopPlay::AsAgent => std::array::from_fn(|hand| {
                (0..values.len()).map(|index| shares[index][hand] * values[index][hand]).sum()
            }),
            PreflopPlay::Chosen(choices) => std::array::from_fn(|hand| {
                let index = usize::from(choices.0[at][hand]);
                values[index.min(values.len() - 1)][hand]
            }),
        })
    }

    /// The best play before the flop given the values after it, and its winnings with them. Ties go
    /// to the first action.
    pub fn best(&self, player: Player, after: &[f64]) -> (Choices, f64) {
        let mut choices = Choices(vec![[0; StartingHand::COUNT]; self.nodes.len()]);
        let won = self.fold(player, after, &mut |at, _, values| {
            std::array::from_fn(|hand| {
                let mut best = 0;
                for index in 1..values.len() {
                    if values[index][hand] > values[best][hand] {
                        best = index;
                    }
                }
                choices.0[at][hand] = best as u8;
                values[best][hand]
            })
        });
        (choices, won)
    }

    /// Computes the root value from the ends up; `own` gives the values of the responder's own
    /// decisions from those of their actions.
    fn fold(&self, player: Player, after: &[f64], own: &mut Own<'_>) -> f64 {
        let mut values = vec![[0.0; StartingHand::COUNT]; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().rev() {
            values[at] = match node {
                Node::End(won) => won[player.index()],
                Node::Leaf(leaf) => {
                    let row = &after[leaf * StartingHand::COUNT..][..StartingHand::COUNT];
                    row.try_into().expect("as long as there are kinds of hands")
                }
                Node::Decision { player: acting, children, shares } => {
                    let below: Vec<ByHand> = children.iter().map(|&child| values[child]).collect();
                    if *acting == player {
                        own(at, shares, &below)
                    } else {
                        std::array::from_fn(|hand| below.iter().map(|value| value[hand]).sum())
                    }
                }
            };
        }
        values[0].iter().sum()
    }
}

/// The strategy of each kind of hand, which must be the same for each of its hands.
fn by_hand(tree: &BettingTree, node: u32, shares: &[f32]) -> Result<Vec<ByHand>, ResponseError> {
    let mut found = Vec::new();
    for row in shares.chunks(Combo::COUNT) {
        let mut by_hand = [f64::NAN; StartingHand::COUNT];
        for (combo, &share) in Combo::all().zip(row) {
            let known = &mut by_hand[combo.starting_hand().index()];
            if known.is_nan() {
                *known = share.into();
            } else if (*known - f64::from(share)).abs() > 1e-6 {
                return Err(ResponseError::Suits { hole: combo, betting: tree.betting(node) });
            }
        }
        found.push(by_hand);
    }
    Ok(found)
}

/// Statistics of all pairs of kinds of hands.
struct Ends {
    /// The probability that both kinds are dealt, by the player's and the other's kind. `shown` is
    /// this times the probability of winning minus that of losing.
    pair_probability: Vec<ByHand>,
    shown: Vec<ByHand>,
}

impl Ends {
    fn new() -> Ends {
        let matrix = PreflopTable::embedded().matrix();
        let of = |number: &dyn Fn(StartingHand, StartingHand) -> f64| -> Vec<ByHand> {
            let row = |hero| {
                let mut row = [0.0; StartingHand::COUNT];
                StartingHand::all()
                    .for_each(|villain| row[villain.index()] = number(hero, villain));
                row
            };
            StartingHand::all().map(row).collect()
        };
        Ends {
            pair_probability: of(&|hero, villain| matrix.pairs(hero, villain) as f64 / PAIRS),
            shown: of(&|hero, villain| {
                let counts = matrix.get(hero, villain);
                let losses = counts.total - counts.wins - counts.ties;
                (counts.wins as f64 - losses as f64) / BOARDS / PAIRS
            }),
        }
    }

    fn folded(&self, reach: &[ByHand; 2], won: [f64; 2]) -> [ByHand; 2] {
        [0, 1].map(|player| times(&self.pair_probability, &reach[1 - player], won[player]))
    }

    fn shown(&self, reach: &[ByHand; 2], chips: f64) -> [ByHand; 2] {
        [0, 1].map(|player| times(&self.shown, &reach[1 - player], chips))
    }
}

fn times(rows: &[ByHand], reach: &ByHand, chips: f64) -> ByHand {
    std::array::from_fn(|hand| {
        chips
            * rows[hand]
                .iter()
                .zip(reach)
                .map(|(pair_probability, reach)| pair_probability * reach)
                .sum::<f64>()
    })
}
