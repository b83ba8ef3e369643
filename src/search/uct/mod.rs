//! UCT (Kocsis and Szepesvári 2006) with uniformly random playouts and the proofs of MCTS-Solver (Winands,
//! Björnsson and Saito 2008): the yardstick that stronger searches are measured with.

mod worker;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::control::SearchControl;
use super::helpers::Helpers;
use super::memory::shortage;
use super::random::{expected_steps, random_step};
use super::tree::{MAX_VISITS, NodeIndex, ROOT, Tree};
use super::{Limits, Report, RootLine, Search, SearchRequest, Settings};
use crate::rules::{Board, Color, Step};
use worker::Worker;

/// How much an uncertain child is preferred to one with a good average: the constant of UCB1, for results from
/// 0 to 1.
const EXPLORATION: f64 = 0.7;

/// How many visits a node has had before it is given children: a tree that grew at once would be many times as large,
/// mostly of what is never looked at again.
const EXPANDED_AFTER: u32 = 4;

/// How many playouts a thread takes upon itself at once where several search.
const PLAYOUTS_AT_ONCE: u64 = 16;

/// How many of them go on behind the same first step once that is well visited: every playout of every thread looks at all
/// first steps, and would wait for what the others have just written there.
const PLAYOUTS_TOGETHER: u64 = 4;

/// How often every step of a move must have been visited for the move to be read off the tree.
const WELL_VISITED: u32 = 64;

/// So many steps are played between two looks at the clock: some microseconds' worth.
const STEPS_A_LOOK: u64 = 512;

/// Black's half-points in a draw.
const DRAW: u32 = 1;

/// A search with its tree, which is kept from one move to the next.
pub struct Uct {
    settings: Settings,
    pub(super) tree: Tree,
    helpers: Helpers,
    root: NodeIndex,
    /// A board at the position of the root; `None` before the first search.
    board: Option<Box<dyn Board>>,
}

/// Where in the tree a search is at work.
pub(super) struct Place<'p> {
    /// The steps that were settled before the tree was emptied.
    pub(super) before: Vec<Step>,
    /// The nodes from the root through the settled steps, each with the side to move there.
    pub(super) path: Vec<(NodeIndex, Color)>,
    /// The board at the end of the path. Its history begins at the tree's root.
    pub(super) here: Box<dyn Board>,
    task: &'p SearchRequest<'p>,
}

impl Place<'_> {
    pub(super) fn root(&self) -> (NodeIndex, Color) {
        self.path[0]
    }

    fn node(&self) -> NodeIndex {
        self.path[self.path.len() - 1].0
    }
}

