//! A hold'em subgame to solve, as `cardroom solve subgame` and the server's page for studying spots
//! pose it: the problem, how far it is to be solved, the result, and the spots of the solution.
//! Both show these values, so that they agree.

use std::fmt;
use std::str::FromStr;

use abstraction::menu::BetMenu;
use cards::Range;
use game::{Chips, PublicState, Turn};
use indicatif::HumanBytes;
use models::chart::{Chart, Hand};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use show::number::whole;
use solvers::Player;
use solvers::subgame::{
    Evaluation, HandValue, OffTree, Options, Precision, Size, Solver, Spot, Subgame,
};

/// The exploitability at which a solve ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Goal {
    Chips(f64),
    /// Share of the pot: 0.005 is half a percent.
    ShareOfPot(f64),
}

impl Goal {
    /// The goal where none is named.
    pub(crate) const USUAL: Goal = Goal::ShareOfPot(0.005);

    /// The exploitability in chips.
    pub(crate) fn chips(self, pot: u64) -> f64 {
        match self {
            Goal::Chips(chips) => chips,
            Goal::ShareOfPot(share) => share * pot as f64,
        }
    }
}

impl FromStr for Goal {
    type Err = String;

    fn from_str(text: &str) -> Result<Goal, String> {
        let number =
            |text: &str| text.trim().parse().ok().filter(|&n: &f64| n > 0.0 && n.is_finite());
        let goal = match text.strip_suffix('%') {
            Some(share) => number(share).map(|share| Goal::ShareOfPot(share / 100.0)),
            None => number(text).map(Goal::Chips),
        };
        goal.ok_or_else(|| "write chips above 0, or a share of the pot such as 0.5%".to_owned())
    }
}

/// The precision of stored numbers.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Bits {
    /// 8 bytes for each hand and action
    #[default]
    Single,
    /// 4 bytes, a little slower
    Half,
}

impl Bits {
    pub(crate) fn precision(self) -> Precision {
        match self {
            Bits::Single => Precision::Full,
            Bits::Half => Precision::Half,
        }
    }

    fn new(precision: Precision) -> Bits {
        match precision {
            Precision::Full => Bits::Single,
            Precision::Half => Bits::Half,
        }
    }
}

/// A subgame to solve, and how.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    /// The state in which it begins.
    pub(crate) root: PublicState,
    /// The ranges of both players.
    pub(crate) ranges: [Range; 2],
    /// The bets of both players.
    pub(crate) menus: [BetMenu; 2],
    pub(crate) smallest_bet: Chips,
    pub(crate) options: Options,
}

impl Problem {
    /// The subgame without numbers.
    ///
    /// # Errors
    /// When the ranges or the menus do not make a subgame.
    pub(crate) fn subgame(&self) -> Result<Subgame, solvers::Error> {
        let actions = |state: &PublicState| {
            let menu = match state.turn() {
                Turn::Act(seat) => &self.menus[seat.index()],
                Turn::Deal(_) | Turn::Over => &self.menus[0],
            };
            menu.actions(state).to_vec()
        };
        Subgame::new(&self.root, self.ranges.each_ref(), &actions)
    }

    /// A solver that has not begun.
    ///
    /// # Errors
    /// When it needs more memory than allowed, or the algorithm cannot solve this way.
    pub(crate) fn solver(&self, subgame: Subgame) -> Result<Solver, solvers::Error> {
        Solver::new(subgame, self.options)
    }

    /// The parameters of the problem that the solver does not know, in words.
    pub(crate) fn words(&self) -> Vec<(&'static str, String)> {
        let line = |menu: &BetMenu| menu.to_string().trim_end().replace('\n', "; ");
        let [first, second] = &self.menus;
        let mut words =
            vec![("smallest bet", self.smallest_bet.to_string()), ("menu", line(first))];
        if first != second {
            words.push(("menu of the second player", line(second)));
        }
        words
    }

    pub(crate) fn parameters(&self) -> Parameters {
        let (stacks, committed) = (&self.root.def().stacks, self.root.committed().as_slice());
        let [first, second] = self.menus.each_ref().map(BetMenu::to_string);
        Parameters {
            board: self.root.board().to_string(),
            pot: self.root.pot(),
            stacks: [0, 1].map(|seat: usize| stacks[seat] - committed[seat]),
            smallest_bet: self.smallest_bet,
            ranges: self.ranges.each_ref().map(Range::to_string),
            second_menu: (second != first).then_some(second),
            menu: first,
            algorithm: self.options.variant.to_string(),
            precision: Bits::new(self.options.precision),
        }
    }
}

