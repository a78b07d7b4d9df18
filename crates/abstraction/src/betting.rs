//! The betting tree: betting without cards, laid out flat, counted before it is built. From any
//! state on it is for two players; that of a whole game may be for more, whose places are then
//! joined where they are alike ([`multiway`](crate::multiway)).
//!
//! A tree goes from a state to the end of the hand, or of one street, by the actions that are
//! offered at each decision: those of a [`BetMenu`] from the beginning of a game on, or any others
//! from any state on. Nodes are decision and terminal nodes; a deal of board cards is part of the
//! edge to the next node, whose street tells. Node 0 is the root. The children of a node have
//! consecutive numbers, in the order of the actions. Decisions and values are numbered depth first,
//! so nodes that are near in play are near in memory.
//!
//! Trainers and blueprints store values: one for each action of each *information set*, which is a
//! decision node with a card bucket. Every street has its own table. With `b` buckets on the
//! street, the values of bucket `k` at a node with `a` actions are at index `first_slot * b + k *
//! a` and the `a - 1` following ones: sorted by node, then bucket, then action. The table has
//! [`BettingTree::slots`] times `b` entries.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use cards::{Card, CardSet};
use game::{Action, Betting, Chips, GameDef, PublicState, Seat, Street, Turn, notation};
use sha2::{Digest, Sha256};
use show::number::hexadecimal;

use crate::Error;
use crate::menu::{BetMenu, MenuActions};
use crate::multiway::{Joined, Key, Known};

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// A decision node.
    Decision {
        /// The acting seat.
        seat: u8,
        /// The street, 0 for preflop.
        street: u8,
        /// The number of this decision among those of its street, from 0.
        index: u32,
        /// Total number of actions of the earlier decisions of the same street.
        first_slot: u32,
    },
    /// A terminal node with a showdown, after the rest of the board if cards are missing.
    Showdown,
    /// A terminal node after a fold.
    Fold {
        /// The seat that wins the pot.
        winner: u8,
    },
}

/// A node of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// The node's kind.
    pub kind: NodeKind,
    first_child: u32,
    children: u16,
    street: u8,
}

impl Node {
    /// The numbers of the node's children, one for each action. Empty at a terminal node, and in a
    /// tree of one street at the decisions that begin the next.
    #[inline]
    pub fn children(&self) -> Range<u32> {
        self.first_child..self.first_child + u32::from(self.children)
    }
}

/// A betting tree. See the [module](self).
///
/// With a [`BetMenu`] it is that of an abstract game, which the menu determines; `BettingTree<()>`
/// has its actions from elsewhere.
#[derive(Debug, Clone)]
pub struct BettingTree<M = BetMenu> {
    menu: M,
    root: PublicState,
    nodes: Vec<Node>,
    /// For each node, the action that leads to it; a meaningless fold for the root.
    incoming: Vec<Action>,
    parents: Vec<u32>,
    /// Empty with more than two players.
    committed: Vec<[Chips; 2]>,
    /// With more than two players.
    joined: Option<Box<Joined>>,
    size: TreeSize,
}

impl BettingTree {
    /// The number of the root.
    pub const ROOT: u32 = 0;

    /// Counts the tree of a whole game, then builds it.
    ///
    /// # Errors
    /// When the tree has more than `limit` nodes or is infinite, or more than two players have
    /// different stacks; nothing is built then.
    pub fn new(def: &Arc<GameDef>, menu: &BetMenu, limit: u64) -> Result<BettingTree, Error> {
        let root = PublicState::new(def);
        let offers = Offers {
            root: &root,
            at: &|state| menu.actions(state),
            one_street: false,
            joins: def.players > 2,
        };
        build(menu.clone(), &offers, limit)
    }

    /// The menu.
    pub fn menu(&self) -> &BetMenu {
        &self.menu
    }

    /// SHA-256, in hexadecimal digits, of the game and the menu, which together determine the tree.
    pub fn hash(&self) -> String {
        // How places are joined is a part of the tree, and has a version.
        let joined = if self.joined.is_some() { "\njoined 1\n" } else { "" };
        digits_of_hash(&format!("{}menu\n{}{joined}", game_text(self.def()), self.menu))
    }

    pub(crate) fn joined(&self) -> Option<&Joined> {
        self.joined.as_deref()
    }
}

