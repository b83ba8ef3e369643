//! The text of `--version`.

use once_cell::sync::Lazy;

use crate::board::instructions_used;

/// Version, commit, target, and the instructions that are used of this processor.
pub(super) static LONG_VERSION: Lazy<String> = Lazy::new(|| {
    let (version, commit) = (env!("CARGO_PKG_VERSION"), env!("PENTALITH_COMMIT"));
    let (target, instructions) = (env!("PENTALITH_TARGET"), instructions_used());
    format!("{version}\ncommit: {commit}\ntarget: {target}\nprocessor: {instructions}")
});
