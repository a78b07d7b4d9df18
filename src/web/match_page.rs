//! The page of a match, running or finished: its values, which are in the JSON API as well, and the
//! part that is sent again as server-sent events while the match runs.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use askama::Template;
use axum::extract::{self, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use logs::ledger::{Decided, HandFilter, HandOrder};
use logs::stats::{AllIn, Report, StopRule, winnings_curve};
use logs::{DecisionTally, LedgerError, LedgerReader, Tally};
use matches::source::Source;
use schemars::JsonSchema;
use serde::Serialize;
use show::number::{duration, signed_grouped, whole};
use wire::host::{Playing, TableView};

use super::pages::{self, CardText, blocking, cards_of, class, message, page, sentence, text};
use super::rates::{self, PlayerLine, RateView};
use super::records::{MatchLine, Records};
use super::{Site, hands};
use crate::exit::Failure;
use crate::hand_report::{HandDecision, HandReport, luck_by_equity};
use crate::output::warn;
use crate::report::{self, Effort};

/// The polling interval of a running match.
const TICK: Duration = Duration::from_secs(1);

/// Reading a running match takes at most one part in so many of the time.
const SHARE: u32 = 20;

/// How long the part of a page is kept that nobody looks at any more.
const KEPT: Duration = Duration::from_secs(60);

/// The number of hands shown.
const LAST_HANDS: usize = 20;

/// The most hands of a finished match that are read for its page; of longer ones only the report is
/// shown.
const MAX_HANDS: u64 = 200_000;

/// A match in detail, running or finished.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Match")]
pub struct MatchView {
    /// The match's name.
    pub id: String,
    /// Whether it is being played, by this server or another process.
    pub running: bool,
    /// The end or the progress of the match, in words.
    pub state: String,
    /// Whether it has gone as planned so far.
    pub well: bool,
    /// The time it began.
    pub started: String,
    /// The time it ended; `null` while it runs.
    pub ended: Option<Timestamp>,
    /// Hands a second, while it runs.
    pub hands_per_second: Option<f64>,
    /// The path of its folder.
    pub folder: String,
    /// Its statistics, as in report.json (docs/report.md); null where it is too long to be read
    /// for this.
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub report: Option<Report>,
    /// The players' names.
    pub names: Vec<String>,
    /// The last hands, latest first.
    pub last_hands: Vec<HandReport>,
    /// Whether it is known what the cards gave, and whether decisions are recorded.
    #[serde(skip)]
    luck: bool,
    #[serde(skip)]
    recorded: bool,
    /// Addresses of lists of its hands, with words.
    #[serde(skip)]
    lists: Vec<(String, String)>,
    /// Parts of the match: the address of its first hand's list, the hands, and what the first
    /// player won.
    #[serde(skip)]
    parts: Vec<(String, String, f64)>,
    /// A chart of the first player's winnings, as SVG.
    #[serde(skip)]
    pub curve: Option<String>,
}

#[derive(Template)]
#[template(path = "match.html", config = ".askama.toml")]
struct MatchPage {
    id: String,
    running: bool,
    body: String,
}

#[derive(Template)]
#[template(path = "match_body.html", config = ".askama.toml")]
struct MatchBody<'a> {
    page: &'a MatchView,
}

/// The page of a match.
pub async fn html(
    State(site): State<Site>,
    extract::Path(id): extract::Path<String>,
) -> Result<Response, Response> {
    let name = id.clone();
    let found = blocking(move || {
        let view = MatchView::find(&site, &name)?;
        Some((view.running, text(&MatchBody { page: &view })))
    });
    let Some((running, body)) = found.await? else {
        let why = "There is no match with this name.";
        return Ok(message(StatusCode::NOT_FOUND, "No such match", why));
    };
    Ok(page(&MatchPage { id, running, body }))
}

/// The live part of a match's page.
pub async fn live(State(site): State<Site>, extract::Path(id): extract::Path<String>) -> Response {
    if !site.records.exists(&id) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let stop = site.stop.clone();
    pages::live("match", stop, TICK, move || {
        let (site, id) = (site.clone(), id.clone());
        async move { site.rendered.body(&site, &id).await }
    })
}

