//! Parser and printer of menus. The [parent](super) has the format.

use std::fmt;
use std::str::FromStr;

use game::Street;

use super::{BetMenu, BetSize, Raises};

/// Largest number of a raise in a line; above, lines say `N+`.
const MAX_RAISES: u32 = 64;

/// Maximum number of sizes of one raise.
const MAX_SIZES: usize = 32;

/// The keyword of the line that makes large raises all-in.
const ALL_IN_FROM: &str = "allin-from:";

/// Error in a menu, with its line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct MenuError {
    /// The line, from 1.
    pub line: usize,
    /// The kind of error on that line.
    pub problem: MenuProblem,
}

/// The problem with a line of a menu.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MenuProblem {
    /// The text has no lines but comments.
    #[error("the menu is empty; one without raises says `every 1+: none`")]
    Empty,
    /// The line does not have the form of a menu line.
    #[error(
        "`{0}` is not of the form `STREETS RAISES: SIZES`, such as `flop turn 1: 50% pot allin`"
    )]
    Form(String),
    /// A word that names no street.
    #[error("`{0}` is not a street; write preflop, flop, turn, river or every")]
    Street(String),
    /// The raises cannot be read.
    #[error("`{0}` names no raises; write `1`, `2-3` or `4+`, from 1 to {MAX_RAISES}")]
    Raises(String),
    /// A size cannot be read.
    #[error(
        "`{0}` is not a size; write min, pot, allin, none, a share of the pot such as `75%` (up \
         to 100000%, one \
         decimal), or a multiple of the bet such as `2.5x` (above 1x, up to 1000x, three decimals)"
    )]
    Size(String),
    /// The share of the stack is invalid, or given twice.
    #[error(
        "`{0}` is not a share of the stack for a line `allin-from: 80%`, of which there is one, \
         from 1% to 100%"
    )]
    AllInFrom(String),
    /// A size is repeated on a line, or `none` is combined with others.
    #[error(
        "`{0}` appears twice on this line, or cannot be combined with the other sizes; take it out"
    )]
    Beside(String),
    /// Too many sizes on a line: the number of sizes.
    #[error("{0} sizes for one raise, but at most {MAX_SIZES} are possible; take some out")]
    TooMany(usize),
    /// A multiple of a bet as the first bet of a street.
    #[error(
        "`{size}` on the {street}: the first raise there has no bet to multiply; give `{street} \
         1:` a line of its own with shares of the pot"
    )]
    NoBet {
        /// The multiple, as in the text.
        size: String,
        /// The street of the first bet.
        street: Street,
    },
    /// Two lines give the sizes of the same raise.
    #[error("raise {raise} of the {street} has its sizes on line {other} already; take one out")]
    Twice {
        /// The street of the repeated raise.
        street: Street,
        /// The raise, from 1.
        raise: u32,
        /// The other line.
        other: usize,
    },
    /// A raise that cannot occur because an earlier one has no sizes.
    #[error(
        "raise {raise} of the {street} cannot occur, because raise {without} has no sizes; give \
         it a line"
    )]
    Unreachable {
        /// The street of the raise that cannot occur.
        street: Street,
        /// The raise that the line gives sizes to.
        raise: u32,
        /// The earlier raise without sizes.
        without: u32,
    },
}

/// A parsed line.
struct Line {
    number: usize,
    streets: Vec<Street>,
    from: u32,
    /// The last raise that it gives sizes to; `None` for all later ones.
    to: Option<u32>,
    sizes: Vec<BetSize>,
}

impl FromStr for BetMenu {
    type Err = MenuError;

    fn from_str(text: &str) -> Result<BetMenu, MenuError> {
        let mut lines = Vec::new();
        let mut all_in_from = None;
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            let here = |problem| MenuError { line: number, problem };
            let line = line.split('#').next().unwrap_or_default().trim();
            if let Some(share) = line.strip_prefix(ALL_IN_FROM) {
                let read = read_all_in_from(share).filter(|_| all_in_from.is_none());
                let bad = || here(MenuProblem::AllInFrom(shown(share.trim())));
                all_in_from = Some(read.ok_or_else(bad)?);
            } else if !line.is_empty() {
                lines.push(read_line(number, line).map_err(here)?);
            }
        }
        if lines.is_empty() {
            return Err(MenuError { line: 1, problem: MenuProblem::Empty });
        }
        let mut streets: [Raises; 4] = Default::default();
        for street in Street::ALL {
            streets[street.index()] = gather(street, &lines)?;
        }
        Ok(BetMenu { streets, all_in_from: all_in_from.unwrap_or(1000) })
    }
}

