//! The commands of the study.

use std::path::PathBuf;

use crate::{Options, Step, argument};

/// A rule of the paper, or one added for comparison.
#[derive(Debug)]
pub(super) struct Published {
    pub(super) name: &'static str,
    pub(super) rule: &'static str,
    /// The complexity and fitness in the paper, the latter in chips per match.
    pub(super) complexity: usize,
    pub(super) fitness: Option<f64>,
}

const fn figure(
    name: &'static str,
    rule: &'static str,
    complexity: usize,
    fitness: f64,
) -> Published {
    Published { name, rule, complexity, fitness: Some(fitness) }
}

const fn beside(name: &'static str, rule: &'static str, complexity: usize) -> Published {
    Published { name, rule, complexity, fitness: None }
}

/// Rules that always play the same action.
const CALL: Published = beside("always call", "call", 1);
const RAISE: Published = beside("always raise", "raise", 1);
const PAIRS: &str = "if hand >= pair then raise; else call";

/// The streets with the rules measured there.
pub(super) const STREETS: [(&str, &[Published]); 3] = [
    (
        "flop",
        &[
            figure("figure 2", PAIRS, 3, 0.89),
            figure(
                "figure 3",
                "if hand >= pair then raise; else if pot <= 2 then raise; else if outs >= 11 then \
                 raise; else call",
                7,
                1.28,
            ),
            CALL,
            RAISE,
        ],
    ),
    (
        "turn",
        &[
            figure("figure 5", "if hand >= two pair then raise; else call", 3, -0.61),
            figure(
                "figure 6",
                "if hand <= high card then call; else if board dry then raise; else if pot >= 31 \
                 then call; else if hand <= pair then call; else raise",
                9,
                0.56,
            ),
            CALL,
            RAISE,
        ],
    ),
    (
        "river",
        &[
            figure("figure 8", "if hand <= pair then call; else raise", 3, -2.27),
            beside("figure 2 on the river", PAIRS, 3),
            figure(
                "figure 9",
                "if hand <= high card and aggressive then fold; else if hand <= two pair then \
                 call; else if pot >= 26 then fold; else raise",
                8,
                -0.41,
            ),
            beside(
                "figure 9 with a call for its second fold",
                "if hand <= high card and aggressive then fold; else if hand <= two pair then \
                 call; else if pot >= 26 then call; else raise",
                8,
            ),
            CALL,
            RAISE,
        ],
    ),
];

/// The searches: as in commands, in words, and the number of runs.
pub(super) const SEARCHES: [(&str, &str, u64); 4] = [
    ("greedy", "greedy", 1),
    ("axis", "axis-aligned", 3),
    ("genetic", "genetic programming", 3),
    ("anneal", "annealing", 3),
];

/// Further opponents for the rules, which do not look at cards.
pub(super) const OTHERS: [&str; 2] = ["call", "random"];

/// The built-in lists for limit hold'em, with descriptions.
pub(super) const LIMIT_LISTS: [(&str, &str); 2] =
    [("paper", "figures 3, 6 and 9"), ("limit", "11 statements, found")];

/// The built-in lists for no-limit hold'em, by their number of statements.
pub(super) const NO_LIMIT_LISTS: [&str; 4] = ["3", "5", "8", "12"];

/// The opponents in no-limit hold'em with the number of hands: lists were searched for against
/// `cfr`, and must be separated there.
pub(super) const NO_LIMIT: [(&str, f64); 3] = [("equity", 2e5), ("call", 2e5), ("cfr", 2e6)];

/// The scale below which there is one run of each search, on the deals of two flops, as a trial.
const TRY: f64 = 0.01;

/// The options, which determine paths and sizes.
pub(super) struct Setup<'a> {
    pub(super) options: &'a Options,
}

