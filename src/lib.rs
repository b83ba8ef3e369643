//! pentalith: rules, notation, search and protocols for five new abstract board games.
//!
//! The rooms stand on floors, and a room uses only those below it: `board`, `files`; `nnue`; `rules`, `notation`;
//! `games`; `search`; `session`; `protocol`, `arena`, `lab`; `cli`. See `protocol/architecture.md`.

pub mod arena;
pub mod board;
pub mod cli;
pub mod files;
pub mod games;
pub mod lab;
pub mod nnue;
pub mod notation;
pub mod protocol;
pub mod rules;
pub mod search;
pub mod session;
