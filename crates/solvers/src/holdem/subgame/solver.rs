//! Counterfactual regret minimisation with ranges as vectors.
//!
//! An iteration traverses the game once for each player, for all hands of a public state together,
//! as in Johanson, Waugh, Bowling, Zinkevich, "Accelerating best response calculation in large
//! extensive games", IJCAI 2011, section 4. While one player learns, the traversal reaches all
//! decisions of the other with its hands and adds its current strategy to its average there. The
//! average of the player who learns first then either starts with what it has learnt in the first
//! iteration ([`Updates::SecondFirst`]), or is updated by a separate traversal beforehand
//! ([`Updates::Alternating`]).
//!
//! Snapshots, to continue from later (see [`runs::container`]): the texts are the subgame and the
//! options, then those of the caller; then 8 bytes each: iterations done, the caller's seconds (as
//! the bits of a float), the iteration of the next check, the last check and the best one (each the
//! iterations, or 0 for none, and the exploitability as the bits of a float), number of bytes that
//! follow. Then for each line on each board, a line before those that follow it: regrets, averages,
//! predictions if there are any; in 16 bits regrets, averages, and the two scales of each decision.

use std::io;
use std::io::{Read, Write};

use abstraction::betting::game_hash;
use cards::Combo;
use game::{Action, notation};
use sha2::{Digest, Sha256};
use show::number::hexadecimal;

use super::betting::Decision;
use super::boards::{Board, Boards};
use super::checks::Checks;
use super::evaluation::{Evaluation, Evaluator, deals, unblocked_weights};
use super::gadget::{Gadget, GadgetState};
use super::rows::Discount;
use super::spot::Spot;
use super::storage::{BoardStorage, Precision, Tile, Unpacked, dither};
use super::traversal::{Pass, View, Work, WorkspacePool};
use super::{Subgame, no_deal, vector};
use crate::error::{self, Error};
use crate::regret::{Schedule, Updates, Weight};
use crate::{Player, Variant};
use runs::container::{ContainerError, Kind, Reader, Writer};

/// Options of a [`Solver`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The algorithm. Updates must not be simultaneous; predictive variants need 32 bits and half
    /// as much memory again.
    pub variant: Variant,
    /// Number of planned iterations; used only by schedules that depend on it.
    pub horizon: u32,
    /// Storage of regrets and averages.
    pub precision: Precision,
    /// Maximum number of bytes to allocate.
    pub memory: u64,
}

impl Default for Options {
    /// [`Variant::SUBGAMES`] in 32 bits, with 4 GiB.
    fn default() -> Self {
        Options {
            variant: Variant::SUBGAMES,
            horizon: 1000,
            precision: Precision::Full,
            memory: 4 << 30,
        }
    }
}

/// A subgame being solved.
///
/// Deterministic: the same subgame, options and number of iterations give bitwise identical
/// strategies for any number of threads (of the pool that runs it), over which chance nodes are
/// spread.
#[derive(Debug)]
pub struct Solver {
    pub(crate) subgame: Subgame,
    pub(crate) boards: Boards,
    pub(crate) storage: BoardStorage,
    pub(crate) gadget: Option<GadgetState>,
    pub(crate) options: Options,
    pub(crate) iterations: u32,
    /// The weight of the last iteration in the averages.
    pub(crate) weight: f64,
    /// Whether strategies or locks were set since the last iteration.
    edited: bool,
    pub(crate) checks: Checks,
    workspaces: WorkspacePool<f32>,
    pub(crate) evaluation_workspaces: WorkspacePool<f64>,
}

