//! Accounting of a session: this side's hand and chip counts, compared with the host's at every end
//! of a hand. The difference settles hands whose answers were lost.
//!
//! How a hand with an unknown result is settled: the host counts finished hands and adds up their
//! results. If, at the end of the next hand, the host has counted one hand more than this side, the
//! lost one had ended, and the difference of the sums is its result. If not, the hand was left
//! open; it may still be forfeited later, which costs the chips that this side had put in.

use serde::{Deserialize, Serialize};

use super::answer::End;

/// The most chips a hand can win or lose.
pub const STACK: i64 = 20_000;

/// A hand with an unknown result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unsettled {
    /// The hand's number.
    pub number: u64,
    /// The client's seat: 0 or 1.
    pub seat: u8,
    /// The client's cards; empty when the hand was never shown.
    pub hole: String,
    /// The board as far as it was shown.
    pub board: String,
    /// The betting as far as it is known.
    pub action: String,
    /// The action whose answer was lost, if any.
    pub incr: Option<String>,
    /// Chips that this side has put in, as far as known.
    pub committed: u32,
    /// Whether the betting is known to its end, so that the host has counted the hand.
    pub ended: bool,
    /// The result that follows from the betting alone, if the hand ended with a fold.
    pub expected: Option<i64>,
}

/// A hand settled by the difference of the sums.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The known part of the hand; `None` for one that was never shown and not known to be dealt.
    pub hand: Option<Unsettled>,
    /// The result in chips. Of hands settled together the first has the sum and the others 0.
    pub winnings: i64,
    /// The baseline, where it was settled alone and the host sends baselines.
    pub baseline: Option<i64>,
    /// Number of hands settled together.
    pub together: usize,
    /// Whether it was left open and forfeited.
    pub forfeited: bool,
}

/// Error for sums of the host that this side cannot explain: a hand was counted twice, not at all,
/// or with another result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the sums differ: the server counts {their_hands} hands with {their_total} chips, this side \
     {our_hands} with {our_total}; hands without a known result: {unsettled}"
)]
pub struct Drift {
    /// Number of hands that the host has counted.
    pub their_hands: u64,
    /// Total chips of the host.
    pub their_total: i64,
    /// Number of hands counted on this side.
    pub our_hands: u64,
    /// Total chips on this side.
    pub our_total: i64,
    /// Number of hands without a known result.
    pub unsettled: usize,
}

/// The counts and sums of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accounts {
    /// Number of finished hands.
    pub hands: u64,
    /// Net winnings in chips.
    pub total: i64,
    /// Sum of the baselines; `None` once the host has left them out.
    pub baseline_total: Option<i64>,
    /// Hands whose result is not known.
    pub unsettled: Vec<Unsettled>,
    /// Number of requests for a new hand whose answer was lost and whose effect the alternation of
    /// seats does not reveal: each may have dealt a hand that was never seen.
    pub maybe: u32,
    /// Whether a hand was lost since the last end of one, so that the next end may settle it.
    #[serde(default)]
    pub waiting: bool,
    /// Whether the session may have begun before this side knew it: the host's first sums are then
    /// adopted.
    #[serde(default)]
    pub begun_elsewhere: bool,
}

impl Accounts {
    /// Records the end of a hand and gives the hands settled by it.
    ///
    /// # Errors
    /// When the hands without a known result do not explain the difference.
    pub(super) fn close(&mut self, winnings: i64, end: &End) -> Result<Vec<Settled>, Drift> {
        if std::mem::take(&mut self.begun_elsewhere) {
            self.hands = end.session_num_hands.saturating_sub(1);
            self.total = end.session_total - winnings;
        }
        let before = self.clone();
        self.waiting = false;
        self.hands += 1;
        self.total += winnings;
        let drift = || Drift {
            their_hands: end.session_num_hands,
            their_total: end.session_total,
            our_hands: before.hands + 1,
            our_total: before.total + winnings,
            unsettled: before.unsettled.len(),
        };
        let more = end.session_num_hands.checked_sub(self.hands).ok_or_else(drift)? as usize;
        let chips = end.session_total - self.total;
        let settled = match (more, chips) {
            (0, 0) => Vec::new(),
            (0, _) => self.forfeit(chips).ok_or_else(drift)?,
            _ => self.settle(more, chips).ok_or_else(drift)?,
        };
        let baseline = match (before.baseline_total, end.session_baseline_total) {
            (Some(before), Some(now)) if more == 1 => {
                end.baseline_winnings.map(|this| now - before - this)
            }
            _ => None,
        };
        self.hands = end.session_num_hands;
        self.total = end.session_total;
        self.baseline_total = end.session_baseline_total;
        Ok(settled.into_iter().map(|settled| Settled { baseline, ..settled }).collect())
    }

    /// Records a hand with an unknown result.
    pub(super) fn lose(&mut self, hand: Unsettled) {
        self.waiting = true;
        self.unsettled.push(hand);
    }

    /// The accounts of a new session.
    pub(super) fn new(begun_elsewhere: bool) -> Accounts {
        Accounts { baseline_total: Some(0), begun_elsewhere, ..Accounts::default() }
    }

    /// Settles a forfeited hand: `chips` were lost without a hand being counted.
    fn forfeit(&mut self, chips: i64) -> Option<Vec<Settled>> {
        let lost = |hand: &Unsettled| i64::from(hand.committed) == -chips;
        let at = self.unsettled.iter().position(lost)?;
        let hand = self.unsettled.remove(at);
        Some(vec![Settled {
            hand: Some(hand),
            winnings: chips,
            baseline: None,
            together: 1,
            forfeited: true,
        }])
    }

    /// Settles `more` hands that the host has counted with a total of `chips`.
    fn settle(&mut self, more: usize, chips: i64) -> Option<Vec<Settled>> {
        let unseen = more.saturating_sub(self.unsettled.len());
        if unseen > self.maybe as usize {
            return None;
        }
        let mut hands = self.take(more - unseen);
        let known: i64 = hands.iter().filter_map(|hand| hand.expected).sum();
        let open = hands.iter().filter(|hand| hand.expected.is_none()).count() + unseen;
        let rest = chips - known;
        // A hand nobody has seen can only have ended by the bot's fold, or by being forfeited.
        let seen = (open - unseen) as i64;
        if rest > seen * STACK + unseen as i64 * 50 || rest < -seen * STACK - unseen as i64 * 100 {
            return None;
        }
        self.maybe -= unseen as u32;
        hands.sort_by_key(|hand| hand.expected.is_some());
        let mut rest = Some(rest);
        let settled = hands.into_iter().map(Some).chain((0..unseen).map(|_| None)).map(|hand| {
            let expected = hand.as_ref().and_then(|hand| hand.expected);
            let winnings = expected.unwrap_or_else(|| rest.take().unwrap_or_default());
            let together = if expected.is_some() { 1 } else { open };
            Settled { hand, winnings, baseline: None, together, forfeited: false }
        });
        Some(settled.collect())
    }

    /// Removes the `count` hands most likely to be the ones counted: those known to have ended,
    /// then the latest.
    fn take(&mut self, count: usize) -> Vec<Unsettled> {
        let mut likeliest: Vec<usize> = (0..self.unsettled.len()).collect();
        likeliest.sort_by_key(|&at| (!self.unsettled[at].ended, usize::MAX - at));
        let mut chosen: Vec<usize> = likeliest.into_iter().take(count).collect();
        chosen.sort_unstable();
        chosen.into_iter().rev().map(|at| self.unsettled.remove(at)).collect()
    }
}
