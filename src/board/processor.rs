//! Processor features: instruction sets detected at run time, prefetch, and bit manipulation instructions.

/// The instruction set that a loop is compiled for.
///
/// It is chosen once, where a variant is opened. It is a type, so that each loop is compiled separately for each
/// instruction set. Results do not depend on it.
pub trait Instructions: Copy + Send + Sync + 'static {
    /// Runs `work`, compiled for these instructions.
    ///
    /// Only code that is inlined into `work` is compiled for them, so wrap this around an inner loop, not inside it.
    fn run<T>(self, work: impl FnOnce() -> T) -> T;
}

/// The baseline instructions, which every processor of the compiler's target has.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Instructions for Portable {
    #[inline(always)]
    fn run<T>(self, work: impl FnOnce() -> T) -> T {
        work()
    }
}

/// The instructions POPCNT, BMI1, BMI2, LZCNT and AVX2 of x86-64, detected on this processor.
#[derive(Clone, Copy, Debug)]
pub struct Native(());

impl Native {
    /// Returns a value if this processor has all of these instructions.
    #[inline]
    pub fn detect() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if x86_64::has_native() {
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
            // SAFETY: only `detect` makes this value, and only where the processor has every instruction that the
            // function is compiled for.
            #[expect(unsafe_code, reason = "the compiler can't know the processor")]
            return unsafe { x86_64::run(work) };
        }
        // No such value exists on other architectures.
        #[cfg(not(target_arch = "x86_64"))]
        work()
    }
}

/// Detects the best instructions of this processor and runs `work` compiled for them.
#[inline]
pub fn with_best_instructions<T>(work: impl FnOnce() -> T) -> T {
    match Native::detect() {
        Some(native) => native.run(work),
        None => work(),
    }
}

/// Prefetches the cache line of a value that is read soon. Has no effect other than on speed.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the address is that of a value, and every x86-64 processor has the instruction.
        #[expect(
            unsafe_code,
            reason = "prefetching is available as an unsafe intrinsic only"
        )]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Returns the index of the `n`-th set bit of a word that has more than `n` bits set, by BMI2's PDEP.
///
/// Returns `None` on a processor without BMI2.
#[inline(always)]
pub(super) fn select(word: u64, n: u32) -> Option<u32> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("bmi2") {
        // SAFETY: the processor has just been found to have the instruction.
        #[expect(unsafe_code, reason = "the compiler can't know the processor")]
        return Some(unsafe { x86_64::select(word, n) });
    }
    let _ = (word, n);
    None
}

/// The instruction PEXT (parallel bit extract) of BMI2, detected on this processor.
#[derive(Clone, Copy, Debug)]
pub struct Pext(());

impl Pext {
    /// Returns a value if this processor has the instruction.
    #[inline(always)]
    pub fn detect() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("bmi2") {
            return Some(Self(()));
        }
        None
    }

    /// Extracts the bits of `word` at the set bits of `mask`, packed from bit 0 up.
    #[inline(always)]
    pub(super) fn bits(self, word: u64, mask: u64) -> u64 {
        #[cfg(target_arch = "x86_64")]
        {
            // SAFETY: only `detect` makes this value, and only where the processor has the instruction.
            #[expect(unsafe_code, reason = "the compiler can't know the processor")]
            return unsafe { x86_64::pext(word, mask) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            // No such value exists on other architectures.
            let _ = (word, mask);
            0
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::arch::is_x86_feature_detected;
    use std::arch::x86_64::{_pdep_u64, _pext_u64};

    /// Returns true if this processor has every instruction of [`super::Native`]. The standard library caches the
    /// answer.
    #[inline]
    pub(super) fn has_native() -> bool {
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

    /// Deposits a single bit at the `n`-th set bit of `word` and returns its index.
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
