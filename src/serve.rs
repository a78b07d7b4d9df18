//! The server from start to stop: opens everything, prints the addresses, plays until a signal, and
//! stops in order.
//!
//! On stopping, no new matches begin, hands in play are finished (or, on SIGTERM, given up after
//! the grace period), records are completed, and only then the web server stops. SIGINT waits
//! without limit; a second signal of any kind aborts. systemd is told about it by its `sd_notify`
//! protocol: one datagram with the service's state to the socket named by `NOTIFY_SOCKET`.

use std::fmt::Write;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ::scrimmage::Scrimmage;
use anyhow::Context;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use wire::connect::Connection;
use wire::faults::FaultPlan;
use wire::gtowizard_host::GtoWizardHost;
use wire::host::{self, HostedTable, SeatPlan, Stops, TableView};
use wire::slumbot_host::{HostPlan, SlumbotHost};

use crate::config::Config;
use crate::config::check::Setup;
use crate::exit::Failure;
use crate::mcp::{self, Tools};
use crate::shell;
use crate::web::analyse::Analyses;
use crate::web::decide::Decider;
use crate::web::gtowizard::Benchmark;
use crate::web::login::{Login, open_secret};
use crate::web::overview::AgentLine;
use crate::web::play_api::{self, Faults};
use crate::web::policies::Policies;
use crate::web::run::{Offer, Run, RunPlan};
use crate::web::runs::QueueView;
use crate::web::scrimmage::Course;
use crate::web::slumbot::Api;
use crate::web::study::Study;
use crate::web::{self, Limits, Offered, Site};

/// How long tables have to write and close after an abort, and web requests to end.
const GRACE_PERIOD: Duration = Duration::from_secs(3);

