//! Reads the lines of the person, at a terminal with an editor and otherwise plainly.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};

use crossbeam_channel::{Receiver, Sender, bounded, select};

use super::editor::{Editor, Vocabulary};
use crate::cli::signals::{Stop, stop_requests};
use crate::threads;

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
    /// Lines that were pasted with the last one.
    pasted: VecDeque<String>,
    /// Signals that ask to stop.
    pub(super) stops: Receiver<Stop>,
    /// True if a terminal edits the lines.
    pub(super) has_editor: bool,
    /// True if the lines are seen where they are typed.
    pub(super) is_echoed: bool,
    mode: Mode,
}

impl Person {
    /// Starts the thread that reads. With a vocabulary, lines from a terminal are read with an editor.
    pub(super) fn new(
        input: impl Read + IsTerminal + Send + 'static,
        vocabulary: Option<Vocabulary>,
    ) -> io::Result<Self> {
        let mode = Mode::save();
        let stops = stop_requests();
        let is_terminal = input.is_terminal();
        let editor = vocabulary.filter(|_| is_terminal).and_then(Editor::new);
        let has_editor = editor.is_some();
        if has_editor {
            mode.type_ahead();
        }
        // The reader starts only when it is asked: while the engine thinks, Ctrl-C must be a signal.
        let (questions, asked) = bounded::<Question>(0);
        let (answer, answers) = bounded(1);
        let mut read = reader(editor, input);
        threads::spawn("person", threads::STACK, move || {
            for question in asked {
                if answer.send(read(&question)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { questions, answers, pasted: VecDeque::new(), stops, has_editor, is_echoed: is_terminal, mode })
    }

    /// Returns the next line of those that were pasted together, if one is left.
    pub(super) fn next_pasted(&mut self) -> Option<String> {
        self.pasted.pop_front()
    }

    /// Asks and waits for an answer.
    pub(super) fn ask(&mut self, question: Question) -> Answer {
        match self.with_terminal(|person| person.wait(question)) {
            Answer::Line(text) => {
                let mut lines = text.lines().map(without_controls);
                let first = lines.next().unwrap_or_default();
                self.pasted.extend(lines);
                Answer::Line(first)
            }
            other => other,
        }
    }

    /// Acts while the terminal has the mode that it had before the game. What is typed afterwards waits for the next
    /// question.
    pub(super) fn with_terminal<T>(&self, act: impl FnOnce(&Self) -> T) -> T {
        if !self.has_editor {
            return act(self);
        }
        self.mode.restore();
        let done = act(self);
        self.mode.type_ahead();
        done
    }

    fn wait(&self, question: Question) -> Answer {
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
    Answer::Line(without_controls(&String::from_utf8_lossy(&bytes)))
}

/// Leaves out control characters other than tabs.
fn without_controls(text: &str) -> String {
    let is_shown = |c: &char| !c.is_control() || *c == '\t';
    text.chars().filter(is_shown).collect()
}

/// The mode that the terminal had, which is restored in the end, also while an editor waits.
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

    /// Restores the mode that the terminal had.
    fn restore(&self) {
        if let Some(saved) = &self.saved {
            Self::set(saved);
        }
    }

    /// Keeps keys as they are typed for the next question, without showing them. Ctrl-C is still a signal, and discards
    /// none of them.
    fn type_ahead(&self) {
        use rustix::termios::{InputModes, LocalModes};
        if let Some(saved) = &self.saved {
            let mut quiet = saved.clone();
            quiet.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::IEXTEN);
            quiet.local_modes.insert(LocalModes::NOFLSH);
            quiet.input_modes.remove(InputModes::ICRNL);
            Self::set(&quiet);
        }
    }

    fn set(mode: &rustix::termios::Termios) {
        // Without a terminal there is nothing to set.
        let _ = rustix::termios::tcsetattr(io::stdin(), rustix::termios::OptionalActions::Now, mode);
    }
}

#[cfg(unix)]
impl Drop for Mode {
    fn drop(&mut self) {
        self.restore();
    }
}

#[cfg(not(unix))]
impl Mode {
    fn save() -> Self {
        Self {}
    }

    fn restore(&self) {}

    fn type_ahead(&self) {}
}
