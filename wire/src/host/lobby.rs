//! The lobby of a hosted table: outside bots connect, send their version, and wait for a seat.
//!
//! A value that its table polls: no task and no lock of its own. Memory is bounded: `queue` bots
//! may wait at a door, each with a small buffer; further ones are told so and closed. A bot that
//! sends no version in time is closed; one that leaves while it waits is dropped at once.

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
const MAX_FAREWELLS: usize = 1024;

/// How long a refused bot has to read the reason.
const FAREWELL: Duration = Duration::from_secs(1);

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
pub(super) enum Arrival {
    /// A bot has begun to wait at this door.
    Waiting { door: usize, peer: SocketAddr },
    /// A bot that waited has left, or sent too much.
    Left { door: usize, peer: SocketAddr },
    /// A bot was turned away.
    Refused { door: usize, peer: SocketAddr, why: &'static str },
    /// The system could not accept a connection.
    Failed { door: usize, error: io::Error },
}

/// The listeners of a table, one for each open seat, with the bots that wait there.
#[derive(Debug)]
pub(super) struct Lobby {
    doors: Vec<Door>,
    queue: usize,
    version_timeout: Duration,
    farewells: JoinSet<()>,
}

#[derive(Debug)]
struct Door {
    listener: TcpListener,
    greeting: JoinSet<Greeted>,
    waiting: VecDeque<Guest>,
    /// The pause in accepting after an error.
    pause: Option<std::pin::Pin<Box<tokio::time::Sleep>>>,
}

#[derive(Debug)]
enum Greeted {
    Guest(Guest),
    Refused { stream: TcpStream, peer: SocketAddr, why: &'static str },
    Left { peer: SocketAddr },
}

impl Lobby {
    /// A lobby that accepts on these listeners, one for each door.
    pub(super) fn new(
        listeners: Vec<TcpListener>,
        queue: usize,
        version_timeout: Duration,
    ) -> Lobby {
        let door = |listener| Door {
            listener,
            greeting: JoinSet::new(),
            waiting: VecDeque::new(),
            pause: None,
        };
        Lobby {
            doors: listeners.into_iter().map(door).collect(),
            queue,
            version_timeout,
            farewells: JoinSet::new(),
        }
    }

    /// The number of bots that wait at a door.
    pub(super) fn waiting(&self, door: usize) -> usize {
        self.doors[door].waiting.len()
    }

