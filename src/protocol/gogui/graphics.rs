//! GoGui's graphics commands, one per line, with points in upper case.

use super::mouse::point;
use crate::protocol::counted;
use crate::rules::Color;
use crate::session::{Picture, Progress, Session, Square};

/// Color of points outside the board, which would look like empty points.
const PADDING: &str = "#303030";

/// Color of special cells of the board.
const SET_APART: &str = "#804000";

/// Color of cells that wait for a choice.
const PENDING: &str = "#ff4020";

/// Color of the selected point.
const SELECTED: &str = "#40a0ff";

/// Color of the points of the last move.
const LAST_MOVE: &str = "#ffff40";

/// Returns the square grid that GoGui draws, from the top down, with `None` outside the board.
fn grid(picture: &Picture) -> Vec<Vec<Option<&Square>>> {
    let ranks = picture.ranks.len();
    let columns = picture.ranks.first().map_or(0, Vec::len);
    let size = ranks.max(columns);
    let cell = |x: usize, y: usize| picture.ranks.get(y)?.get(x)?.as_ref();
    let rank = |y| (0..size).map(|x| cell(x, y)).collect();
    (0..size).rev().map(rank).collect()
}

/// Returns the larger of the numbers of columns and ranks.
pub(super) fn size(picture: &Picture) -> usize {
    grid(picture).len()
}

/// Writes the board: `X` Black, `O` White, `.` empty, `?` outside the board.
pub(super) fn board(picture: &Picture) -> String {
    let letter = |square: &Option<&Square>| match square {
        None => "?",
        Some(square) => match square.piece.map(|piece| piece.color) {
            None => ".",
            Some(Color::Black) => "X",
            Some(Color::White) => "O",
        },
    };
    let rank = |squares: &Vec<Option<&Square>>| {
        let letters: Vec<&str> = squares.iter().map(letter).collect();
        letters.join(" ")
    };
    let ranks: Vec<String> = grid(picture).iter().map(rank).collect();
    ranks.join("\n")
}

/// Writes a command with its points; `None` without points.
fn command(name: &str, points: impl IntoIterator<Item = String>) -> Option<String> {
    let points: Vec<String> = points.into_iter().collect();
    (!points.is_empty()).then(|| format!("{name} {}", points.join(" ")))
}

fn squares(picture: &Picture) -> impl Iterator<Item = &Square> {
    picture.ranks.iter().flatten().flatten()
}

/// Returns the commands for numbers, padding, special cells, pending cells and the last move.
fn marks(session: &Session, last_move: &[String]) -> Vec<String> {
    let picture = &session.picture();
    let which = |has: fn(&Square) -> bool| {
        let squares = squares(picture).filter(move |square| has(square));
        squares.map(|square| point(&square.label))
    };
    // GoGui draws no padding on a hexagonal board, and fails on a color there.
    let grid = if picture.is_hexagon {
        Vec::new()
    } else {
        grid(picture)
    };
    let size = grid.len();
    let padding = grid.iter().enumerate().flat_map(|(row, squares)| {
        let outside = squares
            .iter()
            .enumerate()
            .filter(|(_, square)| square.is_none());
        outside.map(move |(x, _)| {
            let letter = crate::board::column_letter(x as u8).to_ascii_uppercase();
            format!("{letter}{}", size - row)
        })
    });
    let numbers = squares(picture).filter_map(|square| {
        let number = square.piece?.value?;
        Some(format!("{} {number}", point(&square.label)))
    });
    let mut labels: Vec<String> = numbers.collect();
    // GoGui's own mark of the last move would hide a number.
    let clear = (!labels.is_empty()).then(|| "CLEAR".to_owned());
    if let Some(number) = picture.value_to_set {
        let places = session.points(None).into_iter();
        labels.extend(places.map(|place| format!("{} {number}", point(&place))));
    }
    let lines = [
        clear,
        command(&format!("COLOR {PADDING}"), padding),
        command(
            &format!("COLOR {SET_APART}"),
            which(|square| square.is_marked),
        ),
        command(
            &format!("COLOR {LAST_MOVE}"),
            last_move.iter().map(|text| point(text)),
        ),
        command(
            &format!("COLOR {PENDING}"),
            which(|square| square.is_pending),
        ),
        command("TRIANGLE", which(|square| square.is_pending)),
        command("LABEL", labels),
    ];
    lines.into_iter().flatten().collect()
}

