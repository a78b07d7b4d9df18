//! Rule lists: strategies for betting and calling the last bet, short enough to remember.
//!
//! One player bets one of many sizes or checks, the other calls or folds, and the better hand wins.
//! A list says with which hands to bet for value, and how much; with how many of the worst to
//! bluff; and with how many hands to call. Such games with ten cards, and rules learned from their
//! solutions: S. Ganzfried and F. Yusuf, *Computing Human-Understandable Strategies: Deducing
//! Fundamental Rules of Poker Strategy*, Games 8(4), 2017. Bluffs to value bets are as b to 1 + b
//! for a bet of b pots: a caller who beats only bluffs, and so loses b or wins 1 + b, then breaks
//! even.
//!
//! - [`RuleList::parse`] and its `Display`: the text.
//! - [`Betting::probabilities`], [`Calling::probabilities`]: a list's action probabilities for
//!   every hand of a player.

use std::fmt;

use crate::{Error, listed};

/// Maximum number of bets of a list.
const MAX_BETS: usize = 100;

/// Maximum size of a bet in pots, and maximum factor of bluffs and calls.
const LARGEST: f64 = 1_000.0;

/// A bet size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Size {
    /// A multiple of the pot before the bet, above 0 and up to [`LARGEST`].
    Pots(f64),
    /// The whole remaining stack.
    AllIn,
}

/// A line of a list: a size, and the hands that bet it for value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bet {
    /// The bet size.
    pub size: Size,
    /// The least share of the other player's hands that a hand must beat, ties counting half, in
    /// percent from 0 to 100. A percentage, so that the text is reproduced to the digit.
    pub percent: f64,
}

impl Bet {
    /// Whether a hand that beats this share of the other player's hands, 0 to 1, makes the bet.
    pub fn takes(&self, beats: f64) -> bool {
        at_least(beats, self.percent)
    }
}

/// The rules where nobody has bet. A hand bets by the first line that takes it, bluffs if the list
/// has bluffs and it is among the worst, and otherwise checks.
#[derive(Debug, Clone, PartialEq)]
pub struct Betting {
    bets: Vec<Bet>,
    bluffs: Option<f64>,
}

impl Betting {
    /// Bets in descending order of their shares, and the bluffing frequency, as a multiple of b/(1
    /// + b) for each hand that bets b pots for value; `None` for never.
    ///
    /// # Errors
    /// When a number is out of its range or the order is wrong.
    pub fn new(bets: Vec<Bet>, bluffs: Option<f64>) -> Result<Betting, Error> {
        if bets.len() > MAX_BETS {
            let what = format!("{} bets are more than {MAX_BETS}: leave some out", bets.len());
            return Err(Error::new(what));
        }
        for (number, bet) in bets.iter().enumerate() {
            check_bet(&bets[..number], bet).map_err(Error::new)?;
        }
        bluffs.map_or(Ok(()), check_factor).map_err(Error::new)?;
        if bets.is_empty() && bluffs.is_some() {
            let what = "there is no bet to bluff with: add one, or leave the bluffs out";
            return Err(Error::new(what));
        }
        Ok(Betting { bets, bluffs })
    }

    /// The bets, in descending order of their shares.
    pub fn bets(&self) -> &[Bet] {
        &self.bets
    }

    /// The bluffing frequency, as a multiple of b/(1 + b); `None` for never.
    pub fn bluffs(&self) -> Option<f64> {
        self.bluffs
    }

    /// The first line that takes a hand that beats this share of the other player's hands.
    pub fn bet(&self, beats: f64) -> Option<&Bet> {
        self.bets.iter().find(|bet| bet.takes(beats))
    }
}

/// The rule for calling a bet; other hands fold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Calling {
    /// Call with the best of one's hands: this factor divided by 1 + b of them against a bet of b
    /// pots, above 0 and up to [`LARGEST`]. With 1, bets of hands that beat nothing win nothing on
    /// average.
    Best(f64),
    /// Call with hands that beat this share of the other player's, ties counting half, in percent
    /// from 0 to 100, whatever the bet.
    Beating(f64),
}

/// A rule list: the rules where nobody has bet, and where the other player has. Either may be
/// missing, but not both.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleList {
    betting: Option<Betting>,
    calling: Option<Calling>,
}

