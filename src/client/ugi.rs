//! A client for engines that speak UGI.

use super::Strays;
use super::connection::{ClientError, Connection, Deadline, MAX_LINES};
use super::output::{self, EngineOption, Head, SearchInfo, first_word, second_word};
use crate::text::quote;

/// Words that may start a line of an engine.
const WORDS: &[&str] = &["id", "option", "ugiok", "readyok", "bestmove", "info", "response"];

/// Maximum number of `info` lines kept per search.
const INFOS: usize = 1000;

/// A UGI engine, with its output.
pub(crate) struct UgiClient {
    pub(crate) connection: Connection,
    /// True once the engine has completed a handshake.
    greeted: bool,
    /// Lines between `ugi` and `ugiok`.
    greeting: Vec<String>,
    /// `bestmove` lines received while waiting for something else, since the last search began.
    pub(crate) surplus: usize,
    /// Error of the first malformed `bestmove`.
    pub(crate) malformed: Option<String>,
    /// `info` lines of the last search, up to the maximum.
    pub(crate) infos: Vec<String>,
    /// Search information from all `info` lines of the last search.
    pub(crate) info: SearchInfo,
    /// Last `response` received while waiting for something else.
    pub(crate) response: Option<String>,
    /// Output that starts with no word of the protocol.
    pub(crate) strays: Strays,
    /// First line with other separators than single spaces.
    pub(crate) spaced: Option<String>,
}

/// Returns the line that sets an option. A button has no value.
pub(crate) fn setoption(option: &EngineOption, value: &str) -> String {
    let EngineOption { name, kind, .. } = option;
    match kind.as_str() {
        "button" => format!("setoption name {name}"),
        _ => format!("setoption name {name} value {value}").trim_end().to_owned(),
    }
}

/// Returns the line that sets a position and plays moves.
pub(crate) fn position(start: Option<&str>, moves: &[String]) -> String {
    let mut line = match start {
        Some(position) => format!("position fen {position}"),
        None => "position startpos".to_owned(),
    };
    if !moves.is_empty() {
        line.push_str(" moves ");
        line.push_str(&moves.join(" "));
    }
    line
}

impl UgiClient {
    pub(crate) fn new(connection: Connection) -> Self {
        Self {
            connection,
            greeted: false,
            greeting: Vec::new(),
            surplus: 0,
            malformed: None,
            infos: Vec::new(),
            info: SearchInfo::default(),
            response: None,
            strays: Strays::default(),
            spaced: None,
        }
    }

    /// Returns the connection, after a handshake if the process is new.
    pub(crate) fn engine(&mut self) -> Result<&mut Connection, ClientError> {
        if !self.connection.is_running() {
            let before = std::mem::take(&mut self.connection.transcript);
            self.greet("ugiok", |_| false)?;
            // An earlier handshake proves nothing about a new process.
            if self.greeted {
                self.connection.transcript = before;
            }
            self.greeted = true;
        }
        Ok(&mut self.connection)
    }

    pub(crate) fn send(&mut self, line: &str) -> Result<(), ClientError> {
        self.engine()?.send(line)
    }

    /// Sends `ugi` and reads up to `ugiok`. Returns a line of GTP instead if `is_gtp` accepts it.
    pub(crate) fn greet(&mut self, what: &str, is_gtp: impl Fn(&Head) -> bool) -> Result<Option<String>, ClientError> {
        let deadline = self.connection.deadline();
        self.connection.send("ugi")?;
        self.surplus = 0;
        self.greeting.clear();
        while self.greeting.len() < MAX_LINES {
            let line = self.connection.line(what, deadline)?;
            self.note_spaces(&line);
            let line = line.trim().to_owned();
            if line == "ugiok" {
                return Ok(None);
            }
            if output::head(&line).is_some_and(|head| is_gtp(&head)) {
                return Ok(Some(line));
            }
            self.heard(&line);
            self.greeting.push(line);
        }
        Err(ClientError::Endless(what.to_owned()))
    }

    /// Returns the text after `id name` or `id author`.
    pub(crate) fn id(&self, what: &str) -> Option<&str> {
        let mut lines = self.greeting.iter();
        lines.find_map(|line| output::behind(line, &["id", what]))
    }

    /// Returns the declared options, or their errors.
    pub(crate) fn options(&self) -> impl Iterator<Item = Result<EngineOption, ClientError>> {
        let lines = self.greeting.iter();
        let lines = lines.filter(|line| first_word(line) == "option");
        lines.map(|line| {
            let malformed = |why| ClientError::Malformed(format!("{}: {why}", quote(line)));
            output::option(line).map_err(malformed)
        })
    }

    /// Waits until the engine has processed all commands.
    pub(crate) fn ready(&mut self) -> Result<(), ClientError> {
        self.send("isready")?;
        let deadline = self.connection.deadline();
        self.until("readyok", deadline).map(|_| ())
    }

    /// Returns the next line that starts with a word.
    pub(crate) fn until(&mut self, word: &str, deadline: Deadline) -> Result<String, ClientError> {
        // A search may print much, but must end.
        loop {
            let line = self.engine()?.line(word, deadline)?;
            self.note_spaces(&line);
            if first_word(&line) == word {
                return Ok(line);
            }
            self.heard(&line);
        }
    }

    /// Stores a line received while waiting for another one.
    pub(crate) fn heard(&mut self, line: &str) {
        match first_word(line) {
            "bestmove" => self.surplus += 1,
            "response" => self.response = Some(line.to_owned()),
            "info" => {
                self.info.take(line);
                if self.infos.len() < INFOS {
                    self.infos.push(line.to_owned());
                }
            }
            word if WORDS.contains(&word) || line.trim().is_empty() => {}
            _ => self.strays.note(line),
        }
    }

    /// Stores the first line with other separators than single spaces.
    fn note_spaces(&mut self, line: &str) {
        let known = WORDS.contains(&first_word(line));
        if known && self.spaced.is_none() && output::is_spaced_oddly(line) {
            self.spaced = Some(quote(line));
        }
    }

    /// Starts a search with these lines, of which the last is `go`.
    pub(crate) fn go(&mut self, lines: &str) -> Result<(), ClientError> {
        let connection = self.engine()?;
        connection.write(lines)?;
        self.surplus = 0;
        self.infos.clear();
        self.info = SearchInfo::default();
        Ok(())
    }

    /// Returns the move of a search. Further words are stored as malformed.
    pub(crate) fn bestmove(&mut self, deadline: Deadline) -> Result<String, ClientError> {
        let line = self.until("bestmove", deadline)?;
        let malformed = output::bestmove(line.trim_end()).map_err(|error| error.to_string());
        self.malformed = self.malformed.take().or(malformed.err());
        match second_word(&line) {
            "" => Err(ClientError::NoMove(line)),
            text => Ok(text.to_owned()),
        }
    }
}
