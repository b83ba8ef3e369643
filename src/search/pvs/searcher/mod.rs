//! One thread of a principal variation search.

mod last_ply;
mod proof;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::busy::Busy;
use super::depth::{STEP, cost, reduction};
use super::order::{LOUD, Order};
use super::table::{Bound, Entry, Table};
use super::{MOST_PLIES, NODES_A_LOOK, PROOF, Pvs, RootMove, WIN, WINDOW, is_proof};
use crate::board::{Key, Zobrist, with_bit_instructions};
use crate::game::{Evaluate, Game, Position, Step, Steps};
use crate::search::run::{Part, Run};
use crate::search::{Line, Task};

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

/// How long a glance at each step may take where there is no time for it.
const GLANCE: Duration = Duration::from_millis(10);

/// How often a thread looks at the clock where it looks at few positions in that time.
const LOOK_EVERY: Duration = Duration::from_millis(1);
const FEWEST_NODES_A_LOOK: u64 = 16;

/// From this depth on threads look elsewhere first where another one is at work: below, that would take longer than the work.
const SHARED_FROM: i32 = 3 * STEP;

/// One thread of a search.
pub(super) struct Searcher<'a, G: Evaluate> {
    search: &'a Pvs<G>,
    game: &'a G,
    table: &'a Table,
    /// What the threads are at, where there are several.
    busy: Option<&'a Busy>,
    /// What is asked, where this thread tells how far it is, and the lines that it has to show.
    pub(super) task: Option<&'a Task<'a, G::Step>>,
    pub(super) lines: Vec<Line<G::Step>>,
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
    /// What the evaluation remembers of the position whose steps it looks at.
    outlook: G::Outlook,
    /// When this thread last looked at the clock, and how many nodes it has looked at since, at most.
    last_look: Duration,
    nodes_a_look: u64,
    /// The part of the limits at which it ends.
    pub(super) until: Part,
    /// After how many nodes of this thread it ends.
    pub(super) give_up_at: u64,
    /// After how long it ends where more would be too much for this move.
    pub(super) enough: Option<Duration>,
    /// The same where the best step turns out worse than was thought.
    pub(super) in_doubt: Option<Duration>,
    pub(super) stopped: bool,
}

