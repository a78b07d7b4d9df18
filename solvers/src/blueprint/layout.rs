//! A betting tree as the traversal sees it: twelve bytes a node, and where each information set's numbers are.

use abstraction::betting::{BettingTree, NodeKind};
use game::Street;

use super::TrainerError;

/// Actions that a decision can have.
pub(super) const MOST_ACTIONS: usize = 12;

/// A decision or an end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// Of a decision its first child; of an end the bits of what seat 0 wins whatever the cards.
    first: u32,
    /// Of a decision where its slots begin; of an end the bits of what the better hand wins.
    base: u32,
    /// The seat to act, or [`END`].
    seat: u8,
    actions: u8,
    street: u8,
}

const END: u8 = 2;

impl Node {
    #[inline]
    pub(super) fn is_end(self) -> bool {
        self.seat == END
    }

    /// The seat to act at a decision.
    #[inline]
    pub(super) fn seat(self) -> usize {
        usize::from(self.seat & 1)
    }

    #[inline]
    pub(super) fn street(self) -> usize {
        usize::from(self.street & 3)
    }

    #[inline]
    pub(super) fn actions(self) -> usize {
        usize::from(self.actions)
    }

    #[inline]
    pub(super) fn first_child(self) -> u32 {
        self.first
    }

    /// The place of a bucket's first slot.
    #[inline]
    pub(super) fn place(self, bucket: u32) -> usize {
        self.base as usize + bucket as usize * self.actions()
    }

    /// What seat 0 wins at an end, in big blinds: `shown` is 1 when it has the better hand, −1 when the other
    /// has.
    #[inline]
    pub(super) fn won(self, shown: f32) -> f32 {
        f32::from_bits(self.first) + f32::from_bits(self.base) * shown
    }
}

/// A tree laid out for its numbers of buckets.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) nodes: Vec<Node>,
    /// Buckets of each street.
    pub(super) buckets: [u32; 4],
    /// Numbers kept: one for each action of each information set.
    pub(super) slots: u64,
    pub(super) infosets: u64,
}

impl Layout {
    /// Lays out the information sets of these seats; those of the others get no slots.
    pub(super) fn new(
        tree: &BettingTree,
        buckets: [u32; 4],
        seats: [bool; 2],
    ) -> Result<Layout, TrainerError> {
        let unit = tree.def().big_blind() as f32;
        let mut layout = Layout { nodes: Vec::new(), buckets, slots: 0, infosets: 0 };
        layout.nodes.reserve_exact(tree.nodes().len());
        for (number, node) in (0..).zip(tree.nodes()) {
            let committed = tree.committed(number).map(|chips| chips as f32 / unit);
            let laid = match node.kind {
                NodeKind::Decision { seat, street, .. } => {
                    let actions = node.children().len();
                    if actions > MOST_ACTIONS {
                        return Err(TrainerError::Actions {
                            betting: tree.betting(number),
                            found: actions,
                        });
                    }
                    let base = layout.slots;
                    if seats[usize::from(seat & 1)] {
                        let buckets = u64::from(buckets[usize::from(street & 3)]);
                        layout.infosets += buckets;
                        layout.slots += buckets * actions as u64;
                    }
                    Node {
                        first: node.children().start,
                        base: base as u32,
                        seat,
                        actions: actions as u8,
                        street,
                    }
                }
                NodeKind::Fold { winner } => {
                    let lost = committed[usize::from(1 - (winner & 1))];
                    end(if winner == 0 { lost } else { -lost }, 0.0)
                }
                // What one has put in beyond the other comes back.
                NodeKind::Showdown => end(0.0, committed[0].min(committed[1])),
            };
            layout.nodes.push(laid);
        }
        match u32::try_from(layout.slots) {
            Ok(_) => Ok(layout),
            Err(_) => Err(TrainerError::Slots { found: layout.slots }),
        }
    }

    /// The place and the number of actions of each information set, with its street.
    pub(super) fn each_infoset(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.nodes.iter().filter(|node| !node.is_end()).flat_map(|node| {
            let buckets = self.buckets[node.street()];
            (0..buckets).map(|bucket| (node.place(bucket), node.actions()))
        })
    }
}

fn end(always: f32, shown: f32) -> Node {
    Node { first: always.to_bits(), base: shown.to_bits(), seat: END, actions: 0, street: 0 }
}

/// The buckets of each street of a tree; streets that the game does not have get none.
pub(super) fn buckets_of(tree: &BettingTree, count: impl Fn(Street) -> u32) -> [u32; 4] {
    Street::ALL.map(|street| if tree.decisions(street) == 0 { 0 } else { count(street) })
}

#[cfg(test)]
impl Node {
    /// A decision before the flop.
    pub(super) fn decision(seat: u8, actions: u8, first_child: u32, base: u32) -> Node {
        Node { first: first_child, base, seat, actions, street: 0 }
    }

    /// An end with what seat 0 wins always, and what the better hand wins.
    pub(super) fn end(always: f32, shown: f32) -> Node {
        end(always, shown)
    }
}
