//! Checks of an engine's rules against ours.

use super::super::rules::{Class, Comparison, Fault, Game, Play, Probe, Subject, listed, no_variant};
use super::super::{NO_MOVE, NoVerdict};
use super::Ugi;
use crate::client::connection::{ClientError, MAX_LINES};
use crate::client::output::{behind, first_word};
use crate::client::ugi::position;
use crate::rules::Variant;
use crate::transcript::first_line;

/// The query by which some engines list legal moves.
const LIST: &str = "query legal";

/// Facts about the engine that a survey needs.
#[derive(Default)]
pub(super) struct Known {
    legal_command: Option<String>,
    has_perft: bool,
    /// True if the game is over for the engine after a move that it can't play.
    ends_after_illegal: bool,
}

impl Ugi {
    /// Asks a question whose answer is true or false.
    fn says(&mut self, what: &str) -> Result<bool, ClientError> {
        self.query_bool(what).map_err(client_error)
    }

    /// Sends a command and returns the words of its answer, without `response`.
    fn lines_of(&mut self, command: &str) -> Result<String, ClientError> {
        self.client.send(command)?;
        let lines = self.until_ready()?;
        let answers = lines.iter().filter_map(|line| match first_word(line) {
            "response" => behind(line, &["response"]),
            "info" | "bestmove" => None,
            _ => Some(line.as_str()),
        });
        Ok(answers.collect::<Vec<_>>().join(" "))
    }

    fn until_ready(&mut self) -> Result<Vec<String>, ClientError> {
        let deadline = self.client.connection.deadline();
        let connection = self.client.engine()?;
        connection.send("isready")?;
        let mut lines = Vec::new();
        while lines.len() < MAX_LINES {
            let line = connection.line("readyok", deadline)?;
            if line.trim() == "readyok" {
                return Ok(lines);
            }
            lines.push(line);
        }
        Err(ClientError::Endless("readyok".to_owned()))
    }
}

/// Returns the moves of a game, with one more.
fn moves(game: &Game, more: Option<&str>) -> Vec<String> {
    let moves = game.plays.iter().map(|Play { text, .. }| text.clone());
    moves.chain(more.map(str::to_owned)).collect()
}

fn is_first(game: &Game) -> bool {
    game.board.side() == game.board.variant().info().first
}

fn client_error(error: NoVerdict) -> ClientError {
    match error {
        NoVerdict::Client(error) => error,
        NoVerdict::NotApplicable(why) => ClientError::Malformed(why),
    }
}

/// Returns the count in a line such as `nodes 97` or `Nodes searched: 97`.
fn count(line: &str) -> Option<u64> {
    let is_count = first_word(line) != "info" && line.to_lowercase().contains("nodes");
    let last = line.split_whitespace().last()?;
    last.parse().ok().filter(|_| is_count)
}

/// Returns the result in the words of `query result`.
fn right_result(game: &Game) -> &'static str {
    match game.board.outcome().map(|outcome| outcome.winner) {
        None => "none",
        Some(None) => "draw",
        Some(Some(winner)) if winner == game.board.variant().info().first => "p1win",
        Some(Some(_)) => "p2win",
    }
}

impl Subject for Ugi {
    fn comparison(&mut self) -> &mut Comparison {
        &mut self.rules
    }

    fn prepare(&mut self, variant: &Variant) -> Result<(), NoVerdict> {
        let start = Game::new(variant).ok_or_else(no_variant)?;
        self.client.send("uginewgame")?;
        self.client.send(&position(None, &[NO_MOVE.to_owned()]))?;
        self.known.ends_after_illegal = self.says("gameover")?;
        self.client.send("position startpos")?;
        self.known.legal_command = self.rules.settings.legal_command.clone();
        if self.known.legal_command.is_none() && listed(&start, &self.lines_of(LIST)?).is_none() {
            self.known.legal_command = Some(LIST.to_owned());
        }
        self.known.has_perft = self.perft(1)?.is_some();
        Ok(())
    }

