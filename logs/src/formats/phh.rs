//! Poker hand history (PHH 0.0.2, <https://phh.readthedocs.io>): files of many hands, `.phhs`.
//!
//! A file is TOML with one table for each hand, `[1]`, `[2]` …; readers load it whole, so it should
//! hold at most [`HANDS_PER_FILE`]. Variants `NT` (no-limit) and `FT` (fixed-limit Texas hold'em).
//! Players are the seats in order: `p1` is dealt first and heads-up is the big blind. Heads-up,
//! `blinds_or_straddles` is written small blind first although `p2` posts it. `cbr` gives a bet's
//! total on its street; hands that end in an all-in are shown before the board is run out.
//!
//! Fields of this program: `_deal`, `_entrants` (the entrant in each seat), `_max_raises` (limit
//! games).
//!
//! The reader takes files of this program and others. Amounts are scaled to whole chips: by 100
//! where there are cents, by more where there are more decimals ([`Reader::decimals`]). A hand that
//! is shown as `????`, or without cards, is mucked and wins nothing. Hands that the format allows
//! and records do not (antes, rake, other variants) are errors with [`ReadError::unsupported`].
//! Fields that do not change the hand are passed over.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use cards::{Board, HoleCards};
use game::{
    Action, Betting, BySeat, Chips, GameDef, GameSpec, MAX_PLAYERS, Payoff, PublicState, Quirks,
    Seat, SeatSet, Turn,
};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::formats::sites::uncalled;
use crate::formats::{CannotExpress, ReadError, parse_payoff, toml_fault};
use crate::record::{finished_in_whole_chips, result_is_known};
use crate::{HandRecord, MatchInfo, distinct_names};

const FORMAT: &str = "PHH";

/// Maximum number of hands to write into one file.
pub const HANDS_PER_FILE: u64 = 10_000;

/// Checks that the format can express the game.
pub fn check(def: &GameDef) -> Result<(), CannotExpress> {
    let fail = |reason: &str| CannotExpress { format: FORMAT, reason: reason.to_owned() };
    let holdem = (def.streets, def.hole_cards, def.suits, def.ranks) == (4, 2, 4, 13);
    if !holdem || def.board_cards[..] != [0, 3, 1, 1] {
        return Err(fail("it is not hold'em with a full deck"));
    }
    let usual = usual_spec(def.spec());
    if def.first_to_act != usual.first_to_act || def.blinds != usual.blinds {
        return Err(fail("its blinds or its order of play are not the usual ones"));
    }
    match (def.betting, &def.raise_sizes[..]) {
        (Betting::NoLimit, _) if def.max_raises.iter().any(|&cap| cap < 255) => {
            Err(fail("it caps the raises of a no-limit game"))
        }
        (Betting::NoLimit, _) => Ok(()),
        (Betting::Limit, _) if def.max_raises.iter().any(|&cap| cap > 4) => {
            Err(fail("it allows more than four raises on a street"))
        }
        (Betting::Limit, [a, b, c, d]) if a == b && c == d => Ok(()),
        (Betting::Limit, _) => Err(fail("its streets do not have one small and one big bet")),
    }
}

/// The game with the same stacks and blind sizes, the blinds in their usual seats and the usual
/// order of play.
pub(super) fn usual_spec(spec: &GameSpec) -> GameSpec {
    let players = spec.players;
    let mut sizes = spec.blinds.clone();
    sizes.sort_unstable();
    let big = sizes.pop().unwrap_or_default();
    let small = sizes.pop().unwrap_or_default();
    let mut blinds = vec![0; players];
    let heads_up = players == 2;
    blinds[usize::from(heads_up)] = small;
    blinds[usize::from(!heads_up)] = big;
    let first = if heads_up { 1 } else { 2 % players };
    GameSpec { blinds, first_to_act: vec![first, 0, 0, 0], ..spec.clone() }
}

