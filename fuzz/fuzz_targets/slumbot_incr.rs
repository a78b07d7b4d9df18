//! See `protocol::slumbot::fuzzing::incr`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| protocol::slumbot::fuzzing::incr(data));
