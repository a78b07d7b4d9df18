//! `router`: passes each decision to one of several agents, by rules in a file.
//!
//! The first rule that matches decides; if none does, the default agent. The file is TOML:
//!
//! ```toml
//! default = "equity"
//!
//! [[rule]]                      # every condition that is given must hold
//! agent = "router:preflop.toml" # relative to this file
//! streets = ["preflop"]
//! pot_from = 0                  # big blinds, everything in the middle included
//! pot_below = 12.5
//! positions = ["button", "cut-off", "button-2", "small-blind", "big-blind"]
//! players_from = 2              # seats that have not folded, this one included
//! players_to = 2
//! opponents = ["call"]          # one of the match's other entrants is called so
//! ```
//!
//! The opponents are known in matches that cardroom runs, and where the user names them; the ACPC
//! protocol does not tell. A rule with `opponents` does not match when they are unknown.

use std::path::Path;
use std::sync::Arc;

use game::{BySeat, GameDef, InfoSet, Policy, Position, Strategy, Street};
use serde::Deserialize;
use show::nearest;

use crate::{
    Agent, AgentChoice, AgentError, AgentOption, AgentSpec, Context, Cost, Decision, HandOutcome,
    Recipe, Resolver,
};

/// The registry's entry.
pub(crate) const SPEC: AgentSpec = AgentSpec {
    kind: "router",
    summary: "picks another agent for each decision, by street, pot, position, players and \
              opponent",
    example: "router:rules.toml",
    argument: Some("rules"),
    options: &[AgentOption {
        name: "rules",
        default: "required",
        help: "a TOML file of rules: `default` names an agent, each `[[rule]]` an agent and \
               conditions",
    }],
    cost: Cost::Inline,
    repeatable: true,
    prepare,
};

#[derive(Deserialize)]
struct Options {
    rules: String,
}

/// The TOML file of rules.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesFile {
    default: String,
    #[serde(default)]
    rule: Vec<RuleText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleText {
    agent: String,
    streets: Option<Vec<String>>,
    pot_from: Option<f64>,
    pot_below: Option<f64>,
    positions: Option<Vec<String>>,
    players_from: Option<u32>,
    players_to: Option<u32>,
    opponents: Option<Vec<String>>,
}

/// A validated rule.
#[derive(Clone)]
struct Rule {
    /// Index into the router's agents.
    agent: usize,
    streets: [bool; 4],
    /// In big blinds: lower bound (inclusive) and upper bound (exclusive).
    pot: (f64, f64),
    positions: Option<Vec<Position>>,
    /// Minimum and maximum, both inclusive.
    players: (u32, u32),
    opponents: Option<Vec<String>>,
}

fn prepare(resolver: &Resolver<'_>) -> Result<Recipe, AgentError> {
    let Options { rules } = resolver.options()?;
    let path = resolver.file(&rules)?;
    let text = resolver.read(&path)?;
    let bad_file = |reason: String| AgentError::bad_file(&path, reason);
    let file: RulesFile =
        toml::from_str(&text).map_err(|e| bad_file(located_message(&text, &e)))?;

    let folder = path.parent().unwrap_or(Path::new(""));
    let mut choices: Vec<AgentChoice> = Vec::new();
    let mut agent = |name: &str| match choices.iter().position(|known| known.name() == name) {
        Some(index) => Ok(index),
        None => {
            choices.push(resolver.resolve(name, folder)?);
            Ok(choices.len() - 1)
        }
    };
    let default = agent(&file.default)?;
    let mut rules = Vec::with_capacity(file.rule.len());
    for (number, rule) in file.rule.into_iter().enumerate() {
        let index = agent(&rule.agent)?;
        let rule = Rule::check(rule, index)
            .map_err(|reason| bad_file(format!("rule {}: {reason}", number + 1)))?;
        rules.push(rule);
    }

    let shared = choices.clone();
    let table = Table { rules: rules.into(), default };
    let asked = table.clone();
    let mut recipe = Recipe::new(move |def| {
        let agents = shared.iter().map(|choice| choice.build(def)).collect::<Result<_, _>>()?;
        let names = shared.iter().map(|choice| choice.name().to_owned()).collect();
        Ok(Router { table: table.clone(), view: View::new(def), agents, names, opponents: vec![] })
    });
    // A rule about opponents depends on more than the information set.
    let pure = asked.rules.iter().all(|rule| rule.opponents.is_none());
    if pure && choices.iter().all(AgentChoice::has_policy) {
        let choices = choices.clone();
        recipe = recipe.with_policy(move |def| {
            let policies = choices.iter().map(|choice| choice.policy(def));
            let policies: Option<Vec<_>> = policies.collect::<Result<_, _>>()?;
            let policies = policies.expect("each choice was asked whether it has a policy");
            Ok(RouterPolicy { table: asked.clone(), view: View::new(def), policies })
        });
    }
    recipe.files.push(path);
    Ok(choices.iter().fold(recipe, Recipe::asking))
}

/// Formats a TOML error with its line and column, in one line.
fn located_message(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().trim().replace('\n', ", ");
    let Some(span) = error.span() else { return message };
    let before = &text[..span.start.min(text.len())];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    format!("line {line}, column {column}: {message}")
}

