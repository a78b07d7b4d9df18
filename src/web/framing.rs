//! Request boundaries on a connection, parsed alongside hyper to detect requests whose length is
//! given in two ways. Of `Transfer-Encoding` and `Content-Length` hyper takes one and silently
//! drops the other, while a proxy before us may have taken the other: what it takes for the body of
//! one request would be another request here (RFC 9112, section 11.2).
//!
//! Only an incomplete line is buffered. Anything that hyper would also not accept ends the parsing
//! and counts as ambiguous.

/// Most bytes of a line; hyper accepts no header as long as this.
const MAX_LINE: usize = 1 << 20;

/// The parser for the requests of a connection.
#[derive(Debug, Default)]
pub struct Framing {
    at: At,
    head: Head,
    /// The beginning of an incomplete line.
    line: Vec<u8>,
}

/// The element that comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum At {
    /// The request line.
    #[default]
    Request,
    /// A header line.
    Header,
    /// The remaining bytes of the body.
    Body(u64),
    /// The size line of a chunk.
    Size,
    /// The remaining bytes of a chunk, with its line end.
    Chunk(u64),
    /// A line after the last chunk.
    Trailer,
    /// Unknown: a request was ambiguous.
    Ambiguous,
}

/// The body's length as given by the header.
#[derive(Debug, Default)]
struct Head {
    length: Option<u64>,
    chunked: bool,
}

impl Framing {
    /// Parses further bytes; returns whether a request so far is ambiguous.
    pub fn read(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            match &mut self.at {
                At::Ambiguous => return true,
                At::Body(left) | At::Chunk(left) => {
                    let n = bytes.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                    bytes = &bytes[n..];
                    *left -= n as u64;
                    match self.at {
                        At::Body(0) => self.at = At::Request,
                        At::Chunk(0) => self.at = At::Size,
                        _ => {}
                    }
                }
                At::Request | At::Header | At::Size | At::Trailer => {
                    let Some(end) = bytes.iter().position(|&byte| byte == b'\n') else {
                        self.line.extend_from_slice(bytes);
                        if self.line.len() > MAX_LINE {
                            self.at = At::Ambiguous;
                        }
                        break;
                    };
                    let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
                    bytes = rest;
                    if self.line.is_empty() {
                        self.at = self.head.line(self.at, line);
                    } else {
                        self.line.extend_from_slice(line);
                        self.at = self.head.line(self.at, &self.line);
                        self.line.clear();
                    }
                }
            }
        }
        self.at == At::Ambiguous
    }
}

impl Head {
    /// The element after this line.
    fn line(&mut self, at: At, line: &[u8]) -> At {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match at {
            At::Request if line.is_empty() => At::Request,
            At::Request => At::Header,
            At::Header if line.is_empty() => match std::mem::take(self) {
                Head { length: Some(_), chunked: true } => At::Ambiguous,
                Head { chunked: true, .. } => At::Size,
                Head { length: None | Some(0), .. } => At::Request,
                Head { length: Some(length), .. } => At::Body(length),
            },
            At::Header => self.field(line).map_or(At::Ambiguous, |()| At::Header),
            At::Size => match chunk_size(line) {
                None => At::Ambiguous,
                Some(0) => At::Trailer,
                // The largest size of a body.
                Some(size) => size.checked_add(2).map_or(At::Ambiguous, At::Chunk),
            },
            At::Trailer if line.is_empty() => At::Request,
            at => at,
        }
    }

    /// Records a header field; `None` if it is invalid or contradicts an earlier one.
    fn field(&mut self, line: &[u8]) -> Option<()> {
        // Both names begin with these letters, and few others do.
        if !matches!(line.first(), Some(b'C' | b'c' | b'T' | b't')) {
            return Some(());
        }
        let colon = line.iter().position(|&byte| byte == b':')?;
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"content-length") {
            let digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
            let length = str::from_utf8(value).ok().filter(|_| digits)?.parse().ok()?;
            let same = self.length.is_none_or(|other| other == length);
            self.length = same.then_some(Some(length))?;
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            // Other encodings are not supported anyway.
            let chunked = value.eq_ignore_ascii_case(b"chunked") && !self.chunked;
            self.chunked = chunked.then_some(true)?;
        }
        Some(())
    }
}

/// The size in the size line of a chunk; extensions are ignored.
fn chunk_size(line: &[u8]) -> Option<u64> {
    let size = line.split(|&byte| byte == b';').next()?.trim_ascii_end();
    let digits = !size.is_empty() && size.iter().all(u8::is_ascii_hexdigit);
    u64::from_str_radix(str::from_utf8(size).ok().filter(|_| digits)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether these bytes are ambiguous: in one piece, cut anywhere, and byte by byte.
    fn ambiguous(text: &str) -> bool {
        let bytes = text.as_bytes();
        let whole = Framing::default().read(bytes);
        for cut in 0..bytes.len() {
            let mut framing = Framing::default();
            framing.read(&bytes[..cut]);
            assert_eq!(framing.read(&bytes[cut..]), whole, "{text:?} cut at {cut}");
        }
        let mut framing = Framing::default();
        let single = bytes.iter().fold(false, |_, byte| framing.read(&[*byte]));
        assert_eq!(single, whole, "{text:?}");
        whole
    }

    #[test]
    fn requests_are_told_apart_wherever_they_are_cut() {
        let both = "POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n";
        let other = "POST / HTTP/1.1\ntransfer-encoding: Chunked\ncontent-length:5\n\n";
        assert!(ambiguous(both) && ambiguous(other));
        let clear = [
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            "\r\n\nPOST / HTTP/1.1\r\nContent-Length: 3\r\ncontent-length: 3\r\n\r\nabc",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n\
             A \r\n0123456789\r\n0\r\nLast: 1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
            // A body that looks like a header.
            "POST / HTTP/1.1\r\nContent-Length: 59\r\n\r\n\r\n\r\nContent-Length: 1\r\n\
             Transfer-Encoding: chunked\r\n\r\n!!!!!!",
        ];
        for one in clear {
            assert!(!ambiguous(one), "{one:?}");
            for two in clear {
                assert!(!ambiguous(&format!("{one}{two}")), "{one:?} {two:?}");
            }
            assert!(ambiguous(&format!("{one}{both}")) && ambiguous(&format!("{one}{other}")));
        }
        let wrong = [
            "Content-Length: 3\r\nContent-Length: 4",
            "Content-Length: +3",
            "Content-Length: 3, 3",
            "Content-Length:",
            "Content-Length: 99999999999999999999",
            "Content-Length : 3",
            "Transfer-Encoding: gzip, chunked",
            "Transfer-Encoding: identity",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
            "Transfer-Encoding: chunked\r\n\r\n-1\r\n",
            "Transfer-Encoding: chunked\r\n\r\n\r\n",
        ];
        for fields in wrong {
            let spaced = fields.starts_with("Content-Length :");
            let found = ambiguous(&format!("POST / HTTP/1.1\r\n{fields}\r\n\r\n"));
            // hyper itself rejects a blank before the colon.
            assert!(found || spaced, "{fields:?}");
        }
    }
}
