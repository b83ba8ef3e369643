//! The game as points and clicks, for clients that know nothing else.

use nom::Parser;
use nom::branch::alt;
use nom::combinator::value;

use super::PlayError;
use crate::board::{Cell, Shape};
use crate::notation::pieces::{cell, expect, read, word};
use crate::rules::{Board, Color, Step};
use crate::rules::{Click, Clicks, Piece, StepError};

/// What a click comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Clicked {
    /// The beginning of a step.
    Selects,
    /// A whole step.
    Completes(String),
}

/// One cell of a picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Square {
    /// Its label.
    pub label: String,
    /// What stands there.
    pub piece: Option<Piece>,
    /// Whether the board itself sets it apart.
    pub is_marked: bool,
    /// Whether it waits for a choice.
    pub is_pending: bool,
}

/// What can be seen of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// Whether the board is hexagonal.
    pub is_hexagon: bool,
    /// The cells, a row a rank from rank 1 up, each from left to right; `None` off the board.
    pub ranks: Vec<Vec<Option<Square>>>,
    /// The number of the piece that has to be set now, where the rules choose it.
    pub value_to_set: Option<u8>,
    /// What can't be seen on the board, line by line.
    pub status: Vec<String>,
}

/// A point that is clicked: a cell, or `pass`.
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

/// Clicks in one position.
struct Points<'a> {
    board: &'a dyn Board,
    /// The enemy's cells; filled in when a step is clicked on one of them.
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
            let stands = |cell: &Cell| {
                let piece = self.board.piece(*cell);
                piece.is_some_and(|piece| piece.color == enemy)
            };
            self.board.shape().cells().filter(stands).collect()
        })
    }

    /// Whether a click is on a point.
    fn hits(&self, click: Click, point: Point) -> bool {
        match (click, point) {
            (Click::Cell(wanted), Point::Cell(cell)) => wanted == cell,
            (Click::Enemy, Point::Cell(cell)) => self.enemy().contains(&cell),
            (Click::Enemy, Point::Pass) => self.enemy().is_empty(),
            (Click::Pass, Point::Pass) => true,
            (Click::Cell(_), Point::Pass) | (Click::Pass, Point::Cell(_)) => false,
        }
    }

    /// The points on which a click may be made.
    fn points_of(&self, click: Click) -> Vec<Point> {
        match click {
            Click::Cell(cell) => vec![Point::Cell(cell)],
            Click::Pass => vec![Point::Pass],
            Click::Enemy if self.enemy().is_empty() => vec![Point::Pass],
            Click::Enemy => self.enemy().iter().copied().map(Point::Cell).collect(),
        }
    }

    /// Shows the clicks of every legal step that begins with `selected`, if it is given, without that one.
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

    /// Reads a first click. One that begins no step selects nothing.
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
            // Rare, and the same for all of them.
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
            reason: why_not_there(&clicks, selected),
        })
    })
}

/// Where one may click instead.
fn why_not_there(clicks: &Points<'_>, selected: Option<&str>) -> String {
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

/// The clicks of a legal step; none where it is none.
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

/// The legal steps that begin with a click and need another one.
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

/// How many pieces each player has captured in the history, Black first.
///
/// No game says so itself. A step captures what the enemy has less of after it; but in a swap, in a step that adds
/// a piece to the board, and in a choice among pending cells pieces have changed their colour.
pub(super) fn captured(board: &dyn Board) -> [u32; 2] {
    let [mut by_black, mut by_white] = [0, 0];
    let mut here = board.fork_at(0);
    let [mut black, mut white] = here.piece_counts();
    for step in board.history() {
        let (mover, is_choice) = (here.side(), !here.pending().is_empty());
        here.make(step);
        let [black_now, white_now] = here.piece_counts();
        let fewer = black_now + white_now <= black + white;
        if fewer && !is_choice && here.write_step(step) != "swap" {
            match mover {
                Color::Black => by_black += white.saturating_sub(white_now),
                Color::White => by_white += black.saturating_sub(black_now),
            }
        }
        (black, white) = (black_now, white_now);
    }
    [by_black, by_white]
}
