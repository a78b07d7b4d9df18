//! XGBoost's model document, read from JSON or UBJ and written as either.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

use super::{Forest, Link, Node, Problem, Tree, ubj};
use crate::{Error, file};

// Reader of XGBoost's model document, in JSON or UBJ.
//
// The schema is in XGBoost's documentation, "Introduction to Model IO". Supported are versions 1.0
// to 3.4: before 3.1 `base_score` is one number for all classes, since then a list `[..,..]` of
// one for each; flags were once booleans. All fields that these versions write are listed here,
// those without effect on predictions as [`IgnoredAny`]; any other field is an error, because it
// may change what the model predicts.

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    learner: Learner,
    #[serde(default, rename = "version")]
    _version: IgnoredAny,
    /// `file::KEY`, which was checked before.
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

pub(super) fn read_json(bytes: &[u8]) -> Result<Forest, Error> {
    check_seal(bytes, &json_head())?;
    read(serde_json::from_slice(bytes), || serde_json::from_slice(bytes).ok())
}

pub(super) fn read_ubj(bytes: &[u8]) -> Result<Forest, Error> {
    check_seal(bytes, &ubj_head())?;
    read(ubj::read(bytes), || ubj::read(bytes).ok())
}

fn read(
    document: Result<Document, impl std::fmt::Display>,
    outline: impl Fn() -> Option<Outline>,
) -> Result<Forest, Error> {
    let document = document.map_err(|error| {
        let kind = outline().map(|Outline { learner }| {
            link(&learner.gradient_booster.name, &learner.objective.name)
        });
        kind.and_then(Result::err).unwrap_or_else(|| Problem::Document(error.to_string()))
    })?;
    forest(document.learner)
}

/// Checks the checksum of a file that begins as this program's files do. XGBoost drops it when it
/// saves the model again.
fn check_seal(bytes: &[u8], head: &[u8]) -> Result<(), Problem> {
    if bytes.starts_with(head) && !file::fits(bytes, head.len()) {
        return Err(Problem::Changed);
    }
    Ok(())
}

/// The link function of an objective, of boosters that can be read.
fn link(booster: &str, objective: &str) -> Result<Link, Problem> {
    if !matches!(booster, "gbtree" | "dart") {
        return Err(Problem::Booster(booster.to_owned()));
    }
    match objective {
        "multi:softprob" => Ok(Link::Softmax),
        "binary:logistic" => Ok(Link::Logistic),
        _ => Err(Problem::Objective(objective.to_owned())),
    }
}

fn forest(learner: Learner) -> Result<Forest, Error> {
    let Learner { attributes, feature_names, learner_model_param, objective, .. } = learner;
    let Booster { name, model, gbtree, weight_drop } = learner.gradient_booster;
    let link = link(&name, &objective.name)?;
    let ((Some(model), None) | (None, Some(Trees { model, .. }))) = (model, gbtree) else {
        let reason = format!("the booster `{name}` must have one `model`");
        return Err(Problem::Document(reason).into());
    };
    let scalar = |size: &str| matches!(size, "1" | "0");
    let GbtreeParam { num_trees, num_parallel_tree, size_leaf_vector } = model.gbtree_model_param;
    if !scalar(&num_parallel_tree) {
        return Err(Problem::Parallel(num_parallel_tree).into());
    }
    if learner_model_param.num_target != "1" {
        return Err(Problem::Vectors("num_target is not 1").into());
    }
    // Such trees fail the check of turns, too; this error is more specific.
    let vectors = |tree: &TreeDocument| {
        !scalar(&tree.tree_param.size_leaf_vector) || !tree.leaf_weights.is_empty()
    };
    if !scalar(&size_leaf_vector) || model.trees.iter().any(vectors) {
        return Err(Problem::Vectors("size_leaf_vector is not 1").into());
    }
    let (columns, base) = shape(&learner_model_param, link)?;
    if let Some(SoftmaxParam { num_class }) = objective.softmax_multiclass_param
        && num_class != learner_model_param.num_class
    {
        return Err(wrong("softmax_multiclass_param.num_class", &num_class).into());
    }
    let mut forest = Forest::with_link(columns, base, link)?.with_names(feature_names)?;
    forest.attributes = attributes;
    let trees = model.trees.len();
    let declared = number("num_trees", &num_trees)?;
    if declared != trees {
        return Err(Problem::Count { trees, field: "num_trees", declared }.into());
    }
    check_turns(&model.tree_info, trees, forest.groups())?;
    check_rounds(model.iteration_indptr.as_deref(), trees, forest.groups())?;
    let weights = [weight_drop, model.weight_drop];
    let dart = name == "dart" || weights.iter().any(Option::is_some);
    let weights: Vec<f32> = weights.into_iter().flatten().flatten().collect();
    if dart && weights.len() != trees {
        return Err(Problem::Weights { trees, weights: weights.len() }.into());
    }
    for (index, tree) in model.trees.into_iter().enumerate() {
        forest.push(&unpack(index, &tree, weights.get(index).copied().unwrap_or(1.0))?)?;
    }
    Ok(forest)
}

