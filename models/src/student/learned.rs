//! The model of a street, of any kind.

use show::number::whole;

use crate::Classifier;
use crate::forest::Forest;
use crate::network::{Network, Precision};
use crate::tree::Tree;

/// A trained classifier of the moves of a street.
#[derive(Debug, Clone)]
pub enum Learned {
    /// A decision tree, of the kinds `cart` and `oct`.
    Tree(Tree),
    /// A boosted forest, of the kind `xgboost`.
    Forest(Forest),
    /// A network, of the kind `mlp`.
    Network(Network),
}

impl Learned {
    /// All kinds of students.
    pub const KINDS: [&str; 4] = ["cart", "oct", "xgboost", "mlp"];

    /// The kinds that are decision trees.
    pub const TREES: [&str; 2] = ["cart", "oct"];

    /// Parses a file of a kind and checks its columns and classes.
    ///
    /// The error is in words.
    pub fn read(
        kind: &str,
        bytes: &[u8],
        columns: &[String],
        classes: &[String],
    ) -> Result<Learned, String> {
        let learned = match kind {
            "cart" | "oct" => {
                Tree::from_bytes(bytes).map(Learned::Tree).map_err(|error| error.to_string())
            }
            "xgboost" => {
                Forest::read(bytes).map(Learned::Forest).map_err(|error| error.to_string())
            }
            "mlp" => {
                Network::read(bytes, &[]).map(Learned::Network).map_err(|error| error.to_string())
            }
            other => Err(format!("there are no students of the kind `{other}`")),
        }?;
        learned.check(columns, classes)?;
        Ok(learned)
    }

    fn check(&self, columns: &[String], classes: &[String]) -> Result<(), String> {
        let model = self.classifier();
        let found = (model.columns(), model.classes());
        if found != (columns.len(), classes.len()) {
            return Err(format!(
                "it takes {} numbers and distinguishes {} moves, but the features are {} and the \
                 moves {}",
                found.0,
                found.1,
                columns.len(),
                classes.len()
            ));
        }
        let names = match self {
            Learned::Tree(tree) => (tree.column_names(), Some(tree.class_names())),
            Learned::Forest(forest) => (forest.names(), None),
            Learned::Network(_) => return Ok(()),
        };
        let differ = |found: &[String], expected: &[String]| {
            found.iter().zip(expected).find(|(found, expected)| found != expected).map(|(found, expected)| {
                format!("it names `{found}` where `{expected}` is expected: it has other features or another menu")
            })
        };
        let wrong = differ(names.0, columns).or_else(|| differ(names.1?, classes));
        wrong.map_or(Ok(()), Err)
    }

    /// The file and its extension. With `small`, numbers are rounded: a network's to 16 bits, a
    /// forest's leaf values to 65,536 levels.
    pub fn encode(&self, small: bool) -> (&'static str, Vec<u8>) {
        match (self, small) {
            (Learned::Tree(tree), _) => ("tree", tree.to_bytes()),
            (Learned::Forest(forest), true) => ("forest", forest.to_compact()),
            (Learned::Forest(forest), false) => ("ubj", forest.to_ubj()),
            (Learned::Network(network), true) => ("safetensors", network.to_bytes(Precision::Half)),
            (Learned::Network(network), false) => {
                ("safetensors", network.to_bytes(Precision::Single))
            }
        }
    }

    /// The model as a classifier.
    pub fn classifier(&self) -> &dyn Classifier {
        match self {
            Learned::Tree(tree) => tree,
            Learned::Forest(forest) => forest,
            Learned::Network(network) => network,
        }
    }

    /// Number of parameters, counted as by Bertsimas and Paskov ("World-class interpretable poker",
    /// 2022): one for each node and one for each connection. A tree has a node for each test and
    /// leaf and a branch to each but the first; the nodes of a network are its hidden units. Their
    /// full tree of depth 15 has 131,069, and 7 layers of 512 units between 25 numbers and 4 moves
    /// have 1,591,296.
    pub fn parameters(&self) -> usize {
        match self {
            Learned::Tree(tree) => 2 * tree.nodes() - 1,
            Learned::Forest(forest) => 2 * forest.node_count() - forest.trees(),
            Learned::Network(network) => {
                let count = network.shape().count();
                count.weights + count.hidden_biases
            }
        }
    }

    /// The model's size, in words.
    pub fn size(&self) -> String {
        match self {
            Learned::Tree(tree) => format!("{} leaves, depth {}", tree.leaves(), tree.depth()),
            Learned::Forest(forest) => {
                format!("{} trees, {} nodes", forest.trees(), forest.node_count())
            }
            Learned::Network(network) => {
                format!("{} parameters", whole(network.parameters().len() as u64))
            }
        }
    }
}

impl From<Tree> for Learned {
    fn from(tree: Tree) -> Learned {
        Learned::Tree(tree)
    }
}

impl From<Forest> for Learned {
    fn from(forest: Forest) -> Learned {
        Learned::Forest(forest)
    }
}

impl From<Network> for Learned {
    fn from(network: Network) -> Learned {
        Learned::Network(network)
    }
}
