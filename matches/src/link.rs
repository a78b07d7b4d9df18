//! The connection to a program that has been started: it is given a free port of this machine,
//! connects to it, and is sent and sends lines, each within a deadline.
//!
//! A program that ends before it has connected, with nothing left in its process group, is not
//! waited for; the last of its error output is part of every message.

use std::io;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::program::{Program, Running};
use crate::waiting::{FIRST_NOTICE, Wait};

/// The longest line accepted from a program, in bytes.
const MAX_LINE: usize = 65_536;

/// The time limit for a program that is no longer needed to end by itself.
pub(crate) const EXIT_TIMEOUT: Duration = Duration::from_millis(500);

/// The interval between checks of a starting program.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The reason why an exchange with a program failed, in one line. Further lines are the last ones
/// of the program's error output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LinkError {
    /// The program did not do something in time.
    Late(String),
    /// The program ended, closed its connection, or could not be started.
    Gone(String),
    /// The program sent something that breaks the protocol.
    InvalidBytes(String),
}

impl LinkError {
    /// The reason, and the lines of error output.
    fn parts(&self) -> (&str, Vec<&str>) {
        let (LinkError::Late(text) | LinkError::Gone(text) | LinkError::InvalidBytes(text)) = self;
        let mut lines = text.lines();
        (lines.next().unwrap_or_default(), lines.collect())
    }

    /// The description of the failure in one line, with the very last of the error output.
    pub(crate) fn text(&self) -> String {
        const LINES: usize = 3;
        const CHARS: usize = 240;
        let (reason, lines) = self.parts();
        if lines.is_empty() {
            return reason.to_owned();
        }
        let said: Vec<&str> =
            lines[lines.len().saturating_sub(LINES)..].iter().map(|line| line.trim()).collect();
        let said: Vec<char> = said.join(" / ").chars().collect();
        let cut = said.len().saturating_sub(CHARS);
        let start = if cut > 0 { "…" } else { "" };
        let said: String = said[cut..].iter().collect();
        format!("{reason}; its last words: `{start}{said}`")
    }

    /// The description with all lines of error output, one below the other.
    pub(crate) fn full_text(&self) -> String {
        match self.parts() {
            (reason, lines) if lines.len() > 1 => {
                format!("{reason}; its last words:\n{}", lines.join("\n"))
            }
            _ => self.text(),
        }
    }
}

/// The deadline of a wait, and the message shown when it takes long.
pub(crate) struct WaitDeadline<'a> {
    pub(crate) until: Instant,
    pub(crate) wait: &'a mut Wait,
    pub(crate) what: &'a dyn Fn() -> String,
    /// Whether a message was shown.
    pub(crate) reported: bool,
}

impl WaitDeadline<'_> {
    /// The time until the deadline or the next message, at least a millisecond since sockets accept
    /// no less; `None` when the deadline has passed. Shows the message when it is due.
    fn left(&mut self) -> Option<Duration> {
        let now = Instant::now();
        if now >= self.until {
            return None;
        }
        self.reported |= self.wait.say(self.what);
        let next = self.until.min(self.wait.next());
        Some(next.saturating_duration_since(now).max(Duration::from_millis(1)))
    }
}

/// A program that has been started and has yet to connect.
#[derive(Debug)]
pub(crate) struct Starting {
    running: Running,
    listener: TcpListener,
    stream: Option<Stream>,
    started: Instant,
    wait: Wait,
}

impl Starting {
    /// Starts the program with these last arguments for the free port that it is to connect to.
    pub(crate) fn begin(
        program: &Program,
        arguments: &dyn Fn(u16) -> Vec<String>,
    ) -> Result<Starting, LinkError> {
        let listen = || -> io::Result<(TcpListener, u16)> {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            listener.set_nonblocking(true)?;
            let port = listener.local_addr()?.port();
            Ok((listener, port))
        };
        let (listener, port) =
            listen().map_err(|e| LinkError::Gone(format!("cannot listen on loopback: {e}")))?;
        let running = program.reaching(port).start(&arguments(port)).map_err(|error| {
            let path = program.program.display();
            let hint = match error.kind() {
                ErrorKind::PermissionDenied => format!(
                    "; make it executable (chmod +x {path}), or name its interpreter, as in \
                     `python3 {path}`"
                ),
                _ => String::new(),
            };
            LinkError::Gone(format!("cannot start {path}: {error}{hint}"))
        })?;
        let (started, wait) = (Instant::now(), Wait::begin(FIRST_NOTICE));
        Ok(Starting { running, listener, stream: None, started, wait })
    }

