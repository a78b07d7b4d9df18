//! The text form of statements.
//!
//! ```text
//! list      = { statement } default
//! statement = [ "else" ] "if" clause { "and" clause } "then" act
//! default   = [ "else" ] act
//! clause    = "hand" side category | "high" side card | "pot" side blinds | "outs" side number
//!           | [ "not" ] "aggressive" | "board" ( "dry" | "wet" )
//!           | "win rate" side number "%" | count "in" count "times"
//! side      = ">=" | "<="
//! act       = "fold" | "call" | "raise" | "bet" size | "all-in"
//! size      = "half" | "pot" | number "pot"
//! category  = "high card" | "pair" | "two pair" | "three of a kind" | "straight" | "flush"
//!           | "full house" | "four of a kind" | "straight flush"
//! card      = "2" … "10" | "jack" | "queen" | "king" | "ace" | "11" … "14" | a letter of 2…9TJQKA
//! count     = "1" … "100" | "one" … "twelve"
//! ```
//!
//! Statements end with the line or with `;`; case, extra blanks, blank lines and anything after a
//! `#` are ignored; `≥` and `≤` are accepted, and so is `check/call` for `call`. A win rate has at
//! most one decimal, a size two. The printer writes `else` before all but the first, one blank
//! between words, and numbers up to twelve as words in shares of times: its output parses to the
//! same list.

use std::collections::BTreeSet;
use std::fmt;

use abstraction::facts::Facts;
use cards::{Category, Rank};
use game::Street;
use show::nearest::nearest;

use super::{Act, Bound, Clause, Heuristic, MAX_STATEMENTS, Statement, Times, too_many};
use crate::{Error, Reason};

const COUNTS: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];

const COURT: [&str; 4] = ["jack", "queen", "king", "ace"];

/// An example clause of each kind, and the text before its value.
const FORMS: [(&str, &str); 10] = [
    ("hand", "hand >= pair"),
    ("high", "high >= ace"),
    ("pot", "pot <= 2"),
    ("outs", "outs >= 11"),
    ("aggressive", "aggressive"),
    ("not aggressive", "not aggressive"),
    ("board dry", "board dry"),
    ("board wet", "board wet"),
    ("win rate", "win rate >= 80 %"),
    ("one in three times", "one in three times"),
];

const ACTS: [&str; 7] = ["fold", "call", "raise", "bet half", "bet pot", "bet 0.75 pot", "all-in"];

impl Heuristic {
    /// Parses a list's text, for any street and game.
    ///
    /// # Errors
    /// For a line that is not a statement or is in the wrong place, too many statements, and no
    /// default.
    pub fn parse(text: &str) -> Result<Heuristic, Error> {
        Ok(Heuristic::parse_lines(text.lines().enumerate(), None)?.0)
    }

    /// Parses lines numbered from 0; also gives the line number, from 1, of each statement and of
    /// the default. With a street, clauses that it does not have are refused.
    pub(super) fn parse_lines<'a>(
        lines: impl Iterator<Item = (usize, &'a str)>,
        street: Option<Street>,
    ) -> Result<(Heuristic, Vec<usize>), Error> {
        let mut statements = Vec::new();
        let mut line_numbers = Vec::new();
        let mut default = None;
        let mut end = 1;
        for (number, line) in lines {
            end = number + 2;
            for piece in line.split('#').next().unwrap_or_default().split(';') {
                let words = words(piece);
                if words.is_empty() {
                    continue;
                }
                let at = |what: String| {
                    let text = piece.split_whitespace().collect::<Vec<_>>().join(" ");
                    Error::in_line(number + 1, text, what)
                };
                if default.is_some() {
                    let what = "the action for when no statement applies is above: a statement \
                                after it is never reached, move it up or leave it out";
                    return Err(at(what.to_owned()));
                }
                match parse_item(&words, street).map_err(at)? {
                    Piece::Statement(statement) => statements.push(statement),
                    Piece::Default(act) => default = Some(act),
                }
                line_numbers.push(number + 1);
            }
        }
        if statements.len() > MAX_STATEMENTS {
            return Err(too_many(statements.len()));
        }
        let default = default.ok_or(Error(Reason::NoDefault { line: end }))?;
        let heuristic = Heuristic::new(statements, default).map_err(|error| match error.0 {
            Reason::Statement { number, text, what } => {
                Error::in_line(line_numbers[number - 1], text, what)
            }
            other => Error(other),
        })?;
        Ok((heuristic, line_numbers))
    }

