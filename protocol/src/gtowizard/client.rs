//! The client's side of one hand after the other as a sans-I/O state machine: requests and answers
//! are values, no action is played twice, no hand counted twice.
//!
//! A request whose answer is lost is not simply repeated: an action may have been played, and the
//! same one may be legal again on the next street. The client asks for the list of open hands
//! instead ([`Endpoint::InProgress`]). It shows whether the action must be sent (again) or the hand
//! has gone on. A hand that is not in the list is over, and nothing tells how: it is *unseen*.
//! After a lost request for a new hand the list may hold a hand that nobody has taken up, which the
//! caller finds, since it knows all of its hands, and hands over by [`Client::adopt`].
//!
//! The state can be saved ([`Client::save`]) and restored after a crash: a request in flight at
//! that time is one whose answer is lost.

use std::sync::Arc;

use cards::{Board, HoleCards};
use game::{Action, BySeat, GameDef, InfoSet, Payoff, PublicState, Seat, Turn, escape};
use serde::{Deserialize, Serialize};

use super::answer::{self, AnswerError, End, Fault, Shown};
use super::host::Endpoint;
use super::message::{ActRequest, NewHandRequest, json};
use super::{GAME_NAME, history};
use crate::ActError;
use crate::slumbot::Incr;
use crate::slumbot::action::incrs;

/// Most times that an action is sent which the host has not played.
const MAX_ATTEMPTS: u32 = 20;
/// Most refusals of an action.
const MAX_REFUSALS: u32 = 5;

/// The state machine of one slot for hands, with one hand at a time.
#[derive(Debug, Clone)]
pub struct Client {
    def: Arc<GameDef>,
    version: u32,
    asked: NewHandRequest,
    phase: Phase,
}

/// What to do next.
#[derive(Debug, Clone)]
pub enum Next {
    /// Ask for a new hand, if one is to be played: [`Client::request`].
    NewHand,
    /// A request for a new hand was lost: look for a hand that nobody has taken up, and call
    /// [`Client::adopt`] or [`Client::nothing_lost`].
    FindLost,
    /// Send [`Client::request`].
    Send,
    /// Decide, and call [`Client::act`].
    Decide(Box<InfoSet>),
}

/// A request to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The path with its query.
    pub path: String,
    /// The body of a POST; `None` for GET.
    pub body: Option<String>,
}

/// What an answer tells.
#[derive(Debug, Clone)]
pub enum News {
    /// A hand with this number of ours has begun.
    Began(u64),
    /// A hand was seen to its end.
    Finished(Box<Finished>),
    /// A hand is over, and its end was not seen.
    Unseen(Box<Unseen>),
    /// The limit of open hands is reached, and nothing was dealt.
    Full,
    /// The host has refused the action, in these words.
    Refused(String),
}

/// A hand seen to its end.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The number of ours.
    pub number: u64,
    /// The host's number.
    pub id: u64,
    /// The client's seat.
    pub seat: Seat,
    /// The final state.
    pub public: PublicState,
    /// The cards, as far as shown.
    pub hole: BySeat<HoleCards>,
    /// The results.
    pub payoffs: BySeat<Payoff>,
    /// The client's winnings in chips.
    pub winnings: i64,
    /// The host's estimate without luck, in chips.
    pub aivat_score: Option<f64>,
    /// Whether a request was carried out twice.
    pub disturbed: bool,
    /// Whether others had acted for this side before the hand was taken up.
    pub foreign: bool,
}

/// A hand whose end was not seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unseen {
    /// The number of ours.
    pub number: u64,
    /// The host's number.
    pub id: u64,
    /// The client's seat.
    pub seat: u8,
    /// The client's cards.
    pub hole: String,
    /// The board as far as shown.
    pub board: String,
    /// The betting as far as known, in the notation of the Slumbot API.
    pub action: String,
    /// The action whose answer was lost.
    pub incr: String,
}

