//! `cfr`: plays from a blueprint, the average strategy of an abstract game.
//!
//! The betting of a hand is followed in the blueprint's betting tree, where a bet that the tree
//! does not have is read as one that it has ([`abstraction::translate`]). The hole cards are mapped
//! to a bucket. The agent then plays the action probabilities stored for that node and bucket.
//!
//! With random translation each such bet is read as one of its two neighbours, and keeps that
//! reading for the rest of the hand. Other players do not know which. The strategy at a decision is
//! computed without sampling: it is the mixture over all readings, each weighted by its probability
//! given the hole cards and the seat's own earlier actions. The strategy is therefore a pure
//! function of the information set.
//!
//! In situations that training never reached, or after the tree's betting has ended before the
//! hand's, the agent checks, or calls if the pot odds justify it against a random hand. A call that
//! was all-in in the tree stays a call.
//!
//! With three to six players it plays by a blueprint whose places are joined where they are alike
//! ([`abstraction::multiway`]), that for the next larger number of players if there is none for
//! this.

mod model;
mod multiway;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use abstraction::betting::{BettingTree, NodeKind};
use abstraction::buckets::Buckets;
use cards::{Board, Combo, HoleCards};
use game::{Action, Chips, GameDef, InfoSet, Policy, PublicState, Seat, Strategy, ValueFunction};
use models::blueprint::Blueprint;
use serde::Deserialize;
use solvers::blueprint::{BlueprintValues, StrategyQuery};
use solvers::strategy::{AbstractStrategy, BoardStrategy, InBuckets, TreeStrategy};

use crate::cfr::model::{Hand, Model};
use crate::cfr::multiway::Decided;
use crate::fitted;
use crate::random_hands::{Effort, equities};
use crate::{Agent, AgentError, AgentOption, AgentSpec, Context, Cost, Decision, Recipe, Resolver};

/// The registry's entry.
pub(crate) const SPEC: AgentSpec = AgentSpec {
    kind: "cfr",
    summary: "plays a blueprint trained by counterfactual regret minimisation",
    example: "cfr",
    argument: None,
    options: &[
        AgentOption {
            name: "blueprint",
            default: "shipped",
            help: "a file of `cardroom train cfr`, or a built-in one: `shipped`, the default of \
                   the game; `overbet`, an earlier and smaller one for no-limit hold'em; \
                   `categories`, limit hold'em by the hand's category alone",
        },
        AgentOption {
            name: "play",
            default: "sample",
            help: "`sample`: draw the action; `purify`: always the likeliest",
        },
        AgentOption {
            name: "threshold",
            default: "0",
            help: "actions with a probability below this are never played, 0 to 0.5",
        },
        AgentOption {
            name: "translation",
            default: "random",
            help: "how a bet between two of the menu is read: `random`, as either by its \
                   pseudo-harmonic probability, unknown to the opponent; `likelier`, as the \
                   likelier one",
        },
    ],
    cost: Cost::Inline,
    repeatable: true,
    prepare,
};

/// The value of `blueprint` that selects the blueprint inside the program.
const SHIPPED: &str = "shipped";

