//! What a simpler strategy of one decision gives away: against sums over the hands of a river, and
//! without a trace in the solver.

use cards::{Combo, Range};
use game::{Action, PublicState};
use readable::simple_decision::{Adapt, menu_words};
use readable::simplicity::{Kind, Simple, Simplicity};
use solvers::showdown::River;
use solvers::subgame::{Options, Solver, Spot, Subgame, read_spot, start};

/// Bets of half the pot, of the pot and all-in; raises all-in.
fn menu(state: &PublicState) -> Vec<Action> {
    let legal = state.legal();
    let mut actions = if legal.fold { vec![Action::Fold] } else { Vec::new() };
    actions.push(Action::Call);
    if let Some(raises) = legal.raise {
        let pot = u32::try_from(state.pot()).expect("a small pot");
        // The smallest bet is of one chip.
        let bet = |chips: u32| (raises.min - 1 + chips).min(raises.max);
        let mut totals = vec![raises.max];
        if !legal.fold {
            totals = vec![bet(pot / 2), bet(pot), raises.max];
        }
        totals.dedup();
        actions.extend(totals.into_iter().map(Action::RaiseTo));
    }
    actions
}

fn subgame(board: &str, ranges: [&str; 2], symmetric: bool) -> Subgame {
    let root = start(&board.parse().expect("a board"), 100, [250, 250], 1).expect("a spot");
    let [first, second] = ranges.map(|text| text.parse::<Range>().expect("a range"));
    Subgame::with_symmetries(&root, [&first, &second], &menu, symmetric).expect("a subgame")
}

fn solved(board: &str, ranges: [&str; 2], iterations: u32) -> Solver {
    let mut solver =
        Solver::new(subgame(board, ranges, true), Options::default()).expect("a solver");
    solver.run(iterations);
    solver
}

fn find(solver: &mut Solver, line: &str, leaves: usize) -> Simplicity {
    let at = read_spot(solver, line).expect("a decision");
    Simplicity::of_decision(solver, &at, &menu_words, leaves, None, &mut |_, _| true)
        .expect("found")
}

fn named<'a>(found: &'a Simplicity, name: &str) -> &'a Simple {
    let simple = found.strategies.iter().find(|simple| simple.name == name);
    simple.unwrap_or_else(|| panic!("no `{name}`: {:?}", found.strategies))
}

const RIVER: &str = "Td9d6hQc2s";
const RANGES: [&str; 2] = ["QQ-66,AQs,KQs,QJs,JTs,T9s,98s,87s,A5s", "AA-TT,AQs+,KQs,KJs,QTs,ATs"];

#[test]
fn prices_on_a_river_are_sums_over_all_hands() {
    let mut solver = solved(RIVER, RANGES, 60);
    let river = River::new(solver.subgame()).expect("a river");
    let averages = river.averages(&solver).expect("averages");
    let game = &river.game;
    for line in ["", "x", "b50", "x b100"] {
        let found = find(&mut solver, line, 3);
        let at = read_spot(&solver, line).expect("a decision");
        let spot = Spot::at_state(&solver, &at.state).expect("a spot");
        let (player, decision) = river.decision(&spot).expect("a decision");
        let (p, o) = (player.index(), player.other().index());
        let choice = game.choices(player)[decision];
        let words = river.places[p][decision].words();
        let before = game.best_response_value(player.other(), &averages[p]);
        let value = game.value([&averages[0], &averages[1]]) * if p == 0 { 1.0 } else { -1.0 };
        for (played, word) in words.iter().enumerate() {
            let mut changed = averages.clone();
            for hand in 0..game.hands(player) {
                for (action, sequence) in choice.sequences().enumerate() {
                    changed[p].set(sequence, hand, f64::from(u8::from(action == played)));
                }
            }
            let exploited = game.best_response_value(player.other(), &changed[p]) - before;
            let after = game.value([&changed[0], &changed[1]]) * if p == 0 { 1.0 } else { -1.0 };
            let simple = named(&found, &format!("always {word}"));
            let near = |one: f64, other: f64| (one - other).abs() < 1e-3;
            assert!(near(simple.exploited, exploited), "{line}: {simple:?}, not {exploited}");
            assert!(near(simple.unnoticed, value - after), "{line}: {simple:?}, {value} {after}");
            assert_eq!((simple.remember, simple.proven), (1, true));
        }
        assert_eq!(found.player, p + 1);
        assert_ne!(o, p);
    }
}

