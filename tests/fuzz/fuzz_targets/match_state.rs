//! See `cardroom_fuzz::acpc::match_state`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cardroom_fuzz::acpc::match_state(data));
