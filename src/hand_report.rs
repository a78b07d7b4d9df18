//! A recorded hand in words and figures: the same value is the list of `cardroom explain decision`,
//! the hand's page and its JSON. Amounts in words are in big blinds.
//!
//! A decision's *price* is what it cost by the player's own values: the best value that it gave
//! less that of the action played. Players that give no values have no prices.

use std::fmt;

use cards::{Card, evaluate};
use game::{Action, Chips, Position, PublicState, Seat, Street, notation};
use logs::estimate::{Estimates, HandLedger};
use logs::{DecisionRecord, HandRecord, MatchInfo};
use models::chart::{self, distinct};
use schemars::JsonSchema;
use serde::Serialize;
use show::number::capital;

use crate::hand_words::{action_words_in, hand_name, in_blinds, street_cards};
use crate::output::Report;

/// A hand without its decisions, as in lists.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "HandLine")]
pub struct HandLine {
    /// The hand's number, from 0.
    pub hand: u64,
    /// The number of its deal, which the hands of a duplicate group share.
    pub deal: u64,
    /// The betting in ACPC notation.
    pub betting: String,
    /// The betting in words, with amounts in big blinds.
    pub line: String,
    /// The board as far as dealt.
    pub board: String,
    /// The big blind in chips.
    pub big_blind: Chips,
    /// All chips that were put in.
    pub pot: u64,
    /// Whether hands were compared.
    pub showdown: bool,
    /// What the decisions cost by the players' own values, in big blinds; null without values.
    pub price: Option<f64>,
    /// The players in the order of the match.
    pub players: Vec<HandPlayer>,
}

/// A player of a hand.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HandPlayer {
    /// The player's name.
    pub name: String,
    /// The seat, from 0.
    pub seat: u8,
    /// The seat by its role.
    pub position: String,
    /// The hole cards; empty when unknown.
    pub cards: String,
    /// The winnings in chips.
    pub won: f64,
    /// The gain by the luck of the cards in big blinds, by the value function of `stats --values
    /// equity`; null where it is not known.
    pub luck: Option<f64>,
}

/// A hand with its decisions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PlayedHand")]
pub struct HandReport {
    /// The match's name.
    #[serde(rename = "match")]
    pub of: String,
    #[serde(flatten)]
    pub line: HandLine,
    /// The streets that it came to, with the cards of each.
    pub streets: Vec<HandStreet>,
    /// The end of the hand in words.
    pub result: String,
    /// What the first player's result is made of, in big blinds; null where the luck of the cards
    /// is not known.
    pub ledger: Option<LedgerReport>,
    /// Whether decisions were recorded; else they are only the actions.
    pub recorded: bool,
    /// The decisions in order.
    pub decisions: Vec<HandDecision>,
}

/// What the result of the first of two players is made of, in big blinds, by the value function of
/// `stats --values equity`: the parts add up to it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LedgerReport {
    /// The hole cards.
    pub hole_cards: f64,
    /// The cards of each street.
    pub board: [f64; 3],
    /// The player's own draws from strategies that are recorded.
    pub own_draws: f64,
    /// The other one's draws from strategies that are recorded.
    pub other_draws: f64,
    /// What both did.
    pub play: f64,
    /// The same by street, before the flop first.
    pub play_by_street: [f64; 4],
}

/// A street of a hand.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HandStreet {
    /// The street.
    pub street: &'static str,
    /// The cards that were dealt on it.
    pub cards: String,
}

/// A decision of a hand.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HandDecision {
    /// The number in the hand, from 0, over all players.
    pub number: u32,
    /// The street.
    pub street: &'static str,
    /// The place of the player in the match.
    pub entrant: u8,
    /// The player's name.
    pub player: String,
    /// The player's hole cards.
    pub cards: String,
    /// The action in words, with amounts in chips.
    pub action: String,
    /// The action in the third person, with amounts in big blinds.
    pub words: String,
    /// The chips in the pot before it.
    pub pot: u64,
    /// The chips that a call takes; 0 where there is no bet.
    pub to_call: Chips,
    /// The actions that the player chose from, with the one played; empty if it gave neither
    /// probabilities nor values.
    pub choices: Vec<HandChoice>,
    /// What the action cost by the player's own values, in big blinds; null without values.
    pub price: Option<f64>,
    /// The player's explanation.
    pub note: Option<String>,
    /// What was asked for, if it was not legal, in words.
    pub corrected_from: Option<String>,
    /// Why a check or fold was played in place of an answer, in words.
    pub fallback: Option<&'static str>,
}

