//! The samples of output in README and docs are what the program prints.

use std::fs;

use crate::program::Folder;
use crate::sources::root;

/// Each sample of this document that one of these commands prints: a block of text whose first line
/// is the command's. A line that begins with `…` stands for all the rest.
fn check(document: &str, folder: &Folder, commands: &[&str]) {
    let all = fs::read_to_string(root().join(document)).expect("a document");
    let samples: Vec<&str> = all
        .split("```text\n")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("\n```")?.0))
        .collect();
    for command in commands {
        let whole = folder.ok(command);
        let first = whole.lines().next().expect("a line");
        let sample = samples
            .iter()
            .find(|sample| sample.lines().next() == Some(first))
            .unwrap_or_else(|| panic!("{document} has no sample of `cardroom {command}`: {first}"));
        let mut lines = whole.trim_end().lines();
        for shown in sample.lines() {
            if shown.starts_with('…') && lines.clone().next() != Some(shown) {
                lines.by_ref().for_each(drop);
                break;
            }
            assert_eq!(Some(shown), lines.next(), "{document}, `cardroom {command}`");
        }
        assert_eq!(lines.next(), None, "{document}, `cardroom {command}`");
    }
}

#[test]
fn the_samples_of_readme_and_guide_are_what_is_printed() {
    let folder = Folder::new();
    check("README.md", &folder, &["match equity random --hands 10000"]);
    check("docs/guide.md", &folder, &["show equity AcKd --board Ks3hJc"]);
}

#[test]
fn the_samples_of_explanations_are_what_is_printed() {
    let folder = Folder::new();
    folder.ok("match oct cfr --hands 1000 --out played");
    let commands = [
        "explain chart oct:play=sample",
        "explain tree oct --street preflop --depth 2",
        "explain bluffs oct --street river --equity 45% --raise 20% --most 2",
        "explain decision played 3",
        "explain decision played 3 0",
    ];
    check("docs/explain.md", &folder, &commands);
}
