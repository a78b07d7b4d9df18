//! Bet menus: the actions of an abstract game, street by street and raise by raise.
//!
//! A fold (when something is owed) and a call are always on the menu; a menu names the sizes of
//! bets and raises. It is a text of lines `STREETS RAISES: SIZES`:
//!
//! ```text
//! # A comment.
//! preflop 1: 2.5x 4x      the first raise before the flop: to two and a half or four times the bet
//! preflop 2-3: pot allin  the next two
//! preflop 4+: allin       every later one
//! flop turn river 1: 50% pot allin
//! flop turn river 2+: allin
//! allin-from: 80%         a raise to this share of the stack or more becomes all-in
//! merge: 10%              of raises that leave pots this close to each other the largest stays
//! ```
//!
//! `every` stands for all four streets. Raises are counted on each street from 1, blinds aside; a
//! raise that no line names is not on the menu. Sizes: `min`, the smallest legal raise; `2.5x`, a
//! raise to this multiple of what has been bet on the street; `75%` and `pot`, a raise by this
//! share of the pot after a call; `450c`, one to so many chips on the street; `e`, the share of the
//! pot that, bet and called on this street and each later one, ends all-in on the river, and `2e`
//! on the second street from this one on (the geometric sizes of solvers); `allin`; `none`. Sizes
//! are made legal: one below the smallest raise becomes that one, one beyond the stack becomes
//! all-in, and in a limit game every size is the one legal raise.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use game::{Action, Chips, PublicState, Raises, Seat, Street, Turn};
use smallvec::SmallVec;

use crate::Error;

/// The actions of one decision: rarely more than eight.
pub type MenuActions = SmallVec<[Action; 8]>;

/// The bets and raises of an abstract game. See the [module](self).
///
/// Two menus are equal when they offer the same sizes; then they also print the same.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BetMenu {
    streets: [RaiseSizes; Street::ALL.len()],
    /// Threshold in thousandths of the stack from which a raise becomes all-in; 1000 without a
    /// rule.
    all_in_from: u32,
    /// How much larger the pot after one raise and its call must be than after another, in
    /// thousandths; 0 without a rule.
    merge: u32,
}

/// The raise sizes of one street.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
struct RaiseSizes {
    /// The sizes of the first, second … raise.
    numbered: Vec<Vec<BetSize>>,
    /// The sizes of all later raises. Differs from the last of `numbered`, so that a menu has one
    /// form.
    later: Vec<BetSize>,
}

impl BetMenu {
    /// The menu without the bets of the streets before this one.
    #[must_use]
    pub fn from_street(mut self, street: Street) -> BetMenu {
        self.streets[..street.index()].fill(RaiseSizes::default());
        self
    }

    /// The menu with a size more for a street's raise with this number, counted from 1, which
    /// stays as it is: no rule makes raises all-in or merges them any more. A raise before it that
    /// had no sizes is all-in.
    #[must_use]
    pub fn with_size(mut self, street: Street, raise: u32, size: BetSize) -> BetMenu {
        let RaiseSizes { numbered, later } = &mut self.streets[street.index()];
        let Some(index) = (raise as usize).checked_sub(1) else { return self };
        while numbered.len() <= index {
            numbered.push(later.clone());
        }
        for sizes in &mut numbered[..index] {
            if sizes.is_empty() {
                sizes.push(BetSize::AllIn);
            }
        }
        let sizes = &mut numbered[index];
        if !sizes.contains(&size) {
            sizes.push(size);
            sizes.sort_unstable();
        }
        while numbered.last() == Some(&*later) {
            numbered.pop();
        }
        (self.all_in_from, self.merge) = (1000, 0);
        self
    }

    /// The sizes of a street's raise with this number, counted from 1, in ascending order of kind.
    ///
    /// Raise number 0 has none.
    pub fn sizes(&self, street: Street, raise: u32) -> &[BetSize] {
        let raises = &self.streets[street.index()];
        match (raise as usize).checked_sub(1) {
            Some(index) => raises.numbered.get(index).unwrap_or(&raises.later),
            None => &[],
        }
    }

