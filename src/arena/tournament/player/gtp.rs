//! A process that speaks GTP, version 2, as a player.

use std::collections::BTreeSet;
use std::time::Duration;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case};
use nom::combinator::{eof, rest, value};
use nom::sequence::preceded;

use super::{Answer, Budget, Claim, Exchange, Failure, Partner, Player, Setting, version};
use crate::arena::record::{Cause, Thought};
use crate::arena::tournament::engine::{Engine, Limit};
use crate::arena::wire::{self, Fault, MANY};
use crate::arena::words::head;
use crate::notation::pieces::read;
use crate::rules::Color;
use crate::rules::Variant;
use crate::text::quote;

/// The longest answer that is read, in bytes.
const MAX_ANSWER: usize = 1 << 20;

pub(super) struct Gtp {
    partner: Partner,
    version: String,
    commands: BTreeSet<String>,
    /// Whether a seed was asked for, which then holds for every game.
    seeded: bool,
    /// Whether it takes times with decimals, which the standard does not know.
    decimals: bool,
}

/// An answer: `=` or `?`.
type Said = Result<String, String>;

impl Gtp {
    pub(super) fn new(partner: Partner) -> Self {
        Self {
            partner,
            version: String::new(),
            commands: BTreeSet::new(),
            seeded: false,
            decimals: true,
        }
    }

    /// Asks what the engine can, and sets its options.
    pub(super) fn set_up(&mut self, engine: &Engine) -> Result<(), Failure> {
        let list = self.demand("list_commands")?;
        self.commands = list.lines().map(|line| line.trim().to_owned()).collect();
        let (name, number) = (self.ask("name")?, self.ask("version")?);
        self.version = version(&[&name.unwrap_or_default(), &number.unwrap_or_default()]);
        for (name, value) in &engine.options {
            if !self.has("set") {
                let why = format!("the option {name}: the engine has no command `set`");
                return Err(Failure::Unfit(why));
            }
            self.demand(&format!("set {name} {value}"))?;
            self.seeded |= name.eq_ignore_ascii_case("seed");
        }
        Ok(())
    }

    fn has(&self, command: &str) -> bool {
        self.commands.contains(command)
    }

    fn ask(&mut self, command: &str) -> Result<Said, Fault> {
        let limit = self.partner.limit();
        self.ask_within(command, limit)
    }

    /// Sends a command and waits for its answer. Lines that are no answer are passed over.
    fn ask_within(&mut self, command: &str, limit: wire::Limit) -> Result<Said, Fault> {
        let wire = &mut self.partner.wire;
        wire.send(command);
        let name = command.split(' ').next().unwrap_or(command);
        let what = format!("answer to {}", quote(name));
        for _ in 0..MANY {
            let line = wire.line(&what, limit)?;
            let Some(first) = head(line.trim_start()) else {
                continue;
            };
            let mut text = first.text;
            while text.len() < MAX_ANSWER {
                let line = wire.line("empty line that ends the answer", limit)?;
                // White space is nothing to see: an engine that leaves some there means an empty line.
                if line.trim().is_empty() {
                    let text = text.trim().to_owned();
                    return Ok(if first.ok { Ok(text) } else { Err(text) });
                }
                text.push('\n');
                text.push_str(&line);
            }
            break;
        }
        Err(Fault::Endless(what))
    }

    /// Sends a command without which the engine can't play the match.
    fn demand(&mut self, command: &str) -> Result<String, Failure> {
        let unfit =
            |why: String| Failure::Unfit(format!("{command} is answered with {}", quote(&why)));
        self.ask(command)?.map_err(|why| unfit(format!("? {why}")))
    }

    /// Tells the engine what it will play.
    fn set_variant(&mut self, variant: &Variant) -> Result<(), Failure> {
        if self.has("variant") {
            self.demand(&format!("variant {variant}"))?;
            return Ok(());
        }
        // What it has no command for, it must play by itself.
        let (columns, ranks) = variant.size().dimensions();
        if columns != ranks && self.has("rectangular_boardsize") {
            self.demand(&format!("rectangular_boardsize {columns} {ranks}"))?;
        } else if columns == ranks && self.has("boardsize") {
            self.demand(&format!("boardsize {columns}"))?;
        }
        if self.has("komi") && variant.info().keys.iter().any(|key| key.name == "komi") {
            self.demand(&format!("komi {}", variant.halves("komi")))?;
        }
        Ok(())
    }

