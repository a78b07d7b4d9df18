//! Counterfactual regret minimisation with ranges as vectors.
//!
//! An iteration looks at the game once for each player: at all hands of a public state together, as in
//! Johanson, Waugh, Bowling, Zinkevich, "Accelerating best response calculation in large extensive games",
//! IJCAI 2011, section 4. While one player learns, the other's current strategy is added to its average; so
//! the average of the one who learns first begins with what it has learnt in the first iteration.

use super::betting::Decision;
use super::boards::{Board, Boards};
use super::ends::View;
use super::judge::{Evaluation, Judge};
use super::pass::{Pass, Work};
use super::rooms::Rooms;
use super::rows::Discounts;
use super::storage::{Part, Precision, Unpacked};
use super::{Spot, Subgame, SubgameError, vector};
use crate::{Order, Player, Updates, Variant};

/// How to solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The algorithm: one with alternating updates and without predictions. Unlike in tabular games the second player,
    /// who acts last, learns first: with deep stacks that is a quarter closer to an equilibrium after as many
    /// iterations, with shallow ones much the same.
    pub variant: Variant,
    /// How many iterations are planned; only schedules that look ahead use it.
    pub horizon: u32,
    /// How regrets and averages are kept.
    pub precision: Precision,
    /// The most bytes to allocate.
    pub memory: u64,
}

impl Default for Options {
    /// DCFR+ in 32 bits, with 4 GiB.
    fn default() -> Self {
        Options {
            variant: Variant::DCFR_PLUS,
            horizon: 1000,
            precision: Precision::Full,
            memory: 4 << 30,
        }
    }
}

/// A subgame being solved.
///
/// Deterministic: the same subgame, options and iterations give the same strategies to the bit, at any
/// number of threads. Chance is spread over the threads of the rayon pool in which it is called.
#[derive(Debug)]
pub struct Solver {
    pub(super) subgame: Subgame,
    pub(super) boards: Boards,
    pub(super) part: Part,
    options: Options,
    iterations: u32,
    rooms: Rooms<f32>,
    pub(super) judging: Rooms<f64>,
}

impl Solver {
    /// Allocates everything. Strategies are uniform at first.
    ///
    /// # Errors
    /// When it takes more memory than allowed, no two hands can be dealt together, or the algorithm does not
    /// work here.
    pub fn new(subgame: Subgame, options: Options) -> Result<Solver, SubgameError> {
        let variant = options.variant;
        if variant.predictive || variant.updates == Updates::Simultaneous {
            return Err(SubgameError::Variant(variant));
        }
        let size = subgame.size(options.precision);
        if size.bytes > options.memory {
            let (needed, cells) = (size.bytes, size.cells);
            return Err(SubgameError::Memory { needed, cells, limit: options.memory });
        }
        let boards = Boards::new(&subgame.table());
        let part = parts(&subgame, &boards, 0, 0, options.precision);
        let (rooms, judging) = (Rooms::new(subgame.rooms()), Rooms::new(subgame.rooms()));
        let solver = Solver { subgame, boards, part, options, iterations: 0, rooms, judging };
        match solver.deals() > 0.0 {
            true => Ok(solver),
            false => Err(SubgameError::NoDeal),
        }
    }

    /// What is being solved.
    pub fn subgame(&self) -> &Subgame {
        &self.subgame
    }

    /// Iterations done.
    pub fn iterations(&self) -> u32 {
        self.iterations
    }

    /// One iteration: both players learn once, the second one first.
    pub fn step(&mut self) {
        self.iterations += 1;
        let Options { variant, horizon, .. } = self.options;
        let t = self.iterations;
        let now = variant.schedule.factors(t, horizon);
        let before = (t > 1).then(|| variant.schedule.factors(t - 1, horizon));
        let discounts = match variant.order {
            Order::AddThenDiscount => Discounts::new(None, Some(now)),
            Order::DiscountThenAdd => Discounts::new(before, None),
        };
        for player in [Player::Second, Player::First] {
            let weights: Vec<f32> = self.weights(player.other()).map(|w| w as f32).collect();
            let work = Learn { discounts, average: now.average as f32 };
            let view = View { boards: &self.boards, player };
            let pass = Pass { betting: &self.subgame.betting, view, work };
            pass.run(&mut self.part, &weights, &self.rooms, |_| ());
        }
    }

    /// So many iterations.
    pub fn run(&mut self, iterations: u32) {
        (0..iterations).for_each(|_| self.step());
    }

    /// Iterations until the exploitability is at most this share of the pot, looking after every `every`, or
    /// until so many are done in all. Returns the last look.
    pub fn run_until(&mut self, share: f64, every: u32, most: u32) -> Evaluation {
        loop {
            let left = most.saturating_sub(self.iterations);
            self.run(every.max(1).min(left));
            let goal = share * self.subgame.root.pot() as f64;
            if self.iterations >= most || self.exploitability() <= goal {
                return self.evaluate();
            }
        }
    }

    /// What the average strategies win against each other and against best responses, exactly: in double
    /// precision, over all hands and cards.
    pub fn evaluate(&mut self) -> Evaluation {
        let Solver { subgame, boards, judging: rooms, part, .. } = self;
        Judge { subgame, boards, rooms }.evaluate(part)
    }

    /// How far the average strategies are from an equilibrium, in chips: what a player who knows the
    /// other's strategy wins beyond the value of the game, the mean of both players. Exact, in half the time
    /// of [`Solver::evaluate`].
    pub fn exploitability(&mut self) -> f64 {
        let Solver { subgame, boards, judging: rooms, part, .. } = self;
        Judge { subgame, boards, rooms }.exploitability(part)
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
        super::judge::met(&self.subgame, &self.boards.all[0], Player::First)
            .into_iter()
            .zip(self.weights(Player::First))
            .map(|(met, own)| met * own)
            .sum()
    }
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

/// Room for a line on a board, and for what follows it.
fn parts(
    subgame: &Subgame,
    boards: &Boards,
    line: usize,
    board: usize,
    precision: Precision,
) -> Part {
    let (line, board) = (&subgame.betting.lines[line], &boards.all[board]);
    let mut part = Part::new(line, board, precision);
    part.below = line
        .deals
        .iter()
        .flat_map(|leaf| board.next.iter().map(move |next| (leaf.line, next.board)))
        .map(|(line, board)| parts(subgame, boards, line, board, precision))
        .collect();
    part
}

/// A player learns against the other's current strategy.
struct Learn {
    discounts: Discounts,
    /// What the averages so far are multiplied with.
    average: f32,
}

impl Work for Learn {
    type Real = f32;

    fn split(
        &self,
        part: &mut Part,
        decision: &Decision,
        unpacked: &mut Unpacked,
        reach: &[f32],
        children: &mut [f32],
    ) {
        part.with_averages(decision, unpacked, |regrets, averages| {
            vector::split(regrets, reach, children, averages, self.average);
        });
    }

    fn join(
        &self,
        part: &mut Part,
        decision: &Decision,
        unpacked: &mut Unpacked,
        values: &[f32],
        value: &mut [f32],
    ) {
        part.with_regrets(decision, unpacked, |regrets| {
            vector::learn(regrets, values, value, self.discounts);
        });
    }
}
