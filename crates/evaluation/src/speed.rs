//! Speed: of the rules alone, of whole matches with and without records, and of an agent's
//! decisions, with its memory use.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::{AgentChoice, AgentError};
use game::{Action, GameDef, LegalActions, PublicState, Turn};
use logs::DecisionRecord;
use logs::stats::Latencies;
use matches::bot::Bot;
use matches::bot::decision_rng;
use matches::plan::MatchPlan;
use matches::play::{Settings, play};
use matches::runner::Level;
use matches::runner::Stop;
use matches::table::{Deal, Dealer};
use matches::table::{Observer, Table};
use rand::{Rng, RngExt};
use serde::Serialize;

/// A measured speed.
#[derive(Debug, Clone, Copy)]
pub struct Speed {
    /// Hands played.
    pub hands: u64,
    /// The time that took.
    pub time: Duration,
}

impl Speed {
    /// Hands per second.
    pub fn per_second(&self) -> f64 {
        self.hands as f64 / self.time.as_secs_f64()
    }
}

/// Measures the rules engine with random legal actions on one thread, cards and payoffs included,
/// for about this long.
pub fn rules(def: &Arc<GameDef>, seed: u64, time: Duration) -> Speed {
    const BATCH: u64 = 10_000;
    let mut dealer = Dealer::new(def, seed);
    let mut rng = decision_rng(seed, 0, 0);
    let begun = Instant::now();
    let mut hands = 0;
    let mut balance = 0;
    while begun.elapsed() < time {
        for deal in hands..hands + BATCH {
            balance += random_hand(def, dealer.deal(deal), &mut rng);
        }
        hands += BATCH;
    }
    std::hint::black_box(balance);
    Speed { hands, time: begun.elapsed() }
}

/// Plays a hand at random; returns what the first seat won, in 1/2520 chips.
pub fn random_hand(def: &Arc<GameDef>, deal: Deal, rng: &mut impl Rng) -> i64 {
    let mut state = PublicState::new(def);
    loop {
        match state.turn() {
            Turn::Over => return state.payoffs(&deal.hole).as_slice()[0].parts(),
            Turn::Deal(_) => state.deal_from(&deal.board).expect("a deal holds the whole board"),
            Turn::Act(_) => state.apply_unchecked(random_action(state.legal(), rng)),
        }
    }
}

/// A random action: folds with 6 % where it is allowed, otherwise calls or raises equally often,
/// with uniform raise sizes. That is the mix of the original ACPC server's example player.
fn random_action(legal: LegalActions, rng: &mut impl Rng) -> Action {
    let point = rng.random_range(0..100u32);
    match legal.raise {
        _ if point < 6 && legal.fold => Action::Fold,
        Some(raise) if point >= 53 => Action::RaiseTo(rng.random_range(raise.min..=raise.max)),
        _ => Action::Call,
    }
}

/// Measures a match between these agents on one thread, with the number of hands doubled until it
/// takes at least this long. Records go to `folder`, which is emptied first.
pub fn matches(
    def: &Arc<GameDef>,
    agents: &[AgentChoice],
    level: Level,
    folder: &Path,
    time: Duration,
) -> Result<Speed, matches::Error> {
    let mut hands = 1 << 15;
    loop {
        let plan = MatchPlan {
            def: Arc::clone(def),
            game_name: "bench".into(),
            entrants: agents.to_vec(),
            given_names: Vec::new(),
            hands,
            seed: 1,
            duplicate: true,
            shard: None,
            deadline: None,
            rule: None,
        };
        let folder = folder.join(format!("{level:?}-{hands}"));
        let settings = Settings { level, folder, jobs: 1, provenance: Default::default() };
        let begun = Instant::now();
        play(&plan, &settings, &Stop::new(), &mut |_| {})?;
        let speed = Speed { hands, time: begun.elapsed() };
        if speed.time >= time {
            return Ok(speed);
        }
        hands *= 2;
    }
}

/// The speed and memory of an agent that plays itself in every seat on one thread.
#[derive(Debug, Clone, Serialize)]
pub struct Measured {
    /// Decisions made.
    pub decisions: u64,
    /// Decisions at which a check or fold replaced the agent's answer.
    pub fallbacks: u64,
    /// Decisions per second of decision time.
    pub per_second: f64,
    /// The median decision time in microseconds, exact to 1/16, as the next.
    pub p50_us: f64,
    /// The 99th percentile of the decision times, in microseconds.
    pub p99_us: f64,
    /// The longest decision time in microseconds.
    pub max_us: f64,
    /// The growth of this process's resident memory, in bytes, while the agents were built and
    /// played, without child processes; `None` where the system does not tell.
    pub memory_growth: Option<u64>,
    /// This process's resident memory in bytes afterwards; `None` where the system does not tell.
    pub memory: Option<u64>,
}

/// Lets the agent play itself for this long.
///
/// # Errors
/// When the agent cannot be built for the game.
pub fn measure(
    choice: &AgentChoice,
    def: &Arc<GameDef>,
    time: Duration,
    seed: u64,
) -> Result<Measured, AgentError> {
    let before = resident_memory();
    choice.prepare(def, u64::MAX);
    let others = vec![choice.name().to_owned(); def.players - 1];
    let agents = def.seats().map(|_| {
        // Inline whatever the cost, so that a change of threads is not measured.
        let mut agent = Bot::inline(choice.build(def)?);
        agent.meet(&others);
        agent.restart();
        Ok(agent)
    });
    let agents = agents.collect::<Result<Vec<_>, AgentError>>()?;
    let mut table = Table::new(def, agents, seed, false, None);
    let mut counts = Counts::default();
    let begun = Instant::now();
    let mut hand = 0;
    while begun.elapsed() < time || counts.latencies.count() == 0 && hand < 1000 {
        table.play(hand, &mut counts);
        hand += 1;
    }
    let memory = resident_memory();
    let microseconds = |time: Option<Duration>| time.unwrap_or_default().as_secs_f64() * 1e6;
    let Counts { latencies, fallbacks } = counts;
    let mean = latencies.mean().unwrap_or_default().as_secs_f64();
    Ok(Measured {
        decisions: latencies.count(),
        fallbacks,
        per_second: if mean > 0.0 { 1.0 / mean } else { 0.0 },
        p50_us: microseconds(latencies.quantile(0.5)),
        p99_us: microseconds(latencies.quantile(0.99)),
        max_us: microseconds(latencies.max()),
        memory_growth: memory.zip(before).map(|(after, before)| after.saturating_sub(before)),
        memory,
    })
}

#[derive(Default)]
struct Counts {
    latencies: Latencies,
    fallbacks: u64,
}

impl Observer for Counts {
    fn decision(&mut self, record: DecisionRecord) {
        self.latencies.add(record.elapsed);
        self.fallbacks += u64::from(record.fallback.is_some());
    }
}

/// This process's resident memory in bytes, where the system tells it (Linux).
pub fn resident_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
