//! The boundary: a game of some type behind a trait of text and numbers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::mouse::{self, Clicked, Picture};
use super::thinking::{in_words, moves_in_words};
use super::{Event, HistoryError, PlayError};
use crate::game::{Color, Game, Halves, NoKeys, Outcome, Position, Steps};
use crate::notation::{GameVisitor, ParseError, Playable, PositionError, StepError, Variant};
use crate::perft::perft;
use crate::search::{self, Clock, Limits, Pace, Search, Settings, Task};

/// What [`super::Session`] says of itself, for a game whose type is forgotten.
pub(super) trait Table: Send {
    fn variant(&self) -> &Variant;
    fn restart(&mut self);
    fn position(&self) -> String;
    fn set_position(&mut self, text: &str) -> Result<(), PositionError>;
    fn side(&self) -> Color;
    fn turn(&self) -> u32;
    fn legal(&self) -> Vec<String>;
    fn outcome(&self) -> Option<Outcome>;
    fn counts(&self) -> Vec<(&'static str, Halves)>;
    fn margin(&self) -> Option<Halves>;
    fn diagram(&self) -> String;
    fn play(&mut self, color: Color, text: &str, pass_for_others: bool) -> Result<(), PlayError>;
    fn undo(&mut self) -> bool;
    fn plays(&self) -> usize;
    fn last_play(&self) -> Option<String>;
    fn moves(&self) -> Vec<String>;
    fn check(&self, text: &str) -> Result<(), PlayError>;
    fn set_history(&mut self, position: Option<&str>, moves: &[&str]) -> Result<(), HistoryError>;
    /// Where the history begins, and each play with its colour.
    fn record(&self) -> (String, Vec<(Color, String)>);
    fn points(&self, selected: Option<&str>) -> Vec<String>;
    fn click(&self, selected: Option<&str>, click: &str) -> Result<Clicked, PlayError>;
    fn clicks_of(&self, step: &str) -> Vec<String>;
    fn steps_from(&self, selected: &str) -> Vec<String>;
    fn picture(&self) -> Picture;
    fn captured(&self) -> [u32; 2];
    fn perft(&self, depth: u32, stop: &Arc<AtomicBool>, clock: &Arc<dyn Clock>) -> Receiver<Event>;
    fn search(
        &mut self,
        request: Request<'_>,
        stop: &Arc<AtomicBool>,
        clock: &Arc<dyn Clock>,
    ) -> Result<Receiver<Event>, PlayError>;
}

/// What a search is to do.
pub(super) struct Request<'a> {
    pub(super) settings: Settings,
    pub(super) limits: Limits,
    pub(super) lines: usize,
    pub(super) pace: Pace,
    /// The moves, or beginnings of moves, that may be found; all where it is empty.
    pub(super) only: &'a [String],
}

/// Puts an opened game on a table.
pub(super) struct Opener;

impl GameVisitor for Opener {
    type Output = Box<dyn Table>;

    fn visit<G: Playable>(self, game: G) -> Self::Output {
        Box::new(Played {
            start: game.start(),
            game: Arc::new(game),
            history: Vec::new(),
            plays: Vec::new(),
            search: None,
        })
    }
}

/// Steps, each with the position it led to.
type History<G> = Vec<(<G as Game>::Step, <G as Game>::Position)>;

/// A search that a thread may be using.
type Remembered<G> = Arc<Mutex<Box<dyn Search<G>>>>;

/// A game of one type with its history.
struct Played<G: Playable> {
    game: Arc<G>,
    /// Where the history begins.
    start: G::Position,
    history: History<G>,
    /// How long the history was before each play.
    plays: Vec<usize>,
    /// The search with what it remembers, from when it is first wanted.
    search: Option<Remembered<G>>,
}

impl<G: Playable> Played<G> {
    fn now(&self) -> &G::Position {
        self.history
            .last()
            .map_or(&self.start, |(_, position)| position)
    }

