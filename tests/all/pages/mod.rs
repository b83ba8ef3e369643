//! The pages stay readable: line lengths, links, command lines, examples, words.
//!
//! Every test collects its complaints, each with page and line, and fails with all of them.

mod commands;
#[cfg(unix)]
mod console;
#[cfg(unix)]
mod dialogues;
mod tables;
mod words;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// Root of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A Markdown page.
struct Page {
    /// Its path from the root.
    name: String,
    text: String,
}

/// A part of a page that a test looks at.
enum Item {
    Heading(HeadingLevel, String),
    /// Target of a link or an image.
    Link(String),
    /// Code within a line.
    Code(String),
    /// A code block: the word behind the fence, `text` for a block that is only indented, and its content.
    Block(String, String),
}

/// Reads every page: those in the root, in `docs` and in `protocol`.
fn pages() -> Vec<Page> {
    let mut files: Vec<PathBuf> = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(PathBuf::from).into();
    files.extend(files_in("docs", "md"));
    files.extend(files_in("protocol", "md"));
    let page = |file: PathBuf| Page {
        text: fs::read_to_string(root().join(&file)).unwrap(),
        name: file.to_str().unwrap().to_owned(),
    };
    files.into_iter().map(page).collect()
}

/// Returns the paths, from the root and sorted, of all files in a folder with an extension.
fn files_in(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let path = folder.join(entry.unwrap().file_name());
            if root().join(&path).is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

impl Page {
    /// Returns the items of the page, each with its line, counted from 1. The line of a code block is that of its fence.
    fn items(&self) -> Vec<(usize, Item)> {
        let mut items = Vec::new();
        // The heading or code block that is being read: its line, its text, and a block's language.
        let mut open: Option<(usize, String, String)> = None;
        let options = Options::ENABLE_TABLES;
        for (event, place) in Parser::new_ext(&self.text, options).into_offset_iter() {
            let line = self.text[..place.start].matches('\n').count() + 1;
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    items.push((line, Item::Link(dest_url.into_string())));
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    for attribute in ["src=\"", "href=\""] {
                        let targets = html.split(attribute).skip(1);
                        let targets = targets.filter_map(|rest| rest.split('"').next());
                        items.extend(targets.map(|target| (line, Item::Link(target.to_owned()))));
                    }
                }
                Event::Start(Tag::Heading { .. }) => {
                    open = Some((line, String::new(), String::new()));
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    let language = match kind {
                        CodeBlockKind::Fenced(language) => language.into_string(),
                        CodeBlockKind::Indented => "text".to_owned(),
                    };
                    open = Some((line, String::new(), language));
                }
                Event::Text(text) => {
                    if let Some((_, read, _)) = &mut open {
                        read.push_str(&text);
                    }
                }
                Event::Code(code) => {
                    if let Some((_, read, _)) = &mut open {
                        read.push_str(&code);
                    }
                    items.push((line, Item::Code(code.into_string())));
                }
                Event::End(TagEnd::Heading(level)) => {
                    let (line, text, _) = open.take().unwrap();
                    items.push((line, Item::Heading(level, text)));
                }
                Event::End(TagEnd::CodeBlock) => {
                    let (line, text, language) = open.take().unwrap();
                    items.push((line, Item::Block(language, text)));
                }
                _ => {}
            }
        }
        items
    }

    /// Returns the anchors of the headings, as GitHub makes them.
    fn anchors(&self) -> HashSet<String> {
        let mut seen: HashMap<String, usize> = HashMap::new();
        let mut anchors = HashSet::new();
        for (_, item) in self.items() {
            let Item::Heading(_, text) = item else {
                continue;
            };
            let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
            let text: String = text.to_lowercase().chars().filter(kept).collect();
            let anchor = text.replace(' ', "-");
            let times = seen.entry(anchor.clone()).or_default();
            anchors.insert(match times {
                0 => anchor,
                _ => format!("{anchor}-{times}"),
            });
            *times += 1;
        }
        anchors
    }
}

/// Fails with all complaints, if there is one.
fn report(complaints: &[String]) {
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
}

/// Returns a path without `.` and `..`; `None` if it leaves the repository.
fn tidy(path: &Path) -> Option<PathBuf> {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => tidy.push(name),
            Component::CurDir => {}
            Component::ParentDir if tidy.pop() => {}
            _ => return None,
        }
    }
    Some(tidy)
}

