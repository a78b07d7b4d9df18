//! Writer of hands in PokerStars' format, for trackers and replayers.
//!
//! 100 chips are $1.00, so that a big blind of 100 chips is a dollar. Entrant `k` always sits at
//! seat `k + 1`, and the button moves. The first entrant is the hero, whose cards are shown; those
//! of others only where they were shown. `raises X to Y` has the amount above the previous bet and
//! the total on the street. Hand numbers are unique for a match: 31 bits of a hash of it, then 32
//! bits of the hand. Times are the beginning of the match plus a second a hand, in Eastern standard
//! time.
//!
//! Not preserved: others' cards that were not shown; fractions of a cent, which go to the first
//! winner; deals, decisions and seeds. Hold'em with the usual blinds only, for two to ten players.

use std::fmt::Write;

use cards::{Board, Category, HoleCards, evaluate};
use game::{Betting, Chips, GameDef, Payoff, Seat, Street};
use sha2::{Digest, Sha256};

use super::steps::{ActionTaken, Step, steps, uncalled};
use super::{CannotExpress, phh};
use crate::{HandRecord, MatchInfo, distinct_names};

const FORMAT: &str = "PokerStars text";
const WRITTEN: &str = "writing to a string cannot fail";

/// Checks that the format can express the game.
pub fn check(def: &GameDef) -> Result<(), CannotExpress> {
    phh::check(def).map_err(|error| CannotExpress { format: FORMAT, ..error })
}

/// A writer of the hands of one match.
#[derive(Debug, Clone)]
pub struct Writer {
    names: Vec<String>,
    title: String,
    number: u64,
    table: String,
    begun: Time,
}

