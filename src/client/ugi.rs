//! A client of engines that speak UGI.

use super::Strays;
use super::connection::{ClientError, Connection, Deadline, MANY};
use super::output::{self, EngineOption, Head, SearchInfo, first_word, second_word};
use crate::text::quote;

/// What an engine may begin a line with.
const WORDS: &[&str] = &[
    "id", "option", "ugiok", "readyok", "bestmove", "info", "response",
];

/// How many info lines of a search are kept.
const INFOS: usize = 1000;

/// One engine, and what it has said.
pub(crate) struct UgiClient {
    pub(crate) connection: Connection,
    /// Whether the engine has been greeted before.
    greeted: bool,
    /// The lines between `ugi` and `ugiok`.
    greeting: Vec<String>,
    /// Every `bestmove` that was read while something else was waited for, since the last search began.
    pub(crate) surplus: usize,
    /// What was wrong with the first `bestmove` that was not well formed.
    pub(crate) malformed: Option<String>,
    /// The info lines of the last search, as many as are kept.
    pub(crate) infos: Vec<String>,
    /// What all of its info lines say.
    pub(crate) info: SearchInfo,
    /// The last `response` that was read while something else was waited for.
    pub(crate) response: Option<String>,
    /// Output that begins with no word of the protocol.
    pub(crate) strays: Strays,
    /// The first line whose words are separated otherwise than by one space.
    pub(crate) spaced: Option<String>,
}

/// The line that sets an option.
pub(crate) fn setoption(name: &str, value: &str) -> String {
    format!("setoption name {name} value {value}")
}

/// The line that sets a position and plays moves from there.
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

    /// The connection, behind a greeting where the process is new.
    pub(crate) fn engine(&mut self) -> Result<&mut Connection, ClientError> {
        if !self.connection.is_running() {
            let before = std::mem::take(&mut self.connection.transcript);
            self.greet("ugiok", |_| false)?;
            // A greeting that went well proves nothing later.
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

    /// Says `ugi` and reads on to `ugiok`. An answer of GTP gives its line instead, where `is_gtp` says so.
    pub(crate) fn greet(
        &mut self,
        what: &str,
        is_gtp: impl Fn(&Head) -> bool,
    ) -> Result<Option<String>, ClientError> {
        let deadline = self.connection.deadline();
        self.connection.send("ugi")?;
        self.surplus = 0;
        self.greeting.clear();
        while self.greeting.len() < MANY {
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

    /// What the engine says of itself behind `id name` or `id author`.
    pub(crate) fn id(&self, what: &str) -> Option<&str> {
        let mut lines = self.greeting.iter();
        lines.find_map(|line| output::behind(line, &["id", what]))
    }

    /// Every option that the engine gives, or what is wrong with it.
    pub(crate) fn options(&self) -> impl Iterator<Item = Result<EngineOption, ClientError>> {
        let lines = self.greeting.iter();
        let lines = lines.filter(|line| first_word(line) == "option");
        lines.map(|line| {
            let malformed = |why| ClientError::Malformed(format!("{}: {why}", quote(line)));
            output::option(line).map_err(malformed)
        })
    }

    /// Waits until the engine has done all it was told.
    pub(crate) fn ready(&mut self) -> Result<(), ClientError> {
        self.send("isready")?;
        let deadline = self.connection.deadline();
        self.until("readyok", deadline).map(|_| ())
    }

    /// The next line that begins with a word.
    pub(crate) fn until(&mut self, word: &str, deadline: Deadline) -> Result<String, ClientError> {
        // A search may say much, but not for ever.
        loop {
            let line = self.engine()?.line(word, deadline)?;
            self.note_spaces(&line);
            if first_word(&line) == word {
                return Ok(line);
            }
            self.heard(&line);
        }
    }

    /// Keeps what a line says that nobody waits for.
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

    /// Keeps a line that has other white space in it than single spaces.
    fn note_spaces(&mut self, line: &str) {
        let known = WORDS.contains(&first_word(line));
        if known && self.spaced.is_none() && output::is_spaced_oddly(line) {
            self.spaced = Some(quote(line));
        }
    }

    /// Begins a search by these lines, the last of which is `go`.
    pub(crate) fn go(&mut self, lines: &str) -> Result<(), ClientError> {
        let connection = self.engine()?;
        connection.write(lines)?;
        self.surplus = 0;
        self.infos.clear();
        self.info = SearchInfo::default();
        Ok(())
    }

    /// The move that a search comes to. What stands behind it is kept as malformed.
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
