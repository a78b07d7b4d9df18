//! Node-by-node construction of trees.

use std::collections::HashSet;

use super::{Counts, DEEPEST, LEAF, PLANE, Packed, Plane, Tree, TreeError, UNITS};

/// A builder that takes the nodes of a tree in preorder: after a branch all of its left side, then
/// all of its right side.
#[derive(Debug)]
pub struct Builder {
    tree: Tree,
    // The branches whose right sides are still to come, with their depths.
    open: Vec<(usize, usize)>,
    // The depth of the next node; none when the tree is complete.
    next: Option<usize>,
}

impl Builder {
    /// An empty builder. There must be at least one column and two classes, with distinct nonempty
    /// names.
    pub fn new(columns: &[String], classes: &[String]) -> Result<Builder, TreeError> {
        if columns.is_empty() || classes.len() < 2 {
            let (columns, classes) = (columns.len(), classes.len());
            return Err(TreeError::Names(format!("{columns} columns, {classes} classes")));
        }
        for names in [columns, classes] {
            let mut seen = HashSet::new();
            if let Some(name) = names.iter().find(|name| name.is_empty() || !seen.insert(*name)) {
                return Err(TreeError::Names(format!("`{name}` is empty or appears twice")));
            }
        }
        let tree = Tree {
            columns: columns.to_vec(),
            classes: classes.to_vec(),
            nodes: Vec::new(),
            planes: Vec::new(),
            leaves: Vec::new(),
            shares: Vec::new(),
            depth: 0,
        };
        Ok(Builder { tree, open: Vec::new(), next: Some(0) })
    }

    /// Adds a branch: rows with less than `below` in `column` go left.
    pub fn branch(&mut self, column: usize, below: f32) -> Result<(), TreeError> {
        self.column(column)?;
        self.push(column as u32, below)
    }

    /// Adds a branch on a weighted sum: rows with a sum less than `below` go left. Factors are in
    /// increasing order of columns, finite and not zero.
    pub fn plane(&mut self, factors: &[(usize, f32)], below: f32) -> Result<(), TreeError> {
        factors.iter().try_for_each(|&(column, _)| self.column(column))?;
        let rising = factors.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let usable = factors.iter().all(|(_, factor)| factor.is_finite() && *factor != 0.0);
        if factors.is_empty() || !rising || !usable {
            let what = "a weighted sum needs rising columns with factors that are not zero";
            return Err(self.error(what.to_string()));
        }
        self.push(PLANE | self.tree.planes.len() as u32, below)?;
        self.tree.planes.push(Plane { factors: factors.to_vec() });
        Ok(())
    }

    /// Adds a leaf: the weight of each class, in any unit, all finite, none negative and not all
    /// zero; and the weight and number of its rows. The shares are rounded to multiples of 1 /
    /// [`UNITS`]; the likeliest class stays the likeliest.
    pub fn leaf(&mut self, classes: &[f64], weight: f32, rows: u32) -> Result<(), TreeError> {
        let sum: f64 = classes.iter().sum();
        let none = |share: &f64| share.is_nan() || *share < 0.0;
        if classes.iter().any(none) || !(sum > 0.0 && sum.is_finite()) {
            return Err(self.error(format!("{classes:?} are not weights of classes")));
        }
        self.leaf_of_units(&units(classes, sum), weight, rows)
    }

    /// Adds a leaf whose shares are given in units, which sum to [`UNITS`].
    pub(super) fn leaf_of_units(
        &mut self,
        units: &[u32],
        weight: f32,
        rows: u32,
    ) -> Result<(), TreeError> {
        if units.len() != self.tree.classes.len() {
            return Err(self.error(format!("{} shares for the classes", units.len())));
        }
        let sum: u64 = units.iter().map(|&unit| u64::from(unit)).sum();
        if sum != u64::from(UNITS) {
            return Err(self.error(format!("its shares sum to {sum} of {UNITS}")));
        }
        if !(weight >= 0.0 && weight.is_finite()) {
            return Err(self.error(format!("a leaf cannot weigh {weight}")));
        }
        let depth = self.next.ok_or_else(|| self.error("the tree is whole before it".into()))?;
        let number = self.tree.leaves.len() as u32;
        self.tree.nodes.push(Packed { column: LEAF, below: 0.0, next: number });
        self.tree.leaves.push(Counts { weight, rows });
        self.tree.shares.extend(units.iter().map(|&unit| unit as f32 / UNITS as f32));
        self.tree.depth = self.tree.depth.max(depth);
        self.next = self.open.pop().map(|(branch, depth)| {
            self.tree.nodes[branch].next = self.tree.nodes.len() as u32;
            depth + 1
        });
        Ok(())
    }

    /// The finished tree. An error if nodes are missing.
    pub fn finish(self) -> Result<Tree, TreeError> {
        match self.next {
            None => Ok(self.tree),
            Some(_) => {
                let what = "it is missing: each branch needs two sides".to_string();
                Err(self.error(what))
            }
        }
    }

    /// Whether the tree is complete, so that no node can follow.
    pub(super) fn whole(&self) -> bool {
        self.next.is_none()
    }

    fn push(&mut self, column: u32, below: f32) -> Result<(), TreeError> {
        if !below.is_finite() {
            return Err(self.error(format!("{below} is not a number to compare with")));
        }
        let depth = self.next.ok_or_else(|| self.error("the tree is whole before it".into()))?;
        if depth == DEEPEST {
            return Err(self.error(format!("a branch deeper than {DEEPEST}")));
        }
        if self.tree.nodes.len() >= (PLANE - 1) as usize {
            return Err(self.error("too many nodes".into()));
        }
        self.open.push((self.tree.nodes.len(), depth));
        self.tree.nodes.push(Packed { column, below, next: 0 });
        self.next = Some(depth + 1);
        Ok(())
    }

    fn column(&self, column: usize) -> Result<(), TreeError> {
        if column < self.tree.columns.len() {
            return Ok(());
        }
        Err(self.error(format!("there is no column {column} of {}", self.tree.columns.len())))
    }

    fn error(&self, what: String) -> TreeError {
        TreeError::Node { node: self.tree.nodes.len(), what }
    }
}

// Shares in units: rounded down, with the rest given to the largest remainders, so that the
// likeliest class (the first of several) stays the likeliest.
fn units(classes: &[f64], sum: f64) -> Vec<u32> {
    let exact: Vec<f64> = classes.iter().map(|share| share / sum * f64::from(UNITS)).collect();
    let mut units: Vec<u32> = exact.iter().map(|share| share.floor() as u32).collect();
    let mut order: Vec<usize> = (0..exact.len()).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()).then(a.cmp(&b)));
    let missing = UNITS.saturating_sub(units.iter().sum());
    order.iter().cycle().take(missing as usize).for_each(|&class| units[class] += 1);
    let first = |at: usize, best: usize| at > best;
    let likeliest = (1..classes.len())
        .fold(0, |best, class| if classes[class] > classes[best] { class } else { best });
    while let Some(other) = (0..units.len()).find(|&class| {
        units[class] > units[likeliest]
            || (units[class] == units[likeliest] && first(likeliest, class))
    }) {
        units[other] -= 1;
        units[likeliest] += 1;
    }
    units
}
