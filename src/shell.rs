//! Command lines as they are shown: quoted, so that they can be pasted, and without the accounts in
//! addresses.

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

/// A text with `…` in place of the account in each address of a list: of `nats://ann:secret@host`
/// and `ann:secret@host` remain `nats://…@host` and `…@host`.
pub(crate) fn without_accounts(text: &str) -> String {
    let address = |address: &str| {
        let start = address.find("://").map(|at| at + "://".len());
        let (before, rest) = address.split_at(start.unwrap_or(0));
        match rest.rsplit_once('@') {
            Some((account, host)) if start.is_some() || is_account(account) => {
                format!("{before}…@{host}")
            }
            _ => address.to_owned(),
        }
    };
    text.split(',').map(address).collect::<Vec<_>>().join(",")
}

/// Whether this is `user:password`, where no `scheme://` says so.
fn is_account(text: &str) -> bool {
    text.contains(':') && !text.contains(|c: char| c.is_whitespace() || c == '/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_account_in_an_address_is_shown() {
        for (text, shown) in [
            ("nats://ann:secret@127.0.0.1:4222", "nats://…@127.0.0.1:4222"),
            ("ann:secret@127.0.0.1:4222", "…@127.0.0.1:4222"),
            ("nats://secret@host", "nats://…@host"),
            ("nats://a:s@one,tls://b:s@two:1", "nats://…@one,tls://…@two:1"),
            ("--nats=nats://a:s@one", "--nats=nats://…@one"),
            ("nats://a:se/cr?e@t@one", "nats://…@one"),
            ("nats://127.0.0.1:4222", "nats://127.0.0.1:4222"),
            ("external:ssh me@host ./bot", "external:ssh me@host ./bot"),
            ("ann@example.org", "ann@example.org"),
            ("a,b", "a,b"),
            ("", ""),
        ] {
            assert_eq!(without_accounts(text), shown);
        }
    }
}
