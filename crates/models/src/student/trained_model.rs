//! The model of a street, of any kind.

use show::number::whole;

use crate::Classifier;
use crate::forest::Forest;
use crate::network::{Network, Precision};
use crate::tree::Tree;

/// A trained classifier of the moves of a street.
#[derive(Debug, Clone)]
pub enum TrainedModel {
    /// A decision tree, of the kinds `cart` and `oct`.
    Tree(Tree),
    /// A boosted forest, of the kind `xgboost`.
    Forest(Forest),
    /// A network, of the kind `mlp`.
    Network(Network),
}

impl TrainedModel {
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
    ) -> Result<TrainedModel, String> {
        let learned = match kind {
            "cart" | "oct" => {
                Tree::from_bytes(bytes).map(TrainedModel::Tree).map_err(|error| error.to_string())
            }
            "xgboost" => {
                Forest::read(bytes).map(TrainedModel::Forest).map_err(|error| error.to_string())
            }
            "mlp" => Network::read(bytes, &[])
                .map(TrainedModel::Network)
                .map_err(|error| error.to_string()),
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
            TrainedModel::Tree(tree) => (tree.column_names(), Some(tree.class_names())),
            TrainedModel::Forest(forest) => (forest.names(), None),
            TrainedModel::Network(_) => return Ok(()),
        };
        let differ =
            |found: &[String], expected: &[String]| {
                found.iter().zip(expected).find(|(found, expected)| found != expected).map(|(found,
                expected)| {
                format!("it names `{found}` where `{expected}` is expected: it has other features \
                         or another menu")
            })
            };
        let wrong = differ(names.0, columns).or_else(|| differ(names.1?, classes));
        wrong.map_or(Ok(()), Err)
    }

    /// The file and its extension. With `small`, numbers are rounded: a network's to 16 bits, a
    /// forest's leaf values to 65,536 levels.
    pub fn encode(&self, small: bool) -> (&'static str, Vec<u8>) {
        match (self, small) {
            (TrainedModel::Tree(tree), _) => ("tree", tree.to_bytes()),
            (TrainedModel::Forest(forest), true) => ("forest", forest.to_compact()),
            (TrainedModel::Forest(forest), false) => ("ubj", forest.to_ubj()),
            (TrainedModel::Network(network), true) => {
                ("safetensors", network.to_bytes(Precision::Half))
            }
            (TrainedModel::Network(network), false) => {
                ("safetensors", network.to_bytes(Precision::Single))
            }
        }
    }

    /// The model as a classifier.
    pub fn classifier(&self) -> &dyn Classifier {
        match self {
            TrainedModel::Tree(tree) => tree,
            TrainedModel::Forest(forest) => forest,
            TrainedModel::Network(network) => network,
        }
    }

    /// Number of parameters, counted as by Bertsimas and Paskov ("World-class interpretable poker",
    /// 2022): one for each node and one for each connection. A tree has a node for each test and
    /// leaf and a branch to each but the first; the nodes of a network are its hidden units. Their
    /// full tree of depth 15 has 131,069, and 7 layers of 512 units between 25 numbers and 4 moves
    /// have 1,591,296.
    pub fn parameters(&self) -> usize {
        match self {
            TrainedModel::Tree(tree) => 2 * tree.nodes() - 1,
            TrainedModel::Forest(forest) => 2 * forest.node_count() - forest.trees(),
            TrainedModel::Network(network) => {
                let count = network.shape().count();
                count.weights + count.hidden_biases
            }
        }
    }

    /// The model's size, in words.
    pub fn size(&self) -> String {
        match self {
            TrainedModel::Tree(tree) => format!("{} leaves, depth {}", tree.leaves(), tree.depth()),
            TrainedModel::Forest(forest) => {
                format!("{} trees, {} nodes", forest.trees(), forest.node_count())
            }
            TrainedModel::Network(network) => {
                format!("{} parameters", whole(network.parameters().len() as u64))
            }
        }
    }
}

impl From<Tree> for TrainedModel {
    fn from(tree: Tree) -> TrainedModel {
        TrainedModel::Tree(tree)
    }
}

impl From<Forest> for TrainedModel {
    fn from(forest: Forest) -> TrainedModel {
        TrainedModel::Forest(forest)
    }
}

impl From<Network> for TrainedModel {
    fn from(network: Network) -> TrainedModel {
        TrainedModel::Network(network)
    }
}
