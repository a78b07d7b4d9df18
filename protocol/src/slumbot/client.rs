//! The client's side of a session as a sans-I/O state machine: requests and answers are values, no
//! hand is lost or counted twice.
//!
//! An action is never resent blindly. When its answer is lost, it is unknown whether the host has
//! played it, so the client probes with an action that is never legal ([`PROBE`], a bet to 0): the
//! host refuses it, leaves the hand unchanged and tells the betting so far. This shows whether the
//! action must be sent (again), or the hand goes on, or is over. If the host does not tell the
//! betting, the hand is given up and settled from the session's sums, see [`Accounts`]. A request
//! for a new hand may be resent: the seats alternate, so the seat of the next hand shows whether a
//! hand was dealt that nobody saw.
//!
//! An answer that cannot be used is classified by [`Fault`]: no answer at all, a repeated one, one
//! that no Slumbot server sends, or a contradiction. After the first three the session may go on,
//! and the caller limits how often; a contradiction ends it. Delayed requests may still be carried
//! out: what they explain is no contradiction.
//!
//! The state can be saved ([`Client::save`]) and restored after a crash: a request in flight at
//! that time is one whose answer is lost.

use std::sync::Arc;

use cards::{Board, CardSet, HoleCards};
use game::{Action, BySeat, GameDef, InfoSet, Payoff, PublicState, Seat, Turn};
use serde::{Deserialize, Serialize};

use super::accounts::{Accounts, Course, Drift, KnownHand, Settled, Unsettled};
use super::answer::{self, Answer, AnswerError, End, Fault, Shown};
use super::message::{self, ActRequest, LoginRequest, NewHandRequest};
use super::{Endpoint, Incr, IncrError, action};
use crate::ActError;

/// The probe: an action that every host refuses, since no bet can be to 0.
pub const PROBE: Incr = Incr::BetTo(0);

/// Maximum number of times that an action is sent which the host has not played.
const MAX_ATTEMPTS: u32 = 20;

/// The number of hands in a row in the wrong seat that cannot all be requests carried out twice.
const MAX_SKIPPED: u32 = 8;

/// The state machine of one session with a host, with one hand at a time.
#[derive(Debug, Clone)]
pub struct Client {
    def: Arc<GameDef>,
    token: Option<String>,
    login: Option<Login>,
    agent: Option<String>,
    saved: Saved,
}

impl Client {
    /// A new session; with an account, if one is given.
    pub fn new(def: Arc<GameDef>, login: Option<Login>) -> Client {
        let phase = if login.is_some() { Phase::Login } else { Phase::Idle { lost: 0 } };
        let accounts = Accounts::new(login.is_some());
        let (last_end, unanswered) = (None, Default::default());
        let (last, lost_sessions, skipped) = (None, 0, 0);
        let saved = Saved {
            phase,
            next_seat: 0,
            last,
            last_end,
            unanswered,
            lost_sessions,
            skipped,
            accounts,
        };
        Client { def, token: None, login, agent: None, saved }
    }

    /// Restores a saved session. A session of an account continues with its token.
    ///
    /// # Errors
    /// When the text is not what [`save`](Self::save) wrote of a session in this game.
    pub fn restore(
        def: Arc<GameDef>,
        token: Option<String>,
        login: Option<Login>,
        saved: &str,
    ) -> Result<Client, serde_json::Error> {
        let saved: Saved = serde_json::from_str(saved)?;
        saved.check(&def).map_err(serde::de::Error::custom)?;
        let mut client = Client { def, token, login, agent: None, saved };
        client.lost(Lost::Maybe);
        Ok(client)
    }

    /// Adds the hands of a restored session that were left open, oldest first, which
    /// [`save`](Self::save) does not write.
    pub fn left_open(&mut self, hands: impl IntoIterator<Item = Unsettled>) {
        let known = |hand: &Unsettled| {
            self.saved.accounts.unsettled.iter().any(|other| other.number == hand.number)
        };
        let hands: Vec<Unsettled> = hands.into_iter().filter(|hand| !known(hand)).collect();
        self.saved.accounts.open.extend(hands);
    }

    /// The session's state, without its token, as text.
    pub fn save(&self) -> String {
        message::json(&self.saved)
    }

    /// Requests an agent by name: not part of the live server's interface.
    pub fn against(&mut self, agent: Option<String>) {
        self.agent = agent;
    }

    /// The session's token, once there is one.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// The session's sums.
    pub fn accounts(&self) -> &Accounts {
        &self.saved.accounts
    }

