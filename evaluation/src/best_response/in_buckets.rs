//! The best response of somebody who sees the agent's buckets instead of cards, over all deals.

use cards::Board;
use game::Street;
use matches::stop::Stop;
use solvers::Player;
use solvers::blueprint::exact::{Chances, DEALS, ExactError, PairCounts, check};
use solvers::subgame::response::{InBuckets, TreeStrategy, flop_kinds};

use crate::pool;

/// Why there is no measurement.
#[derive(Debug, thiserror::Error)]
pub enum InBucketsError {
    /// The agent sees more than buckets.
    #[error(
        "the agent does not play by buckets: only `cfr` has them, in the betting tree that it was trained in"
    )]
    Cards,
    /// There are too many paths of buckets.
    #[error(transparent)]
    Exact(#[from] ExactError),
    /// We have counted wrongly.
    #[error("{found} deals were counted, where there are {DEALS}: the counts are wrong")]
    Deals {
        /// Deals counted.
        found: u64,
    },
}

/// Where a run stands.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Kinds of flops that have been counted.
    pub known: usize,
    /// All kinds of flops.
    pub needed: usize,
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// For each seat, in chips a hand: what a best response wins there from the agent in the other
    /// one.
    pub best: [f64; 2],
    /// What the agent itself wins there from the agent in the other one.
    pub own: [f64; 2],
    /// Paths of buckets up to each street.
    pub paths: [usize; 4],
    /// Information sets of the agent in which it is taken to call, because play looks at the cards
    /// there.
    pub guessed: u64,
}

/// Measures, on so many threads, which do not matter for what is found. `None` when it was asked to
/// stop. `seen` is called about ten times a second.
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

/// Counts all deals.
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
