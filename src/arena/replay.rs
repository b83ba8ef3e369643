//! Games on record, played again by the rules.

use thiserror::Error;

use super::record::{Cause, GameRecord, GameResult, RESIGNATION};
use crate::client::adjudicator::Adjudicator;
use crate::games;
use crate::rules::{Color, Variant};
use crate::text::quote;

/// What is shown of a game that is played again.
pub struct Shown<'a> {
    /// The move that was played; `None` at the beginning.
    pub text: Option<&'a str>,
    judge: &'a Adjudicator,
}

impl Shown<'_> {
    /// The position behind it, in one line.
    pub fn position(&self) -> String {
        self.judge.position()
    }

    /// The same drawn for a person.
    pub fn diagram(&self) -> String {
        self.judge.diagram()
    }
}

/// A game on record that is not as the rules say.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
#[error("game {game}: {why}")]
pub struct NotByTheRules {
    /// Its number.
    pub game: u64,
    /// Which move is not legal, or in what the end differs.
    pub why: String,
}

/// Plays games again, one after the other.
#[derive(Default)]
pub struct Replay {
    /// The rules of the last game's variant.
    judge: Option<(Variant, Adjudicator)>,
}

impl Replay {
    /// Plays a game again and calls `show` with every position.
    ///
    /// # Errors
    /// Says which move is not legal, or in what the end differs from the rules.
    pub fn check(
        &mut self,
        game: &GameRecord,
        mut show: impl FnMut(&Shown<'_>),
    ) -> Result<(), String> {
        let judge = self.judge(&game.variant)?;
        let begun = judge.begin(game.start.as_deref());
        begun.map_err(|error| error.to_string())?;
        let mut see = |judge: &Adjudicator, text| show(&Shown { text, judge });
        see(judge, None);
        for (i, made) in game.moves.iter().enumerate() {
            let side = judge.side();
            let wrong = |why: String| format!("move {}, {}: {why}", i + 1, quote(&made.text));
            judge.play(&made.text).map_err(wrong)?;
            let is_last = i + 1 == game.moves.len();
            // A game may break off within a move, and so may an opening.
            let may_be_part = is_last || made.thought.is_none();
            if judge.side() == side && !judge.is_over() && !may_be_part {
                return Err(wrong("it is a part of a move only".to_owned()));
            }
            see(judge, Some(&made.text));
        }
        end(judge, game)
    }

    /// Makes sure that a game is as the rules say, move for move.
    ///
    /// # Errors
    /// As [`Replay::check`].
    pub fn referee(&mut self, game: &GameRecord) -> Result<(), NotByTheRules> {
        self.check(game, |_| {}).map_err(|why| NotByTheRules {
            game: game.game,
            why,
        })
    }

    fn judge(&mut self, text: &str) -> Result<&mut Adjudicator, String> {
        let variant = games::parse_variant(text).map_err(|error| error.to_string())?;
        let known = self.judge.take().filter(|(known, _)| *known == variant);
        let entry = match known {
            Some(entry) => entry,
            None => {
                let judge = Adjudicator::new(Some(&variant));
                let judge = judge.ok_or_else(|| format!("{variant} can't be opened"))?;
                (variant, judge)
            }
        };
        Ok(&mut self.judge.insert(entry).1)
    }
}

/// Whether a game ended as it says.
fn end(judge: &Adjudicator, game: &GameRecord) -> Result<(), String> {
    match judge.outcome() {
        Some(outcome) => {
            let result = GameResult::of(outcome.winner);
            if result != game.result {
                return Err(format!(
                    "the result is {result} by the rules, not {}",
                    game.result
                ));
            }
            match game.cause == Cause::Normal && game.reason != outcome.reason {
                true => Err(format!(
                    "the reason is {} by the rules, not {}",
                    outcome.reason, game.reason
                )),
                false => Ok(()),
            }
        }
        None => unfinished(game),
    }
}

/// Whether the result of a game that did not end by the rules fits its cause.
fn unfinished(game: &GameRecord) -> Result<(), String> {
    let result = game.result;
    match game.cause {
        Cause::Normal if game.reason != RESIGNATION => {
            Err("the game is not over by the rules".to_owned())
        }
        Cause::Normal if result == GameResult::Draw => {
            Err("nobody has won by resignation".to_owned())
        }
        Cause::Length if result != GameResult::Draw => {
            Err(format!("a game that is too long is a draw, not {result}"))
        }
        Cause::Adjudication if result == GameResult::Draw => {
            Err("nobody has won by adjudication".to_owned())
        }
        Cause::Normal | Cause::Length | Cause::Adjudication => Ok(()),
        _ => {
            let at_fault = Color::BOTH
                .into_iter()
                .find(|&color| Some(&game.seat(color).name) == game.fault.as_ref());
            match at_fault {
                Some(color) if game.half_points(color) == 0 && result != GameResult::Draw => Ok(()),
                Some(_) => Err(format!("who fails loses, so it can't be {result}")),
                None => Err("the tag PositionError names none of the players".to_owned()),
            }
        }
    }
}
