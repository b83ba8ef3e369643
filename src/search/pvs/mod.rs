//! Principal variation search with iterative deepening: a transposition table shared by threads, move ordering by
//! table, promise, killers and history, and late-move reductions (Marsland and Campbell 1982; Reinefeld 1983).
//!
//! One player may take several steps in a row: a value changes its sign where the side to move does.

mod order;
mod table;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::playout::expected_steps;
use super::run::Run;
use super::{Effort, Line, Proof, Report, Search, Settings, Task};
use crate::board::{Key, Zobrist, with_bit_instructions};
use crate::game::{Color, Evaluate, NoKeys, Position, Step, Steps};
use order::{LOUD, Order};
use table::{Bound, Entry, Table};

/// The value of a game that is won where it stands. A win that takes moves is worth one less for each.
const WIN: i32 = 1_000_000;

/// Beyond it a value is a proof; evaluations stay below.
const PROOF: i32 = WIN - 100_000;

/// The most steps from the root that are looked at.
const MOST_PLIES: usize = 200;

/// What the stack of a thread needs for that, some times over.
pub const STACK: usize = 16 << 20;

/// After how many nodes a thread looks at the clock.
const NODES_A_LOOK: u64 = 1024;

/// Half the width of the window about the last value.
const WINDOW: i32 = 60;

/// What makes a difference of ten to one in the odds, in hundredths of a stone.
const TEN_TO_ONE: f64 = 800.0;

/// The search with its table, which is kept from one move to the next.
pub struct Pvs<G: Evaluate> {
    game: Arc<G>,
    settings: Settings,
    table: Table,
}

impl<G: Evaluate> Pvs<G> {
    /// A search of a game that knows nothing yet.
    pub fn new(game: Arc<G>, settings: Settings) -> Self {
        Self {
            game,
            settings,
            table: Table::new(settings.memory),
        }
    }
}

/// A step of the root with what was found behind it.
struct RootMove<S> {
    step: S,
    /// From the view of the side to move; `None` where it is only known to be no better than another.
    value: Option<i32>,
    /// The steps from this one on.
    variation: Vec<S>,
    nodes: u64,
}

impl<G: Evaluate> Search<G> for Pvs<G> {
    fn settings(&self) -> Settings {
        self.settings
    }

    fn follow(&mut self, _step: G::Step) {}

    fn forget(&mut self) {
        self.table.clear();
    }

    fn think(&mut self, position: &G::Position, task: &Task<'_, G::Step>) -> Report<G::Step> {
        self.table.age();
        let run = Run::new(task.limits, task.pace, task.stop, task.clock, task.began);
        let side = position.side();
        let mut here = *position;
        let mut steps: Vec<G::Step> = Vec::new();
        let mut lines: Vec<Line<G::Step>> = Vec::new();
        // The variation nearly always shows the whole move, else the rest of it is searched for with what is left.
        while here.side() == side && !self.game.steps(&here).is_empty() {
            let found = self.deepen(&here, &steps, task, &run);
            let Some(best) = found.first() else {
                break;
            };
            let settled = steps.len();
            for step in &best.steps[settled..] {
                if here.side() != side {
                    break;
                }
                self.game.play(&mut here, *step, &mut NoKeys);
                steps.push(*step);
            }
            match lines.first_mut() {
                None => lines = found,
                Some(line) if line.proof.is_some() => line.steps.clone_from(&best.steps),
                // What is seen from farther on is seen better.
                Some(line) => line.clone_from(best),
            }
        }
        Report {
            steps,
            ..self.report(&run, 0, lines)
        }
    }
}

