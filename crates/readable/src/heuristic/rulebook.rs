//! Rulebooks: the lists of a game's streets, in a file with a section for each.
//!
//! ```text
//! # when a board is dry; may be left out
//! dry: standard
//!
//! [flop]
//! if hand >= pair then raise
//! else call
//! ```
//!
//! Sections are `[preflop]`, `[flop]`, `[turn]` and `[river]`, each at most once, in any order;
//! their contents are specified in `text.rs`. Files concatenated are a file of all their streets,
//! if they agree on dry boards. The printer writes the streets in order, and `dry:` only where it
//! is not `standard`.

use std::fmt;

use abstraction::facts::Texture;
use game::{Betting, Street};
use show::nearest::nearest;

use super::decide::{AGGRESSIVE, Bounds, DRY, HAND, HIGH, LARGEST, NUMBERS, OUTS, POT, WIN_RATE};
use super::{Clause, Heuristic, RuleScope};
use crate::{Error, Reason, listed};

/// A rulebook: a list of statements for each of some streets.
#[derive(Debug, Clone, Default)]
pub struct Rulebook {
    dry: Option<Texture>,
    streets: [Option<Heuristic>; 4],
    /// The line numbers, from 1, of each street's statements and default; empty for those not
    /// parsed.
    lines: [Vec<usize>; 4],
}

/// Line numbers are ignored.
impl PartialEq for Rulebook {
    fn eq(&self, other: &Rulebook) -> bool {
        self.dry() == other.dry() && self.streets == other.streets
    }
}

/// A statement that can never apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The street of the statement's list.
    pub street: Street,
    /// The line of the file, from 1, if it was parsed from one.
    pub line: Option<usize>,
    /// The statement.
    pub text: String,
    /// The reason.
    pub why: Unreached,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}, ")?,
            None => write!(f, "{}, ", self.street)?,
        }
        write!(f, "`{}` is never reached: {}", self.text, self.why)
    }
}

impl Rulebook {
    /// A rulebook without streets, with this definition of a dry board.
    pub fn new(dry: Texture) -> Rulebook {
        Rulebook { dry: Some(dry), ..Rulebook::default() }
    }

    /// The same rulebook with the list of a street replaced.
    #[must_use]
    pub fn with_street(mut self, street: Street, heuristic: Heuristic) -> Rulebook {
        self.streets[street.index()] = Some(heuristic);
        self.lines[street.index()].clear();
        self
    }

    /// The definition of a dry board.
    pub fn dry(&self) -> Texture {
        self.dry.unwrap_or_default()
    }

    /// The list of a street.
    pub fn street(&self, street: Street) -> Option<&Heuristic> {
        self.streets[street.index()].as_ref()
    }

    /// The streets that have a list, in order.
    pub fn streets(&self) -> impl Iterator<Item = (Street, &Heuristic)> {
        Street::ALL.into_iter().filter_map(|street| Some((street, self.street(street)?)))
    }

    /// The line number, from 1, of a statement (the default's index is the number of statements),
    /// if it was parsed from a file.
    pub fn line(&self, street: Street, at: usize) -> Option<usize> {
        self.lines[street.index()].get(at).copied()
    }

    /// Parses a file's text.
    ///
    /// # Errors
    /// For a line that is not understood, is in the wrong place, or tests what its street does not
    /// have; for a street without a default or with too many statements; without any street.
    pub fn parse(text: &str) -> Result<Rulebook, Error> {
        let lines: Vec<&str> = text.lines().collect();
        let mut book = Rulebook::default();
        let mut at = 0;
        while at < lines.len() {
            let content = content(lines[at]);
            at += 1;
            let number = at;
            let line = |what| Error::in_line(number, content, what);
            if content.is_empty() {
                continue;
            }
            if let Some(said) = content.strip_prefix("dry:") {
                let dry =
                    said.parse().map_err(|error: abstraction::Error| line(error.to_string()))?;
                if book.dry.is_some_and(|before| before != dry) {
                    return Err(line(
                        "another definition of dry boards is above: leave one out".to_owned(),
                    ));
                }
                book.dry = Some(dry);
                continue;
            }
            let street = section_street(content).map_err(line)?;
            if book.street(street).is_some() {
                return Err(line(format!("`[{street}]` is already above: leave one out")));
            }
            let body = lines[at..].iter().position(|line| {
                let content = self::content(line);
                content.starts_with('[') || content.starts_with("dry:")
            });
            let end = body.map_or(lines.len(), |length| at + length);
            let numbered = (at..end).map(|at| (at, lines[at]));
            let first = at;
            let (heuristic, line_numbers) = match Heuristic::parse_lines(numbered, Some(street)) {
                Err(Error(Reason::NoDefault { .. })) => {
                    let last = (first..end).rev().find(|&at| !self::content(lines[at]).is_empty());
                    let line = last.map_or(first + 1, |last| last + 2);
                    return Err(Error(Reason::NoDefault { line }));
                }
                other => other?,
            };
            book.streets[street.index()] = Some(heuristic);
            book.lines[street.index()] = line_numbers;
            at = end;
        }
        book.require(&[])?;
        Ok(book)
    }

