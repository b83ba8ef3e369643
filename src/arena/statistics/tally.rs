//! Counts of games: by engine, by seat, by opening pair, by cause.

use std::collections::hash_map::{DefaultHasher, Entry};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};

use super::sample::Sample;
use super::sprt::{Decision, Sprt};
use crate::arena::record::{Cause, GameRecord, Seat};
use crate::rules::Color;

/// Games won, drawn and lost.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Results {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

impl Results {
    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The share of the points, a draw being half a point.
    pub fn share(&self) -> f64 {
        (self.wins as f64 + 0.5 * self.draws as f64) / self.games().max(1) as f64
    }

    /// Takes in a game of 0, 1 or 2 half points.
    pub(super) fn add(&mut self, half_points: usize) {
        *match half_points {
            0 => &mut self.losses,
            1 => &mut self.draws,
            _ => &mut self.wins,
        } += 1;
    }

    /// The results of the other side.
    pub fn reversed(self) -> Self {
        Self {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
        }
    }

    /// Both together.
    pub fn with(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }

    pub(super) fn sample(&self) -> Sample {
        Sample::new(&[self.losses, self.draws, self.wins])
    }
}

/// How many pairs of games brought 0, 1, 2, 3 and 4 half points.
pub type Pairs = [u64; 5];

fn count(pairs: &mut Pairs, half_points: usize) {
    if let Some(count) = pairs.get_mut(half_points) {
        *count += 1;
    }
}

/// Two engines that met.
#[derive(Clone, Default, Debug)]
pub struct Meeting {
    /// The results of the one that comes first where it had the first move.
    pub moving_first: Results,
    /// Its results where it had the second.
    pub moving_second: Results,
    /// Its results by pairs of games from the same opening with seats exchanged.
    pub pairs: Pairs,
    /// What the test of its strength came to, and the logarithm then.
    pub decided: Option<(Decision, f64)>,
    /// Games whose other half has not come: its half points with the first move, and with the second.
    open: HashMap<u64, [Vec<usize>; 2]>,
}

impl Meeting {
    /// All its results.
    pub fn results(&self) -> Results {
        self.moving_first.with(self.moving_second)
    }

    /// What an estimate of its strength goes by: the pairs, or single games where there is no pair.
    pub fn sample(&self) -> Sample {
        match self.pairs.iter().sum() {
            0_u64 => self.results().sample(),
            _ => Sample::new(&self.pairs),
        }
    }
}

/// Everything about the games of one variant.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Who makes the first move.
    pub first: Color,
    /// The engines, in the order in which they first played.
    pub names: Vec<String>,
    /// Those that met, by the places of their names.
    pub meetings: BTreeMap<(usize, usize), Meeting>,
    /// The results of whoever had the first move.
    pub first_mover: Results,
    /// The same by pairs of games from the same opening.
    pub first_mover_pairs: Pairs,
    /// How games ended.
    pub causes: BTreeMap<Cause, u64>,
    /// The reasons by which games ended that ended by the rules, or by resignation.
    pub reasons: BTreeMap<String, u64>,
    /// Whose fault it was, where it was somebody's.
    pub faults: BTreeMap<(Cause, String), u64>,
    /// Games that repeat an earlier one move for move.
    pub repeated: u64,
    /// How many moves were made.
    pub moves: u64,
    /// Games that were given twice.
    pub given_twice: u64,
    /// What each name stands for.
    seats: Vec<BTreeSet<Seat>>,
    /// The hashes of the games, with everything about them, and the file that each came from.
    seen: HashMap<u64, usize>,
    /// Of pairs in files that have a game of another file once more, that file.
    shared: HashMap<(usize, u64), usize>,
    /// The hashes of the games' moves alone.
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
            meetings: BTreeMap::new(),
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

    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.first_mover.games()
    }

    /// The names that stand for several engines, or for one with several settings.
    pub fn ambiguous(&self) -> impl Iterator<Item = &str> {
        let both = self.names.iter().zip(&self.seats);
        both.filter(|(_, seats)| seats.len() > 1)
            .map(|(name, _)| name.as_str())
    }

    /// Whether two engines met, and played pairs.
    pub fn is_paired_match(&self) -> bool {
        let mut meetings = self.meetings.values();
        self.names.len() == 2
            && meetings.all(|meeting| meeting.pairs.iter().any(|&pairs| pairs > 0))
    }

    /// All results of an engine.
    pub fn results_of(&self, engine: usize) -> Results {
        let mut all = Results::default();
        for (&(a, b), meeting) in &self.meetings {
            if a == engine {
                all = all.with(meeting.results());
            } else if b == engine {
                all = all.with(meeting.results().reversed());
            }
        }
        all
    }

    fn place(&mut self, seat: &Seat) -> usize {
        let place = self.names.iter().position(|name| *name == seat.name);
        let place = place.unwrap_or_else(|| {
            self.names.push(seat.name.clone());
            self.seats.push(BTreeSet::new());
            self.names.len() - 1
        });
        // An engine that did not start has not said its version.
        let said = self
            .seats
            .get_mut(place)
            .filter(|_| !seat.version.is_empty());
        if let Some(seats) = said {
            seats.insert(seat.clone());
        }
        place
    }

    /// Takes in a game of a file; games come in the order of the schedule. Pairs are made within a file, or files of which one
    /// has a game of the other once more.
    pub(super) fn add(&mut self, game: &GameRecord, source: usize, sprt: Option<&Sprt>) {
        let moves: Vec<&str> = game.moves.iter().map(|made| made.text.as_str()).collect();
        let place = (game.seed, game.pair, game.opening());
        let seats = [&game.black, &game.white]
            .map(|seat| (&seat.name, &seat.engine, &seat.options, &seat.limit));
        let identity = (
            game.game,
            &place,
            seats,
            game.result as u8,
            game.cause as u8,
            &moves,
        );
        let pair = hash(&place);
        match self.seen.entry(hash(identity)) {
            Entry::Vacant(entry) => entry.insert(source),
            Entry::Occupied(entry) => {
                self.given_twice += 1;
                // The other half may be in this file alone.
                self.shared.insert((source, pair), *entry.get());
                return;
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
        // The engine that a match names first makes the first move in its odd games.
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
        let meeting = self.meetings.entry(key).or_default();
        let is_mover = key.0 == mover;
        let own = if is_mover {
            half_points
        } else {
            2 - half_points
        };
        if is_mover {
            meeting.moving_first.add(own);
        } else {
            meeting.moving_second.add(own);
        }
        let [with_first, with_second] = meeting.open.entry(hash((source, pair))).or_default();
        if is_mover {
            with_first.push(own);
        } else {
            with_second.push(own);
        }
        if let (Some(&a), Some(&b)) = (with_first.last(), with_second.last()) {
            with_first.pop();
            with_second.pop();
            count(&mut meeting.pairs, a + b);
            count(&mut self.first_mover_pairs, a + 2 - b);
            if let Some(sprt) = sprt.filter(|_| meeting.decided.is_none()) {
                let ratio = sprt.log_likelihood_ratio(&Sample::new(&meeting.pairs));
                meeting.decided = sprt.decision(ratio).map(|decision| (decision, ratio));
            }
        }
    }

    /// What an estimate of the first mover's share goes by.
    pub fn first_mover_sample(&self) -> Sample {
        match self.first_mover_pairs.iter().sum() {
            0_u64 => self.first_mover.sample(),
            _ => Sample::new(&self.first_mover_pairs),
        }
    }
}
