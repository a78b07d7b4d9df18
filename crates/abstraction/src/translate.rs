//! Action translation: mapping off-tree bets to bets of the abstract game.
//!
//! A bet `x` between two sizes `A < B` of the menu, all as shares of the pot, is read as `A` with
//! the *pseudo-harmonic* probability
//!
//! `f(x) = (B − x)(1 + A) / ((B − A)(1 + x))`
//!
//! (Ganzfried & Sandholm, "Action Translation in Extensive-Form Games with Large Action Spaces",
//! IJCAI 2013, section 6). This denies an opponent the gain of betting just off the menu: `f(A)` is
//! 1, `f(B)` is 0, `f` decreases monotonically in between, does not depend on the unit of chips,
//! and is ½ at `(A + B + 2AB) / (2 + A + B)`. A bet below the smallest size lies between that and a
//! check or call, a bet of size zero: a bet of a tenth of the pot must not meet as many folds as
//! one of a third. A bet above the largest size is read as that.
//!
//! [`follow()`] maps a whole hand to a position in a [`BettingTree`], [`readings`] gives all its
//! interpretations, [`reached`] the position for an observer; [`Followed::answer`] turns an action
//! of the tree into a legal one of the hand.

use std::iter;

use game::{Action, Betting, Chips, GameDef, Played, PublicState, Seat};
use smallvec::{SmallVec, smallvec};

use crate::betting::{BettingTree, NodeKind};

/// The probability that a bet is read as the smaller of two sizes; all are shares of the pot.
///
/// The smaller must be less than the larger; outside them it is 1 or 0.
pub fn pseudo_harmonic(smaller: f64, larger: f64, bet: f64) -> f64 {
    if bet <= smaller {
        return 1.0;
    }
    if bet >= larger {
        return 0.0;
    }
    (larger - bet) * (1.0 + smaller) / ((larger - smaller) * (1.0 + bet))
}

/// The index of the size that a bet is read as, for a point drawn uniformly from `[0, 1)`. `sizes`
/// are shares of the pot in ascending order, at least one. At the point ½ the likelier of the two
/// neighbours is taken, which is the deterministic form.
pub fn translate(sizes: &[f64], bet: f64, point: f64) -> usize {
    let (smaller, probability) = neighbours(sizes, bet);
    smaller + usize::from(point >= probability)
}

/// The index of the smaller of the two sizes that a bet may be read as, and its probability; 1
/// where there is no other. At probability 0 the bet equals the next size.
pub(crate) fn neighbours(sizes: &[f64], bet: f64) -> (usize, f64) {
    let above = sizes.partition_point(|&size| size <= bet);
    match (above, sizes.get(above)) {
        (0, _) => (0, 1.0),
        (_, Some(&larger)) => (above - 1, pseudo_harmonic(sizes[above - 1], larger, bet)),
        (_, None) => (above - 1, 1.0),
    }
}

/// The position of a hand in a tree, for the seat that is to act in the hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreePosition {
    /// At this decision of the seat, on the same street.
    At(u32),
    /// No decision matches: the tree's street or hand ended before the hand's, because a raise was
    /// made where the menu has none. The node is the last one reached.
    Ahead(u32),
}

/// A hand mapped to a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Followed {
    /// The position reached.
    pub position: TreePosition,
    /// Number of the hand's raises that are not in the tree and were translated.
    pub off_tree: u32,
    /// The seat's own decisions on the path: the node, and the index of its action there.
    pub own: SmallVec<[(u32, u32); 4]>,
    chips_in: ChipsIn,
}

/// One interpretation of a hand with off-tree bets.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The hand's position under this interpretation.
    pub followed: Followed,
    /// The probability of this translation of the other seat's bets.
    pub probability: f64,
}

/// Maps a two-player hand from its start to its present state, in which `seat` is to act, to the
/// tree.
///
/// The tree must be of the same game, quirks aside. An off-tree raise of the other seat is
/// [translated](self): `point` gives, for the action's index in the hand's history, the point in
/// `[0, 1)` at which the translation is drawn. ½ for every index is the deterministic form. A raise
/// of the seat's own is read as the one that it was the [answer](Followed::answer) for.
pub fn follow(
    tree: &BettingTree,
    public: &PublicState,
    seat: Seat,
    point: &mut dyn FnMut(usize) -> f64,
) -> Followed {
    let mut walk = Walk::new(tree);
    for (number, played) in public.history().iter().enumerate() {
        match walk.step(tree, played, seat) {
            Step::Ahead => {}
            Step::To(index) => walk.take(tree, index, played, seat),
            Step::Between { smaller, probability } => {
                let larger = u32::from(point(number) >= probability);
                walk.take(tree, smaller + larger, played, seat);
            }
        }
        walk.followed.chips_in.play(tree.def(), played.seat.index(), played.action);
    }
    walk.end(tree, public, seat)
}

