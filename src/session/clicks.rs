//! Clicks on a board, for clients that know neither steps nor moves.
//!
//! A step is one click or two. The first click of two selects a cell or the Pool. A selection can be taken back: by the
//! same click again, or by a click on another cell that can be selected.

use nom::Parser;
use nom::branch::alt;
use nom::combinator::value;

use super::PlayError;
use crate::board::{Cell, Shape};
use crate::notation::pieces::{cell, expect, read, word};
use crate::rules::{Board, Click, Clicks, Step, StepError};

/// Meaning of a click.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Clicked {
    /// Selects a point, given as text: the first click of a step that needs two.
    ///
    /// It replaces another selection.
    Selects(String),
    /// Gives up the selection: a second click on the selected point.
    LetsGo,
    /// The last click of a step, which is given as text.
    Completes(String),
}

/// A point to click on: a cell, `pool` or `pass`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Point {
    Cell(Cell),
    Pool,
    Pass,
}

impl Point {
    fn read(shape: &Shape, text: &str) -> Result<Self, StepError> {
        let pool = value(Self::Pool, word("pool"));
        let pass = value(Self::Pass, word("pass"));
        let point = alt((cell(shape).map(Self::Cell), pool, pass));
        Ok(read(text, expect("a point of the board, or pass", point))?)
    }

    fn write(self, shape: &Shape) -> String {
        match self {
            Self::Cell(cell) => shape.label(cell),
            Self::Pool => "pool".to_owned(),
            Self::Pass => "pass".to_owned(),
        }
    }
}

impl From<Click> for Point {
    fn from(click: Click) -> Self {
        match click {
            Click::Cell(cell) => Self::Cell(cell),
            Click::Pool => Self::Pool,
            Click::Pass => Self::Pass,
        }
    }
}

/// A set of points.
struct Points {
    cells: Vec<bool>,
    pool: bool,
    pass: bool,
}

impl Points {
    fn new(shape: &Shape) -> Self {
        Self { cells: vec![false; shape.len()], pool: false, pass: false }
    }

    fn add(&mut self, point: Point) {
        match point {
            Point::Cell(cell) => {
                if let Some(is_in) = self.cells.get_mut(cell.index()) {
                    *is_in = true;
                }
            }
            Point::Pool => self.pool = true,
            Point::Pass => self.pass = true,
        }
    }

    /// Lists the points: cells in cell order, then `pool`, then `pass`.
    fn list(&self, shape: &Shape) -> Vec<Point> {
        let cells = shape.cells().zip(&self.cells).filter(|&(_, &is_in)| is_in);
        let cells = cells.map(|(cell, _)| Point::Cell(cell));
        let pool = self.pool.then_some(Point::Pool);
        let pass = self.pass.then_some(Point::Pass);
        cells.chain(pool).chain(pass).collect()
    }
}

fn write(board: &dyn Board, points: Vec<Point>) -> Vec<String> {
    let points = points.into_iter();
    points.map(|point| point.write(board.shape())).collect()
}

/// Returns what a click on a point means; `None` where nothing can be clicked.
///
/// Meanings, the first that fits:
/// - the second click of a step whose first click is the selection: completes it;
/// - the selected point: lets go;
/// - the first click of a step of two clicks, or the Pool where a piece can be placed: selects the point, in place of
///   the selection;
/// - the only click of a step: completes it. With a selection only `pass` does that, and with the Pool selected a
///   vacant cell: a click on another cell would be a slip.
fn meaning(board: &dyn Board, selected: Option<Point>, point: Point) -> Option<Meaning> {
    let mut steps = Vec::new();
    board.steps(&mut steps);
    let mut meaning = None;
    for step in steps {
        for (clicked, meant) in meanings_in(board, step, selected) {
            match meant {
                _ if clicked != point => {}
                Meaning::Completes(_) => return Some(meant),
                Meaning::Selects => meaning = Some(meant),
                Meaning::LetsGo => {}
            }
        }
    }
    match selected {
        Some(selected) if selected == point => Some(Meaning::LetsGo),
        _ => meaning,
    }
}

/// Meaning of a click, before it is written.
#[derive(Clone, Copy)]
enum Meaning {
    Selects,
    LetsGo,
    Completes(Step),
}

/// Returns the next clicks to which a step gives a meaning, each with that meaning; none if the step can't be clicked
/// now.
fn meanings_in(board: &dyn Board, step: Step, selected: Option<Point>) -> impl Iterator<Item = (Point, Meaning)> {
    let clicks = board.clicks(step);
    let first = Point::from(clicks.first);
    let by_step = match (selected, clicks.second.map(Point::from)) {
        (Some(selected), Some(second)) if selected == first => Some((second, Meaning::Completes(step))),
        (_, Some(_)) => Some((first, Meaning::Selects)),
        (None, None) => Some((first, Meaning::Completes(step))),
        (Some(selected), None) => {
            let completes = first == Point::Pass || selected == Point::Pool && is_placement(board, clicks);
            completes.then_some((first, Meaning::Completes(step)))
        }
    };
    let by_pool = is_placement(board, clicks).then_some((Point::Pool, Meaning::Selects));
    by_step.into_iter().chain(by_pool)
}

/// Returns true for the clicks of a placement from the Pool into a vacant cell: the cell alone is enough, and the Pool
/// may be clicked before it.
fn is_placement(board: &dyn Board, Clicks { first, second }: Clicks) -> bool {
    let is_vacant = |click| matches!(click, Click::Cell(cell) if board.piece(cell).is_none());
    second.is_none() && is_vacant(first) && board.pools().is_some()
}

