//! The hands of a match: the list, by filters and orders, a page at a time; [`hand`] is the page of
//! one of them.
//!
//! Hands of a match that is being played in which hands share a deal are shown when all of that
//! deal are over, because the cards of one are those of the others.

pub mod hand;

use std::fmt::Write;
use std::sync::{Arc, Mutex};

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router, routing::get};
use game::{GameDef, Street};
use logs::estimate::HandLedger;
use logs::ledger::{BettingLine, Decided, HandFilter, HandOrder};
use logs::stats::report::Remarkable;
use logs::{DecisionRecord, HandRecord, LedgerError, LedgerReader, MatchInfo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use show::number::{capital, signed_minus, whole};
use wire::host::TableView;

use super::Site;
use super::api::Problem;
use super::description::Description;
use super::pages::{CardText, blocking, cards_of, class, page, refusal};
use super::records::Records;
use crate::analysis::PARTS;
use crate::hand_report::{HandLine, luck_by_equity, price_of_hand};
use crate::hand_words::{in_blinds, line_in_words};

/// The number of hands on a page.
const PAGE: usize = 50;
/// The most hands in a list that is in another order than that of their numbers.
const MOST_RANKED: usize = 1000;
/// The number of hands, those with the biggest pots, of which the luckiest are listed: the luck of
/// a hand takes almost a millisecond.
const MOST_BY_LUCK: usize = 2000;
/// The number of last hands that are looked at for orders by what is not in the ledger's columns.
const MOST_LOOKED: u64 = 500_000;
/// The number of lists that are kept, each at most 8 kB.
const KEPT: usize = 16;
/// The number of last hands whose lines are counted, and the number of lines to choose from.
const LINES: (u64, usize) = (20_000, 12);

/// The paths of the API.
const LIST: &str = "/api/v1/matches/{id}/hands";
const ONE: &str = "/api/v1/matches/{id}/hands/{hand}";

/// The routes of the API.
pub fn router(api: &mut Description) -> Router<Site> {
    let list = "The hands of a match, 50 at a time.";
    let one = "A hand with its decisions.";
    Router::new()
        .route(api.get_with_query::<HandList, HandQuery>(LIST, "hands", list), get(json))
        .route(api.get_with_query::<hand::HandView, HandQuery>(ONE, "hand", one), get(hand::json))
}

/// The query of both pages.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HandQuery {
    /// The order: `latest` (by default), `first`, `pot`, `lost`, `won`, `luck` or `price`; or what
    /// the player gained by a part of the result, as an analysis names it: `dealt_cards`, `flop`,
    /// `turn`, `river`, `own_mixing`, `mixing_of_others`, `decisions_preflop` to
    /// `decisions_river`.
    sort: String,
    /// The player whose loss, gain or luck it is, by the place in the match, from 0.
    player: String,
    /// `yes` for hands with a showdown, `no` for those without.
    showdown: String,
    /// The street that hands came to: `flop`, `turn` or `river`.
    street: String,
    /// How the betting begins, in ACPC notation; a raise without a number is one of any size.
    line: String,
    /// `yes` for hands whose deal was played in another way, too.
    differ: String,
    /// Hands with a recorded decision that was `corrected`, as it was not legal, or that a
    /// `fallback` took.
    decided: String,
    /// The page of the list, from 1.
    page: String,
    /// The form of a hand's page: `phh`, `pokerstars`, `text` or `json`.
    format: String,
}

/// The order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
enum Sort {
    #[default]
    Latest,
    First,
    Pot,
    Lost,
    Won,
    Luck,
    Price,
    /// What a part of the result gave, by the number of its line in an analysis.
    Part(usize),
}

impl Sort {
    const ALL: [Sort; 7] =
        [Sort::Latest, Sort::First, Sort::Pot, Sort::Lost, Sort::Won, Sort::Luck, Sort::Price];