/// The live parts of the pages of matches that are looked at, each rendered once for all who look.
#[derive(Default)]
pub struct Rendered(Mutex<HashMap<String, Looked>>);

/// A match that somebody has looked at, and when.
struct Looked {
    at: Instant,
    part: Arc<tokio::sync::Mutex<Option<Part>>>,
}

/// A live part, and how long it is good.
struct Part {
    body: String,
    made: Instant,
    good: Duration,
}

impl Rendered {
    /// The live part of a match's page, and how long until the next; `None` when it is gone.
    async fn body(&self, site: &Site, id: &str) -> Option<(String, Duration)> {
        let part = {
            let mut all = parallel::lock(&self.0);
            all.retain(|_, looked| looked.at.elapsed() < KEPT);
            let now = Instant::now();
            let looked = all.entry(id.to_owned());
            let looked = looked.or_insert_with(|| Looked { at: now, part: Arc::default() });
            looked.at = now;
            Arc::clone(&looked.part)
        };
        // Whoever comes while it is rendered waits for it.
        let mut part = part.lock().await;
        if let Some(Part { body, made, good }) = &*part
            && made.elapsed() < *good
        {
            return Some((body.clone(), good.saturating_sub(made.elapsed()).max(TICK)));
        }
        let (site, name, begun) = (site.clone(), id.to_owned(), Instant::now());
        let body = tokio::task::spawn_blocking(move || {
            MatchView::find(&site, &name).map(|page| text(&MatchBody { page: &page }))
        });
        let body = body.await.ok()??;
        let good = TICK.max(SHARE * begun.elapsed());
        *part = Some(Part { body: body.clone(), made: Instant::now(), good });
        Some((body, good))
    }
}

impl MatchView {
    /// The match with this name, if it exists. Reads files.
    pub fn find(site: &Site, id: &str) -> Option<MatchView> {
        let folder = site.records.folder_of(id)?;
        let running = site
            .tables
            .iter()
            .map(TableView::status)
            .find_map(|status| status.playing.filter(|playing| playing.id == id));
        match MatchView::read(site, id, &folder, running.as_ref()) {
            Ok(view) => Some(view),
            Err(error) => {
                tracing::warn!(id, %error, "cannot show a match");
                None
            }
        }
    }

    fn read(
        site: &Site,
        id: &str,
        folder: &Path,
        running: Option<&Playing>,
    ) -> Result<MatchView, Failure> {
        let reader = LedgerReader::open(folder)?;
        let info = reader.info().clone();
        let elsewhere = running.is_none() && Records::is_played_elsewhere(folder);
        let line = match (running, elsewhere) {
            (Some(_), _) => None,
            (None, true) => MatchLine::so_far(&reader, id),
            (None, false) => site.records.line(id),
        };
        let state = match (running, &line) {
            (Some(playing), _) => format!("hand {} of {}", playing.hands, playing.of),
            (None, Some(line)) => line.words(),
            (None, None) => "not known".to_owned(),
        };
        let sums = match running {
            Some(playing) => Some((playing.tally.clone(), playing.decisions.clone())),
            None if elsewhere => sums_so_far(&reader)?,
            None => None,
        };
        let sums = match sums {
            Some((tally, counts)) => {
                let rule = reader.note(StopRule::NOTE)?;
                let rule = rule.and_then(|note| StopRule::from_note(&note));
                let report = Report::new(&info, &tally, Some(&counts), None);
                Some((report.with_stop_rule(rule.as_ref(), &tally), tally))
            }
            None if elsewhere => None,
            None => read_sums(folder)?,
        };
        let curve = sums.as_ref().map(|(_, tally)| winnings_curve(&info, tally, 0));
        let parts = curve.as_ref().map(|curve| parts_of(id, &curve.lines[0].points));
        let speed = running.map(|playing| playing.hands_per_second);
        let [recorded, valued] = reader.has_decisions()?;
        let running = running.is_some() || elsewhere;
        Ok(MatchView {
            id: id.to_owned(),
            running,
            state,
            well: elsewhere || line.as_ref().is_none_or(MatchLine::complete),
            started: info.provenance.created.clone(),
            ended: line.and_then(|line| line.at),
            hands_per_second: speed,
            folder: folder.display().to_string(),
            report: sums.map(|(report, _)| report),
            names: info.names(),
            luck: luck_by_equity(&info).is_some(),
            recorded,
            lists: hands::lists(id, &info, valued),
            last_hands: last_hands(&reader, running)?,
            parts: parts.unwrap_or_default(),
            curve: curve.map(|curve| curve.element()),
        })
    }
}

