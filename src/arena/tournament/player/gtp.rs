//! A process that speaks GTP, version 2, as a player.

use std::time::Duration;

use super::{Answer, Budget, Claim, Exchange, Failure, Player, Setting, Warnings, exchange, version};
use crate::arena::tournament::engine::{Engine, TimeControl};
use crate::client::connection::{ClientError, Connection, Deadline};
use crate::client::gtp::{GtpClient, genmove, play};
use crate::client::output::{FinalScore, final_score};
use crate::client::transcript::Transcript;
use crate::record::{Cause, SearchInformation};
use crate::rules::{Color, Variant};

pub(super) struct Gtp {
    client: GtpClient,
    warnings: Warnings,
    version: String,
    /// True if the user set a seed, which then holds for all games.
    seeded: bool,
    /// True if the engine accepts times with decimals, which are not in the standard.
    decimals: bool,
}

impl Gtp {
    pub(super) fn new(connection: Connection, warnings: Warnings) -> Self {
        let client = GtpClient::new(connection, false);
        Self { client, warnings, version: String::new(), seeded: false, decimals: true }
    }

    /// Reads the engine's commands and sets its options.
    pub(super) fn set_up(&mut self, engine: &Engine) -> Result<(), Failure> {
        self.client.commands()?;
        let (name, number) = (self.client.ask("name")?, self.client.ask("version")?);
        let [name, number] = [name, number].map(|said| said.accepted().unwrap_or_default());
        self.version = version(&[&name, &number]);
        for (name, value) in &engine.options {
            if !self.client.has("set")? {
                let why = format!("the option {name}: the engine has no command `set`");
                return Err(Failure::Unfit(why));
            }
            self.client.demand(&format!("set {name} {value}"))?;
            self.seeded |= name.eq_ignore_ascii_case("seed");
        }
        Ok(())
    }

    /// Sets the variant.
    fn set_variant(&mut self, variant: &Variant) -> Result<(), Failure> {
        if self.client.has("variant")? {
            self.client.demand(&format!("variant {variant}"))?;
            return Ok(());
        }
        // Without a command for it, the engine must play the variant by default.
        let (columns, ranks) = variant.size().dimensions();
        if columns != ranks && self.client.has("rectangular_boardsize")? {
            self.client.demand(&format!("rectangular_boardsize {columns} {ranks}"))?;
        } else if columns == ranks && self.client.has("boardsize")? {
            self.client.demand(&format!("boardsize {columns}"))?;
        }
        if self.client.has("komi")? && variant.info().keys.iter().any(|key| key.name == "komi") {
            self.client.demand(&format!("komi {}", variant.half_points("komi")))?;
        }
        Ok(())
    }

    /// Sets the time control. An engine without a command for it plays on: the referee watches the clock.
    fn set_limit(&mut self, limit: TimeControl) -> Result<(), Failure> {
        // The standard has whole seconds. Rounding up would lose on time, and 0 would mean no limit.
        let seconds = |time: Duration| time.as_secs_f64();
        let whole = |time: Duration| Some(time.as_secs()).filter(|&seconds| seconds > 0);
        let ways = match limit {
            TimeControl::MoveTime(time) => {
                let mut ways = vec![format!("time_settings 0 {} 1", seconds(time))];
                ways.extend(whole(time).map(|time| format!("time_settings 0 {time} 1")));
                ways
            }
            TimeControl::Clock { time, increment } => {
                let time = time + increment;
                let mut ways = vec![
                    format!("kata-time_settings fischer {} {}", seconds(time), seconds(increment)),
                    format!("time_settings {} 0 0", seconds(time)),
                ];
                ways.extend(whole(time).map(|time| format!("time_settings {time} 0 0")));
                ways
            }
            TimeControl::Nodes(nodes) if self.client.has("set")? => {
                vec![format!("set Nodes {nodes}")]
            }
            TimeControl::Nodes(_) => {
                let why = "a limit in nodes: the engine has no command `set`".to_owned();
                return Err(Failure::Unfit(why));
            }
        };
        let mut refused = "it has no command for it".to_owned();
        for way in ways {
            if self.client.has(way.split(' ').next().unwrap_or_default())? {
                let answer = self.client.ask(&way)?;
                if answer.ok {
                    return Ok(());
                }
                refused = format!("{way} is answered with {}", answer.quoted());
            }
        }
        match limit {
            TimeControl::Nodes(_) => Err(Failure::Unfit(refused)),
            TimeControl::MoveTime(_) | TimeControl::Clock { .. } => {
                self.warnings.send(format!("its limit can't be set: {refused}"));
                Ok(())
            }
        }
    }

