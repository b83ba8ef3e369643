//! What the standard library has, too, but as functions of their own: these are inlined into the loop that calls them,
//! and so compiled for its instructions.

/// The array of what `map` makes of each element.
#[inline(always)]
pub fn map_array<T: Copy, U: Copy + Default, const N: usize>(
    array: [T; N],
    map: impl Fn(T) -> U,
) -> [U; N] {
    let mut mapped = [U::default(); N];
    for i in 0..N {
        mapped[i] = map(array[i]);
    }
    mapped
}
