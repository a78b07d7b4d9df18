//! Decisions to practise: the page `/train`, and the exercises behind it. Every answer has a price:
//!
//! - in solved games, which are spots that were solved on the study page, all-in or fold, and the
//!   last bet of a game of ten cards ([`readable::exercise`]);
//! - for the rules of one street of limit hold'em, counted exactly ([`coach::by_rules`]);
//! - by an agent's play, for hands against it and for decisions of recorded matches ([`Coach`]).
//!
//! A seed in the address makes an exercise, and nothing of it is kept here: how somebody does is
//! kept by the browser.

use std::path::Path as FilePath;
use std::sync::{Arc, Mutex};

use agents::{HeuristicPlayer, Registry, named_heuristics};
use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use evaluation::coach::{self, AgainstAgent, ByRules, Coach, Recorded};
use evaluation::price::Unpriced;
use game::{Betting, Chips, GameDef, GameSpec, Policy, PublicState, Seat, Street, Turn, games};
use learners::mixed;
use logs::{HandRecord, LedgerReader};
use parallel::lock;
use readable::exercise::{
    self, CARDS, Deal, Grade, Hand, LastBet, Price, Question, STACKS, ShoveOrFold,
};
use readable::shove_fold::Blind;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use show::number::decimal;
use solvers::Player;
use tokio::sync::Semaphore;

use super::Site;
use super::analyse::kept_analysis;
use super::api::Problem;
use super::description::Description;
use super::pages::{blocking, page};
use super::policies::Policies;
use super::records::{being_played, player_named, unreadable};
use super::study::{SolvedSpot, Study};
use crate::analysis::LEAST;
use crate::hand_report::words_in_blinds;

/// The paths of the API.
const SHOVE: &str = "/api/v1/exercises/shove-or-fold";
const LAST_BET: &str = "/api/v1/exercises/last-bet";
const RULES: &str = "/api/v1/exercises/rules";
const AGENT: &str = "/api/v1/exercises/hand";
const MATCH: &str = "/api/v1/matches/{id}/exercise";
const SPOT: &str = "/api/v1/study/solutions/{id}/exercise";

/// The opponent that the rules of one street are made against: it knows only its hand's category.
const RULES_OPPONENT: &str = "cfr:blueprint=categories";

/// Agents and games that are kept ready to price decisions.
const COACHES: usize = 6;

/// The most big blinds that a hand against an agent is played with: what blueprints are for.
const MOST_STACK: Chips = 250;

/// Exercises that take processor time, at once.
const WORKERS: usize = 2;

/// Hands of a match that are looked at for one with a decision of the player.
const HANDS: u64 = 500;

/// The last matches that the page lists.
const LISTED: usize = 100;

/// A decision to practise. Amounts are in the unit.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Exercise")]
pub(super) struct ExerciseView {
    /// The seed that makes the same one.
    pub(super) seed: u64,
    /// The unit of amounts: `chips`, `bb` or `pots`.
    pub(super) unit: String,
    /// The situation in a sentence.
    pub(super) about: String,
    /// The cards of the one who is asked; empty where they are numbers.
    pub(super) cards: String,
    /// The cards on the table.
    pub(super) board: String,
    /// The pot.
    pub(super) pot: f64,
    /// The player who is asked, 1 or 2.
    pub(super) player: usize,
    /// What was done and dealt since the hand began.
    pub(super) steps: Vec<StepView>,
    /// The same in short words, which `line` takes with an answer behind it.
    pub(super) line: String,
    /// The other player's name; null where players are numbers.
    pub(super) other: Option<String>,
    /// What the list of rules says here, and why; null where no rules are practised.
    pub(super) rule: Option<String>,
    /// The answer that was given when the hand was played, as its number from 0; null where none
    /// was.
    pub(super) played: Option<usize>,
    /// The page of the hand that the decision is from; null where it is from none.
    pub(super) hand: Option<String>,
    /// In the game of ten cards, the probabilities of both players' cards, from the worst.
    pub(super) shares: Option<[Vec<f64>; 2]>,
    /// In the game of ten cards, the card of the one who is asked, from 1, the worst.
    pub(super) card: Option<usize>,
    /// A number from 1 to 100 for those who mix: the first answer for the lowest, and so on.
    pub(super) random: u8,
    /// What can be answered; empty when the hand is over.
    pub(super) answers: Vec<AnswerView>,
    /// The end of the hand; null while somebody is to act.
    pub(super) end: Option<EndView>,
}

/// An action or a card.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(super) struct StepView {
    /// The player who acted, 1 or 2; null for a card.
    pub(super) player: Option<usize>,
    /// In short: `b66`, `Kd`.
    pub(super) word: String,
    /// In words.
    pub(super) name: String,
}

