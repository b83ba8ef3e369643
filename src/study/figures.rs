//! The figures of a study: pure functions of its records. `docs/studies.md` defines each.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::Serialize;

use super::balance::{self, Answers};
use super::error::StudyError;
use super::folder::Folder;
use super::game_figures::{GameFigures, LEAD_MARGIN};
use super::mirroring::{MirrorFigures, MirrorGame, MirroringStrategy};
use super::plan::{Part, Series, StudyPlan};
use super::score::{Quantiles, Score};
use crate::board::Key;
use crate::games;
use crate::intervals::{DIGITS, Estimate, rounded};
use crate::record::GameRecord;
use crate::rules::{Board, Color};
use crate::threads;

/// Version of the schema of `study.json`.
pub const SCHEMA: u32 = 1;

/// Expected scores below which the winner of a game has come back.
pub const COMEBACKS: [f64; 3] = [0.4, 0.25, 0.1];

/// Maximum number of groups of plies in [`PlyChoices`].
const MAX_GROUPS: u32 = 60;

/// Logarithm of the factor by which a positive estimate exceeds the true mean in at most 5 % of the cases (Markov).
const MARKOV_95: f64 = 1.301_029_995_663_981_2;

/// All figures of a study.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Study {
    /// Version of the schema.
    pub schema: u32,
    /// Canonical variant.
    pub variant: String,
    /// Program that played.
    pub program: String,
    /// Command that plays the same games.
    pub command: String,
    /// Seed.
    pub seed: u64,
    /// Beginning of the games.
    pub opening: Opening,
    /// Color of the player who moves first.
    pub first_mover: &'static str,
    /// True if the players may swap.
    pub pie: bool,
    /// The answers in plain words.
    pub summary: Vec<String>,
    /// Answers to the questions of balance.
    pub balance: Answers,
    /// Figures by strength, the weakest first.
    pub strengths: Vec<StrengthFigures>,
    /// Numbers of positions.
    pub state_space: StateSpace,
    /// Number of all possible games; `None` without random games.
    pub game_tree: Option<GameTree>,
    /// The shortest game of all strengths.
    pub shortest: Option<ShortestGame>,
}

/// Beginning of the games of a study.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Opening {
    /// Number of random steps.
    pub random_steps: u32,
    /// First turn of random steps.
    pub random_from: u32,
    /// The same in words.
    pub text: String,
}

/// The figures of a strength.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct StrengthFigures {
    /// Nodes a move; 0 for random play.
    pub strength: u64,
    /// Number of games.
    pub games: u64,
    /// Number of different games.
    pub distinct_games: u64,
    /// Number of different openings.
    pub distinct_openings: u64,
    /// Score of the player who moves first.
    pub first_mover: Score,
    /// Score of the stones that move first, whoever owns them after a swap; `None` without the pie.
    pub first_stones: Option<Score>,
    /// Share of the games in which the position was swapped; `None` without the pie.
    pub swaps: Option<Estimate>,
    /// Share of the games that were drawn.
    pub draws: Estimate,
    /// Ends of the games by reason, the most frequent first.
    pub ends: Vec<End>,
    /// Moves of both players in a game.
    pub moves: Length,
    /// Steps of both players in a game.
    pub steps: Length,
    /// Numbers of games by number of moves: won by the first mover, drawn, lost.
    pub lengths: Vec<(u32, [u64; 3])>,
    /// Legal steps.
    pub branching: Branching,
    /// Share of the steps after the opening that are the only legal one, by game.
    pub forced: Option<Estimate>,
    /// Decisions a game, after the opening.
    pub decisions: Estimate,
    /// Changes of the lead in a game.
    pub lead_changes: Option<Estimate>,
    /// Drama of a decided game.
    pub drama: Option<Estimate>,
    /// Decisiveness threshold of a decided game: the highest expected score that its loser had.
    pub decisiveness_threshold: Option<Estimate>,
    /// Share of the searched moves that come after the winner's expected score exceeds that threshold for good.
    pub decisive_moves: Option<Estimate>,
    /// Shares of the decided games whose winner was behind.
    pub comebacks: Vec<Comeback>,
    /// Mirroring by the second player.
    pub mirroring: MirrorFigures,
    /// Results of a player who mirrors; `None` without such games.
    pub mirroring_strategy: Option<MirroringStrategy>,
    /// Logarithm to base 10 of the product of the numbers of legal steps, in a mean game.
    pub log10_choices: Estimate,
}

