//! The program `pentalith`: passes the standard streams to the library.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use pentalith::cli;

/// The commit that the program is built from. It is here and not in the library, which thus need not be compiled again
/// after each commit.
const COMMIT: Option<[u8; 12]> = cli::last_commit(include_bytes!(env!("PENTALITH_COMMITS")));

fn main() -> ExitCode {
    cli::survive_file_size_limit();
    let words: Vec<OsString> = std::env::args_os().collect();
    let commit = COMMIT.as_ref().and_then(|hash| std::str::from_utf8(hash).ok());
    match cli::parse(&words, commit.unwrap_or("unknown"), &mut io::stderr()) {
        // Standard output needs no lock: only one thread writes to it.
        Ok(cli) => cli::run(cli, io::stdin(), io::stdout(), io::stderr),
        Err(status) => status,
    }
}