/// Appends a hand as the table with this number, counted from 1 in each file.
///
/// # Errors
/// [`CannotExpress`] as [`check`].
pub fn write_hand(
    record: &HandRecord,
    info: &MatchInfo,
    table: u64,
    out: &mut String,
) -> Result<(), CannotExpress> {
    let def = record.public.def();
    check(def)?;
    let mut blinds = def.blinds.clone();
    if def.players == 2 {
        blinds.reverse();
    }
    let all = info.names();
    let names = record.entrants.as_slice().iter().map(|&entrant| {
        let name = all.get(usize::from(entrant)).map_or("?", String::as_str);
        toml::Value::from(name).to_string()
    });
    let stacks = def.seats().map(|seat| Payoff::from_chips(def.stacks[seat.index()].into()));
    let finishing = stacks.zip(record.payoffs.as_slice()).map(|(stack, &won)| stack + won);
    let sizes = match def.betting {
        Betting::NoLimit => format!("min_bet = {}", def.big_blind()),
        Betting::Limit => {
            let sizes = &def.raise_sizes;
            format!("small_bet = {}\nbig_bet = {}", sizes[0], sizes[2])
        }
    };
    let variant = if def.betting == Betting::Limit { "FT" } else { "NT" };
    let HandRecord { hand, deal, .. } = record;
    let mut lines = format!("[{table}]\nvariant = \"{variant}\"\n");
    let mut field = |name: &str, value: &dyn std::fmt::Display| {
        writeln!(lines, "{name} = {value}").expect("writing to a string cannot fail");
    };
    field("ante_trimming_status", &true);
    field("antes", &list(vec![0; def.players]));
    field("blinds_or_straddles", &list(blinds));
    let (name, rest) = sizes.split_once(" = ").expect("written above");
    field(name, &rest);
    field("starting_stacks", &list(&def.stacks));
    field("actions", &list(actions(record).iter().map(|action| format!("\"{action}\""))));
    field("event", &toml::Value::from(info.name.as_str()));
    field("hand", hand);
    field("players", &list(names));
    field("finishing_stacks", &list(finishing));
    field("_deal", deal);
    field("_entrants", &list(record.entrants.as_slice()));
    if def.betting == Betting::Limit {
        field("_max_raises", &list(&def.max_raises));
    }
    out.push_str(&lines);
    out.push('\n');
    Ok(())
}

fn list<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    format!("[{}]", values.join(", "))
}

/// The hand as PHH actions, obtained by replaying it.
fn actions(record: &HandRecord) -> Vec<String> {
    let mut actions = Vec::with_capacity(16);
    for (seat, hole) in record.hole.iter() {
        let cards = if hole.is_empty() { "????".to_owned() } else { hole.to_string() };
        actions.push(format!("d dh {} {cards}", player(seat)));
    }
    let board = record.public.board();
    let mut state = PublicState::new(record.public.def());
    let mut shown = false;
    let mut history = record.public.history().iter();
    loop {
        match state.turn() {
            Turn::Act(seat) => {
                let Some(played) = history.next() else { break };
                actions.push(match played.action {
                    Action::Fold => format!("{} f", player(seat)),
                    Action::Call => format!("{} cc", player(seat)),
                    Action::RaiseTo(total) => {
                        let before = state.committed()[seat] - state.committed_street(seat);
                        format!("{} cbr {}", player(seat), total - before)
                    }
                });
                state.apply_unchecked(played.action);
            }
            Turn::Deal(street) => {
                if history.len() == 0 && !shown {
                    show(record, &mut actions);
                    shown = true;
                }
                let start = state.board().len();
                let end = record.public.def().board_len(street).min(board.len());
                let cards = Board::new(&board[start..end]).unwrap_or_default();
                actions.push(format!("d db {cards}"));
                if state.deal(&cards).is_err() {
                    break;
                }
            }
            Turn::Over => break,
        }
    }
    if record.public.is_showdown() && !shown {
        show(record, &mut actions);
    }
    actions
}

/// Shows the hands; an unknown one is mucked if it lost.
fn show(record: &HandRecord, actions: &mut Vec<String>) {
    let back = uncalled(&record.public);
    for seat in record.public.remaining().iter() {
        let hole = &record.hole[seat];
        let returned = back.filter(|&(who, _)| who == seat).map_or(0, |(_, chips)| chips);
        let lost = i64::from(record.public.committed()[seat] - returned);
        let cards = match hole.is_empty() {
            true if record.payoffs[seat] == Payoff::from_chips(-lost) => "????".to_owned(),
            true => "-".to_owned(),
            false => hole.to_string(),
        };
        actions.push(format!("{} sm {cards}", player(seat)));
    }
}

fn player(seat: Seat) -> String {
    format!("p{}", seat.index() + 1)
}

/// A hand read from a PHH file.
#[derive(Debug, Clone, PartialEq)]
pub struct PhhHand {
    /// The hand.
    pub record: HandRecord,
    /// Names by seat, from the numbers of their seats where there are no names; empty when the file
    /// does not tell the players apart.
    pub players: Vec<String>,
    /// The names of ignored fields.
    pub other: Vec<String>,
    /// The hand's own name or number in the file, and the line where it begins.
    pub place: (String, u64),
}

/// The fields that are read, and those that follow from them; `hand` and `seats` are besides, where
/// they are kept.
const READ: [&str; 17] = [
    "variant",
    "ante_trimming_status",
    "antes",
    "bring_in",
    "blinds_or_straddles",
    "min_bet",
    "small_bet",
    "big_bet",
    "starting_stacks",
    "actions",
    "players",
    "finishing_stacks",
    "seat_count",
    "winnings",
    "_deal",
    "_entrants",
    "_max_raises",
];

