//! The state of a game as a page gets it.

use std::collections::HashSet;
use std::time::Duration;

use serde::Serialize;

use super::actions::Player;
use super::game::Game;
use super::link;
use super::review::ReviewState;
use crate::board::Cell;
use crate::record::sign;
use crate::render::{self, Annotations, Candidate};
use crate::rules::{Board, Color, Equipment, Piece};
use crate::session::{self, Clicked, LastMove, Overtime, Score, SearchResult, Session, TimeSettings};
use crate::table::{Cause, End, Node, NodeId, Table};
use crate::text::counted;

/// Number of lines of the status in a game of stacks: in the middle of a turn there is one more.
const MAX_STACKS_STATUS: usize = 4;

/// Maximum number of plays of a variation that are shown.
const MAX_SHOWN: usize = 4;

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
    flipped: bool,
    cells: Vec<CellState>,
    /// Labels of the cells that a click has an effect on.
    points: Vec<String>,
    /// The selected cell, or `pool`.
    selected: Option<String>,
    /// Labels of the cells that complete a step from the selected one.
    targets: Vec<String>,
    /// Labels of the cells whose piece a click removes.
    removals: Vec<String>,
    /// Points besides cells that can be clicked.
    buttons: Vec<Button>,
    question: Option<Question>,
    expects: Option<String>,
    headline: String,
    status: Vec<String>,
    /// Number of lines for which the page keeps room.
    lines: usize,
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
    /// Seconds for which each step is shown where the engine plays both sides.
    pace: f64,
    thinking: bool,
    /// True if the engine is to move, and waits to be asked.
    waiting: bool,
    analysis: Analysis,
    hint: Option<String>,
    clocks: Option<ClocksState>,
    message: Option<String>,
    /// Number of steps of the engine's last play, if the page may show them one by one.
    replayed: usize,
    /// The review of the game; `None` where none is offered.
    review: Option<ReviewState>,
}

/// A move, or a part of one, in the list of moves.
#[derive(Default, Serialize)]
struct MoveState {
    turn: u32,
    side: &'static str,
    steps: Vec<String>,
    /// For each step the number of plays after which it is played. Greater numbers than that of the plays since the
    /// start belong to steps that were taken back.
    plays: Vec<usize>,
    /// Signs such as `?`, and a remark.
    #[serde(skip_serializing_if = "String::is_empty")]
    mark: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    /// Expected score of Black behind the move, from 0 to 1, where the move has been searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    variations: Vec<Variation>,
}

/// A line that leaves the one that is shown.
#[derive(Serialize)]
struct Variation {
    /// Number of its first play.
    node: usize,
    text: String,
}

#[derive(Serialize)]
pub(super) struct CellState {
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
        let table = &game.table;
        let session = table.session();
        let board = session.board();
        let shape = board.shape();
        let selected = table.selected();
        let is_turn = table.is_persons_turn() && !table.is_thinking();
        let mut annotations = last_move(board);
        add_proposals(&mut annotations, table);
        let picture = render::board_svg(board, &annotations, game.is_flipped);
        let cells = cells(board, &picture.middles, |cell| board.piece(cell));
        let result = result(table);
        let (points, targets) = if is_turn {
            (session.points(selected), selected.map(|selected| session.targets(selected)).unwrap_or_default())
        } else {
            Default::default()
        };
        let enemies = cells.iter().filter(|cell| cell.piece.is_some_and(|color| color != name(board.side())));
        let enemies: HashSet<&str> = enemies.map(|cell| cell.label.as_str()).collect();
        let is_removal = |label: &&String| {
            enemies.contains(label.as_str()) && matches!(session.click(None, label), Ok(Clicked::Completes(_)))
        };
        let removals = match selected {
            None => points.iter().filter(is_removal).cloned().collect(),
            Some(_) => Vec::new(),
        };
        let mut status = board.caption();
        // The caption of some games has the material already.
        let more = session.dice_left().into_iter().chain(session.material());
        let more: Vec<String> = more.filter(|line| !status.contains(line)).collect();
        status.extend(more);
        let swap = swap(session).filter(|_| is_turn);
        Self {
            version,
            variant: session.variant().to_string(),
            link: link::write(table),
            position: session.position(),
            svg: picture.svg,
            view: picture.size,
            hexagons: shape.is_hexagon(),
            flipped: game.is_flipped,
            removals,
            cells,
            buttons: buttons(table, &points, swap.is_some()),
            points,
            targets,
            selected: selected.map(str::to_owned),
            question: swap.map(|swap| question(board, swap)),
            expects: board.required_step(),
            headline: match &result {
                Some(result) => result.text.clone(),
                None => format!("{} to move, turn {}", session.side(), session.turn()),
            },
            lines: status.len().max(if board.equipment() == Equipment::Stacks { MAX_STACKS_STATUS } else { 0 }),
            status,
            result,
            side: name(session.side()),
            turn: session.turn(),
            moves: moves(table),
            plays: session.plays(),
            undo: table.can_undo(),
            redo: table.can_redo(),
            players: {
                let [black, white] = table.players().map(Player::from);
                Sides { black, white }
            },
            level: table.level().to_string(),
            seconds: session.time().as_secs_f64(),
            pace: game.pace.as_secs_f64(),
            thinking: table.is_thinking(),
            waiting: table.is_waiting() && !game.reviews.is_retrying(),
            analysis: analysis(table),
            hint: table.hint().map(SearchResult::text),
            clocks: clocks(table),
            message: game.message.clone(),
            replayed: game.replayed,
            review: game.reviews.state(table),
        }
    }
}

