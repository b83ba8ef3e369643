//! The rules of the games as plain text, with pictures in words, from their pages in `protocol/games/`.

use serde::Serialize;

/// Pages of the rules, by the names of the games: `build.rs` lists the folder.
const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// Pictures of the pages, by their names.
const PICTURES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pictures.rs"));

/// Headings of sections that a player does not need: the text ends at the first of them.
const ENDS: [&str; 2] = ["## Open questions", "## Rulings"];

/// Returns the rules of a game by its name, with pictures in words; `None` if there is no such page.
pub fn rules(game: &str) -> Option<Vec<Block>> {
    let (_, page) = PAGES.iter().find(|(name, _)| *name == game)?;
    Some(blocks(page))
}

/// Returns a picture of the pages of rules, as SVG, by its name.
pub fn picture(name: &str) -> Option<&'static str> {
    PICTURES.iter().find(|(known, _)| *known == name).map(|(_, svg)| *svg)
}

/// A part of a page.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Block {
    /// A line that stays as it is: of a diagram, or an empty one.
    Literal(String),
    /// A heading.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// An item of a list.
    Item(String),
    /// A picture: its name, and its content in words.
    Picture(String, String),
    /// A table by rows; the first one is its head.
    Table(Vec<Vec<String>>),
}

/// Reads the rules in a page of Markdown: without links and sections for programmers.
fn blocks(page: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    for line in page.lines().take_while(|line| !ENDS.contains(line)) {
        reader.read(line);
    }
    reader.close();
    reader.blocks
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    /// The paragraph or item that is being read, and whether it is an item.
    open: Option<(String, bool)>,
    is_literal: bool,
    /// The tag of a picture that is being read.
    picture: Option<String>,
}

impl Reader {
    fn read(&mut self, line: &str) {
        let text = line.trim();
        if text.starts_with("<img") {
            self.close();
            self.picture = Some(String::new());
        }
        if let Some(tag) = &mut self.picture {
            tag.push_str(text);
            tag.push(' ');
            if text.ends_with('>') {
                self.end_picture();
            }
        } else if text.starts_with("```") {
            self.close();
            self.is_literal = !self.is_literal;
        } else if self.is_literal {
            self.blocks.push(Block::Literal(line.to_owned()));
        } else if text.is_empty() {
            self.close();
            // One empty line is enough where a picture was.
            let empty = Block::Literal(String::new());
            if self.blocks.last() != Some(&empty) {
                self.blocks.push(empty);
            }
        } else if text.starts_with('|') {
            self.close();
            let row = row(text);
            match (self.blocks.last_mut(), row) {
                (_, None) => {}
                (Some(Block::Table(rows)), Some(row)) => rows.push(row),
                (_, Some(row)) => self.blocks.push(Block::Table(vec![row])),
            }
        } else if let Some(heading) = text.strip_prefix('#') {
            self.close();
            let heading = heading.trim_start_matches(['#', ' ']);
            self.blocks.push(Block::Heading(heading.to_owned()));
        } else if is_item(text) {
            self.close();
            self.open = Some((text.to_owned(), true));
        } else {
            let (known, _) = self.open.get_or_insert_default();
            if !known.is_empty() {
                known.push(' ');
            }
            known.push_str(text);
        }
    }

    /// Describes a picture in the words of its tag.
    fn end_picture(&mut self) {
        let tag = self.picture.take().unwrap_or_default();
        let value = |key: &str| Some(tag.split_once(key)?.1.split_once('"')?.0.to_owned());
        if let Some((words, path)) = value("alt=\"").zip(value("src=\"")) {
            let file = path.rsplit('/').next().unwrap_or_default();
            self.blocks.push(Block::Picture(file.trim_end_matches(".svg").to_owned(), words));
        }
    }

    /// Ends the open paragraph or item.
    fn close(&mut self) {
        if let Some((text, is_item)) = self.open.take() {
            let text = plain(&text);
            // Links to other pages.
            if text.starts_with("Who wins between equals") {
                return;
            }
            self.blocks.push(if is_item { Block::Item(text) } else { Block::Text(text) });
        }
    }
}

/// Returns true for the first line of an item of a list, with a dash or a number.
fn is_item(text: &str) -> bool {
    let number = text.split_once(". ").map_or("", |(number, _)| number);
    text.starts_with("- ") || !number.is_empty() && number.len() < 3 && number.chars().all(|c| c.is_ascii_digit())
}

/// Reads a row of a table; `None` for the line below its head.
fn row(text: &str) -> Option<Vec<String>> {
    let cells: Vec<String> = text.trim_matches('|').split('|').map(|cell| plain(cell.trim())).collect();
    let is_rule = cells.iter().all(|cell| cell.trim_matches(['-', ':']).is_empty());
    (!is_rule).then_some(cells)
}

/// Leaves out emphasis, code marks and the targets of links.
fn plain(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        kept.push_str(before);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    kept.push_str(rest);
    kept.replace("**", "").replace(['`', '[', '*'], "")
}
