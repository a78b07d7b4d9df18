//! Best responses to a fixed strategy in a whole betting tree of heads-up hold'em, on exact cards.
//!
//! The responder knows the strategy, sees its own two cards rather than a bucket, and may make the
//! bets of the tree. Its best response is exact from the flop on: every turn and river is
//! traversed, with all hands of both players at once, as in Johanson, Waugh, Bowling, Zinkevich,
//! "Accelerating best response calculation in large extensive games", IJCAI 2011. Next cards that
//! differ only by suit names count as one ([`TreeStrategy`]s do not depend on suit names).
//!
//! The 22,100 flops form 1,755 classes ([`flop_kinds`]) of 4, 12 or 24 flops each. All flops are
//! equally likely, and on each there are 1,176 · 1,081 pairs of hands. So what a responder wins is
//! the plain mean over all flops of the mean over the pairs of hands on each. [`Responder::flop`]
//! returns the latter split up by the betting before the flop and the kind of starting hand
//! ([`FlopValues`]). [`Preflop`] combines these values, or means of them over several flops:
//!
//! - If the responder plays as the agent itself does before the flop, its winnings are the mean of
//!   [`Preflop::winnings`] over all flops. This is linear in the values, so flops drawn at random
//!   give an unbiased estimate.
//! - A best response before the flop needs the mean of the values over all flops. One learned from
//!   some flops ([`Preflop::best`]) is a valid response too, and is measured on *other* flops
//!   without bias.

mod traversal;

pub use super::is_holdem;
pub use super::suits::{FLOPS, FlopKind, KINDS, flop_kinds, shuffled_flops};

use abstraction::betting::{BettingTree, NodeKind};
use cards::{Board, Card, CardSet, Combo, PreflopTable, Range, StartingHand};

use super::best_response::traversal::{Blocks, Pass, PassBuffers};
use super::subgame::boards::{Boards, Table};
use super::subgame::traversal::{View, Workspace};
use crate::strategy::TreeStrategy;
use crate::{Error, Player};

/// Number of pairs of hands that can be held on a flop.
const PAIRS_ON_FLOP: f64 = 1_176.0 * 1_081.0;

/// The error for a game that is not heads-up hold'em.
fn not_holdem() -> Error {
    Error::new(
        "a best response on sampled flops is for hold'em of two players: two hole cards of a full \
         deck, boards of three, four and five cards",
    )
}

/// The values of both players as responders on a flop.
///
/// Indexed by responder, then by leaf of [`Preflop`] and by the 169 kinds of starting hands (in the
/// order of their indices). In chips per hand: the sum over the hands of the kind and over the
/// agent's hands, weighted with the probability that the agent reaches the leaf, divided by the
/// number of pairs of hands. The responder's own probability of reaching the leaf is taken as 1.
#[derive(Debug, Clone, PartialEq)]
pub struct FlopValues(pub [Vec<f32>; 2]);

/// Hands with what each of them wins: chips times weights.
type Won = Vec<(Combo, f64)>;

/// Computes responses to one strategy.
pub struct Responder<'a> {
    strategy: &'a dyn TreeStrategy,
    preflop: Preflop,
    blocks: Blocks,
}

