//! A place in a solution as the page and programs get it: the way that leads there, the hands of
//! both players with what they do, get and hold, and what comes next.

use abstraction::hand_class::{Draw, HandClass};
use cards::{Card, Combo, Range};
use game::{Chips, PublicState, Turn};
use models::chart::Chart;
use schemars::JsonSchema;
use serde::Serialize;
use solvers::Player;
use solvers::subgame::{Solver, Spot, walk};

/// A place in a solution.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct PlaceView {
    /// The actions and cards that lead there, as in `x b66 c Kd`; empty for the beginning.
    line: String,
    /// The iterations after which these are the strategies.
    iterations: u32,
    /// The places on the way, the beginning first and this one last.
    way: Vec<Step>,
    /// What the acting player does; none where nobody acts.
    actions: Vec<ActionView>,
    /// The chips of the pot that each player gets from here on, less those that it puts in.
    gets: [f64; 2],
    /// The share of the pot that each player gets if nobody bets any more.
    equities: [f64; 2],
    /// The names of classes of made hands, the strongest first.
    class_names: &'static [&'static str],
    /// The names of draws, the best first.
    draw_names: &'static [&'static str],
    /// The hands of both players.
    hands: [HandsView; 2],
}

/// A place on the way.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Step {
    /// The actions and cards that lead there.
    line: String,
    /// The cards on the table.
    board: String,
    /// Chips in the pot.
    pot: u64,
    /// Chips left to each player.
    stacks: [Chips; 2],
    /// Chips that a call costs; 0 where nothing is owed.
    to_call: Chips,
    /// What comes next: `action`, `card`, or `end`.
    next: Next,
    /// The player to act, 1 or 2; null where nobody acts.
    player: Option<usize>,
    /// The actions on the menu, or the cards that can be dealt.
    options: Vec<Choice>,
    /// The one of these that was taken; null for the last place.
    taken: Option<String>,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Next {
    /// A player acts.
    Action,
    /// A card is dealt.
    Card,
    /// The hand is over, or nobody acts any more.
    End,
}

/// An action or a card that may come next.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Choice {
    /// The word in a line: `x`, `b66`, `Kd`.
    word: String,
    /// In words: `bet 66`; the card itself.
    name: String,
    /// `fold`, `call`, `raise` or `all-in`; `card`.
    kind: &'static str,
    /// For bets and raises, the raise as a share of the pot after a call.
    share_of_pot: Option<f64>,
}

/// What the acting player does with this action.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct ActionView {
    #[serde(flatten)]
    choice: Choice,
    /// The share of the range that takes it, from 0 to 1.
    frequency: f64,
    /// The number of combos that take it.
    combos: f64,
    /// What the hands that take it get of the pot on average, less what they put in from here on;
    /// null where none takes it.
    gets: Option<f64>,
}

/// A player's hands, in parallel lists.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
struct HandsView {
    /// The hands with which the player reaches the place.
    hands: Vec<String>,
    /// Their weights in the range, from 0 to 1.
    weights: Vec<f64>,
    /// The chips of the pot that each gets from here on, less those that it puts in; null for a
    /// hand that can meet none of the other player's.
    gets: Vec<Option<f64>>,
    /// The share of the pot that each gets if nobody bets any more.
    equities: Vec<Option<f64>>,
    /// What each is on this board: places in `class_names`.
    classes: Vec<usize>,
    /// What each may become with the next card: places in `draw_names`.
    draws: Vec<usize>,
    /// For each action the probability of each hand; empty for the player who does not act.
    strategy: Vec<Vec<f64>>,
    /// For each action what each hand gets by it; empty for the player who does not act.
    values: Vec<Vec<Option<f64>>>,
}

