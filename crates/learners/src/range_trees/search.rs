//! The search for the best trees, and its proof.

use solvers::shove_fold::Range;

use super::listing::Listing;
use super::sets::{Hands, Sets, Split, Table, hands, range, shares};
use super::{Loss, Question, RangeTree};

/// The limits of the trees and of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most questions of a tree.
    pub questions: usize,
    /// The most questions asked of a hand.
    pub depth: usize,
    /// The number of subgradient steps for each number of questions and each first question.
    pub steps: usize,
    /// The most ranges examined for a proof, for each first question.
    pub candidates: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { questions: 4, depth: 3, steps: 80, candidates: 200_000 }
    }
}

/// The best tree with up to a number of questions.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// The best tree found.
    pub tree: RangeTree,
    /// The loss to the best answer, in big blinds a hand.
    pub loss: f64,
    /// A lower bound of the loss of every tree of this size; the loss itself where it is proven.
    pub bound: f64,
}

impl Optimum {
    /// Whether no tree of this size loses less.
    pub fn proven(&self) -> bool {
        self.bound >= self.loss
    }
}

/// The best trees of 0, 1, … questions. `visit` is called with each when it is found, and ends the
/// search by returning `false`.
pub fn optima(
    loss: &Loss,
    limits: &Limits,
    mut visit: impl FnMut(&Optimum) -> bool,
) -> Vec<Optimum> {
    let questions = Question::all();
    let mut search = Search {
        loss,
        limits,
        depth: 0,
        sets: Sets::new(0, &questions),
        first: Vec::new(),
        questions,
        best: None,
        answer: loss.equilibrium,
    };
    let mut found = Vec::new();
    for questions in 0..=limits.questions {
        search.deepen(limits.depth.min(questions));
        let optimum = search.of(questions);
        let goes_on = visit(&optimum);
        found.push(optimum);
        if !goes_on {
            break;
        }
    }
    found
}

struct Search<'a> {
    loss: &'a Loss,
    limits: &'a Limits,
    /// The most questions asked of a hand.
    depth: usize,
    questions: Vec<Question>,
    /// The sets of all trees, and those of the trees with each first question, made when needed.
    sets: Sets,
    first: Vec<Option<Sets>>,
    best: Option<(f64, RangeTree)>,
    /// A good answer to trees with fewer questions.
    answer: Range,
}

/// A lower bound of the loss of trees with the same first question, and the answer behind it.
struct Bound {
    answer: Range,
    constant: f64,
    table: Table,
    bound: f64,
}

/// The least loss of trees with this first question to the answer of a bound.
fn least_of(bound: &Bound, split: &Split, depth: usize, questions: usize) -> f64 {
    let sums = shares(split, depth, questions).map(|([yes, no], [first, second])| {
        bound.table.least(yes, depth - 1, first) + bound.table.least(no, depth - 1, second)
    });
    bound.constant + sums.fold(f64::INFINITY, f64::min)
}

