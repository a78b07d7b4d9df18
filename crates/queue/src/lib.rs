//! A work queue on a NATS server with JetStream: runs cut into parts, leases and results.
//!
//! A [`Run`] is a command that can be cut into parts, with the files it needs. Parts wait in a
//! work-queue stream, one message each; a [`Worker`] leases one, renews the lease while it works,
//! puts the result into the object store, records it, and only then acknowledges the message. When
//! a lease expires, the part goes to another worker. Of two results of a part the one recorded
//! first counts. A part that has failed [`MAX_DELIVERIES`] times becomes a dead letter. Commands
//! and the merging of results are up to the caller.
//!
//! On the server: the stream `CARDROOM_PARTS` (subjects `cardroom.part.VERSION.RUN`), the stream
//! `CARDROOM_RECORDS` (`cardroom.run.RUN`, `cardroom.done.RUN.PART`, `cardroom.dead.RUN.PART`), the
//! stream `CARDROOM_WORKERS` (`cardroom.worker.NAME`, kept for half a minute), and the object
//! stores `cardroom_files` (by SHA-256) and `cardroom_results`. How JetStream works:
//! <https://docs.nats.io/nats-concepts/jetstream>.

mod archive;
mod error;
mod queue;
mod run;
mod server;
mod worker;

pub use archive::{pack, unpack};
pub use error::QueueError;
pub use queue::{Enqueued, Queue};
pub use run::{Dead, Done, Run, RunFile, Status, WorkerState};
pub use server::Server;
pub use worker::{LeasedPart, Outcome, Product, Worker};

use std::time::Duration;

/// Maximum number of deliveries of a part before it becomes a dead letter.
pub const MAX_DELIVERIES: i64 = 5;

/// Default duration of a lease, which a worker must renew in time.
pub const LEASE: Duration = Duration::from_secs(30);
