//! What an agent wins beyond another one from each opponent of a panel, by [`duel`](mod@duel)s.
//!
//! The two play the same streets before, and are valued at the same spots, over all hands of both
//! players: so the difference is known with some thousand hands, where matches take hundreds of
//! thousands. It suits agents that think in play, compared with what they would do without it.
//!
//! Local best response is one of the opponents: to each of the two its own.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use agents::{AgentChoice, Registry};
use game::{GameDef, Policy, Street};
use logs::{Provenance, Rate};
use matches::runner::Stop;
use serde::Serialize;
use show::Table;
use show::number::{signed, whole};
use solvers::lbr::Moves;

use crate::duel::{self, Duel, DuelSettings, Opponent, Other, Valued};
use crate::exploiters;
use crate::folder::{file_name, folder_name, model_sha256};
use crate::{Error, Sampled};

/// The settings of a panel of duels.
pub struct PanelSettings {
    /// The game: heads-up hold'em.
    pub def: Arc<GameDef>,
    /// The game's name: a built-in one, or the path of its file.
    pub game_name: String,
    /// The measured agent.
    pub agent: AgentChoice,
    /// The agent that it is compared with.
    pub compared_with: AgentChoice,
    /// The street from which on they are valued.
    pub street: Street,
    /// The sampling below a spot.
    pub sampled: Sampled,
    /// Hands against each opponent.
    pub hands: u64,
    /// The seed of the cards and all samples.
    pub seed: u64,
}

/// An opponent of both.
struct Opposing {
    /// What it does, in words.
    words: &'static str,
    other: Other,
    opponent: Opponent,
}

/// The result against one opponent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The opponent's name.
    pub against: String,
    /// What it does, in words.
    pub words: &'static str,
    /// The number of hands.
    pub hands: u64,
    /// The number of hands that were valued.
    pub spots: u64,
    /// What the agent wins from it beyond the other agent; `None` with fewer than two hands.
    pub rate: Option<Rate>,
}

impl PanelSettings {
    /// A name for the measurement, without the number of hands: more of them continue it.
    ///
    /// # Errors
    /// When a file of the agent cannot be read.
    pub fn name(&self) -> Result<String, Error> {
        let PanelSettings { street, seed, .. } = self;
        let rest = format!("than-{}-from-{street}-s{seed}", self.compared_with.name());
        let model = model_sha256(&self.agent)?;
        Ok(folder_name("panel", &self.agent, model.as_deref(), &self.game_name, &rest))
    }

    /// The opponents that can be asked for their strategy, and local best response. Those that
    /// play as the measured agent but for one rule are left out.
    fn opponents(&self, registry: &Registry) -> Result<Vec<Opposing>, Error> {
        let mut found = Vec::new();
        let ideas = exploiters::panel(&self.def, registry);
        for idea in ideas.into_iter().filter(|idea| !idea.is_the_agent()) {
            let agent = registry.resolve(&idea.agent(self.compared_with.name()))?;
            agent.prepare(&self.def, self.hands);
            if let Some(policy) = agent.policy(&self.def)? {
                let (words, other) = (idea.words, Other::new(&agent)?);
                found.push(Opposing { words, other, opponent: Opponent::Strategy(policy) });
            }
        }
        let moves = Moves::usual(self.def.betting);
        let other = Other { name: format!("lbr:{moves}"), model_sha256: None };
        let call = policy(&registry.resolve("call")?, &self.def)?;
        let (words, opponent) = ("local best response to each", Opponent::Response(moves, call));
        found.push(Opposing { words, other, opponent });
        Ok(found)
    }
}

fn policy(agent: &AgentChoice, def: &Arc<GameDef>) -> Result<Arc<dyn Policy>, Error> {
    agent.policy(def)?.ok_or_else(|| {
        let name = agent.name();
        Error::new(format!("`{name}` cannot be asked what it would do with other cards"))
    })
}

/// The results against all opponents, or those before it was stopped; the last one may have fewer
/// hands then.
#[derive(Debug)]
pub struct Outcome {
    /// The results, in the order of the opponents.
    pub differences: Vec<Difference>,
    /// Whether all hands against all opponents were valued.
    pub complete: bool,
}