    /// Sends the clock: in whole seconds if the engine refuses decimals.
    fn set_time_left(&mut self, color: Color, left: Duration) -> Result<(), Failure> {
        if !self.client.has("time_left")? {
            return Ok(());
        }
        let color = color.letter();
        if self.decimals {
            let said = self.client.ask(&format!("time_left {color} {:.3} 0", left.as_secs_f64()))?;
            self.decimals = said.ok;
        }
        if !self.decimals {
            self.client.ask(&format!("time_left {color} {} 0", left.as_secs()))?;
        }
        Ok(())
    }
}

impl Player for Gtp {
    fn version(&self) -> &str {
        &self.version
    }

    fn begin(&mut self, setting: &Setting<'_>, limit: TimeControl) -> Result<(), Failure> {
        self.client.connection.transcript = Transcript::long();
        if self.client.has("set")? && !self.seeded {
            // Not every engine has a seed.
            self.client.ask(&format!("set Seed {}", setting.seed))?;
        }
        self.set_variant(setting.variant)?;
        self.client.demand("clear_board")?;
        if let Some(start) = &setting.opening.start {
            if !self.client.has("position")? {
                let why = format!("the opening {}: the engine has no command `position`", setting.opening);
                return Err(Failure::Unfit(why));
            }
            self.client.demand(&format!("position {start}"))?;
        }
        self.set_limit(limit)
    }

    fn hear(&mut self, color: Color, text: &str, own: bool) -> Result<(), Failure> {
        if own {
            return Ok(());
        }
        match self.client.demand(&play(color, text)) {
            Err(error @ ClientError::Refused { .. }) => Err(Failure::Lost(Cause::Disagreement, error.to_string())),
            played => Ok(played.map(|_| ())?),
        }
    }

    fn think(&mut self, color: Color, budget: &Budget) -> Result<(Answer, SearchInformation), Failure> {
        let deadline = Deadline::new(budget.within);
        let answer = self.client.ask_within(&genmove(color), deadline)?;
        if !answer.ok {
            let why = format!("genmove is answered with {}", answer.quoted());
            return Err(Failure::Lost(Cause::IllegalMove, why));
        }
        let answer =
            if answer.text.eq_ignore_ascii_case("resign") { Answer::Resign } else { Answer::Move(answer.text) };
        Ok((answer, SearchInformation::default()))
    }

    fn prepare(&mut self, color: Color, budget: &Budget) -> Result<(), Failure> {
        match budget.limit {
            TimeControl::Clock { .. } => self.set_time_left(color, budget.clock(color).0),
            TimeControl::MoveTime(_) | TimeControl::Nodes(_) => Ok(()),
        }
    }

    fn claim(&mut self) -> Result<Option<Claim>, Failure> {
        if !self.client.has("final_score")? {
            return Ok(None);
        }
        let text = self.client.ask("final_score")?.accepted();
        Ok(text.and_then(|text| {
            let FinalScore { winner, .. } = final_score(&text)?;
            Some(Claim { winner, text })
        }))
    }

    fn exchange(&self) -> Exchange {
        exchange(&self.client.connection)
    }
}
