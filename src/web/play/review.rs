//! The review: the agent's strategy at each of its decisions in the last finished hand; and what
//! agents that a person can read would have done at the decisions of the person who played it.

use std::sync::Arc;
use std::time::Duration;

use agents::Registry;
use askama::Template;
use cards::Card;
use show::number::{decimal, rounded_percent, signed_grouped};
use tokio::sync::{OnceCell, Semaphore};
use wire::slumbot_host::{OfferedAgent, Review, ReviewedDecision};

use crate::hand_words::{card_signs, street_name};
use crate::web::pages::{Bar, CardText, Thought, card_texts, sentence, text};

#[derive(Template)]
#[template(path = "play_review.html", config = ".askama.toml")]
struct Thoughts {
    agent: String,
    cards: Vec<CardText>,
    decisions: Vec<Thought>,
}

#[derive(Template)]
#[template(path = "play_advice.html", config = ".askama.toml")]
struct Advice {
    advisors: Vec<AdvisorView>,
}

/// An advisor with what it would have done.
struct AdvisorView {
    name: &'static str,
    /// What kind of agent it is.
    kind: &'static str,
    /// At how many decisions it agrees.
    verdict: String,
    decisions: Vec<Thought>,
}

/// The agents that are asked, with what they are: a tree and rules, which a person can read.
const ADVISORS: [(&str, &str); 2] = [("oct", "a decision tree"), ("fft", "a list of rules")];

/// Most decisions of advisors at once.
const WORKERS: usize = 2;
/// The time limit for one.
const TIME_LIMIT: Duration = Duration::from_secs(2);

/// The agents that say what they would have done; built when they are first asked.
#[derive(Clone, Default)]
pub struct Advisors(Arc<OnceCell<Vec<Arc<OfferedAgent>>>>);

impl Advisors {
    /// Renders what the advisors would have done at the decisions of the person who played the
    /// hand.
    pub async fn render(&self, review: &Review) -> String {
        let build = || async { tokio::task::spawn_blocking(build).await.unwrap_or_default() };
        let agents = self.0.get_or_init(build).await;
        let mut advisors = Vec::new();
        for ((name, kind), agent) in ADVISORS.into_iter().zip(agents) {
            match review.advice(agent).await {
                Ok(decisions) => advisors.push(AdvisorView {
                    name,
                    kind,
                    verdict: verdict(&decisions),
                    decisions: decisions.iter().map(thought).collect(),
                }),
                Err(error) => tracing::warn!(agent = name, %error, "an advisor cannot be asked"),
            }
        }
        text(&Advice { advisors })
    }
}

/// The advisors; none if one of them is not there.
fn build() -> Vec<Arc<OfferedAgent>> {
    let (registry, permits) = (Registry::standard(), Arc::new(Semaphore::new(WORKERS)));
    let def = Arc::new(game::games::nolimit_holdem());
    let agent = |(name, _): (&str, &str)| {
        let choice = registry.resolve(name).ok()?;
        let permits = Arc::clone(&permits);
        Some(Arc::new(OfferedAgent::new(name.to_owned(), choice, &def, TIME_LIMIT, permits)))
    };
    ADVISORS.into_iter().map(agent).collect::<Option<_>>().unwrap_or_default()
}

/// At how many of the decisions what was done is what the agent does most often: fold, check or
/// call, or bet or raise, whatever the size.
fn verdict(decisions: &[ReviewedDecision]) -> String {
    let kind = |action: &str| match action.as_bytes().first() {
        Some(b'f') => 0,
        Some(b'b') => 2,
        _ => 1,
    };
    let agrees = |decision: &ReviewedDecision| {
        let mut kinds = [0.0; 3];
        for choice in &decision.strategy {
            kinds[kind(&choice.action)] += choice.probability;
        }
        let most = kinds.into_iter().fold(0.0, f64::max);
        most > 0.0 && kinds[kind(&decision.action)] >= most
    };
    let agreed = decisions.iter().filter(|decision| agrees(decision)).count();
    match (agreed, decisions.len()) {
        (_, 0) => "you made no decision in this hand".to_owned(),
        (1, 1) => "would have done the same, sizes aside".to_owned(),
        (0, 1) => "would have done something else".to_owned(),
        (agreed, all) => format!("would have done the same, sizes aside, {agreed} of {all} times"),
    }
}

