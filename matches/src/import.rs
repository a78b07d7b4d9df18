//! Hands of other records as a match: files of any format that is read here, gathered into one
//! match of one game and the same players, and written as its folder.
//!
//! What the match cannot hold is counted and named ([`Imported::notes`]), never dropped in silence.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::BufReader;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use game::GameDef;
use logs::folder::FILES;
use logs::formats::csv::{ColumnMap, ColumnReader};
use logs::formats::{ReadError, SiteFormat, SiteHands, csv, phh};
use logs::{
    GatherError, Gathered, HandRecord, ImportedHand, LedgerWriter, MatchInfo, Provenance,
    distinct_names, gather, ledger,
};
use protocol::acpc;
use protocol::acpc::gamedef::Reading;
use show::number::{counted, whole};

use crate::Error;
use crate::games::load_game;
use crate::source::{Source, cut_off, named_game, site_format};

/// Number of hands committed at a time.
const AT_ONCE: usize = 4096;

/// Where it is said what is wrong with a file, but no error.
pub type Warn = Arc<dyn Fn(&str) + Send + Sync>;

/// How files are read.
pub struct Import {
    /// The game of CSV files, and of ACPC logs whose first line does not identify it.
    pub game: Option<String>,
    /// A file that maps the columns of CSV files.
    pub columns: Option<PathBuf>,
    /// Whether hands that do not belong to the match, or that it cannot hold, are left out instead
    /// of refused.
    pub leave_out: bool,
    /// The most hands of all files together.
    pub most_hands: u64,
    /// Whether logs may only name games that are known here, and no files: for files of others.
    pub known_games: bool,
    /// Where it is said what is wrong with a file.
    pub warn: Warn,
}

/// Hands that were read, and what was lost on the way.
#[derive(Debug)]
pub struct Imported {
    /// The match.
    pub gathered: Gathered,
    lost: Lost,
    /// Number of files.
    files: usize,
}

/// What the files have that the match will not.
#[derive(Debug, Default)]
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

/// A name as that of a match: blanks and signs with a meaning in logs become underlines.
pub fn match_name(text: &str) -> String {
    text.replace(|c: char| c.is_whitespace() || c.is_control() || c == ':' || c == '|', "_")
}

/// Says whether a match can be written to this folder.
///
/// # Errors
/// When it holds one.
pub fn check_free(out: &Path) -> Result<(), Error> {
    let Some(file) = FILES.iter().find(|file| out.join(file).exists()) else { return Ok(()) };
    let what = if *file == ledger::FILE_NAME { "a match" } else { file };
    Err(Error::new(format!(
        "{} already holds {what}: choose another folder with --out",
        out.display()
    )))
}