    /// Whether a hand is in play.
    pub fn in_hand(&self) -> bool {
        matches!(self.saved.phase, Phase::Turn { .. } | Phase::Act { .. } | Phase::Probe { .. })
    }

    /// The next step.
    pub fn next(&self) -> Next {
        match &self.saved.phase {
            Phase::Login | Phase::Act { .. } | Phase::Probe { .. } => Next::Send,
            Phase::Idle { .. } => Next::NewHand,
            Phase::Gone => Next::Gone,
            Phase::Turn { hand } if hand.blind => Next::DecideBlind(Box::new(self.state(hand))),
            Phase::Turn { hand } => Next::Decide(Box::new(InfoSet {
                public: self.state(hand),
                seat: seat(hand.seat),
                hole: hand.hole.parse().expect("checked by `restore`"),
            })),
        }
    }

    /// The request to send now; `None` where a decision is needed or the session is over.
    pub fn request(&self) -> Option<Request> {
        let token = self.token.clone();
        let act = |incr: &str| {
            let body = message::json(&ActRequest { token: token.clone(), incr: Some(incr.into()) });
            Some(Request { endpoint: Endpoint::Act, body })
        };
        match &self.saved.phase {
            Phase::Login => {
                let login = self.login.as_ref();
                let body = message::json(&LoginRequest {
                    username: login.map(|login| login.username.clone()),
                    password: login.map(|login| login.password.clone()),
                    agent: self.agent.clone(),
                });
                Some(Request { endpoint: Endpoint::Login, body })
            }
            Phase::Idle { .. } => {
                let body = message::json(&NewHandRequest { token, agent: self.agent.clone() });
                Some(Request { endpoint: Endpoint::NewHand, body })
            }
            Phase::Act { incr, .. } => act(incr),
            Phase::Probe { .. } => act(&PROBE.to_string()),
            Phase::Turn { .. } | Phase::Gone => None,
        }
    }

    /// Sets the decision. The action's amount is a hand total, as everywhere.
    ///
    /// # Errors
    /// When no decision is asked for, or the action is not legal; nothing changes then.
    pub fn act(&mut self, action: Action) -> Result<(), ActError> {
        let Phase::Turn { hand } = &self.saved.phase else { return Err(ActError::NotOurTurn) };
        let state = self.state(hand);
        let incr = Incr::from_action(action, &state).to_string();
        state.play(action).map_err(|error| error.reason)?;
        self.saved.phase = Phase::Act { hand: hand.clone(), incr, attempts: 0 };
        Ok(())
    }

    /// Marks the answer to the request as lost.
    pub fn lost(&mut self, lost: Lost) {
        if lost == Lost::Unsent {
            return;
        }
        match &mut self.saved.phase {
            Phase::Idle { .. } if self.token.is_none() => {
                self.saved.lost_sessions = self.saved.lost_sessions.saturating_add(1);
            }
            Phase::Idle { lost } => *lost = lost.saturating_add(1),
            Phase::Act { hand, incr, attempts } => {
                let (hand, incr, attempts) = (hand.clone(), incr.clone(), *attempts);
                if !self.saved.unanswered[0].contains(&incr) {
                    self.saved.unanswered[0].push(incr.clone());
                }
                self.saved.phase = Phase::Probe { hand, incr, attempts };
            }
            Phase::Login | Phase::Probe { .. } | Phase::Turn { .. } | Phase::Gone => {}
        }
    }

    /// Processes the answer to the request. `number` supplies a number for each newly seen hand.
    ///
    /// # Errors
    /// [`ClientError::Answer`] when a host cannot have sent it: it is treated as lost, and
    /// [`next`](Self::next) says how to go on. After the other errors the session must not go on.
    pub fn receive(
        &mut self,
        body: &[u8],
        mut number: impl FnMut() -> u64,
    ) -> Result<Vec<News>, ClientError> {
        let news = answer::read(body)
            .map_err(ClientError::from)
            .and_then(|answer| self.process(answer, &mut number));
        match news {
            Err(ClientError::Answer(reason)) if reason.fault() == Fault::Contradiction => {
                let (before, now) = (self.known(), self.shown(body));
                Err(ClientError::Contradiction { reason, before, now })
            }
            Err(ClientError::Answer(reason)) => {
                self.lost(Lost::Maybe);
                Err(reason.into())
            }
            news => news,
        }
    }

    /// An answer's body for display.
    pub fn shown(&self, body: &[u8]) -> String {
        self.without_token(answer::shown_body(body))
    }

    fn without_token(&self, text: String) -> String {
        // A shorter token is no secret, and may be part of a word.
        match self.token.as_deref().filter(|token| token.len() >= 8) {
            Some(token) => text.replace(token, "…"),
            None => text,
        }
    }