/// Returns the graphics of the position beyond the colors of its pieces.
pub(super) fn position(session: &Session, selected: Option<&str>, last_move: &[String]) -> String {
    let mut lines = marks(session, last_move);
    if selected.is_some() {
        let next = session.points(selected).into_iter();
        let next = next.filter(|next| next != "pass" && Some(next.as_str()) != selected);
        lines.extend(command("SQUARE", next.map(|next| point(&next))));
    }
    lines.extend(command(&format!("COLOR {SELECTED}"), selected.map(point)));
    lines.extend(command("CIRCLE", selected.map(point)));
    let mut text = match session.outcome() {
        None => vec![format!(
            "{} to move, turn {}",
            session.side(),
            session.turn()
        )],
        Some(_) => vec![result(session)],
    };
    if let Some(selected) = selected {
        text.push(format!("{} is selected", point(selected)));
    }
    text.extend(session.picture().status);
    lines.push(format!("TEXT {}", text.join("; ")));
    lines.join("\n")
}

/// Returns the graphics of a search's evaluation.
///
/// The influence on a square grows with the playouts or nodes of its first step. The best step starts at a circle and
/// ends at a square.
pub(in crate::protocol) fn evaluation(session: &Session, progress: &Progress) -> String {
    let mut lines = marks(session, &[]);
    let sign = if session.side() == Color::Black {
        ""
    } else {
        "-"
    };
    let first_step = |moves: &[Vec<String>]| moves.first().and_then(|steps| steps.first()).cloned();
    let mut influence: Vec<String> = Vec::new();
    let mut shown: Vec<String> = Vec::new();
    let total: u32 = progress
        .variations
        .iter()
        .map(|variation| variation.visits)
        .sum();
    for variation in &progress.variations {
        let clicks = first_step(&variation.moves).map(|step| session.clicks_of(&step));
        let last = clicks
            .unwrap_or_default()
            .pop()
            .filter(|last| last != "pass");
        if let Some(last) = last.filter(|last| !shown.contains(last)) {
            let share = f64::from(variation.visits) / f64::from(total.max(1));
            influence.push(format!("{} {sign}{share:.2}", point(&last)));
            shown.push(last);
        }
    }
    lines.extend(command("INFLUENCE", influence));
    if let Some(best) = progress.variations.first() {
        let clicks = first_step(&best.moves).map(|step| session.clicks_of(&step));
        let mut clicks = clicks
            .unwrap_or_default()
            .into_iter()
            .filter(|click| click != "pass");
        let (first, second) = (clicks.next(), clicks.next());
        match second {
            Some(second) => {
                lines.extend(command("CIRCLE", first.as_deref().map(point)));
                lines.extend(command("SQUARE", [point(&second)]));
            }
            None => lines.extend(command("SQUARE", first.as_deref().map(point))),
        }
        let moves: Vec<String> = best.moves.iter().map(|steps| steps.join(",")).collect();
        lines.push(format!(
            "TEXT {} expects {:.0} %, {}: {}",
            session.side(),
            100.0 * best.expected_score,
            counted(&progress.statistics),
            moves.join(" ")
        ));
    }
    lines.join("\n")
}

/// Writes the result in a sentence.
pub(super) fn result(session: &Session) -> String {
    let Some(outcome) = session.outcome() else {
        return "The game is not over".to_owned();
    };
    let Some(winner) = outcome.winner else {
        return format!("Draw: {}", outcome.reason);
    };
    let margin = session.margin();
    let Some(margin) = margin.filter(|margin| margin.0 != 0) else {
        return format!("{winner} wins: {}", outcome.reason);
    };
    let counts = session.counts();
    let count = |name: &str| {
        let found = counts.iter().find(|(counted, _)| *counted == name);
        found.map_or(0, |(_, number)| number.0)
    };
    // Black receives the komi.
    let (black, white) = (count("b") + count("komi"), count("w"));
    let (more, less) = if winner == Color::Black {
        (black, white)
    } else {
        (white, black)
    };
    let half_points = crate::rules::HalfPoints;
    format!(
        "{winner} wins by {margin}: {} to {}",
        half_points(more),
        half_points(less)
    )
}
