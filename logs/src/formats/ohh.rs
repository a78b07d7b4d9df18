//! Hands as Open Hand History 1.4.7 (<https://hh-specs.handhistory.org>): JSON objects `{"ohh": …}`
//! with a blank line between them.
//!
//! **The writer.** Amounts are in chips (`currency` `XXX`, no currency). The amount of an action is
//! what it adds, also for a raise; an uncalled bet is in no pot. Players are the entrants by
//! number, who always sit at the same seat; the dealer's seat moves. All known cards are dealt
//! openly, and the flag `Observed` says that there is no hero.
//!
//! Not preserved: decisions, seeds, which hands share a deal, and in limit games other bets than
//! once and twice the big blind, and the maximum of raises. Hold'em with the usual blinds only.
//!
//! **The reader** takes files of any program. Hold'em, no-limit and limit, without antes, straddles
//! and dead blinds. Amounts of a currency are in hundredths of its unit, so that 100 chips are $1;
//! those without one (`XXX`), and those of tournaments, are chips. A field that is not of the
//! format is an error, and so is everything in it that a record cannot hold and that would change
//! the hand. Every amount is checked by the rules. In limit games the bets are once and twice the
//! big blind, as the format names no others.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use cards::{Card, HoleCards};
use game::{Betting, Chips, GameDef, GameSpec, Payoff, Seat, Street, Turn};
use serde::de::{Error, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Number;

use crate::formats::sites::{
    ActionTaken, RAKE, Refusal, SeatedPlayer, Start, Step, TableHand, chips, code, steps, uncalled,
};
use crate::formats::{CannotExpress, ReadError, SiteHand, SiteHands, phh};
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
    game_number: Cow<'a, str>,
    #[serde(default)]
    start_date_utc: Option<Cow<'a, str>>,
    #[serde(default)]
    table_name: Cow<'a, str>,
    #[serde(default, skip_serializing)]
    table_handle: Option<IgnoredAny>,
    #[serde(default, skip_serializing)]
    table_skin: Option<IgnoredAny>,
    game_type: Cow<'a, str>,
    bet_limit: BetLimit<'a>,
    #[serde(default)]
    table_size: u64,
    pub(crate) currency: Cow<'a, str>,
    dealer_seat: u64,
    small_blind_amount: Number,
    big_blind_amount: Number,
    #[serde(default)]
    ante_amount: Option<Number>,
    #[serde(default, skip_serializing)]
    hero_player_id: Option<IgnoredAny>,
    #[serde(default)]
    pub(crate) flags: Option<Vec<Cow<'a, str>>>,
    pub(crate) players: Vec<Player<'a>>,
    rounds: Vec<Round<'a>>,
    pub(crate) pots: Vec<Pot>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BetLimit<'a> {
    bet_type: Cow<'a, str>,
    #[serde(default)]
    bet_cap: Option<Number>,
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
    starting_stack: Number,
    #[serde(default, skip_serializing)]
    player_bounty: Option<IgnoredAny>,
    #[serde(default, skip_serializing)]
    is_sitting_out: Option<bool>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Round<'a> {
    id: u64,
    pub(crate) street: Cow<'a, str>,
    #[serde(default)]
    pub(crate) cards: Cards,
    pub(crate) actions: Vec<Action<'a>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Action<'a> {
    action_number: u64,
    player_id: u64,
    pub(crate) action: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) amount: Option<Number>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    is_allin: Option<bool>,
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
    jackpot: Option<Number>,
    player_wins: Vec<Win>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Win {
    player_id: u64,
    win_amount: Number,
    #[serde(default, skip_serializing)]
    cashout_amount: Option<Number>,
    #[serde(default, skip_serializing)]
    cashout_fee: Option<Number>,
    #[serde(default, skip_serializing)]
    bonus_amount: Option<Number>,
    #[serde(default, skip_serializing)]
    contributed_rake: Option<Number>,
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

/// Whether a file that begins with these bytes is of this format.
pub(super) fn is_start(text: &str) -> bool {
    let rest = text.trim_start_matches('\u{feff}').trim_start().strip_prefix('{');
    rest.is_some_and(|rest| rest.trim_start().starts_with("\"ohh\""))
}

/// Parses a file's text: the hands with the names by seat, or an error for each that cannot be
/// read.
///
/// Hands of the same game share its definition.
pub(super) fn read(text: &str) -> SiteHands {
    let text = text.trim_start_matches('\u{feff}');
    let (mut found, mut shared) = (SiteHands::default(), None);
    let (mut at, mut first, mut counted) = (0, 1, 0);
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        first += text[counted..at].matches('\n').count() as u64;
        counted = at;
        let mut lines = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Line<'_>>();
        let Some(read) = lines.next() else { return found };
        let number = found.hands.len() as u64;
        let hand = match read {
            Ok(Line { ohh }) => {
                at += lines.byte_offset();
                let money = Money::new(&ohh);
                if money.as_ref().is_ok_and(|money| money.scale > 1) {
                    found.money.insert(format!("1 {}", ohh.currency));
                }
                found.number(&ohh.game_number, first);
                let hand = money.and_then(|money| read_hand(&ohh, number, money, &mut shared));
                hand.map_err(|refusal| refusal.error(FORMAT, first))
            }
            Err(error) => {
                let rest = &text[at..];
                let mut skipped = serde_json::Deserializer::from_str(rest).into_iter();
                let whole = matches!(skipped.next(), Some(Ok(IgnoredAny)));
                let next = rest.find("\n{").map(|at| at + 1);
                let cut = error.is_eof() && next.is_none();
                at += if whole { skipped.byte_offset() } else { next.unwrap_or(rest.len()) };
                let line = first + error.line() as u64 - 1;
                Err(ReadError { cut, ..ReadError::new(FORMAT, line, error.to_string()) })
            }
        };
        found.hands.push(hand);
    }
}

/// Replays a hand; `index` is its number in the file.
fn read_hand(
    hand: &Hand<'_>,
    index: u64,
    money: Money,
    shared: &mut Option<Arc<GameDef>>,
) -> Result<SiteHand, Refusal> {
    let sizes = [&hand.small_blind_amount, &hand.big_blind_amount];
    let [small, big] = [money.chips(sizes[0])?, money.chips(sizes[1])?];
    let (betting, sizes) = match &*hand.bet_limit.bet_type {
        "NL" => (Betting::NoLimit, [small, big]),
        "FL" => (Betting::Limit, [big, big.saturating_mul(2)]),
        other => {
            let reason = format!("bet_type `{other}` is not supported: NL and FL are");
            return Err(Refusal::unsupported("of other games", reason));
        }
    };
    let (mut ids, mut players) = (Vec::new(), Vec::new());
    for player in hand.players.iter().filter(|player| player.is_sitting_out != Some(true)) {
        if ids.contains(&player.id) {
            return Err(format!("two players have the id {}", player.id).into());
        }
        ids.push(player.id);
        players.push(SeatedPlayer {
            seat: player.seat,
            name: player.name.clone().into_owned(),
            stack: money.chips(&player.starting_stack)?,
        });
    }
    let player = |id: u64| {
        let place = ids.iter().position(|&known| known == id);
        place.ok_or_else(|| format!("no player who is dealt in has the id {id}"))
    };
    let at = |action: &Action<'_>, refusal: Refusal| {
        refusal.at_place(&format!("action {}, `{}`", action.action_number, action.action))
    };
    let button = hand.dealer_seat;
    let mut start = Start { betting, sizes, button, players, posts: [None; 2] };
    let posts = |action: &&Action<'_>| matches!(&*action.action, "Post SB" | "Post BB");
    for action in hand.rounds.iter().take(1).flat_map(|round| &round.actions).filter(posts) {
        let big = action.action == "Post BB";
        let posted = (|| start.post(big, player(action.player_id)?, money.added(action)?))();
        posted.map_err(|refusal| at(action, refusal))?;
    }
    let mut table = start.begin(shared)?;
    for (number, round) in hand.rounds.iter().enumerate() {
        let name = &*round.street;
        match table.public().turn() {
            _ if number == 0 && name == "Preflop" && round.cards.0.is_empty() => {}
            _ if number > 0 && name == "Showdown" && round.cards.0.is_empty() => {}
            Turn::Deal(street) if street.name().eq_ignore_ascii_case(name) => {
                table.deal(&round.cards.0).map_err(|reason| format!("{name}: {reason}"))?;
            }
            _ => return Err(format!("a round `{name}` cannot be here").into()),
        }
        for action in round.actions.iter().filter(|action| number > 0 || !posts(action)) {
            // Who comes and goes does not play.
            if !matches!(&*action.action, "Sits Down" | "Stands Up") {
                let done = player(action.player_id).map_err(Refusal::from);
                let done = done.and_then(|who| act(&mut table, who, action, money));
                done.map_err(|refusal| at(action, refusal))?;
            }
        }
    }
    for pot in &hand.pots {
        let mut paid = Payoff::ZERO;
        for win in &pot.player_wins {
            let won = money.won(&win.win_amount)?;
            paid += won;
            table.win(player(win.player_id)?, won);
            for (what, amount) in [
                ("cashout_amount", &win.cashout_amount),
                ("cashout_fee", &win.cashout_fee),
                ("bonus_amount", &win.bonus_amount),
                ("contributed_rake", &win.contributed_rake),
            ] {
                money.nothing(what, amount.as_ref())?;
            }
        }
        money.nothing("rake", pot.rake.as_ref())?;
        money.nothing("jackpot", pot.jackpot.as_ref())?;
        let amount = money.won(&pot.amount)?;
        if amount != paid {
            return Err(format!("of a pot of {amount} chips {paid} are won").into());
        }
    }
    // Numbers that do not end in digits are of no use here.
    let digits = hand.game_number.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let number = hand.game_number[digits..].parse().ok().filter(|&number: &u64| number < 1 << 32);
    table.finish(number.unwrap_or(index))
}

