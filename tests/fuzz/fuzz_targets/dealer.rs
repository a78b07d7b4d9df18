//! See `cardroom_fuzz::acpc::dealer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cardroom_fuzz::acpc::dealer(data));
