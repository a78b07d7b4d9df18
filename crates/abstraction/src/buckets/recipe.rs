//! Bucket recipes: how buckets are made, as one line of text.

use std::fmt;
use std::str::FromStr;

use game::Street;

/// The kind of one street's buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `169`: the starting hands, without loss. Preflop only.
    StartingHands,
    /// `category`: a pair or none before the flop, then the category of the best five cards (pair,
    /// flush, …): nine.
    Category,
    /// `ehs2:N`: N equally likely groups of hands in the order of E(HS²), the mean square of the
    /// win-rate on the river; on the river itself that is the order of win-rates. After the flop.
    Ehs2(u32),
    /// `ehs2-width:N`: N groups for equal steps of E(HS²) from 0 to 1, however many hands fall into
    /// each. After the flop.
    Ehs2Width(u32),
    /// `nested:C:N`: C classes of boards by draws and high cards, and in each N equally likely
    /// groups of hands in the order of E(HS²). After the flop.
    Nested {
        /// Number of board classes.
        classes: u32,
        /// Number of groups in each class.
        each: u32,
    },
    /// `features:S:Q`: hands that agree in the win-rate and in Q quantiles of the win-rate on the
    /// next street, all rounded to Sths. The number of buckets follows. After the flop.
    Features {
        /// Number of steps from 0 to 1.
        steps: u32,
        /// Number of quantiles, evenly spaced; on the river there are none.
        quantiles: u32,
    },
    /// `emd:N`, or `emd:N:SEED`: N clusters of hands with similar distributions of the win-rate on
    /// the next street, by k-means with the earth mover's distance. Flop and turn.
    Emd {
        /// Number of clusters.
        count: u32,
        /// Seed of the initial centres; 1 unless given.
        seed: u64,
    },
}

/// A bucket recipe: the kinds of all four streets.
///
/// Text: `preflop=169 flop=ehs2:200 turn=ehs2:200 river=ehs2:200`, each street once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BucketRecipe([Kind; 4]);

/// Error for text that is not a recipe.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseRecipeError {
    /// A part is not `STREET=KIND`.
    #[error(
        "`{0}` is not a street's buckets: write each street once, as in \
         `preflop=169 flop=ehs2:200 turn=ehs2:200 river=ehs2:200`"
    )]
    Piece(String),
    /// An unknown kind.
    #[error("`{0}` is not a kind of buckets: there are {KINDS}")]
    Kind(String),
    /// A street is missing or given twice.
    #[error("the {street} is given {times}: write each of preflop, flop, turn and river once")]
    Times {
        /// The street that is missing or repeated.
        street: Street,
        /// The number of times it is given, in words.
        times: &'static str,
    },
    /// A kind that its street cannot have.
    #[error("the {street} cannot have buckets of kind `{kind}`: {reason}")]
    Street {
        /// The street that the kind does not suit.
        street: Street,
        /// The unsuitable kind of buckets.
        kind: Kind,
        /// The reason for the refusal, in words.
        reason: &'static str,
    },
    /// An impossible number of buckets.
    #[error("{0} buckets: ask for 1 to {MAX_COUNT}")]
    Count(u64),
    /// Impossible parameters of features.
    #[error(
        "features of {steps} steps and {quantiles} quantiles: ask for 2 to 100 steps and at most 8 \
         quantiles"
    )]
    Features {
        /// Number of steps.
        steps: u32,
        /// Number of quantiles.
        quantiles: u32,
    },
}

/// Maximum number of buckets of a street.
pub(super) const MAX_COUNT: u32 = 65_535;

const KINDS: &str = "`169` (preflop), `category`, after the flop `ehs2:N`, `ehs2-width:N`, \
                     `nested:C:N` and `features:S:Q`, and on flop and turn `emd:N`";

impl BucketRecipe {
    /// A recipe from the kinds of preflop, flop, turn and river.
    ///
    /// # Errors
    /// When a street cannot have its kind.
    pub fn new(kinds: [Kind; 4]) -> Result<BucketRecipe, ParseRecipeError> {
        for (street, kind) in Street::ALL.into_iter().zip(kinds) {
            kind.check(street)?;
        }
        Ok(BucketRecipe(kinds))
    }

    /// The kind of a street.
    pub fn kind(&self, street: Street) -> Kind {
        self.0[street.index()]
    }
}

