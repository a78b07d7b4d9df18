//! `cardroom import`: imports hand histories from elsewhere as a match folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use game::GameDef;
use logs::folder::FILES;
use logs::formats::csv::{ColumnMap, ColumnReader};
use logs::formats::{ReadError, csv, phh};
use logs::formats::{SiteFormat, SiteHands};
use logs::{GatherError, Gathered, ImportedHand, gather};
use logs::{HandRecord, LedgerWriter, MatchInfo, distinct_names, ledger};
use matches::games::load_game;
use matches::plan::files_sha256;
use matches::source::{Source, cut_off, site_format};
use protocol::acpc;
use protocol::acpc::gamedef::Reading;
use show::number::{counted, whole};

use crate::exit::Failure;
use crate::match_options::provenance;
use crate::output::{Output, warn};
use crate::progress::Progress;
use crate::report;
use crate::resolve_names::Named;

/// Number of hands committed at a time.
const AT_ONCE: usize = 4096;

/// Import hands from other records into one match folder, for `stats` and `export`.
///
/// Reads PHH (.phh, .phhs; no-limit and limit hold'em without antes; amounts with decimals become
/// whole chips), CSV with the columns that `export` writes (with --game) or with those that a map
/// names (--columns), ACPC logs, PokerStars text, Open Hand History, logs of the engine of MIT
/// Pokerbots, replays of Kaggle's Game Arena, and other ledgers. All hands must be of the same game
/// and players, in any seats. Other information in the files is dropped and reported.
#[derive(clap::Args)]
pub struct Args {
    /// The files, in the order of their hands
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    /// The folder to write the match to
    #[arg(long, value_name = "DIR", required = true)]
    out: PathBuf,
    /// The game of CSV files, and of ACPC logs if their first line does not identify it
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// TOML file that maps the columns of CSV files, for one row per hand (docs/ledger.md)
    #[arg(long, value_name = "FILE", requires = "game")]
    columns: Option<PathBuf>,
    /// The agent behind a player, for `explain` and `stats --values agents`; may be given several
    /// times
    #[arg(long, value_name = "PLAYER=AGENT")]
    agent: Vec<PlayerAgent>,
    #[command(flatten)]
    named: Named,
    /// The match's name [default: the folder's]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Skip hands of other games or players than the first hand's, and those with antes, rake or
    /// other things that records cannot hold
    #[arg(long)]
    leave_out: bool,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

/// The agent that a player was, parsed from `PLAYER=AGENT`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PlayerAgent {
    player: String,
    agent: String,
}

impl FromStr for PlayerAgent {
    type Err = String;

    fn from_str(text: &str) -> Result<PlayerAgent, String> {
        let parts =
            text.split_once('=').filter(|(player, agent)| !player.is_empty() && !agent.is_empty());
        let (player, agent) =
            parts.ok_or_else(|| format!("`{text}` is not PLAYER=AGENT, as in DeepStack=cfr"))?;
        Ok(PlayerAgent { player: player.to_owned(), agent: agent.to_owned() })
    }
}

/// What the files have that the match will not.
#[derive(Default)]
struct Lost {
    /// Fields that a hand record cannot hold.
    fields: BTreeSet<String>,
    /// Numbers of hands that were left out, by what they are.
    hands: BTreeMap<String, u64>,
    /// The units of money that are 100 chips.
    money: BTreeSet<String>,
    /// Decimals of amounts in PHH files.
    decimals: usize,
}

/// Runs the command: reads the files, writes the match and prints its report.
pub fn run(args: &Args) -> Result<Output, Failure> {
    if let Some(file) = FILES.iter().find(|file| args.out.join(file).exists()) {
        let what = if *file == ledger::FILE_NAME { "a match" } else { file };
        return Err(Failure::input(anyhow::anyhow!(
            "{} already holds {what}: choose another folder with --out",
            args.out.display()
        )));
    }
    let mut progress = Progress::patient(args.files.len() as u64, "files", args.quiet);
    let mut lost = Lost::default();
    for file in args.files.iter().filter(|file| is_phh(file)) {
        // Chips are the same in all files.
        lost.decimals = phh_reader(file, &read_text(file)?, lost.decimals)?.decimals();
    }
    let mut hands = Vec::new();
    for (done, file) in (0..).zip(&args.files) {
        progress.show(done, "");
        read(file, args, &mut hands, &mut lost)?;
    }
    progress.finish();
    let folder = args.out.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = args.name.clone().or(folder).unwrap_or_else(|| "imported".to_owned());
    let bad = |c: char| c.is_whitespace() || c.is_control() || c == ':' || c == '|';
    let name = name.replace(bad, "_");
    let gathered = gather(hands, &name, game_name, provenance(), args.leave_out);
    let mut gathered = gathered.map_err(|mut error| {
        if let GatherError::Nothing(left_out) = &mut error {
            left_out.append(&mut lost.hands);
        }
        Failure::input(error)
    })?;
    gathered.left_out.append(&mut lost.hands);
    name_agents(args, &mut gathered.info)?;
    // What did not exist before is removed where it cannot be finished.
    let above = args.out.ancestors().filter(|folder| !folder.as_os_str().is_empty());
    let made = above.take_while(|folder| !folder.exists()).last();
    write(&gathered, &args.out).inspect_err(|_| {
        let files = FILES.map(|file| args.out.join(file));
        // The first error is the one to tell.
        let _ = match made {
            Some(folder) => fs::remove_dir_all(folder),
            None => files.iter().filter(|file| file.exists()).try_for_each(fs::remove_file),
        };
    })?;
    if !args.quiet {
        tell(&gathered, &lost, args.files.len());
    }
    report::show_folder(&args.out, args.json)
}

