//! A session: asks the agent, sends requests, records the answers as rows of the ledger, and saves
//! its state there, from which a later run restores it.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::HandOutcome;
use backon::ExponentialBackoff;
use game::{BySeat, GameDef, InfoSet, PublicState, Seat, Turn};
use logs::ledger::{Known, WebHand, WebSession};
use logs::{DecisionRecord, Fallback, HandRecord};
use matches::bot::Bot;
use matches::bot::Decided;
use protocol::slumbot::answer::{AnswerError, Fault};
use protocol::slumbot::client::{Client, ClientError, Finished, Login, Lost, News, Next};
use protocol::slumbot::{KnownHand, Settled, Unsettled};
use tokio::time::sleep;

use super::{SLUMBOT, Shared, post};
use crate::Error;
use crate::bots;
use crate::web_run::hand::{AGENT, HandInPlay, SERVER, Saved, damaged, now_ms};
use crate::web_run::http::HttpError;
use crate::web_run::pace::MAX_CONSECUTIVE_UNUSABLE;
use crate::web_run::store::{Entry, ResumeState};
use crate::web_run::{MAX_REFUSALS, barred, gone, rejected};

/// The client side of a session, with its agent.
pub(super) struct Session {
    shared: Arc<Shared>,
    session: u64,
    client: Client,
    /// `None` while it decides on another thread.
    agent: Option<Bot>,
    open: HandInPlay,
    /// Whether the session holds a claim to one of the run's hands.
    claimed: bool,
    pauses: ExponentialBackoff,
    /// Refusals and lost sessions since the last hand.
    refusals: u32,
    /// Repeated answers in a row.
    again: u64,
    /// Unusable answers of the session: since its last finished hand, and all.
    unusable: [u64; 2],
}

impl Session {
    /// Builds the agent and resumes a session of an earlier run, or begins a new one.
    pub(super) async fn new(shared: Arc<Shared>) -> Result<Session, Error> {
        let opponents = [shared.plan.opponent.name.clone()];
        let agent = bots::build(&shared.plan.agent, &shared.def, &opponents).await?;
        let pauses = shared.pacer.pauses();
        let mut session = Session {
            client: fresh(&shared),
            session: 0,
            shared,
            agent: Some(agent),
            open: HandInPlay::default(),
            claimed: false,
            pauses,
            refusals: 0,
            again: 0,
            unusable: [0; 2],
        };
        session.resume_or_begin()?;
        session.claimed = session.client.in_hand() && session.shared.claim_reserved();
        Ok(session)
    }

    /// Resumes a session of an earlier run, if there is one, or begins a new one.
    fn resume_or_begin(&mut self) -> Result<(), Error> {
        let earlier = match self.shared.store.session() {
            Ok(earlier) => earlier,
            Err(new) => {
                (self.session, self.client, self.open) =
                    (new, fresh(&self.shared), HandInPlay::default());
                self.unusable = [0; 2];
                return Ok(());
            }
        };
        self.session = earlier.session;
        if earlier.token.is_some() {
            self.shared.mark_verified();
        }
        (self.client, self.open, self.unusable) = restore(&self.shared, &earlier)?;
        Ok(())
    }

    /// Plays until the run has all its hands or is asked to stop.
    pub(super) async fn run(&mut self) -> Result<(), Error> {
        if self.client.in_hand() && !self.claimed {
            // The run has enough hands without this one.
            return Ok(());
        }
        loop {
            if self.shared.ended() {
                return if self.client.in_hand() { self.save(None) } else { Ok(()) };
            }
            match self.client.next() {
                Next::NewHand => {
                    if !self.claim() {
                        return Ok(());
                    }
                    self.exchange().await?;
                }
                Next::Send => {
                    self.save(None)?;
                    self.exchange().await?;
                }
                Next::Decide(infoset) => self.decide(*infoset).await?,
                Next::DecideBlind(state) => self.decide_blind(&state),
                Next::Gone => self.renew()?,
            }
        }
    }

    /// Drops the agent, which may take a moment.
    pub(super) async fn leave(&mut self) {
        bots::dismiss(self.agent.take()).await;
    }

    /// Claims a hand if none is claimed; whether one is to be begun.
    fn claim(&mut self) -> bool {
        self.claimed = self.claimed || (!self.shared.stop.asked() && self.shared.claim(1));
        self.claimed && !self.shared.stop.asked()
    }

