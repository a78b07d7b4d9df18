//! The results of an answer, as rows of the ledger.

use std::time::{SystemTime, UNIX_EPOCH};

use agents::HandOutcome;
use game::{BySeat, Seat};
use logs::ledger::{Known, SlumbotHand};
use logs::{DecisionRecord, HandRecord};
use protocol::slumbot::client::{Finished, News};
use protocol::slumbot::{Settled, Unsettled};

use super::super::{Contradiction, RunError};
use super::{AGENT, HandInPlay, MAX_REFUSALS, SERVER, Session};

impl Session {
    /// Records the results of an answer.
    pub(super) fn take(&mut self, news: Vec<News>) -> Result<(), RunError> {
        let mut entry = self.entry();
        let mut drift = None;
        let mut settled = Vec::new();
        let known = !news.is_empty();
        let mut begun = false;
        let mut in_vain = Ok(());
        for news in news {
            match news {
                News::Began(number) => {
                    begun = true;
                    self.open = HandInPlay {
                        number,
                        began_ms: now_ms(),
                        requests: self.open.requests,
                        waited: self.open.waited,
                        ..HandInPlay::default()
                    };
                }
                News::Finished(hand) => entry.hands.push(self.finished(*hand, &mut entry.record)),
                News::Unsettled(hand) => {
                    if hand.seen() {
                        in_vain = self.shared.failure_limits.given_up();
                    }
                    entry.hands.push(self.unsettled(&hand));
                }
                News::Settled(hand) => settled.push(hand),
                News::Drift(error) => {
                    entry.session.closed = Some(error.to_string());
                    drift = Some(error);
                }
                News::Gone(text) => {
                    self.refusals += 1;
                    entry.session.closed = Some(text);
                }
                News::Refused(_) => {}
            }
        }
        let together = |hand: &&Settled| hand.together > 1 && seen(hand);
        let together = settled.iter().filter(together).count() as u64;
        // Hands known only together are all in the run, or none is.
        let beyond = !self.shared.claim(together);
        for hand in settled {
            let row = self.settled(&hand, beyond, &entry.hands)?;
            entry.hands.retain(|other| other.hand != row.hand);
            entry.hands.push(row);
        }
        if entry.record.is_some() {
            self.shared.failure_limits.seen();
            self.unusable[0] = 0;
            in_vain = Ok(());
        }
        if begun || entry.record.is_some() {
            self.refusals = 0;
            self.shared.mark_verified();
        }
        if known {
            self.fill(&mut entry);
            self.shared.store.commit(&entry)?;
        }
        match drift {
            Some(drift) => {
                let hand = entry.record.map_or(self.open.number, |(record, _)| record.hand);
                let (url, session) = (self.shared.url(), self.session);
                Err(RunError::Contradiction {
                    url,
                    session,
                    hand,
                    reason: Contradiction::Drift(drift),
                })
            }
            None if self.refusals >= MAX_REFUSALS => {
                let reason = "it forgets every session".to_owned();
                Err(RunError::Rejected { url: self.shared.url(), reason })
            }
            None => in_vain.map_err(|hands| {
                let (reason, answered) = self.shared.last_failure();
                RunError::NoEnd { url: self.shared.url(), hands, reason, answered }
            }),
        }
    }

    /// Counts a finished hand; returns its row, and its record and decisions in `record`.
    fn finished(
        &mut self,
        hand: Finished,
        record: &mut Option<(HandRecord, Vec<DecisionRecord>)>,
    ) -> SlumbotHand {
        let open = std::mem::take(&mut self.open);
        let Finished { number, seat, public, hole, payoffs, end, disturbed } = hand;
        if let Some(agent) = &mut self.agent {
            let (public, shown) = (&public, &hole);
            agent.hand_over(&HandOutcome { hand: number, public, seat, shown, payoffs: &payoffs });
        }
        self.claimed = false;
        self.shared.store.count(|counts| {
            counts.played += 1;
            counts.chips += end.winnings;
            counts.disturbed += u64::from(disturbed);
            counts.blind += u64::from(open.blind);
        });
        let row = SlumbotHand {
            number: Some(end.session_num_hands),
            known: Known::Played,
            winnings: Some(end.winnings),
            baseline: end.baseline_winnings,
            action: protocol::slumbot::action::write(&public),
            hole: hole[seat].to_string(),
            board: public.board().to_string(),
            disturbed,
            ended_ms: Some(now_ms()),
            ..self.row(&open, number, seat)
        };
        let entrants = BySeat::from_fn(2, |other| if other == seat { AGENT } else { SERVER });
        let hand = HandRecord { hand: number, deal: number, public, hole, payoffs, entrants };
        *record = Some((hand, open.decisions));
        row
    }

