//! Reads the lines of the person, at a terminal with an editor and otherwise plainly.

use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded, select};

use super::editor::Editor;
use crate::cli::signals::{Stop, stop_requests};

/// Maximum length of a line, in bytes. The rest of a longer one is skipped.
const MAX_LINE: u64 = 1 << 20;

/// A question to the person.
pub(super) struct Question {
    /// The prompt.
    pub(super) prompt: String,
    /// Variant and position, for the completion of steps; `None` if anything else is asked.
    pub(super) position: Option<[String; 2]>,
}

/// An answer.
pub(super) enum Answer {
    Line(String),
    /// Ctrl-C.
    Interrupt,
    /// The end of the input, or a signal that asks to end.
    End,
}

/// The person: lines and signals.
pub(super) struct Person {
    questions: Sender<Question>,
    answers: Receiver<Answer>,
    /// Signals that ask to stop.
    pub(super) stops: Receiver<Stop>,
    /// True if a terminal edits the lines.
    pub(super) has_editor: bool,
    /// True if the lines are seen where they are typed.
    pub(super) is_echoed: bool,
    _mode: Mode,
}

impl Person {
    /// Starts the thread that reads. With `may_edit`, lines from a terminal are read with an editor.
    pub(super) fn new(input: impl Read + IsTerminal + Send + 'static, may_edit: bool) -> io::Result<Self> {
        let mode = Mode::save();
        let stops = stop_requests();
        let is_terminal = input.is_terminal();
        let editor = match may_edit && is_terminal {
            true => Editor::new(),
            false => None,
        };
        let has_editor = editor.is_some();
        // The reader starts only when it is asked: while the engine thinks, Ctrl-C must be a signal.
        let (questions, asked) = bounded::<Question>(0);
        let (answer, answers) = bounded(1);
        let mut read = reader(editor, input);
        thread::Builder::new().name("person".to_owned()).spawn(move || {
            for question in asked {
                if answer.send(read(&question)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { questions, answers, stops, has_editor, is_echoed: is_terminal, _mode: mode })
    }

    /// Asks and waits for an answer.
    pub(super) fn ask(&self, question: Question) -> Answer {
        if self.questions.send(question).is_err() {
            return Answer::End;
        }
        select! {
            recv(self.answers) -> answer => answer.unwrap_or(Answer::End),
            recv(self.stops) -> stop => match stop {
                Ok(Stop::Interrupt) => Answer::Interrupt,
                // The reader still waits, so nothing more can be asked.
                Ok(Stop::End) | Err(_) => Answer::End,
            },
        }
    }
}

/// Returns the function that reads a line.
fn reader(mut editor: Option<Editor>, input: impl Read + Send + 'static) -> impl FnMut(&Question) -> Answer + Send {
    let mut input = BufReader::new(input);
    move |question| match &mut editor {
        Some(editor) => editor.read(question),
        None => plain_line(&mut input),
    }
}

/// Reads a line without its end. Control characters are left out.
fn plain_line(input: &mut impl BufRead) -> Answer {
    let mut bytes = Vec::new();
    let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes);
    if read.is_err() || bytes.is_empty() {
        return Answer::End;
    }
    if bytes.len() as u64 == MAX_LINE && !bytes.ends_with(b"\n") {
        let _ = input.skip_until(b'\n');
    }
    let text = String::from_utf8_lossy(&bytes);
    let is_shown = |c: &char| !c.is_control() || *c == '\t';
    Answer::Line(text.chars().filter(is_shown).collect())
}

/// The mode of the terminal, which is restored in the end, also while an editor waits.
struct Mode {
    #[cfg(unix)]
    saved: Option<rustix::termios::Termios>,
}

#[cfg(unix)]
impl Mode {
    fn save() -> Self {
        let saved = rustix::termios::tcgetattr(io::stdin()).ok();
        Self { saved }
    }
}

#[cfg(unix)]
impl Drop for Mode {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        if let Some(saved) = &self.saved {
            // Without a terminal there is nothing to restore.
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, saved);
        }
    }
}

#[cfg(not(unix))]
impl Mode {
    fn save() -> Self {
        Self {}
    }
}
