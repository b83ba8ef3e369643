//! The board in the browser: a server for pages on the same computer.
//!
//! A page sends actions, such as a click on a cell, and gets the state of its game: the picture of the board, the cells
//! that may be clicked, the moves, the clocks, the analysis. It knows no rules and draws no pieces. Each page has a
//! [`crate::table::Table`] on its own thread, which outlives reloads and sleeping computers.
//!
//! No other client gets in: `auth` checks the secret in the address, the name of the server, and the origin of the page
//! that requests; `http` bounds sizes and times; `server` bounds requests, pages and boards.

mod actions;
mod auth;
mod catalogue;
mod game;
mod game_thread;
mod http;
mod link;
mod places;
mod review;
mod server;
mod setup;
mod state;

pub use game::Configure;
pub use server::Server;
pub use setup::{Setup, SetupRequest, set_up};
