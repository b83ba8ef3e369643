//! Work with the instructions that this processor has, not only those that every one of its kind has.

/// What a loop is compiled for. It is chosen once, where a variant is opened, and is a type so that the loop is compiled
/// for it alone. Results do not depend on it.
pub trait Instructions: Copy + Send + Sync + 'static {
    /// Does work that is compiled for these instructions.
    ///
    /// Only what the compiler inlines into `work` profits, so this belongs around an inner loop and not inside it.
    fn run<T>(self, work: impl FnOnce() -> T) -> T;
}

/// The instructions that every processor of the compiler's target has.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Instructions for Portable {
    #[inline(always)]
    fn run<T>(self, work: impl FnOnce() -> T) -> T {
        work()
    }
}

/// That this processor counts and finds bits in one instruction and works on four words at once.
#[derive(Clone, Copy, Debug)]
pub struct Native(());

impl Native {
    /// `None` where it does not.
    #[inline]
    pub fn detect() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if x86_64::are_there() {
            return Some(Self(()));
        }
        None
    }
}

impl Instructions for Native {
    #[inline(always)]
    fn run<T>(self, work: impl FnOnce() -> T) -> T {
        #[cfg(target_arch = "x86_64")]
        {
            // SAFETY: `detect` alone makes this value, and only where the processor has every instruction that the
            // function is compiled for.
            #[expect(unsafe_code, reason = "the compiler can't know the processor")]
            return unsafe { x86_64::run(work) };
        }
        // No such value is ever made elsewhere.
        #[cfg(not(target_arch = "x86_64"))]
        work()
    }
}

/// Does work compiled for the best instructions that this processor has, where it is not known beforehand which.
#[inline]
pub fn with_best_instructions<T>(work: impl FnOnce() -> T) -> T {
    match Native::detect() {
        Some(native) => native.run(work),
        None => work(),
    }
}

/// Asks for the memory where a value is, which will be needed soon. Nothing changes but how long that takes.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the address is that of a value, and every processor of this kind has the instruction.
        #[expect(unsafe_code, reason = "the language has no other word for it")]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// The place of the `n`-th set bit of a word that has more than `n` bits set, found in one instruction; `None`
/// where this processor has none for it.
#[inline(always)]
pub(super) fn select(word: u64, n: u32) -> Option<u32> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("bmi2") {
        // SAFETY: as above.
        #[expect(unsafe_code, reason = "the compiler can't know the processor")]
        return Some(unsafe { x86_64::select(word, n) });
    }
    let _ = (word, n);
    None
}

/// That this processor puts bits side by side in one instruction.
#[derive(Clone, Copy, Debug)]
pub struct Pext(());

impl Pext {
    /// `None` where it has none for it.
    #[inline(always)]
    pub fn detect() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("bmi2") {
            return Some(Self(()));
        }
        None
    }

    /// The bits of a word at the places of `mask`, the lowest one first.
    #[inline(always)]
    pub(super) fn bits(self, word: u64, mask: u64) -> u64 {
        #[cfg(target_arch = "x86_64")]
        {
            // SAFETY: `detect` alone makes this value, and only where the processor has the instruction.
            #[expect(unsafe_code, reason = "the compiler can't know the processor")]
            return unsafe { x86_64::pext(word, mask) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            // No such value is ever made here.
            let _ = (word, mask);
            0
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::arch::is_x86_feature_detected;
    use std::arch::x86_64::{_pdep_u64, _pext_u64};

    /// The answer is kept after the first time.
    #[inline]
    pub(super) fn are_there() -> bool {
        is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("avx2")
    }

    #[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt,avx2")]
    pub(super) fn run<T>(work: impl FnOnce() -> T) -> T {
        work()
    }

    /// Deposits a single bit at the `n`-th set place.
    #[inline]
    #[target_feature(enable = "bmi2")]
    pub(super) fn select(word: u64, n: u32) -> u32 {
        _pdep_u64(1_u64.wrapping_shl(n), word).trailing_zeros()
    }

    #[inline]
    #[target_feature(enable = "bmi2")]
    pub(super) fn pext(word: u64, mask: u64) -> u64 {
        _pext_u64(word, mask)
    }
}
