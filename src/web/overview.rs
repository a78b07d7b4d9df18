//! The first page: tables, outside dealers, the Slumbot API, matches and agents. The same values
//! are in the JSON API, and the sections that change are sent again as server-sent events.

use std::sync::Arc;
use std::time::Duration;

use agents::Registry;
use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::stream;
use jiff::Timestamp;
use protocol::gtowizard::message::ResultsObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use show::number::{decimal, signed_grouped, whole};
use wire::connect::{ConnectionState, ConnectionStatus, ConnectionView};
use wire::host::{Playing, SeatStatus, TableStatus, TableView};
use wire::slumbot_host::HostStatus;

use super::decide::DecidePlan;
use super::pages::{blocking, event, message, page, respond, text};
use super::rates::{self, PlayerLine, RateView};
use super::records::MatchLine;
use super::slumbot::Api;
use super::{Site, VERSION};

/// The polling interval of the live sections.
const TICK: Duration = Duration::from_secs(1);

/// The number of finished matches on the first page, and on a page of all.
const LATEST: usize = 50;

/// The values of the first page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Overview {
    /// This program's version.
    pub version: &'static str,
    /// The time the server started.
    pub started: Timestamp,
    /// The seconds since then.
    pub uptime_seconds: u64,
    /// Whether the server is stopping.
    pub draining: bool,
    /// The hosted tables.
    pub tables: Vec<TableStatus>,
    /// The connections to outside dealers.
    pub dealers: Vec<ConnectionStatus>,
    /// The host of the Slumbot API; `null` if disabled.
    pub slumbot: Option<HostStatus>,
    /// The leaderboard of the host of the GTO Wizard Benchmark's API, the best first: the ten best
    /// clients of whatever number of hands; `null` if disabled.
    pub benchmark: Option<Vec<ResultsObject>>,
    /// The faults injected into both, in words.
    pub faults: Option<String>,
    /// The matches that other processes play.
    pub played_elsewhere: Vec<MatchLine>,
    /// The last finished matches, latest first.
    pub matches: Vec<MatchLine>,
    /// All agents.
    pub agents: Vec<AgentLine>,
}

/// A row of the list of agents.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Agent")]
pub struct AgentLine {
    /// The agent's name.
    pub name: String,
    /// The agent's kind.
    pub kind: String,
    /// A short description.
    pub summary: String,
    /// Whether its decisions are inline or on a thread, in words.
    #[schemars(extend("enum" = ["at once", "on a thread of its own"]))]
    pub cost: &'static str,
    /// Whether `POST /api/v1/decide` asks it.
    pub decides: bool,
}

impl AgentLine {
    /// Every kind, then every agent that the configuration defines, then others that may be asked.
    pub fn all(registry: &Registry, asked: Option<&DecidePlan>) -> Vec<AgentLine> {
        let decides = |name: &str| asked.is_some_and(|plan| plan.agents.contains_key(name));
        let line = |name: &str, spec: &agents::AgentSpec, cost| AgentLine {
            name: name.to_owned(),
            kind: spec.kind.to_owned(),
            summary: spec.summary.to_owned(),
            cost: match cost {
                agents::Cost::Inline => "at once",
                agents::Cost::Worker => "on a thread of its own",
            },
            decides: decides(name),
        };
        let kinds =
            registry.kinds_by_strength().into_iter().map(|spec| line(spec.kind, spec, spec.cost));
        let defined = registry.defined().filter_map(|(name, _)| {
            let choice = registry.resolve(name).ok()?;
            Some(line(name, choice.spec(), choice.cost()))
        });
        let mut lines: Vec<AgentLine> = kinds.chain(defined).collect();
        for (name, choice) in asked.iter().flat_map(|plan| &plan.agents) {
            if lines.iter().all(|line| line.name != *name) {
                lines.push(line(name, choice.spec(), choice.cost()));
            }
        }
        lines
    }
}

/// The live sections of the first page, rendered.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct LiveSections {
    tables: String,
    /// Matches that other processes play.
    playing: String,
    /// Finished matches.
    matches: String,
}

