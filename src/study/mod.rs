//! Studies of a game: games of the program against itself under stated conditions, and figures computed from their
//! records alone.
//!
//! [`folder`] keeps the records, [`ledger`] adds to them, [`plan`] says what is missing, [`player`] plays it,
//! [`figures`] computes, and [`report`] shows. The figures of a folder depend on its records only. [`balance`] answers
//! questions about fairness, and [`ladder`] measures how many levels of play there are; both play as many games as
//! their answers need.
#![deny(clippy::indexing_slicing)]

pub mod balance;
mod choice;
pub mod course;
pub mod estimate;
mod fairness;
pub mod figures;
pub mod folder;
mod in_order;
pub mod ladder;
pub mod ledger;
pub mod mirroring;
pub mod plan;
pub mod player;
pub mod report;
mod run;
mod summary;
mod terms;

pub use run::{Run, RunEnd, RunProgress, Stage, processors, results};
