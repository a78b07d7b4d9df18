//! See `cardroom_fuzz::upi::commands`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cardroom_fuzz::upi::commands(data));
