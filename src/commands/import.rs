//! `cardroom import`: hands of other records as a match folder.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use game::GameDef;
use logs::export::{csv, phh};
use logs::import::{Gathered, ImportedHand, gather};
use logs::{HandRecord, LedgerWriter, ledger};
use matches::games::load_game;
use protocol::acpc;
use protocol::acpc::gamedef::Reading;
use show::number::{counted, whole};

use crate::exit::Failure;
use crate::output::Output;
use crate::playing::provenance;
use crate::progress::Progress;
use crate::report;
use crate::source::Source;

/// Hands committed at a time.
const AT_ONCE: usize = 4096;

/// Put hands of other records into one match folder, which `stats` and `export` read.
///
/// Reads PHH (.phh, .phhs; no-limit and limit hold'em without antes and straddles), CSV with the
/// columns that `export` writes (with --game), ACPC logs, and other ledgers. All hands must be of
/// one game and of the same players, in whatever seats. What a file says beyond the hands is not
/// kept, and told.
#[derive(clap::Args)]
pub struct Args {
    /// The files, in the order of their hands
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    /// The folder to write the match to
    #[arg(long, value_name = "DIR", required = true)]
    out: PathBuf,
    /// The game of CSV files, and of ACPC logs whose first line does not lead to it
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The match's name [default: the folder's]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Leave out hands of other games or players than the first one's
    #[arg(long)]
    leave_out: bool,
    /// One JSON document instead of tables
    #[arg(long)]
    json: bool,
    /// No progress display
    #[arg(long, short)]
    quiet: bool,
}

/// What the files say that no hand has room for.
#[derive(Default)]
struct Lost(BTreeSet<String>);

/// Reads the files, writes the match and prints its report.
pub fn run(args: &Args) -> Result<Output, Failure> {
    if args.out.join(ledger::FILE_NAME).exists() {
        return Err(Failure::input(anyhow::anyhow!(
            "{} holds a match already: choose another folder with --out",
            args.out.display()
        )));
    }
    let mut progress = Progress::patient(args.files.len() as u64, "files", args.quiet);
    let mut lost = Lost::default();
    let mut hands = Vec::new();
    for (done, file) in (0..).zip(&args.files) {
        progress.show(done, "");
        read(file, args.game.as_deref(), &mut hands, &mut lost)?;
    }
    progress.finish();
    let folder = args.out.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = args.name.clone().or(folder).unwrap_or_else(|| "imported".to_owned());
    let bad = |c: char| c.is_whitespace() || c.is_control() || c == ':' || c == '|';
    let def = hands.first().map(|hand| Arc::clone(hand.record.public.def()));
    let game = def.map_or_else(String::new, |def| game_name(&def));
    let gathered = gather(hands, &name.replace(bad, "_"), &game, provenance(), args.leave_out);
    let gathered = gathered.map_err(Failure::input)?;
    write(&gathered, &args.out)?;
    if !args.quiet {
        tell(&gathered, &lost, args.files.len());
    }
    report::show_folder(&args.out, args.json)
}

/// The hands of a file.
fn read(
    path: &Path,
    game: Option<&str>,
    hands: &mut Vec<ImportedHand>,
    lost: &mut Lost,
) -> Result<(), Failure> {
    let located = |error: &dyn std::fmt::Display| {
        Failure::input(anyhow::anyhow!("{}: {error}", path.display()))
    };
    let place = |number: u64| format!("{}, hand {number}", path.display());
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("phh" | "phhs") => {
            let text = fs::read_to_string(path).map_err(|error| located(&error))?;
            for hand in phh::read(&text).map_err(|error| located(&error))? {
                lost.0.extend(hand.other);
                let (record, players) = (hand.record, hand.players);
                let place = place(record.hand);
                hands.push(ImportedHand { record, players, place });
            }
        }
        Some("csv") => {
            let name = game.ok_or_else(|| {
                located(&"a CSV file does not name its game: say which with --game")
            })?;
            let def = load_game(name, Reading::Strict).map_err(Failure::input)?;
            let file = File::open(path).map_err(|error| located(&error))?;
            let mut reader = csv::Reader::new(&def, BufReader::new(file));
            while let Some(record) = reader.next() {
                let record = record.map_err(|error| located(&error))?;
                hands.push(imported(record, reader.names(), &place));
            }
            lost.0.extend(reader.passed_over().iter().cloned());
        }
        _ => {
            let source = Source::open(path, game)?;
            let names = source.info().names();
            for record in source.hands()? {
                hands.push(imported(record.map_err(Failure::input)?, &names, &place));
            }
        }
    }
    Ok(())
}

/// A hand whose line-up is by numbers of entrants with these names.
fn imported(record: HandRecord, names: &[String], place: &dyn Fn(u64) -> String) -> ImportedHand {
    let name = |&entrant: &u8| names.get(usize::from(entrant)).cloned().unwrap_or_default();
    let players = record.entrants.as_slice().iter().map(name).collect();
    let place = place(record.hand);
    ImportedHand { record, players, place }
}

/// The built-in game with these rules, if there is one.
fn game_name(def: &GameDef) -> String {
    let same = |name: &str| load_game(name, Reading::Strict).is_ok_and(|game| *game == *def);
    let found = acpc::games().iter().find(|game| same(game.name));
    found.map_or_else(|| "imported".to_owned(), |game| game.name.to_owned())
}

fn write(gathered: &Gathered, out: &Path) -> Result<(), Failure> {
    fs::create_dir_all(out).map_err(|error| {
        Failure::input(anyhow::anyhow!("cannot make {}: {error}", out.display()))
    })?;
    let path = out.join(ledger::FILE_NAME);
    let mut writer = LedgerWriter::create(&path, &gathered.info).map_err(Failure::input)?;
    for hands in gathered.hands.chunks(AT_ONCE) {
        hands.iter().for_each(|record| writer.append(record));
        writer.commit().map_err(Failure::input)?;
    }
    writer.set_note(ledger::IMPORTED, Some("hands of other records")).map_err(Failure::input)?;
    drop(writer);
    matches::folder::rewrite(out).map_err(Failure::input)
}

/// Says what was taken and what was lost.
fn tell(gathered: &Gathered, lost: &Lost, files: usize) {
    let mut lines = vec![format!(
        "{} of {}",
        counted(gathered.hands.len() as u64, "hand"),
        counted(files as u64, "file")
    )];
    for (count, what) in
        [(gathered.other_games, "other games"), (gathered.other_players, "other players")]
    {
        if count > 0 {
            lines.push(format!("left out: {} hands of {what}", whole(count)));
        }
    }
    if gathered.renumbered {
        lines
            .push("hands of several files had the same numbers: they are numbered anew".to_owned());
    }
    if !lost.0.is_empty() {
        let fields: Vec<&str> = lost.0.iter().map(String::as_str).collect();
        lines.push(format!("not kept: {}", fields.join(", ")));
    }
    for line in lines {
        // Nothing can be done when stderr is closed.
        let _ = writeln!(std::io::stderr(), "{}", game::escape::visible(&line));
    }
}
