//! The best response to an agent inside a betting tree, on drawn flops or on all, kept in a folder.
//!
//! What is won on a flop is a function of its kind alone, and goes to the folder as soon as it is known
//! ([`store`]): a run that was killed loses the flops in play, and one with more flops goes on with what is there.
//! [`estimate`] says how flops become rates.

pub mod estimate;
pub mod store;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use agents::AgentChoice;
use cards::StartingHand;
use game::GameDef;
use logs::Provenance;
use sha2::{Digest, Sha256};
use solvers::Player;
use solvers::subgame::response::{
    FLOPS, FlopValues, Preflop, Responder, ResponseError, TreeStrategy, flop_kinds, shuffled_flops,
};

use crate::kept::StoreError;
use crate::plan::{files_sha256, unique_names};
use crate::stop::Stop;
use estimate::{Figures, LEAST, figures};
use store::{Manifest, Store};

/// How often progress is shown.
const SHOWN: Duration = Duration::from_millis(100);

/// What is measured.
#[derive(Clone)]
pub struct Plan {
    /// The game: heads-up hold'em.
    pub def: Arc<GameDef>,
    /// The game's name: a built-in one, or the path of its file.
    pub game_name: String,
    /// The agent that is responded to.
    pub agent: AgentChoice,
    /// Its strategy inside the betting tree.
    pub strategy: Arc<dyn TreeStrategy>,
    /// Flops to draw, of [`FLOPS`]; with all of them the response is exact.
    pub flops: usize,
    /// Determines which flops are drawn.
    pub seed: u64,
}

/// Why there is no measurement.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// Too few flops, or too many.
    #[error("give {LEAST} to {FLOPS} flops, or `all`, not {0}")]
    Flops(usize),
    /// There is no response.
    #[error(transparent)]
    Response(#[from] ResponseError),
    /// The agent's code panicked.
    #[error("the agent panicked on the flop {0}")]
    Panicked(String),
    /// The folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file that the agent needs cannot be read.
    #[error("a file that the agent needs cannot be read: {0}")]
    Model(std::io::Error),
}

/// Where a run stands.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Kinds of flops that are known.
    pub known: usize,
    /// Kinds of flops that are needed.
    pub needed: usize,
    /// What the first flops say so far.
    pub figures: Option<Figures>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// What the response wins; `None` with too few flops.
    pub figures: Option<Figures>,
    /// Flops that count: as many of those drawn first as are all known.
    pub flops: usize,
    /// Different kinds among them.
    pub kinds: usize,
    /// Whether all flops asked for are there; otherwise it was asked to stop.
    pub complete: bool,
    /// Kinds of flops that had been kept before.
    pub earlier: usize,
}

impl Plan {
    /// A name for the measurement that tells what it is, flops and seed left out: more flops continue it.
    pub fn name(&self) -> String {
        let agent = unique_names(std::slice::from_ref(&self.agent)).remove(0);
        let file = Path::new(&self.game_name).file_name();
        let file = file.map_or_else(|| "game".into(), |name| name.to_string_lossy());
        let game = file.strip_suffix(".game").unwrap_or(&file);
        let tree = &self.strategy.tree().hash()[..8];
        let name = format!("best-response-{agent}-{game}-{tree}");
        let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        name.chars().map(plain).collect()
    }

    fn manifest(
        &self,
        preflop: &Preflop,
        provenance: Provenance,
    ) -> Result<Manifest, MeasureError> {
        let tree = self.strategy.tree();
        Ok(Manifest {
            agent: self.agent.name().to_owned(),
            model_sha256: files_sha256(self.agent.files()).map_err(MeasureError::Model)?,
            preflop_sha256: fingerprint(preflop),
            tree_sha256: tree.hash(),
            menu: tree.menu().to_string(),
            game_name: self.game_name.clone(),
            game: GameDef::clone(&self.def),
            provenance,
        })
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

/// Measures, going on with what the folder holds. `seen` is called about ten times a second. Each thread takes
/// some 100 MB.
///
/// # Errors
/// [`MeasureError`]; flops that were finished before an error are kept.
pub fn run(
    plan: &Plan,
    folder: &Path,
    provenance: Provenance,
    threads: usize,
    stop: &Stop,
    seen: &mut dyn FnMut(&Progress),
) -> Result<Outcome, MeasureError> {
    if !(LEAST..=FLOPS).contains(&plan.flops) {
        return Err(MeasureError::Flops(plan.flops));
    }
    let responder = Responder::new(&*plan.strategy)?;
    let preflop = responder.preflop();
    let values = preflop.leaves().len() * StartingHand::COUNT;
    let manifest = plan.manifest(preflop, provenance)?;
    let (mut store, known) = Store::open(folder, &manifest, values)?;
    let mut course = Course::new(plan, preflop, known);
    let work =
        Work { responder: &responder, kinds: course.missing(), next: AtomicUsize::new(0), stop };
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let (work, sender) = (&work, sender.clone());
            scope.spawn(move || work.run(&sender));
        }
        drop(sender);
        let result = course.collect(&receiver, &mut store, seen);
        // The others need not go on when one has failed.
        work.next.store(work.kinds.len(), Ordering::Relaxed);
        result
    })?;
    Ok(course.outcome())
}

