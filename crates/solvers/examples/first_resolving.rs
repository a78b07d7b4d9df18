//! The exploitability of a whole strategy that plays a turn by a coarse blueprint and solves the
//! river after it, range against range, with and without gadgets; exact, by a best response on the
//! turn and on all rivers.
//!
//! On each board, both players have random ranges of some hundred hands. The blueprint is an
//! equilibrium, by CFR+, of the game in which hands are seen in classes of equal size by strength:
//! on the river the class decides alone, whatever the board and the class on the turn. Each
//! strategy plays the turn by it. The others solve each river from where it is dealt, with the
//! ranges that the blueprint has there. The offers of gadgets are what the other player's hands win
//! there by the blueprint of both, or (`best`) by a best response to the blueprint.
//!
//! For each strategy: what a best response wins, the mean over both seats, and what the strategy
//! wins from the blueprint, in percent of the pot on the turn: means over boards and their standard
//! errors; then the same less that of solving without a gadget.
//!
//! `first_resolving BOARDS POTS-BEHIND HANDS CLASSES ITERATIONS`, for instance
//! `first_resolving 16 3 300 5 200`.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex};

use abstraction::menu::BetMenu;
use cards::{Board, Card, CardSet, Combo, Range, RiverTable, Showdown, Ties, unblocked};
use game::{Action, InfoSet, Policy, PublicState, Seat, Strategy, Street, Turn};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use solvers::holdem::ByCombo;
use solvers::holdem::by_policy::{Own, ended, hand_values, split};
use solvers::situation::{BIG_BLIND, Draw};
use solvers::subgame::{EntryChoice, Gadget, Options, Solver, Spot, Subgame, start};
use solvers::{Player, normalise};

/// The pot on the turn, in big blinds.
const POT: f64 = 20.0;
const MENU: &str = "turn 1: pot\nturn 2+: allin\nriver 1: pot allin\nriver 2+: allin";

type Failure = Box<dyn Error + Send + Sync>;

/// What is offered to each hand of the other player.
#[derive(Clone, Copy, PartialEq)]
enum Offer {
    /// What it wins by the blueprint of both players.
    Blueprint,
    /// What it wins by a best response to the blueprint.
    Best,
}

/// A way of playing the river.
struct Way {
    name: &'static str,
    /// The share of the believed range, the choice of the rest, and the offers; `None` for the
    /// blueprint itself.
    gadget: Option<(f64, EntryChoice, Offer)>,
}

const fn way(name: &'static str, forced: f64, choice: EntryChoice, offer: Offer) -> Way {
    Way { name, gadget: Some((forced, choice, offer)) }
}

const WAYS: [Way; 11] = [
    Way { name: "the blueprint", gadget: None },
    way("none", 1.0, EntryChoice::EachHand, Offer::Blueprint),
    way("half", 0.5, EntryChoice::EachHand, Offer::Blueprint),
    way("refined", 0.05, EntryChoice::EachHand, Offer::Blueprint),
    way("safe", 0.0, EntryChoice::EachHand, Offer::Blueprint),
    way("margin", 0.0, EntryChoice::OneHand, Offer::Blueprint),
    way("half, best", 0.5, EntryChoice::EachHand, Offer::Best),
    way("refined, best", 0.05, EntryChoice::EachHand, Offer::Best),
    way("safe, best", 0.0, EntryChoice::EachHand, Offer::Best),
    way("margin, best", 0.0, EntryChoice::OneHand, Offer::Best),
    way("margin refined, best", 0.05, EntryChoice::OneHand, Offer::Best),
];

/// The game on a board.
struct Table {
    root: PublicState,
    menu: BetMenu,
    ranges: [ByCombo; 2],
    /// The class of each combo on the turn, and on each river by its card.
    classes: HashMap<CardSet, Vec<usize>>,
    showdowns: HashMap<CardSet, Showdown>,
    count: usize,
}

