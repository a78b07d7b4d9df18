//! The winnings of every hand class at every end of a street's betting, and the best response to a
//! rule.

use std::collections::BTreeMap;

use abstraction::betting::{BettingTree, NodeKind};
use game::{Chips, Street};
use solvers::Player;
use solvers::counting::{ClassCounts, Path};
use solvers::strategy::AbstractStrategy;

use super::{Move, Situation, Step, StreetBetting, lines};
use crate::Error;

/// The error of a street whose betting differs between lines.
fn uneven(street: Street) -> Error {
    Error::new(format!(
        "the betting of the {street} differs between lines before it: rules for one street are for \
         fixed limits without all-ins, so take the game `holdem.limit.2p.reverse_blinds` and the \
         menu `limit`"
    ))
}

fn never(street: Street) -> Error {
    Error::new(format!("the {street} is never reached, so nothing is won or lost there"))
}

/// A group of lines to a street that a rule cannot distinguish.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Group {
    /// The player who follows the rule.
    pub player: Player,
    /// Chips that each player has put in before the street.
    pub chips: Chips,
    /// Whether the opponent's last action before the street was a raise.
    pub aggressive: bool,
    /// The probability of the group, given that the match reaches the street.
    pub share: f64,
}

/// A tabulated rule: a move for each situation and class, situation by situation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MoveTable(pub Vec<Move>);

/// Exact fitness of rules for one street. See the [module](super).
///
/// Amounts are in chips per match that reaches the street, averaged over both seats.
#[derive(Debug, Clone)]
pub struct Fitness {
    street: Street,
    classes: Vec<u16>,
    groups: Vec<Group>,
    /// The street's betting from each player's view.
    betting: [StreetBetting; 2],
    situations: Vec<Situation>,
    /// For each group, the index of the situation of each of the player's decisions.
    indices: Vec<Vec<usize>>,
    /// Entries by group, class and end: chips won; below, the probability. 0 where the player would
    /// not go.
    won: Vec<f64>,
    matchups: Vec<f64>,
    /// The sums of `won` over the classes, by group and end.
    sums: Vec<f64>,
    ends: usize,
    reach: f64,
}

impl Fitness {
    /// Combines counts for a strategy's buckets with the strategy. `street` is that of the counts.
    ///
    /// # Errors
    /// When the betting differs between lines, or the street is never reached.
    pub fn new(
        counts: &ClassCounts,
        tree: &BettingTree,
        strategy: &dyn AbstractStrategy,
        street: Street,
    ) -> Result<Fitness, Error> {
        let lines = lines(tree, street);
        let &first = lines.first().ok_or_else(|| never(street))?;
        let betting = Player::BOTH.map(|player| StreetBetting::new(tree, first, player));
        let mut keys: BTreeMap<(Player, Chips, bool), usize> = BTreeMap::new();
        for &line in &lines {
            for player in Player::BOTH {
                let key = key(tree, line, player);
                keys.entry(key).or_default();
            }
        }
        keys.values_mut().zip(0..).for_each(|(slot, number)| *slot = number);
        let rows = Rows::new(counts, street);
        let classes = rows.classes.clone();
        let ends = betting[0].ends.len();
        let size = keys.len() * classes.len() * ends;
        let counts = AtBlueprint { tree, strategy, street, rows };
        let (mut won, mut matchups) = (vec![0.0; size], vec![0.0; size]);
        let mut shapes = vec![None; keys.len()];
        let mut shares = vec![0.0; keys.len()];
        for &line in &lines {
            for player in Player::BOTH {
                let group = keys[&key(tree, line, player)];
                let shape = StreetBetting::new(tree, line, player);
                let like = &betting[player.index()];
                if shape.steps != like.steps || tree.committed(line)[0] != tree.committed(line)[1] {
                    return Err(uneven(street));
                }
                let range = group * classes.len() * ends..(group + 1) * classes.len() * ends;
                shares[group] +=
                    counts.line(&shape, player, &mut won[range.clone()], &mut matchups[range]);
                shapes[group] = Some(shape);
            }
        }
        let reach: f64 = shares.iter().sum();
        if reach <= 0.0 {
            return Err(never(street));
        }
        won.iter_mut().chain(&mut matchups).for_each(|amount| *amount /= reach);
        let groups = keys.keys().zip(&shares);
        let groups = groups.map(|(&(player, chips, aggressive), share)| {
            let share = share / reach;
            Group { player, chips, aggressive, share }
        });
        let groups: Vec<Group> = groups.collect();
        let seen: Vec<Vec<Situation>> = groups
            .iter()
            .zip(&shapes)
            .map(|(group, shape)| {
                let shape = shape.as_ref().expect("each group has a line");
                let steps = shape.decisions.iter().map(|&step| shape.nodes[step]);
                steps.map(|node| StreetBetting::situation(tree, node, group.player)).collect()
            })
            .collect();
        let mut situations: Vec<Situation> = seen.iter().flatten().copied().collect();
        situations.sort_unstable();
        situations.dedup();
        let index = |situation: &Situation| {
            situations.binary_search(situation).expect("all situations are there")
        };
        let indices = seen.iter().map(|seen| seen.iter().map(index).collect()).collect();
        let mut sums = vec![0.0; groups.len() * ends];
        for (sums, won) in sums.chunks_mut(ends).zip(won.chunks(classes.len() * ends)) {
            for won in won.chunks(ends) {
                sums.iter_mut().zip(won).for_each(|(sum, won)| *sum += won);
            }
        }
        Ok(Fitness {
            street,
            classes,
            groups,
            betting,
            indices,
            situations,
            won,
            matchups,
            sums,
            ends,
            reach,
        })
    }

