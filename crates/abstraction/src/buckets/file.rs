//! The file format of buckets: a few readable lines of text, then the numbers that decide.
//!
//! ```text
//! cardroom buckets 1
//! recipe = preflop=169 flop=ehs2:200 turn=ehs2:200 river=ehs2:200
//! counts = 169 200 200 200
//! sha256 = 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
//! lengths = 0 796 796 796
//! ```
//!
//! Lines end with a line feed; an empty one closes them. Each street's numbers follow,
//! little-endian, as many bytes as `lengths` says: limits of percentiles (4 bytes each); scales,
//! centres (8 bytes each) and limits of nested ones; keys of features (8 bytes); centres of
//! clusters (32 bytes each). The hash is over version, recipe and these numbers: [`Buckets::hash`].

use std::io::{self, Read, Write};

use game::Street;

use super::rule::Rule;
use super::{BucketRecipe, Buckets, ParseRecipeError, VERSION};

/// Error for bytes that are not a valid bucket file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The bytes do not begin as a bucket file does.
    #[error(
        "these bytes are not a file of buckets: the first line should be `cardroom buckets \
         {VERSION}`, and is `{0}`"
    )]
    NotBuckets(String),
    /// The file has another version.
    #[error(
        "the buckets are of version {found}, and this program has version {VERSION}: make them \
         again from their recipe"
    )]
    Version {
        /// The version found.
        found: String,
    },
    /// A line is missing or malformed.
    #[error("the line `{name} = …` of the buckets is missing or wrong: `{found}`")]
    Line {
        /// The line's name.
        name: &'static str,
        /// The line found.
        found: String,
    },
    /// The recipe is invalid.
    #[error("the recipe of the buckets: {0}")]
    Recipe(#[from] ParseRecipeError),
    /// The file is too short or too long.
    #[error(
        "the buckets have {found} bytes of numbers where {wanted} are needed: the file is cut \
         off or incomplete"
    )]
    Length {
        /// Number of bytes found.
        found: u64,
        /// Number of bytes needed.
        wanted: u64,
    },
    /// The numbers of a street do not fit its kind.
    #[error("the numbers of the {0} are not those of buckets of its kind: the file is damaged")]
    Numbers(Street),
    /// The contents do not match the hash.
    #[error("the buckets are damaged: the file says their hash is {stated}, and it is {found}")]
    Damaged {
        /// The hash stated in the file.
        stated: String,
        /// The hash of the bytes.
        found: String,
    },
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Maximum length of a line.
const LONGEST_LINE: u64 = 4096;

/// Maximum number of bytes of a street's numbers.
const MAX_BYTES: u64 = 8 << 20;

impl Buckets {
    /// Writes the buckets, without their tables.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&self, mut to: impl Write) -> io::Result<()> {
        let numbers = self.rules.each_ref().map(Rule::to_bytes);
        let spaced = |numbers: [String; 4]| numbers.join(" ");
        let counts = spaced(Street::ALL.map(|street| self.count(street).to_string()));
        let lengths = spaced(numbers.each_ref().map(|bytes| bytes.len().to_string()));
        let (recipe, hash) = (self.recipe(), self.hash());
        write!(
            to,
            "cardroom buckets {VERSION}\nrecipe = {recipe}\ncounts = {counts}\nsha256 = {hash}\n\
             lengths = {lengths}\n\n"
        )?;
        numbers.iter().try_for_each(|bytes| to.write_all(bytes))?;
        to.flush()
    }

    /// Reads what [`Buckets::write`] wrote. The buckets have no tables yet.
    ///
    /// # Errors
    /// When the bytes are something else, of another version, cut off or damaged.
    pub fn read(mut from: impl Read) -> Result<Buckets, FileError> {
        let first = line(&mut from)?;
        match first.strip_prefix("cardroom buckets ") {
            None => return Err(FileError::NotBuckets(first.chars().take(40).collect())),
            Some(version) if version == VERSION.to_string() => {}
            Some(version) => {
                return Err(FileError::Version { found: version.chars().take(20).collect() });
            }
        }
        let recipe: BucketRecipe = named(&mut from, "recipe")?.parse()?;
        let counts = four(named(&mut from, "counts")?, "counts")?;
        let stated = named(&mut from, "sha256")?;
        let lengths = four(named(&mut from, "lengths")?, "lengths")?;
        let empty = line(&mut from)?;
        if !empty.is_empty() || lengths.iter().any(|&length| length > MAX_BYTES) {
            return Err(FileError::Line { name: "lengths", found: empty });
        }
        let wanted = lengths.iter().sum();
        let mut bytes = Vec::new();
        from.take(wanted + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != wanted {
            return Err(FileError::Length { found: bytes.len() as u64, wanted });
        }
        let mut rest = bytes.as_slice();
        let mut rule = |street: Street| {
            let (own, after) = rest.split_at(lengths[street.index()] as usize);
            rest = after;
            Rule::from_bytes(street, recipe.kind(street), own).ok_or(FileError::Numbers(street))
        };
        let [preflop, flop, turn, river] = Street::ALL;
        let rules = [rule(preflop)?, rule(flop)?, rule(turn)?, rule(river)?];
        let buckets = Buckets::of(recipe, rules);
        let found = Street::ALL.map(|street| u64::from(buckets.count(street)));
        if found != counts {
            return Err(FileError::Line {
                name: "counts",
                found: format!("{counts:?}, not {found:?}"),
            });
        }
        if stated != buckets.hash() {
            return Err(FileError::Damaged { stated, found: buckets.hash().to_owned() });
        }
        Ok(buckets)
    }
}

/// Reads a line, without its end.
fn line(from: &mut impl Read) -> Result<String, FileError> {
    let mut text = Vec::new();
    let mut byte = [0];
    while from.read(&mut byte)? == 1 && byte != *b"\n" && (text.len() as u64) < LONGEST_LINE {
        text.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Reads a line with this name and gives its value.
fn named(from: &mut impl Read, name: &'static str) -> Result<String, FileError> {
    let found = line(from)?;
    let value = found.strip_prefix(name).and_then(|rest| rest.strip_prefix(" = "));
    match value {
        Some(value) => Ok(value.to_owned()),
        None => Err(FileError::Line { name, found: found.chars().take(80).collect() }),
    }
}

fn four(text: String, name: &'static str) -> Result<[u64; 4], FileError> {
    let numbers: Option<Vec<u64>> = text.split(' ').map(|number| number.parse().ok()).collect();
    let four = numbers.and_then(|numbers| numbers.try_into().ok());
    four.ok_or(FileError::Line { name, found: text })
}
