//! The lobby of a hosted table: outside bots connect, send their version, and wait for a seat.
//!
//! The lobby is polled by its table and has neither a task nor a lock. Its memory is bounded:
//! `queue` bots may wait at an open seat, each with a small buffer; further connections are refused
//! with a reason. A connection without a version line in time is closed; a bot that leaves while it
//! waits is removed at once.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use protocol::acpc;

/// Most bytes a bot may send before its match begins.
const MAX_EARLY_BYTES: usize = 1024;

/// Most refused connections that are drained at a time; further ones are closed at once.
const MAX_DRAINING: usize = 1024;

/// The time limit for a bot to read the last lines that it is sent.
pub(super) const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// The pause after the system could not accept a connection (out of file descriptors, say).
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// A bot that has sent its version and waits for a match.
#[derive(Debug)]
pub(super) struct Guest {
    pub(super) stream: TcpStream,
    pub(super) peer: SocketAddr,
    /// Everything it has sent so far, the version line first.
    pub(super) early: Vec<u8>,
}

/// An event in the lobby.
#[derive(Debug)]
pub(super) enum LobbyEvent {
    /// A bot has begun to wait at this open seat.
    Waiting { open_seat: usize, peer: SocketAddr },
    /// A bot that waited has left, or sent too much.
    Left { open_seat: usize, peer: SocketAddr },
    /// A bot was turned away.
    Refused { open_seat: usize, peer: SocketAddr, why: &'static str },
    /// The system could not accept a connection.
    Failed { open_seat: usize, error: io::Error },
}

/// The listeners of a table, one for each open seat, with the bots that wait there.
#[derive(Debug)]
pub(super) struct Lobby {
    open_seats: Vec<SeatListener>,
    queue: usize,
    version_timeout: Duration,
    draining: JoinSet<()>,
}

#[derive(Debug)]
struct SeatListener {
    listener: TcpListener,
    handshakes: JoinSet<HandshakeResult>,
    waiting: VecDeque<Guest>,
    /// The pause in accepting after an error.
    pause: Option<std::pin::Pin<Box<tokio::time::Sleep>>>,
}

#[derive(Debug)]
enum HandshakeResult {
    Guest(Guest),
    Refused { stream: TcpStream, peer: SocketAddr, why: &'static str },
    Left { peer: SocketAddr },
}

impl Lobby {
    /// A lobby that accepts on these listeners, one for each open seat.
    pub(super) fn new(
        listeners: Vec<TcpListener>,
        queue: usize,
        version_timeout: Duration,
    ) -> Lobby {
        let open_seat = |listener| SeatListener {
            listener,
            handshakes: JoinSet::new(),
            waiting: VecDeque::new(),
            pause: None,
        };
        Lobby {
            open_seats: listeners.into_iter().map(open_seat).collect(),
            queue,
            version_timeout,
            draining: JoinSet::new(),
        }
    }

    /// The number of bots that wait at an open seat.
    pub(super) fn waiting(&self, open_seat: usize) -> usize {
        self.open_seats[open_seat].waiting.len()
    }

