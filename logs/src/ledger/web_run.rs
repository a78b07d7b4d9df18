//! The data of a run at a server with a web API, Slumbot's or that of the GTO Wizard Benchmark:
//! sessions, and each hand's result on the server's account, its baseline or score, its times, and
//! whether its result is known.
//!
//! They are in additional tables, `slumbot_sessions`, `slumbot_hands` and `hand_scores`. A hand
//! played to its end is in both `hands` and `slumbot_hands`, with the same number. One whose answer
//! was lost is in `slumbot_hands` only, since not all its cards are known. Related rows are written
//! in one transaction. `docs/ledger.md` describes the columns.

use std::collections::HashMap;
use std::time::Duration;

use game::Payoff;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};
use sha2::{Digest, Sha256};

use super::{LedgerError, LedgerReader, LedgerWriter};

/// The status of a hand's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Known {
    /// Known: the hand was played to its end.
    Played,
    /// Known although the end was not seen: it follows from the session's sums.
    Settled,
    /// The same as [`Settled`](Known::Settled), but only after the run had its planned number of
    /// hands: it is excluded from all rates.
    Beyond,
    /// Unknown. The hand may be open on the server.
    Unknown,
}

impl Known {
    const ALL: [Known; 4] = [Known::Played, Known::Settled, Known::Beyond, Known::Unknown];

    /// The value stored in the ledger.
    pub fn name(self) -> &'static str {
        match self {
            Known::Played => "played",
            Known::Settled => "settled",
            Known::Beyond => "beyond",
            Known::Unknown => "unknown",
        }
    }
}

/// A hand at a server with a web API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebHand {
    /// The hand's number in the run.
    pub hand: u64,
    /// The session it was dealt in.
    pub session: u64,
    /// The session's number of finished hands with this one (`session_num_hands`); for played hands
    /// only.
    pub number: Option<u64>,
    /// The status of its result.
    pub known: Known,
    /// This side's seat: 0 the big blind, 1 the button.
    pub seat: u8,
    /// This side's winnings in chips; `None` while unknown.
    pub winnings: Option<i64>,
    /// `baseline_winnings`: `winnings` minus the bot's self-play result with the same cards.
    pub baseline: Option<i64>,
    /// The betting in Slumbot's notation, as far as known.
    pub action: String,
    /// This side's cards; empty when the hand was never shown.
    pub hole: String,
    /// The board, as far as shown.
    pub board: String,
    /// The action whose answer was lost, if any.
    pub incr: Option<String>,
    /// Number of hands settled together, whose results are not known one by one: the first has the
    /// sum and the others 0. Otherwise 1.
    pub together: u32,
    /// Whether it was left open and forfeited.
    pub forfeited: bool,
    /// Whether a request was carried out twice, so that not all actions were this side's decisions.
    pub disturbed: bool,
    /// Number of decisions made without the board, since the answer was lost.
    pub blind: u32,
    /// Time of the deal, in milliseconds since 1970.
    pub began_ms: i64,
    /// Time at which its end was seen, in milliseconds since 1970.
    pub ended_ms: Option<i64>,
    /// Number of requests.
    pub requests: u32,
    /// Time spent waiting for answers.
    pub waited: Duration,
    /// Time the agent thought.
    pub thought: Duration,
}

/// A session with the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebSession {
    /// The session's number in the run.
    pub session: u64,
    /// The server's token of the session.
    pub token: Option<String>,
    /// The reason why it ended; `None` while it goes on.
    pub closed: Option<String>,
    /// The client's saved state, to continue from.
    pub state: String,
}

/// A server's number of a hand, and its estimate of this side's result without luck.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HandScore {
    /// The hand's number in the run.
    pub hand: u64,
    /// The hand's number at the server.
    pub id: u64,
    /// The estimate in chips, whose mean is that of the results; `None` when the server gave none.
    pub aivat: Option<f64>,
}

