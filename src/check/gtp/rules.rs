//! Checks of an engine's rules against ours.

use super::super::rules::{Class, Fault, Game, Probe, Subject, Survey, listed, no_variant};
use super::super::{CheckResult, NoVerdict, game_deadline};
use super::Gtp;
use crate::client::connection::ClientError;
use crate::client::gtp::play;
use crate::client::output::{FinalScore, final_score};
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

impl Gtp {
    /// Compares the rules, if that has not been done.
    fn surveyed(&mut self) -> Result<Survey, NoVerdict> {
        let Some(variant) = self.variant.clone() else {
            return Err(no_variant());
        };
        if let Some(survey) = self.survey.take() {
            return Ok(survey);
        }
        self.known.legal_command = self.rules.legal_command.clone();
        for name in LISTS {
            if self.known.legal_command.is_none() && self.client.has(name)? {
                self.known.legal_command = Some(name.to_owned());
            }
        }
        self.known.has_perft = self.client.has("perft")?;
        self.known.has_score = self.client.has("final_score")?;
        let (rules, deadline) = (self.rules.clone(), game_deadline(&self.client.connection));
        Ok(Survey::run(self, &variant, &rules, deadline)?)
    }

    fn class(&mut self, class: Class) -> CheckResult {
        let survey = self.surveyed()?;
        let verdict = survey.verdict(class, self);
        self.proof = survey.transcript(class).map(str::to_owned);
        self.survey = Some(survey);
        verdict
    }

    /// Plays a game. Returns the first play that is refused.
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
    fn examine(&mut self, game: &Game, probe: &Probe) -> Result<Option<Fault>, ClientError> {
        let refused = self.go_to(game)?;
        if refused.is_some() {
            return Ok(refused);
        }
        let plays = game.plays.len();
        match probe {
            Probe::Last => Ok(None),
            Probe::Illegal { step, reason } => {
                let command = play(game.board.side(), step);
                let answer = self.client.ask(&command)?;
                if !answer.ok {
                    return Ok(None);
                }
                self.known.fed = None;
                let what = format!("{} is accepted, and is illegal: {reason}", quote(&command));
                Ok(Some(Fault::new(Class::Illegal, plays, what)))
            }
            Probe::List => {
                let Some(command) = self.known.legal_command.clone() else {
                    return Ok(None);
                };
                let answer = self.client.demand(&command)?;
                let wrong = listed(game, &answer);
                Ok(wrong.map(|what| Fault::new(Class::List, plays, format!("{}: {what}", quote(&command)))))
            }
            Probe::Perft(depth) => {
                let answer = self.client.ask(&format!("perft {depth}"))?;
                let number = answer.text.split_whitespace().next().and_then(|word| word.replace(',', "").parse().ok());
                let Some(count) = number.filter(|_| answer.ok) else {
                    self.known.has_perft = false;
                    return Ok(None);
                };
                let right = game.board.perft(*depth, false, &|| false);
                let what = || format!("perft {depth} is {count}, not {}", right.unwrap_or_default());
                Ok((right != Some(count)).then(|| Fault::new(Class::Perft, plays, what())))
            }
            Probe::Result => {
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
                Ok((!is_right).then(|| Fault::new(Class::Result, plays, what())))
            }
        }
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

pub(super) fn legal(gtp: &mut Gtp) -> CheckResult {
    gtp.class(Class::Legal)
}

pub(super) fn illegal(gtp: &mut Gtp) -> CheckResult {
    gtp.class(Class::Illegal)
}

pub(super) fn list(gtp: &mut Gtp) -> CheckResult {
    gtp.class(Class::List)
}

pub(super) fn perft(gtp: &mut Gtp) -> CheckResult {
    gtp.class(Class::Perft)
}

pub(super) fn result(gtp: &mut Gtp) -> CheckResult {
    gtp.class(Class::Result)
}
