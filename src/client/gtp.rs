//! A client for engines that speak GTP, version 2.

use std::time::Duration;

use super::Strays;
use super::connection::{ClientError, Connection, Deadline, MAX_LINES};
use super::output::{Head, head};
use crate::rules::Color;
use crate::text::quote;

/// Maximum length of an answer, in bytes.
const MAX_ANSWER: usize = 1 << 20;

/// Returns the command that plays a move.
pub(crate) fn play(color: Color, text: &str) -> String {
    format!("play {} {text}", color.letter())
}

/// Returns the command that asks for a move.
pub(crate) fn genmove(color: Color) -> String {
    format!("genmove {}", color.letter())
}

/// A complete answer. Its lines are joined by line feeds.
pub(crate) struct Answer {
    pub(crate) ok: bool,
    pub(crate) id: String,
    pub(crate) text: String,
}

impl Answer {
    /// Returns the answer as received, quoted for messages.
    pub(crate) fn quoted(&self) -> String {
        let mark = if self.ok { '=' } else { '?' };
        quote(&format!("{mark}{} {}", self.id, self.text))
    }

    /// Returns the text, unless the answer is an error.
    pub(crate) fn accepted(self) -> Option<String> {
        self.ok.then_some(self.text)
    }
}

/// A GTP engine, with the facts about it that outlive a process.
pub(crate) struct GtpClient {
    pub(crate) connection: Connection,
    /// True to report invisible white space: around an answer, and on the line that ends it.
    strict: bool,
    /// True if every command gets an id: only if the engine echoes ids.
    pub(crate) ids: bool,
    last_id: u32,
    /// Answer to `list_commands`.
    commands: Option<Vec<String>>,
    /// Output that answers no command.
    pub(crate) strays: Strays,
    /// First line of an answer that contains control characters.
    pub(crate) odd: Option<String>,
}

impl GtpClient {
    pub(crate) fn new(connection: Connection, strict: bool) -> Self {
        Self { connection, strict, ids: false, last_id: 100, commands: None, strays: Strays::default(), odd: None }
    }

    pub(crate) fn new_id(&mut self) -> String {
        self.last_id += 1;
        self.last_id.to_string()
    }

    /// Returns the line of a command, and its id if it has one.
    pub(crate) fn numbered(&mut self, command: &str) -> (String, Option<String>) {
        if self.ids {
            let id = self.new_id();
            (format!("{id} {command}"), Some(id))
        } else {
            (command.to_owned(), None)
        }
    }

    /// Sends a command and waits for its answer. Answers before it are stray.
    pub(crate) fn ask(&mut self, command: &str) -> Result<Answer, ClientError> {
        let deadline = self.connection.deadline();
        self.ask_within(command, deadline)
    }

    pub(crate) fn ask_within(&mut self, command: &str, deadline: Deadline) -> Result<Answer, ClientError> {
        let (line, id) = self.numbered(command);
        if !self.strict {
            self.skip_surplus();
        }
        self.connection.send(&line)?;
        let name = command.split(' ').next().unwrap_or(command);
        let what = format!("answer to {}", quote(name));
        let is_its_own = |answer: &Answer| id.as_ref().is_none_or(|id| *id == answer.id);
        self.answer(&what, deadline, is_its_own)
    }

    /// Skips what has come although no command waits for an answer: it would be taken for the next one.
    fn skip_surplus(&mut self) {
        let now = Deadline::new(Duration::ZERO);
        // Without a process there is nothing to skip, and the next answer reports its end.
        while self.connection.is_running()
            && let Ok(Some(line)) = self.connection.unsolicited_line(now)
        {
            if !line.trim().is_empty() {
                self.strays.note(&line);
            }
        }
    }

    /// Returns the first answer that `is_it` accepts.
    pub(crate) fn answer(
        &mut self,
        what: &str,
        deadline: Deadline,
        is_it: impl Fn(&Answer) -> bool,
    ) -> Result<Answer, ClientError> {
        for _ in 0..MAX_LINES {
            let answer = self.next_answer(what, deadline)?;
            if is_it(&answer) {
                return Ok(answer);
            }
            self.strays.note(&format!("={} …", answer.id));
        }
        Err(ClientError::Endless(what.to_owned()))
    }

    /// Returns the next answer to any command.
    pub(crate) fn next_answer(&mut self, what: &str, deadline: Deadline) -> Result<Answer, ClientError> {
        for _ in 0..MAX_LINES {
            let line = self.connection.line(what, deadline)?;
            if line.is_empty() {
                continue;
            }
            self.note_odd(&line);
            let first = if self.strict { head(&line) } else { head(line.trim_start()) };
            let Some(Head { ok, id, mut text }) = first else {
                self.strays.note(&line);
                continue;
            };
            self.rest_of_answer(&mut text, deadline)?;
            if !self.strict {
                text = text.trim().to_owned();
            }
            return Ok(Answer { ok, id, text });
        }
        Err(ClientError::Endless(what.to_owned()))
    }

    /// Reads up to the empty line that ends an answer.
    fn rest_of_answer(&mut self, text: &mut String, deadline: Deadline) -> Result<(), ClientError> {
        const WHAT: &str = "empty line that ends the answer";
        for _ in 0..MAX_LINES {
            let line = self.connection.line(WHAT, deadline)?;
            if line.is_empty() || !self.strict && line.trim().is_empty() {
                return Ok(());
            }
            self.note_odd(&line);
            if text.len() > MAX_ANSWER {
                break;
            }
            text.push('\n');
            text.push_str(&line);
        }
        Err(ClientError::Endless(WHAT.to_owned()))
    }

    fn note_odd(&mut self, line: &str) {
        if self.odd.is_none() && line.chars().any(char::is_control) {
            self.odd = Some(quote(line));
        }
    }

    /// Sends a command that must succeed.
    pub(crate) fn demand(&mut self, command: &str) -> Result<String, ClientError> {
        let answer = self.ask(command)?;
        if answer.ok {
            Ok(answer.text)
        } else {
            Err(ClientError::Refused { command: command.to_owned(), answer: answer.quoted() })
        }
    }

    /// Returns the commands of the engine, which is asked only once.
    pub(crate) fn commands(&mut self) -> Result<&[String], ClientError> {
        if self.commands.is_none() {
            let list = self.demand("list_commands")?;
            let names = list.lines().map(str::trim).filter(|name| !name.is_empty());
            self.commands = Some(names.map(str::to_owned).collect());
        }
        Ok(self.commands.as_deref().unwrap_or_default())
    }

    /// Returns true if the engine lists a command.
    pub(crate) fn has(&mut self, command: &str) -> Result<bool, ClientError> {
        let commands = self.commands()?;
        Ok(commands.iter().any(|name| name == command))
    }
}