    async fn decide(&mut self, infoset: InfoSet) -> Result<(), Error> {
        let Some(agent) = self.agent.take() else { return Ok(()) };
        if !agent.is_inline() {
            // The decision may take long; what has been received must not be lost meanwhile.
            self.save(None)?;
        }
        let (agent, action) = self.open.decide(&self.shared, agent, infoset, AGENT).await;
        self.agent = Some(agent);
        self.client.act(action).expect("decide returns legal actions for the turn");
        Ok(())
    }

    /// Checks or folds: the answer that showed the board was lost, so the agent cannot be asked.
    fn decide_blind(&mut self, state: &PublicState) {
        let Turn::Act(seat) = state.turn() else { return };
        let legal = state.legal();
        let action = if legal.fold { game::Action::Fold } else { game::Action::Call };
        self.client.act(action).expect("a check, or a fold where there is a bet, is legal");
        self.open.blind += 1;
        let decided = Decided {
            action,
            corrected_from: None,
            fallback: Some(Fallback::Gone),
            strategy: None,
            values: Vec::new(),
            note: Some("the answer that showed the board was lost".into()),
            beyond_model: false,
        };
        let hole = BySeat::<cards::HoleCards>::new(2)[seat];
        let infoset = InfoSet { public: state.clone(), seat, hole };
        self.open.decisions.push(decided.record(&infoset, self.open.number, AGENT, Duration::ZERO));
    }

    /// Sends the next request and processes the answer.
    async fn exchange(&mut self) -> Result<(), Error> {
        let shared = Arc::clone(&self.shared);
        // When asked to stop during an outage, the hand in play stays in the ledger to be resumed.
        if !shared.pacer.permit(|| shared.ended() || shared.stop.asked()).await {
            return if shared.ended() || self.shared.stop.asked() {
                self.suspend()
            } else {
                Ok(())
            };
        }
        let Some(request) = self.client.request() else { return Ok(()) };
        let before = Instant::now();
        let flight = shared.pacer.begin();
        let answer = post(&shared.http, request.endpoint, request.body).await;
        drop(flight);
        self.open.requests += 1;
        self.open.waited += before.elapsed();
        match answer {
            Ok(body) => self.receive(&body).await,
            Err(error) => self.handle_failure(error).await,
        }
    }

    async fn receive(&mut self, body: &[u8]) -> Result<(), Error> {
        let shared = Arc::clone(&self.shared);
        match self.client.receive(body, || shared.store.number()) {
            Ok(news) => {
                self.again = 0;
                let refused = news.iter().find_map(|news| match news {
                    News::Refused(text) | News::Gone(text) => Some(text.clone()),
                    _ => None,
                });
                if let Some(text) = &refused {
                    shared.note_failure(text, true);
                }
                let gone = matches!(self.client.next(), Next::Gone);
                self.take(news)?;
                match refused.filter(|_| !gone) {
                    Some(text) => self.refused(&text).await,
                    None => {
                        shared.pacer.note_answer();
                        self.pauses = shared.pacer.pauses();
                        Ok(())
                    }
                }
            }
            Err(ClientError::Answer(error)) => {
                if !shared.verified() && !error.is_cut() {
                    return Err(self.not_slumbot(&error));
                }
                self.unusable(&error, body)?;
                shared.note_failure(&error.to_string(), true);
                self.pause(&error.to_string(), None).await
            }
            Err(ClientError::Contradiction { reason, .. }) if !shared.verified() => {
                Err(self.not_slumbot(&reason))
            }
            Err(error) => {
                let hand = self.open.number;
                self.close(&error.to_string())?;
                Err(self.contradiction(hand, &error))
            }
        }
    }

    fn not_slumbot(&self, error: &AnswerError) -> Error {
        SLUMBOT.is_not(&self.shared.url(), &error.to_string(), SLUMBOT.check_host)
    }

    /// The error that the server's results contradict the cards, the betting or its sums.
    fn contradiction(&self, hand: u64, reason: &dyn Display) -> Error {
        let (session, url) = (self.session, self.shared.url());
        Error::contradiction(format!(
            "session {session} at {url}, hand {hand}: {reason}; the session is abandoned"
        ))
    }

