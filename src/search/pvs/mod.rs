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
use super::helper_threads::HelperThreads;
use super::memory::shortage;
use super::random::expected_steps;
use super::{Limits, Proof, Report, RootLine, Search, SearchRequest, SearchStatistics, Settings};
use crate::rules::{Board, Color, EVALUATION_SCALE, Step, WIN, is_proven};
use abdada::AbdadaTable;
use depth::ONE_PLY;
use searcher::Searcher;
use transposition::{Bound, Entry, TranspositionTable};

/// The most steps from the root that are looked at.
const MAX_PLY: usize = 200;

/// Half the width of the window about the last value.
const ASPIRATION_WINDOW: i32 = 60;

/// From this depth of an iteration on it is tried to prove who wins: before, there is no order and nothing to fall back on.
const PROOF_MIN_DEPTH: i32 = 4;

/// How many times as many nodes as it was thought to take a proof may have where nothing else limits it.
const PROOF_NODE_FACTOR: f64 = 8.0;

/// The parts of the time for a move after which a proof begins, at the earliest, and after which it is given up.
const PROOF_MIN_USED: f64 = 0.05;
const PROOF_MAX_USED: f64 = 0.8;

/// The search with its table, which is kept from one move to the next.
pub struct Pvs {
    settings: Settings,
    /// What is known of positions.
    pub table: TranspositionTable,
    /// What the threads are at.
    pub abdada: AbdadaTable,
    helper_threads: HelperThreads,
}

impl Pvs {
    /// A search that knows nothing yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            table: TranspositionTable::new(settings.memory),
            abdada: AbdadaTable::default(),
            helper_threads: HelperThreads::new(settings.threads),
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
        let threads = self.helper_threads.shortage().map(str::to_owned);
        threads.into_iter().chain(memory).collect()
    }

    fn advance(&mut self, _step: Step) {}

    fn clear(&mut self) {
        self.table.clear();
    }

    fn run(&mut self, board: &dyn Board, request: &SearchRequest<'_>) -> Report {
        self.table.next_generation();
        self.table
            .ensure_in_use(table_bytes(&request.limits, self.settings.threads));
        let control = SearchControl::new(
            request.limits,
            request.report_schedule,
            request.stop,
            request.clock,
            request.started,
        );
        let side = board.side();
        let mut here = board.fork();
        let mut steps: Vec<Step> = Vec::new();
        let mut lines: Vec<RootLine> = Vec::new();
        let mut may_restart = request.search_moves.is_empty();
        // The variation nearly always shows the whole move, else the rest of it is searched for with what is left.
        while here.side() == side && here.count() > 0 {
            let found = self.iterative_deepening(&*here, &steps, request, &control);
            let Some(best) = found.first() else {
                break;
            };
            let prefix = steps.len();
            // What is lost behind settled steps need not be lost without them.
            let loss = best
                .proof
                .filter(|proof| prefix > 0 && proof.winner != Some(side));
            if let Some(proof) = loss
                && may_restart
                && !control.is_finished()
            {
                // All steps once more, now that it is known that these lose.
                may_restart = false;
                let entry = Entry {
                    step: best.variation[prefix].0,
                    depth: ONE_PLY,
                    bound: Bound::Exact,
                    score: proof.moves as i32 - WIN,
                };
                self.table.store(here.key(), entry);
                while here.unmake() {}
                steps.clear();
                lines.clear();
                continue;
            }
            for step in &best.variation[prefix..] {
                if here.side() != side {
                    break;
                }
                here.make(*step);
                steps.push(*step);
            }
            match lines.first_mut() {
                None => lines = found,
                Some(line) if line.proof.or(loss).is_some() => {
                    line.variation.clone_from(&best.variation)
                }
                // What is seen from farther on is seen better.
                Some(line) => line.clone_from(best),
            }
        }
        Report {
            best_move: steps,
            ..self.report(&control, 0, lines)
        }
    }
}

impl Pvs {
    /// Searches ever deeper from a position that some steps of a move have led to. Gives at least one line, where
    /// there is a step.
    fn iterative_deepening(
        &self,
        board: &dyn Board,
        prefix: &[Step],
        request: &SearchRequest<'_>,
        control: &SearchControl<'_>,
    ) -> Vec<RootLine> {
        // Where a whole run has been taken, whatever follows is wanted.
        let unrestricted = request
            .search_moves
            .iter()
            .any(|moves| prefix.starts_with(moves));
        let rest = request
            .search_moves
            .iter()
            .filter_map(|moves| moves.strip_prefix(prefix));
        let only: Vec<&[Step]> = rest.filter(|_| !unrestricted).collect();
        let stop_helpers = AtomicBool::new(false);
        let help = |_| {
            let mut searcher = Searcher::new(self, board.fork(), control, &stop_helpers, &only);
            let mut moves = searcher.root_moves();
            for depth in 1..MAX_PLY as i32 {
                searcher.search_iteration(&mut moves, depth * ONE_PLY, 1);
                if searcher.budget.stopped {
                    break;
                }
            }
            searcher.budget.release_reserved();
        };
        self.helper_threads.run(help, || {
            let found =
                self.deepen_on_main_thread(board, prefix, request, control, &stop_helpers, &only);
            stop_helpers.store(true, Ordering::Relaxed);
            found
        })
    }

