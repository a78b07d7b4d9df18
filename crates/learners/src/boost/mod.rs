//! Gradient boosted trees: XGBoost's algorithm on the shared bins.
//!
//! Each round fits one tree to each class's derivatives of the log-loss: first `share − label`,
//! second `2 share (1 − share)`, both times the row's weight, so a label may be any distribution. A
//! node is split at the cut that lets the second-order loss fall most; a leaf adds `−eta G / (H +
//! lambda)`. See Chen & Guestrin, "XGBoost: A Scalable Tree Boosting System" (2016); what differs
//! from the program of that name is which cuts there are, and that histograms add whole numbers
//! (see `gradient.rs`), so that a run gives the same forest on any number of threads.

mod coded;
mod gradient;
mod grow;
mod histogram;
mod margins;
mod matrix;
mod options;
mod round;
mod state;

use models::forest::{Forest, Tree};

use crate::{Bins, Progress, Table, Training};
use coded::Coded;
use margins::Margins;
use matrix::Matrix;
pub use options::{BoostError, Options};

/// A run of boosting. A step is a round: one tree for each class.
#[derive(Debug)]
pub struct Boost<'a> {
    options: Options,
    cuts: Vec<Vec<f32>>,
    learnt: Rows<'a>,
    held_out: Option<Rows<'a>>,
    forest: Forest,
    round: u32,
    best: Best,
}

/// The number of rounds with the smallest loss so far, on the validation rows if there are any.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Best {
    rounds: u32,
    loss: f64,
}

/// A table with its codes and its margins under the forest.
#[derive(Debug)]
struct Rows<'a> {
    table: &'a Table,
    matrix: Matrix,
    margins: Margins,
}

impl<'a> Rows<'a> {
    fn new(table: &'a Table, bins: &Bins, base: &[f32]) -> Rows<'a> {
        let mut margins = Margins::new(base, table.rows());
        margins.update(table);
        Rows { table, matrix: Matrix::new(bins), margins }
    }
}

impl<'a> Boost<'a> {
    /// A run on the rows of a table, with `bins` of at most 256 intervals.
    ///
    /// Needs about `rows x (columns + 4 classes + 32 threads)` bytes in addition.
    pub fn new(
        options: Options,
        table: &'a Table,
        bins: &Bins,
        validation: Option<&'a Table>,
    ) -> Result<Boost<'a>, BoostError> {
        options::check(&options, table, bins, validation)?;
        let base = margins::base(table);
        let cuts: Vec<Vec<f32>> = (0..bins.columns()).map(|c| bins.cuts(c).to_vec()).collect();
        let held_out =
            validation.map(|table| Rows::new(table, &Bins::with_cuts(table, cuts.clone()), &base));
        let learnt = Rows::new(table, bins, &base);
        let forest =
            Forest::new(table.columns().len(), base)?.with_names(table.columns().to_vec())?;
        let best = Best { rounds: 0, loss: f64::INFINITY };
        Ok(Boost { options, cuts, learnt, held_out, forest, round: 0, best })
    }

    /// The forest after all rounds so far.
    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// The number of rounds of the best forest so far: by the validation rows if there are any,
    /// else all.
    pub fn best_rounds(&self) -> u32 {
        self.best.rounds
    }

    /// Updates the losses after a round. The training margins have the round's trees already.
    fn measure(&mut self, trees: &[Tree]) -> Progress {
        let loss = self.learnt.margins.update(self.learnt.table);
        let cuts = &self.cuts;
        let held_out = self.held_out.as_mut().map(|rows| {
            for (tree, margins) in trees.iter().zip(&mut rows.margins.of_class) {
                Coded::grown(tree, cuts).add(&rows.matrix, margins);
            }
            rows.margins.update(rows.table)
        });
        self.round += 1;
        let monitored = held_out.unwrap_or(loss);
        if held_out.is_none() || monitored < self.best.loss {
            self.best = Best { rounds: self.round, loss: monitored };
        }
        Progress { done: self.round.into(), most: self.options.rounds.into(), loss, held_out }
    }

    fn finished(&self) -> bool {
        let patience = self.options.patience.unwrap_or(u32::MAX);
        self.round >= self.options.rounds || self.round - self.best.rounds >= patience
    }
}

impl Training for Boost<'_> {
    type Model = Forest;

    fn step(&mut self) -> Option<Progress> {
        if self.finished() {
            return None;
        }
        let trees = round::grow(&self.options, &self.cuts, &mut self.learnt, self.round);
        for tree in &trees {
            self.forest.push(tree).expect("a tree grown here is whole, and its leaves are numbers");
        }
        Some(self.measure(&trees))
    }

    fn model(&self) -> Forest {
        let mut forest = self.forest.clone();
        forest.truncate(self.best.rounds as usize * forest.groups());
        forest
    }

    fn save(&self) -> Vec<u8> {
        state::save(self)
    }
}
