//! Subgames in the vector registers of each kind that this processor has: how long an iteration and
//! an exact check take in each, as ratios to AVX2. Nothing here should be slower in wider
//! registers, on any maker's processor.
//!
//! Kinds take turns, so that what else the machine does is the same for all of them; figures are
//! medians. `RAYON_NUM_THREADS=1` and `taskset -c 1` for one core. The bench `subgame` runs in one
//! kind with `REGISTERS=any`, `avx2` or `avx512`.
#![expect(clippy::print_stdout, reason = "it is what there is to say")]

#[path = "subgame/cases.rs"]
mod cases;

use std::time::Instant;

use cases::{CASES, solver};
use solvers::subgame::{Precision, Registers, use_registers};

/// Turns of each kind.
const TURNS: usize = 41;

/// Seconds of one turn, about.
const TURN: f64 = 0.03;

fn main() {
    let all = [Registers::Any, Registers::Avx2, Registers::Avx512];
    let all: Vec<Registers> = all.into_iter().filter(|&kind| use_registers(kind) == kind).collect();
    let base = all.iter().position(|&kind| kind == Registers::Avx2).unwrap_or_default();
    println!("milliseconds in {all:?} registers; ratios to {:?}", all[base]);
    for case in &CASES {
        for (precision, bits) in [(Precision::Full, 32), (Precision::Half, 16)] {
            let mut solver = solver(case, precision);
            solver.run(5);
            let mut iteration = || solver.step();
            compare(&format!("{}, {bits} bits, iteration", case.name), &all, base, &mut iteration);
            let mut check = || _ = solver.exploitability();
            compare(&format!("{}, {bits} bits, check", case.name), &all, base, &mut check);
        }
    }
}

/// Prints how long the work takes in each kind.
fn compare(what: &str, all: &[Registers], base: usize, work: &mut dyn FnMut()) {
    let mut time = |times: u32| {
        let begun = Instant::now();
        (0..times).for_each(|_| work());
        1000.0 * begun.elapsed().as_secs_f64() / f64::from(times)
    };
    let times = (1000.0 * TURN / time(1)).ceil().clamp(1.0, 1e6) as u32;
    let mut taken = vec![Vec::new(); all.len()];
    for turn in 0..TURNS {
        for at in 0..all.len() {
            // Who comes first changes, too.
            let kind = (turn + at) % all.len();
            use_registers(all[kind]);
            taken[kind].push(time(times));
        }
    }
    let median = |numbers: &mut dyn Iterator<Item = f64>| {
        let mut numbers: Vec<f64> = numbers.collect();
        numbers.sort_unstable_by(f64::total_cmp);
        numbers[numbers.len() / 2]
    };
    let mut line = format!("{what:44}");
    for of_kind in &taken {
        let ratio = median(&mut of_kind.iter().zip(&taken[base]).map(|(one, other)| one / other));
        line += &format!("  {:>8.4} ({ratio:.2})", median(&mut of_kind.iter().copied()));
    }
    println!("{line}");
}
