//! Studies of a game: games of the program against itself under stated conditions, and figures computed from their
//! records alone.
//!
//! [`folder`] keeps the records, [`plan`] says what is missing, [`player`] plays it, [`figures`] computes, and
//! [`report`] shows. The figures of a folder depend on its records only.
#![deny(clippy::indexing_slicing)]

pub mod course;
pub mod estimate;
pub mod figures;
pub mod folder;
pub mod plan;
pub mod player;
pub mod report;
mod run;
mod summary;
mod terms;

pub use run::{Run, RunEnd, RunProgress, results};