    /// The abstract actions of the seat to act: a fold when something is owed, a call, and the
    /// menu's raises, made legal, ascending and distinct. Empty when nobody is to act.
    pub fn actions(&self, public: &PublicState) -> MenuActions {
        let mut actions = MenuActions::new();
        let Turn::Act(seat) = public.turn() else { return actions };
        let legal = public.legal();
        if legal.fold {
            actions.push(Action::Fold);
        }
        actions.push(Action::Call);
        let Some(raise) = legal.raise else { return actions };
        let sizes = self.sizes(public.street(), public.raises() + 1);
        let nearly = u64::from(public.def().stacks[seat.index()]) * u64::from(self.all_in_from);
        let all_in = |total| if u64::from(total) * 1000 >= nearly { raise.max } else { total };
        let totals = sizes.iter().filter_map(|size| size.total(public, seat, raise));
        let mut totals: SmallVec<[Chips; 8]> = totals.map(all_in).collect();
        totals.sort_unstable();
        totals.dedup();
        self.merge(public, &mut totals);
        actions.extend(totals.into_iter().map(Action::RaiseTo));
        actions
    }

    /// Leaves out raises, ascending, that leave nearly the pot of a larger one.
    fn merge(&self, public: &PublicState, totals: &mut SmallVec<[Chips; 8]>) {
        if self.merge == 0 {
            return;
        }
        let Turn::Act(seat) = public.turn() else { return };
        // The pot after a raise and its call: what is in now, and what both add.
        let highest = u64::from(public.highest());
        let called = public.pot() + highest - u64::from(public.committed()[seat]);
        let pot = |total: Chips| called + 2 * u64::from(total).saturating_sub(highest);
        let mut above = None;
        totals.reverse();
        totals.retain(|&mut total| {
            let near = |above: Chips| 1000 * pot(above) < u64::from(1000 + self.merge) * pot(total);
            let keep = !above.is_some_and(near);
            if keep {
                above = Some(total);
            }
            keep
        });
        totals.reverse();
    }
}

impl fmt::Debug for BetMenu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BetMenu").field(&self.to_string()).finish()
    }
}

/// A move: an action without chips, as a class for learners.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// Fold.
    Fold,
    /// Check, or call.
    Call,
    /// Bet or raise by this size.
    Raise(BetSize),
}

/// The moves of one street of a menu: fold, call, and every size of any raise of the street,
/// ascending by kind. The index of a move is its class number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moves {
    moves: Vec<Move>,
    /// The threshold of the menu.
    all_in_from: u32,
}

impl BetMenu {
    /// The moves of a street.
    pub fn moves(&self, street: Street) -> Moves {
        let raises = &self.streets[street.index()];
        let sizes = raises.numbered.iter().chain([&raises.later]).flatten();
        let mut moves = vec![Move::Fold, Move::Call];
        moves.extend(sizes.map(|&size| Move::Raise(size)));
        moves.sort_unstable();
        moves.dedup();
        Moves { moves, all_in_from: self.all_in_from }
    }
}

impl Moves {
    /// The moves in order.
    pub fn as_slice(&self) -> &[Move] {
        &self.moves
    }

    /// Their names in order.
    pub fn names(&self) -> Vec<String> {
        self.moves.iter().map(ToString::to_string).collect()
    }

