//! `resolve`: solves the rest of the hand in play, range against range on exact cards, or the flop
//! to the end of its betting (`flops.rs`), and plays the solution.
//!
//! Another agent, the blueprint, plays the earlier streets and gives both players' ranges at the
//! first street that is solved. From there on each solution starts from the ranges of the previous
//! one (`solve.rs` chains them, with the bets of [`Menus`]). Without a
//! gadget this is unsafe re-solving (Ganzfried and Sandholm, "Endgame solving in large
//! imperfect-information games", 2015): it assumes that the opponent plays as the solutions do, and
//! before them as the blueprint does. With a gadget, each of the opponent's hands keeps at least
//! its value in the previous solution.
//!
//! The blueprint decides where a solution is too far from an equilibrium, where the own hand is not
//! in the own range, and in games other than heads-up no-limit hold'em.

mod continuations;
mod flops;
mod solve;
mod two_left;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use abstraction::menu;
use abstraction::menu::BetMenu;
use cards::{Combo, HoleCards};
use game::{Action, Betting, GameDef, InfoSet, Played, PublicState, Seat, Strategy, Street, Turn};
use models::network::Network;
use models::values::Encoding;
use serde::Deserialize;
use solvers::holdem::is_holdem;

use crate::fallback::{PartialAgent, PartialPolicy};
use crate::random_hands::combo;
use crate::resolve::flops::Flops;
use crate::resolve::solve::{Effort, Resolver as Solvers, Safety, Solved};
use crate::resolve::two_left::{Left, Many};
use crate::{
    AgentChoice, AgentError, AgentOption, AgentSpec, Context, Cost, Decision, Recipe, Resolver,
    SolvedDecision, SolvesDecisions, fallback,
};

/// The registry's entry.
pub(crate) const SPEC: AgentSpec = AgentSpec {
    kind: "resolve",
    summary: "solves the rest of the hand on the river, or from the turn or flop on, with another \
              agent's ranges",
    example: "resolve:iterations=20",
    argument: None,
    options: &[
        AgentOption {
            name: "blueprint",
            default: "cfr",
            help: "the agent that plays the earlier streets and gives both players' ranges at the \
                   first solved street; a name with commas needs double quotes",
        },
        AgentOption {
            name: "from",
            default: "auto",
            help: "the first solved street: `river` (some 20 ms per decision), `turn` (seconds) \
                   or `flop` (seconds, with estimated values at the end of its betting); `auto` \
                   is the turn with a `deadline` of 2s or more, and otherwise the river",
        },
        AgentOption {
            name: "to",
            default: "river",
            help: "the last solved street, `from` or a later one; after it the blueprint plays",
        },
        AgentOption {
            name: "rivers",
            default: "anew",
            help: "rivers after a solved turn: `anew` (solve each when it comes) or `kept` (play \
                   the turn's solution if it has the bets)",
        },
        AgentOption {
            name: "values",
            default: "shipped",
            help: "the values at the end of the flop: `shipped` (a network), another network's \
                   file, which `cardroom train values` makes from situations of the flop or the \
                   turn, or `blueprint`: there each player chooses whether it plays on as the \
                   blueprint, or with more folds, calls or raises",
        },
        AgentOption {
            name: "menu",
            default: "shipped",
            help: "the bets of both players: a shipped menu, a file, or `shipped`: half the pot, \
                   the pot and all-in on the flop and the river, and on the turn its own bets \
                   without half the pot. Bets that are played are added",
        },
        AgentOption {
            name: "iterations",
            default: "800",
            help: "maximum iterations of each solution, 1 to 100000",
        },
        AgentOption {
            name: "enough",
            default: "0.003",
            help: "stop solving at this exploitability, as a share of the pot, checked after 100, \
                   200, 400 … iterations; on the flop at 0.01 if this is less",
        },
        AgentOption {
            name: "deadline",
            default: "none",
            help: "time limit per answer, such as 2s or 500ms, with as many iterations as \
                   possible; play then depends on the machine",
        },
        AgentOption {
            name: "entry",
            default: "half",
            help: "in the first solution, on the turn or river: what keeps each hand of the \
                   opponent from winning more than by the blueprint, with the values of `gadget`",
        },
        AgentOption {
            name: "offers",
            default: "blueprint",
            help: "what `entry` offers to each hand: what it wins if the opponent, too, plays on \
                   as the blueprint (`blueprint`), or as the best answer to it (`best`)",
        },
        AgentOption {
            name: "gadget",
            default: "none",
            help: "in solutions after the first: `none` (the opponent has the believed range), \
                   `safe` (each hand can take its earlier value instead of entering), `half` \
                   (half of the weight enters by the believed range, half has that choice), \
                   `refined` (a twentieth enters by the believed range) or `margin` (the \
                   opponent enters with the hand that gains most)",
        },
        AgentOption {
            name: "floor",
            default: "0.3",
            help: "maximum exploitability of a solution that is played, as a share of the pot; \
                   where it is more, the blueprint decides",
        },
    ],
    cost: Cost::Worker,
    repeatable: true,
    prepare,
};

