//! The last lines a program wrote to its error stream, which mostly say why it ended.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::process::ChildStderr;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use game::escape::visible;

/// Bytes that are kept.
const KEPT: usize = 2048;

/// Lines that are shown, and letters of them.
const LINES: usize = 3;
const LETTERS: usize = 240;

/// How long the stream of a program that has ended may take to end as well: something it started
/// may still have it.
const REST: Duration = Duration::from_millis(200);

/// How long what a program that goes on has just written may take to be read.
const SO_FAR: Duration = Duration::from_millis(20);

/// Where they are.
#[derive(Debug)]
pub(super) enum StderrTail {
    /// Read by a thread, which says by closing the channel that nothing more comes.
    Read { kept: Arc<Mutex<VecDeque<u8>>>, more: Receiver<()> },
    /// In a file, after what was there before.
    In { path: PathBuf, from: u64 },
}

impl StderrTail {
    /// Reads an error stream to its end on a thread of its own, so that it never fills up.
    pub(super) fn read(mut stream: ChildStderr) -> io::Result<StderrTail> {
        let kept = Arc::new(Mutex::new(VecDeque::new()));
        let (open, more) = mpsc::channel();
        let into = Arc::clone(&kept);
        std::thread::Builder::new().name("errors".into()).spawn(move || {
            let _open: mpsc::Sender<()> = open;
            let mut chunk = [0; KEPT];
            loop {
                let count = match stream.read(&mut chunk) {
                    Ok(0) => return,
                    Ok(count) => count,
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(_) => return,
                };
                let mut kept = into.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(&chunk[..count]);
                let excess = kept.len().saturating_sub(KEPT);
                kept.drain(..excess);
            }
        })?;
        Ok(StderrTail::Read { kept, more })
    }

    /// The last lines as one line of text, of a program that has ended; `None` when there are none.
    pub(super) fn text(&mut self) -> Option<String> {
        self.text_within(REST)
    }

    /// The same of a program that goes on.
    pub(super) fn so_far(&mut self) -> Option<String> {
        self.text_within(SO_FAR)
    }

    fn text_within(&mut self, rest: Duration) -> Option<String> {
        let bytes = match self {
            StderrTail::Read { kept, more } => {
                // Comes back at once when the stream has ended.
                let _ = more.recv_timeout(rest);
                kept.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
            }
            StderrTail::In { path, from } => {
                let mut file = File::open(path).ok()?;
                let end = file.seek(SeekFrom::End(0)).ok()?;
                let start = end.saturating_sub(KEPT as u64).max(*from);
                let mut bytes = Vec::new();
                file.seek(SeekFrom::Start(start)).ok()?;
                file.take(KEPT as u64).read_to_end(&mut bytes).ok()?;
                bytes
            }
        };
        let text = String::from_utf8_lossy(&bytes);
        let mut lines: Vec<&str> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).rev().take(LINES).collect();
        lines.reverse();
        let said: Vec<char> = visible(&lines.join(" / ")).chars().collect();
        let cut = said.len().saturating_sub(LETTERS);
        let start = if cut > 0 { "…" } else { "" };
        (!said.is_empty()).then(|| start.chars().chain(said[cut..].iter().copied()).collect())
    }
}
