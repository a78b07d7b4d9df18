//! `POST /api/v1/decide`: an agent's decision in a given situation. The API is stateless: a request
//! has everything that the agent may know, and repeating it with the seed in its response gives the
//! same response, if the agent is repeatable.
//!
//! The situation has the keys of exported hands and decisions (docs/ledger.md): `betting` and
//! `cards` in ACPC notation as `seat` sees them. It is parsed as a match state of the ACPC
//! protocol, so that impossible situations, and cards that the seat cannot know, are rejected.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agents::{AgentChoice, AgentError};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::routing::post;
use axum::{Json, body};
use game::{Action, GameDef, Street, Turn, notation};
use logs::{DecisionRecord, Fallback};
use matches::games::without_discards;
use matches::plan::fresh_seed;
use protocol::acpc;
use protocol::acpc::gamedef::{self, Reading};
use protocol::acpc::matchstate::{MatchState, MatchStateError};
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use wire::slumbot_host::{OfferedAgent, Question};

use super::Limits;
use super::api::Problem;
use super::description::Description;

/// The path of the endpoint.
pub const PATH: &str = "/api/v1/decide";

/// The default game.
const USUAL_GAME: &str = "holdem.nolimit.2p.reverse_blinds";

/// The keys of a request.
const KEYS: [&str; 7] = ["agent", "game", "hand", "seat", "betting", "cards", "seed"];

/// The remedy for a request that cannot be read.
const DESCRIBED: &str =
    "docs/server.md has an example; `/api/v1/openapi.json`, or the tool, describes the keys";

/// The agents that may be asked, and their limits.
#[derive(Debug)]
pub struct DecidePlan {
    /// The agents by name.
    pub agents: BTreeMap<String, AgentChoice>,
    /// The time limit for a decision.
    pub time_limit: Duration,
    /// Most concurrent decisions.
    pub workers: usize,
}

/// The agents that are asked for decisions; cheap to clone.
#[derive(Clone)]
pub struct Decider(Arc<Inner>);

struct Inner {
    plan: DecidePlan,
    permits: Arc<Semaphore>,
    /// The agents in use, by name and game.
    ready: Mutex<HashMap<(String, &'static str), Arc<OfferedAgent>>>,
}

impl Decider {
    /// Serves the agents of this plan.
    pub fn new(plan: DecidePlan) -> Decider {
        let permits = Arc::new(Semaphore::new(plan.workers));
        Decider(Arc::new(Inner { plan, permits, ready: Mutex::default() }))
    }

    /// What an agent does in the situation that this JSON text describes.
    ///
    /// # Errors
    /// When the text is no situation, or the agent gives no decision.
    pub async fn decide(&self, body: &[u8]) -> Result<Decision, Problem> {
        let asked = ParsedRequest::read(body, &self.0.plan.agents)?;
        let infoset = asked.state.infoset();
        let legal = infoset.legal();
        let question = Question { infoset, seed: asked.seed.into(), hand: asked.state.hand.into() };
        // Waiting for a permit, and reading a model, may take as long as the decision.
        let deciding = self.offered(&asked);
        let deciding = deciding.decide_elsewhere(question);
        let time = self.0.plan.time_limit.saturating_mul(2);
        let late = || {
            let (code, agent) = (StatusCode::SERVICE_UNAVAILABLE, &asked.agent);
            let remedy = "ask again later, or set `decide.workers` or `decide.decision_timeout`";
            Problem::new(code, format!("`{agent}` could not be asked in time"), remedy)
        };
        let decided = tokio::time::timeout(time, deciding).await.map_err(|_| late())?;
        let decided = decided.map_err(|error| cannot_be_built(&error))?;
        if let Some(fallback) = decided.fallback {
            return Err(no_decision(&asked.agent, fallback, decided.note.as_deref()));
        }
        Ok(Decision::new(asked, decided, legal))
    }

