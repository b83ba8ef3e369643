//! The words of a picture: the lines below the board, and the description for screen readers.

use super::layout::Layout;
use super::letters::wrapped;
use super::svg::Svg;
use super::theme::TEXT;
use super::{Annotations, CaptionText, pieces};
use crate::board::Cell;
use crate::rules::{Board, Color, Outcome, Piece};

/// The width of a die that has to be set, with the space before it.
const TO_SET: i32 = 88;

/// The lines of text below a board.
pub(super) struct Caption {
    /// The player whose sign stands before the first lines, and the number of these lines.
    sign: Option<(Color, usize)>,
    lines: Vec<String>,
    /// The piece that has to be set now.
    to_set: Option<Piece>,
}

impl Caption {
    pub(super) fn new(layout: &Layout<'_>, board: &dyn Board, annotations: &Annotations) -> Self {
        let words = annotations.caption == CaptionText::Position;
        let to_set = board.value_to_set().filter(|_| words);
        let to_set = to_set.map(|value| Piece { color: board.side(), value: Some(value) });
        // A die to be set stands beside the last lines.
        let room = layout.width - layout.text - to_set.map_or(0, |_| TO_SET);
        let wrap = |texts: Vec<String>, room: i32| -> Vec<String> {
            texts.iter().flat_map(|text| wrapped(text, layout.text, room)).collect()
        };
        let mut texts: Vec<String> = annotations.numbers_hidden().into_iter().collect();
        texts.extend(annotations.notes.iter().cloned());
        match &annotations.caption {
            CaptionText::Off => Self { sign: None, lines: Vec::new(), to_set },
            CaptionText::Own(text) => {
                let own = text.lines().map(str::to_owned).chain(texts);
                Self { sign: None, lines: wrap(own.collect(), room), to_set }
            }
            CaptionText::Position => {
                let color = match board.outcome() {
                    None => Some(board.side()),
                    Some(outcome) => outcome.winner,
                };
                let indent = color.map_or(0, |_| Self::indent(layout));
                let mut lines = wrap(vec![headline(board)], room - indent);
                let sign = color.map(|color| (color, lines.len()));
                lines.extend(wrap(board.caption().into_iter().chain(texts).collect(), room));
                Self { sign, lines, to_set }
            }
        }
    }

    /// Returns the distance from a sign to the text behind it.
    fn indent(layout: &Layout<'_>) -> i32 {
        layout.text * 6 / 5
    }

    /// Returns the height of a line.
    fn line(layout: &Layout<'_>) -> i32 {
        layout.text * 7 / 5
    }

    /// Returns the height of the whole picture.
    pub(super) fn bottom(&self, layout: &Layout<'_>) -> i32 {
        let lines = i32::try_from(self.lines.len()).unwrap_or(0);
        let height = lines * Self::line(layout);
        match height.max(self.to_set.map_or(0, |_| 90)) {
            0 => layout.foot,
            height => layout.foot + height + layout.text / 2,
        }
    }

    pub(super) fn draw(&self, svg: &mut Svg, layout: &Layout<'_>, board: &dyn Board) {
        let (line, left) = (Self::line(layout), layout.text / 2);
        let first = layout.foot + line / 2;
        if let Some((color, _)) = self.sign {
            let radius = layout.text * 2 / 5;
            pieces::draw_sign(svg, color, (left + radius, first), radius);
        }
        svg.group(&TEXT, |svg| {
            for (number, text) in self.lines.iter().enumerate() {
                let is_signed = self.sign.is_some_and(|(_, lines)| number < lines);
                let shift = if is_signed { Self::indent(layout) } else { 0 };
                let place = (left + shift, first + line * i32::try_from(number).unwrap_or(0));
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
///
/// ```
/// # use pentalith::{games, render};
/// # let variant = games::parse_variant("markane:1x1").unwrap();
/// # let mut board = games::open(&variant).unwrap();
/// assert_eq!(render::headline(&*board), "Black to move, turn 1");
/// let step = board.find_step("a1").unwrap();
/// board.make(step);
/// assert!(render::headline(&*board).starts_with("Black wins: "));
/// ```
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

/// Maximum number of cells of a board whose pieces the description lists.
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
        if cells.is_empty() { format!("{color} has no pieces.") } else { format!("{color}: {}.", cells.join(", ")) }
    };
    let mut sentences = vec![pieces(Color::Black), pieces(Color::White)];
    sentences.extend(board.caption().iter().map(|line| format!("{line}.")));
    if let CaptionText::Own(text) = &annotations.caption {
        sentences.push(text.clone());
    }
    sentences.extend(annotations.notes.iter().map(|note| format!("{note}.")));
    sentences.extend(candidates(board, annotations));
    sentences.extend(labels(board, annotations));
    sentences.push(format!("Position: {}", board.position()));
    sentences.join(" ")
}

/// Lists labels and regions.
fn labels(board: &dyn Board, annotations: &Annotations) -> Vec<String> {
    let label = |cell: &Cell| board.shape().label(*cell);
    let mut sentences = Vec::new();
    if !annotations.labels.is_empty() {
        let labels = annotations.labels.iter().map(|(cell, text)| format!("{text} on {}", label(cell)));
        sentences.push(format!("Labels: {}.", labels.collect::<Vec<_>>().join(", ")));
    }
    for region in &annotations.regions {
        let cells: Vec<String> = region.iter().map(label).collect();
        sentences.push(format!("Region: {}.", cells.join(", ")));
    }
    sentences
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
