//! See `cardroom_fuzz::acpc::game_file`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cardroom_fuzz::acpc::game_file(data));
