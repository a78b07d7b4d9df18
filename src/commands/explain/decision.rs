//! `cardroom explain decision`: what led to a decision of a recorded match, and what would change
//! it.

use std::path::PathBuf;
use std::sync::Arc;

use abstraction::features::{Feature, FeatureMaker, Features, Unit};
use game::{Action, InfoSet, Street, notation};
use logs::{DecisionRecord, HandRecord, LedgerReader};
use models::explain::{Explainer, Flip, percent};
use models::student::Student;
use models::tree::{Looks, Node};
use serde_json::{Value, json};

use super::results::{Won, results};
use super::tree::rows;
use super::tree_source::{explainer, on, student};
use crate::chart::action_words;
use crate::exit::Failure;
use crate::named::Named;
use crate::output;

/// What led to a decision of a recorded match, and what would have changed it.
///
/// The path through the tree, what its leaf has won or lost in the match, and the nearest changes
/// of one number that would have led to another action.
///
/// MATCH is a match folder of `cardroom match`, HAND the hand's number from 0, and DECISION the
/// number of the action in the hand, from 0, counting everybody's. Without DECISION the
/// decisions of the hand are listed. The trees are those of the agent that the match names;
/// paths in its name start from the current folder.
///
/// Examples:
///   cardroom explain decision data/matches/oct-vs-cfr 17
///   cardroom explain decision data/matches/oct-vs-cfr 17 4
///
/// Ends with 2 where the match has no such hand or decision, and 3 where the match cannot be
/// read or the decision is of an agent without trees.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The match's folder or ledger
    #[arg(value_name = "MATCH")]
    path: PathBuf,
    /// The hand, from 0
    #[arg(value_name = "HAND")]
    hand: u64,
    /// The action in the hand, from 0 [default: list them]
    #[arg(value_name = "DECISION")]
    decision: Option<u32>,
    #[command(flatten)]
    named: Named,
    /// One JSON document instead of text
    #[arg(long)]
    json: bool,
}

/// Number of changes shown for each unit: win-rates and chips.
const FLIPS: usize = 3;

/// Runs the command: reads the decision, follows it through the tree and prints it.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let ledger = LedgerReader::open(&args.path).map_err(Failure::input)?;
    let hand = ledger.hand(args.hand).map_err(Failure::input)?;
    let hand = hand.ok_or_else(|| {
        let hands =
            ledger.count().map_or_else(|_| String::new(), |count| format!(" among its {count}"));
        Failure::usage(format!("{} has no hand {}{hands}", args.path.display(), args.hand))
    })?;
    let decisions = ledger.decisions(args.hand).map_err(Failure::input)?;
    let name = |entrant: u8| ledger.info().entrants[usize::from(entrant)].name.as_str();
    let Some(number) = args.decision else {
        return output::print(&list(&hand, &decisions, &name));
    };
    let (infoset, action) = before(&hand, number).ok_or_else(|| {
        Failure::usage(format!(
            "hand {} has actions 0 to {}, and no {number}; leave DECISION out to see them",
            args.hand,
            hand.public.history().len().saturating_sub(1)
        ))
    })?;
    let who = hand.entrants[infoset.seat];
    let entrant = &ledger.info().entrants[usize::from(who)];
    if entrant.agent.is_empty() {
        return Err(Failure::input(anyhow::anyhow!(
            "the match does not say which agent `{0}` was, so that its trees cannot be found; import \
             it with --agent {0}=AGENT",
            entrant.name
        )));
    }
    let student = student(&args.named, &entrant.agent)?;
    let recorded = decisions.into_iter().find(|decision| decision.index == number);
    let decided =
        Decided { args, number, name: &entrant.agent, infoset, action, recorded, student };
    decided.show(&ledger, who)
}

/// The information set before an action of the hand, and the action; `None` if there is no such
/// action.
fn before(hand: &HandRecord, number: u32) -> Option<(InfoSet, Action)> {
    let action = hand.public.history().get(number as usize)?.action;
    let mut seen = None;
    hand.each_decision(|public, seat| {
        if public.history().len() == number as usize {
            seen = Some(InfoSet { public: public.clone(), seat, hole: hand.hole[seat] });
        }
    });
    seen.map(|infoset| (infoset, action))
}