#[test]
fn lines_end_before_column_120() {
    let mut complaints = Vec::new();
    for page in pages() {
        let mut language = None;
        for (number, line) in page.text.lines().enumerate() {
            if let Some(fence) = line.trim_start().strip_prefix("```") {
                language = match language {
                    None => Some(fence.trim()),
                    Some(_) => None,
                };
            }
            let may_be_long = match language {
                // A program's output can't be broken, a command can.
                Some("console") => !line.starts_with("$ ") && !line.starts_with("> "),
                Some(_) => false,
                None => line.trim_start().starts_with('|'),
            };
            let length = without_targets(line).chars().count();
            if !may_be_long && length > 120 {
                complaints.push(format!("{}:{}: {length}", page.name, number + 1));
            }
        }
    }
    report(&complaints);
}

/// Removes the targets of links, which can't be broken, from a line.
fn without_targets(line: &str) -> String {
    let mut parts = line.split("](");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str("](");
        text.push_str(part.find(')').map_or("", |end| &part[end..]));
    }
    let words = text.split(' ');
    let words: Vec<&str> = words.filter(|word| !word.contains("://")).collect();
    words.join(" ")
}

#[test]
fn every_page_begins_with_its_only_title() {
    let mut complaints = Vec::new();
    for page in pages() {
        let titles: Vec<usize> = page
            .items()
            .iter()
            .filter(|(_, item)| matches!(item, Item::Heading(HeadingLevel::H1, _)))
            .map(|(line, _)| *line)
            .collect();
        if titles != [1] {
            complaints.push(format!("{}: titles in lines {titles:?}", page.name));
        }
    }
    report(&complaints);
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let anchors: HashMap<&str, HashSet<String>> =
        pages.iter().map(|page| (page.name.as_str(), page.anchors())).collect();
    let mut complaints = Vec::new();
    for page in &pages {
        for (line, item) in page.items() {
            let Item::Link(target) = item else {
                continue;
            };
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let found = if path.is_empty() {
                Some(PathBuf::from(&page.name))
            } else {
                tidy(&Path::new(&page.name).with_file_name(path))
            };
            let found = found.filter(|path| root().join(path).exists());
            let place = format!("{}:{line}: {target}", page.name);
            let Some(found) = found else {
                complaints.push(format!("{place}: no such file"));
                continue;
            };
            let anchors = found.to_str().and_then(|name| anchors.get(name));
            if anchors.is_some_and(|anchors| !anchor.is_empty() && !anchors.contains(anchor)) {
                complaints.push(format!("{place}: no such heading"));
            }
        }
    }
    report(&complaints);
}

#[test]
fn every_block_names_its_language() {
    let languages = ["sh", "console", "text", "js", "json", "none", "python", "rust", "toml"];
    let mut complaints = Vec::new();
    for page in pages() {
        for (line, item) in page.items() {
            let Item::Block(language, _) = item else {
                continue;
            };
            if !languages.contains(&language.as_str()) {
                complaints.push(format!("{}:{line}: language `{language}`", page.name));
            }
        }
    }
    report(&complaints);
}

/// Sentences that are said twice must be kept true twice; short ones may be equal.
#[test]
fn no_sentence_stands_in_two_pages() {
    const LEAST_WORDS: usize = 7;
    let mut page_of: HashMap<String, String> = HashMap::new();
    let mut complaints = Vec::new();
    for page in pages() {
        // The parts between fences are prose and code by turns.
        for prose in page.text.split("```").step_by(2) {
            for paragraph in prose.split("\n\n").filter(|paragraph| !paragraph.starts_with('|')) {
                let words: Vec<&str> = paragraph.split_whitespace().collect();
                for sentence in words.split_inclusive(|word| word.ends_with(['.', ':', '?'])) {
                    if sentence.len() < LEAST_WORDS {
                        continue;
                    }
                    let sentence = sentence.join(" ");
                    let first = page_of.entry(sentence.clone()).or_insert_with(|| page.name.clone());
                    if *first != page.name {
                        complaints.push(format!("{} and {first}: {sentence}", page.name));
                    }
                }
            }
        }
    }
    report(&complaints);
}

/// Maximum number of words of all pages: more can neither be found nor kept true.
const WORDS: usize = 40_000;

#[test]
fn all_pages_together_are_short() {
    let words: usize = pages().iter().map(|page| page.text.split_whitespace().count()).sum();
    assert!(words <= WORDS, "{words} words in all pages: cut {}", words - WORDS);
}

#[test]
fn pages_that_must_be_short_are_short() {
    let limits = [("README.md", 7_000), ("docs/results/strength.md", 9_000), ("docs/results/speed.md", 9_000)];
    let mut complaints = Vec::new();
    for page in pages() {
        let length = page.text.chars().count();
        for (name, limit) in limits {
            if page.name == name && length >= limit {
                complaints.push(format!("{name}: {length} characters of {limit}"));
            }
        }
    }
    report(&complaints);
}