impl Writer {
    /// A writer for this match.
    ///
    /// # Errors
    /// Those of [`check`].
    pub fn new(info: &MatchInfo) -> Result<Writer, CannotExpress> {
        let def = &info.game;
        check(def)?;
        let [small, big] = match (def.betting, &def.raise_sizes[..]) {
            (Betting::Limit, [small, _, big, _]) => [*small, *big],
            _ => {
                let small = def.blinds.iter().copied().filter(|&blind| blind > 0).min();
                [small.unwrap_or_default(), def.big_blind()]
            }
        };
        let limit = if def.betting == Betting::Limit { "Limit" } else { "No Limit" };
        let (small, big) = (cents(small.into()), cents(big.into()));
        let title = format!("Hold'em {limit} (${small}/${big} USD)");
        let identity = format!("{}\n{}\n{}", info.name, info.seed, info.provenance.created);
        let hash = Sha256::digest(identity);
        let number = u64::from(u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]) >> 1);
        let plain = |c: char| if c == '\'' || c.is_control() { '_' } else { c };
        Ok(Writer {
            names: distinct_names(info.names().iter().map(|one| name(one))),
            title,
            number,
            table: info.name.chars().map(plain).collect(),
            begun: Time::read(&info.provenance.created),
        })
    }

    fn name(&self, record: &HandRecord, seat: Seat) -> &str {
        self.names.get(usize::from(record.entrants[seat])).map_or("?", String::as_str)
    }

    /// Appends a hand, followed by two blank lines.
    pub fn write_hand(&self, record: &HandRecord, out: &mut String) {
        let def = record.public.def();
        let mut line = |line: std::fmt::Arguments<'_>| {
            out.write_fmt(line).expect(WRITTEN);
            out.push('\n');
        };
        let number = (self.number << 32) | (record.hand & 0xFFFF_FFFF);
        let time = self.begun.later(record.hand);
        line(format_args!("PokerStars Hand #{number}: {} - {time} ET", self.title));
        let seat_number = |seat: Seat| usize::from(record.entrants[seat]) + 1;
        let button = seat_number(def.button());
        let players = def.players;
        line(format_args!("Table '{}' {players}-max Seat #{button} is the button", self.table));
        let mut seats: Vec<Seat> = def.seats().collect();
        seats.sort_unstable_by_key(|&seat| seat_number(seat));
        for &seat in &seats {
            let stack = dollars(def.stacks[seat.index()].into());
            let name = self.name(record, seat);
            line(format_args!("Seat {}: {name} ({stack} in chips)", seat_number(seat)));
        }
        let mut blinds: Vec<(Chips, Seat)> =
            def.seats().map(|seat| (def.blinds[seat.index()], seat)).collect();
        blinds.retain(|&(chips, _)| chips > 0);
        blinds.sort_unstable_by_key(|&(chips, _)| chips);
        for (order, &(chips, seat)) in blinds.iter().enumerate() {
            let which = if order + 1 == blinds.len() { "big" } else { "small" };
            let name = self.name(record, seat);
            line(format_args!("{name}: posts {which} blind {}", dollars(chips.into())));
        }
        line(format_args!("*** HOLE CARDS ***"));
        for seat in seats.iter().copied().filter(|&seat| record.entrants[seat] == 0) {
            if !record.hole[seat].is_empty() {
                let cards = spaced(&record.hole[seat]);
                line(format_args!("Dealt to {} [{cards}]", self.name(record, seat)));
            }
        }
        let mut folded: Vec<(Seat, Street)> = Vec::new();
        let mut now = Street::Preflop;
        for step in steps(record) {
            match step {
                Step::Street { street, board, before } => {
                    now = street;
                    line(format_args!("{}", street_line(street, &board, before)));
                }
                Step::Act { seat, did, added, all_in } => {
                    if did == ActionTaken::Fold {
                        folded.push((seat, now));
                    }
                    let end = if all_in { " and is all-in" } else { "" };
                    let name = self.name(record, seat);
                    line(format_args!("{name}: {}{end}", words(did, added)));
                }
            }
        }
        let back = uncalled(&record.public);
        if let Some((seat, chips)) = back {
            let (amount, name) = (dollars(chips.into()), self.name(record, seat));
            line(format_args!("Uncalled bet ({amount}) returned to {name}"));
        }
        let board = record.public.board();
        let showdown = record.public.is_showdown();
        let shown = |seat: Seat| showdown && record.public.remaining().contains(seat);
        if showdown {
            line(format_args!("*** SHOW DOWN ***"));
            for &seat in seats.iter().filter(|&&seat| shown(seat)) {
                let (name, hole) = (self.name(record, seat), &record.hole[seat]);
                match hole.is_empty() {
                    true => line(format_args!("{name}: mucks hand")),
                    false => {
                        let (cards, hand) = (spaced(hole), made(hole, &board));
                        line(format_args!("{name}: shows [{cards}] ({hand})"));
                    }
                }
            }
        }
        let won = collected(record, back, &seats);
        for &(seat, chips) in won.iter().filter(|&&(_, chips)| chips > 0) {
            let name = self.name(record, seat);
            line(format_args!("{name} collected {} from pot", dollars(chips)));
        }
        line(format_args!("*** SUMMARY ***"));
        let pot: u64 = won.iter().map(|&(_, chips)| chips).sum();
        line(format_args!("Total pot {} | Rake $0", dollars(pot)));
        if !board.is_empty() {
            line(format_args!("Board [{}]", spaced(&board)));
        }
        for &(seat, chips) in &won {
            let role = match blinds.iter().position(|&(_, blind)| blind == seat) {
                _ if seat_number(seat) == button && players == 2 => " (button) (small blind)",
                _ if seat_number(seat) == button => " (button)",
                Some(last) if last + 1 == blinds.len() => " (big blind)",
                Some(_) => " (small blind)",
                None => "",
            };
            let amount = dollars(chips);
            let hole = &record.hole[seat];
            let fate = match folded.iter().find(|&&(who, _)| who == seat) {
                Some((_, Street::Preflop)) => "folded before Flop".to_owned(),
                Some((_, street)) => format!("folded on the {}", street_name(*street)),
                None if shown(seat) && !hole.is_empty() => {
                    let (cards, hand) = (spaced(hole), made(hole, &board));
                    match chips {
                        0 => format!("showed [{cards}] and lost with {hand}"),
                        _ => format!("showed [{cards}] and won ({amount}) with {hand}"),
                    }
                }
                None if chips == 0 => "mucked".to_owned(),
                None => format!("collected ({amount})"),
            };
            line(format_args!(
                "Seat {}: {}{role} {fate}",
                seat_number(seat),
                self.name(record, seat)
            ));
        }
        out.push_str("\n\n");
    }
}

/// Each seat's winnings from the pot, in whole chips; the indivisible rest goes to the first
/// winner.
fn collected(record: &HandRecord, back: Option<(Seat, Chips)>, seats: &[Seat]) -> Vec<(Seat, u64)> {
    let committed = record.public.committed();
    let exact = |seat: Seat| {
        let returned = back.filter(|&(who, _)| who == seat).map_or(0, |(_, chips)| chips);
        let own = i64::from(committed[seat]) - i64::from(returned);
        record.payoffs[seat] + Payoff::from_chips(own)
    };
    let whole = |seat: Seat| u64::try_from(exact(seat).parts() / Payoff::PER_CHIP).unwrap_or(0);
    let mut won: Vec<(Seat, u64)> = seats.iter().map(|&seat| (seat, whole(seat))).collect();
    let returned = back.map_or(0, |(_, chips)| u64::from(chips));
    let pot = record.public.pot() - returned;
    let taken: u64 = won.iter().map(|&(_, chips)| chips).sum();
    if let Some((_, chips)) = won.iter_mut().find(|(_, chips)| *chips > 0) {
        *chips += pot.saturating_sub(taken);
    }
    won
}

fn words(did: ActionTaken, added: Chips) -> String {
    let added = dollars(added.into());
    match did {
        ActionTaken::Fold => "folds".to_owned(),
        ActionTaken::Check => "checks".to_owned(),
        ActionTaken::Call => format!("calls {added}"),
        ActionTaken::Bet => format!("bets {added}"),
        ActionTaken::Raise { by, to } => {
            format!("raises {} to {}", dollars(by.into()), dollars(to.into()))
        }
    }
}

