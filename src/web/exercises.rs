//! Decisions to practise: the page `/train`, and the exercises behind it. Each of them is from a
//! solved game, so that an answer has a price: a spot that was solved on the study page, all-in or
//! fold, the last bet of a game of ten cards ([`readable::exercise`]).
//!
//! A seed in the address makes an exercise, and nothing of it is kept here: how somebody does is
//! kept by the browser.

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use readable::exercise::{
    self, CARDS, Deal, Grade, Hand, LastBet, Price, Question, STACKS, ShoveOrFold,
};
use readable::shove_fold::Blind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use show::number::decimal;
use solvers::Player;

use super::api::Problem;
use super::description::Description;
use super::pages::{blocking, page};
use super::study::{SolvedSpot, Study};

/// The paths of the API.
const SHOVE: &str = "/api/v1/exercises/shove-or-fold";
const LAST_BET: &str = "/api/v1/exercises/last-bet";
const SPOT: &str = "/api/v1/study/solutions/{id}/exercise";

/// A decision to practise. Amounts are in the unit.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Exercise")]
struct ExerciseView {
    /// The seed that makes the same one.
    seed: u64,
    /// The unit of amounts: `chips`, `bb` or `pots`.
    unit: &'static str,
    /// The situation in a sentence.
    about: String,
    /// The cards of the one who is asked; empty where they are numbers.
    cards: String,
    /// The cards on the table.
    board: String,
    /// The pot.
    pot: f64,
    /// The player who is asked, 1 or 2.
    player: usize,
    /// What was done and dealt since the hand began.
    steps: Vec<StepView>,
    /// The same in short words, which `line` takes with an answer behind it.
    line: String,
    /// In the game of ten cards, the probabilities of both players' cards, from the worst.
    shares: Option<[Vec<f64>; 2]>,
    /// In the game of ten cards, the card of the one who is asked, from 1, the worst.
    card: Option<usize>,
    /// A number from 1 to 100 for those who mix: the first answer for the lowest, and so on.
    random: u8,
    /// What can be answered; empty when the hand is over.
    answers: Vec<AnswerView>,
    /// The end of the hand; null while somebody is to act.
    end: Option<EndView>,
}

/// An action or a card.
#[derive(Debug, Serialize, JsonSchema)]
struct StepView {
    /// The player who acted, 1 or 2; null for a card.
    player: Option<usize>,
    /// In short: `b66`, `Kd`.
    word: String,
    /// In words.
    name: String,
}

/// An answer, and what it costs.
#[derive(Debug, Serialize, JsonSchema)]
struct AnswerView {
    /// In short: `b66`.
    word: String,
    /// In words.
    name: String,
    /// The share of the time that the solution answers so with this hand, from 0 to 1.
    share: f64,
    /// What it wins when both play on as the solution does.
    value: f64,
    /// What it costs: what the best answer wins by the solution, less what this one does.
    price: f64,
    /// The least that it costs against the other player's part of the solution.
    least: f64,
    /// The most.
    most: f64,
    /// `best`, `correct`, `inaccuracy`, `mistake` or `blunder`, by the price as a share of the pot.
    #[schemars(extend("enum" = ["best", "correct", "inaccuracy", "mistake", "blunder"]))]
    grade: &'static str,
}

