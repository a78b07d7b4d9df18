//! Hands of a ledger by what was played: filters and orders that the database answers, so that a
//! part of a long list takes no more memory than a part of a short one.
//!
//! The texts of queries hold only numbers and the letters of a [`BettingLine`].

use std::fmt;
use std::str::FromStr;

use game::Street;
use rusqlite::{Connection, OptionalExtension};

use super::LedgerError;
use super::reader::{LedgerReader, stored};

/// Which hands are wanted; the default is all.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct HandFilter {
    /// Only those with a showdown, or only those without.
    pub showdown: Option<bool>,
    /// Only those that came as far as this street.
    pub street: Option<Street>,
    /// Only those that begin with this line.
    pub line: Option<BettingLine>,
    /// Only those of a deal that was played in another way, too.
    pub differs: bool,
    /// Only those with an action that has a value.
    pub valued: bool,
    /// Only those with a recorded decision of this kind.
    pub decided: Option<Decided>,
    /// Only those of deals whose hands are all there.
    pub whole_deals: bool,
    /// Only those from this number on.
    pub from: u64,
}

/// A kind of decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decided {
    /// What the agent asked for was not legal, and was corrected.
    Corrected,
    /// Another action or agent took the place of the agent's decision.
    ByFallback,
}

/// The order of hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HandOrder {
    /// By their numbers, the last one first.
    Latest,
    /// By their numbers.
    First,
    /// By the result of this entrant, the largest loss first; of equal ones the first hand.
    MostLost(u8),
    /// By the result of this entrant, the largest gain first; of equal ones the first hand.
    MostWon(u8),
}

/// How the betting of a hand begins, in ACPC notation. A raise without a number is one of any size:
/// `rc/cr` is every hand with a raise and a call, then a check and a bet.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BettingLine(String);

/// A text that is no line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a line: write f for a fold, c for a call or check, r for a bet or raise of any \
     size or with its total, as in r250, and / between streets"
)]
pub struct LineError(String);

/// More letters than the betting of any hand that is looked for.
const MOST_LETTERS: usize = 400;

impl FromStr for BettingLine {
    type Err = LineError;

    fn from_str(text: &str) -> Result<BettingLine, LineError> {
        let mut after_raise = false;
        let fits = text.len() <= MOST_LETTERS
            && text.chars().all(|letter| {
                let digit = letter.is_ascii_digit();
                let good = matches!(letter, 'f' | 'c' | 'r' | '/') || digit && after_raise;
                after_raise = letter == 'r' || digit && after_raise;
                good
            });
        if fits && !text.is_empty() {
            Ok(BettingLine(text.to_owned()))
        } else {
            Err(LineError(game::escape::excerpt_of(text.as_bytes(), 60)))
        }
    }
}

impl fmt::Display for BettingLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl BettingLine {
    /// The line of a hand with this betting: every raise is one of any size.
    pub fn of_betting(betting: &str) -> Option<BettingLine> {
        let letters: String = betting.chars().filter(|letter| !letter.is_ascii_digit()).collect();
        letters.parse().ok()
    }

    fn condition(&self) -> String {
        let length = self.0.len();
        if self.0.bytes().any(|byte| byte.is_ascii_digit()) {
            // The number of the last raise ends here.
            return format!(
                "substr(betting, 1, {length}) = '{0}' \
                 AND substr(betting, {1}, 1) NOT BETWEEN '0' AND '9'",
                self.0,
                length + 1
            );
        }
        format!("substr({}, 1, {length}) = '{}'", letters_of_betting(), self.0)
    }
}

/// The betting without its numbers.
fn letters_of_betting() -> String {
    ('0'..='9').fold("betting".to_owned(), |text, digit| format!("replace({text}, '{digit}', '')"))
}

impl HandFilter {
    /// The condition of a query, about the columns of `hands`, in a match of so many players of
    /// which this many hands share a deal.
    pub(super) fn condition(&self, players: usize, group: usize) -> String {
        let mut all = Vec::new();
        let count =
            |letter: &str| format!("length(betting) - length(replace(betting, '{letter}', ''))");
        if let Some(showdown) = self.showdown {
            let sign = if showdown { "<" } else { ">=" };
            all.push(format!("{} {sign} {}", count("f"), players - 1));
        }
        if let Some(street) = self.street {
            all.push(format!("{} >= {}", count("/"), street.index()));
        }
        all.extend(self.line.as_ref().map(BettingLine::condition));
        let of_deal = format!(
            "FROM hands AS other WHERE other.hand BETWEEN hands.hand / {group} * {group} AND \
             hands.hand / {group} * {group} + {} AND other.deal = hands.deal",
            group - 1
        );
        if self.differs {
            all.push(format!("EXISTS (SELECT 1 {of_deal} AND other.betting != hands.betting)"));
        }
        if self.whole_deals {
            all.push(format!("(SELECT count(*) {of_deal}) = {group}"));
        }
        // Inside of texts, quotes have a backslash before them.
        let with_key = |key: &str| {
            format!(
                "EXISTS (SELECT 1 FROM decisions WHERE decisions.hand = hands.hand \
                 AND lines LIKE '%\"{key}\":%')"
            )
        };
        if self.valued {
            all.push(with_key("values"));
        }
        all.extend(self.decided.map(|decided| match decided {
            Decided::Corrected => with_key("corrected_from"),
            Decided::ByFallback => with_key("fallback"),
        }));
        if self.from > 0 {
            all.push(format!("hands.hand >= {}", stored(self.from)));
        }
        if all.is_empty() { "1".to_owned() } else { all.join(" AND ") }
    }
}

