//! The text of a board: what is the same in every game.

use super::diagram::diagram;
use super::position::write_board;
use crate::rules::{Board, Step, StepError};
use crate::text::ParseError;

impl dyn Board + '_ {
    /// Reads a legal step. A step of a form that is not legal now is told what is expected instead.
    ///
    /// # Errors
    /// Says at which column what was expected, or why the step is not legal.
    pub fn read_step(&self, text: &str) -> Result<Step, StepError> {
        self.find_step(text).map_err(|error| match error {
            StepError::Illegal { step, why } => {
                let why = match expected_now(self, text, "") {
                    Some(expected) => format!("{why}; expected {expected}"),
                    None => why,
                };
                StepError::Illegal { step, why }
            }
            StepError::Syntax(error) => {
                let before: String = text.chars().take(error.column - 1).collect();
                StepError::Syntax(match expected_now(self, text, &before) {
                    Some(expected) => ParseError {
                        column: 1,
                        expected,
                        ..error
                    },
                    None => error,
                })
            }
        })
    }

    /// The text of the position: one line.
    pub fn position(&self) -> String {
        let board = write_board(self.shape(), |cell| match self.piece(cell) {
            Some(piece) => piece.to_string(),
            None => ".".to_owned(),
        });
        format!("{board} {}", self.write_fields())
    }

    /// The position drawn over several lines, none of them empty, so that a person can play from it.
    pub fn diagram(&self) -> String {
        let width = 1 + self.value_digits();
        let board = diagram(self.shape(), width, |cell| match self.piece(cell) {
            Some(piece) => piece.to_string(),
            None if self.is_marked(cell) => "-".repeat(width),
            None => ".".to_owned(),
        });
        let mut lines = vec![board];
        lines.extend(self.status());
        lines.join("\n")
    }
}

/// What is expected, with examples, where a text is of no form that a legal step has now, nor what stands `before` its fault
/// the beginning of one; only where that says more than the rules do.
fn expected_now(board: &dyn Board, text: &str, before: &str) -> Option<String> {
    const WORDS: [&str; 3] = ["pass", "swap", "end"];
    let demand = board.required_step();
    let mut steps = Vec::new();
    board.steps(&mut steps);
    let is_forced = steps.len() == 1;
    let is_word = WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    if text.is_empty() || !is_word && !is_forced && demand.is_none() {
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
    // Half a cell is no part of a form, but it may be the beginning of one.
    let is_half = !before.is_empty() && (text.len() == 1 || !text.chars().all(char::is_alphabetic));
    let begun = form(before.trim_end_matches(|c: char| c.is_alphabetic()));
    let fits = |form: &str| {
        form == written
            || match begun.as_str() {
                "" => is_half && form.starts_with('#'),
                begun => form.starts_with(begun),
            }
    };
    if examples.iter().any(|(form, _)| fits(form)) {
        return None;
    }
    let steps: Vec<&str> = examples.iter().map(|(_, step)| step.as_str()).collect();
    let (last, others) = steps.split_last()?;
    let such_as = match others {
        [] => (*last).to_owned(),
        _ => format!("{} or {last}", others.join(", ")),
    };
    Some(match demand {
        None if is_forced => format!("{such_as}, the only step"),
        None => format!("a step such as {such_as}"),
        Some(demand) => format!("{demand}, such as {such_as}"),
    })
}

/// The form of a step as written: its cells and numbers replaced by marks.
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
