//! The output of commands: a result as text or as JSON, and printing it.

use std::borrow::Cow;
use std::fmt;
use std::io::{IsTerminal, Write};
use std::path::Path;

use game::escape;
use serde::Serialize;

use crate::exit::Failure;

/// Checks, before the work begins, that a file can be written at its end: its folder must exist.
///
/// # Errors
/// A usage error that names the file.
pub(crate) fn check(file: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = file else { return Ok(()) };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let reason = match folder.filter(|folder| !folder.is_dir()) {
        _ if path.is_dir() => "is a folder: name a file".to_owned(),
        Some(folder) => format!("there is no folder {}: make it first", folder.display()),
        None => return Ok(()),
    };
    Err(Failure::usage(format!("{}: {reason}", path.display())))
}

/// [`check`] for a card, which is a page to print.
///
/// # Errors
/// A usage error that names the file.
pub(crate) fn check_card(file: Option<&Path>) -> Result<(), Failure> {
    let Some(card) = file else { return Ok(()) };
    if !card.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html")) {
        let card = card.display();
        let what = "a card is an .html file, and this name does not end so; --svg draws it";
        return Err(Failure::usage(format!("--card {card}: {what}")));
    }
    check(file)
}

/// Checks, before the work begins, that nothing will be overwritten.
///
/// # Errors
/// When there is something of this name.
pub(crate) fn check_new(path: &Path) -> Result<(), Failure> {
    if path.exists() {
        let reason = "already exists: give --out another name, or remove it";
        return Err(Failure::input(anyhow::anyhow!("{} {reason}", path.display())));
    }
    Ok(())
}

/// The result of a command: the same value is printed as text and, with `--json`, as a document,
/// an object that begins with the name of its format.
pub(crate) trait Report: fmt::Display + Serialize {
    /// The name and version of the document's format, such as `cardroom-lbr/1`.
    const SCHEMA: &'static str;
}

/// A report as a document.
#[derive(Serialize)]
struct Document<'a, R> {
    schema: &'static str,
    #[serde(flatten)]
    report: &'a R,
}

/// The output of a finished command: the text to print, and its failure, if it failed.
#[derive(Debug, Default)]
pub(crate) struct Output {
    text: String,
    failure: Option<Failure>,
}

impl Output {
    /// A report as text or as a document.
    pub(crate) fn report<R: Report>(report: &R, json: bool) -> Result<Output, Failure> {
        if json {
            Output::json(&Document { schema: R::SCHEMA, report })
        } else {
            Ok(Output::from(report.to_string()))
        }
    }

    /// The document of a report, as it is printed with `--json`.
    pub(crate) fn document<R: Report>(report: &R) -> Result<String, Failure> {
        Output::json(&Document { schema: R::SCHEMA, report }).and_then(Output::whole)
    }

    /// A document for programs: an object whose `schema` names its format.
    pub(crate) fn json(document: &impl Serialize) -> Result<Output, Failure> {
        let document = serde_json::to_string_pretty(document);
        let document = document.map_err(|error| Failure::input(anyhow::Error::new(error)))?;
        debug_assert!(has_schema(&document), "a document without a schema: {document}");
        Ok(Output::from(document + "\n"))
    }

    /// The empty output of a command that has printed everything itself.
    pub(crate) fn printed((): ()) -> Output {
        Output::default()
    }

    /// The output with the failure of a later step, if that failed.
    pub(crate) fn then(self, end: Result<(), Failure>) -> Output {
        Output { failure: self.failure.or(end.err()), ..self }
    }

    /// The text to print, or the failure.
    pub(crate) fn whole(self) -> Result<String, Failure> {
        self.failure.map_or(Ok(self.text), Err)
    }

    /// Prints the text and returns the failure, if there is one.
    pub(crate) fn print(self) -> Result<(), Failure> {
        print(&self.text)?;
        self.failure.map_or(Ok(()), Err)
    }
}

impl From<String> for Output {
    fn from(text: String) -> Output {
        Output { text, failure: None }
    }
}

/// Whether a JSON text is an object whose `schema` is one of this program's.
fn has_schema(document: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Head {
        schema: String,
    }
    serde_json::from_str(document).is_ok_and(|head: Head| head.schema.starts_with("cardroom-"))
}

/// Prints a text. A closed pipe is not an error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout();
    // Names in records come from others. Text that is piped elsewhere is left unchanged.
    let text = if out.is_terminal() { on_terminal(text) } else { Cow::Borrowed(text) };
    match out.write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::input(anyhow::anyhow!("cannot write the result: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a warning on standard error.
pub(crate) fn warn(text: &str) {
    // Nothing can be done when stderr is closed.
    let _ = writeln!(std::io::stderr(), "warning: {}", escape::visible(text));
}

/// Whether to use colours: on a terminal, unless NO_COLOR is set.
pub(crate) fn colours() -> bool {
    std::io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// A text of several lines with control characters escaped, except colours.
fn on_terminal(text: &str) -> Cow<'_, str> {
    let colour = |rest: &str| {
        let parameters = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        parameters.starts_with('m').then(|| 1 + rest.len() - parameters.len())
    };
    let mut shown = String::with_capacity(text.len());
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            shown.push('\n');
        }
        let mut parts = line.split("\x1b[");
        shown += &escape::visible(parts.next().unwrap_or_default());
        for part in parts {
            let length = colour(part).unwrap_or(0);
            let (begin, rest) = part.split_at(length);
            shown += if length > 0 { "\x1b[" } else { "\\u{1b}[" };
            shown += begin;
            shown += &escape::visible(rest);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use serde::Serialize;

    use super::{Output, Report, has_schema, on_terminal};
    use crate::exit::Failure;

    #[test]
    fn a_name_in_a_report_does_not_steer_the_terminal() {
        let text = "one\ttwo \x1b[2J\x1b]0;title\x07\u{202e}x\n\x1b[1;31mred\x1b[0m\n";
        let shown = "one\\ttwo \\u{1b}[2J\\u{1b}]0;title\\u{7}\\u{202e}x\n\x1b[1;31mred\x1b[0m\n";
        assert_eq!(on_terminal(text), shown);
    }

    #[derive(Serialize)]
    struct Chips {
        chips: u32,
    }

    impl Report for Chips {
        const SCHEMA: &'static str = "cardroom-chips/1";
    }

    impl fmt::Display for Chips {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            writeln!(f, "{} chips", self.chips)
        }
    }

    #[test]
    fn a_document_has_a_schema_of_this_program() {
        assert!(has_schema("{ \"chips\": [7], \"schema\": \"cardroom-chips/1\" }"));
        for other in ["7", "[]", "{}", "{ \"schema\": 1 }", "{ \"schema\": \"chips/1\" }"] {
            assert!(!has_schema(other), "{other}");
        }
    }

    #[test]
    fn a_result_has_two_views_and_is_not_whole_when_its_command_failed_after_it() {
        let of = |json| Output::report(&Chips { chips: 7 }, json).expect("a document");
        assert_eq!(of(false).whole().expect("text"), "7 chips\n");
        let document = "{\n  \"schema\": \"cardroom-chips/1\",\n  \"chips\": 7\n}\n";
        assert_eq!(of(true).whole().expect("a document"), document);
        assert!(of(false).then(Ok(())).whole().is_ok());
        let ends = of(false).then(Err(Failure::interrupted("first"))).then(Ok(()));
        assert_eq!(ends.whole().expect_err("it was interrupted").to_string(), "first");
    }
}