/// An answer, and what it costs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(super) struct AnswerView {
    /// In short: `b66`.
    pub(super) word: String,
    /// In words.
    pub(super) name: String,
    /// The share of the time that the solution answers so with this hand, from 0 to 1.
    pub(super) share: f64,
    /// What it wins when both play on as the solution does.
    pub(super) value: f64,
    /// What it costs: what the best answer wins by the solution, less what this one does.
    pub(super) price: f64,
    /// The least that it costs against the other player's part of the solution.
    pub(super) least: f64,
    /// The most.
    pub(super) most: f64,
    /// `best`, `correct`, `inaccuracy`, `mistake` or `blunder`, by the price as a share of the pot.
    #[schemars(extend("enum" = ["best", "correct", "inaccuracy", "mistake", "blunder"]))]
    pub(super) grade: String,
}

/// The end of a hand.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(super) struct EndView {
    /// Both players' cards.
    pub(super) cards: [String; 2],
    /// What the one who was asked has won of the pot, less what was put in since the beginning.
    pub(super) won: f64,
    /// Whether the cards decided.
    pub(super) showdown: bool,
}

/// The query of exercises from no spot.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// Determines all that is random.
    seed: u64,
}

/// The query of all-in or fold.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShoveAsked {
    /// Determines all that is random.
    seed: u64,
    /// Both players' chips in big blinds, 1 to 40; by the seed where it is not given.
    stack: Option<f64>,
}

/// The query of a hand against a solution.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SpotAsked {
    /// Determines all that is random.
    seed: u64,
    /// The player who is asked, 1 or 2; by the seed where it is not given.
    player: Option<u8>,
    /// Where the hand begins, as in `x b66 c Kd`; empty for the beginning of the solution.
    #[serde(default)]
    from: String,
    /// What was done and dealt since then: `line` of the exercise before, and an answer.
    #[serde(default)]
    line: String,
}

/// The query of a decision by rules.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RulesAsked {
    /// Determines all that is random.
    seed: u64,
    /// The list: one of the built-in ones for limit games.
    #[serde(default = "usual_list")]
    list: String,
    /// `flop`, `turn` or `river`; by the seed where it is not given.
    #[schemars(extend("enum" = ["flop", "turn", "river"]))]
    street: Option<String>,
}

/// The list of rules that is taken unless another is chosen.
const USUAL_LIST: &str = "novice";

fn usual_list() -> String {
    USUAL_LIST.to_owned()
}

/// The query of a hand against an agent.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AgentAsked {
    /// Determines all that is random.
    seed: u64,
    /// The agent: one that answers at once; the usual one where it is empty.
    #[serde(default)]
    agent: String,
    /// `button` or `big_blind`; by the seed where it is not given.
    #[schemars(extend("enum" = ["button", "big_blind"]))]
    position: Option<String>,
    /// The stacks in big blinds; those of the server's game where it is not given.
    #[schemars(extend("minimum" = 1, "maximum" = MOST_STACK))]
    stack: Option<Chips>,
    /// The answers so far: `line` of the exercise before, and an answer.
    #[serde(default)]
    line: String,
}

/// The query of a decision of a recorded match.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MatchAsked {
    /// Determines which decision.
    seed: u64,
    /// The player's name; the first player where it is empty.
    #[serde(default)]
    player: String,
    /// The agent whose play prices the answers: one that answers at once; the usual one where it is
    /// empty.
    #[serde(default)]
    agent: String,
    /// `all` decisions, or the `dear` ones: those that cost something by the match's analysis.
    #[serde(default)]
    of: Which,
}

/// Which decisions of a match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Which {
    #[default]
    All,
    Dear,
}

/// What exercises are made from; cheap to clone.
#[derive(Clone)]
pub struct Trainer(Arc<Sources>);

pub struct Sources {
    study: Option<Study>,
    site: Site,
    policies: Arc<Policies>,
    /// Coaches by agent and game, the latest last.
    coaches: Mutex<Vec<(String, GameDef, Arc<Coach>)>>,
    /// The strategy of [`RULES_OPPONENT`], once it was asked for.
    categories: Mutex<Option<Arc<dyn Policy>>>,
    workers: Arc<Semaphore>,
}

impl Trainer {
    /// The sources of exercises: solutions, the matches of the site, and these agents.
    pub fn new(study: Option<Study>, site: Site, policies: Arc<Policies>) -> Trainer {
        let (coaches, categories) = (Mutex::default(), Mutex::default());
        let workers = Arc::new(Semaphore::new(WORKERS));
        Trainer(Arc::new(Sources { study, site, policies, coaches, categories, workers }))
    }
}