    fn deepen_on_main_thread(
        &self,
        board: &dyn Board,
        prefix: &[Step],
        request: &SearchRequest<'_>,
        control: &SearchControl<'_>,
        stop_helpers: &AtomicBool,
        only: &[&[Step]],
    ) -> Vec<RootLine> {
        // Where somebody wants to know what is thought, even a forced step is thought about.
        let must_search = request.limits.is_unlimited() || !request.search_moves.is_empty();
        let mut searcher = Searcher::new(self, board.fork(), control, stop_helpers, only);
        searcher.budget.request = Some(request);
        // As long as the variation does not show the rest of the move, this step has only its share.
        let used = control.limits_used();
        let expected = expected_steps(board, self.settings.seed).max(1.0);
        let whole = match (request.limits.soft_time, request.limits.hard_time) {
            (Some(soft_time), Some(time)) if !time.is_zero() => {
                soft_time.as_secs_f64() / time.as_secs_f64()
            }
            _ => 1.0,
        };
        // Of the nodes none are kept for later moves.
        let share = |used: f64, whole: f64| used + (whole - used).max(0.0) / expected;
        let share = LimitsUsed {
            time: share(used.time, whole),
            nodes: share(used.nodes, 1.0),
        };
        searcher.budget.max_used.nodes = share.nodes;
        // What a step's share is of what is left, when this one begins.
        let began = control.elapsed();
        let soft_time = request
            .limits
            .soft_time
            .map(|soft_time| soft_time.saturating_sub(began));
        let soft_deadline = |stable_iterations| {
            soft_time
                .map(|soft_time| began + soft_time.mul_f64(soft_time_factor(stable_iterations)))
        };
        searcher.budget.fail_low_deadline = soft_deadline(0);
        let mut moves = searcher.root_moves();
        let lines = |moves: &[RootMove]| -> Vec<RootLine> {
            // The first one is shown even before anything is known of it: it is the one to play.
            let shown = moves.iter().take(request.multi_pv.max(1)).enumerate();
            let known = shown.filter(|(index, root)| *index == 0 || root.value.is_some());
            let known = known.map(|(_, root)| root);
            known
                .map(|root| root_line(root, board.side(), prefix))
                .collect()
        };
        let mut try_proof =
            request.multi_pv <= 1 && only.is_empty() && request.limits.depth.is_none();
        // How many iterations in a row have found the same step best.
        let (mut best, mut stable_iterations) = (None, 0_usize);
        for depth in 1..MAX_PLY as i32 {
            if try_proof
                && depth >= PROOF_MIN_DEPTH
                && let Some((needed, speed)) = estimated_proof_cost(board)
                && is_proof_affordable(needed, speed, control, whole)
            {
                try_proof = false;
                if request.limits.is_unlimited() {
                    searcher.budget.max_nodes = searcher
                        .budget
                        .nodes
                        .saturating_add((PROOF_NODE_FACTOR * needed) as u64);
                }
                let proof = LimitsUsed {
                    time: PROOF_MAX_USED * whole,
                    nodes: PROOF_MAX_USED,
                };
                let until = std::mem::replace(&mut searcher.budget.max_used, proof);
                let proven = searcher.prove_root(&mut moves);
                searcher.budget.max_used = until;
                searcher.budget.max_nodes = u64::MAX;
                searcher.budget.lines = lines(&moves);
                // What it found out of some steps is in the table for the rest of the search.
                searcher.budget.stopped = searcher.budget.is_over();
                if proven || searcher.budget.stopped {
                    break;
                }
            }
            searcher.search_iteration(&mut moves, depth * ONE_PLY, request.multi_pv.max(1));
            let last = std::mem::replace(&mut best, moves.first().map(|root| root.step));
            stable_iterations = if best == last {
                stable_iterations + 1
            } else {
                0
            };
            searcher.budget.soft_deadline = soft_deadline(stable_iterations);
            if !searcher.budget.stopped {
                control
                    .selective_depth
                    .fetch_max(depth as u32, Ordering::Relaxed);
            }
            if request.limits.hard_time.is_none() && !searcher.budget.is_over() {
                // It takes a while, and where time is short, there is room enough from the beginning.
                self.table.grow(request.stop);
            }
            if let [only] = moves.as_mut_slice()
                && prefix.is_empty()
                && !must_search
                && !only.value.is_some_and(is_proven)
                && let Some(end) = searcher.proven_value(only.step)
            {
                // A forced step is hardly looked at, but whoever knew before how the game ends still does.
                only.value = Some(end);
            }
            let before = std::mem::replace(&mut searcher.budget.lines, lines(&moves));
            if searcher.budget.stopped && request.multi_pv > 1 {
                keep_lines_of_equal_depth(
                    &mut searcher.budget.lines,
                    before,
                    prefix.len(),
                    request.multi_pv,
                );
            }
            let whole = moves
                .first()
                .is_some_and(|root| completes_move(board, &root.variation));
            searcher.budget.max_used = if whole { LimitsUsed::ALL } else { share };
            let deepest = request
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
                || moves.len() == 1 && !must_search
            {
                break;
            }
            searcher.budget.report_if_due();
        }
        searcher.budget.release_reserved();
        searcher.budget.lines
    }

