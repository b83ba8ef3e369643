//! The reflection of a move in the center of the board.

use crate::board::{Shape, column_of_letter};
use crate::rules::{Board, Step};

/// Returns the text of a move with every cell reflected in the center of the board.
pub fn mirrored(shape: &Shape, text: &str) -> String {
    let mut mirrored = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let mut digits = String::new();
        while let Some(digit) = letters.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        let column = column_of_letter(letter);
        let rank = digits.parse::<u8>().ok().and_then(|rank| rank.checked_sub(1));
        let reflected = column.zip(rank).and_then(|(x, y)| {
            let (x, y) = ((shape.columns() - 1).checked_sub(x)?, (shape.ranks() - 1).checked_sub(y)?);
            shape.cell(x, y)
        });
        match reflected {
            Some(cell) => mirrored += &shape.label(cell),
            None => {
                mirrored.push(letter);
                mirrored += &digits;
            }
        }
    }
    mirrored
}

/// Returns true if a move is legal.
pub(super) fn is_legal(board: &dyn Board, text: &str) -> bool {
    let mut here = board.fork();
    let side = here.side();
    text.split(',').all(|text| {
        let step = here.find_step(text).ok().filter(|_| here.side() == side);
        step.map(|step| here.make(step)).is_some()
    })
}

/// Returns the steps that mirror a move of the opponent, if they are legal and end the move of the side to move.
pub(super) fn image(board: &dyn Board, text: &str) -> Option<Vec<Step>> {
    let mirrored = mirrored(board.shape(), text);
    let mut here = board.fork();
    let side = here.side();
    let mut steps = Vec::new();
    for text in mirrored.split(',') {
        let step = here.find_step(text).ok().filter(|_| here.side() == side)?;
        here.make(step);
        steps.push(step);
    }
    (here.side() != side || here.is_over()).then_some(steps)
}
