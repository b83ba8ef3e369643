//! The state of a game as a page gets it.

use std::time::Duration;

use serde::Serialize;

use super::game::Game;
use super::history::MoveState;
use super::link;
use super::wishes::Player;
use crate::board::Cell;
use crate::record::EarlyEnd;
use crate::render::{self, Annotations, Candidate, NumberedStep};
use crate::rules::{Board, Color, Equipment, Piece};
use crate::session::{Clicked, Score, Variation};
use crate::text::counted;

/// The state of a game.
#[derive(Serialize)]
pub(super) struct State {
    version: u64,
    variant: String,
    /// The whole game in one line.
    link: String,
    position: String,
    /// The board as SVG, and its width and height.
    svg: String,
    view: (i32, i32),
    hexagons: bool,
    cells: Vec<CellState>,
    /// Labels of the cells that a click has an effect on.
    points: Vec<String>,
    /// The selected cell, or `pool`.
    selected: Option<String>,
    /// Labels of the cells that complete a step from the selected one.
    targets: Vec<String>,
    /// Points besides cells that can be clicked.
    buttons: Vec<Button>,
    question: Option<Question>,
    expects: Option<String>,
    headline: String,
    status: Vec<String>,
    result: Option<ResultState>,
    side: &'static str,
    turn: u32,
    moves: Vec<MoveState>,
    /// Number of plays since the start.
    plays: usize,
    undo: bool,
    redo: bool,
    players: Sides<Player>,
    level: String,
    seconds: f64,
    thinking: bool,
    /// True if the engine is to move, and waits to be asked.
    waiting: bool,
    analysis: Analysis,
    hint: Option<String>,
    clocks: Option<ClocksState>,
    message: Option<String>,
}

#[derive(Serialize)]
struct CellState {
    label: String,
    x: i32,
    y: i32,
    piece: Option<&'static str>,
    /// Words of a screen reader.
    name: String,
}

#[derive(Serialize)]
struct Button {
    /// Point that it clicks: `pool` or `pass`.
    point: &'static str,
    label: String,
    is_selected: bool,
}

#[derive(Serialize)]
struct Question {
    text: String,
    /// Step that says yes.
    yes: String,
}

#[derive(Serialize)]
struct ResultState {
    winner: Option<&'static str>,
    text: String,
}

#[derive(Serialize)]
struct Sides<T> {
    black: T,
    white: T,
}

#[derive(Serialize)]
struct Analysis {
    on: bool,
    /// Expected score of Black, from 0 to 1.
    expected: Option<f64>,
    nodes: u64,
    lines: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    #[serde(rename = "move")]
    text: String,
    /// Expected score of the side to move, from 0 to 1, and as text: in percent, or the number of moves to a proven end.
    value: f64,
    percent: String,
    /// Number of steps.
    depth: usize,
    line: String,
}

#[derive(Serialize)]
struct ClocksState {
    /// Time left in milliseconds.
    black: u64,
    white: u64,
    running: Option<&'static str>,
    minutes: f64,
    /// Seconds after each move.
    increment: f64,
}

pub(super) fn name(color: Color) -> &'static str {
    match color {
        Color::Black => "black",
        Color::White => "white",
    }
}

