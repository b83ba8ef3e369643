//! Which first moves a pie makes fair: games allotted by successive halving, and finalists tested on fresh games.
//!
//! Under the pie the first mover scores, with a first move, the lower of two scores: when the second player keeps the
//! sides, and when it swaps. The fairest first move is the one where this lower score is highest. It is the mean of
//! the two scores, less the distance of the score of the side that made the move from one half. Where all that counts
//! is the side, the mean is the same for every move, and the distance says all. Where the seats differ in more, as in
//! Gravel, whose end is judged after the second player's turns, the mean counts as far as it differs between moves by
//! more than chance.
//!
//! The winner of a comparison of many noisy scores looks better than it is, so the score of the winner comes from games
//! that did not choose it.

use std::f64::consts::{LN_2, PI, SQRT_2};

use crate::intervals::{Estimate, Results};

/// Steps of a bisection.
const HALVINGS: u32 = 50;

/// Moves that are tested on fresh games.
const FINALISTS: usize = 3;

/// Share of the games that choose.
const CHOOSING: f64 = 0.5;

/// Share of the games that choose where fewer give too short a first round.
const MOST_CHOOSING: f64 = 0.6;

/// Pairs of games with each first move in the first round, if the games allow it. With one or two pairs chance decides
/// which moves go on.
const FIRST_PAIRS: u64 = 4;

/// Pairs of games of a round for each move, where more than half of the moves go on.
const PAIRS_OF_MORE: u64 = 2;

/// Share of comparisons in which an answer may be wrong.
const MAX_WRONG: f64 = 0.05;

/// Results of the first mover in games with one first move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MoveGames {
    /// The second player kept the sides.
    pub kept: Results,
    /// The second player swapped.
    pub swapped: Results,
}

impl MoveGames {
    /// Adds a game with the first mover's score in half points: 0, 1 or 2.
    pub fn add(&mut self, answer: Answer, half_points: usize) {
        match answer {
            Answer::Keep => self.kept.add(half_points),
            Answer::Swap => self.swapped.add(half_points),
        }
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.kept.games() + self.swapped.games()
    }

    /// Returns the score of the side that made the first move: its owner's in half of the games, its taker's in the
    /// others. `None` without games.
    pub fn side(&self) -> Option<Estimate> {
        Estimate::of_counts(&self.side_results().by_outcome())
    }

    fn side_results(&self) -> Results {
        self.kept.with(self.swapped.reversed())
    }

    /// Returns the first mover's score if the second player keeps the sides. `None` without such games.
    pub fn if_kept(&self) -> Option<Estimate> {
        Estimate::of_counts(&self.kept.by_outcome())
    }

    /// Returns the first mover's score if the second player swaps. `None` without such games.
    pub fn if_swapped(&self) -> Option<Estimate> {
        Estimate::of_counts(&self.swapped.by_outcome())
    }

    /// Returns the score that the pie leaves the first mover: the lower one of the two answers. `None` without games of
    /// both.
    ///
    /// Where the seats are alike, both answers tell of the side alone, and their games are counted together. The lower of
    /// two noisy scores is too low in the mean, by what chance adds to their distance; this is taken off. Each end of the
    /// interval is the lower one of two, so the whole covers as often as each: the lower end fails only with the interval
    /// of the lower score, the upper end with one of two that each fail half as often.
    pub fn under_pie(&self, are_seats_alike: bool) -> Option<Estimate> {
        let (kept, swapped) = (self.if_kept()?, self.if_swapped()?);
        let error = self.seat_variance().unwrap_or(0.0).sqrt();
        let distance = without_chance(0.5 * (kept.value - swapped.value), error);
        let (value, low, high) = if are_seats_alike {
            let side = self.side()?;
            let (below, above) = (0.5 - side.low, side.high - 0.5);
            (0.5 - distance, 0.5 - below.max(above), 0.5 - (-below).max(-above).max(0.0))
        } else {
            let value = 0.5 * (kept.value + swapped.value) - distance;
            (value, kept.low.min(swapped.low), kept.high.min(swapped.high))
        };
        Some(Estimate { value: value.clamp(low, high), low, high })
    }

