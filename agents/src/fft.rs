//! `fft`: plays heads-up hold'em by fast-and-frugal trees, one list `if … then …; else …` per
//! street.
//!
//! The lists (see [`readable::heuristic`]) are read from a file. A fold without a bet to call
//! becomes a check, and a raise where none is legal becomes a call. Bet sizes are shares of the pot
//! after the call, as far as the rules and the stack allow. If a list draws at random, the
//! decision's random source is used, and the policy has the probabilities.
//!
//! The fallback agent plays games that are not heads-up hold'em and, if one is given, streets
//! without a list.

use std::sync::{Arc, OnceLock};

use abstraction::facts::{Facts, Texture, is_aggressive};
use cards::HoleCards;
use game::{Action, Betting, Chips, GameDef, InfoSet, PublicState, Seat, Strategy, Street};
use rand::RngExt;
use readable::heuristic::{Act, Decider, Pot, Rulebook, Situation, facts_in_words};
use serde::Deserialize;
use solvers::holdem::is_holdem;

use crate::fallback::{PartialAgent, PartialPolicy};
use crate::random_hands::{Effort, equities, equity};
use crate::{
    AgentError, AgentOption, AgentSpec, Context, Cost, Decision, Recipe, Resolver, fallback,
};

/// The registry's entry.
pub(crate) const SPEC: AgentSpec = AgentSpec {
    kind: "fft",
    summary: "plays a short list of if-then rules for each street",
    example: "fft",
    argument: None,
    options: &[
        AgentOption {
            name: "model",
            default: "shipped",
            help: "a file with a list for each street (docs/heuristics.md), or built-in lists: \
                   paper, novice, limit, no-limit, no-limit-3, no-limit-5, no-limit-8, \
                   no-limit-12, and the styles of a panel: bluffer, caller, check-raise, draws, \
                   folder, maniac, nuts, overbet, polar, sets, slow-river, slow-turn; `shipped` is \
                   paper in limit games and no-limit in others",
        },
        AgentOption {
            name: "fallback",
            default: "equity",
            help: "the agent for games other than heads-up hold'em and, if given, for streets \
                   without a list; otherwise the file must have a list for every street",
        },
    ],
    cost: Cost::Inline,
    repeatable: true,
    prepare,
};

#[derive(Deserialize)]
struct Options {
    model: Option<String>,
    fallback: Option<String>,
}

fn prepare(resolver: &Resolver<'_>) -> Result<Recipe, AgentError> {
    let Options { model, fallback } = resolver.given_options()?;
    let model = model.unwrap_or_else(|| SHIPPED.to_owned());
    let named = named_heuristics().find(|(name, _)| *name == model);
    let inside = named.is_some() || model == SHIPPED;
    let path = (!inside).then(|| resolver.file(&model)).transpose()?;
    let own = match &path {
        None => named.map(|(name, book)| (Arc::new(book.clone()), name.into())),
        Some(path) => {
            let bad = |error: readable::Error| AgentError::bad_file(path, error);
            let book = Rulebook::parse(&resolver.read(path)?).map_err(bad)?;
            if fallback.is_none() {
                book.require(&Street::ALL).map_err(bad)?;
            }
            Some((Arc::new(book), path.clone()))
        }
    };
    let about = match &own {
        Some((book, _)) => about("Lists for each street", book),
        None => about_shipped(),
    };
    let other = resolver.resolve(fallback.as_deref().unwrap_or("equity"), resolver.folder())?;
    let mut recipe = fallback::recipe(&other, move |def: &Arc<GameDef>| {
        if !is_holdem(def) {
            return Ok(None);
        }
        match &own {
            Some((book, path)) => {
                book.check(def.betting).map_err(|error| AgentError::bad_file(path, error))?;
                Ok(Some(HeuristicPlayer::new(book)))
            }
            None => Ok(Some(HeuristicPlayer::new(shipped_heuristics(def.betting)))),
        }
    });
    recipe.files.extend(path);
    Ok(recipe.about(about).with_equities())
}

fn about(title: &str, book: &Rulebook) -> String {
    let lines: Vec<String> = book.to_string().lines().map(|line| format!("  {line}")).collect();
    let lines = lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n");
    format!("{title}\n{lines}")
}

/// The effect of one statement at a decision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StatementEffect {
    /// The index of the statement in its list; that of the default action is the number of
    /// statements.
    pub statement: usize,
    /// The probability that the statement decides, above 0.
    pub chance: f64,
    /// The action of the statement, mapped to a legal one.
    pub action: Action,
}

/// The lists of a file, ready to play heads-up hold'em.
pub struct HeuristicPlayer {
    dry: Texture,
    streets: [Option<CompiledList>; 4],
}

/// The list of one street.
struct CompiledList {
    decider: Decider,
    asks_equity: bool,
    /// The text for notes, for each statement and the default.
    texts: Vec<String>,
}

