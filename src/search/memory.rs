//! Memory for tables and trees: zeros from the system, in large pages where it has them.

use bytemuck::Zeroable;
use bytemuck::allocation::{try_zeroed_slice_box, zeroed_slice_box};

use crate::threads::hold;

/// What must be left for everything else, in bytes: a program that gets no more ends at once. Some systems set 64 MiB aside
/// for what a thread allocates.
pub const MEMORY_RESERVE: usize = 128 << 20;

/// What is said of a search that has got less memory than it was allowed, in bytes; nothing where it has got most of it.
pub fn shortage(allocated: usize, allowed: usize) -> Option<String> {
    let min = allowed / 4 * 3;
    let mebibytes = |bytes: usize| (bytes as f64 / f64::from(1 << 20) * 10.0).round() / 10.0;
    (allocated < min).then(|| {
        let shortage = format!(
            "searching with {} of {} MiB: there is no more memory",
            mebibytes(allocated),
            mebibytes(allowed)
        );
        log::warn!("{shortage}");
        shortage
    })
}

/// A slice of so many zeros, or of half of them, and so on down to `least`, where there is not so much memory.
///
/// The system gives each page when it is first used, and all threads wait meanwhile: what is used all over would take
/// more time for its pages than for what is kept there, were they not large.
pub fn zeroed_slice<T: Zeroable>(count: usize, min: usize) -> Box<[T]> {
    let mut count = count.max(min);
    let slice = loop {
        match (hold(MEMORY_RESERVE), try_zeroed_slice_box(count)) {
            (Ok(_), Ok(slice)) => break slice,
            _ if count > min => count = (count / 2).max(min),
            (_, Ok(slice)) => break slice,
            (_, Err(())) => break zeroed_slice_box(min),
        }
    };
    #[cfg(target_os = "linux")]
    advise_huge_pages(&slice);
    slice
}

/// Asks for large pages, where a whole one fits in. Whether they are given is up to the system.
#[cfg(target_os = "linux")]
fn advise_huge_pages<T>(slice: &[T]) {
    use rustix::mm::{Advice, madvise};

    /// What a large page has on most systems; on others it is a number of small ones, which is all that matters.
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
    // SAFETY: the range is whole pages within a slice that is borrowed here, and this advice changes nothing of what is
    // in them.
    #[expect(unsafe_code, reason = "other advice would change the memory")]
    let advised = unsafe {
        madvise(
            start.wrapping_add(skipped).cast_mut().cast(),
            whole_bytes,
            Advice::LinuxHugepage,
        )
    };
    if let Err(error) = advised {
        log::debug!("no large pages: {error}");
    }
}
