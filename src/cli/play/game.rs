//! A game between a person and the engine: turns, talk, undo.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::select;

use super::Side;
use super::board::{Marks, cells, draw};
use super::commands::{self, Flow};
use super::input::{Answer, Person, Question};
use super::look::Look;
use super::words::{self, Told, tell, wrap};
use crate::arena::record::{RESIGNATION, SearchInformation};
use crate::cli::CliError;
use crate::cli::signals::Stop;
use crate::notation::form;
use crate::rules::{Color, Equipment, Outcome, StepError};
use crate::search::Clock;
use crate::session::{Event, Go, PlayError, SearchResult, Session};
use crate::text::quote;

/// Most steps of a move that are told in words.
const MAX_TOLD: usize = 8;

/// Most forms of steps that are shown as examples.
const MAX_EXAMPLES: usize = 6;

/// Time after a move of the engine in which Ctrl-C was meant for the engine.
const LATE_INTERRUPT: Duration = Duration::from_millis(700);

/// What keeps a command from being done.
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
    is_shown: bool,
    /// True if Ctrl-C ended the last search.
    is_interrupted: bool,
    is_swap_declined: bool,
    pub(super) person: Person,
    pub(super) clock: Arc<dyn Clock>,
    asked_at: Duration,
    moved_at: Option<Duration>,
    look: Look,
    output: &'a mut dyn Write,
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
            moved_at: None,
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

    /// Prints a text, its lines broken to fit the terminal.
    pub(super) fn say(&mut self, text: &str) -> io::Result<()> {
        self.say_indented(text, 0)
    }

    /// Prints a text whose lines after the first are indented.
    pub(super) fn say_indented(&mut self, text: &str, indent: usize) -> io::Result<()> {
        for line in text
            .split('\n')
            .flat_map(|line| wrap(line, self.look.width, indent))
        {
            writeln!(self.output, "{line}")?;
        }
        Ok(())
    }

    /// Plays until the person leaves.
    pub(super) fn run(&mut self) -> Result<(), Trouble> {
        self.greet()?;
        loop {
            let over = self.outcome().is_some();
            if !over && !self.is_paused && !self.side.has(self.session.side()) {
                self.engine_moves()?;
                if self.side == Side::None {
                    // Ctrl-C ended the search, and stops the game.
                    self.is_paused = self.is_interrupted;
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
                        _ => {
                            if self.obey(&line)? == Flow::Quit {
                                break;
                            }
                            continue;
                        }
                    },
                    None => break,
                }
                if self.may_be_asked_to_swap() || !self.is_shown {
                    continue;
                }
            }
            let prompt = match over {
                true => "> ".to_owned(),
                false => format!("{}> ", self.session.side()),
            };
            match self.ask(&prompt, true)? {
                Some(line) => {
                    if self.obey(&line)? == Flow::Quit {
                        break;
                    }
                }
                None => break,
            }
        }
        self.part()
    }

    fn greet(&mut self) -> io::Result<()> {
        let info = self.session.variant().info();
        let text = format!("{}: {}", self.session.variant(), info.about);
        self.say(&text)?;
        let engine = self.engine_words();
        let who = match self.side {
            Side::Both => "You play both sides; go lets the engine move.".to_owned(),
            Side::None => format!("The engine plays both sides{engine}; Ctrl-C stops the game."),
            Side::Black | Side::White => {
                let own = if self.side == Side::Black {
                    Color::Black
                } else {
                    Color::White
                };
                format!("You are {own}; the engine is {}{engine}.", !own)
            }
        };
        let who = format!("{who} {} moves first.", info.first);
        self.say(&who)?;
        self.say(match self.person.has_editor {
            true => "Type a move, or help. Tab completes what you have begun.",
            false => "Type a move, or help.",
        })
    }

    /// Returns the level of the engine in words, with a comma before them.
    fn engine_words(&self) -> String {
        match self.session.option("Strength") {
            Ok(level) => format!(", level {level}"),
            Err(_) => String::new(),
        }
    }

    /// Returns true where the pie rule offers a swap to the person.
    fn may_be_asked_to_swap(&self) -> bool {
        !self.is_swap_declined
            && !self.is_paused
            && self
                .session
                .legal()
                .last()
                .is_some_and(|step| step == "swap")
    }

    /// Asks for a line; `None` at the end of the input or after Ctrl-C.
    pub(super) fn ask(&mut self, prompt: &str, is_move: bool) -> Result<Option<String>, Trouble> {
        loop {
            self.asked_at = self.clock.now();
            if !self.person.has_editor {
                write!(self.output, "{prompt}")?;
            }
            self.output.flush()?;
            let position = || [self.session.variant().to_string(), self.session.position()];
            let answer = self.person.ask(Question {
                prompt: prompt.to_owned(),
                position: is_move.then(position),
            });
            match answer {
                Answer::Line(line) => {
                    if !self.person.is_echoed {
                        writeln!(self.output, "{line}")?;
                    }
                    return Ok(Some(line));
                }
                Answer::Interrupt if self.was_meant_for_engine() => {
                    self.moved_at = None;
                    self.say("The engine had moved already. Once more leaves the game.")?;
                }
                Answer::Interrupt | Answer::End => {
                    writeln!(self.output)?;
                    return Ok(None);
                }
            }
        }
    }

    /// Returns true if Ctrl-C came so soon after a move of the engine that it was meant to hasten it.
    fn was_meant_for_engine(&self) -> bool {
        let moved = self.moved_at.filter(|_| self.person.has_editor);
        moved.is_some_and(|moved| self.clock.now().saturating_sub(moved) < LATE_INTERRUPT)
    }

    /// Asks a question; only `y` and `yes` mean yes.
    pub(super) fn confirm(&mut self, question: &str) -> Result<bool, Trouble> {
        let answer = self.ask(&format!("{question} [y/N] "), false)?;
        let answer = answer.unwrap_or_default().trim().to_lowercase();
        Ok(answer == "y" || answer == "yes")
    }

    /// Does what a line says: a command or a move. Says why, if it can't be done.
    fn obey(&mut self, line: &str) -> Result<Flow, Trouble> {
        let line = line.trim();
        let done = match commands::find(line) {
            Some((command, rest)) => (command.run)(self, rest),
            None if line.is_empty() => self.go_on(),
            None => self.person_moves(line).map(|()| Flow::GoOn),
        };
        match done {
            Err(Trouble::Refused(why)) => {
                self.say(&why)?;
                Ok(Flow::GoOn)
            }
            done => done,
        }
    }

    /// Does what an empty line says: goes on with a paused game, else shows the board again.
    fn go_on(&mut self) -> Result<Flow, Trouble> {
        let waits = self.is_paused && !self.side.has(self.session.side());
        match waits && self.outcome().is_none() {
            true => self.is_paused = false,
            false => self.is_shown = false,
        }
        Ok(Flow::GoOn)
    }

    /// Returns the end of the game, by the rules or by resignation.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        let resigned = self.resigned.map(|loser| Outcome::win(!loser, RESIGNATION));
        resigned.or_else(|| self.session.outcome())
    }

    /// Shows the board and what is expected now, or how the game has ended.
    pub(super) fn show(&mut self) -> io::Result<()> {
        self.is_shown = true;
        let picture = self.session.picture();
        let moves = self.session.moves();
        let last = moves.last().map(String::as_str).unwrap_or_default();
        // Marks all over the board, as after setting up, say nothing.
        let last = if last.split(',').count() > MAX_TOLD {
            ""
        } else {
            last
        };
        writeln!(self.output)?;
        for line in draw(&picture, &Marks::of(last.split(',')), self.look) {
            writeln!(self.output, "{line}")?;
        }
        for line in &picture.status {
            self.say(line)?;
        }
        if let Some(counts) = self.counts(picture.equipment) {
            self.say(&counts)?;
        }
        let state = match self.outcome() {
            Some(outcome) => self.end_words(outcome),
            None => self.turn_words(),
        };
        self.say(&state)?;
        if self.outcome().is_none() && self.may_be_asked_to_swap() {
            self.say(
                "The pie rule: you may swap now. Then every piece changes its colour, and the other side moves.",
            )?;
        }
        Ok(())
    }

    /// Returns the counts that the game's own status lines do not have.
    fn counts(&self, equipment: Equipment) -> Option<String> {
        let what = match equipment {
            Equipment::Pits => "stones",
            Equipment::Stacks => "spaces",
            Equipment::Stones | Equipment::Dice => return None,
        };
        let counts = self.session.counts();
        let of = |name| counts.iter().find(|(known, _)| *known == name);
        let ((_, black), (_, white)) = (of("b")?, of("w")?);
        Some(format!("{what}: Black {black}, White {white}"))
    }

    fn end_words(&self, outcome: Outcome) -> String {
        let margin = self.session.margin().filter(|_| self.resigned.is_none());
        let mut text = match self.resigned {
            Some(loser) => format!("{} wins: {loser} has resigned.", !loser),
            None => words::result(outcome, margin),
        };
        text.push_str(match (self.side.only(), outcome.winner) {
            (Some(own), Some(winner)) if own == winner => " You have won!",
            (Some(_), Some(_)) => " The engine has won.",
            _ => "",
        });
        format!("{text}\nnew begins another game, undo goes back, save FILE keeps it, quit ends.")
    }

    fn turn_words(&self) -> String {
        let side = self.session.side();
        let who = match self.side.only() {
            Some(own) if own == side => " (you)",
            Some(_) => " (the engine)",
            None => "",
        };
        let so_far = match self.unfinished_move() {
            Some(steps) => format!(" after {steps}"),
            None => String::new(),
        };
        let turn = format!("Turn {}, {side}{who}{so_far}", self.session.turn());
        match self.is_paused && !self.side.has(side) {
            true => {
                format!("{turn}. Enter or go lets the engine move; you may also move for {side}.")
            }
            false => format!("{turn}: {}", self.expectation()),
        }
    }

    /// Returns the steps that the side to move has taken in its present move.
    fn unfinished_move(&self) -> Option<String> {
        let side = self.session.side();
        let last = self.plays.last().filter(|play| play.color == side);
        last.and_then(|_| self.session.moves().last().cloned())
    }

    /// Describes the step that is expected now, with examples.
    fn expectation(&self) -> String {
        let legal = self.session.legal();
        if let [only] = legal.as_slice() {
            return format!("{only} is the only step.");
        }
        let mut examples: Vec<(String, &String)> = Vec::new();
        for step in &legal {
            let form = form(step);
            let is_new = examples.iter().all(|(known, _)| *known != form);
            if is_new && examples.len() < MAX_EXAMPLES {
                examples.push((form, step));
            }
        }
        let required = self.session.required_step();
        let is_placement = examples.iter().all(|(form, _)| form == "#");
        let required = required.unwrap_or_else(|| match is_placement {
            true => format!("place a {}", words::noun(self.session.picture().equipment)),
            false => "a step".to_owned(),
        });
        let examples: Vec<String> = examples.into_iter().map(|(_, step)| step.clone()).collect();
        let mut expected = format!("{required}, such as {}.", words::list(&examples, "or"));
        if let (Some(_), Some(cell)) = (
            self.session.picture().value_to_set,
            examples.iter().find_map(|step| cells(step).pop()),
        ) {
            expected.push_str(&format!(
                " {cell} alone is enough; go lets the engine set for you."
            ));
        }
        expected
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
        if self.session.check(&joined).is_ok() {
            return joined;
        }
        self.with_values(&text)
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

    /// Says why what was typed can't be played.
    fn explain(&self, typed: &str, error: &PlayError) -> String {
        match error {
            PlayError::Over => {
                "The game is over. new begins another game, undo goes back.".to_owned()
            }
            PlayError::Step(StepError::Syntax(error)) => {
                let word = typed.split([' ', ',']).next().unwrap_or_default();
                match commands::meant(word) {
                    Some(meant) => format!(
                        "{} is neither a move nor a command: did you mean {}?",
                        quote(word),
                        quote(meant)
                    ),
                    None if form(typed).contains('#') => format!("Not a move: {error}"),
                    None => format!("Neither a move nor a command (help lists them): {error}"),
                }
            }
            error => format!("Illegal: {error}"),
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
        let mut before = self.aside.picture();
        let mut told = Vec::new();
        for step in text.split(',') {
            // They were legal in the session.
            let _ = self.aside.play(color, step, false);
            let after = self.aside.picture();
            told.push(tell(step, color, &before, &after));
            before = after;
        }
        told
    }

    /// Prints a move, and in words what its steps do.
    fn narrate(&mut self, who: &str, told: &[Told]) -> io::Result<()> {
        let steps: Vec<&str> = told.iter().map(|told| told.step.as_str()).collect();
        match told {
            [only] => self.say(&format!("{who} {}: {}.", only.step, only.clause)),
            _ if told.len() > MAX_TOLD => self.say_indented(
                &format!("{who} {} steps: {}", told.len(), steps.join(", ")),
                2,
            ),
            _ => {
                self.say_indented(&format!("{who} {}:", steps.join(",")), 2)?;
                for (i, told) in told.iter().enumerate() {
                    self.say_indented(&format!("  {}. {}: {}", i + 1, told.step, told.clause), 5)?;
                }
                Ok(())
            }
        }
    }

    /// Lets the engine move for the side to move.
    pub(super) fn engine_moves(&mut self) -> Result<(), Trouble> {
        let side = self.session.side();
        let began = self.clock.now();
        let found = self.think(
            &Go::default(),
            &format!("{side} thinks; Ctrl-C: move at once"),
        )?;
        let time = self.clock.now().saturating_sub(began);
        let best = found.progress.variations.first();
        let information = SearchInformation {
            time_ms: time.as_millis().try_into().unwrap_or(u64::MAX),
            score: best.map(|best| best.score()),
            depth: best.and_then(|best| best.depth().try_into().ok()),
            nodes: Some(found.progress.statistics.nodes),
        };
        let told = self.make(&found.text(), information);
        let told = told.or_else(|error| refuse(error.to_string()))?;
        self.undone.clear();
        self.moved_at = Some(self.clock.now());
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

    /// Takes back the last thing that the person played, and what the engine has played since.
    pub(super) fn undo(&mut self) -> Result<(), Trouble> {
        if let Some(loser) = self.resigned.take() {
            self.is_shown = false;
            self.is_saved = false;
            self.say(&format!("{loser} has not resigned."))?;
            return Ok(());
        }
        let is_persons = |play: &Play| self.side.only().is_none_or(|own| own == play.color);
        let Some(first) = self.plays.iter().rposition(is_persons) else {
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

    /// Says how to go on later, if the game is neither over nor saved.
    pub(super) fn part(&mut self) -> Result<(), Trouble> {
        if self.is_saved || self.plays.is_empty() || self.outcome().is_some() {
            return Ok(());
        }
        let mut line = format!("pentalith play {}", self.session.variant());
        if let Some(start) = &self.start {
            line.push_str(&format!(" --position '{start}'"));
        }
        let side = match self.side {
            Side::Black => "b",
            Side::White => "w",
            Side::Both => "both",
            Side::None => "none",
        };
        let moves = self.session.moves().join(" ");
        writeln!(
            self.output,
            "To go on with this game: {line} --as {side} --moves '{moves}'"
        )?;
        Ok(())
    }

    /// Shows the board before the next prompt.
    pub(super) fn show_again(&mut self) {
        self.is_shown = false;
    }

    /// Describes a move from the present position in words.
    pub(super) fn in_words(&mut self, text: &str) -> Vec<Told> {
        let (position, side) = (self.session.position(), self.session.side());
        self.told(&position, side, text)
    }
}
