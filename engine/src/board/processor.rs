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

    /// Returns the index of the `n`-th set bit of a word, counted from 0. The word has more than `n` bits set.
    fn select(self, word: u64, n: u32) -> u32;
}

/// The baseline instructions, which every processor of the compiler's target has.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Instructions for Portable {
    #[inline(always)]
    fn run<T>(self, work: impl FnOnce() -> T) -> T {
        work()
    }

    #[inline(always)]
    fn select(self, word: u64, n: u32) -> u32 {
        select_portable(word, n)
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

    #[inline(always)]
    fn select(self, word: u64, n: u32) -> u32 {
        #[cfg(target_arch = "x86_64")]
        {
            // SAFETY: as for `run`.
            #[expect(unsafe_code, reason = "the compiler can't know the processor")]
            return unsafe { x86_64::select(word, n) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        select_portable(word, n)
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
        #[expect(unsafe_code, reason = "prefetching is available as an unsafe intrinsic only")]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Returns the index of the `n`-th set bit of a word that has more than `n` bits set, on any processor.
///
/// Method: byte-wise population counts and their prefix sums, then a table for the byte.
#[inline(never)]
pub fn select_portable(word: u64, n: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x80 * ONES;
    // Population counts of groups of 2, 4 and 8 bits; then for each byte the sum over it and all bytes below it.
    let pairs = word - ((word >> 1) & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    let eights = (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    let sums = eights.wrapping_mul(ONES);
    // The top bit of a byte stays set where its prefix sum is greater than n; the first such byte holds the bit.
    let greater = ((sums | TOPS) - (u64::from(n) + 1) * ONES) & TOPS;
    let place = greater.trailing_zeros() & 0x38;
    let below = (sums << 8) >> place & 0xff;
    let byte = (word >> place & 0xff) as usize;
    place + u32::from(SELECT_IN_BYTE[byte][(u64::from(n) - below) as usize & 7])
}

/// Index of the `n`-th set bit of each byte; 0 where the byte has no more than `n` bits set.
static SELECT_IN_BYTE: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut n) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][n] = bit as u8;
                n += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

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

/// Returns the names of the instructions that are used of this processor beyond those of the compiler's target, with
/// blanks between; `none` if there are none.
pub fn instructions_used() -> &'static str {
    match (Native::detect(), Pext::detect()) {
        (Some(_), _) => "avx2 bmi1 bmi2 lzcnt popcnt",
        (None, Some(_)) => "bmi2",
        (None, None) => "none",
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
