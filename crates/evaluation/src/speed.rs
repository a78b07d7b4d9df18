//! The speed of this machine: of the rules alone, and of whole matches with and without records.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::AgentChoice;
use game::{Action, GameDef, LegalActions, PublicState, Turn};
use matches::deals::{Deal, Dealer};
use matches::decide::decision_rng;
use matches::plan::MatchPlan;
use matches::play::{PlayError, Settings, play};
use matches::runner::Level;
use matches::stop::Stop;
use rand::{Rng, RngExt};

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
) -> Result<Speed, PlayError> {
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
