//! The result of a run, over this run and those it resumed.

use std::time::Duration;

use game::Payoff;
use logs::Rate;
use logs::ledger::{Known, SlumbotCounts, SlumbotHand};
use logs::stats::{DecisionTally, Sums};
use protocol::slumbot::accounts::STACK;
use serde::Serialize;

use super::RunError;
use super::run::{End, Shared};

/// The big blind in chips.
const BIG_BLIND: u32 = 100;

/// The summary of a run. Amounts are in chips, rates in mbb/hand.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The agent as it was named.
    pub agent: String,
    /// The server's address.
    pub server: String,
    /// Hands planned.
    pub hands_planned: u64,
    /// Hands finished.
    pub played: u64,
    /// Hands whose end was not seen, settled by the sums of their session.
    pub settled: u64,
    /// Hands that were dealt but are in no rate: the sum of the next two.
    pub unknown: u64,
    /// Hands whose cards were seen and whose result is not known.
    pub unknown_seen: u64,
    /// Hands that were dealt but never seen: the answer was lost, whatever the cards, and this side
    /// decided nothing in them.
    pub unseen: u64,
    /// Those of `unseen` that the server has counted all the same.
    pub unseen_settled: u64,
    /// Hands settled after the run had all its hands: in no rate.
    pub beyond: u64,
    /// Chips won in the hands of the rate.
    pub chips: i64,
    /// Chips won in all hands that the server has counted, by its sums: unseen ones and those
    /// beyond the run included.
    pub server_chips: i64,
    /// The win rate over all hands with a known result.
    pub rate: Option<Rate>,
    /// The results in the big blind and on the button; without hands settled together.
    pub seats: [PerSeat; 2],
    /// The most, in mbb/hand, by which the unknown hands can move the rate either way: the result
    /// of each is at most 200 big blinds.
    pub unknown_bound: f64,
    /// The part of `unknown_bound` due to hands whose cards were seen.
    pub unknown_seen_bound: f64,
    /// The part due to hands never seen. If answers are lost independently of the cards, these are
    /// missing at random and do not bias the rate.
    pub unseen_bound: f64,
    /// Hands in which a request was carried out twice, so that an action was not the agent's.
    pub disturbed: u64,
    /// Decisions made without the agent, because the answer that showed the board was lost.
    pub blind: u64,
    /// The number of sessions begun.
    pub sessions: usize,
    /// Sessions that the server ended, or whose sums did not agree.
    pub sessions_closed: usize,
    /// Requests for the hands above.
    pub requests: u64,
    /// Requests of this run that brought no usable answer.
    pub failures: u64,
    /// Mean time from request to answer, in milliseconds.
    pub answer_ms: Option<f64>,
    /// The duration of this run in seconds.
    pub seconds: f64,
    /// The end of this run; `null` when an error ended it.
    pub end: Option<End>,
    /// Counts and times of the agent's decisions.
    #[serde(skip)]
    pub decisions: DecisionTally,
}

/// The results in one seat.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct PerSeat {
    /// Hands with a known result.
    pub hands: u64,
    /// Chips won.
    pub chips: i64,
    /// The win rate.
    pub rate: Option<Rate>,
}

impl Summary {
    pub(super) fn new(
        shared: &Shared,
        took: Duration,
        end: &Result<End, RunError>,
    ) -> Result<Summary, RunError> {
        let reader = shared.store.reader()?;
        let mut all = Sums::default();
        let mut seats = [Sums::default(); 2];
        let (mut requests, mut waited) = (0, Duration::ZERO);
        let mut add = |hand: &SlumbotHand| {
            let Some(winnings) = hand.winnings.map(Payoff::from_chips) else { return };
            all.add(winnings, hand.together);
            // The results by seat of hands settled together are not known.
            if hand.together == 1 {
                seats[usize::from(hand.seat & 1)].add(winnings, 1);
            }
        };
        for hand in reader.slumbot_hands()? {
            requests += u64::from(hand.requests);
            waited += hand.waited;
            if hand.known == Known::Played {
                add(&hand);
            }
        }
        reader.slumbot_settled()?.iter().for_each(&mut add);
        let rate = |sums: &Sums| Rate::of(sums, BIG_BLIND).ok();
        let chips = |sums: &Sums| sums.won().parts() / Payoff::PER_CHIP;
        let seat =
            |sums: &Sums| PerSeat { hands: sums.hands, chips: chips(sums), rate: rate(sums) };
        let counts = reader.slumbot_counts()?;
        let SlumbotCounts { played, settled, unknown_seen, unseen, .. } = counts;
        let rate_of_all = rate(&all);
        let bound = |hands: u64| {
            // From the rate of the others to the most extreme result of a hand.
            let most = 1000.0 * STACK as f64 / f64::from(BIG_BLIND)
                + rate_of_all.map_or(0.0, |rate| rate.mbb.abs());
            most * hands as f64 / (played + settled + counts.unknown()).max(1) as f64
        };
        let sessions = reader.slumbot_sessions()?;
        Ok(Summary {
            agent: shared.plan.agent.name().to_owned(),
            server: shared.url(),
            hands_planned: shared.plan.hands,
            played,
            settled,
            unknown: counts.unknown(),
            unknown_seen,
            unseen,
            unseen_settled: counts.unseen_settled,
            beyond: counts.beyond,
            chips: chips(&all),
            server_chips: counts.chips,
            rate: rate_of_all,
            seats: [seat(&seats[0]), seat(&seats[1])],
            unknown_bound: bound(counts.unknown()),
            unknown_seen_bound: bound(unknown_seen),
            unseen_bound: bound(unseen),
            disturbed: counts.disturbed,
            blind: counts.blind,
            sessions: sessions.len(),
            sessions_closed: sessions.iter().filter(|session| session.closed.is_some()).count(),
            requests,
            failures: shared.failures(),
            answer_ms: (requests > 0).then(|| waited.as_secs_f64() * 1e3 / requests as f64),
            seconds: took.as_secs_f64(),
            end: end.as_ref().ok().copied(),
            decisions: shared.store.decisions(),
        })
    }
}
