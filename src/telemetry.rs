//! Log lines: for people on a terminal, as JSON elsewhere. They go to stderr; stdout is for results.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::LogFormat;

/// A part of a filter for log lines that means nothing.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{0}` says nothing about log lines: write a level (off, error, warn, info, debug, trace), or a \
     list such as \"warn,matches=debug\""
)]
pub struct BadFilter(String);

/// Reads a filter. A word that is no level is refused, though it could be the name of a part of the
/// program: it is more likely to be a slip.
///
/// # Errors
/// When it cannot be understood.
pub fn read_filter(text: &str) -> Result<EnvFilter, BadFilter> {
    // Lists of fields, in brackets, hold commas of their own.
    if !text.contains('[') {
        for part in text.split(',') {
            let level = part.rsplit('=').next().unwrap_or_default().trim();
            level.parse::<LevelFilter>().map_err(|_| BadFilter(part.to_owned()))?;
        }
    }
    EnvFilter::builder().parse(text).map_err(|_| BadFilter(text.to_owned()))
}

/// Begins to write log lines that pass `filter` (`info`, or `warn,matches=debug`).
///
/// # Errors
/// When the filter cannot be understood.
pub fn start(filter: &str, format: LogFormat) -> Result<(), BadFilter> {
    let filter = read_filter(filter)?;
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
