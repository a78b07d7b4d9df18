//! The commands of the study.

use std::path::Path;

use super::files::{DEPTHS, Files, Player, Sizes, Source, TEACHER, pairs, players, students};
use super::{ANCHOR, BUCKETS, GAME, MENU};
use crate::{Action, Options, Step, StudySection, argument};

/// All steps, in order.
pub(super) fn steps(options: &Options) -> Vec<Step> {
    let setup = Setup { options, files: Files { options }, sizes: Sizes::of(options) };
    let mut steps = Vec::new();
    let from_nothing = !options.shipped && options.teacher.is_none();
    if from_nothing {
        setup.teach(&mut steps);
    }
    let source = Source::of(options);
    let from = setup.files.teacher().map_or_else(|| "shipped".to_owned(), |path| argument(&path));
    steps.push(setup.rows(source, &from));
    if options.only == Some(StudySection::Depths) {
        setup.depths(&mut steps);
        return steps;
    }
    setup.learn(&mut steps);
    setup.losses(&mut steps);
    setup.table_1(&mut steps);
    setup.slumbot(&mut steps);
    setup.fidelity(&mut steps);
    setup.depths(&mut steps);
    if from_nothing {
        setup.curve(&mut steps);
    }
    setup.pictures(&mut steps);
    steps
}

/// The options, paths and sizes of the study.
struct Setup<'a> {
    options: &'a Options,
    files: Files<'a>,
    sizes: Sizes,
}

