//! The best response to a rule for one street.

use abstraction::betting::BettingTree;
use game::Street;

use crate::Player;
use crate::blueprint::AbstractStrategy;
use crate::fitness::betting::{Step, StreetBetting, lines};
use crate::fitness::counts::ClassCounts;
use crate::fitness::table::{FitnessError, Fold, Rows, reached_ends};
use crate::fitness::{Move, Situation};

/// The winnings of a best response to a rule, in chips per match that reaches the street, averaged
/// over both seats: the blueprint plays both sides up to the street; there one side follows the
/// rule, and the other knows it, sees its own buckets, and has perfect recall of them. They are an
/// upper bound of the rule's loss to the blueprint itself.
///
/// # Errors
/// When the street is never reached.
pub fn response(
    counts: &ClassCounts,
    tree: &BettingTree,
    strategy: &dyn AbstractStrategy,
    street: Street,
    mut rule: impl FnMut(u16, Situation) -> Move,
) -> Result<f64, FitnessError> {
    let mut classes: Vec<u16> = counts.rows().iter().map(|path| path[street.index()]).collect();
    classes.sort_unstable();
    classes.dedup();
    let fold = Fold { tree, strategy, street, rows: Rows::new(counts, &classes, street) };
    let columns = counts.columns().len();
    let (mut won, mut reach) = (0.0, 0.0);
    for line in lines(tree, street) {
        for player in Player::BOTH {
            let betting = StreetBetting::new(tree, line, player);
            let (sums, share) =
                fold.matchup_counts(line, player, classes.len(), columns, |column| column);
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
                won += best(&fold, &betting, player, 0, come);
            }
        }
    }
    if reach <= 0.0 {
        return Err(FitnessError::Never { street });
    }
    Ok(won / reach)
}

/// The opponent's maximum winnings from a step on.
fn best(
    fold: &Fold<'_>,
    betting: &StreetBetting,
    player: Player,
    step: usize,
    come: &[[f64; 2]],
) -> f64 {
    let after = |&next: &usize| best(fold, betting, player, next, come);
    match &betting.steps[step] {
        // Moves with the same effect lead to one step.
        Step::Own { next, .. } => {
            let first = |(at, step): &(usize, &usize)| !next[..*at].contains(step);
            next.iter().enumerate().filter(first).map(|(_, step)| after(step)).sum()
        }
        Step::Other { next } => next.iter().map(after).fold(f64::NEG_INFINITY, f64::max),
        Step::End(end) => {
            let [matchups, margin] = come[*end];
            let (chips, folded) = fold.end(betting.nodes[step], player);
            -folded.map_or_else(|| chips * margin, |chips| chips * matchups)
        }
    }
}
