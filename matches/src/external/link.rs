//! The connection to an external program: starting it, waiting for it, lines to and from it.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::program::{Program, Running};

/// The longest line taken from a program, in bytes.
const MAX_LINE: usize = 65_536;

/// How often a program that is starting is looked at.
const LOOK: Duration = Duration::from_millis(2);

/// What goes wrong with a program. The text says what happened, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It did not do in time what it had to.
    Late(String),
    /// It has ended or closed its connection, or could not be started.
    Gone(String),
    /// It sent something that is not of the protocol.
    Rubbish(String),
}

impl Trouble {
    /// What happened.
    pub(super) fn text(&self) -> &str {
        let (Trouble::Late(text) | Trouble::Gone(text) | Trouble::Rubbish(text)) = self;
        text
    }
}

/// A program that has been started and must still connect and say its version.
#[derive(Debug)]
pub(super) struct Starting {
    running: Running,
    door: TcpListener,
    stream: Option<Stream>,
    started: Instant,
}

impl Starting {
    /// Starts the program with the loopback address and a free port as its last two arguments.
    pub(super) fn begin(program: &Program) -> Result<Starting, Trouble> {
        let listen = || -> io::Result<(TcpListener, u16)> {
            let door = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            door.set_nonblocking(true)?;
            let port = door.local_addr()?.port();
            Ok((door, port))
        };
        let (door, port) =
            listen().map_err(|e| Trouble::Gone(format!("cannot listen on loopback: {e}")))?;
        let arguments = [Ipv4Addr::LOCALHOST.to_string(), port.to_string()];
        let running = program.start(&arguments).map_err(|error| {
            Trouble::Gone(format!("cannot start {}: {error}", program.program.display()))
        })?;
        Ok(Starting { running, door, stream: None, started: Instant::now() })
    }

    /// When it was started.
    pub(super) fn started(&self) -> Instant {
        self.started
    }

    /// Waits until the program is ready, or until the time given: then [`Trouble::Late`], and the
    /// call may be repeated. Any other trouble is final.
    pub(super) fn wait(&mut self, until: Instant) -> Result<(), Trouble> {
        while self.stream.is_none() {
            match self.door.accept() {
                Ok((stream, _)) => self.stream = Some(Stream::new(stream)?),
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.look(until)?,
                Err(error) => return Err(Trouble::Gone(format!("cannot accept: {error}"))),
            }
        }
        let stream = self.stream.as_mut().expect("accepted above");
        let line = stream.line(until).map_err(|trouble| match trouble {
            Trouble::Late(_) => Trouble::Late("it has connected but not said its version".into()),
            other => other,
        })?;
        let version = line.trim_ascii().strip_prefix(b"VERSION:2.");
        match version {
            Some(_) => Ok(()),
            None => Err(Trouble::Rubbish(format!(
                "it began with `{}`, not with VERSION:2.0.0",
                shorten(&line)
            ))),
        }
    }

    /// It has not connected: has it failed, is it late? A program that ends with success may have
    /// left another behind that will connect.
    fn look(&mut self, until: Instant) -> Result<(), Trouble> {
        if let Some(status) = self.running.ended()
            && !status.success()
        {
            return Err(Trouble::Gone(format!("it ended before it connected ({status})")));
        }
        if Instant::now() >= until {
            return Err(Trouble::Late("it has not connected".into()));
        }
        sleep(LOOK);
        Ok(())
    }

    /// The connection, once [`wait`](Self::wait) has succeeded.
    pub(super) fn ready(self) -> Option<Link> {
        Some(Link { stream: self.stream?, running: self.running })
    }
}

/// A running program and the connection to it.
#[derive(Debug)]
pub(super) struct Link {
    stream: Stream,
    running: Running,
}

impl Link {
    /// Sends these bytes.
    pub(super) fn send(&mut self, bytes: &[u8], until: Instant) -> Result<(), Trouble> {
        self.stream.send(bytes, until).map_err(|trouble| self.explain(trouble))
    }

    /// The next line, without its end.
    pub(super) fn line(&mut self, until: Instant) -> Result<Vec<u8>, Trouble> {
        self.stream.line(until).map_err(|trouble| self.explain(trouble))
    }

    /// Closes the connection and gives the program this long to end by itself.
    pub(super) fn close(self, grace: Duration) {
        let Link { stream, mut running } = self;
        drop(stream);
        running.wait(grace);
    }

    /// Adds how the program ended, when that is why the connection is gone.
    fn explain(&mut self, trouble: Trouble) -> Trouble {
        let Trouble::Gone(text) = trouble else { return trouble };
        // The connection closes a moment before the program has ended.
        match self.running.wait(Duration::from_millis(200)) {
            Some(status) => Trouble::Gone(format!("{text} ({status})")),
            None => Trouble::Gone(text),
        }
    }
}

#[derive(Debug)]
struct Stream {
    socket: TcpStream,
    /// Received, not yet given out.
    buffer: Vec<u8>,
}

impl Stream {
    fn new(socket: TcpStream) -> Result<Stream, Trouble> {
        let prepare = || socket.set_nonblocking(false).and_then(|()| socket.set_nodelay(true));
        prepare().map_err(|e| Trouble::Gone(format!("its connection failed: {e}")))?;
        Ok(Stream { socket, buffer: Vec::new() })
    }

    fn send(&mut self, mut bytes: &[u8], until: Instant) -> Result<(), Trouble> {
        let late = || Trouble::Late("it did not read what it was sent".into());
        while !bytes.is_empty() {
            let left = left(until).ok_or_else(late)?;
            let written =
                self.socket.set_write_timeout(Some(left)).and_then(|()| self.socket.write(bytes));
            match written {
                Ok(count) => bytes = &bytes[count..],
                Err(error) if timed_out(&error) => return Err(late()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(Trouble::Gone("it closed its connection".into())),
            }
        }
        Ok(())
    }

    fn line(&mut self, until: Instant) -> Result<Vec<u8>, Trouble> {
        let late = || Trouble::Late("it did not answer in time".into());
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
                return Err(Trouble::Rubbish(reason));
            }
            let left = left(until).ok_or_else(late)?;
            let mut chunk = [0; 4096];
            let read = self
                .socket
                .set_read_timeout(Some(left))
                .and_then(|()| self.socket.read(&mut chunk));
            match read {
                Ok(0) => return Err(Trouble::Gone("it closed its connection".into())),
                Ok(count) => self.buffer.extend_from_slice(&chunk[..count]),
                Err(error) if timed_out(&error) => return Err(late()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(Trouble::Gone("it closed its connection".into())),
            }
        }
    }
}

/// The time left, `None` when it is over. At least a millisecond otherwise: sockets take no less.
fn left(until: Instant) -> Option<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    (!left.is_zero()).then(|| left.max(Duration::from_millis(1)))
}

fn timed_out(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// Bytes as one line of text for a message.
pub(super) fn shorten(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(240)]);
    let escaped: String = text.escape_debug().collect();
    let mut short: String = escaped.chars().take(80).collect();
    if short.len() < escaped.len() || bytes.len() > 240 {
        short.push('…');
    }
    short
}
