//! The words of a picture: the lines below the board, and the description for screen readers.

use super::layout::Layout;
use super::svg::Svg;
use super::theme::TEXT;
use super::{Annotations, pieces};
use crate::board::Cell;
use crate::rules::{Board, Color, Outcome, Piece};

/// The lines of text below a board.
pub(super) struct Caption {
    /// The player whose sign stands before the first line.
    sign: Option<Color>,
    lines: Vec<String>,
    /// The piece that has to be set now.
    to_set: Option<Piece>,
}

impl Caption {
    pub(super) fn new(layout: &Layout<'_>, board: &dyn Board, annotations: &Annotations) -> Self {
        let to_set = board.value_to_set().map(|value| Piece { color: board.side(), value: Some(value) });
        // A character is about half the font size wide.
        let columns = (layout.width - layout.text) * 2 / layout.text;
        let columns = usize::try_from(columns).unwrap_or(0).max(12);
        let mut lines = vec![headline(board)];
        let mut texts = board.caption();
        texts.extend(annotations.numbers_hidden());
        texts.extend(annotations.notes.iter().cloned());
        lines.extend(texts.iter().flat_map(|text| wrapped(text, columns)));
        Self {
            sign: match board.outcome() {
                None => Some(board.side()),
                Some(outcome) => outcome.winner,
            },
            lines,
            to_set,
        }
    }

    /// Returns the height of a line.
    fn line(layout: &Layout<'_>) -> i32 {
        layout.text * 7 / 5
    }

    /// Returns the height of the whole picture.
    pub(super) fn bottom(&self, layout: &Layout<'_>) -> i32 {
        let lines = i32::try_from(self.lines.len()).unwrap_or(0);
        let height = lines * Self::line(layout);
        let height = height.max(self.to_set.map_or(0, |_| 90));
        layout.foot + height + layout.text / 2
    }

    pub(super) fn draw(&self, svg: &mut Svg, layout: &Layout<'_>, board: &dyn Board) {
        let (line, left) = (Self::line(layout), layout.text / 2);
        let first = layout.foot + line / 2;
        if let Some(color) = self.sign {
            let radius = layout.text * 2 / 5;
            pieces::draw_sign(svg, color, (left + radius, first), radius);
        }
        svg.group(&TEXT, |svg| {
            for (number, text) in (0..).zip(&self.lines) {
                let is_signed = number == 0 && self.sign.is_some();
                let shift = if is_signed { layout.text * 6 / 5 } else { 0 };
                let place = (left + shift, first + number * line);
                svg.text(place, layout.text, text);
            }
        });
        if let Some(piece) = self.to_set {
            // Beside the last line, which says that it has to be set.
            let bottom = self.bottom(layout) - left;
            let place = (layout.width - left - 38, bottom - 42);
            pieces::draw(svg, pieces::Kind::of(board), &[(place, piece)]);
        }
    }
}

/// Says whose turn it is, or how the game ended.
pub fn headline(board: &dyn Board) -> String {
    let Some(Outcome { winner, reason }) = board.outcome() else {
        return format!("{} to move, turn {}", board.side(), board.turn());
    };
    let margin = board.margin().filter(|margin| margin.0 != 0);
    match (winner, margin) {
        (None, _) => format!("Draw: {reason}"),
        (Some(winner), None) => format!("{winner} wins: {reason}"),
        (Some(winner), Some(margin)) => format!("{winner} wins by {margin}: {reason}"),
    }
}

/// Most cells of a board whose pieces the description lists. Nobody listens to more.
const MAX_LISTED: usize = 256;

/// Describes a position for those who can't see it.
pub(super) fn description(board: &dyn Board, annotations: &Annotations) -> String {
    let shape = board.shape();
    let pieces = |color: Color| {
        if shape.len() > MAX_LISTED {
            let pieces = shape.cells().filter_map(|cell| board.piece(cell));
            let count = pieces.filter(|piece| piece.color == color).count();
            return format!("{color} occupies {count} cells.");
        }
        let cells = shape.cells().filter_map(|cell| {
            let piece = board.piece(cell).filter(|piece| piece.color == color)?;
            let label = shape.label(cell);
            Some(match piece.value {
                None => label,
                Some(value) => format!("{label} ({value})"),
            })
        });
        let cells: Vec<String> = cells.collect();
        match cells.is_empty() {
            true => format!("{color} has no pieces."),
            false => format!("{color}: {}.", cells.join(", ")),
        }
    };
    let mut sentences = vec![pieces(Color::Black), pieces(Color::White)];
    sentences.extend(board.caption().iter().map(|line| format!("{line}.")));
    sentences.extend(annotations.notes.iter().map(|note| format!("{note}.")));
    sentences.extend(candidates(board, annotations));
    sentences.push(format!("Position: {}", board.position()));
    sentences.join(" ")
}

/// Lists the steps that an analysis proposes, if there are any.
fn candidates(board: &dyn Board, annotations: &Annotations) -> Option<String> {
    let label = |cell: Cell| board.shape().label(cell);
    let candidates = annotations.candidates.iter();
    let candidates = candidates.filter(|candidate| !candidate.text.is_empty());
    let candidates = candidates.map(|candidate| {
        let from = candidate.from.map_or_else(String::new, label);
        format!("{from}{} ({})", label(candidate.to), candidate.text)
    });
    let candidates: Vec<String> = candidates.collect();
    (!candidates.is_empty()).then(|| format!("Proposed: {}.", candidates.join(", ")))
}

/// Breaks a text into lines, behind semicolons where it can.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let length = |text: &str| text.chars().count();
    if length(text) <= columns {
        return vec![text.to_owned()];
    }
    if let Some((first, rest)) = text.split_once("; ") {
        let mut lines = wrapped(&format!("{first};"), columns);
        lines.extend(wrapped(rest, columns));
        return lines;
    }
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if length(line) + 1 + length(word) <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
