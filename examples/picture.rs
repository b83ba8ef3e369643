//! Draws a position with a mark, an arrow and a note, as SVG.
//!
//! `cargo run --example picture > picture.svg`

use std::error::Error;
use std::io::{self, Write};

use pentalith::games;
use pentalith::render::{Annotations, Style, svg};

/// Draws a position of Invector.
pub fn run(output: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let variant = games::parse_variant("invector:5x4,pie=off")?;
    let mut board = games::open(&variant).ok_or("a variant of no game")?;
    board.set_position("...../.wbw./..w../..... b 21")?;
    // Columns and ranks are counted from 0: the stone on c3 can capture the one on b3.
    let cell = |column, rank| board.shape().cell(column, rank).ok_or("no such cell");
    let annotations = Annotations {
        marks: vec![cell(1, 2)?],
        arrows: vec![(cell(2, 2)?, cell(1, 2)?)],
        notes: vec!["A capture".to_owned()],
        ..Annotations::default()
    };
    let style = Style { size: 640, ..Style::default() };
    output.write_all(svg(&*board, &annotations, &style).as_bytes())?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout().lock())
}
