//! What can be wrong with a forest.

use std::path::PathBuf;

/// Why a forest cannot be used. All but [`ForestError::Read`] are about its contents.
#[derive(Debug, thiserror::Error)]
pub enum ForestError {
    /// The file cannot be read.
    #[error("cannot read the forest {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The bytes are something else.
    #[error(
        "these bytes are no forest: they begin neither as XGBoost's JSON or UBJ files nor as cardroom's own; \
         save the model with `save_model(\"NAME.ubj\")`"
    )]
    NotOne,
    /// XGBoost's document is damaged, or lacks something.
    #[error("the XGBoost model cannot be read: {0}; save it again with `save_model`")]
    Document(String),
    /// A number that XGBoost writes as text is none.
    #[error(
        "the XGBoost model's `{field}` is `{text}`, which is not the number that it must be; save it again"
    )]
    Number {
        /// The field.
        field: &'static str,
        /// What stands there.
        text: String,
    },
    /// Trained by another booster.
    #[error(
        "the XGBoost model's booster is `{0}`, and only `gbtree` can be read: train with `booster=\"gbtree\"`"
    )]
    Booster(String),
    /// Trained for another objective.
    #[error(
        "the XGBoost model's objective is `{0}`, which gives no distribution over classes: \
         train with `objective=\"multi:softprob\"`"
    )]
    Objective(String),
    /// More than one tree for a class and round.
    #[error(
        "the XGBoost model has num_parallel_tree {0}, a boosted random forest, which is not read: \
         train with `num_parallel_tree=1`"
    )]
    Parallel(String),
    /// Trees with a vector in each leaf.
    #[error(
        "the XGBoost model's leaves hold vectors ({0}), which is not read: train with \
         `multi_strategy=\"one_output_per_tree\"` and one target"
    )]
    Vectors(&'static str),
    /// A test for membership of a set.
    #[error(
        "tree {tree} of the XGBoost model tests a categorical feature, which is not read: train on numbers, \
         without `enable_categorical`"
    )]
    Categorical {
        /// The tree, from 0.
        tree: usize,
    },
    /// Trees are missing, or what they are for.
    #[error(
        "the XGBoost model has {trees} trees, and its tree_info is for {told}: it was edited or cut; save it again"
    )]
    Count {
        /// The trees.
        trees: usize,
        /// How many trees are told of.
        told: usize,
    },
    /// Trees and classes do not go round.
    #[error(
        "the forest's trees must add to the classes in turn, one tree for each of {groups} and round, and tree {tree} \
         of {trees} does not: it was edited or cut; save it again"
    )]
    Turns {
        /// The first tree out of turn, or the number of trees where the last round is not whole.
        tree: usize,
        /// The trees.
        trees: usize,
        /// The margins that trees add to.
        groups: usize,
    },
    /// A tree is no tree.
    #[error("tree {tree} of the forest is damaged: {what} at node {node}; save the model again")]
    Tree {
        /// The tree, from 0.
        tree: usize,
        /// The node, from 0.
        node: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// No column, or no class.
    #[error(
        "a forest of {columns} columns and {classes} classes has nothing to tell; it needs 1 column and 2 classes at least"
    )]
    Narrow {
        /// Columns.
        columns: usize,
        /// Classes.
        classes: usize,
    },
    /// A margin to start from is no number.
    #[error(
        "the forest's base score of class {class} is {value}, which is not a number to start from; train it again"
    )]
    Base {
        /// The class, from 0.
        class: usize,
        /// What stands there.
        value: f32,
    },
    /// Too many columns for the way the nodes are kept.
    #[error("the forest has {columns} columns, and at most {most} can be kept: train on fewer")]
    Columns {
        /// Columns.
        columns: usize,
        /// The most.
        most: usize,
    },
    /// As many names as there are columns, or none.
    #[error("the forest names {names} features and has {columns}; name each of them or none")]
    Names {
        /// Names.
        names: usize,
        /// Columns.
        columns: usize,
    },
    /// It was trained on other columns or classes than those it is to be used for.
    #[error(
        "the forest has {theirs} {what}, and here there are {ours}: train one on data exported by this program"
    )]
    Other {
        /// `features` or `classes`.
        what: &'static str,
        /// How many the forest has.
        theirs: usize,
        /// How many are wanted.
        ours: usize,
    },
    /// A column has another name than the one it is to be used for.
    #[error(
        "the forest's feature {column} is `{theirs}`, and here it is `{ours}`: train one on data exported by this program"
    )]
    OtherName {
        /// The column, from 0.
        column: usize,
        /// The forest's name.
        theirs: String,
        /// The wanted name.
        ours: String,
    },
    /// XGBoost's document as it was written here, with something changed since.
    #[error(
        "the forest is not what was written: its checksum does not fit; copy it again, or, where it was changed on \
         purpose, take out its `{}`",
        crate::checksum::KEY
    )]
    Changed,
    /// Another version of the compact form.
    #[error(
        "the forest has format {found}, and this program reads {wanted}: write it again from its XGBoost file"
    )]
    Version {
        /// The version found.
        found: u32,
        /// The version that can be read.
        wanted: u32,
    },
    /// The compact form is not what was written.
    #[error("the forest is damaged: {0}; write it again from its XGBoost file")]
    Damaged(&'static str),
}
