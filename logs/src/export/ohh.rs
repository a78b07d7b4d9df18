//! Hands as Open Hand History 1.4.7 (<https://hh-specs.handhistory.org>): JSON objects `{"ohh": …}`
//! with a blank line between them.
//!
//! Amounts are in chips (`currency` `XXX`, no currency). The amount of an action is what it adds,
//! also for a raise; an uncalled bet is in no pot. Players are the entrants by number, who always
//! sit at the same seat; the dealer's seat moves. All known cards are dealt openly, and the flag
//! `Observed` says that there is no hero.
//!
//! Not preserved: decisions, seeds, which hands share a deal, and in limit games other bets than
//! once and twice the big blind, and the maximum of raises. Hold'em with the usual blinds only.

use std::borrow::Cow;
use std::fmt;

use cards::Card;
use game::{Betting, Chips, GameDef, Payoff, Seat, Street};
use serde::de::{Error, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Number;

use super::steps::{ActionTaken, Step, steps, uncalled};
use super::{CannotExpress, phh};
use crate::{HandRecord, MatchInfo};

pub(crate) const FORMAT: &str = "Open Hand History";
const VERSION: &str = "1.4.7";

/// A line of the file. Here and below fields that are only read are those of other programs.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line<'a> {
    pub(crate) ohh: Hand<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some fields are known only so that others are not")]
pub(crate) struct Hand<'a> {
    #[serde(default)]
    spec_version: Cow<'a, str>,
    #[serde(default)]
    site_name: Cow<'a, str>,
    #[serde(default)]
    network_name: Cow<'a, str>,
    #[serde(default)]
    internal_version: Cow<'a, str>,
    #[serde(default)]
    pub(crate) tournament: bool,
    #[serde(default, skip_serializing)]
    tournament_info: Option<IgnoredAny>,
    #[serde(default, skip_serializing)]
    tournament_bounties: Option<IgnoredAny>,
    pub(crate) game_number: Cow<'a, str>,
    #[serde(default)]
    start_date_utc: Option<Cow<'a, str>>,
    #[serde(default)]
    table_name: Cow<'a, str>,
    #[serde(default, skip_serializing)]
    table_handle: Option<IgnoredAny>,
    #[serde(default, skip_serializing)]
    table_skin: Option<IgnoredAny>,
    pub(crate) game_type: Cow<'a, str>,
    pub(crate) bet_limit: BetLimit<'a>,
    #[serde(default)]
    table_size: u64,
    pub(crate) currency: Cow<'a, str>,
    pub(crate) dealer_seat: u64,
    pub(crate) small_blind_amount: Number,
    pub(crate) big_blind_amount: Number,
    #[serde(default)]
    pub(crate) ante_amount: Option<Number>,
    #[serde(default, skip_serializing)]
    hero_player_id: Option<IgnoredAny>,
    #[serde(default)]
    pub(crate) flags: Option<Vec<Cow<'a, str>>>,
    pub(crate) players: Vec<Player<'a>>,
    pub(crate) rounds: Vec<Round<'a>>,
    pub(crate) pots: Vec<Pot>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BetLimit<'a> {
    pub(crate) bet_type: Cow<'a, str>,
    #[serde(default)]
    pub(crate) bet_cap: Option<Number>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some fields are known only so that others are not")]
pub(crate) struct Player<'a> {
    pub(crate) id: u64,
    pub(crate) seat: u64,
    pub(crate) name: Cow<'a, str>,
    #[serde(default, skip_serializing)]
    display: Option<IgnoredAny>,
    pub(crate) starting_stack: Number,
    #[serde(default, skip_serializing)]
    player_bounty: Option<IgnoredAny>,
    #[serde(default, skip_serializing)]
    pub(crate) is_sitting_out: Option<bool>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Round<'a> {
    id: u64,
    pub(crate) street: Cow<'a, str>,
    #[serde(default)]
    pub(crate) cards: Cards,
    pub(crate) actions: Vec<Action<'a>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Action<'a> {
    pub(crate) action_number: u64,
    pub(crate) player_id: u64,
    pub(crate) action: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) amount: Option<Number>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) is_allin: Option<bool>,
    #[serde(default, skip_serializing_if = "Cards::is_empty")]
    pub(crate) cards: Cards,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pot {
    number: u64,
    pub(crate) amount: Number,
    #[serde(default)]
    pub(crate) rake: Option<Number>,
    #[serde(default, skip_serializing)]
    pub(crate) jackpot: Option<Number>,
    pub(crate) player_wins: Vec<Win>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Win {
    pub(crate) player_id: u64,
    pub(crate) win_amount: Number,
    #[serde(default, skip_serializing)]
    pub(crate) cashout_amount: Option<Number>,
    #[serde(default, skip_serializing)]
    pub(crate) cashout_fee: Option<Number>,
    #[serde(default, skip_serializing)]
    pub(crate) bonus_amount: Option<Number>,
    #[serde(default, skip_serializing)]
    pub(crate) contributed_rake: Option<Number>,
}

/// Cards: a list of texts, or nothing, or an empty text. Unknown ones (`??`) are left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Cards(pub(crate) Vec<Card>);

impl Cards {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Cards {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// A card as its text.
        struct Text(Card);
        impl Serialize for Text {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let letters = [self.0.rank().to_char(), self.0.suit().to_char()].map(|c| c as u8);
                serializer.serialize_str(std::str::from_utf8(&letters).unwrap_or_default())
            }
        }
        serializer.collect_seq(self.0.iter().map(|&card| Text(card)))
    }
}

