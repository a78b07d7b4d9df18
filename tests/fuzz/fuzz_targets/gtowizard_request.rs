//! See `cardroom_fuzz::gtowizard::request`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cardroom_fuzz::gtowizard::request(data));
