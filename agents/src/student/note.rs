//! Explanations of a student's decisions, in words.

use abstraction::features::{Feature, Features, Unit};
use game::Street;
use models::explain::{Explainer, percent};
use models::student::{Manifest, Student, TrainedModel};

use super::Rounds;

/// Number of clauses in the first line of a note; the rest of a tree's path is on a second line.
const CLAUSES: usize = 3;

/// Explains a decision in a sentence; for a tree, a second line has its nodes and the other
/// clauses.
pub(super) fn of(student: &Student, features: &Features) -> String {
    match Explainer::of(student, features.street()) {
        Some(explainer) => of_tree(&explainer, features),
        None => {
            let listed = features.iter().filter(|&(feature, _)| match feature {
                Feature::WinRate => true,
                Feature::OpponentBet { street } => street <= features.street(),
                Feature::Percentile { .. } => false,
            });
            let listed: Vec<String> = listed
                .map(|(feature, value)| format!("{} {}", feature.name(), in_words(feature, value)))
                .collect();
            listed.join(", ")
        }
    }
}

/// The clauses that hold on the path to the leaf, in order, with the values of their features.
fn of_tree(explainer: &Explainer<'_>, features: &Features) -> String {
    let path = explainer.tree().path(features.as_slice());
    let leaf = path.last().copied().unwrap_or_default();
    let clauses = explainer.clauses(leaf).into_iter().map(|(column, words)| {
        match column.and_then(|column| features.iter().nth(column)) {
            Some((feature, value)) if feature.unit() == Unit::ShareOfPot || value > 0.0 => {
                format!("{words} ({})", in_words(feature, value))
            }
            _ => words,
        }
    });
    let clauses: Vec<String> = clauses.collect();
    let (first, rest) = clauses.split_at(clauses.len().min(CLAUSES));
    let mut note = match first {
        [] => "always".to_owned(),
        _ => first.join("; "),
    };
    if !rest.is_empty() {
        note.push_str(&format!("; and {} more", rest.len()));
    }
    let nodes: Vec<String> = path.iter().map(ToString::to_string).collect();
    note.push_str(&format!("\nnodes {}", nodes.join("-")));
    for (number, clause) in rest.iter().enumerate() {
        note.push_str(if number == 0 { ": " } else { "; " });
        note.push_str(clause);
    }
    note
}

/// Formats a win-rate in percent, saying against what it is, and chips as they are.
fn in_words(feature: Feature, value: f32) -> String {
    match feature.unit() {
        Unit::ShareOfPot if feature == Feature::WinRate => {
            format!("{} against a random hand", percent(value))
        }
        Unit::ShareOfPot => percent(value),
        Unit::Chips => format!("{value}"),
    }
}

/// A line on which rounds of the student's forests are used; empty if no forest has a best round
/// and `rounds=best` was not given.
pub(super) fn rounds(student: &Student, counted: Rounds) -> String {
    let best: Vec<String> = Street::ALL
        .into_iter()
        .filter_map(|street| {
            let TrainedModel::Forest(forest) = student.street(street) else { return None };
            let best = forest.best_rounds().ok().flatten()?;
            Some(format!("{street} {best} of {}", forest.rounds()))
        })
        .collect();
    let rounds = match (counted, best.is_empty()) {
        (Rounds::All, true) => return String::new(),
        (Rounds::All, false) => {
            format!("all; up to the best, as with rounds=best, are {}", best.join(", "))
        }
        (Rounds::Best, true) => "all, for no file has a best_iteration".to_owned(),
        (Rounds::Best, false) => {
            format!("up to the best: {}; the losses above are of all", best.join(", "))
        }
    };
    format!("\n  rounds    {rounds}")
}

/// Describes a student in a few lines.
pub(super) fn about(manifest: &Manifest) -> String {
    let menu = manifest.menu.trim().replace('\n', "; ");
    let mut text = format!(
        "A student of the kind {}\n  moves     {menu}\n  features  {}\n  learned   {}\n  teacher   \
         {}\n  made by   {}",
        manifest.kind,
        manifest.features.id,
        manifest.options,
        manifest.teacher_sha256,
        manifest.made_by,
    );
    for street in &manifest.streets {
        let [_, valid, test] = street.log_loss;
        text.push_str(&format!(
            "\n  {:<9} {} from {} rows; log-loss {valid:.4} in validation, {test:.4} in the test, \
             likeliest move right in {:.1} %",
            street.street,
            street.size,
            street.rows,
            100.0 * street.accuracy,
        ));
    }
    text
}