#[derive(Debug, Clone, Deserialize)]
struct Options {
    blueprint: String,
    play: Play,
    threshold: f64,
    translation: Translation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Play {
    Sample,
    Purify,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Translation {
    Random,
    Likelier,
}

/// The rule by which action probabilities are turned into a decision.
#[derive(Debug, Clone, Copy)]
struct Style {
    play: Play,
    threshold: f64,
    translation: Translation,
}

impl Style {
    /// Sets the weights of the actions that are not played to 0.
    fn keep(&self, weights: &mut [(Action, f64)]) {
        let weight = |&(_, weight): &(Action, f64)| weight;
        let total: f64 = weights.iter().map(weight).sum();
        let most = weights.iter().map(weight).fold(0.0, f64::max);
        let first = weights.iter().position(|&(_, weight)| weight == most);
        for (at, (_, weight)) in weights.iter_mut().enumerate() {
            let keep = match self.play {
                Play::Purify => Some(at) == first,
                Play::Sample => *weight == most || *weight / total >= self.threshold,
            };
            if !keep {
                *weight = 0.0;
            }
        }
    }
}

/// The source of the blueprint.
#[derive(Debug)]
enum Source {
    Shipped,
    Named { blueprint: Arc<Blueprint>, model: OnceLock<Arc<Model>> },
    File { path: PathBuf, blueprint: Arc<Blueprint>, model: OnceLock<Arc<Model>> },
}

fn prepare(resolver: &Resolver<'_>) -> Result<Recipe, AgentError> {
    let options: Options = resolver.options()?;
    resolver.within("threshold", options.threshold, 0.0..=0.5)?;
    let Options { play, threshold, translation, .. } = options;
    let style = Style { play, threshold, translation };
    let name = resolver.name().to_owned();
    let named = named_blueprint(&options.blueprint);
    let (source, about) = match (options.blueprint.as_str(), named) {
        (SHIPPED, _) => (Source::Shipped, about_shipped()),
        (_, Some(blueprint)) => {
            let about = model::about(&blueprint);
            (Source::Named { blueprint, model: OnceLock::new() }, about)
        }
        (text, None) => {
            let path = resolver.file(text)?;
            let blueprint = Blueprint::open(&path);
            let blueprint = blueprint.map_err(|error| AgentError::bad_file(&path, error))?;
            let blueprint = Arc::new(blueprint);
            let about = model::about(&blueprint);
            (Source::File { path, blueprint, model: OnceLock::new() }, about)
        }
    };
    let source = Arc::new(source);
    let mut files = Vec::new();
    if let Source::File { path, .. } = &*source {
        files.push(path.clone());
    }
    let whole = Arc::clone(&source);
    let build = move |def: &Arc<GameDef>| {
        let refuse = |reason: String| AgentError::game(&name, reason);
        source.model(def, refuse).map(|model| Cfr { model, style })
    };
    let name = resolver.name().to_owned();
    let (policy, in_tree) = (build.clone(), build.clone());
    let in_tree = move |def: &Arc<GameDef>| {
        if def.players > 2 {
            let reason = "its strategy can be read for all hands of a betting tree at once, which \
                          is done with two players only";
            return Err(AgentError::game(&name, reason));
        }
        in_tree(def).map(|Cfr { model, style }| InTree::new(model, style))
    };
    let check = move || whole.verify();
    let recipe = Recipe::new(build).with_policy(policy).with_tree(in_tree);
    let mut recipe = recipe.about(about).checked_by(check).with_equities();
    recipe.files = files;
    if options.blueprint == SHIPPED { Ok(recipe.for_depths(&DEPTHS)) } else { Ok(recipe) }
}

impl Source {
    /// Returns the model for a game.
    fn model(
        &self,
        def: &GameDef,
        refuse: impl Fn(String) -> AgentError,
    ) -> Result<Arc<Model>, AgentError> {
        match self {
            Source::Shipped => shipped_model(def).ok_or_else(|| {
                refuse(format!(
                    "no blueprint ships for it, only for {GAMES}; train one with `cardroom train \
                     cfr`, and name it as cfr:blueprint=FILE"
                ))
            }),
            Source::Named { blueprint, model } => {
                check_game(blueprint, def).map_err(|error| refuse(error.to_string()))?;
                let new = || {
                    let model = Model::new(Arc::clone(blueprint));
                    Arc::new(model.expect("a test plays from every blueprint with a name"))
                };
                Ok(Arc::clone(model.get_or_init(new)))
            }
            Source::File { path, blueprint, model } => {
                check_game(blueprint, def).map_err(|error| refuse(error.to_string()))?;
                if let Some(model) = model.get() {
                    return Ok(Arc::clone(model));
                }
                let made = Model::new(Arc::clone(blueprint));
                let made = made.map_err(|reason| AgentError::bad_file(path, reason))?;
                let made = Arc::new(made);
                Ok(Arc::clone(model.get_or_init(|| made)))
            }
        }
    }

    /// Checks a blueprint file from end to end. Blueprints inside the program are not checked.
    fn verify(&self) -> Result<(), AgentError> {
        let Source::File { path, blueprint, .. } = self else { return Ok(()) };
        blueprint.verify().map(drop).map_err(|error| AgentError::bad_file(path, error))
    }
}

/// Checks that a blueprint plays a game.
fn check_game(blueprint: &Blueprint, def: &GameDef) -> Result<(), models::Error> {
    if multiway::plays(blueprint, def) { Ok(()) } else { blueprint.check_game(def) }
}

/// The agent and its policy.
#[derive(Debug, Clone)]
struct Cfr {
    model: Arc<Model>,
    style: Style,
}

impl Agent for Cfr {
    fn act(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision {
        let InfoSet { public, seat, hole } = infoset;
        if public.def().players > 2 {
            let Decided { strategy, note, beyond } =
                self.model.decide_multiway(infoset, &self.style);
            let action = cx.draw(&strategy);
            let (strategy, note) = (Some(strategy), Some(note));
            return Decision { strategy, note, beyond_model: beyond, ..action.into() };
        }
        let readings = self.model.find(public, *seat, &self.style);
        let hand = Hand::new(public, *hole);
        let strategy = self.model.strategy(&hand, &readings, &self.style);
        let action = cx.draw(&strategy);
        let note = self.model.note(&hand, &readings);
        Decision { strategy: Some(strategy), note: Some(note), ..action.into() }
    }
}

impl Policy for Cfr {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        let InfoSet { public, seat, hole } = infoset;
        if public.def().players > 2 {
            return self.model.decide_multiway(infoset, &self.style).strategy;
        }
        let readings = self.model.find(public, *seat, &self.style);
        let hand = Hand::new(public, *hole);
        self.model.strategy(&hand, &readings, &self.style)
    }

    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
        visit: &mut dyn FnMut(usize, &Strategy),
    ) {
        if public.def().players > 2 {
            self.model.strategies_multiway(public, hands, &self.style, visit);
            return;
        }
        // The readings of the betting are the same for all hands.
        let readings = self.model.find(public, seat, &self.style);
        self.model.strategies(public, &readings, hands, &self.style, visit);
    }
}

/// The strategy that the agent plays, in the blueprint's betting tree, for all hands at once.
struct InTree {
    model: Arc<Model>,
    /// Entries by node index; empty at terminal nodes.
    decisions: Vec<Shares>,
}

/// The strategy at a decision, by bucket.
#[derive(Default)]
struct Shares {
    buckets: usize,
    /// One row per action: its probability for each bucket.
    rows: Vec<f32>,
    /// At decisions that face a bet: the buckets that training never reached, if any.
    unknown: Option<Unknown>,
}

/// Buckets without a trained strategy, which call or fold by pot odds.
struct Unknown {
    buckets: Vec<bool>,
    /// The indices of fold and call, and the lowest equity that calls.
    fold: usize,
    call: usize,
    least: f64,
}

impl InTree {
    /// Reads the strategy of every node.
    fn new(model: Arc<Model>, style: Style) -> InTree {
        let nodes = 0..model.tree().nodes().len() as u32;
        let decisions = nodes.map(|node| Shares::new(&model, node, &style)).collect();
        InTree { model, decisions }
    }
}

impl Shares {
    fn new(model: &Model, node: u32, style: &Style) -> Shares {
        let tree = model.tree();
        let NodeKind::Decision { seat, .. } = tree.node(node).kind else {
            return Shares::default();
        };
        let actions = tree.actions(node);
        let index = |action| actions.iter().position(|&known| known == action);
        let call = index(Action::Call).unwrap_or_default();
        let buckets = model.buckets().count(tree.street(node)) as usize;
        let mut shares =
            Shares { buckets, rows: vec![0.0; actions.len() * buckets], unknown: None };
        let mut unknown = vec![false; buckets];
        for (bucket, unknown) in unknown.iter_mut().enumerate() {
            let known = model.probabilities(node, bucket as u32).unwrap_or_default();
            let known = known.iter().map(|&share| f64::from(share));
            let mut weights: Vec<(Action, f64)> = actions.iter().copied().zip(known).collect();
            style.keep(&mut weights);
            let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
            for (action, (_, weight)) in weights.iter().enumerate() {
                let share = if sum > 0.0 { weight / sum } else { f64::from(action == call) };
                shares.rows[action * buckets + bucket] = share as f32;
            }
            *unknown = sum == 0.0;
        }
        let committed = tree.committed(node);
        let (own, highest) = (committed[usize::from(seat)], committed[0].max(committed[1]));
        let owed = highest.min(tree.def().stacks[usize::from(seat)]).saturating_sub(own);
        if let Some(fold) = index(Action::Fold).filter(|_| unknown.contains(&true)) {
            let (pot, price) = (committed.map(f64::from).iter().sum::<f64>(), f64::from(owed));
            let least = price / (pot + price);
            shares.unknown = Some(Unknown { buckets: unknown, fold, call, least });
        }
        shares
    }
}

impl TreeStrategy for InTree {
    fn tree(&self) -> &BettingTree {
        self.model.tree()
    }

