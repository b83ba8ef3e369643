//! Rules, notation, search, protocols and matches for five abstract board games: Invector, Gravel, Markane, Inversion
//! and Invictus.
//!
//! A [`rules::Board`] is one position of one game, with the history that led to it. Searches, protocols and matches
//! use only this trait and are independent of the game:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use pentalith::games;
//! use pentalith::rules::Method;
//! use pentalith::search::{self, Limits, SearchRequest, Settings, SystemClock};
//!
//! let variant = games::parse_variant("invector:5x4").unwrap();
//! let board = games::open(&variant).unwrap();
//! println!("{}", board.diagram());
//!
//! let mut search = search::new_search(Settings {
//!     method: Method::Pvs,
//!     threads: 1,
//!     memory: 1 << 20,
//!     seed: 1,
//! });
//! let limits = Limits { nodes: Some(1000), ..Limits::default() };
//! let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
//! let report = search.run(&*board, &SearchRequest::new(limits, &stop, &clock));
//! let best: Vec<String> = report.best_move.iter().map(|&step| board.write_step(step)).collect();
//! assert!(!best.is_empty());
//! ```
//!
//! # Modules
//!
//! Modules are in layers. A module uses only modules of lower layers, but `rules` uses `nnue`, `notation` uses
//! `rules`, and `record` uses `session`. Layers 0 to 3 and [`lab`] are the package `pentalith-engine`, whose modules stand here under
//! the same names. `docs/architecture.md` in the repository follows a `genmove` through them.
//!
//! | layer | modules | contents |
//! |---|---|---|
//! | 0 | [`board`], [`files`], [`text`], [`threads`] | cells, shapes, bitboards, hash keys; files, messages, threads |
//! | 0 | [`intervals`] | estimates with their 95 % intervals |
//! | 1 | [`nnue`], [`rules`], [`notation`] | networks and accumulators; games, variants, [`rules::Board`], perft; text |
//! | 2 | [`games`] | the five games and their catalogue |
//! | 3 | [`search`] | principal variation search, Monte Carlo tree search, limits |
//! | 4 | [`lab`] | self-play, training, benchmarks, the solver |
//! | 4 | [`session`] | one game being played: history, options, clocks, the running search |
//! | 4 | [`record`] | records of games: players, moves, times, scores, results; their files |
//! | 5 | [`table`] | one game between a person and the engine: the tree of moves, players, clocks, searches |
//! | 5 | [`protocol`], [`client`] | GTP, UGI and GoGui as an engine; other engines as a client |
//! | 6 | [`transcript`] | dialogues with engines, run again and compared |
//! | 6 | [`arena`], [`check`] | matches; conformance checks |
//! | 6 | [`render`] | pictures of positions; pages of games and statistics |
//! | 7 | [`study`] | games of the program against itself, and what they say about a game |
//! | 7 | [`web`] | the board in the browser |
//! | 8 | [`cli`] | the command line |

pub mod analysis;
pub mod arena;
pub mod check;
pub mod cli;
pub mod client;
pub mod protocol;
pub mod puzzle;
pub mod record;
pub mod render;
pub mod review;
pub mod session;
pub mod statistics;
pub mod study;
pub mod table;
pub mod transcript;
pub mod web;

pub use pentalith_engine::{board, files, games, intervals, lab, nnue, notation, rules, search, text, threads};