    /// The time at which the program was started.
    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    /// Waits until the program has connected, or until `until`: then the error is
    /// [`LinkError::Late`], and the call may be repeated. Other errors are final. `name` and
    /// `most`, its time limit in all, are for messages.
    pub(crate) fn connect(
        &mut self,
        until: Instant,
        name: &str,
        most: Duration,
    ) -> Result<(), LinkError> {
        let Starting { running, listener, stream, wait, .. } = self;
        let connect = || format!("`{name}` to connect, at most {most:?}");
        let mut deadline = WaitDeadline { until, wait, what: &connect, reported: false };
        while stream.is_none() {
            *stream = accept(listener, running, &mut deadline)?;
        }
        Ok(())
    }

    /// Reads the first line of a program that has connected; `what` as in [`WaitDeadline`].
    pub(crate) fn first_line(
        &mut self,
        until: Instant,
        what: &dyn Fn() -> String,
    ) -> Result<Vec<u8>, LinkError> {
        let Starting { running, stream, wait, .. } = self;
        let stream =
            stream.as_mut().ok_or_else(|| LinkError::Late("it has not connected".into()))?;
        let mut deadline = WaitDeadline { until, wait, what, reported: false };
        stream.line(&mut deadline).map_err(|error| match error {
            late @ LinkError::Late(_) => late,
            other => explain(running, other),
        })
    }

    /// The connection, once [`connect`](Self::connect) has succeeded.
    pub(crate) fn ready(self) -> Option<Link> {
        Some(Link { stream: self.stream?, running: self.running })
    }
}

/// Accepts the program's connection, or waits a little for it; an error when the program has failed
/// or is late. A program that ended with success may have left another in its process group that
/// will connect.
fn accept(
    listener: &TcpListener,
    running: &mut Running,
    deadline: &mut WaitDeadline<'_>,
) -> Result<Option<Stream>, LinkError> {
    // Checked before the listener: a program that has ended may have connected before.
    let ended = running.ended().filter(|status| !status.success() || running.all_ended());
    match listener.accept() {
        Ok((stream, _)) => return Stream::new(stream).map(Some),
        Err(error) if error.kind() == ErrorKind::WouldBlock => {}
        Err(error) => return Err(LinkError::Gone(format!("cannot accept: {error}"))),
    }
    if let Some(status) = ended {
        let words = below(running.stderr_tail());
        return Err(LinkError::Gone(format!("it ended before it connected ({status}){words}")));
    }
    let left = deadline.left().ok_or_else(|| LinkError::Late("it has not connected".into()))?;
    sleep(left.min(POLL_INTERVAL));
    Ok(None)
}

/// Adds the program's last error output to the message, and its exit status if its connection is
/// gone.
fn explain(running: &mut Running, error: LinkError) -> LinkError {
    let text = match error {
        LinkError::Gone(text) => text,
        LinkError::Late(text) => return LinkError::Late(text + &below(running.stderr_so_far())),
        LinkError::InvalidBytes(text) => {
            return LinkError::InvalidBytes(text + &below(running.stderr_so_far()));
        }
    };
    // The connection closes a moment before the program has ended.
    match running.wait(Duration::from_millis(200)) {
        Some(status) => {
            LinkError::Gone(format!("{text} ({status}){}", below(running.stderr_tail())))
        }
        None => LinkError::Gone(text + &below(running.stderr_so_far())),
    }
}

/// Lines below a message.
fn below(lines: Vec<String>) -> String {
    lines.into_iter().map(|line| "\n".to_owned() + &line).collect()
}

/// A running program and the connection to it.
#[derive(Debug)]
pub(crate) struct Link {
    stream: Stream,
    running: Running,
}

impl Link {
    /// Sends bytes, within the deadline.
    pub(crate) fn send(
        &mut self,
        bytes: &[u8],
        deadline: &mut WaitDeadline<'_>,
    ) -> Result<(), LinkError> {
        self.stream.send(bytes, deadline).map_err(|error| explain(&mut self.running, error))
    }