    /// The search, once no thread is using it. A thread that broke has left nothing that could not be used.
    fn remembered(&self) -> Option<MutexGuard<'_, Box<dyn Search<G>>>> {
        let search = self.search.as_ref()?;
        Some(search.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn begin(&mut self, start: G::Position) {
        self.start = start;
        self.history.clear();
        self.plays.clear();
        self.forget();
    }

    fn forget(&self) {
        if let Some(mut search) = self.remembered() {
            search.forget();
        }
    }

    /// The steps of a text, which `color` plays one after the other from a position on, each with the position
    /// it leads to.
    fn read_move(
        &self,
        position: &G::Position,
        color: Color,
        text: &str,
        pass_for_others: bool,
    ) -> Result<History<G>, PlayError> {
        let mut here = *position;
        if self.game.steps(&here).is_empty() {
            return Err(PlayError::Over);
        }
        if here.side() != color {
            return Err(PlayError::WrongColor(here.side()));
        }
        let mut played = Vec::new();
        let mut column = 0;
        for step_text in text.split(',') {
            let complete = here.side() != color || self.game.steps(&here).is_empty();
            if complete && !played.is_empty() && !step_text.is_empty() {
                let step = step_text.to_owned();
                return Err(PlayError::AfterMove { step, mover: color });
            }
            let read = self.read(&here, step_text, pass_for_others);
            let step = read.map_err(|error| match error {
                // With the whole move, and the column in it.
                StepError::Syntax(error) => StepError::Syntax(ParseError {
                    input: text.to_owned(),
                    column: column + error.column,
                    ..error
                }),
                illegal => illegal,
            })?;
            column += step_text.chars().count() + 1;
            self.game.play(&mut here, step, &mut NoKeys);
            played.push((step, here));
        }
        Ok(played)
    }

    /// One step of a text, as it is meant here.
    fn read(
        &self,
        position: &G::Position,
        text: &str,
        pass_for_others: bool,
    ) -> Result<G::Step, StepError> {
        let read = self.game.read_step(position, text);
        if read.is_ok() || !pass_for_others || !text.eq_ignore_ascii_case("pass") {
            return read;
        }
        match (self.game.meant_by_pass(position), read) {
            (Some(step), _) => Ok(step),
            (None, Err(StepError::Syntax(ParseError { expected, .. }))) => {
                Err(StepError::Illegal {
                    step: text.to_owned(),
                    why: format!(
                        "a player must take one of the steps that legal shows; expected {expected}"
                    ),
                })
            }
            (None, read) => read,
        }
    }
}

impl<G: Playable> Table for Played<G> {
    fn variant(&self) -> &Variant {
        self.game.variant()
    }

    fn restart(&mut self) {
        self.begin(self.game.start());
    }

    fn position(&self) -> String {
        self.game.write_position(self.now())
    }

    fn set_position(&mut self, text: &str) -> Result<(), PositionError> {
        let position = self.game.parse_position(text)?;
        self.begin(position);
        Ok(())
    }

    fn side(&self) -> Color {
        self.now().side()
    }

    fn turn(&self) -> u32 {
        self.now().turn()
    }

    fn legal(&self) -> Vec<String> {
        let mut legal = Vec::new();
        let steps = self.game.steps(self.now());
        steps.for_each(|step| legal.push(self.game.write_step(step)));
        legal
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome(self.now())
    }

    fn counts(&self) -> Vec<(&'static str, Halves)> {
        self.game.counts(self.now())
    }

    fn margin(&self) -> Option<Halves> {
        self.game.margin(self.now())
    }

    fn diagram(&self) -> String {
        self.game.diagram(self.now())
    }

    fn play(&mut self, color: Color, text: &str, pass_for_others: bool) -> Result<(), PlayError> {
        let played = self.read_move(self.now(), color, text, pass_for_others)?;
        if let Some(mut search) = self.remembered() {
            for &(step, _) in &played {
                search.follow(step);
            }
        }
        self.plays.push(self.history.len());
        self.history.extend(played);
        Ok(())
    }

    fn check(&self, text: &str) -> Result<(), PlayError> {
        let side = self.now().side();
        self.read_move(self.now(), side, text, false).map(|_| ())
    }

    fn set_history(&mut self, position: Option<&str>, moves: &[&str]) -> Result<(), HistoryError> {
        let start = match position {
            Some(text) => self.game.parse_position(text)?,
            None => self.game.start(),
        };
        let mut history: History<G> = Vec::new();
        let mut plays = Vec::new();
        let mut here = start;
        let mut last_mover: Option<Color> = None;
        for (i, text) in moves.iter().enumerate() {
            let side = here.side();
            let read = self.read_move(&here, side, text, false);
            let played = read.map_err(|why| HistoryError::Move {
                number: i + 1,
                text: (*text).to_owned(),
                // After the end it is not always the other side's turn, but a move would be the other side's.
                mover: match (&why, last_mover) {
                    (PlayError::Over, Some(last)) => !last,
                    _ => side,
                },
                why,
            })?;
            here = played.last().map_or(here, |&(_, position)| position);
            plays.push(history.len());
            history.extend(played);
            last_mover = Some(side);
        }
        let common = self.start == start && history.starts_with(&self.history);
        match self.remembered() {
            Some(mut search) if common => {
                for &(step, _) in history.iter().skip(self.history.len()) {
                    search.follow(step);
                }
            }
            Some(mut search) => search.forget(),
            None => {}
        }
        self.start = start;
        self.history = history;
        self.plays = plays;
        Ok(())
    }

    fn undo(&mut self) -> bool {
        let Some(length) = self.plays.pop() else {
            return false;
        };
        self.history.truncate(length);
        self.forget();
        true
    }

    fn plays(&self) -> usize {
        self.plays.len()
    }