    /// The requested agent at the requested game.
    fn offered(&self, asked: &ParsedRequest) -> Arc<OfferedAgent> {
        let Inner { plan, permits, ready } = &*self.0;
        let mut ready = parallel::lock(ready);
        let new = || {
            let (name, choice) = (asked.agent.clone(), asked.choice.clone());
            let permits = Arc::clone(permits);
            Arc::new(OfferedAgent::new(name, choice, &asked.def, plan.time_limit, permits))
        };
        Arc::clone(ready.entry((asked.agent.clone(), asked.game)).or_insert_with(new))
    }
}

/// The endpoint's route. Its time limit starts after the request's body, unlike that of other
/// paths.
pub fn router(decider: Option<Decider>, limits: Limits, api: &mut Description) -> Router {
    let operation = (
        "decide",
        "What an agent does in a situation.",
        "No state is kept for a client: the agent knows what the request holds and nothing else. A \
         situation that cannot occur is refused with its place.",
    );
    let codes = [404, 408, 415, 502, 504];
    let path = api.post::<Decision>(PATH, operation, ("Situation", situation_schema()), &codes);
    Router::new().route(path, post(decide)).with_state((decider, limits))
}

/// The schema of a request's body.
pub fn situation_schema() -> Schema {
    let most = u32::MAX;
    json_schema!({
        "type": "object",
        "description": "What one seat knows when it has to act, and who is asked. The keys are \
            those of exported hands and decisions (docs/ledger.md).",
        "required": ["agent", "seat", "betting", "cards"],
        "additionalProperties": false,
        "properties": {
            "agent": {
                "type": "string",
                "description": "The agent that is asked: one whose `decides` is true in \
                    `/api/v1/agents`."
            },
            "game": {
                "type": "string",
                "description": "A game that ships with the program (`cardroom show games`).",
                "default": USUAL_GAME
            },
            "hand": {
                "type": "integer", "minimum": 0, "maximum": most, "default": 0,
                "description": "The hand's number."
            },
            "seat": {
                "type": "integer", "minimum": 0, "maximum": 9,
                "description": "The seat whose turn it is, from 0 in the order of the game \
                    definition. In `holdem.nolimit.2p.reverse_blinds` 0 is the big blind and 1 \
                    the button."
            },
            "betting": {
                "type": "string",
                "description": "The betting so far in ACPC notation: `f`, `c`, `r` with the \
                    total over the whole hand (in limit games without), `/` as soon as a street \
                    has begun."
            },
            "cards": {
                "type": "string",
                "description": "The seat's own cards and the board in ACPC notation: the seats' \
                    cards with `|` between, others' empty, then `/` and the cards of each later \
                    street."
            },
            "seed": {
                "type": "integer", "minimum": 0, "maximum": most,
                "description": "Which of the agent's random choices; drawn at random where it is \
                    missing."
            },
        },
        "example": { "agent": "cfr", "seat": 0, "betting": "r300c/cr600", "cards": "AcKd|/Ks3hJc" }
    })
}

/// What an agent does in a situation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Decision {
    /// The agent that was asked.
    agent: String,
    /// The game.
    game: &'static str,
    /// The hand's number.
    hand: u32,
    /// The seat.
    seat: usize,
    /// The seed of the agent's random choices: with it the same request has the same answer, if the
    /// agent is repeatable.
    seed: u32,
    legal: Legal,
    /// What the agent does.
    action: ActionText,
    /// What the agent had asked for, where that was not legal.
    corrected_from: Option<ActionText>,
    /// Actions with their probabilities, which sum to 1; null where the agent gives none.
    strategy: Option<Vec<(ActionText, f64)>>,
    /// Actions with what each wins on average with the seat's cards, in chips over the whole hand,
    /// as the agent estimates it; null where the agent gives none.
    values: Option<Vec<(ActionText, f64)>>,
    /// The agent's explanation, where it gives one.
    note: Option<String>,
    /// Thinking time in nanoseconds.
    elapsed_ns: u64,
}