/// How far a problem is to be solved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Most iterations.
    pub(crate) most: u32,
    /// The exploitability to reach, in chips.
    pub(crate) goal: f64,
    /// Iterations that were done before: what has been reached with them is checked first.
    pub(crate) resumed: u32,
}

/// What a check has found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checked {
    /// In chips.
    pub(crate) exploitability: f64,
    /// The number of iterations that the goal is expected to take.
    pub(crate) expected: u32,
}

impl Limits {
    /// Checks what has been reached, where that is due.
    pub(crate) fn check(&self, solver: &mut Solver) -> Option<Checked> {
        let done = solver.iterations();
        let resumed = done > 0 && done == self.resumed;
        (done >= solver.next_check() || done >= self.most || resumed).then(|| {
            let (exploitability, expected) = solver.check(self.goal);
            Checked { exploitability, expected: expected.min(self.most).max(done) }
        })
    }

    /// Whether the goal is reached by what has been checked, or the last iteration is done.
    pub(crate) fn are_reached(&self, solver: &Solver) -> bool {
        solver.best_check().is_some_and(|best| best <= self.goal)
            || solver.iterations() >= self.most
    }
}

/// The state that a solve ended in.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SolveResult {
    pub(crate) iterations: u32,
    /// Time of solving.
    pub(crate) seconds: f64,
    /// What a player who knows the other's strategy wins beyond the value of the game, in chips,
    /// averaged over both players.
    pub(crate) exploitability: f64,
    /// The same as a share of the pot: 0.005 is half a percent.
    pub(crate) share_of_pot: f64,
    /// The requested exploitability.
    pub(crate) until: f64,
    /// Whether the requested exploitability was reached.
    pub(crate) reached: bool,
    /// Whether solving was stopped before that and before the last iteration.
    pub(crate) interrupted: bool,
    pub(crate) players: [PlayerResult; 2],
}

/// The result of a player, in chips.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PlayerResult {
    /// The chips of the pot that the player gets.
    pub(crate) gets: f64,
    /// The same as a share of the pot.
    pub(crate) share_of_pot: f64,
    /// What the player wins from here on.
    pub(crate) wins: f64,
    /// What the player would win from here on with a best response.
    pub(crate) with_a_best_response: f64,
}

impl SolveResult {
    /// The result of solving within these limits, for so many seconds. A solver that has reached
    /// them returns to the best strategies that were checked.
    pub(crate) fn new(solver: &mut Solver, limits: &Limits, seconds: f64) -> SolveResult {
        let interrupted = !limits.are_reached(solver);
        if !interrupted {
            solver.return_to_best();
        }
        let evaluation = solver.evaluate();
        let Evaluation { values, best, committed, .. } = evaluation;
        let pot = evaluation.pot();
        let players = [0, 1].map(|player: usize| {
            let gets = values[player] + committed[player];
            PlayerResult {
                gets,
                share_of_pot: gets / pot,
                wins: values[player],
                with_a_best_response: best[player],
            }
        });
        SolveResult {
            iterations: solver.iterations(),
            seconds,
            exploitability: evaluation.exploitability(),
            share_of_pot: evaluation.share_of_pot(),
            until: limits.goal,
            reached: evaluation.exploitability() <= limits.goal,
            interrupted,
            players,
        }
    }
}

/// The parameters of a subgame.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Parameters {
    /// The cards on the table.
    pub(crate) board: String,
    /// Chips in the pot.
    pub(crate) pot: u64,
    /// Chips left to each player.
    pub(crate) stacks: [Chips; 2],
    /// The smallest bet, in chips.
    pub(crate) smallest_bet: Chips,
    /// The ranges of both players.
    pub(crate) ranges: [String; 2],
    /// The bets, as lines of a menu.
    pub(crate) menu: String,
    /// The bets of the second player, where they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) second_menu: Option<String>,
    /// The name of the algorithm.
    pub(crate) algorithm: String,
    /// The precision of stored numbers.
    pub(crate) precision: Bits,
}

