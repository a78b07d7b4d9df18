//! What led to a decision of a recorded match, and what would change it: what the other player
//! held, and how the action played does against what he could have held; then the path through a
//! tree and the nearest changes that lead to another action, or an agent's recorded strategy,
//! values and note, and a chart of what it does with all hands that it would have had there. And
//! what was won in a match at the nodes of a tree.

use std::collections::BTreeMap;
use std::fmt;

use abstraction::features::{Feature, FeatureMaker, Features, SeenBetting, Unit};
use agents::reach::{self, ActionMatching};
use cards::{Combo, HoleCards, Ties, all_in};
use game::{Action, Chips, InfoSet, Payoff, Played, Policy, Seat, Street, notation};
use logs::stats::{NoRate, Sums};
use logs::{DecisionRecord, HandRecord, LedgerError, LedgerReader, MatchInfo, Rate};
use models::chart::{Chart, Title, action_words, distinct};
use models::explain::{self, Explainer, Flip, on_street};
use models::student::{Student, TrainedModel};
use models::tree::{Node, SplitTest};
use models::tree_report::rows_in_words;
use serde::{Serialize, Serializer};
use show::number::{counted, decimal, percent, signed};
use show::{Table, as_text};

use crate::price::{Advisers, MOST_HANDS, combo, drawn};

/// A decision of a recorded match.
#[derive(Debug)]
pub struct Decided {
    hand: u64,
    /// Number of earlier actions in the hand, by any seat.
    number: u32,
    /// The agent that decided; the entrant's name where the match does not say which agent it was.
    agent: String,
    /// What it knew.
    infoset: InfoSet,
    /// The action played.
    action: Action,
    /// The record of the decision; `None` where the match did not record decisions.
    recorded: Option<DecisionRecord>,
    /// The others' cards, and how the action does against them.
    others: Option<Others>,
}

impl Decided {
    /// The decision with this number in a hand of a match, valued by these strategies; `None` if
    /// there is no such decision.
    pub fn new(
        info: &MatchInfo,
        hand: &HandRecord,
        decisions: &[DecisionRecord],
        number: u32,
        advisers: &Advisers,
    ) -> Option<Decided> {
        let (infoset, action) = before(hand, number)?;
        let entrant = &info.entrants[usize::from(hand.entrants[infoset.seat])];
        let agent = if entrant.agent.is_empty() { &entrant.name } else { &entrant.agent }.clone();
        let recorded = decisions.iter().find(|decision| decision.index == number).cloned();
        let hand_number = hand.hand;
        let mut decided =
            Decided { hand: hand_number, number, agent, infoset, action, recorded, others: None };
        decided.others = Some(Others::new(&decided, hand, info, advisers));
        Some(decided)
    }

    /// The agent that decided.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// What it knew.
    pub fn infoset(&self) -> &InfoSet {
        &self.infoset
    }

    /// The situation, the action played, and how it does, in three lines.
    fn head(&self) -> String {
        let public = &self.infoset.public;
        let betting = match notation::betting(public) {
            betting if betting.is_empty() => "as the first to act".to_owned(),
            betting => format!("after {betting}"),
        };
        let board = match public.board() {
            board if board.is_empty() => String::new(),
            board => format!(" on {board}"),
        };
        let others = self.others.as_ref().map(|others| others.text(self)).unwrap_or_default();
        format!(
            "hand {}, decision {}: {} with {}{board}, {betting}\nplayed: {}\n{others}",
            self.hand,
            self.number,
            self.agent,
            self.infoset.hole,
            self.words(self.action)
        )
    }

    fn words(&self, action: Action) -> String {
        action_words(&self.infoset.public, action)
    }

    /// Whether the recorded probabilities differ from these, of a tree now.
    fn differs(&self, actions: &[(Action, f64)]) -> bool {
        let Some(strategy) = self.recorded.as_ref().and_then(|recorded| recorded.strategy.as_ref())
        else {
            return false;
        };
        // Options such as `play=purify` leave actions out, so that only actions missing in the tree
        // count.
        strategy
            .actions
            .iter()
            .any(|&(action, _)| !actions.iter().any(|&(known, _)| known == action))
            || strategy.actions.len() == actions.len()
                && actions
                    .iter()
                    .any(|&(action, share)| (strategy.probability(action) - share).abs() > 1e-3)
    }
}