/// The most characters of a value that a message quotes.
const QUOTED: usize = 60;

/// A reader of the hands of a file: numbered tables, or one hand without any.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a str,
    /// The offset of each line.
    lines: Vec<usize>,
    tables: std::vec::IntoIter<(u64, Spanned<DeTable<'a>>)>,
    decimals: usize,
    /// The game of the last hand; hands of the same game share its definition.
    def: Option<Arc<GameDef>>,
}

impl<'a> Reader<'a> {
    /// A reader of a file's text.
    ///
    /// # Errors
    /// When it is not TOML, or neither a hand nor numbered hands.
    pub fn new(text: &'a str) -> Result<Reader<'a>, ReadError> {
        let starts = text.match_indices('\n').map(|(at, _)| at + 1);
        let mut reader = Reader {
            text,
            lines: starts.collect(),
            tables: Vec::new().into_iter(),
            decimals: 0,
            def: None,
        };
        let whole = DeTable::parse(text).map_err(|error| {
            let (line, words) = toml_fault(text, &error);
            ReadError::new(FORMAT, line, format!("this is not TOML: {words}"))
        })?;
        let mut tables = BTreeMap::new();
        if whole.get_ref().contains_key("variant") {
            tables.insert(1, whole);
        } else {
            for (key, value) in whole.into_inner() {
                let line = reader.line(key.span().start);
                let (name, span) = (key.into_inner(), value.span());
                let fail = |reason: &str| ReadError::new(FORMAT, line, format!("`{name}`{reason}"));
                let number = name.parse().map_err(|_| fail(" is not the number of a hand"))?;
                let DeValue::Table(table) = value.into_inner() else {
                    return Err(fail(" is not a hand but one value"));
                };
                if tables.insert(number, Spanned::new(span, table)).is_some() {
                    return Err(fail(" is the number of two hands"));
                }
            }
        }
        let decimals = tables.values().map(|table| decimals(table.get_ref())).max();
        reader.decimals = match decimals.unwrap_or_default() {
            1 | 2 => 2,
            more => more.min(MAX_DECIMALS),
        };
        reader.tables = tables.into_iter().collect::<Vec<_>>().into_iter();
        Ok(reader)
    }

    /// Number of decimals that amounts have in units of the file: a unit is ten to this power
    /// chips.
    pub fn decimals(&self) -> usize {
        self.decimals
    }

    /// The same hands with more decimals, so that several files have the same chips.
    #[must_use]
    pub fn with_decimals(self, decimals: usize) -> Reader<'a> {
        Reader { decimals: decimals.max(self.decimals), ..self }
    }

    /// The number of the line with this offset, from 1.
    fn line(&self, at: usize) -> u64 {
        self.lines.partition_point(|&start| start <= at) as u64 + 1
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<PhhHand, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (number, table) = self.tables.next()?;
        // A table begins with its header, or with the first field of a file without any.
        let line = self.line(table.span().start);
        let fields = Fields { table: table.get_ref(), decimals: self.decimals };
        let (name, hand) = match fields.hand(number) {
            Ok(named) => named,
            Err(fault) => {
                return Some(Err(self.error(&fault, line, &number.to_string())));
            }
        };
        let read = fields.game().and_then(|def| {
            let def = match &self.def {
                Some(known) if **known == def => Arc::clone(known),
                _ => Arc::clone(self.def.insert(Arc::new(def))),
            };
            fields.read(&def, hand)
        });
        Some(match read {
            Ok(read) => Ok(PhhHand { place: (name, line), ..read }),
            Err(fault) => Err(self.error(&fault, line, &name)),
        })
    }
}

impl Reader<'_> {
    fn error(&self, fault: &Fault, line: u64, hand: &str) -> ReadError {
        let line = fault.at.as_ref().map_or(line, |at| self.line(at.start));
        let text = fault.at.clone().and_then(|at| self.text.get(at)).unwrap_or_default();
        let reason = match text.len() {
            1..=QUOTED => format!("hand {hand}: {}, not `{text}`", fault.reason),
            _ => format!("hand {hand}: {}", fault.reason),
        };
        let unsupported = fault.unsupported;
        ReadError { unsupported, ..ReadError::new(FORMAT, line, reason) }
    }
}