/// Reads the hands of a file.
fn read(
    path: &Path,
    args: &Args,
    hands: &mut Vec<ImportedHand>,
    lost: &mut Lost,
) -> Result<(), Failure> {
    let located = |error: &dyn std::fmt::Display| Failure::file(path, error);
    let place = |number: u64| format!("{}, hand {number}", path.display());
    let game = args.game.as_deref();
    match path.extension().and_then(|extension| extension.to_str()) {
        _ if is_phh(path) => {
            for hand in phh_reader(path, &read_text(path)?, lost.decimals)? {
                let hand = match hand {
                    Ok(hand) => hand,
                    Err(ReadError { unsupported: Some(kind), .. }) if args.leave_out => {
                        *lost.hands.entry(kind.to_owned()).or_default() += 1;
                        continue;
                    }
                    Err(error) if error.unsupported.is_some() => {
                        let remedy = "leave such hands out with --leave-out";
                        return Err(located(&format!("{error}: {remedy}")));
                    }
                    Err(error) => return Err(located(&error)),
                };
                lost.fields.extend(hand.other);
                let (record, players, (name, line)) = (hand.record, hand.players, hand.place);
                let place = format!("{}, line {line}, hand {name}", path.display());
                hands.push(ImportedHand { record, players, place });
            }
        }
        Some("csv") => {
            let name = game.ok_or_else(|| {
                located(&"a CSV file does not name its game: say which with --game")
            })?;
            let def = load_game(name, Reading::Strict)?;
            let file = BufReader::new(File::open(path).map_err(|error| located(&error))?);
            if let Some(map) = column_map(args, &def)? {
                let mut reader = ColumnReader::new(&def, map, file);
                for hand in reader.by_ref().filter(|hand| is_whole(path, hand)) {
                    let (record, players) = hand.map_err(|error| located(&error))?;
                    let place = place(record.hand);
                    hands.push(ImportedHand { record, players, place });
                }
                lost.fields.extend(reader.passed_over());
                return Ok(());
            }
            let mut reader = csv::Reader::new(&def, file);
            while let Some(record) = reader.next() {
                if !is_whole(path, &record) {
                    break;
                }
                let record = record.map_err(|error| located(&error))?;
                // Entrants with numbers need no names.
                let name = |(number, name): (usize, &String)| match name.as_str() {
                    "" => format!("player-{number}"),
                    name => name.to_owned(),
                };
                let names = distinct_names((1..).zip(reader.names()).map(name));
                hands.push(imported(record, &names, &place));
            }
            lost.fields.extend(reader.passed_over().iter().cloned());
        }
        _ => {
            if let Some(format) = site_format(path)? {
                return read_site(path, format, args.leave_out, hands, lost);
            }
            let source = Source::open(path, game, warn)?;
            let names = source.names();
            for record in source.hands()? {
                hands.push(imported(record?, &names, &place));
            }
        }
    }
    Ok(())
}

/// Whether a hand was read, or cannot be; warns of one that the end of the file has cut off.
fn is_whole<T>(path: &Path, hand: &Result<T, ReadError>) -> bool {
    let cut = hand.as_ref().err().filter(|error| error.cut);
    cut.inspect(|error| warn(&cut_off(path, error))).is_none()
}

/// Reads the hands of a file in a format of poker sites.
fn read_site(
    path: &Path,
    format: SiteFormat,
    leave_out: bool,
    hands: &mut Vec<ImportedHand>,
    lost: &mut Lost,
) -> Result<(), Failure> {
    let text = read_text(path)?;
    let SiteHands { hands: found, repeated, money, .. } = format.read(&text);
    for hand in found.into_iter().filter(|hand| is_whole(path, hand)) {
        match hand {
            Ok((record, players)) => {
                let place = format!("{}, hand {}", path.display(), record.hand);
                hands.push(ImportedHand { record, players, place });
            }
            Err(ReadError { unsupported: Some(kind), .. }) if leave_out => {
                *lost.hands.entry(kind.to_owned()).or_default() += 1;
            }
            Err(error) => {
                let remedy = match error.unsupported {
                    Some(_) => "; --leave-out leaves such hands out",
                    None => "",
                };
                return Err(Failure::file(path, format!("{error}{remedy}")));
            }
        }
    }
    if let Some(line) = repeated.first() {
        warn(&format!(
            "{}: {} with the number of an earlier one, the first on line {line}: the same hands \
             may be there twice",
            path.display(),
            counted(repeated.len() as u64, "hand")
        ));
    }
    lost.fields.extend(format.not_kept().iter().map(|&field| field.to_owned()));
    lost.money.extend(money);
    if lost.money.len() > 1 {
        let units: Vec<&str> = lost.money.iter().map(String::as_str).collect();
        let units = units.join(" and ");
        return Err(Failure::file(
            path,
            format!(
                "100 chips cannot be {units} at once: import hands of different money separately"
            ),
        ));
    }
    Ok(())
}

