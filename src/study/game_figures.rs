//! The figures of one game, from its record played again by the rules.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::reflection::{is_legal, mirrored};
use crate::board::Key;
use crate::record::{GameRecord, GameResult, Score};
use crate::rules::{Board, Color, EVALUATION_SCALE, PROVEN_WIN, Step};

/// Maximum number of positions of a game whose steps are evaluated for [`GameFigures::decisions`].
const MAX_EVALUATED: usize = 48;

/// Distance of an expected score from one half that makes a leader.
pub const LEAD_MARGIN: f64 = 0.05;

/// Lead of the best step over the median step, in expected score, from which a position counts as a decision.
pub const DECISION_MARGIN: f64 = 0.1;

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

/// The figures of a game.
#[derive(Clone, PartialEq, Debug)]
pub struct GameFigures {
    /// Number of the game.
    pub game: u64,
    /// Score of the player who moved first, in half points.
    pub half_points: usize,
    /// Reason of the end.
    pub reason: String,
    /// Number of moves of both players.
    pub moves: u32,
    /// Number of moves of the opening, which nobody has chosen.
    pub opening_moves: u32,
    /// Number of legal steps before each step.
    pub choices: Vec<u32>,
    /// Number of steps of the opening.
    pub opening_steps: u32,
    /// Expected scores of the player who moved first, each from the search of a move.
    pub values: Vec<f64>,
    /// For each of them, true if that player searched.
    pub is_firsts: Vec<bool>,
    /// True if a player swapped.
    pub swapped: bool,
    /// Estimated number of decisions after the opening.
    pub decisions: f64,
    /// Mirroring after the opening.
    pub mirroring: Mirroring,
    /// Hash of the moves.
    pub line: u64,
    /// Hash of the moves of the opening.
    pub opening: u64,
    /// Hash keys of the positions, the start included.
    pub keys: Vec<Key>,
}

impl GameFigures {
    /// Plays a record again. `board` has the start position of its variant.
    ///
    /// # Errors
    /// Names the move that is not legal, or says how the recorded end differs from the rules.
    pub fn of(game: &GameRecord, board: &dyn Board) -> Result<Self, String> {
        let first = board.variant().info().first;
        let mut here = board.fork();
        let texts = game.moves.iter().map(|made| made.text.as_str());
        let opening = game.moves.iter().take_while(|made| made.information.is_none());
        let opening: Vec<&str> = opening.map(|made| made.text.as_str()).collect();
        let mut figures = Self {
            game: game.game,
            half_points: game.half_points(first),
            reason: game.reason.clone(),
            moves: game.moves.len() as u32,
            opening_moves: opening.len() as u32,
            choices: Vec::new(),
            opening_steps: 0,
            values: Vec::new(),
            is_firsts: Vec::new(),
            swapped: texts.clone().any(|text| text == "swap"),
            decisions: 0.0,
            mirroring: Mirroring::default(),
            line: hash(texts.collect::<Vec<_>>()),
            opening: hash(&opening),
            keys: vec![here.key()],
        };
        let mut mirrors = true;
        let mut before: Option<(Color, &str)> = None;
        for (number, made) in game.moves.iter().enumerate() {
            let wrong = |why: String| format!("move {}, {:?}: {why}", number + 1, made.text);
            let side = here.side();
            if let Some(information) = &made.information {
                let score = information.score.map(Score::expected);
                figures.values.extend(score.map(|score| if side == first { score } else { 1.0 - score }));
                figures.is_firsts.extend(score.map(|_| side == first));
                if let Some((_, text)) = before.filter(|&(other, _)| other == first && side != first) {
                    let mirrored = mirrored(board.shape(), text);
                    let mirroring = &mut figures.mirroring;
                    mirroring.replies += 1;
                    mirroring.legal += u32::from(is_legal(&*here, &mirrored));
                    let same = made.text == mirrored;
                    mirroring.mirrored += u32::from(same);
                    mirrors &= same;
                    mirroring.longest += u32::from(mirrors);
                }
            }
            before = Some((side, &made.text));
            for text in made.text.split(',') {
                let step = here.read_step(text).map_err(|error| wrong(error.to_string()))?;
                figures.choices.push(u32::try_from(here.count()).unwrap_or(u32::MAX));
                here.make(step);
                figures.keys.push(here.key());
            }
            if made.information.is_none() && number < opening.len() {
                figures.opening_steps = figures.choices.len() as u32;
            }
        }
        match here.outcome() {
            None => return Err("the game is not over by the rules".to_owned()),
            Some(outcome) => {
                let result = GameResult::of(outcome.winner);
                if result != game.result || outcome.reason != game.reason {
                    return Err(format!(
                        "the end is {result} by {} by the rules, not {} by {}",
                        outcome.reason, game.result, game.reason
                    ));
                }
            }
        }
        figures.decisions = decisions(&*here, figures.opening_steps as usize);
        Ok(figures)
    }