/// The actions of a hand, one line each.
fn list<'a>(
    hand: &HandRecord,
    decisions: &[DecisionRecord],
    name: &dyn Fn(u8) -> &'a str,
) -> String {
    let mut text = format!("hand {}: {}\n", hand.hand, notation::betting(&hand.public));
    for (number, played) in hand.public.history().iter().enumerate() {
        let note = decisions.iter().find(|decision| decision.index as usize == number);
        let note = note.and_then(|decision| decision.note.as_deref()).unwrap_or_default();
        // Only the first line of a note; the whole path is shown with the decision itself.
        let note = note.lines().next().unwrap_or_default();
        let did = before(hand, number as u32)
            .map(|(infoset, action)| action_words(&infoset.public, action));
        text += &format!(
            "{number:>3}  {:<7}  {:<12}  {}  {}{}{note}\n",
            played.street.name(),
            name(hand.entrants[played.seat]),
            hand.hole[played.seat],
            did.unwrap_or_default(),
            if note.is_empty() { "" } else { "  " }
        );
    }
    text
}

/// A decision with everything known about it.
struct Decided<'a> {
    args: &'a Args,
    number: u32,
    /// The agent that decided.
    name: &'a str,
    infoset: InfoSet,
    action: Action,
    recorded: Option<DecisionRecord>,
    student: Arc<Student>,
}

/// The evaluation of a decision by a tree.
struct Found<'a> {
    explainer: Explainer<'a>,
    features: Features,
    leaf: usize,
    /// The winnings of the leaf in the match.
    won: Won,
    flips: Vec<Flip<Action>>,
}

