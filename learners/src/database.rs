//! Random endgames with their equilibria, as a file that is mapped into memory.
//!
//! A file is the bytes `cardends`, the length of the card as a 32-bit number, the card as TOML,
//! zeros up to a multiple of 64, and then the games: 32-bit floats, little-endian, for each game
//! the shares of the first player's cards, those of the second's, the value to the first, and the
//! first player's central equilibrium, a row of sizes for each card.
//!
//! Game `n` of a seed is the same in every file: its own random numbers make both distributions
//! (Algorithm 4), which are rounded to 32 bits before they are solved. A file in the making is
//! `FILE.partial`, which the same command goes on with; it gets its name when it is whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use models::mapped::{Mapped, map};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use show::number::hexadecimal;
use solvers::endgame::{Bets, Endgame, EndgameError};
use zerocopy::FromBytes;

use super::simplex;
use crate::trees::mixed;

/// The version of the format that this program reads and writes.
pub const FORMAT: u32 = 1;

const MAGIC: &[u8; 8] = b"cardends";

/// Games between two looks at whether to stop.
const CHUNK: u64 = 512;

/// What stands in the hash's place while a file is made.
const UNMADE: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// What a database says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// The version of the format.
    pub format: u32,
    /// The name and version of the program that wrote it.
    pub made_by: String,
    /// Cards of the deck.
    pub cards: usize,
    /// The sizes of bets in pots, rising from 0.
    pub sizes: Vec<f64>,
    /// Where the random numbers come from.
    pub seed: u64,
    /// The number of the first game.
    pub first: u64,
    /// How many games.
    pub games: u64,
    /// SHA-256 of the games' bytes.
    pub sha256: String,
}

/// A database of endgames.
#[derive(Debug)]
pub struct Database {
    card: Card,
    bytes: Mapped,
    start: usize,
}

/// A game of a database with its equilibrium.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solved<'a> {
    /// The shares of the first player's cards, from the worst.
    pub first: &'a [f32],
    /// The shares of the second player's cards.
    pub second: &'a [f32],
    /// What the first player gets, in pots.
    pub value: f32,
    /// The first player's probability of each size, a row for each card.
    pub strategy: &'a [f32],
}

/// Why a database cannot be made or read.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// A file cannot be read or written.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file is none.
    #[error("{}: {reason}; this is no database of `cardroom endgame database`", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Another database is in the way or was given.
    #[error("{}: its {what} is {found}, and {expected} is asked for: {remedy}", .path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: &'static str,
        /// What is there.
        found: String,
        /// What is asked for.
        expected: String,
        /// What to do.
        remedy: &'static str,
    },
    /// There is a file of the name.
    #[error("{} is there already: give --out another name, or remove it", .0.display())]
    Exists(PathBuf),
    /// The deck is none.
    #[error(transparent)]
    Game(#[from] EndgameError),
}

/// How the making of a database ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Made {
    /// It is whole.
    Whole(Card),
    /// It was stopped after so many games, which the next call goes on from.
    Stopped(u64),
}

/// What a database is to hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Cards of the deck.
    pub cards: usize,
    /// The sizes.
    pub bets: Bets,
    /// Where the random numbers come from.
    pub seed: u64,
    /// The numbers of the games.
    pub games: Range<u64>,
    /// The name and version of the program.
    pub made_by: String,
}

impl Plan {
    fn card(&self, sha256: &str) -> Card {
        Card {
            format: FORMAT,
            made_by: self.made_by.clone(),
            cards: self.cards,
            sizes: self.bets.sizes().to_vec(),
            seed: self.seed,
            first: self.games.start,
            games: self.games.end - self.games.start,
            sha256: sha256.to_owned(),
        }
    }

    /// The distributions of a game, rounded to 32 bits.
    pub fn distributions(&self, game: u64) -> [Vec<f32>; 2] {
        let mut rng = Pcg64Mcg::seed_from_u64(mixed(self.seed, game));
        std::array::from_fn(|_| {
            simplex::uniform(self.cards, &mut rng).into_iter().map(|share| share as f32).collect()
        })
    }

    /// A game as its numbers.
    fn solve(&self, game: u64) -> Result<Vec<f32>, EndgameError> {
        let [first, second] = self.distributions(game);
        let solution = endgame(&first, &second, &self.bets)?.solve();
        let mut row = first;
        row.extend(second);
        row.push(solution.value as f32);
        row.extend(solution.strategy.iter().map(|&share| share as f32));
        Ok(row)
    }
}

/// The endgame of two distributions of a database.
pub fn endgame(first: &[f32], second: &[f32], bets: &Bets) -> Result<Endgame, EndgameError> {
    let [first, second] =
        [first, second].map(|shares| shares.iter().map(|&share| f64::from(share)));
    Endgame::new(&first.collect::<Vec<_>>(), &second.collect::<Vec<_>>(), bets.clone())
}

