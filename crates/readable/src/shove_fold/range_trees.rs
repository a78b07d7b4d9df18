//! The best ranges that a small tree of questions about the two cards can express, with proof.
//!
//! The loss of one blind's range to the best answer does not depend on the other blind's range, and
//! is convex in it ([`Loss`]): the other blind answers with each of its hands independently. For a
//! fixed answer it is a sum over the hands that are played, for which dynamic programming over all
//! sets of hands that questions can separate finds the best tree. Such sums are lower bounds, and
//! subgradient steps find a mixed answer that makes them large. All trees whose sum is below the
//! best loss known are then examined; if they are not too many, the best is proven.

use std::collections::BTreeMap;
use std::fmt;

use cards::StartingHand;
use schemars::JsonSchema;
use serde::Serialize;
use show::Table as TextTable;
use show::card::{Card, CardSection};
use show::number::{capital, percent};

use super::{Blind, Equilibrium, KINDS, Payoffs, Range, Ranges, equilibrium, range_of, share};

/// A tree of questions; the hands at `true` leaves are played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RangeTree {
    /// All hands are played, or none.
    Leaf(bool),
    /// A tree for the hands with the answer yes, and one for the others.
    Ask(Question, Box<[RangeTree; 2]>),
}

impl RangeTree {
    /// Whether a hand is played.
    pub fn plays(&self, hand: StartingHand) -> bool {
        match self {
            RangeTree::Leaf(played) => *played,
            RangeTree::Ask(question, answers) => {
                answers[usize::from(!question.holds(hand))].plays(hand)
            }
        }
    }

    /// The range: 1 for hands that are played, 0 for the others.
    pub fn range(&self) -> Range {
        range_of(|hand| self.plays(hand))
    }

    /// The tree in words, with `action` for hands that are played: "a pair: all-in; else suited:
    /// all-in; else fold". Subtrees longer than a word are in brackets.
    pub fn words(&self, action: &str) -> String {
        match self {
            RangeTree::Leaf(true) => action.to_owned(),
            RangeTree::Leaf(false) => "fold".to_owned(),
            RangeTree::Ask(question, answers) => {
                let [yes, no] = [&answers[0], &answers[1]].map(|answer| answer.words(action));
                match &answers[0] {
                    RangeTree::Leaf(_) => format!("{question}: {yes}; else {no}"),
                    RangeTree::Ask(..) => format!("{question}: ({yes}); else {no}"),
                }
            }
        }
    }

    /// The tree as lines of when and what, of which the first that is true counts: the questions
    /// with the answer yes on the way to a leaf, and the action there.
    pub fn lines(&self, action: &str) -> Vec<[String; 2]> {
        let mut paths = Vec::new();
        self.add_paths(&mut Vec::new(), &mut paths);
        let line = |(at, (asked, played)): (usize, &(Vec<Question>, bool))| {
            // Others than in the lines above, if those ask what this one does and more.
            let before = at.checked_sub(1).map(|before| &paths[before].0);
            let rest = before
                .is_some_and(|before| before.len() > asked.len() && before.starts_with(asked));
            let needed = asked.iter().filter(|one| !asked.iter().any(|other| other.implies(**one)));
            let words: Vec<String> = needed.map(ToString::to_string).collect();
            let when = match (rest, asked.as_slice()) {
                (_, []) => "all others".to_owned(),
                (false, _) => words.join(", "),
                (true, [Question::Suited]) => "any other suited hand".to_owned(),
                (true, _) => format!("any other hand with {}", words.join(", ")),
            };
            [when, if *played { action } else { "fold" }.to_owned()]
        };
        paths.iter().enumerate().map(line).collect()
    }

    /// Adds the leaves in order, each with the questions on the way whose answer is yes.
    fn add_paths(&self, asked: &mut Vec<Question>, paths: &mut Vec<(Vec<Question>, bool)>) {
        match self {
            RangeTree::Leaf(played) => paths.push((asked.clone(), *played)),
            RangeTree::Ask(question, answers) => {
                asked.push(*question);
                answers[0].add_paths(asked, paths);
                asked.pop();
                answers[1].add_paths(asked, paths);
            }
        }
    }