    /// The legal action of the seat to act that a move stands for: a fold with nothing owed checks,
    /// a raise where none is allowed calls, and sizes are clamped to the smallest and the largest
    /// raise. A multiple of a bet where there is no bet is the smallest raise.
    ///
    /// Panics where nobody is to act, or without a move of this number.
    pub fn action(&self, public: &PublicState, number: usize) -> Action {
        let Turn::Act(seat) = public.turn() else { panic!("a move needs somebody to act") };
        let legal = public.legal();
        match (self.moves[number], legal.raise) {
            (Move::Fold, _) if legal.fold => Action::Fold,
            (Move::Raise(size), Some(raise)) => {
                let total = size.total(public, seat, raise).unwrap_or(raise.min);
                let stack = u64::from(public.def().stacks[seat.index()]);
                let nearly = u64::from(total) * 1000 >= stack * u64::from(self.all_in_from);
                Action::RaiseTo(if nearly { raise.max } else { total })
            }
            _ => Action::Call,
        }
    }

    /// The weight of each action of the seat to act, given shares of the moves: moves with the same
    /// action are added up, in the order of the first. Negative shares count as zero.
    ///
    /// Panics where nobody is to act, or there are more shares than moves.
    pub fn actions(&self, public: &PublicState, shares: &[f32]) -> Vec<(Action, f64)> {
        let mut weights: Vec<(Action, f64)> = Vec::with_capacity(shares.len());
        for (number, &share) in shares.iter().enumerate() {
            let (action, share) = (self.action(public, number), f64::from(share.max(0.0)));
            match weights.iter_mut().find(|(known, _)| *known == action) {
                Some((_, sum)) => *sum += share,
                None => weights.push((action, share)),
            }
        }
        weights
    }

    /// The class number of an action of the seat to act: for a raise the move with the same chips,
    /// or else the nearest; among equals all-in, or else the smallest kind.
    ///
    /// Panics where nobody is to act.
    pub fn class(&self, public: &PublicState, action: Action) -> usize {
        let total = match action {
            Action::Fold => return 0,
            Action::Call => return 1,
            Action::RaiseTo(total) => total,
        };
        let apart = |&number: &usize| match self.action(public, number) {
            Action::RaiseTo(other) => {
                let all_in = self.moves[number] == Move::Raise(BetSize::AllIn);
                (other.abs_diff(total), !all_in)
            }
            _ => (u32::MAX, true),
        };
        (2..self.moves.len()).min_by_key(apart).unwrap_or(1)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Fold => f.write_str("fold"),
            Move::Call => f.write_str("call"),
            Move::Raise(size) => size.fmt(f),
        }
    }
}

impl FromStr for Move {
    type Err = ();

    /// Parses a move in its printed form.
    fn from_str(text: &str) -> Result<Move, ()> {
        Ok(match text {
            "fold" => Move::Fold,
            "call" => Move::Call,
            size => Move::Raise(size.parse()?),
        })
    }
}

/// The size of a bet or raise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BetSize {
    /// The smallest legal raise.
    Minimum,
    /// A raise to this many thousandths of what has been bet on the street, from
    /// [`BetSize::MIN_MULTIPLE`].
    OfBet(u32),
    /// A raise by this many thousandths of the pot after a call, from 1.
    OfPot(u32),
    /// A raise to this many chips on the street, from 1: the bets of a hand that was played.
    Chips(Chips),
    /// A raise by the share of the pot after a call that, bet and called on so many streets from
    /// this one on, ends all-in; 0 for all streets that are left.
    Geometric(u8),
    /// The largest legal raise.
    AllIn,
}

impl BetSize {
    /// The smallest multiple of a bet, in thousandths: a raise is to more than the bet.
    pub const MIN_MULTIPLE: u32 = 1_001;
    /// The largest share or multiple, in thousandths.
    pub const MAX: u32 = 1_000_000;

