//! Lists legal steps, and says why a cell has none.

use super::board::cells;
use super::game::{CommandError, Game, refuse};
use super::text::square;
use crate::notation::form;
use crate::session::Square;
use crate::text::{counted, quote};

impl Game<'_> {
    /// Lists the legal steps: all of them, or those of a cell.
    pub(super) fn list_legal(&mut self, rest: &str) -> Result<(), CommandError> {
        let steps = self.session().legal();
        if steps.is_empty() {
            return refuse("The game is over: there is no step.");
        }
        match rest {
            "" => self.list_all(&steps),
            cell => self.list_of_cell(&steps, cell),
        }
    }

    fn list_all(&mut self, steps: &[String]) -> Result<(), CommandError> {
        let count = counted(steps.len() as u64, "step");
        self.say(&format!("{count} of {}:", self.session().side()))?;
        let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
        for step in steps {
            let form = form(step);
            match groups.iter_mut().find(|(known, _)| *known == form) {
                Some((_, group)) => group.push(step),
                None => groups.push((form, vec![step])),
            }
        }
        for (_, group) in groups {
            self.say_indented(&format!("  {}", group.join(" ")), 2)?;
        }
        Ok(())
    }

    fn list_of_cell(&mut self, steps: &[String], typed: &str) -> Result<(), CommandError> {
        let cell = typed.to_lowercase();
        let picture = self.session().picture();
        let Some(found) = square(&picture, &cell) else {
            let mut squares = picture.ranks.iter().flatten().flatten();
            let example = squares.next().map_or("", |square| square.label.as_str());
            return refuse(format!("{} is not a cell of this board, such as {example}.", quote(typed)));
        };
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for step in steps {
            let cells = cells(step);
            if cells.first() == Some(&cell) {
                from.push(step.as_str());
            } else if cells.contains(&cell) {
                to.push(step.as_str());
            }
        }
        if from.is_empty() {
            let side = self.session().side();
            let why = self.why_none(found);
            self.say(&format!("{side} has no step at {cell}: {why}."))?;
        } else {
            self.say_indented(&format!("At {cell}: {}", from.join(" ")), 2)?;
        }
        if !to.is_empty() {
            self.say_indented(&format!("To {cell}: {}", to.join(" ")), 2)?;
        }
        Ok(())
    }

    /// Explains why no step begins on a cell: by the rules, or by the piece there.
    fn why_none(&self, found: &Square) -> String {
        let board = self.session().board();
        let mut cells = board.shape().cells();
        let cell = cells.find(|&cell| board.shape().label(cell) == found.label);
        if let Some(reason) = cell.and_then(|cell| board.explain_cell(cell)) {
            return reason;
        }
        let noun = board.equipment().noun();
        match found.piece {
            Some(piece) if piece.color == board.side() => format!("the {noun} there has no legal step"),
            Some(piece) => format!("the {noun} there is {}'s", piece.color),
            None => "it is empty".to_owned(),
        }
    }
}
