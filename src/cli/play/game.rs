//! A game between a person and the engine: turns, talk, undo.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::select;

use super::Side;
use super::input::Person;
use super::look::Look;
use super::show::MAX_TOLD;
use crate::cli::CliError;
use crate::cli::signals::Stop;
use crate::record::{RESIGNATION, SearchInformation};
use crate::rules::{Color, Narration, Outcome};
use crate::search::Clock;
use crate::session::{Event, Go, PlayError, SearchResult, Session};
use crate::text::list;

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
    /// The number of the turn.
    turn: u32,
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
    pub(super) aside: Session,
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
    pub(super) fn new(setup: Setup, person: Person, look: Look, output: &'a mut dyn Write) -> Result<Self, CliError> {
        let Setup { session, side, position, moves, clock } = setup;
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
        let moves = moves.into_iter().map(|text| (text, SearchInformation::default()));
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
            let (color, turn) = (self.session.side(), self.session.turn());
            if let Err(error) = self.session.play(color, &text, true) {
                return super::super::usage(error.to_string());
            }
            self.plays.push(Play { color, turn, text: self.session.last_play().unwrap_or(text), information });
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
            return refuse("The game is over: a player has resigned. undo takes that back, new begins another game.");
        }
        let text = match self.read(typed) {
            Ok(text) => text,
            Err(error) => return refuse(self.explain(typed, &error)),
        };
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

    /// Sets the other session to a position of this game's variant.
    pub(super) fn look_aside(&mut self, position: &str) {
        if self.aside.variant() != self.session.variant() {
            self.aside.set_variant(self.session.variant());
        }
        if let Err(error) = self.aside.set_position(position) {
            log::error!("{error}");
        }
    }

    /// Plays a move or part of one for the side to move. Returns its steps in words.
    fn make(&mut self, text: &str, information: SearchInformation) -> Result<Vec<Narration>, PlayError> {
        let (color, before) = (self.session.side(), self.session.position());
        let turn = self.session.turn();
        self.session.play(color, text, false)?;
        let text = self.session.last_play().unwrap_or_default();
        let told = self.told(&before, &text);
        self.plays.push(Play { color, turn, text, information });
        self.is_paused = false;
        self.is_saved = false;
        self.is_shown = false;
        Ok(told)
    }

    /// Describes the steps of a move from a position.
    fn told(&self, position: &str, text: &str) -> Vec<Narration> {
        let mut board = self.session.board().fork();
        if let Err(error) = board.set_position(position) {
            log::error!("{error}");
        }
        let narrate = |step| {
            // They were legal in the session.
            let step = board.find_step(step).ok()?;
            let narration = board.narrate(step);
            board.make(step);
            Some(narration)
        };
        text.split(',').filter_map(narrate).collect()
    }

    /// Lets the engine move for the side to move.
    pub(super) fn engine_moves(&mut self) -> Result<(), Trouble> {
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
        let told = self.make(&text, information);
        let told = told.or_else(|error| refuse(error.to_string()))?;
        self.undone.clear();
        self.narrate(&format!("{side} plays"), &told)?;
        Ok(())
    }

    /// Searches the position. Ctrl-C ends the search early.
    pub(super) fn think(&mut self, go: &Go, what: &str) -> Result<SearchResult, Trouble> {
        // What came before was not meant for this search.
        self.drop_interrupts()?;
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
        self.look.measure();
        self.is_interrupted = is_stopped;
        for shortage in self.session.take_shortages() {
            self.say(&shortage)?;
        }
        found
    }

    /// Forgets each Ctrl-C until now.
    pub(super) fn drop_interrupts(&self) -> Result<(), Trouble> {
        while let Ok(stop) = self.person.stops.try_recv() {
            if stop == Stop::End {
                return Err(Trouble::Ended);
            }
        }
        Ok(())
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

    /// Takes back the last turn of the person, and what the engine has played since; within an unfinished turn, what the
    /// person typed last.
    pub(super) fn undo(&mut self) -> Result<(), Trouble> {
        if let Some(loser) = self.resigned.take() {
            self.is_shown = false;
            self.is_saved = false;
            self.say(&format!("{loser} has not resigned."))?;
            return Ok(());
        }
        let Some(last) = self.last_own_play() else {
            return refuse("There is no move of yours to take back.");
        };
        let first = self.begin_of_turn(last);
        let taken = self.plays.split_off(first);
        for _ in &taken {
            self.session.undo();
        }
        self.is_shown = false;
        self.is_saved = false;
        self.is_swap_declined = false;
        self.is_paused = !self.side.has(self.session.side());
        let turns: Vec<String> = turns(&taken)
            .into_iter()
            .map(|(color, steps)| match steps.len() <= MAX_TOLD {
                true => format!("{color} {}", steps.join(",")),
                false => format!("{color} {} steps", steps.len()),
            })
            .collect();
        self.say(&format!("Taken back: {}. redo plays it again.", list(&turns, "and")))?;
        self.undone.push(taken);
        Ok(())
    }

    /// Returns the index of the first play to take back, where the last one of the person is `last`: the first of a whole
    /// turn, `last` itself within an unfinished one.
    fn begin_of_turn(&self, last: usize) -> usize {
        let Some(Play { color, turn, .. }) = self.plays.get(last) else {
            return last;
        };
        if self.session.turn() == *turn && self.session.outcome().is_none() {
            return last;
        }
        let before = self.plays.iter().take(last).rev();
        let of_turn = before.take_while(|play| play.color == *color && play.turn == *turn);
        last - of_turn.count()
    }

    /// Plays again what the last `undo` took back.
    pub(super) fn redo(&mut self) -> Result<(), Trouble> {
        let Some(plays) = self.undone.pop() else {
            return refuse("There is nothing to play again.");
        };
        let turns = turns(&plays);
        for play in plays {
            let played = self.session.play(play.color, &play.text, false);
            played.or_else(|error| refuse(error.to_string()))?;
            self.plays.push(play);
        }
        for (color, steps) in turns {
            match steps.len() <= MAX_TOLD {
                true => self.say(&format!("{color} plays {}.", steps.join(",")))?,
                false => self.say(&format!("{color} plays {} steps.", steps.len()))?,
            }
        }
        self.is_shown = false;
        self.is_saved = false;
        Ok(())
    }

    /// Describes a move from the present position in words.
    pub(super) fn in_words(&self, text: &str) -> Vec<Narration> {
        self.told(&self.session.position(), text)
    }
}

/// Returns the steps of plays, those of one turn together.
fn turns(plays: &[Play]) -> Vec<(Color, Vec<String>)> {
    let turns = plays.chunk_by(|a, b| (a.color, a.turn) == (b.color, b.turn));
    let steps = |plays: &[Play]| {
        let steps = plays.iter().flat_map(|play| play.text.split(','));
        steps.map(str::to_owned).collect()
    };
    turns.filter_map(|plays| Some((plays.first()?.color, steps(plays)))).collect()
}
