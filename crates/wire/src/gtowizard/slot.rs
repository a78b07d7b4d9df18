//! A slot for hands: asks the agent, sends requests, records the answers as rows of the ledger, and
//! saves its state there, from which a later run restores it.
//!
//! Hands that the run finds open come first. One in which others have acted for this side is played
//! to its end, so that it does not hold a place for ever, and is in no rate.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use agents::HandOutcome;
use backon::ExponentialBackoff;
use game::{BySeat, GameDef, InfoSet, Seat};
use logs::HandRecord;
use logs::ledger::{HandScore, Known, WebHand, WebSession};
use matches::bot::Bot;
use matches::plan::fresh_seed;
use parallel::lock;
use protocol::gtowizard::answer::{self, Fault};
use protocol::gtowizard::client::{Client, ClientError, Finished, News, Next, Request, Unseen};
use protocol::gtowizard::{AnswerError, Endpoint, Shown};
use reqwest::StatusCode;
use tokio::time::sleep;

use super::{GTO_WIZARD, Shared, list_path, unclaimed};
use crate::web_run::hand::{AGENT, HandInPlay, SERVER, Saved, damaged, now_ms};
use crate::web_run::http::{HttpError, Reply};
use crate::web_run::store::{Entry, ResumeState};
use crate::web_run::{MAX_REFUSALS, barred, gone, rejected};
use crate::{Error, bots};

/// A slot with its agent.
pub(super) struct Slot {
    shared: Arc<Shared>,
    session: u64,
    client: Client,
    /// `None` while it decides on another thread.
    agent: Option<Bot>,
    open: HandInPlay,
    /// Whether the slot holds a claim to one of the run's hands.
    claimed: bool,
    pauses: ExponentialBackoff,
    /// Refusals since the last hand.
    refusals: u32,
    /// Since when the server has had too many open hands.
    full: Option<Instant>,
    /// Unusable answers of the slot: since its last finished hand, and all.
    unusable: [u64; 2],
}

impl Slot {
    /// Builds the agent and resumes a slot of an earlier run, or begins a new one.
    pub(super) async fn new(shared: Arc<Shared>) -> Result<Slot, Error> {
        let opponents = [shared.plan.opponent.name.clone()];
        let agent = bots::build(&shared.plan.agent, &shared.def, &opponents).await?;
        let pauses = shared.pacer.pauses();
        let mut slot = Slot {
            client: fresh(&shared),
            session: 0,
            shared,
            agent: Some(agent),
            open: HandInPlay::default(),
            claimed: false,
            pauses,
            refusals: 0,
            full: None,
            unusable: [0; 2],
        };
        // The list of open hands was read before.
        slot.shared.mark_verified();
        if !slot.resume()? {
            slot.session = slot.shared.store.session().err().unwrap_or_default();
        }
        Ok(slot)
    }

    /// Resumes a slot of an earlier run; `false` when there is none left.
    fn resume(&mut self) -> Result<bool, Error> {
        let Some(earlier) = self.shared.store.earlier() else { return Ok(false) };
        self.session = earlier.session;
        let (folder, def) = (&self.shared.plan.folder, &self.shared.def);
        let (saved, client) = read(folder, def, self.shared.version, &earlier)?;
        self.client = client;
        self.client.against(self.shared.against.clone());
        self.open = saved.open(folder, earlier.session)?;
        self.unusable = saved.unusable;
        self.shared.recall(saved.trouble);
        self.claimed = self.client.in_hand() && self.shared.claim_reserved();
        Ok(true)
    }

    /// Plays until the run has all its hands or is asked to stop.
    pub(super) async fn run(&mut self) -> Result<(), Error> {
        loop {
            if self.shared.ended() {
                return if self.client.in_hand() { self.save() } else { Ok(()) };
            }
            match self.client.next() {
                Next::NewHand => {
                    if !self.begin().await? {
                        return Ok(());
                    }
                }
                Next::FindLost => self.find_lost().await?,
                Next::Send => {
                    self.save()?;
                    self.exchange().await?;
                }
                Next::Decide(infoset) => self.decide(*infoset).await?,
            }
        }
    }

