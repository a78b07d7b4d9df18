//! Betting for more than two players: places that are alike are one.
//!
//! The betting tree of three players with a few bet sizes has more decisions than memory has room
//! for, and that of six more than any disk. So places with the same key share their decision
//! and all that follows. The first one visited stands for the others, which *join* it: what is
//! remembered of the betting is
//!
//! - at the beginning of a street: how many players are left, the pot in relation to the chips
//!   behind, and which of up to three, in their order of acting, raised last on the street before;
//! - within a street, besides the place where it began: how many players are left, the position of
//!   the one to act among them, how many of them have yet to act, the number of raises, the bet,
//!   and the pot in relation to the chips behind; before the flop also who is left.
//!
//! What is forgotten is who folded, who put in the chips that are in the middle, and the betting of
//! earlier streets. A place that joins another has the same players in the same order from the one
//! to act on, and about the same share of their chips in the pot: winnings after it are those
//! after the place that it joins, times the ratio of the pots.
//!
//! All players have the same stack, so nobody is all-in with less than the others, and there are
//! no side pots. [`places`] finds the place of a hand as it was played: by the key at the beginning
//! of its street, whatever the betting before, and by translation of that of the street.

use std::collections::HashMap;

use game::{Action, Chips, PublicState, Seat, SeatSet, Street, Turn};
use smallvec::{SmallVec, smallvec};

use crate::betting::{After, BettingTree, NodeKind};
use crate::translate::neighbours;

/// What is remembered of the betting before a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Key {
    /// At the first decision of a street.
    Begin(Begin),
    /// At a later one.
    Within {
        /// The node of the street's first decision.
        begin: u32,
        /// Who is left and who acts, before the flop.
        seats: Option<(u16, u8)>,
        /// Number of players left, of those of them who have yet to act, and of those before the
        /// one who acts, in the street's order.
        left: u8,
        waiting: u8,
        before: u8,
        raises: u8,
        highest: Chips,
        depth: u8,
    },
}

/// What is remembered at the first decision of a street.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Begin {
    street: u8,
    left: u8,
    /// The place among up to three of the player who raised last on the street before.
    leader: Option<u8>,
    depth: u8,
}

/// The order of the players left, from the first to act on the street on.
fn in_order(state: &PublicState) -> SmallVec<[Seat; 10]> {
    let def = state.def();
    let first = def.first_to_act[state.street().index()];
    let seats = (0..def.players).filter_map(|k| Seat::new((first + k) % def.players));
    let left = state.remaining();
    seats.filter(|&seat| left.contains(seat)).collect()
}

/// The class of the chips behind in relation to the pot: three for each factor of four.
fn depth(state: &PublicState, seat: Seat) -> u8 {
    let (stack, pot) = (u128::from(state.effective_stack(seat)), u128::from(state.pot().max(1)));
    let ratio = (256 * stack / pot).clamp(1, 1 << 20);
    (ratio.pow(3).ilog2() / 2) as u8
}

impl Key {
    /// The key of a state; `None` where nobody acts. `begin` is the node of its street's first
    /// decision.
    pub(crate) fn new(state: &PublicState, begin: u32) -> Option<Key> {
        let Turn::Act(seat) = state.turn() else { return None };
        let actions = state.street_history();
        if actions.is_empty() {
            return Begin::new(state).map(Key::Begin);
        }
        let raised = |action: Action| matches!(action, Action::RaiseTo(_));
        let from = actions.iter().rposition(|played| raised(played.action)).unwrap_or_default();
        let mut done = SeatSet::EMPTY;
        actions[from..].iter().for_each(|played| done.insert(played.seat));
        let order = in_order(state);
        let before = order.iter().position(|&other| other == seat).unwrap_or_default();
        let mask = || state.remaining().iter().fold(0u16, |mask, seat| mask | 1 << seat.index());
        let early = state.street() == Street::Preflop;
        Some(Key::Within {
            begin,
            seats: early.then(|| (mask(), seat.index() as u8)),
            left: order.len() as u8,
            waiting: state.able().without(done).len() as u8,
            before: before as u8,
            raises: state.raises() as u8,
            highest: state.highest(),
            depth: depth(state, seat),
        })
    }
}