    fn name(self) -> &'static str {
        match self {
            Sort::Latest => "latest",
            Sort::First => "first",
            Sort::Pot => "pot",
            Sort::Lost => "lost",
            Sort::Won => "won",
            Sort::Luck => "luck",
            Sort::Price => "price",
            Sort::Part(line) => PARTS[line].0,
        }
    }

    /// All orders, also by parts of the result.
    fn every() -> impl Iterator<Item = Sort> {
        Sort::ALL.into_iter().chain((0..PARTS.len()).map(Sort::Part))
    }

    /// Whether it is about one of the players.
    fn of_player(self) -> bool {
        matches!(self, Sort::Lost | Sort::Won | Sort::Luck | Sort::Part(_))
    }

    fn words(self, player: &str) -> String {
        match self {
            Sort::Latest => "latest first".to_owned(),
            Sort::First => "first to last".to_owned(),
            Sort::Pot => "biggest pots".to_owned(),
            Sort::Lost => format!("most lost by {player}"),
            Sort::Won => format!("most won by {player}"),
            Sort::Luck => format!("most luck of {player}"),
            Sort::Price => "dearest decisions".to_owned(),
            Sort::Part(line) => {
                format!("most gained by {player}: {}", PARTS[line].1.to_lowercase())
            }
        }
    }
}

/// What of a match's hands is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
struct Wanted {
    sort: Sort,
    /// The player whose result or luck counts.
    player: u8,
    filter: HandFilter,
    /// The page, from 0.
    page: u64,
}

impl Wanted {
    /// Reads a query; the error says what is wrong with it.
    fn read(query: &HandQuery, info: &MatchInfo) -> Result<Wanted, String> {
        let sort = match query.sort.as_str() {
            "" => Sort::default(),
            name => Sort::every().find(|sort| sort.name() == name).ok_or_else(|| {
                let names = Sort::every().map(Sort::name).collect::<Vec<_>>().join(", ");
                format!("`sort` is one of {names}, and not {}", quoted(name))
            })?,
        };
        let yes = |key: &str, text: &str| match text {
            "" => Ok(None),
            "yes" => Ok(Some(true)),
            "no" => Ok(Some(false)),
            other => Err(format!("`{key}` is yes or no, and not {}", quoted(other))),
        };
        let street = match query.street.as_str() {
            "" => None,
            name => Some(Street::ALL.into_iter().find(|street| street.name() == name).ok_or_else(
                || format!("`street` is preflop, flop, turn or river, and not {}", quoted(name)),
            )?),
        };
        let line = match query.line.as_str() {
            "" => None,
            text => Some(text.parse::<BettingLine>().map_err(|error| format!("`line`: {error}"))?),
        };
        let number = |key: &str, text: &str, least: u64, most: u64| match text {
            "" => Ok(least),
            text => match text.parse::<u64>() {
                Ok(number) if (least..=most).contains(&number) => Ok(number),
                _ => Err(format!(
                    "`{key}` is a number from {least} to {most}, and not {}",
                    quoted(text)
                )),
            },
        };
        let player = number("player", &query.player, 0, info.players() as u64 - 1)? as u8;
        let page = number("page", &query.page, 1, u64::from(u32::MAX))? - 1;
        let differs = yes("differ", &query.differ)? == Some(true);
        if differs && info.group() < 2 {
            return Err("`differ` is for matches in which each deal is played more than once; in \
                        this one every hand has its own"
                .to_owned());
        }
        if matches!(sort, Sort::Luck | Sort::Part(_)) && luck_by_equity(info).is_none() {
            return Err("the luck of the cards is known in heads-up hold'em only".to_owned());
        }
        let showdown = yes("showdown", &query.showdown)?;
        let decided = match query.decided.as_str() {
            "" => None,
            "corrected" => Some(Decided::Corrected),
            "fallback" => Some(Decided::ByFallback),
            other => {
                let other = quoted(other);
                return Err(format!("`decided` is corrected or fallback, and not {other}"));
            }
        };
        let filter = HandFilter {
            showdown,
            street,
            line,
            differs,
            decided,
            valued: sort == Sort::Price,
            ..HandFilter::default()
        };
        Ok(Wanted { sort, player, filter, page })
    }