/// Counts of the hands of a run, by status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WebCounts {
    /// Number of hands seen to their end.
    pub played: u64,
    /// Number of hands settled by the session's sums, whose cards this side had seen.
    pub settled: u64,
    /// Number of hands without a known result, whose cards this side had seen.
    pub unknown_seen: u64,
    /// Number of hands without any card seen: dealt, but the answer was lost. This side made no
    /// decision in them.
    pub unseen: u64,
    /// Number of unseen hands that the server has counted nevertheless.
    pub unseen_settled: u64,
    /// Number of hands with cards seen that were settled after the run had all its hands.
    pub beyond: u64,
    /// Net winnings in chips of all hands with a known result, unseen ones included.
    pub chips: i64,
    /// Number of hands in which an action was not this side's decision.
    pub disturbed: u64,
    /// Number of decisions made without the board.
    pub blind: u64,
}

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS slumbot_sessions (
        session INTEGER PRIMARY KEY,
        token TEXT,
        closed TEXT,
        state TEXT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS slumbot_hands (
        hand INTEGER PRIMARY KEY,
        session INTEGER NOT NULL,
        number INTEGER,
        known TEXT NOT NULL,
        seat INTEGER NOT NULL,
        winnings INTEGER,
        baseline INTEGER,
        action TEXT NOT NULL,
        hole TEXT NOT NULL,
        board TEXT NOT NULL,
        incr TEXT,
        together INTEGER NOT NULL,
        forfeited INTEGER NOT NULL,
        disturbed INTEGER NOT NULL,
        blind INTEGER NOT NULL,
        began_ms INTEGER NOT NULL,
        ended_ms INTEGER,
        requests INTEGER NOT NULL,
        waited_us INTEGER NOT NULL,
        thought_us INTEGER NOT NULL,
        UNIQUE (session, number)
    );
    CREATE TABLE IF NOT EXISTS hand_scores (
        hand INTEGER PRIMARY KEY,
        id INTEGER NOT NULL,
        aivat REAL
    );";

const COLUMNS: &str = "hand, session, number, known, seat, winnings, baseline, action, hole, \
                       board, incr, together, forfeited, disturbed, blind, began_ms, ended_ms, \
                       requests, waited_us, thought_us";

impl WebHand {
    /// Whether this side saw its cards of the hand, and so took part in it. An unseen hand is not
    /// part of the sample, whatever became of it: losing its answer was independent of the cards.
    pub fn seen(&self) -> bool {
        !self.hole.is_empty()
    }
}

impl WebCounts {
    /// Number of hands excluded from all rates: those without a known result, and unseen ones, even
    /// if the server has counted them.
    pub fn unknown(&self) -> u64 {
        self.unknown_seen + self.unseen
    }
}

impl LedgerWriter {
    /// Creates the tables of a run at a server with a web API, if they do not exist.
    pub fn prepare_web_run(&mut self) -> Result<(), LedgerError> {
        self.commit_and(None, |transaction| transaction.execute_batch(TABLES))
    }

    /// The same as [`commit_with_note`](Self::commit_with_note), with the data of a run over
    /// a web API: hands, scores and a session, which replace earlier ones with the same number.
    pub fn commit_web_run(
        &mut self,
        note: Option<(&str, &str)>,
        hands: &[WebHand],
        scores: &[HandScore],
        session: &WebSession,
    ) -> Result<(), LedgerError> {
        self.commit_and(note, |transaction| {
            hands.iter().try_for_each(|hand| write_hand(transaction, hand))?;
            for score in scores {
                transaction
                    .prepare_cached("INSERT OR REPLACE INTO hand_scores VALUES (?, ?, ?)")?
                    .execute((score.hand as i64, score.id as i64, score.aivat))?;
            }
            transaction
                .prepare_cached("INSERT OR REPLACE INTO slumbot_sessions VALUES (?, ?, ?, ?)")?
                .execute((
                    session.session as i64,
                    &session.token,
                    &session.closed,
                    &session.state,
                ))?;
            Ok(())
        })
    }
}

fn write_hand(transaction: &Transaction<'_>, hand: &WebHand) -> rusqlite::Result<()> {
    const INSERT: &str = "INSERT INTO slumbot_hands VALUES (:hand, :session, :number, :known, \
        :seat, :winnings, :baseline, :action, :hole, :board, :incr, :together, :forfeited, \
        :disturbed, :blind, :began, :ended, :requests, :waited, :thought) ON CONFLICT (hand) DO \
        UPDATE SET number = excluded.number, known = excluded.known, winnings = excluded.winnings, \
        baseline = excluded.baseline, action = excluded.action, hole = excluded.hole, \
        board = excluded.board, incr = excluded.incr, together = excluded.together, \
        forfeited = excluded.forfeited, disturbed = excluded.disturbed, blind = excluded.blind, \
        ended_ms = excluded.ended_ms, requests = excluded.requests, waited_us = \
        excluded.waited_us, thought_us = excluded.thought_us";
    transaction.prepare_cached(INSERT)?.execute(named_params! {
        ":hand": hand.hand as i64,
        ":session": hand.session as i64,
        ":number": hand.number.map(|number| number as i64),
        ":known": hand.known.name(),
        ":seat": hand.seat,
        ":winnings": hand.winnings,
        ":baseline": hand.baseline,
        ":action": hand.action,
        ":hole": hand.hole,
        ":board": hand.board,
        ":incr": hand.incr,
        ":together": hand.together,
        ":forfeited": hand.forfeited,
        ":disturbed": hand.disturbed,
        ":blind": hand.blind,
        ":began": hand.began_ms,
        ":ended": hand.ended_ms,
        ":requests": hand.requests,
        ":waited": hand.waited.as_micros() as i64,
        ":thought": hand.thought.as_micros() as i64,
    })?;
    Ok(())
}

fn read_hand(row: &Row<'_>) -> rusqlite::Result<WebHand> {
    let micros = |at| row.get::<_, i64>(at).map(|us| Duration::from_micros(us.max(0) as u64));
    let word: String = row.get(3)?;
    let known = Known::ALL.into_iter().find(|known| known.name() == word);
    let known = known.ok_or_else(|| {
        let reason = format!("`{word}` is not what can be known of a hand");
        rusqlite::Error::FromSqlConversionFailure(3, rusqlite::types::Type::Text, reason.into())
    })?;
    Ok(WebHand {
        hand: row.get::<_, i64>(0)? as u64,
        session: row.get::<_, i64>(1)? as u64,
        number: row.get::<_, Option<i64>>(2)?.map(|number| number as u64),
        known,
        seat: row.get(4)?,
        winnings: row.get(5)?,
        baseline: row.get(6)?,
        action: row.get(7)?,
        hole: row.get(8)?,
        board: row.get(9)?,
        incr: row.get(10)?,
        together: row.get(11)?,
        forfeited: row.get(12)?,
        disturbed: row.get(13)?,
        blind: row.get(14)?,
        began_ms: row.get(15)?,
        ended_ms: row.get(16)?,
        requests: row.get(17)?,
        waited: micros(18)?,
        thought: micros(19)?,
    })
}

fn is_web_run(connection: &Connection) -> rusqlite::Result<bool> {
    has_table(connection, "slumbot_hands")
}

fn has_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?";
    connection.query_row(query, [name], |_| Ok(())).optional().map(|found| found.is_some())
}

