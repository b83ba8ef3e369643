//! Why a command fails, and its exit status.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use thiserror::Error;

use crate::arena::tournament::MatchError;
use crate::check::CheckError;
use crate::notation::VariantError;
use crate::record::ReadError;
use crate::rules::{PositionErrors, Variant};
use crate::session::HistoryError;
use crate::study::StudyError;

/// The reason for a failed command.
#[derive(Error, Debug)]
pub(super) enum CliError {
    #[error("bad variant: {0} (pentalith --help lists the commands)")]
    Variant(#[from] VariantError),
    #[error("bad position: {0}")]
    Position(#[from] PositionErrors),
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error("the variant {0} must follow the command, as in pentalith gtp {0}")]
    Misplaced(String),
    #[error("{0} can't be opened")]
    NotOpened(Variant),
    #[error("can't write to {}: {}", .0.display(), .1)]
    NotWritten(PathBuf, io::Error),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{} has no game", .0.display())]
    NoGame(PathBuf),
    #[error("{0} of the checks failed")]
    ChecksFailed(usize),
    #[error(transparent)]
    Check(CheckError),
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Match(#[from] MatchError),
    #[error(transparent)]
    Record(#[from] ReadError),
    #[error(transparent)]
    Study(#[from] StudyError),
}

/// Exit status after an interrupt: 128 + SIGINT, as in a shell.
pub(super) const INTERRUPTED: u8 = 130;

impl CliError {
    /// Prints the reason, and returns the exit status.
    pub(super) fn report(&self, errors: &mut dyn Write) -> ExitCode {
        match self {
            // The reader has closed the output: it has seen enough.
            Self::Io(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            error => {
                // Standard error may be closed.
                let _ = writeln!(errors, "pentalith: {error}");
                error.status()
            }
        }
    }

    /// Makes the error one of the command line: the same text, with the status of those.
    pub(super) fn into_usage(self) -> Self {
        Self::Usage(self.to_string())
    }

    /// Returns the exit status: 2 if nothing could start (bad command line, file or engine), 1 if work started and then
    /// failed.
    pub(super) fn status(&self) -> ExitCode {
        match self {
            Self::Check(CheckError::Interrupted) => ExitCode::from(INTERRUPTED),
            Self::Io(_)
            | Self::NoGame(_)
            | Self::NotWritten(..)
            | Self::ChecksFailed(_)
            | Self::Record(ReadError::NotWritten(..))
            | Self::Study(
                StudyError::Record(ReadError::NotWritten(..))
                | StudyError::NotWritten(..)
                | StudyError::Failed
                | StudyError::Thread(_),
            )
            | Self::Match(MatchError::File(ReadError::NotWritten(..)) | MatchError::Broken | MatchError::Thread(_)) => {
                ExitCode::FAILURE
            }
            _ => ExitCode::from(2),
        }
    }
}

/// Returns the error for an unusable command line.
pub(super) fn usage<T>(why: impl ToString) -> Result<T, CliError> {
    Err(CliError::Usage(why.to_string()))
}

impl From<CheckError> for CliError {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Io(error) => Self::Io(error),
            error => Self::Check(error),
        }
    }
}