    /// Tells the engine what it may use. One that does not know how plays on: its clock is watched all the same.
    fn set_limit(&mut self, limit: Limit) -> Result<(), Failure> {
        // The standard has whole seconds. More than there is would lose, and 0 would be no limit.
        let seconds = |time: Duration| time.as_secs_f64();
        let whole = |time: Duration| Some(time.as_secs()).filter(|&seconds| seconds > 0);
        let ways = match limit {
            Limit::MoveTime(time) => {
                let mut ways = vec![format!("time_settings 0 {} 1", seconds(time))];
                ways.extend(whole(time).map(|time| format!("time_settings 0 {time} 1")));
                ways
            }
            Limit::Clock { increment, .. } => {
                let time = limit.first_clock();
                let mut ways = vec![
                    format!(
                        "kata-time_settings fischer {} {}",
                        seconds(time),
                        seconds(increment)
                    ),
                    format!("time_settings {} 0 0", seconds(time)),
                ];
                ways.extend(whole(time).map(|time| format!("time_settings {time} 0 0")));
                ways
            }
            Limit::Nodes(nodes) if self.has("set") => vec![format!("set Nodes {nodes}")],
            Limit::Nodes(_) => {
                let why = "a limit in nodes: the engine has no command `set`".to_owned();
                return Err(Failure::Unfit(why));
            }
        };
        let mut refused = "it has no command for it".to_owned();
        for way in ways {
            if self.has(way.split(' ').next().unwrap_or_default()) {
                match self.ask(&way)? {
                    Ok(_) => return Ok(()),
                    Err(why) => {
                        refused = format!("{way} is answered with {}", quote(&format!("? {why}")))
                    }
                }
            }
        }
        match limit {
            Limit::Nodes(_) => Err(Failure::Unfit(refused)),
            Limit::MoveTime(_) | Limit::Clock { .. } => {
                log::warn!("{}: its limit can't be set: {refused}", self.version);
                Ok(())
            }
        }
    }

    /// Tells the engine what its clock shows: in whole seconds, as the standard has it, where it refuses decimals.
    fn set_time_left(&mut self, color: Color, left: Duration) -> Result<(), Failure> {
        if !self.has("time_left") {
            return Ok(());
        }
        let color = color.letter();
        if self.decimals {
            let said = self.ask(&format!("time_left {color} {:.3} 0", left.as_secs_f64()))?;
            self.decimals = said.is_ok();
        }
        if !self.decimals {
            self.ask(&format!("time_left {color} {} 0", left.as_secs()))?
                .ok();
        }
        Ok(())
    }
}

impl Player for Gtp {
    fn version(&self) -> &str {
        &self.version
    }

    fn begin(&mut self, setting: &Setting<'_>, limit: Limit) -> Result<(), Failure> {
        self.partner.new_record();
        if self.has("set") && !self.seeded {
            // Not every engine has a seed.
            self.ask(&format!("set Seed {}", setting.seed))?.ok();
        }
        self.set_variant(setting.variant)?;
        self.demand("clear_board")?;
        if let Some(start) = &setting.opening.start {
            if !self.has("position") {
                let why = format!(
                    "the opening {}: the engine has no command `position`",
                    setting.opening
                );
                return Err(Failure::Unfit(why));
            }
            self.demand(&format!("position {start}"))?;
        }
        self.set_limit(limit)
    }

    fn hear(&mut self, color: Color, text: &str, own: bool) -> Result<(), Failure> {
        if own {
            return Ok(());
        }
        let command = format!("play {} {text}", color.letter());
        self.ask(&command)?.map(|_| ()).map_err(|why| {
            let why = format!(
                "{} is answered with {}",
                quote(&command),
                quote(&format!("? {why}"))
            );
            Failure::Lost(Cause::Disagreement, why)
        })
    }

    fn think(&mut self, color: Color, budget: &Budget) -> Result<(Answer, Thought), Failure> {
        let limit = wire::Limit::new(budget.within);
        match self.ask_within(&format!("genmove {}", color.letter()), limit)? {
            Ok(text) if text.eq_ignore_ascii_case("resign") => {
                Ok((Answer::Resign, Thought::default()))
            }
            Ok(text) => Ok((Answer::Move(text), Thought::default())),
            Err(why) => {
                let why = format!("genmove is answered with {}", quote(&format!("? {why}")));
                Err(Failure::Lost(Cause::IllegalMove, why))
            }
        }
    }

    fn prepare(&mut self, color: Color, budget: &Budget) -> Result<(), Failure> {
        match budget.limit {
            Limit::Clock { .. } => self.set_time_left(color, budget.clock(color).0),
            Limit::MoveTime(_) | Limit::Nodes(_) => Ok(()),
        }
    }

    fn claim(&mut self) -> Result<Option<Claim>, Failure> {
        if !self.has("final_score") {
            return Ok(None);
        }
        let said = self.ask("final_score")?;
        Ok(said.ok().and_then(|text| claim(&text)))
    }

    fn exchange(&self) -> Exchange {
        self.partner.exchange()
    }
}

/// Reads `B+7`, `W+Resign`, `0`, `draw` or `jigo`; other answers are no result.
pub(in crate::arena) fn claim(text: &str) -> Option<Claim> {
    let win = |letter, color| value(Some(color), preceded(tag_no_case(letter), (tag("+"), rest)));
    let draw = alt((tag("0"), tag_no_case("draw"), tag_no_case("jigo")));
    let mut winner = alt((
        win("b", Color::Black),
        win("w", Color::White),
        value(None, (draw, eof)),
    ));
    let winner = read(text, |input| winner.parse(input)).ok()?;
    let text = text.to_owned();
    Some(Claim { winner, text })
}