impl Setup<'_> {
    /// Adds the steps that train the teacher and keep its intermediate blueprints.
    fn teach(&self, steps: &mut Vec<Step>) {
        let out = self.files.at("teacher").join("teacher.blueprint");
        for &iterations in &self.sizes.iterations {
            let title = format!("the teacher, {iterations} iterations");
            let copy = self.files.blueprint(iterations);
            let printed = self.files.at("teacher").join(format!("{iterations}.txt"));
            steps.push(
                Step::command(&title, "train cfr")
                    .with(["--game", GAME, "--menu", MENU, "--buckets", BUCKETS])
                    .with(["--threads", "1", "--time", "24h"])
                    .with(["--iterations", &iterations.to_string(), "--out", &argument(&out)])
                    .prints_into(&printed),
            );
            let action = Action::Copy { from: out.clone(), to: copy };
            steps.push(Step { title: format!("{title}, kept"), action });
        }
    }

    /// Makes the rows of a teacher's decisions.
    fn rows(&self, source: Source, from: &str) -> Step {
        let out = self.files.rows(source);
        let rows = self.sizes.rows.to_string();
        Step::command(format!("rows of {}", source.words()), "train dataset")
            .with(["--from", from, "--rows", &rows, "--out", &argument(&out)])
            .makes(&out)
    }

    /// Trains a student on these rows.
    fn student(&self, title: String, kind: &str, source: Source, out: &Path) -> Step {
        let Sizes { rounds, starts, epochs, .. } = self.sizes;
        let lesson = match kind {
            "oct" => format!("oct --starts {starts} --survivors 2 --rounds 4 --regrows 1"),
            "xgboost" => {
                format!("xgboost --rounds {rounds} --eta 0.2 --min-child-weight 30 --small")
            }
            "mlp" => format!("mlp --hidden 256,256,256 --epochs {epochs} --batch 512 --small"),
            kind => kind.to_owned(),
        };
        let device = self.options.device.filter(|_| kind == "mlp");
        self.lesson(title, &lesson, source, out).on(device)
    }

    fn lesson(&self, title: String, lesson: &str, source: Source, out: &Path) -> Step {
        let data = argument(&self.files.rows(source));
        Step::command(title, &format!("train {lesson}"))
            .with(["--data", &data, "--out", &argument(out)])
            .makes(out)
    }

    /// Adds the steps that train the students, unless they are built in.
    fn learn(&self, steps: &mut Vec<Step>) {
        let source = Source::of(self.options);
        let mut learn = |student: &Player, network: Option<crate::Network>| {
            let out = self.files.student(&student.name);
            let title = format!("{} of {}", student.name, source.words());
            let step = match network {
                Some(crate::Network { layers, units }) => {
                    let hidden = vec![units.to_string(); layers.into()].join(",");
                    let epochs = self.sizes.epochs.min(20);
                    let lesson = format!("mlp --hidden {hidden} --epochs {epochs}");
                    self.lesson(title, &lesson, source, &out).on(self.options.device)
                }
                None => self.student(title, student.kind, source, &out),
            };
            let printed = self.files.at("students").join(format!("{}.json", student.name));
            steps.push(step.with(["--json"]).prints_into(&printed));
        };
        for student in students(self.options).iter().rev() {
            match self.options.network {
                Some(network) if student.name == format!("mlp-{network}") => {
                    learn(student, Some(network));
                }
                _ if self.options.shipped => {}
                _ => learn(student, None),
            }
        }
    }

    fn losses(&self, steps: &mut Vec<Step>) {
        let mut losses = Step::command("log-losses of all students", "train compare");
        for student in students(self.options) {
            losses = losses.with([student.agent.as_str()]);
        }
        let data = argument(&self.files.rows(Source::of(self.options)));
        steps.push(
            losses.with(["--data", &data, "--json"]).prints_into(&self.files.at("losses.json")),
        );
    }

    /// Adds the matches of all pairs, with the likeliest action and with sampled actions.
    fn table_1(&self, steps: &mut Vec<Step>) {
        let players = players(self.options);
        for pair in pairs(players.len()) {
            let [one, other] = pair.map(|player| &players[player]);
            let title = format!("{} against {}", one.name, other.name);
            steps.push(a_match(
                &title,
                [&one.agent, &other.agent],
                self.sizes.hands,
                &self.files.match_of(&one.name, &other.name),
            ));
            steps.push(a_match(
                &format!("{title}, actions drawn"),
                [&one.sampled, &other.sampled],
                self.sizes.sampled,
                &self.files.sampled(&one.name, &other.name),
            ));
        }
    }

    fn slumbot(&self, steps: &mut Vec<Step>) {
        for run in &self.options.slumbot {
            steps.push(
                Step::command(format!("{} against Slumbot: estimates", run.kind), "stats")
                    .with([&argument(&run.folder), "--json"])
                    .prints_into(&self.files.slumbot(&run.kind)),
            );
        }
    }

    fn fidelity(&self, steps: &mut Vec<Step>) {
        let players = players(self.options);
        let hands = self.sizes.fidelity.to_string();
        for [student, teacher] in players[..players.len() - 1]
            .iter()
            .map(|student| [student, &players[players.len() - 1]])
        {
            steps.push(
                Step::command(
                    format!("what {} loses to the {TEACHER}", student.name),
                    "explain fidelity",
                )
                .with([student.agent.as_str(), "--teacher", &teacher.agent, "--game", GAME])
                .with(["--hands", &hands, "--json"])
                .prints_into(&self.files.fidelity(&student.name)),
            );
        }
    }

    /// Adds the trees of each depth and their matches; the deepest are the students themselves, if
    /// there are any.
    fn depths(&self, steps: &mut Vec<Step>) {
        let source = Source::of(self.options);
        let students = match self.options.only {
            None => students(self.options),
            Some(StudySection::Depths) => Vec::new(),
        };
        for depth in DEPTHS {
            let trees = ["oct", "cart"].map(|kind| {
                let own = students.iter().find(|student| student.name == kind);
                if let Some(own) = own.filter(|_| depth == DEPTHS[DEPTHS.len() - 1]) {
                    return own.agent.clone();
                }
                let out = self.files.at("depths").join(format!("{kind}-{depth}"));
                let title = format!("{kind} of depth {depth}");
                let step = self.student(title, kind, source, &out);
                steps.push(step.with(["--depth", &depth.to_string()]));
                format!("{kind}:model={}", argument(&out))
            });
            steps.push(a_match(
                &format!("oct of depth {depth} against cart"),
                [&trees[0], &trees[1]],
                self.sizes.depth,
                &self.files.depth(depth),
            ));
        }
    }

    /// Figure 5: adds the boosted trees of each blueprint, and the matches of both against the
    /// anchor.
    fn curve(&self, steps: &mut Vec<Step>) {
        let anchor = ANCHOR.to_owned();
        for &iterations in &self.sizes.iterations {
            let source = Source::Iterations(iterations);
            let blueprint = argument(&self.files.blueprint(iterations));
            let mut folder = self.files.student("xgboost");
            if source != Source::of(self.options) {
                folder = self.files.at("curve").join(format!("xgboost-{iterations}"));
                steps.push(self.rows(source, &blueprint));
                let title = format!("xgboost of {iterations} iterations");
                steps.push(self.student(title, "xgboost", source, &folder));
            }
            let who = [
                ("xgboost", format!("xgboost:model={}", argument(&folder))),
                (TEACHER, format!("cfr:blueprint={blueprint}")),
            ];
            for (who, agent) in who {
                steps.push(a_match(
                    &format!("{who} of {iterations} iterations against {ANCHOR}"),
                    [&agent, &anchor],
                    self.sizes.point,
                    &self.files.point(who, iterations),
                ));
            }
        }
    }

    /// Figures 4, 6, 7 and 8: adds the pictures of the optimal tree.
    fn pictures(&self, steps: &mut Vec<Step>) {
        let oct = students(self.options).into_iter().find(|student| student.name == "oct");
        let oct = oct.expect("it is a student").agent;
        let chart = argument(&self.files.at("opening.svg"));
        steps.push(
            Step::command("the opening chart", "explain chart")
                .with([oct.as_str(), "--svg", &chart, "--json"])
                .prints_into(&self.files.at("opening.json")),
        );
        for picture in PICTURES {
            let words = format!("explain tree {} --format svg", picture.options);
            let out = argument(&self.files.at(&format!("{}.svg", picture.name)));
            steps.push(Step::command(picture.title, &words).with([oct.as_str(), "--out", &out]));
        }
        steps.push(
            Step::command("where the optimal tree bluffs", "explain bluffs")
                .with([oct.as_str(), "--json"])
                .prints_into(&self.files.at("bluffs.json")),
        );
    }
}

