//! UCT (Kocsis and Szepesvári 2006) with uniformly random playouts and the proofs of MCTS-Solver (Winands,
//! Björnsson and Saito 2008): the yardstick that stronger searches are measured with.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::tree::{NodeIndex, Proven, ROOT, Tree};
use super::{Clock, Limits, Report, Settings};
use crate::board::Zobrist;
use crate::game::{Color, Game, NoKeys, Position, Step, Steps};

/// How much an uncertain child is preferred to one with a good average: the constant of UCB1, for results from
/// 0 to 1.
const EXPLORATION: f64 = 0.7;

/// How often every step of a move must have been visited for the move to be read off the tree.
const WELL_VISITED: u32 = 64;

/// So many steps are played between two looks at the clock: some microseconds' worth.
const STEPS_A_LOOK: u64 = 512;

/// A search with its tree, which is kept from one move to the next.
pub struct Uct<G: Game> {
    game: Arc<G>,
    settings: Settings,
    tree: Tree,
    root: NodeIndex,
    /// The position of the root; `None` before the first search.
    position: Option<G::Position>,
}

/// One search: what its threads share.
struct Run<'a> {
    limits: Limits,
    began: Duration,
    clock: &'a dyn Clock,
    stop: &'a AtomicBool,
    /// Playouts so far.
    nodes: AtomicU64,
}

impl Run<'_> {
    /// Which part of the limits is used up, from 0 to 1; 1 once it is stopped.
    fn used(&self) -> f64 {
        if self.stop.load(Ordering::Relaxed) {
            return 1.0;
        }
        let nodes = self.limits.nodes.map_or(0.0, |limit| {
            self.nodes.load(Ordering::Relaxed) as f64 / limit.max(1) as f64
        });
        let time = self.limits.time.map_or(0.0, |limit| {
            let elapsed = self.clock.now().saturating_sub(self.began);
            elapsed.as_secs_f64() / limit.as_secs_f64().max(f64::MIN_POSITIVE)
        });
        nodes.max(time).min(1.0)
    }

    fn ended(&self) -> bool {
        self.used() >= 1.0
    }
}

impl<G: Game> Uct<G> {
    /// A search of a game that knows nothing yet.
    pub fn new(game: Arc<G>, settings: Settings) -> Self {
        Self {
            game,
            settings,
            tree: Tree::new(settings.memory),
            root: ROOT,
            position: None,
        }
    }

    /// What it works with.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Follows a step that was played from the position last searched, keeping what is known of it.
    pub fn follow(&mut self, step: G::Step) {
        let Some(position) = &mut self.position else {
            return;
        };
        let tree = &self.tree;
        let mut children = tree.node(self.root).children();
        let child = children.find(|&child| tree.node(child).step() == step.bits());
        match child {
            Some(child) => {
                self.game.play(position, step, &mut NoKeys);
                self.root = child;
            }
            None => self.forget(),
        }
    }

    /// Forgets everything: the game goes on somewhere else.
    pub fn forget(&mut self) {
        self.position = None;
    }

    /// Searches a position until a limit is reached, `stop` is set, or the result is proven, and gives a whole
    /// move of the side to move.
    pub fn think(
        &mut self,
        position: &G::Position,
        limits: Limits,
        stop: &AtomicBool,
        clock: &dyn Clock,
    ) -> Report<G::Step> {
        let began = clock.now();
        if self.position != Some(*position) {
            self.tree.clear();
            self.root = ROOT;
            self.position = Some(*position);
        } else if self.tree.is_half_full() {
            self.tree.reroot(self.root);
            self.root = ROOT;
        }
        let run = Run {
            limits,
            began,
            clock,
            stop,
            nodes: AtomicU64::new(0),
        };
        let steps = self.whole_move(position, &run);
        let side = position.side();
        let root = self.tree.node(self.root);
        Report {
            steps,
            nodes: run.nodes.load(Ordering::Relaxed),
            tree_nodes: self.tree.len().into(),
            time: clock.now().saturating_sub(began),
            expectation: match root.proven() {
                Some(proven) => proven.value_for(side) as f64 / 2.0,
                None => average(root.value(), root.visits(), side),
            },
            proven: root.proven().map(|proven| proven.0),
        }
    }