impl HeuristicPlayer {
    /// Prepares lists, which must be valid for the games played later ([`Rulebook::check`]).
    pub fn new(book: &Rulebook) -> HeuristicPlayer {
        let list = |street: Street| {
            let heuristic = book.street(street)?;
            Some(CompiledList {
                decider: Decider::new(heuristic),
                asks_equity: heuristic.asks_equity(),
                texts: (0..=heuristic.statements().len())
                    .map(|at| heuristic.item_text(at))
                    .collect(),
            })
        };
        HeuristicPlayer { dry: book.dry(), streets: Street::ALL.map(list) }
    }

    /// The statements that may decide, with their actions; their probabilities sum to one. `None`
    /// on streets without a list.
    pub fn effects(&self, infoset: &InfoSet) -> Option<Vec<StatementEffect>> {
        let list = self.list(&infoset.public)?;
        let rate = self.rate(list, infoset);
        let mut effects = Vec::new();
        list.decider.outcomes(self.situation(infoset, rate), |statement, chance, act| {
            let action = act_made_legal(act, &infoset.public);
            effects.push(StatementEffect { statement, chance, action });
        });
        Some(effects)
    }

    /// A statement with the facts that it is tested on; `None` on streets without a list.
    pub fn statement_with_facts(&self, infoset: &InfoSet, statement: usize) -> Option<String> {
        let list = self.list(&infoset.public)?;
        Some(self.note(list, infoset, statement, self.rate(list, infoset)))
    }

    /// The share of boards and hands that the seat's hand beats, if the list asks for it.
    fn rate(&self, list: &CompiledList, infoset: &InfoSet) -> Option<f64> {
        let InfoSet { public, hole, .. } = infoset;
        let rate = || equity(public.def(), *hole, public.board(), 1, Effort::default());
        list.asks_equity.then(rate)
    }

    fn situation(&self, infoset: &InfoSet, rate: Option<f64>) -> Situation {
        let situation = unrated(self.dry, &infoset.public, infoset.seat, infoset.hole);
        rate.map_or(situation, |rate| situation.with_equity(rate))
    }

    /// A statement, and in brackets the facts that it was tested on.
    fn note(&self, list: &CompiledList, infoset: &InfoSet, at: usize, rate: Option<f64>) -> String {
        let InfoSet { public, seat, hole } = infoset;
        let pot = public.pot() as f64 / f64::from(public.def().big_blind());
        let facts = Facts::new(hole.set(), public.board().set(), self.dry);
        let mut seen = facts_in_words(facts, public.street(), pot);
        if is_aggressive(public, *seat) {
            seen += ", aggressive";
        }
        if let Some(rate) = rate {
            seen += &format!(", win rate {:.1} %", 100.0 * rate);
        }
        format!("{} ({seen})", list.texts[at])
    }

    fn list(&self, public: &PublicState) -> Option<&CompiledList> {
        self.streets[public.street().index()].as_ref()
    }
}

/// The situation without the equity of the hand.
fn unrated(dry: Texture, public: &PublicState, seat: Seat, hole: HoleCards) -> Situation {
    let pot = Pot::new(public.pot(), public.def().big_blind());
    let facts = Facts::new(hole.set(), public.board().set(), dry);
    Situation::new(facts, pot, is_aggressive(public, seat))
}

/// Everything that a list may test at a decision, with `dry` as the definition of dry boards.
pub fn situation(infoset: &InfoSet, dry: Texture) -> Situation {
    let InfoSet { public, seat, hole } = infoset;
    let rate = equity(public.def(), *hole, public.board(), 1, Effort::default());
    unrated(dry, public, *seat, *hole).with_equity(rate)
}

/// The legal action for the action of a statement.
pub fn act_made_legal(act: Act, public: &PublicState) -> Action {
    let legal = public.legal();
    legal.nearest(match (act, legal.raise) {
        (Act::Fold, _) => Action::Fold,
        (Act::Raise, Some(raise)) => Action::RaiseTo(raise.min),
        (Act::AllIn, Some(raise)) => Action::RaiseTo(raise.max),
        (Act::Bet(hundredths), Some(_)) => {
            let pot = public.pot() as f64 + f64::from(legal.to_call);
            let more = (f64::from(hundredths) / 100.0 * pot).round();
            // Saturates; the nearest legal raise is used.
            Action::RaiseTo((f64::from(public.highest()) + more) as Chips)
        }
        (Act::Call, _) | (_, None) => Action::Call,
    })
}

impl CompiledList {
    /// The probability of each action, merged over statements with the same action.
    fn strategy(&self, situation: Situation, public: &PublicState) -> Strategy {
        let mut strategy = Strategy { actions: Vec::new() };
        self.decider.outcomes(situation, |_, chance, act| {
            let action = act_made_legal(act, public);
            match strategy.actions.iter_mut().find(|(known, _)| *known == action) {
                Some((_, sum)) => *sum += chance,
                None => strategy.actions.push((action, chance)),
            }
        });
        strategy
    }

