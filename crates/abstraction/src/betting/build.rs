//! Depth-first traversal of a betting tree, to count and to build it.

use std::sync::Arc;

use game::{Action, Chips, GameDef, PublicState, Seat, Turn};

use super::size::TreeSize;
use super::{BettingTree, Node, NodeKind};
use crate::menu::{BetMenu, MenuActions};

/// Number of consecutive actions above which a tree is refused as infinite.
const DEEPEST: usize = 400;

/// Error for a betting tree that cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// The game is not for two players.
    #[error("betting trees are for two players, but the game is for {0}")]
    Players(usize),
    /// The tree has too many nodes.
    #[error(
        "the betting tree has more than {limit} nodes ({reached}): give the menu fewer sizes or \
         fewer raises"
    )]
    TooLarge {
        /// Maximum number of nodes.
        limit: u64,
        /// The counts when the limit was passed, in words.
        reached: String,
    },
    /// The menu lets the betting continue without end.
    #[error(
        "the betting can go on for more than {DEEPEST} actions ({reached}): let the menu end the \
         raises of a street, with all-in or with no size at all"
    )]
    Endless {
        /// The counts at that point, in words.
        reached: String,
    },
}

/// A stack entry: a node that has not been visited yet.
struct Found {
    state: PublicState,
    number: u32,
}

/// A visitor of nodes: takes the node's number, state, actions, and the number of its first child.
type Visit<'a> = dyn FnMut(u32, &PublicState, &MenuActions, u32) -> Result<(), TreeError> + 'a;

/// Visits every node depth first, parents before children. Siblings get consecutive numbers.
fn walk(def: &Arc<GameDef>, menu: &BetMenu, visit: &mut Visit<'_>) -> Result<(), TreeError> {
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
    /// [`TreeError`] when the game is not for two players, or the tree is larger or infinite.
    pub fn count(def: &Arc<GameDef>, menu: &BetMenu, limit: u64) -> Result<TreeSize, TreeError> {
        if def.players != 2 {
            return Err(TreeError::Players(def.players));
        }
        // Node numbers have 32 bits.
        let limit = limit.min(u64::from(u32::MAX) / 2);
        let mut size = TreeSize::default();
        walk(def, menu, &mut |_, state, actions, _| {
            size.add(state, actions.len());
            if size.nodes() > limit {
                return Err(TreeError::TooLarge { limit, reached: size.to_string() });
            }
            if state.history().len() > DEEPEST {
                return Err(TreeError::Endless { reached: size.to_string() });
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
pub(super) fn build(
    def: &Arc<GameDef>,
    menu: &BetMenu,
    size: TreeSize,
) -> Result<BettingTree, TreeError> {
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
