//! Accounting of a session: this side's hand and chip counts, compared with the host's at every end
//! of a hand. The difference settles hands whose answers were lost.
//!
//! How hands with an unknown result are settled: the host counts finished hands and adds up their
//! results. If, at the end of the next hand, the host has counted more hands than this side, some
//! of those lost had ended, and the difference of the sums is their result; the others were left
//! open, and may be forfeited later, which costs the chips that this side had put in. The betting
//! and the action that was sent limit the results of each hand, so the difference has few
//! explanations. What is the same in all of them is known of a hand. The rest is known of several
//! hands together, or unknown. Explanations are sought in three steps, each only if there is none
//! before: without hands forfeited, which happens after hours or minutes without an action; with
//! them; and with any results, if requests were carried out twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use game::{Action, BySeat, Chips, GameDef, Payoff, PublicState, Seat, Turn};
use serde::{Deserialize, Serialize};

use super::answer::{AnswerError, End};
use super::{Incr, action};

/// The most chips a hand can win or lose.
pub const STACK: i64 = 20_000;

/// What a hand that was never shown wins if the bot folded at once.
const BLIND: i64 = 50;
/// What it costs at the most if it was forfeited.
const BIG_BLIND: i64 = 100;

/// The most hands that are alike to be explained at once.
const MAX_ALIKE: u64 = 8;

/// A hand settled by the difference of the sums.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The known part of the hand; `None` for one that was never shown and not known to be dealt,
    /// and where it is not known which hand it is.
    pub hand: Option<Unsettled>,
    /// The result in chips. Of hands settled together, whose results are not known one by one, the
    /// first has the sum and the others 0.
    pub winnings: i64,
    /// The baseline, where it was settled alone and the host sends baselines.
    pub baseline: Option<i64>,
    /// Number of hands settled together; they come one after another.
    pub together: usize,
    /// Whether it was left open and its chips were taken, without its being counted.
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
    /// Hands whose result the next end of a hand may tell.
    pub unsettled: Vec<Unsettled>,
    /// Earlier ones, oldest first, which were left open: they can only be forfeited. Their number
    /// grows with the session, so they are not saved with it.
    #[serde(skip)]
    pub open: Vec<Unsettled>,
    /// Number of requests for a new hand whose answer was lost and whose effect the alternation of
    /// seats does not reveal: each may have dealt a hand that was never seen.
    pub maybe: u32,
    /// Those of them since the last end of a hand, which the next one may tell; the others can only
    /// be forfeited.
    pub maybe_ended: u32,
    /// Whether the session may have begun before this side knew it: the host's first sums are then
    /// adopted.
    pub begun_elsewhere: bool,
}

/// The explanations that are sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Played,
    Forfeited,
    Anything,
}

impl Accounts {
    /// Records the end of a hand and gives the hands settled by it.
    ///
    /// # Errors
    /// When the hands without a known result do not explain the difference.
    pub(super) fn close(&mut self, winnings: i64, end: &End) -> Result<Vec<Settled>, Drift> {
        self.adopt(winnings, end);
        let (our_hands, our_total) = (self.hands + 1, self.total + winnings);
        let drift = Drift {
            their_hands: end.session_num_hands,
            their_total: end.session_total,
            our_hands,
            our_total,
            unsettled: self.unsettled.len() + self.open.len(),
        };
        let Some(more) = end.session_num_hands.checked_sub(our_hands) else { return Err(drift) };
        let chips = end.session_total - our_total;
        let mut settled = match (more, chips) {
            (0, 0) => Vec::new(),
            _ => self.settle(more, chips).ok_or(drift)?,
        };
        if let ([alone], Some(before), Some(now)) =
            (&mut settled[..], self.baseline_total, end.session_baseline_total)
            && more == 1
        {
            alone.baseline = end.baseline_winnings.map(|this| now - before - this);
        }
        (self.hands, self.total) = (end.session_num_hands, end.session_total);
        self.baseline_total = end.session_baseline_total;
        let (waiting, open) = std::mem::take(&mut self.unsettled)
            .into_iter()
            .partition::<Vec<_>, _>(|hand| hand.ended);
        (self.unsettled, self.maybe_ended) = (waiting, 0);
        self.open.extend(open);
        Ok(settled)
    }

