//! Why there is no network.

use std::path::PathBuf;

/// Why parts or bytes are no network.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The file cannot be read.
    #[error("cannot read the network {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A layer without units, or no input.
    #[error("a network needs at least one input, one output and one unit in each hidden layer")]
    NoUnits,
    /// The parameters are too few or too many.
    #[error("{found} parameters for a network of {wanted}")]
    Parameters {
        /// Parameters given.
        found: usize,
        /// Parameters that its layers have.
        wanted: usize,
    },
    /// A parameter is no number.
    #[error("parameter {at} is {value}")]
    Parameter {
        /// Its place, from 0.
        at: usize,
        /// What it is.
        value: f32,
    },
    /// The standardisation is for rows of another length.
    #[error("{found} columns are standardised, and rows have {wanted}")]
    Columns {
        /// Columns standardised.
        found: usize,
        /// Columns of a row.
        wanted: usize,
    },
    /// A column cannot be standardised.
    #[error("column {at} cannot be standardised by taking off {mean} and dividing by {scale}")]
    Scaling {
        /// The column, from 0.
        at: usize,
        /// What would be taken off.
        mean: f32,
        /// What it would be divided by.
        scale: f32,
    },
    /// The bytes are not laid out as safetensors are.
    #[error("byte {at}: these bytes are no safetensors file: {reason}; copy or export it again")]
    Format {
        /// Where, from the beginning of the file.
        at: usize,
        /// What is wrong.
        reason: String,
    },
    /// A tensor cannot be used.
    #[error("tensor `{tensor}`, at byte {at}: {reason}")]
    Tensor {
        /// Its name.
        tensor: String,
        /// Where its numbers begin, or the wrong number stands, from the beginning of the file.
        at: usize,
        /// What is wrong.
        reason: String,
    },
    /// A tensor is not there.
    #[error("the network's file has no tensor `{0}`")]
    Missing(String),
    /// A tensor that no network has.
    #[error("the network's file has a tensor `{0}`, and no network of this program has one")]
    Unknown(String),
    /// The head of a file is not the one that was written.
    #[error(
        "the head of the network's file is not what was written: its checksum does not fit; copy or export it again, or, \
         where it was changed on purpose, take out its `{}`",
        crate::checksum::KEY
    )]
    Changed,
    /// Another version of the files.
    #[error(
        "the network's file is of version {found}, and this program reads {wanted}: export it again"
    )]
    Version {
        /// The version found.
        found: String,
        /// The version that can be read.
        wanted: &'static str,
    },
    /// An output that is not known here.
    #[error("the network ends in the output `{found}`; known here: {known}")]
    Output {
        /// Its name in the file.
        found: String,
        /// The names known.
        known: String,
    },
}
