//! See `protocol::slumbot::fuzzing::request`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| protocol::slumbot::fuzzing::request(data));