    /// Takes over the first sums of a session that may have begun elsewhere.
    fn adopt(&mut self, winnings: i64, end: &End) {
        if std::mem::take(&mut self.begun_elsewhere) {
            self.hands = end.session_num_hands.saturating_sub(1);
            self.total = end.session_total - winnings;
            let baselines = end.session_baseline_total.zip(end.baseline_winnings);
            self.baseline_total = baselines.map(|(total, this)| total - this);
        }
    }

    /// Checks the baselines of an end of a hand before it is [closed](Self::close), and all sums as
    /// far as they are limited by all chips.
    pub(super) fn check(&self, winnings: i64, end: &End) -> Result<(), AnswerError> {
        // The bot's own result with the same cards.
        let bots = end.baseline_winnings.map(|this| winnings - this);
        if let Some(this) =
            end.baseline_winnings.filter(|_| bots.is_some_and(|own| own.abs() > STACK))
        {
            return Err(AnswerError::beyond("baseline_winnings", this));
        }
        let unknown = self.unsettled.len() + self.open.len() + self.maybe as usize;
        let hands = end.session_num_hands.saturating_add(unknown as u64);
        let most = STACK.saturating_mul(i64::try_from(hands).unwrap_or(i64::MAX));
        if end.session_total.abs() > most {
            return Err(AnswerError::beyond("session_total", end.session_total));
        }
        let Some(total) = end.session_baseline_total else { return Ok(()) };
        let field = "session_baseline_total";
        if (end.session_total - total).abs() > most {
            return Err(AnswerError::beyond(field, total));
        }
        let (Some(before), false) = (self.baseline_total, self.begun_elsewhere) else {
            return Ok(());
        };
        let more = end.session_num_hands.saturating_sub(self.hands + 1);
        let chips = end.session_total - self.total - winnings;
        match end.baseline_winnings {
            Some(this) if (more, chips) == (0, 0) && self.unsettled.is_empty() => {
                let ours = before + this;
                let differs = AnswerError::figure(field, total, ours);
                if total == ours { Ok(()) } else { Err(differs) }
            }
            this => {
                // The bot's own results in this hand, if they are not told, and in those settled.
                let own = chips - (total - before - this.unwrap_or(winnings));
                let hands = more.max(unknown as u64) + u64::from(this.is_none());
                let most = STACK.saturating_mul(i64::try_from(hands).unwrap_or(i64::MAX));
                if own.abs() > most { Err(AnswerError::beyond(field, total)) } else { Ok(()) }
            }
        }
    }

    /// Records requests for a new hand which may have dealt hands that were never shown.
    pub(super) fn add_lost_requests(&mut self, count: u32) {
        self.maybe = self.maybe.saturating_add(count);
        self.maybe_ended = self.maybe_ended.saturating_add(count);
    }

    /// Records a hand with an unknown result.
    pub(super) fn add_unsettled(&mut self, hand: Unsettled) {
        self.unsettled.push(hand);
    }

    /// The accounts of a new session.
    pub(super) fn new(begun_elsewhere: bool) -> Accounts {
        Accounts { baseline_total: Some(0), begun_elsewhere, ..Accounts::default() }
    }

    /// Settles the hands that explain `more` hands and `chips` on the host's account; `None` if
    /// none do.
    fn settle(&mut self, more: u64, chips: i64) -> Option<Vec<Settled>> {
        let mut alike: BTreeMap<Vec<i64>, Vec<usize>> = BTreeMap::new();
        for step in [Step::Played, Step::Forfeited, Step::Anything] {
            if step == Step::Forfeited {
                for (at, hand) in self.open.iter().enumerate() {
                    alike.entry(hand.forfeits.clone()).or_default().push(at);
                }
            }
            let mut units: Vec<_> =
                self.unsettled.iter().map(|hand| ways(hand, step, more > 0)).collect();
            units.push(self.ways_never_shown(step, more));
            let forfeited = |(costs, hands): (&Vec<i64>, &Vec<usize>)| {
                ways_alike(costs, hands.len() as u64, more)
            };
            units.extend(alike.iter().map(forfeited));
            if let Some(agreed) = explain(&units, more, chips) {
                return Some(self.apply(more, chips, &agreed, alike.into_values().collect()));
            }
        }
        None
    }