    /// How far a search has come that has counted some nodes which are still to be made.
    fn report(&self, control: &SearchControl<'_>, left: u64, mut lines: Vec<RootLine>) -> Report {
        sort_lines(&mut lines);
        let best = lines.first();
        Report {
            best_move: Vec::new(),
            statistics: SearchStatistics {
                nodes: control.nodes.load(Ordering::Relaxed).saturating_sub(left),
                tree_nodes: 0,
                hashfull: self.table.hashfull(),
                selective_depth: control.selective_depth.load(Ordering::Relaxed),
                draws: 0.0,
                time: control.elapsed(),
            },
            expected_score: best.map_or(0.5, |line| line.expected_score),
            proof: best.and_then(|line| line.proof),
            lines,
        }
    }
}

/// About how many nodes it takes to prove who wins, and how many of them are looked at while the search looks at one.
fn estimated_proof_cost(board: &dyn Board) -> Option<(f64, f64)> {
    let (endings, left) = board.endings().zip(board.moves_left())?;
    let nodes = endings.nodes * libm::pow(endings.growth, left.into());
    Some((nodes, endings.speed))
}

/// Whether it looks as if there were time enough for so many nodes of a proof, in the part of the limits that may be used.
fn is_proof_affordable(needed: f64, speed: f64, control: &SearchControl<'_>, whole: f64) -> bool {
    let faster = match control.limits.nodes {
        Some(_) => 1.0,
        None => speed,
    };
    let (nodes, used) = (
        control.nodes.load(Ordering::Relaxed) as f64,
        control.fraction_used(),
    );
    // At first it is not known how many nodes there is time for.
    needed <= faster * nodes
        || used >= PROOF_MIN_USED * whole && needed <= faster * nodes / used * whole
}

/// How many bytes a search within these limits may want to keep; a first few, where it may go on for ever.
fn table_bytes(limits: &Limits, threads: usize) -> usize {
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
fn soft_time_factor(stable_iterations: usize) -> f64 {
    const FACTORS: [f64; 5] = [2.0, 1.4, 1.0, 0.8, 0.6];
    let last = FACTORS.len() - 1;
    FACTORS[stable_iterations.min(last)]
}

/// Whether steps lead from a position to where the turn passes or the game ends.
fn completes_move(board: &dyn Board, steps: &[Step]) -> bool {
    let mut here = board.fork();
    steps
        .iter()
        .any(|step| here.make(*step).side != board.side() || here.count() == 0)
}

/// Values of different depths can't be compared: where an iteration has been stopped, the lines keep what the one before it
/// has found. Only the best step, and what is to be played behind it, may be new. The step of a line is its `place`-th.
fn keep_lines_of_equal_depth(
    lines: &mut Vec<RootLine>,
    before: Vec<RootLine>,
    index: usize,
    most: usize,
) {
    let Some(first) = lines.first_mut().filter(|_| before.len() > 1) else {
        return;
    };
    let (same, others): (Vec<_>, Vec<_>) = before
        .into_iter()
        .partition(|line| line.variation.get(index) == first.variation.get(index));
    if let Some(same) = same.first()
        && same.proof.or(first.proof).is_none()
    {
        first.expected_score = same.expected_score;
    }
    lines.truncate(1);
    lines.extend(others.into_iter().take(most - 1));
}

/// The first line stays, for its move is the one to play; the others come in the order of what they are worth.
fn sort_lines(lines: &mut [RootLine]) {
    if let Some((_, others)) = lines.split_first_mut() {
        others.sort_by(|a, b| b.expected_score.total_cmp(&a.expected_score));
    }
}

fn root_line(root: &RootMove, side: Color, prefix: &[Step]) -> RootLine {
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
        variation: prefix.iter().chain(&root.variation).copied().collect(),
        visits: u32::try_from(root.nodes).unwrap_or(u32::MAX),
        expected_score,
        proof,
    }
}