/// Games that end for a reason.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct End {
    /// Reason, a word of the game's page.
    pub reason: String,
    /// Number of games.
    pub games: u64,
    /// Games won by the first mover.
    pub first_mover_wins: u64,
    /// Games drawn.
    pub draws: u64,
}

/// Lengths of games.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Length {
    /// Mean.
    pub mean: Estimate,
    /// Quantiles.
    pub quantiles: Quantiles,
}

/// Numbers of legal steps.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Branching {
    /// Mean over the positions of a game, averaged over games.
    pub mean: Estimate,
    /// Geometric mean over the positions of a game, averaged over games.
    pub geometric_mean: Estimate,
    /// Quantiles over all positions.
    pub quantiles: Quantiles,
    /// Quantiles by ply.
    pub by_ply: Vec<PlyChoices>,
}

/// Numbers of legal steps at some plies.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct PlyChoices {
    /// First ply, from 1.
    pub from: u32,
    /// Last ply.
    pub to: u32,
    /// Number of positions.
    pub positions: u64,
    /// Quantiles.
    pub quantiles: Quantiles,
}

/// Games whose winner was behind.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Comeback {
    /// Expected score of the winner that it was below.
    pub below: f64,
    /// Share of the decided games.
    #[serde(flatten)]
    pub estimate: Option<Estimate>,
}

/// Bounds of the number of positions, as logarithms to base 10.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct StateSpace {
    /// Different positions in the records.
    pub positions_seen: u64,
    /// Their logarithm, a lower bound.
    pub log10_at_least: f64,
    /// Upper bound for boards with a side to move, legal or not.
    pub log10_at_most: f64,
    /// Number of contents that a cell can have, empty included.
    pub contents_of_a_cell: u32,
    /// Number of cells.
    pub cells: u64,
}

/// Number of leaves of the game tree, as logarithms to base 10.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct GameTree {
    /// Unbiased estimate.
    pub log10_estimate: f64,
    /// Lower bound that holds in 95 % of studies.
    pub log10_at_least: f64,
    /// Share of the estimate that comes from the single largest game, from 0 to 1.
    pub largest_share: f64,
    /// Number of random games.
    pub games: u64,
}

/// A game with the fewest moves.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct ShortestGame {
    /// Its strength.
    pub strength: u64,
    /// Its number.
    pub game: u64,
    /// Number of its moves.
    pub moves: u32,
    /// Number of its steps.
    pub steps: u32,
    /// Number of its random moves at the start.
    pub opening_moves: u32,
    /// Result in words.
    pub result: String,
    /// Reason of the end.
    pub reason: String,
    /// Its moves.
    pub text: Vec<String>,
}

