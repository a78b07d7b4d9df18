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

mod fields;
mod read;
mod replay;

use std::fmt::Write;

use cards::Board;
use game::{Action, Betting, GameDef, GameSpec, Payoff, PublicState, Seat, Turn};

use super::CannotExpress;
use super::steps::uncalled;
use crate::{HandRecord, MatchInfo};

pub use read::{PhhHand, Reader};

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
pub(crate) fn usual_spec(spec: &GameSpec) -> GameSpec {
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