    /// Counts an unusable answer; an error when a limit is reached.
    fn unusable(&mut self, error: &AnswerError, body: &[u8]) -> Result<(), Error> {
        let often = match error.fault() {
            Fault::Line | Fault::Contradiction => return Ok(()),
            Fault::Again => {
                self.again += 1;
                let often = format!("{} that were given before", self.again);
                if self.again >= MAX_CONSECUTIVE_UNUSABLE { Err(often) } else { Ok(()) }
            }
            Fault::Unusable => {
                self.unusable = self.unusable.map(|count| count + 1);
                let counts = self.shared.store.counts();
                self.shared.failure_limits.unusable(counts.played + counts.settled)
            }
        };
        let (reason, text) = (error.to_string(), self.client.shown(body));
        self.shared.note_unusable(format!("{reason}: `{text}`"));
        let Err(often) = often else { return Ok(()) };
        self.keep()?;
        let url = self.shared.url();
        Err(Error::useless(format!(
            "{url} gives answers that are not Slumbot's, {often}: {reason}: `{text}`"
        )))
    }

    /// Saves the session's state, if there is a session yet.
    fn keep(&self) -> Result<(), Error> {
        if self.client.token().is_some() { self.save(None) } else { Ok(()) }
    }

    /// Handles a request without a readable answer.
    async fn handle_failure(&mut self, error: HttpError) -> Result<(), Error> {
        let reason = error.reason().to_owned();
        let answered = !matches!(error, HttpError::Unsent(_) | HttpError::Maybe(..));
        self.shared.note_failure(&reason, answered);
        let mut wait = None;
        match error {
            HttpError::Unsent(_) => self.client.lost(Lost::Unsent),
            HttpError::Maybe(_, longer) => {
                self.client.lost(Lost::Maybe);
                wait = longer;
            }
            HttpError::Foreign(_, remedy) if !self.shared.verified() => {
                return Err(SLUMBOT.is_not(&self.shared.url(), &reason, remedy));
            }
            HttpError::Barred(_, remedy) if !self.shared.verified() => {
                return Err(barred(&self.shared.url(), &reason, remedy));
            }
            HttpError::Foreign(..) | HttpError::Barred(..) => self.client.lost(Lost::Maybe),
            HttpError::Rejected(_) => {
                self.client.lost(Lost::Maybe);
                self.refusals += 1;
                if self.refusals >= MAX_REFUSALS {
                    return Err(rejected(&self.shared.url(), &reason));
                }
            }
        }
        self.pause(&reason, wait).await
    }

    /// Handles a refusal by the server; an error after too many.
    async fn refused(&mut self, text: &str) -> Result<(), Error> {
        self.refusals += 1;
        let asked = self.client.request().map(|request| request.endpoint);
        if self.refusals >= MAX_REFUSALS || asked == Some(protocol::slumbot::Endpoint::Login) {
            let what = asked.map_or("a request", |endpoint| endpoint.name());
            let reason = format!("to {what} it says `{text}`");
            return Err(rejected(&self.shared.url(), &reason));
        }
        self.pause(text, None).await
    }

    /// Pauses this session after a failure, and tells the pacer, which may pause all.
    async fn pause(&mut self, reason: &str, wait: Option<Duration>) -> Result<(), Error> {
        tracing::debug!(session = self.session, reason, "no usable answer");
        self.shared.failed();
        self.keep()?;
        let pause = self.pauses.next().unwrap_or(self.shared.plan.pace.longest_pause);
        let pause = wait.map_or(pause, |wait| pause.max(wait.min(Duration::from_secs(600))));
        if let Err(waited) = self.shared.pacer.note_failure(reason) {
            return Err(gone(&self.shared.url(), waited, reason));
        }
        sleep(pause).await;
        Ok(())
    }

    /// Begins another session: the server has ended this one.
    fn renew(&mut self) -> Result<(), Error> {
        let ended = self.session;
        self.resume_or_begin()?;
        tracing::warn!(ended, begun = self.session, "the server has ended a session");
        Ok(())
    }
}

fn fresh(shared: &Shared) -> Client {
    let mut client = Client::new(Arc::clone(&shared.def), shared.login.clone());
    client.against(shared.opponent.clone());
    client
}