/// The document of the situation and the action played.
#[derive(Debug, Serialize)]
struct Situation<'a> {
    hand: u64,
    decision: u32,
    agent: &'a str,
    street: &'static str,
    hole: String,
    board: String,
    betting: String,
    action: String,
    others: Option<&'a Others>,
}

impl<'a> Situation<'a> {
    fn new(decided: &'a Decided) -> Situation<'a> {
        let public = &decided.infoset.public;
        Situation {
            hand: decided.hand,
            decision: decided.number,
            agent: &decided.agent,
            street: public.street().name(),
            hole: decided.infoset.hole.to_string(),
            board: public.board().to_string(),
            betting: notation::betting(public),
            action: notation::action(decided.action),
            others: decided.others.as_ref(),
        }
    }
}

/// An action with its probability or its value.
#[derive(Debug, Clone, Copy, Serialize)]
struct ActionNumber(#[serde(serialize_with = "action_text")] Action, f64);

fn action_text<S: Serializer>(action: &Action, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&notation::action(*action))
}

/// The information set before an action of the hand, and the action; `None` if there is no such
/// action.
pub(crate) fn before(hand: &HandRecord, number: u32) -> Option<(InfoSet, Action)> {
    let action = hand.public.history().get(number as usize)?.action;
    let mut seen = None;
    hand.public.each_decision(|public, Played { seat, .. }| {
        if public.history().len() == number as usize {
            seen = Some(InfoSet { public: public.clone(), seat, hole: hand.hole[seat] });
        }
    });
    seen.map(|infoset| (infoset, action))
}

/// What is known of the others at a decision.
#[derive(Debug, Serialize)]
struct Others {
    /// Only known cards.
    held: Vec<HeldCards>,
    against: Option<Against>,
}

/// A player with his cards.
#[derive(Debug, Serialize)]
struct HeldCards {
    name: String,
    #[serde(serialize_with = "as_text")]
    cards: HoleCards,
}

/// The decision against the range or the hand of the only other player.
#[derive(Debug, Serialize)]
struct Against {
    /// The other player's agent.
    #[serde(skip)]
    name: String,
    /// `range` or `hand`.
    of: &'static str,
    /// The number of combos of his range; `None` against the hand that he held.
    combos: Option<f64>,
    /// Whether only a part of the range was valued.
    sampled: bool,
    /// The decider's mean share of the pot if all cards were dealt now.
    equity: f64,
    /// The share that a call needs, if there is a bet to call.
    equity_to_call: Option<f64>,
    /// The mean result of the actions in chips, the best first; none without a value function.
    values: Vec<ActionNumber>,
    value_function: Option<String>,
    /// By how much the action played is worse than the best one, with half the 95 % interval.
    behind_best: Option<f64>,
    half_width: Option<f64>,
}

impl Others {
    /// Evaluates the decision.
    fn new(decided: &Decided, hand: &HandRecord, info: &MatchInfo, advisers: &Advisers) -> Others {
        let name = |seat| info.entrants[usize::from(hand.entrants[seat])].name.clone();
        let seat = decided.infoset.seat;
        let others: Vec<Seat> =
            hand.hole.iter().map(|(other, _)| other).filter(|&o| o != seat).collect();
        let known = others.iter().filter(|&&other| !hand.hole[other].is_empty());
        let held = known.map(|&other| HeldCards { name: name(other), cards: hand.hole[other] });
        let against = match &*others {
            &[other] => against(decided, hand, other, advisers),
            _ => None,
        };
        Others { held: held.collect(), against }
    }