    /// Searches for the steps of a move one after the other.
    ///
    /// All the time goes to the first step as long as the tree already shows the rest of the best move; where it
    /// does not, the first step is settled early and most of what is left goes to the next one.
    fn whole_move(&mut self, position: &G::Position, run: &Run<'_>) -> Vec<G::Step> {
        let mut steps = Vec::new();
        let mut here = *position;
        let mut path = vec![(self.root, position.side())];
        while here.side() == position.side() {
            let legal = self.game.steps(&here);
            if legal.is_empty() {
                break;
            }
            let (node, _) = path[path.len() - 1];
            if legal.count() == 1 {
                // Nothing to choose, but the way to what follows.
                self.tree.add_children(node, &legal);
            } else if !run.ended() {
                self.search_step(&path, &here, run);
            }
            let child = self.best_child(node, here.side());
            let step = match child {
                Some(child) => G::Step::from_bits(self.tree.node(child).step()),
                None => self.any_step(&here, &legal),
            };
            self.game.play(&mut here, step, &mut NoKeys);
            steps.push(step);
            match child {
                Some(child) => path.push((child, here.side())),
                // The tree is full, or the search was stopped: the rest is searched in an empty tree.
                None => {
                    self.tree.clear();
                    self.root = ROOT;
                    self.position = None;
                    path = vec![(ROOT, here.side())];
                }
            }
        }
        steps
    }

