//! The speed of an agent's decisions, and its memory use.

use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::{AgentChoice, AgentError};
use game::GameDef;
use logs::DecisionRecord;
use logs::stats::Latencies;
use matches::bot::Bot;
use matches::table::{Observer, Table};
use serde::Serialize;

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
