//! An iteration over Leduc poker, and the time to come within 0.001 chips of its equilibrium.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use solvers::games::Dealt;
use solvers::{Cfr, Sampling, SamplingOptions, Sequences, Tree, Variant};

fn leduc() -> Tree {
    let game = Dealt::new(Arc::new(game::games::leduc())).expect("two players");
    Tree::new(&game, 20_000).expect("small")
}

fn tabular(criterion: &mut Criterion) {
    let tree = leduc();
    let game = Sequences::new(&tree);
    let mut group = criterion.benchmark_group("leduc");
    for variant in [Variant::CFR, Variant::CFR_PLUS, Variant::DCFR, Variant::PDCFR_PLUS] {
        group.bench_function(format!("{variant} iteration"), |bencher| {
            let mut cfr = Cfr::new(&game, variant, 1000);
            bencher.iter(|| cfr.step());
        });
    }
    group.bench_function("dcfr to 0.001", |bencher| {
        bencher.iter(|| {
            let mut cfr = Cfr::new(&game, Variant::DCFR, 1000);
            while cfr.average().exploitability(&game) > 1e-3 {
                cfr.run(25);
            }
            black_box(cfr.iterations())
        });
    });
    group.bench_function("external sampling iteration", |bencher| {
        let mut sampling = Sampling::new(&tree, &game, SamplingOptions::default(), 1);
        bencher.iter(|| sampling.step());
    });
    group.finish();
}

criterion_group!(benches, tabular);
criterion_main!(benches);
