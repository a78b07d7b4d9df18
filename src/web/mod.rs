//! The web server: pages, JSON API, health and metrics, which are all read-only; and the Slumbot
//! API, over which hands are played.
//!
//! - [`pages`]: the pages as HTML; [`live`]: their parts, sent whenever they change.
//! - [`api`]: the same values as JSON, with errors as [`problem`]; [`decide`]: decisions of agents.
//! - [`health`]: liveness and readiness. [`metrics`]: metrics for Prometheus.
//! - [`view`]: the values that pages show, and [`show`], their text; [`records`]: matches on disk.
//! - [`play`]: the play page.
//! - [`slumbot`]: the Slumbot API; [`faults`]: fault injection for it.
//! - [`listener`]: connections and their limits; [`idle`]: the idle timeout.
//! - [`hosts`]: filtering requests; [`framing`]: request boundaries; [`login`]: authorisation;
//!   [`allowance`]: limits by address.

mod allowance;
mod api;
pub mod decide;
pub mod faults;
mod framing;
mod health;
pub mod hosts;
mod idle;
mod listener;
mod live;
pub mod login;
mod match_view;
pub mod metrics;
mod pages;
mod play;
mod problem;
mod records;
pub mod runs;
mod show;
mod site;
pub mod slumbot;
pub mod view;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::IntoResponse;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::TimeoutLayer;

use decide::Decider;
pub use site::Site;

/// This program's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit it was built from, if known.
pub const COMMIT: Option<&str> = option_env!("CARDROOM_COMMIT");

/// The content security policy: nothing from elsewhere, no inline scripts or styles, no frames.
const POLICY: &str =
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Serves until `stop`, then lets requests in progress finish.
pub async fn serve(
    listener: TcpListener,
    site: Site,
    decider: Option<Decider>,
    guard: Guard,
    limits: Limits,
    stop: CancellationToken,
) {
    let live = tokio::spawn(site.clone().keep_live());
    let slumbot = site.slumbot().map(slumbot::Api::router).unwrap_or_default();
    let router = router(&site, decider, guard.login, limits).merge(slumbot);
    listener::serve(listener, router, guard.hosts, limits, stop).await;
    live.abort();
}

/// The conditions for requests to be answered.
#[derive(Debug, Clone)]
pub struct Guard {
    /// The hosts that requests must be for.
    pub hosts: hosts::Hosts,
    /// The login that requests need; `None` for none.
    pub login: Option<Arc<login::Login>>,
}

/// Limits of connections and requests.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most connections at once.
    pub connections: usize,
    /// The time limit for the next request's header.
    pub header: Duration,
    /// The most bytes of a body.
    pub body: usize,
    /// The time limit until the response begins.
    pub time: Duration,
}

fn router(
    site: &Site,
    decider: Option<Decider>,
    login: Option<Arc<login::Login>>,
    limits: Limits,
) -> Router {
    let header = |name: HeaderName, value: &'static str| {
        SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
    };
    let time_out = TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, limits.time);
    let router = Router::new()
        .route("/", get(pages::index))
        .route("/live", get(live::overview))
        .route("/matches/{id}", get(pages::match_page))
        .route("/matches/{id}/live", get(live::match_page))
        .route("/assets/{name}", get(pages::asset))
        .route("/api/v1/overview", get(api::overview))
        .route("/api/v1/tables", get(api::tables))
        .route("/api/v1/dealers", get(api::dealers))
        .route("/api/v1/agents", get(api::agents))
        .route("/api/v1/matches", get(api::matches))
        .route("/api/v1/matches/{id}", get(api::match_page))
        .route("/api/v1/slumbot", get(api::slumbot))
        .route("/api/v1/openapi.json", get(api::openapi))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/version", get(health::version))
        .route("/metrics", get(metrics::page))
        .fallback(pages::not_found)
        .with_state(site.clone())
        .merge(play::router(site.clone()));
    let router = router.merge(runs::router(site.queue().cloned()));
    let mut router = router
        .layer(time_out)
        // Decisions have a time limit of their own.
        .merge(decide::router(decider, limits))
        .layer(RequestBodyLimitLayer::new(limits.body));
    if let Some(login) = login {
        router = router.layer(middleware::from_fn_with_state(login, login::ask));
    }
    router
        .layer(CatchPanicLayer::custom(panicked))
        .layer(middleware::from_fn(problem::in_json))
        .layer(middleware::from_fn(count))
        .layer(header(header::CONTENT_SECURITY_POLICY, POLICY))
        .layer(header(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(header(header::REFERRER_POLICY, "no-referrer"))
        .layer(header(header::CACHE_CONTROL, "no-store"))
}

/// Counts responses by status.
async fn count(request: Request, next: Next) -> Response<Body> {
    let response = next.run(request).await;
    let code = response.status().as_str().to_owned();
    ::metrics::counter!("cardroom_http_requests_total", "code" => code).increment(1);
    response
}

// The layer passes the panic by value.
#[allow(clippy::needless_pass_by_value)]
fn panicked(panic: Box<dyn std::any::Any + Send + 'static>) -> Response<Body> {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
    tracing::error!(panic = text, "a web request failed");
    (StatusCode::INTERNAL_SERVER_ERROR, "the server failed at this request\n").into_response()
}
