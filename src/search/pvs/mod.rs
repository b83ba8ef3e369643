//! Principal variation search with iterative deepening: a transposition table shared by threads, move ordering by
//! table, promise, killers and history, and late-move reductions (Marsland and Campbell 1982; Reinefeld 1983).
//! Threads search the same, but look first at what no other one is at (Weill 1996).
//!
//! One player may take several steps in a row: a value changes its sign where the side to move does.

pub mod abdada;
pub mod depth;
mod move_ordering;
pub mod searcher;
pub mod transposition;

use std::sync::atomic::{AtomicBool, Ordering};

use super::control::{LimitsUsed, SearchControl};
use super::helpers::Helpers;
use super::memory::shortage;
use super::random::expected_steps;
use super::{Limits, Proof, Report, RootLine, Search, SearchRequest, SearchStatistics, Settings};
use crate::rules::{Board, Color, EVALUATION_SCALE, Step, WIN, is_proven};
use abdada::AbdadaTable;
use depth::STEP;
use searcher::Searcher;
use transposition::{Bound, Entry, TranspositionTable};

/// The most steps from the root that are looked at.
const MAX_PLY: usize = 200;

/// Half the width of the window about the last value.
const WINDOW: i32 = 60;

/// From this depth of an iteration on it is tried to prove who wins: before, there is no order and nothing to fall back on.
const PROVEN_FROM: i32 = 4;

/// How many times as many nodes as it was thought to take a proof may have where nothing else limits it.
const PROOF_PATIENCE: f64 = 8.0;

/// The parts of the time for a move after which a proof begins, at the earliest, and after which it is given up.
const PROOF_AFTER: f64 = 0.05;
const PROOF_UNTIL: f64 = 0.8;

/// The search with its table, which is kept from one move to the next.
pub struct Pvs {
    settings: Settings,
    /// What is known of positions.
    pub table: TranspositionTable,
    /// What the threads are at.
    pub busy: AbdadaTable,
    helpers: Helpers,
}

impl Pvs {
    /// A search that knows nothing yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            table: TranspositionTable::new(settings.memory),
            busy: AbdadaTable::default(),
            helpers: Helpers::new(settings.threads),
        }
    }
}

/// A step of the root with what was found behind it.
pub struct RootMove {
    /// The step.
    pub step: Step,
    /// From the view of the side to move; `None` where it is only known to be no better than another.
    pub value: Option<i32>,
    /// The steps from this one on.
    pub variation: Vec<Step>,
    /// How many nodes were looked at behind it.
    pub nodes: u64,
}

impl Search for Pvs {
    fn settings(&self) -> Settings {
        self.settings
    }

    fn shortages(&self) -> Vec<String> {
        let memory = shortage(self.table.bytes(), self.settings.memory);
        let threads = self.helpers.shortage().map(str::to_owned);
        threads.into_iter().chain(memory).collect()
    }

    fn follow(&mut self, _step: Step) {}

    fn forget(&mut self) {
        self.table.clear();
    }