impl Solver {
    /// Allocates a solver. The initial strategies are uniform.
    ///
    /// # Errors
    /// When it needs more memory than allowed, no two hands can be dealt together, or the variant
    /// is not supported.
    pub fn new(subgame: Subgame, options: Options) -> Result<Solver, Error> {
        let variant = options.variant;
        let halved = options.precision == Precision::Half;
        if variant.updates == Updates::Simultaneous || variant.predictive && halved {
            let text = format!(
                "{variant} cannot solve subgames this way: variants with simultaneous updates \
                 cannot, and those with predictions only in 32 bits; take another, such as \
                 dcfr+,second-first"
            );
            return Err(Error::with_kind(error::Kind::Algorithm, text));
        }
        let size = subgame.size(&options);
        if size.bytes > options.memory {
            let (needed, cells) = (size.bytes, size.cells);
            let text = format!(
                "solving takes {needed} bytes for {cells} pairs of hand and action, and {} are \
                 allowed: offer fewer sizes, start on a later street, use 16-bit storage, or raise \
                 the limit",
                options.memory
            );
            return Err(Error::with_kind(error::Kind::Memory { needed, cells }, text));
        }
        let boards = Boards::new(&subgame.table());
        let storage = board_storage(&subgame, &boards, 0, 0, &options);
        let sizes = subgame.workspaces(options.precision);
        let (workspaces, evaluation_workspaces) =
            (WorkspacePool::new(sizes.clone()), WorkspacePool::new(sizes));
        let (gadget, iterations, weight) = (None, 0, 1.0);
        let solver = Solver {
            subgame,
            boards,
            storage,
            gadget,
            options,
            iterations,
            weight,
            edited: false,
            checks: Checks::NONE,
            workspaces,
            evaluation_workspaces,
        };
        if solver.deals() > 0.0 { Ok(solver) } else { Err(no_deal()) }
    }

    /// The same as [`Solver::new`], for a subgame in which a player may take an offer instead of
    /// entering it. Evaluations are of the game with that choice. A solver with a gadget cannot be
    /// [written](Solver::write).
    ///
    /// # Errors
    /// As [`Solver::new`].
    pub fn with_gadget(
        subgame: Subgame,
        options: Options,
        gadget: &Gadget,
    ) -> Result<Solver, Error> {
        let mut solver = Solver::new(subgame, options)?;
        let board = &solver.boards.all[0];
        let others: Vec<f64> = solver.weights(gadget.player.other()).collect();
        let unblocked = unblocked_weights(board, gadget.player, &others);
        let range = solver.weights(gadget.player).collect();
        solver.gadget = Some(GadgetState::new(gadget, board, range, unblocked));
        Ok(solver)
    }

    /// The subgame being solved.
    pub fn subgame(&self) -> &Subgame {
        &self.subgame
    }

    /// Number of iterations done.
    pub fn iterations(&self) -> u32 {
        self.iterations
    }

    /// Runs one iteration, in which both players learn once. The first one after a strategy or a
    /// lock was set begins from the start.
    pub fn step(&mut self) {
        if self.edited {
            self.storage.forget_unlocked();
            self.restart();
            self.checks = Checks::NONE;
        }
        let average = self.next_weight();
        let Options { variant, horizon, .. } = self.options;
        let discount = variant.discount(self.iterations, horizon).into();
        if variant.updates == Updates::SecondFirst {
            self.update_regrets(Player::Second, discount, Some(average));
            self.update_regrets(Player::First, discount, Some(average));
        } else {
            self.update_average(Player::First, average);
            self.update_regrets(Player::First, discount, Some(average));
            self.update_regrets(Player::Second, discount, None);
        }
    }

    /// Notes that a strategy or a lock was set: what was found out before does not count any more.
    pub(crate) fn begin_anew(&mut self) {
        self.edited = true;
        self.checks = Checks::NONE;
    }

    /// Forgets what was learnt, and keeps the locks.
    pub(crate) fn restart(&mut self) {
        self.storage.clear();
        self.gadget.iter_mut().for_each(GadgetState::clear);
        (self.iterations, self.weight, self.edited) = (0, 1.0, false);
    }

    /// Begins the next iteration; returns the weight of its strategies in the averages.
    fn next_weight(&mut self) -> Weight {
        self.iterations += 1;
        let Options { variant, horizon, .. } = self.options;
        let factors = variant.schedule.factors(self.iterations, horizon);
        Weight::next(&mut self.weight, factors.average)
    }

