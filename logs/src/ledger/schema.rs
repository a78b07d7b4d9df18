//! The tables, and opening a file with all checks.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior};

use super::LedgerError;
use crate::info::MatchInfo;

/// `card` in ASCII: SQLite's mark of whose file this is.
pub(super) const APPLICATION_ID: i64 = 0x6361_7264;
/// The version of the tables.
pub(super) const VERSION: i64 = 1;

/// Opens a file for writing, creating it when `create` says so.
pub(super) fn open(path: &Path, create: bool) -> Result<Connection, LedgerError> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if create {
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    } else if !path.is_file() {
        return Err(LedgerError::Missing { path: path.to_path_buf() });
    }
    let sql = LedgerError::sqlite(path);
    (|| {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        Ok(connection)
    })()
    .map_err(sql)
}

/// Removes a ledger and what SQLite put beside it; what is not there is no matter.
pub(super) fn remove(path: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let mut file = path.as_os_str().to_os_string();
        file.push(suffix);
        let _ = std::fs::remove_file(file);
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

/// Makes the tables of a new ledger, in one transaction.
pub(super) fn create(connection: &mut Connection, info: &MatchInfo) -> rusqlite::Result<()> {
    let players = info.players();
    connection.execute_batch("PRAGMA page_size = 16384")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let payoffs = columns(players, |k| format!("payoff_{k} INTEGER NOT NULL"));
    let entrants = columns(players, |k| format!("entrant_{k} INTEGER"));
    transaction.execute_batch(&format!(
        "PRAGMA application_id = {APPLICATION_ID};
         PRAGMA user_version = {VERSION};
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
             {entrants}
         );
         CREATE TABLE decisions (hand INTEGER PRIMARY KEY, lines TEXT NOT NULL);
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
    for (number, entrant) in info.entrants.iter().enumerate() {
        transaction
            .execute("INSERT INTO entrants VALUES (?, ?)", (number as i64, &entrant.name))?;
    }
    transaction.commit()
}

/// `column(0), column(1), …` for each seat.
pub(super) fn columns(players: usize, column: impl Fn(usize) -> String) -> String {
    (0..players).map(column).collect::<Vec<_>>().join(", ")
}

/// One row per hand and seat, for queries by hand: who sat there and what they won in chips.
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

/// Checks that this is a ledger of this version, and reads its match.
pub(super) fn read_info(connection: &Connection, path: &Path) -> Result<MatchInfo, LedgerError> {
    let sql = || LedgerError::sqlite(path);
    let not_ours = || LedgerError::NotALedger { path: path.to_path_buf() };
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    if pragma("application_id").map_err(sql())? != APPLICATION_ID {
        return Err(not_ours());
    }
    let found = pragma("user_version").map_err(sql())?;
    if found != VERSION {
        return Err(LedgerError::Version { path: path.to_path_buf(), found, known: VERSION });
    }
    let text: String = connection
        .query_row("SELECT info FROM match WHERE id = 1", (), |row| row.get(0))
        .optional()
        .map_err(sql())?
        .ok_or_else(not_ours)?;
    let damaged = |detail: String| LedgerError::Damaged { path: path.to_path_buf(), detail };
    let info: MatchInfo =
        serde_json::from_str(&text).map_err(|error| damaged(format!("its match: {error}")))?;
    info.check()?;
    Ok(info)
}
