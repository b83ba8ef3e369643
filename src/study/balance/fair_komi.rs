//! Games for the fair komi.

use super::komi::KomiSearch;
use super::question::QuestionPlan;
use super::{Distinct, at_komi, first_mover_score, no_komi};
use crate::games;
use crate::intervals::Estimate;
use crate::intervals::curve::{Crossing, Curve};
use crate::record::GameRecord;
use crate::rules::{Board, Color, HalfPoints, ValueKind, Variant};
use crate::study::error::StudyError;
use crate::study::player::Job;
use crate::study::store::Runner;

/// Half the length of the interval at which the search ends, in points.
const PRECISION: f64 = 0.5;

/// The fair komi at one strength.
#[derive(Clone, Debug)]
pub struct FairKomi {
    /// Nodes of each search; 0 for random play.
    pub nodes: u64,
    /// The komi, with its interval and the spread of the curve.
    pub crossing: Crossing,
    /// Results by komi.
    pub curve: Curve,
    /// Number of different games.
    pub distinct: u64,
    /// True if the interval is as short as it should be.
    pub is_precise: bool,
    /// True if a stop signal ended the games early.
    pub is_interrupted: bool,
    /// The answer of each seed, if there are several; `crossing` pools them.
    pub seeds: Vec<SeedKomi>,
}

/// The fair komi by the games of one of several seeds.
#[derive(Clone, Debug)]
pub struct SeedKomi {
    /// Seed.
    pub seed: u64,
    /// The komi.
    pub place: Estimate,
    /// Number of games.
    pub games: u64,
}

/// Returns the lowest and the highest komi that could be fair on a board.
///
/// # Errors
/// If the variant has no komi, or says already how the game is balanced.
pub fn komi_range(variant: &Variant) -> Result<(HalfPoints, HalfPoints), StudyError> {
    let keys = variant.info().keys.iter();
    let mut komi = keys.filter(|key| key.name == "komi").map(|key| &key.kind);
    let Some(&ValueKind::HalfPoints { min, max }) = komi.next() else {
        return Err(StudyError::Unfit(no_komi(variant)));
    };
    let name = variant.info().name;
    if variant.switch("pie") {
        return Err(StudyError::Unfit(format!(
            "\"{variant}\": with the pie the second player chooses a side, and no komi is wanted: expected pie=off, \
             or pentalith balance swap {variant}"
        )));
    }
    if variant.half_points("komi") != HalfPoints(0) {
        return Err(StudyError::Unfit(format!(
            "\"{variant}\": the fair komi is what is looked for: expected {name} without komi"
        )));
    }
    // Nobody can win by more than the whole board.
    let cells = i32::try_from(variant.size().shape().len()).unwrap_or(i32::MAX / 4);
    let most = HalfPoints(2 * cells + 2);
    let range = (min.0.max(-most.0), max.0.min(most.0));
    Ok((HalfPoints(range.0), HalfPoints(range.1)))
}