fn street_name(street: Street) -> &'static str {
    match street {
        Street::Preflop => "Preflop",
        Street::Flop => "Flop",
        Street::Turn => "Turn",
        Street::River => "River",
    }
}

fn street_line(street: Street, board: &Board, before: usize) -> String {
    let name = street_name(street).to_uppercase();
    let new = spaced(&board[before..]);
    match before {
        0 => format!("*** {name} *** [{new}]"),
        _ => format!("*** {name} *** [{}] [{new}]", spaced(&board[..before])),
    }
}

fn spaced(cards: &[cards::Card]) -> String {
    cards.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The category of a hand with the board, in a word.
fn made(hole: &HoleCards, board: &Board) -> &'static str {
    match evaluate(hole.set() | board.set()).category() {
        Category::HighCard => "high card",
        Category::Pair => "a pair",
        Category::TwoPair => "two pair",
        Category::ThreeOfAKind => "three of a kind",
        Category::Straight => "a straight",
        Category::Flush => "a flush",
        Category::FullHouse => "a full house",
        Category::FourOfAKind => "four of a kind",
        Category::StraightFlush => "a straight flush",
    }
}

/// A name in a form that parsers of the format can separate from the rest of a line.
fn name(name: &str) -> String {
    let name = name.replace(':', "_");
    if name.ends_with(')') { name + "_" } else { name }
}

/// An amount in dollars with two decimals.
fn cents(chips: u64) -> String {
    format!("{}.{:02}", chips / 100, chips % 100)
}

/// An amount in dollars: `$3`, `$0.50`.
fn dollars(chips: u64) -> String {
    match chips % 100 {
        0 => format!("${}", chips / 100),
        _ => format!("${}", cents(chips)),
    }
}

/// A time in seconds since the beginning of 1970, Eastern standard time.
#[derive(Debug, Clone, Copy)]
struct Time(i64);

impl Time {
    /// Seconds by which Eastern standard time is behind UTC.
    const EASTERN_OFFSET: i64 = 5 * 3600;
    const DAY: i64 = 86_400;

    /// Parses RFC 3339 text in UTC; the beginning of 2000 for anything else.
    fn read(text: &str) -> Time {
        let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i64>().ok();
        let utc = (|| {
            let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
            let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
            Some(Time::days(year, month, day) * Time::DAY + hour * 3600 + minute * 60 + second)
        })();
        Time(utc.unwrap_or(Time::days(2000, 1, 1) * Time::DAY) - Time::EASTERN_OFFSET)
    }

    fn later(self, seconds: u64) -> Time {
        Time(self.0.saturating_add_unsigned(seconds))
    }

    /// Days since 1970 of a Gregorian date. Years begin in March here, so that a leap day is the
    /// last of its year.
    fn days(year: i64, month: i64, day: i64) -> i64 {
        let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        365 * year + leaps + (153 * month + 2) / 5 + day - 1 - 719_468
    }
}

impl std::fmt::Display for Time {
    /// `2026/01/02 3:04:05`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (days, rest) = (self.0.div_euclid(Time::DAY), self.0.rem_euclid(Time::DAY));
        // A year has at least 365 days.
        let mut year = 1970 + days.div_euclid(365) + 1;
        while Time::days(year, 1, 1) > days {
            year -= 1;
        }
        let month = (1..=12).rev().find(|&month| Time::days(year, month, 1) <= days).unwrap_or(1);
        let day = days - Time::days(year, month, 1) + 1;
        let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
        write!(f, "{year}/{month:02}/{day:02} {hour}:{minute:02}:{second:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::{Time, dollars};

    #[test]
    fn times_are_those_of_the_calendar() {
        for (utc, eastern) in [
            ("2026-01-02T03:04:05Z", "2026/01/01 22:04:05"),
            ("2024-03-01T04:00:00Z", "2024/02/29 23:00:00"),
            ("2023-12-31T23:59:59Z", "2023/12/31 18:59:59"),
            ("1970-01-01T05:00:00Z", "1970/01/01 0:00:00"),
            ("2000-02-29T12:00:00Z", "2000/02/29 7:00:00"),
            ("", "1999/12/31 19:00:00"),
            ("no time at all, é", "1999/12/31 19:00:00"),
        ] {
            assert_eq!(Time::read(utc).to_string(), eastern, "{utc}");
        }
        assert_eq!(
            Time::read("2026-12-31T23:59:00Z").later(5 * 3600 + 60).to_string(),
            "2027/01/01 0:00:00"
        );
    }

    #[test]
    fn amounts_have_cents_where_there_are_any() {
        assert_eq!([0, 5, 50, 100, 12_345].map(dollars), ["$0", "$0.05", "$0.50", "$1", "$123.45"]);
    }
}
