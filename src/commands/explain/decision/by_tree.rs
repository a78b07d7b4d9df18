//! A decision of a tree: the path through it, what its leaf has won or lost in the match, and the
//! nearest changes of one number that would have led to another action.

use abstraction::features::{Feature, FeatureMaker, Features, Unit};
use game::{Action, Street};
use logs::LedgerReader;
use models::explain::{Explainer, Flip, percent};
use models::student::Student;
use models::tree::{Node, SplitTest};
use serde_json::{Value, json};
use show::number;

use super::super::results::{Won, results};
use super::super::tree::rows;
use super::super::tree_source::{explainer, on};
use super::{Decided, text};
use crate::exit::Failure;
use crate::output::{Output, Shown};

/// Number of changes shown for each unit: win-rates and chips.
const FLIPS: usize = 3;

/// The evaluation of a decision by a tree.
struct Found<'a> {
    decided: &'a Decided<'a>,
    student: &'a Student,
    explainer: Explainer<'a>,
    features: Features,
    leaf: usize,
    /// The winnings of the leaf in the match.
    won: Won,
    flips: Vec<Flip<Action>>,
}

/// Explains a decision by the tree of this student. `who` is the entrant that decided, in the match
/// of this ledger.
pub(super) fn explain(
    decided: &Decided<'_>,
    student: &Student,
    ledger: &LedgerReader,
    who: u8,
) -> Result<Output, Failure> {
    if decided.args.svg.is_some() {
        return Err(Failure::usage(format!(
            "--svg draws the chart of an agent without trees; `cardroom explain tree {} --svg \
             FILE` draws a tree",
            decided.agent
        )));
    }
    let public = &decided.infoset.public;
    student.check_game(public.def()).map_err(Failure::input)?;
    let mut maker = FeatureMaker::counting(student.schema());
    let features = maker.infoset(&decided.infoset).map_err(Failure::input)?;
    let explainer = explainer(student, public.street())?;
    let leaf = explainer.tree().leaf(features.as_slice());
    let won = results(ledger, who, student, public.street(), &[leaf])?;
    let found =
        Found { decided, student, explainer, features, leaf, won: won[0], flips: Vec::new() };
    let flips = found
        .explainer
        .flips(public.street(), found.features.as_slice(), |leaf| found.likeliest(leaf));
    Output::of(&Found { flips, ..found }, decided.args.json)
}

impl Found<'_> {
    /// The actions of a leaf with their probabilities, the likeliest first; a check is a call of 0
    /// chips.
    fn actions(&self, leaf: usize) -> Vec<(Action, f64)> {
        let shares: Vec<f32> =
            self.explainer.tree().summary(leaf).shares.iter().map(|&share| share as f32).collect();
        let public = &self.decided.infoset.public;
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
        let public = &self.decided.infoset.public;
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
        let likely = actions.iter().filter(|(_, share)| *share >= 0.005);
        let words = likely.map(|&(action, share)| {
            format!("{} {}", self.decided.words(action), number::percent(share, 0))
        });
        words.collect::<Vec<_>>().join(", ")
    }

    /// Whether the recorded probabilities differ from those of the tree now.
    fn differs(&self, actions: &[(Action, f64)]) -> bool {
        let Some(strategy) =
            self.decided.recorded.as_ref().and_then(|recorded| recorded.strategy.as_ref())
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

    /// The outcome of a test of the tree, and the value that was tested.
    fn step(&self, step: &[usize]) -> String {
        let Found { explainer, features, .. } = self;
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
                format!("{condition} (it is {})", plane.of(features.as_slice()))
            }
        }
    }

    fn flip(&self, flip: &Flip<Action>) -> String {
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
            self.mix(&self.actions(flip.leaf)),
            flip.leaf
        )
    }
}

impl Shown for Found<'_> {
    fn text(&self) -> String {
        let Found { explainer, leaf, won, flips, .. } = self;
        let leaf = *leaf;
        let public = &self.decided.infoset.public;
        let actions = self.actions(leaf);
        let mut text = self.decided.head();
        if self.differs(&actions) {
            text += "the record's probabilities differ from this tree's: it was played with \
                     another model\n";
        }
        text += &format!("\nThe tree {}, node by node:\n", on(public.street()));
        let way = explainer.way(leaf);
        for step in way.windows(2) {
            text += &format!("  node {:<5} {}\n", step[0], self.step(step));
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
            let lines: Vec<String> = nearest.map(|flip| self.flip(flip)).collect();
            if lines.is_empty() {
                let what = if unit == Unit::Chips { "number of chips" } else { "win-rate" };
                text += &format!("  no other {what} would\n");
            }
            text += &lines.concat();
        }
        text
    }

    fn document(&self) -> impl serde::Serialize {
        let Found { decided, explainer, features, leaf, won, flips, .. } = self;
        let leaf = *leaf;
        let mix = |leaf: usize| -> Vec<Value> {
            let actions = self.actions(leaf);
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
        decided.document(json!({
            "other_model": self.differs(&self.actions(leaf)),
            "features": values,
            "nodes": explainer.way(leaf),
            "path": explainer.path(leaf),
            "strategy": mix(leaf),
            "results": won.document(),
            "flips": flips.collect::<Vec<_>>(),
        }))
    }
}

fn value(feature: Feature, number: f32) -> String {
    match feature.unit() {
        Unit::ShareOfPot if feature == Feature::WinRate => {
            format!("{} against a random hand", percent(number))
        }
        Unit::ShareOfPot => percent(number),
        Unit::Chips => format!("{number}"),
    }
}
