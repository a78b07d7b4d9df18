//! The web server: pages, JSON API, health and metrics, which are all read-only; and the Slumbot
//! API, over which hands are played.
//!
//! - [`overview`], [`match_page`], [`runs`], [`play`]: the pages with their live parts; [`hands`]:
//!   the hands of a match, and each of them; [`rates`]: win rates on them; [`pages`]: what all
//!   pages share. [`records`]: matches on disk.
//! - [`api`]: the same values as JSON, health and metrics; [`description`]: their description;
//!   [`decide`]: decisions of agents.
//! - [`run`]: matches, tournaments and evaluations that are started from the page; [`tournament`]:
//!   the page of each tournament.
//! - [`scrimmage`]: a course's bots: handing in, rounds, results.
//! - [`agents`]: the page of each agent; [`policies`]: those that can be asked.
//! - [`analyse`]: files of hands that are imported, and what a player's result is made of.
//! - [`study`]: spots that are solved here and walked through; [`exercises`]: decisions to
//!   practise; [`classes`]: sheets of them, and classes that answer one.
//! - [`slumbot`]: the Slumbot API; [`gtowizard`]: that of the GTO Wizard Benchmark; [`play_api`]:
//!   what both share.
//! - [`listener`]: connections and their limits; [`hosts`]: filtering requests; [`login`]:
//!   authorisation and limits by address; [`mod@compress`]: answers in fewer bytes.

mod agents;
pub mod analyse;
mod api;
mod classes;
mod compress;
pub mod decide;
mod description;
mod exercises;
pub mod gtowizard;
mod hands;
pub mod hosts;
mod listener;
pub mod login;
mod match_page;
pub mod overview;
mod pages;
mod play;
pub mod play_api;
pub mod policies;
mod rates;
pub mod records;
pub mod run;
pub mod runs;
pub mod scrimmage;
pub mod slumbot;
pub mod study;
pub mod tournament;

pub use api::start_metrics;

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::IntoResponse;
use axum::routing::get;
use jiff::Timestamp;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::TimeoutLayer;
use wire::connect::ConnectionView;
use wire::host::TableView;

use decide::Decider;
use description::Description;
use gtowizard::Benchmark;
use overview::{AgentLine, LiveSections};
use records::Records;
use runs::QueueView;
use scrimmage::Course;
use slumbot::Api;

use crate::mcp::{self, Tools};

/// This program's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit it was built from, if known.
pub const COMMIT: Option<&str> = option_env!("CARDROOM_COMMIT");

/// The content security policy: nothing from elsewhere, no inline scripts or styles, no frames.
const POLICY: &str =
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// What is offered if it is enabled, besides pages and the hosts of web APIs.
pub struct Offered {
    /// Decisions over HTTP.
    pub decider: Option<Decider>,
    /// Tools for language models.
    pub tools: Option<Arc<Tools>>,
    /// A course's scrimmage.
    pub course: Option<Course>,
    /// Solving for the study page.
    pub study: Option<study::Study>,
    /// Matches and measurements that are started from the page.
    pub run: run::Offer,
    /// Importing and analysing hands.
    pub analyse: Option<analyse::Analyses>,
    /// The agents that can be asked what they would do.
    pub policies: Arc<policies::Policies>,
}