impl BettingTree<()> {
    /// Counts the tree from a state to the end of the hand, then builds it. `offered` returns the
    /// actions at a decision: fold, call, then raises from the smallest, all of them legal. It must
    /// not depend on the cards, since those that come after the state are arbitrary.
    ///
    /// # Errors
    /// As [`BettingTree::new`], or when no action, an illegal one, or one out of order is offered.
    pub fn from_state(
        root: &PublicState,
        offered: &dyn Fn(&PublicState) -> Vec<Action>,
        limit: u64,
    ) -> Result<BettingTree<()>, Error> {
        let at = |state: &PublicState| offered(state).into();
        build((), &Offers { root, at: &at, one_street: false, joins: false }, limit)
    }

    /// The same to the end of the state's street. The decisions that begin the next have no
    /// actions.
    ///
    /// # Errors
    /// As [`BettingTree::from_state`].
    pub fn of_street(
        root: &PublicState,
        offered: &dyn Fn(&PublicState) -> Vec<Action>,
        limit: u64,
    ) -> Result<BettingTree<()>, Error> {
        let at = |state: &PublicState| offered(state).into();
        build((), &Offers { root, at: &at, one_street: true, joins: false }, limit)
    }
}

impl<M> BettingTree<M> {
    /// The game.
    pub fn def(&self) -> &Arc<GameDef> {
        self.root.def()
    }

    /// All nodes; the first is the root.
    #[inline]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node with this number.
    #[inline]
    pub fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// The abstract actions of a node, in the order of its children. Raises are totals over the
    /// whole hand.
    #[inline]
    pub fn actions(&self, node: u32) -> &[Action] {
        let children = self.node(node).children();
        &self.incoming[children.start as usize..children.end as usize]
    }

    /// The child of a node by an action, or `None` when the menu does not have it there.
    pub fn child(&self, node: u32, action: Action) -> Option<u32> {
        let index = self.actions(node).iter().position(|&known| known == action)?;
        Some(self.node(node).children().start + index as u32)
    }

    /// The parent of a node; `None` for the root.
    pub fn parent(&self, node: u32) -> Option<u32> {
        (node != BettingTree::ROOT).then(|| self.parents[node as usize])
    }

    /// Chips that each of two seats has put in over the whole hand at this node; for more see
    /// [`BettingTree::chips`].
    #[inline]
    pub fn committed(&self, node: u32) -> [Chips; 2] {
        self.committed.get(node as usize).copied().unwrap_or_default()
    }

    /// The street of a decision; for a terminal node the street whose cards were dealt last, which
    /// is the game's last one at a showdown.
    #[inline]
    pub fn street(&self, node: u32) -> Street {
        Street::ALL[self.node(node).street as usize]
    }

    /// The counts of nodes, decisions and values.
    pub fn size(&self) -> &TreeSize {
        &self.size
    }

    /// Number of decision nodes of a street.
    pub fn decisions(&self, street: Street) -> u32 {
        // A tree has fewer nodes than fit in 32 bits.
        self.size.decisions[street.index()] as u32
    }

    /// Total number of actions of a street's decision nodes.
    pub fn slots(&self, street: Street) -> u64 {
        self.size.slots[street.index()]
    }

    /// The decision nodes of a street in the order of their index, which is that of their slots.
    pub fn decision_nodes(&self, street: Street) -> Vec<u32> {
        let mut found = vec![0; self.decisions(street) as usize];
        let joins = |number: u32| self.joined.as_ref().is_some_and(|all| all.joins(number));
        for (number, node) in (0..).zip(&self.nodes).filter(|&(number, _)| !joins(number)) {
            if let NodeKind::Decision { street: on, index, .. } = node.kind
                && usize::from(on) == street.index()
            {
                found[index as usize] = number;
            }
        }
        found
    }

    /// The state at a node, with as much of the board as is dealt there.
    pub fn state_on(&self, node: u32, board: &[Card]) -> PublicState {
        let mut actions = Vec::new();
        let mut below = node;
        while let Some(parent) = self.parent(below) {
            actions.push(self.incoming[below as usize]);
            below = parent;
        }
        let mut state = self.root.clone();
        for &action in actions.iter().rev() {
            // The board may be longer than what is due, or end where the node's street begins.
            let _ = state.deal_from(board);
            state.apply_unchecked(action);
        }
        let _ = state.deal_from(board);
        state
    }

