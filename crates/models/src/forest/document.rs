//! Reader of XGBoost's model document, in JSON or UBJ.
//!
//! The schema is in XGBoost's documentation, "Introduction to Model IO". Supported are versions 1.0
//! to 3.4: before 3.1 `base_score` is one number for all classes, since then a list `[..,..]` of
//! one for each; flags were once booleans. All fields that these versions write are listed here,
//! those without effect on predictions as [`IgnoredAny`]; any other field is an error, because it
//! may change what the model predicts.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

use super::{Forest, ForestError, Link, Node, Tree, ubj, write};
use crate::checksum;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    learner: Learner,
    #[serde(default, rename = "version")]
    _version: IgnoredAny,
    /// `checksum::KEY`, which was checked before.
    #[serde(default, rename = "cardroom.sha256")]
    _checksum: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Learner {
    #[serde(default)]
    attributes: BTreeMap<String, String>,
    #[serde(default)]
    feature_names: Vec<String>,
    /// Trees say themselves which of their tests are categorical.
    #[serde(default, rename = "feature_types")]
    _feature_types: IgnoredAny,
    gradient_booster: Booster,
    learner_model_param: LearnerParam,
    objective: Objective,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LearnerParam {
    base_score: String,
    num_class: String,
    num_feature: String,
    #[serde(default = "one")]
    num_target: String,
    /// Whether `base_score` was estimated.
    #[serde(default, rename = "boost_from_average")]
    _boost_from_average: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Objective {
    name: String,
    softmax_multiclass_param: Option<SoftmaxParam>,
    #[serde(default, rename = "reg_loss_param")]
    _reg_loss_param: Option<RegLossParam>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SoftmaxParam {
    num_class: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RegLossParam {
    /// Weighs rows in training.
    #[serde(default, rename = "scale_pos_weight")]
    _scale_pos_weight: IgnoredAny,
}

/// A booster of trees. In DART the value of each tree counts with its weight, `weight_drop`: up to
/// version 3.2 the booster `dart` has it, beside a whole `gbtree`; 3.3 writes `gbtree` with the
/// weights here, later versions in the model.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Booster {
    name: String,
    model: Option<Model>,
    gbtree: Option<Trees>,
    weight_drop: Option<Vec<f32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Trees {
    #[serde(rename = "name")]
    _name: IgnoredAny,
    model: Model,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Model {
    gbtree_model_param: GbtreeParam,
    tree_info: Vec<i32>,
    trees: Vec<TreeDocument>,
    iteration_indptr: Option<Vec<usize>>,
    weight_drop: Option<Vec<f32>>,
    /// The numbers that training gave to the categories of data frames.
    #[serde(default, rename = "cats")]
    _cats: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GbtreeParam {
    num_trees: String,
    #[serde(default = "one")]
    num_parallel_tree: String,
    #[serde(default = "one")]
    size_leaf_vector: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TreeDocument {
    tree_param: TreeParam,
    id: usize,
    left_children: Vec<i32>,
    right_children: Vec<i32>,
    split_indices: Vec<u32>,
    split_conditions: Vec<f32>,
    default_left: Vec<Flag>,
    #[serde(default)]
    split_type: Vec<Flag>,
    #[serde(default)]
    categories_nodes: Vec<IgnoredAny>,
    #[serde(default, rename = "categories")]
    _categories: IgnoredAny,
    #[serde(default, rename = "categories_segments")]
    _categories_segments: IgnoredAny,
    #[serde(default, rename = "categories_sizes")]
    _categories_sizes: IgnoredAny,
    #[serde(default)]
    leaf_weights: Vec<IgnoredAny>,
    #[serde(default)]
    base_weights: Vec<f32>,
    #[serde(default)]
    loss_changes: Vec<f32>,
    #[serde(default)]
    sum_hessian: Vec<f32>,
    /// Children are listed by their parents.
    #[serde(default, rename = "parents")]
    _parents: IgnoredAny,
    /// A statistic of training.
    #[serde(default, rename = "leaf_child_counts")]
    _leaf_child_counts: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TreeParam {
    num_nodes: String,
    #[serde(default = "one")]
    size_leaf_vector: String,
    /// Nodes that were pruned are left in the lists, and nothing leads to them.
    #[serde(default, rename = "num_deleted")]
    _num_deleted: IgnoredAny,
    #[serde(default, rename = "num_feature")]
    _num_feature: IgnoredAny,
}

/// What decides whether a model can be read at all. Other kinds have other fields, so it is looked
/// at before an unknown field is reported.
#[derive(Deserialize)]
struct Outline {
    learner: OutlineOfLearner,
}

#[derive(Deserialize)]
struct OutlineOfLearner {
    gradient_booster: Named,
    objective: Named,
}

#[derive(Deserialize)]
struct Named {
    name: String,
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
    read(serde_json::from_slice(bytes), || serde_json::from_slice(bytes).ok())
}

pub(super) fn read_ubj(bytes: &[u8]) -> Result<Forest, ForestError> {
    check_seal(bytes, &write::ubj_head())?;
    read(ubj::read(bytes), || ubj::read(bytes).ok())
}

fn read(
    document: Result<Document, impl std::fmt::Display>,
    outline: impl Fn() -> Option<Outline>,
) -> Result<Forest, ForestError> {
    let document = document.map_err(|error| {
        let kind = outline().map(|Outline { learner }| {
            link(&learner.gradient_booster.name, &learner.objective.name)
        });
        kind.and_then(Result::err).unwrap_or_else(|| ForestError::Document(error.to_string()))
    })?;
    forest(document.learner)
}

/// Checks the checksum of a file that begins as this program's files do. XGBoost drops it when it
/// saves the model again.
fn check_seal(bytes: &[u8], head: &[u8]) -> Result<(), ForestError> {
    if bytes.starts_with(head) && !checksum::fits(bytes, head.len()) {
        return Err(ForestError::Changed);
    }
    Ok(())
}

/// The link function of an objective, of boosters that can be read.
fn link(booster: &str, objective: &str) -> Result<Link, ForestError> {
    if !matches!(booster, "gbtree" | "dart") {
        return Err(ForestError::Booster(booster.to_owned()));
    }
    match objective {
        "multi:softprob" => Ok(Link::Softmax),
        "binary:logistic" => Ok(Link::Logistic),
        _ => Err(ForestError::Objective(objective.to_owned())),
    }
}

fn forest(learner: Learner) -> Result<Forest, ForestError> {
    let Learner { attributes, feature_names, learner_model_param, objective, .. } = learner;
    let Booster { name, model, gbtree, weight_drop } = learner.gradient_booster;
    let link = link(&name, &objective.name)?;
    let ((Some(model), None) | (None, Some(Trees { model, .. }))) = (model, gbtree) else {
        let reason = format!("the booster `{name}` must have one `model`");
        return Err(ForestError::Document(reason));
    };
    let scalar = |size: &str| matches!(size, "1" | "0");
    let GbtreeParam { num_trees, num_parallel_tree, size_leaf_vector } = model.gbtree_model_param;
    if !scalar(&num_parallel_tree) {
        return Err(ForestError::Parallel(num_parallel_tree));
    }
    if learner_model_param.num_target != "1" {
        return Err(ForestError::Vectors("num_target is not 1"));
    }
    // Such trees fail the check of turns, too; this error is more specific.
    let vectors = |tree: &TreeDocument| {
        !scalar(&tree.tree_param.size_leaf_vector) || !tree.leaf_weights.is_empty()
    };
    if !scalar(&size_leaf_vector) || model.trees.iter().any(vectors) {
        return Err(ForestError::Vectors("size_leaf_vector is not 1"));
    }
    let (columns, base) = shape(&learner_model_param, link)?;
    if let Some(SoftmaxParam { num_class }) = objective.softmax_multiclass_param
        && num_class != learner_model_param.num_class
    {
        return Err(wrong("softmax_multiclass_param.num_class", &num_class));
    }
    let mut forest = Forest::with_link(columns, base, link)?.with_names(feature_names)?;
    forest.attributes = attributes;
    let trees = model.trees.len();
    let declared = number("num_trees", &num_trees)?;
    if declared != trees {
        return Err(ForestError::Count { trees, field: "num_trees", declared });
    }
    check_turns(&model.tree_info, trees, forest.groups())?;
    check_rounds(model.iteration_indptr.as_deref(), trees, forest.groups())?;
    let weights = [weight_drop, model.weight_drop];
    let dart = name == "dart" || weights.iter().any(Option::is_some);
    let weights: Vec<f32> = weights.into_iter().flatten().flatten().collect();
    if dart && weights.len() != trees {
        return Err(ForestError::Weights { trees, weights: weights.len() });
    }
    for (index, tree) in model.trees.into_iter().enumerate() {
        forest.push(&unpack(index, &tree, weights.get(index).copied().unwrap_or(1.0))?)?;
    }
    Ok(forest)
}

/// The number of columns and the base margins.
fn shape(param: &LearnerParam, link: Link) -> Result<(usize, Vec<f32>), ForestError> {
    let columns: usize = number("num_feature", &param.num_feature)?;
    let classes: usize = number("num_class", &param.num_class)?;
    let groups = match link {
        Link::Softmax => classes,
        Link::Logistic if classes > 1 => return Err(wrong("num_class", &param.num_class)),
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
        return Err(ForestError::Count { trees, field: "tree_info", declared: groups_of.len() });
    }
    let turn = |(tree, &group): (usize, &i32)| usize::try_from(group) != Ok(tree % groups);
    match groups_of.iter().enumerate().position(turn) {
        None if trees.is_multiple_of(groups) => Ok(()),
        out => Err(ForestError::Turns { tree: out.unwrap_or(trees), trees, groups }),
    }
}

/// Checks that each round, as far as the file says where rounds begin, has a tree for each group.
fn check_rounds(starts: Option<&[usize]>, trees: usize, groups: usize) -> Result<(), ForestError> {
    let rounds = (0..=trees).step_by(groups);
    match starts {
        Some(starts) if !rounds.clone().eq(starts.iter().copied()) => {
            let same = rounds.zip(starts).take_while(|(round, start)| round == *start).count();
            Err(ForestError::Turns { tree: (same * groups).min(trees), trees, groups })
        }
        _ => Ok(()),
    }
}

/// A tree whose values are multiplied by `weight`.
fn unpack(index: usize, tree: &TreeDocument, weight: f32) -> Result<Tree, ForestError> {
    if tree.split_type.iter().any(|kind| kind.0) || !tree.categories_nodes.is_empty() {
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
    if tree.id != index {
        let what = "an `id` that is not its place in the list";
        return Err(ForestError::Tree { tree: index, node: 0, what });
    }
    if number::<usize>("num_nodes", &tree.tree_param.num_nodes)? != count {
        let what = "another number of nodes than `num_nodes`";
        return Err(ForestError::Tree { tree: index, node: count, what });
    }
    let known = |list: &[f32], node: usize| list.get(node).copied().unwrap_or(0.0);
    let nodes = (0..count).map(|node| {
        let cover = known(&tree.sum_hessian, node);
        let (left, right) = (tree.left_children[node], tree.right_children[node]);
        match (usize::try_from(left), usize::try_from(right)) {
            (Err(_), Err(_)) => {
                Ok(Node::Leaf { value: weight * tree.split_conditions[node], cover })
            }
            (Ok(left), Ok(right)) => Ok(Node::Split {
                column: tree.split_indices[node] as usize,
                below: tree.split_conditions[node],
                left,
                right,
                missing_left: tree.default_left[node].0,
                gain: known(&tree.loss_changes, node),
                cover,
                value: weight * known(&tree.base_weights, node),
            }),
            _ => Err(ForestError::Tree { tree: index, node, what: "one child" }),
        }
    });
    Ok(Tree { nodes: nodes.collect::<Result<_, _>>()? })
}