/// All interpretations of a hand, at most `most` of them (at least one).
///
/// Each raise of the other seat between two sizes of the tree doubles their number; beyond `most`
/// the least probable are dropped. Probabilities are normalised over those that are left. All else
/// is as in [`follow`]; the work is that of one walk for each.
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
                Step::To(index) => walk.take(tree, index, played, seat),
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
            // The sort is stable.
            walks.sort_by(|a, b| b.1.total_cmp(&a.1));
            walks.truncate(most.max(1));
        }
        for (walk, _) in &mut walks {
            walk.followed.chips_in.play(tree.def(), played.seat.index(), played.action);
        }
    }
    let sum: f64 = walks.iter().map(|(_, weight)| weight).sum();
    let reading = |(walk, weight): (Walk, f64)| Reading {
        followed: walk.end(tree, public, seat),
        probability: weight / sum,
    };
    walks.into_iter().map(reading).collect()
}

/// The node that a two-player hand reaches for an observer: each off-tree raise of either seat is
/// read as the likelier of its two neighbours. Where the tree's street or hand ended before the
/// hand's, the last node reached.
pub fn reached(tree: &BettingTree, public: &PublicState) -> u32 {
    let nobody = Seat::new(2).expect("games have up to ten seats");
    let (TreePosition::At(node) | TreePosition::Ahead(node)) =
        follow(tree, public, nobody, &mut |_| 0.5).position;
    node
}

/// The state of mapping a hand to a tree.
#[derive(Debug, Clone)]
struct Walk {
    node: u32,
    followed: Followed,
}

/// The translation of one action of the hand.
enum Step {
    /// None: the tree's street or hand has ended already.
    Ahead,
    /// The tree's action with this index.
    To(u32),
    /// A call or smaller raise with this probability, strictly between 0 and 1, or else the next
    /// larger raise.
    Between { smaller: u32, probability: f64 },
}

impl Walk {
    fn new(tree: &BettingTree) -> Walk {
        let position = TreePosition::At(BettingTree::ROOT);
        let chips_in = ChipsIn::new(tree.def());
        let followed = Followed { position, off_tree: 0, own: SmallVec::new(), chips_in };
        Walk { node: BettingTree::ROOT, followed }
    }

    /// The translation of an action of the hand at the current node.
    fn step(&self, tree: &BettingTree, played: &Played, own: Seat) -> Step {
        let NodeKind::Decision { seat, street, .. } = tree.node(self.node).kind else {
            return Step::Ahead;
        };
        if usize::from(seat) != played.seat.index() || usize::from(street) != played.street.index()
        {
            return Step::Ahead;
        }
        let actions = tree.actions(self.node);
        let index =
            |wanted| actions.iter().position(|&action| action == wanted).map(|index| index as u32);
        let exact = index(played.action);
        let total = match played.action {
            Action::RaiseTo(total) => total,
            // A fold is on the menu wherever something is owed, and a call everywhere.
            Action::Fold | Action::Call => return exact.map_or(Step::Ahead, Step::To),
        };
        let same_chips = tree.committed(self.node) == self.followed.chips_in.committed;
        if let Some(index) = exact.filter(|_| same_chips) {
            return Step::To(index);
        }
        let first = actions.iter().position(|action| matches!(action, Action::RaiseTo(_)));
        let Some(first) = first else {
            return index(Action::Call).map_or(Step::Ahead, Step::To);
        };
        let totals = raises(&actions[first..]);
        if played.seat == own {
            Step::To((first + self.followed.own_raise(tree, self.node, &totals, total)) as u32)
        } else {
            self.followed.read_raise(tree, self.node, &totals, total, first as u32)
        }
    }

    /// Advances by the tree's action with this index.
    fn take(&mut self, tree: &BettingTree, index: u32, played: &Played, own: Seat) {
        let action = tree.actions(self.node)[index as usize];
        let same_chips = tree.committed(self.node) == self.followed.chips_in.committed;
        let raised = matches!(played.action, Action::RaiseTo(_));
        self.followed.off_tree += u32::from(raised && (action != played.action || !same_chips));
        if played.seat == own {
            self.followed.own.push((self.node, index));
        }
        self.node = tree.node(self.node).children().start + index;
    }

    /// Finishes the walk and sets the position.
    fn end(mut self, tree: &BettingTree, public: &PublicState, seat: Seat) -> Followed {
        self.followed.position = match tree.node(self.node).kind {
            NodeKind::Decision { seat: at, street, .. }
                if usize::from(at) == seat.index()
                    && usize::from(street) == public.street().index() =>
            {
                TreePosition::At(self.node)
            }
            _ => TreePosition::Ahead(self.node),
        };
        self.followed
    }
}

