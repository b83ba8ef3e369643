//! The program `pentalith`: hands the real input and outputs to the library.

use std::io;
use std::process::ExitCode;

use clap::Parser;
use pentalith::cli::{self, Cli};

fn main() -> ExitCode {
    // The output is not locked for good: only one thread writes to it.
    cli::run(Cli::parse(), io::stdin(), io::stdout(), io::stderr)
}