fn clocks(table: &Table) -> Option<ClocksState> {
    let clock = table.clock()?;
    let left = |color| clock.left(color).time.as_millis().try_into().unwrap_or(u64::MAX);
    let TimeSettings { main, overtime } = clock.settings();
    let increment = match overtime {
        Overtime::Increment(increment) | Overtime::CappedIncrement { increment, .. } => increment,
        Overtime::None | Overtime::Canadian { .. } | Overtime::ByoYomi { .. } => Duration::ZERO,
    };
    Some(ClocksState {
        black: left(Color::Black),
        white: left(Color::White),
        running: table.is_clock_running().then(|| name(table.session().side())),
        minutes: main.as_secs_f64() / 60.0,
        increment: increment.as_secs_f64(),
    })
}

/// Returns the moves since the start, and those that were taken back. The last one may be incomplete.
fn moves(table: &Table) -> Vec<MoveState> {
    let mut moves: Vec<MoveState> = Vec::new();
    let nodes = table.line().into_iter().filter_map(|id| Some((id, table.node(id)?)));
    for (index, (id, node)) in nodes.enumerate() {
        let (side, turn) = (name(node.color), node.turn);
        if moves.last().is_none_or(|last| (last.side, last.turn) != (side, turn)) {
            moves.push(MoveState { turn, side, ..MoveState::default() });
        }
        let Some(made) = moves.last_mut() else {
            break;
        };
        made.steps.extend(node.steps().map(str::to_owned));
        made.plays.resize(made.steps.len(), index + 1);
        made.variations.append(&mut variations(table, id));
        made.mark.extend(node.nags.iter().filter_map(|&nag| sign(nag)));
        made.comment = node.comment.clone().or(made.comment.take());
        let score = node.information.and_then(|known| known.score).map(Score::expected);
        made.expected = score.map(|own| if node.color == Color::Black { own } else { 1.0 - own }).or(made.expected);
    }
    moves
}

/// Returns the other plays from the position before a play, each with the first moves that follow it.
fn variations(table: &Table, id: NodeId) -> Vec<Variation> {
    let parent = table.parent(id).and_then(|parent| table.node(parent));
    let others = parent.into_iter().flat_map(Node::children).filter(|&&other| other != id);
    let text = |&first: &NodeId| {
        let ahead = |&id: &NodeId| table.node(id)?.children().first().copied();
        let line = std::iter::successors(Some(first), ahead).filter_map(|id| table.node(id));
        let texts: Vec<&str> = line.take(MAX_SHOWN).map(|node| node.text.as_str()).collect();
        Variation { node: first.0, text: texts.join(" ") }
    };
    others.map(text).collect()
}

/// Returns the pictures of the engine's last play, one for each step.
pub(super) fn frames(game: &Game) -> Vec<String> {
    let (mut board, steps) = game.table.board().last_move();
    let first = steps.len().saturating_sub(game.replayed);
    let mut last_move = LastMove::default();
    let mut frames = Vec::new();
    for (index, step) in steps.into_iter().enumerate() {
        last_move.play(&mut *board, step);
        if index >= first {
            frames.push(render::board_svg(&*board, &marks(&*board, last_move.clone()), game.is_flipped).svg);
        }
    }
    frames
}

/// Returns the marks of the last move, its steps numbered if there are several.
fn last_move(board: &dyn Board) -> Annotations {
    marks(board, LastMove::of(board))
}

fn marks(board: &dyn Board, last_move: LastMove) -> Annotations {
    // On stacks and dice a number would be taken for that of the piece.
    let are_numbered = last_move.steps.len() > 1 && board.value_digits() == 0;
    let steps = if are_numbered { last_move.steps.clone() } else { Vec::new() };
    Annotations { last_move, steps, ..Annotations::default() }
}

