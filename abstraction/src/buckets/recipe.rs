//! How buckets are made, as one line of text.

use std::fmt;
use std::str::FromStr;

use game::Street;

/// How the hands of one street are put into buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `169`: the starting hands, without loss. Preflop only.
    StartingHands,
    /// `category`: a pair or none before the flop, then the category of the best five cards (pair,
    /// flush, …): nine.
    Category,
    /// `ehs2:N`: so many equally likely groups of hands of rising E[HS²], the mean square of the win-rate
    /// on the river; on the river itself that is the order of win-rates. After the flop.
    Ehs2(u32),
}

/// The kinds of all four streets.
///
/// Text: `preflop=169 flop=ehs2:200 turn=ehs2:200 river=ehs2:200`, each street once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BucketRecipe([Kind; 4]);

/// Text that is not a recipe.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseRecipeError {
    /// A piece is not `STREET=KIND`.
    #[error(
        "`{0}` is not a street's buckets: write each street once, as in \
         `preflop=169 flop=ehs2:200 turn=ehs2:200 river=ehs2:200`"
    )]
    Piece(String),
    /// A kind that there is not.
    #[error("`{0}` is not a kind of buckets: there are {KINDS}")]
    Kind(String),
    /// A street is missing or given twice.
    #[error("the {street} is given {times}: write each of preflop, flop, turn and river once")]
    Times {
        /// The street.
        street: Street,
        /// How often, in words.
        times: &'static str,
    },
    /// A kind that its street cannot have.
    #[error("the {street} cannot have buckets of kind `{kind}`: {reason}")]
    Street {
        /// The street.
        street: Street,
        /// The kind.
        kind: Kind,
        /// Why not.
        reason: &'static str,
    },
    /// A number of buckets that is not possible.
    #[error("{0} buckets: ask for 1 to {MOST}")]
    Count(u32),
}

/// The most buckets of a street.
pub(super) const MOST: u32 = 65_535;

const KINDS: &str = "`169` (preflop), `category`, and after the flop `ehs2:N`";

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
        match self {
            Kind::StartingHands if street != Street::Preflop => {
                refuse("they are the hands before the flop")
            }
            Kind::StartingHands | Kind::Category => Ok(()),
            Kind::Ehs2(_) if street == Street::Preflop => refuse("take `169` or `category`"),
            Kind::Ehs2(count) if count == 0 || count > MOST => Err(ParseRecipeError::Count(count)),
            Kind::Ehs2(_) => Ok(()),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::StartingHands => f.write_str("169"),
            Kind::Category => f.write_str("category"),
            Kind::Ehs2(count) => write!(f, "ehs2:{count}"),
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
        let refuse = || ParseRecipeError::Kind(short(text));
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        let number = |text: Option<&str>| {
            let text = text.filter(|text| !text.starts_with('+')).ok_or_else(refuse)?;
            text.parse().map_err(|_| refuse())
        };
        match (name, rest) {
            ("169", None) => Ok(Kind::StartingHands),
            ("category", None) => Ok(Kind::Category),
            ("ehs2", rest) => Ok(Kind::Ehs2(number(rest)?)),
            _ => Err(refuse()),
        }
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
