//! Values of hands where the flop's betting ends, for solutions of the flop: what checking down is
//! worth, exactly, and an estimate of the rest.
//!
//! The estimate is a network's, or that of the blueprint's continuation strategies
//! (`continuations.rs`). A network has learned from situations at the end of the flop, or on the
//! turn: then it is asked on the turns that can come ([`models::values::turns`]).

use std::fs::File;
use std::io::BufReader;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use abstraction::buckets::Buckets;
use cards::{Board, CardSet, Combo, FlopPairs};
use game::{PublicState, Street};
use models::network::Network;
use models::values::Encoding;
use models::values::flop::{COLUMNS, Flop, Stakes};
use models::values::turns::{TurnNetwork, Turns};
use solvers::strategy::TreeStrategy;
use solvers::subgame::{Leaf, LeafValues};

use super::continuations::{AtLeaf, BYTES, Continuations, OnFlop};

/// The network inside the program; docs/resolve.md has its recipe.
const SHIPPED: &[u8] = include_bytes!("../../models/end-of-flop.safetensors");
/// The bytes of the buckets of all hands on all turns of a flop.
const TURNS: u64 = (49 * Combo::COUNT * size_of::<u16>()) as u64;
/// Maximum number of cached flops, besides those of cached solutions.
const CACHED_FLOPS: usize = 4;

/// The estimate of values, and the flops last asked about.
pub(super) struct Flops {
    estimate: Estimate,
    cache: Mutex<Vec<(CardSet, EndOfFlop)>>,
}

/// The estimator of values beyond checking down.
enum Estimate {
    /// A network, with the stacks in pots that it has learned from, if its file says so.
    Network(ValueNetwork, Option<RangeInclusive<f64>>),
    Continuations(Arc<Continuations>),
}

/// A network of values, by where its situations begin.
#[derive(Clone)]
enum ValueNetwork {
    /// At the end of the flop.
    Flop(Arc<Network>),
    /// On the turn.
    Turn(Arc<TurnNetwork>),
}

impl Flops {
    /// The flops with the values of the network inside the program.
    pub(super) fn shipped() -> Flops {
        let network = Network::read(SHIPPED).expect("a test reads it");
        Flops::new(network, Path::new("")).expect("a test reads it")
    }

