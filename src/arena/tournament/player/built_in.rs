//! A built-in search as a player.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, select};

use super::{Answer, Budget, Claim, Failure, Player, PlayerContext, Setting};
use crate::arena::tournament::engine::{Engine, EngineKind, TimeControl};
use crate::client::connection::Deadline;
use crate::record::{Cause, SearchInformation};
use crate::rules::Color;
use crate::search::SystemClock;
use crate::session::{Event, Go, Session, TimeLimit};

/// Maximum time for a search to end after it is stopped.
const STOPPING: Duration = Duration::from_secs(2);

pub(super) struct BuiltIn {
    session: Session,
    /// True if the user set a seed, which then holds for all games.
    seeded: bool,
    interrupt: Receiver<()>,
}

impl BuiltIn {
    pub(super) fn start(engine: &Engine, context: &PlayerContext) -> Result<Self, Failure> {
        let session = Session::new(&context.variant, Arc::new(SystemClock::default()));
        let not_opened = || Failure::Unfit(format!("{} can't be opened", context.variant));
        let mut session = session.ok_or_else(not_opened)?;
        if let EngineKind::BuiltIn(search) = engine.kind {
            let set = session.set_option("Search", search);
            set.map_err(|error| Failure::Unfit(error.to_string()))?;
        }
        for (name, value) in &engine.options {
            let set = session.set_option(name, value);
            set.map_err(|error| Failure::Unfit(error.to_string()))?;
        }
        let seed = |(name, _): &(String, String)| name.eq_ignore_ascii_case("seed");
        Ok(Self { session, seeded: engine.options.iter().any(seed), interrupt: context.interrupt.clone() })
    }
}

impl Player for BuiltIn {
    fn version(&self) -> &str {
        concat!("pentalith ", env!("CARGO_PKG_VERSION"))
    }

    fn begin(&mut self, setting: &Setting<'_>, _limit: TimeControl) -> Result<(), Failure> {
        if !self.seeded {
            let set = self.session.set_option("Seed", &setting.seed.to_string());
            set.map_err(|error| Failure::Unfit(error.to_string()))?;
        }
        self.session.restart();
        let start = setting.opening.start.as_deref();
        let set = self.session.set_history(start, &[]);
        set.map_err(|error| Failure::Unfit(error.to_string()))
    }

    fn hear(&mut self, color: Color, text: &str, _own: bool) -> Result<(), Failure> {
        let played = self.session.play(color, text, false);
        played.map_err(|error| Failure::Lost(Cause::Disagreement, error.to_string()))
    }

    fn think(&mut self, color: Color, budget: &Budget) -> Result<(Answer, SearchInformation), Failure> {
        let mut go = Go { plays: true, ..Go::default() };
        match budget.limit {
            TimeControl::MoveTime(time) => go.time = TimeLimit::Fixed(time),
            TimeControl::Clock { .. } => {
                let (left, increment) = budget.clock(color);
                go.time = TimeLimit::Clock { left, increment };
            }
            TimeControl::Nodes(nodes) => {
                go.time = TimeLimit::Unlimited;
                go.nodes = Some(nodes);
            }
        }
        let lost = |cause, why: String| Failure::Lost(cause, why);
        let events = self.session.search(&go);
        let events = events.map_err(|error| lost(Cause::Crash, error.to_string()))?;
        let deadline = Deadline::new(budget.within);
        let mut late = crossbeam_channel::after(budget.within);
        loop {
            select! {
                recv(events) -> event => match event {
                    Ok(Event::SearchDone(found)) => {
                        let information = (&found.progress).into();
                        return Ok((Answer::Move(found.text()), information));
                    }
                    Ok(_) => {}
                    Err(_) => return Err(lost(Cause::Crash, "the search broke".to_owned())),
                },
                recv(late) -> _ => {
                    if !deadline.is_past() || !events.is_empty() {
                        // This program did not run for a while, or both have come at once.
                        late = crossbeam_channel::after(deadline.left());
                        continue;
                    }
                    self.session.stop();
                    let _ = events.recv_timeout(STOPPING);
                    let within = budget.within.as_secs_f64();
                    return Err(lost(Cause::Stall, format!("no move within {within} s")));
                }
                recv(self.interrupt) -> _ => {
                    self.session.stop();
                    return Err(Failure::Interrupted);
                }
            }
        }
    }

    fn claim(&mut self) -> Result<Option<Claim>, Failure> {
        // It applies the same rules as the referee.
        Ok(None)
    }
}
