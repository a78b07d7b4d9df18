//! Why a student decided as it did, in words.

use abstraction::features::{Feature, Features, Unit};
use models::student::{Learned, Manifest};
use models::tree::{Looks, Node, Tree};

/// Why, for one decision.
pub(super) fn of(learned: &Learned, features: &Features) -> String {
    match learned {
        Learned::Tree(tree) => of_tree(tree, features),
        Learned::Forest(_) | Learned::Network(_) => {
            let told = features.iter().filter(|(feature, _)| {
                matches!(feature, Feature::WinRate | Feature::OpponentBet { .. })
            });
            let told: Vec<String> = told
                .map(|(feature, value)| format!("{feature} {}", value_in_words(feature, value)))
                .collect();
            told.join(", ")
        }
    }
}

/// The nodes on the way to the leaf, and for each feature that was asked about between which bounds it lies.
fn of_tree(tree: &Tree, features: &Features) -> String {
    let path = tree.path(features.as_slice());
    let known: Vec<(Feature, f32)> = features.iter().collect();
    let mut bounds: Vec<(usize, f32, f32)> = Vec::new();
    let mut others = Vec::new();
    for pair in path.windows(2) {
        let Node::Branch { looks, below, left, .. } = tree.node(pair[0]) else { continue };
        let went_left = pair[1] == left;
        let Looks::Column(column) = looks else {
            others.push(format!(
                "{}: {}",
                tree.test_text(pair[0]),
                if went_left { "yes" } else { "no" }
            ));
            continue;
        };
        let place = bounds.iter().position(|&(known, ..)| known == column);
        let place = place.unwrap_or_else(|| {
            bounds.push((column, f32::NEG_INFINITY, f32::INFINITY));
            bounds.len() - 1
        });
        let (_, from, to) = &mut bounds[place];
        if went_left { *to = to.min(below) } else { *from = from.max(below) }
    }
    let mut words: Vec<String> = bounds
        .into_iter()
        .map(|(column, from, to)| {
            let (feature, value) = known[column];
            let say = |value| value_in_words(feature, value);
            let range = match (from.is_finite(), to.is_finite()) {
                (true, true) => format!("from {} to below {}", say(from), say(to)),
                (true, false) => format!("{} or more", say(from)),
                _ => format!("below {}", say(to)),
            };
            format!("{} {} ({range})", feature.name(), say(value))
        })
        .collect();
    words.extend(others);
    let nodes: Vec<String> = path.iter().map(ToString::to_string).collect();
    let because = if words.is_empty() { String::new() } else { format!(": {}", words.join("; ")) };
    format!("nodes {}{because}", nodes.join("-"))
}

/// A win-rate in percent, chips as they are.
fn value_in_words(feature: Feature, value: f32) -> String {
    match feature.unit() {
        Unit::ShareOfPot => format!("{:.1} %", 100.0 * value),
        Unit::Chips => format!("{value}"),
    }
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