impl Study {
    /// Computes the figures of the records of a folder, and adds answers to the questions of balance.
    ///
    /// # Errors
    /// Names the first game that breaks the rules, in order of strength and number.
    pub fn of(folder: &Folder, plan: &StudyPlan, answers: Answers) -> Result<Self, StudyError> {
        let board = games::open(&plan.variant).ok_or_else(|| StudyError::NotOpened(plan.variant.clone()))?;
        let first = plan.variant.info().first;
        let pie = plan.variant.switch("pie");
        let mut keys: HashSet<Key> = HashSet::new();
        let mut strengths: Vec<StrengthFigures> = Vec::new();
        let mut game_tree = None;
        let mut shortest: Option<((u32, u32), ShortestGame)> = None;
        for part in folder.parts() {
            let nodes = part.nodes;
            if part.series == Series::Mirroring {
                let conditions = plan.conditions(part);
                let mirror = |number: u64| conditions.mirror(number).unwrap_or(Color::White);
                let games = of_games(folder, part, |game| MirrorGame::of(game, &*board, mirror(game.game)))?;
                if let Some(figures) = strengths.iter_mut().find(|of| of.strength == nodes) {
                    figures.mirroring_strategy = MirroringStrategy::of(&games);
                }
                continue;
            }
            let mut games = of_games(folder, part, |game| GameFigures::of(game, &*board))?;
            for (figures, (record, _)) in games.iter_mut().zip(folder.games(part)) {
                keys.extend(std::mem::take(&mut figures.keys));
                let length = (figures.moves, figures.steps());
                if shortest.as_ref().is_none_or(|(least, _)| length < *least) {
                    shortest = Some((length, shortest_game(nodes, figures, record)));
                }
            }
            if nodes == 0 {
                game_tree = GameTree::of(&games);
            }
            strengths.extend(StrengthFigures::of(nodes, &games, pie));
        }
        let mut study = Self {
            schema: SCHEMA,
            variant: plan.variant.to_string(),
            program: format!("pentalith {}", env!("CARGO_PKG_VERSION")),
            command: balance::command(plan, balance::seeds_of(&answers)),
            seed: plan.seed,
            opening: Opening { random_steps: plan.random_steps, random_from: plan.random_from, text: plan.opening() },
            first_mover: name(first),
            pie,
            summary: Vec::new(),
            balance: answers,
            strengths,
            state_space: StateSpace::new(&*board, keys.len() as u64),
            game_tree,
            shortest: shortest.map(|(_, game)| game),
        };
        study.summary = super::summary::summary(&study);
        Ok(study)
    }

