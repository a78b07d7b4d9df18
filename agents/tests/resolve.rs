//! The agent `resolve`: what it solves, what it leaves to its blueprint, and how it is named.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use abstraction::buckets::Buckets;
use abstraction::menu::BetMenu;
use agents::reach::{self, ActionMatching};
use agents::{AgentChoice, AgentError, AgentRng, Clock, Context, Decision, Registry};
use cards::{Board, Card, CardSet, Combo, Range};
use game::{
    Action, GameDef, GameSpec, InfoSet, Policy, PublicState, Seat, Strategy, Street, Turn, games,
};
use models::network::{Activation, Network, Output, Precision, Scaling, Shape};
use models::values::flop::{Flop, Stakes};
use solvers::Player;
use solvers::holdem::by_policy::{Own, hand_values};
use solvers::subgame::{DepthLimited, Leaf, LeafValues, Options, Solver, Spot, Subgame};

use crate::table::{self, combo, hole, policy, seen};

const BOARD: &str = "Ks9d4c7h2s";

/// The state after these actions, cards being dealt where they are due.
fn after(def: &Arc<GameDef>, actions: &[Action]) -> PublicState {
    table::after(def, BOARD, actions)
}

fn combos(public: &PublicState) -> Vec<Combo> {
    Combo::all().filter(|combo| !combo.set().intersects(public.board().set())).collect()
}

fn strategies(policy: &dyn Policy, public: &PublicState) -> Vec<(Combo, Strategy)> {
    let (combos, holes) = (combos(public), table::hands(public, 1));
    let seat = seen(public, holes[0]).seat;
    let mut found = Vec::new();
    policy.strategies(public, seat, &holes, &mut |number, strategy| {
        found.push((combos[number], strategy.clone()));
    });
    found.sort_by_key(|(combo, _)| combo.index());
    found
}

/// The subgame of all hands of both players after so many iterations.
fn solved(
    public: &PublicState,
    menu: &dyn Fn(&PublicState) -> Vec<Action>,
    iterations: u32,
) -> Solver {
    let all = Range::uniform();
    let subgame = Subgame::new(public, [&all, &all], menu).expect("a subgame");
    let options = Options { horizon: iterations, ..Options::default() };
    let mut solver = Solver::new(subgame, options).expect("it fits");
    solver.run(iterations);
    solver
}

/// Calls and checks up to the river.
const QUIET: [Action; 6] = [Action::Call; 6];

#[test]
fn a_river_is_played_as_its_subgame_is_solved() {
    let def = Arc::new(games::nolimit_holdem());
    // `call` comes to the river with every hand.
    let public = after(&def, &QUIET);
    let resolve = policy("resolve:blueprint=call,entry=none,iterations=100,floor=1", &def);
    let menu = |state: &PublicState| {
        let legal = state.legal();
        let mut actions = if legal.fold { vec![Action::Fold] } else { vec![] };
        actions.push(Action::Call);
        let called = state.pot() + u64::from(legal.to_call);
        if let Some(raise) = legal.raise {
            let by = |share: f64| {
                let total = f64::from(state.highest()) + (share * called as f64).round();
                (total as u32).clamp(raise.min, raise.max)
            };
            let mut totals = match state.raises() {
                0 => vec![by(0.5), by(1.0), raise.max],
                1 => vec![by(1.0), raise.max],
                _ => vec![raise.max],
            };
            totals.dedup();
            actions.extend(totals.into_iter().map(Action::RaiseTo));
        }
        actions
    };
    let solver = solved(&public, &menu, 100);
    let spot = solver.spot();
    assert_eq!(spot.player(), Some(Player::First));
    let solved = spot.strategies();
    let played = strategies(&*resolve, &public);
    assert_eq!(played.len(), 1081);
    for (combo, strategy) in &played {
        let (_, chances) = solved.iter().find(|(other, _)| other == combo).expect("a hand");
        for (action, chance) in spot.actions().iter().zip(chances) {
            assert!((strategy.probability(*action) - chance).abs() < 1e-9, "{combo}: {strategy:?}");
        }
    }
}

#[test]
fn a_bet_that_the_menu_does_not_have_is_answered_as_it_is() {
    let def = Arc::new(games::nolimit_holdem());
    let bet = [QUIET.as_slice(), &[Action::RaiseTo(100 + 3_333)]].concat();
    let public = after(&def, &bet);
    let resolve = policy("resolve:blueprint=call,iterations=100,floor=1", &def);
    let played = strategies(&*resolve, &public);
    let of = |hand: &str| {
        played.iter().find(|(other, _)| *other == combo(hand)).expect("a hand").1.clone()
    };
    // Sixteen pots: the best hands never fold, and hands that beat next to nothing nearly always.
    assert!(of("KhKc").probability(Action::Fold) < 1e-6);
    assert!(of("5h3c").probability(Action::Fold) > 0.95, "{:?}", of("5h3c"));
    for (combo, strategy) in &played {
        let sum: f64 = strategy.actions.iter().map(|(_, chance)| chance).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{combo}: {strategy:?}");
    }
}