impl Decided<'_> {
    /// Prints the decision. `who` is the entrant that decided, in the match of this ledger.
    fn show(&self, ledger: &LedgerReader, who: u8) -> Result<(), Failure> {
        let public = &self.infoset.public;
        self.student.check_game(public.def()).map_err(Failure::input)?;
        let mut maker = FeatureMaker::counting(self.student.schema());
        let features = maker.infoset(&self.infoset).map_err(Failure::input)?;
        let explainer = explainer(&self.student, public.street())?;
        let leaf = explainer.tree().leaf(features.as_slice());
        let won = results(ledger, who, &self.student, public.street(), &[leaf])?;
        let flips = explainer
            .flips(public.street(), features.as_slice(), |leaf| self.likeliest(&explainer, leaf));
        let found = Found { explainer, features, leaf, won: won[0], flips };
        match self.args.json {
            true => output::print(&format!("{:#}\n", self.document(&found))),
            false => output::print(&self.text(&found)),
        }
    }

    /// The actions of a leaf with their probabilities, the likeliest first; a check is a call of 0
    /// chips.
    fn actions(&self, explainer: &Explainer<'_>, leaf: usize) -> Vec<(Action, f64)> {
        let shares: Vec<f32> =
            explainer.tree().summary(leaf).shares.iter().map(|&share| share as f32).collect();
        let public = &self.infoset.public;
        let mut actions = self.student.moves(public.street()).actions(public, &shares);
        actions.retain(|&(_, weight)| weight > 0.0);
        // The sort is stable: equal probabilities keep the order of the moves.
        actions.sort_by(|a, b| b.1.total_cmp(&a.1));
        actions
    }

    fn likeliest(&self, explainer: &Explainer<'_>, leaf: usize) -> Action {
        self.actions(explainer, leaf).first().map_or(Action::Call, |&(action, _)| action)
    }

    fn words(&self, action: Action) -> String {
        action_words(&self.infoset.public, action)
    }

    /// The opponent's bet on this street as a share of the pot before it, as in ` (62 % of the
    /// pot)`; empty for other features.
    fn share(&self, feature: Feature, chips: f32) -> String {
        let public = &self.infoset.public;
        let street = public.street();
        let here: u32 = public.def().seats().map(|seat| public.committed_street(seat)).sum();
        let pot = public.pot() as f32 - here as f32;
        let bet = feature == (Feature::OpponentBet { street }) && street > Street::Preflop;
        match bet && chips > 0.0 && pot > 0.0 {
            true => format!(" ({:.0} % of the pot)", 100.0 * chips / pot),
            false => String::new(),
        }
    }

    /// Actions with their probabilities, as in `raise to 250 60 %, fold 40 %`.
    fn mix(&self, actions: &[(Action, f64)]) -> String {
        let told = actions.iter().filter(|(_, share)| *share >= 0.005);
        let told =
            told.map(|&(action, share)| format!("{} {:.0} %", self.words(action), 100.0 * share));
        told.collect::<Vec<_>>().join(", ")
    }

    /// Whether the recorded probabilities differ from those of the tree now.
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

    fn text(&self, found: &Found<'_>) -> String {
        let Found { explainer, features, leaf, won, flips } = found;
        let leaf = *leaf;
        let public = &self.infoset.public;
        let actions = self.actions(explainer, leaf);
        let betting = match notation::betting(public) {
            betting if betting.is_empty() => "as the first to act".to_owned(),
            betting => format!("after {betting}"),
        };
        let board = match public.board() {
            board if board.is_empty() => String::new(),
            board => format!(" on {board}"),
        };
        let mut text = format!(
            "hand {}, decision {}: {} with {}{board}, {betting}\nplayed: {}\n",
            self.args.hand,
            self.number,
            self.name,
            self.infoset.hole,
            self.words(self.action)
        );
        if self.differs(&actions) {
            text += "the record has other probabilities than this tree: it was played with another model\n";
        }
        text += &format!("\nThe tree {}, node by node:\n", on(public.street()));
        let way = explainer.way(leaf);
        for step in way.windows(2) {
            text += &format!("  node {:<5} {}\n", step[0], self.step(explainer, features, step));
        }
        let tree = explainer.tree();
        text += &format!(
            "  node {leaf:<5} {} ({})\n",
            self.mix(&actions),
            rows(&tree.summary(leaf), tree.summary(0).weight)
        );
        text += &format!("in this match: {}; {}\n", won.decisions(), won.words());
        text += "\nWhat would change the likeliest action, one number at a time:\n";
        for unit in [Unit::ShareOfPot, Unit::Chips] {
            let nearest = flips.iter().filter(|flip| flip.feature.unit() == unit).take(FLIPS);
            let lines: Vec<String> = nearest.map(|flip| self.flip(explainer, flip)).collect();
            if lines.is_empty() {
                let what = if unit == Unit::Chips { "number of chips" } else { "win-rate" };
                text += &format!("  no other {what} would\n");
            }
            text += &lines.concat();
        }
        text
    }

    /// The outcome of a test of the tree, and the value that was tested.
    fn step(&self, explainer: &Explainer<'_>, features: &Features, step: &[usize]) -> String {
        let Node::Branch { looks, right, .. } = explainer.tree().node(step[0]) else {
            return String::new();
        };
        let condition = explainer.condition(step[0], step[1] == right);
        match looks {
            Looks::Column(column) => match features.iter().nth(column) {
                Some((feature, number)) => {
                    format!(
                        "{condition} (it is {}{})",
                        value(feature, number),
                        self.share(feature, number)
                    )
                }
                None => condition,
            },
            Looks::Plane(plane) => format!("{condition} (it is {})", plane.of(features.as_slice())),
        }
    }

    fn flip(&self, explainer: &Explainer<'_>, flip: &Flip<Action>) -> String {
        let higher = flip.to > flip.from;
        let bound = match (flip.feature.unit(), higher) {
            (Unit::ShareOfPot, true) => format!("{} or more", percent(flip.to)),
            (Unit::ShareOfPot, false) => format!("below {}", percent(flip.to.next_up())),
            (Unit::Chips, true) => format!("{} or more", flip.to),
            (Unit::Chips, false) => format!("{} or less", flip.to),
        };
        format!(
            "  {}: {bound}{} instead of {}{} → {} (node {})\n",
            flip.feature.name(),
            self.share(flip.feature, flip.to),
            value(flip.feature, flip.from),
            self.share(flip.feature, flip.from),
            self.mix(&self.actions(explainer, flip.leaf)),
            flip.leaf
        )
    }

    fn document(&self, found: &Found<'_>) -> Value {
        let Found { explainer, features, leaf, won, flips } = found;
        let leaf = *leaf;
        let public = &self.infoset.public;
        let text = |action: Action| {
            let mut text = String::new();
            notation::write_action(action, false, &mut text);
            text
        };
        let mix = |leaf: usize| -> Vec<Value> {
            let actions = self.actions(explainer, leaf);
            actions.iter().map(|&(action, share)| json!([text(action), share])).collect()
        };
        let values: serde_json::Map<String, Value> =
            features.iter().map(|(feature, number)| (feature.to_string(), json!(number))).collect();
        let flips = flips.iter().map(|flip| {
            json!({
                "feature": flip.feature.to_string(),
                "from": flip.from,
                "to": flip.to,
                "node": flip.leaf,
                "strategy": mix(flip.leaf),
            })
        });
        json!({
            "schema": "cardroom-explain-decision/1",
            "hand": self.args.hand,
            "decision": self.number,
            "agent": self.name,
            "street": public.street().name(),
            "hole": self.infoset.hole.to_string(),
            "board": public.board().to_string(),
            "betting": notation::betting(public),
            "action": text(self.action),
            "other_model": self.differs(&self.actions(explainer, leaf)),
            "features": values,
            "nodes": explainer.way(leaf),
            "path": explainer.path(leaf),
            "strategy": mix(leaf),
            "results": won.document(),
            "flips": flips.collect::<Vec<_>>(),
        })
    }
}

fn value(feature: Feature, number: f32) -> String {
    match feature.unit() {
        Unit::ShareOfPot => percent(number),
        Unit::Chips => format!("{number}"),
    }
}
