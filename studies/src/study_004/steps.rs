//! The commands of the study.

use std::path::PathBuf;

use crate::{Options, Step, argument};

/// A network of the study.
#[derive(Debug)]
pub(super) struct Network {
    /// The name of its encoding in commands and files.
    pub(super) encoding: &'static str,
    /// The name in the paper, or a description.
    pub(super) name: &'static str,
    /// The published results.
    pub(super) published: Option<Published>,
}

/// The published results of a network.
#[derive(Debug)]
pub(super) struct Published {
    /// The number of weights and biases.
    pub(super) parameters: u64,
    /// The encoding error, as Huber loss and mean square; `None` without buckets.
    pub(super) encoding_error: Option<[f64; 2]>,
    /// The Huber losses: abstracted training set, unabstracted, abstracted test set, unabstracted.
    pub(super) losses: [f64; 4],
}

/// All networks; the last one is not published.
pub(super) const NETWORKS: [Network; 5] = [
    Network {
        encoding: "ehs2",
        name: "E[HS²]",
        published: Some(Published {
            parameters: 4_158_652,
            encoding_error: Some([0.0240, 0.0509]),
            losses: [0.0254, 0.0387, 0.0330, 0.0434],
        }),
    },
    Network {
        encoding: "nested",
        name: "public nested",
        published: Some(Published {
            parameters: 3_506_000,
            encoding_error: Some([0.0406, 0.0886]),
            losses: [0.0080, 0.0436, 0.0161, 0.0478],
        }),
    },
    Network {
        encoding: "potential",
        name: "potential aware",
        published: Some(Published {
            parameters: 3_506_000,
            encoding_error: Some([0.0258, 0.0544]),
            losses: [0.0052, 0.0267, 0.0102, 0.0297],
        }),
    },
    Network {
        encoding: "direct",
        name: "abstraction-free",
        published: Some(Published {
            parameters: 4_184_652,
            encoding_error: None,
            losses: [0.0102, 0.0102, 0.0143, 0.0143],
        }),
    },
    Network { encoding: "by-hand", name: "one hand at a time", published: None },
];

/// The number of situations at full size, and of those solved twice.
const SITUATIONS: f64 = 10_000.0;
const SOLVED_TWICE: f64 = 100.0;

/// The iterations of the first solution and of the second.
pub(super) const ITERATIONS: [u32; 2] = [60, 600];

/// The options, which determine paths and sizes.
pub(super) struct Setup<'a> {
    pub(super) options: &'a Options,
}

impl Setup<'_> {
    fn at(&self, name: &str) -> PathBuf {
        self.options.folder.join(name)
    }

    /// The output of making the situations.
    pub(super) fn situations(&self) -> PathBuf {
        self.at("turns.json")
    }

    /// The output of training a network.
    pub(super) fn network(&self, network: &Network) -> PathBuf {
        self.at(&format!("{}.json", network.encoding))
    }

    /// The losses of a network's epochs.
    pub(super) fn losses(&self, network: &Network) -> PathBuf {
        self.at(&format!("{}.csv", network.encoding))
    }

    /// The output of comparing two solutions.
    pub(super) fn solved_twice(&self) -> PathBuf {
        self.at("solved-twice.json")
    }

    fn scaled(&self, whole: f64, least: f64) -> String {
        (whole * self.options.scale).round().max(least).to_string()
    }
}

/// All steps, in order.
pub(super) fn steps(options: &Options) -> Vec<Step> {
    let setup = Setup { options };
    let turns = argument(&setup.at("turns"));
    let mut steps = vec![
        Step::command("random turns, solved", "train situations --json")
            .with(["--count", &setup.scaled(SITUATIONS, 25.0), "--out", &turns])
            .prints_into(&setup.situations()),
    ];
    let twice = ITERATIONS.map(|iterations| argument(&setup.at(&format!("turns-{iterations}"))));
    for (iterations, out) in ITERATIONS.iter().zip(&twice) {
        let title = format!("some of them by {iterations} iterations");
        steps.push(
            Step::command(title, "train situations --json")
                .with(["--count", &setup.scaled(SOLVED_TWICE, 2.0), "--out", out])
                .with(["--iterations", &iterations.to_string()])
                .prints_into(&setup.at(&format!("turns-{iterations}.json"))),
        );
    }
    steps.push(
        Step::command("how far both solutions are apart", "train label-noise --json")
            .with([&twice[0], &twice[1]])
            .prints_into(&setup.solved_twice()),
    );
    for network in &NETWORKS {
        let title = format!("the network that sees {}", network.name);
        let out = setup.network(network).with_extension("safetensors");
        steps.push(
            Step::command(title, "train values --json")
                .with(["--data", &turns, "--encoding", network.encoding, "--out", &argument(&out)])
                .on(options.device)
                .prints_into(&setup.network(network)),
        );
    }
    steps
}