/// The number of columns and the base margins.
fn shape(param: &LearnerParam, link: Link) -> Result<(usize, Vec<f32>), Problem> {
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
        Some(list) => list.split(',').map(parsed).collect::<Result<Vec<f32>, Problem>>()?,
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

fn number<T: std::str::FromStr>(field: &'static str, text: &str) -> Result<T, Problem> {
    text.parse().map_err(|_| wrong(field, text))
}

fn wrong(field: &'static str, text: &str) -> Problem {
    Problem::Number { field, text: text.to_string() }
}

/// Checks that trees add to the groups in turn, in whole rounds.
fn check_turns(groups_of: &[i32], trees: usize, groups: usize) -> Result<(), Problem> {
    if groups_of.len() != trees {
        return Err(Problem::Count { trees, field: "tree_info", declared: groups_of.len() });
    }
    let turn = |(tree, &group): (usize, &i32)| usize::try_from(group) != Ok(tree % groups);
    match groups_of.iter().enumerate().position(turn) {
        None if trees.is_multiple_of(groups) => Ok(()),
        out => Err(Problem::Turns { tree: out.unwrap_or(trees), trees, groups }),
    }
}

/// Checks that each round, as far as the file says where rounds begin, has a tree for each group.
fn check_rounds(starts: Option<&[usize]>, trees: usize, groups: usize) -> Result<(), Problem> {
    let rounds = (0..=trees).step_by(groups);
    match starts {
        Some(starts) if !rounds.clone().eq(starts.iter().copied()) => {
            let same = rounds.zip(starts).take_while(|(round, start)| round == *start).count();
            Err(Problem::Turns { tree: (same * groups).min(trees), trees, groups })
        }
        _ => Ok(()),
    }
}

/// A tree whose values are multiplied by `weight`.
fn unpack(index: usize, tree: &TreeDocument, weight: f32) -> Result<Tree, Problem> {
    if tree.split_type.iter().any(|kind| kind.0) || !tree.categories_nodes.is_empty() {
        return Err(Problem::Categorical { tree: index });
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
        return Err(Problem::Tree { tree: index, node: least.min(count), what });
    }
    if tree.id != index {
        let what = "an `id` that is not its place in the list";
        return Err(Problem::Tree { tree: index, node: 0, what });
    }
    if number::<usize>("num_nodes", &tree.tree_param.num_nodes)? != count {
        let what = "another number of nodes than `num_nodes`";
        return Err(Problem::Tree { tree: index, node: count, what });
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
            _ => Err(Problem::Tree { tree: index, node, what: "one child" }),
        }
    });
    Ok(Tree { nodes: nodes.collect::<Result<_, _>>()? })
}