/// Runs the server until a signal stops it.
///
/// # Errors
/// Exit code 3 when it cannot start, 130 when it is aborted.
pub async fn serve(
    config: &Config,
    setup: Setup,
    faults: Option<FaultPlan>,
    announce: impl FnOnce(&str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let server = &config.server;
    // Signals count from here on, also during the rest of the start.
    let mut signals = Signals::listen().map_err(Failure::input)?;
    let metrics = web::start_metrics().map_err(Failure::input)?;
    prepare_data(&server.data).map_err(Failure::input)?;
    let tables = open_tables(setup.tables).await.map_err(Failure::input)?;
    let listener = TcpListener::bind(server.bind)
        .await
        .map_err(|error| Failure::input(cannot_listen(server.bind, &error)))?;
    let address = listener.local_addr().map_err(anyhow::Error::from)?;
    let guard = setup.guard;
    if guard.login.is_none() && !server.bind.ip().is_loopback() {
        tracing::warn!(
            "anyone who can reach {address} can see everything and play: there is no login \
             (server.login in the configuration, docs/server.md)"
        );
    }
    let web_stop = CancellationToken::new();
    if let Some(plan) = &setup.slumbot {
        let unnamed = |name: &&str| !plan.agents.iter().any(|(offered, _)| offered == name);
        for agent in setup.registry.defined().map(|(name, _)| name).filter(unnamed) {
            if setup.registry.resolve(agent).is_ok_and(|choice| choice.runs_program()) {
                tracing::info!(
                    agent,
                    "starts a program, so it is not offered over the Slumbot API; slumbot.agents \
                     can name it"
                );
            }
        }
    }
    let course = setup.scrimmage.map(|plan| Course::open(plan, web_stop.clone()));
    let course = course.transpose().map_err(Failure::input)?;
    let scrimmage = course.as_ref().map(|course| course.scrimmage().clone());
    let opened = open_slumbot(setup.slumbot, config, faults, guard.login.clone()).await?;
    let (slumbot, benchmark) = opened.unzip();

    let stops = Stops::default();
    let tasks = TaskTracker::new();
    let views: Vec<TableView> = tables.iter().map(HostedTable::view).collect();
    let offered = [config.mcp.enabled, course.is_some()];
    announce(&announcement(address, &views, slumbot.as_ref(), offered))?;
    for table in tables {
        tasks.spawn(table.run(stops.clone()));
    }
    let connections: Vec<Connection> = setup.dealers.into_iter().map(Connection::new).collect();
    let dealers = connections.iter().map(Connection::view).collect();
    for connection in connections {
        tasks.spawn(connection.run(stops.clone()));
    }
    if let Some(scrimmage) = scrimmage {
        scrimmage.start().map_err(anyhow::Error::from)?;
        tasks.spawn(play_scrimmage(scrimmage, stops.clone()));
    }
    tasks.close();

    let data = server.data.clone();
    let host = slumbot.as_ref().map(|api| api.host().clone());
    let hosting = host.clone().map(|host| tokio::spawn(host.run(web_stop.clone())));
    let agents = AgentLine::all(&setup.registry, setup.decide.as_ref());
    let decider = setup.decide.map(Decider::new);
    let tools = config.mcp.enabled.then(|| Arc::new(Tools::new(setup.tools)));
    let apis = (slumbot, benchmark, queue_view(&config.queue, &web_stop)?);
    let site = Site::new(views, dealers, agents, apis, data, metrics, web_stop.clone());
    let limits = Limits {
        connections: server.max_connections,
        header: server.header_timeout.0,
        body: usize::try_from(server.max_body.0).unwrap_or(usize::MAX),
        time: server.request_timeout.0,
    };
    let policies = Arc::new(Policies::new(setup.agents));
    let study = setup.study.map(|plan| Study::open(plan, Arc::clone(&policies), web_stop.clone()));
    let study = study.transpose().map_err(anyhow::Error::from)?;
    let solving = study.clone();
    let run = open_run(setup.run, &web_stop, &stops, &tasks);
    let plan = setup.analyse;
    let analyse = plan
        .map(|plan| Analyses::open(plan, site.clone(), Arc::clone(&policies), web_stop.clone()));
    let analyse = analyse.transpose().map_err(anyhow::Error::from)?;
    let offered = Offered { decider, tools: tools.clone(), course, study, run, analyse, policies };
    let serving = web::serve(listener, site.clone(), offered, guard, limits, web_stop.clone());
    let mut web = tokio::spawn(serving);
    tracing::info!(%address, "serving");
    notify("READY=1");

    let mut supervisor = Supervisor { signals: &mut signals, stops: &stops, site: &site };
    let asked = tokio::select! {
        asked = supervisor.wait_for_signal() => asked,
        ended = &mut web => {
            let error = anyhow::anyhow!("the web server stopped: {ended:?}");
            stops.drain.cancel();
            stops.abort.cancel();
            return Err(Failure::input(error));
        }
    };
    let aborted = supervisor.drain(asked, server.grace.0, &tasks).await;
    web_stop.cancel();
    if tokio::time::timeout(GRACE_PERIOD, &mut web).await.is_err() {
        web.abort();
    }
    if let Some(tools) = tools {
        tools.close().await;
    }
    close_slumbot(host, hosting).await;
    if let Some(solving) = solving {
        let _ = tokio::task::spawn_blocking(move || solving.wait()).await;
    }
    tracing::info!("stopped");
    if aborted {
        let message = "aborted; everything up to the last finished hand is on record";
        return Err(Failure::interrupted(message));
    }
    Ok(())
}

/// The error that the web page cannot be served at this address, with a remedy.
fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> anyhow::Error {
    let remedy = match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            let other = SocketAddr::new(address.ip(), 0);
            format!("; another program has this port: --bind {other} takes a free one")
        }
        std::io::ErrorKind::AddrNotAvailable => {
            "; no interface of this machine has this address".to_owned()
        }
        std::io::ErrorKind::PermissionDenied => {
            "; ports below 1024 are root's: choose a higher one with --bind".to_owned()
        }
        _ => String::new(),
    };
    let what = format!("cannot listen on {address} for the web page");
    anyhow::anyhow!("{what}: {error}{remedy}")
}

/// Opens the host of the Slumbot API, on a blocking thread, and that of the GTO Wizard Benchmark
/// over its sessions.
async fn open_slumbot(
    plan: Option<HostPlan>,
    config: &Config,
    faults: Option<FaultPlan>,
    login: Option<Arc<Login>>,
) -> Result<Option<(Api, Benchmark)>, Failure> {
    let Some(plan) = plan else {
        return match faults {
            Some(_) => {
                Err(Failure::usage("--faults needs the Slumbot API: slumbot.enabled is false"))
            }
            None => Ok(None),
        };
    };
    let host = tokio::task::spawn_blocking(move || SlumbotHost::open(plan)).await;
    let host = host.map_err(anyhow::Error::from)?.map_err(Failure::input)?;
    let limits = play_api::Limits {
        body: usize::try_from(config.slumbot.max_body.0).unwrap_or(usize::MAX),
        body_time: config.server.request_timeout.0,
        // A hand may need several decisions.
        time: config.server.request_timeout.0 + 4 * config.slumbot.decision_timeout.0,
        rate: config.slumbot.rate,
    };
    let folder = config.server.data.join("gtowizard");
    let def = Arc::new(game::games::nolimit_holdem());
    let benchmark = GtoWizardHost::open(&folder, &def, host.clone()).await;
    let benchmark = benchmark.map_err(Failure::input)?;
    let faults = faults.map(|plan| Arc::new(Faults::new(plan)));
    let benchmark = Benchmark::new(benchmark, limits, faults.clone(), login.clone());
    let api = Api::new(host, limits, faults, login);
    if let Some(faults) = api.faults() {
        tracing::warn!(faults, "faults are injected into the Slumbot API");
    }
    Ok(Some((api, benchmark)))
}