    /// The sentence on it.
    fn text(&self, decided: &Decided) -> String {
        if self.held.is_empty() && self.against.is_none() {
            return String::new();
        }
        let held: Vec<String> =
            self.held.iter().map(|held| format!("{} held {}", held.name, held.cards)).collect();
        let held =
            if held.is_empty() { "the other cards are not known".into() } else { held.join(", ") };
        let Some(against) = &self.against else { return format!("{held}\n") };
        let Against { name, combos, equity, equity_to_call, values, .. } = against;
        let whom = match combos {
            Some(combos) => {
                let part = if against.sampled {
                    format!(", {MOST_HANDS} of them drawn")
                } else {
                    String::new()
                };
                format!("the {combos:.0} combos that {name} would have here by its own play{part}")
            }
            None => format!("that hand alone ({name} cannot be asked for its range)"),
        };
        let needs = equity_to_call
            .map(|share| format!(", a call needs {}", percent(share, 1)))
            .unwrap_or_default();
        let mut sentence =
            format!("{held}; against {whom}, equity is {}{needs}", percent(*equity, 1));
        let played = decided.action;
        if let Some(&ActionNumber(best, _)) = values.first() {
            let listed: Vec<String> = values
                .iter()
                .map(|&ActionNumber(action, chips)| {
                    format!("{} {}", decided.words(action), signed(chips, 0))
                })
                .collect();
            let less = against.behind_best.unwrap_or_default();
            let reach = against.half_width.unwrap_or_default();
            let verdict = if best == played {
                "what was played was the best of them".to_owned()
            } else if less <= reach {
                format!(
                    "what was played was as good as any, as far as this tells ({} ± {} chips)",
                    signed(-less, 0),
                    decimal(reach, 0)
                )
            } else {
                let sampled = against.sampled.then(|| format!(" ± {}", decimal(reach, 0)));
                format!(
                    "{} would have been better by {}{} chips",
                    decided.words(best),
                    decimal(less, 0),
                    sampled.unwrap_or_default()
                )
            };
            sentence += &format!(
                "; actions win on average, in chips, {}: {verdict} (by the value function {})",
                listed.join(", "),
                against.value_function.as_deref().unwrap_or_default()
            );
        } else if let (Some(share), Action::Fold | Action::Call) = (equity_to_call, played) {
            let right = (equity >= share) == (played == Action::Call);
            let right = if right { "right" } else { "wrong" };
            sentence += &format!(": what was played was {right} by that");
        }
        sentence + "\n"
    }
}

/// The decision against the range of the player in this seat; `None` in games other than hold'em,
/// and where nothing is known of his cards.
fn against(
    decided: &Decided,
    hand: &HandRecord,
    other: Seat,
    advisers: &Advisers,
) -> Option<Against> {
    let infoset = &decided.infoset;
    let public = &infoset.public;
    let def = public.def();
    if (def.suits, def.ranks, def.hole_cards) != (4, 13, 2) || def.board_cards != [0, 3, 1, 1] {
        return None;
    }
    let of_entrant = hand.entrants[other];
    let own = combo(infoset.hole);
    let (range, combos) = match advisers.range(public, (other, of_entrant), own) {
        Some(range) => {
            let combos = range.iter().map(|(_, weight)| weight).sum();
            (range, Some(combos))
        }
        None if hand.hole[other].is_empty() => return None,
        None => (vec![(combo(hand.hole[other]), 1.0)], None),
    };
    let (range, sampled) = drawn(range, MOST_HANDS);
    let board = public.board().set();
    let share =
        |other: Combo| all_in(own, other, board).map_or(0.5, |outcome| outcome.value(Ties::Half));
    let equity = range.iter().map(|&(combo, weight)| weight * share(combo)).sum();
    let owed = public.legal().to_call;
    let equity_to_call =
        (owed > 0).then(|| f64::from(owed) / (public.pot() as f64 + f64::from(owed)));
    let recorded = decided.recorded.iter().flat_map(|recorded| {
        let strategy = recorded.strategy.iter().flat_map(|strategy| &strategy.actions);
        let likely = strategy.filter(|&&(_, share)| share > 0.0).map(|&(action, _)| action);
        likely.chain(recorded.values.iter().map(|&(action, _)| action))
    });
    let recorded: Vec<Action> = recorded.collect();
    let priced = advisers.value(
        (&hand.entrants, hand.deal),
        infoset,
        (decided.action, &recorded),
        (&range, sampled),
    );
    let values = priced.iter().flat_map(|priced| &priced.actions);
    Some(Against {
        name: advisers.name(of_entrant).to_owned(),
        of: if combos.is_some() { "range" } else { "hand" },
        combos,
        sampled,
        equity,
        equity_to_call,
        values: values.map(|of| ActionNumber(of.action, of.value)).collect(),
        value_function: priced.as_ref().and(advisers.value_function()).map(str::to_owned),
        behind_best: priced.as_ref().map(|priced| priced.price),
        half_width: priced.as_ref().map(|priced| priced.half_width),
    })
}

/// Number of changes shown for each unit: equities and chips.
const FLIPS: usize = 3;

/// What a tree does in a situation: the way to its leaf, and what would change the action.
pub struct TreePath<'a> {
    infoset: &'a InfoSet,
    student: &'a Student,
    explainer: &'a Explainer<'a>,
    features: Features,
    leaf: usize,
    flips: Vec<Flip<Action>>,
}