impl Rule {
    fn check(text: RuleText, agent: usize) -> Result<Rule, String> {
        let mut streets = [text.streets.is_none(); 4];
        for name in text.streets.iter().flatten() {
            streets[street(name)?.index()] = true;
        }
        let positions = text.positions.map(|names| names.iter().map(|n| position(n)).collect());
        let pot = (text.pot_from.unwrap_or(0.0), text.pot_below.unwrap_or(f64::INFINITY));
        if !(pot.0 >= 0.0 && pot.0 < pot.1) {
            return Err(format!("no pot is from {} and below {}", pot.0, pot.1));
        }
        let players = (text.players_from.unwrap_or(0), text.players_to.unwrap_or(u32::MAX));
        if players.0 > players.1 {
            return Err(format!("no number of players is {} to {}", players.0, players.1));
        }
        let positions = positions.transpose()?;
        Ok(Rule { agent, streets, pot, positions, players, opponents: text.opponents })
    }

    fn fits(&self, facts: &DecisionFacts, opponents: &[String]) -> bool {
        let named = |names: &Vec<String>| names.iter().any(|name| opponents.contains(name));
        self.streets[facts.street.index()]
            && self.pot.0 <= facts.pot
            && facts.pot < self.pot.1
            && self.positions.as_ref().is_none_or(|some| some.contains(&facts.position))
            && (self.players.0..=self.players.1).contains(&facts.players)
            && self.opponents.as_ref().is_none_or(named)
    }
}

fn street(name: &str) -> Result<Street, String> {
    let found = Street::ALL.into_iter().find(|street| street.name() == name);
    found.ok_or_else(|| unknown("street", name, &Street::ALL.map(Street::name)))
}

fn position(name: &str) -> Result<Position, String> {
    let fixed = [
        ("button", Position::Button),
        ("small-blind", Position::SmallBlind),
        ("big-blind", Position::BigBlind),
        ("cut-off", Position::BeforeButton(1)),
    ];
    if let Some(&(_, position)) = fixed.iter().find(|&&(known, _)| known == name) {
        return Ok(position);
    }
    match name.strip_prefix("button-").and_then(|distance| distance.parse().ok()) {
        Some(distance @ 1..=9) => Ok(Position::BeforeButton(distance)),
        _ => {
            let known = ["button", "cut-off", "button-2", "small-blind", "big-blind"];
            Err(unknown("position", name, &known))
        }
    }
}

fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let hint = nearest::nearest(name, known.iter().copied());
    let hint = hint.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
    format!("there is no {what} `{name}`{hint}; known: {}", known.join(", "))
}

/// The properties of a decision that rules test.
struct DecisionFacts {
    street: Street,
    pot: f64,
    position: Position,
    players: u32,
}

/// The rules, and the index of the default agent.
#[derive(Clone)]
struct Table {
    rules: Arc<[Rule]>,
    default: usize,
}

impl Table {
    /// Returns the index of the first matching rule, if any, and the agent to play.
    fn route(&self, facts: &DecisionFacts, opponents: &[String]) -> (Option<usize>, usize) {
        let fitting = self.rules.iter().position(|rule| rule.fits(facts, opponents));
        (fitting, fitting.map_or(self.default, |index| self.rules[index].agent))
    }
}

/// The properties of the game that are needed to compute [`DecisionFacts`].
struct View {
    positions: BySeat<Option<Position>>,
    big_blind: f64,
}

impl View {
    fn new(def: &GameDef) -> View {
        let positions = BySeat::from_fn(def.players, |seat| Some(def.position(seat)));
        View { positions, big_blind: f64::from(def.big_blind()) }
    }

    fn decision_facts(&self, infoset: &InfoSet) -> DecisionFacts {
        let public = &infoset.public;
        DecisionFacts {
            street: public.street(),
            pot: public.pot() as f64 / self.big_blind,
            position: self.positions[infoset.seat].unwrap_or(Position::Button),
            players: public.remaining().len(),
        }
    }
}

struct Router {
    table: Table,
    view: View,
    agents: Vec<Box<dyn Agent>>,
    names: Vec<String>,
    opponents: Vec<String>,
}

/// The policy of a router between agents that have policies, without rules about opponents.
struct RouterPolicy {
    table: Table,
    view: View,
    policies: Vec<Arc<dyn Policy>>,
}

impl Policy for RouterPolicy {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        let (_, agent) = self.table.route(&self.view.decision_facts(infoset), &[]);
        self.policies[agent].strategy(infoset)
    }
}

impl Agent for Router {
    fn act(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision {
        let (fitting, agent) =
            self.table.route(&self.view.decision_facts(infoset), &self.opponents);
        let mut decision = self.agents[agent].act(infoset, cx);
        let name = &self.names[agent];
        let by = match fitting {
            Some(index) => format!("rule {} plays {name}", index + 1),
            None => format!("no rule fits, {name} plays"),
        };
        decision.note = Some(match decision.note {
            Some(note) => format!("{by}: {note}"),
            None => by,
        });
        decision
    }

    fn meet(&mut self, opponents: &[String]) {
        self.opponents = opponents.to_vec();
        self.agents.iter_mut().for_each(|agent| agent.meet(opponents));
    }

    fn hand_over(&mut self, outcome: &HandOutcome<'_>) {
        self.agents.iter_mut().for_each(|agent| agent.hand_over(outcome));
    }

    fn restart(&mut self) {
        self.agents.iter_mut().for_each(|agent| agent.restart());
    }
}
