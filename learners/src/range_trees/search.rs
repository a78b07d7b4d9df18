//! The search for the best tree, and its proof.

use std::collections::BTreeMap;

use cards::StartingHand;
use rayon::prelude::*;
use solvers::shove_fold::Range;

use super::{Loss, Question, RangeTree};

/// A set of starting hands, by their numbers.
type Hands = [u64; 3];

/// How large trees may be, and how much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most questions of a tree.
    pub questions: usize,
    /// The most questions that are asked of a hand.
    pub depth: usize,
    /// Subgradient steps for each number of questions and each first question.
    pub steps: usize,
    /// The most ranges that are looked at for a proof, for each first question.
    pub candidates: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { questions: 4, depth: 3, steps: 150, candidates: 200_000 }
    }
}

/// The best tree of so many questions at most.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// The best tree that was found.
    pub tree: RangeTree,
    /// What it loses to the best answer, in big blinds a hand.
    pub loss: f64,
    /// What every tree of this size loses at least; the loss itself where it is proven.
    pub bound: f64,
}

impl Optimum {
    /// Whether no tree of this size loses less.
    pub fn proven(&self) -> bool {
        self.bound >= self.loss
    }
}

/// The best trees of 0, 1, … questions. `visit` is told of each when it is found, and ends the
/// search by saying `false`.
pub fn optima(
    loss: &Loss,
    limits: &Limits,
    mut visit: impl FnMut(&Optimum) -> bool,
) -> Vec<Optimum> {
    let questions = Question::all();
    let mut search = Search {
        loss,
        limits,
        sets: Sets::new(limits.depth, &questions),
        first: questions.iter().map(|_| None).collect(),
        questions,
        best: None,
        answer: loss.equilibrium,
    };
    let mut found = Vec::new();
    for questions in 0..=limits.questions {
        let optimum = search.of(questions);
        let goes_on = visit(&optimum);
        found.push(optimum);
        if !goes_on {
            break;
        }
    }
    found
}

/// All sets of hands that questions cut out, each with the sets that a further question makes.
struct Sets {
    hands: Vec<Hands>,
    /// How many questions may still be asked of each.
    depth: Vec<usize>,
    /// For each set that a question may be asked of: the question, those that say yes and the
    /// rest. Nothing where all say the same, and each division once.
    splits: Vec<Vec<Split>>,
}

#[derive(Clone, Copy)]
struct Split {
    question: Question,
    parts: [usize; 2],
}

impl Sets {
    /// Of trees of a depth whose first question is one of these.
    fn new(depth: usize, first: &[Question]) -> Sets {
        let questions: Vec<(Question, Hands)> = Question::all()
            .into_iter()
            .map(|question| (question, hands(|hand| question.holds(hand))))
            .collect();
        let mut sets = Sets { hands: vec![hands(|_| true)], depth: vec![depth], splits: vec![] };
        let mut known: BTreeMap<Hands, usize> = BTreeMap::from([(sets.hands[0], 0)]);
        let mut at = 0;
        while at < sets.hands.len() {
            let (set, left) = (sets.hands[at], sets.depth[at]);
            let mut splits: Vec<Split> = Vec::new();
            let asked = |&&(question, _): &&(Question, Hands)| {
                left > 0 && (at > 0 || first.contains(&question))
            };
            for &(question, holds) in questions.iter().filter(asked) {
                let yes: Hands = std::array::from_fn(|word| set[word] & holds[word]);
                let no: Hands = std::array::from_fn(|word| set[word] & !holds[word]);
                if yes == [0; 3] || no == [0; 3] {
                    continue;
                }
                let parts = [yes, no].map(|part| {
                    *known.entry(part).or_insert_with(|| {
                        sets.hands.push(part);
                        sets.depth.push(left - 1);
                        sets.hands.len() - 1
                    })
                });
                if !splits.iter().any(|split| split.parts == parts) {
                    splits.push(Split { question, parts });
                }
            }
            sets.splits.push(splits);
            at += 1;
        }
        sets
    }

    /// The tree that loses least by a table.
    fn tree(&self, table: &Table, set: usize, depth: usize, questions: usize) -> RangeTree {
        let least = table.least(set, depth, questions);
        let leaf = table.least(set, 0, 0);
        if depth == 0 || questions == 0 || leaf <= least {
            return RangeTree::Leaf(leaf < 0.0);
        }
        let value = |split: &&Split| {
            let sums = shares(split, depth, questions).map(|([yes, no], [first, second])| {
                table.least(yes, depth - 1, first) + table.least(no, depth - 1, second)
            });
            sums.fold(f64::INFINITY, f64::min)
        };
        let best = self.splits[set].iter().min_by(|a, b| value(a).total_cmp(&value(b)));
        match best {
            Some(split) => self.divided(table, split, depth, questions),
            None => RangeTree::Leaf(leaf < 0.0),
        }
    }

