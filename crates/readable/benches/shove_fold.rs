//! Shove or fold: what a pair of ranges loses to best responses, and the equilibrium of a stack.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use readable::shove_fold::{Payoffs, equilibrium};

fn shove_fold(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("shove-fold");
    let payoffs = Payoffs::new(10.0, 0.0).expect("a stack");
    let mixed = equilibrium(&payoffs).ranges;
    group.bench_function("exploitability", |bencher| {
        bencher.iter(|| payoffs.exploitability(black_box(&mixed)));
    });
    for stack in [6, 10, 20] {
        let payoffs = Payoffs::new(f64::from(stack), 0.0).expect("a stack");
        group.bench_function(format!("equilibrium of {stack} big blinds"), |bencher| {
            bencher.iter(|| equilibrium(black_box(&payoffs)));
        });
    }
    group.finish();
}

criterion_group!(benches, shove_fold);
criterion_main!(benches);
