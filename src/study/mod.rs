//! Studies of a game: games of the program against itself under stated conditions, and figures computed from their
//! records alone.
//!
//! [`store`] has the games of every command and plays those that are missing, on the threads of a [`pool`]; each game
//! is a task of [`player`] or of [`ladder`]. What is played is a plan: [`plan`] of a study, whose files are a
//! [`folder`]; of the questions of [`balance`]; of a [`ladder`]. All figures depend on the records only: [`figures`] of
//! a study, which [`report`] shows, and the answers of [`balance`].
#![deny(clippy::indexing_slicing)]

pub mod balance;
mod choice;
pub mod error;
mod fairness;
pub mod figures;
pub mod folder;
pub mod game_figures;
pub mod ladder;
pub mod mirroring;
pub mod plan;
pub mod player;
pub mod pool;
pub mod reflection;
pub mod report;
mod run;
pub mod score;
pub mod store;
mod summary;
mod terms;
pub mod wording;

pub use error::StudyError;
pub use run::{Run, RunEnd, RunProgress, Stage, results};