    /// The street.
    pub fn street(&self) -> Street {
        self.street
    }

    /// The classes of hands on the street, in increasing order.
    pub fn classes(&self) -> &[u16] {
        &self.classes
    }

    /// The situations in which a rule may be asked, in order.
    pub fn situations(&self) -> &[Situation] {
        &self.situations
    }

    /// The groups of earlier betting, by player, chips and the opponent's last action.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The probability that the blueprint's self-play reaches the street.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// For each of the player's decisions in a group, the index of its situation.
    pub fn decisions(&self, group: usize) -> &[usize] {
        &self.indices[group]
    }

    /// Tabulates a rule.
    pub fn moves(&self, mut rule: impl FnMut(u16, Situation) -> Move) -> MoveTable {
        let mut moves = Vec::with_capacity(self.situations.len() * self.classes.len());
        for &situation in &self.situations {
            moves.extend(self.classes.iter().map(|&class| rule(class, situation)));
        }
        MoveTable(moves)
    }

    /// The rule's winnings, in chips per match that reaches the street.
    ///
    /// # Panics
    /// When the table has another number of situations or classes.
    pub fn value(&self, moves: &MoveTable) -> f64 {
        let many = self.classes.len();
        assert_eq!(moves.0.len(), self.situations.len() * many, "a table of another street");
        let mut sum = 0.0;
        // A cache of the reached ends, indexed by the moves at all decisions as base-3 digits.
        let mut reached: Vec<Vec<usize>> = Vec::new();
        for (group, indices) in self.indices.iter().enumerate() {
            let steps = &self.betting[self.groups[group].player.index()].steps;
            let won = &self.won[group * many * self.ends..][..many * self.ends];
            reached.clear();
            reached.resize(3usize.pow(indices.len() as u32), Vec::new());
            for (class, won) in won.chunks_exact(self.ends).enumerate() {
                let at = |decision: usize| moves.0[indices[decision] * many + class] as usize;
                let code = (0..indices.len()).fold(0, |code, decision| 3 * code + at(decision));
                let reached = &mut reached[code];
                if reached.is_empty() {
                    *reached = reached_ends(steps, at);
                }
                sum += reached.iter().map(|&end| won[end]).sum::<f64>();
            }
        }
        sum
    }

    /// The winnings of each class when all its hands follow these moves, one for each situation; in
    /// the order of [`classes`](Self::classes).
    pub(crate) fn by_class(&self, moves: &[Move]) -> Vec<f64> {
        let many = self.classes.len();
        let mut sums = vec![0.0; many];
        for (group, indices) in self.indices.iter().enumerate() {
            let steps = &self.betting[self.groups[group].player.index()].steps;
            let won = &self.won[group * many * self.ends..][..many * self.ends];
            let reached = reached_ends(steps, |decision| moves[indices[decision]] as usize);
            for (sum, won) in sums.iter_mut().zip(won.chunks_exact(self.ends)) {
                *sum += reached.iter().map(|&end| won[end]).sum::<f64>();
            }
        }
        sums
    }

