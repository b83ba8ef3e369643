//! Follows the game of a dialogue, so that moves can be judged by our rules.

use super::Dialogue;
use super::conversation::gtp_words;
use crate::client::adjudicator::Adjudicator;
use crate::client::output::{first_word, head};
use crate::games;
use crate::rules::Variant;

/// The game that commands and answers lead to.
pub(super) struct Referee {
    dialogue: Dialogue,
    /// The game, or why it is not known.
    game: Result<Adjudicator, String>,
}

impl Referee {
    pub(super) fn new(dialogue: Dialogue, variant: Option<&Variant>) -> Self {
        let game = Adjudicator::new(variant);
        let game = game.ok_or_else(|| "the variant is not known: add a line # variant: and its name".to_owned());
        Self { dialogue, game }
    }

    /// Returns true if a text is a legal move in the position.
    pub(super) fn is_legal(&mut self, text: &str) -> bool {
        self.game.as_mut().is_ok_and(|game| game.permits(text))
    }

    /// Says why no move can be judged.
    pub(super) fn trouble(&self) -> Option<&str> {
        self.game.as_ref().err().map(String::as_str)
    }

    /// Follows a command that got an answer.
    pub(super) fn follow(&mut self, command: &str, answer: &[String]) {
        let followed = match self.dialogue {
            Dialogue::Gtp => self.follow_gtp(&gtp_words(command), answer),
            Dialogue::Ugi => self.follow_ugi(command),
            Dialogue::Lines => Ok(()),
        };
        if let Err(why) = followed {
            self.game = Err(format!("the game is not known after {command}: {why}"));
        }
    }

    fn set_variant(&mut self, text: &str) -> Result<(), String> {
        let variant = games::parse_variant(text).map_err(|error| error.to_string())?;
        let game = Adjudicator::new(Some(&variant));
        self.game = game.ok_or_else(|| format!("{text} can't be opened"));
        Ok(())
    }

    fn begin(&mut self, start: Option<&str>) -> Result<(), String> {
        match &mut self.game {
            Ok(game) => game.begin(start).map_err(|error| error.to_string()),
            Err(_) => Ok(()),
        }
    }

    fn play(&mut self, text: &str) -> Result<(), String> {
        match &mut self.game {
            Ok(game) => game.play(text),
            Err(_) => Ok(()),
        }
    }

    fn follow_gtp(&mut self, command: &str, answer: &[String]) -> Result<(), String> {
        let Some(head) = answer.iter().rev().find_map(|line| head(line.trim_start())).filter(|head| head.ok) else {
            return Ok(());
        };
        let mut words = command.split_whitespace().peekable();
        words.next_if(|word| word.chars().all(|c| c.is_ascii_digit()));
        let name = words.next().unwrap_or_default();
        let arguments: Vec<&str> = words.collect();
        match (name, arguments.as_slice()) {
            ("clear_board", _) => self.begin(None),
            ("variant", [variant]) => self.set_variant(variant),
            ("position", [_, ..]) => self.begin(Some(&arguments.join(" "))),
            ("play", [_, text]) => self.play(text),
            ("genmove" | "genmove_cleanup" | "kgs-genmove_cleanup", _) => match head.text.trim() {
                text if text.eq_ignore_ascii_case("resign") => Ok(()),
                text => self.play(text),
            },
            ("undo", _) => {
                if let Ok(game) = &mut self.game {
                    game.undo();
                }
                Ok(())
            }
            ("boardsize" | "rectangular_boardsize" | "loadsgf" | "set_game", _) => {
                Err("expected variant, whose name holds the size".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn follow_ugi(&mut self, command: &str) -> Result<(), String> {
        let words: Vec<&str> = command.split_whitespace().collect();
        match words.as_slice() {
            ["setoption", "name", name, "value", variant] if name.eq_ignore_ascii_case("variant") => {
                self.set_variant(variant)
            }
            ["position", kind, rest @ ..] => {
                let moves = rest.iter().position(|word| *word == "moves").unwrap_or(rest.len());
                let (start, moves) = rest.split_at(moves);
                match *kind {
                    "startpos" => self.begin(None)?,
                    "fen" => self.begin(Some(&start.join(" ")))?,
                    _ => return Err("expected startpos or fen".to_owned()),
                }
                moves.iter().skip(1).try_for_each(|text| self.play(text))
            }
            _ if first_word(command) == "uginewgame" => self.begin(None),
            _ => Ok(()),
        }
    }
}