impl State {
    pub(super) fn new(game: &Game, version: u64) -> Self {
        let session = &game.session;
        let board = game.board();
        let shape = board.shape();
        let selected = game.selected.as_deref();
        let is_turn = game.is_persons_turn() && !game.is_thinking();
        let mut annotations = last_move(board);
        add_proposals(&mut annotations, game);
        let picture = render::board_svg(board, &annotations);
        let cells = shape.cells().zip(&picture.middles).map(|(cell, &(x, y))| CellState {
            label: shape.label(cell),
            x,
            y,
            piece: board.piece(cell).map(|piece| name(piece.color)),
            name: described(board, cell),
        });
        let result = result(game);
        let (points, targets) = match is_turn {
            true => (session.points(selected), selected.map(|selected| session.targets(selected)).unwrap_or_default()),
            false => Default::default(),
        };
        let swap = swap(game).filter(|_| is_turn);
        Self {
            version,
            variant: session.variant().to_string(),
            link: link::write(session),
            position: session.position(),
            cells: cells.collect(),
            svg: picture.svg,
            view: picture.size,
            hexagons: shape.is_hexagon(),
            buttons: buttons(game, &points, swap.is_some()),
            points,
            targets,
            selected: game.selected.clone(),
            question: swap.map(|swap| question(board, swap)),
            expects: board.required_step(),
            headline: match &result {
                Some(result) => result.text.clone(),
                None => format!("{} to move, turn {}", session.side(), session.turn()),
            },
            status: board.caption(),
            result,
            side: name(session.side()),
            turn: session.turn(),
            moves: game.moves(),
            plays: session.plays(),
            undo: game.can_undo(),
            redo: game.can_redo(),
            players: {
                let [black, white] = game.players;
                Sides { black, white }
            },
            level: game.level.clone(),
            seconds: session.time().as_secs_f64(),
            thinking: game.is_thinking(),
            waiting: game.is_waiting(),
            analysis: analysis(game),
            hint: game.hint.clone(),
            clocks: game.clocks.as_ref().map(|clocks| {
                let is_running = clocks.is_running() && !game.is_over();
                let left = |color: Color| {
                    let left = clocks.left(color);
                    let used = match is_running && color == session.side() {
                        true => game.since.elapsed(),
                        false => Duration::ZERO,
                    };
                    left.saturating_sub(used).as_millis().try_into().unwrap_or(u64::MAX)
                };
                let (minutes, increment) = clocks.in_words();
                ClocksState {
                    minutes,
                    increment,
                    black: left(Color::Black),
                    white: left(Color::White),
                    running: is_running.then(|| name(session.side())),
                }
            }),
            message: game.message.clone(),
        }
    }
}

/// Returns the marks of the last move, its steps numbered if there are several.
fn last_move(board: &dyn Board) -> Annotations {
    let mut annotations = Annotations::default();
    let (mut before, steps) = board.last_move();
    for step in steps {
        let text = before.write_step(step);
        let cells = annotations.last_move.play(&mut *before, step);
        annotations.steps.push(NumberedStep { cell: cells.last().copied(), text });
    }
    // On stacks and dice a number would be taken for that of the piece.
    if annotations.steps.len() < 2 || board.value_digits() > 0 {
        annotations.steps.clear();
    }
    annotations
}

/// Marks the moves that the analysis, or a hint, proposes.
fn add_proposals(annotations: &mut Annotations, game: &Game) {
    let board = game.board();
    if let Some(hint) = &game.hint {
        let mut board = board.fork();
        annotations.steps.clear();
        for (index, text) in hint.split(',').enumerate() {
            let Ok(step) = board.read_step(text) else {
                return;
            };
            let cells = board.clicks(step).cells();
            let strength = match index {
                0 => Candidate::STRONGEST,
                _ => Candidate::FURTHER,
            };
            annotations.candidates.extend(Candidate::of(&cells, strength, String::new()));
            board.make(step);
        }
        return;
    }
    let Some(progress) = &game.progress else {
        return;
    };
    let Some(best) = progress.variations.first() else {
        return;
    };
    // Numbers of steps would stand where the values do.
    annotations.steps.clear();
    for (index, line) in progress.variations.iter().enumerate() {
        let first = line.moves.first().and_then(|steps| steps.first());
        let Some(step) = first.and_then(|text| board.read_step(text).ok()) else {
            continue;
        };
        let strength = match index {
            0 => Candidate::STRONGEST,
            _ => Candidate::strength_of(best.expected_score - line.expected_score),
        };
        let cells = board.clicks(step).cells();
        let text = match progress.upper_bound(line) {
            Some(bound) => format!("≤{:.0}", 100.0 * bound.expected_score),
            None => format!("{:.0}", 100.0 * line.expected_score),
        };
        annotations.candidates.extend(Candidate::of(&cells, strength, text));
    }
}