/// A raise that a smaller share of the range makes is compared with a solution that begins after
/// it.
const RARE: f64 = 0.05;
/// With as much time for each answer `from=auto` solves turns.
const ENOUGH_FOR_TURNS: Duration = Duration::from_secs(2);

#[derive(Deserialize)]
struct Options {
    blueprint: String,
    from: String,
    to: String,
    rivers: String,
    values: String,
    menu: String,
    iterations: u32,
    enough: f64,
    deadline: String,
    entry: String,
    offers: String,
    gadget: String,
    floor: f64,
}

fn prepare(resolver: &Resolver<'_>) -> Result<Recipe, AgentError> {
    let options: Options = resolver.options()?;
    let streets = [("flop", Street::Flop), ("turn", Street::Turn), ("river", Street::River)];
    let deadline = match options.deadline.as_str() {
        "none" => None,
        text => Some(time(text).ok_or_else(|| {
            let reason = format!("`deadline` is {text}, but must be a time such as 2s or 500ms");
            resolver.bad_option(reason)
        })?),
    };
    let auto = match deadline {
        Some(deadline) if deadline >= ENOUGH_FOR_TURNS => Street::Turn,
        _ => Street::River,
    };
    let [flop, turn, river] = streets;
    let first = resolver.one_of("from", &options.from, &[("auto", auto), flop, turn, river])?;
    let last = resolver.one_of("to", &options.to, &streets)?;
    if last < first {
        let reason = format!("`to` is {last}, but must not be before `from`, {first}");
        return Err(resolver.bad_option(reason));
    }
    let anew = resolver.one_of("rivers", &options.rivers, &[("anew", true), ("kept", false)])?;
    let iterations = options.iterations;
    resolver.within("iterations", iterations, 1..=100_000)?;
    let (floor, enough) = (options.floor, options.enough);
    if floor.is_nan() || floor <= 0.0 {
        return Err(resolver.bad_option(format!("`floor` is {floor}, but must be above 0")));
    }
    if enough.is_nan() || enough < 0.0 {
        let reason = format!("`enough` is {enough}, but must be 0 or more");
        return Err(resolver.bad_option(reason));
    }
    let entry = resolver.one_of("entry", &options.entry, &Safety::ALL)?;
    let offers = [("blueprint", false), ("best", true)];
    let best_offers = resolver.one_of("offers", &options.offers, &offers)?;
    let gadget = resolver.one_of("gadget", &options.gadget, &Safety::ALL)?;
    let mut files = Vec::new();
    let menu = match options.menu.as_str() {
        "shipped" => None,
        name => Some(match menu::find(name) {
            Some(menu) => menu,
            None => {
                let path = resolver.file(name)?;
                let menu = resolver.read(&path)?.parse::<BetMenu>();
                files.push(path.clone());
                menu.map_err(|error| AgentError::bad_file(&path, error))?
            }
        }),
    };
    let values = match (first, options.values.as_str()) {
        (Street::Flop, "shipped") => Some(Values::Network(Arc::new(Flops::shipped()))),
        (Street::Flop, "blueprint") => Some(Values::Blueprint(Mutex::default())),
        (Street::Flop, name) => {
            let path = resolver.file(name)?;
            let network = Network::open(&path).map_err(|error| error.to_string());
            files.push(path.clone());
            let flops = network.and_then(|network| Flops::new(network, &path));
            let flops = flops.map_err(|reason| AgentError::bad_file(&path, reason))?;
            let beside = Encoding::beside(&path);
            files.extend(Some(beside).filter(|beside| beside.exists()));
            Some(Values::Network(Arc::new(flops)))
        }
        (_, "shipped") => None,
        _ => {
            let reason = "`values` is for `from=flop` only".to_owned();
            return Err(resolver.bad_option(reason));
        }
    };
    let blueprint = resolver.resolve(&options.blueprint, resolver.folder())?;
    if !blueprint.has_policy() {
        let reason = format!(
            "`blueprint` is {}, which cannot be asked about all hands; name an agent that \
             `cardroom explain chart` draws",
            options.blueprint
        );
        return Err(resolver.bad_option(reason));
    }
    if matches!(values, Some(Values::Blueprint(_))) && !blueprint.has_tree() {
        let reason = format!(
            "`values=blueprint` needs a blueprint with its own betting tree, such as cfr, but \
             `blueprint` is {}",
            options.blueprint
        );
        return Err(resolver.bad_option(reason));
    }
    let asked = blueprint.clone();
    let build = move |def: &Arc<GameDef>| {
        let many = def.players > 2 && def.differs_from_holdem_of(def.players).is_none();
        if !(is_holdem(def) || many) || def.betting != Betting::NoLimit {
            return Ok(None);
        }
        let blueprint = asked.policy(def)?.expect("it was asked whether it has a policy");
        let menus = menu.clone().map_or_else(Menus::shipped, Menus::new);
        let values = values.as_ref().filter(|_| !many);
        let flops = values.map(|values| values.flops(&asked, def)).transpose()?;
        let cache = Mutex::default();
        let solvers = Solvers {
            blueprint,
            menus,
            flops,
            first,
            last,
            anew,
            floor,
            entry,
            best_offers,
            gadget,
            cache,
        };
        let hands = if many { Hands::Many(Many::new(solvers)) } else { Hands::Two(solvers) };
        Ok(Some(Solving { hands, iterations, enough, deadline }))
    };
    let build = Arc::new(build);
    let solving = Arc::clone(&build);
    let mut recipe = fallback::recipe(&blueprint, move |def| build(def));
    recipe = recipe.with_solver(&blueprint, move |def| solving(def));
    recipe.cost = Cost::Worker;
    recipe.files.extend(files);
    if deadline.is_some() {
        recipe = recipe.without_policy();
        recipe.repeatable = false;
    }
    Ok(recipe)
}

