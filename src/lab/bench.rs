//! The benchmark: a fixed amount of search in every game, whose node counts are a checksum of its behaviour.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::game::NoKeys;
use crate::games::{self, GAMES};
use crate::notation::{GameVisitor, Playable, Variant};
use crate::search::{Clock, Limits, Search, Settings, Task, Uct};

/// How many moves are searched in each game, one after the other.
const MOVES: usize = 8;

/// Playouts a move.
const PLAYOUTS: u64 = 4_000;

/// What one game's part of the benchmark came to.
#[derive(Clone, Debug)]
pub struct BenchLine {
    /// The variant.
    pub variant: Variant,
    /// The nodes that the tree held after each search, added up.
    pub nodes: u64,
    /// How many playouts were made.
    pub playouts: u64,
    /// How long it took.
    pub time: Duration,
}

/// Searches the first moves of each game's default variant with one thread and a fixed seed.
pub fn bench(clock: &dyn Clock) -> Vec<BenchLine> {
    let variants = GAMES.iter().map(|info| Variant::default_of(info));
    variants
        .filter_map(|variant| games::open(&variant, FirstMoves(clock)))
        .collect()
}

struct FirstMoves<'a>(&'a dyn Clock);

impl GameVisitor for FirstMoves<'_> {
    type Output = BenchLine;

    fn visit<G: Playable>(self, game: G) -> BenchLine {
        let game = Arc::new(game);
        let settings = Settings {
            method: None,
            threads: 1,
            memory: 64 << 20,
            seed: 1,
        };
        let limits = Limits {
            nodes: Some(PLAYOUTS),
            ..Limits::default()
        };
        let stop = AtomicBool::new(false);
        let task = Task::new(limits, &stop, self.0);
        let mut search = Uct::new(Arc::clone(&game), settings);
        let mut position = game.start();
        let mut line = BenchLine {
            variant: game.variant().clone(),
            nodes: 0,
            playouts: 0,
            time: Duration::ZERO,
        };
        for _ in 0..MOVES {
            let report = search.think(&position, &task);
            line.nodes += report.effort.tree_nodes;
            line.playouts += report.effort.nodes;
            line.time += report.effort.time;
            for step in report.steps {
                game.play(&mut position, step, &mut NoKeys);
                search.follow(step);
            }
        }
        line
    }
}