impl PlaceView {
    /// The place that a line leads to.
    ///
    /// # Errors
    /// When it leads nowhere.
    pub(super) fn new(solver: &mut Solver, line: &str) -> Result<PlaceView, String> {
        let places = walk(solver, line).map_err(words)?;
        let (way, line) = way(&places);
        if let Some(end) = way[..way.len() - 1].iter().find(|step| step.next == Next::End) {
            return Err(format!("nobody acts any more after `{}`: leave out the rest", end.line));
        }
        let last = places.last().map_or_else(|| solver.spot(), |(_, spot)| spot.clone());
        let state = last.state().clone();
        let ranges = Player::BOTH.map(|player| last.range(player).clone());
        let equities = Player::BOTH.map(|player| equities(&last, player));
        let acts = last.player();
        let board = state.board().set();
        drop((places, last));
        let mut hands = [HandsView::default(), HandsView::default()];
        let (mut gets, mut shares) = ([0.0; 2], [0.0; 2]);
        let mut actions = Vec::new();
        for player in Player::BOTH {
            let at = player.index();
            let held = held(solver, &state, player, &ranges[at], &equities[at])?;
            hands[at] = HandsView {
                hands: held.iter().map(|held| held.combo.to_string()).collect(),
                weights: held.iter().map(|held| rounded(held.weight, 6)).collect(),
                gets: held.iter().map(|held| held.gets.map(|gets| rounded(gets, 4))).collect(),
                equities: held.iter().map(|held| held.equity.map(|it| rounded(it, 6))).collect(),
                classes: held.iter().map(|it| HandClass::new(it.combo, board).number()).collect(),
                draws: held.iter().map(|it| Draw::new(it.combo, board).number()).collect(),
                ..HandsView::default()
            };
            gets[at] = mean(held.iter().map(|held| (held.pairs(), held.gets)));
            shares[at] = mean(held.iter().map(|held| (held.pairs(), held.equity)));
            if acts == Some(player) {
                actions = acting(solver, &state, &held, &mut hands[at])?;
            }
        }
        let iterations = solver.iterations();
        Ok(PlaceView {
            line,
            iterations,
            way,
            actions,
            gets,
            equities: shares,
            class_names: &HandClass::NAMES,
            draw_names: &Draw::NAMES,
            hands,
        })
    }
}

/// A hand that a player holds at the place.
struct Held {
    combo: Combo,
    weight: f64,
    /// The total weight of the other player's hands that it can meet.
    meets: f64,
    gets: Option<f64>,
    equity: Option<f64>,
}

impl Held {
    /// The weight of all pairs of hands with this one.
    fn pairs(&self) -> f64 {
        self.weight * self.meets
    }
}

/// The hands with which a player reaches a state.
fn held(
    solver: &mut Solver,
    state: &PublicState,
    player: Player,
    range: &Range,
    equities: &[Option<f64>],
) -> Result<Vec<Held>, String> {
    let sunk = f64::from(state.committed().as_slice()[player.index()]);
    let values = solver.hand_values(player, state).map_err(words)?;
    let held = values.iter().map(|value| Held {
        combo: value.combo,
        weight: range.weight(value.combo),
        meets: value.unblocked_weight,
        gets: (value.unblocked_weight > 0.0).then_some(value.value + sunk),
        equity: equities[value.combo.index()],
    });
    Ok(held.filter(|held| held.weight > 0.0).collect())
}

/// The mean of numbers by their weights; those that are none do not count. 0 without weight.
fn mean(numbers: impl Iterator<Item = (f64, Option<f64>)>) -> f64 {
    let counted = numbers.filter_map(|(weight, number)| Some((weight, weight * number?)));
    let (all, sum) =
        counted.fold((0.0, 0.0), |(all, sum), (weight, number)| (all + weight, sum + number));
    if all > 0.0 { sum / all } else { 0.0 }
}

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// What the cards that can be dealt at a place lead to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct CardsView {
    /// The actions and cards that lead there.
    line: String,
    /// The iterations after which these are the strategies.
    iterations: u32,
    /// The cards.
    cards: Vec<CardView>,
}

/// What a card leads to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct CardView {
    /// The card.
    card: String,
    /// The player who acts after it, 1 or 2.
    player: usize,
    /// How likely it is among the cards that can come, with the hands that both may hold.
    chance: f64,
    /// What that player does.
    actions: Vec<Share>,
    /// The chips of the pot that each player gets from there on, less those that it puts in.
    gets: [f64; 2],
    /// The share of the pot that each player gets if nobody bets any more.
    equities: [f64; 2],
}