    /// The ways in which hands that may have been dealt, and were never shown, are in a difference.
    fn ways_never_shown(&self, step: Step, more: u64) -> Vec<Share> {
        let most = match step {
            Step::Played | Step::Forfeited => self.maybe_ended,
            Step::Anything => self.maybe,
        };
        let most = u64::from(most).min(more).min(MAX_ALIKE);
        let mut ways = vec![Share::exactly(0, 0)];
        for count in 1..=most {
            let number = count as i64;
            // Hands known to be dealt are the likelier ones to be forfeited.
            ways.push(match step {
                Step::Played | Step::Forfeited => Share::exactly(count, number * BLIND),
                Step::Anything => Share { count, chips: [-number * BIG_BLIND, number * BLIND] },
            });
        }
        ways
    }

    /// Settles what all explanations agree on. Hands that are counted in all of them, but with
    /// different results, are settled together; if it is not even agreed which hands are counted,
    /// these remain unknown, and only their number and sum are settled.
    fn apply(
        &mut self,
        more: u64,
        chips: i64,
        agreed: &[Agreed],
        alike: Vec<Vec<usize>>,
    ) -> Vec<Settled> {
        let one = |hand, winnings, forfeited| Settled {
            hand,
            winnings,
            baseline: None,
            together: 1,
            forfeited,
        };
        // The first has the sum.
        let joint = |hands: Vec<Option<Unsettled>>, sum| {
            let together = hands.len();
            let sums = std::iter::once(sum).chain(std::iter::repeat(0));
            let each = hands.into_iter().zip(sums);
            each.map(move |(hand, chips)| Settled { together, ..one(hand, chips, false) })
        };
        let (mut settled, mut gone) = (Vec::new(), Vec::new());
        let (mut together, mut clear) = (Vec::new(), true);
        let (mut left, mut rest) = (more, chips);
        let fresh = std::mem::take(&mut self.unsettled);
        let (of_fresh, others) = agreed.split_at(fresh.len());
        for (hand, agreed) in fresh.into_iter().zip(of_fresh) {
            match (agreed.count, agreed.chips) {
                (Some(0), Some(0)) => self.unsettled.push(hand),
                (Some(count), Some(chips)) => {
                    (left, rest) = (left - count, rest - chips);
                    settled.push(one(Some(hand), chips, count == 0));
                }
                (count, _) => {
                    clear &= count == Some(1) && hand.seen();
                    together.push(hand);
                }
            }
        }
        let (never_shown, of_alike) = others.split_first().expect("there is always this unit");
        match (never_shown.count, never_shown.chips) {
            (Some(count), Some(chips)) => {
                (left, rest) = (left - count, rest - chips);
                self.maybe -= count as u32;
                settled.extend(joint(vec![None; count as usize], chips));
            }
            _ => clear = false,
        }
        for (hands, agreed) in alike.into_iter().zip(of_alike) {
            match (agreed.share, agreed.chips) {
                (Some(number), Some(chips)) => {
                    (left, rest) = (left - agreed.count.unwrap_or_default(), rest - chips);
                    // The one without an action for the longest time is forfeited first.
                    let each = hands.into_iter().take(number);
                    gone.extend(each.map(|at| (at, chips / number as i64)));
                }
                _ => clear = false,
            }
        }
        gone.sort_unstable_by_key(|&(at, _)| std::cmp::Reverse(at));
        for (at, chips) in gone {
            settled.push(one(Some(self.open.remove(at)), chips, more == 0));
        }
        if clear {
            settled.extend(joint(together.into_iter().map(Some).collect(), rest));
        } else {
            self.unsettled.extend(together);
            settled.extend(joint(vec![None; (left as usize).max(1)], rest));
        }
        settled
    }
}

/// The ways in which a hand is in a difference of sums. Forfeited hands may be counted or not.
fn ways(hand: &Unsettled, step: Step, counted: bool) -> Vec<Share> {
    let open = !hand.ended || step == Step::Anything;
    let open = open.then(|| Share::exactly(0, 0));
    let any = || vec![Share { count: 1, chips: [-STACK, STACK] }];
    let exactly = |chips: &i64| Share::exactly(1, *chips);
    let played = match &hand.results {
        _ if step == Step::Anything && hand.seen() => any(),
        _ if step == Step::Anything => {
            let ends = || hand.results.iter().flatten().chain(&hand.forfeits).copied();
            let (low, high) = (ends().min().unwrap_or(0), ends().max().unwrap_or(0));
            vec![Share { count: 1, chips: [low.min(0), high.max(0)] }]
        }
        Some(results) => results.iter().map(exactly).collect(),
        None => any(),
    };
    let forfeits = hand.forfeits.iter().filter(|_| step == Step::Forfeited);
    let forfeits = forfeits.map(|&chips| Share::exactly(counted.into(), chips));
    open.into_iter().chain(played).chain(forfeits).collect()
}