    /// Counts a hand whose end is not known; returns its row.
    fn unsettled(&mut self, hand: &Unsettled) -> SlumbotHand {
        let never_seen = !hand.seen();
        let open = if !never_seen && hand.number == self.open.number {
            // Another hand is played in its place: the claim stays.
            std::mem::take(&mut self.open)
        } else {
            HandInPlay { began_ms: now_ms(), ..HandInPlay::default() }
        };
        self.shared.store.count(|counts| {
            counts.unknown_seen += u64::from(!never_seen);
            counts.unseen += u64::from(never_seen);
            counts.blind += u64::from(open.blind);
        });
        let seat = Seat::new(hand.seat.into()).expect("0 or 1");
        SlumbotHand {
            action: hand.action.clone(),
            hole: hand.hole.clone(),
            board: hand.board.clone(),
            incr: hand.incr.clone(),
            ..self.row(&open, hand.number, seat)
        }
    }

    /// Counts a hand that the session's sums have settled; returns its row, which may be among
    /// those not yet written.
    fn settled(
        &mut self,
        hand: &Settled,
        together_beyond: bool,
        unwritten: &[SlumbotHand],
    ) -> Result<SlumbotHand, RunError> {
        let store = &self.shared.store;
        let row = match &hand.hand {
            Some(known) => {
                let here = unwritten.iter().find(|row| row.hand == known.number).cloned();
                let there = || store.reader()?.slumbot_hand(known.number).map_err(RunError::from);
                match here {
                    Some(row) => Some(row),
                    None => there()?,
                }
            }
            None => None,
        };
        let seen = seen(hand);
        // If the run has all its hands, including the one played in place of this one, this one is
        // one too many.
        let beyond = match hand.together {
            1 => seen && !self.shared.claim(1),
            _ => seen && together_beyond,
        };
        store.count(|counts| {
            counts.chips += hand.winnings;
            if seen {
                counts.unknown_seen -= 1;
                counts.settled += u64::from(!beyond);
                counts.beyond += u64::from(beyond);
            } else {
                counts.unseen += u64::from(hand.hand.is_none());
                counts.unseen_settled += 1;
            }
        });
        let row = row.unwrap_or_else(|| {
            // A hand of which only its count is known.
            let open = HandInPlay { began_ms: now_ms(), ..HandInPlay::default() };
            self.row(&open, store.number(), Seat::new(0).expect("0"))
        });
        Ok(SlumbotHand {
            known: if beyond { Known::Beyond } else { Known::Settled },
            winnings: Some(hand.winnings),
            baseline: hand.baseline,
            together: hand.together as u32,
            forfeited: hand.forfeited,
            ended_ms: Some(now_ms()),
            ..row
        })
    }

    /// A row for a hand of unknown result.
    fn row(&self, open: &HandInPlay, hand: u64, seat: Seat) -> SlumbotHand {
        SlumbotHand {
            hand,
            session: self.session,
            number: None,
            known: Known::Unknown,
            seat: seat.index() as u8,
            winnings: None,
            baseline: None,
            action: String::new(),
            hole: String::new(),
            board: String::new(),
            incr: None,
            together: 1,
            forfeited: false,
            disturbed: false,
            blind: open.blind,
            began_ms: open.began_ms,
            ended_ms: None,
            requests: open.requests,
            waited: open.waited,
            thought: open.thought,
        }
    }
}

fn seen(hand: &Settled) -> bool {
    hand.hand.as_ref().is_some_and(Unsettled::seen)
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
