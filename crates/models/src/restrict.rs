//! Models cut down to some of their columns and classes.
//!
//! One model for all streets has the columns of every street, with zeros where a street has none,
//! and the moves of every street. On one street some columns are always zero and some moves do not
//! exist. A model that is [`restricted`](TrainedModel::restricted) to a street gives the moves that
//! are left the shares that the whole model gives them on such rows, in proportion: tests of a
//! column that is always zero have one outcome, inputs that are always zero only shift the biases
//! of a network's first layer, and a softmax keeps the ratios of the classes that remain.

use crate::Error;
use crate::forest::{self, Forest, Link};
use crate::network::{Network, Output, Scaling, Shape};
use crate::student::TrainedModel;
use crate::tree::{Builder, Node, SplitTest, Tree};

/// What remains of a model's columns and classes: their indices in the model, in the new order. The
/// columns that are left out are zero in every row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restriction {
    columns: Vec<usize>,
    /// For each old column its new index, if it remains.
    renumbered: Vec<Option<usize>>,
    classes: Vec<usize>,
}

impl Restriction {
    /// The columns and classes with these names, of all that a model has.
    ///
    /// # Errors
    /// When the model has no such column or class.
    pub fn named(
        [all_columns, all_classes]: [&[String]; 2],
        [columns, classes]: [&[String]; 2],
    ) -> Result<Restriction, Error> {
        let find = |all: &[String], names: &[String]| -> Result<Vec<usize>, Error> {
            let at = |name: &String| {
                let at = all.iter().position(|known| known == name);
                at.ok_or_else(|| Error::new(format!("the model of all streets has no `{name}`")))
            };
            names.iter().map(at).collect()
        };
        let columns = find(all_columns, columns)?;
        let mut renumbered = vec![None; all_columns.len()];
        for (new, &old) in columns.iter().enumerate() {
            renumbered[old] = Some(new);
        }
        Ok(Restriction { columns, renumbered, classes: find(all_classes, classes)? })
    }

    fn pick<T: Clone>(all: &[T], indices: &[usize]) -> Vec<T> {
        indices.iter().map(|&index| all[index].clone()).collect()
    }
}

impl TrainedModel {
    /// The model cut down to some of its columns and classes.
    ///
    /// # Errors
    /// When the restriction is for a model of another size, the model knows none of the classes, or
    /// it is a network or forest whose answers are not a softmax.
    pub fn restricted(&self, to: &Restriction) -> Result<TrainedModel, Error> {
        let columns = self.classifier().columns();
        if columns != to.renumbered.len() {
            let expected = to.renumbered.len();
            return Err(Error::new(format!("the model has {columns} columns and not {expected}")));
        }
        Ok(match self {
            TrainedModel::Tree(tree) => tree_restricted(tree, to)?.into(),
            TrainedModel::Forest(forest) => forest_restricted(forest, to)?.into(),
            TrainedModel::Network(network) => network_restricted(network, to)?.into(),
        })
    }
}

/// The weights of the remaining classes in a leaf; none where they have none.
fn weights(to: &Restriction, shares: impl Fn(usize) -> f64) -> Option<Vec<f64>> {
    let weights: Vec<f64> = to.classes.iter().map(|&class| shares(class)).collect();
    (weights.iter().sum::<f64>() > 0.0).then_some(weights)
}

/// A leaf without a share for any of the classes that remain has those of the rows around it: of
/// the smallest subtree with any.
fn tree_restricted(tree: &Tree, to: &Restriction) -> Result<Tree, Error> {
    let columns = Restriction::pick(tree.column_names(), &to.columns);
    let classes = Restriction::pick(tree.class_names(), &to.classes);
    let mut builder = Builder::new(&columns, &classes)?;
    // The nodes to come, the next one last, with the weights of classes around them.
    let mut next: Vec<(usize, Option<Vec<f64>>)> = vec![(0, None)];
    while let Some((number, around)) = next.pop() {
        let (test, below, left, right) = match tree.node(number) {
            Node::Leaf { shares, weight, rows } => {
                let known = weights(to, |class| f64::from(shares[class])).or(around);
                let known = known.ok_or_else(|| {
                    Error::new("the tree has no share for any of the classes that remain")
                })?;
                builder.leaf(&known, weight, rows)?;
                continue;
            }
            Node::Branch { test, below, left, right } => (test, below, left, right),
        };
        let summary = tree.summary(number);
        let around = weights(to, |class| summary.shares[class]).or(around);
        let factors: Vec<(usize, f32)> = match test {
            SplitTest::Column(column) => {
                to.renumbered[column].map(|column| (column, 1.0)).into_iter().collect()
            }
            SplitTest::Plane(plane) => {
                let factor = |&(column, factor): &(usize, f32)| {
                    to.renumbered[column].map(|column| (column, factor))
                };
                let mut factors: Vec<(usize, f32)> =
                    plane.factors.iter().filter_map(factor).collect();
                factors.sort_unstable_by_key(|&(column, _)| column);
                factors
            }
        };
        if factors.is_empty() {
            // Nothing but zeros is tested.
            next.push((if 0.0 < below { left } else { right }, around));
            continue;
        }
        match test {
            SplitTest::Column(_) => builder.branch(factors[0].0, below)?,
            SplitTest::Plane(_) => builder.plane(&factors, below)?,
        }
        next.push((right, around.clone()));
        next.push((left, around));
    }
    builder.finish()
}

