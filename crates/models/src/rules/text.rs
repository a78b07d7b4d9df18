//! The text form of rule lists.
//!
//! ```text
//! list    = [ { bet } [ bluff ] check ] [ call ]
//! bet     = "bet" ( number | "all-in" ) "when beating at least" number "%"
//! bluff   = "bluff the worst hands" [ number ] "b/(1+b) as often"
//! check   = "else check"
//! call    = "call with the best" number "/(1+b)" | "call when beating at least" number "%"
//! ```
//!
//! Each rule is on a line of its own; blanks between words, blank lines and anything after a `#`
//! are ignored. The printer writes one blank between words and before `%`, and a factor of bluffs
//! only where it is not 1: its output parses to the same list, and a text in that form is
//! reproduced exactly.

use std::fmt;

use super::{
    Bet, Betting, Calling, RuleList, RulesError, Size, check_bet, check_factor, check_percent,
};

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
    /// [`RulesError::Line`] for a line that is not a rule or is in the wrong place,
    /// [`RulesError::Unfinished`] for bets without `else check`, [`RulesError::Empty`] without
    /// rules.
    pub fn parse(text: &str) -> Result<RuleList, RulesError> {
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
                return Err(RulesError::Unfinished { line });
            }
            parser.line(&text).map_err(|what| RulesError::Line { line, text, what })?;
            end = line + 1;
        }
        if parser.is_open() {
            return Err(RulesError::Unfinished { line: end });
        }
        let Parser { bets, bluffs, checks, calling } = parser;
        let betting = checks.then(|| Betting::new(bets, bluffs)).transpose()?;
        RuleList::new(betting, calling)
    }
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
                if self.bets.len() == super::MAX_BETS {
                    return Err(format!("a list has at most {} bets", super::MAX_BETS));
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
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
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