/// The ways in which some of `hands` hands left open, each of which costs one of these amounts, are
/// in a difference: forfeited ones, by their number.
fn ways_alike(costs: &[i64], hands: u64, more: u64) -> Vec<Share> {
    let (low, high) = (costs.iter().min(), costs.iter().max());
    let chips = [low, high].map(|cost| cost.copied().unwrap_or_default());
    let most = if more > 0 { more } else { MAX_ALIKE };
    let some = 0..=hands.min(most).min(MAX_ALIKE);
    some.map(|number| Share {
        count: if more > 0 { number } else { 0 },
        chips: chips.map(|cost| cost * number as i64),
    })
    .collect()
}

/// A hand whose answer was lost, so that its result is unknown, and the results that it may have.
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
    /// The results, in chips, with which the hand can have ended: none if it must be open, and
    /// `None` if more than one of this side's actions may have been played.
    pub results: Option<Vec<i64>>,
    /// The results if it is left open and forfeited: what this side had put in.
    pub forfeits: Vec<i64>,
}

/// What is known of a hand's course.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Course {
    /// At most the action whose answer was lost was played by this side.
    Known,
    /// More may have been played.
    Unknown,
}

impl Unsettled {
    /// The hand given up after this betting, in which `incr` may have been played. `None` when that
    /// is not possible.
    pub(super) fn new(
        def: &Arc<GameDef>,
        known: KnownHand<'_>,
        course: Course,
    ) -> Option<Unsettled> {
        let KnownHand { number, seat, hole, board, action, incr } = known;
        let own = Seat::new(seat.into()).filter(|_| seat < 2)?;
        let state = action::replay_any(def, action).ok()?;
        let committed = state.committed()[own];
        let ended = state.turn() == Turn::Over;
        let lost = |chips: Chips| -i64::from(chips);
        let mut forfeits = if ended { Vec::new() } else { vec![lost(committed)] };
        let results = match incr {
            None => ends(&state, own),
            Some(incr) => {
                let action = incr.parse::<Incr>().ok()?.action(&state).ok()?;
                let played = advance(state, action)?;
                forfeits.push(lost(played.committed()[own]));
                ends(&played, own)
            }
        };
        forfeits.dedup();
        Some(Unsettled {
            number,
            seat,
            hole: hole.to_owned(),
            board: board.to_owned(),
            action: action.to_owned(),
            incr: incr.map(str::to_owned),
            committed,
            ended,
            results: (course == Course::Known).then_some(results),
            forfeits,
        })
    }

    /// The record of a hand that was dealt, as the alternation of seats shows, but never shown: it
    /// has ended only if the bot folded at once.
    pub(super) fn never_shown(def: &Arc<GameDef>, number: u64, seat: u8) -> Option<Unsettled> {
        let known = KnownHand { number, seat, hole: "", board: "", action: "", incr: None };
        Unsettled::new(def, known, Course::Known)
    }

    /// A hand that an earlier process left open; `None` when these are not the data of one.
    pub fn left_open(def: &Arc<GameDef>, known: KnownHand<'_>) -> Option<Unsettled> {
        Unsettled::new(def, known, Course::Known).filter(|hand| !hand.ended)
    }

    /// Whether this side has seen its cards.
    pub fn seen(&self) -> bool {
        !self.hole.is_empty()
    }

    /// The known data.
    pub(super) fn known(&self) -> KnownHand<'_> {
        let Unsettled { number, seat, hole, board, action, incr, .. } = self;
        KnownHand { number: *number, seat: *seat, hole, board, action, incr: incr.as_deref() }
    }
}