// Writer of XGBoost's model document as JSON or UBJ. A checksum, which XGBoost ignores, precedes
// XGBoost's own keys.

/// The version of XGBoost that these files follow; 3.1 is the first with a base score for each
/// class.
const VERSION: [i32; 3] = [3, 2, 0];

pub(super) fn json(forest: &Forest) -> Vec<u8> {
    let mut sink = Json { out: Vec::new() };
    document(forest, &mut sink);
    file::close(&mut sink.out, json_head().len());
    sink.out
}

/// The JSON text before the checksum.
fn json_head() -> Vec<u8> {
    let mut sink = Json { out: Vec::new() };
    open_sealed(&mut sink);
    sink.out[..sink.out.len() - file::OPEN.len() - 1].to_vec()
}

pub(super) fn ubj(forest: &Forest) -> Vec<u8> {
    let mut sink = Ubj { out: Vec::new() };
    document(forest, &mut sink);
    file::close(&mut sink.out, ubj_head().len());
    sink.out
}

/// The UBJ bytes before the checksum.
fn ubj_head() -> Vec<u8> {
    let mut sink = Ubj { out: Vec::new() };
    open_sealed(&mut sink);
    sink.out[..sink.out.len() - file::OPEN.len()].to_vec()
}

fn open_sealed(sink: &mut impl Sink) {
    sink.open();
    sink.pair(file::KEY, file::OPEN);
}

/// A sink for the parts of a document, in order.
trait Sink {
    fn open(&mut self);
    fn close(&mut self);
    fn key(&mut self, key: &str);
    fn text(&mut self, text: &str);
    /// The header of a list of `length` values, each written next.
    fn list(&mut self, length: usize);
    fn end_list(&mut self);
    fn integer(&mut self, value: i32);
    fn floats(&mut self, values: &[f32]);
    fn integers(&mut self, values: &[i32]);
    fn bytes(&mut self, values: &[u8]);
    /// An empty list of 64-bit integers, whose type XGBoost distinguishes from 32-bit integers.
    fn no_long_integers(&mut self);

    fn pair(&mut self, key: &str, text: &str) {
        self.key(key);
        self.text(text);
    }

    fn texts(&mut self, texts: &[String]) {
        self.list(texts.len());
        texts.iter().for_each(|text| self.text(text));
        self.end_list();
    }

    fn small_integers(&mut self, values: &[i32]) {
        self.list(values.len());
        values.iter().for_each(|&value| self.integer(value));
        self.end_list();
    }
}

// Keys are in the alphabetical order of XGBoost's own files.
fn document(forest: &Forest, sink: &mut impl Sink) {
    open_sealed(sink);
    sink.key("learner");
    sink.open();
    sink.key("attributes");
    sink.open();
    for (key, text) in &forest.attributes {
        sink.pair(key, text);
    }
    sink.close();
    sink.key("feature_names");
    sink.texts(&forest.names);
    sink.key("feature_types");
    sink.texts(&[]);
    sink.key("gradient_booster");
    booster(forest, sink);
    sink.key("learner_model_param");
    learner_param(forest, sink);
    sink.key("objective");
    sink.open();
    match forest.link {
        Link::Softmax => {
            sink.pair("name", "multi:softprob");
            sink.key("softmax_multiclass_param");
            sink.open();
            sink.pair("num_class", &forest.base.len().to_string());
        }
        Link::Logistic => {
            sink.pair("name", "binary:logistic");
            sink.key("reg_loss_param");
            sink.open();
            sink.pair("scale_pos_weight", "1");
        }
    }
    sink.close();
    sink.close();
    sink.close();
    sink.key("version");
    sink.small_integers(&VERSION);
    sink.close();
}