/// The routes of the page and of the API.
pub fn router(trainer: Trainer, api: &mut Description) -> Router {
    let shove = "All-in or fold before the flop, with what each answer costs.";
    let shove = api.get_with_query::<ExerciseView, ShoveAsked>(SHOVE, "shoveOrFold", shove);
    let last_bet = "The last bet of a game of ten cards, with what each answer costs.";
    let last_bet = api.get_with_query::<ExerciseView, Asked>(LAST_BET, "lastBet", last_bet);
    let spot = "A decision of a hand against a solution, with what each answer costs.";
    let spot = api.get_with_query::<ExerciseView, SpotAsked>(SPOT, "exercise", spot);
    let rules = "A decision on one street by a list of rules, with what each answer costs.";
    let rules = api.get_with_query::<ExerciseView, RulesAsked>(RULES, "byRules", rules);
    let agent = "A decision of a hand against an agent, with what each answer costs by its play.";
    let agent = api.get_with_query::<ExerciseView, AgentAsked>(AGENT, "againstAgent", agent);
    let recorded =
        "A decision of a recorded match, with what each answer costs by an agent's play.";
    let recorded = api.get_with_query::<ExerciseView, MatchAsked>(MATCH, "recorded", recorded);
    Router::new()
        .route("/train", get(html))
        .route(shove, get(shove_or_fold))
        .route(last_bet, get(last_bet_exercise))
        .route(spot, get(spot_exercise))
        .route(rules, get(rules_exercise))
        .route(agent, get(agent_exercise))
        .route(recorded, get(match_exercise))
        .with_state(trainer)
}

pub(super) fn wrong(error: impl Into<String>) -> Problem {
    let remedy = "change what is asked for (docs/train.md; `/api/v1/openapi.json` for programs)";
    Problem::new(StatusCode::BAD_REQUEST, error, remedy)
}

/// The query as read, or why not.
fn asked<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, Problem> {
    query.map(|Query(query)| query).map_err(|error| wrong(error.body_text()))
}

async fn shove_or_fold(
    query: Result<Query<ShoveAsked>, QueryRejection>,
) -> Result<Json<ExerciseView>, Response> {
    let asked = asked(query).map_err(IntoResponse::into_response)?;
    let made = blocking(move || by_shove(&asked)).await?;
    made.map(Json).map_err(IntoResponse::into_response)
}

fn by_shove(&ShoveAsked { seed, stack }: &ShoveAsked) -> Result<ExerciseView, Problem> {
    let made = exercise::shove_or_fold(seed, stack).map_err(|error| wrong(error.to_string()))?;
    Ok(ExerciseView::of_shove(seed, &made))
}

async fn last_bet_exercise(
    query: Result<Query<Asked>, QueryRejection>,
) -> Result<Json<ExerciseView>, Response> {
    let asked = asked(query).map_err(IntoResponse::into_response)?;
    Ok(Json(blocking(move || by_last_bet(&asked)).await?))
}

fn by_last_bet(&Asked { seed }: &Asked) -> ExerciseView {
    ExerciseView::of_last_bet(seed, exercise::last_bet(seed))
}

async fn spot_exercise(
    State(trainer): State<Trainer>,
    Path(id): Path<String>,
    query: Result<Query<SpotAsked>, QueryRejection>,
) -> Result<Json<ExerciseView>, Response> {
    let asked = asked(query).map_err(IntoResponse::into_response)?;
    let made = blocking(move || trainer.0.of_spot(&id, &asked)).await?;
    made.map(Json).map_err(IntoResponse::into_response)
}

async fn rules_exercise(
    State(trainer): State<Trainer>,
    query: Result<Query<RulesAsked>, QueryRejection>,
) -> Result<Json<ExerciseView>, Response> {
    let asked = asked(query).map_err(IntoResponse::into_response)?;
    trainer.answer(move |sources| sources.by_rules(&asked)).await
}

async fn agent_exercise(
    State(trainer): State<Trainer>,
    query: Result<Query<AgentAsked>, QueryRejection>,
) -> Result<Json<ExerciseView>, Response> {
    let asked = asked(query).map_err(IntoResponse::into_response)?;
    trainer.answer(move |sources| sources.against_agent(&asked)).await
}

async fn match_exercise(
    State(trainer): State<Trainer>,
    Path(id): Path<String>,
    query: Result<Query<MatchAsked>, QueryRejection>,
) -> Result<Json<ExerciseView>, Response> {
    let asked = asked(query).map_err(IntoResponse::into_response)?;
    trainer.answer(move |sources| sources.of_match(&id, &asked)).await
}

impl Trainer {
    /// What is made from the sources on a blocking thread, when one is free for it.
    pub(super) async fn work<T: Send + 'static>(
        self,
        make: impl FnOnce(&Sources) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let sources = Arc::clone(&self.0);
        // Nobody closes the semaphore. The permit goes with the work, which goes on when nobody
        // waits for it any more.
        let permit = Arc::clone(&sources.workers).acquire_owned().await.ok();
        let work = move || {
            let _permit = permit;
            make(&sources)
        };
        let failed = "the server failed at this request";
        let code = StatusCode::INTERNAL_SERVER_ERROR;
        let failed = |_| Problem::new(code, failed, "its log says more");
        blocking(work).await.map_err(failed)?
    }
}