/// The known data of an [`Unsettled`] hand.
#[derive(Debug, Clone, Copy)]
pub struct KnownHand<'a> {
    /// The hand's number.
    pub number: u64,
    /// The client's seat.
    pub seat: u8,
    /// The client's cards; empty when the hand was never shown.
    pub hole: &'a str,
    /// The board as far as it was shown.
    pub board: &'a str,
    /// The betting as far as it is known.
    pub action: &'a str,
    /// The action whose answer was lost, if any.
    pub incr: Option<&'a str>,
}

/// The results with which the hand can end from here without an action of this side.
fn ends(state: &PublicState, own: Seat) -> Vec<i64> {
    match state.turn() {
        Turn::Over if state.is_showdown() => {
            let chips = i64::from(state.committed()[own]);
            vec![chips, 0, -chips]
        }
        Turn::Over => vec![state.payoffs(&BySeat::new(2))[own].parts() / Payoff::PER_CHIP],
        Turn::Act(seat) if seat != own => {
            // After a raise or another street it is this side's turn.
            let fold = state.legal().fold.then_some(Action::Fold);
            let ends = fold.into_iter().chain([Action::Call]).filter_map(|action| {
                let next = advance(state.clone(), action)?;
                (next.turn() == Turn::Over).then(|| ends(&next, own))
            });
            ends.flatten().collect()
        }
        Turn::Act(_) | Turn::Deal(_) => Vec::new(),
    }
}

/// Plays an action and deals what is due, from any cards.
fn advance(state: PublicState, action: Action) -> Option<PublicState> {
    let board = action::any_board(state.def());
    let mut next = state.play(action).ok()?;
    next.deal_from(&board).ok()?;
    Some(next)
}

/// The most steps of a search; a difference with more explanations than that is not explained
/// hand by hand.
const MAX_STEPS: u32 = 200_000;

/// One way in which a hand, or several that are alike, may be in the difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Share {
    /// Number of hands counted.
    count: u64,
    /// The least chips, and the most.
    chips: [i64; 2],
}

impl Share {
    /// `count` hands with exactly these chips.
    fn exactly(count: u64, chips: i64) -> Share {
        Share { count, chips: [chips; 2] }
    }
}

/// What all explanations agree on about one unit; `None` where they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Agreed {
    /// The share, as an index.
    share: Option<usize>,
    /// Number of hands counted.
    count: Option<u64>,
    /// Their chips.
    chips: Option<i64>,
}

/// Takes one share of each unit so that together they have `count` hands and can have `chips`;
/// gives what all such choices agree on, and `None` if there is no such choice.
fn explain(units: &[Vec<Share>], count: u64, chips: i64) -> Option<Vec<Agreed>> {
    // What the units from each on can add at the most, and their chips at the least.
    let mut reach = vec![(0, [0, 0])];
    for shares in units.iter().rev() {
        let (most, [low, high]) = reach[reach.len() - 1];
        let ends = |end: usize| shares.iter().map(move |share| share.chips[end]);
        let count = shares.iter().map(|share| share.count).max().unwrap_or_default();
        let low = low + ends(0).min().unwrap_or_default();
        reach.push((most + count, [low, high + ends(1).max().unwrap_or_default()]));
    }
    reach.reverse();
    let chosen = Vec::with_capacity(units.len());
    let mut search = Search { units, reach, chosen, agreed: None, steps: 0 };
    search.go(count, [chips; 2]);
    let open = Agreed { share: None, count: None, chips: None };
    if search.steps > MAX_STEPS { Some(vec![open; units.len()]) } else { search.agreed }
}

struct Search<'a> {
    units: &'a [Vec<Share>],
    reach: Vec<(u64, [i64; 2])>,
    chosen: Vec<usize>,
    agreed: Option<Vec<Agreed>>,
    steps: u32,
}