    /// The state at a node, with arbitrary cards after those of the root.
    pub fn state_at(&self, node: u32) -> PublicState {
        self.state_on(node, &some_board(&self.root))
    }

    /// The betting that leads to a node, in the notation of the ACPC protocol, such as
    /// `r250c/cr500`.
    pub fn betting(&self, node: u32) -> String {
        notation::betting(&self.state_at(node))
    }
}

/// Number of consecutive actions above which a tree is refused as infinite.
const DEEPEST: usize = 400;

/// A whole board that begins with the cards of a state: the betting does not depend on the others.
fn some_board(state: &PublicState) -> Vec<Card> {
    let dealt: CardSet = state.board().set();
    let others = state.def().deck().into_iter().filter(|&card| !dealt.contains(card));
    state.board().iter().copied().chain(others).take(state.def().full_board_len()).collect()
}

/// What a tree consists of.
struct Offers<'a> {
    root: &'a PublicState,
    /// The actions at a decision.
    at: &'a dyn Fn(&PublicState) -> MenuActions,
    /// Whether the tree ends with the root's street.
    one_street: bool,
    /// Whether places that are alike are joined.
    joins: bool,
}

/// A node whose children are being visited.
struct Open {
    state: PublicState,
    actions: MenuActions,
    first_child: u32,
    /// Number of children visited.
    visited: usize,
    /// The node of its street's first decision.
    begin: u32,
}

/// What follows a node.
pub(crate) enum After {
    /// Children, of which the first has this number; none at an end.
    Children(u32),
    /// What follows this node, which was visited before.
    Joins(u32),
}

/// A visitor of nodes: takes the node's number, state and actions, and what follows.
type Visit<'a> = dyn FnMut(u32, &PublicState, &MenuActions, After) -> Result<(), Error> + 'a;

impl Offers<'_> {
    /// Visits every node depth first, parents before children. Siblings get consecutive numbers.
    fn walk(&self, visit: &mut Visit<'_>) -> Result<(), Error> {
        let board = some_board(self.root);
        let mut numbered = 1;
        let mut known = Known::new();
        let mut enter =
            |mut state: PublicState, number: u32, begin: u32| -> Result<Option<Open>, Error> {
                state.deal_from(&board).expect("the board is as long as the game's");
                let first = state.street_history().is_empty();
                let begin = if first { number } else { begin };
                let key = if self.joins { Key::new(&state, begin) } else { None };
                if let Some(&like) = key.as_ref().and_then(|key| known.get(key)) {
                    visit(number, &state, &MenuActions::new(), After::Joins(like))?;
                    return Ok(None);
                }
                let actions = self.actions(&state)?;
                let first_child = numbered;
                visit(number, &state, &actions, After::Children(first_child))?;
                known.extend(key.map(|key| (key, number)));
                numbered += actions.len() as u32;
                Ok(Some(Open { state, actions, first_child, visited: 0, begin }))
            };
        let root = enter(self.root.clone(), BettingTree::ROOT, BettingTree::ROOT)?;
        let mut path: Vec<Open> = root.into_iter().collect();
        while let Some(last) = path.last_mut() {
            let Some(&action) = last.actions.get(last.visited) else {
                path.pop();
                continue;
            };
            let number = last.first_child + last.visited as u32;
            last.visited += 1;
            let mut state = last.state.clone();
            state.apply_unchecked(action);
            let begin = last.begin;
            path.extend(enter(state, number, begin)?);
        }
        Ok(())
    }

    /// The actions at a state, which must be legal and in order; none where the tree ends.
    fn actions(&self, state: &PublicState) -> Result<MenuActions, Error> {
        let ends = self.one_street && state.street() != self.root.street();
        if ends || !matches!(state.turn(), Turn::Act(_)) {
            return Ok(MenuActions::new());
        }
        let actions = (self.at)(state);
        let after = || notation::betting(state);
        if actions.is_empty() {
            return Err(Error::new(format!(
                "the menu offers no action after `{}`: it must offer at least one",
                after()
            )));
        }
        let legal = state.legal();
        if let Some(&action) = actions.iter().find(|&&action| !legal.allows(action)) {
            return Err(Error::new(format!(
                "the menu offers {action:?} after `{}`, which the rules do not allow there",
                after()
            )));
        }
        let order = |action: Action| match action {
            Action::Fold => (0, 0),
            Action::Call => (1, 0),
            Action::RaiseTo(total) => (2, total),
        };
        if !actions.is_sorted_by(|&a, &b| order(a) < order(b)) {
            return Err(Error::new(format!(
                "the menu's actions after `{}` are not in order: fold, call, then raises from the \
                 smallest, each once",
                after()
            )));
        }
        let (count, most) = (actions.len(), u16::MAX);
        if count > usize::from(most) {
            return Err(Error::new(format!(
                "the menu offers {count} actions after `{}`: at most {most} are possible",
                after()
            )));
        }
        Ok(actions)
    }

    /// Counts a tree of at most `limit` nodes, without building it.
    fn count(&self, limit: u64) -> Result<TreeSize, Error> {
        let (players, stacks) = (self.root.def().players, &self.root.def().stacks);
        if players != 2 && !self.joins {
            return Err(Error::new(format!(
                "betting trees from a state on are for two players, but the game is for {players}"
            )));
        }
        if self.joins && stacks.iter().any(|stack| stack != &stacks[0]) {
            return Err(Error::new(format!(
                "betting trees of {players} players need equal stacks: give all as many chips"
            )));
        }
        // Node numbers have 32 bits.
        let limit = limit.min(u64::from(u32::MAX) / 2);
        let deepest = self.root.history().len() + DEEPEST;
        let mut size = TreeSize::default();
        self.walk(&mut |_, state, actions, after| {
            size.add(state, actions.len(), &after);
            if size.nodes() > limit {
                return Err(Error::new(format!(
                    "the betting tree has more than {limit} nodes ({size}), not counting cards: \
                     offer fewer sizes or fewer raises"
                )));
            }
            if state.history().len() > deepest {
                return Err(Error::new(format!(
                    "the betting can go on for more than {DEEPEST} actions ({size}): let the menu \
                     end the raises of a street, with all-in or with no size at all"
                )));
            }
            Ok(())
        })?;
        Ok(size)
    }
}