    fn on_board<'a>(&'a self, board: &Board, hands: &[Combo]) -> Box<dyn BoardStrategy + 'a> {
        let all = self.model.buckets().on_board(board.set());
        let all = all.expect("boards have as many cards as a street");
        let buckets = hands.iter().map(|hand| all[hand.index()]).collect();
        let hands = hands.to_vec();
        Box::new(OnBoard { of: self, board: *board, hands, buckets, rates: OnceLock::new() })
    }

    fn in_buckets(&self) -> Option<InBuckets<'_>> {
        let unknown = self.decisions.iter().filter_map(|decision| decision.unknown.as_ref());
        let guessed = unknown.flat_map(|unknown| &unknown.buckets).filter(|&&unknown| unknown);
        let guessed = guessed.count() as u64;
        Some(InBuckets { buckets: self.model.buckets(), strategy: self, guessed })
    }
}

/// In untrained buckets, where play would follow pot odds, the abstract strategy calls.
impl AbstractStrategy for InTree {
    fn probabilities(&self, node: u32, bucket: u32, shares: &mut [f32]) {
        let Shares { buckets, rows, .. } = &self.decisions[node as usize];
        for (share, row) in shares.iter_mut().zip(rows.chunks(*buckets)) {
            *share = row[bucket as usize];
        }
    }
}