    /// The known state of the session, for error messages.
    fn known(&self) -> String {
        let (Phase::Act { hand, incr: sent, .. } | Phase::Probe { hand, incr: sent, .. }) =
            &self.saved.phase
        else {
            let hands = self.saved.accounts.hands;
            let last = self.saved.last_end.as_deref().unwrap_or("nothing that is known");
            let due = self.saved.next_seat;
            return format!(
                "{hands} hands had ended, the last with {last}; a new hand was asked for, in which \
                 client_pos {due} is due"
            );
        };
        let Hand { seat, hole, board, action, .. } = hand;
        let board = if board.is_empty() { "empty" } else { board };
        format!(
            "client_pos {seat}, hole_cards {hole}, board {board}, action `{action}`, after which \
             `{sent}` was sent"
        )
    }

    /// Processes an answer of the right form.
    fn process(
        &mut self,
        answer: Answer,
        number: &mut dyn FnMut() -> u64,
    ) -> Result<Vec<News>, ClientError> {
        let kind = |found, expected| {
            let message = format!("the answer is {found}, not {expected}");
            Err(AnswerError::unusable(message).into())
        };
        let answer = match answer {
            Answer::Error { error_msg, old_action } => {
                Answer::Error { error_msg: self.without_token(error_msg), old_action }
            }
            answer => answer,
        };
        match (answer, self.saved.phase.clone()) {
            (_, Phase::Turn { .. } | Phase::Gone) => {
                kind("an answer", "nothing, since nothing was asked")
            }
            (Answer::Error { error_msg, .. }, _) if is_about_session(&error_msg) => {
                Ok(self.gone(error_msg))
            }
            (Answer::Error { error_msg, .. }, Phase::Login | Phase::Idle { .. }) => {
                Ok(vec![News::Refused(error_msg)])
            }
            (Answer::Token(token), Phase::Login) => {
                self.token = Some(token);
                self.saved.phase = Phase::Idle { lost: 0 };
                Ok(Vec::new())
            }
            (Answer::Token(_), _) => kind("a token", "a hand"),
            (Answer::Hand(_), Phase::Login) => kind("a hand", "a token"),
            (Answer::Hand(shown), Phase::Idle { lost }) => self.dealt(*shown, lost, number),
            (
                Answer::Hand(shown),
                Phase::Act { hand, incr, .. } | Phase::Probe { hand, incr, .. },
            ) => self.moved(*shown, hand, &incr, number),
            (
                Answer::Error { error_msg, old_action },
                Phase::Act { hand, incr, attempts } | Phase::Probe { hand, incr, attempts },
            ) => self.resolve(hand, &incr, attempts, error_msg, old_action.as_deref()),
        }
    }

    /// The hand's public state. Board cards that were not shown are arbitrary.
    fn state(&self, hand: &Hand) -> PublicState {
        let board: Board = hand.board.parse().expect("checked by `restore`");
        let state = action::replay(&self.def, &hand.action, &board);
        let state = state.or_else(|_| action::replay_any(&self.def, &hand.action));
        state.expect("checked by `restore`")
    }

    /// Processes the answer to `new_hand`.
    fn dealt(
        &mut self,
        shown: Shown,
        lost: u32,
        number: &mut dyn FnMut() -> u64,
    ) -> Result<Vec<News>, ClientError> {
        let state = self.read(&shown)?;
        self.check_not_earlier(&shown)?;
        // Only a delayed request can have been played already.
        let own = own_actions(&state, 0, shown.client_pos);
        if !self.were_sent(&own, "") {
            return Err(AnswerError::contradiction(format!(
                "a new hand begins with `{}`, in which this side has acted already",
                shown.action
            ))
            .into());
        }
        let (now, due) = (shown.client_pos.index() as u8, self.saved.next_seat);
        let unseen = u32::from(now != due);
        let skipped = match (unseen, lost) {
            (0, _) => 0,
            (_, 0) => self.saved.skipped + 1,
            _ => self.saved.skipped,
        };
        // A session begins in the big blind; after that, a request may be carried out twice.
        let first = self.token.is_none();
        if skipped > 0 && first || skipped >= MAX_SKIPPED {
            return Err(AnswerError::contradiction(format!(
                "a new hand has client_pos {now}, but the seats alternate, and {due} is due"
            ))
            .into());
        }
        if first && shown.token.is_none() {
            return Err(AnswerError::unusable("the first answer has no token").into());
        }
        self.saved.skipped = skipped;
        let mut news = Vec::new();
        let accounts = &mut self.saved.accounts;
        if unseen == 1
            && let Some(hand) = Unsettled::never_shown(&self.def, number(), due)
        {
            accounts.add_unsettled(hand.clone());
            news.push(News::Unsettled(hand));
        }
        accounts.add_lost_requests(lost.saturating_sub(unseen));
        self.begin(shown, state, number(), !own.is_empty(), &mut news)?;
        Ok(news)
    }

