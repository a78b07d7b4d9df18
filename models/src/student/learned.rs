//! A street's model, whichever learner made it.

use crate::Classifier;
use crate::forest::Forest;
use crate::network::Network;
use crate::tree::Tree;

/// What learned to tell the moves of a street apart.
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
    /// The name and file ending of each kind of student.
    pub const KINDS: [(&str, &str); 4] =
        [("cart", "tree"), ("oct", "tree"), ("xgboost", "forest"), ("mlp", "safetensors")];

    /// Reads a file of a kind and checks that it takes these columns and tells these classes apart.
    ///
    /// What is wrong comes in words.
    pub fn read(kind: &str, bytes: &[u8], columns: &[String], classes: &[String]) -> Result<Learned, String> {
        let learned = match kind {
            "cart" | "oct" => Tree::from_bytes(bytes).map(Learned::Tree).map_err(|error| error.to_string()),
            "xgboost" => Forest::read(bytes).map(Learned::Forest).map_err(|error| error.to_string()),
            "mlp" => Network::read(bytes, &[]).map(Learned::Network).map_err(|error| error.to_string()),
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
                "it takes {} numbers and tells {} moves apart, but the features are {} and the moves {}",
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
                format!("it names `{found}` where `{expected}` stands here: it is of other features or another menu")
            })
        };
        let wrong = differ(names.0, columns).or_else(|| differ(names.1?, classes));
        wrong.map_or(Ok(()), Err)
    }

    /// As a classifier.
    pub fn classifier(&self) -> &dyn Classifier {
        match self {
            Learned::Tree(tree) => tree,
            Learned::Forest(forest) => forest,
            Learned::Network(network) => network,
        }
    }

    /// How large it is, in words.
    pub fn size(&self) -> String {
        match self {
            Learned::Tree(tree) => format!("{} leaves, depth {}", tree.leaves(), tree.depth()),
            Learned::Forest(forest) => {
                format!("{} trees, {} nodes", forest.trees(), forest.node_count())
            }
            Learned::Network(network) => format!("{} parameters", network.parameters().len()),
        }
    }
}
