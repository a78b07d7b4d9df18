//! See `protocol::acpc::fuzzing::match_state`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| protocol::acpc::fuzzing::match_state(data));
