//! The benchmark: a fixed amount of search in every game by every method, whose node counts are a checksum of its
//! behaviour.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::games::{self, GAMES};
use crate::rules::Method;
use crate::rules::Variant;
use crate::search::{Clock, Limits, SearchRequest, Settings, new_search};

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
    runs.filter_map(|(variant, method)| first_moves(&variant, method, clock))
        .collect()
}

/// `None` where the variant can't be opened.
fn first_moves(variant: &Variant, method: Method, clock: &dyn Clock) -> Option<BenchLine> {
    let mut board = games::open(variant)?;
    let settings = Settings {
        method,
        threads: 1,
        memory: 64 << 20,
        seed: 1,
    };
    let (nodes, depth) = match method {
        Method::Uct => (Some(PLAYOUTS), None),
        Method::Pvs => (None, Some(DEPTH)),
    };
    let limits = Limits {
        nodes,
        depth,
        ..Limits::default()
    };
    let stop = AtomicBool::new(false);
    let mut search = new_search(settings);
    let mut line = BenchLine {
        variant: variant.clone(),
        method,
        nodes: 0,
        effort: 0,
        time: Duration::ZERO,
    };
    for _ in 0..MOVES {
        // The time of each search begins with it.
        let task = SearchRequest::new(limits, &stop, clock);
        let report = search.run(&*board, &task);
        line.nodes += match method {
            Method::Uct => report.statistics.tree_nodes,
            Method::Pvs => report.statistics.nodes,
        };
        line.effort += report.statistics.nodes;
        line.time += report.statistics.time;
        for step in report.best_move {
            board.make(step);
            search.advance(step);
        }
    }
    Some(line)
}