/// Makes a database, or goes on making it, on all threads of the pool it is called in; the same
/// bytes at any number of them. `watch` is told how many games there are and says whether to go on.
pub fn make(
    plan: &Plan,
    out: &Path,
    mut watch: impl FnMut(u64) -> bool,
) -> Result<Made, DatabaseError> {
    if out.exists() {
        return Err(DatabaseError::Exists(out.to_owned()));
    }
    // What cannot be solved is refused before anything is written.
    Endgame::new(&vec![1.0; plan.cards], &vec![1.0; plan.cards], plan.bets.clone())?;
    let partial = Partial::open(out, &plan.card(UNMADE))?;
    let (games, mut done) = (plan.games.end - plan.games.start, partial.done);
    let mut file = partial.file;
    let at = |source| DatabaseError::File { path: partial.path.clone(), source };
    while done < games {
        if !watch(done) {
            return Ok(Made::Stopped(done));
        }
        let first = plan.games.start + done;
        let next = (first + CHUNK).min(plan.games.end);
        let rows: Vec<Vec<f32>> =
            (first..next).into_par_iter().map(|game| plan.solve(game)).collect::<Result<_, _>>()?;
        let bytes: Vec<u8> =
            rows.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        file.write_all(&bytes).map_err(at)?;
        done += next - first;
    }
    watch(done);
    finish(file, &partial.path, out, plan.card(UNMADE)).map(Made::Whole)
}

/// Puts shards together that follow each other, in any order of the names.
pub fn merge(parts: &[PathBuf], out: &Path) -> Result<Card, DatabaseError> {
    if out.exists() {
        return Err(DatabaseError::Exists(out.to_owned()));
    }
    let opened = parts.iter().map(|path| Ok((path, Database::open(path)?)));
    let mut parts = opened.collect::<Result<Vec<_>, DatabaseError>>()?;
    parts.sort_by_key(|(_, part)| part.card.first);
    let Some((_, whole)) = parts.first() else {
        let reason = "no shards were given".to_owned();
        return Err(DatabaseError::Damaged { path: out.to_owned(), reason });
    };
    let mut card = Card { sha256: UNMADE.to_owned(), games: 0, ..whole.card.clone() };
    for (path, part) in &parts {
        let expected = Card { first: card.first + card.games, ..card.clone() };
        part.card.same(&expected, path, "give all shards of one database")?;
        card.games += part.card.games;
    }
    let partial = Partial::begin(out, &card)?;
    let mut file = partial.file;
    for (_, part) in &parts {
        file.write_all(&part.bytes[part.start..])
            .map_err(|source| DatabaseError::File { path: partial.path.clone(), source })?;
    }
    finish(file, &partial.path, out, card)
}

/// Gives a whole file its hash and its name.
fn finish(mut file: File, partial: &Path, out: &Path, card: Card) -> Result<Card, DatabaseError> {
    let finished = (|| {
        file.seek(SeekFrom::Start(head(&card).len() as u64))?;
        let (mut sum, mut piece) = (Sha256::new(), vec![0; 1 << 20]);
        loop {
            match file.read(&mut piece)? {
                0 => break,
                read => sum.update(&piece[..read]),
            }
        }
        let card = Card { sha256: hexadecimal(&sum.finalize()), ..card };
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&head(&card))?;
        file.sync_all()?;
        fs::rename(partial, out)?;
        Ok(card)
    })();
    finished.map_err(|source| DatabaseError::File { path: partial.to_owned(), source })
}

/// A database in the making.
struct Partial {
    path: PathBuf,
    file: File,
    /// Whole games in it.
    done: u64,
}

impl Partial {
    /// Goes on with what is there of the same database.
    fn open(out: &Path, card: &Card) -> Result<Partial, DatabaseError> {
        let path = Partial::path(out);
        if !path.exists() {
            return Partial::begin(out, card);
        }
        let at = |source| DatabaseError::File { path: path.clone(), source };
        let mut file = OpenOptions::new().read(true).write(true).open(&path).map_err(at)?;
        let mut bytes = vec![0; head(card).len()];
        let length = file.metadata().map_err(at)?.len();
        if length < bytes.len() as u64 {
            // It was killed before it had its card.
            return Partial::begin(out, card);
        }
        file.read_exact(&mut bytes).map_err(at)?;
        let (found, start) = read_head(&bytes)
            .map_err(|reason| DatabaseError::Damaged { path: path.clone(), reason })?;
        let remedy = "give --out another name, or remove it";
        found.same(card, &path, remedy)?;
        if found.games != card.games {
            return Err(other(&path, "number of games", &found.games, &card.games, remedy));
        }
        let row = row_bytes(card);
        let done = ((length - start as u64) / row).min(card.games);
        let end = start as u64 + done * row;
        file.set_len(end).map_err(at)?;
        file.seek(SeekFrom::Start(end)).map_err(at)?;
        Ok(Partial { path, file, done })
    }