impl Session {
    /// Records the results of an answer.
    fn take(&mut self, news: Vec<News>) -> Result<(), Error> {
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
                Err(self.contradiction(hand, &drift))
            }
            None if self.refusals >= MAX_REFUSALS => {
                Err(rejected(&self.shared.url(), "it forgets every session"))
            }
            None => in_vain.map_err(|hands| {
                let (reason, answered) = self.shared.last_failure();
                let text = format!(
                    "{}: {hands} hands in a row had no visible end: {reason}",
                    self.shared.url()
                );
                // If the server answered, the connection is not at fault.
                if answered { Error::useless(text) } else { Error::gone(text) }
            }),
        }
    }

    /// Counts a finished hand; returns its row, and its record and decisions in `record`.
    fn finished(
        &mut self,
        hand: Finished,
        record: &mut Option<(HandRecord, Vec<DecisionRecord>)>,
    ) -> WebHand {
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
        let row = WebHand {
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
    fn unsettled(&mut self, hand: &Unsettled) -> WebHand {
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
        WebHand {
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
        unwritten: &[WebHand],
    ) -> Result<WebHand, Error> {
        let store = &self.shared.store;
        let row = match &hand.hand {
            Some(known) => {
                let here = unwritten.iter().find(|row| row.hand == known.number).cloned();
                let there = || store.reader()?.web_hand(known.number).map_err(Error::from);
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
        Ok(WebHand {
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
    fn row(&self, open: &HandInPlay, hand: u64, seat: Seat) -> WebHand {
        open.row(self.session, hand, seat)
    }
}

fn seen(hand: &Settled) -> bool {
    hand.hand.as_ref().is_some_and(Unsettled::seen)
}

impl Session {
    /// Saves the session's state; `closed` is the reason if it has ended.
    fn save(&self, closed: Option<String>) -> Result<(), Error> {
        let mut entry = self.entry();
        entry.session.closed = closed;
        self.fill(&mut entry);
        self.shared.store.commit(&entry)
    }

    fn close(&self, reason: &str) -> Result<(), Error> {
        self.save(Some(reason.to_owned()))
    }

    /// Makes all sessions leave, and saves the hand in play to be resumed later.
    fn suspend(&self) -> Result<(), Error> {
        self.shared.suspend_all();
        if self.client.in_hand() { self.save(None) } else { Ok(()) }
    }

    fn entry(&self) -> Entry {
        let session =
            WebSession { session: self.session, token: None, closed: None, state: String::new() };
        Entry { record: None, hands: Vec::new(), score: None, session }
    }

    fn fill(&self, entry: &mut Entry) {
        entry.session.token = self.client.token().map(str::to_owned);
        let (client, trouble) = (self.client.save(), self.shared.last_failure());
        let saved = Saved::new(client, &self.open, self.unusable, trouble);
        entry.session.state = saved.to_json();
    }
}

/// Reads a saved session.
fn read(
    folder: &Path,
    def: &Arc<GameDef>,
    login: Option<Login>,
    session: &WebSession,
) -> Result<(Saved, Client), Error> {
    let number = session.session;
    let damaged = |reason: &dyn Display| damaged(folder, number, reason);
    let saved = Saved::read(folder, session)?;
    let client = Client::restore(Arc::clone(def), session.token.clone(), login, &saved.client);
    let client = client.map_err(|error| damaged(&error))?;
    if session.token.is_none() && (client.in_hand() || client.accounts().hands > 0) {
        return Err(damaged(&"it has hands, but no token"));
    }
    Ok((saved, client))
}

/// The saved session, its hand in play, and its counts of unusable answers.
fn restore(shared: &Shared, session: &WebSession) -> Result<(Client, HandInPlay, [u64; 2]), Error> {
    let (folder, login) = (&shared.plan.folder, shared.login.clone());
    let (saved, mut client) = read(folder, &shared.def, login, session)?;
    shared.recall(saved.trouble.clone());
    client.against(shared.opponent.clone());
    // Hands that were dealt are not in the saved state once they can only be forfeited.
    let open = shared.store.reader()?.web_unknown(session.session)?;
    let left_open = |hand: &WebHand| {
        let WebHand { hand: number, seat, hole, board, action, incr, .. } = hand;
        let (number, seat, incr) = (*number, *seat, incr.as_deref());
        let known = KnownHand { number, seat, hole, board, action, incr };
        Unsettled::left_open(&shared.def, known)
    };
    client.left_open(open.iter().filter_map(left_open));
    let open = saved.open(folder, session.session)?;
    Ok((client, open, saved.unusable))
}

/// Reads a saved session's state.
///
/// # Errors
/// When it is damaged.
pub(super) fn resume_state(
    folder: &Path,
    def: &Arc<GameDef>,
    session: &WebSession,
) -> Result<ResumeState, Error> {
    let (saved, client) = read(folder, def, None, session)?;
    let Saved { number, unusable, .. } = saved;
    Ok(ResumeState { number, in_hand: client.in_hand(), unusable })
}
