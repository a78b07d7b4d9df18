//! A panel: an agent against many opponents, by [matches](exploiters) of its own, or compared with
//! another agent by [`duel`](mod@duel)s.
//!
//! Duels say what it wins beyond the other from each opponent. The two play the same streets
//! before, and are valued at the same spots, over all hands of both players: so the difference is
//! known with some thousand hands, where matches take hundreds of thousands. It suits agents that
//! think in play, compared with what they would do without it.
//!
//! Local best response is one of the opponents: to each of the two its own.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use agents::{AgentChoice, Registry};
use game::{Betting, GameDef, Policy, Street};
use logs::{Provenance, Rate};
use matches::runner::Stop;
use serde::Serialize;
use show::Table;
use show::number::{signed, whole};
use solvers::lbr::Moves;

use crate::duel::{self, Duel, DuelSettings, Opponent, Other, Valued};
use crate::exploiters::{
    self, Answers, ExploiterSettings, Idea, Results, Won, ideas, other, style, verdict,
};
use crate::folder::{file_name, folder_name, model_sha256};
use crate::{Error, Sampled};

/// The opponents of a panel that have one style each, from the agent `fft`'s lists.
const STYLES: [Idea; 12] = [
    style("hides its hand until the river", "fft:model=slow-river"),
    style("hides its hand until the turn", "fft:model=slow-turn"),
    style("raises bets, makes none", "fft:model=check-raise"),
    style("hides sets and better until the river", "fft:model=sets"),
    style("bets the nuts alone", "fft:model=nuts"),
    style("pots the river with best and worst", "fft:model=polar"),
    style("three pots on the river with the best", "fft:model=overbet"),
    style("calls too much", "fft:model=caller"),
    style("folds too much", "fft:model=folder"),
    style("bluffs too much", "fft:model=bluffer"),
    style("bets the pot with half a chance", "fft:model=maniac"),
    style("bets its draws", "fft:model=draws"),
];

/// The opponents of a panel that were trained, the strongest last.
const TRAINED: [&str; 2] = ["cfr:blueprint=overbet", "cfr"];

/// A panel for a game: `fold`, `call` and `equity`, players of one style each in no-limit games
/// for two, all ideas, and blueprints that play the game.
pub fn opponents(def: &Arc<GameDef>, registry: &Registry) -> Vec<Idea> {
    let plays =
        |agent: &Idea| registry.resolve(agent.options).is_ok_and(|agent| agent.build(def).is_ok());
    // With more than two players their lists decide nothing.
    let styled = def.betting == Betting::NoLimit && def.players == 2;
    let styles = if styled { &STYLES[..] } else { &[] };
    let simple = ["fold", "call", "equity"].map(other).into_iter();
    let trained = TRAINED.map(other).into_iter().filter(plays);
    simple.chain(styles.iter().copied()).chain(ideas(def).iter().copied()).chain(trained).collect()
}

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

impl Difference {
    /// The verdict in a word. Where nothing differed at any spot, there is no doubt.
    fn verdict(&self) -> &'static str {
        match &self.rate {
            Some(rate) if rate.interval.half_width() == 0.0 => "the same",
            Some(rate) => match verdict(rate) {
                "wins" => "more",
                "loses" => "less",
                undecided => undecided,
            },
            None => "undecided",
        }
    }
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
        let ideas = opponents(&self.def, registry);
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

/// The matches of a panel, as the agent sees them.
#[derive(Serialize)]
pub struct PanelReport<'a> {
    #[serde(flatten)]
    results: Results<'a>,
    panel: Vec<PanelRow>,
}

#[derive(Serialize)]
struct PanelRow {
    against: String,
    words: &'static str,
    rate: Rate,
    decisions: Answers,
    hands_to_separate: Option<u64>,
}

impl<'a> PanelReport<'a> {
    /// The report of the matches of a panel; `kept` says where the results are kept.
    pub fn new(plan: &'a ExploiterSettings, found: &'a exploiters::Outcome, kept: String) -> Self {
        let panel = found.won.iter().map(|won| PanelRow::new(won, plan.agent.name())).collect();
        PanelReport { results: Results::new(plan, found, kept), panel }
    }
}

impl PanelRow {
    fn new(won: &Won, agent: &str) -> PanelRow {
        let &Won { idea, rate, decisions } = won;
        let own = Rate::from_error(0.0 - rate.mbb, rate.standard_error, rate.hands, rate.groups);
        let needed = own.hands_needed(own.mbb.abs()).filter(|_| own.holds_zero());
        PanelRow {
            against: idea.agent(agent),
            words: idea.words,
            rate: own,
            decisions,
            hands_to_separate: needed,
        }
    }
}

impl fmt::Display for PanelReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Results { agent, won, all, .. } = self.results;
        let summary = panel_summary(agent, won, all);
        f.write_str(&self.results.text("panel", &panel_table(won), &summary))
    }
}

/// The rates of the measured agent.
fn panel_table(won: &[Won]) -> String {
    let header = ["against", "mbb/hand", "95 % interval", "hands", "fallbacks", "to separate"];
    let mut table = Table::new(header).right(1..6).at_the_margin();
    for Won { idea, rate, decisions } in won {
        let own = |value: f64| signed(-value, 0);
        let needed = if rate.holds_zero() {
            rate.hands_needed(rate.mbb.abs()).map_or_else(|| "-".to_owned(), whole)
        } else {
            "separated".to_owned()
        };
        table.row([
            idea.words.to_owned(),
            own(rate.mbb),
            format!("{} to {}", own(rate.interval.high), own(rate.interval.low)),
            whole(rate.hands),
            whole(decisions.fallbacks),
            needed,
        ]);
    }
    format!("{table}\n")
}

fn panel_summary(name: &str, won: &[Won], all: usize) -> String {
    // The verdicts are the opponents'.
    let count = |word: &str| won.iter().filter(|won| verdict(&won.rate) == word).count();
    let played = match won.len() {
        done if done < all => format!("{done} of {all} matches were played. "),
        _ => String::new(),
    };
    format!(
        "\n{played}{name} wins against {}, loses against {}, {} undecided. To separate: the hands \
         (--hands)\nafter which the 95 % interval leaves zero out, if the rate stays as it is.\n",
        count("loses"),
        count("wins"),
        count("undecided"),
    )
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
        for row in *panel {
            let (figures, word) = match &row.rate {
                Some(rate) => {
                    let [mbb, low, high] = [rate.mbb, rate.interval.low, rate.interval.high]
                        .map(|value| signed(value, 1));
                    ([mbb, format!("{low} to {high}")], row.verdict())
                }
                None => (["-".to_owned(), "-".to_owned()], "undecided"),
            };
            let [mbb, interval] = figures;
            let counts = [whole(row.hands), whole(row.spots)];
            let [hands, spots] = &counts;
            table.row([row.words, &mbb, &interval, hands, spots, word]);
        }
        let count = |word| panel.iter().filter(|row| row.verdict() == word).count();
        let (more, less) = (count("more"), count("less"));
        let undecided = panel.len() - more - less;
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
