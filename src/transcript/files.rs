//! Finds and reads transcripts.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::run::Failure;
use super::{Transcript, regress};
use crate::files;

/// The end of a transcript's name.
pub const EXTENSION: &str = "transcript";

/// The end of the name of a file of gogui-regress.
pub(super) const REGRESSION: &str = "tst";

/// Maximum depth of folders in folders.
const MAX_DEPTH: usize = 64;

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Returns the files that paths name: files, and in folders all transcripts and files of gogui-regress, sorted.
///
/// # Errors
/// If a path can't be read, or a folder has no transcript.
pub fn collect(paths: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in paths {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let mut found = Vec::new();
        search(path, 0, &mut found)?;
        if found.is_empty() {
            let why = format!("{}: no file in it ends in .{EXTENSION} or .{REGRESSION}", path.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, why));
        }
        found.sort();
        all.extend(found);
    }
    Ok(all)
}

fn search(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", folder.display()));
    for entry in fs::read_dir(folder).map_err(named)? {
        let path = entry.map_err(named)?.path();
        if path.is_dir() {
            if depth < MAX_DEPTH {
                search(&path, depth + 1, found)?;
            }
        } else if has_extension(&path, EXTENSION) || has_extension(&path, REGRESSION) {
            found.push(path);
        }
    }
    Ok(())
}

/// Reads a transcript, or a file of gogui-regress.
///
/// # Errors
/// If it can't be read, or is neither.
pub fn read(path: &Path) -> Result<Transcript, Failure> {
    let text = files::read_text(path).map_err(|error| Failure::unusable(0, format!("can't be read: {error}")))?;
    let transcript = if has_extension(path, REGRESSION) { regress::parse(&text) } else { Transcript::new(&text) };
    transcript.map_err(|error| Failure::unusable(error.line, error.why))
}

/// Returns true if a path is that of a file of gogui-regress.
pub fn is_regression(path: &Path) -> bool {
    has_extension(path, REGRESSION)
}