fn learner_param(forest: &Forest, sink: &mut impl Sink) {
    let (base, classes) = match forest.link {
        Link::Softmax => (forest.base.clone(), forest.base.len()),
        // Stored as a probability.
        Link::Logistic => (vec![1.0 / (1.0 + (-forest.base[0]).exp())], 0),
    };
    let base: Vec<String> = base.iter().map(|value| format!("{value:E}")).collect();
    sink.open();
    sink.pair("base_score", &format!("[{}]", base.join(",")));
    sink.pair("boost_from_average", "1");
    sink.pair("num_class", &classes.to_string());
    sink.pair("num_feature", &forest.columns.to_string());
    sink.pair("num_target", "1");
    sink.close();
}

fn booster(forest: &Forest, sink: &mut impl Sink) {
    let (trees, groups) = (forest.trees(), forest.groups());
    sink.open();
    sink.key("model");
    sink.open();
    sink.key("cats");
    sink.open();
    sink.key("enc");
    sink.list(0);
    sink.end_list();
    sink.key("feature_segments");
    sink.integers(&[]);
    sink.key("sorted_idx");
    sink.integers(&[]);
    sink.close();
    sink.key("gbtree_model_param");
    sink.open();
    sink.pair("num_parallel_tree", "1");
    sink.pair("num_trees", &trees.to_string());
    sink.close();
    sink.key("iteration_indptr");
    let rounds: Vec<i32> = (0..=trees / groups).map(|round| (round * groups) as i32).collect();
    sink.small_integers(&rounds);
    sink.key("tree_info");
    let turns: Vec<i32> = (0..trees).map(|tree| (tree % groups) as i32).collect();
    sink.small_integers(&turns);
    sink.key("trees");
    sink.list(trees);
    (0..trees).for_each(|index| tree(forest, index, sink));
    sink.end_list();
    sink.close();
    sink.pair("name", "gbtree");
    sink.close();
}

/// XGBoost's parent index of a root.
const NO_PARENT: i32 = i32::MAX;

#[derive(Default)]
struct Lists {
    value: Vec<f32>,
    left: Vec<i32>,
    right: Vec<i32>,
    parent: Vec<i32>,
    column: Vec<i32>,
    below: Vec<f32>,
    missing_left: Vec<u8>,
    gain: Vec<f32>,
    cover: Vec<f32>,
}

fn lists(forest: &Forest, index: usize) -> Lists {
    let nodes = forest.tree(index).nodes;
    let mut lists = Lists { parent: vec![NO_PARENT; nodes.len()], ..Lists::default() };
    for (number, node) in nodes.iter().enumerate() {
        let mut put = |value, children: (i32, i32), column, below, missing_left, gain, cover| {
            lists.value.push(value);
            lists.left.push(children.0);
            lists.right.push(children.1);
            lists.column.push(column);
            lists.below.push(below);
            lists.missing_left.push(u8::from(missing_left));
            lists.gain.push(gain);
            lists.cover.push(cover);
        };
        match *node {
            Node::Leaf { value, cover } => put(value, (-1, -1), 0, value, false, 0.0, cover),
            Node::Split { column, below, left, right, missing_left, gain, cover, value } => {
                let children = (left as i32, right as i32);
                put(value, children, column as i32, below, missing_left, gain, cover);
                lists.parent[left] = number as i32;
                lists.parent[right] = number as i32;
            }
        }
    }
    lists
}