impl Fields<'_, '_> {
    fn game(&self) -> Result<GameDef, Fault> {
        let missing = |field: &str| Fault::from(format!("`{field}` is missing"));
        let variant = self.table.get("variant").ok_or_else(|| missing("variant"))?;
        let betting = match variant.get_ref().as_str() {
            Some("NT") => Betting::NoLimit,
            Some("FT") => Betting::Limit,
            Some(_) => {
                let fault =
                    fault_at(variant, "`variant` must be NT or FT, no-limit or limit hold'em");
                return Err(Fault { unsupported: Some("of other variants"), ..fault });
            }
            None => return Err(fault_at(variant, "`variant` must be text")),
        };
        let stacks = self.table.get("starting_stacks").ok_or_else(|| missing("starting_stacks"))?;
        let unknown = |value: &Spanned<DeValue<'_>>| {
            number(value.get_ref()).is_some_and(|text| text.ends_with("inf"))
        };
        if items(stacks).any(unknown) {
            return Err(unsupported("with unknown stacks", "a starting stack is unknown (`inf`)"));
        }
        let players = items(stacks).count();
        if players > MAX_PLAYERS {
            let reason = format!("{players} players are more than {MAX_PLAYERS}");
            return Err(unsupported("for more than ten players", reason));
        }
        let required =
            |field: &'static str| self.amounts(field, players)?.ok_or_else(|| missing(field));
        let stacks = required("starting_stacks")?;
        let antes = self.amounts("antes", players)?.unwrap_or_default();
        if antes.iter().any(|&ante| ante > 0) {
            return Err(unsupported("with antes", "antes are not supported"));
        }
        if self.amount("bring_in")?.is_some_and(|chips| chips > 0) {
            return Err(unsupported("with a bring-in", "a bring-in is not supported"));
        }
        let posts = self.table.get("blinds_or_straddles").into_iter().flat_map(items);
        let mut posts = posts.filter_map(|value| number(value.get_ref()));
        if posts.any(|text| text.starts_with('-')) {
            let reason = "a post out of turn (a negative blind) is not supported";
            return Err(unsupported("with posts out of turn", reason));
        }
        let mut blinds = required("blinds_or_straddles")?;
        if players == 2 {
            blinds.reverse();
        }
        let largest = blinds.iter().copied().max().unwrap_or_default();
        // A player with less than his blind is all-in with it.
        for (blind, &stack) in blinds.iter_mut().zip(&stacks) {
            *blind = stack.min(*blind);
        }
        if blinds.iter().max().is_some_and(|&posted| posted < largest) {
            return Err(unsupported(
                "with a stack below the largest blind",
                "the player with the largest blind cannot pay it, so what the others must call is \
                 not what he put in: not supported",
            ));
        }
        let (raise_sizes, cap) = match betting {
            Betting::NoLimit => (Vec::new(), vec![GameSpec::NO_CAP; 4]),
            Betting::Limit => {
                let required =
                    |field: &'static str| self.amount(field)?.ok_or_else(|| missing(field));
                let (small, big) = (required("small_bet")?, required("big_bet")?);
                (vec![small, small, big, big], vec![3, 4, 4, 4])
            }
        };
        // The player after the last of the largest blinds, who heads-up is the button.
        let last = blinds.iter().rposition(|&blind| blind == largest).unwrap_or_default();
        let def = GameDef::new(GameSpec {
            betting,
            players,
            streets: 4,
            stacks,
            blinds,
            raise_sizes,
            first_to_act: vec![(last + 1) % players.max(1), 0, 0, 0],
            max_raises: self.numbers("_max_raises")?.unwrap_or(cap),
            suits: 4,
            ranks: 13,
            hole_cards: 2,
            board_cards: vec![0, 3, 1, 1],
            discards: false,
            quirks: Quirks::default(),
        });
        let def = def.map_err(|error| Fault::from(error.to_string()))?;
        match self.amount("min_bet")? {
            Some(min_bet) if betting == Betting::NoLimit && min_bet != def.big_blind() => {
                Err(unsupported(
                    "with straddles, or another smallest bet than the big blind",
                    format!(
                        "a smallest bet of {min_bet} chips where the largest blind or straddle is \
                         {} is not supported",
                        def.big_blind()
                    ),
                ))
            }
            _ => Ok(def),
        }
    }

    /// Replays the hand with this number.
    fn read(&self, def: &Arc<GameDef>, hand: u64) -> Result<PhhHand, Fault> {
        let actions = self.table.get("actions");
        let actions = actions.ok_or_else(|| Fault::from("`actions` is missing".to_owned()))?;
        let texts = self.texts("actions")?.unwrap_or_default();
        let mut replay = Replay {
            fields: self,
            public: PublicState::new(def),
            hole: BySeat::new(def.players),
            mucked: SeatSet::EMPTY,
        };
        for ((i, text), value) in (1..).zip(&texts).zip(items(actions)) {
            replay.step(text).map_err(|fault| Fault {
                at: Some(value.span().start..value.span().start),
                reason: format!("action {i} `{text}`: {}", fault.reason),
                ..fault
            })?;
        }
        replay.check_if_nothing_else();
        if replay.public.turn() != Turn::Over {
            let reason = "the actions do not end the hand";
            return Err(unsupported("that do not end", reason));
        }
        let given = self.results(&replay.public)?;
        let Replay { public, hole, mucked, .. } = replay;
        let given = after_mucks(&public, &hole, mucked, given)?;
        let entrants: Option<Vec<u8>> = self.numbers("_entrants")?;
        let players = self.players(def, entrants.as_deref())?;
        let entrants = match &entrants {
            None => BySeat::from_fn(def.players, |seat| seat.index() as u8),
            Some(list) => BySeat::from_slice(list)
                .filter(|all| all.len() == def.players)
                .filter(|all| all.as_slice().iter().all(|&e| usize::from(e) < def.players))
                .ok_or_else(|| format!("{list:?} is not a line-up of {} entrants", def.players))?,
        };
        let deal = match self.table.get("_deal") {
            None => hand,
            Some(value) => number(value.get_ref())
                .and_then(|text| text.parse().ok())
                .ok_or_else(|| fault_at(value, "`_deal` must be a whole number"))?,
        };
        let payoffs = BySeat::new(def.players);
        let record = HandRecord { hand, deal, public, hole, payoffs, entrants };
        let record = finished_in_whole_chips(record, given)?;
        let kept = |field: &str| match field {
            "seats" => !self.table.contains_key("players"),
            // A number may be written as text.
            "hand" => self.hand(0).is_ok_and(|(name, number)| name == number.to_string()),
            field => READ.contains(&field),
        };
        let other = self.table.keys().map(|key| key.get_ref().to_string());
        let other = other.filter(|field| !kept(field)).collect();
        Ok(PhhHand { record, players, other, place: (String::new(), 0) })
    }

    /// What everybody won or lost, as far as the file says.
    fn results(&self, public: &PublicState) -> Result<Option<BySeat<Payoff>>, Fault> {
        let def = public.def();
        let all = |values: Vec<Payoff>, before: &dyn Fn(Seat) -> Payoff| {
            BySeat::from_fn(def.players, |seat| values[seat.index()] - before(seat))
        };
        let sum = |all: &BySeat<Payoff>| all.as_slice().iter().copied().sum::<Payoff>();
        let stack = |seat: Seat| Payoff::from_chips(def.stacks[seat.index()].into());
        let stacks = self.payoffs("finishing_stacks", def.players)?;
        let stacks = stacks.map(|values| all(values, &stack));
        // Pots that were collected; an uncalled_by bet is usually not among them.
        let put_in = |seat: Seat| Payoff::from_chips(public.committed()[seat].into());
        let called =
            |seat: Seat| put_in(seat) - Payoff::from_chips(uncalled_by(public, seat).into());
        let collected = self.payoffs("winnings", def.players)?.map(|values| {
            let with = all(values.clone(), &put_in);
            if sum(&with) == Payoff::ZERO { with } else { all(values, &called) }
        });
        let (field, given) = match (stacks, collected) {
            (Some(stacks), Some(collected)) if stacks != collected => {
                return Err(Fault::from(format!(
                    "by `finishing_stacks` the results are {stacks:?}, by `winnings` {collected:?}"
                )));
            }
            (Some(stacks), _) => ("finishing_stacks", Some(stacks)),
            (None, collected) => ("winnings", collected),
        };
        let sum = given.as_ref().map(sum).unwrap_or_default();
        if sum > Payoff::ZERO {
            return Err(format!("by `{field}` the players won {sum} chips together").into());
        }
        if sum < Payoff::ZERO {
            let lost = -sum;
            let reason = format!(
                "by `{field}` the players lost {lost} chips together: rake is not supported"
            );
            return Err(unsupported("with rake", reason));
        }
        Ok(given)
    }

    /// The players' names by seat, all different: their own, or else by the numbers of the entrants
    /// or of their seats; empty without any.
    fn players(&self, def: &GameDef, entrants: Option<&[u8]>) -> Result<Vec<String>, Fault> {
        let names = self.for_each("players", def.players, self.texts("players")?)?;
        let names = names.unwrap_or_else(|| vec![String::new(); def.players]);
        let different = |names: &[String]| {
            !names.iter().any(String::is_empty) && distinct_names(names.to_vec()) == names
        };
        if different(&names) {
            return Ok(names);
        }
        if let Some(entrants) = entrants.filter(|list| list.len() == names.len()) {
            let mut seats: Vec<usize> = (0..names.len()).collect();
            seats.sort_unstable_by_key(|&seat| entrants[seat]);
            let name = |&seat: &usize| match names[seat].as_str() {
                "" => format!("player-{}", entrants[seat] + 1),
                name => name.to_owned(),
            };
            let numbered = distinct_names(seats.iter().map(name));
            let mut names = names;
            seats.into_iter().zip(numbered).for_each(|(seat, name)| names[seat] = name);
            return Ok(names);
        }
        let seats: Option<Vec<u64>> =
            self.for_each("seats", def.players, self.numbers("seats")?)?;
        let seats = seats.unwrap_or_default();
        let named: Vec<String> = seats.iter().map(|seat| format!("seat-{seat}")).collect();
        Ok(if different(&named) { named } else { Vec::new() })
    }
}

