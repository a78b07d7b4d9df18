//! The host's side as values: endpoints, parsed requests, and a hand as its client may see it. No
//! store of hands, no sockets, no clocks.

use game::{Action, Seat, Turn};
use serde::de::DeserializeOwned;

use super::client::Request;
use super::message::{
    ActRequest, ErrorObject, GameObject, HandObject, NewHandRequest, PlayerObject, RangeObject,
    StateObject,
};
use super::{GAME_NAME, OPPONENT, history};
use crate::slumbot::Incr;
use crate::slumbot::host::{Hand, Next};

/// The API's endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// `POST /hands`: deals a hand.
    NewHand,
    /// `POST /hands/{hand_id}/act`: plays the client's action.
    Act,
    /// `GET /hands/in-progress`: the client's open hands.
    InProgress,
    /// `GET /results`: the client's results.
    Results,
    /// `GET /leaderboard`: everybody's.
    Leaderboard,
}

impl Endpoint {
    /// Every endpoint.
    pub const ALL: [Endpoint; 5] = [
        Endpoint::NewHand,
        Endpoint::Act,
        Endpoint::InProgress,
        Endpoint::Results,
        Endpoint::Leaderboard,
    ];

    /// A word for it, for counts and logs.
    pub const fn name(self) -> &'static str {
        match self {
            Endpoint::NewHand => "new_hand",
            Endpoint::Act => "act",
            Endpoint::InProgress => "in_progress",
            Endpoint::Results => "results",
            Endpoint::Leaderboard => "leaderboard",
        }
    }

    /// Its path; `{hand_id}` stands for a hand's number.
    pub const fn path(self) -> &'static str {
        match self {
            Endpoint::NewHand => "/hands",
            Endpoint::Act => "/hands/{hand_id}/act",
            Endpoint::InProgress => "/hands/in-progress",
            Endpoint::Results => "/results",
            Endpoint::Leaderboard => "/leaderboard",
        }
    }

    /// A request to it, about this hand, with this body.
    pub(super) fn request(self, hand: Option<u64>, body: Option<String>) -> Request {
        let mut path = self.path().to_owned();
        if let Some(hand) = hand {
            path = path.replace("{hand_id}", &hand.to_string());
        }
        if self == Endpoint::InProgress {
            path += "?game_name=";
            path += &GAME_NAME.replace(' ', "%20");
        }
        Request { endpoint: self, path, body }
    }
}

/// Parses the body of a request.
///
/// # Errors
/// A sentence for its sender when it is not JSON of the expected shape.
fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    serde_json::from_slice(body)
        .map_err(|error| format!("the body is not what is expected: {error}"))
}

/// Parses the body of `POST /hands`.
///
/// # Errors
/// A sentence for its sender when it is no JSON of that shape, or names another game.
pub fn read_new_hand(body: &[u8]) -> Result<NewHandRequest, String> {
    let request: NewHandRequest = read(body)?;
    if request.game_name != GAME_NAME {
        return Err(format!("game_name must be \"{GAME_NAME}\""));
    }
    Ok(request)
}

/// Parses the body of `act` into an action in the notation of the Slumbot API.
///
/// # Errors
/// A sentence for its sender when it is no JSON of that shape, or no action.
pub fn read_act(body: &[u8]) -> Result<String, String> {
    let ActRequest { action, amount } = read(body)?;
    match (action.as_str(), amount) {
        ("f" | "k" | "c", _) => Ok(action),
        ("b", Some(amount)) => Ok(format!("b{amount}")),
        ("b", None) => Err("amount is missing: for `b` it is the total on the street".to_owned()),
        _ => Err("action must be `f`, `k`, `c` or `b`".to_owned()),
    }
}

/// The answer that shows a hand to its client, whose name is `client`. `aivat_score` is for
/// finished hands.
pub fn object(id: u64, hand: &Hand, client: &str, aivat_score: Option<f64>) -> HandObject {
    let public = hand.public();
    let def = public.def();
    let over = hand.next() == Next::Over;
    let to_act = hand.next() == Next::Client;
    let player = |seat: Seat| {
        let own = seat == hand.client();
        PlayerObject {
            name: if own { client } else { OPPONENT }.to_owned(),
            stack: f64::from(public.stack(seat)),
            position: if seat.index() == 0 { "BB" } else { "SB" }.to_owned(),
            hole_cards: (own || over).then(|| hand.hole()[seat].to_string()),
        }
    };
    let legal = public.legal();
    let before =
        f64::from(if matches!(public.turn(), Turn::Act(_)) { public.before_street() } else { 0 });
    let range = legal.raise.filter(|_| to_act).map(|raise| RangeObject {
        min: f64::from(raise.min) - before,
        max: f64::from(raise.max) - before,
    });
    let actions = [
        (legal.fold, Incr::from_action(Action::Fold, public)),
        (true, Incr::from_action(Action::Call, public)),
    ];
    let actions = actions.into_iter().filter(|(is_legal, _)| *is_legal && to_act);
    let mut legal_actions: Vec<String> = actions.map(|(_, incr)| incr.to_string()).collect();
    legal_actions.extend(range.is_some().then(|| "b".to_owned()));
    let street_bets: u64 = def.seats().map(|seat| u64::from(public.committed_street(seat))).sum();
    let folded = public.folded().contains(hand.server());
    let mut blinds: Vec<f64> = def.blinds.iter().map(|&blind| f64::from(blind)).collect();
    blinds.sort_by(|a, b| b.total_cmp(a));
    HandObject {
        hand_id: id,
        game: GameObject {
            game_id: 1,
            game_name: GAME_NAME.to_owned(),
            game_format: "HU".to_owned(),
            starting_stack: f64::from(def.stacks[0]),
            blinds: [blinds[0], blinds[1]],
            stack_reset_per_hand: true,
        },
        game_state: StateObject {
            street: public.street().name().to_owned(),
            common_pot: public.pot().saturating_sub(street_bets) as f64,
            total_pot: public.pot() as f64,
            board_cards: public.board().to_string(),
            is_hand_over: over,
            players: def.seats().map(player).collect(),
            legal_actions,
            raise_range: range,
            action_history: history::write(public),
            has_gto_wizard_folded: folded,
            winnings: over.then(|| hand.winnings() as f64),
            aivat_score: aivat_score.filter(|_| over),
        },
    }
}

/// The answer to a refused request.
pub fn refusal(detail: impl Into<String>) -> ErrorObject {
    ErrorObject { detail: detail.into() }
}
