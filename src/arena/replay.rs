//! Replays recorded games by the rules.

use thiserror::Error;

use crate::client::adjudicator::Adjudicator;
use crate::games;
use crate::record::{AGREEMENT, Cause, GameRecord, GameResult, RESIGNATION};
use crate::rules::{Color, Variant};
use crate::text::quote;

/// A position of a replayed game.
pub struct Shown<'a> {
    /// The move played; `None` at the start.
    pub text: Option<&'a str>,
    rules: &'a Adjudicator,
}

impl Shown<'_> {
    /// Returns the move played, its steps as the notation writes them; `None` at the start.
    pub fn played(&self) -> Option<String> {
        self.text.map(|_| self.rules.last_play())
    }

    /// Returns the position in one line.
    pub fn position(&self) -> String {
        self.rules.position()
    }

    /// Returns the diagram of the position.
    pub fn diagram(&self) -> String {
        self.rules.diagram()
    }
}

/// A recorded game that breaks the rules.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
#[error("game {game}: {why}")]
pub struct RulesViolation {
    /// Number of the game.
    pub game: u64,
    /// The illegal move, or the difference at the end.
    pub why: String,
}

/// Replays games one after another.
#[derive(Default)]
pub struct Replay {
    /// Rules of the variant of the last game.
    rules: Option<(Variant, Adjudicator)>,
}

impl Replay {
    /// Replays a game and calls `show` with every position.
    ///
    /// # Errors
    /// Names the illegal move, or the difference between the recorded end and the rules.
    pub fn check(&mut self, game: &GameRecord, mut show: impl FnMut(&Shown<'_>)) -> Result<(), String> {
        let rules = self.rules(&game.variant)?;
        let begun = rules.begin(game.start.as_deref());
        begun.map_err(|error| error.to_string())?;
        let mut see = |rules: &Adjudicator, text| show(&Shown { text, rules });
        see(rules, None);
        for (i, made) in game.moves.iter().enumerate() {
            let side = rules.side();
            let wrong = |why: String| format!("move {}, {}: {why}", i + 1, quote(&made.text));
            rules.play(&made.text).map_err(wrong)?;
            let is_last = i + 1 == game.moves.len();
            // A game, or an opening, may end within a move.
            let may_be_part = is_last || made.information.is_none();
            if rules.side() == side && !rules.is_over() && !may_be_part {
                return Err(wrong("it is a part of a move only".to_owned()));
            }
            see(rules, Some(&made.text));
        }
        end(rules, game)
    }

    /// Checks a game against the rules.
    ///
    /// # Errors
    /// As [`Replay::check`].
    pub fn referee(&mut self, game: &GameRecord) -> Result<(), RulesViolation> {
        self.check(game, |_| {}).map_err(|why| RulesViolation { game: game.game, why })
    }

    fn rules(&mut self, text: &str) -> Result<&mut Adjudicator, String> {
        let variant = games::parse_variant(text).map_err(|error| error.to_string())?;
        let known = self.rules.take().filter(|(known, _)| *known == variant);
        let entry = match known {
            Some(entry) => entry,
            None => {
                let rules = Adjudicator::new(Some(&variant));
                let rules = rules.ok_or_else(|| format!("{variant} can't be opened"))?;
                (variant, rules)
            }
        };
        Ok(&mut self.rules.insert(entry).1)
    }
}

/// Checks the recorded end of a game.
fn end(rules: &Adjudicator, game: &GameRecord) -> Result<(), String> {
    match rules.outcome() {
        Some(outcome) => {
            let result = GameResult::of(outcome.winner);
            if result != game.result {
                return Err(format!("the result is {result} by the rules, not {}", game.result));
            }
            if game.cause == Cause::Normal && game.reason != outcome.reason {
                Err(format!("the reason is {} by the rules, not {}", outcome.reason, game.reason))
            } else {
                Ok(())
            }
        }
        None => unfinished(game),
    }
}

/// Checks that the result fits the cause, if the game did not end by the rules.
fn unfinished(game: &GameRecord) -> Result<(), String> {
    let result = game.result;
    match game.cause {
        Cause::Aborted if result == GameResult::Unfinished => Ok(()),
        _ if result == GameResult::Unfinished => Err(format!("an unfinished game can't have ended by {}", game.cause)),
        Cause::Normal if game.reason == AGREEMENT && result != GameResult::Draw => {
            Err(format!("what both players agree on is a draw, not {result}"))
        }
        Cause::Normal if game.reason == AGREEMENT => Ok(()),
        Cause::Normal if game.reason != RESIGNATION => Err("the game is not over by the rules".to_owned()),
        Cause::Normal if result == GameResult::Draw => Err("a resignation needs a winner".to_owned()),
        Cause::Length if result != GameResult::Draw => Err(format!("a game that is too long is a draw, not {result}")),
        Cause::Adjudication if result == GameResult::Draw => Err("an adjudication needs a winner".to_owned()),
        Cause::Normal | Cause::Length | Cause::Adjudication => Ok(()),
        _ => {
            let at_fault = Color::BOTH.into_iter().find(|&color| Some(&game.seat(color).name) == game.fault.as_ref());
            match at_fault {
                Some(color) if game.half_points(color) == 0 && result != GameResult::Draw => Ok(()),
                Some(_) => Err(format!("who fails loses, so it can't be {result}")),
                None => Err("the tag Fault names none of the players".to_owned()),
            }
        }
    }
}
