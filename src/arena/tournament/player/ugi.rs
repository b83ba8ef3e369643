//! A process that speaks UGI as a player.

use std::fmt::Write as _;

use super::{Answer, Budget, Claim, Exchange, Failure, Player, Setting, Warnings, exchange, version};
use crate::arena::tournament::engine::{Engine, TimeControl};
use crate::client::connection::Deadline;
use crate::client::output::{EngineOption, second_word};
use crate::client::transcript::Transcript;
use crate::client::ugi::{UgiClient, position, setoption};
use crate::record::{Cause, SearchInformation};
use crate::rules::{Color, Variant};
use crate::text::quote;

pub(super) struct Ugi {
    client: UgiClient,
    warnings: Warnings,
    version: String,
    options: Vec<EngineOption>,
    /// True if the user set a seed, which then holds for all games.
    seeded: bool,
    /// Start position of the game; `None` for the start of the variant.
    start: Option<String>,
    moves: Vec<String>,
    first: Color,
}

impl Ugi {
    /// Creates a player for an engine after the handshake.
    pub(super) fn new(client: UgiClient, variant: &Variant, warnings: Warnings) -> Self {
        Self {
            version: version(&[client.id("name").unwrap_or_default()]),
            options: client.options().filter_map(Result::ok).collect(),
            client,
            warnings,
            seeded: false,
            start: None,
            moves: Vec::new(),
            first: variant.info().first,
        }
    }

    /// Sets the engine's options.
    pub(super) fn set_up(&mut self, engine: &Engine, variant: &Variant) -> Result<(), Failure> {
        if let Some(option) = self.option("Variant") {
            self.set_fit(&option, &variant.to_string())?;
        }
        for (name, value) in &engine.options {
            let Some(option) = self.option(name) else {
                let why = format!("the engine has no option {}", quote(name));
                return Err(Failure::Unfit(why));
            };
            self.seeded |= name.eq_ignore_ascii_case("seed");
            self.set_fit(&option, value)?;
        }
        Ok(self.client.ready()?)
    }

    /// Returns an option that the engine declared.
    fn option(&self, name: &str) -> Option<EngineOption> {
        let mut options = self.options.iter();
        options.find(|known| known.name.eq_ignore_ascii_case(name)).cloned()
    }

    /// Sets an option without which the engine can't play the match.
    fn set_fit(&mut self, option: &EngineOption, value: &str) -> Result<(), Failure> {
        let value = option.value(value).map_err(|expected| {
            let name = &option.name;
            Failure::Unfit(format!("{name} {}: expected {expected}", quote(value)))
        })?;
        Ok(self.client.send(&setoption(option, &value))?)
    }

    fn position(&self) -> String {
        position(self.start.as_deref(), &self.moves)
    }
}

impl Player for Ugi {
    fn version(&self) -> &str {
        &self.version
    }

    fn begin(&mut self, setting: &Setting<'_>, _limit: TimeControl) -> Result<(), Failure> {
        self.client.connection.transcript = Transcript::long();
        if let Some(option) = self.option("Seed").filter(|_| !self.seeded) {
            let seed = option.within(setting.seed).to_string();
            self.client.send(&setoption(&option, &seed))?;
        }
        self.client.send("uginewgame")?;
        self.client.ready()?;
        self.start.clone_from(&setting.opening.start);
        self.moves.clear();
        Ok(())
    }

    fn hear(&mut self, _color: Color, text: &str, _own: bool) -> Result<(), Failure> {
        self.moves.push(text.to_owned());
        Ok(())
    }

    /// Sends the position. What the engine still says about an earlier search comes before its `readyok`.
    fn prepare(&mut self, _color: Color, _budget: &Budget) -> Result<(), Failure> {
        self.client.send(&self.position())?;
        self.client.ready()?;
        if self.client.surplus > 0 {
            self.warnings.send("a second bestmove for one go is ignored".to_owned());
        }
        Ok(())
    }

    fn think(&mut self, _color: Color, budget: &Budget) -> Result<(Answer, SearchInformation), Failure> {
        let mut lines = "go".to_owned();
        // Writing to a string can't fail.
        let _ = match budget.limit {
            TimeControl::MoveTime(time) => write!(lines, " movetime {}", time.as_millis().max(1)),
            TimeControl::Nodes(nodes) => write!(lines, " nodes {nodes}"),
            TimeControl::Clock { .. } => {
                let (p1, p2) = (budget.clock(self.first), budget.clock(!self.first));
                write!(
                    lines,
                    " p1time {} p2time {} p1inc {} p2inc {}",
                    p1.0.as_millis(),
                    p2.0.as_millis(),
                    p1.1.as_millis(),
                    p2.1.as_millis()
                )
            }
        };
        lines.push('\n');
        let deadline = Deadline::new(budget.within);
        self.client.go(&lines)?;
        let text = self.client.bestmove(deadline)?;
        Ok((Answer::Move(text), self.client.info.into()))
    }

    fn claim(&mut self) -> Result<Option<Claim>, Failure> {
        let deadline = self.client.connection.deadline();
        self.client.response = None;
        // An engine that does not know the query still answers `isready`.
        let lines = format!("{}\nquery result\nisready", self.position());
        self.client.send(&lines)?;
        self.client.until("readyok", deadline)?;
        let response = self.client.response.take().unwrap_or_default();
        let winner = match second_word(&response) {
            "p1win" => Some(self.first),
            "p2win" => Some(!self.first),
            "draw" => None,
            "none" => {
                let why = format!("{} in a finished game", quote(response.trim()));
                return Err(Failure::Lost(Cause::Disagreement, why));
            }
            _ => return Ok(None),
        };
        let text = second_word(&response).to_owned();
        Ok(Some(Claim { winner, text }))
    }

    fn exchange(&self) -> Exchange {
        exchange(&self.client.connection)
    }
}