    /// The query that asks for this, with its question mark; empty for everything in the usual
    /// order.
    fn query(&self) -> String {
        let Wanted { sort, player, filter, page } = self;
        let mut pairs: Vec<(&str, String)> = Vec::new();
        if *sort != Sort::default() {
            pairs.push(("sort", sort.name().to_owned()));
        }
        if *player > 0 {
            pairs.push(("player", player.to_string()));
        }
        let yes = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
        pairs.extend(filter.showdown.map(|showdown| ("showdown", yes(showdown))));
        pairs.extend(filter.street.map(|street| ("street", street.name().to_owned())));
        pairs.extend(
            filter.line.as_ref().map(|line| ("line", line.to_string().replace('/', "%2F"))),
        );
        if filter.differs {
            pairs.push(("differ", yes(true)));
        }
        pairs.extend(filter.decided.map(|decided| ("decided", name_of(decided).to_owned())));
        if *page > 0 {
            pairs.push(("page", (page + 1).to_string()));
        }
        let mut text = String::new();
        for (number, (key, value)) in pairs.iter().enumerate() {
            let sign = if number == 0 { '?' } else { '&' };
            let _ = write!(text, "{sign}{key}={value}");
        }
        text
    }

    fn with_sort(&self, sort: Sort, player: u8) -> Wanted {
        let filter = HandFilter { valued: sort == Sort::Price, ..self.filter.clone() };
        Wanted { sort, player, filter, page: 0 }
    }

    fn with_page(&self, page: u64) -> Wanted {
        Wanted { page, ..self.clone() }
    }
}

/// A kind of decisions in a query.
fn name_of(decided: Decided) -> &'static str {
    match decided {
        Decided::Corrected => "corrected",
        Decided::ByFallback => "fallback",
    }
}

fn quoted(text: &str) -> String {
    format!("`{}`", game::escape::excerpt_of(text.as_bytes(), 40))
}

/// Why a list or a hand is not shown.
#[derive(Debug)]
pub enum Refused {
    /// There is no such match, or no such hand in it.
    Missing(&'static str),
    /// The query is wrong.
    Query(String),
    /// The record cannot be read.
    Ledger(LedgerError),
}

impl From<LedgerError> for Refused {
    fn from(error: LedgerError) -> Refused {
        Refused::Ledger(error)
    }
}

impl Refused {
    fn parts(self) -> (StatusCode, String, &'static str) {
        match self {
            Refused::Missing(what) => {
                (StatusCode::NOT_FOUND, what.to_owned(), "`/api/v1/matches` lists the matches")
            }
            Refused::Query(why) => {
                (StatusCode::BAD_REQUEST, why, "`/api/v1/openapi.json` describes the query")
            }
            Refused::Ledger(error) => {
                tracing::warn!(%error, "the hands of a match cannot be read");
                let error = "the record of this match cannot be read".to_owned();
                (StatusCode::SERVICE_UNAVAILABLE, error, "the server's log says why")
            }
        }
    }

    fn into_json(self) -> Response {
        let (code, error, remedy) = self.parts();
        Problem::new(code, error, remedy).into_response()
    }

    fn into_page(self) -> Response {
        let (code, error, _) = self.parts();
        refusal(code, &error)
    }
}

/// The query as read, or why not.
type Asked = Result<Query<HandQuery>, QueryRejection>;

fn asked(query: Asked) -> Result<HandQuery, Refused> {
    query.map(|Query(query)| query).map_err(|error| Refused::Query(error.body_text()))
}

/// A match whose hands are shown.
struct Opened {
    /// The match's name.
    id: String,
    reader: LedgerReader,
    wanted: Wanted,
}

impl Opened {
    /// Opens the match with this name.
    fn open(site: &Site, id: &str, query: &HandQuery) -> Result<Opened, Refused> {
        let missing = Refused::Missing("there is no match with this name");
        let folder = site.records.folder_of(id).ok_or(missing)?;
        let reader = LedgerReader::open(&folder)?;
        let mut wanted = Wanted::read(query, reader.info()).map_err(Refused::Query)?;
        let here = |view: &TableView| view.status().playing.is_some_and(|playing| playing.id == id);
        let running = || site.tables.iter().any(here) || Records::is_played_elsewhere(&folder);
        wanted.filter.whole_deals = reader.info().group() > 1 && running();
        Ok(Opened { id: id.to_owned(), reader, wanted })
    }

