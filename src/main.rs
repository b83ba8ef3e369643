//! The program `pentalith`: hands the real input and outputs to the library.

use std::io;
use std::process::ExitCode;

use pentalith::cli;

fn main() -> ExitCode {
    match cli::parse(std::env::args_os(), &mut io::stderr()) {
        // The output is not locked for good: only one thread writes to it.
        Ok(cli) => cli::run(cli, io::stdin(), io::stdout(), io::stderr),
        Err(status) => status,
    }
}
