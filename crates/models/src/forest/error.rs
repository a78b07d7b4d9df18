//! Errors of reading and building forests.

use std::path::PathBuf;

/// Error for a forest that cannot be used. All but [`ForestError::Read`] concern its contents.
#[derive(Debug, thiserror::Error)]
pub enum ForestError {
    /// The file cannot be read.
    #[error("cannot read the forest {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The underlying error.
        source: std::io::Error,
    },
    /// The bytes are not a forest.
    #[error(
        "these bytes are not a forest: they begin neither as XGBoost's JSON or UBJ files nor as \
         cardroom's own; \
         save the model with `save_model(\"NAME.ubj\")`"
    )]
    NotOne,
    /// XGBoost's document is damaged or incomplete, or has a field that is not known.
    #[error(
        "the XGBoost model cannot be read: {0}; save it again with `save_model` of XGBoost 1.0 to \
         3.4"
    )]
    Document(String),
    /// A number that XGBoost writes as text cannot be parsed.
    #[error(
        "the XGBoost model's `{field}` is `{text}`, which is not the number that it must be; save \
         it again"
    )]
    Number {
        /// The field's name in the XGBoost document.
        field: &'static str,
        /// The field's content.
        text: String,
    },
    /// The model has another booster.
    #[error(
        "the XGBoost model's booster is `{0}`, and only `gbtree` and `dart` can be read: train \
         with `booster=\"gbtree\"`"
    )]
    Booster(String),
    /// The model has another objective.
    #[error(
        "the XGBoost model's objective is `{0}`, which gives no distribution over classes: \
         train with `objective=\"multi:softprob\"`"
    )]
    Objective(String),
    /// The model has several trees for each class and round.
    #[error(
        "the XGBoost model has num_parallel_tree {0}, a boosted random forest, which is not read: \
         train with `num_parallel_tree=1`"
    )]
    Parallel(String),
    /// The model has vectors in its leaves.
    #[error(
        "the XGBoost model's leaves hold vectors ({0}), which is not read: train with \
         `multi_strategy=\"one_output_per_tree\"` and one target"
    )]
    Vectors(&'static str),
    /// A tree has a categorical split.
    #[error(
        "tree {tree} of the XGBoost model tests a categorical feature, which is not read: train on \
         numbers, without `enable_categorical`"
    )]
    Categorical {
        /// The tree, from 0.
        tree: usize,
    },
    /// Number of trees and a field of the document disagree.
    #[error(
        "the XGBoost model has {trees} trees, and its {field} is for {declared}: it was edited or \
         cut; save it again"
    )]
    Count {
        /// Number of trees.
        trees: usize,
        /// The field's name in the XGBoost document.
        field: &'static str,
        /// Number of trees by this field.
        declared: usize,
    },
    /// A DART model does not have one weight for each tree.
    #[error(
        "the XGBoost model has {trees} trees and {weights} weights for them (`weight_drop`), and \
         each tree needs one: it was edited or cut; save it again"
    )]
    Weights {
        /// Number of trees.
        trees: usize,
        /// Number of weights, in all places that have some.
        weights: usize,
    },
    /// The trees do not add to the classes in turn.
    #[error(
        "the forest's trees must add to the classes in turn, one tree for each of {groups} and \
         round, and tree {tree} of {trees} does not: it was edited or cut; save it again"
    )]
    Turns {
        /// The first tree out of turn, or the number of trees where the last round is incomplete.
        tree: usize,
        /// Number of trees.
        trees: usize,
        /// Number of margins that trees add to.
        groups: usize,
    },
    /// A tree is not valid.
    #[error("tree {tree} of the forest is damaged: {what} at node {node}; save the model again")]
    Tree {
        /// The tree, from 0.
        tree: usize,
        /// The node, from 0.
        node: usize,
        /// The problem.
        what: &'static str,
    },
    /// The forest has no column or no class.
    #[error(
        "a forest of {columns} columns and {classes} classes can predict nothing; it needs at \
         least 1 column and 2 classes"
    )]
    Narrow {
        /// Number of columns.
        columns: usize,
        /// Number of classes.
        classes: usize,
    },
    /// A base margin is not finite.
    #[error(
        "the forest's base score of class {class} is {value}, which is not a number to start from; \
         train it again"
    )]
    Base {
        /// The class, from 0.
        class: usize,
        /// The margin.
        value: f32,
    },
    /// More columns than the packed nodes can hold.
    #[error("the forest has {columns} columns, and at most {most} can be kept: train on fewer")]
    Columns {
        /// Number of columns.
        columns: usize,
        /// Maximum number.
        most: usize,
    },
    /// The number of names is not that of the columns.
    #[error("the forest names {names} features and has {columns}; name each of them or none")]
    Names {
        /// Number of names.
        names: usize,
        /// Number of columns.
        columns: usize,
    },
    /// The forest was trained on other numbers of columns or classes.
    #[error(
        "the forest has {theirs} {what}, and here there are {ours}: train one on data exported by \
         this program"
    )]
    Other {
        /// `features` or `classes`.
        what: &'static str,
        /// The forest's number.
        theirs: usize,
        /// The number needed.
        ours: usize,
    },
    /// The forest was trained on a column with another name.
    #[error(
        "the forest's feature {column} is `{theirs}`, and here it is `{ours}`: train one on data \
         exported by this program"
    )]
    OtherName {
        /// The column, from 0.
        column: usize,
        /// The forest's name.
        theirs: String,
        /// The name needed.
        ours: String,
    },
    /// An XGBoost document that this program wrote was changed since.
    #[error(
        "the forest is not what was written: its checksum does not match; copy it again, or, if \
         it was changed on purpose, remove its `{}`",
        crate::checksum::KEY
    )]
    Changed,
    /// The compact form has another version.
    #[error(
        "the forest has format {found}, and this program reads {wanted}: write it again from its \
         XGBoost file"
    )]
    Version {
        /// The version found.
        found: u32,
        /// The version that this program reads.
        wanted: u32,
    },
    /// The compact form is damaged.
    #[error("the forest is damaged: {0}; write it again from its XGBoost file")]
    Damaged(&'static str),
}
