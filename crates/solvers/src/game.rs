//! The trait of games that can be solved.

/// A player of a two-player game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Player {
    /// The first player. Utilities are this player's winnings.
    First = 0,
    /// The second player, who wins what the first loses.
    Second = 1,
}

impl Player {
    /// Both players, in order.
    pub const BOTH: [Player; 2] = [Player::First, Player::Second];

    /// The player's index, 0 or 1.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The opponent.
    #[inline]
    #[must_use]
    pub const fn other(self) -> Player {
        match self {
            Player::First => Player::Second,
            Player::Second => Player::First,
        }
    }
}

/// A node of a game in extensive form.
#[derive(Debug, Clone)]
pub enum Node<S> {
    /// A terminal node, with the first player's winnings.
    End(f64),
    /// A chance node: the probability and state of each outcome. Probabilities sum to one.
    Chance(Vec<(f64, S)>),
    /// A decision node.
    Decision {
        /// The acting player.
        player: Player,
        /// The information set, as text: nodes with the same text are in one, and have the same
        /// actions in the same order.
        infoset: String,
        /// The name and resulting state of each action. Not empty.
        actions: Vec<(String, S)>,
    },
}

/// A two-player zero-sum game in extensive form with perfect recall.
///
/// Small games implement it ([`crate::games`]) and are then laid out as a [`crate::Tree`].
pub trait Game {
    /// A state of the game.
    type State;

    /// The initial state.
    fn root(&self) -> Self::State;

    /// The node of this state.
    fn node(&self, state: &Self::State) -> Node<Self::State>;
}
