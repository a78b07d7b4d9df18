//! Connections with an idle timeout: one on which no byte moves for too long fails, whatever its
//! state. Incoming bytes are also parsed to detect ambiguous requests.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

use super::framing::Framing;

/// The idle timeout, in both directions together. Live pages send something more often.
const IDLE: Duration = Duration::from_secs(60);

/// A connection with an idle timeout.
#[derive(Debug)]
pub struct Moving {
    stream: TcpStream,
    idle: Pin<Box<Sleep>>,
    framing: Framing,
    flags: Arc<Flags>,
}

/// Flags shared between a connection and its requests.
#[derive(Debug, Default)]
pub struct Flags {
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
