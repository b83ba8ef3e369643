//! Checks of an engine's rules against ours.

use super::super::NoVerdict;
use super::super::rules::{Class, Comparison, Fault, Game, Probe, Subject};
use super::Gtp;
use crate::client::connection::ClientError;
use crate::client::gtp::play;
use crate::client::output::{FinalScore, final_score};
use crate::rules::Variant;
use crate::text::quote;
use crate::transcript::first_line;

/// Commands by which engines list legal moves.
const LISTS: [&str; 4] = ["legal", "legal_moves", "all_legal", "list_legal"];

/// Maximum number of commands that are sent without waiting for answers.
const AT_ONCE: usize = 32;

/// Facts about the engine that a survey needs.
#[derive(Default)]
pub(super) struct Known {
    /// The plays in the engine's position, if it is known.
    fed: Option<Vec<String>>,
    legal_command: Option<String>,
    has_perft: bool,
    has_score: bool,
}

/// Returns the answer of `final_score` that is right, and true if it must be the whole text.
fn right_score(game: &Game) -> Option<(String, bool)> {
    let winner = game.board.outcome()?.winner;
    Some(match winner {
        None => ("0".to_owned(), true),
        Some(color) => (format!("{}+", color.letter().to_ascii_uppercase()), false),
    })
}

impl Subject for Gtp {
    fn comparison(&mut self) -> &mut Comparison {
        &mut self.rules
    }

    fn prepare(&mut self, _variant: &Variant) -> Result<(), NoVerdict> {
        self.known.legal_command = self.rules.settings.legal_command.clone();
        for name in LISTS {
            if self.known.legal_command.is_none() && self.client.has(name)? {
                self.known.legal_command = Some(name.to_owned());
            }
        }
        self.known.has_perft = self.client.has("perft")?;
        self.known.has_score = self.client.has("final_score")?;
        Ok(())
    }

    fn go_to(&mut self, game: &Game) -> Result<Option<Fault>, ClientError> {
        let fed = self.known.fed.take();
        let is_known = |fed: &Vec<String>| {
            fed.len() <= game.plays.len() && fed.iter().zip(&game.plays).all(|(text, play)| *text == play.text)
        };
        let fed = fed.filter(|fed| is_known(fed) && self.client.connection.is_running());
        let mut done = match fed {
            Some(fed) => fed.len(),
            None => {
                self.client.demand("clear_board")?;
                0
            }
        };
        while done < game.plays.len() {
            let plays: Vec<_> = game.plays.iter().skip(done).take(AT_ONCE).collect();
            let lines: String = plays.iter().map(|next| play(next.color, &next.text) + "\n").collect();
            self.client.connection.write(&lines)?;
            let mut refused = None;
            for (number, next) in plays.iter().enumerate() {
                let deadline = self.client.connection.deadline();
                let answer = self.client.next_answer("answer to \"play\"", deadline)?;
                if !answer.ok && refused.is_none() {
                    let command = quote(&play(next.color, &next.text));
                    let what = format!("{command} is legal, and is answered with {}", answer.quoted());
                    refused = Some(Fault::new(Class::Legal, done + number + 1, what));
                }
            }
            if refused.is_some() {
                return Ok(refused);
            }
            done += plays.len();
        }
        self.known.fed = Some(game.plays.iter().map(|play| play.text.clone()).collect());
        Ok(None)
    }

    fn accepts(&mut self, game: &Game, step: &str) -> Result<Option<String>, ClientError> {
        let command = play(game.board.side(), step);
        if !self.client.ask(&command)?.ok {
            return Ok(None);
        }
        self.known.fed = None;
        Ok(Some(quote(&command)))
    }

    fn legal(&mut self) -> Result<Option<(String, String)>, ClientError> {
        let Some(command) = self.known.legal_command.clone() else {
            return Ok(None);
        };
        let answer = self.client.demand(&command)?;
        Ok(Some((quote(&command), answer)))
    }

    fn perft(&mut self, depth: u32) -> Result<Option<u64>, ClientError> {
        let answer = self.client.ask(&format!("perft {depth}"))?;
        let number = answer.text.split_whitespace().next().and_then(|word| word.replace(',', "").parse().ok());
        let count = number.filter(|_| answer.ok);
        self.known.has_perft &= count.is_some();
        Ok(count)
    }

    fn wrong_result(&mut self, game: &Game) -> Result<Option<String>, ClientError> {
        let text = self.client.demand("final_score")?;
        let score = final_score(text.trim()).filter(|score| score.is_standard);
        let Some((right, _)) = right_score(game) else {
            return Ok(None);
        };
        let by = game.board.margin();
        let is_right = score.is_some_and(|FinalScore { winner, margin, .. }| {
            let margins = margin.zip(by).is_none_or(|(margin, by)| margin == by);
            Some(winner) == game.board.outcome().map(|outcome| outcome.winner) && (winner.is_none() || margins)
        });
        let margin = by.filter(|_| right != "0").map_or(String::new(), |by| by.to_string());
        let what = || format!("final_score is {}, not {right}{margin}", quote(text.trim()));
        Ok((!is_right).then(what))
    }

    fn forget(&mut self) {
        self.known.fed = None;
    }

    fn restart(&mut self) {
        self.known.fed = None;
        self.client.connection.close();
    }

    fn answers(&self, class: Class) -> bool {
        match class {
            Class::Legal | Class::Illegal => true,
            Class::State => false,
            Class::List => self.known.legal_command.is_some(),
            Class::Perft => self.known.has_perft,
            Class::Result => self.known.has_score,
        }
    }

    fn transcript(&self, game: &Game, probe: &Probe) -> String {
        let mut text = first_line(self.client.connection.command());
        text.push_str(&format!("# protocol: gtp\n# variant: {}\n> clear_board\n< =\n", game.board.variant()));
        for next in &game.plays {
            text.push_str(&format!("> {}\n< =\n", play(next.color, &next.text)));
        }
        match probe {
            Probe::Last => {}
            Probe::Illegal { step, reason } => {
                let command = play(game.board.side(), step);
                text.push_str(&format!("# Illegal: {reason}.\n> {command}\n< ? [..]\n"));
            }
            Probe::List => {
                let command = self.known.legal_command.as_deref().unwrap_or_default();
                text.push_str(&format!("# In any order.\n> {command}\n< = {}\n", game.legal().join(" ")));
            }
            Probe::Perft(depth) => {
                let count = game.board.perft(*depth, false, &|| false).unwrap_or_default();
                text.push_str(&format!("> perft {depth}\n< = {count}\n...\n"));
            }
            Probe::Result => {
                let (right, is_whole) = right_score(game).unwrap_or_default();
                let rest = match game.board.margin() {
                    _ if is_whole => String::new(),
                    Some(margin) => margin.to_string(),
                    None => "[..]".to_owned(),
                };
                text.push_str(&format!("> final_score\n< = {right}{rest}\n"));
            }
        }
        text
    }
}