impl Uct {
    /// A search that knows nothing yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            tree: Tree::new(settings.memory),
            helpers: Helpers::new(settings.threads),
            root: ROOT,
            board: None,
        }
    }

    /// Begins with an empty tree.
    fn begin(&mut self, board: &dyn Board) {
        self.tree.clear();
        self.root = ROOT;
        self.board = Some(board.fork());
    }

    /// Searches for the steps of a move one after the other.
    ///
    /// All the time goes to the first step as long as the tree already shows the rest of the best move; where it
    /// does not, the first step is settled early and most of what is left goes to the next one.
    fn whole_move(&mut self, place: &mut Place<'_>, run: &SearchControl<'_>) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        let side = place.here.side();
        // Where somebody wants to know what is thought, even a forced step is thought about.
        let asked = run.limits.are_none() || !place.task.only.is_empty();
        self.restrict(place.node(), &wanted(place.task.only, &steps));
        while place.here.side() == side {
            let count = place.here.count();
            if count == 0 {
                break;
            }
            let node = place.node();
            if count == 1 && !asked {
                // Nothing to choose, but the way to what follows.
                let mut legal = Vec::new();
                place.here.steps(&mut legal);
                self.tree.add_children(node, &legal);
            } else if !run.ended() {
                if self.tree.is_full() && self.tree.children(node).is_empty() {
                    // There is no room to look at this step.
                    self.begin_behind(place, &steps);
                }
                self.search_step(place, run);
            }
            let node = place.node();
            let child = self.best_child(node, side);
            let step = match (child, wanted(place.task.only, &steps).first()) {
                (Some(child), _) => self.tree.node(child).step(),
                (None, Some([step, ..])) => *step,
                (None, _) => self.any_step(&mut *place.here),
            };
            place.here.make(step);
            steps.push(step);
            match child {
                Some(child) => place.path.push((child, place.here.side())),
                // The search was stopped, or had no room left.
                None => self.begin_behind(place, &steps),
            }
        }
        steps
    }

    /// Searches the rest of a move that begins with these steps in an empty tree.
    fn begin_behind(&mut self, place: &mut Place<'_>, steps: &[Step]) {
        self.tree.clear();
        self.root = ROOT;
        self.board = None;
        place.before = steps.to_vec();
        place.here = place.here.fork();
        place.path = vec![(ROOT, place.here.side())];
        self.restrict(ROOT, &wanted(place.task.only, steps));
    }

    /// Gives a node without children only the first of these steps, and so on below it, as far as all of them
    /// go: no others will be looked at.
    fn restrict(&self, node: NodeIndex, only: &[&[Step]]) {
        let mut firsts: Vec<Step> = Vec::new();
        for steps in only {
            match steps.first() {
                // Whatever follows is wanted.
                None => return,
                Some(step) if firsts.contains(step) => {}
                Some(step) => firsts.push(*step),
            }
        }
        if firsts.is_empty() {
            return;
        }
        self.tree.expand(node, firsts.len() as u32, |add| {
            firsts.iter().for_each(|step| add(step.0));
        });
        for (child, first) in self.tree.children(node).zip(&firsts) {
            let rest = only.iter().filter_map(|steps| match steps {
                [step, rest @ ..] if step == first => Some(rest),
                _ => None,
            });
            self.restrict(child, &rest.collect::<Vec<_>>());
        }
    }

    /// A legal step chosen without a search: at random, but always the same one.
    fn any_step(&self, board: &mut dyn Board) -> Step {
        let seed = board.key().0 ^ self.settings.seed;
        let step = random_step(board, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
        // There is a legal step; one of number 0 would be harmless.
        step.unwrap_or_default()
    }

    /// Searches below the end of the path until the best step there can be settled.
    fn search_step(&self, place: &Place<'_>, run: &SearchControl<'_>) {
        let node = place.node();
        let expected = expected_steps(&*place.here, self.settings.seed);
        loop {
            let rest = 1.0 - run.used();
            // In ever smaller parts; while further steps will need theirs, only this one's share.
            let complete = self.shows_whole_move(node, &*place.here);
            let part = match complete {
                true if rest < 0.02 => rest,
                true => 0.75 * rest,
                false => rest / expected.max(4.0 / 3.0),
            };
            self.search_until(place, run, 1.0 - rest + part);
            let here = self.tree.node(node);
            let settled = run.ended() || here.proven().is_some() || here.visits() >= MAX_VISITS;
            if settled || !self.shows_whole_move(node, &*place.here) {
                return;
            }
        }
    }

    /// Whether the most visited steps from a node lead to the end of the move, with enough visits wherever
    /// there is another step to choose.
    fn shows_whole_move(&self, node: NodeIndex, board: &dyn Board) -> bool {
        let mut node = node;
        let mut here = board.fork();
        loop {
            let Some(child) = self.best_child(node, here.side()) else {
                return false;
            };
            here.make(self.tree.node(child).step());
            if here.side() != board.side() || here.count() == 0 {
                return true;
            }
            if self.tree.node(child).visits() < WELL_VISITED {
                return false;
            }
            node = child;
        }
    }

    /// Searches below the end of the path with all threads, until so much of the limits is used.
    fn search_until(&self, place: &Place<'_>, run: &SearchControl<'_>, until: f64) {
        let root = self.tree.node(place.node());
        let part = &AtomicBool::new(false);
        let key = place.here.key().0;
        let worker = |number: u64| {
            let seed = self.settings.seed.wrapping_add(number << 32) ^ key;
            let seed = seed.wrapping_add(run.nodes.load(Ordering::Relaxed));
            let random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut worker = Worker::new(place.here.fork(), &self.tree, run, random);
            // One thread looks at its limits after each playout, several share them out in larger pieces.
            let at_once = if self.settings.threads > 1 {
                PLAYOUTS_AT_ONCE
            } else {
                1
            };
            let mut left = run.take(at_once);
            while left > 0 && !part.load(Ordering::Relaxed) {
                let together = PLAYOUTS_TOGETHER.min(left);
                match worker.well_visited_first(&place.path, together) {
                    Some(first) => {
                        worker.playouts_behind(first, &place.path, together as u32);
                        left -= together;
                    }
                    None => {
                        worker.playout_from(&place.path);
                        left -= 1;
                    }
                }
                let full = root.visits() >= MAX_VISITS;
                let look = worker.played >= STEPS_A_LOOK;
                if look {
                    worker.played = 0;
                }
                if number == 0 {
                    self.tell(place, run, look);
                }
                let ended = look && run.used() >= until || run.is_stopped();
                if ended || full || root.proven().is_some() {
                    part.store(true, Ordering::Relaxed);
                }
                if left == 0 {
                    worker.share(&place.path);
                    left = run.take(at_once);
                }
            }
            worker.share(&place.path);
            run.give_back(left);
        };
        self.helpers.share(worker, || worker(0));
    }

    /// Looks at the depth and tells how far the search is, where that is due.
    fn tell(&self, place: &Place<'_>, run: &SearchControl<'_>, look: bool) {
        if run.depth_is_due() {
            run.has_depth(self.depth(place), self.tree.is_full());
        }
        if run.report_is_due(look) {
            (place.task.watch)(self.report(place, run, place.task.lines));
        }
    }
}