    /// The sum of [`by_class`](Self::by_class), computed faster.
    pub fn of_all(&self, moves: &[Move]) -> f64 {
        let indices = self.indices.iter().zip(&self.groups).zip(self.sums.chunks_exact(self.ends));
        let of = |((indices, group), sums): ((&Vec<usize>, &Group), &[f64])| {
            let steps = &self.betting[group.player.index()].steps;
            follow(steps, 0, sums, &|decision| moves[indices[decision]] as usize)
        };
        indices.map(of).sum()
    }

    /// The number of times that a rule is asked in each situation with each class, per match, in
    /// the order of [`MoveTable`].
    pub fn asked(&self, moves: &MoveTable) -> Vec<f64> {
        let many = self.classes.len();
        let mut asked = vec![0.0; moves.0.len()];
        for (group, indices) in self.indices.iter().enumerate() {
            let steps = &self.betting[self.groups[group].player.index()].steps;
            let matchups = &self.matchups[group * many * self.ends..][..many * self.ends];
            for (class, matchups) in matchups.chunks_exact(self.ends).enumerate() {
                let index = |decision: usize| indices[decision] * many + class;
                let at = |decision: usize| moves.0[index(decision)] as usize;
                count(steps, 0, matchups, &at, &mut |decision, share| {
                    asked[index(decision)] += share;
                });
            }
        }
        asked
    }
}

fn key(tree: &BettingTree, line: u32, player: Player) -> (Player, Chips, bool) {
    let situation = StreetBetting::situation(tree, line, player);
    (player, tree.committed(line)[0], situation.aggressive)
}

/// The indices of the ends reached by the moves.
fn reached_ends(steps: &[Step], at: impl Fn(usize) -> usize) -> Vec<usize> {
    let (mut reached, mut open) = (Vec::new(), vec![0]);
    while let Some(step) = open.pop() {
        match &steps[step] {
            Step::Own { decision, next } => open.push(next[at(*decision)]),
            Step::Other { next } => open.extend(next),
            Step::End(end) => reached.push(*end),
        }
    }
    reached
}

/// The sum of `ends` over the ends reached by the moves.
fn follow(steps: &[Step], step: usize, ends: &[f64], at: &impl Fn(usize) -> usize) -> f64 {
    match &steps[step] {
        Step::Own { decision, next } => follow(steps, next[at(*decision)], ends, at),
        Step::Other { next } => next.iter().map(|&next| follow(steps, next, ends, at)).sum(),
        Step::End(end) => ends[*end],
    }
}

/// The same as [`follow`], with the partial sum reported at every own decision.
fn count(
    steps: &[Step],
    step: usize,
    ends: &[f64],
    at: &impl Fn(usize) -> usize,
    visit: &mut impl FnMut(usize, f64),
) -> f64 {
    match &steps[step] {
        Step::Own { decision, next } => {
            let share = count(steps, next[at(*decision)], ends, at, visit);
            visit(*decision, share);
            share
        }
        Step::Other { next } => next.iter().map(|&next| count(steps, next, ends, at, visit)).sum(),
        Step::End(end) => ends[*end],
    }
}

/// Counts in sparse form: the nonzero cells of each row.
struct Rows {
    /// The classes of the rows, sorted.
    classes: Vec<u16>,
    rows: Vec<(Path, usize, std::ops::Range<usize>)>,
    /// The column, matchups and margin of each cell.
    cells: Vec<(u32, f64, f64)>,
    columns: Vec<Path>,
    /// Number of buckets on the street: the greatest plus one.
    buckets: usize,
}

impl Rows {
    fn new(counts: &ClassCounts, street: Street) -> Rows {
        let mut classes: Vec<u16> = counts.rows().iter().map(|path| path[street.index()]).collect();
        classes.sort_unstable();
        classes.dedup();
        let columns = counts.columns().to_vec();
        let deals = counts.deals().max(1) as f64;
        let (mut rows, mut cells) = (Vec::new(), Vec::new());
        for (path, row) in counts.rows().iter().zip(counts.cells().chunks(columns.len().max(1))) {
            let start = cells.len();
            for (column, &[matchups, margin]) in (0..).zip(row) {
                if matchups != 0 {
                    cells.push((column, matchups as f64 / deals, margin as f64 / deals));
                }
            }
            let class = classes.binary_search(&path[street.index()]).expect("a class of a row");
            rows.push((*path, class, start..cells.len()));
        }
        let buckets = columns.iter().map(|path| usize::from(path[street.index()]) + 1).max();
        Rows { classes, rows, cells, columns, buckets: buckets.unwrap_or_default() }
    }
}

