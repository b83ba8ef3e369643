//! A conversation with an engine, command by command.

use std::time::Duration;

use super::Dialogue;
use crate::client::connection::{ClientError, Connection, Deadline, MAX_LINES};
use crate::client::output::{first_word, head};

/// Time without output after which an answer in an unknown protocol has ended.
const SILENCE: Duration = Duration::from_millis(150);

/// The reason why an answer is incomplete, with the lines that came.
pub(super) struct Broken {
    pub(super) lines: Vec<String>,
    pub(super) error: ClientError,
}

pub(super) struct Conversation {
    pub(super) connection: Connection,
    dialogue: Dialogue,
    /// Number of answers that are awaited.
    pending: usize,
    /// True while a search runs that has not answered.
    is_searching: bool,
    /// True once the engine has ended after `quit`.
    has_quit: bool,
}

impl Conversation {
    pub(super) fn new(connection: Connection, dialogue: Dialogue) -> Self {
        Self { connection, dialogue, pending: 0, is_searching: false, has_quit: false }
    }

    /// Sends a command. Returns the answer, or nothing if `waits` is false. `least` is the number of lines that are
    /// expected.
    pub(super) fn exchange(&mut self, command: &str, waits: bool, least: usize) -> Result<Vec<String>, Broken> {
        let mut lines = Vec::new();
        let done =
            self.send(command).and_then(|()| if waits { self.receive(command, least, &mut lines) } else { Ok(()) });
        match done {
            Ok(()) => Ok(lines),
            Err(ClientError::Ended { .. }) if self.has_quit => Ok(lines),
            Err(error) => Err(Broken { lines, error }),
        }
    }

    fn send(&mut self, command: &str) -> Result<(), ClientError> {
        self.connection.send(command)?;
        match self.dialogue {
            Dialogue::Gtp => self.pending += usize::from(is_answered(command)),
            Dialogue::Ugi => self.is_searching |= first_word(command) == "go",
            Dialogue::Lines => {}
        }
        self.has_quit = name(self.dialogue, command) == "quit";
        Ok(())
    }

    fn receive(&mut self, command: &str, least: usize, lines: &mut Vec<String>) -> Result<(), ClientError> {
        let deadline = self.connection.deadline();
        match self.dialogue {
            Dialogue::Gtp => {
                while self.pending > 0 {
                    if !lines.is_empty() {
                        lines.push(String::new());
                    }
                    self.gtp_answer(deadline, lines)?;
                    self.pending -= 1;
                }
                Ok(())
            }
            Dialogue::Ugi => self.ugi_answer(command, deadline, lines),
            Dialogue::Lines => self.some_lines(least, deadline, lines),
        }
    }

    /// Reads up to the empty line behind an answer.
    fn gtp_answer(&mut self, deadline: Deadline, lines: &mut Vec<String>) -> Result<(), ClientError> {
        let mut has_begun = false;
        while lines.len() < MAX_LINES {
            let line = self.connection.line("answer", deadline)?;
            if !line.trim().is_empty() {
                has_begun |= head(line.trim_start()).is_some();
                lines.push(line);
            } else if has_begun {
                return Ok(());
            }
        }
        Err(ClientError::Endless("answer".to_owned()))
    }

    fn ugi_answer(&mut self, command: &str, deadline: Deadline, lines: &mut Vec<String>) -> Result<(), ClientError> {
        if self.has_quit {
            return self.until("end", deadline, lines);
        }
        let word = first_word(command);
        if self.is_searching && matches!(word, "go" | "stop") {
            self.until("bestmove", deadline, lines)?;
            self.is_searching = false;
        }
        if word == "isready" {
            self.until("readyok", deadline, lines)?;
        }
        self.connection.send("isready")?;
        self.until("readyok", deadline, lines)?;
        lines.pop();
        Ok(())
    }

    fn until(&mut self, word: &str, deadline: Deadline, lines: &mut Vec<String>) -> Result<(), ClientError> {
        while lines.len() < MAX_LINES {
            lines.push(self.connection.line(word, deadline)?);
            if lines.last().is_some_and(|line| first_word(line) == word) {
                return Ok(());
            }
        }
        Err(ClientError::Endless(word.to_owned()))
    }

    /// Reads as many lines as are expected, and all that follow without a pause.
    fn some_lines(&mut self, least: usize, deadline: Deadline, lines: &mut Vec<String>) -> Result<(), ClientError> {
        while lines.len() < MAX_LINES {
            let is_enough = lines.len() >= least && !self.has_quit;
            let deadline = if is_enough { Deadline::new(SILENCE) } else { deadline };
            match self.connection.unsolicited_line(deadline)? {
                Some(line) => lines.push(line),
                // The comparison says what is missing.
                None => return Ok(()),
            }
        }
        Err(ClientError::Endless("silence".to_owned()))
    }
}

/// Returns a line of GTP without its comment, and control characters as the standard reads them.
pub(super) fn gtp_words(line: &str) -> String {
    let line = line.split('#').next().unwrap_or_default();
    let line: String = line.chars().map(|c| if c == '\t' { ' ' } else { c }).collect();
    line.chars().filter(|c| !c.is_control()).collect()
}

/// Returns true if a line of GTP gets an answer.
pub(super) fn is_answered(line: &str) -> bool {
    !gtp_words(line).trim().is_empty()
}

/// Returns the first word of a command, behind its id.
fn name(dialogue: Dialogue, command: &str) -> String {
    let command = match dialogue {
        Dialogue::Gtp => gtp_words(command),
        Dialogue::Ugi | Dialogue::Lines => command.to_owned(),
    };
    let mut words = command.split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_id = dialogue == Dialogue::Gtp && first.chars().all(|c| c.is_ascii_digit());
    (if is_id { words.next().unwrap_or_default() } else { first }).to_owned()
}
