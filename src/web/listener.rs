//! The web listener, with limits on the number and idle time of connections, so that clients that
//! send nothing cannot keep others out; and the boundaries of requests on a connection.
//!
//! A client that does not send a complete request header in time is closed. A connection on which
//! no byte moves for too long fails, whatever its state: hyper's timer covers headers only, and a
//! layer of tower sees neither a client that stops reading nor one that stops in a body. When all
//! slots are taken, the connection that has waited longest for a request is closed for a new one; a
//! semaphore would keep the new one waiting.
//!
//! Requests are parsed alongside hyper to detect those whose length is given in two ways. Of
//! `Transfer-Encoding` and `Content-Length` hyper takes one and silently drops the other, while a
//! proxy before us may have taken the other: what it takes for the body of one request would be
//! another request here (RFC 9112, section 11.2). Only an incomplete line is buffered. Anything
//! that hyper would also not accept ends the parsing and counts as ambiguous.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::Extensions;
use axum::middleware::{self, Next};
use hyper::body::{Frame, SizeHint};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, Sleep};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::Limits;
use super::hosts::Hosts;

/// The pause after the system could not accept a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// Serves connections until `stop`, then lets requests in progress finish. Requests for other hosts
/// than these are refused.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    hosts: Hosts,
    limits: Limits,
    stop: CancellationToken,
) {
    let hosts = Arc::new(hosts);
    let slots = ConnectionSlots::new(limits.connections);
    let tasks = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                // Answers are small and must not be delayed.
                let _ = stream.set_nodelay(true);
                // Without an address the connection has ended already.
                let Ok(reached) = stream.local_addr() else { continue };
                let (router, hosts) = (router.clone(), Arc::clone(&hosts));
                let moving = Moving::new(stream);
                let slot = slots.take();
                let closed = slot.closed.clone();
                let (caller, reached, flags) = (peer.ip(), reached.ip(), moving.flags());
                let wire = Wire { peer, caller, reached, closed, flags };
                let header = limits.header;
                tasks.spawn(converse(moving, wire, slot, hosts, router, header, stop.clone()));
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a web connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    tasks.close();
    tasks.wait().await;
}

