//! Writes transcripts of dialogues that others hold.

use std::io::{self, Read, Write};
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::conversation::is_answered;
use super::masks::Masks;
use super::pattern::escape;
use super::run::exit_text;
use super::{Dialogue, first_line};
use crate::client::Command;
use crate::client::output::{first_word, head};
use crate::client::process::pass_on;
use crate::text::quote;
use crate::threads;

/// Lines of UGI that answer one command, with the line that ends the answer.
const ENDS: &[(&str, &str)] = &[
    ("ugi", "ugiok"),
    ("uci", "uciok"),
    ("usi", "usiok"),
    ("isready", "readyok"),
    ("query", "response"),
    ("go", "bestmove"),
];

/// A line of a dialogue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// To the engine.
    Command(String),
    /// From the engine.
    Answer(String),
}

/// A command with its answer.
struct Item {
    command: String,
    answer: Vec<String>,
    /// The line that ends the answer, while it is awaited.
    awaits: Option<&'static str>,
    /// False if the next command came before the answer was complete.
    waits: bool,
    /// True if the answer has begun.
    has_begun: bool,
}

/// A dialogue that is being recorded.
pub struct Recording {
    command: Command,
    said: Vec<Said>,
    exit: Option<String>,
}

impl Recording {
    /// Starts a recording of a dialogue with the engine of a command line.
    pub fn new(command: &Command) -> Self {
        Self { command: command.clone(), said: Vec::new(), exit: None }
    }

    /// Adds a line.
    pub fn add(&mut self, said: Said) {
        self.said.push(said);
    }

    /// Adds the end of the engine.
    pub fn end(&mut self, status: ExitStatus) {
        self.exit = Some(exit_text(status));
    }

    /// Records a dialogue that a log holds.
    pub fn of(logged: Logged) -> Self {
        let Logged { command, said } = logged;
        let mut recording = Self::new(&command);
        let is_gtp = dialogue_of(&said) == Dialogue::Gtp;
        let mut is_open = false;
        for said in said {
            // In a log no empty line ends an answer.
            let is_next = match &said {
                Said::Command(_) => true,
                Said::Answer(line) => head(line).is_some(),
            };
            if is_gtp && is_open && is_next {
                recording.add(Said::Answer(String::new()));
            }
            is_open = matches!(said, Said::Answer(_));
            recording.add(said);
        }
        recording
    }

    /// Writes the transcript. Times, nodes and speeds are masked.
    pub fn write(&self) -> String {
        let mut items = Items { dialogue: dialogue_of(&self.said), items: Vec::new(), early: Vec::new() };
        for said in &self.said {
            match said {
                Said::Command(line) => items.command(line.clone()),
                Said::Answer(line) => items.answer(line.trim_end()),
            }
        }
        let mut text = first_line(&self.command);
        items.write(&mut text);
        if let Some(exit) = &self.exit {
            text.push_str(&format!("! exit {exit}\n"));
        }
        text
    }
}

/// Guesses the protocol of a dialogue: GTP if an answer begins as answers of GTP do.
fn dialogue_of(said: &[Said]) -> Dialogue {
    let is_gtp = |said: &Said| matches!(said, Said::Answer(line) if head(line).is_some());
    let is_ugi = |said: &Said| match said {
        Said::Command(line) => ENDS.iter().any(|(name, _)| *name == first_word(line)),
        Said::Answer(_) => false,
    };
    if said.iter().any(is_gtp) {
        Dialogue::Gtp
    } else if said.iter().any(is_ugi) {
        Dialogue::Ugi
    } else {
        Dialogue::Lines
    }
}

/// The commands of a dialogue with their answers.
struct Items {
    dialogue: Dialogue,
    items: Vec<Item>,
    /// Lines of the engine before the first command.
    early: Vec<String>,
}

impl Items {
    fn command(&mut self, command: String) {
        let awaits = match self.dialogue {
            Dialogue::Gtp => is_answered(&command).then_some(""),
            Dialogue::Ugi => {
                let word = first_word(&command);
                ENDS.iter().find(|(name, _)| *name == word).map(|(_, end)| *end)
            }
            Dialogue::Lines => None,
        };
        if let Some(last) = self.items.last_mut() {
            // Of all answers only these are ended by the next command: others are as good when they are waited for.
            last.waits = match self.dialogue {
                Dialogue::Gtp => last.awaits.is_none() || !last.has_begun && !last.command.contains("analyze"),
                Dialogue::Ugi => last.awaits != Some("bestmove"),
                Dialogue::Lines => true,
            };
        }
        self.items.push(Item { command, answer: Vec::new(), awaits, waits: true, has_begun: false });
    }

