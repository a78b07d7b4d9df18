//! Range-against-range solver for heads-up hold'em subgames, on exact cards.
//!
//! A [`Subgame`] is built from a state on the flop, turn or river ([`start`] makes one from board,
//! pot and stacks), a range for each player, and a bet menu. A [`Solver`] runs counterfactual
//! regret minimisation on it ([`Options`]: any alternating, non-predictive [`Variant`]), computes
//! the exact distance from an equilibrium ([`Evaluation`]), and returns the strategy of every hand
//! at every [`Spot`].
//!
//! A [`DepthLimited`] game ends with the street it starts on, with estimated values
//! ([`LeafValues`]) instead of later streets.
//!
//! Modules: `betting` (the betting tree in lines), `boards` (the hands possible on each board),
//! `traversal` (one pass over the subgame, with its buffers and terminal nodes), `evaluation`
//! (exact values), [`needs`] (what the other player must do), `gadget` (re-solving gadget), `locks`
//! (strategies that are given), `rows` and `terminal` (inner loops), `vector` (their dispatch to
//! the processor's registers), `storage` (regrets and averages).
//!
//! [`Variant`]: crate::Variant

pub(crate) mod betting;
pub(crate) mod boards;
mod checks;
mod evaluation;
mod gadget;
mod locks;
pub mod needs;
pub(crate) mod rows;
mod solver;
mod spot;
pub(crate) mod storage;
mod terminal;
pub(crate) mod traversal;
pub(crate) mod vector;
mod words;

pub use super::depth_limited::{DepthLimited, Leaf, LeafValues};
pub use evaluation::{ByAction, Evaluation, HandValue};
pub use gadget::{EntryChoice, Gadget};
pub use solver::{Options, Solver};
pub use spot::{HandEquity, OffTree, Spot};
pub use storage::Precision;
pub use vector::{Registers, use_registers};
pub use words::{RequestedSpot, after, read_spot, walk};

use std::sync::Arc;

use cards::{Board, CardSet, Range};
use game::{Action, Chips, GameDef, GameSpec, PublicState, Turn};

use crate::{Error, Player};
use betting::Betting;
use boards::{Census, Table};
use storage::BoardStorage;
use traversal::{BLOCKS, WorkspaceSize};

/// A subgame of heads-up hold'em: from a state on the flop or later in which a player is to act,
/// with a range for each player and a menu of actions, to the end of the hand.
///
/// Two cards that can be dealt count as one if a renaming of suits that changes neither the board
/// nor the ranges maps one to the other.
#[derive(Debug)]
pub struct Subgame {
    pub(crate) root: PublicState,
    pub(crate) ranges: [Range; 2],
    pub(crate) betting: Betting,
    pub(crate) census: Census,
    pub(crate) symmetric: bool,
}

/// The size of a subgame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Number of nodes of the betting tree, not counting cards. A deal is one, too.
    pub nodes: usize,
    /// Number of hands of the first and the second player on the first board.
    pub hands: [usize; 2],
    /// Number of pairs of hand and action over all boards. Each has a regret and an average.
    pub cells: u64,
    /// The same on the first street, the next and the one after that.
    pub by_street: [u64; 3],
    /// Total bytes that solving takes.
    pub bytes: u64,
}

impl Subgame {
    /// Maximum number of nodes of a betting tree, not counting cards and deals.
    pub const NODES: usize = 250_000;

