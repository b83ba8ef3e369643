//! Numbers and strengths as text.

use crate::intervals::Estimate;
use crate::text::grouped;

/// Writes points with two digits.
pub fn points(number: f64) -> String {
    let text = format!("{number:.2}");
    if text == "-0.00" { "0.00".to_owned() } else { text }
}

/// Writes a share as percent, with one digit.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Writes points with one digit.
pub fn tenths(number: f64) -> String {
    let text = format!("{number:.1}");
    if text == "-0.0" { "0.0".to_owned() } else { text }
}

/// Writes an interval with one digit.
pub(super) fn range(low: f64, high: f64) -> String {
    format!("{} to {}", tenths(low), tenths(high))
}

/// Names a strength for a table: `random`, or a number of nodes.
pub fn short_strength(nodes: u64) -> String {
    if nodes == 0 { "random".to_owned() } else { grouped(nodes) }
}

/// Names a strength.
pub fn strength_name(nodes: u64) -> String {
    match nodes {
        0 => "random play".to_owned(),
        1 => "1 node a move".to_owned(),
        nodes => format!("{} nodes per move", grouped(nodes)),
    }
}

/// Names a strength as a condition of a sentence.
pub(super) fn at_strength(nodes: u64) -> String {
    match nodes {
        0 => "in random play".to_owned(),
        1 => "at 1 node".to_owned(),
        nodes => format!("at {} nodes", grouped(nodes)),
    }
}

/// Shortest interval of a komi that says nothing if it is also longer than two spreads, in points.
const VAGUE_KOMI: f64 = 5.0;

/// Longest interval of a komi that says something, in points: from one end to the other, boards have another game.
const LONGEST_KOMI: f64 = 10.0;

/// Length from which an interval of a score says nothing.
const VAGUE_SCORE: f64 = 0.5;

/// Returns true if the interval of a score says something.
pub(super) fn tells_share(score: Estimate) -> bool {
    score.width() < VAGUE_SCORE
}

/// Returns true if the interval of a fair komi says something: within one that does not, the score goes from one sure
/// result to the other.
pub(super) fn tells_komi(komi: Estimate, spread: f64) -> bool {
    komi.width() <= VAGUE_KOMI.max(2.0 * spread).min(LONGEST_KOMI)
}

/// Writes the first letter large.
pub(super) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
