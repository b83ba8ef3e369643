//! Everything that is tested from outside the library, in one binary.

#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod cli;
#[cfg(test)]
mod documents;
#[cfg(test)]
mod floors;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod perft;
#[cfg(test)]
mod pipeline;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod search;
#[cfg(test)]
mod transcripts;
