//! The pages as HTML.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};

use super::Site;
use super::api::blocking;
use super::match_view::MatchView;
use super::records::MatchLine;
use super::show::{DealerCard, MatchDetail, MatchRow, SlumbotCard, TableCard};
use super::site::LiveSections;
use super::view::{AgentLine, Overview};

#[derive(Template)]
#[template(path = "index.html", config = ".askama.toml")]
struct Index {
    tables: String,
    playing: String,
    matches: String,
    agents: Vec<AgentLine>,
    runs: bool,
}

#[derive(Template)]
#[template(path = "tables.html", config = ".askama.toml")]
struct Tables {
    tables: Vec<TableCard>,
    dealers: Vec<DealerCard>,
    slumbot: Option<SlumbotCard>,
}

#[derive(Template)]
#[template(path = "playing.html", config = ".askama.toml")]
struct PlayedElsewhere {
    matches: Vec<MatchRow>,
}

#[derive(Template)]
#[template(path = "matches.html", config = ".askama.toml")]
struct Matches {
    matches: Vec<MatchRow>,
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
    page: &'a MatchDetail,
}

#[derive(Template)]
#[template(path = "message.html", config = ".askama.toml")]
struct Message<'a> {
    title: &'a str,
    text: &'a str,
}

/// The first page.
pub async fn index(State(site): State<Site>) -> Result<Response, Response> {
    let (agents, runs) = (site.agents().to_vec(), site.has_runs());
    let LiveSections { tables, playing, matches } =
        blocking(move || live_sections(&site.overview())).await?;
    Ok(page(&Index { tables, playing, matches, agents, runs }))
}

/// The live sections of the first page.
pub fn live_sections(overview: &Overview) -> LiveSections {
    let tables = Tables {
        tables: overview.tables.iter().map(TableCard::of).collect(),
        dealers: overview.dealers.iter().map(DealerCard::of).collect(),
        slumbot: SlumbotCard::of(overview),
    };
    let rows = |lines: &[MatchLine]| lines.iter().map(MatchRow::of).collect();
    let playing = PlayedElsewhere { matches: rows(&overview.played_elsewhere) };
    let matches = Matches { matches: rows(&overview.matches) };
    LiveSections { tables: text(&tables), playing: text(&playing), matches: text(&matches) }
}

/// The page of a match.
pub async fn match_page(
    State(site): State<Site>,
    Path(id): Path<String>,
) -> Result<Response, Response> {
    let name = id.clone();
    let found = blocking(move || {
        let view = MatchView::of(&site, &name)?;
        Some((view.running, text(&MatchBody { page: &MatchDetail::of(&view) })))
    });
    let Some((running, body)) = found.await? else {
        return Ok(message(
            StatusCode::NOT_FOUND,
            "No such match",
            "There is no match with this name.",
        ));
    };
    Ok(page(&MatchPage { id, running, body }))
}

/// The part of a match's page that changes.
pub fn match_body(site: &Site, id: &str) -> Option<String> {
    let view = MatchView::of(site, id)?;
    Some(text(&MatchBody { page: &MatchDetail::of(&view) }))
}

/// The style sheet, the script and the icon, which are built in.
pub async fn asset(Path(name): Path<String>) -> Response {
    let (kind, content) = match name.as_str() {
        "style.css" => ("text/css; charset=utf-8", include_str!("assets/style.css")),
        "live.js" => ("text/javascript; charset=utf-8", include_str!("assets/live.js")),
        "play.css" => ("text/css; charset=utf-8", include_str!("assets/play.css")),
        "play.js" => ("text/javascript; charset=utf-8", include_str!("assets/play.js")),
        "icon.svg" => ("image/svg+xml", include_str!("assets/icon.svg")),
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "max-age=300")], content)
        .into_response()
}

/// The response for unknown addresses.
pub async fn not_found() -> Response {
    message(StatusCode::NOT_FOUND, "Nothing here", "There is no page at this address.")
}

/// A page with one message.
pub fn message(code: StatusCode, title: &str, text: &str) -> Response {
    (code, page(&Message { title, text })).into_response()
}

fn page(template: &impl Template) -> Response {
    Html(text(template)).into_response()
}

/// Renders a template.
pub fn text(template: &impl Template) -> String {
    template.render().expect("templates write to a string, which does not fail")
}