    fn answer(&mut self, line: &str) {
        let Some(last) = self.items.len().checked_sub(1) else {
            self.early.push(line.to_owned());
            return;
        };
        let awaiting = |end: &str| self.items.iter().position(|item| item.awaits == Some(end));
        let word = first_word(line);
        let place = match self.dialogue {
            Dialogue::Gtp => awaiting(""),
            Dialogue::Ugi => match word {
                "id" | "option" => ["ugiok", "uciok", "usiok"].into_iter().find_map(awaiting),
                "info" => awaiting("bestmove"),
                _ => awaiting(word),
            },
            Dialogue::Lines => None,
        };
        let Some(item) = self.items.get_mut(place.unwrap_or(last)) else {
            return;
        };
        match self.dialogue {
            Dialogue::Gtp if line.is_empty() => {
                if item.has_begun {
                    item.awaits = None;
                }
            }
            Dialogue::Gtp => {
                item.has_begun |= head(line.trim_start()).is_some();
                item.answer.push(line.to_owned());
            }
            Dialogue::Ugi | Dialogue::Lines => {
                item.answer.push(line.to_owned());
                if item.awaits == Some(word) {
                    item.awaits = None;
                }
            }
        }
    }

    fn write(&self, text: &mut String) {
        // These words are the defaults.
        let masks = Masks::new([]);
        let recorded = |line: &String| {
            let line = escape(line);
            let line = masks.as_ref().map_or_else(|_| line.clone(), |masks| masks.apply(&line));
            format!("< {line}").trim_end().to_owned() + "\n"
        };
        if !self.early.is_empty() {
            text.push_str("# Said before the first command:\n");
            for line in &self.early {
                text.push_str(&format!("# {line}\n"));
            }
        }
        // The answers to commands that did not wait.
        let mut before: Vec<Vec<String>> = Vec::new();
        for item in &self.items {
            let is_last = std::ptr::eq(item, self.items.last().unwrap_or(item));
            let waits = item.waits || is_last;
            text.push_str(&format!("{} {}\n", if waits { ">" } else { ">>" }, item.command));
            match (self.dialogue, waits) {
                (_, false) => before.push(item.answer.clone()),
                (Dialogue::Ugi, true) => {
                    // What a search finds before it is stopped differs from run to run.
                    let is_stop = matches!(first_word(&item.command), "stop" | "go");
                    let search: Vec<String> = if is_stop { before.drain(..).flatten().collect() } else { Vec::new() };
                    if !before.is_empty() || !search.is_empty() {
                        text.push_str("...\n");
                    }
                    if search.iter().any(|line| first_word(line) == "bestmove") {
                        text.push_str("< bestmove [..]\n");
                    }
                    item.answer.iter().for_each(|line| text.push_str(&recorded(line)));
                }
                (_, true) => {
                    let answers = before.drain(..).chain([item.answer.clone()]);
                    let answers: Vec<Vec<String>> = answers.filter(|answer| !answer.is_empty()).collect();
                    answers.join(&String::new()).iter().for_each(|line| text.push_str(&recorded(line)));
                }
            }
        }
    }
}

/// Collects the lines of a stream that comes in parts.
#[derive(Default)]
struct Lines {
    part: Vec<u8>,
}

impl Lines {
    fn add(&mut self, bytes: &[u8], mut line: impl FnMut(String)) {
        self.part.extend(bytes);
        while let Some(end) = self.part.iter().position(|&byte| byte == b'\n') {
            let whole: Vec<u8> = self.part.drain(..=end).collect();
            let whole = String::from_utf8_lossy(&whole);
            line(whole.trim_end_matches(['\n', '\r']).to_owned());
        }
    }

    fn end(&mut self, line: impl FnOnce(String)) {
        if !self.part.is_empty() {
            let whole = String::from_utf8_lossy(&self.part).into_owned();
            self.part.clear();
            line(whole);
        }
    }
}

