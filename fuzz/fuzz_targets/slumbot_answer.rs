//! See `protocol::slumbot::fuzzing::answer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| protocol::slumbot::fuzzing::answer(data));
