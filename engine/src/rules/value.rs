//! Values of positions in a search, for the side to move.

use super::{Game, Position};

/// The value of a won terminal position. Each move until the end lowers the value of a win by 1.
pub const WIN: i32 = 1_000_000;

/// Bound of evaluations: values above it are proven wins, values below its negative proven losses.
pub const PROVEN_WIN: i32 = WIN - 100_000;

/// Returns true for the value of a proven win or loss.
#[inline(always)]
pub fn is_proven(value: i32) -> bool {
    value.abs() > PROVEN_WIN
}

/// Applies the mate-distance adjustment: converts the value after a step into the value before it.
///
/// Both values are for the side that takes the step. `side_changes` says whether the step ends that side's move: then a
/// proven end is one move farther away. A terminal position is always one move away.
#[inline(always)]
pub fn adjust_for_distance(value: i32, side_changes: bool) -> i32 {
    match value {
        WIN => WIN - 1,
        value if value == -WIN => 1 - WIN,
        _ if !side_changes || !is_proven(value) => value,
        value => value - value.signum(),
    }
}

/// Clamps an evaluation to the range below proven values.
#[inline(always)]
pub fn clamp_evaluation(value: i32) -> i32 {
    value.clamp(-PROVEN_WIN + 1, PROVEN_WIN - 1)
}

/// Returns the value of a terminal position for the side to move.
#[inline(always)]
pub fn terminal_value<G: Game>(game: &G, position: &G::Position) -> i32 {
    match game.outcome(position).and_then(|outcome| outcome.winner) {
        Some(winner) if winner == position.side() => WIN,
        Some(_) => -WIN,
        None => 0,
    }
}
