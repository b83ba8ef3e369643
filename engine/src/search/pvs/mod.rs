//! Principal variation search with iterative deepening (Marsland and Campbell 1982; Reinefeld 1983).
//!
//! A transposition table shared by threads; move ordering by hash move, ordering score, killers and history; late
//! move reductions; aspiration windows. Threads share the work by ABDADA (Weill 1996).
//!
//! One player may take several steps in a row: a value changes its sign only where the side to move changes.

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

/// Maximum ply: steps from the root.
const MAX_PLY: usize = 200;

/// Half the width of the aspiration window about the last value.
const ASPIRATION_WINDOW: i32 = 60;

/// Depth of the first iteration that may try a proof. Before it there is no move ordering and no best step to fall
/// back on.
const PROOF_MIN_DEPTH: i32 = 4;

/// Factor of the estimated nodes after which a proof is given up, in a search without limits.
const PROOF_NODE_FACTOR: f64 = 8.0;

/// Share of the limits (time or nodes) before which a proof begins only if it seems to take no longer than the search
/// has taken.
const PROOF_MIN_USED: f64 = 0.05;

/// Share of the limits (time or nodes) at which a proof is given up.
const PROOF_MAX_USED: f64 = 0.8;

/// Maximum number of passes over the steps of a move. A tree that is searched to its end leaves some of the limits.
const MAX_PASSES: u32 = 4;

/// Share of what is left that each further pass over the steps of a move gives to its first step.
const LATER_PASS_SHARE: f64 = 0.9;

/// A principal variation search with its transposition table, which is kept from one move to the next.
pub struct Pvs {
    settings: Settings,
    /// Entries of positions, shared by all threads.
    pub table: TranspositionTable,
    /// Positions that threads are searching.
    pub abdada: AbdadaTable,
    helper_threads: HelperThreads,
}

impl Pvs {
    /// Builds a search with an empty table.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            table: TranspositionTable::new(settings.memory),
            abdada: AbdadaTable::default(),
            helper_threads: HelperThreads::new(settings.threads),
        }
    }
}

/// A search for the next step of a move.
#[derive(Clone, Copy)]
struct Part<'a> {
    /// The board after `prefix`.
    board: &'a dyn Board,
    /// The steps already chosen for the move.
    prefix: &'a [Step],
    /// Share of what is left of the limits, while the variation does not complete the move.
    share: f64,
    /// True if a forced step is not searched.
    may_skip_forced: bool,
}

/// A step of the root with its result.
pub struct RootMove {
    /// The step.
    pub step: Step,
    /// Value for the side to move at the root; `None` while it is only known to be no better than another.
    pub value: Option<i32>,
    /// Steps from this one on.
    pub variation: Vec<Step>,
    /// Nodes searched behind it, over all iterations.
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
        self.table.ensure_in_use(table_bytes(&request.limits, self.settings.threads));
        let control =
            SearchControl::new(request.limits, request.report_schedule, request.stop, request.clock, request.started);
        let side = board.side();
        let mut current = board.fork();
        let mut steps: Vec<Step> = Vec::new();
        let mut lines: Vec<RootLine> = Vec::new();
        let mut may_restart = request.search_moves.is_empty();
        // A search without limits or with restricted moves is an analysis: search even a forced step.
        let is_analysis = request.limits.is_unlimited() || !request.search_moves.is_empty();
        let (mut passes, mut has_choice) = (1, is_analysis);
        // The variation nearly always completes the move. Otherwise the rest is searched with what is left of the
        // limits.
        loop {
            if current.side() != side || current.count() == 0 {
                // Forced steps, and steps chosen within their share, leave some of the limits: search from the first
                // step again.
                let is_proven = lines.first().is_none_or(|line| line.proof.is_some());
                let is_answered = !has_choice && request.skip_forced_move;
                if is_answered || is_proven || passes == MAX_PASSES || !control.may_search_again() {
                    break;
                }
                passes += 1;
                while current.unmake() {}
                steps.clear();
                lines.clear();
            }
            has_choice |= current.count() > 1;
            let part = Part {
                board: &*current,
                prefix: &steps,
                share: match passes {
                    1 => 1.0 / expected_steps(&*current, self.settings.seed).max(1.0),
                    _ => LATER_PASS_SHARE,
                },
                may_skip_forced: passes == 1 && !is_analysis,
            };
            let found = self.iterative_deepening(part, request, &control);
            let Some(best) = found.first() else {
                break;
            };
            let prefix = steps.len();
            // A loss behind chosen steps need not be a loss before them.
            let loss = best.proof.filter(|proof| prefix > 0 && proof.winner != Some(side));
            if let Some(proof) = loss
                && may_restart
                && !control.is_finished()
            {
                // Search all steps once more, with a table that knows that these lose.
                may_restart = false;
                let entry = Entry {
                    step: best.variation[prefix].0,
                    depth: ONE_PLY,
                    bound: Bound::Exact,
                    score: proof.moves as i32 - WIN,
                };
                self.table.store(current.key(), entry);
                while current.unmake() {}
                steps.clear();
                lines.clear();
                continue;
            }
            for step in &best.variation[prefix..] {
                if current.side() != side {
                    break;
                }
                current.make(*step);
                steps.push(*step);
            }
            match lines.first_mut() {
                None => lines = found,
                Some(line) if line.proof.or(loss).is_some() => line.variation.clone_from(&best.variation),
                // A search that starts later in the move sees farther.
                Some(line) => line.clone_from(best),
            }
        }
        Report { best_move: steps, ..self.report(&control, 0, lines) }
    }
}

