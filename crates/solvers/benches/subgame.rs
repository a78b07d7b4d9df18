//! Subgames on the trees of well-known solvers: an iteration, and the time to half a percent of the
//! pot, exact checks of it included.
//!
//! Pot 200, 900 behind. `RAYON_NUM_THREADS=1` for one core; `REGISTERS=any`, `avx2` or `avx512` for
//! no wider ones than these.

#[path = "subgame/cases.rs"]
mod cases;

use std::hint::black_box;

use cases::{CASES, solver};

use criterion::{Criterion, criterion_group, criterion_main};
use solvers::subgame::{Options, Precision, Registers, use_registers};

fn subgames(criterion: &mut Criterion) {
    let most = match std::env::var("REGISTERS").as_deref() {
        Ok("any") => Registers::Any,
        Ok("avx2") => Registers::Avx2,
        Ok("avx512") | Err(_) => Registers::Avx512,
        Ok(other) => panic!("REGISTERS is `{other}`, and may be any, avx2 or avx512"),
    };
    let used = use_registers(most);
    #[expect(clippy::print_stdout, reason = "what the times are of")]
    {
        println!("in {used:?} registers");
    }
    for case in CASES {
        let mut group = criterion.benchmark_group(case.name);
        group.sample_size(10);
        for (precision, name) in [(Precision::Full, "32 bits"), (Precision::Half, "16 bits")] {
            let mut solved = solver(&case, precision);
            let size = solved.subgame().size(&Options { precision, ..Options::default() });
            solved.run_until(0.005, 1000);
            let iterations = solved.iterations();
            let about = format!("{iterations} iterations to 0.5 % of the pot, {size:?}");
            #[expect(clippy::print_stdout, reason = "what the times are of")]
            {
                println!("{}, {name}: {about}", case.name);
            }
            group.bench_function(format!("{name}, iteration"), |bencher| {
                bencher.iter(|| solved.step());
            });
            group.bench_function(format!("{name}, to 0.5 % of the pot"), |bencher| {
                bencher.iter(|| {
                    let mut solver = solver(&case, precision);
                    black_box(solver.run_until(0.005, 1000))
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, subgames);
criterion_main!(benches);
