//! The corpus of the fuzzers, read by everything that reads: what they have found stays mended.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

#[path = "../../fuzz/src/lib.rs"]
pub mod readers;

fn names_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    names.sort();
    names
}

#[test]
fn every_reader_has_a_target_and_a_corpus_and_reads_it() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let mut names = readers::READERS.map(|(name, _)| name);
    names.sort_unstable();
    for folder in ["corpus", "fuzz_targets"] {
        let found = names_in(&fuzz.join(folder));
        let found = found.iter().map(|path| path.file_stem().unwrap());
        assert!(found.eq(names), "{folder} has others than {names:?}");
    }
    for (name, read) in readers::READERS {
        for path in names_in(&fuzz.join("corpus").join(name)) {
            let bytes = fs::read(&path).unwrap();
            let read = catch_unwind(AssertUnwindSafe(|| read(&bytes)));
            assert!(read.is_ok(), "{}", path.display());
        }
    }
}
