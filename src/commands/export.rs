//! `cardroom export`: writes a match in another format.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use logs::MatchInfo;
use logs::folder::FILES;
use logs::formats::{ExportError, Format, phh, write_match};
use matches::source::Source;

use crate::arguments::Given;
use crate::exit::Failure;
use crate::output::warn;
use crate::report;

/// Export a match's hands: ACPC log, PHH, CSV, JSON lines, PokerStars' text, Open Hand History,
/// a Pokerbots game log.
///
/// Reads a match folder, a ledger, or the log of any ACPC dealer. Readers load PHH files as a
/// whole, so these are split after --hands-per-file hands: OUT.phhs, OUT-2.phhs and so on.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    given: Given,
    /// A match folder, a ledger, or an ACPC log
    #[arg(value_name = "MATCH")]
    source: PathBuf,
    /// Output format
    #[arg(long, value_enum)]
    format: FormatName,
    /// The file to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long, requires = "out")]
    force: bool,
    /// The game of an ACPC log, if its first line does not identify it
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Replace the players' names with `player-1`, `player-2` and so on, in their order
    #[arg(long)]
    anonymise: bool,
    /// Maximum hands in one PHH file
    #[arg(long, value_name = "N", default_value_t = phh::HANDS_PER_FILE)]
    hands_per_file: u64,
}

/// The formats by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatName {
    /// The ACPC dealer's log
    Acpc,
    /// Poker hand history 0.0.2, many hands per file
    Phhs,
    /// A row for each hand and seat
    Csv,
    /// A JSON object for each hand
    Jsonl,
    /// PokerStars' text: the first player's view, 100 chips per dollar
    #[value(name = "pokerstars")]
    PokerStars,
    /// Open Hand History 1.4.7: JSON, with a blank line between hands
    Ohh,
    /// The log of the engine of MIT Pokerbots, for its game only
    Gamelog,
}

impl FormatName {
    /// The format of this name.
    fn format(self) -> Format {
        match self {
            FormatName::Acpc => Format::Acpc,
            FormatName::Phhs => Format::Phhs,
            FormatName::Csv => Format::Csv,
            FormatName::Jsonl => Format::Jsonl,
            FormatName::PokerStars => Format::PokerStars,
            FormatName::Ohh => Format::Ohh,
            FormatName::Gamelog => Format::Gamelog,
        }
    }
}

/// Runs the command: reads the match and writes it.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.format != FormatName::Phhs {
        args.given.refuse(&["hands_per_file"], "it is for --format phhs")?;
    }
    let format = args.format.format();
    if args.hands_per_file == 0 {
        return Err(Failure::usage("--hands-per-file must be at least 1"));
    }
    let source = opened(args)?;
    let hands = source.count()?;
    if format == Format::Phhs && args.out.is_none() && hands > args.hands_per_file {
        return Err(Failure::usage(format!(
            "{hands} hands fill more than one PHH file: name one with --out"
        )));
    }
    let refuse_older = |files: u64| match (&args.out, format) {
        (Some(path), Format::Phhs) => refuse_older(path, files + 1),
        _ => Ok(()),
    };
    let files = if format == Format::Phhs { hands.div_ceil(args.hands_per_file).max(1) } else { 1 };
    refuse_older(files)?;
    if let Some(path) = args.out.as_deref().filter(|_| !args.force) {
        (1..=files).try_for_each(|number| refuse_existing(&numbered(path, number)))?;
    }
    let mut open = |number: u64| -> std::io::Result<Box<dyn Write>> {
        Ok(match &args.out {
            None => Box::new(std::io::stdout().lock()),
            // A log may have more hands than were counted.
            Some(path) if !args.force && numbered(path, number).is_file() => {
                return Err(ErrorKind::AlreadyExists.into());
            }
            Some(path) => Box::new(BufWriter::new(File::create(numbered(path, number))?)),
        })
    };
    let info = info(args, &source);
    let written = write_match(format, &info, source.hands()?, args.hands_per_file, &mut open);
    let summary = match (written, &args.out) {
        (Ok(summary), _) => summary,
        // The reader of standard output has closed it.
        (Err(ExportError::Write(error)), None) if error.kind() == ErrorKind::BrokenPipe => {
            return Ok(());
        }
        (Err(error), None) => return Err(Failure::input(error)),
        (Err(error), Some(path)) => {
            let place = path.display().to_string();
            return Err(Failure::input(anyhow::Error::from(error).context(place)));
        }
    };
    // A log may have fewer hands than were counted.
    refuse_older(summary.files)?;
    if let Some(path) = &args.out {
        let files = match summary.files {
            0 | 1 => String::new(),
            n => format!(" and {} more files", n - 1),
        };
        // Nothing can be done when stderr is closed.
        let _ = writeln!(
            std::io::stderr(),
            "{} hands written to {}{files}",
            summary.hands,
            path.display()
        );
    }
    Ok(())
}

/// Opens the source, and warns of missing or changed hands. An output that is one of the match's
/// own files is refused, with --force too.
fn opened(args: &Args) -> Result<Source, Failure> {
    let source = Source::open(&args.source, args.game.as_deref(), warn)?;
    let folder = if args.source.is_dir() { Some(&*args.source) } else { args.source.parent() };
    let own = folder.into_iter().flat_map(|folder| FILES.map(|name| folder.join(name)));
    let own = own.chain([args.source.clone()]).filter_map(|file| file.canonicalize().ok());
    let out = args.out.as_deref().and_then(|out| out.canonicalize().ok());
    if let Some(out) = out.filter(|out| own.into_iter().any(|own| own == *out)) {
        return Err(Failure::input(anyhow::anyhow!(
            "{} is a file of the match itself: choose another name with --out",
            out.display()
        )));
    }
    report::warn_of_faults(&source, true)?;
    Ok(source)
}

/// The match info, with anonymous names if requested.
fn info(args: &Args, source: &Source) -> MatchInfo {
    if args.anonymise { source.info().anonymised() } else { source.info().clone() }
}

/// Refuses to overwrite a regular file. Others, such as a pipe or `/dev/null`, lose nothing.
fn refuse_existing(path: &Path) -> Result<(), Failure> {
    if !path.is_file() {
        return Ok(());
    }
    Err(Failure::input(anyhow::anyhow!(
        "{} already exists: add --force to overwrite it, or choose another name with --out",
        path.display()
    )))
}

/// Refuses to leave a file of an earlier, longer export that would look like part of this one. The
/// file is not removed, because it may be unrelated.
fn refuse_older(path: &Path, number: u64) -> Result<(), Failure> {
    let next = numbered(path, number);
    if !next.exists() {
        return Ok(());
    }
    Err(Failure::input(anyhow::anyhow!(
        "{} would look like a part of this export: remove it and those after it, or \
         choose another name with --out",
        next.display()
    )))
}

/// The name of a file of the export: `hands.phhs`, `hands-2.phhs`, `hands-3.phhs` …
fn numbered(path: &Path, number: u64) -> PathBuf {
    if number == 1 {
        return path.to_path_buf();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map(|e| format!(".{}", e.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{}", extension.unwrap_or_default()))
}
