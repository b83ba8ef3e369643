//! A game between a person and the engine: turns, talk, undo.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::select;

use super::Side;
use super::input::Person;
use super::look::Look;
use super::words::{self, Told, tell};
use crate::arena::record::{RESIGNATION, SearchInformation};
use crate::cli::CliError;
use crate::cli::signals::Stop;
use crate::notation::form;
use crate::rules::{Color, Outcome, StepError};
use crate::search::Clock;
use crate::session::{Event, Go, PlayError, SearchResult, Session};

/// Reason why a command is not done.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It can't be done, for this reason.
    Refused(String),
    /// A signal asks the program to end.
    Ended,
    /// The output is gone.
    Io(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Refuses a command.
pub(super) fn refuse<T>(why: impl Into<String>) -> Result<T, Trouble> {
    Err(Trouble::Refused(why.into()))
}

/// A move or part of one, as it was played at once.
#[derive(Clone, Debug)]
pub(super) struct Play {
    pub(super) color: Color,
    pub(super) text: String,
    pub(super) information: SearchInformation,
}

/// With what a game begins.
pub(super) struct Setup {
    pub(super) session: Session,
    pub(super) side: Side,
    pub(super) position: Option<String>,
    pub(super) moves: Vec<String>,
    pub(super) clock: Arc<dyn Clock>,
}

/// A game that is being played.
pub(super) struct Game<'a> {
    pub(super) session: Session,
    /// Another session of the variant, to look at other positions.
    aside: Session,
    pub(super) side: Side,
    /// Start position; `None` for that of the variant.
    pub(super) start: Option<String>,
    pub(super) plays: Vec<Play>,
    /// Plays that were taken back, the last ones last; those of one `undo` together.
    undone: Vec<Vec<Play>>,
    pub(super) resigned: Option<Color>,
    /// True while the engine does not move by itself.
    pub(super) is_paused: bool,
    /// True if the game has not changed since it was saved.
    pub(super) is_saved: bool,
    pub(super) is_shown: bool,
    /// True if Ctrl-C ended the last search.
    pub(super) is_interrupted: bool,
    pub(super) is_swap_declined: bool,
    pub(super) person: Person,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) asked_at: Duration,
    /// True if Ctrl-C was pressed, and leaves the game if it is pressed again.
    pub(super) is_warned: bool,
    pub(super) look: Look,
    pub(super) output: &'a mut dyn Write,
}

impl<'a> Game<'a> {
    /// Begins a game.
    pub(super) fn new(
        setup: Setup,
        person: Person,
        look: Look,
        output: &'a mut dyn Write,
    ) -> Result<Self, CliError> {
        let Setup {
            session,
            side,
            position,
            moves,
            clock,
        } = setup;
        let variant = session.variant().clone();
        let aside = Session::new(&variant, Arc::clone(&clock));
        let aside = aside.ok_or(CliError::NotOpened(variant))?;
        let mut game = Self {
            session,
            aside,
            side,
            start: None,
            plays: Vec::new(),
            undone: Vec::new(),
            resigned: None,
            is_paused: false,
            is_saved: true,
            is_shown: false,
            is_interrupted: false,
            is_swap_declined: false,
            person,
            asked_at: clock.now(),
            is_warned: false,
            clock,
            look,
            output,
        };
        let moves = moves
            .into_iter()
            .map(|text| (text, SearchInformation::default()));
        game.replace(position, moves.collect())?;
        game.is_paused = false;
        Ok(game)
    }

    /// Replaces the game by another one of the session's variant, whose moves are legal.
    pub(super) fn replace(
        &mut self,
        start: Option<String>,
        moves: Vec<(String, SearchInformation)>,
    ) -> Result<(), CliError> {
        self.session.set_history(start.as_deref(), &[])?;
        self.start = start;
        self.plays.clear();
        for (text, information) in moves {
            let color = self.session.side();
            if let Err(error) = self.session.play(color, &text, true) {
                return super::super::usage(error.to_string());
            }
            self.plays.push(Play {
                color,
                text: self.session.last_play().unwrap_or(text),
                information,
            });
        }
        self.undone.clear();
        self.resigned = None;
        self.is_paused = true;
        self.is_saved = true;
        self.is_shown = false;
        self.is_swap_declined = false;
        Ok(())
    }