impl Trainer {
    /// An exercise as JSON.
    async fn answer(
        self,
        make: impl FnOnce(&Sources) -> Result<ExerciseView, Problem> + Send + 'static,
    ) -> Result<Json<ExerciseView>, Response> {
        self.work(make).await.map(Json).map_err(IntoResponse::into_response)
    }
}

impl Sources {
    /// The exercise of a kind, as in the address of the page, with the query of its path; `of` is
    /// the solution or the match that it is from.
    ///
    /// # Errors
    /// As its path answers.
    pub(super) fn make(&self, kind: &str, of: &str, query: &str) -> Result<ExerciseView, Problem> {
        match kind {
            "shove-or-fold" => by_shove(&read(query)?),
            "last-bet" => Ok(by_last_bet(&read(query)?)),
            "spot" => self.of_spot(of, &read(query)?),
            "rules" => self.by_rules(&read(query)?),
            "hand" => self.against_agent(&read(query)?),
            "match" => self.of_match(of, &read(query)?),
            other => Err(wrong(format!(
                "`what` is shove-or-fold, last-bet, spot, rules, hand or match, and not `{}`",
                game::escape::excerpt(other)
            ))),
        }
    }
}

/// What those who answer exercises of a kind have to know besides.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Introduction {
    /// In sentences.
    pub(super) facts: Vec<String>,
    /// Whose shares of answers there are: of the solution, a list or an agent.
    pub(super) whose: String,
}

impl Sources {
    /// What those who answer exercises of a kind have to know, as for [`make`](Self::make).
    ///
    /// # Errors
    /// As [`make`](Self::make).
    pub(super) fn introduction(
        &self,
        kind: &str,
        of: &str,
        query: &str,
    ) -> Result<Introduction, Problem> {
        // The seed is asked for, and makes no difference here.
        let query = format!("seed=1&{query}");
        let by = |agent: &str| {
            let (agent, _) = self.policies.at_once_named(agent)?;
            let fact = format!("Prices and shares are by the play of the agent {agent}.");
            Ok::<_, Problem>((fact, agent))
        };
        let mut made = Introduction { facts: Vec::new(), whose: "Solution".to_owned() };
        match kind {
            "spot" => made.facts = super::study::open(self.study.clone())?.facts(of)?,
            "rules" => {
                let RulesAsked { list, .. } = read(&query)?;
                made.facts.push(format!("The list of rules is {list} (docs/heuristics.md)."));
                made.whose = "List".to_owned();
            }
            "hand" => {
                let asked: AgentAsked = read(&query)?;
                let (fact, agent) = by(&asked.agent)?;
                made = Introduction { facts: vec![fact], whose: agent };
            }
            "match" => {
                let asked: MatchAsked = read(&query)?;
                let (fact, agent) = by(&asked.agent)?;
                let match_fact = format!("Decisions are from the match {of}.");
                made = Introduction { facts: vec![match_fact, fact], whose: agent };
            }
            _ => {}
        }
        Ok(made)
    }
}

/// A query as text, read.
pub(super) fn read<T: DeserializeOwned>(query: &str) -> Result<T, Problem> {
    let uri = format!("/?{query}").parse::<Uri>().map_err(|error| wrong(error.to_string()))?;
    asked(Query::try_from_uri(&uri))
}

/// The lists of rules for one street of limit hold'em by name, the usual one first.
fn limit_lists() -> Vec<&'static str> {
    let limit = named_heuristics().filter(|(_, book)| book.betting() == Some(Betting::Limit));
    let mut names: Vec<&str> = limit.map(|(name, _)| name).collect();
    names.sort_by_key(|name| *name != USUAL_LIST);
    names
}

impl Sources {
    fn by_rules(&self, asked: &RulesAsked) -> Result<ExerciseView, Problem> {
        let RulesAsked { seed, list, street } = asked;
        let names = limit_lists();
        let named = names.contains(&list.as_str());
        let book = named_heuristics().find(|(name, _)| named && name == list);
        let (_, book) = book.ok_or_else(|| {
            let (list, names) = (game::escape::excerpt(list), names.join(", "));
            wrong(format!("`{list}` is no list of rules for limit games: write one of {names}"))
        })?;
        let streets = [Street::Flop, Street::Turn, Street::River];
        let by_seed = streets[(mixed(*seed, 3) % 3) as usize];
        let street = match street.as_deref() {
            None => by_seed,
            Some(name) => {
                let found = streets.into_iter().find(|street| street.name() == name);
                found.ok_or_else(|| {
                    let name = game::escape::excerpt(name);
                    wrong(format!("`street` is flop, turn or river, and not `{name}`"))
                })?
            }
        };
        let player = HeuristicPlayer::new(book);
        let def = Arc::new(games::limit_holdem());
        let opponent = self.categories(&def)?;
        let made = coach::by_rules(&player, opponent.as_ref(), &def, street, *seed);
        let made = made.map_err(|error| wrong(error.to_string()))?;
        Ok(ExerciseView::of_rules(*seed, made))
    }

