//! The steps that an analysis proposes: shaded cells, arrows and rings, each with its value.

use super::layout::Layout;
use super::letters::text_width;
use super::marks::{ArrowForm, Label, On, arrow, fitting};
use super::svg::Svg;
use super::theme::{ARROWS, CIRCLES, HEAT};
use super::{Annotations, Candidate, pieces};
use crate::board::Cell;
use crate::rules::Board;

/// The form of the strongest arrow. Its tip stays clear of the value on the target.
const STRONG: ArrowForm = ArrowForm { tail: 10, gap: 34, head: 34, shaft: 10, wide: 28 };

/// Radius of the ring on the target of a step that has no source.
const RING: i32 = 43;

impl Candidate {
    /// The strength of the further steps of the best move.
    pub const FURTHER: u8 = 4;

    /// Returns a step that touches `cells` as a mark; `None` for a step without cells.
    pub fn of(cells: &[Cell], strength: u8, text: String) -> Option<Self> {
        let (first, to) = (*cells.first()?, *cells.last()?);
        Some(Self { from: Some(first).filter(|&from| from != to), to, strength, text })
    }

    /// Returns the strength of a move that loses `loss` of the expected score against the best one, from 0 to 1.
    pub fn strength_of(loss: f64) -> u8 {
        /// From this loss on, all moves are equally weak.
        const LARGE: f64 = 0.2;
        /// Strength of a move that loses nothing.
        const CLOSE: f64 = 6.0;
        let weaker = (loss.max(0.0) / LARGE).min(1.0) * (CLOSE - 1.0);
        (CLOSE - weaker).round() as u8
    }
}

/// Returns the candidates that are drawn, the strongest last. Of several with the same source and target it is the
/// strongest.
fn drawn(annotations: &Annotations) -> Vec<&Candidate> {
    let mut drawn: Vec<&Candidate> = Vec::new();
    for candidate in by_strength(annotations) {
        let is_new = |other: &&Candidate| (other.from, other.to) != (candidate.from, candidate.to);
        if drawn.iter().all(is_new) {
            drawn.push(candidate);
        }
    }
    drawn.reverse();
    drawn
}

/// Returns the strongest candidate of each target, of all or of those with a text.
fn targets(annotations: &Annotations, with_text: bool) -> Vec<&Candidate> {
    let mut targets: Vec<&Candidate> = Vec::new();
    for candidate in by_strength(annotations) {
        if with_text && candidate.text.is_empty() {
            continue;
        }
        if targets.iter().all(|other| other.to != candidate.to) {
            targets.push(candidate);
        }
    }
    targets
}

/// Returns the candidates, the strongest first.
fn by_strength(annotations: &Annotations) -> Vec<&Candidate> {
    let mut candidates: Vec<&Candidate> = annotations.candidates.iter().collect();
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.level()));
    candidates
}

/// Shades the targets, below the pieces.
pub(super) fn draw_shades(svg: &mut Svg, layout: &Layout<'_>, annotations: &Annotations) {
    let targets = targets(annotations, false);
    for equal in targets.chunk_by(|one, next| one.level() == next.level()) {
        let level = equal.first().map_or(1, |candidate| candidate.level());
        let opacity = format!("fill-opacity=\"0.{:02}\"", 5 * level);
        svg.group_with(&HEAT, &opacity, |svg| {
            for candidate in equal {
                svg.polygon(layout.frame(candidate.to));
            }
        });
    }
}

/// Draws an arrow for each step with a source, and a ring for each other one.
pub(super) fn draw_arrows(svg: &mut Svg, layout: &Layout<'_>, board: &dyn Board, annotations: &Annotations) {
    let drawn = drawn(annotations);
    for equal in drawn.chunk_by(|one, next| one.level() == next.level()) {
        let level = equal.first().map_or(1, |candidate| candidate.level());
        let places = equal.iter().map(|candidate| (candidate.from, candidate.to));
        let look = format!("stroke-opacity=\"0.{:02}\" stroke-width=\"{}\"", 39 + 6 * level, 3 + level * 7 / 10);
        svg.group_with(&CIRCLES.without_width(), &look, |svg| {
            for (_, to) in places.clone().filter(|(from, _)| from.is_none()) {
                svg.circle(layout.middle(to), RING);
            }
        });
        let look = format!("opacity=\"0.{:02}\"", 59 + 4 * level);
        svg.group_with(&ARROWS, &look, |svg| {
            for (from, to) in places.filter_map(|(from, to)| Some((from?, to))) {
                let (from, form) = (layout.middle(from), form(board, from, level));
                svg.polygon(arrow(from, layout.middle(to), &form));
            }
        });
    }
}

/// Returns the form of the arrow of a step from a cell.
fn form(board: &dyn Board, from: Cell, level: u8) -> ArrowForm {
    // Pips and digits stay free.
    let (tail, head) = if pieces::has_value(board, from) { (34, 28) } else { (STRONG.tail, STRONG.head) };
    // A weak arrow is thinner, too: opacity alone is hard to compare.
    ArrowForm {
        shaft: STRONG.shaft * i64::from(8 + level) / 18,
        wide: STRONG.wide * i64::from(12 + level) / 22,
        tail,
        head,
        ..STRONG
    }
}

/// Returns the values on the targets.
pub(super) fn labels(layout: &Layout<'_>, board: &dyn Board, annotations: &Annotations) -> Vec<Label> {
    let targets = targets(annotations, true).into_iter();
    let labels = targets.map(|candidate| {
        let (x, y) = layout.middle(candidate.to);
        let text = candidate.text.clone();
        match board.piece(candidate.to) {
            Some(piece) if !pieces::is_blank(board.equipment(), piece) => {
                // Clear of the pips.
                let width = text_width(&text, 28).saturating_add(12);
                Label { place: (x, y + 47), size: fitting(&text, 28, 76), text, on: On::Plate(width.min(92), 30) }
            }
            piece => Label {
                place: (x, y),
                size: fitting(&text, 40, if piece.is_some() { 54 } else { 66 }),
                text,
                on: piece.map_or(On::Board, |piece| On::Piece(piece.color)),
            },
        }
    });
    labels.collect()
}
