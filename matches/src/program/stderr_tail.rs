//! The last lines of a program's error output, which usually say why it ended.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::ChildStderr;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use game::escape::visible;

/// The number of bytes that are stored.
const MAX_BYTES: usize = 8192;

/// The number of lines, and of characters in each.
const MAX_LINES: usize = 20;
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

    /// The last lines of a program that has ended, without empty ones.
    pub(super) fn lines(&mut self) -> Vec<String> {
        self.lines_within(CLOSE_TIMEOUT)
    }

    /// The last lines of a running program.
    pub(super) fn so_far(&mut self) -> Vec<String> {
        self.lines_within(READ_TIMEOUT)
    }

    fn lines_within(&mut self, rest: Duration) -> Vec<String> {
        let bytes = match self {
            StderrTail::Read { tail, more } => {
                // Returns at once when the stream has ended.
                let _ = more.recv_timeout(rest);
                tail.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
            }
            StderrTail::In { path, from } => written(path, *from).unwrap_or_default(),
        };
        let text = String::from_utf8_lossy(&bytes);
        let said = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
        let mut lines: Vec<String> = said.rev().take(MAX_LINES).map(shortened).collect();
        lines.reverse();
        lines
    }
}

/// The last bytes of a file, none before this offset.
fn written(path: &Path, from: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let end = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(end.saturating_sub(MAX_BYTES as u64).max(from)))?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A line without control characters, cut where it is too long.
fn shortened(line: &str) -> String {
    let line = visible(line);
    match line.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.into_owned(),
    }
}
