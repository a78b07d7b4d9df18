//! The trait that every game to be solved implements.

/// One of the two players.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Player {
    /// Utilities are this player's winnings.
    First = 0,
    /// What the first player wins, this one loses.
    Second = 1,
}

impl Player {
    /// Both, first player first.
    pub const BOTH: [Player; 2] = [Player::First, Player::Second];

    /// 0 or 1.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other one.
    #[inline]
    #[must_use]
    pub const fn other(self) -> Player {
        match self {
            Player::First => Player::Second,
            Player::Second => Player::First,
        }
    }
}

/// A point of a game: its end, a draw of chance, or a decision.
#[derive(Debug, Clone)]
pub enum Node<S> {
    /// The end, with the first player's winnings.
    End(f64),
    /// Chance moves on: each outcome's probability, and where it leads. They sum to one.
    Chance(Vec<(f64, S)>),
    /// A player chooses.
    Decision {
        /// Who.
        player: Player,
        /// What this player knows, as text: points with the same text are one information set, and
        /// offer the same actions in the same order.
        infoset: String,
        /// Each action's name, and where it leads. Not empty.
        actions: Vec<(String, S)>,
    },
}

/// A game of two players whose winnings sum to zero, in extensive form and with perfect recall.
///
/// Small games are written down with it ([`crate::games`]) and then laid out as a [`crate::Tree`].
pub trait Game {
    /// Whatever tells the points of the game apart.
    type State;

    /// Where the game begins.
    fn root(&self) -> Self::State;

    /// What happens at this point.
    fn node(&self, state: &Self::State) -> Node<Self::State>;
}
