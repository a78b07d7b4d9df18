//! The match log, the transaction log, and the lock file that keeps other dealers from them.

use std::fs::{File, OpenOptions, metadata, remove_file};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use game::Payoff;
use logs::HandRecord;
use logs::folder::{Lock, LockError};
use logs::formats::acpc;
use protocol::acpc::Dealer;
use protocol::acpc::dealer::HandOver;
use protocol::acpc::transaction::Transaction;

use super::{DealerError, Options};

/// The lock on a match's name: the file `NAME.lock`, removed when the value is dropped.
#[derive(Debug)]
pub(super) struct Claim {
    path: PathBuf,
    _lock: Lock,
}

impl Claim {
    /// Takes the lock; an error names the process that holds it.
    pub(super) fn take(name: &str) -> Result<Claim, DealerError> {
        let path = PathBuf::from(format!("{name}.lock"));
        let lock = Lock::take(&path).map_err(|error| match error {
            LockError::Taken(process) => {
                let absolute = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
                let folder = absolute.parent().unwrap_or(Path::new("/")).to_path_buf();
                DealerError::InUse { name: name.to_owned(), folder, process }
            }
            LockError::Io(source) => DealerError::File { path: path.clone(), source },
        })?;
        Ok(Claim { path, _lock: lock })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // A file that stays does no harm: it is not locked.
        let _ = remove_file(&self.path);
    }
}

/// Files of an earlier match of this name that would be overwritten.
pub(super) fn overwritten(options: &Options) -> Vec<PathBuf> {
    let written = |kind: &str, wanted: bool| wanted.then(|| format!("{}.{kind}", options.name));
    let mut names: Vec<_> = written("log", options.log && !options.append).into_iter().collect();
    names.extend(written("tlog", options.transactions && !options.append));
    for (seat, command) in options.run.iter().take(options.names.len()).enumerate() {
        let runs = !command.trim().is_empty();
        names.extend(written(&format!("player{seat}.std"), runs));
        names.extend(written(&format!("player{seat}.err"), runs));
    }
    let holds_something =
        |path: &PathBuf| metadata(path).is_ok_and(|file| file.is_file() && file.len() > 0);
    let summary = options.summary.clone();
    names.into_iter().map(PathBuf::from).chain(summary).filter(holds_something).collect()
}

/// Opens a file for writing. With `append` its content is returned; an incomplete last line is cut
/// off, in the file as well.
fn open(path: &Path, append: bool) -> Result<(File, Vec<u8>), DealerError> {
    let attempt = || -> io::Result<(File, Vec<u8>)> {
        let mut options = OpenOptions::new();
        let mut file =
            options.create(true).read(append).write(true).truncate(!append).open(path)?;
        // A device or a pipe has no content, and reading it might never end.
        if !append || !file.metadata()?.is_file() {
            return Ok((file, Vec::new()));
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let whole = text.iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            text.truncate(whole);
            file.set_len(whole as u64)?;
        }
        file.seek(SeekFrom::End(0))?;
        Ok((file, text))
    };
    attempt().map_err(|source| DealerError::File { path: path.to_owned(), source })
}

/// The match log `NAME.log`: finished hands and the score.
#[derive(Debug)]
pub(super) struct MatchLog {
    path: PathBuf,
    file: File,
    names: Vec<String>,
    /// For a match that is continued: the last hand already in the log, if any.
    last: Option<Option<u32>>,
    text: String,
}

impl MatchLog {
    pub(super) fn open(options: &Options, header: &str) -> Result<MatchLog, DealerError> {
        let path = PathBuf::from(format!("{}.log", options.name));
        let (file, text) = open(&path, options.append)?;
        let names = options.names.clone();
        Ok(MatchLog { path, file, names, last: last_hand(&text, header), text: String::new() })
    }

    /// Writes the header lines.
    pub(super) fn begin(&mut self, header: &str) -> Result<(), DealerError> {
        self.file
            .write_all(header.as_bytes())
            .map_err(|source| DealerError::File { path: self.path.clone(), source })
    }

    /// Writes a finished hand, unless it is in the log already from before an interruption.
    pub(super) fn hand(&mut self, hand: &HandOver) -> io::Result<()> {
        if hand.replayed && self.last.is_none_or(|last| last >= Some(hand.hand)) {
            return Ok(());
        }
        self.text.clear();
        let HandOver { hand, state, payoffs, entrants, .. } = hand;
        let record = HandRecord {
            hand: (*hand).into(),
            deal: (*hand).into(),
            public: state.public.clone(),
            hole: state.hole,
            payoffs: *payoffs,
            entrants: *entrants,
        };
        acpc::write_hand(&record, &self.names, &mut self.text);
        self.write()
    }

    /// Writes the score line.
    pub(super) fn score(&mut self, totals: &[Payoff]) -> io::Result<()> {
        self.text.clear();
        acpc::write_score(totals, &self.names, &mut self.text);
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        let written = self.file.write_all(self.text.as_bytes());
        written.map_err(|error| named(&self.path, &error))
    }
}

/// The last hand in the log of the match with this header; the outer `None` when the log has no
/// such match.
fn last_hand(text: &[u8], header: &str) -> Option<Option<u32>> {
    let first = header.lines().next()?.as_bytes();
    let mut last = None;
    for line in text.split(|&b| b == b'\n') {
        if line == first {
            last.get_or_insert(None);
        } else if let (Some(last), Some(rest)) = (&mut last, line.strip_prefix(b"STATE:")) {
            let number = rest.split(|&b| b == b':').next().unwrap_or_default();
            let number = str::from_utf8(number).ok().and_then(|text| text.parse::<u32>().ok());
            *last = number.max(*last);
        }
    }
    last
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// The transaction log `NAME.tlog`: one line for each action.
#[derive(Debug)]
pub(super) struct TransactionLog {
    path: PathBuf,
    file: File,
    text: String,
}

impl TransactionLog {
    /// Opens the log and replays its actions in `dealer`.
    pub(super) fn open(
        options: &Options,
        dealer: &mut Dealer,
    ) -> Result<TransactionLog, DealerError> {
        let path = PathBuf::from(format!("{}.tlog", options.name));
        let (file, text) = open(&path, options.append)?;
        let lines = text.split_inclusive(|&b| b == b'\n');
        for (line, text) in (1..).zip(lines) {
            Transaction::parse(text, &dealer.state().public)
                .and_then(|transaction| dealer.replay(&transaction))
                .map_err(|source| {
                    let path = path.clone();
                    DealerError::Transactions { path, line, source }
                })?;
        }
        Ok(TransactionLog { path, file, text: String::new() })
    }

    /// Appends one action.
    pub(super) fn action(&mut self, dealer: &Dealer, action: &Transaction) -> io::Result<()> {
        self.text.clear();
        action.write(&dealer.config().def, &mut self.text);
        let written = self.file.write_all(self.text.as_bytes());
        written.map_err(|error| named(&self.path, &error))
    }
}