impl<G: Evaluate> Pvs<G> {
    /// Searches ever deeper from a position that some steps of a move have led to. Gives at least one line, where
    /// there is a step.
    fn deepen(
        &self,
        position: &G::Position,
        settled: &[G::Step],
        task: &Task<'_, G::Step>,
        run: &Run<'_>,
    ) -> Vec<Line<G::Step>> {
        // Where a whole run has been taken, whatever follows is wanted.
        let free = task.only.iter().any(|run| settled.starts_with(run));
        let rest = task.only.iter().filter_map(|run| run.strip_prefix(settled));
        let only: Vec<&[G::Step]> = rest.filter(|_| !free).collect();
        let halt = AtomicBool::new(false);
        let seeds = self.settings.threads as u64;
        let mut found = Vec::new();
        thread::scope(|scope| {
            for number in 1..seeds {
                let (halt, only) = (&halt, &only);
                let help = move || {
                    let mut searcher = Searcher::new(self, run, halt, only);
                    let mut moves = searcher.root_moves(position);
                    // Half of the helpers are a step ahead, so that not all do the same.
                    for depth in 1 + (number % 2) as i32..MOST_PLIES as i32 {
                        searcher.iterate(position, &mut moves, depth, 1);
                        if searcher.stopped {
                            break;
                        }
                    }
                    searcher.end();
                };
                let builder = thread::Builder::new()
                    .name(format!("search {number}"))
                    .stack_size(STACK);
                // A system that gives no more threads leaves the search to the ones there are.
                if let Err(error) = builder.spawn_scoped(scope, help) {
                    log::warn!("searching with fewer threads: {error}");
                    break;
                }
            }
            found = self.deepen_on_this_thread(position, settled, task, run, &halt, &only);
            halt.store(true, Ordering::Relaxed);
        });
        found
    }

    fn deepen_on_this_thread(
        &self,
        position: &G::Position,
        settled: &[G::Step],
        task: &Task<'_, G::Step>,
        run: &Run<'_>,
        halt: &AtomicBool,
        only: &[&[G::Step]],
    ) -> Vec<Line<G::Step>> {
        // Where somebody wants to know what is thought, even a forced step is thought about.
        let asked = task.limits.are_none() || !task.only.is_empty();
        let mut searcher = Searcher::new(self, run, halt, only);
        searcher.task = Some(task);
        // As long as the variation does not show the rest of the move, this step has only its share.
        let used = run.used();
        let expected = expected_steps(&*self.game, position, self.settings.seed).max(1.0);
        let share = used + (1.0 - used) / expected;
        let mut moves = searcher.root_moves(position);
        let lines = |moves: &[RootMove<G::Step>]| -> Vec<Line<G::Step>> {
            // The first one is shown even before anything is known of it: it is the one to play.
            let shown = moves.iter().take(task.lines.max(1)).enumerate();
            let known = shown.filter(|(place, root)| *place == 0 || root.value.is_some());
            let known = known.map(|(_, root)| root);
            known
                .map(|root| line(root, position.side(), settled))
                .collect()
        };
        for depth in 1..MOST_PLIES as i32 {
            searcher.iterate(position, &mut moves, depth, task.lines.max(1));
            if !searcher.stopped {
                run.longest.fetch_max(depth as u32, Ordering::Relaxed);
            }
            searcher.lines = lines(&moves);
            let whole = moves
                .first()
                .is_some_and(|root| self.passes(position, &root.variation));
            searcher.until = if whole { 1.0 } else { share };
            let deepest = task
                .limits
                .depth
                .is_some_and(|limit| depth.unsigned_abs() >= limit);
            let proven = moves
                .first()
                .and_then(|root| root.value)
                .is_some_and(is_proof);
            if searcher.stopped
                || searcher.is_over()
                || deepest
                || proven
                || moves.len() == 1 && !asked
            {
                break;
            }
            searcher.tell();
        }
        searcher.end();
        searcher.lines
    }

    /// Whether steps lead from a position to where the turn passes or the game ends.
    fn passes(&self, position: &G::Position, steps: &[G::Step]) -> bool {
        let mut here = *position;
        steps.iter().any(|step| {
            self.game.play(&mut here, *step, &mut NoKeys);
            here.side() != position.side() || self.game.steps(&here).is_empty()
        })
    }

    /// How far a search has come that has counted some nodes which are still to be made.
    fn report(&self, run: &Run<'_>, left: u64, lines: Vec<Line<G::Step>>) -> Report<G::Step> {
        let best = lines.first();
        Report {
            steps: Vec::new(),
            effort: Effort {
                nodes: run.nodes.load(Ordering::Relaxed).saturating_sub(left),
                tree_nodes: 0,
                filled: self.table.filled(),
                longest: run.longest.load(Ordering::Relaxed),
                draws: 0.0,
                time: run.elapsed(),
            },
            expectation: best.map_or(0.5, |line| line.expectation),
            proof: best.and_then(|line| line.proof),
            lines,
        }
    }
}

