//! Depth of the search: cost of a step and late move reductions.

/// Depth of one step. Depths are counted in half steps.
pub const ONE_PLY: i32 = 2;

/// Returns the depth that a step costs: nothing where it is forced, half a step among few, else a whole step.
///
/// Forced lines are cheap to search and often decisive, above all where a player without steps loses.
#[inline]
pub fn step_cost(legal_steps: usize) -> i32 {
    match legal_steps {
        0 | 1 => 0,
        2..=5 => ONE_PLY / 2,
        _ => ONE_PLY,
    }
}

/// Returns the late move reduction of the step at `index` of the move ordering, in half steps.
#[inline]
pub fn late_move_reduction(depth: i32, index: usize) -> i32 {
    let depth = depth / ONE_PLY;
    if depth < 3 || index < 3 {
        return 0;
    }
    let log2 = |n: u32| (31 - n.leading_zeros()) as i32;
    ONE_PLY * (log2(depth as u32) * log2(index as u32) / 2).clamp(1, depth - 2)
}
