//! Counterfactual regret minimisation with ranges as vectors.
//!
//! An iteration looks at the game once for each player: at all hands of a public state together, as
//! in Johanson, Waugh, Bowling, Zinkevich, "Accelerating best response calculation in large
//! extensive games", IJCAI 2011, section 4. While one player learns, the hands of the other are at
//! all its decisions, and there its current strategy is added to its average. The average of the
//! one who learns first then begins with what it has learnt in the first iteration
//! ([`Updates::SecondFirst`]), or takes a walk of its own before ([`Updates::Alternating`]).

use super::betting::Decision;
use super::boards::{Board, Boards};
use super::ends::View;
use super::gadget::{Entrance, Gadget};
use super::judge::{Evaluation, Judge};
use super::pass::{Pass, Work};
use super::rows::Discount;
use super::storage::{Part, Precision, Tile, Unpacked};
use super::workspace::Rooms;
use super::{Spot, Subgame, SubgameError, vector};
use crate::{Player, Updates, Variant};

/// How to solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The algorithm: one whose updates are not simultaneous; with predictions in 32 bits only,
    /// which take half as much memory again.
    pub variant: Variant,
    /// How many iterations are planned; only schedules that look ahead use it.
    pub horizon: u32,
    /// How regrets and averages are kept.
    pub precision: Precision,
    /// The most bytes to allocate.
    pub memory: u64,
}

impl Default for Options {
    /// DCFR+ in 32 bits, with 4 GiB. The second player, who acts last, learns first: with deep
    /// stacks that is a quarter closer to an equilibrium after as many iterations, with shallow
    /// ones much the same, and it saves a walk.
    fn default() -> Self {
        Options {
            variant: Variant::DCFR_PLUS.second_first(),
            horizon: 1000,
            precision: Precision::Full,
            memory: 4 << 30,
        }
    }
}

/// A subgame being solved.
///
/// Deterministic: the same subgame, options and iterations give the same strategies to the bit, at
/// any number of threads. Chance is spread over the threads of the rayon pool in which it is
/// called.
#[derive(Debug)]
pub struct Solver {
    pub(super) subgame: Subgame,
    pub(super) boards: Boards,
    pub(super) part: Part,
    pub(super) entrance: Option<Entrance>,
    pub(super) options: Options,
    pub(super) iterations: u32,
    workspaces: Rooms<f32>,
    pub(super) judging: Rooms<f64>,
}

impl Solver {
    /// Allocates everything. Strategies are uniform at first.
    ///
    /// # Errors When it takes more memory than allowed, no two hands can be dealt together, or the
    /// algorithm does not work here.
    pub fn new(subgame: Subgame, options: Options) -> Result<Solver, SubgameError> {
        let variant = options.variant;
        let halved = options.precision == Precision::Half;
        if variant.updates == Updates::Simultaneous || variant.predictive && halved {
            return Err(SubgameError::Variant(variant));
        }
        let size = subgame.size(&options);
        if size.bytes > options.memory {
            let (needed, cells) = (size.bytes, size.cells);
            return Err(SubgameError::Memory { needed, cells, limit: options.memory });
        }
        let boards = Boards::new(&subgame.table());
        let part = parts(&subgame, &boards, 0, 0, &options);
        let (workspaces, judging) =
            (Rooms::new(subgame.workspaces()), Rooms::new(subgame.workspaces()));
        let (entrance, iterations) = (None, 0);
        let solver =
            Solver { subgame, boards, part, entrance, options, iterations, workspaces, judging };
        match solver.deals() > 0.0 {
            true => Ok(solver),
            false => Err(SubgameError::NoDeal),
        }
    }

    /// The same for a player who may take an offer instead of coming there. What is evaluated then
    /// is the game with that choice. A solver with a gadget cannot be [written](Solver::write).
    ///
    /// # Errors
    /// As [`Solver::new`].
    pub fn with_gadget(
        subgame: Subgame,
        options: Options,
        gadget: &Gadget,
    ) -> Result<Solver, SubgameError> {
        let mut solver = Solver::new(subgame, options)?;
        let board = &solver.boards.all[0];
        let others: Vec<f64> = solver.weights(gadget.player.other()).collect();
        let met = super::judge::met(board, gadget.player, &others);
        solver.entrance = Some(Entrance::new(gadget, board, &met));
        Ok(solver)
    }