impl<'a, G: Evaluate> Searcher<'a, G> {
    pub(super) fn new(
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
            busy: (search.settings.threads > 1).then_some(&search.busy),
            run,
            halt,
            only,
            order: Order::new(MOST_PLIES + 1),
            variations: vec![Vec::new(); MOST_PLIES + 2],
            path: Vec::new(),
            waiting: Vec::new(),
            left: 0,
            nodes: 0,
            outlook: G::Outlook::default(),
            until: Part::ALL,
            give_up_at: u64::MAX,
            last_look: run.elapsed(),
            nodes_a_look: FEWEST_NODES_A_LOOK,
            enough: None,
            in_doubt: None,
            stopped: false,
        }
    }

    /// Gives back what was counted and not made.
    pub(super) fn end(&self) {
        self.run.give_back(self.left);
    }

    /// Tells how far the search is, where that is due.
    pub(super) fn tell(&self) {
        if let Some(task) = self.task
            && !self.lines.is_empty()
            && self.run.report_is_due(true)
        {
            (task.watch)(self.search.report(self.run, self.left, self.lines.clone()));
        }
    }

    /// The value of a step of the root whose end is known from an earlier search, for who takes it.
    pub(super) fn known_end(&self, position: &G::Position, step: G::Step) -> Option<i32> {
        let (mut next, mut key) = (*position, self.game.key(position));
        self.game.play(&mut next, step, &mut key);
        let Entry { bound, score, .. } = self.table.get(key)?;
        let is_known = match bound {
            Bound::Exact => is_proof(score),
            Bound::Lower => score > PROOF,
            Bound::Upper => score < -PROOF,
        };
        let passes = next.side() != position.side();
        is_known.then(|| through(if passes { -score } else { score }, passes))
    }

    /// How many nodes this thread has looked at.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
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
    pub(super) fn is_over(&self) -> bool {
        let used = self.run.parts();
        let is_past = |used: f64, until: f64| until < 1.0 && used >= until;
        // Nodes are shared out as they are: a weak player is to see something of every step, and nothing well.
        let out_of_nodes = is_past(used.nodes, self.until.nodes);
        // A glance at each step is made even when there is no time for it, unless it takes long.
        let glanced = self.nodes > NODES_A_LOOK
            || self.run.limits.time.is_some() && self.run.elapsed() >= GLANCE;
        let enough = |enough| self.run.elapsed() >= enough;
        let late = self.run.is_late()
            || is_past(used.time, self.until.time)
            || self.nodes >= self.give_up_at
            || self.enough.is_some_and(enough);
        self.halt.load(Ordering::Relaxed) || out_of_nodes || glanced && late
    }

    /// How many nodes to look at before the next look at the clock: large boards take long for each.
    fn until_next_look(&mut self) -> u64 {
        let now = self.run.elapsed();
        let took = now.saturating_sub(std::mem::replace(&mut self.last_look, now));
        let nodes = match took {
            _ if took > 2 * LOOK_EVERY => self.nodes_a_look / 2,
            _ if took < LOOK_EVERY => self.nodes_a_look * 2,
            _ => self.nodes_a_look,
        };
        self.nodes_a_look = nodes.clamp(FEWEST_NODES_A_LOOK, NODES_A_LOOK);
        self.nodes_a_look
    }

    #[inline(never)]
    fn look(&mut self, nodes: u64) -> bool {
        self.tell();
        let at_once = match self.run.limits.nodes {
            // Small enough to be shared out among the steps of a move.
            Some(limit) => {
                NODES_A_LOOK.min(limit / 64 / self.search.settings.threads.max(1) as u64)
            }
            // Answers must not depend on the clock.
            None if self.run.limits.depth.is_some() => NODES_A_LOOK,
            None => self.until_next_look(),
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

    pub(super) fn root_moves(&self, position: &G::Position) -> Vec<RootMove<G::Step>> {
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
    pub(super) fn iterate(
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
                Some(value) if depth >= 4 * STEP && !is_proof(value) => {
                    (value - WINDOW, value + WINDOW)
                }
                _ => (-WIN, WIN),
            };
            loop {
                let best = self.search_root(position, rest, depth, low, high);
                if self.stopped {
                    break;
                }
                // Outside of the window the value is only a bound: once more, with all values on that side.
                match best {
                    value if value <= low && low > -WIN => {
                        low = -WIN;
                        self.enough = self.in_doubt;
                    }
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
        let node = Node {
            position,
            before: None,
            key,
            depth,
            cost: STEP,
            ply: 0,
        };
        let mut waiting: VecDeque<usize> = (0..moves.len()).collect();
        let mut put_off = 0;
        while let Some(place) = waiting.pop_front() {
            let root = &mut moves[place];
            let next = self.play(&node, root.step);
            if place > 0 && put_off < waiting.len() && self.is_busy(&node, &next) {
                put_off += 1;
                waiting.push_back(place);
                continue;
            }
            let nodes = self.nodes;
            let alpha = best.max(low);
            self.path.clear();
            let value = self.search_step(&node, &next, place, false, alpha, high);
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
            // A loss is proven only once every step is refuted.
            let known = if self.stopped {
                best.max(1 - PROOF)
            } else {
                best
            };
            moves[place].value = Some(known);
            moves[place].variation = variation;
            moves[..=place].rotate_right(1);
        }
        best
    }

    /// Plays a step, and asks for what the table has behind it.
    #[inline]
    fn play(&self, node: &Node<'_, G::Position, G::Step>, step: G::Step) -> Next<G> {
        let (mut position, mut key) = (*node.position, node.key);
        self.game.play(&mut position, step, &mut key);
        self.table.prefetch(key);
        Next {
            step,
            position,
            key,
        }
    }

    /// Whether another thread is searching behind a step, so that the others should be looked at first.
    fn is_busy(&self, node: &Node<'_, G::Position, G::Step>, next: &Next<G>) -> bool {
        let busy = self.busy.filter(|_| node.depth >= SHARED_FROM);
        busy.is_some_and(|busy| busy.has(next.key))
    }

    /// The value of a step for who takes it; the steps behind it are in the variation of the next ply.
    ///
    /// `place` is how many steps come before it in the order, `quiet` whether it may be looked at less deep.
    fn search_step(
        &mut self,
        node: &Node<'_, G::Position, G::Step>,
        next: &Next<G>,
        place: usize,
        quiet: bool,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        let passes = next.position.side() != node.position.side();
        let restricted = self.is_restricted(node.ply + 1);
        if restricted {
            self.path.push(next.step);
        }
        let search = |this: &mut Self, depth: i32, alpha: i32, beta: i32| {
            let child = Node {
                position: &next.position,
                before: Some((node.position, next.step)),
                key: next.key,
                depth,
                cost: STEP,
                ply: node.ply + 1,
            };
            let value = match passes {
                true => -this.search(&child, -beta, -alpha),
                false => this.search(&child, alpha, beta),
            };
            through(value, passes)
        };
        let busy = self.busy.filter(|_| node.depth >= SHARED_FROM);
        busy.inspect(|busy| busy.begin(next.key));
        let depth = node.depth - node.cost;
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
        busy.inspect(|busy| busy.end(next.key));
        if restricted {
            self.path.pop();
        }
        value
    }

    /// The value of a position for the side to move: the true one between `alpha` and `beta`, else a bound.
    fn search(&mut self, node: &Node<'_, G::Position, G::Step>, alpha: i32, beta: i32) -> i32 {
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
            return bounded(self.game.evaluate(node.position));
        }
        let restricted = self.is_restricted(node.ply);
        let known = if restricted {
            None
        } else {
            self.table.get(node.key)
        };
        if let Some(entry) = known.filter(|_| beta - alpha == 1) {
            let enough = entry.depth >= node.depth || is_proof(entry.score);
            if enough && entry.settles(alpha) {
                return entry.score;
            }
        }
        let mut node = *node;
        node.cost = cost(steps.count());
        if node.cost > 0 && node.depth <= node.cost && !restricted {
            return self.search_last_ply(&node, &steps, alpha, beta);
        }
        if node.cost > 0 && known.is_none() && node.depth >= 4 * STEP {
            // Without a step to begin with it is not worth its depth.
            node.depth -= STEP;
        }
        let from_table = known.map(|entry| entry.step);
        let base = self.waiting.len();
        {
            let mut waiting = std::mem::take(&mut self.waiting);
            let (order, game) = (&self.order, self.game);
            with_bit_instructions(
                #[inline(always)]
                || {
                    steps.for_each_in_any_order(
                        #[inline(always)]
                        |step| {
                            if restricted && !self.is_wanted(step) {
                                return;
                            }
                            let promise = game.promise(node.position, step);
                            let rank = order.rank(side, node.ply, step.bits(), from_table, promise);
                            waiting.push((rank, step.bits()));
                        },
                    );
                },
            );
            self.waiting = waiting;
        }
        self.waiting[base..].sort_unstable_by(|a, b| b.cmp(a));
        let count = self.waiting.len() - base;
        let (mut best, mut best_step, mut low) = (-WIN - 1, 0, alpha);
        // Each step is played while the one before it is still to be searched: by its turn, what the table has of it is
        // in the cache.
        let played = |this: &Self, place: usize| {
            let (_, bits) = this.waiting[base + place];
            this.play(&node, G::Step::from_bits(bits))
        };
        let mut ahead = (count > 0).then(|| played(self, 0));
        let mut place = 0;
        // The places in the order of those steps that come last because other threads are at them.
        let mut put_off = Vec::new();
        while let Some(next) = ahead {
            let in_order = place + put_off.len();
            if place > 0 && in_order < count && self.is_busy(&node, &next) {
                self.waiting[base + place..].rotate_left(1);
                put_off.push(in_order);
                ahead = Some(played(self, place));
                continue;
            }
            // A step is looked at as deep as if it had come in its turn.
            let in_order = match in_order.checked_sub(count) {
                None => in_order,
                Some(late) => put_off[late],
            };
            let (rank, bits) = self.waiting[base + place];
            ahead = (place + 1 < count).then(|| played(self, place + 1));
            let value = self.search_step(&node, &next, in_order, rank < LOUD, low, beta);
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
                    self.order
                        .cut(side, node.ply, node.depth / STEP, bits, &before);
                    break;
                }
            }
            place += 1;
        }
        self.waiting.truncate(base);
        if !self.stopped && !restricted {
            self.keep(&node, best_step, best, alpha, beta);
        }
        best
    }

    /// Keeps what was found in the table.
    fn keep(
        &self,
        node: &Node<'_, G::Position, G::Step>,
        step: u32,
        score: i32,
        alpha: i32,
        beta: i32,
    ) {
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
struct Node<'p, P, S> {
    position: &'p P,
    /// The position before and the step from there, but at the root.
    before: Option<(&'p P, S)>,
    key: Key,
    /// How many halves of steps are still to be searched.
    depth: i32,
    /// What a step from here takes of them.
    cost: i32,
    /// How many steps it is from the root.
    ply: usize,
}

/// A step with what it leads to.
#[derive(Clone, Copy)]
struct Next<G: Game> {
    step: G::Step,
    position: G::Position,
    key: Key,
}

/// The value of the end of a game for the side to move.
fn end_value<G: Evaluate>(game: &G, position: &G::Position) -> i32 {
    match game.outcome(position).and_then(|outcome| outcome.winner) {
        Some(winner) if winner == position.side() => WIN,
        Some(_) => -WIN,
        None => 0,
    }
}

/// An evaluation, which never looks like a proof.
#[inline(always)]
fn bounded(value: i32) -> i32 {
    value.clamp(-PROOF + 1, PROOF - 1)
}