/// The estimator of values where the flop's betting ends.
enum Values {
    Network(Arc<Flops>),
    /// The blueprint, with the games that it was built for.
    Blueprint(Mutex<Vec<(Arc<GameDef>, Arc<Flops>)>>),
}

impl Values {
    fn flops(&self, blueprint: &AgentChoice, def: &Arc<GameDef>) -> Result<Arc<Flops>, AgentError> {
        let built = match self {
            Values::Network(flops) => return Ok(Arc::clone(flops)),
            Values::Blueprint(built) => built,
        };
        let mut built = parallel::lock(built);
        if let Some((_, flops)) = built.iter().find(|(of, _)| of == def) {
            return Ok(Arc::clone(flops));
        }
        let flops = blueprint.tree_strategy(def)?.and_then(Flops::of_blueprint);
        let flops =
            Arc::new(flops.ok_or_else(|| {
                AgentError::game(blueprint.name(), "its betting tree has no turn")
            })?);
        built.push((Arc::clone(def), Arc::clone(&flops)));
        Ok(flops)
    }
}

/// Parses a duration such as `2s`, `1.5s` or `500ms`.
fn time(text: &str) -> Option<Duration> {
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1e-3),
        None => (text.strip_suffix('s')?, 1.0),
    };
    let seconds = number.parse::<f64>().ok()? * unit;
    (seconds > 0.0).then(|| Duration::try_from_secs_f64(seconds).ok())?
}

/// The solver of a game with its limits.
struct Solving {
    hands: Hands,
    iterations: u32,
    enough: f64,
    deadline: Option<Duration>,
}

/// The solver by the number of players.
enum Hands {
    Two(Solvers),
    /// More, of which two are left where something is solved.
    Many(Many),
}

/// The solution for a decision.
struct Answer {
    solved: Arc<Solved>,
    /// The strategy of each combo, by [`Combo::index`](cards::Combo::index).
    strategies: Vec<Option<Strategy>>,
    /// With more than two players the hand of two that is solved, its state and the seat there.
    left: Option<(Arc<Left>, PublicState, Seat)>,
}