    /// Updates a player's regrets against the other's current strategy. With `average`, adds the
    /// other's current strategy to its averages with this weight.
    fn update_regrets(&mut self, player: Player, discount: Discount, average: Option<Weight>) {
        let weights = self.entry_weights(player.other(), average);
        let view = View { boards: &self.boards, player };
        let pass = Pass {
            betting: &self.subgame.betting,
            view,
            work: UpdateRegrets { discount, average, dither: dither(self.iterations) },
        };
        let gadget = self.gadget.as_mut().filter(|gadget| gadget.player == player);
        pass.run(&mut self.storage, &weights, &self.workspaces, |values| {
            if let Some(gadget) = gadget {
                gadget.update_regrets(values, discount);
            }
        });
    }

    /// Adds a player's current strategy to its average with this weight.
    fn update_average(&mut self, player: Player, average: Weight) {
        let weights = self.entry_weights(player, Some(average));
        let view = View { boards: &self.boards, player: player.other() };
        let work = AverageOnly { average, dither: dither(self.iterations) };
        let pass = Pass { betting: &self.subgame.betting, view, work };
        pass.follow(&mut self.storage, &weights, &self.workspaces);
    }

    /// The weights with which a player's hands enter the subgame by its current strategy. With
    /// `average`, the strategy is added to the averages of the gadget with this weight.
    fn entry_weights(&mut self, player: Player, average: Option<Weight>) -> Vec<f32> {
        match self.gadget.as_mut().filter(|of| of.player == player) {
            Some(gadget) => gadget.entry_weights(average),
            None => self.weights(player).map(|weight| weight as f32).collect(),
        }
    }

    /// Runs a number of iterations.
    pub fn run(&mut self, iterations: u32) {
        (0..iterations).for_each(|_| self.step());
    }

    /// Returns the exact values of the average strategies against each other and against best
    /// responses, in double precision over all hands and cards.
    pub fn evaluate(&mut self) -> Evaluation {
        let Solver { subgame, boards, evaluation_workspaces: workspaces, storage, gadget, .. } =
            self;
        Evaluator { subgame, boards, workspaces, gadget: gadget.as_ref() }.evaluate(storage)
    }

    /// Returns the exploitability of the average strategies in chips: what a player who knows the
    /// other's strategy wins beyond the value of the game, averaged over both players. Exact, in
    /// half the time of [`Solver::evaluate`].
    pub fn exploitability(&mut self) -> f64 {
        let Solver { subgame, boards, evaluation_workspaces: workspaces, storage, gadget, .. } =
            self;
        Evaluator { subgame, boards, workspaces, gadget: gadget.as_ref() }.exploitability(storage)
    }

    /// Returns what a player wins with its average strategy against the other's, in chips; with
    /// `best`, with a best response. Exact, in a quarter of the time of [`Solver::evaluate`].
    pub fn worth(&mut self, player: Player, best: bool) -> f64 {
        let Solver { subgame, boards, evaluation_workspaces: workspaces, storage, gadget, .. } =
            self;
        let evaluator = Evaluator { subgame, boards, workspaces, gadget: gadget.as_ref() };
        evaluator.worth(storage, player, best)
    }

    /// The spot at the subgame's root, from which average strategies can be looked up.
    pub fn spot(&self) -> Spot<'_> {
        Spot::new(self)
    }

    /// The weights of a player's hands on the first board, in order.
    fn weights(&self, player: Player) -> impl Iterator<Item = f64> {
        weights(&self.subgame, &self.boards.all[0], player)
    }

    /// The total weight of all pairs of hands that can be dealt together.
    fn deals(&self) -> f64 {
        deals(&self.subgame, &self.boards.all[0])
    }
}

/// The weights of a player's hands on a board, in order.
pub(crate) fn weights(
    subgame: &Subgame,
    board: &Board,
    player: Player,
) -> impl Iterator<Item = f64> {
    let range = subgame.range(player);
    board.hands[player.index()].all().map(|combo| range.weight(combo))
}

