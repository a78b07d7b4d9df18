//! See `protocol::acpc::fuzzing::dealer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| protocol::acpc::fuzzing::dealer(data));
