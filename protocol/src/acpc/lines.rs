//! Splitting a byte stream into lines, however it arrives in pieces.

/// A line buffer: collects bytes and returns them line by line.
///
/// A line ends with its LF; or after `cap` bytes, when no LF came before; or, once the stream has
/// ended, with the stream. Every byte is returned once and in order.
#[derive(Debug)]
pub(crate) struct Lines {
    bytes: Vec<u8>,
    /// Start of the bytes not yet returned.
    start: usize,
    /// There is no LF between `start` and this position.
    searched: usize,
    cap: usize,
    ended: bool,
}

impl Lines {
    pub(crate) fn new(cap: usize) -> Lines {
        Lines { bytes: Vec::new(), start: 0, searched: 0, cap, ended: false }
    }

    /// Appends bytes; ignored after the end of the stream.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.ended {
            return;
        }
        if self.start == self.bytes.len() {
            self.bytes.clear();
        } else if self.start > 0 {
            self.bytes.drain(..self.start);
        }
        self.searched -= self.start;
        self.start = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Marks the end of the stream: the remaining bytes are a line.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    /// Whether the stream has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Number of bytes not yet returned.
    pub(crate) fn buffered(&self) -> usize {
        self.bytes.len() - self.start
    }

    /// The next line with its end, or `None` when no complete line is buffered.
    pub(crate) fn next_line(&mut self) -> Option<&[u8]> {
        let limit = self.bytes.len().min(self.start + self.cap);
        let found = self.bytes[self.searched..limit].iter().position(|&b| b == b'\n');
        let end = match found {
            Some(offset) => self.searched + offset + 1,
            None if limit - self.start == self.cap => limit,
            None if self.ended && limit > self.start => limit,
            None => {
                self.searched = limit;
                return None;
            }
        };
        let line = self.start..end;
        self.start = end;
        self.searched = end;
        Some(&self.bytes[line])
    }
}

/// The beginning of bytes as text for a message: one line, at most 120 characters.
pub(crate) fn shorten(bytes: &[u8]) -> String {
    game::escape::excerpt_of(bytes.trim_ascii_end(), 120)
}