type FromWorker = Result<(usize, FlopValues), MeasureError>;

/// The kinds of flops to be looked at, handed out one by one.
struct Work<'a> {
    responder: &'a Responder<'a>,
    kinds: Vec<usize>,
    next: AtomicUsize,
    stop: &'a Stop,
}

impl Work<'_> {
    fn run(&self, sender: &mpsc::Sender<FromWorker>) {
        while !self.stop.asked() {
            let next = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(&kind) = self.kinds.get(next) else { return };
            // Nobody listens any more when the run has failed elsewhere.
            if sender.send(self.flop(kind)).is_err() {
                return;
            }
        }
    }

    fn flop(&self, kind: usize) -> FromWorker {
        let cards = flop_kinds()[kind].cards;
        let looked = AssertUnwindSafe(|| self.responder.flop(cards));
        let name = || cards.iter().map(|card| card.to_string()).collect();
        let values = catch_unwind(looked).map_err(|_| MeasureError::Panicked(name()))??;
        Ok((kind, values))
    }
}

/// What has come in so far.
struct Course<'a> {
    preflop: &'a Preflop,
    /// Thousandths of a big blind in a chip.
    unit: f64,
    /// The kinds of the flops drawn.
    drawn: Vec<usize>,
    known: BTreeMap<usize, FlopValues>,
    needed: BTreeSet<usize>,
    earlier: usize,
}

impl<'a> Course<'a> {
    fn new(plan: &Plan, preflop: &'a Preflop, known: BTreeMap<usize, FlopValues>) -> Course<'a> {
        let flops = shuffled_flops(plan.seed).into_iter().take(plan.flops);
        let drawn: Vec<usize> = flops.map(usize::from).collect();
        let needed: BTreeSet<usize> = drawn.iter().copied().collect();
        let earlier = needed.iter().filter(|&kind| known.contains_key(kind)).count();
        let unit = 1000.0 / f64::from(plan.def.big_blind());
        Course { preflop, unit, drawn, known, needed, earlier }
    }

    /// Kinds to look at, those drawn first before the others.
    fn missing(&self) -> Vec<usize> {
        let mut met = BTreeSet::new();
        let new = |kind: &&usize| !self.known.contains_key(kind) && met.insert(**kind);
        self.drawn.iter().filter(new).copied().collect()
    }

    fn collect(
        &mut self,
        receiver: &mpsc::Receiver<FromWorker>,
        store: &mut Store,
        seen: &mut dyn FnMut(&Progress),
    ) -> Result<(), MeasureError> {
        seen(&self.progress());
        loop {
            match receiver.recv_timeout(SHOWN) {
                Ok(looked) => {
                    let (kind, values) = looked?;
                    store.keep(kind, &values)?;
                    self.known.insert(kind, values);
                    seen(&self.progress());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    /// The flops drawn first of which all are known.
    fn first(&self) -> Vec<&FlopValues> {
        self.drawn.iter().map_while(|kind| self.known.get(kind)).collect()
    }

    fn figures(&self) -> Option<Figures> {
        let first = self.first();
        (first.len() >= LEAST).then(|| figures(self.preflop, &first, self.unit))
    }

    fn progress(&self) -> Progress {
        let known = self.needed.iter().filter(|&kind| self.known.contains_key(kind)).count();
        Progress { known, needed: self.needed.len(), figures: self.figures() }
    }

    fn outcome(&self) -> Outcome {
        let flops = self.first().len();
        Outcome {
            figures: self.figures(),
            flops,
            kinds: self.drawn[..flops].iter().collect::<BTreeSet<_>>().len(),
            complete: flops == self.drawn.len(),
            earlier: self.earlier,
        }
    }
}