/// A picture of a part of the optimal tree.
pub(super) struct Picture {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    options: &'static str,
    /// The caption.
    pub(super) shows: &'static str,
}

/// The pictures of the optimal tree.
pub(super) const PICTURES: [Picture; 5] = [
    Picture {
        name: "tree-preflop",
        title: "the tree before the flop",
        options: "--street preflop --depth 3",
        shows: "The top branches before the flop (as in Figure 4).",
    },
    Picture {
        name: "tree-river",
        title: "the tree on the river",
        options: "--street river --depth 3",
        shows: "The top branches on the river.",
    },
    Picture {
        name: "figure-7",
        title: "the tree before the flop, where it bluffs",
        options: "--street preflop --around bluff --depth 4",
        shows: "Before the flop, around the leaf that bluffs most often in play (as in Figure 7).",
    },
    Picture {
        name: "figure-7-river",
        title: "the tree on the river, where it bluffs",
        options: "--street river --around bluff --depth 4",
        shows: "On the river, around the leaf that bluffs most often in play.",
    },
    Picture {
        name: "figure-8",
        title: "the tree before the flop, where it bets for value",
        options: "--street preflop --around value --depth 4",
        shows: "Before the flop, around the leaf that raises most often in play with strong hands \
                (as in Figure 8).",
    },
];

fn a_match(title: &str, agents: [&String; 2], hands: u64, prints: &Path) -> Step {
    let hands = hands.to_string();
    Step::command(title, "match")
        .with([agents[0], agents[1]])
        .with(["--game", GAME, "--hands", &hands, "--record", "nothing", "--json"])
        .prints_into(prints)
}