/// Serves the requests of one connection. `header` is the time limit from the start, or from the
/// end of an answer, to the end of the next request's header.
async fn converse(
    moving: Moving,
    wire: Wire,
    slot: Arc<ConnectionSlot>,
    hosts: Arc<Hosts>,
    router: Router,
    header: Duration,
    stop: CancellationToken,
) {
    let closed = slot.closed.clone();
    let answering = middleware::from_fn(move |mut request: Request, next: Next| {
        let refused = hosts.refuse(&request, &wire);
        let caller = hosts.caller(request.headers(), wire.peer.ip());
        request.extensions_mut().insert(Wire { caller, ..wire.clone() });
        let answering = Answering::begin(&slot);
        async move {
            let answer = match refused {
                Some(refused) => refused,
                None => next.run(request).await,
            };
            answer.map(|body| Body::new(Answer { body, answering }))
        }
    });
    let service = TowerToHyperService::new(router.layer(answering));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header)
        .serve_connection(TokioIo::new(moving), service);
    let mut connection = std::pin::pin!(connection);
    let mut stopping = false;
    loop {
        tokio::select! {
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a web connection was dropped");
                }
                return;
            }
            () = closed.cancelled() => return,
            () = stop.cancelled(), if !stopping => {
                stopping = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

/// The connection of a request, stored in the request's extensions.
#[derive(Debug, Clone)]
pub struct Wire {
    /// The address of the other end.
    pub peer: SocketAddr,
    /// The address of the client, as reported by a trusted proxy; otherwise that of the other end.
    pub caller: IpAddr,
    /// Our address that the client connected to.
    pub reached: IpAddr,
    closed: CancellationToken,
    flags: Arc<Flags>,
}

impl Wire {
    /// Whether a request on it was ambiguous.
    pub fn ambiguous(&self) -> bool {
        self.flags.ambiguous.load(Ordering::Relaxed)
    }

    /// Closes or resets the connection at once. Never returns if there is one, since its task ends
    /// first.
    pub async fn hang_up<T>(wire: Option<&Wire>, reset: bool) -> T {
        if let Some(wire) = wire {
            wire.flags.reset.store(reset, Ordering::Relaxed);
            wire.closed.cancel();
        }
        std::future::pending().await
    }
}

/// The address of the client that made a request, if it came over a connection.
pub fn caller(extensions: &Extensions) -> Option<IpAddr> {
    extensions.get::<Wire>().map(|wire| wire.caller)
}

/// The limited number of connections that are open at the same time.
#[derive(Clone)]
struct ConnectionSlots {
    most: usize,
    taken: Arc<Mutex<Taken>>,
}

#[derive(Default)]
struct Taken {
    next: u64,
    connections: HashMap<u64, State>,
}

/// The state of a connection.
struct State {
    /// Whether a request is being answered.
    answering: bool,
    /// When that state began.
    since: Instant,
    closed: CancellationToken,
}

impl ConnectionSlots {
    fn new(most: usize) -> ConnectionSlots {
        ConnectionSlots { most, taken: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        parallel::lock(&self.taken)
    }

    /// Takes a slot for a new connection. If none is free, the connection that has waited longest
    /// for a request is closed, or else the one whose answer has taken longest.
    fn take(&self) -> Arc<ConnectionSlot> {
        let closed = CancellationToken::new();
        let mut taken = self.lock();
        while taken.connections.len() >= self.most {
            let order = |state: &State| (state.answering, state.since);
            let oldest = taken.connections.iter().min_by_key(|(_, state)| order(state));
            let Some(id) = oldest.map(|(id, _)| *id) else { break };
            if let Some(state) = taken.connections.remove(&id) {
                state.closed.cancel();
            }
        }
        let id = taken.next;
        taken.next += 1;
        let state = State { answering: false, since: Instant::now(), closed: closed.clone() };
        taken.connections.insert(id, state);
        drop(taken);
        Arc::new(ConnectionSlot { id, slots: self.clone(), closed })
    }
}

/// A connection's slot, freed when dropped.
struct ConnectionSlot {
    id: u64,
    slots: ConnectionSlots,
    /// Cancelled when the slot is given to another connection.
    closed: CancellationToken,
}

impl ConnectionSlot {
    fn set(&self, answering: bool) {
        if let Some(state) = self.slots.lock().connections.get_mut(&self.id) {
            (state.answering, state.since) = (answering, Instant::now());
        }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.slots.lock().connections.remove(&self.id);
    }
}

/// Marks a connection as answering until the answer has been sent or given up.
struct Answering(Arc<ConnectionSlot>);

impl Answering {
    fn begin(slot: &Arc<ConnectionSlot>) -> Answering {
        slot.set(true);
        Answering(Arc::clone(slot))
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

/// A response body that keeps its connection marked as answering.
struct Answer {
    body: Body,
    #[expect(dead_code, reason = "it counts while it is held")]
    answering: Answering,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The idle timeout, in both directions together. Live pages send something more often.
const IDLE: Duration = Duration::from_secs(60);

/// A connection with an idle timeout.
#[derive(Debug)]
struct Moving {
    stream: TcpStream,
    idle: Pin<Box<Sleep>>,
    framing: Framing,
    flags: Arc<Flags>,
}

/// Flags shared between a connection and its requests.
#[derive(Debug, Default)]
struct Flags {
    /// Whether it is reset rather than closed when dropped.
    pub reset: AtomicBool,
    /// Whether a request on it was ambiguous.
    pub ambiguous: AtomicBool,
}

impl Moving {
    /// Wraps a connection; its timeout starts now.
    pub fn new(stream: TcpStream) -> Moving {
        let idle = Box::pin(tokio::time::sleep(IDLE));
        Moving { stream, idle, framing: Framing::default(), flags: Arc::default() }
    }

    /// The connection's flags.
    pub fn flags(&self) -> Arc<Flags> {
        Arc::clone(&self.flags)
    }

    fn moved(&mut self) {
        self.idle.as_mut().reset(Instant::now() + IDLE);
    }
}

impl Drop for Moving {
    fn drop(&mut self) {
        if self.flags.reset.load(Ordering::Relaxed) {
            // If that fails the connection is closed as usual.
            let _ = socket2::SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
        }
    }
}

impl AsyncRead for Moving {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if read.is_ready() {
            self.moved();
            if self.framing.read(&buffer.filled()[before..]) {
                self.flags.ambiguous.store(true, Ordering::Relaxed);
            }
        } else if self.idle.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        read
    }
}

impl AsyncWrite for Moving {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        if written.is_ready() {
            self.moved();
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// Most bytes of a line; hyper accepts no header as long as this.
const MAX_LINE: usize = 1 << 20;

/// The parser for the requests of a connection.
#[derive(Debug, Default)]
struct Framing {
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