/// `f` folds, `c` checks or calls, `r` and a number raises to that total in chips over the whole
/// hand, also in limit games.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Action")]
pub struct ActionText(#[schemars(regex(pattern = "^(f|c|r[0-9]+)$"))] String);

/// What may be done.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Legal {
    /// Whether there is anything to fold to.
    fold: bool,
    /// Chips that a call adds; 0 for a check.
    to_call: game::Chips,
    /// Null where no raise is allowed.
    raise: Option<Raises>,
}

impl From<game::LegalActions> for Legal {
    fn from(legal: game::LegalActions) -> Legal {
        Legal {
            fold: legal.fold,
            to_call: legal.to_call,
            raise: legal.raise.map(|game::Raises { min, max }| Raises { min, max }),
        }
    }
}

/// The totals, in chips over the whole hand, to which may be raised.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Raises {
    /// The smallest.
    min: game::Chips,
    /// The largest.
    max: game::Chips,
}

async fn decide(
    State((decider, limits)): State<(Option<Decider>, Limits)>,
    request: Request,
) -> Result<Json<Decision>, Problem> {
    let Some(decider) = decider else {
        let remedy = "set `decide.enabled = true` in the configuration";
        return Err(Problem::new(
            StatusCode::NOT_FOUND,
            "decisions are disabled on this server",
            remedy,
        ));
    };
    decider.decide(&read_body(request, limits).await?).await.map(Json)
}

/// Reads the body of a request, which must be declared as JSON.
pub(super) async fn read_body(request: Request, limits: Limits) -> Result<body::Bytes, Problem> {
    let kind = request.headers().get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        let code = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        let remedy = "send the header `Content-Type: application/json` (`curl --json` does)";
        return Err(Problem::new(code, "the request does not say that its body is JSON", remedy));
    }
    let read = body::to_bytes(request.into_body(), limits.body);
    match tokio::time::timeout(limits.time, read).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "the body is too large, or ended early",
            "send less, or set `server.max_body` in the configuration",
        )),
        Err(_) => Err(Problem::new(
            StatusCode::REQUEST_TIMEOUT,
            "the body did not arrive in time",
            "send it at once, or set `server.request_timeout` in the configuration",
        )),
    }
}

fn cannot_be_built(error: &AgentError) -> Problem {
    if error.is_game() {
        return Problem::at_pointer(
            "/game",
            error.to_string(),
            "name a game that this agent plays",
        );
    }
    tracing::warn!(%error, "an agent that was asked for a decision cannot be built");
    let remedy = "the server's log says more; `cardroom config check` tries its agents";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string(), remedy)
}

fn no_decision(agent: &str, fallback: Fallback, note: Option<&str>) -> Problem {
    let (code, what) = match fallback {
        Fallback::Timeout => (StatusCode::GATEWAY_TIMEOUT, "did not answer in time"),
        Fallback::Gone => (StatusCode::BAD_GATEWAY, "is gone"),
        Fallback::BadAnswer => {
            (StatusCode::BAD_GATEWAY, "answered something that is not an action")
        }
        Fallback::Panic => (StatusCode::INTERNAL_SERVER_ERROR, "failed: a fault in this program"),
    };
    tracing::warn!(agent, what, note, "an agent gave no decision");
    let note = note.map(|note| format!(" ({note})")).unwrap_or_default();
    let remedy = match fallback {
        Fallback::Timeout => "ask again, or set `decide.decision_timeout` in the configuration",
        Fallback::Gone | Fallback::BadAnswer => "try it with `cardroom agents verify`",
        Fallback::Panic => "ask another agent; please report the request that led to this",
    };
    Problem::new(code, format!("`{agent}` {what}{note}"), remedy)
}

fn text(action: Action) -> ActionText {
    ActionText(notation::action(action))
}