    /// The hands that are wanted in an order that takes looking at all of them; `None` for that of
    /// their numbers.
    fn ranked(&self, site: &Site) -> Result<Option<Arc<Vec<u64>>>, Refused> {
        let Wanted { sort, player, filter, .. } = &self.wanted;
        if matches!(sort, Sort::Latest | Sort::First) {
            return Ok(None);
        }
        let key = (self.id.clone(), self.wanted.with_page(0), self.reader.count()?);
        if let Some(kept) = site.ranked.find(&key) {
            return Ok(Some(kept));
        }
        let reader = &self.reader;
        let by_result = |order| reader.numbers_where(filter, order, 0, MOST_RANKED);
        let mut last = filter.clone();
        if matches!(sort, Sort::Pot | Sort::Luck | Sort::Price | Sort::Part(_)) {
            let all = HandFilter::default();
            let before = reader.numbers_where(&all, HandOrder::Latest, MOST_LOOKED, 1)?;
            last.from = before.first().map_or(0, |hand| hand + 1);
        }
        let found = match sort {
            Sort::Latest | Sort::First => Vec::new(),
            Sort::Lost => by_result(HandOrder::MostLost(*player))?,
            Sort::Won => by_result(HandOrder::MostWon(*player))?,
            Sort::Pot => biggest(reader, &last, MOST_RANKED)?,
            Sort::Luck => luckiest(reader, &last, *player, None)?,
            Sort::Part(line) => luckiest(reader, &last, *player, Some(*line))?,
            Sort::Price => dearest(reader, &last)?,
        };
        let found = Arc::new(found);
        site.ranked.keep(key, Arc::clone(&found));
        Ok(Some(found))
    }
}

/// The hands with the biggest pots, the biggest first.
fn biggest(
    reader: &LedgerReader,
    filter: &HandFilter,
    most: usize,
) -> Result<Vec<u64>, LedgerError> {
    let mut found = Remarkable::new(0, 0, most);
    for hand in reader.hands_matching(filter) {
        found.add(&hand?.0);
    }
    Ok(found.biggest().collect())
}

/// Of the hands with the biggest pots, those in which this player gained most by the cards first,
/// or by a part of the result.
fn luckiest(
    reader: &LedgerReader,
    filter: &HandFilter,
    player: u8,
    part: Option<usize>,
) -> Result<Vec<u64>, LedgerError> {
    let Some(estimates) = luck_by_equity(reader.info()) else { return Ok(Vec::new()) };
    let records = biggest(reader, filter, MOST_BY_LUCK)?.into_iter().map(|hand| {
        let decisions = if part.is_some() { reader.decisions(hand)? } else { Vec::new() };
        Ok(reader.hand(hand)?.map(|record| (record, decisions)))
    });
    let records = records.filter_map(Result::transpose);
    let records = records.collect::<Result<Vec<_>, LedgerError>>()?;
    let gained = |(record, decisions): &(HandRecord, Vec<DecisionRecord>)| {
        // Both are of the first player; what the other gains is the negative, and its own draws are
        // those that the first one calls the other's.
        let sign = if player == 0 { 1.0 } else { -1.0 };
        let gained = match part {
            None => estimates.luck(record)?,
            Some(part) => {
                let HandLedger { cards, own_draws, other_draws, play } =
                    estimates.ledger(record, decisions)?;
                let draws = [own_draws, other_draws];
                let draws = if player == 0 { draws } else { [other_draws, own_draws] };
                *cards.iter().chain(&draws).chain(&play).nth(part)?
            }
        };
        Some((-sign * gained, record.hand))
    };
    let mut found: Vec<(f64, u64)> =
        parallel::map(&records, gained).into_iter().flatten().collect();
    found.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    Ok(found.into_iter().map(|(_, hand)| hand).take(MOST_RANKED).collect())
}

/// The hands whose decisions cost most by the players' own values, the dearest first.
fn dearest(reader: &LedgerReader, filter: &HandFilter) -> Result<Vec<u64>, LedgerError> {
    let big_blind = reader.def().big_blind();
    let mut found: Vec<(f64, u64)> = Vec::new();
    for hand in reader.hands_matching(filter) {
        let (record, decisions) = hand?;
        let Some(price) = price_of_hand(&decisions, big_blind) else { continue };
        let place = found.partition_point(|&(other, _)| other >= price);
        if place < MOST_RANKED {
            found.insert(place, (price, record.hand));
            found.truncate(MOST_RANKED);
        }
    }
    Ok(found.into_iter().map(|(_, hand)| hand).collect())
}

/// A match, what was asked for, and the number of hands that it had.
type Key = (String, Wanted, u64);

/// Lists that took long to make, the last ones first.
#[derive(Debug, Default)]
pub struct Kept(Mutex<Vec<(Key, Arc<Vec<u64>>)>>);

impl Kept {
    fn find(&self, key: &Key) -> Option<Arc<Vec<u64>>> {
        let kept = parallel::lock(&self.0);
        kept.iter().find(|(other, _)| other == key).map(|(_, list)| Arc::clone(list))
    }