    /// Drops the agent, which may take a moment.
    pub(super) async fn leave(&mut self) {
        bots::dismiss(self.agent.take()).await;
    }

    /// Takes up a hand that is open, resumes one of an earlier run, or asks for a new one; `false`
    /// when there is nothing more to do.
    async fn begin(&mut self) -> Result<bool, Error> {
        if self.shared.stop.asked() {
            return Ok(false);
        }
        let found = lock(&self.shared.found).pop_front();
        if let Some(shown) = found {
            self.adopt(shown)?;
            return Ok(true);
        }
        if !self.claimed && self.resume()? {
            return Ok(true);
        }
        self.claimed = self.claimed || self.shared.claim(1);
        if self.claimed {
            self.exchange().await?;
            return Ok(true);
        }
        // A lost request may have left a hand open, which would hold a place for ever.
        if self.shared.lost_deals.swap(0, Ordering::Relaxed) > 0 {
            self.find_lost().await?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Plays a hand that is open; a whole one counts, if the run has room for it.
    fn adopt(&mut self, shown: Shown) -> Result<(), Error> {
        if !self.shared.take_up(shown.id) {
            self.client.nothing_lost();
            return Ok(());
        }
        let news = self.client.adopt(shown, self.shared.store.number());
        self.take(news)
    }

    /// Looks for a hand that was dealt and that nobody has seen.
    async fn find_lost(&mut self) -> Result<(), Error> {
        let shared = Arc::clone(&self.shared);
        let reply = {
            let _dealing = shared.dealing.write().await;
            match self
                .send(&Request { endpoint: Endpoint::InProgress, path: list_path(), body: None })
                .await
            {
                Some(reply) => reply,
                None => return Ok(()),
            }
        };
        let body = match reply.and_then(|reply| reply.ok(&GTO_WIZARD)) {
            Ok(body) => body,
            Err(error) => return self.failed(error).await,
        };
        match answer::read_list(&shared.def, shared.version, &body) {
            Ok(list) => {
                shared.pacer.note_answer();
                self.pauses = shared.pacer.pauses();
                let open = unclaimed(&shared.url(), list, &lock(&shared.taken))?;
                // Another slot may know of one already.
                lock(&shared.found).extend(open);
                let found = lock(&shared.found).pop_front();
                match found {
                    Some(shown) => self.adopt(shown),
                    None => {
                        self.client.nothing_lost();
                        Ok(())
                    }
                }
            }
            Err(error) => {
                self.count_unusable(&error, &body)?;
                self.pause(&error.to_string(), None).await
            }
        }
    }

    async fn decide(&mut self, infoset: InfoSet) -> Result<(), Error> {
        let Some(agent) = self.agent.take() else { return Ok(()) };
        if !agent.is_inline() {
            // The decision may take long; what has been received must not be lost meanwhile.
            self.save()?;
        }
        let (agent, action) = self.open.decide(&self.shared, agent, infoset, AGENT).await;
        self.agent = Some(agent);
        self.client.act(action).expect("decide returns legal actions for the turn");
        Ok(())
    }

    /// Sends a request and counts its time; `None` when the run ends before.
    async fn send(&mut self, request: &Request) -> Option<Result<Reply, HttpError>> {
        let shared = Arc::clone(&self.shared);
        if !shared.pacer.permit(|| shared.ended() || shared.stop.asked()).await {
            shared.suspend_all();
            return None;
        }
        let before = Instant::now();
        let flight = shared.pacer.begin();
        let reply = shared.http.send(&request.path, request.body.clone()).await;
        drop(flight);
        self.open.requests += 1;
        self.open.waited += before.elapsed();
        Some(reply)
    }

    /// Sends the client's request and processes the answer.
    async fn exchange(&mut self) -> Result<(), Error> {
        let Some(request) = self.client.request() else { return Ok(()) };
        let shared = Arc::clone(&self.shared);
        // A hand that is just being dealt is not a lost one.
        let deals = request.endpoint == Endpoint::NewHand;
        let dealing = if deals { Some(shared.dealing.read().await) } else { None };
        let Some(reply) = self.send(&request).await else { return Ok(()) };
        let reply = match reply {
            Ok(reply) if matches!(reply.status, StatusCode::OK | StatusCode::CREATED) => {
                return self.receive(&reply.body).await;
            }
            Ok(reply) => reply,
            Err(error) => {
                drop(dealing);
                return self.lost(request.endpoint, error).await;
            }
        };
        drop(dealing);
        match reply.status {
            StatusCode::CONFLICT if request.endpoint != Endpoint::InProgress => {
                shared.pacer.note_answer();
                let news = self.client.conflict();
                self.take(news)?;
                self.wait_for_room().await
            }
            StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => {
                let said = String::from_utf8_lossy(&reply.body).into_owned();
                let url = self.shared.url();
                let news = self.client.refused(&said);
                let news = news.map_err(|error| Error::contradiction(format!("{url}: {error}")))?;
                self.take(news)?;
                let reason = reply.ok(&GTO_WIZARD).err();
                let reason = reason.map_or(said, |error| error.reason().to_owned());
                self.refusals += 1;
                if self.refusals >= MAX_REFUSALS {
                    return Err(rejected(&url, &reason));
                }
                self.pause(&reason, None).await
            }
            // A server that has lost a hand does not list it either.
            StatusCode::NOT_FOUND | StatusCode::GONE if request.endpoint == Endpoint::Act => {
                self.lost(request.endpoint, HttpError::Maybe("the hand is not known".into(), None))
                    .await
            }
            _ => match reply.ok(&GTO_WIZARD) {
                Err(error) => self.lost(request.endpoint, error).await,
                Ok(_) => Ok(()),
            },
        }
    }

    async fn receive(&mut self, body: &[u8]) -> Result<(), Error> {
        let shared = Arc::clone(&self.shared);
        match self.client.receive(body, || shared.store.number()) {
            Ok(news) => {
                shared.pacer.note_answer();
                self.pauses = shared.pacer.pauses();
                self.take(news)
            }
            Err(ClientError::Answer(error)) => {
                self.note_lost();
                self.count_unusable(&error, body)?;
                shared.note_failure(&error.to_string(), true);
                self.pause(&error.to_string(), None).await
            }
            Err(error) => {
                self.save()?;
                let (hand, url) = (self.open.number, shared.url());
                let text = format!("{url}, hand {hand} of the run: {error}");
                match &error {
                    ClientError::Contradiction { reason, .. }
                        if reason.fault() == Fault::OtherGame =>
                    {
                        Err(Error::useless(text))
                    }
                    _ => Err(Error::contradiction(text)),
                }
            }
        }
    }

    /// Handles a request of the client's whose answer is lost, or that was never sent.
    async fn lost(&mut self, endpoint: Endpoint, error: HttpError) -> Result<(), Error> {
        if !matches!(error, HttpError::Unsent(_)) {
            self.client.lost();
            if endpoint == Endpoint::NewHand {
                self.note_lost();
            }
        }
        self.failed(error).await
    }

    /// Notes that a hand may have been dealt that nobody has seen.
    fn note_lost(&self) {
        if matches!(self.client.next(), Next::FindLost) {
            self.shared.lost_deals.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Handles a request without an answer that can be used.
    async fn failed(&mut self, error: HttpError) -> Result<(), Error> {
        let reason = error.reason().to_owned();
        let answered = !matches!(error, HttpError::Unsent(_) | HttpError::Maybe(..));
        self.shared.note_failure(&reason, answered);
        let wait = match error {
            HttpError::Maybe(_, wait) => wait,
            HttpError::Unsent(_) => None,
            HttpError::Barred(_, remedy) => {
                self.save()?;
                return Err(barred(&self.shared.url(), &reason, remedy));
            }
            HttpError::Foreign(..) | HttpError::Rejected(_) => {
                self.refusals += 1;
                if self.refusals >= MAX_REFUSALS {
                    return Err(rejected(&self.shared.url(), &reason));
                }
                None
            }
        };
        self.pause(&reason, wait).await
    }

    /// Counts an unusable answer; an error when a limit is reached.
    fn count_unusable(&mut self, error: &AnswerError, body: &[u8]) -> Result<(), Error> {
        let (url, text) = (self.shared.url(), answer::shown_body(body));
        match error.fault() {
            Fault::Line | Fault::Again | Fault::Contradiction => return Ok(()),
            Fault::OtherGame => {
                return Err(Error::useless(format!("{url}: {error}: `{text}`")));
            }
            Fault::Unusable => {}
        }
        self.unusable = self.unusable.map(|count| count + 1);
        let counts = self.shared.store.counts();
        let often = self.shared.failure_limits.unusable(counts.played + counts.settled);
        self.shared.note_unusable(format!("{error}: `{text}`"));
        let Err(often) = often else { return Ok(()) };
        self.save()?;
        Err(Error::useless(format!(
            "{url} gives answers that are not those of its API, {often}: {error}: `{text}`"
        )))
    }

    /// Waits while the server has too many open hands; an error when that lasts too long.
    async fn wait_for_room(&mut self) -> Result<(), Error> {
        let Some(since) = self.full else { return Ok(()) };
        let (lasted, most) = (since.elapsed(), self.shared.plan.pace.give_up);
        if lasted >= most {
            let reason = "too many hands are open with this key, and none of them is in its list";
            return Err(gone(&self.shared.url(), lasted, reason));
        }
        // Another program with this key may have left them open, or a request that was lost.
        if self.shared.lost_deals.swap(0, Ordering::Relaxed) > 0 {
            return self.find_lost().await;
        }
        let pause = self.jittered();
        sleep(pause).await;
        Ok(())
    }

    /// The next pause, drawn from nothing to its whole length ("full jitter"), so that slots that
    /// failed together do not come back together.
    fn jittered(&mut self) -> Duration {
        let longest = self.shared.plan.pace.longest_pause;
        let pause = self.pauses.next().unwrap_or(longest).min(longest);
        pause.mul_f64((fresh_seed() >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// Pauses this slot after a failure, and tells the pacer, which may pause all.
    async fn pause(&mut self, reason: &str, wait: Option<Duration>) -> Result<(), Error> {
        tracing::debug!(slot = self.session, reason, "no usable answer");
        self.shared.failed();
        self.save()?;
        let pause = self.jittered();
        let pause = wait.map_or(pause, |wait| pause.max(wait.min(Duration::from_secs(600))));
        if let Err(waited) = self.shared.pacer.note_failure(reason) {
            return Err(gone(&self.shared.url(), waited, reason));
        }
        sleep(pause).await;
        Ok(())
    }
}

impl Slot {
    /// Records the results of an answer.
    fn take(&mut self, news: Vec<News>) -> Result<(), Error> {
        let mut entry = self.entry();
        let (mut known, mut in_vain) = (false, Ok(()));
        for news in news {
            match news {
                News::Began(number) => {
                    (known, self.full, self.refusals) = (true, None, 0);
                    if let Some(id) = self.client.id() {
                        self.shared.take_up(id);
                    }
                    self.open = HandInPlay {
                        number,
                        began_ms: now_ms(),
                        requests: self.open.requests,
                        waited: self.open.waited,
                        ..HandInPlay::default()
                    };
                }
                News::Finished(hand) => {
                    known = true;
                    self.shared.failure_limits.seen();
                    self.unusable[0] = 0;
                    self.finished(*hand, &mut entry);
                }
                News::Unseen(hand) => {
                    known = true;
                    in_vain = self.shared.failure_limits.given_up();
                    entry.hands.push(self.unseen(&hand));
                }
                News::Full => _ = self.full.get_or_insert_with(Instant::now),
                News::Refused(_) => {}
            }
        }
        if known {
            entry.session.state = self.saved();
            self.shared.store.commit(&entry)?;
        }
        in_vain.map_err(|hands| {
            let (reason, answered) = self.shared.last_failure();
            let url = self.shared.url();
            let text = format!("{url}: {hands} hands in a row had no visible end: {reason}");
            if answered { Error::useless(text) } else { Error::gone(text) }
        })
    }

    /// Counts a finished hand, and adds its row, its score and its record to the entry.
    fn finished(&mut self, hand: Finished, entry: &mut Entry) {
        let open = std::mem::take(&mut self.open);
        let Finished { number, id, seat, public, hole, payoffs, winnings, .. } = hand;
        if let Some(agent) = &mut self.agent {
            let (public, shown) = (&public, &hole);
            agent.hand_over(&HandOutcome { hand: number, public, seat, shown, payoffs: &payoffs });
        }
        self.shared.take_up(id);
        // One that others have begun is in no rate, nor is one too many.
        let counts = !hand.foreign && (self.claimed || self.shared.claim(1));
        self.claimed = self.claimed && !counts;
        self.shared.store.count(|sums| {
            sums.played += u64::from(counts);
            sums.beyond += u64::from(!counts);
            sums.chips += winnings;
            sums.disturbed += u64::from(hand.disturbed);
        });
        entry.hands.push(WebHand {
            number: Some(id),
            known: if counts { Known::Played } else { Known::Beyond },
            winnings: Some(winnings),
            action: protocol::slumbot::action::write(&public),
            hole: hole[seat].to_string(),
            board: public.board().to_string(),
            disturbed: hand.disturbed,
            ended_ms: Some(now_ms()),
            ..open.row(self.session, number, seat)
        });
        if counts {
            entry.score = Some(HandScore { hand: number, id, aivat: hand.aivat_score });
            let entrants = BySeat::from_fn(2, |other| if other == seat { AGENT } else { SERVER });
            let record = HandRecord { hand: number, deal: number, public, hole, payoffs, entrants };
            entry.record = Some((record, open.decisions));
        }
    }

    /// Counts a hand whose end was not seen; returns its row. Another hand is played in its place:
    /// the claim stays. Hands that ended with this side's fold are no exception, although their
    /// result is known: they would be in the rate more often than others.
    fn unseen(&mut self, hand: &Unseen) -> WebHand {
        let open = std::mem::take(&mut self.open);
        self.shared.store.count(|counts| counts.unknown_seen += 1);
        let seat = Seat::new(usize::from(hand.seat & 1)).expect("0 or 1");
        WebHand {
            number: Some(hand.id),
            action: hand.action.clone(),
            hole: hand.hole.clone(),
            board: hand.board.clone(),
            incr: Some(hand.incr.clone()),
            ..open.row(self.session, hand.number, seat)
        }
    }

    /// Saves the slot's state.
    fn save(&self) -> Result<(), Error> {
        let mut entry = self.entry();
        entry.session.state = self.saved();
        self.shared.store.commit(&entry)
    }

    fn saved(&self) -> String {
        let (client, trouble) = (self.client.save(), self.shared.last_failure());
        Saved::new(client, &self.open, self.unusable, trouble).to_json()
    }

    fn entry(&self) -> Entry {
        let (session, state) = (self.session, String::new());
        let session = WebSession { session, token: None, closed: None, state };
        Entry { record: None, hands: Vec::new(), score: None, session }
    }
}

fn fresh(shared: &Shared) -> Client {
    let mut client = Client::new(Arc::clone(&shared.def), shared.version);
    client.against(shared.against.clone());
    client
}

/// Reads a saved slot.
fn read(
    folder: &Path,
    def: &Arc<GameDef>,
    version: u32,
    session: &WebSession,
) -> Result<(Saved, Client), Error> {
    let saved = Saved::read(folder, session)?;
    let damaged = |reason: &dyn Display| damaged(folder, session.session, reason);
    let client = Client::restore(Arc::clone(def), version, &saved.client);
    let client = client.map_err(|error| damaged(&error))?;
    Ok((saved, client))
}

/// Reads what a saved slot says.
///
/// # Errors
/// When it is damaged.
pub(super) fn resume_state(
    folder: &Path,
    def: &Arc<GameDef>,
    version: u32,
    session: &WebSession,
) -> Result<ResumeState, Error> {
    let (saved, client) = read(folder, def, version, session)?;
    let Saved { number, unusable, .. } = saved;
    Ok(ResumeState { number, in_hand: client.in_hand(), unusable })
}

/// The server's number of the hand in play in a saved slot.
///
/// # Errors
/// When it is damaged.
pub(super) fn open_id(
    folder: &Path,
    def: &Arc<GameDef>,
    version: u32,
    session: &WebSession,
) -> Result<Option<u64>, Error> {
    Ok(read(folder, def, version, session)?.1.id())
}