    /// The printed form of a statement, or of the default (the index after the last), with its
    /// `else`.
    pub fn item_text(&self, at: usize) -> String {
        let or = if at == 0 { "" } else { "else " };
        match self.statements().get(at) {
            Some(statement) => format!("{or}{statement}"),
            None => format!("{or}{}", self.default()),
        }
    }
}

enum Piece {
    Statement(Statement),
    Default(Act),
}

/// The lower-case words of a line, with signs as separate words.
fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('≥', ">=").replace('≤', "<=");
    let mut spaced = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '<' | '>' | '=' => {
                spaced.extend([' ', letter]);
                spaced.extend(letters.next_if_eq(&'='));
                spaced.push(' ');
            }
            '%' => spaced.push_str(" % "),
            _ => spaced.push(letter),
        }
    }
    spaced.split_whitespace().map(str::to_owned).collect()
}

fn parse_item(words: &[String], street: Option<Street>) -> Result<Piece, String> {
    let words = match words {
        [first, rest @ ..] if first == "else" => rest,
        all => all,
    };
    let [first, rest @ ..] = words else {
        return Err("after `else` comes `if` or an action, as in `else call`".to_owned());
    };
    if first != "if" {
        return Ok(Piece::Default(act(&words.join(" "))?));
    }
    let then = rest.iter().position(|word| word == "then").ok_or(
        "a statement is written `if hand >= pair then raise`; here `then` and the action are \
         missing",
    )?;
    let (condition, action) = (&rest[..then], &rest[then + 1..]);
    let clauses = condition.split(|word| word == "and");
    let clauses: Vec<Clause> = clauses
        .map(|words| {
            let clause = clause(&words.join(" "))?;
            clause.check_value()?;
            street.map_or(Ok(()), |street| clause.check(street, None))?;
            Ok(clause)
        })
        .collect::<Result<_, String>>()?;
    Ok(Piece::Statement(Statement { clauses, act: act(&action.join(" "))? }))
}

fn clause(text: &str) -> Result<Clause, String> {
    match text {
        "" => return Err(format!("a clause is missing; clauses are {}", forms())),
        "aggressive" => return Ok(Clause::Aggressive(true)),
        "not aggressive" => return Ok(Clause::Aggressive(false)),
        "board dry" => return Ok(Clause::Dry(true)),
        "board wet" => return Ok(Clause::Dry(false)),
        _ => {}
    }
    if let Some(times) = text.strip_suffix(" times").and_then(|text| text.split_once(" in ")) {
        return share(times.0, times.1).map(Clause::Times);
    }
    let name_end = text.find(['<', '>', '=']).unwrap_or(text.len());
    let (name, rest) = (text[..name_end].trim_end(), &text[name_end..]);
    let known = FORMS.iter().find(|(known, _)| *known == name);
    let Some(&(_, form)) = known else { return Err(unknown(text, name)) };
    let written = || format!("it is written `{form}`, with `>=` or `<=`");
    let (side, value) = rest.split_once(' ').ok_or_else(written)?;
    let bound = match side {
        ">=" => Bound::AtLeast,
        "<=" => Bound::AtMost,
        other => {
            return Err(format!(
                "`{other}` is not known: write `>=` or `<=`, or both, joined by `and`"
            ));
        }
    };
    match name {
        "hand" => category(value).map(|category| Clause::Hand(bound, category)),
        "high" => rank(value).map(|rank| Clause::High(bound, rank)),
        "pot" => {
            let whole = whole(value).ok_or_else(|| {
                format!("`{value}` is not a pot: it is in whole big blinds, as in `pot <= 2`")
            })?;
            // A number too large for the type is also out of range.
            Ok(Clause::Pot(bound, u16::try_from(whole).unwrap_or(u16::MAX)))
        }
        "outs" => {
            let whole = whole(value).ok_or_else(|| {
                format!(
                    "`{value}` is not a number of outs: write one from 0 to {}",
                    Clause::MAX_OUTS
                )
            })?;
            Ok(Clause::Outs(bound, u8::try_from(whole).unwrap_or(u8::MAX)))
        }
        "win rate" => {
            let percent = value.strip_suffix('%').ok_or_else(written)?.trim_end();
            let tenths = decimal(percent, 1).ok_or_else(|| {
                format!(
                    "`{percent}` is not a share: write percent with one decimal at most, as in \
                         `win rate >= 80 %`"
                )
            })?;
            Ok(Clause::Equity(bound, u16::try_from(tenths).unwrap_or(u16::MAX)))
        }
        _ => Err(written()),
    }
}