    fn keep(&self, key: Key, list: Arc<Vec<u64>>) {
        let mut kept = parallel::lock(&self.0);
        kept.retain(|(other, _)| *other != key);
        kept.insert(0, (key, list));
        kept.truncate(KEPT);
    }
}

/// A part of the hands of a match.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HandList {
    /// The match's name.
    #[serde(rename = "match")]
    of: String,
    /// The players' names.
    names: Vec<String>,
    /// The number of hands in the list: those that the filter leaves, and of orders other than by
    /// number at most 1,000.
    total: u64,
    /// The number of hands that the filter leaves.
    found: u64,
    /// The page, from 1.
    page: u64,
    /// The number of pages.
    pages: u64,
    /// The order in words.
    order: String,
    /// The hands of the page.
    hands: Vec<HandLine>,
    /// Whether decisions are recorded.
    recorded: bool,
    /// Whether any of the first decisions has values, so that there are prices.
    valued: bool,
}

impl HandList {
    fn read(site: &Site, opened: &Opened) -> Result<HandList, Refused> {
        let Opened { id, reader, wanted } = opened;
        let info = reader.info();
        let found = reader.count_where(&wanted.filter)?;
        let ranked = opened.ranked(site)?;
        let total = ranked.as_ref().map_or(found, |ranked| ranked.len() as u64);
        let pages = total.div_ceil(PAGE as u64).max(1);
        if wanted.page >= pages {
            return Err(Refused::Query(format!(
                "`page` is a number from 1 to {pages} in this list"
            )));
        }
        let skip = wanted.page.saturating_mul(PAGE as u64);
        let numbers = match &ranked {
            Some(ranked) => {
                let rest = ranked.iter().skip(usize::try_from(skip).unwrap_or(usize::MAX));
                rest.take(PAGE).copied().collect()
            }
            None => {
                let latest = wanted.sort == Sort::Latest;
                let order = if latest { HandOrder::Latest } else { HandOrder::First };
                reader.numbers_where(&wanted.filter, order, skip, PAGE)?
            }
        };
        let luck = luck_by_equity(info);
        let line = |hand: u64| {
            let Some(record) = reader.hand(hand)? else { return Ok(None) };
            let decisions = reader.decisions(hand)?;
            Ok(Some(HandLine::new(info, &record, &decisions, luck.as_ref())))
        };
        let lines = numbers.into_iter().map(line).filter_map(Result::transpose);
        let hands = lines.collect::<Result<Vec<_>, LedgerError>>()?;
        let [recorded, valued] = reader.has_decisions()?;
        let names = info.names();
        let order = wanted.sort.words(&names[usize::from(wanted.player)]);
        Ok(HandList {
            of: id.clone(),
            total,
            found,
            page: wanted.page + 1,
            pages,
            order,
            hands,
            recorded,
            valued,
            names,
        })
    }
}

/// The list as JSON.
async fn json(State(site): State<Site>, Path(id): Path<String>, query: Asked) -> Response {
    let read = move || {
        let opened = Opened::open(&site, &id, &asked(query)?)?;
        HandList::read(&site, &opened)
    };
    match blocking(read).await {
        Ok(Ok(list)) => Json(list).into_response(),
        Ok(Err(refused)) => refused.into_json(),
        Err(response) => response,
    }
}

/// The page of the list.
pub async fn html(State(site): State<Site>, Path(id): Path<String>, query: Asked) -> Response {
    let read = move || {
        let opened = Opened::open(&site, &id, &asked(query)?)?;
        let list = HandList::read(&site, &opened)?;
        let lines = opened.reader.frequent_lines(LINES.0, LINES.1)?;
        let luck = luck_by_equity(opened.reader.info()).is_some();
        let duplicate = opened.reader.info().group() > 1;
        let def = Arc::clone(opened.reader.def());
        let played = opened.reader.count()?;
        Ok(page(&ListPage { list, wanted: opened.wanted, lines, def, played, luck, duplicate }))
    };
    match blocking(read).await {
        Ok(Ok(response)) => response,
        Ok(Err(refused)) => Refused::into_page(refused),
        Err(response) => response,
    }
}

