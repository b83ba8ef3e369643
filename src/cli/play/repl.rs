//! The loop of a game in the terminal: prompts, lines, errors in them.

use std::io;

use super::Side;
use super::board::cells;
use super::commands;
use super::game::{CommandError, Game};
use super::input::{Answer, Question};
use super::reading::{expected_step, says_what};
use super::text::square;
use crate::notation::form;
use crate::rules::{Color, StepError};
use crate::session::{Level, PlayError};
use crate::table::Action;
use crate::text::quote;

impl Game<'_> {
    /// Plays until the person leaves.
    pub(super) fn run(&mut self) -> Result<(), CommandError> {
        self.greet()?;
        while !self.has_left {
            let over = self.table.is_over();
            if !over && !self.table.is_paused() && !self.is_persons_turn() {
                self.engine_moves()?;
                if self.side() == Side::None {
                    // Ctrl-C ended the search, and stops the game.
                    if self.is_interrupted {
                        self.apply(Action::Pause)?;
                    }
                    self.show()?;
                }
                continue;
            }
            if !self.is_shown {
                self.show()?;
            }
            if !over && self.may_be_asked_to_swap() {
                match self.ask("Swap? [y/N] ", false)? {
                    Some(line) => match line.trim().to_lowercase().as_str() {
                        "y" | "yes" => {
                            self.person_moves("swap")?;
                            continue;
                        }
                        "n" | "no" | "" => self.is_swap_declined = true,
                        word if self.is_meaningless(word) => {
                            self.say("Answer y or n, or type a move or a command.")?;
                            continue;
                        }
                        _ => {
                            self.run_line(&line)?;
                            continue;
                        }
                    },
                    None => break,
                }
                if self.may_be_asked_to_swap() || !self.is_shown {
                    continue;
                }
            }
            let prompt = if over { "> ".to_owned() } else { format!("{}> ", self.session().side()) };
            match self.ask(&prompt, true)? {
                Some(line) => self.run_line(&line)?,
                None => break,
            }
        }
        self.part(if self.table.is_over() { "To see this game again" } else { "To resume this game" })
    }

    /// Returns true if a line is neither a command nor the beginning of a move.
    fn is_meaningless(&mut self, line: &str) -> bool {
        let read = self.read(line);
        let is_read = !matches!(read, Err(PlayError::Step(StepError::Syntax(_))));
        commands::find(line).is_none() && !is_read
    }

    fn greet(&mut self) -> io::Result<()> {
        self.introduce()?;
        self.say(if self.person.has_editor {
            "Type a move, help or rules. Tab completes what you have begun."
        } else {
            "Type a move, help or rules."
        })
    }

    /// Says what is played, and by whom.
    pub(super) fn introduce(&mut self) -> io::Result<()> {
        let info = self.session().variant().info();
        let text = format!("{}: {}", self.session().variant(), info.about);
        self.say(&text)?;
        let engine = self.engine_words();
        let who = match self.side() {
            Side::Both => "You play both sides; go lets the engine move.".to_owned(),
            Side::None => format!("The engine plays both sides{engine}; Ctrl-C stops the game."),
            Side::Black | Side::White => {
                let own = if self.side() == Side::Black { Color::Black } else { Color::White };
                format!("You are {own}; the engine is {}{engine}.", !own)
            }
        };
        let who = format!("{who} {} moves first.", info.first);
        self.say(&who)
    }

    /// Returns the level of the engine in words, with a comma before them.
    fn engine_words(&self) -> String {
        let level = self.table.level();
        format!(", level {level} ({} of {})", level.number(), Level::all().len())
    }

    /// Returns true where the pie rule offers a swap to the person.
    pub(super) fn may_be_asked_to_swap(&self) -> bool {
        !self.is_swap_declined
            && !self.table.is_paused()
            && self.session().legal().last().is_some_and(|step| step == "swap")
    }

    /// Asks for a line; `None` at the end of the input or after Ctrl-C.
    pub(super) fn ask(&mut self, prompt: &str, is_move: bool) -> Result<Option<String>, CommandError> {
        loop {
            if let Some(line) = self.person.next_pasted() {
                writeln!(self.output, "{prompt}{line}")?;
                return Ok(Some(line));
            }
            if !self.person.has_editor {
                write!(self.output, "{prompt}")?;
            }
            self.output.flush()?;
            let position = || [self.session().variant().to_string(), self.session().position()];
            let question = Question { prompt: prompt.to_owned(), position: is_move.then(position) };
            let answer = self.person.ask(question);
            // The window may have another size now.
            self.terminal.measure();
            match answer {
                Answer::Line(line) => {
                    self.is_warned = false;
                    if !self.person.is_echoed {
                        writeln!(self.output, "{line}")?;
                    }
                    return Ok(Some(line));
                }
                // It may have been meant for the engine, or for what was typed.
                Answer::Interrupt if self.person.has_editor && !self.is_warned => {
                    self.is_warned = true;
                    self.say("Ctrl-C once more, or quit, leaves the game.")?;
                }
                Answer::Interrupt | Answer::End => {
                    writeln!(self.output)?;
                    return Ok(None);
                }
            }
        }
    }

    /// Asks a question; only `y` and `yes` mean yes.
    pub(super) fn confirm(&mut self, question: &str) -> Result<bool, CommandError> {
        let answer = self.ask(&format!("{question} [y/N] "), false)?;
        let answer = answer.unwrap_or_default().trim().to_lowercase();
        Ok(answer == "y" || answer == "yes")
    }

    /// Does what a line says: a command or a move. Says why, if it can't be done.
    fn run_line(&mut self, line: &str) -> Result<(), CommandError> {
        let line = line.trim();
        let done = match commands::find(line) {
            Some((command, rest)) => command.run(self, rest),
            None if line.is_empty() => self.go_on(),
            None => self.person_moves(line),
        };
        match done {
            Err(CommandError::Refused(why)) => Ok(self.say(&why)?),
            done => done,
        }
    }

    /// Does what an empty line says: resumes a paused game, else shows the board again.
    fn go_on(&mut self) -> Result<(), CommandError> {
        let waits = self.table.is_paused() && !self.is_persons_turn();
        if waits && !self.table.is_over() {
            drop(self.apply(Action::Continue)?)
        } else {
            self.is_shown = false
        }
        Ok(())
    }

    /// Says why what was typed can't be played.
    pub(super) fn explain(&self, typed: &str, error: &PlayError) -> String {
        let why = self.reason(typed, error);
        if cells(typed).len() > 2 || typed.contains(',') {
            format!("{why} None of these steps was played.")
        } else {
            why
        }
    }

    fn reason(&self, typed: &str, error: &PlayError) -> String {
        match error {
            PlayError::Over => "The game is over. new begins another game, undo goes back.".to_owned(),
            PlayError::Step(StepError::Syntax(error)) => {
                if let Some(hint) = self.about_cell(typed).or_else(|| self.about_pass(typed)) {
                    return hint;
                }
                let rest: String = typed.chars().skip(error.column - 1).collect();
                let word = word_at(typed, error.column);
                let is_word = word.len() > 2 && word.chars().all(char::is_alphabetic);
                match commands::meant(word) {
                    _ if says_what(word) => {
                        let expected = expected_step(self.session());
                        format!("Not a step now: {}. Expected: {expected}.", quote(&rest))
                    }
                    Some(meant) => {
                        format!("{} is neither a move nor a command: did you mean {}?", quote(word), quote(meant))
                    }
                    None if form(typed).contains('#') && !is_word => {
                        format!("Not a move: {error}.")
                    }
                    // No step is so long a word: what a step must begin with helps nobody.
                    None if is_word => format!(
                        "{} is neither a move nor a command: help lists the commands, legal the steps.",
                        quote(word)
                    ),
                    None => format!("Neither a move nor a command (help lists them): {error}."),
                }
            }
            PlayError::AfterMove { .. } => format!("Illegal: {error}. Leave it out."),
            error => format!("Illegal: {error}."),
        }
    }

    /// Says how a step is typed, if only a cell was.
    fn about_cell(&self, typed: &str) -> Option<String> {
        let cell = typed.to_lowercase();
        square(&self.session().picture(), &cell)?;
        let legal = self.session().legal();
        let with = |is_fit: &dyn Fn(&[String]) -> bool| {
            let mut steps = legal.iter();
            steps.find(|step| is_fit(&cells(step)))
        };
        let from = with(&|cells| cells.first() == Some(&cell));
        let to = with(&|cells| cells.contains(&cell));
        let (example, where_it_is) = match (from, to) {
            (Some(step), _) => (step, format!(" legal {cell} lists the steps from there.")),
            (None, Some(step)) => (step, format!(" legal {cell} lists the steps to it.")),
            (None, None) => (legal.first()?, String::new()),
        };
        Some(format!("{} is a cell, and not a whole step, such as {example}.{where_it_is}", quote(typed)))
    }

    /// Says that there is no pass, if one was typed.
    fn about_pass(&self, typed: &str) -> Option<String> {
        let side = self.session().side();
        typed
            .eq_ignore_ascii_case("pass")
            .then(|| format!("{side} may not pass: there is a legal step, which legal lists."))
    }
}

/// Returns the word of a line that a column, from 1, is in.
fn word_at(line: &str, column: usize) -> &str {
    let is_blank = |c: char| [' ', ',', '\t'].contains(&c);
    let (at, _) = line.char_indices().nth(column - 1).unwrap_or((line.len(), ' '));
    let (before, after) = line.split_at(at);
    let begin = before.rfind(is_blank).map_or(0, |blank| blank + 1);
    let end = after.find(is_blank).map_or(line.len(), |blank| at + blank);
    line.get(begin..end).unwrap_or_default()
}