    /// A legal step chosen without a search: at random, but always the same one.
    fn any_step(&self, position: &G::Position, legal: &G::Steps) -> G::Step {
        let seed = self.game.key(position).0 ^ self.settings.seed;
        let step = random_step(legal, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
        // The set is not empty, so there is one; a step of number 0 would be harmless.
        step.unwrap_or_else(|| G::Step::from_bits(0))
    }

    /// Searches below the end of a path from the root until the best step there can be settled.
    fn search_step(&self, path: &[(NodeIndex, Color)], position: &G::Position, run: &Run<'_>) {
        let (node, _) = path[path.len() - 1];
        let expected = self.expected_steps(position);
        loop {
            let rest = 1.0 - run.used();
            // In ever smaller parts; while further steps will need theirs, only this one's share.
            let complete = self.shows_whole_move(node, position);
            let part = match complete {
                true if rest < 0.02 => rest,
                true => 0.75 * rest,
                false => rest / expected.max(4.0 / 3.0),
            };
            self.search_until(path, position, run, 1.0 - rest + part);
            let settled = run.ended() || self.tree.node(node).proven().is_some();
            if settled || !self.shows_whole_move(node, position) {
                return;
            }
        }
    }

    /// How many steps a move takes from here when it is played at random, on average over a few times.
    fn expected_steps(&self, position: &G::Position) -> f64 {
        const TIMES: u32 = 16;
        let seed = self.game.key(position).0 ^ self.settings.seed;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut total = 0;
        for _ in 0..TIMES {
            let mut here = *position;
            while here.side() == position.side() {
                let Some(step) = random_step(&self.game.steps(&here), &mut random) else {
                    break;
                };
                self.game.play(&mut here, step, &mut NoKeys);
                total += 1;
            }
        }
        f64::from(total) / f64::from(TIMES)
    }

    /// Whether the most visited steps from a node lead to the end of the move, with enough visits wherever
    /// there is another step to choose.
    fn shows_whole_move(&self, node: NodeIndex, position: &G::Position) -> bool {
        let mut node = node;
        let mut here = *position;
        loop {
            let Some(child) = self.best_child(node, here.side()) else {
                return false;
            };
            let step = G::Step::from_bits(self.tree.node(child).step());
            self.game.play(&mut here, step, &mut NoKeys);
            let steps = self.game.steps(&here);
            if here.side() != position.side() || steps.is_empty() {
                return true;
            }
            if self.tree.node(child).visits() < WELL_VISITED {
                return false;
            }
            node = child;
        }
    }

    /// The child to play: proven wins first, proven losses last, else the most visits; between equals the
    /// better average.
    fn best_child(&self, node: NodeIndex, side: Color) -> Option<NodeIndex> {
        let rank = |child: &NodeIndex| {
            let child = self.tree.node(*child);
            let average = average(child.value(), child.visits(), side);
            let class = match child.proven().map(|proven| proven.value_for(side)) {
                Some(2) => 3,
                None => 2,
                // A draw in hand is worth a doubtful chance.
                Some(1) => 2,
                _ => 0,
            };
            (class, child.visits(), average)
        };
        let scattered = |child| Zobrist::feature(self.tree.node(child).step().into()).0;
        let better = |a: &NodeIndex, b: &NodeIndex| {
            let ((class_a, visits_a, average_a), (class_b, visits_b, average_b)) =
                (rank(a), rank(b));
            (class_a, visits_a)
                .cmp(&(class_b, visits_b))
                .then(average_a.total_cmp(&average_b))
                // Between equals in no order of the board, but always the same.
                .then_with(|| scattered(*a).cmp(&scattered(*b)))
        };
        self.tree.node(node).children().max_by(better)
    }

    /// Searches below the end of a path from the root with all threads, until so much of the limits is used.
    fn search_until(
        &self,
        path: &[(NodeIndex, Color)],
        position: &G::Position,
        run: &Run<'_>,
        until: f64,
    ) {
        let (node, _) = path[path.len() - 1];
        let part = &AtomicBool::new(false);
        let key = self.game.key(position).0;
        let worker = |number: u64| {
            let seed = self.settings.seed.wrapping_add(number << 32) ^ key;
            let seed = seed.wrapping_add(run.nodes.load(Ordering::Relaxed));
            let mut worker = Worker {
                game: &*self.game,
                tree: &self.tree,
                random: Xoshiro256PlusPlus::seed_from_u64(seed),
                path: Vec::new(),
                played: 0,
            };
            while !part.load(Ordering::Relaxed) {
                let playouts = run.nodes.fetch_add(1, Ordering::Relaxed);
                if run.limits.nodes.is_some_and(|limit| playouts >= limit) {
                    // This one is too many.
                    run.nodes.fetch_sub(1, Ordering::Relaxed);
                    break;
                }
                worker.playout_from(path, position);
                let root = self.tree.node(node);
                let full = root.visits() >= u32::MAX / 2;
                let look = worker.played >= STEPS_A_LOOK;
                if look {
                    worker.played = 0;
                }
                let ended = look && run.used() >= until || run.stop.load(Ordering::Relaxed);
                if ended || full || root.proven().is_some() {
                    part.store(true, Ordering::Relaxed);
                }
            }
        };
        thread::scope(|scope| {
            for number in 1..self.settings.threads as u64 {
                let builder = thread::Builder::new().name(format!("search {number}"));
                // A system that gives no more threads leaves the search to the ones there are.
                if let Err(error) = builder.spawn_scoped(scope, move || worker(number)) {
                    log::warn!("searching with fewer threads: {error}");
                    break;
                }
            }
            worker(0);
        });
    }
}

/// One of the steps, each with the same chance but for a bias below their number / 2³².
#[inline]
fn random_step<S: Steps>(steps: &S, random: &mut impl Rng) -> Option<S::Step> {
    let n = (u64::from(random.next_u32()) * steps.count() as u64) >> 32;
    steps.nth(n as usize)
}

/// The share of the points that `side` got, one half where nothing is known.
fn average(value: u64, visits: u32, side: Color) -> f64 {
    if visits == 0 {
        return 0.5;
    }
    let black = value as f64 / (2.0 * f64::from(visits));
    match side {
        Color::Black => black,
        Color::White => 1.0 - black,
    }
}

/// One thread of a search.
struct Worker<'a, G: Game> {
    game: &'a G,
    tree: &'a Tree,
    random: Xoshiro256PlusPlus,
    /// The nodes of the present descent, each with the side to move there.
    path: Vec<(NodeIndex, Color)>,
    /// Steps played since the last look at the clock.
    played: u64,
}