/// A hash of what statistics need of the hands at such a server.
pub(super) fn hash(connection: &Connection) -> rusqlite::Result<crate::ledger::integrity::Hash> {
    let mut hash = Sha256::new();
    if is_web_run(connection)? {
        let columns = "hand, known, seat, winnings, baseline, hole";
        let mut query =
            connection.prepare(&format!("SELECT {columns} FROM slumbot_hands ORDER BY hand"))?;
        let mut rows = query.query(())?;
        while let Some(row) = rows.next()? {
            for at in 0..6 {
                hash.update(format!("{:?}\n", row.get_ref(at)?));
            }
        }
    }
    Ok(hash.finalize().into())
}

impl LedgerReader {
    /// Whether this is the ledger of a run at a server with a web API.
    pub fn is_web_run(&self) -> Result<bool, LedgerError> {
        self.ask(is_web_run)
    }

    /// All hands at such a server in order, those without a known result included.
    pub fn web_hands(&self) -> Result<Vec<WebHand>, LedgerError> {
        self.ask(|connection| {
            let mut query = connection
                .prepare(&format!("SELECT {COLUMNS} FROM slumbot_hands ORDER BY hand"))?;
            query.query_map((), read_hand)?.collect()
        })
    }

    /// The hands in order whose cards this side saw, but not the end, and whose result is
    /// nevertheless known. Those settled together are one entry: the first, with the sum.
    pub fn web_settled(&self) -> Result<Vec<WebHand>, LedgerError> {
        let rows = self.ask(|connection| {
            let mut query = connection.prepare(&format!(
                "SELECT {COLUMNS} FROM slumbot_hands WHERE known = 'settled' ORDER BY session, hand"
            ))?;
            query.query_map((), read_hand)?.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        let (mut rows, mut settled) = (rows.into_iter(), Vec::new());
        while let Some(mut hand) = rows.next() {
            let mut seen = hand.seen();
            for other in rows.by_ref().take(hand.together.saturating_sub(1) as usize) {
                seen &= other.seen();
                hand.winnings = hand.winnings.zip(other.winnings).map(|(one, more)| one + more);
            }
            settled.extend(seen.then_some(hand));
        }
        settled.sort_unstable_by_key(|hand| hand.hand);
        Ok(settled)
    }

    /// The hands of a session without a known result, in order.
    pub fn web_unknown(&self, session: u64) -> Result<Vec<WebHand>, LedgerError> {
        self.ask(|connection| {
            let mut query = connection.prepare(&format!(
                "SELECT {COLUMNS} FROM slumbot_hands WHERE session = ? AND known = 'unknown' ORDER \
                 BY hand"
            ))?;
            query.query_map([session as i64], read_hand)?.collect()
        })
    }

    /// By the hand's number, what Slumbot won against itself in this side's seat with the same
    /// cards: the server reports by how much this side did better. Empty for other matches.
    pub fn web_baselines(&self) -> Result<HashMap<u64, Payoff>, LedgerError> {
        if !self.is_web_run()? {
            return Ok(HashMap::new());
        }
        const BASELINES: &str = "SELECT hand, winnings - baseline FROM slumbot_hands WHERE \
                                 winnings IS NOT NULL AND baseline IS NOT NULL";
        self.ask(|connection| {
            let mut query = connection.prepare(BASELINES)?;
            let baseline =
                |row: &Row<'_>| Ok((row.get::<_, i64>(0)? as u64, Payoff::from_chips(row.get(1)?)));
            query.query_map((), baseline)?.collect()
        })
    }

    /// The servers' scores of finished hands in order; empty for other matches.
    pub fn hand_scores(&self) -> Result<Vec<HandScore>, LedgerError> {
        self.ask(|connection| {
            if !has_table(connection, "hand_scores")? {
                return Ok(Vec::new());
            }
            let mut query =
                connection.prepare("SELECT hand, id, aivat FROM hand_scores ORDER BY hand")?;
            let score = |row: &Row<'_>| {
                Ok(HandScore {
                    hand: row.get::<_, i64>(0)? as u64,
                    id: row.get::<_, i64>(1)? as u64,
                    aivat: row.get(2)?,
                })
            };
            query.query_map((), score)?.collect()
        })
    }

    /// One hand at such a server.
    pub fn web_hand(&self, hand: u64) -> Result<Option<WebHand>, LedgerError> {
        self.ask(|connection| {
            let query = format!("SELECT {COLUMNS} FROM slumbot_hands WHERE hand = ?");
            connection.prepare_cached(&query)?.query_row([hand as i64], read_hand).optional()
        })
    }

    /// All sessions in order.
    pub fn web_sessions(&self) -> Result<Vec<WebSession>, LedgerError> {
        self.ask(|connection| {
            let columns = "session, token, closed, state";
            let mut query = connection
                .prepare(&format!("SELECT {columns} FROM slumbot_sessions ORDER BY session"))?;
            let session = |row: &Row<'_>| {
                Ok(WebSession {
                    session: row.get::<_, i64>(0)? as u64,
                    token: row.get(1)?,
                    closed: row.get(2)?,
                    state: row.get(3)?,
                })
            };
            query.query_map((), session)?.collect()
        })
    }

