//! Parallel computation of hands' contributions.
//!
//! Hands are read in order, a block at a time, on the calling thread; meanwhile other threads
//! compute the contributions of the previous block. These are then added in
//! order, so every sum is bit-identical at any number of threads.

use std::ops::ControlFlow;

use game::{Payoff, Seat};

use super::{Estimates, Part, Share};
use crate::{DecisionRecord, HandRecord};

/// Number of hands in a block, those that count as played not counted: enough for many threads, few
/// enough to report progress and stop soon.
const BLOCK_HANDS: usize = 256;

/// Number of all hands in a block.
const MOST_HANDS: usize = 4096;

/// An observed hand.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "nearly all are hands, and few are kept at a time")]
pub enum Observed {
    /// A hand with its record, as for [`Estimates::add`].
    Hand {
        /// The hand.
        record: HandRecord,
        /// The recorded decisions.
        decisions: Vec<DecisionRecord>,
        /// The result of the baseline's owner with the same cards.
        baseline: Option<Payoff>,
    },
    /// Only the sum of several hands, as for [`Estimates::add_together`].
    Together {
        /// The entrant's winnings in all of them.
        won: Payoff,
        /// Their number.
        hands: u32,
    },
    /// Only the result, as for [`Estimates::add_settled`].
    Settled {
        /// The entrant's seat.
        seat: Seat,
        /// The entrant's winnings.
        won: Payoff,
        /// The result of the baseline's owner with the same cards.
        baseline: Option<Payoff>,
    },
}

impl Estimates {
    /// Adds all these hands, in order, on all threads. `seen` is called
    /// after each block with the number of hands added, and may stop there.
    ///
    /// # Errors
    /// The first error of `hands`; the blocks before have been added.
    pub fn add_all<E>(
        &mut self,
        hands: impl IntoIterator<Item = Result<Observed, E>>,
        seen: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, E> {
        let mut hands = hands.into_iter();
        let mut block = self.read(&mut hands)?;
        let mut done = 0;
        while !block.is_empty() {
            let share = |hand| self.share(hand);
            let (shares, next) =
                parallel::join_here(|| parallel::map(&block, share), || self.read(&mut hands));
            for (share, hand) in shares.into_iter().zip(&block) {
                match (share, hand) {
                    (Some(share), _) => self.count(share),
                    (None, &Observed::Settled { seat, won, baseline }) => {
                        self.add_settled(seat, won, baseline);
                    }
                    (None, &Observed::Together { won, hands }) => self.add_together(won, hands),
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

    /// The contribution of a hand with a record.
    fn share(&self, hand: &Observed) -> Option<Share> {
        match hand {
            Observed::Hand { record, decisions, baseline } if record.entrants.len() == 2 => {
                Some(self.take_apart(record, decisions, *baseline))
            }
            Observed::Hand { .. } | Observed::Settled { .. } | Observed::Together { .. } => None,
        }
    }

    /// Reads the next block.
    fn read<E>(
        &self,
        hands: &mut impl Iterator<Item = Result<Observed, E>>,
    ) -> Result<Vec<Observed>, E> {
        let (mut block, mut corrected) = (Vec::new(), 0);
        while corrected < BLOCK_HANDS && block.len() < MOST_HANDS {
            let Some(hand) = hands.next().transpose()? else { break };
            corrected += usize::from(match &hand {
                Observed::Hand { record, .. } => self.sampling.part(record.deal) == Part::Corrected,
                Observed::Settled { .. } | Observed::Together { .. } => false,
            });
            block.push(hand);
        }
        Ok(block)
    }
}
