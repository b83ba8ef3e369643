//! Counts of games by engine, seat, opening pair and cause.

use std::collections::hash_map::{DefaultHasher, Entry};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};

use super::sprt::{Decision, Sprt};
use crate::intervals::{Estimate, Results, Sample};
use crate::record::{Cause, GameRecord, Seat};
use crate::rules::Color;

/// Number of game pairs by score: 0, 1, 2, 3 and 4 half points.
pub type Pairs = [u64; 5];

fn count(pairs: &mut Pairs, half_points: usize) {
    if let Some(count) = pairs.get_mut(half_points) {
        *count += 1;
    }
}

/// The end of a sequential test, at the first crossing of a bound. Later games don't change it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TestEnd {
    /// The decision.
    pub decision: Decision,
    /// Log-likelihood ratio of the crossing.
    pub ratio: f64,
    /// Number of games up to the crossing.
    pub games: u64,
}

/// Results between two engines.
#[derive(Clone, Default, Debug)]
pub struct HeadToHead {
    /// Results of the first engine when it moved first.
    pub moving_first: Results,
    /// Results of the first engine when it moved second.
    pub moving_second: Results,
    /// Results of the first engine by pairs of games from the same opening with seats exchanged.
    pub pairs: Pairs,
    /// End of the sequential test of the first engine.
    pub decided: Option<TestEnd>,
    /// Incomplete pairs: half points of the first engine when moving first, and when moving second.
    open: HashMap<u64, [Vec<usize>; 2]>,
}

impl HeadToHead {
    /// Returns all results of the first engine.
    pub fn results(&self) -> Results {
        self.moving_first.with(self.moving_second)
    }

    /// Returns the score of the first engine with its 95 % interval.
    pub fn estimate(&self) -> Option<Estimate> {
        estimate(&self.results(), &self.pairs)
    }

    /// Returns the sample for estimates: the pairs, or single games if there is no pair.
    pub fn sample(&self) -> Sample {
        sample(&self.results(), &self.pairs)
    }
}

/// Estimates the score from pairs, or from single games if there is no pair, with an interval that few of them widen.
pub(super) fn estimate(results: &Results, pairs: &Pairs) -> Option<Estimate> {
    match pairs.iter().sum() {
        0_u64 => Estimate::of_counts(&results.by_outcome()),
        _ => Estimate::of_counts(pairs),
    }
}

/// Returns the sample for estimates from single games and from pairs.
pub(super) fn sample(results: &Results, pairs: &Pairs) -> Sample {
    match pairs.iter().sum() {
        0_u64 => results.sample(),
        _ => Sample::new(pairs),
    }
}