#[test]
fn a_decision_is_priced_in_a_solution_that_has_the_action_played_in_its_exact_size() {
    let def = Arc::new(games::nolimit_holdem());
    // The gadget is for play: prices have none.
    let name = "resolve:blueprint=call,menu=fcpa,entry=safe,iterations=100,enough=0,floor=9";
    let agent = Registry::standard().resolve(name).expect("an agent");
    assert_eq!(agent.blueprint().map(AgentChoice::name), Some("call"));
    let solver = agent.solver(&def).expect("it plays this").expect("it solves this");
    // A bet that no menu has, and two raises: one that many hands make, and one that few do.
    let bet = Action::RaiseTo(100 + 333);
    let public = after(&def, &[QUIET.as_slice(), &[bet]].concat());
    let menu = abstraction::menu::find("fcpa").expect("it ships");
    let hands = ["KhKc", "AcQd", "5h3c"];
    for (raise, rare) in [(Action::RaiseTo(100 + 1_111), false), (Action::RaiseTo(9_100), true)] {
        let offered = |state: &PublicState| {
            let mut actions = menu.actions(state).to_vec();
            if state.history().len() == public.history().len() {
                actions.push(raise);
            }
            actions.sort_by_key(|action| match action {
                Action::Fold => (0, 0),
                Action::Call => (1, 0),
                Action::RaiseTo(total) => (2, *total),
            });
            actions
        };
        let mut expected = solved(&public, &offered, 100);
        let exploitability = expected.exploitability();
        let strategies = expected.spot().strategies();
        let values = expected.action_values(&public).expect("the root");
        let at = offered(&public).iter().position(|&action| action == raise).expect("offered");
        let share = strategies.iter().map(|(_, chances)| chances[at]).sum::<f64>() / 1081.0;
        assert_eq!(share < 0.05, rare, "{raise:?} is made with {share} of the hands");
        // Nothing is known of a raise that `call` never makes: all hands come to what follows.
        let raised = after(&def, &[QUIET.as_slice(), &[bet, raise]].concat());
        let mut later = solved(&raised, &|state| menu.actions(state).to_vec(), 100);
        let [_, after_raise] = later.values_at(&raised).expect("the root");
        for hand in hands {
            let found = solver.solved(&seen(&public, hole(hand)), raise).expect("a solution");
            let of = |all: &[(Combo, Vec<f64>)]| {
                all.iter().find(|(other, _)| *other == combo(hand)).expect("a hand").1.clone()
            };
            let (chances, worth) = (of(&strategies), of(&values));
            assert_eq!(found.values.len(), worth.len());
            for (at, &(action, value)) in found.values.iter().enumerate() {
                assert_eq!(action, offered(&public)[at]);
                let probability = found.strategy.probability(action);
                assert!((probability - chances[at]).abs() < 1e-9, "{hand}: {action:?}");
                assert!((value - worth[at]).abs() < 1e-6, "{hand}: {action:?}");
            }
            let own: f64 = chances.iter().zip(&worth).map(|(chance, value)| chance * value).sum();
            let best = worth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let mut error = exploitability + best - own;
            if rare {
                let other = after_raise.iter().find(|value| value.combo == combo(hand));
                error += (other.expect("a hand").value - worth[at]).abs();
            }
            assert!((found.error - error).abs() < 1e-6 * error, "{hand}: {} {error}", found.error);
        }
    }
    // Not on streets that it leaves to the blueprint, and not for who solves nothing.
    let turn = after(&def, &QUIET[..4]);
    assert_eq!(solver.solved(&seen(&turn, hole("AcQd")), Action::Call), None);
    let cfr = Registry::standard().resolve("cfr").expect("an agent");
    assert!(cfr.solver(&def).expect("it plays this").is_none() && cfr.blueprint().is_none());
}

#[test]
fn a_turn_has_the_gadget_that_was_asked_for_without_a_deadline_too() {
    let def = Arc::new(games::nolimit_holdem_with(vec![1_000, 1_000]));
    let turn = after(&def, &[Action::RaiseTo(500), Action::Call, Action::Call, Action::Call]);
    let played = |entry: &str| {
        let options = "blueprint=equity:mix=1,menu=fcpa,from=turn,iterations=20,floor=9";
        strategies(&*policy(&format!("resolve:{options},entry={entry}"), &def), &turn)
    };
    let (none, half, safe) = (played("none"), played("half"), played("safe"));
    assert!(none != half && half != safe);
}

#[test]
fn earlier_streets_and_solutions_that_are_too_coarse_are_the_blueprints() {
    let def = Arc::new(games::nolimit_holdem());
    let (resolve, cfr) = (policy("resolve", &def), policy("cfr", &def));
    let turn = after(&def, &QUIET[..4]);
    assert_eq!(strategies(&*resolve, &turn), strategies(&*cfr, &turn));
    let river = after(&def, &QUIET);
    let coarse = policy("resolve:iterations=1,floor=0.0001", &def);
    assert_eq!(strategies(&*coarse, &river), strategies(&*cfr, &river));
    assert_ne!(strategies(&*resolve, &river), strategies(&*cfr, &river));
}

#[test]
fn what_is_decided_does_not_depend_on_what_was_asked_before() {
    let def = Arc::new(games::nolimit_holdem());
    let spots = [
        after(&def, &QUIET),
        after(&def, &[QUIET.as_slice(), &[Action::RaiseTo(333)]].concat()),
        after(&def, &[QUIET.as_slice(), &[Action::Call]].concat()),
    ];
    let name = "resolve:blueprint=call,iterations=20,floor=1";
    let fresh: Vec<_> = spots.iter().map(|spot| strategies(&*policy(name, &def), spot)).collect();
    let used = policy(name, &def);
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 1]] {
        for at in order {
            assert_eq!(strategies(&*used, &spots[at]), fresh[at]);
        }
    }
}

