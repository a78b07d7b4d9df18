//! The agents that can be asked what they would do with any cards, and their strategies at
//! heads-up no-limit hold'em, built when they are first asked for.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use agents::{AgentChoice, Cost};
use axum::http::StatusCode;
use game::{GameDef, Policy};

use super::api::Problem;

/// The agent that is asked unless another is chosen.
const USUAL: &str = "cfr";

/// The agents by name.
pub struct Policies {
    agents: BTreeMap<String, AgentChoice>,
    def: Arc<GameDef>,
    /// The policies that were built.
    built: Mutex<HashMap<String, Arc<dyn Policy>>>,
}

impl Policies {
    /// Those of these agents that can be asked what they would do with other cards.
    pub fn new(agents: BTreeMap<String, AgentChoice>) -> Policies {
        let agents = agents.into_iter().filter(|(_, agent)| agent.has_policy()).collect();
        let def = Arc::new(game::games::nolimit_holdem());
        Policies { agents, def, built: Mutex::default() }
    }

    /// The game.
    pub fn def(&self) -> &Arc<GameDef> {
        &self.def
    }

    /// Their names.
    pub fn names(&self) -> Vec<&str> {
        self.agents.keys().map(String::as_str).collect()
    }

    /// Whether an agent looks its decisions up: others compute, which everybody who reaches the
    /// server could have it do.
    pub fn decides_at_once(&self, name: &str) -> bool {
        self.agent(name).is_some_and(|agent| agent.cost() == Cost::Inline)
    }

    /// The names of those that decide at once and play the usual game, the usual one first.
    pub fn at_once(&self) -> Vec<String> {
        // What a configuration defines may be for another game; what is built in is not.
        let plays = |name: &str| {
            let built_in = self.agent(name).is_some_and(|agent| agent.spec().kind == name);
            built_in || self.policy(name).is_ok()
        };
        let names = self.agents.keys().filter(|name| self.decides_at_once(name) && plays(name));
        let mut names: Vec<String> = names.cloned().collect();
        names.sort_by_key(|name| name != USUAL);
        names
    }

    /// The names of those that can price the decisions of a match, the usual one first: those that
    /// decide at once, then those that solve some decisions and leave the rest to such a one.
    pub fn that_price(&self) -> Vec<String> {
        let mut names = self.at_once();
        let solves = |agent: &AgentChoice| {
            agent.blueprint().is_some_and(|blueprint| blueprint.cost() == Cost::Inline)
        };
        let solving = self.agents.iter().filter(|(_, agent)| solves(agent));
        names.extend(solving.map(|(name, _)| name.clone()));
        names
    }

    /// The agent of this name, which decides at once; without a name the usual one.
    ///
    /// # Errors
    /// In words, when there is none.
    pub fn at_once_named(&self, name: &str) -> Result<(String, &AgentChoice), Problem> {
        self.one_of(&self.at_once(), name, "cannot be asked at once what it would do")
    }

    /// The agent of this name, which can price the decisions of a match; without a name the usual
    /// one.
    ///
    /// # Errors
    /// In words, when there is none.
    pub fn pricing_named(&self, name: &str) -> Result<(String, &AgentChoice), Problem> {
        self.one_of(&self.that_price(), name, "cannot price the decisions of a match")
    }

    fn one_of(
        &self,
        names: &[String],
        name: &str,
        cannot: &str,
    ) -> Result<(String, &AgentChoice), Problem> {
        let wanted =
            if name.is_empty() { names.first() } else { names.iter().find(|n| *n == name) };
        let found = wanted.and_then(|name| Some((name.clone(), self.agent(name)?)));
        found.ok_or_else(|| {
            let name = game::escape::excerpt(name);
            let error = format!("`{name}` {cannot}");
            let remedy = format!("write one of {}", names.join(", "));
            Problem::new(StatusCode::BAD_REQUEST, error, remedy)
        })
    }

    /// The agent of this name, if it can be asked.
    pub fn agent(&self, name: &str) -> Option<&AgentChoice> {
        self.agents.get(name)
    }

    /// The strategy of the agent of this name.
    ///
    /// # Errors
    /// When there is none, in words.
    pub fn policy(&self, name: &str) -> Result<Arc<dyn Policy>, String> {
        let mut built = parallel::lock(&self.built);
        if let Some(policy) = built.get(name) {
            return Ok(Arc::clone(policy));
        }
        let agent = self.agents.get(name).ok_or_else(|| {
            format!("`{}` cannot be asked for its play", game::escape::excerpt(name))
        })?;
        let policy = agent.policy(&self.def).map_err(|error| error.to_string())?;
        let policy = policy.ok_or_else(|| format!("`{name}` has no strategy to ask for"))?;
        built.insert(name.to_owned(), Arc::clone(&policy));
        Ok(policy)
    }
}