fn unknown(text: &str, name: &str) -> String {
    let name = if name.is_empty() { text } else { name };
    let hint = match nearest(name, FORMS.iter().map(|&(name, _)| name)) {
        Some(near) => {
            let (_, form) =
                FORMS.iter().find(|&&(name, _)| name == near).expect("it is one of them");
            format!("the nearest is `{form}`")
        }
        None => format!("clauses are {}", forms()),
    };
    format!("`{name}` is not a clause; {hint}")
}

fn forms() -> String {
    let forms: Vec<String> = FORMS.iter().map(|(_, form)| format!("`{form}`")).collect();
    forms.join(", ")
}

fn category(text: &str) -> Result<Category, String> {
    let known = Category::NAMES.iter().position(|name| *name == text);
    let also = || match text {
        "nothing" | "highest card" => Some(0),
        "two pairs" => Some(2),
        "trips" | "a set" | "set" => Some(3),
        "quads" => Some(7),
        _ => None,
    };
    if let Some(at) = known.or_else(also) {
        return Ok(Category::ALL[at]);
    }
    if text.starts_with("royal") {
        return Err("a royal flush counts as a straight flush: write `hand >= straight flush and \
                    high >= ace`"
            .to_owned());
    }
    let hint = match nearest(text, Category::NAMES) {
        Some(near) => format!("the nearest is `{near}`"),
        None => format!("hands are {}", Category::NAMES.join(", ")),
    };
    Err(format!("`{text}` is not a hand; {hint}"))
}

fn rank(text: &str) -> Result<Rank, String> {
    let court = COURT.iter().position(|name| *name == text).map(|at| at as u32 + 11);
    let mut letters = text.chars();
    let letter = match (letters.next(), letters.next()) {
        (Some(letter), None) => Rank::from_char(letter).map(|rank| u32::from(rank.index()) + 2),
        _ => None,
    };
    let value = court.or(letter).or_else(|| whole(text));
    value
        .and_then(|value| Rank::new(u8::try_from(value.checked_sub(2)?).ok()?))
        .ok_or_else(|| format!("`{text}` is not a card: write 2 to 10, jack, queen, king or ace"))
}

fn share(n: &str, m: &str) -> Result<Times, String> {
    let count = |text: &str| {
        let word = COUNTS.iter().position(|name| *name == text).map(|at| at as u32 + 1);
        word.or_else(|| whole(text)).and_then(|count| u8::try_from(count).ok())
    };
    let times = count(n).zip(count(m)).and_then(|(n, m)| Times::new(n, m));
    times.ok_or_else(|| {
        format!(
            "`{n} in {m} times` is not a share: write one as in `one in three times`, the first \
                 number the smaller, the second at most {}",
            Times::MAX
        )
    })
}

fn act(text: &str) -> Result<Act, String> {
    let act = match text {
        "fold" => Act::Fold,
        "call" | "check/call" | "check-call" => Act::Call,
        "raise" => Act::Raise,
        "all-in" | "all in" => Act::AllIn,
        "bet half" | "bet half pot" => Act::Bet(50),
        "bet pot" => Act::Bet(100),
        "check" => {
            return Err(
                "`check` says nothing about a bet: write `call` or `fold`; both check where \
                        there is nothing to pay"
                    .to_owned(),
            );
        }
        "" => return Err(format!("the action is missing: write {}", acts())),
        _ => match bet(text) {
            Some(act) => act,
            None => {
                let near = nearest(text, ACTS).map(|near| format!("the nearest is `{near}`"));
                let hint = near.unwrap_or_else(|| format!("actions are {}", acts()));
                return Err(format!("`{text}` is not an action; {hint}"));
            }
        },
    };
    act.check_value()?;
    Ok(act)
}