#[test]
fn easier_strategies_are_dearer_and_trees_grow_cheaper() {
    let ranges = ["QQ-22,AJs-A2s,KTs+,QTs+,JTs,T9s,98s,AJo", "99+,AJs+,KQs,A5s-A4s,AQo+"];
    let mut solver = solved("Td9d6hQc", ranges, 200);
    let found = find(&mut solver, "x", 5);
    assert_eq!((found.player, found.line.as_deref()), (2, Some("x")));
    let gap = solver.exploitability() * 2.0;
    for simple in &found.strategies {
        // By going on as solved the other takes no more than by the best response.
        assert!(simple.unnoticed <= simple.exploited + gap, "{simple:?}, {gap}");
        assert!(simple.exploited >= -gap, "{simple:?}, {gap}");
    }
    let trees: Vec<&Simple> =
        found.strategies.iter().filter(|simple| simple.lines.len() > 1).collect();
    let always = |simple: &&Simple| simple.remember == 1;
    let cheapest = found.strategies.iter().filter(always).map(|simple| simple.exploited);
    let cheapest = cheapest.fold(f64::INFINITY, f64::min);
    let mut cost = cheapest;
    for count in 2..=5 {
        let name = format!("tree of {count}");
        let Some(tree) = trees.iter().find(|tree| tree.name == name) else { continue };
        assert!(tree.exploited < cost, "{tree:?}");
        assert_eq!(tree.lines.len(), count);
        cost = tree.exploited;
    }
    assert!(cost < cheapest, "questions help");
    let [quarters, pure] = ["quarters", "pure"].map(|name| named(&found, name));
    assert!(quarters.exploited < pure.exploited, "{quarters:?} {pure:?}");
    let solved = named(&found, "as solved");
    assert_eq!((solved.kind, solved.exploited), (Kind::Equilibrium, 0.0));
    assert!(pure.remember < solved.remember, "{pure:?} {solved:?}");
}

#[test]
fn what_is_played_later_can_be_adapted() {
    let ranges = ["QQ-22,AJs-A2s,KTs+,QTs+,JTs,T9s,98s,AJo", "99+,AJs+,KQs,A5s-A4s,AQo+"];
    let board = "Td9d6hQc";
    let mut solver = solved(board, ranges, 200);
    let at = read_spot(&solver, "x").expect("a decision");
    let mut solve = |state: &PublicState, strategy: &dyn Fn(Combo) -> Vec<f64>| {
        let mut other = Solver::new(subgame(board, ranges, true), Options::default())?;
        other.set_strategy(state, strategy)?;
        other.lock(state, &|_| true)?;
        other.run(200);
        Ok(other.evaluate())
    };
    let adapt: Adapt<'_> = &mut solve;
    let found =
        Simplicity::of_decision(&mut solver, &at, &menu_words, 2, Some(adapt), &mut |_, _| true);
    let found = found.expect("found");
    let always = found.strategies.iter().find(|simple| simple.remember == 1).expect("always");
    let adapted = always.adapted.expect("nothing is easier and cheaper");
    let gap = solver.exploitability() * 2.0;
    assert!(adapted <= always.exploited + gap && adapted >= -gap, "{always:?}");
    assert!(adapted < 0.8 * always.exploited, "adapting helps: {always:?}");
}

#[test]
fn the_solver_goes_on_as_if_nobody_had_asked() {
    // Hearts and spades are alike.
    let (board, ranges) = ("Td9d6c", ["QQ-99,AKs,KQs,JTs", "KK-JJ,AQs,98s,QJs"]);
    let [mut asked, mut other] = [board; 2].map(|board| solved(board, ranges, 8));
    let found = find(&mut asked, "x", 3);
    assert!(found.strategies.len() > 6, "{:?}", found.strategies);
    assert!(
        found
            .strategies
            .iter()
            .flat_map(|simple| &simple.lines)
            .all(|line| { !line.contains("hearts") && !line.contains("spades") }),
        "no question tells equivalent hands apart"
    );
    for more in [0, 5] {
        asked.run(more);
        other.run(more);
        assert_eq!(asked.evaluate(), other.evaluate());
        assert_eq!(asked.spot().strategies(), other.spot().strategies());
    }
}

#[test]
fn places_without_a_strategy_to_change_are_refused() {
    let mut solver = solved(RIVER, RANGES, 10);
    let at = read_spot(&solver, "").expect("a decision");
    let call = |_: Combo| vec![1.0, 0.0, 0.0, 0.0];
    solver.set_strategy(&at.state, &call).expect("set");
    solver.lock(&at.state, &|_| true).expect("locked");
    let refused = Simplicity::of_decision(&mut solver, &at, &menu_words, 2, None, &mut |_, _| true);
    let refused = refused.expect_err("it is locked").to_string();
    assert!(refused.contains("hands are locked there"), "{refused}");
}
