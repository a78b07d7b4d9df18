//! Local best response against an agent, on any number of threads, kept in a folder.
//!
//! Each deal is played twice: with the response in seat 0 and in seat 1. The results of a deal are
//! a function of its number and the seed, and go to the folder as soon as both hands are over
//! ([`store`]); a run that was killed plays the deals that are missing and ends with the same
//! figures.

pub mod published;
pub mod store;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use agents::{AgentChoice, AgentError};
use game::{GameDef, Policy, Seat, Street};
use logs::stats::Sums;
use logs::{Provenance, Rate, Shard};
use matches::deals::Dealer;
use matches::decide::decision_rng;
use matches::stop::Stop;
use solvers::lbr::{Deal, LbrError, LocalBestResponse, Moves, Won};

use crate::folder::{folder_name, has, part};
use crate::pool::{self, SHOWN};
use store::{Manifest, Store, StoreError};

/// What is measured.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The game: heads-up hold'em.
    pub def: Arc<GameDef>,
    /// The game's name: a built-in one, or the path of its file.
    pub game_name: String,
    /// The agent that is responded to.
    pub agent: AgentChoice,
    /// SHA-256 of its files, see [`model_sha256`](crate::folder::model_sha256).
    pub model_sha256: Option<String>,
    /// What the response may do.
    pub moves: Moves,
    /// The street from which on it does; before it, it checks and calls.
    pub from: Street,
    /// Hands, two for each deal.
    pub hands: u64,
    /// Determines every card and every draw of the agent.
    pub seed: u64,
    /// The part that is measured; `None` for the whole.
    pub shard: Option<Shard>,
}

/// Why there is no measurement.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// Two hands a deal.
    #[error(
        "each deal is played from both seats: give an even number of hands of at least 4, not {0}"
    )]
    Hands(u64),
    /// The agent's strategy cannot be asked for.
    #[error(
        "`{0}` cannot be asked what it would do with other cards, which local best response has to know"
    )]
    NoPolicy(String),
    /// The agent cannot play this game.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The response cannot be played.
    #[error(transparent)]
    Response(#[from] LbrError),
    /// The agent's code panicked.
    #[error("the agent panicked in deal {0}")]
    Panicked(u64),
    /// The folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What the response won so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    /// As the cards fell, the published way: all hands, and those with the response in each seat.
    pub dealt: Sums,
    /// The same by seat.
    pub dealt_seats: [Sums; 2],
    /// With the agent's hand and the boards after the last decision averaged out, see
    /// [`Won::expected`].
    pub expected: Sums,
    /// The same by seat.
    pub expected_seats: [Sums; 2],
}

impl Figures {
    fn add(&mut self, both: [Won; 2]) {
        self.dealt.add(both[0].dealt + both[1].dealt, 2);
        self.expected.add(both[0].expected + both[1].expected, 2);
        for (seat, won) in both.into_iter().enumerate() {
            self.dealt_seats[seat].add(won.dealt, 1);
            self.expected_seats[seat].add(won.expected, 1);
        }
    }
}

/// Where a run stands.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Hands played or read so far.
    pub hands: u64,
    /// Of these, hands that had been kept before.
    pub earlier: u64,
    /// The response's rate with the agent's hand averaged out; `None` before the second deal.
    pub rate: Option<Rate>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// Everything that was played or read.
    pub figures: Figures,
    /// Hands of it.
    pub hands: u64,
    /// Of these, hands that had been kept before.
    pub earlier: u64,
    /// Whether all hands are there; otherwise it was asked to stop.
    pub complete: bool,
}

impl Plan {
    /// A name for the measurement that tells what it is, the number of hands left out: more of them
    /// continue a measurement.
    pub fn name(&self) -> String {
        let rest = format!("{}-from-{}-s{}", self.moves, self.from, self.seed) + &part(self.shard);
        folder_name("lbr", &self.agent, self.model_sha256.as_deref(), &self.game_name, &rest)
    }

    /// Hands that are measured: of a part, its own.
    pub fn wanted(&self) -> u64 {
        2 * self.deals().count() as u64
    }

    fn deals(&self) -> impl Iterator<Item = u64> {
        (0..self.hands / 2).filter(|&deal| has(self.shard, deal))
    }