impl Search<'_> {
    /// Goes on with `count` hands left to explain, and chips left: all of them less the most that
    /// was chosen, and less the least.
    fn go(&mut self, count: u64, left: [i64; 2]) {
        let at = self.chosen.len();
        let (most, [low, high]) = self.reach[at];
        self.steps += 1;
        if count > most || left[1] < low || left[0] > high || self.steps > MAX_STEPS {
            return;
        }
        let Some(shares) = self.units.get(at) else {
            if count == 0 {
                self.agree(left);
            }
            return;
        };
        for (index, share) in shares.iter().enumerate().filter(|(_, share)| share.count <= count) {
            self.chosen.push(index);
            let [least, most] = share.chips;
            self.go(count - share.count, [left[0] - most, left[1] - least]);
            self.chosen.pop();
        }
    }

    /// Compares an explanation with those before it. What is left is for the one share that is not
    /// exact, if there is only one.
    fn agree(&mut self, left: [i64; 2]) {
        let shares = self.units.iter().zip(&self.chosen).map(|(shares, &index)| shares[index]);
        let vague = shares.clone().filter(|share| share.chips[0] < share.chips[1]).count();
        let found = shares.zip(&self.chosen).map(|(share, &index)| {
            let [low, high] = share.chips;
            let chips = match (low == high, vague) {
                (true, _) => Some(low),
                (false, 1) => Some(low + left[1]),
                _ => None,
            };
            Agreed { share: Some(index), count: Some(share.count), chips }
        });
        match &mut self.agreed {
            None => self.agreed = Some(found.collect()),
            Some(agreed) => {
                for (agreed, found) in agreed.iter_mut().zip(found) {
                    agreed.share = agreed.share.filter(|_| agreed.share == found.share);
                    agreed.count = agreed.count.filter(|_| agreed.count == found.count);
                    agreed.chips = agreed.chips.filter(|_| agreed.chips == found.chips);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Agreed, Share, explain};

    /// All choices, one by one.
    fn slowly(units: &[Vec<Share>], count: u64, chips: i64) -> Option<Vec<Agreed>> {
        let mut choices = vec![Vec::new()];
        for shares in units {
            choices = choices
                .into_iter()
                .flat_map(|choice: Vec<usize>| {
                    (0..shares.len()).map(move |index| [&choice[..], &[index]].concat())
                })
                .collect();
        }
        let share = |choice: &[usize], unit: usize| units[unit][choice[unit]];
        let fits = |choice: &Vec<usize>| {
            let sum = |end: usize| (0..units.len()).map(|u| share(choice, u).chips[end]).sum();
            let counted: u64 = (0..units.len()).map(|u| share(choice, u).count).sum();
            counted == count && (sum(0)..=sum(1)).contains(&chips)
        };
        let fitting: Vec<_> = choices.into_iter().filter(fits).collect();
        let same = |values: Vec<Option<i64>>| {
            let first = values[0]?;
            values.iter().all(|value| *value == Some(first)).then_some(first)
        };
        let agreed = |unit: usize| {
            let each = |of: &dyn Fn(&Vec<usize>) -> Option<i64>| {
                same(fitting.iter().map(of).collect::<Vec<_>>())
            };
            let worth = |choice: &Vec<usize>| {
                let [low, high] = share(choice, unit).chips;
                let others = (0..units.len()).filter(|&other| other != unit);
                let exact = |other: usize| share(choice, other).chips;
                if low == high {
                    return Some(low);
                }
                let mut left = chips;
                for other in others {
                    let [low, high] = exact(other);
                    if low < high {
                        return None;
                    }
                    left -= low;
                }
                Some(left)
            };
            Agreed {
                share: each(&|choice| Some(choice[unit] as i64)).map(|index| index as usize),
                count: each(&|choice| Some(share(choice, unit).count as i64)).map(|n| n as u64),
                chips: each(&worth),
            }
        };
        (!fitting.is_empty()).then(|| (0..units.len()).map(agreed).collect())
    }

    fn unit() -> impl Strategy<Value = Vec<Share>> {
        let share = (0..3u64, -4..4i64, 0..8i64)
            .prop_map(|(count, low, more)| Share { count, chips: [low, low + (more - 5).max(0)] });
        proptest::collection::vec(share, 1..4)
    }

    proptest! {
        #[test]
        fn what_is_agreed_on_is_in_every_explanation(
            units in proptest::collection::vec(unit(), 0..5), count in 0..5u64, chips in -9..9i64,
        ) {
            prop_assert_eq!(explain(&units, count, chips), slowly(&units, count, chips));
        }
    }

    #[test]
    fn too_many_explanations_agree_on_nothing() {
        let unit: Vec<Share> = (0..9).map(|chips| Share::exactly(1, chips)).collect();
        let agreed = explain(&vec![unit; 20], 20, 90).expect("there are many");
        assert!(agreed.iter().all(|agreed| agreed.count.is_none() && agreed.chips.is_none()));
    }
}