impl<'a> TreePath<'a> {
    /// The path in the tree of the street that a situation is on, whose features these are.
    pub fn new(
        infoset: &'a InfoSet,
        (student, explainer): (&'a Student, &'a Explainer<'a>),
        features: Features,
    ) -> TreePath<'a> {
        let street = infoset.public.street();
        let leaf = explainer.tree().leaf(features.as_slice());
        let mut found = TreePath { infoset, student, explainer, features, leaf, flips: Vec::new() };
        found.flips =
            explainer.flips(street, found.features.as_slice(), |leaf| found.likeliest(leaf));
        found
    }

    /// The nodes on the way, from the root to the leaf.
    pub fn nodes(&self) -> Vec<usize> {
        self.explainer.way(self.leaf)
    }

    /// The tests on the way, with the number of their node and what was found.
    pub fn steps(&self) -> Vec<(usize, String)> {
        self.nodes().windows(2).map(|step| (step[0], self.step(step))).collect()
    }

    /// What the leaf does, in words.
    pub fn does(&self) -> String {
        self.mix(&self.actions(self.leaf))
    }

    /// The nearest changes of one number that change the likeliest action, in words: those of
    /// equities, and those of other numbers.
    pub fn changes(&self) -> [Vec<String>; 2] {
        [false, true].map(|whole| {
            let of_kind = |flip: &&Flip<Action>| flip.feature.unit().is_whole() == whole;
            self.flips.iter().filter(of_kind).take(FLIPS).map(|flip| self.flip(flip)).collect()
        })
    }

    /// The actions of a leaf with their probabilities, the likeliest first; a check is a call of 0
    /// chips.
    fn actions(&self, leaf: usize) -> Vec<(Action, f64)> {
        let shares: Vec<f32> =
            self.explainer.tree().summary(leaf).shares.iter().map(|&share| share as f32).collect();
        let public = &self.infoset.public;
        let mut actions = self.student.moves(public.street()).actions(public, &shares);
        actions.retain(|&(_, weight)| weight > 0.0);
        // The sort is stable: equal probabilities keep the order of the moves.
        actions.sort_by(|a, b| b.1.total_cmp(&a.1));
        actions
    }

    fn likeliest(&self, leaf: usize) -> Action {
        self.actions(leaf).first().map_or(Action::Call, |&(action, _)| action)
    }

    /// The opponent's bet on this street as a share of the pot before it, as in ` (62 % of the
    /// pot)`; empty for other features.
    fn share(&self, feature: Feature, chips: f32) -> String {
        let public = &self.infoset.public;
        let street = public.street();
        let here: u32 = public.def().seats().map(|seat| public.committed_street(seat)).sum();
        let pot = public.pot() as f32 - here as f32;
        let bet = feature == (Feature::OpponentBet { street }) && street > Street::Preflop;
        if bet && chips > 0.0 && pot > 0.0 {
            format!(" ({:.0} % of the pot)", 100.0 * chips / pot)
        } else {
            String::new()
        }
    }

    /// Actions with their probabilities, as in `raise to 250 60 %, fold 40 %`.
    fn mix(&self, actions: &[(Action, f64)]) -> String {
        let likely = actions.iter().filter(|(_, share)| *share >= 0.005);
        let words = likely.map(|&(action, share)| {
            format!("{} {}", action_words(&self.infoset.public, action), percent(share, 0))
        });
        words.collect::<Vec<_>>().join(", ")
    }

