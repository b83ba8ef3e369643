//! Mirroring: playing the reflection, in the center of the board, of what the opponent has just played.

use std::collections::BTreeSet;

use serde::Serialize;

use super::game_figures::{GameFigures, Mirroring};
use super::reflection::image;
use super::score::Score;
use crate::intervals::Estimate;
use crate::record::GameRecord;
use crate::rules::{Board, Color};

/// Mirroring by the second player.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct MirrorFigures {
    /// Share of the replies at which mirroring was legal.
    pub legal: Option<Estimate>,
    /// Share of the replies that mirrored.
    pub played: Option<Estimate>,
    /// Largest number of replies that mirrored from the first one on.
    pub longest: u32,
}

impl MirrorFigures {
    pub(super) fn of(games: &[GameFigures]) -> Self {
        let games = games.iter().map(|game| &game.mirroring);
        let games = games.filter(|mirroring| mirroring.replies > 0);
        let share = |count: &dyn Fn(&Mirroring) -> u32| {
            let shares = games.clone().map(|game| f64::from(count(game)) / f64::from(game.replies));
            Estimate::of_mean_share(&shares.collect::<Vec<f64>>())
        };
        Self {
            legal: share(&|mirroring| mirroring.legal),
            played: share(&|mirroring| mirroring.mirrored),
            longest: games.clone().map(|mirroring| mirroring.longest).max().unwrap_or(0),
        }
    }
}

/// A game against a player who mirrors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MirrorGame {
    /// True if the player who mirrors moves first.
    pub moves_first: bool,
    /// Score of the player who mirrors, in half points.
    pub half_points: usize,
    /// Moves of this player that follow one of the opponent.
    pub replies: u32,
    /// Replies that mirror.
    pub mirrored: u32,
    /// Number of the first replies of the game that mirror without a gap.
    pub longest: u32,
    /// Hash of the moves.
    pub line: u64,
}

impl MirrorGame {
    /// Plays a record again in which `mirror` mirrors. `board` has the start position of its variant.
    ///
    /// # Errors
    /// Names the move that breaks the rules, or that does not mirror although it could.
    pub fn of(game: &GameRecord, board: &dyn Board, mirror: Color) -> Result<Self, String> {
        let line = GameFigures::of(game, board)?.line;
        let mut found = Self {
            moves_first: mirror == board.variant().info().first,
            half_points: game.half_points(mirror),
            replies: 0,
            mirrored: 0,
            longest: 0,
            line,
        };
        let mut here = board.fork();
        let mut before: Option<(Color, &str)> = None;
        let mut is_unbroken = true;
        for (number, made) in game.moves.iter().enumerate() {
            let side = here.side();
            let last = before.filter(|&(other, _)| side == mirror && other != mirror);
            let copy = last.and_then(|(_, text)| image(&*here, text));
            let mut steps = Vec::new();
            for text in made.text.split(',') {
                let step = here.find_step(text).map_err(|error| error.to_string())?;
                here.make(step);
                steps.push(step);
            }
            if let Some((_, text)) = last {
                found.replies += 1;
                is_unbroken &= copy.is_some();
                found.mirrored += u32::from(copy.is_some());
                found.longest += u32::from(is_unbroken);
                if copy.is_some_and(|copy| copy != steps) {
                    return Err(format!(
                        "move {}, {:?}, does not mirror {text:?}, although it could",
                        number + 1,
                        made.text
                    ));
                }
            }
            before = Some((side, &made.text));
        }
        Ok(found)
    }
}

/// Results of a player who mirrors, against the program at the same strength.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct MirroringStrategy {
    /// Number of games. The player who mirrors moves second in the odd ones, and first in the even ones.
    pub games: u64,
    /// Number of different games.
    pub distinct_games: u64,
    /// Score of the player who mirrors.
    #[serde(flatten)]
    pub score: Score,
    /// Its score where it moves first.
    pub moving_first: Option<Score>,
    /// Its score where it moves second.
    pub moving_second: Option<Score>,
    /// Share of its replies that mirror, by game.
    pub mirrored: Option<Estimate>,
    /// Largest number of replies that mirror from the first one on.
    pub longest: u32,
}

impl MirroringStrategy {
    /// Computes the figures of some games; `None` without games.
    pub fn of(games: &[MirrorGame]) -> Option<Self> {
        let seat = |first: bool| {
            let games = games.iter().filter(|game| game.moves_first == first);
            Score::of(games.map(|game| game.half_points))
        };
        let replied = games.iter().filter(|game| game.replies > 0);
        let shares = replied.map(|game| f64::from(game.mirrored) / f64::from(game.replies));
        let lines: BTreeSet<u64> = games.iter().map(|game| game.line).collect();
        Some(Self {
            games: games.len() as u64,
            distinct_games: lines.len() as u64,
            score: Score::of(games.iter().map(|game| game.half_points))?,
            moving_first: seat(true),
            moving_second: seat(false),
            mirrored: Estimate::of_mean_share(&shares.collect::<Vec<f64>>()),
            longest: games.iter().map(|game| game.longest).max().unwrap_or(0),
        })
    }
}