    fn divided(&self, table: &Table, split: &Split, depth: usize, questions: usize) -> RangeTree {
        let value = |&([yes, no], [first, second]): &([usize; 2], [usize; 2])| {
            table.least(yes, depth - 1, first) + table.least(no, depth - 1, second)
        };
        let best = shares(split, depth, questions).min_by(|a, b| value(a).total_cmp(&value(b)));
        let ([yes, no], [first, second]) = best.expect("questions can be shared out");
        let answers = [(yes, first), (no, second)]
            .map(|(set, questions)| self.tree(table, set, depth - 1, questions));
        RangeTree::Ask(split.question, Box::new(answers))
    }
}

fn hands(holds: impl Fn(StartingHand) -> bool) -> Hands {
    let mut hands = [0; 3];
    for hand in StartingHand::all().filter(|&hand| holds(hand)) {
        hands[hand.index() / 64] |= 1 << (hand.index() % 64);
    }
    hands
}

fn range(hands: Hands) -> Range {
    std::array::from_fn(|hand| (hands[hand / 64] >> (hand % 64) & 1) as f64)
}

/// What trees lose to one answer, at least.
struct Table {
    /// For each depth, set and number of questions, in this order; sets of which so much may be
    /// asked are the first ones.
    least: Vec<Vec<f64>>,
    /// The most questions.
    most: usize,
    /// What each hand loses more if it is played.
    gains: Range,
}

impl Table {
    /// O(sets × questions × pairs of numbers of questions).
    fn new(sets: &Sets, gains: &Range, most: usize) -> Table {
        let played = sets.hands.par_iter().map(|&hands| sum(hands, gains).min(0.0)).collect();
        let mut least: Vec<Vec<f64>> = vec![played];
        for depth in 1..=sets.depth[0] {
            let count = sets.depth.partition_point(|&left| left >= depth);
            let mut table = vec![0.0; count * (most + 1)];
            table.par_chunks_mut(most + 1).enumerate().for_each(|(set, row)| {
                row[0] = least[0][set];
                for questions in 1..=most {
                    row[questions] = row[questions - 1];
                    for split in &sets.splits[set] {
                        for (parts, at_most) in shares(split, depth, questions) {
                            let [yes, no] = [0, 1].map(|part| {
                                at(&least, parts[part], depth - 1, at_most[part], most)
                            });
                            row[questions] = row[questions].min(yes + no);
                        }
                    }
                }
            });
            least.push(table);
        }
        Table { least, most, gains: *gains }
    }

    fn least(&self, set: usize, depth: usize, questions: usize) -> f64 {
        at(&self.least, set, depth, questions, self.most)
    }
}

fn at(least: &[Vec<f64>], set: usize, depth: usize, questions: usize, most: usize) -> f64 {
    match depth {
        0 => least[0][set],
        _ => least[depth][set * (most + 1) + questions.min(most)],
    }
}

/// The ways to share out the questions behind a first one, as many as the depth leaves room for.
fn shares(
    split: &Split,
    depth: usize,
    questions: usize,
) -> impl Iterator<Item = ([usize; 2], [usize; 2])> + use<> {
    let parts = split.parts;
    let room = (1 << (depth - 1)) - 1;
    let left = questions - 1;
    let first = left.saturating_sub(room)..=left.min(room);
    // With more questions than there is room for, each part has all that it has room for.
    let first = if left > 2 * room { room..=room } else { first };
    first.map(move |first| (parts, [first, (left - first.min(left)).min(room)]))
}

fn sum(hands: Hands, gains: &Range) -> f64 {
    let mut sum = 0.0;
    for (word, mut bits) in hands.into_iter().enumerate() {
        while bits != 0 {
            sum += gains[64 * word + bits.trailing_zeros() as usize];
            bits &= bits - 1;
        }
    }
    sum
}

struct Search<'a> {
    loss: &'a Loss,
    limits: &'a Limits,
    questions: Vec<Question>,
    /// Of all trees, and of those that begin with each of the questions, made when needed.
    sets: Sets,
    first: Vec<Option<Sets>>,
    best: Option<(f64, RangeTree)>,
    /// A good answer to trees of the size before.
    answer: Range,
}

/// A lower bound of what trees with the same first question lose, and what it comes of.
struct Bound {
    answer: Range,
    constant: f64,
    table: Table,
    bound: f64,
}

/// What trees with this first question lose at least to the answer of a bound.
fn least_of(bound: &Bound, split: &Split, depth: usize, questions: usize) -> f64 {
    let sums = shares(split, depth, questions).map(|([yes, no], [first, second])| {
        bound.table.least(yes, depth - 1, first) + bound.table.least(no, depth - 1, second)
    });
    bound.constant + sums.fold(f64::INFINITY, f64::min)
}