#[test]
fn from_the_turn_on_the_river_is_solved_with_the_ranges_of_the_turn() {
    let def = Arc::new(games::nolimit_holdem_with(vec![1_000, 1_000]));
    // A pot of ten big blinds, and a bet of half of it that is called.
    let raised = [Action::RaiseTo(500), Action::Call];
    let checked = [Action::Call, Action::Call];
    let bet = [Action::RaiseTo(1_000), Action::Call];
    let turn = [raised.as_slice(), &checked].concat();
    let name = "resolve:blueprint=equity:mix=1,from=turn,iterations=20,floor=1";
    let resolve = policy(name, &def);
    let public = after(&def, &turn);
    let played = strategies(&*resolve, &public);
    assert!(played.iter().any(|(_, strategy)| strategy.actions.len() > 1));
    // All-in on the turn: nothing is left to decide.
    let over = after(&def, &[turn.as_slice(), &bet].concat());
    assert!(!matches!(over.turn(), Turn::Act(_)));
    let river = after(&def, &[turn.as_slice(), &checked].concat());
    let kings = seen(&river, hole("KhKc"));
    assert_eq!(kings.seat, Seat::new(0).expect("a seat"));
    let strategy = resolve.strategy(&kings);
    assert!(strategy.probability(Action::Fold) == 0.0 && !strategy.actions.is_empty());
}

#[test]
fn a_kept_river_is_played_by_the_solution_of_the_turn() {
    let def = Arc::new(games::nolimit_holdem_with(vec![1_000, 1_000]));
    let raised = [Action::RaiseTo(500), Action::Call];
    let checked = [Action::Call; 2];
    let turn = after(&def, &[raised.as_slice(), &checked].concat());
    let river = after(&def, &[raised.as_slice(), &checked, &checked].concat());
    let resolve = |rivers: &str| {
        let bets = "blueprint=call,entry=none,menu=fcpa,from=turn,iterations=20,floor=1";
        policy(&format!("resolve:{bets},rivers={rivers}"), &def)
    };
    let menu = abstraction::menu::find("fcpa").expect("it ships");
    let solver = solved(&turn, &|state| menu.actions(state).to_vec(), 20);
    let spot = Spot::at_state(&solver, &river).expect("the tree goes there");
    let solved = spot.strategies();
    let kept = strategies(&*resolve("kept"), &river);
    let far = |played: &[(Combo, Strategy)]| {
        let of = |(combo, chances): &(Combo, Vec<f64>)| {
            let (_, strategy) = played.iter().find(|(other, _)| other == combo).expect("a hand");
            let each = spot.actions().iter().zip(chances);
            each.map(|(action, chance)| (strategy.probability(*action) - chance).abs()).sum::<f64>()
        };
        solved.iter().map(of).fold(0.0, f64::max)
    };
    assert!(far(&kept) < 1e-9, "{}", far(&kept));
    let anew = strategies(&*resolve("anew"), &river);
    assert!(far(&anew) > 0.01, "{}", far(&anew));
}

#[test]
fn a_flop_is_played_as_its_depth_limited_game_is_solved() {
    let def = Arc::new(games::nolimit_holdem());
    let public = after(&def, &[Action::RaiseTo(300), Action::Call]);
    let name = "resolve:blueprint=call,menu=fcpa,from=flop,iterations=6,floor=9";
    let resolve = policy(name, &def);
    let all = Range::uniform();
    let menu = abstraction::menu::find("fcpa").expect("it ships");
    let menu = |state: &PublicState| menu.actions(state).to_vec();
    let values = Shipped::new(&public);
    let mut game = DepthLimited::new(&public, [&all, &all], &menu, values).expect("a game");
    (0..6).for_each(|_| game.step());
    let (_, actions) = game.actions(&public).expect("a decision");
    let solved = game.strategies_at(&public).expect("a decision");
    let played = strategies(&*resolve, &public);
    assert_eq!(played.len(), solved.len());
    for ((combo, chances), (other, strategy)) in solved.iter().zip(&played) {
        assert_eq!(combo, other);
        for (action, chance) in actions.iter().zip(chances) {
            let found = strategy.probability(*action);
            assert!((found - chance).abs() < 1e-6, "{combo}: {found} and {chance}");
        }
    }
    // A bet that no menu has is in the tree, too; the turn after it is solved exactly.
    let bet = after(&def, &[Action::RaiseTo(300), Action::Call, Action::RaiseTo(300 + 123)]);
    let answers = strategies(&*resolve, &bet);
    assert!(answers.iter().any(|(_, strategy)| strategy.actions.len() > 1));
    let (decision, _) = on_a_clock(name, &bet, "KhKc", Duration::ZERO);
    let note = decision.note.expect("it says how");
    for part in ["on the flop", "6 iterations", "with estimated values"] {
        assert!(note.contains(part), "{note}");
    }
    assert!(!note.contains("network"), "it has learned from such stacks: {note}");
    let legal = bet.legal();
    let worth = |of: fn(&Action) -> bool| {
        let found = decision.values.iter().find(|(action, _)| of(action));
        found.expect("a value for each action").1
    };
    assert!((worth(|action| *action == Action::Fold) + 300.0).abs() < 1e-2);
    assert!(legal.fold && worth(|action| *action == Action::Call) > 0.0, "a set of kings");
}

