//! pentalith: rules, notation, search and protocols for five new abstract board games.
//!
//! The rooms stand on floors, and a room uses only those below it: `board`, `files`, `text`, `threads`; `nnue`; `rules`; `notation`;
//! `games`; `search`; `session`; `protocol`, `client`; `arena`, `check`, `lab`; `cli`. See `protocol/architecture.md`.

pub mod arena;
pub mod board;
pub mod check;
pub mod cli;
pub mod client;
pub mod files;
pub mod games;
pub mod lab;
pub mod nnue;
pub mod notation;
pub mod protocol;
pub mod rules;
pub mod search;
pub mod session;
pub mod text;
pub mod threads;