/// The combination of counts with a strategy.
struct AtBlueprint<'a> {
    tree: &'a BettingTree,
    strategy: &'a dyn AbstractStrategy,
    street: Street,
    rows: Rows,
}

impl AtBlueprint<'_> {
    /// Adds the winnings and matchups after a line, by class and end; gives the line's probability.
    fn line(
        &self,
        betting: &StreetBetting,
        player: Player,
        won: &mut [f64],
        matchups: &mut [f64],
    ) -> f64 {
        let Rows { columns, buckets, .. } = &self.rows;
        let ends = betting.ends.len();
        let classes = won.len() / ends;
        let bucket = |column: usize| usize::from(columns[column][self.street.index()]);
        let (sums, share) =
            self.matchup_counts(betting.nodes[0], player, classes, *buckets, bucket);
        // By end and bucket, the probability of the opponent's actions.
        let played = self.played(betting, player.other());
        for (end, &step) in betting.ends.iter().enumerate() {
            let (chips, folded) = self.end(betting.nodes[step], player);
            let played = &played[step * buckets..][..*buckets];
            for class in 0..classes {
                let sums = &sums[class * buckets..][..*buckets];
                let sum = |of: usize| -> f64 {
                    sums.iter().zip(played).map(|(sum, played)| sum[of] * played).sum()
                };
                matchups[class * ends + end] += sum(0);
                won[class * ends + end] +=
                    folded.map_or_else(|| chips * sum(1), |chips| chips * sum(0));
            }
        }
        share
    }

    /// The matchups of the player's classes with the opponent's columns at a line, and the margins:
    /// by class, then by `number` of the column, below `width`. Also gives the line's probability.
    /// All have a factor of one half, for one of two seats.
    fn matchup_counts(
        &self,
        first: u32,
        player: Player,
        classes: usize,
        width: usize,
        number: impl Fn(usize) -> usize,
    ) -> (Vec<[f64; 2]>, f64) {
        let Rows { rows, cells, columns, .. } = &self.rows;
        let likely: Vec<f64> =
            columns.iter().map(|path| 0.5 * self.likely(first, player.other(), path)).collect();
        let numbers: Vec<usize> = (0..columns.len()).map(number).collect();
        let mut sums = vec![[0.0; 2]; classes * width];
        let mut share = 0.0;
        let mut own: Option<(Path, f64)> = None;
        for (path, class, range) in rows {
            let mut before = *path;
            before[self.street.index()] = 0;
            let weight = match own {
                Some((same, weight)) if same == before => weight,
                _ => self.likely(first, player, &before),
            };
            own = Some((before, weight));
            if weight == 0.0 {
                continue;
            }
            for &(column, matchups, margin) in &cells[range.clone()] {
                let column = column as usize;
                let weight = weight * likely[column];
                let sum = &mut sums[class * width + numbers[column]];
                sum[0] += weight * matchups;
                sum[1] += weight * margin;
                share += weight * matchups;
            }
        }
        (sums, share)
    }

    /// The chips at stake for a player at an end of the street's betting, and after a fold the
    /// player's winnings.
    fn end(&self, node: u32, player: Player) -> (f64, Option<f64>) {
        let chips = self.tree.committed(node).into_iter().min().unwrap_or_default();
        let chips = f64::from(chips);
        let folded = match self.tree.node(node).kind {
            NodeKind::Fold { winner } if usize::from(winner) == player.index() => Some(chips),
            NodeKind::Fold { .. } => Some(-chips),
            _ => None,
        };
        (chips, folded)
    }

    /// The probability that a player with this path makes its own actions before the street that
    /// lead to a node.
    fn likely(&self, node: u32, player: Player, path: &Path) -> f64 {
        let mut likely = 1.0;
        let mut below = node;
        while let Some(parent) = self.tree.parent(below) {
            if let NodeKind::Decision { seat, street, .. } = self.tree.node(parent).kind
                && usize::from(seat) == player.index()
            {
                let index = (below - self.tree.node(parent).children().start) as usize;
                likely *= self.probabilities(parent, path[usize::from(street)].into())[index];
            }
            below = parent;
        }
        likely
    }

    fn probabilities(&self, node: u32, bucket: u32) -> Vec<f64> {
        let mut shares = vec![0.0f32; self.tree.actions(node).len()];
        self.strategy.probabilities(node, bucket, &mut shares);
        let sum: f64 = shares.iter().map(|&share| f64::from(share)).sum();
        shares.iter().map(|&share| f64::from(share) / sum).collect()
    }

    /// Entries by step and bucket: the probability of the player's own actions since the street's
    /// beginning.
    fn played(&self, betting: &StreetBetting, player: Player) -> Vec<f64> {
        let buckets = self.rows.buckets;
        let mut played = vec![1.0; betting.steps.len() * buckets];
        // Steps follow those that lead to them.
        for (step, kind) in betting.steps.iter().enumerate() {
            let Step::Other { next } = kind else {
                if let Step::Own { next, .. } = kind {
                    for &next in next {
                        played.copy_within(step * buckets..(step + 1) * buckets, next * buckets);
                    }
                }
                continue;
            };
            debug_assert!(next.len() > 1, "{player:?}");
            for bucket in 0..buckets {
                let shares = self.probabilities(betting.nodes[step], bucket as u32);
                for (&next, share) in next.iter().zip(shares) {
                    played[next * buckets + bucket] = played[step * buckets + bucket] * share;
                }
            }
        }
        played
    }
}

