//! One round of boosting: a tree for each class, from the predictions of the forest before it.

use models::forest::Tree;

use super::coded::Coded;
use super::gradient::Gradients;
use super::grow::{GrowInputs, GrownTree};
use super::margins::share;
use super::matrix::{Matrix, Sample};
use super::{Options, Rows};

struct Round<'a> {
    options: &'a Options,
    cuts: &'a [Vec<f32>],
    table: &'a crate::Table,
    matrix: &'a Matrix,
    scales: &'a [[f32; 2]],
    number: u32,
}

/// Grows a tree for each class and adds it to the training margins. `number` is the number of
/// rounds before.
pub(super) fn grow(
    options: &Options,
    cuts: &[Vec<f32>],
    rows: &mut Rows<'_>,
    number: u32,
) -> Vec<Tree> {
    let Rows { table, matrix, margins } = rows;
    let (of_class, scales) = margins.split();
    let round = Round { options, cuts, table, matrix, scales, number };
    parallel::map(of_class.iter_mut().enumerate(), |(class, margins)| round.tree(class, margins))
}

impl Round<'_> {
    /// Grows the tree of a class and adds it to the class's margins.
    fn tree(&self, class: usize, margins: &mut [f32]) -> Tree {
        let classes = self.table.classes().len();
        let number = u64::from(self.number) * classes as u64 + class as u64;
        let sample = Sample::draw(self.matrix, self.options, number);
        let row = |row: usize| {
            let predicted = share(margins[row], self.scales[row]);
            (predicted, self.table.labels()[row * classes + class], self.table.weights()[row])
        };
        let gradients = match &sample.rows {
            Some((rows, _)) => Gradients::new(rows.iter().map(|&at| row(at as usize)), number),
            None => Gradients::new((0..self.table.rows()).map(row), number),
        };
        let cuts = |&column: &u32| self.cuts[column as usize].len();
        let inputs = GrowInputs {
            matrix: sample.matrix.as_ref().unwrap_or(self.matrix),
            cuts: &sample.columns.iter().map(cuts).collect::<Vec<usize>>(),
            gradients: &gradients,
            options: self.options,
        };
        let grown = inputs.grow();
        let tree = grown.tree(&sample.columns, self.cuts);
        self.add(&grown, &tree, &sample, margins);
        tree
    }

    /// Adds a tree's values to the margins of all rows, also those not in its sample.
    fn add(&self, grown: &GrownTree, tree: &Tree, sample: &Sample, margins: &mut [f32]) {
        let leaves = grown.rows.iter().zip(&grown.values);
        let Some((rows, others)) = &sample.rows else {
            leaves.for_each(|(&row, value)| margins[row as usize] += value);
            return;
        };
        leaves.for_each(|(&at, value)| margins[rows[at as usize] as usize] += value);
        let coded = Coded::grown(tree, self.cuts);
        for &row in others {
            margins[row as usize] += coded.value(self.matrix.row(row as usize));
        }
    }
}
