//! The best response to an agent inside a betting tree, on a sample of flops or on all, recorded in
//! a folder.
//!
//! The values on a flop depend on its kind alone, and are written to the folder as soon as they are
//! known ([`store`]): a run that was killed loses the flops in progress, and one with more flops
//! continues from what is there. [`estimate`] says how flops become rates.

pub mod estimate;
pub mod in_buckets;
pub mod store;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use agents::AgentChoice;
use cards::StartingHand;
use game::GameDef;
use logs::{Provenance, Shard};
use matches::stop::Stop;
use sha2::{Digest, Sha256};
use solvers::Player;
use solvers::response::in_tree::{
    FLOPS, FlopValues, Preflop, Responder, ResponseError, TreeStrategy, flop_kinds, shuffled_flops,
};

use crate::folder::{StoreError, folder_name, has, shard_suffix};
use crate::pool;
use estimate::{Figures, MIN_FLOPS, figures};
use store::{Manifest, Store};

/// The settings of a measurement.
#[derive(Clone)]
pub struct BestResponseSettings {
    /// The game: heads-up hold'em.
    pub def: Arc<GameDef>,
    /// The game's name: a built-in one, or the path of its file.
    pub game_name: String,
    /// The agent to respond to.
    pub agent: AgentChoice,
    /// SHA-256 of its files, see [`model_sha256`](crate::folder::model_sha256).
    pub model_sha256: Option<String>,
    /// The agent's strategy inside the betting tree.
    pub strategy: Arc<dyn TreeStrategy>,
    /// The number of flops to draw, of [`FLOPS`]; with all of them the response is exact.
    pub flops: usize,
    /// The seed that determines which flops are drawn.
    pub seed: u64,
    /// The part to measure, of the kinds of flops; `None` for the whole.
    pub shard: Option<Shard>,
}

/// The reason why the measurement fails.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The number of flops is too small or too large.
    #[error("give {MIN_FLOPS} to {FLOPS} flops, or `all`, not {0}")]
    Flops(usize),
    /// The response cannot be computed.
    #[error(transparent)]
    Response(#[from] ResponseError),
    /// The agent's code panicked.
    #[error("the agent panicked on the flop {0}")]
    Panicked(String),
    /// The folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The progress of a run.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Kinds of flops that are done.
    pub known: usize,
    /// Kinds of flops that are needed.
    pub needed: usize,
    /// The estimates from the flops drawn first of which all are done.
    pub figures: Option<Figures>,
}

/// The result of a run.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// The win rates of the response; `None` with too few flops.
    pub figures: Option<Figures>,
    /// The number of flops used: those drawn first of which all are done.
    pub flops: usize,
    /// The number of different kinds among them.
    pub kinds: usize,
    /// Whether all requested flops are done; otherwise the run was stopped.
    pub complete: bool,
    /// Kinds of flops known from earlier runs.
    pub earlier: usize,
}

impl BestResponseSettings {
    /// A name for the measurement, without flops and seed: more flops continue it.
    pub fn name(&self) -> String {
        let (model, tree) = (self.model_sha256.as_deref(), self.strategy.tree().hash());
        let rest = tree[..8].to_owned() + &shard_suffix(self.shard);
        folder_name("best-response", &self.agent, model, &self.game_name, &rest)
    }

    fn manifest(&self, preflop: &Preflop, provenance: Provenance) -> Manifest {
        let tree = self.strategy.tree();
        Manifest {
            agent: self.agent.name().to_owned(),
            model_sha256: self.model_sha256.clone(),
            preflop_sha256: fingerprint(preflop),
            tree_sha256: tree.hash(),
            menu: tree.menu().to_string(),
            game_name: self.game_name.clone(),
            game: GameDef::clone(&self.def),
            provenance,
        }
    }
}

