//! Explains why a program that exists can't be started: what runs it is missing.

use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::text::quote;

/// Number of bytes in which Linux looks for an interpreter.
const FIRST_LINE: u64 = 256;

/// Maximum number of scripts that interpret each other, as on Linux.
const MAX_SCRIPTS: usize = 5;

/// Explains an error in starting a program, which the system reports as if the program were missing.
pub(super) fn explain(error: io::Error, program: &OsStr) -> io::Error {
    let path = match error.kind() {
        io::ErrorKind::NotFound => find(program),
        _ => None,
    };
    match path.and_then(|path| missing(path, MAX_SCRIPTS)) {
        Some(why) => io::Error::new(error.kind(), why),
        None => error,
    }
}

/// Returns the file of a program.
fn find(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    let is_path = program.as_encoded_bytes().contains(&b'/');
    if is_path {
        Some(path.to_owned())
    } else {
        env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(path)).find(|path| path.is_file())
    }
}

/// Returns what a file lacks to be run.
fn missing(path: PathBuf, scripts: usize) -> Option<String> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(FIRST_LINE).read_to_end(&mut start).ok()?;
    if start.starts_with(b"\x7fELF") {
        return Some("its loader is missing: expected a program that was built for this system".to_owned());
    }
    let line = start.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let interpreter = line.split([' ', '\t']).find(|word| !word.is_empty())?;
    if Path::new(interpreter).exists() {
        return missing(PathBuf::from(interpreter), scripts.checked_sub(1)?);
    }
    let ends = if interpreter.ends_with('\r') {
        "; its lines end with CR LF: expected LF alone"
    } else {
        ": expected a program that exists behind #!"
    };
    Some(format!("its interpreter {} is missing{ends}", quote(interpreter)))
}