impl Parameters {
    /// The chips behind, in words.
    pub(crate) fn behind(&self) -> String {
        let [first, second] = self.stacks;
        if first == second { first.to_string() } else { format!("{first} and {second}") }
    }
}

/// The size of a subgame.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SizeReport {
    /// Nodes of the betting tree, not counting cards.
    pub(crate) nodes: usize,
    /// Hands of the first and the second player.
    pub(crate) hands: [usize; 2],
    /// Pairs of hand and action over all boards.
    pub(crate) cells: u64,
    /// The memory that solving takes.
    pub(crate) bytes: u64,
}

impl From<&Size> for SizeReport {
    fn from(&Size { nodes, hands, cells, bytes, .. }: &Size) -> SizeReport {
        SizeReport { nodes, hands, cells, bytes }
    }
}

impl fmt::Display for SizeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} nodes of betting, {} x {} hands, {} pairs of hand and action over all boards: {}",
            whole(self.nodes as u64),
            self.hands[0],
            self.hands[1],
            whole(self.cells),
            HumanBytes(self.bytes)
        )
    }
}

/// A solved spot where a player acts: the strategy and the values of the hands.
#[derive(Serialize)]
pub(crate) struct SolvedSpot {
    /// The path from the root; empty for the root.
    #[serde(rename = "at")]
    pub(crate) path: String,
    pub(crate) board: String,
    pub(crate) pot: u64,
    pub(crate) to_call: Chips,
    /// 1 or 2.
    pub(crate) player: usize,
    /// The strategy of the hands with which the player reaches the spot, in the order of the chart.
    #[serde(flatten)]
    pub(crate) chart: Chart,
    /// The chips of the pot that each player gets from here on, less those that it puts in from
    /// here on.
    pub(crate) gets: [f64; 2],
}

impl SolvedSpot {
    /// The spot at a state where a player acts; `path` is how it is reached. `None` where nobody
    /// acts.
    ///
    /// # Errors
    /// When the state is not one of the subgame.
    pub(crate) fn new(
        solver: &mut Solver,
        state: &PublicState,
        path: &str,
    ) -> Result<Option<SolvedSpot>, OffTree> {
        let values = solver.values_at(state)?;
        let spot = Spot::at_state(solver, state)?;
        let Some(player) = spot.player() else { return Ok(None) };
        let committed = state.committed().as_slice();
        let sunk = [0, 1].map(|seat: usize| f64::from(committed[seat]));
        let mut hands: Vec<Hand> = spot
            .strategies()
            .into_iter()
            .map(|(combo, strategy)| {
                let value = values[player.index()].iter().find(|value| value.combo == combo);
                let gets = value.filter(|value| value.unblocked_weight > 0.0);
                Hand {
                    combo,
                    weight: spot.range(player).weight(combo),
                    strategy,
                    gets: gets.map(|value| value.value + sunk[player.index()]),
                }
            })
            .filter(|hand| hand.weight > 0.0)
            .collect();
        hands.sort_by_key(|hand| (hand.combo.starting_hand(), std::cmp::Reverse(hand.combo)));
        let means = Player::BOTH.map(|player| mean(&spot, player, &values[player.index()]));
        Ok(Some(SolvedSpot {
            path: path.to_owned(),
            board: state.board().to_string(),
            pot: state.pot(),
            to_call: cost_of_call(state),
            player: player.index() + 1,
            chart: Chart::new(state, spot.actions(), hands),
            gets: [0, 1].map(|p: usize| means[p] + sunk[p]),
        }))
    }
}

/// The mean value of a player's hands at a spot, over all pairs of hands that can be held there.
fn mean(spot: &Spot<'_>, player: Player, values: &[HandValue]) -> f64 {
    let weight =
        |value: &HandValue| spot.range(player).weight(value.combo) * value.unblocked_weight;
    let (sum, all) = values.iter().fold((0.0, 0.0), |(sum, all), value| {
        (sum + weight(value) * value.value, all + weight(value))
    });
    if all > 0.0 { sum / all } else { 0.0 }
}

/// The cost of a call; less than the bet if the stack is smaller.
fn cost_of_call(state: &PublicState) -> Chips {
    let Turn::Act(seat) = state.turn() else { return 0 };
    (state.highest() - state.committed()[seat]).min(state.stack(seat))
}
