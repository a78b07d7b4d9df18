//! The JSON API, version 1: the same values as on the pages.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use wire::connect::{ConnectionStatus, ConnectionView};
use wire::host::{TableStatus, TableView};
use wire::slumbot_host::HostStatus;

use super::match_view::MatchView;
use super::problem::Problem;
use super::slumbot::Api;
use super::view::{AgentLine, Overview};
use super::{Site, records::MatchLine};

/// The most matches in one response.
const MAX_LIMIT: usize = 500;

/// The values of the first page.
pub async fn overview(State(site): State<Site>) -> Result<Json<Overview>, Response> {
    blocking(move || site.overview()).await.map(Json)
}

/// The hosted tables.
pub async fn tables(State(site): State<Site>) -> Json<Vec<TableStatus>> {
    Json(site.tables().iter().map(TableView::status).collect())
}

/// The connections to outside dealers.
pub async fn dealers(State(site): State<Site>) -> Json<Vec<ConnectionStatus>> {
    Json(site.dealers().iter().map(ConnectionView::status).collect())
}

/// All agents of the server, as JSON.
pub async fn agents(State(site): State<Site>) -> Json<Vec<AgentLine>> {
    Json(site.agents().to_vec())
}

/// The host of the Slumbot API; `null` where there is none.
pub async fn slumbot(State(site): State<Site>) -> Json<Option<HostStatus>> {
    Json(site.slumbot().map(Api::status))
}

/// The query with the number of matches to list.
#[derive(Debug, Deserialize)]
pub struct Wanted {
    limit: Option<usize>,
}

/// The finished matches, latest first.
pub async fn matches(
    State(site): State<Site>,
    Query(wanted): Query<Wanted>,
) -> Result<Json<Vec<MatchLine>>, Response> {
    let limit = wanted.limit.unwrap_or(50).min(MAX_LIMIT);
    blocking(move || site.records().latest(limit)).await.map(Json)
}

/// One match in detail.
pub async fn match_page(
    State(site): State<Site>,
    Path(id): Path<String>,
) -> Result<Json<MatchView>, Response> {
    let found = blocking(move || MatchView::of(&site, &id)).await?;
    let remedy = "`/api/v1/matches` lists the matches";
    let not_found = || Problem::new(StatusCode::NOT_FOUND, "no such match", remedy).into_response();
    found.map(Json).ok_or_else(not_found)
}

/// The OpenAPI 3.1 description of this API.
pub async fn openapi() -> Response {
    let document = include_str!("openapi.json");
    ([(header::CONTENT_TYPE, "application/json")], document).into_response()
}

/// Runs work that reads files on a blocking thread.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Response> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "a web request failed");
        (StatusCode::INTERNAL_SERVER_ERROR, "the server failed at this request\n").into_response()
    })
}