#[derive(Template)]
#[template(path = "index.html", config = ".askama.toml")]
struct Index<'a> {
    sections: LiveSections,
    agents: &'a [AgentLine],
    runs: bool,
}

#[derive(Template)]
#[template(path = "tables.html", config = ".askama.toml")]
struct Tables<'a> {
    overview: &'a Overview,
}

#[derive(Template)]
#[template(path = "playing.html", config = ".askama.toml")]
struct PlayedElsewhere<'a> {
    matches: &'a [MatchLine],
}

#[derive(Template)]
#[template(path = "matches.html", config = ".askama.toml")]
struct Matches<'a> {
    matches: &'a [MatchLine],
}

/// The first page.
pub async fn index(State(site): State<Site>) -> Result<Response, Response> {
    let for_page = site.clone();
    let sections = blocking(move || LiveSections::new(&Overview::new(&for_page))).await?;
    Ok(page(&Index { sections, agents: &site.agents, runs: site.queue.is_some() }))
}

/// The page of a list, from 1.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Paged {
    page: Option<usize>,
}

/// All finished matches, a page at a time.
#[derive(Template)]
#[template(path = "all_matches.html", config = ".askama.toml")]
struct AllMatches {
    /// The table.
    list: String,
    /// The number of matches in it, and of all.
    shown: usize,
    all: usize,
    /// The page, from 1.
    number: usize,
}

impl AllMatches {
    fn pages(&self) -> usize {
        self.all.div_ceil(LATEST).max(1)
    }

    fn range(&self) -> String {
        let first = (self.number - 1) * LATEST;
        match self.all {
            0 => "None yet".to_owned(),
            all => format!(
                "{} to {} of {}, the latest first",
                whole(first as u64 + 1),
                whole((first + self.shown) as u64),
                whole(all as u64)
            ),
        }
    }
}

/// The page of all finished matches.
pub async fn matches(
    State(site): State<Site>,
    asked: Result<Query<Paged>, QueryRejection>,
) -> Result<Response, Response> {
    let wrong = |why: String| message(StatusCode::BAD_REQUEST, "No such page", &why);
    let Query(Paged { page: asked }) = asked.map_err(|error| wrong(error.body_text()))?;
    let number = asked.unwrap_or(1);
    let found = blocking(move || {
        let (lines, all) = site.records.page(number.saturating_sub(1) * LATEST, LATEST);
        AllMatches { list: text(&Matches { matches: &lines }), shown: lines.len(), all, number }
    });
    let found = found.await?;
    if !(1..=found.pages()).contains(&number) {
        return Err(wrong(format!("Pages are from 1 to {}.", found.pages())));
    }
    Ok(page(&found))
}

/// The live sections of the first page.
pub async fn live(State(site): State<Site>) -> Response {
    let receiver = site.live_sections.subscribe();
    // The receiver's value may be old; the first event comes with the next check.
    let stop = site.stop.clone();
    let events =
        stream::unfold((receiver, stop, Vec::new()), |(mut receiver, stop, mut due)| async {
            loop {
                if let Some(event) = due.pop() {
                    return Some((Ok(event), (receiver, stop, due)));
                }
                tokio::select! {
                    changed = receiver.changed() => changed.ok()?,
                    () = stop.cancelled() => return None,
                }
                let sections = receiver.borrow_and_update().clone();
                due = vec![
                    event("matches", &sections.matches),
                    event("playing", &sections.playing),
                    event("tables", &sections.tables),
                ];
            }
        });
    respond(events)
}

/// Renders the live sections periodically while a client watches.
pub async fn keep_live(site: Site) {
    let mut ticks = tokio::time::interval(TICK);
    loop {
        ticks.tick().await;
        // Histograms keep every value until upkeep is run.
        site.metrics.run_upkeep();
        if site.live_sections.receiver_count() == 0 {
            continue;
        }
        let for_page = site.clone();
        let rendered =
            tokio::task::spawn_blocking(move || LiveSections::new(&Overview::new(&for_page)));
        if let Ok(sections) = rendered.await {
            site.live_sections.send_if_modified(|shown| {
                let new = **shown != sections;
                if new {
                    *shown = Arc::new(sections);
                }
                new
            });
        }
    }
}

