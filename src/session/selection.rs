//! Points and clicks, for clients that know neither steps nor moves.

use nom::Parser;
use nom::branch::alt;
use nom::combinator::value;

use super::PlayError;
use crate::board::{Cell, Shape};
use crate::notation::pieces::{cell, expect, read, word};
use crate::rules::{Board, Color, Step};
use crate::rules::{Click, Clicks, Piece, StepError};

/// Meaning of a click.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Clicked {
    /// The first click of a step that needs two.
    Selects,
    /// The last click of a step, which is given as text.
    Completes(String),
}

/// A cell of a [`Picture`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Square {
    /// Label of the cell.
    pub label: String,
    /// Piece on the cell.
    pub piece: Option<Piece>,
    /// Marked by the board itself, whatever the position.
    pub is_marked: bool,
    /// Waits for a choice of the side to move.
    pub is_pending: bool,
}

/// Visible part of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// True for a hexagonal board.
    pub is_hexagon: bool,
    /// Cells by rank from rank 1 up, each rank from left to right; `None` off the board.
    pub ranks: Vec<Vec<Option<Square>>>,
    /// Number of the piece to set now, if the rules choose it.
    pub value_to_set: Option<u8>,
    /// State that the board does not show, line by line.
    pub status: Vec<String>,
}

/// A point to click on: a cell, or `pass`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Point {
    Cell(Cell),
    Pass,
}

impl Point {
    fn read(shape: &Shape, text: &str) -> Result<Self, StepError> {
        let pass = value(Self::Pass, word("pass"));
        let point = alt((pass, cell(shape).map(Self::Cell)));
        Ok(read(text, expect("a point of the board, or pass", point))?)
    }

    fn write(self, shape: &Shape) -> String {
        match self {
            Self::Cell(cell) => shape.label(cell),
            Self::Pass => "pass".to_owned(),
        }
    }
}

/// The clicks of one position.
struct Points<'a> {
    board: &'a dyn Board,
    /// Cells of the opponent, computed when a click may be on any of them.
    enemy: std::cell::OnceCell<Vec<Cell>>,
}

impl<'a> Points<'a> {
    fn new(board: &'a dyn Board) -> Self {
        Self {
            board,
            enemy: std::cell::OnceCell::new(),
        }
    }

    fn enemy(&self) -> &[Cell] {
        self.enemy.get_or_init(|| {
            let enemy = !self.board.side();
            let is_enemy = |cell: &Cell| {
                let piece = self.board.piece(*cell);
                piece.is_some_and(|piece| piece.color == enemy)
            };
            self.board.shape().cells().filter(is_enemy).collect()
        })
    }

    /// Returns whether clicking on a point performs the click of a step.
    fn hits(&self, click: Click, point: Point) -> bool {
        match (click, point) {
            (Click::Cell(wanted), Point::Cell(cell)) => wanted == cell,
            (Click::Enemy, Point::Cell(cell)) => self.enemy().contains(&cell),
            (Click::Enemy, Point::Pass) => self.enemy().is_empty(),
            (Click::Pass, Point::Pass) => true,
            (Click::Cell(_), Point::Pass) | (Click::Pass, Point::Cell(_)) => false,
        }
    }

    /// Returns the points that perform a click of a step.
    fn points_of(&self, click: Click) -> Vec<Point> {
        match click {
            Click::Cell(cell) => vec![Point::Cell(cell)],
            Click::Pass => vec![Point::Pass],
            Click::Enemy if self.enemy().is_empty() => vec![Point::Pass],
            Click::Enemy => self.enemy().iter().copied().map(Point::Cell).collect(),
        }
    }

    /// Visits the legal steps with their next click and the one after it.
    ///
    /// With `selected`, visits only steps that need two clicks and whose first one it is; their next click is the
    /// second.
    fn visit(&self, selected: Option<Point>, mut visitor: impl FnMut(Step, Click, Option<Click>)) {
        let mut steps = Vec::new();
        self.board.steps(&mut steps);
        for step in steps {
            let Clicks { first, second } = self.board.clicks(step);
            match (selected, second) {
                (None, _) => visitor(step, first, second),
                (Some(point), Some(second)) if self.hits(first, point) => {
                    visitor(step, second, None)
                }
                _ => {}
            }
        }
    }

    /// Reads the first click of a step. Text that is not a point selects nothing.
    fn selected(&self, text: Option<&str>) -> Option<Point> {
        Point::read(self.board.shape(), text?).ok()
    }

    fn points(&self, selected: Option<Point>) -> Vec<Point> {
        let shape = self.board.shape();
        let mut cells = vec![false; shape.len()];
        let mut pass = false;
        let mut add = |click| match click {
            Click::Cell(cell) => {
                if let Some(is_point) = cells.get_mut(cell.index()) {
                    *is_point = true;
                }
            }
            Click::Pass => pass = true,
            // Rare, and the same for all such steps.
            Click::Enemy => {
                for point in self.points_of(click) {
                    match point {
                        Point::Pass => pass = true,
                        Point::Cell(cell) => {
                            if let Some(is_point) = cells.get_mut(cell.index()) {
                                *is_point = true;
                            }
                        }
                    }
                }
            }
        };
        self.visit(selected, |_, click, _| add(click));
        let cells = shape.cells().zip(cells).filter(|&(_, is_point)| is_point);
        let mut points: Vec<Point> = cells.map(|(cell, _)| Point::Cell(cell)).collect();
        if pass {
            points.push(Point::Pass);
        }
        points
    }
}