impl Decision {
    fn new(asked: ParsedRequest, decided: DecisionRecord, legal: game::LegalActions) -> Decision {
        let pairs = |pairs: Vec<(Action, f64)>| {
            pairs.into_iter().map(|(action, number)| (text(action), number)).collect()
        };
        let values = decided.values;
        Decision {
            agent: asked.agent,
            game: asked.game,
            hand: asked.state.hand,
            seat: asked.state.seat.index(),
            seed: asked.seed,
            legal: legal.into(),
            action: text(decided.action),
            corrected_from: decided.corrected_from.map(text),
            strategy: decided.strategy.map(|strategy| pairs(strategy.actions)),
            values: (!values.is_empty()).then(|| pairs(values)),
            note: decided.note,
            elapsed_ns: u64::try_from(decided.elapsed.as_nanos()).unwrap_or(u64::MAX),
        }
    }
}

/// The parsed body of a request, with the agent and the game that it names.
struct ParsedRequest {
    agent: String,
    choice: AgentChoice,
    game: &'static str,
    def: Arc<GameDef>,
    state: MatchState,
    seed: u32,
}

impl ParsedRequest {
    fn read(
        bytes: &[u8],
        agents: &BTreeMap<String, AgentChoice>,
    ) -> Result<ParsedRequest, Problem> {
        let value: Value = serde_json::from_slice(bytes).map_err(|error| {
            Problem::at_pointer("", format!("the body is not JSON: {error}"), DESCRIBED)
        })?;
        let Value::Object(keys) = value else {
            return Err(Problem::at_pointer("", "the body is not a JSON object", DESCRIBED));
        };
        if let Some(key) = keys.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let pointer = format!("/{}", key.replace('~', "~0").replace('/', "~1"));
            let error = format!("there is no key `{}`", game::escape::excerpt(key));
            return Err(Problem::at_pointer(
                &pointer,
                error,
                format!("its keys: {}", KEYS.join(", ")),
            ));
        }
        let agent = needed(&keys, "agent")?;
        let Some(choice) = agents.get(agent) else {
            let error = format!("no agent `{}` may be asked here", game::escape::excerpt(agent));
            let known: Vec<&str> = agents.keys().map(String::as_str).collect();
            let remedy = format!("one of: {}; `decide.agents` names others", known.join(", "));
            return Err(Problem::at_pointer("/agent", error, remedy));
        };
        let (game, def) = game_of(&keys)?;
        let state = situation(&keys, &def)?;
        let seed = number(&keys, "seed")?.unwrap_or_else(|| fresh_seed() as u32);
        let (agent, choice) = (agent.to_owned(), choice.clone());
        Ok(ParsedRequest { agent, choice, game, def, state, seed })
    }
}

fn wrong_type(key: &str, expected: &str) -> Problem {
    Problem::at_pointer(&format!("/{key}"), format!("`{key}` is not {expected}"), DESCRIBED)
}

fn string<'a>(keys: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, Problem> {
    let read = |value: &'a Value| value.as_str().ok_or_else(|| wrong_type(key, "a text"));
    keys.get(key).map(read).transpose()
}

fn needed<'a>(keys: &'a Map<String, Value>, key: &str) -> Result<&'a str, Problem> {
    string(keys, key)?.ok_or_else(|| missing(key))
}

fn missing(key: &str) -> Problem {
    Problem::at_pointer("", format!("`{key}` is missing"), DESCRIBED)
}

fn number(keys: &Map<String, Value>, key: &str) -> Result<Option<u32>, Problem> {
    let read = |value: &Value| {
        let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| wrong_type(key, "a whole number from 0 to 4294967295"))
    };
    keys.get(key).map(read).transpose()
}