    /// Checks that each of these streets has a list; that any has, if none is named.
    ///
    /// # Errors
    /// Names the missing streets.
    pub fn require(&self, streets: &[Street]) -> Result<(), Error> {
        let none = streets.is_empty() && self.streets().next().is_none();
        let wanted = if none { &Street::ALL[..] } else { streets };
        let missing: Vec<&'static str> = wanted
            .iter()
            .filter(|street| self.street(**street).is_none())
            .map(|street| street.name())
            .collect();
        match missing.first() {
            None => Ok(()),
            Some(first) => Err(Error::new(format!(
                "nothing is said for {}: add a part `[{first}]` with a last line such as `else \
                 call`",
                listed(&missing, "and")
            ))),
        }
    }

    /// The kind of game that the actions belong to: no-limit for sized bets, limit for raises
    /// without a size; `None` with neither and with both.
    pub fn betting(&self) -> Option<Betting> {
        let fits = |betting| {
            self.streets().all(|(_, list)| list.acts().all(|act| act.check(betting).is_ok()))
        };
        match [fits(Betting::Limit), fits(Betting::NoLimit)] {
            [true, false] => Some(Betting::Limit),
            [false, true] => Some(Betting::NoLimit),
            _ => None,
        }
    }

    /// Checks that all lists can be played in games of a kind.
    ///
    /// # Errors
    /// The first statement that cannot, with its line if it was parsed from a file.
    pub fn check(&self, betting: Betting) -> Result<(), Error> {
        for (street, heuristic) in self.streets() {
            heuristic.check(RuleScope { street, betting }).map_err(|error| match error.0 {
                Reason::Statement { number, text, what } => match self.line(street, number - 1) {
                    Some(line) => Error::in_line(line, text, what),
                    None => Error(Reason::Statement { number, text, what }),
                },
                other => Error(other),
            })?;
        }
        Ok(())
    }

    /// The statements that can never apply in games of a kind; `chips` as in
    /// [`Heuristic::unreached`].
    pub fn warnings(&self, betting: Betting, chips: Option<u16>) -> Vec<Warning> {
        let of = |(street, heuristic): (Street, &Heuristic)| {
            let unreached = heuristic.unreached(RuleScope { street, betting }, chips).into_iter();
            let warning = |(at, why)| Warning {
                street,
                line: self.line(street, at),
                text: heuristic.item_text(at),
                why,
            };
            unreached.map(warning).collect::<Vec<_>>()
        };
        self.streets().flat_map(of).collect()
    }
}

fn content(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

/// Parses a section name such as `[flop]` into its street.
fn section_street(text: &str) -> Result<Street, String> {
    let name = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let Some(name) = name.map(|name| name.trim().to_lowercase()) else {
        return Err("it comes before the first street: write `[preflop]`, `[flop]`, `[turn]` or \
                    `[river]` above it"
            .to_owned());
    };
    if let Some(street) = Street::ALL.into_iter().find(|street| street.name() == name) {
        return Ok(street);
    }
    let hint = match nearest(&name, Street::ALL.map(Street::name)) {
        Some(near) => format!("the nearest is `[{near}]`"),
        None => "streets are `[preflop]`, `[flop]`, `[turn]` and `[river]`".to_owned(),
    };
    Err(format!("`{name}` is not a street; {hint}"))
}

/// Each line with its end, and a blank line between streets.
impl fmt::Display for Rulebook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = self.dry() == Texture::default();
        if !first {
            writeln!(f, "dry: {}", self.dry())?;
        }
        for (street, heuristic) in self.streets() {
            let blank = if first { "" } else { "\n" };
            writeln!(f, "{blank}[{street}]\n{heuristic:#}")?;
            first = false;
        }
        Ok(())
    }
}

// Reachability of statements: which can never apply, whatever the cards and the betting.
//
// A statement's clauses bound eight values, so it holds in a box. It is never reached when its box
// is empty, or covered by those of earlier statements that always decide where they hold. The
// values are treated as independent, within what the street and the game allow: what is reported
// as unreachable is, and more may be.

/// The reason why a statement can never apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unreached {
    /// The clauses contradict each other.
    Contradiction,
    /// A clause cannot hold in the scope, such as a pot of 31 big blinds on the turn of a limit
    /// game.
    Impossible,
    /// Earlier statements decide wherever it would hold.
    Covered,
}