/// The fields with amounts that are whole chips once scaled.
const AMOUNTS: [&str; 6] =
    ["antes", "blinds_or_straddles", "min_bet", "small_bet", "big_bet", "starting_stacks"];

/// Maximum number of decimals of an amount.
const MAX_DECIMALS: usize = 8;

/// A fault in a hand.
struct Fault {
    /// Its bytes in the file; `None` for the hand as a whole.
    at: Option<Range<usize>>,
    reason: String,
    unsupported: Option<&'static str>,
}

impl From<String> for Fault {
    fn from(reason: String) -> Fault {
        Fault { at: None, reason, unsupported: None }
    }
}

/// A fault of a sound hand that records cannot hold; `kind` as in [`crate::formats::ReadError`].
fn unsupported(kind: &'static str, reason: impl Into<String>) -> Fault {
    Fault { unsupported: Some(kind), ..Fault::from(reason.into()) }
}

/// A fault of this value.
fn fault_at(value: &Spanned<DeValue<'_>>, reason: &str) -> Fault {
    Fault { at: Some(value.span()), ..Fault::from(reason.to_owned()) }
}

/// The most decimals of a hand's amounts.
fn decimals(table: &DeTable<'_>) -> usize {
    let count = |text: &str| digits(text).map_or(0, |(_, decimals)| decimals.len());
    let values = AMOUNTS.iter().filter_map(|field| table.get(*field)).flat_map(items);
    let amounts = values.filter_map(|value| number(value.get_ref())).map(|text| count(&text));
    let actions = table.get("actions").into_iter().flat_map(items);
    let bets = actions.filter_map(|action| {
        let mut words = action.get_ref().as_str()?.split_whitespace().skip(1);
        (words.next() == Some("cbr")).then(|| words.next().map_or(0, count))
    });
    amounts.chain(bets).max().unwrap_or_default()
}

