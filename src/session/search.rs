//! The searches of a session: the options and the clocks that limit them, and the time that a move may take.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crossbeam_channel::Receiver;

use super::background::{self, SearchParameters};
use super::{
    Event, GameClock, Go, Level, NO_FILE, OptionError, OptionInfo, OptionKind, Options, Overtime, PlayError, Session,
};
use super::{TimeAllotment, TimeLimit, TimeSettings, moves_to_go};
use crate::games;
use crate::rules::Color;
use crate::search::Limits;

/// Time for a move without a clock or another limit.
pub const DEFAULT_TIME: Duration = Duration::from_secs(1);

impl Session {
    /// Starts perft to `depth` steps on a background thread. The result comes through the channel, as
    /// [`Event::PerftDone`].
    pub fn perft(&mut self, depth: u32) -> Receiver<Event> {
        self.stop();
        self.stop = Arc::default();
        background::perft(self.board(), depth, &self.stop, &self.clock)
    }

    /// Returns the engine options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Sets an engine option by name. Setting the variant starts a game of it.
    ///
    /// # Errors
    /// Names the existing options, or the values that the option takes.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use pentalith::{games, search::SystemClock, session::Session};
    /// # let variant = games::parse_variant("markane:4x4").unwrap();
    /// # let mut session = Session::new(&variant, Arc::new(SystemClock::default())).unwrap();
    /// session.set_option("Strength", "fair").unwrap();
    /// assert_eq!(session.option("Strength").unwrap(), "fair");
    /// assert!(session.set_option("Threads", "many").is_err());
    /// session.set_option("Variant", "gravel").unwrap();
    /// assert_eq!(session.variant().to_string(), "gravel:8");
    /// ```
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let option = OptionInfo::find(name)?;
        match option.kind {
            OptionKind::Variant => {
                let variant = games::parse_variant(value)?;
                // The catalogue opens every variant that it reads.
                self.set_variant(&variant);
                Ok(())
            }
            OptionKind::File => self
                .set_evaluation(Some(value).filter(|&value| value != NO_FILE && !value.is_empty()))
                .map_err(|reason| OptionError::File { option, file: value.to_owned(), reason }),
            OptionKind::Spin { .. } | OptionKind::Combo(_) => self.options.set(option, value),
        }
    }

    /// Sets an engine option that is a number or a word, and its default, which clients are told.
    ///
    /// # Errors
    /// Names the existing options, or the values that the option takes.
    pub fn set_default(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let option = OptionInfo::find(name)?;
        self.defaults.set(option, value)?;
        self.options.set(option, value)
    }

    /// Returns the default of an engine option as text; the present variant for the variant.
    pub fn default_of(&self, option: &OptionInfo) -> String {
        match option.kind {
            OptionKind::Variant => self.variant().to_string(),
            OptionKind::File => NO_FILE.to_owned(),
            OptionKind::Spin { .. } | OptionKind::Combo(_) => self.defaults.get(option),
        }
    }

    /// Returns the value of an engine option by name, as text.
    ///
    /// # Errors
    /// Names the existing options.
    pub fn option(&self, name: &str) -> Result<String, OptionError> {
        let option = OptionInfo::find(name)?;
        Ok(match option.kind {
            OptionKind::Variant => self.variant().to_string(),
            OptionKind::File => self.evaluation.as_ref().map_or(NO_FILE, |evaluation| &evaluation.file).to_owned(),
            OptionKind::Spin { .. } | OptionKind::Combo(_) => self.options.get(option),
        })
    }

    /// Returns whether an option limits every search in nodes.
    pub fn has_node_limit(&self) -> bool {
        self.options.nodes(self.variant().info()).is_some()
    }

    /// Returns the level of play: the option `Strength`.
    pub fn level(&self) -> Level {
        self.options.level()
    }

    /// Sets the level of play.
    pub fn set_level(&mut self, level: Level) {
        self.options.set_level(level);
    }

    /// Returns the option `Nodes`: the limit in nodes of every search, or 0.
    pub fn node_limit(&self) -> u64 {
        self.options.node_limit()
    }

    /// Sets the limit in nodes of every search; 0 for none.
    pub fn set_node_limit(&mut self, nodes: u64) {
        self.options.set_node_limit(nodes);
    }

    /// Returns the time for a move without clocks.
    pub fn time(&self) -> Duration {
        self.time.unwrap_or(DEFAULT_TIME)
    }

    /// Sets both clocks to the start of a game, or removes them. While there are clocks, they limit the time of a
    /// move.
    pub fn set_clocks(&mut self, settings: Option<TimeSettings>) {
        self.set_clock(settings.map(GameClock::new));
    }

    /// Sets the state of both clocks, or removes them.
    pub fn set_clock(&mut self, clock: Option<GameClock>) {
        self.game_clock = clock;
    }

    /// Sets a player's clock; `count` is zero in the main time, else the moves to make in `time`, or the byo-yomi
    /// periods.
    ///
    /// Without clocks it starts clocks that have `time` as their main time and no overtime.
    pub fn set_time_left(&mut self, color: Color, time: Duration, count: u32) {
        let settings = TimeSettings { main: time, overtime: Overtime::None };
        let clock = self.game_clock.get_or_insert_with(|| GameClock::new(settings));
        clock.set(color, time, count);
    }

    /// Subtracts the time of a move from a player's clock.
    pub fn spend(&mut self, color: Color, time: Duration) {
        if let Some(clock) = &mut self.game_clock {
            clock.spend(color, time);
        }
    }

    /// Sets the time for a move.
    pub fn set_time(&mut self, time: Duration) {
        self.time = Some(time);
    }

    /// Starts a search on a background thread.
    ///
    /// Its events come through the channel, the result last. A channel that closes without a result means that the
    /// search panicked.
    ///
    /// Clocks take precedence over the time for a move. With a limit in nodes or depth the default time does not
    /// apply, so that the answer does not depend on the machine; clocks, and a time that was set, still do.
    ///
    /// # Errors
    /// Names the first search move that is not legal.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use pentalith::games;
    /// use pentalith::search::SystemClock;
    /// use pentalith::session::{Event, Go, Session};
    ///
    /// let variant = games::parse_variant("markane:4x4").unwrap();
    /// let mut session = Session::new(&variant, Arc::new(SystemClock::default())).unwrap();
    /// let events = session.search(&Go { nodes: Some(100), ..Go::default() }).unwrap();
    /// let best = events.iter().find_map(|event| match event {
    ///     Event::SearchDone(result) => Some(result.text()),
    ///     _ => None,
    /// });
    /// assert!(session.check(&best.unwrap()).is_ok());
    /// ```
    pub fn search(&mut self, go: &Go) -> Result<Receiver<Event>, PlayError> {
        self.stop();
        self.stop = Arc::default();
        let option = self.options.nodes(self.variant().info());
        let nodes = go.nodes.into_iter().chain(option).min();
        let allotment = self.allotment(go, nodes.is_some() || go.depth.is_some());
        let info = self.variant().info();
        let request = SearchParameters {
            settings: self.options.settings(info),
            limits: Limits {
                hard_time: allotment.map(|allotment| allotment.hard),
                soft_time: allotment
                    .filter(|allotment| allotment.soft < allotment.hard)
                    .map(|allotment| allotment.soft),
                nodes,
                depth: go.depth,
            },
            multi_pv: self.options.lines().max(go.multi_pv),
            contempt: if go.plays && self.options.has_contempt() { info.puct.contempt } else { 0.0 },
            // A client that asks for a time or for nodes wants the score; others want the move.
            skip_forced_move: matches!(go.time, TimeLimit::Default | TimeLimit::Clock { .. }) && go.nodes.is_none(),
            report_schedule: go.report_schedule,
            search_moves: &go.search_moves,
        };
        self.search.search(&*self.history.board, request, &self.stop, &self.clock)
    }

    /// Returns one sentence for each resource that the system refused to the last search, each of them once.
    pub fn take_shortages(&mut self) -> Vec<String> {
        self.search.take_shortages()
    }

    /// Returns the time of a search, or `None` without a limit in time. `is_limited`: there is a limit in nodes or
    /// depth.
    fn allotment(&self, go: &Go, is_limited: bool) -> Option<TimeAllotment> {
        let overhead = self.options.overhead();
        let moves_to_go = moves_to_go(&*self.history.board);
        // A fixed time is used up: there is no later move to save it for.
        let fixed = |time| TimeAllotment { soft: time, hard: time };
        match go.time {
            TimeLimit::Default => {
                let clock = self.game_clock.as_ref();
                let allotment = clock.map(|clock| clock.allot(self.side(), moves_to_go, overhead));
                allotment.or(if is_limited { self.time.map(fixed) } else { Some(fixed(self.time())) })
            }
            TimeLimit::Fixed(time) => Some(fixed(time.saturating_sub(overhead.min(time / 2)))),
            TimeLimit::Clock { left, increment } => {
                let clock = GameClock::new(TimeSettings { main: left, overtime: Overtime::Increment(increment) });
                Some(clock.allot(self.side(), moves_to_go, overhead))
            }
            TimeLimit::Unlimited => None,
        }
    }

    /// Returns the soft limit of `genmove`.
    pub fn soft_time(&self) -> Option<Duration> {
        self.allotment(&Go::default(), false).map(|allotment| allotment.soft)
    }

    /// Stops a running search, which then answers, or perft, which then gives no count.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
