//! Mirroring: playing the reflection, in the centre of the board, of what the opponent has just played.

use std::collections::BTreeSet;

use serde::Serialize;

use super::course::Course;
use super::estimate::Score;
use super::folder::{Folder, Known, StudyError};
use super::plan::{Part, Plan};
use crate::board::{Shape, column_of_letter};
use crate::intervals::Estimate;
use crate::record::GameRecord;
use crate::rules::{Board, Color, Step};
use crate::threads;

/// Returns the text of a move with every cell reflected in the centre of the board.
pub fn mirrored(shape: &Shape, text: &str) -> String {
    let mut mirrored = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let mut digits = String::new();
        while let Some(digit) = letters.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        let column = column_of_letter(letter);
        let rank = digits.parse::<u8>().ok().and_then(|rank| rank.checked_sub(1));
        let reflected = column.zip(rank).and_then(|(x, y)| {
            let (x, y) = ((shape.columns() - 1).checked_sub(x)?, (shape.ranks() - 1).checked_sub(y)?);
            shape.cell(x, y)
        });
        match reflected {
            Some(cell) => mirrored += &shape.label(cell),
            None => {
                mirrored.push(letter);
                mirrored += &digits;
            }
        }
    }
    mirrored
}

/// Returns true if a move is legal.
pub(super) fn is_legal(board: &dyn Board, text: &str) -> bool {
    let mut here = board.fork();
    let side = here.side();
    text.split(',').all(|text| {
        let step = here.find_step(text).ok().filter(|_| here.side() == side);
        step.map(|step| here.make(step)).is_some()
    })
}

/// Returns the steps that mirror a move of the opponent, if they are legal and end the move of the side to move.
pub(super) fn image(board: &dyn Board, text: &str) -> Option<Vec<Step>> {
    let mirrored = mirrored(board.shape(), text);
    let mut here = board.fork();
    let side = here.side();
    let mut steps = Vec::new();
    for text in mirrored.split(',') {
        let step = here.find_step(text).ok().filter(|_| here.side() == side)?;
        here.make(step);
        steps.push(step);
    }
    (here.side() != side || here.is_over()).then_some(steps)
}

/// Replies of the player who moves second, and how many are the point reflection of the move before.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Mirroring {
    /// Number of replies.
    pub replies: u32,
    /// Replies at which mirroring was legal.
    pub legal: u32,
    /// Replies that mirrored.
    pub mirrored: u32,
    /// Number of the first replies of the game that mirrored without a gap.
    pub longest: u32,
}

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
    pub(super) fn of(courses: &[Course]) -> Self {
        let games = courses.iter().map(|course| &course.mirroring);
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
        let course = Course::of(game, board)?;
        let mut found = Self {
            moves_first: mirror == board.variant().info().first,
            half_points: game.half_points(mirror),
            replies: 0,
            mirrored: 0,
            longest: 0,
            line: course.line,
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

/// Plays the games of a part of a study again, in which a player mirrors.
///
/// # Errors
/// Names the first game that breaks the rules, or in which the player does not mirror.
pub(super) fn mirror_games(
    folder: &Folder,
    plan: &Plan,
    part: Part,
    known: &Known,
    board: &dyn Board,
) -> Result<Vec<MirrorGame>, StudyError> {
    let conditions = plan.conditions(part);
    let records: Vec<&(GameRecord, usize)> = known.games.values().collect();
    let played_again = |index: usize| {
        let &(game, place) = records.get(index)?;
        let mirror = conditions.mirror(game.game).unwrap_or(Color::White);
        let played = MirrorGame::of(game, board, mirror);
        Some(played.map_err(|why| StudyError::Violation { path: folder.path_of(*place), game: game.game, why }))
    };
    let games = threads::map(records.len(), played_again);
    games.into_iter().flatten().collect()
}