/// An action with its probability and its value.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HandChoice {
    /// The action in ACPC notation.
    pub action: String,
    /// The action in words, with amounts in big blinds.
    pub words: String,
    /// The probability; null if the player gave none.
    pub probability: Option<f64>,
    /// What it wins on average over the whole hand, in big blinds; null if the player gave none.
    pub value: Option<f64>,
    /// Whether it was played.
    pub played: bool,
}

impl HandLine {
    /// A hand of a match with its recorded decisions, if there are any; the luck of the cards is
    /// that of these estimates.
    pub fn new(
        info: &MatchInfo,
        record: &HandRecord,
        recorded: &[DecisionRecord],
        luck: Option<&Estimates>,
    ) -> HandLine {
        let names = info.names();
        let def = record.public.def();
        let luck = luck.and_then(|estimates| estimates.luck(record));
        let player = |entrant: usize| {
            let at = record.entrants.iter().find(|&(_, &other)| usize::from(other) == entrant);
            let seat = at.map_or(Seat::new(0).expect("a seat"), |(seat, _)| seat);
            HandPlayer {
                name: names[entrant].clone(),
                seat: seat.index() as u8,
                // Antes, the same for all, are no blinds.
                position: match def.position(seat) {
                    Position::BigBlind if def.blinds.iter().all(|&ante| ante == def.blinds[0]) => {
                        format!("seat {}", seat.index() + 1)
                    }
                    position => position.to_string(),
                },
                cards: record.hole[seat].to_string(),
                won: record.payoffs[seat].chips(),
                // The estimates are those of the first of two players.
                luck: luck.map(|luck| if entrant == 0 { luck } else { -luck }),
            }
        };
        HandLine {
            hand: record.hand,
            deal: record.deal,
            betting: notation::betting(&record.public),
            line: line_words(record),
            board: record.public.board().to_string(),
            big_blind: def.big_blind(),
            pot: record.public.pot(),
            showdown: record.public.is_showdown(),
            price: price_of_hand(recorded, def.big_blind()),
            players: (0..info.players()).map(player).collect(),
        }
    }
}

/// The estimates that [`HandLine::new`] takes: those of the first player by the value function of
/// `stats --values equity`; `None` for games without.
pub fn luck_by_equity(info: &MatchInfo) -> Option<Estimates> {
    Estimates::of_game(&info.game, 1, 0).map(Estimates::unfitted)
}

/// An action in words, as [`action_words_in`] has them, with amounts in big blinds.
pub(crate) fn words_in_blinds(public: &PublicState, action: Action) -> (&'static str, String) {
    let big_blind = public.def().big_blind();
    let amount = |chips: Chips| format!("{} bb", in_blinds(f64::from(chips), big_blind));
    action_words_in(action, public, &amount)
}

/// The betting street by street: `raises to 2.5, calls; flop: checks, bets 3, folds`.
fn line_words(record: &HandRecord) -> String {
    line_words_before(record, usize::MAX)
}

/// The betting before the action of this number.
pub(crate) fn line_words_before(record: &HandRecord, number: usize) -> String {
    let big_blind = record.public.def().big_blind();
    let amount = |chips: Chips| in_blinds(f64::from(chips), big_blind);
    let (mut text, mut street) = (String::new(), Street::Preflop);
    record.public.each_decision(|public, played| {
        if public.history().len() >= number {
            return;
        }
        let (verb, rest) = action_words_in(played.action, public, &amount);
        let mark = match (played.street == street, text.is_empty()) {
            (true, true) => String::new(),
            (true, false) => ", ".to_owned(),
            (false, true) => format!("{}: ", played.street),
            (false, false) => format!("; {}: ", played.street),
        };
        street = played.street;
        text += &format!("{mark}{verb}s{rest}");
    });
    text
}

