//! Abstract games, in which hands are known by their buckets: blueprints, and best responses to
//! them.
//!
//! - [`blueprint`]: training of a strategy for a whole abstract game, its values, and responders
//!   that learn to exploit it.
//! - [`counting`]: how often hands of two buckets or classes meet and win, over all deals.
//! - [`best_response`]: exact best responses within an abstract game.

pub mod best_response;
pub mod blueprint;
pub mod counting;

/// A number of bytes in readable form.
pub(crate) fn readable_bytes(count: u64) -> String {
    match count {
        0..1_000_000 => format!("{count} bytes"),
        1_000_000..1_000_000_000 => format!("{:.0} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}
