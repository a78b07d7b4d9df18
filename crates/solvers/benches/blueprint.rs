//! Blueprint training: deals with their buckets, and decision nodes a second at several sizes of
//! tables.
//!
//! `cargo bench -p solvers --bench blueprint`. Criterion's *elements* are decision nodes looked at
//! (or deals).

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use abstraction::betting::BettingTree;
use abstraction::buckets::Buckets;
use abstraction::menu::BetMenu;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use game::games::nolimit_holdem_with;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use solvers::blueprint::{BLOCK, Deal, Deals, HoldemDeals, Precision, Trainer, TrainingOptions};

/// Name, big blinds, menu, buckets after the flop.
const GAMES: [(&str, u32, &str, u32); 3] = [
    ("1 MB: 20 big blinds, pot and all-in", 20, "every 1+: pot allin", 200),
    ("5 MB: 100 big blinds, pot and all-in", 100, "every 1+: pot allin", 200),
    (
        "0.7 GB: 200 big blinds, half pot, pot and all-in",
        200,
        "every 1-2: 50% pot allin\nevery 3+: allin",
        1000,
    ),
];

fn deals(count: u32) -> HoldemDeals {
    let recipe = format!("preflop=169 flop=ehs2:{count} turn=ehs2:{count} river=ehs2:{count}");
    let buckets = Buckets::make(&recipe.parse().expect("a recipe"), |_| ()).expect("buckets");
    buckets.tabulate(|_| ());
    let def = nolimit_holdem_with(vec![20_000; 2]);
    HoldemDeals::new(&def, Arc::new(buckets)).expect("hold'em")
}

fn dealing(c: &mut Criterion) {
    let deals = deals(1000);
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let mut group = c.benchmark_group("deal");
    let mut batch = [Deal::default(); 32];
    group.throughput(Throughput::Elements(batch.len() as u64));
    group.bench_function("cards, eight buckets, showdown", |b| {
        b.iter(|| {
            deals.deal_all(&mut rng, &mut batch);
            black_box(&batch);
        });
    });
}

fn training(c: &mut Criterion) {
    let mut group = c.benchmark_group("train");
    group.sample_size(10);
    for (name, stack, menu, buckets) in GAMES {
        let def = Arc::new(nolimit_holdem_with(vec![100 * stack; 2]));
        let menu: BetMenu = menu.parse().expect("a menu");
        let tree = Arc::new(BettingTree::new(&def, &menu, 10_000_000).expect("a tree"));
        let deals = deals(buckets);
        for precision in [Precision::Single, Precision::Half] {
            let options = TrainingOptions { precision, ..TrainingOptions::default() };
            let mut trainer =
                Trainer::new(Arc::clone(&tree), deals.clone(), options).expect("memory");
            // Strategies of the beginning are uniform, and look at more of the tree than later
            // ones.
            trainer.run(256 * BLOCK, 1, || false);
            for threads in [1, 2] {
                let before = trainer.statistics();
                trainer.run(64 * BLOCK, threads, || false);
                let after = trainer.statistics();
                let nodes = (after.nodes - before.nodes) / (after.iterations - before.iterations);
                group.throughput(Throughput::Elements(nodes));
                let id = format!("{name}; {} MB, {threads} threads", trainer.bytes() / 1_000_000);
                group.bench_function(BenchmarkId::new(id, format!("{precision:?}")), |b| {
                    b.iter_custom(|iterations| {
                        // Whole blocks are done; the time of one iteration is what counts.
                        let before = trainer.iterations();
                        let start = Instant::now();
                        trainer.run(iterations, threads, || false);
                        let done = trainer.iterations() - before;
                        let time = start.elapsed().as_secs_f64() * iterations as f64 / done as f64;
                        Duration::from_secs_f64(time)
                    });
                });
            }
        }
    }
}

criterion_group!(benches, dealing, training);
criterion_main!(benches);