    /// Starts a hand that is shown for the first time.
    fn begin(
        &mut self,
        shown: Shown,
        state: PublicState,
        number: u64,
        disturbed: bool,
        news: &mut Vec<News>,
    ) -> Result<(), ClientError> {
        let seat = shown.client_pos.index() as u8;
        self.saved.next_seat = 1 - seat;
        self.saved.unanswered.swap(0, 1);
        self.saved.unanswered[0].clear();
        let hand = Hand {
            number,
            seat,
            hole: shown.hole_cards.to_string(),
            board: String::new(),
            action: String::new(),
            disturbed,
            blind: false,
        };
        news.push(News::Began(number));
        self.advance(hand, shown, state, news)
    }

    /// Continues a hand from its current view, which has been checked.
    fn advance(
        &mut self,
        mut hand: Hand,
        shown: Shown,
        state: PublicState,
        news: &mut Vec<News>,
    ) -> Result<(), ClientError> {
        if shown.token.is_some() {
            self.token = shown.token;
        }
        hand.board = shown.board.to_string();
        hand.action = action::write(&state);
        hand.blind = false;
        let Some(end) = shown.end else {
            self.saved.phase = Phase::Turn { hand };
            return Ok(());
        };
        let seat = shown.client_pos;
        let hole =
            BySeat::from_fn(2, |s| if s == seat { shown.hole_cards } else { end.bot_hole_cards });
        let payoffs = state.payoffs(&hole);
        let ours = payoffs[seat];
        if ours != Payoff::from_chips(end.winnings) {
            let (action, theirs) = (hand.action, end.winnings);
            return Err(ClientError::Winnings { action, theirs, ours });
        }
        let pot = message::won_pot(end.winnings, state.pot());
        if let Some(theirs) = end.won_pot.filter(|&theirs| theirs != pot) {
            return Err(AnswerError::figure("won_pot", theirs, pot).into());
        }
        let checked = self.saved.accounts.check(end.winnings, &end);
        let settled = self.saved.accounts.close(end.winnings, &end);
        if settled.is_ok() {
            checked?;
        }
        self.saved.last = Some((hand.hole, hand.seat));
        self.saved.last_end = Some(end_in_words(&hand.action, &hand.board, &end));
        self.saved.phase = Phase::Idle { lost: 0 };
        let (number, disturbed) = (hand.number, hand.disturbed);
        let finished = Finished { number, seat, public: state, hole, payoffs, end, disturbed };
        news.push(News::Finished(Box::new(finished)));
        match settled {
            Ok(settled) => news.extend(settled.into_iter().map(News::Settled)),
            Err(drift) => {
                self.saved.phase = Phase::Gone;
                news.push(News::Drift(drift));
            }
        }
        Ok(())
    }

    /// Processes the answer to `act`.
    fn moved(
        &mut self,
        shown: Shown,
        mut hand: Hand,
        incr: &str,
        number: &mut dyn FnMut() -> u64,
    ) -> Result<Vec<News>, ClientError> {
        let state = self.read(&shown)?;
        let mut news = Vec::new();
        if usize::from(hand.seat) != shown.client_pos.index()
            || !is_same(&hand.hole, &shown.hole_cards)
        {
            return self.another_hand(&shown, state, &hand, incr, number);
        }
        let (board, text) = (shown.board.to_string(), action::write(&state));
        let earlier = self.state(&hand).history().starts_with(state.history());
        if shown.end.is_none() && earlier && hand.board.starts_with(&board) {
            return Err(AnswerError::unchanged(&text).into());
        }
        if !board.starts_with(&hand.board) {
            return Err(AnswerError::changed("board", &hand.board, &board).into());
        }
        let own = self.own_since(&hand, &state).unwrap_or_default();
        let probing = matches!(self.saved.phase, Phase::Probe { .. });
        let last = own.last().is_some_and(|last| probing || last == incr);
        if !last || !self.were_sent(&own, incr) {
            return Err(AnswerError::not_extending(&hand.action, incr, &text).into());
        }
        hand.disturbed |= own.len() != 1 || probing;
        self.advance(hand, shown, state, &mut news)?;
        Ok(news)
    }