impl Pvs {
    /// Runs iterative deepening on all threads.
    ///
    /// Returns at least one line if there is a legal step.
    fn iterative_deepening(
        &self,
        part: Part<'_>,
        request: &SearchRequest<'_>,
        control: &SearchControl<'_>,
    ) -> Vec<RootLine> {
        let Part { board, prefix, .. } = part;
        // Once a search move is complete, any continuation is allowed.
        let unrestricted = request.search_moves.iter().any(|moves| prefix.starts_with(moves));
        let rest = request.search_moves.iter().filter_map(|moves| moves.strip_prefix(prefix));
        let search_moves: Vec<&[Step]> = rest.filter(|_| !unrestricted).collect();
        let stop_helpers = AtomicBool::new(false);
        let helper = |_| {
            let mut searcher = Searcher::new(self, board.fork(), control, &stop_helpers, &search_moves);
            let mut moves = searcher.root_moves();
            for depth in 1..MAX_PLY as i32 {
                searcher.search_iteration(&mut moves, depth * ONE_PLY, 1);
                if searcher.budget.stopped {
                    break;
                }
            }
            searcher.budget.release_reserved();
        };
        self.helper_threads.run(helper, || {
            let found = self.deepen_on_main_thread(part, request, control, &stop_helpers, &search_moves);
            stop_helpers.store(true, Ordering::Relaxed);
            found
        })
    }

