//! Where a traversal of a betting tree keeps its numbers: the positions of each information set's
//! slots, and what is won at the ends.
//!
//! A sampled traversal goes from node to node and does little at each, so all that it reads of a
//! node is in twelve bytes side by side, with a copy of what the tree knows: from the tree's own
//! arrays it would be three reads far apart.
//!
//! Numbers are stored in *rows*: one for each seat, street and bucket, with the slots of all the
//! seat's decisions on that street in tree order. A traversal uses one bucket for each seat and
//! street, and its decisions on a street are near each other in the tree, and so are their numbers
//! in memory.

use std::sync::Arc;

use abstraction::betting::{BettingTree, NodeKind};
use game::{SeatSet, Street};

use crate::Error;

/// Maximum number of actions of a decision.
pub const MAX_ACTIONS: usize = 12;

/// A decision or terminal node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// The first child of a decision; for a terminal node, the bits of seat 0's winnings that do
    /// not depend on the cards.
    first: u32,
    /// The offset of a decision's slots in its row; for a terminal node, the bits of the amount
    /// that the better hand wins.
    offset: u32,
    /// The acting seat, or [`END`].
    seat: u8,
    actions: u8,
    street: u8,
    /// The acting seat where there are more than two, all of which share the rows of seat 0.
    place: u8,
}

const END: u8 = 2;

impl Node {
    #[inline]
    pub(crate) fn is_end(self) -> bool {
        self.seat == END
    }

    /// The acting seat of a decision.
    #[inline]
    pub(crate) fn seat(self) -> usize {
        usize::from(self.seat & 1)
    }

    /// The acting seat of a decision of more than two players.
    #[inline]
    pub(crate) fn place(self) -> usize {
        usize::from(self.place)
    }

    #[inline]
    pub(crate) fn street(self) -> usize {
        usize::from(self.street & 3)
    }

    #[inline]
    pub(crate) fn actions(self) -> usize {
        usize::from(self.actions)
    }

    #[inline]
    pub(crate) fn first_child(self) -> u32 {
        self.first
    }

    /// The offset of a decision's slots in its row.
    #[inline]
    pub(crate) fn offset(self) -> usize {
        self.offset as usize
    }

    /// Seat 0's winnings at a terminal node, in the layout's units: `shown` is 1 when it has the
    /// better hand, −1 when the other has.
    #[inline]
    pub(crate) fn won(self, shown: f32) -> f32 {
        f32::from_bits(self.first) + f32::from_bits(self.offset) * shown
    }
}

/// A betting tree with the positions of its information sets' numbers.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) nodes: Vec<Node>,
    /// Number of buckets on each street.
    pub(crate) buckets: [u32; 4],
    /// For each seat and street, the start of its first row and the length of a row.
    rows: [[(u64, u64); 4]; 2],
    /// Total number of slots: one for each action of each information set.
    pub(crate) slots: u64,
    pub(crate) infosets: u64,
    /// What belongs to the nodes of more than two players.
    pub(crate) multiway: Option<Box<Multiway>>,
}

/// What a traversal reads of the nodes of more than two players, besides [`Node`].
#[derive(Debug, Clone)]
pub(crate) struct Multiway {
    pub(crate) players: usize,
    /// Chips of each seat, and in the pot, in the layout's units.
    chips: Vec<f32>,
    pots: Vec<f32>,
    /// The seats that have not folded, as bits.
    left: Vec<u16>,
    /// The node that each one joins, or itself.
    pub(crate) targets: Vec<u32>,
    /// The seat that acts at nodes that join another.
    pub(crate) from: Vec<u8>,
}

/// A set of seats as bits.
fn bits(seats: SeatSet) -> u16 {
    seats.iter().fold(0, |bits, seat| bits | 1 << seat.index())
}

impl Multiway {
    fn new(tree: &BettingTree, unit: f32) -> Multiway {
        let nodes = 0..tree.nodes().len() as u32;
        let chips = |node| tree.chips(node).iter().map(|&chips| chips as f32 / unit);
        Multiway {
            players: tree.def().players,
            chips: nodes.clone().flat_map(chips).collect(),
            pots: nodes.clone().map(|node| chips(node).sum()).collect(),
            left: nodes.clone().map(|node| bits(tree.left(node))).collect(),
            targets: nodes.clone().map(|node| tree.target(node)).collect(),
            from: nodes.map(|node| tree.first_around(node)).collect(),
        }
    }

