//! How deep a step is looked at.

/// Depths are counted in half_points of a step.
pub const STEP: i32 = 2;

/// What a step takes of the depth: nothing where it is forced, and half where there are few others. Such lines cost
/// little and decide much, most of all where a player without steps has lost.
#[inline]
pub fn cost(steps: usize) -> i32 {
    match steps {
        0 | 1 => 0,
        2..=5 => STEP / 2,
        _ => STEP,
    }
}

/// How much less deep a step is looked at that comes late.
#[inline]
pub fn reduction(depth: i32, place: usize) -> i32 {
    let depth = depth / STEP;
    if depth < 3 || place < 3 {
        return 0;
    }
    let logarithm = |n: u32| (31 - n.leading_zeros()) as i32;
    STEP * (logarithm(depth as u32) * logarithm(place as u32) / 2).clamp(1, depth - 2)
}