/// An action with the share of the range that takes it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Share {
    #[serde(flatten)]
    choice: Choice,
    /// From 0 to 1.
    frequency: f64,
}

impl CardsView {
    /// The cards that can be dealt where this line leads to.
    ///
    /// # Errors
    /// When it leads nowhere, or no card is due there.
    pub(super) fn new(solver: &mut Solver, line: &str) -> Result<CardsView, String> {
        let places = walk(solver, line).map_err(words)?;
        let (way, line) = way(&places);
        let due = way.last().is_some_and(|step| step.next == Next::Card);
        let state = places.last().filter(|_| due).map(|(_, spot)| spot.state().clone());
        drop(places);
        let Some(state) = state else {
            return Err(format!("no card is due at `{line}`"));
        };
        let dealt = state.board().set();
        let mut cards = Vec::new();
        for card in Card::all().rev().filter(|&card| !dealt.contains(card)) {
            let mut next = state.clone();
            next.deal(&[card]).map_err(words)?;
            cards.push(CardView::new(solver, &next, card)?);
        }
        // As many deals lead to a card as pairs of hands are left by it.
        let all: f64 = cards.iter().map(|card| card.chance).sum();
        cards.iter_mut().filter(|_| all > 0.0).for_each(|card| card.chance /= all);
        Ok(CardsView { line, iterations: solver.iterations(), cards })
    }
}

impl CardView {
    fn new(solver: &mut Solver, state: &PublicState, card: Card) -> Result<CardView, String> {
        let spot = Spot::at_state(solver, state).map_err(words)?;
        let Some(player) = spot.player() else { return Err("nobody acts there".to_owned()) };
        let range = spot.range(player);
        let choices = choices(state, spot.actions());
        let mut combos = vec![0.0; choices.len()];
        let mut all = 0.0;
        for (combo, strategy) in spot.strategies() {
            let weight = range.weight(combo);
            all += weight;
            combos.iter_mut().zip(strategy).for_each(|(sum, share)| *sum += weight * share);
        }
        let share = |(choice, sum): (Choice, f64)| Share {
            choice,
            frequency: if all > 0.0 { sum / all } else { 0.0 },
        };
        let actions = choices.into_iter().zip(combos).map(share).collect();
        let ranges = Player::BOTH.map(|player| spot.range(player).clone());
        let equities = Player::BOTH.map(|player| equities(&spot, player));
        drop(spot);
        let (mut gets, mut shares, mut pairs) = ([0.0; 2], [0.0; 2], 0.0);
        for player in Player::BOTH {
            let at = player.index();
            let held = held(solver, state, player, &ranges[at], &equities[at])?;
            gets[at] = mean(held.iter().map(|held| (held.pairs(), held.gets)));
            shares[at] = mean(held.iter().map(|held| (held.pairs(), held.equity)));
            pairs = held.iter().map(Held::pairs).sum();
        }
        let (card, player) = (card.to_string(), player.index() + 1);
        Ok(CardView { card, player, chance: pairs, actions, gets, equities: shares })
    }
}

/// The equity of each hand of a player's range; none where no hand can be met.
fn equities(spot: &Spot<'_>, player: Player) -> Vec<Option<f64>> {
    let mut of_combos = vec![None; Combo::COUNT];
    // From the flop on the board has enough cards.
    for hand in spot.equities(player).unwrap_or_default() {
        of_combos[hand.combo.index()] = Some(hand.equity);
    }
    of_combos
}

