//! See `cardroom_fuzz::gtowizard::answer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cardroom_fuzz::gtowizard::answer(data));