/// Plays an action, or notes the cards of one.
fn act(
    table: &mut TableHand,
    player: usize,
    action: &Action<'_>,
    money: Money,
) -> Result<(), Refusal> {
    let added = || money.added(action);
    let (did, added) = match &*action.action {
        "Fold" => (ActionTaken::Fold, None),
        "Check" => (ActionTaken::Check, None),
        "Call" => (ActionTaken::Call, Some(added()?)),
        "Bet" => (ActionTaken::Bet, Some(added()?)),
        "Raise" => (table.raise_by(player, added()?), None),
        "Dealt Cards" | "Shows Cards" | "Mucks Cards" => {
            money.nothing("amount", action.amount.as_ref())?;
            return match action.cards.0[..] {
                [] => Ok(()),
                // One alone is not kept.
                [_] if action.action == "Shows Cards" => Ok(()),
                [a, b] if a != b => {
                    let cards = HoleCards::new(&[a, b]);
                    Ok(table.show(player, cards.expect("two are few enough"))?)
                }
                _ => Err("these are not two cards".into()),
            };
        }
        other => {
            let kind = match other {
                "Post Ante" | "Straddle" | "Post Dead" | "Post Extra Blind" => {
                    "with antes, straddles or dead blinds"
                }
                _ => return Err("this action is not known here".into()),
            };
            return Err(Refusal::unsupported(kind, "this is not supported"));
        }
    };
    if matches!(did, ActionTaken::Fold | ActionTaken::Check) {
        money.nothing("amount", action.amount.as_ref())?;
    }
    Ok(table.act(player, did, added, action.is_allin == Some(true))?)
}

