//! The page of a hand: the felt, which the script steps through, the decisions with their
//! strategies and prices, and the hand in other forms. Without the script the felt shows the end,
//! and the list of decisions is the whole hand.

use std::io::{self, Write};
use std::path::Path as FilePath;
use std::sync::{Arc, Mutex};

use abstraction::menu::{BetMenu, BetSize};
use askama::Template;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use cards::{HoleCards, evaluate};
use game::{
    Action, Betting, BySeat, Chips, GameDef, GameSpec, PublicState, Seat, Street, Turn, notation,
};
use logs::formats::{ExportError, Format, write_match};
use logs::ledger::BettingLine;
use logs::{HandRecord, LedgerError, MatchInfo};
use protocol::slumbot::action::board_order;
use schemars::JsonSchema;
use serde::Serialize;
use show::number::{capital, counted, decimal, rounded_percent, signed_minus};

use super::{Asked, HandQuery, Opened, Refused, Sort, Wanted, asked, base, blinds};
use crate::analysis::{Analysis, DearAction, DearDecision, LEAST};
use crate::hand_report::{
    HandDecision, HandPlayer, HandReport, HandStreet, LedgerReport, luck_by_equity,
};
use crate::hand_words::{hand_name, in_blinds, note_in_words};
use crate::shell;
use crate::web::Site;
use crate::web::analyse::kept_analysis;
use crate::web::pages::{
    Bar, CardText, CardView, Thought, blocking, cards_of, class, message, page, sentence,
};

/// A hand with its place in the list that it was found in.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "HandInList")]
pub struct HandView {
    /// The hand.
    #[serde(flatten)]
    report: HandReport,
    /// The hand before it in the list; null if it is the first one, or not in the list.
    previous: Option<u64>,
    /// The hand after it.
    next: Option<u64>,
    /// The other hands of its deal.
    same_deal: Vec<OtherHand>,
    /// What the match's last analysis says of its decisions; null if there is none.
    analysis: Option<HandAnalysis>,
}

/// What the analysis that is kept with a match says of a hand.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HandAnalysis {
    /// The player whose decisions were priced.
    player: String,
    /// The agent that priced them.
    by: String,
    /// The agent that priced those that it does not solve; null if it solves nothing.
    unsolved_by: Option<String>,
    /// The decisions that cost something and are among the dearest that the analysis lists.
    decisions: Vec<DearDecision>,
}

impl HandAnalysis {
    /// What the analysis in a match's folder says of a hand.
    fn of(folder: &FilePath, hand: u64) -> Option<HandAnalysis> {
        let Analysis { player, by, unsolved_by, mut dearest, .. } = kept_analysis(folder)?;
        dearest.retain(|dear| dear.hand == hand);
        Some(HandAnalysis { player, by, unsolved_by, decisions: dearest })
    }
}

/// Another hand of the same deal.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OtherHand {
    /// The hand's number.
    hand: u64,
    /// Where it goes another way, in words; null if it went the same way.
    differs: Option<String>,
}

/// What a page or a document of a hand is made of.
struct Found {
    view: HandView,
    record: HandRecord,
    info: MatchInfo,
    wanted: Wanted,
    /// The command that explains the hand's decisions.
    command: String,
}

