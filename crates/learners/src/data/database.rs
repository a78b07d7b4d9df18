//! Databases of solved games: files that are mapped into memory.
//!
//! A file has eight magic bytes for its kind of content, the length of the card as a 32-bit number,
//! the card as TOML, zeros up to a multiple of 64, and then the games: the same number of 32-bit
//! floats for each, little-endian. Their meaning is defined by the [`Content`], such as
//! [`Situations`] for situations of hold'em.
//!
//! Game `n` of a seed is the same in every file and shard, since it has its own random numbers. An
//! unfinished file is `FILE.partial`, which the same command continues; it is renamed when
//! complete.
//!
//! [`Situations`]: crate::situations::Situations

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use models::file::{Mapped, map, sha256};
use runs::{Difference, RunError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use zerocopy::FromBytes;

use super::{partial_path, sha256_of_rest};
use crate::Error;

/// The version of the format that this program reads and writes.
pub const FORMAT: u32 = 1;

/// The placeholder for the hash in an unfinished file.
const UNMADE: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The definition of a database's games: everything that determines them but seed and number.
pub trait Content: Clone + Send + Sync + Serialize + DeserializeOwned {
    /// The first bytes of a file of this content.
    const MAGIC: &'static [u8; 8];
    /// The command that makes such files.
    const COMMAND: &'static str;
    /// The number of games solved between checks whether to stop.
    const CHUNK: u64;
    /// The name of its games.
    const GAMES: &'static str;
    /// A game with its solution, as it is stored.
    type Solved<'a>;
    /// The reason such games cannot be solved.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Checks that such games can be solved.
    fn check(&self) -> Result<(), Self::Error>;

    /// The number of floats for one game.
    fn numbers(&self) -> usize;

    /// Solves one game and returns its numbers.
    fn solve(&self, seed: u64, game: u64) -> Result<Vec<f32>, Self::Error>;

    /// The game with these numbers.
    fn solved<'a>(&self, numbers: &'a [f32]) -> Self::Solved<'a>;
}

/// The metadata of a database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Card<C> {
    /// The version of the format.
    pub format: u32,
    /// The name and version of the program that wrote it.
    pub made_by: String,
    /// The definition of the games.
    #[serde(flatten)]
    pub content: C,
    /// The seed of the games' random numbers.
    pub seed: u64,
    /// The number of the first game.
    pub first: u64,
    /// The number of games.
    pub games: u64,
    /// The number of games of the whole database, if these are a shard of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
    /// SHA-256 of the games' bytes.
    pub sha256: String,
}

/// A database of solved games, mapped into memory.
#[derive(Debug)]
pub struct Database<C> {
    card: Card<C>,
    bytes: Mapped,
    start: usize,
}

/// The result of making a database.
#[derive(Debug, Clone, PartialEq)]
pub enum MakeOutcome<C> {
    /// The database is complete.
    Whole(Card<C>),
    /// It was stopped after this number of games; the next call continues.
    Stopped(u64),
}

/// The database to make.
#[derive(Debug, Clone, PartialEq)]
pub struct DatabasePlan<C> {
    /// The definition of the games.
    pub content: C,
    /// The seed of the games' random numbers.
    pub seed: u64,
    /// The range of the games' numbers.
    pub games: Range<u64>,
    /// The number of games of the whole database, if these are a shard of it.
    pub of: Option<u64>,
    /// The name and version of the program.
    pub made_by: String,
}

impl<C: Content> DatabasePlan<C> {
    fn card(&self, sha256: &str) -> Card<C> {
        Card {
            format: FORMAT,
            made_by: self.made_by.clone(),
            content: self.content.clone(),
            seed: self.seed,
            first: self.games.start,
            games: self.games.end - self.games.start,
            of: self.of,
            sha256: sha256.to_owned(),
        }
    }
}

/// Makes a database, or continues an unfinished one, on all threads of the current pool; the bytes
/// do not depend on their number. `watch` is called with the number of games done and returns
/// whether to continue.
pub fn make<C: Content>(
    plan: &DatabasePlan<C>,
    out: &Path,
    mut watch: impl FnMut(u64) -> bool,
) -> Result<MakeOutcome<C>, Error> {
    if out.exists() {
        return Err(exists(out));
    }
    // Invalid games are refused before anything is written.
    let game = |error: C::Error| Error::new(error.to_string());
    plan.content.check().map_err(game)?;
    let partial = Partial::open(out, &plan.card(UNMADE))?;
    let (games, mut done) = (plan.games.end - plan.games.start, partial.done);
    let mut file = partial.file;
    while done < games {
        if !watch(done) {
            return Ok(MakeOutcome::Stopped(done));
        }
        let first = plan.games.start + done;
        let next = (first + C::CHUNK).min(plan.games.end);
        let rows = parallel::map(first..next, |game| plan.content.solve(plan.seed, game));
        let rows: Vec<Vec<f32>> = rows.into_iter().collect::<Result<_, _>>().map_err(game)?;
        let bytes: Vec<u8> =
            rows.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        file.write_all(&bytes).map_err(RunError::io(&partial.path))?;
        done += next - first;
    }
    watch(done);
    finish(file, &partial.path, out, plan.card(UNMADE)).map(MakeOutcome::Whole)
}