    /// Returns the expected scores of the winner; `None` for a draw, and for a game without them.
    pub fn winner_values(&self) -> Option<Vec<f64>> {
        if self.values.is_empty() {
            return None;
        }
        match self.half_points {
            1 => None,
            0 => Some(self.values.iter().map(|value| 1.0 - value).collect()),
            _ => Some(self.values.clone()),
        }
    }

    /// Returns the scores that the winner itself expected; `None` for a draw, and for a game without them.
    pub fn winners_own_values(&self) -> Option<Vec<f64>> {
        let is_winners = |is_firsts: bool| is_firsts == (self.half_points > 1);
        let all = self.winner_values()?.into_iter().zip(&self.is_firsts);
        let own: Vec<f64> = all.filter(|(_, is_firsts)| is_winners(**is_firsts)).map(|(value, _)| value).collect();
        (!own.is_empty()).then_some(own)
    }

    /// Returns the number of steps.
    pub fn steps(&self) -> u32 {
        self.choices.len() as u32
    }

    /// Returns the logarithm to base 10 of the product of the numbers of legal steps.
    pub fn log_choices(&self) -> f64 {
        self.choices.iter().map(|&count| libm::log10(f64::from(count.max(1)))).sum()
    }

    /// Returns the number of steps after the opening with one legal step only.
    pub fn forced(&self) -> u32 {
        let chosen = self.choices.iter().skip(self.opening_steps as usize);
        chosen.filter(|&&count| count == 1).count() as u32
    }

    /// Returns the number of steps after the opening.
    pub fn chosen(&self) -> u32 {
        self.steps() - self.opening_steps
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Estimates the number of positions of a finished game in which the choice of the step matters.
///
/// At most [`MAX_EVALUATED`] positions are looked at, evenly spread over the steps from `from` on.
fn decisions(end: &dyn Board, from: usize) -> f64 {
    let steps = end.ply().saturating_sub(from);
    let looked = steps.min(MAX_EVALUATED);
    let mut matter = 0_u32;
    let mut scored: Vec<(i32, Step)> = Vec::new();
    for place in 0..looked {
        let mut here = end.fork_at(from + place * steps / looked);
        if here.count() < 2 {
            continue;
        }
        scored.clear();
        here.evaluate_steps(&mut scored);
        scored.sort_unstable_by_key(|&(value, _)| std::cmp::Reverse(value));
        let at = |place: usize| scored.get(place).map_or(0.5, |&(value, _)| share(value));
        matter += u32::from(at(0) - at(scored.len() / 2) > DECISION_MARGIN);
    }
    f64::from(matter) * steps as f64 / looked.max(1) as f64
}

/// Returns the expected score that an evaluation stands for.
fn share(value: i32) -> f64 {
    match value {
        value if value > PROVEN_WIN => 1.0,
        value if value < -PROVEN_WIN => 0.0,
        value => 1.0 / (1.0 + libm::exp10(f64::from(-value) / EVALUATION_SCALE)),
    }
}