    /// The opponent of rules.
    fn categories(&self, def: &Arc<GameDef>) -> Result<Arc<dyn Policy>, Problem> {
        let mut kept = lock(&self.categories);
        if let Some(policy) = &*kept {
            return Ok(Arc::clone(policy));
        }
        let resolved = Registry::standard().resolve(RULES_OPPONENT);
        let policy = resolved.and_then(|agent| agent.policy(def));
        let policy = policy.map_err(|error| wrong(error.to_string()))?;
        let policy = policy.ok_or_else(|| wrong(format!("`{RULES_OPPONENT}` has no strategy")))?;
        *kept = Some(Arc::clone(&policy));
        Ok(policy)
    }

    /// The coach by an agent that answers at once, and the agent's name.
    fn coach(&self, agent: &str, def: &Arc<GameDef>) -> Result<(Arc<Coach>, String), Problem> {
        let (agent, choice) = self.policies.at_once_named(agent)?;
        let known =
            |(name, game, _): &(String, GameDef, Arc<Coach>)| *name == agent && game == &**def;
        if let Some((_, _, coach)) = lock(&self.coaches).iter().find(|kept| known(kept)) {
            return Ok((Arc::clone(coach), agent));
        }
        let no_price = |why: Unpriced| wrong(format!("decisions have no price {why}"));
        if def.differs_from_holdem().is_some() {
            return Err(no_price(Unpriced::OtherGame));
        }
        let policy = choice.policy(def).map_err(|error| wrong(error.to_string()))?;
        let policy =
            policy.ok_or_else(|| wrong(format!("`{agent}` has no strategy to ask for")))?;
        let coach = Arc::new(Coach::new(def, &agent, policy).map_err(no_price)?);
        let mut coaches = lock(&self.coaches);
        if coaches.len() >= COACHES {
            coaches.remove(0);
        }
        coaches.push((agent.clone(), GameDef::clone(def), Arc::clone(&coach)));
        Ok((coach, agent))
    }

    fn against_agent(&self, asked: &AgentAsked) -> Result<ExerciseView, Problem> {
        let AgentAsked { seed, agent, position, stack, line } = asked;
        let def = match stack {
            None => Arc::clone(self.policies.def()),
            Some(stack) => Arc::new(self.with_stacks(*stack)?),
        };
        let seat = match position.as_deref() {
            None => None,
            Some(name @ ("button" | "big_blind")) => {
                let wanted = name.replace('_', " ");
                def.seats().find(|&seat| def.position(seat).to_string() == wanted)
            }
            Some(other) => {
                let other = game::escape::excerpt(other);
                return Err(wrong(format!("`position` is button or big_blind, and not `{other}`")));
            }
        };
        let (coach, agent) = self.coach(agent, &def)?;
        let hand = coach.hand(*seed, seat, line).map_err(|error| wrong(error.to_string()))?;
        Ok(ExerciseView::of_agent(*seed, agent, line, hand))
    }

    /// The server's game with stacks of so many big blinds.
    fn with_stacks(&self, big_blinds: Chips) -> Result<GameDef, Problem> {
        if !(1..=MOST_STACK).contains(&big_blinds) {
            return Err(wrong(format!("`stack` is 1 to {MOST_STACK} big blinds")));
        }
        let usual = self.policies.def();
        let stacks = vec![big_blinds * usual.big_blind(); usual.players];
        let spec = GameSpec { stacks, ..usual.spec().clone() };
        GameDef::new(spec).map_err(|error| wrong(error.to_string()))
    }

    fn of_spot(&self, id: &str, asked: &SpotAsked) -> Result<ExerciseView, Problem> {
        let study = super::study::open(self.study.clone())?;
        let player = match asked.player {
            None => None,
            Some(1) => Some(Player::First),
            Some(2) => Some(Player::Second),
            Some(other) => return Err(wrong(format!("`player` is 1 or 2, and not {other}"))),
        };
        let hand = study.lend(id, |solver| {
            let deal = Deal { seed: asked.seed, player, from: &asked.from };
            exercise::hand(solver, deal, &asked.line).map_err(|error| wrong(error.to_string()))
        })?;
        Ok(ExerciseView::of_hand(asked.seed, hand))
    }