fn forest_restricted(forest: &Forest, to: &Restriction) -> Result<Forest, Error> {
    if forest.link() != Link::Softmax {
        return Err(Error::new("a forest with one margin has no classes to leave out"));
    }
    let base = Restriction::pick(forest.base(), &to.classes);
    let mut made = Forest::new(to.columns.len(), base)?;
    if !forest.names().is_empty() {
        made = made.with_names(Restriction::pick(forest.names(), &to.columns))?;
    }
    for (key, text) in forest.attributes() {
        made = made.with_attribute(key, text);
    }
    for round in 0..forest.rounds() {
        for class in &to.classes {
            made.push(&pruned(&forest.tree(round * forest.groups() + class), to))?;
        }
    }
    Ok(made)
}

/// A tree of a forest without tests of zeros.
fn pruned(tree: &forest::Tree, to: &Restriction) -> forest::Tree {
    // The node that decides where rows come to this one.
    let decides = |mut number: usize| loop {
        match tree.nodes[number] {
            forest::Node::Split { column, below, left, right, .. }
                if to.renumbered[column].is_none() =>
            {
                number = if 0.0 < below { left } else { right };
            }
            _ => return number,
        }
    };
    let mut order = vec![decides(0)];
    let mut nodes = Vec::new();
    while let Some(&number) = order.get(nodes.len()) {
        let mut node = tree.nodes[number];
        if let forest::Node::Split { column, left, right, .. } = &mut node {
            let children = [decides(*left), decides(*right)];
            (*left, *right) = (order.len(), order.len() + 1);
            *column = to.renumbered[*column].expect("it decides");
            order.extend(children);
        }
        nodes.push(node);
    }
    forest::Tree { nodes }
}

fn network_restricted(network: &Network, to: &Restriction) -> Result<Network, Error> {
    let scaling = network.scaling();
    if network.output() != Output::Softmax || scaling.roots() > 0 {
        return Err(Error::new(
            "only a network with plain inputs that ends in a softmax has columns and classes to \
             leave out",
        ));
    }
    let (layers, all) = (network.layers(), network.parameters());
    let mut parameters = Vec::new();
    for (number, layer) in layers.iter().enumerate() {
        let (first, last) = (number == 0, number + 1 == layers.len());
        let every = |count: usize| (0..count).collect::<Vec<usize>>();
        let inputs = if first { to.columns.clone() } else { every(layer.inputs) };
        let outputs = if last { to.classes.clone() } else { every(layer.outputs) };
        let weights = &all[layer.weights()];
        let row = |input: usize| &weights[input * layer.outputs..][..layer.outputs];
        for input in inputs {
            parameters.extend(outputs.iter().map(|&output| row(input)[output]));
        }
        let biases = &all[layer.biases()];
        for &output in &outputs {
            let mut bias = f64::from(biases[output]);
            let zeros = (0..layer.inputs).filter(|&input| first && to.renumbered[input].is_none());
            for input in zeros {
                let zero = -f64::from(scaling.mean()[input]) / f64::from(scaling.scale()[input]);
                bias += zero * f64::from(row(input)[output]);
            }
            parameters.push(bias as f32);
        }
        parameters.extend(layer.slope().map(|slope| all[slope]));
    }
    let shape =
        Shape { inputs: to.columns.len(), outputs: to.classes.len(), ..network.shape().clone() };
    let [mean, scale] =
        [scaling.mean(), scaling.scale()].map(|all| Restriction::pick(all, &to.columns));
    Network::new(shape, parameters, Scaling::new(mean, scale)?, Output::Softmax)
}
