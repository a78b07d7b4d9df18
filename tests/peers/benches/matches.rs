//! Whole hands between agents, beside another arena in the same run.
//!
//! `cardroom` plays through its runner with full statistics and no records; `rs_poker` plays its
//! arena's simulation. Random agents differ in how often they fold, so hands differ in length: the
//! calling pair is the fair comparison.

use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use game::games;
use matches::folder::NullRecorder;
use matches::plan::MatchPlan;
use matches::external::registry;
use matches::runner::{Level, run};
use matches::runner::Stop;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rs_poker::arena::agent::{CallingAgent, RandomAgent};
use rs_poker::arena::{Agent, GameStateBuilder, HoldemSimulationBuilder};

const HANDS: u64 = 4096;

fn ours(agents: [&str; 2]) -> u64 {
    let registry = registry();
    let plan = MatchPlan {
        def: Arc::new(games::nolimit_holdem()),
        game_name: "holdem.nolimit.2p.reverse_blinds".into(),
        entrants: agents.map(|name| registry.resolve(name).expect("a built-in agent")).into(),
        given_names: Vec::new(),
        hands: HANDS,
        seed: 1,
        duplicate: true,
        shard: None,
        deadline: None,
        rule: None,
    };
    let stop = Stop::new();
    run(&plan, Level::Nothing, 1, &NullRecorder, &mut NullRecorder, &stop, &mut |_| {})
        .expect("nothing to record, nothing to fail")
        .hands
}

async fn theirs(random: bool) {
    for seed in 0..HANDS {
        let second: Box<dyn Agent> =
            if random { Box::<RandomAgent>::default() } else { Box::<CallingAgent>::default() };
        let agents: Vec<Box<dyn Agent>> = vec![Box::<CallingAgent>::default(), second];
        let state = GameStateBuilder::new()
            .num_players_with_stack(2, 20_000.0)
            .blinds(100.0, 50.0)
            .build()
            .expect("a valid state");
        let mut simulation = HoldemSimulationBuilder::default()
            .game_state(state)
            .agents(agents)
            .build_with_rng(StdRng::seed_from_u64(seed))
            .expect("a valid simulation");
        simulation.run().await;
    }
}

fn matches_benches(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let mut group = c.benchmark_group("heads-up no-limit hands");
    group.throughput(Throughput::Elements(HANDS)).measurement_time(Duration::from_secs(8));
    group.bench_function("cardroom, call against call", |b| b.iter(|| ours(["call", "call"])));
    group.bench_function("rs_poker, call against call", |b| {
        b.iter(|| runtime.block_on(theirs(false)));
    });
    group.bench_function("cardroom, call against random", |b| b.iter(|| ours(["call", "random"])));
    group.bench_function("rs_poker, call against random", |b| {
        b.iter(|| runtime.block_on(theirs(true)));
    });
    group.finish();
}

criterion_group!(benches, matches_benches);
criterion_main!(benches);