    /// Returns the end of the game, by the rules or by resignation.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        let resigned = self.resigned.map(|loser| Outcome::win(!loser, RESIGNATION));
        resigned.or_else(|| self.session.outcome())
    }

    /// Plays what the person typed for the side to move.
    pub(super) fn person_moves(&mut self, typed: &str) -> Result<(), Trouble> {
        if self.resigned.is_some() {
            return refuse(
                "The game is over: a player has resigned. undo takes that back, new begins another game.",
            );
        }
        let text = self.read(typed);
        let time = self.clock.now().saturating_sub(self.asked_at);
        let information = SearchInformation {
            time_ms: time.as_millis().try_into().unwrap_or(u64::MAX),
            ..SearchInformation::default()
        };
        match self.make(&text, information) {
            Ok(told) => {
                self.undone.clear();
                if told.iter().any(|told| told.has_effects) {
                    let who = match self.side.only() {
                        Some(_) => "You play".to_owned(),
                        None => format!("{} plays", self.mover()),
                    };
                    self.narrate(&who, &told)?;
                }
                Ok(())
            }
            Err(error) => refuse(self.explain(typed, &error)),
        }
    }

    /// Returns the colour of the last play.
    fn mover(&self) -> Color {
        let last = self.plays.last().map(|play| play.color);
        last.unwrap_or(self.session.side())
    }

    /// Reads a move as people type it: blanks may stand for commas or within a step, and the value of a die to set may
    /// be left out.
    fn read(&mut self, typed: &str) -> String {
        let words = |text: &str| {
            let words = text.split([',', ' ', '\t']);
            words
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join(",")
        };
        let text = words(typed);
        if self.session.check(&text).is_ok() {
            return text;
        }
        let joined: String = typed.split([' ', '\t']).collect();
        let undashed = without_dashes(&joined);
        let with_values = self.with_values(&text);
        // A die and its cell, as in `6 b2`.
        let die = text.replacen(',', "@", 1);
        let others = [joined, undashed, with_values, die];
        if let Some(legal) = others
            .iter()
            .find(|other| self.session.check(other).is_ok())
        {
            return legal.clone();
        }
        // If none is legal, the error of one that reads as a step says the most.
        let is_step = |other: &&String| {
            let checked = self.session.check(other);
            matches!(checked, Err(PlayError::Step(StepError::Illegal { .. })))
        };
        let [joined, undashed, with_values, die] = &others;
        let steps = [with_values, joined, undashed, die];
        steps
            .into_iter()
            .find(is_step)
            .unwrap_or(with_values)
            .clone()
    }

    /// Adds the values of dice to steps that name only a cell.
    fn with_values(&mut self, text: &str) -> String {
        self.look_aside(&self.session.position());
        let mut steps = Vec::new();
        for step in text.split(',') {
            let value = self
                .aside
                .picture()
                .value_to_set
                .filter(|_| form(step) == "#");
            let step = value.map_or(step.to_owned(), |value| format!("{value}@{step}"));
            // The session will say what is wrong.
            let _ = self.aside.play(self.aside.side(), &step, false);
            steps.push(step);
        }
        steps.join(",")
    }

    /// Sets the other session to a position of this game's variant.
    fn look_aside(&mut self, position: &str) {
        if self.aside.variant() != self.session.variant() {
            self.aside.set_variant(self.session.variant());
        }
        if let Err(error) = self.aside.set_position(position) {
            log::error!("{error}");
        }
    }

    /// Plays a move or part of one for the side to move. Returns its steps in words.
    fn make(&mut self, text: &str, information: SearchInformation) -> Result<Vec<Told>, PlayError> {
        let (color, before) = (self.session.side(), self.session.position());
        self.session.play(color, text, false)?;
        let text = self.session.last_play().unwrap_or_default();
        let told = self.told(&before, color, &text);
        self.plays.push(Play {
            color,
            text,
            information,
        });
        self.is_paused = false;
        self.is_saved = false;
        self.is_shown = false;
        Ok(told)
    }

    /// Describes the steps of a move from a position.
    fn told(&mut self, position: &str, color: Color, text: &str) -> Vec<Told> {
        self.look_aside(position);
        let is_single = self.aside.variant().to_string().contains("order=single");
        let mut before = self.aside.picture();
        let mut told = Vec::new();
        for step in text.split(',') {
            // They were legal in the session.
            let _ = self.aside.play(color, step, false);
            let after = self.aside.picture();
            told.push(tell(step, color, [&before, &after], is_single));
            before = after;
        }
        told
    }

    /// Lets the engine move for the side to move.
    ///
    /// With `sets_only`, of a move that begins by setting pieces, only those steps are played.
    pub(super) fn engine_moves(&mut self, sets_only: bool) -> Result<(), Trouble> {
        let side = self.session.side();
        let began = self.clock.now();
        let purpose = match self.side {
            Side::None => "Ctrl-C: stop the game",
            _ => "Ctrl-C: move at once",
        };
        let found = self.think(&Go::default(), &format!("{side} thinks; {purpose}"))?;
        let time = self.clock.now().saturating_sub(began);
        let best = found.progress.variations.first();
        let information = SearchInformation {
            time_ms: time.as_millis().try_into().unwrap_or(u64::MAX),
            score: best.map(|best| best.score()),
            depth: best.and_then(|best| best.depth().try_into().ok()),
            nodes: Some(found.progress.statistics.nodes),
        };
        let text = found.text();
        let setting = text.split(',').filter(|step| form(step) == "9@#").count();
        let text = match sets_only && setting > 0 {
            true => text.split(',').take(setting).collect::<Vec<_>>().join(","),
            false => text,
        };
        let told = self.make(&text, information);
        let told = told.or_else(|error| refuse(error.to_string()))?;
        self.undone.clear();
        self.narrate(&format!("{side} plays"), &told)?;
        Ok(())
    }

    /// Searches the position. Ctrl-C ends the search early.
    pub(super) fn think(&mut self, go: &Go, what: &str) -> Result<SearchResult, Trouble> {
        // What came before was not meant for this search.
        while let Ok(stop) = self.person.stops.try_recv() {
            if stop == Stop::End {
                return Err(Trouble::Ended);
            }
        }
        let events = self.session.search(go);
        let events = events.or_else(|error| refuse(error.to_string()))?;
        if self.look.is_terminal {
            write!(self.output, "{what} …")?;
            self.output.flush()?;
        }
        let mut is_stopped = false;
        let found = loop {
            select! {
                recv(events) -> event => match event {
                    Ok(Event::SearchDone(found)) => break Ok(found),
                    Ok(_) => {}
                    Err(_) => break refuse("The search broke."),
                },
                recv(self.person.stops) -> stop => {
                    self.session.stop();
                    is_stopped = true;
                    if stop != Ok(Stop::Interrupt) {
                        break Err(Trouble::Ended);
                    }
                }
            }
        };
        if self.look.is_terminal {
            // Back to the first column, and erase.
            write!(self.output, "\r\x1b[K")?;
        }
        self.is_interrupted = is_stopped;
        for shortage in self.session.take_shortages() {
            self.say(&shortage)?;
        }
        found
    }

    /// Returns true if there is a move of the person to take back.
    pub(super) fn can_undo(&self) -> bool {
        self.last_own_play().is_some()
    }

    /// Returns the index of the last play of the person.
    fn last_own_play(&self) -> Option<usize> {
        let is_persons = |play: &Play| self.side.only().is_none_or(|own| own == play.color);
        self.plays.iter().rposition(is_persons)
    }

    /// Takes back the last thing that the person played, and what the engine has played since.
    pub(super) fn undo(&mut self) -> Result<(), Trouble> {
        if let Some(loser) = self.resigned.take() {
            self.is_shown = false;
            self.is_saved = false;
            self.say(&format!("{loser} has not resigned."))?;
            return Ok(());
        }
        let Some(first) = self.last_own_play() else {
            return refuse("There is no move of yours to take back.");
        };
        let taken = self.plays.split_off(first);
        for _ in &taken {
            self.session.undo();
        }
        self.is_shown = false;
        self.is_saved = false;
        self.is_swap_declined = false;
        self.is_paused = !self.side.has(self.session.side());
        let plays: Vec<String> = taken
            .iter()
            .map(|play| format!("{} {}", play.color, play.text))
            .collect();
        self.say(&format!(
            "Taken back: {}. redo plays it again.",
            words::list(&plays, "and")
        ))?;
        self.undone.push(taken);
        Ok(())
    }

    /// Plays again what the last `undo` took back.
    pub(super) fn redo(&mut self) -> Result<(), Trouble> {
        let Some(plays) = self.undone.pop() else {
            return refuse("There is nothing to play again.");
        };
        for play in plays {
            let color = play.color;
            let text = play.text.clone();
            let played = self.session.play(color, &text, false);
            played.or_else(|error| refuse(error.to_string()))?;
            self.plays.push(play);
            self.say(&format!("{color} plays {text}."))?;
        }
        self.is_shown = false;
        self.is_saved = false;
        Ok(())
    }

    /// Describes a move from the present position in words.
    pub(super) fn in_words(&mut self, text: &str) -> Vec<Told> {
        let (position, side) = (self.session.position(), self.session.side());
        self.told(&position, side, text)
    }
}

/// Leaves out dashes and crosses between two cells, as in `e2-e4` and `e2xe4`.
fn without_dashes(text: &str) -> String {
    let mut kept = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let follows_digit = kept.ends_with(|c: char| c.is_ascii_digit());
        let precedes_cell = letters.peek().is_some_and(char::is_ascii_alphabetic);
        if !(matches!(letter, '-' | '–' | 'x' | 'X') && follows_digit && precedes_cell) {
            kept.push(letter);
        }
    }
    kept
}
