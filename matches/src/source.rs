//! The sources of recorded hands: a match folder, a ledger, or an ACPC log.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use game::{BySeat, GameDef, Payoff, Seat};
use logs::estimate::Observed;
use logs::formats::SiteFormat;
use logs::formats::{ReadError, acpc};
use logs::ledger::WebHand;
use logs::stats::StopRule;
use logs::{DecisionRecord, DecisionTally, HandRecord, LedgerReader, MatchInfo};
use protocol::acpc::gamedef::Reading;
use show::number::counted;

use crate::Error;
use crate::games::load_game;

/// A source of recorded hands.
#[derive(Debug)]
pub enum Source {
    /// A match folder or its ledger.
    Ledger(Box<LedgerReader>),
    /// An ACPC log.
    Log(Box<Log>),
}

/// A hand of which only the result is known, from the first entrant's view.
#[derive(Debug, Clone, Copy)]
pub struct Settled {
    /// The hand's number in the match.
    pub hand: u64,
    /// The seat of the first entrant.
    pub seat: Seat,
    /// What it won.
    pub won: Payoff,
    /// Number of hands with this result together, not all in this seat.
    pub together: u32,
    /// What Slumbot won in this seat against itself, if it is known.
    pub baseline: Option<Payoff>,
}

/// An ACPC log, of our own dealer or another.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    def: Arc<GameDef>,
    info: MatchInfo,
    /// The players' names as the log writes them.
    names: Vec<String>,
    /// Where what is wrong with the log is said, once.
    warn: Warn,
    told: Cell<bool>,
}

/// Says something to whoever reads.
struct Warn(Box<dyn Fn(&str) + Send>);

impl fmt::Debug for Warn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Warn")
    }
}

/// Hands in order with their decisions.
pub type HandsAndDecisions<'a> =
    Box<dyn Iterator<Item = Result<(HandRecord, Vec<DecisionRecord>), Error>> + 'a>;

impl Source {
    /// Opens the file or folder at this path. `game` names the game of an ACPC log; by default the
    /// log's header does. What is wrong with a log, but no error, is given to `warn`.
    ///
    /// # Errors
    /// If it is neither, or cannot be read.
    pub fn open(
        path: &Path,
        game: Option<&str>,
        warn: impl Fn(&str) + Send + 'static,
    ) -> Result<Source, Error> {
        let log = if path.is_dir() { None } else { log_start(path)? };
        let Some(header) = log else {
            return Ok(Source::Ledger(Box::new(LedgerReader::open(path)?)));
        };
        let def = log_game(path, header.as_ref(), game)?;
        let info = acpc::read_info(&def, open(path)?).map_err(|error| Error::file(path, error))?;
        let mut reader = acpc::Reader::new(&def, open(path)?);
        // The first hand names the players; it has been read before.
        let _ = reader.next();
        let names = reader.names().to_vec();
        let (path, told, warn) = (path.to_path_buf(), Cell::new(false), Warn(Box::new(warn)));
        Ok(Source::Log(Box::new(Log { path, def, info, names, warn, told })))
    }

    /// The description of the match.
    pub fn info(&self) -> &MatchInfo {
        match self {
            Source::Ledger(reader) => reader.info(),
            Source::Log(log) => &log.info,
        }
    }

    /// The players' names by number, all different, as the source writes them.
    pub fn names(&self) -> Vec<String> {
        match self {
            Source::Ledger(reader) => reader.info().names(),
            Source::Log(log) => log.names.clone(),
        }
    }

