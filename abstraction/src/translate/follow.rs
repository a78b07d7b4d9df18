//! Following a hand in a betting tree.

use std::iter;

use game::{Action, Betting, Chips, Played, PublicState, Seat};
use smallvec::{SmallVec, smallvec};

use super::chips::Stand;
use super::neighbours;
use crate::betting::{BettingTree, NodeKind};

/// Where a hand stands in a tree, seen by the seat that is to act in the hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// At this decision of the seat, on the same street.
    At(u32),
    /// Nowhere, because the tree's street or hand was over before the hand's: a raise was made
    /// where the menu has none. The node is the one that the tree's betting reached.
    Ahead(u32),
}

/// A hand followed in a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Followed {
    /// Where it stands.
    pub place: Place,
    /// Raises of the hand that the tree does not have and that were read as something else.
    pub off_tree: u32,
    /// Decisions of the seat on the way there: the node, and the place of what it did among the
    /// node's actions.
    pub own: SmallVec<[(u32, u32); 4]>,
    stand: Stand,
}

/// One way to read a hand in which bets were made that the tree does not have.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Where the hand stands, read so.
    pub followed: Followed,
    /// The probability that the other seat's bets are read so.
    pub probability: f64,
}

/// Follows a hand between two players from its start to its present state, in which `seat` is to
/// act.
///
/// The tree must be of the same game, quirks aside. A raise of the other seat that is off the tree
/// is [translated](self): `point` gives, for the place of the action in the hand's history, the
/// point in `[0, 1)` at which it is drawn. ½ for every place is the deterministic form. A raise of
/// the seat's own is read as the one it was the [answer](Followed::answer) for.
pub fn follow(
    tree: &BettingTree,
    public: &PublicState,
    seat: Seat,
    point: &mut dyn FnMut(usize) -> f64,
) -> Followed {
    let mut walk = Walk::new(tree);
    for (index, played) in public.history().iter().enumerate() {
        match walk.step(tree, played, seat) {
            Step::Ahead => {}
            Step::To(place) => walk.take(tree, place, played, seat),
            Step::Between { smaller, probability } => {
                let larger = u32::from(point(index) >= probability);
                walk.take(tree, smaller + larger, played, seat);
            }
        }
        walk.followed.stand.play(tree.def(), played.seat.index(), played.action);
    }
    walk.end(tree, public, seat)
}

/// Follows a hand in all ways in which its bets may be read, at most `most` of them (at least one).
///
/// Each raise of the other seat between two sizes of the tree doubles the readings; while there are
/// more than `most`, the least probable are left out. Probabilities sum to one over those that are
/// left. All else is as in [`follow`]; the work is that of so many walks.
pub fn readings(
    tree: &BettingTree,
    public: &PublicState,
    seat: Seat,
    most: usize,
) -> SmallVec<[Reading; 1]> {
    let mut walks: SmallVec<[(Walk, f64); 1]> = smallvec![(Walk::new(tree), 1.0)];
    for played in public.history() {
        for at in 0..walks.len() {
            let (walk, weight) = &mut walks[at];
            match walk.step(tree, played, seat) {
                Step::Ahead => {}
                Step::To(place) => walk.take(tree, place, played, seat),
                Step::Between { smaller, probability } => {
                    let mut other = (walk.clone(), *weight * (1.0 - probability));
                    walk.take(tree, smaller, played, seat);
                    *weight *= probability;
                    other.0.take(tree, smaller + 1, played, seat);
                    walks.push(other);
                }
            }
        }
        if walks.len() > most.max(1) {
            // The sort keeps the order of what is equally probable.
            walks.sort_by(|a, b| b.1.total_cmp(&a.1));
            walks.truncate(most.max(1));
        }
        for (walk, _) in &mut walks {
            walk.followed.stand.play(tree.def(), played.seat.index(), played.action);
        }
    }
    let sum: f64 = walks.iter().map(|(_, weight)| weight).sum();
    let reading = |(walk, weight): (Walk, f64)| Reading {
        followed: walk.end(tree, public, seat),
        probability: weight / sum,
    };
    walks.into_iter().map(reading).collect()
}

/// The node of a tree that a hand between two players has reached, as somebody reads it who plays
/// neither seat: each raise off the tree, whoever made it, as the likelier of the two that it lies
/// between. Where the tree's street or hand was over before the hand's, the node at which it was.
pub fn reached(tree: &BettingTree, public: &PublicState) -> u32 {
    let nobody = Seat::new(2).expect("games have up to ten seats");
    let (Place::At(node) | Place::Ahead(node)) = follow(tree, public, nobody, &mut |_| 0.5).place;
    node
}