    /// The outcome of a test of the tree, and the value that was tested.
    fn step(&self, step: &[usize]) -> String {
        let TreePath { explainer, features, .. } = self;
        let Node::Branch { test, right, .. } = explainer.tree().node(step[0]) else {
            return String::new();
        };
        let condition = explainer.condition(step[0], step[1] == right);
        match test {
            SplitTest::Column(column) => match features.iter().nth(column) {
                Some((feature, number)) => {
                    format!(
                        "{condition} (it is {}{})",
                        value(feature, number),
                        self.share(feature, number)
                    )
                }
                None => condition,
            },
            SplitTest::Plane(plane) => {
                format!("{condition} (it is {})", plane.weighted_sum(features.as_slice()))
            }
        }
    }

    fn flip(&self, flip: &Flip<Action>) -> String {
        let higher = flip.to > flip.from;
        let bound = match (flip.feature.unit(), higher) {
            (Unit::ShareOfPot, true) => format!("{} or more", explain::percent(flip.to)),
            (Unit::ShareOfPot, false) => format!("below {}", explain::percent(flip.to.next_up())),
            (Unit::YesOrNo, yes) => if yes { "yes" } else { "no" }.to_owned(),
            (Unit::Chips | Unit::Raises, true) => format!("{} or more", flip.to),
            (Unit::Chips | Unit::Raises, false) => format!("{} or less", flip.to),
        };
        format!(
            "{}: {bound}{} instead of {}{} → {} (node {})",
            flip.feature.name(),
            self.share(flip.feature, flip.to),
            value(flip.feature, flip.from),
            self.share(flip.feature, flip.from),
            self.mix(&self.actions(flip.leaf)),
            flip.leaf
        )
    }
}

/// A decision by a tree: the path, what its leaf won, and the changes that alter the action.
#[derive(Debug, Serialize)]
pub struct TreeReport<'a> {
    #[serde(flatten)]
    situation: Situation<'a>,
    /// Whether the record's probabilities are another model's.
    other_model: bool,
    features: BTreeMap<String, f64>,
    nodes: Vec<usize>,
    path: Vec<String>,
    strategy: Vec<ActionNumber>,
    results: WinningsReport,
    flips: Vec<FlipReport>,
    #[serde(skip)]
    text: String,
}

/// A change of one number that alters the action.
#[derive(Debug, Serialize)]
struct FlipReport {
    feature: String,
    from: f64,
    to: f64,
    node: usize,
    strategy: Vec<ActionNumber>,
}

impl<'a> TreeReport<'a> {
    /// Explains a decision by the tree of this student's street, whose leaf for these features won
    /// so much in the match.
    pub fn new(
        decided: &'a Decided,
        (student, explainer): (&Student, &Explainer<'_>),
        features: Features,
        won: Winnings,
    ) -> TreeReport<'a> {
        let found = TreePath::new(&decided.infoset, (student, explainer), features);
        let mix = |leaf: usize| -> Vec<ActionNumber> {
            let actions = found.actions(leaf).into_iter();
            actions.map(|(action, probability)| ActionNumber(action, probability)).collect()
        };
        let features = found.features.iter();
        let flip = |flip: &Flip<Action>| FlipReport {
            feature: flip.feature.to_string(),
            from: f64::from(flip.from),
            to: f64::from(flip.to),
            node: flip.leaf,
            strategy: mix(flip.leaf),
        };
        TreeReport {
            situation: Situation::new(decided),
            other_model: decided.differs(&found.actions(found.leaf)),
            features: features
                .map(|(feature, number)| (feature.to_string(), f64::from(number)))
                .collect(),
            nodes: found.explainer.way(found.leaf),
            path: found.explainer.path(found.leaf),
            strategy: mix(found.leaf),
            results: won.report(),
            flips: found.flips.iter().map(flip).collect(),
            text: text(decided, &found, &won),
        }
    }
}

fn text(decided: &Decided, path: &TreePath<'_>, won: &Winnings) -> String {
    let mut text = decided.head();
    if decided.differs(&path.actions(path.leaf)) {
        text += "the record's probabilities differ from this tree's: it was played with another \
                 model\n";
    }
    text += &format!("\nThe tree {}, node by node:\n", on_street(decided.infoset.public.street()));
    for (node, step) in path.steps() {
        text += &format!("  node {node:<5} {step}\n");
    }
    let tree = path.explainer.tree();
    text += &format!(
        "  node {:<5} {} ({})\n",
        path.leaf,
        path.does(),
        rows_in_words(&tree.summary(path.leaf), tree.summary(0).weight)
    );
    text += &format!("in this match: {}; {}\n", won.decisions(), won.words());
    text += "\nWhat would change the likeliest action, one number at a time:\n";
    for (changes, what) in path.changes().into_iter().zip(["equity", "number of chips"]) {
        if changes.is_empty() {
            text += &format!("  no other {what} would\n");
        }
        for change in changes {
            text += &format!("  {change}\n");
        }
    }
    text
}