    /// Reads the next line, without its end.
    pub(crate) fn line(&mut self, deadline: &mut WaitDeadline<'_>) -> Result<Vec<u8>, LinkError> {
        self.stream.line(deadline).map_err(|error| explain(&mut self.running, error))
    }

    /// The error for a line that breaks the protocol, with the program's last error output.
    pub(crate) fn invalid_bytes(&mut self, reason: String) -> LinkError {
        explain(&mut self.running, LinkError::InvalidBytes(reason))
    }

    /// Closes the connection and waits up to `grace` for the program to end by itself.
    pub(crate) fn close(self, grace: Duration) {
        let Link { stream, mut running } = self;
        drop(stream);
        running.wait(grace);
    }
}

#[derive(Debug)]
struct Stream {
    socket: TcpStream,
    /// Bytes received and not yet consumed.
    buffer: Vec<u8>,
    /// Whether something was received after the last send.
    unanswered: bool,
}

impl Stream {
    fn new(socket: TcpStream) -> Result<Stream, LinkError> {
        let prepare = || socket.set_nonblocking(false).and_then(|()| socket.set_nodelay(true));
        prepare().map_err(|e| LinkError::Gone(format!("its connection failed: {e}")))?;
        Ok(Stream { socket, buffer: Vec::new(), unanswered: false })
    }

    fn send(&mut self, mut bytes: &[u8], deadline: &mut WaitDeadline<'_>) -> Result<(), LinkError> {
        let late = || LinkError::Late("it did not read what it was sent".into());
        while !bytes.is_empty() {
            let left = deadline.left().ok_or_else(late)?;
            let written =
                self.socket.set_write_timeout(Some(left)).and_then(|()| self.socket.write(bytes));
            match written {
                Ok(count) => {
                    bytes = &bytes[count..];
                    self.unanswered = false;
                }
                Err(error) if timed_out(&error) || error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(LinkError::Gone("it closed its connection".into())),
            }
        }
        Ok(())
    }

    fn line(&mut self, deadline: &mut WaitDeadline<'_>) -> Result<Vec<u8>, LinkError> {
        let late = || LinkError::Late("it did not answer in time".into());
        let mut searched = 0;
        loop {
            if let Some(offset) = self.buffer[searched..].iter().position(|&b| b == b'\n') {
                let mut line: Vec<u8> = self.buffer.drain(..=searched + offset).collect();
                line.pop();
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                return Ok(line);
            }
            searched = self.buffer.len();
            if searched > MAX_LINE {
                let start = shorten(&self.buffer);
                let reason = format!("it sent a line of more than {MAX_LINE} bytes: `{start}`");
                return Err(LinkError::InvalidBytes(reason));
            }
            if std::mem::take(&mut self.unanswered) {
                acknowledge(&self.socket);
            }
            let left = deadline.left().ok_or_else(late)?;
            let mut chunk = [0; 4096];
            let read = self
                .socket
                .set_read_timeout(Some(left))
                .and_then(|()| self.socket.read(&mut chunk));
            match read {
                Ok(0) => return Err(LinkError::Gone("it closed its connection".into())),
                Ok(count) => {
                    self.buffer.extend_from_slice(&chunk[..count]);
                    self.unanswered = true;
                }
                Err(error) if timed_out(&error) || error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(LinkError::Gone("it closed its connection".into())),
            }
        }
    }
}

fn timed_out(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// An excerpt of the bytes as one line of text, for messages.
pub(crate) fn shorten(bytes: &[u8]) -> String {
    game::escape::excerpt_of(bytes, 80)
}

/// Makes the system acknowledge everything received so far, where it can be told to (Linux).
///
/// A system delays an acknowledgement by up to 40 ms, for an answer that can carry it. A program
/// whose socket gathers small writes (Nagle's algorithm, on unless `TCP_NODELAY` is set) sends
/// nothing more until then: one that replies to every state, or sends a reply in two pieces, would
/// stall at each. So a reader of bytes that it will not answer calls this. Players that reply only
/// when it is their turn are always answered, and need no call.
pub fn acknowledge(socket: impl AsFd) {
    // It only saves time: without it the acknowledgement comes later.
    #[cfg(target_os = "linux")]
    let _ = rustix::net::sockopt::set_tcp_quickack(socket, true);
    #[cfg(not(target_os = "linux"))]
    let _ = socket;
}