/// The actions of the player to act, whose hands get their strategies and the values of actions.
fn acting(
    solver: &mut Solver,
    state: &PublicState,
    held: &[Held],
    hands: &mut HandsView,
) -> Result<Vec<ActionView>, String> {
    let mut values = vec![None; Combo::COUNT];
    for (combo, each) in solver.action_values(state).map_err(words)? {
        values[combo.index()] = Some(each);
    }
    let spot = Spot::at_state(solver, state).map_err(words)?;
    let Turn::Act(seat) = state.turn() else { return Ok(Vec::new()) };
    let sunk = f64::from(state.committed()[seat]);
    let mut strategies = vec![None; Combo::COUNT];
    for (combo, strategy) in spot.strategies() {
        strategies[combo.index()] = Some(strategy);
    }
    let all: f64 = held.iter().map(|held| held.weight).sum();
    let mut actions = Vec::new();
    for (action, choice) in choices(state, spot.actions()).into_iter().enumerate() {
        let taken = |held: &Held| {
            let strategy = strategies[held.combo.index()].as_ref();
            strategy.map_or(0.0, |strategy: &Vec<f64>| strategy[action])
        };
        let gets = |held: &Held| {
            let each: Option<&Vec<f64>> = values[held.combo.index()].as_ref();
            each.filter(|_| held.meets > 0.0).map(|each| each[action] + sunk)
        };
        let combos: f64 = held.iter().map(|held| held.weight * taken(held)).sum();
        let some = held.iter().any(|held| held.pairs() * taken(held) > 0.0);
        let each = held.iter().map(|held| (held.pairs() * taken(held), gets(held)));
        actions.push(ActionView {
            choice,
            frequency: if all > 0.0 { combos / all } else { 0.0 },
            combos,
            gets: some.then(|| rounded(mean(each), 4)),
        });
        hands.strategy.push(held.iter().map(|held| rounded(taken(held), 6)).collect());
        let each = held.iter().map(|held| gets(held).map(|gets| rounded(gets, 4)));
        hands.values.push(each.collect());
    }
    Ok(actions)
}

/// A number to so many decimals.
fn rounded(number: f64, decimals: i32) -> f64 {
    let one = 10f64.powi(decimals);
    // Adding 0 makes a negative zero a plain one.
    (number * one).round() / one + 0.0
}

/// The places on the way, and the line to the last.
fn way(places: &[(String, Spot<'_>)]) -> (Vec<Step>, String) {
    let mut way: Vec<Step> = Vec::with_capacity(places.len());
    let mut line = String::new();
    for (word, spot) in places {
        if let Some(before) = way.last_mut() {
            before.taken = Some(word.clone());
            line = format!("{line} {word}").trim_start().to_owned();
        }
        way.push(Step::new(spot, &line));
    }
    (way, line)
}

impl Step {
    fn new(spot: &Spot<'_>, line: &str) -> Step {
        let state = spot.state();
        let (next, player, options) = match state.turn() {
            Turn::Act(seat) => {
                (Next::Action, Some(seat.index() + 1), choices(state, spot.actions()))
            }
            // When both are all-in, nobody acts any more.
            Turn::Deal(_) if state.able().len() > 1 => (Next::Card, None, cards_to_come(state)),
            Turn::Deal(_) | Turn::Over => (Next::End, None, Vec::new()),
        };
        let stacks = &state.def().stacks;
        let committed = state.committed().as_slice();
        let to_call = match state.turn() {
            Turn::Act(_) => state.legal().to_call,
            Turn::Deal(_) | Turn::Over => 0,
        };
        Step {
            line: line.to_owned(),
            board: state.board().to_string(),
            pot: state.pot(),
            stacks: [0, 1].map(|seat: usize| stacks[seat] - committed[seat]),
            to_call,
            next,
            player,
            options,
            taken: None,
        }
    }
}

/// The actions with their names.
fn choices(state: &PublicState, actions: &[game::Action]) -> Vec<Choice> {
    let named = Chart::new(state, actions, Vec::new()).actions;
    let kind = |word: &str, name: &str| match word {
        "f" => "fold",
        "x" | "c" => "call",
        _ if name.starts_with("all-in") => "all-in",
        _ => "raise",
    };
    named
        .into_iter()
        .map(|choice| Choice {
            kind: kind(&choice.word, &choice.name),
            word: choice.word,
            name: choice.name,
            share_of_pot: choice.of_pot.map(|share| rounded(share, 4)),
        })
        .collect()
}

/// The cards that can be dealt.
fn cards_to_come(state: &PublicState) -> Vec<Choice> {
    let dealt = state.board().set();
    let free = Card::all().rev().filter(|&card| !dealt.contains(card));
    let choice = |card: Card| Choice {
        word: card.to_string(),
        name: card.to_string(),
        kind: "card",
        share_of_pot: None,
    };
    free.map(choice).collect()
}
