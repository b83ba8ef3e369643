//! Files that commands write.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::CliError;
use crate::files::Target;

/// A file that a command writes once its work is done.
pub(super) struct OutputFile {
    path: PathBuf,
    target: Target,
}

impl OutputFile {
    /// Checks that a file can be written, before the work begins. `what` names it in errors, which are those of a bad
    /// command line.
    pub(super) fn open(path: &Path, what: &str) -> Result<Self, CliError> {
        let path = path.to_owned();
        match Target::new(&path, what) {
            Ok(target) => Ok(Self { path, target }),
            Err(error) => Err(CliError::NotWritten(path, error).into_usage()),
        }
    }

    /// Returns the path, as it was given.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the content of the file.
    pub(super) fn write(&self, content: impl AsRef<[u8]>) -> Result<(), CliError> {
        self.write_with(|file| file.write_all(content.as_ref()))
    }

    /// Replaces the content of the file by what `write` writes.
    pub(super) fn write_with(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), CliError> {
        self.target.replace_with(write).map_err(|error| CliError::NotWritten(self.path.clone(), error))
    }
}

/// Writes a file. `what` names it in errors.
pub(super) fn write_file(path: &Path, what: &str, content: impl AsRef<[u8]>) -> Result<(), CliError> {
    let written = Target::new(path, what).and_then(|target| target.replace(content.as_ref()));
    written.map_err(|error| CliError::NotWritten(path.to_owned(), error))
}
