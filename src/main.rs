//! The program `pentalith`: passes the standard streams to the library.

use std::io;
use std::process::ExitCode;

use pentalith::cli;

fn main() -> ExitCode {
    match cli::parse(std::env::args_os(), &mut io::stderr()) {
        // Standard output needs no lock: only one thread writes to it.
        Ok(cli) => cli::run(cli, io::stdin(), io::stdout(), io::stderr),
        Err(status) => status,
    }
}
