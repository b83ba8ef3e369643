//! A process that speaks UGI as a player.

use std::fmt::Write as _;

use super::{Answer, Budget, Claim, Exchange, Failure, Partner, Player, Setting, version};
use crate::arena::record::{Cause, Score, Thought};
use crate::arena::tournament::engine::{Engine, Limit};
use crate::arena::wire::{self, Fault};
use crate::arena::words::{self, EngineOption, first_word, second_word};
use crate::rules::Color;
use crate::rules::Variant;
use crate::text::quote;

pub(super) struct Ugi {
    partner: Partner,
    version: String,
    options: Vec<EngineOption>,
    /// Whether a seed was asked for, which then holds for every game.
    seeded: bool,
    /// `position … moves …`, as the game stands.
    position: String,
    has_moves: bool,
    first: Color,
}

impl Ugi {
    /// An engine that has greeted with these lines.
    pub(super) fn new(partner: Partner, greeting: &[String], variant: &Variant) -> Self {
        let name = greeting
            .iter()
            .find_map(|line| words::behind(line, &["id", "name"]));
        let options = greeting.iter().filter(|line| first_word(line) == "option");
        Self {
            partner,
            version: version(&[name.unwrap_or_default()]),
            options: options
                .filter_map(|line| words::option(line).ok())
                .collect(),
            seeded: false,
            position: String::new(),
            has_moves: false,
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
        Ok(self.ready()?)
    }

    /// An option as the engine has it.
    fn option(&self, name: &str) -> Option<EngineOption> {
        let mut options = self.options.iter();
        options
            .find(|known| known.name.eq_ignore_ascii_case(name))
            .cloned()
    }

    /// Sets an option to a value without which the engine can't play the match.
    fn set_fit(&mut self, option: &EngineOption, value: &str) -> Result<(), Failure> {
        let name = &option.name;
        if let Some(why) = option.refuses(value) {
            let why = format!("{name} {}: expected {why}", quote(value));
            return Err(Failure::Unfit(why));
        }
        self.set(name, value);
        Ok(())
    }

    fn set(&mut self, name: &str, value: &str) {
        self.partner
            .wire
            .send(&format!("setoption name {name} value {value}"));
    }

    /// Waits until the engine has done all it was told.
    fn ready(&mut self) -> Result<(), Fault> {
        let limit = self.partner.limit();
        self.partner.wire.send("isready");
        while self.partner.wire.line("readyok", limit)?.trim() != "readyok" {}
        Ok(())
    }
}

impl Player for Ugi {
    fn version(&self) -> &str {
        &self.version
    }

    fn begin(&mut self, setting: &Setting<'_>, _limit: Limit) -> Result<(), Failure> {
        self.partner.new_record();
        if let Some(option) = self.option("Seed").filter(|_| !self.seeded) {
            self.set(&option.name, &option.within(setting.seed).to_string());
        }
        self.partner.wire.send("uginewgame");
        self.ready()?;
        self.position = match &setting.opening.start {
            Some(position) => format!("position fen {position}"),
            None => "position startpos".to_owned(),
        };
        self.has_moves = false;
        Ok(())
    }

    fn hear(&mut self, _color: Color, text: &str, _own: bool) -> Result<(), Failure> {
        if !self.has_moves {
            self.position.push_str(" moves");
            self.has_moves = true;
        }
        self.position.push(' ');
        self.position.push_str(text);
        Ok(())
    }

    fn think(&mut self, _color: Color, budget: &Budget) -> Result<(Answer, Thought), Failure> {
        let mut lines = format!("{}\ngo", self.position);
        // Writing to a string can't fail.
        let _ = match budget.limit {
            Limit::MoveTime(time) => write!(lines, " movetime {}", time.as_millis().max(1)),
            Limit::Nodes(nodes) => write!(lines, " nodes {nodes}"),
            Limit::Clock { .. } => {
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
        let limit = wire::Limit::new(budget.within);
        let wire = &mut self.partner.wire;
        wire.write(&lines);
        let mut thought = Thought::default();
        loop {
            let line = wire.line("bestmove", limit)?;
            match first_word(&line) {
                "info" => take_info(&mut thought, &line),
                "bestmove" => {
                    let text = second_word(&line);
                    if text.is_empty() {
                        let why = format!("{} names no move", quote(&line));
                        return Err(Failure::Lost(Cause::IllegalMove, why));
                    }
                    return Ok((Answer::Move(text.to_owned()), thought));
                }
                _ => {}
            }
        }
    }

    fn claim(&mut self) -> Result<Option<Claim>, Failure> {
        let limit = self.partner.limit();
        let wire = &mut self.partner.wire;
        // An engine that does not know the query still says that it is ready.
        wire.write(&format!("{}\nquery result\nisready\n", self.position));
        let mut claim = None;
        loop {
            let line = wire.line("readyok", limit)?;
            let line = line.trim();
            match first_word(line) {
                "readyok" => return Ok(claim),
                "response" => {
                    let winner = match second_word(line) {
                        "p1win" => Some(self.first),
                        "p2win" => Some(!self.first),
                        "draw" => None,
                        "none" => {
                            let why = format!("{} in a finished game", quote(line));
                            return Err(Failure::Lost(Cause::Disagreement, why));
                        }
                        _ => continue,
                    };
                    let text = second_word(line).to_owned();
                    claim = Some(Claim { winner, text });
                }
                _ => {}
            }
        }
    }

    fn exchange(&self) -> Exchange {
        self.partner.exchange()
    }
}

/// Takes what an info line says of the best variation.
pub(in crate::arena) fn take_info(thought: &mut Thought, line: &str) {
    let mut words = line.split_whitespace();
    let mut seen = Thought::default();
    while let Some(word) = words.next() {
        match word {
            "pv" | "string" | "error" => break,
            "multipv" if words.next() != Some("1") => return,
            "depth" => seen.depth = words.next().and_then(|word| word.parse().ok()),
            "nodes" => seen.nodes = words.next().and_then(|word| word.parse().ok()),
            "score" => {
                seen.score = match (
                    words.next(),
                    words.next().and_then(|word| word.parse().ok()),
                ) {
                    (Some("cp"), Some(cp)) => Some(Score::Cp(sane(cp))),
                    (Some("mate"), Some(moves)) => Some(Score::Mate(sane(moves))),
                    _ => None,
                }
            }
            _ => {}
        }
    }
    *thought = Thought {
        time_ms: 0,
        depth: seen.depth.or(thought.depth),
        nodes: seen.nodes.or(thought.nodes),
        score: seen.score.or(thought.score),
    };
}

/// A score that a record can hold.
fn sane(score: i64) -> i32 {
    score.clamp(-1_000_000, 1_000_000) as i32
}