/// Lets the scrimmage finish its hands in play when the tables do.
async fn play_scrimmage(scrimmage: Scrimmage, stops: Stops) {
    stops.drain.cancelled().await;
    scrimmage.ask_to_stop();
    // Its threads have nothing that a kill could cost.
    let _ = tokio::task::spawn_blocking(move || scrimmage.wait()).await;
}

/// Opens the runs that the page starts. When the tables finish their hands, runs do.
fn open_run(
    plan: Result<RunPlan, (String, String)>,
    stop: &CancellationToken,
    stops: &Stops,
    tasks: &TaskTracker,
) -> Offer {
    let opened = match plan {
        Ok(plan) => Run::open(plan, stop.clone()),
        Err((why, remedy)) => return Offer::Closed(why, remedy),
    };
    let run = match opened {
        Ok(run) => run,
        Err(failure) => {
            // Another server may have the same folder, and does what it does.
            let why = failure.to_string();
            tracing::warn!(why, "nothing can be started from the page");
            return Offer::Closed(why, "start one server for each data folder".to_owned());
        }
    };
    let (closing, stops) = (run.clone(), stops.clone());
    tasks.spawn(async move {
        stops.drain.cancelled().await;
        let waiting = closing.clone();
        let closed = tokio::task::spawn_blocking(move || waiting.close());
        tokio::select! {
            // What they have recorded is kept however they end.
            _ = closed => {}
            () = stops.abort.cancelled() => closing.abort(),
        }
    });
    Offer::Open(run)
}

/// The view of the queue, if one is configured.
fn queue_view(
    config: &crate::config::Queue,
    stop: &CancellationToken,
) -> Result<Option<QueueView>, Failure> {
    if config.nats.is_empty() {
        return Ok(None);
    }
    let file = |path: &Path| (!path.as_os_str().is_empty()).then(|| path.to_owned());
    let (credentials, authority) = (file(&config.creds), file(&config.ca));
    let opened = credentials.as_deref().map(open_secret).transpose();
    opened.map_err(Failure::input)?;
    let server = ::queue::Server { url: config.nats.clone(), credentials, authority };
    QueueView::start(server, stop.clone()).map(Some).map_err(Failure::input)
}

/// Lets the host write its remaining data.
async fn close_slumbot(host: Option<SlumbotHost>, hosting: Option<JoinHandle<()>>) {
    if let Some(hosting) = hosting {
        let _ = tokio::time::timeout(GRACE_PERIOD, hosting).await;
    }
    if let Some(host) = host {
        let _ = tokio::task::spawn_blocking(move || host.close()).await;
    }
}

/// Makes the data folder, and marks matches left unfinished by an earlier server.
fn prepare_data(data: &Path) -> anyhow::Result<()> {
    let matches = data.join("matches");
    std::fs::create_dir_all(&matches)
        .with_context(|| format!("cannot make the data folder {}", data.display()))?;
    let marked = host::mark_interrupted(&matches)
        .with_context(|| format!("cannot read {}", matches.display()))?;
    for ended in marked {
        let (id, hands, of) = (ended.id, ended.hands, ended.of);
        tracing::warn!(match_id = id, hands, of, "marked a match as interrupted");
    }
    Ok(())
}

async fn open_tables(plans: Vec<host::TablePlan>) -> Result<Vec<HostedTable>, wire::Error> {
    let mut tables = Vec::with_capacity(plans.len());
    for plan in plans {
        tables.push(HostedTable::open(plan).await?);
    }
    Ok(tables)
}

/// An address that this machine reaches: the loopback one for those that stand for all.
fn reachable(address: SocketAddr) -> SocketAddr {
    let host = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        host => host,
    };
    SocketAddr::new(host, address.port())
}