#[derive(Template)]
#[template(path = "hands.html", config = ".askama.toml")]
struct ListPage {
    list: HandList,
    wanted: Wanted,
    /// The most frequent lines, with their numbers of hands.
    lines: Vec<(BettingLine, u64)>,
    def: Arc<GameDef>,
    /// The number of all hands.
    played: u64,
    /// Whether the luck of the cards is known in this game.
    luck: bool,
    /// Whether hands share deals.
    duplicate: bool,
}

/// An option of the form, or a link: its value or address, its words, and whether it is chosen.
struct Choice {
    value: String,
    words: String,
    chosen: bool,
}

impl ListPage {
    /// The address of the list, without its query.
    fn base(&self) -> String {
        base(&self.list.of)
    }

    fn json_path(&self) -> String {
        LIST.replace("{id}", &encoded(&self.list.of)) + &self.wanted.query()
    }

    /// Links to the orders.
    fn orders(&self) -> Vec<Choice> {
        let mut orders = vec![(Sort::Latest, 0), (Sort::Pot, 0)];
        let players = 0..self.list.names.len() as u8;
        orders.extend(players.clone().map(|player| (Sort::Lost, player)));
        if self.luck {
            orders.extend(players.map(|player| (Sort::Luck, player)));
        }
        if self.list.valued {
            orders.push((Sort::Price, 0));
        }
        let link = |(sort, player): (Sort, u8)| {
            let wanted = self.wanted.with_sort(sort, player);
            let now = &self.wanted;
            let same = sort == now.sort && (!sort.of_player() || player == now.player);
            Choice {
                value: self.base() + &wanted.query(),
                words: capital(&sort.words(&self.list.names[usize::from(player)])),
                chosen: same,
            }
        };
        orders.into_iter().map(link).collect()
    }

    /// The orders of the form.
    fn sorts(&self) -> Vec<Choice> {
        let offered = |sort: &Sort| match sort {
            Sort::Luck => self.luck,
            Sort::Price => self.list.valued,
            _ => true,
        };
        let choice = |sort: Sort| Choice {
            value: sort.name().to_owned(),
            words: sort.words("the player"),
            chosen: sort == self.wanted.sort,
        };
        let now = Some(self.wanted.sort).filter(|sort| matches!(sort, Sort::Part(_)));
        Sort::ALL.into_iter().filter(offered).chain(now).map(choice).collect()
    }

    fn players(&self) -> Vec<Choice> {
        let names = self.list.names.iter().enumerate();
        let choice = |(number, name): (usize, &String)| Choice {
            value: number.to_string(),
            words: name.clone(),
            chosen: number == usize::from(self.wanted.player),
        };
        names.map(choice).collect()
    }

    fn showdowns(&self) -> Vec<Choice> {
        let choice = |(showdown, value, words): (Option<bool>, &str, &str)| Choice {
            value: value.to_owned(),
            words: words.to_owned(),
            chosen: self.wanted.filter.showdown == showdown,
        };
        let all = [(None, "", "any"), (Some(true), "yes", "yes"), (Some(false), "no", "no")];
        all.map(choice).into()
    }

    fn streets(&self) -> Vec<Choice> {
        let any = Choice {
            value: String::new(),
            words: "any street".to_owned(),
            chosen: self.wanted.filter.street.is_none(),
        };
        let choice = |street: &Street| Choice {
            value: street.name().to_owned(),
            words: format!("the {street}"),
            chosen: self.wanted.filter.street == Some(*street),
        };
        std::iter::once(any).chain(Street::ALL[1..].iter().map(choice)).collect()
    }

    fn decided(&self) -> Vec<Choice> {
        let choice = |(decided, words): (Option<Decided>, &str)| Choice {
            value: decided.map(name_of).unwrap_or_default().to_owned(),
            words: words.to_owned(),
            chosen: self.wanted.filter.decided == decided,
        };
        let all = [
            (None, "any"),
            (Some(Decided::Corrected), "one was corrected"),
            (Some(Decided::ByFallback), "one by a fallback"),
        ];
        all.map(choice).into()
    }

