//! Why a student decided as it did, in words.

use abstraction::features::{Feature, Features, Unit};
use game::Street;
use models::explain::{Explainer, percent};
use models::student::{Learned, Manifest, Student};

use super::Rounds;

/// What a note tells at once; the rest of a tree's path stands on a line of its own.
const CLAUSES: usize = 3;

/// Why, for one decision: a sentence, and of a tree, on another line, its nodes and what else held.
pub(super) fn of(student: &Student, features: &Features) -> String {
    match Explainer::of(student, features.street()) {
        Some(explainer) => of_tree(&explainer, features),
        None => {
            let told = features.iter().filter(|&(feature, _)| match feature {
                Feature::WinRate => true,
                Feature::OpponentBet { street } => street <= features.street(),
                Feature::Percentile { .. } => false,
            });
            let told: Vec<String> = told
                .map(|(feature, value)| format!("{} {}", feature.name(), in_words(feature, value)))
                .collect();
            told.join(", ")
        }
    }
}

/// What held on the way to the leaf, in the order in which it was asked, with what each number was.
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

/// A win-rate in percent, chips as they are.
fn in_words(feature: Feature, value: f32) -> String {
    match feature.unit() {
        Unit::ShareOfPot => percent(value),
        Unit::Chips => format!("{value}"),
    }
}

/// Which rounds of its forests count, as one more line, where a forest says which of them told its
/// validation rows best, or that was asked for.
pub(super) fn rounds(student: &Student, counted: Rounds) -> String {
    let best: Vec<String> = Street::ALL
        .into_iter()
        .filter_map(|street| {
            let Learned::Forest(forest) = student.street(street) else { return None };
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

/// What a student is, in a few lines.
pub(super) fn about(manifest: &Manifest) -> String {
    let menu = manifest.menu.trim().replace('\n', "; ");
    let mut text = format!(
        "A student of the kind {}\n  moves     {menu}\n  features  {}\n  learned   {}\n  teacher   {}\n  made by   {}",
        manifest.kind,
        manifest.features.id,
        manifest.options,
        manifest.teacher_sha256,
        manifest.made_by,
    );
    for street in &manifest.streets {
        let [_, valid, test] = street.log_loss;
        text.push_str(&format!(
            "\n  {:<9} {} from {} rows; log-loss {valid:.4} in validation, {test:.4} in the test, likeliest move right in {:.1} %",
            street.street,
            street.size,
            street.rows,
            100.0 * street.accuracy,
        ));
    }
    text
}