/// A value, or those of a list.
fn items<'v, 'a>(
    value: &'v Spanned<DeValue<'a>>,
) -> impl Iterator<Item = &'v Spanned<DeValue<'a>>> {
    let list = value.get_ref().as_array();
    let one = list.is_none().then_some(value);
    list.into_iter().flat_map(|list| list.iter()).chain(one)
}

/// A number's text.
fn number(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        _ => None,
    }
}

/// A decimal number, as its digits before and after the point, the latter without zeros at the end.
///
/// Sums of floats, such as 0.1 + 0.2 in Python, have errors in their last digits: they are rounded.
fn digits(text: &str) -> Option<(String, String)> {
    let float: f64 = text.parse().ok()?;
    let rounded = format!("{float:.MAX_DECIMALS$}");
    let noise = rounded.parse::<f64>().is_ok_and(|r| (r - float).abs() <= 1e-12 * float.abs());
    let plain = if noise { rounded } else { float.to_string() };
    let (whole, decimals) = plain.split_once('.').unwrap_or((&plain, ""));
    let whole = whole.strip_prefix('+').unwrap_or(whole);
    let all = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let right = !whole.is_empty() && all(whole.strip_prefix('-').unwrap_or(whole)) && all(decimals);
    right.then(|| (whole.to_owned(), decimals.trim_end_matches('0').to_owned()))
}

/// The fields of a hand.
struct Fields<'v, 'a> {
    table: &'v DeTable<'a>,
    decimals: usize,
}

impl Fields<'_, '_> {
    /// The hand's name for people, and its number: text is no number, so the table's is taken.
    fn hand(&self, table: u64) -> Result<(String, u64), Fault> {
        let Some(value) = self.table.get("hand") else {
            return Ok((table.to_string(), table.saturating_sub(1)));
        };
        let text = value.get_ref().as_str().map(str::to_owned);
        let digits = number(value.get_ref());
        match (text.as_ref(), digits.as_ref().or(text.as_ref()).and_then(|d| d.parse::<u64>().ok()))
        {
            (_, Some(number)) => Ok((number.to_string(), number)),
            (Some(text), None) => Ok((text.clone(), table.saturating_sub(1))),
            (None, None) => Err(fault_at(value, "`hand` must be a whole number or text")),
        }
    }

    /// The values of a list; a fault that says what they must be.
    fn list<T>(
        &self,
        field: &str,
        what: &str,
        read: impl Fn(&DeValue<'_>) -> Option<T>,
    ) -> Result<Option<Vec<T>>, Fault> {
        let Some(value) = self.table.get(field) else { return Ok(None) };
        let list = value.get_ref().as_array();
        let list =
            list.ok_or_else(|| fault_at(value, &format!("`{field}` must be a list of {what}")))?;
        let read = |item: &Spanned<DeValue<'_>>| {
            read(item.get_ref())
                .ok_or_else(|| fault_at(item, &format!("`{field}` must have {what}")))
        };
        list.iter().map(read).collect::<Result<_, _>>().map(Some)
    }