    /// Waits for the next event. Cancel safe: it may be dropped and called again.
    pub(super) async fn next(&mut self) -> Arrival {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// Takes one bot from every door, if somebody waits at each.
    pub(super) fn party(&mut self) -> Option<Vec<Guest>> {
        if self.doors.iter().any(|door| door.waiting.is_empty()) {
            return None;
        }
        Some(self.doors.iter_mut().filter_map(|door| door.waiting.pop_front()).collect())
    }

    /// Closes all waiting connections, with a line that says that the server shuts down.
    pub(super) async fn close(mut self) {
        let mut doors = std::mem::take(&mut self.doors);
        for guest in doors.iter_mut().flat_map(|door| door.waiting.drain(..)) {
            self.dismiss(guest.stream, "the server is shutting down");
        }
        drop(doors);
        while self.farewells.join_next().await.is_some() {}
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Arrival> {
        while let Poll::Ready(Some(_)) = self.farewells.poll_join_next(cx) {}
        for door in 0..self.doors.len() {
            if let Poll::Ready(arrival) = self.poll_greeted(door, cx) {
                return Poll::Ready(arrival);
            }
            if let Poll::Ready(peer) = self.doors[door].poll_left(cx) {
                return Poll::Ready(Arrival::Left { door, peer });
            }
            if let Poll::Ready(arrival) = self.poll_accept(door, cx) {
                return Poll::Ready(arrival);
            }
        }
        Poll::Pending
    }

    fn poll_greeted(&mut self, index: usize, cx: &mut Context<'_>) -> Poll<Arrival> {
        let door = &mut self.doors[index];
        while let Poll::Ready(Some(greeted)) = door.greeting.poll_join_next(cx) {
            match greeted {
                Ok(Greeted::Guest(guest)) => {
                    let peer = guest.peer;
                    door.waiting.push_back(guest);
                    return Poll::Ready(Arrival::Waiting { door: index, peer });
                }
                Ok(Greeted::Refused { stream, peer, why }) => {
                    self.dismiss(stream, why);
                    return Poll::Ready(Arrival::Refused { door: index, peer, why });
                }
                Ok(Greeted::Left { peer }) => {
                    return Poll::Ready(Arrival::Left { door: index, peer });
                }
                // Greetings do not panic and are not cancelled.
                Err(_) => {}
            }
        }
        Poll::Pending
    }

    fn poll_accept(&mut self, index: usize, cx: &mut Context<'_>) -> Poll<Arrival> {
        let door = &mut self.doors[index];
        if let Some(pause) = &mut door.pause {
            std::task::ready!(pause.as_mut().poll(cx));
            door.pause = None;
        }
        loop {
            let (stream, peer) = match std::task::ready!(door.listener.poll_accept(cx)) {
                Ok(accepted) => accepted,
                Err(error) => {
                    door.pause = Some(Box::pin(tokio::time::sleep(ACCEPT_PAUSE)));
                    cx.waker().wake_by_ref();
                    return Poll::Ready(Arrival::Failed { door: index, error });
                }
            };
            if door.waiting.len() + door.greeting.len() >= self.queue.max(1) {
                let why = "all places in the queue of this seat are taken, come back later";
                self.dismiss(stream, why);
                return Poll::Ready(Arrival::Refused { door: index, peer, why });
            }
            door.greeting.spawn(greet(stream, peer, self.version_timeout));
            // The greeting must be polled before this task may sleep.
            cx.waker().wake_by_ref();
        }
    }

    /// Closes a connection after one comment line, which clients of the protocol skip.
    fn dismiss(&mut self, stream: TcpStream, why: &'static str) {
        say_goodbye(&stream, why);
        if self.farewells.len() < MAX_FAREWELLS {
            self.farewells.spawn(farewell(stream));
        }
    }
}

impl Door {
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
async fn greet(mut stream: TcpStream, peer: SocketAddr, limit: Duration) -> Greeted {
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
        Ok(false) => return Greeted::Left { peer },
        Err(_) => {
            let why = "no version line came in time";
            return Greeted::Refused { stream, peer, why };
        }
    }
    let line = early.split(|&b| b == b'\n').next().unwrap_or_default();
    if acpc::dealer::read_version(line).is_none() {
        let why = "the first line must be VERSION:2.0.0";
        return Greeted::Refused { stream, peer, why };
    }
    // Both are optional; the connection works without them.
    let _ = stream.set_nodelay(true);
    let _ = socket2::SockRef::from(&stream).set_keepalive(true);
    Greeted::Guest(Guest { stream, peer, early })
}

/// Sends the reason and shuts down writing, without waiting: one line fits into the send buffer of
/// a connection that has sent nothing yet.
fn say_goodbye(stream: &TcpStream, why: &str) {
    let socket = socket2::SockRef::from(stream);
    // Failures do not matter: the other side has gone.
    let _ = socket.send(format!("# {why}\r\n").as_bytes());
    let _ = socket.shutdown(std::net::Shutdown::Write);
}

/// Reads until the other side closes, so that it gets the message: closing with unread bytes would
/// discard it.
async fn farewell(mut stream: TcpStream) {
    let drained = async {
        let mut bytes = [0; 256];
        while stream.read(&mut bytes).await.is_ok_and(|n| n > 0) {}
    };
    // The connection is closed either way.
    let _ = timeout(FAREWELL, drained).await;
}