    /// The number of questions.
    pub fn questions(&self) -> usize {
        match self {
            RangeTree::Leaf(_) => 0,
            RangeTree::Ask(_, answers) => {
                1 + answers.iter().map(RangeTree::questions).sum::<usize>()
            }
        }
    }

    /// The most questions asked of a hand.
    pub fn depth(&self) -> usize {
        match self {
            RangeTree::Leaf(_) => 0,
            RangeTree::Ask(_, answers) => 1 + answers[0].depth().max(answers[1].depth()),
        }
    }
}

/// The losses of one blind's ranges to best answers, in big blinds a hand.
#[derive(Debug, Clone)]
pub struct Loss {
    payoffs: Payoffs,
    /// The value of the game to the small blind.
    value: f64,
    blind: Blind,
    /// The other blind's equilibrium range.
    equilibrium: Range,
}

impl Loss {
    /// The losses of all-ins of the small blind, or of calls of the big blind.
    pub fn new(payoffs: Payoffs, blind: Blind) -> Loss {
        let Equilibrium { value, ranges, .. } = equilibrium(&payoffs);
        let equilibrium = match blind {
            Blind::Small => ranges.call,
            Blind::Big => ranges.jam,
        };
        Loss { payoffs, value, blind, equilibrium }
    }

    /// The loss of a range to the best answer.
    pub fn evaluate(&self, range: &Range) -> f64 {
        match self.blind {
            Blind::Small => self.value - self.payoffs.at_least(range),
            Blind::Big => self.payoffs.at_most(range) - self.value,
        }
    }

    /// The gain of each hand of the other blind by playing against a range.
    fn answers(&self, range: &Range) -> Range {
        match self.blind {
            Blind::Small => self.payoffs.call_gains(range),
            Blind::Big => self.payoffs.jam_gains(range),
        }
    }

    /// The loss to one answer, at most that to the best answer: the loss of playing nothing, and
    /// the additional loss of each hand that is played.
    fn against(&self, answer: &Range) -> (f64, Range) {
        let nothing = [0.0; KINDS];
        let (folded, gains) = match self.blind {
            Blind::Small => {
                let ranges = Ranges { jam: nothing, call: *answer };
                (self.value - self.payoffs.value(&ranges), self.payoffs.jam_gains(answer))
            }
            Blind::Big => {
                let ranges = Ranges { jam: *answer, call: nothing };
                (self.payoffs.value(&ranges) - self.value, self.payoffs.call_gains(answer))
            }
        };
        (folded, gains.map(|gain| -gain))
    }
}

/// A question about a starting hand. Ranks are 2 to 14.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Question {
    /// Whether the higher card has at least this rank.
    High(u8),
    /// Whether the lower card has at least this rank.
    Low(u8),
    /// Whether the ranks differ by at most this much; 0 is a pair.
    Gap(u8),
    /// Whether the cards are suited.
    Suited,
}

impl Question {
    /// All questions that some hands answer with yes and others with no.
    pub fn all() -> Vec<Question> {
        let ranks = 3..=14;
        let high = ranks.clone().map(Question::High);
        let all = high.chain(ranks.map(Question::Low)).chain((0..12).map(Question::Gap));
        all.chain([Question::Suited]).collect()
    }

    /// Whether the answer for a hand is yes.
    pub fn holds(self, hand: StartingHand) -> bool {
        let [high, low] = hand.ranks().map(|rank| rank.index() + 2);
        match self {
            Question::High(least) => high >= least,
            Question::Low(least) => low >= least,
            Question::Gap(most) => high - low <= most,
            Question::Suited => hand.is_suited(),
        }
    }