impl Begin {
    /// The key at the first decision of a street.
    fn new(state: &PublicState) -> Option<Begin> {
        let Turn::Act(seat) = state.turn() else { return None };
        let order = in_order(state);
        let street = state.street().index();
        let leader = state.history().iter().rev().find(|played| {
            matches!(played.action, Action::RaiseTo(_)) && played.street.index() + 1 == street
        });
        let place = |seat| order.iter().position(|&other| other == seat).map(|place| place as u8);
        Some(Begin {
            street: street as u8,
            left: order.len() as u8,
            leader: leader.filter(|_| order.len() <= 3).and_then(|played| place(played.seat)),
            depth: depth(state, seat),
        })
    }

    /// How unlike another place at the beginning of the same street this one is; `None` if the
    /// street or the number of players is another.
    fn distance(self, other: Begin) -> Option<u32> {
        let alike = (self.street, self.left) == (other.street, other.left);
        let leader = u32::from(self.leader != other.leader);
        alike.then(|| 4 * u32::from(self.depth.abs_diff(other.depth)) + leader)
    }
}

/// What a tree of more than two players has besides its nodes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Joined {
    /// The chips that each seat has put in over the whole hand, for each node.
    chips: Vec<Chips>,
    left: Vec<SeatSet>,
    /// The seat to act at the node itself, which the one that it joins may have given another.
    acting: Vec<u8>,
    /// The node that each one joins, or itself.
    targets: Vec<u32>,
    /// The first decisions of streets.
    begins: Vec<(Begin, u32)>,
}

impl Joined {
    pub(crate) fn new(nodes: usize, players: usize) -> Joined {
        Joined {
            chips: vec![0; nodes * players],
            left: vec![SeatSet::EMPTY; nodes],
            acting: vec![0; nodes],
            targets: (0..nodes as u32).collect(),
            begins: Vec::new(),
        }
    }

    /// Sets what belongs to a node.
    pub(crate) fn set(&mut self, node: u32, state: &PublicState, after: &After) {
        let (at, committed) = (node as usize, state.committed().as_slice());
        self.chips[at * committed.len()..][..committed.len()].copy_from_slice(committed);
        self.left[at] = state.remaining();
        if let Turn::Act(seat) = state.turn() {
            self.acting[at] = seat.index() as u8;
        }
        match after {
            After::Joins(target) => self.targets[at] = *target,
            After::Children(_) if state.street_history().is_empty() => {
                self.begins.extend(Begin::new(state).map(|begin| (begin, node)));
            }
            After::Children(_) => {}
        }
    }

    /// Whether the node joins another one.
    pub(crate) fn joins(&self, node: u32) -> bool {
        self.targets[node as usize] != node
    }
}

/// Nodes by key, while a tree is walked.
pub(crate) type Known = HashMap<Key, u32>;

impl BettingTree {
    /// The chips that each seat has put in over the whole hand at this node, in a tree of more than
    /// two players.
    pub fn chips(&self, node: u32) -> &[Chips] {
        let players = self.def().players;
        self.joined().map_or(&[], |joined| &joined.chips[node as usize * players..][..players])
    }

    /// The seats that have not folded at this node, in a tree of more than two players.
    pub fn left(&self, node: u32) -> SeatSet {
        self.joined().map_or(SeatSet::EMPTY, |joined| joined.left[node as usize])
    }

    /// The node that this one joins, or itself. See the [module](self).
    #[inline]
    pub fn target(&self, node: u32) -> u32 {
        self.joined().map_or(node, |joined| joined.targets[node as usize])
    }

    /// The seat to act at a decision.
    fn acting(&self, node: u32) -> Option<Seat> {
        match self.node(node).kind {
            NodeKind::Decision { seat, .. } => Seat::new(seat.into()),
            NodeKind::Showdown | NodeKind::Fold { .. } => None,
        }
    }

    /// The seat to act at this node as it was reached, whatever it joins, in a tree of more than
    /// two players; 0 at an end.
    pub fn first_around(&self, node: u32) -> u8 {
        self.joined().map_or(0, |joined| joined.acting[node as usize])
    }

