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

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use cards::{Board, HoleCards};
use game::{Action, Betting, BySeat, GameDef, GameSpec, Payoff, PublicState, Quirks, Seat, Turn};
use serde::Deserialize;

use super::{CannotExpress, ReadError};
use crate::replay::{finished, line_up};
use crate::{HandRecord, MatchInfo};

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
fn usual_spec(spec: &GameSpec) -> GameSpec {
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
    let names = record.entrants.as_slice().iter().map(|&entrant| {
        let name = info.entrants.get(usize::from(entrant)).map_or("?", |e| e.name.as_str());
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

fn show(record: &HandRecord, actions: &mut Vec<String>) {
    for seat in record.public.remaining().iter() {
        let hole = &record.hole[seat];
        let cards = if hole.is_empty() { "-".to_owned() } else { hole.to_string() };
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
    /// Names by seat; empty when the file gives none.
    pub players: Vec<String>,
    /// The names of ignored fields.
    pub other: Vec<String>,
}

/// The fields that are read, and those that follow from them.
const READ: [&str; 17] = [
    "variant",
    "ante_trimming_status",
    "antes",
    "blinds_or_straddles",
    "min_bet",
    "small_bet",
    "big_bet",
    "starting_stacks",
    "actions",
    "hand",
    "players",
    "finishing_stacks",
    "seat_count",
    "winnings",
    "_deal",
    "_entrants",
    "_max_raises",
];

/// The parsed fields; others are allowed and ignored.
#[derive(Debug, Deserialize)]
struct Table {
    variant: String,
    #[serde(default)]
    antes: Vec<u32>,
    blinds_or_straddles: Vec<u32>,
    min_bet: Option<u32>,
    small_bet: Option<u32>,
    big_bet: Option<u32>,
    starting_stacks: Vec<u32>,
    actions: Vec<String>,
    hand: Option<u64>,
    #[serde(default)]
    players: Vec<String>,
    finishing_stacks: Option<Vec<f64>>,
    #[serde(rename = "_deal")]
    deal: Option<u64>,
    #[serde(rename = "_entrants")]
    entrants: Option<Vec<u8>>,
    #[serde(rename = "_max_raises")]
    max_raises: Option<Vec<u32>>,
}

/// Parses a file's text: numbered tables, or one hand without any.
///
/// Hands of the same game share its definition.
pub fn read(text: &str) -> Result<Vec<PhhHand>, ReadError> {
    let fail = |table: u64, reason: String| ReadError::new(FORMAT, table, reason);
    let whole: toml::Table =
        toml::from_str(text).map_err(|error| fail(0, error.to_string().trim_end().to_owned()))?;
    let tables: BTreeMap<u64, toml::Value> = if whole.contains_key("variant") {
        BTreeMap::from([(1, toml::Value::Table(whole))])
    } else {
        let number =
            |key: &str| key.parse().map_err(|_| fail(0, format!("`{key}` is not a number")));
        whole
            .into_iter()
            .map(|(key, value)| Ok((number(&key)?, value)))
            .collect::<Result<_, _>>()?
    };
    let mut hands = Vec::with_capacity(tables.len());
    let mut shared: Option<Arc<GameDef>> = None;
    for (number, value) in tables {
        let fields = value.as_table().into_iter().flat_map(toml::Table::keys);
        let other = fields.filter(|field| !READ.contains(&field.as_str())).cloned().collect();
        let table: Table = value
            .try_into()
            .map_err(|error| fail(number, error.to_string().trim_end().to_owned()))?;
        let def = table.game().map_err(|reason| fail(number, reason))?;
        let def = match &shared {
            Some(known) if **known == def => Arc::clone(known),
            _ => Arc::clone(shared.insert(Arc::new(def))),
        };
        let record = table.replay(&def, number).map_err(|reason| fail(number, reason))?;
        hands.push(PhhHand { record, players: table.players, other });
    }
    Ok(hands)
}

impl Table {
    fn game(&self) -> Result<GameDef, String> {
        let players = self.starting_stacks.len();
        if self.blinds_or_straddles.len() != players {
            return Err(format!("{players} stacks, but {} blinds", self.blinds_or_straddles.len()));
        }
        if self.antes.iter().any(|&ante| ante > 0) {
            return Err("antes are not supported".to_owned());
        }
        if self.blinds_or_straddles.iter().skip(2).any(|&blind| blind > 0) {
            return Err("straddles are not supported".to_owned());
        }
        let (betting, raise_sizes) = match (self.variant.as_str(), self.small_bet, self.big_bet) {
            ("NT", ..) => (Betting::NoLimit, Vec::new()),
            ("FT", Some(small), Some(big)) => (Betting::Limit, vec![small, small, big, big]),
            ("FT", ..) => return Err("small_bet or big_bet is missing".to_owned()),
            (other, ..) => {
                return Err(format!("variant `{other}` is not supported: NT and FT are"));
            }
        };
        let usual_cap = match betting {
            Betting::NoLimit => vec![GameSpec::NO_CAP; 4],
            Betting::Limit => vec![3, 4, 4, 4],
        };
        let mut blinds = self.blinds_or_straddles.clone();
        if players == 2 {
            blinds.reverse();
        }
        let spec = usual_spec(&GameSpec {
            betting,
            players,
            streets: 4,
            stacks: self.starting_stacks.clone(),
            blinds: blinds.clone(),
            raise_sizes,
            first_to_act: Vec::new(),
            max_raises: self.max_raises.clone().unwrap_or(usual_cap),
            suits: 4,
            ranks: 13,
            hole_cards: 2,
            board_cards: vec![0, 3, 1, 1],
            quirks: Quirks::default(),
        });
        if spec.blinds != blinds {
            return Err("the blinds are not in their usual seats".to_owned());
        }
        let def = GameDef::new(spec).map_err(|error| error.to_string())?;
        match self.min_bet {
            Some(min_bet) if betting == Betting::NoLimit && min_bet != def.big_blind() => {
                Err(format!(
                    "a min_bet of {min_bet} with a big blind of {} is not supported",
                    def.big_blind()
                ))
            }
            _ => Ok(def),
        }
    }

    fn replay(&self, def: &Arc<GameDef>, number: u64) -> Result<HandRecord, String> {
        let hand = self.hand.unwrap_or(number.saturating_sub(1));
        let mut public = PublicState::new(def);
        let mut hole = BySeat::new(def.players);
        for (i, text) in self.actions.iter().enumerate() {
            step(&mut public, &mut hole, text)
                .map_err(|reason| format!("action {} `{text}`: {reason}", i + 1))?;
        }
        if public.turn() != Turn::Over {
            return Err("the hand does not end".to_owned());
        }
        let payoffs = self.finishing_stacks.as_ref().map(|stacks| {
            let won = stacks.iter().zip(&def.stacks).map(|(&end, &start)| {
                let chips = end - f64::from(start);
                Payoff::from_parts((chips * Payoff::PER_CHIP as f64).round() as i64)
            });
            BySeat::from_slice(&won.collect::<Vec<_>>()).filter(|all| all.len() == def.players)
        });
        let payoffs = match payoffs {
            Some(None) => {
                return Err("there must be one finishing stack for each player".to_owned());
            }
            Some(payoffs) => payoffs,
            None => None,
        };
        let entrants = match &self.entrants {
            None => line_up(hand, def.players),
            Some(list) => BySeat::from_slice(list)
                .filter(|all| all.len() == def.players)
                .filter(|all| all.as_slice().iter().all(|&e| usize::from(e) < def.players))
                .ok_or_else(|| format!("{list:?} is not a line-up of {} entrants", def.players))?,
        };
        let deal = self.deal.unwrap_or(hand);
        let record = HandRecord { hand, deal, public, hole, payoffs: BySeat::new(0), entrants };
        match (finished(record.clone(), None), payoffs) {
            (Ok(exact), Some(given)) if only_odd_chips(&exact.payoffs, &given) => Ok(exact),
            (_, payoffs) => finished(record, payoffs),
        }
    }
}

/// Whether results in whole chips differ from the exact ones only by how pots were split: other
/// programs give indivisible chips to one winner, here they are divided.
fn only_odd_chips(exact: &BySeat<Payoff>, given: &BySeat<Payoff>) -> bool {
    let whole = |payoff: &Payoff| payoff.parts() % Payoff::PER_CHIP == 0;
    let most = Payoff::PER_CHIP * exact.len() as i64;
    let near = |(a, b): (&Payoff, &Payoff)| (a.parts() - b.parts()).abs() < most;
    !exact.as_slice().iter().all(whole)
        && given.as_slice().iter().all(whole)
        && given.as_slice().iter().copied().sum::<Payoff>() == Payoff::ZERO
        && exact.as_slice().iter().zip(given.as_slice()).all(near)
}

/// Applies one action of a file.
fn step(public: &mut PublicState, hole: &mut BySeat<HoleCards>, text: &str) -> Result<(), String> {
    let players = hole.len();
    let text = text.split('#').next().unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().collect();
    let seat = |name: &str| {
        let number = name.strip_prefix('p').and_then(|number| number.parse::<usize>().ok());
        let seat = number.and_then(|number| Seat::new(number.checked_sub(1)?));
        seat.filter(|seat| seat.index() < players)
            .ok_or_else(|| format!("there is no player `{name}`"))
    };
    let cards = |text: &str| -> Result<HoleCards, String> {
        let cards: HoleCards = text.parse().map_err(|error| format!("{error}"))?;
        if cards.len() == 2 { Ok(cards) } else { Err("a hand has two cards".to_owned()) }
    };
    let action = match words[..] {
        ["d", "dh", player, "????"] => return seat(player).map(drop),
        ["d", "dh", player, dealt] | [player, "sm", dealt] if dealt != "-" => {
            hole[seat(player)?] = cards(dealt)?;
            return Ok(());
        }
        [_, "sm"] | [_, "sm", "-"] | [] => return Ok(()),
        ["d", "db", dealt] => {
            let dealt: Board = dealt.parse().map_err(|error| format!("{error}"))?;
            return public.deal(&dealt).map_err(|error| error.to_string());
        }
        [player, "f"] => (seat(player)?, Action::Fold),
        [player, "cc"] => (seat(player)?, Action::Call),
        [player, "cbr", total] => {
            let seat = seat(player)?;
            let total: u32 = total.parse().map_err(|_| "the amount must be whole chips")?;
            let before = public.committed()[seat] - public.committed_street(seat);
            (seat, Action::RaiseTo(total.saturating_add(before)))
        }
        _ => return Err("this is not an action of hold'em".to_owned()),
    };
    if public.turn() != Turn::Act(action.0) {
        return Err(format!("it is not {}'s turn", player(action.0)));
    }
    public.apply(action.1).map_err(|error| error.to_string())
}