    fn go_to(&mut self, game: &Game) -> Result<Option<Fault>, ClientError> {
        let plays = game.plays.len();
        self.client.send(&position(None, &moves(game, None)))?;
        let is_over = self.says("gameover")?;
        let what = match game.plays.last() {
            None => "at the start".to_owned(),
            Some(Play { text, .. }) => format!("after {text}"),
        };
        if is_over && !game.is_over() {
            return Ok(Some(match plays {
                0 => Fault::new(Class::State, 0, "gameover is true at the start"),
                _ => {
                    let why = "the move is legal, and does not end the game";
                    Fault::new(Class::Legal, plays, format!("gameover is true {what}: {why}"))
                }
            }));
        }
        if !is_over && let Some(outcome) = game.board.outcome() {
            let what = format!("gameover is false {what}: the game is over by {}", outcome.reason);
            return Ok(Some(Fault::new(Class::State, plays, what)));
        }
        if !is_over {
            let (is_p1, right) = (self.says("p1turn")?, is_first(game));
            if is_p1 != right {
                return Ok(Some(Fault::new(Class::State, plays, format!("p1turn is {is_p1} {what}, not {right}"))));
            }
        }
        Ok(None)
    }

    fn accepts(&mut self, game: &Game, step: &str) -> Result<Option<String>, ClientError> {
        // Nothing reports what an engine makes of a step after the end.
        if game.is_over() {
            return Ok(None);
        }
        self.client.send(&position(None, &moves(game, Some(step))))?;
        let is_over = self.says("gameover")?;
        let is_accepted = if self.known.ends_after_illegal { !is_over } else { self.says("p1turn")? != is_first(game) };
        Ok(is_accepted.then(|| step.to_owned()))
    }

    fn legal(&mut self) -> Result<Option<(String, String)>, ClientError> {
        let Some(command) = self.known.legal_command.clone() else {
            return Ok(None);
        };
        let answer = self.lines_of(&command)?;
        Ok(Some((command, answer)))
    }

    fn perft(&mut self, depth: u32) -> Result<Option<u64>, ClientError> {
        self.client.send(&format!("go perft {depth}"))?;
        let mut lines = self.until_ready()?;
        if !lines.iter().any(|line| first_word(line) == "bestmove" || count(line).is_some()) {
            // It may search, or still count.
            self.client.send("stop")?;
            lines.extend(self.until_ready()?);
        }
        Ok(lines.iter().find_map(|line| count(line)))
    }

    fn wrong_result(&mut self, game: &Game) -> Result<Option<String>, ClientError> {
        let (result, right) = (self.query("result").map_err(client_error)?, right_result(game));
        Ok((result != right).then(|| format!("query result is {result}, not {right}")))
    }

    fn forget(&mut self) {}

    fn restart(&mut self) {
        self.client.connection.close();
    }

    fn answers(&self, class: Class) -> bool {
        match class {
            Class::Legal | Class::Illegal | Class::State | Class::Result => true,
            Class::List => self.known.legal_command.is_some(),
            Class::Perft => self.known.has_perft,
        }
    }

    fn transcript(&self, game: &Game, probe: &Probe) -> String {
        let mut text = first_line(self.client.connection.command());
        text.push_str(&format!("# protocol: ugi\n# variant: {}\n> ugi\n...\n< ugiok\n", game.board.variant()));
        let more = match probe {
            Probe::Illegal { step, reason } => {
                text.push_str(&format!("# The last move is illegal: {reason}.\n"));
                Some(step.as_str())
            }
            _ => None,
        };
        // Engines may complain of an illegal move.
        text.push_str(&format!("> {}\n...\n", position(None, &moves(game, more))));
        let state = |text: &mut String| {
            text.push_str(&format!("> query gameover\n< response {}\n", game.is_over()));
            if !game.is_over() {
                text.push_str(&format!("> query p1turn\n< response {}\n", is_first(game)));
            }
        };
        match probe {
            Probe::Last => state(&mut text),
            Probe::Illegal { .. } if self.known.ends_after_illegal => {
                text.push_str("> query gameover\n< response true\n");
            }
            Probe::Illegal { .. } => text.push_str(&format!("> query p1turn\n< response {}\n", is_first(game))),
            Probe::List => {
                let command = self.known.legal_command.as_deref().unwrap_or_default();
                let legal = game.legal().join(" ");
                text.push_str(&format!("# In any order.\n> {command}\n< response {legal}\n"));
            }
            Probe::Perft(depth) => {
                let count = game.board.perft(*depth, false, &|| false).unwrap_or_default();
                text.push_str(&format!("> go perft {depth}\n...\n< nodes {count}\n...\n"));
            }
            Probe::Result => text.push_str(&format!("> query result\n< response {}\n", right_result(game))),
        }
        text
    }
}