    /// The total in chips over the whole hand of a raise of this size, clamped to the legal range.
    /// `None` for a multiple of a bet where there is none.
    pub fn total(self, public: &PublicState, seat: Seat, legal: Raises) -> Option<Chips> {
        let highest = u64::from(public.highest());
        let committed = u64::from(public.committed()[seat]);
        let total = match self {
            BetSize::Minimum => legal.min.into(),
            BetSize::AllIn => legal.max.into(),
            BetSize::OfBet(thousandths) => {
                let before = committed - u64::from(public.committed_street(seat));
                let bet = highest.checked_sub(before).filter(|&bet| bet > 0)?;
                before + share(thousandths, bet)
            }
            BetSize::OfPot(thousandths) => {
                let called = public.pot() + highest.saturating_sub(committed);
                highest + share(thousandths, called)
            }
            BetSize::Chips(chips) => {
                committed - u64::from(public.committed_street(seat)) + u64::from(chips)
            }
            BetSize::Geometric(streets) => {
                let called = public.pot() + highest.saturating_sub(committed);
                // What the shorter of those who can still bet has left after a call.
                let left = public.able().iter().map(|seat| public.def().stacks[seat.index()]);
                let behind = u64::from(left.min().unwrap_or_default()).saturating_sub(highest);
                let rest = Street::ALL.len() - public.street().index();
                let streets = if streets == 0 { rest } else { usize::from(streets) };
                let grows = (1.0 + 2.0 * behind as f64 / called.max(1) as f64)
                    .powf(1.0 / streets.max(1) as f64);
                highest + ((grows - 1.0) / 2.0 * called as f64).round() as u64
            }
        };
        let total = total.clamp(legal.min.into(), legal.max.into());
        Some(total as Chips)
    }
}

/// The product of an amount and a share in thousandths, rounded to the nearest chip, halves up.
fn share(thousandths: u32, amount: u64) -> u64 {
    (u64::from(thousandths) * amount + 500) / 1000
}

impl fmt::Display for BetSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            BetSize::Minimum => f.write_str("min"),
            BetSize::OfBet(thousandths) => {
                write_decimal(f, thousandths, 3).and_then(|()| f.write_str("x"))
            }
            BetSize::OfPot(1000) => f.write_str("pot"),
            BetSize::OfPot(thousandths) => {
                write_decimal(f, thousandths, 1).and_then(|()| f.write_str("%"))
            }
            BetSize::Chips(chips) => write!(f, "{chips}c"),
            BetSize::Geometric(0) => f.write_str("e"),
            BetSize::Geometric(streets) => write!(f, "{streets}e"),
            BetSize::AllIn => f.write_str("allin"),
        }
    }
}

/// Prints a number of units of 10^-decimals without trailing zeros.
fn write_decimal(f: &mut fmt::Formatter<'_>, units: u32, decimals: u32) -> fmt::Result {
    let one = 10u32.pow(decimals);
    let text = format!("{}.{:0width$}", units / one, units % one, width = decimals as usize);
    f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
}

impl FromStr for BetSize {
    type Err = ();

    /// Parses a size in its printed form; more or fewer zeros are allowed, and `all-in` and
    /// `half-pot`. The caller reports errors.
    fn from_str(text: &str) -> Result<BetSize, ()> {
        let between = |units: u32, least: u32| {
            if (least..=BetSize::MAX).contains(&units) { Ok(units) } else { Err(()) }
        };
        match text {
            "min" => Ok(BetSize::Minimum),
            "half-pot" => Ok(BetSize::OfPot(500)),
            "pot" => Ok(BetSize::OfPot(1000)),
            "allin" | "all-in" => Ok(BetSize::AllIn),
            "e" => Ok(BetSize::Geometric(0)),
            "1e" | "2e" | "3e" | "4e" => Ok(BetSize::Geometric(text.as_bytes()[0] - b'0')),
            _ => match (text.strip_suffix('x'), text.strip_suffix('%')) {
                (Some(number), _) => Ok(BetSize::OfBet(between(
                    decimal(number, 3).ok_or(())?,
                    BetSize::MIN_MULTIPLE,
                )?)),
                (_, Some(number)) => Ok(BetSize::OfPot(between(decimal(number, 1).ok_or(())?, 1)?)),
                _ => {
                    let number = text.strip_suffix('c').ok_or(())?;
                    let digits = number.bytes().all(|byte| byte.is_ascii_digit());
                    let chips = number.parse().ok().filter(|&chips: &Chips| digits && chips > 0);
                    Ok(BetSize::Chips(chips.ok_or(())?))
                }
            },
        }
    }
}

