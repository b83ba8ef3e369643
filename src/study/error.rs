//! Why games for a purpose can't be played, stored or reported.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::record::ReadError;
use crate::rules::Variant;

/// The reason why games can't be played, stored or reported.
#[derive(Error, Debug)]
pub enum StudyError {
    /// The variant belongs to no game of the catalogue.
    #[error("{0} can't be opened")]
    NotOpened(Variant),
    /// The question does not fit the variant.
    #[error("{0}")]
    Unfit(String),
    /// The games were stopped. Those that had ended are stored.
    #[error("interrupted")]
    Interrupted,
    /// A game could not be played.
    #[error("internal error: a game could not be played; run the command again to resume")]
    Failed,
    /// No thread can be started.
    #[error("no thread to play on: {0}")]
    Thread(#[from] io::Error),
    /// The folder can't be read or created.
    #[error("{}: {}", .0.display(), .1)]
    Folder(PathBuf, io::Error),
    /// The folder holds other files.
    #[error(
        "{} holds {} and no study: expected a new folder, an empty one, or that of a study", .0.display(), .1.display()
    )]
    Foreign(PathBuf, PathBuf),
    /// The folder has no games.
    #[error("{} has no games of a study: play some first, without --from-records", .0.display())]
    Empty(PathBuf),
    /// A file of games can't be read or written.
    #[error(transparent)]
    Record(#[from] ReadError),
    /// A result can't be written.
    #[error("{}: {}", .0.display(), .1)]
    NotWritten(PathBuf, io::Error),
    /// A file holds a game that does not belong there.
    #[error("{}: game {game} {why}", path.display())]
    Game {
        /// File.
        path: PathBuf,
        /// Number of the game in the file.
        game: u64,
        /// Reason, which completes the sentence.
        why: String,
    },
    /// A file has games for another purpose.
    #[error("{}: its games are not all {purpose}: take another file or folder, or the same settings", path.display())]
    OtherPurpose {
        /// File.
        path: PathBuf,
        /// Purpose that was asked for, which completes the sentence.
        purpose: String,
    },
    /// Games are missing, and none may be played.
    #[error("{}: {missing}: play them with the same command without --from-records", path.display())]
    Missing {
        /// File or folder.
        path: PathBuf,
        /// The missing games, which complete the sentence.
        missing: String,
    },
}

impl StudyError {
    /// Returns the error of a game in a file; `why` completes the sentence.
    pub(super) fn game(path: &Path, game: u64, why: impl Into<String>) -> Self {
        Self::Game { path: path.to_owned(), game, why: why.into() }
    }
}
