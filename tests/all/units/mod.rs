//! Parts of the library by themselves, room by room.

#[cfg(target_os = "linux")]
mod affinity;
mod board;
mod clicks;
mod clocks;
mod engines;
mod game_page;
mod games;
mod lab;
mod notation;
mod play;
mod protocol;
mod ratings;
mod records;
mod render;
mod rules;
mod search;
mod searcher;
mod session;
mod statistics;
mod statistics_page;
mod table;
mod tournament;