/// Parses a number such as `2.5` in units of 10^-decimals, if it has no more decimals than that.
fn decimal(text: &str, decimals: usize) -> Option<u32> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > decimals {
        return None;
    }
    format!("{whole}{part:0<decimals$}").parse().ok()
}

/// Largest number of a raise in a line; above, lines say `N+`.
const MAX_RAISES: u32 = 64;

/// Maximum number of sizes of one raise.
const MAX_SIZES: usize = 32;

/// The keyword of the line that makes large raises all-in.
const ALL_IN_FROM: &str = "allin-from:";

/// The keyword of the line that merges raises.
const MERGE: &str = "merge:";

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
    type Err = Error;

    fn from_str(text: &str) -> Result<BetMenu, Error> {
        let mut lines = Vec::new();
        let (mut all_in_from, mut merge) = (None, None);
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            let here = |problem: String| at_line(number, &problem);
            let line = line.split('#').next().unwrap_or_default().trim();
            if let Some(share) = line.strip_prefix(ALL_IN_FROM) {
                let read = read_share(share, 10..=1000).filter(|_| all_in_from.is_none());
                let bad = || {
                    here(format!(
                        "`{}` is not a share of the stack for a line `allin-from: 80%`, of which \
                         there is one, from 1% to 100%",
                        shown(share.trim())
                    ))
                };
                all_in_from = Some(read.ok_or_else(bad)?);
            } else if let Some(share) = line.strip_prefix(MERGE) {
                let read = read_share(share, 1..=1000).filter(|_| merge.is_none());
                let bad = || {
                    here(format!(
                        "`{}` is not a share for a line `merge: 10%`, of which there is one, from \
                         0.1% to 100%",
                        shown(share.trim())
                    ))
                };
                merge = Some(read.ok_or_else(bad)?);
            } else if !line.is_empty() {
                lines.push(read_line(number, line).map_err(here)?);
            }
        }
        if lines.is_empty() {
            let problem = "the menu is empty; one without raises says `every 1+: none`";
            return Err(at_line(1, problem));
        }
        let mut streets: [RaiseSizes; 4] = Default::default();
        for street in Street::ALL {
            streets[street.index()] = gather(street, &lines)?;
        }
        let (all_in_from, merge) = (all_in_from.unwrap_or(1000), merge.unwrap_or(0));
        Ok(BetMenu { streets, all_in_from, merge })
    }
}

fn read_line(number: usize, line: &str) -> Result<Line, String> {
    let form = || {
        let line = shown(line);
        format!(
            "`{line}` is not of the form `STREETS RAISES: SIZES`, such as `flop turn 1: 50% pot \
             allin`"
        )
    };
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
            None => {
                let word = shown(word);
                return Err(format!(
                    "`{word}` is not a street; write preflop, flop, turn, river or every"
                ));
            }
        }
    }
    let (from, to) = read_raises(raises).ok_or_else(|| {
        let raises = shown(raises);
        format!("`{raises}` names no raises; write `1`, `2-3` or `4+`, from 1 to {MAX_RAISES}")
    })?;
    let sizes = read_sizes(sizes).map_err(|problem| problem.unwrap_or_else(form))?;
    if from == 1 {
        let multiple = sizes.iter().find(|size| matches!(size, BetSize::OfBet(_)));
        let quiet = streets.iter().find(|&&street| street != Street::Preflop);
        if let (Some(size), Some(&street)) = (multiple, quiet) {
            return Err(format!(
                "`{size}` on the {street}: the first raise there has no bet to multiply; give \
                 `{street} 1:` a line of its own with shares of the pot"
            ));
        }
    }
    Ok(Line { number, streets, from, to, sizes })
}