impl Table {
    fn new(seed: u64, behind: f64, hands: usize, count: usize) -> Result<Table, Failure> {
        let mut random = Pcg64::seed_from_u64(seed);
        let stack = POT / 2.0 + behind * POT;
        let drawn = Draw { street: Street::Turn, stack, pots: [POT; 2] }.draw(&mut random);
        let root = start(&drawn.board, drawn.pot, [drawn.behind; 2], BIG_BLIND)?;
        let ranges = drawn.ranges.map(|shares| {
            let mut free: Vec<usize> = (0..Combo::COUNT).filter(|&at| shares[at] > 0.0).collect();
            let (held, _) = free.partial_shuffle(&mut random, hands);
            let most = held.iter().map(|&at| shares[at]).fold(0.0, f32::max);
            let mut range = Box::new([0.0; Combo::COUNT]);
            held.iter().for_each(|&at| range[at] = f64::from(shares[at] / most));
            range
        });
        let board = drawn.board.set();
        let mut classes = HashMap::from([(board, classes(board, count)?)]);
        let mut showdowns = HashMap::new();
        for card in Card::all().filter(|&card| !board.contains(card)) {
            let river = board.with(card);
            classes.insert(river, self::classes(river, count)?);
            showdowns.insert(river, Showdown::new(river)?);
        }
        let menu = MENU.parse()?;
        Ok(Table { root, menu, ranges, classes, showdowns, count })
    }

    fn class(&self, board: &Board, combo: Combo) -> usize {
        self.classes[&board.set()][combo.index()]
    }

    fn actions(&self, public: &PublicState) -> Vec<Action> {
        self.menu.actions(public).to_vec()
    }
}

/// The class of each combo by its equity against all hands; 0 for those on the board.
fn classes(board: CardSet, count: usize) -> Result<Vec<usize>, Failure> {
    let mut hands = Vec::new();
    RiverTable::shared(Ties::Half).each_hand(board, |combo, equity| {
        hands.push((equity.ratio().0, combo));
    })?;
    hands.sort_by_key(|&(equity, combo)| (equity, combo.index()));
    let mut classes = vec![0; Combo::COUNT];
    for (at, (_, combo)) in hands.iter().enumerate() {
        classes[combo.index()] = at * count / hands.len();
    }
    Ok(classes)
}

/// The actions after the root, which identify a decision of the blueprint.
fn betting(table: &Table, public: &PublicState) -> Vec<Action> {
    let history = &public.history()[table.root.history().len()..];
    history.iter().map(|played| played.action).collect()
}

/// Strategies by decision and class.
struct Blueprint<'a> {
    table: &'a Table,
    decisions: HashMap<Vec<Action>, Decision>,
    iteration: f64,
}

/// Numbers of each class for each action.
struct Decision {
    actions: Vec<Action>,
    regrets: Vec<f64>,
    averages: Vec<f64>,
}