    fn begin(out: &Path, card: &Card) -> Result<Partial, DatabaseError> {
        let path = Partial::path(out);
        let begun = (|| {
            let mut options = OpenOptions::new();
            let mut file =
                options.read(true).write(true).create(true).truncate(true).open(&path)?;
            file.write_all(&head(card))?;
            Ok(file)
        })();
        match begun {
            Ok(file) => Ok(Partial { path, file, done: 0 }),
            Err(source) => Err(DatabaseError::File { path, source }),
        }
    }

    fn path(out: &Path) -> PathBuf {
        let mut name = out.as_os_str().to_owned();
        name.push(".partial");
        name.into()
    }
}

impl Card {
    /// Whether it is of the same games, from the same number on, for the same deck.
    fn same(&self, asked: &Card, path: &Path, remedy: &'static str) -> Result<(), DatabaseError> {
        if self.cards != asked.cards {
            return Err(other(path, "deck", &self.cards, &asked.cards, remedy));
        }
        if self.sizes != asked.sizes {
            let [found, expected] = [self, asked].map(|card| format!("{:?}", card.sizes));
            return Err(other(path, "list of sizes", &found, &expected, remedy));
        }
        if self.seed != asked.seed {
            return Err(other(path, "seed", &self.seed, &asked.seed, remedy));
        }
        if self.first != asked.first {
            return Err(other(path, "first game", &self.first, &asked.first, remedy));
        }
        if self.made_by != asked.made_by {
            return Err(other(path, "program", &self.made_by, &asked.made_by, remedy));
        }
        Ok(())
    }
}

fn other(
    path: &Path,
    what: &'static str,
    found: &dyn ToString,
    expected: &dyn ToString,
    remedy: &'static str,
) -> DatabaseError {
    let (found, expected) = (found.to_string(), expected.to_string());
    DatabaseError::Other { path: path.to_owned(), what, found, expected, remedy }
}

/// The bytes before the games.
fn head(card: &Card) -> Vec<u8> {
    let text = toml::to_string(card).expect("a card is plain");
    let mut bytes = MAGIC.to_vec();
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.resize(bytes.len().next_multiple_of(64), 0);
    bytes
}

/// The card, and where the games begin.
fn read_head(bytes: &[u8]) -> Result<(Card, usize), String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("it does not begin as one")?;
    let (length, rest) = rest.split_first_chunk().ok_or("it ends before its card")?;
    let length = u32::from_le_bytes(*length) as usize;
    let text = rest.get(..length).ok_or("it ends within its card")?;
    let text = str::from_utf8(text).map_err(|error| format!("its card: {error}"))?;
    let card: Card = toml::from_str(text).map_err(|error| format!("its card: {error}"))?;
    if card.format != FORMAT {
        return Err(format!("its format is {}, and this program reads {FORMAT}", card.format));
    }
    let sizes = Bets::new(card.sizes.get(1..).unwrap_or_default());
    let whole = sizes.is_ok_and(|bets| bets.sizes() == card.sizes);
    if !whole || !(2..=Endgame::MOST_CARDS).contains(&card.cards) {
        return Err("its card has no deck or no sizes that could be solved".to_owned());
    }
    Ok((card, (MAGIC.len() + 4 + length).next_multiple_of(64)))
}

fn row_bytes(card: &Card) -> u64 {
    (4 * (2 * card.cards + 1 + card.cards * card.sizes.len())) as u64
}

impl Database {
    /// Opens a file; all of it is checked against its hash.
    pub fn open(path: &Path) -> Result<Database, DatabaseError> {
        let bytes =
            map(path).map_err(|source| DatabaseError::File { path: path.to_owned(), source })?;
        let damaged = |reason| DatabaseError::Damaged { path: path.to_owned(), reason };
        let (card, start) = read_head(&bytes).map_err(damaged)?;
        let expected = row_bytes(&card).checked_mul(card.games);
        let found = bytes.len().saturating_sub(start) as u64;
        if expected != Some(found) || start > bytes.len() {
            return Err(damaged(format!("it has {found} bytes of {} games", card.games)));
        }
        if hexadecimal(&Sha256::digest(&bytes[start..])) != card.sha256 {
            return Err(damaged("its games are not those that its hash is of".to_owned()));
        }
        Ok(Database { card, bytes, start })
    }

    /// What it says of itself.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// The sizes.
    pub fn bets(&self) -> Bets {
        Bets::new(&self.card.sizes[1..]).expect("they were checked when it was opened")
    }

    /// How many games it has.
    pub fn games(&self) -> usize {
        self.card.games as usize
    }

    /// A game by its place, from 0. Panics beyond the last.
    pub fn game(&self, place: usize) -> Solved<'_> {
        let row = row_bytes(&self.card) as usize;
        let bytes = &self.bytes[self.start + place * row..][..row];
        let numbers = <[f32]>::ref_from_bytes(bytes).expect("games begin at multiples of 64 bytes");
        let (first, rest) = numbers.split_at(self.card.cards);
        let (second, rest) = rest.split_at(self.card.cards);
        Solved { first, second, value: rest[0], strategy: &rest[1..] }
    }
}