    /// Whether all hands with the answer yes have it to another question of the same kind, too.
    fn implies(self, other: Question) -> bool {
        match (self, other) {
            (Question::High(one), Question::High(other))
            | (Question::Low(one), Question::Low(other)) => one > other,
            (Question::Gap(one), Question::Gap(other)) => one < other,
            _ => false,
        }
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let card = |rank: u8| char::from(b"23456789TJQKA"[usize::from(rank - 2)]);
        match *self {
            Question::High(least) => write!(f, "high card {} or better", card(least)),
            Question::Low(least) => write!(f, "low card {} or better", card(least)),
            Question::Gap(0) => write!(f, "a pair"),
            Question::Gap(most) => write!(f, "at most {most} apart"),
            Question::Suited => write!(f, "suited"),
        }
    }
}

// The sets of hands that questions can separate, and the least losses of trees over them to one
// answer.

/// A set of starting hands, as bits by index.
type Hands = [u64; 3];

/// All sets of hands that questions can separate, with the splits of each by a further question.
struct Sets {
    hands: Vec<Hands>,
    /// The number of questions that may still be asked of each set.
    depth: Vec<usize>,
    /// The splits of each set of which a question may be asked: the question, the hands with yes
    /// and the others. Only proper splits, each once.
    splits: Vec<Vec<Split>>,
}

#[derive(Clone, Copy)]
struct Split {
    question: Question,
    parts: [usize; 2],
}

impl Sets {
    /// The sets of trees of a depth whose first question is one of these.
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

    /// The tree with the least loss by a table.
    fn tree(&self, table: &Table, set: usize, depth: usize, questions: usize) -> RangeTree {
        let least = table.least(set, depth, questions);
        let leaf = table.least(set, 0, 0);
        if depth == 0 || questions == 0 || leaf <= least {
            return RangeTree::Leaf(leaf < 0.0);
        }
        let value = |split: &&Split| table.least_split(split, depth, questions);
        let best = self.splits[set].iter().min_by(|a, b| value(a).total_cmp(&value(b)));
        match best {
            Some(split) => self.divided(table, split, depth, questions),
            None => RangeTree::Leaf(leaf < 0.0),
        }
    }

