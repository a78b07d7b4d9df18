//! See `protocol::acpc::fuzzing::player`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| protocol::acpc::fuzzing::player(data));