/// Error for an answer. After [`Answer`](ClientError::Answer) the request is treated as lost and
/// the hand may go on; a contradiction names the state known before and the answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum ClientError {
    #[error(transparent)]
    Answer(AnswerError),
    #[error("{reason}; before: {before}; now: `{now}`")]
    Contradiction { reason: AnswerError, before: String, now: String },
    #[error("the server refuses `{incr}` after `{before}`, {times} times: {said}")]
    Refused { incr: String, before: String, times: u32, said: String },
}

/// The hand in play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hand {
    number: u64,
    id: u64,
    seat: u8,
    hole: String,
    board: String,
    history: Vec<String>,
    disturbed: bool,
    foreign: bool,
    /// The actions sent in this hand, which may be carried out late.
    sent: Vec<String>,
}

/// The phase of the slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Phase {
    /// Between hands.
    Idle,
    /// Between hands, after a lost request for a new one.
    Lost,
    /// A decision is needed.
    Turn { hand: Hand },
    /// An action is to be sent, or has been sent.
    Act { hand: Hand, incr: String, attempts: u32, refusals: u32 },
    /// The answer to an action is lost: look whether it was played.
    Look { hand: Hand, incr: String, attempts: u32, refusals: u32 },
}

impl Client {
    /// An empty slot, for hands against this version of the opponent.
    pub fn new(def: Arc<GameDef>, version: u32) -> Client {
        let asked = NewHandRequest { game_name: GAME_NAME.to_owned(), ..Default::default() };
        Client { def, version, asked, phase: Phase::Idle }
    }

    /// Restores a saved slot.
    ///
    /// # Errors
    /// When the text is not what [`save`](Self::save) wrote.
    pub fn restore(
        def: Arc<GameDef>,
        version: u32,
        saved: &str,
    ) -> Result<Client, serde_json::Error> {
        let phase: Phase = serde_json::from_str(saved)?;
        phase.check(&def).map_err(serde::de::Error::custom)?;
        let mut client = Client { phase, ..Client::new(def, version) };
        client.lost();
        Ok(client)
    }

    /// The slot's state as text.
    pub fn save(&self) -> String {
        json(&self.phase)
    }

    /// Requests an agent by name: only hosts of this project know that.
    pub fn against(&mut self, agent: Option<String>) {
        self.asked.agent = agent;
    }

    /// The host's number of the hand in play, if one is.
    pub fn id(&self) -> Option<u64> {
        self.phase.hand().map(|hand| hand.id)
    }

    /// Whether a hand is in play.
    pub fn in_hand(&self) -> bool {
        self.phase.hand().is_some()
    }

    /// The next step.
    pub fn next(&self) -> Next {
        match &self.phase {
            Phase::Idle => Next::NewHand,
            Phase::Lost => Next::FindLost,
            Phase::Act { .. } | Phase::Look { .. } => Next::Send,
            Phase::Turn { hand } => Next::Decide(Box::new(InfoSet {
                public: hand.state(&self.def).expect("checked when it was read"),
                seat: hand.seat(),
                hole: hand.hole.parse().expect("checked when it was read"),
            })),
        }
    }

    /// The request to send now; `None` where a decision is needed.
    pub fn request(&self) -> Option<Request> {
        match &self.phase {
            Phase::Idle => Some(Endpoint::NewHand.request(None, Some(json(&self.asked)))),
            Phase::Act { hand, incr, .. } => {
                let (action, amount) = incr.split_at(1);
                let (action, amount) = (action.to_owned(), amount.parse().ok());
                let body = json(&ActRequest { action, amount });
                Some(Endpoint::Act.request(Some(hand.id), Some(body)))
            }
            Phase::Lost | Phase::Look { .. } => Some(Endpoint::InProgress.request(None, None)),
            Phase::Turn { .. } => None,
        }
    }