    /// Whether each of these actions is the one sent, or an earlier one that may have arrived late.
    fn were_sent(&self, own: &[String], sent: &str) -> bool {
        own.iter()
            .all(|own| own == sent || self.saved.unanswered.iter().flatten().any(|u| u == own))
    }

    /// Handles an action that was played in another hand than the one in play. That is possible
    /// after a delayed request for a new hand: the hand in play is left open and the other one
    /// continues.
    fn another_hand(
        &mut self,
        shown: &Shown,
        state: PublicState,
        hand: &Hand,
        incr: &str,
        number: &mut dyn FnMut() -> u64,
    ) -> Result<Vec<News>, ClientError> {
        self.check_not_earlier(shown)?;
        let seat = shown.client_pos.index() as u8;
        if seat != self.saved.next_seat || self.saved.accounts.maybe == 0 {
            let field = if seat == hand.seat { "hole_cards" } else { "client_pos" };
            let (before, now) = match field {
                "hole_cards" => (hand.hole.clone(), shown.hole_cards.to_string()),
                _ => (hand.seat.to_string(), seat.to_string()),
            };
            return Err(AnswerError::changed(field, &before, &now).into());
        }
        let mut news = Vec::new();
        let accounts = &mut self.saved.accounts;
        (accounts.maybe, accounts.maybe_ended) =
            (accounts.maybe - 1, accounts.maybe_ended.saturating_sub(1));
        self.give_up(hand, Some(incr), Course::Known, &mut news);
        self.begin(shown.clone(), state, number(), true, &mut news)?;
        Ok(news)
    }

    /// Handles a refusal: of the action, or of the probe after an action whose answer was lost.
    fn resolve(
        &mut self,
        mut hand: Hand,
        incr: &str,
        attempts: u32,
        error_msg: String,
        old_action: Option<&str>,
    ) -> Result<Vec<News>, ClientError> {
        let refused = matches!(self.saved.phase, Phase::Act { .. });
        let now = old_action.and_then(|text| action::replay_any(&self.def, text).ok());
        let mut news = Vec::new();
        if now.is_none() && refused {
            // The host has refused and does not tell the betting: probe for it.
            let (incr, attempts) = (incr.to_owned(), attempts.saturating_add(1));
            self.saved.phase = Phase::Probe { hand, incr, attempts };
            return Ok(vec![News::Refused(error_msg)]);
        }
        let Some(now) = now else {
            self.give_up(&hand, Some(incr), Course::Known, &mut news);
            return Ok(news);
        };
        let text = action::write(&now);
        if text == hand.action {
            if attempts >= MAX_ATTEMPTS {
                let incr = incr.parse().expect("checked by `restore`");
                return Err(ClientError::Refused { incr, action: text, attempts, error_msg });
            }
            let (attempts, incr) = (attempts + 1, incr.to_owned());
            self.saved.phase = Phase::Act { hand, incr, attempts };
            return Ok(if refused { vec![News::Refused(error_msg)] } else { news });
        }
        let own = self.own_since(&hand, &now);
        let explained = match &own {
            Some(own) => self.were_sent(own, incr),
            // The betting in an error may be outdated; and a delayed request may have dealt another
            // hand.
            None => {
                let earlier = self.state(&hand).history().starts_with(now.history());
                earlier || self.saved.accounts.maybe > 0
            }
        };
        if !explained {
            return Err(AnswerError::not_extending(&hand.action, incr, &text).into());
        }
        let Some(own) = own.filter(|own| own[0] == incr) else {
            self.give_up(&hand, Some(incr), Course::Unknown, &mut news);
            return Ok(news);
        };
        hand.disturbed |= own.len() > 1;
        match now.turn() {
            Turn::Act(turn) if turn.index() == usize::from(hand.seat) => {
                hand.blind = now.board().len() != hand.board.len() / 2;
                hand.action = text;
                self.saved.phase = Phase::Turn { hand };
            }
            Turn::Over => {
                hand.action = text;
                self.give_up(&hand, None, Course::Known, &mut news);
            }
            Turn::Act(_) | Turn::Deal(_) => {
                self.give_up(&hand, Some(incr), Course::Unknown, &mut news);
            }
        }
        Ok(news)
    }

    /// Gives up the hand, to be settled from the session's sums.
    fn give_up(&mut self, hand: &Hand, incr: Option<&str>, course: Course, news: &mut Vec<News>) {
        let Hand { number, seat, hole, board, action, .. } = hand;
        let known = KnownHand { number: *number, seat: *seat, hole, board, action, incr };
        let unsettled = Unsettled::new(&self.def, known, course).expect("`incr` was legal");
        (self.saved.last, self.saved.last_end) = (Some((hand.hole.clone(), hand.seat)), None);
        self.saved.accounts.add_unsettled(unsettled.clone());
        self.saved.phase = Phase::Idle { lost: 0 };
        news.push(News::Unsettled(unsettled));
    }