#[test]
fn from_the_flop_on_the_turn_is_solved_with_the_ranges_of_the_flop() {
    let def = Arc::new(games::nolimit_holdem_with(vec![1_000, 1_000]));
    let quiet = [Action::RaiseTo(300), Action::Call, Action::Call, Action::Call];
    let turn = after(&def, &quiet);
    let name = "blueprint=call,iterations=5,floor=9,rivers=kept";
    let resolve = |from: &str| policy(&format!("resolve:from={from},{name}"), &def);
    let [flop, turns] = ["flop", "turn"].map(|from| strategies(&*resolve(from), &turn));
    let bets = |strategies: &[(Combo, Strategy)]| -> f64 {
        let check = |(_, strategy): &(Combo, Strategy)| strategy.probability(Action::Call);
        strategies.iter().map(|strategy| 1.0 - check(strategy)).sum()
    };
    assert!(bets(&flop) > 0.0 && bets(&turns) > 0.0);
    assert!((bets(&flop) - bets(&turns)).abs() > 0.01, "its flop has other ranges than `call`'s");
    let river = after(&def, &[quiet.as_slice(), &[Action::Call; 2]].concat());
    assert_eq!(strategies(&*resolve("flop"), &river).len(), combos(&river).len());
}

#[test]
fn values_by_continuations_are_the_same_with_any_number_of_threads() {
    let def = Arc::new(games::nolimit_holdem());
    let public = after(&def, &[Action::RaiseTo(6_000), Action::Call]);
    let play = |threads: usize| {
        let name = "resolve:from=flop,values=blueprint,iterations=2,floor=9";
        let pool = parallel::Pool::new(threads).expect("a pool");
        pool.run(|| strategies(&*policy(name, &def), &public))
    };
    let (one, three) = (play(1), play(3));
    assert_eq!(one, three);
    for other in ["resolve:from=flop,iterations=2,floor=9", "cfr"] {
        assert_ne!(one, strategies(&*policy(other, &def), &public), "{other} plays alike");
    }
}

/// The values inside the program, read from their file.
struct Shipped {
    flop: Flop,
    network: Network,
}

impl Shipped {
    fn new(public: &PublicState) -> Shipped {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/models/end-of-flop.safetensors");
        let network = Network::open(file.as_ref()).expect("it ships");
        Shipped { flop: Flop::new(public.board().set()).expect("a flop"), network }
    }
}

impl LeafValues for Shipped {
    fn hands(&self) -> &[Combo] {
        self.flop.hands()
    }

    fn checked_down(&self, reach: &[f32]) -> Vec<f32> {
        self.flop.checked_down(reach)
    }

    fn beyond(&self, leaves: &[Leaf], ranges: [&[f32]; 2]) -> [Vec<f32>; 2] {
        let stakes = |leaf: &Leaf| Stakes { pot: leaf.pot as f32, behind: leaf.behind as f32 };
        let stakes: Vec<Stakes> = leaves.iter().map(stakes).collect();
        self.flop.prospects(&stakes, ranges).beyond(&self.network, ranges)
    }
}

#[test]
fn a_network_for_something_else_is_refused_with_what_it_is_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("net.safetensors");
    let shape = Shape { inputs: 3, hidden: vec![], outputs: 1, activation: Activation::Prelu };
    let network = |notes: &[(&str, &str)]| {
        let notes = notes.iter().map(|&(key, note)| (key.to_owned(), note.to_owned())).collect();
        let (none, output) = (Scaling::none(3), Output::Identity);
        let network = Network::new(shape.clone(), vec![0.0; 4], none, output);
        network.expect("a network").with_notes(notes)
    };
    let river = [("encoding", "ehs2"), ("street", "river"), ("stack", "200")];
    let direct = [("encoding", "direct"), ("street", "turn"), ("stack", "200")];
    for (notes, part) in [
        (&river[..], "the street river, but it must be one for the turn"),
        (&[("encoding", "direct"), ("street", "turn")], "does not say for which stacks"),
        (&direct, "the encoding direct and the street turn: a network with 3 inputs"),
        (&[("encoding", "by-hand"), ("street", "turn"), ("stack", "200")], "3 inputs"),
        (&[("encoding", "odd"), ("street", "turn"), ("stack", "200")], "its encoding odd"),
        (&[], "the encoding none"),
        (&[("encoding", "by-hand"), ("street", "flop")], "3 inputs"),
    ] {
        let bytes = network(notes).to_bytes(Precision::Single);
        std::fs::write(&file, bytes).expect("written");
        let name = format!("resolve:from=flop,values={}", file.display());
        let error = Registry::standard().resolve(&name).expect_err(&name).to_string();
        assert!(error.contains(part) && error.contains("net.safetensors"), "{error}");
    }
}

/// Values by a network of turns: its answer for each turn by itself, from rows as documented.
struct ByTurns {
    flop: Flop,
    network: Network,
    /// The number of buckets and the bucket of each hand on a board.
    buckets: (usize, fn(CardSet, Combo) -> usize),
    /// Whether rows end with the board.
    board: bool,
}

