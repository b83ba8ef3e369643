//! The game of one tab: who plays, what is selected, what the engine is doing, and what can be taken back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use super::clocks::Clocks;
use super::history::TakenBack;
use super::link;
use super::wishes::{Action, ClockSettings, Player, Players, move_time, short};
use crate::games;
use crate::record::{EarlyEnd, SearchInformation};
use crate::rules::{Board, Color, Variant};
use crate::search::{ReportSchedule, SystemClock};
use crate::session::{Clicked, Event, Go, Progress, Session, TimeLimit};

/// Prepares a session: sets the options that the command line gave.
pub type Configure = Arc<dyn Fn(&mut Session) + Send + Sync>;

/// Number of lines of an analysis.
const LINES: usize = 5;

/// Interval of an analysis' reports.
const REPORTS: Duration = Duration::from_millis(250);

/// Longest analysis of one position.
const LONGEST: Duration = Duration::from_secs(600);

/// Purpose of a running search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Work {
    /// The engine's move.
    Move,
    Hint,
    Analysis,
}

/// A game with its players.
pub(super) struct Game {
    pub(super) session: Session,
    /// The first click of a step of two: a cell, or the Pool.
    pub(super) selected: Option<String>,
    /// Plays that were taken back, the last one on top.
    pub(super) redo: Vec<TakenBack>,
    pub(super) players: [Player; 2],
    pub(super) level: String,
    /// The limit of `--nodes`, for the engine's own moves.
    nodes: String,
    /// True if the engine waits to be asked for its move: behind an undo, say.
    pub(super) is_paused: bool,
    pub(super) is_analyzing: bool,
    pub(super) hint: Option<String>,
    wants_hint: bool,
    work: Option<(Work, Receiver<Event>)>,
    /// The last report on the present position.
    pub(super) progress: Option<Progress>,
    pub(super) clocks: Option<Clocks>,
    pub(super) ended: Option<EarlyEnd>,
    pub(super) message: Option<String>,
    /// Time of each play, and for the engine's moves score, depth and nodes.
    pub(super) notes: Vec<SearchInformation>,
    /// When the side to move began to think.
    pub(super) since: Instant,
    /// True while a page looks on: without one, nothing is searched.
    is_watched: bool,
}

impl Game {
    /// Starts a game of a variant, a person against the engine. `None` if there is no such game.
    pub(super) fn new(variant: &Variant, configure: &Configure) -> Option<Self> {
        let mut session = Session::new(variant, Arc::new(SystemClock::default()))?;
        configure(&mut session);
        let option = |name| session.option(name).unwrap_or_default();
        let (level, nodes) = (option("Strength"), option("Nodes"));
        let players = players(session.side());
        Some(Self {
            session,
            selected: None,
            redo: Vec::new(),
            players,
            level,
            nodes,
            is_paused: false,
            is_analyzing: false,
            hint: None,
            wants_hint: false,
            work: None,
            progress: None,
            clocks: None,
            ended: None,
            message: None,
            notes: Vec::new(),
            since: Instant::now(),
            is_watched: false,
        })
    }

    pub(super) fn board(&self) -> &dyn Board {
        self.session.board()
    }

