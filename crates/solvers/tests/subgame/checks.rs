//! Solving until a goal: checks on the way, and strategies that more iterations do not make worse.

use solvers::Variant;
use solvers::subgame::{Options, Precision, Solver, Subgame, start};

use super::{bets, range};

/// A solver of a spot with these cards, chips, ranges and bets.
fn solver(
    [board, ranges @ .., menu]: [&str; 4],
    [pot, stack]: [u32; 2],
    options: Options,
) -> Solver {
    let root = start(&board.parse().expect(board), pot, [stack; 2], 1).expect("a hand");
    let subgame = Subgame::new(&root, ranges.map(range).each_ref(), &bets(menu));
    let subgame = subgame.expect("a subgame");
    Solver::new(subgame, options).expect("small enough")
}

/// A deep river, where a call wins or loses a hundred pots.
const DEEP: [&str; 4] =
    ["Kh7h2c9s2d", "AA", "KK,QQ", "river 1: 50% pot allin\nriver 2: pot allin\nriver 3+: allin"];

/// A shallow turn, where the average of DCFR+ gets twice as exploitable after 46 iterations.
const SHALLOW: [&str; 4] = [
    "AhTc4d4s",
    "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
    "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+",
    "turn river 1: 33% 75% allin\nturn river 2+: allin",
];

fn dcfr_plus() -> Options {
    Options { variant: Variant::DCFR_PLUS.second_first(), ..Options::default() }
}

#[test]
fn averages_of_many_iterations_are_not_rounded_away() {
    // Sums of iterations in 32 bits were off by up to 0.14 chips from 20,000 on.
    for options in [Options::default(), dcfr_plus()] {
        let mut solver = solver(DEEP, [200, 19_900], options);
        for iterations in [20_000, 30_000, 40_000] {
            solver.run(iterations - solver.iterations());
            let found = solver.exploitability();
            assert!(found < 0.01, "{}: {found} after {iterations}", options.variant);
        }
    }
}

#[test]
fn sixteen_bits_come_as_near_as_thirty_two() {
    // Always rounded to the nearest, they stayed at 0.3 % of the pot.
    let menu = "river 1: 50% pot 200% allin\nriver 2+: pot allin";
    let options = Options { precision: Precision::Half, ..Options::default() };
    let mut solver = solver(["8d7s2c3h5s", "random", "random", menu], [200, 8_000], options);
    solver.run(800);
    let share = solver.exploitability() / 200.0;
    assert!(share < 0.0014, "{share} of the pot");
}

#[test]
fn averages_of_turns_do_not_get_worse() {
    let mut solver = solver(SHALLOW, [200, 200], Options::default());
    let mut last = f64::INFINITY;
    for iterations in (4..=160).step_by(4) {
        solver.run(4);
        let found = solver.exploitability();
        assert!(found < last, "{found} after {iterations} iterations, {last} before");
        last = found;
    }
}

/// Checks that no run is worse than one of fewer iterations.
fn check_limits(spot: [&str; 4], chips: [u32; 2], options: Options, limits: &[u32]) {
    let mut last = f64::INFINITY;
    for &most in limits {
        let found = solver(spot, chips, options).run_until(1e-9, most).exploitability();
        assert!(found <= last, "{}: {found} of {most}, {last} before", spot[0]);
        last = found;
    }
}

#[test]
fn more_iterations_give_no_worse_result() {
    let limits = [2, 5, 10, 30, 50, 60, 90, 110, 120].into_iter().step_by(testing::size(2, 1));
    let limits: Vec<u32> = limits.collect();
    for precision in [Precision::Full, Precision::Half] {
        for options in [Options::default(), dcfr_plus()] {
            let options = Options { precision, ..options };
            check_limits(SHALLOW, [200, 200], options, &limits);
            check_limits(DEEP, [200, 19_900], options, &limits);
        }
    }
    // Exploitabilities of so many iterations go up and down.
    check_limits(DEEP, [200, 19_900], Options::default(), &[1000, 20_000, 30_000]);
}

#[test]
fn a_solver_returns_to_the_best_strategies_that_it_checked() {
    let mut found = solver(SHALLOW, [200, 200], dcfr_plus());
    found.run(46);
    let best = found.check(0.0).0;
    // The next check, of strategies that are worse, and a continuation from a snapshot.
    found.run(5);
    assert!(found.check(0.0).0 > 1.5 * best, "this is no longer a hard spot");
    let mut bytes = Vec::new();
    found.write(&[], 0.0, &mut bytes).expect("memory does not fail");
    let read = solver(SHALLOW, [200, 200], dcfr_plus()).resume(&[], &bytes[..]);
    let (mut resumed, _) = read.expect("its own snapshot");
    assert_eq!(resumed.next_check(), found.next_check());
    let mut fresh = solver(SHALLOW, [200, 200], dcfr_plus());
    fresh.run(46);
    for solver in [&mut found, &mut resumed] {
        solver.return_to_best();
        assert_eq!((solver.iterations(), solver.best_check()), (46, Some(best)));
        assert_eq!(solver.evaluate(), fresh.evaluate());
    }
}

#[test]
fn checks_come_where_the_goal_is_expected() {
    let goal = 0.003 * 200.0;
    let mut reached = solver(SHALLOW, [200, 200], Options::default());
    let mut first = solver(SHALLOW, [200, 200], Options::default());
    let found = reached.run_until(0.003, 1000);
    assert!(found.exploitability() <= goal);
    while first.exploitability() > goal {
        first.step();
    }
    let (late, least) = (reached.iterations(), first.iterations());
    assert!(late <= least + 2 + least / 20, "{late} iterations, and {least} are enough");
}
