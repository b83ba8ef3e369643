//! Zeroed memory for tables and trees, in huge pages where the system has them.

use bytemuck::Zeroable;
use bytemuck::allocation::{try_zeroed_slice_box, zeroed_slice_box};

use crate::threads::hold;

/// Memory to leave for everything else, in bytes. Some systems reserve 64 MiB for each thread that allocates, and a
/// failed small allocation ends the program.
pub const MEMORY_RESERVE: usize = 128 << 20;

/// Size of a cache line on most processors, in bytes.
const CACHE_LINE: usize = 64;

/// Returns the index of the first element at the start of a cache line; 0 if there is none.
pub fn first_aligned<T>(slice: &[T]) -> usize {
    let first = slice.as_ptr().align_offset(CACHE_LINE);
    if first < slice.len() { first } else { 0 }
}

/// Returns a message for a search that got less than three quarters of the memory allowed, both in bytes.
pub fn shortage(allocated: usize, allowed: usize) -> Option<String> {
    let min = allowed / 4 * 3;
    let mebibytes = |bytes: usize| (bytes as f64 / f64::from(1 << 20) * 10.0).round() / 10.0;
    (allocated < min).then(|| {
        let shortage =
            format!("searching with {} of {} MiB: there is no more memory", mebibytes(allocated), mebibytes(allowed));
        log::warn!("{shortage}");
        shortage
    })
}

/// Allocates `count` zeros, or half as many and so on down to `min`, as far as memory allows.
///
/// The system maps each page when it is first touched, and all threads wait meanwhile. In a table that is used at
/// random, mapping small pages would take longer than searching.
pub fn zeroed_slice<T: Zeroable>(count: usize, min: usize) -> Box<[T]> {
    let mut count = count.max(min);
    loop {
        match (hold(MEMORY_RESERVE), try_zeroed_slice(count)) {
            (Ok(_), Some(slice)) => break slice,
            _ if count > min => count = (count / 2).max(min),
            (_, Some(slice)) => break slice,
            (_, None) => break zeroed_slice_box(min),
        }
    }
}

/// Allocates `count` zeros; `None` if there is no memory for them.
pub fn try_zeroed_slice<T: Zeroable>(count: usize) -> Option<Box<[T]>> {
    let slice = try_zeroed_slice_box(count).ok()?;
    #[cfg(target_os = "linux")]
    advise_huge_pages(&slice);
    Some(slice)
}

/// Advises huge pages for the part of a slice that consists of whole ones. The system may ignore it.
#[cfg(target_os = "linux")]
fn advise_huge_pages<T>(slice: &[T]) {
    use rustix::mm::{Advice, madvise};

    /// Size of a huge page on most systems. Elsewhere it is a multiple of the page size, which is all that `madvise`
    /// needs.
    const HUGE_PAGE_BYTES: usize = 2 << 20;

    let bytes = size_of_val(slice);
    let start = slice.as_ptr().cast::<u8>();
    let skipped = start.align_offset(HUGE_PAGE_BYTES);
    let Some(whole_bytes) = bytes.checked_sub(skipped) else {
        return;
    };
    let whole_bytes = whole_bytes / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    if whole_bytes == 0 {
        return;
    }
    // SAFETY: the range is whole pages within a slice that is borrowed here, and this advice does not change their
    // content.
    #[expect(unsafe_code, reason = "other advice would change the memory")]
    let advised = unsafe { madvise(start.wrapping_add(skipped).cast_mut().cast(), whole_bytes, Advice::LinuxHugepage) };
    if let Err(error) = advised {
        log::debug!("no large pages: {error}");
    }
}
