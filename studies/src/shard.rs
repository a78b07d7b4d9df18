//! Dividing a study among several processes or machines.
//!
//! A step depends on earlier steps that make files it names. Steps that no other depends on are
//! dealt to the parts; their dependencies are done in every part that needs them, with the same
//! results everywhere.

use std::path::Path;

use runs::Shard;

use crate::{Action, Step};

/// The steps of one part, in order; `folder` is the study's.
pub fn shard_steps(steps: Vec<Step>, folder: &Path, shard: Shard) -> Vec<Step> {
    let needs = needs(&steps, folder);
    let mut wanted = vec![false; steps.len()];
    for (number, step) in (0..).zip(last(&needs)) {
        wanted[step] = shard.has(number);
    }
    for step in (0..steps.len()).rev() {
        if wanted[step] {
            needs[step].iter().for_each(|&need| wanted[need] = true);
        }
    }
    steps.into_iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(step, _)| step).collect()
}

/// The number of steps that no other depends on: the most parts that make sense.
pub fn independent(steps: &[Step], folder: &Path) -> usize {
    last(&needs(steps, folder)).len()
}

/// The steps that no other depends on.
fn last(needs: &[Vec<usize>]) -> Vec<usize> {
    (0..needs.len()).filter(|step| !needs.iter().any(|needs| needs.contains(step))).collect()
}

/// The dependencies of each step: the indices of earlier steps.
fn needs(steps: &[Step], folder: &Path) -> Vec<Vec<usize>> {
    let mut made: Vec<(usize, String)> = Vec::new();
    let mut needs = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let named = named(step, folder);
        let touches = |path: &String| {
            let by = made.iter().filter(|(_, made)| overlap(made, path));
            by.map(|&(step, _)| step).collect::<Vec<_>>()
        };
        let mut of: Vec<usize> = named.iter().flat_map(touches).collect();
        of.sort_unstable();
        of.dedup();
        // A path that no earlier step has named is made by this step.
        let new = named.into_iter().filter(|path| !made.iter().any(|(_, made)| made == path));
        let new: Vec<_> = new.map(|path| (number, path)).collect();
        made.extend(new);
        needs.push(of);
    }
    needs
}

/// Whether the paths are the same, or one contains the other.
fn overlap(one: &str, other: &str) -> bool {
    Path::new(one).starts_with(other) || Path::new(other).starts_with(one)
}

/// The paths in the study's folder that a step's arguments contain.
fn named(step: &Step, folder: &Path) -> Vec<String> {
    let text = |path: &Path| path.display().to_string();
    let words: Vec<String> = match &step.action {
        Action::Command { arguments, prints, makes } => {
            let paths = [prints, makes].into_iter().flatten().map(|path| text(path));
            arguments.iter().cloned().chain(paths).collect()
        }
        Action::Copy { from, to } => vec![text(from), text(to)],
    };
    let root = format!("{}/", folder.display());
    let mut named = Vec::new();
    for word in &words {
        for (at, _) in word.match_indices(&root) {
            let path = word[at..].split([',', '=', '"', ' ']).next().unwrap_or_default();
            named.push(path.to_owned());
        }
    }
    named
}