/// Parses `bet 0.75 pot`.
fn bet(text: &str) -> Option<Act> {
    let size = text.strip_prefix("bet ")?.strip_suffix(" pot")?;
    let hundredths = decimal(size, 2)?;
    Some(Act::Bet(u16::try_from(hundredths).unwrap_or(u16::MAX)))
}

fn acts() -> String {
    let acts: Vec<String> = ACTS.iter().map(|act| format!("`{act}`")).collect();
    acts.join(", ")
}

fn whole(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u32::MAX))
}

/// Parses a number with at most `places` decimals, in units of the last one.
fn decimal(text: &str, places: usize) -> Option<u32> {
    let (before, after) = text.split_once('.').unwrap_or((text, ""));
    let fits = after.len() <= places && !(after.is_empty() && text.contains('.'));
    let fraction = format!("{after:0<places$}");
    fits.then(|| Some(whole(before)?.saturating_mul(10u32.pow(places as u32)) + whole(&fraction)?))?
}

/// The facts on a street and the pot in big blinds, in the words of clauses: `pair, high 9, pot 4,
/// outs 2, board dry`.
pub fn facts_in_words(facts: Facts, street: Street, pot: f64) -> String {
    let category = Category::NAMES[facts.category as usize];
    let mut words = format!("{category}, high {}, pot {pot}", card(facts.high));
    if matches!(street, Street::Flop | Street::Turn) {
        words += &format!(", outs {}", facts.outs);
    }
    if street != Street::Preflop {
        words += if facts.dry { ", board dry" } else { ", board wet" };
    }
    words
}

pub(super) fn card(rank: Rank) -> String {
    let court = usize::from(rank.index()).checked_sub(9).map(|at| COURT[at].to_owned());
    court.unwrap_or_else(|| (rank.index() + 2).to_string())
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bound::AtLeast => ">=",
            Bound::AtMost => "<=",
        })
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [n, m] = self.parts().map(usize::from);
        match (COUNTS.get(n - 1), COUNTS.get(m - 1)) {
            (Some(n), Some(m)) => write!(f, "{n} in {m} times"),
            _ => write!(f, "{n} in {m} times"),
        }
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Clause::Hand(bound, category) => {
                write!(f, "hand {bound} {}", Category::NAMES[*category as usize])
            }
            Clause::High(bound, rank) => write!(f, "high {bound} {}", card(*rank)),
            Clause::Pot(bound, blinds) => write!(f, "pot {bound} {blinds}"),
            Clause::Outs(bound, outs) => write!(f, "outs {bound} {outs}"),
            Clause::Aggressive(true) => f.write_str("aggressive"),
            Clause::Aggressive(false) => f.write_str("not aggressive"),
            Clause::Dry(true) => f.write_str("board dry"),
            Clause::Dry(false) => f.write_str("board wet"),
            Clause::Equity(bound, tenths) => {
                write!(f, "win rate {bound} {} %", f64::from(*tenths) / 10.0)
            }
            Clause::Times(times) => times.fmt(f),
        }
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Act::Fold => f.write_str("fold"),
            Act::Call => f.write_str("call"),
            Act::Raise => f.write_str("raise"),
            Act::Bet(50) => f.write_str("bet half"),
            Act::Bet(100) => f.write_str("bet pot"),
            Act::Bet(hundredths) => write!(f, "bet {} pot", f64::from(*hundredths) / 100.0),
            Act::AllIn => f.write_str("all-in"),
        }
    }
}

/// The statement without `else`.
impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("if ")?;
        for (at, clause) in self.clauses.iter().enumerate() {
            write!(f, "{}{clause}", if at == 0 { "" } else { " and " })?;
        }
        write!(f, " then {}", self.act)
    }
}