impl Import {
    /// Reads these files, in the order of their hands, as a match with this name. `read` is called
    /// with the number of files read, and may stop there.
    ///
    /// # Errors
    /// When a file cannot be read, its hands are not of one match, or it was stopped.
    pub fn read(
        &self,
        files: &[PathBuf],
        name: &str,
        provenance: Provenance,
        read: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Imported, Error> {
        let mut lost = Lost::default();
        for file in files.iter().filter(|file| is_phh(file)) {
            // Chips are the same in all files.
            lost.decimals = phh_reader(file, &read_text(file)?, lost.decimals)?.decimals();
        }
        let mut hands = Vec::new();
        for (done, file) in (0..).zip(files) {
            if read(done).is_break() {
                return Err(Error::new("the import was stopped"));
            }
            self.file(file, &mut hands, &mut lost)?;
        }
        let name = match_name(name);
        let gathered = gather(hands, &name, game_name, provenance, self.leave_out);
        let mut gathered = gathered.map_err(|mut error| {
            if let GatherError::Nothing(left_out) = &mut error {
                left_out.append(&mut lost.hands);
            }
            Error::new(error.to_string())
        })?;
        gathered.left_out.append(&mut lost.hands);
        Ok(Imported { gathered, lost, files: files.len() })
    }

    /// Keeps a hand, unless there are too many.
    fn keep(
        &self,
        path: &Path,
        hands: &mut Vec<ImportedHand>,
        hand: ImportedHand,
    ) -> Result<(), Error> {
        if hands.len() as u64 >= self.most_hands {
            return Err(Error::file(
                path,
                format!(
                    "there are more than {} hands, the most that are read here at once: import \
                     fewer at a time",
                    whole(self.most_hands)
                ),
            ));
        }
        hands.push(hand);
        Ok(())
    }

    /// Reads the hands of a file.
    fn file(
        &self,
        path: &Path,
        hands: &mut Vec<ImportedHand>,
        lost: &mut Lost,
    ) -> Result<(), Error> {
        let located = |error: &dyn std::fmt::Display| Error::file(path, error);
        let place = |number: u64| format!("{}, hand {number}", path.display());
        match path.extension().and_then(|extension| extension.to_str()) {
            _ if is_phh(path) => {
                for hand in phh_reader(path, &read_text(path)?, lost.decimals)? {
                    let hand = match hand {
                        Ok(hand) => hand,
                        Err(ReadError { unsupported: Some(kind), .. }) if self.leave_out => {
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
                    self.keep(path, hands, ImportedHand { record, players, place })?;
                }
            }
            Some("csv") => {
                let name = self.game.as_deref().ok_or_else(|| {
                    located(&"a CSV file does not name its game: say which with --game")
                })?;
                let def = load_game(name, Reading::Strict)?;
                let file = BufReader::new(File::open(path).map_err(|error| located(&error))?);
                if let Some(map) = self.column_map(&def)? {
                    let mut reader = ColumnReader::new(&def, map, file);
                    for hand in reader.by_ref().filter(|hand| self.is_whole(path, hand)) {
                        let (record, players) = hand.map_err(|error| located(&error))?;
                        let place = place(record.hand);
                        self.keep(path, hands, ImportedHand { record, players, place })?;
                    }
                    lost.fields.extend(reader.passed_over());
                    return Ok(());
                }
                let mut reader = csv::Reader::new(&def, file);
                while let Some(record) = reader.next() {
                    if !self.is_whole(path, &record) {
                        break;
                    }
                    let record = record.map_err(|error| located(&error))?;
                    // Entrants with numbers need no names.
                    let name = |(number, name): (usize, &String)| match name.as_str() {
                        "" => format!("player-{number}"),
                        name => name.to_owned(),
                    };
                    let names = distinct_names((1..).zip(reader.names()).map(name));
                    self.keep(path, hands, imported(record, &names, &place))?;
                }
                lost.fields.extend(reader.passed_over().iter().cloned());
            }
            _ => {
                if let Some(format) = site_format(path)? {
                    return self.site(path, format, hands, lost);
                }
                let warn = Arc::clone(&self.warn);
                let game = match &self.game {
                    None if self.known_games => known_game(path)?,
                    game => game.clone(),
                };
                let source = Source::open(path, game.as_deref(), move |text| warn(text))?;
                let names = source.names();
                for record in source.hands()? {
                    self.keep(path, hands, imported(record?, &names, &place))?;
                }
            }
        }
        Ok(())
    }

    /// Whether a hand was read, or cannot be; warns of one that the end of the file has cut off.
    fn is_whole<T>(&self, path: &Path, hand: &Result<T, ReadError>) -> bool {
        let cut = hand.as_ref().err().filter(|error| error.cut);
        cut.inspect(|error| (self.warn)(&cut_off(path, error))).is_none()
    }

    /// Reads the hands of a file in a format of poker sites.
    fn site(
        &self,
        path: &Path,
        format: SiteFormat,
        hands: &mut Vec<ImportedHand>,
        lost: &mut Lost,
    ) -> Result<(), Error> {
        let text = read_text(path)?;
        let SiteHands { hands: found, repeated, money, .. } = format.read(&text);
        for hand in found.into_iter().filter(|hand| self.is_whole(path, hand)) {
            match hand {
                Ok((record, players)) => {
                    let place = format!("{}, hand {}", path.display(), record.hand);
                    self.keep(path, hands, ImportedHand { record, players, place })?;
                }
                Err(ReadError { unsupported: Some(kind), .. }) if self.leave_out => {
                    *lost.hands.entry(kind.to_owned()).or_default() += 1;
                }
                Err(error) => {
                    let remedy = match error.unsupported {
                        Some(_) => "; --leave-out leaves such hands out",
                        None => "",
                    };
                    return Err(Error::file(path, format!("{error}{remedy}")));
                }
            }
        }
        if let Some(line) = repeated.first() {
            (self.warn)(&format!(
                "{}: {} with the number of an earlier one, the first on line {line}: the same \
                 hands may be there twice",
                path.display(),
                counted(repeated.len() as u64, "hand")
            ));
        }
        lost.fields.extend(format.not_kept().iter().map(|&field| field.to_owned()));
        lost.money.extend(money);
        if lost.money.len() > 1 {
            let units: Vec<&str> = lost.money.iter().map(String::as_str).collect();
            let units = units.join(" and ");
            return Err(Error::file(
                path,
                format!(
                    "100 chips cannot be {units} at once: import hands of different money \
                     separately"
                ),
            ));
        }
        Ok(())
    }

    /// The column map for CSV files, if one was given.
    fn column_map(&self, def: &GameDef) -> Result<Option<ColumnMap>, Error> {
        let Some(path) = &self.columns else { return Ok(None) };
        ColumnMap::parse(&read_text(path)?, def).map(Some).map_err(|error| Error::file(path, error))
    }
}

impl Imported {
    /// The description of the match.
    pub fn info(&mut self) -> &mut MatchInfo {
        &mut self.gathered.info
    }

    /// What was imported, in a line; and what was changed and left out, a line each.
    pub fn notes(&self) -> Vec<String> {
        let Imported { gathered, lost, files } = self;
        let mut lines = vec![format!(
            "{} of {}",
            counted(gathered.hands.len() as u64, "hand"),
            counted(*files as u64, "file")
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
                "hands had the same numbers, or too large ones: they are renumbered from 0"
                    .to_owned(),
            );
        }
        if !lost.fields.is_empty() {
            let fields: Vec<&str> = lost.fields.iter().map(String::as_str).collect();
            lines.push(format!("not kept: {}", fields.join(", ")));
        }
        lines
    }

    /// Writes the match to its folder. What did not exist before is removed where it cannot be
    /// finished.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, out: &Path) -> Result<(), Error> {
        let above = out.ancestors().filter(|folder| !folder.as_os_str().is_empty());
        let made = above.take_while(|folder| !folder.exists()).last();
        self.write_hands(out).inspect_err(|_| {
            let files = FILES.map(|file| out.join(file));
            // The first error is the one to tell.
            let _ = match made {
                Some(folder) => fs::remove_dir_all(folder),
                None => files.iter().filter(|file| file.exists()).try_for_each(fs::remove_file),
            };
        })
    }

    fn write_hands(&self, out: &Path) -> Result<(), Error> {
        let Imported { gathered, .. } = self;
        fs::create_dir_all(out)
            .map_err(|error| Error::new(format!("cannot make {}: {error}", out.display())))?;
        let path = out.join(ledger::FILE_NAME);
        let mut writer = LedgerWriter::create(&path, &gathered.info)?;
        for hands in gathered.hands.chunks(AT_ONCE) {
            hands.iter().for_each(|record| writer.append(record));
            writer.commit()?;
        }
        writer.set_note(ledger::IMPORTED, Some("hands of other records"))?;
        drop(writer);
        crate::folder::rewrite(out)
    }
}

/// Whether this is a PHH file.
fn is_phh(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "phh" || extension == "phhs")
}

/// The game that an ACPC log names, which must be one that is known here.
fn known_game(path: &Path) -> Result<Option<String>, Error> {
    let Some(named) = named_game(path)? else { return Ok(None) };
    // With or without its folder, and with or without the ending of a file.
    let file = named.rsplit('/').next().unwrap_or_default();
    let known = |name: &&str| acpc::games().iter().any(|game| game.name == *name);
    let mut names = [file, file.trim_end_matches(".game")].into_iter();
    names.find(known).map(|name| Some(name.to_owned())).ok_or_else(|| {
        let named = game::escape::excerpt(&named);
        Error::file(path, format!("it was played in {named}: say which with --game"))
    })
}

/// A file as text.
fn read_text(path: &Path) -> Result<String, Error> {
    let bytes = fs::read(path).map_err(|error| Error::file(path, error))?;
    String::from_utf8(bytes).map_err(|error| {
        let start = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = start.iter().filter(|&&byte| byte == b'\n').count() + 1;
        Error::file(
            path,
            format!("line {line}: it is not text in UTF-8: convert the file, as with `iconv`"),
        )
    })
}

/// A reader of a PHH file with at least so many decimals.
fn phh_reader<'a>(path: &Path, text: &'a str, decimals: usize) -> Result<phh::Reader<'a>, Error> {
    let reader = phh::Reader::new(text).map(|reader| reader.with_decimals(decimals));
    reader.map_err(|error| Error::file(path, error))
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