impl<'a> Responder<'a> {
    /// Builds the tree and evaluates the strategy before the flop.
    ///
    /// # Errors
    /// When the game is not heads-up hold'em, or the strategy is invalid in the tree.
    pub fn new(strategy: &'a dyn TreeStrategy) -> Result<Responder<'a>, Error> {
        let tree = strategy.tree();
        if !is_holdem(tree.def()) {
            return Err(not_holdem());
        }
        let preflop = Preflop::new(strategy)?;
        let blocks = Blocks::new(tree, preflop.leaves());
        Ok(Responder { strategy, preflop, blocks })
    }

    /// The betting tree.
    pub fn tree(&self) -> &BettingTree {
        self.strategy.tree()
    }

    /// The betting before the flop.
    pub fn preflop(&self) -> &Preflop {
        &self.preflop
    }

    /// Computes the values on a flop of three cards, for either seat. Runs on the calling thread
    /// and needs about 110 MB.
    ///
    /// # Errors
    /// When the strategy is invalid in the tree.
    pub fn flop(&self, flop: CardSet) -> Result<FlopValues, Error> {
        let flop: Vec<Card> = flop.iter().collect();
        let board = Board::new(&flop).ok_or_else(not_holdem)?;
        let leaves = 0..self.preflop.leaves().len();
        let weights = |player: Player| -> Vec<Vec<f64>> {
            let of = |leaf: usize| {
                let reach = self.preflop.reach(leaf, player);
                Combo::all().map(|combo| reach[combo.starting_hand().index()]).collect()
            };
            leaves.clone().map(of).collect()
        };
        let players = Player::BOTH.map(|player| (player, weights(player.other())));
        let won = self.respond_on(&self.blocks, &board, true, &players)?;
        let mut values = FlopValues(Default::default());
        for ((player, _), won) in players.iter().zip(won) {
            let mut sums = vec![0.0; leaves.len() * StartingHand::COUNT];
            for (row, won) in sums.chunks_mut(StartingHand::COUNT).zip(&won) {
                for &(combo, won) in won {
                    row[combo.starting_hand().index()] += won / PAIRS_ON_FLOP;
                }
            }
            values.0[player.index()] = sums.into_iter().map(|sum| sum as f32).collect();
        }
        Ok(values)
    }

    /// Computes what each hand of a responder wins from a node on, which is the first of a street,
    /// on a board of that street: chips of the whole hand times weights, summed over the agent's
    /// hands that it can meet. `weights` are those with which the agent reaches the node, by combo.
    /// Suit symmetries are not used.
    ///
    /// # Errors
    /// When the board does not match the node's street on the flop, turn or river, or the strategy
    /// is invalid in the tree.
    pub fn values_from(
        &self,
        node: u32,
        board: &Board,
        player: Player,
        weights: &[f64; Combo::COUNT],
    ) -> Result<Vec<(Combo, f64)>, Error> {
        let street = self.tree().street(node);
        if street.index() == 0 || self.tree().def().board_len(street) != board.len() {
            return Err(not_holdem());
        }
        let blocks = Blocks::new(self.tree(), &[node]);
        let won = self.respond_on(&blocks, board, false, &[(player, vec![weights.to_vec()])])?;
        Ok(won.into_iter().flatten().flatten().collect())
    }

    /// The winnings of the hands for each of the responders and each of the first nodes.
    fn respond_on(
        &self,
        blocks: &Blocks,
        board: &Board,
        symmetric: bool,
        players: &[(Player, Vec<Vec<f64>>)],
    ) -> Result<Vec<Vec<Won>>, Error> {
        let all = Range::uniform();
        let (def, ranges) = (self.tree().def(), [&all; 2]);
        let boards = Boards::new(&Table { def, board: board.set(), ranges, symmetric });
        let agent: Vec<_> = in_order(&boards, board)
            .iter()
            .zip(&boards.all)
            .map(|(order, board)| {
                let hands: Vec<Combo> = board.hands[0].all().collect();
                self.strategy.on_board(order, &hands)
            })
            .collect();
        let first = &boards.all[0].hands[0];
        let sizes = traversal::workspaces(blocks, &boards);
        let mut workspaces: Vec<_> = sizes.into_iter().map(Workspace::new).collect();
        let mut buffers = PassBuffers { workspaces: &mut workspaces, shares: Vec::new() };
        let respond = |(player, weights): &(Player, Vec<Vec<f64>>)| {
            let view = View { boards: &boards, player: *player };
            let pass = Pass { blocks, view, agent: &agent };
            let held = |of_combo: &Vec<f64>| first.all().map(|c| of_combo[c.index()]).collect();
            let weights: Vec<Vec<f64>> = weights.iter().map(held).collect();
            let won = pass.run(&weights, &mut buffers)?;
            Ok(won.into_iter().map(|won| first.all().zip(won).collect()).collect())
        };
        players.iter().map(respond).collect()
    }
}

/// The cards of all boards in the order in which they are dealt.
fn in_order(boards: &Boards, first: &Board) -> Vec<Board> {
    let mut found = vec![*first; boards.all.len()];
    // A board comes before those that follow it.
    for (at, board) in boards.all.iter().enumerate() {
        for next in &board.next {
            let mut longer = found[at];
            longer.push(next.cards[0].card);
            found[next.board] = longer;
        }
    }
    found
}

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
    fn new(strategy: &dyn TreeStrategy) -> Result<Preflop, Error> {
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
                    agent.probabilities(number, Combo::COUNT, &mut shares)?;
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
    /// hand, see [`FlopValues`].
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
fn by_hand(tree: &BettingTree, node: u32, shares: &[f32]) -> Result<Vec<ByHand>, Error> {
    let mut found = Vec::new();
    for row in shares.chunks(Combo::COUNT) {
        let mut by_hand = [f64::NAN; StartingHand::COUNT];
        for (combo, &share) in Combo::all().zip(row) {
            let known = &mut by_hand[combo.starting_hand().index()];
            if known.is_nan() {
                *known = share.into();
            } else if (*known - f64::from(share)).abs() > 1e-6 {
                return Err(Error::new(format!(
                    "after '{}' the agent does not play {combo} as it plays other suits of the \
                     same ranks: flops that differ by suits only cannot be treated as one",
                    tree.betting(node)
                )));
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
