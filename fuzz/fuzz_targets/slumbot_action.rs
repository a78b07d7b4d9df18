//! See `protocol::slumbot::fuzzing::action`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| protocol::slumbot::fuzzing::action(data));