impl ByTurns {
    /// Σ over the turns that a hand leaves of its answer times the probability of the other
    /// player's hands there, over 45, less what checking down wins.
    fn at_leaf(&self, leaf: &Leaf, ranges: [&[f32]; 2]) -> [Vec<f32>; 2] {
        let (count, bucket) = self.buckets;
        let hands = self.flop.hands();
        let mut won = [1, 0].map(|other: usize| -> Vec<f32> {
            self.flop.checked_down(ranges[other]).iter().map(|without| -without).collect()
        });
        let flop = hands.iter().fold(CardSet::FULL, |rest, hand| rest - hand.set());
        for turn in Card::all().filter(|&card| !flop.contains(card)) {
            let board = flop.with(turn);
            let held: Vec<usize> =
                (0..hands.len()).filter(|&at| !hands[at].set().contains(turn)).collect();
            let masses =
                ranges.map(|range| held.iter().map(|&at| f64::from(range[at])).sum::<f64>());
            let mut row = vec![0.0_f32; 2 * count];
            for player in 0..2 {
                for &at in &held {
                    row[player * count + bucket(board, hands[at])] +=
                        (f64::from(ranges[player][at]) / masses[player]) as f32;
                }
            }
            // A pot of 400 big blinds is 1; with 200 each it leaves as many pots behind.
            row.push((200.0 / (leaf.behind / leaf.pot + 0.5) / 400.0) as f32);
            if self.board {
                row.extend(Card::all().map(|card| f32::from(u8::from(board.contains(card)))));
            }
            let mut answers = vec![0.0; 2 * count];
            self.network.answer(&row, &mut answers);
            for player in 0..2 {
                for &at in &held {
                    let value = answers[player * count + bucket(board, hands[at])];
                    won[player][at] += masses[1 - player] as f32 / 45.0 * value;
                }
            }
        }
        won
    }
}

impl LeafValues for ByTurns {
    fn hands(&self) -> &[Combo] {
        self.flop.hands()
    }

    fn checked_down(&self, reach: &[f32]) -> Vec<f32> {
        self.flop.checked_down(reach)
    }

    fn beyond(&self, leaves: &[Leaf], ranges: [&[f32]; 2]) -> [Vec<f32>; 2] {
        let mut all = [Vec::new(), Vec::new()];
        for (number, leaf) in leaves.iter().enumerate() {
            let count = self.flop.hands().len();
            let of = ranges.map(|ranges| &ranges[number * count..(number + 1) * count]);
            let found = self.at_leaf(leaf, of);
            all.iter_mut().zip(found).for_each(|(all, found)| all.extend(found));
        }
        all
    }
}

/// A network with arbitrary weights, with the notes of one that was trained.
fn arbitrary(encoding: &str, shape: Shape, output: Output) -> Network {
    let numbers = testing::numbers(shape.count().total(), 4);
    let notes =
        [("encoding", encoding), ("street", "turn"), ("stack", "200"), ("pots", "8 to 200")];
    let notes = notes.iter().map(|&(key, note)| (key.to_owned(), note.to_owned())).collect();
    let none = Scaling::none(shape.inputs);
    Network::new(shape, numbers, none, output).expect("a network").with_notes(notes)
}

#[test]
fn a_flop_is_solved_with_what_a_network_of_turns_says_of_each_turn() {
    let folder = tempfile::tempdir().expect("a folder");
    let def = Arc::new(games::nolimit_holdem());
    let public = after(&def, &[Action::RaiseTo(300), Action::Call]);
    let all = Range::uniform();
    let menu = abstraction::menu::find("fcpa").expect("it ships");
    let menu = |state: &PublicState| menu.actions(state).to_vec();
    let category =
        |board: CardSet, hand: Combo| cards::evaluate(board | hand.set()).category() as usize;
    let of_hand = |_: CardSet, hand: Combo| hand.index();
    type Of = fn(CardSet, Combo) -> usize;
    for (encoding, count, bucket, board) in
        [("direct", Combo::COUNT, of_hand as Of, true), ("category", 9, category as Of, false)]
    {
        let inputs = 2 * count + 1 + if board { 52 } else { 0 };
        let shape =
            Shape { inputs, hidden: vec![4], outputs: 2 * count, activation: Activation::Prelu };
        let network = arbitrary(encoding, shape, Output::ZeroSum);
        let file = folder.path().join(format!("{encoding}.safetensors"));
        std::fs::write(&file, network.to_bytes(Precision::Single)).expect("written");
        let flop = Flop::new(public.board().set()).expect("a flop");
        let values = ByTurns { flop, network, buckets: (count, bucket), board };
        let mut game = DepthLimited::new(&public, [&all, &all], &menu, values).expect("a game");
        (0..3).for_each(|_| game.step());
        let solved = game.strategies_at(&public).expect("a decision");
        let (_, actions) = game.actions(&public).expect("a decision");
        let name = format!(
            "resolve:blueprint=call,menu=fcpa,from=flop,iterations=3,floor=999,values={}",
            file.display()
        );
        let played = strategies(&*policy(&name, &def), &public);
        let (mut mixed, mut away) = (0, 0.0);
        for ((combo, chances), (other, strategy)) in solved.iter().zip(&played) {
            assert_eq!(combo, other);
            mixed += usize::from(chances.iter().all(|&chance| chance < 0.99));
            for (action, chance) in actions.iter().zip(chances) {
                let found = strategy.probability(*action);
                // Rounding grows where two actions are worth almost the same.
                assert!((found - chance).abs() < 2e-2, "{encoding}, {combo}: {found}, {chance}");
                away += (found - chance).abs() / solved.len() as f64;
            }
        }
        assert!(away < 2e-4, "{encoding}: {away} for each hand");
        assert!(mixed > 100, "{encoding}: {mixed} hands that do one thing or another");
        let (decision, _) = on_a_clock(&name, &public, "KhKc", Duration::ZERO);
        let note = decision.note.expect("it says how");
        assert!(note.contains("learned from stacks of 0.50 to 24.5 pots: "), "{note}");
        assert!(note.ends_with("ends of the betting are beyond"), "{note}");
    }
}