    /// Returns what the second player should answer; `None` if games do not say. This number of such statements is true
    /// together in 95 of 100 comparisons.
    pub fn best_answer(&self, statements: u64) -> Option<Answer> {
        let side = self.side_results();
        let is_sure = sign_test(side.wins, side.losses) * statements.max(1) as f64 <= MAX_WRONG;
        if !is_sure {
            None
        } else if side.wins > side.losses {
            Some(Answer::Swap)
        } else {
            Some(Answer::Keep)
        }
    }

    /// Returns how far the side is from one half.
    fn distance(&self) -> f64 {
        let side = self.side_results().sample().mean();
        side.map_or(1.0, |score| (score - 0.5).abs())
    }

    /// Returns the mean of the first mover's scores if the second player keeps the sides and if it swaps. `None`
    /// without games of both. It is one half in a game in which nothing but the side counts.
    fn seat(&self) -> Option<f64> {
        let (kept, swapped) = (self.kept.sample(), self.swapped.sample());
        Some(0.5 * (kept.mean()? + swapped.mean()?))
    }

    /// Returns the variance of [`MoveGames::seat`] by chance, estimated without bias. `None` with fewer than two games
    /// of an answer.
    fn seat_variance(&self) -> Option<f64> {
        let of_mean = |results: &Results| {
            let games = results.games() as f64;
            let mean = results.sample().mean()?;
            let scores = [0.0, 0.5, 1.0].into_iter().zip(results.by_outcome());
            let squares = scores.map(|(score, count)| count as f64 * (score - mean).powi(2));
            let variance = squares.sum::<f64>() / (games - 1.0) / games;
            (games >= 2.0).then_some(variance)
        };
        Some(0.25 * (of_mean(&self.kept)? + of_mean(&self.swapped)?))
    }

    /// Returns the score that the pie leaves the first mover, without an interval. `None` without games of both
    /// answers.
    pub fn left(&self) -> Option<f64> {
        let (kept, swapped) = (self.kept.sample(), self.swapped.sample());
        Some(kept.mean()?.min(swapped.mean()?))
    }
}

/// Returns the distance from 0 whose measurements with a standard error are this large in the mean; 0 if chance alone gives
/// as large ones.
fn without_chance(measured: f64, error: f64) -> f64 {
    let measured = measured.abs();
    if error <= 0.0 {
        return measured;
    }
    // The mean of the folded normal distribution, which grows with the distance.
    let mean = |distance: f64| {
        let root = distance / error / SQRT_2;
        error * (2.0 / PI).sqrt() * libm::exp(-root * root) + distance * libm::erf(root)
    };
    let (mut low, mut high) = (0.0, measured);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        *(if mean(middle) < measured { &mut low } else { &mut high }) = middle;
    }
    0.5 * (low + high)
}

/// Returns the probability of so uneven wins and losses, to either side, if both are equally likely.
fn sign_test(wins: u64, losses: u64) -> f64 {
    let all = (wins + losses) as f64;
    let ln_half = -all * LN_2;
    let term = |count: u64| {
        let (count, others) = (count as f64, all - count as f64);
        libm::exp(libm::lgamma(all + 1.0) - libm::lgamma(count + 1.0) - libm::lgamma(others + 1.0) + ln_half)
    };
    let tail: f64 = (0..=wins.min(losses)).rev().map(term).take_while(|term| *term > 1e-18).sum();
    (2.0 * tail).min(1.0)
}

/// Returns how much of the differences in [`MoveGames::seat`] between moves is not chance, from 0 to 1.
///
/// This is the weight with which an estimate of one move is best mixed with the mean of all (Efron and Morris 1975).
/// The variance between moves is taken a standard error too low: else few games see differences where there are none.
fn seat_weight(moves: &[MoveGames]) -> f64 {
    let seats: Option<Vec<f64>> = moves.iter().map(MoveGames::seat).collect();
    let by_chance: Option<Vec<f64>> = moves.iter().map(MoveGames::seat_variance).collect();
    let (Some(seats), Some(by_chance), 3..) = (seats, by_chance, moves.len()) else {
        return 0.0;
    };
    let count = moves.len() as f64;
    let mean = seats.iter().sum::<f64>() / count;
    let squares = seats.iter().map(|seat| (seat - mean).powi(2)).sum::<f64>();
    let (all, by_chance) = (squares / (count - 1.0), by_chance.iter().sum::<f64>() / count);
    let error = by_chance * (2.0 / (count - 1.0)).sqrt();
    let between = (all - by_chance - error).max(0.0);
    match between + by_chance {
        0.0 => 0.0,
        sum => between / sum,
    }
}

