//! Reader of PHH files, of this program and others.
//!
//! Amounts are scaled to whole chips: by 100 where there are cents, by more where there are more
//! decimals ([`Reader::decimals`]). A hand that is shown as `????`, or without cards, is mucked and
//! wins nothing. Hands that the format allows and records do not (antes, rake, other variants) are
//! errors with [`ReadError::unsupported`]. Fields that do not change the hand are passed over.

use std::collections::BTreeMap;
use std::sync::Arc;

use game::{
    Betting, BySeat, GameDef, GameSpec, MAX_PLAYERS, Payoff, PublicState, Quirks, Seat, SeatSet,
    Turn,
};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::FORMAT;
use super::fields::{Fault, Fields, MAX_DECIMALS, at, decimals, items, number, unsupported};
use super::replay::{Replay, after_mucks, uncalled};
use crate::export::{ReadError, toml_fault};
use crate::replay::finished_in_whole_chips;
use crate::{HandRecord, distinct_names};

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
                let fault = at(variant, "`variant` must be NT or FT, no-limit or limit hold'em");
                return Err(Fault { unsupported: Some("of other variants"), ..fault });
            }
            None => return Err(at(variant, "`variant` must be text")),
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
                .ok_or_else(|| at(value, "`_deal` must be a whole number"))?,
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
        // Pots that were collected; an uncalled bet is usually not among them.
        let put_in = |seat: Seat| Payoff::from_chips(public.committed()[seat].into());
        let called = |seat: Seat| put_in(seat) - Payoff::from_chips(uncalled(public, seat).into());
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
