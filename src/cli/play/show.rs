//! Shows the position and the moves.

use std::io;

use super::board::{Marks, cells, draw};
use super::game::{CommandError, Game, MAX_TOLD, reason, refuse};
use super::pager;
use super::reading::expected_step;
use super::text::{self, wrap};
use crate::render::{self, Block};
use crate::rules::{Board, Narration};
use crate::table::NodeId;

impl Game<'_> {
    /// Prints a text, its lines broken to fit the terminal.
    pub(super) fn say(&mut self, text: &str) -> io::Result<()> {
        self.say_indented(text, 0)
    }

    /// Prints a text whose lines after the first are indented.
    pub(super) fn say_indented(&mut self, text: &str, indent: usize) -> io::Result<()> {
        self.print(&self.wrapped(text, indent))
    }

    /// Breaks the lines of a text to fit the terminal; those after the first are indented.
    pub(super) fn wrapped(&self, text: &str, indent: usize) -> Vec<String> {
        text.split('\n').flat_map(|line| wrap(line, self.terminal.width, indent)).collect()
    }

    fn print(&mut self, lines: &[String]) -> io::Result<()> {
        lines.iter().try_for_each(|line| writeln!(self.output, "{line}"))
    }

    /// Prints lines, by the pager if a person is at a terminal whose window has fewer.
    pub(super) fn page(&mut self, lines: &[String]) -> Result<(), CommandError> {
        let is_long = self.terminal.window.is_some_and(|window| window.rows > 0 && lines.len() >= window.rows);
        // Commands from a pipe must not wait for a key.
        if is_long && self.person.has_editor {
            self.output.flush()?;
            let is_read = self.person.with_terminal(|_| pager::page(lines));
            self.drop_interrupts()?;
            self.terminal.measure();
            if is_read {
                return Ok(());
            }
        }
        Ok(self.print(lines)?)
    }

    /// Shows the board and what is expected now, or how the game has ended.
    pub(super) fn show(&mut self) -> io::Result<()> {
        self.is_shown = true;
        let picture = self.session().picture();
        let moves = self.session().moves();
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
        for line in draw(&picture, &marks, self.terminal) {
            writeln!(self.output, "{line}")?;
        }
        let turned = (!marks.turned.is_empty()).then_some("( ) the last move, < > pieces that it turned");
        let mut squares = picture.ranks.iter().flatten().flatten();
        let landmarks = squares.any(|square| square.is_landmark).then_some("{ } the center pits");
        let legend: Vec<&str> = turned.into_iter().chain(landmarks).collect();
        if !legend.is_empty() {
            self.say(&legend.join(", "))?;
        }
        for line in &picture.status {
            self.say(line)?;
        }
        if let Some(dice) = self.session().dice_left().filter(|_| !self.table.is_over()) {
            self.say(&dice)?;
        }
        if let Some(counts) = self.session().material() {
            self.say(&counts)?;
        }
        let state = if self.table.is_over() { self.end_words() } else { self.turn_words() };
        self.say(&state)?;
        if !self.table.is_over() && self.may_be_asked_to_swap() {
            let side = self.session().side();
            let other = !side;
            self.say(&format!(
                "The pie rule: instead of moving you may swap. Every piece changes its color, so you have the \
                     position of {other}; you stay {side}, and {other} moves next.",
            ))?;
        }
        Ok(())
    }

    /// Returns the cells whose pieces changed their color in the last move.
    fn turned_cells(&self) -> Vec<String> {
        let board = self.session().board();
        let (before, _) = board.last_move();
        let color = |board: &dyn Board, cell| board.piece(cell).map(|piece| piece.color);
        let cells = board.shape().cells().filter(|&cell| {
            let (old, new) = (color(&*before, cell), color(board, cell));
            old.is_some() && new.is_some() && old != new
        });
        cells.map(|cell| board.shape().label(cell)).collect()
    }

    fn end_words(&self) -> String {
        let winner = self.table.winner().flatten();
        let mut text = match (self.table.end(), self.session().outcome()) {
            (Some(end), _) => {
                let result = winner.map_or_else(|| "Draw".to_owned(), |winner| format!("{winner} wins"));
                format!("{result}: {}.", reason(end))
            }
            (None, Some(outcome)) => text::result(self.session().board(), outcome),
            (None, None) => String::new(),
        };
        text.push_str(match (self.side().only(), winner) {
            (Some(own), Some(winner)) if own == winner => " You have won!",
            (Some(_), Some(_)) => " The engine has won.",
            _ => "",
        });
        format!(
            "{text}\nnew begins another game, review explains this one, undo goes back, save FILE keeps it, quit ends."
        )
    }

    fn turn_words(&self) -> String {
        let side = self.session().side();
        let who = match self.side().only() {
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
        let turn = format!("Turn {}, {side}{who}{so_far}", self.session().turn());
        match (self.is_persons_turn(), self.table.is_paused()) {
            (true, _) => format!("{turn}: {}", self.expectation()),
            (false, true) => {
                format!("{turn}. Enter or go lets the engine move; you may also move for {side}.")
            }
            (false, false) => format!("{turn}."),
        }
    }

    /// Returns the steps that the side to move has taken in its present move.
    fn unfinished_move(&self) -> Option<String> {
        let side = self.session().side();
        let is_of_side = |last: &NodeId| self.table.node(*last).is_some_and(|last| last.color == side);
        self.table.path().last().filter(|last| is_of_side(last))?;
        self.session().moves().last().cloned()
    }

    /// Describes the step that is expected now, with examples.
    fn expectation(&self) -> String {
        let legal = self.session().legal();
        if let [only] = legal.as_slice() {
            return format!("{only} is the only step.");
        }
        let mut expected = format!("{}.", expected_step(self.session()));
        let cell = legal.first().and_then(|step| cells(step).pop());
        if let (Some(_), Some(cell)) = (self.session().picture().value_to_set, cell) {
            let rest = if self.session().turn() <= 2 { "sets all your dice" } else { "plays your whole turn" };
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
                let colors = match self.side().only() {
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
    pub(super) fn show_rules(&mut self) -> Result<(), CommandError> {
        let name = self.session().variant().info().name;
        let Some(blocks) = render::rules(name) else {
            return refuse(format!("There is no page of rules for {name}."));
        };
        let lines = blocks.into_iter().flat_map(|block| match block {
            Block::Literal(line) => vec![line],
            Block::Heading(text) => self.wrapped(&text.to_uppercase(), 0),
            Block::Text(text) => self.wrapped(&text, 0),
            Block::Item(text) => self.wrapped(&text, 2),
            Block::Picture(_, words) => self.wrapped(&format!("[{words}]"), 2),
            Block::Table(rows) => text::table(&rows, self.terminal.width),
        });
        let lines: Vec<String> = lines.collect();
        self.page(&lines)
    }
}
