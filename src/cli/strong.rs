//! `solve --goal all`: all positions of a game whose positions fall into layers.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Serialize;

use super::solve::{Answer, Found, moves};
use super::{CliError, usage};
use crate::lab::solve::Bounds;
use crate::lab::solve::layers::{self, Counts, Failure, Solved, bytes};
use crate::lab::solve::search::Limits;
use crate::rules::Board;
use crate::text::counted;

/// Numbers of positions, as `--json` prints them.
#[derive(Serialize)]
pub(super) struct Census {
    legal: Row,
    arrangements: Row,
    reachable: Row,
}

#[derive(Serialize)]
struct Row {
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    longest: u32,
}

impl From<&Counts> for Row {
    fn from(counts: &Counts) -> Self {
        let &Counts { wins, draws, losses, longest } = counts;
        Self { positions: counts.total(), wins, draws, losses, longest }
    }
}

/// Refuses what can't be solved, before anything starts.
pub(super) fn check(board: &dyn Board, memory: u32, saves: bool) -> Result<(), CliError> {
    let variant = board.variant();
    if saves {
        return usage(format!(
            "--save does not go with --goal all of {variant}: no part of an enumeration is saved; leave out --save, \
             or ask for --goal value"
        ));
    }
    let needed = match bytes(board) {
        Ok(needed) => needed.div_ceil(1 << 20),
        Err(error) => {
            return usage(format!("can't solve all positions of {variant}: {error}; --goal value solves one position"));
        }
    };
    if needed > u64::from(memory) {
        return usage(format!(
            "all positions of {variant} take {needed} MiB, and --memory allows {memory}: give --memory {needed}, or \
             ask for --goal value"
        ));
    }
    Ok(())
}

/// Solves all positions and enters what was found.
pub(super) fn solve(
    found: &mut Found,
    board: &dyn Board,
    memory: u32,
    threads: usize,
    limits: &Limits<'_>,
    started: Duration,
) {
    let solved = Solved::new(board, u64::from(memory) << 20, threads, limits);
    let time = limits.clock.now() - started;
    found.interrupted = limits.stop.load(Ordering::Relaxed);
    let proven = found.solution.result.value;
    let solution = &mut found.solution;
    solution.variant = board.variant().to_string();
    solution.position = board.position();
    solution.seconds = (time.as_secs_f64() * 1e6).round() / 1e6;
    let solved = match solved {
        Ok(solved) => solved,
        Err(error) => {
            if proven.is_empty() {
                solution.result = Answer::new(Bounds::unknown(board));
            }
            if error != Failure::Stopped {
                found.failure = Some(format!("can't solve all positions: {error}"));
            }
            return;
        }
    };
    let Some((value, length)) = solved.value(board) else {
        found.failure = Some("the position is not among the solved ones".to_owned());
        return;
    };
    if !["", "unknown", value.word()].contains(&proven) {
        found.failure = Some("the proof and the enumeration disagree".to_owned());
        return;
    }
    let census = solved.census();
    let mut end = board.fork();
    solution.line = moves(&mut *end, &solved.variation(board));
    solution.complete = end.is_over();
    solution.result = Answer::new(value.into());
    solution.length = length;
    solution.positions += census.legal.total();
    solution.memory = solved.bytes();
    let layers::Census { legal, arrangements, reachable } = census;
    solution.census =
        Some(Census { legal: legal.into(), arrangements: arrangements.into(), reachable: reachable.into() });
}

/// Describes the numbers of positions in words, a line each.
pub(super) fn describe(census: &Census) -> String {
    let Census { legal, arrangements, reachable } = census;
    let rows = [("solved", legal), ("with alike ones", arrangements), ("reachable", reachable)];
    let line = |(name, row): (&str, &Row)| {
        let draws = match row.draws {
            0 => String::new(),
            draws => format!("{draws} drawn, "),
        };
        let Row { positions, wins, losses, longest, .. } = row;
        format!(
            "{name}: {}; the side to move wins {wins}, {draws}loses {losses}; longest win {}\n",
            counted(*positions, "position"),
            counted(u64::from(*longest), "move")
        )
    };
    rows.map(line).concat()
}
