//! The game as points and clicks, for clients that know nothing else.

use nom::Parser;
use nom::branch::alt;
use nom::combinator::value;

use super::PlayError;
use crate::board::{Cell, Shape};
use crate::game::{Color, Position as _, Steps as _};
use crate::notation::pieces::{cell, expect, read, word};
use crate::notation::{Click, Clicks, Piece, Playable, StepError};

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
    pub is_set_apart: bool,
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
    pub to_set: Option<u8>,
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
struct Board<'a, G: Playable> {
    game: &'a G,
    position: &'a G::Position,
    /// The enemy's cells; filled in when a step is clicked on one of them.
    enemy: std::cell::OnceCell<Vec<Cell>>,
}

impl<'a, G: Playable> Board<'a, G> {
    fn new(game: &'a G, position: &'a G::Position) -> Self {
        Self {
            game,
            position,
            enemy: std::cell::OnceCell::new(),
        }
    }

    fn enemy(&self) -> &[Cell] {
        self.enemy.get_or_init(|| {
            let enemy = !self.position.side();
            let stands = |cell: &Cell| {
                let piece = self.game.piece(self.position, *cell);
                piece.is_some_and(|piece| piece.color == enemy)
            };
            self.game.shape().cells().filter(stands).collect()
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
    fn visit(
        &self,
        selected: Option<Point>,
        mut visitor: impl FnMut(G::Step, Click, Option<Click>),
    ) {
        self.game.steps(self.position).for_each(|step| {
            let Clicks { first, second } = self.game.clicks(self.position, step);
            match (selected, second) {
                (None, _) => visitor(step, first, second),
                (Some(point), Some(second)) if self.hits(first, point) => {
                    visitor(step, second, None)
                }
                _ => {}
            }
        });
    }

    /// Reads a first click. One that begins no step selects nothing.
    fn selected(&self, text: Option<&str>) -> Option<Point> {
        Point::read(self.game.shape(), text?).ok()
    }

    fn points(&self, selected: Option<Point>) -> Vec<Point> {
        let shape = self.game.shape();
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

pub(super) fn points<G: Playable>(
    game: &G,
    position: &G::Position,
    selected: Option<&str>,
) -> Vec<String> {
    let board = Board::new(game, position);
    let points = board.points(board.selected(selected)).into_iter();
    points.map(|point| point.write(game.shape())).collect()
}

pub(super) fn click<G: Playable>(
    game: &G,
    position: &G::Position,
    selected: Option<&str>,
    click: &str,
) -> Result<Clicked, PlayError> {
    let board = Board::new(game, position);
    let point = Point::read(game.shape(), click)?;
    if game.steps(position).is_empty() {
        return Err(PlayError::Over);
    }
    let mut clicked = None;
    board.visit(board.selected(selected), |step, click, next| {
        if clicked.is_none() && board.hits(click, point) {
            clicked = Some(match next {
                Some(_) => Clicked::Selects,
                None => Clicked::Completes(game.write_step(step)),
            });
        }
    });
    clicked.ok_or_else(|| {
        PlayError::Step(StepError::Illegal {
            step: click.to_owned(),
            why: why_not_there(&board, selected),
        })
    })
}

/// Where one may click instead.
fn why_not_there<G: Playable>(board: &Board<'_, G>, selected: Option<&str>) -> String {
    const SHOWN: usize = 8;
    let points = board.points(board.selected(selected));
    let shown = points.iter().take(SHOWN);
    let shown: Vec<String> = shown.map(|point| point.write(board.game.shape())).collect();
    let others = if points.len() > SHOWN { ", …" } else { "" };
    let after = match selected {
        Some(selected) => format!(" after {selected}"),
        None => String::new(),
    };
    let (game, position) = (board.game, board.position);
    let is_bound = game.to_set(position).is_some() || !game.pending(position).is_empty();
    let aim = match game.demand(position).filter(|_| is_bound) {
        Some(demand) => format!(" for {demand}"),
        None => String::new(),
    };
    format!(
        "{}{after} may click {}{others}{aim}",
        board.position.side(),
        shown.join(", ")
    )
}

/// The clicks of a legal step; none where it is none.
pub(super) fn clicks_of<G: Playable>(game: &G, position: &G::Position, step: &str) -> Vec<String> {
    let Ok(step) = game.read_step(position, step) else {
        return Vec::new();
    };
    let board = Board::new(game, position);
    let Clicks { first, second } = game.clicks(position, step);
    let clicks = [Some(first), second].into_iter().flatten();
    let point = |click| board.points_of(click).into_iter().next();
    clicks
        .filter_map(point)
        .map(|point| point.write(game.shape()))
        .collect()
}

/// The legal steps that begin with a click and need another one.
pub(super) fn steps_from<G: Playable>(
    game: &G,
    position: &G::Position,
    selected: &str,
) -> Vec<String> {
    let board = Board::new(game, position);
    let mut steps = Vec::new();
    if let Some(selected) = board.selected(Some(selected)) {
        board.visit(Some(selected), |step, _, _| {
            steps.push(game.write_step(step))
        });
    }
    steps
}

pub(super) fn picture<G: Playable>(game: &G, position: &G::Position) -> Picture {
    let shape = game.shape();
    let pending = game.pending(position);
    let square = |cell| Square {
        label: shape.label(cell),
        piece: game.piece(position, cell),
        is_set_apart: game.is_set_apart(cell),
        is_pending: pending.contains(&cell),
    };
    let rank = |y| {
        let cells = (0..shape.columns()).map(move |x| shape.cell(x, y));
        cells.map(|cell| cell.map(square)).collect()
    };
    Picture {
        is_hexagon: shape.is_hexagon(),
        ranks: (0..shape.ranks()).map(rank).collect(),
        to_set: game.to_set(position),
        status: game.status(position),
    }
}

/// How many pieces each player has captured, Black first.
///
/// No game says so itself. A step captures what the enemy has less of after it; but in a swap, in a step that adds
/// a piece to the board, and in a choice among pending cells pieces have changed their colour.
pub(super) fn captured<G: Playable>(
    game: &G,
    start: &G::Position,
    history: &[(G::Step, G::Position)],
) -> [u32; 2] {
    let [mut by_black, mut by_white] = [0, 0];
    let mut before = start;
    let [mut black, mut white] = game.pieces(start);
    for (step, position) in history {
        let [black_now, white_now] = game.pieces(position);
        let fewer = black_now + white_now <= black + white;
        if fewer && game.pending(before).is_empty() && game.write_step(*step) != "swap" {
            match before.side() {
                Color::Black => by_black += white.saturating_sub(white_now),
                Color::White => by_white += black.saturating_sub(black_now),
            }
        }
        (black, white) = (black_now, white_now);
        before = position;
    }
    [by_black, by_white]
}
