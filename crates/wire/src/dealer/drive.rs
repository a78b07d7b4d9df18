//! The input and output of the dealer's state machine: one task reads, writes and keeps the time
//! for all seats.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use matches::link::acknowledge;
use matches::waiting::{FIRST_NOTICE, Wait};
use protocol::acpc::Dealer;
use protocol::acpc::dealer::Event;
use rustix::io::Errno;
use rustix::net::RecvFlags;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant as Tick, Sleep, sleep_until};

/// Most bytes buffered for an entrant that does not read them.
const MAX_UNSENT: usize = 4 << 20;

/// The interval between checks for what does not wake the task: agents that end before they
/// connect.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// The time for which a state may be held back from an entrant that need not act on it. When the
/// one to act answers sooner, both states go out in one piece: half the writes and wake-ups of a
/// fast match.
const COALESCE_DELAY: Duration = Duration::from_millis(1);

/// The time within which a reply is prompt, so that the next one is worth a busy wait.
const PROMPT_REPLY: Duration = Duration::from_micros(200);

/// The longest time between two polls of the reactor, for signals and the other connections.
const REACTOR_INTERVAL: Duration = Duration::from_millis(5);

/// The time limit for writing the last bytes of a match.
const FINAL_WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// A monotonic clock, with the wall-clock time of its start for what is printed.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    start: Instant,
    wall: Duration,
}

impl Clock {
    /// Starts the clock.
    pub fn start() -> Clock {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Clock { start: Instant::now(), wall }
    }

    /// The time since the clock was started.
    pub fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// Converts a time since the clock's start to a time since 1970.
    pub fn wall(&self, time: Duration) -> Duration {
        self.wall + time
    }
}

/// The connection of an entrant, or the player in this process that replaces it.
#[derive(Debug)]
pub enum EntrantConnection {
    /// Not connected yet: the first connection is accepted, then the port is closed.
    Listening(TcpListener),
    /// A connected player.
    Connected(TcpStream),
    /// A player in this process.
    InProcess(Box<dyn InProcessPlayer>),
    /// The connection is closed.
    Closed,
}

/// A player in this process, which exchanges bytes with the dealer without a socket.
pub trait InProcessPlayer: std::fmt::Debug + Send {
    /// Takes bytes from the dealer and returns the reply to them, which may be empty.
    fn exchange(&mut self, bytes: &[u8]) -> Vec<u8>;
}

/// Time limits of the sockets; the dealer itself has those of the game.
#[derive(Debug, Clone, Copy)]
pub struct SocketLimits {
    /// The limit for everybody to connect; `None` for no limit.
    pub start: Option<Duration>,
    /// The limit for an entrant to take bytes it was sent.
    pub write: Duration,
    /// The time of a busy wait for a reply before the thread sleeps, if the entrant's last one was
    /// prompt: to wake a sleeping processor takes longer than a fast player takes to reply. Zero
    /// where the thread has other work.
    pub busy_wait: Duration,
}

/// Receives the events of a match.
pub trait Observer {
    /// Takes one event. An error ends the match: a record could not be kept.
    fn event(&mut self, dealer: &mut Dealer, event: Event) -> io::Result<()>;

    /// Called when all events so far have been reported, before the bytes they stand for are
    /// written.
    fn settle(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Called while the match has not begun, with the entrants still awaited and the time waited so
    /// far. An entrant comes with its port, or with `None` when it has connected but not sent its
    /// version.
    fn waiting(&mut self, _awaited: &[(usize, Option<u16>)], _so_far: Duration) {}

    /// The reason why an awaited entrant can no longer connect, if it cannot.
    fn given_up(&mut self, _entrant: usize) -> Option<String> {
        None
    }
}

/// The reason why a match ended other than by the dealer.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum Stopped {
    #[error("did not connect within {after:?}")]
    NotConnected { entrant: usize, after: Duration },
    #[error("{reason}")]
    GivenUp { entrant: usize, reason: String },
    #[error("interrupted")]
    Interrupted,
    #[error(transparent)]
    Io(#[from] io::Error),
}

struct Drive<'a> {
    dealer: &'a mut Dealer,
    connections: &'a mut [EntrantConnection],
    /// The time since which an entrant has not taken the bytes that wait for it, by entrant.
    unread_since: Vec<Option<Duration>>,
    /// The time since which bytes are held back from entrants that need not act.
    held: Option<Duration>,
    /// Whether an entrant's last reply was prompt, by entrant.
    prompt: Vec<bool>,
    /// The time since which the entrant to act is waited for.
    waiting_since: Option<Duration>,
    /// The time of the last poll of the reactor.
    reactor_polled: Duration,
    limits: SocketLimits,
    clock: Clock,
    started: Duration,
    /// Whether the dealer has been told that everybody is connected.
    complete: bool,
    /// The wait for everybody to connect and to send the version.
    wait: Wait,
    buffer: Box<[u8]>,
}

