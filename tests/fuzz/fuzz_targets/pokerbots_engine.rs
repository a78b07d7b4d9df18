//! See `cardroom_fuzz::pokerbots::engine`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cardroom_fuzz::pokerbots::engine(data));
