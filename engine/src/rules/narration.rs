//! Effects of steps: as cells that change, and in words.

use super::{Color, Notation, Piece, Position};
use crate::board::Cell;
use crate::text::list;

/// The changes by a step that its text does not show.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Effects {
    /// Captured pieces with their cells: those that the step moved onto, and those that left the board.
    pub captured: Vec<(Cell, Piece)>,
    /// Cells whose piece changed its color, or was placed and changed it at once, with the new color.
    pub turned: Vec<(Cell, Color)>,
}

impl Effects {
    /// Compares the positions before and after a legal step.
    pub fn of<G: Notation>(game: &G, step: G::Step, before: &G::Position, after: &G::Position) -> Self {
        let (side, touched) = (before.side(), game.clicks(before, step).cells());
        let mut effects = Self::default();
        for cell in game.shape().cells() {
            let is_target = matches!(touched.as_slice(), [_, to] if *to == cell);
            match (game.piece(before, cell), game.piece(after, cell)) {
                (Some(old), new) if old.color != side && new.is_none_or(|new| is_target && new.color == side) => {
                    effects.captured.push((cell, old));
                }
                (Some(old), Some(new)) if old.color != new.color => effects.turned.push((cell, new.color)),
                (None, Some(new)) if new.color != side => effects.turned.push((cell, new.color)),
                _ => {}
            }
        }
        effects
    }

    /// Describes the effects as clauses with verbs: `captures c1`, `turns a1 and b2 white`.
    ///
    /// Captures on the cells that the step itself names are left out.
    pub fn clauses<G: Notation>(&self, game: &G, named: &[Cell]) -> Vec<String> {
        let label = |&(cell, _): &(Cell, _)| game.shape().label(cell);
        let captured = self.captured.iter().filter(|(cell, _)| !named.contains(cell));
        let captured: Vec<String> = captured.map(|&(cell, _)| game.shape().label(cell)).collect();
        let mut clauses = Vec::new();
        if !captured.is_empty() {
            clauses.push(format!("captures {}", list(&captured, "and")));
        }
        for color in Color::BOTH {
            let turned: Vec<String> = self.turned.iter().filter(|(_, new)| *new == color).map(label).collect();
            if !turned.is_empty() {
                clauses.push(format!("turns {} {}", list(&turned, "and"), color.to_string().to_lowercase()));
            }
        }
        clauses
    }
}

/// A step in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Narration {
    /// The step, as the notation writes it.
    pub step: String,
    /// The effect, as a clause without a subject: `a stone on d1, which captures c1`.
    pub clause: String,
    /// True if it does more than its text says.
    pub has_effects: bool,
}

impl Narration {
    /// Creates the narration of a step whose clause says no more than its text.
    pub fn plain(step: String, clause: impl Into<String>) -> Self {
        Self { step, clause: clause.into(), has_effects: false }
    }

    /// Creates the narration of a step whose clause says more than its text.
    pub fn telling(step: String, clause: impl Into<String>) -> Self {
        Self { has_effects: true, ..Self::plain(step, clause) }
    }

    /// Adds clauses with verbs, if there are any, behind a link such as `, which`.
    pub fn with(mut self, link: &str, clauses: &[String]) -> Self {
        if !clauses.is_empty() {
            self.clause.push_str(&format!("{link} {}", list(clauses, "and")));
            self.has_effects = true;
        }
        self
    }

    /// Describes a step by the cells that it touches and the pieces there ([`Notation::narrate`]).
    pub fn of<G: Notation>(game: &G, step: G::Step, before: &G::Position, after: &G::Position) -> Self {
        let (text, noun, side) = (game.write_step(step), game.equipment().noun(), before.side());
        let label = |cell| game.shape().label(cell);
        let touched = game.clicks(before, step).cells();
        let narration = match (touched.as_slice(), text.as_str()) {
            ([], "swap") => {
                let clause = format!("every piece changes its color, so {side} has the position of {}", !side);
                return Self::telling(text, clause);
            }
            ([], "pass") => Self::telling(text, format!("{side} has no step")),
            ([], _) => Self::plain(text, "the turn ends"),
            (&[cell], _) => Self::plain(text, format!("a {noun} on {}", label(cell))),
            (&[from, to, ..], _) => match game.piece(before, to) {
                Some(_) => {
                    Self::telling(text, format!("the {noun} on {} takes the {noun} on {}", label(from), label(to)))
                }
                None => Self::plain(text, format!("the {noun} on {} goes to {}", label(from), label(to))),
            },
        };
        narration.with(", which", &Effects::of(game, step, before, after).clauses(game, &touched))
    }
}