    fn lines(&self) -> Vec<Choice> {
        let chosen = self.wanted.filter.line.as_ref();
        let any =
            Choice { value: String::new(), words: "any line".to_owned(), chosen: chosen.is_none() };
        let choice = |line: &BettingLine, hands: Option<u64>| Choice {
            value: line.to_string(),
            words: line_in_words(&line.to_string(), &self.def)
                + &hands.map_or_else(String::new, |n| format!(" ({})", whole(n))),
            chosen: chosen == Some(line),
        };
        let other = chosen.filter(|line| self.lines.iter().all(|(known, _)| known != *line));
        let other = other.map(|line| choice(line, None));
        let frequent = self.lines.iter().map(|(line, hands)| choice(line, Some(*hands)));
        std::iter::once(any).chain(other).chain(frequent).collect()
    }

    /// The number of hands, in words.
    fn summary(&self) -> String {
        let HandList { total, found, page, pages, order, .. } = &self.list;
        let hands = show::number::counted(*found, "hand");
        let part =
            if *pages > 1 { format!(", page {page} of {}", whole(*pages)) } else { String::new() };
        let looked = matches!(self.wanted.sort, Sort::Luck | Sort::Pot | Sort::Part(_));
        let hands = match self.played > MOST_LOOKED && (looked || self.wanted.sort == Sort::Price) {
            true => format!("{hands}, of which the last {} are looked at", whole(MOST_LOOKED)),
            false => hands,
        };
        match self.wanted.sort {
            Sort::Luck | Sort::Part(_) if *found > MOST_BY_LUCK as u64 => {
                let looked = whole(MOST_BY_LUCK as u64);
                format!("{hands}; {order}, among the {looked} biggest pots{part}")
            }
            _ if total < found => format!("{hands}; {order}, the first {}{part}", whole(*total)),
            _ => format!("{hands}, {order}{part}"),
        }
    }

    /// The links to the pages before and after this one.
    fn turn(&self) -> [Option<Choice>; 2] {
        let (page, pages) = (self.wanted.page, self.list.pages);
        let latest = self.wanted.sort == Sort::Latest;
        let [before, after] = if latest { ["newer", "older"] } else { ["previous", "next"] };
        let link = |page: u64, words: &str| Choice {
            value: self.base() + &self.wanted.with_page(page).query(),
            words: words.to_owned(),
            chosen: false,
        };
        [
            (page > 0).then(|| link(page - 1, before)),
            (page + 1 < pages).then(|| link(page + 1, after)),
        ]
    }

    fn link(&self, hand: &HandLine) -> String {
        format!("{}/{}{}", self.base(), hand.hand, self.wanted.with_page(0).query())
    }

    fn cards(&self, cards: &str) -> Vec<CardText> {
        cards_of(cards)
    }

    fn pot(&self, hand: &HandLine) -> String {
        in_blinds(hand.pot as f64, hand.big_blind)
    }

    /// Winnings in big blinds, with their class.
    fn won(&self, hand: &HandLine, &won: &f64) -> (String, &'static str) {
        (blinds(won / f64::from(hand.big_blind.max(1))), class(won))
    }

    /// What the first player gained by luck.
    fn luck_of(&self, hand: &HandLine) -> String {
        hand.players[0].luck.map_or_else(String::new, |luck| signed_minus(luck, 2))
    }

    fn price(&self, hand: &HandLine) -> String {
        hand.price.map_or_else(String::new, |price| show::number::decimal(price, 2))
    }
}

/// Links to lists of a match's hands, with their words.
pub fn lists(id: &str, info: &MatchInfo, valued: bool) -> Vec<(String, String)> {
    let names = info.names();
    let mut lists = vec![(base(id), "All hands".to_owned())];
    let players = names.iter().enumerate().map(|(player, name)| (Sort::Lost, player as u8, name));
    for (sort, player, name) in std::iter::once((Sort::Pot, 0, &String::new())).chain(players) {
        let wanted = Wanted { sort, player, ..Wanted::default() };
        lists.push((base(id) + &wanted.query(), capital(&sort.words(name))));
    }
    if luck_by_equity(info).is_some() {
        lists.push((by_luck(id, 0), capital(&Sort::Luck.words(&names[0]))));
    }
    if info.group() > 1 {
        let filter = HandFilter { differs: true, ..HandFilter::default() };
        let differ = Wanted { filter, ..Wanted::default() };
        lists.push((
            base(id) + &differ.query(),
            "Played differently with the same cards".to_owned(),
        ));
    }
    if valued {
        let dearest = Wanted::default().with_sort(Sort::Price, 0);
        lists.push((base(id) + &dearest.query(), capital(&Sort::Price.words(""))));
    }
    lists
}