    /// Returns who moves next.
    pub(super) fn player(&self) -> Player {
        let [black, white] = self.players;
        match self.session.side() {
            Color::Black => black,
            Color::White => white,
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.ended.is_some() || self.board().is_over()
    }

    /// Returns true if a person may move now.
    pub(super) fn is_persons_turn(&self) -> bool {
        !self.is_over() && self.player() == Player::Person
    }

    /// Returns true while the engine chooses a move, or a hint.
    pub(super) fn is_thinking(&self) -> bool {
        matches!(self.work, Some((Work::Move | Work::Hint, _)))
    }

    /// Returns true if the engine is to move, and waits to be asked.
    pub(super) fn is_waiting(&self) -> bool {
        self.is_paused && !self.is_over() && self.player() == Player::Engine && !self.is_thinking()
    }

    /// Returns the events of the running search.
    pub(super) fn events(&self) -> Option<&Receiver<Event>> {
        self.work.as_ref().map(|(_, events)| events)
    }

    /// Fulfils a wish.
    ///
    /// # Errors
    /// Says why it can't be fulfilled. Nothing has changed then.
    pub(super) fn act(&mut self, action: Action) -> Result<(), String> {
        self.message = None;
        match action {
            Action::Click { point } => self.click(&point)?,
            Action::Step { text } => self.step(&text)?,
            Action::Undo {} => self.undo()?,
            Action::Redo {} => self.redo()?,
            Action::Goto { plays } => self.go_to(plays)?,
            Action::New { variant, players, level, seconds, clocks } => {
                let variant = games::parse_variant(short(&variant)?);
                let variant = variant.map_err(|error| format!("bad variant: {error}"))?;
                let seconds = seconds.map(move_time).transpose()?;
                let clocks = clocks.map(ClockSettings::read).transpose()?;
                if let Some(level) = level {
                    self.set_level(&level)?;
                }
                if !self.session.set_variant(&variant) {
                    return Err(format!("{variant} can't be opened"));
                }
                if let Some(time) = seconds {
                    self.session.set_time(time);
                }
                self.set_clocks(clocks);
                self.players = match players {
                    Some(Players { black, white }) => [black, white],
                    None => self.players,
                };
                self.begin_anew();
            }
            Action::Players { black, white } => {
                self.players = [black, white];
                self.is_paused = false;
                self.drop_work();
            }
            Action::Level { level } => self.set_level(&level)?,
            Action::Seconds { seconds } => self.session.set_time(move_time(seconds)?),
            Action::Hint {} => {
                self.expect_unfinished()?;
                if self.player() == Player::Engine {
                    return Err("a hint is for a person's move, and it is the engine's turn".to_owned());
                }
                self.wants_hint = true;
                self.drop_work();
            }
            Action::Analysis { on } => {
                self.is_analyzing = on;
                if matches!(self.work, Some((Work::Analysis, _))) {
                    self.drop_work();
                }
            }
            Action::Now {} => match self.work {
                Some((Work::Move | Work::Hint, _)) => self.session.stop(),
                _ => self.is_paused = false,
            },
            Action::Engine {} => {
                self.expect_unfinished()?;
                if !self.is_thinking() {
                    self.start(Work::Move)?;
                }
            }
            Action::Resign {} => self.resign()?,
            Action::Position { text } => {
                let set = self.session.set_position(short(text.trim())?);
                set.map_err(|error| format!("bad position: {error}"))?;
                self.begin_anew();
            }
            Action::Load { text } => self.load(&text)?,
            Action::Clocks { minutes, increment } => {
                let settings = minutes.map(|minutes| ClockSettings { minutes, increment });
                let clocks = settings.map(ClockSettings::read).transpose()?;
                self.set_clocks(clocks);
            }
        }
        self.go_on();
        Ok(())
    }

    /// Replaces the game by the one that a record or a link describes.
    pub(super) fn load(&mut self, text: &str) -> Result<(), String> {
        let link = link::read(text)?;
        // The new game is made apart, so that an error leaves the present one as it is.
        let mut session = Session::new(&link.variant, Arc::new(SystemClock::default()))
            .ok_or_else(|| format!("{} can't be opened", link.variant))?;
        let moves: Vec<&str> = link.moves.iter().map(String::as_str).collect();
        let read = session.set_history(link.position.as_deref(), &moves);
        read.map_err(|error| error.to_string())?;
        self.session.set_variant(&link.variant);
        let set = self.session.set_history(link.position.as_deref(), &moves);
        set.map_err(|error| error.to_string())?;
        self.begin_anew();
        self.notes = vec![SearchInformation::default(); self.session.plays()];
        self.is_paused = true;
        Ok(())
    }

    fn expect_unfinished(&self) -> Result<(), String> {
        match self.is_over() {
            true => Err("the game is over".to_owned()),
            false => Ok(()),
        }
    }

    fn expect_person(&self) -> Result<(), String> {
        self.expect_unfinished()?;
        match self.player() {
            Player::Person => Ok(()),
            Player::Engine => Err(format!("it is the engine's turn: {} is the engine", self.session.side())),
        }
    }

    fn click(&mut self, point: &str) -> Result<(), String> {
        self.expect_person()?;
        let clicked = self.session.click(self.selected.as_deref(), short(point)?);
        match clicked.map_err(|error| error.to_string())? {
            Clicked::Selects(point) => self.selected = Some(point),
            Clicked::LetsGo => self.selected = None,
            Clicked::Completes(step) => self.step(&step)?,
        }
        Ok(())
    }

    /// Plays a step or a move of a person.
    fn step(&mut self, text: &str) -> Result<(), String> {
        self.expect_person()?;
        let side = self.session.side();
        let text = short(text.trim())?;
        self.session.check(text).map_err(|error| error.to_string())?;
        self.play(side, text, SearchInformation::default())?;
        self.redo.clear();
        Ok(())
    }

    /// Plays steps of the side to move, and takes their time from its clock.
    fn play(&mut self, side: Color, text: &str, mut note: SearchInformation) -> Result<(), String> {
        let played = self.session.play(side, text, false);
        played.map_err(|error| error.to_string())?;
        let time = self.since.elapsed();
        note.time_ms = time.as_millis().try_into().unwrap_or(u64::MAX);
        self.notes.push(note);
        self.since = Instant::now();
        let passed = self.board().is_over() || self.session.side() != side;
        if let Some(clocks) = &mut self.clocks {
            clocks.spend(side, time, passed);
            if self.session.board().is_over() {
                clocks.stop();
            }
        }
        self.changed();
        Ok(())
    }

    /// Forgets what was known of the last position.
    pub(super) fn changed(&mut self) {
        self.drop_work();
        self.selected = None;
        self.hint = None;
        self.wants_hint = false;
        self.progress = None;
    }

    fn begin_anew(&mut self) {
        self.changed();
        self.redo.clear();
        self.notes.clear();
        self.ended = None;
        self.is_paused = false;
        self.since = Instant::now();
        if let Some(clocks) = &mut self.clocks {
            clocks.restart();
        }
    }

    fn resign(&mut self) -> Result<(), String> {
        self.expect_unfinished()?;
        let side = self.session.side();
        let is_person = |color: Color| self.players.get(color.index()) == Some(&Player::Person);
        let loser = [side, !side].into_iter().find(|&color| is_person(color));
        let loser = loser.ok_or("nobody can resign: the engine plays both sides")?;
        self.end(EarlyEnd::Resignation(loser));
        Ok(())
    }

    fn end(&mut self, end: EarlyEnd) {
        self.changed();
        if let Some(clocks) = &mut self.clocks {
            clocks.stop();
        }
        self.ended = Some(end);
    }

    fn set_clocks(&mut self, clocks: Option<Clocks>) {
        self.session.set_clocks(clocks.as_ref().map(Clocks::settings));
        self.clocks = clocks;
        self.since = Instant::now();
    }

    fn set_level(&mut self, level: &str) -> Result<(), String> {
        let set = self.session.set_option("Strength", short(level)?);
        set.map_err(|error| error.to_string())?;
        self.level = self.session.option("Strength").unwrap_or_default();
        Ok(())
    }

    /// Returns the moment when the player to move has no time left.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let left = self.clocks.as_ref()?.running_out(self.session.side())?;
        Some(self.since + left)
    }