impl RuleList {
    /// A list of these parts.
    ///
    /// # Errors
    /// Without either, and when a number of the second is out of its range.
    pub fn new(betting: Option<Betting>, calling: Option<Calling>) -> Result<RuleList, Error> {
        let checked = match calling {
            Some(Calling::Best(factor)) => check_factor(factor),
            Some(Calling::Beating(percent)) => check_percent(percent),
            None if betting.is_none() => {
                return Err(Error::new(
                    "there are no rules: write `else check` after bets, or a line that begins with \
                     `call`",
                ));
            }
            None => Ok(()),
        };
        checked.map_err(Error::new)?;
        Ok(RuleList { betting, calling })
    }

    /// The rules where nobody has bet.
    pub fn betting(&self) -> Option<&Betting> {
        self.betting.as_ref()
    }

    /// The rule where the other player has bet.
    pub fn calling(&self) -> Option<Calling> {
        self.calling
    }
}

/// Rounding tolerance of sums of weights.
const ROUNDING: f64 = 1e-12;

fn at_least(beats: f64, percent: f64) -> bool {
    beats >= percent / 100.0 - ROUNDING
}

/// Checks that a bet may follow these.
fn check_bet(before: &[Bet], bet: &Bet) -> Result<(), String> {
    if let Size::Pots(pots) = bet.size {
        let fits = pots > 0.0 && pots <= LARGEST;
        let range = format!("a bet is above 0 and at most {LARGEST} pots, or `all-in`");
        fits.then_some(()).ok_or(format!("{pots} is not a size: {range}"))?;
    }
    check_percent(bet.percent)?;
    match before.last() {
        Some(last) if bet.percent >= last.percent => Err(format!(
            "{} % is not below the {} % of the bet before: put bets in descending order",
            bet.percent, last.percent
        )),
        _ => Ok(()),
    }
}

fn check_percent(percent: f64) -> Result<(), String> {
    let fits = (0.0..=100.0).contains(&percent);
    fits.then_some(()).ok_or_else(|| format!("{percent} % is not a share: it is from 0 to 100 %"))
}

fn check_factor(factor: f64) -> Result<(), String> {
    let fits = factor > 0.0 && factor <= LARGEST;
    let range = format!("it is above 0 and at most {LARGEST}");
    fits.then_some(()).ok_or_else(|| format!("{factor} is not a factor: {range}"))
}

// The text form of rule lists.
//
// ```text
// list    = [ { bet } [ bluff ] check ] [ call ]
// bet     = "bet" ( number | "all-in" ) "when beating at least" number "%"
// bluff   = "bluff the worst hands" [ number ] "b/(1+b) as often"
// check   = "else check"
// call    = "call with the best" number "/(1+b)" | "call when beating at least" number "%"
// ```
//
// Each rule is on a line of its own; blanks between words, blank lines and anything after a `#`
// are ignored. The printer writes one blank between words and before `%`, and a factor of bluffs
// only where it is not 1: its output parses to the same list, and a text in that form is
// reproduced exactly.

const BEATING: &str = "when beating at least ";
const BLUFF: &str = "bluff the worst hands ";
const OFTEN: &str = "b/(1+b) as often";
const CHECK: &str = "else check";
const BEST: &str = "call with the best ";
const ODDS: &str = "/(1+b)";

impl RuleList {
    /// Parses a list's text.
    ///
    /// # Errors
    /// For a line that is not a rule or is in the wrong place, for bets without `else check`, and
    /// without rules.
    pub fn parse(text: &str) -> Result<RuleList, Error> {
        let mut parser = Parser::default();
        let mut end = 1;
        for (number, line) in text.lines().enumerate() {
            let content = line.split('#').next().unwrap_or_default();
            let words: Vec<&str> = content.split_whitespace().collect();
            if words.is_empty() {
                continue;
            }
            let (line, text) = (number + 1, words.join(" "));
            if words[0] == "call" && parser.is_open() {
                return Err(unfinished(line));
            }
            parser.line(&text).map_err(|what| Error::in_line(line, text, what))?;
            end = line + 1;
        }
        if parser.is_open() {
            return Err(unfinished(end));
        }
        let Parser { bets, bluffs, checks, calling } = parser;
        let betting = checks.then(|| Betting::new(bets, bluffs)).transpose()?;
        RuleList::new(betting, calling)
    }
}