/// Whether a file begins with the magic bytes of this content.
pub fn is<C: Content>(path: &Path) -> bool {
    let mut begins = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut begins));
    read.is_ok() && begins == *C::MAGIC
}

/// Joins consecutive shards, given in any order.
pub fn merge<C: Content>(parts: &[PathBuf], out: &Path) -> Result<Card<C>, Error> {
    if out.exists() {
        return Err(exists(out));
    }
    let opened = parts.iter().map(|path| Ok((path, Database::<C>::open(path)?)));
    let mut parts = opened.collect::<Result<Vec<_>, Error>>()?;
    parts.sort_by_key(|(_, part)| part.card.first);
    let Some((_, first)) = parts.first() else {
        let reason = "no shards were given".to_owned();
        return Err(foreign::<C>(out, reason));
    };
    let of = first.card.of;
    let begin = if of.is_some() { 0 } else { first.card.first };
    let mut card = Card { sha256: UNMADE.to_owned(), first: begin, games: 0, ..first.card.clone() };
    // Games from one number on are missing, up to another.
    let missing = |first: u64, until: u64| {
        let of = of.filter(|_| first < until)?;
        let (games, last) = (C::GAMES, until - 1);
        Some(Error::new(format!("{games} {first} to {last} of {of} are missing: give all shards")))
    };
    for (path, part) in &parts {
        let next = card.first + card.games;
        if let Some(missing) = missing(next, part.card.first) {
            return Err(missing);
        }
        let expected = Card { first: next, ..card.clone() };
        part.card.same(&expected, path, "give all shards of one database, each once")?;
        card.games += part.card.games;
    }
    if let Some(missing) = of.and_then(|of| missing(card.games, of)) {
        return Err(missing);
    }
    card.of = None;
    let partial = Partial::begin(out, &card)?;
    let mut file = partial.file;
    for (_, part) in &parts {
        file.write_all(&part.bytes[part.start..]).map_err(RunError::io(&partial.path))?;
    }
    finish(file, &partial.path, out, card)
}

/// Completes a file: writes its hash and renames it.
fn finish<C: Content>(
    mut file: File,
    partial: &Path,
    out: &Path,
    card: Card<C>,
) -> Result<Card<C>, Error> {
    let finished = (|| {
        file.seek(SeekFrom::Start(head(&card).len() as u64))?;
        let card = Card { sha256: sha256_of_rest(&file)?, ..card };
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&head(&card))?;
        file.sync_all()?;
        fs::rename(partial, out)?;
        Ok(card)
    })();
    Ok(finished.map_err(RunError::io(partial))?)
}

/// An unfinished database.
struct Partial {
    path: PathBuf,
    file: File,
    /// The number of complete games in it.
    done: u64,
}

impl Partial {
    /// Opens the unfinished file of the same database, or begins one.
    fn open<C: Content>(out: &Path, card: &Card<C>) -> Result<Partial, Error> {
        let path = partial_path(out);
        if !path.exists() {
            return Partial::begin(out, card);
        }
        let at = || RunError::io(&path);
        let mut file = OpenOptions::new().read(true).write(true).open(&path).map_err(at())?;
        let mut bytes = vec![0; head(card).len()];
        let length = file.metadata().map_err(at())?.len();
        if length < bytes.len() as u64 {
            // The process was killed before the card was written.
            return Partial::begin(out, card);
        }
        file.read_exact(&mut bytes).map_err(at())?;
        let (found, start) =
            read_head::<C>(&bytes).map_err(|reason| foreign::<C>(&path, reason))?;
        let remedy = "give --out another name, or remove it";
        found.same(card, &path, remedy)?;
        if found.games != card.games {
            let [found, asked] = [found.games, card.games].map(|games| games.to_string());
            return Err(other(&path, "number of games", &found, &asked, remedy));
        }
        let row = 4 * card.content.numbers() as u64;
        let done = ((length - start as u64) / row).min(card.games);
        let end = start as u64 + done * row;
        file.set_len(end).map_err(at())?;
        file.seek(SeekFrom::Start(end)).map_err(at())?;
        Ok(Partial { path, file, done })
    }

    fn begin<C: Content>(out: &Path, card: &Card<C>) -> Result<Partial, Error> {
        let path = partial_path(out);
        let begun = (|| -> io::Result<File> {
            let mut options = OpenOptions::new();
            let mut file =
                options.read(true).write(true).create(true).truncate(true).open(&path)?;
            file.write_all(&head(card))?;
            Ok(file)
        })();
        let file = begun.map_err(RunError::io(&path))?;
        Ok(Partial { path, file, done: 0 })
    }
}

