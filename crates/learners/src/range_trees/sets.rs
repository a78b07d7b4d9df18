//! The sets of hands that questions can separate, and the least losses of trees over them to one
//! answer.

use std::collections::BTreeMap;

use cards::StartingHand;
use solvers::shove_fold::Range;

use super::{Question, RangeTree};

/// A set of starting hands, as bits by index.
pub(super) type Hands = [u64; 3];

/// All sets of hands that questions can separate, with the splits of each by a further question.
pub(super) struct Sets {
    pub(super) hands: Vec<Hands>,
    /// The number of questions that may still be asked of each set.
    depth: Vec<usize>,
    /// The splits of each set of which a question may be asked: the question, the hands with yes
    /// and the others. Only proper splits, each once.
    pub(super) splits: Vec<Vec<Split>>,
}

#[derive(Clone, Copy)]
pub(super) struct Split {
    pub(super) question: Question,
    parts: [usize; 2],
}

impl Sets {
    /// The sets of trees of a depth whose first question is one of these.
    pub(super) fn new(depth: usize, first: &[Question]) -> Sets {
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

    /// The tree with the least loss by a table.
    pub(super) fn tree(
        &self,
        table: &Table,
        set: usize,
        depth: usize,
        questions: usize,
    ) -> RangeTree {
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

    /// The tree with the fewest questions that plays exactly these hands; of several the one whose
    /// questions come first. `None` if so many questions do not suffice. Only hands are counted, so
    /// that it does not depend on rounding.
    pub(super) fn simplest(&self, hands: Hands, questions: usize) -> Option<RangeTree> {
        let table = Table::new(self, &range(hands).map(|played| 1.0 - 2.0 * played), questions);
        let all = -f64::from(hands.into_iter().map(u64::count_ones).sum::<u32>());
        let least = |&questions: &usize| table.least(0, self.depth[0], questions) <= all;
        let fewest = (0..=questions).find(least)?;
        Some(self.tree(&table, 0, self.depth[0], fewest))
    }

    pub(super) fn divided(
        &self,
        table: &Table,
        split: &Split,
        depth: usize,
        questions: usize,
    ) -> RangeTree {
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

pub(super) fn hands(holds: impl Fn(StartingHand) -> bool) -> Hands {
    let mut hands = [0; 3];
    for hand in StartingHand::all().filter(|&hand| holds(hand)) {
        hands[hand.index() / 64] |= 1 << (hand.index() % 64);
    }
    hands
}

pub(super) fn range(hands: Hands) -> Range {
    std::array::from_fn(|hand| (hands[hand / 64] >> (hand % 64) & 1) as f64)
}

/// The least losses of trees to one answer, for each set.
pub(super) struct Table {
    /// Entries by depth, then set and number of questions; the sets with enough depth left come
    /// first.
    least: Vec<Vec<f64>>,
    /// The most questions.
    most: usize,
    /// The additional loss of each hand if it is played.
    pub(super) gains: Range,
}

impl Table {
    /// Computes the table in O(sets × questions × pairs of numbers of questions).
    pub(super) fn new(sets: &Sets, gains: &Range, most: usize) -> Table {
        let played = parallel::map(&sets.hands, |&hands| sum(hands, gains).min(0.0));
        let mut least: Vec<Vec<f64>> = vec![played];
        for depth in 1..=sets.depth[0] {
            let count = sets.depth.partition_point(|&left| left >= depth);
            let mut table = vec![0.0; count * (most + 1)];
            parallel::for_each(table.chunks_mut(most + 1).enumerate(), |(set, row)| {
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

    pub(super) fn least(&self, set: usize, depth: usize, questions: usize) -> f64 {
        at(&self.least, set, depth, questions, self.most)
    }
}

pub(super) fn at(
    least: &[Vec<f64>],
    set: usize,
    depth: usize,
    questions: usize,
    most: usize,
) -> f64 {
    match depth {
        0 => least[0][set],
        _ => least[depth][set * (most + 1) + questions.min(most)],
    }
}

/// The ways to divide the remaining questions between both sides, as far as the depth allows.
pub(super) fn shares(
    split: &Split,
    depth: usize,
    questions: usize,
) -> impl Iterator<Item = ([usize; 2], [usize; 2])> + use<> {
    let parts = split.parts;
    let spare = (1 << (depth - 1)) - 1;
    let left = questions - 1;
    let first = left.saturating_sub(spare)..=left.min(spare);
    // If more questions are left than fit, each side gets as many as fit.
    let first = if left > 2 * spare { spare..=spare } else { first };
    first.map(move |first| (parts, [first, (left - first.min(left)).min(spare)]))
}

pub(super) fn sum(hands: Hands, gains: &Range) -> f64 {
    let mut sum = 0.0;
    for (word, mut bits) in hands.into_iter().enumerate() {
        while bits != 0 {
            sum += gains[64 * word + bits.trailing_zeros() as usize];
            bits &= bits - 1;
        }
    }
    sum
}
