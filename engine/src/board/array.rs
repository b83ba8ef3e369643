//! Array functions that are always inlined.
//!
//! The standard library's counterparts are separate functions, which are not compiled for the instructions of the loop
//! that calls them.

/// Applies `map` to each element, as `array::map` does.
#[inline(always)]
pub fn map_array<T: Copy, U: Copy + Default, const N: usize>(array: [T; N], map: impl Fn(T) -> U) -> [U; N] {
    let mut mapped = [U::default(); N];
    for i in 0..N {
        mapped[i] = map(array[i]);
    }
    mapped
}