    /// The tree with the fewest questions that plays exactly these hands; of several the one whose
    /// questions come first. `None` if so many questions do not suffice. Only hands are counted, so
    /// that it does not depend on rounding.
    fn simplest(&self, hands: Hands, questions: usize) -> Option<RangeTree> {
        let table = Table::new(self, &range(hands).map(|played| 1.0 - 2.0 * played), questions);
        let all = -f64::from(hands.into_iter().map(u64::count_ones).sum::<u32>());
        let least = |&questions: &usize| table.least(0, self.depth[0], questions) <= all;
        let fewest = (0..=questions).find(least)?;
        Some(self.tree(&table, 0, self.depth[0], fewest))
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

/// The least losses of trees to one answer, for each set.
struct Table {
    /// Entries by depth, then set and number of questions; the sets with enough depth left come
    /// first.
    least: Vec<Vec<f64>>,
    /// The most questions.
    most: usize,
    /// The additional loss of each hand if it is played.
    gains: Range,
}

impl Table {
    /// The least loss of trees over the hands of a split that begin with its question.
    fn least_split(&self, split: &Split, depth: usize, questions: usize) -> f64 {
        let sums = shares(split, depth, questions).map(|([yes, no], [first, second])| {
            self.least(yes, depth - 1, first) + self.least(no, depth - 1, second)
        });
        sums.fold(f64::INFINITY, f64::min)
    }

    /// Computes the table in O(sets × questions × pairs of numbers of questions).
    fn new(sets: &Sets, gains: &Range, most: usize) -> Table {
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
                                least_at(&least, parts[part], depth - 1, at_most[part], most)
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
        least_at(&self.least, set, depth, questions, self.most)
    }
}

fn least_at(least: &[Vec<f64>], set: usize, depth: usize, questions: usize, most: usize) -> f64 {
    match depth {
        0 => least[0][set],
        _ => least[depth][set * (most + 1) + questions.min(most)],
    }
}

/// The ways to divide the remaining questions between both sides, as far as the depth allows.
fn shares(
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
        let optimum = search.optimum(questions);
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

impl Bound {
    /// The least loss of trees with this first question to the answer.
    fn least(&self, split: &Split, depth: usize, questions: usize) -> f64 {
        self.constant + self.table.least_split(split, depth, questions)
    }
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
    fn optimum(&mut self, questions: usize) -> Optimum {
        self.consider(&RangeTree::Leaf(false));
        self.consider(&RangeTree::Leaf(true));
        let all = self.raise(None, questions, self.answer);
        self.answer = all.answer;
        let mut proven = f64::INFINITY;
        let splits = if questions > 0 { self.sets.splits[0].clone() } else { Vec::new() };
        for split in splits {
            if all.least(&split, self.depth, questions) >= self.least() - ROUNDING {
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
        self.keep(self.loss.evaluate(&tree.range()), tree);
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
            let (constant, gains) = self.loss.against(&answer);
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
                    bound.bound = bound.least(split, depth, questions);
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
        let losses = parallel::map(&found, |(hands, _)| self.loss.evaluate(&range(*hands)));
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

/// Lists all ranges of trees with a small loss to an answer, each with its loss and a tree.
struct Listing<'a> {
    sets: &'a Sets,
    table: &'a Table,
    /// The number of trees that may still be listed.
    left: usize,
}

type ListedTrees = BTreeMap<Hands, (f64, RangeTree)>;

impl Listing<'_> {
    fn list(
        &mut self,
        set: usize,
        depth: usize,
        questions: usize,
        limit: f64,
    ) -> Option<ListedTrees> {
        let sets = self.sets;
        let mut listed = ListedTrees::new();
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
    ) -> Option<ListedTrees> {
        let mut listed = ListedTrees::new();
        for ([yes, no], [first, second]) in shares(split, depth, questions) {
            let least =
                [self.table.least(yes, depth - 1, first), self.table.least(no, depth - 1, second)];
            if least[0] + least[1] > limit {
                continue;
            }
            let left = self.list(yes, depth - 1, first, limit - least[1])?;
            let mut right: Vec<_> =
                self.list(no, depth - 1, second, limit - least[0])?.into_iter().collect();
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

    /// The additional loss if a set is played.
    fn played(&self, set: usize) -> f64 {
        sum(self.sets.hands[set], &self.table.gains)
    }
}

/// The trees of both blinds at each stack.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RangeTrees {
    /// The ante of each player, in big blinds.
    pub ante: f64,
    /// The most questions about one hand.
    pub depth: u8,
    /// The trees of each blind at each stack.
    pub blinds: Vec<BlindTrees>,
}

/// The trees of one blind at one stack.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BlindTrees {
    /// The stack of each player, in big blinds.
    pub stack: f64,
    /// `small blind` or `big blind`.
    pub blind: &'static str,
    /// The best tree of each number of questions, from none on.
    pub trees: Vec<BestTree>,
    /// The action of the hands that are played.
    #[serde(skip)]
    pub action: &'static str,
}

/// The best tree with a number of questions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BestTree {
    /// How many questions it may ask.
    pub questions: usize,
    /// What it loses to a best response, in mbb a hand.
    pub loses_mbb: f64,
    /// A lower bound of what any tree with as many questions loses.
    pub any_loses_mbb: f64,
    /// Whether no tree with as many questions loses less.
    pub proven: bool,
    /// The share of all hands that it plays.
    pub played_share: f64,
    /// The tree in words.
    pub tree: String,
    /// The tree as lines of when and what.
    #[serde(skip)]
    lines: Vec<[String; 2]>,
}

impl BlindTrees {
    /// The report of the best trees of a blind at a stack.
    pub fn new(stack: f64, blind: Blind, optima: &[Optimum]) -> BlindTrees {
        let (blind, action) = match blind {
            Blind::Small => ("small blind", "all-in"),
            Blind::Big => ("big blind", "call"),
        };
        let tree = |(questions, optimum): (usize, &Optimum)| BestTree {
            questions,
            loses_mbb: 1000.0 * optimum.loss,
            any_loses_mbb: 1000.0 * optimum.bound,
            proven: optimum.proven(),
            played_share: share(&optimum.tree.range()),
            tree: optimum.tree.words(action),
            lines: optimum.tree.lines(action),
        };
        BlindTrees { stack, blind, trees: optima.iter().enumerate().map(tree).collect(), action }
    }
}

impl RangeTrees {
    /// The largest trees of the first stack as a card to play by; `None` without trees.
    pub fn card(&self) -> Option<Card> {
        let stack = self.blinds.first()?.stack;
        let here = || self.blinds.iter().filter(|blind| blind.stack == stack);
        let section = |blind: &BlindTrees| {
            let best = blind.trees.last()?;
            let when = match blind.action {
                "call" => "the other is all-in",
                _ => "you act first",
            };
            let lines = best.lines.iter().map(|[when, what]| [capital(when), what.clone()]);
            Some(CardSection {
                head: format!("{}: {when}", capital(blind.blind)),
                lines: lines.collect(),
            })
        };
        let lost = |blind: &BlindTrees| {
            let best = blind.trees.last()?;
            Some(format!("{:.1} as {}", best.loses_mbb, blind.blind))
        };
        let most =
            here().filter_map(|blind| blind.trees.last()).map(|tree| tree.questions).max()?;
        let proven = here().filter_map(|blind| blind.trees.last()).all(|tree| tree.proven);
        let proof = if proven {
            let depth = self.depth;
            format!(
                "No rule of {most} questions about the cards, at most {depth} about one hand, \
                 loses less."
            )
        } else {
            "Rules of as many questions may lose less.".to_owned()
        };
        let ante = if self.ante > 0.0 { format!(", ante {}", self.ante) } else { String::new() };
        Some(Card {
            head: format!("All-in or fold with {stack} big blinds"),
            reading: format!(
                "For two players with {stack} big blinds each, blinds 0.5 and 1{ante}. Look at \
                 your two cards and go down the list: the first line that is true says what you \
                 do."
            ),
            sections: here().filter_map(section).collect(),
            terms: vec![
                "High card and low card: the higher and the lower of the two; of a pair both are \
                 its rank."
                    .to_owned(),
            ],
            foot: vec![
                format!(
                    "A best response wins from these rules, in thousandths of a big blind per \
                     hand: {}. {proof}",
                    here().filter_map(lost).collect::<Vec<_>>().join(", ")
                ),
                format!("Made by cardroom {}.", env!("CARGO_PKG_VERSION")),
            ],
        })
    }
}

impl fmt::Display for RangeTrees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, blind) in self.blinds.iter().enumerate() {
            let between = if number > 0 { "\n" } else { "" };
            write!(f, "{between}{blind}")?;
        }
        Ok(())
    }
}

impl fmt::Display for BlindTrees {
    /// The table, followed by the trees in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = TextTable::new(["questions", "loses, mbb", self.action, ""]).right(0..3);
        for tree in &self.trees {
            let proof = if tree.proven {
                "proven".to_owned()
            } else {
                format!("any at least {:.2}", tree.any_loses_mbb)
            };
            table.row([
                tree.questions.to_string(),
                format!("{:.2}", tree.loses_mbb),
                percent(tree.played_share, 1),
                proof,
            ]);
        }
        write!(f, "{} big blinds, {}\n{table}\n", self.stack, self.blind)?;
        let mut trees = self.trees.iter();
        trees.try_for_each(|tree| writeln!(f, "  {}: {}", tree.questions, tree.tree))
    }
}