/// The sums of a match that another process plays, as far as it is now: that process may add hands
/// faster than they are read. `None` for one that is too long.
fn sums_so_far(reader: &LedgerReader) -> Result<Option<(Tally, DecisionTally)>, LedgerError> {
    let present = reader.present()?;
    if present.iter().map(|range| range.end() - range.start() + 1).sum::<u64>() > MAX_HANDS {
        return Ok(None);
    }
    let end = present.last().map_or(0, |range| range.end() + 1);
    let mut all_in = AllIn::new(Effort::AUTO_BOARDS);
    let mut tally = Tally::new(reader.info());
    for hand in reader.hands_in(0..end) {
        let hand = hand?;
        tally.add_adjusted(&hand, all_in.expected(&hand).payoffs());
    }
    let note = reader.note(DecisionTally::NOTE)?;
    let counts = note.and_then(|note| DecisionTally::from_note(&note)).unwrap_or_default();
    Ok(Some((tally, counts)))
}

/// The report of a match as `cardroom stats` makes it, without estimates, and its sums; `None` for
/// one that is too long.
fn read_sums(folder: &Path) -> Result<Option<(Report, Tally)>, Failure> {
    let source = Source::open(folder, None, warn)?;
    if source.count()? > MAX_HANDS {
        return Ok(None);
    }
    let added = report::add_up(&source, &Effort::WITHOUT_ESTIMATES, None, None, true)?;
    Ok(Some((added.report(&source, None)?, added.tally)))
}

/// The last hands; while the match is played, those whose deal is over.
fn last_hands(reader: &LedgerReader, running: bool) -> Result<Vec<HandReport>, LedgerError> {
    let info = reader.info();
    let filter = HandFilter { whole_deals: running && info.group() > 1, ..HandFilter::default() };
    let mut hands = Vec::with_capacity(LAST_HANDS);
    for number in reader.numbers_where(&filter, HandOrder::Latest, 0, LAST_HANDS)? {
        let Some(record) = reader.hand(number)? else { continue };
        hands.push(HandReport::new(info, &record, &reader.decisions(number)?, None));
    }
    Ok(hands)
}

/// A number as text, with the address of its hands if there is one.
type LinkedNumber = (String, Option<String>);

