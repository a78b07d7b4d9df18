//! The best response of a player who sees the agent's buckets instead of cards, over all deals.

use cards::Board;
use game::Street;
use matches::stop::Stop;
use solvers::Player;
use solvers::response::in_buckets::{Chances, DEALS, ExactError, PairCounts, check};
use solvers::response::in_tree::{InBuckets, TreeStrategy, flop_kinds};

use crate::pool;

/// The reason why the measurement fails.
#[derive(Debug, thiserror::Error)]
pub enum InBucketsError {
    /// The agent does not play by buckets.
    #[error(
        "the agent does not play by buckets: only `cfr` has them, in the betting tree that it was \
         trained in"
    )]
    Cards,
    /// There are too many sequences of buckets.
    #[error(transparent)]
    Exact(#[from] ExactError),
    /// The number of deals counted is wrong: an error of this program.
    #[error("{found} deals were counted, where there are {DEALS}: the counts are wrong")]
    Deals {
        /// The number of deals counted.
        found: u64,
    },
}

/// The progress of a run.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Kinds of flops counted so far.
    pub known: usize,
    /// All kinds of flops.
    pub needed: usize,
}

/// The result of the measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// The value of a best response against the agent, by seat, in chips a hand.
    pub best: [f64; 2],
    /// The value of the agent against itself, by seat, in chips a hand.
    pub own: [f64; 2],
    /// The number of sequences of buckets up to each street.
    pub paths: [usize; 4],
    /// Information sets in which the agent is taken to call, because it looks at the cards there.
    pub guessed: u64,
}

/// Measures on `threads` threads; the result does not depend on their number. `None` when it was
/// stopped. `seen` is called about ten times a second.
///
/// # Errors
/// [`InBucketsError`].
pub fn run(
    strategy: &dyn TreeStrategy,
    threads: usize,
    stop: &Stop,
    seen: &mut dyn FnMut(&Progress),
) -> Result<Option<Figures>, InBucketsError> {
    let agent = strategy.in_buckets().ok_or(InBucketsError::Cards)?;
    let Some(pair_counts) = pair_counts(&agent, threads, stop, seen)? else { return Ok(None) };
    let (chances, tree) = (Chances::new(&pair_counts), strategy.tree());
    let own = chances.value(tree, agent.strategy, Player::First);
    Ok(Some(Figures {
        best: Player::BOTH.map(|seat| chances.best_response(tree, agent.strategy, seat).won),
        own: [own, -own],
        paths: Street::ALL.map(|street| chances.count(street)),
        guessed: agent.guessed,
    }))
}

/// Counts all deals by pairs of bucket sequences.
fn pair_counts(
    agent: &InBuckets<'_>,
    threads: usize,
    stop: &Stop,
    seen: &mut dyn FnMut(&Progress),
) -> Result<Option<PairCounts>, InBucketsError> {
    check(agent.buckets)?;
    let kinds = flop_kinds();
    let flops: Vec<(Board, u64)> = kinds
        .iter()
        .map(|kind| {
            let cards: Vec<_> = kind.cards.iter().collect();
            (Board::new(&cards).expect("three cards"), kind.flops.into())
        })
        .collect();
    let mut all = PairCounts::default();
    let mut progress = Progress { known: 0, needed: flops.len() };
    seen(&progress);
    let count = |(flop, times): &(Board, u64)| {
        PairCounts::on(agent.buckets, flop).map(|pair_counts| (*flop, *times, pair_counts))
    };
    pool::each(&flops, threads, stop, count, |counted| {
        if let Some((flop, times, pair_counts)) = counted {
            all.add(&pair_counts, times, &flop)?;
            progress.known += 1;
        }
        seen(&progress);
        Ok::<(), ExactError>(())
    })?;
    if progress.known < progress.needed {
        return Ok(None);
    }
    match all.deals() {
        DEALS => Ok(Some(all)),
        found => Err(InBucketsError::Deals { found }),
    }
}