pub(super) fn points(board: &dyn Board, selected: Option<&str>) -> Vec<String> {
    let clicks = Points::new(board);
    let points = clicks.points(clicks.selected(selected)).into_iter();
    points.map(|point| point.write(board.shape())).collect()
}

pub(super) fn click(
    board: &dyn Board,
    selected: Option<&str>,
    click: &str,
) -> Result<Clicked, PlayError> {
    let clicks = Points::new(board);
    let point = Point::read(board.shape(), click)?;
    if board.is_over() {
        return Err(PlayError::Over);
    }
    let mut clicked = None;
    clicks.visit(clicks.selected(selected), |step, click, next| {
        if clicked.is_none() && clicks.hits(click, point) {
            clicked = Some(match next {
                Some(_) => Clicked::Selects,
                None => Clicked::Completes(board.write_step(step)),
            });
        }
    });
    clicked.ok_or_else(|| {
        PlayError::Step(StepError::Illegal {
            step: click.to_owned(),
            reason: explain_illegal_click(&clicks, selected),
        })
    })
}

/// Explains an illegal click by the points that may be clicked.
fn explain_illegal_click(clicks: &Points<'_>, selected: Option<&str>) -> String {
    const SHOWN: usize = 8;
    let points = clicks.points(clicks.selected(selected));
    let shown = points.iter().take(SHOWN);
    let shown: Vec<String> = shown
        .map(|point| point.write(clicks.board.shape()))
        .collect();
    let others = if points.len() > SHOWN { ", …" } else { "" };
    let after = match selected {
        Some(selected) => format!(" after {selected}"),
        None => String::new(),
    };
    let board = clicks.board;
    let is_bound = board.value_to_set().is_some() || !board.pending().is_empty();
    let aim = match board.required_step().filter(|_| is_bound) {
        Some(demand) => format!(" for {demand}"),
        None => String::new(),
    };
    format!(
        "{}{after} may click {}{others}{aim}",
        clicks.board.side(),
        shown.join(", ")
    )
}

/// Returns the clicks of a legal step, as points; none for any other text.
pub(super) fn clicks_of(board: &dyn Board, step: &str) -> Vec<String> {
    let Ok(step) = board.read_step(step) else {
        return Vec::new();
    };
    let points = Points::new(board);
    let Clicks { first, second } = board.clicks(step);
    let clicks = [Some(first), second].into_iter().flatten();
    let point = |click| points.points_of(click).into_iter().next();
    clicks
        .filter_map(point)
        .map(|point| point.write(board.shape()))
        .collect()
}

/// Returns the legal steps of two clicks that begin with a click.
pub(super) fn steps_from(board: &dyn Board, selected: &str) -> Vec<String> {
    let points = Points::new(board);
    let mut steps = Vec::new();
    if let Some(selected) = points.selected(Some(selected)) {
        points.visit(Some(selected), |step, _, _| {
            steps.push(board.write_step(step))
        });
    }
    steps
}

pub(super) fn picture(board: &dyn Board) -> Picture {
    let shape = board.shape();
    let pending = board.pending();
    let square = |cell| Square {
        label: shape.label(cell),
        piece: board.piece(cell),
        is_marked: board.is_marked(cell),
        is_pending: pending.contains(&cell),
    };
    let rank = |y| {
        let cells = (0..shape.columns()).map(move |x| shape.cell(x, y));
        cells.map(|cell| cell.map(square)).collect()
    };
    Picture {
        is_hexagon: shape.is_hexagon(),
        ranks: (0..shape.ranks()).map(rank).collect(),
        value_to_set: board.value_to_set(),
        status: board.status(),
    }
}

/// Returns the pieces that each player has captured in the history, Black first.
///
/// Counts the loss of the opponent in each step. Not counted are steps in which pieces only change their colour: a
/// swap, a step that adds a piece, a choice among pending cells.
pub(super) fn captured(board: &dyn Board) -> [u32; 2] {
    let [mut by_black, mut by_white] = [0, 0];
    let mut current = board.fork_at(0);
    let [mut black, mut white] = current.piece_counts();
    for step in board.history() {
        let (mover, is_choice) = (current.side(), !current.pending().is_empty());
        current.make(step);
        let [black_now, white_now] = current.piece_counts();
        let fewer = black_now + white_now <= black + white;
        if fewer && !is_choice && current.write_step(step) != "swap" {
            match mover {
                Color::Black => by_black += white.saturating_sub(white_now),
                Color::White => by_white += black.saturating_sub(black_now),
            }
        }
        (black, white) = (black_now, white_now);
    }
    [by_black, by_white]
}