    /// Waits for the next event. Cancel safe: it may be dropped and called again.
    pub(super) async fn next(&mut self) -> LobbyEvent {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// Takes one bot from every open seat, if somebody waits at each.
    pub(super) fn take_guests(&mut self) -> Option<Vec<Guest>> {
        if self.open_seats.iter().any(|open_seat| open_seat.waiting.is_empty()) {
            return None;
        }
        Some(
            self.open_seats
                .iter_mut()
                .filter_map(|open_seat| open_seat.waiting.pop_front())
                .collect(),
        )
    }

    /// Closes all waiting connections, with a line that says that the server shuts down.
    pub(super) async fn close(mut self) {
        let mut open_seats = std::mem::take(&mut self.open_seats);
        for guest in open_seats.iter_mut().flat_map(|open_seat| open_seat.waiting.drain(..)) {
            self.dismiss(guest.stream, "the server is shutting down");
        }
        drop(open_seats);
        while self.draining.join_next().await.is_some() {}
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<LobbyEvent> {
        while let Poll::Ready(Some(_)) = self.draining.poll_join_next(cx) {}
        for open_seat in 0..self.open_seats.len() {
            if let Poll::Ready(event) = self.poll_handshakes(open_seat, cx) {
                return Poll::Ready(event);
            }
            if let Poll::Ready(peer) = self.open_seats[open_seat].poll_left(cx) {
                return Poll::Ready(LobbyEvent::Left { open_seat, peer });
            }
            if let Poll::Ready(event) = self.poll_accept(open_seat, cx) {
                return Poll::Ready(event);
            }
        }
        Poll::Pending
    }

    fn poll_handshakes(&mut self, index: usize, cx: &mut Context<'_>) -> Poll<LobbyEvent> {
        let open_seat = &mut self.open_seats[index];
        while let Poll::Ready(Some(result)) = open_seat.handshakes.poll_join_next(cx) {
            match result {
                Ok(HandshakeResult::Guest(guest)) => {
                    let peer = guest.peer;
                    open_seat.waiting.push_back(guest);
                    return Poll::Ready(LobbyEvent::Waiting { open_seat: index, peer });
                }
                Ok(HandshakeResult::Refused { stream, peer, why }) => {
                    self.dismiss(stream, why);
                    return Poll::Ready(LobbyEvent::Refused { open_seat: index, peer, why });
                }
                Ok(HandshakeResult::Left { peer }) => {
                    return Poll::Ready(LobbyEvent::Left { open_seat: index, peer });
                }
                // Handshakes do not panic and are not cancelled.
                Err(_) => {}
            }
        }
        Poll::Pending
    }

    fn poll_accept(&mut self, index: usize, cx: &mut Context<'_>) -> Poll<LobbyEvent> {
        let open_seat = &mut self.open_seats[index];
        if let Some(pause) = &mut open_seat.pause {
            std::task::ready!(pause.as_mut().poll(cx));
            open_seat.pause = None;
        }
        loop {
            let (stream, peer) = match std::task::ready!(open_seat.listener.poll_accept(cx)) {
                Ok(accepted) => accepted,
                Err(error) => {
                    open_seat.pause = Some(Box::pin(tokio::time::sleep(ACCEPT_PAUSE)));
                    cx.waker().wake_by_ref();
                    return Poll::Ready(LobbyEvent::Failed { open_seat: index, error });
                }
            };
            if open_seat.waiting.len() + open_seat.handshakes.len() >= self.queue.max(1) {
                let why = "all places in the queue of this seat are taken, come back later";
                self.dismiss(stream, why);
                return Poll::Ready(LobbyEvent::Refused { open_seat: index, peer, why });
            }
            open_seat.handshakes.spawn(handshake(stream, peer, self.version_timeout));
            // The handshake must be polled before this task may sleep.
            cx.waker().wake_by_ref();
        }
    }

    /// Closes a connection after one comment line, which clients of the protocol skip.
    fn dismiss(&mut self, stream: TcpStream, why: &'static str) {
        send_reason(&stream, why);
        if self.draining.len() < MAX_DRAINING {
            self.draining.spawn(drain(stream));
        }
    }
}

impl SeatListener {
    /// Detects a waiting bot that has left; buffers what the others send.
    fn poll_left(&mut self, cx: &mut Context<'_>) -> Poll<SocketAddr> {
        for i in 0..self.waiting.len() {
            if self.waiting[i].poll_left(cx).is_ready() {
                let guest = self.waiting.remove(i).expect("the index is within the queue");
                return Poll::Ready(guest.peer);
            }
        }
        Poll::Pending
    }
}

impl Guest {
    fn poll_left(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if std::task::ready!(self.stream.poll_read_ready(cx)).is_err() {
                return Poll::Ready(());
            }
            let mut bytes = [0; 256];
            match self.stream.try_read(&mut bytes) {
                Ok(0) => return Poll::Ready(()),
                Ok(n) if self.early.len() + n > MAX_EARLY_BYTES => return Poll::Ready(()),
                Ok(n) => self.early.extend_from_slice(&bytes[..n]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return Poll::Ready(()),
            }
        }
    }
}

/// Reads the version line.
async fn handshake(mut stream: TcpStream, peer: SocketAddr, limit: Duration) -> HandshakeResult {
    let mut early = Vec::new();
    let read = async {
        while !early.contains(&b'\n') && early.len() <= MAX_EARLY_BYTES {
            let mut bytes = [0; 256];
            match stream.read(&mut bytes).await {
                Ok(0) | Err(_) => return false,
                Ok(n) => early.extend_from_slice(&bytes[..n]),
            }
        }
        true
    };
    match timeout(limit, read).await {
        Ok(true) => {}
        Ok(false) => return HandshakeResult::Left { peer },
        Err(_) => {
            let why = "no version line came in time";
            return HandshakeResult::Refused { stream, peer, why };
        }
    }
    let line = early.split(|&b| b == b'\n').next().unwrap_or_default();
    if acpc::dealer::read_version(line).is_none() {
        let why = "the first line must be VERSION:2.0.0";
        return HandshakeResult::Refused { stream, peer, why };
    }
    // Both are optional; the connection works without them.
    let _ = stream.set_nodelay(true);
    let _ = socket2::SockRef::from(&stream).set_keepalive(true);
    HandshakeResult::Guest(Guest { stream, peer, early })
}

/// Sends the reason and shuts down writing, without waiting: one line fits into the send buffer of
/// a connection that has sent nothing yet.
fn send_reason(stream: &TcpStream, why: &str) {
    let socket = socket2::SockRef::from(stream);
    // Failures do not matter: the other side has gone.
    let _ = socket.send(format!("# {why}\r\n").as_bytes());
    let _ = socket.shutdown(std::net::Shutdown::Write);
}

/// Reads until the other side closes, so that it gets the message: closing with unread bytes would
/// discard it.
pub(super) async fn drain(mut stream: TcpStream) {
    let drained = async {
        let mut bytes = [0; 256];
        while stream.read(&mut bytes).await.is_ok_and(|n| n > 0) {}
    };
    // The connection is closed either way.
    let _ = timeout(DRAIN_TIMEOUT, drained).await;
}
