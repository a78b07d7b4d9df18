//! The betting tree of an abstract game for two players: laid out flat, counted before it is built.
//!
//! A tree is a game definition with a [`BetMenu`], without cards. Nodes are decision and terminal
//! nodes; a deal of board cards is part of the edge to the next node, whose street tells. Node 0 is
//! the root. The children of a node have consecutive numbers, in the order of the menu's actions.
//! Decisions and values are numbered depth first, so nodes that are near in play are near in
//! memory.
//!
//! Trainers and blueprints store values: one for each action of each *information set*, which is a
//! decision node with a card bucket. Every street has its own table. With `b` buckets on the
//! street, the values of bucket `k` at a node with `a` actions are at index `first_slot * b + k *
//! a` and the `a - 1` following ones: sorted by node, then bucket, then action. The table has
//! [`BettingTree::slots`] times `b` entries.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use game::{Action, Betting, Chips, GameDef, PublicState, Seat, Street, Turn};
use sha2::{Digest, Sha256};
use show::number::hexadecimal;

use crate::Error;
use crate::menu::{BetMenu, MenuActions};

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// A decision node.
    Decision {
        /// The acting seat, 0 or 1.
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
    children: u8,
    street: u8,
}

impl Node {
    /// The numbers of the node's children, one for each action; empty at a terminal node.
    #[inline]
    pub fn children(&self) -> Range<u32> {
        self.first_child..self.first_child + u32::from(self.children)
    }
}

/// The betting tree of an abstract game. See the [module](self).
#[derive(Debug, Clone)]
pub struct BettingTree {
    def: Arc<GameDef>,
    menu: BetMenu,
    nodes: Vec<Node>,
    /// For each node, the action that leads to it; a meaningless fold for the root.
    incoming: Vec<Action>,
    parents: Vec<u32>,
    committed: Vec<[Chips; 2]>,
    size: TreeSize,
}

impl BettingTree {
    /// The number of the root.
    pub const ROOT: u32 = 0;

    /// Counts the tree, then builds it.
    ///
    /// # Errors
    /// When the game is not for two players, or the tree has more than `limit` nodes
    /// or is infinite; nothing is built then.
    pub fn new(def: &Arc<GameDef>, menu: &BetMenu, limit: u64) -> Result<BettingTree, Error> {
        build(def, menu, TreeSize::count(def, menu, limit)?)
    }

    /// The game.
    pub fn def(&self) -> &Arc<GameDef> {
        &self.def
    }

    /// The menu.
    pub fn menu(&self) -> &BetMenu {
        &self.menu
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
        (node != Self::ROOT).then(|| self.parents[node as usize])
    }

    /// Chips that each seat has put in over the whole hand at this node.
    #[inline]
    pub fn committed(&self, node: u32) -> [Chips; 2] {
        self.committed[node as usize]
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
        for (number, node) in (0..).zip(&self.nodes) {
            if let NodeKind::Decision { street: on, index, .. } = node.kind
                && usize::from(on) == street.index()
            {
                found[index as usize] = number;
            }
        }
        found
    }

    /// SHA-256, in hexadecimal digits, of the game and the menu, which together determine the tree.
    pub fn hash(&self) -> String {
        digits_of_hash(&format!("{}menu\n{}", game_text(&self.def), self.menu))
    }

    /// The betting that leads to a node, in the notation of the ACPC protocol, such as
    /// `r250c/cr500`.
    pub fn betting(&self, node: u32) -> String {
        let mut steps = Vec::new();
        let mut below = node;
        while let Some(parent) = self.parent(below) {
            steps.push((self.street(parent), self.incoming[below as usize]));
            below = parent;
        }
        let mut text = String::new();
        let mut street = Street::Preflop;
        for (on, action) in steps.into_iter().rev() {
            while street < on {
                text.push('/');
                street = street.next().expect("before another street");
            }
            match action {
                Action::Fold => text.push('f'),
                Action::Call => text.push('c'),
                Action::RaiseTo(_) if self.def.betting == Betting::Limit => text.push('r'),
                Action::RaiseTo(total) => text.push_str(&format!("r{total}")),
            }
        }
        let there = self.street(node);
        while street < there {
            text.push('/');
            street = street.next().expect("before another street");
        }
        text
    }
}

