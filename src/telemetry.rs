//! Logging to stderr: readable lines on a terminal, JSON otherwise. stdout is for results.

use std::io::{self, IsTerminal, Write};

use game::escape::{is_seen, visible};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::{ConfigError, LogFormat};

/// The error for an invalid part of a filter.
fn bad(part: &str) -> ConfigError {
    ConfigError::new(format!(
        "`{part}` is not a log filter: write a level (off, error, warn, info, debug, trace), or a \
         list such as \"warn,wire=debug\""
    ))
}

/// Parses a filter. A word that is not a level is rejected, although it could be the name of a
/// module: it is more likely a mistake.
///
/// # Errors
/// When the filter is invalid.
pub fn read_filter(text: &str) -> Result<Targets, ConfigError> {
    for part in text.split(',') {
        let level = part.rsplit('=').next().unwrap_or_default().trim();
        // Spans and fields, in brackets, would be accepted, and filter nothing.
        if part.contains('[') || level.parse::<LevelFilter>().is_err() {
            return Err(bad(part));
        }
    }
    text.parse().map_err(|_| bad(text))
}

/// Starts writing log lines that pass `filter` (`info`, or `warn,wire=debug`).
///
/// # Errors
/// When the filter is invalid.
pub fn start(filter: &str, format: LogFormat) -> Result<(), ConfigError> {
    let filter = read_filter(filter)?;
    let terminal = std::io::stderr().is_terminal();
    let human = match format {
        LogFormat::Human => true,
        LogFormat::Json => false,
        LogFormat::Auto => terminal,
    };
    let colours = human && terminal && !no_color();
    let writer = move || EscapingWriter { inner: std::io::stderr(), json: !human, colours };
    let layer = tracing_subscriber::fmt::layer().with_writer(writer);
    let registry = tracing_subscriber::registry().with(filter);
    // It fails only on a second start in the same process; then the first one stays.
    let _ = if human {
        registry.with(layer.with_ansi(colours).with_target(false)).try_init()
    } else {
        registry.with(layer.json().flatten_event(true).with_current_span(false)).try_init()
    };
    Ok(())
}

/// A writer that escapes what comes from others in log lines: a line stays one line, and has no
/// control or invisible characters.
struct EscapingWriter<W> {
    inner: W,
    json: bool,
    colours: bool,
}

impl<W: Write> Write for EscapingWriter<W> {
    /// Receives whole lines.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        let (text, end) = text.strip_suffix('\n').map_or((&*text, ""), |text| (text, "\n"));
        let shown = match self.json {
            true => in_json(text),
            false if self.colours => with_colours(text),
            false => visible(text).into_owned(),
        };
        self.inner.write_all((shown + end).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A line in which colours, `ESC [ digits m`, stay and all other invisible characters are escaped.
fn with_colours(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let mut shown = visible(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let digits = |rest: &str| {
            rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('m')
        };
        shown.push_str(if part.strip_prefix('[').is_some_and(digits) { "\x1b" } else { "\\u{1b}" });
        shown.push_str(&visible(part));
    }
    shown
}

/// JSON with invisible characters escaped.
fn in_json(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_seen(letter) {
            shown.push(letter);
        } else {
            letter
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| shown.push_str(&format!("\\u{unit:04x}")));
        }
    }
    shown
}

/// Whether the user disables colours (<https://no-color.org>).
fn no_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("nobody panics").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_others_say_neither_ends_a_log_line_nor_steers_the_terminal() {
        let hostile = "\u{1b}[2J\u{7}\u{9b}1m\u{202e}\u{200b}\r\nWARN all is well";
        for (json, colours) in [(false, false), (false, true), (true, false)] {
            let buffer = Buffer::default();
            let inner = buffer.clone();
            let layer = tracing_subscriber::fmt::layer().with_writer(move || EscapingWriter {
                inner: inner.clone(),
                json,
                colours,
            });
            let registry = tracing_subscriber::registry();
            let subscriber: Box<dyn tracing::Subscriber + Send + Sync> = if json {
                Box::new(registry.with(layer.json().flatten_event(true)))
            } else {
                Box::new(registry.with(layer.with_ansi(colours)))
            };
            tracing::subscriber::with_default(subscriber, || {
                tracing::warn!(text = hostile, shown = %hostile, debug = ?hostile, "it says \
                    {hostile}");
            });
            let bytes = buffer.0.lock().expect("nobody panics").clone();
            let said = String::from_utf8(bytes).expect("text");
            assert_eq!(said.lines().count(), 1, "{said:?}");
            let plain = if colours { strip_colours(&said) } else { said.clone() };
            let line = plain.strip_suffix('\n').expect("a line");
            assert_eq!(visible(line), line, "{json} {colours}");
            if json {
                let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
                assert_eq!(value["text"], hostile);
            }
        }
    }

    /// The text without the colour sequences that the subscriber writes: `ESC [ digits m`.
    fn strip_colours(text: &str) -> String {
        let mut parts = text.split("\x1b[");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |shown, part| {
            let digits = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
            shown + digits.strip_prefix('m').expect("only colours")
        })
    }
}
