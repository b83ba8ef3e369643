//! Text methods of [`Board`] that are the same in every game.

use super::diagram::diagram;
use super::position::write_board;
use crate::board::Cell;
use crate::rules::{Board, Step, StepError};
use crate::text::{ParseError, list};

impl dyn Board + '_ {
    /// Reads a legal step.
    ///
    /// # Errors
    /// Gives the column of a syntax error and what was expected there, or the reason why the step is illegal. If no
    /// legal step has the form of the text, the error gives examples of legal steps.
    pub fn read_step(&self, text: &str) -> Result<Step, StepError> {
        self.find_step(text).map_err(|error| match error {
            StepError::Illegal { step, reason } => {
                let reason = match expected_now(self, text, "") {
                    Some(expected) => format!("{reason}; expected {expected}"),
                    None => reason,
                };
                StepError::Illegal { step, reason }
            }
            StepError::Syntax(error) => {
                let before: String = text.chars().take(error.column - 1).collect();
                StepError::Syntax(match expected_now(self, text, &before) {
                    Some(expected) => ParseError { column: 1, expected, ..error },
                    None => error,
                })
            }
        })
    }

    /// Writes the position on one line.
    pub fn position(&self) -> String {
        let board = write_board(self.shape(), |cell| match self.piece(cell) {
            Some(piece) => piece.to_string(),
            None => ".".to_owned(),
        });
        format!("{board} {}", self.write_fields())
    }

    /// Returns the board before the last move of the history, and the steps of that move. It may be incomplete.
    pub fn last_move(&self) -> (Box<dyn Board>, Vec<Step>) {
        let mut steps = self.history();
        let Some(last) = steps.len().checked_sub(1) else {
            return (self.fork_at(0), steps);
        };
        let mover = self.side_at(last);
        let is_others = |&ply: &usize| self.side_at(ply) != mover;
        let first = (0..last).rev().find(is_others).map_or(0, |ply| ply + 1);
        (self.fork_at(first), steps.split_off(first))
    }

    /// Returns the cells where the steps of the last move ended.
    fn last_cells(&self) -> Vec<Cell> {
        let (mut board, steps) = self.last_move();
        let mut cells = Vec::new();
        for step in steps {
            cells.extend(board.clicks(step).cells().pop());
            board.make(step);
        }
        cells
    }

    /// Draws the position on several lines, none of them empty, with the status lines below the board.
    ///
    /// The cells where the steps of the last move ended are in parentheses.
    pub fn diagram(&self) -> String {
        let width = 1 + self.value_digits();
        let piece = |cell| match self.piece(cell) {
            Some(piece) => piece.to_string(),
            None if self.is_marked(cell) => "-".repeat(width),
            None => ".".to_owned(),
        };
        let last = self.last_cells();
        let board = diagram(self.shape(), width, piece, |cell| last.contains(&cell));
        let mut lines = vec![board];
        lines.extend(self.status());
        lines.join("\n")
    }
}

/// Describes the expected step, with examples, if no legal step has the form of `text`.
///
/// `before` is the text before the syntax error; if a legal step has a form that starts with it, nothing is returned.
/// Nothing is returned either where the description would say no more than the game's own error.
fn expected_now(board: &dyn Board, text: &str, before: &str) -> Option<String> {
    const WORDS: [&str; 3] = ["pass", "swap", "end"];
    let required = board.required_step();
    let mut steps = Vec::new();
    board.steps(&mut steps);
    let is_forced = steps.len() == 1;
    let is_word = WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    if text.is_empty() || !is_word && !is_forced && required.is_none() {
        return None;
    }
    // The first step of each form.
    let mut examples: Vec<(String, String)> = Vec::new();
    for step in steps {
        let step = board.write_step(step);
        let form = form(&step);
        if !examples.iter().any(|(known, _)| *known == form) {
            examples.push((form, step));
        }
    }
    let written = form(text);
    // A column letter alone is no part of a form, but it may start one.
    let is_partial_cell = !before.is_empty() && (text.len() == 1 || !text.chars().all(char::is_alphabetic));
    let begun = form(before.trim_end_matches(|c: char| c.is_alphabetic()));
    let fits = |form: &str| {
        form == written
            || match begun.as_str() {
                "" => is_partial_cell && form.starts_with('#'),
                begun => form.starts_with(begun),
            }
    };
    if examples.iter().any(|(form, _)| fits(form)) {
        return None;
    }
    let steps: Vec<String> = examples.into_iter().map(|(_, step)| step).collect();
    let such_as = list(&steps, "or");
    Some(match required {
        None if is_forced => format!("{such_as}, the only step"),
        None => format!("a step such as {such_as}"),
        Some(required) => format!("{required}, such as {such_as}"),
    })
}

/// Returns the form of a step's text: its cells replaced by `#` and its numbers by `9`.
pub fn form(text: &str) -> String {
    let text = text.to_lowercase();
    let mut form = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_cell = c.is_ascii_alphabetic() && rest.peek().is_some_and(char::is_ascii_digit);
        while (is_cell || c.is_ascii_digit()) && rest.next_if(char::is_ascii_digit).is_some() {}
        form.push(match c {
            _ if is_cell => '#',
            _ if c.is_ascii_digit() => '9',
            _ => c,
        });
    }
    form
}