/// Values both agents against each opponent, continuing from what the folder holds: a folder for
/// each opponent in it. `visit` is called with the opponent's description, the number of the
/// opponents, and the hands done of all.
///
/// # Errors
/// When the two differ before the street, an agent cannot be asked for its strategy, or the folder
/// cannot be used.
pub fn run(
    plan: &PanelSettings,
    registry: &Registry,
    folder: &Path,
    provenance: &Provenance,
    threads: usize,
    stop: &Stop,
    mut visit: impl FnMut(&'static str, u64, u64),
) -> Result<Outcome, Error> {
    let agents = [&plan.agent, &plan.compared_with];
    agents.iter().for_each(|agent| agent.prepare(&plan.def, plan.hands));
    let [one, other] = agents.map(|agent| policy(agent, &plan.def));
    let (one, other) = (one?, other?);
    let model_sha256 = model_sha256(&plan.agent)?;
    let opponents = plan.opponents(registry)?;
    let all = opponents.len() as u64;
    let mut differences = Vec::new();
    for (number, opposing) in opponents.into_iter().enumerate() {
        let Opposing { words, other: against, opponent } = opposing;
        let name = against.name.clone();
        let settings = DuelSettings {
            duel: Duel {
                def: Arc::clone(&plan.def),
                policies: [Arc::clone(&one), Arc::clone(&other)],
                before: Arc::clone(&other),
                opponent: Some(opponent),
                street: plan.street,
                sampled: plan.sampled,
                hands: plan.hands,
                seed: plan.seed,
            },
            agent: plan.agent.clone(),
            model_sha256: model_sha256.clone(),
            against,
            compared_with: Some(Other::new(&plan.compared_with)?),
            game_name: plan.game_name.clone(),
            shard: None,
        };
        let part = folder.join(file_name(&name));
        let before = number as u64 * plan.hands;
        let seen = |hands| visit(words, all, before + hands);
        let valued = duel::run(&settings, &part, provenance.clone(), threads, stop, seen)?;
        let Valued { hands, spots, rate, .. } = valued;
        differences.push(Difference { against: name, words, hands, spots, rate });
        if hands < plan.hands {
            return Ok(Outcome { differences, complete: false });
        }
    }
    Ok(Outcome { differences, complete: true })
}

/// The result of a panel of duels.
#[derive(Serialize)]
pub struct ComparedReport<'a> {
    agent: &'a str,
    compared_with: &'a str,
    game: &'a str,
    from: String,
    seed: u64,
    hands: u64,
    complete: bool,
    panel: &'a [Difference],
    /// Where the results are kept, for the text.
    #[serde(skip)]
    kept: String,
}

impl<'a> ComparedReport<'a> {
    /// The report of a panel; `kept` says where the results are kept.
    pub fn new(plan: &'a PanelSettings, found: &'a Outcome, kept: String) -> ComparedReport<'a> {
        ComparedReport {
            agent: plan.agent.name(),
            compared_with: plan.compared_with.name(),
            game: &plan.game_name,
            from: plan.street.to_string(),
            seed: plan.seed,
            hands: plan.hands,
            complete: found.complete,
            panel: &found.differences,
            kept,
        }
    }
}

impl fmt::Display for ComparedReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ComparedReport { agent, compared_with, game, from, seed, hands, panel, .. } = self;
        let header = ["against", "mbb/hand", "95 % interval", "hands", "valued", ""];
        let mut table = Table::new(header).right(1..5).at_the_margin();
        let mut verdicts = [0; 3];
        for row in *panel {
            let (figures, verdict) = match row.rate {
                Some(rate) => {
                    let [mbb, low, high] = [rate.mbb, rate.interval.low, rate.interval.high]
                        .map(|value| signed(value, 1));
                    let verdict = match (rate.holds_zero(), rate.mbb > 0.0) {
                        (false, true) => 0,
                        (false, false) => 1,
                        (true, _) => 2,
                    };
                    verdicts[verdict] += 1;
                    let word = ["more", "less", "undecided"][verdict];
                    // Where nothing differed in any spot, there is no doubt.
                    let word = if rate.interval.half_width() == 0.0 { "the same" } else { word };
                    ([mbb, format!("{low} to {high}")], word)
                }
                None => (["-".to_owned(), "-".to_owned()], "undecided"),
            };
            let [mbb, interval] = figures;
            let counts = [whole(row.hands), whole(row.spots)];
            let [hands, spots] = &counts;
            table.row([row.words, &mbb, &interval, hands, spots, verdict]);
        }
        let [more, less, undecided] = verdicts;
        write!(
            f,
            "{agent} compared with {compared_with}, panel, {game}, seed {seed}, {} hands each: \
             what it wins\nbeyond that from each opponent on the {from} and later, valued over \
             all hands\n\n{table}\n\nIt wins more from {more}, less from {less}, {undecided} \
             undecided.\n{}",
            whole(*hands),
            self.kept,
        )
    }
}
