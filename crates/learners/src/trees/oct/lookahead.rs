//! Look-ahead: the best tree of up to three levels over some tests and some rows of a node, by
//! trying all combinations. It finds rules that no single test reveals.
//!
//! Rows are bits of a set for each test and each class, so that counting is a population count.
//! After Demirović et al., *MurTree*, 2022.

use rand::{Rng, RngExt};

use crate::trees::grow::Matrix;
use crate::trees::{Branch, Loss, Node};

/// The depth and width of the look-ahead.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lookahead {
    /// The number of levels, one to three.
    pub(super) levels: usize,
    /// The number of tests to combine.
    pub(super) tests: usize,
    /// The number of rows to count.
    pub(super) rows: usize,
    pub(super) loss: Loss,
}

// A test: rows with at most this code in this column.
type Test = (usize, u16);

struct Sets {
    tests: Vec<Test>,
    // The bit sets of the rows of each test and of each class.
    of_test: Vec<Vec<u64>>,
    of_class: Vec<Vec<u64>>,
    loss: Loss,
}

// A tree whose tests are indices.
#[derive(Debug, Clone)]
enum Shape {
    Leaf,
    Test(usize, Box<[Shape; 2]>),
}

impl Lookahead {
    /// The best tree for these rows, without counts; `None` if no two rows differ.
    pub(super) fn best_tree<const W: usize>(
        &self,
        matrix: &Matrix<W>,
        rows: &[u32],
        rng: &mut impl Rng,
    ) -> Option<Node> {
        let sets = self.sets(matrix, rows, rng)?;
        let words = sets.of_class[0].len();
        let all = vec![u64::MAX; words];
        let (_, shape) = sets.best(&all, self.levels);
        Some(sets.node(&shape))
    }

    fn sets<const W: usize>(
        &self,
        matrix: &Matrix<W>,
        rows: &[u32],
        rng: &mut impl Rng,
    ) -> Option<Sets> {
        let rows = drawn(matrix, rows, self.rows, rng);
        let words = rows.len().div_ceil(64);
        let set = |belongs: &dyn Fn(usize) -> bool| {
            let mut set = vec![0u64; words];
            for at in (0..rows.len()).filter(|&at| belongs(at)) {
                set[at / 64] |= 1 << (at % 64);
            }
            set
        };
        let of_class = (0..matrix.classes()).map(|class| set(&|at| rows[at].1 == class)).collect();
        let mut tests: Vec<Test> = Vec::new();
        for _ in 0..4 * self.tests {
            if tests.len() == self.tests {
                break;
            }
            let column = rng.random_range(0..matrix.columns());
            let code = |rng: &mut dyn Rng| {
                matrix.code(rows[(rng.next_u64() % rows.len() as u64) as usize].0, column)
            };
            let (a, b) = (code(rng), code(rng));
            let test = (column, a.min(b) + a.abs_diff(b) / 2);
            // Only tests with rows on both sides.
            if a != b && !tests.contains(&test) {
                tests.push(test);
            }
        }
        if tests.is_empty() {
            return None;
        }
        let of_test = tests
            .iter()
            .map(|&(column, cut)| set(&|at| matrix.code(rows[at].0, column) <= cut))
            .collect();
        let loss = self.loss;
        Some(Sets { tests, of_test, of_class, loss })
    }
}

// Rows with one class each: all rows, if they are few and all have one class and the same weight;
// otherwise sampled by weight, with classes sampled from the labels.
fn drawn<const W: usize>(
    matrix: &Matrix<W>,
    rows: &[u32],
    most: usize,
    rng: &mut impl Rng,
) -> Vec<(u32, usize)> {
    let weight = |row: u32| matrix.label(row).iter().sum::<f32>();
    let whole = |row: u32| matrix.label(row).iter().position(|&share| share == weight(rows[0]));
    if rows.len() <= most && rows.iter().all(|&row| whole(row).is_some()) {
        return rows.iter().filter_map(|&row| Some((row, whole(row)?))).collect();
    }
    // Systematic sampling: one row for each step of the cumulative weight.
    let total: f64 = rows.iter().map(|&row| f64::from(weight(row))).sum();
    let step = total / most as f64;
    let mut next = rng.random_range(0.0..1.0) * step;
    let mut sum = 0.0;
    let mut drawn = Vec::with_capacity(most);
    for &row in rows {
        sum += f64::from(weight(row));
        while next < sum && drawn.len() < most {
            let mut rest = rng.random_range(0.0..1.0) * weight(row);
            let class = (0..matrix.classes()).find(|&class| {
                rest -= matrix.label(row)[class];
                rest <= 0.0
            });
            drawn.push((row, class.unwrap_or(0)));
            next += step;
        }
    }
    drawn
}