impl MatchBody<'_> {
    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = Vec::new();
        if let Some(report) = &self.page.report {
            let planned = report.of.hands_planned;
            facts.push((
                "Hands",
                match planned {
                    // Whoever plays decides how many.
                    0 => whole(report.hands),
                    planned => format!("{} of {}", whole(report.hands), whole(planned)),
                },
            ));
            if let Some(stop) = &report.stop {
                let name = if stop.met { "Ended by its rule" } else { "Stopping rule" };
                facts.push((name, stop.words.clone()));
            }
            facts.push(("Game", report.of.game.clone()));
            facts.push(("Seed", report.of.seed.to_string()));
        }
        if let Some(speed) = self.page.hands_per_second {
            facts.push(("Hands a second", format!("{speed:.1}")));
        }
        facts.push(("Began", to_the_second(&self.page.started)));
        if let Some(ended) = self.page.ended {
            facts.push(("Ended", to_the_second(&ended.to_string())));
        }
        facts
    }

    fn rates(&self) -> String {
        let entrants = || self.page.report.iter().flat_map(|report| &report.entrants);
        let players = entrants().map(|entrant| PlayerLine {
            name: entrant.name.clone(),
            rate: RateView::estimated(&entrant.rate),
        });
        let all_in = entrants().map(|entrant| RateView::estimated(&entrant.all_in_adjusted));
        let (players, all_in) = (players.collect::<Vec<_>>(), all_in.collect::<Vec<_>>());
        rates::table_of_match(&self.page.id, &players, &all_in, self.page.luck)
    }

    /// The findings and warnings of the report.
    fn warnings(&self) -> Vec<String> {
        let Some(report) = &self.page.report else { return Vec::new() };
        let findings = report.findings.iter();
        let findings = findings.map(|finding| format!("Warning: {}", finding.evidence));
        findings.chain(report.warnings.iter().cloned()).collect()
    }

    /// The players that decided, with the counts and times of their decisions; the last two have
    /// links to such hands, where there are some that were recorded.
    fn decisions(&self) -> Vec<(String, [LinkedNumber; 6])> {
        let hands = |count: u64, kind: Decided| {
            let link = (count > 0 && self.page.recorded)
                .then(|| hands::with_decisions(&self.page.id, kind));
            (count.to_string(), link)
        };
        let entrants = self.page.report.iter().flat_map(|report| &report.entrants);
        let row = |entrant: &logs::stats::report::EntrantSection| {
            let counts = entrant.decisions.as_ref()?;
            let times = counts.nanoseconds?;
            let cells = [
                (whole(counts.count), None),
                (duration(times.p50), None),
                (duration(times.p99), None),
                (duration(times.max), None),
                hands(counts.corrected, Decided::Corrected),
                hands(counts.fallbacks.values().sum::<u64>(), Decided::ByFallback),
            ];
            Some((entrant.name.clone(), cells))
        };
        entrants.filter_map(row).collect()
    }

    /// The first line of an agent's explanation, and the rest.
    fn note(&self, decision: &HandDecision) -> (String, String) {
        sentence(decision.note.as_deref().unwrap_or_default())
    }

    /// A player's winnings in big blinds as text, with their class.
    fn winnings(&self, won: &f64, hand: &HandReport) -> (String, &'static str) {
        let big_blind = f64::from(hand.line.big_blind.max(1));
        (hands::blinds(won / big_blind), class(*won))
    }

    fn cards(&self, cards: &str) -> Vec<CardText> {
        cards_of(cards)
    }

    /// The address of the match's hands.
    fn hands(&self) -> String {
        hands::base(&self.page.id)
    }

    /// What the first player won in a part of the match, in big blinds, with its class.
    fn won_in(&self, &won: &f64) -> (String, &'static str) {
        (signed_grouped(won, 1), class(won))
    }

    /// Why there are no rates, if there are none.
    fn without_rates(&self) -> Option<String> {
        let most = whole(MAX_HANDS);
        self.page.report.is_none().then(|| match self.page.running {
            true => format!("With more than {most} hands rates are added up at the end"),
            false => {
                format!("Rates of more than {most} hands are in its report, or by `cardroom stats`")
            }
        })
    }
}

/// The number of parts of a match.
const PARTS: usize = 10;

/// The match in parts of about as many hands, by the points of the curve of winnings: hands, and
/// big blinds won so far.
fn parts_of(id: &str, points: &[(f64, f64)]) -> Vec<(String, String, f64)> {
    let last = points.len().saturating_sub(1);
    let ends = (0..=PARTS).map(|part| points.get(part * last / PARTS).copied());
    let mut ends: Vec<(f64, f64)> = ends.flatten().collect();
    ends.dedup_by(|a, b| a.0 <= b.0);
    let part = |pair: &[(f64, f64)]| {
        let [(from, before), (to, after)] = [pair[0], pair[1]];
        let hands = format!("{} to {}", whole(from as u64 + 1), whole(to as u64));
        (hands::from_hand(id, from as u64), hands, after - before)
    };
    ends.windows(2).map(part).collect()
}

/// A time stamp to the second.
fn to_the_second(stamp: &str) -> String {
    match stamp.parse::<jiff::Timestamp>() {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        Err(_) => stamp.to_owned(),
    }
}