    /// Runs iterative deepening on the main thread, with time management, proofs and reports.
    fn deepen_on_main_thread(
        &self,
        part: Part<'_>,
        request: &SearchRequest<'_>,
        control: &SearchControl<'_>,
        stop_helpers: &AtomicBool,
        search_moves: &[&[Step]],
    ) -> Vec<RootLine> {
        let Part { board, prefix, share, may_skip_forced } = part;
        let mut searcher = Searcher::new(self, board.fork(), control, stop_helpers, search_moves);
        searcher.budget.request = Some(request);
        // Until the variation completes the move, this step gets only its share of the limits.
        let used = control.limits_used();
        let soft_fraction = match (request.limits.soft_time, request.limits.hard_time) {
            (Some(soft_time), Some(time)) if !time.is_zero() => soft_time.as_secs_f64() / time.as_secs_f64(),
            _ => 1.0,
        };
        // Nodes, other than time, need not be saved for later moves: share out all of them.
        let step_share = |used: f64, max: f64| used + (max - used).max(0.0) * share;
        let step_share = LimitsUsed { time: step_share(used.time, soft_fraction), nodes: step_share(used.nodes, 1.0) };
        searcher.budget.max_used.nodes = step_share.nodes;
        // A step's factor of the soft limit applies to what is left of it when the step begins.
        let step_start = control.elapsed();
        let soft_time = request.limits.soft_time.map(|soft_time| soft_time.saturating_sub(step_start));
        let soft_deadline = |stable_iterations| {
            soft_time.map(|soft_time| step_start + soft_time.mul_f64(soft_time_factor(stable_iterations)))
        };
        searcher.budget.fail_low_deadline = soft_deadline(0);
        let mut moves = searcher.root_moves();
        let lines = |moves: &[RootMove]| -> Vec<RootLine> {
            // The first line is shown even without a value: its step is the one to play.
            let shown = moves.iter().take(request.multi_pv.max(1)).enumerate();
            let known = shown.filter(|(index, root)| *index == 0 || root.value.is_some());
            let known = known.map(|(_, root)| root);
            known.map(|root| root_line(root, board.side(), prefix)).collect()
        };
        let mut try_proof = request.multi_pv <= 1 && search_moves.is_empty() && request.limits.depth.is_none();
        // Iterations in a row with the same best step.
        let (mut best, mut stable_iterations) = (None, 0_usize);
        let mut depth = 1;
        while depth < MAX_PLY as i32 {
            if try_proof
                && depth >= PROOF_MIN_DEPTH
                && let Some((needed, speed)) = estimated_proof_cost(board)
                && is_proof_affordable(needed, speed, control, soft_fraction)
            {
                try_proof = false;
                if request.limits.is_unlimited() {
                    searcher.budget.max_nodes =
                        searcher.budget.nodes.saturating_add((PROOF_NODE_FACTOR * needed) as u64);
                }
                let proof = LimitsUsed { time: PROOF_MAX_USED * soft_fraction, nodes: PROOF_MAX_USED };
                let max_used = std::mem::replace(&mut searcher.budget.max_used, proof);
                let proven = searcher.prove_root(&mut moves);
                searcher.budget.max_used = max_used;
                searcher.budget.max_nodes = u64::MAX;
                searcher.budget.lines = lines(&moves);
                // Even a failed proof leaves entries in the table that the search uses.
                searcher.budget.stopped = searcher.budget.is_over();
                if proven || searcher.budget.stopped {
                    break;
                }
            }
            searcher.search_iteration(&mut moves, depth * ONE_PLY, request.multi_pv.max(1));
            let last = std::mem::replace(&mut best, moves.first().map(|root| root.step));
            stable_iterations = if best == last { stable_iterations + 1 } else { 0 };
            let completes = moves.first().is_some_and(|root| completes_move(board, &root.variation));
            searcher.budget.max_used = if completes { LimitsUsed::ALL } else { step_share };
            searcher.budget.soft_deadline = soft_deadline(stable_iterations);
            // A variation that completes the move may use what the share of this step has left.
            let resumes = searcher.budget.stopped && completes && !searcher.budget.is_over() && !control.is_finished();
            if !searcher.budget.stopped {
                control.selective_depth.fetch_max(depth as u32, Ordering::Relaxed);
            }
            if request.limits.hard_time.is_none() && !searcher.budget.is_over() {
                // Growing takes a while. With a time limit the table has the right size from the start.
                self.table.grow(request.stop);
            }
            if let [forced] = moves.as_mut_slice()
                && prefix.is_empty()
                && may_skip_forced
                && !forced.value.is_some_and(is_proven)
                && let Some(end) = searcher.proven_value(forced.step)
            {
                // A forced step is hardly searched, but an earlier search may have proven its result.
                forced.value = Some(end);
            }
            let before = std::mem::replace(&mut searcher.budget.lines, lines(&moves));
            if searcher.budget.stopped && request.multi_pv > 1 {
                keep_lines_of_equal_depth(&mut searcher.budget.lines, before, prefix.len(), request.multi_pv);
            }
            if resumes {
                searcher.budget.stopped = false;
                continue;
            }
            let deepest = request.limits.depth.is_some_and(|limit| depth.unsigned_abs() >= limit);
            let proven = moves.first().and_then(|root| root.value).is_some_and(is_proven);
            if searcher.budget.stopped
                || searcher.budget.is_over()
                || deepest
                || proven
                || moves.len() == 1 && may_skip_forced
            {
                break;
            }
            searcher.budget.report_if_due();
            depth += 1;
        }
        searcher.budget.release_reserved();
        searcher.budget.lines
    }