    /// Ends the game if the clock of the player to move has run out. Returns true if so.
    pub(super) fn check_clocks(&mut self) -> bool {
        let is_late = self.deadline().is_some_and(|moment| moment <= Instant::now());
        if !is_late || self.is_over() {
            return false;
        }
        let loser = self.session.side();
        if let Some(clocks) = &mut self.clocks {
            clocks.spend(loser, self.since.elapsed(), false);
        }
        self.end(EarlyEnd::Time(loser));
        true
    }

    /// Says whether a page looks on. Nothing is searched for nobody.
    pub(super) fn set_watched(&mut self, is_watched: bool) {
        if std::mem::replace(&mut self.is_watched, is_watched) != is_watched {
            match is_watched {
                true => self.go_on(),
                false => self.drop_work(),
            }
        }
    }

    /// Stops the running search, and forgets it.
    fn drop_work(&mut self) {
        if self.work.take().is_some() {
            self.session.stop();
        }
    }

    /// Starts the search that is due, if there is one.
    pub(super) fn go_on(&mut self) {
        if self.is_over() || !self.is_watched {
            return self.drop_work();
        }
        let due = match self.player() {
            Player::Engine if !self.is_paused => Some(Work::Move),
            _ if self.wants_hint => Some(Work::Hint),
            _ => self.is_analyzing.then_some(Work::Analysis),
        };
        match (due, self.work.as_ref().map(|(work, _)| *work)) {
            (Some(due), Some(now)) if due == now => {}
            // The engine moves for a person that asked it to.
            (_, Some(Work::Move)) => {}
            (None, _) => self.drop_work(),
            (Some(due), _) => {
                if let Err(error) = self.start(due) {
                    self.message = Some(error);
                }
            }
        }
    }