    /// What is being solved.
    pub fn subgame(&self) -> &Subgame {
        &self.subgame
    }

    /// Iterations done.
    pub fn iterations(&self) -> u32 {
        self.iterations
    }

    /// One iteration: both players learn once.
    pub fn step(&mut self) {
        self.iterations += 1;
        let Options { variant, horizon, .. } = self.options;
        let average = variant.schedule.factors(self.iterations, horizon).average as f32;
        let discount = variant.discount(self.iterations, horizon).into();
        if variant.updates == Updates::SecondFirst {
            self.learn(Player::Second, discount, Some(average));
            self.learn(Player::First, discount, Some(average));
        } else {
            self.remember(Player::First, average);
            self.learn(Player::First, discount, Some(average));
            self.learn(Player::Second, discount, None);
        }
    }

    /// A player learns against the other's current strategy, which is added to the other's average
    /// if a factor for what is there already is given.
    fn learn(&mut self, player: Player, discount: Discount, average: Option<f32>) {
        let weights = self.coming(player.other(), average);
        let view = View { boards: &self.boards, player };
        let pass = Pass { betting: &self.subgame.betting, view, work: Learn { discount, average } };
        let entrance = self.entrance.as_mut().filter(|entrance| entrance.player == player);
        pass.run(&mut self.part, &weights, &self.workspaces, |values| {
            if let Some(entrance) = entrance {
                entrance.learn(values, discount);
            }
        });
    }

    /// Adds a player's current strategy to its average.
    fn remember(&mut self, player: Player, average: f32) {
        let weights = self.coming(player, Some(average));
        let view = View { boards: &self.boards, player: player.other() };
        let pass = Pass { betting: &self.subgame.betting, view, work: Remember { average } };
        pass.follow(&mut self.part, &weights, &self.workspaces);
    }

    /// The weights with which a player's hands come to the subgame by its current strategy, which
    /// is added to its average if a factor for what is there already is given.
    fn coming(&mut self, player: Player, average: Option<f32>) -> Vec<f32> {
        let mut weights: Vec<f32> = self.weights(player).map(|w| w as f32).collect();
        if let Some(entrance) = self.entrance.as_mut().filter(|of| of.player == player) {
            entrance.come(&mut weights, average);
        }
        weights
    }

    /// So many iterations.
    pub fn run(&mut self, iterations: u32) {
        (0..iterations).for_each(|_| self.step());
    }

    /// Iterations until the exploitability is at most this share of the pot, or until so many are
    /// done in all. It is looked at after multiples of `every`: of these only after those at which
    /// it can be small enough, see [`next_look`]. Returns the last look.
    pub fn run_until(&mut self, share: f64, every: u32, most: u32) -> Evaluation {
        let goal = share * self.subgame.root.pot() as f64;
        let mut next = every.max(1);
        loop {
            self.run(next.min(most).saturating_sub(self.iterations));
            let found = self.exploitability();
            if self.iterations >= most || found <= goal {
                return self.evaluate();
            }
            next = next_look(self.iterations, found / goal, every);
        }
    }

    /// What the average strategies win against each other and against best responses, exactly: in
    /// double precision, over all hands and cards.
    pub fn evaluate(&mut self) -> Evaluation {
        let Solver { subgame, boards, judging: workspaces, part, entrance, .. } = self;
        Judge { subgame, boards, workspaces, entrance: entrance.as_ref() }.evaluate(part)
    }

    /// How far the average strategies are from an equilibrium, in chips: what a player who knows
    /// the other's strategy wins beyond the value of the game, the mean of both players. Exact, in
    /// half the time of [`Solver::evaluate`].
    pub fn exploitability(&mut self) -> f64 {
        let Solver { subgame, boards, judging: workspaces, part, entrance, .. } = self;
        Judge { subgame, boards, workspaces, entrance: entrance.as_ref() }.exploitability(part)
    }