    /// The flops with the values of a network, read from this file. Buckets are read from the file
    /// beside it, [`Encoding::beside`], or made, which takes minutes for clusters.
    ///
    /// # Errors
    /// When the network cannot say what hands are worth at the end of the flop: says what it was
    /// made for, and what to do.
    pub(super) fn new(network: Network, path: &Path) -> Result<Flops, String> {
        let note = |name| network.notes().get(name).map_or("none", String::as_str);
        let (name, street) = (note("encoding").to_owned(), note("street").to_owned());
        let learned = learned_depths(note("pots"), note("stack"));
        let what = format!("a network for the encoding {name} and the street {street}");
        if name == "none" || !["flop", "turn"].contains(&street.as_str()) {
            return Err(format!(
                "{what}, but it must be one for the turn or the end of the flop: `cardroom train \
                 values` makes it from situations of `cardroom train situations --street turn` or \
                 `--street flop`"
            ));
        }
        let network = if (name.as_str(), street.as_str()) == ("by-hand", "flop") {
            let shape = network.shape();
            if (shape.inputs, shape.outputs) != (COLUMNS, 1) {
                let (inputs, outputs) = (shape.inputs, shape.outputs);
                return Err(format!(
                    "{what} with {inputs} inputs and {outputs} outputs, but it must have {COLUMNS} \
                     and 1: train it again"
                ));
            }
            ValueNetwork::Flop(Arc::new(network))
        } else {
            let stack = note("stack").parse::<f32>().ok().filter(|&stack| stack > 0.0);
            let stack = stack.ok_or_else(|| {
                format!("{what}, but its file does not say for which stacks: train it again")
            })?;
            let hash = network.notes().get("buckets.sha256").cloned();
            let encoding = match name.as_str() {
                "by-hand" => None,
                name => Some(encoding(name, path, hash.as_deref())?),
            };
            let network = TurnNetwork::new(network, encoding, stack);
            ValueNetwork::Turn(Arc::new(network.map_err(|error| format!("{what}: {error}"))?))
        };
        let estimate = Estimate::Network(network, learned);
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
            Estimate::Network(..) => pairs + TURNS,
            Estimate::Continuations(_) => pairs + BYTES,
        }
    }

    /// The least time in seconds in which a flop can be solved.
    pub(super) fn least_time(&self) -> f64 {
        match self.estimate {
            Estimate::Network(ValueNetwork::Flop(_), _) => 0.5,
            Estimate::Network(ValueNetwork::Turn(_), _) => 10.0,
            Estimate::Continuations(_) => 5.0,
        }
    }

    /// The values of hands where the betting on a flop ends; `None` if the board has not three
    /// cards.
    pub(super) fn for_board(&self, board: Board) -> Option<EndOfFlop> {
        let board = board.set();
        let cache = || parallel::lock(&self.cache);
        let known = cache().iter().find(|(of, _)| *of == board).map(|(_, flop)| flop.clone());
        if let Some(known) = known {
            return Some(EndOfFlop { outside: Arc::default(), ..known });
        }
        let flop = Flop::new(board).ok()?;
        let beyond = match &self.estimate {
            Estimate::Network(network, learned) => {
                let network = match network {
                    ValueNetwork::Flop(network) => OnFlopNetwork::Flop(Arc::clone(network)),
                    ValueNetwork::Turn(network) => {
                        let turns = Arc::new(network.on_flop(board));
                        OnFlopNetwork::Turns(Arc::clone(network), turns)
                    }
                };
                BettingValues::Network(network, learned.clone())
            }
            Estimate::Continuations(all) => {
                let on_flop = Arc::new(all.on_flop(board, &flop));
                BettingValues::Continuations { on_flop, leaves: Vec::new() }
            }
        };
        let flop = EndOfFlop { flop: Arc::new(flop), beyond, outside: Arc::default() };
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
    outside: Arc<OnceLock<Outside>>,
}

/// The leaves that a network is asked about beyond what it has learned from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outside {
    /// Their number.
    leaves: usize,
    /// The number of leaves where chips are left.
    of: usize,
    /// The stacks in pots that it has learned from.
    learned: RangeInclusive<f64>,
}

impl Outside {
    /// A part of a sentence about the solution; empty if there are none.
    pub(super) fn words(&self) -> String {
        let Outside { leaves, of, learned } = self;
        if *leaves == 0 {
            return String::new();
        }
        format!(
            ", by a network that has learned from stacks of {:.2} to {:.1} pots: {leaves} of {of} \
             ends of the betting are beyond",
            learned.start(),
            learned.end()
        )
    }
}

/// The encoding with a name of a network that has learned from buckets with this hash, whose file
/// is `path`.
fn encoding(name: &str, path: &Path, hash: Option<&str>) -> Result<Encoding, String> {
    let recipe = Encoding::recipe(name, Street::Turn);
    let recipe = recipe.map_err(|error| format!("its encoding {name}: {error}"))?;
    let Some(recipe) = recipe else { return Ok(Encoding::Direct) };
    let beside = Encoding::beside(path);
    let (buckets, remedy) = match File::open(&beside) {
        Ok(file) => {
            let buckets = Buckets::read(BufReader::new(file));
            let buckets = buckets.map_err(|error| format!("{}: {error}", beside.display()))?;
            (buckets, format!("remove {}, or copy it again", beside.display()))
        }
        Err(_) => {
            let buckets = Buckets::make(&recipe, |_| ());
            let buckets = buckets.map_err(|error| format!("its encoding {name}: {error}"))?;
            (buckets, "train it again".to_owned())
        }
    };
    if buckets.recipe() != &recipe || hash.is_some_and(|hash| hash != buckets.hash()) {
        return Err(format!(
            "the network for the encoding {name} has learned from other buckets than these: \
             {remedy}"
        ));
    }
    Ok(Encoding::Buckets(Arc::new(buckets), Street::Turn))
}