/// The second player's answer to the first move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The second player moves on.
    Keep,
    /// The second player swaps.
    Swap,
}

/// A game to be played: a first move, by its number, and the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trial {
    /// Number of the first move, from 0.
    pub first_move: usize,
    /// Answer of the second player.
    pub answer: Answer,
}

/// Sequential comparison of first moves.
#[derive(Clone, Debug)]
pub struct SwapSearch {
    /// Games that choose, by first move.
    chosen_by: Vec<MoveGames>,
    /// Fresh games, by first move.
    fresh: Vec<MoveGames>,
    /// First moves that are still compared; the finalists, the fairest first, once games are fresh.
    alive: Vec<usize>,
    /// Maximum number of games.
    games: u64,
    /// Maximum number of games that choose.
    choosing: u64,
    /// Pairs of games of this round with each move; none in the finals.
    pairs: u64,
    stage: Stage,
}

/// Part of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Games choose the finalists.
    Rounds,
    /// Fresh games test them.
    Finals,
    /// All games are played.
    Over,
}

impl SwapSearch {
    /// Starts a comparison of a number of first moves, with a maximum number of games. Returns `None` if it is too small
    /// ([`SwapSearch::fewest_games`]).
    pub fn new(moves: usize, games: u64) -> Option<Self> {
        if games < Self::fewest_games(moves) {
            return None;
        }
        let pairs_of = |share: f64| (games as f64 * share) as u64 / 2 / (moves as u64).max(1);
        // Half of the games, if the first round can be long enough without being all.
        let share = if pairs_of(CHOOSING) > FIRST_PAIRS { CHOOSING } else { MOST_CHOOSING };
        let equal = pairs_of(share) / rounds(moves);
        let enough = FIRST_PAIRS.min(pairs_of(share).saturating_sub(1));
        Some(Self {
            chosen_by: vec![MoveGames::default(); moves],
            fresh: vec![MoveGames::default(); moves],
            alive: (0..moves).collect(),
            games,
            choosing: (games as f64 * share) as u64,
            pairs: equal.max(enough).max(1),
            stage: Stage::Rounds,
        })
    }

    /// Returns the fewest games for a comparison of a number of first moves: a pair for each.
    pub fn fewest_games(moves: usize) -> u64 {
        (2.0 * moves as f64 / MOST_CHOOSING).ceil() as u64
    }

    /// Returns the number of games that makes a comparison worth its while: a long first round, and half as many games
    /// for the later ones.
    pub fn enough_games(moves: usize) -> u64 {
        3 * FIRST_PAIRS * Self::fewest_games(moves) / 2
    }

    /// Returns the games to be played next; none at the end.
    pub fn next(&self) -> Vec<Trial> {
        let trials = |first_move: usize, pairs: u64| {
            let answers = [Answer::Keep, Answer::Swap].into_iter().cycle();
            let answers = answers.take(2 * pairs as usize);
            answers.map(move |answer| Trial { first_move, answer })
        };
        let alive = self.alive.iter();
        match self.stage {
            Stage::Rounds => alive.flat_map(|&first_move| trials(first_move, self.pairs)).collect(),
            Stage::Finals => {
                // Half of them for the fairest move, as its score is the answer.
                let left = self.games.saturating_sub(self.played());
                let others = (self.alive.len() as u64).saturating_sub(1);
                let each = (left / 4).checked_div(others).unwrap_or(0);
                let of_first = left / 2 - others * each;
                let pairs = |place: usize| if place == 0 { of_first } else { each };
                alive.enumerate().flat_map(|(place, &first_move)| trials(first_move, pairs(place))).collect()
            }
            Stage::Over => Vec::new(),
        }
    }