/// Allocates the storage of a line on a board and of everything that can follow it.
fn board_storage(
    subgame: &Subgame,
    boards: &Boards,
    line: usize,
    board: usize,
    options: &Options,
) -> BoardStorage {
    let (line, board) = (&subgame.betting.lines[line], &boards.all[board]);
    let mut storage = BoardStorage::new(line, board, options.precision, options.variant.predictive);
    storage.below = line
        .deals
        .iter()
        .flat_map(|leaf| board.next.iter().map(move |next| (leaf.line, next.board)))
        .map(|(line, board)| board_storage(subgame, boards, line, board, options))
        .collect();
    storage
}

/// The work of an iteration: a player learns against the other's current strategy.
struct UpdateRegrets {
    discount: Discount,
    /// The weight of the other's strategy in its averages; `None` to leave them unchanged.
    average: Option<Weight>,
    dither: f32,
}

impl Work for UpdateRegrets {
    type Real = f32;

    fn split(
        &self,
        storage: &mut BoardStorage,
        decision: &Decision,
        tile: Tile,
        unpacked: &mut Unpacked,
        reach: &[f32],
        children: &mut [f32],
    ) {
        match self.average {
            Some(average) => {
                let dither = self.dither;
                storage.with_averages(decision, tile, unpacked, dither, |weights, averages| {
                    vector::split(weights, reach, children, averages, average, tile.row);
                });
            }
            None => storage.weights(decision, tile, unpacked, |weights| {
                vector::split_by(weights, reach, children, tile.row);
            }),
        }
    }

    fn join(
        &self,
        storage: &mut BoardStorage,
        decision: &Decision,
        tile: Tile,
        unpacked: &mut Unpacked,
        values: &[f32],
        value: &mut [f32],
    ) {
        let (discount, row) = (self.discount, tile.row);
        let dither = self.dither;
        storage.with_regrets(
            decision,
            tile,
            unpacked,
            dither,
            |regrets, predicted| match predicted {
                None => vector::learn(regrets, values, value, discount, row),
                Some(predicted) => {
                    vector::learn_ahead(regrets, predicted, values, value, discount, row);
                }
            },
        );
    }
}

/// Adds a player's current strategy to its average and does nothing else.
struct AverageOnly {
    average: Weight,
    dither: f32,
}

impl Work for AverageOnly {
    type Real = f32;

    fn split(
        &self,
        storage: &mut BoardStorage,
        decision: &Decision,
        tile: Tile,
        unpacked: &mut Unpacked,
        reach: &[f32],
        children: &mut [f32],
    ) {
        storage.with_averages(decision, tile, unpacked, self.dither, |weights, averages| {
            vector::split(weights, reach, children, averages, self.average, tile.row);
        });
    }

    fn join(
        &self,
        _: &mut BoardStorage,
        _: &Decision,
        _: Tile,
        _: &mut Unpacked,
        _: &[f32],
        _: &mut [f32],
    ) {
    }
}

const KIND: Kind = Kind { name: "subgame", magic: b"cardroom subgame\n", version: 3 };