impl<'de> Deserialize<'de> for Cards {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Cards, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Cards;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of cards")
            }

            fn visit_unit<E: Error>(self) -> Result<Cards, E> {
                Ok(Cards::default())
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Cards, E> {
                match text {
                    "" => Ok(Cards::default()),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Cards, A::Error> {
                let mut cards = Vec::new();
                while let Some(text) = list.next_element::<Cow<'_, str>>()? {
                    if text != "??" {
                        cards.push(text.parse().map_err(A::Error::custom)?);
                    }
                }
                Ok(Cards(cards))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

/// Checks that the format can express the game.
pub fn check(def: &GameDef) -> Result<(), CannotExpress> {
    phh::check(def).map_err(|error| CannotExpress { format: FORMAT, ..error })
}

/// Appends a hand of a match that [`check`] accepts, followed by a blank line. `names` are those of
/// the entrants, in order.
pub fn write_hand(record: &HandRecord, info: &MatchInfo, names: &[String], out: &mut String) {
    let line = serde_json::to_string(&Line { ohh: hand(record, info, names) });
    out.push_str(&line.expect("texts and finite numbers can be written"));
    out.push_str("\n\n");
}

fn hand<'a>(record: &HandRecord, info: &'a MatchInfo, names: &'a [String]) -> Hand<'a> {
    let def = record.public.def();
    let id = |seat: Seat| u64::from(record.entrants[seat]);
    let mut seats: Vec<Seat> = def.seats().collect();
    seats.sort_unstable_by_key(|&seat| id(seat));
    let player = |&seat: &Seat| {
        let name = names.get(usize::from(record.entrants[seat]));
        Player {
            id: id(seat),
            seat: id(seat) + 1,
            name: name.map_or("?", String::as_str).into(),
            display: None,
            starting_stack: def.stacks[seat.index()].into(),
            player_bounty: None,
            is_sitting_out: None,
        }
    };
    let small = def.blinds.iter().copied().filter(|&blind| blind > 0).min();
    let bet_type = if def.betting == Betting::Limit { "FL" } else { "NL" };
    Hand {
        spec_version: VERSION.into(),
        site_name: "cardroom".into(),
        network_name: "cardroom".into(),
        internal_version: (&*info.provenance.version).into(),
        tournament: false,
        tournament_info: None,
        tournament_bounties: None,
        game_number: format!("{}-{}", info.name, record.hand).into(),
        start_date_utc: Some((&*info.provenance.created).into()),
        table_name: (&*info.name).into(),
        table_handle: None,
        table_skin: None,
        game_type: "Holdem".into(),
        bet_limit: BetLimit { bet_type: bet_type.into(), bet_cap: Some(0.into()) },
        table_size: def.players as u64,
        currency: "XXX".into(),
        dealer_seat: id(def.button()) + 1,
        small_blind_amount: small.unwrap_or_default().into(),
        big_blind_amount: def.big_blind().into(),
        ante_amount: Some(0.into()),
        hero_player_id: None,
        flags: Some(vec!["Observed".into()]),
        players: seats.iter().map(player).collect(),
        rounds: rounds(record, &seats),
        pots: vec![pot(record, &seats)],
    }
}

/// Builder of the rounds, with actions numbered through the whole hand.
struct Rounds<'a> {
    record: &'a HandRecord,
    count: u64,
    done: Vec<Round<'static>>,
    street: &'static str,
    cards: Vec<Card>,
    actions: Vec<Action<'static>>,
}

impl Rounds<'_> {
    fn push(&mut self, seat: Seat, action: &'static str, cards: &[Card]) {
        self.count += 1;
        self.actions.push(Action {
            action_number: self.count,
            player_id: self.record.entrants[seat].into(),
            action: action.into(),
            amount: None,
            is_allin: None,
            cards: Cards(cards.to_vec()),
        });
    }

    fn push_amount(&mut self, seat: Seat, action: &'static str, amount: Chips, all_in: bool) {
        self.push(seat, action, &[]);
        let last = self.actions.last_mut().expect("it was just added");
        (last.amount, last.is_allin) = (Some(amount.into()), Some(all_in));
    }

    /// Ends the round, and begins the next with these cards.
    fn next(&mut self, street: &'static str, cards: &[Card]) {
        self.done.push(Round {
            id: self.done.len() as u64,
            street: std::mem::replace(&mut self.street, street).into(),
            cards: Cards(std::mem::replace(&mut self.cards, cards.to_vec())),
            actions: std::mem::take(&mut self.actions),
        });
    }
}

fn rounds(record: &HandRecord, seats: &[Seat]) -> Vec<Round<'static>> {
    let def = record.public.def();
    let (done, cards, actions) = (Vec::with_capacity(5), Vec::new(), Vec::new());
    let mut rounds = Rounds { record, count: 0, done, street: "Preflop", cards, actions };
    let mut blinds: Vec<(u32, Seat)> =
        def.seats().map(|seat| (def.blinds[seat.index()], seat)).collect();
    blinds.retain(|&(chips, _)| chips > 0);
    blinds.sort_unstable_by_key(|&(chips, _)| chips);
    for (number, &(chips, seat)) in blinds.iter().enumerate() {
        let action = if number + 1 == blinds.len() { "Post BB" } else { "Post SB" };
        rounds.push_amount(seat, action, chips, def.stacks[seat.index()] <= chips);
    }
    for &seat in seats.iter().filter(|&&seat| !record.hole[seat].is_empty()) {
        rounds.push(seat, "Dealt Cards", &record.hole[seat]);
    }
    for step in steps(record) {
        match step {
            Step::Street { street, board, before } => {
                let name = match street {
                    Street::Preflop => "Preflop",
                    Street::Flop => "Flop",
                    Street::Turn => "Turn",
                    Street::River => "River",
                };
                rounds.next(name, &board[before..]);
            }
            Step::Act { seat, did, added, all_in } => {
                let (action, amount) = match did {
                    ActionTaken::Fold => ("Fold", 0),
                    ActionTaken::Check => ("Check", 0),
                    ActionTaken::Call => ("Call", added),
                    ActionTaken::Bet => ("Bet", added),
                    ActionTaken::Raise { .. } => ("Raise", added),
                };
                rounds.push_amount(seat, action, amount, all_in);
            }
        }
    }
    rounds.next("Showdown", &[]);
    if record.public.is_showdown() {
        let remaining = record.public.remaining();
        for &seat in seats.iter().filter(|&&seat| remaining.contains(seat)) {
            let hole = &record.hole[seat];
            let action = if hole.is_empty() { "Mucks Cards" } else { "Shows Cards" };
            rounds.push(seat, action, hole);
        }
        rounds.next("", &[]);
    }
    rounds.done
}