impl<G: Game> Worker<'_, G> {
    /// Descends from the end of a path to a leaf, plays on from there at random, and takes the result back up
    /// to where the path begins.
    fn playout_from(&mut self, path: &[(NodeIndex, Color)], position: &G::Position) {
        let mut here = *position;
        self.path.clear();
        let mut mover = None;
        for &(index, side) in path {
            self.tree.node(index).enter(mover.unwrap_or(side));
            self.path.push((index, side));
            mover = Some(side);
        }
        let (mut index, _) = path[path.len() - 1];
        // Where the search begins, children are wanted at once; elsewhere from the second visit on.
        let mut first_visit = false;
        let result = loop {
            let node = self.tree.node(index);
            if let Some(proven) = node.proven() {
                break proven.value();
            }
            if node.children().is_empty() && !first_visit {
                self.tree.add_children(index, &self.game.steps(&here));
            }
            let side = here.side();
            let Some(child) = self.select(index, side) else {
                break self.playout(index, here);
            };
            let node = self.tree.node(child);
            self.game
                .play(&mut here, G::Step::from_bits(node.step()), &mut NoKeys);
            first_visit = node.enter(side) == 0;
            index = child;
            self.path.push((index, here.side()));
        };
        self.played += self.path.len() as u64;
        self.take_back(result);
    }

    /// Plays at random to the end of the game. A node that is an end itself is proven by that.
    fn playout(&mut self, node: NodeIndex, position: G::Position) -> u64 {
        let mut here = position;
        let mut length = 0_u64;
        while let Some(step) = random_step(&self.game.steps(&here), &mut self.random) {
            self.game.play(&mut here, step, &mut NoKeys);
            length += 1;
        }
        self.played += length;
        let winner = self.game.outcome(&here).and_then(|outcome| outcome.winner);
        if length == 0 {
            self.tree.node(node).prove(Proven(winner));
        }
        Proven(winner).value()
    }

    /// The child to look at next: an unvisited one if there is any, else the one with the highest upper
    /// confidence bound. Children that are proven lost for `side` are passed over.
    fn select(&mut self, node: NodeIndex, side: Color) -> Option<NodeIndex> {
        let parent = self.tree.node(node);
        let children = parent.children();
        let count = children.end - children.start;
        if count == 0 {
            return None;
        }
        // From a random one on, so that unvisited children are taken without preference.
        let skip = ((u64::from(self.random.next_u32()) * u64::from(count)) >> 32) as u32;
        let from_skip =
            (children.start + skip..children.end).chain(children.start..children.start + skip);
        // `libm`, not the system's logarithm: every machine must choose alike.
        let log = libm::log(f64::from(parent.visits().max(1)));
        let mut best = None;
        let mut best_bound = f64::NEG_INFINITY;
        for index in from_skip {
            let child = self.tree.node(index);
            let visits = child.visits();
            let bound = match child.proven().map(|proven| proven.value_for(side)) {
                Some(2) => return Some(index),
                Some(0) => f64::MIN,
                _ if visits == 0 => return Some(index),
                _ => {
                    average(child.value(), visits, side)
                        + EXPLORATION * (log / f64::from(visits)).sqrt()
                }
            };
            if bound > best_bound {
                best_bound = bound;
                best = Some(index);
            }
        }
        best
    }

    /// Adds a result to every node of the path, and proves what follows from a proven end of it.
    fn take_back(&mut self, result: u64) {
        let mut mover = None;
        for &(index, side) in &self.path {
            // A node's visit was counted for whoever chose it; the first one for its own side.
            self.tree.node(index).leave(mover.unwrap_or(side), result);
            mover = Some(side);
        }
        let mut known = self
            .path
            .last()
            .and_then(|&(index, _)| self.tree.node(index).proven());
        for &(index, side) in self.path.iter().rev().skip(1) {
            let Some(proven) = known else {
                break;
            };
            let node = self.tree.node(index);
            if node.proven().is_none() {
                known = match proven.value_for(side) {
                    2 => Some(proven),
                    _ => self.best_of_all(node.children(), side),
                };
                if let Some(proven) = known {
                    node.prove(proven);
                }
            } else {
                known = node.proven();
            }
        }
    }

    /// The best result among nodes for a side, if all of them are proven.
    fn best_of_all(&self, mut nodes: std::ops::Range<NodeIndex>, side: Color) -> Option<Proven> {
        let first = self.tree.node(nodes.next()?).proven()?;
        nodes.try_fold(first, |best, index| {
            let proven = self.tree.node(index).proven()?;
            Some(if proven.value_for(side) > best.value_for(side) {
                proven
            } else {
                best
            })
        })
    }
}
