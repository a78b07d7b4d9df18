//! Reader of XGBoost's model document, in JSON or UBJ.
//!
//! The schema is in XGBoost's documentation, "Introduction to Model IO". Supported are versions 1.0
//! to 3.x: before 3.1 `base_score` is one number for all classes, since then a list `[..,..]` of
//! one for each; flags were once booleans.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

use super::{Forest, ForestError, Link, Node, Tree, ubj, write};
use crate::checksum;

#[derive(Deserialize)]
struct Document {
    learner: Learner,
}

#[derive(Deserialize)]
struct Learner {
    #[serde(default)]
    attributes: BTreeMap<String, String>,
    #[serde(default)]
    feature_names: Vec<String>,
    gradient_booster: Booster,
    learner_model_param: LearnerParam,
    objective: Objective,
}

#[derive(Deserialize)]
struct LearnerParam {
    base_score: String,
    num_class: String,
    num_feature: String,
    #[serde(default = "one")]
    num_target: String,
}

#[derive(Deserialize)]
struct Objective {
    name: String,
}

#[derive(Deserialize)]
struct Booster {
    name: String,
    /// Boosters other than `gbtree` have other fields here, so none is required before the name is
    /// checked.
    #[serde(default)]
    model: Model,
}

#[derive(Deserialize, Default)]
struct Model {
    #[serde(default)]
    gbtree_model_param: Option<GbtreeParam>,
    #[serde(default)]
    tree_info: Vec<i32>,
    #[serde(default)]
    trees: Vec<TreeDocument>,
}

#[derive(Deserialize)]
struct GbtreeParam {
    #[serde(default = "one")]
    num_parallel_tree: String,
}

#[derive(Deserialize)]
struct TreeDocument {
    tree_param: TreeParam,
    left_children: Vec<i32>,
    right_children: Vec<i32>,
    split_indices: Vec<u32>,
    split_conditions: Vec<f32>,
    default_left: Vec<Flag>,
    #[serde(default)]
    split_type: Vec<Flag>,
    #[serde(default)]
    base_weights: Vec<f32>,
    #[serde(default)]
    loss_changes: Vec<f32>,
    #[serde(default)]
    sum_hessian: Vec<f32>,
}

#[derive(Deserialize)]
struct TreeParam {
    #[serde(default = "one")]
    size_leaf_vector: String,
}

fn one() -> String {
    "1".to_string()
}

/// A boolean, which newer versions write as a number.
#[derive(Clone, Copy)]
struct Flag(bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Flag, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Flag;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a boolean, or 0 or 1")
            }

            fn visit_bool<E>(self, value: bool) -> Result<Flag, E> {
                Ok(Flag(value))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Flag, E> {
                Ok(Flag(value != 0))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Flag, E> {
                Ok(Flag(value != 0))
            }
        }
        from.deserialize_any(Visitor)
    }
}

pub(super) fn read_json(bytes: &[u8]) -> Result<Forest, ForestError> {
    check_seal(bytes, &write::json_head())?;
    let document = serde_json::from_slice(bytes);
    forest(document.map_err(|error| ForestError::Document(error.to_string()))?)
}

pub(super) fn read_ubj(bytes: &[u8]) -> Result<Forest, ForestError> {
    check_seal(bytes, &write::ubj_head())?;
    let document = ubj::read(bytes);
    forest(document.map_err(|error| ForestError::Document(error.to_string()))?)
}

/// Checks the checksum of a file that begins as this program's files do. XGBoost drops it when it
/// saves the model again.
fn check_seal(bytes: &[u8], head: &[u8]) -> Result<(), ForestError> {
    if bytes.starts_with(head) && !checksum::fits(bytes, head.len()) {
        return Err(ForestError::Changed);
    }
    Ok(())
}