    /// Reports the state of the search; `left` nodes are reserved and not searched.
    fn report(&self, control: &SearchControl<'_>, reserved: u64, mut lines: Vec<RootLine>) -> Report {
        sort_lines(&mut lines);
        let best = lines.first();
        Report {
            best_move: Vec::new(),
            statistics: SearchStatistics {
                nodes: control.nodes.load(Ordering::Relaxed).saturating_sub(reserved),
                tree_nodes: 0,
                hashfull: self.table.hashfull(),
                selective_depth: control.selective_depth.load(Ordering::Relaxed),
                draws: None,
                time: control.elapsed(),
            },
            expected_score: best.map_or(0.5, |line| line.expected_score),
            proof: best.and_then(|line| line.proof),
            lines,
        }
    }
}

/// Returns the estimated nodes of a proof, and how many of them take the time of one node of the search.
fn estimated_proof_cost(board: &dyn Board) -> Option<(f64, f64)> {
    let (cost, moves_left) = board.proof_cost().zip(board.moves_left())?;
    let nodes = cost.nodes * libm::pow(cost.growth, moves_left.into());
    Some((nodes, cost.speed))
}

/// Returns whether `needed` nodes of a proof seem to fit in the share `whole` of the limits.
fn is_proof_affordable(needed: f64, speed: f64, control: &SearchControl<'_>, max_used: f64) -> bool {
    let faster = match control.limits.nodes {
        Some(_) => 1.0,
        None => speed,
    };
    let (nodes, used) = (control.nodes.load(Ordering::Relaxed) as f64, control.fraction_used());
    // Early on the speed is not known: compare with the nodes searched already.
    needed <= faster * nodes || used >= PROOF_MIN_USED * max_used && needed <= faster * nodes / used * max_used
}

/// Returns the bytes of the table that a search within these limits can fill; 8 MiB without limits, as the table can
/// grow.
fn table_bytes(limits: &Limits, threads: usize) -> usize {
    // Upper bound of the speed of one thread. About every second node is stored.
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

/// Returns the factor of the soft limit for a best step that has not changed for some iterations.
fn soft_time_factor(stable_iterations: usize) -> f64 {
    const FACTORS: [f64; 5] = [2.0, 1.4, 1.0, 0.8, 0.6];
    let last = FACTORS.len() - 1;
    FACTORS[stable_iterations.min(last)]
}

/// Returns whether steps from a position lead to where the turn passes or the game ends.
fn completes_move(board: &dyn Board, steps: &[Step]) -> bool {
    let mut current = board.fork();
    steps.iter().any(|step| current.make(*step).side != board.side() || current.count() == 0)
}

/// Replaces lines of an interrupted iteration by those of the one before, as values of different depths can't be
/// compared.
///
/// Only the best step and its variation may be new: its line takes its former score, unless one of the two is proven.
/// Lines are identified by their step at `index`.
fn keep_lines_of_equal_depth(lines: &mut Vec<RootLine>, before: Vec<RootLine>, index: usize, max_lines: usize) {
    let Some(first) = lines.first_mut().filter(|_| before.len() > 1) else {
        return;
    };
    let (same, others): (Vec<_>, Vec<_>) =
        before.into_iter().partition(|line| line.variation.get(index) == first.variation.get(index));
    if let Some(same) = same.first()
        && same.proof.or(first.proof).is_none()
    {
        first.expected_score = same.expected_score;
    }
    lines.truncate(1);
    lines.extend(others.into_iter().take(max_lines - 1));
}

/// Sorts all lines but the first by their expected score. The first one's step is the one to play.
fn sort_lines(lines: &mut [RootLine]) {
    if let Some((_, others)) = lines.split_first_mut() {
        others.sort_by(|a, b| b.expected_score.total_cmp(&a.expected_score));
    }
}

fn root_line(root: &RootMove, side: Color, prefix: &[Step]) -> RootLine {
    let value = root.value.unwrap_or_default();
    let proof = is_proven(value)
        .then(|| Proof { winner: Some(if value > 0 { side } else { !side }), moves: (WIN - value.abs()) as u32 });
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