    /// The notation of the actions of the hand's own seat beyond the known betting; `None` when
    /// `now` does not extend that, or there are none.
    fn own_since(&self, hand: &Hand, now: &PublicState) -> Option<Vec<String>> {
        let before = self.state(hand);
        let own = now.history().starts_with(before.history());
        let own = own.then(|| own_actions(now, before.history().len(), seat(hand.seat)))?;
        (!own.is_empty()).then_some(own)
    }

    fn gone(&mut self, error_msg: String) -> Vec<News> {
        let mut news = Vec::new();
        match self.saved.phase.clone() {
            Phase::Act { hand, incr, .. } | Phase::Probe { hand, incr, .. } => {
                self.give_up(&hand, Some(&incr), Course::Known, &mut news);
            }
            _ => {}
        }
        self.saved.phase = Phase::Gone;
        news.push(News::Gone(error_msg));
        news
    }

    /// Replays an answer's betting, and checks what does not depend on the hand in play.
    fn read(&self, shown: &Shown) -> Result<PublicState, AnswerError> {
        let state = action::replay(&self.def, &shown.action, &shown.board)?;
        if let Some(old) = &shown.old_action
            && !shown.action.starts_with(old.trim_end_matches('/'))
        {
            return Err(AnswerError::contradiction(format!(
                "`old_action` is `{old}`, but the betting is `{}`",
                shown.action
            )));
        }
        let text = &shown.action;
        match (state.turn(), &shown.end) {
            (Turn::Over, Some(_)) => Ok(state),
            (Turn::Over, None) => Err(AnswerError::unusable(format!(
                "after `{text}` the hand is over, but the answer has no winnings"
            ))),
            (_, Some(_)) => Err(AnswerError::contradiction(format!(
                "the answer has winnings, but after `{text}` the hand is not over"
            ))),
            (turn, None) if turn == Turn::Act(shown.client_pos) => Ok(state),
            (_, None) => Err(AnswerError::contradiction(format!(
                "after `{text}` it is not this side's turn, and the hand is not over"
            ))),
        }
    }

    /// Checks that a new hand is not one that was shown before.
    fn check_not_earlier(&self, shown: &Shown) -> Result<(), AnswerError> {
        let this = (shown.hole_cards.to_string(), shown.client_pos.index() as u8);
        let same = self.saved.last.as_ref() == Some(&this);
        let before = self.saved.accounts.hands;
        let again = || AnswerError::earlier(&shown.action);
        let counted = |end: &&End| end.session_num_hands <= before;
        let counted = shown.end.as_ref().filter(counted);
        let Some(end) = counted.filter(|_| !self.saved.accounts.begun_elsewhere) else {
            return if same { Err(again()) } else { Ok(()) };
        };
        let now = end_in_words(&shown.action, &shown.board.to_string(), end);
        match &self.saved.last_end {
            Some(last) if same && *last != now => Err(AnswerError::contradiction(format!(
                "the end of a hand is reported twice: now as {now}, before as {last}"
            ))),
            _ if same => Err(again()),
            _ => Err(AnswerError::contradiction(format!(
                "a hand ends as number {} of the session, of which {before} had ended before",
                end.session_num_hands
            ))),
        }
    }
}

/// The end of a hand as text, to compare reports of it.
fn end_in_words(action: &str, board: &str, end: &End) -> String {
    let End { bot_hole_cards, winnings, session_num_hands, session_total, .. } = end;
    let action = action.trim_end_matches('/');
    let board = if board.is_empty() { "empty" } else { board };
    format!(
        "`{action}`, board {board}, bot_hole_cards {bot_hole_cards}, winnings {winnings}, \
         session_num_hands {session_num_hands}, session_total {session_total}"
    )
}

/// Whether `hole` has the same two cards, in any order.
fn is_same(hole: &str, shown: &HoleCards) -> bool {
    let set = |cards: &HoleCards| cards.iter().copied().collect::<CardSet>();
    hole.parse().is_ok_and(|hole| set(&hole) == set(shown))
}

/// The notation of a seat's actions after the first `known` ones.
fn own_actions(state: &PublicState, known: usize, own: Seat) -> Vec<String> {
    let written = state.history().iter().zip(action::incrs(state)).skip(known);
    written.filter(|(played, _)| played.seat == own).map(|(_, incr)| incr.to_string()).collect()
}

