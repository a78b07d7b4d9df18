//! What the commands of the study printed.

use super::steps::{NETWORKS, Plan};
use crate::read::Document;
use crate::{Options, ReadError};

/// How far values are from those of the solutions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Errors {
    pub(super) huber: f64,
    pub(super) squares: f64,
    /// Weighed by the ranges.
    pub(super) weighted_huber: f64,
}

/// A network, by [`NETWORKS`].
#[derive(Debug, Clone)]
pub(super) struct Learned {
    pub(super) inputs: u64,
    pub(super) outputs: u64,
    /// Weights and biases.
    pub(super) parameters: u64,
    /// Of hands: on the situations it learned from, and on the test.
    pub(super) hands: [Errors; 2],
    /// Of buckets, where it sees buckets.
    pub(super) buckets: Option<[Errors; 2]>,
    /// What buckets lose; nothing where none are seen.
    pub(super) encoding: Errors,
    /// Losses of validation by epoch.
    pub(super) losses: Vec<f64>,
}

/// Differences of two solutions of the same situations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Apart {
    pub(super) mean: f64,
    pub(super) median: f64,
    pub(super) most: f64,
}

/// Everything.
#[derive(Debug)]
pub(super) struct Results {
    pub(super) situations: u64,
    /// Situations to learn from, to choose by, and to test.
    pub(super) parts: [u64; 3],
    /// How far the solutions are from equilibria, as shares of the pot.
    pub(super) exploitability: [f64; 2],
    pub(super) networks: Vec<Learned>,
    pub(super) zero: Errors,
    pub(super) check_down: Errors,
    /// How many were solved twice, and how far the solutions are apart: Huber losses over all
    /// hands, and weighed by the ranges.
    pub(super) twice: u64,
    pub(super) apart: [Apart; 2],
}

impl Results {
    pub(super) fn read(options: &Options) -> Result<Results, ReadError> {
        let plan = Plan { options };
        let situations = Document::read(&plan.situations())?;
        let twice = Document::read(&plan.solved_twice())?;
        let apart = |of: &str| -> Result<Apart, ReadError> {
            let number = |name: &str| twice.number(&format!("/{of}/{name}"));
            Ok(Apart { mean: number("mean")?, median: number("median")?, most: number("most")? })
        };
        let mut networks = Vec::new();
        for network in &NETWORKS {
            networks.push(learned(
                &Document::read(&plan.network(network))?,
                &std::fs::read_to_string(plan.losses(network)).unwrap_or_default(),
            )?);
        }
        let direct = Document::read(&plan.network(&NETWORKS[3]))?;
        let part = |name: &str| direct.number(&format!("/situations/{name}"));
        Ok(Results {
            situations: situations.number("/situations")? as u64,
            parts: [part("train")? as u64, part("validation")? as u64, part("test")? as u64],
            exploitability: [
                situations.number("/exploitability/mean")?,
                situations.number("/exploitability/most")?,
            ],
            networks,
            zero: errors(&direct, "/zero")?,
            check_down: errors(&direct, "/check_down")?,
            twice: twice.number("/situations")? as u64,
            apart: [apart("huber")?, apart("weighted_huber")?],
        })
    }
}

fn errors(document: &Document, at: &str) -> Result<Errors, ReadError> {
    let number = |name: &str| document.number(&format!("{at}/{name}"));
    Ok(Errors {
        huber: number("huber")?,
        squares: number("mean_square")?,
        weighted_huber: number("weighted_huber")?,
    })
}

fn learned(document: &Document, losses: &str) -> Result<Learned, ReadError> {
    let two = |at: &str| -> Result<[Errors; 2], ReadError> {
        Ok([errors(document, &format!("{at}/train"))?, errors(document, &format!("{at}/test"))?])
    };
    let sees_buckets = document.number("/encoding_error/huber").is_ok();
    let nothing = Errors { huber: 0.0, squares: 0.0, weighted_huber: 0.0 };
    Ok(Learned {
        inputs: document.number("/inputs")? as u64,
        outputs: document.number("/outputs")? as u64,
        parameters: (document.number("/weights")? + document.number("/biases")?) as u64,
        hands: two("/hands")?,
        buckets: sees_buckets.then(|| two("/buckets")).transpose()?,
        encoding: if sees_buckets { errors(document, "/encoding_error")? } else { nothing },
        losses: losses
            .lines()
            .skip(1)
            .filter_map(|line| line.rsplit(',').next()?.parse().ok())
            .collect(),
    })
}