    /// The index and action of the statement that decides, drawn at random if there are several.
    fn draw(&self, situation: Situation, cx: &mut Context) -> (usize, Act) {
        let mut effects = Vec::new();
        self.decider.outcomes(situation, |at, chance, act| effects.push((at, chance, act)));
        let mut point = if effects.len() > 1 { cx.rng.random() } else { 0.0 };
        let drawn = effects.iter().find(|(_, chance, _)| {
            point -= chance;
            point < 0.0
        });
        let &(at, _, act) = drawn.or(effects.last()).expect("a list has a default");
        (at, act)
    }
}

impl PartialAgent for Option<HeuristicPlayer> {
    fn decide(&self, infoset: &InfoSet, cx: &mut Context) -> Option<Decision> {
        let play = self.as_ref()?;
        let list = play.list(&infoset.public)?;
        let rate = play.rate(list, infoset);
        let situation = play.situation(infoset, rate);
        let (at, act) = list.draw(situation, cx);
        let strategy = Some(list.strategy(situation, &infoset.public));
        let note = play.note(list, infoset, at, rate);
        let action = act_made_legal(act, &infoset.public);
        Some(Decision { strategy, note: Some(note), ..action.into() })
    }
}

impl PartialPolicy for Option<HeuristicPlayer> {
    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
    ) -> Vec<Option<Strategy>> {
        let Some((play, list)) = self.as_ref().and_then(|play| Some((play, play.list(public)?)))
        else {
            return vec![None; hands.len()];
        };
        let situations = hands.iter().map(|&hole| unrated(play.dry, public, seat, hole));
        if !list.asks_equity {
            return situations.map(|situation| Some(list.strategy(situation, public))).collect();
        }
        let rates = equities(public.def(), hands, public.board(), 1, Effort::default());
        let rated = situations.zip(rates).map(|(situation, rate)| situation.with_equity(rate));
        rated.map(|situation| Some(list.strategy(situation, public))).collect()
    }
}

/// The value of `model` for the default list of the game.
const SHIPPED: &str = "shipped";

/// All lists by name, starting with the default of limit games and that of no-limit games.
static FILES: [(&str, &str); 20] = [
    ("paper", include_str!("../models/heuristics/paper.fft")),
    ("no-limit", include_str!("../models/heuristics/no-limit.fft")),
    ("limit", include_str!("../models/heuristics/limit.fft")),
    ("novice", include_str!("../models/heuristics/novice.fft")),
    ("no-limit-3", include_str!("../models/heuristics/no-limit-3.fft")),
    ("no-limit-5", include_str!("../models/heuristics/no-limit-5.fft")),
    ("no-limit-8", include_str!("../models/heuristics/no-limit-8.fft")),
    ("no-limit-12", include_str!("../models/heuristics/no-limit-12.fft")),
    ("bluffer", include_str!("../models/heuristics/styles/bluffer.fft")),
    ("caller", include_str!("../models/heuristics/styles/caller.fft")),
    ("check-raise", include_str!("../models/heuristics/styles/check-raise.fft")),
    ("draws", include_str!("../models/heuristics/styles/draws.fft")),
    ("folder", include_str!("../models/heuristics/styles/folder.fft")),
    ("maniac", include_str!("../models/heuristics/styles/maniac.fft")),
    ("nuts", include_str!("../models/heuristics/styles/nuts.fft")),
    ("overbet", include_str!("../models/heuristics/styles/overbet.fft")),
    ("polar", include_str!("../models/heuristics/styles/polar.fft")),
    ("sets", include_str!("../models/heuristics/styles/sets.fft")),
    ("slow-river", include_str!("../models/heuristics/styles/slow-river.fft")),
    ("slow-turn", include_str!("../models/heuristics/styles/slow-turn.fft")),
];

fn rulebooks() -> &'static [(&'static str, Rulebook)] {
    static BOOKS: OnceLock<Vec<(&str, Rulebook)>> = OnceLock::new();
    BOOKS.get_or_init(|| {
        let read = |&(name, text)| (name, Rulebook::parse(text).expect("a test reads them"));
        FILES.iter().map(read).collect()
    })
}

/// Returns the default lists for heads-up hold'em; for limit games, those printed in the paper.
pub fn shipped_heuristics(betting: Betting) -> &'static Rulebook {
    match betting {
        Betting::Limit => &rulebooks()[0].1,
        Betting::NoLimit => &rulebooks()[1].1,
    }
}

/// Returns all lists inside the program with their names.
pub fn named_heuristics() -> impl Iterator<Item = (&'static str, &'static Rulebook)> {
    rulebooks().iter().map(|(name, book)| (*name, book))
}

/// A description of all lists.
fn about_shipped() -> String {
    let about = |(name, book)| about(&format!("model={name}"), book);
    named_heuristics().map(about).collect::<Vec<_>>().join("\n\n")
}