impl Search<'_> {
    /// The best tree of so many questions at most.
    fn of(&mut self, questions: usize) -> Optimum {
        self.consider(&RangeTree::Leaf(false));
        self.consider(&RangeTree::Leaf(true));
        let all = self.raise(None, questions, self.answer);
        self.answer = all.answer;
        let mut proven = f64::INFINITY;
        let splits = if questions > 0 { self.sets.splits[0].clone() } else { Vec::new() };
        for split in splits {
            if least_of(&all, &split, self.limits.depth, questions) >= self.least() - ROUNDING {
                continue;
            }
            let first = self.questions.iter().position(|&question| question == split.question);
            let first = first.expect("it is one of them");
            self.first[first]
                .get_or_insert_with(|| Sets::new(self.limits.depth, &[split.question]));
            let bound = self.raise(Some(first), questions, all.answer);
            if bound.bound < self.least() - ROUNDING && !self.look(&bound, first, questions) {
                proven = proven.min(bound.bound);
            }
        }
        let (loss, tree) = self.best.clone().expect("a tree was considered");
        Optimum { tree, loss, bound: proven.min(loss) }
    }

    /// The loss of the best tree so far.
    fn least(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |best| best.0)
    }

    fn sets(&self, first: Option<usize>) -> &Sets {
        first.and_then(|first| self.first[first].as_ref()).unwrap_or(&self.sets)
    }

    /// Keeps a tree that loses less than all before.
    fn consider(&mut self, tree: &RangeTree) {
        let loss = self.loss.of(&tree.range());
        if self.best.as_ref().is_none_or(|(least, _)| loss < *least) {
            self.best = Some((loss, tree.clone()));
        }
    }

    /// A mixed answer to which all trees with a first question lose much, by projected subgradient
    /// steps of Polyak's length; the tree that loses least to each is considered.
    fn raise(&mut self, first: Option<usize>, questions: usize, start: Range) -> Bound {
        let depth = self.limits.depth;
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
                // Steps out of the answers do not count.
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

    /// Looks at all ranges of trees with a first question that may lose less than the best known;
    /// `false` if they are too many.
    fn look(&mut self, bound: &Bound, first: usize, questions: usize) -> bool {
        let limit = self.least() - bound.constant - ROUNDING;
        let sets = self.sets(Some(first));
        let mut listing = Listing { sets, table: &bound.table, left: self.limits.candidates };
        let split = &sets.splits[0][0];
        let found = listing.divided(split, self.limits.depth, questions, limit);
        let Some(found) = found else { return false };
        let mut found: Vec<(Hands, (f64, RangeTree))> = found.into_iter().collect();
        found.sort_by(|a, b| a.1.0.total_cmp(&b.1.0));
        let losses: Vec<f64> =
            found.par_iter().map(|(hands, _)| self.loss.of(&range(*hands))).collect();
        for ((_, (_, tree)), loss) in found.into_iter().zip(losses) {
            if self.best.as_ref().is_none_or(|(least, _)| loss < *least) {
                self.best = Some((loss, tree));
            }
        }
        true
    }
}

/// Differences of losses that do not count, in big blinds.
const ROUNDING: f64 = 1e-9;

/// All ranges of trees that lose little to an answer, each with what it loses and a tree.
struct Listing<'a> {
    sets: &'a Sets,
    table: &'a Table,
    /// How many more may be listed.
    left: usize,
}

type Listed = BTreeMap<Hands, (f64, RangeTree)>;

impl Listing<'_> {
    fn of(&mut self, set: usize, depth: usize, questions: usize, limit: f64) -> Option<Listed> {
        let sets = self.sets;
        let mut listed = Listed::new();
        let played = self.played(set);
        for (plays, loss) in [(false, 0.0), (true, played)] {
            if loss <= limit {
                let hands = if plays { sets.hands[set] } else { [0; 3] };
                listed.insert(hands, (loss, RangeTree::Leaf(plays)));
            }
        }
        if depth > 0 && questions > 0 && self.table.least(set, depth, questions) <= limit {
            for split in &sets.splits[set] {
                for (hands, tree) in self.divided(split, depth, questions, limit)? {
                    listed.entry(hands).or_insert(tree);
                }
            }
        }
        Some(listed)
    }

    fn divided(
        &mut self,
        split: &Split,
        depth: usize,
        questions: usize,
        limit: f64,
    ) -> Option<Listed> {
        let mut listed = Listed::new();
        for ([yes, no], [first, second]) in shares(split, depth, questions) {
            let least =
                [self.table.least(yes, depth - 1, first), self.table.least(no, depth - 1, second)];
            if least[0] + least[1] > limit {
                continue;
            }
            let left = self.of(yes, depth - 1, first, limit - least[1])?;
            let mut right: Vec<_> =
                self.of(no, depth - 1, second, limit - least[0])?.into_iter().collect();
            right.sort_by(|a, b| a.1.0.total_cmp(&b.1.0));
            for (one, (loss, tree)) in left {
                for (other, (more, answer)) in &right {
                    if loss + more > limit {
                        break;
                    }
                    let hands = std::array::from_fn(|word| one[word] | other[word]);
                    self.left = self.left.checked_sub(1)?;
                    listed.entry(hands).or_insert_with(|| {
                        let answers = [tree.clone(), answer.clone()];
                        (loss + more, RangeTree::Ask(split.question, Box::new(answers)))
                    });
                }
            }
        }
        Some(listed)
    }

    /// What a set loses more if it is played.
    fn played(&self, set: usize) -> f64 {
        sum(self.sets.hands[set], &self.table.gains)
    }
}