    /// Returns the figures as JSON.
    pub fn json(&self) -> String {
        // Serializing figures can't fail: they are finite numbers and texts.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// Computes something of each game of a part, in order.
fn of_games<T: Send + Sync>(
    folder: &Folder,
    part: Part,
    compute: impl Fn(&GameRecord) -> Result<T, String> + Sync,
) -> Result<Vec<T>, StudyError> {
    let records = folder.games(part);
    let computed = threads::map(records.len(), |index| {
        let (game, path) = records.get(index)?;
        Some(compute(game).map_err(|why| StudyError::game(path, game.game, format!("breaks the rules: {why}"))))
    });
    // In order, so that the first error is always the same.
    computed.into_iter().flatten().collect()
}

/// Returns the name of a color, as in sentences.
pub(super) fn name(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}

fn shortest_game(nodes: u64, game: &GameFigures, record: &GameRecord) -> ShortestGame {
    ShortestGame {
        strength: nodes,
        game: game.game,
        moves: game.moves,
        steps: game.steps(),
        opening_moves: game.opening_moves,
        result: record.result.to_string(),
        reason: record.reason.clone(),
        text: record.moves.iter().map(|made| made.text.clone()).collect(),
    }
}

impl StrengthFigures {
    /// Computes the figures of some games; `None` without games.
    pub fn of(nodes: u64, games: &[GameFigures], pie: bool) -> Option<Self> {
        let count = games.len() as u64;
        let mean = |value: &dyn Fn(&GameFigures) -> f64| {
            let values: Vec<f64> = games.iter().map(value).collect();
            Estimate::of_mean(&values)
        };
        let length = |value: &dyn Fn(&GameFigures) -> u32| {
            Some(Length {
                mean: mean(&|game| value(game).into())?,
                quantiles: Quantiles::of(games.iter().map(value).collect())?,
            })
        };
        let of_values = |value: &dyn Fn(&[f64]) -> f64| {
            let values = games.iter().filter(|game| !game.values.is_empty());
            let values: Vec<f64> = values.map(|game| value(&game.values)).collect();
            Estimate::of_mean(&values)
        };
        let of_winners = |value: &dyn Fn(&[f64]) -> f64| {
            let values = games.iter().filter_map(GameFigures::winner_values);
            let values: Vec<f64> = values.map(|values| value(&values)).collect();
            Estimate::of_mean(&values)
        };
        let winners: Vec<Vec<f64>> = games.iter().filter_map(GameFigures::winners_own_values).collect();
        let comeback = |&below: &f64| {
            let behind = |values: &&Vec<f64>| values.iter().any(|&value| value < below);
            let behind = winners.iter().filter(behind).count() as u64;
            Comeback { below, estimate: Estimate::of_share(behind, winners.len() as u64) }
        };
        let stones = |game: &GameFigures| if game.swapped { 2 - game.half_points } else { game.half_points };
        let swapped = games.iter().filter(|game| game.swapped).count() as u64;
        let drawn = games.iter().filter(|game| game.half_points == 1).count() as u64;
        let different = |key: &dyn Fn(&GameFigures) -> u64| {
            let keys: BTreeSet<u64> = games.iter().map(key).collect();
            keys.len() as u64
        };
        let mut lengths: BTreeMap<u32, [u64; 3]> = BTreeMap::new();
        for game in games {
            let counts = lengths.entry(game.moves).or_default();
            if let Some(count) = counts.get_mut(2 - game.half_points.min(2)) {
                *count += 1;
            }
        }
        let forced = games.iter().filter(|game| game.chosen() > 0);
        let forced: Vec<f64> = forced.map(|game| f64::from(game.forced()) / f64::from(game.chosen())).collect();
        Some(Self {
            strength: nodes,
            games: count,
            distinct_games: different(&|game| game.line),
            distinct_openings: different(&|game| game.opening),
            first_mover: Score::of(games.iter().map(|game| game.half_points))?,
            first_stones: Score::of(games.iter().map(stones)).filter(|_| pie),
            swaps: Estimate::of_share(swapped, count).filter(|_| pie),
            draws: Estimate::of_share(drawn, count)?,
            ends: ends(games),
            moves: length(&|game| game.moves)?,
            steps: length(&|game| game.steps())?,
            lengths: lengths.into_iter().collect(),
            branching: Branching::of(games)?,
            forced: Estimate::of_mean(&forced),
            decisions: mean(&|game| game.decisions)?,
            lead_changes: of_values(&lead_changes),
            drama: of_winners(&drama),
            decisiveness_threshold: of_winners(&threshold),
            decisive_moves: of_winners(&decisive_moves),
            comebacks: if winners.is_empty() { Vec::new() } else { COMEBACKS.iter().map(comeback).collect() },
            mirroring: MirrorFigures::of(games),
            mirroring_strategy: None,
            log10_choices: mean(&GameFigures::log_choices)?,
        })
    }
}

fn ends(games: &[GameFigures]) -> Vec<End> {
    let mut ends: Vec<End> = Vec::new();
    for game in games {
        let place = ends.iter().position(|end| end.reason == game.reason);
        let place = place.unwrap_or_else(|| {
            ends.push(End { reason: game.reason.clone(), games: 0, first_mover_wins: 0, draws: 0 });
            ends.len() - 1
        });
        if let Some(end) = ends.get_mut(place) {
            end.games += 1;
            end.first_mover_wins += u64::from(game.half_points == 2);
            end.draws += u64::from(game.half_points == 1);
        }
    }
    ends.sort_by(|a, b| b.games.cmp(&a.games).then_with(|| a.reason.cmp(&b.reason)));
    ends
}

/// Counts how often the lead passes from one player to the other, of expected scores of one player.
///
/// Who leads by less than [`LEAD_MARGIN`] does not lead, but nobody else does either.
pub fn lead_changes(values: &[f64]) -> f64 {
    let mut leader = None;
    let mut changes = 0.0;
    for value in values {
        let leads = match value - 0.5 {
            lead if lead > LEAD_MARGIN => true,
            lead if lead < -LEAD_MARGIN => false,
            _ => continue,
        };
        if leader.is_some_and(|leader| leader != leads) {
            changes += 1.0;
        }
        leader = Some(leads);
    }
    changes
}

/// Returns the drama of a game (Browne 2008, average drama), of expected scores of the winner: the mean over the
/// positions in which the winner is behind of the square root of how far.
pub fn drama(values: &[f64]) -> f64 {
    let behind = values.iter().map(|value| 1.0 - 2.0 * value).filter(|&deficit| deficit > 0.0);
    let behind: Vec<f64> = behind.map(f64::sqrt).collect();
    behind.iter().sum::<f64>() / behind.len().max(1) as f64
}

/// Returns the highest expected score of the loser, of expected scores of the winner.
pub fn threshold(values: &[f64]) -> f64 {
    values.iter().map(|value| 1.0 - value).fold(0.0, f64::max)
}

/// Returns the share of the moves from the one on after which the winner's expected score stays above the threshold.
pub fn decisive_moves(values: &[f64]) -> f64 {
    let threshold = threshold(values);
    let last = values.iter().rposition(|&value| value <= threshold);
    let decisive = values.len() - last.map_or(0, |last| last + 1);
    decisive as f64 / values.len().max(1) as f64
}

impl Branching {
    fn of(games: &[GameFigures]) -> Option<Self> {
        let played = games.iter().filter(|game| !game.choices.is_empty());
        let mean = |game: &GameFigures| {
            let sum: f64 = game.choices.iter().map(|&count| f64::from(count)).sum();
            sum / game.choices.len() as f64
        };
        let geometric = |game: &GameFigures| libm::exp10(game.log_choices() / game.choices.len() as f64);
        let means: Vec<f64> = played.clone().map(mean).collect();
        let geometric: Vec<f64> = played.map(geometric).collect();
        let all: Vec<u32> = games.iter().flat_map(|game| game.choices.iter().copied()).collect();
        let longest = games.iter().map(GameFigures::steps).max().unwrap_or(0);
        let width = longest.div_ceil(MAX_GROUPS).max(1);
        let groups = (0..longest.div_ceil(width)).filter_map(|group| {
            let (from, to) = (group * width, ((group + 1) * width).min(longest));
            let of_game = |game: &GameFigures| {
                let to = (to as usize).min(game.choices.len());
                game.choices.get(from as usize..to).unwrap_or_default().to_vec()
            };
            let counts: Vec<u32> = games.iter().flat_map(of_game).collect();
            Some(PlyChoices { from: from + 1, to, positions: counts.len() as u64, quantiles: Quantiles::of(counts)? })
        });
        Some(Self {
            mean: Estimate::of_mean(&means)?,
            geometric_mean: Estimate::of_mean(&geometric)?,
            by_ply: groups.collect(),
            quantiles: Quantiles::of(all)?,
        })
    }
}

impl StateSpace {
    fn new(board: &dyn Board, positions_seen: u64) -> Self {
        let cells = board.shape().len() as u64;
        let contents_of_a_cell = board.cell_contents();
        let sides = libm::log10(2.0);
        let at_most = cells as f64 * libm::log10(f64::from(contents_of_a_cell)) + sides;
        Self {
            positions_seen,
            log10_at_least: rounded(libm::log10(positions_seen.max(1) as f64), DIGITS),
            log10_at_most: rounded(at_most, DIGITS),
            contents_of_a_cell,
            cells,
        }
    }
}

impl GameTree {
    /// Estimates the number of leaves from uniformly random games (Knuth 1975).
    pub fn of(games: &[GameFigures]) -> Option<Self> {
        let logs: Vec<f64> = games.iter().map(GameFigures::log_choices).collect();
        let largest = logs.iter().copied().reduce(f64::max)?;
        let sum: f64 = logs.iter().map(|log| libm::exp10(log - largest)).sum();
        let estimate = largest + libm::log10(sum / logs.len() as f64);
        Some(Self {
            log10_estimate: rounded(estimate, DIGITS),
            log10_at_least: rounded((estimate - MARKOV_95).max(0.0), DIGITS),
            largest_share: rounded(1.0 / sum, DIGITS),
            games: logs.len() as u64,
        })
    }
}