    /// Builds the subgame that starts in this state. The first range is that of the player in seat
    /// 0.
    ///
    /// The menu returns the actions at a decision: fold, call, then raises from the smallest, all
    /// of them legal. It must not depend on the cards: it is not asked for each card that can be
    /// dealt.
    ///
    /// # Errors
    /// When the state, the ranges or the menu do not make a valid subgame.
    pub fn new(
        root: &PublicState,
        ranges: [&Range; 2],
        menu: &dyn Fn(&PublicState) -> Vec<Action>,
    ) -> Result<Subgame, Error> {
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
    ) -> Result<Subgame, Error> {
        check(root)?;
        let board: CardSet = root.board().set();
        let def = root.def();
        let census = Table { def, board, ranges, symmetric }.census();
        for player in Player::BOTH {
            if census.hands[0][player.index()] == 0 {
                return Err(empty_range(player, board));
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
        let (mut by_street, mut numbers, mut decisions, mut storages) = ([0; 3], 0, 0, 0);
        for line in &self.betting.lines {
            let boards = self.census.boards[line.street];
            let of = |each: [u64; 2]| {
                (0..2).map(|player| line.rows[player] as u64 * each[player]).sum::<u64>()
            };
            by_street[line.street] += of(self.census.hands[line.street]);
            numbers += of(self.census.numbers[line.street]);
            decisions += line.decisions.len() as u64 * boards;
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
            cells: by_street.iter().sum(),
            by_street,
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
    pub(crate) fn workspaces(&self, precision: Precision) -> Vec<WorkspaceSize> {
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

    pub(crate) fn table(&self) -> Table<'_> {
        Table {
            def: self.root.def(),
            board: self.root.board().set(),
            ranges: self.ranges.each_ref(),
            symmetric: self.symmetric,
        }
    }
}

/// Checks that a subgame can start in this state.
pub(crate) fn check(root: &PublicState) -> Result<(), Error> {
    let def = root.def();
    if def.players != 2 {
        return Err(Error::new(format!(
            "the game has {} players: only subgames of two players can be solved",
            def.players
        )));
    }
    if def.hole_cards != 2 || def.board_cards != [0, 3, 1, 1] {
        return Err(Error::new(format!(
            "the game deals {} hole cards and {} board cards: a subgame needs 2 and 5, one each on \
             turn and river",
            def.hole_cards,
            def.full_board_len()
        )));
    }
    if !matches!(root.board().len(), 3..=5) {
        return Err(Error::new(format!(
            "the board has {} cards: a subgame begins on the flop, turn or river, with 3, 4 or 5",
            root.board().len()
        )));
    }
    match root.turn() {
        Turn::Act(_) => Ok(()),
        Turn::Deal(_) | Turn::Over => Err(Error::new(
            "nobody is to act: a subgame begins with a decision, so deal the cards that are due",
        )),
    }
}

/// The rule that a pot breaks.
fn pot_rule(pot: Chips, smallest: Chips) -> String {
    if smallest == 0 {
        "the smallest bet is 0, but must be at least 1".to_owned()
    } else if !pot.is_multiple_of(2) {
        "each player has paid half of it, so it must be even".to_owned()
    } else {
        let (two, four) = (2 * u64::from(smallest), 4 * u64::from(smallest));
        format!("with a smallest bet of {smallest} it must be {two}, or {four} or more")
    }
}

/// Returns the state at the start of a street in heads-up no-limit hold'em, in which each player
/// has paid half the pot and has `stacks` behind. Seat 0 acts first; `smallest` is the smallest bet
/// in chips.
///
/// The pot comes from a raise before the flop that is called; on later streets before this one both
/// players check.
///
/// # Errors
/// When no hand can reach such a state.
pub fn start(
    board: &Board,
    pot: Chips,
    stacks: [Chips; 2],
    smallest: Chips,
) -> Result<PublicState, Error> {
    if !matches!(board.len(), 3..=5) {
        return Err(Error::new(format!("the board has {} cards: give 3, 4 or 5", board.len())));
    }
    let half = pot / 2;
    let fits = smallest > 0 && (half == smallest || half / 2 >= smallest);
    if !pot.is_multiple_of(2) || !fits {
        return Err(Error::new(format!(
            "a pot of {pot} is not possible: {}",
            pot_rule(pot, smallest)
        )));
    }
    if stacks.contains(&0) {
        return Err(Error::new("a stack behind is 0: both players need chips to bet"));
    }
    let def = GameDef::new(GameSpec {
        betting: game::Betting::NoLimit,
        players: 2,
        streets: 4,
        stacks: stacks.map(|stack| stack.saturating_add(half)).to_vec(),
        blinds: vec![smallest, smallest / 2],
        raise_sizes: Vec::new(),
        first_to_act: vec![1, 0, 0, 0],
        max_raises: vec![GameSpec::NO_CAP; 4],
        suits: 4,
        ranks: 13,
        hole_cards: 2,
        board_cards: vec![0, 3, 1, 1],
        discards: false,
        quirks: game::Quirks::default(),
    })
    .map_err(|error| Error::new(error.to_string()))?;
    let mut state = PublicState::new(&Arc::new(def));
    state.apply_unchecked(if half == smallest { Action::Call } else { Action::RaiseTo(half) });
    state.apply_unchecked(Action::Call);
    for (street, cards) in
        [&board[..3], &board[3..4.min(board.len())], &board[4.min(board.len())..]]
            .into_iter()
            .enumerate()
            .filter(|(_, cards)| !cards.is_empty())
    {
        if street > 0 {
            state.apply_unchecked(Action::Call);
            state.apply_unchecked(Action::Call);
        }
        state.deal(cards).expect("different cards of a full deck, as many as are due");
    }
    Ok(state)
}

/// The error for a range without a hand that is possible on the board.
pub(crate) fn empty_range(player: Player, board: CardSet) -> Error {
    let player = match player {
        Player::First => "first",
        Player::Second => "second",
    };
    Error::new(format!(
        "the range of the {player} player has no hand left on {board:?}: give it one with a weight \
         above 0"
    ))
}

/// The error for ranges of which each hand of one shares a card with each of the other.
pub(crate) fn no_deal() -> Error {
    Error::new(
        "each hand of one range shares a card with each of the other: no two can be dealt together",
    )
}
