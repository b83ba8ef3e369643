//! Circles of imports: files that use each other, directly or by way of others.
//!
//! The file of a module uses the files in its folder, and they use what it declares: that is no circle. Between other
//! files no circle has more than two. A path through a re-export counts for the file that defines what it names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A path of names, without `crate`.
type Names = Vec<String>;

/// An import: its path as written, the name that it binds, and whether it is a re-export.
struct Import {
    path: Names,
    name: String,
    is_public: bool,
}

/// A source file of a crate.
struct Source {
    file: PathBuf,
    imports: Vec<Import>,
    /// Paths outside of imports.
    paths: Vec<Names>,
    /// All names, for imports of everything.
    names: BTreeSet<String>,
}

/// The words and marks of a source text, without comments and literals.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("r#\"") {
            rest.find("\"#").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            let mut escaped = false;
            let end = rest.char_indices().skip(1).find(|&(_, c)| {
                let is_end = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                is_end
            });
            end.map_or(rest.len(), |(end, _)| end + 1)
        } else if first == '\'' {
            // A character, or a lifetime.
            let mut after = rest.char_indices().skip(1);
            match (after.next(), after.next()) {
                (Some((_, '\\')), Some(_)) => rest[3..].find('\'').map_or(rest.len(), |end| end + 4),
                (Some(_), Some((end, '\''))) => end + 1,
                _ => 1,
            }
        } else {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let length = if rest.starts_with("::") { 2 } else { word.max(first.len_utf8()) };
            if !first.is_whitespace() {
                tokens.push(rest[..length].to_owned());
            }
            length
        };
        rest = &rest[length..];
    }
    tokens
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Reads a tree of imports behind its first names, up to `;`, `,` or `}`.
fn read_tree(tokens: &[String], mut at: usize, start: &Names, is_public: bool, found: &mut Vec<Import>) -> usize {
    let mut path = start.clone();
    loop {
        match tokens[at].as_str() {
            "{" => {
                at += 1;
                while tokens[at] != "}" {
                    assert_ne!(tokens[at], ";", "{path:?}");
                    at = read_tree(tokens, at, &path, is_public, found);
                    at += usize::from(tokens[at] == ",");
                }
                return at + 1;
            }
            "::" => at += 1,
            ";" | "," | "}" | "as" => break,
            name => {
                path.push(name.to_owned());
                at += 1;
            }
        }
    }
    if path.last().is_some_and(|name| name == "self") && path.len() > 1 {
        path.pop();
    }
    let mut name = path.last().cloned().unwrap_or_default();
    if tokens[at] == "as" {
        name.clone_from(&tokens[at + 1]);
        at += 2;
    }
    found.push(Import { path, name, is_public });
    at
}

impl Source {
    fn read(file: PathBuf) -> Self {
        let tokens = tokens(&fs::read_to_string(&file).unwrap());
        let (mut imports, mut paths) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < tokens.len() {
            // `use<'a>` names lifetimes.
            if tokens[at] == "use" && tokens[at + 1] != "<" {
                let before = at.checked_sub(1).map_or("", |before| tokens[before].as_str());
                let is_public = before == "pub" || before == ")";
                at = read_tree(&tokens, at + 1, &Vec::new(), is_public, &mut imports);
            } else if is_name(&tokens[at]) {
                let mut path = vec![tokens[at].clone()];
                while let [mark, name, ..] = &tokens[at + 1..]
                    && mark == "::"
                    && is_name(name)
                {
                    path.push(name.clone());
                    at += 2;
                }
                if path.len() > 1 {
                    paths.push(path);
                }
                at += 1;
            } else {
                at += 1;
            }
        }
        let names = tokens.into_iter().filter(|token| is_name(token)).collect();
        Self { file, imports, paths, names }
    }
}

/// The files of a crate, by the names of their modules.
struct Crate(BTreeMap<Names, Source>);

impl Crate {
    fn read(root: &Path) -> Self {
        let mut files = Vec::new();
        crate::floors::sources(root, &mut files);
        let mut sources = BTreeMap::new();
        for file in files {
            let inside = file.strip_prefix(root).unwrap().with_extension("");
            let mut names: Names = inside.iter().map(|name| name.to_str().unwrap().to_owned()).collect();
            // Programs stand on the library.
            if names[0] == "bin" || names == ["main"] {
                continue;
            }
            if names == ["lib"] || names.last().is_some_and(|name| name == "mod") {
                names.pop();
            }
            sources.insert(names, Source::read(file));
        }
        Self(sources)
    }

    /// Returns a path of a module from the root of the crate; `None` if it leads out of the crate.
    fn absolute(&self, module: &Names, path: &[String]) -> Option<Names> {
        let mut base = module.clone();
        let mut path = path;
        match path.first()?.as_str() {
            "crate" => {
                base.clear();
                path = &path[1..];
            }
            "self" => path = &path[1..],
            "super" => {
                while path.first().is_some_and(|name| name == "super") {
                    base.pop()?;
                    path = &path[1..];
                }
            }
            first => {
                base.push(first.to_owned());
                if !self.0.contains_key(&base) {
                    return None;
                }
                base.pop();
            }
        }
        base.extend_from_slice(path);
        Some(base)
    }