/// The address of the page of a match's list, first to last, with the hand of this number from 0.
pub fn from_hand(id: &str, number: u64) -> String {
    let page = number / PAGE as u64;
    base(id) + &Wanted { sort: Sort::First, page, ..Wanted::default() }.query()
}

/// The address of the list of a match's hands by what this player won or lost, the largest first.
pub fn by_result(id: &str, player: usize, won: bool) -> String {
    let sort = if won { Sort::Won } else { Sort::Lost };
    base(id) + &Wanted { sort, player: player as u8, ..Wanted::default() }.query()
}

/// The address of the list of hands by what a part of the result gave this player, by the number of
/// its line in an analysis.
pub fn by_part(id: &str, player: usize, line: usize) -> String {
    let sort = Sort::Part(line);
    base(id) + &Wanted { sort, player: player as u8, ..Wanted::default() }.query()
}

/// The address of the list of hands by what the cards gave this player.
pub fn by_luck(id: &str, player: usize) -> String {
    base(id) + &Wanted { sort: Sort::Luck, player: player as u8, ..Wanted::default() }.query()
}

/// The address of the list of hands with decisions of a kind.
pub fn with_decisions(id: &str, decided: Decided) -> String {
    let filter = HandFilter { decided: Some(decided), ..HandFilter::default() };
    base(id) + &Wanted { filter, ..Wanted::default() }.query()
}

/// The address of a match's list of hands.
pub fn base(id: &str) -> String {
    format!("/matches/{}/hands", encoded(id))
}

/// A name as a segment of an address.
pub fn encoded(id: &str) -> String {
    let mut text = String::with_capacity(id.len());
    for byte in id.bytes() {
        match byte {
            b'-' | b'_' | b'.' | b'~' => text.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => text.push(byte.into()),
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    text
}

/// An amount of big blinds with its sign and as many decimals as it takes, at most two.
pub fn blinds(amount: f64) -> String {
    let text = signed_minus(amount, 2);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use logs::{Entrant, MatchInfo, Provenance};

    use super::*;

    fn info(duplicate: bool) -> MatchInfo {
        let def = game::games::nolimit_holdem();
        MatchInfo {
            name: "m".to_owned(),
            game_name: "holdem".to_owned(),
            hands: 100,
            seed: 0,
            duplicate,
            shard: None,
            game: def,
            entrants: ["ann", "bob"].map(Entrant::named).into(),
            provenance: Provenance::default(),
        }
    }

    /// The query of this text.
    fn query(text: &str) -> HandQuery {
        let address = format!("/x{text}").parse().expect("an address");
        Query::try_from_uri(&address).map(|Query(query)| query).expect("a query")
    }

    #[test]
    fn a_query_asks_for_the_same_when_it_is_written_again() {
        let info = info(true);
        for text in [
            "",
            "?sort=pot",
            "?sort=lost&player=1",
            "?sort=luck&player=1&showdown=no&street=turn&line=rc%2Fcr&differ=yes&page=3",
            "?sort=price",
            "?showdown=yes&page=20",
            "?line=r250c",
        ] {
            let wanted = Wanted::read(&query(text), &info).expect("a query");
            assert_eq!(wanted.query(), text);
            assert_eq!(Wanted::read(&query(&wanted.query()), &info), Ok(wanted));
        }
        // As a form sends it, with what was not chosen.
        let form = "?sort=latest&player=0&showdown=&street=&line=";
        assert_eq!(Wanted::read(&query(form), &info), Ok(Wanted::default()));
    }

    #[test]
    fn a_wrong_query_says_what_it_takes() {
        for (text, said) in [
            ("?sort=x", "`sort` is one of latest, first, pot"),
            ("?player=2", "`player` is a number from 0 to 1"),
            ("?showdown=maybe", "`showdown` is yes or no"),
            ("?street=5th", "`street` is preflop, flop"),
            ("?line=b2", "`b2` is not a line: write f for a fold"),
            ("?page=0", "`page` is a number from 1"),
            ("?differ=yes", "each deal is played more than once"),
        ] {
            let error = Wanted::read(&query(text), &info(false)).expect_err(text);
            assert!(error.contains(said), "{error}");
        }
    }
}
