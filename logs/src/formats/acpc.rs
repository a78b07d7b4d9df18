//! Reader and writer of the ACPC dealer's log format.
//!
//! ```text
//! # name/game/hands/seed NAME GAMEFILE HANDS SEED
//! STATE:<hand>:<betting>:<cards>:<values>:<names>
//! SCORE:<values>:<names>
//! ```
//!
//! Cards are all hole cards by seat and the board as far as it was dealt; values are net chips by
//! seat with at most six decimals; names are by seat in `STATE` lines and by entrant in the `SCORE`
//! line. Lines that begin with `#` are comments. In the log of a duplicate match the comment
//! `#--duplicate N` says that each deal was played N times in a row. Published logs may begin with
//! a byte-order mark or empty lines, have blanks before a line, or end their lines in CR LF; what
//! follows ` # ` on a line, such as a time, is a comment. A last line that is cut short is an error
//! that says so ([`ReadError::cut`]).

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::io::BufRead;
use std::sync::Arc;

use game::{BySeat, GameDef, Payoff, notation};

use crate::formats::{Lines, ReadError, parse_payoff};
use crate::info::plain_name;
use crate::record::{line_up, replay};
use crate::{Entrant, HandRecord, MatchInfo, Provenance, distinct_names};

const FORMAT: &str = "ACPC log";

/// Appends the header lines of a match's log.
pub fn write_header(info: &MatchInfo, out: &mut String) {
    let MatchInfo { name, game_name, hands, seed, .. } = info;
    writeln!(out, "# name/game/hands/seed {name} {game_name} {hands} {seed}")
        .expect("writing to a string cannot fail");
    if info.duplicate {
        writeln!(out, "#--duplicate {}", info.group()).expect("writing to a string cannot fail");
    }
}

/// Appends a hand's line. `names` are those of the entrants, in order.
pub fn write_hand(record: &HandRecord, names: &[String], out: &mut String) {
    write!(out, "STATE:{}:", record.hand).expect("writing to a string cannot fail");
    notation::write_betting(&record.public, out);
    out.push(':');
    notation::write_cards(&record.public, &record.hole, out);
    write_values(record.payoffs.as_slice(), out);
    let seated = record.entrants.as_slice().iter();
    write_names(
        seated.map(|&entrant| names.get(usize::from(entrant)).map_or("?", String::as_str)),
        out,
    );
}

/// Appends the last line: the total of each entrant.
pub fn write_score(totals: &[Payoff], names: &[String], out: &mut String) {
    out.push_str("SCORE");
    write_values(totals, out);
    write_names(names.iter().map(String::as_str), out);
}

fn write_values(values: &[Payoff], out: &mut String) {
    for (i, value) in values.iter().enumerate() {
        out.push(if i == 0 { ':' } else { '|' });
        write!(out, "{value}").expect("writing to a string cannot fail");
    }
}

fn write_names<'a>(names: impl Iterator<Item = &'a str>, out: &mut String) {
    for (i, name) in names.enumerate() {
        out.push(if i == 0 { ':' } else { '|' });
        out.push_str(name);
    }
    out.push('\n');
}

/// The first line of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The match's name.
    pub name: String,
    /// The game definition file, as passed to the dealer.
    pub game: String,
    /// Number of hands planned.
    pub hands: u64,
    /// Seed of the deals.
    pub seed: u64,
}

/// Parses the first line of a log; `None` when it is not one.
pub fn read_header(line: &str) -> Option<Header> {
    let mut words = line.trim().strip_prefix("# name/game/hands/seed ")?.split_whitespace();
    let (name, game) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (hands, seed) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    Some(Header { name, game, hands, seed })
}

/// The beginning of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// A log, with its header if it has one.
    Log(Option<Header>),
    /// Another format: the first line that is not empty.
    Other(String),
}

/// Recognises a log by its first bytes, of which some thousand are enough.
pub fn read_start(bytes: &[u8]) -> Start {
    let mut header = None;
    let (mut lines, mut other) = (bytes.split(|&b| b == b'\n').enumerate(), None);
    let log = loop {
        let Some((number, line)) = lines.next() else { break header.is_some() };
        let line = String::from_utf8_lossy(line);
        let line = bare(&line, number == 0);
        if !line.is_empty() {
            other.get_or_insert_with(|| line.to_owned());
        }
        match line {
            line if line.starts_with('#') => header = header.or_else(|| read_header(line)),
            "" => {}
            line => break line.starts_with("STATE:") || line.starts_with("SCORE:"),
        }
    };
    if log { Start::Log(header) } else { Start::Other(other.unwrap_or_default()) }
}