impl Followed {
    /// The translation of a raise of the other seat, to the tree's raises, of which `first` is the
    /// index of the first, or the call before them.
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
        let theirs = ChipsIn::from_committed(tree.committed(node));
        // All-in is measured by its share of the pot in the tree, too: a player with more in the
        // pot than the tree knows, and little left, must not be met with the folds of the tree's
        // full all-in.
        let share = |&total: &Chips| theirs.share(seat, total);
        // A call, which precedes the raises, is a raise of size zero.
        let shares: SmallVec<[f64; 8]> = iter::once(0.0).chain(totals.iter().map(share)).collect();
        let call = first - 1;
        match neighbours(&shares, self.chips_in.share(seat, total)) {
            (smaller, 1.0) => Step::To(call + smaller as u32),
            (smaller, probability) => Step::Between { smaller: call + smaller as u32, probability },
        }
    }

    /// The index of the tree's raise that is nearest to the seat's own raise.
    fn own_raise(&self, tree: &BettingTree, node: u32, totals: &[Chips], total: Chips) -> usize {
        let distance = |&theirs: &Chips| self.in_hand(tree, node, theirs).abs_diff(total);
        let nearest = (0..totals.len()).min_by_key(|&index| distance(&totals[index]));
        nearest.expect("at least one raise")
    }

    /// The total in the hand that a raise of the tree stands for, legal or not.
    fn in_hand(&self, tree: &BettingTree, node: u32, total: Chips) -> Chips {
        let committed = tree.committed(node);
        let seat = seat_of(tree, node);
        if committed == self.chips_in.committed {
            return total;
        }
        if total >= all_in(tree) {
            return tree.def().stacks[seat];
        }
        self.chips_in.total(seat, ChipsIn::from_committed(committed).share(seat, total))
    }

    /// The legal action in the hand that an action of the tree stands for at the reached decision:
    /// the same share of the pot, and all-in for all-in.
    pub fn answer(&self, tree: &BettingTree, public: &PublicState, action: Action) -> Action {
        let legal = public.legal();
        match (action, self.position) {
            (Action::RaiseTo(total), TreePosition::At(node))
                if tree.def().betting == Betting::NoLimit =>
            {
                legal.nearest(Action::RaiseTo(self.in_hand(tree, node, total)))
            }
            _ => legal.nearest(action),
        }
    }
}

/// The total from which a raise puts a player all-in.
fn all_in(tree: &BettingTree) -> Chips {
    tree.def().stacks[0].min(tree.def().stacks[1])
}

fn seat_of(tree: &BettingTree, node: u32) -> usize {
    match tree.node(node).kind {
        NodeKind::Decision { seat, .. } => seat.into(),
        NodeKind::Showdown | NodeKind::Fold { .. } => 0,
    }
}

/// The totals of the raises, which are last among the actions of a node.
fn raises(actions: &[Action]) -> SmallVec<[Chips; 8]> {
    let totals = actions.iter().filter_map(|action| match action {
        Action::RaiseTo(total) => Some(*total),
        Action::Fold | Action::Call => None,
    });
    totals.collect()
}

/// The chips that both seats have put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ChipsIn {
    committed: [Chips; 2],
    highest: Chips,
}

impl ChipsIn {
    /// The chips after the blinds.
    fn new(def: &GameDef) -> ChipsIn {
        let committed = [def.blinds[0], def.blinds[1]];
        ChipsIn::from_committed(committed)
    }

    /// The account for these chips.
    fn from_committed(committed: [Chips; 2]) -> ChipsIn {
        ChipsIn { committed, highest: committed[0].max(committed[1]) }
    }

    /// Records an action of a seat.
    fn play(&mut self, def: &GameDef, seat: usize, action: Action) {
        match action {
            Action::Fold => {}
            Action::Call => self.committed[seat] = self.highest.min(def.stacks[seat]),
            Action::RaiseTo(total) => {
                self.highest = total;
                self.committed[seat] = total;
            }
        }
    }

    /// The size of a raise to this total, as a share of the pot after a call.
    fn share(&self, seat: usize, total: Chips) -> f64 {
        f64::from(total.saturating_sub(self.highest)) / self.called_pot(seat)
    }

    /// The total of a raise by this share, rounded to the nearest chip.
    fn total(&self, seat: usize, share: f64) -> Chips {
        // The conversion saturates.
        (f64::from(self.highest) + share * self.called_pot(seat)).round() as Chips
    }

    /// The pot after a call of the seat, at least one chip.
    fn called_pot(&self, seat: usize) -> f64 {
        (f64::from(self.committed[1 - seat]) + f64::from(self.highest)).max(1.0)
    }
}
