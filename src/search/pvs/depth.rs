//! How deep a step is looked at.

/// Depths are counted in half_points of a step.
pub const ONE_PLY: i32 = 2;

/// What a step takes of the depth: nothing where it is forced, and half where there are few others. Such lines cost
/// little and decide much, most of all where a player without steps has lost.
#[inline]
pub fn step_cost(legal_steps: usize) -> i32 {
    match legal_steps {
        0 | 1 => 0,
        2..=5 => ONE_PLY / 2,
        _ => ONE_PLY,
    }
}

/// How much less deep a step is looked at that comes late.
#[inline]
pub fn late_move_reduction(depth: i32, index: usize) -> i32 {
    let depth = depth / ONE_PLY;
    if depth < 3 || index < 3 {
        return 0;
    }
    let log2 = |n: u32| (31 - n.leading_zeros()) as i32;
    ONE_PLY * (log2(depth as u32) * log2(index as u32) / 2).clamp(1, depth - 2)
}
