//! Feature schemas: the definitions on which a model and a program must agree.

use std::fmt;
use std::str::FromStr;

use cards::{Distribution, Ties};
use game::Street;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Feature;

/// The definition of a decile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Quantiles {
    /// Nearest rank: the lowest win-rate that this share of the boards do not exceed.
    #[default]
    Nearest,
    /// Linear interpolation between the two nearest boards.
    Linear,
}

/// A feature schema: how ties are counted and deciles defined. The default counts ties half and
/// uses the nearest rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Schema {
    /// The value of a tie.
    pub ties: Ties,
    /// The definition of deciles.
    pub quantiles: Quantiles,
}

/// The identity of a schema in a model's manifest, which must match the reading program's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stamp {
    /// The schema's identifier, such as `holdem-35-25-15-5/1`.
    pub id: String,
    /// SHA-256 in hexadecimal digits over the identifier and the features of every street in order.
    pub sha256: String,
}

/// Error for features that this program cannot compute.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// No schema has this identifier.
    #[error(
        "the features `{0}` are unknown to this program, which has {all}: use the version the \
         model was made with, or train it again", all = known()
    )]
    Unknown(String),
    /// The identifier is known but its features differ.
    #[error(
        "the features `{id}` are not the same: {theirs} where the model was made, {ours} in this \
         program; train the model again"
    )]
    Different {
        /// The identifier.
        id: String,
        /// The first digits of the model's hash.
        theirs: String,
        /// The first digits of this program's hash.
        ours: String,
    },
}

fn known() -> String {
    Schema::ALL.map(|schema| format!("`{schema}`")).join(", ")
}

impl Schema {
    /// All schemas, the default first.
    pub const ALL: [Schema; 4] = [
        Schema { ties: Ties::Half, quantiles: Quantiles::Nearest },
        Schema { ties: Ties::WinOnly, quantiles: Quantiles::Nearest },
        Schema { ties: Ties::Half, quantiles: Quantiles::Linear },
        Schema { ties: Ties::WinOnly, quantiles: Quantiles::Linear },
    ];

    /// The stamp for a manifest.
    pub fn stamp(self) -> Stamp {
        let mut text = format!("{self}\n");
        for street in Street::ALL {
            for (index, feature) in Feature::of(street).enumerate() {
                text.push_str(&format!("{street} {index} {feature} {}\n", feature.unit()));
            }
        }
        let digits =
            Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        Stamp { id: self.to_string(), sha256: digits }
    }

    /// The schema with this stamp.
    ///
    /// # Errors
    /// When this program has no schema of that name, or one with other features.
    pub fn with_stamp(stamp: &Stamp) -> Result<Schema, SchemaError> {
        let schema: Schema = stamp.id.parse()?;
        let ours = schema.stamp();
        if ours == *stamp {
            return Ok(schema);
        }
        let short = |digits: &str| digits.chars().take(12).collect();
        let (theirs, ours) = (short(&stamp.sha256), short(&ours.sha256));
        Err(SchemaError::Different { id: stamp.id.chars().take(64).collect(), theirs, ours })
    }

    /// The ten deciles of a distribution.
    #[inline]
    pub(super) fn deciles(self, distribution: &Distribution) -> [f64; 10] {
        match self.quantiles {
            Quantiles::Nearest => distribution.deciles(),
            Quantiles::Linear => distribution.deciles_linear(),
        }
    }
}

impl fmt::Display for Schema {
    /// The identifier. The number after the slash is the version of the definitions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = Street::ALL.map(|street| Feature::count(street).to_string()).join("-");
        let ties = match self.ties {
            Ties::Half => "",
            Ties::WinOnly => "-win-only",
        };
        let quantiles = match self.quantiles {
            Quantiles::Nearest => "",
            Quantiles::Linear => "-linear",
        };
        write!(f, "holdem-{counts}{ties}{quantiles}/1")
    }
}

impl FromStr for Schema {
    type Err = SchemaError;

    /// Parses an identifier.
    fn from_str(text: &str) -> Result<Schema, SchemaError> {
        let schema = Schema::ALL.into_iter().find(|schema| schema.to_string() == text);
        schema.ok_or_else(|| SchemaError::Unknown(text.chars().take(64).collect()))
    }
}