impl HandReport {
    /// A hand of a match with its recorded decisions, if there are any.
    pub fn new(
        info: &MatchInfo,
        record: &HandRecord,
        recorded: &[DecisionRecord],
        luck: Option<&Estimates>,
    ) -> HandReport {
        let line = HandLine::new(info, record, recorded, luck);
        let mut decisions = Vec::with_capacity(record.public.history().len());
        record.public.each_decision(|public, played| {
            let number = public.history().len() as u32;
            let entrant = record.entrants[played.seat];
            let player = &line.players[usize::from(entrant)];
            let made = recorded.iter().find(|decision| decision.index == number);
            decisions.push(HandDecision::new(public, record, player, (number, entrant), made));
        });
        let ledger = luck.and_then(|estimates| estimates.ledger(record, recorded));
        let ledger = ledger.map(|ledger| {
            let play = ledger.both_did();
            let HandLedger { cards, own_draws, other_draws, play: play_by_street } = ledger;
            let [hole_cards, board @ ..] = cards;
            LedgerReport { hole_cards, board, own_draws, other_draws, play, play_by_street }
        });
        let (of, recorded) = (info.name.clone(), !recorded.is_empty());
        let (streets, result) = (streets(&record.public), result(record, &line));
        HandReport { of, streets, result, ledger, recorded, decisions, line }
    }

    /// The decisions of a street.
    pub fn on_street<'a>(&'a self, street: &'a str) -> impl Iterator<Item = &'a HandDecision> {
        self.decisions.iter().filter(move |decision| decision.street == street)
    }

    /// The hand as text to copy: the players, the betting street by street, the result.
    pub fn plain_text(&self) -> String {
        let mut text = format!("Hand {} of {}\n", self.line.hand, self.of);
        for HandPlayer { name, position, cards, .. } in &self.line.players {
            let cards = if cards.is_empty() { "unknown" } else { cards };
            text += &format!("{name} ({position}): {cards}\n");
        }
        for HandStreet { street, cards } in &self.streets {
            let said = self.on_street(street);
            let said = said.map(|decision| format!("{} {}", decision.player, decision.words));
            let said: Vec<String> = said.collect();
            let head = [*street, cards].join(" ");
            let mark = if said.is_empty() { "" } else { ": " };
            text += &format!("{}{mark}{}\n", capital(head.trim_end()), said.join(", "));
        }
        text + &self.result + "\n"
    }

    /// What the decisions of a player cost by its own values, in big blinds; `None` without values.
    pub fn price(&self, entrant: u8) -> Option<f64> {
        let own = self.decisions.iter().filter(|decision| decision.entrant == entrant);
        let prices: Vec<f64> = own.filter_map(|decision| decision.price).collect();
        (!prices.is_empty()).then(|| prices.iter().sum())
    }
}

impl HandDecision {
    fn new(
        public: &PublicState,
        record: &HandRecord,
        player: &HandPlayer,
        (number, entrant): (u32, u8),
        made: Option<&DecisionRecord>,
    ) -> HandDecision {
        let played = record.public.history()[number as usize];
        let (verb, rest) = words_in_blinds(public, played.action);
        let second_person = |action: Action| {
            let (verb, rest) = words_in_blinds(public, action);
            format!("{verb}{rest}")
        };
        HandDecision {
            number,
            street: played.street.name(),
            entrant,
            player: player.name.clone(),
            cards: player.cards.clone(),
            action: chart::action_words(public, played.action),
            words: format!("{verb}s{rest}"),
            pot: public.pot(),
            to_call: public.legal().to_call,
            choices: made.map(|made| choices(public, made)).unwrap_or_default(),
            price: made.and_then(|made| price(made, public.def().big_blind())),
            note: made.and_then(|made| made.note.clone()).filter(|note| !note.is_empty()),
            corrected_from: made.and_then(|made| made.corrected_from).map(second_person),
            fallback: made.and_then(|made| made.fallback).map(logs::Fallback::words),
        }
    }
}

/// The streets that a hand came to.
fn streets(public: &PublicState) -> Vec<HandStreet> {
    let def = public.def();
    let last = public.history().last().map(|played| played.street);
    let reached = Street::ALL.into_iter().filter(|&street| {
        let dealt = public.board().len() >= def.board_len(street);
        dealt && (Some(street) <= last || public.is_showdown() && street <= public.street())
    });
    let cards = |street| street_cards(public, street).iter().map(Card::to_string).collect();
    reached.map(|street| HandStreet { street: street.name(), cards: cards(street) }).collect()
}

/// What an action cost by the player's own values, in big blinds.
pub fn price(made: &DecisionRecord, big_blind: Chips) -> Option<f64> {
    let played = made.values.iter().find(|(action, _)| *action == made.action)?.1;
    let best = made.values.iter().map(|&(_, value)| value).fold(played, f64::max);
    Some((best - played) / f64::from(big_blind.max(1)))
}

