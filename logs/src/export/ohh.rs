//! Hands as Open Hand History 1.4.7 (<https://hh-specs.handhistory.org>): JSON objects `{"ohh": …}`
//! with a blank line between them.
//!
//! Amounts are in chips (`currency` `XXX`, no currency). The amount of an action is what it adds,
//! also for a raise; an uncalled bet is in no pot. Players are the entrants by number, who always
//! sit at the same seat; the dealer's seat moves. All known cards are dealt openly, and the flag
//! `Observed` says that there is no hero.
//!
//! Not preserved: decisions, seeds, and which hands share a deal. Hold'em with the usual blinds
//! only.

use cards::Card;
use game::{Betting, GameDef, Payoff, Seat, Street};
use serde_json::{Value, json};

use super::steps::{ActionTaken, Step, steps, uncalled};
use super::{CannotExpress, phh};
use crate::{HandRecord, MatchInfo};

const FORMAT: &str = "Open Hand History";
const VERSION: &str = "1.4.7";

/// Checks that the format can express the game.
pub fn check(def: &GameDef) -> Result<(), CannotExpress> {
    phh::check(def).map_err(|error| CannotExpress { format: FORMAT, ..error })
}

/// Appends a hand, followed by a blank line.
///
/// # Errors
/// Those of [`check`].
pub fn write_hand(
    record: &HandRecord,
    info: &MatchInfo,
    out: &mut String,
) -> Result<(), CannotExpress> {
    check(record.public.def())?;
    out.push_str(&json!({ "ohh": hand(record, info) }).to_string());
    out.push_str("\n\n");
    Ok(())
}

fn hand(record: &HandRecord, info: &MatchInfo) -> Value {
    let def = record.public.def();
    let id = |seat: Seat| record.entrants[seat];
    let names = info.names();
    let mut seats: Vec<Seat> = def.seats().collect();
    seats.sort_unstable_by_key(|&seat| id(seat));
    let players: Vec<Value> = seats
        .iter()
        .map(|&seat| {
            let name = names.get(usize::from(id(seat))).map_or("?", String::as_str);
            let stack = def.stacks[seat.index()];
            json!({ "id": id(seat), "seat": id(seat) + 1, "name": name, "starting_stack": stack })
        })
        .collect();
    let mut blinds: Vec<u32> = def.blinds.iter().copied().filter(|&blind| blind > 0).collect();
    blinds.sort_unstable();
    let bet_type = if def.betting == Betting::Limit { "FL" } else { "NL" };
    json!({
        "spec_version": VERSION,
        "site_name": "cardroom",
        "network_name": "cardroom",
        "internal_version": info.provenance.version,
        "tournament": false,
        "game_number": format!("{}-{}", info.name, record.hand),
        "start_date_utc": info.provenance.created,
        "table_name": info.name,
        "game_type": "Holdem",
        "bet_limit": { "bet_type": bet_type, "bet_cap": 0 },
        "table_size": def.players,
        "currency": "XXX",
        "dealer_seat": id(def.button()) + 1,
        "small_blind_amount": blinds.first().copied().unwrap_or_default(),
        "big_blind_amount": def.big_blind(),
        "ante_amount": 0,
        "flags": ["Observed"],
        "players": players,
        "rounds": rounds(record, &seats),
        "pots": pots(record, &seats),
    })
}

/// Builder of the rounds' actions, numbered through the whole hand.
struct Actions {
    count: usize,
    round: Vec<Value>,
}

impl Actions {
    fn push(&mut self, player: u8, action: &str, more: Value) {
        self.count += 1;
        let mut entry = json!({
            "action_number": self.count,
            "player_id": player,
            "action": action,
        });
        if let (Value::Object(entry), Value::Object(more)) = (&mut entry, more) {
            entry.extend(more);
        }
        self.round.push(entry);
    }
}

fn texts(cards: &[Card]) -> Vec<String> {
    cards.iter().map(ToString::to_string).collect()
}