    fn think(&mut self, board: &dyn Board, task: &SearchRequest<'_>) -> Report {
        self.table.age();
        self.table.fit(needed(&task.limits, self.settings.threads));
        let run = SearchControl::new(task.limits, task.pace, task.stop, task.clock, task.began);
        let side = board.side();
        let mut here = board.fork();
        let mut steps: Vec<Step> = Vec::new();
        let mut lines: Vec<RootLine> = Vec::new();
        let mut may_take_back = task.only.is_empty();
        // The variation nearly always shows the whole move, else the rest of it is searched for with what is left.
        while here.side() == side && here.count() > 0 {
            let found = self.deepen(&*here, &steps, task, &run);
            let Some(best) = found.first() else {
                break;
            };
            let settled = steps.len();
            // What is lost behind settled steps need not be lost without them.
            let loss = best
                .proof
                .filter(|proof| settled > 0 && proof.winner != Some(side));
            if let Some(proof) = loss
                && may_take_back
                && !run.ended()
            {
                // All steps once more, now that it is known that these lose.
                may_take_back = false;
                let entry = Entry {
                    step: best.steps[settled].0,
                    depth: STEP,
                    bound: Bound::Exact,
                    score: proof.moves as i32 - WIN,
                };
                self.table.put(here.key(), entry);
                while here.unmake() {}
                steps.clear();
                lines.clear();
                continue;
            }
            for step in &best.steps[settled..] {
                if here.side() != side {
                    break;
                }
                here.make(*step);
                steps.push(*step);
            }
            match lines.first_mut() {
                None => lines = found,
                Some(line) if line.proof.or(loss).is_some() => line.steps.clone_from(&best.steps),
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

impl Pvs {
    /// Searches ever deeper from a position that some steps of a move have led to. Gives at least one line, where
    /// there is a step.
    fn deepen(
        &self,
        board: &dyn Board,
        settled: &[Step],
        task: &SearchRequest<'_>,
        run: &SearchControl<'_>,
    ) -> Vec<RootLine> {
        // Where a whole run has been taken, whatever follows is wanted.
        let free = task.only.iter().any(|run| settled.starts_with(run));
        let rest = task.only.iter().filter_map(|run| run.strip_prefix(settled));
        let only: Vec<&[Step]> = rest.filter(|_| !free).collect();
        let halt = AtomicBool::new(false);
        let help = |_| {
            let mut searcher = Searcher::new(self, board.fork(), run, &halt, &only);
            let mut moves = searcher.root_moves();
            for depth in 1..MAX_PLY as i32 {
                searcher.iterate(&mut moves, depth * STEP, 1);
                if searcher.budget.stopped {
                    break;
                }
            }
            searcher.budget.end();
        };
        self.helpers.share(help, || {
            let found = self.deepen_on_this_thread(board, settled, task, run, &halt, &only);
            halt.store(true, Ordering::Relaxed);
            found
        })
    }

    fn deepen_on_this_thread(
        &self,
        board: &dyn Board,
        settled: &[Step],
        task: &SearchRequest<'_>,
        run: &SearchControl<'_>,
        halt: &AtomicBool,
        only: &[&[Step]],
    ) -> Vec<RootLine> {
        // Where somebody wants to know what is thought, even a forced step is thought about.
        let asked = task.limits.are_none() || !task.only.is_empty();
        let mut searcher = Searcher::new(self, board.fork(), run, halt, only);
        searcher.budget.task = Some(task);
        // As long as the variation does not show the rest of the move, this step has only its share.
        let used = run.parts();
        let expected = expected_steps(board, self.settings.seed).max(1.0);
        let whole = match (task.limits.soft_time, task.limits.hard_time) {
            (Some(usual), Some(time)) if !time.is_zero() => {
                usual.as_secs_f64() / time.as_secs_f64()
            }
            _ => 1.0,
        };
        // Of the nodes none are kept for later moves.
        let share = |used: f64, whole: f64| used + (whole - used).max(0.0) / expected;
        let share = LimitsUsed {
            time: share(used.time, whole),
            nodes: share(used.nodes, 1.0),
        };
        searcher.budget.until.nodes = share.nodes;
        // What a step's share is of what is left, when this one begins.
        let began = run.elapsed();
        let usual = task
            .limits
            .soft_time
            .map(|usual| usual.saturating_sub(began));
        let enough = |unchanged| usual.map(|usual| began + usual.mul_f64(patience(unchanged)));
        searcher.budget.in_doubt = enough(0);
        let mut moves = searcher.root_moves();
        let lines = |moves: &[RootMove]| -> Vec<RootLine> {
            // The first one is shown even before anything is known of it: it is the one to play.
            let shown = moves.iter().take(task.lines.max(1)).enumerate();
            let known = shown.filter(|(place, root)| *place == 0 || root.value.is_some());
            let known = known.map(|(_, root)| root);
            known
                .map(|root| line(root, board.side(), settled))
                .collect()
        };
        let mut to_prove = task.lines <= 1 && only.is_empty() && task.limits.depth.is_none();
        // How many iterations in a row have found the same step best.
        let (mut best, mut unchanged) = (None, 0_usize);
        for depth in 1..MAX_PLY as i32 {
            if to_prove
                && depth >= PROVEN_FROM
                && let Some((needed, speed)) = nodes_to_prove(board)
                && is_provable(needed, speed, run, whole)
            {
                to_prove = false;
                if task.limits.are_none() {
                    searcher.budget.give_up_at = searcher
                        .budget
                        .nodes
                        .saturating_add((PROOF_PATIENCE * needed) as u64);
                }
                let proof = LimitsUsed {
                    time: PROOF_UNTIL * whole,
                    nodes: PROOF_UNTIL,
                };
                let until = std::mem::replace(&mut searcher.budget.until, proof);
                let proven = searcher.prove_root(&mut moves);
                searcher.budget.until = until;
                searcher.budget.give_up_at = u64::MAX;
                searcher.budget.lines = lines(&moves);
                // What it found out of some steps is in the table for the rest of the search.
                searcher.budget.stopped = searcher.budget.is_over();
                if proven || searcher.budget.stopped {
                    break;
                }
            }
            searcher.iterate(&mut moves, depth * STEP, task.lines.max(1));
            let last = std::mem::replace(&mut best, moves.first().map(|root| root.step));
            unchanged = if best == last { unchanged + 1 } else { 0 };
            searcher.budget.enough = enough(unchanged);
            if !searcher.budget.stopped {
                run.selective_depth
                    .fetch_max(depth as u32, Ordering::Relaxed);
            }
            if task.limits.hard_time.is_none() && !searcher.budget.is_over() {
                // It takes a while, and where time is short, there is room enough from the beginning.
                self.table.grow(task.stop);
            }
            if let [only] = moves.as_mut_slice()
                && settled.is_empty()
                && !asked
                && !only.value.is_some_and(is_proven)
                && let Some(end) = searcher.known_end(only.step)
            {
                // A forced step is hardly looked at, but whoever knew before how the game ends still does.
                only.value = Some(end);
            }
            let before = std::mem::replace(&mut searcher.budget.lines, lines(&moves));
            if searcher.budget.stopped && task.lines > 1 {
                as_deep_as_each_other(
                    &mut searcher.budget.lines,
                    before,
                    settled.len(),
                    task.lines,
                );
            }
            let whole = moves
                .first()
                .is_some_and(|root| passes(board, &root.variation));
            searcher.budget.until = if whole { LimitsUsed::ALL } else { share };
            let deepest = task
                .limits
                .depth
                .is_some_and(|limit| depth.unsigned_abs() >= limit);
            let proven = moves
                .first()
                .and_then(|root| root.value)
                .is_some_and(is_proven);
            if searcher.budget.stopped
                || searcher.budget.is_over()
                || deepest
                || proven
                || moves.len() == 1 && !asked
            {
                break;
            }
            searcher.budget.tell();
        }
        searcher.budget.end();
        searcher.budget.lines
    }

    /// How far a search has come that has counted some nodes which are still to be made.
    fn report(&self, run: &SearchControl<'_>, left: u64, mut lines: Vec<RootLine>) -> Report {
        put_in_order(&mut lines);
        let best = lines.first();
        Report {
            steps: Vec::new(),
            effort: SearchStatistics {
                nodes: run.nodes.load(Ordering::Relaxed).saturating_sub(left),
                tree_nodes: 0,
                hashfull: self.table.hashfull(),
                selective_depth: run.selective_depth.load(Ordering::Relaxed),
                draws: 0.0,
                time: run.elapsed(),
            },
            expected_score: best.map_or(0.5, |line| line.expected_score),
            proof: best.and_then(|line| line.proof),
            lines,
        }
    }
}

/// About how many nodes it takes to prove who wins, and how many of them are looked at while the search looks at one.
fn nodes_to_prove(board: &dyn Board) -> Option<(f64, f64)> {
    let (cost, left) = board.proof_cost().zip(board.moves_left())?;
    let nodes = cost.nodes * libm::pow(cost.growth, left.into());
    Some((nodes, cost.speed))
}

/// Whether it looks as if there were time enough for so many nodes of a proof, in the part of the limits that may be used.
fn is_provable(needed: f64, speed: f64, run: &SearchControl<'_>, whole: f64) -> bool {
    let faster = match run.limits.nodes {
        Some(_) => 1.0,
        None => speed,
    };
    let (nodes, used) = (run.nodes.load(Ordering::Relaxed) as f64, run.used());
    // At first it is not known how many nodes there is time for.
    needed <= faster * nodes
        || used >= PROOF_AFTER * whole && needed <= faster * nodes / used * whole
}

/// How many bytes a search within these limits may want to keep; a first few, where it may go on for ever.
fn needed(limits: &Limits, threads: usize) -> usize {
    // The fastest search looks at so many nodes, of which about every second one is kept.
    const NODES_A_MILLISECOND: u64 = 16_000;
    const BYTES_A_NODE: u64 = 8;
    const FIRST: usize = 8 << 20;
    let in_time = limits.hard_time.map(|time| {
        let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        milliseconds.saturating_mul(NODES_A_MILLISECOND * threads as u64)
    });
    let nodes = [limits.nodes, in_time].into_iter().flatten().min();
    let bytes = nodes.map(|nodes| nodes.saturating_mul(BYTES_A_NODE));
    bytes.map_or(FIRST, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// How much of the usual time a move gets whose best step has not changed for some iterations.
fn patience(unchanged: usize) -> f64 {
    const PATIENCE: [f64; 5] = [2.0, 1.4, 1.0, 0.8, 0.6];
    let last = PATIENCE.len() - 1;
    PATIENCE[unchanged.min(last)]
}

/// Whether steps lead from a position to where the turn passes or the game ends.
fn passes(board: &dyn Board, steps: &[Step]) -> bool {
    let mut here = board.fork();
    steps
        .iter()
        .any(|step| here.make(*step).side != board.side() || here.count() == 0)
}

/// Values of different depths can't be compared: where an iteration has been stopped, the lines keep what the one before it
/// has found. Only the best step, and what is to be played behind it, may be new. The step of a line is its `place`-th.
fn as_deep_as_each_other(
    lines: &mut Vec<RootLine>,
    before: Vec<RootLine>,
    place: usize,
    most: usize,
) {
    let Some(first) = lines.first_mut().filter(|_| before.len() > 1) else {
        return;
    };
    let (same, others): (Vec<_>, Vec<_>) = before
        .into_iter()
        .partition(|line| line.steps.get(place) == first.steps.get(place));
    if let Some(same) = same.first()
        && same.proof.or(first.proof).is_none()
    {
        first.expected_score = same.expected_score;
    }
    lines.truncate(1);
    lines.extend(others.into_iter().take(most - 1));
}

/// The first line stays, for its move is the one to play; the others come in the order of what they are worth.
fn put_in_order(lines: &mut [RootLine]) {
    if let Some((_, others)) = lines.split_first_mut() {
        others.sort_by(|a, b| b.expected_score.total_cmp(&a.expected_score));
    }
}

fn line(root: &RootMove, side: Color, settled: &[Step]) -> RootLine {
    let value = root.value.unwrap_or_default();
    let proof = is_proven(value).then(|| Proof {
        winner: Some(if value > 0 { side } else { !side }),
        moves: (WIN - value.abs()) as u32,
    });
    // `libm`, not the system's exponential: every machine must answer alike.
    let expected_score = match proof {
        Some(_) if value > 0 => 1.0,
        Some(_) => 0.0,
        None => 1.0 / (1.0 + libm::exp10(-f64::from(value) / EVALUATION_SCALE)),
    };
    RootLine {
        steps: settled.iter().chain(&root.variation).copied().collect(),
        visits: u32::try_from(root.nodes).unwrap_or(u32::MAX),
        expected_score,
        proof,
    }
}
