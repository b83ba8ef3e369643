//! Monte Carlo tree search with the proofs of MCTS-Solver (Winands, Björnsson and Saito 2008).
//!
//! Leaves are valued by the static evaluation ([`puct`]), or by random playouts ([`uct`]): the baseline that stronger
//! searches are measured against.

mod puct;
mod root_lines;
mod uct;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::control::SearchControl;
use super::helper_threads::HelperThreads;
use super::memory::shortage;
use super::random::{expected_steps, random_step};
use super::tree::{MAX_VALUED_VISITS, MAX_VISITS, NodeIndex, ROOT, Tree, ValuedChild};
use super::{Report, RootLine, Search, SearchRequest, Settings};
use crate::rules::{Board, Color, Method, Step};

/// Exploration constant of UCB1, for results from 0 to 1.
const EXPLORATION: f64 = 0.7;

/// Visits before a node is expanded. Expansion at the first visit makes a tree many times larger, mostly of nodes that
/// are never visited again.
const EXPANSION_VISITS: u32 = 4;

/// Playouts that a thread reserves at once in a search with several threads.
const PLAYOUTS_PER_RESERVATION: u64 = 16;

/// Playouts that share the descent through one well visited first step. Each descent reads all first steps, and would
/// wait for what other threads have just written there.
const PLAYOUTS_PER_DESCENT: u64 = 4;

/// Playouts that each step of a move needs before the move is read off the tree.
const MIN_CONFIDENT_PLAYOUTS: u32 = 64;

/// The same in visits of nodes that are evaluated.
const MIN_CONFIDENT_VISITS: u32 = 4;

/// Share of the time of a move between two looks at whether it is settled.
const SETTLED_CHECK_SHARE: f64 = 0.1;

/// Steps played between two readings of the clock: some microseconds.
const STEPS_PER_CLOCK_CHECK: u64 = 512;

/// Black's half-points in a draw.
const DRAW: u32 = 1;

/// A Monte Carlo tree search with its tree, which is reused from one move to the next.
pub struct Mcts {
    settings: Settings,
    pub(super) tree: Tree,
    helper_threads: HelperThreads,
    root: NodeIndex,
    /// The board at the root; `None` before the first search.
    board: Option<Box<dyn Board>>,
    /// Set when the limit in nodes did not allow all steps of a position.
    has_missing_steps: AtomicBool,
}

/// A move of which some steps are chosen, with their place in the tree.
pub(super) struct PartialMove<'p> {
    /// Steps that were chosen before the tree was last emptied.
    pub(super) before_tree: Vec<Step>,
    /// Visits and expected score of the root that was searched most of those before.
    pub(super) before: Option<(u32, f64)>,
    /// Side that moves.
    pub(super) side: Color,
    /// Nodes from the root along the chosen steps, each with the side to move there.
    pub(super) path: Vec<(NodeIndex, Color)>,
    /// The board at the end of `path`. Its history begins at the root of the tree.
    pub(super) board: Box<dyn Board>,
    request: &'p SearchRequest<'p>,
}

impl PartialMove<'_> {
    pub(super) fn root(&self) -> (NodeIndex, Color) {
        self.path[0]
    }

    fn node(&self) -> NodeIndex {
        self.path[self.path.len() - 1].0
    }
}

