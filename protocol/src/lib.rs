//! The ACPC dealer protocol and the Slumbot web API as state machines over bytes.
