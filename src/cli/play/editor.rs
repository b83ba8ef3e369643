//! The editor of lines at a terminal, with history and completion.

use std::cell::RefCell;
use std::sync::Arc;

use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Helper};

use super::board::cells;
use super::input::{Answer, Question};
use crate::games::{self, GAMES};
use crate::rules::ValueKind;
use crate::search::SystemClock;
use crate::session::Session;

/// Separators of the items of a variant.
const BETWEEN_ITEMS: [char; 3] = [' ', ':', ','];

/// The kind of argument that a command takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Argument {
    None,
    Cell,
    Command,
    File,
    Level,
    Number,
    Side,
    Variant,
}

/// The words of commands, for completion.
pub(super) struct Vocabulary {
    /// Names of the commands.
    pub(super) commands: Vec<&'static str>,
    /// Returns the kind of argument of a command.
    pub(super) argument: fn(&str) -> Option<Argument>,
    /// Names of the levels.
    pub(super) levels: Vec<String>,
}

/// An editor of lines.
pub(super) struct Editor {
    editor: rustyline::Editor<Completion, DefaultHistory>,
}

impl Editor {
    /// Opens the terminal; `None` if it can't be edited.
    pub(super) fn new(vocabulary: Vocabulary) -> Option<Self> {
        let config = Config::builder().completion_type(CompletionType::List).build();
        let mut editor = rustyline::Editor::with_config(config).ok()?;
        editor.set_helper(Some(Completion::new(vocabulary)));
        Some(Self { editor })
    }

    /// Reads a line.
    pub(super) fn read(&mut self, question: &Question) -> Answer {
        if let Some(completion) = self.editor.helper_mut() {
            completion.set(question.position.as_ref());
        }
        loop {
            match self.editor.readline(&question.prompt) {
                Ok(line) => {
                    let typed = line.lines().filter(|line| !line.trim().is_empty());
                    for line in typed.filter(|_| question.position.is_some()) {
                        // A line that can't be remembered was still typed.
                        let _ = self.editor.add_history_entry(line);
                    }
                    return Answer::Line(line);
                }
                Err(ReadlineError::Interrupted) => return Answer::Interrupt,
                // The window has another size.
                Err(ReadlineError::Signal(_)) => {}
                Err(_) => return Answer::End,
            }
        }
    }
}

/// Completes commands, their arguments, and legal steps.
struct Completion {
    vocabulary: Vocabulary,
    /// The game, to read the steps before the one that is completed.
    session: Option<RefCell<Session>>,
    is_asked: bool,
    position: String,
    files: FilenameCompleter,
}

impl Completion {
    fn new(vocabulary: Vocabulary) -> Self {
        let files = FilenameCompleter::default();
        Self { vocabulary, session: None, is_asked: false, position: String::new(), files }
    }

    /// Sets the position whose steps are completed.
    fn set(&mut self, position: Option<&[String; 2]>) {
        self.is_asked = position.is_some();
        let Some([variant, position]) = position else {
            return;
        };
        let known = self.session.take().map(RefCell::into_inner);
        let known = known.filter(|known| known.variant().to_string() == *variant);
        let session = known.or_else(|| {
            let variant = games::parse_variant(variant).ok()?;
            Session::new(&variant, Arc::new(SystemClock::default()))
        });
        self.session = session.map(RefCell::new);
        position.clone_into(&mut self.position);
    }

    /// Returns the legal steps after those of `before`, which end with a comma.
    fn steps(&self, before: &str) -> Vec<String> {
        let Some(session) = &self.session else {
            return Vec::new();
        };
        let mut session = session.borrow_mut();
        if session.set_position(&self.position).is_err() {
            return Vec::new();
        }
        let side = session.side();
        let made = before.trim_end_matches(',');
        if !made.is_empty() && session.play(side, made, false).is_err() || session.side() != side {
            return Vec::new();
        }
        session.legal()
    }

    /// Returns the names of games, sizes and options that may follow a part of a variant.
    fn items(&self, before: &str) -> Vec<String> {
        let words: Vec<&str> = before.split(BETWEEN_ITEMS).filter(|word| !word.is_empty()).collect();
        let mut found = match words.as_slice() {
            [] => GAMES.iter().map(|game| game.name.to_owned()).collect(),
            _ => Vec::new(),
        };
        let named = |name: &&str| GAMES.iter().copied().find(|game| game.name.eq_ignore_ascii_case(name));
        // Items alone change the present variant.
        let present = self.session.as_ref().map(|session| session.borrow().variant().info());
        let Some(game) = words.first().and_then(named).or(present) else {
            return found;
        };
        let given: Vec<&str> = words.iter().filter_map(|word| word.split_once('=')).map(|(name, _)| name).collect();
        for key in game.keys.iter().filter(|key| !given.contains(&key.name)) {
            let values: &[&str] = match key.kind {
                ValueKind::Switch => &["on", "off"],
                ValueKind::Choice(words) => words,
                // The person has to say which number.
                ValueKind::Number { .. } | ValueKind::HalfPoints { .. } => &[""],
            };
            found.extend(values.iter().map(|value| format!("{}={value}", key.name)));
        }
        found
    }

    fn arguments(&self, argument: Argument) -> Vec<String> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match argument {
            Argument::None | Argument::Number | Argument::File | Argument::Variant => Vec::new(),
            Argument::Level => self.vocabulary.levels.clone(),
            Argument::Side => words(&["b", "w", "both", "none"]),
            Argument::Command => words(&self.vocabulary.commands),
            Argument::Cell => {
                let steps = self.steps("");
                let mut named: Vec<String> = steps.iter().flat_map(|step| cells(step)).collect();
                named.sort();
                named.dedup();
                named
            }
        }
    }
}

impl Completer for Completion {
    type Candidate = Pair;

    fn complete(&self, line: &str, end: usize, context: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..end).unwrap_or(line);
        if !self.is_asked {
            return Ok((end, Vec::new()));
        }
        let typed_word = typed.trim_start();
        let (start, words) = match typed_word.split_once(' ') {
            Some((command, rest)) => match (self.vocabulary.argument)(command) {
                Some(Argument::File) => return self.files.complete(line, end, context),
                Some(Argument::Variant) => {
                    let begun = rest.rfind(BETWEEN_ITEMS).map_or(0, |at| at + 1);
                    let (before, item) = rest.split_at(begun);
                    (end - item.len(), self.items(before))
                }
                Some(argument) => {
                    let start = rest.rfind(' ').map_or(end - rest.len(), |blank| end - rest.len() + blank + 1);
                    (start, self.arguments(argument))
                }
                None => return Ok((end, Vec::new())),
            },
            None => {
                let begun = typed_word.rfind(',').map_or(0, |comma| comma + 1);
                let (before, step) = typed_word.split_at(begun);
                let mut words = self.steps(&before.to_lowercase());
                if before.is_empty() {
                    words.extend(self.vocabulary.commands.iter().map(|name| (*name).to_owned()));
                }
                (end - step.len(), words)
            }
        };
        let begun = typed.get(start..).unwrap_or_default().to_lowercase();
        let fitting = words.into_iter().filter(|word| word.starts_with(&begun));
        let pairs = fitting.map(|word| Pair { display: word.clone(), replacement: word });
        Ok((start, pairs.collect()))
    }
}

impl Hinter for Completion {
    type Hint = String;
}

impl Highlighter for Completion {}

impl Validator for Completion {}

impl Helper for Completion {}
