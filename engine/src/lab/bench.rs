//! The benchmark: a fixed amount of search in every game by every method.
//!
//! The node counts are the same on every machine. They are a checksum of the search's behavior.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::games::{self, GAMES};
use crate::rules::Method;
use crate::rules::Variant;
use crate::search::{Clock, Limits, SearchRequest, Settings, new_search};

/// Moves that are searched in each game, one after the other.
const MOVES: usize = 8;

/// Playouts per move, with UCT.
const PLAYOUTS: u64 = 4_000;

/// Nodes per move, with PUCT.
const NODES: u64 = 40_000;

/// Search depth of a move in steps, with PVS.
const DEPTH: u32 = 5;

/// Result of the benchmark for one game and one search method.
#[derive(Clone, Debug)]
pub struct BenchLine {
    /// Variant that was played.
    pub variant: Variant,
    /// Search method.
    pub method: Method,
    /// With UCT and PUCT, tree nodes after each search; with PVS, nodes visited. Summed over all moves.
    pub nodes: u64,
    /// With UCT, playouts; else nodes visited. Summed over all moves.
    pub visits: u64,
    /// Time of all searches together.
    pub time: Duration,
}

/// Searches the first moves of each game's default variant by each of the methods, with one thread and a fixed seed.
pub fn bench(methods: &[Method], clock: &dyn Clock) -> Vec<BenchLine> {
    let variants = GAMES.iter().map(|info| Variant::default_of(info));
    let runs = variants.flat_map(|variant| methods.iter().map(move |&method| (variant.clone(), method)));
    runs.filter_map(|(variant, method)| first_moves(&variant, method, clock)).collect()
}

/// Searches the first moves of a variant; returns `None` where it can't be opened.
fn first_moves(variant: &Variant, method: Method, clock: &dyn Clock) -> Option<BenchLine> {
    let mut board = games::open(variant)?;
    let settings = Settings { method, threads: 1, memory: 64 << 20, seed: 1 };
    let (nodes, depth) = match method {
        Method::Uct => (Some(PLAYOUTS), None),
        Method::Puct => (Some(NODES), None),
        Method::Pvs => (None, Some(DEPTH)),
    };
    let limits = Limits { nodes, depth, ..Limits::default() };
    let stop = AtomicBool::new(false);
    let mut search = new_search(settings);
    let mut line = BenchLine { variant: variant.clone(), method, nodes: 0, visits: 0, time: Duration::ZERO };
    for _ in 0..MOVES {
        // The clock of a search starts when its request is created.
        let request = SearchRequest::new(limits, &stop, clock);
        let report = search.run(&*board, &request);
        line.nodes += match method {
            Method::Uct | Method::Puct => report.statistics.tree_nodes,
            Method::Pvs => report.statistics.nodes,
        };
        line.visits += report.statistics.nodes;
        line.time += report.statistics.time;
        for step in report.best_move {
            board.make(step);
            search.advance(step);
        }
    }
    Some(line)
}
