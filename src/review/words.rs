//! Reviews in words.

use super::{Proven, Review, ReviewedMove};
use crate::rules::Color;
use crate::text::counted;

/// Number of mistakes in the short answer.
const SHORT: usize = 3;

/// Number of moves that are named after the better one.
const LATER: usize = 4;

impl Review {
    /// Returns the mistakes that decided the game, the greatest loss first.
    pub fn decisive(&self) -> impl Iterator<Item = &ReviewedMove> {
        self.mistakes().into_iter().take(SHORT)
    }

    /// Returns the average loss per move of a side in the opening, the middle and the end of the game.
    pub fn losses(&self, side: Color) -> [Option<f64>; 3] {
        let third = self.moves.len().div_ceil(3).max(1);
        [0, 1, 2].map(|phase| {
            let moves = self.moves.iter().skip(phase * third).take(third).filter(|made| made.side == side);
            let losses: Vec<f64> = moves.map(|made| made.loss).collect();
            (!losses.is_empty()).then(|| losses.iter().sum::<f64>() / losses.len() as f64)
        })
    }
}

impl Proven {
    /// Returns the result for a side: `win`, `loss` or `draw`.
    pub fn word(self, side: Color) -> &'static str {
        match self.winner {
            None => "draw",
            Some(winner) if winner == side => "win",
            Some(_) => "loss",
        }
    }
}

impl ReviewedMove {
    /// Returns the proven result behind the move for the side that moved, as in `proven loss within 5 moves`.
    pub fn proof_words(&self) -> Option<String> {
        let proven = self.proof_after?;
        let within = proven.moves.filter(|_| proven.winner.is_some());
        let within = within.map(|moves| format!(" within {}", counted(moves.into(), "move"))).unwrap_or_default();
        Some(format!("proven {}{within}", proven.word(self.side)))
    }

    /// Returns what the move did, as in `turn 7, White c3: 71.2 % became a proven loss within 5 moves`.
    pub fn headline(&self) -> String {
        let before = match self.proof_before {
            Some(proven) => format!("a proven {}", proven.word(self.side)),
            None => format!("{:.1} %", 100.0 * self.before),
        };
        let after = match self.proof_words() {
            Some(words) => format!("a {words}"),
            None => format!("{:.1} %", 100.0 * self.after),
        };
        let Self { turn, side, text, .. } = self;
        format!("turn {turn}, {side} {text}: {before} became {after}")
    }

    /// Returns the better move in words, and how the game may go on with it.
    pub fn better(&self) -> String {
        // A proof has found what the search has not.
        if self.best == self.text {
            return "What was better is not known.".to_owned();
        }
        let was = if self.is_only { "The only good move was" } else { "Better was" };
        let better = match self.told.as_slice() {
            [told] => format!("{}: {}", told.step, told.clause),
            _ => self.best.clone(),
        };
        let later: Vec<&str> = self.line.iter().skip(1).take(LATER).map(String::as_str).collect();
        let later = if later.is_empty() { String::new() } else { format!(" Then perhaps {}.", later.join(" ")) };
        format!("{was} {better}.{later}")
    }
}