/// Parses a percentage into thousandths in a range.
fn read_share(text: &str, range: RangeInclusive<u32>) -> Option<u32> {
    match text.trim().parse().ok()? {
        BetSize::OfPot(share) if text.trim().ends_with('%') => {
            range.contains(&share).then_some(share)
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
fn read_sizes(text: &str) -> Result<Vec<BetSize>, Option<String>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words == ["none"] {
        return Ok(Vec::new());
    }
    if words.is_empty() {
        return Err(None);
    }
    if words.len() > MAX_SIZES {
        let found = words.len();
        return Err(Some(format!(
            "{found} sizes for one raise, but at most {MAX_SIZES} are possible; take some out"
        )));
    }
    let mut sizes = Vec::new();
    for word in words {
        let beside = || {
            Some(format!(
                "`{}` appears twice on this line, or cannot be combined with the other sizes; take \
                 it out",
                shown(word)
            ))
        };
        if word == "none" {
            return Err(beside());
        }
        let size: BetSize = word.parse().map_err(|()| {
            Some(format!(
                "`{}` is not a size; write min, pot, e, allin, none, a share of the pot such as \
                 `75%` (up to 100000%, one decimal), a multiple of the bet such as `2.5x` (above \
                 1x, up to 1000x, three decimals), or chips such as `450c`",
                shown(word)
            ))
        })?;
        if sizes.contains(&size) {
            return Err(beside());
        }
        sizes.push(size);
    }
    sizes.sort_unstable();
    Ok(sizes)
}

/// The raise sizes of one street, from all lines that name it.
fn gather(street: Street, lines: &[Line]) -> Result<RaiseSizes, Error> {
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
            let problem = format!(
                "raise {raise} of the {street} has its sizes on line {other} already; take one out"
            );
            return Err(at_line(line, &problem));
        }
        let sizes = first.map(|line| line.sizes.clone()).unwrap_or_default();
        if sizes.is_empty() {
            without = without.or(Some(raise));
        } else if let (Some(without), Some(line)) = (without, first) {
            let problem = format!(
                "raise {raise} of the {street} cannot occur, because raise {without} has no sizes; \
                 give it a line"
            );
            return Err(at_line(line.number, &problem));
        }
        numbered.push(sizes);
    }
    let later = numbered.pop().unwrap_or_default();
    while numbered.last() == Some(&later) {
        numbered.pop();
    }
    Ok(RaiseSizes { numbered, later })
}

/// The error for a line, counted from 1.
fn at_line(line: usize, problem: &str) -> Error {
    Error::new(format!("line {line}: {problem}"))
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
        let mut rule = |keyword: &str, share: u32| match (share / 10, share % 10) {
            (whole, 0) => writeln!(f, "{keyword} {whole}%"),
            (whole, tenths) => writeln!(f, "{keyword} {whole}.{tenths}%"),
        };
        if self.all_in_from < 1000 {
            rule(ALL_IN_FROM, self.all_in_from)?;
        }
        if self.merge > 0 {
            rule(MERGE, self.merge)?;
        }
        Ok(())
    }
}

/// A menu file compiled into the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShippedMenu {
    /// The menu's name: the file name without `.menu`.
    pub name: &'static str,
    /// The file's text.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal)*) => {
        &[$(ShippedMenu {
            name: $name,
            text: include_str!(concat!("../menus/", $name, ".menu")),
        }),*]
    };
}

const MENUS: &[ShippedMenu] = shipped! {
    "fc"
    "fcpa"
    "ladder"
    "limit"
    "overbet"
    "reraise"
    "six"
    "small"
    "standard"
    "three"
};

/// All built-in menus.
pub fn shipped() -> &'static [ShippedMenu] {
    MENUS
}

/// The built-in menu with this name.
pub fn find(name: &str) -> Option<BetMenu> {
    let menu = MENUS.iter().find(|menu| menu.name == name)?;
    Some(menu.text.parse().expect("a test reads every shipped menu"))
}