/// What the decisions of a hand cost by the players' own values, in big blinds; `None` without
/// values.
pub fn price_of_hand(recorded: &[DecisionRecord], big_blind: Chips) -> Option<f64> {
    let prices = recorded.iter().filter_map(|made| price(made, big_blind));
    prices.fold(None, |sum, price| Some(sum.unwrap_or(0.0) + price))
}

fn choices(public: &PublicState, made: &DecisionRecord) -> Vec<HandChoice> {
    let strategy = made.strategy.as_ref().map_or(&[][..], |strategy| &strategy.actions);
    if strategy.is_empty() && made.values.is_empty() {
        return Vec::new();
    }
    let find = |pairs: &[(Action, f64)], action: Action| {
        pairs.iter().find(|(other, _)| *other == action).map(|&(_, number)| number)
    };
    let big_blind = f64::from(public.def().big_blind().max(1));
    let named = strategy.iter().chain(&made.values).map(|&(action, _)| action);
    let choice = |action: Action| {
        let (verb, rest) = words_in_blinds(public, action);
        HandChoice {
            action: notation::action(action),
            words: format!("{verb}{rest}"),
            probability: (!strategy.is_empty()).then(|| find(strategy, action).unwrap_or(0.0)),
            value: find(&made.values, action).map(|chips| chips / big_blind),
            played: action == made.action,
        }
    };
    distinct(named.chain([made.action])).into_iter().map(choice).collect()
}

/// The end of a hand in words: who wins how much, and with what.
fn result(record: &HandRecord, line: &HandLine) -> String {
    let public = &record.public;
    let holds = |seat: Seat| {
        let hole = record.hole[seat];
        let known = line.showdown && !hole.is_empty() && public.board().len() == 5;
        let def = public.def();
        let usual = (def.suits, def.ranks, def.hole_cards) == (4, 13, 2);
        let cards = || hole.iter().chain(&*public.board()).copied().collect();
        (known && usual).then(|| hand_name(evaluate(cards())))
    };
    let named = |player: &HandPlayer| {
        let name = Seat::new(usize::from(player.seat)).and_then(holds);
        match name {
            Some(hand) => format!("{} has {hand}", player.name),
            None => player.name.clone(),
        }
    };
    let amount = |won: f64| in_blinds(won.abs(), line.big_blind);
    let winners: Vec<&HandPlayer> = line.players.iter().filter(|player| player.won > 0.0).collect();
    let takes = match &*winners {
        [] => "nobody wins or loses".to_owned(),
        winners => {
            let takes = winners.iter();
            let takes =
                takes.map(|player| format!("{} wins {} bb", player.name, amount(player.won)));
            takes.collect::<Vec<_>>().join(", ")
        }
    };
    if !line.showdown {
        let folds = public.history().last().map(|last| record.entrants[last.seat]);
        let folds = folds.and_then(|entrant| line.players.get(usize::from(entrant)));
        return match folds {
            Some(player) => format!("{} folds, {takes}", player.name),
            None => takes,
        };
    }
    let remaining = public.remaining();
    let shown = line.players.iter().filter(|player| {
        Seat::new(usize::from(player.seat)).is_some_and(|seat| remaining.contains(seat))
    });
    let shown: Vec<String> = shown.map(named).filter(|text| text.contains(" has ")).collect();
    if shown.is_empty() {
        format!("showdown, {takes}")
    } else {
        format!("{}: {takes}", shown.join(", "))
    }
}

impl Report for HandReport {
    const SCHEMA: &'static str = "cardroom-explain-decisions/1";
}

/// The list of `cardroom explain decision`: a line for each decision.
impl fmt::Display for HandReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "hand {}: {}", self.line.hand, self.line.betting)?;
        for decision in &self.decisions {
            let HandDecision { number, street, player, cards, action, .. } = decision;
            let price = decision.price.map(|price| format!("  price {price:.2} bb"));
            // The whole note is shown with the decision itself.
            let note = decision.note.as_deref().and_then(|note| note.lines().next());
            let note = note.filter(|note| !note.is_empty()).map(|note| format!("  {note}"));
            writeln!(
                f,
                "{number:>3}  {street:<7}  {player:<12}  {cards}  {action}{}{}",
                price.unwrap_or_default(),
                note.unwrap_or_default()
            )?;
        }
        Ok(())
    }
}