fn unfinished(line: usize) -> Error {
    Error::new(format!(
        "line {line}: the bets before it need a line `else check` after them; add it there"
    ))
}

/// The rules parsed so far.
#[derive(Default)]
struct Parser {
    bets: Vec<Bet>,
    bluffs: Option<f64>,
    checks: bool,
    calling: Option<Calling>,
}

impl Parser {
    /// Whether there are bets without their `else check`.
    fn is_open(&self) -> bool {
        !self.checks && !self.bets.is_empty()
    }

    fn line(&mut self, text: &str) -> Result<(), String> {
        let before = |fits: bool, what: &str| {
            fits.then_some(()).ok_or(format!("it must come before {what}: move it up"))
        };
        let first = |fits: bool, what: &str| {
            fits.then_some(()).ok_or(format!("{what} is already above: leave one of them out"))
        };
        match text.split(' ').next().unwrap_or_default() {
            "bet" => {
                before(self.calling.is_none(), "the line that calls")?;
                before(!self.checks, "`else check`")?;
                before(self.bluffs.is_none(), "the line that bluffs")?;
                let bet = bet(text)?;
                if self.bets.len() == MAX_BETS {
                    return Err(format!("a list has at most {MAX_BETS} bets"));
                }
                check_bet(&self.bets, &bet)?;
                self.bets.push(bet);
            }
            "bluff" => {
                before(self.calling.is_none(), "the line that calls")?;
                before(!self.checks, "`else check`")?;
                first(self.bluffs.is_none(), "a line that bluffs")?;
                if self.bets.is_empty() {
                    return Err("there is no bet before it to bluff with: add one".to_owned());
                }
                self.bluffs = Some(bluffs(text)?);
            }
            "else" if text == CHECK => {
                before(self.calling.is_none(), "the line that calls")?;
                first(!self.checks, "`else check`")?;
                self.checks = true;
            }
            "call" => {
                first(self.calling.is_none(), "a line that calls")?;
                self.calling = Some(calling(text)?);
            }
            _ => {
                let lines = ["bet 1 when beating at least 85 %", BLUFFS, CHECK, CALLS[0], CALLS[1]];
                return Err(format!("it is not a rule; rules are {}", forms(&lines)));
            }
        }
        Ok(())
    }
}

const BLUFFS: &str = "bluff the worst hands b/(1+b) as often";
const CALLS: [&str; 2] = ["call with the best 1/(1+b)", "call when beating at least 50 %"];

fn bet(text: &str) -> Result<Bet, String> {
    let forms = || {
        let forms = ["bet 1 when beating at least 85 %", "bet all-in when beating at least 98 %"];
        format!("a bet is written {}", self::forms(&forms))
    };
    let rest = text.strip_prefix("bet ").ok_or_else(forms)?;
    let (size, rest) = rest.split_once(' ').ok_or_else(forms)?;
    let share = rest.strip_prefix(BEATING).ok_or_else(forms)?;
    let size = match size {
        "all-in" => Size::AllIn,
        number => Size::Pots(self::number(number).ok_or_else(forms)?),
    };
    Ok(Bet { size, percent: percent(share).ok_or_else(forms)? })
}

fn bluffs(text: &str) -> Result<f64, String> {
    let factor = text.strip_prefix(BLUFF).and_then(|rest| rest.strip_suffix(OFTEN));
    let factor = match factor.map(str::trim_end) {
        Some("") => Some(1.0),
        Some(factor) => number(factor),
        None => None,
    };
    let forms = [BLUFFS, "bluff the worst hands 0.5 b/(1+b) as often"];
    let factor = factor.ok_or_else(|| format!("bluffing is written {}", self::forms(&forms)))?;
    check_factor(factor)?;
    Ok(factor)
}

fn calling(text: &str) -> Result<Calling, String> {
    let forms = || format!("calling is written {}", self::forms(&CALLS));
    if let Some(share) = text.strip_prefix("call ").and_then(|rest| rest.strip_prefix(BEATING)) {
        let percent = percent(share).ok_or_else(forms)?;
        check_percent(percent)?;
        return Ok(Calling::Beating(percent));
    }
    let factor = text.strip_prefix(BEST).and_then(|rest| rest.strip_suffix(ODDS));
    let factor = factor.and_then(number).ok_or_else(forms)?;
    check_factor(factor)?;
    Ok(Calling::Best(factor))
}