fn forest(document: Document) -> Result<Forest, ForestError> {
    let Learner { attributes, feature_names, gradient_booster, learner_model_param, objective } =
        document.learner;
    if gradient_booster.name != "gbtree" {
        return Err(ForestError::Booster(gradient_booster.name));
    }
    let link = match objective.name.as_str() {
        "multi:softprob" => Link::Softmax,
        "binary:logistic" => Link::Logistic,
        _ => return Err(ForestError::Objective(objective.name)),
    };
    let model = gradient_booster.model;
    if let Some(GbtreeParam { num_parallel_tree }) = model.gbtree_model_param
        && !matches!(num_parallel_tree.as_str(), "1" | "0")
    {
        return Err(ForestError::Parallel(num_parallel_tree));
    }
    if learner_model_param.num_target != "1" {
        return Err(ForestError::Vectors("num_target is not 1"));
    }
    // Such trees fail the check of turns, too; this error is more specific.
    if model
        .trees
        .iter()
        .any(|tree| !matches!(tree.tree_param.size_leaf_vector.as_str(), "1" | "0"))
    {
        return Err(ForestError::Vectors("size_leaf_vector is not 1"));
    }
    let (columns, base) = shape(&learner_model_param, link)?;
    let mut forest = Forest::with_link(columns, base, link)?.with_names(feature_names)?;
    forest.attributes = attributes;
    check_turns(&model.tree_info, model.trees.len(), forest.groups())?;
    for (index, tree) in model.trees.into_iter().enumerate() {
        forest.push(&unpack(index, &tree)?)?;
    }
    Ok(forest)
}

/// The number of columns and the base margins.
fn shape(param: &LearnerParam, link: Link) -> Result<(usize, Vec<f32>), ForestError> {
    let columns: usize = number("num_feature", &param.num_feature)?;
    let classes: usize = number("num_class", &param.num_class)?;
    let groups = match link {
        Link::Softmax => classes,
        Link::Logistic => 1,
    };
    let text = param.base_score.trim();
    let list = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let parsed = |text: &str| number::<f32>("base_score", text.trim());
    let mut base = match list {
        Some(list) => list.split(',').map(parsed).collect::<Result<Vec<f32>, ForestError>>()?,
        None => vec![parsed(text)?],
    };
    if base.len() == 1 && groups > 1 {
        // An untrusted file may state any number of classes; each needs at least one tree.
        if groups > u16::MAX.into() {
            return Err(wrong("num_class", &param.num_class));
        }
        base = vec![base[0]; groups];
    }
    if base.len() != groups {
        return Err(wrong("base_score", text));
    }
    if link == Link::Logistic {
        // Stored as a probability.
        base[0] = -(1.0 / base[0] - 1.0).ln();
    }
    Ok((columns, base))
}

fn number<T: std::str::FromStr>(field: &'static str, text: &str) -> Result<T, ForestError> {
    text.parse().map_err(|_| wrong(field, text))
}

fn wrong(field: &'static str, text: &str) -> ForestError {
    ForestError::Number { field, text: text.to_string() }
}

/// Checks that trees add to the groups in turn, in whole rounds.
fn check_turns(groups_of: &[i32], trees: usize, groups: usize) -> Result<(), ForestError> {
    if groups_of.len() != trees {
        return Err(ForestError::Count { trees, declared: groups_of.len() });
    }
    let turn = |(tree, &group): (usize, &i32)| usize::try_from(group) != Ok(tree % groups);
    match groups_of.iter().enumerate().position(turn) {
        None if trees.is_multiple_of(groups) => Ok(()),
        out => Err(ForestError::Turns { tree: out.unwrap_or(trees), trees, groups }),
    }
}

fn unpack(index: usize, tree: &TreeDocument) -> Result<Tree, ForestError> {
    if tree.split_type.iter().any(|kind| kind.0) {
        return Err(ForestError::Categorical { tree: index });
    }
    let count = tree.left_children.len();
    let lengths = [
        tree.right_children.len(),
        tree.split_indices.len(),
        tree.split_conditions.len(),
        tree.default_left.len(),
    ];
    if let Some(&least) = lengths.iter().find(|&&length| length != count) {
        let what = "lists of different lengths";
        return Err(ForestError::Tree { tree: index, node: least.min(count), what });
    }
    let known = |list: &[f32], node: usize| list.get(node).copied().unwrap_or(0.0);
    let nodes = (0..count).map(|node| {
        let cover = known(&tree.sum_hessian, node);
        let (left, right) = (tree.left_children[node], tree.right_children[node]);
        match (usize::try_from(left), usize::try_from(right)) {
            (Err(_), Err(_)) => Ok(Node::Leaf { value: tree.split_conditions[node], cover }),
            (Ok(left), Ok(right)) => Ok(Node::Split {
                column: tree.split_indices[node] as usize,
                below: tree.split_conditions[node],
                left,
                right,
                missing_left: tree.default_left[node].0,
                gain: known(&tree.loss_changes, node),
                cover,
                value: known(&tree.base_weights, node),
            }),
            _ => Err(ForestError::Tree { tree: index, node, what: "one child" }),
        }
    });
    Ok(Tree { nodes: nodes.collect::<Result<_, _>>()? })
}
