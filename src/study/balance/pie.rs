//! Games for the swap map: what each first move is worth under the pie.

use super::first_moves::{FirstMove, first_moves};
use super::question::QuestionPlan;
use super::swap::{Answer, MoveGames, SwapSearch, Trial};
use super::{Distinct, first_mover_score, games_with};
use crate::games;
use crate::intervals::Estimate;
use crate::rules::{Step, Value, Variant};
use crate::study::error::StudyError;
use crate::study::player::{Conditions, Job};
use crate::study::store::Runner;
use crate::text::quote;

/// First moves of a variant under the pie, at one strength.
#[derive(Clone, Debug)]
pub struct SwapMap {
    /// Nodes of each search; 0 for random play.
    pub nodes: u64,
    /// Number of games.
    pub games: u64,
    /// Number of different games among them.
    pub distinct: u64,
    /// First moves: the fairest by the games that choose, then the other finalists, then all others, each by the score
    /// that the pie leaves with them.
    pub moves: Vec<ScoredMove>,
    /// True if there is one for each first move up to symmetry; false if they were drawn at random.
    pub are_all: bool,
    /// True if nothing but the side counts, as far as the games say.
    pub are_seats_alike: bool,
    /// Score that the pie leaves the first mover with the fairest first move, by fresh games.
    pub score: Estimate,
}

/// A first move with its games.
#[derive(Clone, Debug)]
pub struct ScoredMove {
    /// The move.
    pub first_move: FirstMove,
    /// Its games.
    pub games: MoveGames,
    /// The second player's best answer; `None` if games do not say. An answer of a map is wrong in at most 5 of 100 maps.
    pub best_answer: Option<Answer>,
    /// True if these games had no part in the choice of the fairest move.
    pub is_fresh: bool,
}

/// Returns a variant with and without the pie.
///
/// # Errors
/// If the game has no pie.
pub fn pie_variants(variant: &Variant) -> Result<[Variant; 2], StudyError> {
    let with = |on: bool| {
        let with = variant.with("pie", Value::Switch(on));
        with.map_err(|why| {
            StudyError::Unfit(why.unwrap_or_else(|| {
                let (variant, games) = (quote(&variant.to_string()), games_with("pie"));
                format!("{variant} has no pie: expected a game with one ({games})")
            }))
        })
    };
    Ok([with(true)?, with(false)?])
}

/// Compares the first moves of a variant under the pie at one strength.
///
/// # Errors
/// If the game has no pie, if the games are too few for its first moves, or if games can't be played to their end.
pub fn swap_map(variant: &Variant, plan: &QuestionPlan, runner: &mut Runner<'_>) -> Result<SwapMap, StudyError> {
    let [with, without] = pie_variants(variant)?;
    let open = |variant: &Variant| games::open(variant).ok_or_else(|| StudyError::NotOpened(variant.clone()));
    let first = first_moves(&*open(&without)?, plan.seed);
    let mut board = open(&with)?;
    let count = first.moves.len();
    let mut search = SwapSearch::new(count, plan.max_games).ok_or_else(|| {
        StudyError::Unfit(format!(
            "--games {} is too few for {count} first moves: expected {} or more",
            plan.max_games,
            SwapSearch::fewest_games(count)
        ))
    })?;
    // Steps of each first move with each answer; none where the game is over at once.
    let mut openings: Vec<[Vec<Step>; 2]> = Vec::new();
    for first_move in &first.moves {
        for &step in &first_move.steps {
            board.make(step);
        }
        let swap = board.find_step("swap").ok();
        let swapped = first_move.steps.iter().copied().chain(swap).collect();
        openings.push([first_move.steps.clone(), swapped]);
        while board.unmake() {}
    }
    let of_moves = openings.iter().zip(&first.moves);
    let conditions = of_moves.map(|([kept, swapped], first_move)| {
        let with_opening = |variant: &Variant, opening: &[Step], text: String| Conditions {
            opening: opening.to_vec(),
            opening_text: text,
            ..plan.conditions(variant)
        };
        let text = &first_move.text;
        [with_opening(&without, kept, text.clone()), with_opening(&with, swapped, format!("{text},swap"))]
    });
    let conditions: Vec<[Conditions; 2]> = conditions.collect();
    let mut distinct = Distinct::default();
    loop {
        let mut trials = search.next();
        if trials.is_empty() {
            break;
        }
        trials.sort_by_key(|trial| (trial.first_move, trial.answer == Answer::Swap));
        let played = search.played();
        let job = |(trial, number): (&Trial, u64)| {
            let [kept, swapped] = conditions.get(trial.first_move)?;
            let conditions = match trial.answer {
                Answer::Keep => kept,
                Answer::Swap => swapped,
            };
            Some(Job { conditions, number })
        };
        let jobs: Vec<Job<'_>> = trials.iter().zip(played + 1..).filter_map(job).collect();
        let after = search.games().saturating_sub(played + jobs.len() as u64);
        runner.play(&jobs, (played, after), |place, game| {
            distinct.add(game);
            if let Some(&trial) = trials.get(place) {
                search.add(trial, first_mover_score(variant, game));
            }
        })?;
        search.end_round();
    }
    let fairest = search.fairest().ok_or(StudyError::Failed)?;
    let (games, _) = search.games_of(fairest);
    let are_seats_alike = search.are_seats_alike();
    let score = games.under_pie(are_seats_alike).ok_or(StudyError::Failed)?;
    let scored = first.moves.into_iter().enumerate();
    let mut moves: Vec<(usize, ScoredMove)> = scored
        .map(|(number, first_move)| {
            let (games, is_fresh) = search.games_of(number);
            let answer = games.best_answer(search.statements());
            let scored = ScoredMove { first_move, games, best_answer: answer, is_fresh };
            (number, scored)
        })
        .collect();
    // Scores of finalists rest on more games, and had no part in the choice.
    moves.sort_by(|(a, first), (b, second)| {
        let rank = |number: usize, scored: &ScoredMove| (number != fairest, !scored.is_fresh);
        let left = |scored: &ScoredMove| scored.games.left().unwrap_or(0.0);
        let by_left = left(second).total_cmp(&left(first));
        rank(*a, first).cmp(&rank(*b, second)).then(by_left)
    });
    Ok(SwapMap {
        nodes: plan.nodes,
        games: search.played(),
        distinct: distinct.count(),
        moves: moves.into_iter().map(|(_, scored)| scored).collect(),
        are_all: first.are_all,
        are_seats_alike,
        score,
    })
}