impl fmt::Display for TreeReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn value(feature: Feature, number: f32) -> String {
    match feature.unit() {
        Unit::ShareOfPot if feature == Feature::Equity => {
            format!("{} against a random hand", explain::percent(number))
        }
        Unit::ShareOfPot => explain::percent(number),
        Unit::Chips | Unit::Raises => format!("{number}"),
        Unit::YesOrNo => if number > 0.0 { "yes" } else { "no" }.to_owned(),
    }
}

/// The width of the longest bar, in characters.
const BAR: f64 = 24.0;

/// A decision with what the agent does with other hands.
struct Explained<'a> {
    decided: &'a Decided,
    chart: Option<&'a Chart>,
    colours: bool,
}

/// An action with its probability and its value in chips, as far as they were recorded.
struct RecordedAction {
    action: Action,
    probability: Option<f64>,
    value: Option<f64>,
}

impl Explained<'_> {
    /// The recorded actions: those of the strategy, and those with a value.
    fn choices(&self) -> Vec<RecordedAction> {
        let Some(recorded) = &self.decided.recorded else { return Vec::new() };
        let of = |pairs: &[(Action, f64)], action: Action| {
            pairs.iter().find(|(other, _)| *other == action).map(|&(_, number)| number)
        };
        let strategy = recorded.strategy.as_ref().map_or(&[][..], |strategy| &strategy.actions);
        let named = strategy.iter().chain(&recorded.values).map(|&(action, _)| action);
        let choice = |action| RecordedAction {
            action,
            probability: recorded.strategy.as_ref().map(|_| of(strategy, action).unwrap_or(0.0)),
            value: of(&recorded.values, action),
        };
        distinct(named).into_iter().map(choice).collect()
    }

    fn table(&self, choices: &[RecordedAction]) -> String {
        let valued = choices.iter().any(|choice| choice.value.is_some());
        let mut header = vec!["", "action", "probability"];
        header.extend(valued.then_some("wins, chips"));
        let numbers = 2..header.len();
        header.push("");
        let mut table = Table::new(header).right(numbers).at_the_margin();
        for choice in choices {
            let taken = if choice.action == self.decided.action { ">" } else { "" };
            let share = choice.probability.unwrap_or(0.0);
            let mut row = vec![taken.to_owned(), self.decided.words(choice.action)];
            row.push(choice.probability.map_or_else(String::new, |share| percent(share, 1)));
            if valued {
                row.push(choice.value.map_or_else(String::new, |value| signed(value, 1)));
            }
            row.push("█".repeat((share * BAR).round() as usize));
            table.row(row);
        }
        format!("{table}\n")
    }

    fn text(&self) -> String {
        let mut text = self.decided.head();
        let choices = self.choices();
        if !choices.is_empty() {
            text += &format!("\n{}", self.table(&choices));
        }
        match &self.decided.recorded {
            Some(recorded) => {
                if let Some(asked) = recorded.corrected_from {
                    text +=
                        &format!("it asked for {}, which is illegal\n", self.decided.words(asked));
                }
                if recorded.fallback.is_some() {
                    text += "the action replaces a missing answer\n";
                }
                if let Some(note) = &recorded.note {
                    text += &format!("\nIts note: {note}\n");
                }
            }
            None => text += "the match did not record decisions (`--record decisions` does)\n",
        }
        let Some(chart) = self.chart else { return text };
        text += &format!(
            "\nWhat it does with every hand that it would have here: {:.1} combos by its own \
             play\n\n{}\n{}",
            chart.combos,
            chart.actions_text(self.colours),
            chart.text(self.colours)
        );
        text
    }
}