/// Renders the review of a hand.
pub fn render(review: &Review) -> String {
    text(&Thoughts {
        agent: review.agent.clone(),
        cards: card_texts(&read(&review.bot_hole_cards)),
        decisions: review.decisions.iter().map(thought).collect(),
    })
}

fn thought(decision: &ReviewedDecision) -> Thought {
    let (note, more) = sentence(&note(decision));
    let valued = decision.strategy.iter().any(|choice| choice.value.is_some());
    let (place, bars) = (street_words(decision), bars(decision));
    Thought { place, bars, valued, unit: "chips", note, more }
}

/// The street, with its cards.
fn street_words(decision: &ReviewedDecision) -> String {
    let street = game::Street::ALL.into_iter().find(|street| street.name() == decision.street);
    let name = street.map_or(decision.street, street_name);
    if decision.board.is_empty() {
        name.to_owned()
    } else {
        format!("{name}: {}", card_signs(&read(&decision.board)))
    }
}

fn read(cards: &[String]) -> Vec<Card> {
    cards.iter().filter_map(|card| card.parse().ok()).collect()
}

fn bars(decision: &ReviewedDecision) -> Vec<Bar> {
    let street = decision.before.rsplit('/').next().unwrap_or_default();
    // The blinds count as a bet.
    let raises = decision.board.is_empty() || street.contains('b');
    let bar = |action: &str, probability: f64, value: Option<f64>| Bar {
        action: words(action, raises),
        percent: rounded_percent(probability),
        value: value.map_or_else(String::new, |value| signed_grouped(value, 0)),
        width: format!("{:.1}", 100.0 * probability.clamp(0.0, 1.0)),
        taken: action == decision.action,
    };
    let listed = |action: &str| decision.strategy.iter().any(|choice| choice.action == action);
    let mut bars: Vec<Bar> = (decision.strategy.iter())
        .map(|choice| bar(&choice.action, choice.probability, choice.value))
        .collect();
    if !listed(&decision.action) {
        let action = words(&decision.action, raises);
        let [percent, value] = [const { String::new() }; 2];
        bars.push(Bar { action, percent, value, width: "0".to_owned(), taken: true });
    }
    bars
}

/// An action of the API in words.
fn words(action: &str, raises: bool) -> String {
    match action.strip_prefix('b').and_then(|to| to.parse::<u32>().ok()) {
        Some(to) if raises => format!("raise to {}", decimal(f64::from(to), 0)),
        Some(to) => format!("bet {}", decimal(f64::from(to), 0)),
        None => match action {
            "f" => "fold",
            "c" => "call",
            "k" => "check",
            other => other,
        }
        .to_owned(),
    }
}

fn note(decision: &ReviewedDecision) -> String {
    let fallback = decision.fallback.map(|why| {
        let why = match why {
            logs::Fallback::Panic => "it failed",
            logs::Fallback::Timeout => "it did not answer in time",
            logs::Fallback::Gone => "it was no longer there",
            logs::Fallback::BadAnswer => "its answer was invalid",
        };
        format!("Played in place of its answer: {why}.")
    });
    fallback.or_else(|| decision.note.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use wire::slumbot_host::{Choice, ReviewedDecision};

    use super::verdict;

    fn decision(action: &str, strategy: &[(&str, f64)]) -> ReviewedDecision {
        let choice = |&(action, probability): &(&str, f64)| Choice {
            action: action.to_owned(),
            probability,
            value: None,
        };
        ReviewedDecision {
            index: 0,
            street: "preflop",
            before: String::new(),
            board: Vec::new(),
            action: action.to_owned(),
            strategy: strategy.iter().map(choice).collect(),
            note: None,
            fallback: None,
            elapsed_us: 0,
        }
    }

    #[test]
    fn a_bet_of_another_size_is_the_same_and_a_call_in_its_place_is_not() {
        // Bets of two sizes are more often together than the call is.
        let mixed = [("c", 0.4), ("b250", 0.3), ("b500", 0.3)];
        let bet = decision("b473", &mixed);
        let call = decision("c", &mixed);
        let unsaid = decision("k", &[]);
        assert_eq!(verdict(&[]), "you made no decision in this hand");
        assert_eq!(verdict(std::slice::from_ref(&bet)), "would have done the same, sizes aside");
        assert_eq!(verdict(std::slice::from_ref(&call)), "would have done something else");
        let all = verdict(&[bet, call, unsaid]);
        assert_eq!(all, "would have done the same, sizes aside, 1 of 3 times");
    }
}
