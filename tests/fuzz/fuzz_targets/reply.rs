//! See `cardroom_fuzz::acpc::reply`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cardroom_fuzz::acpc::reply(data));