fn is_proof(value: i32) -> bool {
    value.abs() > PROOF
}

fn line<S: Step>(root: &RootMove<S>, side: Color, settled: &[S]) -> Line<S> {
    let value = root.value.unwrap_or_default();
    let proof = is_proof(value).then(|| Proof {
        winner: Some(if value > 0 { side } else { !side }),
        moves: (WIN - value.abs()) as u32,
    });
    // `libm`, not the system's exponential: every machine must answer alike.
    let expectation = match proof {
        Some(_) if value > 0 => 1.0,
        Some(_) => 0.0,
        None => 1.0 / (1.0 + libm::exp10(-f64::from(value) / TEN_TO_ONE)),
    };
    Line {
        steps: settled.iter().chain(&root.variation).copied().collect(),
        visits: u32::try_from(root.nodes).unwrap_or(u32::MAX),
        expectation,
        proof,
    }
}

/// What a value behind a step is worth before it, both from the view of who takes the step: a proven end is one move
/// farther away, unless it comes within the move that goes on.
fn through(value: i32, passes: bool) -> i32 {
    match value {
        WIN => WIN - 1,
        value if value == -WIN => 1 - WIN,
        _ if !passes || !is_proof(value) => value,
        value => value - value.signum(),
    }
}

/// One thread of a search.
struct Searcher<'a, G: Evaluate> {
    search: &'a Pvs<G>,
    game: &'a G,
    table: &'a Table,
    /// What is asked, where this thread tells how far it is, and the lines that it has to show.
    task: Option<&'a Task<'a, G::Step>>,
    lines: Vec<Line<G::Step>>,
    run: &'a Run<'a>,
    halt: &'a AtomicBool,
    only: &'a [&'a [G::Step]],
    order: Order,
    /// By the number of steps from the root, the best steps from there on.
    variations: Vec<Vec<u32>>,
    /// The steps from the root as far as only some may be taken.
    path: Vec<G::Step>,
    /// Steps still to be looked at, with their ranks, of all nodes on the way.
    waiting: Vec<(i32, u32)>,
    /// Nodes that are counted and not yet made.
    left: u64,
    nodes: u64,
    /// The part of the limits at which it ends, from 0 to 1.
    until: f64,
    stopped: bool,
}