/// Counts a tree, then builds it.
fn build<M>(menu: M, offers: &Offers<'_>, limit: u64) -> Result<BettingTree<M>, Error> {
    let size = offers.count(limit)?;
    let count = size.nodes() as usize;
    let blank = Node { kind: NodeKind::Showdown, first_child: 0, children: 0, street: 0 };
    let mut tree = BettingTree {
        menu,
        root: offers.root.clone(),
        nodes: vec![blank; count],
        incoming: vec![Action::Fold; count],
        parents: vec![BettingTree::ROOT; count],
        committed: if offers.joins { Vec::new() } else { vec![[0; 2]; count] },
        joined: offers.joins.then(|| Box::new(Joined::new(count, offers.root.def().players))),
        size,
    };
    let mut done = TreeSize::default();
    offers.walk(&mut |number, state, actions, after| {
        let index = number as usize;
        let kind = kind(state, &done);
        done.add(state, actions.len(), &after);
        if let Some(joined) = &mut tree.joined {
            joined.set(number, state, &after);
        } else {
            tree.committed[index] = committed(state);
        }
        let first_child = match after {
            After::Children(first_child) => first_child,
            After::Joins(like) => {
                tree.nodes[index] = tree.nodes[like as usize];
                return Ok(());
            }
        };
        let (children, street) = (actions.len() as u16, state.street().index() as u8);
        tree.nodes[index] = Node { kind, first_child, children, street };
        for (child, &action) in (first_child as usize..).zip(actions) {
            tree.incoming[child] = action;
            tree.parents[child] = number;
        }
        Ok(())
    })?;
    Ok(tree)
}

/// The kind of a state's node, numbered after the decisions and actions in `before`.
fn kind(state: &PublicState, before: &TreeSize) -> NodeKind {
    match state.turn() {
        Turn::Over if state.is_showdown() => NodeKind::Showdown,
        Turn::Over => {
            let winner = state.remaining().iter().next().expect("one seat has not folded");
            NodeKind::Fold { winner: winner.index() as u8 }
        }
        Turn::Act(seat) => {
            let street = state.street().index();
            NodeKind::Decision {
                seat: seat.index() as u8,
                street: street as u8,
                index: before.decisions[street] as u32,
                first_slot: before.slots[street] as u32,
            }
        }
        Turn::Deal(_) => unreachable!("everything due has been dealt"),
    }
}