    /// Sets the decision. The action's amount is a hand total, as everywhere.
    ///
    /// # Errors
    /// When no decision is asked for, or the action is not legal; nothing changes then.
    pub fn act(&mut self, action: Action) -> Result<(), ActError> {
        let Phase::Turn { hand } = &self.phase else { return Err(ActError::NotOurTurn) };
        let Ok(state) = hand.state(&self.def) else { return Err(ActError::NotOurTurn) };
        let incr = Incr::from_action(action, &state).to_string();
        state.play(action).map_err(|error| error.reason)?;
        self.phase = Phase::Act { hand: hand.clone(), incr, attempts: 1, refusals: 0 };
        Ok(())
    }

    /// Marks the answer to the request as lost. Not for requests that were never sent.
    pub fn lost(&mut self) {
        self.phase = match std::mem::replace(&mut self.phase, Phase::Idle) {
            Phase::Idle => Phase::Lost,
            Phase::Act { hand, incr, attempts, refusals } => {
                Phase::Look { hand, incr, attempts, refusals }
            }
            other => other,
        };
    }

    /// Processes an answer with status 409: the limit of open hands is reached, or the hand is
    /// over.
    pub fn conflict(&mut self) -> Vec<News> {
        match std::mem::replace(&mut self.phase, Phase::Idle) {
            Phase::Idle => vec![News::Full],
            Phase::Act { hand, incr, .. } => vec![hand.unseen(incr)],
            other => {
                self.phase = other;
                Vec::new()
            }
        }
    }

    /// Processes an answer that refuses the request, in these words.
    ///
    /// # Errors
    /// When an action has been refused too often.
    pub fn refused(&mut self, said: &str) -> Result<Vec<News>, ClientError> {
        let said = escape::excerpt(said);
        if let Phase::Act { hand, incr, refusals, .. } = &mut self.phase {
            *refusals += 1;
            if *refusals >= MAX_REFUSALS {
                let (before, times) = (hand.history.join(" "), *refusals);
                return Err(ClientError::Refused { incr: incr.clone(), before, times, said });
            }
            self.lost();
        }
        Ok(vec![News::Refused(said)])
    }

    /// Takes up an open hand that nobody plays, as the list shows it.
    pub fn adopt(&mut self, shown: Shown, number: u64) -> Vec<News> {
        let foreign = shown.public.history().iter().any(|played| played.seat == shown.seat);
        self.begin(shown, number, foreign)
    }

    /// Notes that the lost request for a new hand has left none.
    pub fn nothing_lost(&mut self) {
        if self.phase == Phase::Lost {
            self.phase = Phase::Idle;
        }
    }

    /// Processes the answer to the request. `number` supplies a number for a new hand.
    ///
    /// # Errors
    /// [`ClientError::Answer`] when a host cannot have sent it: it is treated as lost, and
    /// [`next`](Self::next) says how to go on. After the other errors the run must not go on.
    pub fn receive(
        &mut self,
        body: &[u8],
        number: impl FnOnce() -> u64,
    ) -> Result<Vec<News>, ClientError> {
        match self.process(body, number) {
            Ok(news) => Ok(news),
            Err(reason) => match reason.fault() {
                Fault::Contradiction | Fault::OtherGame => {
                    let (before, now) = (self.known(), answer::shown_body(body));
                    Err(ClientError::Contradiction { reason, before, now })
                }
                Fault::Line | Fault::Again | Fault::Unusable => {
                    self.lost();
                    Err(ClientError::Answer(reason))
                }
            },
        }
    }

    /// The known state of the slot, for error messages.
    fn known(&self) -> String {
        match &self.phase {
            Phase::Act { hand, incr, .. } | Phase::Look { hand, incr, .. } => {
                let Hand { id, hole, board, history, .. } = hand;
                let position = if hand.seat == 0 { "BB" } else { "SB" };
                let board = if board.is_empty() { "no board" } else { board };
                let history = history.join(" ");
                format!("hand {id}, {position} with {hole}, {board}, `{history}`, then `{incr}`")
            }
            _ => "a new hand was asked for".to_owned(),
        }
    }

