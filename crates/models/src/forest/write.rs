//! Writer of XGBoost's model document as JSON or UBJ. A checksum, which XGBoost ignores, precedes
//! XGBoost's own keys.

use super::{Forest, Link, Node};
use crate::checksum;

/// The version of XGBoost that these files follow; 3.1 is the first with a base score for each
/// class.
const VERSION: [i32; 3] = [3, 2, 0];

pub(super) fn json(forest: &Forest) -> Vec<u8> {
    let mut sink = Json { out: Vec::new() };
    document(forest, &mut sink);
    checksum::close(&mut sink.out, json_head().len());
    sink.out
}

/// The JSON text before the checksum.
pub(super) fn json_head() -> Vec<u8> {
    let mut sink = Json { out: Vec::new() };
    open_sealed(&mut sink);
    sink.out[..sink.out.len() - checksum::OPEN.len() - 1].to_vec()
}

pub(super) fn ubj(forest: &Forest) -> Vec<u8> {
    let mut sink = Ubj { out: Vec::new() };
    document(forest, &mut sink);
    checksum::close(&mut sink.out, ubj_head().len());
    sink.out
}

/// The UBJ bytes before the checksum.
pub(super) fn ubj_head() -> Vec<u8> {
    let mut sink = Ubj { out: Vec::new() };
    open_sealed(&mut sink);
    sink.out[..sink.out.len() - checksum::OPEN.len()].to_vec()
}

fn open_sealed(sink: &mut impl Sink) {
    sink.open();
    sink.pair(checksum::KEY, checksum::OPEN);
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
