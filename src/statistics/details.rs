//! Details of the games of one variant that a page of statistics shows.

use std::collections::{BTreeMap, BTreeSet};

use super::sprt::Sprt;
use super::tally::{Pairs, Tally, estimate, sample};
use crate::intervals::{Results, Sample};
use crate::record::GameRecord;

/// Number of remembered states of a history at which every second one is dropped.
const MAX_STATES: usize = 512;

/// Details of the games of one variant.
#[derive(Clone, Default, Debug)]
pub struct Details {
    /// First and last date, as records have them.
    pub dates: Option<(String, String)>,
    /// Conditions of the games.
    pub conditions: BTreeSet<String>,
    /// Seeds of the matches.
    pub seeds: BTreeSet<u64>,
    /// Results of the first mover, by number of moves.
    pub lengths: BTreeMap<u64, Results>,
    /// History of each pairing, by indices of the engines.
    pub histories: BTreeMap<(usize, usize), History>,
}

impl Details {
    /// Adds a game that the tally has counted, between these engines.
    pub(super) fn add(&mut self, game: &GameRecord, tally: &Tally, engines: (usize, usize)) {
        let date = &game.date;
        match &mut self.dates {
            None => self.dates = Some((date.clone(), date.clone())),
            Some((first, last)) => {
                if date < first {
                    first.clone_from(date);
                }
                if date > last {
                    last.clone_from(date);
                }
            }
        }
        if let Some(conditions) = &game.conditions
            && !self.conditions.contains(conditions)
        {
            self.conditions.insert(conditions.clone());
        }
        self.seeds.insert(game.seed);
        let length = self.lengths.entry(game.moves.len() as u64).or_default();
        length.add(game.half_points(tally.first));
        if let Some(head_to_head) = tally.head_to_heads.get(&engines) {
            let history = self.histories.entry(engines).or_default();
            history.add(head_to_head.results(), head_to_head.pairs);
        }
    }
}

/// History of a pairing: its counts after some of its games.
#[derive(Clone, Debug)]
pub struct History {
    states: Vec<(Results, Pairs)>,
    /// Counts after the last game.
    last: (Results, Pairs),
    /// Number of games between two states.
    interval: u64,
}

impl Default for History {
    fn default() -> Self {
        Self { states: Vec::new(), last: Default::default(), interval: 1 }
    }
}

/// Estimate of the first engine's score after some games.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HistoryPoint {
    /// Number of games.
    pub games: u64,
    /// Mean score, from 0 to 1.
    pub mean: f64,
    /// 95 % interval of the score.
    pub interval: (f64, f64),
    /// Log-likelihood ratio of a test.
    pub ratio: Option<f64>,
}

impl History {
    /// Adds the counts after a game.
    pub fn add(&mut self, results: Results, pairs: Pairs) {
        self.last = (results, pairs);
        if !results.games().is_multiple_of(self.interval) {
            return;
        }
        self.states.push(self.last);
        if self.states.len() >= MAX_STATES {
            self.interval *= 2;
            let interval = self.interval;
            self.states.retain(|(results, _)| results.games().is_multiple_of(interval));
        }
    }

    /// Returns at most `most` points with about equal numbers of games between them, up to a number of games. The last
    /// one is that of all games, if there are not more of them.
    pub fn points(&self, most: usize, games: u64, sprt: Option<&Sprt>) -> Vec<HistoryPoint> {
        let (last, _) = self.last;
        let behind = self.states.last().is_none_or(|(results, _)| *results != last);
        let states = self.states.iter().chain(behind.then_some(&self.last));
        let states = states.filter(|(results, _)| results.games() <= games);
        let states: Vec<&(Results, Pairs)> = states.collect();
        // Every n-th state, counted from the end.
        let step = states.len().div_ceil(most.max(1)).max(1);
        let mut chosen: Vec<&(Results, Pairs)> = states.into_iter().rev().step_by(step).collect();
        chosen.reverse();
        let point = |(results, pairs): &(Results, Pairs)| {
            let sample = sample(results, pairs);
            Some(HistoryPoint {
                games: results.games(),
                mean: sample.mean()?,
                interval: estimate(results, pairs).map(|estimate| (estimate.low, estimate.high))?,
                ratio: sprt.map(|sprt| sprt.log_likelihood_ratio(&Sample::new(pairs))),
            })
        };
        chosen.into_iter().filter_map(point).collect()
    }
}
