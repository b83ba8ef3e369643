//! Tells the program the target that it is built for, where its commit is to be read, and which games have pages.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    // Cargo sets both for every build script.
    let target = std::env::var("TARGET").unwrap_or_else(|_| "unknown".to_owned());
    println!("cargo::rustc-env=PENTALITH_TARGET={target}");
    let folder = std::env::var_os("OUT_DIR").map(PathBuf::from);
    // Whoever sets a date wants equal bytes from equal sources: git's log differs from clone to clone.
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    let log = if std::env::var_os("SOURCE_DATE_EPOCH").is_none() { git_log() } else { None };
    let commits = log.or_else(|| commit_file(folder.as_deref()?));
    if let Some(commits) = commits {
        println!("cargo::rustc-env=PENTALITH_COMMITS={}", commits.display());
    }
    match folder {
        Some(folder) => {
            std::fs::write(folder.join("rules.rs"), files("protocol/games", "md")?)?;
            std::fs::write(folder.join("pictures.rs"), files("docs/pictures", "svg")?)
        }
        None => Ok(()),
    }
}

/// Returns an array with the names and the texts of the files of a folder that have this ending.
fn files(folder: &str, ending: &str) -> std::io::Result<String> {
    println!("cargo::rerun-if-changed={folder}");
    let mut rows = Vec::new();
    for file in std::fs::read_dir(folder)? {
        let path = file?.path();
        let is_wanted = path.extension().is_some_and(|found| found == ending);
        if let Some(name) = path.file_stem().and_then(|name| name.to_str()).filter(|_| is_wanted) {
            let place = format!("\"/{folder}/{name}.{ending}\"");
            rows.push(format!("(\"{name}\", include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {place})))"));
        }
    }
    rows.sort();
    Ok(format!("&[{}]", rows.join(",\n")))
}

/// Returns the path of git's log of HEAD, seen from the folder `src`, if the log ends with the commit that is built.
///
/// Git writes a line there for whatever moves HEAD: a commit, a checkout, a rebase. `main.rs` includes the file, so
/// that Cargo compiles it again when the file changes, and nothing else. If this script depended on the file, Cargo
/// would compile the library again, too.
fn git_log() -> Option<PathBuf> {
    let commit = git(&["rev-parse", "HEAD"])?;
    let path = git_path("logs/HEAD")?;
    let log = std::fs::read_to_string(&path).ok()?;
    let last = log.lines().last()?.split(' ').nth(1)?;
    (last == commit).then(|| Path::new("..").join(path))
}

/// Writes a log with the commit alone and returns its path. Builds again when the commit changes.
fn commit_file(folder: &Path) -> Option<PathBuf> {
    let commit = match git(&["log", "-1", "--format=%H %cs"]) {
        Some(commit) => {
            let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
            let branch = branch.and_then(|branch| git_path(&branch));
            // Cargo would run the script every time for a file that does not exist.
            let files = [git_path("HEAD"), git_path("packed-refs"), branch];
            for file in files.into_iter().flatten() {
                println!("cargo::rerun-if-changed={file}");
            }
            Some(commit)
        }
        None => archived_commit(),
    };
    let (hash, date) = commit.as_deref().map_or(("", ""), |commit| commit.split_once(' ').unwrap_or((commit, "")));
    if !date.is_empty() {
        println!("cargo::rustc-env=PENTALITH_DATE={date}");
    }
    let path = folder.join("commits");
    let line = if hash.is_empty() { String::new() } else { format!("- {hash}\n") };
    std::fs::write(&path, line).ok()?;
    Some(path)
}

/// Returns commit and date of a source archive by git, or the commit of a package by Cargo.
fn archived_commit() -> Option<String> {
    const BY_GIT: &str = ".git_archival.txt";
    const BY_CARGO: &str = ".cargo_vcs_info.json";
    let read = |path: &str| {
        let text = std::fs::read_to_string(path).ok()?;
        println!("cargo::rerun-if-changed={path}");
        Some(text)
    };
    // In a checkout the place of the commit holds what git replaces.
    let by_git = read(BY_GIT).filter(|text| !text.contains("$Format"));
    let by_git = by_git.and_then(|text| text.lines().last().map(str::to_owned));
    by_git.or_else(|| read(BY_CARGO)?.split('"').find(|word| word.len() == 40).map(str::to_owned))
}

/// Returns the path of a file in git's folder, if it exists.
fn git_path(name: &str) -> Option<String> {
    git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists())
}

/// Returns what a git command prints, if it succeeds; `None` in a source archive or without git.
fn git(arguments: &[&str]) -> Option<String> {
    // A source archive may lie within another repository, whose commit says nothing about it.
    if !Path::new(".git").exists() {
        return None;
    }
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