/// The strategy of the given hands on one board.
struct OnBoard<'a> {
    of: &'a InTree,
    board: Board,
    hands: Vec<Combo>,
    buckets: Vec<u16>,
    /// Equity of each hand, computed on first use.
    rates: OnceLock<Vec<f64>>,
}

impl OnBoard<'_> {
    fn rates(&self) -> &[f64] {
        self.rates.get_or_init(|| {
            let hole = |hand: &Combo| HoleCards::new(&hand.cards()).expect("two different cards");
            let holes: Vec<HoleCards> = self.hands.iter().map(hole).collect();
            equities(self.of.tree().def(), &holes, self.board, 1, Effort::default())
        })
    }
}

impl BoardStrategy for OnBoard<'_> {
    fn probabilities(
        &self,
        node: u32,
        row: usize,
        shares: &mut [f32],
    ) -> Result<(), solvers::Error> {
        let decision = &self.of.decisions[node as usize];
        if decision.buckets == 0 {
            return Ok(());
        }
        for (shares, of_bucket) in
            shares.chunks_mut(row).zip(decision.rows.chunks(decision.buckets))
        {
            for (share, &bucket) in shares.iter_mut().zip(&self.buckets) {
                *share = of_bucket[usize::from(bucket)];
            }
        }
        let Some(unknown) = &decision.unknown else { return Ok(()) };
        for (hand, &bucket) in self.buckets.iter().enumerate() {
            if unknown.buckets[usize::from(bucket)] {
                let calls = self.rates()[hand] >= unknown.least;
                shares[unknown.call * row + hand] = f32::from(calls);
                shares[unknown.fold * row + hand] = f32::from(!calls);
            }
        }
        Ok(())
    }
}