    fn start(&mut self, work: Work) -> Result<(), String> {
        self.drop_work();
        let (level, nodes) = match work {
            Work::Move => (self.level.clone(), self.nodes.clone()),
            Work::Hint | Work::Analysis => ("best".to_owned(), "0".to_owned()),
        };
        for (name, value) in [("Strength", &level), ("Nodes", &nodes)] {
            let set = self.session.set_option(name, value);
            set.map_err(|error| error.to_string())?;
        }
        let side = self.session.side();
        if let Some(clocks) = &self.clocks {
            let left = clocks.left(side).saturating_sub(self.since.elapsed());
            self.session.set_time_left(side, left, 0);
        }
        let go = Go {
            time: match work {
                Work::Move => TimeLimit::Default,
                Work::Hint => TimeLimit::Fixed(self.session.time()),
                Work::Analysis => TimeLimit::Fixed(LONGEST),
            },
            multi_pv: if work == Work::Analysis { LINES } else { 1 },
            report_schedule: ReportSchedule { on_doubling: false, interval: Some(REPORTS) },
            ..Go::default()
        };
        let events = self.session.search(&go).map_err(|error| error.to_string())?;
        self.work = Some((work, events));
        Ok(())
    }

    /// Takes an event of the running search. `None`: it ended without a result.
    pub(super) fn heed(&mut self, event: Option<Event>) {
        let Some((work, _)) = self.work else {
            return;
        };
        match event {
            Some(Event::Progress(progress)) => {
                if work == Work::Analysis {
                    self.progress = Some(progress);
                }
                return;
            }
            Some(Event::SearchDone(result)) => {
                // A search of so long has said all it knows, and stays on the page.
                let events = crossbeam_channel::never();
                self.work = (work == Work::Analysis).then_some((work, events));
                let text = result.text();
                match work {
                    Work::Move => self.play_found(&text, result.progress),
                    Work::Hint => {
                        self.wants_hint = false;
                        self.hint = Some(text);
                    }
                    Work::Analysis => self.progress = Some(result.progress),
                }
            }
            Some(Event::PerftDone { .. }) | None => {
                self.work = None;
                self.wants_hint = false;
                self.is_paused = true;
                self.message = Some("the search failed; see the log".to_owned());
            }
        }
        self.go_on();
    }

    /// Plays the move that the engine found.
    fn play_found(&mut self, text: &str, progress: Progress) {
        let side = self.session.side();
        let best = progress.variations.first();
        let note = SearchInformation {
            time_ms: 0,
            score: best.map(|best| best.score()),
            depth: best.and_then(|best| best.depth().try_into().ok()),
            nodes: Some(progress.statistics.nodes),
        };
        match self.play(side, text, note) {
            Ok(()) => {
                self.redo.clear();
                if text == "swap" {
                    self.message = Some("The engine swaps sides.".to_owned());
                }
            }
            Err(error) => {
                self.is_paused = true;
                self.message = Some(error);
            }
        }
    }
}

/// A person begins, against the engine.
fn players(first: Color) -> [Player; 2] {
    match first {
        Color::Black => [Player::Person, Player::Engine],
        Color::White => [Player::Engine, Player::Person],
    }
}
