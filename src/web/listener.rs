//! The web listener, with limits on the number and idle time of connections, so that clients that
//! send nothing cannot keep others out. A client that does not send a complete request header in
//! time is closed. When all slots are taken, the connection that has waited longest for a request
//! is closed for a new one.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
use tokio::net::TcpListener;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::Limits;
use super::hosts::Hosts;
use super::idle::{Flags, Moving};

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
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
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
