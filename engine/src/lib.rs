//! Rules, notation and search for five abstract board games: Invector, Gravel, Markane, Inversion and Invictus.
//!
//! A [`rules::Board`] is one position of one game, with the history that led to it. [`games::open`] opens one, and
//! [`search::new_search`] searches it. The package `pentalith` uses all modules under the same names; its front page
//! has an example and the map of the layers.
//!
//! This is a package of its own because the compiler optimizes it more than the rest, in tests, too.

pub mod board;
pub mod files;
pub mod games;
pub mod intervals;
pub mod lab;
pub mod nnue;
pub mod notation;
pub mod rules;
pub mod search;
pub mod text;
pub mod threads;
