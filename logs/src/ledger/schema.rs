//! The tables of a ledger, and checks on opening one.

use std::fmt::Write;
use std::fs::File;
use std::io;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use game::escape::visible;
use runs::beside;
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior};

use super::integrity::{MATCH_NOTE, hash_of_text};
use super::{LedgerError, Problem};
use crate::info::MatchInfo;

/// `card` in ASCII: the application id in SQLite's header.
const APPLICATION_ID: i64 = 0x6361_7264;
/// The version of the tables.
pub(super) const VERSION: i64 = 2;
/// The version without hashes. Its ledgers can be read and continued as they are.
const WITHOUT_HASHES: i64 = 1;

/// Opens a file for writing, and creates it if `create` is set.
pub(super) fn open(path: &Path, create: bool) -> Result<Connection, LedgerError> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    if create {
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    } else if !path.is_file() {
        return Err(Problem::Missing { path: path.to_path_buf() }.into());
    } else {
        check_length(path)?;
    }
    connect(path, path, flags)
}

/// Opens a ledger for reading, and reads its match.
pub(super) fn open_to_read(path: &Path) -> Result<(Connection, MatchInfo), LedgerError> {
    // Opened for writing because reading a write-ahead log left by a crash repairs the file.
    let info = |connection| read_info(&connection, path).map(|info| (connection, info));
    match open(path, false).and_then(info) {
        Err(error) if error.refuses_writing() => {
            open_unwritable(path).and_then(info).map_err(|error| {
                if error.refuses_writing() {
                    Problem::Unfinished { path: path.to_path_buf() }.into()
                } else {
                    error
                }
            })
        }
        opened => opened,
    }
}

/// Opens a read-only ledger. Without a write-ahead log nobody is writing, and the file is complete.
fn open_unwritable(path: &Path) -> Result<Connection, LedgerError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    if beside(path, "-wal").exists() {
        return connect(path, path, flags);
    }
    let whole = std::path::absolute(path).map_err(LedgerError::io(path))?;
    let mut uri = String::from("file://");
    for &byte in whole.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' => uri.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => uri.push(byte.into()),
            _ => write!(uri, "%{byte:02X}").expect("writing to a string cannot fail"),
        }
    }
    uri.push_str("?immutable=1");
    connect(path, Path::new(&uri), flags | OpenFlags::SQLITE_OPEN_URI)
}

fn connect(path: &Path, name: &Path, flags: OpenFlags) -> Result<Connection, LedgerError> {
    (|| {
        let connection =
            Connection::open_with_flags(name, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        Ok(connection)
    })()
    .map_err(LedgerError::sqlite(path))
}

/// Refuses a file that is shorter than its header says, as SQLite reads the missing end of the last
/// page as zeros. With a write-ahead log beside it the file may still grow.
fn check_length(path: &Path) -> Result<(), LedgerError> {
    let busy = || ["-wal", "-journal"].iter().any(|suffix| beside(path, suffix).exists());
    if busy() {
        return Ok(());
    }
    let Some((needed, found)) = lengths(path).map_err(LedgerError::io(path))? else {
        return Ok(());
    };
    if found >= needed || busy() {
        return Ok(());
    }
    let detail = format!("{found} bytes are left of {needed}");
    Err(LedgerError::from(Problem::Damaged { path: path.to_path_buf(), detail }))
}

/// The expected length of a database, by its header, and the actual one. `None` when the header
/// does not say: <https://www.sqlite.org/fileformat.html#in_header_database_size>.
fn lengths(path: &Path) -> io::Result<Option<(u64, u64)>> {
    let mut file = File::open(path)?;
    let mut header = [0; 100];
    match file.read_exact(&mut header) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let number = |at: usize| u32::from_be_bytes([0, 1, 2, 3].map(|i| header[at + i]));
    let page = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        size => u64::from(size),
    };
    let (pages, changes, valid_for) = (number(28), number(24), number(92));
    let known = header.starts_with(b"SQLite format 3\0") && pages > 0 && changes == valid_for;
    Ok(known.then_some((page * u64::from(pages), file.metadata()?.len())))
}

/// Removes a ledger and SQLite's files beside it, if they exist.
pub(super) fn remove(path: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let _ = std::fs::remove_file(beside(path, suffix));
    }
}

/// Settings for a writer: a write-ahead log, flushed to disk at checkpoints.
pub(super) fn tune(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "PRAGMA journal_mode = WAL;
         PRAGMA synchronous = NORMAL;
         PRAGMA cache_size = -65536;
         PRAGMA wal_autocheckpoint = 2048;
         PRAGMA journal_size_limit = 67108864;",
    )
}

