//! Values of hands where the flop's betting ends, for solutions of the flop: by a network, or by
//! the blueprint's continuation strategies (`continuations.rs`).

use std::sync::{Arc, Mutex, PoisonError};

use cards::{Board, CardSet, Combo, FlopPairs};
use game::PublicState;
use models::network::Network;
use models::values::flop::{COLUMNS, Flop, Stakes};
use solvers::response::in_tree::TreeStrategy;
use solvers::subgame::{Leaf, LeafValues};

use super::continuations::{self, AtLeaf, Continuations, OnFlop};

/// The network inside the program; docs/resolve.md has its recipe.
const SHIPPED: &[u8] = include_bytes!("../../models/end-of-flop.safetensors");
/// Maximum number of cached flops, besides those of cached solutions.
const CACHED_FLOPS: usize = 4;

/// The estimate of values, and the flops last asked about.
pub(super) struct Flops {
    estimate: Estimate,
    cache: Mutex<Vec<(CardSet, EndOfFlop)>>,
}

/// The estimator of values beyond checking down.
enum Estimate {
    Network(Arc<Network>),
    Continuations(Arc<Continuations>),
}

impl Flops {
    /// The flops with the values of the network inside the program.
    pub(super) fn shipped() -> Flops {
        let network = Network::read(SHIPPED).expect("a test reads it");
        Flops::new(network).expect("a test reads it")
    }

    /// The flops with the values of a network.
    ///
    /// # Errors
    /// When the network was not made for the end of the flop: says what it was made for.
    pub(super) fn new(network: Network) -> Result<Flops, String> {
        let note = |name| network.notes().get(name).map_or("none", String::as_str);
        let made = (note("encoding"), note("street"));
        if made != ("by-hand", "flop") {
            let (encoding, street) = made;
            return Err(format!(
                "a network for the encoding {encoding} and the street {street}, but it must be one \
                 for by-hand and flop: `cardroom train values --encoding by-hand` makes it from \
                 situations of the flop"
            ));
        }
        let shape = network.shape();
        if (shape.inputs, shape.outputs) != (COLUMNS, 1) {
            let (inputs, outputs) = (shape.inputs, shape.outputs);
            return Err(format!(
                "a network with {inputs} inputs and {outputs} outputs, but it must have {COLUMNS} \
                 and 1: train it again"
            ));
        }
        let estimate = Estimate::Network(Arc::new(network));
        Ok(Flops { estimate, cache: Mutex::default() })
    }

    /// The flops with the values of a blueprint's continuation strategies; `None` if it does not
    /// see cards in buckets, or has no turn.
    pub(super) fn of_blueprint(blueprint: Arc<dyn TreeStrategy>) -> Option<Flops> {
        let estimate = Estimate::Continuations(Arc::new(Continuations::new(blueprint)?));
        Some(Flops { estimate, cache: Mutex::default() })
    }

    /// The bytes of the values on a flop, which has two matrices of all pairs of hands.
    pub(super) fn bytes(&self) -> u64 {
        let pairs = (2 * FlopPairs::HANDS * FlopPairs::HANDS * size_of::<f32>()) as u64;
        match self.estimate {
            Estimate::Network(_) => pairs,
            Estimate::Continuations(_) => pairs + continuations::BYTES,
        }
    }

    /// The least time in seconds in which a flop can be solved.
    pub(super) fn least_time(&self) -> f64 {
        match self.estimate {
            Estimate::Network(_) => 0.5,
            Estimate::Continuations(_) => 5.0,
        }
    }

    /// The values of hands where the betting on a flop ends; `None` if the board has not three
    /// cards.
    pub(super) fn at(&self, board: Board) -> Option<EndOfFlop> {
        let board = board.set();
        let cache = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let known = cache().iter().find(|(of, _)| *of == board).map(|(_, flop)| flop.clone());
        if known.is_some() {
            return known;
        }
        let flop = Flop::new(board).ok()?;
        let beyond = match &self.estimate {
            Estimate::Network(network) => BettingValues::Network(Arc::clone(network)),
            Estimate::Continuations(all) => {
                let on_flop = Arc::new(all.on(board, &flop));
                BettingValues::Continuations { on_flop, leaves: Vec::new() }
            }
        };
        let flop = EndOfFlop { flop: Arc::new(flop), beyond };
        let mut cache = cache();
        cache.insert(0, (board, flop.clone()));
        cache.truncate(CACHED_FLOPS);
        Some(flop)
    }
}

/// The values of hands where the betting on a flop ends.
#[derive(Clone)]
pub(super) struct EndOfFlop {
    flop: Arc<Flop>,
    beyond: BettingValues,
}

/// The values beyond checking down.
#[derive(Clone)]
enum BettingValues {
    Network(Arc<Network>),
    Continuations {
        on_flop: Arc<OnFlop>,
        /// Entries by the leaf's number.
        leaves: Vec<AtLeaf>,
    },
}

impl LeafValues for EndOfFlop {
    fn hands(&self) -> &[Combo] {
        self.flop.hands()
    }

    fn checked_down(&self, reach: &[f32]) -> Vec<f32> {
        self.flop.checked_down(reach)
    }

    fn prepare(&mut self, states: &[(Leaf, &PublicState)]) {
        if let BettingValues::Continuations { on_flop, leaves } = &mut self.beyond {
            *leaves = states.iter().map(|(leaf, state)| on_flop.at(leaf, state)).collect();
        }
    }

    fn beyond(&self, leaves: &[Leaf], ranges: [&[f32]; 2]) -> [Vec<f32>; 2] {
        let flop = &*self.flop;
        match &self.beyond {
            BettingValues::Network(network) => {
                let stakes =
                    |leaf: &Leaf| Stakes { pot: leaf.pot as f32, behind: leaf.behind as f32 };
                let stakes: Vec<Stakes> = leaves.iter().map(stakes).collect();
                flop.prospects(&stakes, ranges).beyond(network, ranges)
            }
            BettingValues::Continuations { on_flop, leaves: prepared } => {
                let [first, second] = ranges.map(|range| range.chunks_exact(FlopPairs::HANDS));
                let each = leaves.iter().zip(first.zip(second));
                let found: Vec<[Vec<f32>; 2]> = parallel::map(each, |(leaf, (first, second))| {
                    on_flop.beyond(flop, &prepared[leaf.number], [first, second])
                });
                [0, 1].map(|player: usize| {
                    found.iter().flat_map(|found| &found[player]).copied().collect()
                })
            }
        }
    }
}