    /// [`list`](Self::list) with one item for each player.
    fn for_each<T>(
        &self,
        field: &str,
        players: usize,
        list: Option<Vec<T>>,
    ) -> Result<Option<Vec<T>>, Fault> {
        let count = list.as_ref().map_or(players, Vec::len);
        if count == players {
            return Ok(list);
        }
        let start = self.table.get(field).map(|value| value.span().start);
        let reason = format!("`{field}` has {count} items for {players} players");
        Err(Fault { at: start.map(|start| start..start), ..Fault::from(reason) })
    }

    fn texts(&self, field: &str) -> Result<Option<Vec<String>>, Fault> {
        self.list(field, "texts", |value| value.as_str().map(str::to_owned))
    }

    fn numbers<T: std::str::FromStr>(&self, field: &str) -> Result<Option<Vec<T>>, Fault> {
        self.list(field, "whole numbers", |value| number(value)?.parse().ok())
    }

    /// An amount in chips, as whole ones and decimals.
    fn scaled(&self, text: &str) -> Option<(String, String)> {
        let (whole, decimals) = digits(text)?;
        let decimals = format!("{decimals:0<0$}", self.decimals);
        let (chips, rest) = decimals.split_at(self.decimals);
        Some((whole + chips, rest.to_owned()))
    }

    fn chips(&self, text: &str) -> Option<Chips> {
        let (chips, rest) = self.scaled(text)?;
        let chips = chips.parse().ok().filter(|_| rest.is_empty());
        chips.filter(|&chips| chips <= GameSpec::MAX_STACK)
    }

    /// Amounts of the field, one for each player.
    fn amounts(&self, field: &str, players: usize) -> Result<Option<Vec<Chips>>, Fault> {
        let what = format!("amounts from 0 to {}", GameSpec::MAX_STACK / self.unit());
        let amounts = self.list(field, &what, |value| self.chips(&number(value)?))?;
        self.for_each(field, players, amounts)
    }

    /// What the players of the field got, one for each.
    fn payoffs(&self, field: &str, players: usize) -> Result<Option<Vec<Payoff>>, Fault> {
        // Six decimals tell all fractions apart.
        let amount = |value: &DeValue<'_>| {
            let (chips, rest) = self.scaled(&number(value)?)?;
            parse_payoff(&format!("{chips}.{}", &rest[..rest.len().min(6)]))
        };
        self.for_each(field, players, self.list(field, "amounts", amount)?)
    }

    fn amount(&self, field: &str) -> Result<Option<Chips>, Fault> {
        let Some(value) = self.table.get(field) else { return Ok(None) };
        let chips = number(value.get_ref()).and_then(|text| self.chips(&text));
        chips.map(Some).ok_or_else(|| fault_at(value, &format!("`{field}` must be an amount")))
    }

    /// Chips in one unit of the file.
    fn unit(&self) -> Chips {
        (0..self.decimals).fold(1, |unit, _| unit * 10)
    }
}

/// The chips that the seat put in above all others.
fn uncalled_by(public: &PublicState, seat: Seat) -> Chips {
    let others = public.committed().iter().filter(|&(other, _)| other != seat);
    let most = others.map(|(_, &chips)| chips).max().unwrap_or_default();
    public.committed()[seat].saturating_sub(most)
}

/// The results where hands were mucked: they win nothing from a pot with a hand that was not.
/// Without given results they follow from the hands that were shown.
fn after_mucks(
    public: &PublicState,
    hole: &BySeat<HoleCards>,
    mucked: SeatSet,
    given: Option<BySeat<Payoff>>,
) -> Result<Option<BySeat<Payoff>>, Fault> {
    let shown = public.remaining().without(mucked);
    let mucked = public.remaining().without(shown);
    if !public.is_showdown() || mucked.is_empty() || shown.is_empty() {
        return Ok(given);
    }
    let mut seen = *hole;
    mucked.iter().for_each(|seat| seen[seat] = HoleCards::default());
    let payoffs = match given {
        Some(given) => given,
        None if shown.iter().any(|seat| hole[seat].is_empty()) => return Ok(None),
        // A mucked hand counts as the board's, which none shown is below.
        None => public.payoffs(&seen),
    };
    let most = shown.iter().map(|seat| public.committed()[seat]).max().unwrap_or_default();
    let beyond: u64 = public
        .committed()
        .as_slice()
        .iter()
        .map(|&chips| u64::from(chips.saturating_sub(most)))
        .sum();
    for seat in mucked.iter() {
        let back = match given {
            Some(_) => beyond,
            None => uncalled_by(public, seat).into(),
        };
        let put_in = Payoff::from_chips(public.committed()[seat].into());
        if payoffs[seat] + put_in > Payoff::from_chips(back as i64) {
            let reason = format!("{} mucked and would be paid", player(seat));
            return Err(unsupported("won by mucked hands", reason));
        }
    }
    let known = result_is_known(public, hole).then(|| public.payoffs(hole));
    match known.filter(|known| given.is_none() && *known != payoffs) {
        Some(_) => Err(unsupported("won by mucked hands", "the best hand was mucked")),
        None => Ok(Some(payoffs)),
    }
}

