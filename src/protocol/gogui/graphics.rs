//! GoGui's graphics commands, one per line, with points in upper case.

use super::points::Points;
use crate::protocol::counted;
use crate::rules::Color;
use crate::session::{Clicked, LastMove, Picture, Progress, Session, Square, Variation};

/// Color of points outside the board, which would look like empty points.
const PADDING: &str = "#303030";

/// Color of the points of the Pool.
const POOL: &str = "#806850";

/// Color of special cells of the board.
const SET_APART: &str = "#804000";

/// Color of cells that wait for a choice.
const PENDING: &str = "#ff4020";

/// Color of the selected point.
const SELECTED: &str = "#40a0ff";

/// Color of the points of the last move.
const LAST_MOVE: &str = "#ffff40";

/// Color of the best step of a search.
const BEST_STEP: &str = "#40e040";

/// Writes the board from the top down: `X` Black, `O` White, `.` empty, `?` outside the board.
pub(super) fn board(session: &Session) -> String {
    let picture = session.picture();
    let size = Points::of(session).size();
    let letter = |x: usize, y: usize| {
        let square = picture.ranks.get(y).and_then(|rank| rank.get(x)?.as_ref());
        match square.map(|square| square.piece.map(|piece| piece.color)) {
            None => "?",
            Some(None) => ".",
            Some(Some(Color::Black)) => "X",
            Some(Some(Color::White)) => "O",
        }
    };
    let rank = |y| {
        let letters: Vec<&str> = (0..size).map(|x| letter(x, y)).collect();
        letters.join(" ")
    };
    let ranks: Vec<String> = (0..size).rev().map(rank).collect();
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

/// Returns the commands for numbers, padding, the Pool, special cells, pending cells and the last move.
fn marks(session: &Session, last_move: &LastMove) -> Vec<String> {
    let picture = &session.picture();
    let points = Points::of(session);
    let which = |has: &dyn Fn(&Square) -> bool| {
        let squares = squares(picture).filter(|square| has(square));
        let written: Vec<String> = squares.map(|square| points.write(&square.label)).collect();
        written
    };
    // GoGui draws no padding on a hexagonal board, and fails on a color there.
    let padding: Vec<String> = if picture.is_hexagon { Vec::new() } else { points.padding().collect() };
    let numbers = squares(picture).filter_map(|square| {
        let number = square.piece?.value?;
        Some(format!("{} {number}", points.write(&square.label)))
    });
    let mut labels: Vec<String> = numbers.collect();
    if let Some([black, white]) = picture.pools {
        let pools = [format!("W{white}"), format!("B{black}")];
        let pools = points.pool().zip(pools);
        labels.extend(pools.map(|(point, pool)| format!("{point} {pool}")));
    }
    // GoGui's own mark of the last move would hide a number.
    let clear = (!labels.is_empty()).then(|| "CLEAR".to_owned());
    if let Some(number) = picture.value_to_set {
        let places = session.points(None).into_iter();
        labels.extend(places.map(|place| format!("{} {number}", points.write(&place))));
    }
    let named = last_move.steps.iter().flat_map(|step| &step.cells);
    let named: Vec<String> = named.map(|&cell| session.board().shape().label(cell)).collect();
    let moved = if is_swap(last_move) {
        which(&|square| square.piece.is_some())
    } else {
        which(&|square| named.contains(&square.label))
    };
    let lines = [
        clear,
        command(&format!("COLOR {PADDING}"), padding),
        command(&format!("COLOR {POOL}"), points.pool()),
        command(&format!("COLOR {SET_APART}"), which(&|square| square.is_marked)),
        command(&format!("COLOR {LAST_MOVE}"), moved),
        command(&format!("COLOR {PENDING}"), which(&|square| square.is_pending)),
        command("TRIANGLE", which(&|square| square.is_pending)),
        command("LABEL", labels),
    ];
    lines.into_iter().flatten().collect()
}

fn is_swap(last_move: &LastMove) -> bool {
    last_move.steps.iter().any(|step| step.text == "swap")
}

/// Returns the graphics of the position beyond the colors of its pieces.
pub(super) fn position(session: &Session, selected: Option<&str>) -> String {
    let last_move = &LastMove::of(session.board());
    let points = Points::of(session);
    let all = |click: &str| points.write_all(click);
    let mut lines = marks(session, last_move);
    if let Some(selected) = selected {
        let targets = session.targets(selected);
        let targets = targets.iter().flat_map(|target| all(target));
        lines.extend(command("SQUARE", targets));
        lines.extend(command(&format!("COLOR {SELECTED}"), all(selected)));
        lines.extend(command("CIRCLE", all(selected)));
    }
    let mut text = Vec::new();
    if is_swap(last_move) {
        let player = !session.side();
        text.push(format!("{player} swapped: every piece changed its color"));
    }
    match session.outcome() {
        Some(_) => text.push(result(session)),
        None => {
            let (side, turn) = (session.side(), session.turn());
            text.push(format!("{side} to move, turn {turn}"));
            // The other steps that a pass enters need no word: a forced pass, and the end of a turn.
            if session.click(None, "pass") == Ok(Clicked::Completes("swap".to_owned())) {
                text.push("Pass swaps the colors".to_owned());
            }
        }
    }
    match selected {
        Some("pool") => text.push("the Pool is selected".to_owned()),
        Some(selected) => text.push(format!("{} is selected", points.write(selected))),
        None => {}
    }
    text.extend(session.picture().status);
    lines.push(format!("TEXT {}", text.join("; ")));
    lines.join("\n")
}

/// Influence of the best step: a full square.
const BEST: f64 = 1.0;

/// Influence of another step with the same expected score.
const EQUAL: f64 = 0.7;

/// Loss of influence for each unit of expected score that a step is worse.
const LOSS: f64 = 4.0;

/// Smallest influence drawn.
const LEAST: f64 = 0.1;

/// Returns the graphics of a search's evaluation.
///
/// The best step has the largest square and its own color. The influence on other squares shrinks with the
/// expected score that their step gives up. The best step starts at a circle and ends at a square.
pub(super) fn evaluation(session: &Session, progress: &Progress) -> String {
    let points = Points::of(session);
    let mut lines = marks(session, &LastMove::default());
    let Some(best) = progress.variations.first() else {
        return lines.join("\n");
    };
    let sign = match session.side() {
        Color::Black => "",
        Color::White => "-",
    };
    let clicks = |variation: &Variation| {
        let step = variation.moves.first().and_then(|steps| steps.first());
        let mut clicks = step.map_or(Vec::new(), |step| session.clicks_of(step));
        clicks.retain(|click| click != "pass");
        clicks
    };
    let mut influence: Vec<String> = Vec::new();
    let mut shown: Vec<String> = Vec::new();
    for (i, variation) in progress.variations.iter().enumerate() {
        let last = clicks(variation).pop();
        let Some(last) = last.filter(|last| !shown.contains(last)) else {
            continue;
        };
        let loss = best.expected_score - variation.expected_score;
        let size = match i {
            0 => BEST,
            _ => (EQUAL - LOSS * loss).clamp(LEAST, EQUAL),
        };
        influence.push(format!("{} {sign}{size:.2}", points.write(&last)));
        shown.push(last);
    }
    let clicks = clicks(best);
    let color = clicks.iter().map(|click| points.write(click));
    lines.extend(command(&format!("COLOR {BEST_STEP}"), color));
    lines.extend(command("INFLUENCE", influence));
    if let [first, rest @ ..] = clicks.as_slice() {
        let name = if rest.is_empty() { "SQUARE" } else { "CIRCLE" };
        lines.extend(command(name, [points.write(first)]));
        lines.extend(command("SQUARE", rest.iter().map(|click| points.write(click))));
    }
    let moves: Vec<String> = best.moves.iter().map(|steps| steps.join(",")).collect();
    lines.push(format!(
        "TEXT {} expects {:.0} %, {}: {}",
        session.side(),
        100.0 * best.expected_score,
        counted(&progress.statistics),
        moves.join(" ")
    ));
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
    let (more, less) = if winner == Color::Black { (black, white) } else { (white, black) };
    let half_points = crate::rules::HalfPoints;
    format!("{winner} wins by {margin}: {} to {}", half_points(more), half_points(less))
}