impl<C: Content> Card<C> {
    /// Checks that it has the same games, from the same number on.
    fn same(&self, asked: &Card<C>, path: &Path, remedy: &'static str) -> Result<(), Error> {
        // What the games are, and of how many; not how many of them there are by now.
        const IGNORED: [&str; 4] = ["format", "games", "sha256", "made_by"];
        const NAMED: [(&str, &str); 7] = [
            ("cards", "deck"),
            ("pots", "span of pots"),
            ("menu", "menu of bets"),
            ("iterations", "number of iterations"),
            ("sizes", "list of sizes"),
            ("of", "whole number of games"),
            ("first", "first game"),
        ];
        let found = runs::difference(self, asked, &IGNORED, &NAMED);
        let found = found.or_else(|| runs::difference(self, asked, &IGNORED[..3], &NAMED));
        if let Some(Difference { what, ours, theirs }) = found {
            return Err(other(path, &what, &ours, &theirs, remedy));
        }
        Ok(())
    }
}

fn exists(out: &Path) -> Error {
    let out = out.display();
    Error::new(format!("{out} already exists: give --out another name, or remove it"))
}

fn foreign<C: Content>(path: &Path, reason: impl std::fmt::Display) -> Error {
    Error::file(path, format!("{reason}; this is not a file of `{}`", C::COMMAND))
}

/// The error for a file of other games than are asked for.
fn other(path: &Path, what: &str, found: &str, expected: &str, remedy: &str) -> Error {
    let text = format!("its {what} is {found}, and {expected} is asked for: {remedy}");
    Error::file(path, text)
}

/// The bytes before the games.
fn head<C: Content>(card: &Card<C>) -> Vec<u8> {
    let text = toml::to_string(card).expect("a card is plain");
    let mut bytes = C::MAGIC.to_vec();
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.resize(bytes.len().next_multiple_of(64), 0);
    bytes
}

/// Parses the card; also returns the offset of the games.
fn read_head<C: Content>(bytes: &[u8]) -> Result<(Card<C>, usize), String> {
    let rest = bytes.strip_prefix(C::MAGIC).ok_or("it does not begin like one")?;
    let (length, rest) = rest.split_first_chunk().ok_or("it ends before its card")?;
    let length = u32::from_le_bytes(*length) as usize;
    let text = rest.get(..length).ok_or("it ends within its card")?;
    let text = str::from_utf8(text).map_err(|error| format!("its card: {error}"))?;
    let table: toml::Table = text.parse().map_err(|error| format!("its card: {error}"))?;
    let keys: Vec<String> = table.keys().cloned().collect();
    let card: Card<C> = table.try_into().map_err(|error| format!("its card: {error}"))?;
    if card.format != FORMAT {
        return Err(format!("its format is {}, and this program reads {FORMAT}", card.format));
    }
    let known = toml::Table::try_from(&card).map_err(|error| format!("its card: {error}"))?;
    if let Some(key) = keys.iter().find(|key| !known.contains_key(*key)) {
        return Err(format!("its card has a field `{key}`, which this program does not know"));
    }
    card.content.check().map_err(|error| format!("its card: {error}"))?;
    Ok((card, (C::MAGIC.len() + 4 + length).next_multiple_of(64)))
}

impl<C: Content> Database<C> {
    /// Opens a file and checks all of it against its hash.
    pub fn open(path: &Path) -> Result<Database<C>, Error> {
        let bytes = map(path).map_err(RunError::io(path))?;
        let damaged = |reason: String| {
            let command = C::COMMAND;
            Error::file(path, format!("{reason}; copy it again, or make it again with `{command}`"))
        };
        let (card, start) = read_head::<C>(&bytes).map_err(|reason| foreign::<C>(path, reason))?;
        let expected = (4 * card.content.numbers() as u64).checked_mul(card.games);
        let found = bytes.len().saturating_sub(start) as u64;
        if expected != Some(found) || start > bytes.len() {
            let games = format!("{} {}", card.games, C::GAMES);
            let wanted = expected.map_or_else(String::new, |bytes| format!(", which take {bytes}"));
            return Err(damaged(format!("it has {found} bytes of {games}{wanted}")));
        }
        if sha256(&bytes[start..]) != card.sha256 {
            return Err(damaged(format!("its {} do not match its hash", C::GAMES)));
        }
        Ok(Database { card, bytes, start })
    }

    /// The database's metadata.
    pub fn card(&self) -> &Card<C> {
        &self.card
    }

    /// The number of games.
    pub fn games(&self) -> usize {
        self.card.games as usize
    }

    /// The game at an index. Panics beyond the last.
    pub fn game(&self, index: usize) -> C::Solved<'_> {
        let row = 4 * self.card.content.numbers();
        let bytes = &self.bytes[self.start + index * row..][..row];
        let numbers = <[f32]>::ref_from_bytes(bytes);
        let numbers = numbers.expect("games begin at multiples of 64 bytes");
        self.card.content.solved(numbers)
    }
}
