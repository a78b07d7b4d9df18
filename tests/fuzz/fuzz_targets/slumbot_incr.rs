//! See `cardroom_fuzz::slumbot::incr`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cardroom_fuzz::slumbot::incr(data));