    /// What a seat has put in at a node.
    #[inline]
    pub(crate) fn chips(&self, node: u32, seat: usize) -> f32 {
        self.chips[node as usize * self.players + seat]
    }

    /// Whether the seat has not folded.
    #[inline]
    pub(crate) fn has(&self, node: u32, seat: usize) -> bool {
        self.left[node as usize] >> seat & 1 == 1
    }

    /// The seats that have not folded, from this one on around the table.
    #[inline]
    pub(crate) fn around(&self, node: u32, from: usize) -> impl Iterator<Item = usize> {
        let left = self.left[node as usize];
        let (mut after, mut before) = (left >> from << from, left & !(u16::MAX << from));
        std::iter::from_fn(move || {
            let rest = if after != 0 { &mut after } else { &mut before };
            let seat = rest.trailing_zeros() as usize;
            *rest &= rest.wrapping_sub(1);
            (seat < 16).then_some(seat)
        })
    }

    /// Whether the hand is over at the node, or at the one that it joins.
    #[inline]
    pub(crate) fn is_end(&self, nodes: &[Node], node: u32) -> bool {
        nodes[self.targets[node as usize] as usize].is_end()
    }

    #[inline]
    pub(crate) fn pot(&self, node: u32) -> f32 {
        self.pots[node as usize]
    }
}

impl Layout {
    /// Lays out the information sets of these seats, with winnings in big blinds; other seats get
    /// no slots. With more than two players all seats have slots if the first has.
    pub(crate) fn new(
        tree: &BettingTree,
        buckets: [u32; 4],
        seats: [bool; 2],
    ) -> Result<Layout, Error> {
        Layout::in_units(tree, buckets, seats, tree.def().big_blind() as f32)
    }

    /// Lays out the information sets of both seats, with winnings in chips.
    pub(crate) fn in_chips(tree: &BettingTree, buckets: [u32; 4]) -> Result<Layout, Error> {
        Layout::in_units(tree, buckets, [true; 2], 1.0)
    }

    /// The same of a game of two, for what knows those alone.
    pub(crate) fn of_two(
        tree: &BettingTree,
        buckets: [u32; 4],
        seats: [bool; 2],
    ) -> Result<Layout, Error> {
        match tree.def().players {
            2 => Layout::new(tree, buckets, seats),
            players => Err(Error::new(format!(
                "this is measured with two players, and the game is for {players}"
            ))),
        }
    }

    fn in_units(
        tree: &BettingTree,
        buckets: [u32; 4],
        seats: [bool; 2],
        unit: f32,
    ) -> Result<Layout, Error> {
        let rows = [[(0, 0); 4]; 2];
        let several = tree.def().players > 2;
        let multiway = several.then(|| Box::new(Multiway::new(tree, unit)));
        let mut layout =
            Layout { nodes: Vec::new(), buckets, rows, slots: 0, infosets: 0, multiway };
        layout.nodes.reserve_exact(tree.nodes().len());
        for (number, node) in (0..).zip(tree.nodes()) {
            let committed = tree.committed(number).map(|chips| chips as f32 / unit);
            let laid = match node.kind {
                // Never read: whatever joins another node is left for that one.
                _ if tree.target(number) != number => end(0.0, 0.0),
                NodeKind::Decision { seat, street, .. } => {
                    let (place, seat) = (seat, if several { 0 } else { seat });
                    let actions = node.children().len();
                    if actions > MAX_ACTIONS {
                        return Err(Error::new(format!(
                            "the decision after `{}` has {actions} actions, but at most \
                             {MAX_ACTIONS} are possible: give the menu fewer sizes",
                            tree.betting(number)
                        )));
                    }
                    let (_, length) =
                        &mut layout.rows[usize::from(seat & 1)][usize::from(street & 3)];
                    let offset = *length as u32;
                    if seats[usize::from(seat & 1)] {
                        layout.infosets += u64::from(buckets[usize::from(street & 3)]);
                        *length += actions as u64;
                    }
                    let first = node.children().start;
                    Node { first, offset, seat, actions: actions as u8, street, place }
                }
                NodeKind::Fold { .. } | NodeKind::Showdown if several => end(0.0, 0.0),
                NodeKind::Fold { winner } => {
                    let lost = committed[usize::from(1 - (winner & 1))];
                    end(if winner == 0 { lost } else { -lost }, 0.0)
                }
                // An uncalled bet is returned.
                NodeKind::Showdown => end(0.0, committed[0].min(committed[1])),
            };
            layout.nodes.push(laid);
        }
        for (begin, length, buckets) in layout.rows.iter_mut().flat_map(|rows| {
            rows.iter_mut().zip(buckets).map(|((begin, length), buckets)| (begin, *length, buckets))
        }) {
            *begin = layout.slots;
            layout.slots += length * u64::from(buckets);
        }
        match u32::try_from(layout.slots) {
            Ok(_) => Ok(layout),
            Err(_) => Err(Error::new(format!(
                "the tables would have {} entries, but at most 4,294,967,295 are possible: take \
                 fewer buckets or a smaller menu",
                layout.slots
            ))),
        }
    }

