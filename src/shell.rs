//! Quoting for the shell, so that printed commands can be pasted.

use std::path::Path;

/// A word, quoted if necessary.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A path as one types it from the current folder.
pub(crate) fn path(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| path.strip_prefix(here).ok());
    let below = below.filter(|below| !below.as_os_str().is_empty());
    quoted(&below.unwrap_or(path).display().to_string())
}

/// Words as a command line.
pub(crate) fn line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}