/// A decision by its record, with a chart of what the agent does with all hands.
#[derive(Debug, Serialize)]
pub struct RecordReport<'a> {
    #[serde(flatten)]
    situation: Situation<'a>,
    strategy: Vec<ActionNumber>,
    values: Vec<ActionNumber>,
    note: Option<&'a str>,
    /// The actions of the chart.
    actions: Vec<&'a str>,
    hands: Vec<HandStrategy<'a>>,
    #[serde(skip)]
    text: String,
}

#[derive(Debug, Serialize)]
struct HandStrategy<'a> {
    hand: String,
    weight: f64,
    strategy: &'a [f64],
}

impl<'a> RecordReport<'a> {
    /// Explains a decision by its record and the agent's chart, if it can be asked for one; the
    /// text of the chart has colours or letters alone.
    pub fn new(decided: &'a Decided, chart: Option<&'a Chart>, colours: bool) -> RecordReport<'a> {
        let explained = Explained { decided, chart, colours };
        let pairs = |number: fn(&RecordedAction) -> Option<f64>| {
            let pair = |choice: &RecordedAction| Some(ActionNumber(choice.action, number(choice)?));
            explained.choices().iter().filter_map(pair).collect()
        };
        let hands = chart.into_iter().flat_map(|chart| &chart.hands).map(|hand| HandStrategy {
            hand: hand.combo.to_string(),
            weight: hand.weight,
            strategy: &hand.strategy,
        });
        let actions = chart.into_iter().flat_map(|chart| &chart.actions);
        RecordReport {
            situation: Situation::new(decided),
            strategy: pairs(|choice| choice.probability),
            values: pairs(|choice| choice.value),
            note: decided.recorded.as_ref().and_then(|recorded| recorded.note.as_deref()),
            actions: actions.map(|choice| choice.word.as_str()).collect(),
            hands: hands.collect(),
            text: explained.text(),
        }
    }
}

impl fmt::Display for RecordReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Decided {
    /// The agent's strategy with every hand that it could hold; `None` in games without two hole
    /// cards, and where it would have had none.
    pub fn chart(&self, policy: &dyn Policy) -> Option<Chart> {
        let (public, seat) = (&self.infoset.public, self.infoset.seat);
        let earlier = public.history().len();
        let weights = reach::at_action(earlier, policy, public, seat, (ActionMatching::Sizes, 0.0));
        let has_any = Combo::all().any(|combo| weights[combo.index()] > 0.0);
        has_any.then(|| Chart::of_policy(policy, public, seat, &weights))
    }

    /// The texts above the picture of the chart.
    pub fn chart_title(&self, chart: &Chart) -> Title {
        let public = &self.infoset.public;
        let board = match public.board() {
            board if board.is_empty() => String::new(),
            board => format!("{board}, "),
        };
        let (pot, combos) = (public.pot(), chart.combos);
        Title {
            head: format!("{} at hand {}, decision {}", self.agent, self.hand, self.number),
            about: format!("{board}pot {pot}; {combos:.1} combos by its own play"),
        }
    }
}

/// The winnings of a tree node in a recorded match: the results of the hands in which the entrant
/// that plays the tree reached it.
///
/// The decisions are replayed and passed through the tree again, so that a record of hands is
/// enough. A hand counts once for a node, however often it reached the node; the hands of one deal
/// are one group of [`Sums`].
#[derive(Debug, Clone, Copy)]
pub struct Winnings {
    /// Number of decisions that reached the node.
    decisions: u64,
    sums: Sums,
    big_blind: Chips,
}

impl Winnings {
    fn rate(&self) -> Result<Rate, NoRate> {
        Rate::from_sums(&self.sums, self.big_blind)
    }

    /// The win rate in words, as in `won +120 ± 300 mbb/hand in 512 hands`.
    pub fn words(&self) -> String {
        let hands = counted(self.sums.hands, "hand");
        match (self.rate(), self.sums.mean()) {
            (Ok(rate), _) => {
                format!("won {:+.0} ± {:.0} mbb/hand in {hands}", rate.mbb, rate.half_width())
            }
            (Err(_), Some(mean)) => {
                let mbb = 1000.0 * mean / f64::from(self.big_blind);
                format!("won {mbb:+.0} mbb/hand in {hands} of one deal, too few for an interval")
            }
            (Err(_), None) => "not reached".to_owned(),
        }
    }