/// A hand as far as it has been replayed.
struct Replay<'r, 'v, 'a> {
    fields: &'r Fields<'v, 'a>,
    public: PublicState,
    hole: BySeat<HoleCards>,
    mucked: SeatSet,
}

impl Replay<'_, '_, '_> {
    /// The seat of a player's name in actions.
    fn seat(&self, name: &str) -> Result<Seat, Fault> {
        let number = name.strip_prefix('p').and_then(|number| number.parse::<usize>().ok());
        let seat = number.and_then(|number| Seat::new(number.checked_sub(1)?));
        seat.filter(|seat| seat.index() < self.hole.len())
            .ok_or_else(|| format!("there is no player `{name}`").into())
    }

    /// Notes a player's cards. All unknown ones are no news.
    fn cards(&mut self, seat: Seat, text: &str) -> Result<(), Fault> {
        if text.bytes().all(|b| b == b'?') {
            return Ok(());
        }
        if text.contains('?') {
            let reason = "a hand of which one card is known is not supported";
            return Err(unsupported("with partly known cards", reason));
        }
        let cards: HoleCards = text.parse().map_err(|error| format!("{error}"))?;
        let before = self.hole[seat];
        if cards.len() != 2 {
            return Err("a hand has two cards".to_owned().into());
        }
        if !before.is_empty() && before.set() != cards.set() {
            return Err(format!("{} has {before} already", player(seat)).into());
        }
        if before.is_empty() {
            self.hole[seat] = cards;
        }
        Ok(())
    }

    /// Checks for a player who has nothing to call and nobody to bet against, as a blind against
    /// shorter all-in stacks: other programs do not ask him.
    fn check_if_nothing_else(&mut self) {
        let legal = self.public.legal();
        let asked = matches!(self.public.turn(), Turn::Act(_));
        if asked && !legal.fold && legal.to_call == 0 && legal.raise.is_none() {
            self.public.apply_unchecked(Action::Call);
        }
    }

    /// Applies one action of the file.
    fn step(&mut self, text: &str) -> Result<(), Fault> {
        let text = text.split('#').next().unwrap_or_default();
        let words: Vec<&str> = text.split_whitespace().collect();
        let (seat, action) = match words[..] {
            [] => return Ok(()),
            ["d", "dh", player, dealt] => return self.cards(self.seat(player)?, dealt),
            // What was dealt is shown.
            [player, "sm", "-"] => return self.seat(player).map(drop),
            [player, "sm", ref shown @ ..] if shown.len() < 2 => {
                let (seat, shown) = (self.seat(player)?, shown.first().unwrap_or(&""));
                if shown.bytes().all(|b| b == b'?') {
                    self.mucked.insert(seat);
                }
                return self.cards(seat, shown);
            }
            ["d", "db", dealt] => {
                if dealt.contains('?') {
                    let reason = "unknown board cards are not supported";
                    return Err(unsupported("with unknown board cards", reason));
                }
                let dealt: Board = dealt.parse().map_err(|error| format!("{error}"))?;
                self.check_if_nothing_else();
                return self.public.deal(&dealt).map_err(|error| error.to_string().into());
            }
            [player, "f"] => (self.seat(player)?, Action::Fold),
            [player, "cc"] => (self.seat(player)?, Action::Call),
            [player, "cbr", total] => {
                let seat = self.seat(player)?;
                let chips = self.fields.chips(total).ok_or_else(|| {
                    let most = GameSpec::MAX_STACK / self.fields.unit();
                    format!("`{total}` is not an amount from 0 to {most}")
                })?;
                let before = self.public.committed()[seat] - self.public.committed_street(seat);
                (seat, Action::RaiseTo(chips.saturating_add(before)))
            }
            _ => return Err("this is not an action of hold'em".to_owned().into()),
        };
        if self.public.turn() != Turn::Act(seat) {
            return Err(format!("it is not {}'s turn", player(seat)).into());
        }
        self.public.apply(action).map_err(|error| match self.fields.unit() {
            1 => error.to_string().into(),
            unit => format!("{error} (in chips, {unit} to 1)").into(),
        })
    }
}
