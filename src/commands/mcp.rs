//! `cardroom mcp`: tools for language models over standard input and output.

use std::sync::Arc;
use std::time::Duration;

use crate::config::{Flag, check};
use crate::exit::Failure;
use crate::mcp::{Tools, serve_stdio};
use crate::resolve_names::Named;
use crate::telemetry;

/// Offer tables, equities, solutions, matches and their results as tools to a language model.
///
/// Speaks the Model Context Protocol on standard input and output, a line for each message, until
/// the input ends; log lines go to standard error. A client starts it by itself: its configuration
/// names this command (docs/language-models.md). The same tools are under `cardroom serve`, where
/// `mcp.enabled` says so.
///
/// Matches are recorded in, and read from, the data folder. Limits and agents are set in the
/// section `[mcp]` of the configuration.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    named: Named,
    /// The folder for records [default: data]
    #[arg(long, value_name = "FOLDER")]
    data: Option<String>,
    /// Filter for log lines, such as `info` or `warn,wire=debug`
    #[arg(long, value_name = "FILTER", default_value = "warn")]
    log: String,
}

/// Runs the command: serves until the input ends.
pub fn run(args: Args) -> Result<(), Failure> {
    let data = args.data.map(|value| Flag { flag: "--data", key: "server.data", value });
    let log = Flag { flag: "--log", key: "server.log", value: args.log };
    let flags: Vec<Flag> = data.into_iter().chain([log]).collect();
    let loaded = args.named.load_with(&flags)?;
    let server = &loaded.config.server;
    telemetry::start(&server.log, server.log_format)
        .map_err(|error| Failure::input(loaded.unusable("server.log", error)))?;
    let plan = check::check(&loaded).map_err(Failure::input)?.tools;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(anyhow::Error::from)?;
    let result = runtime.block_on(serve_stdio(Arc::new(Tools::new(plan))));
    // An agent that is still computing must not keep the process alive.
    runtime.shutdown_timeout(Duration::from_secs(1));
    result.map_err(Failure::input)
}
