//! Everything that is tested from outside the library, in one binary.

#[cfg(test)]
mod analysis;
#[cfg(test)]
mod analyze;
#[cfg(test)]
mod analyze_picture;
#[cfg(test)]
mod analyze_stdin;
#[cfg(test)]
mod arguments;
#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod balance;
#[cfg(test)]
mod board;
#[cfg(test)]
mod board_server;
#[cfg(test)]
mod check;
#[cfg(test)]
mod check_rules;
#[cfg(test)]
mod circles;
#[cfg(test)]
mod cli;
#[cfg(test)]
mod clicks;
#[cfg(test)]
mod clients;
#[cfg(test)]
mod corpus;
#[cfg(test)]
mod coverage;
#[cfg(test)]
mod deadlock;
#[cfg(test)]
mod diagram;
#[cfg(test)]
mod documents;
#[cfg(test)]
mod endings;
#[cfg(test)]
mod engine_options;
#[cfg(test)]
mod enumeration;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod files;
#[cfg(test)]
mod floors;
#[cfg(test)]
mod foreign_records;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod ladder;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod matches;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod perfect;
#[cfg(test)]
mod perft;
#[cfg(test)]
mod pipeline;
#[cfg(test)]
mod play;
#[cfg(test)]
mod pressure;
#[cfg(test)]
mod puzzles;
#[cfg(test)]
mod rate;
#[cfg(test)]
mod records;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod replay_page;
#[cfg(test)]
mod review;
#[cfg(test)]
mod schemas;
#[cfg(test)]
mod search;
#[cfg(test)]
mod shells;
#[cfg(test)]
mod shortage;
#[cfg(test)]
mod signals;
#[cfg(test)]
mod sixth_game;
#[cfg(test)]
mod solve;
#[cfg(test)]
mod study;
#[cfg(test)]
mod talk;
#[cfg(test)]
mod transcript_command;
#[cfg(test)]
mod transcripts;
#[cfg(test)]
mod tune;
#[cfg(test)]
mod ugi;
#[cfg(test)]
mod units;
#[cfg(test)]
mod unread;
#[cfg(test)]
mod verify;

#[cfg(test)]
use corpus::readers::verifier;