    /// The beginning of the subgame, from which average strategies can be looked up.
    pub fn spot(&self) -> Spot<'_> {
        Spot::new(self)
    }

    /// The weights of a player's hands on the first board.
    fn weights(&self, player: Player) -> impl Iterator<Item = f64> {
        weights(&self.subgame, &self.boards.all[0], player)
    }

    /// The weight of all pairs of hands that can be dealt together.
    fn deals(&self) -> f64 {
        super::judge::deals(&self.subgame, &self.boards.all[0])
    }
}

/// The iteration, a multiple of `every`, at which to compute the exploitability next, when after
/// `iterations` it is `times` too large. Computing it takes as long as one or two iterations. With
/// DCFR+ it falls with the square of the iterations at first, later more slowly: it is not computed
/// where it would be too large even if it fell with their power of two and a half.
fn next_look(iterations: u32, times: f64, every: u32) -> u32 {
    let every = every.max(1);
    let least = f64::from(iterations) * times.max(1.0).powf(1.0 / 2.5);
    let soon = iterations / every + 1;
    // Where nothing else is known, as with a goal of zero, ten times as many.
    let far = (least.min(10.0 * f64::from(iterations)) / f64::from(every)).ceil() as u32;
    every.saturating_mul(soon.max(far))
}

/// The weights of a player's hands on a board in order.
pub(super) fn weights(
    subgame: &Subgame,
    board: &Board,
    player: Player,
) -> impl Iterator<Item = f64> {
    let range = subgame.range(player);
    board.hands[player.index()].all().map(|combo| range.weight(combo))
}

/// Workspace for a line on a board, and for what follows it.
fn parts(subgame: &Subgame, boards: &Boards, line: usize, board: usize, options: &Options) -> Part {
    let (line, board) = (&subgame.betting.lines[line], &boards.all[board]);
    let mut part = Part::new(line, board, options.precision, options.variant.predictive);
    part.below = line
        .deals
        .iter()
        .flat_map(|leaf| board.next.iter().map(move |next| (leaf.line, next.board)))
        .map(|(line, board)| parts(subgame, boards, line, board, options))
        .collect();
    part
}

/// A player learns against the other's current strategy.
struct Learn {
    discount: Discount,
    /// What the other's averages so far are multiplied with before its strategy is added; None to
    /// leave them alone.
    average: Option<f32>,
}

impl Work for Learn {
    type Real = f32;

    fn split(
        &self,
        part: &mut Part,
        decision: &Decision,
        tile: Tile,
        unpacked: &mut Unpacked,
        reach: &[f32],
        children: &mut [f32],
    ) {
        match self.average {
            Some(average) => part.with_averages(decision, tile, unpacked, |weights, averages| {
                vector::split(weights, reach, children, averages, average, tile.row);
            }),
            None => part.weights(decision, tile, unpacked, |weights| {
                vector::split_by(weights, reach, children, tile.row);
            }),
        }
    }

    fn join(
        &self,
        part: &mut Part,
        decision: &Decision,
        tile: Tile,
        unpacked: &mut Unpacked,
        values: &[f32],
        value: &mut [f32],
    ) {
        let (discount, row) = (self.discount, tile.row);
        part.with_regrets(decision, tile, unpacked, |regrets, predicted| match predicted {
            None => vector::learn(regrets, values, value, discount, row),
            Some(predicted) => {
                vector::learn_ahead(regrets, predicted, values, value, discount, row);
            }
        });
    }
}

/// A player's current strategy is added to its average, and nothing else is done.
struct Remember {
    /// What the averages so far are multiplied with.
    average: f32,
}

impl Work for Remember {
    type Real = f32;

    fn split(
        &self,
        part: &mut Part,
        decision: &Decision,
        tile: Tile,
        unpacked: &mut Unpacked,
        reach: &[f32],
        children: &mut [f32],
    ) {
        part.with_averages(decision, tile, unpacked, |weights, averages| {
            vector::split(weights, reach, children, averages, self.average, tile.row);
        });
    }

    fn join(
        &self,
        _: &mut Part,
        _: &Decision,
        _: Tile,
        _: &mut Unpacked,
        _: &[f32],
        _: &mut [f32],
    ) {
    }
}
