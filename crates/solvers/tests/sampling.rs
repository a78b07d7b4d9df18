//! The Monte Carlo forms approach the same equilibria.

use solvers::{Sampling, SamplingOptions, Scheme, Sequences};

use crate::small;

fn exploitability(options: SamplingOptions, iterations: u64) -> f64 {
    let tree = small::kuhn();
    let game = Sequences::new(&tree);
    let mut sampling = Sampling::new(&tree, &game, options, 1);
    sampling.run(iterations);
    sampling.average().exploitability(&game)
}

#[test]
fn external_sampling_solves_kuhn() {
    for gamma in [0.0, 1.0, 2.0] {
        let found = exploitability(SamplingOptions { gamma, ..Default::default() }, 200_000);
        assert!(found < 0.004, "γ = {gamma}: {found}");
    }
}

#[test]
fn outcome_sampling_solves_kuhn() {
    let scheme = Scheme::Outcome { exploration: 0.6 };
    for gamma in [0.0, 1.0] {
        let found =
            exploitability(SamplingOptions { scheme, gamma, ..Default::default() }, 500_000);
        assert!(found < 0.015, "γ = {gamma}: {found}");
    }
}

#[test]
fn pruning_looks_at_fewer_nodes_and_still_solves_leduc() {
    let tree = small::leduc();
    let game = Sequences::new(&tree);
    let run = |prune_below| {
        let options = SamplingOptions { prune_below, ..Default::default() };
        let mut sampling = Sampling::new(&tree, &game, options, 7);
        sampling.run(200_000);
        (sampling.nodes(), sampling.average().exploitability(&game))
    };
    let (nodes, plain) = run(None);
    let (fewer, pruned) = run(Some(-500.0));
    assert!(fewer < nodes * 9 / 10, "{fewer} of {nodes} nodes");
    assert!(plain < 0.06 && pruned < 0.07, "{plain} {pruned}");
}

#[test]
fn one_seed_gives_one_strategy() {
    let tree = small::leduc();
    let game = Sequences::new(&tree);
    let average = |seed| {
        let mut sampling = Sampling::new(&tree, &game, SamplingOptions::default(), seed);
        sampling.run(500);
        sampling.average()
    };
    assert_eq!(average(3), average(3));
    assert_ne!(average(3), average(4));
}