#[test]
fn buckets_beside_a_network_that_it_has_not_learned_from_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("net.safetensors");
    let shape = Shape { inputs: 19, hidden: vec![], outputs: 18, activation: Activation::Prelu };
    let network = arbitrary("category", shape, Output::ZeroSum);
    std::fs::write(&file, network.to_bytes(Precision::Single)).expect("written");
    let name = format!("resolve:from=flop,values={}", file.display());
    for (recipe, refused) in [
        ("preflop=169 flop=category turn=category river=category", false),
        ("preflop=169 flop=category turn=category river=ehs2:5", true),
    ] {
        let buckets = Buckets::make(&recipe.parse().expect("a recipe"), |_| ()).expect("buckets");
        let mut bytes = Vec::new();
        buckets.write(&mut bytes).expect("written");
        std::fs::write(folder.path().join("net.buckets"), bytes).expect("written");
        let found = Registry::standard().resolve(&name);
        assert_eq!(found.is_err(), refused, "{recipe}");
        if let Err(error) = found {
            assert!(error.to_string().contains("net.buckets"), "{error}");
        }
    }
}

#[test]
fn a_network_that_sees_one_hand_at_a_time_on_turns_plays_flops() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("net.safetensors");
    let inputs = models::values::by_hand::COLUMNS;
    let shape = Shape { inputs, hidden: vec![4], outputs: 1, activation: Activation::Prelu };
    let network = arbitrary("by-hand", shape, Output::Identity);
    std::fs::write(&file, network.to_bytes(Precision::Single)).expect("written");
    let def = Arc::new(games::nolimit_holdem());
    let public = after(&def, &[Action::RaiseTo(3_000), Action::Call]);
    let name = "resolve:blueprint=call,menu=fcpa,from=flop,iterations=1,floor=999";
    let (by_file, _) =
        on_a_clock(&format!("{name},values={}", file.display()), &public, "KhKc", Duration::ZERO);
    let (shipped, _) = on_a_clock(name, &public, "KhKc", Duration::ZERO);
    assert!(by_file.note.expect("it says how").contains("solved here on the flop"));
    assert_ne!(by_file.values, shipped.values, "its own values");
}

#[test]
fn after_the_last_solved_street_the_blueprint_plays() {
    let def = Arc::new(games::nolimit_holdem_with(vec![1_000, 1_000]));
    let raised = [Action::RaiseTo(300), Action::Call];
    let flop = after(&def, &raised);
    let turn = after(&def, &[raised, [Action::Call; 2]].concat());
    let name = |to: &str| format!("resolve:blueprint=call,from=flop,iterations=3,floor=9,to={to}");
    let [short, long, call] =
        [name("flop"), name("river"), "call".to_owned()].map(|name| policy(&name, &def));
    assert_eq!(strategies(&*short, &flop), strategies(&*long, &flop));
    assert_ne!(strategies(&*short, &flop), strategies(&*call, &flop));
    assert_eq!(strategies(&*short, &turn), strategies(&*call, &turn));
    assert_ne!(strategies(&*long, &turn), strategies(&*call, &turn));
}

#[test]
fn options_that_make_no_sense_are_refused_by_name() {
    for (name, part) in [
        ("resolve:from=preflop", "flop, turn or river"),
        ("resolve:from=river,to=turn", "`to` is turn, but must not be before `from`, river"),
        ("resolve:values=net.safetensors", "from=flop"),
        ("resolve:from=flop,values=nowhere.safetensors", "nowhere.safetensors"),
        ("resolve:values=blueprint", "from=flop"),
        ("resolve:from=flop,values=blueprint,blueprint=equity", "betting tree"),
        ("resolve:rivers=old", "anew or kept"),
        ("resolve:iterations=0", "from 1 to 100000"),
        ("resolve:enough=-1", "0 or more"),
        ("resolve:floor=0", "above 0"),
        ("resolve:blueprint=exploiter", "all hands"),
        ("resolve:deadline=soon", "2s or 500ms"),
        ("resolve:gadget=full", "none, half, safe, refined or margin"),
        ("resolve:offers=full", "blueprint or best"),
        ("resolve:entry=full", "none, half, safe, refined or margin"),
        ("resolve:menu=nowhere.menu", "nowhere.menu"),
        ("resolve:blueprint=cfrr", "cfrr"),
        ("resolve:bluprint=cfr", "blueprint"),
    ] {
        let error: AgentError = Registry::standard().resolve(name).expect_err(name);
        assert!(error.to_string().contains(part), "{name}: {error}");
    }
}

/// The decision of the agent with a hand where time passes as it reads the clock.
fn on_a_clock(
    name: &str,
    public: &PublicState,
    hand: &str,
    step: Duration,
) -> (Decision, Duration) {
    let choice = Registry::standard().resolve(name).expect("an agent");
    let mut agent = choice.build(public.def()).expect("it plays the game");
    let reads = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&reads);
    let clock = Clock::new(move || step * counted.fetch_add(1, Ordering::Relaxed));
    let mut cx = Context { rng: AgentRng::new(1), hand: 0, time_left: None, clock };
    (agent.act(&seen(public, hole(hand)), &mut cx), step * reads.load(Ordering::Relaxed))
}