impl Sets {
    // The best tree over some rows, and its loss.
    fn best(&self, rows: &[u64], levels: usize) -> (f32, Shape) {
        let all: Vec<u32> = self.of_class.iter().map(|class| both_count(class, rows)).collect();
        let own = loss(self.loss, &all);
        let mut best = (own, Shape::Leaf);
        if own <= 0.0 || levels == 0 {
            return best;
        }
        if levels <= 2 {
            let found = self.two_levels(rows, &all, levels == 2);
            return if found.0 < own { found } else { best };
        }
        for (test, set) in self.of_test.iter().enumerate() {
            let low: Vec<u64> = rows.iter().zip(set).map(|(a, b)| a & b).collect();
            let (low_loss, low_shape) = self.best(&low, levels - 1);
            if low_loss >= best.0 {
                continue;
            }
            let high: Vec<u64> = rows.iter().zip(set).map(|(a, b)| a & !b).collect();
            let (high_loss, high_shape) = self.best(&high, levels - 1);
            if low_loss + high_loss < best.0 {
                best = (low_loss + high_loss, Shape::Test(test, Box::new([low_shape, high_shape])));
            }
        }
        best
    }

    // The best tree of one or two levels, from the counts of all pairs of tests.
    fn two_levels(&self, rows: &[u64], all: &[u32], two: bool) -> (f32, Shape) {
        let (tests, classes) = (self.tests.len(), all.len());
        // The number of rows of each class that pass each test.
        let mut one = vec![0u32; tests * classes];
        let inside: Vec<Vec<u64>> = self
            .of_class
            .iter()
            .map(|class| class.iter().zip(rows).map(|(a, b)| a & b).collect())
            .collect();
        for test in 0..tests {
            for class in 0..classes {
                one[test * classes + class] = both_count(&inside[class], &self.of_test[test]);
            }
        }
        let of = |test: usize| &one[test * classes..][..classes];
        let rest = |counts: &[u32], whole: &[u32]| -> Vec<u32> {
            whole.iter().zip(counts).map(|(whole, count)| whole - count).collect()
        };
        // For each first test and each of its sides, the best second test: its loss and index.
        let leaf = |counts: &[u32]| (loss(self.loss, counts), None);
        let mut sides: Vec<[(f32, Option<usize>); 2]> =
            (0..tests).map(|test| [leaf(of(test)), leaf(&rest(of(test), all))]).collect();
        if two {
            let (mut pair, mut quarter) = (vec![0u32; classes], vec![0u32; classes]);
            let mut set = vec![0u64; rows.len()];
            for a in 0..tests {
                for b in a + 1..tests {
                    let both = self.of_test[a].iter().zip(&self.of_test[b]);
                    set.iter_mut().zip(both).for_each(|(set, (a, b))| *set = a & b);
                    for class in 0..classes {
                        pair[class] = both_count(&inside[class], &set);
                    }
                    // Rows that pass both, a alone, b alone, and neither.
                    let (a_all, b_all) = (of(a), of(b));
                    let both_loss = loss(self.loss, &pair);
                    let mut side = |counts: &dyn Fn(usize) -> u32| {
                        (0..classes).for_each(|class| quarter[class] = counts(class));
                        loss(self.loss, &quarter)
                    };
                    let a_loss = side(&|class| a_all[class] - pair[class]);
                    let b_loss = side(&|class| b_all[class] - pair[class]);
                    let neither =
                        side(&|class| all[class] + pair[class] - a_all[class] - b_all[class]);
                    for (first, second, low, high) in [
                        (a, b, both_loss + a_loss, b_loss + neither),
                        (b, a, both_loss + b_loss, a_loss + neither),
                    ] {
                        for (side, loss) in sides[first].iter_mut().zip([low, high]) {
                            if loss < side.0 {
                                *side = (loss, Some(second));
                            }
                        }
                    }
                }
            }
        }
        let total = |sides: &[(f32, Option<usize>); 2]| sides[0].0 + sides[1].0;
        let best = (0..tests)
            .min_by(|&a, &b| total(&sides[a]).total_cmp(&total(&sides[b])))
            .expect("there is a test");
        let shape = |second: Option<usize>| match second {
            None => Shape::Leaf,
            Some(second) => Shape::Test(second, Box::new([Shape::Leaf, Shape::Leaf])),
        };
        let [low, high] = sides[best].map(|(_, second)| shape(second));
        (total(&sides[best]), Shape::Test(best, Box::new([low, high])))
    }

    fn node(&self, shape: &Shape) -> Node {
        let mut node = Node::leaf(Vec::new(), 0);
        if let Shape::Test(test, sides) = shape {
            let (column, cut) = self.tests[*test];
            let [left, right] = [0, 1].map(|side| self.node(&sides[side]));
            node.branch = Some(Box::new(Branch { column, cut, left, right }));
        }
        node
    }
}

#[inline]
fn both_count(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum()
}

#[inline]
fn loss(loss: Loss, counts: &[u32]) -> f32 {
    let total = counts.iter().sum::<u32>() as f32;
    match loss {
        Loss::Misclassification => total - counts.iter().copied().max().unwrap_or(0) as f32,
        _ if total == 0.0 => 0.0,
        // Also for entropy: the tests found are only proposals.
        _ => total - counts.iter().map(|&count| (count as f32).powi(2)).sum::<f32>() / total,
    }
}