/// A hand on its way through a tree.
#[derive(Debug, Clone)]
struct Walk {
    node: u32,
    followed: Followed,
}

/// Where an action of the hand may lead.
enum Step {
    /// Nowhere: the tree is ahead.
    Ahead,
    /// To the action of the tree at this place.
    To(u32),
    /// To a call or a smaller raise with this probability, strictly between 0 and 1, or else to the
    /// next larger raise.
    Between { smaller: u32, probability: f64 },
}

impl Walk {
    fn new(tree: &BettingTree) -> Walk {
        let place = Place::At(BettingTree::ROOT);
        let stand = Stand::new(tree.def());
        let followed = Followed { place, off_tree: 0, own: SmallVec::new(), stand };
        Walk { node: BettingTree::ROOT, followed }
    }

    /// What an action of the hand may be in the tree.
    fn step(&self, tree: &BettingTree, played: &Played, own: Seat) -> Step {
        let NodeKind::Decision { seat, street, .. } = tree.node(self.node).kind else {
            return Step::Ahead;
        };
        if usize::from(seat) != played.seat.index() || usize::from(street) != played.street.index()
        {
            return Step::Ahead;
        }
        let actions = tree.actions(self.node);
        let place =
            |wanted| actions.iter().position(|&action| action == wanted).map(|place| place as u32);
        let exact = place(played.action);
        let total = match played.action {
            Action::RaiseTo(total) => total,
            // A fold is on the menu wherever something is owed, a call everywhere.
            Action::Fold | Action::Call => return exact.map_or(Step::Ahead, Step::To),
        };
        let same_chips = tree.committed(self.node) == self.followed.stand.committed;
        if let Some(place) = exact.filter(|_| same_chips) {
            return Step::To(place);
        }
        let first = actions.iter().position(|action| matches!(action, Action::RaiseTo(_)));
        let Some(first) = first else {
            return place(Action::Call).map_or(Step::Ahead, Step::To);
        };
        let totals = raises(&actions[first..]);
        if played.seat == own {
            Step::To((first + self.followed.own_raise(tree, self.node, &totals, total)) as u32)
        } else {
            self.followed.read_raise(tree, self.node, &totals, total, first as u32)
        }
    }

    /// Goes on with the action of the tree at a place.
    fn take(&mut self, tree: &BettingTree, place: u32, played: &Played, own: Seat) {
        let action = tree.actions(self.node)[place as usize];
        let same_chips = tree.committed(self.node) == self.followed.stand.committed;
        let raised = matches!(played.action, Action::RaiseTo(_));
        self.followed.off_tree += u32::from(raised && (action != played.action || !same_chips));
        if played.seat == own {
            self.followed.own.push((self.node, place));
        }
        self.node = tree.node(self.node).children().start + place;
    }

    /// Where it ends.
    fn end(mut self, tree: &BettingTree, public: &PublicState, seat: Seat) -> Followed {
        self.followed.place = match tree.node(self.node).kind {
            NodeKind::Decision { seat: at, street, .. }
                if usize::from(at) == seat.index()
                    && usize::from(street) == public.street().index() =>
            {
                Place::At(self.node)
            }
            _ => Place::Ahead(self.node),
        };
        self.followed
    }
}

impl Followed {
    /// Which of the tree's raises, the first of which has this place, or the call before them, a
    /// raise of the other seat may be read as.
    fn read_raise(
        &self,
        tree: &BettingTree,
        node: u32,
        totals: &[Chips],
        total: Chips,
        first: u32,
    ) -> Step {
        if tree.def().betting == Betting::Limit {
            return Step::To(first + totals.len() as u32 - 1);
        }
        let seat = seat_of(tree, node);
        let theirs = Stand::of(tree.committed(node));
        // All-in, too, is as large as the share of the pot that it is in the tree: who has more in
        // the pot than the tree knows, and little left, must not find somebody who folds as to all
        // that the tree has left.
        let share = |&total: &Chips| theirs.share(seat, total);
        // A call, which stands before the raises, is a raise of nothing.
        let shares: SmallVec<[f64; 8]> = iter::once(0.0).chain(totals.iter().map(share)).collect();
        let call = first - 1;
        match neighbours(&shares, self.stand.share(seat, total)) {
            (smaller, 1.0) => Step::To(call + smaller as u32),
            (smaller, probability) => Step::Between { smaller: call + smaller as u32, probability },
        }
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

    /// The action in the hand that an action of the tree stands for at the decision that was
    /// reached: the same share of the pot, all-in for all-in, and always one that the rules allow.
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
