//! Taking hands apart on many threads.
//!
//! Hands are read in order, a block at a time, on the calling thread; while it reads the next
//! block, the threads of the current rayon pool take the hands of the one before apart. They are
//! then added in order, so that every sum is the same, to the last bit, at any number of threads.

use std::ops::ControlFlow;

use game::{Payoff, Seat};
use rayon::prelude::*;

use super::{Estimates, Share};
use crate::{DecisionRecord, HandRecord};

/// Hands in a block: enough to keep many threads busy, few enough to show progress and stop soon.
const BLOCK: usize = 256;

/// What is known of a hand.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "nearly all are hands, and few are kept at a time")]
pub enum Observed {
    /// How it was played, as [`Estimates::add`] takes it.
    Hand {
        /// The hand.
        record: HandRecord,
        /// The decisions recorded in it.
        decisions: Vec<DecisionRecord>,
        /// What the baseline's owner won with the same cards.
        baseline: Option<Payoff>,
    },
    /// Its result only, as [`Estimates::add_settled`] takes it.
    Settled {
        /// The entrant's seat.
        seat: Seat,
        /// What the entrant won.
        won: Payoff,
        /// What the baseline's owner won with the same cards.
        baseline: Option<Payoff>,
    },
}

impl Estimates {
    /// Adds all these hands, in order, on all threads of the current rayon pool. `seen` is told
    /// after each block how many hands have been added, and may end it all there.
    ///
    /// # Errors
    /// The first error of `hands`; the blocks before have been added.
    pub fn add_all<E>(
        &mut self,
        hands: impl IntoIterator<Item = Result<Observed, E>>,
        seen: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, E> {
        let mut hands = hands.into_iter();
        let mut block = read(&mut hands)?;
        let mut done = 0;
        while !block.is_empty() {
            let (mut shares, mut next) = (Vec::new(), Ok(Vec::new()));
            rayon::in_place_scope(|scope| {
                let (estimates, block) = (&*self, &block);
                scope.spawn(|_| {
                    shares = block.par_iter().map(|hand| estimates.share(hand)).collect();
                });
                next = read(&mut hands);
            });
            for (share, hand) in shares.into_iter().zip(&block) {
                match (share, hand) {
                    (Some(share), _) => self.count(share),
                    (None, &Observed::Settled { seat, won, baseline }) => {
                        self.add_settled(seat, won, baseline);
                    }
                    (None, Observed::Hand { .. }) => {}
                }
            }
            done += block.len() as u64;
            if seen(done).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            block = next?;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// A hand taken apart, if there is anything to take apart.
    fn share(&self, hand: &Observed) -> Option<Share> {
        match hand {
            Observed::Hand { record, decisions, baseline } if record.entrants.len() == 2 => {
                Some(self.take_apart(record, decisions, *baseline))
            }
            Observed::Hand { .. } | Observed::Settled { .. } => None,
        }
    }
}

/// The next block.
fn read<E>(hands: &mut impl Iterator<Item = Result<Observed, E>>) -> Result<Vec<Observed>, E> {
    hands.take(BLOCK).collect()
}