impl Search for Uct {
    fn settings(&self) -> Settings {
        self.settings
    }

    fn shortages(&self) -> Vec<String> {
        let memory = shortage(self.tree.bytes(), self.settings.memory);
        let threads = self.helpers.shortage().map(str::to_owned);
        threads.into_iter().chain(memory).collect()
    }

    fn follow(&mut self, step: Step) {
        let Some(board) = &mut self.board else {
            return;
        };
        let tree = &self.tree;
        let mut children = tree.children(self.root);
        match children.find(|&child| tree.node(child).step() == step) {
            Some(child) => {
                board.make(step);
                self.root = child;
            }
            None => self.forget(),
        }
    }

    fn forget(&mut self) {
        self.board = None;
    }

    fn think(&mut self, board: &dyn Board, task: &SearchRequest<'_>) -> Report {
        let limits = Limits {
            hard_time: task.limits.soft_time.or(task.limits.hard_time),
            ..task.limits
        };
        let run = SearchControl::new(limits, task.pace, task.stop, task.clock, task.began);
        let restricted = !task.only.is_empty();
        let is_same =
            |known: &dyn Board| known.key() == board.key() && known.position() == board.position();
        let known = self.board.as_deref().is_some_and(is_same) && !restricted;
        if !known {
            self.begin(board);
        } else if self.tree.is_half_full() {
            match self.tree.reroot(self.root, nodes_to_move(task.limits)) {
                true => self.root = ROOT,
                false => self.begin(board),
            }
        }
        let mut place = Place {
            before: Vec::new(),
            path: vec![(self.root, board.side())],
            here: board.fork(),
            task,
        };
        let steps = self.whole_move(&mut place, &run);
        let mut report = self.report(&place, &run, task.lines);
        match report.lines.first_mut() {
            Some(line) if line.steps.starts_with(&steps) => {}
            Some(line) => line.steps.clone_from(&steps),
            None if steps.is_empty() => {}
            None => report.lines.push(RootLine {
                steps: steps.clone(),
                visits: 0,
                expected_score: report.expected_score,
                proof: report.proof,
            }),
        }
        if restricted {
            // What it knows is true of these moves only.
            self.forget();
        }
        Report { steps, ..report }
    }
}

/// How many nodes may move to make room: as many as take a quarter of the time, at some 50 ns each.
fn nodes_to_move(limits: Limits) -> usize {
    const NANOSECONDS: u128 = 50;
    let quarter = |time: Duration| (time / 4).as_nanos() / NANOSECONDS;
    let most = limits.hard_time.map(quarter);
    most.map_or(usize::MAX, |most| most.try_into().unwrap_or(usize::MAX))
}

/// What is left of those runs of steps that begin with these.
fn wanted<'s>(only: &'s [Vec<Step>], begun: &[Step]) -> Vec<&'s [Step]> {
    only.iter()
        .filter_map(|steps| steps.strip_prefix(begun))
        .collect()
}

/// The share of the points that `side` got, one half where nothing is known.
#[inline]
pub(super) fn average((visits, half_points): (u32, u32), side: Color) -> f64 {
    if visits == 0 {
        return 0.5;
    }
    let black = f64::from(half_points) / (2.0 * f64::from(visits));
    match side {
        Color::Black => black,
        Color::White => 1.0 - black,
    }
}
