//! Merging the ledgers of a match that was played in parts.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode};

use super::reader::gaps;
use super::{LedgerError, LedgerReader, Ranges, schema};
use crate::info::MatchInfo;
use crate::ledger::Problem;
use crate::ledger::integrity::Blocks;
use crate::stats::DecisionTally;

/// A range of hands and the index of the part that has it.
struct LedgerRange {
    hands: RangeInclusive<u64>,
    part: usize,
}

/// Creates the ledger `out` of a whole match from the ledgers (or match folders) of its parts, and
/// returns its match. Its hands equal, row by row, those of the match played in one run.
///
/// # Errors
/// When the parts are of different matches, when two have the same hand, or when hands are missing
/// (the message names them); `out` is then not created.
pub fn merge(parts: &[PathBuf], out: &Path) -> Result<MatchInfo, LedgerError> {
    let readers =
        parts.iter().map(|path| LedgerReader::open(path)).collect::<Result<Vec<_>, _>>()?;
    let first = readers.first().ok_or(LedgerError::from(Problem::NothingToMerge))?;
    for other in &readers[1..] {
        if let Some(difference) = first.info().difference(other.info()) {
            return Err(Problem::OtherMatch {
                first: first.path().to_path_buf(),
                second: other.path().to_path_buf(),
                difference: Box::new(difference),
            }
            .into());
        }
    }
    let pieces = pieces(&readers)?;
    let info = first.info().whole();
    let _lock = super::lock(out)?;
    if out.exists() {
        return Err(Problem::Exists { path: out.to_path_buf() }.into());
    }
    let unfinished = out.with_extension("merging");
    // Remove the leftovers of an interrupted merge.
    schema::remove(&unfinished);
    let joined = join(&readers, &pieces, &info, &unfinished)
        .and_then(|()| std::fs::rename(&unfinished, out).map_err(LedgerError::io(out)));
    if joined.is_err() {
        schema::remove(&unfinished);
    }
    joined.map(|()| info)
}

/// All ranges in order; an error where they overlap or have gaps.
fn pieces(readers: &[LedgerReader]) -> Result<Vec<LedgerRange>, LedgerError> {
    let mut pieces = Vec::new();
    for (part, reader) in readers.iter().enumerate() {
        pieces.extend(reader.present()?.into_iter().map(|hands| LedgerRange { hands, part }));
    }
    pieces.sort_by_key(|piece| *piece.hands.start());
    for pair in pieces.windows(2) {
        let (a, b) = (&pair[0], &pair[1]);
        if b.hands.start() <= a.hands.end() {
            let shared = *b.hands.start()..=*a.hands.end().min(b.hands.end());
            return Err(Problem::Overlap {
                first: readers[a.part].path().to_path_buf(),
                second: readers[b.part].path().to_path_buf(),
                hands: Ranges(&[shared]).to_string(),
            }
            .into());
        }
    }
    let planned = readers[0].info().hands;
    if let Some(last) = pieces.last().filter(|piece| *piece.hands.end() >= planned) {
        let path = readers[last.part].path().to_path_buf();
        return Err(Problem::BeyondEnd { path, hand: *last.hands.end(), planned }.into());
    }
    let ranges: Vec<_> = pieces.iter().map(|piece| piece.hands.clone()).collect();
    let missing = gaps(&ranges, planned);
    if !missing.is_empty() {
        let hands = Ranges(&missing).to_string();
        return Err(Problem::Incomplete { hands, planned }.into());
    }
    Ok(pieces)
}

/// Copies the pieces in order into a new ledger. Each part is attached while its pieces are copied.
fn join(
    readers: &[LedgerReader],
    pieces: &[LedgerRange],
    info: &MatchInfo,
    out: &Path,
) -> Result<(), LedgerError> {
    let sql = || LedgerError::sqlite(out);
    let mut connection = schema::open(out, true)?;
    // Hashes are copied, not recomputed: a row that was changed in a part is found in the whole.
    let hashed = readers.iter().all(LedgerReader::is_hashed);
    schema::create(&mut connection, info, hashed).map_err(sql())?;
    let tables = columns(info.players(), hashed);
    // An interrupted merge leaves only its temporary file, so no journal is needed; the whole file
    // is flushed to disk at the end.
    connection.execute_batch("PRAGMA synchronous = OFF").map_err(sql())?;
    let mut attached = None;
    for piece in pieces {
        let from = readers[piece.part].path();
        if attached != Some(piece.part) {
            attach(&connection, from, attached.is_some()).map_err(LedgerError::sqlite(from))?;
            attached = Some(piece.part);
        }
        let (first, last) = (*piece.hands.start() as i64, *piece.hands.end() as i64);
        for (table, columns) in &tables {
            let sql = format!(
                "INSERT INTO main.{table} ({columns}) SELECT {columns} FROM part.{table} \
                 WHERE hand BETWEEN ? AND ?"
            );
            connection.execute(&sql, (first, last)).map_err(copy_error(from, out))?;
        }
    }
    for reader in readers.iter().filter(|_| hashed) {
        let blocks = Blocks::read(reader.connection());
        let blocks = blocks.map_err(LedgerError::sqlite(reader.path()))?;
        blocks.write(&connection).map_err(sql())?;
    }
    if let Some(note) = decision_note(readers)? {
        connection
            .execute("INSERT INTO main.notes VALUES (?, ?)", (DecisionTally::NOTE, note))
            .map_err(sql())?;
    }
    connection.close().map_err(|(_, error)| sql()(error))?;
    std::fs::File::open(out).and_then(|file| file.sync_all()).map_err(LedgerError::io(out))
}

/// The tables and the columns to copy.
fn columns(players: usize, hashed: bool) -> [(&'static str, String); 2] {
    let hash = if hashed { ", hash" } else { "" };
    let payoffs = schema::columns(players, |k| format!("payoff_{k}"));
    let entrants = schema::columns(players, |k| format!("entrant_{k}"));
    [
        ("hands", format!("hand, deal, betting, cards, {payoffs}, {entrants}{hash}")),
        ("decisions", format!("hand, lines{hash}")),
    ]
}

/// Attributes an error of a part to the part, and any other to the new file.
fn copy_error(from: &Path, out: &Path) -> impl FnOnce(rusqlite::Error) -> LedgerError {
    move |error| match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::ConstraintViolation) => {
            LedgerError::from(Problem::Damaged {
                path: from.to_path_buf(),
                detail: error.to_string(),
            })
        }
        _ => LedgerError::sqlite(out)(error),
    }
}

/// The sum of the parts' decision counts, if each part has them.
fn decision_note(readers: &[LedgerReader]) -> Result<Option<String>, LedgerError> {
    let mut whole = DecisionTally::default();
    for reader in readers {
        let note = reader.note(DecisionTally::NOTE)?;
        match note.as_deref().and_then(DecisionTally::from_note) {
            Some(part) => whole.merge(&part),
            None => return Ok(None),
        }
    }
    Ok(Some(whole.to_note()))
}

fn attach(connection: &Connection, path: &Path, detach: bool) -> rusqlite::Result<()> {
    if detach {
        connection.execute_batch("DETACH part")?;
    }
    connection.execute("ATTACH ? AS part", [path.to_string_lossy()])?;
    Ok(())
}
