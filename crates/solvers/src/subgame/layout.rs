//! A subgame ready to be solved, and the memory that solving it takes.

use cards::{CardSet, Range};
use game::{Action, PublicState, Turn};

use super::betting::Betting;
use super::boards::{Census, Table};
use super::pass::BLOCKS;
use super::storage::{BoardStorage, Precision};
use super::workspace::WorkspaceSize;
use super::{Options, SubgameError};
use crate::Player;

/// A subgame of heads-up hold'em: from a state on the flop or later in which a player is to act,
/// with a range for each player and a menu of actions, to the end of the hand.
///
/// Two cards that can be dealt count as one if a renaming of suits that changes neither the board
/// nor the ranges maps one to the other.
#[derive(Debug)]
pub struct Subgame {
    pub(super) root: PublicState,
    pub(super) ranges: [Range; 2],
    pub(super) betting: Betting,
    pub(super) census: Census,
    pub(super) symmetric: bool,
}

/// The size of a subgame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Number of nodes of the betting tree, not counting cards.
    pub nodes: usize,
    /// Number of hands of the first and the second player on the first board.
    pub hands: [usize; 2],
    /// Number of pairs of hand and action over all boards. Each has a regret and an average.
    pub cells: u64,
    /// Total bytes that solving takes.
    pub bytes: u64,
}

impl Subgame {
    /// Maximum number of nodes of a betting tree, not counting cards.
    pub const NODES: usize = 250_000;

    /// Builds the subgame that starts in this state. The first range is that of the player in seat
    /// 0.
    ///
    /// The menu returns the actions at a decision: fold, call, then raises from the smallest, all
    /// of them legal. It must not depend on the cards: it is called once for all cards that can be
    /// dealt.
    ///
    /// # Errors
    /// When the state, the ranges or the menu do not make a valid subgame.
    pub fn new(
        root: &PublicState,
        ranges: [&Range; 2],
        menu: &dyn Fn(&PublicState) -> Vec<Action>,
    ) -> Result<Subgame, SubgameError> {
        Subgame::with_symmetries(root, ranges, menu, true)
    }

    /// The same as [`Subgame::new`]; with `symmetric` false all cards are treated as different,
    /// which is slower and gives the same results.
    ///
    /// # Errors
    /// As [`Subgame::new`].
    pub fn with_symmetries(
        root: &PublicState,
        ranges: [&Range; 2],
        menu: &dyn Fn(&PublicState) -> Vec<Action>,
        symmetric: bool,
    ) -> Result<Subgame, SubgameError> {
        check(root)?;
        let board: CardSet = root.board().set();
        let def = root.def();
        let census = Table { def, board, ranges, symmetric }.census();
        for player in Player::BOTH {
            if census.hands[0][player.index()] == 0 {
                return Err(SubgameError::EmptyRange { player, board });
            }
        }
        let betting = Betting::new(root, menu, Subgame::NODES)?;
        let ranges = ranges.map(Range::clone);
        Ok(Subgame { root: root.clone(), ranges, betting, census, symmetric })
    }

    /// The state in which it starts.
    pub fn root(&self) -> &PublicState {
        &self.root
    }

    /// A player's range at the root.
    pub fn range(&self, player: Player) -> &Range {
        &self.ranges[player.index()]
    }

    /// The size of the subgame, with the memory that solving it takes with these options on as many
    /// threads as the pool has.
    pub fn size(&self, options: &Options) -> Size {
        let (mut cells, mut numbers, mut decisions, mut storages) = (0, 0, 0, 0);
        for line in &self.betting.lines {
            let boards = self.census.boards[line.street];
            let of = |each: [u64; 2]| {
                (0..2).map(|player| line.rows[player] as u64 * each[player]).sum::<u64>()
            };
            cells += of(self.census.hands[line.street]);
            numbers += of(self.census.numbers[line.street]);
            decisions += line.decisions as u64 * boards;
            storages += boards;
        }
        let stored = match options.precision {
            Precision::Full if options.variant.predictive => 12 * numbers,
            Precision::Full => 8 * numbers,
            Precision::Half => 4 * numbers + 8 * decisions,
        };
        // In both precisions of arithmetic: one for the first street, and for each thread one for
        // each later street.
        let bytes = |size: &WorkspaceSize| size.bytes(4) + size.bytes(8);
        let sizes = self.workspaces(options.precision);
        let later: u64 = sizes[1..].iter().map(bytes).sum();
        let workspaces = bytes(&sizes[0]) + parallel::threads() as u64 * later;
        let sums = self.betting.lines[0].deals.len() as u64
            * self.census.boards[1].min(BLOCKS as u64)
            * self.census.longest[0] as u64
            * 12;
        Size {
            nodes: self.betting.lines.iter().map(|line| line.nodes.len()).sum(),
            hands: self.census.hands[0].map(|hands| hands as usize),
            cells,
            bytes: stored
                + storages * size_of::<BoardStorage>() as u64
                + workspaces
                + sums
                + self.census.bytes,
        }
    }

    /// Number of streets from the first to the river.
    fn streets(&self) -> usize {
        6 - self.root.board().len()
    }

    /// The workspace sizes of each street.
    pub(super) fn workspaces(&self, precision: Precision) -> Vec<WorkspaceSize> {
        let of = |street| {
            let lines = self.betting.lines.iter().filter(move |line| line.street == street);
            let size = WorkspaceSize::new(lines, self.census.longest[street]);
            match precision {
                Precision::Full => WorkspaceSize { unpacked: 0, ..size },
                Precision::Half => size,
            }
        };
        (0..self.streets()).map(of).collect()
    }

    pub(super) fn table(&self) -> Table<'_> {
        Table {
            def: self.root.def(),
            board: self.root.board().set(),
            ranges: self.ranges.each_ref(),
            symmetric: self.symmetric,
        }
    }
}

/// Checks that a subgame can start in this state.
pub(super) fn check(root: &PublicState) -> Result<(), SubgameError> {
    let def = root.def();
    if def.players != 2 {
        return Err(SubgameError::Players(def.players));
    }
    if def.hole_cards != 2 || def.board_cards != [0, 3, 1, 1] {
        let board = def.full_board_len();
        return Err(SubgameError::NotHoldem { hole: def.hole_cards, board });
    }
    if !matches!(root.board().len(), 3..=5) {
        return Err(SubgameError::Board(root.board().len()));
    }
    match root.turn() {
        Turn::Act(_) => Ok(()),
        Turn::Deal(_) | Turn::Over => Err(SubgameError::NobodyActs),
    }
}
