//! `cardroom serve`: the long-running server.

use std::path::PathBuf;
use std::time::Duration;

use wire::faults::FaultPlan;

use crate::config::{Flag, check};
use crate::exit::Failure;
use crate::resolve_names::Named;
use crate::telemetry;

/// Run the server: ACPC tables on ports, outside dealers, the Slumbot API, the web page, metrics.
///
/// Runs without any file: then there is one heads-up table with an agent in one seat and an open
/// port at the other. Ctrl-C finishes the hands in play, a second Ctrl-C aborts; SIGTERM finishes
/// within the grace period.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    named: Named,
    /// Address of the web page [default: 127.0.0.1:5252]
    #[arg(long, value_name = "ADDRESS:PORT")]
    bind: Option<String>,
    /// The folder for records [default: data]
    #[arg(long, value_name = "FOLDER")]
    data: Option<String>,
    /// On SIGTERM: how long matches may take to finish their current hands [default: 30s]
    #[arg(long, value_name = "TIME")]
    grace: Option<String>,
    /// Filter for log lines, such as `warn` or `info,wire=debug` [default: info]
    #[arg(long, value_name = "FILTER")]
    log: Option<String>,
    /// Format of log lines: auto, human or json [default: auto]
    #[arg(long, value_name = "FORMAT")]
    log_format: Option<String>,
    /// Inject faults into the Slumbot API as defined in this file (docs/server.md), for tests and
    /// practice
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,
    /// Allow --faults with an address that others can reach
    #[arg(long, requires = "faults")]
    faults_in_public: bool,
}

/// Runs the server.
pub fn run(args: Args) -> Result<(), Failure> {
    let flag = |flag, key, value: Option<String>| value.map(|value| Flag { flag, key, value });
    let flags: Vec<Flag> = [
        flag("--bind", "server.bind", args.bind),
        flag("--data", "server.data", args.data),
        flag("--grace", "server.grace", args.grace),
        flag("--log", "server.log", args.log),
        flag("--log-format", "server.log_format", args.log_format),
    ]
    .into_iter()
    .flatten()
    .collect();
    let loaded = args.named.load_with(&flags)?;
    let server = &loaded.config.server;
    telemetry::start(&server.log, server.log_format)
        .map_err(|error| Failure::input(loaded.unusable("server.log", error)))?;
    let setup = check::check(&loaded).map_err(Failure::input)?;
    let faults = args.faults.as_deref().map(FaultPlan::read).transpose();
    let faults = faults.map_err(Failure::input)?;
    if faults.is_some() && !server.bind.ip().is_loopback() && !args.faults_in_public {
        return Err(Failure::usage(format!(
            "--faults spoils the games of everybody who can reach {}: bind to 127.0.0.1, or add \
             --faults-in-public",
            server.bind
        )));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(anyhow::Error::from)?;
    let result =
        runtime.block_on(crate::serve::serve(&loaded.config, setup, faults, crate::output::print));
    // An agent that is still computing must not keep the process alive.
    runtime.shutdown_timeout(Duration::from_secs(1));
    result
}
