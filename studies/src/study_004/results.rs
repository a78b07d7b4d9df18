//! The results of the study's commands.

use super::steps::{NETWORKS, Setup};
use crate::read::Document;
use crate::{Options, ReadError};

/// The errors of values against those of the solutions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Errors {
    pub(super) huber: f64,
    pub(super) squares: f64,
    /// The Huber loss weighted by the ranges.
    pub(super) weighted_huber: f64,
}

/// The results of a network, in the order of [`NETWORKS`].
#[derive(Debug, Clone)]
pub(super) struct Learned {
    pub(super) inputs: u64,
    pub(super) outputs: u64,
    /// The number of weights and biases.
    pub(super) parameters: u64,
    /// The errors over hands: on the training and the test situations.
    pub(super) hands: [Errors; 2],
    /// The errors over buckets, if the network sees buckets.
    pub(super) buckets: Option<[Errors; 2]>,
    /// The encoding errors of its buckets; zero if it has none.
    pub(super) encoding: Errors,
    /// The validation losses by epoch.
    pub(super) losses: Vec<f64>,
}

/// The errors between two solutions of the same situations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Apart {
    pub(super) mean: f64,
    pub(super) median: f64,
    pub(super) most: f64,
}

/// All results.
#[derive(Debug)]
pub(super) struct Results {
    pub(super) situations: u64,
    /// The numbers of training, validation and test situations.
    pub(super) parts: [u64; 3],
    /// The mean and the largest exploitability of the solutions, as shares of the pot.
    pub(super) exploitability: [f64; 2],
    pub(super) networks: Vec<Learned>,
    pub(super) zero: Errors,
    pub(super) check_down: Errors,
    /// The number of situations solved twice, and the errors between both solutions: Huber losses
    /// over all hands, and weighted by the ranges.
    pub(super) twice: u64,
    pub(super) apart: [Apart; 2],
}

impl Results {
    pub(super) fn read(options: &Options) -> Result<Results, ReadError> {
        let setup = Setup { options };
        let situations = Document::read(&setup.situations())?;
        let twice = Document::read(&setup.solved_twice())?;
        let apart = |of: &str| -> Result<Apart, ReadError> {
            let number = |name: &str| twice.number(&format!("/{of}/{name}"));
            Ok(Apart { mean: number("mean")?, median: number("median")?, most: number("most")? })
        };
        let mut networks = Vec::new();
        for network in &NETWORKS {
            let path = setup.losses(network);
            let losses = std::fs::read_to_string(&path)
                .map_err(|error| ReadError::File { path: path.display().to_string(), error })?;
            networks.push(learned(&Document::read(&setup.network(network))?, &losses)?);
        }
        let direct = Document::read(&setup.network(&NETWORKS[3]))?;
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
