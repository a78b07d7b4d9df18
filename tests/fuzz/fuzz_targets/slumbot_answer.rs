//! See `cardroom_fuzz::slumbot::answer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cardroom_fuzz::slumbot::answer(data));