fn fingerprint(preflop: &Preflop) -> String {
    let mut hash = Sha256::new();
    for leaf in 0..preflop.leaves().len() {
        for player in Player::BOTH {
            preflop.reach(leaf, player).iter().for_each(|share| hash.update(share.to_le_bytes()));
        }
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Measures, continuing from what the folder holds. `seen` is called about ten times a second. Each
/// thread takes some 100 MB.
///
/// # Errors
/// [`MeasureError`]; flops that were finished before an error are kept.
pub fn run(
    plan: &BestResponseSettings,
    folder: &Path,
    provenance: Provenance,
    threads: usize,
    stop: &Stop,
    seen: &mut dyn FnMut(&Progress),
) -> Result<Outcome, MeasureError> {
    if !(MIN_FLOPS..=FLOPS).contains(&plan.flops) {
        return Err(MeasureError::Flops(plan.flops));
    }
    let responder = Responder::new(&*plan.strategy)?;
    let preflop = responder.preflop();
    let values = preflop.leaves().len() * StartingHand::COUNT;
    let manifest = plan.manifest(preflop, provenance);
    let (mut store, known) = Store::open(folder, &manifest, plan.shard, values)
        .map_err(|error| error.naming(&[&plan.agent]))?;
    let mut measurement = Measurement::new(plan, preflop, known);
    if measurement.needed.is_empty() {
        return Err(StoreError::TooManyParts(measurement.drawn.len() as u64).into());
    }
    seen(&measurement.progress());
    let respond = |&kind: &usize| flop(&responder, kind).map(|values| (kind, values));
    pool::each(&measurement.missing(), threads, stop, respond, |answered| {
        if let Some((kind, values)) = answered {
            store.keep(kind, &values)?;
            measurement.known.insert(kind, values);
            seen(&measurement.progress());
        }
        Ok(())
    })?;
    Ok(measurement.outcome())
}

/// The responder's values on a kind of flop.
fn flop(responder: &Responder<'_>, kind: usize) -> Result<FlopValues, MeasureError> {
    let cards = flop_kinds()[kind].cards;
    let answered = AssertUnwindSafe(|| responder.flop(cards));
    let name = || cards.iter().map(|card| card.to_string()).collect();
    Ok(catch_unwind(answered).map_err(|_| MeasureError::Panicked(name()))??)
}

/// The state of a run.
struct Measurement<'a> {
    preflop: &'a Preflop,
    /// Thousandths of a big blind per chip.
    unit: f64,
    /// The kinds of the flops in the order drawn.
    drawn: Vec<usize>,
    known: BTreeMap<usize, FlopValues>,
    needed: BTreeSet<usize>,
    earlier: usize,
}

impl<'a> Measurement<'a> {
    fn new(
        plan: &BestResponseSettings,
        preflop: &'a Preflop,
        known: BTreeMap<usize, FlopValues>,
    ) -> Measurement<'a> {
        let flops = shuffled_flops(plan.seed).into_iter().take(plan.flops);
        let drawn: Vec<usize> = flops.map(usize::from).collect();
        let needed = drawn.iter().copied().filter(|&kind| has(plan.shard, kind as u64));
        let needed: BTreeSet<usize> = needed.collect();
        let earlier = needed.iter().filter(|&kind| known.contains_key(kind)).count();
        let unit = 1000.0 / f64::from(plan.def.big_blind());
        Measurement { preflop, unit, drawn, known, needed, earlier }
    }

    /// The kinds not yet known, in the order drawn.
    fn missing(&self) -> Vec<usize> {
        let mut met = BTreeSet::new();
        let new = |kind: &&usize| {
            let missing = self.needed.contains(kind) && !self.known.contains_key(kind);
            missing && met.insert(**kind)
        };
        self.drawn.iter().filter(new).copied().collect()
    }

    /// The values on the flops drawn first of which all are known.
    fn first(&self) -> Vec<&FlopValues> {
        self.drawn.iter().map_while(|kind| self.known.get(kind)).collect()
    }

    fn figures(&self) -> Option<Figures> {
        let first = self.first();
        (first.len() >= MIN_FLOPS).then(|| figures(self.preflop, &first, self.unit))
    }

    /// The number of kinds that are needed and known.
    fn there(&self) -> usize {
        self.needed.iter().filter(|&kind| self.known.contains_key(kind)).count()
    }

    fn progress(&self) -> Progress {
        Progress { known: self.there(), needed: self.needed.len(), figures: self.figures() }
    }

    fn outcome(&self) -> Outcome {
        let flops = self.first().len();
        Outcome {
            figures: self.figures(),
            flops,
            kinds: self.drawn[..flops].iter().collect::<BTreeSet<_>>().len(),
            complete: self.there() == self.needed.len(),
            earlier: self.earlier,
        }
    }
}
