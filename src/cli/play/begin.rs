//! Begins another game, and keeps the one that is left.

use super::Side;
use super::game::{CommandError, Game, refuse};
use crate::games;
use crate::notation::VariantError;
use crate::rules::Variant;
use crate::table::{Action, NewGame};
use crate::text::quote;

/// Maximum number of lines of the command that resumes a replaced game. A longer one is not shown.
const MAX_LINES: usize = 3;

impl Game<'_> {
    /// Begins another game, of the present variant or of the one that `rest` names.
    pub(super) fn begin(&mut self, rest: &str) -> Result<(), CommandError> {
        let variant = match rest {
            "" => None,
            text => Some(self.named_variant(text)?),
        };
        self.leave()?;
        // Who moved first does so again.
        let players = variant.as_ref().zip(self.side().only()).map(|(variant, own)| {
            let first = variant.info().first;
            let begins = own == self.session().variant().info().first;
            Side::of(if begins { first } else { !first }).players()
        });
        self.apply(Action::New(Box::new(NewGame { variant, players, ..NewGame::default() })))?;
        self.note_begin();
        // Who watched a game wants to see the next one begin.
        if self.side() == Side::None {
            self.apply(Action::Pause)?;
        }
        Ok(self.introduce()?)
    }

    /// Reads a variant. Blanks may stand for the colon and the commas. Size and options without the name of a game
    /// change those of the present variant.
    fn named_variant(&self, text: &str) -> Result<Variant, CommandError> {
        let whole = match games::parse_variant(text) {
            Ok(variant) => return Ok(variant),
            Err(error) => error,
        };
        let words: Vec<&str> = text.split([' ', '\t', ':', ',']).filter(|word| !word.is_empty()).collect();
        let is_item = |word: &str| word.contains('=') || word.starts_with(|c: char| c.is_ascii_digit());
        let spelled = match words.split_first() {
            Some((first, _)) if is_item(first) => changed(self.session().variant(), &words),
            Some((name, [])) => (*name).to_owned(),
            Some((name, items)) => format!("{name}:{}", items.join(",")),
            None => return refuse(format!("Bad variant: {whole}")),
        };
        games::parse_variant(&spelled).or_else(|error| match error {
            VariantError::Value { item, message, .. } => {
                refuse(format!("Bad variant: {}: {item}: {message}", quote(text)))
            }
            VariantError::Syntax(_) => refuse(format!("Bad variant: {whole}")),
        })
    }

    /// Leaves a game for another one: says how to go on with it later, or asks where that would take many lines.
    pub(super) fn leave(&mut self) -> Result<(), CommandError> {
        if self.is_saved || self.table.path().is_empty() || self.table.is_over() {
            return Ok(());
        }
        let lines = self.command_lines();
        if lines.len() > MAX_LINES {
            let question = "This game is not over, and save FILE has not saved it. Leave it?";
            return if self.confirm(question)? { Ok(()) } else { refuse("The game continues.") };
        }
        self.say("To go on later with the game that you leave, quit the program and type:")?;
        for line in lines {
            writeln!(self.output, "{line}")?;
        }
        Ok(())
    }

    /// Says how to open the game later, if it is not saved. `lead` begins the sentence.
    pub(super) fn part(&mut self, lead: &str) -> Result<(), CommandError> {
        if self.is_saved || self.table.path().is_empty() {
            return Ok(());
        }
        let lines = self.command_lines();
        match lines.as_slice() {
            [line] if lead.len() + 2 + line.chars().count() <= self.terminal.width => {
                writeln!(self.output, "{lead}: {line}")?;
            }
            lines => {
                self.say(&format!("{lead}, type:"))?;
                for line in lines {
                    writeln!(self.output, "{line}")?;
                }
            }
        }
        Ok(())
    }

    /// Returns the command that resumes the game.
    ///
    /// A shell takes its lines as they are: they break only between the moves, which are quoted, and between the steps
    /// of a move that is longer than a line.
    fn command_lines(&self) -> Vec<String> {
        let mut line = format!("pentalith play {}", self.session().variant());
        if let Some(start) = self.table.start_position() {
            line.push_str(&format!(" --position '{start}'"));
        }
        let side = match self.side() {
            Side::Black => "b",
            Side::White => "w",
            Side::Both => "both",
            Side::None => "none",
        };
        line.push_str(&format!(" --as {side}"));
        let level = self.table.level();
        if level.is_limited() {
            line.push_str(&format!(" --level {level}"));
        }
        line.push_str(" --moves '");
        let width = self.terminal.width;
        let length = |text: &str| text.chars().count();
        let (mut lines, mut between) = (Vec::new(), "");
        for text in self.session().moves() {
            // A break between its steps leaves it one move.
            let parts: Vec<&str> = if length(&text) + 1 > width { text.split(',').collect() } else { vec![&text] };
            for part in parts {
                if length(&line) + length(between) + length(part) + 1 > width {
                    lines.push(std::mem::take(&mut line));
                } else {
                    line.push_str(between);
                }
                line.push_str(part);
                between = ",";
            }
            between = " ";
        }
        line.push('\'');
        lines.push(line);
        lines
    }
}

/// Returns the text of a variant with other items: sizes and options.
fn changed(variant: &Variant, items: &[&str]) -> String {
    let text = variant.to_string();
    let (name, known) = text.split_once(':').unwrap_or((&text, ""));
    let key = |item: &str| {
        let key = item.split_once('=').map(|(key, _)| key.to_lowercase());
        key.unwrap_or_default()
    };
    let is_kept = |known: &&str| !known.is_empty() && items.iter().all(|item| key(item) != key(known));
    let kept = known.split(',').filter(is_kept);
    let all: Vec<&str> = kept.chain(items.iter().copied()).collect();
    format!("{name}:{}", all.join(","))
}
