//! Drives a board: plays steps, takes one back, and plays on to the end of the game.
//!
//! `cargo run --example board`

use std::error::Error;
use std::io::{self, Write};

use pentalith::games;

/// Plays a game of Markane.
pub fn run(output: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let variant = games::parse_variant("markane:4x4")?;
    let mut board = games::open(&variant).ok_or("a variant of no game")?;
    for text in ["a2", "c3"] {
        // An error names the column, what was expected there, or why the step is illegal.
        let step = board.find_step(text)?;
        writeln!(output, "{} plays {text}: {}.", board.side(), board.narrate(step).clause)?;
        board.make(step);
    }
    writeln!(output, "{}", board.diagram())?;

    board.unmake();
    let (mut steps, mut turns) = (Vec::new(), 0);
    // The legal steps are empty if and only if the game is over.
    loop {
        steps.clear();
        board.steps(&mut steps);
        let Some(&first) = steps.first() else {
            break;
        };
        board.make(first);
        turns = board.turn();
    }
    if let Some(outcome) = board.outcome() {
        let winner = outcome.winner.map_or("no one".to_owned(), |color| color.to_string());
        writeln!(output, "turn {turns}: {winner} wins by {}", outcome.reason)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout().lock())
}
