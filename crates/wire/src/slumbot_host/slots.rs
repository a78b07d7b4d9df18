//! The state that must survive the process, as rows of an SQLite database: one for each session,
//! for each hand that a client left open, and for each additional token of a session.
//!
//! Each is called a slot. It is written in one transaction before its answer is sent, so it
//! survives the end of the process, however it comes; a power failure may lose the last ones, but
//! never leaves one that is written in part.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use game::Action;
use parallel::lock;
use rusqlite::{Connection, OptionalExtension, Row, params};
use smallvec::SmallVec;

use super::files::{FILE, parse_token, token_text};

/// The packed actions of a hand; few are stored inline.
pub(super) type Actions = SmallVec<[u16; 8]>;

/// Packs an action into two bytes. Raise totals are above 100 and at most 20,000 in this game.
pub(super) fn pack(action: Action) -> u16 {
    match action {
        Action::Fold => 0,
        Action::Call => 1,
        Action::RaiseTo(total) => u16::try_from(total).unwrap_or(u16::MAX),
    }
}

/// Unpacks an action.
pub(super) fn unpack(packed: u16) -> Action {
    match packed {
        0 => Action::Fold,
        1 => Action::Call,
        total => Action::RaiseTo(total.into()),
    }
}

/// The use of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A session.
    Session,
    /// A hand that a client left open.
    LeftOpen,
    /// An additional token of a session.
    Alias,
}

/// The stage of the hand in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Stage {
    /// No hand.
    #[default]
    None,
    /// In play.
    Open,
    /// Finished, and in the ledger or about to be.
    Finished,
}

/// The ledger and number of a finished hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InLedger {
    /// The agent's number.
    pub(super) agent: u16,
    /// The number of the ledger among the agent's, from 1.
    pub(super) ledger: u16,
    /// The hand's number in it.
    pub(super) hand: u64,
}

/// A deal that the client has asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AskedDeal {
    /// The seed of the cards.
    pub(crate) seed: u64,
    /// Which of the seed's deals.
    pub(crate) deal: u32,
    /// Whether the client has the button.
    pub(crate) button: bool,
}

/// The contents of a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) kind: Kind,
    pub(super) token: u128,
    /// The session's token, for an additional token.
    pub(super) stands_for: u128,
    pub(super) number: u32,
    pub(super) agent: u16,
    pub(super) dealt: u32,
    pub(super) finished: u32,
    pub(super) total: i64,
    pub(super) baseline_total: i64,
    pub(super) used: u64,
    /// The ledger and number of the last finished hand.
    pub(super) last: Option<InLedger>,
    pub(super) stage: Stage,
    pub(super) hand_agent: u16,
    pub(super) deal: u32,
    /// The deal whose cards it has, if the client has asked for one.
    pub(super) asked: Option<AskedDeal>,
    pub(super) actions: Actions,
}

impl Slot {
    /// An empty slot of this kind.
    pub(super) fn new(kind: Kind, token: u128) -> Slot {
        Slot {
            kind,
            token,
            stands_for: 0,
            number: 0,
            agent: 0,
            dealt: 0,
            finished: 0,
            total: 0,
            baseline_total: 0,
            used: 0,
            last: None,
            stage: Stage::None,
            hand_agent: 0,
            deal: 0,
            asked: None,
            actions: Actions::new(),
        }
    }
}

/// The pages of the write-ahead log after which they are moved to the database and flushed.
const CHECKPOINT_PAGES: u32 = 8192;

/// The columns of a slot, in the order of [`Slots::write`] and [`read_slot`].
const COLUMNS: &str = "id, kind, token, stands_for, number, agent, dealt, finished, total, \
    baseline_total, used, last_agent, last_ledger, last_hand, stage, hand_agent, deal, actions, \
    asked_seed, asked_deal, asked_button";

