//! Floor 1: counting sequences of steps, the usual check of a move generator.

use std::ops::ControlFlow;
use std::time::Duration;

use crate::game::{Game, NoKeys, Steps};

/// Counts the sequences of exactly `depth` legal steps from a position. Every step is played, those of the
/// last ply too.
///
/// `stop` is asked from time to time; once it says true, the count is abandoned and `None` comes back.
pub fn perft<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    stop: &impl Fn() -> bool,
) -> Option<u64> {
    if depth == 0 {
        return Some(1);
    }
    if depth > 2 && stop() {
        return None;
    }
    let mut total = 0;
    let abandoned = game.steps(position).visit(|step| {
        let mut next = *position;
        game.play(&mut next, step, &mut NoKeys);
        // A leaf is played, too: what is counted is the position it leads to.
        match perft(game, std::hint::black_box(&next), depth - 1, stop) {
            Some(count) => {
                total += count;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        }
    });
    abandoned.is_continue().then_some(total)
}

/// [`perft`] for each first step, in cell order.
pub fn divide<G: Game>(game: &G, position: &G::Position, depth: u32) -> Vec<(G::Step, u64)> {
    let mut counts = Vec::new();
    game.steps(position).for_each(|step| {
        let mut next = *position;
        game.play(&mut next, step, &mut NoKeys);
        let count = perft(game, &next, depth.saturating_sub(1), &|| false);
        counts.push((step, count.unwrap_or_default()));
    });
    counts
}

/// How many a second that makes, rounded down.
pub fn a_second(count: u64, time: Duration) -> u64 {
    (count as f64 / time.as_secs_f64().max(1e-9)) as u64
}
