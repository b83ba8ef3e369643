//! The searches of a table: the engine's move, a hint, an analysis.

use std::time::Duration;

use crossbeam_channel::{Receiver, never};

use super::{Change, Player, Purpose, Refusal, Table};
use crate::search::ReportSchedule;
use crate::session::{Event, Go, Level, Progress, SearchResult, TimeLimit};

/// Number of lines of an analysis.
const LINES: usize = 5;

/// Interval of reports.
const REPORTS: Duration = Duration::from_millis(250);

/// Maximum time of the analysis of one position.
const LONGEST: Duration = Duration::from_secs(600);

/// State of the searches.
#[derive(Default)]
pub(super) struct Work {
    pub(super) running: Option<(Purpose, Receiver<Event>)>,
    pub(super) is_analyzing: bool,
    pub(super) wants_hint: bool,
    pub(super) hint: Option<SearchResult>,
    /// The last report of an analysis of the present position.
    pub(super) progress: Option<Progress>,
}

impl Work {
    fn purpose(&self) -> Option<Purpose> {
        self.running.as_ref().map(|(purpose, _)| *purpose)
    }
}

impl Table {
    /// Returns the events of the running search, which [`Table::receive`] takes.
    pub fn events(&self) -> Option<&Receiver<Event>> {
        self.work.running.as_ref().map(|(_, events)| events)
    }

    /// Returns the limit in nodes that the table began with; 0 for none.
    pub fn node_limit(&self) -> u64 {
        self.own_nodes
    }

    /// Returns true while the engine chooses a move, or a hint.
    pub fn is_thinking(&self) -> bool {
        matches!(self.work.purpose(), Some(Purpose::Move | Purpose::Hint))
    }

    /// Returns true if positions are analyzed while nothing else is searched.
    pub fn is_analyzing(&self) -> bool {
        self.work.is_analyzing
    }

    /// Returns the hint for the present position.
    pub fn hint(&self) -> Option<&SearchResult> {
        self.work.hint.as_ref()
    }

    /// Returns the last report of the analysis of the present position.
    pub fn progress(&self) -> Option<&Progress> {
        self.work.progress.as_ref()
    }

    /// Stops the running search, and forgets it.
    pub fn stop(&mut self) {
        if self.work.running.take().is_some() {
            self.session.stop();
        }
    }

    /// Forgets what was known of the last position.
    pub(super) fn leave_position(&mut self) {
        self.stop();
        self.selected = None;
        self.work = Work { is_analyzing: self.work.is_analyzing, ..Work::default() };
    }

    /// Starts the search that is due, if there is one: the engine's move, unless it waits, or a hint, or an analysis.
    ///
    /// # Errors
    /// If the search can't be started.
    pub fn resume(&mut self) -> Result<Vec<Change>, Refusal> {
        let due = match self.player() {
            _ if self.is_over() => None,
            Player::Engine if !self.is_paused => Some(Purpose::Move),
            _ if self.work.wants_hint => Some(Purpose::Hint),
            _ => self.work.is_analyzing.then_some(Purpose::Analysis),
        };
        match (due, self.work.purpose()) {
            (None, _) if self.is_over() => self.stop(),
            (Some(due), Some(now)) if due == now => {}
            // The engine moves for a person that asked it to.
            (_, Some(Purpose::Move)) => {}
            (None, _) => self.stop(),
            (Some(due), _) => return self.search(due).map(|change| vec![change]),
        }
        Ok(Vec::new())
    }

    /// Starts a search.
    pub(super) fn search(&mut self, purpose: Purpose) -> Result<Change, Refusal> {
        self.stop();
        let side = self.session.side();
        let (level, nodes) = match purpose {
            Purpose::Move => (self.seat(side).level, self.nodes),
            Purpose::Hint => (Level::default(), self.nodes),
            Purpose::Analysis => (Level::default(), 0),
        };
        // A clock that runs has measured from the last play.
        if purpose == Purpose::Move && !self.timer.is_running && self.seat(side).player == Player::Engine {
            self.timer.restart();
        }
        self.session.set_level(level);
        self.session.set_node_limit(nodes);
        // Hints and analyses are not moves of the player whose clock runs.
        self.session.set_clock(self.timer.reading(side).filter(|_| purpose == Purpose::Move));
        let go = Go {
            time: if purpose == Purpose::Analysis { TimeLimit::Fixed(LONGEST) } else { TimeLimit::Default },
            plays: purpose == Purpose::Move,
            multi_pv: if purpose == Purpose::Analysis { LINES } else { 1 },
            report_schedule: ReportSchedule { on_doubling: false, interval: Some(REPORTS) },
            ..Go::default()
        };
        let events = self.session.search(&go)?;
        self.work.running = Some((purpose, events));
        Ok(Change::Searches(purpose))
    }

    /// Takes an event of the running search; `None` if its channel has closed without a result.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use pentalith::{games, search::SystemClock, session::Session};
    /// # use pentalith::table::{Action, Player, Table};
    /// # let clock = Arc::new(SystemClock::default());
    /// # let variant = games::parse_variant("markane:4x4").unwrap();
    /// # let session = Session::new(&variant, clock.clone()).unwrap();
    /// # let mut session = session;
    /// session.set_node_limit(100);
    /// let mut table = Table::new(session, [Player::Engine, Player::Person], clock);
    /// table.resume().unwrap();
    /// while let Some(events) = table.events() {
    ///     let event = events.recv().ok();
    ///     table.receive(event);
    /// }
    /// // The engine has moved.
    /// assert_eq!(table.path().len(), 1);
    /// ```
    pub fn receive(&mut self, event: Option<Event>) -> Vec<Change> {
        let Some(purpose) = self.work.purpose() else {
            return Vec::new();
        };
        match event {
            Some(Event::Progress(progress)) => {
                if purpose == Purpose::Analysis {
                    self.work.progress = Some(progress);
                }
                vec![Change::Progress]
            }
            Some(Event::SearchDone(found)) => {
                // An analysis that has run for so long has said all it knows, and stays.
                self.work.running = (purpose == Purpose::Analysis).then(|| (purpose, never()));
                match purpose {
                    Purpose::Move => self.play_found(&found),
                    Purpose::Hint => {
                        self.work.wants_hint = false;
                        self.work.hint = Some(found);
                        vec![Change::Hint]
                    }
                    Purpose::Analysis => {
                        self.work.progress = Some(found.progress);
                        vec![Change::Progress]
                    }
                }
            }
            Some(Event::PerftDone { .. }) | None => {
                self.work.running = None;
                self.work.wants_hint = false;
                self.is_paused = true;
                vec![Change::Failed(Refusal::Search)]
            }
        }
    }

    /// Plays the move that the engine found.
    fn play_found(&mut self, found: &SearchResult) -> Vec<Change> {
        let played = self.play(&found.text(), (&found.progress).into(), Player::Engine);
        vec![played.unwrap_or_else(|refusal| {
            self.is_paused = true;
            Change::Failed(refusal)
        })]
    }
}
