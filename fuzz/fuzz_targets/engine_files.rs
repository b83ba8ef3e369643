#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| pentalith_fuzz::engine_files(data));