/// A line without what editors, mail and other systems add: blanks around it, a comment after
/// ` # `, and a byte-order mark at the start of the file.
fn bare(line: &str, first: bool) -> &str {
    let line = if first { line.trim_start_matches('\u{feff}') } else { line };
    let line = line.trim();
    let line = line.strip_suffix(" #").unwrap_or(line);
    line.split(" # ").next().unwrap_or_default().trim_end()
}

/// The match of a log as far as the log tells: the entrants, and how many hands share a deal.
///
/// Reads up to the first hand. A log without a header gets the name `log` and no planned hands.
pub fn read_info(def: &Arc<GameDef>, input: impl BufRead) -> Result<MatchInfo, ReadError> {
    let mut reader = Reader::new(def, input);
    if reader.next().transpose()?.is_none() {
        return Err(ReadError::new(FORMAT, reader.lines.number, "there is no hand in it"));
    }
    let header = reader.header.as_ref();
    let names = distinct_names(reader.names.iter().map(|name| plain_name(name)));
    Ok(MatchInfo {
        name: header.map_or("log".to_owned(), |header| plain_name(&header.name)),
        game_name: header.map_or(String::new(), |header| plain_name(&header.game)),
        hands: header.map_or(0, |header| header.hands),
        seed: header.map_or(0, |header| header.seed),
        duplicate: reader.group > 1,
        shard: None,
        provenance: Provenance::default(),
        entrants: names.into_iter().map(Entrant::named).collect(),
        game: GameDef::clone(def),
    })
}

/// The total of each of these players according to a log: the sum of its `SCORE` lines. `None`
/// without any, or when one is not of these players.
pub fn read_score(input: impl BufRead, names: &[String]) -> Option<Vec<Payoff>> {
    let mut totals = vec![Payoff::ZERO; names.len()];
    let mut found = false;
    for (number, line) in input.lines().enumerate() {
        let line = line.ok()?;
        let Some(rest) = bare(&line, number == 0).strip_prefix("SCORE:") else { continue };
        let (values, players) = rest.split_once(':')?;
        let (values, players) = (values.split('|'), players.split('|'));
        if values.clone().count() != names.len() || players.clone().count() != names.len() {
            return None;
        }
        for (value, player) in values.zip(players) {
            let entrant = names.iter().position(|name| name == player)?;
            totals[entrant] += parse_payoff(value)?;
        }
        found = true;
    }
    found.then_some(totals)
}

/// A streaming reader of the hands of a log.
#[derive(Debug)]
pub struct Reader<R> {
    lines: Lines<R>,
    def: Arc<GameDef>,
    /// The first header.
    header: Option<Header>,
    /// The entrants' names; empty before the first hand.
    names: Vec<String>,
    /// The entrant of each name.
    numbers: HashMap<String, u8>,
    /// Number of hands that share a deal.
    group: u64,
    /// The numbers of the hands since the last header: the first of each range, and its end.
    ranges: BTreeMap<u64, u64>,
    /// How many hands had the number of an earlier one, and the line of the first.
    repeated: Option<(u64, u64)>,
}

impl<R: BufRead> Reader<R> {
    /// A reader of a log of this game.
    pub fn new(def: &Arc<GameDef>, input: R) -> Reader<R> {
        Reader {
            lines: Lines::new(input),
            def: Arc::clone(def),
            header: None,
            names: Vec::new(),
            numbers: HashMap::new(),
            group: 1,
            ranges: BTreeMap::new(),
            repeated: None,
        }
    }

    /// The entrants' names, in order; empty before the first hand.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many of the hands read so far have the number of an earlier one of the same match, and
    /// the line of the first of them.
    pub fn repeated(&self) -> Option<(u64, u64)> {
        self.repeated
    }

    /// Notes a hand's number.
    fn note(&mut self, hand: u64) {
        let before = self.ranges.range(..=hand).next_back().map(|(&first, &end)| (first, end));
        let mut range = hand..hand.saturating_add(1);
        match before {
            Some((_, end)) if hand < end => {
                let (count, line) = self.repeated.unwrap_or((0, self.lines.number));
                self.repeated = Some((count + 1, line));
                return;
            }
            Some((first, end)) if hand == end => range.start = first,
            _ => {}
        }
        if let Some(end) = self.ranges.remove(&range.end) {
            range.end = end;
        }
        self.ranges.insert(range.start, range.end);
    }

    /// Number of hands that share a deal, as far as the log has said so.
    pub fn group(&self) -> usize {
        self.group as usize
    }