impl Setup<'_> {
    fn at(&self, name: &str) -> PathBuf {
        self.options.folder.join(name)
    }

    /// The output of measuring the published rules.
    pub(super) fn published(&self, street: &str) -> PathBuf {
        self.at(&format!("published-{street}.json"))
    }

    /// The output of a search's run.
    pub(super) fn searched(&self, street: &str, search: &str, seed: u64) -> PathBuf {
        self.at(&format!("{street}-{search}-{seed}.json"))
    }

    /// The output of the exhaustive search.
    pub(super) fn all(&self, street: &str) -> PathBuf {
        self.at(&format!("{street}-all.json"))
    }

    /// The output of the exhaustive search over rules of one statement about cards.
    pub(super) fn cards(&self, street: &str) -> PathBuf {
        self.at(&format!("{street}-cards.json"))
    }

    /// The output of the matches between the rules of a street.
    pub(super) fn head_to_head(&self, street: &str) -> PathBuf {
        self.at(&format!("{street}-met.json"))
    }

    /// The output of measuring the rules against another opponent.
    pub(super) fn other(&self, street: &str, opponent: &str) -> PathBuf {
        self.at(&format!("{street}-against-{opponent}.json"))
    }

    /// The output of a list's match in the whole limit game.
    pub(super) fn whole(&self, list: &str) -> PathBuf {
        self.at(&format!("whole-game-{list}.json"))
    }

    /// The output of a match of no-limit hold'em.
    pub(super) fn no_limit(&self, list: &str, against: &str) -> PathBuf {
        self.at(&format!("no-limit-{list}-{against}.json"))
    }

    /// The number of runs of a search.
    pub(super) fn runs(&self, most: u64) -> u64 {
        if self.options.scale < TRY { 1 } else { most }
    }

    fn scaled(&self, whole: f64, least: f64) -> String {
        (2.0 * (whole * self.options.scale / 2.0).round()).max(least).to_string()
    }

    /// The largest complexity for exhaustive search.
    fn complexity(&self) -> &'static str {
        match self.options.scale {
            scale if scale < 0.1 => "3",
            scale if scale < 1.0 => "5",
            _ => "6",
        }
    }

    fn heuristic(&self, title: String, street: &str) -> Step {
        let counts = argument(&self.at(&format!("{street}.counts")));
        let step = Step::command(title, "train heuristic --json").with(["--street", street]);
        match self.options.scale {
            scale if scale < TRY => step.with(["--flops", "2"]),
            _ => step.with(["--table", &counts]),
        }
    }

    /// A step that measures the printed rules, and those found by the first runs.
    fn measured(&self, title: String, street: &str, published: &[Published]) -> Step {
        let printed = published.iter().map(|Published { rule, .. }| ["--rule", rule]);
        let step = printed.fold(self.heuristic(title, street), Step::with);
        SEARCHES.iter().fold(step, |step, (search, ..)| {
            step.with([
                "--rules",
                &argument(&self.searched(street, search, 1).with_extension("fft")),
            ])
        })
    }

    fn game(&self, title: String, list: &str, against: &str, game: &str, hands: &str) -> Step {
        Step::command(title, "match --record nothing --json").with([
            &format!("fft:model={list}"),
            against,
            "--game",
            game,
            "--hands",
            hands,
        ])
    }
}

/// All steps, in order.
pub(super) fn steps(options: &Options) -> Vec<Step> {
    let setup = Setup { options };
    let mut steps = Vec::new();
    let evaluations = setup.scaled(2e4, 300.0);
    for (street, published) in &STREETS {
        let title = format!("all deals to the {street}, and the published rules");
        let mut step = setup.heuristic(title, street);
        for Published { rule, .. } in *published {
            step = step.with(["--rule", rule]);
        }
        steps.push(step.prints_into(&setup.published(street)));
        for (search, words, runs) in SEARCHES {
            for seed in 1..=setup.runs(runs) {
                let out = setup.searched(street, search, seed);
                let rule = argument(&out.with_extension("fft"));
                let step = setup.heuristic(format!("{street}: {words}, run {seed}"), street);
                let mut step = step.with(["--search", search, "--seed", &seed.to_string()]);
                // Greedy search ends by itself.
                if search != "greedy" {
                    step = step.with(["--evaluations", &evaluations]);
                }
                steps.push(step.with(["--out", &rule]).prints_into(&out));
            }
        }
        let complexity = setup.complexity();
        let step = setup.heuristic(format!("{street}: all rules up to {complexity}"), street);
        steps.push(
            step.with(["--search", "exhaustive", "--complexity", complexity])
                .prints_into(&setup.all(street)),
        );
        let title = format!("{street}: all rules of one statement about cards");
        steps.push(
            setup
                .heuristic(title, street)
                .with(["--search", "exhaustive", "--complexity", "3", "--cards-only"])
                .prints_into(&setup.cards(street)),
        );
        let title = format!("{street}: the rules against each other and a best response");
        let matches = setup.scaled(4e5, 200.0);
        steps.push(
            setup
                .measured(title, street, published)
                .with(["--response", "--meet", "--matches", &matches])
                .prints_into(&setup.head_to_head(street)),
        );
        for opponent in OTHERS {
            let title = format!("{street}: the rules against {opponent}");
            steps.push(
                setup
                    .measured(title, street, published)
                    .with(["--opponent", opponent])
                    .prints_into(&setup.other(street, opponent)),
            );
        }
    }
    let (limit, no_limit) = ("holdem.limit.2p.reverse_blinds", "holdem.nolimit.2p.reverse_blinds");
    let hands = setup.scaled(8e5, 1000.0);
    for (list, words) in LIMIT_LISTS {
        let title = format!("the whole game: {words}");
        let step = setup.game(title, list, "cfr:blueprint=categories", limit, &hands);
        steps.push(step.prints_into(&setup.whole(list)));
    }
    for list in NO_LIMIT_LISTS {
        for (against, hands) in NO_LIMIT {
            let hands = setup.scaled(hands, 1000.0);
            let title = format!("no-limit, {list} statements against {against}");
            let step = setup.game(title, &format!("no-limit-{list}"), against, no_limit, &hands);
            steps.push(step.prints_into(&setup.no_limit(list, against)));
        }
    }
    steps
}