/// The requested game, which must be a built-in one: no file is read for a request.
fn game_of(keys: &Map<String, Value>) -> Result<(&'static str, Arc<GameDef>), Problem> {
    let name = string(keys, "game")?.unwrap_or(USUAL_GAME);
    let unknown = || {
        let nearest = acpc::nearest(name).map(|near| format!("did you mean `{near}`? "));
        let remedy = format!("{}`cardroom show games` lists them", nearest.unwrap_or_default());
        let error = format!("there is no game `{}`", game::escape::excerpt(name));
        Problem::at_pointer("/game", error, remedy)
    };
    let found = acpc::find(name).ok_or_else(unknown)?;
    let read = gamedef::read(found.text.as_bytes(), found.name, Reading::Strict);
    let def = read.map_err(|_| unknown())?.def;
    without_discards(found.name, &def).map_err(|error| {
        let remedy = "name another game".to_owned();
        Problem::at_pointer("/game", error.to_string(), remedy)
    })?;
    Ok((found.name, Arc::new(def)))
}

/// Parses the situation, in which the seat must be to act.
fn situation(keys: &Map<String, Value>, def: &Arc<GameDef>) -> Result<MatchState, Problem> {
    let seat = number(keys, "seat")?.ok_or_else(|| missing("seat"))?;
    let hand = number(keys, "hand")?.unwrap_or_default();
    let (betting, cards) = (needed(keys, "betting")?, needed(keys, "cards")?);
    for (key, text) in [("betting", betting), ("cards", cards)] {
        if text.contains(':') {
            let error = format!("`{key}` has a `:`, which separates the parts of a match state");
            return Err(Problem::at_pointer(&format!("/{key}"), error, DESCRIBED));
        }
    }
    let line = format!("MATCHSTATE:{seat}:{hand}:{betting}:{cards}");
    let state = MatchState::parse(def, &line).map_err(|error| impossible(&error))?;
    match state.public.turn() {
        Turn::Act(turn) if turn == state.seat => Ok(state),
        Turn::Act(turn) => {
            let error = format!("it is the turn of seat {turn}, not of seat {seat}");
            Err(Problem::at_pointer(
                "/seat",
                error,
                "ask for the seat whose turn it is, with its cards",
            ))
        }
        Turn::Deal(street) => {
            let error = format!("cards are due next: the {}", street.name());
            let remedy = "end `betting` with `/` and add the street's cards to `cards`";
            Err(Problem::at_pointer("/betting", error, remedy))
        }
        Turn::Over => {
            let remedy = "leave out what came after the decision that is asked for";
            Err(Problem::at_pointer("/betting", "the hand is over: nobody decides", remedy))
        }
    }
}

/// The problem with an impossible situation, and the JSON pointer of its key.
fn impossible(error: &MatchStateError) -> Problem {
    use notation::{BettingError, NotationError};
    let (pointer, remedy) = match error {
        MatchStateError::Position { .. } => ("/seat", "seats count from 0, in the game's order"),
        MatchStateError::Notation(NotationError::Betting {
            reason: BettingError::Deal(_), ..
        }) => {
            ("/cards", "give the cards of every street that `betting` has reached, and no others")
        }
        MatchStateError::Notation(NotationError::Betting { .. }) => {
            ("/betting", "`f`, `c`, `r` and the total in the whole hand; `/` between streets")
        }
        MatchStateError::Street { betting, board } if Street::index(*betting) > board.index() => {
            ("/cards", "add the cards of the street, after a `/`")
        }
        MatchStateError::Street { .. } => {
            ("/cards", "leave out the cards of later streets, or end `betting` with `/`")
        }
        MatchStateError::Missing(_) => ("/cards", "give this seat's own cards, as in `AcKd|`"),
        MatchStateError::Exposed(_) => ("/cards", "leave out the cards of other seats"),
        MatchStateError::Notation(NotationError::Cards { .. }) | MatchStateError::Case(_) => {
            ("/cards", "hole cards by seat with `|` between, then `/` and cards for each street")
        }
        MatchStateError::Keyword
        | MatchStateError::NotText
        | MatchStateError::Fields(_)
        | MatchStateError::Hand(_) => ("", DESCRIBED),
    };
    // The protocol's positions are called seats here.
    let error = error.to_string().replace("position", "seat");
    Problem::at_pointer(pointer, error, remedy)
}