    fn of_match(&self, id: &str, asked: &MatchAsked) -> Result<ExerciseView, Problem> {
        let (folder, reader) = self.site.records.open(id)?;
        if self.site.is_being_played(id, &folder) {
            return Err(being_played());
        }
        let names = reader.info().names();
        let who = player_named(&names, &asked.player)?;
        let (coach, agent) = self.coach(&asked.agent, reader.def())?;
        let chosen = match asked.of {
            Which::All => any_decision(&reader, who as u8, asked.seed)?,
            Which::Dear => dear_decision(&folder, &reader, who, asked.seed)?,
        };
        let (record, number) = chosen;
        let recorded = coach.recorded(&record, number).map_err(|why| {
            let hand = record.hand;
            wrong(format!("decision {number} of hand {hand} has no price by {agent}, {why}"))
        })?;
        Ok(ExerciseView::of_match(asked.seed, id, &record, recorded, &names))
    }
}

/// A random decision of a player with known cards.
fn any_decision(reader: &LedgerReader, who: u8, seed: u64) -> Result<(HandRecord, u32), Problem> {
    let ranges = reader.present().map_err(|error| unreadable(&error))?;
    let count: u64 = ranges.iter().map(|range| range.end() - range.start() + 1).sum();
    for trial in 0..HANDS.min(4 * count) {
        let mut number = mixed(seed, trial) % count;
        for range in &ranges {
            let here = range.end() - range.start() + 1;
            if number < here {
                number += range.start();
                break;
            }
            number -= here;
        }
        let record = reader.hand(number).map_err(|error| unreadable(&error))?;
        let Some(record) = record else { continue };
        let mut made = Vec::new();
        record.public.each_decision(|public, played| {
            if record.entrants[played.seat] == who && record.hole[played.seat].len() == 2 {
                made.push(public.history().len() as u32);
            }
        });
        if let Some(&decision) = made.get((mixed(seed, !trial) % made.len().max(1) as u64) as usize)
        {
            return Ok((record, decision));
        }
    }
    Err(wrong("no decision of this player with known cards was found in the match"))
}

/// A random one of the decisions that cost something by the match's analysis.
fn dear_decision(
    folder: &FilePath,
    reader: &LedgerReader,
    who: usize,
    seed: u64,
) -> Result<(HandRecord, u32), Problem> {
    let analysis = kept_analysis(folder).filter(|analysis| analysis.place == who);
    let analysis = analysis.ok_or_else(|| {
        let remedy = "analyse the match for this player first, or ask for `all` decisions";
        let error = "what this player's decisions cost is not known";
        Problem::new(StatusCode::CONFLICT, error, remedy)
    })?;
    let mut dear = analysis.dearest;
    dear.retain(|dear| dear.price > LEAST);
    let number = (mixed(seed, 0) % dear.len().max(1) as u64) as usize;
    let dear =
        dear.get(number).ok_or_else(|| wrong("none of this player's decisions cost anything"))?;
    let (hand, decision) = (dear.hand, dear.decision);
    let record = reader.hand(hand).map_err(|error| unreadable(&error))?;
    let record = record.ok_or_else(|| wrong(format!("there is no hand {hand}")))?;
    Ok((record, decision))
}

impl ExerciseView {
    fn new(seed: u64, unit: &'static str, about: String, question: &Question) -> ExerciseView {
        ExerciseView {
            seed,
            unit: unit.to_owned(),
            about,
            cards: String::new(),
            board: String::new(),
            pot: question.pot,
            player: 1,
            steps: Vec::new(),
            line: String::new(),
            other: None,
            rule: None,
            played: None,
            hand: None,
            shares: None,
            card: None,
            // Another multiple than those of the seeds of cards and actions.
            random: (learners::mixed(seed, u64::MAX) % 100) as u8 + 1,
            answers: answers(question),
            end: None,
        }
    }

    fn of_shove(seed: u64, made: &ShoveOrFold) -> ExerciseView {
        let stack = decimal(made.stack, usize::from(made.stack.fract() != 0.0));
        let about = match made.blind {
            Blind::Small => format!(
                "Both have {stack} big blinds. You are the small blind and first to act: all-in or \
                 fold?"
            ),
            Blind::Big => format!(
                "Both have {stack} big blinds. You are the big blind, and the small blind is \
                 all-in: call or fold?"
            ),
        };
        let player = if made.blind == Blind::Small { 1 } else { 2 };
        let cards = made.cards.to_string();
        ExerciseView { cards, player, ..ExerciseView::new(seed, "bb", about, &made.question) }
    }

