//! Values of positions as a search compares them, from the view of the side to move.

use super::{Game, Position};

/// The value of a game that is won where it stands. A win that takes moves is worth one less for each.
pub const WIN: i32 = 1_000_000;

/// Beyond it, to either side, a value is a proof; evaluations stay below.
pub const PROVEN_WIN: i32 = WIN - 100_000;

/// Whether a value is a proof.
#[inline(always)]
pub fn is_proven(value: i32) -> bool {
    value.abs() > PROVEN_WIN
}

/// Adjusts a value for the distance to the end: the value behind a step becomes the value before it, both from the view of
/// who takes the step. A proven end is one move farther away, unless it comes within the move that goes on.
#[inline(always)]
pub fn adjust_for_distance(value: i32, passes: bool) -> i32 {
    match value {
        WIN => WIN - 1,
        value if value == -WIN => 1 - WIN,
        _ if !passes || !is_proven(value) => value,
        value => value - value.signum(),
    }
}

/// Bounds an evaluation, so that it never looks like a proof.
#[inline(always)]
pub fn clamp_evaluation(value: i32) -> i32 {
    value.clamp(-PROVEN_WIN + 1, PROVEN_WIN - 1)
}

/// The value of a finished game.
#[inline(always)]
pub fn terminal_value<G: Game>(game: &G, position: &G::Position) -> i32 {
    match game.outcome(position).and_then(|outcome| outcome.winner) {
        Some(winner) if winner == position.side() => WIN,
        Some(_) => -WIN,
        None => 0,
    }
}
