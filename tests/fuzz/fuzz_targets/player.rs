//! See `cardroom_fuzz::acpc::player`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cardroom_fuzz::acpc::player(data));