/// The addresses, for people and scripts: one line each for the web page, the Slumbot API and every
/// open seat; then what to do next.
fn announcement(
    address: SocketAddr,
    tables: &[TableView],
    slumbot: Option<&Api>,
    [tools, scrimmage]: [bool; 2],
) -> String {
    let mut text = format!("listening on http://{address}\n");
    if let Some(api) = slumbot {
        let agent = api.status().agent;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "Slumbot API at http://{address}/slumbot/api, against {agent}");
        let _ = writeln!(text, "GTO Wizard Benchmark API at http://{address}, against {agent}");
        if let Some(faults) = api.faults() {
            let _ = writeln!(text, "with faults injected: {faults}");
        }
    }
    if tools {
        let _ = writeln!(text, "tools for language models (MCP) at http://{address}{}", mcp::PATH);
    }
    if scrimmage {
        let _ = writeln!(text, "scrimmage at http://{}/scrimmage", reachable(address));
    }
    for table in tables {
        let plan = table.plan();
        for (seat, address) in plan.seats.iter().zip(table.addresses()) {
            let Some(address) = address else { continue };
            let others = plan.seats.iter().filter(|other| other.name() != seat.name());
            let others: Vec<&str> = others.map(SeatPlan::name).collect();
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "table {} ({}): seat {} open at {address}, against {}",
                plan.name,
                plan.game_name,
                seat.name(),
                others.join(", ")
            );
        }
    }
    // Hands by hand are played at the sessions of the Slumbot API.
    if slumbot.is_some() {
        let _ = writeln!(text, "play by hand at http://{}/play", reachable(address));
    }
    let open = |table: &TableView| {
        let address = (*table.addresses().iter().flatten().next()?).to_owned();
        Some((address, table.plan().game_name.clone()))
    };
    if let Some((seat, game)) = tables.iter().find_map(open) {
        let (seat, game) = (reachable(seat), shell::line(["--game", game.as_str()]));
        let (host, port) = (seat.ip(), seat.port());
        let _ =
            writeln!(text, "sit a bot down: cardroom play acpc {host} {port} --agent call {game}");
    }
    text
}

/// The signal that stops the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// SIGINT: finish without limit.
    Interrupt,
    /// SIGTERM: finish within the grace period.
    Terminate,
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn listen() -> std::io::Result<Signals> {
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.interrupt.recv() => Asked::Interrupt,
            _ = self.terminate.recv() => Asked::Terminate,
        }
    }
}

struct Supervisor<'a> {
    signals: &'a mut Signals,
    stops: &'a Stops,
    site: &'a Site,
}

impl Supervisor<'_> {
    /// Waits for a signal and notifies the watchdog meanwhile.
    async fn wait_for_signal(&mut self) -> Asked {
        let interval = watchdog_interval();
        let mut ticks = tokio::time::interval(interval.unwrap_or(Duration::from_secs(3600)));
        loop {
            tokio::select! {
                asked = self.signals.next() => return asked,
                _ = ticks.tick(), if interval.is_some() => notify("WATCHDOG=1"),
            }
        }
    }

    /// Lets the tables finish; returns whether they were aborted by a second signal.
    async fn drain(&mut self, asked: Asked, grace: Duration, tasks: &TaskTracker) -> bool {
        notify("STOPPING=1");
        self.site.drain();
        self.stops.drain.cancel();
        let patience = match asked {
            Asked::Interrupt => {
                tracing::info!("finishing the hands in play; a second signal aborts");
                Duration::MAX
            }
            Asked::Terminate => {
                tracing::info!(grace = ?grace, "finishing the hands in play");
                grace
            }
        };
        let aborted = tokio::select! {
            () = tasks.wait() => return false,
            () = sleep(patience) => false,
            _ = self.signals.next() => true,
        };
        self.stops.abort.cancel();
        if tokio::time::timeout(GRACE_PERIOD, tasks.wait()).await.is_err() {
            tracing::warn!("some tables did not stop in time");
        }
        aborted
    }
}

async fn sleep(time: Duration) {
    if time == Duration::MAX {
        std::future::pending::<()>().await;
    } else {
        tokio::time::sleep(time).await;
    }
}

/// Sends one message (`READY=1`, `STOPPING=1`, `STATUS=…`, `WATCHDOG=1`). Errors are only logged:
/// the service must not stop for them.
pub fn notify(message: &str) {
    let Some(socket) = std::env::var_os("NOTIFY_SOCKET") else { return };
    let Some(socket) = socket.to_str() else { return };
    if let Err(error) = send(socket, message) {
        tracing::warn!(%error, message, "cannot notify systemd");
    }
}

/// The interval for sending `WATCHDOG=1`: half of systemd's time limit. `None` without a watchdog.
fn watchdog_interval() -> Option<Duration> {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let ours = number("WATCHDOG_PID").is_none_or(|pid| pid == u64::from(std::process::id()));
    let micros = number("WATCHDOG_USEC").filter(|&micros| micros > 0 && ours)?;
    Some(Duration::from_micros(micros / 2))
}

fn send(socket: &str, message: &str) -> io::Result<()> {
    let sender = UnixDatagram::unbound()?;
    #[cfg(target_os = "linux")]
    if let Some(name) = socket.strip_prefix('@') {
        use std::os::linux::net::SocketAddrExt;
        let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
        sender.send_to_addr(message.as_bytes(), &address)?;
        return Ok(());
    }
    sender.send_to(message.as_bytes(), socket)?;
    Ok(())
}