impl std::fmt::Display for Unreached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Unreached::Contradiction => "its clauses cannot hold together",
            Unreached::Impossible => "there is no such situation on this street of the game",
            Unreached::Covered => "the statements above it decide wherever it applies",
        })
    }
}

/// Maximum number of boxes examined for one statement; beyond, it counts as reachable.
const EFFORT: usize = 100_000;

impl Heuristic {
    /// The items of the list that can never apply in a scope, by index (the default's is the number
    /// of statements), in order. `chips` is the total of a no-limit game in big blinds, rounded up;
    /// without it no pot is too large.
    pub fn unreached(&self, scope: RuleScope, chips: Option<u16>) -> Vec<(usize, Unreached)> {
        let all = everything(scope, chips);
        let mut found = Vec::new();
        let mut above: Vec<Bounds> = Vec::new();
        for (at, statement) in self.statements().iter().enumerate() {
            let own = Bounds::from_statement(statement);
            let here = own.within(&all);
            let why = if own.is_empty() {
                Some(Unreached::Contradiction)
            } else if here.is_empty() {
                Some(Unreached::Impossible)
            } else {
                covered(here, &above, &mut { EFFORT }).then_some(Unreached::Covered)
            };
            found.extend(why.map(|why| (at, why)));
            if !statement.clauses.iter().any(|clause| matches!(clause, Clause::Times(_))) {
                above.push(own);
            }
        }
        if covered(all, &above, &mut { EFFORT }) {
            found.push((self.statements().len(), Unreached::Covered));
        }
        found
    }
}

/// The possible values of a situation in a scope, heads-up.
///
/// Pots of limit games are those of the competition's game: blinds of a half and one, bets of one
/// and two big blinds, three raises before the flop and four after it.
///
/// In no-limit games the acting player has chips left, so the pot is less than all chips.
fn everything(scope: RuleScope, chips: Option<u16>) -> Bounds {
    let mut all = Bounds { low: [0; NUMBERS], high: [0; NUMBERS] };
    all.high[HAND] = if scope.street == Street::Preflop { 1 } else { 8 };
    all.high[HIGH] = 12;
    if matches!(scope.street, Street::Flop | Street::Turn) {
        all.high[OUTS] = Clause::MAX_OUTS.into();
    }
    all.high[WIN_RATE] = 2_000;
    all.high[AGGRESSIVE] = 1;
    all.high[DRY] = 1;
    if scope.street == Street::Preflop {
        all.low[DRY] = 1;
    }
    let most =
        chips.map_or(LARGEST, |chips| chips.saturating_mul(2).saturating_sub(1).min(LARGEST));
    // In half big blinds. A limit street's largest pot at a decision is that after its last raise.
    (all.low[POT], all.high[POT]) = match (scope.betting, scope.street) {
        (Betting::Limit, Street::Preflop) => (3, 2 * 7),
        (Betting::Limit, Street::Flop) => (2 * 2, 2 * 15),
        (Betting::Limit, Street::Turn) => (2 * 2, 2 * 30),
        (Betting::Limit, Street::River) => (2 * 2, 2 * 46),
        (Betting::NoLimit, Street::Preflop) => (3, most),
        (Betting::NoLimit, _) => (2 * 2, most),
    };
    all
}

impl Bounds {
    fn is_empty(&self) -> bool {
        (0..NUMBERS).any(|number| self.low[number] > self.high[number])
    }

    fn within(&self, other: &Bounds) -> Bounds {
        Bounds {
            low: std::array::from_fn(|number| self.low[number].max(other.low[number])),
            high: std::array::from_fn(|number| self.high[number].min(other.high[number])),
        }
    }
}

/// Whether a nonempty box lies in the union of others: the part outside the first box that it meets
/// is cut into boxes, each of which must lie in the rest.
fn covered(target: Bounds, boxes: &[Bounds], effort: &mut usize) -> bool {
    if *effort == 0 {
        return false;
    }
    *effort -= 1;
    let meets = |other: &Bounds| !target.within(other).is_empty();
    let Some(first) = boxes.iter().position(meets) else { return false };
    let (cutter, rest) = (&boxes[first], &boxes[first + 1..]);
    let mut target = target;
    for number in 0..NUMBERS {
        if target.low[number] < cutter.low[number] {
            let mut below = target;
            below.high[number] = cutter.low[number] - 1;
            if !covered(below, rest, effort) {
                return false;
            }
            target.low[number] = cutter.low[number];
        }
        if target.high[number] > cutter.high[number] {
            let mut beyond = target;
            beyond.low[number] = cutter.high[number] + 1;
            if !covered(beyond, rest, effort) {
                return false;
            }
            target.high[number] = cutter.high[number];
        }
    }
    true
}