impl Overview {
    /// The values now. Reads files: not for the runtime's own threads.
    pub fn new(site: &Site) -> Overview {
        Overview {
            version: VERSION,
            started: site.started,
            uptime_seconds: site.clock.elapsed().as_secs(),
            draining: site.draining(),
            tables: site.tables.iter().map(TableView::status).collect(),
            dealers: site.dealers.iter().map(ConnectionView::status).collect(),
            slumbot: site.slumbot.as_ref().map(Api::status),
            benchmark: site.benchmark.as_ref().map(|benchmark| benchmark.best_clients(10)),
            faults: site.slumbot.as_ref().and_then(Api::faults),
            played_elsewhere: site.records.played_elsewhere(),
            matches: site.records.latest(LATEST),
            agents: site.agents.to_vec(),
        }
    }
}

impl LiveSections {
    /// Renders the sections.
    pub fn new(overview: &Overview) -> LiveSections {
        LiveSections {
            tables: text(&Tables { overview }),
            playing: text(&PlayedElsewhere { matches: &overview.played_elsewhere }),
            matches: text(&Matches { matches: &overview.matches }),
        }
    }
}

impl Tables<'_> {
    fn taken_by(&self, seat: &SeatStatus) -> String {
        match (&seat.agent, seat.guest, seat.waiting) {
            (Some(agent), _, _) => format!("agent {agent}"),
            (None, Some(guest), _) => format!("outside bot {guest}"),
            (None, None, 0) => "free".to_owned(),
            (None, None, _) => "waiting for the other seats".to_owned(),
        }
    }

    /// The number of bots in the queue of an open seat. One that waits for a free seat is shown as
    /// sitting in it.
    fn waiting(&self, seat: &SeatStatus, table: &TableStatus) -> Option<usize> {
        let seated = usize::from(table.playing.is_none());
        seat.address.map(|_| seat.waiting.saturating_sub(seated))
    }

    /// A client's hands, score, half the width of the score's 95 % interval, and result as played,
    /// in big blinds per hundred hands.
    fn client(&self, client: &ResultsObject) -> [String; 4] {
        [
            whole(client.total_hands),
            signed_grouped(client.aivat_score_bb_per_100, 1),
            decimal(1.96 * client.aivat_std_bb_per_100, 1),
            signed_grouped(client.bb_per_100, 1),
        ]
    }

    fn rates(&self, playing: &Playing, table: &TableStatus) -> String {
        let lines = table.seats.iter().zip(&playing.rates).map(|(seat, rate)| PlayerLine {
            name: seat.name.clone(),
            rate: rate.map(RateView::from),
        });
        rates::table(&lines.collect::<Vec<_>>())
    }

    /// The command that sits a bot down at the first free seat.
    fn command(&self, table: &TableStatus) -> Option<String> {
        let free =
            table.seats.iter().find_map(|seat| seat.address.filter(|_| seat.waiting == 0))?;
        let (host, port, game) = (free.ip(), free.port(), &table.game);
        Some(format!("cardroom play acpc {host} {port} --agent call --game {game}"))
    }

    fn state(&self, dealer: &ConnectionStatus) -> &'static str {
        match dealer.doing {
            ConnectionState::AtTheDealer => "connecting or playing",
            ConnectionState::Pausing => "pausing",
            ConnectionState::Stopped => "stopped",
        }
    }

    /// The win rate in the last match at an outside dealer.
    fn last_rate(&self, dealer: &ConnectionStatus) -> Option<String> {
        let rate = dealer.last.as_ref()?.rate?;
        let (mbb, half_width) = (signed_grouped(rate.mbb, 0), decimal(rate.half_width(), 0));
        Some(format!("{mbb} ± {half_width} mbb/hand"))
    }
}