/// The winnings of a best response to a rule, in chips per match that reaches the street, averaged
/// over both seats: the blueprint plays both sides up to the street; there one side follows the
/// rule, and the other knows it, sees its own buckets, and has perfect recall of them. They are an
/// upper bound of the rule's loss to the blueprint itself.
///
/// # Errors
/// When the street is never reached.
pub fn best_response(
    counts: &ClassCounts,
    tree: &BettingTree,
    strategy: &dyn AbstractStrategy,
    street: Street,
    mut rule: impl FnMut(u16, Situation) -> Move,
) -> Result<f64, Error> {
    let rows = Rows::new(counts, street);
    let classes = rows.classes.clone();
    let at_blueprint = AtBlueprint { tree, strategy, street, rows };
    let columns = counts.columns().len();
    let (mut won, mut reach) = (0.0, 0.0);
    for line in lines(tree, street) {
        for player in Player::BOTH {
            let betting = StreetBetting::new(tree, line, player);
            let (sums, share) =
                at_blueprint.matchup_counts(line, player, classes.len(), columns, |column| column);
            reach += share;
            // By column, then end: matchups and margin of the classes that the rule brings there.
            let ends = betting.ends.len();
            let mut come = vec![[0.0; 2]; columns * ends];
            for (index, &class) in classes.iter().enumerate() {
                let moves: Vec<usize> = betting
                    .decisions
                    .iter()
                    .map(|&step| StreetBetting::situation(tree, betting.nodes[step], player))
                    .map(|seen| rule(class, seen) as usize)
                    .collect();
                let reached = reached_ends(&betting.steps, |decision| moves[decision]);
                for (column, sum) in sums[index * columns..][..columns].iter().enumerate() {
                    for &end in &reached {
                        let come = &mut come[column * ends + end];
                        come[0] += sum[0];
                        come[1] += sum[1];
                    }
                }
            }
            for come in come.chunks_exact(ends) {
                won += best(&at_blueprint, &betting, player, 0, come);
            }
        }
    }
    if reach <= 0.0 {
        return Err(never(street));
    }
    Ok(won / reach)
}

/// The opponent's maximum winnings from a step on.
fn best(
    at_blueprint: &AtBlueprint<'_>,
    betting: &StreetBetting,
    player: Player,
    step: usize,
    come: &[[f64; 2]],
) -> f64 {
    let after = |&next: &usize| best(at_blueprint, betting, player, next, come);
    match &betting.steps[step] {
        // Moves with the same effect lead to one step.
        Step::Own { next, .. } => {
            let first = |(at, step): &(usize, &usize)| !next[..*at].contains(step);
            next.iter().enumerate().filter(first).map(|(_, step)| after(step)).sum()
        }
        Step::Other { next } => next.iter().map(after).fold(f64::NEG_INFINITY, f64::max),
        Step::End(end) => {
            let [matchups, margin] = come[*end];
            let (chips, folded) = at_blueprint.end(betting.nodes[step], player);
            -folded.map_or_else(|| chips * margin, |chips| chips * matchups)
        }
    }
}