    /// The seats that have not folded at a decision, from the one to act on.
    fn around(&self, node: u32) -> SmallVec<[Seat; 10]> {
        around(self.left(node), self.first_around(node).into(), self.def().players)
    }

    /// The first decision of a street that is most like this state's.
    fn beginning(&self, state: &PublicState) -> Option<u32> {
        let begin = Begin::new(state)?;
        let all = self.joined()?.begins.iter();
        let near = all.filter_map(|&(other, node)| Some((begin.distance(other)?, node)));
        near.min().map(|(_, node)| node)
    }
}

/// The seats of a set, from one on, around the table.
fn around(seats: SeatSet, from: usize, players: usize) -> SmallVec<[Seat; 10]> {
    let all = (0..players).filter_map(|k| Seat::new((from + k) % players));
    all.filter(|&seat| seats.contains(seat)).collect()
}

/// A place in the tree that a hand may be at.
#[derive(Debug, Clone)]
pub struct Place {
    /// The decision.
    pub node: u32,
    /// The probability of this translation of the other seats' bets.
    pub probability: f64,
    /// Number of raises of the street that are not in the tree and were translated.
    pub off_tree: u32,
    /// The tree's seat of each seat of the hand; seats that folded have any.
    seats: SmallVec<[Seat; 10]>,
}

/// The places of a hand in a tree of more than two players, at most `most` of them, with
/// probabilities that sum to 1. Empty where the tree has none: its street ended before the hand's.
///
/// The hand may have fewer players than the tree, whose first to act have then folded, and other
/// chips: all bets are shares of the pot. A raise between two sizes of the tree is read as
/// [either](crate::translate), one that the tree has not as a call, if somebody acts after that.
pub fn places(tree: &BettingTree, public: &PublicState, most: usize) -> SmallVec<[Place; 1]> {
    let nowhere = SmallVec::new();
    let Turn::Act(acting) = public.turn() else { return nowhere };
    let earlier = public.history().len() - public.street_history().len();
    let mut state = PublicState::new(public.def());
    let board = public.board();
    for played in &public.history()[..earlier] {
        // The board is that of the hand.
        let _ = state.deal_from(&board);
        state.apply_unchecked(played.action);
    }
    let _ = state.deal_from(&board);
    let Some(first) = first(tree, &state) else { return nowhere };
    let mut places: SmallVec<[Place; 1]> = smallvec![first];
    for played in public.street_history() {
        let read = |place: Place| place.after(tree, &state, played.seat, played.action);
        places = places.into_iter().flat_map(read).collect();
        if places.len() > most.max(1) {
            // The sort is stable.
            places.sort_by(|a, b| b.probability.total_cmp(&a.probability));
            places.truncate(most.max(1));
        }
        state.apply_unchecked(played.action);
    }
    let street = public.street();
    places.retain(|place| {
        let seat = tree.acting(place.node);
        seat == Some(place.seats[acting.index()]) && tree.street(place.node) == street
    });
    let sum: f64 = places.iter().map(|place| place.probability).sum();
    places.iter_mut().for_each(|place| place.probability /= sum);
    places
}

/// The place at the beginning of a street.
fn first(tree: &BettingTree, state: &PublicState) -> Option<Place> {
    let (ours, theirs) = (state.def(), tree.def().players);
    let mut node = BettingTree::ROOT;
    if state.history().is_empty() {
        for _ in ours.players..theirs {
            node = tree.target(tree.child(node, Action::Fold)?);
        }
    } else {
        node = tree.beginning(state)?;
    }
    let Turn::Act(acting) = state.turn() else { return None };
    let mut seats: SmallVec<[Seat; 10]> = smallvec![acting; ours.players];
    let mine = around(state.remaining(), acting.index(), ours.players);
    let tables = tree.around(node);
    if mine.len() != tables.len() {
        return None;
    }
    for (mine, theirs) in mine.into_iter().zip(tables) {
        seats[mine.index()] = theirs;
    }
    Some(Place { node, probability: 1.0, off_tree: 0, seats })
}