    /// Returns the module that defines what a path names. Re-exports are followed.
    fn definer(&self, path: &Names, depth: usize) -> Option<Names> {
        let length = (0..=path.len()).rev().find(|&length| self.0.contains_key(&path[..length]))?;
        let (module, rest) = (path[..length].to_vec(), &path[length..]);
        let Some(name) = rest.first().filter(|_| depth < 8) else {
            return Some(module);
        };
        for import in &self.0[&module].imports {
            let of_all = import.name == "*" && import.is_public;
            if import.name != *name && !of_all {
                continue;
            }
            let end = import.path.len() - usize::from(of_all);
            let target = self.absolute(&module, &import.path[..end]);
            let Some(mut target) = target else {
                if of_all {
                    continue;
                }
                return None;
            };
            if of_all && !self.0.get(&target).is_some_and(|source| source.names.contains(name)) {
                continue;
            }
            target.extend_from_slice(&rest[usize::from(!of_all)..]);
            return self.definer(&target, depth + 1);
        }
        Some(module)
    }

    /// Returns the modules that a module uses, apart from those in its own folder.
    fn uses(&self, module: &Names, source: &Source) -> BTreeSet<Names> {
        let mut paths: Vec<Names> = Vec::new();
        let mut modules: BTreeMap<&str, Names> = BTreeMap::new();
        for import in &source.imports {
            let end = import.path.len() - usize::from(import.name == "*");
            let Some(path) = self.absolute(module, &import.path[..end]) else {
                continue;
            };
            if import.name != "*" && self.0.contains_key(&path) {
                // What counts is what it is used for.
                modules.insert(&import.name, path);
            } else if !import.is_public {
                paths.push(path);
            }
        }
        for path in &source.paths {
            match modules.get(path[0].as_str()) {
                Some(start) => paths.push([start.as_slice(), &path[1..]].concat()),
                None => paths.extend(self.absolute(module, path)),
            }
        }
        let used = paths.iter().filter_map(|path| self.definer(path, 0));
        used.filter(|used| !used.starts_with(module)).collect()
    }

    /// Returns the circles of more than two files.
    fn circles(&self) -> BTreeSet<Vec<&PathBuf>> {
        let uses: BTreeMap<&Names, BTreeSet<Names>> =
            self.0.iter().map(|(module, source)| (module, self.uses(module, source))).collect();
        let mut reached: BTreeMap<&Names, BTreeSet<&Names>> = BTreeMap::new();
        for from in self.0.keys() {
            let mut left = vec![from];
            let reached = reached.entry(from).or_default();
            while let Some(module) = left.pop() {
                left.extend(uses[module].iter().filter(|used| reached.insert(used)));
            }
        }
        let circle = |module: &Names| -> Vec<&PathBuf> {
            let back = reached[module].iter().filter(|other| reached[**other].contains(module));
            back.map(|other| &self.0[*other].file).collect()
        };
        self.0.keys().map(circle).filter(|circle| circle.len() > 2).collect()
    }
}

#[test]
fn no_more_than_two_files_use_each_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found: Vec<Vec<String>> = Vec::new();
    for folder in ["src", "engine/src", "verify/src"] {
        let sources = Crate::read(&root.join(folder));
        assert!(sources.0.len() > 10, "{folder}");
        for circle in sources.circles() {
            let names = circle.iter().map(|file| file.strip_prefix(root).unwrap().to_str().unwrap());
            found.push(names.map(|name| name.replace('\\', "/")).collect());
        }
    }
    assert_eq!(found, Vec::<Vec<String>>::new());
}

#[test]
fn circles_are_found_through_modules_aliases_and_re_exports() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
        fs::write(folder.path().join(name), text).unwrap();
    };
    write("lib.rs", "mod a;\nmod b;\nmod room;\n");
    write("a.rs", "use crate::b as other;\nfn f<'a>() -> impl Copy + use<'a> { other::g(); '\"' }\n");
    write("b.rs", "// use crate::c::X;\nuse crate::room::{Inner, Outer as O};\npub fn g() {}\n");
    write("room/mod.rs", "mod inner;\nmod outer;\npub use inner::*;\npub use outer::Outer;\n");
    write("room/inner.rs", "pub struct Inner;\n");
    write("room/outer.rs", "use super::Inner;\npub struct Outer;\nfn f() { crate::a::f(\"crate::b::g\") }\n");
    let sources = Crate::read(folder.path());
    let circles = sources.circles();
    let names = circles.iter().map(|circle| circle.iter().map(|file| file.strip_prefix(folder.path()).unwrap()));
    let names: Vec<Vec<&Path>> = names.map(Iterator::collect).collect();
    assert_eq!(names, [["a.rs", "b.rs", "room/outer.rs"].map(Path::new)]);
    write("a.rs", "fn f() {}\n");
    assert_eq!(Crate::read(folder.path()).circles().len(), 0);
}
