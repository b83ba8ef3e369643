//! The boundary: a game of some type behind a trait of text and numbers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crossbeam_channel::{Receiver, bounded};

use super::{Done, Found, PlayError};
use crate::game::{Color, Halves, NoKeys, Outcome, Position, Steps};
use crate::notation::{GameVisitor, ParseError, Playable, PositionError, StepError, Variant};
use crate::perft::perft;
use crate::search::{Clock, Limits, Report, Settings, Uct};

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
    fn moves(&self) -> Vec<String>;
    /// Where the history begins, and each play with its colour.
    fn record(&self) -> (String, Vec<(Color, String)>);
    fn perft(&self, depth: u32, stop: &Arc<AtomicBool>, clock: &Arc<dyn Clock>) -> Receiver<Done>;
    fn search(
        &mut self,
        settings: Settings,
        limits: Limits,
        stop: &Arc<AtomicBool>,
        clock: &Arc<dyn Clock>,
    ) -> Receiver<Done>;
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

/// A game of one type with its history.
struct Played<G: Playable> {
    game: Arc<G>,
    /// Where the history begins.
    start: G::Position,
    /// Each step, with the position it led to.
    history: Vec<(G::Step, G::Position)>,
    /// How long the history was before each play.
    plays: Vec<usize>,
    /// The search with what it remembers, from when it is first wanted.
    search: Option<Arc<Mutex<Uct<G>>>>,
}

impl<G: Playable> Played<G> {
    fn now(&self) -> &G::Position {
        self.history
            .last()
            .map_or(&self.start, |(_, position)| position)
    }

    /// The search, once no thread is using it. A thread that broke has left nothing that could not be used.
    fn remembered(&self) -> Option<MutexGuard<'_, Uct<G>>> {
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
            (None, Err(StepError::Syntax(_))) => Err(StepError::Illegal {
                step: text.to_owned(),
                why: "a player must take one of the steps that legal shows".to_owned(),
            }),
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
        let mut here = *self.now();
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
        if let Some(mut search) = self.remembered() {
            for &(step, _) in &played {
                search.follow(step);
            }
        }
        self.plays.push(self.history.len());
        self.history.extend(played);
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

    fn moves(&self) -> Vec<String> {
        let mut moves: Vec<String> = Vec::new();
        let mut mover = None;
        let mut side = self.start.side();
        for (step, position) in &self.history {
            let text = self.game.write_step(*step);
            match moves.last_mut() {
                Some(last) if mover == Some(side) => {
                    last.push(',');
                    last.push_str(&text);
                }
                _ => moves.push(text),
            }
            mover = Some(side);
            side = position.side();
        }
        moves
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

    fn perft(&self, depth: u32, stop: &Arc<AtomicBool>, clock: &Arc<dyn Clock>) -> Receiver<Done> {
        let (game, position) = (Arc::clone(&self.game), *self.now());
        let (stop, clock) = (Arc::clone(stop), Arc::clone(clock));
        on_a_thread("perft", move || {
            let began = clock.now();
            let stopped = || stop.load(Ordering::Relaxed);
            let count = perft(&*game, &position, depth, &stopped);
            let time = clock.now().saturating_sub(began);
            Done::Counted { count, time }
        })
    }

    fn search(
        &mut self,
        settings: Settings,
        limits: Limits,
        stop: &Arc<AtomicBool>,
        clock: &Arc<dyn Clock>,
    ) -> Receiver<Done> {
        let same = self
            .remembered()
            .is_some_and(|search| search.settings() == settings);
        if !same {
            // The old tree goes before the new one comes.
            self.search = None;
        }
        let game = &self.game;
        let new = || Arc::new(Mutex::new(Uct::new(Arc::clone(game), settings)));
        let search = Arc::clone(self.search.get_or_insert_with(new));
        let (game, position) = (Arc::clone(&self.game), *self.now());
        let (stop, clock) = (Arc::clone(stop), Arc::clone(clock));
        on_a_thread("search", move || {
            let mut search = search.lock().unwrap_or_else(PoisonError::into_inner);
            let report = search.think(&position, limits, &stop, &*clock);
            Done::Found(in_words(&*game, report))
        })
    }
}

/// Does work on a thread. The channel closes without a result where the work breaks.
fn on_a_thread(name: &str, work: impl FnOnce() -> Done + Send + 'static) -> Receiver<Done> {
    let (sender, receiver) = bounded(1);
    let run = move || {
        // Whoever asked may be gone.
        let _ = sender.send(work());
    };
    if let Err(error) = thread::Builder::new().name(name.to_owned()).spawn(run) {
        log::error!("no thread for {name}: {error}");
    }
    receiver
}

fn in_words<G: Playable>(game: &G, report: Report<G::Step>) -> Found {
    let steps: Vec<String> = report
        .steps
        .iter()
        .map(|&step| game.write_step(step))
        .collect();
    Found {
        text: steps.join(","),
        nodes: report.nodes,
        tree_nodes: report.tree_nodes,
        time: report.time,
        expectation: report.expectation,
        proven: report.proven,
    }
}
