//! Exact values of positions, with proofs.
#![expect(missing_docs, reason = "wip")]

pub mod code;
pub mod search;
pub mod table;
