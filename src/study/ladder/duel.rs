//! Games between two levels of the engine, in pairs of an opening with seats exchanged.

use std::fmt::{self, Display};
use std::sync::atomic::{AtomicBool, Ordering};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::Zobrist;
use crate::record::{Cause, GameRecord, GameResult, MoveRecord, Opening, SearchInformation, Seat};
use crate::rules::{Board, Color, Method, Step};
use crate::search::{Clock, Limits, Search, SearchRequest, Settings, new_search, random_step};
use crate::study::balance::LADDER;
use crate::study::player::{Description, Game, MEMORY, NO_DATE, RANDOM, information};
use crate::study::store::{GameKey, Task};

/// A level of the engine.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Level {
    /// Share of moves that are searched; the others are random steps.
    pub searched: f64,
    /// Nodes of each search.
    pub nodes: u64,
}

impl Level {
    /// Returns the level that searches every move.
    pub fn of_nodes(nodes: u64) -> Self {
        Self { searched: 1.0, nodes }
    }

    fn seat(&self, color: Color, method: Method) -> Seat {
        let is_random = self.searched <= 0.0;
        let of_search = |text: String| if is_random { String::new() } else { text };
        Seat {
            name: format!("{self} ({color})"),
            engine: if is_random { RANDOM } else { method.name() }.to_owned(),
            options: of_search(format!("Threads=1 Hash={}", MEMORY >> 20)),
            version: format!("pentalith {}", env!("CARGO_PKG_VERSION")),
            limit: of_search(format!("nodes {}", self.nodes)),
        }
    }
}

impl Display for Level {
    /// Writes the level so that no other one is written alike.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { searched, nodes } = self;
        match *searched {
            share if share <= 0.0 => f.write_str("random"),
            share if share >= 1.0 => write!(f, "{nodes} nodes"),
            share => write!(f, "{nodes} nodes in {:.2} % of moves", 100.0 * share),
        }
    }
}

/// A game of a duel.
#[derive(Clone, Copy)]
pub(super) struct Duel<'a> {
    /// Position before the opening.
    pub(super) start: &'a dyn Board,
    /// Opening.
    pub(super) opening: &'a Opening,
    /// The two levels.
    pub(super) levels: [Level; 2],
    /// Index of the level that plays Black.
    pub(super) black: usize,
    /// Seed of the ladder.
    pub(super) seed: u64,
    /// Description of how the opening was made, as records have it.
    pub(super) openings: &'a str,
    /// Number of the game in the ladder, from 1, which decides random moves.
    pub(super) number: u64,
}

impl Duel<'_> {
    /// Returns the levels of Black and White.
    fn by_color(&self) -> [Level; 2] {
        let [one, other] = self.levels;
        if self.black == 0 { [one, other] } else { [other, one] }
    }

    /// Returns the score of the first level in half points: 0, 1 or 2.
    pub(super) fn half_points(&self, game: &GameRecord) -> usize {
        game.half_points(match self.black {
            0 => Color::Black,
            _ => Color::White,
        })
    }

    fn method(&self) -> Method {
        self.start.variant().info().method
    }

    fn purpose(&self) -> String {
        let [black, white] = self.by_color();
        format!("{LADDER}{black} against {white}")
    }
}

impl Task for Duel<'_> {
    type Player = ();

    fn play(&self, (): &mut (), stop: &AtomicBool, clock: &dyn Clock) -> Option<GameRecord> {
        let seed = self.seed.wrapping_add(self.number - 1);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(Zobrist::state_key(seed).0);
        let mut game = Game { board: self.start.fork(), moves: Vec::new() };
        for text in &self.opening.moves {
            for step in text.split(',') {
                let step = game.board.find_step(step).ok()?;
                game.board.make(step);
            }
            game.moves.push(MoveRecord::new(text, None));
        }
        let mut players = self.by_color().map(|level| {
            let settings = Settings { method: self.method(), threads: 1, memory: MEMORY, seed };
            let search = (level.searched > 0.0).then(|| new_search(settings));
            (level, search)
        });
        while game.board.count() > 0 {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let place = match game.board.side() {
                Color::Black => 0,
                Color::White => 1,
            };
            let (level, search) = players.get_mut(place)?;
            let (steps, information) = match search {
                Some(search) if uniform(&mut random) < level.searched => {
                    searched(&*game.board, &mut **search, level.nodes, stop, clock)?
                }
                _ => (vec![random_step(&mut *game.board, &mut random)?], SearchInformation::default()),
            };
            for &step in &steps {
                for (_, search) in &mut players {
                    if let Some(search) = search {
                        search.advance(step);
                    }
                }
            }
            game.add(&steps, Some(information));
        }
        let outcome = game.board.outcome()?;
        let [black, white] = self.seats();
        Some(GameRecord {
            game: self.number,
            pair: self.number,
            variant: self.start.variant().to_string(),
            date: NO_DATE.to_owned(),
            seed: self.seed,
            conditions: Some(Description::write(&self.purpose(), self.openings)),
            start: None,
            black,
            white,
            result: GameResult::of(outcome.winner),
            cause: Cause::Normal,
            reason: outcome.reason.to_owned(),
            fault: None,
            comment: None,
            moves: game.moves,
            tags: Vec::new(),
        })
    }

    fn key(&self) -> GameKey {
        GameKey {
            purpose: self.purpose(),
            nodes: 0,
            variant: self.start.variant().to_string(),
            opening: self.openings.to_owned(),
            seed: self.seed,
            number: self.number,
        }
    }

    fn seats(&self) -> [Seat; 2] {
        let [black, white] = self.by_color();
        let method = self.method();
        [black.seat(Color::Black, method), white.seat(Color::White, method)]
    }

    fn max_nodes(&self) -> u64 {
        let [one, other] = self.levels;
        one.nodes.max(other.nodes)
    }
}

/// Searches a move. Returns `None` if stopped: the result of a stopped search can't be repeated.
fn searched(
    board: &dyn Board,
    search: &mut dyn Search,
    nodes: u64,
    stop: &AtomicBool,
    clock: &dyn Clock,
) -> Option<(Vec<Step>, SearchInformation)> {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let report = search.run(board, &SearchRequest::new(limits, stop, clock));
    let is_stopped = stop.load(Ordering::Relaxed) || report.best_move.is_empty();
    let information = information(&report);
    (!is_stopped).then_some((report.best_move, information))
}

/// Returns a random number from 0 to 1.
fn uniform(random: &mut impl Rng) -> f64 {
    f64::from(random.next_u32()) / f64::from(u32::MAX)
}
