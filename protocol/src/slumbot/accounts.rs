//! A session's sums: what this side has counted, held against what the host says at every end of a
//! hand, and hands whose answers were lost, settled by the difference.
//!
//! The evidence, once a hand's result is not known: the host counts finished hands and adds up
//! their results. When the next hand ends and the host has counted one hand more than this side,
//! the lost one had ended, and the difference of the sums is what it brought. When the host has
//! not, the hand was left open; it may still be forfeited later, which costs what this side had put
//! in.

use serde::{Deserialize, Serialize};

use super::answer::End;

/// The most chips a hand can win or lose.
pub const STACK: i64 = 20_000;

/// A hand whose result is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unsettled {
    /// The hand's number.
    pub number: u64,
    /// The client's seat: 0 or 1.
    pub seat: u8,
    /// The client's cards; empty when the hand was never shown.
    pub hole: String,
    /// The cards on the table as far as they were shown.
    pub board: String,
    /// The betting as far as it is known.
    pub action: String,
    /// The action whose answer was lost, if any.
    pub incr: Option<String>,
    /// Chips this side has put in, as far as is known.
    pub committed: u32,
    /// The betting is known to the end: the host has counted the hand.
    pub ended: bool,
    /// What the betting alone says it brought, when it ended with a fold.
    pub expected: Option<i64>,
}

/// A hand settled by the session's sums.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// What was known of the hand; `None` for one that was never shown and not known to be dealt.
    pub hand: Option<Unsettled>,
    /// What it brought. Of hands settled together the first has the sum and the others 0.
    pub winnings: i64,
    /// Its baseline, where one hand alone was settled and the host tells baselines.
    pub baseline: Option<i64>,
    /// How many hands were settled together.
    pub together: usize,
    /// It was left open and forfeited.
    pub forfeited: bool,
}

/// The host's sums are not this side's: a hand was counted twice, or not at all, or paid otherwise.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the sums differ: the server counts {their_hands} hands with {their_total} chips, this side \
     {our_hands} with {our_total}; hands without a known result: {unsettled}"
)]
pub struct Drift {
    /// Hands the host has counted.
    pub their_hands: u64,
    /// Chips the host has added up.
    pub their_total: i64,
    /// Hands counted here.
    pub our_hands: u64,
    /// Chips added up here.
    pub our_total: i64,
    /// Hands that could not be counted here.
    pub unsettled: usize,
}

/// The sums of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accounts {
    /// Hands that have ended.
    pub hands: u64,
    /// Chips won less chips lost.
    pub total: i64,
    /// Sum of the baselines, while the host tells it.
    pub baseline_total: Option<i64>,
    /// Hands whose result is not known.
    pub unsettled: Vec<Unsettled>,
    /// Requests for a new hand whose answer was lost and which the alternation of seats shows
    /// neither to have been carried out nor not: each may have dealt a hand that nobody has seen.
    pub maybe: u32,
    /// A hand has been lost since the last one ended: the next end may settle it.
    #[serde(default)]
    pub waiting: bool,
    /// The session may have begun before this side knew it: the first sums are taken as they are.
    #[serde(default)]
    pub begun_elsewhere: bool,
}

impl Accounts {
    /// A hand has ended with this result. Gives the hands that are settled by it.
    ///
    /// # Errors
    /// When no hand without a known result explains the difference.
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

    /// A hand whose result is not known.
    pub(super) fn lose(&mut self, hand: Unsettled) {
        self.waiting = true;
        self.unsettled.push(hand);
    }

    /// The sums of a new session: no baselines yet.
    pub(super) fn new(begun_elsewhere: bool) -> Accounts {
        Accounts { baseline_total: Some(0), begun_elsewhere, ..Accounts::default() }
    }

    /// Chips have gone without a hand being counted: an open hand was forfeited.
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

    /// The host has counted `more` hands with together `chips` of which this side does not know.
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

    /// Takes out the hands that are likeliest to be the ones counted: those known to have ended,
    /// then the latest.
    fn take(&mut self, count: usize) -> Vec<Unsettled> {
        let mut likeliest: Vec<usize> = (0..self.unsettled.len()).collect();
        likeliest.sort_by_key(|&at| (!self.unsettled[at].ended, usize::MAX - at));
        let mut chosen: Vec<usize> = likeliest.into_iter().take(count).collect();
        chosen.sort_unstable();
        chosen.into_iter().rev().map(|at| self.unsettled.remove(at)).collect()
    }
}