/// Stands between a client and an engine: passes on all bytes as they come, and records them. Returns when the engine
/// closes its output and ends. `after_command` is called with the recording after each part of the client's output.
///
/// # Errors
/// If the output can't be written, or no thread can be started.
pub fn relay(
    child: &Mutex<Child>,
    input: impl Read + Send + 'static,
    output: &mut dyn Write,
    recording: &Arc<Mutex<Recording>>,
    after_command: impl Fn(&Recording) + Send + 'static,
) -> io::Result<ExitStatus> {
    let (stdin, stdout) = {
        let mut child = locked(child);
        (child.stdin.take(), child.stdout.take())
    };
    let (Some(mut stdin), Some(mut stdout)) = (stdin, stdout) else {
        return Err(io::Error::other("the engine has no pipes"));
    };
    let of_client = Arc::clone(recording);
    // It may wait for the client for good, so nobody waits for it.
    threads::spawn("client", threads::STACK, move || {
        let mut lines = Lines::default();
        pass_on(input, |bytes| {
            {
                // Before it is sent: the answer must not come first.
                let mut recording = locked(&of_client);
                lines.add(bytes, |line| recording.add(Said::Command(line)));
                after_command(&recording);
            }
            stdin.write_all(bytes).and_then(|()| stdin.flush()).is_ok()
        });
        lines.end(|line| locked(&of_client).add(Said::Command(line)));
    })?;
    let mut lines = Lines::default();
    let mut written = Ok(());
    pass_on(&mut stdout, |bytes| {
        lines.add(bytes, |line| locked(recording).add(Said::Answer(line)));
        written = output.write_all(bytes).and_then(|()| output.flush());
        written.is_ok()
    });
    lines.end(|line| locked(recording).add(Said::Answer(line)));
    drop(stdout);
    let status = locked(child).wait()?;
    locked(recording).end(status);
    written.map(|()| status)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A dialogue in a log of this program.
pub struct Logged {
    /// The command line of the engine.
    pub command: Command,
    /// Lines of both.
    pub said: Vec<Said>,
}

/// Parses a log that `--log` wrote: the last run in it. Of a run that spoke with engines, the log must have only one.
///
/// # Errors
/// Describes what is missing.
pub fn read_log(text: &str) -> Result<Logged, String> {
    let mut command = None;
    let mut said: Vec<Said> = Vec::new();
    let mut engine: Option<String> = None;
    for line in text.lines() {
        let Some((stamp, rest)) = line.strip_prefix('[').and_then(|line| line.split_once("] ")) else {
            // A line of the answer before it.
            match said.last() {
                Some(Said::Answer(_)) => said.push(Said::Answer(line.to_owned())),
                Some(Said::Command(_)) | None => {}
            }
            continue;
        };
        let words: Vec<&str> = stamp.split_whitespace().collect();
        match words.as_slice() {
            [_, "pentalith", _] => {
                let words = shlex::split(rest).ok_or_else(|| format!("{}: no command line", quote(rest)))?;
                command = Some(words);
                said.clear();
                engine = None;
            }
            [_, "DEBUG", "pentalith::client::connection"] => {
                let parts = rest.split_once(' ').and_then(|(id, rest)| Some((id, rest.split_at_checked(1)?)));
                let Some((id, (mark, line))) = parts else { continue };
                let known = engine.get_or_insert_with(|| id.to_owned());
                if known != id {
                    return Err("the log holds several engines: record each by `transcript record`".to_owned());
                }
                let line = line.strip_prefix(' ').unwrap_or(line).to_owned();
                said.push(if mark == ">" { Said::Command(line) } else { Said::Answer(line) });
            }
            // The program is the engine here: it receives what is marked by `<`.
            [_, "DEBUG", target] if target.starts_with("pentalith::protocol") => match rest.split_at_checked(2) {
                Some(("< ", line)) => said.push(Said::Command(line.to_owned())),
                Some(("> ", line)) => said.push(Said::Answer(line.to_owned())),
                _ => {}
            },
            _ => {}
        }
    }
    let words = command.ok_or("no line with a command line, as --log writes it first")?;
    if said.is_empty() {
        return Err("no dialogue with an engine".to_owned());
    }
    let words = match (engine, words.iter().position(|word| word == "--")) {
        (Some(_), Some(at)) => words.into_iter().skip(at + 1).collect(),
        _ => without_log(words),
    };
    Ok(Logged { command: Command::new(words.into_iter().map(Into::into)), said })
}

/// Removes `--log FILE` from a command line.
fn without_log(words: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if word == "--log" {
            words.next();
        } else if !word.starts_with("--log=") {
            kept.push(word);
        }
    }
    kept
}