impl HandOrder {
    fn clause(self, players: usize) -> String {
        let won = |entrant: u8| {
            let seats = (0..players).map(|seat| {
                format!(
                    "WHEN coalesce(entrant_{seat}, (hand + {seat}) % {players}) = {entrant} \
                     THEN payoff_{seat}"
                )
            });
            format!("CASE {} END", seats.collect::<Vec<_>>().join(" "))
        };
        match self {
            HandOrder::Latest => "hand DESC".to_owned(),
            HandOrder::First => "hand".to_owned(),
            HandOrder::MostLost(entrant) => format!("{}, hand", won(entrant)),
            HandOrder::MostWon(entrant) => format!("{} DESC, hand", won(entrant)),
        }
    }
}

impl LedgerReader {
    fn condition(&self, filter: &HandFilter) -> String {
        filter.condition(self.info().players(), self.info().group())
    }

    fn query<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        read(self.connection()).map_err(LedgerError::sqlite(self.path()))
    }

    /// The number of hands that a filter leaves.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn count_where(&self, filter: &HandFilter) -> Result<u64, LedgerError> {
        if *filter == HandFilter::default() {
            return self.count();
        }
        let query = format!("SELECT count(*) FROM hands WHERE {}", self.condition(filter));
        let count = |connection: &Connection| connection.query_row(&query, (), |row| row.get(0));
        self.query(count).map(|count: i64| count as u64)
    }

    /// The numbers of a part of the hands that a filter leaves: `limit` of them after the first
    /// `skip`.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn numbers_where(
        &self,
        filter: &HandFilter,
        order: HandOrder,
        skip: u64,
        limit: usize,
    ) -> Result<Vec<u64>, LedgerError> {
        let query = format!(
            "SELECT hand FROM hands WHERE {} ORDER BY {} LIMIT ? OFFSET ?",
            self.condition(filter),
            order.clause(self.info().players())
        );
        self.query(|connection| {
            let mut query = connection.prepare(&query)?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let rows = query.query_map([limit, stored(skip)], |row| row.get::<_, i64>(0))?;
            rows.map(|hand| hand.map(|hand| hand as u64)).collect()
        })
    }

    /// The hands before and after this one among those that a filter leaves, by their numbers.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn neighbours_where(
        &self,
        filter: &HandFilter,
        hand: u64,
    ) -> Result<[Option<u64>; 2], LedgerError> {
        let condition = self.condition(filter);
        let near = |side: &str, order: &str| {
            let query = format!(
                "SELECT hand FROM hands WHERE hand {side} ? AND {condition} ORDER BY hand {order} \
                 LIMIT 1"
            );
            let found = |connection: &Connection| {
                connection.query_row(&query, [stored(hand)], |row| row.get::<_, i64>(0)).optional()
            };
            self.query(found).map(|hand| hand.map(|hand| hand as u64))
        };
        Ok([near("<", "DESC")?, near(">", "")?])
    }

    /// The most frequent lines of the last hands, with the number of hands of each: at most `limit`
    /// lines of `hands` hands.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn frequent_lines(
        &self,
        hands: u64,
        limit: usize,
    ) -> Result<Vec<(BettingLine, u64)>, LedgerError> {
        let query = format!(
            "SELECT {} AS line, count(*) AS times FROM hands \
             WHERE hand > (SELECT max(hand) FROM hands) - ? \
             GROUP BY line ORDER BY times DESC, line LIMIT ?",
            letters_of_betting()
        );
        let rows = self.query(|connection| {
            let mut query = connection.prepare(&query)?;
            let ends = [stored(hands), i64::try_from(limit).unwrap_or(i64::MAX)];
            let row = |row: &rusqlite::Row<'_>| {
                Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)? as u64))
            };
            query.query_map(ends, row)?.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        Ok(rows.into_iter().filter_map(|(line, times)| Some((line.parse().ok()?, times))).collect())
    }

    /// The other hands of a deal, in order.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn others_of_deal(&self, hand: u64) -> Result<Vec<u64>, LedgerError> {
        let group = self.info().group() as u64;
        let first = hand / group * group;
        let query = "SELECT hand FROM hands WHERE hand BETWEEN ?1 AND ?2 AND hand != ?3 AND deal = \
                     (SELECT deal FROM hands WHERE hand = ?3) ORDER BY hand";
        self.query(|connection| {
            let mut query = connection.prepare_cached(query)?;
            let ends = [stored(first), stored(first + group - 1), stored(hand)];
            let rows = query.query_map(ends, |row| row.get::<_, i64>(0))?;
            rows.map(|hand| hand.map(|hand| hand as u64)).collect()
        })
    }

    /// Whether decisions are recorded, and whether any of the first ones has values.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn has_decisions(&self) -> Result<[bool; 2], LedgerError> {
        let any = |query: &str| {
            self.query(|connection| connection.query_row(query, (), |row| row.get::<_, bool>(0)))
        };
        let some = any("SELECT EXISTS (SELECT 1 FROM decisions)")?;
        let valued = format!(
            "SELECT EXISTS (SELECT 1 FROM (SELECT lines FROM decisions LIMIT {SEARCHED}) \
             WHERE lines LIKE '%\"values\":%')"
        );
        Ok([some, some && any(&valued)?])
    }
}

/// The number of hands in which values are looked for.
const SEARCHED: u32 = 2000;