/// Marks the moves that the analysis, or a hint, proposes.
fn add_proposals(annotations: &mut Annotations, table: &Table) {
    let board = table.board();
    if let Some(hint) = table.hint() {
        let mut board = board.fork();
        annotations.steps.clear();
        for (index, text) in hint.best_move.iter().enumerate() {
            let Ok(step) = board.read_step(text) else {
                return;
            };
            let cells = board.clicks(step).cells();
            let strength = if index == 0 { Candidate::STRONGEST } else { Candidate::FURTHER };
            let number = if hint.best_move.len() > 1 { format!("{}.", index + 1) } else { String::new() };
            annotations.candidates.extend(Candidate::of(&cells, strength, number));
            board.make(step);
        }
        return;
    }
    let Some(progress) = table.progress() else {
        return;
    };
    let Some(best) = progress.variations.first() else {
        return;
    };
    // Numbers of steps would be where the values are.
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
            // On stacks and dice a number alone would be taken for theirs.
            None if board.value_digits() > 0 => format!("{:.0}%", 100.0 * line.expected_score),
            None => format!("{:.0}", 100.0 * line.expected_score),
        };
        annotations.candidates.extend(Candidate::of(&cells, strength, text));
    }
}

fn analysis(table: &Table) -> Analysis {
    let progress = table.progress();
    let side = table.session().side();
    let lines = progress.map_or(&[][..], |progress| &progress.variations);
    let line = |line: &session::Variation| {
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
    let expected = lines.first().map(|best| match side {
        Color::Black => best.expected_score,
        Color::White => 1.0 - best.expected_score,
    });
    Analysis {
        on: table.is_analyzing(),
        expected,
        nodes: progress.map_or(0, |progress| progress.statistics.nodes),
        lines: lines.iter().map(line).collect(),
    }
}

/// Returns the result, by the rules or for another reason.
fn result(table: &Table) -> Option<ResultState> {
    let Some(end) = table.end() else {
        let outcome = table.session().outcome()?;
        return Some(ResultState { winner: outcome.winner.map(name), text: render::headline(table.board()) });
    };
    let winner = end.winner();
    let result = winner.map_or_else(|| "Draw".to_owned(), |winner| format!("{winner} wins"));
    let reason = match end {
        End::Resignation(loser) => format!("{loser} resigns"),
        End::Time(loser) => format!("{loser}'s clock has run out"),
        End::Recorded { cause: Cause::Normal, reason, .. } => reason.clone(),
        End::Recorded { cause, reason, .. } => format!("{cause}: {reason}"),
    };
    Some(ResultState { winner: winner.map(name), text: format!("{result}: {reason}") })
}

/// Returns the cells with their places on the picture.
pub(super) fn cells(
    board: &dyn Board,
    middles: &[(i32, i32)],
    piece: impl Fn(Cell) -> Option<Piece>,
) -> Vec<CellState> {
    let places = board.shape().cells().zip(middles);
    let cells = places.map(|(cell, &(x, y))| CellState {
        label: board.shape().label(cell),
        x,
        y,
        piece: piece(cell).map(|piece| name(piece.color)),
        name: described(board, cell, piece(cell)),
    });
    cells.collect()
}

/// Names what is on a cell.
fn described(board: &dyn Board, cell: Cell, piece: Option<Piece>) -> String {
    let label = board.shape().label(cell);
    let what = match piece {
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
fn buttons(table: &Table, points: &[String], is_asked: bool) -> Vec<Button> {
    let selected = table.selected();
    let has = |point: &str| points.iter().any(|other| other == point);
    let mut buttons = Vec::new();
    if has("pool") {
        let targets = selected.map(|selected| table.session().targets(selected)).unwrap_or_default();
        let goes_to_pool = targets.iter().any(|to| to == "pool");
        buttons.push(Button {
            point: "pool",
            label: if goes_to_pool { "To the Pool" } else { "From the Pool" }.to_owned(),
            is_selected: selected == Some("pool"),
        });
    }
    if has("pass") && !is_asked {
        buttons.push(Button {
            point: "pass",
            label: match table.session().click(selected, "pass") {
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
fn swap(session: &Session) -> Option<String> {
    match session.click(None, "pass") {
        Ok(Clicked::Completes(step)) => Some(step).filter(|step| step == "swap"),
        _ => None,
    }
}

fn question(board: &dyn Board, swap: String) -> Question {
    let side = board.side();
    Question { text: format!("{side} may swap colors now instead of moving: the pie rule."), yes: swap }
}