/// The end of a hand.
#[derive(Debug, Serialize, JsonSchema)]
struct EndView {
    /// Both players' cards.
    cards: [String; 2],
    /// What the one who was asked has won of the pot, less what was put in since the beginning.
    won: f64,
    /// Whether the cards decided.
    showdown: bool,
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

/// The routes of the page and of the API.
pub fn router(study: Option<Study>, api: &mut Description) -> Router {
    let shove = "All-in or fold before the flop, with what each answer costs.";
    let shove = api.get_with_query::<ExerciseView, ShoveAsked>(SHOVE, "shoveOrFold", shove);
    let last_bet = "The last bet of a game of ten cards, with what each answer costs.";
    let last_bet = api.get_with_query::<ExerciseView, Asked>(LAST_BET, "lastBet", last_bet);
    let spot = "A decision of a hand against a solution, with what each answer costs.";
    let spot = api.get_with_query::<ExerciseView, SpotAsked>(SPOT, "exercise", spot);
    Router::new()
        .route("/train", get(html))
        .route(shove, get(shove_or_fold))
        .route(last_bet, get(last_bet_exercise))
        .route(spot, get(spot_exercise))
        .with_state(study)
}

fn wrong(error: impl Into<String>) -> Problem {
    let remedy = "`/api/v1/openapi.json` describes the query";
    Problem::new(StatusCode::BAD_REQUEST, error, remedy)
}

/// The query as read, or why not.
fn asked<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, Problem> {
    query.map(|Query(query)| query).map_err(|error| wrong(error.body_text()))
}

async fn shove_or_fold(
    query: Result<Query<ShoveAsked>, QueryRejection>,
) -> Result<Json<ExerciseView>, Response> {
    let ShoveAsked { seed, stack } = asked(query).map_err(IntoResponse::into_response)?;
    let made = blocking(move || exercise::shove_or_fold(seed, stack)).await?;
    let made = made.map_err(|error| wrong(error.to_string()).into_response())?;
    Ok(Json(ExerciseView::of_shove(seed, &made)))
}

async fn last_bet_exercise(
    query: Result<Query<Asked>, QueryRejection>,
) -> Result<Json<ExerciseView>, Response> {
    let Asked { seed } = asked(query).map_err(IntoResponse::into_response)?;
    Ok(Json(ExerciseView::of_last_bet(seed, blocking(move || exercise::last_bet(seed)).await?)))
}

async fn spot_exercise(
    State(study): State<Option<Study>>,
    Path(id): Path<String>,
    query: Result<Query<SpotAsked>, QueryRejection>,
) -> Result<Json<ExerciseView>, Response> {
    let asked = asked(query).map_err(IntoResponse::into_response)?;
    let study = super::study::open(study).map_err(IntoResponse::into_response)?;
    let player = match asked.player {
        None => None,
        Some(1) => Some(Player::First),
        Some(2) => Some(Player::Second),
        Some(other) => {
            return Err(wrong(format!("`player` is 1 or 2, and not {other}")).into_response());
        }
    };
    let work = move || {
        study.lend(&id, |solver| {
            let deal = Deal { seed: asked.seed, player, from: &asked.from };
            exercise::hand(solver, deal, &asked.line).map_err(|error| wrong(error.to_string()))
        })
    };
    let hand = blocking(work).await?.map_err(IntoResponse::into_response)?;
    Ok(Json(ExerciseView::of_hand(asked.seed, hand)))
}

impl ExerciseView {
    fn new(seed: u64, unit: &'static str, about: String, question: &Question) -> ExerciseView {
        ExerciseView {
            seed,
            unit,
            about,
            cards: String::new(),
            board: String::new(),
            pot: question.pot,
            player: 1,
            steps: Vec::new(),
            line: String::new(),
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
                let how = if showdown { "The cards decide." } else { "The hand ends with a fold." };
                (how.to_owned(), question, Some(end))
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
            grade: question.grade(number).name(),
        }
    });
    answers.collect()
}

#[derive(Template)]
#[template(path = "train.html", config = ".askama.toml")]
struct Page {
    /// The spots that were solved here; `None` where nothing is solved.
    spots: Option<Vec<SolvedSpot>>,
    /// The names of grades, with the highest price of each in words.
    grades: Vec<(&'static str, String)>,
    stacks: [f64; 2],
}

impl Page {
    fn no_spots(&self) -> bool {
        self.spots.as_ref().is_none_or(Vec::is_empty)
    }
}

async fn html(State(study): State<Option<Study>>) -> Response {
    let grades = Grade::ALL.map(|grade| {
        let most = match grade.most() {
            most if most.is_finite() => format!("up to {} % of the pot", decimal(100.0 * most, 1)),
            _ => "more".to_owned(),
        };
        (grade.name(), most)
    });
    page(&Page {
        spots: study.map(|study| study.solved()),
        grades: grades.to_vec(),
        stacks: [*STACKS.start(), *STACKS.end()],
    })
}