impl Solving {
    /// The solution for a decision and the strategy of each combo in it; `None` where the blueprint
    /// decides.
    fn answer(&self, public: &PublicState, seat: Seat, effort: &Effort) -> Option<Answer> {
        let many = match &self.hands {
            Hands::Two(solvers) => {
                let solved = solvers.solution_at(public, seat, effort)?;
                let strategies = solved.strategies(public, seat)?;
                return Some(Answer { solved, strategies, left: None });
            }
            Hands::Many(many) => many,
        };
        let left = many.left_at(public)?;
        let (two, own) = (left.hand.of_two(public)?, left.hand.seat(seat)?);
        let solved = left.solver.solution_at(&two, own, effort)?;
        let mut strategies = solved.strategies(&two, own)?;
        for strategy in strategies.iter_mut().flatten() {
            *strategy = left.hand.strategy_of_all(public, &two, strategy);
        }
        Some(Answer { solved, strategies, left: Some((left, two, own)) })
    }

    /// The effort for a decision in play.
    fn effort(&self, cx: &Context) -> Effort {
        let until = self.deadline.map(|deadline| {
            // The answer still has to travel back to the driver.
            let left = cx.time_left.map_or(deadline, |left| deadline.min(left.mul_f64(0.9)));
            (cx.clock.clone(), cx.clock.now() + left)
        });
        Effort { iterations: self.iterations, enough: self.enough, until }
    }
}

impl PartialAgent for Option<Solving> {
    // The blueprint is a part of the agent.
    const COUNTED: bool = false;

    fn decide(&self, infoset: &InfoSet, cx: &mut Context) -> Option<Decision> {
        let solving = self.as_ref()?;
        let InfoSet { public, seat, hole } = infoset;
        let answer = solving.answer(public, *seat, &solving.effort(cx))?;
        let hand = combo(*hole)?;
        let strategy = answer.strategies[hand.index()].clone()?;
        let action = cx.draw(&strategy);
        Some(Decision {
            strategy: Some(strategy),
            values: answer.values(public, hand),
            note: Some(answer.note(public, *seat)),
            ..action.into()
        })
    }
}

impl Answer {
    /// What each action wins with a hand, in chips over the whole hand.
    fn values(&self, public: &PublicState, hand: Combo) -> Vec<(Action, f64)> {
        let Some((left, two, own)) = &self.left else { return self.solved.values(public, hand) };
        let values = self.solved.values(two, hand).into_iter();
        let mapped = values.map(|(action, value)| {
            let action = left.hand.action_of_all(public, two, action);
            (action, left.hand.value(*own, value))
        });
        mapped.collect()
    }

    fn note(&self, public: &PublicState, seat: Seat) -> String {
        match &self.left {
            None => self.solved.note(public, seat),
            Some((_, two, own)) => format!("two are left: {}", self.solved.note(two, *own)),
        }
    }
}

impl PartialPolicy for Option<Solving> {
    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
    ) -> Vec<Option<Strategy>> {
        let solved = self.as_ref().and_then(|solving| {
            let Solving { iterations, enough, .. } = *solving;
            let effort = Effort { iterations, enough, until: None };
            solving.answer(public, seat, &effort)
        });
        match solved {
            Some(Answer { strategies, .. }) => {
                let of = |&hole| strategies[combo(hole)?.index()].clone();
                hands.iter().map(of).collect()
            }
            None => vec![None; hands.len()],
        }
    }
}

impl SolvesDecisions for Solving {
    fn solved(&self, infoset: &InfoSet, played: Action) -> Option<SolvedDecision> {
        let Hands::Two(solvers) = &self.hands else { return None };
        let InfoSet { public, seat, hole } = infoset;
        let effort = Effort { iterations: self.iterations, enough: self.enough, until: None };
        let solved = solvers.begun_at(public, *seat, Some(played), &effort)?;
        let hand = combo(*hole)?;
        let strategy = solved.strategies(public, *seat)?[hand.index()].clone()?;
        let values = solved.values(public, hand);
        let &(_, value) = values.iter().find(|(action, _)| *action == played)?;
        let own: f64 =
            values.iter().map(|&(action, value)| strategy.probability(action) * value).sum();
        let best = values.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
        let mut error = solved.distance * solved.pot() + (best - own).max(0.0);
        // Who hardly ever sees a raise has not learnt to answer it.
        if matches!(played, Action::RaiseTo(_)) && solved.share_of(played) < RARE {
            let mut after = public.clone();
            after.apply(played).ok()?;
            if let Turn::Act(other) = after.turn()
                && let Some(solved) = solvers.begun_at(&after, other, None, &effort)
                && let Some(other) = solved.value_of(&after, *seat, hand)
            {
                error += (other - value).abs();
            }
        }
        Some(SolvedDecision { strategy, values, error })
    }
}