impl Blueprint<'_> {
    fn train(table: &Table, iterations: u32) -> Blueprint<'_> {
        let mut blueprint = Blueprint { table, decisions: HashMap::new(), iteration: 0.0 };
        for _ in 0..iterations {
            blueprint.iteration += 1.0;
            for seat in Seat::all(2) {
                let reach = [0, 1].map(|at: usize| table.ranges[at].clone());
                blueprint.learn(&table.root, seat, &reach);
            }
        }
        blueprint
    }

    /// The values of the learner's hands: chips times the weights of the other's.
    fn learn(&mut self, public: &PublicState, learner: Seat, reach: &[ByCombo; 2]) -> ByCombo {
        let others = &reach[1 - learner.index()];
        let table = self.table;
        let showdown = table.showdowns.get(&public.board().set());
        let mut values = Box::new([0.0; Combo::COUNT]);
        let seat = match public.turn() {
            Turn::Act(seat) => seat,
            Turn::Deal(_) if public.able().len() > 1 => {
                let board = public.board().set();
                for card in Card::all().filter(|&card| !board.contains(card)) {
                    let mut state = public.clone();
                    state.deal(&[card]).expect("a card that is not on the board");
                    let mut left = reach.clone();
                    let holds = |at: &usize| {
                        Combo::from_index(*at).is_some_and(|combo| combo.set().contains(card))
                    };
                    let gone: Vec<usize> = (0..Combo::COUNT).filter(holds).collect();
                    gone.iter().for_each(|&at| left.iter_mut().for_each(|of| of[at] = 0.0));
                    let mut after = self.learn(&state, learner, &left);
                    gone.iter().for_each(|&at| after[at] = 0.0);
                    values
                        .iter_mut()
                        .zip(&*after)
                        .for_each(|(value, after)| *value += after / 44.0);
                }
                return values;
            }
            Turn::Deal(_) | Turn::Over => return ended(public, learner, others, showdown),
        };
        let (board, key) = (public.board(), betting(table, public));
        let fresh = || {
            let actions = table.actions(public);
            let numbers = vec![0.0; table.count * actions.len()];
            Decision { actions, regrets: numbers.clone(), averages: numbers }
        };
        let decision = self.decisions.entry(key.clone()).or_insert_with(fresh);
        let actions = decision.actions.clone();
        let mut strategy = decision.regrets.clone();
        strategy.chunks_mut(actions.len()).for_each(normalise);
        let of = |combo: Combo, action: usize| {
            strategy[table.class(&board, combo) * actions.len() + action]
        };
        let mut after = Vec::new();
        for (number, &action) in actions.iter().enumerate() {
            let mut next = reach.clone();
            let weights = &mut next[seat.index()];
            Combo::all().for_each(|combo| weights[combo.index()] *= of(combo, number));
            let mut state = public.clone();
            state.apply_unchecked(action);
            after.push(self.learn(&state, learner, &next));
        }
        for (number, after) in after.iter().enumerate() {
            for combo in Combo::all() {
                let probability = if seat == learner { of(combo, number) } else { 1.0 };
                values[combo.index()] += probability * after[combo.index()];
            }
        }
        if seat == learner {
            let decision = self.decisions.get_mut(&key).expect("it was found before");
            let dealt = &table.ranges[seat.index()];
            for combo in Combo::all().filter(|combo| dealt[combo.index()] > 0.0) {
                let at = combo.index();
                let class = table.class(&board, combo) * actions.len();
                for (number, after) in after.iter().enumerate() {
                    let share = of(combo, number);
                    decision.regrets[class + number] += dealt[at] * (after[at] - values[at]);
                    decision.averages[class + number] +=
                        self.iteration * reach[seat.index()][at] * share;
                }
            }
            // A river is one of 48 that add to the same regrets, so they are cut off at the end.
            if public.history().len() == table.root.history().len() {
                self.decisions.values_mut().for_each(|decision| {
                    decision.regrets.iter_mut().for_each(|regret| *regret = regret.max(0.0));
                });
            }
        }
        values
    }
}

impl Policy for Blueprint<'_> {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        let InfoSet { public, hole, .. } = infoset;
        let decision = &self.decisions[&betting(self.table, public)];
        let combo = Combo::new(hole[0], hole[1]).expect("two cards");
        let count = decision.actions.len();
        let class = self.table.class(&public.board(), combo);
        let mut shares = decision.averages[class * count..][..count].to_vec();
        normalise(&mut shares);
        Strategy::from_weights(decision.actions.iter().copied().zip(shares)).expect("some action")
    }
}

/// All actions of the menu, for best responses.
struct All<'a>(&'a Table);

impl Policy for All<'_> {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        let actions = self.0.actions(&infoset.public);
        let count = actions.len() as f64;
        let even = actions.into_iter().map(|action| (action, 1.0 / count));
        Strategy::from_weights(even).expect("some action")
    }
}