    fn process(
        &mut self,
        body: &[u8],
        number: impl FnOnce() -> u64,
    ) -> Result<Vec<News>, AnswerError> {
        match &self.phase {
            Phase::Idle => {
                let shown = answer::read(&self.def, self.version, body)?;
                let acted = shown.public.history().iter().any(|played| played.seat == shown.seat);
                if acted {
                    let betting = history::write(&shown.public).join(" ");
                    return Err(AnswerError::contradiction(format!(
                        "a new hand begins with `{betting}`, in which this side has acted already"
                    )));
                }
                Ok(self.begin(shown, number(), false))
            }
            Phase::Act { hand, incr, .. } => {
                let shown = answer::read(&self.def, self.version, body)?;
                let (hand, incr) = (hand.clone(), incr.clone());
                match self.moved(hand, &incr, shown)? {
                    Some(news) => Ok(news),
                    None => Err(AnswerError::new(
                        Fault::Again,
                        format!("the answer shows the hand as it was before `{incr}`"),
                    )),
                }
            }
            Phase::Look { hand, incr, attempts, refusals } => {
                let (hand, incr) = (hand.clone(), incr.clone());
                let (attempts, refusals) = (*attempts, *refusals);
                let list = answer::read_list(&self.def, self.version, body)?;
                let Some((_, shown)) = list.into_iter().find(|(id, _)| *id == hand.id) else {
                    self.phase = Phase::Idle;
                    return Ok(vec![hand.unseen(incr)]);
                };
                if let Some(news) = self.moved(hand.clone(), &incr, shown?)? {
                    return Ok(news);
                }
                if attempts >= MAX_ATTEMPTS {
                    return Err(AnswerError::contradiction(format!(
                        "`{incr}` was sent {attempts} times, and the hand stays as it is"
                    )));
                }
                self.phase = Phase::Act { hand, incr, attempts: attempts + 1, refusals };
                Ok(Vec::new())
            }
            Phase::Lost | Phase::Turn { .. } => {
                Err(AnswerError::new(Fault::Unusable, "the answer is to nothing that was asked"))
            }
        }
    }

    /// Starts a hand that is shown for the first time.
    fn begin(&mut self, shown: Shown, number: u64, foreign: bool) -> Vec<News> {
        let hand = Hand {
            number,
            id: shown.id,
            seat: shown.seat.index() as u8,
            hole: shown.hole.to_string(),
            board: String::new(),
            history: Vec::new(),
            disturbed: false,
            foreign,
            sent: Vec::new(),
        };
        let mut news = vec![News::Began(number)];
        news.extend(self.advance(hand, shown));
        news
    }

    /// Continues a hand from its current view, which has been checked.
    fn advance(&mut self, mut hand: Hand, shown: Shown) -> Option<News> {
        let Shown { id, seat, public, hole, end } = shown;
        hand.board = public.board().to_string();
        hand.history = history::write(&public);
        let Some(end) = end else {
            self.phase = Phase::Turn { hand };
            return None;
        };
        self.phase = Phase::Idle;
        let End { other, winnings, aivat_score } = end;
        let hole = BySeat::from_fn(2, |s| if s == seat { hole } else { other });
        let payoffs = public.payoffs(&hole);
        let Hand { number, disturbed, foreign, .. } = hand;
        Some(News::Finished(Box::new(Finished {
            number,
            id,
            seat,
            public,
            hole,
            payoffs,
            winnings,
            aivat_score,
            disturbed,
            foreign,
        })))
    }