/// The bets of both players in a solution of the flop.
const FLOP: &str = "flop 1: 50% pot allin\nflop 2: pot allin\nflop 3+: allin\n";
/// The bets of both players in a solution of the river.
const RIVER: &str = "river 1: 50% pot allin\nriver 2: pot allin\nriver 3+: allin\n";
/// The agent's bets from the turn on, and on the river after it, which is solved again when it is
/// dealt.
const TURN: &str = "turn river 1: pot allin\nturn river 2+: allin\n";
/// The other player's bets from the turn on.
const OTHERS: &str = "turn 1: 50% pot allin\nturn 2: pot allin\nturn 3+: allin\n\
                      river 1: pot allin\nriver 2+: allin\n";

/// The bet menus of solutions: few bets of the agent, more of the other player, and the bets
/// played.
#[derive(Clone)]
pub(super) struct Menus {
    /// In solutions of the flop: the agent's menu and the other player's.
    flop: [BetMenu; 2],
    /// Likewise in solutions of the river.
    river: [BetMenu; 2],
    /// In solutions of the turn, in the order in which they are tried, largest tree first.
    turn: Vec<[BetMenu; 2]>,
}

impl Menus {
    /// The menus inside the program.
    pub(super) fn shipped() -> Menus {
        let read = |text: &str| -> BetMenu { text.parse().expect("a test reads it") };
        let [flop, river, own, others] = [FLOP, RIVER, TURN, OTHERS].map(read);
        Menus {
            flop: [flop.clone(), flop],
            river: [river.clone(), river],
            turn: vec![[own.clone(), others], [own.clone(), own]],
        }
    }

    /// Uses one menu for both players on all streets.
    pub(super) fn new(menu: BetMenu) -> Menus {
        let both = [menu.clone(), menu];
        Menus { flop: both.clone(), river: both.clone(), turn: vec![both] }
    }

    /// Number of tree sizes to choose from for a solution that starts on a street.
    pub(super) fn levels(&self, street: Street) -> usize {
        if street == Street::Turn { self.turn.len() } else { 1 }
    }

    fn bets(&self, level: usize, street: Street) -> &[BetMenu; 2] {
        match street {
            Street::Preflop | Street::Flop => &self.flop,
            Street::Turn => &self.turn[level],
            Street::River => &self.river,
        }
    }

    /// Returns whether the menu of the largest tree that starts on a street offers this action to
    /// the acting player.
    pub(super) fn has(
        &self,
        root: Street,
        seat: Seat,
        public: &PublicState,
        action: Action,
    ) -> bool {
        let Turn::Act(acts) = public.turn() else { return false };
        self.bets(0, root)[usize::from(acts != seat)].actions(public).contains(&action)
    }

    /// Returns the actions at a node of a tree that starts at `root`. They include the next action
    /// of `played` at nodes that the betting played has passed through.
    pub(super) fn actions(
        &self,
        level: usize,
        root: &PublicState,
        seat: Seat,
        played: &[Played],
        public: &PublicState,
    ) -> Vec<Action> {
        let Turn::Act(acts) = public.turn() else { return Vec::new() };
        let menu = &self.bets(level, root.street())[usize::from(acts != seat)];
        let mut actions = menu.actions(public).to_vec();
        let so_far = &public.history()[root.history().len()..];
        let next = played.strip_prefix(so_far).and_then(|rest| rest.first());
        if let Some(next) = next.filter(|next| !actions.contains(&next.action)) {
            actions.push(next.action);
            actions.sort_by_key(|action| match action {
                Action::Fold => (0, 0),
                Action::Call => (1, 0),
                Action::RaiseTo(total) => (2, *total),
            });
        }
        actions
    }
}