/// The blueprints inside the program; `docs/strength.md` says how they were trained. Those of
/// no-limit hold'em are for stacks of so many big blinds; other stacks are played by the next ones
/// (`fitted.rs`).
static FILES: [&[u8]; 10] = [
    include_bytes!("../../models/nolimit.blueprint"),
    include_bytes!("../../models/limit.blueprint"),
    include_bytes!("../../models/depths/3.blueprint"),
    include_bytes!("../../models/depths/5.blueprint"),
    include_bytes!("../../models/depths/10.blueprint"),
    include_bytes!("../../models/depths/15.blueprint"),
    include_bytes!("../../models/depths/20.blueprint"),
    include_bytes!("../../models/depths/30.blueprint"),
    include_bytes!("../../models/depths/50.blueprint"),
    include_bytes!("../../models/depths/100.blueprint"),
];

/// The stacks of those of no-limit hold'em, in big blinds.
const DEPTHS: [Chips; 9] = [3, 5, 10, 15, 20, 30, 50, 100, 200];

/// Those of no-limit hold'em for more than two players, fewer first: each plays for so many, and
/// for fewer if it is the first.
static SEVERAL: [&[u8]; 2] =
    [include_bytes!("../../models/three.blueprint"), include_bytes!("../../models/six.blueprint")];

/// The games that one plays, in words.
const GAMES: &str = "holdem.nolimit.2p.reverse_blinds with 1 to 250 big blinds, no-limit hold'em \
                     for 3 to 6 players with up to 250 big blinds and \
                     holdem.limit.2p.reverse_blinds";

/// Those that are asked for by name, beside the best of a game.
static NAMED: [(&str, &[u8]); 2] = [
    ("categories", include_bytes!("../../models/categories.blueprint")),
    ("overbet", include_bytes!("../../models/overbet.blueprint")),
];

/// A blueprint's head is read when it is first asked for, the rest when it first plays.
struct Shipped {
    blueprint: Arc<Blueprint>,
    model: OnceLock<Arc<Model>>,
    values: OnceLock<Arc<BlueprintValues>>,
}

fn open(bytes: &'static [u8]) -> Shipped {
    let blueprint = Blueprint::from_static(bytes).expect("a test reads every shipped blueprint");
    Shipped { blueprint: Arc::new(blueprint), model: OnceLock::new(), values: OnceLock::new() }
}

fn all() -> &'static [Shipped] {
    static ALL: OnceLock<Vec<Shipped>> = OnceLock::new();
    ALL.get_or_init(|| FILES.iter().map(|bytes| open(bytes)).collect())
}

fn several() -> &'static [Shipped] {
    static ALL: OnceLock<Vec<Shipped>> = OnceLock::new();
    ALL.get_or_init(|| SEVERAL.iter().map(|bytes| open(bytes)).collect())
}

/// The blueprint inside the program that has this name.
fn named_blueprint(name: &str) -> Option<Arc<Blueprint>> {
    static ALL: OnceLock<Vec<Shipped>> = OnceLock::new();
    let index = NAMED.iter().position(|(known, _)| *known == name)?;
    let all = ALL.get_or_init(|| NAMED.iter().map(|(_, bytes)| open(bytes)).collect());
    Some(Arc::clone(&all[index].blueprint))
}

/// The model for this game, if one ships.
fn shipped_model(def: &GameDef) -> Option<Arc<Model>> {
    let mut each = all().iter().chain(several());
    let shipped = each.find(|shipped| check_game(&shipped.blueprint, def).is_ok())?;
    let new = || {
        let model = Model::new(Arc::clone(&shipped.blueprint));
        Arc::new(model.expect("a test plays from every shipped blueprint"))
    };
    Some(Arc::clone(shipped.model.get_or_init(new)))
}

/// The values of the blueprint for this game, if one ships.
fn shipped_blueprint_values(def: &GameDef) -> Option<Arc<BlueprintValues>> {
    let shipped = all().iter().find(|shipped| shipped.blueprint.check_game(def).is_ok())?;
    let new = || {
        let values = values_of(&shipped.blueprint);
        Arc::new(values.expect("a test asks every shipped blueprint for values"))
    };
    Some(Arc::clone(shipped.values.get_or_init(new)))
}

/// The file of the blueprint inside the program for this game, if there is one.
pub fn shipped_blueprint(def: &GameDef) -> Option<&'static [u8]> {
    let index = all().iter().position(|shipped| shipped.blueprint.check_game(def).is_ok())?;
    Some(FILES[index])
}