    /// Compares a view of the hand after `incr` with the one before it; `None` when the action has
    /// not been played.
    fn moved(
        &mut self,
        mut hand: Hand,
        incr: &str,
        shown: Shown,
    ) -> Result<Option<Vec<News>>, AnswerError> {
        let changed = |field: &str, before: &str, now: &str| {
            let message = format!("the answer's field `{field}` is {now}, but was {before}");
            Err(AnswerError::contradiction(message))
        };
        if shown.id != hand.id {
            return changed("hand_id", &hand.id.to_string(), &shown.id.to_string());
        }
        if shown.seat != hand.seat() {
            let position = |seat: usize| if seat == 0 { "BB" } else { "SB" };
            let (before, now) = (position(hand.seat.into()), position(shown.seat.index()));
            return changed("position", before, now);
        }
        let own: Option<HoleCards> = hand.hole.parse().ok();
        if own.map(|own| own.set()) != Some(shown.hole.set()) {
            return changed("hole_cards", &hand.hole, &shown.hole.to_string());
        }
        let before: Board = hand.board.parse().unwrap_or_default();
        let now = shown.public.board();
        let earlier = now.len() < before.len() && before.starts_with(&now);
        if !earlier && !now.starts_with(&before) {
            return changed("board_cards", &hand.board, &now.to_string());
        }
        let known = hand.state(&self.def)?;
        let (old, new) = (known.history(), shown.public.history());
        if old.starts_with(new) && shown.end.is_none() {
            return Ok(None);
        }
        let played = new.iter().zip(incrs(&shown.public)).skip(old.len());
        let own = played.filter(|(played, _)| played.seat == shown.seat);
        let own: Vec<String> = own.map(|(_, incr)| incr.to_string()).collect();
        // A request may have been carried out twice, or an earlier one late.
        if !hand.sent.iter().any(|sent| sent == incr) {
            hand.sent.push(incr.to_owned());
        }
        let explained = !own.is_empty() && own.iter().all(|own| hand.sent.contains(own));
        if !new.starts_with(old) || !explained {
            let (before, now) = (hand.history.join(" "), history::write(&shown.public).join(" "));
            return Err(AnswerError::contradiction(format!(
                "the betting `{now}` does not continue from `{before}` with `{incr}`"
            )));
        }
        hand.disturbed |= own.len() > 1 || own[0] != incr;
        Ok(Some(self.advance(hand, shown).into_iter().collect()))
    }
}

impl Phase {
    fn hand(&self) -> Option<&Hand> {
        match self {
            Phase::Idle | Phase::Lost => None,
            Phase::Turn { hand } | Phase::Act { hand, .. } | Phase::Look { hand, .. } => Some(hand),
        }
    }

    /// Checks a saved phase; an error says what is wrong.
    fn check(&self, def: &Arc<GameDef>) -> Result<(), String> {
        let Some(hand) = self.hand() else { return Ok(()) };
        let Hand { seat, hole, number, id, .. } = hand;
        if *seat > 1 {
            return Err(format!("there is no seat {seat}"));
        }
        if [number, id].into_iter().any(|number| *number > u64::MAX >> 11) {
            return Err("its numbers are too large".to_owned());
        }
        let own: Option<HoleCards> = hole.parse().ok();
        let own = own.filter(|own| own.len() == 2).ok_or_else(|| format!("{hole} is no hand"))?;
        let state = hand.state(def).map_err(|error| error.to_string())?;
        if state.turn() != Turn::Act(hand.seat()) {
            return Err(format!("this side is not to act after `{}`", hand.history.join(" ")));
        }
        if let Some(card) = state.board().iter().find(|card| own.contains(card)) {
            return Err(format!("the card {card} appears twice"));
        }
        if let Phase::Act { incr, .. } | Phase::Look { incr, .. } = self {
            let action = incr.parse::<Incr>().map_err(|error| error.to_string())?;
            action.action(&state).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

impl Hand {
    fn seat(&self) -> Seat {
        Seat::new(usize::from(self.seat & 1)).expect("0 or 1")
    }

    fn state(&self, def: &Arc<GameDef>) -> Result<PublicState, AnswerError> {
        let board: Board = self.board.parse().unwrap_or_default();
        Ok(history::replay(def, &self.history, &board)?)
    }

    /// The news that this hand is over after `incr`, and that its end was not seen.
    fn unseen(self, incr: String) -> News {
        let Hand { number, id, seat, hole, board, history, .. } = self;
        let action: String = history.iter().map(|text| text.replace(history::END, "/")).collect();
        News::Unseen(Box::new(Unseen { number, id, seat, hole, board, action, incr }))
    }
}