/// Plays a match to its end. The result is reported to the observer as an event. The sockets stay
/// open and with the caller, who may have passed bytes to the dealer that came before.
///
/// # Errors
/// When something other than the dealer ends the match; `stop` ends it at once.
pub async fn drive(
    dealer: &mut Dealer,
    connections: &mut [EntrantConnection],
    limits: SocketLimits,
    clock: Clock,
    observer: &mut dyn Observer,
    stop: impl Future<Output = ()>,
) -> Result<(), Stopped> {
    let mut drive = Drive {
        dealer,
        unread_since: vec![None; connections.len()],
        held: None,
        prompt: vec![true; connections.len()],
        waiting_since: None,
        reactor_polled: clock.now(),
        connections,
        limits,
        clock,
        started: clock.now(),
        complete: false,
        wait: Wait::begin(FIRST_NOTICE),
        buffer: vec![0; 16_384].into(),
    };
    let mut stop = pin!(stop);
    let mut timer = pin!(sleep_until(Tick::now() + CHECK_INTERVAL));
    loop {
        drive.report(observer)?;
        if drive.feed_in_process() {
            continue;
        }
        if drive.dealer.is_over() {
            break;
        }
        drive.check(observer)?;
        let wake = poll_fn(|cx| {
            if stop.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Err(Stopped::Interrupted));
            }
            drive.poll(cx, timer.as_mut()).map(Ok)
        });
        if let Err(stopped) = wake.await {
            drive.report(observer)?;
            return Err(stopped);
        }
    }
    drive.finish().await;
    Ok(())
}

