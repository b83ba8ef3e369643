//! Tells the program the commit and the target that it is built from and for.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let commit = commit().unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=PENTALITH_COMMIT={commit}");
    // Cargo sets it for every build script.
    let target = std::env::var("TARGET").unwrap_or_else(|_| "unknown".to_owned());
    println!("cargo::rustc-env=PENTALITH_TARGET={target}");
}

/// Returns the commit of the repository, or `None` in a source archive or without git. Builds again when it changes.
fn commit() -> Option<String> {
    // A source archive may lie within another repository, whose commit says nothing about it.
    if !Path::new(".git").exists() {
        return None;
    }
    // Git writes a line there for whatever moves HEAD: a commit, a checkout, a rebase. Where it keeps no such log,
    // HEAD and its branch must do. Cargo would run the script every time for a file that does not exist.
    let log = git_path("logs/HEAD");
    let files = log.map_or_else(
        || {
            let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
            let branch = branch.and_then(|branch| git_path(&branch));
            let files = [git_path("HEAD"), git_path("packed-refs"), branch];
            files.into_iter().flatten().collect()
        },
        |log| vec![log],
    );
    for file in files {
        println!("cargo::rerun-if-changed={file}");
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

/// Returns the path of a file in git's folder, if it exists.
fn git_path(name: &str) -> Option<String> {
    git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists())
}

/// Returns what a git command prints, if it succeeds.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(arguments)
        // A hook that builds may speak of another repository.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim();
    (output.status.success() && !text.is_empty()).then(|| text.to_owned())
}