/// Reads a row of [`COLUMNS`].
fn read_slot(row: &Row<'_>) -> rusqlite::Result<(i64, Slot)> {
    let token = |column: usize| {
        let text: String = row.get(column)?;
        parse_token(&text).ok_or_else(|| unknown(column, format!("`{text}` is no token")))
    };
    let kind = match row.get(1)? {
        1 => Kind::Session,
        2 => Kind::LeftOpen,
        3 => Kind::Alias,
        other => return Err(unknown(1, format!("there is no kind {other}"))),
    };
    let stage = match row.get(14)? {
        0 => Stage::None,
        1 => Stage::Open,
        2 => Stage::Finished,
        other => return Err(unknown(14, format!("there is no stage {other}"))),
    };
    let last = match (row.get(11)?, row.get(12)?, row.get::<_, Option<i64>>(13)?) {
        (Some(agent), Some(ledger), Some(hand)) => {
            Some(InLedger { agent, ledger, hand: hand as u64 })
        }
        _ => None,
    };
    let asked = match (row.get::<_, Option<i64>>(18)?, row.get(19)?, row.get(20)?) {
        (Some(seed), Some(deal), Some(button)) => {
            Some(AskedDeal { seed: seed as u64, deal, button })
        }
        _ => None,
    };
    let actions: Vec<u8> = row.get(17)?;
    let slot = Slot {
        kind,
        token: token(2)?,
        stands_for: token(3)?,
        number: row.get(4)?,
        agent: row.get(5)?,
        dealt: row.get(6)?,
        finished: row.get(7)?,
        total: row.get(8)?,
        baseline_total: row.get(9)?,
        used: row.get::<_, i64>(10)? as u64,
        last,
        stage,
        hand_agent: row.get(15)?,
        deal: row.get(16)?,
        asked,
        actions: actions.as_chunks().0.iter().copied().map(u16::from_le_bytes).collect(),
    };
    Ok((row.get(0)?, slot))
}

fn unknown(column: usize, what: String) -> rusqlite::Error {
    let kind = rusqlite::types::Type::Null;
    rusqlite::Error::FromSqlConversionFailure(column, kind, what.into())
}

/// The database of slots.
#[derive(Debug)]
pub(super) struct Slots {
    connection: Mutex<Connection>,
    /// The number of the next new slot.
    next: AtomicI64,
}

