//! The program `pentalith-verify`, which checks certificates. It shares no code with `pentalith`.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Writing beyond `ulimit -f` then fails, instead of ending the program without a word.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(libc::SIGXFSZ, std::sync::Arc::default());
    pentalith_verify::run()
}