/// Whether this is a PHH file.
fn is_phh(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "phh" || extension == "phhs")
}

fn read_text(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| Failure::file(path, error))
}

/// A reader of a PHH file with at least so many decimals.
fn phh_reader<'a>(path: &Path, text: &'a str, decimals: usize) -> Result<phh::Reader<'a>, Failure> {
    let reader = phh::Reader::new(text).map(|reader| reader.with_decimals(decimals));
    reader.map_err(|error| Failure::file(path, error))
}

/// The column map for CSV files, if one was given.
fn column_map(args: &Args, def: &GameDef) -> Result<Option<ColumnMap>, Failure> {
    let Some(path) = &args.columns else { return Ok(None) };
    ColumnMap::parse(&read_text(path)?, def).map(Some).map_err(|error| Failure::file(path, error))
}

/// Sets the agents of the players that `--agent` names.
fn name_agents(args: &Args, info: &mut MatchInfo) -> Result<(), Failure> {
    if args.agent.is_empty() {
        return Ok(());
    }
    let registry = args.named.registry()?;
    for PlayerAgent { player, agent } in &args.agent {
        let names = info.names().join(", ");
        let entrant = info.entrants.iter_mut().find(|entrant| &entrant.name == player);
        let entrant = entrant.ok_or_else(|| {
            Failure::usage(format!("--agent {player}={agent}: the players are {names}"))
        })?;
        let choice = registry
            .resolve(agent)
            .map_err(|error| Failure::usage(format!("--agent {player}={agent}: {error}")))?;
        entrant.agent.clone_from(agent);
        entrant.model_sha256 = files_sha256(choice.files())?;
    }
    Ok(())
}

/// A hand to import; the entrant numbers of its line-up are indices into `names`.
fn imported(record: HandRecord, names: &[String], place: &dyn Fn(u64) -> String) -> ImportedHand {
    let name = |&entrant: &u8| names.get(usize::from(entrant)).cloned().unwrap_or_default();
    let players = record.entrants.as_slice().iter().map(name).collect();
    let place = place(record.hand);
    ImportedHand { record, players, place }
}

/// The name of the built-in game with these rules, or `imported`.
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
    let mut writer = LedgerWriter::create(&path, &gathered.info)?;
    for hands in gathered.hands.chunks(AT_ONCE) {
        hands.iter().for_each(|record| writer.append(record));
        writer.commit()?;
    }
    writer.set_note(ledger::IMPORTED, Some("hands of other records"))?;
    drop(writer);
    matches::folder::rewrite(out).map_err(Failure::input)
}

/// Prints what was imported and what was left out.
fn tell(gathered: &Gathered, lost: &Lost, files: usize) {
    let mut lines = vec![format!(
        "{} of {}",
        counted(gathered.hands.len() as u64, "hand"),
        counted(files as u64, "file")
    )];
    if lost.decimals > 0 {
        let (unit, least) = (10_u64.pow(lost.decimals as u32), lost.decimals);
        lines.push(format!(
            "amounts are scaled: {} chips are 1, a chip is {:.least$}",
            whole(unit),
            1.0 / unit as f64
        ));
    }
    for (given, written) in &gathered.renamed {
        lines.push(format!("`{given}` is written {written}"));
    }
    for (what, &count) in &gathered.left_out {
        lines.push(format!("left out: {} {what}", counted(count, "hand")));
    }
    lines.extend(lost.money.iter().map(|unit| format!("amounts are in chips: 100 are {unit}")));
    if gathered.repeated > 0 {
        lines.push(format!(
            "warning: {} of the same number and content as an earlier one: the same hands may \
             have been read twice",
            counted(gathered.repeated, "hand")
        ));
    }
    if gathered.renumbered {
        lines.push(
            "hands had the same numbers, or too large ones: they are renumbered from 0".to_owned(),
        );
    }
    if !lost.fields.is_empty() {
        let fields: Vec<&str> = lost.fields.iter().map(String::as_str).collect();
        lines.push(format!("not kept: {}", fields.join(", ")));
    }
    for line in lines {
        // Nothing can be done when stderr is closed.
        let _ = writeln!(std::io::stderr(), "{}", game::escape::visible(&line));
    }
}