impl Search<'_> {
    /// Makes the sets for trees of this depth.
    fn deepen(&mut self, depth: usize) {
        if depth > self.depth || self.first.is_empty() {
            self.depth = depth;
            self.sets = Sets::new(depth, &self.questions);
            self.first = self.questions.iter().map(|_| None).collect();
        }
    }

    /// The best tree with up to this number of questions.
    fn of(&mut self, questions: usize) -> Optimum {
        self.consider(&RangeTree::Leaf(false));
        self.consider(&RangeTree::Leaf(true));
        let all = self.raise(None, questions, self.answer);
        self.answer = all.answer;
        let mut proven = f64::INFINITY;
        let splits = if questions > 0 { self.sets.splits[0].clone() } else { Vec::new() };
        for split in splits {
            if least_of(&all, &split, self.depth, questions) >= self.least() - ROUNDING {
                continue;
            }
            let first = self.questions.iter().position(|&question| question == split.question);
            let first = first.expect("it is one of them");
            self.first[first].get_or_insert_with(|| Sets::new(self.depth, &[split.question]));
            let bound = self.raise(Some(first), questions, all.answer);
            if bound.bound < self.least() - ROUNDING && !self.examine(&bound, first, questions) {
                proven = proven.min(bound.bound);
            }
        }
        let (loss, found) = self.best.clone().expect("a tree was considered");
        // Many trees give the same range; which of them was found first is arbitrary.
        let tree = self.sets.simplest(hands(|hand| found.plays(hand)), questions).unwrap_or(found);
        Optimum { tree, loss, bound: proven.min(loss) }
    }

    /// The loss of the best tree so far.
    fn least(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |best| best.0)
    }

    fn sets(&self, first: Option<usize>) -> &Sets {
        first.and_then(|first| self.first[first].as_ref()).unwrap_or(&self.sets)
    }

    /// Keeps a tree if its loss is smaller than all before.
    fn consider(&mut self, tree: &RangeTree) {
        self.keep(self.loss.of(&tree.range()), tree);
    }

    fn keep(&mut self, loss: f64, tree: &RangeTree) {
        if loss < self.least() - TIE {
            self.best = Some((loss, tree.clone()));
        }
    }

    /// A mixed answer to which all trees with a first question lose much, by projected subgradient
    /// steps of Polyak's length. The best tree against each answer is considered.
    fn raise(&mut self, first: Option<usize>, questions: usize, start: Range) -> Bound {
        let depth = self.depth;
        let mut answer = start;
        let mut highest: Option<Bound> = None;
        let mut pace = 1.0;
        for _ in 0..self.limits.steps.max(1) {
            let (constant, gains) = self.loss.to(&answer);
            let sets = self.sets(first);
            let table = Table::new(sets, &gains, questions);
            let mut bound = Bound { answer, constant, table, bound: 0.0 };
            let tree = match first {
                None => {
                    bound.bound = constant + bound.table.least(0, depth, questions);
                    sets.tree(&bound.table, 0, depth, questions)
                }
                Some(_) => {
                    let split = &sets.splits[0][0];
                    bound.bound = least_of(&bound, split, depth, questions);
                    sets.divided(&bound.table, split, depth, questions)
                }
            };
            self.consider(&tree);
            let least = self.least();
            let target = least.max(bound.bound + 1e-5);
            let reached = bound.bound;
            match &highest {
                Some(before) if reached <= before.bound => pace *= 0.95,
                _ => highest = Some(bound),
            }
            if reached >= least - ROUNDING {
                break;
            }
            let slope = self.loss.answers(&tree.range());
            let square: f64 = slope
                .iter()
                .zip(&answer)
                // Components that point out of the range of answers do not count.
                .filter(|&(&slope, &answer)| {
                    !(slope > 0.0 && answer >= 1.0 || slope < 0.0 && answer <= 0.0)
                })
                .map(|(slope, _)| slope * slope)
                .sum();
            if square <= 0.0 {
                break;
            }
            let length = pace * (target - reached) / square;
            for (answer, slope) in answer.iter_mut().zip(slope) {
                *answer = (*answer + length * slope).clamp(0.0, 1.0);
            }
        }
        highest.expect("there was a step")
    }

    /// Examines all ranges of trees with a first question that may lose less than the best known;
    /// `false` if they are too many.
    fn examine(&mut self, bound: &Bound, first: usize, questions: usize) -> bool {
        let limit = self.least() - bound.constant - ROUNDING;
        let sets = self.sets(Some(first));
        let mut listing = Listing { sets, table: &bound.table, left: self.limits.candidates };
        let split = &sets.splits[0][0];
        let found = listing.divided(split, self.depth, questions, limit);
        let Some(found) = found else { return false };
        let mut found: Vec<(Hands, (f64, RangeTree))> = found.into_iter().collect();
        found.sort_by(|a, b| a.1.0.total_cmp(&b.1.0));
        let losses = parallel::map(&found, |(hands, _)| self.loss.of(&range(*hands)));
        for ((_, (_, tree)), loss) in found.iter().zip(losses) {
            self.keep(loss, tree);
        }
        true
    }
}

/// Differences of losses that are ignored, in big blinds: in deciding what to search, and between
/// two trees, where they are rounding.
const ROUNDING: f64 = 1e-9;
const TIE: f64 = 1e-12;