/// Parses the number before a `%`.
fn percent(text: &str) -> Option<f64> {
    number(text.strip_suffix('%')?.trim_end())
}

/// Parses digits with at most one point: no other number format.
fn number(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    plain.then(|| text.parse().ok()).flatten().filter(|number: &f64| number.is_finite())
}

/// `a`, `b` or `c`.
fn forms(forms: &[&str]) -> String {
    let quoted: Vec<String> = forms.iter().map(|form| format!("`{form}`")).collect();
    listed(&quoted, "or")
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Pots(pots) => write!(f, "{pots}"),
            Size::AllIn => f.write_str("all-in"),
        }
    }
}

impl fmt::Display for Bet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bet {} {BEATING}{} %", self.size, self.percent)
    }
}

impl Betting {
    /// The printed line of the bluffing rule.
    pub fn bluffing(&self) -> Option<String> {
        self.bluffs.map(|factor| match factor {
            1.0 => BLUFFS.to_owned(),
            _ => format!("{BLUFF}{factor} {OFTEN}"),
        })
    }
}

/// The lines, each with its end.
impl fmt::Display for Betting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bets.iter().try_for_each(|bet| writeln!(f, "{bet}"))?;
        self.bluffing().map_or(Ok(()), |line| writeln!(f, "{line}"))?;
        writeln!(f, "{CHECK}")
    }
}

impl fmt::Display for Calling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Calling::Best(factor) => write!(f, "{BEST}{factor}{ODDS}"),
            Calling::Beating(percent) => write!(f, "call {BEATING}{percent} %"),
        }
    }
}

/// The lines, each with its end.
impl fmt::Display for RuleList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.betting.as_ref().map_or(Ok(()), |betting| betting.fmt(f))?;
        self.calling.map_or(Ok(()), |calling| writeln!(f, "{calling}"))
    }
}

// Action probabilities of a rule list: exact, for any number of hands.
//
// Hands that beat the same share are treated alike: where a mass ends among them, all of them mix.

/// The hands of one player, sorted by the share of the other player's hands that they beat.
#[derive(Debug, Clone, Copy)]
pub struct Hands<'a> {
    /// For each hand the share of the other player's hands that it beats, 0 to 1, ties counting
    /// half.
    beats: &'a [f64],
    /// The weight of each hand, 0 or more, not normalised.
    weights: &'a [f64],
}

impl<'a> Hands<'a> {
    /// Hands with the shares that they beat (0 to 1, ties half) and their weights (0 or more, of
    /// any sum), the worst hand first.
    ///
    /// # Panics
    /// When the lengths differ, or the shares are not in ascending order (up to rounding, 1e-12).
    pub fn new(beats: &'a [f64], weights: &'a [f64]) -> Hands<'a> {
        assert_eq!(beats.len(), weights.len(), "each hand has a weight");
        let ascending = beats.is_sorted_by(|worse, better| *worse <= better + ROUNDING);
        assert!(ascending, "hands are in ascending order of what they beat");
        Hands { beats, weights }
    }

    /// The number of hands.
    pub fn len(&self) -> usize {
        self.beats.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.beats.is_empty()
    }

    /// End of the run of hands that beat the same share as this one.
    fn end_of_equals(&self, start: usize) -> usize {
        let same = |&&beats: &&f64| beats <= self.beats[start] + ROUNDING;
        start + self.beats[start..].iter().take_while(same).count()
    }

    /// Start of the run of hands that beat the same share as the one before `end`.
    fn start_of_equals(&self, end: usize) -> usize {
        let same = |&&beats: &&f64| beats >= self.beats[end - 1] - ROUNDING;
        end - self.beats[..end].iter().rev().take_while(same).count()
    }
}