impl Kind {
    fn check(self, street: Street) -> Result<(), ParseRecipeError> {
        let refuse = |reason| Err(ParseRecipeError::Street { street, kind: self, reason });
        let count = match self {
            Kind::StartingHands if street != Street::Preflop => {
                return refuse("they are the hands before the flop");
            }
            Kind::StartingHands | Kind::Category => return Ok(()),
            _ if street == Street::Preflop => return refuse("take `169` or `category`"),
            Kind::Emd { .. } if street == Street::River => {
                return refuse("no street comes after it; take `ehs2:N`");
            }
            Kind::Features { steps: 2..=100, quantiles: 0..=8 } => return Ok(()),
            Kind::Features { steps, quantiles } => {
                return Err(ParseRecipeError::Features { steps, quantiles });
            }
            Kind::Ehs2(count) | Kind::Ehs2Width(count) | Kind::Emd { count, .. } => {
                u64::from(count)
            }
            Kind::Nested { classes, each } => u64::from(classes) * u64::from(each),
        };
        match count {
            1..=MAX_BUCKETS => Ok(()),
            _ => Err(ParseRecipeError::Count(count)),
        }
    }
}

const MAX_BUCKETS: u64 = MAX_COUNT as u64;

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::StartingHands => f.write_str("169"),
            Kind::Category => f.write_str("category"),
            Kind::Ehs2(count) => write!(f, "ehs2:{count}"),
            Kind::Ehs2Width(count) => write!(f, "ehs2-width:{count}"),
            Kind::Nested { classes, each } => write!(f, "nested:{classes}:{each}"),
            Kind::Features { steps, quantiles } => write!(f, "features:{steps}:{quantiles}"),
            Kind::Emd { count, seed: 1 } => write!(f, "emd:{count}"),
            Kind::Emd { count, seed } => write!(f, "emd:{count}:{seed}"),
        }
    }
}

impl fmt::Display for BucketRecipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [preflop, flop, turn, river] = &self.0;
        write!(f, "preflop={preflop} flop={flop} turn={turn} river={river}")
    }
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

impl FromStr for Kind {
    type Err = ParseRecipeError;

    fn from_str(text: &str) -> Result<Kind, ParseRecipeError> {
        fn number<T: FromStr>(text: &str) -> Option<T> {
            text.parse().ok().filter(|_| !text.starts_with('+'))
        }
        let parts: Vec<&str> = text.split(':').collect();
        let kind = match *parts.as_slice() {
            ["169"] => Some(Kind::StartingHands),
            ["category"] => Some(Kind::Category),
            ["ehs2", count] => number(count).map(Kind::Ehs2),
            ["ehs2-width", count] => number(count).map(Kind::Ehs2Width),
            ["nested", classes, each] => number(classes)
                .zip(number(each))
                .map(|(classes, each)| Kind::Nested { classes, each }),
            ["features", steps, quantiles] => number(steps)
                .zip(number(quantiles))
                .map(|(steps, quantiles)| Kind::Features { steps, quantiles }),
            ["emd", count] => number(count).map(|count| Kind::Emd { count, seed: 1 }),
            ["emd", count, seed] => {
                number(count).zip(number(seed)).map(|(count, seed)| Kind::Emd { count, seed })
            }
            _ => None,
        };
        kind.ok_or_else(|| ParseRecipeError::Kind(short(text)))
    }
}

impl FromStr for BucketRecipe {
    type Err = ParseRecipeError;

    fn from_str(text: &str) -> Result<BucketRecipe, ParseRecipeError> {
        let mut kinds = [None; 4];
        for piece in text.split_whitespace() {
            let refuse = || ParseRecipeError::Piece(short(piece));
            let (name, kind) = piece.split_once('=').ok_or_else(refuse)?;
            let street = Street::ALL.into_iter().find(|street| street.name() == name);
            let street = street.ok_or_else(refuse)?;
            if kinds[street.index()].replace(kind.parse()?).is_some() {
                return Err(ParseRecipeError::Times { street, times: "twice" });
            }
        }
        let mut all = [Kind::Category; 4];
        for street in Street::ALL {
            let missing = || ParseRecipeError::Times { street, times: "nowhere" };
            all[street.index()] = kinds[street.index()].ok_or_else(missing)?;
        }
        BucketRecipe::new(all)
    }
}