impl Found {
    /// Reads a hand; its match must have it, and all others of its deal that a running match is
    /// still to play must be over.
    fn read(site: &Site, id: &str, number: u64, query: &HandQuery) -> Result<Found, Refused> {
        let opened = Opened::open(site, id, query)?;
        let missing = || Refused::Missing("there is no hand with this number in the match");
        let reader = &opened.reader;
        let record = reader.hand(number)?.ok_or_else(missing)?;
        let info = reader.info().clone();
        let others = reader.others_of_deal(number)?;
        if opened.wanted.filter.whole_deals && others.len() + 1 < info.group() {
            return Err(Refused::Missing(
                "this hand is shown when the other hands of its deal, which have the same cards, \
                 are over",
            ));
        }
        let luck = luck_by_equity(&info);
        let report = HandReport::new(&info, &record, &reader.decisions(number)?, luck.as_ref());
        let report = HandReport { of: opened.id.clone(), ..report };
        let [previous, next] = match opened.ranked(site)? {
            Some(ranked) => {
                let place = ranked.iter().position(|&hand| hand == number);
                let at = |place: Option<usize>| ranked.get(place?).copied();
                let before = place.and_then(|place| place.checked_sub(1));
                [at(before), at(place.map(|place| place + 1))]
            }
            None => reader.neighbours_where(&opened.wanted.filter, number)?,
        };
        let same = |hand: u64| -> Result<Option<OtherHand>, LedgerError> {
            let other = reader.hand(hand)?;
            Ok(other.map(|other| OtherHand { hand, differs: difference(&info, &record, &other) }))
        };
        let same_deal = others.into_iter().map(same).filter_map(Result::transpose);
        let same_deal = same_deal.collect::<Result<Vec<_>, LedgerError>>()?;
        let folder = reader.path().parent().unwrap_or(reader.path());
        let analysis = HandAnalysis::of(folder, number);
        let view = HandView { report, previous, next, same_deal, analysis };
        let folder = folder.display().to_string();
        let command = ["cardroom", "explain", "decision", &folder, &number.to_string()];
        let command = shell::line(command);
        Ok(Found { view, record, info, wanted: opened.wanted, command })
    }
}

/// Where another hand of the deal first goes another way; `None` if it does not.
fn difference(info: &MatchInfo, record: &HandRecord, other: &HandRecord) -> Option<String> {
    let (ours, theirs) = (record.public.history(), other.public.history());
    let at = (0..ours.len().max(theirs.len())).find(|&at| {
        let action = |history: &[game::Played]| history.get(at).map(|played| played.action);
        action(ours) != action(theirs)
    })?;
    let made = |record: &HandRecord| {
        let report = HandReport::new(info, record, &[], None);
        report.decisions.get(at).cloned()
    };
    let [ours, theirs] = [made(record), made(other)];
    let (ours, theirs) = (ours?, theirs?);
    let street = ours.street;
    let there = format!("{} {}", theirs.player, theirs.words);
    let here = format!("{} {}", ours.player, ours.words);
    Some(
        format!("on the {street} {there}, here {here}")
            .replace("on the preflop", "before the flop"),
    )
}

/// The hand as JSON.
pub async fn json(
    State(site): State<Site>,
    Path((id, number)): Path<(String, String)>,
    query: Asked,
) -> Response {
    let read = move || Found::read(&site, &id, numbered(&number)?, &asked(query)?);
    match blocking(read).await {
        Ok(Ok(found)) => Json(found.view).into_response(),
        Ok(Err(refused)) => refused.into_json(),
        Err(response) => response,
    }
}

fn numbered(text: &str) -> Result<u64, Refused> {
    text.parse().map_err(|_| Refused::Missing("there is no hand with this number in the match"))
}

/// The page of a hand, or the hand in the form that the query names.
pub async fn html(
    State(site): State<Site>,
    Path((id, number)): Path<(String, String)>,
    query: Asked,
) -> Response {
    let read = move || {
        let query = asked(query)?;
        let found = Found::read(&site, &id, numbered(&number)?, &query)?;
        match query.format.as_str() {
            "" => Ok(page(&HandPage::new(&found))),
            form => found.in_form(form),
        }
    };
    match blocking(read).await {
        Ok(Ok(response)) => response,
        Ok(Err(refused)) => refused.into_page(),
        Err(response) => response,
    }
}

/// The forms of a hand, with their names for people.
const FORMS: [(&str, &str); 4] =
    [("phh", "PHH"), ("pokerstars", "PokerStars"), ("text", "text"), ("json", "JSON")];

impl Found {
    fn in_form(self, form: &str) -> Result<Response, Refused> {
        let text = |text: String| {
            ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
        };
        let exported = |format| match exported(&self.info, &self.record, format) {
            Ok(hand) => text(hand),
            Err(why) => message(StatusCode::NOT_FOUND, "No such form", &format!("{why}.")),
        };
        Ok(match form {
            "phh" => exported(Format::Phhs),
            "pokerstars" => exported(Format::PokerStars),
            "text" => text(self.view.report.plain_text()),
            "json" => Json(self.view).into_response(),
            other => {
                let names = FORMS.map(|(name, _)| name).join(", ");
                let other = super::quoted(other);
                return Err(Refused::Query(format!("`format` is one of {names}, and not {other}")));
            }
        })
    }
}