    /// The number of hands, for progress displays; for a log the number planned.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn count(&self) -> Result<u64, Error> {
        match self {
            Source::Ledger(reader) => Ok(reader.count()?),
            Source::Log(log) => Ok(log.info.hands),
        }
    }

    /// The counts of decisions; only ledgers have them.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn decisions(&self) -> Result<Option<DecisionTally>, Error> {
        let Source::Ledger(reader) = self else { return Ok(None) };
        let note = reader.note(DecisionTally::NOTE)?;
        Ok(note.and_then(|note| DecisionTally::from_note(&note)))
    }

    /// The ledger, if it is one.
    pub fn ledger(&self) -> Option<&LedgerReader> {
        match self {
            Source::Ledger(reader) => Some(reader),
            Source::Log(_) => None,
        }
    }

    /// The rule by which the match may end early, if it has one.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn stop_rule(&self) -> Result<Option<StopRule>, Error> {
        let Source::Ledger(reader) = self else { return Ok(None) };
        let note = reader.note(StopRule::NOTE)?;
        Ok(note.and_then(|note| StopRule::from_note(&note)))
    }

    /// Slumbot's winnings against itself in this side's seat with the cards of each hand, by the
    /// hand's number; empty unless the hands were played over its API.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn baselines(&self) -> Result<HashMap<u64, Payoff>, Error> {
        let Source::Ledger(reader) = self else { return Ok(HashMap::new()) };
        Ok(reader.web_baselines()?)
    }

    /// The file or folder, if it is a ledger's.
    pub fn path(&self) -> Option<&Path> {
        let Source::Ledger(reader) = self else { return None };
        let folder = reader.path().parent().filter(|folder| !folder.as_os_str().is_empty());
        Some(match folder {
            Some(folder) if reader.path().ends_with(logs::ledger::FILE_NAME) => folder,
            _ => reader.path(),
        })
    }

    /// The hands with these numbers, in order.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn records(&self, wanted: &BTreeSet<u64>) -> Result<Vec<HandRecord>, Error> {
        if let Source::Ledger(reader) = self {
            let hands = wanted.iter().map(|&hand| reader.hand(hand).map_err(Error::from));
            return hands.filter_map(Result::transpose).collect();
        }
        self.hands()?
            .filter(|hand| hand.as_ref().map_or(true, |hand| wanted.contains(&hand.hand)))
            .collect()
    }

    /// The hands of these deals, with decisions and baselines.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn drawn(&self, wanted: &dyn Fn(u64) -> bool) -> Result<Vec<Observed>, Error> {
        let mut drawn = Vec::new();
        let baselines = self.baselines()?;
        match self {
            Source::Ledger(reader) => {
                for hand in reader.hands_where(wanted)? {
                    let record = reader.hand(hand)?;
                    let decisions = reader.decisions(hand)?;
                    let baseline = baselines.get(&hand).copied();
                    drawn.extend(record.map(|record| Observed::Hand {
                        record,
                        decisions,
                        baseline,
                    }));
                }
            }
            Source::Log(_) => {
                for record in self.hands()? {
                    let record = record?;
                    if wanted(record.deal) {
                        let (decisions, baseline) = (Vec::new(), None);
                        drawn.push(Observed::Hand { record, decisions, baseline });
                    }
                }
            }
        }
        Ok(drawn)
    }

    /// The hands of which only the result is known, in order: those of a run over the Slumbot API
    /// whose end was not seen but follows from the sums of their session. They are not among
    /// [`hands`](Self::hands).
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn settled(&self) -> Result<Vec<Settled>, Error> {
        let Source::Ledger(reader) = self else { return Ok(Vec::new()) };
        if !reader.is_web_run()? {
            return Ok(Vec::new());
        }
        let settled = |hand: WebHand| {
            let (seat, won) = (Seat::new(hand.seat.into())?, Payoff::from_chips(hand.winnings?));
            let (baseline, together) = (baseline(&hand), hand.together);
            Some(Settled { hand: hand.hand, seat, won, together, baseline })
        };
        let hands = reader.web_settled()?;
        Ok(hands.into_iter().filter_map(settled).collect())
    }

    /// The recorded total winnings of each entrant, if the source is an ACPC log with a score.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn score(&self) -> Result<Option<Vec<Payoff>>, Error> {
        let Source::Log(log) = self else { return Ok(None) };
        Ok(acpc::read_score(open(&log.path)?, &log.names))
    }

    /// All hands in order, with the recorded decisions of those whose deal is wanted; only ledgers
    /// have decisions.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn hands_and_decisions<'a>(
        &'a self,
        wanted: impl Fn(u64) -> bool + 'a,
    ) -> Result<HandsAndDecisions<'a>, Error> {
        Ok(match self {
            Source::Ledger(reader) => Box::new(
                reader
                    .hands_and_decisions(0..u64::MAX, wanted)
                    .map(|both| both.map_err(Into::into)),
            ),
            Source::Log(_) => {
                Box::new(self.hands()?.map(|record| record.map(|record| (record, Vec::new()))))
            }
        })
    }

    /// All hands in order.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn hands(&self) -> Result<Box<dyn Iterator<Item = Result<HandRecord, Error>> + '_>, Error> {
        Ok(match self {
            Source::Ledger(reader) => {
                Box::new(reader.hands().map(|record| record.map_err(Error::from)))
            }
            Source::Log(log) => {
                Box::new(LogHands { log, reader: acpc::Reader::new(&log.def, open(&log.path)?) })
            }
        })
    }
}

/// The hands of a log. What is wrong with it but no error is told once, when all have been read.
struct LogHands<'a> {
    log: &'a Log,
    reader: acpc::Reader<BufReader<File>>,
}