/// A description of the shipped blueprints.
fn about_shipped() -> String {
    let [usual, limit, ..] = all() else { return String::new() };
    let [usual, limit] = [usual, limit].map(|shipped| model::about(&shipped.blueprint));
    let depths = DEPTHS.map(|depth| depth.to_string()).join(", ");
    let mut text = format!(
        "{usual}\n\n{limit}\n\nNo-limit hold'em for two is played with 1 to 250 big blinds: \
         there is a blueprint for each of the stacks {depths}, and the next deeper one plays \
         others."
    );
    for shipped in several() {
        text.push_str("\n\n");
        text.push_str(&model::about(&shipped.blueprint));
    }
    text.push_str(
        "\n\nNo-limit hold'em for three to six is played with up to 250 big blinds, that for four \
         and five by the blueprint for six. Decisions in places that a blueprint does not have are \
         made by pot odds, and counted as outside of the model in the report of a match.",
    );
    text
}

/// Returns the value function of the blueprint inside the program for this game, if there is one.
/// It is unpacked on first use and kept.
pub fn shipped_values(def: &GameDef) -> Option<Arc<dyn ValueFunction>> {
    let values = shipped_blueprint_values(def)?;
    Some(values)
}

/// Like [`shipped_values`], but for a match between these strategies. An entrant without a policy
/// is taken to play the blueprint. `names` are the names of the two entrants. A game that is the
/// same in other chips has the same values. With [`StrategyQuery::Cards`] a hand takes some
/// milliseconds.
pub fn values_between(
    def: &GameDef,
    policies: [Option<Arc<dyn Policy>>; 2],
    names: [&str; 2],
    query: StrategyQuery,
) -> Option<Arc<dyn ValueFunction>> {
    let known = |k: usize| if policies[k].is_some() { names[k] } else { "the blueprint" };
    let cards = if query == StrategyQuery::Cards { " by their cards" } else { "" };
    let what = format!("agents {} and {}{cards}", known(0), known(1));
    let values = |def: &GameDef, policies| -> Option<Arc<dyn ValueFunction>> {
        Some(Arc::new(shipped_blueprint_values(def)?.between(policies, query, &what)))
    };
    if shipped_blueprint_values(def).is_some() {
        return values(def, policies);
    }
    fitted::values(def, &DEPTHS, &policies, values)
}

/// Returns the value function of the blueprint in a file.
///
/// # Errors
/// If the file cannot be read or is not a complete blueprint for hold'em.
pub fn values_of_file(path: &Path) -> Result<Arc<dyn ValueFunction>, AgentError> {
    let bad = |reason: &dyn std::fmt::Display| AgentError::bad_file(path, reason);
    let blueprint = Blueprint::open(path).map_err(|error| bad(&error))?;
    blueprint.verify().map_err(|error| bad(&error))?;
    Ok(Arc::new(values_of(&blueprint).map_err(|reason| bad(&reason))?))
}

/// Computes the value function of a blueprint, or returns what is wrong with the blueprint.
fn values_of(blueprint: &Blueprint) -> Result<BlueprintValues, String> {
    let tree = blueprint.tree().map_err(|error| error.to_string())?;
    let buckets = Buckets::read(blueprint.buckets()).map_err(|error| error.to_string())?;
    let shares = |tree: &_, node, bucket| blueprint.probabilities(tree, node, bucket);
    BlueprintValues::new(tree, buckets, shares).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_depth_has_a_blueprint_of_its_own_and_each_blueprint_its_depth() {
        let blueprint = |depth: Chips| {
            let def = game::games::nolimit_holdem_with(vec![100 * depth; 2]);
            shipped_blueprint(&def).unwrap_or_else(|| panic!("none for {depth} big blinds"))
        };
        let mut starts: Vec<_> = DEPTHS.map(|depth| blueprint(depth).as_ptr()).into();
        starts.sort_unstable();
        starts.dedup();
        // All but that of limit hold'em.
        assert_eq!((starts.len(), FILES.len()), (DEPTHS.len(), DEPTHS.len() + 1));
    }
}
