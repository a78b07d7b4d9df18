//! `cardroom explain bluffs`: the leaves of a tree that bet and raise with weak hands.

use std::str::FromStr;

use models::explain::{Bluff, Explainer, Weak, percent};
use models::student::Student;
use serde_json::{Value, json};
use show::number::{short_percent, whole};

use super::tree::rows;
use super::tree_source::{TreeSource, explainer, on};
use crate::exit::Failure;
use crate::output::{Output, Shown};

/// Show where a tree bluffs: leaves that bet or raise although every hand in them is weak.
///
/// A leaf is listed when the tests on its path keep the win-rate below --win-rate (directly, or by
/// the deciles of a later street, whose mean it is) and it bets or raises at least as often as
/// --raise. The leaves that bluff most often in play come first.
///
/// Examples:
///   cardroom explain bluffs oct
///   cardroom explain bluffs oct --street river --win-rate 30% --raise 50%
///
/// Exit codes: 0, also when there are no such leaves; 3 when the agent has no trees.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(flatten)]
    source: TreeSource,
    /// Only this street
    #[arg(long, value_enum)]
    street: Option<super::Street>,
    /// The win-rate below which a hand is weak, such as 45% or 0.45
    #[arg(long, value_name = "SHARE", default_value = "45%")]
    win_rate: Share,
    /// Minimum frequency of bets and raises, such as 20% or 0.2
    #[arg(long, value_name = "SHARE", default_value = "20%")]
    raise: Share,
    /// Leaves shown per street; the others are only counted
    #[arg(long, value_name = "N", default_value_t = 5)]
    most: usize,
    /// Print one JSON document with all leaves instead of text
    #[arg(long)]
    json: bool,
}

/// A share from 0 to 1, parsed from `45%` or `0.45`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Share(f64);

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Share, String> {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let share = match text.strip_suffix('%') {
            Some(percent) => number(percent).map(|percent| percent / 100.0),
            None => number(text),
        };
        let share = share.filter(|share| (0.0..=1.0).contains(share)).map(Share);
        share.ok_or_else(|| "write a share from 0% to 100%, such as 45% or 0.45".to_owned())
    }
}

/// The result for a street.
struct Found<'a> {
    street: game::Street,
    explainer: Explainer<'a>,
    bluffs: Vec<Bluff>,
    /// The weight of all rows of the tree.
    weight: f64,
}

/// Runs the command: searches the trees and prints what was found.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    let student = args.source.student()?;
    let streets = match args.street {
        Some(street) => vec![street.street()],
        None => game::Street::ALL.to_vec(),
    };
    let found = streets.into_iter().map(|street| search(&student, street, args));
    let found = found.collect::<Result<Vec<Found<'_>>, Failure>>()?;
    Output::of(&Searched { args, found }, args.json)
}

/// The results of all streets that were searched.
struct Searched<'a> {
    args: &'a Args,
    found: Vec<Found<'a>>,
}

impl Shown for Searched<'_> {
    fn text(&self) -> String {
        let texts = self.found.iter().map(|found| text(self.args, found));
        texts.collect::<Vec<_>>().join("\n")
    }

    fn document(&self) -> impl serde::Serialize {
        document(self.args, &self.found)
    }
}

fn search<'a>(
    student: &'a Student,
    street: game::Street,
    args: &Args,
) -> Result<Found<'a>, Failure> {
    let explainer = explainer(student, street)?;
    let bluffs = explainer.bluffs(Weak { win_rate: args.win_rate.0, raise: args.raise.0 });
    let weight = explainer.tree().summary(0).weight;
    Ok(Found { street, explainer, bluffs, weight })
}

fn text(args: &Args, found: &Found<'_>) -> String {
    let Found { street, explainer, bluffs, weight } = found;
    let mut text = format!(
        "{} {}: {} of {} leaves raise {} of the time or more with a win-rate below {}",
        args.source.name(),
        on(*street),
        whole(bluffs.len() as u64),
        whole(explainer.tree().leaves() as u64),
        percent(args.raise.0 as f32),
        percent(args.win_rate.0 as f32),
    );
    let there: f64 = bluffs.iter().map(|bluff| bluff.summary.weight).sum();
    let raised: f64 = bluffs.iter().map(|bluff| bluff.summary.weight * bluff.raise).sum();
    if there > 0.0 {
        text += &format!(
            "\n{} of play reaches them, and raises in {} of that",
            short_percent(there / weight),
            short_percent(raised / there)
        );
    }
    text.push('\n');
    for bluff in bluffs.iter().take(args.most) {
        let nodes: Vec<String> =
            explainer.way(bluff.node).iter().map(ToString::to_string).collect();
        text += &format!(
            "\nnode {}: {} ({})\n  nodes {}\n",
            bluff.node,
            explainer.mix(bluff.node),
            rows(&bluff.summary, *weight),
            nodes.join("-"),
        );
        for clause in explainer.path(bluff.node) {
            text += &format!("  {clause}\n");
        }
    }
    if bluffs.len() > args.most {
        text += &format!(
            "\n… and {} more: --most shows them\n",
            whole((bluffs.len() - args.most) as u64)
        );
    }
    text
}

fn document(args: &Args, found: &[Found<'_>]) -> Value {
    let street = |found: &Found<'_>| {
        let names = found.explainer.tree().class_names();
        let leaf = |bluff: &Bluff| {
            let shares = names.iter().zip(&bluff.summary.shares);
            let mix: serde_json::Map<String, Value> =
                shares.map(|(name, share)| (name.clone(), json!(share))).collect();
            json!({
                "node": bluff.node,
                "nodes": found.explainer.way(bluff.node),
                "path": found.explainer.path(bluff.node),
                "win_rate_below": bluff.win_rate_below,
                "raise": bluff.raise,
                "rows": bluff.summary.rows,
                "share_of_play": bluff.summary.weight / found.weight,
                "actions": mix,
            })
        };
        json!({
            "street": found.street.name(),
            "leaves": found.explainer.tree().leaves(),
            "bluffs": found.bluffs.iter().map(leaf).collect::<Vec<_>>(),
        })
    };
    json!({
        "schema": "cardroom-explain-bluffs/1",
        "agent": args.source.name(),
        "win_rate": args.win_rate.0,
        "raise": args.raise.0,
        "streets": found.iter().map(street).collect::<Vec<_>>(),
    })
}
