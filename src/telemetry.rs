//! Log lines: for people on a terminal, as JSON elsewhere. They go to stderr; stdout is for results.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::LogFormat;

/// Begins to write log lines that pass `filter` (`info`, or `warn,matches=debug`).
///
/// # Errors
/// When the filter cannot be understood; the message says where.
pub fn start(
    filter: &str,
    format: LogFormat,
) -> Result<(), tracing_subscriber::filter::ParseError> {
    let filter = EnvFilter::builder().parse(filter)?;
    let terminal = std::io::stderr().is_terminal();
    let human = match format {
        LogFormat::Human => true,
        LogFormat::Json => false,
        LogFormat::Auto => terminal,
    };
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let registry = tracing_subscriber::registry().with(filter);
    // Only a second start in the same process fails, and then the first one holds.
    let _ = if human {
        registry.with(layer.with_ansi(terminal && !no_color()).with_target(false)).try_init()
    } else {
        registry.with(layer.json().flatten_event(true).with_current_span(false)).try_init()
    };
    Ok(())
}

/// Whether the user does not want colours (<https://no-color.org>).
fn no_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}