fn read_line(number: usize, line: &str) -> Result<Line, MenuProblem> {
    let form = || MenuProblem::Form(shown(line));
    let (head, sizes) = line.split_once(':').ok_or_else(form)?;
    let mut words: Vec<&str> = head.split_whitespace().collect();
    let raises = words.pop().ok_or_else(form)?;
    if words.is_empty() {
        return Err(form());
    }
    let mut streets = Vec::new();
    for word in words {
        match Street::ALL.into_iter().find(|street| street.name() == word) {
            Some(street) => streets.push(street),
            None if word == "every" => streets.extend(Street::ALL),
            None => return Err(MenuProblem::Street(shown(word))),
        }
    }
    let (from, to) = read_raises(raises).ok_or_else(|| MenuProblem::Raises(shown(raises)))?;
    let sizes = read_sizes(sizes).map_err(|problem| problem.unwrap_or_else(form))?;
    if from == 1 {
        let multiple = sizes.iter().find(|size| matches!(size, BetSize::OfBet(_)));
        let quiet = streets.iter().find(|&&street| street != Street::Preflop);
        if let (Some(size), Some(&street)) = (multiple, quiet) {
            return Err(MenuProblem::NoBet { size: size.to_string(), street });
        }
    }
    Ok(Line { number, streets, from, to, sizes })
}

/// Parses a percentage from 1 to 100 into thousandths.
fn read_all_in_from(text: &str) -> Option<u32> {
    match text.trim().parse().ok()? {
        BetSize::OfPot(share) if text.trim().ends_with('%') => {
            (10..=1000).contains(&share).then_some(share)
        }
        _ => None,
    }
}

/// Parses `1`, `2-3` or `4+`.
fn read_raises(text: &str) -> Option<(u32, Option<u32>)> {
    let number = |text: &str| {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|n| digits && (1..=MAX_RAISES).contains(n))
    };
    if let Some(from) = text.strip_suffix('+') {
        return Some((number(from)?, None));
    }
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let (from, to) = (number(from)?, number(to)?);
    (from <= to).then_some((from, Some(to)))
}

/// Parses the sizes, ascending; `Err(None)` when there are none at all.
fn read_sizes(text: &str) -> Result<Vec<BetSize>, Option<MenuProblem>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words == ["none"] {
        return Ok(Vec::new());
    }
    if words.is_empty() {
        return Err(None);
    }
    if words.len() > MAX_SIZES {
        return Err(Some(MenuProblem::TooMany(words.len())));
    }
    let mut sizes = Vec::new();
    for word in words {
        if word == "none" {
            return Err(Some(MenuProblem::Beside(shown(word))));
        }
        let size: BetSize = word.parse().map_err(|()| Some(MenuProblem::Size(shown(word))))?;
        if sizes.contains(&size) {
            return Err(Some(MenuProblem::Beside(shown(word))));
        }
        sizes.push(size);
    }
    sizes.sort_unstable();
    Ok(sizes)
}

/// The raise sizes of one street, from all lines that name it.
fn gather(street: Street, lines: &[Line]) -> Result<Raises, MenuError> {
    // A street named twice on one line counts once.
    let mine = || lines.iter().filter(|line| line.streets.contains(&street));
    let covers = |line: &Line, raise| line.from <= raise && line.to.is_none_or(|to| raise <= to);
    let last = mine().map(|line| line.to.unwrap_or(line.from)).max().unwrap_or_default();
    let mut numbered: Vec<Vec<BetSize>> = Vec::new();
    let mut without = None;
    // One beyond the largest number in a line: the sizes of all later raises.
    for raise in 1..=last + 1 {
        let mut covering = mine().filter(|line| covers(line, raise));
        let first = covering.next();
        if let (Some(first), Some(second)) = (first, covering.next()) {
            let (line, other) = (second.number, first.number);
            return Err(MenuError { line, problem: MenuProblem::Twice { street, raise, other } });
        }
        let sizes = first.map(|line| line.sizes.clone()).unwrap_or_default();
        if sizes.is_empty() {
            without = without.or(Some(raise));
        } else if let (Some(without), Some(line)) = (without, first) {
            let problem = MenuProblem::Unreachable { street, raise, without };
            return Err(MenuError { line: line.number, problem });
        }
        numbered.push(sizes);
    }
    let later = numbered.pop().unwrap_or_default();
    while numbered.last() == Some(&later) {
        numbered.pop();
    }
    Ok(Raises { numbered, later })
}

/// The text, shortened where it is long.
fn shown(text: &str) -> String {
    text.chars().take(60).collect()
}

impl fmt::Display for BetMenu {
    /// One line for each street and raise; parses back as an equal menu.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut empty = true;
        for (street, raises) in Street::ALL.into_iter().zip(&self.streets) {
            let numbered = raises.numbered.iter().zip(1..);
            let later = (&raises.later, raises.numbered.len() + 1);
            for (sizes, raise) in numbered
                .map(|(sizes, raise)| (sizes, format!("{raise}")))
                .chain((!raises.later.is_empty()).then(|| (later.0, format!("{}+", later.1))))
            {
                empty = false;
                let sizes = sizes.iter().map(BetSize::to_string).collect::<Vec<_>>().join(" ");
                writeln!(f, "{street} {raise}: {sizes}")?;
            }
        }
        if empty {
            writeln!(f, "every 1+: none")?;
        }
        match (self.all_in_from / 10, self.all_in_from % 10) {
            (100.., _) => Ok(()),
            (whole, 0) => writeln!(f, "{ALL_IN_FROM} {whole}%"),
            (whole, tenths) => writeln!(f, "{ALL_IN_FROM} {whole}.{tenths}%"),
        }
    }
}