impl Place {
    /// The places after an action of the hand in this state.
    fn after(
        &self,
        tree: &BettingTree,
        state: &PublicState,
        seat: Seat,
        action: Action,
    ) -> SmallVec<[Place; 2]> {
        if tree.acting(self.node) != Some(self.seats[seat.index()]) {
            return SmallVec::new();
        }
        let actions = tree.actions(self.node);
        let index = |wanted| actions.iter().position(|&known| known == wanted);
        // The hand goes on: a place where the tree's street is over is none.
        let go = |index: usize, probability: f64, off_tree: u32| {
            let place = self.child(tree, index, probability, off_tree);
            (probability > 0.0 && place.is_on(tree, state.street())).then_some(place)
        };
        let Action::RaiseTo(total) = action else {
            return index(action).and_then(|index| go(index, 1.0, 0)).into_iter().collect();
        };
        let Some(call) = index(Action::Call) else { return SmallVec::new() };
        let owed = state.highest().saturating_sub(state.committed()[seat]);
        let bet = share(total, state.highest(), state.pot() + u64::from(owed));
        let sizes: SmallVec<[f64; 8]> =
            actions[call..].iter().map(|&action| self.share(tree, action)).collect();
        let (smaller, probability) = neighbours(&sizes, bet);
        let exact = (sizes[smaller] - bet).abs() < 1e-9;
        let below = go(call + smaller, probability, u32::from(!exact));
        let above =
            if probability < 1.0 { go(call + smaller + 1, 1.0 - probability, 1) } else { None };
        if below.is_none() && above.is_none() && sizes.len() > 1 {
            return go(call + 1, 1.0, 1).into_iter().collect();
        }
        below.into_iter().chain(above).collect()
    }

    /// The place after the tree's action with this index.
    fn child(&self, tree: &BettingTree, index: usize, probability: f64, off_tree: u32) -> Place {
        let child = tree.node(self.node).children().start + index as u32;
        let node = tree.target(child);
        let mut seats = self.seats.clone();
        if node != child {
            let (from, to) = (tree.around(child), tree.around(node));
            for seat in &mut seats {
                if let Some(place) = from.iter().position(|other| other == seat) {
                    *seat = to[place];
                }
            }
        }
        let probability = self.probability * probability;
        Place { node, probability, off_tree: self.off_tree + off_tree, seats }
    }

    fn is_on(&self, tree: &BettingTree, street: Street) -> bool {
        tree.acting(self.node).is_some() && tree.street(self.node) == street
    }

    /// The size of an action of the tree as a share of the pot after a call; 0 for a call.
    fn share(&self, tree: &BettingTree, action: Action) -> f64 {
        let Action::RaiseTo(total) = action else { return 0.0 };
        let chips = tree.chips(self.node);
        let highest = chips.iter().copied().max().unwrap_or_default();
        let own = tree.acting(self.node).map_or(0, |seat| chips[seat.index()]);
        let pot: u64 = chips.iter().map(|&chips| u64::from(chips)).sum();
        share(total, highest, pot + u64::from(highest - own))
    }

    /// The legal action in the hand that an action of the tree stands for: the same share of the
    /// pot, and all-in for all-in.
    pub fn answer(&self, tree: &BettingTree, public: &PublicState, action: Action) -> Action {
        let legal = public.legal();
        let Action::RaiseTo(total) = action else { return legal.nearest(action) };
        if tree.acting(self.node).is_some_and(|seat| total >= tree.def().stacks[seat.index()]) {
            return legal.nearest(Action::RaiseTo(Chips::MAX));
        }
        let called = (public.pot() + u64::from(legal.to_call)) as f64;
        let ours = f64::from(public.highest()) + self.share(tree, action) * called;
        // The conversion saturates.
        legal.nearest(Action::RaiseTo(ours.round() as Chips))
    }
}

/// The size of a raise to this total, as a share of the pot after a call.
fn share(total: Chips, highest: Chips, called: u64) -> f64 {
    f64::from(total.saturating_sub(highest)) / called.max(1) as f64
}
