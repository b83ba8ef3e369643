//! The program `pentalith-verify`, which checks certificates. It shares no code with `pentalith`.

use std::process::ExitCode;

fn main() -> ExitCode {
    pentalith_verify::run()
}