/// Creates the tables of a new ledger, in one transaction; without hashes if the source of its rows
/// has none.
pub(super) fn create(
    connection: &mut Connection,
    info: &MatchInfo,
    hashed: bool,
) -> rusqlite::Result<()> {
    let players = info.players();
    connection.execute_batch("PRAGMA page_size = 16384")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let payoffs = columns(players, |k| format!("payoff_{k} INTEGER NOT NULL"));
    let entrants = columns(players, |k| format!("entrant_{k} INTEGER"));
    let version = if hashed { VERSION } else { WITHOUT_HASHES };
    let hash = if hashed { ", hash INTEGER NOT NULL" } else { "" };
    let hashes = if hashed { HASHES } else { "" };
    transaction.execute_batch(&format!(
        "PRAGMA application_id = {APPLICATION_ID};
         PRAGMA user_version = {version};
         CREATE TABLE match (
             id INTEGER PRIMARY KEY CHECK (id = 1),
             name TEXT NOT NULL,
             game TEXT NOT NULL,
             hands INTEGER NOT NULL,
             seed INTEGER NOT NULL,
             duplicate INTEGER NOT NULL,
             shard_index INTEGER,
             shard_of INTEGER,
             info TEXT NOT NULL
         );
         CREATE TABLE entrants (entrant INTEGER PRIMARY KEY, name TEXT NOT NULL);
         CREATE TABLE hands (
             hand INTEGER PRIMARY KEY,
             deal INTEGER NOT NULL,
             betting TEXT NOT NULL,
             cards TEXT NOT NULL,
             {payoffs},
             {entrants}{hash}
         );
         CREATE TABLE decisions (hand INTEGER PRIMARY KEY, lines TEXT NOT NULL{hash});
         {hashes}
         CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
         {}",
        results_view(players)
    ))?;
    let json = |value: serde_json::Result<String>| {
        value.map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
    };
    transaction.execute(
        "INSERT INTO match VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            &info.name,
            json(serde_json::to_string(&info.game))?,
            info.hands as i64,
            info.seed as i64,
            info.duplicate,
            info.shard.map(|shard| shard.index),
            info.shard.map(|shard| shard.of),
            json(serde_json::to_string(info))?,
        ),
    )?;
    if hashed {
        note_match(&transaction)?;
    }
    for (number, entrant) in info.entrants.iter().enumerate() {
        transaction
            .execute("INSERT INTO entrants VALUES (?, ?)", (number as i64, &entrant.name))?;
    }
    transaction.commit()
}

/// The definition of the table of blocks.
const HASHES: &str = "CREATE TABLE hashes (
             block INTEGER PRIMARY KEY,
             hands BLOB NOT NULL,
             hands_sum BLOB NOT NULL,
             decisions BLOB NOT NULL,
             decisions_sum BLOB NOT NULL
         );";

/// Stores the hash of the match's current description as a note.
pub(super) fn note_match(connection: &Connection) -> rusqlite::Result<()> {
    let info: String =
        connection.query_row("SELECT info FROM match WHERE id = 1", (), |row| row.get(0))?;
    let note = (MATCH_NOTE, hash_of_text(&info));
    connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", note).map(drop)
}

/// Whether the rows of this ledger have hashes.
pub(super) fn is_hashed(connection: &Connection) -> rusqlite::Result<bool> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(version > WITHOUT_HASHES)
}

/// `column(0), column(1), …` for each seat.
pub(super) fn columns(players: usize, column: impl Fn(usize) -> String) -> String {
    (0..players).map(column).collect::<Vec<_>>().join(", ")
}

/// A view with one row per hand and seat, for queries: entrant and winnings in chips.
fn results_view(players: usize) -> String {
    let mut view = String::from("CREATE VIEW results AS ");
    for seat in 0..players {
        let union = if seat > 0 { " UNION ALL " } else { "" };
        write!(
            view,
            "{union}SELECT hand, deal, {seat} AS seat, \
             coalesce(entrant_{seat}, (hand + {seat}) % {players}) AS entrant, \
             payoff_{seat} / 2520.0 AS chips FROM hands"
        )
        .expect("writing to a string cannot fail");
    }
    view.push(';');
    view
}

/// Checks that this is a ledger of a supported version, and reads its match.
pub(super) fn read_info(connection: &Connection, path: &Path) -> Result<MatchInfo, LedgerError> {
    let sql = || LedgerError::sqlite(path);
    let not_ours = || LedgerError::from(Problem::NotALedger { path: path.to_path_buf() });
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    if pragma("application_id").map_err(sql())? != APPLICATION_ID {
        return Err(not_ours());
    }
    let found = pragma("user_version").map_err(sql())?;
    if !(WITHOUT_HASHES..=VERSION).contains(&found) {
        return Err(Problem::Version { path: path.to_path_buf(), found, known: VERSION }.into());
    }
    let text: String = connection
        .query_row("SELECT info FROM match WHERE id = 1", (), |row| row.get(0))
        .optional()
        .map_err(sql())?
        .ok_or_else(not_ours)?;
    let damaged =
        |detail: String| LedgerError::from(Problem::Damaged { path: path.to_path_buf(), detail });
    let mut info: MatchInfo =
        serde_json::from_str(&text).map_err(|error| damaged(format!("its match: {error}")))?;
    // The ledger may be another's.
    let names = info.entrants.iter_mut().map(|entrant| &mut entrant.name);
    for name in names.chain([&mut info.name, &mut info.game_name, &mut info.provenance.version]) {
        *name = visible(name).into_owned();
    }
    info.check()?;
    Ok(info)
}