/// Reads the selection. Text that is not a point selects nothing.
fn selection(board: &dyn Board, text: Option<&str>) -> Option<Point> {
    Point::read(board.shape(), text?).ok()
}

/// Lists the points that a filter of meanings accepts.
fn points_that(board: &dyn Board, selected: Option<Point>, accepts: fn(Meaning) -> bool) -> Vec<Point> {
    let mut points = Points::new(board.shape());
    let mut steps = Vec::new();
    board.steps(&mut steps);
    for step in steps {
        let meanings = meanings_in(board, step, selected).filter(|(_, meaning)| accepts(*meaning));
        meanings.for_each(|(point, _)| points.add(point));
    }
    if let Some(selected) = selected.filter(|_| accepts(Meaning::LetsGo)) {
        points.add(selected);
    }
    points.list(board.shape())
}

/// Returns every point that may be clicked.
pub(super) fn points(board: &dyn Board, selected: Option<&str>) -> Vec<String> {
    if board.is_over() {
        return Vec::new();
    }
    let points = points_that(board, selection(board, selected), |_| true);
    write(board, points)
}

/// Returns the points that complete a step with the selection, `pass` aside.
pub(super) fn targets(board: &dyn Board, selected: &str) -> Vec<String> {
    let mut points =
        points_that(board, selection(board, Some(selected)), |meaning| matches!(meaning, Meaning::Completes(_)));
    points.retain(|&point| point != Point::Pass);
    write(board, points)
}

/// Returns what a click means. Nothing is played.
pub(super) fn click(board: &dyn Board, selected: Option<&str>, click: &str) -> Result<Clicked, PlayError> {
    step_of_click(board, selected, click).map(|(clicked, _)| clicked)
}

/// Returns what a click means, and the step that it completes.
pub(super) fn step_of_click(
    board: &dyn Board,
    selected: Option<&str>,
    click: &str,
) -> Result<(Clicked, Option<Step>), PlayError> {
    let point = Point::read(board.shape(), click)?;
    match meaning(board, selection(board, selected), point) {
        Some(Meaning::Completes(step)) => Ok((Clicked::Completes(board.write_step(step)), Some(step))),
        Some(Meaning::Selects) => Ok((Clicked::Selects(point.write(board.shape())), None)),
        _ if board.is_over() => Err(PlayError::Over),
        Some(Meaning::LetsGo) => Ok((Clicked::LetsGo, None)),
        None => Err(PlayError::Step(StepError::Illegal {
            step: click.to_owned(),
            reason: explain_illegal_click(board, selected, point),
        })),
    }
}

/// Explains an illegal click: by the step that it would complete, if there is one, and by the points that may be clicked.
fn explain_illegal_click(board: &dyn Board, selected: Option<&str>, point: Point) -> String {
    const SHOWN: usize = 8;
    let selection = selection(board, selected);
    let reason = reason_of_step(board, selection, point).map(|reason| format!("{reason}; ")).unwrap_or_default();
    let points = match selection {
        None => points_that(board, None, |_| true),
        Some(_) => points_that(board, selection, |meaning| matches!(meaning, Meaning::Completes(_))),
    };
    let others = if points.len() > SHOWN { ", …" } else { "" };
    let shown = write(board, points.into_iter().take(SHOWN).collect());
    let is_bound = board.value_to_set().is_some() || !board.pending().is_empty();
    let aim = match board.required_step().filter(|_| is_bound) {
        Some(demand) => format!(" for {demand}"),
        None => String::new(),
    };
    let (after, release) = match selection.map(|selected| selected.write(board.shape())) {
        Some(selected) => (format!(" after {selected}"), format!("; {selected} again lets go of it")),
        None => (String::new(), String::new()),
    };
    format!("{reason}{}{after} may click {}{others}{aim}{release}", board.side(), shown.join(", "))
}

/// Returns why the step that a click would complete is illegal; `None` if it would complete none.
fn reason_of_step(board: &dyn Board, selected: Option<Point>, point: Point) -> Option<String> {
    let Point::Cell(cell) = point else {
        return None;
    };
    let label = board.shape().label(cell);
    let piece = board.piece(cell);
    let texts = match selected {
        Some(Point::Cell(from)) => vec![format!("{}{label}", board.shape().label(from))],
        // An own piece would be moved, and an enemy's one removed.
        None if piece.is_some_and(|piece| piece.color == board.side()) => return None,
        None if piece.is_some() => vec![format!("x{label}"), label],
        _ => match board.value_to_set() {
            Some(value) => vec![format!("{value}@{label}")],
            None => vec![label],
        },
    };
    texts.iter().find_map(|text| match board.find_step(text) {
        Err(StepError::Illegal { reason, .. }) => Some(reason),
        _ => None,
    })
}

/// Returns the clicks of a legal step, as points; none for any other text.
pub(super) fn clicks_of(board: &dyn Board, step: &str) -> Vec<String> {
    let Ok(step) = board.read_step(step) else {
        return Vec::new();
    };
    let Clicks { first, second } = board.clicks(step);
    let clicks = [Some(first), second].into_iter().flatten();
    write(board, clicks.map(Point::from).collect())
}

/// Returns the legal steps that may follow a selection.
pub(super) fn steps_from(board: &dyn Board, selected: &str) -> Vec<String> {
    let Some(selected) = selection(board, Some(selected)) else {
        return Vec::new();
    };
    let mut steps = Vec::new();
    board.steps(&mut steps);
    steps.retain(|&step| {
        let clicks = board.clicks(step);
        let begins = clicks.second.is_some() && Point::from(clicks.first) == selected;
        begins || selected == Point::Pool && is_placement(board, clicks)
    });
    steps.into_iter().map(|step| board.write_step(step)).collect()
}
