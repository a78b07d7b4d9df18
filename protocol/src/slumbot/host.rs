//! The host's side of the API as values: parsed requests, the state of a hand between a client and
//! our bot, and answers. No session store, no sockets, no clocks: cards and the bot's actions are
//! passed in.
//!
//! A request has one answer. An answer is only sent when it is the client's turn or the hand is
//! over, so the bot's actions are played first; a hand may be over before the client has acted.

use std::sync::Arc;

use cards::{Board, HoleCards};
use game::{
    Action, BySeat, GameDef, IllegalReason, InfoSet, Payoff, PublicState, Seat, State, Turn,
};

use super::action::{board_order, high_to_low, write};
use super::message::{
    ActRequest, BadRequest, ErrorObject, HandEnd, HandObject, LoginRequest, NewHandRequest,
    read_request, won_pot,
};
use super::{Incr, IncrError, Refusal};

/// The live server's message for a token that belongs to no session.
pub const BAD_TOKEN: &str = "Bad token";

/// The API's endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// `login`: opens a session under a name.
    Login,
    /// `new_hand`: deals the next hand of a session, or of a new one.
    NewHand,
    /// `act`: plays the client's action.
    Act,
}

impl Endpoint {
    /// Every endpoint.
    pub const ALL: [Endpoint; 3] = [Endpoint::Login, Endpoint::NewHand, Endpoint::Act];

    /// The last segment of the path.
    pub const fn name(self) -> &'static str {
        match self {
            Endpoint::Login => "login",
            Endpoint::NewHand => "new_hand",
            Endpoint::Act => "act",
        }
    }
}

/// A parsed request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// The body of `login`.
    Login(LoginRequest),
    /// The body of `new_hand`.
    NewHand(NewHandRequest),
    /// The body of `act`.
    Act(ActRequest),
}

impl Request {
    /// Parses a request's body.
    ///
    /// # Errors
    /// When it is not JSON or has another content type, or when a field is not a text.
    pub fn read(
        endpoint: Endpoint,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Result<Request, BadRequest> {
        let kind = content_type.unwrap_or_default();
        let essence = kind.split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case("application/json") {
            let found: String = kind.chars().take(100).collect();
            return Err(BadRequest::Malformed(format!(
                "its content type is `{found}`, not application/json"
            )));
        }
        Ok(match endpoint {
            Endpoint::Login => Request::Login(read_request(body)?),
            Endpoint::NewHand => Request::NewHand(read_request(body)?),
            Endpoint::Act => Request::Act(read_request(body)?),
        })
    }
}

/// The reason for refusing a client's action.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The text is not one action.
    #[error(transparent)]
    Text(#[from] IncrError),
    /// It is not legal now.
    #[error(transparent)]
    Illegal(#[from] Refusal),
}

impl Refused {
    /// The live server's `error_msg` for this refusal.
    pub const fn error_msg(&self) -> &'static str {
        match self {
            Refused::Text(_) => IncrError::ERROR_MSG,
            Refused::Illegal(refusal) => refusal.error_msg(),
        }
    }
}

/// The side to act next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The client: an answer can be sent.
    Client,
    /// The server's agent.
    Server,
    /// Nobody: the hand is over, and an answer can be sent.
    Over,
}

/// The running totals of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Number of finished hands.
    pub hands: u64,
    /// Sum of the client's winnings, in chips.
    pub total: i64,
    /// Sum of the winnings minus the bot's self-play results with the same cards.
    pub baseline_total: i64,
}

impl Totals {
    /// Counts a finished hand.
    pub fn add(&mut self, winnings: i64, baseline_winnings: i64) {
        self.hands += 1;
        self.total += winnings;
        self.baseline_total += baseline_winnings;
    }
}

/// The state of a hand between a client and our bot.
#[derive(Debug, Clone)]
pub struct Hand {
    state: State,
    /// All five board cards, including those not yet dealt.
    board: Board,
    client: Seat,
}

impl Hand {
    /// A new hand with these cards, the whole board included. `client` is the client's seat, its
    /// `client_pos`.
    pub fn new(def: &Arc<GameDef>, hole: BySeat<HoleCards>, board: Board, client: Seat) -> Hand {
        Hand { state: State { public: PublicState::new(def), hole }, board, client }
    }

    /// The side to act next.
    pub fn next(&self) -> Next {
        match self.state.public.turn() {
            Turn::Act(seat) if seat == self.client => Next::Client,
            Turn::Act(_) => Next::Server,
            Turn::Deal(_) | Turn::Over => Next::Over,
        }
    }

    /// The client's seat.
    pub fn client(&self) -> Seat {
        self.client
    }

    /// The bot's seat.
    pub fn server(&self) -> Seat {
        Seat::new(1 - self.client.index()).expect("two seats")
    }

    /// The public state.
    pub fn public(&self) -> &PublicState {
        &self.state.public
    }

    /// Both players' hole cards.
    pub fn hole(&self) -> &BySeat<HoleCards> {
        &self.state.hole
    }

    /// The bot's information set.
    pub fn infoset(&self) -> InfoSet {
        self.state.infoset(self.server())
    }

    /// The betting so far, in Slumbot's notation.
    pub fn action(&self) -> String {
        write(&self.state.public)
    }

    /// Parses a client's `incr` into an action without playing it.
    ///
    /// # Errors
    /// When the text is not exactly one action, or the action is not legal now.
    pub fn read(&self, incr: &str) -> Result<Action, Refused> {
        let incr: Incr = incr.parse()?;
        Ok(incr.action(&self.state.public)?)
    }

    /// Plays an action of the seat to act, and deals the cards that are due.
    ///
    /// # Errors
    /// When it is not legal; nothing changes then.
    pub fn play(&mut self, action: Action) -> Result<(), IllegalReason> {
        self.state.public.apply(action)?;
        self.state.public.deal_from(&self.board).expect("a deal holds the whole board");
        Ok(())
    }

    /// The payoff of each seat. Meaningful when the hand is over.
    pub fn payoffs(&self) -> BySeat<Payoff> {
        self.state.payoffs()
    }

    /// The client's winnings in chips. Meaningful when the hand is over. They are whole: at a
    /// showdown both players have put in the same amount.
    pub fn winnings(&self) -> i64 {
        self.payoffs()[self.client].parts() / Payoff::PER_CHIP
    }

    /// The result fields of a finished hand. `totals` include it.
    pub fn end(&self, baseline_winnings: i64, totals: Totals) -> HandEnd {
        let winnings = self.winnings();
        HandEnd {
            bot_hole_cards: high_to_low(self.state.hole[self.server()]),
            winnings,
            won_pot: won_pot(winnings, self.state.public.pot()),
            session_num_hands: totals.hands,
            baseline_winnings,
            session_total: totals.total,
            session_baseline_total: totals.baseline_total,
        }
    }

    /// The answer that shows this hand. `old_action` is the betting before the client's last
    /// action; `token` is given in a session's first answer only.
    pub fn object(
        &self,
        old_action: String,
        end: Option<HandEnd>,
        token: Option<String>,
    ) -> HandObject {
        HandObject {
            old_action,
            action: self.action(),
            client_pos: self.client.index() as u8,
            hole_cards: high_to_low(self.state.hole[self.client]),
            board: board_order(self.state.public.board()),
            end,
            token,
        }
    }
}

/// The answer to a refused action; the hand is unchanged.
pub fn refusal(error_msg: &str, old_action: Option<String>) -> ErrorObject {
    ErrorObject { error_msg: error_msg.to_owned(), old_action }
}
