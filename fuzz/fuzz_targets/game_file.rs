//! See `protocol::acpc::fuzzing::game_file`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| protocol::acpc::fuzzing::game_file(data));