impl Iterator for LogHands<'_> {
    type Item = Result<HandRecord, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let path = &self.log.path;
        match self.reader.next() {
            Some(Err(error)) if error.cut => {
                if !self.log.told.get() {
                    (self.log.warn.0)(&cut_off(path, &error));
                }
                self.next()
            }
            Some(Err(error)) => Some(Err(Error::file(path, error))),
            Some(Ok(record)) => Some(Ok(record)),
            None => {
                let repeated = self.reader.repeated().filter(|_| !self.log.told.get());
                if let Some((count, line)) = repeated {
                    let (path, hands) = (path.display(), counted(count, "hand"));
                    (self.log.warn.0)(&format!(
                        "{path}: {hands} with the number of an earlier one, the first on line \
                         {line}: the same hands may be there twice"
                    ));
                }
                self.log.told.set(true);
                None
            }
        }
    }
}

/// The warning of a hand that is left out because its file ends in the middle of it.
pub fn cut_off(path: &Path, error: &ReadError) -> String {
    format!("{} ends in the middle of a hand, which is left out: {error}", path.display())
}

/// Slumbot's winnings against itself; the server reports by how much this side did better.
fn baseline(hand: &WebHand) -> Option<Payoff> {
    Some(Payoff::from_chips(hand.winnings? - hand.baseline?))
}

impl Settled {
    /// The entrants by seat.
    pub fn entrants(&self) -> BySeat<u8> {
        BySeat::from_fn(2, |seat| u8::from(seat != self.seat))
    }

    /// The winnings by seat.
    pub fn payoffs(&self) -> BySeat<Payoff> {
        BySeat::from_fn(2, |seat| if seat == self.seat { self.won } else { -self.won })
    }
}

fn cannot_read(path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |error| Error::new(format!("cannot read {}: {error}", path.display()))
}

fn open(path: &Path) -> Result<BufReader<File>, Error> {
    File::open(path).map(BufReader::new).map_err(cannot_read(path))
}

/// The number of bytes read to detect the type of a file.
const START: u64 = 1 << 16;

/// The number of characters shown of the first line of an unknown file.
const SHOWN: usize = 60;

/// The beginning of a file.
fn start(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    open(path)?.take(START).read_to_end(&mut bytes).map_err(cannot_read(path))?;
    Ok(bytes)
}

/// The format of poker sites that a file has, if it has one.
///
/// # Errors
/// If it cannot be read.
pub fn site_format(path: &Path) -> Result<Option<SiteFormat>, Error> {
    if path.is_dir() {
        return Ok(None);
    }
    Ok(SiteFormat::detect(&String::from_utf8_lossy(&start(path)?)))
}

/// The game that an ACPC log names, if it has a header.
///
/// # Errors
/// If it is neither a log nor a ledger, or cannot be read.
pub(crate) fn named_game(path: &Path) -> Result<Option<String>, Error> {
    let log = if path.is_dir() { None } else { log_start(path)? };
    Ok(log.flatten().map(|header| header.game))
}

/// The header of an ACPC log; the outer `None` for a database.
fn log_start(path: &Path) -> Result<Option<Option<acpc::Header>>, Error> {
    let bytes = start(path)?;
    if bytes.starts_with(b"SQLite format 3\0") {
        return Ok(None);
    }
    let first = match acpc::read_start(&bytes) {
        acpc::Start::Log(header) => return Ok(Some(header)),
        acpc::Start::Other(first) => first,
    };
    let shown: String = first.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    let cut = if first.chars().nth(SHOWN).is_some() { "…" } else { "" };
    let begins = match shown.as_str() {
        "" => "it is empty".to_owned(),
        _ => format!("it begins with `{shown}{cut}`"),
    };
    let site = site_format(path)?.map(SiteFormat::name);
    let path = path.display();
    Err(Error::new(match site {
        Some(name) => format!(
            "{path} is {name}: `cardroom import {path} --out FOLDER` makes a match of it, which \
             can be read here"
        ),
        None => format!(
            "{path} is neither a cardroom ledger nor an ACPC log: {begins} (`cardroom import` also \
             reads PokerStars text, Open Hand History, Pokerbots game logs, Kaggle replays, PHH in \
             files named .phh or .phhs, and CSV in files named .csv)"
        ),
    }))
}

/// The game of a log: `game`, or the one in the log's header, with or without its folder.
fn log_game(
    path: &Path,
    header: Option<&acpc::Header>,
    game: Option<&str>,
) -> Result<Arc<GameDef>, Error> {
    let load = |name: &str| load_game(name, Reading::Strict);
    if let Some(name) = game {
        return load(name);
    }
    let header = header.ok_or_else(|| {
        Error::new(format!("{} does not name its game: say which with --game", path.display()))
    })?;
    let stem = Path::new(&header.game).file_stem().map(|stem| stem.to_string_lossy());
    load(&header.game).or_else(|error| stem.and_then(|stem| load(&stem).ok()).ok_or(error)).map_err(
        |error| {
            Error::new(format!(
                "{} was played in {}: {error}; say where the game is with --game",
                path.display(),
                header.game
            ))
        },
    )
}
