//! PokerStars' text.
//!
//! **The writer** is for trackers and replayers. 100 chips are $1.00, so that a big blind of 100
//! chips is a dollar. Entrant `k` always sits at seat `k + 1`, and the button moves. The first
//! entrant is the hero, whose cards are shown; those of others only where they were shown. `raises
//! X to Y` has the amount above the previous bet and the total on the street. Hand numbers are
//! unique for a match: 31 bits of a hash of it, then 32 bits of the hand. Times are the beginning
//! of the match plus a second a hand, in Eastern standard time.
//!
//! Not preserved: others' cards that were not shown; fractions of a cent, which go to the first
//! winner; deals, decisions and seeds. Hold'em with the usual blinds only, for two to ten players.
//!
//! **The reader** takes what the site writes, and what `export` writes. Hold'em, no-limit and
//! limit, without antes, straddles and dead blinds. Amounts of money are in hundredths of the
//! currency's unit, so that 100 chips are $1; play money and tournament chips are chips. Every line
//! is understood or an error, but for those that are known to say nothing about the hand: chat,
//! connections, who comes and goes. Every amount is checked by the rules. The cards of players who
//! mucked are taken from the summary, where it has them.

use std::fmt::Write;
use std::sync::Arc;

use cards::{Board, Card, Category, HoleCards, evaluate};
use game::{Betting, Chips, GameDef, Payoff, Seat, Street, Turn};
use sha2::{Digest, Sha256};

