//! A connection over which nothing has moved for too long is over, whatever it was in the middle
//! of. What comes over it is read along, so that requests whose end is not clear are known as such.

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

/// How long a connection may be silent in both directions. Live pages say something more often.
const IDLE: Duration = Duration::from_secs(60);

/// A connection that fails when it has been silent for too long.
#[derive(Debug)]
pub struct Moving {
    stream: TcpStream,
    idle: Pin<Box<Sleep>>,
    framing: Framing,
    flags: Arc<Flags>,
}

/// What is known of a connection beside its bytes.
#[derive(Debug, Default)]
pub struct Flags {
    /// It is reset when it is dropped, rather than closed.
    pub reset: AtomicBool,
    /// A request that has come over it can be read in more than one way.
    pub ambiguous: AtomicBool,
}

impl Moving {
    /// Counts from now on.
    pub fn new(stream: TcpStream) -> Moving {
        let idle = Box::pin(tokio::time::sleep(IDLE));
        Moving { stream, idle, framing: Framing::default(), flags: Arc::default() }
    }

    /// What is known of the connection.
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
            // Where that cannot be done it is closed in the usual way.
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