    /// The start of a bucket's row.
    #[inline]
    pub(crate) fn row(&self, seat: usize, street: usize, bucket: u32) -> usize {
        let (begin, length) = self.rows[seat][street];
        (begin + length * u64::from(bucket)) as usize
    }

    /// The position of an information set's first slot.
    #[inline]
    pub(crate) fn first_slot(&self, node: Node, bucket: u32) -> usize {
        self.row(node.seat(), node.street(), bucket) + node.offset()
    }

    /// Each row: its start, and the numbers of actions of its information sets in order.
    pub(crate) fn each_row(&self) -> Vec<(usize, Arc<[u8]>)> {
        let mut actions: [[Vec<u8>; 4]; 2] = Default::default();
        for node in self.nodes.iter().filter(|node| !node.is_end()) {
            let row = &mut actions[node.seat()][node.street()];
            // Seats without slots have empty rows.
            if self.rows[node.seat()][node.street()].1 > 0 {
                row.push(node.actions);
            }
        }
        let mut rows = Vec::new();
        for (seat, streets) in actions.into_iter().enumerate() {
            for (street, actions) in streets.into_iter().enumerate() {
                let actions: Arc<[u8]> = actions.into();
                let of = |bucket| (self.row(seat, street, bucket), Arc::clone(&actions));
                rows.extend((0..self.buckets[street]).map(of));
            }
        }
        rows
    }

    /// The position and number of actions of each information set.
    pub(crate) fn each_infoset(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.nodes.iter().filter(|node| !node.is_end()).flat_map(|node| {
            let buckets = self.buckets[node.street()];
            (0..buckets).map(|bucket| (self.first_slot(*node, bucket), node.actions()))
        })
    }
}

fn end(always: f32, shown: f32) -> Node {
    Node {
        first: always.to_bits(),
        offset: shown.to_bits(),
        seat: END,
        actions: 0,
        street: 0,
        place: 0,
    }
}

/// The number of buckets on each street of a tree; 0 on streets that the game does not have.
pub(crate) fn buckets_of(tree: &BettingTree, count: impl Fn(Street) -> u32) -> [u32; 4] {
    Street::ALL.map(|street| if tree.decisions(street) == 0 { 0 } else { count(street) })
}

#[cfg(test)]
impl Node {
    /// A preflop decision with this offset.
    pub(crate) fn decision(seat: u8, actions: u8, first_child: u32, offset: u32) -> Node {
        Node { first: first_child, offset, seat, actions, street: 0, place: seat }
    }

    /// A terminal node: seat 0's fixed winnings, and the amount for the better hand.
    pub(crate) fn end(always: f32, shown: f32) -> Node {
        end(always, shown)
    }
}

#[cfg(test)]
impl Layout {
    /// A one-street game with two information sets of two actions for each bucket, one for each
    /// seat.
    pub(crate) fn two_decisions(nodes: Vec<Node>, buckets: u32) -> Layout {
        let count = u64::from(buckets);
        let mut rows = [[(0, 0); 4]; 2];
        rows[0][0] = (0, 2);
        rows[1][0] = (2 * count, 2);
        let buckets = [buckets, 0, 0, 0];
        Layout { nodes, buckets, rows, slots: 4 * count, infosets: 2 * count, multiway: None }
    }
}
