//! The benchmark: a fixed amount of search in every game by every method, whose node counts are a checksum of its
//! behaviour.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::game::{Method, NoKeys};
use crate::games::{self, GAMES};
use crate::notation::{GameVisitor, Playable, Variant};
use crate::search::{Clock, Limits, Settings, Task, search};

/// How many moves are searched in each game, one after the other.
const MOVES: usize = 8;

/// Playouts a move.
const PLAYOUTS: u64 = 4_000;

/// How many steps deep a move is searched otherwise.
const DEPTH: u32 = 5;

/// What one game's part of the benchmark came to.
#[derive(Clone, Debug)]
pub struct BenchLine {
    /// The variant.
    pub variant: Variant,
    /// How it was searched.
    pub method: Method,
    /// With UCT the nodes that the tree held after each search, else the nodes that were looked at, added up.
    pub nodes: u64,
    /// How many playouts were made, or nodes looked at.
    pub effort: u64,
    /// How long it took.
    pub time: Duration,
}

/// Searches the first moves of each game's default variant with one thread and a fixed seed.
pub fn bench(clock: &dyn Clock) -> Vec<BenchLine> {
    let variants = GAMES.iter().map(|info| Variant::default_of(info));
    let runs = variants
        .flat_map(|variant| [Method::Uct, Method::Pvs].map(|method| (variant.clone(), method)));
    runs.filter_map(|(variant, method)| games::open(&variant, FirstMoves { clock, method }))
        .collect()
}

struct FirstMoves<'a> {
    clock: &'a dyn Clock,
    method: Method,
}

impl GameVisitor for FirstMoves<'_> {
    type Output = BenchLine;

    fn visit<G: Playable>(self, game: G) -> BenchLine {
        let game = Arc::new(game);
        let settings = Settings {
            method: Some(self.method),
            threads: 1,
            memory: 64 << 20,
            seed: 1,
        };
        let (nodes, depth) = match self.method {
            Method::Uct => (Some(PLAYOUTS), None),
            Method::Pvs => (None, Some(DEPTH)),
        };
        let limits = Limits {
            nodes,
            depth,
            ..Limits::default()
        };
        let stop = AtomicBool::new(false);
        let mut search = search(Arc::clone(&game), settings);
        let mut position = game.start();
        let mut line = BenchLine {
            variant: game.variant().clone(),
            method: self.method,
            nodes: 0,
            effort: 0,
            time: Duration::ZERO,
        };
        for _ in 0..MOVES {
            // The time of each search begins with it.
            let task = Task::new(limits, &stop, self.clock);
            let report = search.think(&position, &task);
            line.nodes += match self.method {
                Method::Uct => report.effort.tree_nodes,
                Method::Pvs => report.effort.nodes,
            };
            line.effort += report.effort.nodes;
            line.time += report.effort.time;
            for step in report.steps {
                game.play(&mut position, step, &mut NoKeys);
                search.follow(step);
            }
        }
        line
    }
}