/// The betting on the turn, and the board.
type River = (Vec<Action>, CardSet);

/// The blueprint on the turn, and rivers solved when they are asked about.
struct Resolving<'a> {
    table: &'a Table,
    blueprint: &'a Blueprint<'a>,
    seat: Seat,
    way: &'a Way,
    iterations: u32,
    solved: Mutex<HashMap<River, Arc<Solver>>>,
}

impl Resolving<'_> {
    fn solve(&self, public: &PublicState) -> Result<Solver, Failure> {
        let (table, blueprint) = (self.table, self.blueprint);
        let board = public.board();
        let mut ranges = table.ranges.clone();
        let mut state = table.root.clone();
        for played in &public.history()[table.root.history().len()..] {
            if played.street == Street::River {
                break;
            }
            let weights = &mut ranges[played.seat.index()];
            let taken = split(blueprint, &state, played.seat, weights);
            let after = taken.into_iter().find(|(action, _)| *action == played.action);
            *weights = after.ok_or("an action that the blueprint does not take")?.1;
            state.apply_unchecked(played.action);
        }
        state.deal_from(&board)?;
        let gone = Combo::all().filter(|combo| combo.set().intersects(board.set()));
        gone.for_each(|combo| ranges.iter_mut().for_each(|of| of[combo.index()] = 0.0));
        // As in the agent, hands of the other player that the blueprint rules out stay possible.
        let other = Seat::new(1 - self.seat.index()).ok_or("two seats")?;
        for (weight, dealt) in ranges[other.index()].iter_mut().zip(&*table.ranges[other.index()]) {
            *weight = if *weight > 0.0 { weight.max(1e-3 * dealt) } else { 0.0 };
        }
        let range = |weights: &ByCombo| {
            let mut range = Range::empty();
            let most = weights.iter().copied().fold(0.0, f64::max);
            for combo in Combo::all() {
                range.set(combo, weights[combo.index()] / most)?;
            }
            Ok::<_, cards::Error>(range)
        };
        let [first, second] = [range(&ranges[0])?, range(&ranges[1])?];
        let menu = |state: &PublicState| table.actions(state);
        let subgame = Subgame::new(&state, [&first, &second], &menu)?;
        let options = Options { horizon: self.iterations, ..Options::default() };
        let (forced, choice, offer) = self.way.gadget.ok_or("the blueprint is not solved")?;
        let mut solver = if forced < 1.0 {
            let all = All(table);
            let own = match offer {
                Offer::Blueprint => Own::Policy(blueprint),
                Offer::Best => Own::BestOf(&all),
            };
            let offers = hand_values(&state, other, own, &ranges[self.seat.index()], blueprint);
            let player = Player::BOTH[other.index()];
            let (offers, dealt) = (offers.to_vec(), table.ranges[other.index()].to_vec());
            let gadget = Gadget { player, offers, dealt, forced, choice };
            Solver::with_gadget(subgame, options, &gadget)?
        } else {
            Solver::new(subgame, options)?
        };
        solver.run(self.iterations);
        Ok(solver)
    }
}

impl Policy for Resolving<'_> {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        let mut found = None;
        let InfoSet { public, seat, hole } = infoset;
        self.strategies(public, *seat, &[*hole], &mut |_, strategy| found = Some(strategy.clone()));
        found.expect("one hand, one strategy")
    }

    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[cards::HoleCards],
        visit: &mut dyn FnMut(usize, &Strategy),
    ) {
        if public.street() == Street::Turn || self.way.gadget.is_none() {
            return self.blueprint.strategies(public, seat, hands, visit);
        }
        let history = &public.history()[self.table.root.history().len()..];
        let before = history.iter().take_while(|played| played.street == Street::Turn);
        let key = (before.map(|played| played.action).collect::<Vec<_>>(), public.board().set());
        let known = || parallel::lock(&self.solved);
        let solver = known().get(&key).cloned();
        let solver = solver.unwrap_or_else(|| {
            let solver = Arc::new(self.solve(public).expect("a river of the game"));
            known().insert(key, Arc::clone(&solver));
            solver
        });
        let spot = Spot::at_state(&solver, public).expect("the same menu");
        let actions = spot.actions().to_vec();
        let mut all: Vec<Option<Strategy>> = vec![None; Combo::COUNT];
        for (combo, shares) in spot.strategies() {
            all[combo.index()] = Strategy::from_weights(actions.iter().copied().zip(shares));
        }
        for (number, hole) in hands.iter().enumerate() {
            let combo = Combo::new(hole[0], hole[1]).expect("two cards");
            visit(number, all[combo.index()].as_ref().expect("a hand of the range"));
        }
    }
}