impl Solver {
    /// Writes a snapshot with everything needed to continue. `more` are texts of the caller that
    /// describe the subgame and must be the same on [`Solver::resume`]; `seconds` is a number that
    /// is returned then.
    ///
    /// # Errors
    /// When writing fails; [`io::ErrorKind::Unsupported`] with a gadget.
    pub fn write(
        &self,
        more: &[(&'static str, String)],
        seconds: f64,
        to: impl Write,
    ) -> io::Result<()> {
        if self.gadget.is_some() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let mut to = Writer::begin(to, KIND)?;
        to.names(&self.names(more))?;
        let Checks { next, last, best, .. } = self.checks;
        // From strategies or locks that were set, solving begins from the start.
        let iterations = if self.edited { 0 } else { self.iterations };
        to.numbers(&[u64::from(iterations), seconds.to_bits(), next.into()])?;
        for (at, found) in [last, best].map(Option::unwrap_or_default) {
            to.numbers(&[u64::from(at), found.to_bits()])?;
        }
        to.numbers(&[self.storage.bytes()])?;
        self.storage.write(&mut to)?;
        to.end().map(drop)
    }

    /// Continues, on any number of threads, from a snapshot that another solver of the same subgame
    /// with the same options and locks wrote. From then on both give bitwise identical results.
    /// Returns the caller's number, too.
    ///
    /// # Errors
    /// When the bytes are not a snapshot, are truncated or damaged, have trailing data, or are of
    /// another subgame, other options or other texts of the caller: the message has both texts.
    pub fn resume(
        mut self,
        more: &[(&'static str, String)],
        from: impl Read,
    ) -> Result<(Solver, f64), Error> {
        let mut from = Reader::begin(from, KIND)?;
        from.names(&self.names(more))?;
        let count = |number: u64| u32::try_from(number).map_err(|_| ContainerError::Damaged);
        let iterations = count(from.number()?)?;
        let seconds = f64::from_bits(from.number()?);
        let next = count(from.number()?)?;
        let mut check = || -> Result<_, Error> {
            let (at, found) = (count(from.number()?)?, f64::from_bits(from.number()?));
            Ok((at > 0).then_some((at, found)))
        };
        self.checks = Checks { next, last: check()?, best: check()?, ..Checks::NONE };
        let bytes = self.storage.bytes();
        from.expect("number of bytes", bytes)?;
        from.left(bytes);
        self.storage.read(&mut from)?;
        from.end()?;
        self.storage.forget_unlocked();
        self.edited = false;
        (0..iterations).for_each(|_| _ = self.next_weight());
        Ok((self, seconds))
    }

    /// A hash of what a snapshot with these texts of the caller must have in common with the solver
    /// that continues it: SHA-256 in hexadecimal.
    pub fn fingerprint(&self, more: &[(&'static str, String)]) -> String {
        let mut hash = Sha256::new();
        for (_, text) in self.names(more) {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
        hexadecimal(&hash.finalize())
    }

    /// The texts that describe the subgame and the options.
    fn names(&self, more: &[(&'static str, String)]) -> Vec<(&'static str, String)> {
        let root = &self.subgame.root;
        let (stacks, committed) = (&root.def().stacks, root.committed().as_slice());
        let [first, second] = [0, 1].map(|seat: usize| stacks[seat] - committed[seat]);
        let range = |player| self.subgame.range(player).to_string();
        let options = &self.options;
        let mut way = format!(
            "{} in {} bits",
            options.variant,
            match options.precision {
                Precision::Full => 32,
                Precision::Half => 16,
            }
        );
        if let Schedule::Hyper { .. } = options.variant.schedule {
            way.push_str(&format!(", planned for {} iterations", options.horizon));
        }
        let mut names = vec![
            ("board", root.board().to_string()),
            ("pot and stacks", format!("pot {}, {first} and {second} behind", root.pot())),
            ("first range", range(Player::First)),
            ("second range", range(Player::Second)),
            ("way of solving", way),
        ];
        names.extend(more.iter().cloned());
        // A hash of what the texts do not specify.
        names.push(("fingerprint", self.subgame_hash()));
        names
    }

    /// A hash of the exact rules, betting and ranges.
    fn subgame_hash(&self) -> String {
        let subgame = &self.subgame;
        let mut hash = Sha256::new();
        hash.update(game_hash(subgame.root.def()));
        hash.update(notation::betting(&subgame.root));
        hash.update([u8::from(subgame.symmetric)]);
        for player in Player::BOTH {
            let range = subgame.range(player);
            Combo::all().for_each(|combo| hash.update(range.weight(combo).to_le_bytes()));
        }
        for line in &subgame.betting.lines {
            let actions = || line.decisions.iter().flat_map(|at| subgame.betting.actions(line, at));
            hash.update((actions().count() as u64).to_le_bytes());
            for &action in actions() {
                let (kind, total) = match action {
                    Action::Fold => (0, 0),
                    Action::Call => (1, 0),
                    Action::RaiseTo(total) => (2, total),
                };
                hash.update([kind]);
                hash.update(total.to_le_bytes());
            }
            line.deals.iter().for_each(|leaf| hash.update((leaf.line as u64).to_le_bytes()));
        }
        hexadecimal(&hash.finalize())
    }
}