impl Mcts {
    /// Builds a search with an empty tree.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            tree: match settings.method {
                Method::Puct => Tree::with_values(settings.memory, settings.threads),
                _ => Tree::new(settings.memory),
            },
            helper_threads: HelperThreads::new(settings.threads),
            root: ROOT,
            board: None,
            has_missing_steps: AtomicBool::new(false),
        }
    }

    /// Empties the tree and moves its root to the position of a board.
    fn reset(&mut self, board: &dyn Board) {
        self.tree.clear();
        self.root = ROOT;
        self.board = Some(board.fork());
    }

    /// Chooses the steps of a move one after the other.
    ///
    /// While the tree shows the rest of the best move, all time goes to the first step. Otherwise the first step is
    /// chosen early, and most of what is left goes to the next one.
    fn search_move(&mut self, partial: &mut PartialMove<'_>, control: &SearchControl<'_>) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        let side = partial.board.side();
        // A search without limits or with restricted moves is an analysis: search even a forced step.
        let must_search = control.limits.is_unlimited() || !partial.request.search_moves.is_empty();
        self.restrict(partial, control, &steps);
        let (mut is_first_pass, mut has_choice) = (true, must_search);
        loop {
            let count = partial.board.count();
            if partial.board.side() != side || count == 0 {
                // Forced steps, and steps chosen within their share, leave some of the limits: search from the first
                // step of the tree again.
                let (root, _) = partial.root();
                let is_answered = !has_choice && partial.request.skip_forced_move;
                // A full tree may begin only behind the move.
                let is_decided = self.is_decided(root) || partial.path.len() == 1;
                if is_answered || is_decided || !control.may_search_again() {
                    break;
                }
                is_first_pass = false;
                partial.path.truncate(1);
                while partial.board.unmake() {}
                steps.clone_from(&partial.before_tree);
                continue;
            }
            has_choice |= count > 1;
            let node = partial.node();
            if count == 1 && is_first_pass && !must_search {
                // A forced step needs no search, only its node on the path.
                let mut legal = Vec::new();
                partial.board.steps(&mut legal);
                if self.evaluates_leaves() {
                    let children: Vec<ValuedChild> = legal.into_iter().map(ValuedChild::only).collect();
                    self.tree.expand_with_values(node, None, &children, 0.5);
                } else {
                    self.tree.expand_steps(node, &legal);
                }
            } else if !control.is_finished() {
                if self.tree.is_full() && self.tree.children(node).is_empty() {
                    // No room to expand this node: continue in an empty tree.
                    self.restart_below(partial, control, &steps);
                }
                self.search_step(partial, control);
            }
            let node = partial.node();
            let child = self.best_child(node, side, partial.request.multi_pv);
            let step = match (child, remaining_search_moves(partial.request.search_moves, &steps).first()) {
                (Some(child), _) => self.tree.node(child).step(),
                (None, Some([step, ..])) => *step,
                (None, _) => self.fallback_step(&mut *partial.board),
            };
            partial.board.make(step);
            steps.push(step);
            match child {
                Some(child) => partial.path.push((child, partial.board.side())),
                // The search was stopped or had no room: continue in an empty tree.
                None => self.restart_below(partial, control, &steps),
            }
        }
        steps
    }

    /// Empties the tree and continues with the rest of a move that begins with `steps`.
    fn restart_below(&mut self, partial: &mut PartialMove<'_>, control: &SearchControl<'_>, steps: &[Step]) {
        partial.before = self.known(partial);
        self.tree.clear();
        self.root = ROOT;
        self.board = None;
        partial.before_tree = steps.to_vec();
        partial.board = partial.board.fork();
        partial.path = vec![(ROOT, partial.board.side())];
        self.restrict(partial, control, steps);
    }

    /// Restricts the end of the path, a leaf, to what the search moves allow after `steps`.
    fn restrict(&self, partial: &PartialMove<'_>, control: &SearchControl<'_>, steps: &[Step]) {
        let search_moves = remaining_search_moves(partial.request.search_moves, steps);
        if !search_moves.is_empty() {
            self.restrict_below(partial.node(), &mut *partial.board.fork(), control, &search_moves);
        }
    }

    /// Expands a leaf with the first steps of `search_moves` only, and so on below it along each of them. Other moves
    /// are never searched.
    fn restrict_below(
        &self,
        node: NodeIndex,
        board: &mut dyn Board,
        control: &SearchControl<'_>,
        search_moves: &[&[Step]],
    ) {
        let mut first_steps: Vec<Step> = Vec::new();
        for steps in search_moves {
            match steps.first() {
                // One of the search moves ends here: everything after it is allowed.
                None => return,
                Some(step) if first_steps.contains(step) => {}
                Some(step) => first_steps.push(*step),
            }
        }
        if self.evaluates_leaves() {
            let mut worker = puct::Worker::new(board.fork(), &self.tree, control, self.settings.seed);
            worker.expand(node, board.side(), Some(&first_steps), true);
        } else {
            self.tree.expand_steps(node, &first_steps);
        }
        for child in self.tree.children(node) {
            let first = self.tree.node(child).step();
            let rest = search_moves.iter().filter_map(|steps| match steps {
                [step, rest @ ..] if *step == first => Some(rest),
                _ => None,
            });
            board.make(first);
            self.restrict_below(child, board, control, &rest.collect::<Vec<_>>());
            board.unmake();
        }
    }

    /// Returns a legal step at random, without a search. Equal positions and seeds give equal steps.
    fn fallback_step(&self, board: &mut dyn Board) -> Step {
        let seed = board.key().0 ^ self.settings.seed;
        let step = random_step(board, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
        // There is a legal step. Number 0 would be harmless.
        step.unwrap_or_default()
    }

    /// Searches below the end of the path until the best step there can be chosen.
    fn search_step(&mut self, partial: &mut PartialMove<'_>, control: &SearchControl<'_>) {
        let expected = expected_steps(&*partial.board, self.settings.seed);
        // The soft limit of a game clock: the move takes less where nothing can change, and more where it is contested.
        let limits = control.limits;
        let is_soft = |hard| limits.nodes.is_none() && limits.soft_time.is_some_and(|soft| soft < hard);
        let max_time = limits.hard_time.filter(|&hard| is_soft(hard));
        let (visits_before, began) = (self.visits_below(partial.node()), control.elapsed());
        loop {
            let rest = 1.0 - control.fraction_used();
            // Use ever smaller parts of the rest. While later steps will need their share, use only the share of this
            // one.
            let complete = self.shows_whole_move(partial.node(), &*partial.board);
            let part = match complete {
                true if rest < 0.02 => rest,
                true if max_time.is_some() => SETTLED_CHECK_SHARE.min(rest),
                true => 0.75 * rest,
                false => rest / expected.max(4.0 / 3.0),
            };
            self.search_until(partial, control, 1.0 - rest + part);
            let (node, side) = (partial.node(), partial.board.side());
            if let Some(max_time) = max_time
                && control.is_finished()
                && self.is_contested(node, side)
            {
                control.set_time_limit(max_time);
            }
            if control.is_finished() || self.is_decided(node) || !self.shows_whole_move(node, &*partial.board) {
                return;
            }
            if let Some(left) = control.time_left().filter(|_| max_time.is_some()) {
                let spent = control.elapsed().saturating_sub(began).as_secs_f64();
                let visits = f64::from(self.visits_below(node).saturating_sub(visits_before));
                if self.is_settled(node, side, visits * left.as_secs_f64() / spent) {
                    return;
                }
            }
        }
    }

    /// Returns the visits of the position behind a node.
    fn visits_below(&self, index: NodeIndex) -> u32 {
        match self.evaluates_leaves() {
            true => self.tree.position(index).map_or(0, |(position, ..)| position.visits),
            false => self.tree.visits(index),
        }
    }

    /// Returns whether a node is proven, or can't take more visits.
    fn is_decided(&self, index: NodeIndex) -> bool {
        let max_visits = if self.evaluates_leaves() { MAX_VALUED_VISITS } else { MAX_VISITS };
        self.visits_below(index) >= max_visits || self.tree.node(index).proven().is_some()
    }

    /// Returns whether leaves are evaluated and not played out.
    fn evaluates_leaves(&self) -> bool {
        self.settings.method == Method::Puct
    }

    fn min_confident_visits(&self) -> u32 {
        if self.evaluates_leaves() { MIN_CONFIDENT_VISITS } else { MIN_CONFIDENT_PLAYOUTS }
    }

    /// Returns whether the best steps from a node complete the move, each with enough visits wherever there is a
    /// choice.
    fn shows_whole_move(&self, node: NodeIndex, board: &dyn Board) -> bool {
        let mut node = node;
        let mut current = board.fork();
        loop {
            let Some(child) = self.best_child(node, current.side(), 1) else {
                return false;
            };
            current.make(self.tree.node(child).step());
            if current.side() != board.side() || current.count() == 0 {
                return true;
            }
            if self.tree.visits(child) < self.min_confident_visits() {
                return false;
            }
            node = child;
        }
    }

    /// Searches below the end of the path with all threads until the share `until` of the limits is used.
    fn search_until(&mut self, partial: &mut PartialMove<'_>, control: &SearchControl<'_>, until: f64) {
        loop {
            let part_done = &AtomicBool::new(false);
            let (this, part) = (&*self, &*partial);
            let worker = |number: u64| match this.evaluates_leaves() {
                true => this.evaluate_leaves(number, part, control, until, part_done),
                false => this.play_out_leaves(number, part, control, until, part_done),
            };
            self.helper_threads.run(worker, || worker(0));
            let is_done = control.fraction_used() >= until || self.is_decided(partial.node());
            if is_done || !self.evaluates_leaves() || !self.tree.is_full() || !self.prune(partial, control) {
                return;
            }
        }
    }

    /// Drops the least visited half of a full tree. Returns false, and may drop nothing, if the search has to end.
    fn prune(&mut self, partial: &mut PartialMove<'_>, control: &SearchControl<'_>) -> bool {
        let nodes = self.tree.used() as usize;
        if nodes > max_reroot_nodes(control.time_left()) {
            return false;
        }
        let steps: Vec<Step> = partial.path[1..].iter().map(|&(node, _)| self.tree.node(node).step()).collect();
        if !(1..u32::BITS).any(|shift| self.tree.reroot(self.root, nodes / 2, 1 << shift)) {
            return false;
        }
        self.root = ROOT;
        partial.path[0].0 = ROOT;
        for (index, step) in steps.iter().enumerate() {
            let mut children = self.tree.children(partial.path[index].0);
            let Some(child) = children.find(|&child| self.tree.node(child).step() == *step) else {
                // The end of the path was dropped, too.
                let begun = [&partial.before_tree[..], &steps].concat();
                self.restart_below(partial, control, &begun);
                return true;
            };
            partial.path[index + 1].0 = child;
        }
        true
    }

    /// Expands leaves by their evaluations, on one thread.
    fn evaluate_leaves(
        &self,
        number: u64,
        partial: &PartialMove<'_>,
        control: &SearchControl<'_>,
        until: f64,
        part_done: &AtomicBool,
    ) {
        let mut worker = puct::Worker::new(partial.board.fork(), &self.tree, control, self.settings.seed);
        let (node, side) = (partial.node(), partial.board.side());
        let lines = partial.request.multi_pv;
        let mut turns: Vec<NodeIndex> = Vec::new();
        let mut is_forced = false;
        while !part_done.load(Ordering::Relaxed) {
            // Several lines take turns in every second descent, so that each of them is searched, and the best one most.
            is_forced = lines > 1 && (!is_forced || self.is_decided(node));
            if is_forced && turns.is_empty() {
                turns = self.open_lines(node, side, lines);
            }
            let first = if is_forced { turns.pop() } else { None };
            let is_expanded = worker.descend(&partial.path, first);
            if number == 0 {
                self.report_if_due(partial, control, true);
            }
            if !is_expanded && worker.is_first_incomplete {
                self.has_missing_steps.store(true, Ordering::Relaxed);
            }
            // Other lines than that of a proof are still searched.
            let is_decided = self.is_decided(node)
                && (self.tree.node(node).proven().is_none() || self.open_lines(node, side, lines).is_empty());
            if !is_expanded || control.fraction_used() >= until || is_decided || self.tree.is_full() {
                part_done.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Plays out leaves, on one thread.
    fn play_out_leaves(
        &self,
        number: u64,
        partial: &PartialMove<'_>,
        control: &SearchControl<'_>,
        until: f64,
        part_done: &AtomicBool,
    ) {
        let seed = self.settings.seed.wrapping_add(number << 32) ^ partial.board.key().0;
        let seed = seed.wrapping_add(control.nodes.load(Ordering::Relaxed));
        let random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut worker = uct::Worker::new(partial.board.fork(), &self.tree, control, random);
        // A single thread checks its limits after each playout. Several reserve playouts in batches, to write the
        // shared counter less often.
        let batch = if self.settings.threads > 1 { PLAYOUTS_PER_RESERVATION } else { 1 };
        let mut reserved = control.reserve_nodes(batch);
        while reserved > 0 && !part_done.load(Ordering::Relaxed) {
            let playouts = PLAYOUTS_PER_DESCENT.min(reserved);
            match worker.well_visited_child(&partial.path, playouts) {
                Some(first) => {
                    worker.playouts_through(first, &partial.path, playouts as u32);
                    reserved -= playouts;
                }
                None => {
                    worker.playout_from(&partial.path);
                    reserved -= 1;
                }
            }
            let check_clock = worker.steps_since_check >= STEPS_PER_CLOCK_CHECK;
            if check_clock {
                worker.steps_since_check = 0;
            }
            if number == 0 {
                self.report_if_due(partial, control, check_clock);
            }
            let ended = check_clock && control.fraction_used() >= until || control.is_stopped();
            if ended || self.is_decided(partial.node()) {
                part_done.store(true, Ordering::Relaxed);
            }
            if reserved == 0 {
                worker.flush_results(&partial.path);
                reserved = control.reserve_nodes(batch);
            }
        }
        worker.flush_results(&partial.path);
        control.release_nodes(reserved);
    }

    /// Checks the depth and reports, where either is due.
    fn report_if_due(&self, partial: &PartialMove<'_>, control: &SearchControl<'_>, check_clock: bool) {
        if control.is_depth_check_due() {
            control.record_depth(self.depth(partial), self.tree.is_full());
        }
        if control.is_report_due(check_clock) {
            (partial.request.on_report)(self.report(partial, control, partial.request.multi_pv));
        }
    }
}

impl Search for Mcts {
    fn settings(&self) -> Settings {
        self.settings
    }

    fn shortages(&self) -> Vec<String> {
        let memory = shortage(self.tree.bytes(), self.settings.memory);
        let threads = self.helper_threads.shortage().map(str::to_owned);
        threads.into_iter().chain(memory).collect()
    }

    fn advance(&mut self, step: Step) {
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
            None => self.clear(),
        }
    }

    fn clear(&mut self) {
        self.board = None;
    }

    fn run(&mut self, board: &dyn Board, request: &SearchRequest<'_>) -> Report {
        let limits = request.limits;
        let control = SearchControl::new(limits, request.report_schedule, request.stop, request.clock, request.started);
        if let Some(soft_time) = limits.soft_time {
            control.set_time_limit(soft_time);
        }
        let restricted = !request.search_moves.is_empty();
        let draw = self.draw_value(board, request.contempt);
        let is_same = |known: &dyn Board| known.key() == board.key() && known.position() == board.position();
        let reusable = self.board.as_deref().is_some_and(is_same) && !restricted && draw == self.tree.draw();
        if !reusable {
            self.reset(board);
            self.tree.set_draw(draw);
        } else if self.tree.is_half_full() {
            match self.tree.reroot(self.root, max_reroot_nodes(request.limits.hard_time), 0) {
                true => self.root = ROOT,
                false => self.reset(board),
            }
        }
        let mut partial = PartialMove {
            before_tree: Vec::new(),
            before: None,
            side: board.side(),
            path: vec![(self.root, board.side())],
            board: board.fork(),
            request,
        };
        let steps = self.search_move(&mut partial, &control);
        let mut report = self.report(&partial, &control, request.multi_pv);
        match report.lines.first_mut() {
            Some(line) if line.variation.starts_with(&steps) => {}
            Some(line) => line.variation.clone_from(&steps),
            None if steps.is_empty() => {}
            None => report.lines.push(RootLine {
                variation: steps.clone(),
                visits: 0,
                expected_score: report.expected_score,
                proof: report.proof,
            }),
        }
        if restricted || *self.has_missing_steps.get_mut() {
            // This tree lacks steps.
            *self.has_missing_steps.get_mut() = false;
            self.clear();
        }
        Report { best_move: steps, ..report }
    }
}

/// Returns the number of nodes that [`Tree::reroot`] may move in a quarter of the time left, at about 50 ns a node.
fn max_reroot_nodes(time_left: Option<Duration>) -> usize {
    const NANOSECONDS: u128 = 50;
    let quarter = |time: Duration| (time / 4).as_nanos() / NANOSECONDS;
    time_left.map(quarter).map_or(usize::MAX, |most| most.try_into().unwrap_or(usize::MAX))
}

/// Returns the rest of each search move that begins with `begun`.
fn remaining_search_moves<'s>(search_moves: &'s [Vec<Step>], begun: &[Step]) -> Vec<&'s [Step]> {
    search_moves.iter().filter_map(|steps| steps.strip_prefix(begun)).collect()
}

/// Returns the mean share of the points for `side`; one half without visits.
#[inline]
pub(super) fn mean_score((visits, half_points): (u32, u32), side: Color) -> f64 {
    if visits == 0 {
        return 0.5;
    }
    let black = f64::from(half_points) / (2.0 * f64::from(visits));
    match side {
        Color::Black => black,
        Color::White => 1.0 - black,
    }
}