    /// Counts the hands by status, and sums up their winnings.
    pub fn web_counts(&self) -> Result<WebCounts, LedgerError> {
        const COUNTS: &str = "SELECT count(*) FILTER (WHERE known = 'played'), \
            count(*) FILTER (WHERE known = 'settled' AND hole <> ''), \
            count(*) FILTER (WHERE known = 'unknown' AND hole <> ''), \
            count(*) FILTER (WHERE hole = ''), \
            count(*) FILTER (WHERE known = 'settled' AND hole = ''), coalesce(sum(winnings), 0), \
            coalesce(sum(disturbed), 0), coalesce(sum(blind), 0), \
            count(*) FILTER (WHERE known = 'beyond') FROM slumbot_hands";
        self.ask(|connection| {
            connection.query_row(COUNTS, (), |row| {
                let count = |at| row.get::<_, i64>(at).map(|count| count as u64);
                Ok(WebCounts {
                    played: count(0)?,
                    settled: count(1)?,
                    unknown_seen: count(2)?,
                    unseen: count(3)?,
                    unseen_settled: count(4)?,
                    chips: row.get(5)?,
                    disturbed: count(6)?,
                    blind: count(7)?,
                    beyond: count(8)?,
                })
            })
        })
    }

    /// The number after the largest of all hands.
    pub fn web_next(&self) -> Result<u64, LedgerError> {
        const LAST: &str = "SELECT max(coalesce((SELECT max(hand) + 1 FROM slumbot_hands), 0), \
                            coalesce((SELECT max(hand) + 1 FROM hands), 0))";
        self.ask(|connection| connection.query_row(LAST, (), |row| row.get::<_, i64>(0)))
            .map(|next| next as u64)
    }

    fn ask<T>(
        &self,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        query(self.connection()).map_err(LedgerError::sqlite(self.path()))
    }
}