use crate::formats::sites::{
    ActionTaken, RAKE, Refusal, SeatedPlayer, Start, Step, TableHand, chips, code, steps,
    two_cards, uncalled,
};
use crate::formats::{CannotExpress, ReadError, SiteHand, SiteHands, phh};
use crate::record::taken_in_whole_chips;
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
                if hole.is_empty() {
                    line(format_args!("{name}: mucks hand"));
                } else {
                    let (cards, hand) = (spaced(hole), made(hole, &board));
                    line(format_args!("{name}: shows [{cards}] ({hand})"));
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

/// Each seat's winnings from the pot, in whole chips, without the bet that comes back.
fn collected(record: &HandRecord, back: Option<(Seat, Chips)>, seats: &[Seat]) -> Vec<(Seat, u64)> {
    let taken = taken_in_whole_chips(record, seats);
    let returned = |seat| back.filter(|&(who, _)| who == seat).map_or(0, |(_, chips)| chips.into());
    seats.iter().map(|&seat| (seat, taken[seat].saturating_sub(returned(seat)))).collect()
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

/// Whether a file that begins with this line is of this format.
pub(super) fn is_start(line: &str) -> bool {
    let rest = line.strip_prefix("PokerStars ").unwrap_or_default();
    rest.split_once('#').is_some_and(|(kind, number)| {
        (kind.ends_with("Hand ") || kind.ends_with("Game "))
            && number.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Parses a file's text: the hands with the names by seat, or an error for each that cannot be
/// read.
///
/// Hands of the same game share its definition.
pub(super) fn read(text: &str) -> SiteHands {
    let mut found = SiteHands::default();
    let mut lines: Vec<(u64, &str)> = Vec::new();
    let mut shared = None;
    let mut close = |lines: &mut Vec<(u64, &str)>, last: bool| {
        if !lines.is_empty() {
            let ends = lines.iter().any(|(_, line)| line.starts_with("Total pot "));
            let index = found.hands.len() as u64;
            let hand = hand(lines, index, &mut found, &mut shared);
            found.hands.push(hand.map_err(|(line, refusal)| ReadError {
                cut: last && !ends,
                ..refusal.error(FORMAT, line)
            }));
        }
        lines.clear();
    };
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        // Files that were joined have marks in between.
        let line = line.trim_start_matches('\u{feff}').trim_end();
        if is_start(line) {
            close(&mut lines, false);
        }
        if !line.is_empty() {
            lines.push((number, line));
        }
    }
    close(&mut lines, true);
    found
}

/// The reason why a hand cannot be read, and its line.
type Problem = (u64, Refusal);

/// The hand of these lines, with this number in the file.
fn hand(
    lines: &[(u64, &str)],
    index: u64,
    found: &mut SiteHands,
    shared: &mut Option<Arc<GameDef>>,
) -> Result<SiteHand, Problem> {
    let mut reading = Reading::default();
    let mut last = 0;
    for &(number, line) in lines {
        last = number;
        reading.line(line, shared).map_err(|reason| {
            let line: String = line.chars().take(100).collect();
            (number, reason.at_place(&format!("`{line}`")))
        })?;
    }
    let Reading { number, currency, hand, ends, .. } = reading;
    found.number(&number.to_string(), lines[0].0);
    if !currency.is_empty() {
        found.money.insert(format!("{currency}1"));
    }
    let hand = hand.filter(|_| ends).ok_or((last, "the hand does not end".into()))?;
    hand.finish(index).map_err(|refusal| (lines[0].0, refusal))
}

/// A hand of which some lines have been read.
#[derive(Default)]
struct Reading {
    number: u64,
    /// The sign before amounts; empty for chips.
    currency: String,
    /// Everybody at the table.
    seated: Vec<Seated>,
    /// What is known before the cards.
    start: Option<Start>,
    hand: Option<TableHand>,
    /// The chips that were taken from pots.
    collected: u64,
    /// Whether the summary has begun, and whether it has said what the pot was.
    in_summary: bool,
    ends: bool,
}

/// Somebody at the table.
struct Seated {
    /// The seat's number.
    seat: u64,
    name: String,
    /// The number of the player; `None` for one who is not dealt in.
    player: Option<usize>,
}

impl Reading {
    fn line(&mut self, line: &str, shared: &mut Option<Arc<GameDef>>) -> Result<(), Refusal> {
        if self.start.is_none() && self.hand.is_none() {
            return self.title(line);
        }
        if self.in_summary {
            return self.summary(line);
        }
        if let Some(part) = line.strip_prefix("*** ") {
            return self.part(part, shared);
        }
        if let (Some(start), Some(table)) = (&mut self.start, line.strip_prefix("Table '")) {
            start.button = button(table).ok_or("the seat of the button is missing")?;
            return Ok(());
        }
        if let (Some(_), Some(seat)) = (&self.start, line.strip_prefix("Seat ")) {
            return self.seat(seat);
        }
        if let Some(rest) = line.strip_prefix("Dealt to ") {
            let (name, cards) = rest.rsplit_once(" [").ok_or("there are no cards")?;
            return self.show(&self.named(name)?, cards);
        }
        if let Some(rest) = line.strip_prefix("Uncalled bet (") {
            let (amount, name) = rest.split_once(") returned to ").ok_or("nobody is named")?;
            let (chips, players) = (self.amount(amount)?, self.named(name)?);
            return Ok(self.hand()?.give_back(players[0], chips)?);
        }
        self.player_line(line)
    }

    /// `PokerStars Hand #1: Hold'em No Limit ($0.50/$1.00 USD) - 2026/01/02 3:04:05 ET`.
    fn title(&mut self, line: &str) -> Result<(), Refusal> {
        let begins = || Refusal::from("this does not begin a hand of PokerStars");
        let (_, rest) = line.split_once('#').filter(|_| is_start(line)).ok_or_else(begins)?;
        let (number, rest) = rest.split_once(':').ok_or_else(begins)?;
        self.number = number.parse().map_err(|_| format!("`{number}` is not a hand's number"))?;
        let only = || {
            let reason = "the game is not supported: only limit and no-limit hold'em are";
            Refusal::unsupported("of other games", reason)
        };
        let (before, rest) = rest.trim().split_once("Hold'em ").ok_or_else(only)?;
        // In a tournament the buy-in, in a home game the club.
        let last = before.split_whitespace().next_back().unwrap_or_default();
        let club = before.starts_with('{') && before.trim_end().ends_with('}');
        let buy_in = before.starts_with("Tournament #")
            && (last.ends_with(|c: char| c.is_ascii_digit()) || last == "Freeroll" || code(last));
        let (limit, rest) = rest.split_once('(').ok_or_else(begins)?;
        let betting = match limit.split(" - ").next().unwrap_or_default().trim() {
            _ if !before.is_empty() && !club && !buy_in => return Err(only()),
            "No Limit" => Betting::NoLimit,
            "Limit" => Betting::Limit,
            _ => return Err(only()),
        };
        let (sizes, _) = rest.split_once(')').ok_or_else(begins)?;
        let (sizes, more) = sizes.split_once(' ').unwrap_or((sizes, ""));
        let (small, big) = sizes.split_once('/').ok_or_else(begins)?;
        if !more.is_empty() && !code(more) {
            // Such as a cap on what may be bet in a hand.
            let reason = format!("`{more}` is not supported");
            return Err(Refusal::unsupported("of other games", reason));
        }
        let sign = small.find(|c: char| c.is_ascii_digit()).unwrap_or_default();
        small[..sign].clone_into(&mut self.currency);
        let sizes = [self.amount(small)?, self.amount(big)?];
        self.start =
            Some(Start { betting, sizes, button: 0, players: Vec::new(), posts: [None; 2] });
        Ok(())
    }

    /// `1: name ($200 in chips)`, and what may follow.
    fn seat(&mut self, text: &str) -> Result<(), Refusal> {
        let no_stack = "the stack is missing";
        let (seat, rest) = text.split_once(": ").ok_or("the seat's number is missing")?;
        let seat: u64 = seat.parse().map_err(|_| format!("`{seat}` is not a seat's number"))?;
        let (before, after) = rest.rsplit_once(" in chips").ok_or(no_stack)?;
        let (name, stack) = before.rsplit_once(" (").ok_or(no_stack)?;
        let stack = self.amount(stack)?;
        let (bounty, state) = after.split_once(')').ok_or(no_stack)?;
        let known = match state.trim() {
            "" => Some(true),
            state if state == "is sitting out" || state.starts_with("out of hand") => Some(false),
            _ => None,
        };
        let dealt_in = known
            .filter(|_| bounty.is_empty() || bounty.ends_with(" bounty"))
            .ok_or_else(|| format!("`{}` is not understood", after.trim()))?;
        let start = self.start.as_mut().ok_or("the cards are dealt already")?;
        let player = dealt_in.then_some(start.players.len());
        if dealt_in {
            start.players.push(SeatedPlayer { seat, name: name.to_owned(), stack });
        }
        self.seated.push(Seated { seat, name: name.to_owned(), player });
        Ok(())
    }

    /// `FLOP *** [2c 7d 9s]` and the like.
    fn part(&mut self, part: &str, shared: &mut Option<Arc<GameDef>>) -> Result<(), Refusal> {
        let (name, cards) = part.split_once(" ***").ok_or("this is not understood")?;
        match name {
            "HOLE CARDS" => {
                let start = self.start.take().ok_or("the cards are dealt already")?;
                self.hand = Some(start.begin(shared)?);
                Ok(())
            }
            "SHOW DOWN" => Ok(()),
            "SUMMARY" => {
                self.in_summary = true;
                Ok(())
            }
            "FLOP" | "TURN" | "RIVER" => {
                let (before, new) = cards.rsplit_once('[').ok_or("there are no cards")?;
                let (before, new) = (all_cards(before)?, all_cards(new)?);
                let hand = self.hand()?;
                match hand.public().turn() {
                    Turn::Deal(street) if !street.name().eq_ignore_ascii_case(name) => {
                        Err(format!("the cards of the {} are due here", street.name()).into())
                    }
                    _ if !before.is_empty() && before != hand.public().board().as_slice() => {
                        Err(format!("the board was {} before", hand.public().board()).into())
                    }
                    _ => Ok(hand.deal(&new)?),
                }
            }
            // Such as a second board.
            _ => Err(Refusal::unsupported("dealt in unusual ways", "this is not supported")),
        }
    }

    /// What somebody did.
    fn player_line(&mut self, line: &str) -> Result<(), Refusal> {
        let Some((name, rest)) = self.speaker(line) else {
            return if says_nothing(line) { Ok(()) } else { Err(NOT_UNDERSTOOD.into()) };
        };
        if let Some(did) = rest.strip_prefix(": ") {
            return self.did(&name, did);
        }
        if let Some(rest) = rest.strip_prefix(" collected ") {
            let (amount, pot) = rest.split_once(" from ").ok_or(NOT_UNDERSTOOD)?;
            if !["pot", "main pot", "side pot"].contains(&pot) && !pot.starts_with("side pot-") {
                return Err(NOT_UNDERSTOOD.into());
            }
            let (chips, players) = (self.amount(amount)?, self.named(&name)?);
            self.collected += u64::from(chips);
            self.hand()?.win(players[0], Payoff::from_chips(chips.into()));
            return Ok(());
        }
        if says_nothing(line) { Ok(()) } else { Err(NOT_UNDERSTOOD.into()) }
    }

    /// An action of a player: `raises $1 to $3 and is all-in`.
    fn did(&mut self, name: &str, did: &str) -> Result<(), Refusal> {
        let (did, all_in) = match did.strip_suffix(" and is all-in") {
            Some(did) => (did, true),
            None => (did, false),
        };
        let (verb, rest) = did.split_once(' ').unwrap_or((did, ""));
        let (did, added) = match (verb, rest) {
            ("folds", "") => (ActionTaken::Fold, None),
            // With one card or both shown.
            ("folds", cards) => {
                self.act(name, ActionTaken::Fold, None, all_in)?;
                return self.show(&self.named(name)?, cards);
            }
            ("checks", "") => (ActionTaken::Check, None),
            ("calls", chips) => (ActionTaken::Call, Some(self.amount(chips)?)),
            ("bets", chips) => (ActionTaken::Bet, Some(self.amount(chips)?)),
            ("raises", amounts) => {
                let (by, to) = amounts.split_once(" to ").ok_or(NOT_UNDERSTOOD)?;
                (ActionTaken::Raise { by: self.amount(by)?, to: self.amount(to)? }, None)
            }
            ("posts", blind) => return self.post(name, blind),
            ("shows", cards) => return self.show(&self.named(name)?, cards),
            ("sits", "out") => {
                return self.sits_out(name);
            }
            ("mucks", "hand") | ("doesn't", "show hand") => return Ok(()),
            _ => return Err(NOT_UNDERSTOOD.into()),
        };
        self.act(name, did, added, all_in)
    }

    /// Takes a player out who leaves before the cards are dealt.
    fn sits_out(&mut self, name: &str) -> Result<(), Refusal> {
        let Some(start) = &mut self.start else { return Ok(()) };
        let out = self.seated.iter_mut().find(|one| one.name == name);
        let Some(out) = out.and_then(|one| one.player.take()) else { return Ok(()) };
        if start.posts.iter().flatten().any(|&(player, _)| player == out) {
            return Err("this player has posted a blind".into());
        }
        start.players.remove(out);
        let players = self.seated.iter_mut().filter_map(|one| one.player.as_mut());
        let posted = start.posts.iter_mut().flatten().map(|(player, _)| player);
        players.chain(posted).filter(|player| **player > out).for_each(|player| *player -= 1);
        Ok(())
    }

    fn act(
        &mut self,
        name: &str,
        did: ActionTaken,
        added: Option<Chips>,
        all_in: bool,
    ) -> Result<(), Refusal> {
        let players = self.named(name)?;
        let hand = self.hand()?;
        let player = hand.to_act(&players).ok_or(NOT_UNDERSTOOD)?;
        Ok(hand.act(player, did, added, all_in)?)
    }

    fn post(&mut self, name: &str, blind: &str) -> Result<(), Refusal> {
        let (big, amount) = match blind.strip_prefix("small blind ") {
            Some(amount) => (false, amount),
            None => match blind.strip_prefix("big blind ") {
                Some(amount) => (true, amount),
                None => {
                    let reason = "only a small and a big blind are supported";
                    return Err(Refusal::unsupported(
                        "with antes, straddles or dead blinds",
                        reason,
                    ));
                }
            },
        };
        let (chips, players) = (self.amount(amount)?, self.named(name)?);
        let start = self.start.as_mut().ok_or("the cards are dealt already")?;
        start.post(big, players[0], chips)
    }

    /// Notes a player's cards, `Ah Kd]` and what follows; one alone is not kept.
    fn show(&mut self, players: &[usize], text: &str) -> Result<(), Refusal> {
        let text = text.trim_start_matches('[');
        let (cards, _) = text.split_once(']').ok_or("the cards do not end")?;
        let cards: Vec<&str> = cards.split_whitespace().collect();
        if let [one] = cards[..] {
            return Ok(one.parse::<Card>().map(drop).map_err(|error| error.to_string())?);
        }
        let cards = two_cards(cards.into_iter())?;
        Ok(self.hand()?.show(players[0], cards)?)
    }

    /// A line after the hand.
    fn summary(&mut self, line: &str) -> Result<(), Refusal> {
        if let Some(rest) = line.strip_prefix("Total pot ") {
            let mut parts = rest.split('|').map(str::trim);
            let pots = parts.next().unwrap_or_default();
            let pot = self.amount(pots.split(' ').next().unwrap_or_default())?;
            for part in parts {
                let (what, amount) = part.rsplit_once(' ').ok_or(NOT_UNDERSTOOD)?;
                if self.amount(amount)? > 0 {
                    let what = what.to_lowercase();
                    let reason = format!("a {what} is not supported: not all that is lost is won");
                    return Err(Refusal::unsupported(RAKE, reason));
                }
            }
            if u64::from(pot) != self.collected {
                return Err(format!("{} chips of it were collected", self.collected).into());
            }
            self.ends = true;
            return Ok(());
        }
        if let Some(board) = line.strip_prefix("Board [") {
            let (board, known) = (all_cards(board)?, self.hand()?.public().board());
            return if board == known.as_slice() {
                Ok(())
            } else {
                Err(format!("the board was {known} before").into())
            };
        }
        let seat = line.strip_prefix("Seat ").and_then(|rest| rest.split_once(": "));
        let (seat, rest) = seat.ok_or(NOT_UNDERSTOOD)?;
        let known = self.seated.iter().find(|one| one.seat.to_string() == seat);
        let (name, player) = known.map(|one| (&one.name, one.player)).ok_or(NOT_UNDERSTOOD)?;
        let fate = rest.strip_prefix(name.as_str()).ok_or(NOT_UNDERSTOOD)?;
        let cards = ["mucked [", "showed ["].iter().find_map(|word| fate.split_once(word));
        match (player, cards) {
            (Some(player), Some((_, cards))) => self.show(&[player], cards),
            _ => Ok(()),
        }
    }

    /// Who a line begins with, and the rest of it.
    fn speaker<'a>(&self, line: &'a str) -> Option<(String, &'a str)> {
        let names = self.seated.iter().filter_map(|one| {
            let rest = line.strip_prefix(one.name.as_str())?;
            (rest.starts_with(": ") || rest.starts_with(' ')).then(|| (one.name.clone(), rest))
        });
        names.max_by_key(|(name, _)| name.len())
    }

    /// The players of this name: at least one.
    fn named(&self, name: &str) -> Result<Vec<usize>, String> {
        let same = self.seated.iter().filter(|one| one.name == name);
        let players: Vec<usize> = same.filter_map(|one| one.player).collect();
        if players.is_empty() { Err(format!("{name} is not dealt in")) } else { Ok(players) }
    }

    fn hand(&mut self) -> Result<&mut TableHand, String> {
        self.hand.as_mut().ok_or_else(|| "no cards have been dealt".to_owned())
    }

    /// The chips of an amount such as `$0.50`.
    fn amount(&self, text: &str) -> Result<Chips, String> {
        let plain = text.strip_prefix(self.currency.as_str());
        let plain = plain.ok_or_else(|| format!("`{text}` is not in {}", self.currency))?;
        chips(plain, if self.currency.is_empty() { 1 } else { 100 })
    }
}

const NOT_UNDERSTOOD: &str = "this is not understood";

/// The number of the button's seat: `X' 6-max Seat #1 is the button`.
fn button(table: &str) -> Option<u64> {
    let (_, seat) = table.rsplit_once(" Seat #")?;
    seat.strip_suffix(" is the button")?.parse().ok()
}

/// The cards of a text, with or without brackets around groups.
fn all_cards(text: &str) -> Result<Vec<Card>, String> {
    let words = text.split(|c: char| c.is_whitespace() || c == '[' || c == ']');
    let words = words.filter(|word| !word.is_empty());
    words.map(|word| word.parse().map_err(|error| format!("{error}"))).collect()
}

/// Whether a line is of those that say nothing about the hand.
fn says_nothing(line: &str) -> bool {
    const WITHIN: [&str; 4] =
        [" said, \"", " joins the table at seat #", " has timed out", " finished the tournament"];
    const AT_THE_END: [&str; 9] = [
        " leaves the table",
        " is disconnected",
        " is connected",
        " has returned",
        " is sitting out",
        ": sits out",
        " will be allowed to play after the button",
        " was removed from the table for failing to post",
        " wins the tournament",
    ];
    line == "Betting is capped"
        || WITHIN.iter().any(|words| line.contains(words))
        || AT_THE_END.iter().any(|words| line.ends_with(words))
        || line.contains(" wins the tournament and receives ")
        || (line.contains(" wins ") && line.contains(" bounty for eliminating "))
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
