//! See `cardroom_fuzz::pokerbots::player`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cardroom_fuzz::pokerbots::player(data));
