//! Every agent there is: those of the crate `agents`, and those that need processes and sockets.

use agents::Registry;

/// The registry that every command uses.
pub fn registry() -> Registry {
    Registry::standard()
}
