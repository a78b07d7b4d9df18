//! Errors of building and reading networks.

use std::path::PathBuf;

/// Error for parts or bytes that are not a valid network.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The file cannot be read.
    #[error("cannot read the network {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The underlying error.
        source: std::io::Error,
    },
    /// A layer has no units, or there are no inputs.
    #[error("a network needs at least one input, one output and one unit in each hidden layer")]
    NoUnits,
    /// The number of parameters does not fit the layers.
    #[error("{found} parameters for a network of {wanted}")]
    Parameters {
        /// Number of parameters given.
        found: usize,
        /// Number of parameters of the layers.
        wanted: usize,
    },
    /// A parameter is not finite.
    #[error("parameter {at} is {value}")]
    Parameter {
        /// The parameter's index, from 0.
        at: usize,
        /// The parameter.
        value: f32,
    },
    /// The standardisation has another number of columns.
    #[error("{found} columns are standardised, and rows have {wanted}")]
    Columns {
        /// Number of standardised columns.
        found: usize,
        /// Number of columns of a row.
        wanted: usize,
    },
    /// A column has no valid standardisation.
    #[error("column {at} cannot be standardised by taking off {mean} and dividing by {scale}")]
    Scaling {
        /// The column, from 0.
        at: usize,
        /// The mean, which is subtracted.
        mean: f32,
        /// The scale, by which the difference is divided.
        scale: f32,
    },
    /// The bytes are not a safetensors file.
    #[error("byte {at}: these bytes are not a safetensors file: {reason}; copy or export it again")]
    Format {
        /// Byte offset from the beginning of the file.
        at: usize,
        /// The problem.
        reason: String,
    },
    /// A tensor is not valid.
    #[error("tensor `{tensor}`, at byte {at}: {reason}")]
    Tensor {
        /// The tensor's name.
        tensor: String,
        /// Byte offset of its numbers, or of the invalid one, from the beginning of the file.
        at: usize,
        /// The problem.
        reason: String,
    },
    /// A tensor is missing.
    #[error("the network's file has no tensor `{0}`")]
    Missing(String),
    /// An unexpected tensor, or a key of the metadata that is this program's and is not known.
    #[error("the network's file has a {0}, and no network of this program has one")]
    Unknown(String),
    /// The head of a file does not match its checksum.
    #[error(
        "the head of the network's file is not what was written: its checksum does not match; \
         copy or export it again, or, if it was changed on purpose, remove its `{}`",
        crate::checksum::KEY
    )]
    Changed,
    /// The file has another version.
    #[error(
        "the network's file is of version {found}, and this program reads {wanted}: export it again"
    )]
    Version {
        /// The version found.
        found: String,
        /// The version that this program reads.
        wanted: &'static str,
    },
    /// An unknown output.
    #[error("the network ends in the output `{found}`; known here: {known}")]
    Output {
        /// The name in the file.
        found: String,
        /// The known names.
        known: String,
    },
}
