//! An equilibrium of a ten-card endgame by the program of pairs, beside clarabel on the sequence
//! form of the same game, and the price of a strategy; what a pair of ranges for all-in or fold
//! loses to best responses, and the equilibrium of a stack.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use readable::endgame::{Bets, Endgame, Pivots};
use readable::shove_fold::{Payoffs, equilibrium};
use solvers::games::TenCards;
use solvers::{Player, Sequences, Tree, linear};

fn endgames(bench: &mut Criterion) {
    // Weights that no two cards share.
    let weights = |shift: usize| std::array::from_fn(|i| 1.0 + ((7 * i + shift) % 11) as f64);
    let (x, y): ([f64; 10], [f64; 10]) = (weights(3), weights(8));
    let game = Endgame::new(&x, &y, Bets::published()).expect("a game");
    let mut group = bench.benchmark_group("ten cards");
    group.bench_function("centre", |bench| bench.iter(|| black_box(&game).solve()));
    group.bench_function("extreme", |bench| {
        bench.iter(|| black_box(&game).extreme(Pivots::Best));
    });
    let solution = game.solve();
    group.bench_function("price of a strategy", |bench| {
        bench.iter(|| game.against(Player::First, black_box(&solution.strategy)));
    });
    let tree = Tree::new(&TenCards::new(x, y).expect("a game"), 100_000).expect("small");
    let sequences = Sequences::new(&tree);
    group.sample_size(10);
    group.bench_function("clarabel", |bench| {
        bench.iter(|| linear::solve(black_box(&sequences)).expect("solved"));
    });
    group.finish();
}

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

criterion_group!(benches, endgames, shove_fold);
criterion_main!(benches);