    fn of_last_bet(seed: u64, made: LastBet) -> ExerciseView {
        let rules = format!(
            "{CARDS} cards, from 1, the worst, to {CARDS}; one for each player, drawn by the \
             shares below"
        );
        let card = made.card;
        let about = match made.bet {
            None => format!("{rules}. You hold the {card} and act first: check, or bet how much?"),
            Some(size) => format!(
                "{rules}. You hold the {card}, and the other bets {}: call or fold?",
                exercise::in_pots(size)
            ),
        };
        ExerciseView {
            player: made.player.index() + 1,
            card: Some(card),
            shares: Some(made.shares),
            ..ExerciseView::new(seed, "pots", about, &made.question)
        }
    }

    fn of_hand(seed: u64, hand: Hand) -> ExerciseView {
        let Hand { player, cards, steps, state, next } = hand;
        let (about, question, end) = match next {
            Ok(question) => {
                let owed = state.legal().to_call;
                let behind = state.def().stacks[player.index()]
                    - state.committed().as_slice()[player.index()];
                let call = if owed > 0 { format!(", {owed} to call") } else { String::new() };
                let first = if player == Player::First { "first" } else { "last" };
                let about = format!(
                    "You act {first}. Pot {}{call}, {behind} behind: what do you do?",
                    state.pot()
                );
                (about, question, None)
            }
            Err(won) => {
                let showdown = state.is_showdown();
                let end = EndView { cards: cards.map(|held| held.to_string()), won, showdown };
                let question = Question { answers: Vec::new(), pot: state.pot() as f64 };
                (how_it_ended(showdown).to_owned(), question, Some(end))
            }
        };
        let line: Vec<&str> = steps.iter().map(|step| step.word.as_str()).collect();
        let (line, seed_of_step) = (line.join(" "), learners::mixed(seed, steps.len() as u64));
        let steps = steps.into_iter().map(|step| StepView {
            player: step.player.map(|player| player.index() + 1),
            word: step.word,
            name: step.name,
        });
        ExerciseView {
            cards: cards[player.index()].to_string(),
            board: state.board().to_string(),
            player: player.index() + 1,
            steps: steps.collect(),
            line,
            end,
            random: (learners::mixed(seed_of_step, u64::MAX) % 100) as u8 + 1,
            ..ExerciseView::new(seed, "chips", about, &question)
        }
    }
}

impl ExerciseView {
    /// A situation of a whole hand, with amounts in big blinds.
    fn in_blinds(
        seed: u64,
        (public, seat): (&PublicState, Seat),
        cards: String,
        mut question: Question,
    ) -> ExerciseView {
        for answer in &mut question.answers {
            if let Some(action) = public.action_of_word(&answer.word) {
                let (verb, rest) = words_in_blinds(public, action);
                answer.name = format!("{verb}{rest}");
            }
        }
        let blinds = |chips: f64| {
            let amount = chips / f64::from(public.def().big_blind().max(1));
            decimal(amount, usize::from((10.0 * amount).round() % 10.0 != 0.0))
        };
        let owed = f64::from(public.legal().to_call);
        let call = if owed > 0.0 { format!(", {} to call", blinds(owed)) } else { String::new() };
        // Limit games are played without a limit of chips.
        let behind = match public.def().betting {
            Betting::Limit => String::new(),
            Betting::NoLimit => {
                format!(", and you have {} behind", blinds(f64::from(public.stack(seat))))
            }
        };
        let about = format!(
            "You are the {}. The pot is {} big blinds{call}{behind}: what do you do?",
            public.def().position(seat),
            blinds(public.pot() as f64),
        );
        let seed_of_step = mixed(seed, public.history().len() as u64);
        ExerciseView {
            cards,
            board: public.board().to_string(),
            player: seat.index() + 1,
            steps: steps(public),
            random: (mixed(seed_of_step, u64::MAX) % 100) as u8 + 1,
            ..ExerciseView::new(seed, "bb", about, &question)
        }
    }

    fn of_rules(seed: u64, made: ByRules) -> ExerciseView {
        let ByRules { infoset, question, statement } = made;
        let (public, cards) = (&infoset.public, infoset.hole.to_string());
        let view = ExerciseView::in_blinds(seed, (public, infoset.seat), cards, question);
        let then = match public.street() {
            Street::River => "there is no further card",
            _ => "the cards to come are dealt without betting",
        };
        let about = format!(
            "Limit hold'em, one street: the other knows only the category of its hand, and after \
             this street {then}. {}",
            view.about
        );
        let other = Some("the other".to_owned());
        ExerciseView { about, other, rule: Some(statement), ..view }
    }

