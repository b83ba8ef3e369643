//! `info` lines.

use std::time::Duration;

use crate::rules::perft::{Perft, per_second};
use crate::search::{Proof, SearchStatistics};
use crate::session::{Progress, Score, Variation};

/// Returns one line per variation, or one line without a variation if there is none yet.
pub(super) fn lines(progress: &Progress, single_steps: bool) -> Vec<String> {
    let Progress { variations, statistics } = progress;
    let SearchStatistics { nodes, hashfull, selective_depth, draws, time, .. } = *statistics;
    let milliseconds = time.as_millis();
    let head = |depth: usize| {
        let selective_depth = (selective_depth as usize).max(depth);
        let speed = per_second(nodes, time);
        format!(
            "info depth {depth} seldepth {selective_depth} time {milliseconds} nodes {nodes} nps {speed} hashfull {hashfull}"
        )
    };
    if variations.is_empty() {
        return vec![head(0)];
    }
    let line = |(i, variation): (usize, &Variation)| {
        let bound = progress.upper_bound(variation);
        let shown = bound.unwrap_or(variation);
        format!(
            "{} {} {}{} multipv {} pv {}",
            head(variation.depth()),
            win_draw_loss(shown, draws.unwrap_or_default()),
            score(shown),
            if bound.is_some() { " upperbound" } else { "" },
            i + 1,
            steps(variation, single_steps)
        )
    };
    variations.iter().enumerate().map(line).collect()
}

/// Returns the line of a perft.
pub(super) fn count(depth: u32, count: u64, time: Duration) -> String {
    let (milliseconds, speed) = (time.as_millis(), per_second(count, time));
    let kind = Perft::default().kind();
    format!("info depth {depth} time {milliseconds} nodes {count} nps {speed} string {kind}")
}

fn steps(variation: &Variation, single_steps: bool) -> String {
    let separator = if single_steps { " " } else { "," };
    let moves: Vec<String> = variation.moves.iter().map(|steps| steps.join(separator)).collect();
    moves.join(" ")
}

/// Returns `wdl WIN DRAW LOSS` for the side to move, in thousandths.
///
/// The draw rate is that of all playouts, limited by the expected score.
fn win_draw_loss(variation: &Variation, draws: f64) -> String {
    let expected_score = variation.expected_score;
    let draws = match variation.proof {
        Some(Proof { winner: None, .. }) => 1.0,
        Some(_) => 0.0,
        None => draws.min(2.0 * expected_score).min(2.0 * (1.0 - expected_score)),
    };
    let thousandths = |share: f64| (1000.0 * share).round() as u32;
    let draw = thousandths(draws);
    let win = thousandths(expected_score - draws / 2.0).min(1000 - draw);
    format!("wdl {win} {draw} {}", 1000 - draw - win)
}

/// Returns `score cp N` or `score mate N`.
fn score(variation: &Variation) -> String {
    match variation.score() {
        Score::Mate(moves) => format!("score mate {moves}"),
        Score::Cp(centipawns) => format!("score cp {centipawns}"),
    }
}
