//! Studies: games of the program against itself, and what they tell about a game.

pub mod balance;