/// A file in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        parallel::lock(&self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A hand as `cardroom export` writes it; the error says why it cannot.
fn exported(info: &MatchInfo, record: &HandRecord, format: Format) -> Result<String, String> {
    let memory = Memory::default();
    let hands = std::iter::once(Ok::<_, LedgerError>(record.clone()));
    write_match(format, info, hands, 1, &mut |_| Ok(Box::new(memory.clone())))
        .map_err(|error: ExportError<LedgerError>| error.to_string())?;
    let bytes = parallel::lock(&memory.0);
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The state of the table before an action, or at the end, as the script shows it.
#[derive(Serialize)]
struct Step {
    pot: String,
    /// The number of cards on the board.
    board: usize,
    /// By seat.
    seats: Vec<SeatStep>,
}

#[derive(Clone, Serialize)]
struct SeatStep {
    stack: String,
    /// The chips put in on this street; empty for none.
    bet: String,
    /// The last action on this street, or the hand at the end.
    note: String,
    turn: bool,
    folded: bool,
    /// The places of the hole cards that have been put on the board.
    gone: Vec<usize>,
}

impl Step {
    /// The state, with the last words of each seat on this street and the hole cards.
    fn new(public: &PublicState, said: &[String], hole: &BySeat<HoleCards>) -> Step {
        let board = public.board();
        let big_blind = public.def().big_blind();
        let bb = |chips: f64| in_blinds(chips, big_blind);
        let over = public.turn() == Turn::Over;
        let seat = |seat: Seat| {
            let bet = public.committed_street(seat);
            SeatStep {
                stack: match public.stack(seat) {
                    // A game that names no stacks has the largest.
                    stack if stack > GameSpec::MAX_STACK / 2 => String::new(),
                    stack => format!("{} bb", bb(f64::from(stack))),
                },
                bet: if bet > 0 && !over { bb(f64::from(bet)) } else { String::new() },
                note: said[seat.index()].clone(),
                turn: public.turn() == Turn::Act(seat),
                folded: public.folded().contains(seat),
                gone: (0..hole[seat].len()).filter(|&at| board.contains(&hole[seat][at])).collect(),
            }
        };
        Step {
            pot: bb(public.pot() as f64),
            board: board.len(),
            seats: public.def().seats().map(seat).collect(),
        }
    }
}

/// The steps of a hand: before each action, and the end.
fn steps(record: &HandRecord, report: &HandReport) -> Vec<Step> {
    let players = record.entrants.len();
    let mut said = vec![String::new(); players];
    let mut street = Street::Preflop;
    let mut steps = Vec::with_capacity(report.decisions.len() + 1);
    record.public.each_decision(|public, played| {
        if public.street() != street {
            street = public.street();
            said.iter_mut().for_each(String::clear);
        }
        steps.push(Step::new(public, &said, &record.hole));
        if let Some(decision) = report.decisions.get(public.history().len()) {
            said[played.seat.index()].clone_from(&decision.words);
        }
    });
    let public = &record.public;
    let usual = public.def().differs_from_holdem().is_none() && public.board().len() == 5;
    for seat in public.remaining().iter().filter(|_| usual && public.is_showdown()) {
        let hole = record.hole[seat];
        if !hole.is_empty() {
            let cards = hole.iter().chain(&*public.board()).copied().collect();
            said[seat.index()] = hand_name(evaluate(cards));
        }
    }
    steps.push(Step::new(public, &said, &record.hole));
    steps
}

/// A player at the table.
struct FeltSeat {
    seat: usize,
    name: String,
    cards: Vec<Option<CardView>>,
    button: bool,
    end: SeatStep,
}

/// An action in the list.
struct Act {
    /// The step of the state before it, from 1.
    step: usize,
    decision: HandDecision,
    /// The pot, and what a call takes.
    situation: String,
    state: String,
    /// Its strategy and note, if it gave any.
    thought: Option<Thought>,
    price: Option<(String, &'static str)>,
    /// What the match's analysis says of it: the price, and the actions by the agent.
    judged: Option<(String, &'static str, Thought)>,
    /// The study page with the spot, opened at this decision, where it can be solved.
    solve: Option<String>,
}

/// A street of the list.
struct StreetActs {
    name: String,
    cards: Vec<CardText>,
    acts: Vec<Act>,
    /// The study page with the spot that the street begins with, where it can be solved.
    solve: Option<String>,
}

#[derive(Template)]
#[template(path = "hand.html", config = ".askama.toml")]
struct HandPage<'a> {
    view: &'a HandView,
    wanted: &'a Wanted,
    /// The seats at the upper side of the table, and the one below.
    others: Vec<FeltSeat>,
    first: FeltSeat,
    board: Vec<Option<CardView>>,
    pot: String,
    streets: Vec<StreetActs>,
    /// The step and the state of the end.
    end: (usize, String),
    forms: Vec<(&'static str, &'static str)>,
    command: &'a str,
    prices: Vec<String>,
}

impl<'a> HandPage<'a> {
    fn new(found: &'a Found) -> HandPage<'a> {
        let Found { view, record, info, wanted, command } = found;
        let report = &view.report;
        let steps = steps(record, report);
        let json = |step: &Step| serde_json::to_string(step).unwrap_or_default();
        let last = steps.last().expect("the end is a step");
        let seat = |entrant: usize| {
            let player = &report.line.players[entrant];
            let seat = usize::from(player.seat);
            let hole = record.hole[Seat::new(seat).expect("a seat of the hand")];
            let cards: Vec<Option<CardView>> = match hole.as_slice() {
                [] => (0..record.public.def().hole_cards).map(|_| None).collect(),
                cards => cards.iter().map(|&card| Some(CardView::new(card))).collect(),
            };
            FeltSeat {
                seat,
                name: player.name.clone(),
                cards,
                button: seat == record.public.def().button().index(),
                end: last.seats[seat].clone(),
            }
        };
        let solvable = Solvable::new(&record.public);
        let acts = |street: &HandStreet| {
            let pot = report.on_street(street.street).next().map(|first| first.pot);
            let acts = report.on_street(street.street).map(|decision| Act {
                step: decision.number as usize + 1,
                state: json(&steps[decision.number as usize]),
                thought: thought(decision, record.public.def()),
                situation: situation(decision, report.line.big_blind),
                price: decision.price.map(priced),
                judged: view.analysis.as_ref().and_then(|analysis| judged(analysis, decision)),
                solve: pot
                    .zip(solvable.as_ref())
                    .and_then(|(pot, solvable)| solvable.decision(street.street, pot, decision)),
                decision: decision.clone(),
            });
            StreetActs {
                name: capital(street.street),
                solve: pot
                    .zip(solvable.as_ref())
                    .and_then(|(pot, solvable)| solvable.street(street.street, pot)),
                cards: cards_of(&street.cards),
                acts: acts.collect(),
            }
        };
        let usual = record.public.def().board_len(Street::River).max(record.public.board().len());
        let dealt = board_order(record.public.board());
        let board = (0..usual).map(|place| dealt.get(place).map(|&card| CardView::new(card)));
        let can = |format| exported(info, record, format).is_ok();
        let (phh, pokerstars) = (can(Format::Phhs), can(Format::PokerStars));
        let forms = FORMS.into_iter().filter(|&(form, _)| match form {
            "phh" => phh,
            "pokerstars" => pokerstars,
            _ => true,
        });
        let prices = (0..).zip(&report.line.players).filter_map(|(entrant, player)| {
            let price = report.price(entrant)?;
            let made =
                report.decisions.iter().filter(|one| one.entrant == entrant && one.price.is_some());
            let made = counted(made.count() as u64, "decision");
            Some(format!("{made} of {} cost {} bb", player.name, decimal(price, 2)))
        });
        HandPage {
            view,
            wanted,
            others: (1..info.players()).map(seat).collect(),
            first: seat(0),
            board: board.collect(),
            pot: last.pot.clone(),
            streets: report.streets.iter().map(acts).collect(),
            end: (steps.len(), json(last)),
            forms: forms.collect(),
            command,
            prices: prices.collect(),
        }
    }

    fn base(&self) -> String {
        base(&self.view.report.of)
    }

    /// The address of a hand in this list.
    fn link(&self, hand: &u64) -> String {
        format!("{}/{hand}{}", self.base(), self.wanted.with_page(0).query())
    }

    /// What the match's analysis found in this hand, in words; empty if there is none.
    fn analysed(&self) -> String {
        let Some(HandAnalysis { player, by, decisions, .. }) = &self.view.analysis else {
            return String::new();
        };
        let dear = decisions.iter().filter(|dear| dear.price >= LEAST);
        let cost: f64 = dear.clone().map(|dear| dear.price).sum();
        match dear.count() as u64 {
            0 => format!("No decision of {player} is among those that cost something by {by}."),
            made => format!(
                "{} of {player} cost {} bb by {by}.",
                counted(made, "decision"),
                decimal(cost, 2)
            ),
        }
    }

    fn list(&self) -> String {
        self.base() + &self.wanted.with_page(0).query()
    }

    /// What the list is of, if not of all hands.
    fn list_words(&self) -> String {
        if self.wanted.query().is_empty() {
            return "all hands".to_owned();
        }
        let player = &self.view.report.line.players[usize::from(self.wanted.player)].name;
        match self.wanted.sort {
            Sort::Latest | Sort::First => "the chosen hands".to_owned(),
            sort => sort.words(player),
        }
    }

    /// The list of the hands with this line.
    fn same_line(&self) -> Option<String> {
        let line = BettingLine::of_betting(&self.view.report.line.betting)?;
        let filter = logs::ledger::HandFilter { line: Some(line), ..Default::default() };
        Some(self.base() + &Wanted { filter, ..Wanted::default() }.query())
    }

    fn json_path(&self) -> String {
        let HandReport { of, line, .. } = &self.view.report;
        super::ONE.replace("{id}", &super::encoded(of)).replace("{hand}", &line.hand.to_string())
    }

    /// A player's result in big blinds, with its class.
    fn won(&self, won: &f64) -> (String, &'static str) {
        let big_blind = f64::from(self.view.report.line.big_blind.max(1));
        (blinds(won / big_blind), class(*won))
    }

    /// What the results are made of: what it is, and the amounts of both players, which add up as
    /// they are written.
    fn ledger(&self) -> Vec<(String, Vec<String>)> {
        let report = &self.view.report;
        let (Some(ledger), [first, second]) = (&report.ledger, &*report.line.players) else {
            return Vec::new();
        };
        let LedgerReport { hole_cards, board, own_draws, other_draws, .. } = ledger;
        let mut parts = vec![("Hole cards".to_owned(), *hole_cards)];
        let dealt = report.streets.iter().skip(1).zip(board);
        parts.extend(dealt.map(|(street, &gain)| (capital(street.street), gain)));
        let drew = |player: &HandPlayer| format!("Draws of {}", player.name);
        if report.recorded {
            parts.extend([(drew(first), *own_draws), (drew(second), *other_draws)]);
        }
        let hundredths = |amount: f64| (100.0 * amount).round() / 100.0;
        let result = first.won / f64::from(report.line.big_blind.max(1));
        let listed: f64 = parts.iter().map(|&(_, gain)| hundredths(gain)).sum();
        parts.push(("What both did".to_owned(), result - listed));
        let row = |(words, gain): (String, f64)| {
            (words, [gain, -gain].map(|gain| signed_minus(gain, 2)).into())
        };
        parts.into_iter().map(row).collect()
    }
}

/// A price in words, with its class.
fn priced(price: f64) -> (String, &'static str) {
    if price < 0.005 {
        ("price 0".to_owned(), "soft")
    } else {
        (format!("price {} bb", decimal(price, 2)), "loss")
    }
}

/// What an analysis says of a decision: the price in words with its class, and the actions.
fn judged(
    analysis: &HandAnalysis,
    decision: &HandDecision,
) -> Option<(String, &'static str, Thought)> {
    let dear = analysis.decisions.iter().find(|dear| dear.decision == decision.number)?;
    let bar = |action: &DearAction| Bar {
        action: action.action.clone(),
        percent: rounded_percent(action.probability),
        value: signed_minus(action.value, 2),
        width: format!("{:.1}", 100.0 * action.probability.clamp(0.0, 1.0)),
        taken: action.played,
    };
    let by = analysis.unsolved_by.as_ref().filter(|_| !dear.solved).unwrap_or(&analysis.by);
    let note = if dear.solved {
        "Values are of this hand in a solution that begins here, where both players come as the \
         agent's blueprint would; ± is how far it is from settled."
    } else {
        "Values are of this hand against all that the other player may hold after this betting, \
         both playing on as the agent does; an agent that mixes, or was trained roughly, may \
         itself take an action that is worth less."
    };
    let thought = Thought {
        place: format!("By {by}"),
        bars: dear.actions.iter().map(bar).collect(),
        valued: true,
        unit: "bb",
        note: note.to_owned(),
        more: String::new(),
    };
    let (mut price, _) = priced(dear.price);
    if dear.price >= LEAST && dear.half_width >= LEAST {
        price += &format!(" ± {}", decimal(dear.half_width, 2));
    }
    let class = if dear.is_clear() { "loss" } else { "soft" };
    Some((format!("{price} by {by}"), class, thought))
}

/// A decision as bars.
fn thought(decision: &HandDecision, def: &GameDef) -> Option<Thought> {
    if decision.choices.is_empty() && decision.note.is_none() {
        return None;
    }
    let bar = |choice: &crate::hand_report::HandChoice| Bar {
        action: choice.words.clone(),
        percent: choice.probability.map_or_else(String::new, rounded_percent),
        value: choice.value.map_or_else(String::new, |value| signed_minus(value, 2)),
        width: format!("{:.1}", 100.0 * choice.probability.unwrap_or(0.0).clamp(0.0, 1.0)),
        taken: choice.played,
    };
    let note = decision.note.as_deref().unwrap_or_default();
    let (note, more) = sentence(&note_in_words(note, def));
    Some(Thought {
        place: String::new(),
        bars: decision.choices.iter().map(bar).collect(),
        valued: decision.choices.iter().any(|choice| choice.value.is_some()),
        unit: "bb",
        note,
        more,
    })
}

/// The menu of a spot that a hand leads to, besides the bets of the hand.
const MENU: &str = "small";

/// The study page's addresses of a hand: where each street begins, and each decision after the
/// betting before the flop, of heads-up streets that can be solved.
struct Solvable<'a> {
    public: &'a PublicState,
}

impl<'a> Solvable<'a> {
    /// The addresses of a hand, where the solver knows the game.
    fn new(public: &'a PublicState) -> Option<Solvable<'a>> {
        let def = public.def();
        let solvable = solvers::holdem::is_holdem(def) && def.betting == Betting::NoLimit;
        solvable.then_some(Solvable { public })
    }

    /// The spot that a street begins with, with this pot. In the usual game it has both players'
    /// ranges by the blueprint's play after the same betting, else all hands; its bets are a small
    /// menu's and those of the hand on this street.
    fn street(&self, street: &str, pot: u64) -> Option<String> {
        let (public, def) = (self.public, self.public.def());
        let street = Street::ALL.into_iter().find(|known| known.name() == street)?;
        if street == Street::Preflop {
            return None;
        }
        let board: String =
            public.board().iter().take(def.board_len(street)).map(ToString::to_string).collect();
        // Both have put in the same on the streets before.
        let each = Chips::try_from(pot / 2).ok()?;
        let first = *def.first_to_act.get(street.index())?;
        let stacks = [first, 1 - first.min(1)].map(|seat| def.stacks[seat].saturating_sub(each));
        let mut link =
            format!("/study?board={board}&pot={pot}&stack={}&stack={}", stacks[0], stacks[1]);
        let usual = game::games::nolimit_holdem();
        let alike = def.stacks == usual.stacks && def.blinds == usual.blinds;
        if alike {
            let mut before = String::new();
            let mut on = Street::Preflop;
            for played in public.history().iter().take_while(|played| played.street < street) {
                if played.street != on {
                    before.push('/');
                    on = played.street;
                }
                before += &notation::action(played.action);
            }
            // The flop's cards make no difference to the ranges, and are not asked for.
            if street > Street::Flop {
                before.push('/');
            }
            link += &format!("&agent=cfr&betting={before}");
        }
        link += "&range=random&range=random";
        if let Some(menu) = self.menu(street) {
            link += &format!("&menu={}", super::encoded(&menu));
        }
        Some(link)
    }

    /// The small menu with the bets of the hand on a street; `None` if it has them.
    fn menu(&self, street: Street) -> Option<String> {
        let menu = abstraction::menu::find(MENU)?.from_street(street);
        let mut with = menu.clone();
        self.on_street(street, |state, action| {
            if let Action::RaiseTo(total) = action
                && !with.actions(state).contains(&action)
            {
                let chips = total - state.before_street();
                with = with.clone().with_size(street, state.raises() + 1, BetSize::Chips(chips));
            }
        });
        let lines = |menu: &BetMenu| menu.to_string().trim_end().replace('\n', "; ");
        (with != menu).then(|| lines(&with))
    }

    /// The spot of a decision: that of its street, which opens at the decision, with the hand of
    /// the player who makes it.
    fn decision(&self, street: &str, pot: u64, decision: &HandDecision) -> Option<String> {
        let mut link = self.street(street, pot)?;
        let street = Street::ALL.into_iter().find(|known| known.name() == street)?;
        let mut words = Vec::new();
        self.on_street(street, |state, action| {
            if state.history().len() < decision.number as usize {
                words.push(state.action_word(action));
            }
        });
        for (key, value) in [("line", words.join("+")), ("hand", decision.cards.replace(' ', ""))] {
            if !value.is_empty() {
                link += &format!("&{key}={value}");
            }
        }
        Some(link)
    }

    /// Each action of a street, with the state before it.
    fn on_street(&self, street: Street, mut each: impl FnMut(&PublicState, Action)) {
        self.public.each_decision(|state, played| {
            if played.street == street {
                each(state, played.action);
            }
        });
    }
}

/// The pot before a decision, and what a call takes, in words.
fn situation(decision: &HandDecision, big_blind: Chips) -> String {
    let bb = |chips: f64| in_blinds(chips, big_blind);
    let pot = bb(decision.pot as f64);
    if decision.to_call == 0 {
        return format!("pot {pot} bb");
    }
    let owed = f64::from(decision.to_call);
    let odds = owed / (decision.pot as f64 + owed);
    let odds = show::number::percent(odds, 0);
    format!("pot {pot} bb, {} bb to call, a call needs {odds}", bb(owed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_street_is_solved_with_the_pot_and_the_stacks_that_it_began_with() {
        let def = Arc::new(game::games::nolimit_holdem());
        let board = "Kh3sJc2d".parse().expect("a board");
        let public = notation::replay(&def, "r250c/cr500c/cr2000r19750", &board).expect("betting");
        let solvable = Solvable::new(&public).expect("hold'em");
        assert_eq!(solvable.street("preflop", 150), None);
        // The flop has half the pot besides, which the hand's 250 is.
        let flop = "/study?board=Kh3sJc&pot=500&stack=19750&stack=19750&agent=cfr&betting=r250c\
                    &range=random&range=random";
        assert_eq!(solvable.street("flop", 500).as_deref(), Some(flop));
        let turn = "/study?board=Kh3sJc2d&pot=1000&stack=19500&stack=19500\
                    &agent=cfr&betting=r250c/cr500c/&range=random&range=random\
                    &menu=turn%201%3A%20pot%201500c%20allin%3B%20turn%202%3A%2019250c%20allin%3B\
                    %20turn%203%2B%3A%20allin%3B%20river%201%3A%20pot%20allin%3B%20river%202%2B%3A\
                    %20allin";
        assert_eq!(solvable.street("turn", 1000).as_deref(), Some(turn));
        let decision = |number: u32, cards: &str| HandDecision {
            number,
            street: "turn",
            entrant: 0,
            player: "a".to_owned(),
            cards: cards.to_owned(),
            action: String::new(),
            words: String::new(),
            pot: 0,
            to_call: 0,
            choices: Vec::new(),
            price: None,
            note: None,
            corrected_from: None,
            fallback: None,
        };
        // The third action on the turn: after a check and a bet of 1,500.
        let third = solvable.decision("turn", 1000, &decision(7, "Ah Kd"));
        assert_eq!(third, Some(format!("{turn}&line=x+b1500&hand=AhKd")));
        assert_eq!(solvable.decision("turn", 1000, &decision(5, "")).as_deref(), Some(turn));
        // Three players, or limits on bets, are not for the solver.
        for def in [game::games::nolimit_holdem_with(vec![1000; 3]), game::games::limit_holdem()] {
            let public = PublicState::new(&Arc::new(def));
            assert!(Solvable::new(&public).is_none_or(|it| it.street("flop", 300).is_none()));
        }
    }
}