impl Slots {
    /// Opens the database, or makes it, and reads its slots, each with its number.
    pub(super) fn open(path: &Path) -> io::Result<(Slots, Vec<(i64, Slot)>)> {
        let mut options = OpenOptions::new();
        // It holds tokens; SQLite gives its other files the same permissions.
        options.read(true).write(true).create(true).truncate(false).mode(FILE).open(path)?;
        let opened = || -> rusqlite::Result<_> {
            let connection = Connection::open(path)?;
            connection.execute_batch(&format!(
                "PRAGMA locking_mode = EXCLUSIVE;
                 PRAGMA journal_mode = WAL;
                 PRAGMA synchronous = NORMAL;
                 PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES};
                 CREATE TABLE IF NOT EXISTS slots (
                     id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, token TEXT NOT NULL,
                     stands_for TEXT NOT NULL, number INTEGER NOT NULL, agent INTEGER NOT NULL,
                     dealt INTEGER NOT NULL, finished INTEGER NOT NULL, total INTEGER NOT NULL,
                     baseline_total INTEGER NOT NULL, used INTEGER NOT NULL, last_agent INTEGER,
                     last_ledger INTEGER, last_hand INTEGER, stage INTEGER NOT NULL,
                     hand_agent INTEGER NOT NULL, deal INTEGER NOT NULL, actions BLOB NOT NULL,
                     asked_seed INTEGER, asked_deal INTEGER, asked_button INTEGER
                 ) STRICT;"
            ))?;
            let slots = {
                let mut all =
                    connection.prepare(&format!("SELECT {COLUMNS} FROM slots ORDER BY id"))?;
                all.query_map((), read_slot)?.collect::<rusqlite::Result<Vec<_>>>()?
            };
            Ok((connection, slots))
        };
        let (connection, found) = opened().map_err(io::Error::other)?;
        let next = found.last().map_or(0, |(id, _)| id + 1);
        Ok((Slots { connection: Mutex::new(connection), next: next.into() }, found))
    }

    /// Takes the number of a new slot.
    pub(super) fn take(&self) -> i64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Writes a slot, so that it is complete or as it was if the process ends.
    pub(super) fn write(&self, id: i64, slot: &Slot) -> io::Result<()> {
        let (last, asked) = (slot.last, slot.asked);
        let actions: Vec<u8> =
            slot.actions.iter().flat_map(|action| action.to_le_bytes()).collect();
        let values = params![
            id,
            match slot.kind {
                Kind::Session => 1,
                Kind::LeftOpen => 2,
                Kind::Alias => 3,
            },
            token_text(slot.token),
            token_text(slot.stands_for),
            slot.number,
            slot.agent,
            slot.dealt,
            slot.finished,
            slot.total,
            slot.baseline_total,
            slot.used as i64,
            last.map(|last| last.agent),
            last.map(|last| last.ledger),
            last.map(|last| last.hand as i64),
            slot.stage as u8,
            slot.hand_agent,
            slot.deal,
            actions,
            asked.map(|asked| asked.seed as i64),
            asked.map(|asked| asked.deal),
            asked.map(|asked| asked.button),
        ];
        let connection = lock(&self.connection);
        let written = connection
            .prepare_cached(&format!(
                "INSERT OR REPLACE INTO slots ({COLUMNS})
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            ))
            .and_then(|mut statement| statement.execute(values));
        written.map(drop).map_err(io::Error::other)
    }

    /// Reads the slot with this number; `None` when there is none.
    pub(super) fn read(&self, id: i64) -> io::Result<Option<Slot>> {
        let connection = lock(&self.connection);
        let query = format!("SELECT {COLUMNS} FROM slots WHERE id = ?");
        let slot = connection.query_row(&query, [id], read_slot).optional();
        Ok(slot.map_err(io::Error::other)?.map(|(_, slot)| slot))
    }

    /// Removes a slot.
    pub(super) fn clear(&self, id: i64) -> io::Result<()> {
        let connection = lock(&self.connection);
        let cleared = connection.execute("DELETE FROM slots WHERE id = ?", [id]);
        cleared.map(drop).map_err(io::Error::other)
    }

    /// Flushes the database to disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        let connection = lock(&self.connection);
        let flushed = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
        flushed.map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Slot {
        let mut slot = Slot::new(Kind::Session, 0x1234_5678_9ABC_DEF0_1122_3344_5566_7788);
        slot.number = 7;
        (slot.agent, slot.hand_agent) = (3, 2);
        (slot.dealt, slot.finished) = (12, 11);
        (slot.total, slot.baseline_total) = (-20_000, 450);
        slot.used = 1_795_000_000_000;
        slot.last = Some(InLedger { agent: 2, ledger: 1, hand: 99 });
        (slot.stage, slot.deal) = (Stage::Open, 11);
        slot.asked = Some(AskedDeal { seed: u64::MAX, deal: 3, button: true });
        slot.actions = (1..=208).map(|i| 0x0101 * i).collect();
        slot
    }

    #[test]
    fn slots_come_back_as_they_were() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sessions.sqlite");
        let (slots, found) = Slots::open(&path).expect("a database");
        assert!(found.is_empty());
        let mut alias = Slot::new(Kind::Alias, 5);
        alias.stands_for = 6;
        let written = [full(), alias, Slot::new(Kind::LeftOpen, 9)];
        for slot in &written {
            slots.write(slots.take(), slot).expect("written");
        }
        slots.write(slots.take(), &full()).expect("written");
        slots.clear(3).expect("removed");
        assert_eq!(slots.read(0).expect("readable").as_ref(), Some(&written[0]));
        assert_eq!(slots.read(3).expect("readable"), None);
        drop(slots);
        let (slots, found) = Slots::open(&path).expect("a database");
        let read: Vec<Slot> = found.into_iter().map(|(_, slot)| slot).collect();
        assert_eq!(read, written);
        assert_eq!((slots.take(), slots.take()), (3, 4));
    }

    #[test]
    fn a_file_that_is_no_database_of_sessions_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sessions.sqlite");
        std::fs::write(&path, [7; 4096]).expect("written");
        assert!(Slots::open(&path).is_err());
    }

    #[test]
    fn actions_fit_into_two_bytes() {
        for action in [Action::Fold, Action::Call, Action::RaiseTo(200), Action::RaiseTo(20_000)] {
            assert_eq!(unpack(pack(action)), action);
        }
    }
}
