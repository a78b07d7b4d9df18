//! See `protocol::acpc::fuzzing::reply`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| protocol::acpc::fuzzing::reply(data));