    fn hand(&mut self, rest: &str) -> Result<HandRecord, String> {
        let fields: Vec<&str> = rest.split(':').collect();
        let [hand, betting, cards, values, names] = fields[..] else {
            return Err(format!("a hand has 6 fields between colons, not {}", fields.len() + 1));
        };
        let hand: u64 =
            hand.parse().map_err(|_| format!("`{hand}` is not the number of a hand"))?;
        let players = self.def.players;
        let payoffs: Option<Vec<Payoff>> = values.split('|').map(parse_payoff).collect();
        let payoffs = payoffs
            .filter(|payoffs| payoffs.len() == players)
            .and_then(|payoffs| BySeat::from_slice(&payoffs))
            .ok_or_else(|| {
                format!("`{values}` is not {players} amounts with at most 6 decimals")
            })?;
        let names: Vec<&str> = names.split('|').collect();
        let entrants = self.seated(hand, &names)?;
        let deal = hand / self.group;
        replay(&self.def, hand, deal, betting, cards, Some(payoffs), entrants)
            .map_err(|reason| format!("hand {hand}: {reason}"))
    }

    /// The line-up of a hand. The first hand defines the entrants, as if everyone had moved by one
    /// seat after each hand before it.
    fn seated(&mut self, hand: u64, names: &[&str]) -> Result<BySeat<u8>, String> {
        let players = self.def.players;
        if names.len() != players {
            return Err(format!("{} names for {players} players", names.len()));
        }
        if self.names.is_empty() {
            let taken =
                |seat: &usize| names[*seat].is_empty() || names[..*seat].contains(&names[*seat]);
            if let Some(seat) = (0..players).find(taken) {
                let named = names[seat];
                return Err(format!(
                    "`{named}` is not a name of one player: who is who cannot be told unless all \
                     have different names"
                ));
            }
            self.names = vec![String::new(); players];
            for (&entrant, &name) in line_up(hand, players).as_slice().iter().zip(names) {
                name.clone_into(&mut self.names[usize::from(entrant)]);
                self.numbers.insert(name.to_owned(), entrant);
            }
        }
        let find = |name: &&str| {
            self.numbers.get(*name).copied().ok_or_else(|| format!("`{name}` did not play before"))
        };
        let numbers: Vec<u8> = names.iter().map(find).collect::<Result<_, _>>()?;
        BySeat::from_slice(&numbers).ok_or_else(|| "too many names".to_owned())
    }

    /// Whether a hand's text lacks something at its end.
    fn is_incomplete(&self, rest: &str) -> bool {
        let names = rest.split(':').nth(4).map(|names| names.split('|').collect::<Vec<_>>());
        let names = names.unwrap_or_default();
        let last = names.last().copied().unwrap_or_default();
        let begun = |name: &String| name != last && name.starts_with(last);
        names.len() < self.def.players || self.names.iter().any(begun)
    }

    fn comment(&mut self, line: &str) -> Result<(), String> {
        if let Some(header) = read_header(line) {
            self.header.get_or_insert(header);
            self.ranges.clear();
        }
        if let Some(group) = line.strip_prefix("#--duplicate ") {
            let group =
                group.trim().parse().ok().filter(|&n| n > 0 && n <= self.def.players as u64);
            self.group =
                group.ok_or_else(|| format!("`{line}`: not a number of hands to a deal"))?;
        }
        Ok(())
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<HandRecord, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let result = match self.lines.next()? {
                Err(error) => Err((error, false)),
                Ok(line) => match bare(&line, false) {
                    line if line.starts_with('#') => {
                        self.comment(line).map(|()| None).map_err(|reason| (reason, false))
                    }
                    line if line.is_empty() || line.starts_with("SCORE:") => Ok(None),
                    line => match line.strip_prefix("STATE:") {
                        Some(rest) => self.hand(rest).map(Some).map_err(|reason| {
                            (reason, !self.lines.ended && self.is_incomplete(rest))
                        }),
                        None => {
                            let start: String = line.chars().take(40).collect();
                            let cut = !self.lines.ended && "STATE:".starts_with(line);
                            let reason = "is neither a hand nor a score nor a comment";
                            Err((format!("`{start}` {reason}"), cut))
                        }
                    },
                },
            };
            match result {
                Ok(None) => {}
                Ok(Some(record)) => {
                    self.note(record.hand);
                    return Some(Ok(record));
                }
                Err((reason, cut)) => {
                    let error = ReadError::new(FORMAT, self.lines.number, reason);
                    return Some(Err(ReadError { cut, ..error }));
                }
            }
        }
    }
}