impl<'a, G: Evaluate> Searcher<'a, G> {
    fn new(
        search: &'a Pvs<G>,
        run: &'a Run<'a>,
        halt: &'a AtomicBool,
        only: &'a [&'a [G::Step]],
    ) -> Self {
        Self {
            search,
            task: None,
            lines: Vec::new(),
            game: &search.game,
            table: &search.table,
            run,
            halt,
            only,
            order: Order::new(MOST_PLIES + 1),
            variations: vec![Vec::new(); MOST_PLIES + 2],
            path: Vec::new(),
            waiting: Vec::new(),
            left: 0,
            nodes: 0,
            until: 1.0,
            stopped: false,
        }
    }

    /// Gives back what was counted and not made.
    fn end(&self) {
        self.run.give_back(self.left);
    }

    /// Tells how far the search is, where that is due.
    fn tell(&self) {
        if let Some(task) = self.task
            && !self.lines.is_empty()
            && self.run.report_is_due(true)
        {
            (task.watch)(self.search.report(self.run, self.left, self.lines.clone()));
        }
    }

    /// Counts nodes that are looked at now. Says no where the search has to end.
    #[inline]
    fn count(&mut self, nodes: u64) -> bool {
        self.nodes += nodes;
        if self.left >= nodes {
            self.left -= nodes;
            return true;
        }
        self.look(nodes)
    }

    /// Whether the search has to end now.
    fn is_over(&self) -> bool {
        // A glance at each step is made even when there is no time for it.
        let glanced = self.nodes > NODES_A_LOOK;
        let late = self.run.is_late() || self.until < 1.0 && self.run.used() >= self.until;
        self.halt.load(Ordering::Relaxed) || glanced && late
    }

    #[inline(never)]
    fn look(&mut self, nodes: u64) -> bool {
        self.tell();
        let at_once = match self.run.limits.nodes {
            // Small enough to be shared out among the steps of a move.
            Some(limit) => {
                NODES_A_LOOK.min(limit / 64 / self.search.settings.threads.max(1) as u64)
            }
            None => NODES_A_LOOK,
        };
        self.left += self.run.take(at_once.max(nodes));
        self.stopped = self.left < nodes || self.is_over();
        if !self.stopped {
            self.left -= nodes;
        }
        !self.stopped
    }

    /// Whether a step may be taken behind the path, by the moves that alone may be found.
    fn is_wanted(&self, step: G::Step) -> bool {
        self.only.is_empty()
            || self.only.iter().any(|run| {
                let common = run.iter().zip(self.path.iter().chain([&step]));
                common.clone().all(|(wanted, taken)| wanted == taken)
            })
    }

    /// Whether the path has come to where not every step may be taken.
    fn is_restricted(&self, ply: usize) -> bool {
        self.only.iter().any(|run| run.len() > ply)
    }

    fn root_moves(&self, position: &G::Position) -> Vec<RootMove<G::Step>> {
        let mut moves = Vec::new();
        self.game.steps(position).for_each(|step| {
            if self.is_wanted(step) {
                moves.push(RootMove {
                    step,
                    value: None,
                    variation: vec![step],
                    nodes: 0,
                });
            }
        });
        // Between equals in no order of the board, and another one for another seed.
        let seed = self.search.settings.seed << 32;
        moves.sort_by_cached_key(|root| {
            let scattered = Zobrist::feature(seed ^ u64::from(root.step.bits()));
            (-self.game.promise(position, root.step), scattered.0)
        });
        moves
    }

    /// Searches all steps of the root so deep, and puts the best ones first.
    fn iterate(
        &mut self,
        position: &G::Position,
        moves: &mut [RootMove<G::Step>],
        depth: i32,
        lines: usize,
    ) {
        for first in 0..lines.min(moves.len()) {
            let last = moves[first].value;
            let rest = &mut moves[first..];
            let (mut low, mut high) = match last {
                Some(value) if depth >= 4 && !is_proof(value) => (value - WINDOW, value + WINDOW),
                _ => (-WIN, WIN),
            };
            loop {
                let best = self.search_root(position, rest, depth, low, high);
                if self.stopped {
                    break;
                }
                // Outside of the window the value is only a bound: once more, with all values on that side.
                match best {
                    value if value <= low && low > -WIN => low = -WIN,
                    value if value >= high && high < WIN => high = WIN,
                    _ => break,
                }
            }
            if self.stopped {
                return;
            }
        }
    }

    /// Searches steps of the root within a window. The best one comes first, the others stay in order.
    fn search_root(
        &mut self,
        position: &G::Position,
        moves: &mut [RootMove<G::Step>],
        depth: i32,
        low: i32,
        high: i32,
    ) -> i32 {
        let key = self.game.key(position);
        let mut best = -WIN - 1;
        let mut found: Option<(usize, Vec<G::Step>)> = None;
        for (place, root) in moves.iter_mut().enumerate() {
            let nodes = self.nodes;
            let alpha = best.max(low);
            self.path.clear();
            let node = Node {
                position,
                key,
                depth,
                ply: 0,
            };
            let value = self.search_step(&node, root.step, place, false, alpha, high);
            root.nodes += self.nodes - nodes;
            if self.stopped {
                break;
            }
            if value > best {
                best = value;
                let rest = self.variations[1]
                    .iter()
                    .map(|&bits| G::Step::from_bits(bits));
                found = Some((place, std::iter::once(root.step).chain(rest).collect()));
                if value >= high {
                    break;
                }
            }
        }
        // Below the window it is only known that all are worse than was thought, and where the search ends in the
        // middle, perhaps only that the first one is: then what was found before stands.
        let unknown = moves.first().is_none_or(|root| root.value.is_none());
        let better = match &found {
            Some((place, _)) if self.stopped => *place > 0 && best > low,
            _ => best > low || low == -WIN,
        };
        if let Some((place, variation)) = found.filter(|_| better || unknown) {
            moves[place].value = Some(best);
            moves[place].variation = variation;
            moves[..=place].rotate_right(1);
        }
        best
    }

    /// The value of a step for who takes it; the steps behind it are in the variation of the next ply.
    ///
    /// `place` is how many steps came before it, `quiet` whether it may be looked at less deep.
    fn search_step(
        &mut self,
        node: &Node<'_, G::Position>,
        step: G::Step,
        place: usize,
        quiet: bool,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        let side = node.position.side();
        let (mut next, mut key) = (*node.position, node.key);
        self.game.play(&mut next, step, &mut key);
        let passes = next.side() != side;
        let restricted = self.is_restricted(node.ply + 1);
        if restricted {
            self.path.push(step);
        }
        let search = |this: &mut Self, depth: i32, alpha: i32, beta: i32| {
            let child = Node {
                position: &next,
                key,
                depth,
                ply: node.ply + 1,
            };
            let value = match passes {
                true => -this.search(&child, -beta, -alpha),
                false => this.search(&child, alpha, beta),
            };
            through(value, passes)
        };
        let depth = node.depth - 1;
        let mut value = alpha + 1;
        if place > 0 {
            // Whether it is better than the best so far is all that is asked at first.
            let reduction = if quiet {
                reduction(node.depth, place)
            } else {
                0
            };
            value = search(self, depth - reduction, alpha, alpha + 1);
            if value > alpha && reduction > 0 && !self.stopped {
                value = search(self, depth, alpha, alpha + 1);
            }
        }
        if (place == 0 || value > alpha && value < beta) && !self.stopped {
            value = search(self, depth, alpha, beta);
        }
        if restricted {
            self.path.pop();
        }
        value
    }

    /// The value of a position for the side to move: the true one between `alpha` and `beta`, else a bound.
    fn search(&mut self, node: &Node<'_, G::Position>, alpha: i32, beta: i32) -> i32 {
        self.variations[node.ply].clear();
        if !self.count(1) {
            return 0;
        }
        let side = node.position.side();
        let steps = self.game.steps(node.position);
        if steps.is_empty() {
            return self.end_value(node.position);
        }
        if node.depth <= 0 || node.ply >= MOST_PLIES {
            return evaluate(self.game, node.position);
        }
        let restricted = self.is_restricted(node.ply);
        let known = if restricted {
            None
        } else {
            self.table.get(node.key)
        };
        if let Some(entry) = known.filter(|_| beta - alpha == 1) {
            let enough = entry.depth >= node.depth || is_proof(entry.score);
            let cuts = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => entry.score >= beta,
                Bound::Upper => entry.score <= alpha,
            };
            if enough && cuts {
                return entry.score;
            }
        }
        if node.depth == 1 && !restricted {
            return self.search_last_ply(node, &steps, alpha, beta);
        }
        let mut node = *node;
        match steps.count() {
            // A forced step costs no depth.
            1 => node.depth += 1,
            // Without a step to begin with it is not worth its depth.
            _ if known.is_none() && node.depth >= 4 => node.depth -= 1,
            _ => {}
        }
        let from_table = known.map(|entry| entry.step);
        let base = self.waiting.len();
        {
            let mut waiting = std::mem::take(&mut self.waiting);
            let (order, game) = (&self.order, self.game);
            steps.for_each_in_any_order(|step| {
                if restricted && !self.is_wanted(step) {
                    return;
                }
                let promise = game.promise(node.position, step);
                let rank = order.rank(side, node.ply, step.bits(), from_table, promise);
                waiting.push((rank, step.bits()));
            });
            self.waiting = waiting;
        }
        self.waiting[base..].sort_unstable_by(|a, b| b.cmp(a));
        let count = self.waiting.len() - base;
        let (mut best, mut best_step, mut low) = (-WIN - 1, 0, alpha);
        for place in 0..count {
            let (rank, bits) = self.waiting[base + place];
            let step = G::Step::from_bits(bits);
            let value = self.search_step(&node, step, place, rank < LOUD, low, beta);
            if self.stopped {
                break;
            }
            if value > best {
                (best, best_step) = (value, bits);
                if value > low {
                    low = value;
                    let (before, after) = self.variations.split_at_mut(node.ply + 1);
                    let (own, rest) = (&mut before[node.ply], &after[0]);
                    own.clear();
                    own.push(bits);
                    own.extend(rest);
                }
                if value >= beta {
                    let before: Vec<u32> = self.waiting[base..base + place]
                        .iter()
                        .map(|&(_, bits)| bits)
                        .collect();
                    self.order.cut(side, node.ply, node.depth, bits, &before);
                    break;
                }
            }
        }
        self.waiting.truncate(base);
        if !self.stopped && !restricted {
            self.keep(&node, best_step, best, alpha, beta);
        }
        best
    }

    /// [`Searcher::search`] where every step leads to a position that is only evaluated.
    fn search_last_ply(
        &mut self,
        node: &Node<'_, G::Position>,
        steps: &G::Steps,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        let game = self.game;
        let side = node.position.side();
        let (mut best, mut best_step) = (-WIN - 1, 0);
        let count = steps.count();
        let mut place = 0;
        // In pieces, for there may be very many.
        while place < count && best < beta {
            let begin = place;
            let end = count.min(begin + NODES_A_LOOK as usize);
            (best, best_step, place) = with_bit_instructions(
                #[inline(always)]
                || {
                    let (mut best, mut best_step, mut place) = (best, best_step, begin);
                    while place < end && best < beta {
                        let Some(step) = steps.nth(place) else {
                            break;
                        };
                        place += 1;
                        let mut next = *node.position;
                        game.play(&mut next, step, &mut NoKeys);
                        let passes = next.side() != side;
                        let value = match game.steps(&next).is_empty() {
                            true => end_value(game, &next),
                            false => evaluate(game, &next),
                        };
                        let value = through(if passes { -value } else { value }, passes);
                        if value > best {
                            (best, best_step) = (value, step.bits());
                        }
                    }
                    (best, best_step, place)
                },
            );
            if place == begin || !self.count((place - begin) as u64) {
                return 0;
            }
        }
        self.variations[node.ply].push(best_step);
        self.keep(node, best_step, best, alpha, beta);
        best
    }

    /// Keeps what was found in the table.
    fn keep(&self, node: &Node<'_, G::Position>, step: u32, score: i32, alpha: i32, beta: i32) {
        let bound = match score {
            _ if score <= alpha => Bound::Upper,
            _ if score >= beta => Bound::Lower,
            _ => Bound::Exact,
        };
        let entry = Entry {
            step,
            depth: node.depth,
            bound,
            score,
        };
        self.table.put(node.key, entry);
    }

    fn end_value(&self, position: &G::Position) -> i32 {
        end_value(self.game, position)
    }
}

/// Where a search is.
#[derive(Clone, Copy)]
struct Node<'p, P> {
    position: &'p P,
    key: Key,
    /// How many steps are still to be searched.
    depth: i32,
    /// How many steps it is from the root.
    ply: usize,
}

/// The value of the end of a game for the side to move.
fn end_value<G: Evaluate>(game: &G, position: &G::Position) -> i32 {
    match game.outcome(position).and_then(|outcome| outcome.winner) {
        Some(winner) if winner == position.side() => WIN,
        Some(_) => -WIN,
        None => 0,
    }
}

/// The evaluation of an unfinished position for the side to move.
#[inline(always)]
fn evaluate<G: Evaluate>(game: &G, position: &G::Position) -> i32 {
    let black = game.evaluate(position).clamp(-PROOF + 1, PROOF - 1);
    match position.side() {
        Color::Black => black,
        Color::White => -black,
    }
}

/// How much less deep a step is looked at that comes late.
fn reduction(depth: i32, place: usize) -> i32 {
    if depth < 3 || place < 3 {
        return 0;
    }
    let logarithm = |n: u32| (31 - n.leading_zeros()) as i32;
    (logarithm(depth as u32) * logarithm(place as u32) / 2).clamp(1, depth - 2)
}