fn seat(index: u8) -> Seat {
    Seat::new(index.into()).expect("0 or 1")
}

/// Whether a refusal says that the session is not known.
fn is_about_session(error_msg: &str) -> bool {
    let text = error_msg.to_lowercase();
    text.contains("token") || text.contains("session")
}

/// An HTTP request, to be sent by POST with the content type `application/json`.
#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    /// The API endpoint.
    pub endpoint: Endpoint,
    /// The JSON body. It may hold a password, so `Debug` omits it.
    pub body: String,
}

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

/// The credentials of an account. `Debug` omits them.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// User name.
    pub username: String,
    /// The password.
    pub password: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Login")
    }
}

/// The caller's next step.
#[derive(Debug, Clone)]
pub enum Next {
    /// Send [`Client::request`], which would begin a hand: the session is
    /// between hands.
    NewHand,
    /// Send [`Client::request`].
    Send,
    /// Decide, and set the action with [`Client::act`].
    Decide(Box<InfoSet>),
    /// Decide without the board, since the answer that showed it was lost; only betting and seat
    /// are known. Set the action with [`Client::act`].
    DecideBlind(Box<PublicState>),
    /// Stop: the session is over.
    Gone,
}

/// Whether an unanswered request may have reached the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    /// It was never sent.
    Unsent,
    /// It may have been carried out.
    Maybe,
}

/// An event that follows from an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// A hand with this number has begun.
    Began(u64),
    /// A hand is over.
    Finished(Box<Finished>),
    /// The result of a hand is unknown for now.
    Unsettled(Unsettled),
    /// The result of such a hand is now known.
    Settled(Settled),
    /// The host refuses the request with this message; it can be retried after a pause.
    Refused(String),
    /// The sums of the session disagree: it must not go on.
    Drift(Drift),
    /// The host no longer knows the session. Hands without a result will not get one.
    Gone(String),
}

/// The record of a hand that was played to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// The hand's number.
    pub number: u64,
    /// The client's seat.
    pub seat: Seat,
    /// The final public state.
    pub public: PublicState,
    /// Both players' hole cards.
    pub hole: BySeat<HoleCards>,
    /// The payoff of each seat.
    pub payoffs: BySeat<Payoff>,
    /// The host's report of the result.
    pub end: End,
    /// Whether an action other than the one decided on was played, because a request was carried
    /// out twice.
    pub disturbed: bool,
}

/// Error for an answer that cannot be used. An invalid one ([`ClientError::Answer`]) is treated as
/// lost, so the session may go on; a contradiction names the state known before and the answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum ClientError {
    #[error(transparent)]
    Answer(#[from] AnswerError),
    #[error("{reason}; before: {before}; now: `{now}`")]
    Contradiction { reason: AnswerError, before: String, now: String },
    #[error("after `{action}` the server says {theirs} chips, the cards and the betting {ours}")]
    Winnings { action: String, theirs: i64, ours: Payoff },
    #[error("the server refuses `{incr}` after `{action}`, {attempts} times: {error_msg}")]
    Refused { incr: Incr, action: String, attempts: u32, error_msg: String },
}

/// The hand in play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hand {
    number: u64,
    seat: u8,
    hole: String,
    board: String,
    action: String,
    disturbed: bool,
    /// Whether the board of the current street is unknown.
    blind: bool,
}

/// The phase of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Phase {
    /// The session is yet to be requested for an account.
    Login,
    /// Between hands; `lost` requests for a new one got no answer.
    Idle { lost: u32 },
    /// A decision is needed.
    Turn { hand: Hand },
    /// An action is to be sent, or has been sent.
    Act { hand: Hand, incr: String, attempts: u32 },
    /// The answer to an action is lost: probe whether it was played.
    #[serde(rename = "doubt")]
    Probe { hand: Hand, incr: String, attempts: u32 },
    /// The host no longer knows the session.
    Gone,
}

/// The serialized state of a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    phase: Phase,
    /// The seat of the next hand, if all hands dealt have been seen.
    next_seat: u8,
    /// Cards and seat of the last hand, to recognise it when it is shown again.
    last: Option<(String, u8)>,
    /// The reported end of the last hand.
    last_end: Option<String>,
    /// Actions in this hand and in the one before whose answers were lost and which may still
    /// arrive.
    #[serde(rename = "unheard")]
    unanswered: [Vec<String>; 2],
    /// Number of lost requests for a first hand, each in a session of its own.
    #[serde(rename = "orphans")]
    lost_sessions: u32,
    /// Number of hands in a row that began in the other seat than was due although no request was
    /// lost.
    skipped: u32,
    #[serde(rename = "books")]
    accounts: Accounts,
}