fn analysis(game: &Game) -> Analysis {
    let progress = game.progress.as_ref();
    let lines = progress.map_or(&[][..], |progress| &progress.variations);
    let line = |line: &Variation| {
        let bound = progress.and_then(|progress| progress.upper_bound(line));
        let value = bound.unwrap_or(line).expected_score;
        let texts = line.moves.iter().map(|steps| steps.join(","));
        let texts: Vec<String> = texts.collect();
        Line {
            text: texts.first().cloned().unwrap_or_default(),
            value,
            percent: match (line.score(), bound) {
                (_, Some(_)) => format!("≤ {:.1} %", 100.0 * value),
                (Score::Mate(moves), None) => {
                    let result = if moves < 0 { "loss" } else { "win" };
                    format!("{result} in {}", counted(moves.unsigned_abs().into(), "move"))
                }
                (Score::Cp(_), None) => format!("{:.1} %", 100.0 * value),
            },
            depth: line.depth(),
            line: texts.join(" "),
        }
    };
    let side = game.session.side();
    let expected = lines.first().map(|best| match side {
        Color::Black => best.expected_score,
        Color::White => 1.0 - best.expected_score,
    });
    Analysis {
        on: game.is_analyzing,
        expected,
        nodes: progress.map_or(0, |progress| progress.statistics.nodes),
        lines: lines.iter().map(line).collect(),
    }
}

/// Returns the result, by the rules or for another reason.
fn result(game: &Game) -> Option<ResultState> {
    if let Some(end) = game.ended {
        let (loser, reason) = match end {
            EarlyEnd::Resignation(loser) => (loser, format!("{loser} resigns")),
            EarlyEnd::Time(loser) => (loser, format!("{loser}'s clock has run out")),
        };
        return Some(ResultState { winner: Some(name(!loser)), text: format!("{} wins: {reason}", !loser) });
    }
    let outcome = game.board().outcome()?;
    Some(ResultState { winner: outcome.winner.map(name), text: render::headline(game.board()) })
}

/// Names what stands on a cell.
fn described(board: &dyn Board, cell: Cell) -> String {
    let label = board.shape().label(cell);
    let what = match board.piece(cell) {
        None => "empty".to_owned(),
        Some(Piece { color, value }) => match (board.equipment(), value) {
            (_, None) => format!("{} stone", name(color)),
            (Equipment::Stacks, Some(value)) => format!("{} stack of {value}", name(color)),
            (_, Some(value)) => format!("{} die {value}", name(color)),
        },
    };
    let pending = if board.pending().contains(&cell) { ", to be chosen" } else { "" };
    format!("{label}, {what}{pending}")
}

/// Returns the buttons for the points that are no cells. A question has its own.
fn buttons(game: &Game, points: &[String], is_asked: bool) -> Vec<Button> {
    let selected = game.selected.as_deref();
    let has = |point: &str| points.iter().any(|other| other == point);
    let mut buttons = Vec::new();
    if has("pool") {
        buttons.push(Button {
            point: "pool",
            label: match selected {
                None | Some("pool") => "From the Pool",
                Some(_) => "To the Pool",
            }
            .to_owned(),
            is_selected: selected == Some("pool"),
        });
    }
    if has("pass") && !is_asked {
        buttons.push(Button {
            point: "pass",
            label: match game.session.click(selected, "pass") {
                Ok(Clicked::Completes(step)) if step == "end" => "End turn".to_owned(),
                Ok(Clicked::Completes(step)) if step != "pass" => step,
                _ => "Pass".to_owned(),
            },
            is_selected: false,
        });
    }
    buttons
}

/// Returns the step of the pie rule, if it may be taken now.
fn swap(game: &Game) -> Option<String> {
    match game.session.click(None, "pass") {
        Ok(Clicked::Completes(step)) => Some(step).filter(|step| step == "swap"),
        _ => None,
    }
}

fn question(board: &dyn Board, swap: String) -> Question {
    let side = board.side();
    Question { text: format!("{side} may swap colors now instead of moving: the pie rule."), yes: swap }
}