fn rounds(record: &HandRecord, seats: &[Seat]) -> Vec<Value> {
    let def = record.public.def();
    let id = |seat: Seat| record.entrants[seat];
    let mut actions = Actions { count: 0, round: Vec::new() };
    let mut rounds: Vec<Value> = Vec::new();
    let mut blinds: Vec<(u32, Seat)> =
        def.seats().map(|seat| (def.blinds[seat.index()], seat)).collect();
    blinds.retain(|&(chips, _)| chips > 0);
    blinds.sort_unstable_by_key(|&(chips, _)| chips);
    for (number, &(chips, seat)) in blinds.iter().enumerate() {
        let action = if number + 1 == blinds.len() { "Post BB" } else { "Post SB" };
        let all_in = def.stacks[seat.index()] <= chips;
        actions.push(id(seat), action, json!({ "amount": chips, "is_allin": all_in }));
    }
    for &seat in seats.iter().filter(|&&seat| !record.hole[seat].is_empty()) {
        let cards = texts(&record.hole[seat]);
        actions.push(id(seat), "Dealt Cards", json!({ "cards": cards }));
    }
    let (mut street, mut cards) = ("Preflop", Vec::new());
    let mut close = |street: &str, cards: Vec<String>, actions: Vec<Value>| {
        let id = rounds.len();
        rounds.push(json!({ "id": id, "street": street, "cards": cards, "actions": actions }));
    };
    for step in steps(record) {
        match step {
            Step::Street { street: next, board, before } => {
                let name = match next {
                    Street::Preflop => "Preflop",
                    Street::Flop => "Flop",
                    Street::Turn => "Turn",
                    Street::River => "River",
                };
                let round = std::mem::take(&mut actions.round);
                close(street, std::mem::replace(&mut cards, texts(&board[before..])), round);
                street = name;
            }
            Step::Act { seat, did, added, all_in } => {
                let (action, amount) = match did {
                    ActionTaken::Fold => ("Fold", 0),
                    ActionTaken::Check => ("Check", 0),
                    ActionTaken::Call => ("Call", added),
                    ActionTaken::Bet => ("Bet", added),
                    ActionTaken::Raise { .. } => ("Raise", added),
                };
                let more = json!({ "amount": amount, "is_allin": all_in });
                actions.push(id(seat), action, more);
            }
        }
    }
    close(street, cards, std::mem::take(&mut actions.round));
    if record.public.is_showdown() {
        let remaining = record.public.remaining();
        for &seat in seats.iter().filter(|&&seat| remaining.contains(seat)) {
            let hole = &record.hole[seat];
            match hole.is_empty() {
                true => actions.push(id(seat), "Mucks Cards", json!({})),
                false => actions.push(id(seat), "Shows Cards", json!({ "cards": texts(hole) })),
            }
        }
        close("Showdown", Vec::new(), actions.round);
    }
    rounds
}

/// The pot of all called chips, with each seat's winnings from it.
fn pots(record: &HandRecord, seats: &[Seat]) -> Value {
    let back = uncalled(record);
    let returned = |seat: Seat| back.filter(|&(who, _)| who == seat).map_or(0, |(_, back)| back);
    let committed = record.public.committed();
    let amount: u64 = seats.iter().map(|&seat| u64::from(committed[seat] - returned(seat))).sum();
    let wins: Vec<Value> = seats
        .iter()
        .filter_map(|&seat| {
            let own = Payoff::from_chips((committed[seat] - returned(seat)).into());
            let won = record.payoffs[seat] + own;
            let id = record.entrants[seat];
            let win = || json!({ "player_id": id, "win_amount": number(won) });
            (won.parts() > 0).then(win)
        })
        .collect();
    json!([{ "number": 0, "amount": amount, "rake": 0, "player_wins": wins }])
}

/// An amount in chips, without decimals where it is whole.
fn number(amount: Payoff) -> Value {
    match amount.parts() % Payoff::PER_CHIP {
        0 => json!(amount.parts() / Payoff::PER_CHIP),
        _ => json!(amount.chips()),
    }
}
