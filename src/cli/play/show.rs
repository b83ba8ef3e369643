//! Shows the position and the moves.

use std::io;

use super::board::{Marks, cells, draw};
use super::game::{Game, Trouble, refuse};
use super::reading::expected_step;
use super::words::{self, wrap};
use crate::render::{self, Block};
use crate::rules::{Board, Equipment, Narration, Outcome};

/// Most steps of a move that are told in words, and marked.
pub(super) const MAX_TOLD: usize = 8;

impl Game<'_> {
    /// Prints a text, its lines broken to fit the terminal.
    pub(super) fn say(&mut self, text: &str) -> io::Result<()> {
        self.say_indented(text, 0)
    }

    /// Prints a text whose lines after the first are indented.
    pub(super) fn say_indented(&mut self, text: &str, indent: usize) -> io::Result<()> {
        for line in text.split('\n').flat_map(|line| wrap(line, self.look.width, indent)) {
            writeln!(self.output, "{line}")?;
        }
        Ok(())
    }

    /// Shows the board and what is expected now, or how the game has ended.
    pub(super) fn show(&mut self) -> io::Result<()> {
        self.is_shown = true;
        let picture = self.session.picture();
        let moves = self.session.moves();
        let last = moves.last().map(String::as_str).unwrap_or_default();
        // Marks all over the board, as after setting up, say nothing.
        let last = if last.split(',').count() > MAX_TOLD { "" } else { last };
        let mut marks = Marks::of(last.split(','));
        // A swap turns all, and a piece that another one takes is not turned.
        if !last.is_empty() && !last.split(',').any(|step| step == "swap") {
            marks.turned = self.turned_cells();
            marks.turned.retain(|cell| !marks.targets.contains(cell));
        }
        writeln!(self.output)?;
        for line in draw(&picture, &marks, self.look) {
            writeln!(self.output, "{line}")?;
        }
        if !marks.turned.is_empty() {
            self.say("( ) the last move, < > pieces that it turned")?;
        }
        for line in &picture.status {
            self.say(line)?;
        }
        if let Some(counts) = self.counts(picture.equipment) {
            self.say(&counts)?;
        }
        let state = match self.outcome() {
            Some(outcome) => self.end_words(outcome),
            None => self.turn_words(),
        };
        self.say(&state)?;
        if self.outcome().is_none() && self.may_be_asked_to_swap() {
            let side = self.session.side();
            let other = !side;
            self.say(&format!(
                "The pie rule: instead of moving you may swap. Every piece changes its colour, so you have the \
                     position of {other}; you stay {side}, and {other} moves next.",
            ))?;
        }
        Ok(())
    }

    /// Returns the cells whose pieces changed their colour in the last move.
    fn turned_cells(&self) -> Vec<String> {
        let board = self.session.board();
        let (before, _) = board.last_move();
        let color = |board: &dyn Board, cell| board.piece(cell).map(|piece| piece.color);
        let cells = board.shape().cells().filter(|&cell| {
            let (old, new) = (color(&*before, cell), color(board, cell));
            old.is_some() && new.is_some() && old != new
        });
        cells.map(|cell| board.shape().label(cell)).collect()
    }

    /// Returns the counts that the game's own status lines do not have.
    fn counts(&self, equipment: Equipment) -> Option<String> {
        let what = match equipment {
            Equipment::Pits => "stones",
            Equipment::Stacks => "spaces",
            Equipment::Stones | Equipment::Dice => return None,
        };
        let counts = self.session.counts();
        let of = |name| counts.iter().find(|(known, _)| *known == name);
        let ((_, black), (_, white)) = (of("b")?, of("w")?);
        Some(format!("{what}: Black {black}, White {white}"))
    }

    fn end_words(&self, outcome: Outcome) -> String {
        let mut text = match self.resigned {
            Some(loser) => format!("{} wins: {loser} has resigned.", !loser),
            None => words::result(self.session.board(), outcome),
        };
        text.push_str(match (self.side.only(), outcome.winner) {
            (Some(own), Some(winner)) if own == winner => " You have won!",
            (Some(_), Some(_)) => " The engine has won.",
            _ => "",
        });
        format!("{text}\nnew begins another game, undo goes back, save FILE keeps it, quit ends.")
    }

    fn turn_words(&self) -> String {
        let side = self.session.side();
        let who = match self.side.only() {
            Some(own) if own == side => " (you)",
            Some(_) => " (the engine)",
            None => "",
        };
        let so_far = match self.unfinished_move() {
            Some(steps) if steps.split(',').count() > MAX_TOLD => {
                format!(" after {} steps", steps.split(',').count())
            }
            Some(steps) => format!(" after {steps}"),
            None => String::new(),
        };
        let turn = format!("Turn {}, {side}{who}{so_far}", self.session.turn());
        match (self.side.has(side), self.is_paused) {
            (true, _) => format!("{turn}: {}", self.expectation()),
            (false, true) => {
                format!("{turn}. Enter or go lets the engine move; you may also move for {side}.")
            }
            (false, false) => format!("{turn}."),
        }
    }

    /// Returns the steps that the side to move has taken in its present move.
    fn unfinished_move(&self) -> Option<String> {
        let side = self.session.side();
        let last = self.plays.last().filter(|play| play.color == side);
        last.and_then(|_| self.session.moves().last().cloned())
    }

    /// Describes the step that is expected now, with examples.
    fn expectation(&self) -> String {
        let legal = self.session.legal();
        if let [only] = legal.as_slice() {
            return format!("{only} is the only step.");
        }
        let mut expected = format!("{}.", expected_step(&self.session));
        let cell = legal.first().and_then(|step| cells(step).pop());
        if let (Some(_), Some(cell)) = (self.session.picture().value_to_set, cell) {
            let rest = match self.session.turn() <= 2 {
                true => "sets all your dice",
                false => "plays your whole turn",
            };
            expected.push_str(&format!(" {cell} alone is enough; with go the engine {rest}."));
        }
        expected
    }

    /// Prints a move that was played, and in words what its steps have done.
    pub(super) fn narrate(&mut self, who: &str, told: &[Narration]) -> io::Result<()> {
        self.narrate_as(who, told, ("are yours now, and were", "still plays"))
    }

    /// Prints a move that the engine would play, and in words what its steps would do.
    pub(super) fn narrate_advice(&mut self, told: &[Narration]) -> io::Result<()> {
        let after_swap = ("would be yours, and are", "would still play");
        self.narrate_as("The engine would play", told, after_swap)
    }

    fn narrate_as(&mut self, who: &str, told: &[Narration], (taken, plays): (&str, &str)) -> io::Result<()> {
        let steps: Vec<&str> = told.iter().map(|told| told.step.as_str()).collect();
        match told {
            [only] if only.step == "swap" => {
                let colors = match self.side.only() {
                    Some(own) => format!(
                        "You are still {own}: the {} pieces {taken} {}'s.",
                        own.to_string().to_lowercase(),
                        !own
                    ),
                    None => format!("Black {plays} the black pieces, and White the white ones."),
                };
                self.say(&format!("{who} {}: {}. {colors}", only.step, only.clause))
            }
            [only] => self.say(&format!("{who} {}: {}.", only.step, only.clause)),
            _ if told.len() > MAX_TOLD => {
                self.say_indented(&format!("{who} {} steps: {}", told.len(), steps.join(", ")), 2)
            }
            _ => {
                self.say_indented(&format!("{who} {}:", steps.join(",")), 2)?;
                for (i, told) in told.iter().enumerate() {
                    self.say_indented(&format!("  {}. {}: {}", i + 1, told.step, told.clause), 5)?;
                }
                Ok(())
            }
        }
    }

    /// Shows the rules of the game.
    pub(super) fn show_rules(&mut self) -> Result<(), Trouble> {
        let name = self.session.variant().info().name;
        let Some(blocks) = render::rules(name) else {
            return refuse(format!("There is no page of rules for {name}."));
        };
        for block in blocks {
            match block {
                Block::Literal(line) => writeln!(self.output, "{line}")?,
                Block::Heading(text) => self.say(&text.to_uppercase())?,
                Block::Text(text) => self.say(&text)?,
                Block::Item(text) => self.say_indented(&text, 2)?,
            }
        }
        Ok(())
    }

    /// Shows the board before the next prompt.
    pub(super) fn show_again(&mut self) {
        self.is_shown = false;
    }
}