/// For each way, what a best response wins, and what the way wins from the blueprint, in percent of
/// the pot.
fn measure(
    seed: u64,
    [behind, hands, count, iterations]: [u32; 4],
) -> Result<Vec<[f64; 2]>, Failure> {
    let table = Table::new(seed, f64::from(behind), hands as usize, count as usize)?;
    let blueprint = Blueprint::train(&table, iterations);
    let pot = table.root.pot() as f64;
    let mut found = Vec::new();
    for way in &WAYS {
        let mut sums = [0.0; 2];
        for seat in Seat::all(2) {
            let other = Seat::new(1 - seat.index()).ok_or("two seats")?;
            let solved = Mutex::default();
            let (table, blueprint) = (&table, &blueprint);
            let strategy = Resolving { table, blueprint, seat, way, iterations, solved };
            let (own, others) = (&table.ranges[seat.index()], &table.ranges[other.index()]);
            let met = unblocked(own);
            let all = All(table);
            for (sum, response) in sums.iter_mut().zip([Own::BestOf(&all), Own::Policy(blueprint)])
            {
                let values = hand_values(&table.root, other, response, own, &strategy);
                let weights = || others.iter().zip(&*met).map(|(weight, met)| weight * met);
                let won: f64 = weights().zip(&*values).map(|(weight, value)| weight * value).sum();
                *sum += won / weights().sum::<f64>();
            }
        }
        found.push([50.0 * sums[0] / pot, -50.0 * sums[1] / pot]);
    }
    Ok(found)
}

/// The mean and its standard error.
fn mean(values: &[f64]) -> String {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    // No sign for what rounds to zero.
    let mean = if mean.abs() < 0.005 { 0.0 } else { mean };
    format!("{mean:.2} ± {:.2}", (squares / (n - 1.0) / n).sqrt())
}

fn main() -> Result<(), Failure> {
    let numbers = std::env::args().skip(1).map(|text| text.parse::<u32>());
    let numbers: Vec<u32> = numbers.collect::<Result<_, _>>()?;
    let &[boards, behind, hands, count, iterations] = &numbers[..] else {
        let usage = "first_resolving BOARDS POTS-BEHIND HANDS CLASSES ITERATIONS";
        return Err(format!("usage: {usage}").into());
    };
    let settings = [behind, hands, count, iterations];
    let found = parallel::map(0..u64::from(boards), |seed| measure(seed, settings));
    let found: Vec<Vec<[f64; 2]>> = found.into_iter().collect::<Result<_, _>>()?;
    let names = ["a best response wins", "less `none`", "wins from it", "less `none`"];
    print!("{:<22}", "");
    names.iter().for_each(|name| print!("{name:>22}"));
    println!();
    for (row, way) in WAYS.iter().enumerate() {
        print!("{:<22}", way.name);
        for column in 0..2 {
            let of = |row: usize| found.iter().map(move |found| found[row][column]);
            print!("{:>22}", mean(&of(row).collect::<Vec<_>>()));
            let less: Vec<f64> = of(row).zip(of(1)).map(|(way, none)| way - none).collect();
            print!("{:>22}", mean(&less));
        }
        println!();
    }
    Ok(())
}