/// The pot of all called chips, with each seat's winnings from it.
fn pot(record: &HandRecord, seats: &[Seat]) -> Pot {
    let back = uncalled(&record.public);
    let returned = |seat: Seat| back.filter(|&(who, _)| who == seat).map_or(0, |(_, back)| back);
    let committed = record.public.committed();
    let amount: u64 = seats.iter().map(|&seat| u64::from(committed[seat] - returned(seat))).sum();
    let player_wins = seats.iter().filter_map(|&seat| {
        let own = Payoff::from_chips((committed[seat] - returned(seat)).into());
        let won = record.payoffs[seat] + own;
        let win = || Win {
            player_id: record.entrants[seat].into(),
            win_amount: number(won),
            cashout_amount: None,
            cashout_fee: None,
            bonus_amount: None,
            contributed_rake: None,
        };
        (won.parts() > 0).then(win)
    });
    let (number, amount, rake) = (0, amount.into(), Some(0.into()));
    Pot { number, amount, rake, jackpot: None, player_wins: player_wins.collect() }
}

/// An amount in chips, without decimals where it is whole.
fn number(amount: Payoff) -> Number {
    let whole = || Number::from(amount.parts() / Payoff::PER_CHIP);
    match amount.parts() % Payoff::PER_CHIP {
        0 => whole(),
        _ => Number::from_f64(amount.chips()).unwrap_or_else(whole),
    }
}