    /// The number of decisions, in words.
    fn decisions(&self) -> String {
        counted(self.decisions, "decision")
    }

    /// The winnings as a document; the rate is null with hands of fewer than two deals.
    fn report(&self) -> WinningsReport {
        WinningsReport {
            decisions: self.decisions,
            hands: self.sums.hands,
            won_chips: self.sums.chips(),
            rate: self.rate().ok(),
        }
    }
}

#[derive(Debug, Serialize)]
struct WinningsReport {
    decisions: u64,
    hands: u64,
    won_chips: f64,
    rate: Option<Rate>,
}

/// The winnings of nodes of a street's tree when this entrant played it, in the order of `nodes`;
/// none where the street's model is no tree. `seen` is called with the number of hands read.
///
/// # Errors
/// If the match cannot be read.
pub fn node_winnings(
    ledger: &LedgerReader,
    entrant: u8,
    (student, street): (&Student, Street),
    nodes: &[usize],
    seen: &mut dyn FnMut(u64),
) -> Result<Vec<Winnings>, LedgerError> {
    let TrainedModel::Tree(tree) = student.street(street) else { return Ok(Vec::new()) };
    let mut indices = vec![None; tree.nodes()];
    nodes.iter().enumerate().for_each(|(index, &node)| indices[node] = Some(index));
    let mut maker = FeatureMaker::new(student.schema());
    let mut count = WinningsSums::new(nodes.len(), ledger.def().big_blind());
    let mut here: Vec<usize> = Vec::new();
    for (done, hand) in (1..).zip(ledger.hands()) {
        let hand = hand?;
        count.deal(hand.deal);
        here.clear();
        let own = hand.entrants.iter().find(|&(_, &who)| who == entrant).map(|(seat, _)| seat);
        let decided = |played: &Played| Some(played.seat) == own && played.street == street;
        if hand.public.history().iter().any(decided) {
            hand.public.each_decision(|public, Played { seat, .. }| {
                if Some(seat) != own || public.street() != street {
                    return;
                }
                // Hands with unknown hole cards cannot be passed through the tree.
                let &[a, b] = hand.hole[seat].as_slice() else { return };
                let Some(hole) = Combo::new(a, b) else { return };
                let seen = SeenBetting::new(public, seat);
                let Ok(features) = maker.cards(hole, public.board().set(), &seen) else { return };
                for index in tree.path(features.as_slice()).into_iter().filter_map(|n| indices[n]) {
                    count.won[index].decisions += 1;
                    here.push(index);
                }
            });
        }
        if let Some(seat) = own {
            count.hand(&mut here, hand.payoffs[seat]);
        }
        if done % 256 == 0 {
            seen(done);
        }
    }
    Ok(count.done())
}

/// Sums for nodes, with the hands of the current deal.
struct WinningsSums {
    won: Vec<Winnings>,
    deal: Option<u64>,
    /// The current deal: position of a node, its winnings, and the number of hands.
    open: Vec<(usize, Payoff, u32)>,
}

impl WinningsSums {
    fn new(nodes: usize, big_blind: Chips) -> WinningsSums {
        let none = Winnings { decisions: 0, sums: Sums::default(), big_blind };
        WinningsSums { won: vec![none; nodes], deal: None, open: Vec::new() }
    }

    /// Starts the next hand; if its deal is a new one, the last deal is added to the sums.
    fn deal(&mut self, deal: u64) {
        if self.deal.replace(deal) != Some(deal) {
            for (index, won, hands) in self.open.drain(..) {
                self.won[index].sums.add(won, hands);
            }
        }
    }

    /// Adds the result of a hand that reached these nodes.
    fn hand(&mut self, indices: &mut Vec<usize>, payoff: Payoff) {
        indices.sort_unstable();
        indices.dedup();
        for &index in indices.iter() {
            match self.open.iter_mut().find(|(known, ..)| *known == index) {
                Some((_, won, hands)) => (*won, *hands) = (*won + payoff, *hands + 1),
                None => self.open.push((index, payoff, 1)),
            }
        }
    }

    fn done(mut self) -> Vec<Winnings> {
        for (index, won, hands) in self.open.drain(..) {
            self.won[index].sums.add(won, hands);
        }
        self.won
    }
}