#[test]
fn a_deadline_ends_the_iterations_in_time() {
    let def = Arc::new(games::nolimit_holdem());
    let river = after(&def, &QUIET);
    for (deadline, step, least, most) in [("2s", 10, 100, 200), ("500ms", 10, 20, 50)] {
        let of = "resolve:blueprint=call,from=river,iterations=100000,floor=9";
        let name = format!("{of},deadline={deadline}");
        let step = Duration::from_millis(step);
        let (decision, took) = on_a_clock(&name, &river, "KhKc", step);
        let limit = Duration::from_millis(if deadline == "2s" { 2000 } else { 500 });
        assert!(took <= limit, "{deadline}: {took:?}");
        let note = decision.note.expect("it says how");
        let iterations = note.split(" iterations").next().expect("a number");
        let iterations: u32 = iterations.rsplit(' ').next().expect("one").parse().expect("whole");
        assert!((least..most).contains(&iterations), "{deadline}: {note}");
    }
    // Near enough is enough, with a clock that stands still and without a deadline.
    for (options, most) in [("deadline=2s", 0.3), ("enough=0.001", 0.1), ("enough=0.05", 5.0)] {
        let name = format!("resolve:blueprint=call,iterations=100000,floor=9,{options}");
        let (decision, _) = on_a_clock(&name, &river, "KhKc", Duration::ZERO);
        let note = decision.note.expect("it says how");
        let distance = note.split(" % of the pot").next().and_then(|text| text.rsplit(' ').next());
        let distance: f64 = distance.expect("a share").parse().expect("a number");
        assert!(distance <= most && !note.contains("100000 iterations"), "{options}: {note}");
    }
    // Whoever leaves two seconds for an answer has turns solved as well.
    let turn = after(&def, &QUIET[..QUIET.len() - 2]);
    assert_eq!(turn.street(), Street::Turn);
    for (options, solved) in [("deadline=2s", true), ("deadline=1s", false), ("enough=0.1", false)]
    {
        let name = format!("resolve:blueprint=call,iterations=3,floor=9,{options}");
        let (decision, _) = on_a_clock(&name, &turn, "KhKc", Duration::ZERO);
        let note = decision.note.unwrap_or_default();
        assert_eq!(note.contains("on the turn"), solved, "{options}: {note}");
    }
    // Too little time for a flop: the blueprint, before anything is computed.
    let flop = after(&def, &[Action::Call, Action::Call]);
    for name in ["blueprint=call,deadline=400ms", "values=blueprint,deadline=4s"] {
        let name = format!("resolve:from=flop,floor=9,{name}");
        let (decision, took) = on_a_clock(&name, &flop, "KhKc", Duration::from_millis(1));
        let note = decision.note.unwrap_or_default();
        assert!(!note.contains("solved"), "{name}: {note}");
        assert!(took < Duration::from_millis(20), "{took:?}");
    }
    // Time that is up when the first iteration begins: it is the last one.
    let name = "resolve:blueprint=call,entry=none,from=flop,floor=999,deadline=2s";
    let (decision, _) = on_a_clock(name, &flop, "KhKc", Duration::from_millis(500));
    let note = decision.note.expect("it says how");
    assert!(note.contains(" 1 iterations"), "{note}");
    // No time for the fewest iterations: the blueprint, at once.
    let name = "resolve:blueprint=call,floor=9,deadline=100ms";
    let (decision, _) = on_a_clock(name, &river, "KhKc", Duration::from_millis(60));
    assert_eq!((decision.action, decision.note), (Action::Call, None));
}

#[test]
fn with_a_deadline_it_is_no_function_of_what_it_sees() {
    let choice = Registry::standard().resolve("resolve:deadline=2s").expect("an agent");
    assert!(!choice.has_policy() && !choice.repeatable());
}

#[test]
fn after_its_own_action_a_new_bet_is_answered_from_where_it_was_made() {
    let def = Arc::new(games::nolimit_holdem());
    // A check, then one and a half pots, which no menu has.
    let bet = [QUIET.as_slice(), &[Action::Call, Action::RaiseTo(100 + 300)]].concat();
    let public = after(&def, &bet);
    for gadget in ["none", "half", "safe", "refined", "margin"] {
        let name = format!("resolve:blueprint=call,iterations=150,floor=9,gadget={gadget}");
        let played = strategies(&*policy(&name, &def), &public);
        let fold = |hand: &str| {
            let (_, strategy) =
                played.iter().find(|(other, _)| *other == combo(hand)).expect("a hand");
            strategy.probability(Action::Fold)
        };
        assert!(fold("KhKc") < 0.01 && fold("AhKd") < 0.1, "{gadget}");
        assert!(fold("5h3c") > 0.5, "{gadget}: {}", fold("5h3c"));
        let (decision, _) = on_a_clock(&name, &public, "KhKc", Duration::ZERO);
        let note = decision.note.expect("it says how");
        assert!(note.starts_with("solved one action ago on the river"), "{note}");
        // A fold loses what was put in before; three kings win from most hands that bet.
        let [fold, call] = [Action::Fold, Action::Call].map(|action| {
            let valued = decision.values.iter().find(|(other, _)| *other == action);
            valued.expect("every action has a value").1
        });
        assert!((fold + 100.0).abs() < 1e-6 && call > 0.0, "{fold} {call}");
    }
}

#[test]
fn a_network_that_is_asked_beyond_what_it_has_learned_from_says_so() {
    let deep = Arc::new(games::nolimit_holdem_with(vec![25_000; 2]));
    // 250 big blinds each, a pot of two: 124.5 pots behind, where 99.5 are the most it has seen.
    let limped = after(&deep, &[Action::Call, Action::Call]);
    let name = "resolve:blueprint=call,menu=fcpa,from=flop,iterations=2,floor=999";
    let (decision, _) = on_a_clock(name, &limped, "KhKc", Duration::ZERO);
    let note = decision.note.expect("it says how");
    assert!(note.contains("learned from stacks of 0.17 to 99.5 pots: "), "{note}");
    assert!(note.ends_with("ends of the betting are beyond"), "{note}");
}