/// On one line; with `{:#}` one line for each statement, without a final line end.
impl fmt::Display for Heuristic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let between = if f.alternate() { "\n" } else { "; " };
        for at in 0..=self.statements().len() {
            let between = if at == 0 { "" } else { between };
            write!(f, "{between}{}", self.item_text(at))?;
        }
        Ok(())
    }
}

/// The hand categories within a sentence, such as `a pair`.
const HANDS: [&str; 9] = [
    "nothing",
    "a pair",
    "two pair",
    "three of a kind",
    "a straight",
    "a flush",
    "a full house",
    "four of a kind",
    "a straight flush",
];

impl Heuristic {
    /// A statement, or the default (the index after the last), as a sentence for this street: `If
    /// you have a pair or better, bet or raise.`
    pub fn sentence(&self, at: usize, street: Street) -> String {
        let [when, what] = self.when_and_what(at, street);
        match (at, self.statements().len()) {
            (0, 0) => format!("Always {what}."),
            (0, _) => format!("If {when}, {what}."),
            (_, last) if at >= last => format!("Otherwise {what}."),
            _ => format!("Otherwise, if {when}, {what}."),
        }
    }

    /// The sentence in two parts: the condition, `you have a pair or better`, for the default
    /// `else` or `always`; and the action, `bet or raise`.
    pub fn when_and_what(&self, at: usize, street: Street) -> [String; 2] {
        let Some(statement) = self.statements().get(at) else {
            let when = if at == 0 { "always" } else { "else" };
            return [when.to_owned(), act_sentence(self.default())];
        };
        let mut clauses = statement.clauses.clone();
        let hands = between(&mut clauses);
        let said: Vec<String> = hands
            .into_iter()
            .chain(clauses.iter().map(|&clause| clause_sentence(clause, street)))
            .collect();
        let mut when = String::new();
        for (at, clause) in said.iter().enumerate() {
            let before = at.checked_sub(1).map_or("", |before| &said[before]);
            let short = clause.strip_prefix(HAVE).filter(|_| before.starts_with(HAVE));
            let and = if at > 0 { " and " } else { "" };
            when = when + and + short.unwrap_or(clause);
        }
        [when, act_sentence(statement.act)]
    }

    /// The terms used in this list that a beginner may not know, without duplicates.
    pub fn terms(&self) -> BTreeSet<Term> {
        let clauses = self.statements().iter().flat_map(|statement| &statement.clauses);
        clauses
            .filter_map(|clause| match clause {
                Clause::Outs(..) => Some(Term::Outs),
                Clause::Dry(_) => Some(Term::Dry),
                Clause::High(..) => Some(Term::High),
                Clause::Pot(..) => Some(Term::Pot),
                Clause::Equity(..) => Some(Term::Equity),
                Clause::Times(_) => Some(Term::Times),
                Clause::Aggressive(_) => Some(Term::Aggressive),
                Clause::Hand(..) => None,
            })
            .collect()
    }
}

/// A term with an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// The rank that names a hand.
    High,
    /// An opponent that has just bet or raised.
    Aggressive,
    /// The size of the pot in big blinds.
    Pot,
    /// Unseen cards that improve the hand.
    Outs,
    /// Dry and wet boards; their definition is a setting.
    Dry,
    /// The share of pots won against a random hand.
    Equity,
    /// A share of times, such as one time in three.
    Times,
}

impl Term {
    /// The explanation; empty for dry boards, which a [`Texture`](abstraction::facts::Texture)
    /// explains.
    pub const fn meaning(self) -> &'static str {
        match self {
            Term::High => {
                "The best card of a hand is the highest of those that make it: a pair of nines has \
                 a nine."
            }
            Term::Pot => {
                "The pot is all chips in the middle, counted in big blinds; bets of this round are \
                 in it."
            }
            Term::Aggressive => {
                "Your opponent has just bet or raised when that was its last move, in this round \
                 or an earlier one."
            }
            Term::Outs => {
                "Outs are cards still to come that complete your hand: a third to your pair (2), a \
                 full house to your two pair (4), the missing card of a straight (4 or 8) or of a \
                 flush (9)."
            }
            Term::Dry => "",
            Term::Equity => {
                "Your chance is how often you would win against two cards you know nothing of; a \
                 tie is half."
            }
            Term::Times => {
                "One time in 3: look at a watch, and do it in the first third of a minute; so with \
                 other shares."
            }
        }
    }
}