/// Looks for the fair komi of a variant at one strength, with at most `games` of the games of a plan.
///
/// # Errors
/// As [`komi_range`], or if games can't be played to their end. If they are stopped, the games until then give an answer.
pub fn fair_komi(
    variant: &Variant,
    games: u64,
    plan: &QuestionPlan,
    runner: &mut Runner<'_>,
) -> Result<FairKomi, StudyError> {
    let mut search = KomiSearch::new(komi_range(variant)?, games, PRECISION);
    let without = games::open(variant).ok_or_else(|| StudyError::NotOpened(variant.clone()))?;
    let mut is_interrupted = false;
    let mut distinct = Distinct::default();
    loop {
        let mut komis = search.next();
        if komis.is_empty() {
            break;
        }
        // Games at the same komi follow each other: a thread then opens the variant once.
        komis.sort();
        let conditions = komis.chunk_by(|one, next| one == next).map(|equal| {
            let komi = equal.first().copied().unwrap_or_default();
            let variant = at_komi(variant, komi)?;
            Ok((plan.conditions(&variant), equal.len()))
        });
        let conditions = conditions.collect::<Result<Vec<_>, StudyError>>()?;
        let played = search.curve().games();
        let jobs = conditions.iter();
        let jobs = jobs.flat_map(|(conditions, games)| std::iter::repeat_n(conditions, *games));
        // Every game has a number of its own, and so an opening of its own.
        let jobs = jobs.zip(played + 1..);
        let jobs: Vec<Job<'_>> = jobs.map(|(conditions, number)| Job { conditions, number }).collect();
        let after = search.games_left() - jobs.len() as u64;
        let wants_margins = search.wants_margins();
        let done = runner.play(&jobs, (played, after), |place, game| {
            distinct.add(game);
            let margin = wants_margins.then(|| margin(&*without, game)).flatten();
            let komi = komis.get(place).copied().unwrap_or_default();
            search.add(komi, first_mover_score(variant, game), margin);
        });
        match done {
            Ok(()) => {}
            // The games until now are an answer, too.
            Err(StudyError::Interrupted) if search.curve().games() > 0 => {
                is_interrupted = true;
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(FairKomi {
        nodes: plan.nodes,
        crossing: search.crossing(),
        is_precise: search.is_precise(),
        is_interrupted,
        curve: search.curve().clone(),
        distinct: distinct.count(),
        seeds: Vec::new(),
    })
}

/// Looks for the fair komi with each seed of a plan, and pools the answers with the variance between them.
///
/// # Errors
/// As [`fair_komi`].
pub fn fair_komi_of_seeds(
    variant: &Variant,
    plan: &QuestionPlan,
    runner: &mut Runner<'_>,
) -> Result<FairKomi, StudyError> {
    let mut pooled = fair_komi(variant, plan.max_games, plan, runner)?;
    let of = |fair: &FairKomi, seed: u64| SeedKomi { seed, place: fair.crossing.place, games: fair.curve.games() };
    let mut seeds = vec![of(&pooled, plan.seed)];
    let mut spreads = pooled.crossing.spread;
    for number in 1..plan.seeds {
        let seed = plan.seed.wrapping_add(number);
        let fair = match fair_komi(variant, plan.max_games, &QuestionPlan { seed, ..plan.clone() }, runner) {
            Ok(fair) if !fair.is_interrupted => fair,
            // The complete seeds are an answer.
            Ok(_) | Err(StudyError::Interrupted) => {
                pooled.is_interrupted = true;
                break;
            }
            Err(error) => return Err(error),
        };
        seeds.push(of(&fair, seed));
        spreads += fair.crossing.spread;
        fair.curve.points().iter().for_each(|point| pooled.curve.add(point.x, point.results));
        pooled.distinct += fair.distinct;
        pooled.crossing.is_local |= fair.crossing.is_local;
    }
    let places: Vec<Estimate> = seeds.iter().map(|seed| seed.place).collect();
    if let (Some(place), 2..) = (Estimate::pooled(&places), seeds.len()) {
        pooled.crossing.place = place;
        pooled.crossing.spread = spreads / seeds.len() as f64;
        pooled.is_precise = place.width() <= 2.0 * PRECISION;
        pooled.seeds = seeds;
    }
    Ok(pooled)
}

/// Returns the points by which the first mover is ahead at the end of a game, on a board without komi.
fn margin(without: &dyn Board, game: &GameRecord) -> Option<f64> {
    let mut board = without.fork();
    for made in &game.moves {
        for text in made.text.split(',') {
            let step = board.find_step(text).ok()?;
            board.make(step);
        }
    }
    let first: Color = board.variant().info().first;
    let margin = f64::from(board.margin()?.0) / 2.0;
    let winner = board.outcome()?.winner;
    Some(if winner == Some(first) { margin } else { -margin })
}
