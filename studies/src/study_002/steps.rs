//! The commands of the study.

use std::path::{Path, PathBuf};

use crate::{Options, Step, argument};

/// The stacks at which rules are learned, in big blinds.
pub(super) const STACKS: std::ops::RangeInclusive<u32> = 5..=20;

/// The forms of a rule's weights: as in commands, and in words.
pub(super) const FORMS: [(&str, &str); 4] = [
    ("published", "the seven features"),
    ("call", "and a constant for calls"),
    ("pair", "and a weight for pairs"),
    ("own", "all of these for each blind"),
];

/// The peculiarities left out in turn, and the rule without them in words.
pub(super) const QUIRKS: [(&str, &str); 6] = [
    ("update-after-fold", "the big blind does not learn when the small blind has folded"),
    ("coin-flips", "an all-in pays its mean instead of a random result"),
    ("half-exploration", "the whole share of exploration reverses actions, not half of it"),
    ("random-start", "weights start at zero"),
    ("stale-estimate", "the big blind estimates after the small blind has learned"),
    ("exploring-opponents", "no blind learns when the other one has explored"),
];

/// The options, which determine paths and sizes.
pub(super) struct Setup<'a> {
    pub(super) options: &'a Options,
}

impl Setup<'_> {
    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.options.folder.join(name)
    }

    /// The output of learning without a peculiarity.
    pub(super) fn without(&self, quirk: &str) -> PathBuf {
        self.at("ablations").join(format!("without-{quirk}.json"))
    }

    /// The output of learning with other weights.
    pub(super) fn learned_form(&self, form: &str) -> PathBuf {
        self.at("ablations").join(format!("weights-{form}.json"))
    }

    /// The output of a search.
    pub(super) fn searched(&self, form: &str) -> PathBuf {
        self.at("search").join(format!("{form}.json"))
    }

    /// The output of drawing a stack's charts; the picture has another extension.
    pub(super) fn charts(&self, stack: u32) -> PathBuf {
        self.at(&format!("charts-{stack}.json"))
    }

    fn scaled(&self, whole: f64, least: f64) -> String {
        (whole * self.options.scale).round().max(least).to_string()
    }

    fn seeds(&self) -> String {
        (20.0 * self.options.scale.sqrt()).round().max(2.0).to_string()
    }

    /// A step that learns by self-play.
    fn learn(&self, title: &str, stacks: &str, file: &Path, more: &[&str]) -> Step {
        let hands = self.scaled(1e7, 1000.0);
        let out = argument(&file.with_extension("toml"));
        let words = format!("train linear --stack {stacks} --hands {hands}");
        let step = Step::command(title, &format!("{words} --seeds {}", self.seeds()));
        let step = more.iter().fold(step, |step, word| step.with([word]));
        step.with(["--out", &out, "--json"]).prints_into(file)
    }
}

/// All steps, in order.
pub(super) fn steps(options: &Options) -> Vec<Step> {
    let setup = Setup { options };
    let stacks = format!("{}..{}", STACKS.start(), STACKS.end());
    let mut steps = vec![
        Step::command("equilibria, and rules that need no learning", "solve shove-fold")
            .with(["--stack", "2..20", "--rules", "published", "--rules", "sage"])
            .with(["--rules", "sage-best", "--rules", "always", "--rules", "never", "--json"])
            .prints_into(&setup.at("judged.json")),
        Step::command("what the published weights say", "explain linear published --json")
            .prints_into(&setup.at("words.json")),
        setup.learn("the published algorithm, by stack", &stacks, &setup.at("learned.json"), &[]),
    ];
    let evaluations = setup.scaled(2e4, 50.0);
    for (form, words) in FORMS {
        let file = setup.searched(form);
        let out = argument(&file.with_extension("toml"));
        steps.push(
            Step::command(format!("the best weights: {words}"), "train linear --method search")
                .with(["--stack", &stacks, "--weights", form, "--evaluations", &evaluations])
                .with(["--out", &out, "--json"])
                .prints_into(&file),
        );
    }
    for (quirk, words) in QUIRKS {
        let file = setup.without(quirk);
        steps.push(setup.learn(words, "10", &file, &["--without", quirk]));
    }
    for (form, words) in &FORMS[1..] {
        let title = format!("the published algorithm with other weights: {words}");
        steps.push(setup.learn(&title, "10", &setup.learned_form(form), &["--weights", form]));
    }
    let questions = setup.scaled(6.0, 2.0);
    steps.push(
        Step::command("the best trees of questions", "solve range-trees --depth 4 --json")
            .with(["--stack", &stacks, "--questions", &questions])
            .prints_into(&setup.at("trees.json")),
    );
    let learned = argument(&setup.at("learned.toml"));
    for stack in STACKS {
        let charts = setup.charts(stack);
        let svg = argument(&charts.with_extension("svg"));
        steps.push(
            Step::command(format!("charts at {stack} big blinds"), "solve shove-fold --json")
                .with(["--stack", &stack.to_string(), "--rules", &learned, "--svg", &svg])
                .prints_into(&charts),
        );
    }
    steps
}