/// Serves until `stop`, then lets requests in progress finish.
pub async fn serve(
    listener: TcpListener,
    site: Site,
    offered: Offered,
    guard: Guard,
    limits: Limits,
    stop: CancellationToken,
) {
    let live = tokio::spawn(overview::keep_live(site.clone()));
    let slumbot = site.slumbot.as_ref().map(Api::router).unwrap_or_default();
    let benchmark = site.benchmark.as_ref().map(Benchmark::router).unwrap_or_default();
    let hosts = Arc::new(guard.hosts.clone());
    let from_here = middleware::from_fn_with_state(hosts, hosts::from_here);
    let tools = offered.tools.clone();
    let tools = tools.map(|tools| mcp::router(tools, stop.clone()).layer(from_here));
    let router = router(&site, offered, tools, &guard, limits);
    let router = router.merge(slumbot).merge(benchmark);
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
    Offered { decider, course, study, run, analyse, policies, .. }: Offered,
    tools: Option<Router>,
    guard: &Guard,
    limits: Limits,
) -> Router {
    let login = guard.login.clone();
    let header = |name: HeaderName, value: &'static str| {
        SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
    };
    let time_out = TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, limits.time);
    let mut description = Description::new();
    let router = Router::new()
        .route("/", get(overview::index))
        .route("/live", get(overview::live))
        .route("/matches", get(overview::matches))
        .route("/matches/{id}", get(match_page::html))
        .route("/matches/{id}/live", get(match_page::live))
        .route("/matches/{id}/hands", get(hands::html))
        .route("/matches/{id}/hands/{hand}", get(hands::hand::html))
        .route("/assets/{name}", get(pages::asset))
        .route("/healthz", get(api::alive))
        .route("/readyz", get(api::ready))
        .route("/version", get(api::version))
        .route("/metrics", get(api::metrics_page))
        .fallback(pages::not_found)
        .merge(api::router(&mut description))
        .with_state(site.clone())
        .merge(play::router(site.clone()))
        .merge(runs::router(site.queue.clone(), &mut description));
    // Teams have logins of their own.
    let doorkeeper = course.clone();
    let (course_pages, hand_in) = scrimmage::routers(course, login.clone(), &mut description);
    let decide = decide::router(decider, limits, &mut description);
    let tournaments = tournament::Tournaments::new(&site.data, site.stop.clone());
    let places = (doorkeeper.clone(), tournaments.clone());
    let reached = (guard.hosts.clone(), login.is_some());
    let run = run::router(run, places, reached, limits, &mut description);
    let tournaments = tournament::router(tournaments, &mut description);
    let trainer = exercises::Trainer::new(study.clone(), site.clone(), Arc::clone(&policies));
    let exercises = exercises::router(trainer.clone(), &mut description);
    let begin = study.is_some();
    let classes = classes::Classes::new(&site.data, begin, trainer, site.stop.clone());
    let classes = classes::router(classes, limits, &guard.hosts, &mut description);
    let study = study::router(study, limits, &mut description);
    let (analyse, uploads) = analyse::routers(site.clone(), analyse, limits, &mut description);
    let mut router = router
        .merge(description.router())
        .merge(course_pages)
        .merge(study)
        .merge(run)
        .merge(tournaments)
        .merge(exercises)
        .merge(classes)
        .merge(analyse)
        .merge(agents::router(site.clone(), policies))
        .layer(time_out)
        .layer(middleware::from_fn(pages::late))
        // Decisions and tools have time limits of their own.
        .merge(decide)
        .merge(tools.unwrap_or_default())
        .layer(RequestBodyLimitLayer::new(limits.body))
        // Files have limits of their own.
        .merge(uploads);
    if let Some(login) = login {
        let door = login::Door { login, course: doorkeeper };
        router = router.layer(middleware::from_fn_with_state(door, login::ask));
    }
    router
        .merge(hand_in)
        .layer(CatchPanicLayer::custom(panicked))
        .layer(middleware::from_fn(api::in_json))
        .layer(middleware::from_fn(count))
        .layer(middleware::from_fn(compress::compress))
        .layer(header(header::CONTENT_SECURITY_POLICY, POLICY))
        .layer(header(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(header(header::REFERRER_POLICY, "no-referrer"))
        .layer(header(header::CACHE_CONTROL, "no-store"))
}

/// Counts responses by status.
async fn count(request: Request, next: Next) -> Response<Body> {
    let response = next.run(request).await;
    let code = response.status().as_str().to_owned();
    metrics::counter!("cardroom_http_requests_total", "code" => code).increment(1);
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

/// The state of the web server, shared by all requests; cheap to clone.
#[derive(Clone)]
pub struct Site(Arc<SiteState>);

/// What all requests share.
pub struct SiteState {
    started: Timestamp,
    clock: Instant,
    tables: Vec<TableView>,
    dealers: Vec<ConnectionView>,
    agents: Vec<AgentLine>,
    /// The Slumbot API, if enabled.
    slumbot: Option<Api>,
    /// The API of the GTO Wizard Benchmark, over the same sessions.
    benchmark: Option<Benchmark>,
    /// The queue to show, if there is one.
    queue: Option<QueueView>,
    /// The data folder.
    data: PathBuf,
    /// The matches on disk.
    records: Records,
    /// Lists of hands that took long to make.
    ranked: hands::Kept,
    /// The live parts of the pages of matches.
    rendered: match_page::Rendered,
    metrics: PrometheusHandle,
    /// Whether the server takes no new matches.
    draining: AtomicBool,
    /// The live sections of the first page, updated whenever they change.
    live_sections: watch::Sender<Arc<LiveSections>>,
    /// Ends the live streams.
    stop: CancellationToken,
}

impl Deref for Site {
    type Target = SiteState;

    fn deref(&self) -> &SiteState {
        &self.0
    }
}

impl Site {
    /// A site with these tables and connections. `stop` ends the live streams.
    pub fn new(
        tables: Vec<TableView>,
        dealers: Vec<ConnectionView>,
        agents: Vec<AgentLine>,
        apis: (Option<Api>, Option<Benchmark>, Option<QueueView>),
        data: PathBuf,
        metrics: PrometheusHandle,
        stop: CancellationToken,
    ) -> Site {
        let (slumbot, benchmark, queue) = apis;
        let records = Records::new(&data);
        Site(Arc::new(SiteState {
            started: Timestamp::now(),
            clock: Instant::now(),
            tables,
            dealers,
            agents,
            slumbot,
            benchmark,
            queue,
            data,
            records,
            ranked: hands::Kept::default(),
            rendered: match_page::Rendered::default(),
            metrics,
            draining: AtomicBool::new(false),
            live_sections: watch::Sender::default(),
            stop,
        }))
    }

    /// Marks that the server takes no new matches.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Whether the match of this name, in this folder, is being played, here or elsewhere.
    fn is_being_played(&self, id: &str, folder: &std::path::Path) -> bool {
        let here = |view: &TableView| view.status().playing.is_some_and(|playing| playing.id == id);
        self.tables.iter().any(here) || Records::is_played_elsewhere(folder)
    }

    fn draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }
}
