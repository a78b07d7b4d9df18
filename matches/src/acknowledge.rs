//! Immediate TCP acknowledgements.
//!
//! A system delays an acknowledgement by up to 40 ms, for an answer that can carry it. A program
//! whose socket gathers small writes (Nagle's algorithm, on unless `TCP_NODELAY` is set) sends
//! nothing more until then: one that replies to every state, or sends a reply in two pieces, would
//! stall at each. A reader of bytes that it will not answer therefore calls [`acknowledge`].
//! Players that reply only when it is their turn are always answered, and need no call.

use std::os::fd::AsFd;

/// Makes the system acknowledge everything received so far, where it can be told to (Linux).
pub fn acknowledge(socket: impl AsFd) {
    // It only saves time: without it the acknowledgement comes later.
    #[cfg(target_os = "linux")]
    let _ = rustix::net::sockopt::set_tcp_quickack(socket, true);
    #[cfg(not(target_os = "linux"))]
    let _ = socket;
}
