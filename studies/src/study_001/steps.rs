//! The commands of the study.

use std::path::PathBuf;

use crate::{Options, Step, argument};

/// The games of Figure 1: name, the first player's cards, the second's.
pub(super) const FIGURE_1: [(&str, &str, &str); 3] = [
    ("figure-1a", "1-10", "1-10"),
    ("figure-1b", "1:0.5,10:0.5", "5"),
    ("figure-1c", "5", "1:0.5,10:0.5"),
];

/// The paths of files in the study's folder.
pub(super) struct Files<'a>(pub(super) &'a Options);

impl Files<'_> {
    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.0.folder.join(name)
    }

    fn games(&self) -> u64 {
        (100_000.0 * self.0.scale).round().max(1000.0) as u64
    }
}

/// All steps, in order.
pub(super) fn steps(options: &Options) -> Vec<Step> {
    let files = Files(options);
    let games = files.games();
    let mut steps = Vec::new();
    for (name, first, second) in FIGURE_1 {
        let picture = argument(&files.at(&format!("{name}.svg")));
        steps.push(
            Step::command(format!("the game of {}", name.replace('-', " ")), "endgame solve")
                .with(["--first", first, "--second", second, "--svg", &picture, "--json"])
                .prints_into(&files.at(&format!("{name}.json"))),
        );
    }
    let data = argument(&files.at("endgames"));
    let count = games.to_string();
    steps.push(
        Step::command("the database", "endgame database")
            .with(["--games", &count, "--out", &data, "--json"])
            .prints_into(&files.at("database.json")),
    );
    steps.push(
        Step::command("all games solved again", "endgame summary")
            .with([&data, "--json"])
            .prints_into(&files.at("summary.json")),
    );
    // As published: 80,000 of 100,000 games, a fifth of them to test on.
    let learned = (games * 4 / 5).to_string();
    let optimal = (games / 25).max(100).to_string();
    steps.push(
        Step::command("trees and neighbours", "endgame learn")
            .with(["--data", &data, "--games", &learned, "--optimal", &optimal, "--json"])
            .prints_into(&files.at("learn.json")),
    );
    for share in ["beaten", "own"] {
        let picture = argument(&files.at(&format!("tree-{share}.svg")));
        steps.push(
            Step::command(format!("the tree of Figure 5, share {share}"), "endgame tree")
                .with(["--data", &data, "--games", &learned, "--share", share])
                .with(["--svg", &picture, "--json"])
                .prints_into(&files.at(&format!("tree-{share}.json"))),
        );
    }
    let found_on = (games / 2).min(1000).to_string();
    let best = argument(&files.at("best.rules"));
    steps.push(
        Step::command("rules of few words", "endgame rules")
            .with(["--data", &data, "--lines", "4", "--games", &found_on])
            .with(["--out", &best, "--json"])
            .prints_into(&files.at("rules.json")),
    );
    steps
}
