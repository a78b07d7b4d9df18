//! Values of hands where the flop's betting ends, for solutions of the flop.

use std::sync::{Arc, Mutex, PoisonError};

use cards::{Board, CardSet, Combo, FlopPairs};
use models::network::Network;
use models::values::flop::{COLUMNS, Flop, Stakes};
use solvers::subgame::{Leaf, LeafValues};

/// The network inside the program; docs/resolve.md has its recipe.
const SHIPPED: &[u8] = include_bytes!("../../models/end-of-flop.safetensors");
/// The bytes of a flop: two matrices of all pairs of hands.
pub(super) const BYTES: u64 = (2 * FlopPairs::HANDS * FlopPairs::HANDS * size_of::<f32>()) as u64;
/// Flops that are kept besides those of kept solutions.
const KEPT: usize = 4;

/// The network and the flops last asked about.
pub(super) struct Flops {
    network: Arc<Network>,
    kept: Mutex<Vec<(CardSet, Arc<Flop>)>>,
}

impl Flops {
    /// The flops with the values of the network inside the program.
    pub(super) fn shipped() -> Flops {
        let network = Network::read(SHIPPED, &[]).expect("a test reads it");
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
        Ok(Flops { network: Arc::new(network), kept: Mutex::default() })
    }

    /// The values of hands where the betting on a flop ends; `None` if the board has not three
    /// cards.
    pub(super) fn at(&self, board: Board) -> Option<EndOfFlop> {
        let board = board.set();
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept().iter().find(|(of, _)| *of == board).map(|(_, flop)| Arc::clone(flop));
        let flop = match known {
            Some(flop) => flop,
            None => {
                let flop = Arc::new(Flop::new(board).ok()?);
                let mut kept = kept();
                kept.insert(0, (board, Arc::clone(&flop)));
                kept.truncate(KEPT);
                flop
            }
        };
        Some(EndOfFlop { flop, network: Arc::clone(&self.network) })
    }
}

/// The values by a network; by the margins of all pairs of hands where both players are all-in.
pub(super) struct EndOfFlop {
    pub(super) flop: Arc<Flop>,
    pub(super) network: Arc<Network>,
}

impl LeafValues for EndOfFlop {
    fn hands(&self) -> &[Combo] {
        self.flop.hands()
    }

    fn checked_down(&self, reach: &[f32]) -> Vec<f32> {
        self.flop.checked_down(reach)
    }

    fn beyond(&self, leaves: &[Leaf], ranges: [&[f32]; 2]) -> [Vec<f32>; 2] {
        let stakes = |leaf: &Leaf| Stakes { pot: leaf.pot as f32, behind: leaf.behind as f32 };
        let stakes: Vec<Stakes> = leaves.iter().map(stakes).collect();
        self.flop.prospects(&stakes, ranges).beyond(&self.network, ranges)
    }
}
