//! The floors of `engine/src/` and `src/`: a file uses only its own room and the rooms below.

use std::fs;
use std::path::{Path, PathBuf};

use pentalith::games::GAMES;

/// Rooms from the lowest floor to the highest. The rooms of a floor do not know each other; `notation` stands on `rules`.
const FLOORS: &[&[&str]] = &[
    &["board", "files", "intervals", "text", "threads"],
    &["nnue"],
    &["rules"],
    &["notation"],
    &["games"],
    &["search"],
    &["lab", "session"],
    &["record"],
    &["table"],
    &["protocol", "client", "statistics"],
    &["analysis", "transcript"],
    &["arena", "check", "render"],
    &["study"],
    &["puzzle", "review"],
    &["web"],
    &["cli"],
];

fn floor(room: &str) -> usize {
    let found = FLOORS.iter().position(|rooms| rooms.contains(&room));
    found.unwrap_or_else(|| panic!("no floor is known for src/{room}"))
}

pub fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
}

/// The rooms that a source text names behind `crate::`, braces resolved: `crate::{board, game}`.
fn rooms_used(source: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for (_, after) in source.match_indices("crate::").map(|(i, m)| (i, &source[i + m.len()..])) {
        let list = match after.strip_prefix('{') {
            Some(list) => list.split_once("};").map_or(list, |(list, _)| list),
            None => after.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap(),
        };
        let mut depth = 0;
        let mut word = String::new();
        for c in list.chars().chain([',']) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' | ':' if depth == 0 => {
                    if !word.is_empty() {
                        rooms.push(std::mem::take(&mut word));
                    }
                    if c == ':' {
                        depth = i32::MIN / 2;
                    }
                }
                c if depth == 0 && (c.is_alphanumeric() || c == '_') => word.push(c),
                _ => {}
            }
            if c == ',' && depth < 0 {
                depth = 0;
            }
        }
    }
    rooms
}

#[test]
fn imports_only_go_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    sources(&root.join("engine/src"), &mut files);
    assert!(files.len() > 200);
    let mut upward = Vec::new();
    for file in files {
        let inside = file.strip_prefix(root).unwrap();
        let inside = inside.strip_prefix("engine").unwrap_or(inside);
        let inside = inside.strip_prefix("src").unwrap();
        let room = inside.iter().next().unwrap().to_str().unwrap();
        let room = room.trim_end_matches(".rs");
        // `pentalith-verify` is a program of its own.
        if ["lib", "main", "bin"].contains(&room) {
            continue;
        }
        for used in rooms_used(&fs::read_to_string(&file).unwrap()) {
            if used != room && floor(&used) >= floor(room) {
                upward.push(format!("{} uses {used}", inside.display()));
            }
        }
    }
    assert_eq!(upward, Vec::<String>::new());
}

#[test]
fn games_do_not_know_each_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("engine/src/games");
    let names = GAMES.map(|info| info.name);
    for name in names {
        let mut files = Vec::new();
        sources(&root.join(name), &mut files);
        assert!(files.len() >= 3, "{name}");
        for file in files {
            let source = fs::read_to_string(&file).unwrap();
            for other in names.iter().filter(|&&other| other != name) {
                let used = source.contains(&format!("{other}::"));
                assert!(!used, "{} uses {other}", file.display());
            }
        }
    }
}

#[test]
fn a_dialect_knows_only_the_one_that_it_wraps() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/protocol");
    let strangers: [(&str, &[&str]); 3] = [("gtp", &["gogui", "ugi"]), ("ugi", &["gogui", "gtp"]), ("gogui", &["ugi"])];
    for (dialect, others) in strangers {
        let mut files = Vec::new();
        sources(&root.join(dialect), &mut files);
        assert!(!files.is_empty(), "{dialect}");
        for file in files {
            let source = fs::read_to_string(&file).unwrap();
            for other in others {
                let used = source.contains(&format!("{other}::"));
                assert!(!used, "{} uses {other}", file.display());
            }
        }
    }
}

#[test]
fn the_program_that_checks_certificates_is_small_and_stands_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("verify/src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut lines = 0;
    for file in files {
        let source = fs::read_to_string(&file).unwrap();
        let code = source.lines().map(str::trim);
        let code = code.filter(|line| !line.is_empty() && !line.starts_with("//"));
        lines += code.clone().count();
        for line in code.filter(|line| line.starts_with("use ") || line.starts_with("pub use ")) {
            let own = ["use std::", "use crate::", "use super::", "use replay::", "use rules::"];
            let own = own.iter().any(|start| line.starts_with(start)) || line.starts_with("pub use ");
            assert!(own, "{}: {line}", file.display());
        }
        assert!(!source.contains("pentalith::"), "{}", file.display());
        assert!(!source.contains("extern crate"), "{}", file.display());
    }
    assert!((1000..1500).contains(&lines), "{lines} lines of code");
}

#[test]
fn rooms_are_found_in_every_form_of_import() {
    let source = "use crate::board::{A, B};\nuse crate::{rules, games::open};\nlet x = crate::search::perft::a(1);";
    assert_eq!(rooms_used(source), ["board", "rules", "games", "search"]);
}