    /// Adds a game with the first mover's score in half points: 0, 1 or 2.
    pub fn add(&mut self, trial: Trial, half_points: usize) {
        let games = match self.stage {
            Stage::Rounds => &mut self.chosen_by,
            _ => &mut self.fresh,
        };
        if let Some(games) = games.get_mut(trial.first_move) {
            games.add(trial.answer, half_points);
        }
    }

    /// Ends a round, once all of its games are added: keeps the fairer half of the moves, and those that are as fair as
    /// the last of it where games are left for them.
    pub fn end_round(&mut self) {
        if self.stage != Stage::Rounds {
            self.stage = Stage::Over;
            return;
        }
        let of = |first_move: &usize| self.chosen_by.get(*first_move).copied();
        let compared: Vec<MoveGames> = self.alive.iter().filter_map(of).collect();
        let weight = seat_weight(&compared);
        // How much less than others the pie leaves with a first move.
        let unfairness = |first_move: &usize| {
            let games = of(first_move).unwrap_or_default();
            games.distance() - weight * games.seat().unwrap_or(0.0)
        };
        self.alive.sort_by(|a, b| unfairness(a).total_cmp(&unfairness(b)));
        let moves = self.alive.len();
        let pairs_left = self.choosing.saturating_sub(self.played()) / 2;
        let of_round = pairs_left.checked_div(rounds(moves) - 1);
        let Some(of_round) = of_round.filter(|_| pairs_left >= FINALISTS as u64) else {
            self.alive.truncate(FINALISTS);
            self.stage = Stage::Finals;
            return;
        };
        let half = moves.div_ceil(2).min(pairs_left as usize);
        let most = (moves * 3 / 4).min((of_round / PAIRS_OF_MORE) as usize);
        let line = self.alive.get(half - 1).map(unfairness);
        let others = self.alive.iter().take(most).skip(half);
        let as_fair = others.take_while(|&first_move| Some(unfairness(first_move)) == line);
        let kept = half + as_fair.count();
        self.alive.truncate(kept);
        self.pairs = (of_round / kept as u64).max(1);
    }

    /// Returns the number of games played.
    pub fn played(&self) -> u64 {
        let games = self.chosen_by.iter().chain(&self.fresh);
        games.map(MoveGames::games).sum()
    }

    /// Returns the largest number of games.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Returns the fairest first move by the games that choose, once these are over.
    pub fn fairest(&self) -> Option<usize> {
        (self.stage != Stage::Rounds).then(|| self.alive.first().copied()).flatten()
    }

    /// Returns the games that describe a first move, and true if they are fresh.
    pub fn games_of(&self, first_move: usize) -> (MoveGames, bool) {
        let fresh = self.fresh.get(first_move).filter(|games| games.games() > 0);
        match fresh {
            Some(games) => (*games, true),
            None => {
                let games = self.chosen_by.get(first_move);
                (games.copied().unwrap_or_default(), false)
            }
        }
    }

    /// Returns true if nothing but the side counts, as far as all games say: then the first mover scores in both answers
    /// together one half.
    pub fn are_seats_alike(&self) -> bool {
        let moves = self.chosen_by.iter().chain(&self.fresh).filter(|games| games.games() > 0);
        let moves: Vec<MoveGames> = moves.copied().collect();
        let all = moves.iter().fold(Results::default(), |all, games| all.with(games.kept).with(games.swapped));
        Estimate::of_counts(&all.by_outcome()).is_none_or(|score| score.contains(0.5)) && seat_weight(&moves) == 0.0
    }

    /// Returns the number of statements about answers that a comparison may make: one for each move.
    pub fn statements(&self) -> u64 {
        self.chosen_by.len() as u64
    }

    /// Returns the moves that are still compared.
    pub fn alive(&self) -> &[usize] {
        &self.alive
    }
}

/// Returns the number of rounds until few moves are left.
fn rounds(moves: usize) -> u64 {
    let (mut left, mut rounds) = (moves, 1);
    while left > 2 * FINALISTS {
        left = left.div_ceil(2);
        rounds += 1;
    }
    rounds
}
