//! The queue with a real nats-server on this machine; where there is none, each test says so and
//! ends.

mod archives;
mod credentials;
mod server;
mod work;