/// The unit of a hand's amounts.
#[derive(Debug, Clone, Copy)]
struct Money {
    /// The chips that one unit is.
    scale: u32,
}

impl Money {
    /// The unit of a hand; an error where the hand is of a kind that is not supported.
    fn new(hand: &Hand<'_>) -> Result<Money, Refusal> {
        let currency = &*hand.currency;
        if !code(currency) {
            let reason = format!("the currency `{currency}` is not a code of three letters");
            return Err(reason.into());
        }
        let money = Money { scale: if hand.tournament || currency == "XXX" { 1 } else { 100 } };
        if hand.game_type != "Holdem" {
            let reason = format!("game_type `{}` is not supported: Holdem is", hand.game_type);
            return Err(Refusal::unsupported("of other games", reason));
        }
        money.nothing("bet_cap", hand.bet_limit.bet_cap.as_ref())?;
        money.nothing("ante_amount", hand.ante_amount.as_ref())?;
        let mut flags = hand.flags.iter().flatten();
        match flags.find(|flag| !["Observed", "Anonymous", "Fast"].contains(&flag.as_ref())) {
            Some(flag) => {
                let reason = format!("the flag `{flag}` is not supported");
                Err(Refusal::unsupported("dealt in unusual ways", reason))
            }
            None => Ok(money),
        }
    }

    fn chips(self, amount: &Number) -> Result<Chips, String> {
        chips(&amount.to_string(), self.scale)
    }

    /// The chips that an action puts in.
    fn added(self, action: &Action<'_>) -> Result<Chips, String> {
        self.chips(action.amount.as_ref().ok_or("the amount is missing")?)
    }

    /// What a pot pays, which may be parts of a chip.
    fn won(self, amount: &Number) -> Result<Payoff, String> {
        let chips = amount.as_f64().unwrap_or(f64::NAN) * f64::from(self.scale);
        if !(0.0..=10.0 * f64::from(GameSpec::MAX_STACK)).contains(&chips) {
            return Err(format!("`{amount}` is not an amount that a pot can pay"));
        }
        Ok(Payoff::from_parts((chips * Payoff::PER_CHIP as f64).round() as i64))
    }

    /// Checks an amount that must be 0.
    fn nothing(self, what: &str, amount: Option<&Number>) -> Result<(), Refusal> {
        let kind = match what {
            "ante_amount" => "with antes, straddles or dead blinds",
            "bet_cap" => "of other games",
            _ => RAKE,
        };
        match amount.and_then(Number::as_f64) {
            Some(found) if found != 0.0 => {
                Err(Refusal::unsupported(kind, format!("{what} {found} is not supported")))
            }
            _ => Ok(()),
        }
    }
}