impl Betting {
    /// Computes the probability of each size for every hand. `chances` is row-major, the worst hand
    /// first: a row has the probability of a check and then of each size of `grid`, and sums to
    /// one.
    ///
    /// `grid` has the available sizes in pots, ascending and above 0; a bet is made by the nearest
    /// of them (the smaller of two), all-in by the last. With v the mass of the hands that bet b
    /// pots for value, the worst of the other hands bluff with a mass of `bluffs` * b/(1 + b) * v,
    /// the largest size first, as long as there are hands. `chances` is cleared first; nothing else
    /// is allocated.
    pub fn probabilities(&self, hands: Hands<'_>, grid: &[f64], chances: &mut Vec<f64>) {
        let columns = 1 + grid.len();
        let cells = hands.len() * columns;
        chances.clear();
        // One row more, for the mass of each size.
        chances.resize(cells + columns, 0.0);
        let (rows, mass) = chances.split_at_mut(cells);
        let bluffing = self.value_bets(hands, grid, rows, mass);
        for (mass, size) in mass[1..].iter_mut().zip(grid) {
            *mass *= self.bluffs.unwrap_or(0.0) * size / (1.0 + size);
        }
        bluff(hands, bluffing, rows, mass);
        chances.truncate(cells);
    }

    /// Enters the value bets and adds up the mass of each size. Returns the number of hands without
    /// one, which are the first.
    fn value_bets(
        &self,
        hands: Hands<'_>,
        grid: &[f64],
        rows: &mut [f64],
        mass: &mut [f64],
    ) -> usize {
        let columns = mass.len();
        let mut end = hands.len();
        for bet in self.bets.iter().filter(|_| !grid.is_empty()) {
            let column = column(bet.size, grid);
            while end > 0 && bet.takes(hands.beats[end - 1]) {
                end -= 1;
                rows[end * columns + column] = 1.0;
                mass[column] += hands.weights[end];
            }
        }
        end
    }
}

/// Enters the bluffs of the first hands, with the mass of each size in `mass`, and their checks.
fn bluff(hands: Hands<'_>, bluffing: usize, rows: &mut [f64], mass: &mut [f64]) {
    let columns = mass.len();
    let negligible = ROUNDING * hands.weights.iter().sum::<f64>();
    let mut column = columns - 1;
    let mut start = 0;
    while start < bluffing {
        let end = hands.end_of_equals(start).min(bluffing);
        let weight: f64 = hands.weights[start..end].iter().sum();
        let first = start * columns;
        let mut checks = 1.0;
        while column > 0 && weight > 0.0 && checks > 0.0 {
            let share = (mass[column] / weight).min(checks);
            rows[first + column] = share;
            checks -= share;
            mass[column] -= share * weight;
            if mass[column] > negligible {
                break;
            }
            column -= 1;
        }
        rows[first] = checks;
        for hand in start + 1..end {
            rows.copy_within(first..first + columns, hand * columns);
        }
        start = end;
    }
}

/// The column of the grid's size that is nearest; 0 is that of a check.
fn column(size: Size, grid: &[f64]) -> usize {
    let Size::Pots(pots) = size else { return grid.len() };
    let distance = |size: &f64| (size - pots).abs();
    let nearest =
        (0..grid.len()).min_by(|&a, &b| distance(&grid[a]).total_cmp(&distance(&grid[b])));
    1 + nearest.unwrap_or(0)
}

impl Calling {
    /// Computes the probability that each hand calls a bet of `bet` pots. `chances` is cleared
    /// first.
    ///
    /// [`Calling::Best`] calls with exactly its share of the hands' weight, at most with all.
    pub fn probabilities(&self, hands: Hands<'_>, bet: f64, chances: &mut Vec<f64>) {
        chances.clear();
        let factor = match *self {
            Calling::Best(factor) => factor,
            Calling::Beating(percent) => {
                let calls = |&beats: &f64| f64::from(u8::from(at_least(beats, percent)));
                return chances.extend(hands.beats.iter().map(calls));
            }
        };
        chances.resize(hands.len(), 0.0);
        let total: f64 = hands.weights.iter().sum();
        let mut left = total * (factor / (1.0 + bet)).min(1.0);
        let mut end = hands.len();
        while end > 0 && left > ROUNDING * total {
            let start = hands.start_of_equals(end);
            let weight: f64 = hands.weights[start..end].iter().sum();
            let share = if weight > 0.0 { (left / weight).min(1.0) } else { 1.0 };
            chances[start..end].fill(share);
            left -= share * weight;
            end = start;
        }
    }
}