fn tree(forest: &Forest, index: usize, sink: &mut impl Sink) {
    let lists = lists(forest, index);
    let count = lists.value.len();
    sink.open();
    sink.key("base_weights");
    sink.floats(&lists.value);
    for key in ["categories", "categories_nodes"] {
        sink.key(key);
        sink.integers(&[]);
    }
    for key in ["categories_segments", "categories_sizes"] {
        sink.key(key);
        sink.no_long_integers();
    }
    sink.key("default_left");
    sink.bytes(&lists.missing_left);
    sink.key("id");
    sink.integer(index as i32);
    sink.key("left_children");
    sink.integers(&lists.left);
    sink.key("loss_changes");
    sink.floats(&lists.gain);
    sink.key("parents");
    sink.integers(&lists.parent);
    sink.key("right_children");
    sink.integers(&lists.right);
    sink.key("split_conditions");
    sink.floats(&lists.below);
    sink.key("split_indices");
    sink.integers(&lists.column);
    sink.key("split_type");
    sink.bytes(&vec![0; count]);
    sink.key("sum_hessian");
    sink.floats(&lists.cover);
    sink.key("tree_param");
    sink.open();
    sink.pair("num_deleted", "0");
    sink.pair("num_feature", &forest.columns.to_string());
    sink.pair("num_nodes", &count.to_string());
    sink.pair("size_leaf_vector", "1");
    sink.close();
    sink.close();
}

struct Json {
    out: Vec<u8>,
}

impl Json {
    fn value<T: serde::Serialize + ?Sized>(&mut self, value: &T) {
        self.comma();
        serde_json::to_writer(&mut self.out, value)
            .expect("numbers and texts can be written to memory");
    }

    /// Writes a comma unless this is the first of its container or follows a key.
    fn comma(&mut self) {
        if !matches!(self.out.last(), None | Some(b'{' | b'[' | b':')) {
            self.out.push(b',');
        }
    }
}

impl Sink for Json {
    fn open(&mut self) {
        self.comma();
        self.out.push(b'{');
    }

    fn close(&mut self) {
        self.out.push(b'}');
    }

    fn key(&mut self, key: &str) {
        self.value(key);
        self.out.push(b':');
    }

    fn text(&mut self, text: &str) {
        self.value(text);
    }

    fn list(&mut self, _: usize) {
        self.comma();
        self.out.push(b'[');
    }

    fn end_list(&mut self) {
        self.out.push(b']');
    }

    fn integer(&mut self, value: i32) {
        self.value(&value);
    }

    fn floats(&mut self, values: &[f32]) {
        self.value(values);
    }

    fn integers(&mut self, values: &[i32]) {
        self.value(values);
    }

    fn bytes(&mut self, values: &[u8]) {
        self.value(values);
    }

    fn no_long_integers(&mut self) {
        self.integers(&[]);
    }
}

struct Ubj {
    out: Vec<u8>,
}

impl Ubj {
    fn length(&mut self, length: usize) {
        self.out.push(b'L');
        self.out.extend((length as i64).to_be_bytes());
    }

    fn typed<const N: usize>(&mut self, kind: u8, values: impl ExactSizeIterator<Item = [u8; N]>) {
        self.out.extend([b'[', b'$', kind, b'#']);
        self.length(values.len());
        values.for_each(|value| self.out.extend(value));
    }
}

impl Sink for Ubj {
    fn open(&mut self) {
        self.out.push(b'{');
    }

    fn close(&mut self) {
        self.out.push(b'}');
    }

    fn key(&mut self, key: &str) {
        self.length(key.len());
        self.out.extend(key.as_bytes());
    }

    fn text(&mut self, text: &str) {
        self.out.push(b'S');
        self.key(text);
    }

    fn list(&mut self, length: usize) {
        self.out.extend(*b"[#");
        self.length(length);
    }

    fn end_list(&mut self) {}

    fn integer(&mut self, value: i32) {
        self.out.push(b'l');
        self.out.extend(value.to_be_bytes());
    }

    fn floats(&mut self, values: &[f32]) {
        self.typed(b'd', values.iter().map(|value| value.to_be_bytes()));
    }

    fn integers(&mut self, values: &[i32]) {
        self.typed(b'l', values.iter().map(|value| value.to_be_bytes()));
    }

    fn bytes(&mut self, values: &[u8]) {
        self.typed(b'U', values.iter().map(|value| [*value]));
    }

    fn no_long_integers(&mut self) {
        self.typed(b'L', std::iter::empty::<[u8; 8]>());
    }
}