fn committed(state: &PublicState) -> [Chips; 2] {
    [0, 1].map(|seat| state.committed()[Seat::new(seat).expect("a game for two")])
}

/// Node and action counts of a betting tree, without cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TreeSize {
    /// Number of decision nodes on each street.
    pub decisions: [u64; 4],
    /// Total number of actions of each street's decision nodes.
    pub slots: [u64; 4],
    /// Number of terminal nodes after a fold.
    pub folds: u64,
    /// Number of terminal nodes with a showdown.
    pub showdowns: u64,
    /// Number of nodes of more than two players that join another one.
    pub joins: u64,
}

impl TreeSize {
    fn add(&mut self, state: &PublicState, actions: usize, after: &After) {
        match state.turn() {
            Turn::Act(_) if matches!(after, After::Joins(_)) => self.joins += 1,
            Turn::Over if state.is_showdown() => self.showdowns += 1,
            Turn::Over => self.folds += 1,
            Turn::Act(_) | Turn::Deal(_) => {
                let street = state.street().index();
                self.decisions[street] += 1;
                self.slots[street] += actions as u64;
            }
        }
    }

    /// Number of all nodes, terminal ones included.
    pub fn nodes(&self) -> u64 {
        self.decisions.iter().sum::<u64>() + self.folds + self.showdowns + self.joins
    }

    /// Number of information sets on each street, given each street's number of buckets.
    pub fn infosets(&self, buckets: [u32; 4]) -> [u128; 4] {
        std::array::from_fn(|street| {
            u128::from(self.decisions[street]) * u128::from(buckets[street])
        })
    }

    /// Number of values on each street, one for each action of each information set, given each
    /// street's number of buckets. Wide enough for any tree and any buckets.
    pub fn values(&self, buckets: [u32; 4]) -> [u128; 4] {
        std::array::from_fn(|street| u128::from(self.slots[street]) * u128::from(buckets[street]))
    }
}

impl fmt::Display for TreeSize {
    /// Decision nodes by street and terminal nodes, in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [preflop, flop, turn, river] = self.decisions;
        let ends = self.folds + self.showdowns;
        write!(
            f,
            "decisions: preflop {preflop}, flop {flop}, turn {turn}, river {river}; {ends} ends"
        )
    }
}

/// SHA-256, in hexadecimal digits, of a game definition: it identifies the game that a model was
/// trained for. Rule departures ([`Quirks`](game::Quirks)) are left out, since they do not change
/// the values of the game.
pub fn game_hash(def: &GameDef) -> String {
    digits_of_hash(&game_text(def))
}

fn digits_of_hash(text: &str) -> String {
    hexadecimal(&Sha256::digest(text.as_bytes()))
}

/// The canonical text of the definition. Its first line is the format's version.
fn game_text(def: &GameDef) -> String {
    let list = |numbers: &mut dyn Iterator<Item = u64>| {
        numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
    };
    let betting = match def.betting {
        Betting::Limit => "limit",
        Betting::NoLimit => "no-limit",
    };
    let wide = |numbers: &[u32]| list(&mut numbers.iter().map(|&number| number.into()));
    let first = list(&mut def.first_to_act.iter().map(|&seat| seat as u64));
    let board = list(&mut def.board_cards.iter().map(|&cards| cards.into()));
    // The spec of a no-limit game may carry raise sizes, which have no effect.
    let raise_sizes =
        if def.betting == Betting::Limit { wide(&def.raise_sizes) } else { String::new() };
    format!(
        "cardroom-game/1\nbetting {betting}\nplayers {}\nstreets {}\nstacks {}\nblinds {}\n\
         raise-sizes {raise_sizes}\nfirst {first}\ncaps {}\nsuits {}\nranks {}\nhole {}\nboard \
         {board}\n",
        def.players,
        def.streets,
        wide(&def.stacks),
        wide(&def.blinds),
        wide(&def.max_raises),
        def.suits,
        def.ranks,
        def.hole_cards,
    )
}