    fn of_agent(seed: u64, agent: String, line: &str, hand: AgainstAgent) -> ExerciseView {
        let AgainstAgent { seat, hole, state, next } = hand;
        let big_blind = f64::from(state.def().big_blind().max(1));
        let cards = hole[seat].to_string();
        let other = Some(agent);
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        match next {
            Ok(question) => {
                let view = ExerciseView::in_blinds(seed, (&state, seat), cards, question);
                ExerciseView { line, other, ..view }
            }
            Err(won) => {
                let showdown = state.is_showdown();
                let held = [0, 1].map(|number| hole.as_slice()[number].to_string());
                let end = EndView { cards: held, won: won.chips() / big_blind, showdown };
                let pot = state.pot() as f64 / big_blind;
                let question = Question { answers: Vec::new(), pot };
                let view = ExerciseView::in_blinds(seed, (&state, seat), cards, question);
                let about = how_it_ended(showdown).to_owned();
                ExerciseView { about, line, other, end: Some(end), ..view }
            }
        }
    }

    fn of_match(
        seed: u64,
        id: &str,
        record: &HandRecord,
        recorded: Recorded,
        names: &[String],
    ) -> ExerciseView {
        let Recorded { infoset, played, question } = recorded;
        let (public, seat) = (&infoset.public, infoset.seat);
        let other = record.entrants.iter().find(|(at, _)| *at != seat);
        let other = other.and_then(|(_, &entrant)| names.get(usize::from(entrant)).cloned());
        let view =
            ExerciseView::in_blinds(seed, (public, seat), infoset.hole.to_string(), question);
        let hand = Some(format!("{}/{}", super::hands::base(id), record.hand));
        ExerciseView { other, played: Some(played), hand, ..view }
    }
}

fn how_it_ended(showdown: bool) -> &'static str {
    if showdown { "The cards decide." } else { "The hand ends with a fold." }
}

/// What was done and dealt in a hand so far.
fn steps(public: &PublicState) -> Vec<StepView> {
    let board = public.board();
    let mut at = PublicState::new(public.def());
    let mut steps = Vec::new();
    let deal = |at: &mut PublicState, steps: &mut Vec<StepView>| {
        let before = at.board().len();
        // The board has the cards of every street that was reached.
        if matches!(at.turn(), Turn::Deal(_)) && at.deal_from(&board).is_ok() {
            let cards = board[before..at.board().len()].iter().map(ToString::to_string);
            steps.extend(cards.map(|word| StepView { player: None, name: word.clone(), word }));
        }
    };
    for played in public.history() {
        deal(&mut at, &mut steps);
        let (verb, rest) = words_in_blinds(&at, played.action);
        steps.push(StepView {
            player: Some(played.seat.index() + 1),
            word: at.action_word(played.action),
            name: format!("{verb}{rest}"),
        });
        at.apply_unchecked(played.action);
    }
    if at.board().len() < board.len() {
        deal(&mut at, &mut steps);
    }
    steps
}

fn answers(question: &Question) -> Vec<AnswerView> {
    let each = question.answers.iter().enumerate();
    let answers = each.map(|(number, answer)| {
        let Price { least, usual, most } = question.price(number);
        AnswerView {
            word: answer.word.clone(),
            name: answer.name.clone(),
            share: answer.share,
            value: answer.value,
            price: usual,
            least,
            most,
            grade: question.grade(number).name().to_owned(),
        }
    });
    answers.collect()
}

#[derive(Template)]
#[template(path = "train.html", config = ".askama.toml")]
struct Page {
    /// The spots that were solved here; `None` where nothing is solved.
    spots: Option<Vec<SolvedSpot>>,
    /// The agents whose play prices answers.
    agents: Vec<String>,
    /// The lists of rules.
    lists: Vec<&'static str>,
    /// The matches on disk with their players.
    matches: Vec<(String, Vec<String>)>,
    /// The names of grades, with the highest price of each in words.
    grades: Vec<(&'static str, String)>,
    stacks: [f64; 2],
}

impl Page {
    fn no_spots(&self) -> bool {
        self.spots.as_ref().is_none_or(Vec::is_empty)
    }

    /// Names in a data attribute, as JSON.
    fn json(names: &[String]) -> String {
        serde_json::Value::from(names).to_string()
    }
}

async fn html(State(trainer): State<Trainer>) -> Result<Response, Response> {
    let grades = Grade::ALL.map(|grade| {
        let most = match grade.most() {
            most if most.is_finite() => format!("up to {} % of the pot", decimal(100.0 * most, 1)),
            _ => "more".to_owned(),
        };
        (grade.name(), most)
    });
    let made = blocking(move || {
        let Sources { study, site, policies, .. } = &*trainer.0;
        let latest = site.records.latest(LISTED).into_iter().filter(|line| line.players.len() == 2);
        let matches = latest
            .map(|line| (line.id, line.players.into_iter().map(|player| player.name).collect()));
        Page {
            spots: study.as_ref().map(Study::solved),
            agents: policies.at_once(),
            lists: limit_lists(),
            matches: matches.collect(),
            grades: grades.to_vec(),
            stacks: [*STACKS.start(), *STACKS.end()],
        }
    });
    Ok(page(&made.await?))
}
