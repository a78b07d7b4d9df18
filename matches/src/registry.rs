//! The registry of all agents: those of the crate `agents`, and those that need processes and
//! sockets.

use agents::Registry;

use crate::external;

/// The registry that every command uses.
pub fn registry() -> Registry {
    let mut registry = Registry::standard();
    registry.add(external::SPEC);
    registry
}
