//! Following a hand in a betting tree.

use game::{Action, Betting, Chips, Played, PublicState, Seat};
use smallvec::SmallVec;

use super::chips::Stand;
use super::translate;
use crate::betting::{BettingTree, NodeKind};

/// Where a hand stands in a tree, seen by the seat that is to act in the hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// At this decision of the seat, on the same street.
    At(u32),
    /// Nowhere, because the tree's street or hand was over before the hand's: a raise was made where the
    /// menu has none. The node is the one that the tree's betting reached.
    Ahead(u32),
}

/// A hand followed in a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Followed {
    /// Where it stands.
    pub place: Place,
    /// Raises of the hand that the tree does not have and that were read as something else.
    pub off_tree: u32,
    stand: Stand,
}

/// Follows a hand between two players from its start to its present state, in which `seat` is to act.
///
/// The tree must be of the same game, quirks aside. A raise of the other seat that is off the tree is
/// [translated](self): `point` gives, for the place of the action in the hand's history, the point in `[0, 1)`
/// at which it is drawn, the same whenever it is asked for the same hand. ½ for every place is the
/// deterministic form. A raise of the seat's own is read as the one it was the [answer](Followed::answer) for.
pub fn follow(
    tree: &BettingTree,
    public: &PublicState,
    seat: Seat,
    point: &mut dyn FnMut(usize) -> f64,
) -> Followed {
    let mut followed = Followed {
        place: Place::At(BettingTree::ROOT),
        off_tree: 0,
        stand: Stand::new(tree.def()),
    };
    let mut node = BettingTree::ROOT;
    for (index, played) in public.history().iter().enumerate() {
        if let Some(next) = followed.step(tree, node, played, seat, || point(index)) {
            node = next;
        }
        followed.stand.play(tree.def(), played.seat.index(), played.action);
    }
    followed.place = match tree.node(node).kind {
        NodeKind::Decision { seat: at, street, .. }
            if usize::from(at) == seat.index()
                && usize::from(street) == public.street().index() =>
        {
            Place::At(node)
        }
        _ => Place::Ahead(node),
    };
    followed
}

impl Followed {
    /// The node that the hand's action leads to; `None` when the tree is ahead.
    fn step(
        &mut self,
        tree: &BettingTree,
        node: u32,
        played: &Played,
        own: Seat,
        point: impl FnOnce() -> f64,
    ) -> Option<u32> {
        let NodeKind::Decision { seat, street, .. } = tree.node(node).kind else { return None };
        if usize::from(seat) != played.seat.index() || usize::from(street) != played.street.index()
        {
            return None;
        }
        let actions = tree.actions(node);
        let children = tree.node(node).children();
        let at = |place: usize| children.start + place as u32;
        let exact = actions.iter().position(|&action| action == played.action);
        let total = match played.action {
            Action::RaiseTo(total) => total,
            // A fold is on the menu wherever something is owed, a call everywhere.
            Action::Fold | Action::Call => return exact.map(at),
        };
        let same_chips = tree.committed(node) == self.stand.committed;
        if let Some(place) = exact.filter(|_| same_chips) {
            return Some(at(place));
        }
        self.off_tree += 1;
        let first = actions.iter().position(|action| matches!(action, Action::RaiseTo(_)));
        let Some(first) = first else {
            return actions.iter().position(|&action| action == Action::Call).map(at);
        };
        let totals = raises(&actions[first..]);
        let read = if played.seat == own {
            self.own_raise(tree, node, &totals, total)
        } else {
            self.read_raise(tree, node, &totals, total, point)
        };
        Some(at(first + read))
    }

    /// Which of the tree's raises a raise of the other seat is read as.
    fn read_raise(
        &self,
        tree: &BettingTree,
        node: u32,
        totals: &[Chips],
        total: Chips,
        point: impl FnOnce() -> f64,
    ) -> usize {
        let last = totals.len() - 1;
        let all_in = all_in(tree);
        if last == 0 || (total >= all_in && totals[last] >= all_in) {
            return last;
        }
        let seat = seat_of(tree, node);
        let theirs = Stand::of(tree.committed(node));
        // All-in is as large as it is in the hand, whatever it is in the tree.
        let largest = self.stand.share(seat, all_in);
        let share = |&total: &Chips| {
            if total >= all_in { largest } else { theirs.share(seat, total).min(largest) }
        };
        let shares: SmallVec<[f64; 8]> = totals.iter().map(share).collect();
        translate(&shares, self.stand.share(seat, total), point())
    }

    /// Which of the tree's raises comes nearest to what the seat itself raised to.
    fn own_raise(&self, tree: &BettingTree, node: u32, totals: &[Chips], total: Chips) -> usize {
        let distance = |&theirs: &Chips| self.in_hand(tree, node, theirs).abs_diff(total);
        let nearest = (0..totals.len()).min_by_key(|&place| distance(&totals[place]));
        nearest.expect("at least one raise")
    }

    /// The total in the hand that a raise of the tree stands for, legal or not.
    fn in_hand(&self, tree: &BettingTree, node: u32, total: Chips) -> Chips {
        let committed = tree.committed(node);
        let seat = seat_of(tree, node);
        if committed == self.stand.committed {
            return total;
        }
        if total >= all_in(tree) {
            return tree.def().stacks[seat];
        }
        self.stand.total(seat, Stand::of(committed).share(seat, total))
    }

    /// The action in the hand that an action of the tree stands for at the decision that was reached: the same
    /// share of the pot, all-in for all-in, and always one that the rules allow.
    pub fn answer(&self, tree: &BettingTree, public: &PublicState, action: Action) -> Action {
        let legal = public.legal();
        match (action, self.place) {
            (Action::RaiseTo(total), Place::At(node)) if tree.def().betting == Betting::NoLimit => {
                legal.nearest(Action::RaiseTo(self.in_hand(tree, node, total)))
            }
            _ => legal.nearest(action),
        }
    }
}

/// The total from which a raise puts somebody all-in.
fn all_in(tree: &BettingTree) -> Chips {
    tree.def().stacks[0].min(tree.def().stacks[1])
}

fn seat_of(tree: &BettingTree, node: u32) -> usize {
    match tree.node(node).kind {
        NodeKind::Decision { seat, .. } => seat.into(),
        NodeKind::Showdown | NodeKind::Fold { .. } => 0,
    }
}

/// The totals of raises, which stand last among the actions of a node.
fn raises(actions: &[Action]) -> SmallVec<[Chips; 8]> {
    let totals = actions.iter().filter_map(|action| match action {
        Action::RaiseTo(total) => Some(*total),
        Action::Fold | Action::Call => None,
    });
    totals.collect()
}