    fn last_play(&self) -> Option<String> {
        let steps = self.history.get(*self.plays.last()?..)?.iter();
        let words: Vec<String> = steps.map(|&(step, _)| self.game.write_step(step)).collect();
        Some(words.join(","))
    }

    fn moves(&self) -> Vec<String> {
        let steps: Vec<G::Step> = self.history.iter().map(|&(step, _)| step).collect();
        let moves = moves_in_words(&*self.game, &self.start, &steps);
        moves.iter().map(|steps| steps.join(",")).collect()
    }

    fn record(&self) -> (String, Vec<(Color, String)>) {
        let mut plays: Vec<(Color, String)> = Vec::new();
        let mut side = self.start.side();
        for (i, (step, position)) in self.history.iter().enumerate() {
            let text = self.game.write_step(*step);
            match plays.last_mut() {
                Some((_, play)) if !self.plays.contains(&i) => {
                    play.push(',');
                    play.push_str(&text);
                }
                _ => plays.push((side, text)),
            }
            side = position.side();
        }
        (self.game.write_position(&self.start), plays)
    }

    fn points(&self, selected: Option<&str>) -> Vec<String> {
        mouse::points(&*self.game, self.now(), selected)
    }

    fn click(&self, selected: Option<&str>, click: &str) -> Result<Clicked, PlayError> {
        mouse::click(&*self.game, self.now(), selected, click)
    }

    fn clicks_of(&self, step: &str) -> Vec<String> {
        mouse::clicks_of(&*self.game, self.now(), step)
    }

    fn steps_from(&self, selected: &str) -> Vec<String> {
        mouse::steps_from(&*self.game, self.now(), selected)
    }

    fn captured(&self) -> [u32; 2] {
        mouse::captured(&*self.game, &self.start, &self.history)
    }

    fn picture(&self) -> Picture {
        mouse::picture(&*self.game, self.now())
    }

    fn perft(&self, depth: u32, stop: &Arc<AtomicBool>, clock: &Arc<dyn Clock>) -> Receiver<Event> {
        let (game, position) = (Arc::clone(&self.game), *self.now());
        let (stop, clock) = (Arc::clone(stop), Arc::clone(clock));
        on_a_thread("perft", move |_| {
            let began = clock.now();
            let stopped = || stop.load(Ordering::Relaxed);
            let count = perft(&*game, &position, depth, &stopped);
            let time = clock.now().saturating_sub(began);
            Event::Counted { count, time }
        })
    }

    fn search(
        &mut self,
        request: Request<'_>,
        stop: &Arc<AtomicBool>,
        clock: &Arc<dyn Clock>,
    ) -> Result<Receiver<Event>, PlayError> {
        let position = *self.now();
        let read = |text: &String| {
            let played = self.read_move(&position, position.side(), text, false)?;
            Ok(played.iter().map(|&(step, _)| step).collect())
        };
        let only: Result<Vec<Vec<G::Step>>, PlayError> = request.only.iter().map(read).collect();
        let only = only?;
        let Request {
            settings,
            limits,
            lines,
            pace,
            ..
        } = request;
        let same = self
            .remembered()
            .is_some_and(|search| search.settings() == settings);
        if !same {
            // The old tree goes before the new one comes.
            self.search = None;
        }
        let game = &self.game;
        let new = || Arc::new(Mutex::new(search::search(Arc::clone(game), settings)));
        let search = Arc::clone(self.search.get_or_insert_with(new));
        let game = Arc::clone(&self.game);
        let (stop, clock) = (Arc::clone(stop), Arc::clone(clock));
        // Until the thread runs, time passes, too.
        let began = clock.now();
        Ok(on_a_thread("search", move |events| {
            let mut search = search.lock().unwrap_or_else(PoisonError::into_inner);
            let watch = |report| {
                let progress = in_words(&*game, &position, report).progress;
                // Nobody waits for those that nobody has time for.
                let _ = events.try_send(Event::Progress(progress));
            };
            let task = Task {
                only: &only,
                lines,
                pace,
                watch: &watch,
                began,
                ..Task::new(limits, &stop, &*clock)
            };
            let report = search.think(&position, &task);
            Event::Found(in_words(&*game, &position, report))
        }))
    }
}

/// How many events may wait to be looked at.
const EVENTS: usize = 16;

/// Does work on a thread, which may send events before its last one. The channel closes without that one where
/// the work breaks.
fn on_a_thread(
    name: &str,
    work: impl FnOnce(&Sender<Event>) -> Event + Send + 'static,
) -> Receiver<Event> {
    let (sender, receiver) = bounded(EVENTS);
    let run = move || {
        let last = work(&sender);
        // Whoever asked may be gone.
        let _ = sender.send(last);
    };
    if let Err(error) = thread::Builder::new()
        .name(name.to_owned())
        .stack_size(search::STACK)
        .spawn(run)
    {
        log::error!("no thread for {name}: {error}");
    }
    receiver
}
