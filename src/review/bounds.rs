//! Bounds of the values of positions, carried along the game in both directions.

use super::Point;
use crate::rules::Color;

/// A win, in half points.
const WIN: i32 = 2;

/// A proven result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proven {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// Upper bound for the moves of both players until the end, where one is known.
    pub moves: Option<u32>,
}

/// Bounds of the value of a position: Black's score with best play, in half points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    low: i32,
    high: i32,
    /// Upper bound for the moves of both players until a proven win.
    moves: Option<u32>,
}

impl Bounds {
    pub(super) const UNKNOWN: Self = Self { low: 0, high: WIN, moves: None };

    /// Returns the bounds of a position whose result is known.
    pub(super) fn exact(winner: Option<Color>, moves: Option<u32>) -> Self {
        let value = match winner {
            Some(Color::Black) => WIN,
            Some(Color::White) => 0,
            None => WIN / 2,
        };
        Self { low: value, high: value, moves }
    }

    /// Returns the bounds of a position by those of a side's score.
    pub(super) fn of(side: Color, [low, high]: [i32; 2]) -> Self {
        match side {
            Color::Black => Self { low, high, moves: None },
            Color::White => Self { low: WIN - high, high: WIN - low, moves: None },
        }
    }

    /// Returns the bounds of a side's score.
    pub(super) fn of_side(self, side: Color) -> [i32; 2] {
        match side {
            Color::Black => [self.low, self.high],
            Color::White => [WIN - self.high, WIN - self.low],
        }
    }

    /// Returns the result, if it is known.
    pub(super) fn proven(self) -> Option<Proven> {
        let winner = match self.low {
            _ if self.low != self.high => return None,
            0 => Some(Color::White),
            WIN => Some(Color::Black),
            _ => None,
        };
        Some(Proven { winner, moves: self.moves })
    }

    /// Adds other bounds of the same position.
    pub(super) fn narrow(&mut self, other: Self) {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        // Two proofs that contradict each other: the first one stays.
        if low > high {
            return;
        }
        // A number of moves belongs to a result.
        let of = |bounds: Self| bounds.moves.filter(|_| bounds.low == bounds.high);
        let moves = [of(*self), of(other)].into_iter().flatten().min();
        *self = Self { low, high, moves };
    }

    /// Brings an expected score of a side into the bounds.
    pub(super) fn clamp(self, expected: f64, side: Color) -> f64 {
        let [low, high] = self.of_side(side).map(|bound| f64::from(bound) / f64::from(WIN));
        expected.clamp(low, high)
    }
}

/// Carries what is proven along the game, in both directions.
///
/// A position is worth at least as much as each position that a move leads to, for the side that moves. So a move can
/// only lose, and where everything loses, what follows is lost.
pub(super) fn propagate(points: &mut [Point], texts: &[&str]) {
    // What the search of a position proves of the position behind its best step.
    for index in 1..points.len() {
        if let Some(known) = behind_best_step(points, index, texts) {
            narrow(points, index, known);
        }
    }
    for index in (1..points.len()).rev() {
        if let Some((side, _, after)) = pair(points, index) {
            let [low, _] = after.of_side(side);
            let moves = after.moves.map(|moves| moves + 1).filter(|_| low == WIN);
            narrow(points, index - 1, Bounds { moves, ..Bounds::of(side, [low, WIN]) });
        }
    }
    for index in 1..points.len() {
        if let Some((side, before, _)) = pair(points, index) {
            let [_, high] = before.of_side(side);
            let moves = before.moves.map(|moves| moves.saturating_sub(1)).filter(|_| high == 0);
            narrow(points, index, Bounds { moves, ..Bounds::of(side, [0, high]) });
        }
    }
}

/// Returns the side that moves to a position, and the bounds before and behind the move.
fn pair(points: &[Point], index: usize) -> Option<(Color, Bounds, Bounds)> {
    let (before, after) = points.get(index.checked_sub(1)?).zip(points.get(index))?;
    Some((before.side, before.bounds, after.bounds))
}

fn narrow(points: &mut [Point], index: usize, bounds: Bounds) {
    if let Some(point) = points.get_mut(index) {
        point.bounds.narrow(bounds);
    }
}

/// Returns what is proven behind a move that was the best step of a search with a proof. What a move of several steps
/// leads to, the proof of its first step does not say.
fn behind_best_step(points: &[Point], index: usize, texts: &[&str]) -> Option<Bounds> {
    let (before, text) = points.get(index - 1).zip(texts.get(index - 1))?;
    let found = before.evaluations().find(|found| found.best == **text && found.proof.is_some())?;
    let proof = found.proof.filter(|proof| proof.winner == Some(before.side) && !text.contains(','))?;
    Some(Bounds::exact(proof.winner, Some(proof.moves.saturating_sub(1))))
}