/// The start of clauses about the own cards, written once where they follow each other.
const HAVE: &str = "you have ";

/// Merges the two clauses that keep the hand between two categories.
fn between(clauses: &mut Vec<Clause>) -> Option<String> {
    let bounds = [Bound::AtLeast, Bound::AtMost].map(|wanted| {
        clauses.iter().find_map(|clause| match clause {
            Clause::Hand(bound, category) if *bound == wanted => Some(*category),
            _ => None,
        })
    });
    let hands = clauses.iter().filter(|clause| matches!(clause, Clause::Hand(..))).count();
    let ([Some(least), Some(most)], 2) = (bounds, hands) else { return None };
    clauses.retain(|clause| !matches!(clause, Clause::Hand(..)));
    let [least, most] = [least, most].map(|category| HANDS[category as usize]);
    Some(if least == most {
        format!("{HAVE}{least}")
    } else {
        format!("{HAVE}anything from {least} to {most}")
    })
}

/// A clause within a sentence.
fn clause_sentence(clause: Clause, street: Street) -> String {
    match clause {
        Clause::Hand(Bound::AtLeast, Category::StraightFlush) => "you have a straight flush".into(),
        Clause::Hand(Bound::AtLeast, Category::HighCard) => "you have any hand".into(),
        Clause::Hand(Bound::AtLeast, Category::Pair) if street == Street::Preflop => {
            "you have a pair".into()
        }
        Clause::Hand(Bound::AtLeast, category) => {
            format!("you have {} or better", HANDS[category as usize])
        }
        Clause::Hand(Bound::AtMost, Category::HighCard) => "you have not even a pair".into(),
        Clause::Hand(Bound::AtMost, category) => {
            format!("you have {} or worse", HANDS[category as usize])
        }
        Clause::High(Bound::AtLeast, rank) if rank == cards::Rank::ACE => {
            "your best card is an ace".into()
        }
        Clause::High(bound, rank) => {
            let side = if bound == Bound::AtLeast { "higher" } else { "lower" };
            let article = if rank.index() == 6 { "an" } else { "a" };
            format!("your best card is {article} {} or {side}", card(rank))
        }
        Clause::Pot(bound, blinds) => {
            let blinds =
                if blinds == 1 { "1 big blind".into() } else { format!("{blinds} big blinds") };
            format!("the pot is {blinds} {}", side(bound))
        }
        Clause::Outs(bound, outs) => {
            let outs = if outs == 1 { "1 out".into() } else { format!("{outs} outs") };
            format!("you have {outs} {}", side(bound))
        }
        Clause::Aggressive(true) => "your opponent has just bet or raised".into(),
        Clause::Aggressive(false) => "your opponent has not just bet or raised".into(),
        Clause::Dry(true) => "the board is dry".into(),
        Clause::Dry(false) => "the board is wet".into(),
        Clause::Equity(bound, tenths) => {
            let percent = f64::from(tenths) / 10.0;
            match street {
                Street::River => format!("you beat {percent} % of hands {}", side(bound)),
                _ => format!("your chance is {percent} % {}", side(bound)),
            }
        }
        Clause::Times(times) => {
            let [n, m] = times.parts();
            match n {
                1 => format!("it is one time in {m}"),
                _ => format!("it is {n} times in {m}"),
            }
        }
    }
}

fn side(bound: Bound) -> &'static str {
    match bound {
        Bound::AtLeast => "or more",
        Bound::AtMost => "or less",
    }
}

/// An act within a sentence.
fn act_sentence(act: Act) -> String {
    match act {
        Act::Fold => "check or fold".into(),
        Act::Call => "check or call".into(),
        Act::Raise => "bet or raise".into(),
        Act::Bet(50) => "bet half the pot".into(),
        Act::Bet(100) => "bet the pot".into(),
        Act::Bet(hundredths) => format!("bet {} of the pot", f64::from(hundredths) / 100.0),
        Act::AllIn => "go all-in".into(),
    }
}
