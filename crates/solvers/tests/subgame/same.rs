//! Ways of computing that must not matter: suits renamed or not, 32 or 16 bits, threads, registers.

use cards::Range;
use game::PublicState;
use solvers::Variant;
use solvers::subgame::{Evaluation, Options, Precision, Registers, Solver, Subgame, use_registers};

use super::{hand, range, short_hand, small_menu, uneven};
use crate::{combo, near};

fn half() -> Options {
    Options { precision: Precision::Half, ..Options::default() }
}

fn first_first() -> Options {
    Options { variant: Variant::DCFR_PLUS, ..Options::default() }
}

/// After this many iterations.
fn solved(
    state: &PublicState,
    ranges: [&Range; 2],
    symmetric: bool,
    options: Options,
    iterations: u32,
) -> (u64, Evaluation) {
    let menu = &small_menu();
    let subgame = Subgame::with_symmetries(state, ranges, menu, symmetric).expect("a subgame");
    let cells = subgame.size(&options).cells;
    let mut solver = Solver::new(subgame, options).expect("small");
    solver.run(iterations);
    (cells, solver.evaluate())
}

#[test]
fn renaming_suits_changes_nothing() {
    let even = range("random");
    let odd = uneven(&even);
    // Alike in all suits but for one hand of one of the ranges.
    let mut almost = even.clone();
    almost.set(combo("AcKc"), 0.5).expect("a weight");
    for (board, ranges, fewer) in [
        ("TsJsQh", [&even, &even], true),
        ("TsJsQsKs", [&even, &even], true),
        ("TsThQcJc", [&even, &odd], false),
        ("TsJsQsAs", [&even, &almost], true),
        ("TsJhQdKc", [&even, &even], false),
        ("TsThQsQh", [&even, &even], true),
    ] {
        let state = short_hand(board, 100, 150);
        for options in [Options::default(), first_first()] {
            let (cells, with) = solved(&state, ranges, true, options, 50);
            let (all_cells, without) = solved(&state, ranges, false, options, 50);
            assert_eq!(cells < all_cells, fewer, "{board}: {cells} of {all_cells}");
            // Rounding differs and is carried on, so only the game's value must be the same: it
            // lies between what each player's best response leaves the other.
            let both = with.exploitability() + without.exploitability();
            assert!(both < 0.02 * with.pot(), "{board}: {both}");
            near(with.values[0], without.values[0], 2.0 * both, board);
            near(with.best[0], without.best[0], 2.0 * both, board);
        }
    }
}

#[test]
fn sixteen_bits_are_as_close_to_an_equilibrium_as_thirty_two() {
    let state = hand("Td9d6hQc2s");
    let ranges = [&range("66+,A8s+,AJo+,KQo,QTs+"), &range("QQ-22,AQs-A2s,ATo+,K5s+")];
    for options in [Options::default(), half()] {
        let (_, evaluation) = solved(&state, ranges, true, options, 200);
        let share = evaluation.share_of_pot();
        assert!(share > 0.0 && share < 0.002, "{options:?}: {share}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let all = uneven(&range("random"));
    let on = |threads| {
        let pool = parallel::Pool::new(threads).expect("a pool");
        pool.run(|| {
            let flop = short_hand("TsJsQh", 100, 150);
            [
                solved(&hand("7s7h2s3s"), [&all, &all], true, Options::default(), 2).1,
                solved(&flop, [&all, &all], true, half(), 3).1,
                solved(&flop, [&all, &all], true, first_first(), 3).1,
            ]
        })
    };
    let one = on(1);
    for threads in [2, 5] {
        assert!(on(threads) == one, "{threads} threads differ from one");
    }
}

#[test]
fn any_registers_give_the_same_bits() {
    let all = uneven(&range("random"));
    let predictive = Options { variant: Variant::PDCFR_PLUS, ..Options::default() };
    let on = |registers| {
        let used = use_registers(registers);
        let flop = short_hand("TsJsQh", 100, 150);
        let results = [
            solved(&hand("7s7h2s3s"), [&all, &all], true, Options::default(), 3).1,
            solved(&hand("7s7h2s3sKd"), [&all, &all], true, predictive, 20).1,
            solved(&flop, [&all, &all], true, half(), 3).1,
            solved(&flop, [&all, &all], true, first_first(), 3).1,
        ];
        (used, results)
    };
    let (widest, usual) = on(Registers::Avx512);
    for registers in [Registers::Any, Registers::Avx2] {
        let (used, results) = on(registers);
        assert!(results == usual, "{used:?} registers differ from {widest:?}");
    }
    use_registers(Registers::Avx512);
}