impl Drive<'_> {
    fn report(&mut self, observer: &mut dyn Observer) -> io::Result<()> {
        while let Some(event) = self.dealer.poll_event() {
            observer.event(self.dealer, event)?;
        }
        observer.settle()
    }

    /// Passes their output to the players in this process; returns whether there was any.
    fn feed_in_process(&mut self) -> bool {
        let mut fed = false;
        for (entrant, connection) in self.connections.iter_mut().enumerate() {
            let EntrantConnection::InProcess(player) = connection else { continue };
            let bytes = self.dealer.output(entrant);
            if bytes.is_empty() {
                continue;
            }
            let (count, reply) = (bytes.len(), player.exchange(bytes));
            self.dealer.consume_output(entrant, count);
            if !reply.is_empty() {
                self.dealer.receive(entrant, &reply, self.clock.now());
            }
            fed = true;
        }
        fed
    }

    /// Checks everything that depends on time: the start, the dealer's limits, entrants that do not
    /// read.
    fn check(&mut self, observer: &mut dyn Observer) -> Result<(), Stopped> {
        let now = self.clock.now();
        if !self.dealer.has_begun()
            && let Some(so_far) = self.wait.due()
        {
            observer.waiting(&self.awaited(), so_far);
            observer.settle()?;
        }
        if self.complete {
            if self.dealer.poll_timeout().is_some_and(|at| now >= at) {
                self.dealer.handle_timeout(now);
                self.report(observer)?;
            }
            let limit = self.limits.write;
            let unread_since = |since: &Option<Duration>| since.is_some_and(|at| now > at + limit);
            let too_much = |entrant: usize| self.dealer.output(entrant).len() > MAX_UNSENT;
            let slow = (0..self.connections.len())
                .find(|&e| unread_since(&self.unread_since[e]) || too_much(e));
            if let Some(entrant) = slow {
                self.dealer.write_timed_out(entrant, now);
                self.report(observer)?;
            }
            return Ok(());
        }
        let waiting =
            |connection: &EntrantConnection| matches!(connection, EntrantConnection::Listening(_));
        let Some(entrant) = self.connections.iter().position(waiting) else {
            self.complete = true;
            self.dealer.handle_timeout(now);
            return Ok(());
        };
        for (entrant, connection) in self.connections.iter().enumerate() {
            if waiting(connection)
                && let Some(reason) = observer.given_up(entrant)
            {
                return Err(Stopped::GivenUp { entrant, reason });
            }
        }
        match self.limits.start {
            Some(after) if now.saturating_sub(self.started) > after => {
                Err(Stopped::NotConnected { entrant, after })
            }
            _ => Ok(()),
        }
    }

    /// The entrants that have not connected, with their ports; once all have, those without a
    /// version line.
    fn awaited(&self) -> Vec<(usize, Option<u16>)> {
        let port = |connection: &EntrantConnection| match connection {
            EntrantConnection::Listening(door) => {
                door.local_addr().ok().map(|address| Some(address.port()))
            }
            _ => None,
        };
        let connections = self.connections.iter().enumerate();
        let absent: Vec<_> = connections
            .filter_map(|(entrant, connection)| Some((entrant, port(connection)?)))
            .collect();
        if absent.is_empty() {
            self.dealer.silent().map(|entrant| (entrant, None)).collect()
        } else {
            absent
        }
    }

    /// Accepts, writes and reads as far as the sockets allow; ready when the dealer has news.
    fn poll(&mut self, cx: &mut Context<'_>, mut timer: Pin<&mut Sleep>) -> Poll<()> {
        if self.dealer.is_over() {
            return Poll::Ready(());
        }
        let mut news = false;
        let actor = self.dealer.waiting_for();
        let release = self.held.is_some_and(|since| self.clock.now() >= since + COALESCE_DELAY);
        let mut holding = false;
        for entrant in 0..self.connections.len() {
            news |= match &self.connections[entrant] {
                EntrantConnection::Listening(_) => self.poll_accept(entrant, cx),
                EntrantConnection::Connected(_) => {
                    let gone = if actor == Some(entrant) || release {
                        self.poll_write(entrant, cx)
                    } else {
                        holding |= !self.dealer.output(entrant).is_empty();
                        false
                    };
                    gone | self.poll_read(entrant, cx)
                }
                EntrantConnection::InProcess(_) | EntrantConnection::Closed => false,
            };
        }
        self.held = match self.held {
            _ if !holding => None,
            None => Some(self.clock.now()),
            since => since,
        };
        if news || actor.is_some_and(|actor| self.busy_wait(actor)) {
            return Poll::Ready(());
        }
        // The timer is only moved when it fires or must fire earlier: most deadlines just move on.
        let due = self.next_check();
        if due < timer.deadline() {
            timer.as_mut().reset(due);
        }
        if timer.as_mut().poll(cx).is_ready() {
            timer.reset(due);
            return Poll::Ready(());
        }
        Poll::Pending
    }

    /// Polls the connection of the entrant to act for a short time, and leaves the processor to
    /// others in between; returns whether there was a reply.
    fn busy_wait(&mut self, actor: usize) -> bool {
        let EntrantConnection::Connected(stream) = &self.connections[actor] else { return false };
        let begun = self.clock.now();
        self.waiting_since.get_or_insert(begun);
        if self.limits.busy_wait.is_zero()
            || !self.prompt[actor]
            || !self.dealer.wants_input(actor)
            || begun > self.reactor_polled + REACTOR_INTERVAL
        {
            self.reactor_polled = begun;
            return false;
        }
        while self.clock.now() < begun + self.limits.busy_wait {
            match rustix::net::recv(stream, &mut self.buffer[..], RecvFlags::DONTWAIT) {
                Err(Errno::AGAIN | Errno::INTR) => std::thread::yield_now(),
                received => {
                    self.take(actor, received.ok().map(|(_, count)| count));
                    return true;
                }
            }
        }
        self.reactor_polled = begun;
        false
    }

    /// The latest time at which [`check`](Self::check) is due.
    fn next_check(&self) -> Tick {
        let start = Tick::from_std(self.clock.start);
        if !self.complete {
            return Tick::now() + CHECK_INTERVAL;
        }
        let unread_since =
            self.unread_since.iter().flatten().map(|&since| since + self.limits.write);
        let held = self.held.map(|since| since + COALESCE_DELAY);
        let due = self.dealer.poll_timeout().into_iter().chain(unread_since).chain(held).min();
        let begun = self.dealer.has_begun();
        let far = Tick::now() + if begun { Duration::from_secs(3600) } else { CHECK_INTERVAL };
        let due = due.and_then(|due| start.checked_add(due));
        due.map_or(far, |due| due.min(far))
    }

    fn poll_accept(&mut self, entrant: usize, cx: &mut Context<'_>) -> bool {
        let EntrantConnection::Listening(listener) = &self.connections[entrant] else {
            return false;
        };
        match listener.poll_accept(cx) {
            Poll::Ready(Ok((stream, _))) => {
                prepare(&stream);
                self.connections[entrant] = EntrantConnection::Connected(stream);
                true
            }
            // The connection died before it was accepted, or file descriptors are short: the timer,
            // which is never far away, brings the next try.
            Poll::Ready(Err(_)) | Poll::Pending => false,
        }
    }

    /// Writes as much as the socket takes; returns `true` when the entrant is gone.
    fn poll_write(&mut self, entrant: usize, cx: &mut Context<'_>) -> bool {
        let EntrantConnection::Connected(stream) = &mut self.connections[entrant] else {
            return false;
        };
        while !self.dealer.output(entrant).is_empty() {
            match Pin::new(&mut *stream).poll_write(cx, self.dealer.output(entrant)) {
                Poll::Ready(Ok(count)) => {
                    self.dealer.consume_output(entrant, count);
                    self.unread_since[entrant] = None;
                }
                Poll::Ready(Err(_)) => {
                    self.connections[entrant] = EntrantConnection::Closed;
                    self.unread_since[entrant] = None;
                    self.dealer.lost(entrant, self.clock.now());
                    return true;
                }
                Poll::Pending => {
                    self.unread_since[entrant].get_or_insert(self.clock.now());
                    return false;
                }
            }
        }
        self.unread_since[entrant] = None;
        false
    }

    fn poll_read(&mut self, entrant: usize, cx: &mut Context<'_>) -> bool {
        let EntrantConnection::Connected(stream) = &mut self.connections[entrant] else {
            return false;
        };
        if !self.dealer.wants_input(entrant) {
            return false;
        }
        let mut buffer = ReadBuf::new(&mut self.buffer);
        let Poll::Ready(read) = Pin::new(&mut *stream).poll_read(cx, &mut buffer) else {
            return false;
        };
        let count = buffer.filled().len();
        self.take(entrant, read.ok().map(|()| count));
        true
    }

    /// Passes to the dealer what was read into the buffer: the number of bytes, 0 at the end of the
    /// stream; `None` when the connection failed.
    fn take(&mut self, entrant: usize, read: Option<usize>) {
        let now = self.clock.now();
        if self.dealer.waiting_for() == Some(entrant) {
            let since = self.waiting_since.take();
            self.prompt[entrant] = since.is_none_or(|since| now < since + PROMPT_REPLY);
        }
        match read {
            Some(0) => self.dealer.closed(entrant, now),
            Some(count) => {
                let before = self.dealer.output(entrant).len();
                self.dealer.receive(entrant, &self.buffer[..count], now);
                if let EntrantConnection::Connected(stream) = &self.connections[entrant]
                    && self.dealer.output(entrant).len() == before
                {
                    acknowledge(stream);
                }
            }
            None => {
                self.connections[entrant] = EntrantConnection::Closed;
                self.dealer.lost(entrant, now);
            }
        }
    }

    /// Writes the remaining bytes, for at most [`FINAL_WRITE_TIMEOUT`].
    async fn finish(mut self) {
        let mut limit = pin!(tokio::time::sleep(FINAL_WRITE_TIMEOUT));
        poll_fn(|cx| {
            let mut left = false;
            for entrant in 0..self.connections.len() {
                self.poll_write(entrant, cx);
                let here = matches!(self.connections[entrant], EntrantConnection::Connected(_));
                left |= here && !self.dealer.output(entrant).is_empty();
            }
            if left { limit.as_mut().poll(cx) } else { Poll::Ready(()) }
        })
        .await;
    }
}

/// Sets `TCP_NODELAY` and keep-alive.
fn prepare(stream: &TcpStream) {
    // Both are optional: the connection works without them.
    let _ = stream.set_nodelay(true);
    let _ = rustix::net::sockopt::set_socket_keepalive(stream, true);
}