/// Number of consecutive actions above which a tree is refused as infinite.
const DEEPEST: usize = 400;

/// A stack entry: a node that has not been visited yet.
struct Found {
    state: PublicState,
    number: u32,
}

/// A visitor of nodes: takes the node's number, state, actions, and the number of its first child.
type Visit<'a> = dyn FnMut(u32, &PublicState, &MenuActions, u32) -> Result<(), Error> + 'a;

/// Visits every node depth first, parents before children. Siblings get consecutive numbers.
fn walk(def: &Arc<GameDef>, menu: &BetMenu, visit: &mut Visit<'_>) -> Result<(), Error> {
    // The betting does not depend on the board, so any cards will do.
    let deck = def.deck();
    let board = &deck[..def.full_board_len()];
    let dealt = |mut state: PublicState| {
        state.deal_from(board).expect("the board is as long as the game's");
        state
    };
    let mut open = vec![Found { state: dealt(PublicState::new(def)), number: BettingTree::ROOT }];
    let mut numbered = 1;
    while let Some(Found { state, number }) = open.pop() {
        let actions = menu.actions(&state);
        visit(number, &state, &actions, numbered)?;
        // The stack's last entry is visited first.
        for (index, &action) in actions.iter().enumerate().rev() {
            let mut next = state.clone();
            next.apply_unchecked(action);
            open.push(Found { state: dealt(next), number: numbered + index as u32 });
        }
        numbered += actions.len() as u32;
    }
    Ok(())
}

impl TreeSize {
    /// Counts a tree of at most `limit` nodes, without building it.
    ///
    /// # Errors
    /// When the game is not for two players, or the tree is larger or infinite.
    pub fn count(def: &Arc<GameDef>, menu: &BetMenu, limit: u64) -> Result<TreeSize, Error> {
        if def.players != 2 {
            return Err(Error::new(format!(
                "betting trees are for two players, but the game is for {}",
                def.players
            )));
        }
        // Node numbers have 32 bits.
        let limit = limit.min(u64::from(u32::MAX) / 2);
        let mut size = TreeSize::default();
        walk(def, menu, &mut |_, state, actions, _| {
            size.add(state, actions.len());
            if size.nodes() > limit {
                return Err(Error::new(format!(
                    "the betting tree has more than {limit} nodes ({size}): give the menu fewer \
                     sizes or fewer raises"
                )));
            }
            if state.history().len() > DEEPEST {
                return Err(Error::new(format!(
                    "the betting can go on for more than {DEEPEST} actions ({size}): let the menu \
                     end the raises of a street, with all-in or with no size at all"
                )));
            }
            Ok(())
        })?;
        Ok(size)
    }

    fn add(&mut self, state: &PublicState, actions: usize) {
        match state.turn() {
            Turn::Over if state.is_showdown() => self.showdowns += 1,
            Turn::Over => self.folds += 1,
            Turn::Act(_) | Turn::Deal(_) => {
                let street = state.street().index();
                self.decisions[street] += 1;
                self.slots[street] += actions as u64;
            }
        }
    }
}

/// Builds a tree that has been counted.
fn build(def: &Arc<GameDef>, menu: &BetMenu, size: TreeSize) -> Result<BettingTree, Error> {
    let count = size.nodes() as usize;
    let blank = Node { kind: NodeKind::Showdown, first_child: 0, children: 0, street: 0 };
    let mut tree = BettingTree {
        def: Arc::clone(def),
        menu: menu.clone(),
        nodes: vec![blank; count],
        incoming: vec![Action::Fold; count],
        parents: vec![BettingTree::ROOT; count],
        committed: vec![[0; 2]; count],
        size,
    };
    let mut done = TreeSize::default();
    walk(def, menu, &mut |number, state, actions, first_child| {
        let index = number as usize;
        let kind = kind(state, &done);
        done.add(state, actions.len());
        let (children, street) = (actions.len() as u8, state.street().index() as u8);
        tree.nodes[index] = Node { kind, first_child, children, street };
        tree.committed[index] = committed(state);
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
}

impl TreeSize {
    /// Number of all nodes, terminal ones included.
    pub fn nodes(&self) -> u64 {
        self.decisions.iter().sum::<u64>() + self.folds + self.showdowns
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
