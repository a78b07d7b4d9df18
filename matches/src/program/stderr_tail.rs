//! The last lines of a program's error output, which usually say why it ended.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::process::ChildStderr;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use game::escape::visible;

/// The number of bytes that are stored.
const MAX_BYTES: usize = 2048;

/// The number of lines shown, and the number of characters.
const MAX_LINES: usize = 3;
const MAX_CHARS: usize = 240;

/// The time limit for the end of the stream after the program has ended: something it started may
/// still hold it open.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(200);

/// The time limit for reading recent output of a running program.
const READ_TIMEOUT: Duration = Duration::from_millis(20);

/// The destination of the error output.
#[derive(Debug)]
pub(super) enum StderrTail {
    /// Read by a thread, which closes the channel when the stream ends.
    Read { tail: Arc<Mutex<VecDeque<u8>>>, more: Receiver<()> },
    /// To a file, from this offset on.
    In { path: PathBuf, from: u64 },
}

impl StderrTail {
    /// Starts a thread that reads the stream to its end, so that the pipe never fills up.
    pub(super) fn read(mut stream: ChildStderr) -> io::Result<StderrTail> {
        let tail = Arc::new(Mutex::new(VecDeque::new()));
        let (open, more) = mpsc::channel();
        let into = Arc::clone(&tail);
        std::thread::Builder::new().name("errors".into()).spawn(move || {
            let _open: mpsc::Sender<()> = open;
            let mut chunk = [0; MAX_BYTES];
            loop {
                let count = match stream.read(&mut chunk) {
                    Ok(0) => return,
                    Ok(count) => count,
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(_) => return,
                };
                let mut tail = into.lock().unwrap_or_else(PoisonError::into_inner);
                tail.extend(&chunk[..count]);
                let excess = tail.len().saturating_sub(MAX_BYTES);
                tail.drain(..excess);
            }
        })?;
        Ok(StderrTail::Read { tail, more })
    }

    /// The last lines joined to one, of a program that has ended; `None` when there are none.
    pub(super) fn text(&mut self) -> Option<String> {
        self.text_within(CLOSE_TIMEOUT)
    }

    /// The last lines joined to one, of a running program.
    pub(super) fn so_far(&mut self) -> Option<String> {
        self.text_within(READ_TIMEOUT)
    }

    fn text_within(&mut self, rest: Duration) -> Option<String> {
        let bytes = match self {
            StderrTail::Read { tail, more } => {
                // Returns at once when the stream has ended.
                let _ = more.recv_timeout(rest);
                tail.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
            }
            StderrTail::In { path, from } => {
                let mut file = File::open(path).ok()?;
                let end = file.seek(SeekFrom::End(0)).ok()?;
                let start = end.saturating_sub(MAX_BYTES as u64).max(*from);
                let mut bytes = Vec::new();
                file.seek(SeekFrom::Start(start)).ok()?;
                file.take(MAX_BYTES as u64).read_to_end(&mut bytes).ok()?;
                bytes
            }
        };
        let text = String::from_utf8_lossy(&bytes);
        let mut lines: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .rev()
            .take(MAX_LINES)
            .collect();
        lines.reverse();
        let said: Vec<char> = visible(&lines.join(" / ")).chars().collect();
        let cut = said.len().saturating_sub(MAX_CHARS);
        let start = if cut > 0 { "…" } else { "" };
        (!said.is_empty()).then(|| start.chars().chain(said[cut..].iter().copied()).collect())
    }
}