/// Statistics of the games of one variant.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Color that moves first.
    pub first: Color,
    /// Names of the engines, in order of appearance.
    pub names: Vec<String>,
    /// Results between engines, by indices of their names.
    pub head_to_heads: BTreeMap<(usize, usize), HeadToHead>,
    /// Results of the first mover.
    pub first_mover: Results,
    /// Results of the first mover by pairs from the same opening.
    pub first_mover_pairs: Pairs,
    /// Number of games by cause.
    pub causes: BTreeMap<Cause, u64>,
    /// Number of games by reason, for games that ended by the rules or by resignation.
    pub reasons: BTreeMap<String, u64>,
    /// Number of failures by engine.
    pub faults: BTreeMap<(Cause, String), u64>,
    /// Number of games that repeat an earlier game move for move.
    pub repeated: u64,
    /// Number of moves.
    pub moves: u64,
    /// Number of games that were given twice.
    pub given_twice: u64,
    /// Engines behind each name.
    seats: Vec<BTreeSet<Seat>>,
    /// Hashes of complete games, with the index of the file of each.
    seen: HashMap<u64, usize>,
    /// For pairs in files that repeat a game of another file: that file.
    shared: HashMap<(usize, u64), usize>,
    /// Hashes of the moves of games.
    lines: HashSet<u64>,
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Tally {
    pub(super) fn new(first: Color) -> Self {
        Self {
            first,
            names: Vec::new(),
            head_to_heads: BTreeMap::new(),
            first_mover: Results::default(),
            first_mover_pairs: Pairs::default(),
            causes: BTreeMap::new(),
            reasons: BTreeMap::new(),
            faults: BTreeMap::new(),
            repeated: 0,
            moves: 0,
            given_twice: 0,
            seats: Vec::new(),
            seen: HashMap::new(),
            shared: HashMap::new(),
            lines: HashSet::new(),
        }
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.first_mover.games()
    }

    /// Returns the names that stand for several engines, or for one engine with different settings.
    pub fn ambiguous(&self) -> impl Iterator<Item = &str> {
        let both = self.names.iter().zip(&self.seats);
        both.filter(|(_, seats)| seats.len() > 1).map(|(name, _)| name.as_str())
    }

    /// Returns true if two engines met and played pairs.
    pub fn is_paired_match(&self) -> bool {
        let mut head_to_heads = self.head_to_heads.values();
        self.names.len() == 2 && head_to_heads.all(|head_to_head| head_to_head.pairs.iter().any(|&pairs| pairs > 0))
    }

    /// Returns all results of an engine.
    pub fn results_of(&self, engine: usize) -> Results {
        let mut all = Results::default();
        for (&(a, b), head_to_head) in &self.head_to_heads {
            if a == engine {
                all = all.with(head_to_head.results());
            } else if b == engine {
                all = all.with(head_to_head.results().reversed());
            }
        }
        all
    }

    /// Returns the results of an engine against another one, if they have met.
    pub fn results_between(&self, engine: usize, other: usize) -> Option<Results> {
        let head_to_head = self.head_to_heads.get(&(engine.min(other), engine.max(other)))?;
        Some(if engine < other { head_to_head.results() } else { head_to_head.results().reversed() })
    }

    fn place(&mut self, seat: &Seat) -> usize {
        let place = self.names.iter().position(|name| *name == seat.name);
        let place = place.unwrap_or_else(|| {
            self.names.push(seat.name.clone());
            self.seats.push(BTreeSet::new());
            self.names.len() - 1
        });
        // The version of an engine that did not start is unknown.
        let said = self.seats.get_mut(place).filter(|_| !seat.version.is_empty());
        if let Some(seats) = said {
            seats.insert(seat.clone());
        }
        place
    }

    /// Returns the engines and settings behind a name.
    pub fn seats_of(&self, engine: usize) -> impl Iterator<Item = &Seat> {
        self.seats.get(engine).into_iter().flatten()
    }

    /// Adds a game of a file. Games come in the order of the schedule.
    ///
    /// Pairs are completed within a file, or across files of which one repeats a game of the other. Returns the engines
    /// that met, or `None` if the game was given before.
    pub(super) fn add(&mut self, game: &GameRecord, source: usize, sprt: Option<&Sprt>) -> Option<(usize, usize)> {
        let moves: Vec<&str> = game.moves.iter().map(|made| made.text.as_str()).collect();
        let place = (game.seed, game.pair, game.opening());
        let seats = [&game.black, &game.white].map(|seat| (&seat.name, &seat.engine, &seat.options, &seat.limit));
        let identity = (game.game, &place, seats, game.result as u8, game.cause as u8, &moves);
        let pair = hash(&place);
        match self.seen.entry(hash(identity)) {
            Entry::Vacant(entry) => entry.insert(source),
            Entry::Occupied(entry) => {
                self.given_twice += 1;
                // The other half may be in this file alone.
                self.shared.insert((source, pair), *entry.get());
                return None;
            }
        };
        let source = self.shared.get(&(source, pair)).copied().unwrap_or(source);
        if !self.lines.insert(hash((&game.start, &moves))) {
            self.repeated += 1;
        }
        self.moves += moves.len() as u64;
        *self.causes.entry(game.cause).or_default() += 1;
        if game.cause == Cause::Normal {
            *self.reasons.entry(game.reason.clone()).or_default() += 1;
        }

        let (mover, other) = (game.seat(self.first), game.seat(!self.first));
        // The engine that a match names first makes the first move in odd games.
        let (mover, other) = match game.game % 2 {
            1 => (self.place(mover), self.place(other)),
            _ => {
                let other = self.place(other);
                (self.place(mover), other)
            }
        };
        let half_points = game.half_points(self.first);
        self.first_mover.add(half_points);
        if let Some(name) = &game.fault {
            *self.faults.entry((game.cause, name.clone())).or_default() += 1;
        }

        let key = (mover.min(other), mover.max(other));
        let head_to_head = self.head_to_heads.entry(key).or_default();
        let is_mover = key.0 == mover;
        let own = if is_mover { half_points } else { 2 - half_points };
        if is_mover {
            head_to_head.moving_first.add(own);
        } else {
            head_to_head.moving_second.add(own);
        }
        let [with_first, with_second] = head_to_head.open.entry(hash((source, pair))).or_default();
        if is_mover {
            with_first.push(own);
        } else {
            with_second.push(own);
        }
        if let (Some(&a), Some(&b)) = (with_first.last(), with_second.last()) {
            with_first.pop();
            with_second.pop();
            count(&mut head_to_head.pairs, a + b);
            count(&mut self.first_mover_pairs, a + 2 - b);
            if let Some(sprt) = sprt.filter(|_| head_to_head.decided.is_none()) {
                let ratio = sprt.log_likelihood_ratio(&Sample::new(&head_to_head.pairs));
                let games = head_to_head.results().games();
                head_to_head.decided = sprt.decision(ratio).map(|decision| TestEnd { decision, ratio, games });
            }
        }
        Some(key)
    }

    /// Returns the score of the first mover with its 95 % interval.
    pub fn first_mover_estimate(&self) -> Option<Estimate> {
        estimate(&self.first_mover, &self.first_mover_pairs)
    }
}