/// The least and the greatest stacks in pots in situations with these pots, such as `2 to 300`, and
/// stacks, in big blinds; each player has paid half the pot.
fn learned_depths(pots: &str, stack: &str) -> Option<RangeInclusive<f64>> {
    let (least, most) = pots.split_once(" to ")?;
    let [least, most] = [least.parse::<f64>().ok()?, most.parse::<f64>().ok()?];
    let stack: f64 = stack.parse().ok()?;
    let depth = |pot: f64| (stack - 0.5 * pot) / pot;
    (least > 0.0 && most >= least).then(|| depth(most)..=depth(least))
}

impl EndOfFlop {
    /// The leaves beyond what a network has learned from, once it has been asked.
    pub(super) fn outside(&self) -> Arc<OnceLock<Outside>> {
        Arc::clone(&self.outside)
    }
}

/// A network of values on a flop.
#[derive(Clone)]
enum OnFlopNetwork {
    Flop(Arc<Network>),
    Turns(Arc<TurnNetwork>, Arc<Turns>),
}

/// The values beyond checking down.
#[derive(Clone)]
enum BettingValues {
    Network(OnFlopNetwork, Option<RangeInclusive<f64>>),
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
        match &mut self.beyond {
            BettingValues::Continuations { on_flop, leaves } => {
                *leaves = states.iter().map(|(leaf, state)| on_flop.at_leaf(leaf, state)).collect();
            }
            BettingValues::Network(_, Some(learned)) => {
                let open = states.iter().filter(|(leaf, _)| leaf.behind > 0.0);
                let depths = open.map(|(leaf, _)| leaf.behind / leaf.pot);
                // A thousandth more or less is rounding.
                let near = 0.999 * learned.start()..=1.001 * learned.end();
                let beyond: Vec<bool> = depths.map(|depth| !near.contains(&depth)).collect();
                let leaves = beyond.iter().filter(|&&beyond| beyond).count();
                let (of, learned) = (beyond.len(), learned.clone());
                let _ = self.outside.set(Outside { leaves, of, learned });
            }
            BettingValues::Network(_, None) => (),
        }
    }

    fn beyond(&self, leaves: &[Leaf], ranges: [&[f32]; 2]) -> [Vec<f32>; 2] {
        let flop = &*self.flop;
        match &self.beyond {
            BettingValues::Network(network, _) => {
                let stakes =
                    |leaf: &Leaf| Stakes { pot: leaf.pot as f32, behind: leaf.behind as f32 };
                let stakes: Vec<Stakes> = leaves.iter().map(stakes).collect();
                match network {
                    OnFlopNetwork::Flop(network) => {
                        flop.prospects(&stakes, ranges).beyond(network, ranges)
                    }
                    OnFlopNetwork::Turns(network, turns) => {
                        network.beyond(flop, turns, &stakes, ranges)
                    }
                }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_has_learned_from_the_stacks_of_its_pots() {
        // 200 big blinds each: 199 behind a pot of 2, 50 behind one of 300.
        let learned = learned_depths("2 to 300", "200").expect("depths");
        assert!((learned.start() - 50.0 / 300.0).abs() < 1e-12, "{learned:?}");
        assert!((learned.end() - 199.0 / 2.0).abs() < 1e-12, "{learned:?}");
        for (pots, stack) in
            [("none", "200"), ("2 to 300", "none"), ("9 to 3", "200"), ("0 to 3", "9")]
        {
            assert_eq!(learned_depths(pots, stack), None, "{pots} {stack}");
        }
    }
}