    fn manifest(&self, provenance: Provenance) -> Manifest {
        Manifest {
            agent: self.agent.name().to_owned(),
            model_sha256: self.model_sha256.clone(),
            moves: self.moves.to_string(),
            from: self.from.to_string(),
            seed: self.seed,
            game_name: self.game_name.clone(),
            game: GameDef::clone(&self.def),
            provenance,
        }
    }
}

/// Measures, going on with what the folder holds. `seen` is called about ten times a second.
///
/// # Errors
/// [`MeasureError`]; deals that were finished before an error are kept.
pub fn run(
    plan: &Plan,
    folder: &Path,
    provenance: Provenance,
    threads: usize,
    stop: &Stop,
    seen: &mut dyn FnMut(&Progress),
) -> Result<Outcome, MeasureError> {
    if plan.hands < 4 || !plan.hands.is_multiple_of(2) {
        return Err(MeasureError::Hands(plan.hands));
    }
    let policy = plan.agent.policy(&plan.def)?;
    let policy = policy.ok_or_else(|| MeasureError::NoPolicy(plan.agent.name().to_owned()))?;
    let player = Player::new(plan, &*policy)?;
    if plan.wanted() == 0 {
        return Err(StoreError::TooManyParts(plan.hands / 2).into());
    }
    let mut store = Store::open(folder, &plan.manifest(provenance), plan.shard)?;
    let mut course = Course::new(plan);
    let mut missing = Vec::new();
    for deal in plan.deals() {
        match store.known().get(&deal) {
            Some(&both) => course.figures.add(both),
            None => missing.push(deal),
        }
    }
    course.earlier = course.hands();
    let mut shown = Instant::now();
    let play = |&deal: &u64| player.play(deal).map(|both| (deal, both));
    pool::each(&missing, threads, stop, play, |played| {
        if let Some((deal, both)) = played {
            store.keep(deal, both)?;
            course.figures.add(both);
        }
        if shown.elapsed() >= SHOWN {
            shown = Instant::now();
            seen(&course.progress());
        }
        Ok(())
    })?;
    seen(&course.progress());
    Ok(course.outcome())
}

/// Plays deals.
struct Player<'a> {
    response: LocalBestResponse<'a>,
    dealer: Dealer,
    seed: u64,
}

impl<'a> Player<'a> {
    fn new(plan: &Plan, policy: &'a dyn Policy) -> Result<Player<'a>, MeasureError> {
        let response = LocalBestResponse::new(&plan.def, policy, plan.moves, plan.from)?;
        Ok(Player { response, dealer: Dealer::new(&plan.def, plan.seed), seed: plan.seed })
    }

    /// Both hands of a deal.
    fn play(&self, number: u64) -> Result<[Won; 2], MeasureError> {
        let dealt = self.dealer.clone().deal(number);
        let deal = Deal { hole: dealt.hole, board: dealt.board };
        let mut both = [Won::default(); 2];
        for (seat, won) in Seat::all(2).zip(&mut both) {
            let mut rng = decision_rng(self.seed, 2 * number + seat.index() as u64, 0);
            let played = AssertUnwindSafe(|| self.response.play(&deal, seat, &mut rng));
            *won = catch_unwind(played).map_err(|_| MeasureError::Panicked(number))??;
        }
        Ok(both)
    }
}

/// What has come in so far.
struct Course {
    big_blind: game::Chips,
    figures: Figures,
    /// Hands that are wanted.
    wanted: u64,
    earlier: u64,
}

impl Course {
    fn new(plan: &Plan) -> Course {
        Course {
            big_blind: plan.def.big_blind(),
            figures: Figures::default(),
            wanted: plan.wanted(),
            earlier: 0,
        }
    }

    fn hands(&self) -> u64 {
        self.figures.dealt.hands
    }

    fn progress(&self) -> Progress {
        let rate = Rate::of(&self.figures.expected, self.big_blind).ok();
        Progress { hands: self.hands(), earlier: self.earlier, rate }
    }

    fn outcome(&self) -> Outcome {
        let (hands, earlier) = (self.hands(), self.earlier);
        Outcome { figures: self.figures, hands, earlier, complete: hands == self.wanted }
    }
}