/// What each hand of the second seat wins on a river from a strategy by a best response beyond what
/// it wins by the blueprint of both players, in chips; the bets before are none of the blueprint's.
fn gains(name: &str) -> Vec<f64> {
    let def = Arc::new(games::nolimit_holdem());
    let bets = [Action::RaiseTo(333), Action::Call, Action::Call, Action::RaiseTo(784)];
    let river = after(&def, &[bets.as_slice(), &[Action::Call; 3]].concat());
    let [first, second] = [0, 1].map(|seat| Seat::new(seat).expect("two seats"));
    let (cfr, resolve) = (policy("cfr", &def), policy(name, &def));
    let how = (ActionMatching::Sizes, 0.001);
    let own = reach::at_street(Street::River, &*cfr, &river, first, how);
    let own = own.first_chunk().expect("all combos");
    let offers = hand_values(&river, second, Own::Policy(&*cfr), own, &*cfr);
    let best = hand_values(&river, second, Own::BestOf(&Bets), own, &*resolve);
    let hands = combos(&river).into_iter();
    hands.map(|hand| best[hand.index()] - offers[hand.index()]).collect()
}

/// The bets of solutions of the river, all alike.
struct Bets;

impl Policy for Bets {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        let menu = "river 1: 50% pot allin; river 2: pot allin; river 3+: allin";
        let menu: BetMenu = menu.replace("; ", "\n").parse().expect("a menu");
        let actions = menu.actions(&infoset.public).to_vec();
        Strategy::from_weights(actions.into_iter().map(|action| (action, 1.0))).expect("an action")
    }
}

#[test]
fn hands_win_less_beyond_the_blueprints_values_where_they_may_decline_to_enter() {
    let gained = |entry: &str| {
        let gains = gains(&format!("resolve:floor=9,iterations=400,enough=0,entry={entry}"));
        let most = gains.iter().copied().fold(f64::MIN, f64::max);
        (gains.iter().map(|gain| gain.max(0.0)).sum::<f64>() / gains.len() as f64, most)
    };
    let found = ["none", "half", "refined", "safe", "margin"].map(gained);
    let [none, half, refined, safe, margin] = found;
    assert!(half.0 < 0.5 * none.0, "{found:?}");
    assert!(refined.0 < half.0 && safe.0 < half.0, "{found:?}");
    assert!(margin.1 < none.1.min(half.1).min(refined.1).min(safe.1), "{found:?}");
}

#[test]
fn with_more_than_two_players_it_solves_where_two_are_left_and_plays_by_the_blueprint_elsewhere() {
    let usual = games::nolimit_holdem();
    let spec = GameSpec {
        players: 4,
        stacks: vec![20_000, 9_000, 20_000, 12_345],
        blinds: vec![50, 100, 0, 0],
        first_to_act: vec![2, 0, 0, 0],
        ..usual.spec().clone()
    };
    let def = Arc::new(GameDef::new(spec).expect("a game"));
    let [solving, blueprint] = ["resolve:iterations=60", "cfr"].map(|name| {
        let choice = Registry::standard().resolve(name).expect("an agent");
        choice.policy(&def).expect("its game").expect("a policy")
    });
    let board: Board = "Ks8h3d7c2s".parse().expect("a board");
    let mut public = PublicState::new(&def);
    let (call, fold) = (Action::Call, Action::Fold);
    let mut changed = 0;
    for action in
        [Action::RaiseTo(300), fold, fold, call, call, call, call, call, Action::RaiseTo(777)]
    {
        public.deal_from(&board).expect("cards");
        let Turn::Act(seat) = public.turn() else { panic!("somebody acts") };
        let hole = "AhQc".parse().expect("cards");
        let infoset = InfoSet { public: public.clone(), seat, hole };
        let [solved, played] = [&solving, &blueprint].map(|policy| policy.strategy(&infoset));
        let river = public.street() == Street::River;
        assert!(river || solved == played, "{public:?}");
        changed += usize::from(solved != played);
        assert!(solved.actions.iter().all(|&(action, _)| public.legal().allows(action)));
        public.apply(action).expect("legal");
    }
    assert!(changed > 0, "nothing was solved");
    // The answer to a bet that no menu has; its values are in chips of the whole hand.
    let Turn::Act(seat) = public.turn() else { panic!("somebody acts") };
    let hole = "KhKd".parse().expect("cards");
    let infoset = InfoSet { public: public.clone(), seat, hole };
    let choice = Registry::standard().resolve("resolve:iterations=60").expect("an agent");
    let mut agent = choice.build(&def).expect("its game");
    let (rng, clock) = (AgentRng::new(1), Clock::stopped());
    let mut cx = Context { rng, hand: 0, time_left: None, clock };
    let made = agent.act(&infoset, &mut cx);
    let note = made.note.expect("one");
    assert!(note.starts_with("two are left: solved"), "{note}");
    let value = |wanted: Action| {
        made.values.iter().find(|(action, _)| *action == wanted).map(|&(_, value)| value)
    };
    let paid = f64::from(public.committed()[seat]);
    assert_eq!(value(fold), Some(-paid), "{:?}", made.values);
    // Three kings win what is in the pot, nearly always.
    let pot = public.pot() as f64 - paid;
    assert!(value(call).is_some_and(|won| won > 0.8 * pot && won <= pot), "{:?}", made.values);
}