/// A bound beyond any number of hands or chips that can occur, and far from overflow.
const MAX_NUMBER: u64 = 1 << 53;

impl Saved {
    /// Checks everything that the client takes for granted later: that this is the state of a
    /// session in this game. The error says what is not.
    fn check(&self, def: &Arc<GameDef>) -> Result<(), String> {
        match &self.phase {
            Phase::Login | Phase::Idle { .. } | Phase::Gone => {}
            Phase::Turn { hand } => check_hand(def, hand, None)?,
            Phase::Act { hand, incr, .. } | Phase::Probe { hand, incr, .. } => {
                check_hand(def, hand, Some(incr))?;
            }
        }
        let seats = [self.next_seat].into_iter().chain(self.last.as_ref().map(|last| last.1));
        if let Some(seat) = seats.into_iter().find(|&seat| seat > 1) {
            return Err(format!("there is no seat {seat}"));
        }
        if let Some((hole, _)) = &self.last {
            check_cards(def, hole, "")?;
        }
        for incr in self.unanswered.iter().flatten() {
            incr.parse::<Incr>().map_err(|error| error.to_string())?;
        }
        let accounts = &self.accounts;
        let sums = [accounts.total, accounts.baseline_total.unwrap_or_default()];
        let numbers = sums.iter().map(|sum| sum.unsigned_abs()).chain([accounts.hands]);
        if let Some(number) = numbers.into_iter().find(|&number| number > MAX_NUMBER) {
            return Err(format!("{number} is more than all hands and chips"));
        }
        if self.skipped >= MAX_SKIPPED {
            return Err(format!("{} hands in the wrong seat", self.skipped));
        }
        accounts.unsettled.iter().try_for_each(|hand| check_unsettled(def, hand))
    }
}

fn check_hand(def: &Arc<GameDef>, hand: &Hand, incr: Option<&str>) -> Result<(), String> {
    let Hand { number, seat, hole, board, action, blind, .. } = hand;
    check_number(*number)?;
    let shown = check_cards(def, hole, board)?;
    let state =
        if *blind { action::replay_any(def, action) } else { action::replay(def, action, &shown) };
    let state = state.map_err(|error| error.to_string())?;
    if action::write(&state) != *action {
        return Err(format!("`{action}` is not written as a host does"));
    }
    if !matches!(state.turn(), Turn::Act(turn) if turn.index() == usize::from(*seat)) {
        return Err(format!("after `{action}` it is not the turn of seat {seat}"));
    }
    if *blind && shown.len() >= state.board().len() {
        return Err(format!("after `{action}` the board {board} is not less than is due"));
    }
    let Some(incr) = incr else { return Ok(()) };
    let parsed: Incr = incr.parse().map_err(|error: IncrError| error.to_string())?;
    parsed.action(&state).map_err(|error| format!("`{incr}` after `{action}`: {error}"))?;
    if parsed.to_string() == *incr { Ok(()) } else { Err(format!("`{incr}` is not one action")) }
}

fn check_unsettled(def: &Arc<GameDef>, hand: &Unsettled) -> Result<(), String> {
    check_number(hand.number)?;
    if hand.seen() {
        check_cards(def, &hand.hole, &hand.board)?;
    }
    let known: KnownHand<'_> = hand.known();
    let course = if hand.results.is_some() { Course::Known } else { Course::Unknown };
    match Unsettled::new(def, known, course) {
        Some(expected) if expected == *hand => Ok(()),
        _ => Err(format!("hand {} was given up otherwise", hand.number)),
    }
}

fn check_number(number: u64) -> Result<(), String> {
    if number > MAX_NUMBER { Err(format!("{number} is no number of a hand")) } else { Ok(()) }
}

/// Two hole cards and a board, of different cards in the game's deck; gives the board.
fn check_cards(def: &GameDef, hole: &str, board: &str) -> Result<Board, String> {
    let wrong = || format!("`{hole}` and `{board}` are not two cards and a board");
    let cards: HoleCards = hole.parse().map_err(|_| wrong())?;
    let shown: Board = board.parse().map_err(|_| wrong())?;
    let mut seen = CardSet::EMPTY;
    let fits =
        cards.iter().chain(shown.iter()).all(|&card| def.has_card(card) && seen.insert(card));
    let written = cards.to_string() == hole && shown.to_string() == board;
    if fits && cards.len() == 2 && matches!(shown.len(), 0 | 3..=5) && written {
        Ok(shown)
    } else {
        Err(wrong())
    }
}
